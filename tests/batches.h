// tests/batches.h - robots for tests of batches, and what a batch is asked for.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "tendril/batch.h"

#include "check.h"

// A four-tendon arm with everything that the kernel knows: a taper in two pieces, a tendon that winds and one
// that ends early, a chamber, drag, a body that rides at the tip, loads of both frames, a base that moves.
#define ARM_ROD                                                                                    \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - name: backbone\n"                                                                         \
    "    length: 0.25\n"                                                                           \
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 38000}\n"                \
    "    section: {radius: 0.5 mm}\n"                                                              \
    "    damping: {bending: 1e-5 N m^2 s, torsion: 1e-5 N m^2 s}\n"

#define ARM_TENDONS                                                                                \
    "tendons:\n"                                                                                   \
    "  - {name: east, offset: [8 mm, 0]}\n"                                                        \
    "  - {name: north, offset: [0, 8 mm]}\n"                                                       \
    "  - {name: west, offset: [-8 mm, 0]}\n"                                                       \
    "  - {name: south, offset: [0, -8 mm]}\n"

#define ARM_SIMULATION                                                                             \
    "simulation: {theory: kirchhoff, time: {scheme: bdf2, step: 5 ms, end: 1 s}, space: {nodes: "  \
    "5}}\n"

#define PLAIN_ARM ARM_ROD ARM_TENDONS ARM_SIMULATION

static const char rich_arm[] =
    "tendril: 1\n"
    "rods:\n"
    "  - name: backbone\n"
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 30000}\n"
    "    damping: {bending: 1e-5 N m^2 s, torsion: 2e-5 N m^2 s, extension: 1 N s, shear: 1 N s}\n"
    "    drag: 0.03\n"
    "    base: {position: [lift, 0, 0.1], direction: [1, 0, 0.2]}\n"
    "    pieces:\n"
    "      - {length: 0.15, section: {radius: 0.6 mm}}\n"
    "      - {length: 0.1, section: {radius: 0.5 mm}, rest: {curvature: [1, 0, 0.5]}}\n"
    "tendons:\n"
    "  - {name: east, offset: [8 mm, 0]}\n"
    "  - {name: north, offset: [0, 8 mm], end: 0.15}\n"
    "  - {name: helix, routing: {helix: {radius: 7 mm, turns: 1}}}\n"
    "chambers:\n"
    "  - {name: bag, offset: [0.1 mm, 0.05 mm], radius: 0.2 mm}\n"
    "bodies:\n"
    "  - {name: object, on: backbone, at: tip, mass: 1 g, inertia: [2e-8, 3e-8, 4e-8],\n"
    "     centre: [1 mm, 2 mm, 5 mm], attached: grip}\n"
    "  - {name: disc, on: backbone, at: 0.15, mass: 2 g}\n"
    "loads:\n"
    "  - {name: wind, rod: backbone, from: 0.05, to: 0.15, force: [0, gust, 0.01]}\n"
    "  - {name: jet, rod: backbone, at: tip, frame: body, force: [0.01, push, 0], moment: [0, 0, "
    "1e-4]}\n"
    "inputs: {lift: 0, grip: 0, gust: 0, push: 0}\n"
    "simulation: {theory: kirchhoff, time: {scheme: bdf-alpha, alpha: -0.2, step: 4 ms, end: 1 s}, "
    "space: {nodes: 6}}\n";

typedef struct subject {
    td_robot *robot;
    td_system *system;
    double length;
} subject;

static inline subject subject_of(const char *text, const char *const *sets, int n_sets) {
    td_error err = {0};
    subject s = {.robot = td_robot_parse(text, strlen(text), "arm", sets, n_sets, &err)};
    if (!s.robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(s.robot);
    const td_options o = td_robot_options(s.robot);
    s.system = td_system_create(s.robot, &o, &err);
    if (!s.system) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(s.system);
    s.length = td_rod_length(s.system, 0);
    return s;
}

static inline void subject_free(subject *s) {
    td_system_destroy(s->system);
    td_robot_destroy(s->robot);
}

static inline td_batch *batch_of(const subject *s, int n, td_batch_kind kind, int width,
                                 int threads) {
    td_error err = {0};
    const td_batch_options o = {.kind = kind, .width = width, .threads = threads};
    td_batch *b = td_batch_create(s->system, n, &o, &err);
    if (!b) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(b);
    return b;
}

// Another motion for each robot, of inputs that begin at zero.
static inline double some_input(int robot, int input, int step) {
    const double x = 0.004 * step;
    return (1.0 - exp(-8.0 * x)) *
           (1.5 + sin(6.0 * x * (1.0 + 0.1 * (robot % 7)) + robot + 1.6 * input));
}

// What of an input's size makes sense, by its unit.
static inline double input_size(const subject *s, int input) {
    const char *name = td_input_name(s->system, input), *unit = td_input_unit(s->system, input);
    if (!strcmp(name, "grip")) return 0.3;
    if (!strcmp(name, "gust") || !strcmp(name, "push")) return 0.005;
    if (!strcmp(unit, "m^3")) return 2e-11;
    return !strcmp(unit, "Pa") ? 1e4 : !strcmp(unit, "m") ? 2e-3 : 1.0;
}

// And where it begins: the volume of the bag at rest.
static inline double input_rest(const subject *s, int input) {
    return !strcmp(td_input_unit(s->system, input), "m^3") ? 3.1415926e-8 : 0.0;
}

static inline void set_inputs(const subject *s, td_batch *b, int first, int step) {
    const int n = td_n_inputs(s->system);
    for (int i = 0; i < td_batch_n(b); i++)
        for (int k = 0; k < n; k++)
            td_batch_inputs(b)[i * n + k] =
                input_rest(s, k) + input_size(s, k) * some_input(first + i, k, step);
}

// `steps` steps of dt from rest, and the tips; `first`: the number of the first robot.
static inline int play(const subject *s, td_batch *b, int first, int steps, double dt,
                       td_sample *tips) {
    int failed = 0;
    for (int k = 1; k <= steps; k++) {
        set_inputs(s, b, first, k);
        const int now = td_batch_step(b, dt, 1, NULL);
        for (int i = 0; now && !failed && i < td_batch_n(b); i++)
            if (td_batch_statuses(b)[i] < 0)
                fprintf(stderr, "step %d, robot %d: %s\n", k, i, td_batch_message(b, i));
        failed += now;
    }
    td_batch_get_samples(b, 0, &s->length, 1, tips);
    return failed;
}

static inline double distance(const td_sample *a, const td_sample *b) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += pow(a->pose.p[i] - b->pose.p[i], 2);
    return sqrt(sum);
}
