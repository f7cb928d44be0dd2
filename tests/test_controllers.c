// Controllers: what each says against its formula, closed loops against the matrices of steps, the best gain against Riccati's equation
// and the cost that a run has, a delay margin against the frequency response, and what is refused.
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "math/riccati.h"

#include "not_compiled.h"
#include "scene.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- robots
static const char *const arm =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 1 GPa, "
    "shear_modulus: 0.4 GPa, density: 1000}, damping: {time: 4 ms}}\n"
    "loads: [{name: tip, at: tip, force: [push, side, 0]}]\n"
    "simulation: {theory: kirchhoff, time: {scheme: sdirk2}, space: {nodes: 3}, solver: "
    "{tolerance: "
    "1e-14}}\n";

static scene rig_of(const char *rest) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", arm, rest);
    return scene_of(text, NULL, 0);
}

// ---------------------------------------------------------------- what they say
// A PID written out, on the same readings; limits stop its integral.
static void a_pid_says_its_formula(void **state) {
    (void)state;
    scene r =
        rig_of("sensors: [{name: tip, measures: tip.x}]\n"
               "controllers:\n"
               "  - {name: hold, inputs: push, period: 4 ms, limits: [-0.3 N, 0.3 N], pid: "
               "{sensor: tip, reference: \"0.02*sin(20*t)\", proportional: 10, integral: 300, "
               "derivative: 0.05, filter: 10 ms}}\n"
               "inputs: {push: \"0.01 N + 0.1 N*t\"}\n");
    scene_begin(&r);
    double I = 0.0, slope = 0.0, before = 0.0, said = 0.0;
    int limited = 0;
    for (int k = 0; k < 200; k++) {
        const double t = 2e-3 * k;
        double y;
        td_get_sensor(r.system, r.state, 0, &y, NULL);
        if (k % 2 == 0) {
            const double dt = k ? 4e-3 : 0.0, e = 0.02 * sin(20.0 * t) - y;
            if (k) slope += dt / (dt + 0.01) * ((e - before) / dt - slope);
            const double plain = 10.0 * e + 0.05 * slope, whole = plain + I + 300.0 * e * dt;
            if (fabs(whole) <= 0.3 || whole * e < 0.0) I += 300.0 * e * dt;
            before = e;
            said = fmin(fmax(plain + I, -0.3), 0.3);
            limited += fabs(said) == 0.3;
        }
        scene_advance(&r, 2e-3);
        CHECK_NEAR(scene_input(&r, "push"), 0.01 + 0.1 * (t + 2e-3) + said, 1e-12);
    }
    assert_true(limited > 5 && limited < 90);
    scene_end(&r);
}

// The tip cannot get where it should be while its input is at an end, so that an integral would grow and grow; it has not, so that
// the input leaves its end by the very command that follows the turn of the error.
static void an_input_leaves_its_end_when_the_error_turns(void **state) {
    (void)state;
    static const char *const limits[] = {"limits: {push: [-0.1 N, 0.2 N]}\n",
                                         "limits: {push: {rate: 0.1 N/s}}\n"};
    for (int i = 0; i < 2; i++) {
        char rest[512];
        snprintf(rest, sizeof rest,
                 "sensors: [{name: tip, measures: tip.x}]\n"
                 "controllers:\n"
                 "  - {name: hold, inputs: push, period: 4 ms, pid: {sensor: tip, reference: "
                 "\"0.1 - 0.2*step(t - 0.999)\", proportional: 0.5, integral: 20}}\n"
                 "%s",
                 limits[i]);
        scene r = rig_of(rest);
        scene_begin(&r);
        for (int k = 0; k < 500; k++) scene_advance(&r, 2e-3);
        const double before = scene_input(&r, "push");
        if (i == 0) CHECK_NEAR(before, 0.2, 0.0);
        else CHECK_BETWEEN(before, 0.09, 0.1 + 1e-12);
        scene_advance(&r, 2e-3);
        assert_true(scene_input(&r, "push") < before);
        scene_end(&r);
    }
}

