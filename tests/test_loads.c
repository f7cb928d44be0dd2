// What loads of every kind do to a point: slopes and rates against differences, and what the axes in which
// they are asked must not change.
#include "rods.h"

#include "environment/load.h"
#include "math/quat.h"

#define EVERY_KIND(kind) (int kind = 0; kind < N_LOAD_KINDS; kind++)

static const vec3 place = {0.4, -0.2, 0.7};

static mat3 turned(vec3 by) {
    return quat_to_mat3(quat_exp(by));
}

// Every number by an input of its own.
static td_load_def load_of(int kind) {
    td_load_def load = point_load("load", 0.1);
    load.frame = (td_frame)kind;
    for (int k = 0; k < 3; k++) {
        load.force[k] = (td_number){0.3 * k - 0.7, 1.0 + 0.1 * k, k};
        load.moment[k] = (td_number){0.2 - 0.1 * k, 0.5 - 0.2 * k, 3 + k};
    }
    return load;
}

static const double inputs[6] = {0.3, -0.4, 0.9, 0.2, 0.6, -0.1};

// A wrench of the axes `stand`, as one of the world.
static vec6 in_world(const se3 *stand, vec6 w) {
    return (vec6){mat3_mul_vec(&stand->R, w.a), mat3_mul_vec(&stand->R, w.l)};
}

static void check_same(vec6 a, vec6 b, double tolerance) {
    double x[6], y[6];
    vec6_store(x, a);
    vec6_store(y, b);
    for (int k = 0; k < 6; k++) CHECK_NEAR(x[k], y[k], tolerance);
}

static void slopes_are_those_of_differences(void **unused) {
    (void)unused;
    const double h = 1e-6;
    const mat3 R = turned((vec3){0.2, 0.4, -0.3});
    for
        EVERY_KIND(kind) {
            const td_load_def load = load_of(kind);
            double S[36], most = 0.0;
            load_at(&load, inputs, 0.7, NULL, &(point_now){.R = &R, .p = place}, S);
            for (int k = 0; k < 6; k++) {
                double w[2][6];
                for (int side = 0; side < 2; side++) {
                    const vec3 unit = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
                    const vec3 by = vec3_scale(unit, side ? h : -h);
                    const mat3 turn = turned(k < 3 ? by : vec3_zero()), now = mat3_mul(&turn, &R);
                    const point_now at = {.R = &now, .p = k < 3 ? place : vec3_add(place, by)};
                    vec6_store(w[side], load_at(&load, inputs, 0.7, NULL, &at, NULL));
                }
                for (int i = 0; i < 6; i++) {
                    CHECK_NEAR(S[6 * i + k], (w[1][i] - w[0][i]) / (2.0 * h), 1e-8);
                    most = fmax(most, fabs(S[6 * i + k]));
                }
            }
            assert_int_equal(load_answers(&load), most > 1e-3);
        }
}

// The same point in the world, asked for in axes that stand elsewhere.
static void axes_do_not_change_what_a_load_does(void **unused) {
    (void)unused;
    const se3 stand = {turned((vec3){-0.5, 0.3, 1.1}), {0.2, 0.5, -0.3}};
    const mat3 R = turned((vec3){0.2, 0.4, -0.3}), seen = mat3_tmul(&stand.R, &R);
    const vec3 p = mat3_tmul_vec(&stand.R, vec3_sub(place, stand.p));
    for
        EVERY_KIND(kind) {
            const td_load_def load = load_of(kind);
            const vec6 there = load_at(&load, inputs, 0.7, NULL, &(point_now){&R, place, p}, NULL);
            const vec6 here = load_at(&load, inputs, 0.7, &stand, &(point_now){&seen, p, p}, NULL);
            check_same(in_world(&stand, here), there, 1e-14);
        }
}

// Axes that move carry a point along that stands still in them.
static void rates_are_those_of_differences(void **unused) {
    (void)unused;
    const double h = 1e-6;
    const mat3 R = turned((vec3){0.2, 0.4, -0.3});
    const se3 stand = {turned((vec3){-0.5, 0.3, 1.1}), {0.2, 0.5, -0.3}};
    const vec6 moving = {{0.4, -0.8, 0.3}, {0.2, 0.6, -0.5}};
    const point_now at = {.R = &R, .p = place};
    const double rates[6] = {1.0, -0.5, 0.3, 0.7, 0.2, -0.9};
    for
        EVERY_KIND(kind) {
            const td_load_def load = load_of(kind);
            vec6 w[2];
            for (int side = 0; side < 2; side++) {
                const double t = side ? h : -h;
                const mat3 turn = turned(vec3_scale(moving.a, t));
                const se3 then = {mat3_mul(&stand.R, &turn),
                                  vec3_madd(stand.p, t, mat3_mul_vec(&stand.R, moving.l))};
                double x[6];
                for (int k = 0; k < 6; k++) x[k] = inputs[k] + t * rates[k];
                w[side] = load_at(&load, x, 0.7, &then, &at, NULL);
            }
            check_same(load_rate(&load, inputs, rates, 0.7, &stand, moving, &at),
                       vec6_scale(vec6_sub(w[1], w[0]), 0.5 / h), 1e-8);
        }
}

// What is said to have an energy does no work around a loop: its slope is symmetric.
static void forces_with_a_potential_have_symmetric_slopes(void **unused) {
    (void)unused;
    const mat3 R = turned((vec3){0.2, 0.4, -0.3});
    for
        EVERY_KIND(kind) {
            td_load_def load = load_of(kind);
            assert_non_null(load_lacks_potential(&load, inputs));
            for (int k = 0; k < 3; k++) load.moment[k] = td_constant(0.0);
            double S[36], skew = 0.0;
            load_at(&load, inputs, 1.0, NULL, &(point_now){.R = &R, .p = place}, S);
            for (int i = 0; i < 36; i++) skew = fmax(skew, fabs(S[i] - S[6 * (i % 6) + i / 6]));
            assert_int_equal(load_lacks_potential(&load, inputs) != NULL, skew > 1e-9);
            for (int k = 0; k < 3; k++) load.force[k] = td_constant(0.0);
            assert_null(load_lacks_potential(&load, inputs));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_differences),
        cmocka_unit_test(axes_do_not_change_what_a_load_does),
        cmocka_unit_test(rates_are_those_of_differences),
        cmocka_unit_test(forces_with_a_potential_have_symmetric_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
