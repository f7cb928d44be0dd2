// Searches over the parameters of studies: against closed forms, and against the adjoint's slopes where they end.
#include "tendril/optimise.h"

#include <stdlib.h>
#include <string.h>

#include "study/knot_slopes.h"
#include "study/rest_slopes.h"
#include "tendril/gradient.h"

#include "studies.h"

static td_optimum *optimum_of(const td_study *s, const td_optimise_options *o) {
    td_error err = {0};
    td_optimum *found = td_optimise(s, o, &err);
    if (!found) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(found);
    return found;
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static double value(const td_optimum *o, int i) {
    return td_optimum_get_parameter(o, i).value;
}

// ---------------------------------------------------------------- without a robot
// Hock and Schittkowski's problem 71: x1 x4 (x1 + x2 + x3) + x3 where x1 x2 x3 x4 >= 25, sum of squares 40.
static void a_problem_of_the_books_is_solved_by_every_method_that_can(void **unused) {
    (void)unused;
    static const char *const methods[] = {"auto", "slsqp", "cobyla"};
    static const double best[4] = {1.0, 4.742999637, 3.821149979, 1.379408294};
    for (int m = 0; m < 3; m++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "study: 1\n"
                 "parameters: {a: {range: [1, 5], start: 1}, b: {range: [1, 5], start: 5}, "
                 "c: {range: [1, 5], start: 5}, d: {range: [1, 5], start: 1}}\n"
                 "results: {cost: a*d*(a + b + c) + c, product: a*b*c*d, squares: a^2 + b^2 + c^2 "
                 "+ d^2}\n"
                 "optimise: {minimise: cost, subject_to: ['product >= 25', 'squares = 40'], "
                 "method: %s, iterations: 20000}\n",
                 methods[m]);
        td_study *s = study_of(text);
        td_optimum *o = optimum_of(s, NULL);
        if (td_optimum_status(o)) fprintf(stderr, "%s: %s\n", methods[m], td_optimum_message(o));
        assert_int_equal(td_optimum_status(o), TD_OK);
        CHECK_NEAR(td_optimum_value(o), 17.0140173, 1e-5);
        for (int i = 0; i < 4; i++) CHECK_NEAR(value(o, i), best[i], m == 2 ? 1e-3 : 1e-6);
        assert_true(td_optimum_get_bound(o, 0).active && td_optimum_get_bound(o, 1).met);
        if (m < 2) {
            // the multipliers of the book: -0.55229366 of the product, 0.16146857 of the squares
            CHECK_NEAR(td_optimum_get_bound(o, 0).price, 0.55229366, 1e-5);
            CHECK_NEAR(td_optimum_get_bound(o, 1).price, -0.16146857, 1e-5);
            CHECK_NEAR(td_optimum_slope(o), 0.0, 1e-6);
            assert_true(td_optimum_get_parameter(o, 0).at_bound);
            assert_false(td_optimum_get_parameter(o, 1).at_bound);
        } else assert_string_equal(td_optimum_slopes(o), "none");
        td_optimum_destroy(o);
        td_study_destroy(s);
    }
}

