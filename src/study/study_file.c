// study/study_file.c - a study from its file: the robot, parameters, settings, action, results.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "robot/units.h"
#include "study/study_keys.h"

#define FORMAT_VERSION 1
#define USUAL_GRID 11
#define USUAL_COUNT 1000
#define MOST_GRID 100000
#define MOST_CASES 1000000000LL
#define MOST_LIST 10000  // values of one parameter
#define THIRD (1.0 / 3.0)

// ---------------------------------------------------------------- the robot
static td_status read_robot(reader *r, td_study *s, const node *n, const char *const *sets,
                            int n_sets) {
    const char *path;
    char *text;
    size_t length;
    td_error why = {0};
    if (!n && n_sets > 0)
        return REFUSE(r->root, "the study names no robot whose values could be overridden");
    if (!n) return TD_OK;
    td_status status = read_named_file(r, n, &path, &text, &length);
    if (status) return status;
    s->robot_file = path;
    s->robot = td_robot_parse(text, length, path, sets, n_sets, &why);
    free(text);
    if (!s->robot) return *r->err = why, why.status;  // with its own place
    s->robot_text = td_robot_source(s->robot);
    s->options = td_robot_options(s->robot);
    s->system = td_system_create(s->robot, &s->options, &why);
    if (!s->system) return *r->err = why, why.status;
    return TD_OK;
}

// The robot with one more value in its file: is there such a path, does it take this value, and in which unit?
static td_status try_path(reader *r, const td_study *s, const node *n, const char *path,
                          const char *value, asked_unit *unit) {
    td_error why = {0};
    const size_t size = strlen(path) + strlen(value) + 2;
    char *set = tree_take(r->t, size);
    if (!set) return out_of_memory(r, n);
    snprintf(set, size, "%s=%s", path, value);
    const char *sets[] = {set};
    td_robot *robot = robot_parse_asking(s->robot_text, strlen(s->robot_text), s->robot_file, sets,
                                         1, unit, &why);
    td_robot_destroy(robot);
    if (robot) return TD_OK;
    return node_error(r->t, n, false, r->err, why.status, "the robot refuses %.100s: %s", set,
                      why.message);
}

// ---------------------------------------------------------------- names
typedef struct namer {
    reader *r;
    td_study *s;
} namer;

static int find_parameter(const td_study *s, const char *name) {
    for (int i = 0; i < s->n_parameters; i++)
        if (!strcmp(s->parameters[i].name, name)) return i;
    return -1;
}

static int find_result(const td_study *s, const char *name) {
    for (int i = 0; i < s->n_results; i++)
        if (!strcmp(s->results[i].name, name)) return i;
    return -1;
}

static int find_quantity(reader *r, td_study *s, const char *name, char *why) {
    td_error err = {0};
    for (int i = 0; i < s->n_quantities; i++)
        if (!strcmp(s->quantities[i].name, name)) return i;
    study_quantity *q = &s->quantities[s->n_quantities];
    const char *kept = tree_text(r->t, name, strlen(name));
    if (s->n_quantities == MOST_QUANTITIES || !kept) {
        snprintf(why, FORMULA_WHY, "more than %d quantities are named", MOST_QUANTITIES);
        return -1;
    }
    if (quantity_find(s->system, kept, q, &err) >= 0) return s->n_quantities++;
    snprintf(why, FORMULA_WHY, "'%.60s': %.180s", name, err.message);
    return -1;
}

static int find_name(void *context, const char *name, const char **unit, char *why) {
    const namer *names = context;
    td_study *s = names->s;
    int i = find_parameter(s, name);
    if (i >= 0) return *unit = s->parameters[i].unit, i;
    if ((i = find_result(s, name)) >= 0) return *unit = s->results[i].unit, FIRST_RESULT + i;
    if (s->action == ACTION_NONE) {
        snprintf(why, FORMULA_WHY, "there is no parameter or earlier result '%.60s'", name);
        return -1;
    }
    if ((i = find_quantity(names->r, s, name, why)) < 0) return -1;
    return *unit = s->quantities[i].unit, FIRST_QUANTITY + i;
}

