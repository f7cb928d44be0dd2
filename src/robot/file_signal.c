// robot/file_signal.c - numbers that an input may drive, signals, and the inputs themselves.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "robot/file_read.h"
#include "robot/formula.h"
#include "robot/units.h"

// ---------------------------------------------------------------- signals
static td_status points_value(reader *r, node *n, const key *k, void *to) {
    td_signal *signal = to;
    if (n->kind != NODE_SEQUENCE || !n->first)
        return REFUSE(n, "a list of points [time, value] is expected here");
    double *points = tree_take(r->t, 2 * sizeof *points * (size_t)n->n_children);
    if (!points) return out_of_memory(r, n);
    int i = 0;
    for (const node *c = n->first; c; c = c->next, i++) {
        td_status status = expect_list(r, c, 2, "a point [time, value]");
        if (!status) status = read_quantity(r, c->first, "s", &points[2 * i]);
        if (!status) status = read_quantity(r, c->first->next, k->unit, &points[2 * i + 1]);
        if (status) return status;
        if (i > 0 && points[2 * i] < points[2 * i - 2])
            return REFUSE(c, "times must not decrease, but %g s follows %g s", points[2 * i],
                          points[2 * i - 2]);
    }
    signal->points = points;
    signal->n_points = i;
    return TD_OK;
}

// A formula of time in the unit of what it drives; what is wrong is shown where it stands.
static td_status read_formula(reader *r, const node *n, const char *unit, td_signal *signal) {
    formula made;
    formula_error wrong;
    formula_names names = signal_names;
    names.unit = strcmp(unit, SIGNAL_UNIT) == 0 ? r->unit : unit;
    td_status status = expect_scalar(r, n, "a formula of the time t");
    if (status) return status;
    signal->kind = TD_SIGNAL_FORMULA, signal->formula = n->text;
    return formula_parse(n->text, &names, &made, &wrong) ? TD_OK : refuse_formula(r, n, &wrong);
}

static td_status formula_of_time(reader *r, node *n, const key *k, void *to) {
    return read_formula(r, n, k->unit, to);
}

static td_status table_value(reader *r, node *n, const key *k, void *to) {
    table_draft draft = {0};
    td_status status = read_mapping(r, n, k->inside, &draft);
    return status ? status : read_table(r, n, &draft, to);
}

const value_type type_points = {"list of [time, value]", points_value};
const value_type type_formula = {"formula of t", formula_of_time};
const value_type type_table = {"mapping", table_value};

static td_status read_signal_mapping(reader *r, node *n, td_signal *signal) {
    static const td_signal_kind kinds[] = {TD_SIGNAL_STEP,   TD_SIGNAL_RAMP,   TD_SIGNAL_HAT,
                                           TD_SIGNAL_SINE,   TD_SIGNAL_POINTS, TD_SIGNAL_CURVE,
                                           TD_SIGNAL_POINTS, TD_SIGNAL_FORMULA};
    if (n->n_children > 1)
        return REFUSE(
            n,
            "a signal has one key, not %d: step, ramp, hat, sine, points, curve, table or "
            "formula",
            n->n_children);
    if (!n->first)
        return REFUSE(n,
                      "a signal is one of step, ramp, hat, sine, points, curve, table or formula");
    td_status status = read_mapping(r, n, &signal_mapping, signal);
    if (status) return status;
    for (int i = 0; i < signal_mapping.n_keys; i++)
        if (strcmp(signal_mapping.keys[i].name, n->first->key) == 0) signal->kind = kinds[i];
    return TD_OK;
}

// A quantity or a signal, in the given unit.
static td_status read_signal(reader *r, node *n, const char *unit, td_signal *signal) {
    *signal = (td_signal){.kind = TD_SIGNAL_CONSTANT};
    r->unit = unit;
    const bool plain = n->kind == NODE_SCALAR;
    if (n->kind != NODE_MAPPING && !(plain && formula_is_meant(n->text, &signal_names)))
        return read_quantity(r, n, unit, &signal->from);
    td_status status = plain ? read_formula(r, n, unit, signal) : read_signal_mapping(r, n, signal);
    if (status) return status;
    node *given = plain ? n : n->first;
    status = signal_validate(signal, "", r->err);
    if (!status) return TD_OK;
    // The rule names the field last: ".duration".
    const char *field = strrchr(r->err->where, '.');
    node *at = field ? node_child(given, field + 1) : NULL;
    bool named = at || !field || given->kind != NODE_MAPPING;
    node_place_error(r->t, at ? at : given, named ? NULL : field + 1, r->err);
    return status;
}

// ---------------------------------------------------------------- inputs
static input_use *find_use(const reader *r, const char *name) {
    input_use *u = r->uses;
    while (u && strcmp(u->name, name) != 0) u = u->next;
    return u;
}