// (x^2 + y - 11)^2 + (x + y^2 - 7)^2 has four valleys (Himmelblau); with - x - y the lowest of them is one.
static void lists_are_tried_in_all_combinations_and_searches_look_everywhere(void **unused) {
    (void)unused;
    td_study *s =
        study_of("study: 1\n"
                 "parameters: {x: {range: [-5, 5]}, n: {values: [1, 2, 3]}, m: {values: [0, 4]}}\n"
                 "results: {y: (x - n)^2 + (n - 2)^2*m + 0.1*m}\n"
                 "optimise: {maximise: 5 - y}\n");
    td_optimum *o = optimum_of(s, NULL);
    double values[3];
    assert_int_equal(td_optimum_n_combinations(o), 6);
    CHECK_NEAR(td_optimum_value(o), 5.0, 1e-12);  // m = 0, any n: the first
    CHECK_NEAR(value(o, 0), 1.0, 1e-6);
    const td_optimum_combination c = td_optimum_get_combination(o, 3, values);  // n = 2, m = 4
    CHECK_NEAR(values[1], 2.0, 0.0);
    CHECK_NEAR(values[2], 4.0, 0.0);
    CHECK_NEAR(values[0], 2.0, 1e-6);
    CHECK_NEAR(c.value, 4.6, 1e-12);
    td_optimum_destroy(o);
    td_study_destroy(s);
    static const char *const methods[] = {"direct", "isres"};
    for (int m = 0; m < 2; m++) {
        char text[512];
        snprintf(text, sizeof text,
                 "study: 1\nparameters: {x: {range: [-5, 5]}, y: {range: [-5, 5]}}\n"
                 "results: {f: (x^2 + y - 11)^2 + (x + y^2 - 7)^2 - x - y}\n"
                 "optimise: {minimise: f, method: %s, iterations: 2000}\n",
                 methods[m]);
        s = study_of(text);
        o = optimum_of(s, NULL);
        CHECK_NEAR(value(o, 0), 3.0, 0.1);
        CHECK_NEAR(value(o, 1), 2.0, 0.1);
        CHECK_BETWEEN(td_optimum_value(o), -5.1, -5.0);
        td_optimum_destroy(o);
        td_study_destroy(s);
    }
}

// ---------------------------------------------------------------- the lightest cantilever
#define PIECES 6
#define BEAM_FILE "test_optimise_beam.yaml"

// A cantilever of pieces with sections of area a_i (radius r_i), whose tip gives d = sum_i c_i/a_i^2 under a force F, c_i = 4 pi F
// integral (L - s)^2 ds/E: the lightest has a_i = (2 c_i/(mu l))^(1/3), and as l_i are equal a_i ~ c_i^(1/3).
static void the_lightest_cantilever_of_a_given_stiffness_is_that_of_the_formula(void **unused) {
    (void)unused;
    const double L = 0.6, E = 2e9, pi = acos(-1.0), force = 1e-3, give = 2e-5, l = L / PIECES;
    char beam[2048], text[4096];
    int n = snprintf(
        beam, sizeof beam,
        "tendril: 1\ngravity: [0, 0, 0]\nmaterials: {m: {youngs_modulus: 2 GPa, poisson_ratio: "
        "0.3, density: 1000}}\nrods:\n  - name: beam\n    material: m\n    pieces:\n");
    for (int i = 0; i < PIECES; i++)
        n += snprintf(beam + n, sizeof beam - (size_t)n,
                      "      - {length: 0.1, section: {radius: 5 mm}}\n");
    snprintf(beam + n, sizeof beam - (size_t)n,
             "loads: [{at: tip, force: [1 mN, 0, 0]}]\nsimulation: {theory: kirchhoff, space: "
             "{nodes: 4, elements: 6}}\n");
    write_text(BEAM_FILE, beam);
    n = snprintf(text, sizeof text, "study: 1\nrobot: " BEAM_FILE "\nparameters:\n");
    for (int i = 0; i < PIECES; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  r%d: {path: rods.beam.pieces.%d.section.radius, range: [0.5 mm, 12 mm]}\n",
                      i + 1, i);
    snprintf(text + n, sizeof text - (size_t)n,
             "results: {mass: mass, give: tip.x}\noptimise: {minimise: mass, subject_to: ['give <= "
             "20 um'], tolerance: 1e-8}\n");
    td_study *s = study_of(text);
    td_optimum *o = optimum_of(s, NULL);
    double c[PIECES], a[PIECES], mu = 0.0, mass = 0.0;
    for (int i = 0; i < PIECES; i++) {
        const double far = L - i * l, near = L - (i + 1) * l;
        c[i] = 4.0 * pi * force / E * (far * far * far - near * near * near) / 3.0;
        mu += pow(c[i], 1.0 / 3.0);
    }
    for (int i = 0; i < PIECES; i++) {
        a[i] = pow(c[i], 1.0 / 3.0) * sqrt(mu / give);
        mass += 1000.0 * a[i] * l;
    }
    if (td_optimum_status(o)) fprintf(stderr, "%s\n", td_optimum_message(o));
    assert_int_equal(td_optimum_status(o), TD_OK);
    CHECK_NEAR(td_optimum_value(o) / mass, 1.0, 1e-5);
    for (int i = 0; i < PIECES; i++) CHECK_NEAR(value(o, i) / sqrt(a[i] / pi), 1.0, 1e-3);
    assert_string_equal(td_optimum_slopes(o), "exact");
    // d mass/d give = - mass/(2 give)
    CHECK_NEAR(td_optimum_get_bound(o, 0).price / (-mass / (2.0 * give)), 1.0, 1e-3);
    CHECK_NEAR(td_optimum_slope(o), 0.0, 1e-4);
    td_error err = {0};
    char *robot = td_optimum_write(o, &err);
    assert_non_null(robot);
    td_robot *found = td_robot_parse(robot, strlen(robot), "found", NULL, 0, &err);
    double radius = 0.0;
    CHECK_OK(td_robot_get_number(found, "rods.beam.pieces.0.section.radius", &radius, &err), err);
    CHECK_NEAR(radius, value(o, 0), 0.0);
    td_robot_destroy(found);
    td_free_text(robot);
    td_optimum_destroy(o);
    td_study_destroy(s);
    remove(BEAM_FILE);
}

