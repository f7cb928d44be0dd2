// view/stage.c - see stage.h.
#include "view/stage.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/json.h"
#include "io/options.h"
#include "robot/facts.h"

// ---------------------------------------------------------------- overrides
static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text_of(const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return strdup(text);
}

typedef struct set_list {
    char **sets;
    int n;
} set_list;

static bool add_set(set_list *list, char *text) {
    char **larger = text ? realloc(list->sets, sizeof *larger * (size_t)(list->n + 1)) : NULL;
    if (!larger) {
        free(text);
        return false;
    }
    list->sets = larger;
    list->sets[list->n++] = text;
    return true;
}

static void free_sets(set_list *list) {
    for (int i = 0; i < list->n; i++) free(list->sets[i]);
    free(list->sets);
}

// The file as it was when it was read, whatever became of it since.
static td_robot *load(const stage *s, const set_list *list, td_error *err) {
    return td_robot_parse(s->text, strlen(s->text), s->path, (const char *const *)list->sets,
                          list->n, err);
}

// A plain number at `path` becomes an input of this name and value.
static bool add_input(set_list *list, const char *path, const char *name, td_number number) {
    if (number.gain != 0.0 || number.value == 0.0) return true;
    char value[40];
    format_exact(value, sizeof value, number.value);
    return add_set(list, text_of("%s=%s", path, name)) &&
           add_set(list, text_of("inputs.%s=%s", name, value));
}

static bool add_load_inputs(set_list *list, const robot_load *load, int index) {
    bool ok = true;
    for (int k = 0; k < 6 && ok; k++) {
        const char *what = k < 3 ? "force" : "moment";
        const td_number *n = k < 3 ? load->def.force : load->def.moment;
        char path[96], name[192], axis = "xyz"[k % 3];
        snprintf(path, sizeof path, "loads.%d.%s.%c", index, what, axis);
        snprintf(name, sizeof name, "%s.%s.%c", load->name, what, axis);
        ok = add_input(list, path, name, n[k % 3]);
    }
    return ok;
}

static bool add_inputs(set_list *list, const td_robot *robot) {
    char path[96];
    bool ok = true;
    for (int i = 0; i < robot->n_loads && ok; i++) ok = add_load_inputs(list, &robot->loads[i], i);
    for (int i = 0; i < robot->n_actuators && ok; i++) {
        const actuator_facts f = actuator_facts_of(robot, i);
        snprintf(path, sizeof path, "%s.%d.value", f.kind->plural, f.index);
        ok = add_input(list, path, f.name, f.number);
    }
    return ok;
}

static bool keep_robot(stage *s, td_robot *robot) {
    td_robot_destroy(s->robot);
    free(s->text);
    s->robot = robot;
    s->text = strdup(td_robot_source(robot));
    return s->text != NULL;
}

// With inputs for plain numbers where that works: a name may be taken already.
static bool drive_numbers(stage *s) {
    set_list list = {0};
    bool ok = add_inputs(&list, s->robot);
    td_robot *driven = ok && list.n > 0 ? load(s, &list, NULL) : NULL;
    free_sets(&list);
    return ok && (!driven || keep_robot(s, driven));
}

// ---------------------------------------------------------------- grips
// Something happens on a rod at these places already: a grip there costs nothing.
static double nearer(double nearest, double place, double at) {
    return fabs(place - at) < fabs(nearest - at) ? place : nearest;
}

static double nearest_place(const td_robot *robot, int rod, double at) {
    double nearest = HUGE_VAL, s = 0.0;
    const robot_rod *r = &robot->rods[rod];
    for (int i = 0; i + 1 < r->n_pieces; i++)
        nearest = nearer(nearest, s += r->pieces[i].length, at);
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *body = &robot->bodies[i].def;
        if (body->rod == rod) nearest = nearer(nearest, body->at, at);
    }
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_facts f = actuator_facts_of(robot, i);
        if (f.kind->thin && f.rod_index == rod) nearest = nearer(nearest, f.to, at);
    }
    return fabs(nearest - at) < r->length / 10 ? nearest : at;
}

// Bodies come first, so that rods find them.
static void add_grip(stage *s, grip g) {
    g.loads = true;
    g.input = s->n_inputs + s->n_grip_inputs;
    s->n_grip_inputs += 3;
    s->grips[s->n_grips++] = g;
}

// A tip that is joined to a body pulls at that body.
static void add_joined_grip(stage *s, int rod) {
    const robot_rod *r = &s->robot->rods[rod];
    for (int i = 0; i < s->n_grips; i++) {
        grip g = s->grips[i];
        if (g.rod >= 0 || g.body != r->tip.body) continue;
        g.rod = rod, g.at = r->length, g.loads = false;
        s->grips[s->n_grips++] = g;
        return;
    }
}

// Fewer on each rod, the more rods there are. A rod that is fed takes a load at its tip only.
static void find_rod_grips(stage *s, int rod) {
    const robot_rod *r = &s->robot->rods[rod];
    int n = s->robot->n_rods == 1 ? 4 : s->robot->n_rods < 4 ? 2 : 1;
    if (is_fed(r->feed)) n = 1;
    for (int i = 1; i < n; i++) {
        double at = nearest_place(s->robot, rod, r->length * i / n);
        if (at < r->length * 0.99) add_grip(s, (grip){.rod = rod, .body = -1, .at = at});
    }
    if (!r->tip.held) add_grip(s, (grip){.rod = rod, .body = -1, .at = r->length, .at_end = true});
    else add_joined_grip(s, rod);
}

