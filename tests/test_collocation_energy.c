// Energy in collocated rods: what the space leaves alone, and steps down to a microsecond.
#include "rods.h"

#include <string.h>

// The benchmark rod held by tip loads that an input scales: static at 1, and let go.
typedef struct release {
    const char *name;
    double force[3], moment[3];
} release;

static const release planar = {"planar", {-0.5, 0.0, 0.0}, {0.0, 0.0, 0.0}};
static const release spatial = {"3-D", {0.4, 0.5, 0.0}, {0.0, 0.0, 0.02}};
// 28 degrees of twist let go without any damping: thousands of radians per second
static const release violent = {"violent", {0.4, 0.5, 0.0}, {0.0, 0.0, 0.15}};
static const release axial = {"axial", {0.0, 0.0, 200.0}, {0.0, 0.0, 0.0}};

static world let_go(const release *r, const td_options *o) {
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    int hold = add_input(robot, "hold");
    td_load_def load = point_load("tip", piece.length);
    for (int i = 0; i < 3; i++) {
        load.force[i] = (td_number){0.0, r->force[i], hold};
        load.moment[i] = (td_number){0.0, r->moment[i], hold};
    }
    add_load(robot, &load);
    world w = world_make(robot, o);
    td_set_input(w.system, w.state, hold, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, hold, 0.0);
    return w;
}

static td_options options_with(td_theory theory, td_scheme scheme, double alpha, int nodes) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    o.scheme = scheme, o.alpha = alpha;
    o.nodes = nodes;
    return o;
}

static double stored(const world *w) {
    td_energy e = td_get_energy(w->system, w->state);
    return e.kinetic + e.elastic + e.gravity;
}

// ---------------------------------------------------------------- no trend
static void check_no_trend(td_theory theory, int n) {
    td_options o = options_with(theory, TD_TRAPEZOIDAL, 0.0, 8);
    world w = let_go(&planar, &o);
    for (int i = 0; i < 4; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    double sum = 0.0, moment = 0.0, low = HUGE_VAL, high = 0.0;
    for (int i = 0; i < n; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
        double e = stored(&w), t = (i - 0.5 * (n - 1)) / n;
        sum += e, moment += t * e;
        low = fmin(low, e), high = fmax(high, e);
    }
    double mean = sum / n;
    CHECK_NEAR(low / mean, 1.0, 3e-4);
    CHECK_NEAR(high / mean, 1.0, 3e-4);
    CHECK_NEAR(12.0 * moment / n / mean, 0.0, 2e-6);  // the least-squares slope times the run
    world_free(&w);
}

static void without_damping_the_energy_has_no_trend_over_10000_steps(void **unused) {
    (void)unused;
    // with the trapezoidal rule, after the start, which takes what the step cannot resolve
    check_no_trend(TD_COSSERAT, 10000);
    check_no_trend(TD_KIRCHHOFF, 4000);
}

// ---------------------------------------------------------------- small steps
static const struct {
    const char *name;
    td_scheme scheme;
    double alpha;
} schemes[5] = {{"BDF2", TD_BDF2, 0.0},
                {"BDF-alpha -0.2", TD_BDF_ALPHA, -0.2},
                {"BDF-alpha -0.48", TD_BDF_ALPHA, -0.48},
                {"trapezoidal", TD_TRAPEZOIDAL, 0.0},
                {"SDIRK2", TD_SDIRK2, 0.0}};

// Strains are found to 1e-10, so rates to 3e-4 rad/s at a microsecond: beside those of the motion
// this allows for a millionth of the energy.
#define ROUND_OFF 1e-6

// True: all steps were taken and the energy never exceeded that of the start.
static bool runs(const release *r, td_theory theory, int scheme, int nodes, double dt, int steps) {
    td_options o = options_with(theory, schemes[scheme].scheme, schemes[scheme].alpha, nodes);
    world w = let_go(r, &o);
    double start = stored(&w), largest = 0.0;
    int taken = 0;
    while (taken < steps && td_step(w.system, w.state, dt) >= 0) {
        largest = fmax(largest, stored(&w) / start);
        taken++;
    }
    bool fine = taken == steps && largest <= 1.0 + ROUND_OFF;
    if (!fine)
        print_error(
            "%s, %s, %s, %d nodes, %g s: %d of %d steps, energy up to %.6g of the start%s%s\n",
            r->name, theory == TD_KIRCHHOFF ? "Kirchhoff" : "Cosserat", schemes[scheme].name, nodes,
            dt, taken, steps, largest, taken < steps ? "; " : "",
            taken < steps ? td_message(w.state) : "");
    world_free(&w);
    return fine;
}

// Every second-order scheme at steps of 10 ms to 1 us.
static void check_steps(const release *r, td_theory theory, int nodes, int steps) {
    const double dts[5] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    bool fine = true;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) fine = runs(r, theory, i, nodes, dts[k], steps) && fine;
    assert_true(fine);
}

