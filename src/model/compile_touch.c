// model/compile_touch.c - obstacles of a robot, and how hard they are for each rod.
#include <math.h>
#include <stdlib.h>

#include "model/touch.h"
#include "robot/facts.h"
#include "robot/places.h"

bool touch_make(const td_robot *robot, int n_points, int n_rows, touch *out) {
    size_t n_pieces = 0;
    *out = (touch){.n = robot->n_obstacles, .n_points = n_points};
    if (out->n == 0) return true;
    for (int i = 0; i < out->n; i++)
        n_pieces += (size_t)obstacle_n_pieces(&robot->obstacles[i].def);
    out->obstacles = calloc((size_t)out->n, sizeof *out->obstacles);
    out->pieces = calloc(n_pieces + 1, sizeof *out->pieces);
    out->laws = calloc((size_t)out->n * (size_t)n_rows + 1, sizeof *out->laws);
    out->points = calloc((size_t)n_points + 1, sizeof *out->points);
    if (!out->obstacles || !out->pieces || !out->laws || !out->points) return false;
    tube_piece *next = out->pieces;
    for (int i = 0; i < out->n; i++) {
        out->obstacles[i] = obstacle_make(&robot->obstacles[i].def, next);
        next += out->obstacles[i].n_pieces;
    }
    return true;
}

void touch_release(touch *t) {
    free(t->obstacles);
    free(t->pieces);
    free(t->laws);
    free(t->points);
}

double touch_radius(const td_robot *robot, int rod, double s) {
    const double envelope = robot->rods[rod].envelope;
    return envelope > 0.0 ? envelope : rod_radius_at(robot, rod, s);
}

static double bending_of(const robot_rod *r) {
    double x;
    const td_section_properties p = piece_properties(piece_at(r, 0.0, &x), 0.0);
    return fmax(p.stiffness[0], p.stiffness[1]);
}

static bool is_joined(const robot_rod *r, int body) {
    return r->base.body == body || (r->tip.held && r->tip.body == body);
}

void touch_set_rod(touch *t, const td_robot *robot, int rod, int row, double h) {
    const robot_rod *r = &robot->rods[rod];
    const double EI = bending_of(r);
    for (int i = 0; i < t->n; i++) {
        const td_obstacle_def *o = &t->obstacles[i].def;
        touch_law *law = &t->laws[row * t->n + i];
        *law = touch_law_of(o, EI, h, touch_radius(robot, rod, 0.0), r->length);
        law->never = o->body != TD_WORLD && is_joined(r, o->body);
    }
}

// ---------------------------------------------------------------- bodies
// Balls along a capsule, at most a diameter apart where there are enough of them.
static int balls_along(const td_body_def *d, vec3 at[TOUCH_MOST]) {
    const double length = d->shape == TD_BODY_CAPSULE ? d->height - 2.0 * d->radius : 0.0;
    const int n = length > 0.0 ? (int)fmin(TOUCH_MOST, 2.0 + floor(length / (2.0 * d->radius))) : 1;
    for (int i = 0; i < n; i++)
        at[i] = vec3_make(0.0, 0.0, n > 1 ? length * ((double)i / (n - 1) - 0.5) : 0.0);
    return n;
}

static int corners_of(const td_body_def *d, vec3 at[TOUCH_MOST]) {
    for (int i = 0; i < 8; i++)
        at[i] = vec3_make((i & 1 ? 0.5 : -0.5) * d->sides[0], (i & 2 ? 0.5 : -0.5) * d->sides[1],
                          (i & 4 ? 0.5 : -0.5) * d->sides[2]);
    return 8;
}

static double size_of(const td_body_def *d) {
    if (d->shape != TD_BODY_BOX) return fmax(d->height, 2.0 * d->radius);
    return fmax(d->sides[0], fmax(d->sides[1], d->sides[2]));
}

touch_body touch_body_of(const td_body_def *d) {
    touch_body out = {.n = 0};
    if (d->shape == TD_BODY_PLAIN) return out;
    const bool box = d->shape == TD_BODY_BOX;
    out.n = box ? corners_of(d, out.at) : balls_along(d, out.at);
    for (int i = 0; i < out.n; i++) out.at[i] = vec3_add(out.at[i], vec3_load(d->centre));
    out.radius = box ? 0.0 : d->radius;
    out.length = size_of(d) / out.n;
    return out;
}

// N: what rods that carry it do to it where they bend far, EI/L^2; and N/m by L.
typedef struct carriers {
    double force, stiffness;
} carriers;

static carriers carriers_of(const td_robot *robot, int body) {
    carriers out = {0.0, 0.0};
    for (int i = 0; i < robot->n_rods; i++) {
        const robot_rod *r = &robot->rods[i];
        if (!is_joined(r, body) && robot->bodies[body].def.rod != i) continue;
        const double EI = bending_of(r);
        out.force = fmax(out.force, EI / (r->length * r->length));
        out.stiffness = fmax(out.stiffness, EI / (r->length * r->length * r->length));
    }
    return out;
}

#define LITTLE 1e-3    // of its size, that a body goes in under those, or under
#define HEAVIER 10.0   // times its weight
#define STANDARD 9.81  // m/s^2

void touch_set_body(touch *t, const td_robot *robot, int body, int row) {
    const td_body_def *d = &robot->bodies[body].def;
    const carriers by = carriers_of(robot, body);
    const double size = size_of(d), force = fmax(HEAVIER * STANDARD * d->mass, by.force);
    const double chosen = force / (LITTLE * size) / size;
    for (int i = 0; i < t->n && size > 0.0; i++) {
        const td_obstacle_def *o = &t->obstacles[i].def;
        contact_law law = {o->stiffness, o->friction, o->presliding};
        if (!(law.stiffness > 0.0)) law.stiffness = chosen;
        if (!(law.presliding > 0.0)) law.presliding = 0.005 * size;
        const double soft = by.stiffness / (law.stiffness * size);
        t->laws[row * t->n + i] =
            (touch_law){law, soft > 0.0 ? fmin(1.0, soft) : 1.0, o->body == body};
    }
}
