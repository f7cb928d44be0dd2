// study/case.c - one case of a study: the robot with its numbers, the action, the results.
//
// Nothing is taken over from one case to the next: where the robot's file changes it is read and compiled again, which costs
// less than a millisecond; otherwise the state starts anew from rest. So the results depend on the parameters alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "study/study.h"

#define FEW_COORDINATES 200    // of which all modes are found in a moment
#define SMALLEST_SHARE 0.0156  // of the way to a target

struct td_study_worker {
    const td_study *s;
    td_state *state;        // of the study's own system: where nothing of the file changes
    study_quantity *bound;  // (n_quantities) as they are in the system of a case
    double variables[N_VARIABLES];
    double *totals;  // (n_totals)
    bool (*asked)(void *context);
    void *context;
    td_error err;
};

// What is there while a case is computed.
typedef struct scene {
    td_study_worker *w;
    td_robot *robot;    // NULL: the study's own
    td_system *system;  // NULL: the study's own
    td_state *own;      // of `system`
    td_linearisation *linear;
    quantity_source from;
    const study_quantity *quantities;
} scene;

// ---------------------------------------------------------------- workers
td_study_worker *td_study_worker_create(const td_study *s) {
    td_study_worker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->s = s;
    w->bound = calloc((size_t)s->n_quantities + 1, sizeof *w->bound);
    w->totals = calloc((size_t)s->n_totals + 1, sizeof *w->totals);
    if (s->system) w->state = td_state_create(s->system);
    if (w->bound && w->totals && (w->state || !s->system)) return w;
    td_study_worker_destroy(w);
    return NULL;
}

void td_study_worker_destroy(td_study_worker *w) {
    if (!w) return;
    td_state_destroy(w->state);
    free(w->bound);
    free(w->totals);
    free(w);
}

void td_study_set_stop(td_study_worker *w, bool (*asked)(void *context), void *context) {
    w->asked = asked, w->context = context;
}

const char *td_study_message(const td_study_worker *w) {
    return w->err.message;
}

// ---------------------------------------------------------------- the robot
typedef struct set_list {
    char *texts[MOST_SETTINGS + MOST_PARAMETERS * 4];
    int n;
    bool full;
} set_list;

static void add_set(set_list *l, const char *before, const char *path, const char *value) {
    const size_t size = strlen(before) + strlen(path) + strlen(value) + 2;
    const bool room = l->n < (int)(sizeof l->texts / sizeof *l->texts);
    char *text = room ? malloc(size) : NULL;
    if (!text) {
        l->full = true;
        return;
    }
    snprintf(text, size, "%s%s=%s", before, path, value);
    l->texts[l->n++] = text;
}

// All knots of an input as one signal: {points: [[0, from], [t, x], ..]}
static void add_knots(set_list *l, const study_parameter *p, const double *x) {
    const size_t size = 64 * (size_t)(p->n_knots + 2);
    char *text = malloc(size);
    if (!text) {
        l->full = true;
        return;
    }
    int used = snprintf(text, size, "{points: [");
    if (isfinite(p->from))
        used += snprintf(text + used, size - (size_t)used, "[0, %.17g], ", p->from);
    for (int i = 0; i < p->n_knots; i++)
        used += snprintf(text + used, size - (size_t)used, "%s[%.17g, %.17g]", i ? ", " : "",
                         p->times[i], x[i]);
    snprintf(text + used, size - (size_t)used, "]}");
    add_set(l, "inputs.", p->input, text);
    free(text);
}

static void add_parameter(set_list *l, const td_study *s, const study_parameter *p, double x) {
    char number[40];
    snprintf(number, sizeof number, "%.17g", x);
    const char *value = p->d.kind == DISTRIBUTION_CHOICES ? p->d.choices[(int)x] : number;
    for (int i = 0; i < p->n_paths; i++) add_set(l, "", p->paths[i], value);
    if (p->n_knots) return;
    if (p->input && s->action == ACTION_RUN) add_set(l, "inputs.", p->input, value);
}

