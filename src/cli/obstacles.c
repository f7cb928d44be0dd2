// cli/obstacles.c - see obstacles.h.
#include "cli/obstacles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST 0.25  // of the robot's size, on each side

// ---------------------------------------------------------------- room
static double extent_of(const double lo[3], const double hi[3]) {
    return fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
}

// Flat pictures cut off what is too long; in a view from a corner nothing else would.
surface_cut cut_around(const projection *v, const double lo[3], const double hi[3]) {
    surface_cut cut = {.radius = (v->corner ? 0.5 : 3.0) * extent_of(lo, hi), .near = true};
    for (int k = 0; k < 3; k++) cut.middle[k] = 0.5 * (lo[k] + hi[k]);
    return cut;
}

void widen_for_obstacles(const result *r, instant at, double lo[3], double hi[3]) {
    const double most = WIDEST * extent_of(lo, hi), from[3] = {lo[0], lo[1], lo[2]};
    const double to[3] = {hi[0], hi[1], hi[2]};
    const surface_cut cut = {.radius = 0.0};
    mesh m = {0};
    bool ok = true;
    for (int i = 0; i < r->n_obstacles && ok; i++) {
        const td_obstacle_def *shape = r->obstacles[i].shape;
        if (shape && !surface_is_endless(shape)) ok = mesh_add_obstacle(&m, r, i, at, &cut);
    }
    for (int i = 0; i < 3 * m.n_points; i++) {
        const int k = i % 3;
        lo[k] = fmin(lo[k], fmax(m.points[i], from[k] - most));
        hi[k] = fmax(hi[k], fmin(m.points[i], to[k] + most));
    }
    mesh_free(&m);
}

// ---------------------------------------------------------------- outlines
typedef struct edge {
    int a, b;  // a < b
    bool facing;
} edge;

static int by_ends(const void *x, const void *y) {
    const edge *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static bool is_facing(const mesh *m, int from, int to, const projection *v) {
    double twice_area = 0.0, a[2], b[2];
    for (int i = from; i < to; i++) {
        view_project(v, m->points + 3 * m->corners[i], a);
        view_project(v, m->points + 3 * m->corners[i + 1 < to ? i + 1 : from], b);
        twice_area += a[0] * b[1] - a[1] * b[0];
    }
    return twice_area > 0.0;
}

static int edges_of(const mesh *m, const projection *v, edge *out) {
    int n = 0;
    for (int f = 0; f < m->n_faces; f++) {
        const int from = f ? m->ends[f - 1] : 0, to = m->ends[f];
        const bool facing = is_facing(m, from, to, v);
        for (int i = from; i < to; i++) {
            const int a = m->corners[i], b = m->corners[i + 1 < to ? i + 1 : from];
            out[n++] = (edge){a < b ? a : b, a < b ? b : a, facing};
        }
    }
    qsort(out, (size_t)n, sizeof *out, by_ends);
    return n;
}

static void put_line(FILE *script, const mesh *m, const edge *e, const projection *v,
                     double factor) {
    double a[2], b[2];
    view_project(v, m->points + 3 * e->a, a);
    view_project(v, m->points + 3 * e->b, b);
    fprintf(script, "%.7g %.7g\n%.7g %.7g\n\n", factor * a[0], factor * a[1], factor * b[0],
            factor * b[1]);
}

// Lines "x y" in the unit of the axes, a blank line after each: edges of surfaces, and where they turn away
// from the eye.
static void put_outlines(FILE *script, const mesh *m, const projection *v, double factor) {
    if (m->n_faces == 0) return;
    edge *edges = malloc(sizeof *edges * (size_t)m->ends[m->n_faces - 1]);
    const int n = edges ? edges_of(m, v, edges) : 0;
    for (int i = 0; i < n; i++) {
        const edge *e = &edges[i];
        const bool shared = i + 1 < n && by_ends(e, e + 1) == 0;
        if (!shared || e->facing != e[1].facing) put_line(script, m, e, v, factor);
        i += shared;
    }
    free(edges);
}

// ---------------------------------------------------------------- of a result
static bool has_moved(const result_obstacle *o, instant at, instant before) {
    const double *p = o->position, *q = o->orientation;
    return memcmp(p + 3L * at.record, p + 3L * before.record, 3 * sizeof *p) != 0 ||
           memcmp(q + 4L * at.record, q + 4L * before.record, 4 * sizeof *q) != 0;
}

void put_obstacles(FILE *script, const result *r, instant at, const instant *before,
                   const projection *v, const surface_cut *cut, double factor) {
    mesh m = {0};
    bool ok = true;
    for (int i = 0; i < r->n_obstacles && ok; i++) {
        if (before && !has_moved(&r->obstacles[i], at, *before)) continue;
        ok = mesh_add_obstacle(&m, r, i, at, cut);
        if (ok) put_outlines(script, &m, v, factor);
        mesh_clear(&m);
    }
    mesh_free(&m);
}
