// study/optimise_search.c - a search by NLopt over the free parameters of a study.
//
// NLopt sees numbers z from 0 to 1, shares of the ranges (of their logarithms where the range says so), and values in sizes that
// they have at the start, so that steps and tolerances mean the same of all. A case that fails counts as far worse than the
// start: line searches then shorten their steps.
#include "study/optimise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/knot_slopes.h"
#include "study/rest_slopes.h"

#ifdef TENDRIL_NLOPT
#include <nlopt.h>

void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

#define STEP 1e-4      // of a range: central differences, of cases that are converged to 1e-12
#define MET 1e-6       // of the size of a bound, by which it may be missed
#define AT_END 1e-9    // of a range
#define FAR_WORSE 1e3  // sizes
#define ASIDE 0.02     // of a range
#define NOTHING 1e-6   // of what values change by across a range
#define LEAST_SIZE 1e-14
#define AGREE 1e-4     // of the largest slope
#define SAME_RUN 1e-5  // of sizes: two ways to the same run

// ---------------------------------------------------------------- parameters
static double from_share(const distribution *d, double z) {
    if (d->kind == DISTRIBUTION_LOG_RANGE) return d->low * pow(d->high / d->low, z);
    return z >= 1.0 ? d->high : d->low + z * (d->high - d->low);
}

static double to_share(const distribution *d, double x) {
    const double z = d->kind == DISTRIBUTION_LOG_RANGE ? log(x / d->low) / log(d->high / d->low)
                                                       : (x - d->low) / (d->high - d->low);
    return fmin(fmax(z, 0.0), 1.0);
}

static double slope_of_share(const distribution *d, double x) {  // dx/dz
    return d->kind == DISTRIBUTION_LOG_RANGE ? x * log(d->high / d->low) : d->high - d->low;
}

static void place(const search *q, const double *z, double *x) {
    memcpy(x, q->x, sizeof *x * (size_t)q->s->n_parameters);
    for (int i = 0; i < q->n_free; i++)
        x[q->index[i]] = from_share(&q->s->parameters[q->index[i]].d, z[i]);
}

// A way aside from z, towards the middle, of no symmetry.
static double aside(double z, int k) {
    return (z < 0.5 ? ASIDE : -ASIDE) * (1.0 + 0.1 * (k % 7));
}

// ---------------------------------------------------------------- points
// What the aim says of results.
static void judge(const search *q, outcome *o) {
    const study_aim *aim = &q->s->aim;
    double variables[N_VARIABLES] = {0.0};
    memcpy(variables, o->x, sizeof *o->x * (size_t)q->s->n_parameters);
    memcpy(variables + FIRST_RESULT, o->results, sizeof *o->results * (size_t)q->s->n_results);
    o->f = (aim->maximise ? -1.0 : 1.0) * expression_value(aim->value, variables, NULL);
    o->missed = 0.0;
    for (int i = 0; i < aim->n_bounds; i++) {
        const study_bound *b = &aim->bounds[i];
        const double left = expression_value(b->left, variables, NULL),
                     right = expression_value(b->right, variables, NULL);
        o->left[i] = left, o->right[i] = right;
        o->c[i] = (b->relation == AT_LEAST ? right - left : left - right) / q->c_size[i];
        o->missed = fmax(o->missed, b->relation == EQUAL ? fabs(o->c[i]) : o->c[i]);
        if (!isfinite(o->c[i])) o->known = false;
    }
    if (!isfinite(o->f)) o->known = false;
}

static void compute(search *q, td_study_worker *worker, outcome *o) {
    o->known = td_study_compute(worker, o->x, o->results) >= 0;
    if (o->known) judge(q, o);
    if (!o->known) o->f = HUGE_VAL, o->missed = HUGE_VAL;
}

static bool is_better(const outcome *a, const outcome *b) {
    const bool met = a->missed <= MET, other = b->missed <= MET;
    if (met != other) return met;
    return met ? a->f < b->f : a->missed < b->missed;
}

