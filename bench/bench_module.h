// bench/bench_module.h - the pneumatic module of Sadati et al. 2019 with a body at its tip; inputs
// are the pressures of its three chambers.
#pragma once

#include <string.h>

#include "bench.h"

static inline td_robot *bench_module(void) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def p = td_default_piece_def();
    const double K[6] = {2.95e-3, 2.95e-3, 1.97e-3, 21.1, 21.1, 63.4};
    p.length = 0.05;
    p.youngs_modulus = 205e3, p.shear_modulus = 68e3, p.density = 1820.0;
    p.section.radius = p.section_end.radius = 12.5e-3;
    p.section.inner_radius = p.section_end.inner_radius = 4.5e-3;
    p.damping_time = 2e-3;
    memcpy(p.stiffness, K, sizeof K);
    td_rod_def rod = td_default_rod_def();
    rod.name = "module", rod.pieces = &p, rod.n_pieces = 1;
    const td_number down[3] = {td_constant(0.0), td_constant(0.0), td_constant(9.81)};
    bench_need(robot && td_robot_add_rod(robot, &rod, &err) >= 0 &&
                   td_robot_set_gravity(robot, down, &err) >= 0,
               err.message);
    td_body_def tip = td_default_body_def();
    tip.name = "tip", tip.at = p.length, tip.mass = 13.47e-3, tip.centre[2] = 7.25e-3;
    tip.inertia[0] = tip.inertia[1] = 4.25e-7, tip.inertia[2] = 3.79e-7;
    bench_need(td_robot_add_body(robot, &tip, &err) >= 0, err.message);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i + 1);
        td_input_def input = {.name = name};
        td_chamber_def c = td_default_chamber_def();
        c.name = name, c.to = p.length, c.area = 3.9e-5;
        c.offset[0] = 8.5e-3 * cos(2.0944 * i), c.offset[1] = 8.5e-3 * sin(2.0944 * i);
        c.value = (td_number){.gain = 1.0, .input = td_robot_add_input(robot, &input, &err)};
        bench_need(c.value.input >= 0 && td_robot_add_chamber(robot, &c, &err) >= 0, err.message);
    }
    return robot;
}
