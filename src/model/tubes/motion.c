// model/tubes/motion.c - the centre line, the angles of tubes, and how they move.
#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "model/tubes/bundle.h"

static vec3 column3(const mat3 *R) {
    return mat3_column(R, 2);
}

static vec3 in_frame(const mat3 *R, const double u[2]) {  // R (u, 0)
    return (vec3){R->m[0][0] * u[0] + R->m[0][1] * u[1], R->m[1][0] * u[0] + R->m[1][1] * u[1],
                  R->m[2][0] * u[0] + R->m[2][1] * u[1]};
}

// se3_magnus6 without translation.
static vec3 magnus(double d, vec3 g1, vec3 g2, vec3 g3) {
    const double r = 1.2909944487358056284;  // sqrt(15)/3
    const vec3 y1 = vec3_scale(g2, d), y2 = vec3_scale(vec3_sub(g3, g1), r * d);
    const vec3 y3 = vec3_scale(vec3_madd(vec3_add(g1, g3), -2.0, g2), 10.0 / 3.0 * d);
    const vec3 b = vec3_cross(y1, y2), c = vec3_cross(y1, vec3_sub(vec3_scale(y3, 2.0), b));
    const vec3 left = vec3_add(vec3_madd(y3, 20.0, y1), b);
    const vec3 sum = vec3_madd(y1, 1.0 / 12.0, y3);
    return vec3_madd(sum, 1.0 / 240.0, vec3_cross(left, vec3_madd(y2, 1.0 / 60.0, c)));
}

static vec3 mixed(int n, const double *row, const double *u) {
    vec3 out = vec3_zero();
    for (int k = 0; k < n; k++) out.x += row[k] * u[2 * k], out.y += row[k] * u[2 * k + 1];
    return out;
}

static mat3 turned(const mat3 *R, vec3 by) {
    const mat3 step = so3_exp(by);
    return mat3_mul(R, &step);
}

mat3 tube_axes(const knot *k, int tube) {
    const double c = cos(k->psi[tube]), s = sin(k->psi[tube]);
    mat3 out = k->R;
    for (int i = 0; i < 3; i++) {
        out.m[i][0] = c * k->R.m[i][0] + s * k->R.m[i][1];
        out.m[i][1] = -s * k->R.m[i][0] + c * k->R.m[i][1];
    }
    return out;
}

// ---------------------------------------------------------------- the plate
// Shafts bring the angles of back ends to it.
static void move_base(const bundle *b, bundle_memory *m, const bundle_situation *at,
                      const double *q, const double *v, const double *a) {
    const base_motion *s = &at->base;
    const mat3 *R = &s->pose.R;
    knot *k = &m->base;
    const shaft_now *shaft = m->shafts;
    *k = (knot){.R = *R, .p = s->pose.p};
    k->w = mat3_mul_vec(R, s->w), k->v = mat3_mul_vec(R, s->v);
    k->w_t = mat3_mul_vec(R, s->w_t), k->v_t = mat3_mul_vec(R, s->v_t);
    for (int j = 0; j < b->n; j++) {
        k->psi[j] = at->alpha[j], k->spin[j] = at->alpha_t[j], k->spin_t[j] = at->alpha_tt[j];
        for (int i = 0; i < b->tubes[j].n_shafts; i++, shaft++)
            for (int n = 0; n < b->per; n++) {
                const int at_q = b->tubes[j].first + i * b->per + n;
                const double length = shaft->h * b->gauss.b[n];
                k->psi[j] += length * q[at_q];
                if (v) k->spin[j] += length * v[at_q];
                if (a) k->spin_t[j] += length * a[at_q];
            }
    }
}

// ---------------------------------------------------------------- elements
static void turn_nodes(const bundle *b, bundle_memory *m, int e, const knot *from,
                       const double *q) {
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = e * n;
    const double h = m->elements[e].h, *u = node_u(q, first);
    mat3 R = from->R;
    for (int i = 0; i <= n; i++) {
        knot *to = i < n ? &m->nodes[first + i] : &m->ends[e];
        R = turned(&R, magnus(h * g->step[i], mixed(n, g->at[i][0], u), mixed(n, g->at[i][1], u),
                              mixed(n, g->at[i][2], u)));
        to->R = R;
    }
}

