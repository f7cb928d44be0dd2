// model/constant_curvature/drives.c - tendons, push-pull rods and chambers that run parallel to the
// axis. Their lengths and volumes are linear in (u_x, u_y, l): l - r . u (Eq. 33), which is what
// actuation/ integrates for them; a path that would pass the centre of an arc goes on without a
// kink. And what changes sections: it works on the strain (-u_y/L, u_x/L, 0; 0, 0, l/L), one for all of a segment.
#include <string.h>

#include "model/constant_curvature/chain.h"

density arc_density(const chain *c, const drive *d, int i, const double *q) {
    const double L = c->segments[i].length, *u = q + i * c->per;
    const route_point axis = {0};
    return actuator_density(d->a, &axis, (vec3){-u[1] / L, u[0] / L, 0.0},
                            (vec3){0.0, 0.0, local_length(c, i, q) / L});
}

// Along one segment; slope by (u_x, u_y, l).
static double measure_along(const chain *c, const drive *d, int i, const double *q,
                            double by_q[N_LOCAL]) {
    const double area = d->a->per_length, *u = q + i * c->per;
    if (d->a->kind->sections) {
        const density at = arc_density(c, d, i, q);
        by_q[0] = at.slope.a.y, by_q[1] = -at.slope.a.x, by_q[2] = at.slope.l.z;
        return at.value * c->segments[i].length;
    }
    by_q[0] = -area * d->a->path.offset[0];
    by_q[1] = -area * d->a->path.offset[1];
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

// What an effort does to the stiffness of sections: d slope/d(u_x, u_y, l) of the measure.
static void add_curvature(const chain *c, const drive *d, double effort, double *K) {
    static const int mode[N_LOCAL] = {1, 0, 5};
    static const double sign[N_LOCAL] = {1.0, -1.0, 1.0};
    double C[36] = {0.0};
    d->a->kind->curvature(d->a, d->a->sign * effort, C);
    for (int i = d->first; i < d->end; i++)
        for (int r = 0; r < c->per; r++)
            for (int k = 0; k < c->per; k++)
                K[(i * c->per + r) * c->n_q + i * c->per + k] +=
                    sign[r] * sign[k] * C[6 * mode[r] + mode[k]] / c->segments[i].length;
}

void drive_add_stiffness(const chain *c, const drive *d, effort_state now, const double *q,
                         double *K) {
    const double by_measure = now.by_measure;
    if (d->a->kind->sections && d->a->kind->curvature) add_curvature(c, d, now.effort, K);
    if (by_measure == 0.0) return;
    for (int i = d->first * c->per; i < d->end * c->per; i++)
        for (int j = d->first * c->per; j < d->end * c->per; j++) {
            double by_i[N_LOCAL], by_j[N_LOCAL];
            measure_along(c, d, i / c->per, q, by_i);
            measure_along(c, d, j / c->per, q, by_j);
            K[i * c->n_q + j] += d->a->sign * by_measure * by_i[i % c->per] * by_j[j % c->per];
        }
}

effort_state drive_now(const chain *c, const drive *d, supply from, double effort, bool soft,
                       const double *q) {
    if (d->unknown >= 0 && !soft) return (effort_state){.effort = effort};
    const bool needs = d->a->control != CONTROL_EFFORT;
    return effort_now(d->a, from, effort, needs ? drive_measure(c, d, q) : 0.0);
}

balance drive_balance(const chain *c, const drive *d, supply from, double effort, const double *q) {
    return actuator_balance(d->a, from, effort, drive_measure(c, d, q));
}

void drive_slope(const chain *c, const drive *d, const double *q, double *by_q) {
    memset(by_q, 0, sizeof(double) * (size_t)c->n_q);
    for (int i = d->first; i < d->end; i++) {
        double local[N_LOCAL];
        measure_along(c, d, i, q, local);
        memcpy(by_q + i * c->per, local, sizeof(double) * (size_t)c->per);
    }
}
