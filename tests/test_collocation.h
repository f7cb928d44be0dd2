// tests/test_collocation.h - a collocated rod at one instant, from the inside.
#pragma once

#include "rods.h"

#include <string.h>

#include "model/cosserat/collocation/collocation.h"
#include "sim/system.h"

static const double L = 0.4;

// Soft: thick rubber in fast motion, where nothing hides behind a stiff term: EI/L^2 is 1.3 N, EA
// 500 N, the weight 20 N, and inertia is of the same size. Steel: the benchmark rod at 5 ms.
typedef struct material {
    double E, G, rho, radius, damping_time;
    double load, drag;             // sizes
    double c0;                     // 1/s
    double strain[2], rate[2], h;  // sizes of curvature and stretch, of their rates, of q_t and w_t
} material;

static const material soft = {.E = 1e5,
                              .G = 4e4,
                              .rho = 1000.0,
                              .radius = 0.04,
                              .damping_time = 0.02,
                              .load = 1.0,
                              .drag = 1.0,
                              .c0 = 20.0,
                              .strain = {2.0, 0.05},
                              .rate = {30.0, 2.0},
                              .h = 20.0};
static const material steel = {.E = 207e9,
                               .G = 79e9,
                               .rho = 8000.0,
                               .radius = 1e-3,
                               .damping_time = 1e-3,
                               .load = 0.1,
                               .drag = 0.02,
                               .c0 = 300.0,
                               .strain = {2.0, 1e-5},
                               .rate = {3.0, 1e-3},
                               .h = 5.0};

static inline td_piece_def piece_of(const material *a, double length, double r0, double r1) {
    td_piece_def piece = td_default_piece_def();
    piece.length = length;
    piece.youngs_modulus = a->E, piece.shear_modulus = a->G;
    piece.density = a->rho;
    piece.section.radius = r0 * a->radius, piece.section_end.radius = r1 * a->radius;
    piece.damping_time = a->damping_time;
    for (int i = 0; i < 3; i++) {
        piece.drag[i] = a->drag * 0.5 * (i + 1);
        piece.linear_drag[i] = a->drag * (0.7 - 0.2 * i);
        piece.rest_curvature[i] = 0.9 - 0.7 * i;
    }
    return piece;
}

static inline void add_loads(td_robot *robot, double size, td_frame frame, const double at[3]) {
    double sign = frame == TD_FRAME_BODY ? 1.0 : -0.7;
    td_load_def load = point_load(frame == TD_FRAME_BODY ? "follow" : "dead", at[0]);
    load.frame = frame;
    set3(load.force, size * sign * 1.1, size * 0.8, size * sign * -0.9);
    set3(load.moment, size * 0.2, size * sign * 0.1, size * -0.15);
    add_load(robot, &load);
    load.name = frame == TD_FRAME_BODY ? "follow_spread" : "dead_spread";
    load.distributed = true, load.from = at[1], load.to = at[2];
    set3(load.force, size * 2.0, size * sign * -3.0, size * 1.5);
    set3(load.moment, size * sign * 0.4, size * 0.3, size * 0.5);
    add_load(robot, &load);
}

// Taper, rest curvature, damping, drag, weight, following and dead loads at points and spread, a
// base that moves and turns. Whole: all of it on one element. Otherwise on five.
static inline td_robot *rich_robot(const material *a, bool whole) {
    td_error err = {0};
    const td_piece_def one = piece_of(a, L, 1.0, 0.8);
    const td_piece_def two[2] = {piece_of(a, 0.17, 1.0, 0.9), piece_of(a, 0.23, 0.8, 0.7)};
    td_robot *robot = td_robot_create();
    int turn = add_input(robot, "turn");
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = whole ? &one : two, def.n_pieces = whole ? 1 : 2;
    def.base.rotation[0] = (td_number){-0.4, 0.3, turn};
    def.base.rotation[1] = (td_number){0.2, 1.0, turn};
    def.base.position[0] = (td_number){0.3, -0.4, turn};
    def.base.position[2] = (td_number){-0.2, 0.3, turn};
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    set_gravity(robot, 3.0, -2.0, -9.81);
    const double tip[3] = {L, 0.0, L}, part[3] = {0.22, 0.1, 0.3}, other[3] = {0.3, 0.1, L};
    add_loads(robot, a->load, TD_FRAME_BODY, whole ? tip : part);
    add_loads(robot, a->load, TD_FRAME_WORLD, whole ? tip : other);
    return robot;
}

