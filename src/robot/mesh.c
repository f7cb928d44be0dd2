// robot/mesh.c - obstacles that are given by numbers on a grid: meshes of triangles and heights.
#include "robot/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/distance_grid.h"
#include "robot/obstacles.h"
#include "robot/rules.h"

#define MOST_TRIANGLES 200000
#define MOST_GRID_POINTS 4e6
#define CELLS 40.0  // of the largest side, where no resolution is given

static triangle_soup soup_of(const td_obstacle_def *def) {
    return (triangle_soup){def->points, def->n_points / 3};
}

static double resolution_of(const td_obstacle_def *def) {
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double side = 0.0;
    for (int i = 0; i < def->n_points; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], def->points[4 * i + k]);
            hi[k] = fmax(hi[k], def->points[4 * i + k]);
        }
    for (int k = 0; k < 3; k++) side = fmax(side, hi[k] - lo[k]);
    return def->resolution > 0.0 ? def->resolution : side / CELLS;
}

static td_status points_rule(const char *owner, const char *shape, const td_obstacle_def *def,
                             td_error *err) {
    char group[64];
    td_status status = TD_OK;
    for (int i = 0; i < def->n_points && !status; i++) {
        snprintf(group, sizeof group, "%s.points.%d", shape, i);
        status = finite_values(owner, group, def->points + 4 * i, 3, "m", err);
    }
    return status;
}

// ---------------------------------------------------------------- meshes
typedef struct edge {
    double ends[2][3];  // the lesser first
    int along;          // 1: its triangle goes from the first to the second; -1: back
} edge;

static int compare_points(const double *a, const double *b) {
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_edges(const void *a, const void *b) {
    const edge *x = a, *y = b;
    const int first = compare_points(x->ends[0], y->ends[0]);
    return first ? first : compare_points(x->ends[1], y->ends[1]);
}

static edge edge_between(const double *a, const double *b) {
    const bool along = compare_points(a, b) < 0;
    edge e = {.along = along ? 1 : -1};
    memcpy(e.ends[0], along ? a : b, sizeof e.ends[0]);
    memcpy(e.ends[1], along ? b : a, sizeof e.ends[1]);
    return e;
}

// Every edge is gone along as often as back.
static td_status closed_rule(const char *where, const td_obstacle_def *def, td_error *err) {
    const size_t n = (size_t)def->n_points;
    edge *edges = malloc(sizeof *edges * n);
    if (!edges) return error_set(err, TD_ERR_MEMORY, where, "out of memory");
    for (size_t i = 0; i < n; i++)
        edges[i] =
            edge_between(def->points + 4 * i, def->points + 4 * (i % 3 == 2 ? i - 2 : i + 1));
    qsort(edges, n, sizeof *edges, compare_edges);
    td_status status = TD_OK;
    for (size_t i = 0, next; i < n && !status; i = next) {
        int balance = 0;
        for (next = i; next < n && !compare_edges(&edges[i], &edges[next]); next++)
            balance += edges[next].along;
        const double *a = edges[i].ends[0], *b = edges[i].ends[1];
        if (balance == 0 || compare_points(a, b) == 0) continue;
        status = error_set(err, TD_ERR_VALUE, where,
                           "the mesh is open, or its triangles do not turn the same way: the edge "
                           "from [%g, %g, %g] to [%g, %g, %g] has %zu triangle%s; a solid has two "
                           "at every edge",
                           a[0], a[1], a[2], b[0], b[1], b[2], next - i, next - i == 1 ? "" : "s");
    }
    free(edges);
    return status;
}

td_status mesh_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    char where[OWNER_SIZE + 32];
    snprintf(where, sizeof where, "%s.mesh", owner);
    if (!def->points || def->n_points < 12 || def->n_points % 3)
        return error_set(err, TD_ERR_VALUE, where,
                         "%d corners: a mesh has three for each triangle, of which a solid has 4 "
                         "or more",
                         def->points ? def->n_points : 0);
    if (def->n_points / 3 > MOST_TRIANGLES)
        return error_set(err, TD_ERR_VALUE, where,
                         "%d triangles are more than %d: reduce the mesh, whose distances are "
                         "taken from a grid anyway",
                         def->n_points / 3, MOST_TRIANGLES);
    td_status status = points_rule(owner, "mesh", def, err);
    if (!status)
        status = not_negative((place){owner, "mesh", "resolution"}, def->resolution, "m", err);
    if (!status) status = closed_rule(where, def, err);
    if (status) return status;
    const triangle_soup t = soup_of(def);
    double n[3], origin[3];
    const double h = resolution_of(def);
    if (!(h > 0.0)) return error_set(err, TD_ERR_VALUE, where, "all its corners are one point");
    distance_grid_size(&t, h, n, origin);
    if (n[0] * n[1] * n[2] <= MOST_GRID_POINTS) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where,
                     "a resolution of %g m makes a grid of %.3g x %.3g x %.3g points; at most "
                     "%.0g are kept: try %.2g m",
                     h, n[0], n[1], n[2], MOST_GRID_POINTS,
                     h * cbrt(n[0] * n[1] * n[2] / MOST_GRID_POINTS));
}

