// model/cosserat/output_slopes.c - how outputs answer to small motions, from directions (slopes.h): with the motion
// (phi, dp) of a section or body and the changes of fields that come with it,
//
//     pose      (phi, dp)
//     velocity  R d(w, q) + phi x R (w, q)          from (w, q) in its own axes
//     strain    the polynomial through the nodes
//
// lengths and volumes by the strains, efforts as they are given or as multipliers.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quadrature.h"
#include "model/cosserat/columns.h"
#include "model/cosserat/motion.h"
#include "model/cosserat/slopes.h"

typedef struct output_columns {
    const assembly_problem *p;
    int m;                          // of columns
    bool rates;                     // they are changes of rates alone
    const double *change;           // (n_change x m)
    const double *fields, *bounds;  // (n_fields x m), (rod_bound x m)
    double *motion, *velocity;      // (6 x m) of the section in progress
    double *row;                    // (n_change) of a measure
} output_columns;

typedef struct output_room {   // for small motions
    double *change, *history;  // (n_change x m), (n_fields x m)
    double *fields, *bounds;   // (n_fields x m), (rod_bound x m)
    double *outputs;           // of output_columns
    mat3 *present;             // (n_bodies)
    double *scratch;
} output_room;

static output_columns columns_in(const assembly_problem *p, int m, double *at) {
    output_columns s = {.p = p, .m = m, .motion = at, .velocity = at + 6 * m};
    s.row = s.velocity + 6 * m;
    return s;
}

static size_t place(const cosserat *c, const assembly *a, double *at, output_room *out) {
    const size_t change = (size_t)n_change(a), fields = (size_t)n_fields(c, a),
                 bounds = (size_t)rod_bound(c, a, a->n_rods);
    double **const parts[] = {&out->change, &out->history, &out->fields, &out->bounds,
                              &out->outputs};
    const size_t sizes[] = {change, fields, fields, bounds, 12 + change};
    return directions_place(c, a, 5, parts, sizes, &out->present, &out->scratch, at);
}

size_t motion_output_scratch(const cosserat *c, const assembly *a) {
    output_room none;
    return place(c, a, NULL, &none);
}

// ---------------------------------------------------------------- sections and bodies
// A section or a body as it is: where its motion and its velocities are among the columns.
typedef struct place_of_output {
    int rod;     // of the assembly, or
    int body;    // of the assembly; -1: a section
    int bound;   // first of 12 rows of bounds, to which `own` is added
    int fields;  // first of 6 rows of velocities; of sections: -1
    int element, per_node;
    bool within;  // it lies within its element
    double weights[GAUSS_MAX];
    double own[6 * 6 * GAUSS_MAX];  // (6 x unknowns of the element)
    se3 T;
    vec3 w, q;  // in its own axes
} place_of_output;

static int rod_of(const assembly *a, int index) {
    for (int i = 0; i < a->n_rods; i++)
        if (a->rods[i] == index) return i;
    return -1;
}

static void locate_section(const assembly_problem *p, int i, double s, place_of_output *out) {
    const rod_problem *one = &p->own->problems[i];
    const int k = p->c->scheme->ports->section(one, s, out->weights, out->own);
    const element *e = &one->r->elements[k];
    out->rod = i, out->body = -1, out->element = k, out->fields = -1;
    out->within = s < e->s0 + e->length;
    out->per_node = unknowns_per_node(one->r);
    out->bound = rod_bound(p->c, p->a, i) + 12 * (k + !out->within);
    out->T = p->c->scheme->ports->pose(one, s);
    out->w = out->q = vec3_zero();
    for (int j = 0; j < e->n_nodes; j++) {
        const double *y = one->m->trial + (size_t)(e->node + j) * Y_SIZE;
        out->w = vec3_madd(out->w, out->weights[j], vec3_load(y + Y_W));
        out->q = vec3_madd(out->q, out->weights[j], vec3_load(y + Y_Q));
    }
}

