// io/surface.c - see surface.h.
#include "io/surface.h"

#include <math.h>
#include <stdlib.h>

#include "environment/obstacle.h"
#include "math/pi.h"

// Patches small enough to be sorted by the depth of their middle.
enum { SIDES = 36, ROUND = 18, ALONG = 12, ACROSS = 8, GRID = 16 };

// ---------------------------------------------------------------- grids of points
// Rows of points that lie in the mesh one after the other, from `first`. A row wraps around when it is
// closed; a row of one point is a pole. Faces are seen from the side to which (along the row) x (to the next
// row) points.
typedef struct grid {
    int first, rows, columns;
    bool closed, looped;  // rows around; the last row followed by the first
    bool pole[2];         // the first and the last row
} grid;

static int row_size(const grid *g, int i) {
    return (i == 0 && g->pole[0]) || (i == g->rows - 1 && g->pole[1]) ? 1 : g->columns;
}

static int point_of(const grid *g, int i, int k) {
    const int before = i * g->columns - (i > 0 && g->pole[0] ? g->columns - 1 : 0);
    return g->first + before + (row_size(g, i) == 1 ? 0 : k % g->columns);
}

static bool reserve_grid(mesh *m, const grid *g) {
    const int n = g->rows * g->columns;
    return mesh_reserve(m, n, 4 * n, n);
}

static void add_cell(mesh *m, const grid *g, int i, int k, bool flip) {
    const int next = (i + 1) % g->rows;
    const int all[4] = {point_of(g, i, k), point_of(g, i, k + 1), point_of(g, next, k + 1),
                        point_of(g, next, k)};
    int corners[4], n = 0;
    for (int j = 0; j < 4; j++) {
        const int at = all[flip ? 3 - j : j];
        if (n == 0 || (at != corners[n - 1] && at != corners[0])) corners[n++] = at;
    }
    mesh_add_face(m, corners, n);
}

static void join_grid(mesh *m, const grid *g, bool flip) {
    const int across = g->closed ? g->columns : g->columns - 1;
    for (int i = 0; i < (g->looped ? g->rows : g->rows - 1); i++)
        for (int k = 0; k < across; k++) add_cell(m, g, i, k, flip);
}

// ---------------------------------------------------------------- bodies of revolution
typedef struct
    profile {  // from below to above as seen from outside: distance from the z axis, and z
    double at[ROUND + ALONG + 2][2];
    int n;
    bool looped;
} profile;

static void put(profile *p, double rho, double z) {
    p->at[p->n][0] = rho, p->at[p->n][1] = z;
    p->n++;
}

static bool add_revolved(mesh *m, const profile *p, bool flip) {
    grid g = {m->n_points, p->n, SIDES, true, p->looped, {false, false}};
    g.pole[0] = p->at[0][0] == 0.0;
    g.pole[1] = p->at[p->n - 1][0] == 0.0;
    if (!reserve_grid(m, &g)) return false;
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < row_size(&g, i); k++) {
            const double rho = p->at[i][0], angle = 2.0 * PI * k / SIDES;
            mesh_add_point(m, (double[]){rho * cos(angle), rho * sin(angle), p->at[i][1]});
        }
    }
    join_grid(m, &g, flip);
    return true;
}

// Points of a half circle of radius r from pole to pole, the upper quarter moved up by `half`, the lower down.
static profile half_circle(double r, double half) {
    profile p = {.n = 0};
    for (int i = 0; i <= ROUND; i++) {
        const double angle = PI * i / ROUND;
        const double rho = i == 0 || i == ROUND ? 0.0 : r * sin(angle);
        if (2 * i == ROUND && half > 0.0)
            for (int k = 0; k < ALONG; k++) put(&p, r, (2.0 * k / ALONG - 1.0) * half);
        put(&p, rho, -r * cos(angle) + (2 * i < ROUND ? -half : half));
    }
    return p;
}

typedef bool shape_surface(mesh *m, const obstacle *o, const surface_cut *cut);

static bool sphere_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    (void)cut;
    const profile p = half_circle(o->def.radius, 0.0);
    return add_revolved(m, &p, o->def.inside);
}

static bool capsule_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    (void)cut;
    const profile p = half_circle(o->def.radius, 0.5 * o->def.length);
    return add_revolved(m, &p, o->def.inside);
}

