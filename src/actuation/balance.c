// actuation/balance.c - what the input gives, the equation that an unknown effort obeys, and what is
// stored.
#include "actuation/actuator.h"

#define GAS_REFERENCE 1e5  // Pa, makes a volume of the gas equation

static double scaled_from(double start, double value, double scale) {
    return start + scale * (value - start);
}

double actuator_given(const actuator *a, const double *inputs, double scale) {
    const double value = number_value(a->value, inputs);
    switch (a->control) {
    case CONTROL_EFFORT: return scale * (a->pulls_only ? fmax(0.0, value) : value);
    case CONTROL_MEASURE:
        // What was pulled out to reach the pretension in the rest shape comes on top.
        if (a->from_rest) return scale * (value + a->yield * a->pretension);
        return scaled_from(a->rest, value, scale);
    case CONTROL_GAS:
        return fmax(0.0, scaled_from(a->atmosphere * a->rest / a->gas_energy, value, scale));
    }
    return 0.0;
}

// `taut`: the gap, which must not become negative, and its derivatives.
static balance taut_or_slack(const actuator *a, balance taut, double effort) {
    double slack = a->slack_scale * effort;
    if (taut.residual <= slack || !a->pulls_only) return taut;
    return (balance){.residual = slack, .by_effort = a->slack_scale, .slack = true};
}

// `yields`: how much of the measure each effort makes up for.
static balance gap_balance(const actuator *a, double given, double yields, double effort,
                           double measure) {
    balance taut = {.residual = actuator_asked(a, given) - measure + a->sign * yields * effort,
                    .by_effort = a->sign * yields,
                    .by_measure = -1.0};
    return taut_or_slack(a, taut, effort);
}

balance tendon_balance(const actuator *a, double given, double effort, double material) {
    return gap_balance(a, given, a->compliance, effort, material);
}

balance actuator_balance(const actuator *a, double given, double effort, double measure) {
    if (a->control != CONTROL_GAS) return gap_balance(a, given, a->yield, effort, measure);
    double pressure = (effort + a->atmosphere) / GAS_REFERENCE;
    return (balance){.residual = given * a->gas_energy / GAS_REFERENCE - pressure * measure,
                     .by_effort = -measure / GAS_REFERENCE,
                     .by_measure = -pressure};
}

double gas_potential(const actuator *a, double amount, double volume) {
    double free_volume = amount * a->gas_energy / a->atmosphere;
    if (!(free_volume > 0.0) || !(volume > 0.0)) return a->atmosphere * volume;
    return amount * a->gas_energy * log(free_volume / volume) +
           a->atmosphere * (volume - free_volume);
}

double actuator_energy(const actuator *a, double given, double effort, double measure) {
    if (a->control == CONTROL_MEASURE) return 0.5 * a->yield * effort * effort;
    return a->control == CONTROL_GAS ? gas_potential(a, given, measure) : 0.0;
}

td_actuator_state actuator_state_of(const actuator *a, double effort, double measure) {
    td_actuator_state out = {.measure = measure, .slack = actuator_is_slack(a, effort)};
    out.effort = out.end_effort = out.slack != 0.0 ? 0.0 : effort;
    if (a->from_rest) out.supplied = a->rest - measure + a->yield * (out.effort - a->pretension);
    if (a->control == CONTROL_GAS)
        out.supplied = (effort + a->atmosphere) * measure / a->gas_energy;
    return out;
}
