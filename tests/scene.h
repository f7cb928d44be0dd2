// tests/scene.h - a robot from the text of a file, compiled, with one state.
#pragma once

#include <string.h>
#include <tendril/tendril.h>

#include "check.h"

typedef struct scene {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_error err;
} scene;

// Of its robot, as it is now.
static inline void scene_build(scene *s) {
    const td_options options = td_robot_options(s->robot);
    td_state_destroy(s->state);
    td_system_destroy(s->system);
    s->system = td_system_create(s->robot, &options, &s->err);
    if (!s->system) fail_msg("%s: %s", s->err.where, s->err.message);
    s->state = td_state_create(s->system);
    assert_non_null(s->state);
}

static inline scene scene_of_robot(td_robot *robot, const td_error *read) {
    if (!robot) fail_msg("%s: %s", read->where, read->message);
    scene s = {.robot = robot};
    scene_build(&s);
    return s;
}

static inline scene scene_of(const char *text, const char *const *sets, int n_sets) {
    td_error err = {0};
    td_robot *robot = td_robot_parse(text, strlen(text), "scene.yaml", sets, n_sets, &err);
    return scene_of_robot(robot, &err);
}

// Of what is written of a robot.
static inline scene scene_written(const td_robot *robot) {
    td_error err = {0};
    char *text = td_robot_write(robot, NULL, NULL, &err);
    if (!text) fail_msg("%s: %s", err.where, err.message);
    scene s = scene_of(text, NULL, 0);
    td_free_text(text);
    return s;
}

static inline scene scene_of_file(const char *path, const char *const *sets, int n_sets) {
    td_error err = {0};
    td_robot *robot = td_robot_load(path, sets, n_sets, &err);
    return scene_of_robot(robot, &err);
}

static inline void scene_end(scene *s) {
    td_state_destroy(s->state);
    td_system_destroy(s->system);
    td_robot_destroy(s->robot);
}

static inline void scene_begin(scene *s) {
    const td_status status = td_begin(s->system, s->state);
    if (status < 0) fail_msg("%s", td_message(s->state));
}

static inline void scene_rest(scene *s) {
    const td_status status = td_solve_statics(s->system, s->state);
    if (status < 0) fail_msg("%s", td_message(s->state));
}

static inline void scene_step(scene *s, double dt) {
    const td_status status = td_step(s->system, s->state, dt);
    if (status < 0) fail_msg("%g s: %s", td_get_time(s->system, s->state), td_message(s->state));
}

// Inputs follow their signals, and controllers act.
static inline void scene_advance(scene *s, double dt) {
    const td_status status = td_advance(s->system, s->state, dt);
    if (status < 0) fail_msg("%g s: %s", td_get_time(s->system, s->state), td_message(s->state));
}

static inline void scene_set(scene *s, const char *input, double value) {
    const int i = td_find_input(s->system, input);
    assert_int_equal(td_set_input(s->system, s->state, i, value), TD_OK);
}

static inline double scene_input(const scene *s, const char *name) {
    return td_get_input(s->system, s->state, td_find_input(s->system, name));
}

static inline td_pose scene_tip(const scene *s) {
    return td_get_pose(s->system, s->state, 0, td_get_length(s->system, s->state, 0));
}

// J: kinetic, elastic and of gravity.
static inline double scene_energy(const scene *s) {
    const td_energy e = td_get_energy(s->system, s->state);
    return e.kinetic + e.elastic + e.gravity;
}
