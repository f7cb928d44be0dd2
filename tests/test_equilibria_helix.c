// A long rod, clamped at both ends, is twisted by 27 turns and shortened by 3 %: it buckles into a helix
// that gathers in one place (Gazzola et al. 2018, 3.4.1). A short version: faster, and more damped.
#include "chains.h"

#define LENGTH 100.0
#define TURNING 100.0  // s
static const double PI = 3.14159265358979323846;
static const double B = 1.345, C = 0.789;  // of bending and torsion

enum { TURN, PUSH, SIDE };

static world long_rod(int elements, int nodes) {
    td_options o = chain_options();
    o.elements = elements, o.nodes = nodes;
    o.tolerance = 1e-8;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    add_input(robot, "turn"), add_input(robot, "push"), add_input(robot, "side");
    td_piece_def piece = td_default_piece_def();
    piece.length = LENGTH;
    piece.youngs_modulus = 1e6, piece.shear_modulus = 1e5;
    piece.density = 1.0 / (PI * 0.35 * 0.35);
    piece.section.radius = piece.section_end.radius = 0.35;
    const double stiffness[6] = {B, B, C, 1e5, 1e5, 1e5};
    memcpy(piece.stiffness, stiffness, sizeof stiffness);
    piece.damping_time = 3.0;
    for (int k = 0; k < 3; k++) piece.linear_drag[k] = 0.05;
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    rod.base.position[2] = (td_number){0.0, 1.0, PUSH};
    rod.base.rotation[2] = (td_number){0.0, 1.0, TURN};
    hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, LENGTH);
    add_chain_rod(robot, &rod);
    td_load_def load = point_load("side", 0.5 * LENGTH);
    load.force[1] = (td_number){0.0, 1.0, SIDE};
    add_load(robot, &load);
    return world_make(robot, &o);
}

// Until it fails, or to the end.
static td_status twist_and_shorten(const world *w, double dt, double end) {
    td_status status = td_solve_statics(w->system, w->state);
    for (int i = 1; i * dt <= end + 1e-9 && status >= 0; i++) {
        const double x = fmin(1.0, i * dt / TURNING);
        td_set_input(w->system, w->state, TURN, 27.0 * 2.0 * PI * x);
        td_set_input(w->system, w->state, PUSH, 3.0 * x);
        td_set_input(w->system, w->state, SIDE, x < 1.0 ? 1e-4 : 0.0);
        status = td_step(w->system, w->state, dt);
    }
    return status;
}

// The largest angle between rod and axis, as its cosine.
static double steepest(const world *w) {
    double least = 1.0, tangent[3];
    for (double s = 0.0; s <= LENGTH; s += 0.25) {
        const td_sample here = td_get_sample(w->system, w->state, 0, s);
        rotate(here.pose.q, (double[]){0.0, 0.0, 1.0}, tangent);
        least = fmin(least, tangent[2]);
    }
    return least;
}

// van der Heijden & Thompson 2000, (13) to (15): torque M = m B/L and tension T = t B/L^2 of a long rod that
// is shortened by d L and turned by R satisfy d = sqrt(16/t (1 - m^2/(4t))), R = m B/C + 4 acos(m/(2 sqrt t)), and
// its steepest angle has the cosine m^2/(2t) - 1.
static void a_twisted_rod_buckles_into_a_localised_helix(void **unused) {
    (void)unused;
    const double m = 98.541496, t = 2900.9932;
    CHECK_NEAR(sqrt(16.0 / t * (1.0 - m * m / (4.0 * t))), 0.03, 1e-6);
    CHECK_NEAR(m * B / C + 4.0 * acos(m / (2.0 * sqrt(t))), 27.0 * 2.0 * PI, 1e-4);
    world w = long_rod(40, 3);
    td_set_input(w.system, w.state, SIDE, 1e-4);
    const td_status status = twist_and_shorten(&w, 1.0, 300.0);  // nearly at rest by then
    if (status < 0) fail_msg("%s", td_message(w.state));
    const td_reaction at = td_get_reaction(w.system, w.state, 0, TD_TIP);
    CHECK_NEAR(-at.moment[2] * LENGTH / B, m, 5e-3 * m);
    CHECK_NEAR(at.force[2] * LENGTH * LENGTH / B, t, 1.5e-2 * t);
    CHECK_NEAR(steepest(&w), m * m / (2.0 * t) - 1.0, 1e-2);
    world_free(&w);
}

// In axes that twist with the rod bending comes and goes with every turn: 3.6 nodes to a turn follow it, 3 do not.
static void too_few_nodes_for_the_turns_of_a_rod_are_named(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        world w = k ? long_rod(16, 4) : long_rod(1, 8);
        td_set_input(w.system, w.state, SIDE, 1e-4);
        assert_true(twist_and_shorten(&w, 1.0, 100.0) < 0);
        assert_non_null(strstr(td_message(w.state), "rad from one node to the next"));
        assert_non_null(strstr(td_message(w.state), "simulation.space.nodes"));
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twisted_rod_buckles_into_a_localised_helix),
        cmocka_unit_test(too_few_nodes_for_the_turns_of_a_rod_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
