// model/constant_curvature/arc.c - robot-independent kinematics of one arc: tendril/arc.h.
#include "tendril/arc.h"

#include <math.h>

#include "math/quat.h"
#include "model/constant_curvature/integrals.h"
#include "math/pi.h"

td_pose td_arc_pose(const td_arc *arc, double x) {
    const double *u = arc->u, t = u[0] * u[0] + u[1] * u[1];
    double c[N_STUMPFF];
    arc_functions(t * x * x, c);
    arc_shape s = arc_shape_at(x, c);
    td_pose pose;
    vec3_store(pose.p,
               vec3_make(arc->length * s.B * u[0], arc->length * s.B * u[1], arc->length * s.A));
    quat_store(pose.q, quat_exp(vec3_make(-x * u[1], x * u[0], 0.0)));
    return pose;
}

void td_arc_polar(const td_arc *arc, double *angle, double *radius, double *direction) {
    *angle = hypot(arc->u[0], arc->u[1]);
    *radius = *angle > 0.0 ? arc->length / *angle : HUGE_VAL;
    *direction = *angle > 0.0 ? atan2(arc->u[1], arc->u[0]) : 0.0;
}

// The chord makes half the angle with z: theta = 2 atan2(d, z), length = |p|
// (theta/2)/sin(theta/2).
td_status td_arc_to_point(const double p[3], td_arc *out) {
    double d = hypot(p[0], p[1]), chord = hypot(d, p[2]);
    if (!isfinite(chord)) return TD_ERR_ARGUMENT;
    if (!(d > 0.0)) {
        if (!(p[2] > 0.0)) return TD_ERR_ARGUMENT;
        *out = (td_arc){{0.0, 0.0}, p[2]};
        return TD_OK;
    }
    double half = atan2(d, p[2]);
    *out = (td_arc){{2.0 * half * p[0] / d, 2.0 * half * p[1] / d}, chord * half * chord / d};
    return TD_OK;
}

double td_arc_tendon(const td_arc *arc, const double offset[2]) {
    return arc->length - offset[0] * arc->u[0] - offset[1] * arc->u[1];
}

// About the mean of the offsets length and bending separate.
td_status td_arc_from_tendons(int n, const double *offsets, const double *lengths, td_arc *out) {
    double mean[3] = {0.0, 0.0, 0.0}, xx = 0.0, xy = 0.0, yy = 0.0, xl = 0.0, yl = 0.0;
    if (n < 3) return TD_ERR_ARGUMENT;
    for (int i = 0; i < n; i++) {
        mean[0] += offsets[2 * i] / n;
        mean[1] += offsets[2 * i + 1] / n;
        mean[2] += lengths[i] / n;
    }
    for (int i = 0; i < n; i++) {
        double x = offsets[2 * i] - mean[0], y = offsets[2 * i + 1] - mean[1];
        double l = mean[2] - lengths[i];
        xx += x * x, xy += x * y, yy += y * y;
        xl += x * l, yl += y * l;
    }
    double det = xx * yy - xy * xy;
    if (!(det > 1e-12 * xx * yy) || !isfinite(xl + yl)) return TD_ERR_ARGUMENT;
    double u = (yy * xl - xy * yl) / det, v = (xx * yl - xy * xl) / det;
    *out = (td_arc){{u, v}, mean[2] + mean[0] * u + mean[1] * v};
    return TD_OK;
}

void td_clarke(int n, const double *values, double out[2]) {
    out[0] = out[1] = 0.0;
    for (int i = 0; i < n; i++) {
        out[0] += 2.0 / n * cos(2.0 * PI * i / n) * values[i];
        out[1] += 2.0 / n * sin(2.0 * PI * i / n) * values[i];
    }
}

void td_clarke_inverse(int n, const double in[2], double *values) {
    for (int i = 0; i < n; i++)
        values[i] = cos(2.0 * PI * i / n) * in[0] + sin(2.0 * PI * i / n) * in[1];
}
