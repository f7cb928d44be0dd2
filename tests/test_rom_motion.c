// Motion under the model rom: numbers of another program, beam theory, conserved energy, and what
// every model promises of a step.
#include <stdlib.h>

#include "allocator.h"
#include "math/positive.h"
#include "math/symmetric.h"

#include "integrate/sundials.h"
#include "materials.h"
#include "rom.h"

static vec3 after(world *w, double end, int n) {
    for (int i = 0; i < n; i++) CHECK_CALL(w, td_step(w->system, w->state, end / n));
    return module_tip(w);
}

typedef struct jump_case {
    int order;
    bool as_printed;
    double y, z;
} jump_case;

// After 0.1 s; Radau with tolerance 1e-7.
static const jump_case jumps[] = {
    {2, false, -0.015173575646590989, 0.06496869266925229},
    {3, false, -0.015275059072449006, 0.06493106598000123},
    {2, true, -0.013785206405513183, 0.06501115535468235},
};

static void a_jump_of_pressure_matches_the_numbers_at_second_order(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            td_options o = number_options(jumps[i].order, jumps[i].as_printed);
            world w = world_make(jumping_module(), &o);
            vec3 tip = after(&w, 0.1, k ? 1000 : 250);
            error[k] = hypot(tip.y - jumps[i].y, tip.z - jumps[i].z);
            world_free(&w);
        }
        CHECK_BETWEEN(error[1], 0.0, 1e-6);
        CHECK_BETWEEN(error[0] / error[1], 10.0, 22.0);
    }
}

static void steps_chosen_by_tolerance_match_the_numbers(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        for (int k = 0; k < 2; k++) {
            td_options o = number_options(jumps[i].order, jumps[i].as_printed);
            o.integration.method = k ? TD_STEPS_EXPLICIT : TD_STEPS_IMPLICIT;
            o.integration.relative = 1e-8, o.integration.absolute = 1e-10;
            world w = world_make(jumping_module(), &o);
            vec3 tip = after(&w, 0.1, 5);
            CHECK_NEAR(tip.y, jumps[i].y, 3e-8);
            CHECK_NEAR(tip.z, jumps[i].z, 3e-8);
            world_free(&w);
        }
}

// ---------------------------------------------------------------- frequencies
// The smallest frequency of small vibrations about the rest shape, Hz: of L^-1 K L^-T, M = L L'.
static double frequency_of(td_robot *robot, td_options o) {
    bare b = bare_make(robot, &o);
    const rom_rod *r = &b.c->rods[0];
    const int n = r->curve.n_q;
    rod_memory *m = &b.m->rods[0];
    double *K = m->solve.whole, *M = m->solve.own, d[64], e[64];
    situation at = rom_situation(b.c, r, m, NULL);
    rod_forces(r, m, &at, r->curve.rest, NULL);
    rod_tangent(r, m, &at, &(tangent_weights){.q = 1.0}, n, K);
    rod_tangent(r, m, &at, &(tangent_weights){.a = 1.0}, n, M);
    assert_true(positive_factor(n, M));
    for (int side = 0; side < 2; side++)  // L^-1 K, transposed, and again
        for (int column = 0; column < n; column++)
            for (int i = 0; i < n; i++) {
                double *x = side ? &K[column * n + i] : &K[i * n + column];
                for (int k = 0; k < i; k++)
                    *x -= M[i * n + k] * (side ? K[column * n + k] : K[k * n + column]);
                *x /= M[i * n + i];
            }
    tridiagonalise(n, K, d, e);
    const double omega = sqrt(tridiagonal_eigenvalue(n, d, e, 0));
    bare_free(&b);
    return omega / (2.0 * 3.14159265358979323846);
}

#define ROUNDING 3e-7  // its fastest mode has 2e9 times the squared frequency of the slowest

