// model/rom/compile_check.c - robots that this model refuses, and why.
#include "base/error.h"
#include "model/rom/compile.h"

// Without an unknown for it, an effort must follow from what gives way.
static td_status check_efforts(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot->n_tendons; i++) {
        const td_tendon_def *t = &robot->tendons[i].def;
        if (t->input == TD_DISPLACEMENT && t->stiffness <= 0.0 && t->compliance <= 0.0)
            return refuse_part(
                "tendons", t->name, "stiffness",
                "in rom a displacement acts through what stretches: give the stiffness "
                "EA, or the compliance of the drive; eba and cosserat need none",
                err);
    }
    for (int i = 0; i < robot->n_chambers; i++)
        if (robot->chambers[i].def.input == TD_VOLUME)
            return refuse_part("chambers", robot->chambers[i].name, "input",
                               "in rom chambers have a given pressure or amount of gas; eba and "
                               "cosserat also a given volume",
                               err);
    return TD_OK;
}

static td_status check_options(const td_options *o, td_error *err) {
    if (!o->rotary_inertia)
        return error_set(err, TD_ERR_UNSUPPORTED, "simulation.rotary_inertia",
                         "false: in rom rotations are coordinates of their own, which need the "
                         "inertia of the sections; cosserat can do without");
    return chains_check_integration(&o->integration, err);
}

td_status check_rom(const td_robot *robot, const td_options *options, td_error *err) {
    td_status status = check_options(options, err);
    return status ? status : check_efforts(robot, err);
}
