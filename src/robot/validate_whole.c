// robot/validate_whole.c - the rules that only a whole robot can break, checked when a system is made
// of it: what holds what, and what lies on a rod that is fed.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "robot/actuators.h"
#include "robot/rules.h"

// ---------------------------------------------------------------- what holds what
static bool holds(const robot_rod *rod, int body) {
    return rod->base.body == body || (rod->tip.held && rod->tip.body == body);
}

static bool is_held(const td_robot *robot, int body) {
    if (robot->bodies[body].def.hold.held) return true;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        if (hold->held && hold->body == body) return true;
    }
    for (int i = 0; i < robot->n_rods; i++)
        if (holds(&robot->rods[i], body)) return true;
    return false;
}

// Does a chain of rods lead from its ends to the world? Visits each body once: `reached` marks
// bodies, and a pass that marks none ends it.
static bool is_anchored(const robot_rod *rod, const bool *reached) {
    if (rod->base.body == TD_WORLD ? rod->base.joint != TD_FREE : reached[rod->base.body])
        return true;
    return rod->tip.held && (rod->tip.body == TD_WORLD || reached[rod->tip.body]);
}

static void spread(const td_robot *robot, bool reached[MOST_PARTS]) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        reached[i] = hold->held && hold->body == TD_WORLD;
    }
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < robot->n_bodies; i++) {  // bodies that hold one another
            const td_tip_def *hold = &robot->bodies[i].def.hold;
            if (!hold->held || hold->body == TD_WORLD || reached[i] == reached[hold->body])
                continue;
            more = reached[i] = reached[hold->body] = true;
        }
        for (int i = 0; i < robot->n_rods; i++) {
            const robot_rod *rod = &robot->rods[i];
            if (!is_anchored(rod, reached)) continue;
            const int ends[2] = {rod->base.body, rod->tip.held ? rod->tip.body : TD_WORLD};
            for (int e = 0; e < 2; e++)
                if (ends[e] >= 0 && !reached[ends[e]]) more = reached[ends[e]] = true;
        }
    }
}

bool rod_floats(const td_robot *robot, int rod) {
    bool reached[MOST_PARTS] = {false};
    spread(robot, reached);
    return !is_anchored(&robot->rods[rod], reached);
}

bool body_floats(const td_robot *robot, int body) {
    bool reached[MOST_PARTS] = {false};
    spread(robot, reached);
    return robot->bodies[body].def.rod == FREE_BODY && !reached[body];
}

int root_of_body(const td_robot *robot, int body) {
    for (const td_tip_def *hold; (hold = &robot->bodies[body].def.hold)->held; body = hold->body)
        if (hold->body == TD_WORLD) break;
    return body;
}

static td_status holders_validate(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot->n_bodies; i++) {
        char where[OWNER_SIZE];
        if (robot->bodies[i].def.rod != FREE_BODY || is_held(robot, i)) continue;
        if (body_touches(robot, i) || body_has_contact(robot, i)) continue;
        snprintf(where, sizeof where, "bodies.%s", robot->bodies[i].name);
        return error_set(
            err, TD_ERR_VALUE, where,
            "no rod holds it: name it as the body of a rod's base or tip, say how it is "
            "held, or let it ride on a rod; with the shape of a sphere, a capsule or a box "
            "it may lie among obstacles, or touch what contacts name");
    }
    return TD_OK;
}

// ---------------------------------------------------------------- in a fluid
static td_status wet_rod_validate(const td_robot *robot, int index, td_error *err) {
    const robot_rod *rod = &robot->rods[index];
    const bool wet = robot->fluid.density > 0.0;
    for (int k = 0; k < rod->n_pieces; k++) {
        const td_piece_def *p = &rod->pieces[k];
        bool asks = false;
        for (int i = 0; i < 3; i++) asks = asks || p->added_mass[i] > 0.0;
        for (int i = 0; i < 2; i++) asks = asks || p->drag_coefficient[i] > 0.0;
        if (wet ? section_is_given(&p->section) : !asks) continue;
        char where[OWNER_SIZE];
        snprintf(where, sizeof where, "rods.%s", rod->name);
        return error_set(err, TD_ERR_VALUE, where,
                         wet ? "a piece of it has no section: what it displaces of the fluid is "
                               "not known"
                             : "added_mass and drag_coefficient are by the density of a fluid, and "
                               "there is none: give the key 'fluid'");
    }
    return TD_OK;
}

static td_status wet_body_validate(const td_robot *robot, int index, td_error *err) {
    const robot_body *body = &robot->bodies[index];
    if (robot->fluid.density > 0.0 || body->def.volume == 0.0) return TD_OK;
    char owner[OWNER_SIZE];
    snprintf(owner, sizeof owner, "bodies.%s", body->name);
    return refuse((place){owner, NULL, "volume"}, body->def.volume, "m^3",
                  "displaces a fluid, and there is none: give the key 'fluid'", err);
}

td_status robot_validate_whole(const td_robot *robot, td_error *err) {
    td_status status = holders_validate(robot, err);
    for (int i = 0; i < robot->n_rods && !status; i++) status = wet_rod_validate(robot, i, err);
    for (int i = 0; i < robot->n_bodies && !status; i++) status = wet_body_validate(robot, i, err);
    return status;
}
