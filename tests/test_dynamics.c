// Dynamics of one rod: frequencies, order in time, conservation, symmetry, base motion.
#include "rods.h"

#include <string.h>

#define PI 3.14159265358979323846

static const double L = 0.4, E = 207e9, G = 79e9, r = 1e-3, rho = 8000.0;

static double EI(void) {
    return E * PI * r * r * r * r / 4.0;
}

static double rhoA(void) {
    return rho * PI * r * r;
}

static td_options options_with(td_theory theory, td_scheme scheme, int steps) {
    td_options o = scheme_options();
    o.theory = theory;
    o.scheme = scheme;
    o.steps = steps;
    return o;
}

// A rod held by tip loads that an input scales: static at input 1, then released.
static world released(td_piece_def piece, const td_options *o, const double force[3],
                      const double moment[3]) {
    td_robot *robot = rod_robot(&piece, 1);
    int hold = add_input(robot, "hold");
    td_load_def load = point_load("tip", piece.length);
    for (int i = 0; i < 3; i++) {
        load.force[i] = (td_number){0.0, force[i], hold};
        load.moment[i] = (td_number){0.0, moment[i], hold};
    }
    add_load(robot, &load);
    world w = world_make(robot, o);
    td_set_input(w.system, w.state, hold, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, hold, 0.0);
    return w;
}

// ---------------------------------------------------------------- frequencies
// Angular frequency of a sampled oscillation around zero, from its first and last zero crossing.
static double frequency_of(const double *x, int n, double dt) {
    double first = -1.0, last = -1.0;
    int crossings = 0;
    for (int i = 1; i < n; i++) {
        if (x[i - 1] * x[i] > 0.0 || x[i] == 0.0) continue;
        last = (i - 1 + x[i - 1] / (x[i - 1] - x[i])) * dt;
        if (first < 0.0) first = last;
        else crossings++;
    }
    assert_true(crossings > 0);
    return PI * crossings / (last - first);
}

// What the trapezoidal rule makes of a true frequency: tan(w' dt/2) = w dt/2.
static double trapezoidal_frequency(double w, double dt) {
    return 2.0 / dt * atan(0.5 * w * dt);
}

// A small tip force, released, starts all modes at once; each is read through its own shape, which is
// orthogonal to the others.
static double mode_shape(int mode, double s) {
    static const double bL[3] = {1.8751040687119612, 4.694091132974174, 7.854757438237613};
    double b = bL[mode] / L,
           sigma = (cosh(bL[mode]) + cos(bL[mode])) / (sinh(bL[mode]) + sin(bL[mode]));
    return cosh(b * s) - cos(b * s) - sigma * (sinh(b * s) - sin(b * s));
}

static double modal_amplitude(const world *w, int mode) {
    const int n = 100;  // Simpson
    double sum = 0.0;
    for (int i = 0; i <= n; i++) {
        double s = i * L / n;
        double f = mode_shape(mode, s) * td_get_pose(w->system, w->state, 0, s).p[0];
        sum += f * (i == 0 || i == n ? 1.0 : i % 2 ? 4.0 : 2.0);
    }
    return sum * L / n / 3.0;
}

static void first_three_cantilever_frequencies(void **unused) {
    (void)unused;
    static const double bL[3] = {1.8751040687119612, 4.694091132974174, 7.854757438237613};
    // steps that shooting can take, which resolve the mode in question
    const double dts[3] = {5e-3, 4e-3, 4e-3};
    const int samples[3] = {200, 60, 40};
    for (int mode = 0; mode < 3; mode++) {
        td_options o = options_with(TD_KIRCHHOFF, TD_TRAPEZOIDAL, 60);
        o.rotary_inertia = false;
        o.tolerance = 1e-12;
        const double force[3] = {1e-3, 0.0, 0.0}, moment[3] = {0.0, 0.0, 0.0};
        world w = released(steel_piece(), &o, force, moment);
        double omega = pow(bL[mode] / L, 2.0) * sqrt(EI() / rhoA());
        double dt = dts[mode], x[400];
        for (int i = 0; i < samples[mode]; i++) {
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
            x[i] = modal_amplitude(&w, mode);
        }
        // each mode runs at its own frequency, as the trapezoidal rule sees it
        double seen = frequency_of(x, samples[mode], dt);
        CHECK_NEAR(seen / trapezoidal_frequency(omega, dt), 1.0, mode == 0 ? 1e-3 : 5e-3);
        world_free(&w);
    }
}

