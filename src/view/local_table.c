// The run that a robot file describes as one table: time, and of each thing that is recorded the numbers
// that belong to no point of a rod, or to its tip.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/json.h"
#include "io/result.h"
#include "view/local.h"

enum { ENDS = 2 };  // points of a rod that are recorded: base and tip

typedef struct table {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_options options;
    td_scenario scenario;
    recorder recorder;
    FILE *out;
    char *text;
    size_t length;
} table;

// Where the numbers of a tip begin, those of a base left out.
static int first_of(const result_series *s) {
    return s->n_dims > 0 && s->dims[0] == ENDS && !strncmp(s->path, "/rods/", 6) ? s->width / ENDS
                                                                                 : 0;
}

static void put_header(const table *t) {
    const result_layout *l = &t->recorder.layout;
    fputs("time [s]", t->out);
    for (int i = 0; i < l->n_series; i++) {
        const result_series *s = &l->series[i];
        if (!strcmp(s->path, "/time")) continue;
        const int first = first_of(s), n = s->width - first;
        for (int k = 0; k < n; k++) {
            fprintf(t->out, ",%s", s->path + 1);
            if (n > 1) fprintf(t->out, ".%d", k + 1);
            if (s->unit[0] && !strchr(s->unit, ',')) fprintf(t->out, " [%s]", s->unit);
        }
    }
    fputc('\n', t->out);
}

static void put_row(table *t) {
    const result_layout *l = &t->recorder.layout;
    const double *row = recorder_take(&t->recorder, t->state);
    char number[40];
    format_exact(number, sizeof number, td_get_time(t->system, t->state));
    fputs(number, t->out);
    for (int i = 0; i < l->n_series; i++) {
        const result_series *s = &l->series[i];
        if (!strcmp(s->path, "/time")) continue;
        for (int k = first_of(s); k < s->width; k++) {
            format_exact(number, sizeof number, row[s->offset + k]);
            fprintf(t->out, ",%s", number);
        }
    }
    fputc('\n', t->out);
}

static bool prepare(table *t, const char *path, td_error *err) {
    t->robot = td_robot_load(path, NULL, 0, err);
    if (!t->robot) return false;
    t->scenario = td_robot_scenario(t->robot);
    t->scenario.record_points = ENDS;
    const td_options options = td_robot_options(t->robot);
    t->system = td_system_create(t->robot, &options, err);
    if (!t->system) return false;
    t->state = td_state_create(t->system);
    t->out = open_memstream(&t->text, &t->length);
    if (!t->state || !t->out) {
        error_set(err, TD_ERR_MEMORY, path, "out of memory");
        return false;
    }
    return recorder_create(&t->recorder, t->system, &t->scenario, err) == TD_OK;
}

static bool fail(const table *t, const char *path, td_status status, td_error *err) {
    const char *words = td_message(t->state);
    error_set(err, status, path, "t = %g s: %s", td_get_time(t->system, t->state),
              words[0] ? words : status_words(status));
    return false;
}

// The last step ends where the file says, a little shorter than the others where it must.
static bool simulate(table *t, const char *path, td_error *err) {
    const double step = t->scenario.step, end = t->scenario.end;
    const long n = (long)ceil(end / step - 1e-6);
    const long every = lround(fmax(1.0, t->scenario.record_every / step));
    td_status status = td_begin(t->system, t->state);
    if (status < 0) return fail(t, path, status, err);
    put_header(t);
    put_row(t);
    for (long k = 1; k <= n; k++) {
        const double left = end - td_get_time(t->system, t->state);
        status =
            td_advance(t->system, t->state, k < n || fabs(left - step) < 1e-6 * step ? step : left);
        if (status < 0) return fail(t, path, status, err);
        recorder_note_step(&t->recorder, td_get_stats(t->state));
        if (k == n || k % every == 0) put_row(t);
    }
    return true;
}

char *local_table(const char *path, td_error *err) {
    table t = {0};
    const bool ready = prepare(&t, path, err);
    if (ready) simulate(&t, path, err);
    const bool written = t.out && fclose(t.out) == 0;
    if (ready && !written) error_set(err, TD_ERR_MEMORY, path, "out of memory");
    recorder_destroy(&t.recorder);
    td_state_destroy(t.state);
    td_system_destroy(t.system);
    td_robot_destroy(t.robot);
    if (ready && written) return t.text;
    free(t.text);
    return NULL;
}
