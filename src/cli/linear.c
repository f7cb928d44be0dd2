// cli/linear.c - see linear.h.
#include "cli/linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/terminal.h"
#include "tendril/loop.h"

static int out_of_memory(const linear *x) {
    return exit_error(EXIT_FAILED, x->s.file, "out of memory");
}

int linear_open(linear *x, const args *a) {
    double t = 0.0;
    *x = (linear){0};
    if (!args_seconds(a, "time", &t)) return EXIT_INPUT;
    int code = session_open(&x->s, a);
    if (code != EXIT_FINE) return code;
    const td_side side = args_has(a, "time") ? TD_AFTER : TD_BEFORE;
    x->status = td_apply_signals(x->s.system, x->s.state, t, side);
    if (x->status == TD_OK) x->status = td_solve_statics(x->s.system, x->s.state);
    snprintf(x->message, sizeof x->message, "%s", td_message(x->s.state));
    if (x->status >= 0) return EXIT_FINE;
    return exit_error(EXIT_FAILED, x->s.file, "no equilibrium to linearise about: %s",
                      x->message[0] ? x->message : status_words(x->status));
}

// ---------------------------------------------------------------- outputs
static bool name_output(linear *x, const char *option_name, const char *name) {
    char where[32];
    td_error err = {0};
    if (td_find_output(x->s.system, name, &x->named[x->n_named], &err) >= 0) {
        x->n_named++;
        return true;
    }
    snprintf(where, sizeof where, "--%s", option_name);
    return print_error(where, "'%s': %s", name, err.message);
}

int linear_name_outputs(linear *x, const char *option_name, const char *list) {
    char name[192];
    free(x->named);
    x->named = calloc((size_t)list_count(list), sizeof *x->named);
    x->n_named = 0;
    if (!x->named) return out_of_memory(x);
    while (list_next(&list, name, sizeof name))
        if (!name_output(x, option_name, name)) return EXIT_INPUT;
    return EXIT_FINE;
}

int linear_n_rows(const linear *x) {
    int n = 0;
    for (int i = 0; i < x->n_named; i++) n += x->named[i].n;
    return n;
}

int linear_row(const linear *x, int i, const char **name, const char **unit) {
    int before = 0;
    const td_named_output *o = x->named;
    for (; i >= o->n; o++) {
        i -= o->n;
        before += td_output_size(o->output.quantity);
    }
    *name = o->names[i];
    *unit = o->units[i];
    return before + o->first + i;
}

// ---------------------------------------------------------------- linearising
int linear_about(linear *x, const td_output *outputs, int n_outputs) {
    td_error err = {0};
    td_output *named = calloc((size_t)x->n_named + 1, sizeof *named);
    if (!named) return out_of_memory(x);
    for (int i = 0; i < x->n_named; i++) named[i] = x->named[i].output;
    td_linearisation_destroy(x->l);
    x->l = td_linearisation_create(x->s.system, outputs ? outputs : named,
                                   outputs ? n_outputs : x->n_named, &err);
    free(named);
    if (!x->l) return exit_reported(EXIT_FAILED, x->s.file, &err);
    const td_status status = td_linearise(x->s.system, x->s.state, x->l);
    x->of = td_get_linear(x->l);
    if (status >= 0) return EXIT_FINE;
    return exit_error(EXIT_FAILED, x->s.file, "%s", td_message(x->s.state));
}

void linear_close(linear *x) {
    td_linearisation_destroy(x->l);
    free(x->named);
    session_close(&x->s);
    *x = (linear){0};
}

// ---------------------------------------------------------------- notes
// NULL: it has none.
static const char *without_controllers(const linear *x) {
    return td_n_controllers(x->s.system) > 0
               ? "this is the robot alone: its controllers hold what they said last"
               : NULL;
}

void linear_print_notes(const linear *x) {
    if (x->status > 0) print_note("note", "%s", x->message);
    if (x->of->note[0]) print_note("note", "%s", x->of->note);
    if (without_controllers(x)) print_note("note", "%s", without_controllers(x));
    session_print_notes(&x->s);
}

json linear_begin_json(const linear *x) {
    json j = session_begin_json(&x->s, x->status, x->message);
    const char *note;
    json_open_array(&j, "notes");
    if (x->of->note[0]) json_string(&j, x->of->note);
    if (without_controllers(x)) json_string(&j, without_controllers(x));
    for (int i = 0; (note = td_system_note(x->s.system, i)); i++) json_string(&j, note);
    json_end_array(&j);
    return j;
}
