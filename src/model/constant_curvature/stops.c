// model/constant_curvature/stops.c - how far arcs go, and what turns a violent motion round there.
//
// An equilibrium beyond the limits is refused. A motion may go a little further, against a stop
// that stores
//
//     U = W z^3/(1 - z),     z = 0 at the limit .. 1 at the wall
//
// without bound: no motion goes through, and one that is there comes back. W is what bending or
// compression up to the limit stores. Newton's method may look behind the wall, where the force
// goes on along its tangent.
#include "model/constant_curvature/chain.h"

#define MOST_ANGLE 12.566370614359172  // rad, two turns of one segment
#define LEAST_STRETCH 0.1              // length by length at rest
#define MOST_STRETCH 10.0
#define ROOM 0.1        // between a limit and its wall, as a share of the limit
#define SHORT_ROOM 0.5  // of the least stretch
#define NEAR_WALL 0.99  // z from where the force goes on along its tangent

typedef struct stop {  // of one segment
    double z;          // 0 and less: within the limit
    double by;         // dz/d angle (1/rad), or dz/d length (1/m)
    double weight;     // J
} stop;

static stop angle_stop(const chain *c, int i, double angle) {
    const segment *s = &c->segments[i];
    const double room = ROOM * MOST_ANGLE, k = 0.5 * (s->bending[0] + s->bending[1]) / s->length;
    return (stop){(angle - MOST_ANGLE) / room, 1.0 / room, 0.5 * k * MOST_ANGLE * MOST_ANGLE};
}

static stop length_stop(const chain *c, int i, double length) {
    const segment *s = &c->segments[i];
    const bool is_short = length < s->length;
    const double limit = is_short ? LEAST_STRETCH : MOST_STRETCH, e = limit - 1.0;
    const double by = 1.0 / ((is_short ? -SHORT_ROOM : ROOM) * limit * s->length);
    return (stop){(length - limit * s->length) * by, by, 0.5 * s->extension * s->length * e * e};
}

static double angle_of(const chain *c, int i, const double *q) {
    return hypot(q[i * c->per], q[i * c->per + 1]);
}

int arcs_beyond(const chain *c, const double *q, double room) {
    for (int i = 0; i < c->n; i++) {
        const stop by_angle = angle_stop(c, i, angle_of(c, i, q));
        const stop by_length = length_stop(c, i, local_length(c, i, q));
        if (!(by_angle.z < room) || !(by_length.z < room)) return i;
    }
    return -1;
}

// z^3/(1 - z) and its derivative.
static double stop_energy(double z, double *slope) {
    const double x = fmin(fmax(z, 0.0), NEAR_WALL), rest = 1.0 - x;
    const double bend = 2.0 * x * (3.0 - 3.0 * x + x * x) / (rest * rest * rest);
    const double beyond = fmax(z, 0.0) - x, at = x * x * (3.0 - 2.0 * x) / (rest * rest);
    *slope = at + bend * beyond;
    return x * x * x / rest + beyond * (at + 0.5 * bend * beyond);
}

// What pushes back, N m or N.
static double stop_force(stop s) {
    double slope;
    stop_energy(s.z, &slope);
    return -s.weight * slope * s.by;
}

void arcs_add_stops(const chain *c, const double *q, double *Q) {
    for (int i = 0; i < c->n; i++) {
        const double *u = q + i * c->per, angle = angle_of(c, i, q);
        const stop by_angle = angle_stop(c, i, angle);
        double *own = Q + i * c->per;
        for (int k = 0; k < 2 && by_angle.z > 0.0; k++)
            own[k] += stop_force(by_angle) * u[k] / angle;
        if (c->per == N_LOCAL) own[2] += stop_force(length_stop(c, i, local_length(c, i, q)));
    }
}

double arcs_stop_energy(const chain *c, const double *q) {
    double sum = 0.0, slope;
    for (int i = 0; i < c->n; i++) {
        const stop stops[2] = {angle_stop(c, i, angle_of(c, i, q)),
                               length_stop(c, i, local_length(c, i, q))};
        for (int k = 0; k < 2; k++) sum += stops[k].weight * stop_energy(stops[k].z, &slope);
    }
    return sum;
}
