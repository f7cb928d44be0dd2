// solve/chosen.c - steps chosen by tolerance, by SUNDIALS. y: the point and the velocities of each
// part, node by node where it has nodes, then what flows and rubs in it; then the energies lost and given since the
// start of the step. What is rigid gives a little here (instant.soft): an explicit method knows no constraint.
//
// What sections remember (material/memory.h) goes on with their strain, x' = X z'.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/positive.h"
#include "material/memory.h"
#include "robot/options.h"
#include "solve/chart.h"
#include "solve/step.h"

td_status check_integration(const td_integration_options *o, td_error *err) {
    if (!steps_are_chosen(o) || integrator_exists()) return TD_OK;
    return error_set(err, TD_ERR_UNSUPPORTED, "simulation.integration.method",
                     "this build has no SUNDIALS, whose integrators choose their steps; 'fixed' is "
                     "there");
}

static solve_part soft_part(const chosen_steps *c, int i) {
    solve_part p = c->part(c->compiled, c->memory, i);
    p.n_l = 0;
    return p;
}

static solve_instant soft_instant(step_run *s, const solve_part *p, double t) {
    solve_instant at = instant_within(s, p, t, 0.0);
    at.soft = true;
    at.sudden = true;  // what has flowed is in y
    return at;
}

static int n_moving(const solve_part *p) {
    return p->n_x + p->n_q;
}

static int n_inner(const relaxing_section *of) {
    return law_memory(of->law) - 6;
}

static int n_y(const solve_part *p) {
    int n = n_moving(p);
    for (int i = 0; i < p->n_relaxing; i++) {
        const relaxing_section of = p->how->relaxing(p->of, i);
        n += n_inner(&of);
    }
    return n;
}

// Between points and velocities of a part and its share of y.
static void arrange(const solve_part *p, double *y, double *x, double *v, bool to_y) {
    const int nodes = p->n_nodes ? p->n_nodes : 1;
    const size_t n[2] = {(size_t)(p->n_x / nodes), (size_t)(p->n_q / nodes)};
    double *parts[2] = {x, v};
    for (int i = 0; i < 2 * nodes; y += n[i++ % 2]) {
        double *own = parts[i % 2] + (size_t)(i / 2) * n[i % 2];
        memcpy(to_y ? y : own, to_y ? own : y, sizeof(double) * n[i % 2]);
    }
}

// ---------------------------------------------------------------- what relaxes
// Between what sections keep and its share of y, which is behind point and velocities.
static void arrange_flows(const solve_part *p, double *y, bool to_y) {
    y += n_moving(p);
    for (int i = 0; i < p->n_relaxing; i++) {
        const relaxing_section of = p->how->relaxing(p->of, i);
        const size_t bytes = sizeof *y * (size_t)n_inner(&of);
        memcpy(to_y ? y : of.z + 6, to_y ? of.z + 6 : y, bytes);
        y += n_inner(&of);
    }
}

// Sections keep the strains of this shape.
static void keep_strains(const chosen_steps *c, const solve_part *p, const solve_instant *at,
                         const configuration *x) {
    p->how->strained(p->of, at, x, c->strains);
    for (int i = 0; i < p->n_relaxing; i++)
        memcpy(p->how->relaxing(p->of, i).z, c->strains + 6 * i, 6 * sizeof(double));
}

#define INSTANT 1e-4  // of a step, to both sides, to see how strains follow what inputs move

// Rates of strains where coordinates stay and bases move.
static void carried_rates(const chosen_steps *c, const solve_part *p, double t,
                          const configuration *x, double *rates) {
    step_run *s = c->running;
    const double e = INSTANT * s->dt, t0 = fmax(t - e, 0.0), t1 = fmin(t + e, s->dt);
    const int n = 6 * p->n_relaxing;
    memset(rates, 0, sizeof *rates * (size_t)n);
    for (int side = 0; side < 2 && p->n_bases > 0; side++) {
        const solve_instant at = soft_instant(s, p, side ? t1 : t0);
        p->how->strained(p->of, &at, x, c->strains);
        for (int k = 0; k < n; k++) rates[k] += (side ? 1.0 : -1.0) * c->strains[k] / (t1 - t0);
    }
}

