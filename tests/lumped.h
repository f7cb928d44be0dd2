// tests/lumped.h - the robots of the numbers for Sadati 2019, for tests of the lumped models.
#pragma once

#include <string.h>

#include "rods.h"

typedef struct lumped_rod {
    double length, stiffness[6];  // strain order: bending x, y, torsion, shear x, y, extension
    double mass, inertia[3];      // kg/m, kg m
    double damping[6];
    double curvature[3], stretch[3];  // at rest
} lumped_rod;

static inline td_piece_def lumped_piece(const lumped_rod *r) {
    td_piece_def p = td_default_piece_def();
    const double area = 1e-4;
    p.length = r->length;
    p.youngs_modulus = p.shear_modulus = 1e6;
    p.density = r->mass / area;
    p.section = (td_section){.shape = TD_SECTION_GENERAL,
                             .area = area,
                             .ixx = r->inertia[0] / r->mass * area,
                             .iyy = r->inertia[1] / r->mass * area,
                             .torsion = r->inertia[2] / r->mass * area,
                             .polar = r->inertia[2] / r->mass * area};
    p.section_end = p.section;
    memcpy(p.stiffness, r->stiffness, sizeof p.stiffness);
    memcpy(p.damping, r->damping, sizeof p.damping);
    memcpy(p.rest_curvature, r->curvature, sizeof p.rest_curvature);
    memcpy(p.rest_stretch, r->stretch, sizeof p.rest_stretch);
    return p;
}

static inline lumped_rod unit_rod(void) {
    return (lumped_rod){.length = 1.0,
                        .stiffness = {1.0, 1.0, 0.8, 1e4, 1e4, 1e4},
                        .mass = 1.0,
                        .inertia = {1e-4, 1e-4, 2e-4},
                        .stretch = {0.0, 0.0, 1.0}};
}

// The pneumatic module of the paper, without its chambers.
static inline lumped_rod module_rod(void) {
    return (lumped_rod){
        .length = 0.05,
        .stiffness = {0.002954612421955911, 0.002954612421955911, 0.0019697416146372735,
                      21.145536552537305, 21.145536552537305, 63.43660965761191},
        .mass = 0.5631933150090422,
        .inertia = {2.6231193209559788e-05, 2.6231193209559788e-05, 5.2462386419119576e-05},
        .stretch = {0.0, 0.0, 1.0}};
}

#define MODULE_TIP 0.0145  // m, length of the body at its tip

// With the body at the tip, gravity along +z, and one chamber whose pressure gives the wrench
// (moment x, moment y, force z) inside.
static inline td_robot *module_robot(const lumped_rod *r, const double wrench[3]) {
    td_error err = {0};
    td_piece_def piece = lumped_piece(r);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, 9.81);
    td_body_def body = td_default_body_def();
    body.name = "tip";
    body.at = r->length;
    body.mass = 0.01347;
    body.centre[2] = 0.00725;
    body.inertia[0] = body.inertia[1] = 4.2542749999999995e-07;
    body.inertia[2] = 3.7884374999999997e-07;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    td_chamber_def chamber = td_default_chamber_def();
    chamber.name = "chamber";
    chamber.to = r->length;
    chamber.area = 1e-4;
    chamber.value = td_constant(wrench[2] / chamber.area);
    chamber.offset[0] = -wrench[1] / wrench[2];
    chamber.offset[1] = wrench[0] / wrench[2];
    CHECK_OK(td_robot_add_chamber(robot, &chamber, &err), err);
    return robot;
}

// The far end of the body at the tip.
static inline vec3 module_tip(const world *w) {
    td_pose tip = tip_of(w);
    vec3 arm = {0.0, 0.0, MODULE_TIP};
    return vec3_add(vec3_load(tip.p), quat_rotate(quat_load(tip.q), arm));
}

static inline td_options lumped_options(const char *model, int segments, bool as_printed) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = segments;
    o.lumped.as_printed = as_printed;
    return o;
}

// One that jumps: curved inside, with a little damping.
static inline td_robot *jumping_module(void) {
    const double inside[3] = {0.025040341444789237, -8.673617379884035e-19, 3.141592653589793};
    lumped_rod rod = module_rod();
    for (int i = 0; i < 6; i++) rod.damping[i] = 0.002 * rod.stiffness[i];
    return module_robot(&rod, inside);
}
