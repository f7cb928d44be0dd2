// sim/fingerprint.c - what fixes the meaning of a snapshot: the version, the model with everything
// that it may be told, inputs by name, the parts, and where loads cut the rods. How hard the solver
// tries, how large loads are and what drives anything may differ: a trajectory can go on under others.
#include <string.h>

#include "base/hash.h"
#include "sim/system.h"

static void add_doubles(hash *h, const double *values, int n) {
    *h = hash_bytes(*h, values, sizeof *values * (size_t)n);
}

static void add_ints(hash *h, const int *values, int n) {
    for (int i = 0; i < n; i++) *h = hash_word(*h, (uint64_t)values[i]);
}

// With its end, so that "a", "bc" is not "ab", "c".
static void add_text(hash *h, const char *text) {
    *h = hash_bytes(hash_word(*h, strlen(text)), text, strlen(text));
}

#define ADD_INTS(h, ...)                                                                           \
    add_ints(h, (const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))
#define ADD_DOUBLES(h, ...)                                                                        \
    add_doubles(h, (const double[]){__VA_ARGS__},                                                  \
                (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

// ---------------------------------------------------------------- options
static void add_model_options(hash *h, const td_options *o) {
    const td_virtual_power_options *v = &o->virtual_power;
    const td_lumped_options *l = &o->lumped;
    const td_constant_curvature_options *c = &o->constant_curvature;
    const td_rom_options *r = &o->rom;
    ADD_INTS(h, v->discs, v->torsion, v->whole_discs, v->rods_held, (int)v->contact,
             v->one_direction, v->friction_iterations, v->printed_omega, v->printed_elasticity,
             v->printed_moment);
    ADD_DOUBLES(h, v->damping, v->saturation);
    ADD_INTS(h, l->segments, l->as_printed, (int)l->material, l->mean_stretch);
    ADD_DOUBLES(h, l->damping_power, l->braid_angle);
    ADD_INTS(h, c->segments, c->present_length, c->radial_damping, c->printed_scaling);
    ADD_INTS(h, r->order, (int)r->rotation, (int)r->quadrature, r->as_printed);
}

static void add_options(hash *h, const td_options *o) {
    add_text(h, o->model);
    ADD_INTS(h, (int)o->theory, o->rotary_inertia, (int)o->space, (int)o->integrator,
             (int)o->history, o->steps, o->nodes, o->magnus, (int)o->scheme, (int)o->startup,
             (int)o->integration.method);
    ADD_DOUBLES(h, o->alpha);
    add_model_options(h, o);
}

// ---------------------------------------------------------------- parts
static void add_piece(hash *h, const td_piece_def *piece) {
    for (int i = 0; i <= 2; i++) {
        td_section_properties p = piece_properties(piece, 0.5 * i);  // doubles only
        *h = hash_bytes(*h, &p, sizeof p);
    }
    add_doubles(h, &piece->length, 1);
    add_doubles(h, piece->drag, 3);
    add_doubles(h, piece->linear_drag, 3);
    add_doubles(h, piece->rest_curvature, 3);
    add_doubles(h, piece->rest_stretch, 3);
}

static void add_joint(hash *h, td_joint joint, int body, const double axis[3],
                      const double axis2[3]) {
    add_ints(h, (const int[]){(int)joint, body}, 2);
    if (joint == TD_REVOLUTE || joint == TD_UNIVERSAL) add_doubles(h, axis, 3);
    if (joint == TD_UNIVERSAL) add_doubles(h, axis2, 3);
}

static void add_rod(hash *h, const robot_rod *rod) {
    const td_base_def *base = &rod->base;
    const td_tip_def *tip = &rod->tip;
    add_ints(h, &rod->n_pieces, 1);
    for (int k = 0; k < rod->n_pieces; k++) add_piece(h, &rod->pieces[k]);
    add_doubles(h, base->orientation, 4);
    for (int k = 0; k < 3; k++) {
        add_doubles(h, &base->position[k].value, 1);
        add_doubles(h, &base->rotation[k].value, 1);
    }
    add_doubles(h, (const double[]){rod->feed.value, rod->feed.gain}, 2);
    add_joint(h, base->joint, base->body, base->axis, base->axis2);
    add_ints(h, (const int[]){tip->held}, 1);
    if (!tip->held) return;
    add_joint(h, tip->joint, tip->body, tip->axis, tip->axis2);
    add_doubles(h, tip->position, 3);
    add_doubles(h, tip->orientation, 4);
}

static void add_body(hash *h, const td_body_def *b) {
    add_ints(h, &b->rod, 1);
    add_doubles(h, (const double[]){b->rod < 0 ? 0.0 : b->at, b->mass}, 2);
    add_doubles(h, b->inertia, 3);
    add_doubles(h, b->centre, 3);
    if (b->rod >= 0) return;
    add_doubles(h, b->position, 3);
    add_doubles(h, b->orientation, 4);
}

static void add_tendon(hash *h, const td_tendon_def *t) {
    add_ints(h, (const int[]){t->rod, (int)t->routing, (int)t->input, t->n_points}, 4);
    add_doubles(h,
                (const double[]){t->from, t->to, t->radius, t->turns, t->phase, t->stiffness,
                                 t->outside, t->compliance, t->pretension, t->friction,
                                 t->presliding, t->viscous, t->bending, t->torsion,
                                 t->mass_per_length, t->pushes ? 1.0 : 0.0},
                16);
    add_doubles(h, t->offset, 2);
    add_doubles(h, t->offset_end, 2);
    if (goes_through_points(t)) add_doubles(h, t->points, 3 * t->n_points);
}

static void add_chamber(hash *h, const td_chamber_def *c) {
    add_ints(h, (const int[]){c->rod, (int)c->input, c->path_volume}, 3);
    add_doubles(
        h, (const double[]){c->from, c->to, c->radius, c->area, c->temperature, c->atmosphere}, 6);
    add_doubles(h, c->offset, 2);
}

// A load within a rod cuts it in two; at its ends, or on a body, it does not.
static void add_cut(hash *h, const td_robot *robot, const td_load_def *l, double s) {
    if (s > 0.0 && s < robot->rods[l->rod].length) add_doubles(h, &s, 1);
}

static void add_load(hash *h, const td_robot *robot, const td_load_def *l) {
    if (l->rod < 0) return;
    add_cut(h, robot, l, l->from);
    if (l->distributed) add_cut(h, robot, l, l->to);
}

static void add_parts(hash *h, const td_robot *r) {
    ADD_INTS(h, r->n_inputs, r->n_rods, r->n_bodies, r->n_tendons, r->n_chambers);
    for (int i = 0; i < r->n_inputs; i++) add_text(h, r->inputs[i].name);
    for (int i = 0; i < r->n_rods; i++) add_rod(h, &r->rods[i]);
    for (int i = 0; i < r->n_bodies; i++) add_body(h, &r->bodies[i].def);
    for (int i = 0; i < r->n_tendons; i++) add_tendon(h, &r->tendons[i].def);
    for (int i = 0; i < r->n_chambers; i++) add_chamber(h, &r->chambers[i].def);
    for (int i = 0; i < r->n_loads; i++) add_load(h, r, &r->loads[i].def);
}

double fingerprint_of(const td_system *system, const td_robot *robot) {
    hash h = HASH_START;
    add_text(&h, td_version());
    add_options(&h, &system->options);
    h = hash_word(h, system->keep_bytes);
    add_parts(&h, robot);
    return (double)(h >> 11);  // 53 bits: exact in a double
}