static void remember(search *q) {
    if (q->n_points == q->room_for_points) {
        const int room = 2 * q->room_for_points + 64;
        point *more = realloc(q->points, sizeof *more * (size_t)room);
        if (!more) return;
        q->points = more, q->room_for_points = room;
    }
    q->points[q->n_points++] = (point){q->here.f, q->here.missed};
}

// The point z becomes `here`.
static void look_at(search *q, const double *z) {
    const size_t bytes = sizeof *z * (size_t)q->n_free;
    if (q->here.known && q->sized && !memcmp(z, q->z, bytes)) return;
    memcpy(q->z, z, bytes);
    place(q, z, q->here.x);
    compute(q, q->workers[0], &q->here);
    q->cases++;
    q->slopes_known = false;
    if (!q->here.known) {
        snprintf(q->failure.message, sizeof q->failure.message, "%s",
                 td_study_message(q->workers[0]));
        return;
    }
    if (q->sized) remember(q);
    if (q->sized && (!q->has_best || is_better(&q->here, &q->best)))
        q->best = q->here, q->has_best = true;
    if (q->o->tell)
        q->o->tell(q->o->context, q->cases,
                   q->has_best && q->best.missed <= MET ? q->best.f : HUGE_VAL);
}

// ---------------------------------------------------------------- slopes
static void compute_around(void *context, int i) {
    search *q = context;
    compute(q, q->workers[i], &q->around[i]);
}

// (f(z + h) - f(z - h))/2 h; to one side, (-3 f + 4 f(z + h) - f(z + 2 h))/2 h, where a bound is near.
static double difference(double here, double one, double two, double h, bool central) {
    return central ? (one - two) / (2.0 * h) : (4.0 * one - two - 3.0 * here) / (2.0 * h);
}

static bool slopes_by_differences(search *q) {
    const int n = q->n_free, m = q->s->aim.n_bounds;
    double z[MOST_PARAMETERS];
    for (int i = 0; i < 2 * n; i++) {
        const int k = i / 2;
        memcpy(z, q->z, sizeof z);
        const bool central = q->z[k] >= STEP && q->z[k] <= 1.0 - STEP;
        const double h = q->z[k] + 2.0 * STEP > 1.0 && !central ? -STEP : STEP;
        z[k] += central ? (i % 2 ? -h : h) : (i % 2 ? 2.0 * h : h);
        place(q, z, q->around[i].x);
    }
    pool_run(q->pool, compute_around, q, 2 * n);
    q->cases += 2 * n;
    for (int k = 0; k < n; k++) {
        const outcome *one = &q->around[2 * k], *two = one + 1;
        const bool central = q->z[k] >= STEP && q->z[k] <= 1.0 - STEP;
        const double h = q->z[k] + 2.0 * STEP > 1.0 && !central ? -STEP : STEP;
        if (!one->known || !two->known) return false;
        q->g[k] = difference(q->here.f, one->f, two->f, h, central) / q->f_size;
        for (int i = 0; i < m; i++)
            q->A[i * n + k] = difference(q->here.c[i], one->c[i], two->c[i], h, central);
    }
    return true;
}

// By the chain rule, from how results answer.
static double chained(const search *q, const expression *e, const double *variables, int k) {
    const int p = q->index[k];
    double sum = expression_slope(e, variables, NULL, p);
    for (int r = 0; r < q->s->n_results; r++)
        sum += expression_slope(e, variables, NULL, FIRST_RESULT + r) *
               q->J[(size_t)r * (size_t)q->s->n_parameters + (size_t)p];
    return sum * slope_of_share(&q->s->parameters[p].d, q->here.x[p]);
}

// Steps with slopes take an input that begins to move as a jump in some models: another run then.
static bool is_same_run(const search *q, const double *results) {
    outcome other = q->here;
    memcpy(other.results, results, sizeof *results * (size_t)q->s->n_results);
    judge(q, &other);
    bool same = fabs(other.f - q->here.f) <= SAME_RUN * (fabs(q->here.f) + q->f_size);
    for (int i = 0; i < q->s->aim.n_bounds; i++)
        same = same && fabs(other.c[i] - q->here.c[i]) <= SAME_RUN * (1.0 + fabs(q->here.c[i]));
    return same;
}

