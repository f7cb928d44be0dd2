// A control loop at 1 kHz around the library: the tip of a three-tendon arm follows a circle.
// Every period: read the tip, ask for the Jacobian, set the tensions, take one step. At the end it
// reports how late the loop woke up, how long it computed and how many deadlines it missed.
//
//     cc -O2 control_loop.c -o control_loop $(pkg-config --cflags --libs tendril) -lm
//     ./control_loop [SECONDS [PERIOD_US]]
//
// Here the state is the arm itself; on a robot the tip comes from a sensor, and the state is the
// model that runs beside it. docs/control-loop.md goes through this file.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <tendril/arc.h>
#include <tendril/tendril.h>

#define PI 3.14159265358979323846

enum { TENDONS = 3 };
static const double length = 0.3, offset = 8e-3;      // m
static const double radius = 20e-3, frequency = 0.5;  // of the circle: m, Hz
static const double pretension = 2.0, gain = 8.0;     // N, 1/s

// ---------------------------------------------------------------- the arm
static int add_arm(td_robot *robot, td_error *err) {
    td_piece_def piece = td_default_piece_def();
    piece.length = length;
    piece.youngs_modulus = 60e9, piece.shear_modulus = 23e9, piece.density = 6450;  // nitinol
    piece.section.radius = 0.6e-3;
    piece.damping_time = 20e-3;
    td_rod_def rod = td_default_rod_def();
    rod.name = "arm", rod.pieces = &piece, rod.n_pieces = 1;
    return td_robot_add_rod(robot, &rod, err);
}

// The i-th of the tendons at equal angles; an input of its own is its tension.
static int add_tendon(td_robot *robot, int i, td_error *err) {
    char name[16];
    snprintf(name, sizeof name, "t%d", i);
    td_input_def input = {.name = name, .unit = "N"};
    input.signal.from = pretension;
    int index = td_robot_add_input(robot, &input, err);
    if (index < 0) return index;
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = name, tendon.to = length;
    tendon.offset[0] = tendon.offset_end[0] = offset * cos(2 * PI * i / TENDONS);
    tendon.offset[1] = tendon.offset_end[1] = offset * sin(2 * PI * i / TENDONS);
    tendon.value = (td_number){.gain = 1.0, .input = index};
    return td_robot_add_tendon(robot, &tendon, err);
}

static td_system *make_system(td_error *err) {
    td_robot *robot = td_robot_create();
    if (!robot) return NULL;
    bool built = add_arm(robot, err) >= 0;
    for (int i = 0; i < TENDONS && built; i++) built = add_tendon(robot, i, err) >= 0;
    td_options options = td_default_options();
    options.theory = TD_KIRCHHOFF;  // no waves of stretch, which no tendon excites
    options.nodes = 6;
    options.scheme = TD_SDIRK2;   // no past: inputs may change at will
    options.max_iterations = 20;  // bounds the work of a step
    td_system *system = built ? td_system_create(robot, &options, err) : NULL;
    td_robot_destroy(robot);
    return system;
}

// ---------------------------------------------------------------- the controller
typedef struct controller {
    double bend[2];             // N, Clarke coordinates of the tensions
    double error, worst_error;  // m
    int failures;               // steps that did not happen
} controller;

// A circle, reached smoothly within a second.
static void target_at(double t, double p[2], double p_t[2]) {
    double phase = 2 * PI * frequency * t, omega = 2 * PI * frequency, x = fmin(t, 1.0);
    double r = radius * x * x * (3 - 2 * x), r_t = radius * 6 * x * (1 - x);
    p[0] = r * cos(phase), p[1] = r * sin(phase);
    p_t[0] = r_t * cos(phase) - omega * p[1];
    p_t[1] = r_t * sin(phase) + omega * p[0];
}

// d (x, y of the tip)/d bend: the Jacobian against the tensions times theirs against bend.
static void bend_jacobian(const double *J, double out[4]) {
    for (int column = 0; column < 2; column++) {
        const double unit[2] = {column == 0, column == 1};
        double tensions[TENDONS];
        td_clarke_inverse(TENDONS, unit, tensions);
        for (int row = 0; row < 2; row++) {
            out[2 * row + column] = 0.0;
            for (int i = 0; i < TENDONS; i++)
                out[2 * row + column] += J[TENDONS * (3 + row) + i] * tensions[i];
        }
    }
}