// Before rates are asked for: sections have flowed as y says. The rates of that into y_t.
static void flow_on(const chosen_steps *c, const solve_part *p, double t, const double *y,
                    const configuration *x, double *y_t) {
    double *rates = c->strains + 6 * p->n_relaxing;
    if (p->n_relaxing == 0) return;
    arrange_flows(p, (double *)y, false);
    carried_rates(c, p, t, x, rates);
    const solve_instant at = soft_instant(c->running, p, t);
    keep_strains(c, p, &at, x);
    double *changes = c->answers, *X = changes + p->n_q;
    part_carry_back(p, x->q, x->v, changes);
    p->how->strains(p->of, &at, x, X);
    for (int i = 0; i < 6 * p->n_relaxing; i++, X += p->n_q)
        for (int k = 0; k < p->n_q; k++) rates[i] += X[k] * changes[k];
    y_t += n_moving(p);
    for (int i = 0; i < p->n_relaxing; i++, rates += 6) {
        const relaxing_section of = p->how->relaxing(p->of, i);
        law_rates(of.law, of.z, rates, y_t);
        y_t += n_inner(&of);
    }
}

static void copy_flows(const chosen_steps *c, bool to_y) {
    double *y = integrator_vector(&c->outside);
    for (int i = 0; i < c->n; i++) {
        const solve_part p = c->part(c->compiled, c->memory, i);
        arrange_flows(&p, y, to_y);
        y += n_y(&p);
    }
}

// ---------------------------------------------------------------- rates
bool part_factor_mass(const solve_part *p, const solve_instant *at, const configuration *c) {
    const tangent_weights mass = {.a = 1.0};
    if (!p->how->tangent || !p->how->tangent(p->of, at, c, &mass, p->m->matrix, NULL, NULL)) {
        td_stats none = {0};
        solve_stage s = {.p = p, .at = *at, .stats = &none};
        memcpy(p->m->tq, c->q, sizeof(double) * (size_t)p->n_x);
        if (!stage_matrix(&s, &mass, p->m->matrix)) return false;
    }
    return part_linear(p) == &dense_ops ? positive_factor(p->n_q, p->m->matrix)
                                        : part_linear(p)->factor(p, p->m->matrix, p->m->pivot);
}

void part_solve_mass(const solve_part *p, double *b) {
    if (part_linear(p) == &dense_ops) positive_solve(p->n_q, p->m->matrix, b);
    else part_linear(p)->solve(p, p->m->matrix, p->m->pivot, b);
}

bool part_accelerations(const solve_part *p, const solve_instant *at, const double *q,
                        const double *v, double *a, double powers[N_POWERS]) {
    const configuration c = {.q = q, .l = p->m->l, .v = v};
    p->how->residual(p->of, at, &c, p->m->r, powers);
    if (!part_factor_mass(p, at, &c)) return false;
    for (int k = 0; k < p->n_q; k++) a[k] = -p->m->r[k];
    part_solve_mass(p, a);
    for (int k = 0; k < p->n_q; k++)
        if (!isfinite(a[k])) return false;
    return true;
}

static bool rates_of_all(void *context, double t, const double *y, double *y_t) {
    chosen_steps *c = context;
    double *sums = y_t + c->n_y;
    memset(sums, 0, sizeof(double) * N_POWERS);
    for (int i = 0; i < c->n; i++) {
        const solve_part p = soft_part(c, i);
        double powers[N_POWERS] = {0.0};
        const solve_memory *m = p.m;
        c->running->call->stats->evaluations++;
        integrator_spend(&c->outside, part_linear(&p) == &dense_ops ? 25.0 * p.n_q * p.n_q  // mass
                                                                    : 100.0 * p.n_q);
        arrange(&p, (double *)y, m->star, m->star_v, false);
        flow_on(c, &p, t, y, &(configuration){.q = m->star, .l = m->l, .v = m->star_v}, y_t);
        const solve_instant at = soft_instant(c->running, &p, t);
        if (!part_accelerations(&p, &at, m->star, m->star_v, m->ta, powers)) return false;
        if (p.how->flow) p.how->flow(p.of, m->star, m->star_v, m->bq);
        else memcpy(m->bq, m->star_v, sizeof(double) * (size_t)p.n_x);
        arrange(&p, y_t, m->bq, m->ta, true);
        for (int k = 0; k < N_POWERS; k++) sums[k] += powers[k];
        y += n_y(&p);
        y_t += n_y(&p);
    }
    return true;
}

