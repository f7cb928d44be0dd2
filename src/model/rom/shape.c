// model/rom/shape.c - places along a rod and how they move.
#include <string.h>

#include "model/rom/curve.h"

static vec3 sum(int n, const double *basis, const double *q) {
    vec3 out = vec3_zero();
    for (int i = 0; i < n; i++) out = vec3_madd(out, basis[i], vec3_load(q + 3 * i));
    return out;
}

static void move_rates(const curve *c, const place *at, const double *rates, place_motion *m) {
    const double *b = rates + 3 * c->n_p;
    const turn *t = &m->turn;
    m->p_t = sum(c->n_p, at->phi, rates);
    m->a_t = sum(c->n_a, at->psi, b);
    m->w = mat3_mul_vec(&t->T, m->a_t);
    const vec3 p_ts = sum(c->n_p, at->phi_s, rates), a_ts = sum(c->n_a, at->psi_s, b);
    m->a_ts = a_ts;
    m->u_t = vec3_add(mat3_mul_vec(&t->T, a_ts), turn_along_times(t, m->a_t, m->a_s));
    m->v_t = vec3_add(mat3_tmul_vec(&t->R, p_ts), vec3_cross(m->v, m->w));
    m->w_t = turn_along_times(t, m->a_t, m->a_t);
}

static void move_accelerations(const curve *c, const place *at, const double *accelerations,
                               place_motion *m) {
    m->p_tt = sum(c->n_p, at->phi, accelerations);
    m->a_tt = sum(c->n_a, at->psi, accelerations + 3 * c->n_p);
    m->w_t = vec3_add(m->w_t, mat3_mul_vec(&m->turn.T, m->a_tt));
}

// Sadati 2019 (4) and (5)
static void move_place(const curve *c, const place *at, const double *q, const double *rates,
                       const double *accelerations, place_motion *m) {
    const double *b = q + 3 * c->n_p;
    memset(m, 0, sizeof *m);
    m->turn = turn_make(c->kind, sum(c->n_a, at->psi, b));
    m->p = vec3_add(at->p, sum(c->n_p, at->phi, q));
    m->p_s = vec3_add(at->p_s, sum(c->n_p, at->phi_s, q));
    m->a_s = sum(c->n_a, at->psi_s, b);
    m->u = mat3_mul_vec(&m->turn.T, m->a_s);
    m->v = mat3_tmul_vec(&m->turn.R, m->p_s);
    if (rates) move_rates(c, at, rates, m);
    if (accelerations) move_accelerations(c, at, accelerations, m);
}

void curve_move(const curve *c, const double *q, const double *rates, const double *accelerations,
                place_motion *out) {
    for (int i = 0; i < c->n_places; i++)
        move_place(c, &c->places[i], q, rates, accelerations, &out[i]);
}

place_motion curve_place_motion(const curve *c, int i, const double *q, const double *rates) {
    place_motion m;
    move_place(c, &c->places[i], q, rates, NULL, &m);
    return m;
}

// n functions of each part: their integrals end with the part, but for that of the constant.
static void fill_basis(const curve *c, int n, double s, double *value, double *slope) {
    memset(value, 0, sizeof(double) * (size_t)(n * c->n_parts));
    memset(slope, 0, sizeof(double) * (size_t)(n * c->n_parts));
    for (int k = 0; k < c->n_parts; k++, value += n, slope += n) {
        const double from = c->cuts[k], length = c->cuts[k + 1] - from;
        const bool last = k + 1 == c->n_parts || s <= c->cuts[k + 1];
        value[0] = length;
        if (!last) continue;
        basis_free(n, (s - from) / length, value, slope);
        for (int i = 0; i < n; i++) value[i] *= length;
        return;
    }
}

void curve_fill_place(const curve *c, double s, double *rows, place *out) {
    double *phi = rows, *phi_s = phi + c->n_p, *psi = phi_s + c->n_p, *psi_s = psi + c->n_a;
    *out = (place){.s = s, .phi = phi, .phi_s = phi_s, .psi = psi, .psi_s = psi_s};
    fill_basis(c, c->n_a / c->n_parts, s, psi, psi_s);
    for (int i = 0; i < c->n_a; i++) {
        psi[i] /= c->length;
        psi_s[i] /= c->length;
    }
    if (!c->held) {
        fill_basis(c, c->n_p / c->n_parts, s, phi, phi_s);
        return;
    }
    basis_held(c->n_p, s / c->length, phi, phi_s);
    for (int i = 0; i < c->n_p; i++) phi[i] *= c->length;
    out->p = (vec3){0.0, 0.0, s};
    out->p_s = (vec3){0.0, 0.0, 1.0};
}

place_motion curve_at(const curve *c, double s, const double *q, const double *rates,
                      const double *accelerations) {
    double rows[4 * MOST_FUNCTIONS];
    place at;
    place_motion m;
    curve_fill_place(c, s, rows, &at);
    move_place(c, &at, q, rates, accelerations, &m);
    return m;
}

static void spread(int n, const double *basis, vec3 f, double *Q) {
    for (int i = 0; i < n; i++) vec3_store(Q + 3 * i, vec3_madd(vec3_load(Q + 3 * i), basis[i], f));
}

void curve_spread(const curve *c, const place *at, const pull *f, double *Q) {
    double *by_b = Q + 3 * c->n_p;
    spread(c->n_p, at->phi, f->p, Q);
    spread(c->n_p, at->phi_s, f->p_s, Q);
    spread(c->n_a, at->psi, f->a, by_b);
    spread(c->n_a, at->psi_s, f->a_s, by_b);
}

// Slopes are Legendre polynomials of a part: (2 i + 1) times the sum over its Gauss points of
// weight, polynomial and value, by its length, is the coefficient.
void curve_set_slopes(const curve *c, const vec3 *slopes, double *q) {
    const place *thin = c->places + c->n_rule;
    const int each = c->n_p / c->n_parts;
    for (int i = 0; i < c->n_p; i++) {
        const int part = i / each, first = part * c->n_thin / c->n_parts;
        const double factor = (2.0 * (i % each) + 1.0) / (c->cuts[part + 1] - c->cuts[part]);
        vec3 sum = vec3_zero();
        for (int k = first; k < first + c->n_thin / c->n_parts; k++)
            sum = vec3_madd(sum, c->sections[c->n_rule + k].weight * thin[k].phi_s[i], slopes[k]);
        vec3_store(q + 3 * i, vec3_scale(sum, factor));
    }
}