// While it is off it takes no note of an error that it cannot mend: switched on it says P e, and I e dt more with each period.
static void switched_on_again_a_controller_starts_anew(void **state) {
    (void)state;
    scene r = rig_of("sensors: [{name: tip, measures: tip.x}]\n"
                     "controllers:\n"
                     "  - {name: hold, inputs: push, period: 4 ms, pid: {sensor: tip, reference: "
                     "0.01, proportional: 0.5, integral: 30}}\n");
    double tip;
    scene_begin(&r);
    for (int k = 0; k < 201; k++) scene_advance(&r, 2e-3);
    assert_true(scene_input(&r, "push") > 0.03);
    td_set_controller_on(r.system, r.state, 0, true);  // it is
    scene_advance(&r, 2e-3);
    assert_true(scene_input(&r, "push") > 0.03);
    td_set_controller_on(r.system, r.state, 0, false);
    for (int k = 0; k < 1000; k++) scene_advance(&r, 2e-3);
    td_set_controller_on(r.system, r.state, 0, true);
    for (int k = 0, acts = 0; k < 5; k++) {
        td_get_sensor(r.system, r.state, 0, &tip, NULL);
        const bool due = lround(td_get_time(r.system, r.state) / 2e-3) % 2 == 0;
        scene_advance(&r, 2e-3);
        if (!due) continue;
        if (acts++ == 0) CHECK_NEAR(scene_input(&r, "push"), 0.5 * (0.01 - tip), 1e-15);
        else CHECK_BETWEEN(scene_input(&r, "push"), 0.0, 0.015);
    }
    scene_end(&r);
}

// An input may be a set point: what formulas read is where it is when a step begins, whether its signal, a program or another
// controller has put it there. One that goes through a table says the line between its points.
static void inputs_may_be_set_points(void **state) {
    (void)state;
    scene r = rig_of("sensors: [{name: tip, measures: tip.x}]\n"
                     "controllers:\n"
                     "  - {name: outer, inputs: goal, period: 10 ms, formula: \"1 mm*t/10 ms\"}\n"
                     "  - {name: inner, inputs: push, period: 2 ms, formula: \"3*(goal - tip)\"}\n"
                     "  - {name: other, inputs: side, period: 2 ms, formula: "
                     "\"table(goal, 2 mm, 0 N, 6 mm, 4 N, 8 mm, 2)\"}\n"
                     "inputs: {goal: {ramp: {from: 1 mm, to: 3 mm, duration: 0.02 s}}}\n");
    assert_string_equal(td_input_unit(r.system, td_find_input(r.system, "goal")), "m");
    scene_begin(&r);
    double tip;
    for (int k = 0; k < 60; k++) {
        // outer is later by the step at whose end it tells its command
        const double t = 2e-3 * k,
                     goal = 1e-3 + 2e-3 * fmin(t / 0.02, 1.0) + (k ? 1e-3 * ((k - 1) / 5) : 0.0);
        const double x = 1e3 * goal;
        const double line = x < 2.0 ? 0.0 : x < 6.0 ? x - 2.0 : x < 8.0 ? 4.0 - (x - 6.0) : 2.0;
        CHECK_NEAR(scene_input(&r, "goal"), goal, 1e-15);
        td_get_sensor(r.system, r.state, 0, &tip, NULL);
        scene_advance(&r, 2e-3);
        CHECK_NEAR(scene_input(&r, "push"), 3.0 * (goal - tip), 1e-15);
        CHECK_NEAR(scene_input(&r, "side"), line, 1e-12);
    }
    td_set_input(r.system, r.state, td_find_input(r.system, "goal"), 7e-3);
    assert_true(td_step(r.system, r.state, 2e-3) >= 0);
    td_get_sensor(r.system, r.state, 0, &tip, NULL);
    td_apply_signals(r.system, r.state, 0.124, TD_BEFORE);
    td_apply_controllers(r.system, r.state);
    CHECK_NEAR(scene_input(&r, "push"), 3.0 * (7e-3 - tip), 1e-15);
    scene_end(&r);
}