// Fixed-free bar: w = (pi/2L) c, c = sqrt(E/rho) axial, sqrt(G/rho) torsional.
static void axial_and_torsional_bar_frequencies(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double speed = sqrt((k ? G : E) / rho), omega = 0.5 * PI / L * speed;
        double dt = 2.0 * PI / omega / 16.0;  // smaller, and shooting amplifies too much
        td_options o = options_with(TD_COSSERAT, TD_TRAPEZOIDAL, 100);
        o.tolerance = 1e-11;
        td_piece_def piece = steel_piece();
        // bending must stay resolvable at steps of microseconds: a thick, short-looking rod
        for (int i = 0; i < 2; i++) piece.stiffness[i] = 1e5 * EI();
        const double none[3] = {0, 0, 0}, force[3] = {0.0, 0.0, 1.0}, moment[3] = {0.0, 0.0, 1e-3};
        world w = k ? released(piece, &o, none, moment) : released(piece, &o, force, none);
        double x[400];
        for (int i = 0; i < 400; i++) {
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
            double sum = 0.0;  // first mode sin(pi s/2L)
            for (int j = 0; j <= 100; j++) {
                double s = j * L / 100.0;
                td_pose pose = td_get_pose(w.system, w.state, 0, s);
                double value = k ? 2.0 * atan2(pose.q[3], pose.q[0]) : pose.p[2] - s;
                sum += value * sin(0.5 * PI * s / L) * (j == 0 || j == 100 ? 0.5 : 1.0);
            }
            x[i] = sum;
        }
        CHECK_NEAR(frequency_of(x, 400, dt) / trapezoidal_frequency(omega, dt), 1.0, 1e-4);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- order in time
// Tip of a lightly damped rod at common instants after a release at t = 0 (and, when `second` is
// set, a new load at mid-run), against a run with a much smaller step.
enum { INSTANTS = 8 };
static const double horizon = 0.08;

static void trajectory(td_scheme scheme, td_startup startup, double dt, bool second,
                       double out[INSTANTS][2]) {
    td_options o = options_with(TD_KIRCHHOFF, scheme, 80);
    o.alpha = -0.2;
    o.startup = startup;
    td_piece_def piece = steel_piece();
    piece.damping_time = 5e-3;  // smooth enough for the time error to be clean at these steps
    const double force[3] = {-0.5, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
    world w = released(piece, &o, force, none);
    int per_instant = (int)lround(horizon / INSTANTS / dt);
    for (int i = 0; i < INSTANTS; i++) {
        if (second && i == INSTANTS / 2) {
            td_set_input(w.system, w.state, 0, -0.6);
            td_restart(w.system, w.state);
        }
        for (int k = 0; k < per_instant; k++) CHECK_CALL(&w, td_step(w.system, w.state, dt));
        td_pose tip = tip_of(&w);
        out[i][0] = tip.p[0], out[i][1] = tip.p[2];
    }
    world_free(&w);
}

static double rms_difference(double a[INSTANTS][2], double b[INSTANTS][2]) {
    double sum = 0.0;
    for (int i = 0; i < INSTANTS; i++)
        for (int k = 0; k < 2; k++) sum += pow(a[i][k] - b[i][k], 2.0);
    return sqrt(sum / INSTANTS);
}

// log2 of how much halving the step cuts the error.
static double observed_order(td_scheme scheme, td_startup startup, bool second, double dt) {
    double fine[INSTANTS][2], coarse[INSTANTS][2], half[INSTANTS][2];
    trajectory(TD_TRAPEZOIDAL, TD_HALF_STEPS, dt / 8.0, second, fine);
    trajectory(scheme, startup, dt, second, coarse);
    trajectory(scheme, startup, dt / 2.0, second, half);
    return log2(rms_difference(coarse, fine) / rms_difference(half, fine));
}

static void backward_euler_is_first_order(void **unused) {
    (void)unused;
    CHECK_BETWEEN(observed_order(TD_BACKWARD_EULER, TD_HALF_STEPS, false, 1e-3), 0.8, 1.2);
}

static void second_order_schemes_keep_their_order_after_a_release(void **unused) {
    (void)unused;
    const td_scheme schemes[4] = {TD_BDF2, TD_BDF_ALPHA, TD_TRAPEZOIDAL, TD_SDIRK2};
    for (int i = 0; i < 4; i++)
        CHECK_BETWEEN(observed_order(schemes[i], TD_HALF_STEPS, false, 1e-3), 1.8, 2.25);
}

static void second_order_schemes_keep_their_order_after_a_jump_in_mid_run(void **unused) {
    (void)unused;
    const td_scheme schemes[4] = {TD_BDF2, TD_BDF_ALPHA, TD_TRAPEZOIDAL, TD_SDIRK2};
    for (int i = 0; i < 4; i++)
        CHECK_BETWEEN(observed_order(schemes[i], TD_HALF_STEPS, true, 1e-3), 1.75, 2.3);
}

static void rest_history_costs_an_order(void **unused) {
    (void)unused;
    CHECK_BETWEEN(observed_order(TD_BDF2, TD_REST_HISTORY, false, 1e-3), 0.8, 1.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_three_cantilever_frequencies),
        cmocka_unit_test(axial_and_torsional_bar_frequencies),
        cmocka_unit_test(backward_euler_is_first_order),
        cmocka_unit_test(second_order_schemes_keep_their_order_after_a_release),
        cmocka_unit_test(second_order_schemes_keep_their_order_after_a_jump_in_mid_run),
        cmocka_unit_test(rest_history_costs_an_order),
    };
    RUN_UNDER_EACH_SCHEME(tests);
}
