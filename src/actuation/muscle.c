// actuation/muscle.c - muscles: they change the curvature and stretch of a rod at rest.
//
// With K the stiffness of its sections and c what an activation of 1 adds to their strain at rest,
//
//     K (x - a c) = K x - a K c        x: strain less that at rest,  a: activation
//
// so that it is an effort a on the functional int (K c) . x ds, which it lets grow.
#include "actuation/actuator.h"

density actuator_strain_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    const vec6 slope = vec6_load(a->active), rest = vec6_load(a->active_rest);
    (void)at;
    return (density){
        vec3_dot(slope.a, vec3_sub(u, rest.a)) + vec3_dot(slope.l, vec3_sub(v, rest.l)), slope};
}

void actuator_take_strains(actuator *a, const double wrench[6], const double rest[6]) {
    a->sign = -1.0;
    a->path = (td_tendon_def){.routing = TD_ROUTING_STRAIGHT};
    a->per_length = 1.0;
    a->least = -HUGE_VAL;
    for (int i = 0; i < 6; i++) a->active[i] = wrench[i], a->active_rest[i] = rest[i];
}

static void make(const void *of, arena *block, actuator *a) {
    const td_muscle_def *def = of;
    (void)block;
    actuator_take_strains(a, def->wrench, def->rest);
}

const actuator_kind muscle_kind = {
    .make = make, .density = actuator_strain_density, .linear = true, .sections = true};
