// actuation/density.c - length and volume per unit s, and how they answer to the strain.
#include "actuation/actuator.h"

// A path shorter than this per unit s has no direction. Added in squares, it does not show in double
// precision on any other path.
#define COLLAPSED_SQUARE 1e-16

static vec3 path_rate(const route_point *at, vec3 u, vec3 v) {
    return vec3_add(vec3_add(v, vec3_cross(u, at->r)), at->r_s);
}

static density path_length(const route_point *at, vec3 u, vec3 v) {
    vec3 g = path_rate(at, u, v);
    double l = sqrt(vec3_dot(g, g) + COLLAPSED_SQUARE);
    vec3 t = vec3_scale(g, 1.0 / l);
    return (density){l, {vec3_cross(at->r, t), t}};
}

// A e3 . g: linear in the strain.
static density chamber_volume(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    double A = a->area;
    vec3 g = path_rate(at, u, v);
    return (density){A * g.z, {{A * at->r.y, -A * at->r.x, 0.0}, {0.0, 0.0, A}}};
}

density actuator_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    return a->kind == ACTUATOR_TENDON ? path_length(at, u, v) : chamber_volume(a, at, u, v);
}

density actuator_counted(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    if (!a->path_volume) return actuator_density(a, at, u, v);
    density d = path_length(at, u, v);
    return (density){a->area * d.value, vec6_scale(d.slope, a->area)};
}

// With G = [-r^, I] and w = G' t: d w/d(u, v) = G' (I - t t') G/l = (G' G - w w')/l.
void actuator_add_curvature(const actuator *a, const route_point *at, vec3 u, vec3 v,
                            double factor, double *m) {
    if (a->kind != ACTUATOR_TENDON) return;
    density d = path_length(at, u, v);
    double c = factor / d.value, x = at->r.x, y = at->r.y, z = at->r.z;
    const double GG[6][6] = {
        {y * y + z * z, -x * y, -x * z, 0.0, -z, y},
        {-x * y, x * x + z * z, -y * z, z, 0.0, -x},
        {-x * z, -y * z, x * x + y * y, -y, x, 0.0},
        {0.0, z, -y, 1.0, 0.0, 0.0},
        {-z, 0.0, x, 0.0, 1.0, 0.0},
        {y, -x, 0.0, 0.0, 0.0, 1.0},
    };
    double w[6];
    vec6_store(w, d.slope);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) m[6 * i + j] += c * (GG[i][j] - w[i] * w[j]);
}
