// papers/orekhov2020/elastica.c - see elastica.h.
#include "elastica.h"

#include <math.h>

enum { INTERVALS = 2000 };  // Simpson's rule: its error is round-off

// With theta = tip (1 - t^2) the root at the tip is gone:
// theta'^2 = 2F/EI g,  g = sin tip - sin theta + ratio (cos tip - cos theta),  d theta/sqrt(g)
static double density(double tip, double ratio, double t) {
    double delta = tip * t * t, mid = tip - 0.5 * delta;
    double half_sine = delta > 0.0 ? sin(0.5 * delta) / (0.5 * delta) : 1.0;
    double g = half_sine * (cos(mid) - ratio * sin(mid));  // over delta
    return 2.0 * tip / sqrt(tip * g);
}

elastica elastica_of(double tip_angle, double ratio) {
    double length = 0.0, y = 0.0, z = 0.0;  // in sqrt(EI/2F)
    for (int i = 0; i <= INTERVALS; i++) {
        double t = (double)i / INTERVALS, theta = tip_angle * (1.0 - t * t);
        double weight = i == 0 || i == INTERVALS ? 1.0 : i % 2 ? 4.0 : 2.0;
        double ds = weight / (3.0 * INTERVALS) * density(tip_angle, ratio, t);
        length += ds;
        y += ds * sin(theta);
        z += ds * cos(theta);
    }
    return (elastica){0.5 * length * length, y / length, z / length};
}
