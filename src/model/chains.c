#include "model/chains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

// ---------------------------------------------------------------- the fixed step
static td_status refuse_motion(const moving_chains *c, const moving_chain *one, bool stuck,
                               char *message) {
    if (stuck) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "rod '%s': Newton's method found no end of the step, also in parts of 1/256: the "
                 "motion is too violent; shorter steps or more damping may do",
                 one->name);
        return TD_ERR_NOT_CONVERGED;
    }
    snprintf(message, MODEL_MESSAGE_SIZE, "rod '%s': its mass matrix is not positive definite: %s",
             one->name, c->needs);
    return TD_ERR_SINGULAR;
}

static td_status fixed_step(moving_chains *c, const model_call *call, double dt,
                            double energies[N_POWERS]) {
    motion_report report = {0};
    for (int i = 0; i < c->n; i++) {
        moving_chain one = c->one(c->context, i);
        motion_outcome how = motion_step(&one.motion, one.work, one.q, one.rates, dt, &report);
        if (how == MOTION_SINGULAR) return refuse_motion(c, &one, report.stuck, call->message);
        if (how == MOTION_TOO_FAR) return TD_ERR_VALUE;
    }
    call->message[0] = '\0';  // what `fits` said of ends that were not taken
    call->stats->iterations += report.iterations;
    call->stats->evaluations += report.evaluations;
    call->stats->jacobians += report.jacobians;
    call->stats->fallbacks += report.fallbacks;
    memcpy(energies, report.energies, sizeof report.energies);
    return TD_OK;
}

// ---------------------------------------------------------------- SUNDIALS
// y: q and q' of each chain, then the energies lost and given since the start of the step.
static bool rates_of_all(void *context, double t, const double *y, double *y_t) {
    chain_integrator *all = context;
    moving_chains *c = all->running;
    double *sums = y_t + 2 * c->n_q;
    memset(sums, 0, sizeof(double) * N_POWERS);
    for (int i = 0; i < c->n; i++) {
        moving_chain one = c->one(c->context, i);
        double powers[N_POWERS];
        c->evaluations++;
        integrator_spend(&all->outside, 25.0 * one.motion.n * one.motion.n);  // its mass matrix
        if (!motion_rates(&one.motion, one.work, t, y, y_t, powers)) return false;
        for (int k = 0; k < N_POWERS; k++) sums[k] += powers[k];
        y += 2 * one.motion.n;
        y_t += 2 * one.motion.n;
    }
    return true;
}

// The energies depend on all and matter to none.
static bool slopes_of_all(void *context, double t, const double *y, const double *y_t, double *J) {
    chain_integrator *all = context;
    moving_chains *c = all->running;
    const int size = 2 * c->n_q + N_POWERS;
    for (int i = 0; i < c->n; i++) {
        moving_chain one = c->one(c->context, i);
        const int n = 2 * one.motion.n;
        c->evaluations++;
        integrator_spend(&all->outside, 4.0 * n * n * n);
        if (!motion_slopes(&one.motion, one.work, t, y, y_t, J, size)) return false;
        y += n;
        y_t += n;
        J += (size_t)n * (size_t)size + (size_t)n;
    }
    return true;
}

bool chains_use_tangents(chain_integrator *i) {
    return integrator_give_slopes(&i->outside, slopes_of_all);
}

bool chains_attach(chain_integrator *i, const td_integration_options *o, int n_q) {
    return integrator_make(&i->outside, 2 * n_q + N_POWERS, N_POWERS, 0,
                           o->method == TD_STEPS_EXPLICIT, o->relative, o->absolute, rates_of_all,
                           i);
}

void chains_detach(chain_integrator *i) {
    integrator_free(&i->outside);
}

static void copy_vector(const moving_chains *c, double *y, bool to) {
    for (int i = 0; i < c->n; i++) {
        moving_chain one = c->one(c->context, i);
        const size_t n = (size_t)one.motion.n, bytes = sizeof(double) * n;
        memcpy(to ? y : one.q, to ? one.q : y, bytes);
        memcpy(to ? y + n : one.rates, to ? one.rates : y + n, bytes);
        y += 2 * n;
    }
    if (to) memset(y, 0, sizeof(double) * N_POWERS);
}

// Where a chain went too far, `fits` has said so. Accelerations at the end are kept.
static td_status finish_all(const moving_chains *c, double dt) {
    for (int i = 0; i < c->n; i++) {
        moving_chain one = c->one(c->context, i);
        if (one.motion.fits && !one.motion.fits(one.motion.context, one.q)) return TD_ERR_VALUE;
        motion_accelerate(&one.motion, one.work, dt, one.q, one.rates);
    }
    return TD_OK;
}

td_status refuse_chosen_step(const sun_integrator *i, const integrator_report *report, double dt,
                             const model_call *call) {
    char *words = call->message;
    if (report->end == INTEGRATOR_INTERRUPTED) {
        snprintf(words, MODEL_MESSAGE_SIZE, "asked to stop, %.3g s into a step of %.3g s",
                 report->reached, dt);
        return TD_ERR_STOPPED;
    }
    if (report->end == INTEGRATOR_TOO_LONG)
        snprintf(words, MODEL_MESSAGE_SIZE,
                 "after %d inner steps SUNDIALS is only %.3g s into the step of %.3g s, which is "
                 "given up: shorter steps, %s or looser tolerances may do",
                 report->steps, report->reached, dt,
                 i->is_explicit ? "integration.method implicit" : "fewer coordinates");
    else
        snprintf(words, MODEL_MESSAGE_SIZE,
                 "SUNDIALS gave up within the step (flag %d after %d inner steps): tolerances may "
                 "be out of reach, or the motion too violent",
                 report->flag, report->steps);
    return TD_ERR_NOT_CONVERGED;
}

static td_status take_chosen(moving_chains *c, chain_integrator *i, const model_call *call,
                             double dt, double first, double energies[N_POWERS], double *next) {
    double *y = integrator_vector(&i->outside);
    i->running = c;
    copy_vector(c, y, true);
    integrator_report report = integrator_advance(&i->outside, dt, first, call->interrupt);
    i->running = NULL;
    call->stats->iterations += report.steps;
    call->stats->evaluations += c->evaluations;
    if (report.end != INTEGRATOR_ARRIVED) return refuse_chosen_step(&i->outside, &report, dt, call);
    copy_vector(c, y, false);
    memcpy(energies, y + 2 * c->n_q, sizeof(double) * N_POWERS);
    *next = report.last;
    return finish_all(c, dt);
}

td_status chains_step(moving_chains *c, chain_integrator *i, const td_integration_options *o,
                      const model_call *call, double dt, bool fresh, kept_energy *kept,
                      double energies[N_POWERS]) {
    if (o->method == TD_STEPS_FIXED) return fixed_step(c, call, dt, energies);
    double first = fresh ? 0.0 : fmin(kept->inner_step, dt);
    return take_chosen(c, i, call, dt, first, energies, &kept->inner_step);
}

void chains_note_energy(kept_energy *kept, const double energies[N_POWERS], double stored) {
    kept->dissipated += energies[POWER_LOST];
    kept->work += energies[POWER_GIVEN] + stored - kept->stored;
    kept->stored = stored;
}
