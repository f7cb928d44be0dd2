// tests/examples.h - robots of the examples, begun.
#pragma once

#include "rods.h"

static inline world load(const char *name) {
    char path[1024];
    td_error err = {0};
    snprintf(path, sizeof path, "%s/%s", EXAMPLES, name);
    td_robot *robot = td_robot_load(path, NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    td_options o = td_robot_options(robot);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    return w;
}
