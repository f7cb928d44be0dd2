// Materials that relax, under every model that claims them: creep, relaxation, loss factor and energy against closed
// forms; what statics, derivatives and files make of them.
#include <stdlib.h>
#include <string.h>

#include "relaxing.h"

// ---------------------------------------------------------------- creep
// E (1 + g exp(-t/T)) has the creep compliance (1 - g/(1 + g) exp(-t/T'))/E, T' = T (1 + g). Under a force that grows by
// the rate 1 the strain is its integral:
static double crept(double g, double time, double t) {
    const double slow = time * (1.0 + g);
    return t <= 0.0 ? 0.0 : t - g / (1.0 + g) * slow * -expm1(-t / slow);
}

static double largest_creep_error(const td_options *o, int steps) {
    const term one = {0.8, 0.5};
    const double F = 100.0, up = 1.0, end = 2.0, dt = end / steps;
    lumped_rod r = unit_rod();
    r.mass = 1e-8, r.inertia[0] = r.inertia[1] = 1e-12, r.inertia[2] = 2e-12;  // hardly any inertia
    const td_piece_def piece = relaxing(r, &one, 1);
    td_robot *robot = rod_robot(&piece, 1);
    const int input = add_input(robot, "pull");
    td_load_def load = point_load("pull", 1.0);
    load.force[2] = (td_number){0.0, 1.0, input};
    add_load(robot, &load);
    world w = world_make(robot, o);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    double most = 0.0;
    for (int i = 1; i <= steps; i++) {
        const double t = i * dt;
        td_set_input(w.system, w.state, input, F * fmin(t, up));
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        const double strain = tip_of(&w).p[2] - 1.0;
        const double truth = F / r.stiffness[5] *
                             (crept(one.share, one.time, t) - crept(one.share, one.time, t - up));
        most = fmax(most, fabs(strain - truth) / (F / r.stiffness[5]));
    }
    world_free(&w);
    return most;
}

static void a_force_makes_it_creep_as_the_closed_form_does(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(4, o);
    for (int i = 0; i < n; i++) {
        const double coarse = largest_creep_error(&o[i], 80),
                     fine = largest_creep_error(&o[i], 160);
        CHECK_BETWEEN(fine, 0.0, 1e-4);
        CHECK_BETWEEN(coarse / fine, 3.5, 4.6);
    }
}

// ---------------------------------------------------------------- relaxation
// A tendon is pulled by a given length and held: curvature and stretch then stay, so its tension goes as the modulus does
// after a ramp of strain: 1 + sum of g T/up (exp(up/T) - 1) exp(-t/T).
static void a_held_bend_relaxes_as_the_series_does(void **state) {
    (void)state;
    const term two[2] = {{0.7, 0.15}, {0.4, 1.2}};
    const double up = 0.2, dt = 2e-3;
    td_options o[8];
    const int n = claiming(4, o);
    for (int i = 0; i < n; i++) {
        lumped_rod r = unit_rod();
        r.mass = 1e-5, r.inertia[0] = r.inertia[1] = 1e-9, r.inertia[2] = 2e-9;
        const td_piece_def piece = relaxing(r, two, 2);
        td_robot *robot = rod_robot(&piece, 1);
        const int input = add_input(robot, "pull");
        td_error err = {0};
        td_tendon_def tendon = td_default_tendon_def();
        tendon.name = "tendon";
        tendon.to = 1.0;
        tendon.offset[0] = tendon.offset_end[0] = 0.02;
        tendon.input = TD_DISPLACEMENT;
        tendon.stiffness = 1e7;  // ebr and srl have none that does not stretch
        tendon.value = (td_number){0.0, 1.0, input};
        CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
        world w = world_make(robot, &o[i]);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        td_set_input(w.system, w.state, input, 4e-3);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const double in_the_end = td_get_actuator(w.system, w.state, 0).effort;
        td_set_input(w.system, w.state, input, 0.0);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        for (int k = 1; k <= 1000; k++) {
            const double t = k * dt;
            td_set_input(w.system, w.state, input, 4e-3 * fmin(t / up, 1.0));
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
            if (t < up + 0.1 || k % 50) continue;
            double truth = 1.0;
            for (int j = 0; j < 2; j++)
                truth += two[j].share * two[j].time / up * expm1(up / two[j].time) *
                         exp(-t / two[j].time);
            // strain follows the tendon evenly but for the square of its bend
            CHECK_NEAR(td_get_actuator(w.system, w.state, 0).effort / in_the_end, truth, 1e-3);
        }
        world_free(&w);
    }
}

