// sim/fingerprint.c - what fixes the meaning of a snapshot: the version, the model with all options that
// it reads, inputs by name, the parts, and where loads cut the rods. How hard the solver
// tries, how large loads are and what drives anything may differ: a trajectory can go on under others.
#include "base/hash.h"
#include "robot/inertia.h"
#include "sim/controller.h"
#include "sim/sensor.h"

// ---------------------------------------------------------------- parts
static void add_piece(hash *h, const td_piece_def *piece) {
    for (int i = 0; i <= 2; i++) {
        td_section_properties p = piece_properties(piece, 0.5 * i);  // doubles only
        *h = hash_bytes(*h, &p, sizeof p);
    }
    hash_ints(h, (const int[]){(int)piece->law}, 1);
    hash_doubles(h, (const double[]){piece->length, piece->damping_power}, 2);
    if (piece_remembers(piece)) {
        const td_hysteresis *r = &piece->hysteresis;
        HASH_DOUBLES(h, r->moment, r->curvature, r->exponent, r->shape);
        hash_doubles(h, piece->relaxation.shares, piece_relaxations(piece));
        hash_doubles(h, piece->relaxation.times, piece_relaxations(piece));
    }
    hash_doubles(h, piece->drag, 3);
    hash_doubles(h, piece->linear_drag, 3);
    hash_doubles(h, piece->rest_curvature, 3);
    hash_doubles(h, piece->rest_stretch, 3);
    if (piece_is_magnetic(piece)) hash_doubles(h, piece->magnetisation, 3);
    HASH_DOUBLES(h, piece->added_mass[0] + piece->added_mass[1] + piece->added_mass[2]);
}

static void add_joint(hash *h, td_joint joint, int body, const double axis[3],
                      const double axis2[3], const td_spring_def *spring) {
    hash_ints(h, (const int[]){(int)joint, body}, 2);
    if (joint == TD_REVOLUTE || joint == TD_UNIVERSAL || joint == TD_PRISMATIC)
        hash_doubles(h, axis, 3);
    if (joint == TD_UNIVERSAL) hash_doubles(h, axis2, 3);
    if (has_spring(spring)) HASH_DOUBLES(h, spring->stiffness, spring->damping, spring->rest.value);
}

static void add_hold(hash *h, const td_tip_def *hold) {
    hash_ints(h, (const int[]){hold->held}, 1);
    if (!hold->held) return;
    add_joint(h, hold->joint, hold->body, hold->axis, hold->axis2, &hold->spring);
    for (int k = 0; k < 3; k++) HASH_DOUBLES(h, hold->position[k].value);
    for (int k = 0; k < 3 && hold->rotation[k].value != 0.0; k++)
        HASH_DOUBLES(h, hold->rotation[k].value);
    hash_doubles(h, hold->orientation, 4);
}

static void add_rod(hash *h, const robot_rod *rod) {
    const td_base_def *base = &rod->base;
    hash_ints(h, (const int[]){rod->n_pieces, rod->mean_stretch, rod->feed_at_tip}, 3);
    for (int k = 0; k < rod->n_pieces; k++) add_piece(h, &rod->pieces[k]);
    hash_doubles(h, base->orientation, 4);
    for (int k = 0; k < 3; k++) {
        hash_doubles(h, &base->position[k].value, 1);
        hash_doubles(h, &base->rotation[k].value, 1);
    }
    hash_doubles(h, (const double[]){rod->feed.value, rod->feed.gain}, 2);
    if (rod->tube.within >= 0) HASH_INTS(h, rod->tube.within);
    HASH_DOUBLES(h, rod->tube.rotation.value, rod->tube.rotation.gain, rod->tube.translation.value,
                 rod->tube.translation.gain, rod->tube.friction);
    add_joint(h, base->joint, base->body, base->axis, base->axis2, &base->spring);
    add_hold(h, &rod->tip);
}