// Column k of -M^-1 A into `out`.
static void solve_column(const solve_part *p, const double *A, int k, double *out) {
    for (int r = 0; r < p->n_q; r++) out[r] = -A[r * p->n_q + k];
    part_solve_mass(p, out);
}

// Slopes of one part against its y, where the rates are y_t: into J by columns, `stride` apart.
static bool slopes_of(const solve_part *p, const solve_instant *at, const double *y,
                      const double *y_t, double *J, size_t stride) {
    const int n = p->n_q;
    const configuration c = {.q = y, .l = p->m->l, .v = y + n, .a = y_t + n};
    double *K = p->m->whole, *D = p->m->own;
    p->how->residual(p->of, at, &c, p->m->r, NULL);
    if (!p->how->tangent(p->of, at, &c, &(tangent_weights){.q = 1.0}, K, NULL, NULL) ||
        !p->how->tangent(p->of, at, &c, &(tangent_weights){.v = 1.0}, D, NULL, NULL) ||
        !part_factor_mass(p, at, &c))
        return false;
    for (int k = 0; k < n; k++) {
        double *by_q = J + (size_t)k * stride, *by_v = by_q + (size_t)n * stride;
        solve_column(p, K, k, by_q + n);
        solve_column(p, D, k, by_v + n);
        by_v[k] = 1.0;
    }
    return true;
}

// The energies depend on all and matter to none.
static bool slopes_of_all(void *context, double t, const double *y, const double *y_t, double *J) {
    chosen_steps *c = context;
    const size_t size = (size_t)c->n_y + N_POWERS;
    for (int i = 0; i < c->n; i++) {
        const solve_part p = soft_part(c, i);
        const solve_instant at = soft_instant(c->running, &p, t);
        const int n = 2 * p.n_q;
        c->running->call->stats->evaluations++;
        integrator_spend(&c->outside, 4.0 * n * n * n);
        if (!slopes_of(&p, &at, y, y_t, J, size)) return false;
        y += n;
        y_t += n;
        J += (size_t)n * size + (size_t)n;
    }
    return true;
}

// Do all parts have the tangents of a motion?
static bool has_slopes(const chosen_steps *c) {
    for (int i = 0; i < c->n; i++) {
        const solve_part p = c->part(c->compiled, c->memory, i);
        if (!p.slopes || part_linear(&p) != &dense_ops || p.n_x != p.n_q || p.n_relaxing > 0)
            return false;
    }
    return true;
}

// Of y, where nodes answer to their neighbours only.
static int band_of(const solve_part *p) {
    if (p->band == 0 || p->n_relaxing > 0) return 0;
    const int band = n_y(p) / p->n_nodes * (p->band + 1) - 1;
    return 4 * band < n_y(p) ? band : 0;
}

void chosen_layout(chosen_steps *c, arena *work) {
    int most = 0, answers = 0;
    for (int i = 0; i < c->n; i++) {
        const solve_part p = c->part(c->compiled, NULL, i);
        const int own = (6 * p.n_relaxing + 1) * p.n_q;
        if (p.n_relaxing == 0) continue;
        most = p.n_relaxing > most ? p.n_relaxing : most;
        answers = own > answers ? own : answers;
    }
    c->strains = ARENA_TAKE(work, double, 12 * most);
    c->answers = ARENA_TAKE(work, double, answers);
}

bool chosen_attach(chosen_steps *c, const td_integration_options *o) {
    int band = 0;
    c->n_y = 0;
    for (int i = 0; i < c->n; i++) {
        const solve_part p = c->part(c->compiled, c->memory, i);
        c->n_y += n_y(&p);
        if (c->n == 1) band = band_of(&p);
    }
    return integrator_make(&c->outside, c->n_y + N_POWERS, N_POWERS, band,
                           o->method == TD_STEPS_EXPLICIT, o->relative, o->absolute, rates_of_all,
                           c) &&
           (!has_slopes(c) || integrator_give_slopes(&c->outside, slopes_of_all));
}

