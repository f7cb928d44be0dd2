// model/cosserat/touching.c - free bodies that touch obstacles: see environment/touch.h.

#include <assert.h>

#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"

static touch_now now_of(const body_point *x, const se3 *T, vec3 w, vec3 v, bool moves) {
    const vec3 arm = mat3_mul_vec(&T->R, x->at);
    return (touch_now){{T->R, vec3_add(T->p, arm)}, w, vec3_add(v, vec3_cross(w, arm)), moves};
}

// by_z (6 x 6) += the answer of a wrench about p to a spatial motion z, where it answers to turns and shifts of p
// by S: with dp = z_l - p^ z_a, d(M + p x F) = dM + p^ dF - F^ dp.
void contact_add_spatial(vec3 p, vec3 force, const double S[36], double *by_z) {
    const mat3 P = mat3_hat(p), F = mat3_hat(force);
    double A[6][6];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            A[i][k] = S[6 * i + k];
            A[i][3 + k] = S[6 * i + 3 + k] - (i < 3 ? F.m[i][k] : 0.0);
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            for (int l = 0; l < 3; l++) A[i][k] += P.m[i][l] * S[6 * (3 + l) + k];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < 3; l++) by_z[6 * i + k] -= A[i][3 + l] * P.m[l][k];
            by_z[6 * i + k] += A[i][k];
            by_z[6 * i + 3 + k] += A[i][3 + k];
        }
}

vec6 contact_of_riders(const rod_problem *p, int k, const se3 *T, vec6 a, int w, double *by_z,
                       double *touching) {
    const rod *r = p->r;
    const vec3 v = vec3_add(a.l, vec3_cross(a.a, T->p));
    vec6 sum = vec6_zero();
    for (int i = 0; i < r->touch->n_points; i++) {
        const body_point *x = &r->points[i];
        if (x->rod != r->index || x->bound != k + 1) continue;
        const touch_now now = now_of(x, T, a.a, v, p->c0 != 0.0);
        point_slopes slopes = {{0.0}, {0.0}};
        double Z[36] = {0.0};
        const vec6 on = touch_at(r->touch, p->m->touch, i, &now, by_z ? &slopes : NULL).wrench;
        sum = vec6_add(sum, vec6_make(vec3_add(on.a, vec3_cross(now.T.p, on.l)), on.l));
        if (touching && vec3_dot(on.l, on.l) > 0.0)
            *touching = touching_with(*touching, r->n_nodes + 2.0 + i);
        if (!by_z) continue;
        contact_add_spatial(now.T.p, on.l, slopes.by_motion, Z);
        for (int l = 0; l < 36; l++) by_z[w * (l / 6) + l % 6] += Z[l];
    }
    return sum;
}

