// cli/scene.c - see scene.h.
#include "cli/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/obstacles.h"

enum {
    THICK_SIDES = 36,
    TUBE_SIDES = 16,
    TENDON_SIDES = 6,
    SHADES = 14,
    OBSTACLE_COLOUR = 0xd8cdbe
};

typedef struct patch {
    double depth;  // towards the eye
    unsigned colour;
    int n;
    double xy[4][2];
} patch;

typedef struct canvas {
    const figure *figure;
    const result *result;
    const scene_look *look;
    int which;
    instant at;
    mesh mesh;
    patch *patches;
    int n, room;
    double *points, *radii;  // scratch of one rod or path
    double ahead;            // m: a line on a surface must not sink between its patches
} canvas;

// ---------------------------------------------------------------- light
static unsigned parse_colour(const char *text) {
    return (unsigned)strtoul(text + 1, NULL, 16);
}

// Lambert's law with a light over the left shoulder, in few shades so that a GIF can hold them.
static unsigned shade(unsigned colour, const double normal[3], const projection *v) {
    double light[3], dot = 0.0;
    for (int k = 0; k < 3; k++)
        light[k] = -0.36 * v->right[k] + 0.60 * v->up[k] + 0.71 * v->toward[k];
    for (int k = 0; k < 3; k++) dot += light[k] * normal[k];
    double s = floor(fmax(0.0, dot) * SHADES + 0.5) / SHADES;
    double bright = 0.58 + 0.48 * s, white = 0.3 * pow(s, 6);
    unsigned out = 0;
    for (int k = 16; k >= 0; k -= 8) {
        double c = (double)(colour >> k & 255) * bright;
        c += white * (255 - c);
        out |= (unsigned)fmin(255.0, c) << k;
    }
    return out;
}

// Newell's formula: twice the area vector of a polygon.
static void normal_of(const mesh *m, int from, int to, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (int i = from; i < to; i++) {
        const double *a = m->points + 3 * m->corners[i];
        const double *b = m->points + 3 * m->corners[i + 1 < to ? i + 1 : from];
        out[0] += (a[1] - b[1]) * (a[2] + b[2]);
        out[1] += (a[2] - b[2]) * (a[0] + b[0]);
        out[2] += (a[0] - b[0]) * (a[1] + b[1]);
    }
    double size = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int k = 0; k < 3 && size > 0; k++) out[k] /= size;
}

// ---------------------------------------------------------------- patches
static patch *new_patch(canvas *c) {
    if (c->n == c->room) {
        int room = c->room ? 2 * c->room : 4096;
        patch *list = realloc(c->patches, sizeof *list * (size_t)room);
        if (!list) return NULL;
        c->patches = list;
        c->room = room;
    }
    return &c->patches[c->n++];
}

// The unit normal of the edge after corner i, to the right of it; 0: it has no length.
static void edge_normal(const patch *p, int i, double out[2]) {
    const double *a = p->xy[i], *b = p->xy[(i + 1) % p->n];
    const double size = hypot(b[0] - a[0], b[1] - a[1]);
    out[0] = size > 0.0 ? (b[1] - a[1]) / size : 0.0;
    out[1] = size > 0.0 ? (a[0] - b[0]) / size : 0.0;
}

// Each edge a hair further out, or the background would shine through between neighbours. Patches are seen from where
// their corners go counter-clockwise.
static void swell(patch *p, double by) {
    double normals[4][2], moved[4][2];
    for (int i = 0; i < p->n; i++) edge_normal(p, i, normals[i]);
    for (int i = 0; i < p->n; i++) {
        const double *a = normals[(i + p->n - 1) % p->n], *b = normals[i];
        const double sharp =
            fmax(1.0 + a[0] * b[0] + a[1] * b[1], 0.3);  // a point goes no farther than that
        for (int k = 0; k < 2; k++) moved[i][k] = p->xy[i][k] + by * (a[k] + b[k]) / sharp;
    }
    memcpy(p->xy, moved, (size_t)p->n * sizeof *moved);
}

