// tests/io_small.h - a small result on disk, for tests that break it.
#pragma once

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/result.h"

// HDF5 does not free what it could not read or write.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

typedef struct small {
    char folder[64], path[96];
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_scenario scenario;
    recorder recorder;
} small;

static const char small_text[] =
    "tendril: 1\n"
    "materials: {steel: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}}\n"
    "rods:\n"
    "  - {name: arm, length: 0.4, material: steel, section: {radius: 1 mm}}\n"
    "tendons:\n"
    "  - {name: pull, rod: arm, offset: [5 mm, 0], end: tip}\n"
    "inputs: {pull: {ramp: {from: 0, to: 2 N, start: 0, duration: 0.05}}}\n"
    "simulation: {time: {step: 5 ms, end: 0.1}}\n"
    "record: {shape: 5}\n";

static int small_setup(void **state) {
    small *w = calloc(1, sizeof *w);
    td_error err = {0};
    snprintf(w->folder, sizeof w->folder, "/tmp/tendril_test_small.XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    snprintf(w->path, sizeof w->path, "%s/result.h5", w->folder);
    w->robot = td_robot_parse(small_text, strlen(small_text), "small.yaml", NULL, 0, &err);
    if (!w->robot) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(w->robot);
    td_options options = td_robot_options(w->robot);
    w->scenario = td_robot_scenario(w->robot);
    w->system = td_system_create(w->robot, &options, &err);
    assert_non_null(w->system);
    w->state = td_state_create(w->system);
    assert_int_equal(td_begin(w->system, w->state), TD_OK);
    CHECK_OK(recorder_create(&w->recorder, w->system, &w->scenario, &err), err);
    *state = w;
    return 0;
}

static int small_teardown(void **state) {
    small *w = *state;
    char command[128];
    recorder_destroy(&w->recorder);
    td_state_destroy(w->state);
    td_system_destroy(w->system);
    td_robot_destroy(w->robot);
    snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
    assert_int_equal(system(command), 0);
    free(w);
    return 0;
}

// Records of some steps, as a run writes them; the first error ends it.
static td_status small_write(small *w, int steps, td_error *err) {
    result_info info = {"test", w->robot, w->system, &w->scenario};
    result_writer *writer = result_create(w->path, &w->recorder.layout, steps + 1, err);
    if (!writer) return TD_ERR_FILE;
    td_status status = result_describe(writer, &info, err);
    for (int i = 0; status == TD_OK && i <= steps; i++) {
        if (i > 0) assert_true(td_advance(w->system, w->state, w->scenario.step) >= 0);
        status = result_add(writer, recorder_take(&w->recorder, w->state), err);
        if (status == TD_OK && i % 4 == 0) status = result_flush(writer, err);
    }
    if (status == TD_OK) status = result_put_state(writer, w->system, w->state, err);
    td_status closed = result_close(writer, "finished", status < 0 ? NULL : err);
    return status < 0 ? status : closed;
}