// ---------------------------------------------------------------- heights
// Points of one row, which have the same y.
static int columns_of(const td_obstacle_def *def) {
    int n = 1;
    while (n < def->n_points && def->points[4 * n + 1] == def->points[1]) n++;
    return n;
}

static double step_of(const td_obstacle_def *def, int axis) {
    const int n = columns_of(def), last = axis == 0 ? n - 1 : def->n_points - n;
    const int cells = axis == 0 ? n - 1 : def->n_points / n - 1;
    return (def->points[4 * last + axis] - def->points[axis]) / cells;
}

td_status heightfield_rule(const char *owner, const td_obstacle_def *def, td_error *err) {
    char where[OWNER_SIZE + 32];
    snprintf(where, sizeof where, "%s.heightfield", owner);
    if (!def->points || def->n_points < 4 || def->n_points > MOST_GRID_POINTS)
        return error_set(err, TD_ERR_VALUE, where, "%d heights: there are 4 to %.0g",
                         def->points ? def->n_points : 0, MOST_GRID_POINTS);
    td_status status = points_rule(owner, "heightfield", def, err);
    if (status) return status;
    const int n = columns_of(def), rows = def->n_points / n;
    if (n < 2 || rows < 2 || def->n_points % n)
        return error_set(err, TD_ERR_VALUE, where,
                         "%d points in rows of %d: a table has two or more rows, all of the same "
                         "length of two or more",
                         def->n_points, n);
    const double h[2] = {step_of(def, 0), step_of(def, 1)};
    if (!(h[0] > 0.0 && h[1] > 0.0))
        return error_set(err, TD_ERR_VALUE, where, "x and y must grow, but change by %g and %g m",
                         h[0], h[1]);
    for (int i = 0; i < def->n_points; i++) {
        const double x = def->points[0] + (i % n) * h[0], y = def->points[1] + (i / n) * h[1];
        const double *p = def->points + 4 * i;
        if (fabs(p[0] - x) <= 1e-6 * h[0] && fabs(p[1] - y) <= 1e-6 * h[1]) continue;
        return error_set(err, TD_ERR_VALUE, where,
                         "point %d is at [%g, %g] and not at [%g, %g]: the table is not regular", i,
                         p[0], p[1], x, y);
    }
    return TD_OK;
}

static spline_grid *heights_of(const td_obstacle_def *def) {
    const int n[3] = {columns_of(def), def->n_points / columns_of(def), 1};
    const double h[3] = {step_of(def, 0), step_of(def, 1), 1.0};
    spline_grid *g = spline_grid_create(n, h, vec3_make(def->points[0], def->points[1], 0.0));
    if (!g) return NULL;
    for (int i = 0; i < def->n_points; i++) g->c[i] = def->points[4 * i + 2];
    spline_grid_fit(g);
    return g;
}

// ---------------------------------------------------------------- both
spline_grid *obstacle_grid(const td_obstacle_def *def) {
    const triangle_soup t = soup_of(def);
    if (def->shape == TD_OBSTACLE_HEIGHTFIELD) return heights_of(def);
    return distance_grid_create(&t, resolution_of(def));
}
