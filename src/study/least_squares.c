// study/least_squares.c - Levenberg and Marquardt's method with bounds: see least_squares.h.
//
// Each step p solves  min |J p + r|^2 + mu |D p|^2  over the numbers that are free, with D the largest lengths of the
// columns of J so far (More 1978), is cut off at the bounds, and is taken if the sum falls. Numbers at a bound that
// the gradient pushes outwards are held for the step. mu follows from the share of the promised reduction that came
// true (Nielsen 1999). A robust loss weighs residuals with rho' (reweighted least squares), which leaves the gradient exact.
//
// cminpack's lmder, which the library links already, knows no bounds; to bend the numbers (x = low + .. sin^2 y) makes
// slopes vanish at bounds, where an answer may well lie, and spoils the covariance there. [J r] is factored by
// Householder's QR (LAPACK), never squared: J'J would lose half of the digits.
#include "study/least_squares.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "study/least_squares_inner.h"

void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a,
            const int *lda, double *b, const int *ldb, double *work, const int *lwork, int *info,
            size_t trans_len);

#define USUAL_ITERATIONS 200
#define SMALL_STEP 1e-11     // relative to the numbers: nothing changes any more
#define SMALL_PROMISE 1e-15  // of the sum, relative: rounding is larger
#define ROUNDING 1e-13       // of the sum
#define SMALL_COSINE 1e-13   // between residuals and a column of J
#define CLOSE_ENOUGH                                                                               \
    1e-6  // relative: an undamped step this small that lowers nothing ends at rounding
#define LARGEST_DAMPING 1e12  // beyond it steps are lost in rounding
#define USUAL_SHARE 1e-5      // near the cube root of rounding, where central differences are best

typedef struct search {
    const ls_problem *p;
    ls_solution *s;
    double mu, nu;
    double *lengths;   // (n) D
    double *trial;     // (n)
    double *r;         // (m) there
    double *step;      // (n)
    double *gradient;  // (n) of half the sum
    double *matrix;    // (m x (n + 1)) scratch of the factors
    double *R;         // (n x (n + 1)) R and Q'r in its last column, row major
    double *small;     // (2 n x n) and
    double *right;     // (2 n) of a damped step
    double *work;      // (lwork)
    bool *stopped;     // (n) of the step at hand: held, or at a bound
    int lwork;
} search;

// ---------------------------------------------------------------- loss
static double loss_of(const ls_problem *p, double r) {
    const double z = p->loss == LS_SQUARES ? 0.0 : r / p->scale * (r / p->scale);
    const double square = p->scale * p->scale;
    if (p->loss == LS_HUBER && z > 1.0) return square * (2.0 * sqrt(z) - 1.0);
    if (p->loss == LS_SOFT_L1) return square * 2.0 * z / (sqrt(1.0 + z) + 1.0);
    return r * r;
}

// rho'(z)
static double weight_of(const ls_problem *p, double r) {
    const double ratio = p->loss == LS_SQUARES ? 0.0 : fabs(r / p->scale);
    if (p->loss == LS_HUBER && ratio > 1.0) return 1.0 / ratio;
    if (p->loss == LS_SOFT_L1) return 1.0 / sqrt(1.0 + ratio * ratio);
    return 1.0;
}

// HUGE_VAL: a residual is not finite.
static double sum_of(const ls_problem *p, const double *r) {
    double sum = 0.0;
    for (int i = 0; i < p->m; i++) sum += loss_of(p, r[i]);
    return isfinite(sum) ? sum : HUGE_VAL;
}

// ---------------------------------------------------------------- slopes
static bool residuals_at(const ls_problem *p, const double *x, double *r) {
    return p->residuals(p->context, x, r) && sum_of(p, r) < HUGE_VAL;
}

static double size_of(const ls_problem *p, int j, double x) {
    const double range = p->high[j] - p->low[j];
    return fabs(x) > 0.0 ? fabs(x) : isfinite(range) && range > 0.0 ? 1e-3 * range : 1.0;
}

