// model/rom/strain.c - what the sections of a rod answer to their strain.
//
// With mean_stretch sections follow the mean stretch l of their rod: the hyperelastic correction of
// Sadati 2019, with constant volume and chambers that threads hold at the braid angle. l is that of
// the shape at the start of a step, or of the last equilibrium.
#include <math.h>

#include "model/rom/curve.h"

#define PI 3.14159265358979323846
#define LEAST_STRETCH 0.2

bool curve_carries_bending(const curve *c, int i) {
    return i < c->n_rule;
}

bool curve_carries_shear(const curve *c, int i) {
    return c->selective ? i >= c->n_rule : i < c->n_rule;
}

// ---------------------------------------------------------------- material
// A rubber in simple tension has the force E A (v - 1/v^2)/3; far in compression, where it is
// meant no more, the force goes on as its tangent.
static double rubber_force(double v, double *slope) {
    const double x = fmax(v, LEAST_STRETCH);
    *slope = (1.0 + 2.0 / (x * x * x)) / 3.0;
    return (x - 1.0 / (x * x)) / 3.0 + *slope * (v - x);
}

static double rubber_energy(double v) {
    const double x = fmax(v, LEAST_STRETCH), beyond = v - x;
    double slope, force = rubber_force(x, &slope);
    return (0.5 * x * x + 1.0 / x - 1.5) / 3.0 + force * beyond + 0.5 * slope * beyond * beyond;
}

// eta |rate|^(p - 1) rate: Sadati 2019 (7), p = 1 by default.
static double damped(const curve *c, double eta, double rate) {
    const double p = c->law.damping_power;
    return p == 1.0 ? eta * rate : eta * pow(fabs(rate), p - 1.0) * rate;
}

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
        strain[k] = x->sections[i].stiffness[k] * elastic + damped(c, at->damping[k], rate[k]);
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
    for (int k = 0; k < 6; k++) strain[k] = p * eta[k] * pow(fabs(rate[k]), p - 1.0);
    return vec6_load(strain);
}

double curve_damping_power(const curve *c, int i, const place_motion *m) {
    double strain[6], rate[6], sum = 0.0;
    strain_of(m, strain, rate);
    for (int k = curve_carries_bending(c, i) ? 0 : 3; k < (curve_carries_shear(c, i) ? 6 : 3); k++)
        sum += damped(c, c->sections[i].damping[k], rate[k]) * rate[k];
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

typedef struct holes {  // of chambers through a section
    double area, xx, yy, polar;
} holes;

static holes holes_at(const curve *c, double s, double swell, double stretch) {
    holes h = {0};
    for (int i = 0; i < c->n_drives; i++) {
        const actuator *a = c->drives[i].a;
        if (a->kind != ACTUATOR_CHAMBER || s < a->from || s > a->to) continue;
        const double area = swell * a->area, own = area * area / (4.0 * PI);
        const double x = a->tendon.offset[0], y = a->tendon.offset[1];
        h.area += area;
        h.xx += own + area * y * y / stretch;
        h.yy += own + area * x * x / stretch;
        h.polar += 2.0 * own + area * (x * x + y * y) / stretch;
    }
    return h;
}

// modulus (solid/l^power - holes)/l over what it is at rest; a section is never less than a sliver.
static double share_left(double stiffness, double modulus, double rest, double now, double stretch,
                         double power) {
    const double solid = stiffness / modulus + rest;
    const double left = (solid / pow(stretch, power) - now) / stretch;
    return fmax(left * modulus / stiffness, 1e-3);
}

static void stretch_section(const curve *c, const section *from, double s, const stretched *x,
                            section_state *to) {
    const double *K = from->stiffness, E = from->youngs_modulus, G = from->shear_modulus;
    const double l = x->made_for;
    holes rest = holes_at(c, s, 1.0, 1.0), now = holes_at(c, s, x->swell, l);
    const double area = share_left(K[5], E, rest.area, now.area, l, 1.0);
    to->stiffness[0] = K[0] * share_left(K[0], E, rest.xx, now.xx, l, 2.0);
    to->stiffness[1] = K[1] * share_left(K[1], E, rest.yy, now.yy, l, 2.0);
    to->stiffness[2] = K[2] * share_left(K[2], G, rest.polar, now.polar, l, 2.0);
    for (int k = 3; k < 6; k++) to->stiffness[k] = K[k] * area;
}

void curve_unstretched(const curve *c, stretched *out) {
    *out->stretch = out->made_for = out->closer = out->swell = 1.0;
    for (int i = 0; i < c->n_rule + c->n_thin; i++)
        for (int k = 0; k < 6; k++) out->sections[i].stiffness[k] = c->sections[i].stiffness[k];
}

void curve_use_stretch(const curve *c, stretched *x) {
    const double l = *x->stretch;
    if (!c->law.mean_stretch || x->made_for == l) return;
    const double cs = cos(c->law.braid_angle), sn = sin(c->law.braid_angle);
    x->made_for = l;
    x->closer = 1.0 / sqrt(l);
    x->swell = fmax((1.0 - l * l * cs * cs) / (sn * sn), 1e-3);
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
