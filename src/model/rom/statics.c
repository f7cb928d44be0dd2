// model/rom/statics.c - equilibria: Newton's method, and a path of growing loads from the rest
// shape where that fails or would end on an unstable shape.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/symmetric.h"
#include "model/rom/rom.h"

#define LONGEST 0.5  // rad, or shares of the length, that a correction may move a coordinate by
#define SMALLEST_SHARE 1e-4  // of the load that is added
#define FEW 25               // corrections, before a smaller share is tried
#define LOOSE 1e-6           // a last correction that is still an answer
#define ROUNDING 1e-9        // of slender rods
#define SAME_MEASURE 1e-11   // by which that of a rigid drive may be off

typedef struct solve {
    const rom_rod *r;
    rod_memory *m;
    const model_call *call;
    const td_options *options;
    situation at;
    bool unstable;  // the shape found last
    double last;    // correction
} solve;

// ---------------------------------------------------------------- corrections
// Shear and stretch at the thin rule's places as the correction would have them to first order;
// then turns, and position slopes from both: nothing of second order stretches the rod.
void rod_correct(const rom_rod *r, rod_memory *m, double share, double *q) {
    const curve *c = &r->curve;
    const int n_b = 3 * c->n_a;
    double *b = q + 3 * c->n_p;
    const double *step = m->step;
    if (c->held) {
        for (int k = 0; k < c->n_q; k++) q[k] += share * step[k];
        return;
    }
    for (int i = 0; i < c->n_thin; i++) {
        const place *at = &c->places[c->n_rule + i];
        const place_motion *p = &m->moved[c->n_rule + i];
        vec3 dp_s = vec3_zero(), da = vec3_zero();
        for (int k = 0; k < c->n_p; k++)
            dp_s = vec3_madd(dp_s, share * at->phi_s[k], vec3_load(step + 3 * k));
        for (int k = 0; k < c->n_a; k++)
            da = vec3_madd(da, share * at->psi[k], vec3_load(step + 3 * (c->n_p + k)));
        const vec3 turned = mat3_mul_vec(&p->turn.T, da);
        const vec3 dv = vec3_add(mat3_tmul_vec(&p->turn.R, dp_s), vec3_cross(p->v, turned));
        const turn next = turn_make(c->kind, vec3_add(p->turn.a, da));
        m->strains[i] = mat3_mul_vec(&next.R, vec3_add(p->v, dv));
    }
    for (int k = 0; k < n_b; k++) b[k] += share * step[3 * c->n_p + k];
    curve_set_slopes(c, m->strains, q);
}

static double size_of(int n, const double *step) {
    double most = 0.0;
    for (int k = 0; k < n; k++)
        if (!(fabs(step[k]) <= most)) most = fabs(step[k]);  // takes a NaN along
    return most;
}

// One correction; its size. Not finite: there is none.
static double correct(solve *s, bool *shortened) {
    rod_memory *m = s->m;
    const int n = s->r->curve.n_q;
    rod_forces(s->r, m, &s->at, m->q, NULL);
    rod_tangent(s->r, m, &s->at, m->K, NULL);
    s->call->stats->evaluations++;
    s->call->stats->jacobians++;
    s->call->stats->iterations++;
    if (!lu_factor(n, m->K, m->pivot)) return HUGE_VAL;
    memcpy(m->step, m->Q, sizeof(double) * (size_t)n);
    lu_solve(n, m->K, m->pivot, m->step);
    const double size = size_of(n, m->step);
    if (!isfinite(size)) return HUGE_VAL;
    const double share = size > LONGEST ? LONGEST / size : 1.0;
    *shortened = share < 1.0;
    rod_correct(s->r, m, share, m->q);
    return size;
}

// By the signature of the stiffness where there is an energy, else by the sign of its determinant.
static bool is_unstable(const solve *s) {
    rod_memory *m = s->m;
    const int n = s->r->curve.n_q;
    rod_forces(s->r, m, &s->at, m->q, NULL);
    rod_tangent(s->r, m, &s->at, m->K, NULL);
    if (rod_lacks_energy(s->r, s->at.inputs))
        return !lu_factor(n, m->K, m->pivot) || lu_sign(n, m->K, m->pivot) < 0;
    scale_symmetric(n, m->K);
    tridiagonalise(n, m->K, m->step, m->by_measure);
    return tridiagonal_below(n, m->step, m->by_measure, 0.0) > 0;
}

// Newton's method at one load; `careful`: no correction may be shortened.
static bool iterate(solve *s, bool careful) {
    const int most = s->options->max_iterations < FEW ? s->options->max_iterations : FEW;
    double before = HUGE_VAL;
    for (int i = 0; i < most; i++) {
        bool shortened = false;
        const double size = correct(s, &shortened);
        if (!isfinite(size) || (careful && shortened)) return false;
        s->last = size;
        if (size <= s->options->tolerance) return true;
        if (size <= LOOSE && size > 0.5 * before) return true;  // rounding has the last word
        before = size;
    }
    return false;
}

static bool solve_at(solve *s, double share, bool careful) {
    s->at.share = share;
    const bool solved = iterate(s, careful);
    s->unstable = solved && is_unstable(s);
    return solved;
}

// ---------------------------------------------------------------- growing loads
static td_status refuse(const solve *s, double done) {
    // A shape at the edge of its parameters explains more than the share of the load.
    td_status status = rod_check(s->r, s->m->trial, s->call->message);
    s->call->stats->load_reached = done;
    if (status < 0) return status;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': no equilibrium found beyond %.4g %% of its loads: beyond that it may have "
             "none, or jump to another, or turn farther than its polynomials reach",
             s->r->name, 100.0 * done);
    return TD_ERR_NOT_CONVERGED;
}

