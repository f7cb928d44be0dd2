// The constant-curvature model in time: trajectories computed independently, energy, straightness.
#include "liu_robot.h"
#include "truth_liu2020_runs.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

#ifdef TENDRIL_SUNDIALS
static const bool have_sundials = true;
#else
static const bool have_sundials = false;
#endif

// A run of the reference: energies K k^2/2 and c k_t^2/2 belong to a whole segment.
static world run_world(const liu_run *run, td_options o) {
    const double share = run->printed ? 1.0 : LIU_LENGTH;
    liu_setup s = {.bending = run->stiffness / share,
                   .damping = run->damping / share,
                   .gravity = LIU_GRAVITY,
                   .segments = 2};
    world w = world_make(liu_robot(&s), &o);
    for (int k = 0; k < 6; k++) td_set_input(w.system, w.state, k, run->forces[k]);
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, run->q[0], NULL));
    return w;
}

static void follow(const liu_run *run, td_options o, int until, double tol, double tip_tol) {
    world w = run_world(run, o);
    double q[6], q_t[6];
    for (int i = 1; i < until; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, liu_times[i] - liu_times[i - 1]));
        assert_int_equal(td_get_coordinates(w.system, w.state, q, q_t), TD_OK);
        for (int k = 0; k < 6; k++) CHECK_NEAR(q[k], run->q[i][k], tol);
        td_pose tip = tip_of(&w);
        // The reference's world: x forward (our z), y sideways (our x), z up (our y).
        CHECK_NEAR(tip.p[2], run->tip[i][0], tip_tol);
        CHECK_NEAR(tip.p[0], run->tip[i][1], tip_tol);
        CHECK_NEAR(tip.p[1], run->tip[i][2], tip_tol);
    }
    world_free(&w);
}

// The printed equations' axial mode is slow enough to follow to 1.5 s in a test; the physical ones
// are followed for 0.3 s.
static void trajectories_are_those_computed_independently(void **state) {
    (void)state;
    if (!have_sundials) skip();
    for (int i = 0; i < COUNT(liu_runs); i++) {
        td_options o = liu_options(liu_runs[i].printed);
        o = liu_chosen_steps(o, TD_STEPS_EXPLICIT, 1e-10);
        follow(&liu_runs[i], o, liu_runs[i].printed ? LIU_N_TIMES : 6, 2e-7, 2e-7);
    }
}

static void bdf_of_sundials_agrees(void **state) {
    (void)state;
    if (!have_sundials) skip();
    td_options o = liu_chosen_steps(liu_options(true), TD_STEPS_IMPLICIT, 1e-9);
    follow(&liu_runs[0], o, 7, 2e-5, 2e-6);
}

// Errors of the fixed step at 0.2 s of the free fall, in plane, halved steps: order 2.
static double fixed_error(const liu_run *run, int steps) {
    world w = run_world(run, liu_options(run->printed));
    double q[6], most = 0.0;
    for (int i = 0; i < steps; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.2 / steps));
    td_get_coordinates(w.system, w.state, q, NULL);
    for (int k = 0; k < 6; k++)
        if (k % 3 < 2) most = fmax(most, fabs(q[k] - run->q[4][k]));
    world_free(&w);
    return most;
}

static void fixed_steps_converge_with_order_two(void **state) {
    (void)state;
    double coarse = fixed_error(&liu_runs[0], 100), fine = fixed_error(&liu_runs[0], 200);
    CHECK_BETWEEN(fine, 0.0, 2e-4);
    CHECK_BETWEEN(coarse / fine, 3.3, 5.0);
}

// ---------------------------------------------------------------- energy
static world swinging(td_options o, double damping, int segments) {
    liu_setup s = {
        .bending = 0.25, .damping = damping, .gravity = LIU_GRAVITY, .segments = segments};
    world w = world_make(liu_robot(&s), &o);
    double q[15];
    for (int k = 0; k < 3 * segments; k++)
        q[k] = k % 3 == 2 ? LIU_LENGTH : k % 3 == 0 ? 0.3 : 0.2 - 0.1 * k;
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    return w;
}

static void energy_of_a_free_swing_is_conserved(void **state) {
    (void)state;
    if (!have_sundials) skip();
    for (int rotary = 0; rotary < 2; rotary++) {
        td_options o = liu_chosen_steps(liu_options(false), TD_STEPS_EXPLICIT, 1e-12);
        o.rotary_inertia = rotary;
        o.constant_curvature.present_length = rotary;
        world w = swinging(o, 0.0, 2);
        double start = world_energy(&w), peak = 0.0;
        for (int i = 0; i < 5; i++) {
            CHECK_CALL(&w, td_step(w.system, w.state, 0.05));
            peak = fmax(peak, td_get_energy(w.system, w.state).kinetic);
            CHECK_NEAR(world_energy(&w), start, 1e-9);
        }
        CHECK_BETWEEN(peak, 0.1, 10.0);
        world_free(&w);
    }
}