// Forces of fixed direction at the tip and, if wanted, spread; a moment has no potential.
static inline td_robot *dead_robot(const material *a, bool spread, bool moment) {
    td_piece_def piece = piece_of(a, L, 1.0, 0.7);
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, L, 2.0 * a->load, -3.0 * a->load, -1.5 * a->load);
    if (moment) add_tip_moment(robot, L, 0.5 * a->load, 0.2 * a->load, 0.1 * a->load);
    if (!spread) return robot;
    set_gravity(robot, 3.0, -2.0, -9.81);
    td_load_def load = td_default_load_def();
    load.name = "wind", load.distributed = true, load.from = 0.0, load.to = L;
    set3(load.force, 3.0 * a->load, a->load, 0.5 * a->load);
    add_load(robot, &load);
    return robot;
}

typedef struct instant {
    world w;
    const rod *r;
    rod_memory *m;
    collocation_memory *own;
    rod_problem p;
    td_stats stats;
    int n, d;  // unknowns, per node
} instant;

static inline double node_place(const rod *r, int node) {
    int k = 0;
    while (k + 1 < r->n_elements && node >= r->elements[k + 1].node) k++;
    const element *e = &r->elements[k];
    return e->s0 + e->length * gauss_of(r, e)->c[node - e->node];
}

// Smooth strains, and rates without any pattern: the next step of a violent motion.
static inline void fill_instant(instant *at, const material *a) {
    for (int i = 0; i < at->r->n_nodes; i++) {
        double s = node_place(at->r, i) / L;
        double *x = at->own->now.x + 6 * i, *history = at->m->history + F_SIZE * i;
        memset(x, 0, 6 * sizeof *x);
        memset(history, 0, F_SIZE * sizeof *history);
        for (int k = 0; k < at->d; k++) {
            x[k] = a->strain[k / 3] * sin(1.3 * k + 0.4 + (2.0 + 0.3 * k) * s);
            history[k] = a->rate[k / 3] * sin(0.37 * (F_SIZE * i + k)) - at->p.c0 * x[k];
        }
        for (int k = F_W; k < F_SIZE; k++) history[k] = a->h * sin(0.37 * (F_SIZE * i + k));
        if (at->p.c0 == 0.0) memset(history, 0, F_SIZE * sizeof *history);
    }
}

static inline void open_instant_of_order(instant *at, const material *a, td_robot *robot,
                                         td_theory theory, int nodes, bool moving, int magnus) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.theory = theory;
    o.nodes = nodes;
    o.magnus = magnus;
    *at = (instant){.w = world_make(robot, &o)};
    const cosserat *c = at->w.system->compiled;
    at->r = &c->rods[0];
    at->m = &((cosserat_memory *)at->w.state->memory)->rods[0];
    at->own = at->m->own;
    at->d = unknowns_per_node(at->r);
    at->n = at->d * at->r->n_nodes;
    const double input = 0.3, rate = moving ? 0.1 * a->rate[0] : 0.0;
    rod_loads_at(at->r, &input, 1.0, at->m->loads);
    at->p = (rod_problem){.r = at->r,
                          .options = &c->options,
                          .m = at->m,
                          .c0 = moving ? a->c0 : 0.0,
                          .gravity = rod_gravity_at(c, &input, 1.0),
                          .base = rod_base_at(at->r, 1.0, &input, &rate),
                          .stats = &at->stats};
    fill_instant(at, a);
    assert_true(iterate_evaluate(&at->p, &at->own->now));
    iterate_unpack(at->r, &at->own->now);
}

static inline void open_instant(instant *at, const material *a, td_robot *robot, td_theory theory,
                                int nodes, bool moving) {
    open_instant_of_order(at, a, robot, theory, nodes, moving, 6);
}

static inline void close_instant(instant *at) {
    world_free(&at->w);
}

static inline void factor(instant *at) {
    assert_true(sweep_factor(&at->p, &at->own->now, at->own->now.nodes, false, true,
                             at->own->factors, at->own->blocks, NULL, NULL));
}

// step (n) = - J^-1 residual, by the factors there are
static inline void sweep_solve(instant *at, const double *residual, double *step) {
    at->own->kept->c0 = at->p.c0;
    sweep_respond(at->r, at->own, 1, residual, NULL, NULL, step, NULL, NULL);
}
