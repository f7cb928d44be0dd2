#include "model/equilibrium.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"

#define LONGEST 0.3          // rad, by which a correction may bend a segment
#define HALVINGS 10          // of a correction
#define SMALLEST_SHARE 1e-4  // step of the path
#define CLOSE 1e-9           // rad: rounding may stop a solve above a smaller tolerance
#define DIFFERENCE 1e-6      // of a coordinate's unit

void equilibrium_layout(int n, arena *work, equilibrium_work *out) {
    equilibrium_work w = {0};
    double **const vectors[] = {&w.F, &w.F2, &w.step, &w.trial, &w.start};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_TAKE(work, double, n);
    w.K = ARENA_TAKE(work, double, (size_t)n *(size_t)n);
    w.pivot = ARENA_TAKE(work, int, n);
    if (out) *out = w;
}

static void copy(const equilibrium *e, double *to, const double *from) {
    memcpy(to, from, sizeof(double) * (size_t)e->n);
}

// ---------------------------------------------------------------- Newton's method
double equilibrium_residual(const equilibrium *e, const double *q) {
    double most = 0.0;
    e->forces(e->context, q, e->w.F);
    e->stats->evaluations++;
    for (int k = 0; k < e->n; k++) {
        double r = fabs(e->w.F[k]) / e->force[k];
        if (!(r <= most)) most = r;  // takes a NaN along
    }
    return most;
}

static void difference(const equilibrium *e, double *q) {
    const int n = e->n;
    for (int k = 0; k < n; k++) {
        double keep = q[k], h = DIFFERENCE * e->unit[k];
        q[k] = keep + h;
        e->forces(e->context, q, e->w.F2);
        q[k] = keep - h;
        e->forces(e->context, q, e->w.F);
        q[k] = keep;
        for (int r = 0; r < n; r++) e->w.K[r * n + k] = (e->w.F[r] - e->w.F2[r]) / (2.0 * h);
    }
    e->stats->evaluations += 2 * n;
}

void equilibrium_stiffness(const equilibrium *e, double *q) {
    if (e->stiffness) e->stiffness(e->context, q, e->w.K);
    else difference(e, q);
    e->stats->jacobians++;
}

bool equilibrium_factor(const equilibrium *e, double *q) {
    equilibrium_stiffness(e, q);
    return lu_factor(e->n, e->w.K, e->w.pivot);
}

int equilibrium_sign(const equilibrium *e, double *q) {
    return equilibrium_factor(e, q) ? lu_sign(e->n, e->w.K, e->w.pivot) : 0;
}

double equilibrium_softest(const equilibrium *e, double *q, const double *own) {
    const int n = e->n;
    equilibrium_stiffness(e, q);
    for (int k = 0; k < n * n; k++) e->w.K[k] /= sqrt(own[k / n] * own[k % n]);
    tridiagonalise(n, e->w.K, e->w.step, e->w.trial);
    return tridiagonal_eigenvalue(n, e->w.step, e->w.trial, 0);
}

static double step_size(const equilibrium *e) {
    double most = 0.0;
    for (int k = 0; k < e->n; k++) {
        double size = fabs(e->w.step[k]) / e->unit[k];
        if (!(size <= most)) most = size;
    }
    return most;
}

// One correction, shortened until the residual falls. False: it does not.
static bool correct(const equilibrium *e, double *q, double *residual) {
    if (!equilibrium_factor(e, q)) return false;
    e->forces(e->context, q, e->w.step);
    lu_solve(e->n, e->w.K, e->w.pivot, e->w.step);
    double size = step_size(e);
    if (!isfinite(size)) return false;
    double share = size > LONGEST ? LONGEST / size : 1.0;
    for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
        for (int k = 0; k < e->n; k++) e->w.trial[k] = q[k] + share * e->w.step[k];
        double next = equilibrium_residual(e, e->w.trial);
        if (!(next < *residual)) continue;
        copy(e, q, e->w.trial);
        *residual = next;
        return true;
    }
    return false;
}

bool equilibrium_close(const equilibrium *e, double residual) {
    return residual <= fmax(e->tolerance, CLOSE);
}

bool equilibrium_solve(const equilibrium *e, double *q, double *residual) {
    *residual = equilibrium_residual(e, q);
    for (int i = 0; i<e->most && * residual> e->tolerance; i++) {
        if (!correct(e, q, residual)) break;
        e->stats->iterations++;
    }
    return equilibrium_close(e, *residual);
}

bool equilibrium_follow(const equilibrium *e, double *share, double *q, double *residual) {
    double done = 0.0, step = 1.0;
    while (done < 1.0) {
        copy(e, e->w.start, q);
        *share = fmin(1.0, done + step);
        if (*share < 1.0 || done > 0.0) e->stats->load_steps++;
        if (equilibrium_solve(e, q, residual)) {
            done = *share;
            step *= 2.0;
            continue;
        }
        copy(e, q, e->w.start);
        step *= 0.25;
        if (step < SMALLEST_SHARE) break;
    }
    *share = done;
    return done >= 1.0;
}

// ---------------------------------------------------------------- derivatives
// dq = K^-1 dF. The motion of a point is linear in the rates of the coordinates, so that its
// derivative is its velocity under the rates dq.
static void store_answer(const point_answer *a, double s, int n, int column, double *out) {
    const equilibrium *e = a->e;
    double moved[6];
    lu_solve(e->n, e->w.K, e->w.pivot, e->w.step);
    a->move(e->context, s, e->w.step, moved);
    for (int r = 0; r < 6; r++) out[r * n + column] = moved[r];
}

// dF/d input in w.step.
static void force_by_input(const point_answer *a, double *inputs, int input) {
    const equilibrium *e = a->e;
    if (e->by_input) {
        e->by_input(e->context, a->q, input, e->w.step);
        return;
    }
    double keep = inputs[input], h = 1e-6 * fmax(1e-3, fabs(keep));
    inputs[input] = keep + h;
    a->take_inputs(e->context, inputs);
    e->forces(e->context, a->q, e->w.step);
    inputs[input] = keep - h;
    a->take_inputs(e->context, inputs);
    e->forces(e->context, a->q, e->w.F2);
    inputs[input] = keep;
    for (int k = 0; k < e->n; k++) e->w.step[k] = (e->w.step[k] - e->w.F2[k]) / (2.0 * h);
}

td_status equilibrium_jacobian(const point_answer *a, double s, double *inputs, int n_inputs,
                               double *J) {
    if (!equilibrium_factor(a->e, a->q)) return TD_ERR_SINGULAR;
    for (int i = 0; i < n_inputs; i++) {
        force_by_input(a, inputs, i);
        store_answer(a, s, n_inputs, i, J);
    }
    return TD_OK;
}

td_status equilibrium_compliance(const point_answer *a, double s, double load_s, double *C) {
    const equilibrium *e = a->e;
    if (!equilibrium_factor(e, a->q)) return TD_ERR_SINGULAR;
    memset(e->w.trial, 0, sizeof(double) * (size_t)e->n);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < e->n; k++) {  // virtual power of a unit wrench
            double moved[6];
            e->w.trial[k] = 1.0;
            a->move(e->context, load_s, e->w.trial, moved);
            e->w.trial[k] = 0.0;
            e->w.step[k] = moved[i];
        }
        store_answer(a, s, 6, i, C);
    }
    return TD_OK;
}
