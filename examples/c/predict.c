// Predictive control at 1 kHz: ten tendons lead a tip around the corners of a square, which they see 240 ms ahead; none
// is ever slack, none beyond what its motor can pull. python/examples/predict.py has the same robot and path.
//
// About an equilibrium a step is x+ = A x + B u+ + B0 u. Chained over a horizon such steps make the tip linear in the state and in
// the tensions to come, so that the best of these within limits are a quadratic program (condensed). It is solved
// again in every period, and the tensions go a period's way towards the first of its plan. Of the robot nothing but the
// tip is measured: what the model misses there is taken to stay as it is, which leaves no error at rest.
//
//     cc -O2 predict.c -o predict $(pkg-config --cflags --libs tendril) -lm
//     ./predict [SECONDS]
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tendril/loop.h>
#include <tendril/tendril.h>

static const char arm[] =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.3, material: {youngs_modulus: 80 MPa, poisson_ratio: 0.4, density: "
    "1100}, section: {radius: 4 mm}, damping: {time: 20 ms}}\n"
    "tendons:\n"
    "  - {name: a1, to: 50 %, offset: {radius: 8 mm, angle: 0}}\n"
    "  - {name: a2, to: 50 %, offset: {radius: 8 mm, angle: 72 deg}}\n"
    "  - {name: a3, to: 50 %, offset: {radius: 8 mm, angle: 144 deg}}\n"
    "  - {name: a4, to: 50 %, offset: {radius: 8 mm, angle: 216 deg}}\n"
    "  - {name: a5, to: 50 %, offset: {radius: 8 mm, angle: 288 deg}}\n"
    "  - {name: b1, offset: {radius: 8 mm, angle: 36 deg}}\n"
    "  - {name: b2, offset: {radius: 8 mm, angle: 108 deg}}\n"
    "  - {name: b3, offset: {radius: 8 mm, angle: 180 deg}}\n"
    "  - {name: b4, offset: {radius: 8 mm, angle: 252 deg}}\n"
    "  - {name: b5, offset: {radius: 8 mm, angle: 324 deg}}\n"
    "simulation: {theory: kirchhoff, space: {nodes: 4}, time: {scheme: sdirk2}}\n";

enum { TENDONS = 10, HORIZON = 12, KNOTS = 4, PLAN = TENDONS * KNOTS };
static const int knots[KNOTS] = {1, 2, 4,
                                 8};  // steps of the horizon; straight between them, held beyond
static const double length = 0.3;     // m
static const double period = 1e-3, ahead = 20e-3;  // s, of the loop, and of a step of the horizon
static const double rest = 1.0, most = 1.6, fastest = 20.0;  // N, N, N/s
static const double price = 6.0;  // of a change of tension, N^2, against mm^2

// ---------------------------------------------------------------- the target
// mm from rest: a square that is not smooth. late: how long it has stood in its corner.
static void target_at(double t, double p[2], double *late) {
    static const double corners[6][2] = {{0, 0},     {20, 20},  {-20, 20},
                                         {-20, -20}, {20, -20}, {20, 20}};
    const int at = (int)fmin(5.0, fmax(0.0, floor(t / 0.8)));
    memcpy(p, corners[at], 2 * sizeof *p);
    if (late) *late = t - 0.8 * at;
}

// ---------------------------------------------------------------- the prediction
typedef struct model {
    int n;                      // coordinates and rates
    double *A, *B, *B0;         // of a step of one period: (n x n), (n x TENDONS) twice
    double *C, *D, *D0;         // of its tip, mm: (2 x n), (2 x TENDONS) twice
    double *x, *next;           // (n) where it is
    double u[TENDONS], tip[2];  // what is added to the tensions at rest; mm
} model;

typedef struct planner {
    int wide;  // n + TENDONS + PLAN: what a plan depends on: x, the tensions now, and those at its knots
    double *Y;  // (2 HORIZON x wide) the tip at the steps of the horizon, mm
    double H[PLAN * PLAN], g[PLAN], low[PLAN], high[PLAN], plan[PLAN];
    double *z, *scratch;
} planner;

static void *room_for(size_t n) {
    void *out = calloc(n, sizeof(double));
    if (out) return out;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

// out (rows x wide) += M (rows x k) in (k x wide)
static void add_product(int rows, int k, int wide, const double *M, const double *in, double *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k; j++)
            for (int c = 0; c < wide; c++) out[i * wide + c] += M[i * k + j] * in[j * wide + c];
}

// The tensions at step k of the horizon, (TENDONS x wide), by the tensions now and those at the knots.
static void tensions_at(const planner *p, int n, int k, double *out) {
    int before = 0, from = 0;  // the knot, counted from the tensions now, and its step
    while (before < KNOTS && knots[before] <= k) from = knots[before++];
    const double share = before < KNOTS ? (double)(k - from) / (knots[before] - from) : 0.0;
    memset(out, 0, sizeof *out * (size_t)(TENDONS * p->wide));
    for (int i = 0; i < TENDONS; i++) {
        double *at = out + i * p->wide + n + i + before * TENDONS;
        at[0] = 1.0 - share;
        if (share > 0.0) at[TENDONS] = share;
    }
}

// (2 x n) or (2 x TENDONS) of the position of the tip, in mm, from the rows of its pose.
static double *in_plane(const double *of, int columns) {
    double *out = room_for((size_t)(2 * columns));
    for (int i = 0; i < 2 * columns; i++) out[i] = 1e3 * of[3 * columns + i];
    return out;
}

static double *copy_of(const double *of, int n) {
    return memcpy(room_for((size_t)n), of, sizeof *of * (size_t)n);
}

// y_k = C x_k-1 + D u_k + D0 u_k-1, x_k likewise, k = 1 .. HORIZON.
static void condense(planner *p, const td_step_map *step) {
    const int n = step->n_states, wide = p->wide = n + TENDONS + PLAN;
    double *x = room_for((size_t)(n * wide)), *u = room_for((size_t)(TENDONS * wide));
    double *C = in_plane(step->C, n), *D = in_plane(step->D, TENDONS);
    double *D0 = in_plane(step->D0, TENDONS);
    p->Y = room_for((size_t)(2 * HORIZON * wide));
    for (int i = 0; i < n; i++) x[i * wide + i] = 1.0;
    for (int k = 1; k <= HORIZON; k++) {
        double *y = p->Y + 2 * (k - 1) * wide, *next = room_for((size_t)(n * wide));
        add_product(2, n, wide, C, x, y);
        add_product(n, n, wide, step->A, x, next);
        tensions_at(p, n, k - 1, u);
        add_product(2, TENDONS, wide, D0, u, y);
        add_product(n, TENDONS, wide, step->B0, u, next);
        tensions_at(p, n, k, u);
        add_product(2, TENDONS, wide, D, u, y);
        add_product(n, TENDONS, wide, step->B, u, next);
        free(x);
        x = next;
    }
    free(x), free(u), free(C), free(D), free(D0);
}

// |Y z - wanted|^2 + price sum |u_j - u_j-1|^2: its second derivative by the plan, over 2.
static void weigh(planner *p) {
    const int first = p->wide - PLAN;
    for (int i = 0; i < PLAN; i++) {
        for (int j = 0; j < PLAN; j++)
            for (int k = 0; k < 2 * HORIZON; k++)
                p->H[i * PLAN + j] += p->Y[k * p->wide + first + i] * p->Y[k * p->wide + first + j];
        p->H[i * PLAN + i] += price + 1e-6;
        if (i < TENDONS) continue;
        p->H[(i - TENDONS) * (PLAN + 1)] += price;
        p->H[i * PLAN + i - TENDONS] -= price, p->H[(i - TENDONS) * PLAN + i] -= price;
    }
    p->z = room_for((size_t)p->wide);
    p->scratch = room_for(td_box_qp_doubles(PLAN));
}

static void take_model(model *m, const td_step_map *step) {
    const int n = m->n = step->n_states;
    m->A = copy_of(step->A, n * n), m->B = copy_of(step->B, n * TENDONS);
    m->B0 = copy_of(step->B0, n * TENDONS);
    m->C = in_plane(step->C, n), m->D = in_plane(step->D, TENDONS);
    m->D0 = in_plane(step->D0, TENDONS);
    m->x = room_for((size_t)n), m->next = room_for((size_t)n);
}

// ---------------------------------------------------------------- in the loop
// The model steps as the robot does.
static void follow(model *m, const double u[TENDONS]) {
    memset(m->next, 0, sizeof *m->next * (size_t)m->n);
    memset(m->tip, 0, sizeof m->tip);
    add_product(2, m->n, 1, m->C, m->x, m->tip);
    add_product(2, TENDONS, 1, m->D, u, m->tip);
    add_product(2, TENDONS, 1, m->D0, m->u, m->tip);
    add_product(m->n, m->n, 1, m->A, m->x, m->next);
    add_product(m->n, TENDONS, 1, m->B, u, m->next);
    add_product(m->n, TENDONS, 1, m->B0, m->u, m->next);
    memcpy(m->u, u, sizeof m->u);
    double *last = m->x;
    m->x = m->next, m->next = last;
}

// The tensions at the end of this period, from where the tip is seen to be. False: there are none.
static bool control(planner *p, const model *m, double t, const double tip[2], double u[TENDONS]) {
    const int n = m->n, first = n + TENDONS;
    memcpy(p->z, m->x, sizeof *m->x * (size_t)n);
    memcpy(p->z + n, m->u, sizeof m->u);
    for (int i = 0; i < PLAN; i++) p->g[i] = i < TENDONS ? -price * m->u[i] : 0.0;
    for (int k = 0; k < 2 * HORIZON; k++) {
        double wanted[2];
        const double *y = p->Y + k * p->wide;
        target_at(t + ahead * (k / 2 + 1), wanted, NULL);
        double off = tip[k % 2] - m->tip[k % 2] - wanted[k % 2];
        for (int i = 0; i < first; i++) off += y[i] * p->z[i];
        for (int i = 0; i < PLAN; i++) p->g[i] += y[first + i] * off;
    }
    for (int i = 0; i < PLAN; i++) {
        p->low[i] = -rest, p->high[i] = most - rest;
        if (i >= TENDONS) continue;
        p->low[i] = fmax(p->low[i], m->u[i] - fastest * ahead);
        p->high[i] = fmin(p->high[i], m->u[i] + fastest * ahead);
    }
    if (td_box_qp(PLAN, p->H, p->g, p->low, p->high, p->plan, p->scratch) < 0) return false;
    for (int i = 0; i < TENDONS; i++) u[i] = m->u[i] + (p->plan[i] - m->u[i]) * period / ahead;
    return true;
}

typedef struct report {
    double least, most, fastest;  // N, N/s, of all tensions
    double off;                   // mm, at corners where it has stood for a while
    int failed;
} report;

static void note(report *r, double t, const double tip[2], const double before[TENDONS],
                 const double u[TENDONS]) {
    double wanted[2], late;
    for (int i = 0; i < TENDONS; i++) {
        r->least = fmin(r->least, rest + u[i]), r->most = fmax(r->most, rest + u[i]);
        r->fastest = fmax(r->fastest, fabs(u[i] - before[i]) / period);
    }
    target_at(t, wanted, &late);
    if (fabs(late - 0.5) < 0.05)  // the next corner is not seen yet
        r->off = fmax(r->off, hypot(tip[0] - wanted[0], tip[1] - wanted[1]));
}

static double seconds_of_processor(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The robot takes a step of each period too, beside what is timed. `straight`: the tip at rest, m.
static report run(planner *p, model *m, const td_system *system, td_state *robot, int n,
                  double *cost) {
    report r = {.least = rest, .most = rest};
    const td_pose straight = td_get_pose(system, robot, 0, length);
    double u[TENDONS] = {0.0}, before[TENDONS], tip[2] = {0.0, 0.0};
    for (int k = 0; k < n; k++) {
        const double from = seconds_of_processor();
        memcpy(before, u, sizeof u);
        if (!control(p, m, period * k, tip, u)) r.failed++;
        follow(m, u);
        cost[k] = seconds_of_processor() - from;
        for (int i = 0; i < TENDONS; i++) td_set_input(system, robot, i, rest + u[i]);
        if (td_step(system, robot, period) < 0) r.failed++;
        const td_pose now = td_get_pose(system, robot, 0, length);
        for (int i = 0; i < 2; i++) tip[i] = 1e3 * (now.p[i] - straight.p[i]);
        note(&r, period * (k + 1), tip, before, u);
    }
    qsort(cost, (size_t)n, sizeof *cost, ascending);
    return r;
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 4.4;
    if (!(seconds >= 1.0 && seconds < 1e4)) {
        fprintf(stderr, "usage: predict [SECONDS], at least 1 second\n");
        return 2;
    }
    const int n = (int)lround(seconds / period);
    td_error err = {0};
    td_robot *robot = td_robot_parse(arm, sizeof arm - 1, "arm", NULL, 0, &err);
    const td_options options = robot ? td_robot_options(robot) : td_default_options();
    td_system *system = robot ? td_system_create(robot, &options, &err) : NULL;
    td_state *state = system ? td_state_create(system) : NULL;
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = length};
    td_linearisation *l = system ? td_linearisation_create(system, &tip, 1, &err) : NULL;
    if (!state || !l) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        return 1;
    }
    for (int i = 0; i < TENDONS; i++) td_set_input(system, state, i, rest);
    static planner p;
    static model m;
    double *cost = room_for((size_t)n);
    if (td_solve_statics(system, state) < 0 || td_linearise(system, state, l) < 0 ||
        td_solve_step_map(l, ahead) < 0) {
        fprintf(stderr, "%s\n%s\n", td_message(state), td_linearisation_message(l));
        return 1;
    }
    condense(&p, td_get_step_map(l));
    weigh(&p);
    if (td_solve_step_map(l, period) < 0) return 1;
    take_model(&m, td_get_step_map(l));

    const report r = run(&p, &m, system, state, n, cost);
    printf("%d periods of %.0f us: the plan takes %.0f us (median), 99 %% %.0f, largest %.0f us\n",
           n, 1e6 * period, 1e6 * cost[n / 2], 1e6 * cost[(int)(0.99 * n)], 1e6 * cost[n - 1]);
    printf("tip off by %.3f mm at most where it has settled; failed %d\n", r.off, r.failed);
    printf("tensions from %.3f to %.3f N, %.1f N/s at most\n", r.least, r.most, r.fastest);
    free(cost), free(p.Y), free(p.z), free(p.scratch);
    free(m.A), free(m.B), free(m.B0), free(m.C), free(m.D), free(m.D0), free(m.x), free(m.next);
    td_linearisation_destroy(l);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return r.failed ? 1 : 0;
}