// A part of the text of n, or all of it.
const expression *study_expression_of(reader *r, td_study *s, const node *n, const char *text) {
    namer names = {r, s};
    formula_error wrong;
    const formula_names known = {.find = find_name, .context = &names};
    const expression *e = expression_parse(r->t, text, &known, &wrong);
    node part = *n;
    const char *at = strstr(n->text, text);
    part.text = (char *)text;
    if (part.line > 0 && at) part.column += (int)(at - n->text);
    if (!at) wrong.at = 0;
    if (!e) refuse_formula(r, &part, &wrong);
    return e;
}

const expression *study_expression(reader *r, td_study *s, const node *n) {
    if (expect_scalar(r, n, "an expression")) return NULL;
    return study_expression_of(r, s, n, n->text);
}

// A whole name, which may hold blanks and signs, "rod.arm.50 %.x", or else an expression.
static const expression *result_of(reader *r, td_study *s, const node *n, const char *text) {
    td_error err;
    study_quantity q;
    if (!s->system || find_parameter(s, text) >= 0 || find_result(s, text) >= 0 ||
        quantity_find(s->system, text, &q, &err) < 0)
        return study_expression_of(r, s, n, text);
    const size_t size = strlen(text) + 3;
    char *quoted = tree_take(r->t, size);
    if (!quoted) return out_of_memory(r, n), NULL;
    snprintf(quoted, size, "`%s`", text);
    return study_expression_of(r, s, n, quoted);
}

// ---------------------------------------------------------------- distributions
typedef struct varied {  // a parameter that is being read
    reader *r;
    td_study *s;
    const node *n;
    study_parameter *p;
    const parameter_draft *draft;
    double nominal;  // what the robot's file says; NAN: nothing
} varied;

static bool is_share(const node *n) {
    const size_t length = n->kind == NODE_SCALAR ? strlen(n->text) : 0;
    return length > 1 && n->text[length - 1] == '%';
}

// "5 %", of what is given.
static td_status read_share(reader *r, const node *n, double of, double *out) {
    char why[UNITS_TEXT];
    const char *rest;
    double share;
    if (!number_parse(n->text, &share, &rest, why) || strcmp(rest + strspn(rest, " "), "%") != 0)
        return REFUSE(n, "'%.60s' is no percentage", n->text);
    *out = 0.01 * share * fabs(of);
    return TD_OK;
}

static td_status read_spread(varied *v, const node *n, double of, double *out) {
    reader *r = v->r;
    td_status status =
        is_share(n) ? read_share(r, n, of, out) : read_quantity(r, n, v->p->unit, out);
    if (!status && !(*out > 0.0)) status = REFUSE(n, "%g must be positive", *out);
    return status;
}

static td_status need_nominal(const varied *v, const node *n, const char *key_name) {
    reader *r = v->r;
    if (isfinite(v->nominal)) return TD_OK;
    return REFUSE(n, "give '%s': the robot's file says no number there", key_name);
}

static td_status read_range(varied *v, node *n) {
    reader *r = v->r;
    distribution *d = &v->p->d;
    td_status status = expect_list(r, n, 2, "a list [low, high]");
    if (!status) status = read_quantity(r, n->first, v->p->unit, &d->low);
    if (!status) status = read_quantity(r, n->first->next, v->p->unit, &d->high);
    if (status) return status;
    if (!(d->low < d->high)) return REFUSE(n, "%g must be below %g", d->low, d->high);
    d->kind = v->draft->log ? DISTRIBUTION_LOG_RANGE : DISTRIBUTION_RANGE;
    if (v->draft->log && !(d->low > 0.0))
        return REFUSE(n, "%g must be positive: its logarithm is taken", d->low);
    return TD_OK;
}

static td_status read_cuts(varied *v, const normal_draft *draft) {
    reader *r = v->r;
    distribution *d = &v->p->d;
    td_status status = TD_OK;
    d->low = -HUGE_VAL, d->high = HUGE_VAL;
    if (draft->low) status = read_quantity(r, draft->low, v->p->unit, &d->low);
    if (!status && draft->high) status = read_quantity(r, draft->high, v->p->unit, &d->high);
    if (status || d->low < d->high) return status;
    return REFUSE(draft->high, "high %g must be above low %g", d->high, d->low);
}

