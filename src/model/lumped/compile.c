// model/lumped/compile.c - from a robot to a net of nodes and segments.
//
// Free nodes first: along each rod those between its ends, with the tip where it is free; then free
// bodies; then what the world holds. In this order the matrix of open rods fills nothing in.
#include "model/lumped/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/inertia.h"

#define STANDARD 9.81   // m/s^2
#define STIFFER 100.0   // what holds bodies alone together in a search, than their weight
#define HELD_BODY (-2)  // its node is not there yet

typedef struct builder {
    const td_robot *robot;
    net *c;
    cuts *cuts;            // (n_rods)
    int *first_node;       // (n_rods) of the free ones along the rod
    int *free_bodies;      // (n_bodies) its node; -1: it rides
    int n_held, n_pivots;  // nodes that the world holds and that are not there yet
    int n_bonds;
    int next_segment, next_port;
    bool failed;  // out of memory
} builder;

// ---------------------------------------------------------------- counting and allocating
// An end that slides, or in whose joint a spring or a motor is, is a node of its own; one that turns takes its place from the holder.
static bool slides(td_joint joint, const td_spring_def *spring) {
    return joint == TD_PRISMATIC || has_spring(spring);
}

static bool tip_slides(const td_robot *robot, int rod) {
    const td_tip_def *tip = &robot->rods[rod].tip;
    return tip->held &&
           (slides(tip->joint, &tip->spring) || motor_of_joint(robot, rod, TD_TIP) >= 0);
}

static bool base_slides(const td_robot *robot, int rod) {
    const td_base_def *base = &robot->rods[rod].base;
    return slides(base->joint, &base->spring) || motor_of_joint(robot, rod, TD_BASE) >= 0;
}

static bool tip_turns(const td_robot *robot, int rod) {
    return robot->rods[rod].tip.held && robot->rods[rod].tip.joint != TD_CLAMP &&
           !tip_slides(robot, rod);
}

static bool base_turns(const td_robot *robot, int rod) {
    const td_joint joint = robot->rods[rod].base.joint;
    return joint != TD_CLAMP && joint != TD_FREE && !base_slides(robot, rod);
}

// The world holds it as a node: no joint does.
static bool is_fixed(const td_tip_def *hold) {
    return hold->held && hold->body == TD_WORLD && hold->joint == TD_CLAMP;
}

static bool cut_rods(builder *b) {
    const td_robot *robot = b->robot;
    net *c = b->c;
    for (int i = 0; i < robot->n_rods; i++) {
        if (!cut_rod(robot, i, c->options.lumped.segments, &b->cuts[i])) return false;
        const td_joint base = robot->rods[i].base.joint;
        const bool slid = tip_slides(robot, i), turned = tip_turns(robot, i);
        c->n_free += base != TD_CLAMP;
        b->first_node[i] = c->n_free;
        c->n_free += b->cuts[i].n - (robot->rods[i].tip.held ? 1 : 0) + (turned || slid);
        b->n_pivots += base_turns(robot, i) + turned;
        b->n_bonds += base_slides(robot, i) + slid;
        c->n_segments += b->cuts[i].n;
        b->n_held += robot->rods[i].base.body == TD_WORLD && base != TD_FREE;
        b->n_held += robot->rods[i].tip.held && robot->rods[i].tip.body == TD_WORLD;
    }
    c->first_body = c->n_free;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        const bool jointed = hold->held && !is_fixed(hold);
        b->free_bodies[i] = robot->bodies[i].def.rod != FREE_BODY ? -1
                            : is_fixed(hold)                      ? HELD_BODY
                                                                  : c->n_free++;
        b->n_bonds += jointed;
        b->n_held += jointed && hold->body == TD_WORLD;
    }
    for (int i = 0; i < robot->n_bodies; i++) c->n_held_bodies += b->free_bodies[i] == HELD_BODY;
    b->n_held += c->n_held_bodies;
    c->n_nodes = c->n_free + b->n_held;
    return true;
}

