// robot/file_controllers.c - controllers in files: their keys, and from the tree to the robot and back.
#include <stdio.h>
#include <string.h>

#include "robot/file_save.h"

typedef struct controller_draft {
    td_controller_def def;
    node *inputs, *limits, *pid, *formula, *feedback, *track, *torque;
    // of the mappings within
    node *reference, *gain, *path;
} controller_draft;

// ---------------------------------------------------------------- keys
static const value_type type_kept = {"mapping", keep_node};
static const value_type type_names = {"name, or list of names", keep_node};
static const value_type type_ends = {"[low, high]", keep_node};
static const value_type type_formulas = {"formula, or list of formulas", keep_node};
static const value_type type_gains = {"list of rows of numbers", keep_node};

// clang-format off
#define AT(field) offsetof(controller_draft, field)
static const key pid_keys[] = {
    {"sensor", &type_text, NULL, REQUIRED, "a channel: `camera.x`, `load`", AT(def.sensor), 0, 0},
    {"reference", &type_formulas, NULL, "0", "a number in SI, or a formula of `t`, channels and inputs", AT(reference), 0, 0},
    {"proportional", &type_quantity, "", "0", "gain P: unit of the input per unit of the sensor, SI", AT(def.proportional), 0, 0},
    {"integral", &type_quantity, "", "0", "gain I: the same per second", AT(def.integral), 0, 0},
    {"derivative", &type_quantity, "", "0", "gain D: the same times second", AT(def.derivative), 0, 0},
    {"filter", &type_quantity, "s", "0", "time constant of the derivative", AT(def.filter), 0, 0},
};
const mapping pid_mapping = {"controllers[].pid", "u = P e + I int e dt + D de/dt, e = reference - reading. The integral stops while u or its inputs are at a limit and e drives them further (anti-windup).", KEYS(pid_keys), 0, 0};
static const key feedback_keys[] = {
    {"gain", &type_gains, NULL, REQUIRED, "a row for each input: gains of all coordinates, then of their rates, and optionally of the controller's last outputs", AT(gain), 0, 0},
    {"estimated", &type_flag, NULL, "false", "x from the `estimator` instead of the true state", AT(def.estimated), 0, 0},
};
const mapping feedback_mapping = {"controllers[].feedback", "u = -K (x - x0), x0 the last equilibrium.", KEYS(feedback_keys), 0, 0};
static const key track_keys[] = {
    {"point", &type_text, NULL, REQUIRED, "`tip` of the only rod, `rod.NAME.50 %`, `body.NAME`", AT(def.point), 0, 0},
    {"path", &type_formulas, NULL, REQUIRED, "[x, y, z], each a number in m or a formula of `t`, channels and inputs", AT(path), 0, 0},
    {"proportional", &type_quantity, "", "0", "gain from distance to speed, 1/s", AT(def.proportional), 0, 0},
    {"sensor", &type_text, NULL, "the true position", "sensor of the position of that point: `camera`", AT(def.sensor), 0, 0},
};
const mapping track_mapping = {"controllers[].track", "The point follows a path by the Jacobian of equilibria: du/dt = J+ (dp/dt + proportional (p - reading)).", KEYS(track_keys), 0, 0};
static const key torque_keys[] = {
    {"reference", &type_kept, NULL, REQUIRED, "coordinates by name, `*` for any characters, each a number in SI or a formula of `t`, channels and inputs; others stay as in the last equilibrium", AT(reference), 0, 0},
    {"proportional", &type_quantity, "", "0", "gain from error to acceleration, 1/s^2", AT(def.proportional), 0, 0},
    {"derivative", &type_quantity, "", "0", "gain from error of rate to acceleration, 1/s", AT(def.derivative), 0, 0},
    {"estimated", &type_flag, NULL, "false", "coordinates and rates from the `estimator` instead of the true ones", AT(def.estimated), 0, 0},
};
const mapping torque_mapping = {"controllers[].computed_torque", "Coordinates follow a motion (`constant_curvature`; of `rom` those that are named): efforts by inverse dynamics for q'' = r'' + derivative (r' - q') + proportional (r - q).", KEYS(torque_keys), 0, 0};
static const key controller_keys[] = {
    {"name", &type_text, NULL, "controller1, controller2, ...", "unique; letters, digits, `_` and `-`", AT(def.name), 0, 0},
    {"inputs", &type_names, NULL, REQUIRED, "name of the input that it adds to, or a list of names", AT(inputs), 0, 0},
    {"period", &type_quantity, "s", "every step", "sampling period", AT(def.period), 0, 0},
    {"delay", &type_quantity, "s", "0", "time until its output takes effect", AT(def.delay), 0, 0},
    {"limits", &type_ends, NULL, "none", "[low, high]: limits of its output, SI", AT(limits), 0, 0},
    {"pid", &type_kept, NULL, "-", "PID on a channel of a sensor", AT(pid), 0, &pid_mapping},
    {"formula", &type_formulas, NULL, "-", "a formula of `t`, channels and inputs for each input", AT(formula), 0, 0},
    {"feedback", &type_kept, NULL, "-", "state feedback of all coordinates and rates", AT(feedback), 0, &feedback_mapping},
    {"track", &type_kept, NULL, "-", "a point follows a path", AT(track), 0, &track_mapping},
    {"computed_torque", &type_kept, NULL, "-", "coordinates follow a motion", AT(torque), 0, &torque_mapping},
    REPEAT_KEY,
};
#undef AT
// clang-format on
const mapping controller_mapping = {
    "controllers[]",
    "A sampled controller, which adds to the signals of inputs. It has one of `pid`, `formula`, "
    "`feedback`, `track`, `computed_torque`.",
    KEYS(controller_keys), 0, 0};