// ---------------------------------------------------------------- the first mode
// The first mode of the rod without relaxation: its shape in the coordinates (n), and its frequency, rad/s.
static double first_mode(const td_piece_def *relaxes, const td_options *o, double size,
                         double **q) {
    td_piece_def plain = *relaxes;
    plain.relaxation = (td_relaxation){{0.0}, {0.0}};
    world w = world_make(rod_robot(&plain, 1), o);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(w.system, NULL, 0, &err);
    CHECK_CALL(&w, td_linearise(w.system, w.state, l));
    assert_int_equal(td_solve_modes(l, 0), TD_OK);
    const int n = td_n_coordinates(w.system);
    double *z = calloc(2 * (size_t)(n + td_get_linear(l)->n_multipliers), sizeof *z);
    *q = calloc((size_t)n, sizeof **q);
    CHECK_CALL(&w, td_get_coordinates(w.system, w.state, *q, NULL));
    assert_int_equal(td_get_mode_shape(l, 0, z, NULL), TD_OK);
    for (int i = 0; i < n; i++) (*q)[i] += size * z[2 * i];
    const double frequency = td_get_mode(l, 0).im;
    free(z);
    td_linearisation_destroy(l);
    world_free(&w);
    return frequency;
}

// Highs of a motion one period apart, by the parabola through three of its points.
static double high_of(const double y[3], double dt, double *after) {
    const double slope = 0.5 * (y[2] - y[0]), bend = y[2] - 2.0 * y[1] + y[0];
    *after = -slope / bend * dt;
    return y[1] - 0.5 * slope * slope / bend;
}