static bool locate_rider(const assembly_problem *p, int body, place_of_output *out) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod_problem *one = &p->own->problems[i];
        for (int k = 0; k < one->r->n_elements; k++)
            for (int j = 0; j < one->r->elements[k].n_riders; j++) {
                if (one->r->elements[k].riders[j].body != body) continue;
                const double *y = one->m->trial_bounds + (size_t)(k + 1) * Y_SIZE;
                *out = (place_of_output){.rod = i,
                                         .body = -1,
                                         .bound = rod_bound(p->c, p->a, i) + 12 * (k + 1),
                                         .fields = end_field(p->c, p->a, i) + 6 * k,
                                         .T = state_pose(y),
                                         .w = vec3_load(y + Y_W),
                                         .q = vec3_load(y + Y_Q)};
                return true;
            }
    }
    return false;
}

static bool locate_body(const assembly_problem *p, int body, place_of_output *out) {
    for (int k = 0; k < p->a->n_bodies; k++) {
        const int index = p->a->bodies[k];
        const double *f = p->m->bodies[index].trial;
        if (p->c->bodies[index].body != body) continue;
        *out = (place_of_output){.rod = -1,
                                 .body = k,
                                 .fields = body_field(p->c, p->a, k) + B_W,
                                 .T = p->own->bodies[k].T,
                                 .w = vec3_load(f + B_W),
                                 .q = vec3_load(f + B_Q)};
        return true;
    }
    return locate_rider(p, body, out);
}

// False: it belongs to another part.
static bool locate(const assembly_problem *p, const td_output *o, place_of_output *out) {
    if (o->body >= 0 && o->quantity != TD_OUTPUT_STRAIN) return locate_body(p, o->body, out);
    const int i = rod_of(p->a, o->rod);
    if (i < 0) return false;
    // a point keeps its share of the length while a rod is fed
    const double now = p->own->problems[i].r->length, compiled = p->c->rods[p->a->rods[i]].length;
    locate_section(p, i, now == compiled ? o->s : fmin(now, o->s * (now / compiled)), out);
    return true;
}

// ---------------------------------------------------------------- columns
// s->motion: rotation and translation in the world.
static void move(const output_columns *s, const place_of_output *at) {
    const assembly_problem *p = s->p;
    const int m = s->m;
    const size_t w = (size_t)m;
    const double *z = at->body < 0
                          ? s->bounds + (size_t)at->bound * w
                          : s->change + (size_t)(p->a->first[p->a->n_rods] + 6 * at->body) * w;
    memset(s->motion, 0, sizeof(double) * 6 * w);
    if (s->rates) return;
    memcpy(s->motion, z, sizeof(double) * 6 * w);
    if (at->within) {
        const element *e = &p->own->problems[at->rod].r->elements[at->element];
        const int first = p->a->first[at->rod] + at->per_node * e->node;
        dense_madd(6, at->per_node * e->n_nodes, m, 1.0, at->own, s->change + (size_t)first * w,
                   s->motion);
    }
    columns_add_cross(-1.0, at->T.p, s->motion, m, s->motion + 3 * m);  // dp = z_l + phi x p
}

// s->velocity: angular and linear, in the world; the motion is known.
static void turn(const output_columns *s, const place_of_output *at) {
    const assembly_problem *p = s->p;
    const int m = s->m;
    double own[6 * WIDEST];
    memset(own, 0, sizeof own);
    if (at->fields >= 0) {
        memcpy(own, s->fields + at->fields * m, sizeof(double) * 6 * (size_t)m);
    } else {
        const element *e = &p->own->problems[at->rod].r->elements[at->element];
        const int first = rod_field(p->c, p->a, at->rod) + F_SIZE * e->node + F_W;
        for (int j = 0; j < e->n_nodes; j++)
            columns_add(6 * m, at->weights[j], s->fields + (first + F_SIZE * j) * m, own);
    }
    for (int part = 0; part < 2; part++) {
        double *to = s->velocity + 3 * part * m;
        columns_multiply(&at->T.R, own + 3 * part * m, m, to);
        columns_add_cross(-1.0, mat3_mul_vec(&at->T.R, part ? at->q : at->w), s->motion, m, to);
    }
}

