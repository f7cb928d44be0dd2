// tests/rom.h - rods of polynomials for tests: below a system, and options in a few words.
#pragma once

#include <stdlib.h>

#include "model/rom/rom.h"

#include "lumped.h"

static inline td_options rom_options(int order) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "rom");
    o.rom.order = order;
    return o;
}

// As the numbers computed independently were: quaternions, Gauss points for everything.
static inline td_options number_options(int order, bool as_printed) {
    td_options o = rom_options(order);
    o.rom.rotation = TD_ROM_QUATERNION;
    o.rom.quadrature = TD_ROM_FULL;
    o.rom.as_printed = as_printed;
    return o;
}

typedef struct bare {  // a compiled robot and one trajectory's memory
    td_robot *robot;
    rom *c;
    rom_memory *m;
    actuator *actuators;
    void *keep, *work;
} bare;

static inline bare bare_make(td_robot *robot, const td_options *o) {
    extern const td_model model_rom;
    td_error err = {0};
    int n;
    bare b = {.robot = robot, .actuators = actuators_make(robot, &n)};
    b.c = rom_compile(robot, b.actuators, o, &err);
    assert_non_null(b.c);
    arena count[2] = {{0}, {0}};
    model_rom.layout(b.c, &count[0], &count[1]);
    b.keep = calloc(1, count[0].used + 1);
    b.work = calloc(1, count[1].used + 1);
    arena keep = {b.keep, 0}, work = {b.work, 0};
    b.m = model_rom.layout(b.c, &keep, &work);
    double none[8] = {0.0};
    td_stats stats;
    model_rom.reset(b.c, b.m, &(model_call){.stats = &stats, .inputs = none});
    for (int k = 0; k < b.c->n_rods; k++) {
        const base_motion base = base_moved(&b.c->rods[k].base, none, NULL, NULL);
        base_keep(&base, b.m->rods[k].base);
    }
    return b;
}

static inline void bare_free(bare *b) {
    rom_release(b->c);
    free(b->actuators);
    free(b->keep);
    free(b->work);
    td_robot_destroy(b->robot);
}