void chosen_detach(chosen_steps *c) {
    integrator_free(&c->outside);
}

// ---------------------------------------------------------------- a step
static void copy_all(const chosen_steps *c, double *y, bool to) {
    for (int i = 0; i < c->n; i++) {
        const solve_part p = c->part(c->compiled, c->memory, i);
        arrange(&p, y, p.m->q, p.m->v, to);
        y += n_y(&p);
    }
    if (to) memset(y, 0, sizeof(double) * N_POWERS);
}

static td_status refuse(const chosen_steps *c, const integrator_report *report) {
    const step_run *s = c->running;
    char *words = s->call->message;
    if (report->end == INTEGRATOR_INTERRUPTED) {
        snprintf(words, MODEL_MESSAGE_SIZE, "asked to stop, %.3g s into a step of %.3g s",
                 report->reached, s->dt);
        return TD_ERR_STOPPED;
    }
    if (report->end == INTEGRATOR_TOO_LONG)
        snprintf(words, MODEL_MESSAGE_SIZE,
                 "after %d inner steps SUNDIALS is only %.3g s into the step of %.3g s, which is "
                 "given up: shorter steps, %s or looser tolerances may do",
                 report->steps, report->reached, s->dt,
                 c->outside.is_explicit ? "integration.method implicit" : "fewer coordinates");
    else
        snprintf(words, MODEL_MESSAGE_SIZE,
                 "SUNDIALS gave up within the step (flag %d after %d inner steps): tolerances may "
                 "be out of reach, or the motion too violent",
                 report->flag, report->steps);
    return TD_ERR_NOT_CONVERGED;
}

// Back onto the manifold, by no motion.
static void settle_down(const solve_part *p) {
    if (!p->how->advance) return;
    p->how->advance(p->of, p->m->q, 0.0, p->m->v, p->m->tq);
    memcpy(p->m->q, p->m->tq, sizeof(double) * (size_t)p->n_x);
}

// Where a part went too far, `fits` says so. Accelerations at the end are kept.
static td_status finish(const chosen_steps *c, step_run *s) {
    for (int i = 0; i < c->n; i++) {
        const solve_part p = soft_part(c, i);
        solve_instant at = soft_instant(s, &p, s->dt);
        at.cv = 1.0 / s->dt;  // of a motion
        settle_down(&p);
        if (p.n_relaxing > 0)
            keep_strains(c, &p, &at, &(configuration){.q = p.m->q, .l = p.m->l, .v = p.m->v});
        if (p.how->fits && p.how->fits(p.of, &at, p.m->q, s->call->message) < 0)
            return TD_ERR_VALUE;
        part_accelerations(&p, &at, p.m->q, p.m->v, p.m->a, p.m->powers);
    }
    return TD_OK;
}

td_status chosen_advance(chosen_steps *c, step_run *s, kept_energy *kept) {
    double *y = integrator_vector(&c->outside);
    for (int i = 0; i < c->n; i++) {
        const solve_part p = c->part(c->compiled, c->memory, i);
        const td_status possible = part_possible(&p, s->call);
        if (possible < 0) return possible;
    }
    c->running = s;
    copy_all(c, y, true);
    copy_flows(c, true);
    const integrator_report report = integrator_advance(
        &c->outside, s->dt, s->fresh ? 0.0 : fmin(kept->inner_step, s->dt), s->call->interrupt);
    s->call->stats->iterations += report.steps;
    td_status status = TD_OK;
    if (report.end != INTEGRATOR_ARRIVED) status = refuse(c, &report);
    else {
        copy_all(c, y, false);
        copy_flows(c, false);
        for (int i = 0; i < N_POWERS; i++) s->energies[i] += y[c->n_y + i];
        kept->inner_step = report.last;
        status = finish(c, s);
    }
    c->running = NULL;
    return status;
}
