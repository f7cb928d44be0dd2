// study/optimise.c - the best of all combinations of what is listed, each with a search: see tendril/optimise.h.
#include "study/optimise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MOST_COMBINATIONS 10000
#define MET 1e-6
#define MESSAGE 512

typedef struct combination {
    td_status status;
    double f;
    bool known, met;
    double *x;  // (n_parameters)
    char message[MESSAGE];
} combination;

struct td_optimum {
    const td_study *s;
    search q;
    combination *all;
    int n, best;  // best -1: none was computed
    double *x;    // (n x n_parameters) of all
    outcome found;
    double start[MOST_PARAMETERS], first;
    bool has_first;
    double slope, prices[MOST_BOUNDS];
    bool at_bound[MOST_PARAMETERS];
    td_status status;
    char message[MESSAGE];
};

td_optimise_options td_default_optimise_options(void) {
    return (td_optimise_options){.threads = 1};
}

// ---------------------------------------------------------------- combinations
static bool is_listed(const td_study *s, int i) {
    const distribution_kind kind = s->parameters[i].d.kind;
    return kind == DISTRIBUTION_VALUES || kind == DISTRIBUTION_CHOICES;
}

static bool count_combinations(td_optimum *o, td_error *err) {
    size_t n = 1;
    const size_t parameters = o->s->n_parameters > 0 ? (size_t)o->s->n_parameters : 1;
    for (int i = 0; i < o->s->n_parameters; i++)
        if (is_listed(o->s, i) && n <= MOST_COMBINATIONS) n *= (size_t)o->s->parameters[i].d.n;
    if (n > MOST_COMBINATIONS)
        return error_set(err, TD_ERR_ARGUMENT, "optimise",
                         "more than %d combinations of values and choices: give fewer",
                         MOST_COMBINATIONS),
               false;
    o->n = (int)n;
    o->all = calloc(n, sizeof *o->all);
    o->x = calloc(n * parameters, sizeof *o->x);
    if (o->all && o->x) return true;
    return error_set(err, TD_ERR_MEMORY, "optimise", "out of memory"), false;
}

// Those of the search where it starts, and number k of the lists; the last goes fastest.
static void set_start(const td_optimum *o, int k, double *x) {
    for (int i = o->s->n_parameters - 1; i >= 0; i--) {
        const study_parameter *p = &o->s->parameters[i];
        x[i] = p->start;
        if (!is_listed(o->s, i)) continue;
        x[i] = p->d.kind == DISTRIBUTION_CHOICES ? k % p->d.n : p->d.values[k % p->d.n];
        k /= p->d.n;
    }
}

static bool is_better(const combination *a, const combination *b) {
    if (a->known != b->known) return a->known;
    if (a->met != b->met) return a->met;
    return a->f < b->f;
}

static void try_combination(td_optimum *o, int k) {
    combination *c = &o->all[k];
    search *q = &o->q;
    double x[MOST_PARAMETERS];
    set_start(o, k, x);
    c->x = o->x + (size_t)k * (size_t)o->s->n_parameters;
    memcpy(c->x, x, sizeof *x * (size_t)o->s->n_parameters);
    const int first = q->n_points;
    c->status = search_run(q, x, c->message);
    c->known = q->has_best;
    if (!c->known) return;
    c->f = q->best.f, c->met = q->best.missed <= MET;
    memcpy(c->x, q->best.x, sizeof *x * (size_t)o->s->n_parameters);
    if (!o->has_first && q->n_points > first) o->first = q->points[first].f, o->has_first = true;
    if (o->best >= 0 && !is_better(c, &o->all[o->best])) return;
    o->best = k, o->found = q->best, o->slope = q->slope;
    memcpy(o->prices, q->prices, sizeof o->prices);
    memcpy(o->at_bound, q->at_bound, sizeof o->at_bound);
    memcpy(o->start, x, sizeof o->start);
}

// ---------------------------------------------------------------- what came out
static void say_missed(td_optimum *o) {
    int worst = 0;
    const study_aim *aim = &o->s->aim;
    double most = -1.0;
    for (int i = 0; i < aim->n_bounds; i++) {
        const double by = aim->bounds[i].relation == EQUAL ? fabs(o->found.c[i]) : o->found.c[i];
        if (by > most) most = by, worst = i;
    }
    o->status = TD_ERR_NOT_CONVERGED;
    snprintf(o->message, sizeof o->message,
             "nothing was found that meets '%.120s': %.6g against %.6g is the nearest%s%.200s",
             aim->bounds[worst].text, o->found.left[worst], o->found.right[worst],
             o->all[o->best].message[0] ? "; " : "", o->all[o->best].message);
}

static bool judge(td_optimum *o, td_error *err) {
    if (o->best < 0)
        return error_set(err, o->all[0].status < 0 ? o->all[0].status : TD_ERR_VALUE, "optimise",
                         "%s", o->all[0].message),
               false;
    const combination *c = &o->all[o->best];
    o->status = c->status;
    memcpy(o->message, c->message, sizeof o->message);
    if (!c->met && c->status != TD_ERR_STOPPED) say_missed(o);
    return true;
}

