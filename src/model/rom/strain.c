// model/rom/strain.c - what the sections of a rod answer to their strain.
//
// With mean_stretch sections follow the mean stretch of their rod (rubber.h): that of the shape at
// the start of a step, or of the last equilibrium.
#include <math.h>

#include "model/rom/curve.h"
#include "model/rubber.h"

#define LEAST_STRETCH 0.2

bool curve_carries_bending(const curve *c, int i) {
    return i < c->n_rule;
}

bool curve_carries_shear(const curve *c, int i) {
    return c->selective ? i >= c->n_rule : i < c->n_rule;
}

// ---------------------------------------------------------------- material
static void strain_of(const place_motion *m, double x[6], double rate[6]) {
    vec3_store(x, m->u);
    vec3_store(x + 3, m->v);
    vec3_store(rate, m->u_t);
    vec3_store(rate + 3, m->v_t);
}

vec6 curve_material_wrench(const curve *c, const stretched *x, int i, const place_motion *m) {
    const section *at = &c->sections[i];
    double strain[6], rate[6], slope;
    strain_of(m, strain, rate);
    const double stretch = strain[5] - at->rest[5] + 1.0;
    for (int k = 0; k < 6; k++) {
        double elastic = strain[k] - at->rest[k];
        if (k == 5 && c->law.rubber) elastic = rubber_force(stretch, &slope);
        strain[k] = x->sections[i].stiffness[k] * elastic +
                    power_damping(at->damping[k], c->law.damping_power, rate[k]);
    }
    return vec6_load(strain);
}

vec6 curve_material_slope(const curve *c, const stretched *x, int i, const place_motion *m) {
    vec6 out = vec6_load(x->sections[i].stiffness);
    double slope;
    if (!c->law.rubber) return out;
    rubber_force(m->v.z - c->sections[i].rest[5] + 1.0, &slope);
    out.l.z *= slope;
    return out;
}

vec6 curve_damping_slope(const curve *c, int i, const place_motion *m) {
    const double p = c->law.damping_power, *eta = c->sections[i].damping;
    double strain[6], rate[6];
    if (p == 1.0) return vec6_load(eta);
    strain_of(m, strain, rate);
    for (int k = 0; k < 6; k++) strain[k] = power_damping_slope(eta[k], p, rate[k]);
    return vec6_load(strain);
}

double curve_damping_power(const curve *c, int i, const place_motion *m) {
    double strain[6], rate[6], sum = 0.0;
    strain_of(m, strain, rate);
    for (int k = curve_carries_bending(c, i) ? 0 : 3; k < (curve_carries_shear(c, i) ? 6 : 3); k++)
        sum += power_damping(c->sections[i].damping[k], c->law.damping_power, rate[k]) * rate[k];
    return sum;
}

double curve_material_energy(const curve *c, const stretched *x, int i, const place_motion *m) {
    const section *at = &c->sections[i];
    double strain[6], rate[6], sum = 0.0;
    strain_of(m, strain, rate);
    for (int k = curve_carries_bending(c, i) ? 0 : 3; k < (curve_carries_shear(c, i) ? 6 : 3);
         k++) {
        const double e = strain[k] - at->rest[k];
        const double part = k == 5 && c->law.rubber ? rubber_energy(e + 1.0) : 0.5 * e * e;
        sum += x->sections[i].stiffness[k] * part;
    }
    return sum;
}

// ---------------------------------------------------------------- sections under a mean stretch
double curve_mean_stretch(const curve *c, const place_motion *moved) {
    double sum = 0.0;
    for (int i = 0; i < c->n_rule; i++) sum += c->sections[i].weight * vec3_norm(moved[i].p_s);
    return sum / c->length;
}

static section_holes holes_at(const curve *c, double s, double swell, double stretch) {
    section_holes h = {0};
    for (int i = 0; i < c->n_drives; i++) {
        const actuator *a = c->drives[i].a;
        if (a->kind != ACTUATOR_CHAMBER || s < a->from || s > a->to) continue;
        holes_add(&h, swell * a->area, a->tendon.offset[0], a->tendon.offset[1], stretch);
    }
    return h;
}

static void stretch_section(const curve *c, const section *from, double s, const stretched *x,
                            section_state *to) {
    const section_holes rest = holes_at(c, s, 1.0, 1.0),
                        now = holes_at(c, s, x->swell, x->made_for);
    stretch_stiffness(from->stiffness, from->youngs_modulus, from->shear_modulus, &rest, &now,
                      x->made_for, to->stiffness);
}

void curve_unstretched(const curve *c, stretched *out) {
    *out->stretch = out->made_for = out->closer = out->swell = 1.0;
    for (int i = 0; i < c->n_rule + c->n_thin; i++)
        for (int k = 0; k < 6; k++) out->sections[i].stiffness[k] = c->sections[i].stiffness[k];
}

void curve_use_stretch(const curve *c, stretched *x) {
    const double l = *x->stretch;
    if (!c->law.mean_stretch || x->made_for == l) return;
    x->made_for = l;
    x->closer = 1.0 / sqrt(l);
    x->swell = chamber_swell(c->law.braid_angle, l);
    for (int i = 0; i < c->n_rule + c->n_thin; i++)
        stretch_section(c, &c->sections[i], c->places[i].s, x, &x->sections[i]);
}

double curve_stretch(const curve *c, const place_motion *moved, stretched *out) {
    if (!c->law.mean_stretch) return 0.0;
    const double before = *out->stretch, l = curve_mean_stretch(c, moved);
    *out->stretch = fmin(fmax(l, LEAST_STRETCH), 1.0 / LEAST_STRETCH);
    curve_use_stretch(c, out);
    return fabs(*out->stretch - before);
}
