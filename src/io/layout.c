// What a record holds.
#include "io/layout.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const char *const energy_names[N_ENERGY] = {"kinetic", "elastic", "gravity", "dissipated", "work"};

static const char *const position_names[] = {"x", "y", "z"};
static const char *const orientation_names[] = {"qw", "qx", "qy", "qz"};
static const char *const strain_names[] = {"curvature_x", "curvature_y", "twist_rate",
                                           "shear_x",     "shear_y",     "stretch"};
static const char *const wrench_names[] = {"moment_x", "moment_y", "moment_z",
                                           "force_x",  "force_y",  "force_z"};
static const char *const velocity_names[] = {"omega_x",    "omega_y",    "omega_z",
                                             "velocity_x", "velocity_y", "velocity_z"};

static const char *const gap_names[] = {"gap"}, *const pressure_names[] = {"pressure"};
static const char *const contact_names[] = {"contact_x", "contact_y", "contact_z"};

// clang-format off
#define ALONG(in_sample, in_rod) offsetof(td_sample, in_sample), offsetof(result_rod, in_rod)
const field rod_fields[] = {
    {TD_RECORD_POSE, "position", "m", "centreline, world frame: x, y, z", 3, false,
     ALONG(pose.p, position), position_names, {"m", ""}},
    {TD_RECORD_POSE, "orientation", "1", "unit quaternion, body to world: w, x, y, z", 4, false,
     ALONG(pose.q, orientation), orientation_names, {"", ""}},
    {TD_RECORD_STRAIN, "strain", "1/m, 1/m, 1/m, 1, 1, 1", "body frame: curvature x, y, twist rate, shear x, y, stretch", 6, false,
     ALONG(strain, strain), strain_names, {"1/m", ""}},
    {TD_RECORD_WRENCH, "wrench", "N m, N m, N m, N, N, N", "internal, body frame: moment x, y, z, force x, y, z", 6, false,
     ALONG(wrench, wrench), wrench_names, {"N m", "N"}},
    {TD_RECORD_VELOCITY, "velocity", "rad/s, rad/s, rad/s, m/s, m/s, m/s", "body frame: angular x, y, z, linear x, y, z", 6, false,
     ALONG(velocity, velocity), velocity_names, {"rad/s", "m/s"}},
    {TD_RECORD_CONTACT, "gap", "m", "from the surface of the rod to the nearest obstacle or part; negative: how deep it is pressed in", 1, false,
     ALONG(gap, gap), gap_names, {"m", ""}},
    {TD_RECORD_CONTACT, "pressure", "N/m", "of contact, per length of rod", 1, false,
     ALONG(pressure, pressure), pressure_names, {"N/m", ""}},
    {TD_RECORD_CONTACT, "contact", "N/m", "force of contact on the rod per length, with friction; world: x, y, z", 3, false,
     ALONG(contact, contact), contact_names, {"N/m", ""}},
};
// clang-format on

const int n_rod_fields = sizeof rod_fields / sizeof rod_fields[0];

#define REACTION(name, about)                                                                      \
    { TD_RECORD_REACTIONS, name, "N m, N m, N m, N, N, N", about, 6, .whole = false }
static const field base_reaction =
    REACTION("base_reaction", "on the rod from what holds its base; world axes, about it: moment "
                              "x, y, z, force x, y, z");
static const field tip_reaction =
    REACTION("tip_reaction", "on the rod from what holds its tip; world axes, about it: moment "
                             "x, y, z, force x, y, z");

static const field body_fields[] = {
    {TD_RECORD_BODIES, "position", "m", "of its frame, in the world: x, y, z", 3, .whole = false},
    {TD_RECORD_BODIES, "orientation", "1", "unit quaternion, body to world: w, x, y, z", 4,
     .whole = false},
    {TD_RECORD_BODIES, "velocity", "rad/s, rad/s, rad/s, m/s, m/s, m/s",
     "body frame: angular x, y, z, linear x, y, z", 6, .whole = false},
    {TD_RECORD_BODIES, "attached", "1", "0 while it does not ride on its rod", 1, .whole = true},
    REACTION("reaction", "of rods on the body; world axes, about its origin: moment x, y, z, "
                         "force x, y, z"),
};

