// robot/route.c - see route.h.
#include "robot/route.h"

#include <math.h>

#include "math/interpolate.h"

#define TWO_PI 6.28318530717958647693

static route_point straight(const td_tendon_def *d, double s) {
    double span = d->to - d->from, x = (s - d->from) / span;
    double dx = d->offset_end[0] - d->offset[0], dy = d->offset_end[1] - d->offset[1];
    return (route_point){.r = {d->offset[0] + x * dx, d->offset[1] + x * dy, 0.0},
                         .r_s = {dx / span, dy / span, 0.0}};
}

static route_point helix(const td_tendon_def *d, double s) {
    double rate = TWO_PI * d->turns / (d->to - d->from);
    double angle = d->phase + rate * (s - d->from);
    double x = d->radius * cos(angle), y = d->radius * sin(angle);
    return (route_point){.r = {x, y, 0.0},
                         .r_s = {-rate * y, rate * x, 0.0},
                         .r_ss = {-rate * rate * x, -rate * rate * y, 0.0}};
}

// ---------------------------------------------------------------- through points
static int interval_at(int n, const double *points, double s) {
    int low = 0, high = n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (points[3 * middle] <= s) low = middle;
        else high = middle;
    }
    return low;
}

// From a point to the next.
static double chord(const double *p, int column) {
    return (p[3 + column] - p[column]) / (p[3] - p[0]);
}

// At point i, of the parabola through three of them; held.
static double slope_at(int n, const double *points, int i, int column) {
    const double *p = points + 3 * i;
    if (n == 2) return chord(points, column);
    if (i == 0)
        return monotone_end_slope(p[3] - p[0], p[6] - p[3], chord(p, column), chord(p + 3, column));
    if (i == n - 1)
        return monotone_end_slope(p[0] - p[-3], p[-3] - p[-6], chord(p - 3, column),
                                  chord(p - 6, column));
    return monotone_slope(p[0] - p[-3], p[3] - p[0], chord(p - 3, column), chord(p, column));
}

typedef struct curve {  // one coordinate and its derivatives
    double f, f_s, f_ss;
} curve;

static curve coordinate(const td_tendon_def *d, int i, int column, double s) {
    const double *p = d->points + 3 * i;
    const double ends[4] = {p[column], slope_at(d->n_points, d->points, i, column), p[3 + column],
                            slope_at(d->n_points, d->points, i + 1, column)};
    double w[4], w_s[4], w_ss[4], h = p[3] - p[0];
    hermite_weights(h, s - p[0], w);
    hermite_rate_weights(h, s - p[0], w_s);
    hermite_second_weights(h, s - p[0], w_ss);
    curve c = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++)
        c.f += w[k] * ends[k], c.f_s += w_s[k] * ends[k], c.f_ss += w_ss[k] * ends[k];
    return c;
}

static route_point through_points(const td_tendon_def *d, double s) {
    int i = interval_at(d->n_points, d->points, s);
    curve x = coordinate(d, i, 1, s), y = coordinate(d, i, 2, s);
    return (route_point){{x.f, y.f, 0.0}, {x.f_s, y.f_s, 0.0}, {x.f_ss, y.f_ss, 0.0}};
}

// r = a (cos b, sin b), and its derivatives along the radius and across it.
static route_point through_polar_points(const td_tendon_def *d, double s) {
    int i = interval_at(d->n_points, d->points, s);
    curve a = coordinate(d, i, 1, s), b = coordinate(d, i, 2, s);
    vec3 out = {cos(b.f), sin(b.f), 0.0}, across = {-out.y, out.x, 0.0};
    double along_ss = a.f_ss - a.f * b.f_s * b.f_s, across_ss = 2.0 * a.f_s * b.f_s + a.f * b.f_ss;
    return (route_point){
        vec3_scale(out, a.f),
        vec3_add(vec3_scale(out, a.f_s), vec3_scale(across, a.f * b.f_s)),
        vec3_add(vec3_scale(out, along_ss), vec3_scale(across, across_ss)),
    };
}

route_point tendon_route(const td_tendon_def *d, double s) {
    switch (d->routing) {
    case TD_ROUTING_STRAIGHT: return straight(d, s);
    case TD_ROUTING_HELIX: return helix(d, s);
    case TD_ROUTING_POINTS: return through_points(d, s);
    case TD_ROUTING_POLAR: return through_polar_points(d, s);
    }
    return (route_point){.r = {0.0, 0.0, 0.0}};
}