static bool allocate(builder *b) {
    const td_robot *robot = b->robot;
    net *c = b->c;
    const size_t nodes = (size_t)c->n_nodes, most_loads = (size_t)robot->n_loads * nodes + 1;
    c->lumps = calloc(nodes + 1, sizeof *c->lumps);
    c->wet = calloc(nodes + 1, sizeof *c->wet);
    c->added = calloc(nodes + 1, sizeof *c->added);
    c->wet_bodies = calloc((size_t)robot->n_bodies + 1, sizeof *c->wet_bodies);
    c->pivots = calloc((size_t)b->n_pivots + 1, sizeof *c->pivots);
    c->bonds = calloc((size_t)b->n_bonds + 1, sizeof *c->bonds);
    c->only_turns = calloc(nodes + 1, sizeof *c->only_turns);
    c->carrier = calloc(nodes + 1, sizeof *c->carrier);
    c->held = calloc((size_t)b->n_held + 1, sizeof *c->held);
    c->start = calloc((size_t)robot->n_bodies + 1, sizeof *c->start);
    c->segments = calloc((size_t)c->n_segments + 1, sizeof *c->segments);
    c->ports = calloc((size_t)c->n_segments * (size_t)c->n_actuators + 1, sizeof *c->ports);
    c->rods = calloc((size_t)robot->n_rods + 1, sizeof *c->rods);
    c->riders = calloc((size_t)robot->n_bodies + 1, sizeof *c->riders);
    c->loads = calloc(most_loads, sizeof *c->loads);
    c->breaks = calloc(nodes, sizeof *c->breaks);
    c->unknown = calloc((size_t)c->n_actuators + 1, sizeof *c->unknown);
    c->bodies = calloc((size_t)robot->n_bodies + 1, sizeof *c->bodies);
    c->attached = calloc((size_t)robot->n_bodies + 1, sizeof *c->attached);
    c->unit = calloc(6 * nodes, sizeof *c->unit);
    c->n_rods = robot->n_rods;
    return c->breaks && c->lumps && c->wet && c->added && c->wet_bodies && c->pivots && c->bonds &&
           c->only_turns && c->carrier && c->held && c->start && c->segments && c->ports &&
           c->rods && c->riders && c->loads && c->unknown && c->bodies && c->attached && c->unit;
}

// ---------------------------------------------------------------- ends of rods
static int add_held(builder *b, const td_base_def *how) {
    net *c = b->c;
    int node = c->n_nodes - b->n_held--;
    c->held[node - c->n_free] = *how;
    c->held[node - c->n_free].body = TD_WORLD;
    return node;
}

static int hold_in_world(builder *b, const td_tip_def *hold) {
    td_base_def how = {.body = TD_WORLD};
    memcpy(how.orientation, hold->orientation, sizeof how.orientation);
    memcpy(how.position, hold->position, sizeof how.position);
    memcpy(how.rotation, hold->rotation, sizeof how.rotation);
    return add_held(b, &how);
}

// Holds a node as said, in the world or in a body.
static void add_bond(builder *b, const td_tip_def *hold, int held, const char *name, int body,
                     int rod, td_end end) {
    net *c = b->c;
    const bool world = hold->body == TD_WORLD;
    const td_tip_def here = {.joint = hold->joint, .orientation = {1.0}, .spring = hold->spring};
    const int holder = world ? hold_in_world(b, hold) : b->free_bodies[hold->body];
    bond *x = &c->bonds[c->n_bonds++];
    td_tip_def how = world ? here : *hold;
    memcpy(how.axis, hold->axis, sizeof how.axis);
    memcpy(how.axis2, hold->axis2, sizeof how.axis2);
    *x = bond_make(&how, holder, held);
    x->body = body, x->rod = rod, x->end = end;
    x->motor = rod >= 0 ? motor_of_joint(b->robot, rod, end) : motor_of_body(b->robot, body);
    x->row = c->n_held_ways;
    c->n_held_ways += x->n;
    x->name = strdup(name);
    b->failed = b->failed || !x->name;
}

static void bond_bodies(builder *b) {
    for (int i = 0; i < b->robot->n_bodies; i++) {
        const td_tip_def *hold = &b->robot->bodies[i].def.hold;
        if (hold->held && !is_fixed(hold))
            add_bond(b, hold, b->free_bodies[i], b->robot->bodies[i].name, i, -1, TD_BASE);
    }
}

static place on_body(const builder *b, int body, vec3 p, const double orientation[4]) {
    quat q = quat_load(orientation);
    return (place){b->free_bodies[body], true, {quat_to_mat3(q), p}, 0};
}

