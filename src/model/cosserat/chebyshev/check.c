// model/cosserat/chebyshev/check.c - what the scheme cannot do is refused when a system is made.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "model/cosserat/chebyshev/chebyshev.h"

#define OTHERS "the space schemes collocation and shooting can"

static td_status refuse(td_error *err, const char *where, const char *what) {
    return error_set(err, TD_ERR_UNSUPPORTED, where,
                     "the space scheme chebyshev cannot do %s; " OTHERS, what);
}

static bool is_zero(const td_number *n) {
    for (int i = 0; i < 3; i++)
        if (n[i].value != 0.0 || n[i].gain != 0.0) return false;
    return true;
}

static td_status check_rod(const robot_rod *r, td_error *err) {
    char where[80];
    snprintf(where, sizeof where, "rods.%s", r->name);
    if (r->n_pieces > 1) return refuse(err, where, "rods of several pieces");
    if (r->tip.held || r->base.joint != TD_CLAMP || r->base.body != TD_WORLD)
        return refuse(err, where, "joints");
    if (r->feed.value != 0.0 || r->feed.gain != 0.0) return refuse(err, where, "rods that are fed");
    td_section_properties a = piece_properties(&r->pieces[0], 0.0);
    td_section_properties b = piece_properties(&r->pieces[0], 1.0);
    for (int i = 0; i < 3; i++)
        if (a.stiffness[i] != b.stiffness[i])
            return refuse(err, where, "sections that change along the rod");
    return TD_OK;
}

static td_status check_load(const td_robot *robot, const robot_load *load, td_error *err) {
    char where[80], what[80];
    double length = robot->rods[load->def.rod].length;
    snprintf(where, sizeof where, "loads.%s", load->name);
    if (load->def.distributed) return refuse(err, where, "distributed loads");
    if (load->def.frame != TD_FRAME_WORLD) return refuse(err, where, "loads that follow the body");
    if (fabs(load->def.from - length) <= 1e-9 * length) return TD_OK;
    snprintf(what, sizeof what, "loads at %g m, away from the tip at %g m", load->def.from, length);
    return refuse(err, where, what);
}

td_status chebyshev_check(const td_robot *robot, const td_options *options, td_error *err) {
    if (options->theory != TD_KIRCHHOFF)
        return refuse(err, "simulation.theory", "shear and extension (it needs theory kirchhoff)");
    if (!is_zero(robot->gravity)) return refuse(err, "gravity", "gravity");
    for (int i = 0; i < robot->n_rods; i++) {
        td_status status = check_rod(&robot->rods[i], err);
        if (status < 0) return status;
    }
    if (robot->n_actuators) {
        const char *plural = robot->actuators[0].kind->words.plural;
        return refuse(err, plural, plural);
    }
    if (robot->n_bodies) return refuse(err, "bodies", "bodies");
    for (int i = 0; i < robot->n_loads; i++) {
        td_status status = check_load(robot, &robot->loads[i], err);
        if (status < 0) return status;
    }
    return TD_OK;
}
