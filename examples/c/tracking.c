// Tip tracking at 1 kHz by the dynamic Jacobian: the two-segment arm of docs/guide.md, with ten discs and six
// tendons, draws a circle in space. Every period a model looks ahead: where would the tip be after one step of 12 ms,
// and how does that answer to the tensions at its end? Those that bring it to the target then are applied, and the arm
// itself takes a step of 1 ms. The model steps by backward Euler's rule, one stage where the arm's sdirk2 has two.
//
//     cc -O2 tracking.c -o tracking $(pkg-config --cflags --libs tendril) -lm
//     ./tracking [SECONDS [CSV]]
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tendril/tendril.h>

#define PI 3.14159265358979323846

static const char arm[] =
    "tendril: 1\n"
    "materials: {nitinol: {youngs_modulus: 60 GPa, poisson_ratio: 0.33, density: 6450}}\n"
    "rods:\n"
    "  - {name: arm, length: 0.4, material: nitinol, section: {radius: 0.7 mm}, damping: {time: 10 "
    "ms}}\n"
    "bodies:\n"
    "  - {name: disc, on: arm, count: 10, mass: 1 g, shape: {cylinder: {radius: 10 mm, height: 2 "
    "mm}}}\n"
    "tendons:\n"
    "  - {name: a1, offset: [ 8 mm, 0], to: 50 %}\n"
    "  - {name: a2, offset: [-4 mm,  6.928 mm], to: 50 %}\n"
    "  - {name: a3, offset: [-4 mm, -6.928 mm], to: 50 %}\n"
    "  - {name: b1, offset: [-8 mm, 0]}\n"
    "  - {name: b2, offset: [ 4 mm,  6.928 mm]}\n"
    "  - {name: b3, offset: [ 4 mm, -6.928 mm]}\n"
    "inputs: {a1: 2 N, a2: 2 N, a3: 2 N, b1: 2 N, b2: 2 N, b3: 2 N}\n"
    "simulation: {time: {scheme: sdirk2}}\n";

enum { TENDONS = 6 };
static const double length = 0.4;                                 // m
static const double period = 1e-3, ahead = 12e-3;                 // s
static const double radius = 80e-3, height = 0.385, speed = 0.5;  // of the circle: m, m, Hz
static const double rest = 4.0, least = 0.2, most = 15.0;         // N
static const double price = 5e-5, fastest = 150.0;                // m/N; N/s

// ---------------------------------------------------------------- the target
// From the straight arm to the circle, smoothly within a second.
static void target_at(double t, double p[3]) {
    const double x = fmin(1.0, fmax(0.0, t)), share = x * x * x * (10.0 - x * (15.0 - 6.0 * x));
    p[0] = share * radius * cos(2 * PI * speed * t);
    p[1] = share * radius * sin(2 * PI * speed * t);
    p[2] = length + share * (height - length);
}

// ---------------------------------------------------------------- the controller
// du that makes |J du - e|^2 + price^2 |u + du - rest|^2 least: (J' J + price^2) du = J' e - price^2 (u - rest),
// by Gauss' elimination of a positive matrix.
static void change_of_tensions(const double J[3][TENDONS], const double e[3],
                               const double u[TENDONS], double du[TENDONS]) {
    double A[TENDONS][TENDONS + 1];
    for (int i = 0; i < TENDONS; i++) {
        for (int k = 0; k < TENDONS; k++)
            A[i][k] = J[0][i] * J[0][k] + J[1][i] * J[1][k] + J[2][i] * J[2][k];
        A[i][i] += price * price;
        A[i][TENDONS] = J[0][i] * e[0] + J[1][i] * e[1] + J[2][i] * e[2];
        A[i][TENDONS] -= price * price * (u[i] - rest);
    }
    for (int k = 0; k < TENDONS; k++)
        for (int i = k + 1; i < TENDONS; i++) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j <= TENDONS; j++) A[i][j] -= f * A[k][j];
        }
    for (int i = TENDONS - 1; i >= 0; i--) {
        du[i] = A[i][TENDONS];
        for (int k = i + 1; k < TENDONS; k++) du[i] -= A[i][k] * du[k];
        du[i] /= A[i][i];
    }
}

typedef struct loop {
    td_system *system, *coarse;
    td_state *robot, *model;  // of the one, of the other
    td_linearisation *slopes;
    double *q, *v;        // coordinates and their rates
    double error, worst;  // m: now, and since the circle has been reached
    int failed;           // steps
} loop;

// The model goes ahead from where the robot is; the tensions follow.
static void control(loop *l) {
    double wanted[3], J[3][TENDONS], e[3], u[TENDONS], du[TENDONS];
    const double t = td_get_time(l->system, l->robot);
    for (int i = 0; i < TENDONS; i++) u[i] = td_get_input(l->system, l->robot, i);
    for (int i = 0; i < TENDONS; i++) td_set_input(l->coarse, l->model, i, u[i]);
    td_get_coordinates(l->system, l->robot, l->q, l->v);
    if (td_set_coordinates(l->coarse, l->model, l->q, l->v) < 0 ||
        td_differentiate_step_by_inputs(l->coarse, l->model, ahead, l->slopes) < 0) {
        l->failed++;
        return;  // hold what there is
    }
    memcpy(J, td_get_step_map(l->slopes)->D + 3 * TENDONS, sizeof J);  // rows of translation
    const td_pose tip = td_get_pose(l->coarse, l->model, 0, length);
    target_at(t + ahead, wanted);
    for (int i = 0; i < 3; i++) e[i] = wanted[i] - tip.p[i];
    change_of_tensions((const double(*)[TENDONS])J, e, u, du);
    for (int i = 0; i < TENDONS; i++) {
        const double step = fmin(fastest * period, fmax(-fastest * period, du[i]));
        td_set_input(l->system, l->robot, i, fmin(most, fmax(least, u[i] + step)));
    }
}