// An end there that may turn gets a node of its own for its rotation.
static place on_joint(builder *b, place at, td_joint joint, const double axis[3],
                      const double axis2[3], int turner) {
    net *c = b->c;
    if (joint == TD_CLAMP) return at;
    if (!at.apart) at.h = (se3){mat3_identity(), vec3_zero()};
    at.apart = true;
    at.turner = turner + 1;
    c->only_turns[turner] = true;
    c->pivots[c->n_pivots] = pivot_make(joint, axis, axis2, turner, &at);
    c->n_multipliers += c->pivots[c->n_pivots++].n;
    return at;
}

static place base_of(builder *b, int rod) {
    const td_base_def *base = &b->robot->rods[rod].base;
    vec3 p = {base->position[0].value, base->position[1].value, base->position[2].value};
    if (base->joint == TD_FREE) return (place){.node = b->first_node[rod] - 1};
    if (base_slides(b->robot, rod)) {
        td_tip_def hold = {.held = true, .body = base->body, .joint = base->joint};
        memcpy(hold.position, base->position, sizeof hold.position);
        memcpy(hold.orientation, base->orientation, sizeof hold.orientation);
        memcpy(hold.rotation, base->rotation, sizeof hold.rotation);
        memcpy(hold.axis, base->axis, sizeof hold.axis);
        memcpy(hold.axis2, base->axis2, sizeof hold.axis2);
        hold.spring = base->spring;
        add_bond(b, &hold, b->first_node[rod] - 1, b->robot->rods[rod].name, -1, rod, TD_BASE);
        return (place){.node = b->first_node[rod] - 1};
    }
    place at = base->body == TD_WORLD ? (place){.node = add_held(b, base)}
                                      : on_body(b, base->body, p, base->orientation);
    return on_joint(b, at, base->joint, base->axis, base->axis2, b->first_node[rod] - 1);
}

static place tip_of(builder *b, int rod) {
    const td_tip_def *tip = &b->robot->rods[rod].tip;
    if (!tip->held) return (place){.node = b->first_node[rod] + b->cuts[rod].n - 1};
    const int turner = b->first_node[rod] + b->cuts[rod].n - 1;
    if (tip_slides(b->robot, rod)) {
        add_bond(b, tip, turner, b->robot->rods[rod].name, -1, rod, TD_TIP);
        return (place){.node = turner};
    }
    if (tip->body != TD_WORLD) {
        const vec3 p = {tip->position[0].value, tip->position[1].value, tip->position[2].value};
        place at = on_body(b, tip->body, p, tip->orientation);
        return on_joint(b, at, tip->joint, tip->axis, tip->axis2, turner);
    }
    place at = {.node = hold_in_world(b, tip)};
    return on_joint(b, at, tip->joint, tip->axis, tip->axis2, turner);
}

// ---------------------------------------------------------------- segments
static void add_ports(builder *b, segment *s) {
    net *c = b->c;
    const double middle = s->s + 0.5 * s->length;
    s->first_port = b->next_port;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        if (a->rod != s->rod || middle < a->from || middle > a->to) continue;
        c->ports[b->next_port++] = (port){i, actuator_route(a, middle), 1.0};
    }
    s->n_ports = b->next_port - s->first_port;
}

// Half of it to each end; as printed, all to the far one (Sadati 2019, errata, Eqs. 2, 3).
static void share_mass(net *c, const segment *s, const lump *whole) {
    lump half = {0.5 * whole->mass, vec3_scale(whole->moment, 0.5),
                 mat3_scale(&whole->inertia, 0.5)};
    const lump *at_b = c->printed ? whole : &half;
    if (!c->printed && !s->a.apart) add_lump(&c->lumps[s->a.node], &half);
    if (!s->b.apart) add_lump(&c->lumps[s->b.node], at_b);
}

// As with mass; what would act on a body's node acts on the rod's next one.
static void share_drag(net *c, const segment *s) {
    const bool only_b = c->printed || s->a.apart, only_a = s->b.apart && !s->a.apart;
    const double shares[2] = {only_a ? 1.0 : only_b ? 0.0 : 0.5, only_a ? 0.0 : only_b ? 1.0 : 0.5};
    const int nodes[2] = {s->a.node, s->b.node};
    for (int i = 0; i < 2; i++) {
        point_body_join(&c->wet[nodes[i]], &s->around, shares[i]);
        c->added[nodes[i]] = vec3_madd(c->added[nodes[i]], shares[i], s->added);
    }
}