static td_status read_normal(varied *v, node *n) {
    reader *r = v->r;
    distribution *d = &v->p->d;
    normal_draft draft = {0};
    d->kind = DISTRIBUTION_NORMAL, d->mean = v->nominal;
    td_status status = read_mapping(r, n, &normal_mapping, &draft);
    if (!status && !draft.mean) status = need_nominal(v, n, "mean");
    if (!status && draft.mean) status = read_quantity(r, draft.mean, v->p->unit, &d->mean);
    if (!status) status = read_spread(v, draft.deviation, d->mean, &d->deviation);
    return status ? status : read_cuts(v, &draft);
}

static td_status read_lognormal(varied *v, node *n) {
    reader *r = v->r;
    distribution *d = &v->p->d;
    normal_draft draft = {0};
    d->kind = DISTRIBUTION_LOGNORMAL, d->mean = v->nominal;
    td_status status = read_mapping(r, n, &lognormal_mapping, &draft);
    if (!status && !draft.mean) status = need_nominal(v, n, "median");
    if (!status && draft.mean) status = read_quantity(r, draft.mean, v->p->unit, &d->mean);
    if (!status && !(d->mean > 0.0)) status = REFUSE(n, "the median %g must be positive", d->mean);
    if (!status) status = read_quantity(r, draft.deviation, "", &d->deviation);
    if (!status && !(d->deviation > 0.0))
        status = REFUSE(draft.deviation, "%g must be positive", d->deviation);
    if (!status) status = read_cuts(v, &draft);
    if (!status && !(d->high > 0.0)) status = REFUSE(draft.high, "%g must be positive", d->high);
    return status;
}

// Give or take, as on a drawing: three deviations.
static td_status read_tolerance(varied *v, node *n) {
    distribution *d = &v->p->d;
    double spread = 0.0;
    td_status status = need_nominal(v, n, "normal");
    if (!status) status = read_spread(v, n, v->nominal, &spread);
    *d = (distribution){.kind = DISTRIBUTION_NORMAL,
                        .mean = v->nominal,
                        .deviation = THIRD * spread,
                        .low = v->nominal - spread,
                        .high = v->nominal + spread};
    return status;
}

static td_status check_list(reader *r, const node *n) {
    td_status status = expect_kind(r, n, NODE_SEQUENCE, "a list");
    if (status || (n->n_children >= 1 && n->n_children <= MOST_LIST)) return status;
    return REFUSE(n, "%d values: 1 to %d are expected", n->n_children, MOST_LIST);
}

static td_status read_values(varied *v, node *n) {
    reader *r = v->r;
    td_status status = check_list(r, n);
    double *values = status ? NULL : tree_take(r->t, sizeof *values * (size_t)n->n_children);
    if (!status && !values) status = out_of_memory(r, n);
    int i = 0;
    for (const node *c = n->first; c && !status; c = c->next)
        status = read_quantity(r, c, v->p->unit, &values[i++]);
    v->p->d = (distribution){.kind = DISTRIBUTION_VALUES, .values = values, .n = i};
    return status;
}

static td_status read_choices(varied *v, node *n) {
    reader *r = v->r;
    td_status status = check_list(r, n);
    const char **words = status ? NULL : tree_take(r->t, sizeof *words * (size_t)n->n_children);
    if (!status && !words) status = out_of_memory(r, n);
    int i = 0;
    for (const node *c = n->first; c && !status; c = c->next) {
        status = expect_scalar(r, c, "a word");
        if (!status) words[i++] = c->text;
        for (int k = 0; k < v->p->n_paths && !status; k++)
            status = try_path(r, v->s, c, v->p->paths[k], c->text, &(asked_unit){0});
    }
    v->p->d = (distribution){.kind = DISTRIBUTION_CHOICES, .choices = words, .n = i};
    if (!status && v->p->n_paths == 0) status = REFUSE(n, "choices need a path");
    return status;
}

// ---------------------------------------------------------------- parameters
// One scalar that the distribution names, whose text is tried in the robot's file; NULL: none.
static const node *a_value(const parameter_draft *draft) {
    const node *lists[] = {draft->range, draft->values};
    for (int i = 0; i < 2; i++)
        if (lists[i] && lists[i]->kind == NODE_SEQUENCE && lists[i]->first) return lists[i]->first;
    const node *mean = draft->normal ? node_child(draft->normal, "mean") : NULL;
    return !mean && draft->lognormal ? node_child(draft->lognormal, "median") : mean;
}