static set_list sets_of(const td_study *s, const double *parameters) {
    double variables[MOST_PARAMETERS];
    char number[40];
    set_list l = {.n = 0};
    for (int i = 0; i < s->n_parameters; i++) {
        variables[i] = parameters[i];
        add_parameter(&l, s, &s->parameters[i], parameters[i]);
        if (s->parameters[i].n_knots && s->parameters[i].knot == 0)
            add_knots(&l, &s->parameters[i], parameters + i);
    }
    for (int i = 0; i < s->n_settings; i++) {
        snprintf(number, sizeof number, "%.17g",
                 expression_value(s->settings[i].value, variables, NULL));
        add_set(&l, "", s->settings[i].path, number);
    }
    return l;
}

td_robot *study_robot(const td_study *s, const double *parameters, td_error *err) {
    set_list l = sets_of(s, parameters);
    td_robot *robot = NULL;
    if (l.full) error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    else
        robot = td_robot_parse(s->robot_text, strlen(s->robot_text), s->robot_file,
                               (const char *const *)l.texts, l.n, err);
    for (int i = 0; i < l.n; i++) free(l.texts[i]);
    return robot;
}

static bool changes_file(const td_study *s) {
    bool changes = s->n_settings > 0 || s->tightest > 0.0;
    for (int i = 0; i < s->n_parameters; i++)
        changes = changes || s->parameters[i].n_paths > 0 ||
                  (s->parameters[i].input && s->action == ACTION_RUN);
    return changes;
}

// ---------------------------------------------------------------- a scene
static td_status no_memory(scene *c) {
    return error_set(&c->w->err, TD_ERR_MEMORY, NULL, "out of memory");
}

static td_status failed(scene *c, td_status status) {
    const char *words = td_message(c->from.state);
    return error_set(&c->w->err, status, NULL, "%s", words[0] ? words : status_words(status));
}

// Places along rods follow their length.
static td_status bind(scene *c) {
    td_study_worker *w = c->w;
    td_status status = TD_OK;
    for (int i = 0; i < w->s->n_quantities && status >= 0; i++)
        status = quantity_find(c->from.system, w->s->quantities[i].name, &w->bound[i], &w->err);
    c->quantities = w->bound;
    return status;
}

static td_status build(scene *c, const double *parameters) {
    td_study_worker *w = c->w;
    c->robot = study_robot(w->s, parameters, &w->err);
    if (!c->robot) return w->err.status;
    td_options options = td_robot_options(c->robot);
    if (w->s->tightest > 0.0) options.tolerance = fmin(options.tolerance, w->s->tightest);
    c->system = td_system_create(c->robot, &options, &w->err);
    if (!c->system) return w->err.status;
    c->own = td_state_create(c->system);
    if (!c->own) return no_memory(c);
    c->from = (quantity_source){.robot = c->robot, .system = c->system, .state = c->own};
    return bind(c);
}

static td_status open_scene(scene *c, const double *parameters) {
    td_study_worker *w = c->w;
    td_status status = TD_OK;
    if (changes_file(w->s)) status = build(c, parameters);
    else {
        c->from =
            (quantity_source){.robot = w->s->robot, .system = w->s->system, .state = w->state};
        c->quantities = w->s->quantities;
        td_state_reset(w->s->system, w->state);
    }
    if (status >= 0) td_set_stop(c->from.state, w->asked, w->context);
    return status;
}

static void close_scene(scene *c) {
    td_linearisation_destroy(c->linear);
    td_state_destroy(c->own);
    td_system_destroy(c->system);
    td_robot_destroy(c->robot);
}

// ---------------------------------------------------------------- actions
td_status study_rest(const td_study *s, const double *parameters, const td_system *system,
                     td_state *state) {
    td_apply_signals(system, state, s->time, s->has_time ? TD_AFTER : TD_BEFORE);
    for (int i = 0; i < s->n_parameters; i++)
        if (s->parameters[i].input)
            td_set_input(system, state, td_find_input(system, s->parameters[i].input),
                         parameters[i]);
    return td_solve_statics(system, state);
}

static td_status rest(scene *c, const double *parameters) {
    const td_status status = study_rest(c->w->s, parameters, c->from.system, c->from.state);
    return status ? failed(c, status) : TD_OK;
}