static double difference_step(const ls_problem *p, const double *x, int j) {
    return p->sizes ? p->share * p->sizes[j] : USUAL_SHARE * size_of(p, j, x[j]);
}

// The two points of number j: x + h and x - h; or x + h and x + 2 h, away from a bound.
static void place_points(const ls_problem *p, const double *x, int j, double *points) {
    const size_t n = (size_t)p->n;
    double h = difference_step(p, x, j);
    const bool central = x[j] + h <= p->high[j] && x[j] - h >= p->low[j];
    if (!central && x[j] + 2.0 * h > p->high[j]) h = -h;
    memcpy(points, x, sizeof *points * n);
    memcpy(points + n, x, sizeof *points * n);
    points[j] = x[j] + h;
    points[n + (size_t)j] = central ? x[j] - h : x[j] + 2.0 * h;
}

static bool residuals_at_all(const ls_problem *p, int count, const double *x, double *r) {
    if (p->many) return p->many(p->context, count, x, r);
    bool ok = true;
    for (int i = 0; i < count && ok; i++)
        ok = residuals_at(p, x + (size_t)i * (size_t)p->n, r + (size_t)i * (size_t)p->m);
    return ok;
}

// (f(x + h) - f(x - h))/2 h,  (-3 f(x) + 4 f(x + h) - f(x + 2 h))/2 h
static void take_difference(const ls_problem *p, bool central, double h, const double *at,
                            const double *r, double *column) {
    const double *one = at, *two = at + p->m;
    for (int i = 0; i < p->m; i++)
        column[(size_t)i * (size_t)p->n] =
            (central ? one[i] - two[i] : 4.0 * one[i] - two[i] - 3.0 * r[i]) / (2.0 * h);
}

bool ls_differences(const ls_problem *p, const double *x, const double *r, double *J) {
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    double *points = malloc(sizeof *points * 2 * n * (n + m)), *at = points + 2 * n * n;
    for (int j = 0; j < p->n && points; j++) place_points(p, x, j, points + 2 * n * (size_t)j);
    const bool ok = points && residuals_at_all(p, 2 * p->n, points, at);
    for (int j = 0; j < p->n && ok; j++) {
        const double *two = points + 2 * n * (size_t)j + (size_t)j, h = two[0] - x[j];
        take_difference(p, (two[n] - x[j]) * h < 0.0, h, at + 2 * m * (size_t)j, r, J + j);
    }
    free(points);
    return ok;
}

static bool find_slopes(search *q) {
    if (q->p->slopes) return q->p->slopes(q->p->context, q->s->x, q->s->r, q->s->J);
    return ls_differences(q->p, q->s->x, q->s->r, q->s->J);
}

// ---------------------------------------------------------------- factors
// [J r] with rows weighed becomes R and Q'r; the gradient R'Q'r and the lengths of columns follow.
static bool factor(search *q) {
    const ls_problem *p = q->p;
    const ls_solution *s = q->s;
    const int n = p->n, N = n + 1;
    for (int i = 0; i < p->m; i++) s->weights[i] = weight_of(p, s->r[i]);
    if (!ls_triangle(p, s, s->r, q->matrix, q->R, q->work, q->lwork)) return false;
    for (int j = 0; j < n; j++) {
        double length = 0.0;
        q->gradient[j] = 0.0;
        for (int i = 0; i < n; i++) {
            length += q->R[i * N + j] * q->R[i * N + j];
            q->gradient[j] += q->R[i * N + j] * q->R[i * N + n];
        }
        q->lengths[j] = fmax(q->lengths[j], sqrt(length));
    }
    return true;
}

static void hold(search *q) {
    const ls_problem *p = q->p;
    for (int j = 0; j < p->n; j++)
        q->s->held[j] = (q->s->x[j] <= p->low[j] && q->gradient[j] >= 0.0) ||
                        (q->s->x[j] >= p->high[j] && q->gradient[j] <= 0.0);
}

