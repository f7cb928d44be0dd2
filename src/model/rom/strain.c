// model/rom/strain.c - what the sections of a rod answer to their strain.
//
// Sections of a rod with mean_stretch follow its mean stretch (material/stretch.h): that of the shape at
// the start of a step, or of the last equilibrium.
#include <math.h>
#include <string.h>

#include "model/rom/curve.h"

// ---------------------------------------------------------------- material
// Strain less that at rest, and its rate.
static void strain_of(const curve *c, int i, const place_motion *m, double x[6], double rate[6]) {
    vec3_store(x, m->u);
    vec3_store(x + 3, m->v);
    vec3_store(rate, m->u_t);
    vec3_store(rate + 3, m->v_t);
    for (int k = 0; k < 6; k++) x[k] -= c->sections[i].rest[k];
}

void curve_strain(const curve *c, int i, const place_motion *m, double x[6]) {
    double rate[6];
    strain_of(c, i, m, x, rate);
}

double *curve_remembered(const curve *c, const stretched *x, int i) {
    return x->inner + (i - c->station) * c->n_inner;
}

static law_past past_of(const curve *c, const stretched *x, int i) {
    return (law_past){curve_remembered(c, x, i), x->elapsed};
}

// Of Sadati 2019 (7), by length: w_k and w_v, the rate without its transpose (errata, Eq. 7).
vec6 curve_material_wrench(const curve *c, const stretched *x, int i, const place_motion *m) {
    const law_past past = past_of(c, x, i);
    double strain[6], rate[6], w[6], damped[6];
    strain_of(c, i, m, strain, rate);
    law_elastic(&x->sections[i], &past, strain, w);
    law_viscous(&x->sections[i], rate, damped);
    for (int k = 0; k < 6; k++) w[k] += damped[k];
    return vec6_load(w);
}

void curve_material_slope(const curve *c, const stretched *x, int i, const place_motion *m,
                          double K[36]) {
    const law_past past = past_of(c, x, i);
    double strain[6], rate[6];
    strain_of(c, i, m, strain, rate);
    law_stiffness(&x->sections[i], &past, strain, K);
}

void curve_damping_slope(const curve *c, const stretched *x, int i, const place_motion *m,
                         double B[36]) {
    double strain[6], rate[6];
    strain_of(c, i, m, strain, rate);
    law_viscosity(&x->sections[i], rate, B);
}

double curve_damping_power(const curve *c, const stretched *x, int i, const place_motion *m) {
    const law_past past = past_of(c, x, i);
    double strain[6], rate[6];
    strain_of(c, i, m, strain, rate);
    return law_loss(&x->sections[i], &past, strain, rate);
}

double curve_material_energy(const curve *c, const stretched *x, int i, const place_motion *m) {
    const law_past past = past_of(c, x, i);
    double strain[6];
    curve_strain(c, i, m, strain);
    return law_energy(&x->sections[i], &past, strain);
}

void curve_keep(const curve *c, stretched *x, const place_motion *moved, bool anew) {
    const int n = (c->station_end - c->station) * c->n_inner;
    if (anew && n) memset(x->inner, 0, sizeof(double) * (size_t)n);
    for (int i = c->station; i < c->station_end && n; i++) {
        const law_past past = past_of(c, x, i);
        double strain[6];
        curve_strain(c, i, &moved[i], strain);
        law_keep(&x->sections[i], &past, strain, curve_remembered(c, x, i));
    }
    x->elapsed = 0.0;
}

// ---------------------------------------------------------------- sections under a mean stretch
double curve_mean_stretch(const curve *c, const place_motion *moved) {
    double sum = 0.0;
    for (int i = 0; i < c->n_rule; i++) sum += c->sections[i].weight * vec3_norm(moved[i].p_s);
    return sum / c->length;
}

void curve_unstretched(const curve *c, stretched *out) {
    *out->stretch = out->made_for = 1.0;
    for (int i = c->station; i < c->station_end; i++) out->sections[i] = c->sections[i].law;
}

void curve_make_sections(const curve *c, stretched *x) {
    const double l = *x->stretch;
    if (!c->follows) {
        curve_unstretched(c, x);
        return;
    }
    x->made_for = l;
    for (int i = c->station; i < c->station_end; i++) {
        const section *at = &c->sections[i];
        x->sections[i] = at->law;
        actuators_stretch(c->all, c->n_all, c->rod, c->places[i].s, l, at->law.stiffness,
                          at->youngs_modulus, at->shear_modulus, x->sections[i].stiffness);
    }
}

void curve_use_stretch(const curve *c, stretched *x) {
    if (c->follows && x->made_for != *x->stretch) curve_make_sections(c, x);
}

double curve_stretch(const curve *c, const place_motion *moved, stretched *out) {
    if (!c->follows) return 0.0;
    const double before = *out->stretch, l = curve_mean_stretch(c, moved);
    *out->stretch = mean_stretch_within(l);
    curve_use_stretch(c, out);
    return fabs(*out->stretch - before);
}
