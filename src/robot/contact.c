// robot/contact.c - the rules of contacts between parts of a robot.
#include <stdio.h>

#include "base/error.h"
#include "robot/rules.h"

static const part_kind contact_kind = {"contacts", "contact", find_contact};

bool body_has_contact(const td_robot *robot, int body) {
    for (int i = 0; i < robot->n_contacts; i++)
        for (int k = 0; k < robot->contacts[i].def.n_bodies; k++)
            if (robot->contacts[i].def.bodies[k] == body) return true;
    return false;
}

static td_status list_rule(const char *where, const char *word, const int *list, int n, int parts,
                           td_error *err) {
    if (n < 0 || n > MOST_PARTS || (n > 0 && !list))
        return error_set(err, TD_ERR_VALUE, where, "%d %s; a list of 0 to %d is expected", n, word,
                         MOST_PARTS);
    for (int i = 0; i < n; i++) {
        if (list[i] < 0 || list[i] >= parts)
            return error_set(err, TD_ERR_VALUE, where, "%d is not the index of one of the %d %s",
                             list[i], parts, word);
        for (int k = 0; k < i; k++)
            if (list[k] == list[i])
                return error_set(err, TD_ERR_VALUE, where,
                                 "a part is named twice; 'self' lets rods touch themselves");
    }
    return TD_OK;
}

static td_status shape_rule(const td_robot *robot, const char *where, int body, td_error *err) {
    const td_body_def *d = &robot->bodies[body].def;
    if (d->shape == TD_BODY_SPHERE || d->shape == TD_BODY_CAPSULE) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where,
                     "the body '%s' has not the shape of a sphere or a capsule, which alone touch "
                     "other parts; an obstacle 'on' it may stand for it",
                     d->name);
}

static td_status parts_rule(const td_robot *robot, const char *owner, const td_contact_def *def,
                            td_error *err) {
    char where[OWNER_SIZE + 16];
    snprintf(where, sizeof where, "%s.between", owner);
    td_status status = list_rule(where, "rods", def->rods, def->n_rods, robot->n_rods, err);
    if (!status)
        status = list_rule(where, "bodies", def->bodies, def->n_bodies, robot->n_bodies, err);
    for (int i = 0; i < def->n_bodies && !status; i++)
        status = shape_rule(robot, where, def->bodies[i], err);
    if (status) return status;
    if (def->self && def->n_rods == 0) {
        snprintf(where, sizeof where, "%s.self", owner);
        return error_set(err, TD_ERR_VALUE, where, "true, but no rod is named that touches itself");
    }
    if (def->n_rods + def->n_bodies + def->self >= 2) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where,
                     "%d part is named; two or more touch one another, or one rod with self: true",
                     def->n_rods + def->n_bodies);
}

td_status contact_validate(const td_robot *robot, const td_contact_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status =
        part_validate(robot, &contact_kind, def->name, robot->n_contacts, owner, err);
    if (!status) status = parts_rule(robot, owner, def, err);
    if (!status)
        status = not_negative((place){owner, NULL, "stiffness"}, def->stiffness, "Pa", err);
    if (!status) status = not_negative((place){owner, NULL, "friction"}, def->friction, "", err);
    return status;
}
