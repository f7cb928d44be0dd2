// tests/chains.h - robots of several rods and bodies, for tests.
#pragma once

#include <string.h>

#include "rods.h"

static inline td_options chain_options(void) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.nodes = 8;
    o.tolerance = 1e-12;
    return o;
}

static inline td_robot *empty_robot(double gx, double gy, double gz) {
    td_robot *robot = td_robot_create();
    assert_non_null(robot);
    set_gravity(robot, gx, gy, gz);
    return robot;
}

static inline int add_body(td_robot *robot, const char *name, double mass, double inertia,
                           const double position[3]) {
    td_error err = {0};
    td_body_def def = td_default_body_def();
    def.name = name;
    def.rod = -1;
    def.mass = mass;
    for (int i = 0; i < 3; i++) def.inertia[i] = inertia, def.position[i] = position[i];
    int body = td_robot_add_body(robot, &def, &err);
    CHECK_OK(body, err);
    return body;
}

// A rod of one piece with its base at a place in the world, or in the frame of a body.
static inline td_rod_def chain_rod(const char *name, const td_piece_def *piece, double x, double y,
                                   double z) {
    td_rod_def rod = td_default_rod_def();
    rod.name = name;
    rod.pieces = piece;
    rod.n_pieces = 1;
    set3(rod.base.position, x, y, z);
    return rod;
}

static inline void hold_tip(td_rod_def *rod, int body, td_joint joint, double x, double y,
                            double z) {
    rod->tip.held = true;
    rod->tip.body = body;
    rod->tip.joint = joint;
    rod->tip.position[0] = td_constant(x), rod->tip.position[1] = td_constant(y),
    rod->tip.position[2] = td_constant(z);
}

static inline int add_chain_rod(td_robot *robot, const td_rod_def *rod) {
    td_error err = {0};
    int index = td_robot_add_rod(robot, rod, &err);
    CHECK_OK(index, err);
    return index;
}

static inline void add_body_force(td_robot *robot, int body, double x, double y, double z) {
    td_load_def load = td_default_load_def();
    load.name = "body_force";
    load.rod = -1;
    load.body = body;
    set3(load.force, x, y, z);
    add_load(robot, &load);
}

// Two columns of 0.4 m hinged to a beam, body 0, on which forces push down and aside. Each is a cantilever with half of the
// load; `across`, N m^2, is its stiffness out of its plane and against twist.
static inline td_robot *frame_robot(double across, double aside, double down) {
    td_piece_def piece = steel_piece();
    piece.stiffness[0] = piece.stiffness[2] = across;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    const int beam = add_body(robot, "beam", 0.0, 0.0, (double[]){0.1, 0.0, 0.4});
    for (int k = 0; k < 2; k++) {
        td_rod_def rod = chain_rod(k ? "right" : "left", &piece, 0.2 * k, 0.0, 0.0);
        hold_tip(&rod, beam, TD_REVOLUTE, 0.2 * k - 0.1, 0.0, 0.0);
        rod.tip.axis[0] = rod.tip.axis[2] = 0.0, rod.tip.axis[1] = 1.0;
        add_chain_rod(robot, &rod);
    }
    add_body_force(robot, beam, aside, 0.0, -down);
    return robot;
}

// The platform of Till 2019, section 5.1: six legs, base holes at +-10 degrees and holes of the
// plate at +-50 degrees about 0, 120 and 240 degrees. `fed`: the lengths follow inputs 0 to 5.
static inline td_robot *platform_robot(td_joint joint, bool fed, const double push[3]) {
    static const char *const names[] = {"one", "two", "three", "four", "five", "six"};
    const double radius = 0.087, degree = 3.14159265358979323846 / 180.0;
    td_robot *robot = empty_robot(0.0, 0.0, -9.81);
    td_error err = {0};
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 0.0921, plate.position[2] = 0.35;
    plate.inertia[0] = plate.inertia[1] = 1.91e-4, plate.inertia[2] = 3.81e-4;
    CHECK_OK(td_robot_add_body(robot, &plate, &err), err);
    add_body_force(robot, 0, push[0], push[1], push[2]);
    td_piece_def piece = steel_piece();
    piece.length = 0.35;
    piece.shear_modulus = 207e9 / 2.6;
    for (int k = 0; k < 6; k++) {
        double base = (k / 2 * 120.0 + (k % 2 ? 10.0 : -10.0)) * degree;
        double top = (k / 2 * 120.0 + (k % 2 ? 50.0 : -50.0)) * degree;
        td_rod_def rod = chain_rod(names[k], &piece, radius * cos(base), radius * sin(base), 0.0);
        hold_tip(&rod, 0, joint, radius * cos(top), radius * sin(top), 0.0);
        rod.tip.axis[0] = 1.0, rod.tip.axis[2] = 0.0;
        rod.tip.axis2[0] = 0.0, rod.tip.axis2[1] = 1.0, rod.tip.axis2[2] = 0.0;
        if (fed) rod.feed = (td_number){0.0, 1.0, add_input(robot, names[k])};
        add_chain_rod(robot, &rod);
    }
    return robot;
}

// out = R(q) v
static inline void rotate(const double q[4], const double v[3], double out[3]) {
    const double t[3] = {2.0 * (q[2] * v[2] - q[3] * v[1]), 2.0 * (q[3] * v[0] - q[1] * v[2]),
                         2.0 * (q[1] * v[1] - q[2] * v[0])};
    out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}
