// actuation/make.c - from the description of actuators, of any kind, to what models use.
#include "actuation/actuator.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "math/quadrature.h"

#define NODES 8               // of the Gauss rule on each stretch
#define STRETCHES_PER_TURN 4  // of a helix on a curved rod: the rule is then exact to rounding
#define PRESLIDING_PER_OFFSET 2e-3  // costs a hysteresis loop of a few mm about 1 % of its area

// ---------------------------------------------------------------- in the rest shape
typedef struct rest_shape {  // integrals over the path
    double measure, give, offset;
} rest_shape;

// One stretch of the path in one piece of the rod, which begins at `start`.
static void add_stretch(const actuator *a, const td_piece_def *piece, double start, double s0,
                        double s1, rest_shape *sum) {
    double x[NODES], weight[NODES];
    gauss_legendre(NODES, x, weight);
    vec3 u = vec3_load(piece->rest_curvature), v = vec3_load(piece->rest_stretch);
    for (int k = 0; k < NODES; k++) {
        double s = s0 + x[k] * (s1 - s0), ds = weight[k] * (s1 - s0), slope[6];
        route_point at = actuator_route(a, s);
        td_section_properties p = piece_properties(piece, (s - start) / piece->length);
        vec6_store(slope, actuator_density(a, &at, u, v).slope);
        for (int i = 0; i < 6; i++)
            if (p.stiffness[i] > 0.0) sum->give += ds * slope[i] * slope[i] / p.stiffness[i];
        sum->measure += ds * actuator_counted(a, &at, u, v).value;
        sum->offset = fmax(sum->offset, vec3_norm(at.r));
    }
}

// Where the stretch that begins at s ends: at the next point of the routing, after part of a turn.
static double stretch_end(const actuator *a, double s, double end) {
    const td_tendon_def *d = &a->path;
    if (d->routing == TD_ROUTING_HELIX) {
        double part = (a->to - a->from) / (STRETCHES_PER_TURN * fmax(1.0, fabs(d->turns)));
        return s + 1.5 * part < end ? s + part : end;
    }
    if (!goes_through_points(d)) return end;
    for (int i = 0; i < d->n_points; i++)
        if (d->points[3 * i] > s) return fmin(d->points[3 * i], end);
    return end;
}

static rest_shape rest_shape_of(const actuator *a, const robot_rod *rod) {
    rest_shape sum = {0.0, 0.0, 0.0};
    double start = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *piece = &rod->pieces[i];
        double end = i + 1 < rod->n_pieces ? fmin(start + piece->length, a->to) : a->to;
        for (double s = fmax(start, a->from); s < end;) {
            double next = stretch_end(a, s, end);
            add_stretch(a, piece, start, s, next, &sum);
            s = next;
        }
        start += piece->length;
    }
    return sum;
}

// A path on the axis takes the section for its scale: its radius of gyration.
static double section_size(const robot_rod *rod) {
    td_section_properties p = piece_properties(&rod->pieces[0], 0.0);
    return sqrt(fmin(p.stiffness[0], p.stiffness[1]) / p.stiffness[5]);
}

static void take_rest_shape(actuator *a, const robot_rod *rod) {
    rest_shape sum = rest_shape_of(a, rod);
    a->rest = sum.measure;
    a->give = sum.give;
    a->offset = sum.offset > 0.0 ? sum.offset : section_size(rod);
}

// ---------------------------------------------------------------- all of them
#define ROW(word, plural, flag, help) [KIND_##word] = &word##_kind,
static const actuator_kind *const kinds[N_ACTUATOR_KINDS] = {ACTUATOR_KINDS(ROW)};

static const actuator_kind *kind_of(const robot_actuator *from) {
    int k = 0;
    while (actuator_rows[k] != from->kind) k++;
    return kinds[k];
}

static actuator describe(const robot_actuator *from, arena *block) {
    const actuator_head h = actuator_head_of(from);
    actuator a = {.kind = kind_of(from),
                  .words = &from->kind->words,
                  .index = from->index,
                  .rod = h.rod,
                  .from = h.from,
                  .to = h.to,
                  .value = h.value,
                  .control = (actuator_control)h.input};  // or as `make` has it
    a.name = arena_copy(block, from->name, strlen(from->name) + 1);
    a.other = a.kind->density != NULL;
    a.kind->make(from->def, block, &a);
    a.path.name = a.name;
    a.path.rod = a.rod, a.path.from = a.from, a.path.to = a.to;
    return a;
}

static void take_scales(actuator *a) {
    if (!(a->presliding > 0.0)) a->presliding = PRESLIDING_PER_OFFSET * a->offset;
    a->yield = a->compliance + a->rest * a->inverse_stiffness;
    a->slack_scale = a->yield + a->give;
    if (!actuator_is_driven(a)) return;
    a->engine.rest = a->from_rest ? a->yield * a->pretension : a->rest;
    if (a->control == CONTROL_GAS) a->engine.rest = actuator_supplied(a, 0.0, 0.0, a->rest);
}

// Lays out everything in one block, the list first. Runs twice: to count, and to place.
static actuator *place(const td_robot *robot, arena *block) {
    actuator *list = ARENA_TAKE(block, actuator, robot->n_actuators);
    int engines = 0;
    for (int i = 0; i < robot->n_actuators; i++) {
        actuator a = describe(&robot->actuators[i], block);
        if (!list) continue;
        if (a.rod != FREE_BODY) take_rest_shape(&a, &robot->rods[a.rod]);
        take_scales(&a);
        if (actuator_is_driven(&a)) a.engine.index = engines++;
        list[i] = a;
    }
    return list;
}

actuator *actuators_make(const td_robot *robot, int *n) {
    *n = robot->n_actuators;
    if (*n == 0) return NULL;
    arena count = {NULL, 0};
    place(robot, &count);
    arena block = {malloc(count.used), 0};
    return block.base ? place(robot, &block) : NULL;
}

void actuators_free(actuator *list, int n) {
    (void)n;
    free(list);
}