// ---------------------------------------------------------------- slopes at rest
#define REST_FILE "test_optimise_rest.yaml"

// By numbers of the file, a setting that follows from one, an input; of places, turns, the mass, an earlier result.
static void slopes_at_rest_are_those_of_differences(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "ebr", "constant_curvature"};
    enum { P = 4, R = 4 };
    for (int m = 0; m < 3; m++) {
        char robot[1024];
        snprintf(robot, sizeof robot,
                 "tendril: 1\nmaterials: {m: {youngs_modulus: 2 MPa, poisson_ratio: 0.4, density: "
                 "1100}}\n"
                 "rods: [{name: arm, length: 0.2, material: m, section: {radius: 8 mm}}]\n"
                 "tendons: [{name: pull, offset: [6 mm, 2 mm]}]\n"
                 "inputs: {pull: 3 N}\nsimulation: {model: %s}\n",
                 models[m]);
        write_text(REST_FILE, robot);
        td_study *s = study_of(
            "study: 1\nrobot: " REST_FILE "\n"
            "parameters:\n"
            "  E: {path: materials.m.youngs_modulus, range: [1 MPa, 4 MPa]}\n"
            "  L: {path: rods.arm.length, range: [0.1, 0.3]}\n"
            "  r: {range: [5 mm, 10 mm]}\n"
            "  pull: {input: pull, range: [0 N, 6 N]}\n"
            "set: {rods.arm.section.radius: r, tendons.pull.offset.x: 0.75*r}\n"
            "results: {far: 'hypot(tip.x, tip.y)', turn: tip.turn_y, heavy: mass + 0.1*far, "
            "all: heavy*turn + r*input.pull}\n"
            "optimise: {minimise: all}\n");
        const bool every[P] = {true, true, true, true};
        double x[P] = {2.1e6, 0.19, 7.5e-3, 2.5}, steps[P] = {2e2, 2e-5, 1e-6, 1e-4};
        double results[R], J[R * P], plus[R], minus[R];
        td_error err = {0};
        assert_true(rest_slopes_exist(s));
        const td_status status = rest_slopes(s, every, x, steps, results, J, &err);
        if (status < 0) fprintf(stderr, "%s: %s\n", models[m], err.message);
        assert_true(status >= 0);
        td_study_worker *w = td_study_worker_create(s);
        for (int p = 0; p < P; p++) {
            const double at = x[p], h = 2.0 * steps[p];
            x[p] = at + h;
            assert_true(td_study_compute(w, x, plus) >= 0);
            x[p] = at - h;
            assert_true(td_study_compute(w, x, minus) >= 0);
            x[p] = at;
            for (int i = 0; i < R; i++) {
                const double slope = at * (plus[i] - minus[i]) / (2.0 * h);
                CHECK_NEAR(at * J[i * P + p], slope, 1e-6 * (fabs(slope) + 0.1));
            }
        }
        td_study_worker_destroy(w);
        td_study_destroy(s);
    }
    remove(REST_FILE);
}