// A half that belongs to a body's node lies where the rod is joined to it; where it may turn there,
// its inertia against rotation is the turner's.
static void share_apart(net *c, const segment *s, const lump *whole) {
    const place *ends[2] = {&s->a, &s->b};
    for (int i = 0; i < 2; i++) {
        if (!ends[i]->apart || (c->printed && i == 0)) continue;
        const double factor = c->printed ? 1.0 : 0.5;
        const se3 *h = &ends[i]->h;
        double centre[3], none[3] = {0.0, 0.0, 0.0};
        vec3_store(centre, h->p);
        lump at = lump_of(factor * whole->mass, none, centre), turning = {0};
        mat3 turned = mat3_mul(&h->R, &whole->inertia), Rt = mat3_transpose(&h->R);
        mat3 J = mat3_mul(&turned, &Rt), own = mat3_scale(&J, factor);
        if (ends[i]->turner) turning.inertia = mat3_scale(&whole->inertia, factor);
        else at.inertia = mat3_add(&at.inertia, &own);
        add_lump(&c->lumps[ends[i]->node], &at);
        if (ends[i]->turner) add_lump(&c->lumps[ends[i]->turner - 1], &turning);
    }
}

static void keep_ends(const net *c, net_rod *r, int i, const lump *whole) {
    const double factor = c->printed ? 1.0 : 0.5;
    const lump half = {factor * whole->mass, vec3_zero(), mat3_scale(&whole->inertia, factor)};
    if (i == 0 && !c->printed) r->ends[TD_BASE] = half;
    if (i + 1 == r->n) r->ends[TD_TIP] = half;
}

static bool add_rod(builder *b, int rod) {
    net *c = b->c;
    const robot_rod *from = &b->robot->rods[rod];
    const cuts *at = &b->cuts[rod];
    net_rod *r = &c->rods[rod];
    *r = (net_rod){.length = from->length, .first = b->next_segment, .n = at->n};
    r->free_tip = !from->tip.held;
    r->follows = from->mean_stretch;
    c->follows = c->follows || r->follows;
    r->floats = from->base.joint == TD_FREE;
    r->root = r->floats ? c->n_roots++ : -1;
    r->start = chain_base(&from->base);
    c->loose = c->loose || rod_floats(b->robot, rod);
    r->open =
        from->base.body == TD_WORLD && r->free_tip && !r->floats && !base_slides(b->robot, rod);
    r->name = strdup(from->name);
    if (!r->name) return false;
    c->size = fmax(c->size, from->length);
    place a = base_of(b, rod), tip = tip_of(b, rod);
    double before = 0.0;  // kg/m, of the last segment
    for (int i = 0; i < at->n; i++) {
        segment *s = &c->segments[b->next_segment++];
        lump whole = {0};
        s->rod = rod;
        s->a = a;
        s->b = i + 1 < at->n ? (place){.node = b->first_node[rod] + i} : tip;
        fill_segment(b->robot, c->actuators, rod, at->s[i], at->s[i + 1], s, &whole);
        share_mass(c, s, &whole);
        share_apart(c, s, &whole);
        share_drag(c, s);
        add_ports(b, s);
        keep_ends(c, r, i, &whole);
        const double mass = whole.mass / s->length;
        if (i == 0 || fabs(mass - before) > 1e-9 * before) c->breaks[a.node] = true;
        before = mass;
        a = s->b;
    }
    return true;
}

// ---------------------------------------------------------------- bodies, loads, efforts
static place place_of(const builder *b, int rod, int cut) {
    const net_rod *r = &b->c->rods[rod];
    const segment *s = &b->c->segments[r->first + (cut ? cut - 1 : 0)];
    return cut ? s->b : s->a;
}

// What is given in the frame h of a node, in the node's own.
static lump carried(const td_body_def *d, const place *at) {
    lump l = lump_of_body(d);
    if (!at->apart) return l;
    double centre[3], none[3] = {0.0, 0.0, 0.0};
    vec3_store(centre, se3_mul_point(&at->h, vec3_load(d->centre)));
    lump out = lump_of(d->mass, none, centre);
    mat3 J = body_inertia(d), turned = mat3_mul(&at->h.R, &J);
    mat3 Rt = mat3_transpose(&at->h.R), own = mat3_mul(&turned, &Rt);
    out.inertia = mat3_add(&out.inertia, &own);
    return out;
}

