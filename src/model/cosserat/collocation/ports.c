// model/cosserat/collocation/ports.c - the equations of a whole rod, as an assembly sees them.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/collocation/newton.h"

// ---------------------------------------------------------------- strains and efforts together
bool rod_factor(const rod_problem *p, collocation_memory *m, const node_motion *forces, bool sharp,
                int *negative) {
    p->stats->jacobians++;
    iterate_unpack(p->r, &m->now);
    m->kept->c0 = p->c0;
    m->kept->valid = 0.0;
    if (!sweep_factor_all(p, &m->now, forces, sharp, m->factors, m->blocks, m->kept->H, negative))
        return false;
    if (p->r->n_efforts && !border_factor(p, m, negative)) return false;
    m->kept->valid = 1.0;
    return true;
}

// e = C^-1 (- r_e - R x0), from x0 and the residuals of the efforts; both (k x n)
static void solve_border(const rod *r, const border *b, int n, const double *residual,
                         const double *x0, double *e) {
    const int k = r->n_efforts, n_x = n_strains(r);
    for (int i = 0; i < k; i++)
        for (int c = 0; c < n; c++) {
            double sum = residual ? residual[i * n + c] : 0.0;
            for (int j = 0; j < n_x; j++) sum += b->R[i * n_x + j] * x0[j * n + c];
            e[i * n + c] = -sum;
        }
    lu_solve_many(k, b->C, b->pivot, n, e);
}

// a (rows x n) -= b (rows x k) e (k x n)
static void subtract_product(int rows, int k, int n, const double *b, const double *e, double *a) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++)
            for (int c = 0; c < n; c++) a[i * n + c] -= b[i * k + j] * e[j * n + c];
}

void rod_solve(const rod *r, const collocation_memory *m, const double *residual, double *step) {
    sweep_solve(r, m->factors, residual, step);
    if (!r->n_efforts) return;
    const int n_x = n_strains(r);
    solve_border(r, &m->edge, 1, residual + n_x, step, step + n_x);
    subtract_product(n_x, r->n_efforts, 1, m->edge.Y, step + n_x, step);
}

// ---------------------------------------------------------------- ports
static bool evaluate(const rod_problem *p, const double *unknowns, double *residual) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    collocation_take_unknowns(r, unknowns, &own->now);
    p->stats->evaluations++;
    if (!iterate_evaluate(p, &own->now)) return false;
    iterate_publish_bounds(p, &own->now);
    memcpy(residual, own->now.residual, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    return true;
}

static void publish(const rod_problem *p) {
    iterate_publish(p, &((collocation_memory *)p->m->own)->now);
}

static void freeze(const rod_problem *p) {
    collocation_memory *own = p->m->own;
    iterate_of_present(p, &own->now, own->frozen);
}

static bool factor(const rod_problem *p, bool sharp, int *negative) {
    collocation_memory *own = p->m->own;
    return rod_factor(p, own, p->frozen ? own->frozen : own->now.nodes, sharp, negative);
}

static void respond(const rod_problem *p, int n, const double *residual, const double *tip,
                    const double *base, double *X, double *tip_motion, double *base_wrench) {
    const rod *r = p->r;
    const collocation_memory *own = p->m->own;
    const int n_x = n_strains(r), k = r->n_efforts;
    sweep_respond(r, own, n, residual, tip, base, X, tip_motion, base_wrench);
    if (!k) return;
    double *e = X + n_x * n;
    solve_border(r, &own->edge, n, residual ? residual + n_x * n : NULL, X, e);
    subtract_product(n_x, k, n, own->edge.Y, e, X);
    if (tip_motion) subtract_product(12, k, n, own->edge.tip, e, tip_motion);
    if (base_wrench) subtract_product(6, k, n, own->edge.base, e, base_wrench);
}

static se3 pose(const rod_problem *p, double s) {
    iterate *it = &((collocation_memory *)p->m->own)->now;
    iterate_unpack(p->r, it);
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

// Virtual work: the wrench at s moves with z(s) = sum_j a_j(s) Ad_j dx_j, a_j the integral of l_j up to
// s, so node j of an element before s takes it whole and one within takes a_j(s)/b_j of it.
static void push(const rod_problem *p, double s, const double wrench_world[6], double *out) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r);
    const iterate *it = &((const collocation_memory *)p->m->own)->now;
    vec3 at = pose(p, s).p;
    vec6 w = vec6_load(wrench_world);
    w.a = vec3_add(w.a, vec3_cross(at, w.l));
    memset(out, 0, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const gauss_table *t = gauss_of(r, e);
        double x = (s - e->s0) / e->length, share[GAUSS_MAX];
        if (x <= 0.0) break;
        if (x >= 1.0) memcpy(share, t->w, sizeof(double) * (size_t)t->n);
        else integration_matrix(t->n, t->c, t->bary, 1, &x, share);
        for (int j = 0; j < t->n; j++) {
            double body[6];
            vec6_store(body, se3_coadjoint_inv_vec(&it->nodes[e->node + j].T, w));
            for (int c = 0; c < d; c++) out[d * (e->node + j) + c] = -share[j] / t->w[j] * body[c];
        }
    }
}

// b_i y_i K x_i over the nodes: the energy of the material is half of it with y = x.
static double stiffness(const rod *r, const double *x, const double *y, double *Kx) {
    const int d = unknowns_per_node(r);
    double sum = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++)
            for (int c = 0; c < d; c++) {
                const int at = d * (e->node + i) + c;
                const double value = e->stations[i].K[c] * x[at];
                sum += e->quadrature[i] * y[at] * value;
                if (Kx) Kx[at] = value;
            }
    }
    if (Kx) memset(Kx + n_strains(r), 0, sizeof(double) * (size_t)r->n_efforts);
    return sum;
}

const scheme_ports collocation_ports = {.evaluate = evaluate,
                                        .publish = publish,
                                        .freeze = freeze,
                                        .factor = factor,
                                        .respond = respond,
                                        .moving_base = true,
                                        .pose = pose,
                                        .push = push,
                                        .size = size_of_step,
                                        .stiffness = stiffness};
