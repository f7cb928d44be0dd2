// io/mesh.c - see mesh.h.
#include "io/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/pi.h"

// ---------------------------------------------------------------- an instant
instant instant_at(const result *r, double t) {
    int last = r->n_times - 1;
    if (!(t > r->time[0])) return instant_of(0);
    if (t >= r->time[last]) return instant_of(last);
    int lo = 0, hi = last;
    while (hi - lo > 1) {
        int middle = (lo + hi) / 2;
        if (r->time[middle] <= t) lo = middle;
        else hi = middle;
    }
    return (instant){lo, (t - r->time[lo]) / (r->time[hi] - r->time[lo])};
}

void between_records(const double *values, long width, instant at, double *out) {
    const double *a = values + width * at.record, *b = at.share > 0 ? a + width : a;
    for (long i = 0; i < width; i++) out[i] = a[i] + at.share * (b[i] - a[i]);
}

static void between_two(const double a[4], const double b[4], double share, double out[4]) {
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], size = 0.0;
    for (int k = 0; k < 4; k++) {
        out[k] = (1 - share) * a[k] + share * (dot < 0 ? -b[k] : b[k]);
        size += out[k] * out[k];
    }
    for (int k = 0; k < 4; k++) out[k] /= sqrt(size > 0 ? size : 1.0);
}

void between_turns(const double *values, long n, instant at, double *out) {
    const double *a = values + 4 * n * at.record, *b = at.share > 0 ? a + 4 * n : a;
    for (long i = 0; i < n; i++) between_two(a + 4 * i, b + 4 * i, at.share, out + 4 * i);
}

// ---------------------------------------------------------------- memory
void mesh_clear(mesh *m) {
    m->n_points = m->n_faces = 0;
}

void mesh_free(mesh *m) {
    free(m->points);
    free(m->corners);
    free(m->ends);
    *m = (mesh){0};
}

static int n_corners(const mesh *m) {
    return m->n_faces ? m->ends[m->n_faces - 1] : 0;
}

static bool grow(void **list, int *room, int wanted, size_t size) {
    if (wanted <= *room) return true;
    int larger = 2 * wanted;
    void *new = realloc(*list, (size_t)larger * size);
    if (!new) return false;
    *list = new;
    *room = larger;
    return true;
}

bool mesh_reserve(mesh *m, int points, int corners, int faces) {
    void *p = m->points, *c = m->corners, *e = m->ends;
    bool ok = grow(&p, &m->room_points, m->n_points + points, 3 * sizeof(double));
    m->points = p;
    ok = ok && grow(&c, &m->room_corners, n_corners(m) + corners, sizeof(int));
    m->corners = c;
    ok = ok && grow(&e, &m->room_faces, m->n_faces + faces, sizeof(int));
    m->ends = e;
    return ok;
}

void mesh_add_point(mesh *m, const double p[3]) {
    memcpy(m->points + 3 * m->n_points++, p, 3 * sizeof *p);
}

void mesh_add_face(mesh *m, const int *corners, int n) {
    int start = n_corners(m);
    memcpy(m->corners + start, corners, sizeof *corners * (size_t)n);
    m->ends[m->n_faces++] = start + n;
}

// ---------------------------------------------------------------- small vectors
static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static bool unit3(double v[3]) {
    double size = sqrt(dot3(v, v));
    for (int k = 0; k < 3 && size > 0; k++) v[k] /= size;
    return size > 0;
}

