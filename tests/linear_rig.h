// tests/linear_rig.h - a robot from the text of a file, begun, with a linear model of it.
#pragma once

#include "scene.h"

typedef struct rig {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_linearisation *l;
} rig;

static inline rig rig_of(const char *text, const td_output *outputs, int n) {
    scene s = scene_of(text, NULL, 0);
    scene_begin(&s);
    rig r = {s.robot, s.system, s.state, td_linearisation_create(s.system, outputs, n, &s.err)};
    assert_non_null(r.l);
    return r;
}

static inline void rig_end(rig *r) {
    td_linearisation_destroy(r->l);
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    td_robot_destroy(r->robot);
}

static inline void linearise(rig *r) {
    const td_status status = td_linearise(r->system, r->state, r->l);
    if (status < 0) fail_msg("%s", td_message(r->state));
}
