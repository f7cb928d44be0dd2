// Till 2019: our numbers against an independent program's, and the verb that reproduces the paper.
#include "rods.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../papers/till2019/appendix_b_reference.h"
#include "../papers/till2019/damping.h"
#include "../papers/till2019/experiments.h"
#include "../papers/till2019/stable_step.h"
#include "data/till2019_reference.h"
#include "program.h"

static method method_of(td_theory theory, td_integrator integrator, td_history history,
                        td_scheme scheme, double alpha) {
    return (method){.theory = theory,
                    .integrator = integrator,
                    .history = history,
                    .scheme = scheme,
                    .alpha = alpha,
                    .nodes = 150,
                    .startup = TD_REST_HISTORY};
}

static void open_or_fail(simulation *s, const cantilever *c, const method *m, beginning from) {
    td_error err = {0};
    bool fine = simulation_open(s, c, m, from, &err);
    if (!fine) print_error("%s: %s\n", err.where, err.message);
    assert_true(fine);
}

static void advance_or_fail(simulation *s, double dt) {
    if (td_advance(s->system, s->state, dt) >= 0) return;
    print_error("%s\n", td_message(s->state));
    fail();
}

// ---------------------------------------------------------------- theory and fit
static void one_mode_decays_as_theory_says(void **unused) {
    (void)unused;
    const cantilever rod = till_benchmark();
    double w = first_frequency(&rod), dt = 5e-3;
    CHECK_NEAR(w, reference_omega, 1e-12 * w);
    // backward Euler has |z|^2 = 1/(1 + (w dt)^2)
    CHECK_NEAR(single_mode_time_constant(TD_BACKWARD_EULER, 0.0, w, dt),
               2.0 * dt / log(1.0 + w * w * dt * dt), 1e-14);
    const struct {
        td_scheme scheme;
        double alpha, tau;
    } known[] = {{TD_BACKWARD_EULER, 0.0, reference_single_backward_euler},
                 {TD_BDF2, 0.0, reference_single_bdf2},
                 {TD_BDF_ALPHA, -0.2, reference_single_alpha_20},
                 {TD_BDF_ALPHA, -0.48, reference_single_alpha_48},
                 {TD_BDF3, 0.0, reference_single_bdf3}};
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(single_mode_time_constant(known[i].scheme, known[i].alpha, w, dt), known[i].tau,
                   1e-9 * fabs(known[i].tau));
    assert_true(single_mode_time_constant(TD_TRAPEZOIDAL, 0.0, w, dt) == HUGE_VAL);
    assert_true(single_mode_time_constant(TD_BDF_ALPHA, -0.5, w, dt) > 1e9);
}

static void bdf3_grows_below_its_limit_and_decays_above(void **unused) {
    (void)unused;
    double limit = bdf3_limit();
    assert_true(single_mode_time_constant(TD_BDF3, 0.0, 1.0, limit * (1.0 - 1e-6)) < 0.0);
    assert_true(single_mode_time_constant(TD_BDF3, 0.0, 1.0, limit * (1.0 + 1e-6)) > 0.0);
}

static void an_exponential_is_recovered(void **unused) {
    (void)unused;
    const double taus[] = {0.13, 3.9, 200.0, -3.0, -900.0};
    double energy[2001];
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i <= 2000; i++) energy[i] = 0.0158 * exp(-2.0 * i * 5e-3 / taus[k]);
        CHECK_NEAR(fitted_time_constant(energy, 2000, 5e-3) / taus[k], 1.0, 1e-9);
    }
}

// Squared distance of the best a exp(-2 t/tau) for a given tau: a by projection.
static double misfit(const double *energy, int n, double dt, double tau) {
    double ee = 0.0, ef = 0.0, ff = 0.0;
    for (int i = 0; i <= n; i++) {
        double f = exp(-2.0 * i * dt / tau);
        ee += energy[i] * energy[i], ef += energy[i] * f, ff += f * f;
    }
    return ee - ef * ef / ff;
}

static void the_fit_is_the_least_squares_optimum(void **unused) {
    (void)unused;
    enum { N = 400 };
    double energy[N + 1];
    for (int i = 0; i <= N; i++) {
        double t = i * 5e-3;
        energy[i] = exp(-2.0 * t / 4.0) + 0.2 * exp(-t / 0.1) * cos(90.0 * t) + 0.05 * sin(7.0 * t);
    }
    double tau = fitted_time_constant(energy, N, 5e-3), best = misfit(energy, N, 5e-3, tau);
    assert_true(best < misfit(energy, N, 5e-3, tau * 1.001));
    assert_true(best < misfit(energy, N, 5e-3, tau * 0.999));
}

