// model/cosserat/shooting/section.c - see section.h.
#include "model/cosserat/shooting/section.h"

#include <math.h>
#include <string.h>

// Corrections are measured by what they do to a path, which has about unit length: |dv| and |du|
// times the offset. What is left of them below ROUND_OFF does not show in a double.
#define ROUND_OFF 1e-15
#define FARTHEST 0.5  // a path must not turn round in one correction
#define SLOW 0.05     // factors of an earlier point serve while corrections shrink faster
#define MOST_CORRECTIONS 30

const route_point *section_route(const rod_actuator *a, const section *at) {
    if (at->element < a->first_element || at->element >= a->first_element + a->n_elements)
        return NULL;
    int i = at->node - a->first_node;
    return at->half ? &a->between[i] : &a->at[i];
}

typedef struct law {     // the section law at a trial strain
    double residual[6];  // wrench that is left over
    double reach;        // m, largest offset of the tendons that pull; 0: the law is linear
} law;

// M (6 x 6) += d(residual)/dx, when it is wanted.
static void add_actuators(const shooting *s, const section *at, const double x[6], law *l,
                          double *M) {
    vec3 u = vec3_add(at->st->u_rest, vec3_load(x)), v = vec3_add(at->st->v_rest, vec3_load(x + 3));
    for (int i = 0; i < s->r->n_actuators; i++) {
        const rod_actuator *ra = &s->r->actuators[i];
        const route_point *route = section_route(ra, at);
        if (!route || s->efforts[i] == 0.0) continue;
        const double effort = ra->a->sign * s->efforts[i];
        const density d = actuator_density(ra->a, route, u, v);
        double slope[6];
        vec6_store(slope, d.slope);
        for (int k = 0; k < 6; k++) l->residual[k] += effort * slope[k];
        if (ra->a->kind->linear) continue;
        if (M) density_add_curvature(ra->a, route, &d, effort, M);
        if (ra->a->offset > l->reach) l->reach = ra->a->offset;
    }
}

static law evaluate(const shooting *s, const section *at, const double carried[6],
                    const double x[6], double *M) {
    law l = {.reach = 0.0};
    if (M) memset(M, 0, sizeof(double) * 36);
    for (int i = 0; i < 6; i++) {
        const double K = at->st->K[i], B = at->st->B[i], k = K + s->c0 * B;
        if (M) M[7 * i] = k;
        l.residual[i] = k * x[i] + B * at->history[F_U + i] - carried[i];
    }
    add_actuators(s, at, x, &l, M);
    return l;
}

// ---------------------------------------------------------------- L D L'
// Of the leading n x n part of a (6 x 6), in place, 1/D on the diagonal. False: not positive
// definite.
static inline bool factor_part(int n, double *a) {
    for (int j = 0; j < n; j++) {
        double *row = a + 6 * j, scaled[6] = {0.0};
        for (int k = 0; k < j; k++) {
            scaled[k] = row[k];
            row[k] *= a[7 * k];
            row[j] -= row[k] * scaled[k];
        }
        if (!(row[j] > 0.0)) return false;
        row[j] = 1.0 / row[j];
        for (int i = j + 1; i < n; i++)
            for (int k = 0; k < j; k++) a[6 * i + j] -= a[6 * i + k] * row[k];
    }
    return true;
}

static inline void solve_piece(int n, const double *a, double *b) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) b[i] -= a[6 * i + k] * b[k];
    for (int i = 0; i < n; i++) b[i] *= a[7 * i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++) b[i] -= a[6 * k + i] * b[k];
}

// The sizes that there are, each with its loops laid out.
static bool factor(bool kirchhoff, double *a) {
    return kirchhoff ? factor_part(3, a) : factor_part(6, a);
}

static void solve(bool kirchhoff, const double *a, double *b) {
    if (kirchhoff) solve_piece(3, a, b);
    else solve_piece(6, a, b);
}

static void invert(bool kirchhoff, const double *a, double *C) {
    const int n = kirchhoff ? 3 : 6;
    memset(C, 0, sizeof(double) * 36);
    for (int j = 0; j < n; j++) {
        double column[6] = {0.0};
        column[j] = 1.0;
        solve(kirchhoff, a, column);
        for (int i = 0; i < n; i++) C[6 * i + j] = column[i];
    }
}

// ---------------------------------------------------------------- Newton
static double size_of(int n, const double *dx, double reach) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = fabs(dx[i]) * (i < 3 ? reach : 1.0);
        if (!(size <= largest)) largest = size;  // NaN too
    }
    return largest;
}

// Chambers alone: the law is diagonal.
static void solve_linear(const shooting *s, const section *at, int n, const law *l, double *x,
                         double *C) {
    if (C) memset(C, 0, sizeof(double) * 36);
    for (int i = 0; i < n; i++) {
        const double k = at->st->K[i] + s->c0 * at->st->B[i];
        x[i] -= l->residual[i] / k;
        if (C) C[7 * i] = 1.0 / k;
    }
}

// From s->warm, with the factors of an earlier point while they serve.
static bool solve_curved(shooting *s, const section *at, const double carried[6], int n, law l) {
    double *x = s->warm, last = HUGE_VAL;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        solve(n == 3, s->warm_factors, l.residual);
        const double size = size_of(n, l.residual, l.reach), shrunk = k > 0 ? size / last : 1.0;
        if (!(size < HUGE_VAL)) return false;
        const double part = size > FARTHEST ? FARTHEST / size : 1.0;
        for (int i = 0; i < n; i++) x[i] -= part * l.residual[i];
        if (size * fmin(shrunk, 1.0) <= ROUND_OFF) return true;
        const bool stale = k > 0 && shrunk > SLOW;
        l = evaluate(s, at, carried, x, stale ? s->warm_factors : NULL);
        if (stale && !(s->warm_factored = factor(n == 3, s->warm_factors))) return false;
        last = size;
    }
    return false;
}

bool section_solve(shooting *s, const section *at, const double carried[6], double *x, double *C) {
    const int n = unknowns_per_node(s->r);
    const bool first = !s->warm_factored;
    law l = evaluate(s, at, carried, s->warm, first ? s->warm_factors : NULL);
    bool ok = true;
    if (l.reach == 0.0) {
        solve_linear(s, at, n, &l, s->warm, C);
    } else {
        if (first) ok = s->warm_factored = factor(n == 3, s->warm_factors);
        ok = ok && solve_curved(s, at, carried, n, l);
        if (ok && C) {
            double M[36];
            evaluate(s, at, carried, s->warm, M);
            ok = factor(n == 3, M);
            if (ok) invert(n == 3, M, C);
        }
    }
    for (int i = 0; i < 6; i++) {
        if (!ok) s->warm[i] = HUGE_VAL;
        x[i] = s->warm[i];
    }
    if (!ok && C) memset(C, 0, sizeof(double) * 36);
    return ok;
}
