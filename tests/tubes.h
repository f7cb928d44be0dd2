// tests/tubes.h - robots of concentric tubes, for tests.
#pragma once

#include <string.h>

#include "rods.h"

typedef struct test_tube {
    const char *name;
    double EI, GJ;            // N m^2
    double length, straight;  // m, and of that straight, at the back
    double curvature;         // 1/m, of the rest, about x
    double beta;              // m
} test_tube;

static inline td_piece_def tube_piece(const test_tube *t, double length, double curvature) {
    td_piece_def p = td_default_piece_def();
    p.length = length;
    for (int k = 0; k < 6; k++) p.stiffness[k] = k < 2 ? t->EI : k == 2 ? t->GJ : 1e4;
    p.mass_per_length = 0.01;
    p.rest_curvature[0] = curvature;
    return p;
}

// Outermost first; inputs turn0, push0, turn1, .. in that order.
static inline td_robot *tubes_robot(const test_tube *tubes, int n) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    assert_non_null(robot);
    for (int i = 0; i < n; i++) {
        char turn[16], push[16];
        snprintf(turn, sizeof turn, "turn%d", i);
        snprintf(push, sizeof push, "push%d", i);
        const test_tube *t = &tubes[i];
        td_piece_def pieces[2] = {tube_piece(t, t->straight, 0.0),
                                  tube_piece(t, t->length - t->straight, t->curvature)};
        td_rod_def rod = td_default_rod_def();
        rod.name = t->name;
        rod.pieces = t->straight > 0.0 ? pieces : pieces + 1;
        rod.n_pieces = t->straight > 0.0 ? 2 : 1;
        rod.tube.within = i - 1;
        rod.tube.rotation = (td_number){0.0, 1.0, add_input(robot, turn)};
        rod.tube.translation = (td_number){t->beta, 1.0, add_input(robot, push)};
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    }
    set_gravity(robot, 0.0, 0.0, 0.0);
    return robot;
}

static inline td_options tubes_options(int nodes) {
    td_options o = td_default_options();
    strcpy(o.model, "tubes");
    o.tubes.nodes = nodes;
    o.tolerance = 1e-12;
    return o;
}

// Angle of rod b in rod a, which share a centre line, at places of both, in (-pi, pi].
static inline double angle_between(const world *w, int a, double s_a, int b, double s_b) {
    const td_pose x = td_get_pose(w->system, w->state, a, s_a);
    const td_pose y = td_get_pose(w->system, w->state, b, s_b);
    // z and w of conj(x) y
    const double z = x.q[0] * y.q[3] - x.q[3] * y.q[0] - x.q[1] * y.q[2] + x.q[2] * y.q[1];
    const double c = x.q[0] * y.q[0] + x.q[1] * y.q[1] + x.q[2] * y.q[2] + x.q[3] * y.q[3];
    return 2.0 * atan2(c < 0.0 ? -z : z, fabs(c));
}