void quat_column(const double q[4], int k, double out[3]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double all[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                              {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                              {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(out, all[k], sizeof all[k]);
}

// ---------------------------------------------------------------- tubes
static void tangent_at(const double *centre, int n, int i, double out[3]) {
    const double *a = centre + 3 * (i > 0 ? i - 1 : 0), *b = centre + 3 * (i + 1 < n ? i + 1 : i);
    for (int k = 0; k < 3; k++) out[k] = b[k] - a[k];
    if (!unit3(out)) out[0] = 0, out[1] = 0, out[2] = 1;
}

// Some direction across a tangent.
static void any_normal(const double t[3], double out[3]) {
    int least = fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0
                : fabs(t[1]) <= fabs(t[2])                           ? 1
                                                                     : 2;
    double e[3] = {least == 0, least == 1, least == 2};
    cross3(t, e, out);
    unit3(out);
}

static void add_ring(mesh *m, const double c[3], const double a[3], const double b[3],
                     double radius, int sides) {
    const double turn = 6.283185307179586;
    for (int k = 0; k < sides; k++) {
        double x = radius * cos(turn * k / sides), y = radius * sin(turn * k / sides);
        mesh_add_point(m, (double[]){c[0] + x * a[0] + y * b[0], c[1] + x * a[1] + y * b[1],
                                     c[2] + x * a[2] + y * b[2]});
    }
}

// Faces between rings that follow one another from point `first`, and the two caps.
static void join_rings(mesh *m, int first, int rings, int sides) {
    for (int i = 0; i + 1 < rings; i++) {
        for (int k = 0; k < sides; k++) {
            int a = first + i * sides + k, b = first + i * sides + (k + 1) % sides;
            mesh_add_face(m, (int[]){a, b, b + sides, a + sides}, 4);
        }
    }
    int cap[64] = {0};
    int last = first + (rings - 1) * sides;
    for (int k = 0; k < sides; k++) cap[k] = first + sides - 1 - k;
    mesh_add_face(m, cap, sides);
    for (int k = 0; k < sides; k++) cap[k] = last + k;
    mesh_add_face(m, cap, sides);
}

bool mesh_add_tube(mesh *m, const double *centre, const double *radius, int n, int sides) {
    if (n < 2 || sides < 3 || sides > 64) return true;
    if (!mesh_reserve(m, n * sides, 4 * n * sides + 2 * sides, n * sides + 2)) return false;
    int first = m->n_points;
    double a[3] = {0}, b[3], t[3];
    for (int i = 0; i < n; i++) {
        tangent_at(centre, n, i, t);
        if (i == 0) any_normal(t, a);
        double along = dot3(a, t);  // carried along without turning about the tangent
        for (int k = 0; k < 3; k++) a[k] -= along * t[k];
        if (!unit3(a)) any_normal(t, a);
        cross3(t, a, b);
        add_ring(m, centre + 3 * i, a, b, radius[i], sides);
    }
    join_rings(m, first, n, sides);
    return true;
}

void rod_axes(const result_rod *rod, instant at, int point, double x[3], double y[3]) {
    const double *a = rod->orientation + 4L * ((long)at.record * rod->n_points + point);
    double q[4];
    between_two(a, at.share > 0 ? a + 4L * rod->n_points : a, at.share, q);
    quat_column(q, 0, x);
    quat_column(q, 1, y);
}

// Around a rectangle, from corner to corner.
static void add_frame(mesh *m, const double c[3], const double x[3], const double y[3],
                      const double half[2], int sides) {
    static const double corner[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    for (int k = 0; k < sides; k++) {
        const int side = 4 * k / sides;
        const double share = 4.0 * k / sides - side;
        double p[3], at[2];
        for (int i = 0; i < 2; i++)
            at[i] = half[i] * ((1 - share) * corner[side][i] + share * corner[side + 1][i]);
        for (int i = 0; i < 3; i++) p[i] = c[i] + at[0] * x[i] + at[1] * y[i];
        mesh_add_point(m, p);
    }
}

bool mesh_add_rod(mesh *m, const result_rod *rod, instant at, const double *centre,
                  const double *radii, int sides) {
    const int n = rod->n_points;
    if (!rod->sides || !rod->orientation || n < 2 || sides % 4 || sides < 4 || sides > 64)
        return mesh_add_tube(m, centre, radii, n, sides);
    if (!mesh_reserve(m, n * sides, 4 * n * sides + 2 * sides, n * sides + 2)) return false;
    const int first = m->n_points;
    for (int i = 0; i < n; i++) {
        double x[3], y[3];
        const double known = rod->radius ? rod->radius[i] : 0.0;
        const double wider = known > 0.0 ? radii[i] / known : 1.0;  // a thin one is drawn thicker
        const double half[2] = {0.5 * wider * rod->sides[2 * i],
                                0.5 * wider * rod->sides[2 * i + 1]};
        rod_axes(rod, at, i, x, y);
        add_frame(m, centre + 3 * i, x, y, half, sides);
    }
    join_rings(m, first, n, sides);
    return true;
}

double rod_reach(const result_rod *rod, instant at, int point, const double direction[3]) {
    if (!rod->sides || !rod->orientation) return rod->radius ? rod->radius[point] : 0.0;
    double x[3], y[3], reach = HUGE_VAL;
    rod_axes(rod, at, point, x, y);
    const double along[2] = {fabs(dot3(direction, x)), fabs(dot3(direction, y))};
    for (int k = 0; k < 2; k++)
        if (along[k] > 1e-9) reach = fmin(reach, 0.5 * rod->sides[2 * point + k] / along[k]);
    return isfinite(reach) ? reach : 0.0;
}

// A cylinder about the z axis of a pose.
static bool mesh_add_disc(mesh *m, const double p[3], const double q[4], double radius,
                          double height, int sides) {
    if (sides < 3 || sides > 64) return true;
    if (!mesh_reserve(m, 2 * sides, 6 * sides, sides + 2)) return false;
    int first = m->n_points;
    double x[3], y[3], z[3], c[3];
    quat_column(q, 0, x);
    quat_column(q, 1, y);
    quat_column(q, 2, z);
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < 3; k++) c[k] = p[k] + (end ? 0.5 : -0.5) * height * z[k];
        add_ring(m, c, x, y, radius, sides);
    }
    join_rings(m, first, 2, sides);
    return true;
}

// A plate with these corners, half the thickness to each side along the z axis of a pose.
static bool mesh_add_plate(mesh *m, const double *corners, int n, const double q[4],
                           double thickness) {
    if (n < 3 || n > 64) return true;
    if (!mesh_reserve(m, 2 * n, 6 * n, n + 2)) return false;
    int first = m->n_points;
    double z[3];
    quat_column(q, 2, z);
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < n; i++) {
            double p[3];
            for (int k = 0; k < 3; k++)
                p[k] = corners[3 * i + k] + (end ? 0.5 : -0.5) * thickness * z[k];
            mesh_add_point(m, p);
        }
    }
    join_rings(m, first, 2, n);
    return true;
}

