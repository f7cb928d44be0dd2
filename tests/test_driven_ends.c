// Tips and bodies that inputs move, and joints that slide or have springs.
#include "chains.h"
#include "math/pi.h"
#include "math/quat.h"
#include "modes.h"

static vec3 place_at(const world *w, int rod, double s) {
    return vec3_load(td_get_pose(w->system, w->state, rod, s).p);
}

static const char *model;  // of the tests of springs
static td_options model_options(const char *name) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", name);
    o.scheme = TD_BDF2;
    o.lumped.segments = 20;
    return o;
}

// ---------------------------------------------------------------- springs
// So stiff that it is rigid, 10 N m^2 and more; 0.4 m, mass M.
static td_piece_def stiff_piece(double mass) {
    td_piece_def piece = steel_piece();
    for (int i = 0; i < 6; i++) piece.stiffness[i] = i < 3 ? 1e5 : 1e9;
    piece.mass_per_length = mass / piece.length;
    return piece;
}

static td_robot *on_spring(td_joint joint, double gravity, const td_spring_def *spring) {
    td_piece_def piece = stiff_piece(0.3);
    td_robot *robot = empty_robot(0.0, 0.0, gravity);
    td_rod_def rod = chain_rod("rod", &piece, 0.1, 0.2, 0.0);
    rod.base.joint = joint, rod.base.spring = *spring;
    const int axis = joint == TD_PRISMATIC ? 2 : 1;
    for (int i = 0; i < 3; i++) rod.base.axis[i] = i == axis;
    add_chain_rod(robot, &rod);
    return robot;
}

// sqrt(k/m), with the rod's own give in series; d/(2 sqrt(k m))
static void a_rod_on_a_spring_has_its_frequency(void **unused) {
    (void)unused;
    const double k = 40.0, d = 0.5, m = 0.3;
    const bool lumped = strcmp(model, "eba") == 0;  // whose slopes of stiff rods are rounded
    td_options o = model_options(model);
    world w =
        world_make(on_spring(TD_PRISMATIC, 0.0, &(td_spring_def){k, d, td_constant(0.0)}), &o);
    found_modes f = modes_at_rest(&w);
    CHECK_NEAR(omega_of(&f, 0) / sqrt(k / m), 1.0, lumped ? 2e-6 : 1e-7);
    CHECK_NEAR(-td_get_mode(f.l, 0).re, 0.5 * d / m, 1e-6);
    td_linearisation_destroy(f.l);
    world_free(&w);
    // a bar that turns about its end: m L^2/3 and what its section has
    td_piece_def piece = stiff_piece(m);
    const double r2 = piece.section.radius * piece.section.radius;
    const double shares = lumped ? 1.0 + 0.5 / (20.0 * 20.0) : 1.0;  // halves of segments at nodes
    const double J = m * (0.16 / 3.0 * shares + 0.25 * r2);
    w = world_make(on_spring(TD_REVOLUTE, 0.0, &(td_spring_def){k, d, td_constant(0.0)}), &o);
    f = modes_at_rest(&w);
    CHECK_NEAR(omega_of(&f, 0) / sqrt(k / J), 1.0, 1e-4);
    CHECK_NEAR(-td_get_mode(f.l, 0).re / (0.5 * d / J), 1.0, 1e-4);
    td_linearisation_destroy(f.l);
    world_free(&w);
}

