// Equilibria of the model rom: numbers of another program, closed forms, and the model cosserat.
#include "rom.h"

// ---------------------------------------------------------------- numbers
// F L^2/EI = 1 and 10, EA L^2/EI = 1e4: Newton on numerically assembled equations, another program,
// in a plane, which low orders as printed would leave under the large force.
static void cantilevers_match_the_numbers(void **state) {
    (void)state;
    static const struct {
        double force;
        int order;
        bool as_printed;
        double x, z;
    } cases[] = {
        {1.0, 1, false, 0.10730049728843347, 0.9922941455356686},
        {1.0, 2, false, 0.23782263565483375, 0.9633376551653009},
        {1.0, 4, false, 0.30175626282227724, 0.943583279743443},
        {1.0, 6, false, 0.30182073455694913, 0.9435667750750075},
        {10.0, 3, false, 0.7461360022239438, 0.5202500701110871},
        {10.0, 6, false, 0.811264813437063, 0.445261471891059},
        {1.0, 1, true, 0.08619381454609365, 0.9944126825045161},
        {1.0, 3, true, 0.29808311516679653, 0.9442241413729809},
        {10.0, 2, true, 0.5940310455530713, 0.7084717522858444},
        {10.0, 6, true, 0.8111986066762076, 0.4452868234494476},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lumped_rod r = unit_rod();
        r.stiffness[0] = r.stiffness[2] = 100.0;
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 1.0, cases[i].force, 0.0, 0.0);
        td_options o = number_options(cases[i].order, cases[i].as_printed);
        world w = world_make(robot, &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        // Integrals of quaternions are not exact; the numbers took more points than 2 order + 4.
        const double tolerance = cases[i].force > 1.0 ? 1e-8 : 1e-11;
        CHECK_NEAR(tip_of(&w).p[0], cases[i].x, tolerance);
        CHECK_NEAR(tip_of(&w).p[2], cases[i].z, tolerance);
        world_free(&w);
    }
}

// The pneumatic module: pressure inside, weight, and a wrench at the far end of the body at its
// tip, whose moment about the tip is found by trying again.
static void the_module_matches_the_numbers(void **state) {
    (void)state;
    static const struct {
        int order;
        bool as_printed;
        double tip[3];
    } cases[] = {
        {1, false, {-0.0004395714237612847, -0.015785320363128515, 0.06578535205785316}},
        {2, false, {-2.463682998592569e-05, -0.015626493850800064, 0.06575598520043575}},
        {3, false, {-2.4381950000926635e-05, -0.01562230881708865, 0.06575431453990219}},
        {4, false, {-2.4420060429529585e-05, -0.015622322927852025, 0.06575428328743588}},
        {6, false, {-2.442004192393298e-05, -0.015622322687388748, 0.06575428315965873}},
        {2, true, {-9.318389769768029e-05, -0.015540630069168454, 0.0653372629795085}},
        {4, true, {-3.6561285495868867e-05, -0.015643098663055223, 0.06559600437767972}},
    };
    const double inside[3] = {0.028170384125387894, -0.005421392952655954, 4.71238898038469};
    const lumped_rod rod = module_rod();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_robot *robot = module_robot(&rod, inside);
        td_load_def arm = point_load("arm", rod.length);
        for (int k = 0; k < 3; k++)
            arm.moment[k] = (td_number){0.0, 1.0,
                                        add_input(robot, k == 0   ? "x"
                                                         : k == 1 ? "y"
                                                                  : "z")};
        add_load(robot, &arm);
        add_tip_force(robot, rod.length, 0.1, 0.15, -0.2);
        add_tip_moment(robot, rod.length, 0.001, 0.0, 0.0005);
        td_options o = number_options(cases[i].order, cases[i].as_printed);
        world w = world_make(robot, &o);
        for (int k = 0; k < 14; k++) {
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            vec3 lever = vec3_sub(module_tip(&w), vec3_load(tip_of(&w).p));
            vec3 moment = vec3_cross(lever, (vec3){0.1, 0.15, -0.2});
            td_set_input(w.system, w.state, 0, moment.x);
            td_set_input(w.system, w.state, 1, moment.y);
            td_set_input(w.system, w.state, 2, moment.z);
        }
        double tip[3];
        vec3_store(tip, module_tip(&w));
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip[k], cases[i].tip[k], 1e-13);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- closed forms
static world moment_rod(double turns, td_options o) {
    const lumped_rod r = unit_rod();
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_moment(robot, 1.0, 0.0, 2.0 * 3.14159265358979323846 * turns, 0.0);
    return world_make(robot, &o);
}

// A rotation vector is linear along an arc: order 1 has the rotation, position is its integral.
static void a_moment_bends_to_an_arc(void **state) {
    (void)state;
    const double turns[3] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        world w = moment_rod(turns[i], rom_options(14));
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const double angle = 2.0 * 3.14159265358979323846 * turns[i];
        CHECK_NEAR(tip_of(&w).p[0], (1.0 - cos(angle)) / angle, 1e-9);
        CHECK_NEAR(tip_of(&w).p[2], sin(angle) / angle, 1e-9);
        world_free(&w);
    }
}