// ---------------------------------------------------------------- inputs over time
#define SWING_FILE "test_optimise_swing.yaml"
#define SWING(model)                                                                               \
    "tendril: 1\n"                                                                                 \
    "materials: {rubber: {youngs_modulus: 2 MPa, poisson_ratio: 0.45, density: 1100}}\n"           \
    "rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 6 mm}, damping: {time: "  \
    "10 ms}, "                                                                                     \
    "base: {direction: [0, 0, -1]}}]\n"                                                            \
    "loads: [{name: bend, at: tip, moment: [0, bend, 0]}]\ninputs: {bend: 0 N m}\n"                \
    "simulation: {" model "time: {scheme: sdirk2, step: 10 ms, end: 0.5 s}}\n"

#define SWING_STUDY(bounds, range)                                                                 \
    "study: 1\nrobot: " SWING_FILE "\naction: run\n"                                               \
    "parameters: {u: {input: bend, from: 0, knots: [0.1, 0.2, 0.3, 0.4, 0.5], range: " range       \
    "}}\n"                                                                                         \
    "results: {effort: integral((1000*input.bend)^2), x: tip.x, vx: tip.velocity_x, vz: "          \
    "tip.velocity_z, peak: max(1000*input.bend)}\n"                                                \
    "optimise: {minimise: effort, subject_to: [" bounds "], tolerance: 1e-8}\n"

// Slopes along the motion are those of differences.
static void slopes_by_knots_are_those_of_differences(void **unused) {
    (void)unused;
    write_text(SWING_FILE, SWING(""));
    td_study *s = study_of(SWING_STUDY("'x = 0.05'", "[-0.02, 0.02]"));
    const bool all[5] = {true, true, true, true, true};
    double x[5] = {0.003, 0.006, -0.002, 0.001, 0.004}, J[25], results[5], plus[5], minus[5];
    td_error err = {0};
    assert_true(knot_slopes_exist(s, all));
    const td_status status = knot_slopes(s, all, x, results, J, &err);
    if (status < 0) fprintf(stderr, "%s\n", err.message);
    assert_true(status >= 0);
    td_study_worker *w = td_study_worker_create(s);
    assert_true(td_study_compute(w, x, plus) >= 0);
    for (int i = 0; i < 5; i++) CHECK_NEAR(results[i], plus[i], 1e-8 * (fabs(plus[i]) + 1e-2));
    for (int p = 0; p < 5; p++) {
        const double h = 1e-5, at = x[p];
        x[p] = at + h;
        assert_true(td_study_compute(w, x, plus) >= 0);
        x[p] = at - h;
        assert_true(td_study_compute(w, x, minus) >= 0);
        x[p] = at;
        for (int i = 0; i < 5; i++) {
            const double slope = (plus[i] - minus[i]) / (2.0 * h);
            CHECK_NEAR(J[i * 5 + p], slope, 1e-6 * (fabs(slope) + 1.0));
        }
    }
    td_study_worker_destroy(w);
    td_study_destroy(s);
    remove(SWING_FILE);
}