// Its weight presses the spring by m g/k. An inverted pendulum falls where m g L/2 exceeds the spring.
static void springs_carry_weight_and_hold_pendulums_up(void **unused) {
    (void)unused;
    const double m = 0.3, g = 9.81, k = 40.0;
    td_options o = model_options(model);
    world w =
        world_make(on_spring(TD_PRISMATIC, -g, &(td_spring_def){k, 0.0, td_constant(0.02)}), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(place_at(&w, 0, 0.0).z, 0.02 - m * g / k, 1e-9);
    CHECK_NEAR(place_at(&w, 0, 0.4).x, 0.1, 1e-12);
    const td_reaction r = td_get_reaction(w.system, w.state, 0, TD_BASE);
    CHECK_NEAR(r.force[2], m * g, 1e-9);
    world_free(&w);
    const double critical = 0.5 * m * g * 0.4;
    for (int i = 0; i < 2; i++) {
        w = world_make(
            on_spring(TD_REVOLUTE, -g,
                      &(td_spring_def){(i ? 0.99 : 1.01) * critical, 0.0, td_constant(0.0)}),
            &o);
        if (strcmp(model, "eba") == 0) td_solve_statics(w.system, w.state);  // what presses it
        found_modes f = modes_about(&w, NULL, 0);                            // upright
        assert_int_equal(td_get_mode(f.l, 0).kind == TD_MODE_DIVERGES ||
                             td_get_mode(f.l, 1).kind == TD_MODE_DIVERGES,
                         i);
        td_linearisation_destroy(f.l);
        const td_status status = td_solve_statics(w.system, w.state);
        assert_int_equal(status, i ? TD_BIFURCATION : TD_OK);
        assert_true(!i || strstr(td_message(w.state), "unstable"));
        CHECK_NEAR(place_at(&w, 0, 0.4).x, 0.1, 1e-9);
        world_free(&w);
    }
}

// A tip that slides in a spring hangs on one of its own: the same frequency.
static void a_tip_slides_as_a_base_does(void **unused) {
    (void)unused;
    const double k = 40.0, m = 0.3;
    td_piece_def piece = stiff_piece(m);
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    rod.base.joint = TD_FREE;
    hold_tip(&rod, TD_WORLD, TD_PRISMATIC, 0.0, 0.0, 0.4);
    rod.tip.axis[0] = 0.0, rod.tip.axis[2] = 1.0;
    rod.tip.spring.stiffness = k;
    add_chain_rod(robot, &rod);
    td_options o = model_options(model);
    world w = world_make(robot, &o);
    found_modes f = modes_at_rest(&w);
    CHECK_NEAR(omega_of(&f, 0) / sqrt(k / m), 1.0, 2e-6);
    td_linearisation_destroy(f.l);
    world_free(&w);
}

// The spring's rest is moved to and fro: what the input does is in the energies, to the order of the step.
static void energies_balance_while_the_rest_of_a_spring_moves(void **unused) {
    (void)unused;
    double off[2], work = 0.0;
    for (int n = 0; n < 2; n++) {
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        td_piece_def piece = stiff_piece(0.3);
        td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
        rod.base.joint = TD_PRISMATIC, rod.base.axis[0] = 0.0, rod.base.axis[2] = 1.0;
        rod.base.spring = (td_spring_def){40.0, 0.5, {0.0, 1.0, add_input(robot, "rest")}};
        add_chain_rod(robot, &rod);
        td_options o = model_options(model);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const double start = world_balance(&w), dt = 4e-3 / (1 << n);
        for (int i = 1; i <= 100 << n; i++) {
            td_set_input(w.system, w.state, 0, 0.03 * sin(9.0 * i * dt) * sin(9.0 * i * dt));
            td_set_input_rate(w.system, w.state, 0, 0.27 * sin(18.0 * i * dt));
            CHECK_CALL(&w, td_step(w.system, w.state, dt));
        }
        off[n] = fabs(world_balance(&w) - start);
        work = td_get_energy(w.system, w.state).work;
        world_free(&w);
    }
    assert_true(work > 0.03);
    CHECK_BETWEEN(off[1], 0.0, 1e-3 * work);
    CHECK_BETWEEN(off[0] / off[1], 3.0, 6.0);
}

// ---------------------------------------------------------------- driven tips
// A rod that is held and moved at its base, or turned round and held and moved at its tip.
static world moved_rod(const char *name, bool at_tip) {
    td_piece_def piece = steel_piece();
    piece.damping_time = 2e-3;
    td_robot *robot = empty_robot(0.0, 0.0, -9.81);
    const int x = add_input(robot, "x"), turn = add_input(robot, "turn");
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    td_number *position = at_tip ? rod.tip.position : rod.base.position;
    td_number *rotation = at_tip ? rod.tip.rotation : rod.base.rotation;
    position[0] = (td_number){0.02, 1.0, x};
    if (at_tip) {
        rod.base.joint = TD_FREE;
        rod.base.position[0] = td_constant(0.02), rod.base.position[2] = td_constant(0.4);
        rod.base.orientation[0] = 0.0, rod.base.orientation[2] = 1.0;  // half a turn about y
        rod.tip.held = true;
        memcpy(rod.tip.orientation, rod.base.orientation, sizeof rod.tip.orientation);
    }
    rotation[1] = (td_number){0.0, 1.0, turn};
    add_chain_rod(robot, &rod);
    td_options o = model_options(name);
    return world_make(robot, &o);
}

static void a_rod_driven_at_its_tip_is_one_driven_at_its_base(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "eba"};
    for (int m = 0; m < 2; m++) {
        double apart[2];
        for (int n = 0; n < 2; n++) {
            world a = moved_rod(models[m], false), b = moved_rod(models[m], true);
            if (n == 0) {
                td_set_input(a.system, a.state, 0, 0.05), td_set_input(a.system, a.state, 1, 0.7);
                td_set_input(b.system, b.state, 0, 0.05), td_set_input(b.system, b.state, 1, 0.7);
                CHECK_CALL(&a, td_solve_statics(a.system, a.state));
                CHECK_CALL(&b, td_solve_statics(b.system, b.state));
                CHECK_NEAR(vec3_norm(vec3_sub(place_at(&a, 0, 0.4), place_at(&b, 0, 0.0))), 0.0,
                           2e-9);
                td_set_input(a.system, a.state, 0, 0.0), td_set_input(a.system, a.state, 1, 0.0);
                td_set_input(b.system, b.state, 0, 0.0), td_set_input(b.system, b.state, 1, 0.0);
            }
            CHECK_CALL(&a, td_solve_statics(a.system, a.state));
            CHECK_CALL(&b, td_solve_statics(b.system, b.state));
            const int steps = 100 << n;
            for (int i = 1; i <= steps; i++) {
                const double t = 0.2 * i / steps, s = sin(20.0 * t) * sin(20.0 * t);
                for (int k = 0; k < 2; k++) {
                    world *w = k ? &b : &a;
                    td_set_input(w->system, w->state, 0, 0.03 * s);
                    td_set_input(w->system, w->state, 1, 0.4 * s);
                    td_set_input_rate(w->system, w->state, 0, 0.03 * 20.0 * sin(40.0 * t));
                    td_set_input_rate(w->system, w->state, 1, 0.4 * 20.0 * sin(40.0 * t));
                    CHECK_CALL(w, td_step(w->system, w->state, 0.2 / steps));
                }
            }
            apart[n] = vec3_norm(vec3_sub(place_at(&a, 0, 0.4), place_at(&b, 0, 0.0)));
            world_free(&a);
            world_free(&b);
        }
        CHECK_BETWEEN(apart[1], 0.0, m ? 1e-13 : 3e-4);  // eba: step by step the same
        if (!m) CHECK_BETWEEN(apart[0] / apart[1], 3.5, 5.0);
    }
}