static void work_and_losses_balance_the_energy(void **state) {
    (void)state;
    if (!have_sundials) skip();
    for (int radial = 0; radial < 2; radial++) {
        td_options o = liu_chosen_steps(liu_options(false), TD_STEPS_EXPLICIT, 1e-11);
        o.constant_curvature.radial_damping = radial;
        world w = swinging(o, 0.01, 2);
        for (int k = 0; k < 6; k++) td_set_input(w.system, w.state, k, 10.0 * (k % 3) - 4.0 * k);
        double start = world_energy(&w);
        for (int i = 0; i < 4; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.05));
        td_energy e = td_get_energy(w.system, w.state);
        CHECK_NEAR(world_energy(&w) - start, e.work - e.dissipated, 1e-8);
        CHECK_BETWEEN(e.dissipated, 1e-3, 10.0);
        CHECK_BETWEEN(fabs(e.work), 1e-3, 10.0);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- straight
// A swing through straight in one plane: a mirror image of itself, without a hiccup there.
static void straight_is_an_ordinary_shape(void **state) {
    (void)state;
    if (!have_sundials) skip();
    td_options o = liu_chosen_steps(liu_options(false), TD_STEPS_EXPLICIT, 1e-11);
    o.constant_curvature.radial_damping = false;
    liu_setup s = {.bending = 0.25, .gravity = 0.0, .segments = 1};
    world w = world_make(liu_robot(&s), &o), from_straight = world_make(liu_robot(&s), &o);
    double still[3] = {0.0, 0.0, LIU_LENGTH}, rates[3] = {3.0, 4.0, 0.0}, q[3], mirrored[3];
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, still, rates));
    for (int k = 0; k < 2; k++) rates[k] = -rates[k];
    CHECK_CALL(&w, td_set_coordinates(from_straight.system, from_straight.state, still, rates));
    for (int i = 0; i < 20; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 0.02));
        CHECK_CALL(&w, td_step(from_straight.system, from_straight.state, 0.02));
        td_get_coordinates(w.system, w.state, q, NULL);
        td_get_coordinates(from_straight.system, from_straight.state, mirrored, NULL);
        CHECK_NEAR(q[0], -mirrored[0], 1e-9);
        CHECK_NEAR(4.0 * q[0], 3.0 * q[1], 1e-9);  // stays in its plane
        CHECK_NEAR(q[2], mirrored[2], 1e-9);
    }
    world_free(&w);
    world_free(&from_straight);
}

// ---------------------------------------------------------------- inverse dynamics
// The forces of a run, found again from its accelerations by differences of rates.
static void inverse_dynamics_gives_the_actuators_back(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(liu_configurations); i++) {
        const liu_inverse *at = &liu_configurations[i];
        if (!at->forces) continue;
        liu_setup s = {
            .bending = 0.25, .damping = 0.012, .gravity = LIU_GRAVITY, .segments = at->n};
        td_options o = liu_options(false);
        world w = world_make(liu_robot(&s), &o);
        double forces[15], efforts[15];
        assert_int_equal(td_n_coordinates(w.system), 3 * at->n);
        CHECK_CALL(&w, td_inverse_dynamics(w.system, w.state, at->q, at->q_t, at->forward, forces));
        CHECK_CALL(&w, td_inverse_efforts(w.system, w.state, at->q, at->q_t, at->forward, efforts));
        for (int k = 0; k < 3 * at->n; k++) {
            CHECK_NEAR(forces[k], at->actuation[k], 1e-8);
            CHECK_NEAR(-efforts[k], at->forces[k], 1e-6);
        }
        world_free(&w);
    }
}

// Computed torque on a wanted motion: the steps follow it.
static void computed_efforts_produce_the_wanted_motion(void **state) {
    (void)state;
    td_options o = liu_options(false);
    liu_setup s = {.bending = 0.25, .damping = 0.012, .gravity = LIU_GRAVITY, .segments = 2};
    world w = world_make(liu_robot(&s), &o);
    double q[6], q_t[6], q_tt[6], efforts[6], dt = 2e-4;
    for (int i = 0; i <= 500; i++) {
        double t = (i < 500 ? i + 1 : i) * dt, x = 10.0 * t;
        for (int k = 0; k < 6; k++) {
            double size = k % 3 == 2 ? 0.001 : 0.5 - 0.1 * k,
                   mid = k % 3 == 2 ? LIU_LENGTH : 0.1 * k;
            q[k] = mid + size * sin(x);
            q_t[k] = 10.0 * size * cos(x);
            q_tt[k] = -100.0 * size * sin(x);
        }
        if (i == 0) {
            double q0[6], q0_t[6];
            for (int k = 0; k < 6; k++) {
                double size = k % 3 == 2 ? 0.001 : 0.5 - 0.1 * k;
                q0[k] = k % 3 == 2 ? LIU_LENGTH : 0.1 * k;
                q0_t[k] = 10.0 * size;
            }
            CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q0, q0_t));
        }
        CHECK_CALL(&w, td_inverse_efforts(w.system, w.state, q, q_t, q_tt, efforts));
        for (int k = 0; k < 6; k++) td_set_input(w.system, w.state, k, -efforts[k]);
        if (i < 500) CHECK_CALL(&w, td_step(w.system, w.state, dt));
    }
    double now[6];
    td_get_coordinates(w.system, w.state, now, NULL);
    for (int k = 0; k < 6; k++) CHECK_NEAR(now[k], q[k], k % 3 == 2 ? 2e-5 : 5e-3);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trajectories_are_those_computed_independently),
        cmocka_unit_test(bdf_of_sundials_agrees),
        cmocka_unit_test(fixed_steps_converge_with_order_two),
        cmocka_unit_test(energy_of_a_free_swing_is_conserved),
        cmocka_unit_test(work_and_losses_balance_the_energy),
        cmocka_unit_test(straight_is_an_ordinary_shape),
        cmocka_unit_test(inverse_dynamics_gives_the_actuators_back),
        cmocka_unit_test(computed_efforts_produce_the_wanted_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
