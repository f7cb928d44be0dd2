// model/rom/resolution.c - is the order high enough?
//
// In equilibrium the moment inside every section is that of all that acts beyond it. Polynomials of
// low order hold this only on average; what is missing, divided by the stiffness and summed from
// the base, is the angle by which directions are off. A rod that locks shows the same way.
#include <math.h>

#include "model/rom/rom.h"

// How much of what place k carries lies beyond station i: of loads along the rod, which places of the rule stand for, as the
// polynomial through them says.
static double share_beyond(const curve *c, int i, int k) {
    if (k < c->n_rule) return c->beyond[(i - c->station) * c->n_rule + k];
    return c->places[k].s > c->places[i].s ? 1.0 : 0.0;
}

// What acts from outside beyond station i, about it: base frame.
static vec3 moment_beyond(const curve *c, const rod_memory *m, int i) {
    vec3 sum = vec3_zero();
    for (int k = 0; k < c->n_places; k++) {
        if (k >= c->n_rule && k < c->n_rule + c->n_thin) continue;
        const double share = share_beyond(c, i, k);
        const vec3 arm = vec3_sub(m->moved[k].p, m->moved[i].p);
        sum = vec3_madd(sum, share, vec3_add(m->outside[k].a, vec3_cross(arm, m->outside[k].l)));
    }
    return sum;
}

double rod_resolution(const rom_rod *r, const rod_memory *m) {
    const curve *c = &r->curve;
    vec3 angle = vec3_zero();
    double most = 0.0;
    for (int i = c->station; i < c->station_end; i++) {
        const place_motion *p = &m->moved[i];
        const double *K = m->stretched->sections[i].stiffness;
        const vec3 inside = rod_wrench(c, m, i, p, c->places[i].s).a;
        const vec3 missing = vec3_sub(mat3_tmul_vec(&p->turn.R, moment_beyond(c, m, i)), inside);
        const vec3 bend = {missing.x / K[0], missing.y / K[1], missing.z / K[2]};
        angle = vec3_madd(angle, c->sections[i].weight, bend);
        most = fmax(most, vec3_norm(angle));
    }
    return most;
}