static const field hold_reaction =
    REACTION("hold_reaction",
             "on the body from the world or the body that holds it; world axes, about its origin: "
             "moment x, y, z, force x, y, z");

enum { N_BODY_FIELDS = sizeof body_fields / sizeof body_fields[0] };

static const field obstacle_fields[] = {
    {TD_RECORD_CONTACT, "position", "m", "of its frame, in the world: x, y, z", 3, .whole = false},
    {TD_RECORD_CONTACT, "orientation", "1", "unit quaternion, its frame to world: w, x, y, z", 4,
     .whole = false},
    {TD_RECORD_CONTACT, "wrench", "N m, N m, N m, N, N, N",
     "of the robot on it; world axes, about its origin: moment x, y, z, force x, y, z", 6,
     .whole = false},
};

enum { N_OBSTACLE_FIELDS = sizeof obstacle_fields / sizeof obstacle_fields[0] };

static const char *const energy_about[N_ENERGY] = {
    "of motion", "stored in rods, tendons and gas", "potential in gravity",
    "by material damping, drag and friction, since the start",
    "done by loads, actuators and base motion, since the start"};

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

static void append_field(result_layout *l, const char *group, const field *f, int n_points) {
    result_series *s = append(l, group, f->name, f->unit, f->about);
    s->whole = f->whole;
    if (n_points > 0) s->dims[s->n_dims++] = n_points;
    if (f->components > 1) s->dims[s->n_dims++] = f->components;
    s->width = f->components * (n_points > 0 ? n_points : 1);
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
        rod->grows = fed_stretch_in(system, i);
        rod->n_points = scenario->record_points < 2 ? 2 : scenario->record_points;
        if (scenario->record_fields & TD_RECORD_POSE)
            append(l, rod->group, "length", "m", "outside its base");
        for (int k = 0; k < n_rod_fields; k++) {
            if (layout_along(system, scenario->record_fields) & rod_fields[k].flag)
                append_field(l, rod->group, &rod_fields[k], rod->n_points);
        }
        if (!(scenario->record_fields & TD_RECORD_REACTIONS)) continue;
        append_field(l, rod->group, &base_reaction, 0);
        if (td_rod_tip_held(system, i)) append_field(l, rod->group, &tip_reaction, 0);
    }
}

static result_group *append_group(result_layout *l, const char *parent, const char *link,
                                  const char *name) {
    result_group *g = &l->groups[l->n_groups++];
    snprintf(g->path, sizeof g->path, "%s%s%s", parent, link[0] ? "/" : "", link);
    snprintf(g->name, sizeof g->name, "%s", name);
    return g;
}

static void append_actuator(result_layout *l, const td_system *system, int i, int index,
                            const td_scenario *scenario) {
    static const field path = {TD_RECORD_POSE,
                               "path",
                               "m",
                               "from where it enters the rod to where it is fixed: x, y, z",
                               3,
                               .whole = false};
    const td_actuator_kind *kind = td_actuator_kind_of(system, i);
    const char *name = td_actuator_name(system, i);
    char link[128], all[64];
    snprintf(all, sizeof all, "/%s", kind->plural);
    if (index == 0) append_group(l, all, "", "");
    safe_link(link, sizeof link, name, kind->word, index);
    const char *group = append_group(l, all, link, name)->path;
    for (int k = 0; k < kind->n_recorded; k++) {
        const td_actuator_quantity *q = &kind->recorded[k];
        append(l, group, q->name, q->unit, q->about)->whole = q->whole;
    }
    if (kind->thin && scenario->record_fields & path.flag)
        append_field(l, group, &path, l->rods[0].n_points);
}

static void append_actuators(result_layout *l, const td_system *system,
                             const td_scenario *scenario) {
    const td_actuator_kind *before = NULL;
    for (int i = 0, index = 0; i < td_n_actuators(system); i++, index++) {
        const td_actuator_kind *kind = td_actuator_kind_of(system, i);
        if (kind != before) index = 0, before = kind;
        if (scenario->record_fields & kind->record) append_actuator(l, system, i, index, scenario);
    }
}

