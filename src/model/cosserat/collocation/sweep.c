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
#include <string.h>

#include "math/dense.h"
#include "model/cosserat/collocation/collocation.h"

static int size_of(const rod *r, int k) {
    return unknowns_per_node(r) * r->elements[k].n_nodes;
}

size_t sweep_scratch(const rod *r) {
    int n = most_nodes(r), d = unknowns_per_node(r);
    size_t m = (size_t)(n * d);
    return tangent_doubles(n, d) + 6 * m + m * m;
}

// Folds dS = H w of the far side into the element's matrix; HT = H tip (6 x m). `w`: numbers of a motion.
static void fold_far_side(element_factor *f, int m, int w, const double *H, double *HT) {
    bool any = false;
    for (int i = 0; i < 6 * w; i++) any = any || H[i] != 0.0;
    if (!any) {
        memset(HT, 0, sizeof(double) * 6 * (size_t)m);
        return;
    }
    dense_mul(6, w, m, 1.0, H, f->tip, HT);
    dense_madd(m, 6, m, -1.0, f->rows, HT, f->lu);
}

// Factors the folded matrix. H becomes the near side's, unless that does not move (ports false: the
// base).
static bool factor_element(element_factor *f, int m, int w, bool ports, const double *base,
                           double *H, const double *HT) {
    if (!lu_factor(m, f->lu, f->pivot)) return false;
    if (!ports) return true;
    double carried[72];
    if (w == 12) {
        dense_mul(6, 12, 12, 1.0, H, f->carry, carried);
        memcpy(H, carried, sizeof carried);
    }
    for (int i = 0; i < w * m; i++) f->lean[i] = -f->lean[i];
    dense_madd(m, 6, w, 1.0, f->rows, H, f->lean);
    lu_solve_many(m, f->lu, f->pivot, w, f->lean);  // X1
    for (int i = 0; i < 6 * m; i++) f->out[i] += HT[i];
    for (int i = 0; i < 6 * w; i++) H[i] += base[i];
    dense_madd(6, m, w, 1.0, f->out, f->lean, H);
    return true;
}

// How many negative eigenvalues has the symmetric part of the weighted matrix b_i J_ij? By L D L';
// a (m x m) scratch. J is the element's, with all beyond it folded in.
static int count_negative(const element *e, int d, const double *J, double *a) {
    const int m = d * e->n_nodes;
    int negative = 0;
    for (int i = 0; i < m; i++)
        for (int k = 0; k <= i; k++)
            a[i * m + k] =
                0.5 * (e->quadrature[i / d] * J[i * m + k] + e->quadrature[k / d] * J[k * m + i]);
    for (int k = 0; k < m; k++) {
        const double pivot = a[k * m + k];
        if (!(pivot > 0.0)) negative++;
        if (pivot == 0.0) continue;
        double column[6 * GAUSS_MAX];
        for (int i = k + 1; i < m; i++) column[i] = a[i * m + k];
        for (int i = k + 1; i < m; i++) {
            const double f = column[i] / pivot;
            for (int j = k + 1; j <= i; j++) a[i * m + j] -= f * column[j];
        }
    }
    return negative;
}

static bool stands_on_body(const rod *r) {
    return r->base_body >= 0;
}

// ---------------------------------------------------------------- what touches changes from one shape to the next
size_t sweep_plain(size_t m) {
    return m * m + 12 * m + 6 * m + 72;
}

// Between an element's matrices, not yet factored, and where they are kept.
static void copy_plain(element_factor *f, int m, int w, double *base, bool back) {
    double *parts[] = {f->lu, f->lean, f->out, base}, *kept = f->plain;
    const int sizes[] = {m * m, m * w, 6 * m, 6 * w};
    for (int i = 0; i < 4; kept += sizes[i++])
        memcpy(back ? parts[i] : kept, back ? kept : parts[i], sizeof(double) * (size_t)sizes[i]);
}

static void fill_element(const rod_problem *p, const iterate *it, const node_motion *forces, int k,
                         bool ports, tangent_kind kind, bool all, element_factor *f, double *base,
                         double *scratch) {
    const int m = size_of(p->r, k), w = motions_of(p->c0);
    const bool touched = p->r->n_obstacles > 0;
    if (!all && *f->touching == p->m->touching_in[k]) {
        copy_plain(f, m, w, base, true);
        return;
    }
    tangent_element(p, it, forces, k, ports, kind, f, base, scratch);
    if (!touched) return;
    copy_plain(f, m, w, base, false);
    *f->touching = p->m->touching_in[k];
}

// Eliminating one element after the other is a congruence where the matrix is symmetric, so the inertia of the whole
// is the sum of those of the elements with all beyond folded in (Sylvester).
bool sweep_factor(const rod_problem *p, const iterate *it, const node_motion *forces, bool sharp,
                  bool all, element_factor *factors, double *scratch, double *base_H,
                  int *negative) {
    const rod *r = p->r;
    const int w = motions_of(p->c0);
    const tangent_kind kind = sharp      ? TANGENT_SHARP
                              : negative ? TANGENT_EVEN
                                         : TANGENT_BY_QUADRATURE;
    double H[72] = {0.0}, base[72] = {0.0};
    if (negative) *negative = 0;
    for (int k = r->n_elements - 1; k >= 0; k--) {
        const int m = size_of(r, k), d = unknowns_per_node(r);
        const bool ports = k > 0 || stands_on_body(r);
        double *HT = scratch + tangent_doubles(r->elements[k].n_nodes, d);
        fill_element(p, it, forces, k, ports, kind, all, &factors[k], base, scratch);
        tangent_end_load(p, it, k, w, negative != NULL, H);
        fold_far_side(&factors[k], m, w, H, HT);
        if (negative) *negative += count_negative(&r->elements[k], d, factors[k].lu, HT + 6 * m);
        if (!factor_element(&factors[k], m, w, ports, base, H, HT)) return false;
    }
    if (base_H && stands_on_body(r)) memcpy(base_H, H, sizeof H);
    return true;
}

