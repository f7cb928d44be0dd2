// What moving a rigid body asks for, against the point masses that it is made of: Newton for each.
#include "model/cosserat/rigid.h"
#include "model/lumped/net.h"

#include "check.h"
#include "spatial.h"

enum { N_POINTS = 6 };

typedef struct body {  // six points of equal mass on the axes through its centre
    double mass, inertia[3], centre[3];
    vec3 at[N_POINTS];
} body;

static body body_of(double mass, const double half[3], const double centre[3]) {
    body b = {.mass = mass};
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        b.inertia[k] = mass / 3.0 * (half[i] * half[i] + half[j] * half[j]);
        b.centre[k] = centre[k];
    }
    for (int i = 0; i < N_POINTS; i++) {
        double r[3] = {centre[0], centre[1], centre[2]};
        r[i / 2] += i % 2 ? half[i / 2] : -half[i / 2];
        b.at[i] = vec3_load(r);
    }
    return b;
}

typedef struct moving {  // of its frame, in its own axes
    vec3 w, w_t, a;      // a: acceleration of the origin, R' p_tt
    mat3 R;
    vec3 p;
} moving;

// Moment about the origin of the frame, and force, in its axes: sum r x m (r_tt - g), sum m (...).
static vec6 asked_by_points(const body *b, const moving *m, vec3 gravity) {
    const vec3 g = mat3_tmul_vec(&m->R, gravity);
    vec6 sum = vec6_zero();
    for (int i = 0; i < N_POINTS; i++) {
        const vec3 r = b->at[i];
        vec3 a = vec3_add(m->a, vec3_cross(m->w_t, r));
        a = vec3_add(a, vec3_cross(m->w, vec3_cross(m->w, r)));
        const vec3 f = vec3_scale(vec3_sub(a, g), b->mass / N_POINTS);
        sum = vec6_add(sum, (vec6){vec3_cross(r, f), f});
    }
    return sum;
}

static void check_wrench(vec6 found, vec6 expected) {
    double x[6], y[6];
    vec6_store(x, found), vec6_store(y, expected);
    for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], y[i], 1e-12 * (1.0 + fabs(y[i])));
}

static moving some_motion(int k) {
    const double s = k == 0 ? 0.0 : 1.0;  // first without spin
    const quat q = quat_exp(vec3_make(0.3 * k, -0.7, 0.2 + 0.5 * k));
    return (moving){.w = vec3_make(3.0 * s, -5.0 * s, 2.0 * s * k),
                    .w_t = vec3_make(-1.0, 4.0, 0.5 * k),
                    .a = vec3_make(2.0, 0.3 * k, -1.5),
                    .R = quat_to_mat3(q),
                    .p = vec3_make(0.3, -0.2 * k, 0.5)};
}

static const vec3 gravity = {1.0, -2.0, -9.81};
static const double half[3] = {0.02, 0.05, 0.11}, centre[3] = {0.1, -0.03, 0.06};

// model cosserat: the wrench is about the world's origin, velocity and acceleration in the body.
static void a_body_of_cosserat_asks_what_its_points_ask(void **unused) {
    (void)unused;
    const body b = body_of(0.7, half, centre);
    const rigid r = rigid_make(b.mass, mat3_diag(vec3_load(b.inertia)), b.centre);
    for (int k = 0; k < 4; k++) {
        const moving m = some_motion(k);
        const se3 T = {m.R, m.p};
        const vec3 v = vec3_make(0.4, -0.9, 1.3);            // R' p_t
        const vec3 v_t = vec3_sub(m.a, vec3_cross(m.w, v));  // its rate in the body
        const double c0 = 7.0;
        double history[6];
        vec3_store(history, vec3_madd(m.w_t, -c0, m.w));
        vec3_store(history + 3, vec3_madd(v_t, -c0, v));
        vec6 a = se3_adjoint_vec(&T, (vec6){m.w, v});
        vec6 W = rigid_wrench(&r, &T, a, c0, history, gravity, NULL);
        check_wrench(se3_coadjoint_inv_vec(&T, W), asked_by_points(&b, &m, gravity));
    }
}

// Lumped models: moment about the node and force in the world.
static void a_node_of_eba_asks_what_its_points_ask(void **unused) {
    (void)unused;
    const body b = body_of(0.7, half, centre);
    const rigid r = rigid_make(b.mass, mat3_diag(vec3_load(b.inertia)),
                               b.centre);  // inertia about the frame's origin
    const lump l = {r.mass, r.moment, r.inertia};
    for (int k = 0; k < 4; k++) {
        const moving m = some_motion(k);
        const node_state x = {m.p, quat_from_mat3(&m.R), vec3_make(0.4, -0.9, 1.3), m.w};
        const node_rates t = {m.w_t, mat3_mul_vec(&m.R, m.a)};
        vec6 W = inertial_wrench(&l, &m.R, &x, &t, gravity);
        vec6 local = {mat3_tmul_vec(&m.R, W.a), mat3_tmul_vec(&m.R, W.l)};
        check_wrench(local, asked_by_points(&b, &m, gravity));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_cosserat_asks_what_its_points_ask),
        cmocka_unit_test(a_node_of_eba_asks_what_its_points_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
