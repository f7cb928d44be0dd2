// papers/liu2020/robot.h - the robot of Table 1 and the three cases of section 5.
//
// The base is where the text leaves only one choice: horizontal, actuator 1 on top. World: x
// forward, z up, y to the left.
#pragma once

#include <stdbool.h>
#include <tendril/tendril.h>

enum { SEGMENTS = 2, ACTUATORS = 6, COORDINATES = 6 };
#define SEGMENT_LENGTH 0.24     // m
#define ACTUATOR_RADIUS 0.0325  // m, Table 1

// How Table 1 is read. Printed: Eqs. 5, 25 and 30 as they stand; they are L0 times too small on the
// side of inertia, bending and damping, or forces 1/L0 times too large.
typedef struct reading {
    bool printed;
    double bending;  // N m^2
    double damping;  // N m^2 s
    double forces;   // factor
} reading;
extern const reading as_printed, as_physics;

typedef struct liu_case {
    const char *name;
    double side;               // of phi at the start: -1 is -pi/2
    double forces[ACTUATORS];  // N; below 0: pulls
    double frame;              // s, between the pictures
} liu_case;
enum { CASES = 3 };
extern const liu_case liu_cases[CASES];

typedef struct liu_arm {
    td_robot *robot;
    td_system *system;
    td_state *state;
} liu_arm;

// Let go at rest as the case says. False: err says why; close it all the same.
bool liu_open(liu_arm *a, const reading *how, const liu_case *which, td_error *err);
// The same with the inertia of slices that turn, which the paper neglects.
bool liu_open_turning(liu_arm *a, const reading *how, const liu_case *which, td_error *err);
bool liu_move(liu_arm *a, double dt, td_error *err);
void liu_close(liu_arm *a);

typedef struct bend {
    double kappa, phi;  // 1/m, rad; phi is 0 where there is no bending
} bend;
bend liu_bend(const liu_arm *a, int segment);
void liu_tip(const liu_arm *a, double p[3]);
void liu_point(const liu_arm *a, double s, double p[3]);