// Rows of s->motion, by the nodes: changes of strains.
static void strain(const output_columns *s, const place_of_output *at) {
    const assembly_problem *p = s->p;
    const element *e = &p->own->problems[at->rod].r->elements[at->element];
    const int m = s->m, d = at->per_node;
    memset(s->motion, 0, sizeof(double) * 6 * (size_t)m);
    for (int j = 0; j < e->n_nodes && !s->rates; j++)
        columns_add(d * m, at->weights[j],
                    s->change + (p->a->first[at->rod] + d * (e->node + j)) * m, s->motion);
}

// ---------------------------------------------------------------- actuators
// The rod of the assembly that an actuator runs along, and which of its actuators it is; false: another part's.
static bool locate_actuator(const assembly_problem *p, int index, int *i, int *which) {
    const actuator *a = &p->c->actuators[index];
    *i = rod_of(p->a, a->rod);
    if (*i < 0) return false;
    const rod *r = &p->c->rods[p->a->rods[*i]];
    for (*which = 0; r->actuators[*which].a != a; (*which)++) {
    }
    return true;
}

// False: it answers to the stretch that sections follow, too.
static bool measure(const output_columns *s, int index) {
    const assembly_problem *p = s->p;
    int on, which;
    memset(s->motion, 0, sizeof(double) * (size_t)s->m);
    if (s->rates || !locate_actuator(p, index, &on, &which)) return true;
    if (rod_has_sections_that_follow(&p->c->rods[p->a->rods[on]])) return false;
    const int first = p->a->first[on], n = p->a->first[on + 1] - first;
    p->c->scheme->ports->by_strain(&p->own->problems[on], which, s->row);
    for (int i = 0; i < n; i++)
        if (s->row[i] != 0.0)
            columns_add(s->m, s->row[i], s->change + (first + i) * s->m, s->motion);
    return true;
}

// Given: by its input, once. Found: it is one of the multipliers.
static bool effort(const output_columns *s, int index, double *by_input) {
    const assembly_problem *p = s->p;
    int on, which;
    memset(s->motion, 0, sizeof(double) * (size_t)s->m);
    if (!locate_actuator(p, index, &on, &which)) return true;
    const rod_problem *one = &p->own->problems[on];
    const rod_actuator *ra = &one->r->actuators[which];
    const bool given = ra->a->control == CONTROL_EFFORT;
    const int row = p->a->first[on + 1] - one->r->n_efforts + ra->effort + ra->n_efforts - 1;
    const double now = given ? one->m->given[which] : p->own->points[3][row];
    if (!given && ra->n_efforts == 0) return false;
    if (is_slack(ra, now)) return true;
    if (!given && !s->rates)
        memcpy(s->motion, s->change + row * s->m, sizeof(double) * (size_t)s->m);
    if (given && ra->a->value.gain != 0.0)
        by_input[ra->a->value.input] = ra->a->value.gain * actuator_given_slope(ra->a, p->inputs);
    return true;
}

// ---------------------------------------------------------------- all of it
// Its rows into s->motion or s->velocity, which is returned; NULL: there are none.
static const double *answer(const output_columns *s, const td_output *o, double *by_input) {
    place_of_output at = {0};
    switch (o->quantity) {
    case TD_OUTPUT_REACTION: return NULL;
    case TD_OUTPUT_DRIVE: memset(s->motion, 0, sizeof(double) * 6 * (size_t)s->m); return s->motion;
    case TD_OUTPUT_EFFORT: return effort(s, o->actuator, by_input) ? s->motion : NULL;
    case TD_OUTPUT_MEASURE: return measure(s, o->actuator) ? s->motion : NULL;
    case TD_OUTPUT_POSE:
    case TD_OUTPUT_VELOCITY:
    case TD_OUTPUT_STRAIN: break;
    }
    memset(s->motion, 0, sizeof(double) * 6 * (size_t)s->m);
    if (!locate(s->p, o, &at)) return s->motion;
    if (o->quantity == TD_OUTPUT_STRAIN) strain(s, &at);
    else move(s, &at);
    if (o->quantity != TD_OUTPUT_VELOCITY) return s->motion;
    turn(s, &at);
    return s->velocity;
}

