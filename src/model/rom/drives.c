// model/rom/drives.c - tendons, push-pull rods and chambers along the places of the rule.
#include <math.h>

#include "model/rom/curve.h"

static bool swells(const drive *d, const stretched *x) {
    return d->a->kind == ACTUATOR_CHAMBER && x->stretch != 1.0;
}

route_point curve_drive_route(const drive *d, const stretched *x, int i) {
    route_point at = d->routes[i - d->first];
    if (swells(d, x)) at.r = vec3_scale(at.r, x->closer);
    return at;
}

density curve_drive_density(const drive *d, const stretched *x, int i, const place_motion *m) {
    const route_point at = curve_drive_route(d, x, i);
    density out = actuator_density(d->a, &at, m->u, m->v);
    if (!swells(d, x)) return out;
    return (density){x->swell * out.value, vec6_scale(out.slope, x->swell)};
}

double curve_drive_measure(const curve *c, const drive *d, const stretched *x,
                           const place_motion *moved) {
    double sum = 0.0;
    for (int i = d->first; i < d->end; i++) {
        const route_point at = curve_drive_route(d, x, i);
        sum += c->sections[i].weight * actuator_counted(d->a, &at, moved[i].u, moved[i].v).value;
    }
    return swells(d, x) ? x->swell * sum : sum;
}

static double yield_of(const actuator *a) {
    return a->compliance + a->rest * a->inverse_stiffness;
}

double curve_drive_effort(const drive *d, double given, double measure, double *slope) {
    const actuator *a = d->a;
    *slope = 0.0;
    if (a->control == CONTROL_EFFORT) return given;
    if (a->control == CONTROL_GAS) {
        const double volume = fmax(measure, 1e-6 * a->rest);
        if (measure >= volume) *slope = -given * a->gas_energy / (volume * volume);
        return given * a->gas_energy / volume - a->atmosphere;
    }
    const double tension = (given + measure - a->rest) / yield_of(a);
    if (tension <= 0.0 && !a->tendon.pushes) return 0.0;
    *slope = 1.0 / yield_of(a);
    return tension;
}

// What a tendon stretches; a gas above the atmosphere at constant temperature.
double curve_drive_energy(const drive *d, double given, double effort, double measure) {
    const actuator *a = d->a;
    if (a->control == CONTROL_MEASURE) return 0.5 * yield_of(a) * effort * effort;
    if (a->control != CONTROL_GAS) return 0.0;
    const double nRT = given * a->gas_energy;
    if (!(nRT > 0.0) || !(measure > 0.0) || !(a->atmosphere > 0.0)) return a->atmosphere * measure;
    return nRT * log(nRT / (a->atmosphere * measure)) + a->atmosphere * measure - nRT;
}
