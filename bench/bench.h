// bench/bench.h - what the benchmarks share: a clock, the rod of Till 2019 section 3, timed runs.
//
// Machines are noisy and shared. So time is processor time of this program, each number is the least of
// several rounds that visit all cases in turn, and what matters are ratios inside one run.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tendril/tendril.h"

// Processor time of this program, s.
static inline double bench_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A benchmark that cannot run has nothing to report.
static inline void bench_need(bool ok, const char *why) {
    if (ok) return;
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

static const char *const bench_theories[] = {"cosserat", "kirchhoff"};

// ---------------------------------------------------------------- the released cantilever
// Steel, 0.4 m, radius 1 mm, no gravity. Input 0, "hold", scales the load at its tip: planar, 0.5 N
// across; in space, (0.4, 0.5) N across and a torque of 0.02 N m.
#define BENCH_LENGTH 0.4

static inline td_piece_def bench_steel(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = BENCH_LENGTH;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 8000.0;
    piece.section.radius = piece.section_end.radius = 1e-3;
    return piece;
}

// One rod of one piece, with input 0 and, scaled by it, a load at the tip.
static inline td_robot *bench_robot(const td_piece_def *piece, const double force[3],
                                    const double moment[3], double gravity) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = piece, def.n_pieces = 1;
    td_input_def hold = {.name = "hold"};
    td_load_def load = td_default_load_def();
    load.name = "tip", load.from = piece->length;
    td_number down[3] = {td_constant(-gravity), td_constant(0.0), td_constant(0.0)};
    for (int i = 0; i < 3; i++) {
        load.force[i] = (td_number){0.0, force[i], 0};
        load.moment[i] = (td_number){0.0, moment[i], 0};
    }
    bool ok = robot && td_robot_add_input(robot, &hold, &err) >= 0 &&
              td_robot_add_rod(robot, &def, &err) >= 0 &&
              td_robot_add_load(robot, &load, &err) >= 0 &&
              td_robot_set_gravity(robot, down, &err) >= 0;
    bench_need(ok, err.message);
    return robot;
}

static inline td_robot *bench_cantilever(bool in_space) {
    static const double force[2][3] = {{-0.5, 0.0, 0.0}, {-0.4, 0.5, 0.0}};
    static const double moment[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.02}};
    td_piece_def piece = bench_steel();
    return bench_robot(&piece, force[in_space], moment[in_space], 0.0);
}

// ---------------------------------------------------------------- a rod under some options
typedef struct subject {
    td_system *system;
    td_state *state;
} subject;

static inline subject bench_open(const td_robot *robot, const td_options *options) {
    td_error err = {0};
    subject s = {.system = td_system_create(robot, options, &err)};
    bench_need(s.system != NULL, err.message);
    s.state = td_state_create(s.system);
    bench_need(s.state != NULL, "out of memory");
    return s;
}

static inline void bench_close(subject *s) {
    td_state_destroy(s->state);
    td_system_destroy(s->system);
}

// At rest under the load, which is then let go.
static inline void bench_release(const subject *s) {
    td_state_reset(s->system, s->state);
    td_set_input(s->system, s->state, 0, 1.0);
    td_status status = td_solve_statics(s->system, s->state);
    bench_need(status >= 0, td_message(s->state));
    td_set_input(s->system, s->state, 0, 0.0);
}

typedef struct cost {  // per step
    double seconds, iterations, evaluations, jacobians;
} cost;

// A release of n steps.
static inline cost bench_run(const subject *s, double dt, int n) {
    bench_release(s);
    cost c = {0};
    double start = bench_seconds();
    for (int i = 0; i < n; i++) {
        td_status status = td_step(s->system, s->state, dt);
        bench_need(status >= 0, td_message(s->state));
        const td_stats *stats = td_get_stats(s->state);
        c.iterations += stats->iterations;
        c.evaluations += stats->evaluations;
        c.jacobians += stats->jacobians;
    }
    c.seconds = bench_seconds() - start;
    return (cost){c.seconds / n, c.iterations / n, c.evaluations / n, c.jacobians / n};
}

static inline void bench_keep_least(cost *best, cost c) {
    if (c.seconds < best->seconds) *best = c;
}

// The tip along the same release, (n x 3).
static inline bool bench_tips(const subject *s, double dt, int n, double *tips) {
    bench_release(s);
    double length = td_rod_length(s->system, 0);
    for (int i = 0; i < n; i++) {
        if (td_step(s->system, s->state, dt) < 0) return false;
        td_pose pose = td_get_pose(s->system, s->state, 0, length);
        for (int k = 0; k < 3; k++) tips[3 * i + k] = pose.p[k];
    }
    return true;
}

// The largest distance of two such tracks, m.
static inline double bench_distance(int n, const double *a, const double *b) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++)
            sum += (a[3 * i + k] - b[3 * i + k]) * (a[3 * i + k] - b[3 * i + k]);
        if (sum > largest) largest = sum;
    }
    return sqrt(largest);
}
