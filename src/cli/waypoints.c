// cli/waypoints.c - see waypoints.h.
#include "cli/waypoints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "io/json.h"
#include "io/result.h"
#include "io/written.h"

bool waypoints_add(waypoints *w, const session *s, double share) {
    if (w->n == w->room) {
        int room = w->room ? 2 * w->room : 16;
        w->n_inputs = td_n_inputs(s->system);
        double *list = realloc(w->list, sizeof *list * (size_t)room * (size_t)(1 + w->n_inputs));
        if (!list) return false;
        w->list = list, w->room = room;
    }
    double *at = w->list + (size_t)w->n++ * (size_t)(1 + w->n_inputs);
    *at++ = share;
    for (int i = 0; i < w->n_inputs; i++) *at++ = td_get_input(s->system, s->state, i);
    return true;
}

void waypoints_free(waypoints *w) {
    free(w->list);
    *w = (waypoints){0};
}

static bool stays(const waypoints *w, int input) {
    for (int i = 1; i < w->n; i++)
        if (w->list[(size_t)i * (size_t)(1 + w->n_inputs) + 1 + (size_t)input] !=
            w->list[1 + input])
            return false;
    return true;
}

// "inputs.leg1={points: [[0, 0.01], [0.25, 0.012]]}"
static char *override_for(const waypoints *w, const session *s, int input, double duration) {
    enum { PER_POINT = 64 };
    const char *name = td_input_name(s->system, input);
    size_t size = strlen(name) + (size_t)w->n * PER_POINT + PER_POINT, used;
    char *text = malloc(size);
    if (!text) return NULL;
    char constant[32];
    format_exact(constant, sizeof constant, w->list[1 + input]);
    if (stays(w, input)) return snprintf(text, size, "inputs.%s=%s", name, constant), text;
    used = (size_t)snprintf(text, size, "inputs.%s={points: [", name);
    for (int i = 0; i < w->n; i++) {
        const double *at = w->list + (size_t)i * (size_t)(1 + w->n_inputs);
        char time[32], value[32];
        format_exact(time, sizeof time, duration * at[0]);
        format_exact(value, sizeof value, at[1 + input]);
        used +=
            (size_t)snprintf(text + used, size - used, "%s[%s, %s]", i ? ", " : "", time, value);
    }
    snprintf(text + used, size - used, "]}");
    return text;
}

static td_robot *robot_with(const session *s, char *const *overrides, int n, td_error *err) {
    const char *source = td_robot_source(s->robot);
    return td_robot_parse(source, strlen(source), s->file, (const char *const *)overrides, n, err);
}

static int write_text(const char *path, const char *text) {
    td_error err = {0};
    if (text_write(path, text, &err) == TD_OK) return EXIT_FINE;
    return exit_reported(EXIT_FAILED, NULL, &err);
}

int waypoints_write(const waypoints *w, const session *s, const char *path) {
    td_error err = {0};
    bool ok = true;
    int n = w->n_inputs;
    char **overrides = calloc((size_t)n + 1, sizeof *overrides);
    for (int i = 0; overrides && ok && i < n; i++) {
        overrides[i] = override_for(w, s, i, 0.5 * s->scenario.end);
        ok = overrides[i] != NULL;
    }
    td_robot *robot = overrides && ok ? robot_with(s, overrides, n, &err) : NULL;
    int code = EXIT_FINE;
    if (robot) {
        code = write_text(path, td_robot_source(robot));
    } else if (err.message[0]) {
        report_error(path, &err);
        code = EXIT_INPUT;
    } else {
        print_error(path, "out of memory");
        code = EXIT_FAILED;
    }
    td_robot_destroy(robot);
    for (int i = 0; overrides && i < n; i++) free(overrides[i]);
    free(overrides);
    return code;
}