static void what_is_said_is_late_and_held(void **state) {
    (void)state;
    scene r = rig_of("controllers:\n"
                     "  - {name: clock, inputs: [push, side], period: 5 ms, delay: 7 ms, formula: "
                     "[\"1e-2*t\", \"-1e-3*t\"]}\n");
    scene_begin(&r);
    for (int k = 0; k < 60; k++) {
        scene_advance(&r, 1e-3);  // from k ms on
        const int given = k >= 7 ? 5 * ((k - 7) / 5) : 0;
        CHECK_NEAR(scene_input(&r, "push"), 1e-2 * 1e-3 * given, 1e-15);
        CHECK_NEAR(scene_input(&r, "side"), -1e-3 * 1e-3 * given, 1e-15);
    }
    assert_int_equal(td_set_controller_on(r.system, r.state, 0, false), TD_OK);
    scene_advance(&r, 1e-3);
    CHECK_NEAR(scene_input(&r, "push"), 0.0, 0.0);
    assert_int_equal(td_set_controller_on(r.system, r.state, 1, false), TD_ERR_ARGUMENT);
    scene_end(&r);
}

static void note_time(const td_system *system, const td_state *state, double t, double *said, int n,
                      void *context) {
    (void)system, (void)state, (void)n;
    double **next = context;
    *(*next)++ = t, *said = t;
}

// Multiples of 3 ms in steps of 2 ms, of 0.7 ms, and of 7 ms, which pass some of them.
static void what_is_due_within_a_step_waits_for_the_next(void **state) {
    (void)state;
    static const struct {
        double step, acts[6];  // ms
    } cases[] = {{2.0, {0.0, 4.0, 6.0, 10.0, 12.0, 16.0}},
                 {0.7, {0.0, 3.5, 6.3, 9.1, 12.6, 15.4}},
                 {7.0, {0.0, 7.0, 14.0, 21.0, 28.0, 35.0}}};
    scene r = rig_of("");
    const int push = 0;
    td_controller_def def = td_default_controller_def();
    def.name = "own", def.kind = TD_CONTROLLER_CALLBACK;
    def.inputs = &push, def.n_inputs = 1, def.period = 3e-3;
    assert_int_equal(td_robot_add_controller(r.robot, &def, &r.err), 0);
    scene_build(&r);
    for (int i = 0; i < 3; i++) {
        double times[32], *next = times;
        scene_begin(&r);
        assert_int_equal(td_set_controller(r.system, r.state, 0, note_time, &next), TD_OK);
        while (next < times + 6) scene_advance(&r, 1e-3 * cases[i].step);
        for (int k = 0; k < 6; k++) CHECK_NEAR(times[k], 1e-3 * cases[i].acts[k], 1e-12);
        CHECK_NEAR(scene_input(&r, "push"), times[5], 0.0);
    }
    scene_end(&r);
}

static void loops_of_steps_may_have_them_too(void **state) {
    (void)state;
    const char *const rest =
        "sensors: [{name: tip, measures: tip.x, rate: 250 Hz, delay: 6 ms, noise: 1 mm}]\n"
        "controllers:\n"
        "  - {name: hold, inputs: push, period: 4 ms, delay: 6 ms, pid: {sensor: tip, reference: "
        "0.01, proportional: 2, integral: 30}}\n"
        "inputs: {push: 0.05, side: 0.1}\n";
    scene a = rig_of(rest), b = rig_of(rest);
    scene_begin(&a), scene_begin(&b);
    for (int k = 1; k <= 40; k++) {
        scene_advance(&a, 2e-3);
        td_apply_signals(b.system, b.state, 2e-3 * k, TD_BEFORE);
        td_apply_controllers(b.system, b.state);
        assert_true(td_step(b.system, b.state, 2e-3) >= 0);
    }
    const td_pose p = td_get_pose(a.system, a.state, 0, 0.2),
                  q = td_get_pose(b.system, b.state, 0, 0.2);
    // td_advance steps from instant to instant, which round
    for (int i = 0; i < 3; i++) CHECK_NEAR(p.p[i], q.p[i], 1e-12);
    CHECK_NEAR(scene_input(&a, "push"), scene_input(&b, "push"), 1e-12);
    assert_true(scene_input(&a, "push") != 0.05);
    scene_end(&a), scene_end(&b);
}

