// model/constant_curvature/inverse.c - inverse dynamics: what actuators must do for a wanted
// motion. Algorithm 1 in O(N); its last line corrected: J' efforts = forces is solved.
#include <math.h>
#include <string.h>

#include "math/box_qp.h"
#include "math/dense.h"
#include "model/constant_curvature/constant_curvature.h"

#define RIDGE 1e-12    // of the mean diagonal: efforts that do nothing are 0
#define PASSES 4       // that remove what the ridge does to the others
#define PULLING 1e-10  // the same, where tendons would have to push
#define REACHED 1e-6   // of the forces

// Generalised forces that are missing at this motion: inertia, weight, loads and elasticity.
static void missing_forces(const arm *a, arm_memory *m, const situation *s, const double *q,
                           const double *q_t, const double *q_tt, double *out) {
    const chain *c = &a->chain;
    const arc_past now = {m->past.inner, 0.0};
    arm_forces(a, m, s, q, q_t);  // finds the wrenches of loads
    memset(m->Q, 0, sizeof(double) * (size_t)c->n_q);
    arcs_move(c, q, q_t, q_tt, vec3_scale(s->gravity, -1.0), m->arcs);
    arcs_add_inertia(c, m->arcs, m->wrenches, m->Q);
    arcs_add_elastic(c, &now, q, q_t, m->Q);
    for (int k = 0; k < c->n_q; k++) out[k] = -m->Q[k];
}

typedef struct problem {  // G' x = f, G (n x n_q): generalised forces of unit efforts
    int n, n_q;
    const double *G, *f;
    double *x;
} problem;

// The equations with the fewer unknowns: G'G y = r, x = G y; or G G' x = G r.
static bool factor(const problem *p, double *S, int *pivot) {
    const bool wide = p->n >= p->n_q;
    const int size = wide ? p->n_q : p->n, inner = wide ? p->n : p->n_q;
    double trace = 0.0;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            double sum = 0.0;
            for (int k = 0; k < inner; k++)
                sum += wide ? p->G[k * p->n_q + i] * p->G[k * p->n_q + j]
                            : p->G[i * p->n_q + k] * p->G[j * p->n_q + k];
            S[i * size + j] = sum;
            trace += i == j ? sum : 0.0;
        }
    for (int i = 0; i < size; i++) S[i * size + i] += RIDGE * trace / size;
    return lu_factor(size, S, pivot);
}

static double left_over(const problem *p, double *r) {
    double most = 0.0;
    for (int k = 0; k < p->n_q; k++) {
        r[k] = p->f[k];
        for (int i = 0; i < p->n; i++) r[k] -= p->G[i * p->n_q + k] * p->x[i];
        if (!(fabs(r[k]) <= most)) most = fabs(r[k]);
    }
    return most;
}

static void add_correction(const problem *p, const double *S, const int *pivot, double *r,
                           double *right) {
    if (p->n >= p->n_q) lu_solve(p->n_q, S, pivot, r);
    for (int i = 0; i < p->n; i++) {
        right[i] = 0.0;
        for (int k = 0; k < p->n_q; k++) right[i] += p->G[i * p->n_q + k] * r[k];
    }
    if (p->n < p->n_q) lu_solve(p->n, S, pivot, right);
    for (int i = 0; i < p->n; i++) p->x[i] += right[i];
}