// ---------------------------------------------------------------- reading
td_status read_input_name(reader *r, const node *n, int *index) {
    const char *unit;
    td_status status = expect_scalar(r, n, "the name of an input");
    if (status) return status;
    *index = used_input(r, n->text, &unit);
    if (*index >= 0) return TD_OK;
    char hint[HINT_SIZE];
    suggestion s = suggest_for(n->text);
    for (int i = 0; i < r->robot->n_inputs; i++) suggest(&s, r->robot->inputs[i].name);
    return REFUSE(n, "no part is driven by an input '%.60s'%s", n->text, hint_text(&s, "", hint));
}

static td_status read_inputs(reader *r, const node *n, td_controller_def *def) {
    int *list = tree_take(r->t, sizeof *list * ((size_t)n->n_children + 1));
    td_status status = TD_OK;
    if (!list) return out_of_memory(r, n);
    def->inputs = list;
    if (n->kind != NODE_SEQUENCE)
        return status = read_input_name(r, n, list), def->n_inputs = 1, status;
    for (const node *c = n->first; c && !status; c = c->next)
        status = read_input_name(r, c, &list[def->n_inputs++]);
    return status;
}

// One text, or a list of them.
static td_status read_formulas(reader *r, const node *n, int expected, td_controller_def *def) {
    const char **list = tree_take(r->t, sizeof *list * ((size_t)(n ? n->n_children : 0) + 1));
    td_status status = TD_OK;
    if (!list) return out_of_memory(r, n);
    def->formulas = list;
    if (!n || n->kind == NODE_SCALAR) {
        list[0] = n ? n->text : "0";
        def->n_formulas = 1;
    } else {
        for (const node *c = n->first; c && !status; c = c->next) {
            status = expect_scalar(r, c, "a number or a formula");
            list[def->n_formulas++] = c->text;
        }
    }
    if (status || def->n_formulas == expected) return status;
    return REFUSE(n, "%d formulas; %d are expected", def->n_formulas, expected);
}

// Formulas by the names of coordinates.
static td_status read_reference(reader *r, const node *n, td_controller_def *def) {
    td_status status = expect_kind(r, n, NODE_MAPPING, "coordinates by name");
    if (status) return status;
    const char **formulas = tree_take(r->t, sizeof *formulas * ((size_t)n->n_children + 1));
    const char **names = tree_take(r->t, sizeof *names * ((size_t)n->n_children + 1));
    if (!formulas || !names) return out_of_memory(r, n);
    def->formulas = formulas, def->coordinates = names;
    for (const node *c = n->first; c && !status; c = c->next) {
        status = expect_scalar(r, c, "a number or a formula");
        names[def->n_formulas] = c->key, formulas[def->n_formulas++] = c->text;
    }
    return status;
}