td_optimum *td_optimise(const td_study *study, const td_optimise_options *options, td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    const td_optimise_options usual = td_default_optimise_options();
    td_optimum *o = calloc(1, sizeof *o);
    if (!o) return error_set(e, TD_ERR_MEMORY, "optimise", "out of memory"), NULL;
    o->s = study, o->best = -1, o->slope = (double)NAN;
    bool ok = search_begin(&o->q, study, options ? options : &usual, e) && count_combinations(o, e);
    for (int k = 0; k < o->n && ok && !o->q.stopped; k++) try_combination(o, k);
    if (ok && judge(o, e)) {
        o->q.o = NULL;  // which need not outlive this call
        return o;
    }
    td_optimum_destroy(o);
    return NULL;
}

void td_optimum_destroy(td_optimum *o) {
    if (!o) return;
    search_end(&o->q);
    free(o->all);
    free(o->x);
    free(o);
}

// ---------------------------------------------------------------- questions
static double value_of(const td_optimum *o, double f) {
    return o->s->aim.maximise ? -f : f;
}

td_status td_optimum_status(const td_optimum *o) {
    return o->status;
}

const char *td_optimum_message(const td_optimum *o) {
    return o->message;
}

int td_optimum_cases(const td_optimum *o) {
    return o->q.cases;
}

int td_optimum_steps(const td_optimum *o) {
    return o->q.steps;
}

const char *td_optimum_slopes(const td_optimum *o) {
    return !o->q.slopes_made ? "none" : o->q.exact ? "exact" : "central differences";
}

double td_optimum_value(const td_optimum *o) {
    return value_of(o, o->found.f);
}

double td_optimum_first_value(const td_optimum *o) {
    return value_of(o, o->first);
}

double td_optimum_slope(const td_optimum *o) {
    return o->slope;
}

td_optimum_parameter td_optimum_get_parameter(const td_optimum *o, int i) {
    if (i < 0 || i >= o->s->n_parameters) return (td_optimum_parameter){.at_bound = false};
    const study_parameter *p = &o->s->parameters[i];
    const distribution *d = &p->d;
    return (td_optimum_parameter){.start = o->start[i],
                                  .value = o->found.x[i],
                                  .low = is_listed(o->s, i) ? 0.0 : d->low,
                                  .high = is_listed(o->s, i) ? d->n - 1 : d->high,
                                  .at_bound = o->at_bound[i],
                                  .input = p->n_knots ? p->input : NULL,
                                  .knot = p->knot,
                                  .n_knots = p->n_knots,
                                  .times = p->times,
                                  .from = p->from};
}

double td_optimum_get_result(const td_optimum *o, int i) {
    return i < 0 || i >= o->s->n_results ? 0.0 : o->found.results[i];
}

int td_optimum_n_bounds(const td_optimum *o) {
    return o->s->aim.n_bounds;
}

td_optimum_bound td_optimum_get_bound(const td_optimum *o, int i) {
    if (i < 0 || i >= o->s->aim.n_bounds) return (td_optimum_bound){.text = ""};
    const study_bound *b = &o->s->aim.bounds[i];
    const double c = b->relation == EQUAL ? fabs(o->found.c[i]) : o->found.c[i];
    return (td_optimum_bound){.text = b->text,
                              .left = o->found.left[i],
                              .right = o->found.right[i],
                              .met = c <= MET,
                              .active = fabs(c) <= MET,
                              .price = o->prices[i]};
}

int td_optimum_n_combinations(const td_optimum *o) {
    return o->n;
}

td_optimum_combination td_optimum_get_combination(const td_optimum *o, int i, double *values) {
    if (i < 0 || i >= o->n) return (td_optimum_combination){.message = ""};
    const combination *c = &o->all[i];
    if (values && c->x) memcpy(values, c->x, sizeof *values * (size_t)o->s->n_parameters);
    return (td_optimum_combination){
        .value = c->known ? value_of(o, c->f) : (double)NAN, .met = c->met, .message = c->message};
}

int td_optimum_n_points(const td_optimum *o) {
    return o->q.n_points;
}

void td_optimum_get_point(const td_optimum *o, int i, double *value, double *missed) {
    const bool there = i >= 0 && i < o->q.n_points;
    *value = there ? value_of(o, o->q.points[i].f) : 0.0;
    *missed = there ? o->q.points[i].missed : 0.0;
}

const char *td_optimum_aim(const td_optimum *o) {
    return o->s->aim.text;
}

bool td_optimum_maximises(const td_optimum *o) {
    return o->s->aim.maximise;
}

td_robot *td_optimum_robot(const td_optimum *o, bool start, td_error *err) {
    if (o->s->robot) return study_robot(o->s, start ? o->start : o->found.x, err);
    return error_set(err, TD_ERR_ARGUMENT, "optimise", "the study has no robot"), NULL;
}

td_status td_optimum_begin(const td_optimum *o, bool start, const td_system *system,
                           td_state *state) {
    const td_study *s = o->s;
    const double *x = start ? o->start : o->found.x;
    if (s->action == ACTION_RUN) return td_begin(system, state);
    return study_rest(s, x, system, state);
}

char *td_optimum_write(const td_optimum *o, td_error *err) {
    td_robot *robot = td_optimum_robot(o, false, err);
    const char *source = robot ? td_robot_source(robot) : NULL;
    char *text = source ? malloc(strlen(source) + 1) : NULL;
    if (text) strcpy(text, source);
    else if (robot) error_set(err, TD_ERR_MEMORY, "optimise", "out of memory");
    td_robot_destroy(robot);
    return text;
}
