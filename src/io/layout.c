// What a record holds, and filling one from a state.
#include "io/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *const energy_names[N_ENERGY] = {"kinetic", "elastic", "gravity", "dissipated", "work"};

typedef struct field {
    unsigned flag;
    const char *name, *unit, *about;
    int components;
} field;

static const field rod_fields[] = {
    {TD_RECORD_POSE, "position", "m", "centreline, world frame: x, y, z", 3},
    {TD_RECORD_POSE, "orientation", "1", "unit quaternion, body to world: w, x, y, z", 4},
    {TD_RECORD_STRAIN, "strain", "1/m, 1/m, 1/m, 1, 1, 1",
     "body frame: curvature x, y, twist rate, shear x, y, stretch", 6},
    {TD_RECORD_WRENCH, "wrench", "N m, N m, N m, N, N, N",
     "internal, body frame: moment x, y, z, force x, y, z", 6},
    {TD_RECORD_VELOCITY, "velocity", "rad/s, rad/s, rad/s, m/s, m/s, m/s",
     "body frame: angular x, y, z, linear x, y, z", 6},
};
enum { N_ROD_FIELDS = sizeof rod_fields / sizeof rod_fields[0] };

static const char *const energy_about[N_ENERGY] = {
    "of motion", "stored in strain", "potential in gravity",
    "by material damping and drag, since the start",
    "done by loads and base motion, since the start"};

// The caller has made room. Returns the series so that a vector's dimensions can be filled in.
static result_series *append(result_layout *l, const char *group, const char *link,
                             const char *unit, const char *about) {
    result_series *s = &l->series[l->n_series++];
    *s = (result_series){.about = about, .width = 1};
    snprintf(s->path, sizeof s->path, "%s/%s", group, link);
    snprintf(s->name, sizeof s->name, "%s", link);
    snprintf(s->unit, sizeof s->unit, "%s", unit ? unit : "");
    return s;
}

// HDF5 reads "/" and "." in a link's name as a path.
static void safe_link(char *link, size_t size, const char *name, const char *kind, int index) {
    bool unsafe = !name[0] || strchr(name, '/') || !strcmp(name, ".") || strlen(name) > 100;
    if (unsafe) {
        snprintf(link, size, "%s %d", kind, index);
    } else {
        snprintf(link, size, "%s", name);
    }
}

static void append_rods(result_layout *l, const td_system *system, const td_scenario *scenario) {
    for (int i = 0; i < l->n_rods; i++) {
        result_rod_layout *rod = &l->rods[i];
        char link[128];
        safe_link(link, sizeof link, td_rod_name(system, i), "rod", i);
        snprintf(rod->name, sizeof rod->name, "%s", td_rod_name(system, i));
        snprintf(rod->group, sizeof rod->group, "/rods/%s", link);
        rod->length = td_rod_length(system, i);
        rod->n_points = scenario->record_points < 2 ? 2 : scenario->record_points;
        for (int k = 0; k < N_ROD_FIELDS; k++) {
            const field *f = &rod_fields[k];
            if (!(scenario->record_fields & f->flag)) continue;
            result_series *s = append(l, rod->group, f->name, f->unit, f->about);
            s->n_dims = 2;
            s->dims[0] = rod->n_points, s->dims[1] = f->components;
            s->width = rod->n_points * f->components;
        }
    }
}

static void append_inputs(result_layout *l, const td_system *system) {
    for (int i = 0; i < td_n_inputs(system); i++) {
        char link[128];
        const char *name = td_input_name(system, i);
        safe_link(link, sizeof link, name, "input", i);
        result_series *s = append(l, "/inputs", link, td_input_unit(system, i), "input");
        snprintf(s->name, sizeof s->name, "%s", name);
    }
}

static void append_energy(result_layout *l) {
    for (int i = 0; i < N_ENERGY; i++) append(l, "/energy", energy_names[i], "J", energy_about[i]);
}

static void append_solver(result_layout *l) {
    append(l, "/solver", "iterations", "1", "corrections since the last record")->whole = true;
    append(l, "/solver", "evaluations", "1", "evaluations of the rods since the last record")->whole =
        true;
    append(l, "/solver", "fallbacks", "1",
           "times plain Newton was not enough, since the last record")
        ->whole = true;
    append(l, "/solver", "residual", "1", "largest scaled residual since the last record");
}