static bool cylinder_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    const double r = o->def.radius;
    const bool endless = surface_is_endless(&o->def);
    const double half = endless ? cut->radius : 0.5 * o->def.length;
    const double middle = endless ? cut->middle[2] : 0.0;
    if (endless && cut->near && hypot(cut->middle[0], cut->middle[1]) > cut->radius + r)
        return true;
    profile parts[3] = {{.n = 0}};
    for (int i = 0; i <= ALONG; i++) put(&parts[0], r, middle + half * (2.0 * i / ALONG - 1.0));
    for (int i = 0; i <= ACROSS; i++) {
        put(&parts[1], r * i / ACROSS, -half);
        put(&parts[2], r * (ACROSS - i) / ACROSS, half);
    }
    bool ok = true;
    for (int i = 0; i < (endless ? 1 : 3) && ok; i++)
        ok = add_revolved(m, &parts[i], o->def.inside);
    return ok;
}

static bool torus_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    (void)cut;
    profile p = {.looped = true};
    for (int i = 0; i < ROUND; i++) {
        const double angle = 2.0 * PI * i / ROUND, r = 0.5 * o->def.thickness;
        put(&p, o->def.radius + r * cos(angle), r * sin(angle));
    }
    return add_revolved(m, &p, false);
}

// ---------------------------------------------------------------- planes and boxes
// The rectangle middle + x a + y b, |x|, |y| <= 1, seen from the side of a x b.
static bool add_rectangle(mesh *m, const double middle[3], const double a[3], const double b[3],
                          int n, bool flip) {
    const grid g = {m->n_points, n + 1, n + 1, false, false, {false, false}};
    if (!reserve_grid(m, &g)) return false;
    for (int i = 0; i <= n; i++) {
        for (int k = 0; k <= n; k++) {
            double p[3];
            for (int j = 0; j < 3; j++)
                p[j] = middle[j] + (2.0 * k / n - 1.0) * a[j] + (2.0 * i / n - 1.0) * b[j];
            mesh_add_point(m, p);
        }
    }
    join_grid(m, &g, flip);
    return true;
}

static bool plane_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    (void)o;
    if (cut->near && fabs(cut->middle[2]) > cut->radius) return true;
    const double r = cut->radius, middle[3] = {cut->middle[0], cut->middle[1], 0.0};
    return add_rectangle(m, middle, (double[]){r, 0, 0}, (double[]){0, r, 0}, GRID, false);
}

static bool box_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    (void)cut;
    bool ok = true;
    for (int i = 0; i < 6 && ok; i++) {
        const int axis = i / 2, x = (axis + 1) % 3, y = (axis + 2) % 3;
        double middle[3] = {0}, a[3] = {0}, b[3] = {0};
        middle[axis] = (i % 2 ? -0.5 : 0.5) * o->def.sides[axis];
        a[x] = 0.5 * o->def.sides[x];
        b[y] = (i % 2 ? -0.5 : 0.5) * o->def.sides[y];
        ok = add_rectangle(m, middle, a, b, ACROSS, o->def.inside);
    }
    return ok;
}

// ---------------------------------------------------------------- tubes
// Balls of radius R(t) about c(t) touch what they sweep where d/dt (R - |p - c|) = 0, on the circle
//
//     p = c + R e,    e.c' = -R'
static void add_circle(mesh *m, const tube_place *at, vec3 *across) {
    const double rate = vec3_norm(at->c1);
    const vec3 t = vec3_scale(at->c1, 1.0 / rate);
    const vec3 a = vec3_madd(*across, -vec3_dot(*across, t), t);  // carried along without twist
    *across = vec3_scale(a, 1.0 / vec3_norm(a));
    const vec3 b = vec3_cross(t, *across);
    const double back = fmax(-1.0, fmin(1.0, -at->R1 / rate)), out = sqrt(1.0 - back * back);
    for (int k = 0; k < SIDES; k++) {
        const double angle = 2.0 * PI * k / SIDES;
        vec3 e = vec3_scale(t, back);
        e = vec3_madd(e, out * cos(angle), *across);
        e = vec3_madd(e, out * sin(angle), b);
        const vec3 p = vec3_madd(at->c, at->R, e);
        mesh_add_point(m, (double[]){p.x, p.y, p.z});
    }
}

#define OPEN 0.05  // of the radius, that a place on the wall of one line lies within another

