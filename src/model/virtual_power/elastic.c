// model/virtual_power/elastic.c - what core and rods store when they bend and twist.
//
// A rod at hole r bends as an arc concentric with the core's, Eqs. 24 to 26: of length L (1 - e)
// and curvature k/(1 - e), e = beta r_x + gamma r_y, so that it stores EJ L k^2/(2 (1 - e)). Eq.
// 28 leaves out that a rod's length changes with the bending; it is then no gradient of an energy.
#include "model/virtual_power/chain.h"

#define NEAREST                                                                                    \
    1e-3  // a hole may come so close to the centre of the arc, in radii of the core's arc

typedef struct rod_arc {
    vec3 hole;    // turned by half the twist: where the rod is, on the average
    double rest;  // 1 - e, the rod's length by the core's
    double k2;    // curvature squared
} rod_arc;

static rod_arc arc_of(const chain *c, const drive *d, const double *q) {
    rod_arc a = {.hole = d->hole, .k2 = q[0] * q[0] + q[1] * q[1]};
    if (c->per == 3) {
        double cs = cos(0.5 * q[2]), sn = sin(0.5 * q[2]);
        a.hole = vec3_make(cs * d->hole.x - sn * d->hole.y, sn * d->hole.x + cs * d->hole.y, 0.0);
    }
    a.rest = fmax(NEAREST, 1.0 - q[0] * a.hole.x - q[1] * a.hole.y);
    return a;
}

// Against twist: its own torsion, and bending into a helix where its tangent is held at the discs.
static double twist_stiffness(const chain *c, const drive *d, double length) {
    double r2 = vec3_dot(d->hole, d->hole);
    double helix = c->options.rods_held ? 12.0 * d->bending * r2 / (length * length * length) : 0.0;
    return d->torsion / length + helix;
}

static void add_rod(const chain *c, const drive *d, double length, const double *q, double *Q) {
    rod_arc a = arc_of(c, d, q);
    double moment = length * d->bending / a.rest;
    Q[0] -= moment * q[0];
    Q[1] -= moment * q[1];
    double shift = 0.5 * moment * a.k2 / a.rest;
    if (!c->options.printed_elasticity) {
        Q[0] -= shift * a.hole.x;
        Q[1] -= shift * a.hole.y;
    }
    if (c->per < 3) return;
    Q[2] -= twist_stiffness(c, d, length) * q[2];
    if (!c->options.printed_elasticity) Q[2] -= 0.5 * shift * (q[1] * a.hole.x - q[0] * a.hole.y);
}

// The core in its section's axes: u = (-gamma, beta, tau/L).
static void add_core(const chain *c, const segment *s, const double *q, const double *rates,
                     double *Q) {
    double u[3] = {-q[1], q[0], c->per == 3 ? q[2] / s->length : 0.0};
    double u_t[3] = {0.0, 0.0, 0.0}, m[3];
    if (rates) u_t[0] = -rates[1], u_t[1] = rates[0];
    if (rates && c->per == 3) u_t[2] = rates[2] / s->length;
    for (int k = 0; k < 3; k++)
        m[k] = s->stiffness[k] * u[k] - s->rest_moment[k] + s->damping[k] * u_t[k];
    Q[0] -= s->length * m[1];
    Q[1] += s->length * m[0];
    if (c->per == 3) Q[2] -= m[2];
}

void add_elastic_of(const chain *c, int i, const double *q, const double *rates, double *Q) {
    const segment *s = &c->segments[i];
    add_core(c, s, q, rates, Q);
    for (int j = 0; j < c->n_drives; j++) {
        const drive *d = &c->drives[j];
        if (i < d->end && (d->bending > 0.0 || d->torsion > 0.0)) add_rod(c, d, s->length, q, Q);
    }
}

void add_elastic(const chain *c, const double *q, const double *rates, double *Q) {
    for (int i = 0, k = 0; i < c->n; i++, k += c->per)
        add_elastic_of(c, i, q + k, rates ? rates + k : NULL, Q + k);
}

double elastic_energy(const chain *c, const double *q) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++, q += c->per) {
        const segment *s = &c->segments[i];
        double u[3] = {-q[1], q[0], c->per == 3 ? q[2] / s->length : 0.0};
        sum += s->rest_energy;
        for (int k = 0; k < 3; k++)
            sum += s->length * (0.5 * s->stiffness[k] * u[k] - s->rest_moment[k]) * u[k];
        for (int j = 0; j < c->n_drives; j++) {
            const drive *d = &c->drives[j];
            if (i >= d->end) continue;
            rod_arc a = arc_of(c, d, q);
            sum += 0.5 * d->bending * s->length * a.k2 / a.rest;
            if (c->per == 3) sum += 0.5 * twist_stiffness(c, d, s->length) * q[2] * q[2];
        }
    }
    return sum;
}

double damping_power(const chain *c, const double *rates) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++, rates += c->per) {
        const segment *s = &c->segments[i];
        double twist = c->per == 3 ? rates[2] / s->length : 0.0;
        sum += s->length * (s->damping[0] * rates[1] * rates[1] +
                            s->damping[1] * rates[0] * rates[0] + s->damping[2] * twist * twist);
    }
    return sum;
}
