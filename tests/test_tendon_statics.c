// Tendons in equilibrium: both spatial schemes of the library, which carry the total wrench,
// against the strain form of Till 2019 (17) solved on its own, and against closed forms.
#include "truth_robots.h"

#include "truth_arms.h"
#include "truth_till2019.h"

static const double pi = 3.14159265358979323846;

// ---------------------------------------------------------------- against the strain form
typedef struct solved {  // tip pose, base curvature, lengths of the tendons; tensions
    double p[3], R[9], u0[3], length[TRUTH_TENDONS], tension[TRUTH_TENDONS];
} solved;

static solved reference_at(const truth_arm *model, int nodes) {
    truth_arm arm = *model;
    solved out;
    truth_arm_begin(&arm, nodes, true);
    CHECK_BETWEEN(truth_arm_statics(&arm), 0.0, 1e-10);
    const double *tip = truth_arm_tip(&arm);
    memcpy(out.p, tip, sizeof out.p);
    truth_rotation(tip + TRUTH_H, out.R);
    memcpy(out.u0, arm.y + TRUTH_U, sizeof out.u0);
    for (int k = 0; k < arm.n_tendons; k++) {
        out.length[k] = tip[TRUTH_LENGTHS + k];
        out.tension[k] = arm.tendon[k].tension;
    }
    truth_arm_free(&arm);
    return out;
}

// RK4 is of fourth order: two solutions give the limit.
static solved reference(const truth_arm *arm) {
    solved coarse = reference_at(arm, 101), fine = reference_at(arm, 201);
    double *a = (double *)&coarse, *b = (double *)&fine;
    int used = (int)(offsetof(solved, length) / sizeof(double)) + arm->n_tendons;
    for (int i = 0; i < used; i++) b[i] += (b[i] - a[i]) / 15.0;
    return fine;
}

static void rotation_of(const double q[4], double R[9]) {
    truth_rotation(q, R);
}

static void compare(const char *name, const truth_arm *arm, int nodes, int steps) {
    solved want = reference(arm);
    for (int i = 0; i < 2; i++) {
        td_options o = truth_options(truth_spaces[i]);
        o.nodes = nodes, o.steps = steps;
        world w = truth_arm_world(arm, &o);
        td_pose tip = tip_of(&w);
        double R[9], worst = 0.0, L = arm->rod.length;
        rotation_of(tip.q, R);
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(tip.p[k] - want.p[k]) / L);
        for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(R[k] - want.R[k]));
        td_sample base = td_get_sample(w.system, w.state, 0, 0.0);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, 0.1 * L * fabs(base.strain[k] - want.u0[k]));
        for (int k = 0; k < arm->n_tendons; k++) {
            td_tendon_state t = td_get_tendon(w.system, w.state, k);
            worst = fmax(worst, fabs(t.length - want.length[k]) / L);
            worst = fmax(worst, fabs(t.tension - want.tension[k]));
        }
        if (worst > 1e-9) fprintf(stderr, "%s, %s: %.3g\n", name, truth_space_names[i], worst);
        CHECK_BETWEEN(worst, 0.0, 1e-9);
        world_free(&w);
    }
}

static void straight_tendons_agree_with_the_strain_form(void **unused) {
    (void)unused;
    truth_arm one = truth_paper_arm((const double[4]){2.0, 0.0, 0.0, 0.0}, 0.0);
    compare("one", &one, 16, 200);
    truth_arm two = truth_paper_arm((const double[4]){3.0, 1.0, 0.0, 0.0}, 0.0);
    compare("two", &two, 16, 300);
    one.rod.gravity[0] = -9.81;
    compare("weight", &one, 16, 200);
    truth_arm all = truth_paper_arm((const double[4]){2.5, 1.0, 0.5, 2.0}, 0.0);
    all.rod.gravity[0] = -9.81, all.force[1] = 0.02, all.force[2] = -0.05, all.moment[2] = 2e-4;
    compare("loads", &all, 16, 300);
}

