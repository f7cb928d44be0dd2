// tests/truth_platform.h - rods that carry a plate, Till 2019, section 5.1: the coupled shooting
// system, 42 x 42 for six legs. The bracket of (16) and the rotation error are as in
// papers/till2019/errata.md. Independent of the library, which condenses each rod to its ends.
#pragma once

#include "truth_rod.h"

enum { TRUTH_LEGS = 6 };

typedef struct truth_leg {
    truth_bar bar;
    double base[3], base_turn[3];    // position; rotation vector
    double plate[3], plate_turn[3];  // where its tip is held, in the plate's frame
    bool ball;                       // free to turn at the plate
} truth_leg;

// How the plate's own motion follows: from the tips of its clamped legs (their mean), or from its
// own pose and quaternion. Both are of second order in the step.
typedef enum truth_plate_motion { TRUTH_FROM_LEGS, TRUTH_FROM_POSE } truth_plate_motion;

typedef struct truth_platform {
    truth_leg leg[TRUTH_LEGS];
    int n_legs;
    double mass, inertia[3], gravity[3];
    double force[3], moment[3];  // on the plate at its centre, world
    truth_plate_motion motion;
    truth_history plate;            // one node: body w, q; world p, quaternion
    double p[3], h[4], w[3], q[3];  // of the plate
    double x[6 + 6 * TRUTH_LEGS];
} truth_platform;

static inline void truth_compose(const double a[4], const double b[4], double out[4]) {
    double c[3];
    truth_cross(a + 1, b + 1, c);
    out[0] = a[0] * b[0] - truth_dot(a + 1, b + 1);
    for (int i = 0; i < 3; i++) out[1 + i] = a[0] * b[1 + i] + b[0] * a[1 + i] + c[i];
}

// Scales: EI/L^2 for forces, EI/L for moments, the length of the first leg for positions.
static inline void truth_leg_shoot(truth_leg *leg, const double *x) {
    const truth_rod *rod = &leg->bar.rod;
    double *y = leg->bar.y;
    memset(y, 0, TRUTH_BAR_STATE * sizeof(double));
    memcpy(y, leg->base, sizeof leg->base);
    truth_exponential(leg->base_turn, y + 3);
    for (int i = 0; i < 3; i++) {
        y[TRUTH_BAR_N + i] = x[i] * rod->Kbt[0] / (rod->length * rod->length);
        y[TRUTH_BAR_M + i] = x[3 + i] * rod->Kbt[0] / rod->length;
    }
    truth_bar_shoot(&leg->bar);
}

