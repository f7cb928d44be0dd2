// Derivatives of equilibria and their stability, in all three lumped models: differences of solutions,
// reciprocity, Euler's columns, the Cosserat rod.
#include "math/se3.h"

#include "lumped.h"

static const char *const models[] = {"eba", "ebr", "srl"};
enum { SWING, PULL, GAS, PRESS, N_INPUTS };

// A base that turns and shifts, a tendon on a spring that ends on the way, a gas, a chamber, weight.
static td_robot *busy_robot(bool follows) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.4, -0.5, 0.3);
    int swing = add_input(robot, "swing"), pull = add_input(robot, "pull");
    int gas_input = add_input(robot, "gas"), press = add_input(robot, "press");
    assert_int_equal(press, PRESS);
    lumped_rod r = unit_rod();
    r.curvature[1] = 0.3;
    td_piece_def piece = lumped_piece(&r);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.rotation[0] = (td_number){0.2, 1.0, swing};
    rod.base.rotation[2] = (td_number){0.1, -0.5, swing};
    rod.base.position[1] = (td_number){0.0, 0.3, swing};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.to = 0.6, t.offset[0] = 0.05, t.offset_end[1] = 0.04;
    t.input = TD_DISPLACEMENT, t.stiffness = 50.0, t.value = (td_number){0.0, 1.0, pull};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_chamber_def gas = td_default_chamber_def();
    gas.name = "gas", gas.to = 1.0, gas.area = 1e-5, gas.offset[0] = 0.05;
    gas.input = TD_AMOUNT, gas.value = (td_number){4e-4, 1.0, gas_input};
    CHECK_OK(td_robot_add_chamber(robot, &gas, &err), err);
    td_chamber_def air = td_default_chamber_def();
    air.name = "air", air.to = 1.0, air.area = 1e-4, air.offset[1] = -0.06;
    air.value = (td_number){0.0, 1.0, press};
    CHECK_OK(td_robot_add_chamber(robot, &air, &err), err);
    td_load_def load = point_load("load", 0.75);
    set3(load.force, 0.3, 0.2, -0.3);
    if (follows) load.frame = TD_FRAME_BODY;
    add_load(robot, &load);
    return robot;
}

static world busy_world(const char *model, bool follows) {
    static const double values[N_INPUTS] = {0.4, 0.01, 1e-5, 1e4};
    td_options o = lumped_options(model, 6, false);
    o.tolerance = 1e-13;
    world w = world_make(busy_robot(follows), &o);
    for (int i = 0; i < N_INPUTS; i++) td_set_input(w.system, w.state, i, values[i]);
    assert_true(td_solve_statics(w.system, w.state) >= 0);
    assert_false(td_get_tendon(w.system, w.state, 0).slack);
    return w;
}

// (rotation, translation) per step, world.
static void motion(const td_pose *from, const td_pose *to, double step, double out[6]) {
    quat q = quat_mul(quat_load(to->q), quat_conj(quat_load(from->q)));
    vec3_store(out, vec3_scale(quat_log(q), 1.0 / step));
    for (int i = 0; i < 3; i++) out[3 + i] = (to->p[i] - from->p[i]) / step;
}

static const double places[] = {0.0, 0.07, 0.5, 0.69, 1.0};

static void jacobians_are_differences_of_solutions(void **state) {
    (void)state;
    static const double steps[N_INPUTS] = {1e-5, 1e-6, 1e-8, 10.0};
    for (int k = 0; k < 6; k++) {
        world w = busy_world(models[k % 3], k < 3);
        double J[5][6 * N_INPUTS];
        for (int p = 0; p < 5; p++)
            CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, places[p], J[p]));
        for (int i = 0; i < N_INPUTS; i++) {
            const double value = td_get_input(w.system, w.state, i);
            td_pose at[2][5];
            for (int side = 0; side < 2; side++) {
                td_set_input(w.system, w.state, i, value + (side ? steps[i] : -steps[i]));
                assert_true(td_solve_statics(w.system, w.state) >= 0);
                for (int p = 0; p < 5; p++)
                    at[side][p] = td_get_pose(w.system, w.state, 0, places[p]);
            }
            td_set_input(w.system, w.state, i, value);
            for (int p = 0; p < 5; p++) {
                double moved[6], size = 0.0;
                motion(&at[0][p], &at[1][p], 2.0 * steps[i], moved);
                for (int r = 0; r < 6; r++) size = fmax(size, fabs(moved[r]));
                for (int r = 0; r < 6; r++)
                    CHECK_NEAR(J[p][r * N_INPUTS + i], moved[r], 1e-5 * size + 1e-14);
            }
        }
        world_free(&w);
    }
}