// Resolved rates: bend moves so that the tip moves as the target does, and towards it.
static void control(controller *c, const td_system *system, td_state *state, double dt) {
    double target[2], target_t[2], J[6 * TENDONS], B[4], rate[2];
    td_pose tip = td_get_pose(system, state, 0, length);
    target_at(td_get_time(system, state), target, target_t);
    c->error = hypot(target[0] - tip.p[0], target[1] - tip.p[1]);
    for (int k = 0; k < 2; k++) rate[k] = target_t[k] + gain * (target[k] - tip.p[k]);
    if (td_get_jacobian(system, state, 0, length, J) < 0) return;  // hold what there is
    bend_jacobian(J, B);
    double determinant = B[0] * B[3] - B[1] * B[2];
    if (fabs(determinant) < 1e-12) return;
    c->bend[0] += dt * (B[3] * rate[0] - B[1] * rate[1]) / determinant;
    c->bend[1] += dt * (B[0] * rate[1] - B[2] * rate[0]) / determinant;
}

static void cycle(controller *c, const td_system *system, td_state *state, double dt) {
    control(c, system, state, dt);
    double tensions[TENDONS];
    td_clarke_inverse(TENDONS, c->bend, tensions);
    for (int i = 0; i < TENDONS; i++)
        td_set_input(system, state, i, fmax(0.0, pretension + tensions[i]));
    if (td_step(system, state, dt) < 0) c->failures++;  // the state is as it was: go on from there
}

// ---------------------------------------------------------------- time
typedef struct timing {
    long *late, *computing;  // (n) ns: woken after the deadline, from there to the end of the cycle
    int n, missed;
} timing;

static struct timespec later(struct timespec t, long ns) {
    t.tv_nsec += ns;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

static long between(struct timespec a, struct timespec b) {
    return (b.tv_sec - a.tv_sec) * 1000000000L + (b.tv_nsec - a.tv_nsec);
}

static struct timespec now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

// A deadline that was missed by more than a period is given up: the loop goes on from now.
static void loop(timing *t, controller *c, const td_system *system, td_state *state, long period) {
    struct timespec deadline = later(now(), period);
    for (int i = 0; i < t->n; i++, deadline = later(deadline, period)) {
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR) {
        }
        struct timespec woken = now();
        cycle(c, system, state, 1e-9 * (double)period);
        if (i >= t->n / 2) c->worst_error = fmax(c->worst_error, c->error);
        struct timespec done = now();
        t->late[i] = between(deadline, woken);
        t->computing[i] = between(woken, done);
        if (between(deadline, done) > period) {
            t->missed++;
            deadline = done;
        }
    }
}

// What a process may do to be left alone; without the right to, it runs as any other.
static const char *prepare(void) {
    struct sched_param priority = {.sched_priority = 80};
    bool first = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
    bool locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    return first && locked ? "SCHED_FIFO, memory locked"
           : first         ? "SCHED_FIFO"
           : locked        ? "ordinary priority, memory locked"
                           : "ordinary priority";
}

// ---------------------------------------------------------------- the report
static int compare(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static void print_quantiles(const char *name, long *values, int n) {
    qsort(values, (size_t)n, sizeof *values, compare);
    printf("%-12s %8.1f %8.1f %8.1f %8.1f\n", name, 1e-3 * (double)values[n / 2],
           1e-3 * (double)values[(long)n * 99 / 100], 1e-3 * (double)values[(long)n * 999 / 1000],
           1e-3 * (double)values[n - 1]);
}

static void report(const timing *t, const controller *c, long period, const char *priority) {
    printf("%d periods of %ld us, %s\n", t->n, period / 1000, priority);
    printf("%-12s %8s %8s %8s %8s   us\n", "", "median", "99 %", "99.9 %", "largest");
    print_quantiles("woken late", t->late, t->n);
    print_quantiles("computing", t->computing, t->n);
    printf("deadlines missed %d, steps failed %d\n", t->missed, c->failures);
    printf("tip within %.2f mm of the circle in the second half\n", 1e3 * c->worst_error);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 4.0, period_us = argc > 2 ? atof(argv[2]) : 1000.0;
    if (!(seconds > 0 && seconds < 1e5 && period_us >= 10 && period_us < 1e6)) {
        fprintf(stderr, "usage: control_loop [SECONDS [PERIOD_US]]\n");
        return 2;
    }
    long period = lround(1e3 * period_us);
    timing t = {.n = (int)fmax(2.0, 1e9 * seconds / (double)period)};
    t.late = calloc((size_t)t.n, sizeof *t.late);
    t.computing = calloc((size_t)t.n, sizeof *t.computing);
    td_error err = {0};
    td_system *system = make_system(&err);
    td_state *state = system ? td_state_create(system) : NULL;  // the last allocation
    if (!t.late || !t.computing || !state || td_begin(system, state) < 0) {
        fprintf(stderr, "%s: %s\n", err.where, state ? td_message(state) : err.message);
        return 1;
    }
    controller c = {0};
    const char *priority = prepare();
    loop(&t, &c, system, state, period);
    report(&t, &c, period, priority);
    td_state_destroy(state);
    td_system_destroy(system);
    free(t.late);
    free(t.computing);
    return 0;
}
