// model/screw.c - see screw.h.
//
// A small motion y = (R'th, R'dp) of g = g* exp(x^/c0) leads x by dx = c0 dexp_right_inv(x/c0) y; and
// so in the axes of the world, with y and x turned there.
#include "model/screw.h"

#include <string.h>

#include "math/quat.h"

void screw_advance(const double *from, double h, const double *v, double *to) {
    const quat Q = quat_load(from + 3);
    quat turn;
    const vec3 p = se3_exp_turn(vec6_scale(vec6_load(v), h), &turn);
    vec3_store(to, vec3_add(vec3_load(from), quat_rotate(Q, p)));
    quat_store(to + 3, quat_normalise(quat_mul(Q, turn)));
}

void screw_rate_change(const double *q, const double *v, double cv, const double *dz, double *dv) {
    const mat3 R = quat_to_mat3(quat_load(q + 3));
    const vec3 th = mat3_tmul_vec(&R, vec3_load(dz)), dp = mat3_tmul_vec(&R, vec3_load(dz + 3));
    mat3 own, by_turn;
    se3_dexp_right_inv_blocks(vec6_scale(vec6_load(v), 1.0 / cv), &own, &by_turn);
    const vec3 V = vec3_add(mat3_mul_vec(&own, dp), mat3_mul_vec(&by_turn, th));
    vec3_store(dv, vec3_scale(mat3_mul_vec(&own, th), cv));
    vec3_store(dv + 3, vec3_scale(V, cv));
}

void screw_flow(const double *q, const double *v, double *x_t) {
    const quat Q = quat_load(q + 3);
    vec3_store(x_t, quat_rotate(Q, vec3_load(v + 3)));
    quat_store(x_t + 3, quat_rate(Q, vec3_load(v)));
}

void screw_shift(const double *from, double scale, const double *dz, double *to) {
    const quat turn = quat_exp(vec3_scale(vec3_load(dz), scale));
    vec3_store(to, vec3_madd(vec3_load(from), scale, vec3_load(dz + 3)));
    quat_store(to + 3, quat_normalise(quat_mul(turn, quat_load(from + 3))));
}

screw_axes screw_axes_of(const mat3 *R, vec6 twist, vec3 A, bool turns) {
    const mat3 back = mat3_transpose(R), w = mat3_hat(twist.a), V = mat3_hat(twist.l);
    const mat3 faster = mat3_hat(A), wV = mat3_mul(&w, &V), swing = mat3_sub(&faster, &wV);
    const mat3 spin = mat3_mul(&w, &back);
    return (screw_axes){.back = back,
                        .spin = mat3_scale(&spin, -1.0),
                        .V = mat3_mul(&V, &back),
                        .A = mat3_mul(&swing, &back),
                        .turns = turns};
}

// to += x y, of three columns of a row
static void add_product(const double *x, const mat3 *y, double *to) {
    for (int k = 0; k < 3; k++) to[k] += x[0] * y->m[0][k] + x[1] * y->m[1][k] + x[2] * y->m[2][k];
}

void screw_turn_rows(const screw_axes *x, int rows, int stride, double *K, double *D, double *M) {
    for (int i = 0; i < rows; i++, K += stride, D += stride, M += stride) {
        double d[6] = {0.0}, m[6] = {0.0};
        add_product(D, &x->back, d);
        add_product(M, &x->spin, d);
        add_product(M, &x->back, m);
        if (!x->turns) {
            add_product(D + 3, &x->V, K);
            add_product(M + 3, &x->A, K);
            add_product(M + 3, &x->V, d);
            add_product(D + 3, &x->back, d + 3);
            add_product(M + 3, &x->spin, d + 3);
            add_product(M + 3, &x->back, m + 3);
        }
        memcpy(D, d, sizeof d);
        memcpy(M, m, sizeof m);
    }
}
