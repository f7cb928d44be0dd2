// Equilibria of the model rom that are far from where a solve begins: on the branch that small steps
// of the loads lead to, or said to be another.
#include "rom.h"

#define N_ROBOTS 20
#define N_COLUMNS 80
#define N_STEPS 60

static double draw(unsigned *seed) {  // -1 .. 1, the same everywhere
    *seed = *seed * 1664525u + 1013904223u;
    return 2.0 * (double)(*seed >> 8) / 16777216.0 - 1.0;
}

// A slender arm with weight, a tendon on a slanted path and a force at its tip, all by one input.
static td_robot *random_arm(unsigned seed) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    const int in = add_input(robot, "all");
    td_piece_def piece = steel_piece();
    piece.rest_curvature[0] = 2.0 * draw(&seed), piece.rest_curvature[1] = 2.0 * draw(&seed);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    for (int k = 0; k < 3; k++) robot->gravity[k] = (td_number){0.0, 20.0 * draw(&seed), in};
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.to = piece.length;
    for (int k = 0; k < 2; k++)
        t.offset[k] = 8e-3 * draw(&seed), t.offset_end[k] = 8e-3 * draw(&seed);
    t.value = (td_number){0.0, 15.0 + 15.0 * draw(&seed), in};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_load_def load = point_load("tip", piece.length);
    for (int k = 0; k < 3; k++) load.force[k] = (td_number){0.0, 1.5 * draw(&seed), in};
    add_load(robot, &load);
    return robot;
}

// A slender column, a little bent, with a force at its tip up to ten times EI/L^2 that pushes it down and a
// little to a side: beyond 2.5 of it there are shapes on the other side too.
static td_robot *random_column(unsigned seed) {
    td_robot *robot = td_robot_create();
    td_error err = {0};
    const int in = add_input(robot, "all");
    td_piece_def piece = steel_piece();
    const double bent = 0.3 / piece.length;
    piece.rest_curvature[0] = bent * draw(&seed), piece.rest_curvature[1] = bent * draw(&seed);
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod", rod.pieces = &piece, rod.n_pieces = 1;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    const double EI = piece_properties(&piece, 0.0).stiffness[0];
    const double unit = 5.0 * EI / (piece.length * piece.length);
    td_load_def load = point_load("tip", piece.length);
    for (int k = 0; k < 2; k++) load.force[k] = (td_number){0.0, 0.3 * unit * draw(&seed), in};
    load.force[2] = (td_number){0.0, -unit * (1.0 + draw(&seed)), in};
    add_load(robot, &load);
    return robot;
}

// In small steps; false: the way loses its stability or its range.
static bool follow_slowly(world *w) {
    for (int i = 1; i <= N_STEPS; i++) {
        td_set_input(w->system, w->state, 0, (double)i / N_STEPS);
        if (td_solve_statics(w->system, w->state) != TD_OK) return false;
    }
    return true;
}

// All at once, or along small steps: the same shape, or a word that it is another.
static void compare_ways(td_robot *(*make)(unsigned seed), int n_robots) {
    int followed = 0;
    for (unsigned seed = 1; seed <= (unsigned)n_robots; seed++) {
        td_options o = rom_options(6);
        world slow = world_make(make(seed), &o), at_once = world_make(make(seed), &o);
        if (follow_slowly(&slow)) {
            followed++;
            td_set_input(at_once.system, at_once.state, 0, 1.0);
            if (td_solve_statics(at_once.system, at_once.state) == TD_OK)
                for (int k = 0; k < 3; k++)
                    CHECK_NEAR(tip_of(&at_once).p[k], tip_of(&slow).p[k], 1e-8);
        }
        world_free(&slow);
        world_free(&at_once);
    }
    assert_true(followed >= n_robots / 3);
}

static void far_solves_end_on_the_branch_of_their_loads(void **state) {
    (void)state;
    compare_ways(random_arm, N_ROBOTS);
    compare_ways(random_column, N_COLUMNS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_solves_end_on_the_branch_of_their_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
