// What inputs drive within a step: gravity and bases, in all models and ways of stepping.
#include "math/se3.h"

#include "integrate/sundials.h"
#include "lumped.h"

static const char *const models[] = {
    "eba", "ebr", "srl", "rom", "tubes", "constant_curvature", "virtual_power", "cosserat"};

static td_options options_of(const char *model) {
    td_options o = lumped_options(model, 4, false);
    o.nodes = 12, o.tolerance = 1e-11, o.rom.order = 4;
    return o;
}

static td_piece_def damped_piece(void) {
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 1e-2 * r.stiffness[i];
    r.inertia[0] = r.inertia[1] = 1e-2, r.inertia[2] = 2e-2;
    return lumped_piece(&r);
}

static int signal_input(td_robot *robot, const char *name, td_signal signal) {
    td_error err = {0};
    int input = td_robot_add_input(robot, &(td_input_def){.name = name, .signal = signal}, &err);
    CHECK_OK(input, err);
    return input;
}

// ---------------------------------------------------------------- gravity
static td_robot *under(td_signal weight) {
    td_piece_def piece = damped_piece();
    td_robot *robot = rod_robot(&piece, 1);
    const int input = signal_input(robot, "weight", weight);
    td_number g[3] = {{0.3, 0.2, input}, {0.0, 1.0, input}, {-0.2, 0.0, -1}};
    td_error err = {0};
    CHECK_OK(td_robot_set_gravity(robot, g, &err), err);
    return robot;
}

// Drift of the accounts after 0.4 s, by the energy that gravity brought.
static double drift_under(const char *model, td_signal weight, td_steps method, int n) {
    td_options o = options_of(model);
    o.integration.method = method;
    o.integration.relative = 1e-7, o.integration.absolute = 1e-9;
    world w = world_make(under(weight), &o);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    const double start = world_balance(&w);
    for (int i = 0; i < n; i++) CHECK_CALL(&w, td_advance(w.system, w.state, 0.4 / n));
    const double size = fabs(td_get_energy(w.system, w.state).work), end = world_balance(&w);
    CHECK_BETWEEN(size, 1e-3, 1.0);
    world_free(&w);
    return fabs(end - start) / size;
}

static const td_signal wave = {.kind = TD_SIGNAL_SINE, .to = 1.0, .frequency = 1.5};
static const td_signal jump = {.kind = TD_SIGNAL_STEP, .to = 1.0, .start = 0.1};

static void a_gravity_that_changes_does_work(void **state) {
    (void)state;
    for (int k = 0; k < 7; k++) {
        const double coarse = drift_under(models[k], wave, TD_STEPS_FIXED, 50);
        const double fine = drift_under(models[k], wave, TD_STEPS_FIXED, 100);
        CHECK_BETWEEN(fine, 0.0, 5e-4);
        CHECK_BETWEEN(coarse / fine, 2.3, 5.0);
        CHECK_BETWEEN(drift_under(models[k], jump, TD_STEPS_FIXED, 100), 0.0, 2e-3);
    }
}

static void chosen_steps_follow_a_gravity_that_changes(void **state) {
    (void)state;
    for (int k = 0; k < 6 && integrator_exists(); k++)
        for (int method = TD_STEPS_EXPLICIT; method <= TD_STEPS_IMPLICIT; method++)
            CHECK_BETWEEN(drift_under(models[k], wave, (td_steps)method, 4), 0.0, 1e-4);
}

// ---------------------------------------------------------------- bases
static td_robot *on_turning_base(const td_signal signals[3]) {
    static const char *const names[] = {"a", "b", "c"};
    td_error err = {0};
    td_piece_def piece = damped_piece();
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, -1.0, 0.0);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    for (int k = 0; k < 3; k++)
        rod.base.rotation[k] = (td_number){0.0, 1.0, signal_input(robot, names[k], signals[k])};
    rod.base.position[1] = (td_number){0.0, 0.3, 0};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    return robot;
}

static td_robot *fed_robot(td_signal signal) {
    td_error err = {0};
    td_piece_def piece = damped_piece();
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, -1.0, 0.0);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    rod.feed = (td_number){0.0, 0.1, signal_input(robot, "feed", signal)};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    return robot;
}

