// model/compile_pairs.c - which parts of a robot touch one another, and how hard they are.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/pairs.h"
#include "model/touch.h"

#define LEAN 1e-4          // of the square of a capsule's length: see pair.h
#define PER_CAPSULE 8      // pairs that touch at once, on the average of all capsules
#define MOST_AT_LEAST 256  // and this many in any case

// ---------------------------------------------------------------- capsules
void pairs_add_stretch(part_contacts *k, const td_robot *robot, int rod, double s, double length) {
    k->capsules[k->n++] = (capsule){.part = rod,
                                    .s = s,
                                    .length = length,
                                    .left = robot->rods[rod].length - s - length,
                                    .radius = touch_radius(robot, rod, s + 0.5 * length),
                                    .lean = LEAN * length * length,
                                    .there = td_constant(1.0)};
}

void pairs_add_body(part_contacts *k, const td_robot *robot, int body, vec3 ends[2]) {
    const td_body_def *d = &robot->bodies[body].def;
    const double length = d->shape == TD_BODY_CAPSULE ? d->height - 2.0 * d->radius : 0.0;
    const vec3 centre = vec3_load(d->centre), half = vec3_make(0.0, 0.0, 0.5 * length);
    ends[0] = vec3_sub(centre, half), ends[1] = vec3_add(centre, half);
    k->capsules[k->n++] = (capsule){.part = k->n_rods + body,
                                    .length = length,
                                    .radius = d->radius,
                                    .lean = LEAN * fmax(length * length, d->radius * d->radius),
                                    .there = d->attached};
}

// ---------------------------------------------------------------- laws
typedef struct part_facts {
    const td_robot *robot;
    int n_rods;
    const double *h;  // (n_rods) m, of stretches
} part_facts;

static touch_hardness hardness_of(const part_facts *f, int part) {
    if (part >= f->n_rods) return touch_body_hardness(f->robot, part - f->n_rods);
    return touch_rod_hardness(f->robot, part, f->h[part]);
}

// Of two rods or two bodies the softer counts, of a rod and a body the rod, which moves more easily where it is struck.
static double chosen(const part_facts *f, int a, int b, double x, double y) {
    if ((a < f->n_rods) == (b < f->n_rods)) return fmin(x, y);
    return a < f->n_rods ? x : y;
}

static part_law law_of(const part_facts *f, int which, int a, int b) {
    const td_contact_def *d = &f->robot->contacts[which].def;
    const touch_hardness x = hardness_of(f, a), y = hardness_of(f, b);
    pair_law law = {.friction = d->friction};
    law.stiffness = d->stiffness > 0.0 ? d->stiffness * chosen(f, a, b, x.length, y.length)
                                       : chosen(f, a, b, x.stiffness, y.stiffness);
    const double soft = x.softest > 0.0 && y.softest > 0.0 ? fmin(x.softest, y.softest)
                                                           : fmax(x.softest, y.softest);
    return (part_law){which, law, soft > 0.0 ? fmin(1.0, soft / law.stiffness) : 1.0};
}

static bool holds(const td_robot *robot, int body, int rod) {
    const robot_rod *r = &robot->rods[rod];
    return r->base.body == body || (r->tip.held && r->tip.body == body) ||
           robot->bodies[body].def.rod == rod;
}

static void set_law(part_contacts *k, const part_facts *f, int which, int a, int b) {
    if (a < f->n_rods && b >= f->n_rods && holds(f->robot, b - f->n_rods, a)) return;
    k->laws[a * k->n_parts + b] = k->laws[b * k->n_parts + a] = law_of(f, which, a, b);
}

