// model/constant_curvature/drives.c - tendons, push-pull rods and chambers that run parallel to the
// axis. Their lengths and volumes are linear in (u_x, u_y, l): l - r . u (Eq. 33), which is what
// actuation/ integrates for them; a path that would pass the centre of an arc goes on without a
// kink.
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

static double gas_pressure(const actuator *a, double amount, double volume) {
    return amount * a->gas_energy / fmax(volume, 1e-6 * a->rest) - a->atmosphere;
}

double drive_effort(const chain *c, const drive *d, const double *inputs, double share,
                    const double *q) {
    double given = actuator_given(d->a, inputs, share);
    if (d->a->control == CONTROL_EFFORT) return given;
    double measure = drive_measure(c, d, q);
    if (d->a->control == CONTROL_GAS) return gas_pressure(d->a, given, measure);
    double tension = (given + measure - d->a->rest) / d->yield;
    return d->a->tendon.pushes ? tension : fmax(0.0, tension);
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
    if (d->a->control == CONTROL_MEASURE) return 0.5 * d->yield * effort * effort;
    if (d->a->control != CONTROL_GAS) return 0.0;
    return gas_energy(d->a, actuator_given(d->a, inputs, 1.0), drive_measure(c, d, q));
}
