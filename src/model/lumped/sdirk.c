#include "model/lumped/sdirk.h"

#include "model/lumped/relative.h"

#include <stdio.h>

#define MOST_CORRECTIONS 12  // of one stage that do not shrink
#define MOST_SHRINKING 60    // of one stage: damping by a power halves them where motion begins
#define MOST_SHARES 64       // of a step
#define FARTHEST 1.0         // rad: corrections beyond it may end in a shape that is turned over
#define SLOW 0.1             // contraction from where the matrix is renewed

void inputs_begin(const net *c, net_memory *m, const model_call *call, double dt, bool fresh) {
    step_inputs *in = &m->within;
    step_inputs_begin(in, call, dt, fresh, chosen_needed(c));
    m->sums->work += step_inputs_bring(in, net_energy, c, m);
    if (!fresh) return;
    step_inputs_at(in, 0.0);
    const situation at = {.inputs = in->given, .within = in, .share = 1.0};
    if (m->coordinates) keep_velocities(c, (relative_memory *)m, &at);
    jump_nodes(c, m, &at);
}

situation stage_at(const stepper *s, double t, double c0, const node_state *before) {
    step_inputs *in = &s->m->within;
    step_inputs_at(in, t);
    return (situation){in->given, in, 1.0, c0, before};
}

// The matrix is kept while it contracts; in parts of a step, which has failed, it is always new.
bool run_stage(stepper *s) {
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
