// cli/start.c - see start.h.
#include "tendril/loop.h"

#include "cli/start.h"

#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/terminal.h"
#include "io/result.h"
#include "robot/suggest.h"

static int solve_statics(session *s) {
    td_status status = td_solve_statics(s->system, s->state);
    const char *message = td_message(s->state);
    if (status < 0)
        return exit_error(EXIT_FAILED, s->file, "statics at the start: %s",
                          message[0] ? message : status_words(status));
    if (status > 0) print_note(s->file, "statics at the start: %s", message);
    return EXIT_FINE;
}

// What the file says beyond that.
static int apply_initial(session *s) {
    const int n = td_n_initial(s->system);
    if (n == 0) return EXIT_FINE;
    const td_status status = td_apply_initial(s->system, s->state);
    if (status < 0)
        return exit_error(EXIT_INPUT, s->file, "initial: %s",
                          td_message(s->state)[0] ? td_message(s->state) : status_words(status));
    const td_energy e = td_get_energy(s->system, s->state);
    print_note(s->file,
               "starts with %d of its coordinates and rates from `initial`: kinetic energy "
               "%.4g J",
               n, e.kinetic);
    return EXIT_FINE;
}

// A state from elsewhere keeps its own inputs. Where the signals say otherwise, that is a jump.
static int continue_from(session *s, const char *path) {
    td_error err = {0};
    if (state_load(path, s->system, s->state, &err) < 0)
        return exit_reported(EXIT_INPUT, NULL, &err);
    int n = td_n_inputs(s->system);
    double *before = malloc(sizeof *before * (size_t)(n + 1));
    if (!before) return exit_error(EXIT_FAILED, s->file, "out of memory");
    for (int i = 0; i < n; i++) before[i] = td_get_input(s->system, s->state, i);
    double t = td_get_time(s->system, s->state);
    td_apply_signals(s->system, s->state, t, TD_BEFORE);
    bool jump = false;
    for (int i = 0; i < n; i++) jump |= td_get_input(s->system, s->state, i) != before[i];
    for (int i = 0; i < n; i++) td_set_input(s->system, s->state, i, before[i]);
    if (jump) td_restart(s->system, s->state);
    free(before);
    return EXIT_FINE;
}

int begin_state(session *s, const char *how) {
    if (how && !strcmp(how, "static")) {
        s->scenario.start = TD_START_STATIC;
    } else if (how && !strcmp(how, "straight")) {
        s->scenario.start = TD_START_STRAIGHT;
    } else if (how && access(how, F_OK) != 0) {
        char hint[HINT_SIZE];
        suggestion near = suggest_for(how);
        suggest(&near, "static");
        suggest(&near, "straight");
        return exit_error(EXIT_INPUT, "--start",
                          "'%s' is neither static nor straight nor a file that exists%s", how,
                          hint_text(&near, "", hint));
    } else if (how) {
        return continue_from(s, how);
    }
    td_state_reset(s->system, s->state);
    td_apply_signals(s->system, s->state, 0.0, TD_BEFORE);
    const int code = s->scenario.start == TD_START_STATIC ? solve_statics(s) : EXIT_FINE;
    if (code != EXIT_FINE) return code;
    if (s->scenario.start != TD_START_STATIC) td_read_sensors(s->system, s->state);
    return apply_initial(s);
}