// ---------------------------------------------------------------- steps
// The step under the damping mu over the numbers that nothing stops, with the steps of the others given:
// [R; sqrt(mu) D] p = [-Q'r - R p_stopped; 0].
static bool solve_step(search *q, double mu) {
    const int n = q->p->n, N = n + 1, rows = 2 * n, one = 1;
    int columns = 0, info = 0;
    memset(q->small, 0, sizeof(double) * (size_t)(rows * n));
    memset(q->right, 0, sizeof(double) * (size_t)rows);
    for (int i = 0; i < n; i++) q->right[i] = -q->R[i * N + n];
    for (int j = 0; j < n; j++) {
        double *column = q->small + (size_t)columns * (size_t)rows;
        for (int i = 0; i < n && q->stopped[j]; i++) q->right[i] -= q->R[i * N + j] * q->step[j];
        if (q->stopped[j]) continue;
        for (int i = 0; i < n; i++) column[i] = q->R[i * N + j];
        column[n + columns++] = sqrt(mu) * (q->lengths[j] > 0.0 ? q->lengths[j] : 1.0);
    }
    if (columns == 0) return true;
    dgels_("N", &rows, &columns, &one, q->small, &rows, q->right, &rows, q->work, &q->lwork, &info,
           1);
    for (int j = 0, k = 0; j < n; j++)
        if (!q->stopped[j]) q->step[j] = q->right[k++];
    return info == 0;
}

// Numbers that the step would carry out of their bounds stop there. True: none did.
static bool stays_inside(search *q) {
    bool inside = true;
    for (int j = 0; j < q->p->n; j++) {
        const double x = q->s->x[j], low = q->p->low[j] - x, high = q->p->high[j] - x;
        if (q->stopped[j] || (q->step[j] >= low && q->step[j] <= high)) continue;
        q->step[j] = q->step[j] < low ? low : high;
        q->stopped[j] = true, inside = false;
    }
    return inside;
}

// The step, where it leads (trial), and how far, relative to the numbers; HUGE_VAL: there is none.
static double find_step(search *q, double mu) {
    const ls_problem *p = q->p;
    double farthest = 0.0;
    for (int j = 0; j < p->n; j++) q->stopped[j] = q->s->held[j], q->step[j] = 0.0;
    do {
        if (!solve_step(q, mu)) return HUGE_VAL;
    } while (!stays_inside(q));
    for (int j = 0; j < p->n; j++) {
        const double x = q->s->x[j];
        q->trial[j] = fmin(fmax(x + q->step[j], p->low[j]), p->high[j]);
        farthest = fmax(farthest, fabs(q->step[j]) / size_of(p, j, x));
    }
    return farthest;
}

// By how much the sum falls if residuals are as straight as J says: |Q'r|^2 - |Q'r + R p|^2
static double promise(const search *q) {
    const int n = q->p->n, N = n + 1;
    double fall = 0.0;
    for (int i = 0; i < n; i++) {
        double change = 0.0;
        for (int j = 0; j < n; j++) change += q->R[i * N + j] * q->step[j];
        fall -= change * (2.0 * q->R[i * N + n] + change);
    }
    return fall;
}

static bool is_flat(const search *q) {
    double square = 0.0;
    for (int i = 0; i < q->p->m; i++) square += q->s->weights[i] * q->s->r[i] * q->s->r[i];
    for (int j = 0; j < q->p->n; j++)
        if (!q->s->held[j] && fabs(q->gradient[j]) > SMALL_COSINE * q->lengths[j] * sqrt(square))
            return false;
    return true;
}

static void soften(search *q) {
    q->mu *= q->nu;
    q->nu *= 2.0;
}

static void accept(search *q, double sum, double share) {
    memcpy(q->s->x, q->trial, sizeof(double) * (size_t)q->p->n);
    memcpy(q->s->r, q->r, sizeof(double) * (size_t)q->p->m);
    q->s->sum = sum;
    const double t = 2.0 * share - 1.0;
    q->mu = fmax(q->mu * fmax(1.0 / 3.0, 1.0 - t * t * t), 1e-20);
    q->nu = 2.0;
}

