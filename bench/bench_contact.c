// Cost of contact: a guidewire with friction in a vessel against the number of its elements, a wire that is drawn over posts
// against the number of those that it touches, and one across a field of pegs against their number. What matters is how it
// grows. For a profiler, "bench_contact vessel 40" (posts, pegs): only that one, once.
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

// ---------------------------------------------------------------- posts
// A heavy wire of 0.4 m lies across posts and is drawn over them, as fast as it is fed.
static char *bed(int posts) {
    const size_t size = 2000 + 200 * (size_t)posts;
    char *text = malloc(size);
    bench_need(text != NULL, "out of memory");
    int used =
        snprintf(text, size,
                 "tendril: 1\n"
                 "rods:\n"
                 "  - {name: wire, length: 0.4, section: {radius: 1 mm}, damping: {time: 5 ms},\n"
                 "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.4, density: 8000},\n"
                 "     base: {direction: [1, 0, 0]}, feed: push}\n"
                 "inputs: {push: {ramp: {to: 20 mm, duration: 0.5 s}}}\n"
                 "simulation: {theory: kirchhoff, time: {step: 1 ms, end: 0.5 s}}\n"
                 "obstacles:\n");
    for (int i = 0; i < posts; i++)
        used += snprintf(text + used, size - (size_t)used,
                         "  - {capsule: {radius: 4 mm, length: 40 mm}, friction: 0.2,\n"
                         "     position: [%g, 0, -5 mm], direction: [0, 1, 0]}\n",
                         0.4 * (i + 1.0) / posts);
    return text;
}

// ---------------------------------------------------------------- all
typedef struct price {
    double step, iterations, matrices, contacts;
} price;

static int rounds = 3;

static price price_of(const subject *s, double dt, int n) {
    price best = {.step = HUGE_VAL};
    for (int round = 0; round < rounds; round++) {
        price p = {0};
        td_state_reset(s->system, s->state);
        bench_need(td_begin(s->system, s->state) >= 0, td_message(s->state));
        const double start = bench_seconds();
        for (int i = 0; i < n; i++) {
            bench_need(td_advance(s->system, s->state, dt) >= 0, td_message(s->state));
            p.iterations += td_get_stats(s->state)->iterations;
            p.matrices += td_get_stats(s->state)->jacobians;
            p.contacts += td_get_contacts(s->system, s->state, NULL, 0);
        }
        p.step = (bench_seconds() - start) / n;
        p.iterations /= n, p.matrices /= n, p.contacts /= n;
        if (p.step < best.step) best = p;
    }
    return best;
}

static price price_of_text(const char *text, int elements, double dt, int n) {
    td_robot *robot = robot_of(text);
    td_options options = td_robot_options(robot);
    options.elements = elements, options.nodes = 4;
    subject s = bench_open(robot, &options);
    const price p = price_of(&s, dt, n);
    bench_close(&s);
    td_robot_destroy(robot);
    return p;
}

static void report_vessel(int elements) {
    const price p = price_of_text(vessel, elements, 1e-3, 1000);
    printf("%d,%.0f,%.1f,%.1f,%.2f,%.1f,%.1f\n", elements, 1e6 * p.step, 1e6 * p.step / elements,
           p.iterations, p.matrices, p.contacts, 1e-3 / p.step);
}

static void report_posts(int posts) {
    char *text = bed(posts);
    const price p = price_of_text(text, 40, 1e-3, 500);
    printf("%d,%.1f,%.0f,%.1f,%.2f,%.0f\n", posts, p.contacts, 1e6 * p.step, p.iterations,
           p.matrices, 1e6 * p.step / p.iterations);
    free(text);
}

static void report_pegs(int pegs) {
    char *text = field(pegs);
    const price p = price_of_text(text, 16, 2e-3, 400);
    printf("%d,%.0f,%.1f,%.1f\n", pegs, 1e6 * p.step, p.iterations, p.contacts);
    free(text);
}

typedef struct table {
    const char *name, *head;
    void (*report)(int);
    int sizes[8];
} table;

static const table tables[] = {
    {"vessel",
     "elements,step_us,us_for_each_element,iterations,matrices,nodes_that_touch,times_real_time",
     report_vessel,
     {10, 20, 40, 80}},
    {"posts",
     "posts,nodes_that_touch,step_us,iterations,matrices,us_for_each_iteration",
     report_posts,
     {2, 4, 8, 16, 32}},
    {"pegs", "pegs,step_us,iterations,nodes_that_touch", report_pegs, {1, 10, 100, 1000}},
};

int main(int argc, char **argv) {
    for (int i = 0; i < 3; i++) {
        const table *t = &tables[i];
        if (argc > 2 && strcmp(argv[1], t->name)) continue;
        printf("%s%s\n", i > 0 && argc <= 2 ? "\n" : "", t->head);
        if (argc > 2) rounds = 1, t->report(atoi(argv[2]));
        for (int j = 0; argc <= 2 && t->sizes[j] > 0; j++) t->report(t->sizes[j]);
    }
    return 0;
}