// Each part of a contact with every other, rods before bodies.
static void set_laws(part_contacts *k, const part_facts *f, int which) {
    const td_contact_def *d = &f->robot->contacts[which].def;
    const int n = d->n_rods + d->n_bodies;
    for (int i = 0; i < n; i++) {
        const int a = i < d->n_rods ? d->rods[i] : f->n_rods + d->bodies[i - d->n_rods];
        if (i < d->n_rods && d->self) set_law(k, f, which, a, a);
        for (int l = i + 1; l < n; l++) {
            const int b = l < d->n_rods ? d->rods[l] : f->n_rods + d->bodies[l - d->n_rods];
            set_law(k, f, which, a, b);
        }
    }
}

bool pairs_touch(const part_contacts *k, int part) {
    for (int i = 0; i < k->n_parts; i++)
        if (k->laws[part * k->n_parts + i].contact >= 0) return true;
    return false;
}

// ---------------------------------------------------------------- all of it
// Where an end is held, m; false: it is free, or a body holds it.
static bool is_in_world(const robot_rod *r, int end, vec3 *p) {
    if (end == TD_TIP) {
        *p =
            vec3_make(r->tip.position[0].value, r->tip.position[1].value, r->tip.position[2].value);
        return r->tip.held && r->tip.body == TD_WORLD;
    }
    *p = vec3_make(r->base.position[0].value, r->base.position[1].value, r->base.position[2].value);
    return r->base.body == TD_WORLD && r->base.joint != TD_FREE;
}

// Ends that the world holds within one another are joined too: a ring closed there, fingers of one palm.
static int joint_in_world(const td_robot *robot, int which) {
    vec3 own, other;
    if (!is_in_world(&robot->rods[which / 2], which % 2, &own)) return TD_WORLD;
    const double radius = touch_radius(robot, which / 2, 0.0);
    for (int i = 0; i < which; i++)
        if (is_in_world(&robot->rods[i / 2], i % 2, &other) &&
            vec3_norm(vec3_sub(own, other)) < radius + touch_radius(robot, i / 2, 0.0))
            return robot->n_bodies + i;
    return robot->n_bodies + which;
}

static void set_joined(part_contacts *k, const td_robot *robot) {
    for (int i = 0; i < 2 * k->n_rods; i++) {
        const robot_rod *r = &robot->rods[i / 2];
        const int body = i % 2 == TD_BASE ? r->base.body : r->tip.held ? r->tip.body : TD_WORLD;
        k->joined[i] = body == TD_WORLD ? joint_in_world(robot, i) : body;
    }
}

static void set_names(part_contacts *k, const td_robot *robot) {
    for (int i = 0; i < k->n_parts; i++) {
        const int body = i - k->n_rods;
        snprintf(k->names[i], sizeof *k->names, "%.63s",
                 body < 0 ? robot->rods[i].name : robot->bodies[body].name);
    }
}

bool pairs_make(part_contacts *k, const td_robot *robot, const double *h, int n) {
    if (robot->n_contacts == 0) return true;
    const part_facts facts = {robot, robot->n_rods, h};
    k->n_rods = robot->n_rods;
    k->n_parts = robot->n_rods + robot->n_bodies;
    const size_t n_parts = (size_t)k->n_parts;
    k->laws = calloc(n_parts * n_parts, sizeof *k->laws);
    k->capsules = calloc((size_t)n, sizeof *k->capsules);
    k->joined = calloc(2 * (size_t)k->n_rods, sizeof *k->joined);
    k->names = calloc(n_parts, sizeof *k->names);
    if (!k->laws || !k->capsules || !k->joined || !k->names) return false;
    for (size_t i = 0; i < n_parts * n_parts; i++) k->laws[i].contact = -1;
    for (int i = 0; i < robot->n_contacts; i++) set_laws(k, &facts, i);
    set_joined(k, robot);
    set_names(k, robot);
    return true;
}

void pairs_limit(part_contacts *k) {
    k->most = PER_CAPSULE * k->n > MOST_AT_LEAST ? PER_CAPSULE * k->n : MOST_AT_LEAST;
}

void pairs_release(part_contacts *k) {
    free(k->capsules);
    free(k->laws);
    free(k->joined);
    free(k->names);
}
