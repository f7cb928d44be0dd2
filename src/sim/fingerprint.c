// sim/fingerprint.c - FNV-1a over what fixes the meaning of a snapshot: model, schemes, and the
// parts as they are. Loads, and what drives anything, may differ: a trajectory can go on under others.
#include <string.h>

#include "robot/route.h"
#include "sim/system.h"

typedef unsigned long long hash;

static void hash_bytes(hash *h, const void *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        *h = (*h ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
}

static void hash_doubles(hash *h, const double *values, int n) {
    hash_bytes(h, values, sizeof *values * (size_t)n);
}

static void hash_ints(hash *h, const int *values, int n) {
    hash_bytes(h, values, sizeof *values * (size_t)n);
}

static void hash_piece(hash *h, const td_piece_def *piece) {
    for (int i = 0; i <= 2; i++) {
        td_section_properties p = piece_properties(piece, 0.5 * i);  // doubles only
        hash_bytes(h, &p, sizeof p);
    }
    hash_doubles(h, &piece->length, 1);
    hash_doubles(h, piece->drag, 3);
    hash_doubles(h, piece->linear_drag, 3);
    hash_doubles(h, piece->rest_curvature, 3);
    hash_doubles(h, piece->rest_stretch, 3);
}

static void hash_joint(hash *h, td_joint joint, int body, const double axis[3],
                       const double axis2[3]) {
    hash_ints(h, (const int[]){(int)joint, body}, 2);
    if (joint == TD_REVOLUTE || joint == TD_UNIVERSAL) hash_doubles(h, axis, 3);
    if (joint == TD_UNIVERSAL) hash_doubles(h, axis2, 3);
}

static void hash_rod(hash *h, const robot_rod *rod) {
    const td_base_def *base = &rod->base;
    const td_tip_def *tip = &rod->tip;
    for (int k = 0; k < rod->n_pieces; k++) hash_piece(h, &rod->pieces[k]);
    hash_doubles(h, base->orientation, 4);
    for (int k = 0; k < 3; k++) {
        hash_doubles(h, &base->position[k].value, 1);
        hash_doubles(h, &base->rotation[k].value, 1);
    }
    hash_doubles(h, (const double[]){rod->feed.value, rod->feed.gain}, 2);
    hash_joint(h, base->joint, base->body, base->axis, base->axis2);
    hash_ints(h, (const int[]){tip->held}, 1);
    if (!tip->held) return;
    hash_joint(h, tip->joint, tip->body, tip->axis, tip->axis2);
    hash_doubles(h, tip->position, 3);
    hash_doubles(h, tip->orientation, 4);
}

static void hash_body(hash *h, const td_body_def *b) {
    hash_ints(h, &b->rod, 1);
    hash_doubles(h, (const double[]){b->rod < 0 ? 0.0 : b->at, b->mass}, 2);
    hash_doubles(h, b->inertia, 3);
    hash_doubles(h, b->centre, 3);
}

static void hash_tendon(hash *h, const td_tendon_def *t) {
    hash_ints(h, (const int[]){t->rod, (int)t->routing, (int)t->input, t->n_points}, 4);
    hash_doubles(h, (const double[]){t->from, t->to, t->radius, t->turns, t->phase, t->stiffness,
                                     t->outside, t->compliance, t->pretension, t->friction,
                                     t->presliding, t->viscous, t->bending, t->torsion,
                                     t->mass_per_length, t->pushes ? 1.0 : 0.0}, 16);
    hash_doubles(h, t->offset, 2);
    hash_doubles(h, t->offset_end, 2);
    if (goes_through_points(t)) hash_doubles(h, t->points, 3 * t->n_points);
}

static void hash_chamber(hash *h, const td_chamber_def *c) {
    hash_ints(h, (const int[]){c->rod, (int)c->input, c->path_volume}, 3);
    hash_doubles(h, (const double[]){c->from, c->to, c->radius, c->area, c->temperature,
                                     c->atmosphere}, 6);
    hash_doubles(h, c->offset, 2);
}

double fingerprint_of(const td_system *system, const td_robot *robot) {
    hash h = 14695981039346656037ull;
    const td_options *o = &system->options;
    const int choices[] = {(int)o->theory, (int)o->scheme, (int)o->space, o->rotary_inertia,
                           o->nodes, o->steps};
    hash_bytes(&h, system->model->name, strlen(system->model->name));
    hash_bytes(&h, choices, sizeof choices);
    hash_bytes(&h, &system->keep_bytes, sizeof system->keep_bytes);
    for (int i = 0; i < robot->n_rods; i++) hash_rod(&h, &robot->rods[i]);
    for (int i = 0; i < robot->n_bodies; i++) hash_body(&h, &robot->bodies[i].def);
    for (int i = 0; i < robot->n_tendons; i++) hash_tendon(&h, &robot->tendons[i].def);
    for (int i = 0; i < robot->n_chambers; i++) hash_chamber(&h, &robot->chambers[i].def);
    return (double)(h >> 11);  // 53 bits: exact in a double
}
