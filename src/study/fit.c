// study/fit.c - numbers of a robot from measurements: see tendril/fit.h.
#include "tendril/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "study/experiment.h"
#include "study/least_squares.h"

#define USUAL_ITERATIONS 100

typedef struct entry {  // one number that was measured
    size_t at;          // among all that are computed
    double measured, noise;
    int recording, output;  // of the recording
    int misfit;
    bool held;
} entry;

// Are slopes to be had without differences of whole computations? The first time both are made, and must agree: what
// an equilibrium owes to its past (friction) or to choices of a model is seen by differences alone.
typedef enum exactness { NOT_TRIED, EXACT, BY_DIFFERENCES } exactness;
#define AGREE 1e-4     // of the largest slope by a number
#define NOTHING 1e-10  // of the largest slope of all

struct td_fit {
    td_fit_options options;
    experiment e;
    entry *entries;  // (n_entries) those that are fitted first
    int n_entries, n_fitted;
    double *low, *high, *start, *sizes;  // (n_parameters)
    double *y_first, *y_last;  // all that is computed, with the first and the last numbers
    td_fit_misfit *misfits;
    int n_misfits;
    ls_problem problem;
    ls_solution s;
    ls_knowledge k;
    pool *pool;
    int computations;
    exactness exact;
    double *J, *steps;  // (all that is computed x n_parameters), (n_parameters) of exact slopes
    td_status status;
    td_error failure;  // of a computation
    char message[512];
};

td_fit_options td_default_fit_options(void) {
    return (td_fit_options){.scale = 1.0, .max_iterations = USUAL_ITERATIONS, .threads = 1};
}

static bool out_of_memory(td_error *err) {
    return error_set(err, TD_ERR_MEMORY, "td_fit_robot", "out of memory"), false;
}

// ---------------------------------------------------------------- residuals
static void subtract(const td_fit *f, const double *y, double *r) {
    for (int i = 0; i < f->n_fitted; i++)
        r[i] = (f->entries[i].measured - y[f->entries[i].at]) / f->entries[i].noise;
}

static size_t n_computed(const td_fit *f) {
    return f->e.first[f->options.n_recordings];
}

static bool residuals(void *context, const double *x, double *r) {
    td_fit *f = context;
    f->computations++;
    const td_status status = experiment_compute(&f->e, x, f->y_last, &f->failure);
    if (status >= 0) subtract(f, f->y_last, r);
    return status >= 0;
}

typedef struct sheaf {  // of computations at once
    td_fit *f;
    const double *x;
    double *r, *y;
    td_status *statuses;
} sheaf;

static void compute_piece(void *context, int i) {
    const sheaf *s = context;
    double *y = s->y + (size_t)i * n_computed(s->f);
    s->statuses[i] = experiment_compute(
        &s->f->e, s->x + (size_t)i * (size_t)s->f->options.n_parameters, y, NULL);
    if (s->statuses[i] >= 0) subtract(s->f, y, s->r + (size_t)i * (size_t)s->f->n_fitted);
}

static bool residuals_of_many(void *context, int count, const double *x, double *r) {
    td_fit *f = context;
    sheaf s = {.f = f, .x = x, .r = r};
    s.y = malloc(sizeof *s.y * n_computed(f) * (size_t)count);
    s.statuses = calloc((size_t)count, sizeof *s.statuses);
    bool ok = s.y && s.statuses;
    f->computations += count;
    if (ok) pool_run(f->pool, compute_piece, &s, count);
    for (int i = 0; i < count && ok; i++) {
        ok = s.statuses[i] >= 0;
        const double *failed = x + (size_t)i * (size_t)f->options.n_parameters;
        if (!ok) experiment_compute(&f->e, failed, s.y, &f->failure);  // once more, for its words
    }
    free(s.y);
    free(s.statuses);
    return ok;
}