static bool add_patch(canvas *c, const double *const corners[], int n, unsigned shaded) {
    const projection *v = c->look->view;
    patch *p = new_patch(c);
    if (!p) return false;
    *p = (patch){.n = n, .colour = shaded, .depth = c->ahead};
    for (int i = 0; i < n; i++) {
        view_project(v, corners[i], p->xy[i]);
        for (int k = 0; k < 3; k++) p->depth += corners[i][k] * v->toward[k] / n;
    }
    swell(p, 0.4 * c->look->pixel);
    return true;
}

// A face that looks at the eye. One with many corners is cut like a cake: large patches cannot be
// sorted by the depth of their middle.
static bool add_face(canvas *c, int from, int to, unsigned colour) {
    const projection *v = c->look->view;
    const double *corners[4] = {0};
    double normal[3], middle[3] = {0}, facing = 0.0;
    normal_of(&c->mesh, from, to, normal);
    for (int k = 0; k < 3; k++) facing += normal[k] * v->toward[k];
    if (facing <= 0) return true;
    unsigned shaded = shade(colour, normal, v);
    for (int i = from; i < to; i++) {
        const double *q = c->mesh.points + 3 * c->mesh.corners[i];
        if (i - from < 4) corners[i - from] = q;
        for (int k = 0; k < 3; k++) middle[k] += q[k] / (to - from);
    }
    if (to - from <= 4) return add_patch(c, corners, to - from, shaded);
    bool ok = true;
    for (int i = from; i < to && ok; i++) {
        corners[0] = middle;
        corners[1] = c->mesh.points + 3 * c->mesh.corners[i];
        corners[2] = c->mesh.points + 3 * c->mesh.corners[i + 1 < to ? i + 1 : from];
        ok = add_patch(c, corners, 3, shaded);
    }
    return ok;
}

// The mesh becomes patches of one colour, and is empty again.
static bool take_mesh(canvas *c, unsigned colour) {
    bool ok = true;
    for (int i = 0; i < c->mesh.n_faces && ok; i++)
        ok = add_face(c, i ? c->mesh.ends[i - 1] : 0, c->mesh.ends[i], colour);
    mesh_clear(&c->mesh);
    return ok;
}

static int by_depth(const void *a, const void *b) {
    double x = ((const patch *)a)->depth, y = ((const patch *)b)->depth;
    return (x > y) - (x < y);
}

// ---------------------------------------------------------------- parts
// A rod with rooms is paler, as if one saw through it.
static unsigned pale(unsigned colour) {
    unsigned out = 0;
    for (int k = 16; k >= 0; k -= 8) out |= (255 - (255 - (colour >> k & 255)) / 3) << k;
    return out;
}

static bool is_room(const result_actuator *a) {
    return !a->kind->thin && !a->path && a->radius > 0.0;
}

static bool has_rooms(const result *r, const result_rod *rod) {
    for (int i = 0; i < r->n_actuators; i++)
        if (is_room(&r->actuators[i]) && !strcmp(r->actuators[i].rod, rod->name)) return true;
    return false;
}

static bool add_rod(canvas *c, const result_rod *rod, int order) {
    unsigned colour = parse_colour(pen_of(c->figure, c->which, rod->name, order).colour);
    if (has_rooms(c->result, rod)) colour = pale(colour);
    rod_radii(rod, 1.4 * c->look->pixel, c->radii);
    rod_points_at(rod, c->at, c->points);
    const bool thick = c->radii[0] > 12 * c->look->pixel;
    return mesh_add_rod(&c->mesh, rod, c->at, c->points, c->radii,
                        thick ? THICK_SIDES : TUBE_SIDES) &&
           take_mesh(c, colour);
}

