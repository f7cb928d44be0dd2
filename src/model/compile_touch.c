// model/compile_touch.c - obstacles of a robot, and how hard they are for each rod.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/base.h"
#include "model/touch.h"
#include "robot/facts.h"
#include "robot/places.h"
#include "model/obstacles.h"

static bool make_names(const td_robot *robot, touch *out) {
    const int n = robot->n_obstacles + robot->n_rods + robot->n_bodies;
    touch_name *next = out->names = calloc((size_t)n + 1, sizeof *out->names);
    if (!next) return false;
    out->n_rods = robot->n_rods;
    for (int i = 0; i < robot->n_obstacles; i++, next++)
        snprintf(next->text, sizeof next->text, "%.60s", robot->obstacles[i].name);
    for (int i = 0; i < robot->n_rods; i++, next++)
        snprintf(next->text, sizeof next->text, "rod '%.60s'", robot->rods[i].name);
    for (int i = 0; i < robot->n_bodies; i++, next++)
        snprintf(next->text, sizeof next->text, "body '%.60s'", robot->bodies[i].name);
    return true;
}

bool touch_make(const td_robot *robot, int n_points, int n_rows, touch *out) {
    *out = (touch){.n = robot->n_obstacles, .n_points = n_points};
    if (out->n == 0) return true;
    out->obstacles = obstacles_create(robot);
    out->laws = calloc((size_t)out->n * (size_t)n_rows + 1, sizeof *out->laws);
    out->points = calloc((size_t)n_points + 1, sizeof *out->points);
    return out->obstacles && out->laws && out->points && make_names(robot, out);
}