// ---------------------------------------------------------------- parts of a result
void rod_points_at(const result_rod *rod, instant at, double *points) {
    between_records(rod->position, 3L * rod->n_points, at, points);
}

void rod_point_at(const result_rod *rod, instant at, int point, double out[3]) {
    const double *a = rod->position + 3L * ((long)at.record * rod->n_points + point);
    const double *b = at.share > 0 ? a + 3L * rod->n_points : a;
    for (int k = 0; k < 3; k++) out[k] = a[k] + at.share * (b[k] - a[k]);
}

void rod_radii(const result_rod *rod, double least, double *radii) {
    for (int i = 0; i < rod->n_points; i++) {
        // thin ones a little apart, so that a tube hides what runs in it
        const double r = rod->radius ? rod->radius[i] : 0.0;
        radii[i] = fmax(least + 0.3 * fmin(r, least), r);
    }
}

typedef struct corner {
    double p[3], angle;
} corner;

static int by_angle(const void *a, const void *b) {
    double x = ((const corner *)a)->angle, y = ((const corner *)b)->angle;
    return (x > y) - (x < y);
}

int body_corners(const result *r, const result_body *body, instant at, double corners[][3]) {
    corner all[MOST_CORNERS];
    double o[3], q[4], x[3], y[3];
    int n = 0;
    between_records(body->position, 3, at, o);
    between_turns(body->orientation, 1, at, q);
    quat_column(q, 0, x);
    quat_column(q, 1, y);
    for (int i = 0; i < 2 * r->n_rods && n < MOST_CORNERS; i++) {
        const result_rod *rod = &r->rods[i / 2];
        const char *held_by = i % 2 ? rod->tip_body : rod->base_body;
        if (!rod->position || strcmp(held_by, body->name) != 0) continue;
        double d[3];
        rod_point_at(rod, at, i % 2 ? rod->n_points - 1 : 0, all[n].p);
        for (int k = 0; k < 3; k++) d[k] = all[n].p[k] - o[k];
        all[n++].angle = atan2(dot3(d, y), dot3(d, x));
    }
    qsort(all, (size_t)n, sizeof *all, by_angle);
    for (int i = 0; i < n; i++) memcpy(corners[i], all[i].p, sizeof all[i].p);
    return n;
}

