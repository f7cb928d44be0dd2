// model/lumped/compile_pairs.c - which parts of a net touch one another, and how hard they are.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/lumped/compile.h"

#define LEAN 1e-4          // of the square of a capsule's length: see pair.h
#define PER_CAPSULE 8      // pairs that touch at once, on the average of all capsules
#define MOST_AT_LEAST 256  // and this many in any case

// ---------------------------------------------------------------- capsules
static void add_segments(net *c, const td_robot *robot, int rod) {
    const net_rod *r = &c->rods[rod];
    for (int i = r->first; i < r->first + r->n; i++) {
        const segment *s = &c->segments[i];
        c->contacts.capsules[c->contacts.n++] =
            (capsule){.a = s->a,
                      .b = s->b,
                      .part = rod,
                      .s = s->s,
                      .length = s->length,
                      .radius = touch_radius(robot, rod, s->s + 0.5 * s->length),
                      .lean = LEAN * s->length * s->length,
                      .there = td_constant(1.0)};
    }
}

static place on_body(const place *on, vec3 at) {
    const mat3 R = on->apart ? on->h.R : mat3_identity();
    return (place){on->node, true, {R, on->apart ? se3_mul_point(&on->h, at) : at}, on->turner};
}

static bool is_end(const net *c, int node) {
    for (int i = 0; i < c->n_segments; i++)
        if (c->segments[i].a.node == node || c->segments[i].b.node == node) return true;
    return false;
}

// A sphere is a capsule without length. False: out of memory.
static bool add_body(net *c, const td_robot *robot, int body) {
    const td_body_def *d = &robot->bodies[body].def;
    const double length = d->shape == TD_BODY_CAPSULE ? d->height - 2.0 * d->radius : 0.0;
    const vec3 centre = vec3_load(d->centre), half = vec3_make(0.0, 0.0, 0.5 * length);
    const place *on = &c->bodies[body];
    const size_t name = strlen(d->name) + 1;
    capsule *to = &c->contacts.capsules[c->contacts.n++];
    *to = (capsule){.a = on_body(on, vec3_sub(centre, half)),
                    .b = on_body(on, vec3_add(centre, half)),
                    .part = c->n_rods + body,
                    .length = length,
                    .radius = d->radius,
                    .lean = LEAN * fmax(length * length, d->radius * d->radius),
                    .there = c->attached[body],
                    .name = malloc(name)};
    if (to->name) memcpy(to->name, d->name, name);
    c->loose = c->loose || (d->rod == FREE_BODY && !is_end(c, on->node));
    return to->name != NULL;
}

// ---------------------------------------------------------------- laws
static touch_hardness hardness_of(const net *c, const td_robot *robot, int part) {
    if (part >= c->n_rods) return touch_body_hardness(robot, part - c->n_rods);
    return touch_rod_hardness(robot, part, c->rods[part].length / c->rods[part].n);
}

// Of two rods or two bodies the softer counts, of a rod and a body the rod, which moves more easily where it is struck.
static double chosen(const net *c, int a, int b, double x, double y) {
    if ((a < c->n_rods) == (b < c->n_rods)) return fmin(x, y);
    return a < c->n_rods ? x : y;
}

static part_law law_of(const net *c, const td_robot *robot, int which, int a, int b) {
    const td_contact_def *d = &robot->contacts[which].def;
    const touch_hardness x = hardness_of(c, robot, a), y = hardness_of(c, robot, b);
    pair_law law = {.friction = d->friction};
    law.stiffness = d->stiffness > 0.0 ? d->stiffness * chosen(c, a, b, x.length, y.length)
                                       : chosen(c, a, b, x.stiffness, y.stiffness);
    const double soft = x.softest > 0.0 && y.softest > 0.0 ? fmin(x.softest, y.softest)
                                                           : fmax(x.softest, y.softest);
    return (part_law){which, law, soft > 0.0 ? fmin(1.0, soft / law.stiffness) : 1.0};
}

static bool holds(const td_robot *robot, int body, int rod) {
    const robot_rod *r = &robot->rods[rod];
    return r->base.body == body || (r->tip.held && r->tip.body == body) ||
           robot->bodies[body].def.rod == rod;
}

static void set_law(net *c, const td_robot *robot, int which, int a, int b) {
    part_contacts *k = &c->contacts;
    if (a < c->n_rods && b >= c->n_rods && holds(robot, b - c->n_rods, a)) return;
    k->laws[a * k->n_parts + b] = k->laws[b * k->n_parts + a] = law_of(c, robot, which, a, b);
}

