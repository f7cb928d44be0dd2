// One trajectory per model, sampled at the same instants and points, and how far apart they are.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/compare.h"
#include "cli/summary.h"
#include "cli/terminal.h"

#define QUICK 0.3  // s: a run that is over sooner is repeated, and the cheapest counts
enum { REPEATS = 3 };

static int out_of_memory(const trials *all) {
    return exit_error(EXIT_FAILED, all->file, "out of memory");
}

// ---------------------------------------------------------------- preparation
// The first trial says what all of them record; overrides of a trial do not change that.
static int plan_records(trials *all, const session *s) {
    const td_scenario *plan = &s->scenario;
    snprintf(all->name, sizeof all->name, "%s", td_robot_name(s->robot));
    all->per_rod = plan->record_points;
    all->step = plan->step;
    all->end = plan->end;
    if (all->statics) {
        all->every = 1, all->n_records = 1;
    } else {
        double steps = ceil(plan->end / plan->step - 1e-6),
               every = round(plan->record_every / plan->step);
        if (!(steps >= 1.0))
            return exit_error(EXIT_INPUT, all->file,
                              "simulation.time.end = %g s must be after the start at 0 s; "
                              "--statics compares equilibria",
                              plan->end);
        all->every = every < 1 ? 1 : every > INT_MAX / 2 ? INT_MAX / 2 : (int)every;
        double records = floor(steps / all->every) + 1.0;
        if (records > 1e7)
            return exit_error(EXIT_INPUT, all->file,
                              "%g records are too many to compare; raise record.every", records);
        all->n_records = (int)records;
    }
    all->time = calloc((size_t)all->n_records, sizeof *all->time);
    if (!all->time) return out_of_memory(all);
    for (int k = 0; k < all->n_records; k++) all->time[k] = k * (all->every * all->step);
    if (all->statics) all->time[0] = all->at;
    return EXIT_FINE;
}

static void note_rods(trials *all, const session *s) {
    all->n_rods = td_n_rods(s->system);
    for (int i = 0; i < all->n_rods; i++)
        all->length = fmax(all->length, td_rod_length(s->system, i));
}

static size_t points_of(const trials *all) {
    return (size_t)all->n_rods * (size_t)all->per_rod;
}

static bool allocate(const trials *all, trial *t) {
    t->points = calloc((size_t)all->n_records * points_of(all) * 3, sizeof *t->points);
    t->tip_error = calloc((size_t)all->n_records, sizeof *t->tip_error);
    t->shape_error = calloc((size_t)all->n_records, sizeof *t->shape_error);
    return t->points && t->tip_error && t->shape_error;
}

// Model and options of the trial, as overrides of the file.
static int load(const trials *all, const trial *t, session *s) {
    char model[64], choice[192];
    const char *more[2] = {model, choice};
    snprintf(model, sizeof model, "simulation.model=%s", t->model);
    const char *slash = strchr(t->label, '/');
    if (slash) snprintf(choice, sizeof choice, "simulation.%s", slash + 1);
    return session_load_with(s, all->args, more, slash ? 2 : 1);
}

// False: the model cannot represent the robot, and t->message says why.
static bool compile(trial *t, session *s) {
    s->system = td_system_create(s->robot, &s->options, &s->err);
    if (s->system) s->state = td_state_create(s->system);
    if (s->state) return true;
    snprintf(t->message, sizeof t->message, "%s%s%s", s->err.where, s->err.where[0] ? ": " : "",
             s->system ? "out of memory for the state" : s->err.message);
    return false;
}

// ---------------------------------------------------------------- the trajectory
static void record(const trials *all, trial *t, const session *s, int k) {
    double *p = t->points + (size_t)k * points_of(all) * 3;
    for (int i = 0; i < all->n_rods; i++) {
        double length = td_get_length(s->system, s->state, i);
        for (int j = 0; j < all->per_rod; j++, p += 3) {
            double at = all->per_rod > 1 ? length * j / (all->per_rod - 1) : length;
            td_pose pose = td_get_pose(s->system, s->state, i, at);
            memcpy(p, pose.p, sizeof pose.p);
        }
    }
    t->n_records = k + 1;
}

static void note_failure(trial *t, const session *s, td_status status) {
    const char *message = td_message(s->state);
    snprintf(t->message, sizeof t->message, "t = %.4g s: %s", td_get_time(s->system, s->state),
             message[0] ? message : status_words(status));
}

static void note_caveat(trial *t, const session *s, td_status status) {
    if (status > 0) snprintf(t->note, sizeof t->note, "%s", td_message(s->state));
}

typedef struct watch {  // who wants to know how far it is
    bool (*tell)(void *context, double share);
    void *context;
    bool stopped;
} watch;