static void add_bodies(builder *b) {
    net *c = b->c;
    c->n_bodies = b->robot->n_bodies;
    for (int i = 0; i < b->robot->n_bodies; i++) {
        const td_body_def *d = &b->robot->bodies[i].def;
        place at = {.node = b->free_bodies[i]};
        if (at.node >= 0) {
            lump l = lump_of_body(d);
            if (at.node < c->n_free)
                c->start[at.node - c->first_body] =
                    (se3){quat_to_mat3(quat_load(d->orientation)), vec3_load(d->position)};
            add_lump(&c->lumps[at.node], &l);
        } else {
            int cut = cut_at(&b->cuts[d->rod], d->at, b->robot->rods[d->rod].length);
            at = place_of(b, d->rod, cut);
            c->riders[c->n_riders++] = (rider){at.node, carried(d, &at), d->attached};
            c->breaks[at.node] = true;
        }
        c->bodies[i] = at;
        c->wet_bodies[i] = point_body_of(d, b->robot->fluid.density);
        c->attached[i] = at.node == b->free_bodies[i] ? td_constant(1.0) : d->attached;
    }
}

static void add_load(builder *b, const td_load_def *d, place at, double share, int base_of) {
    if (share == 0.0) return;
    if (!d->distributed) b->c->breaks[at.node] = true;
    node_load *to = &b->c->loads[b->c->n_loads++];
    *to = (node_load){.at = at, .share = share, .of = load_kept(d), .base_of = base_of};
}

// Where a distributed load begins or ends.
static void break_at(builder *b, int rod, double s) {
    const int cut = cut_at(&b->cuts[rod], s, b->robot->rods[rod].length);
    if (cut >= 0) b->c->breaks[place_of(b, rod, cut).node] = true;
}

static void add_loads(builder *b) {
    for (int i = 0; i < b->robot->n_loads; i++) {
        const td_load_def *d = &b->robot->loads[i].def;
        if (d->rod == FREE_BODY) {
            add_load(b, d, (place){.node = b->free_bodies[d->body]}, 1.0, 0);
            continue;
        }
        const cuts *at = &b->cuts[d->rod];
        if (d->distributed) break_at(b, d->rod, d->from), break_at(b, d->rod, d->to);
        for (int k = 0; k <= at->n; k++)
            add_load(b, d, place_of(b, d->rod, k),
                     load_share(d, at, k, b->robot->rods[d->rod].length),
                     k == 0 && !d->distributed ? d->rod + 1 : 0);
    }
}

static void number_efforts(net *c) {
    for (int i = 0; i < c->n_actuators; i++)
        c->unknown[i] =
            c->actuators[i].control == CONTROL_EFFORT || actuator_in_joint(&c->actuators[i])
                ? -1
                : c->n_unknown++;
    c->n_border = c->n_unknown + c->n_held_ways;
}

// Bodies alone: L is the farthest place of one on another, EI = 100 m g L^2.
static void scale_bodies(const td_robot *robot, net *c) {
    double mass = 0.0;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_body_def *d = &robot->bodies[i].def;
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = d->hold.position[k].value;
        mass += d->mass;
        c->size = fmax(c->size, fmax(vec3_norm(vec3_load(at)), vec3_norm(vec3_load(d->centre))));
    }
    if (c->size == 0.0) c->size = 1.0;
    c->rods[0].name = strdup(robot->bodies[0].name);  // whom messages are about
    c->stiffest = STIFFER * (mass > 0.0 ? mass : 1.0) * STANDARD * c->size * c->size;
}

// EI/L and EI/L^3.
static void set_holds(const td_robot *robot, net *c) {
    for (int i = 0; i < c->n_segments; i++)
        c->stiffest = fmax(c->stiffest, c->segments[i].law.stiffness[0]);
    if (c->n_segments == 0) scale_bodies(robot, c);
    c->hold_turning = c->stiffest / c->size;
    c->hold_shifts = c->hold_turning / (c->size * c->size);
}