// The load of the robot at 0.75 is a node: more of it is a wrench there.
static void compliances_are_differences_of_solutions(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double C[5][36];
        world w = busy_world(models[k], false);
        for (int p = 0; p < 5; p++)
            CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, places[p], 0, 0.75, C[p]));
        world_free(&w);
        for (int i = 0; i < 6; i++) {
            td_pose at[2][5];
            for (int side = 0; side < 2; side++) {
                const double e = side ? 1e-5 : -1e-5;
                td_robot *robot = busy_robot(false);
                td_load_def more = point_load("more", 0.75);
                (i < 3 ? more.moment : more.force)[i % 3] = td_constant(e);
                add_load(robot, &more);
                td_options o = lumped_options(models[k], 6, false);
                o.tolerance = 1e-13;
                world v = world_make(robot, &o);
                td_set_input(v.system, v.state, SWING, 0.4);
                td_set_input(v.system, v.state, PULL, 0.01);
                td_set_input(v.system, v.state, GAS, 1e-5);
                td_set_input(v.system, v.state, PRESS, 1e4);
                assert_true(td_solve_statics(v.system, v.state) >= 0);
                for (int p = 0; p < 5; p++)
                    at[side][p] = td_get_pose(v.system, v.state, 0, places[p]);
                world_free(&v);
            }
            for (int p = 0; p < 5; p++) {
                double moved[6];
                motion(&at[0][p], &at[1][p], 2e-5, moved);
                for (int r = 0; r < 6; r++) CHECK_NEAR(C[p][6 * r + i], moved[r], 1e-6);
            }
        }
    }
}

// Maxwell and Betti: what a wrench here does there, it does here from there; also between nodes.
static void compliances_are_reciprocal(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        world w = busy_world(models[k], false);
        double there[36], back[36];
        CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, 0.69, 0, 0.31, there));
        CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, 0.31, 0, 0.69, back));
        for (int i = 0; i < 36; i++) CHECK_NEAR(there[i], back[6 * (i % 6) + i / 6], 1e-7);
        CHECK_BETWEEN(there[0], 0.05, 1.0);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- stability
#define PI 3.14159265358979323846

static double stability_of(td_robot *robot, const char *model, int segments) {
    td_options o = lumped_options(model, segments, false);
    o.nodes = 16;
    world w = world_make(robot, &o);
    double smallest = HUGE_VAL;
    assert_true(td_solve_statics(w.system, w.state) >= 0);
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
    world_free(&w);
    return smallest;
}

static td_robot *column(double share) {
    lumped_rod r = unit_rod();
    for (int i = 3; i < 6; i++) r.stiffness[i] = 1e8;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, 1.0, 0.0, 0.0, -share * 0.25 * PI * PI);
    return robot;
}

// n segments whose direction is the mean of their ends' bear 4 n^2 tan^2(pi/(4 n)) EI/L^2, and links
// that lie half along either end (srl) as much with the sine: Euler's load for many.
static double discrete_stability(double share, int n, bool links) {
    const double x = 0.25 * PI / n, t = links ? sin(x) : tan(x);
    return 1.0 - share * 0.25 * PI * PI / (4.0 * n * n * t * t);
}

static void a_column_loses_its_stability_as_euler_says(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(stability_of(column(0.0), models[k], 4), 1.0, 1e-6);
        CHECK_NEAR(stability_of(column(0.7), models[k], 5), discrete_stability(0.7, 5, k == 2),
                   1e-6);
        CHECK_NEAR(stability_of(column(0.7), models[k], 10), discrete_stability(0.7, 10, k == 2),
                   1e-6);
    }
    CHECK_NEAR(stability_of(column(0.7), "eba", 200), 0.3, 2e-5);
}

// Clamped at both ends, pressed together: 4 pi^2 EI/L^2.
static void a_clamped_column_too(void **state) {
    (void)state;
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 3; i < 6; i++) r.stiffness[i] = 1e6;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    td_rod_def rod = td_default_rod_def();
    rod.name = "column", rod.pieces = &piece, rod.n_pieces = 1;
    rod.tip.held = true, rod.tip.position[2] = td_constant(1.0 - 0.6 * 4.0 * PI * PI / 1e6);
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    CHECK_NEAR(stability_of(robot, "eba", 40), 0.4, 5e-3);
}

