// solve/step_inputs.c - see step_inputs.h.
#include "solve/step_inputs.h"

#include <math.h>

void step_inputs_layout(int n, arena *work, step_inputs *out) {
    step_inputs s = {.n = n};
    double **const vectors[] = {&s.given, &s.given_rates, &s.places, &s.rates, &s.accelerations};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_TAKE(work, double, n);
    if (out) *out = s;
}

void step_inputs_begin(step_inputs *s, const model_call *call, double dt, bool fresh, bool chosen) {
    s->call = call;
    s->dt = dt;
    s->fresh = fresh;
    s->exact = chosen && call->signals.of;
}

double step_inputs_bring(step_inputs *s, energy_under *energy, const void *compiled,
                         const void *memory) {
    if (!s->fresh) return 0.0;
    step_inputs_at(s, 0.0);
    const td_energy before = energy(compiled, memory, s->call->inputs_before);
    const td_energy now = energy(compiled, memory, s->given);
    return (now.kinetic - before.kinetic) + (now.gravity - before.gravity);
}

typedef struct input_start {  // of one input, at the start of a step
    double given;
    double place, rate;
    bool smooth;  // rates at both ends are those of the input
} input_start;

// After a jump by its signal, where there is one. Else what is given has had its value since the
// start, and a base comes to where it is at the end by its rate.
static input_start start_of(const step_inputs *s, int i) {
    const model_call *call = s->call;
    const double after = call->inputs[i], rate = call->rates[i];
    if (!s->fresh)
        return (input_start){call->inputs_before[i], call->inputs_before[i], call->rates_before[i],
                             call->smooth[i] != 0.0};
    if (!call->signals.of) return (input_start){after, after - s->dt * rate, rate, false};
    const td_signal *signal = &call->signals.of[i].signal;
    const double value = td_signal_value(signal, call->signals.from, TD_AFTER);
    return (input_start){value, value, td_signal_rate(signal, call->signals.from, TD_AFTER), true};
}

static void interpolate(const step_inputs *s, int i, double t) {
    const input_start from = start_of(s, i);
    const double x = t / s->dt, after = s->call->inputs[i], change = s->call->rates[i] - from.rate;
    s->given[i] = (1.0 - x) * from.given + x * after;
    s->given_rates[i] = (after - from.given) / s->dt;
    const double missing = after - from.place - (from.rate + 0.5 * change) * s->dt;
    s->places[i] = from.place + t * (from.rate + 0.5 * x * change);
    s->rates[i] = from.rate + x * change;
    s->accelerations[i] = change / s->dt;
    if (!from.smooth) {
        s->places[i] += x * missing;
        if (s->led) s->rates[i] += missing / s->dt;
        return;
    }
    s->places[i] += (3.0 - 2.0 * x) * x * x * missing;
    s->rates[i] += 6.0 * x * (1.0 - x) * missing / s->dt;
    s->accelerations[i] += 6.0 * (1.0 - 2.0 * x) * missing / (s->dt * s->dt);
}

// The signal between two instants at which it may jump.
static void follow(const step_inputs *s, int i, double t) {
    const signal_span *all = &s->call->signals;
    const td_signal *signal = &all->of[i].signal;
    const double at = fmin(fmax(all->start + t, all->from), all->to);
    const td_side side = at > all->from ? TD_BEFORE : TD_AFTER;
    s->given[i] = s->places[i] = td_signal_value(signal, at, side);
    s->given_rates[i] = s->rates[i] = td_signal_rate(signal, at, side);
    s->accelerations[i] = signal_acceleration(signal, at, side);
}

void step_inputs_at(step_inputs *s, double t) {
    ASSERT(s->dt > 0.0 && t >= -1e-9 * s->dt && t <= (1.0 + 1e-9) * s->dt);
    for (int i = 0; i < s->n; i++) {
        if (s->exact) follow(s, i, t);
        else interpolate(s, i, t);
    }
}

// Of the formulas above, which are linear; after a jump what it began with follows from the end: u - dt r, r.
input_slopes step_inputs_slopes(const step_inputs *s, int i, double t) {
    const double dt = s->dt, x = t / dt;
    if (s->fresh)
        return (input_slopes){.given = {0.0, 1.0, 0.0, 0.0},
                              .place = {0.0, 1.0, 0.0, t - dt},
                              .rate = {0.0, 0.0, 0.0, 1.0}};
    const double missing[4] = {-1.0, 1.0, -0.5 * dt, -0.5 * dt};
    const bool smooth = s->call->smooth[i] != 0.0;
    const double by = smooth ? (3.0 - 2.0 * x) * x * x : x;
    const double by_rate = smooth ? 6.0 * x * (1.0 - x) / dt : s->led ? 1.0 / dt : 0.0;
    const double by_acceleration = smooth ? 6.0 * (1.0 - 2.0 * x) / (dt * dt) : 0.0;
    input_slopes out = {.given = {1.0 - x, x, 0.0, 0.0},
                        .place = {1.0, 0.0, t * (1.0 - 0.5 * x), 0.5 * t * x},
                        .rate = {0.0, 0.0, 1.0 - x, x},
                        .acceleration = {0.0, 0.0, -1.0 / dt, 1.0 / dt}};
    for (int k = 0; k < 4; k++) {
        out.place[k] += by * missing[k];
        out.rate[k] += by_rate * missing[k];
        out.acceleration[k] += by_acceleration * missing[k];
    }
    return out;
}