static void a_planar_release_runs_at_any_step(void **unused) {
    (void)unused;
    check_steps(&planar, TD_COSSERAT, 8, 100);
    check_steps(&planar, TD_KIRCHHOFF, 6, 100);
}

static void a_release_in_space_runs_at_any_step(void **unused) {
    (void)unused;
    check_steps(&spatial, TD_COSSERAT, 8, 100);
    check_steps(&spatial, TD_KIRCHHOFF, 6, 100);
}

static void undamped_axial_waves_run_at_any_step(void **unused) {
    (void)unused;
    check_steps(&axial, TD_COSSERAT, 6, 100);
    check_steps(&axial, TD_COSSERAT, 10, 100);
}

static void a_violent_release_of_torque_runs_at_any_step_cosserat(void **unused) {
    (void)unused;
    check_steps(&violent, TD_COSSERAT, 6, 100);
    check_steps(&violent, TD_COSSERAT, 8, 100);
}

static void a_violent_release_of_torque_runs_at_any_step_kirchhoff(void **unused) {
    (void)unused;
    check_steps(&violent, TD_KIRCHHOFF, 5, 100);
    check_steps(&violent, TD_KIRCHHOFF, 6, 100);
}

// ---------------------------------------------------------------- few nodes
#define RELEASED 500
static void release_path(int nodes, double path[RELEASED][3]) {
    td_options o = options_with(TD_KIRCHHOFF, TD_BDF_ALPHA, -0.2, nodes);
    world w = let_go(&planar, &o);
    for (int i = 0; i < RELEASED; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 1e-3));
        memcpy(path[i], tip_of(&w).p, 3 * sizeof(double));
    }
    world_free(&w);
}

// Against 24 nodes at the same step of 1 ms, in lengths of the rod.
static void a_release_needs_few_nodes(void **unused) {
    (void)unused;
    static const double most[3] = {2e-4, 4e-5, 1e-6};
    static const int nodes[3] = {5, 6, 8};
    static double want[RELEASED][3], got[RELEASED][3];
    release_path(24, want);
    for (int i = 0; i < 3; i++) {
        double worst = 0.0;
        release_path(nodes[i], got);
        for (int k = 0; k < RELEASED; k++)
            worst = fmax(worst, hypot(got[k][0] - want[k][0], got[k][2] - want[k][2]) / 0.4);
        CHECK_BETWEEN(worst, 0.0, most[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_damping_the_energy_has_no_trend_over_10000_steps),
        cmocka_unit_test(a_planar_release_runs_at_any_step),
        cmocka_unit_test(a_release_in_space_runs_at_any_step),
        cmocka_unit_test(undamped_axial_waves_run_at_any_step),
        cmocka_unit_test(a_violent_release_of_torque_runs_at_any_step_cosserat),
        cmocka_unit_test(a_violent_release_of_torque_runs_at_any_step_kirchhoff),
        cmocka_unit_test(a_release_needs_few_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