static td_status read_path_list(varied *v, node *n) {
    reader *r = v->r;
    const node *first = n->kind == NODE_SEQUENCE ? n->first : n;
    const int count = n->kind == NODE_SEQUENCE ? n->n_children : 1;
    const char **paths = tree_take(r->t, sizeof *paths * (size_t)(count + 1));
    if (!paths) return out_of_memory(r, n);
    if (!v->s->robot) return REFUSE(n, "the study names no robot");
    int i = 0;
    for (const node *c = first; c && i < count; c = c->next) {
        td_status status = expect_scalar(r, c, "a path in the robot's file");
        if (status) return status;
        paths[i++] = c->text;
    }
    v->p->paths = paths, v->p->n_paths = i;
    return i ? TD_OK : REFUSE(n, "the list is empty");
}

// The unit of the paths: what the robot's file says there, or else the first value that is given here, is read again. Whether
// the robot takes the others, each case tells.
static td_status unit_of_paths(varied *v, const node *n) {
    reader *r = v->r;
    study_parameter *p = v->p;
    const node *value = a_value(v->draft);
    char number[40];
    const char *text = number;
    if (td_robot_get_number(v->s->robot, p->paths[0], &v->nominal, NULL) < 0)
        v->nominal = (double)NAN;
    snprintf(number, sizeof number, "%.17g", v->nominal);
    if (!isfinite(v->nominal) && value && value->kind == NODE_SCALAR) text = value->text;
    else if (!isfinite(v->nominal))
        return REFUSE(n, "the robot's file says no number at %s: give one here", p->paths[0]);
    for (int i = 0; i < p->n_paths; i++) {
        asked_unit unit;
        td_status status = try_path(r, v->s, n, p->paths[i], text, &unit);
        if (status) return status;
        if (!unit.found) return REFUSE(n, "%s is no number", p->paths[i]);
        if (i > 0 && strcmp(p->unit, unit.text) != 0)
            return REFUSE(n, "%s is in %s, and %s in %s", p->paths[0], p->unit, p->paths[i],
                          unit.text);
        if (i == 0) p->unit = tree_text(r->t, unit.text, strlen(unit.text));
        if (!p->unit) return out_of_memory(r, n);
    }
    return TD_OK;
}

static td_status unit_of_input(varied *v, const node *n) {
    reader *r = v->r;
    study_quantity q;
    td_error err = {0};
    char name[160];
    snprintf(name, sizeof name, "input.%.150s", v->draft->input);
    if (!v->s->robot) return REFUSE(n, "the study names no robot");
    if (quantity_find(v->s->system, name, &q, &err) < 0) return REFUSE(n, "%s", err.message);
    v->p->unit = q.unit;
    v->p->input = v->draft->input;
    return TD_OK;
}

// Of a number that counts in expressions only: as it is written.
static td_status unit_of_value(varied *v, const node *n) {
    reader *r = v->r;
    const node *value = a_value(v->draft);
    quantity q;
    char why[UNITS_TEXT];
    if (!value || value->kind != NODE_SCALAR || !quantity_parse(value->text, &q, why)) return TD_OK;
    dimension_unit(q.dim, why);
    v->p->unit = tree_text(r->t, why, strlen(why));
    return v->p->unit ? TD_OK : out_of_memory(r, n);
}

static td_status read_distribution(varied *v, node *n) {
    reader *r = v->r;
    const parameter_draft *draft = v->draft;
    const struct {
        node *given;
        td_status (*read)(varied *, node *);
    } kinds[] = {{draft->range, read_range},         {draft->normal, read_normal},
                 {draft->lognormal, read_lognormal}, {draft->tolerance, read_tolerance},
                 {draft->values, read_values},       {draft->choices, read_choices}};
    int found = -1;
    for (int i = 0; i < 6; i++) {
        if (!kinds[i].given) continue;
        if (found >= 0)
            return REFUSE_KEY(kinds[i].given, "'%s' and '%s' cannot both say how it varies",
                              kinds[found].given->key, kinds[i].given->key);
        found = i;
    }
    if (found < 0)
        return REFUSE(
            n, "how does it vary? Give range, normal, lognormal, tolerance, values or choices");
    return kinds[found].read(v, kinds[found].given);
}

