// model/cosserat/collocation/derivatives.c - how the strains of an equilibrium answer.
//
// The sharp tangent answers; differences of the residual along the answer itself (accurate to about
// 1e-10) check it, and correct what round-off left.
#include "model/cosserat/collocation/derivatives.h"

#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/newton.h"

#define CORRECTIONS 12
#define ENOUGH 1e-10      // relative size of the last correction
#define PROBE_ANGLE 1e-5  // how far differences reach, as an angle over the rod

// The pose at s of the iterate in own->now.
static se3 pose_of_iterate(const rod_problem *p, const iterate *it, double s) {
    int k = rod_element_at(p->r, s);
    const element *e = &p->r->elements[k];
    const gauss_table *t = gauss_of(p->r, e);
    double x = (s - e->s0) / e->length;
    int j = 0;
    while (j < t->n && t->c[j] <= x) j++;
    se3 start = j ? it->nodes[e->node + j - 1].T : it->bounds[k].T;
    se3 step = collocation_step(e, t, it->x + 6 * e->node, 6, j ? t->c[j - 1] : 0.0, x);
    return se3_mul(&start, &step);
}

static bool evaluate(const rod_problem *p, double s, double *residual, se3 *pose) {
    collocation_memory *own = p->m->own;
    iterate_at_present(p->r, p->m, own->now.x);
    bool ok = iterate_evaluate(p, &own->now);
    memcpy(residual, own->now.residual,
           sizeof(double) * (size_t)(unknowns_per_node(p->r) * p->r->n_nodes));
    *pose = pose_of_iterate(p, &own->now, s);
    return ok;
}

// Virtual work: the wrench at s moves with z(s) = sum_j a_j(s) Ad_j dx_j, a_j the integral of l_j up to
// s, so node j of an element before s takes it whole and one within takes a_j(s)/b_j of it.
static void push(const rod_problem *p, double s, const double wrench_world[6], double *out) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r);
    collocation_memory *own = p->m->own;
    iterate_at_present(r, p->m, own->now.x);
    iterate_evaluate(p, &own->now);
    vec3 at = pose_of_iterate(p, &own->now, s).p;
    vec6 w = vec6_load(wrench_world);
    w.a = vec3_add(w.a, vec3_cross(at, w.l));
    memset(out, 0, sizeof(double) * (size_t)(d * r->n_nodes));
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const gauss_table *t = gauss_of(r, e);
        double x = (s - e->s0) / e->length, share[GAUSS_MAX];
        if (x <= 0.0) break;
        if (x >= 1.0) memcpy(share, t->w, sizeof(double) * (size_t)t->n);
        else integration_matrix(t->n, t->c, t->bary, 1, &x, share);
        for (int j = 0; j < t->n; j++) {
            double body[6];
            vec6_store(body, se3_coadjoint_inv_vec(&own->now.nodes[e->node + j].T, w));
            for (int c = 0; c < d; c++)
                out[d * (e->node + j) + c] = -share[j] / t->w[j] * body[c];
        }
    }
}

// ---------------------------------------------------------------- the answer
// The iterate at x + reach * direction.
static bool move_to(const rod_problem *p, const double *direction, double reach) {
    const int d = unknowns_per_node(p->r);
    collocation_memory *own = p->m->own;
    iterate_at_present(p->r, p->m, own->now.x);
    for (int i = 0; i < p->r->n_nodes; i++)
        for (int c = 0; c < d; c++) own->now.x[6 * i + c] += reach * direction[d * i + c];
    return iterate_evaluate(p, &own->now);
}

static td_status factor(const rod_problem *p) {
    collocation_memory *own = p->m->own;
    iterate_at_present(p->r, p->m, own->now.x);
    if (!iterate_evaluate(p, &own->now)) return TD_ERR_NOT_FINITE;
    bool ok = sweep_factor(p, &own->now, own->now.nodes, true, own->factors, own->blocks);
    return ok ? TD_OK : TD_ERR_SINGULAR;
}

static td_status respond(const rod_problem *p, const double *change, double s, double answer[6]) {
    const int n = unknowns_per_node(p->r) * p->r->n_nodes;
    collocation_memory *own = p->m->own;
    double *dx = p->m->unknowns[2], *defect = p->m->unknowns[3];
    sweep_solve(p->r, own->factors, change, dx);
    for (int i = 0; i < CORRECTIONS; i++) {
        double size = size_of_step(p->r, dx), reach = PROBE_ANGLE / size;
        if (size == 0.0) break;
        if (!move_to(p, dx, reach)) return TD_ERR_NOT_FINITE;
        memcpy(defect, own->now.residual, sizeof(double) * (size_t)n);
        if (!move_to(p, dx, -reach)) return TD_ERR_NOT_FINITE;
        for (int k = 0; k < n; k++)
            defect[k] = change[k] + (defect[k] - own->now.residual[k]) / (2.0 * reach);
        sweep_solve(p->r, own->factors, defect, own->step);
        for (int k = 0; k < n; k++) dx[k] += own->step[k];
        if (size_of_step(p->r, own->step) <= ENOUGH * size) break;
    }
    memset(answer, 0, 6 * sizeof(double));
    double size = size_of_step(p->r, dx), reach = PROBE_ANGLE / size;
    if (size == 0.0) return TD_OK;
    if (!move_to(p, dx, reach)) return TD_ERR_NOT_FINITE;
    se3 after = pose_of_iterate(p, &own->now, s);
    if (!move_to(p, dx, -reach)) return TD_ERR_NOT_FINITE;
    se3 before = pose_of_iterate(p, &own->now, s);
    motion_between(&before, &after, 2.0 * reach, answer);
    return TD_OK;
}

const scheme_derivatives collocation_derivatives = {factor, evaluate, push, respond};