static td_status slopes_of_results(search *q, double *results) {
    double steps[MOST_PARAMETERS] = {0.0};
    if (!q->at_rest) return knot_slopes(q->s, q->free, q->here.x, results, q->J, &q->failure);
    for (int k = 0; k < q->n_free; k++) {
        const int p = q->index[k];
        steps[p] = STEP * slope_of_share(&q->s->parameters[p].d, q->here.x[p]);
    }
    return rest_slopes(q->s, q->free, q->here.x, steps, results, q->J, &q->failure);
}

static bool exact_slopes(search *q) {
    const study_aim *aim = &q->s->aim;
    double variables[N_VARIABLES] = {0.0}, results[MOST_RESULTS];
    q->cases++;
    if (slopes_of_results(q, results) < 0) return false;
    if (!is_same_run(q, results)) return false;
    memcpy(variables, q->here.x, sizeof *variables * (size_t)q->s->n_parameters);
    memcpy(variables + FIRST_RESULT, q->here.results, sizeof *results * (size_t)q->s->n_results);
    for (int k = 0; k < q->n_free; k++) {
        q->g[k] = (aim->maximise ? -1.0 : 1.0) * chained(q, aim->value, variables, k) / q->f_size;
        for (int i = 0; i < aim->n_bounds; i++) {
            const study_bound *b = &aim->bounds[i];
            const double slope =
                chained(q, b->left, variables, k) - chained(q, b->right, variables, k);
            q->A[i * q->n_free + k] = (b->relation == AT_LEAST ? -slope : slope) / q->c_size[i];
        }
    }
    return true;
}

// At the start exact slopes and differences must be the same: what an equilibrium owes to choices of a model (a basis, a place that is
// named in m on a rod whose length varies) is seen by differences alone.
static bool agree(search *q) {
    const int n = q->n_free, m = q->s->aim.n_bounds;
    double first[MOST_PARAMETERS], most = 0.0, apart = 0.0;
    if (!slopes_by_differences(q)) return true;  // nothing to compare with
    double *bounds = malloc(sizeof *bounds * (size_t)(n * m + 1));
    if (!bounds) return false;
    memcpy(first, q->g, sizeof *first * (size_t)n);
    memcpy(bounds, q->A, sizeof *bounds * (size_t)(n * m));
    const bool ok = exact_slopes(q);
    for (int k = 0; k < n && ok; k++) {
        most = fmax(most, fabs(first[k])), apart = fmax(apart, fabs(first[k] - q->g[k]));
        for (int i = 0; i < m; i++) {
            most = fmax(most, fabs(bounds[i * n + k]));
            apart = fmax(apart, fabs(bounds[i * n + k] - q->A[i * n + k]));
        }
    }
    free(bounds);
    return ok && apart <= AGREE * most;
}

static void find_slopes(search *q) {
    if (q->slopes_known) return;
    bool ok = q->exact && exact_slopes(q);
    if (!ok && q->exact) q->exact = false;  // for good: what they see is another case
    if (!ok) ok = slopes_by_differences(q);
    if (!ok) {
        memset(q->g, 0, sizeof *q->g * (size_t)q->n_free);
        memset(q->A, 0, sizeof *q->A * (size_t)(q->n_free * q->s->aim.n_bounds));
    }
    q->slopes_known = q->slopes_made = true;
}

// ---------------------------------------------------------------- sizes
static void widen(double *size, double by) {
    if (isfinite(by)) *size = fmax(*size, fabs(by));
}

// What values are where it starts; where that is nothing, by how much they change across a range.
static double size_of(double here, double across) {
    const double size = fabs(here) > NOTHING * across ? fabs(here) : across;
    return size > LEAST_SIZE ? size : 1.0;
}