// ---------------------------------------------------------------- the benchmark rod
// Kinetic + elastic energy by the trapezoidal rule over the nodes, as the reference has it.
static double nodal_energy(const simulation *s, const cantilever *c, int nodes) {
    const double area = 3.14159265358979323846 * c->radius * c->radius;
    const double inertia = area * c->radius * c->radius / 4.0;
    const double K[6] = {c->youngs_modulus * inertia,      c->youngs_modulus * inertia,
                         c->shear_modulus * 2.0 * inertia, c->shear_modulus * area,
                         c->shear_modulus * area,          c->youngs_modulus * area};
    const double M[6] = {c->density * inertia, c->density * inertia, c->density * 2.0 * inertia,
                         c->density * area,    c->density * area,    c->density * area};
    double sum = 0.0;
    for (int i = 0; i < nodes; i++) {
        td_sample at = td_get_sample(s->system, s->state, 0, c->length * i / (nodes - 1));
        at.strain[5] -= 1.0;
        double weight = i == 0 || i == nodes - 1 ? 0.5 : 1.0;
        for (int k = 0; k < 6; k++)
            sum += 0.5 * weight *
                   (K[k] * at.strain[k] * at.strain[k] + M[k] * at.velocity[k] * at.velocity[k]);
    }
    return sum * c->length / (nodes - 1);
}

static void check_trajectory(const reference_trajectory *t) {
    const cantilever rod = till_benchmark();
    method m = method_of(t->theory, t->integrator, t->history, t->scheme, t->alpha);
    m.nodes = t->nodes;
    simulation s;
    open_or_fail(&s, &rod, &m, FROM_EQUILIBRIUM);
    CHECK_NEAR(nodal_energy(&s, &rod, t->nodes), t->start_energy, 1e-9 * t->start_energy);
    int step = 0;
    for (int i = 0; i < REFERENCE_STEPS; i++) {
        for (; step < reference_steps[i]; step++) advance_or_fail(&s, 5e-3);
        td_pose tip = simulation_tip(&s);
        CHECK_NEAR(tip.p[0], t->x[i], 1e-8);
        CHECK_NEAR(tip.p[2], t->z[i], 1e-8);
        CHECK_NEAR(nodal_energy(&s, &rod, t->nodes), t->energy[i], 1e-8 * t->start_energy);
    }
    simulation_close(&s);
}

static void benchmark_trajectories_are_those_of_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < N_TRAJECTORIES; i++) check_trajectory(&reference_trajectories[i]);
}

// The trapezoidal rule in the sum that gives an energy, or a better one: 1e-6 of tau.
static void damping_time_constants_are_those_of_the_reference(void **unused) {
    (void)unused;
    const decay_limits limits = {0};
    for (int i = 0; i < N_DAMPINGS; i++) {
        const reference_damping *r = &reference_dampings[i];
        bool slow = r->integrator == TD_RK4 && r->theory == TD_KIRCHHOFF;
        if (slow && r->alpha != -0.48) continue;  // the theories agree to 4 digits anyway
        method m = method_of(r->theory, r->integrator, r->history, r->scheme, r->alpha);
        decay d;
        assert_true(decay_run(&d, &m, 5e-3, 10.0, &limits));
        assert_true(d.completed);
        CHECK_NEAR(fitted_time_constant(d.energy, d.n, d.dt) / r->time_constant, 1.0, 2e-5);
        decay_free(&d);
    }
}

// Over ten seconds with every scheme the energy only falls, but for the artefact of linear history.
static void linear_history_feeds_energy_in_and_cubic_does_not(void **unused) {
    (void)unused;
    const decay_limits limits = {0};
    method m = method_of(TD_COSSERAT, TD_RK4, TD_LINEAR, TD_TRAPEZOIDAL, 0.0);
    decay d;
    assert_true(decay_run(&d, &m, 5e-3, 2.0, &limits) && d.completed);
    double linear = fitted_time_constant(d.energy + 100, d.n - 100, d.dt);
    decay_free(&d);
    m.history = TD_CUBIC;
    assert_true(decay_run(&d, &m, 5e-3, 2.0, &limits) && d.completed);
    double cubic = fitted_time_constant(d.energy + 100, d.n - 100, d.dt);
    decay_free(&d);
    CHECK_BETWEEN(linear, -2000.0, -500.0);
    assert_true(fabs(cubic) > 2e4);
}

