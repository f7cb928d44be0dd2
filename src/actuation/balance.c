// actuation/balance.c - what the input gives, and the equation that an unknown effort obeys.
#include "actuation/actuator.h"

#define GAS_REFERENCE 1e5  // Pa, makes a volume of the gas equation

static double scaled_from(double start, double value, double scale) {
    return start + scale * (value - start);
}

static double tendon_given(const actuator *a, double value, double scale) {
    if (a->control == CONTROL_EFFORT) return scale * (a->tendon.pushes ? value : fmax(0.0, value));
    // What was pulled out to reach the pretension in the rest shape comes on top.
    double stretch = (a->rest * a->inverse_stiffness + a->compliance) * a->pretension;
    return scale * (value + stretch);
}

static double chamber_given(const actuator *a, double value, double scale) {
    switch (a->control) {
    case CONTROL_EFFORT: return scale * value;
    case CONTROL_MEASURE: return scaled_from(a->rest, value, scale);
    case CONTROL_GAS:
        return fmax(0.0, scaled_from(a->atmosphere * a->rest / a->gas_energy, value, scale));
    }
    return 0.0;
}

double actuator_given(const actuator *a, const double *inputs, double scale) {
    double value = number_value(a->value, inputs);
    return a->kind == ACTUATOR_TENDON ? tendon_given(a, value, scale)
                                      : chamber_given(a, value, scale);
}

// `taut`: the gap, which must not become negative, and its derivatives.
static balance taut_or_slack(const actuator *a, balance taut, double effort) {
    double slack = a->slack_scale * effort;
    if (taut.residual <= slack || a->tendon.pushes) return taut;
    return (balance){.residual = slack, .by_effort = a->slack_scale, .slack = true};
}

balance tendon_balance(const actuator *a, double given, double effort, double material) {
    balance taut = {.residual = a->rest - given - material + a->compliance * effort,
                    .by_effort = a->compliance,
                    .by_measure = -1.0};
    return taut_or_slack(a, taut, effort);
}

balance actuator_balance(const actuator *a, double given, double effort, double measure) {
    if (a->kind == ACTUATOR_TENDON) {
        double yield = a->compliance + a->rest * a->inverse_stiffness;
        balance taut = {.residual = a->rest - given - measure + yield * effort,
                        .by_effort = yield,
                        .by_measure = -1.0};
        return taut_or_slack(a, taut, effort);
    }
    if (a->control != CONTROL_GAS)
        return (balance){.residual = given - measure, .by_measure = -1.0};
    double pressure = (effort + a->atmosphere) / GAS_REFERENCE;
    return (balance){.residual = given * a->gas_energy / GAS_REFERENCE - pressure * measure,
                     .by_effort = -measure / GAS_REFERENCE,
                     .by_measure = -pressure};
}