static td_status follow(const trials *all, trial *t, session *s, summary *sum, watch *w) {
    double spent = 0.0;
    for (int k = 1; k < all->n_records && !w->stopped; k++) {
        double started = processor_time();
        for (int j = 0; j < all->every; j++) {
            td_status status = td_advance(s->system, s->state, all->step);
            if (status < 0) return status;
            summary_step(sum, status, s);
        }
        spent += processor_time() - started;
        td_energy e = td_get_energy(s->system, s->state);
        summary_energy(sum, &e);
        record(all, t, s, k);
        w->stopped = !w->tell(w->context, (double)k / all->n_records);
    }
    double simulated = all->time[all->n_records - 1];
    t->cost = simulated > 0.0 ? spent / simulated : 0.0;
    return TD_OK;
}

static td_status move(const trials *all, trial *t, session *s, watch *w) {
    td_status status = td_begin(s->system, s->state);
    if (status < 0) return status;
    note_caveat(t, s, status);
    summary sum = summary_begin(s);
    record(all, t, s, 0);
    status = follow(all, t, s, &sum, w);
    t->steps = sum.steps;
    t->iterations = sum.steps ? (double)sum.iterations / (double)sum.steps : 0.0;
    t->drift = sum.scale > 0.0 ? sum.drift / sum.scale : 0.0;
    return status;
}

static td_status rest(const trials *all, trial *t, session *s) {
    td_side side = args_has(all->args, "time") ? TD_AFTER : TD_BEFORE;
    td_state_reset(s->system, s->state);
    td_status status = td_apply_signals(s->system, s->state, all->at, side);
    double started = processor_time();
    if (status == TD_OK) status = td_solve_statics(s->system, s->state);
    t->cost = processor_time() - started;
    t->iterations = td_get_stats(s->state)->iterations;
    if (status >= 0) record(all, t, s, 0);
    note_caveat(t, s, status);
    return status;
}

static td_status compute(const trials *all, trial *t, session *s, watch *w) {
    double least = HUGE_VAL, started = wall_clock();
    for (int i = 0; i < REPEATS; i++) {
        td_status status = all->statics ? rest(all, t, s) : move(all, t, s, w);
        if (status < 0) return status;
        least = fmin(least, t->cost);
        if (w->stopped || wall_clock() - started > QUICK) break;
    }
    t->cost = least;
    return TD_OK;
}

static int run_compiled(trials *all, trial *t, session *s, watch *w) {
    if (!all->n_rods) note_rods(all, s);
    if (!all->n_rods)
        return exit_error(EXIT_INPUT, all->file,
                          "the robot has no rods, whose shapes compare compares");
    if (!allocate(all, t)) return out_of_memory(all);
    td_status status = compute(all, t, s, w);
    if (status == TD_ERR_STOPPED) w->stopped = true;
    if (status < 0) note_failure(t, s, status);
    t->finished = status >= 0;
    return w->stopped ? EXIT_FAILED : EXIT_FINE;
}

int trial_run(trials *all, int i, bool (*tell)(void *context, double share), void *context) {
    trial *t = &all->list[i];
    session s;
    watch w = {.tell = tell, .context = context};
    int code = load(all, t, &s);
    if (code == EXIT_FINE && !all->time) code = plan_records(all, &s);
    if (code == EXIT_FINE) t->possible = compile(t, &s);
    if (code == EXIT_FINE && t->possible) code = run_compiled(all, t, &s, &w);
    session_close(&s);
    return code;
}

// ---------------------------------------------------------------- the judgement
static double distance(const double *a, const double *b) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void judge_record(const trials *all, trial *t, int k) {
    size_t n = points_of(all), first = (size_t)k * n * 3;
    const double *ours = t->points + first, *theirs = all->list[all->reference].points + first;
    double sum = 0.0, tip = 0.0;
    for (size_t j = 0; j < n; j++) {
        double d = distance(ours + 3 * j, theirs + 3 * j);
        sum += d * d;
        if ((j + 1) % (size_t)all->per_rod == 0) tip = fmax(tip, d);
    }
    t->tip_error[k] = tip;
    t->shape_error[k] = sqrt(sum / (double)n);
    t->tip_max = fmax(t->tip_max, tip);
    t->shape_max = fmax(t->shape_max, t->shape_error[k]);
    t->tip_mean += tip;
    t->shape_mean += t->shape_error[k];
}

void trials_judge(trials *all) {
    int most = all->list[all->reference].n_records;
    for (int i = 0; i < all->n; i++) {
        trial *t = &all->list[i];
        t->n_errors = t->n_records < most ? t->n_records : most;
        for (int k = 0; k < t->n_errors; k++) judge_record(all, t, k);
        if (t->n_errors) t->tip_mean /= t->n_errors, t->shape_mean /= t->n_errors;
    }
}