static td_robot *slender_robot(void) {
    lumped_rod r = {
        .length = 0.5,
        .stiffness = {0.06283185307179588, 0.06283185307179588, 0.0502654824574367,
                      25132.741228718347, 25132.741228718347, 62831.853071795864},
        .mass = 0.015079644737231009,
        .inertia = {1.507964473723101e-08, 1.507964473723101e-08, 3.015928947446202e-08},
        .stretch = {0.0, 0.0, 1.0}};
    td_piece_def piece = lumped_piece(&r);
    return rod_robot(&piece, 1);
}

static td_robot *light_module(void) {
    const double inside[3] = {0.0, 0.0, 1e-12};
    const lumped_rod rod = module_rod();
    td_robot *robot = module_robot(&rod, inside);
    set_gravity(robot, 0.0, 0.0, 0.0);
    return robot;
}

static void first_frequencies_match_the_numbers(void **state) {
    (void)state;
    static const struct {
        bool module;
        int order;
        bool as_printed;
        double truth;  // Hz
    } cases[] = {
        {false, 1, false, 5.811235980113515}, {false, 3, false, 4.5702723270758705},
        {false, 1, true, 5.8113517129467605}, {false, 3, true, 4.570283354919109},
        {true, 2, false, 7.573541244689482},  {true, 4, false, 7.571706168535215},
        {true, 2, true, 7.633634039301849},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool m = cases[i].module;
        double f = frequency_of(m ? light_module() : slender_robot(),
                                number_options(cases[i].order, cases[i].as_printed));
        CHECK_NEAR(f / cases[i].truth, 1.0, m ? 1e-9 : ROUNDING);
    }
}

// 1.8751^2/(2 pi L^2) sqrt(EI/m); with the body at the tip from its characteristic equation.
static void beam_theory_is_the_limit(void **state) {
    (void)state;
    double f = frequency_of(slender_robot(), rom_options(8));
    CHECK_NEAR(f / 4.568894454131937, 1.0, ROUNDING);
    f = frequency_of(light_module(), rom_options(8));
    CHECK_NEAR(f / 7.57170551226828, 1.0, 1e-9);
}

// ---------------------------------------------------------------- energy
// A released body, a tendon that is pulled meanwhile, damping and drag: the balance closes at the
// order of the step.
static td_robot *noisy_robot(void) {
    td_error err = {0};
    lumped_rod rod = module_rod();
    for (int i = 0; i < 6; i++) rod.damping[i] = 0.001 * rod.stiffness[i];
    const double inside[3] = {0.01, 0.005, 1.0};
    td_robot *robot = module_robot(&rod, inside);
    int drawn = add_input(robot, "pull"), hold = add_input(robot, "hold");
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.to = 0.05, t.offset[0] = t.offset_end[0] = 8e-3;
    t.stiffness = 200.0, t.input = TD_DISPLACEMENT, t.value = (td_number){0.0, 1.0, drawn};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_load_def load = point_load("hold", 0.05);
    load.force[1] = (td_number){0.0, 0.2, hold};
    add_load(robot, &load);
    return robot;
}

static void the_balance_of_energy_closes(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        td_options o = rom_options(3);
        world w = world_make(noisy_robot(), &o);
        td_set_input(w.system, w.state, 1, 1.0);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double start = world_balance(&w);
        td_set_input(w.system, w.state, 1, 0.0);
        td_restart(w.system, w.state);
        const int n = k ? 640 : 160;
        for (int i = 1; i <= n; i++) {
            td_set_input(w.system, w.state, 0, 4e-3 * i / n);
            CHECK_CALL(&w, td_step(w.system, w.state, 0.08 / n));
        }
        error[k] = fabs(world_balance(&w) - start);
        world_free(&w);
    }
    CHECK_BETWEEN(error[1], 0.0, 2e-9);
    CHECK_BETWEEN(error[0] / error[1], 12.0, 20.0);
}