static double sum_at_trial(search *q) {
    q->s->evaluations++;
    return q->p->residuals(q->p->context, q->trial, q->r) ? sum_of(q->p, q->r) : HUGE_VAL;
}

// The sum is as low as rounding lets it be judged, and the undamped step, which squares the distance to the
// solution, goes below that.
static ls_status finish(search *q) {
    const double farthest = find_step(q, 0.0);
    if (!(farthest < CLOSE_ENOUGH)) return LS_CONVERGED;
    const double sum = sum_at_trial(q);
    if (sum <= q->s->sum * (1.0 + ROUNDING)) accept(q, sum, 1.0);
    return LS_CONVERGED;
}

// One step that lowers the sum. LS_LIMIT: there is more to do.
static ls_status improve(search *q) {
    hold(q);
    if (q->s->sum == 0.0 || is_flat(q)) return LS_CONVERGED;
    while (q->mu < LARGEST_DAMPING) {
        const double farthest = find_step(q, q->mu), fall = promise(q);
        const bool last = farthest < SMALL_STEP || fall < SMALL_PROMISE * q->s->sum;
        if (last && q->mu <= 1.0) return finish(q);
        const double sum = fall > 0.0 ? sum_at_trial(q) : HUGE_VAL;
        const double share = (q->s->sum - sum) / fall;
        if (sum < q->s->sum && share > 1e-4) return accept(q, sum, share), LS_LIMIT;
        soften(q);
    }
    return find_step(q, 0.0) < CLOSE_ENOUGH ? LS_CONVERGED : LS_STALLED;
}

// ---------------------------------------------------------------- the whole
static bool allocate(search *q) {
    const size_t n = (size_t)q->p->n, m = (size_t)q->p->m, N = n + 1;
    const size_t lwork = 64 * (N + 1);
    const size_t kept = n + m + m * n + m;
    const size_t used = 4 * n + m + (m + N) * N + n * N + 2 * n * n + 2 * n + lwork;
    double *at = calloc(kept + used + 2 * n, sizeof *at);
    q->s->memory = at;
    if (!at) return false;
    q->s->x = at, at += n;
    q->s->r = at, at += m;
    q->s->J = at, at += m * n;
    q->s->weights = at, at += m;
    q->lengths = at, at += n;
    q->trial = at, at += n;
    q->step = at, at += n;
    q->gradient = at, at += n;
    q->r = at, at += m;
    q->matrix = at, at += (m + N) * N;
    q->R = at, at += n * N;
    q->small = at, at += 2 * n * n;
    q->right = at, at += 2 * n;
    q->work = at, at += lwork;
    q->lwork = (int)lwork;
    q->s->held = (bool *)at, at += n;
    q->stopped = (bool *)at;
    return true;
}

static ls_status search_for(search *q, const double *x) {
    const ls_problem *p = q->p;
    ls_solution *s = q->s;
    const int most = p->max_iterations ? p->max_iterations : USUAL_ITERATIONS;
    for (int j = 0; j < p->n; j++) s->x[j] = fmin(fmax(x[j], p->low[j]), p->high[j]);
    s->evaluations = 1;
    if (!residuals_at(p, s->x, s->r)) return LS_NO_START;
    s->sum = s->first_sum = sum_of(p, s->r);
    if (!find_slopes(q) || !factor(q)) return LS_NO_START;
    while (s->iterations < most) {
        const ls_status status = improve(q);
        if (status != LS_LIMIT) return status;
        s->iterations++;
        if (!find_slopes(q) || !factor(q)) return LS_STALLED;
    }
    hold(q);
    return LS_LIMIT;
}

ls_solution ls_solve(const ls_problem *p, const double *x) {
    ls_solution s = {.status = LS_NO_MEMORY};
    search q = {.p = p, .s = &s, .mu = 1e-3, .nu = 2.0};
    if (allocate(&q)) s.status = search_for(&q, x);
    return s;
}

void ls_free(ls_solution *s) {
    free(s->memory);
    *s = (ls_solution){0};
}
