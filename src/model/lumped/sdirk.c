#include "model/lumped/sdirk.h"

#include <stdio.h>

#define MOST_CORRECTIONS 12  // of one stage that do not shrink
#define MOST_SHRINKING 60    // of one stage: damping by a power halves them where motion begins
#define MOST_SHARES 64       // of a step
#define FARTHEST 1.0         // rad: corrections beyond it may end in a shape that is turned over
#define SLOW 0.1             // contraction from where the matrix is renewed

stepper step_begin(const net *c, net_memory *m, const model_call *call, double dt, bool fresh) {
    return (stepper){.c = c,
                     .m = m,
                     .call = call,
                     .before = fresh ? call->inputs : call->inputs_before,
                     .after = call->inputs,
                     .dt = dt,
                     .fresh = fresh};
}

situation stage_at(const stepper *s, double t, double c0, const node_state *before) {
    const double x = t / s->dt, ahead = s->fresh ? 0.0 : (s->dt - t) / (s->dt - s->from);
    for (int i = 0; i < s->c->n_inputs; i++) {
        s->m->inputs[i] = (1.0 - x) * s->before[i] + x * s->after[i];
        s->m->rates[i] = s->call->rates[i];
    }
    return (situation){s->m->inputs, s->m->rates, 1.0, c0, before, ahead};
}

// The matrix is kept while it contracts; in parts of a step, which has failed, it is always new.
bool solve_stage(stepper *s) {
    const double tolerance = fmax(s->c->options.tolerance, 1e-13);
    double last = HUGE_VAL;
    for (int i = 0; i < MOST_SHRINKING; i++) {
        const double size = s->correct(s, !s->fresh_matrix), contraction = size / last;
        s->call->stats->jacobians += !s->fresh_matrix;
        s->call->stats->iterations++;
        s->fresh_matrix = true;
        s->call->stats->residual = size;
        if (!isfinite(size) || (size > FARTHEST && !s->last_try)) return false;
        if (size <= tolerance) return true;
        // what is left after this correction shrinks by the same factor
        if (i > 0 && contraction < 0.5 && size * contraction / (1.0 - contraction) <= tolerance)
            return true;
        if (i > 0 && size <= 1e-9 && contraction > 0.5) return true;  // rounding
        if (i + 1 >= MOST_CORRECTIONS && !(contraction < 1.0)) return false;
        if ((i > 0 && contraction > SLOW) || s->careful) s->fresh_matrix = false;
        last = size;
    }
    return false;
}

static td_status give_up(const stepper *s, double t) {
    snprintf(s->call->message, MODEL_MESSAGE_SIZE,
             "Newton's method did not converge %.3g s into the step of %.3g s, also in %d parts "
             "(last correction %.2g rad): a shorter step may do",
             t, s->dt, MOST_SHARES, s->call->stats->residual);
    return TD_ERR_NOT_CONVERGED;
}

td_status finish_step(const net *c, net_memory *m, const model_call *call) {
    const double stored = stored_energy(c, m, m->given);
    m->sums->work += stored - m->sums->stored;
    m->sums->stored = stored;
    call->stats->slack = m->slack;
    return check_turns(c, m, call);
}

td_status take_step(stepper *s) {
    const double least = s->dt / MOST_SHARES;
    double t = 0.0, h = s->dt;
    while (t < s->dt * (1.0 - 1e-9)) {
        h = fmin(h, s->dt - t);
        s->from = t;
        s->fresh_matrix = false;
        s->careful = h < s->dt;
        s->last_try = h <= least * 1.001;
        follow_stretch(s->c, s->m);
        if (s->part(s, t, h)) {
            t += h;
            h *= 2.0;
            continue;
        }
        s->call->stats->fallbacks++;
        if (s->last_try) return give_up(s, t);
        h = fmax(0.25 * h, least);
    }
    return finish_step(s->c, s->m, s->call);
}