// *to = from + h sum row_k what_k, of vectors at the nodes of an element.
#define GROW(field, what)                                                                          \
    for (int i = 0; i <= n; i++) {                                                                 \
        const double *row = i < n ? g->A[i] : g->b;                                                \
        vec3 sum = vec3_zero();                                                                    \
        for (int k = 0; k < n; k++) sum = vec3_madd(sum, row[k], what[k]);                         \
        knot *to = i < n ? &m->nodes[first + i] : &m->ends[e];                                     \
        to->field = vec3_madd(from->field, h, sum);                                                \
    }

static void shift_nodes(const bundle *b, bundle_memory *m, int e, const knot *from, const double *v,
                        const double *a) {
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = e * n;
    const double h = m->elements[e].h;
    const knot *at = m->nodes + first;
    vec3 t[MOST_NODES], x[MOST_NODES], y[MOST_NODES];
    for (int k = 0; k < n; k++) t[k] = column3(&at[k].R);
    GROW(p, t)
    for (int k = 0; k < n; k++) x[k] = v ? in_frame(&at[k].R, node_u(v, first + k)) : vec3_zero();
    GROW(w, x)
    for (int k = 0; k < n; k++) y[k] = vec3_cross(at[k].w, t[k]);
    GROW(v, y)
    for (int k = 0; k < n; k++) {
        x[k] = vec3_cross(at[k].w, x[k]);
        if (a) x[k] = vec3_add(x[k], in_frame(&at[k].R, node_u(a, first + k)));
    }
    GROW(w_t, x)
    for (int k = 0; k < n; k++)
        y[k] = vec3_add(vec3_cross(at[k].w_t, t[k]), vec3_cross(at[k].w, y[k]));
    GROW(v_t, y)
}

static void spin_nodes(const bundle *b, bundle_memory *m, int e, const knot *from, int j,
                       const double *q, const double *v, const double *a) {
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = twist_at(b, j, e * n);
    const double h = m->elements[e].there[j] ? m->elements[e].h : 0.0;
    for (int i = 0; i <= n; i++) {
        const double *row = i < n ? g->A[i] : g->b;
        knot *to = i < n ? &m->nodes[e * n + i] : &m->ends[e];
        double psi = 0.0, spin = 0.0, spin_t = 0.0;
        for (int k = 0; k < n; k++) {
            psi += row[k] * q[first + k];
            if (v) spin += row[k] * v[first + k];
            if (a) spin_t += row[k] * a[first + k];
        }
        to->psi[j] = from->psi[j] + h * psi;
        to->spin[j] = from->spin[j] + h * spin;
        to->spin_t[j] = from->spin_t[j] + h * spin_t;
    }
}

void bundle_move(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                 const double *v, const double *a) {
    move_base(b, m, at, q, v, a);
    for (int e = 0; e < b->n_elements; e++) {
        const knot *from = e ? &m->ends[e - 1] : &m->base;
        turn_nodes(b, m, e, from, q);
        shift_nodes(b, m, e, from, v, a);
        for (int j = 0; j < b->n; j++) spin_nodes(b, m, e, from, j, q, v, a);
    }
}

// ---------------------------------------------------------------- any point
static void place_behind(const bundle *b, const bundle_memory *m, int j, double s, const double *q,
                         const double *v, const double *a, tube_point *out) {
    const tube_def *t = &b->tubes[j];
    const shaft_now *shaft = m->shafts;
    double row[MOST_NODES];
    for (int i = 0; i < j; i++) shaft += b->tubes[i].n_shafts;
    out->k = m->base;
    out->k.p = vec3_madd(m->base.p, s + m->beta[j], column3(&m->base.R));
    out->k.v = vec3_add(m->base.v, vec3_cross(m->base.w, vec3_sub(out->k.p, m->base.p)));
    for (int i = 0; i < t->n_shafts; i++, shaft++) {
        const double x = shaft->h > 0.0 ? (s - shaft->from) / shaft->h : 1.0;
        if (x >= 1.0) continue;
        const double from = fmax(x, 0.0);
        if (!integration_matrix(b->per, b->gauss.c, b->gauss.bary, 1, &from, row)) return;
        for (int k = 0; k < b->per; k++) {  // what lies before the plate is left out
            const int at = t->first + i * b->per + k;
            const double length = shaft->h * (b->gauss.b[k] - row[k]);
            out->k.psi[j] -= length * q[at];
            if (v) out->k.spin[j] -= length * v[at];
            if (a) out->k.spin_t[j] -= length * a[at];
        }
        if (x < 0.0) continue;
        lagrange_row(b->per, b->gauss.c, b->gauss.bary, from, row);
        for (int k = 0; k < b->per; k++) out->u.z += row[k] * q[t->first + i * b->per + k];
    }
}