// Inextensible elastica by elliptic integrals: x, z of the tip of a cantilever under F L^2/EI.
static void a_slender_rod_follows_the_elastica(void **state) {
    (void)state;
    static const double truth[3][3] = {{1.0, 0.3017207737998131, 0.9435667637166225},
                                       {5.0, 0.7137915236119128, 0.61237163927557},
                                       {10.0, 0.8106090248802966, 0.4450044022462487}};
    for (int i = 0; i < 3; i++) {
        lumped_rod r = unit_rod();
        for (int k = 3; k < 6; k++) r.stiffness[k] = 1e9;
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 1.0, truth[i][0], 0.0, 0.0);
        td_options o = rom_options(12);
        world w = world_make(robot, &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        CHECK_NEAR(tip_of(&w).p[0], truth[i][1], 2e-8);
        CHECK_NEAR(tip_of(&w).p[2], truth[i][2], 2e-8);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- convergence
static td_robot *heavy_arm(void) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    piece.rest_curvature[1] = 1.0;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 9.81, 0.0, 0.0);
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.to = 0.4, t.offset[1] = t.offset_end[1] = 8e-3, t.offset_end[0] = 4e-3;
    t.value = td_constant(12.0);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    add_tip_force(robot, 0.4, 0.3, -0.2, 0.1);
    return robot;
}

static vec3 tip_under(td_robot *robot, const td_options *o) {
    world w = world_make(robot, o);
    assert_true(td_solve_statics(w.system, w.state) >= 0);
    vec3 tip = vec3_load(tip_of(&w).p);
    world_free(&w);
    return tip;
}

// A real rod, EA L^2/EI = 6.4e5: errors fall by a factor with each order, faster and faster.
static void convergence_to_cosserat_is_spectral(void **state) {
    (void)state;
    td_options cosserat = td_default_options();
    cosserat.nodes = 24;
    const vec3 truth = tip_under(heavy_arm(), &cosserat);
    const double bounds[4] = {3e-3, 3e-5, 1e-7, 2e-9};
    for (int i = 0; i < 4; i++) {
        td_options o = rom_options(2 + 2 * i);
        CHECK_BETWEEN(vec3_norm(vec3_sub(tip_under(heavy_arm(), &o), truth)), 0.0, bounds[i]);
    }
}

// ---------------------------------------------------------------- what it says
static void a_low_order_that_locks_says_so(void **state) {
    (void)state;
    const double truth = 0.3018;
    for (int full = 0; full < 2; full++) {
        const lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, 1.0, 1.0, 0.0, 0.0);
        td_options o = rom_options(full ? 1 : 4);
        if (full) o.rom.quadrature = TD_ROM_FULL;
        world w = world_make(robot, &o);
        td_status status = td_solve_statics(w.system, w.state);
        assert_int_equal(status, full ? TD_LOOSE : TD_OK);
        if (full) {
            assert_non_null(strstr(td_message(w.state), "rom.order = 1"));
            assert_non_null(strstr(td_message(w.state), "lock"));
            CHECK_BETWEEN(td_get_stats(w.state)->resolution, 0.1, 1.0);
            CHECK_BETWEEN(tip_of(&w).p[0] / truth, 0.0, 0.5);
        } else {
            CHECK_BETWEEN(td_get_stats(w.state)->resolution, 0.0, 1e-3);
            CHECK_NEAR(tip_of(&w).p[0] / truth, 1.0, 1e-3);
        }
        world_free(&w);
    }
}

static void rotations_beyond_the_range_are_refused_in_words(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        td_options o = rom_options(6);
        if (i) o.rom.rotation = TD_ROM_QUATERNION;
        world w = moment_rod(i ? 0.6 : 1.2, o);
        size_t bytes = td_snapshot_bytes(w.system);
        unsigned char *before = malloc(bytes), *after = malloc(bytes);
        td_state_save(w.system, w.state, before, bytes);
        assert_true(td_solve_statics(w.system, w.state) < 0);
        const char *text = td_message(w.state);
        if (!strstr(text, "rod 'rod'") || !strstr(text, "range")) fail_msg("says '%s'", text);
        td_state_save(w.system, w.state, after, bytes);
        assert_memory_equal(before, after, bytes);
        free(before);
        free(after);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_match_the_numbers),
        cmocka_unit_test(the_module_matches_the_numbers),
        cmocka_unit_test(a_moment_bends_to_an_arc),
        cmocka_unit_test(a_slender_rod_follows_the_elastica),
        cmocka_unit_test(convergence_to_cosserat_is_spectral),
        cmocka_unit_test(a_low_order_that_locks_says_so),
        cmocka_unit_test(rotations_beyond_the_range_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