// A share that ends in an unstable shape is tried smaller before it is believed that the way itself
// loses its stability.
static td_status follow_loads(solve *s) {
    rod_memory *m = s->m;
    td_stats *stats = s->call->stats;
    const size_t bytes = sizeof(double) * (size_t)s->r->curve.n_q;
    double done = 0.0, step = 1.0;
    memcpy(m->q, s->r->curve.rest, bytes);
    memcpy(m->trial, m->q, bytes);
    if (!solve_at(s, 0.0, false)) return refuse(s, 0.0);
    bool lost = s->unstable;
    if (lost) stats->bifurcation = SMALLEST_SHARE;
    while (done < 1.0) {
        const double next = fmin(1.0, done + step);
        memcpy(m->start, m->q, bytes);
        stats->load_steps++;
        const bool solved = solve_at(s, next, false), last_try = 0.25 * step < SMALLEST_SHARE;
        if (solved && (lost || !s->unstable || last_try)) {
            if (s->unstable && !lost) stats->bifurcation = next;
            lost = lost || s->unstable;
            done = next;
            step *= 2.0;
            continue;
        }
        memcpy(m->trial, m->q, bytes);
        memcpy(m->q, m->start, bytes);
        step *= 0.25;
        if (last_try) return refuse(s, done);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- one rod
static td_status say_coarse(const solve *s, double resolution) {
    const curve *c = &s->r->curve;
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "rod '%s': rom.order = %d is too low for it: moments inside and outside disagree by "
             "what bends it by %.2g rad%s; a higher order resolves it",
             s->r->name, c->n_a / c->n_parts, resolution,
             c->selective ? "" : " (with rom.quadrature: full slender rods lock)");
    return TD_LOOSE;
}

// What was held of rigid drives becomes their effort; the largest change of a measure by that.
static double hold_efforts(const solve *s) {
    rod_memory *m = s->m;
    double most = 0.0;
    rod_forces(s->r, m, &s->at, m->q, NULL);
    for (int k = 0; k < s->r->curve.n_drives; k++) {
        const drive *d = &s->r->curve.drives[k];
        if (!d->rigid) continue;
        most = fmax(most, d->yield * fabs(m->now[k] - m->held[k]) / d->a->rest);
        m->held[k] = m->now[k];
    }
    return most;
}

// Sections and rigid drives follow the shape that was found.
static double settle(const solve *s) {
    rod_memory *m = s->m;
    curve_move(&s->r->curve, m->q, NULL, NULL, m->moved);
    const double stretch = curve_stretch(&s->r->curve, m->moved, m->stretched);
    const double held = hold_efforts(s);
    return fmax(stretch, held > SAME_MEASURE ? held : 0.0);
}

static td_status find_shape(solve *s) {
    rod_memory *m = s->m;
    td_status status = TD_OK;
    double change = 1.0;
    curve_move(&s->r->curve, m->q, NULL, NULL, m->moved);
    curve_stretch(&s->r->curve, m->moved, m->stretched);
    for (int round = 0; round < MOST_ROUNDS && change > SAME_STRETCH; round++) {
        if (!solve_at(s, 1.0, true) || s->unstable) {
            s->call->stats->fallbacks++;
            for (int k = 0; k < s->r->curve.n_drives; k++) m->held[k] = 0.0;
            status = follow_loads(s);
        }
        if (status >= 0) status = rod_check(s->r, m->q, s->call->message);
        if (status < 0) return status;
        change = settle(s);
    }
    return TD_OK;
}

static td_status solve_rod(solve *s) {
    rod_memory *m = s->m;
    td_status status = find_shape(s);
    if (status < 0) return status;
    rod_forces(s->r, m, &s->at, m->q, NULL);
    s->call->stats->slack += m->slack;
    s->call->stats->residual = fmax(s->call->stats->residual, s->last);
    const double resolution = rod_resolution(s->r, m);
    s->call->stats->resolution = fmax(s->call->stats->resolution, resolution);
    if (s->call->stats->bifurcation > 0.0) {
        snprintf(
            s->call->message, MODEL_MESSAGE_SIZE,
            "rod '%s': the equilibrium lost its stability at %.4g %% of the loads; this one may be "
            "unstable, and there are others",
            s->r->name, 100.0 * s->call->stats->bifurcation);
        return TD_BIFURCATION;
    }
    if (s->last > fmax(s->options->tolerance, ROUNDING)) {
        snprintf(s->call->message, MODEL_MESSAGE_SIZE,
                 "rod '%s': round-off stopped the solution at corrections of %.2g, above the "
                 "tolerance %.0e",
                 s->r->name, s->last, s->options->tolerance);
        return TD_LOOSE;
    }
    return resolution > TD_COARSE ? say_coarse(s, resolution) : TD_OK;
}

td_status rom_statics(const void *compiled, void *memory, const model_call *call) {
    const rom *c = compiled;
    rom_memory *m = memory;
    td_status worst = TD_OK;
    call->stats->load_reached = 1.0;
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        solve s = {.r = r,
                   .m = &m->rods[i],
                   .call = call,
                   .options = &c->options,
                   .at = rom_situation(c, r, call->inputs)};
        memset(s.m->rates, 0, sizeof(double) * (size_t)r->curve.n_q);
        td_status status = solve_rod(&s);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    rom_start_energy(c, m, call->inputs);
    return worst;
}