static void bdf3_is_stable_from_the_step_of_theory_on(void **unused) {
    (void)unused;
    const cantilever rod = till_benchmark();
    method m = method_of(TD_KIRCHHOFF, TD_EULER, TD_LINEAR, TD_BDF3, 0.0);
    double theory = bdf3_limit() / first_frequency(&rod);
    CHECK_NEAR(smallest_stable_step(&m, 10.0).dt / theory, 1.0, 0.02);
}

// The paper's solver has nothing to fall back on, and the search among few steps finds the first
// stable one above that of the search that takes its time.
static void the_coarse_search_brackets_the_fine_one(void **unused) {
    (void)unused;
    method m = method_of(TD_KIRCHHOFF, TD_EULER, TD_LINEAR, TD_BDF2, 0.0);
    m.solver = TD_DOGLEG;
    const stable_step fine = smallest_stable_step(&m, 1.0);
    CHECK_BETWEEN(fine.dt, 0.9e-3, 1.3e-3);  // printed: 1.0 ms
    assert_int_equal(fine.below, STEP_FAILS);
    const double near[2] = {0.5e-3, 3e-3};  // from below and from above
    for (int i = 0; i < 2; i++) {
        const stable_step coarse = coarse_stable_step(&m, 1.0, near[i]);
        CHECK_BETWEEN(coarse.dt / fine.dt, 0.98, 1.03 * COARSE);
        CHECK_NEAR(remainder(log(coarse.dt / 5e-3), log(COARSE)), 0.0, 1e-9);
    }
}

// ---------------------------------------------------------------- appendix B
static void check_fall(td_integrator integrator, td_history history, const double *x,
                       const double *z) {
    const cantilever rod = till_appendix_b();
    method m = method_of(TD_COSSERAT, integrator, history, TD_BDF2, 0.0);
    m.nodes = 40;
    simulation s;
    open_or_fail(&s, &rod, &m, FROM_STRAIGHT);
    for (int i = 0; i < APPENDIX_B_SAMPLES; i++) {
        if (i > 0) advance_or_fail(&s, 5e-3);
        CHECK_NEAR(simulation_tip(&s).p[0], x[i], 1e-10);
        CHECK_NEAR(simulation_tip(&s).p[2], z[i], 1e-10);
    }
    simulation_close(&s);
}

static void the_listing_of_appendix_b_is_reproduced(void **unused) {
    (void)unused;
    check_fall(TD_RK4, TD_LINEAR, appendix_b_linear_x, appendix_b_linear_z);
    check_fall(TD_RK4, TD_CUBIC, appendix_b_cubic_x, appendix_b_cubic_z);
    check_fall(TD_EULER, TD_LINEAR, appendix_b_euler_x, appendix_b_euler_z);
}

// ---------------------------------------------------------------- section 4
static void peaks_of_a_sine_are_found_between_samples(void **unused) {
    (void)unused;
    double x[101];
    for (int i = 0; i <= 100; i++) x[i] = sin(6.0 * i * 0.01 + 0.123);
    tip_path p = {.dt = 0.01, .x = x, .n = 100};
    extreme peak[2], valley[2];
    assert_int_equal(find_extremes(&p, 1, peak, 2), 1);
    assert_int_equal(find_extremes(&p, -1, valley, 2), 1);
    CHECK_NEAR(peak[0].t, (0.5 * 3.14159265358979323846 - 0.123) / 6.0, 1e-5);
    CHECK_NEAR(peak[0].x, 1.0, 1e-6);
    CHECK_NEAR(valley[0].t, (1.5 * 3.14159265358979323846 - 0.123) / 6.0, 1e-5);
    CHECK_NEAR(valley[0].x, -1.0, 1e-6);
}

