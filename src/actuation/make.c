// actuation/make.c - from the description of tendons and chambers to actuators.
#include "actuation/actuator.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "math/quadrature.h"

#define PI 3.14159265358979323846
#define GAS_CONSTANT 8.31446261815324  // J/(mol K), exact in the SI of 2019
#define NODES 8                        // of the Gauss rule on each stretch
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
    const td_tendon_def *d = &a->tendon;
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

// ---------------------------------------------------------------- one of each
static void *copy(arena *block, const void *from, size_t bytes) {
    void *to = arena_take(block, bytes);
    return to ? memcpy(to, from, bytes) : NULL;
}

static actuator tendon(const td_robot *robot, int index, arena *block) {
    const td_tendon_def *def = &robot->tendons[index].def;
    actuator a = {.kind = ACTUATOR_TENDON, .index = index, .rod = def->rod, .sign = 1.0};
    a.name = copy(block, def->name, strlen(def->name) + 1);
    a.from = def->from;
    a.to = def->to;
    a.value = def->value;
    a.control = def->input == TD_TENSION ? CONTROL_EFFORT : CONTROL_MEASURE;
    a.tendon = *def;
    a.tendon.name = a.name;
    if (goes_through_points(def))
        a.tendon.points = copy(block, def->points, 3 * sizeof(double) * (size_t)def->n_points);
    a.inverse_stiffness = def->stiffness > 0.0 ? 1.0 / def->stiffness : 0.0;
    a.compliance = def->outside * a.inverse_stiffness + def->compliance;
    a.pretension = def->pretension;
    a.friction = def->friction;
    a.viscous = def->viscous;
    return a;
}

static void scale_tendon(actuator *a) {
    double presliding = a->tendon.presliding;
    a->presliding = presliding > 0.0 ? presliding : PRESLIDING_PER_OFFSET * a->offset;
    a->slack_scale = a->compliance + a->rest * a->inverse_stiffness + a->give;
}

static actuator chamber(const td_robot *robot, int index, arena *block) {
    const td_chamber_def *def = &robot->chambers[index].def;
    actuator a = {.kind = ACTUATOR_CHAMBER, .index = index, .rod = def->rod, .sign = -1.0};
    a.name = copy(block, def->name, strlen(def->name) + 1);
    a.from = def->from;
    a.to = def->to;
    a.value = def->value;
    a.control = def->input == TD_PRESSURE ? CONTROL_EFFORT
                : def->input == TD_VOLUME ? CONTROL_MEASURE
                                          : CONTROL_GAS;
    // Its centre line, as a path that is parallel to the axis.
    a.tendon = (td_tendon_def){.rod = def->rod,
                               .from = def->from,
                               .to = def->to,
                               .routing = TD_ROUTING_STRAIGHT,
                               .offset = {def->offset[0], def->offset[1]},
                               .offset_end = {def->offset[0], def->offset[1]}};
    a.area = def->radius > 0.0 ? PI * def->radius * def->radius : def->area;
    a.braid_angle = def->braid_angle;
    a.gas_energy = GAS_CONSTANT * def->temperature;
    a.atmosphere = def->atmosphere;
    a.path_volume = def->path_volume;
    return a;
}

// ---------------------------------------------------------------- all of them
// Lays out everything in one block, the list first. Runs twice: to count, and to place.
static actuator *place(const td_robot *robot, arena *block) {
    int n = robot->n_tendons + robot->n_chambers;
    actuator *list = ARENA_TAKE(block, actuator, n);
    for (int i = 0; i < n; i++) {
        bool is_tendon = i < robot->n_tendons;
        actuator a =
            is_tendon ? tendon(robot, i, block) : chamber(robot, i - robot->n_tendons, block);
        if (!list) continue;
        take_rest_shape(&a, &robot->rods[a.rod]);
        if (is_tendon) scale_tendon(&a);
        list[i] = a;
    }
    return list;
}

actuator *actuators_make(const td_robot *robot, int *n) {
    *n = robot->n_tendons + robot->n_chambers;
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