// What counts as large. What is symmetric about the start has no slope there: a point aside counts, too.
static void find_sizes(search *q, const double *z) {
    const int n = q->n_free, m = q->s->aim.n_bounds;
    double f = 0.0, c[MOST_BOUNDS] = {0.0}, beside[MOST_PARAMETERS];
    const outcome start = q->here;
    for (int k = 0; k < n; k++) beside[k] = z[k] + aside(z[k], k);
    if (n > 0 && slopes_by_differences(q))
        for (int k = 0; k < n; k++) {
            widen(&f, q->g[k]);
            for (int i = 0; i < m; i++) widen(&c[i], q->A[i * n + k]);
        }
    if (n > 0) look_at(q, beside);
    for (int i = 0; i < m; i++) {
        if (n > 0 && q->here.known) widen(&c[i], q->here.c[i] - start.c[i]);
        q->c_size[i] = size_of(fmax(fabs(start.left[i]), fabs(start.right[i])), c[i]);
    }
    if (n > 0 && q->here.known) widen(&f, q->here.f - start.f);
    q->f_size = size_of(start.f, f);
    q->here = start;
    memcpy(q->z, z, sizeof *z * (size_t)n);
    judge(q, &q->here);
    q->sized = true, q->slopes_known = false;
    q->best = q->here, q->has_best = true;
    remember(q);
}

// ---------------------------------------------------------------- NLopt
typedef struct asked {
    search *q;
    nlopt_opt opt;
} asked;

static double objective(unsigned n, const double *z, double *slopes, void *context) {
    asked *a = context;
    search *q = a->q;
    q->steps++;
    if (q->o->asked && q->o->asked(q->o->context)) {
        q->stopped = true;
        nlopt_force_stop(a->opt);
        return HUGE_VAL;
    }
    look_at(q, z);
    if (slopes && q->here.known) {
        find_slopes(q);
        memcpy(slopes, q->g, sizeof *slopes * n);
    } else if (slopes) {
        memset(slopes, 0, sizeof *slopes * n);
    }
    return q->here.known ? q->here.f / q->f_size : FAR_WORSE;
}

// Of the bounds that are equations, or of those that are not.
static void fill_bounds(search *q, bool equations, unsigned n, const double *z, double *result,
                        double *slopes) {
    const study_aim *aim = &q->s->aim;
    look_at(q, z);
    if (slopes && q->here.known) find_slopes(q);
    for (int i = 0; i < aim->n_bounds; i++) {
        if ((aim->bounds[i].relation == EQUAL) != equations) continue;
        *result++ = q->here.known ? q->here.c[i] : FAR_WORSE;
        if (!slopes) continue;
        for (unsigned k = 0; k < n; k++)
            *slopes++ = q->here.known ? q->A[(unsigned)i * n + k] : 0.0;
    }
}

static void unequal(unsigned m, double *result, unsigned n, const double *z, double *slopes,
                    void *context) {
    (void)m;
    fill_bounds(((asked *)context)->q, false, n, z, result, slopes);
}

static void equal(unsigned m, double *result, unsigned n, const double *z, double *slopes,
                  void *context) {
    (void)m;
    fill_bounds(((asked *)context)->q, true, n, z, result, slopes);
}

static const nlopt_algorithm algorithms[] = {
    [AIM_AUTO] = NLOPT_LD_SLSQP,      [AIM_SLSQP] = NLOPT_LD_SLSQP,
    [AIM_MMA] = NLOPT_LD_MMA,         [AIM_COBYLA] = NLOPT_LN_COBYLA,
    [AIM_BOBYQA] = NLOPT_LN_BOBYQA,   [AIM_SUBPLEX] = NLOPT_LN_SBPLX,
    [AIM_DIRECT] = NLOPT_GN_DIRECT_L, [AIM_ISRES] = NLOPT_GN_ISRES};

