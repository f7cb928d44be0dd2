// cli/session.c - see session.h.
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/stop.h"
#include "cli/terminal.h"
#include "io/result.h"
#include "robot/facts.h"
#include "robot/suggest.h"

// What is written must not replace what was read, under whatever name.
static int check_target(const session *s, const args *a, const char *name) {
    const char *path = args_value(a, name), *named = robot_named_file(s->robot);
    if (!path) return EXIT_FINE;
    if (same_file(path, s->file) || (named && same_file(path, named)))
        return exit_error(EXIT_INPUT, path,
                          "--%s would replace the robot file that was read; give another name",
                          name);
    char folder[512];
    folder_holding(path, folder, sizeof folder);
    if (access(path, W_OK) == 0 || (errno == ENOENT && access(folder, W_OK | X_OK) == 0))
        return EXIT_FINE;
    print_error(path, "cannot write: %s", strerror(errno));  // told before anything is computed
    return EXIT_INPUT;
}

int session_load_with(session *s, const args *a, const char *const *more, int n_more) {
    *s = (session){.file = a->files[0]};
    int n = args_count(a, "set");
    const char **sets = malloc(sizeof *sets * (size_t)(n + n_more + 1));
    if (!sets) return exit_error(EXIT_FAILED, s->file, "out of memory");
    for (int i = 0; i < n; i++) sets[i] = args_nth(a, "set", i);
    char model[96];
    if (args_has(a, "model")) {
        snprintf(model, sizeof model, "simulation.model=%s", args_value(a, "model"));
        sets[n++] = model;
    }
    for (int i = 0; i < n_more; i++) sets[n++] = more[i];
    s->robot = td_robot_load(s->file, sets, n, &s->err);
    free(sets);
    if (!s->robot)
        return exit_reported(s->err.status == TD_ERR_MEMORY ? EXIT_FAILED : EXIT_INPUT, s->file,
                             &s->err);
    s->options = td_robot_options(s->robot);
    s->scenario = td_robot_scenario(s->robot);
    int code = check_target(s, a, "save");
    return code == EXIT_FINE ? check_target(s, a, "write") : code;
}

// the robot alone, with --set and --model
static int session_load(session *s, const args *a) {
    return session_load_with(s, a, NULL, 0);
}

int session_compile(session *s) {
    s->system = td_system_create(s->robot, &s->options, &s->err);
    if (!s->system)
        return exit_reported(s->err.status == TD_ERR_MEMORY ? EXIT_FAILED : EXIT_INPUT, s->file,
                             &s->err);
    s->state = td_state_create(s->system);
    if (!s->state) return exit_error(EXIT_FAILED, s->file, "out of memory for the state");
    td_set_stop(s->state, stop_wanted, NULL);
    return EXIT_FINE;
}

int session_open(session *s, const args *a) {
    int code = session_load(s, a);
    return code == EXIT_FINE ? session_compile(s) : code;
}

void session_print_notes(const session *s) {
    const char *note;
    char doubt[DOUBT_TEXT];
    for (int i = 0; robot_doubt(s->robot, i, doubt, sizeof doubt); i++)
        print_note("warning", "%s", doubt);
    for (int i = 0; (note = td_system_note(s->system, i)); i++) print_note("note", "%s", note);
}

json session_begin_json(const session *s, td_status status, const char *message) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", s->file);
    json_put_string(&j, "status", td_status_name(status));
    json_put_string(&j, "message", message);
    return j;
}

void session_put_notes(const session *s, json *j) {
    const char *note;
    json_open_array(j, "notes");
    for (int i = 0; (note = td_system_note(s->system, i)); i++) json_string(j, note);
    json_end_array(j);
}

bool session_has_no(const char *where, const char *what, const char *name, const session *s, int n,
                    const char *(*name_of)(const td_system *, int)) {
    char hint[HINT_SIZE], all[160] = "";
    size_t used = 0;
    suggestion near = suggest_for(name);
    for (int i = 0; i < n; i++) suggest(&near, name_of(s->system, i));
    for (int i = 0; i < n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i ? ", " : "; there are: ", name_of(s->system, i));
    if (used >= sizeof all) memcpy(all + sizeof all - 4, "...", 4);
    return print_error(where, "the robot has no %s '%s'%s", what, name,
                       hint_text(&near, all, hint));
}

void session_close(session *s) {
    td_state_destroy(s->state);
    td_system_destroy(s->system);
    td_robot_destroy(s->robot);
    *s = (session){0};
}