// What runs inside of a thick rod is shown on its surface, as far as that can be seen. *radius is
// that of the rod, or 0 where it was outside already. False: behind the rod.
static bool lift(const canvas *c, double p[3], double *radius) {
    const result *r = c->result;
    const result_rod *in = NULL;
    double nearest[3] = {0}, least = HUGE_VAL, facing = 0.0, out[3];
    int point = 0;
    for (int i = 0; i < r->n_rods; i++) {
        const result_rod *rod = &r->rods[i];
        for (int k = 0; rod->position && rod->radius && k < rod->n_points; k++) {
            double q[3], far = 0.0;
            rod_point_at(rod, c->at, k, q);
            for (int n = 0; n < 3; n++) far += (p[n] - q[n]) * (p[n] - q[n]);
            if (far >= least) continue;
            least = far, in = rod, point = k;
            memcpy(nearest, q, sizeof nearest);
        }
    }
    const double far = sqrt(least);
    *radius = 0.0;
    if (!in || !(far > 0.0)) return true;
    for (int n = 0; n < 3; n++) out[n] = (p[n] - nearest[n]) / far;
    const double thick = rod_reach(in, c->at, point, out);
    if (far > 1.02 * thick || far < 0.1 * thick) return true;
    for (int n = 0; n < 3; n++) {
        facing += c->look->view->toward[n] * out[n];
        p[n] = nearest[n] + out[n] * (thick + c->look->pixel);
    }
    *radius = thick;
    return facing > -0.1;
}

// A thin tube through c->points, without the parts that are hidden.
static bool add_string(canvas *c, int n, double radius, const char *name, int order) {
    unsigned colour = parse_colour(pen_of(c->figure, c->which, name, order).colour);
    bool ok = true;
    for (int i = 0, first = 0; i <= n && ok; i++) {
        double thick = 0.0;
        bool shown = i < n && lift(c, c->points + 3 * i, &thick);
        c->ahead = fmax(c->ahead, 0.2 * thick);
        if (i < n) c->radii[i] = radius;
        if (shown) continue;
        ok = mesh_add_tube(&c->mesh, c->points + 3 * first, c->radii + first, i - first,
                           TENDON_SIDES) &&
             take_mesh(c, colour);
        first = i + 1;
    }
    c->ahead = 0.0;
    return ok;
}

static bool add_path(canvas *c, const result_actuator *a, int order) {
    if (!a->path) return true;
    between_records(a->path, 3L * a->n_points, c->at, c->points);
    return add_string(c, a->n_points, 0.6 * c->look->pixel, a->name, order);
}

// As if one saw through the rod: all of it lies before the surface.
static bool add_hollow(canvas *c, int n, const result_rod *rod, const result_actuator *a,
                       int order) {
    unsigned colour = parse_colour(pen_of(c->figure, c->which, a->name, order).colour);
    for (int i = 0; i < n; i++) c->radii[i] = fmax(a->radius, 0.6 * c->look->pixel);
    for (int i = 0; rod->radius && i < rod->n_points; i++)
        c->ahead = fmax(c->ahead, 2.5 * rod->radius[i]);
    const bool ok = mesh_add_tube(&c->mesh, c->points, c->radii, n, TUBE_SIDES);
    const bool taken = ok && take_mesh(c, colour);
    c->ahead = 0.0;
    return taken;
}

// A room in a rod: at its size, or where that is not known a line along its middle.
static bool add_room(canvas *c, const result_actuator *a, int order) {
    const result *r = c->result;
    const result_rod *rod = NULL;
    for (int i = 0; i < r->n_rods; i++)
        if (!strcmp(r->rods[i].name, a->rod)) rod = &r->rods[i];
    if (!rod || !rod->position || !rod->orientation) return true;
    int n = 0;
    for (int i = 0; i < rod->n_points; i++) {
        double x[3], y[3];
        if (rod->s[i] < a->from - 1e-9 || rod->s[i] > a->to + 1e-9) continue;
        double *p = c->points + 3 * n++;
        rod_point_at(rod, c->at, i, p);
        rod_axes(rod, c->at, i, x, y);
        for (int k = 0; k < 3; k++) p[k] += a->offset[0] * x[k] + a->offset[1] * y[k];
    }
    if (a->radius > 0.0) return add_hollow(c, n, rod, a, order);
    return add_string(c, n, 1.6 * c->look->pixel, a->name, order);
}