static void a_free_swing_keeps_its_energy(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    td_options o = rom_options(4);
    o.integration = (td_integration_options){TD_STEPS_EXPLICIT, 1e-10, 1e-12};
    td_error err = {0};
    lumped_rod r = module_rod();
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 9.81, 0.0, 0.0);
    td_body_def body = td_default_body_def();
    body.name = "odd", body.at = 0.05, body.mass = 0.02;
    for (int i = 0; i < 3; i++) body.inertia[i] = 1e-6 * (1 + i), body.centre[i] = 0.01 - 0.005 * i;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    world w = world_make(robot, &o);
    double start = world_balance(&w);
    for (int i = 0; i < 10; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, 0.02));
        CHECK_NEAR(world_balance(&w), start, 1e-10);
    }
    CHECK_BETWEEN(td_get_energy(w.system, w.state).kinetic, 1e-6, 1.0);
    world_free(&w);
}

// ---------------------------------------------------------------- a base that moves
static td_robot *shaken_robot(void) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    int inputs[2] = {add_input(robot, "shift"), add_input(robot, "tilt")};
    lumped_rod r = module_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 0.002 * r.stiffness[i];
    td_piece_def piece = lumped_piece(&r);
    for (int i = 0; i < 3; i++) piece.linear_drag[i] = 0.3;
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.position[0] = (td_number){0.1, 1.0, inputs[0]};
    rod.base.rotation[0] = (td_number){0.2, 0.5, inputs[1]};
    rod.base.rotation[1] = (td_number){0.0, 1.0, inputs[1]};
    rod.base.rotation[2] = (td_number){0.0, -0.7, inputs[1]};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 2.0, 0.0, 9.81);
    td_body_def body = td_default_body_def();
    body.name = "tip", body.at = r.length, body.mass = 0.01, body.centre[0] = 0.004;
    for (int i = 0; i < 3; i++) body.inertia[i] = 4e-7 * (i + 1);
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    add_tip_force(robot, r.length, 0.0, 0.05, 0.0);
    return robot;
}

// By sin(w t), or smoothly by 1 - cos(w t).
static void shake(world *w, bool smooth, double t) {
    static const double size[2] = {0.01, 0.6}, omega[2] = {56.5, 37.7};
    for (int i = 0; i < 2; i++) {
        const double x = omega[i] * t, A = size[i];
        td_set_input(w->system, w->state, i, A * (smooth ? 1.0 - cos(x) : sin(x)));
        td_set_input_rate(w->system, w->state, i, A * omega[i] * (smooth ? sin(x) : cos(x)));
    }
}

static vec3 shaken(const td_options *o, bool smooth, int n, double *gap) {
    world w = world_make(shaken_robot(), o);
    assert_true(td_solve_statics(w.system, w.state) >= 0);
    double start = world_balance(&w);
    for (int i = 1; i <= n; i++) {
        shake(&w, smooth, 0.15 * i / n);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.15 / n));
    }
    vec3 tip = vec3_load(tip_of(&w).p);
    *gap = fabs(world_balance(&w) - start);
    world_free(&w);
    return tip;
}

// With a velocity that jumps at the start, and without; Coriolis forces; the work that the world
// does.
static void a_moved_base_moves_the_rod_as_in_cosserat(void **state) {
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        double gaps[3], unused;
        td_options cosserat = td_default_options(), o = rom_options(4);
        const vec3 truth = shaken(&cosserat, smooth, 1500, &unused);
        const vec3 fine = shaken(&o, smooth, 400, &gaps[1]);
        CHECK_BETWEEN(vec3_norm(vec3_sub(fine, truth)), 0.0, 1e-5);
        if (!smooth) continue;
        const vec3 coarse = shaken(&o, smooth, 120, &gaps[0]);
        CHECK_BETWEEN(vec3_norm(vec3_sub(coarse, truth)), 0.0, 1e-4);
        CHECK_BETWEEN(gaps[1], 0.0, 2e-5);
        CHECK_BETWEEN(gaps[0] / gaps[1], 8.0, 20.0);
        if (!integrator_exists()) continue;
        o.integration = (td_integration_options){TD_STEPS_EXPLICIT, 1e-8, 1e-10};
        const vec3 chosen = shaken(&o, smooth, 200, &gaps[2]);
        CHECK_BETWEEN(vec3_norm(vec3_sub(chosen, truth)), 0.0, 1e-5);
        CHECK_BETWEEN(gaps[2], 0.0, 2e-6);
    }
}