// A tube along z of its frame that widens and narrows.
static bool add_ball(mesh *m, const double p[3], const double q[4], double radius) {
    enum { RINGS = 13 };
    double axis[3 * RINGS], radii[RINGS], z[3];
    quat_column(q, 2, z);
    for (int i = 0; i < RINGS; i++) {
        const double angle = PI * i / (RINGS - 1), along = -radius * cos(angle);
        for (int k = 0; k < 3; k++) axis[3 * i + k] = p[k] + along * z[k];
        radii[i] = radius * fmax(sin(angle), 1e-3);
    }
    return mesh_add_tube(m, axis, radii, RINGS, 24);
}

// What no rod holds has a size of its own, or is a dot.
static bool add_loose(mesh *m, const result_body *body, const double p[3], const double q[4],
                      double thickness) {
    if (!(body->radius > 0.0)) return mesh_add_disc(m, p, q, thickness, thickness, 24);
    if (fabs(body->height - 2.0 * body->radius) < 1e-6 * body->radius)
        return add_ball(m, p, q, body->radius);
    return mesh_add_disc(m, p, q, body->radius, body->height, 24);
}

// From where another body holds it: a bar from frame to frame, as of an arm.
static bool add_link(mesh *m, const result *r, const result_body *body, instant at,
                     const double p[3], double thickness) {
    const double radii[2] = {thickness / 2, thickness / 2};
    double bar[6];
    for (int i = 0; i < r->n_bodies && body->held_by[0]; i++) {
        if (strcmp(r->bodies[i].name, body->held_by) != 0) continue;
        between_records(r->bodies[i].position, 3, at, bar);
        memcpy(bar + 3, p, 3 * sizeof *p);
        if (hypot(hypot(bar[3] - bar[0], bar[4] - bar[1]), bar[5] - bar[2]) < 1e-9) return true;
        return mesh_add_tube(m, bar, radii, 2, 12);
    }
    return true;
}

bool mesh_add_body(mesh *m, const result *r, const result_body *body, instant at,
                   double thickness) {
    double p[3], q[4];
    between_records(body->position, 3, at, p);
    between_turns(body->orientation, 1, at, q);
    if (!body->free) {
        bool there = body->attached[at.record] > 0.5;
        if (!there) return true;
        double radius = body->radius > 0 ? body->radius : 0.75 * thickness;
        double height = body->radius > 0 ? fmax(body->height, 0.2 * thickness) : 1.5 * thickness;
        return mesh_add_disc(m, p, q, radius, height, 24);
    }
    if (!add_link(m, r, body, at, p, thickness)) return false;
    double corners[MOST_CORNERS][3];
    int n = body_corners(r, body, at, corners);
    if (n >= 3) return mesh_add_plate(m, corners[0], n, q, thickness);
    if (n == 0) return add_loose(m, body, p, q, thickness);
    // one or two joints: a bar through them and the frame's origin
    double bar[9], radii[3] = {thickness / 2, thickness / 2, thickness / 2};
    memcpy(bar, corners[0], sizeof p);
    memcpy(bar + 3, p, sizeof p);
    if (n == 2) memcpy(bar + 6, corners[1], sizeof p);
    return mesh_add_tube(m, bar, radii, n + 1, 12);
}

double largest_extent(const result *r) {
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double largest = 0.0;
    const bool alone = r->n_rods == 0;  // bodies without rods
    for (int i = 0; i < (alone ? r->n_bodies : r->n_rods); i++) {
        const double *p = alone ? r->bodies[i].position : r->rods[i].position;
        const long n = p ? 3L * r->n_times * (alone ? 1 : r->rods[i].n_points) : 0;
        for (long k = 0; k < n; k++) {
            lo[k % 3] = fmin(lo[k % 3], p[k]);
            hi[k % 3] = fmax(hi[k % 3], p[k]);
        }
    }
    for (int k = 0; k < 3; k++) largest = fmax(largest, hi[k] - lo[k]);
    return largest;
}
