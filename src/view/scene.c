// view/scene.c - see scene.h.
#include "view/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/surface.h"
#include "robot/facts.h"
#include "view/slider.h"
#include "math/pi.h"

// ---------------------------------------------------------------- rods
typedef struct outline {
    double radius, width, height;
} outline;

static outline outline_at(const td_robot *robot, int rod, double s) {
    const td_section at = td_robot_section(robot, rod, s);
    outline o = {rod_radius_at(robot, rod, s), at.width, at.height};
    // A rod given by its stiffness alone still wants to be seen.
    if (!(o.radius > 0.0)) o.radius = robot->rods[rod].length / 100;
    return o;
}

bool scene_set_rod_points(scene *s, const td_robot *robot, int rod, const double *at, int n) {
    scene_rod *r = &s->rods[rod];
    double *memory = malloc(sizeof *memory * 4 * (size_t)n);
    if (!memory) return false;
    free(r->s);
    r->n_points = n;
    r->s = memory, r->radius = memory + n, r->width = memory + 2 * n, r->height = memory + 3 * n;
    bool rectangle = true;
    for (int i = 0; i < n; i++) {
        r->s[i] = at ? at[i] : point_along(fed_stretch_of(robot, rod), r->length, i, n);
        const outline o = outline_at(robot, rod, r->s[i]);
        r->radius[i] = o.radius, r->width[i] = o.width, r->height[i] = o.height;
        rectangle = rectangle && o.width > 0.0;
    }
    if (!rectangle) r->width = r->height = NULL;
    return true;
}

static int rod_points(int n_rods) {
    int n = 240 / n_rods;
    return n < 13 ? 13 : n > 41 ? 41 : n;
}

static bool add_rod(scene *s, const td_robot *robot, int i) {
    const robot_rod *rod = &robot->rods[i];
    scene_rod *to = &s->rods[i];
    snprintf(to->name, sizeof to->name, "%s", rod->name);
    to->length = rod->length;
    to->envelope = rod->envelope;
    to->on = rod->base.body;
    to->free = rod->base.joint == TD_FREE;
    to->tip_held = rod->tip.held && rod->tip.body == TD_WORLD;
    return scene_set_rod_points(s, robot, i, NULL, rod_points(robot->n_rods));
}

// ---------------------------------------------------------------- actuators
static int input_of(td_number n) {
    return n.gain != 0.0 ? n.input : -1;
}

// The end of a colour scale: that of the slider; where the effort is not given, one that bends.
static double largest_of(const td_robot *robot, td_number n, bool effort, double otherwise) {
    if (!effort) return otherwise;
    if (n.gain == 0.0) return round_up(fabs(n.value));
    slider sl = slider_of(robot, n.input);
    return fmax(fabs(sl.min), fabs(sl.max)) * fabs(n.gain);
}

static void add_actuator(scene *s, const td_robot *robot, int i) {
    const actuator_facts f = actuator_facts_of(robot, i);
    scene_actuator *to = &s->actuators[i];
    const int most = !f.kind->thin ? 0 : f.straight ? 25 : 41;
    *to = (scene_actuator){.kind = f.kind,
                           .rod = f.rod_index,
                           .n_points = robot->n_actuators > 12 ? (most + 1) / 2 : most,
                           .input = input_of(f.number),
                           .given = f.given,
                           .from = f.from,
                           .to = f.to,
                           .offset = {f.offset[0], f.offset[1]},
                           .radius = sqrt(f.area / PI)};
    snprintf(to->name, sizeof to->name, "%s", f.name);
    to->largest = largest_of(robot, f.number, f.by_effort, round_up(f.effort_scale));
}

// ---------------------------------------------------------------- bodies
// Sides of the box of this mass and inertia: Ixx = m (b^2 + c^2)/12, ...
static bool box_of(const td_body_def *d, double size[3]) {
    if (!(d->mass > 0.0)) return false;
    for (int k = 0; k < 3; k++) {
        const double *I = d->inertia;
        double squared = 6 * (I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]) / d->mass;
        size[k] = squared > 0.0 ? sqrt(squared) : 0.0;
    }
    return size[0] + size[1] + size[2] > 0.0;
}

static void add_body(scene *s, const td_robot *robot, int i) {
    const td_body_def *d = &robot->bodies[i].def;
    scene_body *to = &s->bodies[i];
    *to = (scene_body){.rod = d->rod, .shape = "point", .radius = d->radius, .height = d->height};
    snprintf(to->name, sizeof to->name, "%s", robot->bodies[i].name);
    for (int k = 0; k < 3; k++) to->centre[k] = d->centre[k];
    if (d->radius > 0.0 && d->height > 0.0) to->shape = "cylinder";
    else if (box_of(d, to->size)) to->shape = "box";
}

// ---------------------------------------------------------------- obstacles
// Around the bases of rods, as far as they reach.
static surface_cut around_bases(const scene *s, const td_robot *robot) {
    surface_cut cut = {.radius = s->size};
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < 3; k++)
            cut.middle[k] += robot->rods[i].base.position[k].value / robot->n_rods;
    return cut;
}

// Six digits are more than a picture shows, and a third of the bytes.
static double rounded(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", x);
    return strtod(text, NULL);
}

// Faces of three or four corners as triangles.
static bool take_surface(scene_obstacle *to, const mesh *m) {
    to->points = malloc(sizeof *to->points * (size_t)(3 * m->n_points + 1));
    to->triangles = malloc(sizeof *to->triangles * (size_t)(6 * m->n_faces + 1));
    if (!to->points || !to->triangles) return false;
    to->n_points = m->n_points;
    for (int i = 0; i < 3 * m->n_points; i++) to->points[i] = rounded(m->points[i]);
    for (int f = 0; f < m->n_faces; f++) {
        const int from = f ? m->ends[f - 1] : 0;
        for (int i = from + 1; i + 1 < m->ends[f]; i++) {
            double *t = to->triangles + 3 * to->n_triangles++;
            t[0] = m->corners[from], t[1] = m->corners[i], t[2] = m->corners[i + 1];
        }
    }
    return true;
}

