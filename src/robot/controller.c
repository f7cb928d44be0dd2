// robot/controller.c - controllers in the description of a robot: their rules, and how they are added.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/rules.h"

static const part_kind controller_kind = {"controllers", "controller", find_controller};

// ---------------------------------------------------------------- rules
static td_status inputs_rule(const td_robot *robot, const char *owner, const td_controller_def *def,
                             td_error *err) {
    char where[OWNER_SIZE + 16];
    snprintf(where, sizeof where, "%s.inputs", owner);
    if (!def->inputs || def->n_inputs < 1 || def->n_inputs > MOST_PARTS)
        return error_set(err, TD_ERR_VALUE, where, "a controller needs an input that it drives");
    for (int i = 0; i < def->n_inputs; i++) {
        if (def->inputs[i] < 0 || def->inputs[i] >= robot->n_inputs)
            return error_set(err, TD_ERR_VALUE, where, "%d is not the index of one of %d inputs",
                             def->inputs[i], robot->n_inputs);
        for (int k = 0; k < i; k++)
            if (def->inputs[k] == def->inputs[i])
                return error_set(err, TD_ERR_VALUE, where, "the input '%.60s' is named twice",
                                 robot->inputs[def->inputs[i]].name);
    }
    return TD_OK;
}

// The group of keys of a kind; NULL: none.
static const char *group_of(const td_controller_def *def) {
    switch (def->kind) {
    case TD_CONTROLLER_PID: return "pid";
    case TD_CONTROLLER_FEEDBACK: return "feedback";
    case TD_CONTROLLER_TRACK: return "track";
    case TD_CONTROLLER_COMPUTED_TORQUE: return "computed_torque";
    default: return NULL;
    }
}

static td_status numbers_rule(const char *owner, const td_controller_def *def, td_error *err) {
    char where[OWNER_SIZE + 16];
    td_status status = not_negative((place){owner, NULL, "period"}, def->period, "s", err);
    if (!status) status = not_negative((place){owner, NULL, "delay"}, def->delay, "s", err);
    if (!status)
        status = not_negative((place){owner, group_of(def), "filter"}, def->filter, "s", err);
    const double gains[] = {def->proportional, def->integral, def->derivative, def->low, def->high};
    static const char *const keys[] = {"proportional", "integral", "derivative", "low", "high"};
    for (int i = 0; i < 5 && !status; i++)
        status =
            finite_value((place){owner, i < 3 ? group_of(def) : NULL, keys[i]}, gains[i], "", err);
    if (status) return status;
    snprintf(where, sizeof where, "%s.delay", owner);
    if (def->delay > 0.0 && def->period == 0.0)
        return error_set(err, TD_ERR_VALUE, where, "a delay needs a period");
    if (def->delay > TD_MOST_PENDING * def->period)
        return error_set(err, TD_ERR_VALUE, where, "%g s is more than %d periods", def->delay,
                         TD_MOST_PENDING);
    snprintf(where, sizeof where, "%s.limits", owner);
    return def->low <= def->high
               ? TD_OK
               : error_set(err, TD_ERR_VALUE, where, "low = %g must not be above high = %g",
                           def->low, def->high);
}

static td_status gain_rule(const char *owner, const td_controller_def *def, td_error *err) {
    char where[OWNER_SIZE + 16];
    snprintf(where, sizeof where, "%s.gain", owner);
    if (!def->gain || def->n_columns < 1 || def->n_columns > 100000)
        return error_set(err, TD_ERR_VALUE, where, "feedback needs a matrix of gains");
    for (long i = 0; i < (long)def->n_inputs * def->n_columns; i++) {
        const td_status status =
            finite_value((place){owner, "feedback", "gain"}, def->gain[i], "", err);
        if (status) return status;
    }
    return TD_OK;
}

static bool reads_coordinates(const td_controller_def *def) {
    return def->kind == TD_CONTROLLER_FEEDBACK || def->kind == TD_CONTROLLER_COMPUTED_TORQUE;
}

