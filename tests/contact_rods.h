// tests/contact_rods.h - rods among obstacles, from a few lines of a file.
#pragma once

#include <string.h>
#include <tendril/tendril.h>

#include "check.h"

// A ball that hangs in the air, beside a rod that has nothing to do with it.
#define FALLING_BALL                                                                               \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, -10]\n"                                                                       \
    "rods:\n"                                                                                      \
    "  - {name: post, length: 0.1, section: {radius: 1 mm}, base: {position: [0, 9, 1]},\n"        \
    "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"                 \
    "bodies: [{name: b, mass: 0.1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}]\n"

typedef struct scene {
    td_system *system;
    td_state *state;
} scene;

static inline scene scene_of(const char *text, const char *const *sets, int n_sets) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "scene.yaml", sets, n_sets, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const td_options options = td_robot_options(robot);
    scene s = {.system = td_system_create(robot, &options, &err)};
    if (!s.system) fail_msg("%s: %s", err.where, err.message);
    s.state = td_state_create(s.system);
    assert_non_null(s.state);
    td_robot_destroy(robot);
    return s;
}

static inline void scene_end(scene *s) {
    td_state_destroy(s->state);
    td_system_destroy(s->system);
}

static inline void scene_rest(scene *s) {
    const td_status status = td_solve_statics(s->system, s->state);
    if (status < 0) fail_msg("%s", td_message(s->state));
}

static inline void scene_step(scene *s, double dt) {
    const td_status status = td_step(s->system, s->state, dt);
    if (status < 0) fail_msg("%g s: %s", td_get_time(s->system, s->state), td_message(s->state));
}

static inline void scene_set(scene *s, const char *input, double value) {
    const int i = td_find_input(s->system, input);
    assert_int_equal(td_set_input(s->system, s->state, i, value), TD_OK);
}

static inline td_pose scene_tip(const scene *s) {
    return td_get_pose(s->system, s->state, 0, td_get_length(s->system, s->state, 0));
}

// A bar lifts a heavy wire, and a force pulls its tip aside.
#define BAR                                                                                        \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: a, length: 0.4, section: {radius: 1 mm},\n"                                        \
    "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 3000},\n"                \
    "     base: {direction: [1, 0, 0]}}\n"                                                         \
    "loads: [{at: tip, force: [0, side, -down]}]\n"                                                \
    "obstacles:\n"                                                                                 \
    "  - {name: bar, cylinder: {radius: 20 mm}, direction: [0, 1, 0.2], position: [0.2, 0, up],\n" \
    "     stiffness: 1e5}\n"                                                                       \
    "inputs: {side: 0.01, down: 0.02, up: 0}\n"

static inline td_pose tip_with(scene *s, const char *input, double value) {
    scene_set(s, input, value);
    scene_rest(s);
    return scene_tip(s);
}