// A tip that is farther away at once than the rod is long: the input is to blame, and is named.
static void a_place_that_jumps_is_told(void **unused) {
    (void)unused;
    static const char text[] =
        "tendril: 1\n"
        "rods: [{name: a, length: 0.5, section: {radius: 3 mm}, material: {youngs_modulus: 10 GPa, "
        "poisson_ratio: 0.4, density: 1200}, base: {direction: [1, 0, 0]}, "
        "tip: {position: [0.45, 0, z], direction: [1, 0, 0]}}]\n"
        "inputs: {z: {step: {from: 0, to: 10, at: 0.01}}}\n";
    static const char *const models[] = {"cosserat", "eba"};
    for (int m = 0; m < 2; m++) {
        td_error err = {0};
        td_robot *robot = td_robot_parse(text, strlen(text), "held.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        td_options o = td_robot_options(robot);
        snprintf(o.model, sizeof o.model, "%s", models[m]);
        world w = world_make(robot, &o);
        assert_true(td_begin(w.system, w.state) >= 0);
        td_status status = TD_OK;
        for (int k = 0; k < 10 && status >= 0; k++) status = td_advance(w.system, w.state, 2e-3);
        assert_true(status < 0);
        CHECK_NEAR(td_get_time(w.system, w.state), 0.01, 1e-9);
        assert_non_null(strstr(td_message(w.state), "jumps from 0 to 10 here"));
        world_free(&w);
    }
}

// ---------------------------------------------------------------- a palm
// Two rods on a palm that is carried and turned, where each could as well be: the place of its base follows from the palm's.
static void a_palm_carries_its_fingers(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "eba"};
    for (int m = 0; m < 2; m++) {
        td_error err = {0};
        td_piece_def piece = steel_piece();
        piece.damping_time = 1e-3;
        for (int i = 3; i < 6; i++) piece.stiffness[i] = 2e3;
        td_robot *robot = empty_robot(0.0, 0.0, -9.81);
        td_body_def palm = td_default_body_def();
        palm.name = "palm", palm.rod = -1, palm.mass = 0.5;
        for (int i = 0; i < 3; i++) palm.inertia[i] = 1e-3;
        palm.hold.held = true;
        const char *const names[3] = {"x", "y", "z"};
        for (int i = 0; i < 3; i++) {
            td_input_def in = {.name = names[i], .unit = "m", .signal = {.from = 0.2 + 0.3 * i}};
            if (i == 2) in.signal.kind = TD_SIGNAL_FORMULA, in.signal.formula = "0.8 - (t/2)^4";
            const int input = td_robot_add_input(robot, &in, &err);
            CHECK_OK(input, err);
            palm.hold.position[i] = (td_number){0.1 * i, 1.0, input};
        }
        palm.hold.rotation[2] = (td_number){0.0, 1.0, add_input(robot, "turn")};
        CHECK_OK(td_robot_add_body(robot, &palm, &err), err);
        for (int k = 0; k < 2; k++) {
            td_rod_def rod = chain_rod(k ? "right" : "left", &piece, k ? 0.05 : -0.05, 0.0, 0.01);
            rod.base.body = 0;
            add_chain_rod(robot, &rod);
        }
        td_options o = model_options(models[m]);
        world w = world_make(robot, &o);
        for (int i = 0; i < 4; i++) td_set_input(w.system, w.state, i, 0.2 + 0.3 * i);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const vec3 want = {0.2 + 0.05 * cos(1.1), 0.6 + 0.05 * sin(1.1), 1.0 + 0.01};
        CHECK_NEAR(vec3_norm(vec3_sub(place_at(&w, 1, 0.0), want)), 0.0, 1e-12);
        CHECK_NEAR(vec3_load(td_get_body(w.system, w.state, 0).pose.p).z, 1.0, 1e-12);
        const double mass = 0.4 * PI * 1e-6 * 8000.0;
        CHECK_NEAR(place_at(&w, 1, 0.4).z, 1.41 - 0.5 * mass * 9.81 * 0.4 / 2e3, 1e-7);
        // let down faster and faster, 3 t^2/4: what it carries weighs less
        td_set_input(w.system, w.state, 3, 0.0);
        td_state_reset(w.system, w.state);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        const double start = world_balance(&w);
        for (int i = 1; i <= 300; i++) CHECK_CALL(&w, td_advance(w.system, w.state, 5e-3));
        const double fall = 0.75 * 1.5 * 1.5, rate = 0.25 * pow(1.5, 3);
        const td_reaction r = td_get_reaction(w.system, w.state, 0, TD_BASE);
        if (!m) CHECK_NEAR(r.force[2] / (mass * (9.81 - fall)), 1.0, 1e-5);
        CHECK_NEAR(td_get_energy(w.system, w.state).kinetic /
                       (0.5 * (0.5 + 2.0 * mass) * rate * rate),
                   1.0, 1e-3);
        CHECK_NEAR(world_balance(&w) - start, 0.0, 1e-3);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest springs[] = {
        cmocka_unit_test(a_rod_on_a_spring_has_its_frequency),
        cmocka_unit_test(springs_carry_weight_and_hold_pendulums_up),
        cmocka_unit_test(a_tip_slides_as_a_base_does),
        cmocka_unit_test(energies_balance_while_the_rest_of_a_spring_moves),
    };
    const struct CMUnitTest driven[] = {
        cmocka_unit_test(a_rod_driven_at_its_tip_is_one_driven_at_its_base),
        cmocka_unit_test(a_place_that_jumps_is_told),
        cmocka_unit_test(a_palm_carries_its_fingers),
    };
    int failed = cmocka_run_group_tests(driven, NULL, NULL);
    static const char *const models[] = {"cosserat", "eba"};
    for (int m = 0; m < 2; m++) {
        model = models[m];
        printf("%s\n", model);
        failed += cmocka_run_group_tests(springs, NULL, NULL);
    }
    return failed;
}