void touch_release(touch *t) {
    obstacles_destroy(t->obstacles, t->n);
    free(t->laws);
    free(t->points);
    free(t->names);
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

#define STANDARD 9.81  // m/s^2

static double weight_of(const robot_rod *r) {
    double x;
    return STANDARD * piece_properties(piece_at(r, 0.0, &x), 0.0).mass;
}

static bool is_joined(const robot_rod *r, int body) {
    return r->base.body == body || (r->tip.held && r->tip.body == body);
}

void touch_set_rod(touch *t, const td_robot *robot, int rod, int row, double h) {
    const robot_rod *r = &robot->rods[rod];
    const touch_rod facts = {bending_of(r), weight_of(r), h, touch_radius(robot, rod, 0.0),
                             r->length};
    for (int i = 0; i < t->n; i++) {
        const td_obstacle_def *o = &t->obstacles[i].def;
        touch_law *law = &t->laws[row * t->n + i];
        *law = touch_law_of(o, &facts);
        law->never = o->body != TD_WORLD && is_joined(r, o->body);
    }
}

bool touch_rod_at(const td_robot *robot, int rod, int n, const double *s, double h, touch *out) {
    *out = (touch){.n = 0};
    if (robot->n_obstacles == 0) return true;
    if (!touch_make(robot, n, 1, out)) return false;
    touch_set_rod(out, robot, rod, 0, h);
    for (int i = 0; i < n; i++) {
        const double from = i ? 0.5 * (s[i - 1] + s[i]) : 0.0;
        const double to = i + 1 < n ? 0.5 * (s[i] + s[i + 1]) : s[i];
        out->points[i] = (touch_point){.radius = touch_radius(robot, rod, s[i]),
                                       .length = to - from,
                                       .there = td_constant(1.0),
                                       .rod = rod,
                                       .body = -1,
                                       .s = s[i]};
    }
    return true;
}

// ---------------------------------------------------------------- bodies
#define MOST_BALLS 8

// Balls along a capsule, at most a diameter apart where there are enough of them.
static int balls_along(const td_body_def *d, vec3 at[TOUCH_MOST]) {
    const double length = d->shape == TD_BODY_CAPSULE ? d->height - 2.0 * d->radius : 0.0;
    const int n = length > 0.0 ? (int)fmin(MOST_BALLS, 2.0 + floor(length / (2.0 * d->radius))) : 1;
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

static int n_faces(const int i[3], int last) {
    return (i[0] % last == 0) + (i[1] % last == 0) + (i[2] % last == 0);
}

// A net over its sides with so many points along each edge, without the corners.
static int sides_of(const td_body_def *d, int along, vec3 *at) {
    const int last = along - 1;
    int n = 0;
    for (int k = 0; k < along * along * along; k++) {
        const int i[3] = {k % along, k / along % along, k / (along * along)};
        if (n_faces(i, last) == 0 || n_faces(i, last) == 3) continue;
        at[n++] = vec3_make(d->sides[0] * ((double)i[0] / last - 0.5),
                            d->sides[1] * ((double)i[1] / last - 0.5),
                            d->sides[2] * ((double)i[2] / last - 0.5));
    }
    return n;
}

static double size_of(const td_body_def *d) {
    if (d->shape != TD_BODY_BOX) return fmax(d->height, 2.0 * d->radius);
    return fmax(d->sides[0], fmax(d->sides[1], d->sides[2]));
}

// Corners alone do where an obstacle is thicker than a box.
static bool slips_between(const td_body_def *d, double thickness) {
    return d->shape == TD_BODY_BOX && thickness < size_of(d);
}

// Four within the thickness of the thinnest, if that is not too many; 0: none is needed.
static int points_along(const td_robot *robot, const td_body_def *d) {
    double thinnest = HUGE_VAL;
    for (int i = 0; i < robot->n_obstacles; i++) {
        const double through =
            obstacle_thickness(&robot->obstacles[i].def, robot->obstacles[i].grid);
        if (slips_between(d, through)) thinnest = fmin(thinnest, through);
    }
    return isfinite(thinnest) ? (int)fmin(TOUCH_ALONG, 2.0 + floor(4.0 * size_of(d) / thinnest))
                              : 0;
}

touch_body touch_body_of(const td_robot *robot, const td_body_def *d) {
    touch_body out = {.n = 0};
    if (d->shape == TD_BODY_PLAIN) return out;
    const bool box = d->shape == TD_BODY_BOX;
    out.n = box ? corners_of(d, out.at) : balls_along(d, out.at);
    const int few = out.first = out.n;
    const int along = points_along(robot, d);
    if (along) out.n += sides_of(d, along, out.at + few);
    for (int i = 0; i < out.n; i++) out.at[i] = vec3_add(out.at[i], vec3_load(d->centre));
    out.radius = box ? 0.0 : d->radius;
    out.length = size_of(d) / few;
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

// Of all bodies that hold one another, with this one.
static double mass_with(const td_robot *robot, int body) {
    const int root = root_of_body(robot, body);
    double sum = 0.0;
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod < 0 && root_of_body(robot, i) == root)
            sum += robot->bodies[i].def.mass;
    return robot->bodies[body].def.rod < 0 ? sum : robot->bodies[body].def.mass;
}

#define LITTLE 1e-3   // of its size, that a body goes in under those, or under
#define HEAVIER 10.0  // times its weight, with that of what holds it

touch_hardness touch_body_hardness(const td_robot *robot, int body) {
    const td_body_def *d = &robot->bodies[body].def;
    const carriers by = carriers_of(robot, body);
    const double size = size_of(d),
                 force = fmax(HEAVIER * STANDARD * mass_with(robot, body), by.force);
    return (touch_hardness){size, force / (LITTLE * size), by.stiffness};
}

touch_hardness touch_rod_hardness(const td_robot *robot, int rod, double h) {
    const double EI = bending_of(&robot->rods[rod]), L = robot->rods[rod].length;
    return (touch_hardness){h, TOUCH_HARDNESS * EI / (h * h * h), EI / (L * L * L)};
}

void touch_set_body(touch *t, const td_robot *robot, int body, int row) {
    const touch_hardness hard = touch_body_hardness(robot, body);
    const double size = hard.length, chosen = hard.stiffness / size;
    for (int i = 0; i < t->n && size > 0.0; i++) {
        const td_obstacle_def *o = &t->obstacles[i].def;
        contact_law law = {o->stiffness, o->friction, o->presliding, o->restitution};
        if (!(law.stiffness > 0.0)) law.stiffness = chosen;
        if (!(law.presliding > 0.0)) law.presliding = 0.005 * size;
        const double soft = hard.softest / (law.stiffness * size);
        const touch_law own = {law, soft > 0.0 ? fmin(1.0, soft) : 1.0, o->body == body, o->hard};
        touch_law *behind = &t->laws[(row + 1) * t->n + i];
        t->laws[row * t->n + i] = *behind = own;
        behind->never =
            own.never || !slips_between(&robot->bodies[body].def, t->obstacles[i].through);
    }
}

// ---------------------------------------------------------------- notes
typedef struct among {  // a rod and an obstacle
    const td_robot *robot;
    int rod, obstacle;
    const double *inputs;
    double radius, gap, thick;  // m
    const char *more;
} among;

// A rod touches at its points: what is thinner than their distance may pass between two of them.
static bool note_thin(const among *x, model_notes *notes) {
    const double thick = x->thick;
    if (thick + 2.0 * x->radius > 2.0 * x->gap) return true;
    return notes_add(notes,
                     "obstacles.%.60s: it is %.3g m thick, and the nodes of rod '%.60s', which "
                     "alone touch, are up to %.3g m apart: it may be missed; more "
                     "%s see it",
                     x->robot->obstacles[x->obstacle].name, thick, x->robot->rods[x->rod].name,
                     x->gap, x->more);
}

static bool note_base(const among *x, const obstacle *o, model_notes *notes) {
    const robot_rod *r = &x->robot->rods[x->rod];
    if (r->base.body != TD_WORLD || obstacle_is_carried(o)) return true;
    const se3 frame = obstacle_frame(o, x->inputs);
    const vec3 base = numbers_at(r->base.position, x->inputs);
    const double deep = x->radius - obstacle_distance_from(o, &frame, base).phi;
    if (!(deep > 1e-9 * r->length)) return true;
    return notes_add(notes,
                     "obstacles.%.60s: the base of rod '%.60s', which is held, begins %.3g m deep "
                     "in it, and what lies there is pressed out with all its stiffness",
                     x->robot->obstacles[x->obstacle].name, r->name, deep);
}

static bool note_bodies(const td_robot *robot, model_notes *notes) {
    for (int i = 0; i < robot->n_bodies; i++)
        if (!body_touches(robot, i))
            return notes_add(notes, "obstacles: rods touch them; bodies without the shape of a "
                                    "sphere, a capsule or a box pass through");
    return true;
}

bool touch_notes(const td_robot *robot, const double *gaps, const char *more, model_notes *notes) {
    touch t;
    if (robot->n_obstacles == 0) return true;
    double *inputs = calloc((size_t)robot->n_inputs + 1, sizeof *inputs);
    bool ok = touch_make(robot, 0, 0, &t) && inputs && note_bodies(robot, notes);
    for (int i = 0; i < robot->n_inputs && inputs; i++)
        inputs[i] = td_signal_value(&robot->inputs[i].signal, 0.0, TD_AFTER);
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->n_obstacles && ok; k++) {
            const among x = {
                robot, i, k, inputs, touch_radius(robot, i, 0.0), gaps[i], t.obstacles[k].through,
                more};
            ok = note_thin(&x, notes) && note_base(&x, &t.obstacles[k], notes);
        }
    touch_release(&t);
    free(inputs);
    return ok;
}