// Each part of a contact with every other, rods before bodies.
static void set_laws(net *c, const td_robot *robot, int which) {
    const td_contact_def *d = &robot->contacts[which].def;
    const int n = d->n_rods + d->n_bodies;
    for (int i = 0; i < n; i++) {
        const int a = i < d->n_rods ? d->rods[i] : c->n_rods + d->bodies[i - d->n_rods];
        if (i < d->n_rods && d->self) set_law(c, robot, which, a, a);
        for (int k = i + 1; k < n; k++) {
            const int b = k < d->n_rods ? d->rods[k] : c->n_rods + d->bodies[k - d->n_rods];
            set_law(c, robot, which, a, b);
        }
    }
}

// ---------------------------------------------------------------- all of it
static bool touches(const net *c, int part) {
    const part_contacts *k = &c->contacts;
    for (int i = 0; i < k->n_parts; i++)
        if (k->laws[part * k->n_parts + i].contact >= 0) return true;
    return false;
}

// Where an end is held, m; false: it is free, or a body holds it.
static bool is_in_world(const robot_rod *r, int end, vec3 *p) {
    if (end == TD_TIP) {
        *p = vec3_load(r->tip.position);
        return r->tip.held && r->tip.body == TD_WORLD;
    }
    *p = vec3_make(r->base.position[0].value, r->base.position[1].value, r->base.position[2].value);
    return r->base.body == TD_WORLD;
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

static void set_joined(net *c, const td_robot *robot) {
    for (int i = 0; i < 2 * c->n_rods; i++) {
        const robot_rod *r = &robot->rods[i / 2];
        const int body = i % 2 == TD_BASE ? r->base.body : r->tip.held ? r->tip.body : TD_WORLD;
        c->contacts.joined[i] = body == TD_WORLD ? joint_in_world(robot, i) : body;
    }
}

bool net_pairs(net *c, const td_robot *robot) {
    part_contacts *k = &c->contacts;
    if (robot->n_contacts == 0) return true;
    k->n_parts = c->n_rods + robot->n_bodies;
    const size_t n_parts = (size_t)k->n_parts, n = (size_t)(c->n_segments + robot->n_bodies);
    k->laws = calloc(n_parts * n_parts, sizeof *k->laws);
    k->capsules = calloc(n, sizeof *k->capsules);
    k->joined = calloc(2 * (size_t)c->n_rods, sizeof *k->joined);
    if (!k->laws || !k->capsules || !k->joined) return false;
    for (size_t i = 0; i < n_parts * n_parts; i++) k->laws[i].contact = -1;
    for (int i = 0; i < robot->n_contacts; i++) set_laws(c, robot, i);
    set_joined(c, robot);
    for (int i = 0; i < c->n_rods; i++)
        if (touches(c, i)) add_segments(c, robot, i);
    for (int i = 0; i < robot->n_bodies; i++)
        if (touches(c, c->n_rods + i) && !add_body(c, robot, i)) return false;
    k->most = PER_CAPSULE * k->n > MOST_AT_LEAST ? PER_CAPSULE * k->n : MOST_AT_LEAST;
    return true;
}

void free_pairs(net *c) {
    for (int i = 0; i < c->contacts.n; i++) free(c->contacts.capsules[i].name);
    free(c->contacts.capsules);
    free(c->contacts.laws);
    free(c->contacts.joined);
}

// ---------------------------------------------------------------- the matrix
static bool moves_with(const place *at, int node) {
    return at->node == node || at->turner == node + 1;
}

static bool is_touched(const net *c, int node) {
    for (int i = 0; i < c->contacts.n; i++) {
        const capsule *k = &c->contacts.capsules[i];
        if (moves_with(&k->a, node) || moves_with(&k->b, node)) return true;
    }
    return false;
}

// Elimination fills in what lies between anyway: all of them with one another.
int touching_nodes(const net *c, int *pairs) {
    int n = 0;
    for (int i = 0; i < c->n_free && c->contacts.n > 0; i++) {
        if (!is_touched(c, i)) continue;
        for (int k = 0; k < i; k++) {
            if (!is_touched(c, k)) continue;
            if (pairs) pairs[2 * n] = i, pairs[2 * n + 1] = k;
            n++;
        }
    }
    return n;
}
