// actuation/temperature.c - temperatures of rods: they change the strain of a rod at rest, and its moduli.
//
// With K the stiffness of its sections at rest, k = E(T)/E(rest), c what a kelvin adds to their strain at rest and
// t = T - T(rest)
//
//     k K (x - t c) = K x - k t K c + (k - 1) K x        x: strain less that at rest
//
// so that it is two efforts: k t, of a muscle, on int (K c) . x ds, which it lets grow, and k - 1, of a stiffener
// (stiffener.c), on int x . K x/2 ds.
#include "actuation/actuator.h"

// E(T)/E(rest) of the table, and its slope: at a row that of what is warmer.
static double modulus_at(const actuator *a, double kelvins, double *slope) {
    const double *row = a->moduli;
    int i = 0;
    *slope = 0.0;
    while (i < a->n_moduli && row[2 * i] <= kelvins) i++;
    if (i == 0) return row[1];
    if (i == a->n_moduli) return row[2 * i - 1];
    const double *from = row + 2 * (i - 1), *to = row + 2 * i;
    *slope = (to[1] - from[1]) / (to[0] - from[0]);
    return from[1] + *slope * (kelvins - from[0]);
}

double actuator_softening(const actuator *a, double kelvins, double *slope) {
    double unused;
    const double rest = modulus_at(a, a->at_rest, &unused), now = modulus_at(a, kelvins, slope);
    *slope /= rest;
    return now / rest;
}

void actuator_take_moduli(actuator *a, const td_temperature_def *def, arena *block) {
    a->at_rest = def->at_rest;
    a->n_moduli = def->n_moduli;
    a->moduli = arena_copy(block, def->moduli, 2 * sizeof *def->moduli * (size_t)def->n_moduli);
}

static double effort(const actuator *a, double kelvins, double *slope) {
    const double warming = kelvins - a->at_rest, k = actuator_softening(a, kelvins, slope);
    *slope = k + *slope * warming;
    return k * warming;
}

static void make(const void *of, arena *block, actuator *a) {
    const td_temperature_def *def = of;
    actuator_take_strains(a, def->wrench, def->rest);
    if (def->n_moduli) {
        actuator_take_moduli(a, def, block);
        a->map = effort;
    } else {
        a->at_rest = a->below = def->at_rest;
        a->value.value -= def->at_rest;
    }
}

const actuator_kind temperature_kind = {
    .make = make, .density = actuator_strain_density, .linear = true, .sections = true};
