// robot/distance_grid.c - see distance_grid.h. Near the surface the distance is that from the nearest triangle; farther
// away each point tries the triangles of its neighbours, sweep by sweep. A point is inside where a ray
// along x meets the surface an odd number of times before it.
#include "robot/distance_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 4.0
#define BAND 2  // cells around a triangle in which it is tried at every point

static vec3 corner(const triangle_soup *t, int triangle, int k) {
    return vec3_load(t->corners + 4 * (3 * (size_t)triangle + (size_t)k));
}

void distance_grid_size(const triangle_soup *t, double h, double n[3], double origin[3]) {
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 3 * (size_t)t->n; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], t->corners[4 * i + (size_t)k]);
            hi[k] = fmax(hi[k], t->corners[4 * i + (size_t)k]);
        }
    const double side = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    const double margin = MARGIN * h + 0.125 * side;
    // points shall not lie in planes that corners like to lie in
    const double aside[3] = {0.3819660113 * h, 0.4142135624 * h, 0.2360679775 * h};
    for (int k = 0; k < 3; k++) {
        origin[k] = lo[k] - margin - aside[k];
        n[k] = 2.0 + floor((hi[k] + margin - origin[k]) / h);
    }
}

// ---------------------------------------------------------------- a triangle
// Square of the distance of p from the segment a b.
static double from_segment(vec3 p, vec3 a, vec3 b) {
    const vec3 ab = vec3_sub(b, a), ap = vec3_sub(p, a);
    const double l2 = vec3_dot(ab, ab);
    const double t = l2 > 0.0 ? fmax(0.0, fmin(1.0, vec3_dot(ap, ab) / l2)) : 0.0;
    const vec3 x = vec3_madd(ap, -t, ab);
    return vec3_dot(x, x);
}

// The same from a triangle: from its plane where p is above it, else from its nearest edge.
static double from_triangle(const triangle_soup *t, int triangle, vec3 p) {
    const vec3 c[3] = {corner(t, triangle, 0), corner(t, triangle, 1), corner(t, triangle, 2)};
    const vec3 n = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    const double n2 = vec3_dot(n, n);
    bool above = n2 > 0.0;
    double least = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const vec3 a = c[k], b = c[(k + 1) % 3];
        if (vec3_dot(vec3_cross(n, vec3_sub(b, a)), vec3_sub(p, a)) >= 0.0) continue;
        above = false;
        least = fmin(least, from_segment(p, a, b));
    }
    if (above) {
        const double d = vec3_dot(vec3_sub(p, c[0]), n);
        return d * d / n2;
    }
    if (least < HUGE_VAL) return least;
    for (int k = 0; k < 3; k++) least = fmin(least, from_segment(p, c[k], c[(k + 1) % 3]));
    return least;  // of a triangle without area
}

// ---------------------------------------------------------------- distances
typedef struct work {
    const triangle_soup *t;
    spline_grid *g;
    int *nearest;  // triangle of each point, -1: none yet
    unsigned char *crossings;
} work;