static void the_first_mode_has_the_frequency_and_loss_of_the_complex_modulus(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(6, o);
    for (int i = 0; i < n; i++) {
        lumped_rod r = unit_rod();
        r.stiffness[1] = 3.0;  // two planes, two frequencies
        term one = {0.3, 0.2};
        td_piece_def piece = relaxing(r, &one, 1);
        double *q, re, im, y[3] = {0.0}, highs[12], times[12];
        o[i].scheme = TD_TRAPEZOIDAL;
        const double w0 = first_mode(&piece, &o[i], 1e-4, &q);
        // the root of a slender cantilever; of one arc, y = k x^2/2, by Rayleigh's quotient
        if (strcmp(o[i].model, "constant_curvature") == 0) CHECK_NEAR(w0, sqrt(20.0), 2e-3);
        else
            CHECK_NEAR(w0, 1.8751040687 * 1.8751040687,
                       strcmp(o[i].model, "cosserat") ? 0.15 : 2e-3);
        complex_root(w0, one, &re, &im);
        assert_true(re < -0.05 * im);
        world w = world_make(rod_robot(&piece, 1), &o[i]);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
        const double dt = 6.283185307 / im / 400.0;
        int found = 0;
        for (int k = 1; k < 3000 && found < 6; k++) {
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
            y[0] = y[1], y[1] = y[2], y[2] = tip_of(&w).p[1];
            // the real root has gone after some of the times
            if (k < 3 || k * dt < 8.0 * one.time || fabs(y[1]) < fabs(y[0]) ||
                fabs(y[1]) < fabs(y[2]))
                continue;
            double after;
            highs[found] = fabs(high_of(y, dt, &after));
            times[found++] = (k - 1) * dt + after;
        }
        assert_int_equal(found, 6);
        const double half = (times[5] - times[0]) / 5.0,
                     decay = log(highs[0] / highs[5]) / (5.0 * half);
        CHECK_NEAR(3.14159265358979 / half / im, 1.0, 2e-4);
        CHECK_NEAR(decay / -re, 1.0, 2e-3);
        free(q);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- what is asked beside
// An equilibrium has the moduli of long times, whatever went before; and a rod that was held is let go as it was.
static void equilibria_are_those_of_long_times(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(4, o);
    for (int i = 0; i < n; i++) {
        double tips[2];
        for (int k = 0; k < 2; k++) {
            td_robot *robot = pushed_robot();
            if (k) EACH_PIECE(robot, p) p->relaxation = (td_relaxation){{0.0}, {0.0}};
            world w = world_make(robot, &o[i]);
            CHECK_CALL(&w, td_begin(w.system, w.state));
            td_set_input(w.system, w.state, 0, 1.0);
            for (int j = 0; j < 10 && !k; j++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            tips[k] = tip_of(&w).p[0];
            // nothing happens in it
            for (int j = 0; j < 5; j++) CHECK_CALL(&w, td_step(w.system, w.state, 0.05));
            CHECK_NEAR(tip_of(&w).p[0], tips[k], 1e-7);
            const td_energy e = td_get_energy(w.system, w.state);
            CHECK_NEAR(e.dissipated, 0.0, 1e-10);
            world_free(&w);
        }
        CHECK_NEAR(tips[0], tips[1], 1e-8);
    }
}

static void what_it_remembers_is_saved_and_restored(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(4, o);
    for (int i = 0; i < n; i++) {
        world w = world_make(pushed_robot(), &o[i]);
        const size_t bytes = td_snapshot_bytes(w.system);
        void *kept = malloc(bytes);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        td_set_input(w.system, w.state, 0, 1.0);
        for (int k = 0; k < 20; k++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
        assert_int_equal(td_state_save(w.system, w.state, kept, bytes), TD_OK);
        td_pose tips[2];
        for (int again = 0; again < 2; again++) {
            if (again) {  // something else happens in between
                td_state_reset(w.system, w.state);
                td_set_input(w.system, w.state, 0, -1.0);
                for (int k = 0; k < 7; k++) CHECK_CALL(&w, td_step(w.system, w.state, 1e-2));
                CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            }
            CHECK_CALL(&w, td_state_restore(w.system, w.state, kept, bytes));
            for (int k = 0; k < 20; k++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
            tips[again] = tip_of(&w);
        }
        assert_memory_equal(&tips[0], &tips[1], sizeof tips[0]);
        free(kept);
        world_free(&w);
    }
}

// A way in many fixed steps, and in few that an integrator divides by tolerance; through a snapshot half-way, to the bit.
typedef struct way {
    td_pose tip;
    td_energy energy;
} way;

static way go(const td_options *o, bool rubs, double dt, double stop_at) {
    td_robot *robot = pushed_robot();
    if (rubs) EACH_PIECE(robot, p) p->hysteresis = (td_hysteresis){0.1, 0.1, 2.0, 0.7};
    world w = world_make(robot, o);
    const size_t bytes = td_snapshot_bytes(w.system);
    void *kept = calloc(1, bytes);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    const int steps = (int)(1.0 / dt + 0.5);
    for (int k = 1; k <= steps; k++) {
        td_set_input(w.system, w.state, 0, fmin(k * dt, 1.2 - k * dt));
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        if (!(fabs(k * dt - stop_at) < 0.5 * dt)) continue;
        assert_int_equal(td_state_save(w.system, w.state, kept, bytes), TD_OK);
        td_state_reset(w.system, w.state);
        td_set_input(w.system, w.state, 0, -0.3);
        CHECK_CALL(&w, td_step(w.system, w.state, dt));
        CHECK_CALL(&w, td_state_restore(w.system, w.state, kept, bytes));
    }
    const way out = {tip_of(&w), td_get_energy(w.system, w.state)};
    free(kept);
    world_free(&w);
    return out;
}

static void check_chosen(td_options o, td_steps method, bool rubs) {
    const way fixed = go(&o, rubs, 0.01, -1.0);
    o.integration = (td_integration_options){method, 1e-7, 1e-8};
    const way chosen = go(&o, rubs, 0.01, -1.0), restored = go(&o, rubs, 0.01, 0.7);
    for (int k = 0; k < 3; k++) CHECK_NEAR(chosen.tip.p[k], fixed.tip.p[k], 5e-5);
    assert_true(fabs(chosen.tip.p[0]) > 0.01);
    assert_memory_equal(&chosen.tip, &restored.tip, sizeof chosen.tip);
    const td_energy e = chosen.energy;
    assert_true(e.dissipated > 0.1 * fabs(e.work));
    CHECK_NEAR((e.elastic + e.kinetic + e.dissipated) / e.work, 1.0, 1e-4);
    CHECK_NEAR(e.dissipated / fixed.energy.dissipated, 1.0, 2e-3);
}

static void steps_chosen_by_tolerance_go_the_same_way(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(3, o);
    for (int i = 0; i < n; i++) {
        if (strcmp(o[i].model, "cosserat") == 0 || (check_briefly() && i > 1)) continue;
        check_chosen(o[i], i % 2 ? TD_STEPS_IMPLICIT : TD_STEPS_EXPLICIT, false);
        if (i % 3 == 1) check_chosen(o[i], TD_STEPS_EXPLICIT, true);  // eba and rom
    }
}

static void what_it_cannot_do_is_refused_in_words(void **state) {
    (void)state;
    td_options o[8];
    td_error err = {0};
    const int n = claiming(4, o);
    for (int i = 0; i < n; i++) {
        world w = world_make(pushed_robot(), &o[i]);
        const td_output held = {.quantity = TD_OUTPUT_REACTION, .end = TD_BASE};
        td_linearisation *l = td_linearisation_create(w.system, &held, 1, &err);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        CHECK_CALL(&w, td_linearise(w.system, w.state, l));
        assert_int_equal(td_differentiate_step(w.system, w.state, 0.01, l), TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(td_message(w.state), "reactions"));
        CHECK_CALL(&w, td_linearise(w.system, w.state, l));
        assert_int_equal(td_solve_step_map(l, 0.01), TD_ERR_UNSUPPORTED);
        assert_non_null(strstr(td_linearisation_message(l), "relaxes"));
        td_linearisation_destroy(l);
        world_free(&w);
    }
    td_robot *robot = pushed_robot();
    for (int i = 0; i < td_n_models(); i++) {
        const td_options other = lumped_options(td_model_name(i), 4, false);
        if (td_model_supports(i, TD_FEATURE_RELAXATION)) continue;
        assert_null(td_system_create(robot, &other, &err));
        assert_non_null(strstr(err.message, "materials that relax"));
    }
    td_options shooting = lumped_options("cosserat", 4, false),
               chosen = lumped_options("eba", 4, false);
    shooting.space = TD_SHOOTING;
    assert_null(td_system_create(robot, &shooting, &err));
    assert_non_null(strstr(err.message, "collocation can"));
    chosen.integration.method = TD_STEPS_MIDPOINT;
    assert_null(td_system_create(robot, &chosen, &err));
    assert_non_null(strstr(err.message, "remember what they went through need 'fixed'"));
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_makes_it_creep_as_the_closed_form_does),
        cmocka_unit_test(a_held_bend_relaxes_as_the_series_does),
        cmocka_unit_test(the_first_mode_has_the_frequency_and_loss_of_the_complex_modulus),
        cmocka_unit_test(equilibria_are_those_of_long_times),
        cmocka_unit_test(what_it_remembers_is_saved_and_restored),
        cmocka_unit_test(steps_chosen_by_tolerance_go_the_same_way),
        cmocka_unit_test(what_it_cannot_do_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
