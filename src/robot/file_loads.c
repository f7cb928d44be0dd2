// robot/file_loads.c - loads and gravity, and what all parts share: names, and places on rods.
#include <stdio.h>
#include <string.h>

#include "robot/file_read.h"
#include "robot/units.h"

// ---------------------------------------------------------------- names and places
td_status check_name(reader *r, const node *n, const char *kind,
                     int (*find)(const td_robot *, const char *)) {
    const node *name = node_child(n, "name");
    if (!name) return TD_OK;
    td_status status = expect_scalar(r, name, "a name");
    if (status) return status;
    if (name_validate(name->text, kind, false, r->err)) {
        node_place_error(r->t, name, NULL, r->err);
        return TD_ERR_VALUE;
    }
    if (find(r->robot, name->text) >= 0)
        return REFUSE(name, "the name '%s' is taken by another of the %s", name->text, kind);
    return TD_OK;
}

td_status read_rod_name(reader *r, const node *n, const char *under, const char *name, int *out) {
    const td_robot *robot = r->robot;
    if (!name && robot->n_rods > 1)
        return REFUSE(n, "the key '%s' is missing: there are %d rods", under, robot->n_rods);
    *out = name ? find_rod(robot, name) : 0;
    if (*out >= 0) return TD_OK;
    char hint[HINT_SIZE];
    suggestion s = suggest_for(name);
    for (int i = 0; i < robot->n_rods; i++) suggest(&s, robot->rods[i].name);
    char there[HINT_SIZE] = "";
    for (int i = 0; i < robot->n_rods; i++) list_name(there, robot->rods[i].name);
    return REFUSE(node_child(n, under), "no rod %shas the name '%.60s'%s",
                  strcmp(under, "within") ? "" : "before it ", name, hint_text(&s, there, hint));
}

td_status read_body_name(reader *r, const node *n, const char *word, const char *name, int *out) {
    const td_robot *robot = r->robot;
    *out = find_body(robot, name);
    if (*out >= 0) return TD_OK;
    char hint[HINT_SIZE];
    suggestion s = suggest_for(name);
    for (int i = 0; i < robot->n_bodies; i++) suggest(&s, robot->bodies[i].name);
    char there[HINT_SIZE] = "";
    for (int i = 0; i < robot->n_bodies; i++) list_name(there, robot->bodies[i].name);
    return REFUSE(node_child(n, word), "no body has the name '%.60s'%s", name,
                  hint_text(&s, there, hint));
}

td_status read_place(reader *r, const node *n, double length, double *out) {
    td_status status = expect_scalar(r, n, "base, tip, a length or a percentage");
    if (status) return status;
    *out = strcmp(n->text, "tip") == 0 ? length : 0.0;
    if (strcmp(n->text, "tip") == 0 || strcmp(n->text, "base") == 0) return TD_OK;
    quantity q;
    char why[UNITS_TEXT];
    bool fraction = quantity_parse(n->text, &q, why) && q.has_unit && q.dim.rad == 0 &&
                    dimension_is_none(q.dim);
    if (!fraction) return read_quantity(r, n, "m", out);
    *out = q.value * length;
    return TD_OK;
}

td_status added_part(reader *r, node *n, int added) {
    if (added >= 0) return TD_OK;
    relocate(r, n);
    return (td_status)added;
}

// ---------------------------------------------------------------- loads
// On a body that rides on a rod, the load acts on the rod.
static td_status place_on_body(reader *r, const node *n, const load_draft *draft,
                               td_load_def *def) {
    const node *rest = draft->at ? draft->at : draft->from ? draft->from : draft->to;
    if (draft->rod) rest = node_child(n, "rod");
    if (rest)
        return REFUSE(rest, "a load on a body acts at its frame: '%s' has no place", rest->key);
    def->rod = FREE_BODY;
    td_status status = read_body_name(r, n, "body", draft->body, &def->body);
    if (status) return status;
    const td_body_def *body = &r->robot->bodies[def->body].def;
    if (body->rod == FREE_BODY) return TD_OK;
    if (body->attached.gain != 0.0 || body->attached.value != 1.0)
        return REFUSE(node_child(n, "body"),
                      "the body '%.60s' is not always attached, but the load is: put it on the rod",
                      draft->body);
    def->rod = body->rod, def->from = body->at;
    return TD_OK;
}

