// model/cosserat/bodies.c - free bodies: their motion and their balance.
//
// The time formula acts on the position and on the quaternion h. World angular velocity and its
// answer to a world rotation phi, with s = h . h_t (0 but for the error of the formula):
//
//     Om = 2 vec(h_t h*),     dOm = (c0 - s) phi - Om x phi/2
#include <string.h>

#include "math/block.h"
#include "model/cosserat/around.h"
#include "model/cosserat/assembly.h"

void body_history(body_memory *m, const time_formula *f) {
    for (int i = 0; i < B_SIZE; i++)
        m->history[i] = f->c[0] * m->fields[0][i] + f->c[1] * m->fields[1][i] +
                        f->c[2] * m->fields[2][i] + f->d1 * m->rate[i];
}

void body_accept(body_memory *m, double c0) {
    memcpy(m->fields[2], m->fields[1], sizeof(double) * B_SIZE);
    memcpy(m->fields[1], m->fields[0], sizeof(double) * B_SIZE);
    memcpy(m->fields[0], m->trial, sizeof(double) * B_SIZE);
    for (int i = 0; i < B_SIZE; i++) m->rate[i] = c0 * m->fields[0][i] + m->history[i];
}

void body_rest(body_memory *m) {
    for (int i = 0; i < 3; i++) memcpy(m->fields[i], m->trial, sizeof(double) * B_SIZE);
    memset(m->rate, 0, sizeof(double) * B_SIZE);
}

// The change of velocity da that comes with the motion z.
static vec6 velocity_change(const body_motion *b, double c0, double s, vec6 z) {
    vec3 dp = vec3_add(z.l, vec3_cross(z.a, b->T.p)), Om = b->a.a;
    vec3 dOm = vec3_madd(vec3_scale(z.a, c0 - s), -0.5, vec3_cross(Om, z.a));
    vec3 linear = vec3_add(vec3_scale(dp, c0), vec3_cross(dp, Om));
    return vec6_make(dOm, vec3_add(linear, vec3_cross(b->T.p, dOm)));
}

body_motion body_move(body_memory *m, const double pose[7], double c0) {
    quat h = quat_load(pose + B_H), rate;
    const double *past = m->history;
    rate = (quat){c0 * h.w + past[B_H], c0 * h.x + past[B_H + 1], c0 * h.y + past[B_H + 2],
                  c0 * h.z + past[B_H + 3]};
    body_motion b = {.T = {quat_to_mat3(h), vec3_load(pose)}};
    quat turning = quat_mul(rate, quat_conj(h));
    vec3 Om = vec3_scale(quat_vector(turning), 2.0);
    vec3 V = vec3_madd(vec3_load(past), c0, b.T.p);
    b.a = vec6_make(Om, vec3_add(V, vec3_cross(b.T.p, Om)));
    for (int k = 0; k < 6; k++) {
        double unit[6] = {0.0}, da[6];
        unit[k] = 1.0;
        vec6_store(da, velocity_change(&b, c0, turning.w, vec6_load(unit)));
        for (int i = 0; i < 6; i++) b.by_z[6 * i + k] = da[i];
    }
    memcpy(m->trial, pose, 7 * sizeof(double));
    vec3_store(m->trial + B_W, mat3_tmul_vec(&b.T.R, Om));
    vec3_store(m->trial + B_Q, mat3_tmul_vec(&b.T.R, V));
    return b;
}

base_motion body_base(const rod *r, const body_motion *b, quat h, const double *rates) {
    base_motion base = {.out = rod_fed_rate(r, rates)};
    vec3 offset =
        vec3_make(r->base.position[0].value, r->base.position[1].value, r->base.position[2].value);
    base.p = se3_mul_point(&b->T, offset);
    base.h = quat_mul(h, quat_load(r->base.orientation));
    mat3 R = quat_to_mat3(base.h);
    base.w = mat3_tmul_vec(&R, b->a.a);
    base.q = mat3_tmul_vec(&R, vec3_add(b->a.l, vec3_cross(b->a.a, base.p)));
    return base;
}