// ---------------------------------------------------------------- slopes
static bool exact_slopes(td_fit *f, const double *x, double *J) {
    const size_t n = (size_t)f->options.n_parameters;
    if (!f->J) f->J = malloc(sizeof *f->J * (n_computed(f) + 1) * n);
    if (!f->steps) f->steps = malloc(sizeof *f->steps * n);
    if (!f->J || !f->steps) return false;
    for (size_t j = 0; j < n; j++) f->steps[j] = DIFFERENCE_SHARE * f->sizes[j];
    f->computations++;
    if (experiment_slopes(&f->e, x, f->steps, f->J, NULL) < 0) return false;
    for (int i = 0; i < f->n_fitted; i++)
        for (size_t j = 0; j < n; j++)
            J[(size_t)i * n + j] = -f->J[f->entries[i].at * n + j] / f->entries[i].noise;
    return true;
}

// In sizes of the numbers: where one does nothing, rounding is no disagreement.
static bool agree(const td_fit *f, const double *J, const double *D) {
    const size_t n = (size_t)f->options.n_parameters;
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)f->n_fitted * n; i++)
        largest = fmax(largest, fabs(D[i]) * f->sizes[i % n]);
    for (size_t j = 0; j < n; j++) {
        double apart = 0.0, length = 0.0;
        for (size_t i = j; i < (size_t)f->n_fitted * n; i += n) {
            apart = fmax(apart, fabs(J[i] - D[i]));
            length = fmax(length, fabs(D[i]));
        }
        if (!(apart <= AGREE * length + NOTHING * largest / f->sizes[j])) return false;
    }
    return true;
}

static bool slopes(void *context, const double *x, const double *r, double *J) {
    td_fit *f = context;
    if (f->exact == EXACT && exact_slopes(f, x, J)) return true;
    if (!ls_differences(&f->problem, x, r, J)) return false;
    if (f->exact != NOT_TRIED) return true;
    const size_t n = (size_t)f->n_fitted * (size_t)f->options.n_parameters;
    double *first = malloc(sizeof *first * (n + 1));
    const bool good = first && exact_slopes(f, x, first) && agree(f, first, J);
    f->exact = good ? EXACT : BY_DIFFERENCES;
    if (good) memcpy(J, first, sizeof *J * n);
    free(first);
    return true;
}

// ---------------------------------------------------------------- what was measured
// The end of a motion; rows evenly among equilibria.
static bool is_held(const td_fit_options *o, const td_recording *of, int row) {
    if (of->held_out) return true;
    if (of->times) return row >= of->n_rows - (int)floor(o->held_out * of->n_rows + 1e-9);
    return floor((row + 1) * o->held_out + 1e-9) > floor(row * o->held_out + 1e-9);
}

static int misfit_of(td_fit *f, const char *output) {
    for (int i = 0; i < f->n_misfits; i++)
        if (!strcmp(f->misfits[i].output, output)) return i;
    f->misfits[f->n_misfits].output = output;
    return f->n_misfits++;
}

static void add_entries(td_fit *f, int recording, bool held) {
    const td_recording *of = &f->options.recordings[recording];
    for (int k = 0; k < of->n_outputs; k++)
        for (int i = 0; i < of->n_rows; i++) {
            const size_t at = (size_t)i * (size_t)of->n_outputs + (size_t)k;
            if (isnan(of->measured[at]) || is_held(&f->options, of, i) != held) continue;
            f->entries[f->n_entries++] = (entry){.at = f->e.first[recording] + at,
                                                 .measured = of->measured[at],
                                                 .noise = of->noise ? of->noise[k] : 1.0,
                                                 .recording = recording,
                                                 .output = k,
                                                 .misfit = misfit_of(f, of->outputs[k]),
                                                 .held = held};
        }
}