static void snapshots_hold_controllers(void **state) {
    (void)state;
    scene r =
        rig_of("sensors: [{name: tip, measures: tip.x, rate: 250 Hz, delay: 6 ms, noise: 1 mm}]\n"
               "controllers:\n"
               "  - {name: hold, inputs: push, period: 4 ms, delay: 6 ms, pid: {sensor: tip, "
               "reference: 0.01, proportional: 2, integral: 30, derivative: 0.01}}\n");
    scene_begin(&r);
    for (int k = 0; k < 30; k++) scene_advance(&r, 2e-3);
    char *here = malloc(td_snapshot_bytes(r.system));
    td_state_save(r.system, r.state, here, td_snapshot_bytes(r.system));
    double y[2];
    for (int run = 0; run < 2; run++) {
        td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
        for (int k = 0; k < 30; k++) scene_advance(&r, 2e-3);
        y[run] = td_get_pose(r.system, r.state, 0, 0.2).p[0];
    }
    assert_memory_equal(&y[0], &y[1], sizeof y[0]);
    free(here);
    scene_end(&r);
}

static void count_calls(const td_system *system, const td_state *state, double t, double *said,
                        int n, void *context) {
    (void)system, (void)state, (void)t;
    said[0] = 0.01 * ++*(int *)context;
    if (n > 1) said[1] = NAN;
}

static void a_program_may_be_the_controller(void **state) {
    (void)state;
    scene r = rig_of("");
    const int inputs[2] = {0, 1};
    td_controller_def def = td_default_controller_def();
    def.name = "own", def.kind = TD_CONTROLLER_CALLBACK;
    def.inputs = inputs, def.n_inputs = 2, def.period = 2e-3;
    assert_int_equal(td_robot_add_controller(r.robot, &def, &r.err), 0);
    scene_build(&r);
    scene_begin(&r);
    int calls = 0;
    scene_advance(&r, 1e-3);  // without a function it says nothing
    assert_int_equal(td_set_controller(r.system, r.state, 0, count_calls, &calls), TD_OK);
    for (int k = 0; k < 9; k++) scene_advance(&r, 1e-3);
    assert_int_equal(calls, 4);
    CHECK_NEAR(scene_input(&r, "push"), 0.04, 1e-15);
    CHECK_NEAR(scene_input(&r, "side"), 0.0, 0.0);  // no NaN comes in
    scene_end(&r);
}

// A circle of the tip by forces, quasi-statically; z is left to what it comes to.
static void the_tip_follows_a_path(void **state) {
    (void)state;
    scene r = rig_of("controllers:\n"
                     "  - {name: follow, inputs: [push, side], period: 5 ms, track: {point: tip, "
                     "path: [\"0.01*sin(2*t)*clamp(t, 0, 1)\", \"0.01*cos(2*t)*clamp(t, 0, 1)\", "
                     "0.199], proportional: 10}}\n");
    scene_begin(&r);
    double worst = 0.0;
    for (int k = 1; k <= 800; k++) {
        scene_advance(&r, 5e-3);
        const double t = 5e-3 * k;
        const td_pose tip = td_get_pose(r.system, r.state, 0, 0.2);
        if (t > 1.5)
            worst =
                fmax(worst, hypot(tip.p[0] - 0.01 * sin(2.0 * t), tip.p[1] - 0.01 * cos(2.0 * t)));
    }
    CHECK_BETWEEN(worst, 0.0, 3e-4);
    scene_end(&r);
}

// ---------------------------------------------------------------- closed loops
enum { STEPS = 400 };
#define PRICE 3e4  // R: the first pair of poles stays the slowest
static const double dt = 2e-3;

typedef struct loop {
    scene r;
    int n, N;  // coordinates and rates; with the two inputs
    double *A, *K, *P, *Q, R[4];
} loop;

