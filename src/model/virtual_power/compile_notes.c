// model/virtual_power/compile_notes.c - where a core that does not twist only comes near.
#include <math.h>
#include <stdlib.h>

#include "model/virtual_power/compile.h"

#define SAME_PLANE 1e-6  // sine of the angle between two planes that are one

typedef struct bending_plane {  // in which an arm is bent, as far as is known
    double x, y;                // direction across its axis; 0, 0: none yet
    bool left;                  // there is another one
} bending_plane;

// Something bends it towards (x, y) of its base.
static void bend_towards(bending_plane *p, double x, double y) {
    const double size = hypot(x, y);
    if (!(size > 0.0)) return;
    if (p->x == 0.0 && p->y == 0.0) p->x = x / size, p->y = y / size;
    p->left |= fabs(p->x * y - p->y * x) > SAME_PLANE * size;
}

// A force, by its value and by each part that an input drives; turned: a moment, which bends across
// itself. R: from the axes of the base to those that it is given in.
static void bend_by(bending_plane *p, const td_number n[3], const mat3 *R, bool turned) {
    const vec3 value = mat3_tmul_vec(R, vec3_make(n[0].value, n[1].value, n[2].value));
    bend_towards(p, turned ? value.y : value.x, turned ? -value.x : value.y);
    for (int k = 0; k < 3; k++) {
        const double *row = R->m[k], gain = n[k].gain;
        bend_towards(p, gain * row[turned], turned ? -gain * row[0] : gain * row[1]);
    }
}

static void bend_by_drives(bending_plane *p, const chain *c) {
    for (int j = 0; j < c->n_drives; j++)
        for (int i = 0; i < c->drives[j].end; i++) {
            const vec3 r = actuator_route(c->drives[j].a, c->segments[i].s).r;
            bend_towards(p, r.x, r.y);
        }
}

static void bend_by_rest(bending_plane *p, const chain *c) {
    for (int i = 0; i < c->n; i++)
        bend_towards(p, c->segments[i].rest_moment[1], -c->segments[i].rest_moment[0]);
}

static void bend_by_weight(bending_plane *p, const virtual_power *c, const arm *a) {
    double mass = 0.0;
    for (int i = 0; i < a->chain.n; i++) mass += a->chain.segments[i].mass;
    if (mass > 0.0) bend_by(p, c->around.gravity, &a->base.R, false);
    for (int i = 0; i < a->chain.n && any_number(c->around.gravity); i++)
        bend_towards(p, a->chain.segments[i].moment.x, a->chain.segments[i].moment.y);
}

static void bend_by_loads(bending_plane *p, const arm *a) {
    const mat3 same = mat3_identity();
    for (int i = 0; i < a->n_loads; i++) {
        const td_load_def *load = &a->loads[i].of;
        const mat3 *R = load_answers(load) ? &same : &a->base.R;
        bend_by(p, load->force, R, false);
        bend_by(p, load->moment, R, true);
    }
}

// A uniform field turns what is magnetised along its axis towards itself; dipoles, gradients and other magnets may bend it
// anywhere.
static void bend_by_field(bending_plane *p, const td_field_def *f, const arm *a) {
    bend_by(p, f->flux, &a->base.R, false);
    p->left |= f->kind == TD_FIELD_DIPOLE;
    for (int k = 0; k < 5; k++)
        p->left |= f->gradient[k].value != 0.0 || f->gradient[k].gain != 0.0;
    for (int i = 0; i < a->chain.n; i++) {
        const vec3 m = a->chain.segments[i].around.magnet;
        p->left |= m.x != 0.0 || m.y != 0.0;
    }
}

static void bend_by_surroundings(bending_plane *p, const virtual_power *c, const arm *a) {
    for (int i = 0; i < c->around.n_fields; i++) bend_by_field(p, &c->around.fields[i], a);
    if (c->around.fluid.density > 0.0) bend_by(p, c->around.fluid.velocity, &a->base.R, false);
}

// Bent in one plane a core does not twist.
static bool leaves_its_plane(const virtual_power *c, const arm *a) {
    bending_plane p = {.left = a->touch.n > 0};
    bend_by_drives(&p, &a->chain);
    bend_by_rest(&p, &a->chain);
    bend_by_weight(&p, c, a);
    bend_by_loads(&p, a);
    bend_by_surroundings(&p, c, a);
    for (int i = 0; i < a->chain.n; i++)  // sections that are no circles bend to the softer side
        p.left |= a->chain.segments[i].stiffness[0] != a->chain.segments[i].stiffness[1] &&
                  fabs(p.x * p.y) > SAME_PLANE;
    return p.left;
}

static bool note_plane(virtual_power *c, const arm *a) {
    if (!leaves_its_plane(c, a)) return true;
    return notes_add(
        &c->notes,
        "rods.%s: what acts on it may bend it out of one plane, and its core does not twist "
        "here, which may then move its tip by 5 %% of its length and more; "
        "simulation.virtual_power.torsion: true lets it",
        a->name);
}

static bool note_moment(virtual_power *c, const td_load_def *load) {
    const mat3 *base = load->rod < 0 ? NULL : &c->arms[load->rod].base.R;
    if (!any_number(load->moment) || !load_twists(load, base)) return true;
    return notes_add(&c->notes,
                     "loads.%s.moment: its part along the axis would twist the core, which does "
                     "not; simulation.virtual_power.torsion: true lets it",
                     load->name);
}

static bool note_obstacles(virtual_power *c, const td_robot *robot) {
    double *gaps = calloc((size_t)c->n_arms + 1, sizeof *gaps);
    if (!gaps) return false;
    for (int i = 0; i < c->n_arms; i++)
        for (int k = 0; k < c->arms[i].chain.n; k++)
            gaps[i] = fmax(gaps[i], c->arms[i].chain.segments[k].length);
    const bool ok = touch_notes(robot, gaps, "simulation.virtual_power.discs", &c->notes);
    free(gaps);
    return ok;
}

bool add_notes(virtual_power *c, const td_robot *robot) {
    bool fine = note_obstacles(c, robot);
    if (c->options.virtual_power.torsion) return fine;
    for (int i = 0; i < c->n_arms && fine; i++) fine = note_plane(c, &c->arms[i]);
    for (int i = 0; i < robot->n_loads && fine; i++) fine = note_moment(c, &robot->loads[i].def);
    return fine;
}

const char *power_note(const void *compiled, int index) {
    return notes_get(&((const virtual_power *)compiled)->notes, index);
}
