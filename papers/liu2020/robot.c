// papers/liu2020/robot.c - see robot.h.
#include "robot.h"
#include "math/pi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RADIUS ACTUATOR_RADIUS  // of the section too
#define MASS 0.255              // kg, of a segment
#define GRAVITY 9.8067          // m/s^2
#define MODULUS 15e6            // Pa, against extension
#define START_CURVATURE 0.13    // 1/m

const reading as_printed = {true, 0.25, 0.05, 1.0};
const reading as_physics = {false, 0.25, 0.05, SEGMENT_LENGTH};

const liu_case liu_cases[CASES] = {
    {"free fall", -1.0, {0.0}, 0.05},
    {"in plane", 1.0, {-180.0, 0.0, 0.0, -60.0, 0.0, 0.0}, 0.067},
    {"out of plane", -1.0, {0.0, -60.0, 60.0, 0.0, 60.0, -60.0}, 0.067},
};

static td_piece_def piece_of(const reading *how) {
    td_piece_def p = td_default_piece_def();
    p.length = SEGMENTS * SEGMENT_LENGTH;
    p.youngs_modulus = MODULUS;
    p.shear_modulus = MODULUS / 3.0;
    p.density = MASS / (SEGMENT_LENGTH * PI * RADIUS * RADIUS);
    p.section.radius = p.section_end.radius = RADIUS;
    p.stiffness[0] = p.stiffness[1] = how->bending;
    p.damping[0] = p.damping[1] = how->damping;
    return p;
}

// The rod's z is the world's x, its y the world's z: a turn by 120 degrees about (1, 1, 1).
static bool add_rod(td_robot *robot, const reading *how, td_error *err) {
    td_piece_def piece = piece_of(how);
    td_rod_def rod = td_default_rod_def();
    rod.name = "arm";
    rod.pieces = &piece;
    rod.n_pieces = 1;
    for (int k = 0; k < 4; k++) rod.base.orientation[k] = 0.5;
    td_number g[3] = {td_constant(0.0), td_constant(0.0), td_constant(-GRAVITY)};
    return td_robot_add_rod(robot, &rod, err) >= 0 && td_robot_set_gravity(robot, g, err) >= 0;
}

// At the angles 2 pi j/3 - pi/6 of each segment, as Figure 1 has them.
static bool add_actuator(td_robot *robot, int i, double force, td_error *err) {
    char name[32];
    double angle = 2.0 * PI * (i % 3 + 1) / 3.0 - PI / 6.0;
    td_tendon_def t = td_default_tendon_def();
    snprintf(name, sizeof name, "actuator%d", i + 1);
    t.name = name;
    t.from = i / 3 * SEGMENT_LENGTH;
    t.to = (i / 3 + 1) * SEGMENT_LENGTH;
    t.offset[0] = t.offset_end[0] = RADIUS * cos(angle);
    t.offset[1] = t.offset_end[1] = RADIUS * sin(angle);
    t.value = td_constant(-force);
    t.pushes = true;
    return td_robot_add_tendon(robot, &t, err) >= 0;
}

static td_options options_of(const reading *how) {
    td_options o = td_default_options();
    strcpy(o.model, "constant_curvature");
    o.constant_curvature.present_length = true;
    o.constant_curvature.radial_damping = true;
    o.constant_curvature.printed_scaling = how->printed;
    return o;
}

static bool start(liu_arm *a, const liu_case *which, td_error *err) {
    double q[COORDINATES] = {0.0};
    for (int i = 0; i < SEGMENTS; i++) {
        q[3 * i + 1] = which->side * START_CURVATURE * SEGMENT_LENGTH;
        q[3 * i + 2] = SEGMENT_LENGTH;
    }
    if (td_set_coordinates(a->system, a->state, q, NULL) >= 0) return true;
    snprintf(err->message, sizeof err->message, "%s", td_message(a->state));
    return false;
}

static bool open_with(liu_arm *a, const reading *how, const liu_case *which, bool turning,
                      td_error *err) {
    td_options o = options_of(how);
    o.rotary_inertia = turning;
    *a = (liu_arm){.robot = td_robot_create()};
    bool fine = a->robot && add_rod(a->robot, how, err);
    for (int i = 0; i < ACTUATORS && fine; i++)
        fine = add_actuator(a->robot, i, which->forces[i] * how->forces, err);
    if (fine) a->system = td_system_create(a->robot, &o, err);
    if (a->system) a->state = td_state_create(a->system);
    return a->state && start(a, which, err);
}

bool liu_open(liu_arm *a, const reading *how, const liu_case *which, td_error *err) {
    return open_with(a, how, which, false, err);
}

bool liu_open_turning(liu_arm *a, const reading *how, const liu_case *which, td_error *err) {
    return open_with(a, how, which, true, err);
}

bool liu_move(liu_arm *a, double dt, td_error *err) {
    if (td_step(a->system, a->state, dt) >= 0) return true;
    snprintf(err->message, sizeof err->message, "%s", td_message(a->state));
    return false;
}

void liu_close(liu_arm *a) {
    td_state_destroy(a->state);
    td_system_destroy(a->system);
    td_robot_destroy(a->robot);
}

bend liu_bend(const liu_arm *a, int segment) {
    double q[COORDINATES];
    td_get_coordinates(a->system, a->state, q, NULL);
    const double *u = q + 3 * segment;
    return (bend){hypot(u[0], u[1]) / u[2], atan2(u[1], u[0])};
}

void liu_point(const liu_arm *a, double s, double p[3]) {
    td_pose pose = td_get_pose(a->system, a->state, 0, s);
    memcpy(p, pose.p, sizeof pose.p);
}

void liu_tip(const liu_arm *a, double p[3]) {
    liu_point(a, SEGMENTS * SEGMENT_LENGTH, p);
}