static td_status add_use(reader *r, const node *n, const char *name, const char *unit, int index) {
    input_use *use = tree_take(r->t, sizeof *use);
    char *copy = tree_text(r->t, name, strlen(name));
    if (!use || !copy) return out_of_memory(r, n);
    *use = (input_use){.next = r->uses, .name = copy, .unit = unit, .index = index};
    r->uses = use;
    return TD_OK;
}

// The signal written in place gives way to one from a scenario or an override: in the tree, and so
// in the robot's source, the name of the input takes its place.
static td_status name_in_place(reader *r, node *in_place, const char *name) {
    node *n = tree_node(r->t, NODE_SCALAR);
    if (n) n->text = tree_text(r->t, name, strlen(name));
    if (!n || !n->text) return out_of_memory(r, in_place);
    n->line = in_place->line, n->column = in_place->column, n->source = in_place->source;
    node_put(in_place, n);
    return TD_OK;
}

// The first use of an input decides its unit. `in_place` is the signal written where it is used.
static td_status make_input(reader *r, const node *at, const char *name, const char *unit,
                            node *in_place, int *index) {
    node *declared = node_child(node_child(r->root, "inputs"), name);
    if (declared && in_place && declared->source == in_place->source)
        return REFUSE_KEY(declared, "the input '%s' has a signal here and another on line %d", name,
                          in_place->line);
    if (in_place && find_use(r, name))
        return REFUSE(in_place,
                      "the input '%s' is used before its signal stands here: write the signal "
                      "under inputs",
                      name);
    node *given = declared ? declared : in_place;
    td_input_def def = {.name = name, .unit = unit};
    td_status status = given ? read_signal(r, given, unit, &def.signal) : TD_OK;
    if (status) return status;
    *index = td_robot_add_input(r->robot, &def, r->err);
    if (*index < 0) {
        node_place_error(r->t, at, NULL, r->err);
        return (td_status)*index;
    }
    if (declared && in_place) status = name_in_place(r, in_place, name);
    return status ? status : add_use(r, at, name, unit, *index);
}

static td_status use_input(reader *r, const node *n, const char *name, const char *unit,
                           int *index) {
    const input_use *use = find_use(r, name);
    if (!use) return make_input(r, n, name, unit, NULL, index);
    *index = use->index;
    if (strcmp(use->unit, unit) == 0) return TD_OK;
    return REFUSE(n, "the input '%s' is in %s here, but in %s where it is used first", name, unit,
                  use->unit);
}

// "20 mm", "0.02 m*sin(t)", {ramp: {to: 20 mm, duration: 1 s}}: the unit of the first quantity in it that is no time.
static bool unit_written(const node *n, char unit[UNITS_TEXT]) {
    char why[UNITS_TEXT];
    quantity q;
    formula made;
    formula_error wrong;
    unit[0] = '\0';
    if (n->kind == NODE_SCALAR && quantity_parse(n->text, &q, why)) {
        if (q.has_unit) dimension_unit(q.dim, unit);
    } else if (n->kind == NODE_SCALAR) {
        formula_parse_unit(n->text, &signal_names, &made, unit, &wrong);
    }
    bool found = unit[0] && strcmp(unit, "s") != 0;
    for (const node *c = n->first; c && !found; c = c->next) found = unit_written(c, unit);
    if (!found) unit[0] = '\0';
    return found;
}

td_status declared_input(reader *r, const node *n, const char *name) {
    char text[UNITS_TEXT] = "";
    int index;
    if (find_use(r, name)) return TD_OK;
    const node *limits = node_child(node_child(r->root, "limits"), name);
    if (limits && limits->kind == NODE_MAPPING) limits = node_child(limits, "range");
    if (!unit_written(node_child(node_child(r->root, "inputs"), name), text) && limits)
        unit_written(limits, text);
    const char *unit = tree_text(r->t, text, strlen(text));
    return unit ? make_input(r, n, name, unit, NULL, &index) : out_of_memory(r, n);
}

int used_input(const reader *r, const char *name, const char **unit) {
    const input_use *use = find_use(r, name);
    if (use) *unit = use->unit;
    return use ? use->index : -1;
}

// A scenario or an override may well take away what an input of the robot file, or of one that is included, drives.
static bool may_be_idle(const reader *r, const node *input) {
    return input->source > 0 || (input->source == 0 && r->overridden);
}

td_status check_inputs(reader *r, node *inputs) {
    for (node *c = inputs ? inputs->first : NULL, *next; c; c = next) {
        next = c->next;
        if (find_use(r, c->key)) continue;
        if (may_be_idle(r, c)) {
            node_remove(c);
            continue;
        }
        suggestion s = suggest_for(c->key);
        for (const input_use *u = r->uses; u; u = u->next) suggest(&s, u->name);
        char hint[HINT_SIZE];
        return REFUSE_KEY(c, "input '%.60s' drives nothing%s", c->key, hint_text(&s, "", hint));
    }
    return TD_OK;
}