// ---------------------------------------------------------------- who hangs on whom
static int carrier_at(const net *c, int node) {
    return node < c->n_free ? c->carrier[node] : node - c->n_free;
}

// What holds one end of a segment holds the other, unless something does; also what turns at an end. Returns if so.
static bool hang(net *c, const place *from, const place *on) {
    const int carrier = carrier_at(c, from->node),
              nodes[3] = {on->node, on->turner - 1, from->turner - 1};
    bool hung = false;
    for (int i = 0; i < 3 && carrier >= 0; i++) {
        if (nodes[i] < 0 || nodes[i] >= c->n_free || c->carrier[nodes[i]] >= 0) continue;
        c->carrier[nodes[i]] = carrier;
        hung = true;
    }
    return hung;
}

// The nearest node that the world holds along each rod, from both of its ends; then by bodies to others.
static void find_carriers(net *c) {
    bool more = true;
    for (int i = 0; i < c->n_free; i++) c->carrier[i] = -1;
    while (more) {
        more = false;
        for (int i = 0; i < c->n_bonds; i++) {
            const place held = {.node = c->bonds[i].held}, holder = {.node = c->bonds[i].holder};
            more = hang(c, &holder, &held) || more;
            more = hang(c, &held, &holder) || more;
        }
        for (int i = 0; i < c->n_rods; i++)
            for (int k = 0; k < c->rods[i].n; k++) {
                const segment *front = &c->segments[c->rods[i].first + k],
                              *back = &c->segments[c->rods[i].first + c->rods[i].n - 1 - k];
                more = hang(c, &front->a, &front->b) || more;
                more = hang(c, &back->b, &back->a) || more;
            }
    }
}

// ---------------------------------------------------------------- the matrix
// All pairs of the free nodes that a segment hangs on.
static int add_pairs(const net *c, const segment *s, int *pairs) {
    const int nodes[4] = {s->a.node, s->b.node, s->a.turner - 1, s->b.turner - 1};
    int n = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++) {
            if (nodes[i] < 0 || nodes[k] < 0) continue;
            if (nodes[i] >= c->n_free || nodes[k] >= c->n_free) continue;
            pairs[2 * n] = nodes[i];
            pairs[2 * n++ + 1] = nodes[k];
        }
    return n;
}

static void find_blocks(const net *c, segment *s) {
    const int ends[2] = {s->a.node, s->b.node};
    for (int k = 0; k < 4; k++) {
        int row = ends[k / 2], column = ends[k % 2];
        bool both = row < c->n_free && column < c->n_free;
        s->block[k] = both ? block_at(&c->pattern, row, column) : -1;
    }
}

// Of what touches something that a body carries, and that body.
static int add_touching_pairs(const net *c, int *pairs) {
    int n = 0;
    for (int k = 0; k < c->touch.n; k++)
        for (int i = 0; i < c->touch.n_points && c->carriers[k] >= 0; i++) {
            if (c->touched[i].node >= c->n_free) continue;
            pairs[2 * n] = c->touched[i].node;
            pairs[2 * n++ + 1] = c->carriers[k];
        }
    return n;
}

// What bonds join.
static int add_bonded_pairs(const net *c, int *pairs) {
    int n = 0;
    for (int i = 0; i < c->n_bonds; i++) {
        const bond *b = &c->bonds[i];
        if (b->held >= c->n_free || b->holder >= c->n_free) continue;
        pairs[2 * n] = b->held;
        pairs[2 * n++ + 1] = b->holder;
    }
    return n;
}

static bool make_pattern(net *c) {
    const size_t most = 6 * (size_t)(c->n_segments + 1) + (size_t)c->n_bonds +
                        (size_t)c->touch.n * (size_t)c->touch.n_points +
                        (size_t)touching_nodes(c, NULL);
    int *pairs = malloc(2 * sizeof(int) * most), n = 0;
    if (!pairs) return false;
    n = add_touching_pairs(c, pairs);
    n += touching_nodes(c, pairs + 2 * n);
    n += add_bonded_pairs(c, pairs + 2 * n);
    for (int i = 0; i < c->n_segments; i++) n += add_pairs(c, &c->segments[i], pairs + 2 * n);
    bool made = block_pattern_make(c->n_free, pairs, n, &c->pattern);
    free(pairs);
    for (int i = 0; i < c->n_segments && made; i++) find_blocks(c, &c->segments[i]);
    return made;
}

