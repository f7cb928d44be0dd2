// batch/parameters.c - numbers of a robot's file that differ from robot to robot of a batch.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "batch/variants.h"

#define MOST_PATHS 64

typedef struct parameter_call {
    const char *text;
    td_options options;
    const char *const *paths;
    int n_paths;
    const double *values;   // (n x n_paths)
    batch_variant **given;  // (n) NULL: left out, or it cannot be built
} parameter_call;

static double value_at(const parameter_call *p, int robot, int path) {
    return p->values[(size_t)robot * (size_t)p->n_paths + (size_t)path];
}

// A robot read again with its numbers in the file.
static td_system *build(const parameter_call *p, int robot, td_error *err) {
    char *sets[MOST_PATHS] = {0};
    td_robot *built = NULL;
    td_system *system = NULL;
    bool room = true;
    for (int i = 0; i < p->n_paths && room; i++) {
        const size_t size = strlen(p->paths[i]) + 40;
        if ((room = (sets[i] = malloc(size)) != NULL))
            snprintf(sets[i], size, "%s=%.17g", p->paths[i], value_at(p, robot, i));
    }
    if (!room) error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    else
        built = td_robot_parse(p->text, strlen(p->text), "robot", (const char *const *)sets,
                               p->n_paths, err);
    if (built) system = td_system_create(built, &p->options, err);
    td_robot_destroy(built);
    for (int i = 0; i < p->n_paths; i++) free(sets[i]);
    return system;
}

static batch_variant *variant_of(const td_batch *b, const parameter_call *p, int robot,
                                 td_error *err) {
    td_system *system = build(p, robot, err);
    batch_variant *v = system ? variant_make(b, system, system, err) : NULL;
    if (!v) td_system_destroy(system);
    return v;
}

static void build_some(const batch_call *call, int first, int count) {
    parameter_call *p = call->out;
    for (int i = first; i < first + count; i++)
        if (is_meant(call, i)) p->given[i] = variant_of(call->batch, p, i, NULL);
}

// What would be read and then not used: options are those of the batch's own system.
static bool is_option(const char *path) {
    return strncmp(path, "simulation.", 11) == 0 || strncmp(path, "record.", 7) == 0;
}

static td_status check(const batch_call *call, const parameter_call *p, td_error *err) {
    if (p->n_paths < 1 || p->n_paths > MOST_PATHS)
        return error_set(err, TD_ERR_ARGUMENT, "paths", "%d must be from 1 to %d", p->n_paths,
                         MOST_PATHS);
    for (int k = 0; k < p->n_paths; k++)
        if (is_option(p->paths[k]))
            return error_set(err, TD_ERR_ARGUMENT, p->paths[k],
                             "no number of the robot: all robots of a batch have its options");
    for (int i = 0; i < call->batch->n; i++)
        for (int k = 0; k < p->n_paths && is_meant(call, i); k++)
            if (!isfinite(value_at(p, i, k)))
                return error_set(err, TD_ERR_NOT_FINITE, p->paths[k],
                                 "robot %d: %g is not a finite number", i, value_at(p, i, k));
    return TD_OK;
}

// The first robot that could not be built, which is tried again for its words.
static td_status explain_first(const batch_call *call, const parameter_call *p, td_error *err) {
    for (int i = 0; i < call->batch->n; i++) {
        if (!is_meant(call, i) || p->given[i]) continue;
        td_error own = {.status = TD_ERR_MEMORY, .message = "out of memory"};
        variant_free(call->batch, variant_of(call->batch, p, i, &own));
        return error_set(err, own.status, own.where, "robot %d: %s", i, own.message);
    }
    return TD_OK;
}

// All or none, of the robot's text.
static td_status set_all(td_batch *b, const char *text, const char *const *paths, int n_paths,
                         const double *values, const bool *which, td_error *err) {
    parameter_call p = {.text = text,
                        .options = b->system->options,
                        .paths = paths,
                        .n_paths = n_paths,
                        .values = values};
    const batch_call call = {.batch = b, .which = which, .work = build_some, .out = &p};
    td_status status = check(&call, &p, err);
    if (status < 0) return status;
    p.given = calloc((size_t)b->n + 1, sizeof *p.given);
    if (!p.given) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    batch_run(&call);
    status = explain_first(&call, &p, err);
    if (!status) status = variants_set(b, p.given, err);
    for (int i = 0; i < b->n; i++)
        if (p.given[i] && p.given[i]->robots == 0) variant_free(b, p.given[i]);
    free(p.given);
    return status;
}

td_status td_batch_set_parameters(td_batch *b, const td_robot *robot, const char *const *paths,
                                  int n_paths, const double *values, const bool *which,
                                  td_error *err) {
    const char *source = td_robot_source(robot);
    if (source[0]) return set_all(b, source, paths, n_paths, values, which, err);
    char *written = td_robot_write(robot, NULL, NULL, err);
    if (!written) return TD_ERR_MEMORY;
    const td_status status = set_all(b, written, paths, n_paths, values, which, err);
    td_free_text(written);
    return status;
}