static td_status count_grid(varied *v, const node *n) {
    reader *r = v->r;
    study_parameter *p = v->p;
    const bool list = p->d.kind == DISTRIBUTION_VALUES || p->d.kind == DISTRIBUTION_CHOICES;
    p->count = list ? p->d.n : v->draft->count;
    if (list && node_child(n, "count"))
        return REFUSE(node_child(n, "count"), "a list has as many values as it has");
    if (p->count >= 1 && p->count <= MOST_GRID) return TD_OK;
    return REFUSE(node_child(n, "count"), "%d must be from 1 to %d", p->count, MOST_GRID);
}

// ---------------------------------------------------------------- knots and starts
// Where a search begins: as it is said; as the robot's file is, if that is within the range; in the middle.
static td_status find_start(varied *v) {
    study_parameter *p = v->p;
    reader *r = v->r;
    p->start = distribution_middle(&p->d);
    if (p->d.kind == DISTRIBUTION_VALUES || p->d.kind == DISTRIBUTION_CHOICES) return TD_OK;
    if (v->draft->start) {
        td_status status = read_quantity(r, v->draft->start, p->unit, &p->start);
        if (status || (p->start >= p->d.low && p->start <= p->d.high)) return status;
        return REFUSE(v->draft->start, "%g is not within %g and %g", p->start, p->d.low, p->d.high);
    }
    double said = v->nominal;
    const td_robot *robot = v->s->robot;
    for (int i = 0; robot && p->input && i < robot->n_inputs; i++)
        if (!strcmp(robot->inputs[i].name, p->input))
            said = td_signal_value(&robot->inputs[i].signal, p->n_knots ? p->times[p->knot] : 0.0,
                                   TD_BEFORE);
    if (said >= p->d.low && said <= p->d.high) p->start = said;
    return TD_OK;
}

static td_status read_times(varied *v, node *n, double **times) {
    reader *r = v->r;
    td_status status = check_list(r, n);
    *times = status ? NULL : tree_take(r->t, sizeof **times * (size_t)n->n_children);
    if (!status && !*times) status = out_of_memory(r, n);
    int i = 0;
    for (const node *c = n->first; c && !status; c = c->next, i++) {
        status = read_quantity(r, c, "s", &(*times)[i]);
        const double before = i ? (*times)[i - 1] : v->draft->from ? 0.0 : -1.0;
        if (!status && !((*times)[i] > before && (*times)[i] >= 0.0))
            status = REFUSE(c, "%g s: times must grow, from 0 on", (*times)[i]);
    }
    return status;
}

// The parameter becomes as many as there are knots.
static td_status read_knots(varied *v, node *n) {
    reader *r = v->r;
    td_study *s = v->s;
    study_parameter one = *v->p;
    double *times = NULL;
    one.from = (double)NAN;
    if (s->action != ACTION_RUN) return REFUSE_KEY(n, "'knots' are of 'action: run'");
    if (!one.input) return REFUSE_KEY(n, "'knots' need 'input'");
    if (one.d.kind == DISTRIBUTION_CHOICES) return REFUSE_KEY(n, "'knots' have numbers, no words");
    td_status status = read_times(v, n, &times);
    if (!status && v->draft->from) status = read_quantity(r, v->draft->from, one.unit, &one.from);
    if (status) return status;
    if (s->n_parameters + n->n_children > MOST_PARAMETERS)
        return REFUSE(n, "a study has at most %d parameters, knots among them", MOST_PARAMETERS);
    one.times = times, one.n_knots = n->n_children;
    for (int i = 0; i < one.n_knots && !status; i++) {
        const size_t size = strlen(one.name) + 16;
        char *name = tree_take(r->t, size);
        if (!name) return out_of_memory(r, n);
        snprintf(name, size, "%s.%d", one.name, i + 1);
        v->p = &s->parameters[s->n_parameters++];
        *v->p = one;
        v->p->name = name, v->p->knot = i;
        status = find_start(v);
    }
    return status;
}