// Three axes at once; from rest, or with a velocity at once.
static const td_signal smooth[3] = {{.kind = TD_SIGNAL_SINE,
                                     .from = -1.2,
                                     .to = 1.2,
                                     .frequency = 0.7,
                                     .phase = 1.5707963267948966},
                                    {.kind = TD_SIGNAL_SINE,
                                     .from = -0.9,
                                     .to = 0.9,
                                     .frequency = 0.8,
                                     .phase = 1.5707963267948966},
                                    {.kind = TD_SIGNAL_SINE,
                                     .from = 0.7,
                                     .to = -0.7,
                                     .frequency = 0.5,
                                     .phase = 1.5707963267948966}};
static const td_signal at_once[3] = {{.kind = TD_SIGNAL_SINE, .to = 1.2, .frequency = 0.7},
                                     {.kind = TD_SIGNAL_SINE, .to = -0.9, .frequency = 0.8},
                                     {.kind = TD_SIGNAL_SINE, .to = 0.7, .frequency = 0.5}};

static td_pose turn(const char *model, const td_signal signals[3], td_steps method, int n,
                    double *drift) {
    td_options o = options_of(model);
    o.integration.method = method;
    o.integration.relative = 1e-8, o.integration.absolute = 1e-10;
    world w = world_make(on_turning_base(signals), &o);
    td_apply_signals(w.system, w.state, 0.0, TD_AFTER);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const double start = world_balance(&w);
    for (int i = 0; i < n; i++) CHECK_CALL(&w, td_advance(w.system, w.state, 0.6 / n));
    *drift = fabs(world_balance(&w) - start);
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

// cosserat under each scheme in time, on the turning base or fed through it.
static td_pose drive_cosserat(td_scheme scheme, bool fed, int n) {
    td_options o = options_of("cosserat");
    o.scheme = scheme;
    td_robot *robot = fed ? fed_robot(smooth[0]) : on_turning_base(smooth);
    world w = world_make(robot, &o);
    td_apply_signals(w.system, w.state, 0.0, TD_AFTER);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int i = 0; i < n; i++) CHECK_CALL(&w, td_advance(w.system, w.state, 0.6 / n));
    td_pose tip = tip_of(&w);
    world_free(&w);
    return tip;
}

static void every_scheme_is_of_order_2_where_bases_move_and_rods_are_fed(void **state) {
    (void)state;
    const td_scheme schemes[] = {TD_SDIRK2, TD_BDF_ALPHA, TD_BDF2, TD_TRAPEZOIDAL};
    for (int k = 0; k < 8; k++) {
        const td_scheme scheme = schemes[k % 4];
        td_pose tip[3];
        for (int i = 0; i < 3; i++) tip[i] = drive_cosserat(scheme, k >= 4, 100 << i);
        CHECK_BETWEEN(pose_distance(tip[0], tip[1]) / pose_distance(tip[1], tip[2]), 3.4, 5.0);
    }
}

static void a_base_turns_about_several_axes_to_order_2(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double drift[3];
        td_pose tip[3];
        for (int i = 0; i < 3; i++)
            tip[i] = turn(models[k], smooth, TD_STEPS_FIXED, 100 << i, &drift[i]);
        CHECK_BETWEEN(pose_distance(tip[0], tip[1]) / pose_distance(tip[1], tip[2]), 3.4, 5.0);
        CHECK_BETWEEN(drift[1] / drift[2], 3.0, 9.0);
    }
}

// The base node has it at once, and its kinetic energy (0.2 J) is the work of the world; beyond it a step
// leaves out the waves that are too fast for it.
static void a_velocity_that_jumps_is_paid_for(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double drift;
        turn(models[k], at_once, TD_STEPS_FIXED, 400, &drift);
        CHECK_BETWEEN(drift, 0.0, 2.5e-2);
    }
}

static void chosen_steps_follow_the_signals_of_a_base(void **state) {
    (void)state;
    for (int k = 0; k < 4 && integrator_exists(); k++) {
        double drift[2];
        td_pose few = turn(models[k], smooth, TD_STEPS_IMPLICIT, 3, &drift[0]);
        td_pose many = turn(models[k], smooth, TD_STEPS_IMPLICIT, 12, &drift[1]);
        CHECK_NEAR(pose_distance(few, many), 0.0, 1e-5);
        CHECK_BETWEEN(drift[0], 0.0, 1e-5);
    }
}