// ---------------------------------------------------------------- promises
static void nothing_allocates_after_the_state_is_made(void **state) {
    (void)state;
    if (!TRAPPING) skip();
    td_options o = rom_options(4);
    world w = world_make(following_stretch(noisy_robot(), 1.4), &o);
    long before = allocations;
    td_set_input(w.system, w.state, 0, 2e-3);
    td_status status = td_solve_statics(w.system, w.state);
    for (int i = 0; i < 10 && status >= 0; i++) status = td_step(w.system, w.state, 1e-3);
    td_get_sample(w.system, w.state, 0, 0.03);
    td_get_energy(w.system, w.state);
    assert_int_equal(allocations, before);
    assert_true(status >= 0);
    world_free(&w);
}

static void a_failed_create_leaks_nothing(void **state) {
    (void)state;
    if (!TRAPPING) skip();
    td_options o = rom_options(4);
    td_robot *robot = noisy_robot();
    bool made = false;
    for (int k = 0; !made; k++) {
        td_error err = {0};
        const long before = live;
        fail_at = allocations + k;
        td_system *system = td_system_create(robot, &o, &err);
        fail_at = -1;
        made = system != NULL;
        if (!made) assert_int_equal(err.status, TD_ERR_MEMORY);
        td_system_destroy(system);
        assert_int_equal(live, before);
    }
    td_robot_destroy(robot);
}

static void a_step_that_fails_leaves_the_state(void **state) {
    (void)state;
    const lumped_rod r = unit_rod();
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    int input = add_input(robot, "moment");
    td_load_def load = point_load("moment", 1.0);
    load.moment[1] = (td_number){0.0, 1.0, input};
    add_load(robot, &load);
    td_options o = rom_options(5);
    world w = world_make(robot, &o);
    size_t bytes = td_snapshot_bytes(w.system);
    unsigned char *before = malloc(bytes), *now = malloc(bytes);
    td_set_input(w.system, w.state, input, 40.0);
    td_status status = TD_OK;
    for (int i = 0; i < 1000 && status >= 0; i++) {
        td_state_save(w.system, w.state, before, bytes);
        status = td_step(w.system, w.state, 5e-3);
    }
    assert_int_equal(status, TD_ERR_VALUE);
    if (!strstr(td_message(w.state), "range")) fail_msg("says '%s'", td_message(w.state));
    td_state_save(w.system, w.state, now, bytes);
    assert_memory_equal(before, now, bytes);
    free(before);
    free(now);
    world_free(&w);
}

static void trajectories_go_on_to_the_bit(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        td_options o = rom_options(3);
        if (k) o.integration.method = TD_STEPS_IMPLICIT;
        if (k && !integrator_exists()) continue;
        world w = world_make(following_stretch(jumping_module(), 1.4), &o);
        size_t bytes = td_snapshot_bytes(w.system);
        void *kept = malloc(bytes);
        after(&w, 0.02, 10);
        td_state_save(w.system, w.state, kept, bytes);
        const td_sample there = td_get_sample(w.system, w.state, 0, 0.02);
        vec3 first = after(&w, 0.02, 10);
        CHECK_CALL(&w, td_state_restore(w.system, w.state, kept, bytes));
        const td_sample again = td_get_sample(w.system, w.state, 0, 0.02);
        assert_memory_equal(&there, &again, sizeof there);
        vec3 second = after(&w, 0.02, 10);
        assert_memory_equal(&first, &second, sizeof first);
        free(kept);
        world_free(&w);
    }
}