// Nodes answer to their neighbours. Efforts that follow from what stretches join all nodes.
static int band_of(const net *c) {
    int most = 0;
    if (c->n_border > 0 || c->contacts.n > 0) return 0;
    for (int k = 0; k < c->touch.n; k++)
        if (c->carriers[k] >= 0) return 0;
    for (int i = 0; i < c->n_segments; i++) {
        const int a = c->segments[i].a.node, b = c->segments[i].b.node, gap = a < b ? b - a : a - b;
        if (a < c->n_free && b < c->n_free && gap > most) most = gap;
    }
    return most;
}

// Multipliers of joints count for nothing.
static void set_units(net *c) {
    for (int k = 0; k < 6 * c->n_free; k++)
        c->unit[k] = k % 6 < 3 ? 1.0 : c->only_turns[k / 6] ? HUGE_VAL : c->size;
}

static bool build(builder *b) {
    net *c = b->c;
    if (!cut_rods(b) || !allocate(b)) return false;
    for (int i = 0; i < b->robot->n_bodies; i++)
        if (b->free_bodies[i] == HELD_BODY)
            b->free_bodies[i] = hold_in_world(b, &b->robot->bodies[i].def.hold);
    bond_bodies(b);
    for (int i = 0; i < b->robot->n_rods; i++)
        if (!add_rod(b, i)) return false;
    add_bodies(b);
    add_loads(b);
    number_efforts(c);
    set_holds(b->robot, c);
    for (int i = 0; i < c->n_segments; i++) {
        c->segments[i].inner = c->n_inner;
        c->n_inner += law_memory(&c->segments[i].law);
    }
    set_units(c);
    find_carriers(c);
    if (b->failed || !net_touch(c, b->robot) || !net_pairs(c, b->robot)) return false;
    c->band = band_of(c);
    return make_pattern(c);
}

void *net_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                  td_error *err) {
    if (check_lumped(robot, options, true, err) < 0) return NULL;
    return net_build(robot, actuators, options, err);
}

net *net_build(const td_robot *robot, const actuator *actuators, const td_options *options,
               td_error *err) {
    builder b = {.robot = robot, .c = calloc(1, sizeof *b.c)};
    b.cuts = calloc((size_t)robot->n_rods + 1, sizeof *b.cuts);
    b.first_node = calloc((size_t)robot->n_rods + 1, sizeof *b.first_node);
    b.free_bodies = calloc((size_t)robot->n_bodies + 1, sizeof *b.free_bodies);
    bool made = b.c && b.cuts && b.first_node && b.free_bodies;
    if (made) {
        b.c->options = *options;
        b.c->printed = options->lumped.as_printed;
        b.c->n_inputs = robot->n_inputs;
        b.c->actuators = actuators;
        b.c->n_actuators = robot->n_actuators;
        b.c->around = environment_of(robot);
        made = build(&b);
    }
    for (int i = 0; b.cuts && i < robot->n_rods; i++) free(b.cuts[i].s);
    free(b.cuts);
    free(b.first_node);
    free(b.free_bodies);
    if (made) return b.c;
    error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    net_release(b.c);
    return NULL;
}

const char *net_note(const void *compiled, int index) {
    return notes_get(&((const net *)compiled)->notes, index);
}

void net_release(void *compiled) {
    net *c = compiled;
    if (!c) return;
    for (int i = 0; i <= c->n_rods && c->rods; i++) free(c->rods[i].name);
    free(c->breaks);
    free(c->lumps);
    free(c->wet);
    free(c->added);
    free(c->wet_bodies);
    free(c->pivots);
    for (int i = 0; i < c->n_bonds && c->bonds; i++) free(c->bonds[i].name);
    free(c->bonds);
    free(c->only_turns);
    free(c->carrier);
    free(c->held);
    free(c->start);
    free(c->segments);
    free(c->ports);
    free(c->rods);
    free(c->riders);
    free(c->loads);
    touch_release(&c->touch);
    free_pairs(c);
    free(c->touched);
    notes_free(&c->notes);
    free(c->carriers);
    free(c->unknown);
    free(c->bodies);
    free(c->attached);
    free(c->unit);
    block_pattern_free(&c->pattern);
    free(c);
}
