// model/lumped/compile_pairs.c - the capsules of a net that touch one another: see model/pairs.h.
#include <stdlib.h>

#include "model/lumped/compile.h"

static place on_body(const place *on, vec3 at) {
    const mat3 R = on->apart ? on->h.R : mat3_identity();
    return (place){on->node, true, {R, on->apart ? se3_mul_point(&on->h, at) : at}, on->turner};
}

// Where the last capsule's axis ends.
static void set_ends(net *c, place a, place b) {
    const int i = c->contacts.n - 1;
    c->capsules[2 * i] = a, c->capsules[2 * i + 1] = b;
    c->contacts.capsules[i].held = a.node >= c->n_free && b.node >= c->n_free;
}

static void add_segments(net *c, const td_robot *robot, int rod) {
    const net_rod *r = &c->rods[rod];
    for (int i = r->first; i < r->first + r->n; i++) {
        const segment *s = &c->segments[i];
        pairs_add_stretch(&c->contacts, robot, rod, s->s, s->length);
        set_ends(c, s->a, s->b);
    }
}

static void add_body(net *c, const td_robot *robot, int body) {
    const place *on = &c->bodies[body];
    vec3 ends[2];
    pairs_add_body(&c->contacts, robot, body, ends);
    c->contacts.capsules[c->contacts.n - 1].there = c->attached[body];
    set_ends(c, on_body(on, ends[0]), on_body(on, ends[1]));
    c->loose = c->loose || body_floats(robot, body);
}

bool net_pairs(net *c, const td_robot *robot) {
    const int n = c->n_segments + robot->n_bodies;
    if (robot->n_contacts == 0) return true;
    double *h = calloc((size_t)c->n_rods + 1, sizeof *h);
    c->capsules = calloc(2 * (size_t)n, sizeof *c->capsules);
    for (int i = 0; i < c->n_rods && h; i++) h[i] = c->rods[i].length / c->rods[i].n;
    const bool ok = h && c->capsules && pairs_make(&c->contacts, robot, h, n);
    free(h);
    if (!ok) return false;
    for (int i = 0; i < c->n_rods; i++)
        if (pairs_touch(&c->contacts, i)) add_segments(c, robot, i);
    for (int i = 0; i < robot->n_bodies; i++)
        if (pairs_touch(&c->contacts, c->n_rods + i)) add_body(c, robot, i);
    pairs_limit(&c->contacts);
    return true;
}

void free_pairs(net *c) {
    pairs_release(&c->contacts);
    free(c->capsules);
}

// ---------------------------------------------------------------- the matrix
static bool is_touched(const net *c, int node) {
    for (int i = 0; i < c->contacts.n; i++) {
        if (place_is_on(&c->capsules[2 * i], node) || place_is_on(&c->capsules[2 * i + 1], node))
            return true;
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