// m (6 x 6) += factor (v x) in the block at row, column
static void add_hat(double *m, int row, int column, vec3 v, double factor) {
    const mat3 hat = mat3_hat(v);
    block33_add(m, row, column, factor, &hat);
}

// The loads turn with the body (body axes) or not; all act at its origin.
static vec6 load_wrench(const assembly_problem *p, int body, const se3 *T, double *by_z) {
    const free_body *b = &p->c->bodies[body];
    if (b->n_loads == 0) return vec6_zero();
    static const mat3 none = {{{0.0}}};
    wrench all = body_loads_at(b, p->inputs, p->fraction, &T->R);
    vec6 spatial = vec6_make(vec3_add(all.moment, vec3_cross(T->p, all.force)), all.force);
    if (!by_z) return spatial;
    wrench dead = body_loads_at(b, p->inputs, p->fraction, &none);
    vec3 force = vec3_sub(all.force, dead.force), moment = vec3_sub(all.moment, dead.moment);
    // d(p x F) = dp x F with dp = z_l + z_a x p, and d(R f) = z_a x R f
    add_hat(by_z, 0, 0, moment, -1.0);
    add_hat(by_z, 3, 0, force, -1.0);
    add_hat(by_z, 0, 3, all.force, -1.0);
    mat3 F = mat3_hat(all.force), P = mat3_hat(T->p), FP = mat3_mul(&F, &P);
    mat3 f = mat3_hat(force), Pf = mat3_mul(&P, &f);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) by_z[6 * i + k] += FP.m[i][k] - Pf.m[i][k];
    return spatial;
}

// Moment - k phi and force - f dp at p, with dp = z_l + z_a x p.
void body_hold(const assembly_problem *p, int k, double stiffness, double *by_z) {
    const vec3 at = p->own->bodies[k].T.p;
    const double f = stiffness * p->a->force / p->a->length;
    const mat3 P = mat3_hat(at), PP = mat3_mul(&P, &P);
    for (int i = 0; i < 3; i++) {
        by_z[7 * i] -= stiffness * p->a->force * p->a->length;
        by_z[7 * (3 + i)] -= f;
        for (int l = 0; l < 3; l++) by_z[6 * i + l] += f * PP.m[i][l];
    }
    add_hat(by_z, 0, 3, at, -f);
    add_hat(by_z, 3, 0, at, f);
}

vec6 body_balance(const assembly_problem *p, int body, const body_motion *b, double *by_z) {
    double H[72];
    const double *history = p->m->bodies[body].history + B_W;
    if (by_z) memset(by_z, 0, 36 * sizeof(double));
    vec6 asked = rigid_wrench(&p->c->bodies[body].mass, &b->T, b->a, p->c0, history, p->gravity,
                              by_z ? H : NULL);
    for (int i = 0; i < 6 && by_z; i++)
        for (int k = 0; k < 6; k++) {
            double sum = H[12 * i + k];
            for (int l = 0; l < 6; l++) sum += H[12 * i + 6 + l] * b->by_z[6 * l + k];
            by_z[6 * i + k] -= sum;
        }
    if (by_z && p->springs > 0.0) body_hold(p, p->c->bodies[body].place, p->springs, by_z);
    const vec6 given = load_wrench(p, body, &b->T, by_z);
    vec6 out = vec6_add(vec6_sub(given, asked), body_touch(p, body, b, by_z));
    if (p->c->bodies[body].spring >= 0) out = vec6_add(out, spring_wrench(p, body, b, by_z, NULL));
    const point_body *around = &p->c->bodies[body].around;
    if (!point_body_is_plain(around)) {
        const surroundings s = surroundings_at(&p->c->around, p->inputs, p->fraction, NULL);
        out = vec6_add(out, around_of_body(around, &s, &b->T, by_z));
    }
    if (!p->a->meets) return out;
    const body_push *push = &p->own->body_pushes[p->c->bodies[body].place];
    for (int i = 0; i < 36 && by_z; i++) by_z[i] += push->by_z[i];
    return vec6_add(out, push->wrench);
}
