#include "model/cosserat/shooting/section.h"

#include <math.h>
#include <string.h>

// Corrections are measured by what they do to a path, which has about unit length: |dv| and |du|
// times the offset. Newton squares that size, so one below CLOSE leaves nothing that a double can
// hold.
#define CLOSE 1e-8
#define FARTHEST 0.5  // a path must not turn round in one correction
#define MOST_CORRECTIONS 30

const route_point *section_route(const rod_actuator *a, const section *at) {
    if (at->element < a->first_element || at->element >= a->first_element + a->n_elements)
        return NULL;
    int i = at->node - a->first_node;
    return at->half ? &a->between[i] : &a->at[i];
}

typedef struct law {       // the section law at a trial strain
    double residual[6];    // wrench that is left over
    double M[36];          // d(residual)/dx
    double reach;          // m, largest offset of what acts
    bool curved;           // not linear
} law;

static void add_actuators(const shooting *s, const section *at, const double x[6], law *l) {
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
        if (ra->a->kind != ACTUATOR_TENDON) continue;
        density_add_curvature(ra->a, route, &d, effort, l->M);
        l->reach = fmax(l->reach, ra->a->offset);
        l->curved = true;
    }
}

static void evaluate(const shooting *s, const section *at, const double carried[6],
                     const double x[6], law *l) {
    memset(l, 0, sizeof *l);
    for (int i = 0; i < 6; i++) {
        const double K = at->st->K[i], B = at->st->B[i];
        l->M[7 * i] = K + s->c0 * B;
        l->residual[i] = l->M[7 * i] * x[i] + B * at->history[F_U + i] - carried[i];
    }
    add_actuators(s, at, x, l);
}

// ---------------------------------------------------------------- L D L'
// Of the leading n x n part of a (6 x 6), in place. False: not positive definite.
static bool factor(int n, double *a) {
    for (int j = 0; j < n; j++) {
        double *row = a + 6 * j, scaled[6] = {0.0};
        for (int k = 0; k < j; k++) {
            scaled[k] = row[k] * a[7 * k];
            row[j] -= scaled[k] * row[k];
        }
        if (!(row[j] > 0.0)) return false;
        const double inverse = 1.0 / row[j];
        for (int i = j + 1; i < n; i++) {
            double *below = a + 6 * i;
            for (int k = 0; k < j; k++) below[j] -= below[k] * scaled[k];
            below[j] *= inverse;
        }
    }
    return true;
}

static void solve(int n, const double *a, double *b) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) b[i] -= a[6 * i + k] * b[k];
    for (int i = 0; i < n; i++) b[i] /= a[7 * i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++) b[i] -= a[6 * k + i] * b[k];
}

static void invert(int n, const double *a, double *C) {
    memset(C, 0, sizeof(double) * 36);
    for (int j = 0; j < n; j++) {
        double column[6] = {0.0};
        column[j] = 1.0;
        solve(n, a, column);
        for (int i = 0; i < n; i++) C[6 * i + j] = column[i];
    }
}

// ---------------------------------------------------------------- Newton
static double size_of(int n, const double *dx, double reach) {
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(dx[i]) * (i < 3 ? reach : 1.0));
    return size;
}

bool section_solve(const shooting *s, const section *at, const double carried[6], double x[6],
                   double *C) {
    const int n = s->r->kirchhoff ? 3 : 6;
    law l;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        evaluate(s, at, carried, x, &l);
        if (!factor(n, l.M)) break;
        solve(n, l.M, l.residual);
        const double size = l.curved ? size_of(n, l.residual, l.reach) : 0.0;
        const double part = size > FARTHEST ? FARTHEST / size : 1.0;
        for (int i = 0; i < n; i++) x[i] -= part * l.residual[i];
        if (size > CLOSE) continue;
        if (C) invert(n, l.M, C);
        return true;
    }
    for (int i = 0; i < 6; i++) x[i] = HUGE_VAL;
    if (C) memset(C, 0, sizeof(double) * 36);
    return false;
}
