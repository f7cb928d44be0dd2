// tests/lumped_bare.h - a net and one trajectory's memory without a system around them, for tests of
// what is inside the lumped models.
#pragma once

#include <stdlib.h>

#include "lumped.h"
#include "model/lumped/relative.h"

extern const td_model model_eba, model_ebr;

typedef struct bare {
    td_robot *robot;
    net *c;
    net_memory *m;
    relative_memory *relative;  // NULL: absolute states
    actuator *actuators;
    void *keep, *work;
    solve_part part;
} bare;

static inline solve_instant bare_instant(void) {
    return (solve_instant){.shares = ALL_SHARES};
}

static inline bare bare_of(td_robot *robot, net *c, const td_model *model) {
    bare b = {.robot = robot, .c = c};
    assert_non_null(c);
    arena count[2] = {{0}, {0}};
    model->layout(c, &count[0], &count[1]);
    b.keep = calloc(1, count[0].used);
    b.work = calloc(1, count[1].used);
    arena keep = {b.keep, 0}, work = {b.work, 0};
    void *memory = model->layout(c, &keep, &work);
    b.m = memory;  // the first member of the other
    b.relative = model == &model_eba ? NULL : memory;
    b.part = model->part(c, memory, 0);
    td_stats stats = {0};
    td_status status;
    char message[MODEL_MESSAGE_SIZE] = "";
    const solve_instant at = bare_instant();
    b.part.how->rest(memory, &at, b.part.m->q);
    model->finish(c, memory, &(model_call){.stats = &stats, .message = message}, &at, SHAPE_SET,
                  &status);
    return b;
}

static inline bare bare_eba(td_robot *robot, const td_options *o) {
    td_error err = {0};
    int n;
    actuator *actuators = actuators_make(robot, &n);
    bare b = bare_of(robot, net_compile(robot, actuators, o, &err), &model_eba);
    b.actuators = actuators;
    return b;
}

static inline void bare_free(bare *b) {
    net_release(b->c);
    free(b->actuators);
    free(b->keep);
    free(b->work);
    td_robot_destroy(b->robot);
}
