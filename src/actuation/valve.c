// actuation/valve.c - a valve between a supply, a chamber and the atmosphere: open by u > 0 towards the supply, by u < 0
// towards the atmosphere, closed at 0.
//
// Gas, ISO 6358: from p1 (absolute, upstream) to p2 at the temperature T, with the sonic conductance C, the critical ratio b
// and r = p2/p1,
//
//     flow = C p1 (p0/(R T0)) sqrt(T0/T) psi,   psi = 1 for r <= b,   sqrt(1 - ((r - b)/(1 - b))^2) above
//
// mol/s, with the reference T0 = 293.15 K, p0 = 100 kPa. Near r = 1, where the slope has no limit, psi is linear, as in
// ISO 6358-3. A liquid: flow = C d/sqrt(1 + |d|/p_t), m^3/s, d the difference of pressures: linear, and beyond
// p_t as an orifice.
#include <math.h>

#include "actuation/engine.h"

#define REFERENCE_PRESSURE 1e5
#define REFERENCE_TEMPERATURE 293.15
#define GAS_CONSTANT 8.31446261815324
#define LAMINAR 0.999  // of p1: p2 beyond which psi is linear

typedef struct flow {
    double value, by_pressure;  // into the chamber, and by its pressure
} flow;

typedef struct throttle {
    double psi, slope;  // by r
} throttle;

static throttle psi_of(double r, double b) {
    if (r <= b) return (throttle){1.0, 0.0};
    const double at = fmin(r, LAMINAR), x = (at - b) / (1.0 - b), root = sqrt(1.0 - x * x);
    if (r <= LAMINAR) return (throttle){root, -x / (root * (1.0 - b))};
    const double slope = -root / (1.0 - LAMINAR);
    return (throttle){slope * (r - 1.0), slope};
}

// Between the chamber at p and what is open to it at `other`, absolute.
static flow gas_flow(const engine *e, double p, double other) {
    const double T = e->gas_energy / GAS_CONSTANT;
    const double molar = e->valve.conductance * REFERENCE_PRESSURE /
                         (GAS_CONSTANT * REFERENCE_TEMPERATURE) * sqrt(REFERENCE_TEMPERATURE / T);
    if (other >= p) {
        if (!(other > 0.0)) return (flow){0};
        const throttle t = psi_of(fmax(0.0, p / other), e->valve.critical_ratio);
        return (flow){molar * other * t.psi, molar * t.slope};
    }
    const double r = fmax(0.0, other) / p;
    const throttle t = psi_of(r, e->valve.critical_ratio);
    return (flow){-molar * p * t.psi, -molar * (t.psi - r * t.slope)};
}

static flow liquid_flow(const engine *e, double p, double other) {
    const double C = e->valve.conductance, d = other - p, t = e->valve.transition;
    if (!(t > 0.0)) return (flow){C * d, -C};
    const double x = 1.0 + fabs(d) / t, root = sqrt(x);
    return (flow){C * d / root, -C * (1.0 + 0.5 * fabs(d) / t) / (x * root)};
}

static double atmosphere_of(const engine *e) {
    return e->valve.liquid ? 0.0 : e->atmosphere;
}

// What the valve is open to, absolute.
static double beyond(const engine *e, double command) {
    return atmosphere_of(e) + (command > 0.0 ? e->valve.supply : 0.0);
}

engine_answer valve_answer(const engine *e, double command, const engine_stage *s, double effort) {
    const double open = fmin(1.0, fabs(command)), a = atmosphere_of(e);
    const double other = beyond(e, command);
    flow f = {0};
    if (open > 0.0)
        f = e->valve.liquid ? liquid_flow(e, effort, other) : gas_flow(e, effort + a, other);
    engine_answer out = {.torque = open * f.value, .by_effort = open * f.by_pressure / s->cv};
    out.y[Y_FLUID] = s->star[Y_FLUID] + out.torque / s->cv;
    out.supplied = e->rest + out.y[Y_FLUID];
    return out;
}

// What a mol of gas that keeps its temperature, or a m^3 of liquid, can do on its way to the atmosphere: J.
static double worth(const engine *e, double p) {
    if (e->valve.liquid) return p;
    return p > 0.0 ? e->gas_energy * log(p / e->atmosphere) : 0.0;
}

engine_powers valve_powers(const engine *e, double command, const engine_stage *s,
                           const engine_answer *now) {
    const double from = worth(e, beyond(e, command)), to = worth(e, s->effort + atmosphere_of(e));
    return (engine_powers){
        .given = now->torque * from, .lost = now->torque * (from - to), .passed = now->torque * to};
}

// A closed one opens towards the supply.
engine_seen valve_flow(const engine *e, const engine_point *at) {
    const double open = fmin(1.0, fabs(at->command)), a = atmosphere_of(e);
    const double other = a + (at->command >= 0.0 ? e->valve.supply : 0.0);
    const flow f =
        e->valve.liquid ? liquid_flow(e, at->effort, other) : gas_flow(e, at->effort + a, other);
    return (engine_seen){.value = open * f.value,
                         .by_effort = open * f.by_pressure,
                         .by_command = fabs(at->command) > 1.0 ? 0.0
                                       : at->command < 0.0     ? -f.value
                                                               : f.value};
}

// n' = flow(effort, command)
engine_rows valve_rows(const engine *e, const engine_point *at) {
    const engine_seen f = valve_flow(e, at);
    engine_rows out = {.n = 1};
    out.D[0][0] = 1.0;
    out.by_effort[0] = -f.by_effort;
    out.by_command[0] = f.by_command;
    out.r[0] = at->rate[Y_FLUID] - f.value;
    return out;
}
