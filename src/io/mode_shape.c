// io/mode_shape.c - see mode_shape.h.
#include "io/mode_shape.h"

#include <math.h>
#include <stdlib.h>

#include "io/result.h"

#define TWIST 35.0  // rad: turns of more than this while a place moves by the robot's size

const char *mode_kind_word(td_mode_kind kind) {
    static const char *const words[] = {[TD_MODE_OSCILLATES] = "oscillates",
                                        [TD_MODE_DECAYS] = "decays",
                                        [TD_MODE_NEUTRAL] = "neutral",
                                        [TD_MODE_DIVERGES] = "diverges",
                                        [TD_MODE_FLUTTERS] = "flutters"};
    return words[kind];
}

// ---------------------------------------------------------------- places
static void find_size(mode_shape *m) {
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < m->n_places; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], m->rest[i].p[k]);
            hi[k] = fmax(hi[k], m->rest[i].p[k]);
        }
    for (int k = 0; k < 3; k++) m->size = fmax(m->size, hi[k] - lo[k]);
}

bool mode_shape_make(mode_shape *m, const td_system *system, const td_state *state, int n_points) {
    *m = (mode_shape){
        .n_rods = td_n_rods(system), .n_bodies = td_n_bodies(system), .n_points = n_points};
    m->n_places = m->n_rods * n_points + m->n_bodies;
    const size_t n = (size_t)m->n_places;
    m->outputs = calloc(n, sizeof *m->outputs);
    m->rest = calloc(n, sizeof *m->rest);
    m->y = calloc(12 * n, sizeof *m->y);
    m->shares = calloc((size_t)m->n_rods + 1, sizeof *m->shares);
    if (!m->outputs || !m->rest || !m->y || !m->shares) return false;
    for (int i = 0; i < m->n_rods; i++)
        m->shares[i] = td_rod_length(system, i) / td_get_length(system, state, i);
    for (int i = 0; i < m->n_rods * n_points; i++) {
        const int rod = i / n_points;
        const double rest = point_along(fed_stretch_in(system, rod), td_rod_length(system, rod),
                                        i % n_points, n_points);
        const double s = td_get_place(system, state, rod, rest);
        const double most = td_rod_length(system, rod);
        m->outputs[i] = (td_output){.quantity = TD_OUTPUT_POSE,
                                    .body = -1,
                                    .rod = rod,
                                    .s = fmin(s * m->shares[rod], most)};
        m->rest[i] = td_get_pose(system, state, rod, s);
    }
    for (int i = m->n_rods * n_points, body = 0; i < m->n_places; i++, body++) {
        m->outputs[i] = (td_output){.quantity = TD_OUTPUT_POSE, .body = body};
        m->rest[i] = td_get_body(system, state, body).pose;
    }
    find_size(m);
    return true;
}

void mode_shape_free(mode_shape *m) {
    free(m->outputs);
    free(m->rest);
    free(m->y);
    free(m->shares);
    *m = (mode_shape){0};
}

// ---------------------------------------------------------------- one mode
// The largest length of Re((a + i b) exp(i angle)), that is the larger half axis of an ellipse:
// squared, (a.a + b.b)/2 + sqrt(((a.a - b.b)/2)^2 + (a.b)^2).
static double largest(const double y[6]) {
    double aa = 0.0, bb = 0.0, ab = 0.0;
    for (int k = 0; k < 3; k++) {
        const double a = y[2 * k], b = y[2 * k + 1];
        aa += a * a, bb += b * b, ab += a * b;
    }
    return sqrt(0.5 * (aa + bb) + hypot(0.5 * (aa - bb), ab));
}

bool mode_shape_load(mode_shape *m, td_linearisation *l, int mode, double move, double turn) {
    if (td_get_mode_shape(l, mode, NULL, m->y) < 0) return false;
    double moved = 0.0, turned = 0.0;
    for (int i = 0; i < m->n_places; i++) {
        turned = fmax(turned, largest(m->y + 12 * i));
        moved = fmax(moved, largest(m->y + 12 * i + 6));
    }
    m->turns = turned * m->size > TWIST * moved;
    m->scale = m->turns ? turn / turned : moved > 0.0 ? move / moved : 1.0;
    return true;
}

// Rotation and translation of small motions; x of the way from a place to the next.
static void motion_of(const mode_shape *m, int place, double x, const double by[2], double d[6]) {
    const double *a = m->y + 12 * place, *b = x > 0.0 ? a + 12 : a;
    for (int k = 0; k < 6; k++) {
        const double re = a[2 * k] + x * (b[2 * k] - a[2 * k]);
        const double im = a[2 * k + 1] + x * (b[2 * k + 1] - a[2 * k + 1]);
        d[k] = m->scale * (re * by[0] - im * by[1]);
    }
}

// The quaternion of a rotation vector.
static void quaternion_of(const double w[3], double q[4]) {
    const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    q[0] = cos(0.5 * angle);
    for (int k = 0; k < 3; k++) q[1 + k] = s * w[k];
}

static void multiply(const double a[4], const double q[4], double out[4]) {
    out[0] = a[0] * q[0] - a[1] * q[1] - a[2] * q[2] - a[3] * q[3];
    out[1] = a[0] * q[1] + a[1] * q[0] + a[2] * q[3] - a[3] * q[2];
    out[2] = a[0] * q[2] - a[1] * q[3] + a[2] * q[0] + a[3] * q[1];
    out[3] = a[0] * q[3] + a[1] * q[2] - a[2] * q[1] + a[3] * q[0];
}

td_pose mode_shape_pose(const mode_shape *m, int place, const double by[2]) {
    td_pose pose = m->rest[place];
    double d[6], turn[4];
    motion_of(m, place, 0.0, by, d);
    for (int k = 0; k < 3; k++) pose.p[k] += d[3 + k];
    quaternion_of(d, turn);
    multiply(turn, m->rest[place].q, pose.q);
    return pose;
}

void mode_shape_carry(const mode_shape *m, int rod, double s, const double by[2], double p[3]) {
    s *= m->shares[rod];
    int place = rod * m->n_points;
    const int last = place + m->n_points - 2;
    while (place < last && s > m->outputs[place + 1].s) place++;
    const double from = m->outputs[place].s, to = m->outputs[place + 1].s;
    const double x = fmax(0.0, fmin((s - from) / (to - from), 1.0));
    const double *a = m->rest[place].p, *b = m->rest[place + 1].p;
    double d[6], turn[4], half[4], out[4], r[4] = {0.0}, centre[3];
    motion_of(m, place, x, by, d);
    for (int k = 0; k < 3; k++) {
        centre[k] = a[k] + x * (b[k] - a[k]);
        r[1 + k] = p[k] - centre[k];
    }
    quaternion_of(d, turn);
    multiply(turn, r, half);
    multiply(half, (double[]){turn[0], -turn[1], -turn[2], -turn[3]}, out);
    for (int k = 0; k < 3; k++) p[k] = centre[k] + d[3 + k] + out[1 + k];
}