static void wound_tendons_agree_with_the_strain_form(void **unused) {
    (void)unused;
    truth_arm turn = truth_paper_arm((const double[4]){2.0, 0.0, 0.0, 0.0}, 2.0 * pi / 0.24);
    compare("one turn", &turn, 28, 400);
    truth_arm crossing = truth_paper_arm((const double[4]){2.0, 0.5, 0.3, 0.0}, 12.0);
    crossing.tendon[1].rate = -9.0;
    crossing.rod.gravity[1] = 9.81;
    compare("crossing", &crossing, 28, 400);
}

static void converging_tendons_agree_with_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    arm.n_tendons = 2;
    arm.tendon[0] = (truth_tendon){.start = {9e-3, -2e-3}, .end = {2e-3, 3e-3}, .tension = 6.0};
    arm.tendon[1] = (truth_tendon){.start = {-4e-3, 5e-3}, .end = {-8e-3, 0.0}, .tension = 3.0};
    arm.rod.gravity[2] = -9.81;
    compare("converging", &arm, 20, 200);
}

static void tendons_that_end_on_the_way_agree_with_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = truth_nitinol_arm(1.0);
    arm.n_tendons = 3;
    arm.tendon[0] = truth_straight(8e-3, 0.0, 4.0);
    arm.tendon[0].ends = 0.15;
    arm.tendon[1] = truth_straight(0.0, 8e-3, 3.0);
    arm.tendon[2] = (truth_tendon){.radius = 6e-3, .rate = 15.0, .ends = 0.21, .tension = 2.0};
    arm.rod.gravity[1] = -9.81;
    compare("three ends", &arm, 24, 400);
}

static void a_displacement_takes_the_tension_of_the_strain_form(void **unused) {
    (void)unused;
    truth_arm arm = truth_paper_arm((const double[4]){1.0, 1.0, 0.0, 0.0}, 0.0);
    arm.rod.gravity[0] = -9.81;
    for (int k = 0; k < 2; k++) {
        arm.tendon[k].pulled = true;
        arm.tendon[k].pull = k == 0 ? 0.014 : 0.005;
        arm.tendon[k].compliance = 2e-4;
    }
    truth_arm start = arm;
    truth_arm_begin(&start, 201, true);
    CHECK_BETWEEN(truth_arm_statics(&start), 0.0, 1e-10);
    for (int k = 0; k < 2; k++) arm.tendon[k].tension = start.tendon[k].tension;
    truth_arm_free(&start);
    compare("displacement", &arm, 16, 300);
}

// ---------------------------------------------------------------- against the reference numbers
static void the_arm_of_the_paper_stands_as_in_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_PULLS; i++) {
        const truth_pull *c = &truth_pulls[i];
        if (c->nodes != 101) continue;
        truth_arm arm = truth_paper_arm(c->tension, 0.0);
        arm.rod.gravity[0] = c->gravity_x;
        for (int k = 0; k < 2; k++) {
            td_options o = truth_options(truth_spaces[k]);
            world w = truth_arm_world(&arm, &o);
            td_pose tip = tip_of(&w);
            for (int j = 0; j < 3; j++) CHECK_NEAR(tip.p[j], c->tip[j], 1e-10);
            for (int j = 0; j < 4; j++)
                CHECK_NEAR(td_get_tendon(w.system, w.state, j).length, c->length[j], 1e-11);
            world_free(&w);
        }
    }
}

// ---------------------------------------------------------------- closed forms
static void a_straight_tendon_bends_by_tension_times_offset_over_stiffness(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        truth_arm arm = truth_nitinol_arm(1.0);
        arm.n_tendons = 1;
        arm.tendon[0] = truth_straight(0.0, 8e-3, 5.0);
        td_options o = truth_options(truth_spaces[i]);
        o.theory = TD_KIRCHHOFF;
        world w = truth_arm_world(&arm, &o);
        double u = 5.0 * 8e-3 / arm.rod.Kbt[0], L = arm.rod.length;
        for (int k = 0; k <= 4; k++) {
            td_sample s = td_get_sample(w.system, w.state, 0, 0.25 * k * L);
            CHECK_NEAR(s.strain[0], -u, 1e-11 * u);
            CHECK_NEAR(s.strain[1], 0.0, 1e-11 * u);
            CHECK_NEAR(s.strain[2], 0.0, 1e-11 * u);
        }
        td_pose tip = tip_of(&w);
        CHECK_NEAR(tip.p[1], (1.0 - cos(u * L)) / u, 1e-10 * L);
        CHECK_NEAR(tip.p[2], sin(u * L) / u, 1e-10 * L);
        CHECK_NEAR(td_get_tendon(w.system, w.state, 0).length, L * (1.0 - 8e-3 * u), 1e-11 * L);
        world_free(&w);
    }
}

