// environment/environment.c - the environment that a robot describes, and what it does to a point.
#include "environment/environment.h"

#include <math.h>
#include <string.h>

static bool is_zero(const double a[3]) {
    return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
}

environment environment_of(const td_robot *robot) {
    environment e = {.drags = false};
    memcpy(e.gravity, robot->gravity, sizeof e.gravity);
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->rods[i].n_pieces; k++) {
            const td_piece_def *p = &robot->rods[i].pieces[k];
            e.drags = e.drags || !is_zero(p->drag) || !is_zero(p->linear_drag);
        }
    return e;
}

// Three rows of a column of a 6 x 6 matrix, from `row` on.
static void add_column(double *m, int row, int column, vec3 x) {
    m[6 * row + column] += x.x;
    m[6 * (row + 1) + column] += x.y;
    m[6 * (row + 2) + column] += x.z;
}

// The moment c x m g answers to a small turn th by (th x c) x g.
static void add_weight(vec3 g, const point_body *b, const point_now *at, point_answer *sum,
                       point_slopes *slopes) {
    const vec3 c = mat3_mul_vec(at->R, b->moment);
    sum->wrench.a = vec3_add(sum->wrench.a, vec3_cross(c, g));
    sum->wrench.l = vec3_madd(sum->wrench.l, b->mass, g);
    for (int k = 0; k < 3 && slopes; k++) {
        const vec3 th = {k == 0, k == 1, k == 2};
        add_column(slopes->by_motion, 0, k, vec3_cross(vec3_cross(th, c), g));
    }
}

// With the force f and the slope S in the axes of the point: a turn th and a change dv of the velocity
// change R f by th x R f + R S R' (th x v - dv).
static void add_drag(const point_body *b, const point_now *at, point_answer *sum,
                     point_slopes *slopes) {
    const mat3 *R = at->R;
    if (vec3_dot(b->drag, b->drag) + vec3_dot(b->linear_drag, b->linear_drag) == 0.0) return;
    const vec3 v = mat3_tmul_vec(R, at->v), size = {fabs(v.x), fabs(v.y), fabs(v.z)};
    const vec3 by_size = vec3_mul(b->drag, size);
    const vec3 f = vec3_mul(vec3_add(b->linear_drag, by_size), v), force = mat3_mul_vec(R, f);
    const vec3 S = vec3_madd(b->linear_drag, 2.0, by_size);
    sum->wrench.l = vec3_sub(sum->wrench.l, force);
    sum->lost += vec3_dot(f, v);
    for (int k = 0; k < 3 && slopes; k++) {
        const vec3 unit = {k == 0, k == 1, k == 2}, local = mat3_tmul_vec(R, unit);
        const vec3 turned = mat3_mul_vec(R, vec3_mul(S, vec3_cross(local, v)));
        add_column(slopes->by_motion, 3, k, vec3_sub(turned, vec3_cross(unit, force)));
        add_column(slopes->by_velocity, 3, 3 + k, vec3_neg(mat3_mul_vec(R, vec3_mul(S, local))));
    }
}

void environment_add(vec3 gravity, const point_body *b, const point_now *at, point_answer *sum,
                     point_slopes *slopes) {
    add_weight(gravity, b, at, sum, slopes);
    add_drag(b, at, sum, slopes);
}

double environment_energy(vec3 gravity, const point_body *b, const point_now *at) {
    return -vec3_dot(gravity, vec3_madd(mat3_mul_vec(at->R, b->moment), b->mass, at->p));
}