static void cycle(loop *l) {
    double wanted[3];
    control(l);
    if (td_step(l->system, l->robot, period) < 0) l->failed++;  // the state is as it was
    const double t = td_get_time(l->system, l->robot);
    const td_pose tip = td_get_pose(l->system, l->robot, 0, length);
    target_at(t, wanted);
    l->error = sqrt(pow(tip.p[0] - wanted[0], 2) + pow(tip.p[1] - wanted[1], 2) +
                    pow(tip.p[2] - wanted[2], 2));
    if (t > 1.5) l->worst = fmax(l->worst, l->error);
}

static void write_row(FILE *csv, const loop *l) {
    double wanted[3];
    const double t = td_get_time(l->system, l->robot);
    const td_pose tip = td_get_pose(l->system, l->robot, 0, length);
    target_at(t, wanted);
    fprintf(csv, "%.4f", t);
    for (int i = 0; i < 3; i++) fprintf(csv, ",%.6f", wanted[i]);
    for (int i = 0; i < 3; i++) fprintf(csv, ",%.6f", tip.p[i]);
    for (int i = 0; i < TENDONS; i++) fprintf(csv, ",%.4f", td_get_input(l->system, l->robot, i));
    fprintf(csv, "\n");
}

// ---------------------------------------------------------------- time
static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double t) {
    struct timespec at = {(time_t)t, (long)(1e9 * (t - floor(t)))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What the program computes is time of the processor; the rest of a period belongs to others: woken late, or set aside.
static void run(loop *l, int n, FILE *csv, double *cost) {
    int long_computing = 0, kept_waiting = 0;
    double deadline = seconds_of(CLOCK_MONOTONIC) + period;
    for (int i = 0; i < n; i++, deadline += period) {
        sleep_until(deadline);
        const double from = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        cycle(l);
        cost[i] = seconds_of(CLOCK_THREAD_CPUTIME_ID) - from;
        const double done = seconds_of(CLOCK_MONOTONIC);
        if (cost[i] > period) long_computing++;
        else if (done > deadline + period) kept_waiting++;
        if (done > deadline + period) deadline = done;  // it goes on from now
        if (csv && i % 5 == 0) write_row(csv, l);
    }
    qsort(cost, (size_t)n, sizeof *cost, ascending);
    printf("%d periods of %.0f us: computing median %.0f, 99 %% %.0f, largest %.0f us\n", n,
           1e6 * period, 1e6 * cost[n / 2], 1e6 * cost[(int)(0.99 * n)], 1e6 * cost[n - 1]);
    printf("deadlines missed: %d by computing, %d by the machine; steps failed %d\n",
           long_computing, kept_waiting, l->failed);
    printf("tip within %.3f mm of the circle after 1.5 s\n", 1e3 * l->worst);
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 4.0;
    if (!(seconds >= 2.0 && seconds < 1e4)) {
        fprintf(stderr, "usage: tracking [SECONDS [CSV]], at least 2 seconds\n");
        return 2;
    }
    td_error err = {0};
    td_robot *robot = td_robot_parse(arm, sizeof arm - 1, "arm", NULL, 0, &err);
    td_options options = robot ? td_robot_options(robot) : td_default_options();
    options.theory = TD_KIRCHHOFF;  // no waves of stretch, which no tendon excites
    options.tolerance = 1e-6;       // of steps, far below what tensions resolve
    td_system *system = robot ? td_system_create(robot, &options, &err) : NULL;
    const td_output tip[2] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = length},
                              {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = length}};
    options.scheme = TD_BACKWARD_EULER;
    loop l = {.system = system};
    if (system) l.coarse = td_system_create(robot, &options, &err);
    if (l.coarse) l.robot = td_state_create(system), l.model = td_state_create(l.coarse);
    if (l.coarse) l.slopes = td_linearisation_create(l.coarse, tip, 2, &err);
    const int n_q = system ? td_n_coordinates(system) : 0;
    l.q = calloc(2 * (size_t)n_q + 1, sizeof *l.q);
    if (l.q) l.v = l.q + n_q;
    const int n = (int)(seconds / period);
    double *cost = calloc((size_t)n, sizeof *cost);
    FILE *csv = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (!l.robot || !l.model || !l.slopes || !l.q || !cost || (argc > 2 && !csv) ||
        td_begin(system, l.robot) < 0) {
        fprintf(stderr, "%s: %s\n", err.where, l.robot ? td_message(l.robot) : err.message);
        return 1;
    }
    run(&l, n, csv, cost);
    if (csv) fclose(csv);
    td_linearisation_destroy(l.slopes);
    td_state_destroy(l.robot);
    td_state_destroy(l.model);
    td_system_destroy(l.coarse);
    td_system_destroy(system);
    td_robot_destroy(robot);
    free(l.q);
    free(cost);
    return l.failed ? 1 : 0;
}