static bool find_grips(stage *s) {
    const td_robot *robot = s->robot;
    size_t most = 4 * (size_t)robot->n_rods + (size_t)robot->n_bodies;
    s->grips = calloc(most + 1, sizeof *s->grips);
    if (!s->grips) return false;
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod < 0) add_grip(s, (grip){.rod = -1, .body = i, .at_end = true});
    for (int i = 0; i < robot->n_rods; i++) find_rod_grips(s, i);
    return true;
}

static bool add_grip_inputs(const stage *s, td_robot *robot, td_error *err) {
    for (int i = 0; i < s->n_grip_inputs; i++) {
        char name[48];
        snprintf(name, sizeof name, "view-grip%d.%c", i / 3, "xyz"[i % 3]);
        td_input_def def = {.name = name, .unit = "N"};
        if (td_robot_add_input(robot, &def, err) < 0) return false;
    }
    return true;
}

bool grip_acts(const grip *g, grips_kept kept) {
    return kept == GRIPS_ALL || (kept == GRIPS_ENDS && g->at_end);
}

static bool add_grip_loads(const stage *s, td_robot *robot, grips_kept kept, td_error *err) {
    for (int i = 0; i < s->n_grips; i++) {
        const grip *g = &s->grips[i];
        if (!g->loads || !grip_acts(g, kept)) continue;
        char name[48];
        snprintf(name, sizeof name, "view-grip%d", i);
        td_load_def def = td_default_load_def();
        def.name = name, def.rod = g->rod, def.body = g->body, def.from = g->at;
        for (int k = 0; k < 3; k++) def.force[k] = (td_number){0.0, 1.0, g->input + k};
        if (td_robot_add_load(robot, &def, err) < 0) return false;
    }
    return true;
}

// ---------------------------------------------------------------- the stage
static bool fill(stage *s, td_robot *robot, td_error *err) {
    if (!keep_robot(s, robot) || !(s->source = strdup(s->text)) || !drive_numbers(s)) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
        return false;
    }
    s->n_inputs = td_robot_n_inputs(s->robot);
    s->options = td_robot_options(s->robot);
    s->scenario = td_robot_scenario(s->robot);
    if (!find_grips(s)) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
        return false;
    }
    return add_grip_inputs(s, s->robot, err);
}

// Takes the robot; NULL: it was not read.
static stage *make(const char *path, td_robot *robot, td_error *err) {
    if (!robot) return NULL;
    stage *s = calloc(1, sizeof *s);
    if (s && (s->path = strdup(path))) {
        if (fill(s, robot, err)) return s;
    } else {
        error_set(err, TD_ERR_MEMORY, path, "out of memory");
        td_robot_destroy(robot);
    }
    stage_destroy(s);
    return NULL;
}

stage *stage_create(const char *path, const char *const *sets, int n_sets, td_error *err) {
    return make(path, td_robot_load(path, sets, n_sets, err), err);
}

stage *stage_parse(const char *path, const char *text, td_error *err) {
    return make(path, td_robot_parse(text, strlen(text), path, NULL, 0, err), err);
}

void stage_destroy(stage *s) {
    if (!s) return;
    td_robot_destroy(s->robot);
    free(s->path);
    free(s->source);
    free(s->text);
    free(s->grips);
    free(s);
}

static td_system *compile_with(const stage *s, const td_options *options, grips_kept kept,
                               td_error *err) {
    const set_list nothing = {0};
    td_robot *robot = load(s, &nothing, err);
    td_system *system = NULL;
    if (robot && add_grip_inputs(s, robot, err) && add_grip_loads(s, robot, kept, err))
        system = td_system_create(robot, options, err);
    td_robot_destroy(robot);
    return system;
}

td_system *stage_compile(const stage *s, const td_options *options, grips_kept *kept,
                         td_error *err) {
    for (int k = GRIPS_ALL; k < N_GRIPS_KEPT; k++) {
        *kept = (grips_kept)k;
        td_system *system = compile_with(s, options, *kept, err);
        if (system || (err && err->status == TD_ERR_MEMORY)) return system;
    }
    return NULL;
}

// ---------------------------------------------------------------- export
static bool add_present(set_list *list, const stage *s, const double *inputs,
                        const td_options *options, double step) {
    char value[40];
    bool ok = true;
    for (int i = 0; i < s->n_inputs && ok; i++) {
        format_exact(value, sizeof value, inputs[i]);
        ok = add_set(list, text_of("inputs.%s=%s", s->robot->inputs[i].name, value));
    }
    format_exact(value, sizeof value, step);
    return ok && add_set(list, text_of("simulation.model=%s", options->model)) &&
           add_set(list, text_of("simulation.time.step=%s", value)) &&
           add_set(list, text_of("%s=%s", stepping_option(options)->path, stepping_name(options)));
}

char *stage_export(const stage *s, const double *inputs, const td_options *options, double step,
                   td_error *err) {
    set_list list = {0};
    td_robot *robot = NULL;
    if (add_present(&list, s, inputs, options, step)) robot = load(s, &list, err);
    else error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
    char *text = robot ? strdup(td_robot_source(robot)) : NULL;
    td_robot_destroy(robot);
    free_sets(&list);
    return text;
}