// By the adjoint, with code of its own: d(effort)/du and d(x, vx, vz at the end)/du by knots, and the least that prices of
// the three equations leave of it.
static double left_by_adjoint(const td_optimum *o, int n_bounds, const bool *at_bound) {
    enum { STEPS = 50 };
    td_error err = {0};
    double inputs[STEPS], wanted[3][STEPS * 12] = {{0.0}}, by[3][STEPS], g[5] = {0.0},
                                            A[3][5] = {{0.0}};
    char *text = td_optimum_write(o, &err);
    td_robot *robot = td_robot_parse(text, strlen(text), "swing", NULL, 0, &err);
    const td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *state = td_state_create(system);
    const td_output outputs[2] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.3},
                                  {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.3}};
    td_gradient_options go = td_default_gradient_options();
    go.outputs = outputs, go.n_outputs = 2, go.n_steps = STEPS;
    td_gradient *grad = td_gradient_create(system, &go, &err);
    assert_non_null(grad);
    double u[6] = {0.0};
    for (int k = 0; k < 5; k++) u[k + 1] = value(o, k);
    for (int j = 0; j < STEPS; j++) {
        const double t = (j + 1) * 0.1;  // in knots
        const int k = (int)fmin(floor(t), 4.0);
        inputs[j] = u[k] + (t - k) * (u[k + 1] - u[k]);
    }
    assert_true(td_begin(system, state) >= 0);
    assert_true(td_gradient_run(grad, state, 0.01, inputs, NULL, NULL) >= 0);
    const int place[3] = {3, 6 + 3, 6 + 5};  // x; vx and vz
    for (int i = 0; i < 3; i++) {
        wanted[i][(STEPS - 1) * 12 + place[i]] = 1.0;
        const td_gradient_result r = {.by_inputs = by[i]};
        assert_true(td_gradient_adjoint(grad, wanted[i], &r) >= 0);
    }
    for (int j = 0; j < STEPS; j++) {
        const double t = (j + 1) * 0.1;
        const int k = (int)fmin(floor(t), 4.0);
        const double weight = j + 1 < STEPS ? 0.01 : 0.005;  // trapezoids
        for (int side = 0; side < 2; side++) {
            const int knot = k + side - 1;  // u[0] is no knot
            const double share = side ? t - k : 1.0 - (t - k);
            if (knot < 0) continue;
            g[knot] += share * weight * 2e6 * inputs[j];
            for (int i = 0; i < 3; i++) A[i][knot] += share * by[i][j];
        }
    }
    // Gram and Schmidt: what of g is not in the span of the rows of A, over the knots that are free
    double size = 0.0, left = 0.0;
    for (int k = 0; k < 5; k++) {
        size += g[k] * g[k];
        if (!at_bound[k]) continue;
        g[k] = 0.0;
        for (int i = 0; i < 3; i++) A[i][k] = 0.0;
    }
    for (int i = 0; i < n_bounds; i++) {
        double length = 0.0, along = 0.0;
        for (int k = 0; k < 5; k++) length += A[i][k] * A[i][k];
        for (int k = 0; k < 5; k++) A[i][k] /= sqrt(length), along += A[i][k] * g[k];
        for (int k = 0; k < 5; k++) g[k] -= along * A[i][k];
        for (int l = i + 1; l < n_bounds; l++) {
            double common = 0.0;
            for (int k = 0; k < 5; k++) common += A[i][k] * A[l][k];
            for (int k = 0; k < 5; k++) A[l][k] -= common * A[i][k];
        }
    }
    for (int k = 0; k < 5; k++) left += g[k] * g[k];
    td_gradient_destroy(grad);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    td_free_text(text);
    return sqrt(left / size);
}

