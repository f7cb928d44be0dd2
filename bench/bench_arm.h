// A four-tendon arm by collocation and BDF2, for what steps many of them.
//
// Steel, 0.25 m, radius 0.5 mm, 0.03 kg/m, four tendons 8 mm off the axis; each tension is an input.
#pragma once

#include "bench.h"

#define ARM_LENGTH 0.25

// compliance: m/N, of drives that pull by displacement; 0: by tension.
static inline td_robot *bench_arm_by(double compliance) {
    static const double at[4][2] = {{8e-3, 0.0}, {0.0, 8e-3}, {-8e-3, 0.0}, {0.0, -8e-3}};
    static const char *const names[4] = {"east", "north", "west", "south"};
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = td_default_piece_def();
    piece.length = ARM_LENGTH;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 38197.0;
    piece.section.radius = piece.section_end.radius = 0.5e-3;
    piece.damping[0] = piece.damping[1] = piece.damping[2] = 1e-5;
    td_rod_def rod = td_default_rod_def();
    rod.name = "backbone", rod.pieces = &piece, rod.n_pieces = 1;
    bool ok = td_robot_add_rod(robot, &rod, &err) >= 0;
    for (int i = 0; ok && i < 4; i++) {
        const td_input_def input = {.name = names[i]};
        td_tendon_def tendon = td_default_tendon_def();
        tendon.name = names[i];
        tendon.to = piece.length;
        for (int k = 0; k < 2; k++) tendon.offset[k] = tendon.offset_end[k] = at[i][k];
        tendon.value = (td_number){0.0, 1.0, i};
        if (compliance > 0.0) tendon.input = TD_DISPLACEMENT, tendon.compliance = compliance;
        ok = td_robot_add_input(robot, &input, &err) >= 0 &&
             td_robot_add_tendon(robot, &tendon, &err) >= 0;
    }
    bench_need(ok, err.message);
    return robot;
}

static inline td_robot *bench_arm(void) {
    return bench_arm_by(0.0);
}

// The robot is used up. elements: 0, as the model cuts it.
static inline td_system *bench_system_in(td_robot *robot, td_theory theory, int elements, int nodes,
                                         double tolerance) {
    td_error err = {0};
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.elements = elements, o.nodes = nodes, o.theory = theory;
    o.scheme = TD_BDF2, o.tolerance = tolerance;
    td_system *system = td_system_create(robot, &o, &err);
    bench_need(system != NULL, err.message);
    td_robot_destroy(robot);
    return system;
}

static inline td_system *bench_system_of(td_robot *robot, td_theory theory, int nodes,
                                         double tolerance) {
    return bench_system_in(robot, theory, 0, nodes, tolerance);
}

static inline td_system *bench_arm_system(td_theory theory, int nodes, double tolerance) {
    return bench_system_of(bench_arm(), theory, nodes, tolerance);
}