static nlopt_result optimise_by(search *q, aim_method method, double *z) {
    const study_aim *aim = &q->s->aim;
    const unsigned n = (unsigned)q->n_free;
    unsigned equations = 0;
    double tolerances[MOST_BOUNDS], value;
    asked a = {q, nlopt_create(algorithms[method], n)};
    if (!a.opt) return NLOPT_OUT_OF_MEMORY;
    for (int i = 0; i < aim->n_bounds; i++) {
        equations += aim->bounds[i].relation == EQUAL;
        tolerances[i] = 1e-3 * MET;
    }
    const unsigned others = (unsigned)aim->n_bounds - equations;
    nlopt_srand((unsigned long)q->s->seed + 1ul);
    nlopt_set_min_objective(a.opt, objective, &a);
    nlopt_set_lower_bounds1(a.opt, 0.0);
    nlopt_set_upper_bounds1(a.opt, 1.0);
    if (others) nlopt_add_inequality_mconstraint(a.opt, others, unequal, &a, tolerances);
    if (equations) nlopt_add_equality_mconstraint(a.opt, equations, equal, &a, tolerances);
    nlopt_set_xtol_abs1(a.opt, aim->tolerance);
    nlopt_set_ftol_rel(a.opt, 1e-5 * aim->tolerance);
    nlopt_set_maxeval(a.opt, aim->most);
    const nlopt_result result = nlopt_optimize(a.opt, z, &value);
    nlopt_destroy(a.opt);
    return result;
}

static bool is_global(aim_method m) {
    return m == AIM_DIRECT || m == AIM_ISRES;
}

static const char *refusal(const study_aim *aim) {
    bool equations = false;
    for (int i = 0; i < aim->n_bounds; i++)
        equations = equations || aim->bounds[i].relation == EQUAL;
    const bool free_only =
        aim->method == AIM_BOBYQA || aim->method == AIM_SUBPLEX || aim->method == AIM_DIRECT;
    if (free_only && aim->n_bounds > 0)
        return "the method knows no bounds of results: take slsqp, mma, cobyla or isres";
    if (aim->method == AIM_MMA && equations)
        return "mma knows no equations: take slsqp, cobyla or isres";
    return NULL;
}

// ---------------------------------------------------------------- is it the best?
// Prices of bounds that are just met: the least |g + A'p| over parameters that are not at an end of their range.
static void solve_prices(const search *q, const bool *inside, const bool *active, double *prices) {
    double A[MOST_PARAMETERS * MOST_BOUNDS], b[MOST_PARAMETERS + MOST_BOUNDS], work[8192];
    int pivots[MOST_BOUNDS] = {0}, rows = 0, columns = 0, one = 1, rank, info, lwork = 8192;
    const double tiny = 1e-12;
    for (int k = 0; k < q->n_free; k++) rows += inside[k];
    for (int i = 0; i < q->s->aim.n_bounds; i++) {
        if (!active[i]) continue;
        for (int k = 0, r = 0; k < q->n_free; k++)
            if (inside[k]) A[columns * rows + r++] = q->A[i * q->n_free + k];
        columns++;
    }
    memset(prices, 0, sizeof *prices * MOST_BOUNDS);
    if (rows == 0 || columns == 0) return;
    memset(b, 0, sizeof b);
    for (int k = 0, r = 0; k < q->n_free; k++)
        if (inside[k]) b[r++] = -q->g[k];
    const int ldb = rows > columns ? rows : columns;
    dgelsy_(&rows, &columns, &one, A, &rows, b, &ldb, pivots, &tiny, &rank, work, &lwork, &info);
    for (int i = 0, c = 0; i < q->s->aim.n_bounds; i++)
        if (active[i]) prices[i] = info ? 0.0 : b[c++];
}

// A bound that would rather not be there is not what stops it.
static void find_prices(search *q, const bool *inside, double *prices) {
    const study_aim *aim = &q->s->aim;
    bool active[MOST_BOUNDS], again = true;
    for (int i = 0; i < aim->n_bounds; i++)
        active[i] = aim->bounds[i].relation == EQUAL || q->here.c[i] > -MET;
    while (again) {
        int worst = -1;
        solve_prices(q, inside, active, prices);
        for (int i = 0; i < aim->n_bounds; i++)
            if (active[i] && aim->bounds[i].relation != EQUAL && prices[i] < 0.0 &&
                (worst < 0 || prices[i] < prices[worst]))
                worst = i;
        if (worst >= 0) active[worst] = false;
        again = worst >= 0;
    }
}

