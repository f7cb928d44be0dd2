// actuation/balance.c - what the input gives, the equation that an unknown effort obeys, and what is
// stored.
#include "actuation/actuator.h"

#include <math.h>

#define GAS_REFERENCE 1e5  // Pa, makes a volume of the gas equation

static double scaled_from(double start, double value, double scale) {
    return start + scale * (value - start);
}

double actuator_given_slope(const actuator *a, const double *inputs) {
    double slope = 1.0;
    if (a->map) a->map(a, number_value(a->value, inputs), &slope);
    return slope;
}

double actuator_given(const actuator *a, const double *inputs, double scale) {
    double value = number_value(a->value, inputs), slope;
    if (actuator_is_driven(a)) return value;
    if (a->map) value = a->map(a, value, &slope);
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
                    .by_measure = -1.0,
                    .by_given = a->from_rest ? -1.0 : 1.0};
    return taut_or_slack(a, taut, effort);
}

static balance gas_balance(const actuator *a, double amount, double effort, double measure) {
    const double pressure = (effort + a->atmosphere) / GAS_REFERENCE;
    const double volume = measure + a->line;
    return (balance){.residual = amount * a->gas_energy / GAS_REFERENCE - pressure * volume,
                     .by_effort = -volume / GAS_REFERENCE,
                     .by_measure = -pressure,
                     .by_given = a->gas_energy / GAS_REFERENCE};
}

// ---------------------------------------------------------------- with an engine
// Of what cannot push no effort below 0 is held.
static engine_hold held_by(const actuator *a, supply from) {
    engine_hold h = engine_hold_of(&a->engine, from.given, from.share, from.stage);
    if (h.effort && a->pulls_only && h.value < 0.0) h.value = h.by_command = 0.0;
    return h;
}

// m/N or m^3/Pa, that makes a gap of an effort, also in rods that hardly give.
static double held_scale(const actuator *a, double value) {
    if (a->control == CONTROL_GAS) return a->rest / GAS_REFERENCE;
    return fmax(a->slack_scale, 1e-3 * a->rest / fmax(fabs(value), 1e-3));
}

// What the engine supplies takes the place of what is given, and answers to the effort. An effort that is held at rest is
// an equation of its own, which says nothing of the shape.
static balance driven_balance(const actuator *a, supply from, double yields, double effort,
                              double measure) {
    const bool gas = a->control == CONTROL_GAS;
    engine_stage begun = {0};
    double supplied, by_effort, by_command = 0.0;
    if (!from.stage) from.stage = &begun;
    from.stage->effort = effort;
    from.stage->seen = true;
    if (from.stage->cv == 0.0 && !from.stage->fixed) {
        const engine_hold h = held_by(a, from);
        const double scale = held_scale(a, h.value);
        if (h.effort)
            return (balance){.residual = scale * (effort - h.value),
                             .by_effort = scale,
                             .by_given = -scale * h.by_command,
                             .slack = true};
        supplied = h.value + h.by_effort * effort;
        by_effort = h.by_effort, by_command = h.by_command;
    } else {
        const engine_answer now = engine_at(&a->engine, from.given, from.stage, effort);
        supplied = now.supplied, by_effort = now.by_effort;
    }
    if (gas) {
        balance out = gas_balance(a, supplied, effort, measure);
        out.by_effort += by_effort * a->gas_energy / GAS_REFERENCE;
        out.by_given = 0.0;
        return out;
    }
    balance taut = {.residual = actuator_asked(a, supplied) - measure + a->sign * yields * effort,
                    .by_effort = a->sign * (yields - by_effort),
                    .by_measure = -1.0,
                    .by_given = (a->from_rest ? -1.0 : 1.0) * by_command};
    return taut_or_slack(a, taut, effort);
}

bool actuator_holds_effort(const actuator *a) {
    if (!actuator_is_driven(a)) return a->control == CONTROL_EFFORT;
    return a->engine.kind == ENGINE_VALVE || a->engine.command < TD_MOTOR_SPEED;
}

typedef struct gap_at {  // of an effort: 0 where it is right, increasing
    double value, slope;
} gap_at;

static gap_at driven_gap(const actuator *a, supply from, double yield, double held, double measure,
                         double effort) {
    const engine_answer now = engine_at(&a->engine, from.given, from.stage, effort);
    if (a->control == CONTROL_GAS) {
        const double V = fmax(measure, 1e-6 * a->rest) + a->line, c = a->gas_energy / V;
        return (gap_at){effort + a->atmosphere - c * now.supplied, 1.0 - c * now.by_effort};
    }
    return (gap_at){a->sign * (actuator_asked(a, now.supplied) - measure) + yield * (effort - held),
                    yield - now.by_effort};
}

