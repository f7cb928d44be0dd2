// What a result holds as one number per record, and its names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result.h"

typedef struct scalar_list {
    result_scalar *list;  // NULL: only count
    int n;
} scalar_list;

static void add(scalar_list *l, const char *owner, const char *name, const char *unit,
                const double *values, int stride) {
    if (!values) return;
    if (l->list) {
        result_scalar *s = &l->list[l->n];
        *s = (result_scalar){.values = values, .stride = stride};
        snprintf(s->name, sizeof s->name, "%s%s%s", owner, owner[0] ? "." : "", name);
        snprintf(s->unit, sizeof s->unit, "%s", unit);
    }
    l->n++;
}

// Components side by side, from `values` on.
static void add_vector(scalar_list *l, const char *owner, const char *const *names, int n,
                       const char *unit, const double *values, int stride) {
    for (int i = 0; values && i < n; i++) add(l, owner, names[i], unit, values + i, stride);
}

static const char *const position_names[] = {"x", "y", "z"};
static const char *const orientation_names[] = {"qw", "qx", "qy", "qz"};
static const char *const angular_names[] = {"omega_x", "omega_y", "omega_z"};
static const char *const linear_names[] = {"velocity_x", "velocity_y", "velocity_z"};

static const char *const moment_names[] = {"moment_x", "moment_y", "moment_z"};
static const char *const force_names[] = {"force_x", "force_y", "force_z"};

static void add_reaction(scalar_list *l, const char *owner, const double *values) {
    if (!values) return;
    add_vector(l, owner, moment_names, 3, "N m", values, 6);
    add_vector(l, owner, force_names, 3, "N", values + 3, 6);
}

// Under "tip" of the only rod, and under its name.
static void add_tip(scalar_list *l, const char *owner, const result_rod *rod) {
    int n = rod->n_points, tip = n - 1;
    if (rod->position) add_vector(l, owner, position_names, 3, "m", rod->position + 3 * tip, 3 * n);
    if (rod->orientation)
        add_vector(l, owner, orientation_names, 4, "", rod->orientation + 4 * tip, 4 * n);
    if (!rod->velocity) return;
    add_vector(l, owner, angular_names, 3, "rad/s", rod->velocity + 6 * tip, 6 * n);
    add_vector(l, owner, linear_names, 3, "m/s", rod->velocity + 6 * tip + 3, 6 * n);
}

static void add_rods(scalar_list *l, const result *r) {
    if (r->n_rods == 1) add_tip(l, "tip", &r->rods[0]);
    for (int i = 0; i < r->n_rods; i++) {
        char owner[160];
        snprintf(owner, sizeof owner, "rod.%s", r->rods[i].name);
        add(l, owner, "length", "m", r->rods[i].length_now, 1);
        snprintf(owner, sizeof owner, "rod.%s.base_reaction", r->rods[i].name);
        add_reaction(l, owner, r->rods[i].base_reaction);
        snprintf(owner, sizeof owner, "rod.%s.tip_reaction", r->rods[i].name);
        add_reaction(l, owner, r->rods[i].tip_reaction);
        snprintf(owner, sizeof owner, "rod.%s.tip", r->rods[i].name);
        add_tip(l, owner, &r->rods[i]);
    }
}

static void add_actuator(scalar_list *l, const result_actuator *a) {
    char owner[160];
    snprintf(owner, sizeof owner, "%.20s.%s", a->kind->word, a->name);
    for (int k = 0; k < a->kind->n_recorded; k++) {
        const td_actuator_quantity *q = &a->kind->recorded[k];
        add(l, owner, q->name, strcmp(q->unit, "1") ? q->unit : "", a->values[value_number(q)], 1);
    }
}

static void add_body(scalar_list *l, const result_body *b) {
    char owner[160];
    snprintf(owner, sizeof owner, "body.%s", b->name);
    add_vector(l, owner, position_names, 3, "m", b->position, 3);
    add_vector(l, owner, orientation_names, 4, "", b->orientation, 4);
    add_vector(l, owner, angular_names, 3, "rad/s", b->velocity, 6);
    add_vector(l, owner, linear_names, 3, "m/s", b->velocity + 3, 6);
    add(l, owner, "attached", "", b->attached, 1);
    snprintf(owner, sizeof owner, "body.%s.reaction", b->name);
    add_reaction(l, owner, b->reaction);
    snprintf(owner, sizeof owner, "body.%s.hold_reaction", b->name);
    add_reaction(l, owner, b->hold_reaction);
}

static void add_obstacle(scalar_list *l, const result_obstacle *o) {
    char owner[160];
    snprintf(owner, sizeof owner, "obstacle.%s", o->name);
    add_reaction(l, owner, o->wrench);
    add_vector(l, owner, position_names, 3, "m", o->position, 3);
    add_vector(l, owner, orientation_names, 4, "", o->orientation, 4);
}

static void add_all(scalar_list *l, const result *r) {
    add(l, "", "time", "s", r->time, 1);
    add_rods(l, r);
    for (int i = 0; i < r->n_actuators; i++) add_actuator(l, &r->actuators[i]);
    for (int i = 0; i < r->n_bodies; i++) add_body(l, &r->bodies[i]);
    for (int i = 0; i < r->n_obstacles; i++) add_obstacle(l, &r->obstacles[i]);
    for (int i = 0; i < r->n_inputs; i++)
        add(l, "input", r->inputs[i].name, r->inputs[i].unit, r->inputs[i].value, 1);
    for (int i = 0; i < r->n_sensors; i++)
        add(l, "sensor", r->sensors[i].name, r->sensors[i].unit, r->sensors[i].value, 1);
    for (int i = 0; i < N_ENERGY; i++) add(l, "energy", energy_names[i], "J", r->energy[i], 1);
    add(l, "solver", "iterations", "", r->iterations, 1);
    add(l, "solver", "evaluations", "", r->evaluations, 1);
    add(l, "solver", "residual", "", r->residual, 1);
}

result_scalar *scalars_of(const result *r, int *n) {
    scalar_list l = {0};
    add_all(&l, r);
    *n = l.n;
    l = (scalar_list){.list = calloc((size_t)l.n + 1, sizeof *l.list)};
    if (l.list) add_all(&l, r);
    return l.list;
}
