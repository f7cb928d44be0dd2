// What the page calls where the library runs in the browser: one robot at a time, by local.h. Memory
// that is handed out belongs to this side and is valid until the next call.
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/local.h"

static local *robot;
static td_error error;
static char *told;
static char where[sizeof error.where + sizeof error.message + 4];
static size_t frame_length;
static char *run;

EMSCRIPTEN_KEEPALIVE int page_open(const char *path);
int page_open(const char *path) {
    error = (td_error){0};
    local *next = local_open(path, &error);
    if (!next) return error.status;
    local_close(robot);
    robot = next;
    return TD_OK;
}

// Why the last robot was not opened: "arm.yaml:3:5: rods[0].length: ...".
EMSCRIPTEN_KEEPALIVE const char *page_error(void);
const char *page_error(void) {
    snprintf(where, sizeof where, "%s%s%s", error.where, error.where[0] ? ": " : "", error.message);
    return where;
}

EMSCRIPTEN_KEEPALIVE void page_ask(const char *text, int length);
void page_ask(const char *text, int length) {
    local_ask(robot, text, (size_t)length);
}

EMSCRIPTEN_KEEPALIVE double page_tick(double now);
double page_tick(double now) {
    return local_tick(robot, now);
}

EMSCRIPTEN_KEEPALIVE const char *page_text(void);
const char *page_text(void) {
    free(told);
    told = local_text(robot);
    return told;
}

EMSCRIPTEN_KEEPALIVE const uint8_t *page_frame(void);
const uint8_t *page_frame(void) {
    return local_frame(robot, &frame_length);
}

EMSCRIPTEN_KEEPALIVE int page_frame_length(void);
int page_frame_length(void) {
    return (int)frame_length;
}

// The run of a file as a table; NULL: page_error says why. Where that says something beside a table, the run
// ended early.
EMSCRIPTEN_KEEPALIVE const char *page_run(const char *path);
const char *page_run(const char *path) {
    free(run);
    error = (td_error){0};
    run = local_table(path, &error);
    return run;
}