static td_status read_gain(reader *r, const node *n, td_controller_def *def) {
    if (n->kind != NODE_SEQUENCE || n->n_children != def->n_inputs)
        return REFUSE(n, "a row of gains for each of the %d inputs is expected", def->n_inputs);
    def->n_columns = n->first ? n->first->n_children : 0;
    double *gain =
        tree_take(r->t, sizeof *gain * ((size_t)def->n_inputs * (size_t)def->n_columns + 1));
    if (!gain) return out_of_memory(r, n);
    def->gain = gain;
    for (const node *row = n->first; row; row = row->next) {
        td_status status = expect_list(r, row, def->n_columns, "as many gains as in the first row");
        for (const node *c = row->first; c && !status; c = c->next)
            status = read_quantity(r, c, "", gain++);
        if (status) return status;
    }
    return TD_OK;
}

static td_status read_kind(reader *r, node *n, controller_draft *d) {
    const int given = !!d->pid + !!d->formula + !!d->feedback + !!d->track + !!d->torque;
    td_status status;
    if (given != 1)
        return REFUSE(
            n,
            "a controller is one of pid, formula, feedback, track or computed_torque, not "
            "%d of them",
            given);
    if (d->pid) {
        d->def.kind = TD_CONTROLLER_PID;
        status = read_mapping(r, d->pid, &pid_mapping, d);
        if (!status && !node_child(d->pid, "proportional") && !node_child(d->pid, "integral") &&
            !node_child(d->pid, "derivative"))
            status = REFUSE(d->pid, "a PID without a gain says nothing: give proportional, "
                                    "integral or derivative");
        return status ? status : read_formulas(r, d->reference, 1, &d->def);
    }
    if (d->formula) {
        d->def.kind = TD_CONTROLLER_FORMULA;
        return read_formulas(r, d->formula, d->def.n_inputs, &d->def);
    }
    if (d->feedback) {
        d->def.kind = TD_CONTROLLER_FEEDBACK;
        status = read_mapping(r, d->feedback, &feedback_mapping, d);
        return status ? status : read_gain(r, d->gain, &d->def);
    }
    if (d->torque) {
        d->def.kind = TD_CONTROLLER_COMPUTED_TORQUE;
        status = read_mapping(r, d->torque, &torque_mapping, d);
        return status ? status : read_reference(r, d->reference, &d->def);
    }
    d->def.kind = TD_CONTROLLER_TRACK;
    status = read_mapping(r, d->track, &track_mapping, d);
    return status ? status : read_formulas(r, d->path, 3, &d->def);
}

static td_status read_limits(reader *r, node *n, td_controller_def *def) {
    double ends[2];
    if (!n) return TD_OK;
    const char *unit = r->robot->inputs[def->inputs[0]].unit;
    const td_status status = read_quantities(r, n, unit, 2, ends);
    if (status) return status;
    def->low = ends[0], def->high = ends[1];
    return ends[0] < ends[1] ? TD_OK : REFUSE(n, "[low, high] with low below high is expected");
}

static td_status read_controller(reader *r, node *n, int number) {
    char automatic[32];
    td_status status = check_name(r, n, "controllers", find_controller);
    if (status) return status;
    controller_draft draft = {.def = td_default_controller_def()};
    snprintf(automatic, sizeof automatic, "controller%d", number);
    draft.def.name = automatic;
    status = read_mapping(r, n, &controller_mapping, &draft);
    if (!status) status = read_inputs(r, draft.inputs, &draft.def);
    if (!status) status = read_kind(r, n, &draft);
    if (!status) status = read_limits(r, draft.limits, &draft.def);
    return status ? status
                  : added_part(r, n, td_robot_add_controller(r->robot, &draft.def, r->err));
}

// ---------------------------------------------------------------- inputs that formulas name
typedef struct naming {
    reader *r;
    const node *n;
    td_status status;
} naming;

static bool names_channel(const reader *r, const char *name) {
    char sensor[160];
    snprintf(sensor, sizeof sensor, "%.*s", (int)strcspn(name, "."), name);
    return find_sensor(r->robot, sensor) >= 0;
}

static int take_name(void *context, const char *name, const char **unit, char why[FORMULA_WHY]) {
    naming *x = context;
    (void)why;
    *unit = NULL;
    if (strcmp(name, "t") == 0 || names_channel(x->r, name)) return 0;
    if (!is_input(x->r, name)) return -1;
    if (!x->status) x->status = declared_input(x->r, x->n, name);
    return 0;
}