static void stability_is_that_of_the_cosserat_rod(void **state) {
    (void)state;
    double truth = stability_of(busy_robot(false), "cosserat", 1);
    double eba = stability_of(busy_robot(false), "eba", 8);
    CHECK_NEAR(stability_of(busy_robot(false), "ebr", 8), eba, 1e-8);
    CHECK_BETWEEN(truth, 0.1, 0.99);
    CHECK_NEAR(eba, truth, 1e-2);
    CHECK_NEAR(stability_of(busy_robot(false), "eba", 32), truth, 1e-3);
}

// Stays beside a column that hold their length, exactly or by a spring, take the easiest way out.
static void a_tendon_that_holds_its_length_admits_fewer_shapes(void **state) {
    (void)state;
    double smallest[3];
    for (int k = 0; k < 3; k++) {
        td_error err = {0};
        td_robot *robot = column(0.7);
        if (k > 0) {
            td_tendon_def t = td_default_tendon_def();
            t.name = "stay", t.to = 1.0, t.offset[0] = t.offset_end[0] = 0.05, t.pushes = true;
            t.input = TD_DISPLACEMENT, t.stiffness = k == 1 ? 20.0 : 0.0;
            CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
            td_tendon_def o = t;
            o.name = "other", o.offset[0] = 0.0, o.offset_end[0] = 0.0;
            o.offset[1] = o.offset_end[1] = 0.05;
            CHECK_OK(td_robot_add_tendon(robot, &o, &err), err);
        }
        smallest[k] = stability_of(robot, "eba", 10);
    }
    CHECK_NEAR(smallest[0], discrete_stability(0.7, 10, false), 1e-6);
    CHECK_BETWEEN(smallest[1], smallest[0] + 1e-3, smallest[2]);
    CHECK_BETWEEN(smallest[2], smallest[1], 0.95);
}

// Beck: a force that follows the tip never makes a column diverge, one that keeps its direction does.
static void loads_that_follow_are_judged_by_eigenvalues(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        lumped_rod r = unit_rod();
        td_piece_def piece = lumped_piece(&r);
        td_robot *robot = rod_robot(&piece, 1);
        td_load_def load = point_load("push", 1.0);
        set3(load.force, 0.0, 0.0, -1.5 * 2.4674);
        load.frame = TD_FRAME_BODY;
        add_load(robot, &load);
        CHECK_BETWEEN(stability_of(robot, models[k], 8), 0.3, 1.0);
    }
}

// A straight rod under a small force at its tip: its deflection is proportional to it.
static world pushed_world(const char *model, double force) {
    const lumped_rod r = unit_rod();
    const td_piece_def piece = lumped_piece(&r);
    td_robot *robot = td_robot_create();
    td_rod_def rod = td_default_rod_def();
    td_error err = {0};
    set_gravity(robot, 0.0, 0.0, 0.0);
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_load_def load = point_load("push", piece.length);
    set3(load.force, force, 0.0, 0.0);
    add_load(robot, &load);
    const td_options o = lumped_options(model, 6, false);
    world w = world_make(robot, &o);
    assert_true(td_solve_statics(w.system, w.state) >= 0);
    return w;
}

static void sensitivity_is_that_of_what_differs(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        const double force = 1e-5, step = 1e-6;
        world w = pushed_world(models[i], force), plus = pushed_world(models[i], force + step),
              minus = pushed_world(models[i], force - step);
        const double L = td_rod_length(w.system, 0);
        const double x = td_get_pose(w.system, w.state, 0, L).p[0];
        double out[6];
        CHECK_CALL(
            &w, td_get_sensitivity(w.system, w.state, plus.system, minus.system, step, 0, L, out));
        assert_true(x > 0.0);
        CHECK_NEAR(out[3], x / force, 1e-6 * x / force);
        world_free(&w), world_free(&minus), world_free(&plus);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_are_differences_of_solutions),
        cmocka_unit_test(compliances_are_differences_of_solutions),
        cmocka_unit_test(compliances_are_reciprocal),
        cmocka_unit_test(sensitivity_is_that_of_what_differs),
        cmocka_unit_test(a_column_loses_its_stability_as_euler_says),
        cmocka_unit_test(a_clamped_column_too),
        cmocka_unit_test(stability_is_that_of_the_cosserat_rod),
        cmocka_unit_test(a_tendon_that_holds_its_length_admits_fewer_shapes),
        cmocka_unit_test(loads_that_follow_are_judged_by_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