// Columns from `first` on of `to` (n_y x n) += what s has of the outputs.
static bool add_answers(const output_columns *s, const output_slopes *out, int first, double *to) {
    double *by_input = out->by_input;
    to += first;
    for (int i = 0; i < out->n_outputs; i++) {
        const td_quantity what = out->outputs[i].quantity;
        const int size = what == TD_OUTPUT_DRIVE                                 ? 5
                         : what == TD_OUTPUT_EFFORT || what == TD_OUTPUT_MEASURE ? 1
                                                                                 : 6;
        const double *rows = answer(s, &out->outputs[i], by_input);
        if (!rows) return false;
        for (int k = 0; k < size; k++, to += out->n, by_input += out->n_inputs)
            columns_add(s->m, 1.0, rows + k * s->m, to);
    }
    return true;
}

bool outputs_along(const assembly_problem *p, int m, const double *change, const double *fields,
                   const double *bounds, const output_slopes *out, double *scratch) {
    output_columns s = columns_in(p, m, scratch);
    s.change = change, s.fields = fields, s.bounds = bounds;
    return add_answers(&s, out, 0, out->by_z);
}

// m of the directions z, or z', from `first` on.
static bool add_directions(const assembly_problem *p, const output_room *room, bool rates,
                           int first, int m, const output_slopes *out) {
    memset(room->change, 0, sizeof(double) * (size_t)(n_change(p->a) * m));
    memset(room->history, 0, sizeof(double) * (size_t)(n_fields(p->c, p->a) * m));
    if (rates) direct_rates(p, room->present, first, m, room->history);
    else direct_z(p, first, m, room->change, room->history);
    const assembly_directions d = {.m = m,
                                   .change = rates ? NULL : room->change,
                                   .history = room->history,
                                   .fields = room->fields,
                                   .bounds = room->bounds};
    directions_of_assembly(p, &d, room->scratch);
    output_columns s = columns_in(p, m, room->outputs);
    s.rates = rates, s.change = room->change, s.fields = room->fields, s.bounds = room->bounds;
    return add_answers(&s, out, first, rates ? out->by_rate : out->by_z);
}

static bool any_velocity(const output_slopes *out) {
    for (int i = 0; i < out->n_outputs; i++)
        if (out->outputs[i].quantity == TD_OUTPUT_VELOCITY) return true;
    return false;
}

bool motion_output_slopes(void *of, const solve_instant *at, const configuration *c,
                          const output_slopes *out, double *scratch) {
    assembly_problem *p = of;
    const assembly *a = p->a;
    char why[MODEL_MESSAGE_SIZE];
    solve_instant shape = *at;
    shape.odd = true;  // no output here answers to accelerations
    if (!assembly_has_slopes(p->c, a, why) || !motion_move(p, &shape, c)) return false;
    assembly_publish(p);
    output_room room;
    place(p->c, a, scratch, &room);
    for (int k = 0; k < a->n_bodies; k++) room.present[k] = p->own->bodies[k].T.R;
    const int n[2] = {n_change(a), p->own->n_moving};
    for (int rates = 0; rates < 1 + any_velocity(out); rates++)
        for (int first = 0; first < n[rates]; first += WIDEST) {
            const int m = n[rates] - first < WIDEST ? n[rates] - first : WIDEST;
            if (!add_directions(p, &room, rates, first, m, out)) return false;
        }
    return true;
}