// What holds a rod that begins in the world: a plate across its first section.
static bool add_mount(canvas *c, const result_rod *rod, double size) {
    if (rod->base_body[0] || rod->free || rod->n_points < 2) return true;
    double axis[6], radii[2], length = 0.0;
    rod_points_at(rod, c->at, c->points);
    rod_radii(rod, 1.4 * c->look->pixel, c->radii);
    for (int k = 0; k < 3; k++) axis[k] = c->points[3 + k] - c->points[k];
    for (int k = 0; k < 3; k++) length += axis[k] * axis[k];
    length = sqrt(length);
    if (!(length > 0) || c->radii[0] > 0.3 * size) return true;  // thick enough to stand alone
    double height = fmin(0.4 * size, 3 * c->radii[0] + 2 * c->look->pixel);
    for (int k = 0; k < 3; k++) {
        double direction = axis[k] / length;
        axis[3 + k] = c->points[k];
        axis[k] = c->points[k] - height * direction;
    }
    radii[0] = radii[1] = 0.5 * size;
    return mesh_add_tube(&c->mesh, axis, radii, 2, TUBE_SIDES) && take_mesh(c, 0x9aa0a6);
}

static unsigned body_colour(const canvas *c, int i) {
    const result_body *body = &c->result->bodies[i];
    if (!body->free || body->held_by[0]) return 0x7d8690;
    return parse_colour(pen_of(c->figure, c->which, body->name, i).colour);
}

// What a body carries is a part of it.
static unsigned obstacle_colour(const canvas *c, const result_obstacle *o) {
    const int body = o->shape ? o->shape->body : TD_WORLD;
    return body == TD_WORLD || body >= c->result->n_bodies ? OBSTACLE_COLOUR : body_colour(c, body);
}

// Of rooms and vessels only the far side is seen, and what is in them before it. What lies on a surface must
// not sink between its patches.
static bool add_obstacles(canvas *c) {
    bool ok = true;
    for (int i = 0; i < c->result->n_obstacles && ok; i++) {
        const unsigned colour = obstacle_colour(c, &c->result->obstacles[i]);
        c->ahead = colour == OBSTACLE_COLOUR ? -0.06 * c->look->cut.radius : 0.0;
        ok =
            mesh_add_obstacle(&c->mesh, c->result, i, c->at, &c->look->cut) && take_mesh(c, colour);
    }
    c->ahead = 0.0;
    return ok;
}

static bool add_parts(canvas *c) {
    const result *r = c->result;
    double size = 0.05 * largest_extent(r);
    bool ok = add_obstacles(c);
    for (int i = 0; i < r->n_rods && ok; i++) {
        if (!r->rods[i].position) continue;
        ok = add_rod(c, &r->rods[i], i) && add_mount(c, &r->rods[i], 0.8 * size);
    }
    for (int i = 0; i < r->n_actuators && ok; i++) {
        const result_actuator *a = &r->actuators[i];
        ok = a->kind->thin ? add_path(c, a, i + r->n_rods) : add_room(c, a, i + r->n_rods);
    }
    for (int i = 0; i < r->n_bodies && ok; i++) {
        const result_body *body = &r->bodies[i];
        ok =
            mesh_add_body(&c->mesh, r, body, c->at, 0.25 * size) && take_mesh(c, body_colour(c, i));
    }
    return ok;
}

// ---------------------------------------------------------------- drawing
static void put_shadows(FILE *script, canvas *c) {
    const result *r = c->result;
    fputs("$shadows << EOD\n", script);
    for (int i = 0; i < r->n_rods; i++) {
        if (!r->rods[i].position) continue;
        rod_points_at(&r->rods[i], c->at, c->points);
        for (int k = 0; k < r->rods[i].n_points; k++) {
            double q[2];
            c->points[3 * k + 2] = c->look->floor;
            view_project(c->look->view, c->points + 3 * k, q);
            fprintf(script, "%.7g %.7g\n", c->look->factor * q[0], c->look->factor * q[1]);
        }
        fputs("\n", script);
    }
    fputs("EOD\n", script);
}

static void put_patches(FILE *script, canvas *c) {
    qsort(c->patches, (size_t)c->n, sizeof *c->patches, by_depth);
    fputs("$patches << EOD\n", script);
    for (int i = 0; i < c->n; i++) {
        const patch *p = &c->patches[i];
        for (int k = 0; k <= p->n; k++)
            fprintf(script, "%.7g %.7g %u\n", c->look->factor * p->xy[k % p->n][0],
                    c->look->factor * p->xy[k % p->n][1], p->colour);
        fputs("\n\n", script);
    }
    fputs("EOD\n", script);
}