static void a_swing_to_rest_of_least_effort_leaves_the_adjoint_no_slope(void **unused) {
    (void)unused;
    write_text(SWING_FILE, SWING(""));
    const bool none[5] = {false};
    td_study *s = study_of(SWING_STUDY("x = 60 mm, vx = 0, vz = 0", "[-0.05, 0.05]"));
    td_optimum *o = optimum_of(s, NULL);
    if (td_optimum_status(o)) fprintf(stderr, "%s\n", td_optimum_message(o));
    assert_int_equal(td_optimum_status(o), TD_OK);
    assert_string_equal(td_optimum_slopes(o), "exact");
    CHECK_NEAR(td_optimum_get_result(o, 1), 0.06, 1e-8);
    CHECK_NEAR(td_optimum_get_result(o, 2), 0.0, 1e-7);
    CHECK_NEAR(left_by_adjoint(o, 3, none), 0.0, 1e-5);
    CHECK_NEAR(td_optimum_slope(o), 0.0, 1e-5);
    // with less room: what is at its bound has no say
    td_study *t = study_of(SWING_STUDY("x = 60 mm, vx = 0, vz = 0", "[-0.005, 0.005]"));
    td_optimum *b = optimum_of(t, NULL);
    assert_int_equal(td_optimum_status(b), TD_OK);
    bool at_bound[5];
    int stopped = 0;
    for (int k = 0; k < 5; k++) {
        at_bound[k] = td_optimum_get_parameter(b, k).at_bound, stopped += at_bound[k];
        if (at_bound[k]) CHECK_NEAR(fabs(value(b, k)), 0.005, 1e-12);
    }
    assert_int_equal(stopped, 1);
    assert_true(td_optimum_value(b) > td_optimum_value(o));
    CHECK_NEAR(left_by_adjoint(b, 3, at_bound), 0.0, 1e-5);
    // differences find the same
    td_optimise_options by_differences = td_default_optimise_options();
    by_differences.differences = true, by_differences.threads = 2;
    td_optimum *d = optimum_of(s, &by_differences);
    assert_string_equal(td_optimum_slopes(d), "central differences");
    CHECK_NEAR(td_optimum_value(d) / td_optimum_value(o), 1.0, 1e-6);
    td_optimum_destroy(d);
    td_optimum_destroy(b);
    td_optimum_destroy(o);
    td_study_destroy(t);
    td_study_destroy(s);
    // and with too little there is none
    t = study_of(SWING_STUDY("x = 60 mm", "[-0.001, 0.001]"));
    b = optimum_of(t, NULL);
    assert_int_equal(td_optimum_status(b), TD_ERR_NOT_CONVERGED);
    assert_non_null(strstr(td_optimum_message(b), "nothing was found that meets 'x = 60 mm'"));
    td_optimum_destroy(b);
    td_study_destroy(t);
    remove(SWING_FILE);
}

// ---------------------------------------------------------------- a straight line
#define LINE_FILE "test_optimise_line.yaml"

// A blade of w x h whose axes are turned by 30 degrees, bent by a tendon at (a, b) in these: its curvatures are T a/(E h w^3/12)
// and T b/(E w h^3/12), all along, so that its tip leaves the base along x where (a/w^2, b/h^2) points that way.
static void offsets_of_a_tendon_that_draws_a_straight_line_are_those_of_the_formula(void **unused) {
    (void)unused;
    const double pi = acos(-1.0), w = 4e-3, h = 6e-3;
    write_text(
        LINE_FILE,
        "tendril: 1\ngravity: [0, 0, 0]\n"
        "materials: {m: {youngs_modulus: 5 MPa, poisson_ratio: 0.45, density: 1000}}\n"
        "rods: [{name: blade, length: 0.2, material: m, section: {width: 4 mm, height: 6 mm}, "
        "damping: {time: 50 ms}, "
        "base: {rotation: [0, 0, 30 deg]}}]\n"
        "tendons: [{name: pull, offset: [3 mm, 1 mm]}]\n"
        "inputs: {pull: {ramp: {to: 0.2 N, duration: 100 s}}}\n"
        "simulation: {theory: kirchhoff, space: {nodes: 6}, time: {step: 5 s, end: 100 s}}\n");
    td_study *s = study_of("study: 1\nrobot: " LINE_FILE "\naction: run\n"
                           "parameters:\n"
                           "  a: {path: tendons.pull.offset.x, range: [1 mm, 6 mm]}\n"
                           "  b: {path: tendons.pull.offset.y, range: [-8 mm, 8 mm]}\n"
                           "results: {aside: rms(tip.y), far: tip.x}\n"
                           "optimise: {minimise: aside^2, subject_to: ['far = 60 mm']}\n");
    td_optimum *o = optimum_of(s, NULL);
    if (td_optimum_status(o)) fprintf(stderr, "%s\n", td_optimum_message(o));
    assert_int_equal(td_optimum_status(o), TD_OK);
    CHECK_NEAR(value(o, 1) / value(o, 0), -tan(pi / 6.0) * h * h / (w * w), 1e-4);
    CHECK_NEAR(td_optimum_get_result(o, 0), 0.0, 1e-6);
    CHECK_NEAR(td_optimum_get_result(o, 1), 0.06, 1e-7);
    td_optimum_destroy(o);
    td_study_destroy(s);
    remove(LINE_FILE);
}