bool is_input(const reader *r, const char *name) {
    return find_use(r, name) || node_child(node_child(r->root, "inputs"), name);
}

// ---------------------------------------------------------------- numbers
bool is_name_of_input(const char *text) {
    static const char *const reserved[] = {"nan", "inf", "infinity", "null", "true", "false"};
    char lower[16] = "";
    for (size_t i = 0; i + 1 < sizeof lower && text[i]; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(lower, reserved[i]) == 0) return false;
    td_error ignored;
    return name_validate(text, "", true, &ignored) == TD_OK;
}

// "push", "-push", "0.5*push", "-2e3 * push": the name, or NULL; the factor in *gain.
static const char *input_name(const char *text, double *gain) {
    char why[UNITS_TEXT];
    *gain = 1.0;
    if (is_name_of_input(text)) return text;
    if ((text[0] == '-' || text[0] == '+') && is_name_of_input(text + 1)) {
        *gain = text[0] == '-' ? -1.0 : 1.0;
        return text + 1;
    }
    const char *rest;
    if (!number_parse(text, gain, &rest, why)) return NULL;
    rest += strspn(rest, " ");
    if (*rest != '*') return NULL;
    rest += 1 + strspn(rest + 1, " ");
    return is_name_of_input(rest) ? rest : NULL;
}

// "2 N * push": the input already carries the unit.
static bool has_unit_times_input(const reader *r, const char *text) {
    const char *star = strrchr(text, '*');
    if (!star) return false;
    const char *name = star + 1 + strspn(star + 1, " ");
    return is_name_of_input(name) && is_input(r, name);
}

// "palm/2 - 0.5*push": the input, NULL: it is a quantity, or a formula of constants.
static td_status read_sum(reader *r, const node *n, const char *unit, const char **input,
                          double *constant, double *gain) {
    quantity plain;
    char why[UNITS_TEXT];
    *input = NULL;
    if (quantity_parse(n->text, &plain, why)) return TD_OK;
    td_status status = sum_input(r, n, input);
    if (!status && *input) status = sum_of_input(r, n, unit, *input, constant, gain);
    if (status && has_unit_times_input(r, n->text))
        return REFUSE(n, "'%.60s': the input itself carries the unit; use a plain factor", n->text);
    return status;
}

td_status read_number(reader *r, node *n, const char *name, const char *unit, td_number *out) {
    if (n->kind == NODE_MAPPING) {
        char place[160];
        snprintf(place, sizeof place, "%s%s%s", r->owner, *r->owner ? "." : "", name);
        *out = (td_number){.gain = 1.0};
        return make_input(r, n, place, unit, n, &out->input);
    }
    td_status status = expect_scalar(r, n, "a number, an input or a signal");
    if (status) return status;
    double gain = 0.0, constant = 0.0;
    const char *input = input_name(n->text, &gain);
    if (input && input != n->text && strcmp(input, "t") == 0 && !is_input(r, input))
        return REFUSE(n,
                      "'%.60s': t is the time in formulas, {formula: \"%.60s\"}; an input of that "
                      "name stands under inputs",
                      n->text, n->text);
    if (input && (is_constant(r, input) || (strcmp(input, "pi") == 0 && !is_input(r, input))))
        input = NULL;
    if (!input) status = read_sum(r, n, unit, &input, &constant, &gain);
    if (status) return status;
    *out = td_constant(constant);
    if (!input) return read_quantity(r, n, unit, &out->value);
    if (!(gain >= -LARGEST_QUANTITY && gain <= LARGEST_QUANTITY))
        return REFUSE(n, "the factor %g is too large to compute with", gain);
    out->gain = gain;
    return use_input(r, n, input, unit, &out->input);
}

td_status read_numbers(reader *r, node *n, const char *name, const char *unit, td_number out[3]) {
    td_status status = expect_list(r, n, 3, "a list of 3 numbers");
    if (status) return status;
    n->axes = true;
    int i = 0;
    for (node *c = n->first; c && !status; c = c->next, i++) {
        char place[80];
        snprintf(place, sizeof place, "%s.%c", name, "xyz"[i]);
        status = read_number(r, c, place, unit, &out[i]);
    }
    return status;
}

td_status read_effort(reader *r, node *actuator, node *value, const char *name, const char *unit,
                      td_number *out) {
    if (value) return read_number(r, value, name, unit, out);
    *out = (td_number){.gain = 1.0};
    return use_input(r, actuator, name, unit, &out->input);
}

static td_status one_number(reader *r, node *n, const key *k, void *to) {
    return read_number(r, n, k->name, k->unit, to);
}

const value_type type_number = {"number", one_number};

static td_status numbers_value(reader *r, node *n, const key *k, void *to) {
    return read_numbers(r, n, k->name, k->unit, to);
}

const value_type type_numbers = {"[x, y, z], each a number", numbers_value};