static bool has_unit(const node *numbers, const char *unit) {
    quantity q;
    char why[UNITS_TEXT];
    for (const node *c = numbers ? numbers->first : NULL; c; c = c->next)
        if (c->kind == NODE_SCALAR && quantity_parse(c->text, &q, why) && q.has_unit &&
            dimension_fits(q.dim, unit_dimension(unit)))
            return true;
    return false;
}

// Without a place the unit tells: a force in N/m acts along the whole rod.
static bool is_per_length(const load_draft *draft) {
    return has_unit(draft->force, "N/m") || has_unit(draft->moment, "N m/m");
}

static td_status read_load_places(reader *r, const node *n, const load_draft *draft,
                                  td_load_def *def) {
    if (draft->body) return place_on_body(r, n, draft, def);
    td_status status = read_rod_name(r, n, "rod", draft->rod, &def->rod);
    if (status) return status;
    double length = r->robot->rods[def->rod].length;
    def->distributed = draft->from || draft->to || (!draft->at && is_per_length(draft));
    if (draft->at && def->distributed)
        return REFUSE(draft->at, "a load acts either at a point (at) or over a length (from, to)");
    if (!draft->at && !def->distributed)
        return REFUSE(n,
                      "the key 'at' is missing (or 'from' or 'to', or a force in N/m, for a load "
                      "along the rod)");
    if (draft->at) return read_place(r, draft->at, length, &def->from);
    def->to = length;
    status = draft->from ? read_place(r, draft->from, length, &def->from) : TD_OK;
    if (!status && draft->to) status = read_place(r, draft->to, length, &def->to);
    return status;
}

static td_status read_load_numbers(reader *r, const load_draft *draft, td_load_def *def) {
    const char *force = def->distributed ? "N/m" : "N";
    const char *moment = def->distributed ? "N m/m" : "N m";
    td_status status = TD_OK;
    r->owner = def->name;
    if (draft->force) status = read_numbers(r, draft->force, "force", force, def->force);
    if (!status && draft->moment)
        status = read_numbers(r, draft->moment, "moment", moment, def->moment);
    r->owner = "";
    return status;
}

static td_status read_load(reader *r, node *n, int number) {
    char automatic[32];
    load_draft draft = {.frame = TD_FRAME_WORLD};
    td_status status = read_mapping(r, n, &load_mapping, &draft);
    if (!status) status = check_name(r, n, "loads", find_load);
    if (status) return status;
    snprintf(automatic, sizeof automatic, "load%d", number);
    td_load_def def = td_default_load_def();
    def.name = draft.name ? draft.name : automatic;
    def.frame = draft.frame;
    if (!draft.force && !draft.moment) return REFUSE(n, "the key 'force' or 'moment' is missing");
    status = read_load_places(r, n, &draft, &def);
    if (!status) status = read_load_numbers(r, &draft, &def);
    return status ? status : added_part(r, n, td_robot_add_load(r->robot, &def, r->err));
}

td_status read_loads(reader *r, node *loads) {
    td_status status = TD_OK;
    int number = 1;
    for (node *c = loads ? loads->first : NULL; c && !status; c = c->next)
        status = read_load(r, c, number++);
    return status;
}

// Which coordinates there are, and in what units, only a model knows: sim/initial.c.
static td_status read_start(reader *r, node *n, bool rate) {
    td_status status = TD_OK;
    for (node *c = n ? n->first : NULL; c && !status; c = c->next) {
        quantity q;
        char why[UNITS_TEXT];
        status = expect_scalar(r, c, "a quantity");
        if (status) return status;
        if (!quantity_parse(c->text, &q, why)) return REFUSE(c, "%s; a quantity is expected", why);
        const robot_initial given = {
            .value = q.value, .rate = rate, .has_unit = q.has_unit, .unit = q.dim};
        status = robot_add_initial(r->robot, c->key, &given, r->err);
        if (status) node_place_error(r->t, c, NULL, r->err);
    }
    return status;
}

td_status read_initial(reader *r, const struct initial_draft *draft) {
    const robot_motion *m = &draft->motion;
    td_status status = read_start(r, draft->coordinates, false);
    if (!status) status = read_start(r, draft->velocities, true);
    if (status) return status;
    status = td_robot_set_initial_motion(r->robot, m->linear, m->angular, m->about, r->err);
    if (status) relocate(r, NULL);
    return status;
}

td_status read_gravity(reader *r, node *n) {
    td_number gravity[3];
    if (!n) return TD_OK;
    td_status status = read_numbers(r, n, "gravity", "m/s^2", gravity);
    if (status) return status;
    status = td_robot_set_gravity(r->robot, gravity, r->err);
    if (status) relocate(r, NULL);
    return status;
}
