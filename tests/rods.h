// tests/rods.h - building one-rod systems in a few words, for tests.
#pragma once

#include <stdlib.h>
#include <tendril/tendril.h>

#include "check.h"

// Closed forms hold whatever the spatial scheme: tests that say scheme_options() run under each.
static td_space test_space = TD_SHOOTING;

static inline td_options scheme_options(void) {
    td_options o = td_default_options();
    o.space = test_space;
    o.nodes = 16;
    return o;
}

// For the end of main: both groups, one after the other.
#define RUN_UNDER_EACH_SCHEME(tests)                                                               \
    do {                                                                                           \
        test_space = TD_SHOOTING;                                                                  \
        int failed = cmocka_run_group_tests_name("shooting", tests, NULL, NULL);                   \
        test_space = TD_COLLOCATION;                                                               \
        return failed + cmocka_run_group_tests_name("collocation", tests, NULL, NULL);             \
    } while (0)

// Spring steel, 0.4 m, 1 mm: the benchmark rod of Till 2019, section 3.
static inline td_piece_def steel_piece(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.4;
    piece.youngs_modulus = 207e9;
    piece.shear_modulus = 79e9;
    piece.density = 8000.0;
    piece.section.radius = piece.section_end.radius = 1e-3;
    return piece;
}

static inline void set3(td_number out[3], double x, double y, double z) {
    out[0] = td_constant(x);
    out[1] = td_constant(y);
    out[2] = td_constant(z);
}

static inline void set_gravity(td_robot *robot, double x, double y, double z) {
    td_number g[3];
    set3(g, x, y, z);
    td_error err = {0};
    CHECK_OK(td_robot_set_gravity(robot, g, &err), err);
}

// A robot with one rod "rod" of the given pieces along +z, without gravity.
static inline td_robot *rod_robot(const td_piece_def *pieces, int n_pieces) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    assert_non_null(robot);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod";
    rod.pieces = pieces;
    rod.n_pieces = n_pieces;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    return robot;
}

static inline int add_input(td_robot *robot, const char *name) {
    td_error err = {0};
    td_input_def def = {.name = name, .signal = {.kind = TD_SIGNAL_CONSTANT}};
    int input = td_robot_add_input(robot, &def, &err);
    CHECK_OK(input, err);
    return input;
}

// A point load at arc length s.
static inline td_load_def point_load(const char *name, double s) {
    td_load_def load = td_default_load_def();
    load.name = name;
    load.from = s;
    return load;
}

static inline void add_load(td_robot *robot, const td_load_def *load) {
    td_error err = {0};
    CHECK_OK(td_robot_add_load(robot, load, &err), err);
}

static inline void add_tip_force(td_robot *robot, double s, double x, double y, double z) {
    td_load_def load = point_load("tip_force", s);
    set3(load.force, x, y, z);
    add_load(robot, &load);
}

static inline void add_tip_moment(td_robot *robot, double s, double x, double y, double z) {
    td_load_def load = point_load("tip_moment", s);
    set3(load.moment, x, y, z);
    add_load(robot, &load);
}

typedef struct world {  // everything one test needs, freed together
    td_robot *robot;
    td_system *system;
    td_state *state;
} world;

static inline world world_make(td_robot *robot, const td_options *options) {
    td_error err = {0};
    world w = {.robot = robot, .system = td_system_create(robot, options, &err)};
    if (!w.system) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(w.system);
    w.state = td_state_create(w.system);
    assert_non_null(w.state);
    return w;
}

static inline void world_free(world *w) {
    td_state_destroy(w->state);
    td_system_destroy(w->system);
    td_robot_destroy(w->robot);
}

// A call on a world that must succeed (TD_OK exactly), with its message printed otherwise.
#define CHECK_CALL(w, call) check_call((call), (w)->state, #call, __FILE__, __LINE__)
static inline void check_call(td_status status, const td_state *state, const char *text,
                              const char *file, int line) {
    if (status == TD_OK) return;
    fprintf(stderr, "%s returned %s: %s\n", text, td_status_name(status), td_message(state));
    _fail(file, line);
}

static inline td_pose tip_of(const world *w) {
    return td_get_pose(w->system, w->state, 0, td_rod_length(w->system, 0));
}

// J: kinetic, elastic and of gravity; and, which stays in motion, with what was lost and without what was put in.
static inline double world_energy(const world *w) {
    const td_energy e = td_get_energy(w->system, w->state);
    return e.kinetic + e.gravity + e.elastic;
}

static inline double world_balance(const world *w) {
    const td_energy e = td_get_energy(w->system, w->state);
    return e.kinetic + e.gravity + e.elastic + e.dissipated - e.work;
}

static inline double pose_distance(td_pose a, td_pose b) {  // m
    return hypot(hypot(a.p[0] - b.p[0], a.p[1] - b.p[1]), a.p[2] - b.p[2]);
}