static int highest_mode(const td_study *s) {
    int highest = 0;
    for (int i = 0; i < s->n_quantities; i++)
        if (s->quantities[i].kind == QUANTITY_MODE && s->quantities[i].index > highest)
            highest = s->quantities[i].index;
    return highest;
}

static td_status vibrate(scene *c, const double *parameters) {
    const td_status at_rest = rest(c, parameters);
    if (at_rest < 0) return at_rest;
    c->linear = td_linearisation_create(c->from.system, NULL, 0, &c->w->err);
    if (!c->linear) return c->w->err.status;
    td_status status = td_linearise(c->from.system, c->from.state, c->linear);
    if (status < 0) return failed(c, status);
    const bool few = td_n_coordinates(c->from.system) <= FEW_COORDINATES;
    status = td_solve_modes(c->linear, few ? 0 : highest_mode(c->w->s) + 1);
    if (status < 0)
        return error_set(&c->w->err, status, NULL, "%s", td_linearisation_message(c->linear));
    c->from.linear = c->linear;
    return at_rest;
}

static td_status look(scene *c) {
    td_study_worker *w = c->w;
    td_status status = TD_OK;
    for (int i = 0; i < w->s->n_quantities && status >= 0; i++)
        status =
            quantity_value(&c->quantities[i], &c->from, &w->variables[FIRST_QUANTITY + i], &w->err);
    return status;
}

static td_status gather(scene *c, double dt, bool first) {
    const td_study *s = c->w->s;
    if (s->n_totals == 0) return TD_OK;
    const td_status status = look(c);
    for (int i = 0; i < s->n_results && status >= 0; i++)
        expression_gather(s->results[i].value, c->w->variables, dt, first,
                          c->w->totals + s->results[i].first_total);
    return status;
}

static td_status failed_at_time(scene *c, td_status status) {
    char words[512];
    snprintf(words, sizeof words, "%.500s", td_message(c->from.state));
    return error_set(&c->w->err, status, NULL, "t = %g s: %s",
                     td_get_time(c->from.system, c->from.state),
                     words[0] ? words : status_words(status));
}

// As `tendril run` does: the last step ends where the file says.
static td_status move(scene *c) {
    const td_scenario times = td_robot_scenario(c->from.robot);
    const long n = (long)ceil(times.end / times.step - 1e-6);
    td_status status = td_begin(c->from.system, c->from.state);
    if (status < 0) return failed(c, status);
    status = gather(c, 0.0, true);
    for (long k = 0; k < n && status >= 0; k++) {
        const double left = times.end - td_get_time(c->from.system, c->from.state);
        const bool whole = k + 1 < n || fabs(left - times.step) < 1e-6 * times.step;
        const double dt = whole ? times.step : left;
        status = td_advance(c->from.system, c->from.state, dt);
        if (status < 0) return failed_at_time(c, status);
        status = gather(c, dt, false);
    }
    return status < 0 ? status : TD_OK;
}

// ---------------------------------------------------------------- reach
static td_pose pose_now(const scene *c, const td_target *t) {
    if (t->body >= 0) return td_get_body(c->from.system, c->from.state, t->body).pose;
    return td_get_pose(c->from.system, c->from.state, t->rod, t->s);
}

static double distance(const td_pose *a, const td_pose *b) {
    return hypot(hypot(a->p[0] - b->p[0], a->p[1] - b->p[1]), a->p[2] - b->p[2]);
}

// Of the shorter way from a to b.
static double angle(const td_pose *a, const td_pose *b) {
    const quat between = quat_mul(quat_conj(quat_load(a->q)), quat_load(b->q));
    return 2.0 * atan2(hypot(hypot(between.x, between.y), between.z), fabs(between.w));
}

static td_target target_of(scene *c) {
    const study_reach *reach = &c->w->s->reach;
    td_target t = reach->target;
    if (t.body < 0)  // the share of a rod whose length may differ from case to case
        t.s *= td_rod_length(c->from.system, t.rod) / td_rod_length(c->w->s->system, t.rod);
    for (int i = 0; i < 3; i++)
        t.pose.p[i] = expression_value(reach->position[i], c->w->variables, NULL);
    vec3 turn = {0.0, 0.0, 0.0};
    if (!t.position_only)
        turn = (vec3){expression_value(reach->rotation[0], c->w->variables, NULL),
                      expression_value(reach->rotation[1], c->w->variables, NULL),
                      expression_value(reach->rotation[2], c->w->variables, NULL)};
    quat_store(t.pose.q, quat_exp(turn));
    return t;
}

