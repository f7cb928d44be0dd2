// model/cosserat/shooting/check.c - what the scheme cannot do is refused when a system is made.
#include <stdio.h>

#include "base/error.h"
#include "model/cosserat/shooting/shooting.h"

static td_status refuse(td_error *err, const char *kind, const char *name, const char *field,
                        const char *what) {
    char where[96];
    snprintf(where, sizeof where, "%s.%.40s.%s", kind, name, field);
    return error_set(err, TD_ERR_UNSUPPORTED, where,
                     "the space scheme shooting cannot do %s; collocation can", what);
}

td_status shooting_check(const td_robot *robot, const td_options *options, td_error *err) {
    (void)options;
    for (int i = 0; i < robot->n_rods; i++) {
        const robot_rod *r = &robot->rods[i];
        if (r->base.body != TD_WORLD)
            return refuse(err, "rods", r->name, "base.body", "rods that stand on a body");
        if (r->base.joint != TD_CLAMP)
            return refuse(err, "rods", r->name, "base.joint", "joints at the base of a rod");
    }
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *t = robot_tendon(robot, i);
        if (t->friction > 0.0)
            return refuse(err, "tendons", t->name, "friction", "tendons with friction");
        if (t->viscous > 0.0)
            return refuse(err, "tendons", t->name, "viscous", "tendons with friction");
    }
    return TD_OK;
}