int sweep_sign(const rod *r, const element_factor *factors) {
    int sign = 1;
    for (int k = 0; k < r->n_elements; k++)
        sign *= lu_sign(size_of(r, k), factors[k].lu, factors[k].pivot);
    return sign;
}

// ---------------------------------------------------------------- answers
static inline void respond(const rod *r, const collocation_memory *own, int n,
                           const double *residual, const double *tip, const double *base, double *X,
                           double *tip_motion, double *base_wrench) {
    const int d = unknowns_per_node(r), last = r->n_elements - 1;
    const bool moving = stands_on_body(r);
    const int width = motions_of(own->kept->c0);
    double h[6 * SWEEP_WIDEST], w[12 * SWEEP_WIDEST], far[12 * SWEEP_WIDEST];
    for (int i = 0; i < 6 * n; i++) h[i] = tip ? tip[i] : 0.0;
    for (int k = last; k >= 0; k--) {
        const int m = size_of(r, k), first = d * r->elements[k].node;
        const element_factor *f = &own->factors[k];
        double *x = X + first * n;
        for (int i = 0; i < m * n; i++) x[i] = residual ? -residual[first * n + i] : 0.0;
        if (k < last || tip) dense_madd(m, 6, n, 1.0, f->rows, h, x);
        if (n == 1) lu_solve(m, f->lu, f->pivot, x);
        else lu_solve_many(m, f->lu, f->pivot, n, x);
        if (k > 0 || moving) dense_madd(6, m, n, 1.0, f->out, x, h);
    }
    for (int i = 0; i < 12 * n; i++) w[i] = base && moving && i < width * n ? base[i] : 0.0;
    if (base_wrench) {
        memcpy(base_wrench, h, sizeof(double) * 6 * (size_t)n);
        if (base && moving) dense_madd(6, width, n, 1.0, own->kept->H, w, base_wrench);
    }
    for (int k = 0; k <= last; k++) {  // and back to the tip with the motion
        const int m = size_of(r, k), rows = k < last ? width : 6;
        const element_factor *f = &own->factors[k];
        double *x = X + d * r->elements[k].node * n;
        const bool moved = k > 0 || (moving && base);
        if (moved) dense_madd(m, width, n, 1.0, f->lean, w, x);
        if (k == last && !tip_motion) return;
        if (moved && width == 12) {
            dense_mul(rows, 12, n, 1.0, f->carry, w, far);
            memcpy(w, far, sizeof(double) * (size_t)(rows * n));
        }
        dense_madd(rows, m, n, 1.0, f->tip, x, w);
    }
    memcpy(tip_motion, w, sizeof(double) * 12 * (size_t)n);
}

// Columns [from, from + n) of a (rows x all) matrix, and back.
static void gather(int rows, int all, int from, int n, const double *a, double *part) {
    for (int i = 0; i < rows; i++)
        memcpy(part + i * n, a + i * all + from, sizeof(double) * (size_t)n);
}

static void scatter(int rows, int all, int from, int n, const double *part, double *a) {
    for (int i = 0; i < rows; i++)
        memcpy(a + i * all + from, part + i * n, sizeof(double) * (size_t)n);
}

// The correction of a rod of one element.
static void correct_element(int m, const element_factor *f, const double *residual, double *X) {
    for (int i = 0; i < m; i++) X[i] = -residual[i];
    lu_solve(m, f->lu, f->pivot, X);
}

void sweep_respond(const rod *r, const collocation_memory *m, int n, const double *residual,
                   const double *tip, const double *base, double *X, double *tip_motion,
                   double *base_wrench) {
    if (n == 1 && r->n_elements == 1 && residual && !tip && !base && !tip_motion && !base_wrench) {
        correct_element(size_of(r, 0), &m->factors[0], residual, X);
        return;
    }
    if (n == 1) {  // every correction of a step: compiled for one column
        respond(r, m, 1, residual, tip, base, X, tip_motion, base_wrench);
        return;
    }
    if (n <= SWEEP_WIDEST) {
        respond(r, m, n, residual, tip, base, X, tip_motion, base_wrench);
        return;
    }
    const int rows = n_strains(r);
    double tips[6 * SWEEP_WIDEST], bases[12 * SWEEP_WIDEST], motion[12 * SWEEP_WIDEST],
        wrenches[6 * SWEEP_WIDEST];
    for (int from = 0; from < n; from += SWEEP_WIDEST) {
        const int part = n - from < SWEEP_WIDEST ? n - from : SWEEP_WIDEST;
        if (residual) gather(rows, n, from, part, residual, m->wide);
        if (tip) gather(6, n, from, part, tip, tips);
        if (base) gather(12, n, from, part, base, bases);
        double *x = m->wide + rows * SWEEP_WIDEST;
        respond(r, m, part, residual ? m->wide : NULL, tip ? tips : NULL, base ? bases : NULL, x,
                tip_motion ? motion : NULL, base_wrench ? wrenches : NULL);
        scatter(rows, n, from, part, x, X);
        if (tip_motion) scatter(12, n, from, part, motion, tip_motion);
        if (base_wrench) scatter(6, n, from, part, wrenches, base_wrench);
    }
}
