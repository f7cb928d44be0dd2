#include "model/step_inputs.h"

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

static void interpolate(const step_inputs *s, int i, double t) {
    const model_call *call = s->call;
    const double x = t / s->dt, after = call->inputs[i], r1 = call->rates[i];
    const double before = s->fresh ? after : call->inputs_before[i];
    s->given[i] = (1.0 - x) * before + x * after;
    s->given_rates[i] = (after - before) / s->dt;
    // after a jump a base comes to where it is at the end by its rate
    const double r0 = s->fresh ? r1 : call->rates_before[i];
    const double start = s->fresh ? after - s->dt * r1 : before;
    const double missing = after - start - 0.5 * (r0 + r1) * s->dt;
    s->places[i] = start + t * (r0 + 0.5 * x * (r1 - r0)) + x * missing;
    s->rates[i] = r0 + x * (r1 - r0);
    s->accelerations[i] = (r1 - r0) / s->dt;
}

// The signal between two instants at which it may jump; its acceleration by differences.
static void follow(const step_inputs *s, int i, double t) {
    const signal_span *all = &s->call->signals;
    const td_signal *signal = &all->of[i].signal;
    const double at = fmin(fmax(all->start + t, all->from), all->to), h = 1e-3 * s->dt;
    const td_side side = at > all->from ? TD_BEFORE : TD_AFTER;
    const double low = fmax(at - h, all->from), high = fmin(at + h, all->to);
    s->given[i] = s->places[i] = td_signal_value(signal, at, side);
    s->given_rates[i] = s->rates[i] = td_signal_rate(signal, at, side);
    s->accelerations[i] =
        (td_signal_rate(signal, high, TD_BEFORE) - td_signal_rate(signal, low, TD_AFTER)) /
        (high - low);
}

void step_inputs_at(step_inputs *s, double t) {
    for (int i = 0; i < s->n; i++) {
        if (s->exact) follow(s, i, t);
        else interpolate(s, i, t);
    }
}