static td_status read_parameter(reader *r, td_study *s, node *n) {
    parameter_draft draft = {.count = USUAL_GRID};
    if (s->n_parameters == MOST_PARAMETERS)
        return REFUSE(n, "a study has at most %d parameters", MOST_PARAMETERS);
    study_parameter *p = &s->parameters[s->n_parameters];
    *p = (study_parameter){.name = n->key, .unit = ""};
    varied v = {r, s, n, p, &draft, (double)NAN};
    td_status status = read_mapping(r, n, &parameter_mapping, &draft);
    if (!status && draft.path && draft.input)
        status = REFUSE(n, "'path' and 'input' cannot both say what it is");
    if (!status && draft.path) status = read_path_list(&v, draft.path);
    if (!status && draft.path && !draft.choices) status = unit_of_paths(&v, draft.path);
    if (!status && draft.input) status = unit_of_input(&v, node_child(n, "input"));
    if (!status && !draft.path && !draft.input) status = unit_of_value(&v, n);
    if (!status) status = read_distribution(&v, n);
    if (!status) status = count_grid(&v, n);
    if (!status && draft.from && !draft.knots)
        status = REFUSE_KEY(draft.from, "'from' is of 'knots'");
    if (status) return status;
    if (draft.knots) return read_knots(&v, draft.knots);
    s->n_parameters++;
    return find_start(&v);
}

static td_status read_parameters(reader *r, td_study *s, const node *list) {
    td_status status = list->first ? TD_OK : REFUSE(list, "a study needs at least one parameter");
    for (node *c = list->first; c && !status; c = c->next) status = read_parameter(r, s, c);
    return status;
}

// ---------------------------------------------------------------- settings
static td_status read_setting(reader *r, td_study *s, const node *n) {
    double variables[N_VARIABLES] = {0};
    char number[40];
    if (!s->robot) return REFUSE(n, "the study names no robot");
    if (s->n_settings == MOST_SETTINGS) return REFUSE(n, "at most %d are set", MOST_SETTINGS);
    const int before = s->n_quantities;
    const expression *e = study_expression(r, s, n);
    if (!e) return r->err->status;
    if (s->n_quantities > before || expression_n_totals(e) > 0)
        return REFUSE(n, "only parameters can be named here: the robot is not there yet");
    for (int i = 0; i < s->n_parameters; i++)
        variables[i] = distribution_middle(&s->parameters[i].d);
    snprintf(number, sizeof number, "%.17g", expression_value(e, variables, NULL));
    s->settings[s->n_settings++] = (study_setting){n->key, e};
    return try_path(r, s, n, n->key, number, &(asked_unit){0});
}

// ---------------------------------------------------------------- the target
static td_status read_target_numbers(reader *r, td_study *s, const node *n,
                                     const expression *out[3]) {
    td_status status = expect_list(r, n, 3, "a list of 3 expressions");
    int i = 0;
    const int before = s->n_quantities;
    for (const node *c = n->first; c && !status; c = c->next)
        if (!(out[i++] = study_expression(r, s, c))) return r->err->status;
    if (!status && s->n_quantities > before)
        return REFUSE(n, "only parameters can be named here: the robot is not there yet");
    return status;
}

static td_status read_target_inputs(reader *r, td_study *s, const node *n) {
    const int count = n ? n->n_children : td_n_inputs(s->system);
    s->reach.inputs = tree_take(r->t, sizeof *s->reach.inputs * (size_t)(count + 1));
    if (!s->reach.inputs) return out_of_memory(r, r->root);
    s->reach.n_inputs = count;
    if (!n) {
        for (int i = 0; i < count; i++) s->reach.inputs[i] = i;
        return TD_OK;
    }
    td_status status = expect_kind(r, n, NODE_SEQUENCE, "a list of names");
    int i = 0;
    for (const node *c = n->first; c && !status; c = c->next) {
        status = expect_scalar(r, c, "the name of an input");
        if (!status && (s->reach.inputs[i++] = td_find_input(s->system, c->text)) < 0)
            status = REFUSE(c, "the robot has no input '%.60s'", c->text);
    }
    return status;
}

static td_status read_reach(reader *r, td_study *s, node *n) {
    if (!n && s->action == ACTION_REACH)
        return REFUSE(r->root, "the key 'reach' is missing: the target of the action");
    if (!n) return TD_OK;
    if (s->action != ACTION_REACH) return REFUSE_KEY(n, "a target needs 'action: reach'");
    reach_draft draft = {.point = "tip"};
    td_status status = read_mapping(r, n, &reach_mapping, &draft);
    if (status) return status;
    td_named_output at;
    td_error err;
    char name[192];
    if (draft.body) snprintf(name, sizeof name, "body.%.150s.pose", draft.body);
    else snprintf(name, sizeof name, "%.150s.pose", draft.point);
    if (td_find_output(s->system, name, &at, &err) < 0) return REFUSE(n, "%s", err.message);
    s->reach.target = (td_target){.body = at.output.body,
                                  .rod = at.output.rod,
                                  .s = at.output.s,
                                  .position_only = !draft.rotation};
    status = read_target_numbers(r, s, draft.position, s->reach.position);
    if (!status && draft.rotation)
        status = read_target_numbers(r, s, draft.rotation, s->reach.rotation);
    return status ? status : read_target_inputs(r, s, draft.inputs);
}