static void the_four_fits_of_table_5_describe_one_motion(void **unused) {
    (void)unused;
    double peak[N_COLUMNS], frequency[N_COLUMNS];
    for (int i = 0; i < N_COLUMNS; i++) {
        const column *c = &table5[i];
        cantilever rod = till_weight_release(c->bending, c->density, c->drag);
        method m = column_method(c);
        tip_path p;
        extreme peaks[32];
        assert_true(tip_path_run(&p, &rod, &m, 5e-3, 1.0) && p.completed);
        int n = find_extremes(&p, 1, peaks, 32);
        assert_int_equal(n, 6);
        peak[i] = peaks[n - 1].x;
        frequency[i] = (n - 1) / (peaks[n - 1].t - peaks[0].t);
        tip_path_free(&p);
    }
    // the parameters have three digits
    for (int i = 1; i < N_COLUMNS; i++) {
        CHECK_NEAR(peak[i] / peak[0], 1.0, 3e-3);
        CHECK_NEAR(frequency[i] / frequency[0], 1.0, 3e-4);
    }
}

// Figure 9: what the paper's method is compared with converges, and the method goes there too with
// smaller steps. (The hit shakes modes that no step here resolves: the order does not show yet.)
static void the_fine_solution_is_where_the_method_goes(void **unused) {
    (void)unused;
    const column *c = &table5[COSSERAT_RK4];
    const cantilever rod = till_impulse(c->bending, c->density, c->drag);
    method m = column_method(c);
    tip_path fine[3], method_path;
    const int parts[3] = {8, 16, 32};
    for (int i = 0; i < 3; i++)
        assert_true(tip_path_run_finely(&fine[i], &rod, 2e-3, parts[i], 0.2) && fine[i].completed);
    const double first = path_difference(&fine[0], &fine[1], rod.length).mean;
    const double second = path_difference(&fine[1], &fine[2], rod.length).mean;
    CHECK_BETWEEN(first / second, 1.8, 5.0);
    double off[2];
    for (int i = 0; i < 2; i++) {
        const int stride = i == 0 ? 1 : 2;  // 2 and 1 ms
        assert_true(tip_path_run(&method_path, &rod, &m, 2e-3 / stride, 0.2));
        assert_true(method_path.completed);
        off[i] = 0.0;
        for (long k = 0; k <= fine[2].n; k++)
            off[i] = fmax(off[i], fabs(method_path.x[k * stride] - fine[2].x[k]));
        tip_path_free(&method_path);
    }
    CHECK_BETWEEN(off[0] / off[1], 1.3, 5.0);
    for (int i = 0; i < 3; i++) tip_path_free(&fine[i]);
}

// ---------------------------------------------------------------- the robot files
static void check_file(const char *file, cantilever rod, method m, beginning from, double dt) {
    char path[512];
    td_error err = {0};
    snprintf(path, sizeof path, "%s/till2019/%s", PAPERS, file);
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    if (!robot) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_options options = td_robot_options(robot);
    td_scenario scenario = td_robot_scenario(robot);
    CHECK_NEAR(scenario.step, dt, 1e-15);
    assert_int_equal(scenario.start, from == FROM_STRAIGHT ? TD_START_STRAIGHT : TD_START_STATIC);
    world w = world_make(robot, &options);
    CHECK_CALL(&w, td_apply_signals(w.system, w.state, 0.0, TD_BEFORE));
    if (from == FROM_EQUILIBRIUM) CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    simulation s;
    open_or_fail(&s, &rod, &m, from);
    for (int i = 0; i < 10; i++) {
        CHECK_CALL(&w, td_advance(w.system, w.state, dt));
        advance_or_fail(&s, dt);
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip_of(&w).p[k], simulation_tip(&s).p[k], 1e-9);
    }
    simulation_close(&s);
    world_free(&w);
}

static void the_robot_files_are_the_rods_of_the_program(void **unused) {
    (void)unused;
    const column *c = &table5[COSSERAT_RK4];
    method printed = method_of(TD_COSSERAT, TD_RK4, TD_LINEAR, TD_BDF2, 0.0), listed = printed;
    listed.nodes = 40;
    check_file("benchmark.yaml", till_benchmark(), printed, FROM_EQUILIBRIUM, 5e-3);
    check_file("appendix-b.yaml", till_appendix_b(), listed, FROM_STRAIGHT, 5e-3);
    check_file("weight-release.yaml", till_weight_release(c->bending, c->density, c->drag),
               column_method(c), FROM_EQUILIBRIUM, 5e-3);
    check_file("impulse.yaml", till_impulse(c->bending, c->density, c->drag), column_method(c),
               FROM_EQUILIBRIUM, 2e-3);
}

