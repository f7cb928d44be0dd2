// actuation/stiffener.c - stiffeners: with an effort e the stiffness K of the sections becomes (1 + e) K.
//
// The functional is what they store by K, int x . K x/2 ds, x: strain less that at rest.
#include "actuation/actuator.h"

static density stored_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    double x[6], w[6], value = 0.0;
    (void)at;
    vec3_store(x, u), vec3_store(x + 3, v);
    for (int i = 0; i < 6; i++) x[i] -= a->active_rest[i];
    for (int i = 0; i < 6; i++) {
        w[i] = 0.0;
        for (int k = 0; k < 6; k++) w[i] += a->stiffness[6 * i + k] * x[k];
        value += 0.5 * w[i] * x[i];
    }
    return (density){value, vec6_load(w)};
}

static void add_stiffness(const actuator *a, double factor, double *m) {
    for (int i = 0; i < 36; i++) m[i] += factor * a->stiffness[i];
}

static double effort(const actuator *a, double kelvins, double *slope) {
    return actuator_softening(a, kelvins, slope) - 1.0;
}

static void make(const void *of, arena *block, actuator *a) {
    const td_stiffener_def *def = of;
    const double none[6] = {0.0};
    actuator_take_strains(a, none, def->rest);
    a->sign = 1.0;
    a->stiffness = arena_copy(block, def->stiffness, sizeof def->stiffness);
    if (def->follows) actuator_take_moduli(a, def->follows, block);
    if (def->follows) a->map = effort;
    else a->least = -1.0;
}

const actuator_kind stiffener_kind = {
    .make = make, .density = stored_density, .sections = true, .curvature = add_stiffness};