// ---------------------------------------------------------------- refusals
static void wrong_aims_are_refused_with_their_place(void **unused) {
    (void)unused;
#define HEAD "study: 1\nparameters: {x: {range: [0, 1]}}\nresults: {y: x^2}\n"
    static const char *const list[][3] = {
        {HEAD "optimise: {minimise: z}\n", "minimise", "no parameter or earlier result 'z'"},
        {HEAD "optimise: {minimise: y +}\n", "minimise", "ends where"},
        {HEAD "optimise: {}\n", "optimise", "one of 'minimise' and 'maximise'"},
        {HEAD "optimise: {minimise: y, maximise: x}\n", "optimise",
         "one of 'minimise' and 'maximise'"},
        {HEAD "optimise: {minimise: y, subject_to: [y]}\n", "subject_to", "compares nothing"},
        {HEAD "optimise: {minimise: y, subject_to: [y <= q]}\n", "subject_to", "'q'"},
        {"study: 1\nparameters: {x: {range: [0 m, 1 m]}}\nresults: {y: {value: x, unit: m}}\n"
         "optimise: {minimise: y, subject_to: [y = 2 kg]}\n",
         "subject_to", "a length (m) and a mass (kg) do not compare"},
        {HEAD "optimise: {minimise: y, tolerance: 2}\n", "tolerance", "between 0 and 1"},
        {HEAD "optimise: {minimise: y, method: newton}\n", "method", "newton"},
        {"study: 1\nparameters: {x: {normal: {mean: 1, deviation: 1}}}\nresults: {y: x}\noptimise: "
         "{minimise: y}\n",
         "optimise", "'x' has no bounds"},
        {"study: 1\nparameters: {x: {range: [0, 1], start: 2}}\nresults: {y: x}\noptimise: "
         "{minimise: y}\n",
         "start", "2 is not within 0 and 1"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        td_error err = {0};
        assert_null(td_study_parse(list[i][0], strlen(list[i][0]), NULL, NULL, 0, &err));
        if (!strstr(err.where, list[i][1]) || !strstr(err.message, list[i][2]))
            fprintf(stderr, "%s: %s\n  is not about %s: %s\n", err.where, err.message, list[i][1],
                    list[i][2]),
                fail();
    }
    td_error err = {0};
    td_study *s = study_of(HEAD);
    assert_null(td_optimise(s, NULL, &err));
    assert_non_null(strstr(err.message, "has no 'optimise'"));
    td_study_destroy(s);
    s = study_of(HEAD "optimise: {minimise: y, subject_to: [y >= 0.1], method: bobyqa}\n");
    assert_null(td_optimise(s, NULL, &err));
    assert_non_null(strstr(err.message, "knows no bounds of results"));
    td_study_destroy(s);
    s = study_of("study: 1\nparameters: {x: {range: [0, 1]}}\nresults: {y: log(x - 2)}\noptimise: "
                 "{minimise: y}\n");
    assert_null(td_optimise(s, NULL, &err));
    assert_non_null(strstr(err.message, "not a finite number"));
    td_study_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_of_the_books_is_solved_by_every_method_that_can),
        cmocka_unit_test(lists_are_tried_in_all_combinations_and_searches_look_everywhere),
        cmocka_unit_test(the_lightest_cantilever_of_a_given_stiffness_is_that_of_the_formula),
        cmocka_unit_test(slopes_at_rest_are_those_of_differences),
        cmocka_unit_test(slopes_by_knots_are_those_of_differences),
        cmocka_unit_test(a_swing_to_rest_of_least_effort_leaves_the_adjoint_no_slope),
        cmocka_unit_test(offsets_of_a_tendon_that_draws_a_straight_line_are_those_of_the_formula),
        cmocka_unit_test(wrong_aims_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