#define MOST_CORRECTIONS 100

// Newton's method between the efforts that are known to be too small and too large.
static double driven_root(const actuator *a, supply from, double yield, double held, double measure,
                          double *slope) {
    double low = -HUGE_VAL, high = HUGE_VAL, effort = from.stage->effort;
    if (a->pulls_only) effort = fmax(effort, 0.0), low = -1e-300;
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        const gap_at g = driven_gap(a, from, yield, held, measure, effort);
        *slope = g.slope;
        if (g.value == 0.0) return effort;
        if (g.value > 0.0) high = effort;
        else low = effort;
        double next = effort - g.value / g.slope;
        if (!(next > low && next < high) && isfinite(low) && isfinite(high))
            next = 0.5 * (low + high);
        if (!isfinite(next) || fabs(next - effort) <= 1e-15 * fabs(effort)) return effort;
        effort = next;
    }
    return effort;
}

driven_effort actuator_driven(const actuator *a, supply from, double yield, double held,
                              double measure) {
    engine_stage begun = {0};
    driven_effort out = {0};
    if (!from.stage) from.stage = &begun;
    from.stage->seen = true;
    if (from.stage->cv == 0.0 && !from.stage->fixed) {
        const engine_hold h = held_by(a, from);
        const double V = fmax(measure, 1e-6 * a->rest) + a->line, soft = yield - h.by_effort;
        if (h.effort) {
            out = (driven_effort){h.value, 0.0, h.by_command};
        } else if (a->control == CONTROL_GAS) {
            const double P = h.value * a->gas_energy / V;
            out = (driven_effort){P - a->atmosphere, -P / V, 0.0};
        } else {
            const double gap = a->sign * (measure - actuator_asked(a, h.value));
            out = (driven_effort){held + gap / soft, a->sign / soft, h.by_command / soft};
        }
        if (a->pulls_only && out.effort < 0.0) out = (driven_effort){0};
    } else if (a->pulls_only && driven_gap(a, from, yield, held, measure, 0.0).value >= 0.0) {
        out = (driven_effort){0};
    } else {
        double slope = 1.0;
        out.effort = driven_root(a, from, yield, held, measure, &slope);
        out.by_measure = a->sign / slope;
        if (a->control == CONTROL_GAS)
            out.by_measure =
                -(out.effort + a->atmosphere) / (slope * (fmax(measure, 1e-6 * a->rest) + a->line));
    }
    from.stage->effort = out.effort;
    return out;
}

double actuator_supplied(const actuator *a, double yield, double effort, double measure) {
    if (a->control == CONTROL_GAS)
        return (effort + a->atmosphere) * (measure + a->line) / a->gas_energy;
    const double taken = measure - a->sign * yield * effort;
    return a->from_rest ? a->rest - taken : taken;
}

// ----------------------------------------------------------------
balance tendon_balance(const actuator *a, supply from, double effort, double material) {
    if (actuator_is_driven(a)) return driven_balance(a, from, a->compliance, effort, material);
    return gap_balance(a, from.given, a->compliance, effort, material);
}

balance actuator_balance(const actuator *a, supply from, double effort, double measure) {
    if (actuator_is_driven(a)) return driven_balance(a, from, a->yield, effort, measure);
    if (a->control == CONTROL_GAS) return gas_balance(a, from.given, effort, measure);
    return gap_balance(a, from.given, a->yield, effort, measure);
}

double gas_potential(const actuator *a, double amount, double volume) {
    double free_volume = amount * a->gas_energy / a->atmosphere;
    if (!(free_volume > 0.0) || !(volume > 0.0)) return a->atmosphere * volume;
    return amount * a->gas_energy * log(free_volume / volume) +
           a->atmosphere * (volume - free_volume);
}

double actuator_energy(const actuator *a, double given, double effort, double measure) {
    if (a->control == CONTROL_MEASURE) return 0.5 * a->yield * effort * effort;
    if (a->control != CONTROL_GAS) return 0.0;
    if (actuator_is_driven(a)) given = actuator_supplied(a, a->yield, effort, measure);
    return gas_potential(a, given, measure + a->line);
}

td_actuator_state actuator_state_of(const actuator *a, double effort, double measure) {
    td_actuator_state out = {.measure = measure, .slack = actuator_is_slack(a, effort)};
    out.effort = out.end_effort = out.slack != 0.0 ? 0.0 : effort;
    if (a->from_rest) out.supplied = a->rest - measure + a->yield * (out.effort - a->pretension);
    if (a->control == CONTROL_GAS) out.supplied = actuator_supplied(a, a->yield, effort, measure);
    return out;
}
