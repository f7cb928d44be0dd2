// model/virtual_power/compile_check.c - robots that this model refuses, and why.
#include <stdio.h>

#include "base/error.h"
#include "model/virtual_power/compile.h"

#define WHERE_SIZE 256

static double mm(double length) {
    return 1e3 * length;
}

// ---------------------------------------------------------------- the core
static td_status check_pieces(const robot_rod *rod, bool torsion, td_error *err) {
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "rods.%s.rest", rod->name);
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *p = &rod->pieces[i];
        if (p->rest_stretch[0] != 0.0 || p->rest_stretch[1] != 0.0 || p->rest_stretch[2] != 1.0)
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "virtual_power has no stretch and no shear, also at rest; cosserat "
                             "has");
        if (p->rest_curvature[2] != 0.0 && !torsion)
            return error_set(err, TD_ERR_UNSUPPORTED, where,
                             "a twist of %g rad/m at rest needs simulation.virtual_power.torsion: "
                             "true",
                             p->rest_curvature[2]);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- discs
static const robot_body *next_body(const td_robot *robot, const robot_body *b) {
    const robot_body *next = NULL;
    for (int i = 0; i < robot->n_bodies; i++) {
        const robot_body *other = &robot->bodies[i];
        if (other->def.rod != b->def.rod || other->def.at <= b->def.at) continue;
        if (!next || other->def.at < next->def.at) next = other;
    }
    return next;
}

static td_status check_discs(const td_robot *robot, int rod, const disc_places *p, td_error *err) {
    for (int i = 0; i < robot->n_bodies && p->bodies; i++) {
        const robot_body *b = &robot->bodies[i], *next;
        if (b->def.rod != rod || !(next = next_body(robot, b))) continue;
        double gap = next->def.at - b->def.at, height = 0.5 * (b->def.height + next->def.height);
        if (b->def.height <= 0.0 || next->def.height <= 0.0 || gap > height) continue;
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "bodies.%s.at", next->name);
        return error_set(err, TD_ERR_VALUE, where,
                         "discs touch: '%s' is %g mm beyond '%s', but together they are %g mm high "
                         "there",
                         next->name, mm(gap), b->name, mm(height));
    }
    return TD_OK;
}

static td_status check_attached(const td_robot *robot, int rod, td_error *err) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const robot_body *b = &robot->bodies[i];
        if (b->def.rod != rod || b->def.attached.gain == 0.0) continue;
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "bodies.%s.attached", b->name);
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "virtual_power has discs that stay; cosserat lets bodies go");
    }
    return TD_OK;
}

// ---------------------------------------------------------------- tendons and rods
static td_status refuse_tendon(const td_tendon_def *t, const char *key, td_status status,
                               const char *text, td_error *err) {
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "tendons.%s.%s", t->name, key);
    return error_set(err, status, where, "%s", text);
}

static td_status check_end(const td_robot *robot, int rod, const td_tendon_def *t,
                           const disc_places *p, td_error *err) {
    const double length = robot->rods[rod].length;
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "tendons.%s.to", t->name);
    if (p->bodies && t->to > p->last_body + SAME_PLACE * length)
        return error_set(err, TD_ERR_VALUE, where,
                         "%g mm lies beyond the last disc of rod '%s', at %g mm: there is nothing "
                         "to fix it to",
                         mm(t->to), robot->rods[rod].name, mm(p->last_body));
    if (disc_at(p, t->to, length) >= 0) return TD_OK;
    int i = 0;
    while (p->s[i] < t->to) i++;
    return error_set(err, TD_ERR_VALUE, where,
                     "%g mm lies between the discs of rod '%s' at %g and %g mm: it must end at one",
                     mm(t->to), robot->rods[rod].name, i ? mm(p->s[i - 1]) : 0.0, mm(p->s[i]));
}