// A tendon would have to push: the smallest that do it without, 1/2 |G'x - f|^2 with a ridge, x >= 0 of these.
static void pull_only(const constant_curvature *c, arcs_memory *all, int index, const problem *p) {
    const int n = p->n;
    double *H = all->pulling, *g = H + n * n, *low = g + n, *high = low + n, trace = 0.0;
    bool pushes = false;
    for (int i = 0; i < n; i++) low[i] = -HUGE_VAL, high[i] = HUGE_VAL;
    for (int i = 0; i < c->n_actuators; i++) {
        if (c->drive_arm[i] != index || !c->actuators[i].pulls_only) continue;
        low[c->drive_index[i]] = 0.0;
        pushes = pushes || p->x[c->drive_index[i]] < 0.0;
    }
    if (!pushes) return;
    for (int i = 0; i < n; i++) {
        g[i] = -dense_dot((size_t)p->n_q, p->G + i * p->n_q, p->f);
        for (int j = 0; j < n; j++)
            H[i * n + j] = dense_dot((size_t)p->n_q, p->G + i * p->n_q, p->G + j * p->n_q);
        trace += H[i * n + i];
    }
    for (int i = 0; i < n; i++) H[i * n + i] += PULLING * trace / n;
    box_qp(n, H, g, low, high, p->x, high + n);
}

// Smallest efforts that give the forces, or come closest; each measured by the forces it makes.
static td_status find_efforts(const constant_curvature *c, arcs_memory *all, int index,
                              const double *q, const double *forces, const model_call *call,
                              double *efforts) {
    const arm *a = &c->arms[index];
    arm_memory *m = &all->arms[index];
    const int n = a->chain.n_drives, n_q = a->chain.n_q;
    if (n == 0) return TD_OK;
    double *G = all->matrix, *S = n >= n_q ? m->solve.matrix : all->normal;
    int *pivot = n >= n_q ? m->solve.spare : all->pivot;
    double size = 0.0;
    memset(G, 0, sizeof(double) * (size_t)n * (size_t)n_q);
    for (int i = 0; i < n; i++) {
        double norm = 0.0, *row = G + i * n_q;
        drive_add(&a->chain, &a->chain.drives[i], 1.0, q, row);
        for (int k = 0; k < n_q; k++) norm = fmax(norm, fabs(row[k]));
        for (int k = 0; k < n_q; k++) row[k] /= norm;
        m->efforts[i] = 0.0;
        efforts[i] = norm;  // for now
    }
    for (int k = 0; k < n_q; k++) size = fmax(size, fabs(forces[k]));
    problem p = {n, n_q, G, forces, m->efforts};
    if (!factor(&p, S, pivot)) return TD_ERR_SINGULAR;
    for (int i = 0; i < PASSES; i++) {
        left_over(&p, m->solve.dz);
        add_correction(&p, S, pivot, m->solve.dz, all->right);
    }
    pull_only(c, all, index, &p);
    double missing = left_over(&p, m->solve.dz);
    for (int i = 0; i < n; i++) efforts[i] = p.x[i] / efforts[i];
    if (missing <= REACHED * size) return TD_OK;
    return tell(
        call->message, TD_LOOSE,
        "rod '%s': its actuators cannot give these generalised forces; the closest misses by "
        "%.3g of the largest",
        a->name, missing / size);
}

static void spread_efforts(const constant_curvature *c, int index, const double *own,
                           double *efforts) {
    for (int i = 0; i < c->n_actuators; i++)
        if (c->drive_arm[i] == index) efforts[i] = own[c->drive_index[i]];
}

td_status arcs_inverse_dynamics(const void *compiled, void *memory, const model_call *call,
                                const double *q, const double *q_t, const double *q_tt,
                                double *forces, double *efforts) {
    const constant_curvature *c = compiled;
    arcs_memory *all = memory;
    td_status worst = TD_OK;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        situation at = arcs_situation(c, a, call->inputs);
        double *own = forces ? forces + a->first : all->arms[i].solve.r;
        touch_stay(&a->touch, &all->arms[i].touch, call->inputs);
        td_status status = arm_check(a, q + a->first, 0.0, call->message);
        if (status < 0) return status;
        missing_forces(a, &all->arms[i], &at, q + a->first, q_t + a->first, q_tt + a->first, own);
        if (!efforts) continue;
        status = find_efforts(c, all, i, q + a->first, own, call, all->efforts);
        if (status < 0) return status;
        if (status != TD_OK) worst = status;
        spread_efforts(c, i, all->efforts, efforts);
    }
    return worst;
}