static void add_body(hash *h, const td_body_def *b) {
    hash_ints(h, &b->rod, 1);
    hash_doubles(h, (const double[]){b->rod < 0 ? 0.0 : b->at, b->mass}, 2);
    hash_doubles(h, b->inertia, 3);
    if (has_products(b)) hash_doubles(h, b->products, 3);
    hash_doubles(h, b->centre, 3);
    if (b->shape != TD_BODY_PLAIN) {
        hash_ints(h, (const int[]){(int)b->shape}, 1);
        hash_doubles(h, (const double[]){b->radius, b->height}, 2);
        hash_doubles(h, b->sides, 3);
    }
    if (b->rod >= 0) return;
    hash_doubles(h, b->position, 3);
    hash_doubles(h, b->orientation, 4);
    if (b->hold.held) add_hold(h, &b->hold);
}

// A load within a rod cuts it in two; at its ends, or on a body, it does not.
static void add_cut(hash *h, const td_robot *robot, const td_load_def *l, double s) {
    if (s > 0.0 && s < robot->rods[l->rod].length) hash_doubles(h, &s, 1);
}

static void add_load(hash *h, const td_robot *robot, const td_load_def *l) {
    if (l->rod < 0) return;
    add_cut(h, robot, l, l->from);
    if (l->distributed) add_cut(h, robot, l, l->to);
}

static void add_obstacle(hash *h, const td_obstacle_def *o) {
    HASH_INTS(h, (int)o->shape, o->inside, o->n_points);
    HASH_DOUBLES(h, o->radius, o->length, o->thickness, o->stiffness, o->friction, o->presliding);
    if (o->restitution != 0.0) HASH_DOUBLES(h, o->restitution);
    if (o->hard != 0.0) HASH_DOUBLES(h, o->hard);
    if (o->resolution != 0.0) HASH_DOUBLES(h, o->resolution);
    if (o->body != TD_WORLD) HASH_INTS(h, o->body);
    for (int i = 0; i < o->n_branches; i++) HASH_INTS(h, o->branches[i]);
    hash_doubles(h, o->sides, 3);
    hash_doubles(h, o->points, 4 * o->n_points);
    hash_doubles(h, o->orientation, 4);
    for (int k = 0; k < 3; k++) HASH_DOUBLES(h, o->position[k].value, o->rotation[k].value);
}

static void add_contact(hash *h, const td_contact_def *c) {
    HASH_INTS(h, c->n_rods, c->n_bodies, c->self);
    for (int i = 0; i < c->n_rods; i++) HASH_INTS(h, c->rods[i]);
    for (int i = 0; i < c->n_bodies; i++) HASH_INTS(h, c->bodies[i]);
    HASH_DOUBLES(h, c->stiffness, c->friction);
}

static void add_parts(hash *h, const td_robot *r) {
    HASH_INTS(h, r->n_inputs, r->n_rods, r->n_bodies);
    for (int k = 0; k < N_ACTUATOR_KINDS; k++) HASH_INTS(h, robot_n_actuators(r, k));
    for (int i = 0; i < r->n_inputs; i++) hash_text(h, r->inputs[i].name);
    for (int i = 0; i < r->n_rods; i++) add_rod(h, &r->rods[i]);
    for (int i = 0; i < r->n_bodies; i++) add_body(h, &r->bodies[i].def);
    for (int i = 0; i < r->n_actuators; i++) r->actuators[i].kind->hash(h, r->actuators[i].def);
    for (int i = 0; i < r->n_loads; i++) add_load(h, r, &r->loads[i].def);
    for (int i = 0; i < r->n_obstacles; i++) add_obstacle(h, &r->obstacles[i].def);
    for (int i = 0; i < r->n_contacts; i++) add_contact(h, &r->contacts[i].def);
}

static void add_options(hash *h, const td_system *system) {
    const plan p = {.options = system->options};
    const sim_option *o;
    hash_text(h, p.options.model);
    for (int i = 0; (o = sim_option_at(i)); i++) {
        if (!(o->traits & OF_STATE) || !model_reads(system->model, o, &p.options)) continue;
        hash_text(h, o->path);
        HASH_DOUBLES(h, option_value(o, &p));
    }
}

double fingerprint_of(const td_system *system, const td_robot *robot) {
    hash h = HASH_START;
    hash_text(&h, td_version());
    add_options(&h, system);
    h = hash_word(h, system->keep_bytes);
    add_parts(&h, robot);
    sensors_hash(&h, system);
    controllers_hash(&h, system);
    return (double)(h >> 11);  // 53 bits: exact in a double
}