// The arm, its best gain, and the matrix of its closed loop.
static loop loop_make(void) {
    loop l = {.r = rig_of("")};
    scene_begin(&l.r);
    const int inputs[2] = {0, 1};
    l.n = 2 * td_n_coordinates(l.r.system), l.N = l.n + 2;
    td_linearisation *lin = td_linearisation_create(l.r.system, NULL, 0, &l.r.err);
    assert_true(td_linearise(l.r.system, l.r.state, lin) >= 0);
    assert_int_equal(td_solve_step_map(lin, dt), TD_OK);
    const td_step_map *map = td_get_step_map(lin);
    assert_int_equal(map->n_states, l.n);
    l.Q = calloc((size_t)(l.n * l.n), sizeof *l.Q);
    l.K = calloc((size_t)(2 * l.N), sizeof *l.K);
    l.P = calloc((size_t)(l.N * l.N), sizeof *l.P);
    l.A = calloc((size_t)(l.N * l.N), sizeof *l.A);
    for (int i = 0; i < l.n; i++) l.Q[i * l.n + i] = i < l.n / 2 ? 1.0 : 1e-3;
    l.R[0] = l.R[3] = PRICE;
    if (td_design_lqr(lin, inputs, 2, l.Q, l.R, l.K, l.P) < 0) {
        fprintf(stderr, "%s\n", td_linearisation_message(lin));
        fail();
    }
    for (int i = 0; i < l.N; i++)
        for (int j = 0; j < l.N; j++) {
            double sum = i >= l.n ? 0.0 : j < l.n ? map->A[i * l.n + j] : map->B0[i * 2 + j - l.n];
            for (int k = 0; k < 2; k++)
                sum -= (i < l.n ? map->B[i * 2 + k] : i - l.n == k) * l.K[k * l.N + j];
            l.A[i * l.N + j] = sum;
        }
    td_controller_def def = td_default_controller_def();
    def.name = "best", def.kind = TD_CONTROLLER_FEEDBACK;
    def.inputs = inputs, def.n_inputs = 2, def.gain = l.K, def.n_columns = l.N;
    assert_int_equal(td_robot_add_controller(l.r.robot, &def, &l.r.err), 0);
    scene_build(&l.r);
    scene_begin(&l.r);
    td_linearisation_destroy(lin);
    return l;
}

static void loop_end(loop *l) {
    free(l->A), free(l->K), free(l->P), free(l->Q);
    scene_end(&l->r);
}

// What the run shows: (x, u) after each step from a bent start.
static double *loop_run(loop *l) {
    double *X = calloc((size_t)(l->N * STEPS), sizeof *X), *q = calloc((size_t)l->n, sizeof *q);
    // in one plane, where what is not linear is of third order
    for (int i = 1; i < l->n / 2; i += 3) q[i] = 1e-3 * (1.0 + 0.3 * sin(5.0 * i));
    assert_int_equal(td_set_coordinates(l->r.system, l->r.state, q, q + l->n / 2), TD_OK);
    for (int k = 0; k < STEPS; k++) {
        double *x = X + k * l->N;
        scene_advance(&l->r, dt);
        td_get_coordinates(l->r.system, l->r.state, x, x + l->n / 2);
        for (int i = 0; i < 2; i++) x[l->n + i] = td_get_input(l->r.system, l->r.state, i);
    }
    free(q);
    return X;
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

extern void dgeev_(const char *, const char *, const int *, double *, const int *, double *,
                   double *, double *, const int *, double *, const int *, double *, const int *,
                   int *);

typedef struct pole {
    double re, im;
} pole;

// The slowest of the eigenvalues of A - B K.
static pole slowest_pole(const loop *l) {
    double *a = malloc(sizeof *a * (size_t)(l->N * l->N)), re[64], im[64], work[1024];
    const int n = l->N, one = 1, room = 1024;
    int info;
    pole slowest = {0.0, 0.0};
    memcpy(a, l->A, sizeof *a * (size_t)(n * n));
    assert_true(n <= 64);
    dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &room, &info);
    assert_int_equal(info, 0);
    for (int i = 0; i < n; i++) {
        assert_true(hypot(re[i], im[i]) < 1.0);
        if (hypot(re[i], im[i]) > hypot(slowest.re, slowest.im)) slowest = (pole){re[i], im[i]};
    }
    free(a);
    return slowest;
}

static void closed_loops_have_the_poles_of_their_matrix(void **state) {
    (void)state;
    loop l = loop_make();
    double *X = loop_run(&l), *x = malloc(sizeof *x * (size_t)l.N),
           *y = malloc(sizeof *y * (size_t)l.N);
    // all of the motion
    memcpy(x, X, sizeof *x * (size_t)l.N);
    for (int k = 1; k < STEPS; k++) {
        for (int i = 0; i < l.N; i++) {
            y[i] = 0.0;
            for (int j = 0; j < l.N; j++) y[i] += l.A[i * l.N + j] * x[j];
        }
        memcpy(x, y, sizeof *x * (size_t)l.N);
        for (int i = 0; i < l.N; i++) y[i] -= X[k * l.N + i];
        CHECK_NEAR(norm(y, l.n) / norm(X, l.n), 0.0, 1e-6);
    }
    // and its slowest pair, from what is left late: y+2 = 2 Re(p) y+1 - |p|^2 y
    const pole p = slowest_pole(&l);
    double s[5] = {0};
    for (int k = STEPS / 3; k < STEPS / 2; k++)
        for (int i = 0; i < l.n / 2; i++) {
            const double a = X[k * l.N + i], b = X[(k + 1) * l.N + i], c = X[(k + 2) * l.N + i];
            s[0] += b * b, s[1] += a * b, s[2] += a * a, s[3] += b * c, s[4] += a * c;
        }
    const double det = s[0] * s[2] - s[1] * s[1];
    const double first = (s[3] * s[2] - s[4] * s[1]) / det;
    const double second = (s[4] * s[0] - s[3] * s[1]) / det;
    CHECK_NEAR(first, 2.0 * p.re, 1e-6);
    CHECK_NEAR(-second, p.re * p.re + p.im * p.im, 1e-6);
    free(X), free(x), free(y);
    loop_end(&l);
}

