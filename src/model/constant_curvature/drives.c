// model/constant_curvature/drives.c - tendons, push-pull rods and chambers that run parallel to the
// axis. Their lengths and volumes are linear in (u_x, u_y, l): l - r . u (Eq. 33), which is what
// actuation/ integrates for them; a path that would pass the centre of an arc goes on without a
// kink.
#include <string.h>

#include "model/constant_curvature/chain.h"

// Along one segment; slope by (u_x, u_y, l).
static double measure_along(const chain *c, const drive *d, int i, const double *q,
                            double by_q[N_LOCAL]) {
    const double area = d->a->kind == ACTUATOR_CHAMBER ? d->a->area : 1.0, *u = q + i * c->per;
    by_q[0] = -area * d->a->tendon.offset[0];
    by_q[1] = -area * d->a->tendon.offset[1];
    by_q[2] = area;
    return by_q[0] * u[0] + by_q[1] * u[1] + by_q[2] * local_length(c, i, q);
}

double drive_measure(const chain *c, const drive *d, const double *q) {
    double sum = 0.0, by_q[N_LOCAL];
    for (int i = d->first; i < d->end; i++) sum += measure_along(c, d, i, q, by_q);
    return sum;
}

void drive_add(const chain *c, const drive *d, double effort, const double *q, double *Q) {
    for (int i = d->first; i < d->end && effort != 0.0; i++) {
        double by_q[N_LOCAL];
        measure_along(c, d, i, q, by_q);
        for (int k = 0; k < c->per; k++) Q[i * c->per + k] -= d->a->sign * effort * by_q[k];
    }
}

void drive_add_stiffness(const chain *c, const drive *d, double by_measure, const double *q,
                         double *K) {
    if (by_measure == 0.0) return;
    for (int i = d->first * c->per; i < d->end * c->per; i++)
        for (int j = d->first * c->per; j < d->end * c->per; j++) {
            double by_i[N_LOCAL], by_j[N_LOCAL];
            measure_along(c, d, i / c->per, q, by_i);
            measure_along(c, d, j / c->per, q, by_j);
            K[i * c->n_q + j] += d->a->sign * by_measure * by_i[i % c->per] * by_j[j % c->per];
        }
}

static drive_state gas_now(const actuator *a, double amount, double volume) {
    double V = fmax(volume, 1e-6 * a->rest), P = amount * a->gas_energy / V;
    return (drive_state){P - a->atmosphere, volume >= V ? -P / V : 0.0, a->gas_energy / V};
}

// A gap of the size of rounding counts as taut: there the slopes are those of pulling.
static drive_state tendon_now(const drive *d, double gap, double held) {
    const double effort = held + gap / d->yield;
    const bool taut = d->a->tendon.pushes || gap + d->yield * held >= -1e-12 * d->a->rest;
    if (!taut) return (drive_state){0};
    return (drive_state){d->a->tendon.pushes ? effort : fmax(0.0, effort), 1.0 / d->yield,
                         1.0 / d->yield};
}

drive_state drive_now(const chain *c, const drive *d, double given, double effort, bool soft,
                      const double *q) {
    const actuator *a = d->a;
    if (a->control == CONTROL_EFFORT) return (drive_state){given, 0.0, 1.0};
    if (d->rigid && !soft) return (drive_state){.effort = effort};
    const double measure = drive_measure(c, d, q), held = d->rigid ? effort : 0.0;
    if (a->control == CONTROL_GAS) return gas_now(a, given, measure);
    if (a->kind == ACTUATOR_TENDON) return tendon_now(d, given + measure - a->rest, held);
    return (drive_state){held + (given - measure) / d->yield, -1.0 / d->yield, 1.0 / d->yield};
}

balance drive_balance(const chain *c, const drive *d, double given, double effort,
                      const double *q) {
    return actuator_balance(d->a, given, effort, drive_measure(c, d, q));
}

void drive_slope(const chain *c, const drive *d, const double *q, double *by_q) {
    memset(by_q, 0, sizeof(double) * (size_t)c->n_q);
    for (int i = d->first; i < d->end; i++) {
        double local[N_LOCAL];
        measure_along(c, d, i, q, local);
        memcpy(by_q + i * c->per, local, sizeof(double) * (size_t)c->per);
    }
}

// Of gas at constant temperature against the atmosphere: 0 where the pressures agree.
static double gas_energy(const actuator *a, double amount, double volume) {
    double free_volume = amount * a->gas_energy / a->atmosphere;
    if (!(free_volume > 0.0) || !(volume > 0.0)) return a->atmosphere * volume;
    return amount * a->gas_energy * log(free_volume / volume) +
           a->atmosphere * (volume - free_volume);
}

double drive_energy(const chain *c, const drive *d, double effort, const double *inputs,
                    const double *q) {
    if (d->a->control == CONTROL_MEASURE) return d->rigid ? 0.0 : 0.5 * d->yield * effort * effort;
    if (d->a->control != CONTROL_GAS) return 0.0;
    return gas_energy(d->a, actuator_given(d->a, inputs, 1.0), drive_measure(c, d, q));
}