static size_t index_of(const spline_grid *g, int i, int j, int k) {
    return ((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i;
}

static vec3 place_of(const spline_grid *g, int i, int j, int k) {
    return vec3_make(g->origin.x + i * g->h[0], g->origin.y + j * g->h[1],
                     g->origin.z + k * g->h[2]);
}

static void try_triangle(const work *w, int i, int j, int k, int triangle) {
    const size_t at = index_of(w->g, i, j, k);
    if (triangle < 0 || triangle == w->nearest[at]) return;
    const double d2 = from_triangle(w->t, triangle, place_of(w->g, i, j, k));
    if (d2 < w->g->c[at]) w->g->c[at] = d2, w->nearest[at] = triangle;
}

// The points around a triangle, by so many cells.
static void points_around(const work *w, int triangle, int cells, int lo[3], int hi[3]) {
    const double from[3] = {w->g->origin.x, w->g->origin.y, w->g->origin.z};
    for (int k = 0; k < 3; k++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int c = 0; c < 3; c++) {
            const double x = w->t->corners[4 * (3 * (size_t)triangle + (size_t)c) + (size_t)k];
            least = fmin(least, x), most = fmax(most, x);
        }
        lo[k] = (int)fmax(0.0, floor((least - from[k]) / w->g->h[k]) - cells);
        hi[k] = (int)fmin(w->g->n[k] - 1.0, ceil((most - from[k]) / w->g->h[k]) + cells);
    }
}

static void fill_band(const work *w) {
    int lo[3], hi[3];
    for (int t = 0; t < w->t->n; t++) {
        points_around(w, t, BAND, lo, hi);
        for (int k = lo[2]; k <= hi[2]; k++)
            for (int j = lo[1]; j <= hi[1]; j++)
                for (int i = lo[0]; i <= hi[0]; i++) try_triangle(w, i, j, k, t);
    }
}

// Each point tries what those before it in this direction have.
static void sweep(const work *w, const int step[3]) {
    const int *n = w->g->n;
    for (int c = 1; c < n[2]; c++)
        for (int b = 1; b < n[1]; b++)
            for (int a = 1; a < n[0]; a++) {
                const int i = step[0] > 0 ? a : n[0] - 1 - a, j = step[1] > 0 ? b : n[1] - 1 - b,
                          k = step[2] > 0 ? c : n[2] - 1 - c;
                for (int near = 1; near < 8; near++)
                    try_triangle(w, i, j, k,
                                 w->nearest[index_of(w->g, i - (near & 1 ? step[0] : 0),
                                                     j - (near & 2 ? step[1] : 0),
                                                     k - (near & 4 ? step[2] : 0))]);
            }
}

// ---------------------------------------------------------------- inside or outside
// Is p to the left of the line from a to b, in y and z? Exactly the other way round from b to a, so that
// a ray meets one of two triangles that share an edge.
static bool is_left(vec3 a, vec3 b, double y, double z) {
    const bool turned = a.y > b.y || (a.y == b.y && a.z > b.z);
    const vec3 from = turned ? b : a, to = turned ? a : b;
    const double side = (to.y - from.y) * (z - from.z) - (to.z - from.z) * (y - from.y);
    return (side >= 0.0) != turned;
}

static void cross_rays(const work *w, int triangle) {
    const vec3 a = corner(w->t, triangle, 0), b = corner(w->t, triangle, 1),
               c = corner(w->t, triangle, 2);
    const vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    int lo[3], hi[3];
    points_around(w, triangle, 0, lo, hi);
    for (int k = lo[2]; k <= hi[2] && n.x != 0.0; k++)
        for (int j = lo[1]; j <= hi[1]; j++) {
            const vec3 p = place_of(w->g, 0, j, k);
            const bool left = is_left(a, b, p.y, p.z);
            if (is_left(b, c, p.y, p.z) != left || is_left(c, a, p.y, p.z) != left) continue;
            const double x = a.x - (n.y * (p.y - a.y) + n.z * (p.z - a.z)) / n.x;
            const double i = ceil((x - p.x) / w->g->h[0]);
            if (i < w->g->n[0]) w->crossings[index_of(w->g, (int)fmax(0.0, i), j, k)] ^= 1;
        }
}

static void set_signs(const work *w) {
    const int *n = w->g->n;
    for (int t = 0; t < w->t->n; t++) cross_rays(w, t);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++) {
            unsigned char inside = 0;
            for (int i = 0; i < n[0]; i++) {
                const size_t at = index_of(w->g, i, j, k);
                inside ^= w->crossings[at];
                w->g->c[at] = inside ? -sqrt(w->g->c[at]) : sqrt(w->g->c[at]);
            }
        }
}

// ---------------------------------------------------------------- all of it
static bool fill(const triangle_soup *t, spline_grid *g) {
    const size_t points = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    const work w = {t, g, malloc(sizeof(int) * points), calloc(points, 1)};
    if (w.nearest && w.crossings) {
        memset(w.nearest, -1, sizeof(int) * points);
        for (size_t i = 0; i < points; i++) g->c[i] = HUGE_VAL;
        fill_band(&w);
        for (int s = 0; s < 16; s++)
            sweep(&w, (const int[]){s & 1 ? -1 : 1, s & 2 ? -1 : 1, s & 4 ? -1 : 1});
        set_signs(&w);
    }
    const bool ok = w.nearest && w.crossings;
    free(w.nearest);
    free(w.crossings);
    return ok;
}

spline_grid *distance_grid_create(const triangle_soup *t, double h) {
    double n[3], origin[3];
    distance_grid_size(t, h, n, origin);
    const int counts[3] = {(int)n[0], (int)n[1], (int)n[2]};
    spline_grid *g = spline_grid_create(counts, (const double[]){h, h, h}, vec3_load(origin));
    if (!g) return NULL;
    if (!fill(t, g)) {
        spline_grid_release(g);
        return NULL;
    }
    spline_grid_fit(g);
    return g;
}