// ---------------------------------------------------------------- results
static td_status check_over_time(reader *r, const td_study *s, const node *n, const expression *e) {
    if (expression_n_totals(e) == 0 || s->action == ACTION_RUN) return TD_OK;
    return REFUSE(n, "min, max, mean, rms, integral and last of one number are over time: only of "
                     "'action: run'");
}

static td_status read_result(reader *r, td_study *s, node *n) {
    result_draft draft = {0};
    td_status status = TD_OK;
    if (s->n_results == MOST_RESULTS)
        return REFUSE(n, "a study has at most %d results", MOST_RESULTS);
    if (find_parameter(s, n->key) >= 0)
        return REFUSE_KEY(n, "'%s' is the name of a parameter", n->key);
    if (n->kind == NODE_MAPPING) status = read_mapping(r, n, &result_mapping, &draft);
    else if (!(status = expect_scalar(r, n, "an expression"))) draft.value = n->text;
    if (status) return status;
    const node *at = n->kind == NODE_MAPPING ? node_child(n, "value") : n;
    const expression *e = result_of(r, s, at, draft.value);
    if (!e) return r->err->status;
    s->results[s->n_results++] = (study_result){
        n->key, draft.unit ? draft.unit : expression_unit(e), draft.value, e, s->n_totals};
    s->n_totals += expression_n_totals(e);
    return check_over_time(r, s, at, e);
}

static td_status read_results(reader *r, td_study *s, node *list) {
    td_status status = list->first ? TD_OK : REFUSE(list, "a study needs at least one result");
    for (node *c = list->first; c && !status; c = c->next) status = read_result(r, s, c);
    return status;
}

// ---------------------------------------------------------------- samples
static td_status count_cases(reader *r, td_study *s, const node *n) {
    const node *at = n ? n : r->root;
    const int most = s->method == SAMPLE_SALTELLI ? SOBOL_DIMENSIONS / 2 : SOBOL_DIMENSIONS;
    s->n_cases = s->count;
    if (s->method == SAMPLE_SALTELLI) s->n_cases = s->count * (s->n_parameters + 2);
    if (s->method == SAMPLE_GRID) s->n_cases = 1;
    for (int i = 0; i < s->n_parameters && s->method == SAMPLE_GRID; i++) {
        s->n_cases *= s->parameters[i].count;
        if (s->n_cases > MOST_CASES) break;
    }
    if (s->n_cases > MOST_CASES)
        return REFUSE(at, "more than %lld cases: choose fewer", MOST_CASES);
    if ((s->method == SAMPLE_SOBOL || s->method == SAMPLE_SALTELLI) && s->n_parameters > most)
        return REFUSE(at, "%d parameters: Sobol's sequence has room for %d here", s->n_parameters,
                      most);
    return TD_OK;
}

static td_status read_samples(reader *r, td_study *s, const samples_draft *draft) {
    const node *n = node_child(r->root, "samples");
    s->method = draft->method, s->count = draft->count, s->seed = draft->seed;
    if (s->count < 1) return REFUSE(node_child(n, "count"), "%d must be positive", draft->count);
    if (s->seed < 0) return REFUSE(node_child(n, "seed"), "%d must not be negative", s->seed);
    if (s->method == SAMPLE_GRID && node_child(n, "count"))
        return REFUSE(node_child(n, "count"),
                      "a grid has all combinations: each parameter has a count of its own");
    return count_cases(r, s, n);
}