static void a_tendon_that_ends_half_way_leaves_the_rest_straight(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        truth_arm arm = truth_nitinol_arm(1.0);
        arm.n_tendons = 1;
        arm.tendon[0] = truth_straight(8e-3, 0.0, 5.0);
        arm.tendon[0].ends = 0.15;
        td_options o = truth_options(truth_spaces[i]);
        o.theory = TD_KIRCHHOFF;
        world w = truth_arm_world(&arm, &o);
        double u = 5.0 * 8e-3 / arm.rod.Kbt[0], angle = 0.15 * u;
        td_pose tip = tip_of(&w);
        CHECK_NEAR(tip.p[0], (1.0 - cos(angle)) / u + 0.15 * sin(angle), 1e-10);
        CHECK_NEAR(tip.p[2], sin(angle) / u + 0.15 * cos(angle), 1e-10);
        CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.1).strain[1], u, 1e-10);
        CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.2).strain[1], 0.0, 1e-10);
        CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.1), 5.0, 0.0);
        CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.2), 0.0, 0.0);
        world_free(&w);
    }
}

// One that also begins on the way pulls its two ends together and nothing else.
static void a_tendon_in_the_middle_bends_the_middle(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        truth_arm arm = truth_nitinol_arm(1.0);
        td_robot *robot = truth_arm_rod(&arm);
        td_error err = {0};
        td_tendon_def def = td_default_tendon_def();
        def.name = "a", def.from = 0.05, def.to = 0.2, def.value = td_constant(5.0);
        def.offset[0] = def.offset_end[0] = 8e-3;
        CHECK_OK(td_robot_add_tendon(robot, &def, &err), err);
        td_options o = truth_options(truth_spaces[i]);
        o.theory = TD_KIRCHHOFF;
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double u = 5.0 * 8e-3 / arm.rod.Kbt[0], angle = 0.15 * u;
        CHECK_NEAR(tip_of(&w).p[0], (1.0 - cos(angle)) / u + 0.1 * sin(angle), 1e-10);
        CHECK_NEAR(tip_of(&w).p[2], 0.05 + sin(angle) / u + 0.1 * cos(angle), 1e-10);
        CHECK_NEAR(td_get_tendon(w.system, w.state, 0).length, 0.15 * (1.0 - 8e-3 * u), 1e-11);
        CHECK_NEAR(td_get_tension(w.system, w.state, 0, 0.04), 0.0, 0.0);
        world_free(&w);
    }
}

// Without load the tendon and the rod take the whole of it: the total wrench is zero everywhere.
static void the_internal_wrench_of_an_unloaded_rod_balances_its_tendons(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        truth_arm arm = truth_nitinol_arm(1.0);
        arm.n_tendons = 1;
        arm.tendon[0] = (truth_tendon){.radius = 8e-3, .rate = 20.0, .tension = 4.0};
        td_options o = truth_options(truth_spaces[i]);
        o.nodes = 28;
        world w = truth_arm_world(&arm, &o);
        for (int k = 0; k <= 6; k++) {
            double s = 0.05 * k, g[3];
            td_sample at = td_get_sample(w.system, w.state, 0, s);
            truth_route r = truth_route_at(&arm.tendon[0], arm.rod.length, s);
            double l = truth_path(&r, at.strain + 3, at.strain, g), f[3], m[3];
            for (int j = 0; j < 3; j++) f[j] = 4.0 * g[j] / l;
            truth_cross(r.r, f, m);
            for (int j = 0; j < 3; j++) {
                CHECK_NEAR(arm.rod.Kse[j] * (at.strain[3 + j] - (j == 2)), -f[j], 1e-6);
                CHECK_NEAR(arm.rod.Kbt[j] * at.strain[j], -m[j], 1e-8);
            }
        }
        world_free(&w);
    }
}

