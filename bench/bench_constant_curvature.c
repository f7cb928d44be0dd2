// Cost of the model constant_curvature against the number of segments: inverse dynamics, the mass
// matrix, an acceleration, and a step; and steps of the two-segment robot of Liu & Ben-Tzvi 2020.
#include <string.h>

#include "bench.h"
#include "math/positive.h"
#include "math/quadrature.h"
#include "model/constant_curvature/chain.h"

enum { MOST_SEGMENTS = 64, MOST = 3 * MOST_SEGMENTS, SIZES = 6, ROUNDS = 7 };
static const int sizes[SIZES] = {2, 4, 8, 16, 32, 64};

typedef struct rig {
    chain chain;
    segment segments[MOST_SEGMENTS];
    arc_motion arcs[MOST_SEGMENTS];
    double q[MOST], rates[MOST], accelerations[MOST], Q[MOST], M[MOST * MOST];
} rig;

static void make(rig *r, int n, bool rotary) {
    memset(r, 0, sizeof *r);
    for (int i = 0; i < n; i++) {
        r->segments[i] = (segment){.length = 0.24,
                                   .end = 0.24 * (i + 1),
                                   .mass = 0.255,
                                   .bending = {0.25, 0.25},
                                   .extension = 5e4,
                                   .bending_damping = {0.012, 0.012}};
        if (rotary)
            for (int k = 0; k < 3; k++) r->segments[i].rotary[k] = k == 2 ? 1.35e-4 : 6.7e-5;
    }
    r->chain = (chain){.n = n, .per = 3, .n_q = 3 * n, .segments = r->segments};
    arcs_make_rules(&r->chain);
    for (int k = 0; k < 3 * n; k++) {
        r->q[k] = k % 3 == 2 ? 0.24 : 0.5 * sin(1.0 + k);
        r->rates[k] = k % 3 == 2 ? 0.0 : cos(2.0 * k);
        r->accelerations[k] = sin(3.0 * k);
    }
}

static void inverse_dynamics(rig *r) {
    memset(r->Q, 0, sizeof(double) * (size_t)r->chain.n_q);
    arcs_move(&r->chain, r->q, r->rates, r->accelerations, vec3_make(0.0, 9.81, 0.0), r->arcs);
    arcs_add_inertia(&r->chain, r->arcs, NULL, r->Q);
    arcs_add_elastic(&r->chain, NULL, r->q, r->rates, r->Q);
}

static void forward_dynamics(rig *r) {
    memset(r->Q, 0, sizeof(double) * (size_t)r->chain.n_q);
    arcs_move(&r->chain, r->q, r->rates, NULL, vec3_make(0.0, 9.81, 0.0), r->arcs);
    arcs_add_inertia(&r->chain, r->arcs, NULL, r->Q);
    arcs_add_elastic(&r->chain, NULL, r->q, r->rates, r->Q);
    arcs_mass_matrix(&r->chain, r->arcs, r->M);
    positive_factor(r->chain.n_q, r->M);
    positive_solve(r->chain.n_q, r->M, r->Q);
}

static void mass_alone(rig *r) {
    arcs_mass_matrix(&r->chain, r->arcs, r->M);
}

// Least microseconds of a call over some rounds.
static double least_cost(rig *r, void (*work)(rig *), int calls) {
    double least = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_seconds();
        for (int i = 0; i < calls; i++) {
            r->q[0] += 1e-12;
            work(r);
        }
        least = fmin(least, bench_seconds() - start);
    }
    return 1e6 * least / calls;
}

static void growth(bool rotary) {
    rig *r = malloc(sizeof *r);
    double before[3] = {0.0};
    bench_need(r != NULL, "out of memory");
    printf(rotary ? "segments_with_rotary_inertia" : "segments");
    printf(",us_inverse_dynamics,growth,us_mass_matrix,growth,us_acceleration,growth\n");
    for (int i = 0; i < SIZES; i++) {
        void (*const works[3])(rig *) = {inverse_dynamics, mass_alone, forward_dynamics};
        make(r, sizes[i], rotary);
        printf("%d", sizes[i]);
        for (int k = 0; k < 3; k++) {
            double now = least_cost(r, works[k], 20000 / (sizes[i] * sizes[i]) + 2);
            printf(",%.2f,", now);
            if (i) printf("%.2f", log2(now / before[k]));
            before[k] = now;
        }
        printf("\n");
    }
    free(r);
}

// ---------------------------------------------------------------- steps of the robot
static void add_tendon(td_robot *robot, int i, td_error *err) {
    char name[16];
    double angle = 2.0943951023932 * (i % 3 + 1) - 0.5235987755983;
    td_tendon_def t = td_default_tendon_def();
    snprintf(name, sizeof name, "t%d", i + 1);
    t.name = name, t.from = i / 3 * 0.24, t.to = (i / 3 + 1) * 0.24;
    t.offset[0] = t.offset_end[0] = 0.0325 * cos(angle);
    t.offset[1] = t.offset_end[1] = 0.0325 * sin(angle);
    t.pushes = true, t.value = td_constant(i == 0 ? 40.0 : 0.0);
    bench_need(td_robot_add_tendon(robot, &t, err) >= 0, err->message);
}

static void steps(bool rotary) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.48, piece.youngs_modulus = 15e6, piece.shear_modulus = 5e6;
    piece.density = 320.0, piece.section.radius = piece.section_end.radius = 0.0325;
    piece.stiffness[0] = piece.stiffness[1] = 0.25, piece.damping[0] = piece.damping[1] = 0.012;
    td_rod_def rod = td_default_rod_def();
    rod.name = "arm", rod.pieces = &piece, rod.n_pieces = 1;
    const td_number down[3] = {td_constant(-9.81), td_constant(0.0), td_constant(0.0)};
    bench_need(robot && td_robot_add_rod(robot, &rod, &err) >= 0 &&
                   td_robot_set_gravity(robot, down, &err) >= 0,
               err.message);
    for (int i = 0; i < 6; i++) add_tendon(robot, i, &err);
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    o.rotary_inertia = rotary;
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system != NULL, err.message);
    td_state *state = td_state_create(system);
    double least = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        td_state_reset(system, state);
        for (int i = 0; i < 100; i++) td_step(system, state, 1e-3);  // over the jump at the start
        double start = bench_seconds();
        for (int i = 0; i < 400; i++)
            bench_need(td_step(system, state, 1e-3) >= 0, td_message(state));
        least = fmin(least, bench_seconds() - start);
    }
    printf("%s,%.1f\n", rotary ? "with" : "without", 1e6 * least / 400);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

int main(void) {
    growth(false);
    printf("\n");
    growth(true);
    printf("\nrotary_inertia,us_per_step_of_two_segments\n");
    steps(false);
    steps(true);
    return 0;
}
