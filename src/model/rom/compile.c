// model/rom/compile.c - from a robot to rods of polynomials.
#include "math/interpolate.h"
#include "model/rom/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quadrature.h"

typedef struct builder {
    const td_robot *robot;
    rom *c;
    rom_rod *to;
    const robot_rod *rod;
    int index;
    rule rule;
    rod_parts parts;
    int n_riders, n_points, n_spread;  // bodies, point loads and distributed loads on it
} builder;

static void count_what_it_carries(builder *b) {
    const td_robot *robot = b->robot;
    for (int i = 0; i < robot->n_bodies; i++) b->n_riders += robot->bodies[i].def.rod == b->index;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *d = &robot->loads[i].def;
        if (d->rod != b->index) continue;
        if (d->distributed) b->n_spread++;
        else b->n_points++;
    }
}

// ---------------------------------------------------------------- one block for a rod's lists
static void carve(builder *b, arena *block) {
    curve *c = &b->to->curve;
    const size_t rows = 2 * (size_t)(c->n_p + c->n_a);
    const size_t places = (size_t)c->n_places, actuators = (size_t)b->c->n_actuators;
    c->places = ARENA_TAKE(block, place, places);
    c->sections = ARENA_TAKE(block, section, c->n_rule + c->n_thin);
    c->riders = ARENA_TAKE(block, rider, b->n_riders);
    c->loads = ARENA_TAKE(block, curve_load, b->n_points + b->n_spread);
    c->drives = ARENA_TAKE(block, drive, actuators);
    c->cuts = ARENA_TAKE(block, double, c->n_parts + 1);
    c->rest = ARENA_TAKE(block, double, c->n_q);
    c->unit = ARENA_TAKE(block, double, b->to->n_q);
    c->effort_unit = ARENA_TAKE(block, double, actuators);
    c->beyond = ARENA_TAKE(block, double, (c->station_end - c->station) * c->n_rule);
    double *basis = ARENA_TAKE(block, double, rows *places);
    const size_t most = (size_t)(c->n_rule > c->n_thin ? c->n_rule : c->n_thin);
    route_point *routes = ARENA_TAKE(block, route_point, actuators * most);
    b->to->name = arena_take(block, strlen(b->rod->name) + 1);
    if (!block->base) return;
    for (size_t i = 0; i < places; i++) c->places[i].phi = basis + rows * i;
    for (size_t i = 0; i < actuators; i++) c->drives[i].routes = routes + i * most;
}

static bool allocate(builder *b) {
    arena count = {NULL, 0};
    carve(b, &count);
    b->to->allocation = calloc(1, count.used);
    arena block = {b->to->allocation, 0};
    if (!block.base) return false;
    carve(b, &block);
    strcpy(b->to->name, b->rod->name);
    return true;
}

// ---------------------------------------------------------------- places
static void put_place(curve *c, int i, double s) {
    double *rows = (double *)c->places[i].phi;  // of the rod's own block
    curve_fill_place(c, s, rows, &c->places[i]);
}

static void fill_places(builder *b) {
    curve *c = &b->to->curve;
    double x[GAUSS_MAX], weight[GAUSS_MAX];
    const actuator *actuators = b->c->actuators;
    for (int i = 0; i < c->n_rule; i++) {
        put_place(c, i, b->rule.s[i]);
        c->sections[i] =
            section_at(b->robot, actuators, b->index, b->rule.s[i], b->rule.weight[i], true);
    }
    const int each = c->n_thin / c->n_parts;
    gauss_legendre(each, x, weight);
    for (int k = 0; k < c->n_thin; k++) {
        const int part = k / each;
        const double from = c->cuts[part], length = c->cuts[part + 1] - from;
        const double s = from + x[k % each] * length;
        put_place(c, c->n_rule + k, s);
        c->sections[c->n_rule + k] =
            section_at(b->robot, actuators, b->index, s, weight[k % each] * length, true);
    }
    for (int i = c->station; i < c->station_end; i++) {
        const int n = law_memory(&c->sections[i].law);
        if (n > c->n_inner) c->n_inner = n;
    }
}

static void add_riders(builder *b) {
    curve *c = &b->to->curve;
    for (int i = 0; i < b->robot->n_bodies; i++) {
        const td_body_def *d = &b->robot->bodies[i].def;
        if (d->rod != b->index) continue;
        put_place(c, c->n_places, d->at);
        c->riders[c->n_riders++] = (rider){c->n_places++, curve_lump_of_body(d), d->attached,
                                           point_body_of(d, b->robot->fluid.density)};
        b->c->body_rod[i] = b->index;
        b->c->body_s[i] = d->at;
        b->c->attached[i] = d->attached;
    }
}