static void points_on_a_line_route_as_the_line(void **unused) {
    (void)unused;
    const double points[] = {0.0, 9e-3, 0.0, 0.1, 7e-3, 1e-3, 0.15, 6e-3, 1.5e-3, 0.3, 3e-3, 3e-3};
    for (int i = 0; i < 2; i++) {
        double tip[2][3];
        for (int k = 0; k < 2; k++) {
            truth_arm arm = truth_nitinol_arm(1.0);
            td_robot *robot = truth_arm_rod(&arm);
            td_error err = {0};
            td_tendon_def def = td_default_tendon_def();
            def.name = "a", def.to = 0.3, def.value = td_constant(5.0);
            def.offset[0] = 9e-3, def.offset_end[0] = def.offset_end[1] = 3e-3;
            if (k == 1) {
                def.routing = TD_ROUTING_POINTS;
                def.points = points, def.n_points = 4;
            }
            CHECK_OK(td_robot_add_tendon(robot, &def, &err), err);
            td_options o = truth_options(truth_spaces[i]);
            world w = world_make(robot, &o);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            memcpy(tip[k], tip_of(&w).p, sizeof tip[k]);
            world_free(&w);
        }
        for (int j = 0; j < 3; j++) CHECK_NEAR(tip[1][j], tip[0][j], 1e-10);
    }
}

// ---------------------------------------------------------------- through points
static const double crooked[] = {0.0,  8e-3,  0.0,  0.03, 7e-3,  4e-3, 0.12, -2e-3, 8e-3,
                                 0.21, -8e-3, 2e-3, 0.26, -5e-3, 0.0,  0.3,  1e-3,  -6e-3};
static const double winding[] = {0.0, 8e-3, 0.0, 0.15, 8e-3, 6.0, 0.3, 3e-3, 8.0};

