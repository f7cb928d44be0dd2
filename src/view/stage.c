#include "view/stage.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/json.h"
#include "io/option_names.h"
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

static bool add_set(stage *s, char *text) {
    char **larger = text ? realloc(s->sets, sizeof *larger * (size_t)(s->n_sets + 1)) : NULL;
    if (!larger) {
        free(text);
        return false;
    }
    s->sets = larger;
    s->sets[s->n_sets++] = text;
    return true;
}

// A plain number at `path` becomes an input of this name and value.
static bool add_input(stage *s, const char *path, const char *name, td_number number) {
    if (number.gain != 0.0 || number.value == 0.0) return true;
    char value[40];
    format_exact(value, sizeof value, number.value);
    return add_set(s, text_of("%s=%s", path, name)) &&
           add_set(s, text_of("inputs.%s=%s", name, value));
}

static bool add_load_inputs(stage *s, const robot_load *load, int index) {
    bool ok = true;
    for (int k = 0; k < 6 && ok; k++) {
        const char *what = k < 3 ? "force" : "moment";
        const td_number *n = k < 3 ? load->def.force : load->def.moment;
        char path[96], name[192], axis = "xyz"[k % 3];
        snprintf(path, sizeof path, "loads.%d.%s.%c", index, what, axis);
        snprintf(name, sizeof name, "%s.%s.%c", load->name, what, axis);
        ok = add_input(s, path, name, n[k % 3]);
    }
    return ok;
}

static bool add_inputs(stage *s, const td_robot *robot) {
    char path[96];
    bool ok = true;
    for (int i = 0; i < robot->n_loads && ok; i++) ok = add_load_inputs(s, &robot->loads[i], i);
    for (int i = 0; i < robot->n_tendons && ok; i++) {
        snprintf(path, sizeof path, "tendons.%d.value", i);
        ok = add_input(s, path, robot->tendons[i].name, robot->tendons[i].def.value);
    }
    for (int i = 0; i < robot->n_chambers && ok; i++) {
        snprintf(path, sizeof path, "chambers.%d.value", i);
        ok = add_input(s, path, robot->chambers[i].name, robot->chambers[i].def.value);
    }
    return ok;
}

static td_robot *load(const stage *s, td_error *err) {
    return td_robot_load(s->path, (const char *const *)s->sets, s->n_sets, err);
}

static void drop_sets(stage *s, int from) {
    while (s->n_sets > from) free(s->sets[--s->n_sets]);
}

// With the inputs for plain numbers where that works: a name may be taken already.
static bool load_twice(stage *s, td_error *err) {
    int given = s->n_sets;
    s->robot = load(s, err);
    if (!s->robot) return false;
    if (!add_inputs(s, s->robot)) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
        return false;
    }
    if (s->n_sets == given) return true;
    td_robot *driven = load(s, NULL);
    if (driven) {
        td_robot_destroy(s->robot);
        s->robot = driven;
    } else {
        drop_sets(s, given);
    }
    return true;
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
    for (int i = 0; i < robot->n_tendons; i++) {
        const td_tendon_def *tendon = &robot->tendons[i].def;
        if (tendon->rod == rod) nearest = nearer(nearest, tendon->to, at);
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
static bool fill(stage *s, td_error *err) {
    if (!load_twice(s, err)) return false;
    s->n_inputs = td_robot_n_inputs(s->robot);
    s->options = td_robot_options(s->robot);
    s->scenario = td_robot_scenario(s->robot);
    if (!find_grips(s)) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
        return false;
    }
    return add_grip_inputs(s, s->robot, err);
}

stage *stage_create(const char *path, const char *const *sets, int n_sets, td_error *err) {
    stage *s = calloc(1, sizeof *s);
    bool ok = s && (s->path = strdup(path));
    for (int i = 0; ok && i < n_sets; i++) ok = add_set(s, strdup(sets[i]));
    if (!ok) error_set(err, TD_ERR_MEMORY, path, "out of memory");
    if (ok && fill(s, err)) return s;
    stage_destroy(s);
    return NULL;
}

void stage_destroy(stage *s) {
    if (!s) return;
    drop_sets(s, 0);
    free(s->sets);
    free(s->path);
    free(s->grips);
    td_robot_destroy(s->robot);
    free(s);
}

static td_system *compile_with(const stage *s, const td_options *options, grips_kept kept,
                               td_error *err) {
    td_robot *robot = load(s, err);
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

static bool add_scheme(stage *s, const td_options *options) {
    static const char *const methods[] = {"fixed", "explicit", "implicit"};
    if (has_space_scheme(options))
        return add_set(s, text_of("simulation.time.scheme=%s", scheme_name(options->scheme)));
    return add_set(
        s, text_of("simulation.integration.method=%s", methods[options->integration.method]));
}

char *stage_export(const stage *s, const double *inputs, const td_options *options, double step,
                   td_error *err) {
    stage plain = {.path = s->path};
    bool ok = true;
    char value[40];
    for (int i = 0; i < s->n_sets && ok; i++) ok = add_set(&plain, strdup(s->sets[i]));
    for (int i = 0; i < s->n_inputs && ok; i++) {
        format_exact(value, sizeof value, inputs[i]);
        ok = add_set(&plain, text_of("inputs.%s=%s", s->robot->inputs[i].name, value));
    }
    format_exact(value, sizeof value, step);
    ok = ok && add_set(&plain, text_of("simulation.model=%s", options->model)) &&
         add_set(&plain, text_of("simulation.time.step=%s", value)) && add_scheme(&plain, options);
    td_robot *robot = NULL;
    if (ok) robot = load(&plain, err);
    else error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
    char *text = robot ? strdup(td_robot_source(robot)) : NULL;
    td_robot_destroy(robot);
    drop_sets(&plain, 0);
    free(plain.sets);
    return text;
}