static void judge_slope(search *q) {
    const study_aim *aim = &q->s->aim;
    bool inside[MOST_PARAMETERS];
    double z[MOST_PARAMETERS], prices[MOST_BOUNDS] = {0.0}, most = 0.0;
    for (int k = 0; k < q->n_free; k++)
        z[k] = to_share(&q->s->parameters[q->index[k]].d, q->best.x[q->index[k]]);
    look_at(q, z);
    if (!q->here.known) return;
    find_slopes(q);
    for (int k = 0; k < q->n_free; k++) inside[k] = z[k] > AT_END && z[k] < 1.0 - AT_END;
    find_prices(q, inside, prices);
    for (int k = 0; k < q->n_free; k++) {
        double left = q->g[k];
        for (int i = 0; i < aim->n_bounds; i++) left += prices[i] * q->A[i * q->n_free + k];
        const bool held = !inside[k] && (z[k] < 0.5 ? left >= 0.0 : left <= 0.0);
        q->at_bound[q->index[k]] = held;
        if (!held) most = fmax(most, fabs(left));
    }
    for (int i = 0; i < aim->n_bounds; i++) {
        const double by = prices[i] * q->f_size / q->c_size[i];
        q->prices[i] =
            (aim->maximise ? -1.0 : 1.0) * (aim->bounds[i].relation == AT_LEAST ? by : -by);
    }
    for (int k = 0; k < q->n_free; k++) q->first_slope = fmax(q->first_slope, fabs(q->g[k]));
    q->slope = q->first_slope > 0.0 ? most / q->first_slope : 0.0;
}

// ---------------------------------------------------------------- the whole
static td_status judge_end(search *q, nlopt_result result, char *message) {
    if (q->stopped) return snprintf(message, 512, "stopped"), TD_ERR_STOPPED;
    if (result == NLOPT_MAXEVAL_REACHED)
        return snprintf(message, 512, "ended after %d steps, the most that were allowed",
                        q->s->aim.most),
               TD_LOOSE;
    if (result == NLOPT_OUT_OF_MEMORY)
        return snprintf(message, 512, "out of memory"), TD_ERR_MEMORY;
    if (result >= 0 || (q->slopes_made && q->slope < 1e-3)) return TD_OK;
    snprintf(message, 512, "the search made no further progress%s%.300s",
             q->failure.message[0] ? "; a case failed: " : "", q->failure.message);
    return TD_LOOSE;
}

static bool goes_by_slopes(aim_method m) {
    return m == AIM_AUTO || m == AIM_SLSQP || m == AIM_MMA;
}

static void note_first_slope(search *q) {
    find_slopes(q);
    for (int k = 0; k < q->n_free; k++) q->first_slope = fmax(q->first_slope, fabs(q->g[k]));
}

// Where a bound has no slope, as of what is symmetric about the start, a search by slopes goes nowhere: once more from
// the best so far, a little aside.
static nlopt_result begin_elsewhere(search *q, double *z) {
    for (int k = 0; k < q->n_free; k++) {
        z[k] = to_share(&q->s->parameters[q->index[k]].d, q->best.x[q->index[k]]);
        z[k] += aside(z[k], k);
    }
    return optimise_by(q, q->s->aim.method, z);
}

