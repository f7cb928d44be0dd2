// solve/efforts.c - see efforts.h.
#include "solve/efforts.h"

#include <math.h>
#include <stdio.h>

#define RIGID 1e-4  // of what the rod gives: how far what is rigid gives way in motion
// The same in matrices only, where it decides between wires that hold the same thing twice.
#define NEARLY_RIGID 1e-8
#define CLOSED 1e-9  // of a measure: a gap that is none

bool effort_is_rigid(const actuator *a) {
    return a->control == CONTROL_MEASURE && !(a->yield > 0.0) && !actuator_holds_effort(a);
}

double effort_yield(const actuator *a) {
    if (a->control != CONTROL_MEASURE) return 0.0;
    return a->yield > 0.0 ? a->yield : RIGID * a->give;
}

// ---------------------------------------------------------------- laws
static effort_state gas_now(const actuator *a, double amount, double volume) {
    const double V = fmax(volume, 1e-6 * a->rest), P = amount * a->gas_energy / V;
    return (effort_state){P - a->atmosphere, volume >= V ? -P / V : 0.0, a->gas_energy / V};
}

// sign * (measure - asked) is what it gives way by; one that cannot push is slack below 0. A gap of the
// size of rounding counts as taut: there the slopes are those of pulling.
static effort_state by_gap(const actuator *a, double gap, double held) {
    const double yield = effort_yield(a), effort = held + gap / yield;
    const bool taut = !a->pulls_only || gap + yield * held >= -1e-12 * a->rest;
    if (!taut) return (effort_state){0};
    return (effort_state){a->pulls_only ? fmax(0.0, effort) : effort, a->sign / yield, 1.0 / yield};
}

effort_state effort_now(const actuator *a, supply from, double held, double measure) {
    if (!effort_is_rigid(a)) held = 0.0;
    if (actuator_is_driven(a)) {
        const driven_effort now = actuator_driven(a, from, effort_yield(a), held, measure);
        return (effort_state){now.effort, now.by_measure, now.by_given};
    }
    if (a->control == CONTROL_EFFORT) return (effort_state){from.given, 0.0, 1.0};
    if (a->control == CONTROL_GAS) return gas_now(a, from.given, measure);
    return by_gap(a, a->sign * (measure - actuator_asked(a, from.given)), held);
}

double effort_given_rate(const actuator *a, const double *inputs, const double *rates) {
    const bool idle =
        a->control == CONTROL_EFFORT && a->pulls_only && number_value(a->value, inputs) < 0.0;
    return idle ? 0.0 : actuator_given_slope(a, inputs) * number_rate(a->value, rates);
}

// ---------------------------------------------------------------- as multipliers
double effort_row_rate(const actuator *a, const balance *b, const double *rates) {
    return b->by_given * number_rate(a->value, rates);
}

void efforts_make_room(int n_q, int n, double *matrix) {
    for (int i = n - 1; i >= 0 && n > n_q; i--)
        for (int k = n - 1; k >= 0; k--)
            matrix[i * n + k] = i < n_q && k < n_q ? matrix[i * n_q + k] : 0.0;
}

void effort_put(const actuator *a, const balance *b, const tangent_weights *w, int n_q,
                const double *by_work, const double *by_measure, int at, int n, double *matrix) {
    if (b->slack && w->symmetric) {
        matrix[at * n + at] = -w->q;
        return;
    }
    const double turn = w->symmetric ? a->sign / b->by_measure : 1.0;
    for (int k = 0; k < n_q; k++) {
        matrix[k * n + at] = w->q * a->sign * by_work[k];
        matrix[at * n + k] = w->q * turn * b->by_measure * by_measure[k];
    }
    const double nearly = b->slack ? 0.0 : -b->by_measure * a->sign * NEARLY_RIGID * a->give;
    matrix[at * n + at] = w->q * turn * (b->by_effort + nearly);
}

double effort_unit(const actuator *a) {
    return a->rest / (NEARLY_RIGID * a->give);
}

void effort_compare(const actuator *a, const balance *b, effort_gap *widest) {
    const double share = fabs(b->residual) / a->rest;
    if (share > CLOSED && share > widest->share) *widest = (effort_gap){a, share};
}

void effort_explain(const char *rod, const effort_gap *widest, char *message) {
    if (!widest->of) return;
    snprintf(message, MODEL_MESSAGE_SIZE,
             "rod '%s': what its actuators are given contradicts: '%s' misses it by %.3g of "
             "its %s; stiffness or compliance would let them give way",
             rod, widest->of->name, widest->share, widest->of->from_rest ? "length" : "volume");
}