static vec3 along(int n, const double *row, const vec3 *x) {
    vec3 sum = vec3_zero();
    for (int k = 0; k < n; k++) sum = vec3_madd(sum, row[k], x[k]);
    return sum;
}

// The frame goes on from the node before.
static mat3 frame_at(const bundle *b, const bundle_memory *m, int e, double x, const double *u) {
    static const double points[3] = {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3};
    const bundle_table *g = &b->gauss;
    const int n = b->per;
    const mat3 *R = e ? &m->ends[e - 1].R : &m->base.R;
    double from = 0.0, row[MOST_NODES];
    for (int k = 0; k < n && g->c[k] <= x; k++) R = &m->nodes[e * n + k].R, from = g->c[k];
    vec3 at[3];
    for (int k = 0; k < 3; k++) {
        lagrange_row(n, g->c, g->bary, from + points[k] * (x - from), row);
        at[k] = mixed(n, row, u);
    }
    return turned(R, magnus(m->elements[e].h * (x - from), at[0], at[1], at[2]));
}

static void place_in(const bundle *b, const bundle_memory *m, int j, int e, const double *q,
                     const double *v, const double *a, tube_point *out) {
    const bundle_table *g = &b->gauss;
    const int n = b->per, first = e * n;
    const double x = out->x, h = m->elements[e].h, *u = node_u(q, first);
    const knot *at = m->nodes + first, *from = e ? &m->ends[e - 1] : &m->base;
    double grown[MOST_NODES], row[MOST_NODES];
    vec3 t[MOST_NODES], turn[MOST_NODES], y[MOST_NODES];
    integration_matrix(n, g->c, g->bary, 1, &x, grown);
    lagrange_row(n, g->c, g->bary, x, row);
    knot *k = &out->k;
    *k = *from;
    k->R = frame_at(b, m, e, x, u);
    for (int i = 0; i < n; i++) {
        t[i] = column3(&at[i].R);
        turn[i] = v ? in_frame(&at[i].R, node_u(v, first + i)) : vec3_zero();
        y[i] = vec3_cross(at[i].w, t[i]);
    }
    k->p = vec3_madd(from->p, h, along(n, grown, t));
    k->w = vec3_madd(from->w, h, along(n, grown, turn));
    k->v = vec3_madd(from->v, h, along(n, grown, y));
    for (int i = 0; i < n; i++) {
        turn[i] = vec3_cross(at[i].w, turn[i]);
        if (a) turn[i] = vec3_add(turn[i], in_frame(&at[i].R, node_u(a, first + i)));
        y[i] = vec3_add(vec3_cross(at[i].w_t, t[i]), vec3_cross(at[i].w, y[i]));
    }
    k->w_t = vec3_madd(from->w_t, h, along(n, grown, turn));
    k->v_t = vec3_madd(from->v_t, h, along(n, grown, y));
    const int twist = twist_at(b, j, first);
    for (int i = 0; i < n; i++) {
        k->psi[j] += h * grown[i] * q[twist + i];
        if (v) k->spin[j] += h * grown[i] * v[twist + i];
        if (a) k->spin_t[j] += h * grown[i] * a[twist + i];
        out->u.z += row[i] * q[twist + i];
    }
    const vec3 bend = mixed(n, row, u);
    const double c = cos(k->psi[j]), s = sin(k->psi[j]);
    out->u.x = c * bend.x + s * bend.y;
    out->u.y = -s * bend.x + c * bend.y;
}

tube_point bundle_place(const bundle *b, const bundle_memory *m, int tube, double s,
                        const double *q, const double *v, const double *a) {
    const double at = s + m->beta[tube];
    tube_point out = {.element = -1};
    if (at < 0.0) {
        place_behind(b, m, tube, s, q, v, a, &out);
        return out;
    }
    int e = 0;
    while (e + 1 < b->n_elements &&
           (m->elements[e].h <= 0.0 || at > m->elements[e].from + m->elements[e].h) &&
           m->elements[e + 1].there[tube])
        e++;
    while (e > 0 && m->elements[e].h <= 0.0) e--;
    out.element = e;
    out.x = m->elements[e].h > 0.0 ? (at - m->elements[e].from) / m->elements[e].h : 1.0;
    out.x = fmin(1.0, fmax(0.0, out.x));
    place_in(b, m, tube, e, q, v, a, &out);
    return out;
}