static bool list_entries(td_fit *f, td_error *err) {
    const td_fit_options *o = &f->options;
    int outputs = 0;
    for (int i = 0; i < o->n_recordings; i++) outputs += o->recordings[i].n_outputs;
    f->entries = calloc(n_computed(f) + 1, sizeof *f->entries);
    f->misfits = calloc((size_t)outputs + 1, sizeof *f->misfits);
    f->y_first = calloc(n_computed(f) + 1, sizeof *f->y_first);
    f->y_last = calloc(n_computed(f) + 1, sizeof *f->y_last);
    if (!f->entries || !f->misfits || !f->y_first || !f->y_last) return out_of_memory(err);
    for (int i = 0; i < o->n_recordings; i++) add_entries(f, i, false);
    f->n_fitted = f->n_entries;
    for (int i = 0; i < o->n_recordings; i++) add_entries(f, i, true);
    for (int i = 0; i < f->n_entries; i++)
        if (!isfinite(f->entries[i].measured) || !(f->entries[i].noise > 0.0))
            return error_set(err, TD_ERR_VALUE, f->misfits[f->entries[i].misfit].output,
                             "measured %g with noise %g: one must be finite, the other positive",
                             f->entries[i].measured, f->entries[i].noise),
                   false;
    if (f->n_fitted > 0) return true;
    return error_set(err, TD_ERR_VALUE, "recordings", "there is nothing to fit"), false;
}

// Errors of different units are added only where the noise says how they compare.
static bool find_units(td_fit *f, const td_robot *robot, td_error *err) {
    const char *unit = NULL;
    td_system *system = td_system_create(robot, &f->e.options, err);
    bool ok = system != NULL, alike = true, weighed = true;
    for (int i = 0; i < f->n_misfits && ok; i++) {
        experiment_output found;
        ok = experiment_find_output(&f->options, system, f->misfits[i].output, &found, err) >= 0;
        if (!ok) break;
        f->misfits[i].unit = found.unit;
        alike = alike && (!unit || !strcmp(unit, found.unit));
        unit = found.unit;
    }
    for (int i = 0; i < f->options.n_recordings; i++)
        weighed = weighed && f->options.recordings[i].noise;
    td_system_destroy(system);
    if (!ok || alike || weighed) return ok;
    return error_set(err, TD_ERR_ARGUMENT, "noise",
                     "outputs have different units, so that the noise of each must be given"),
           false;
}

// ---------------------------------------------------------------- what is sought
static double usual_start(const td_fit *f, const td_robot *robot, int i) {
    const td_fit_parameter *p = &f->options.parameters[i];
    double value = 0.0;
    int axis = 0;
    const td_fit_marker *marker = experiment_marker(&f->options, f->e.numbers[i].name, &axis);
    switch (f->e.numbers[i].kind) {
    case DATA_MARKER: return marker->offset[axis];
    case DATA_GAIN: return 1.0;
    case DATA_BIAS:
    case DATA_DELAY: return 0.0;
    default: break;
    }
    if (td_robot_get_number(robot, p->path, &value, NULL) >= 0) return value;
    return p->low > 0.0 ? sqrt(p->low * p->high) : 0.5 * (p->low + p->high);
}

static bool list_numbers(td_fit *f, const td_robot *robot, td_error *err) {
    const int n = f->options.n_parameters;
    double *at = calloc(4 * (size_t)n, sizeof *at);
    f->low = at;
    if (!at) return out_of_memory(err);
    f->high = at + n, f->start = at + 2 * n, f->sizes = at + 3 * n;
    for (int i = 0; i < n; i++) {
        const td_fit_parameter *p = &f->options.parameters[i];
        if (!(p->low < p->high) || !isfinite(p->low) || !isfinite(p->high))
            return error_set(err, TD_ERR_VALUE, p->path, "from %g to %g is no range", p->low,
                             p->high),
                   false;
        f->low[i] = p->low, f->high[i] = p->high;
        f->start[i] = isnan(p->start) ? usual_start(f, robot, i) : p->start;
        if (!(f->start[i] >= p->low && f->start[i] <= p->high))
            return error_set(err, TD_ERR_VALUE, p->path,
                             "starts at %g, which is not within %g and %g", f->start[i], p->low,
                             p->high),
                   false;
    }
    return true;
}

// What counts as a change of order one.
static void find_sizes(td_fit *f, const double *x) {
    for (int i = 0; i < f->options.n_parameters; i++) {
        const bool signless = f->low[i] < 0.0 && f->high[i] > 0.0;
        f->sizes[i] = signless || x[i] == 0.0 ? 0.5 * (f->high[i] - f->low[i]) : fabs(x[i]);
    }
}

// ---------------------------------------------------------------- what came out
static double square_of(const entry *e, const double *y) {
    return (e->measured - y[e->at]) * (e->measured - y[e->at]);
}