static void the_cost_is_that_of_riccati(void **state) {
    (void)state;
    loop l = loop_make();
    double *X = loop_run(&l), predicted = 0.0, cost = 0.0;
    for (int i = 0; i < l.N; i++)
        for (int j = 0; j < l.N; j++) predicted += X[i] * l.P[i * l.N + j] * X[j];
    for (int k = 0; k + 1 < STEPS; k++) {
        const double *x = X + k * l.N, *u = X + (k + 1) * l.N + l.n;
        for (int i = 0; i < l.n; i++) cost += l.Q[i * l.n + i] * x[i] * x[i];
        for (int i = 0; i < 2; i++) cost += PRICE * u[i] * u[i];
    }
    CHECK_NEAR(cost / predicted, 1.0, 1e-6);
    free(X);
    loop_end(&l);
}

// x+ = a x + b u: b^2 p^2 + (r - a^2 r - b^2 q) p - q r = 0; and the equation itself for a larger one that is unstable.
static void riccati_is_solved(void **state) {
    (void)state;
    double scratch[1024], P[25], K[10];
    int pivots[8];
    const double a = 1.2, b = 0.5, q = 2.0, r = 3.0;
    const double half = 0.5 * (r - a * a * r - b * b * q) / (b * b);
    assert_true(riccati_solve(1, 1, &a, &b, &q, &r, P, K, scratch, pivots));
    CHECK_NEAR(P[0], -half + sqrt(half * half + q * r / (b * b)), 1e-13);
    CHECK_NEAR(K[0], a * b * P[0] / (r + b * b * P[0]), 1e-14);
    enum { N = 5, M = 2 };
    double A[25], B[10], Q[25] = {0}, R[4] = {1.0, 0.2, 0.2, 2.0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i * N + j] = (i == j) * (0.8 + 0.1 * i) + 0.3 * sin(3.0 * i + 7.0 * j);
    for (int i = 0; i < N * M; i++) B[i] = cos(2.0 * i);
    for (int i = 0; i < N; i++) Q[i * N + i] = 1.0 + i;
    assert_true(riccati_doubles(N, M) <= 1024);
    assert_true(riccati_solve(N, M, A, B, Q, R, P, K, scratch, pivots));
    // P = Q + A'P (A - B K) holds with K of P
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = Q[i * N + j] - P[i * N + j];
            for (int s = 0; s < N; s++)
                for (int t = 0; t < N; t++) {
                    double closed = A[t * N + j];
                    for (int k = 0; k < M; k++) closed -= B[t * M + k] * K[k * N + j];
                    sum += A[s * N + i] * P[s * N + t] * closed;
                }
            CHECK_NEAR(sum, 0.0, 1e-10);
        }
    // a slow motion that is not seen is left alone
    const double slow[4] = {0.999, 0.0, 0.0, 0.5}, seen[4] = {0.0, 0.0, 0.0, 1.0}, both[2] = {1, 1};
    assert_true(riccati_solve(2, 1, slow, both, seen, &r, P, K, scratch, pivots));
    CHECK_NEAR(P[0], 0.0, 1e-12);
    CHECK_NEAR(K[0], 0.0, 1e-12);
    // three growing motions alike are not held by two inputs
    for (int i = 0; i < N * N; i++) A[i] = (i % (N + 1) == 0) * 1.1;
    assert_false(riccati_solve(N, M, A, B, Q, R, P, K, scratch, pivots));
    const double none[2] = {0.0, 0.0}, unstable[4] = {1.5, 0.0, 0.0, 0.5}, one[4] = {1, 0, 0, 1};
    assert_false(riccati_solve(2, 1, unstable, none, one, one, P, K, scratch, pivots));
}

