// material/flag.c - see flag.h.
#include "material/flag.h"

#include <math.h>

#define ON_LINE 1e-9  // of the stress where martensite begins

typedef struct line {  // stress = start + rise z
    double start, rise;
} line;

typedef struct alloy {
    double give, more;  // 1/A, 1/M - 1/A
    double strain;      // L
    line forward, backward;
} alloy;

static double stress_on(line l, double z) {
    return l.start + l.rise * z;
}

static double given_way(const alloy *a, double z) {
    return a->give + a->more * z;
}

// z at a strain on a line: a quadratic whose root of interest is the one that is 0 at its start.
static double fraction_on(const alloy *a, line l, double strain) {
    const double A = a->more * l.rise, B = l.rise * a->give + a->more * l.start + a->strain,
                 C = l.start * a->give - strain;
    return -2.0 * C / (B + sqrt(fmax(B * B - 4.0 * A * C, 0.0)));
}

// d strain/dz along it.
static double widening(const alloy *a, line l, double z) {
    return l.rise * given_way(a, z) + a->more * stress_on(l, z) + a->strain;
}

// Y, and its integral from 0 to z.
static double taking(const alloy *a, line l, double z) {
    const double s = stress_on(l, z);
    return 0.5 * a->more * s * s + a->strain * s;
}

static double taken(const alloy *a, line l, double z) {
    const double squares = l.start * l.start + l.start * l.rise * z + l.rise * l.rise * z * z / 3.0;
    return z * (0.5 * a->more * squares + a->strain * (l.start + 0.5 * l.rise * z));
}

static alloy alloy_of(const td_superelastic *a, double austenite) {
    return (alloy){.give = 1.0 / austenite,
                   .more = 1.0 / a->martensite_modulus - 1.0 / austenite,
                   .strain = a->strain,
                   .forward = {a->forward[0], a->forward[1] - a->forward[0]},
                   .backward = {a->backward[1], a->backward[0] - a->backward[1]}};
}

// By strains that are positive.
static flag_state pulled(const alloy *a, double strain, double z) {
    double stress = (strain - a->strain * z) / given_way(a, z), slope = 1.0 / given_way(a, z);
    const line *on = NULL;
    if (stress > stress_on(a->forward, z) && z < 1.0) on = &a->forward;
    else if (stress < stress_on(a->backward, z) && z > 0.0) on = &a->backward;
    if (on) {
        z = fmin(fmax(fraction_on(a, *on, strain), 0.0), 1.0);
        const bool ended = on == &a->forward ? z == 1.0 : z == 0.0;
        stress = ended ? (strain - a->strain * z) / given_way(a, z) : stress_on(*on, z);
        slope = ended ? 1.0 / given_way(a, z) : on->rise / widening(a, *on, z);
    }
    const double loop = 0.5 * (taking(a, a->forward, z) - taking(a, a->backward, z));
    const double near = ON_LINE * a->forward.start;
    const bool forth = z < 1.0 && fabs(stress - stress_on(a->forward, z)) <= near,
               back = z > 0.0 && fabs(stress - stress_on(a->backward, z)) <= near;
    return (flag_state){.stress = stress,
                        .slope = slope,
                        .fraction = z,
                        .energy = 0.5 * stress * stress * given_way(a, z) +
                                  0.5 * (taken(a, a->forward, z) + taken(a, a->backward, z)),
                        .taken = forth ? loop / widening(a, a->forward, z) : 0.0,
                        .given = back ? loop / widening(a, a->backward, z) : 0.0};
}

flag_state flag_at(const td_superelastic *given, double austenite, double strain, double before) {
    const alloy a = alloy_of(given, austenite);
    const double sign = strain < 0.0 ? -1.0 : 1.0;
    flag_state out = pulled(&a, fabs(strain), fmax(sign * before, 0.0));
    out.stress *= sign, out.fraction *= sign;
    return out;
}
