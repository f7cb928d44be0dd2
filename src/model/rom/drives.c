// model/rom/drives.c - tendons, push-pull rods and chambers along the places of the rule.
#include "model/rom/curve.h"

static bool swells(const drive *d, const stretched *x) {
    return d->a->area > 0.0 && x->made_for != 1.0;
}

route_point curve_drive_route(const drive *d, const stretched *x, int i) {
    route_point at = d->routes[i - d->first];
    if (swells(d, x)) at.r = vec3_scale(at.r, actuator_closer(d->a, x->made_for));
    return at;
}

static density swollen(const drive *d, const stretched *x, density at) {
    if (!swells(d, x)) return at;
    const double swell = actuator_swell(d->a, x->made_for);
    return (density){swell * at.value, vec6_scale(at.slope, swell)};
}

int curve_drive_next(const curve *c, const drive *d, int i) {
    if (i < d->first) i = d->first;
    if (i >= d->end && i < d->thin) i = d->thin;
    return i < d->end || (i >= d->thin && i < d->thin_end) ? i : c->n_rule + c->n_thin;
}

// What changes the stiffness does so by the strains that are carried at a place, as the material has them.
static density carried(const curve *c, const drive *d, int i, const place_motion *m) {
    const vec6 rest = vec6_load(d->a->active_rest);
    const route_point axis = {0};
    return actuator_density(d->a, &axis, curve_carries_bending(c, i) ? m->u : rest.a,
                            curve_carries_shear(c, i) ? m->v : rest.l);
}

density curve_drive_counted(const curve *c, const drive *d, const stretched *x, int i,
                            const place_motion *m) {
    if (d->a->kind->curvature) return carried(c, d, i, m);
    const route_point at = curve_drive_route(d, x, i);
    density out = actuator_counted(d->a, &at, m->u, m->v);
    return swollen(d, x, out);
}

density curve_drive_density(const curve *c, const drive *d, const stretched *x, int i,
                            const place_motion *m) {
    if (d->a->kind->curvature) return carried(c, d, i, m);
    const route_point at = curve_drive_route(d, x, i);
    density out = actuator_density(d->a, &at, m->u, m->v);
    return swollen(d, x, out);
}

void curve_drive_curvature(const curve *c, const drive *d, const stretched *x, int i,
                           const place_motion *m, double factor, double C[36]) {
    if (!d->a->kind->curvature) {
        const density at = curve_drive_density(c, d, x, i, m);
        density_add_curvature(d->a, &d->routes[i - d->first], &at, factor, C);
        return;
    }
    double all[36] = {0.0};
    d->a->kind->curvature(d->a, factor, all);
    for (int k = 0; k < 6; k++)
        if (k < 3 ? curve_carries_bending(c, i) : curve_carries_shear(c, i)) C[7 * k] += all[7 * k];
}

double curve_drive_measure(const curve *c, const drive *d, const stretched *x,
                           const place_motion *moved) {
    const int n = c->n_rule + c->n_thin;
    double sum = 0.0;
    for (int i = curve_drive_next(c, d, 0); i < n; i = curve_drive_next(c, d, i + 1))
        sum += c->sections[i].weight * curve_drive_counted(c, d, x, i, &moved[i]).value;
    return sum;
}