// ---------------------------------------------------------------- delay
static double grows(double gain, double late, double step, int n) {
    char rest[512];
    snprintf(rest, sizeof rest,
             "sensors: [{name: speed, measures: tip.velocity_x}]\n"
             "controllers: [{name: brake, inputs: push, period: %.17g, delay: %.17g, pid: {sensor: "
             "speed, proportional: %.17g}}]\n",
             step, late, gain);
    scene r = rig_of(rest);
    scene_begin(&r);
    double q[64] = {0.0}, early = 0.0, last = 0.0;
    q[1] = 0.05, q[4] = 0.03;  // bent about y
    assert_int_equal(td_set_coordinates(r.system, r.state, q, NULL), TD_OK);
    for (int k = 0; k < n; k++) {
        scene_advance(&r, step);
        const double x = fabs(td_get_pose(r.system, r.state, 0, 0.2).p[0]);
        if (k > n / 4 && k <= n / 2) early = fmax(early, x);
        if (k > 3 * n / 4) last = fmax(last, x);
    }
    scene_end(&r);
    return last / early;
}

// The least of (pi + arg L)/omega over all omega with |L| = 1, L = gain H.
static double margin_of(double gain) {
    scene r = rig_of("");
    td_named_output found;
    scene_begin(&r);
    assert_int_equal(td_find_output(r.system, "tip.velocity_x", &found, &r.err), TD_OK);
    td_linearisation *l = td_linearisation_create(r.system, &found.output, 1, &r.err);
    assert_true(td_linearise(r.system, r.state, l) >= 0);
    double least = HUGE_VAL, before = 0.0;
    const int n = td_n_inputs(r.system), push = td_find_input(r.system, "push");
    for (double omega = 1.0; omega < 5e4; omega *= 1.0005) {
        double H[128];
        td_get_frequency_response(l, omega, H);
        const double *h = H + 2 * (found.first * n + push);
        const double size = gain * hypot(h[0], h[1]);
        if ((size - 1.0) * (before - 1.0) < 0.0 && before > 0.0) {
            const double late = fmod(PI + atan2(h[1], h[0]) + 2.0 * PI, 2.0 * PI) / omega;
            least = fmin(least, late);
        }
        before = size;
    }
    td_linearisation_destroy(l);
    scene_end(&r);
    return least;
}

static void a_delay_margin_is_that_of_the_frequency_response(void **state) {
    (void)state;
    const double gain = 0.3, margin = margin_of(gain), step = margin / 60.0;
    assert_true(margin < 1.0);
    // what is said holds for a step: half of one late on the mean
    CHECK_BETWEEN(grows(gain, 57.0 * step - 0.5 * step, step, 4000), 0.0, 0.97);
    CHECK_BETWEEN(grows(gain, 63.0 * step - 0.5 * step, step, 4000), 1.03, HUGE_VAL);
}

// ---------------------------------------------------------------- files
static void refuse(const char *controller, const char *word) {
    char text[4096];
    snprintf(text, sizeof text,
             "%ssensors: [{name: camera, measures: tip.position}]\ncontrollers: [%s]\n", arm,
             controller);
    check_not_compiled(text, ": controllers", word);  // behind its line
}

