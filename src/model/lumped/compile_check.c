// model/lumped/compile_check.c - robots that the lumped models refuse, and why.
#include "base/error.h"
#include "model/lumped/compile.h"

// Ends in joints are nodes without mass, which have no acceleration, and multipliers.
static td_status check_ends(const robot_rod *rod, bool soft, td_error *err) {
    const bool base = rod->base.joint != TD_CLAMP && rod->base.joint != TD_FREE;
    if (!soft || !(base || (rod->tip.held && rod->tip.joint != TD_CLAMP))) return TD_OK;
    return refuse_part(
        "rods", rod->name, base ? "base.joint" : "tip.joint",
        "joints that turn or slide need simulation.integration.method: fixed; with others "
        "the ends of rods are "
        "clamped or free",
        err);
}

// What slides, or has a spring, is a node with mass.
static bool turns_in(td_joint joint, const td_spring_def *spring) {
    return joint != TD_CLAMP && joint != TD_FREE && joint != TD_PRISMATIC && !has_spring(spring);
}

static bool turns_at(const td_robot *robot, int rod, double s) {
    if (rod < 0) return false;
    const robot_rod *r = &robot->rods[rod];
    const double near = SAME_PLACE * r->length;
    if (s <= near)
        return turns_in(r->base.joint, &r->base.spring) && motor_of_joint(robot, rod, TD_BASE) < 0;
    return s >= r->length - near && r->tip.held && turns_in(r->tip.joint, &r->tip.spring) &&
           motor_of_joint(robot, rod, TD_TIP) < 0;
}

// What would turn with an end that has no mass.
static td_status check_riders(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const robot_body *b = &robot->bodies[i];
        if (turns_at(robot, b->def.rod, b->def.at))
            return refuse_part(
                "bodies", b->name, "at",
                "in eba no body rides on an end that turns in a joint; it may be part "
                "of what holds the rod, or ride a little beside",
                err);
    }
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *l = &robot->loads[i].def;
        const bool touches =
            turns_at(robot, l->rod, l->from) || (l->distributed && turns_at(robot, l->rod, l->to));
        if (touches && load_answers(l))
            return refuse_part(
                "loads", l->name, "frame",
                "in eba no load that follows acts on an end that turns in a joint; it "
                "may act a little beside",
                err);
    }
    return TD_OK;
}

static td_status check_joined(const robot_rod *rod, td_error *err) {
    if (rod->tip.held || rod->base.body != TD_WORLD)
        return refuse_part("rods", rod->name, rod->tip.held ? "tip" : "base",
                           "relative coordinates run from a base in the world, or a free one, to a "
                           "free tip; eba and "
                           "cosserat have rods that are held by bodies or at both ends",
                           err);
    return TD_OK;
}

// Without an unknown for it, an effort must follow from what gives way.
static td_status check_efforts(const td_robot *robot, bool joins, td_error *err) {
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *t = robot_tendon(robot, i);
        if (t->input != TD_TENSION && t->stiffness <= 0.0 && t->compliance <= 0.0)
            return refuse_part(
                "tendons", t->name, "stiffness",
                joins ? "a displacement acts through what stretches: give the stiffness EA, or the "
                        "compliance of the drive, or simulation.integration.method: fixed, which "
                        "needs none"
                      : "in ebr and srl a displacement acts through what stretches: give the "
                        "stiffness EA, or the compliance of the drive; eba and cosserat need none",
                err);
    }
    for (int i = 0; i < robot_n_actuators(robot, KIND_chamber); i++) {
        const td_chamber_def *c = robot_chamber(robot, i);
        const bool line = c->input == TD_OPENING && c->valve.line_compliance > 0.0;
        const bool gives = line || c->compliance > 0.0;
        if (chamber_holds_volume(c) && !gives)
            return refuse_part(
                "chambers", c->name, "input",
                joins ? "a given volume acts through what gives way: give the compliance of "
                        "its tubes, or simulation.integration.method: fixed, which needs none"
                      : "in ebr and srl a given volume acts through what gives way: give "
                        "the compliance of its tubes; eba with fixed steps and cosserat need none",
                err);
    }
    return TD_OK;
}

static td_status check_tendons(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *t = robot_tendon(robot, i);
        if (t->friction > 0.0 || t->viscous > 0.0)
            return refuse_part(
                "tendons", t->name, "friction",
                "lumped models have no friction of tendons; cosserat and virtual_power "
                "have",
                err);
    }
    return TD_OK;
}

// Every free node needs inertia against turning, or a step has no bound on its spin.
static td_status check_inertia(const td_options *options, td_error *err) {
    if (options->rotary_inertia) return TD_OK;
    return error_set(err, TD_ERR_UNSUPPORTED, "simulation.rotary_inertia",
                     "false: the nodes of lumped models turn by their inertia; cosserat can do "
                     "without");
}

// Coordinates are those of segments.
static td_status check_free(const td_robot *robot, td_error *err) {
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == FREE_BODY)
            return refuse_part("bodies", robot->bodies[i].name, "on",
                               "in ebr and srl bodies ride on rods; eba has free ones", err);
    return TD_OK;
}

// Nodes that may come to touch one another have a matrix without zeros.
#define MOST_TOUCHING 512
static td_status check_contacts(const td_robot *robot, const td_options *options, td_error *err) {
    const int n = robot->n_rods * options->lumped.segments;
    if (robot->n_contacts == 0 || n <= MOST_TOUCHING) return TD_OK;
    return error_set(err, TD_ERR_UNSUPPORTED, "simulation.lumped.segments",
                     "%d segments of %d rods are %d in all; with contacts between parts at most %d",
                     options->lumped.segments, robot->n_rods, n, MOST_TOUCHING);
}

// What bodies are held by has multipliers.
static td_status check_holds(const td_robot *robot, bool soft, td_error *err) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        if (soft && hold->held && (hold->joint != TD_CLAMP || hold->body != TD_WORLD))
            return refuse_part("bodies", robot->bodies[i].name, "held",
                               "joints of bodies need simulation.integration.method: fixed; with "
                               "others bodies are clamped in the world, or held by rods",
                               err);
    }
    return TD_OK;
}

td_status check_lumped(const td_robot *robot, const td_options *options, bool joins,
                       td_error *err) {
    const bool soft = options->integration.method != TD_STEPS_FIXED;
    td_status status = check_inertia(options, err);
    for (int i = 0; i < robot->n_rods && !status; i++)
        status =
            joins ? check_ends(&robot->rods[i], soft, err) : check_joined(&robot->rods[i], err);
    if (!status) status = joins ? check_riders(robot, err) : check_free(robot, err);
    if (!status) status = check_holds(robot, soft, err);
    if (!status) status = check_integration(&options->integration, err);
    if (!status) status = check_contacts(robot, options, err);
    if (!status && (soft || !joins)) status = check_efforts(robot, joins, err);
    return status ? status : check_tendons(robot, err);
}
