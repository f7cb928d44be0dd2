// What surroundings do to a point: against closed forms, and slopes against differences.
#include "rods.h"

#include "environment/environment.h"
#include "math/quat.h"

static const point_body body = {.mass = 0.3,
                                .moment = {0.02, -0.01, 0.03},
                                .drag = {0.4, 0.7, 0.1},
                                .linear_drag = {0.2, 0.05, 0.3}};
static const vec3 gravity = {1.0, -2.0, -9.0};

static mat3 turned(vec3 by) {
    return quat_to_mat3(quat_exp(by));
}

static point_answer answer(const mat3 *R, vec3 p, vec3 v, point_slopes *slopes) {
    point_answer out = {.lost = 0.0};
    environment_add(gravity, NULL, &body, &(point_now){R, p, v}, &out, slopes);
    return out;
}

// A plate that moves along one of its axes: (linear + square |v|) |v| against it, and nothing else.
static void drag_is_against_the_velocity_in_each_axis(void **unused) {
    (void)unused;
    const mat3 R = turned((vec3){0.3, -0.5, 0.8});
    point_answer out = {.lost = 0.0};
    const vec3 v = mat3_mul_vec(&R, (vec3){0.0, -2.0, 0.0});
    environment_add(vec3_zero(), NULL, &body, &(point_now){&R, vec3_zero(), v}, &out, NULL);
    const vec3 f = mat3_tmul_vec(&R, out.wrench.l);
    CHECK_NEAR(f.x, 0.0, 1e-14);
    CHECK_NEAR(f.y, (0.05 + 0.7 * 2.0) * 2.0, 1e-14);
    CHECK_NEAR(f.z, 0.0, 1e-14);
    CHECK_NEAR(out.lost, -vec3_dot(out.wrench.l, v), 1e-14);
}

// The wrench of the weight is the change of its energy: -dE = M . turn + F . shift.
static void weight_has_a_potential(void **unused) {
    (void)unused;
    const double h = 1e-6;
    const vec3 start = {0.2, 0.4, -0.3}, p = {0.5, 0.1, 0.2};
    const mat3 R = turned(start);
    double w[6];
    vec6_store(w, answer(&R, p, vec3_zero(), NULL).wrench);
    for (int k = 0; k < 6; k++) {
        double e[2];
        for (int side = 0; side < 2; side++) {
            const double step = side ? h : -h;
            const vec3 unit = {k % 3 == 0, k % 3 == 1, k % 3 == 2}, by = vec3_scale(unit, step);
            const mat3 turn = turned(k < 3 ? by : vec3_zero()), now = mat3_mul(&turn, &R);
            const vec3 at = k < 3 ? p : vec3_add(p, by);
            e[side] = environment_energy(gravity, &body, &(point_now){.R = &now, .p = at});
        }
        CHECK_NEAR(w[k], -(e[1] - e[0]) / (2.0 * h), 1e-9);
    }
}

static void slopes_are_those_of_differences(void **unused) {
    (void)unused;
    const double h = 1e-6;
    const vec3 p = {0.5, 0.1, 0.2}, v = {0.7, -1.1, 0.4};
    const mat3 R = turned((vec3){0.2, 0.4, -0.3});
    point_slopes at = {{0.0}, {0.0}};
    answer(&R, p, v, &at);
    for (int k = 0; k < 12; k++) {
        double w[2][6];
        for (int side = 0; side < 2; side++) {
            const vec3 unit = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
            const vec3 by = vec3_scale(unit, side ? h : -h);
            const mat3 turn = turned(k < 3 ? by : vec3_zero()), now = mat3_mul(&turn, &R);
            vec6_store(w[side], answer(&now, k / 3 == 1 ? vec3_add(p, by) : p,
                                       k / 3 == 3 ? vec3_add(v, by) : v, NULL)
                                    .wrench);
        }
        const double *slope = k < 6 ? at.by_motion + k : at.by_velocity + k - 6;
        for (int i = 0; i < 6; i++) CHECK_NEAR(slope[6 * i], (w[1][i] - w[0][i]) / (2.0 * h), 1e-8);
    }
}

static void what_drags_is_not_uniform(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    environment e = environment_of(robot);
    assert_true(environment_is_uniform(&e));
    const double push = 3.0;
    e.gravity[1] = (td_number){0.0, 2.0, 0};
    CHECK_NEAR(environment_gravity(&e, &push, 0.5).y, 3.0, 0.0);
    CHECK_NEAR(environment_gravity_rate(&e, &push).y, 6.0, 0.0);
    td_robot_destroy(robot);
    piece.linear_drag[2] = 0.1;
    robot = rod_robot(&piece, 1);
    e = environment_of(robot);
    assert_false(environment_is_uniform(&e));
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_is_against_the_velocity_in_each_axis),
        cmocka_unit_test(weight_has_a_potential),
        cmocka_unit_test(slopes_are_those_of_differences),
        cmocka_unit_test(what_drags_is_not_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
