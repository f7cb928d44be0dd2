// model/cosserat/collocation/sweep.c - the linearised equations of a whole rod, element by element.
//
// At an element's far side the wrench answers to the motion w = (z, da) there: dS = H w + h. H comes
// from the loads at that point and from all that lies beyond. Inserting it leaves
//
//     J X + lean w_b = - residual + rows h,      rows = Ad_i'
//
// to be factored per element. X = X0 + X1 w_b, and the near side gets its own H and h. This is the
// articulated-body recursion: the sweep starts at the free tip, so nothing grows exponentially as
// it would in condensing to the base. Cost is linear in the number of elements; a rod of one element
// is a plain dense solve.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "model/cosserat/collocation/collocation.h"

static int size_of(const rod *r, int k) {
    return unknowns_per_node(r) * r->elements[k].n_nodes;
}

static int largest_element(const rod *r) {
    int most = 0;
    for (int k = 0; k < r->n_elements; k++)
        if (r->elements[k].n_nodes > most) most = r->elements[k].n_nodes;
    return most;
}

size_t sweep_scratch(const rod *r) {
    int n = largest_element(r), d = unknowns_per_node(r);
    size_t m = (size_t)(n * d);
    return tangent_doubles(n, d) + 6 * m + m * m;
}

// c (rows x w) += s a (rows x inner) b (inner x w)
static void multiply_add(int rows, int inner, int w, double s, const double *a, const double *b,
                         double *c) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            const double f = s * a[i * inner + k];
            for (int j = 0; j < w; j++) c[i * w + j] += f * b[k * w + j];
        }
}

// Folds dS = H w of the far side into the element's matrix; HT = H tip (6 x m).
static void fold_far_side(element_factor *f, int m, const double *H, double *HT) {
    memset(HT, 0, sizeof(double) * 6 * (size_t)m);
    bool any = false;
    for (int i = 0; i < 72; i++) any = any || H[i] != 0.0;
    if (!any) return;
    multiply_add(6, 12, m, 1.0, H, f->tip, HT);
    multiply_add(m, 6, m, -1.0, f->rows, HT, f->lu);
}

// Factors the folded matrix. H becomes the near side's, unless that does not move (ports false: the
// base).
static bool factor_element(element_factor *f, int m, bool ports, const double *base, double *H,
                           const double *HT) {
    if (!lu_factor(m, f->lu, f->pivot)) return false;
    if (!ports) return true;
    double HC[72] = {0.0};
    multiply_add(6, 12, 12, 1.0, H, f->carry, HC);
    multiply_add(m, 6, 12, -1.0, f->rows, HC, f->lean);
    for (int i = 0; i < 12 * m; i++) f->lean[i] = -f->lean[i];
    lu_solve_many(m, f->lu, f->pivot, 12, f->lean);  // X1
    for (int i = 0; i < 6 * m; i++) f->out[i] += HT[i];
    for (int i = 0; i < 72; i++) H[i] = HC[i] + base[i];
    multiply_add(6, m, 12, 1.0, f->out, f->lean, H);
    return true;
}

// Is the symmetric part of the weighted matrix b_i J_ij positive definite? By Cholesky; a (m x m)
// scratch. J is the element's, with all beyond it folded in.
static bool is_definite(const element *e, int d, const double *J, double *a) {
    const int m = d * e->n_nodes;
    for (int i = 0; i < m; i++)
        for (int k = 0; k <= i; k++)
            a[i * m + k] = 0.5 * (e->quadrature[i / d] * J[i * m + k] +
                                  e->quadrature[k / d] * J[k * m + i]);
    for (int k = 0; k < m; k++) {
        if (!(a[k * m + k] > 0.0)) return false;
        double root = sqrt(a[k * m + k]);
        for (int i = k; i < m; i++) a[i * m + k] /= root;
        for (int i = k + 1; i < m; i++)
            for (int j = k + 1; j <= i; j++) a[i * m + j] -= a[i * m + k] * a[j * m + k];
    }
    return true;
}

static bool sweep(const rod_problem *p, const iterate *it, const node_motion *forces, bool sharp,
                  element_factor *factors, double *scratch, bool *definite) {
    const rod *r = p->r;
    double H[72] = {0.0}, load[72], base[72];
    for (int k = r->n_elements - 1; k >= 0; k--) {
        const int m = size_of(r, k), d = unknowns_per_node(r);
        double *HT = scratch + tangent_doubles(r->elements[k].n_nodes, d);
        tangent_element(p, it, forces, k, k > 0, sharp, &factors[k], base, scratch);
        tangent_end_load(p, it, k, load);
        for (int i = 0; i < 72; i++) H[i] += load[i];
        fold_far_side(&factors[k], m, H, HT);
        if (definite && *definite)
            *definite = is_definite(&r->elements[k], d, factors[k].lu, HT + 6 * m);
        if (!factor_element(&factors[k], m, k > 0, base, H, HT)) return false;
    }
    return true;
}

bool sweep_factor(const rod_problem *p, const iterate *it, const node_motion *forces, bool sharp,
                  element_factor *factors, double *scratch) {
    return sweep(p, it, forces, sharp, factors, scratch, NULL);
}

// Eliminating one element after the other is a congruence, so the inertia of the whole matrix is the
// sum of those of the elements with all beyond folded in (Sylvester).
bool sweep_factor_definite(const rod_problem *p, const iterate *it, element_factor *factors,
                           double *scratch, bool *definite) {
    *definite = true;
    return sweep(p, it, it->nodes, false, factors, scratch, definite);
}

int sweep_sign(const rod *r, const element_factor *factors) {
    int sign = 1;
    for (int k = 0; k < r->n_elements; k++)
        sign *= lu_sign(size_of(r, k), factors[k].lu, factors[k].pivot);
    return sign;
}

void sweep_solve(const rod *r, const element_factor *factors, const double *residual,
                 double *step) {
    const int d = unknowns_per_node(r);
    double h[6] = {0.0}, w[12] = {0.0};
    for (int k = r->n_elements - 1; k >= 0; k--) {
        const int m = size_of(r, k), first = d * r->elements[k].node;
        const element_factor *f = &factors[k];
        double *X = step + first;
        for (int i = 0; i < m; i++) X[i] = -residual[first + i];
        if (k < r->n_elements - 1) multiply_add(m, 6, 1, 1.0, f->rows, h, X);
        lu_solve(m, f->lu, f->pivot, X);
        if (k > 0) multiply_add(6, m, 1, 1.0, f->out, X, h);
    }
    for (int k = 0; k + 1 < r->n_elements; k++) {  // and back to the tip with the motion
        const int m = size_of(r, k);
        const element_factor *f = &factors[k];
        double *X = step + d * r->elements[k].node, far[12] = {0.0};
        if (k > 0) {
            multiply_add(m, 12, 1, 1.0, f->lean, w, X);
            multiply_add(12, 12, 1, 1.0, f->carry, w, far);
        }
        multiply_add(12, m, 1, 1.0, f->tip, X, far);
        memcpy(w, far, sizeof w);
    }
    const int last = r->n_elements - 1;
    if (last > 0)
        multiply_add(size_of(r, last), 12, 1, 1.0, factors[last].lean, w,
                     step + d * r->elements[last].node);
}