static void arm_tip(td_tendon_def *def, const td_options *o, double *tip) {
    truth_arm arm = truth_nitinol_arm(1.0);
    td_robot *robot = truth_arm_rod(&arm);
    td_error err = {0};
    def->name = "a", def->to = 0.3, def->value = td_constant(5.0);
    CHECK_OK(td_robot_add_tendon(robot, def, &err), err);
    world w = world_make(robot, o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    memcpy(tip, tip_of(&w).p, 3 * sizeof *tip);
    world_free(&w);
}

static void points_tip(bool polar, const td_options *o, double *tip) {
    td_tendon_def def = td_default_tendon_def();
    def.routing = polar ? TD_ROUTING_POLAR : TD_ROUTING_POINTS;
    def.points = polar ? winding : crooked, def.n_points = polar ? 3 : 6;
    arm_tip(&def, o, tip);
}

// Between the points everything is smooth, and the rod is cut there: collocation converges as fast
// as it does for a straight tendon, and shooting and rom go to the same shape.
static void paths_through_points_cost_no_order(void **unused) {
    (void)unused;
    for (int polar = 0; polar < 2; polar++) {
        double want[3], tip[3];
        td_options o = truth_options(TD_COLLOCATION);
        o.nodes = 40, o.magnus = 6;
        points_tip(polar, &o, want);
        o.nodes = 24;
        points_tip(polar, &o, tip);
        for (int j = 0; j < 3; j++) CHECK_NEAR(tip[j], want[j], 5e-9);
        o = truth_options(TD_SHOOTING);
        o.steps = 200;
        points_tip(polar, &o, tip);
        for (int j = 0; j < 3; j++) CHECK_NEAR(tip[j], want[j], 1e-8);
    }
}

static void a_wound_path_through_polar_points_is_the_helix(void **unused) {
    (void)unused;
    const double turns[] = {0.0, 8e-3, 0.5, 0.1, 8e-3, 3.5, 0.3, 8e-3, 9.5};
    td_tendon_def helix = td_default_tendon_def(), points = td_default_tendon_def();
    helix.routing = TD_ROUTING_HELIX;
    helix.radius = 8e-3, helix.phase = 0.5, helix.turns = 9.0 / (2.0 * 3.14159265358979323846);
    points.routing = TD_ROUTING_POLAR, points.points = turns, points.n_points = 3;
    td_options o = truth_options(TD_COLLOCATION);
    o.nodes = 40, o.magnus = 6;
    double want[3], tip[3];
    arm_tip(&helix, &o, want);
    arm_tip(&points, &o, tip);
    for (int j = 0; j < 3; j++) CHECK_NEAR(tip[j], want[j], 1e-10);
}

// ---------------------------------------------------------------- about to become taut
// A small displacement d of a tendon at r in a weightless arm is taken up by bending, compression and its own stretch,
//
//     d = T L (r^2/EI + 1/EA + 1/EA_t),     tip = T r L^2/(2 EI)
static double tip_per_pull(bool stretches) {
    const double r = 6e-3, L = 0.2, E = 1e6, A = pi * 64e-6, I = pi / 4.0 * 4.096e-9;
    const double gives = r * r / (E * I) + (stretches ? 1.0 / (E * A) : 0.0) + 1.0 / 2e3;
    return r * L / (2.0 * E * I) / gives;
}

static td_system *pulled_arm(int model) {
    static const char text[] =
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: arm, length: 0.2, section: {radius: 8 mm}, material: {youngs_modulus: 1 "
        "MPa, "
        "poisson_ratio: 0.4, density: 1000}}]\n"
        "tendons: [{name: pull, offset: [6 mm, 0], stiffness: 2 kN, input: displacement}]\n";
    td_error err;
    td_robot *robot = td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, &err);
    assert_non_null(robot);
    td_options o = td_robot_options(robot);
    snprintf(o.model, sizeof o.model, "%s", td_model_name(model));
    td_system *system = td_system_create(robot, &o, &err);
    td_robot_destroy(robot);
    return system;
}

static void a_slack_tendon_moves_nothing_and_one_at_its_limit_pulls(void **unused) {
    (void)unused;
    static const double pulls[] = {-1e-5, -1e-7, 0.0, 1e-9, 1e-8, 1e-7, 1e-6};
    int n = 0;
    for (int model = 0; model < td_n_models(); model++) {
        td_system *system = pulled_arm(model);
        if (!system) continue;
        td_state *state = td_state_create(system);
        const char *name = td_model_name(model);
        const bool rigid = strcmp(name, "virtual_power") == 0 || strcmp(name, "tubes") == 0;
        const double taut = tip_per_pull(!rigid);
        for (size_t i = 0; i < sizeof pulls / sizeof *pulls; i++) {
            double J[6];
            td_set_input(system, state, 0, pulls[i]);
            assert_true(td_solve_statics(system, state) >= 0);
            assert_int_equal(td_get_jacobian(system, state, 0, 0.2, J), TD_OK);
            CHECK_NEAR(J[3], pulls[i] < 0.0 ? 0.0 : taut, 1e-4 * taut);
        }
        n++;
        td_state_destroy(state);
        td_system_destroy(system);
    }
    assert_true(n >= 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_tendons_agree_with_the_strain_form),
        cmocka_unit_test(wound_tendons_agree_with_the_strain_form),
        cmocka_unit_test(converging_tendons_agree_with_the_strain_form),
        cmocka_unit_test(tendons_that_end_on_the_way_agree_with_the_strain_form),
        cmocka_unit_test(a_displacement_takes_the_tension_of_the_strain_form),
        cmocka_unit_test(the_arm_of_the_paper_stands_as_in_the_reference),
        cmocka_unit_test(a_straight_tendon_bends_by_tension_times_offset_over_stiffness),
        cmocka_unit_test(a_tendon_that_ends_half_way_leaves_the_rest_straight),
        cmocka_unit_test(a_tendon_in_the_middle_bends_the_middle),
        cmocka_unit_test(the_internal_wrench_of_an_unloaded_rod_balances_its_tendons),
        cmocka_unit_test(points_on_a_line_route_as_the_line),
        cmocka_unit_test(paths_through_points_cost_no_order),
        cmocka_unit_test(a_wound_path_through_polar_points_is_the_helix),
        cmocka_unit_test(a_slack_tendon_moves_nothing_and_one_at_its_limit_pulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
