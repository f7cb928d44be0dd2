// What a step costs at worst: over 10^5 steps of a rod whose tip is pulled about, as in a control loop,
// with a jump of the load every 500 steps. Median, 99th and 99.9th percentile and largest, by the clock
// and in counts that no clock disturbs.
//
// A run is the same to the bit each time, so a step that costs 10 us in one run and 50 us in another
// was interrupted: `least` takes for each step the least of the runs, `once` is the first run as it was.
#include <string.h>

#include "bench.h"

enum { STEPS = 100000, RUNS = 3, JUMP = 500 };

// Wall time, s: what a loop waits for. (The clock of processor time is a system call, which costs
// more than a tenth of a step.)
static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Two tones and a square wave.
static double pull(int i, double dt) {
    double t = i * dt, square = i / JUMP % 2 ? 0.3 : -0.3;
    return 0.5 * sin(4.3 * t) + 0.3 * sin(19.7 * t) + square;
}

typedef struct record {
    double *once, *least;            // (STEPS) s
    double *iterations, *jacobians;  // (STEPS)
    int fallbacks;
} record;

static void run(const subject *s, double dt, int round, record *r) {
    td_state_reset(s->system, s->state);
    r->fallbacks = 0;
    for (int i = 0; i < STEPS; i++) {
        td_set_input(s->system, s->state, 0, pull(i, dt));
        if (i % JUMP == 0) td_restart(s->system, s->state);
        double start = wall();
        td_status status = td_step(s->system, s->state, dt);
        double seconds = wall() - start;
        bench_need(status >= 0, td_message(s->state));
        if (round == 0) r->once[i] = r->least[i] = seconds;
        if (seconds < r->least[i]) r->least[i] = seconds;
        r->iterations[i] = td_get_stats(s->state)->iterations;
        r->jacobians[i] = td_get_stats(s->state)->jacobians;
        r->fallbacks += td_get_stats(s->state)->fallbacks;
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_quantiles(const char *name, double *values, double unit) {
    qsort(values, STEPS, sizeof *values, compare);
    printf(",%s,%.2f,%.2f,%.2f,%.2f\n", name, unit * values[STEPS / 2],
           unit * values[STEPS / 100 * 99], unit * values[STEPS / 1000 * 999],
           unit * values[STEPS - 1]);
}

static void report(const td_robot *robot, const char *motion, td_theory theory, double dt) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    o.nodes = 6;
    o.tolerance = 1e-8;
    subject s = bench_open(robot, &o);
    double *memory = malloc(sizeof(double) * 4 * STEPS);
    bench_need(memory != NULL, "out of memory");
    record r = {memory, memory + STEPS, memory + 2 * STEPS, memory + 3 * STEPS, 0};
    for (int k = 0; k < RUNS; k++) run(&s, dt, k, &r);
    char head[64];
    snprintf(head, sizeof head, "%s,%s,%g", motion, bench_theories[theory], 1e3 * dt);
    printf("%s", head), print_quantiles("us_once", r.once, 1e6);
    printf("%s", head), print_quantiles("us_least", r.least, 1e6);
    printf("%s", head), print_quantiles("iterations", r.iterations, 1.0);
    printf("%s", head), print_quantiles("jacobians", r.jacobians, 1.0);
    printf("%s,fallbacks_in_all,%d,,,\n", head, r.fallbacks);
    free(memory);
    bench_close(&s);
}

int main(void) {
    td_robot *planar = bench_cantilever(false), *space = bench_cantilever(true);
    printf("motion,theory,ms,quantity,median,percentile_99,percentile_99.9,largest\n");
    report(planar, "planar", TD_KIRCHHOFF, 5e-3);
    report(space, "space", TD_KIRCHHOFF, 5e-3);
    report(space, "space", TD_COSSERAT, 5e-3);
    report(space, "space", TD_KIRCHHOFF, 1e-3);
    td_robot_destroy(planar);
    td_robot_destroy(space);
    return 0;
}
