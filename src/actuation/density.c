// actuation/density.c - how length and volume per unit s answer to the strain.
#include "actuation/actuator.h"

density actuator_other_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    return a->kind->density(a, at, u, v);
}

density actuator_counted(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    if (!a->path_volume) return actuator_density(a, at, u, v);
    density d = path_density(at, u, v);
    return (density){a->per_length * d.value, vec6_scale(d.slope, a->per_length)};
}

// m[0..5] += c (g - wi w)
static inline void add_row(double *m, double c, double wi, const vec6 *w, vec3 ga, vec3 gl) {
    m[0] += c * (ga.x - wi * w->a.x);
    m[1] += c * (ga.y - wi * w->a.y);
    m[2] += c * (ga.z - wi * w->a.z);
    m[3] += c * (gl.x - wi * w->l.x);
    m[4] += c * (gl.y - wi * w->l.y);
    m[5] += c * (gl.z - wi * w->l.z);
}

// With G = [-r^, I] and w = G' t: d w/d(u, v) = G' (I - t t') G/l = (G' G - w w')/l. r has no z.
void density_add_curvature(const actuator *a, const route_point *at, const density *d,
                           double factor, double *m) {
    if (a->kind->linear) return;
    if (a->kind->curvature) {
        a->kind->curvature(a, factor, m);
        return;
    }
    const vec6 w = d->slope;
    double c = factor / d->value, x = at->r.x, y = at->r.y;
    add_row(m, c, w.a.x, &w, (vec3){y * y, -x * y, 0.0}, (vec3){0.0, 0.0, y});
    add_row(m + 6, c, w.a.y, &w, (vec3){-x * y, x * x, 0.0}, (vec3){0.0, 0.0, -x});
    add_row(m + 12, c, w.a.z, &w, (vec3){0.0, 0.0, x * x + y * y}, (vec3){-y, x, 0.0});
    add_row(m + 18, c, w.l.x, &w, (vec3){0.0, 0.0, -y}, (vec3){1.0, 0.0, 0.0});
    add_row(m + 24, c, w.l.y, &w, (vec3){0.0, 0.0, x}, (vec3){0.0, 1.0, 0.0});
    add_row(m + 30, c, w.l.z, &w, (vec3){y, -x, 0.0}, (vec3){0.0, 0.0, 1.0});
}

void actuator_add_curvature(const actuator *a, const route_point *at, vec3 u, vec3 v, double factor,
                            double *m) {
    density d = actuator_density(a, at, u, v);
    density_add_curvature(a, at, &d, factor, m);
}