// ---------------------------------------------------------------- the verb
static int count(const char *text, const char *word) {
    int n = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) n++;
    return n;
}

static void wrong_arguments_are_refused_with_what_there_is(void **unused) {
    (void)unused;
    char text[8192];
    assert_int_equal(run_program("till2018", text, sizeof text), 2);
    check_said(text, "did you mean 'till2019'?");
    assert_int_equal(run_program("till2019 --figure 4", text, sizeof text), 2);
    check_said(text, "'4' is not one that till2019 reproduces; there are: 2, 3, 5, 6, 7, 9, ");
    assert_int_equal(run_program("till2019 --quick --full", text, sizeof text), 2);
    check_said(text, "cannot be combined");
}

static void without_a_name_the_papers_are_listed(void **unused) {
    (void)unused;
    char text[8192];
    assert_int_equal(run_program("", text, sizeof text), 0);
    check_said(text, "till2019: J. Till, V. Aloi, C. Rucker");
    check_said(text, "appendix B");
}

static void check_written(const char *file) {
    char path[256];
    struct stat info;
    snprintf(path, sizeof path, "paper_till2019/%s", file);
    if (stat(path, &info) == 0 && info.st_size > 100) return;
    print_error("%s is missing or empty\n", path);
    fail();
}

static void a_quick_run_reports_and_draws_everything(void **unused) {
    (void)unused;
    static char text[1 << 17];
    int code = run_program("till2019 --quick --json --out paper_till2019", text, sizeof text);
    if (code != 0) print_error("%s\n", text);
    assert_int_equal(code, 0);
    assert_int_equal(text[0], '[');
    int quantities = count(text, "\"quantity\":");
    assert_true(quantities > 50);
    assert_int_equal(count(text, "\"paper\": \"till2019\""), quantities);
    assert_int_equal(count(text, "\"difference\":"), quantities);
    const char *const items[] = {"section 3",  "table 3",   "table 4",   "figure 2",
                                 "figure 3",   "table 5",   "figure 6",  "figure 7",
                                 "figure 11",  "figure 14", "figure 15", "figure 18",
                                 "appendix B", "figure 9",  "figure 10", "figure 13"};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        char words[64];
        snprintf(words, sizeof words, "\"item\": \"%s\"", items[i]);
        check_said(text, words);
    }
    const char *const files[] = {
        "quantities.csv", "table3.csv",   "table4.csv",     "figure2.csv",    "figure2.png",
        "figure3.csv",    "figure3.png",  "figure5.csv",    "figure5.png",    "figure6.csv",
        "figure6.png",    "figure7.csv",  "figure7.png",    "figure11.csv",   "figure11.png",
        "figure12.png",   "figure14.csv", "figure14.png",   "figure15.csv",   "figure15.png",
        "figure19.csv",   "figure19.png", "appendix-b.csv", "appendix-b.png", "figure9.png",
        "figure10.csv",   "figure10.png", "figure13.csv",   "figure13.png"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) check_written(files[i]);
}

// The time constant of figure2.csv for a scheme at a step, with cubic history.
static double drawn_time_constant(const char *scheme, const char *step) {
    char line[256], start[64];
    double linear, cubic = (double)NAN;
    FILE *in = fopen("paper_till2019/figure2.csv", "r");
    assert_non_null(in);
    snprintf(start, sizeof start, "%s,%s,", scheme, step);
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, start, strlen(start)) != 0) continue;
        const char *at = line + strlen(start);
        if (sscanf(at, "%lf,%lf", &linear, &cubic) != 2) sscanf(at, ",%lf", &cubic);
    }
    fclose(in);
    return cubic;
}

static void figure_2_draws_what_table_3_says(void **unused) {
    (void)unused;
    CHECK_NEAR(drawn_time_constant("alpha = -0.48", "0.005"),
               reported("paper_till2019", "time constant, RK4 cubic, alpha = -0.48"), 1e-6);
}

