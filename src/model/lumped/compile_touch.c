// model/lumped/compile_touch.c - where the nodes of a net touch obstacles.
#include <math.h>
#include <stdlib.h>

#include "model/lumped/compile.h"

// The length of a segment that each of its ends stands for: half of it. As printed all goes to the far one,
// and what would act on what holds the rod acts on its next node.
typedef struct end_shares {
    double a, b;
} end_shares;

static end_shares shares_of(const net *c, const segment *s) {
    const bool only_b = c->printed || s->a.apart, only_a = s->b.apart && !s->a.apart;
    if (s->a.apart && s->b.apart) return (end_shares){0.0, 0.0};
    return only_a   ? (end_shares){s->length, 0.0}
           : only_b ? (end_shares){0.0, s->length}
                    : (end_shares){0.5 * s->length, 0.5 * s->length};
}

// The end at the cut i of a rod, 0 .. n, and what it stands for.
static double length_at(const net *c, const net_rod *r, int i) {
    double sum = 0.0;
    if (i > 0) sum += shares_of(c, &c->segments[r->first + i - 1]).b;
    if (i < r->n) sum += shares_of(c, &c->segments[r->first + i]).a;
    return sum;
}

static void add_point(net *c, const td_robot *robot, int rod, int i) {
    const net_rod *r = &c->rods[rod];
    const segment *s = &c->segments[r->first + (i ? i - 1 : 0)];
    const double length = length_at(c, r, i), at = i ? s->s + s->length : 0.0;
    if (length == 0.0) return;
    c->touched[c->touch.n_points] = i ? s->b : s->a;
    c->touch.points[c->touch.n_points++] =
        (touch_point){rod, touch_radius(robot, rod, at), length, td_constant(1.0), rod, -1, at};
}

// A body's points, as ends on its node.
static void add_body(net *c, const td_robot *robot, int body) {
    const td_body_def *d = &robot->bodies[body].def;
    const place *on = &c->bodies[body];
    const int row = c->n_rods + TOUCH_ROWS * body;
    const touch_body x = touch_body_of(robot, d);
    for (int i = 0; i < x.n; i++) {
        const vec3 at = on->apart ? se3_mul_point(&on->h, x.at[i]) : x.at[i];
        const mat3 R = on->apart ? on->h.R : mat3_identity();
        c->touched[c->touch.n_points] = (place){on->node, true, {R, at}, on->turner};
        c->touch.points[c->touch.n_points++] = (touch_point){
            touch_row(&x, row, i), x.radius, x.length, c->attached[body], -1, body, 0.0};
    }
    touch_set_body(&c->touch, robot, body, row);
    c->loose = c->loose || body_floats(robot, body);
}

static bool add_notes(net *c, const td_robot *robot) {
    double *gaps = calloc((size_t)c->n_rods + 1, sizeof *gaps);
    if (!gaps) return false;
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        gaps[s->rod] = fmax(gaps[s->rod], s->length);
    }
    const bool ok = touch_notes(robot, gaps, "simulation.lumped.segments", &c->notes);
    free(gaps);
    return ok;
}

bool net_touch(net *c, const td_robot *robot) {
    const int most = c->n_segments + c->n_rods + TOUCH_MOST * robot->n_bodies;
    c->touched = calloc((size_t)most + 1, sizeof *c->touched);
    if (!c->touched ||
        !touch_make(robot, most, c->n_rods + TOUCH_ROWS * robot->n_bodies, &c->touch))
        return false;
    c->carriers = calloc((size_t)c->touch.n + 1, sizeof *c->carriers);
    if (!c->carriers) return false;
    for (int k = 0; k < c->touch.n; k++) {
        const int body = c->touch.obstacles[k].def.body;
        c->carriers[k] = body == TD_WORLD ? -1 : c->bodies[body].node;
    }
    c->touch.n_points = 0;
    for (int rod = 0; rod < c->n_rods && c->touch.n; rod++) {
        touch_set_rod(&c->touch, robot, rod, rod, c->rods[rod].length / c->rods[rod].n);
        for (int i = 0; i <= c->rods[rod].n; i++) add_point(c, robot, rod, i);
    }
    for (int i = 0; i < robot->n_bodies && c->touch.n; i++) add_body(c, robot, i);
    return add_notes(c, robot);
}