// BDF takes the tangent that there is: an inner step asks for a few evaluations, not for one of
// each state (66 here), and ends where short fixed steps do.
static void chosen_steps_take_the_exact_tangent(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    const double inside[3] = {0.02, 0.01, 2.0};
    vec3 tip[2];
    for (int k = 0; k < 2; k++) {
        lumped_rod r = module_rod();
        for (int i = 0; i < 6; i++) r.damping[i] = 0.002 * r.stiffness[i];
        td_options o = rom_options(5);
        o.integration.method = k ? TD_STEPS_IMPLICIT : TD_STEPS_FIXED;
        o.integration.relative = 1e-7, o.integration.absolute = 1e-9;
        world w = world_make(module_robot(&r, inside), &o);
        const int n = k ? 2 : 1000;
        for (int i = 0; i < n; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.05 / n));
        const td_stats *stats = td_get_stats(w.state);
        if (k) CHECK_BETWEEN((double)stats->evaluations / stats->iterations, 1.0, 4.0);
        tip[k] = module_tip(&w);
        world_free(&w);
    }
    CHECK_NEAR(vec3_norm(vec3_sub(tip[0], tip[1])), 0.0, 1e-6);
}

// A tendon that does not stretch, pulled to and fro: its largest and smallest tension, whatever the step.
static void pulled(const char *model, int n, double tension[2]) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 2e-2 * r.stiffness[i];
    for (int i = 3; i < 6; i++) r.stiffness[i] = 1e3;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -2.0, 0.0, 0.0);
    td_tendon_def t = td_default_tendon_def();
    t.name = "string", t.to = 1.0, t.input = TD_DISPLACEMENT;
    t.offset[0] = t.offset_end[0] = 0.1;
    t.value = (td_number){0.02, 1.0, add_input(robot, "pull")};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_options o = lumped_options(model, 6, false);
    o.space = TD_COLLOCATION, o.nodes = 10;
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    tension[0] = HUGE_VAL, tension[1] = 0.0;
    for (int i = 1; i <= n; i++) {
        td_set_input(w.system, w.state, 0, 0.01 * (1.0 - cos(4.8 * i / n)));
        CHECK_CALL(&w, td_step(w.system, w.state, 0.8 / n));
        const double now = td_get_tendon(w.system, w.state, 0).tension;
        tension[0] = fmin(tension[0], now), tension[1] = fmax(tension[1], now);
    }
    world_free(&w);
}

static void a_tendon_that_does_not_stretch_pulls_as_in_cosserat(void **state) {
    (void)state;
    double truth[2], tension[2];
    pulled("cosserat", 400, truth);
    for (int n = 100; n <= 1600; n *= 4) {
        pulled("rom", n, tension);
        for (int k = 0; k < 2; k++) CHECK_NEAR(tension[k], truth[k], 0.02 * truth[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_of_pressure_matches_the_numbers_at_second_order),
        cmocka_unit_test(steps_chosen_by_tolerance_match_the_numbers),
        cmocka_unit_test(first_frequencies_match_the_numbers),
        cmocka_unit_test(beam_theory_is_the_limit),
        cmocka_unit_test(the_balance_of_energy_closes),
        cmocka_unit_test(chosen_steps_take_the_exact_tangent),
        cmocka_unit_test(a_free_swing_keeps_its_energy),
        cmocka_unit_test(a_moved_base_moves_the_rod_as_in_cosserat),
        cmocka_unit_test(a_tendon_that_does_not_stretch_pulls_as_in_cosserat),
        cmocka_unit_test(nothing_allocates_after_the_state_is_made),
        cmocka_unit_test(a_failed_create_leaks_nothing),
        cmocka_unit_test(a_step_that_fails_leaves_the_state),
        cmocka_unit_test(trajectories_go_on_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