// Is a cell within another line? There is no wall then.
static bool is_open(const mesh *m, const obstacle *o, const grid *g, int i, int k) {
    const int at[2] = {point_of(g, i, k), point_of(g, i + 1, k + 1)};
    const double *a = m->points + 3 * at[0], *b = m->points + 3 * at[1];
    const vec3 middle = vec3_scale(vec3_add(vec3_load(a), vec3_load(b)), 0.5);
    return obstacle_distance(o, middle).phi > OPEN * o->pieces[1].c[3][0];
}

// Between its ends; the straight parts beyond are left out.
static bool add_line(mesh *m, const obstacle *o, const tube_piece *pieces) {
    const int n = pieces->line - 2, most = 96 / n, each = most < 2 ? 2 : most > 16 ? 16 : most;
    const grid g = {m->n_points, n * each + 1, SIDES, true, false, {false, false}};
    if (!reserve_grid(m, &g)) return false;
    const tube_place first = tube_at(&pieces[1], 0.0);
    vec3 across = vec3_perpendicular(vec3_scale(first.c1, 1.0 / vec3_norm(first.c1)));
    for (int i = 0; i <= n * each; i++) {
        const int last = i == n * each, piece = i / each - last;
        const tube_piece *s = &pieces[1 + piece];
        const tube_place at = tube_at(s, s->span * (i - piece * each) / each);
        add_circle(m, &at, &across);
    }
    for (int i = 0; i + 1 < g.rows; i++)
        for (int k = 0; k < g.columns; k++)
            if (!o->def.n_branches || !is_open(m, o, &g, i, k)) add_cell(m, &g, i, k, true);
    return true;
}

static bool tube_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    bool ok = true;
    (void)cut;
    for (int i = 0; i < o->n_pieces && ok; i += o->pieces[i].line)
        ok = add_line(m, o, &o->pieces[i]);
    return ok;
}

// ---------------------------------------------------------------- meshes and heights
static double farthest_of(const td_obstacle_def *def) {
    double most = 0.0;
    for (int i = 0; i < def->n_points; i++)
        most =
            fmax(most, vec3_norm(vec3_sub(vec3_load(def->points + 4 * i), vec3_load(def->points))));
    return most;
}

// Into how many parts the sides of a triangle are cut.
static int parts_of(const double *corners, double patch) {
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        const vec3 a = vec3_load(corners + 4 * k), b = vec3_load(corners + 4 * ((k + 1) % 3));
        longest = fmax(longest, vec3_norm(vec3_sub(a, b)));
    }
    return (int)fmax(1.0, fmin(ceil(longest / patch), ALONG));
}

// Corner (i, k) of a cut triangle: a + (b - a) i/n + (c - a) k/n, i + k <= n, row after row of k.
static int corner_of(int first, int n, int i, int k) {
    return first + k * (n + 1) - k * (k - 1) / 2 + i;
}

static bool add_triangle(mesh *m, const double *corners, int n, bool inside) {
    const vec3 a = vec3_load(corners), b = vec3_sub(vec3_load(corners + 4), a),
               c = vec3_sub(vec3_load(corners + 8), a);
    const int first = m->n_points;
    if (!mesh_reserve(m, (n + 1) * (n + 2) / 2, 3 * n * n, n * n)) return false;
    for (int k = 0; k <= n; k++)
        for (int i = 0; i + k <= n; i++) {
            const vec3 p = vec3_madd(vec3_madd(a, (double)i / n, b), (double)k / n, c);
            mesh_add_point(m, (double[]){p.x, p.y, p.z});
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i + k < n; i++)
            for (int j = 0; j < (i + k + 2 <= n ? 2 : 1); j++) {
                const int one = corner_of(first, n, i + 1, k),
                          other = corner_of(first, n, i, k + 1),
                          last = corner_of(first, n, i + j, k + j);
                const int here[3] = {j ? one : last, j ? last : one, other};
                const int back[3] = {here[0], here[2], here[1]};
                mesh_add_face(m, inside ? back : here, 3);
            }
    return true;
}

// Large triangles are cut: they are sorted by the depth of their middle.
static bool mesh_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    const double patch = farthest_of(&o->def) / ALONG;
    bool ok = true;
    (void)cut;
    for (int i = 0; i < o->def.n_points && ok; i += 3) {
        const double *corners = o->def.points + 4 * i;
        ok = add_triangle(m, corners, parts_of(corners, patch), o->def.inside);
    }
    return ok;
}