// ---------------------------------------------------------------- the whole
static td_status check_version(reader *r) {
    const node *n = node_child(r->root, "study");
    if (!n && node_child(r->root, "tendril"))
        return REFUSE(r->root, "this is a robot file; a study begins with 'study: 1' and names it");
    if (!n) return REFUSE(r->root, "the key 'study' is missing: begin the file with 'study: 1'");
    if (n->kind == NODE_SCALAR && !strcmp(n->text, "1")) return TD_OK;
    return REFUSE(n, "the format's version is '%.20s', but this release reads version %d",
                  n->kind == NODE_SCALAR ? n->text : "?", FORMAT_VERSION);
}

static td_status read_settings(reader *r, td_study *s, const node *list) {
    td_status status = list ? expect_kind(r, list, NODE_MAPPING, "a mapping (path: ...)") : TD_OK;
    for (const node *c = list ? list->first : NULL; c && !status; c = c->next)
        status = read_setting(r, s, c);
    return status;
}

static td_status read_study(reader *r, td_study *s, const char *const *sets, int n_sets) {
    study_draft draft = {.samples = {SAMPLE_SOBOL, USUAL_COUNT, 1}};
    const node *action = node_child(r->root, "action"), *time = node_child(r->root, "time");
    td_status status = check_version(r);
    if (!status) status = read_mapping(r, r->root, &study_mapping, &draft);
    if (status) return status;
    s->name = draft.name ? draft.name : "";
    s->action = action ? draft.action : draft.robot ? ACTION_STATICS : ACTION_NONE;
    s->time = draft.time, s->has_time = time != NULL;
    status = read_robot(r, s, node_child(r->root, "robot"), sets, n_sets);
    if (!status && s->action != ACTION_NONE && !s->robot)
        status = REFUSE(action, "'%.20s' needs a robot", action->text);
    if (!status && time && (s->action == ACTION_RUN || s->action == ACTION_NONE))
        status = REFUSE_KEY(time, "'time' does not go with this action");
    if (!status) status = read_parameters(r, s, draft.parameters);
    if (!status) status = read_settings(r, s, draft.set);
    if (!status) status = read_reach(r, s, draft.reach);
    if (!status) status = read_results(r, s, draft.results);
    if (!status) status = study_read_aim(r, s, draft.optimise);
    return status ? status : read_samples(r, s, &draft.samples);
}

static td_status read_document(reader *r, td_study *s, const char *name, size_t length,
                               const char *const *sets, int n_sets) {
    r->directory = directory_of(r->t, name ? name : "");
    if (!s->text || !r->directory) return error_set(r->err, TD_ERR_MEMORY, name, "out of memory");
    td_status status = tree_parse(r->t, s->text, length, 0, &r->root, r->err);
    if (!status && r->root->kind != NODE_MAPPING)
        status = node_error(r->t, r->root, false, r->err, TD_ERR_PARSE,
                            "a study is a mapping (key: value) that begins with 'study: 1'");
    return status ? status : read_study(r, s, sets, n_sets);
}

static unsigned long long fingerprint(const td_study *s) {
    hash h = HASH_START;
    hash_text(&h, TD_VERSION);
    hash_text(&h, s->text);
    hash_text(&h, s->robot_text ? s->robot_text : "");
    return h;
}

td_study *td_study_parse(const char *text, size_t length, const char *name, const char *const *sets,
                         int n_sets, td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    *e = (td_error){.status = TD_OK};
    td_study *s = text && n_sets >= 0 && (n_sets == 0 || sets) ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        error_set(e, text ? TD_ERR_MEMORY : TD_ERR_ARGUMENT, name,
                  text ? "out of memory" : "an argument is NULL");
        return NULL;
    }
    s->t.files[0] = name ? name : "study";
    s->text = tree_text(&s->t, text, length);
    reader r = {.t = &s->t, .err = e, .owner = "", .unit = ""};
    const numerals before = plain_numerals();
    const td_status status = read_document(&r, s, name, length, sets, n_sets);
    restore_numerals(before);
    s->t.files[0] = NULL;  // the caller's
    if (!status) return s->fingerprint = fingerprint(s), s;
    td_study_destroy(s);
    return NULL;
}

td_study *td_study_load(const char *path, const char *const *sets, int n_sets, td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    char *text;
    size_t length;
    if (!path) {
        error_set(e, TD_ERR_ARGUMENT, NULL, "the path is NULL");
        return NULL;
    }
    if (file_bytes(path, &text, &length, e)) return NULL;
    td_study *s = td_study_parse(text, length, path, sets, n_sets, e);
    free(text);
    return s;
}