double contact_riders_energy(const rod *r, const rod_memory *m) {
    double sum = 0.0;
    for (int i = 0; r->touch && i < r->touch->n_points; i++) {
        const body_point *x = &r->points[i];
        if (x->rod != r->index) continue;
        const double *y = m->bounds + (size_t)x->bound * Y_SIZE;
        const se3 T = {quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
        const touch_now now = now_of(x, &T, vec3_zero(), vec3_zero(), false);
        sum += touch_at(r->touch, m->touch, i, &now, NULL).energy;
    }
    return sum;
}

// In the shape in progress.
static touch_now now_at(const assembly_problem *p, int i, const body_motion *b) {
    const vec3 v = vec3_add(b->a.l, vec3_cross(b->a.a, b->T.p));
    return now_of(&p->c->body_points[i], &b->T, b->a.a, v, p->c0 != 0.0);
}

vec6 body_touch(const assembly_problem *p, int body, const body_motion *b, double *by_z) {
    const cosserat *c = p->c;
    vec6 sum = vec6_zero();
    for (int i = 0; i < c->touch.n_points; i++) {
        if (c->body_points[i].body != body) continue;
        const touch_now now = now_at(p, i, b);
        point_slopes slopes = {{0.0}, {0.0}};
        const vec6 w = touch_at(&c->touch, &p->m->touch, i, &now, by_z ? &slopes : NULL).wrench;
        sum = vec6_add(sum, wrench_at(now.T.p, w.a, w.l));
        if (by_z) contact_add_spatial(now.T.p, w.l, slopes.by_motion, by_z);
    }
    return sum;
}

static bool point_touches(const assembly_problem *p, int i, const body_motion *b) {
    const touch_now now = now_at(p, i, b);
    const vec3 force = touch_at(&p->c->touch, &p->m->touch, i, &now, NULL).wrench.l;
    return vec3_dot(force, force) > 0.0;
}

double assembly_touching(const assembly_problem *p) {
    double all = p->a->meets ? p->own->meeting : 0.0;
    for (int i = 0; i < p->a->n_rods; i++)
        all = touching_with(all, p->own->problems[i].m->touching);
    for (int k = 0; k < p->a->n_bodies; k++)
        for (int i = 0; i < p->c->touch.n_points; i++)
            if (p->c->body_points[i].body == p->a->bodies[k] &&
                point_touches(p, i, &p->own->bodies[k]))
                all = touching_with(all, i + 1.0);
    return all;
}

static_assert((int)B_P == (int)Y_P && (int)B_H == (int)Y_H, "poses stand first in both");

// Of what carries a point, now or in the shape in progress: a body, or a bound of a rod.
static const double *state_of(const cosserat_memory *m, const body_point *x, bool trial) {
    if (x->rod < 0) return trial ? m->bodies[x->body].trial : m->bodies[x->body].fields[0];
    const double *bounds = trial ? m->rods[x->rod].trial_bounds : m->rods[x->rod].bounds;
    return bounds + (size_t)x->bound * Y_SIZE;
}

static vec3 point_of(const cosserat_memory *m, const body_point *x, bool trial) {
    const double *y = state_of(m, x, trial);
    return vec3_add(vec3_load(y + Y_P), quat_rotate(quat_load(y + Y_H), x->at));
}

static int assembly_of(const cosserat *c, const body_point *x) {
    return x->rod < 0 ? c->bodies[x->body].assembly : c->rods[x->rod].assembly;
}

bool bodies_pass(const assembly_problem *p, char *message) {
    const cosserat *c = p->c;
    const touch_memory *m = &p->m->touch;
    for (int i = 0; i < c->touch.n_points; i++) {
        const body_point *x = &c->body_points[i];
        m->from[i] = point_of(p->m, x, false);
        const bool own = &c->assemblies[assembly_of(c, x)] == p->a;
        m->to[i] = own ? point_of(p->m, x, true) : m->from[i];
    }
    touch_leave(&c->touch, m, true);
    return touch_passes(&c->touch, m, MODEL_MESSAGE_SIZE, message);
}

// ---------------------------------------------------------------- what is hard
static bool same_carrier(const body_point *a, const body_point *b) {
    return a->rod == b->rod && (a->rod < 0 ? a->body == b->body : a->bound == b->bound);
}

// In the shape in progress, which riders have from what their rods have published.
static vec3 point_now_of(const assembly_problem *p, int i) {
    const body_point *x = &p->c->body_points[i];
    if (x->rod >= 0) return point_of(p->m, x, true);
    return now_at(p, i, &p->own->bodies[p->c->bodies[x->body].place]).T.p;
}

touch_depth bodies_depth(const assembly_problem *p, contact_push push) {
    const touch *t = &p->c->touch;
    const body_point *all = p->c->body_points;
    touch_depth worst = {.times = 0.0};
    for (int i = 0, n; i < t->n_points; i += n) {  // those of a body follow one another
        for (n = 1; i + n < t->n_points && same_carrier(&all[i], &all[i + n]);) n++;
        if (&p->c->assemblies[assembly_of(p->c, &all[i])] != p->a) continue;
        for (int k = i; k < i + n; k++) p->m->touch.to[k] = point_now_of(p, k);
        const touch_depth one = touch_depth_of(t, &p->m->touch, i, n);
        if (!(one.times <= worst.times)) worst = one;
        if (push) touch_push(t, &p->m->touch, i, n, push);
    }
    return worst;
}

// In the current state.
static touch_now now_in(const cosserat *c, const cosserat_memory *m, int i, bool moves) {
    const body_point *x = &c->body_points[i];
    const double *f = state_of(m, x, false), *v = f + (x->rod < 0 ? B_W : Y_W);
    const double *q = f + (x->rod < 0 ? B_Q : Y_Q);
    const se3 T = {quat_to_mat3(quat_load(f + B_H)), vec3_load(f + B_P)};
    return now_of(x, &T, mat3_mul_vec(&T.R, vec3_load(v)), mat3_mul_vec(&T.R, vec3_load(q)), moves);
}

void bodies_keep_touch(const cosserat *c, const cosserat_memory *m, shape_origin from) {
    for (int i = 0; i < c->touch.n_points; i++) {
        const touch_now now = now_in(c, m, i, from == SHAPE_MOVED);
        touch_stick(&c->touch, &m->touch, i, &now);
    }
    if (from == SHAPE_SET) touch_forget(&c->touch, &m->touch);
    else touch_accept(&c->touch, &m->touch);
}

double bodies_touch_energy(const cosserat *c, const cosserat_memory *m, const double *inputs) {
    double sum = 0.0;
    for (int i = 0; i < c->touch.n_points; i++)
        sum += touch_energy(&c->touch, &m->touch, m->touch.frames, inputs, i,
                            now_in(c, m, i, false).T.p);
    return sum;
}

void bodies_touch_power(const cosserat *c, const cosserat_memory *m, double *dissipation,
                        double *load) {
    for (int i = 0; i < c->touch.n_points; i++) {
        const touch_now now = now_in(c, m, i, true);
        const touch_answer out = touch_at(&c->touch, &m->touch, i, &now, NULL);
        *dissipation += out.lost;
        *load += out.given;
    }
}