td_status layout_create(result_layout *l, const td_system *system, const td_scenario *scenario,
                        td_error *err) {
    int n_rods = td_n_rods(system);
    int most = 1 + N_ROD_FIELDS * n_rods + td_n_inputs(system) + N_ENERGY + 4;
    *l = (result_layout){.n_rods = n_rods};
    l->rods = calloc((size_t)n_rods, sizeof *l->rods);
    l->series = calloc((size_t)most, sizeof *l->series);
    if (!l->rods || !l->series) {
        layout_destroy(l);
        return error_set(err, TD_ERR_MEMORY, "result", "out of memory for the layout");
    }
    append(l, "", "time", "s", "time");
    append_rods(l, system, scenario);
    if (scenario->record_fields & TD_RECORD_INPUTS) append_inputs(l, system);
    if (scenario->record_fields & TD_RECORD_ENERGY) append_energy(l);
    append_solver(l);
    for (int i = 0; i < l->n_series; i++) {
        l->series[i].offset = l->width;
        l->width += l->series[i].width;
    }
    return TD_OK;
}

void layout_destroy(result_layout *l) {
    free(l->rods);
    free(l->series);
    *l = (result_layout){0};
}

td_status recorder_create(recorder *r, const td_system *system, const td_scenario *scenario,
                          td_error *err) {
    *r = (recorder){.system = system, .fields = scenario->record_fields};
    td_status status = layout_create(&r->layout, system, scenario, err);
    if (status < 0) return status;
    r->row = calloc((size_t)r->layout.width, sizeof *r->row);
    if (r->row) return TD_OK;
    recorder_destroy(r);
    return error_set(err, TD_ERR_MEMORY, "result", "out of memory for one record");
}

void recorder_destroy(recorder *r) {
    layout_destroy(&r->layout);
    free(r->row);
    r->row = NULL;
}

void recorder_note_step(recorder *r, const td_stats *stats) {
    r->iterations += stats->iterations;
    r->evaluations += stats->evaluations;
    r->fallbacks += stats->fallbacks;
    if (stats->residual > r->residual) r->residual = stats->residual;
}

static double *put(double *at, const double *values, int n) {
    memcpy(at, values, sizeof *at * (size_t)n);
    return at + n;
}

// One rod's fields lie one after the other, each over all points.
static double *fill_rod(const recorder *r, const td_state *state, int rod, double *at) {
    const result_rod_layout *l = &r->layout.rods[rod];
    int n = l->n_points;
    double *start[N_ROD_FIELDS] = {NULL};
    for (int k = 0; k < N_ROD_FIELDS; k++) {
        if (!(r->fields & rod_fields[k].flag)) continue;
        start[k] = at;
        at += n * rod_fields[k].components;
    }
    for (int i = 0; i < n; i++) {
        td_sample sample = td_get_sample(r->system, state, rod, point_at(l->length, i, n));
        const double *const values[N_ROD_FIELDS] = {sample.pose.p, sample.pose.q, sample.strain,
                                                    sample.wrench, sample.velocity};
        for (int k = 0; k < N_ROD_FIELDS; k++) {
            int components = rod_fields[k].components;
            if (start[k]) put(start[k] + i * components, values[k], components);
        }
    }
    return at;
}

const double *recorder_take(recorder *r, const td_state *state) {
    double *at = r->row;
    *at++ = td_get_time(r->system, state);
    for (int i = 0; i < r->layout.n_rods; i++) at = fill_rod(r, state, i, at);
    if (r->fields & TD_RECORD_INPUTS) {
        for (int i = 0; i < td_n_inputs(r->system); i++) *at++ = td_get_input(r->system, state, i);
    }
    if (r->fields & TD_RECORD_ENERGY) {
        td_energy e = td_get_energy(r->system, state);
        at = put(at, (double[]){e.kinetic, e.elastic, e.gravity, e.dissipated, e.work}, N_ENERGY);
    }
    *at++ = (double)r->iterations;
    *at++ = (double)r->evaluations;
    *at++ = (double)r->fallbacks;
    *at++ = r->residual;
    r->iterations = r->evaluations = r->fallbacks = 0;
    r->residual = 0.0;
    return r->row;
}