// How many formulas each kind takes.
static td_status kind_rule(const char *owner, const td_controller_def *def, td_error *err) {
    const int formulas[] = {[TD_CONTROLLER_PID] = 1,
                            [TD_CONTROLLER_FORMULA] = def->n_inputs,
                            [TD_CONTROLLER_FEEDBACK] = 0,
                            [TD_CONTROLLER_TRACK] = 3,
                            [TD_CONTROLLER_COMPUTED_TORQUE] = def->n_formulas,
                            [TD_CONTROLLER_CALLBACK] = 0};
    if ((int)def->kind < 0 || (int)def->kind > TD_CONTROLLER_CALLBACK)
        return error_set(err, TD_ERR_VALUE, owner, "%d is not a kind of controller",
                         (int)def->kind);
    if (def->n_formulas != formulas[def->kind] || (def->n_formulas > 0 && !def->formulas))
        return error_set(err, TD_ERR_VALUE, owner, "%d formulas; %d are expected", def->n_formulas,
                         formulas[def->kind]);
    for (int i = 0; i < def->n_formulas; i++)
        if (!def->formulas[i])
            return error_set(err, TD_ERR_VALUE, owner, "formula %d is missing", i + 1);
    if (def->kind == TD_CONTROLLER_PID && !def->sensor)
        return error_set(err, TD_ERR_VALUE, owner, "a PID needs the channel of a sensor");
    for (int i = 0; def->kind == TD_CONTROLLER_COMPUTED_TORQUE && i < def->n_formulas; i++)
        if (!def->coordinates || !def->coordinates[i])
            return error_set(err, TD_ERR_VALUE, owner, "the name of coordinate %d is missing",
                             i + 1);
    if (def->kind == TD_CONTROLLER_TRACK && !def->point)
        return error_set(err, TD_ERR_VALUE, owner, "what follows the path is missing: a point");
    if (def->estimated && !reads_coordinates(def))
        return error_set(err, TD_ERR_VALUE, owner,
                         "feedback and computed torque read coordinates that are estimated; others "
                         "read a sensor of an estimate");
    return def->kind == TD_CONTROLLER_FEEDBACK ? gain_rule(owner, def, err) : TD_OK;
}

static td_status controller_validate(const td_robot *robot, const td_controller_def *def,
                                     td_error *err) {
    char owner[OWNER_SIZE];
    td_status status =
        part_validate(robot, &controller_kind, def->name, robot->n_controllers, owner, err);
    if (!status) status = inputs_rule(robot, owner, def, err);
    if (!status) status = numbers_rule(owner, def, err);
    return status ? status : kind_rule(owner, def, err);
}

// ---------------------------------------------------------------- copies
static void *copy_of(const void *from, size_t bytes, bool *ok) {
    void *to = from && bytes ? malloc(bytes) : NULL;
    if (to) memcpy(to, from, bytes);
    *ok = *ok && (to || !from || !bytes);
    return to;
}

static char *text_of(const char *from, bool *ok) {
    return from ? copy_of(from, strlen(from) + 1, ok) : NULL;
}

static const char *const *texts_of(const char *const *from, int n, bool *ok) {
    char **to = calloc((size_t)n + 1, sizeof *to);
    *ok = *ok && to;
    for (int i = 0; to && i < n; i++) to[i] = text_of(from[i], ok);
    return (const char *const *)to;
}

static void free_texts(const char *const *texts, int n) {
    for (int i = 0; texts && i < n; i++) free((char *)texts[i]);
    free((char **)texts);
}

static bool copy_controller(robot_controller *to, const td_controller_def *def) {
    bool ok = true;
    td_controller_def *d = &to->def;
    *d = *def;
    to->name = text_of(def->name, &ok);
    d->name = to->name;
    d->inputs = copy_of(def->inputs, sizeof *def->inputs * (size_t)def->n_inputs, &ok);
    d->sensor = text_of(def->sensor, &ok);
    d->point = text_of(def->point, &ok);
    const size_t gains =
        def->kind == TD_CONTROLLER_FEEDBACK ? (size_t)def->n_inputs * (size_t)def->n_columns : 0;
    d->gain = copy_of(def->gain, sizeof *def->gain * gains, &ok);
    d->formulas = texts_of(def->formulas, def->n_formulas, &ok);
    const bool named = def->kind == TD_CONTROLLER_COMPUTED_TORQUE;
    d->coordinates = named ? texts_of(def->coordinates, def->n_formulas, &ok) : NULL;
    return ok;
}

void controller_release(robot_controller *c) {
    free_texts(c->def.formulas, c->def.n_formulas);
    free_texts(c->def.coordinates, c->def.n_formulas);
    free((double *)c->def.gain);
    free((char *)c->def.point);
    free((char *)c->def.sensor);
    free((int *)c->def.inputs);
    free(c->name);
}

// ---------------------------------------------------------------- public
td_controller_def td_default_controller_def(void) {
    return (td_controller_def){.kind = TD_CONTROLLER_PID};
}

int td_robot_add_controller(td_robot *robot, const td_controller_def *def, td_error *err) {
    if (!robot || !def)
        return error_set(err, TD_ERR_ARGUMENT, "controllers", "an argument is NULL");
    const td_status status = controller_validate(robot, def, err);
    if (status) return status;
    robot_controller *list =
        realloc(robot->controllers, sizeof *list * ((size_t)robot->n_controllers + 1));
    if (!list) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    robot->controllers = list;
    if (copy_controller(&list[robot->n_controllers], def)) return robot->n_controllers++;
    controller_release(&list[robot->n_controllers]);
    return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
}