static bool add_obstacle(scene *s, const td_robot *robot, int i) {
    const td_obstacle_def *d = &robot->obstacles[i].def;
    const surface_cut cut = around_bases(s, robot);
    scene_obstacle *to = &s->obstacles[i];
    to->on = d->body;
    to->endless = surface_is_endless(d);
    to->room = obstacle_facts_of(robot, i).room;
    snprintf(to->name, sizeof to->name, "%s", robot->obstacles[i].name);
    mesh m = {0};
    const bool ok = mesh_add_obstacle_of(&m, robot, i, &cut) && take_surface(to, &m);
    mesh_free(&m);
    return ok;
}

// ---------------------------------------------------------------- all of it
static void add_input(scene *s, const td_robot *robot, int i) {
    scene_input *to = &s->inputs[i];
    slider sl = slider_of(robot, i);
    *to = (scene_input){.kind = sl.kind, .min = sl.min, .max = sl.max};
    snprintf(to->name, sizeof to->name, "%s", robot->inputs[i].name);
    snprintf(to->unit, sizeof to->unit, "%s", robot->inputs[i].unit);
}

void scene_count(scene *s) {
    s->rod_points = 0;
    for (int i = 0; i < s->n_rods; i++) s->rod_points += s->rods[i].n_points;
    s->rod_floats = 7 * s->rod_points;
    s->floats = s->rod_floats;
    for (int i = 0; i < s->n_actuators; i++) s->floats += 3 * s->actuators[i].n_points + 2;
    s->floats += 8 * s->n_bodies + N_ENERGY + s->n_inputs + 2 + 6;
    s->floats += 7 * s->n_obstacles + ARROW_FLOATS * s->n_arrows;
    for (int i = 0; s->touches && i < s->n_rods; i++) s->floats += 3 * s->rods[i].n_points;
}

static bool reserve(scene *s, const td_robot *robot, int n_inputs) {
    s->n_rods = robot->n_rods;
    s->n_actuators = robot->n_actuators;
    s->n_bodies = robot->n_bodies;
    s->n_obstacles = robot->n_obstacles;
    s->n_fields = robot->n_fields;
    for (int i = 0; i < s->n_fields; i++) s->fields[i] = robot->fields[i].def;
    s->touches = robot->n_obstacles + robot->n_contacts > 0;
    s->n_inputs = n_inputs;
    s->rods = calloc((size_t)s->n_rods + 1, sizeof *s->rods);
    s->actuators = calloc((size_t)s->n_actuators + 1, sizeof *s->actuators);
    s->bodies = calloc((size_t)s->n_bodies + 1, sizeof *s->bodies);
    s->obstacles = calloc((size_t)s->n_obstacles + 1, sizeof *s->obstacles);
    s->inputs = calloc((size_t)s->n_inputs + 1, sizeof *s->inputs);
    s->arrows = arrows_of(robot, &s->n_arrows);
    return s->rods && s->actuators && s->bodies && s->obstacles && s->inputs && s->arrows;
}

scene *scene_create(const td_robot *robot, int n_inputs) {
    scene *s = calloc(1, sizeof *s);
    bool ok = s && reserve(s, robot, n_inputs);
    if (ok) s->size = robot_size(robot);
    for (int i = 0; ok && i < robot->n_rods; i++) ok = add_rod(s, robot, i);
    for (int i = 0; ok && i < robot->n_obstacles; i++) ok = add_obstacle(s, robot, i);
    if (!ok) {
        scene_destroy(s);
        return NULL;
    }
    snprintf(s->name, sizeof s->name, "%s", robot->name ? robot->name : "");
    for (int k = 0; k < 3; k++)
        s->gravity[k] = robot->gravity[k].gain == 0.0 ? robot->gravity[k].value : (double)NAN;
    s->force_scale = force_scale_of(robot);
    for (int i = 0; i < robot->n_actuators; i++) add_actuator(s, robot, i);
    for (int i = 0; i < robot->n_bodies; i++) add_body(s, robot, i);
    for (int i = 0; i < n_inputs; i++) add_input(s, robot, i);
    scene_count(s);
    return s;
}

// Bytes of a name that are the ending of a file.
static size_t ending_of(const char *name, size_t n) {
    static const char *const endings[] = {".yaml", ".yml", ".h5"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i]);
        if (n > m && !strncmp(name + n - m, endings[i], m)) return m;
    }
    return 0;
}

void scene_name_after(scene *s, const char *path) {
    if (s->name[0]) return;
    size_t end = strlen(path), start;
    while (end > 1 && path[end - 1] == '/') end--;
    for (start = end; start > 0 && path[start - 1] != '/';) start--;
    size_t n = end - start;
    n -= ending_of(path + start, n);
    snprintf(s->name, sizeof s->name, "%.*s", (int)n, path + start);
}

void scene_keep_obstacles(scene *s, int n) {
    while (s->n_obstacles > n) {
        const scene_obstacle *o = &s->obstacles[--s->n_obstacles];
        free(o->points);
        free(o->triangles);
    }
}

void scene_destroy(scene *s) {
    if (!s) return;
    for (int i = 0; s->rods && i < s->n_rods; i++) free(s->rods[i].s);
    free(s->rods);
    free(s->actuators);
    free(s->bodies);
    if (s->obstacles) scene_keep_obstacles(s, 0);
    free(s->obstacles);
    free(s->arrows);
    free(s->inputs);
    free(s);
}