static void find_misfits(td_fit *f) {
    for (int i = 0; i < f->n_entries; i++) {
        const entry *e = &f->entries[i];
        td_fit_misfit *m = &f->misfits[e->misfit];
        *(e->held ? &m->n_held : &m->n_fitted) += 1;
        *(e->held ? &m->held_before : &m->before) += square_of(e, f->y_first);
        *(e->held ? &m->held_after : &m->after) += square_of(e, f->y_last);
    }
    for (int i = 0; i < f->n_misfits; i++) {
        td_fit_misfit *m = &f->misfits[i];
        const double fitted = m->n_fitted ? m->n_fitted : 1, held = m->n_held ? m->n_held : 1;
        m->before = sqrt(m->before / fitted), m->after = sqrt(m->after / fitted);
        m->held_before = sqrt(m->held_before / held), m->held_after = sqrt(m->held_after / held);
    }
}

static bool judge(td_fit *f, td_error *err) {
    const ls_solution *s = &f->s;
    switch (s->status) {
    case LS_NO_MEMORY: return out_of_memory(err);
    case LS_NO_START:
        return error_set(err, f->failure.status < 0 ? f->failure.status : TD_ERR_VALUE,
                         f->failure.where, "nothing to start from: %s",
                         f->failure.message[0] ? f->failure.message
                                               : "slopes cannot be computed there"),
               false;
    case LS_LIMIT:
        f->status = TD_LOOSE;
        snprintf(f->message, sizeof f->message, "ended after %d iterations", s->iterations);
        break;
    case LS_STALLED:
        f->status = TD_LOOSE;
        snprintf(f->message, sizeof f->message,
                 "no step lowers the error any more, though slopes say one should%s%.300s",
                 f->failure.message[0] ? ": " : "", f->failure.message);
        break;
    default: break;
    }
    return true;
}

static bool solve(td_fit *f, td_error *err) {
    const td_fit_options *o = &f->options;
    f->problem = (ls_problem){.n = o->n_parameters,
                              .m = f->n_fitted,
                              .low = f->low,
                              .high = f->high,
                              .residuals = residuals,
                              .many = residuals_of_many,
                              .slopes = slopes,
                              .context = f,
                              .sizes = f->sizes,
                              .share = DIFFERENCE_SHARE,
                              .loss = (ls_loss)o->loss,
                              .scale = o->scale,
                              .max_iterations = o->max_iterations};
    find_sizes(f, f->start);
    f->s = ls_solve(&f->problem, f->start);
    if (o->asked && o->asked(o->context))
        return error_set(err, TD_ERR_STOPPED, "td_fit_robot", "stopped"), false;
    if (!judge(f, err)) return false;
    find_sizes(f, f->s.x);
    if (!ls_know(&f->problem, &f->s, f->sizes, &f->k)) return out_of_memory(err);
    // The last computation may have been a step that was refused, and of differences none is kept.
    if (experiment_compute(&f->e, f->start, f->y_first, err) < 0 ||
        experiment_compute(&f->e, f->s.x, f->y_last, err) < 0)
        return false;
    f->computations += 2;
    find_misfits(f);
    return true;
}

static bool check_options(const td_fit_options *o, td_error *err) {
    const char *why = NULL;
    if (!(o->held_out >= 0.0 && o->held_out < 1.0)) why = "held_out must be a share from 0 to 1";
    if (o->loss < TD_FIT_SQUARES || o->loss > TD_FIT_SOFT_L1) why = "there is no such loss";
    if (!(o->scale > 0.0) || !isfinite(o->scale)) why = "scale must be positive";
    if (!(o->step >= 0.0) || !isfinite(o->step)) why = "the step must be positive, or 0";
    if (o->threads < 1) why = "there must be a thread";
    if (o->max_iterations < 1) why = "there must be an iteration";
    if (!why) return true;
    return error_set(err, TD_ERR_ARGUMENT, "td_fit_robot", "%s", why), false;
}

