// Coordinates as numbers where velocities are twists: their changes against the definition, V = R'v and
// V' = R'v' - w x V.
#include "math/se3.h"
#include "solve/chart.h"

#include "check.h"

typedef struct moving {  // a frame and its motion: R, then w, w' in its axes, v, v' in the world
    quat Q;
    vec3 w, w_t, v, v_t;
} moving;

static moving some_motion(void) {
    return (moving){.Q = quat_exp((vec3){0.7, -1.1, 0.4}),
                    .w = {2.0, -0.5, 1.5},
                    .w_t = {0.3, 0.8, -4.0},
                    .v = {-1.0, 3.0, 0.6},
                    .v_t = {5.0, 1.0, -2.0}};
}

static void store_twist(const moving *m, double *x, double v[6], double a[6]) {
    const quat back = quat_conj(m->Q);
    const vec3 V = quat_rotate(back, m->v);
    vec3_store(x, (vec3){0.1, 0.2, 0.3});
    quat_store(x + 3, m->Q);
    vec3_store(v, m->w);
    vec3_store(v + 3, V);
    vec3_store(a, m->w_t);
    vec3_store(a + 3, vec3_sub(quat_rotate(back, m->v_t), vec3_cross(m->w, V)));
}

static const solve_part frame = {.n_x = 7, .n_q = 6, .n_frames = 1, .twists = true};
static const double dz_t[6] = {0.4, -0.3, 0.9, 1.2, -0.8, 0.5};
static const double dz_tt[6] = {-1.0, 0.6, 0.2, 0.3, 0.7, -0.4};

static void check_change(const moving *from, const moving *to, double e, const double dv[6],
                         const double da[6], double tolerance) {
    double x[7], v[2][6], a[2][6];
    store_twist(from, x, v[0], a[0]);
    store_twist(to, x, v[1], a[1]);
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR((v[1][k] - v[0][k]) / e, dv[k], tolerance);
        CHECK_NEAR((a[1][k] - a[0][k]) / e, da[k], tolerance);
    }
}

// The angular velocity in the axes of a frame that turns by th(t) more has R'th' more, its rate
// R'th'' - w x R'th'.
static void rates_of_a_change_change_the_twist(void **state) {
    (void)state;
    const double e = 1e-7;
    const moving m = some_motion();
    const quat back = quat_conj(m.Q);
    moving to = m;
    double x[7], v[6], a[6], dv[6], da[6];
    const vec3 turn = quat_rotate(back, vec3_load(dz_t));
    const vec3 faster = vec3_sub(quat_rotate(back, vec3_load(dz_tt)), vec3_cross(m.w, turn));
    to.w = vec3_madd(m.w, e, turn);
    to.w_t = vec3_madd(m.w_t, e, faster);
    to.v = vec3_madd(m.v, e, vec3_load(dz_t + 3));
    to.v_t = vec3_madd(m.v_t, e, vec3_load(dz_tt + 3));
    store_twist(&m, x, v, a);
    part_carry(&frame, x, v, dz_t, dz_tt, dv, da);
    check_change(&m, &to, e, dv, da, 1e-5);
}

static void a_frame_that_turns_away_under_its_velocity_changes_the_twist(void **state) {
    (void)state;
    const double e = 1e-7;
    const moving m = some_motion();
    moving to = m;
    double x[7], v[6], a[6], dv[6], da[6];
    to.Q = quat_mul(quat_exp(vec3_scale(vec3_load(dz_t), e)), m.Q);
    store_twist(&m, x, v, a);
    part_stay(&frame, x, v, a, dz_t, dv, da);
    check_change(&m, &to, e, dv, da, 1e-5);
}

static void velocities_as_numbers_are_those_in_the_world(void **state) {
    (void)state;
    const moving m = some_motion();
    double x[7], v[6], a[6], rates[6], back[6];
    store_twist(&m, x, v, a);
    part_read_rates(&frame, x, v, rates);
    part_write_rates(&frame, x, rates, back);
    const double world[6] = {m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z};
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(rates[k], world[k], 1e-14);
        CHECK_NEAR(back[k], v[k], 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_a_change_change_the_twist),
        cmocka_unit_test(a_frame_that_turns_away_under_its_velocity_changes_the_twist),
        cmocka_unit_test(velocities_as_numbers_are_those_in_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
