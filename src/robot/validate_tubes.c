// robot/validate_tubes.c - the rules of rods that run in one another.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/rules.h"

static int rod_inside(const td_robot *robot, int rod) {  // -1: none runs in it
    for (int i = rod + 1; i < robot->n_rods; i++)
        if (robot->rods[i].tube.within == rod) return i;
    return -1;
}

static bool is_nonzero(td_number n) {
    return n.gain != 0.0 || n.value != 0.0;
}

bool is_tube(const td_robot *robot, int rod) {
    const td_tube_def *t = &robot->rods[rod].tube;
    return t->within >= 0 || is_nonzero(t->rotation) || is_nonzero(t->translation) ||
           rod_inside(robot, rod) >= 0;
}

// ---------------------------------------------------------------- one in the other
// Of round sections: the largest radius, and the smallest inner one; 0 and HUGE_VAL: not known.
static double widest(const td_piece_def *pieces, int n) {
    double r = 0.0;
    for (int i = 0; i < n; i++)
        if (pieces[i].section.shape == TD_SECTION_CIRCLE)
            r = fmax(r, fmax(pieces[i].section.radius, pieces[i].section_end.radius));
    return r;
}

static double narrowest(const td_piece_def *pieces, int n) {
    double r = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        const td_piece_def *p = &pieces[i];
        if (p->section.shape != TD_SECTION_CIRCLE || p->section.radius == 0.0) continue;
        r = fmin(r, p->section.inner_radius);
        if (p->section_end.radius > 0.0) r = fmin(r, p->section_end.inner_radius);
    }
    return r;
}

static td_status fit_validate(const char *where, const robot_rod *outer, const td_rod_def *def,
                              td_error *err) {
    const double r = widest(def->pieces, def->n_pieces);
    const double room = narrowest(outer->pieces, outer->n_pieces);
    if (r <= room * (1.0 + 1e-9)) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where,
                     "its radius is %g m, but rod '%s' has room for %g m only (its inner_radius)",
                     r, outer->name, room);
}

static bool stands_by_itself(const td_base_def *base) {
    const td_base_def usual = td_default_rod_def().base;
    bool same = base->body == usual.body && base->joint == usual.joint;
    for (int i = 0; i < 3; i++)
        same = same && !is_nonzero(base->position[i]) && !is_nonzero(base->rotation[i]);
    for (int i = 0; i < 4; i++) same = same && base->orientation[i] == usual.orientation[i];
    return !same;
}

// What neither a rod in another nor one around another may be.
static const char *not_a_tube(bool held, td_number feed, bool mean_stretch) {
    return held           ? "a tube is held at its back end alone, and its tip is held too"
           : is_fed(feed) ? "a tube is pushed by tube.translation, not by feed"
           : mean_stretch ? "a tube does not stretch: it has no mean_stretch"
                          : NULL;
}

static td_status within_validate(const td_robot *robot, const char *owner, const td_rod_def *def,
                                 td_error *err) {
    const int within = def->tube.within;
    char where[256];
    snprintf(where, sizeof where, "%s.tube.within", owner);
    if (within < -1 || within >= robot->n_rods)
        return refuse((place){owner, "tube", "within"}, within, "",
                      "is not the index of a rod; add it before the rods that run in it", err);
    if (within < 0) return TD_OK;
    const robot_rod *outer = &robot->rods[within];
    const int other = rod_inside(robot, within);
    if (other >= 0)
        return error_set(err, TD_ERR_VALUE, where,
                         "rod '%s' runs in '%s' already; tubes share one centre line, each in the "
                         "next one",
                         robot->rods[other].name, outer->name);
    const char *why = not_a_tube(def->tip.held, def->feed, def->mean_stretch);
    if (!why) why = not_a_tube(outer->tip.held, outer->feed, outer->mean_stretch);
    if (why) return error_set(err, TD_ERR_VALUE, where, "%s", why);
    if (stands_by_itself(&def->base))
        return error_set(err, TD_ERR_VALUE, where,
                         "a rod that runs in '%s' has its base: leave its own out", outer->name);
    return fit_validate(where, outer, def, err);
}

static td_status translation_validate(const char *owner, const td_rod_def *def, td_error *err) {
    const td_number t = def->tube.translation;
    const place p = {owner, "tube", "translation"};
    if (t.gain != 0.0) return TD_OK;
    if (t.value > 0.0)
        return refuse(p, t.value, "m", "is before the base; its back end is there or behind it",
                      err);
    if (!(rod_def_length(def) + t.value > 0.0))
        return refuse(p, t.value, "m", "leaves nothing of the tube outside the base", err);
    return TD_OK;
}

td_status tube_validate(const td_robot *robot, const char *owner, const td_rod_def *def,
                        td_error *err) {
    const td_tube_def *t = &def->tube;
    td_status status =
        number_validate(robot, (place){owner, "tube", "rotation"}, t->rotation, "rad", err);
    if (!status)
        status =
            number_validate(robot, (place){owner, "tube", "translation"}, t->translation, "m", err);
    if (!status) status = not_negative((place){owner, "tube", "friction"}, t->friction, "", err);
    if (!status) status = within_validate(robot, owner, def, err);
    if (!status) status = translation_validate(owner, def, err);
    if (status || t->friction == 0.0) return status;
    if (t->within < 0)
        return refuse((place){owner, "tube", "friction"}, t->friction, "",
                      "is that against the rod that it runs in, and it runs in none", err);
    return positive((place){owner, "tube", "slip_rate"}, t->slip_rate, "rad/s", err);
}
