// tests/liu_robot.h - the two-segment robot of Liu & Ben-Tzvi 2020 with three linear actuators a
// segment, which push and pull, for tests.
#pragma once

#include <string.h>

#include "rods.h"
#include "truth_liu2020.h"

#define LIU_PI 3.14159265358979323846

typedef struct liu_setup {
    double bending, damping;  // N m^2, N m^2 s
    bool printed;
    double gravity;  // m/s^2, along -y of the base
    int segments;
} liu_setup;

static inline td_piece_def liu_piece(const liu_setup *s) {
    td_piece_def p = td_default_piece_def();
    p.length = s->segments * LIU_LENGTH;
    p.youngs_modulus = 15e6;
    p.shear_modulus = 5e6;
    p.density = LIU_MASS / (LIU_LENGTH * LIU_PI * LIU_RADIUS * LIU_RADIUS);
    p.section.radius = p.section_end.radius = LIU_RADIUS;
    p.stiffness[0] = p.stiffness[1] = s->bending;
    p.damping[0] = p.damping[1] = s->damping;
    return p;
}

// Inputs "force1" .. "force3n", N; positive pushes.
static inline td_robot *liu_robot(const liu_setup *s) {
    td_piece_def piece = liu_piece(s);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, -s->gravity, 0.0);
    for (int i = 0; i < 3 * s->segments; i++) {
        char name[32];
        snprintf(name, sizeof name, "force%d", i + 1);
        int input = add_input(robot, name);
        double angle = 2.0 * LIU_PI * (i % 3 + 1) / 3.0 - LIU_PI / 6.0;
        td_tendon_def t = td_default_tendon_def();
        t.name = name;
        t.from = i / 3 * LIU_LENGTH;
        t.to = (i / 3 + 1) * LIU_LENGTH;
        if (i / 3 + 1 == s->segments) t.to = piece.length;
        t.offset[0] = t.offset_end[0] = LIU_RADIUS * cos(angle);
        t.offset[1] = t.offset_end[1] = LIU_RADIUS * sin(angle);
        t.value = (td_number){.gain = -1.0, .input = input};
        t.pushes = true;
        td_error err = {0};
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    return robot;
}

static inline td_options liu_options(bool printed) {
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    o.rotary_inertia = false;
    o.constant_curvature.present_length = true;
    o.constant_curvature.radial_damping = true;
    o.constant_curvature.printed_scaling = printed;
    return o;
}

static inline td_options liu_chosen_steps(td_options o, td_steps method, double tolerance) {
    o.integration.method = method;
    o.integration.relative = o.integration.absolute = tolerance;
    return o;
}
