// model/rom/correct.c - corrections of a shape that bend a slender rod without stretching it.
#include "model/rom/rom.h"

// Shear and stretch at place i of the thin rule as the correction would have them to first order,
// after its turn.
static vec3 corrected_slope(const curve *c, int i, const double *from, double share,
                            const double *dz) {
    const place *at = &c->places[i];
    const place_motion p = curve_place_motion(c, i, from, NULL);
    vec3 dp_s = vec3_zero(), da = vec3_zero();
    for (int k = 0; k < c->n_p; k++)
        dp_s = vec3_madd(dp_s, share * at->phi_s[k], vec3_load(dz + 3 * k));
    for (int k = 0; k < c->n_a; k++)
        da = vec3_madd(da, share * at->psi[k], vec3_load(dz + 3 * (c->n_p + k)));
    const vec3 turned = mat3_mul_vec(&p.turn.T, da);
    const vec3 dv = vec3_add(mat3_tmul_vec(&p.turn.R, dp_s), vec3_cross(p.v, turned));
    const turn next = turn_make(c->kind, vec3_add(p.turn.a, da));
    return mat3_mul_vec(&next.R, vec3_add(p.v, dv));
}

// Turns, and position slopes from strains and turns: nothing of second order stretches the rod.
void rod_correct(const rom_rod *r, rod_memory *m, const double *from, double share,
                 const double *dz, double *to) {
    const curve *c = &r->curve;
    for (int i = 0; i < c->n_thin && !c->held; i++)
        m->strains[i] = corrected_slope(c, c->n_rule + i, from, share, dz);
    for (int k = 0; k < c->n_q; k++) to[k] = from[k] + share * dz[k];
    if (!c->held) curve_set_slopes(c, m->strains, to);
}
