// tests/parts.h - a robot that has one of every part.
#pragma once

#include "rods.h"

enum { LEG1, LEG2, CABLE, AIR, GRIP, N_INPUTS };
enum { PLATE, BALL };       // bodies
enum { LEFT, RIGHT, ARM };  // rods
#define OFFSET 6e-3         // of the cable, m

#define L 0.4  // of every rod

typedef struct variant {  // what a test changes
    double offset, friction, mass, feed, air;
    td_joint joint;
} variant;

static const variant plain = {.offset = OFFSET, .mass = 2e-3, .air = 2e-4, .joint = TD_CLAMP};

static inline bool add_parts(td_robot *robot, variant v, td_error *err) {
    static const char *const names[N_INPUTS] = {"leg1", "leg2", "cable", "air", "grip"};
    for (int i = 0; i < N_INPUTS; i++) {
        td_input_def def = {.name = names[i],
                            .signal = {.kind = TD_SIGNAL_CONSTANT, .from = i == GRIP ? 1.0 : 0.0}};
        if (td_robot_add_input(robot, &def, err) < 0) return false;
    }
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 0.05;
    plate.inertia[0] = plate.inertia[1] = plate.inertia[2] = 1e-4;
    plate.position[2] = L;
    td_piece_def piece = steel_piece();
    piece.damping_time = 1e-3;
    td_rod_def leg = td_default_rod_def();
    leg.name = "left", leg.pieces = &piece, leg.n_pieces = 1;
    leg.base.position[0] = td_constant(-0.1);
    leg.feed = (td_number){v.feed, 1.0, LEG1};
    leg.tip.held = true, leg.tip.body = PLATE, leg.tip.joint = v.joint;
    leg.tip.position[0] = td_constant(-0.1);
    td_rod_def other = leg;
    other.name = "right", other.base.position[0] = td_constant(0.1), other.feed.input = LEG2;
    other.tip.position[0] = td_constant(0.1);
    td_rod_def arm = td_default_rod_def();
    arm.name = "arm", arm.pieces = &piece, arm.n_pieces = 1;
    arm.base.position[1] = td_constant(0.3);
    td_body_def ball = td_default_body_def();
    ball.name = "ball", ball.rod = ARM, ball.at = L, ball.mass = v.mass;
    ball.attached = (td_number){0.0, 1.0, GRIP};
    td_tendon_def cable = td_default_tendon_def();
    cable.name = "cable", cable.rod = ARM, cable.to = L, cable.friction = v.friction;
    cable.offset[0] = v.offset, cable.offset_end[0] = v.offset;
    cable.value = (td_number){0.0, 1.0, CABLE};
    td_chamber_def air = td_default_chamber_def();
    air.name = "air", air.rod = ARM, air.to = L, air.radius = v.air, air.offset[1] = 5e-4;
    air.value = (td_number){0.0, 1.0, AIR};
    return td_robot_add_body(robot, &plate, err) >= 0 && td_robot_add_rod(robot, &leg, err) >= 0 &&
           td_robot_add_rod(robot, &other, err) >= 0 && td_robot_add_rod(robot, &arm, err) >= 0 &&
           td_robot_add_body(robot, &ball, err) >= 0 &&
           td_robot_add_tendon(robot, &cable, err) >= 0 &&
           td_robot_add_chamber(robot, &air, err) >= 0;
}

// Two fed legs that hold a plate, and an arm beside them with a tendon, a chamber and a ball.
static inline td_robot *robot_of(variant v) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    if (!robot) return NULL;
    if (add_parts(robot, v, &err)) return robot;
    if (err.status != TD_ERR_MEMORY) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_int_equal(err.status, TD_ERR_MEMORY);
    td_robot_destroy(robot);
    return NULL;
}