// A share of the way from a pose to the target.
static td_target part_way(const td_pose *from, const td_target *to, double share) {
    td_target t = *to;
    for (int i = 0; i < 3; i++) t.pose.p[i] = (1.0 - share) * from->p[i] + share * to->pose.p[i];
    const quat a = quat_load(from->q);
    quat between = quat_mul(quat_conj(a), quat_load(to->pose.q));
    if (between.w < 0.0) between = (quat){-between.w, -between.x, -between.y, -between.z};
    quat_store(t.pose.q, quat_mul(a, quat_exp(vec3_scale(quat_log(between), share))));
    return share < 1.0 ? t : *to;
}

// Directly, or along the straight way in steps that are halved where one fails.
static td_status go(scene *c, const td_target *to) {
    const study_reach *reach = &c->w->s->reach;
    const td_pose from = pose_now(c, to);
    double done = 0.0, stride = 1.0;
    td_status status = TD_OK;
    while (done < 1.0) {
        const double share = fmin(done + stride, 1.0);
        const td_target t = part_way(&from, to, share);
        status =
            td_solve_inverse(c->from.system, c->from.state, &t, reach->inputs, reach->n_inputs);
        if (status >= 0) {
            done = share;
            continue;
        }
        stride *= 0.5;
        if (stride < SMALLEST_SHARE || status == TD_ERR_STOPPED || status == TD_ERR_ARGUMENT) {
            char words[400];
            snprintf(words, sizeof words, "%.390s", td_message(c->from.state));
            return error_set(&c->w->err, status, NULL, "came %.3g %% of the way to the target: %s",
                             100.0 * done, words);
        }
    }
    return status > 0 ? failed(c, status) : TD_OK;
}

static td_status reach(scene *c, const double *parameters) {
    const td_status at_rest = rest(c, parameters);
    if (at_rest < 0) return at_rest;
    const td_target to = target_of(c);
    const td_status status = go(c, &to);
    if (status < 0) return status;
    const td_pose now = pose_now(c, &to);
    c->from.distance = distance(&now, &to.pose);
    c->from.angle = to.position_only ? 0.0 : angle(&now, &to.pose);
    return status;
}

// ---------------------------------------------------------------- the whole
static td_status act(scene *c, const double *parameters) {
    switch (c->w->s->action) {
    case ACTION_STATICS: return rest(c, parameters);
    case ACTION_RUN: return move(c);
    case ACTION_MODES: return vibrate(c, parameters);
    case ACTION_REACH: return reach(c, parameters);
    case ACTION_NONE: break;
    }
    return TD_OK;
}

static td_status tell(scene *c, double *results) {
    td_study_worker *w = c->w;
    const td_study *s = w->s;
    for (int i = 0; i < s->n_results; i++) {
        const study_result *r = &s->results[i];
        const double x = expression_value(r->value, w->variables, w->totals + r->first_total);
        if (!isfinite(x))
            return error_set(&w->err, TD_ERR_NOT_FINITE, r->name,
                             "the result %s, %s, is not a finite number", r->name, r->text);
        w->variables[FIRST_RESULT + i] = x;
    }
    if (s->n_results > 0)
        memcpy(results, w->variables + FIRST_RESULT, sizeof *results * (size_t)s->n_results);
    return TD_OK;
}

td_status td_study_compute(td_study_worker *w, const double *parameters, double *results) {
    scene c = {.w = w};
    td_status status = TD_OK, told = TD_OK;
    w->err = (td_error){.status = TD_OK};
    memcpy(w->variables, parameters, sizeof *parameters * (size_t)w->s->n_parameters);
    if (w->s->action != ACTION_NONE) {
        status = open_scene(&c, parameters);
        if (status >= 0) status = act(&c, parameters);
        if (status >= 0) told = look(&c);
    }
    if (status >= 0 && told >= 0) told = tell(&c, results);
    close_scene(&c);
    return status < 0 ? status : told < 0 ? told : status;
}