static void mistakes_are_told(void **state) {
    (void)state;
    refuse("{inputs: push}", "one of pid, formula, feedback, track or computed_torque");
    refuse("{inputs: pull, formula: \"t\"}", "no part is driven by an input 'pull'");
    refuse("{inputs: push, formula: [\"t\", \"t\"]}", "2 formulas; 1 are expected");
    refuse("{inputs: push, formula: \"2*goal\"}", "'goal' is not known here");
    refuse("{inputs: push, formula: \"2*camera.w\"}", "'camera.w' is not known here");
    refuse("{inputs: push, pid: {sensor: camera, proportional: 1}}", "several channels");
    refuse("{inputs: push, pid: {sensor: gyro, proportional: 1}}", "no such sensor");
    refuse("{inputs: push, pid: {sensor: camera.x, gain: 2}}", "unknown key 'gain'");
    refuse("{inputs: push, pid: {sensor: camera.x, reference: 1}}",
           "a PID without a gain says nothing: give proportional, integral or derivative");
    refuse("{inputs: [push, push], formula: [\"t\", \"t\"]}", "the input 'push' is named twice");
    refuse("{inputs: push, delay: 1 ms, formula: \"t\"}", "a delay needs a period");
    refuse("{inputs: push, limits: [2 N, 1 N], formula: \"t\"}", "low below high");
    refuse("{inputs: push, limits: [2 m, 3 m], formula: \"t\"}", "a force (N) is expected");
    refuse("{inputs: push, feedback: {gain: [[1, 2]]}}",
           "18 are expected, one for each coordinate and each rate");
    refuse("{inputs: push, feedback: {gain: [[1, 2], [1, 2]]}}", "a row of gains for each");
    refuse("{inputs: push, track: {point: tip, path: [0, 0]}}", "2 formulas; 3 are expected");
    refuse("{inputs: push, track: {point: hand, path: [0, 0, 0]}}", "there are outputs like");
    refuse("{inputs: push, track: {point: tip, path: [0, 0, 0], sensor: camera.x}}", "position");
}

// Of a set point without a unit its limits have one.
static void set_points_have_the_unit_of_their_limits(void **state) {
    (void)state;
    static const char *const limits[] = {"[-3 mm, 3 mm]", "{rate: 1 mm/s, range: [-3 mm, 3 mm]}"};
    for (int i = 0; i < 2; i++) {
        char rest[256];
        snprintf(rest, sizeof rest,
                 "controllers: [{inputs: push, formula: \"2*goal\"}]\n"
                 "inputs: {goal: 0.001}\nlimits: {goal: %s}\n",
                 limits[i]);
        scene r = rig_of(rest);
        assert_string_equal(td_input_unit(r.system, td_find_input(r.system, "goal")), "m");
        scene_end(&r);
    }
}

static void robots_are_written_with_their_controllers(void **state) {
    (void)state;
    scene r = rig_of("sensors: [{name: camera, measures: tip.position}]\n"
                     "controllers:\n"
                     "  - {name: a, inputs: push, period: 2 ms, delay: 2 ms, limits: [-1, 1], pid: "
                     "{sensor: camera.x, reference: \"0.01*t\", proportional: 3, integral: 2, "
                     "derivative: 0.1, filter: 1 ms}}\n"
                     "  - {name: b, inputs: [push, side], formula: [\"1e-3*camera.y\", \"t\"]}\n"
                     "  - {name: c, inputs: side, track: {point: tip, path: [0, \"1e-3*t\", 0.2], "
                     "proportional: 2, sensor: camera}}\n");
    scene again = scene_written(r.robot);
    scene_begin(&r), scene_begin(&again);
    for (int k = 0; k < 20; k++) scene_advance(&r, 2e-3), scene_advance(&again, 2e-3);
    assert_true(scene_input(&r, "push") != 0.0);
    CHECK_NEAR(scene_input(&r, "push"), scene_input(&again, "push"), 0.0);
    CHECK_NEAR(scene_input(&r, "side"), scene_input(&again, "side"), 0.0);
    scene_end(&r), scene_end(&again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pid_says_its_formula),
        cmocka_unit_test(an_input_leaves_its_end_when_the_error_turns),
        cmocka_unit_test(switched_on_again_a_controller_starts_anew),
        cmocka_unit_test(inputs_may_be_set_points),
        cmocka_unit_test(what_is_said_is_late_and_held),
        cmocka_unit_test(what_is_due_within_a_step_waits_for_the_next),
        cmocka_unit_test(loops_of_steps_may_have_them_too),
        cmocka_unit_test(snapshots_hold_controllers),
        cmocka_unit_test(a_program_may_be_the_controller),
        cmocka_unit_test(the_tip_follows_a_path),
        cmocka_unit_test(riccati_is_solved),
        cmocka_unit_test(closed_loops_have_the_poles_of_their_matrix),
        cmocka_unit_test(the_cost_is_that_of_riccati),
        cmocka_unit_test(a_delay_margin_is_that_of_the_frequency_response),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(set_points_have_the_unit_of_their_limits),
        cmocka_unit_test(robots_are_written_with_their_controllers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