static void add_loads(builder *b) {
    curve *c = &b->to->curve;
    for (int i = 0; i < b->robot->n_loads; i++) {
        const td_load_def *d = &b->robot->loads[i].def;
        if (d->rod != b->index) continue;
        curve_load *to = &c->loads[c->n_loads++];
        *to = (curve_load){.of = load_kept(d)};
        if (!d->distributed) {
            put_place(c, c->n_places, d->from);
            to->place = c->n_places++;
            to->end = c->n_places;
            continue;
        }
        while (to->place < c->n_rule && c->places[to->place].s < d->from) to->place++;
        to->end = to->place;
        while (to->end < c->n_rule && c->places[to->end].s <= d->to) to->end++;
    }
}

static void add_drives(builder *b) {
    curve *c = &b->to->curve;
    for (int i = 0; i < b->c->n_actuators; i++) {
        const actuator *a = &b->c->actuators[i];
        if (a->rod != b->index) continue;
        drive *d = &c->drives[c->n_drives];
        route_point *routes = (route_point *)d->routes;  // of the rod's own block
        d->a = a;
        d->unknown = effort_is_rigid(a) ? c->n_unknown++ : -1;
        if (d->unknown >= 0) c->effort_unit[d->unknown] = effort_unit(a);
        const int last = a->kind->sections ? c->station_end : c->n_rule;
        d->first = a->kind->sections ? c->station : 0;
        while (d->first < last && c->places[d->first].s < a->from) d->first++;
        for (d->end = d->first; d->end < last && c->places[d->end].s <= a->to; d->end++)
            routes[d->end - d->first] = actuator_route(a, c->places[d->end].s);
        b->c->drive_rod[i] = b->index;
        b->c->drive_index[i] = c->n_drives++;
    }
}

// ---------------------------------------------------------------- rods
static void size_curve(builder *b) {
    const td_rom_options *o = &b->c->options.rom;
    const int parts = b->parts.n, n_a = parts * o->order, thin = parts * (o->order + 1);
    const int n_p = o->as_printed ? o->order : thin, n_rule = b->rule.n;
    const bool selective = o->quadrature == TD_ROM_SELECTIVE;
    b->to->curve = (curve){
        .kind = o->rotation == TD_ROM_QUATERNION ? TURN_QUATERNION : TURN_VECTOR,
        .held = o->as_printed,
        .length = b->rod->length,
        .n_parts = parts,
        .n_p = n_p,
        .n_a = n_a,
        .n_q = 3 * (n_p + n_a),
        .n_rule = n_rule,
        .n_thin = thin,
        .station = selective ? n_rule : 0,
        .station_end = selective ? n_rule + thin : n_rule,
        .n_places = n_rule + thin + b->n_riders + b->n_points,
        .follows = b->rod->mean_stretch,
        .all = b->c->actuators,
        .n_all = b->c->n_actuators,
        .rod = b->index,
    };
    b->to->floats = b->rod->base.joint == TD_FREE;
    b->to->n_q = b->to->curve.n_q + (b->to->floats ? 6 : 0);
}

static td_status check_size(const builder *b, td_error *err) {
    const int order = b->c->options.rom.order;
    if (b->parts.n * (order + 1) <= MOST_FUNCTIONS) return TD_OK;
    return error_set(
        err, TD_ERR_UNSUPPORTED, "simulation.rom.order",
        "%d: rod '%s' has %d parts between ends of pieces, tendons and chambers; order "
        "+ 1 times their number must not be above %d",
        order, b->rod->name, b->parts.n, MOST_FUNCTIONS);
}

// Of what acts along a cut of the rule, the share of each of its places that lies beyond x in it: the integral of its
// Lagrange polynomial from there on, by its weight.
static void fill_share_beyond(int per, double x, double *row) {
    double nodes[GAUSS_MAX], weight[GAUSS_MAX], bary[GAUSS_MAX];
    gauss_legendre(per, nodes, weight);
    barycentric_weights(per, nodes, bary);
    integration_matrix(per, nodes, bary, 1, &x, row);
    for (int k = 0; k < per; k++) row[k] = 1.0 - row[k] / weight[k];
}

static void fill_beyond(const builder *b) {
    const curve *c = &b->to->curve;
    const double *cuts = b->rule.cuts;
    for (int i = c->station; i < c->station_end; i++) {
        const double s = c->places[i].s;
        double *row = c->beyond + (i - c->station) * c->n_rule;
        int cut = 0;
        for (int k = 0; k < c->n_rule; k++)
            row[k] = c->places[k].s > s ? 1.0 : c->places[k].s < s ? 0.0 : 0.5;
        if (!cuts) continue;
        while (s > cuts[cut + 1]) cut++;
        fill_share_beyond(b->rule.per, (s - cuts[cut]) / (cuts[cut + 1] - cuts[cut]),
                          row + cut * b->rule.per);
    }
}