// Holes outside a disc that the tendon passes.
static td_status check_holes(const td_robot *robot, const td_tendon_def *t, const actuator *a,
                             td_error *err) {
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *b = &robot->bodies[i].def;
        if (b->rod != t->rod || b->radius <= 0.0 || b->at > t->to) continue;
        double distance = vec3_norm(actuator_route(a, b->at).r);
        if (distance <= b->radius * (1.0 + 1e-9)) continue;
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "tendons.%s.offset", t->name);
        return error_set(
            err, TD_ERR_VALUE, where,
            "its hole lies %g mm from the axis, outside the disc '%s' with a radius of "
            "%g mm",
            mm(distance), robot->bodies[i].name, mm(b->radius));
    }
    return TD_OK;
}

static td_status check_tendon(const td_robot *robot, int rod, const td_tendon_def *t,
                              const disc_places *p, const td_virtual_power_options *options,
                              td_error *err) {
    const bool ideal = options->contact == TD_CONTACT_IDEAL;
    const bool parallel = t->routing == TD_ROUTING_STRAIGHT && t->offset[0] == t->offset_end[0] &&
                          t->offset[1] == t->offset_end[1];
    if (t->from > SAME_PLACE * robot->rods[rod].length)
        return refuse_tendon(
            t, "from", TD_ERR_UNSUPPORTED,
            "in virtual_power tendons and rods begin at the base; in cosserat they "
            "may begin anywhere",
            err);
    if (!ideal && !parallel)
        return refuse_tendon(t, "routing", TD_ERR_UNSUPPORTED,
                             "a path that is not parallel to the axis needs "
                             "simulation.virtual_power.contact: ideal",
                             err);
    if (ideal && t->friction > 0.0)
        return refuse_tendon(t, "friction", TD_ERR_UNSUPPORTED,
                             "friction needs contact forces: simulation.virtual_power.contact: "
                             "least-squares",
                             err);
    if (t->viscous > 0.0)
        return refuse_tendon(t, "viscous", TD_ERR_UNSUPPORTED,
                             "virtual_power has friction that saturates with the sliding velocity, "
                             "not one that grows with it; cosserat has",
                             err);
    if (t->input != TD_TENSION && t->stiffness <= 0.0 && t->compliance <= 0.0)
        return refuse_tendon(
            t, "stiffness", TD_ERR_UNSUPPORTED,
            "in virtual_power a displacement acts through what stretches: give the "
            "stiffness EA (a wire has one), or the compliance of the drive",
            err);
    return check_end(robot, rod, t, p, err);
}

static td_status check_tendons(const td_robot *robot, int rod, const disc_places *p,
                               const td_virtual_power_options *options, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon) && !status; i++) {
        const td_tendon_def *t = robot_tendon(robot, i);
        if (t->rod == rod) status = check_tendon(robot, rod, t, p, options, err);
    }
    return status;
}

td_status check_tendon_holes(const td_robot *robot, const actuator *actuators, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < robot->n_actuators && !status; i++)
        status = check_holes(robot, &actuators[i].path, &actuators[i], err);
    return status;
}

// ---------------------------------------------------------------- loads
static void list_discs(const disc_places *p, char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < p->n; i++) {
        int n = i == 6 && p->n > 8
                    ? snprintf(text + used, size - used, ", ...")
                    : snprintf(text + used, size - used, "%s%g", i ? ", " : "", mm(p->s[i]));
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
        if (i == 6 && p->n > 8) i = p->n - 2;
    }
}

static td_status check_loads(const td_robot *robot, int rod, const disc_places *p, td_error *err) {
    const double length = robot->rods[rod].length;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        if (load->rod != rod || load->from <= SAME_PLACE * length) continue;
        if (disc_at(p, load->from, length) >= 0) continue;
        char where[WHERE_SIZE], discs[160];
        snprintf(where, sizeof where, "loads.%s.at", load->name);
        list_discs(p, discs, sizeof discs);
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "%g mm: in virtual_power loads act at discs, which are at %s mm",
                         mm(load->from), discs);
    }
    return TD_OK;
}

td_status check_rod(const td_robot *robot, int rod, const disc_places *p,
                    const td_virtual_power_options *options, td_error *err) {
    td_status status = check_pieces(&robot->rods[rod], options->torsion, err);
    if (!status) status = check_discs(robot, rod, p, err);
    if (!status) status = check_attached(robot, rod, err);
    if (!status) status = check_tendons(robot, rod, p, options, err);
    return status ? status : check_loads(robot, rod, p, err);
}
