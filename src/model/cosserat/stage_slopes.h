// model/cosserat/stage_slopes.h - what the files of a step's derivative share: where things are in the columns of the state,
// and slopes against inputs.
#pragma once

#include "model/cosserat/contact.h"
#include "model/cosserat/step_slopes.h"

// ---------------------------------------------------------------- the state
static inline int n_coordinates_of(const cosserat *c, const assembly *a) {
    int n = 6 * a->n_bodies;
    for (int i = 0; i < a->n_rods; i++)
        n += a->first[i + 1] - a->first[i] - c->rods[a->rods[i]].n_efforts;
    return n;
}

static inline int first_coordinate(const cosserat *c, int index) {
    int n = 0;
    for (int i = 0; i < index; i++) n += n_coordinates_of(c, &c->assemblies[i]);
    return n;
}

static inline int first_field(const cosserat *c, int index) {
    int n = 0;
    for (int i = 0; i < index; i++) n += n_fields(c, &c->assemblies[i]);
    return n;
}

static inline bool is_one_step(const cosserat *c) {
    return c->options.scheme == TD_SDIRK2 || c->options.scheme == TD_BACKWARD_EULER;
}

// ---------------------------------------------------------------- what is remembered
static inline int n_kept_of(const cosserat *c, int points) {
    return CONTACT_KEPT * c->n_obstacles * points;
}

static inline int first_point(const cosserat *c, int index) {
    int n = 0;
    for (int i = 0; i < index; i++) n += touch_points(c, &c->assemblies[i]);
    return n;
}

// Numbers of an assembly beside its fields: poses of its points and what is kept there.
static inline int n_beside(const cosserat *c, const assembly *a) {
    return 6 * touch_points(c, a) + n_kept_of(c, touch_points(c, a));
}

// An edge grips by clip(g + (del - del_0)/presliding) (actuation/friction.h), so that all that it remembers is
//
//     c = g - del_0/presliding
//
// which stays while it sticks. The number of the state is dg, at strains that stay: dc = dg - (del_z dz)/presliding.
static inline int first_grip(const cosserat *c, int of) {
    int n = 0;
    for (int i = 0; i < of; i++)
        if (rod_rubs(&c->rods[i])) n += c->rods[i].n_points;
    return n;
}

// ---------------------------------------------------------------- flow_columns.c
// Springs of sections that relax: the last numbers of the state.
int flow_columns_count(const cosserat *c, int n_assemblies);  // of the first ones
void flow_columns_begin(step_columns *s);
// Of an assembly: R += what was there before does, over a part of the step of dt; and what is left of it where that ends.
void flow_columns_load(const assembly_problem *p, const step_columns *s, double dt);
void flow_columns_take(const assembly_problem *p, const step_columns *s, double dt);

// ---------------------------------------------------------------- columns of inputs
// Of inputs that are asked for: all at the start, all at the end, and where rates count these.
static inline bool is_asked(const step_columns *s, int input) {
    return s->among[input] >= 0;
}
static inline int start_column(const step_columns *s, int input) {
    return s->out->n + s->among[input];
}
static inline int end_column(const step_columns *s, int input) {
    return s->out->n + s->n_a + s->among[input];
}
static inline int start_rate_column(const step_columns *s, int input) {
    return s->out->n + 2 * s->n_a + s->among[input];
}
static inline int end_rate_column(const step_columns *s, int input) {
    return s->out->n + 3 * s->n_a + s->among[input];
}
// Where column j is in the answer, which has all inputs.
static inline int told_column(const step_columns *s, int j) {
    const int n = s->out->n, k = j - n;
    return k < 0 ? j : n + k / s->n_a * s->n_u + s->asked[k % s->n_a];
}

// ---------------------------------------------------------------- against inputs
typedef enum input_role { AS_LOAD, AS_PLACE, AS_RATE, N_ROLES } input_role;

// Poses of points that touch, about which inputs are changed.
void stage_keep_center(const step_columns *s, const assembly_problem *p);
// by (n_change + n_fields + n_beside): what one number of the inputs, in this role, does at a point.
void stage_slope_of_input(const step_columns *s, assembly_problem *p, const double *point,
                          input_role role, int input, double *by);
// How much of an input at the start, at the end, and of its rate at the end there is in each role within the step.
void stage_input_weights(const step_columns *s, const substep *sub, double w[N_ROLES][3]);
// A column of `to` (n x m) += factor by
void stage_add_column(int n, const double *by, double factor, int m, int column, double *to);
// A row of the answer; columns that are not computed are 0.
void stage_put_row(const step_columns *s, const double *from, double *to);
