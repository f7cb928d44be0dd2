// A stranger's program: a steel rod in code, its equilibrium under its own weight, its tip.
#include <stdio.h>

#include <tendril/tendril.h>

int main(void) {
    td_error err;
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.4;
    piece.youngs_modulus = 207e9, piece.shear_modulus = 79e9, piece.density = 8000;
    piece.section.radius = piece.section_end.radius = 1e-3;
    td_rod_def rod = td_default_rod_def();
    rod.name = "backbone", rod.pieces = &piece, rod.n_pieces = 1;
    rod.base.orientation[0] = rod.base.orientation[2] = 0.70710678118654752;  // z to world x

    td_robot *robot = td_robot_create();
    if (!robot || td_robot_add_rod(robot, &rod, &err) < 0) return 1;
    td_options options = td_default_options();
    td_system *system = td_system_create(robot, &options, &err);
    td_state *state = system ? td_state_create(system) : NULL;
    if (!state || td_solve_statics(system, state) < 0) return 1;

    td_pose tip = td_get_pose(system, state, 0, piece.length);
    printf("tendril %s: tip %.6f %.6f %.6f m\n", td_version(), tip.p[0], tip.p[1], tip.p[2]);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return 0;
}