static double size_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// N/m, of contact on a point of a rod.
static const double *contact_at(const canvas *c, const result_rod *rod, int i) {
    return rod->contact + 3L * ((long)c->at.record * rod->n_points + i);
}

static double largest_contact(const canvas *c) {
    double largest = 0.0;
    for (int i = 0; i < c->result->n_rods; i++) {
        const result_rod *rod = &c->result->rods[i];
        for (int k = 0; rod->contact && k < rod->n_points; k++)
            largest = fmax(largest, size_of(contact_at(c, rod, k)));
    }
    return largest;
}

// An arrow that ends at the rod.
static void put_force(FILE *script, const canvas *c, const result_rod *rod, int i, double scale) {
    const double *f = contact_at(c, rod, i), factor = c->look->factor;
    double p[3], from[2], to[2];
    rod_point_at(rod, c->at, i, p);
    view_project(c->look->view, p, to);
    for (int k = 0; k < 3; k++) p[k] -= scale * f[k];
    view_project(c->look->view, p, from);
    fprintf(script, "%.7g %.7g %.7g %.7g\n", factor * from[0], factor * from[1],
            factor * (to[0] - from[0]), factor * (to[1] - from[1]));
}

// Forces of contact per length of rod, the largest a seventh of the robot's size.
static void put_forces(FILE *script, const canvas *c) {
    const result *r = c->result;
    const double largest = largest_contact(c), scale = largest_extent(r) / (7.0 * largest);
    fputs("$forces << EOD\n0 NaN 0 0\n", script);
    for (int i = 0; i < r->n_rods && largest > 0.0; i++) {
        const result_rod *rod = &r->rods[i];
        for (int k = 0; rod->contact && rod->position && k < rod->n_points; k++)
            if (size_of(contact_at(c, rod, k)) > 0.02 * largest)
                put_force(script, c, rod, k, scale);
    }
    fputs("EOD\n", script);
}

static int most_points(const result *r) {
    int n = 2;
    for (int i = 0; i < r->n_rods; i++)
        if (r->rods[i].n_points > n) n = r->rods[i].n_points;
    for (int i = 0; i < r->n_actuators; i++)
        if (r->actuators[i].n_points > n) n = r->actuators[i].n_points;
    return n;
}

// Was contact recorded, with obstacles or between parts?
static bool has_forces(const result *r) {
    return r->n_rods > 0 && r->rods[0].contact;
}

static void put_all(FILE *script, canvas *c) {
    const scene_look *look = c->look;
    const bool obstacles = c->result->n_obstacles > 0, forces = has_forces(c->result);
    put_shadows(script, c);
    put_patches(script, c);
    if (obstacles) {
        fputs("$obstacles << EOD\n0 NaN\n\n", script);
        put_obstacles(script, c->result, c->at, NULL, look->view, &look->cut, look->factor);
        fputs("EOD\n", script);
    }
    if (forces) put_forces(script, c);
    fputs("plot ", script);
    if (look->view->corner)
        fputs("$shadows using 1:2 with lines lc rgb '#d9d9d9' lw 4 notitle, ", script);
    if (obstacles)
        fputs("$obstacles using 1:2 with lines lc rgb '#b0a596' lw 1.2 notitle, ", script);
    fputs("$patches using 1:2:3 with filledcurves closed fs solid noborder lc rgb variable "
          "notitle",
          script);
    if (forces)
        fputs(", $forces using 1:2:3:4 with vectors filled size screen 0.012,20 lc rgb '#c2410c' "
              "lw 1.3 notitle",
              script);
    fputc('\n', script);
}

bool put_scene(FILE *script, const figure *f, int i, instant at, const scene_look *look) {
    canvas c = {.figure = f, .result = f->results[i], .look = look, .which = i, .at = at};
    size_t n = (size_t)most_points(c.result);
    c.points = malloc(3 * n * sizeof *c.points);
    c.radii = malloc(n * sizeof *c.radii);
    bool ok = c.points && c.radii && add_parts(&c);
    if (ok) put_all(script, &c);
    mesh_free(&c.mesh);
    free(c.patches);
    free(c.points);
    free(c.radii);
    return ok;
}
