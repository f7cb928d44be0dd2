// Cost of contact: a guidewire with friction in a vessel against the number of its elements, and a wire that is drawn across a
// field of pegs against their number. What matters is how it grows. With an argument, a number of pegs: only that many, for a
// profiler.
#include <string.h>

#include "bench.h"

static td_robot *robot_of(const char *text) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "bench.yaml", NULL, 0, &err);
    bench_need(robot != NULL, err.message);
    return robot;
}

// ---------------------------------------------------------------- a vessel
// 0.5 m of nitinol in the end, of which the last fifth is pushed in while it is timed.
static const char vessel[] =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: wire, length: 0.4, section: {radius: 0.2 mm}, damping: {time: 5 ms}, feed: push,\n"
    "     material: {youngs_modulus: 60 GPa, poisson_ratio: 0.3, density: 6450}}\n"
    "obstacles:\n"
    "  - name: vessel\n"
    "    friction: 0.1\n"
    "    tube: {points: [[0, 0, 0], [0, 0, 0.1], [0, 0, 0.2], [5 mm, 0, 0.25], [20 mm, 0, 0.29],\n"
    "             [60 mm, 0, 0.33], [0.1, 0, 0.35], [0.15, 10 mm, 0.36], [0.2, 30 mm, 0.36],\n"
    "             [0.3, 60 mm, 0.36]], radius: 3 mm}\n"
    "inputs: {push: {ramp: {to: 0.1, duration: 1 s}}}\n"
    "simulation: {theory: kirchhoff, time: {step: 1 ms, end: 1 s}}\n";

// ---------------------------------------------------------------- a field
// Pegs 20 mm apart, as many rows as columns; a wire that lies across the corner of the first ones is drawn by its tip.
static char *field(int pegs) {
    const size_t size = 2000 + 160 * (size_t)pegs;
    char *text = malloc(size);
    bench_need(text != NULL, "out of memory");
    int used =
        snprintf(text, size,
                 "tendril: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "rods:\n"
                 "  - {name: wire, length: 0.4, section: {radius: 1 mm}, damping: {time: 20 ms},\n"
                 "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.4, density: 1200},\n"
                 "     base: {position: [-0.2, 10 mm, 0], direction: [1, 0, 0]}}\n"
                 "loads: [{at: tip, force: [0, pull, 0]}]\n"
                 "inputs: {pull: {ramp: {to: 0.02, duration: 0.5 s}}}\n"
                 "simulation: {theory: kirchhoff, time: {step: 2 ms, end: 1 s},\n"
                 "  space: {elements: 16, nodes: 4}}\n"
                 "obstacles:\n");
    const int side = (int)ceil(sqrt(pegs));
    for (int i = 0; i < pegs; i++)
        used += snprintf(text + used, size - (size_t)used,
                         "  - {capsule: {radius: 2 mm, length: 20 mm}, friction: 0.2, "
                         "position: [%g, %g, 0]}\n",
                         0.02 * (i % side), 0.02 * (i / side));
    return text;
}

// ---------------------------------------------------------------- both
typedef struct price {
    double step, iterations, contacts;
} price;

static price price_of(const subject *s, double dt, int n) {
    price best = {.step = HUGE_VAL};
    for (int round = 0; round < 3; round++) {
        price p = {0};
        td_state_reset(s->system, s->state);
        bench_need(td_begin(s->system, s->state) >= 0, td_message(s->state));
        const double start = bench_seconds();
        for (int i = 0; i < n; i++) {
            bench_need(td_advance(s->system, s->state, dt) >= 0, td_message(s->state));
            p.iterations += td_get_stats(s->state)->iterations;
        }
        p.step = (bench_seconds() - start) / n;
        p.iterations /= n;
        p.contacts = td_get_contacts(s->system, s->state, NULL, 0);
        if (p.step < best.step) best = p;
    }
    return best;
}

static void report_vessel(void) {
    static const int elements[] = {10, 20, 40, 80};
    td_robot *robot = robot_of(vessel);
    td_options options = td_robot_options(robot);
    printf("elements,step_us,us_for_each_element,iterations,nodes_that_touch,times_real_time\n");
    for (int i = 0; i < 4; i++) {
        options.elements = elements[i], options.nodes = 4;
        subject s = bench_open(robot, &options);
        const price p = price_of(&s, 1e-3, 1000);
        printf("%d,%.0f,%.1f,%.1f,%.0f,%.1f\n", elements[i], 1e6 * p.step,
               1e6 * p.step / elements[i], p.iterations, p.contacts, 1e-3 / p.step);
        bench_close(&s);
    }
    td_robot_destroy(robot);
}

static void report_pegs(int pegs) {
    char *text = field(pegs);
    td_robot *robot = robot_of(text);
    const td_options options = td_robot_options(robot);
    subject s = bench_open(robot, &options);
    const price p = price_of(&s, 2e-3, 400);
    printf("%d,%.0f,%.1f,%.0f\n", pegs, 1e6 * p.step, p.iterations, p.contacts);
    bench_close(&s);
    td_robot_destroy(robot);
    free(text);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        report_pegs(atoi(argv[1]));
        return 0;
    }
    report_vessel();
    printf("\npegs,step_us,iterations,nodes_that_touch\n");
    for (int n = 1; n <= 1000; n *= 10) report_pegs(n);
    return 0;
}
