// model/rom/drives.c - tendons, push-pull rods and chambers along the places of the rule.
#include "model/rom/curve.h"

static bool swells(const drive *d, const stretched *x) {
    return d->a->area > 0.0 && x->made_for != 1.0;
}

static route_point curve_drive_route(const drive *d, const stretched *x, int i) {
    route_point at = d->routes[i - d->first];
    if (swells(d, x)) at.r = vec3_scale(at.r, actuator_closer(d->a, x->made_for));
    return at;
}

static density swollen(const drive *d, const stretched *x, density at) {
    if (!swells(d, x)) return at;
    const double swell = actuator_swell(d->a, x->made_for);
    return (density){swell * at.value, vec6_scale(at.slope, swell)};
}

density curve_drive_counted(const drive *d, const stretched *x, int i, const place_motion *m) {
    const route_point at = curve_drive_route(d, x, i);
    density out = actuator_counted(d->a, &at, m->u, m->v);
    return swollen(d, x, out);
}

density curve_drive_density(const drive *d, const stretched *x, int i, const place_motion *m) {
    const route_point at = curve_drive_route(d, x, i);
    density out = actuator_density(d->a, &at, m->u, m->v);
    return swollen(d, x, out);
}

void curve_drive_curvature(const drive *d, const stretched *x, int i, const place_motion *m,
                           double factor, double C[36]) {
    const density at = curve_drive_density(d, x, i, m);
    density_add_curvature(d->a, &d->routes[i - d->first], &at, factor, C);
}

double curve_drive_measure(const curve *c, const drive *d, const stretched *x,
                           const place_motion *moved) {
    double sum = 0.0;
    for (int i = d->first; i < d->end; i++)
        sum += c->sections[i].weight * curve_drive_counted(d, x, i, &moved[i]).value;
    return sum;
}