td_status search_run(search *q, const double *x, char *message) {
    const aim_method method = q->s->aim.method;
    double z[MOST_PARAMETERS];
    memcpy(q->x, x, sizeof *x * (size_t)q->s->n_parameters);
    for (int k = 0; k < q->n_free; k++)
        z[k] = to_share(&q->s->parameters[q->index[k]].d, x[q->index[k]]);
    q->sized = q->has_best = q->slopes_made = false;
    q->here.known = false, q->failure.message[0] = '\0';
    q->slope = (double)NAN, q->first_slope = 0.0;
    for (int i = 0; i < MOST_BOUNDS; i++) q->c_size[i] = 1.0, q->prices[i] = 0.0;
    q->f_size = 1.0;
    look_at(q, z);
    if (!q->here.known)
        return snprintf(message, 512, "the case where it starts fails: %.400s", q->failure.message),
               TD_ERR_VALUE;
    find_sizes(q, z);
    if (q->exact && q->n_free > 0 && !agree(q)) q->exact = false;
    if (q->n_free == 0) return TD_OK;
    if (goes_by_slopes(method)) note_first_slope(q);
    nlopt_result result = optimise_by(q, method, z);
    if (result < 0 && !q->stopped && goes_by_slopes(method)) result = begin_elsewhere(q, z);
    if (is_global(method) && !q->stopped) {
        for (int k = 0; k < q->n_free; k++)
            z[k] = to_share(&q->s->parameters[q->index[k]].d, q->best.x[q->index[k]]);
        result = optimise_by(q, AIM_SLSQP, z);
    }
    // Of points that meet the bounds within what is allowed, the end of the search is nearest to them.
    if (!q->stopped) look_at(q, z);
    if (q->here.known && q->here.missed <= MET && q->here.f <= q->best.f + MET * q->f_size)
        q->best = q->here;
    if (goes_by_slopes(method) && !q->stopped) judge_slope(q);
    return judge_end(q, result, message);
}

bool search_begin(search *q, const td_study *s, const td_optimise_options *o, td_error *err) {
    *q = (search){.s = s, .o = o};
    const char *why = s->aim.given ? refusal(&s->aim)
                                   : "the study has no 'optimise', which says what should be best";
    if (why) return error_set(err, TD_ERR_ARGUMENT, "optimise", "%s", why), false;
    for (int i = 0; i < s->n_parameters; i++) {
        const distribution_kind kind = s->parameters[i].d.kind;
        q->free[i] = kind != DISTRIBUTION_VALUES && kind != DISTRIBUTION_CHOICES;
        if (q->free[i]) q->index[q->n_free++] = i;
    }
    const size_t n = (size_t)q->n_free + 1, m = (size_t)s->aim.n_bounds;
    q->at_rest = rest_slopes_exist(s);
    q->exact = !o->differences && (q->at_rest || knot_slopes_exist(s, q->free));
    q->g = calloc(n * (m + 1) + (size_t)s->n_results * (size_t)s->n_parameters, sizeof *q->g);
    q->around = calloc(2 * n, sizeof *q->around);
    q->workers = calloc(2 * n, sizeof *q->workers);
    if (o->threads > 1) q->pool = pool_create(o->threads - 1);
    bool ok = q->g && q->around && q->workers;
    for (size_t i = 0; i < 2 * n && ok; i++) {
        ok = (q->workers[i] = td_study_worker_create(s)) != NULL;
        if (ok) td_study_set_stop(q->workers[q->n_workers++], o->asked, o->context);
    }
    if (!ok) return error_set(err, TD_ERR_MEMORY, "optimise", "out of memory"), false;
    q->A = q->g + n;
    q->J = q->A + n * m;
    return true;
}

void search_end(search *q) {
    for (int i = 0; i < q->n_workers; i++) td_study_worker_destroy(q->workers[i]);
    pool_destroy(q->pool);
    free(q->workers);
    free(q->around);
    free(q->g);
    free(q->points);
}

#else
bool search_begin(search *q, const td_study *s, const td_optimise_options *o, td_error *err) {
    *q = (search){.s = s, .o = o};
    return error_set(err, TD_ERR_UNSUPPORTED, "optimise", "this build has no NLopt (libnlopt-dev)"),
           false;
}

void search_end(search *q) {
    (void)q;
}

td_status search_run(search *q, const double *x, char *message) {
    (void)q, (void)x;
    return message[0] = '\0', TD_ERR_UNSUPPORTED;
}
#endif