// Over its rectangle, with points between those of the table where these are few; what is level beyond is left out.
static bool heightfield_surface(mesh *m, const obstacle *o, const surface_cut *cut) {
    (void)cut;
    spline_grid *heights = obstacle_grid(&o->def);
    if (!heights) return false;
    int n[2];
    for (int k = 0; k < 2; k++) {
        const int cells = heights->n[k] - 1, each = cells < 12 ? 8 : cells < 48 ? 2 : 1;
        n[k] = each * cells + 1;
    }
    const grid g = {m->n_points, n[1], n[0], false, false, {false, false}};
    const bool ok = reserve_grid(m, &g);
    for (int i = 0; ok && i < n[0] * n[1]; i++) {
        const double x = heights->h[0] * (heights->n[0] - 1) * (i % n[0]) / (n[0] - 1);
        const double y = heights->h[1] * (heights->n[1] - 1) * (i / n[0]) / (n[1] - 1);
        const vec3 at = vec3_add(heights->origin, vec3_make(x, y, 0.0));
        mesh_add_point(m, (double[]){at.x, at.y, spline_grid_at(heights, at).f});
    }
    if (ok) join_grid(m, &g, false);
    spline_grid_release(heights);
    return ok;
}

// ---------------------------------------------------------------- all shapes
#define SURFACE(NAME, word, traits) [TD_OBSTACLE_##NAME] = word##_surface,
static shape_surface *const surfaces[N_OBSTACLE_SHAPES] = {OBSTACLE_SHAPES(SURFACE)};

bool surface_is_endless(const td_obstacle_def *def) {
    return def->shape == TD_OBSTACLE_PLANE ||
           (def->shape == TD_OBSTACLE_CYLINDER && !(def->length > 0.0));
}

static bool mesh_add_surface(mesh *m, const td_obstacle_def *def, const surface_cut *cut) {
    tube_piece *pieces = malloc(sizeof *pieces * (size_t)(obstacle_n_pieces(def) + 1));
    if (!pieces) return false;
    obstacle o = obstacle_make(def, pieces, NULL);
    o.def.points = def->points;
    const bool ok = surfaces[def->shape](m, &o, cut);
    free(pieces);
    return ok;
}

// The cut in a frame at p with these axes.
static surface_cut seen_from(const surface_cut *cut, const double p[3], double axis[3][3]) {
    surface_cut own = {.radius = cut->radius, .near = cut->near};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) own.middle[j] += axis[j][i] * (cut->middle[i] - p[i]);
    return own;
}

bool mesh_add_obstacle_of(mesh *m, const td_robot *robot, int k, const surface_cut *cut) {
    const td_obstacle_def *def = &robot->obstacles[k].def;
    obstacle still = {.def = *def};
    for (int i = 0; i < 3; i++) still.def.position[i].gain = still.def.rotation[i].gain = 0.0;
    const se3 frame = obstacle_frame(&still, NULL);
    const mat3 Rt = mat3_transpose(&frame.R);
    double axis[3][3], p[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) axis[j][i] = Rt.m[j][i];
    vec3_store(p, frame.p);
    surface_cut own = seen_from(cut, p, axis);
    if (def->body != TD_WORLD) own = (surface_cut){.radius = cut->radius};
    return mesh_add_surface(m, def, &own);
}

bool mesh_add_obstacle(mesh *m, const result *r, int k, instant at, const surface_cut *cut) {
    const result_obstacle *o = &r->obstacles[k];
    if (!o->shape) return true;
    double p[3], q[4], axis[3][3];
    between_records(o->position, 3, at, p);
    between_turns(o->orientation, 1, at, q);
    for (int j = 0; j < 3; j++) quat_column(q, j, axis[j]);
    const surface_cut own = seen_from(cut, p, axis);
    int first = m->n_points;
    if (!mesh_add_surface(m, o->shape, &own)) return false;
    for (; first < m->n_points; first++) {
        double *x = m->points + 3 * first, moved[3];
        for (int i = 0; i < 3; i++)
            moved[i] = p[i] + axis[0][i] * x[0] + axis[1][i] * x[1] + axis[2][i] * x[2];
        for (int i = 0; i < 3; i++) x[i] = moved[i];
    }
    return true;
}
