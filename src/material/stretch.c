// material/stretch.c - see stretch.h.
#include "material/stretch.h"
#include "math/pi.h"

#include <math.h>

#define SLIVER 1e-3  // a section or a chamber is never less than this of what it was

double mean_stretch_within(double stretch) {
    return fmin(fmax(stretch, LEAST_MEAN_STRETCH), 1.0 / LEAST_MEAN_STRETCH);
}

double chamber_swell(double braid_angle, double stretch) {
    const double c = stretch * cos(braid_angle), s = sin(braid_angle);
    return fmax((1.0 - c * c) / (s * s), SLIVER);
}

void holes_add(section_holes *h, double area, double x, double y, double stretch) {
    const double own = area * area / (4.0 * PI);
    h->area += area;
    h->xx += own + area * y * y / stretch;
    h->yy += own + area * x * x / stretch;
    h->polar += 2.0 * own + area * (x * x + y * y) / stretch;
}

// modulus (solid/l^power - holes)/l over what it is at rest.
static double share_left(double stiffness, double modulus, double rest, double now, double stretch,
                         double power) {
    const double solid = stiffness / modulus + rest;
    const double left = (solid / pow(stretch, power) - now) / stretch;
    return fmax(left * modulus / stiffness, SLIVER);
}

void stretch_stiffness(const double K[6], double youngs_modulus, double shear_modulus,
                       const section_holes *rest, const section_holes *now, double stretch,
                       double out[6]) {
    const double E = youngs_modulus, G = shear_modulus;
    const double area = share_left(K[5], E, rest->area, now->area, stretch, 1.0);
    out[0] = K[0] * share_left(K[0], E, rest->xx, now->xx, stretch, 2.0);
    out[1] = K[1] * share_left(K[1], E, rest->yy, now->yy, stretch, 2.0);
    out[2] = K[2] * share_left(K[2], G, rest->polar, now->polar, stretch, 2.0);
    for (int k = 3; k < 6; k++) out[k] = K[k] * area;
}