// What is wrong in them is told when all names are known.
static td_status take_names(reader *r, const node *n) {
    naming x = {r, n, TD_OK};
    const formula_names names = {.time = -1, .find = take_name, .context = &x};
    formula made;
    formula_error ignored;
    if (n && n->kind == NODE_SCALAR) formula_parse(n->text, &names, &made, &ignored);
    for (const node *c = n ? n->first : NULL; c && !x.status; c = c->next)
        x.status = take_names(r, c);
    return x.status;
}

static td_status take_names_of(reader *r, const node *controller) {
    static const char *const places[][2] = {
        {"pid", "reference"}, {"track", "path"}, {"computed_torque", "reference"}};
    td_status status = take_names(r, node_child(controller, "formula"));
    for (int i = 0; i < 3 && !status; i++)
        status = take_names(r, node_child(node_child(controller, places[i][0]), places[i][1]));
    return status;
}

td_status read_controllers(reader *r, node *controllers) {
    td_status status = TD_OK;
    int number = 1;
    for (node *c = controllers ? controllers->first : NULL; c && !status; c = c->next)
        status = take_names_of(r, c);
    for (node *c = controllers ? controllers->first : NULL; c && !status; c = c->next)
        status = read_controller(r, c, number++);
    return status;
}

// ---------------------------------------------------------------- writing
static void save_texts(saver *s, node *to, const char *under, const td_controller_def *d) {
    node *list = save_node(s, to, under, NODE_SEQUENCE);
    for (int i = 0; list && i < d->n_formulas; i++) save_text(s, list, NULL, d->formulas[i]);
}

static void save_kind(saver *s, node *to, const td_controller_def *d) {
    static const char *const words[] = {"pid", "formula", "feedback", "track", "computed_torque"};
    if (d->kind == TD_CONTROLLER_FORMULA) {
        save_texts(s, to, "formula", d);
        return;
    }
    node *in = save_node(s, to, words[d->kind], NODE_MAPPING);
    if (!in) return;
    if (d->sensor) save_text(s, in, "sensor", d->sensor);
    if (d->kind == TD_CONTROLLER_PID) save_text(s, in, "reference", d->formulas[0]);
    if (d->kind == TD_CONTROLLER_TRACK) {
        save_text(s, in, "point", d->point);
        save_texts(s, in, "path", d);
    }
    if (d->kind == TD_CONTROLLER_COMPUTED_TORQUE) {
        node *by_name = save_node(s, in, "reference", NODE_MAPPING);
        for (int i = 0; by_name && i < d->n_formulas; i++)
            save_text(s, by_name, d->coordinates[i], d->formulas[i]);
    }
    if (d->proportional != 0.0) save_value(s, in, "proportional", d->proportional);
    if (d->integral != 0.0) save_value(s, in, "integral", d->integral);
    if (d->derivative != 0.0) save_value(s, in, "derivative", d->derivative);
    if (d->filter != 0.0) save_value(s, in, "filter", d->filter);
    if (d->estimated) save_text(s, in, "estimated", "true");
    if (d->kind != TD_CONTROLLER_FEEDBACK) return;
    node *rows = save_node(s, in, "gain", NODE_SEQUENCE);
    for (int i = 0; rows && i < d->n_inputs; i++)
        save_values(s, rows, NULL, d->gain + (size_t)i * (size_t)d->n_columns, d->n_columns);
}

// A function of a program has no place in a file.
void save_controller(saver *s, node *to, const td_controller_def *d) {
    save_text(s, to, "name", d->name);
    node *list = save_node(s, to, "inputs", NODE_SEQUENCE);
    for (int i = 0; list && i < d->n_inputs; i++)
        save_text(s, list, NULL, s->robot->inputs[d->inputs[i]].name);
    if (d->period != 0.0) save_value(s, to, "period", d->period);
    if (d->delay != 0.0) save_value(s, to, "delay", d->delay);
    if (d->low < d->high) save_values(s, to, "limits", (const double[]){d->low, d->high}, 2);
    if (d->kind != TD_CONTROLLER_CALLBACK) save_kind(s, to, d);
}