static void fill_rod(builder *b) {
    curve *c = &b->to->curve;
    b->to->base = b->rod->base;
    b->to->moves = !b->to->floats &&
                   (any_driven(b->rod->base.position, 3) || any_driven(b->rod->base.rotation, 3));
    b->to->first = b->c->n_q;
    b->c->n_q += b->to->n_q;
    memcpy(c->cuts, b->parts.cuts, sizeof(double) * (size_t)(c->n_parts + 1));
    c->n_places = c->n_rule + c->n_thin;  // those of riders and loads follow
    for (int k = 0; k < b->to->n_q; k++) c->unit[k] = k < c->n_q + 3 ? 1.0 : c->length;
    fill_places(b);
    fill_beyond(b);
    add_riders(b);
    add_loads(b);
    add_drives(b);
    fill_rest_shape(b->rod, c);
}

// At the places of the rule; polynomials resolve what lies between as many points as they have functions.
static bool touch_things(builder *b) {
    const curve *c = &b->to->curve;
    touch *t = &b->to->touch;
    if (b->robot->n_obstacles == 0) return true;
    if (!touch_make(b->robot, c->n_rule, 1, t)) return false;
    touch_set_rod(t, b->robot, b->index, 0, c->length / c->n_a);
    for (int i = 0; i < c->n_rule; i++)
        t->points[i] = (touch_point){.radius = touch_radius(b->robot, b->index, c->places[i].s),
                                     .length = c->sections[i].weight,
                                     .there = td_constant(1.0),
                                     .rod = b->index,
                                     .body = -1,
                                     .s = c->places[i].s};
    return true;
}

static td_status build_rod(builder *b, td_error *err) {
    const td_rom_options *o = &b->c->options.rom;
    count_what_it_carries(b);
    bool made = parts_make(b->robot, b->index, o, &b->parts);
    td_status status = made ? check_size(b, err) : TD_OK;
    if (status < 0) return status;
    made = made && rule_make(b->robot, b->index, o, &b->rule);
    if (made) size_curve(b);
    made = made && allocate(b);
    if (!made) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    fill_rod(b);
    return touch_things(b) ? TD_OK : error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
}

static bool make_lists(rom *c, const td_robot *robot) {
    const size_t bodies = (size_t)robot->n_bodies + 1;
    c->rods = calloc((size_t)robot->n_rods + 1, sizeof *c->rods);
    c->n_actuators = robot->n_actuators;
    c->drive_rod = calloc((size_t)c->n_actuators + 1, sizeof *c->drive_rod);
    c->drive_index = calloc((size_t)c->n_actuators + 1, sizeof *c->drive_index);
    c->body_rod = calloc(bodies, sizeof *c->body_rod);
    c->body_s = calloc(bodies, sizeof *c->body_s);
    c->attached = calloc(bodies, sizeof *c->attached);
    c->n_bodies = robot->n_bodies;
    return c->rods && c->drive_rod && c->drive_index && c->body_rod && c->body_s && c->attached;
}

static td_status build(rom *c, const td_robot *robot, td_error *err) {
    if (!make_lists(c, robot)) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < robot->n_rods; i++) {
        builder b = {.robot = robot, .c = c, .to = &c->rods[i], .rod = &robot->rods[i], .index = i};
        c->n_rods = i + 1;
        td_status status = build_rod(&b, err);
        rule_free(&b.rule);
        free(b.parts.cuts);
        if (status < 0) return status;
    }
    return TD_OK;
}

static td_status check_options(const td_options *o, td_error *err) {
    if (!o->rotary_inertia)
        return error_set(err, TD_ERR_UNSUPPORTED, "simulation.rotary_inertia",
                         "false: in rom rotations are coordinates of their own, which need the "
                         "inertia of the sections; cosserat can do without");
    return check_integration(&o->integration, err);
}

void *rom_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                  td_error *err) {
    if (check_options(options, err) < 0) return NULL;
    rom *c = calloc(1, sizeof *c);
    if (!c) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    c->options = *options;
    c->n_inputs = robot->n_inputs;
    c->actuators = actuators;
    c->around = environment_of(robot);
    if (build(c, robot, err) >= 0) return c;
    rom_release(c);
    return NULL;
}

void rom_release(void *compiled) {
    rom *c = compiled;
    if (!c) return;
    for (int i = 0; i < c->n_rods; i++) {
        free(c->rods[i].allocation);
        touch_release(&c->rods[i].touch);
    }
    free(c->rods);
    free(c->drive_rod);
    free(c->drive_index);
    free(c->body_rod);
    free(c->body_s);
    free(c->attached);
    free(c);
}
