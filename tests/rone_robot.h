// tests/rone_robot.h - the robot of Rone & Ben-Tzvi 2014, Table 1, as a td_robot: eight discs, a
// core and six rods, along z with gravity in -x.
#pragma once

#include "robot/robot.h"
#include "rods.h"
#include "truth_rone2014.h"

static inline td_options rone_options(void) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    o.virtual_power.contact = TD_CONTACT_LEAST_SQUARES;
    o.virtual_power.whole_discs = true;
    o.virtual_power.printed_elasticity = true;
    o.virtual_power.one_direction = true;
    return o;
}

static inline void rone_add_discs(td_robot *robot) {
    for (int i = 0; i < RONE_DISCS; i++) {
        td_error err = {0};
        char name[16];
        snprintf(name, sizeof name, "disc%d", i + 1);
        td_body_def body = td_default_body_def();
        body.name = name, body.rod = 0, body.at = 0.03 * (i + 1), body.mass = rone_mass[i];
        body.inertia[0] = body.inertia[1] = rone_ixx_table[i];
        body.inertia[2] = rone_izz[i];
        CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    }
}

// Rods 1-1 .. 2-3, each driven by an input of its own.
static inline void rone_add_rods(td_robot *robot, double friction) {
    static const char *const names[] = {"r11", "r12", "r13", "r21", "r22", "r23"};
    for (int j = 0; j < RONE_RODS; j++) {
        td_error err = {0};
        td_tendon_def rod = td_default_tendon_def();
        rod.name = names[j], rod.to = j < 3 ? 0.12 : 0.24, rod.pushes = true;
        rod.offset[0] = rod.offset_end[0] = rone_rod_rx[j];
        rod.offset[1] = rod.offset_end[1] = rone_rod_ry[j];
        rod.bending = rone_bending, rod.friction = friction;
        rod.value = (td_number){0.0, 1.0, add_input(robot, names[j])};
        CHECK_OK(td_robot_add_tendon(robot, &rod, &err), err);
    }
}

static inline td_robot *rone_robot(double friction) {
    td_piece_def core = td_default_piece_def();
    core.length = 0.24, core.youngs_modulus = 210e9, core.shear_modulus = 210e9 / 2.6;
    core.density = 7850.0;
    core.section.radius = core.section_end.radius = 0.52e-3;
    td_robot *robot = rod_robot(&core, 1);
    set_gravity(robot, -9.81, 0.0, 0.0);
    rone_add_discs(robot);
    rone_add_rods(robot, friction);
    return robot;
}

static inline world rone_world(double friction, const td_options *options) {
    return world_make(rone_robot(friction), options);
}