// Of the Euler-Bernoulli beam, and the share of exp(-2 t/tau) that a period takes.
static void the_benchmark_swings_nine_times_a_second(void **unused) {
    (void)unused;
    const double pi = 3.14159265358979323846, L = 0.4, r = 1e-3;
    const double beam = pow(1.8751040687119611 / L, 2.0) * sqrt(207e9 * r * r / 4.0 / 8000.0);
    const double theory = reported("paper_till2019", "oscillations in 1 s, lowest mode in theory");
    CHECK_NEAR(theory, beam / (2.0 * pi), 1e-6);
    CHECK_NEAR(reported("paper_till2019", "the same, from peak to peak of the tip") / theory, 1.0,
               0.01);
    CHECK_NEAR(reported("paper_till2019", "energy lost in a cycle, tau = 32 s"),
               100.0 * (1.0 - exp(-2.0 / (32.0 * theory))), 1e-6);
}

static void what_the_text_says_of_two_milliseconds_has_a_row(void **unused) {
    (void)unused;
    assert_true(reported("paper_till2019", "impulse, 2 ms, Cosserat, RK4, 100 nodes") > 0.0);
    check_reported("paper_till2019", "tip measured against simulated", "no data");
    CHECK_BETWEEN(reported("paper_till2019", "impulse, 2 ms: largest, of L"), 0.5, 5.0);
    assert_true(reported("paper_till2019", "smallest stable step, Euler, BDF2") > 0.0);
}

// Figure 10: lengths of legs found by collocation lead the plate to its pose by shooting.
static void the_platform_comes_to_both_poses(void **unused) {
    (void)unused;
    static const char *const poses[] = {"aside and tilted", "lower and twisted"};
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s: plate off", poses[i]);
        CHECK_BETWEEN(reported("paper_till2019", name), 0.0, 2e-3);  // mm
        snprintf(name, sizeof name, "%s: smallest eigenvalue", poses[i]);
        CHECK_BETWEEN(reported("paper_till2019", name), 0.05, 1.0);
    }
}

// Figure 13: without weight a tendon wound about a rod bends it by T r cos(pitch)/EI, in a direction
// that turns with it: both signs of every component.
static void the_wound_tendon_bends_to_both_sides(void **unused) {
    (void)unused;
    const double pi = 3.14159265358979323846, EI = 207e9 * pi * pow(0.4e-3, 4.0) / 4.0;
    const double bend = 4.0 * 9.5e-3 / EI * cos(atan(9.5e-3 * 2.0 * pi / 0.24));
    CHECK_NEAR(reported("paper_till2019", "curvature about y, smallest along the arm") / bend, -1.0,
               0.06);
    CHECK_NEAR(reported("paper_till2019", "curvature about y, largest along the arm") / bend, 1.0,
               0.06);
    CHECK_BETWEEN(reported("paper_till2019", "tip, collocation and shooting apart"), 0.0, 1e-7);
    CHECK_BETWEEN(reported("paper_till2019", "overshoot of the tip"), 20.0,
                  100.0);  // undamped: 100
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mode_decays_as_theory_says),
        cmocka_unit_test(bdf3_grows_below_its_limit_and_decays_above),
        cmocka_unit_test(an_exponential_is_recovered),
        cmocka_unit_test(the_fit_is_the_least_squares_optimum),
        cmocka_unit_test(benchmark_trajectories_are_those_of_the_reference),
        cmocka_unit_test(damping_time_constants_are_those_of_the_reference),
        cmocka_unit_test(linear_history_feeds_energy_in_and_cubic_does_not),
        cmocka_unit_test(bdf3_is_stable_from_the_step_of_theory_on),
        cmocka_unit_test(the_coarse_search_brackets_the_fine_one),
        cmocka_unit_test(the_listing_of_appendix_b_is_reproduced),
        cmocka_unit_test(peaks_of_a_sine_are_found_between_samples),
        cmocka_unit_test(the_four_fits_of_table_5_describe_one_motion),
        cmocka_unit_test(the_fine_solution_is_where_the_method_goes),
        cmocka_unit_test(the_robot_files_are_the_rods_of_the_program),
        cmocka_unit_test(wrong_arguments_are_refused_with_what_there_is),
        cmocka_unit_test(without_a_name_the_papers_are_listed),
        cmocka_unit_test(a_quick_run_reports_and_draws_everything),
        cmocka_unit_test(figure_2_draws_what_table_3_says),
        cmocka_unit_test(what_the_text_says_of_two_milliseconds_has_a_row),
        cmocka_unit_test(the_platform_comes_to_both_poses),
        cmocka_unit_test(the_wound_tendon_bends_to_both_sides),
        cmocka_unit_test(the_benchmark_swings_nine_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
