#include "model/lumped/equilibrium.h"

#include <stdio.h>

#define COARSE 0.03  // stats.resolution: a segment that bends by 49 deg

#define LONGEST 0.5          // rad, or lengths, that a correction may move something by
#define SMALLEST_SHARE 1e-4  // of the load that is added
#define FEW 25               // corrections, before a smaller share is tried
#define LOOSE 1e-6           // a last correction that is still an answer

// Newton's method at one load; `careful`: no correction may be shortened.
static bool solve_at(equilibrium *e, double share, bool careful) {
    const td_options *o = &e->c->options;
    // a robot is put together from afar
    const int most = share == 0.0              ? 4 * o->max_iterations
                     : o->max_iterations < FEW ? o->max_iterations
                                               : FEW;
    double before = HUGE_VAL;
    e->hold(e, share);
    for (int i = 0; i < most; i++) {
        double size = e->correct(e, LONGEST);
        e->call->stats->iterations++;
        if (!isfinite(size) || (careful && size > LONGEST)) return false;
        e->last = size;
        if (size <= o->tolerance) return true;
        if (size <= LOOSE && size > 0.5 * before) return true;  // rounding has the last word
        before = size;
    }
    return false;
}

// ---------------------------------------------------------------- along the loads
static td_status start_without_loads(equilibrium *e) {
    e->begin(e);
    if (solve_at(e, 0.0, false)) return TD_OK;
    snprintf(e->call->message, MODEL_MESSAGE_SIZE,
             "the robot cannot be put together: no equilibrium without loads was found");
    return TD_ERR_NOT_CONVERGED;
}

static td_status stopped(const equilibrium *e, double done) {
    snprintf(e->call->message, MODEL_MESSAGE_SIZE,
             "no equilibrium found beyond %.4g %% of the loads: beyond that it may have none, or "
             "jump to another; more segments or smaller loads may help",
             100.0 * done);
    return TD_ERR_NOT_CONVERGED;
}

// From the robot put together without loads to all of them. A share that ends in an unstable shape
// is tried smaller before it is believed that the way itself loses its stability.
static td_status follow_loads(equilibrium *e) {
    td_stats *stats = e->call->stats;
    double done = 0.0, step = 1.0;
    td_status status = start_without_loads(e);
    if (status < 0) return status;
    bool lost = e->unstable;
    stats->bifurcation = lost ? SMALLEST_SHARE : 0.0;
    while (done < 1.0) {
        const double next = fmin(1.0, done + step);
        e->keep(e);
        stats->load_steps++;
        bool solved = solve_at(e, next, false), last_try = 0.25 * step < SMALLEST_SHARE;
        if (solved && (lost || !e->unstable || last_try)) {
            if (e->unstable && !lost) stats->bifurcation = next;
            lost = lost || e->unstable;
            done = next;
            step *= 2.0;
            continue;
        }
        e->put_back(e);
        step *= 0.25;
        if (last_try) break;
    }
    stats->load_reached = done;
    return done >= 1.0 ? TD_OK : stopped(e, done);
}

// ---------------------------------------------------------------- with sections that follow
static td_status solve(equilibrium *e) {
    td_status status = TD_OK;
    if (e->anew || !solve_at(e, 1.0, true) || e->unstable) {
        e->call->stats->fallbacks++;
        status = follow_loads(e);
    }
    e->anew = false;
    return status < 0 ? status : e->settle(e);
}

static td_status report(const equilibrium *e, double change) {
    const td_stats *stats = e->call->stats;
    char *message = e->call->message;
    if (stats->bifurcation > 0.0) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "the equilibrium lost its stability at %.4g %% of the loads; this one may be "
                 "unstable, and there are others",
                 100.0 * stats->bifurcation);
        return TD_BIFURCATION;
    }
    if (e->last > fmax(e->c->options.tolerance, 1e-9)) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "round-off stopped the solution at corrections of %.2g, above the tolerance %.0e",
                 e->last, e->c->options.tolerance);
        return TD_LOOSE;
    }
    if (change > SAME_STRETCH) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "the mean stretch still changed by %.2g after %d equilibria", change, MOST_ROUNDS);
        return TD_LOOSE;
    }
    if (stats->resolution > COARSE) return say_coarse(e->c, e->m, message);
    return TD_OK;
}

td_status find_equilibrium(equilibrium *e) {
    const net *c = e->c;
    td_stats *stats = e->call->stats;
    double change = stretch_sections(c, e->m);
    stats->load_reached = 1.0;
    for (int round = 0; round == 0 || (round < MOST_ROUNDS && change > SAME_STRETCH); round++) {
        td_status status = solve(e);
        if (status < 0) return status;
        change = stretch_sections(c, e->m);
    }
    stats->slack = e->m->slack;
    stats->residual = e->last;
    keep_rates(c, e->m, e->m->nodes, e->m->nodes, 0.0);
    *e->m->sums = (kept_sums){.stored = stored_energy(c, e->m, e->m->given)};
    return report(e, change);
}
