// model/rom/drives.c - tendons, push-pull rods and chambers along the places of the rule.
//
// A drive that does not give way, a tendon that does not stretch or a given volume, has the effort
// held + gap/yield with a small yield, and `held` is its effort in the last equilibrium: at rest
// nothing gives way, and in motion as much as the effort has changed since. (A `held` that followed
// from step to step would sum the gap up, T' = gap/(yield h), which is unstable.)
#include <math.h>

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

double curve_drive_measure(const curve *c, const drive *d, const stretched *x,
                           const place_motion *moved) {
    double sum = 0.0;
    for (int i = d->first; i < d->end; i++)
        sum += c->sections[i].weight * curve_drive_counted(d, x, i, &moved[i]).value;
    return sum;
}

double curve_drive_effort(const drive *d, const drive_input *x, double measure, double *slope) {
    const actuator *a = d->a;
    *slope = 0.0;
    if (a->control == CONTROL_EFFORT) return x->given;
    if (a->control == CONTROL_GAS) {
        const double volume = fmax(measure, 1e-6 * a->rest), nRT = x->given * a->gas_energy;
        if (measure >= volume) *slope = -nRT / (volume * volume);
        return nRT / volume - a->atmosphere;
    }
    const double stiff = (d->rigid ? x->tight : 1.0) / d->yield, held = d->rigid ? x->held : 0.0;
    *slope = a->sign * stiff;
    const double effort = held + a->sign * (measure - actuator_asked(a, x->given)) * stiff;
    if (!actuator_is_slack(a, effort)) return effort;
    *slope = 0.0;
    return 0.0;
}

// What a tendon stretches; a gas above the atmosphere at constant temperature.
double curve_drive_energy(const drive *d, double given, double effort, double measure) {
    return d->rigid ? 0.0 : actuator_energy(d->a, given, effort, measure);
}