td_fit *td_fit_robot(const td_robot *robot, const td_options *options, const td_fit_options *fit,
                     td_error *err) {
    td_error ignored, *e = err ? err : &ignored;
    if (!check_options(fit, e)) return NULL;
    td_fit *f = calloc(1, sizeof *f);
    if (!f) return out_of_memory(e), NULL;
    f->options = *fit;
    if (fit->threads > 1) f->pool = pool_create(fit->threads - 1);
    if (experiment_begin(&f->e, robot, options, &f->options, e) && list_entries(f, e) &&
        find_units(f, robot, e) && list_numbers(f, robot, e) && solve(f, e))
        return f;
    td_fit_destroy(f);
    return NULL;
}

void td_fit_destroy(td_fit *f) {
    if (!f) return;
    pool_destroy(f->pool);
    ls_free(&f->s);
    ls_forget(&f->k);
    experiment_end(&f->e);
    free(f->entries);
    free(f->misfits);
    free(f->y_first);
    free(f->y_last);
    free(f->low);
    free(f->J);
    free(f->steps);
    free(f);
}

// ---------------------------------------------------------------- questions
td_status td_fit_status(const td_fit *f) {
    return f->status;
}

const char *td_fit_message(const td_fit *f) {
    return f->message;
}

int td_fit_iterations(const td_fit *f) {
    return f->s.iterations;
}

int td_fit_computations(const td_fit *f) {
    return f->computations;
}

bool td_fit_exact(const td_fit *f) {
    return f->exact == EXACT;
}

int td_fit_n_measured(const td_fit *f) {
    return f->n_fitted;
}

double td_fit_deviation(const td_fit *f) {
    return f->k.deviation;
}

double td_fit_autocorrelation(const td_fit *f) {
    double products = 0.0, squares = 0.0;
    for (int i = 0; i < f->n_fitted; i++) {
        const entry *e = &f->entries[i];
        const bool follows = i > 0 && e[-1].recording == e->recording && e[-1].output == e->output;
        squares += f->s.r[i] * f->s.r[i];
        if (follows) products += f->s.r[i] * f->s.r[i - 1];
    }
    return squares > 0.0 ? products / squares : 0.0;
}

td_fit_value td_fit_get_value(const td_fit *f, int i) {
    if (i < 0 || i >= f->options.n_parameters) return (td_fit_value){.path = ""};
    const double x = f->s.x[i], error = f->k.errors[i];
    const double reach = error > 0.0 ? f->k.quantile * error : 0.0;
    return (td_fit_value){.path = f->e.numbers[i].path,
                          .start = f->start[i],
                          .value = x,
                          .error = error,
                          .low = x - reach,
                          .high = x + reach,
                          .at_bound = f->s.held[i]};
}

double td_fit_correlation(const td_fit *f, int i, int k) {
    const int n = f->options.n_parameters;
    return i < 0 || k < 0 || i >= n || k >= n ? 0.0 : f->k.correlations[i * n + k];
}

int td_fit_n_misfits(const td_fit *f) {
    return f->n_misfits;
}

td_fit_misfit td_fit_get_misfit(const td_fit *f, int i) {
    return i < 0 || i >= f->n_misfits ? (td_fit_misfit){.output = "", .unit = ""} : f->misfits[i];
}

int td_fit_n_unknown(const td_fit *f) {
    return f->k.n_unknown;
}

void td_fit_get_unknown(const td_fit *f, int which, double *parts) {
    const size_t n = (size_t)f->options.n_parameters;
    if (which < 0 || which >= f->k.n_unknown) memset(parts, 0, sizeof *parts * n);
    else memcpy(parts, f->k.unknown + (size_t)which * n, sizeof *parts * n);
}

const double *td_fit_computed(const td_fit *f, int recording) {
    const bool known = recording >= 0 && recording < f->options.n_recordings;
    return known ? f->y_last + f->e.first[recording] : NULL;
}

char *td_fit_write(const td_fit *f, td_error *err) {
    td_robot *robot = experiment_robot(&f->e, f->s.x, err);
    const char *source = robot ? td_robot_source(robot) : NULL;
    char *text = source ? malloc(strlen(source) + 1) : NULL;
    if (text) strcpy(text, source);
    else if (robot) out_of_memory(err);
    td_robot_destroy(robot);
    return text;
}