// ---------------------------------------------------------------- kinks
// A rod bent by a volume or by a displacement that rises from t = 0.1 s to 0.2 s.
static world bent_by(bool chamber, td_scheme scheme) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.2, piece.density = 1100.0;
    piece.youngs_modulus = 5e5, piece.shear_modulus = 1.7e5;
    piece.section.radius = piece.section_end.radius = 12e-3;
    td_robot *robot = rod_robot(&piece, 1);
    const double rest = 3.14159265358979 * 16e-6 * 0.2;
    const td_signal rise = {.kind = TD_SIGNAL_RAMP,
                            .from = chamber ? rest : 1e-4,
                            .to = chamber ? 1.05 * rest : 4e-3,
                            .start = 0.1,
                            .duration = 0.1};
    const td_number value = {0.0, 1.0, signal_input(robot, "rise", rise)};
    if (chamber) {
        td_chamber_def air = td_default_chamber_def();
        air.name = "air", air.to = 0.2, air.input = TD_VOLUME, air.value = value;
        air.offset[0] = 6e-3, air.radius = 4e-3;
        CHECK_OK(td_robot_add_chamber(robot, &air, &err), err);
    } else {
        td_tendon_def cord = td_default_tendon_def();
        cord.name = "cord", cord.to = 0.2, cord.input = TD_DISPLACEMENT, cord.value = value;
        cord.offset[0] = cord.offset_end[0] = 8e-3;
        CHECK_OK(td_robot_add_tendon(robot, &cord, &err), err);
    }
    td_options o = options_of("cosserat");
    o.scheme = scheme;
    return world_make(robot, &o);
}

static double effort_of(const world *w, bool chamber) {
    return chamber ? td_get_chamber(w->system, w->state, 0).pressure
                   : td_get_tendon(w->system, w->state, 0).tension;
}

// How far the effort jumps to and fro from step to step, well after the kinks, to its mean.
static double ringing(bool chamber, td_scheme scheme) {
    world w = bent_by(chamber, scheme);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    double last[2] = {0.0, 0.0}, sum = 0.0, jumps = 0.0;
    for (int i = 0; i < 160; i++) {
        CHECK_CALL(&w, td_advance(w.system, w.state, 5e-3));
        const double now = effort_of(&w, chamber);
        if (i >= 60) sum += now, jumps += 0.25 * fabs(now - 2.0 * last[0] + last[1]);
        last[1] = last[0], last[0] = now;
    }
    world_free(&w);
    return jumps / sum;
}

static void efforts_do_not_ring_after_a_kink(void **state) {
    (void)state;
    for (int chamber = 0; chamber < 2; chamber++) {
        CHECK_BETWEEN(ringing(chamber, TD_TRAPEZOIDAL), 0.0, 0.02);
        CHECK_BETWEEN(ringing(chamber, TD_BDF_ALPHA), 0.0, 0.02);
    }
}

static void a_scheme_that_does_not_suit_a_fed_rod_is_noted(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        td_options o = td_default_options();
        o.scheme = i ? TD_BDF2 : TD_TRAPEZOIDAL;
        world w = world_make(fed_robot(wave), &o);
        const char *note = td_system_note(w.system, 0);
        if (i) assert_null(note);
        else assert_non_null(strstr(note, "simulation.time.scheme: the trapezoidal rule"));
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gravity_that_changes_does_work),
        cmocka_unit_test(chosen_steps_follow_a_gravity_that_changes),
        cmocka_unit_test(a_base_turns_about_several_axes_to_order_2),
        cmocka_unit_test(every_scheme_is_of_order_2_where_bases_move_and_rods_are_fed),
        cmocka_unit_test(efforts_do_not_ring_after_a_kink),
        cmocka_unit_test(a_scheme_that_does_not_suit_a_fed_rod_is_noted),
        cmocka_unit_test(a_velocity_that_jumps_is_paid_for),
        cmocka_unit_test(chosen_steps_follow_the_signals_of_a_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