static void append_bodies(result_layout *l, const td_system *system, const td_scenario *scenario) {
    const int n = td_n_bodies(system);
    if (!(scenario->record_fields & TD_RECORD_BODIES) || n == 0) return;
    append_group(l, "/bodies", "", "");
    for (int i = 0; i < n; i++) {
        char link[128];
        safe_link(link, sizeof link, td_body_name(system, i), "body", i);
        const char *group = append_group(l, "/bodies", link, td_body_name(system, i))->path;
        for (int k = 0; k < N_BODY_FIELDS; k++)
            if (scenario->record_fields & body_fields[k].flag)
                append_field(l, group, &body_fields[k], 0);
        if (scenario->record_fields & TD_RECORD_REACTIONS && td_body_is_held(system, i))
            append_field(l, group, &hold_reaction, 0);
    }
}

static void append_obstacles(result_layout *l, const td_system *system) {
    const int n = td_n_obstacles(system);
    if (n == 0) return;
    append_group(l, "/obstacles", "", "");
    for (int i = 0; i < n; i++) {
        char link[128];
        const char *name = td_obstacle_name(system, i);
        safe_link(link, sizeof link, name, "obstacle", i);
        const char *group = append_group(l, "/obstacles", link, name)->path;
        for (int k = 0; k < N_OBSTACLE_FIELDS; k++) append_field(l, group, &obstacle_fields[k], 0);
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

// A series for each channel: "camera.x".
static void append_sensors(result_layout *l, const td_system *system) {
    for (int i = 0; i < td_n_sensors(system); i++)
        for (int c = 0; c < td_sensor_channels(system, i); c++) {
            char name[128], link[128];
            const char *unit = td_sensor_unit(system, i);
            td_sensor_channel(system, i, c, name, sizeof name);
            safe_link(link, sizeof link, name, "sensor", i);
            result_series *s =
                append(l, "/sensors", link, strcmp(unit, "1") ? unit : "", "latest reading");
            snprintf(s->name, sizeof s->name, "%s", name);
        }
}

static void append_energy(result_layout *l) {
    for (int i = 0; i < N_ENERGY; i++) append(l, "/energy", energy_names[i], "J", energy_about[i]);
}

static void append_solver(result_layout *l) {
    append(l, "/solver", "iterations", "1", "corrections since the last record")->whole = true;
    append(l, "/solver", "evaluations", "1", "evaluations of the rods since the last record")
        ->whole = true;
    append(l, "/solver", "fallbacks", "1",
           "times plain Newton was not enough, since the last record")
        ->whole = true;
    append(l, "/solver", "residual", "1", "largest scaled residual since the last record");
}

td_status layout_create(result_layout *l, const td_system *system, const td_scenario *scenario,
                        td_error *err) {
    const int n_rods = td_n_rods(system), n_bodies = td_n_bodies(system);
    const int n_actuators = td_n_actuators(system);
    const int n_obstacles = td_n_obstacles(system);
    int n_channels = 0;
    for (int i = 0; i < td_n_sensors(system); i++) n_channels += td_sensor_channels(system, i);
    const int n_groups = td_n_actuator_kinds() + 2 + n_actuators + n_bodies + n_obstacles;
    const int most = 1 + (3 + n_rod_fields) * n_rods + (N_VALUES + 1) * n_actuators +
                     (N_BODY_FIELDS + 1) * n_bodies + N_OBSTACLE_FIELDS * n_obstacles +
                     td_n_inputs(system) + n_channels + N_ENERGY + 4;
    *l = (result_layout){.n_rods = n_rods};
    l->rods = calloc((size_t)n_rods + 1, sizeof *l->rods);
    l->groups = calloc((size_t)n_groups, sizeof *l->groups);
    l->series = calloc((size_t)most, sizeof *l->series);
    if (!l->rods || !l->groups || !l->series) {
        layout_destroy(l);
        return error_set(err, TD_ERR_MEMORY, "result", "out of memory for the layout");
    }
    append(l, "", "time", "s", "time");
    append_rods(l, system, scenario);
    append_actuators(l, system, scenario);
    append_bodies(l, system, scenario);
    if (layout_along(system, scenario->record_fields) & TD_RECORD_CONTACT)
        append_obstacles(l, system);
    if (scenario->record_fields & TD_RECORD_INPUTS) append_inputs(l, system);
    if (scenario->record_fields & TD_RECORD_SENSORS) append_sensors(l, system);
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
    free(l->groups);
    free(l->series);
    *l = (result_layout){0};
}