// 0.5 (A' B - B' A) as a vector
static inline void truth_rotation_error(const double A[9], const double B[9], double out[3]) {
    double M[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
    out[0] = 0.5 * (M[7] - M[5]), out[1] = 0.5 * (M[2] - M[6]), out[2] = 0.5 * (M[3] - M[1]);
}

// Till 2019 (13), (14) for one leg; adds its wrench about the plate's centre to `wrench`.
static inline void truth_leg_residual(const truth_platform *t, const truth_leg *leg,
                                      const double R[9], double wrench[6], double *r) {
    const double *y = truth_bar_tip(&leg->bar);
    double arm[3], turn[4], held[4], target[9], tip[9], L = leg->bar.rod.length;
    truth_mul(R, leg->plate, arm);
    for (int i = 0; i < 3; i++) r[i] = (t->p[i] + arm[i] - y[i]) / L;
    truth_exponential(leg->plate_turn, turn);
    truth_compose(t->h, turn, held);
    truth_rotation(held, target);
    truth_rotation(y + 3, tip);
    truth_rotation_error(target, tip, r + 3);
    if (leg->ball)
        for (int i = 0; i < 3; i++) r[3 + i] = y[TRUTH_BAR_M + i] * L / leg->bar.rod.Kbt[0];
    for (int i = 0; i < 3; i++) {
        wrench[i] += y[TRUTH_BAR_N + i];
        if (!leg->ball) wrench[3 + i] += y[TRUTH_BAR_M + i];
    }
    truth_add_cross(arm, y + TRUTH_BAR_N, wrench + 3);
}

// The plate's velocity in its own frame.
static inline void truth_plate_velocity(truth_platform *t, const double R[9]) {
    memset(t->w, 0, sizeof t->w);
    memset(t->q, 0, sizeof t->q);
    if (t->motion == TRUTH_FROM_POSE) {
        double v[3], h[4], back[4] = {t->h[0], -t->h[1], -t->h[2], -t->h[3]}, o[4];
        truth_rate(&t->plate, 0, 6, 3, t->p, v);
        truth_mul_t(R, v, t->q);
        truth_rate(&t->plate, 0, 9, 4, t->h, h);
        truth_compose(back, h, o);
        for (int i = 0; i < 3; i++) t->w[i] = 2.0 * o[1 + i];
        return;
    }
    int n = 0;
    for (int k = 0; k < t->n_legs; k++) n += !t->leg[k].ball;
    for (int k = 0; k < t->n_legs; k++) {
        const truth_leg *leg = &t->leg[k];
        const double *y = truth_bar_tip(&leg->bar);
        double B[9], w[3], q[3], c[3];
        if (leg->ball) continue;
        truth_rotation(y + 3, B);
        truth_mul(B, y + TRUTH_BAR_W, w);
        truth_mul(B, y + TRUTH_BAR_Q, q);
        truth_mul_t(R, w, w);
        truth_mul_t(R, q, q);
        truth_cross(w, leg->plate, c);
        for (int i = 0; i < 3; i++) t->w[i] += w[i] / n, t->q[i] += (q[i] - c[i]) / n;
    }
}

// Till 2019 (15), (16): what is missing to balance the plate, world frame.
static inline void truth_plate_balance(truth_platform *t, const double R[9], const double legs[6],
                                       double *r) {
    double w_t[3], q_t[3], a[3], b[3], J[3];
    truth_plate_velocity(t, R);
    truth_rate(&t->plate, 0, 0, 3, t->w, w_t);
    truth_rate(&t->plate, 0, 3, 3, t->q, q_t);
    truth_cross(t->w, t->q, a);
    for (int i = 0; i < 3; i++) a[i] += q_t[i], J[i] = t->inertia[i] * t->w[i];
    truth_cross(t->w, J, b);
    for (int i = 0; i < 3; i++) b[i] += t->inertia[i] * w_t[i];
    truth_mul(R, a, a);
    truth_mul(R, b, b);
    const truth_rod *rod = &t->leg[0].bar.rod;
    double EI = rod->Kbt[0], L = rod->length;
    for (int i = 0; i < 3; i++) {
        r[i] = (t->force[i] + t->mass * (t->gravity[i] - a[i]) - legs[i]) * L * L / EI;
        r[3 + i] = (t->moment[i] - b[i] - legs[3 + i]) * L / EI;
    }
}

static inline void truth_platform_residual(void *problem, int n, const double *x, double *r) {
    truth_platform *t = problem;
    double R[9], wrench[6] = {0.0}, L = t->leg[0].bar.rod.length;
    (void)n;
    for (int i = 0; i < 3; i++) t->p[i] = x[i] * L;
    truth_exponential(x + 3, t->h);
    truth_rotation(t->h, R);
    for (int k = 0; k < t->n_legs; k++) {
        truth_leg_shoot(&t->leg[k], x + 6 + 6 * k);
        truth_leg_residual(t, &t->leg[k], R, wrench, r + 6 + 6 * k);
    }
    truth_plate_balance(t, R, wrench, r);
}

static inline double truth_platform_solve(truth_platform *t, truth_formula formula) {
    truth_history_begin(&t->plate, formula);
    for (int k = 0; k < t->n_legs; k++) truth_history_begin(&t->leg[k].bar.history, formula);
    return truth_solve(truth_platform_residual, t, 6 + 6 * t->n_legs, t->x);
}

static inline void truth_plate_fields(const truth_platform *t, double out[13]) {
    memcpy(out, t->w, sizeof t->w);
    memcpy(out + 3, t->q, sizeof t->q);
    memcpy(out + 6, t->p, sizeof t->p);
    memcpy(out + 9, t->h, sizeof t->h);
}

static inline double truth_platform_statics(truth_platform *t) {
    double residual = truth_platform_solve(t, (truth_formula){0.0, 0.0, 0.0, 0.0});
    for (int k = 0; k < t->n_legs; k++) truth_bar_rest(&t->leg[k].bar);
    memset(t->w, 0, sizeof t->w);
    memset(t->q, 0, sizeof t->q);
    truth_plate_fields(t, t->plate.now);
    truth_history_rest(&t->plate);
    return residual;
}

static inline double truth_platform_step(truth_platform *t, truth_formula formula) {
    double residual = truth_platform_solve(t, formula), fresh[13];
    for (int k = 0; k < t->n_legs; k++) truth_bar_accept(&t->leg[k].bar);
    truth_plate_fields(t, fresh);
    truth_history_accept(&t->plate, 0, fresh);
    return residual;
}

// Before a step: the lengths that the legs have at its end, and their rates there.
static inline void truth_platform_feed(truth_platform *t, const double *lengths,
                                       const double *rates) {
    for (int k = 0; k < t->n_legs; k++) truth_bar_feed(&t->leg[k].bar, lengths[k], rates[k]);
}

// ---------------------------------------------------------------- making one
static inline void truth_platform_make(truth_platform *t, int nodes, bool cubic) {
    truth_history_make(&t->plate, 1, 13, false);
    for (int k = 0; k < t->n_legs; k++) truth_bar_make(&t->leg[k].bar, nodes, cubic);
}

static inline void truth_platform_free(truth_platform *t) {
    truth_history_free(&t->plate);
    for (int k = 0; k < t->n_legs; k++) truth_bar_free(&t->leg[k].bar);
}

// Holes of the Stewart-Gough pattern with a major angle of 100 degrees: pairs about 0, 120 and 240
// degrees, at +- 10 on the base and at +- 50 on the plate.
static inline void truth_holes(int k, double base[3], double plate[3]) {
    const double radius = 0.087, degree = acos(-1.0) / 180.0;
    double pair = 120.0 * (k / 2), side = k % 2 ? 1.0 : -1.0;
    double a = (pair + 10.0 * side) * degree, b = (pair + 50.0 * side) * degree;
    base[0] = radius * cos(a), base[1] = radius * sin(a), base[2] = 0.0;
    plate[0] = radius * cos(b), plate[1] = radius * sin(b), plate[2] = 0.0;
}

// The platform of section 5.1, legs of the lengths given; the first guess is a plate at their mean
// height on straight, unloaded legs.
static inline truth_platform truth_paper_platform(const double lengths[6]) {
    truth_platform t = {.n_legs = 6,
                        .mass = 0.0921,
                        .inertia = {1.91e-4, 1.91e-4, 3.81e-4},
                        .gravity = {0.0, 0.0, -9.81}};
    double mean = 0.0;
    for (int k = 0; k < 6; k++) {
        t.leg[k].bar.rod = truth_round_rod(lengths[k], 1e-3, 207e9, 207e9 / 2.6, 8000.0);
        memcpy(t.leg[k].bar.rod.gravity, t.gravity, sizeof t.gravity);
        truth_holes(k, t.leg[k].base, t.leg[k].plate);
        mean += lengths[k] / 6.0;
    }
    t.x[2] = mean / lengths[0];
    return t;
}

// Equilibrium with legs of the lengths given, followed from equal ones without a load on the plate.
static inline double truth_platform_reach(truth_platform *t, int steps) {
    double lengths[TRUTH_LEGS], mean = 0.0, force[3], moment[3], residual = 0.0;
    memcpy(force, t->force, sizeof force);
    memcpy(moment, t->moment, sizeof moment);
    for (int k = 0; k < t->n_legs; k++) {
        lengths[k] = t->leg[k].bar.rod.length;
        mean += lengths[k] / t->n_legs;
    }
    memset(t->x, 0, sizeof t->x);
    t->x[2] = 1.0;
    for (int i = 0; i <= steps; i++) {
        double part = (double)i / steps;
        for (int k = 0; k < t->n_legs; k++)
            t->leg[k].bar.rod.length = mean + part * (lengths[k] - mean);
        for (int j = 0; j < 3; j++) t->force[j] = part * force[j], t->moment[j] = part * moment[j];
        residual = truth_platform_statics(t);
    }
    return residual;
}
