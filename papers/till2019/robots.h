// papers/till2019/robots.h - the robots of section 5, with the motions that are computed here.
//
// The same robots, as files, are in examples/. World z is up; arms begin horizontally, along x.
#pragma once

#include "rods.h"

// Section 5.2: four tendons. `up` and the others are inputs; the motion picks, carries and drops.
enum { ARM_UP, ARM_DOWN, ARM_LEFT, ARM_RIGHT, ARM_TENDONS };
#define ARM_LENGTH 0.24  // m
#define ARM_STEP (1.0 / 60.0)
#define ARM_PICK 1.2  // s
#define ARM_DROP 3.2
#define ARM_END 4.5
td_robot *till_tendon_arm(double gravity, td_error *err);  // downwards, m/s^2

// Figure 13: the same backbone with one tendon that winds around it once. Its tension is an input.
td_robot *till_wound_arm(td_error *err);

// Section 5.2.1: one tendon on a motor.
typedef struct tendon_friction {
    const char *name;
    double viscous;   // s/m: beta of the paper
    double friction;  // Coulomb
} tendon_friction;
#define PULLED_LENGTH 0.7144
#define PULLED_RAMP 0.31  // s
#define PULLED_DOWN 2.5   // s: when it is let out again
#define PULLED_END 5.0
td_robot *till_pulled_arm(const tendon_friction *f, td_error *err);

// Section 5.3, with modulus and offset as in errata.md. The paper's gas constant, 8.314.
typedef enum finger_fluid { AIR, WATER, N_FLUIDS } finger_fluid;
#define FINGER_LENGTH 0.1
#define FINGER_STEP 0.01
#define FINGER_FILLED 2.0  // s
#define FINGER_END 4.5
td_robot *till_finger(finger_fluid fluid, td_error *err);

// Section 5.1. points: for each leg (n x 2) time and how far it is fed; NULL: inputs for a program.
enum { LEGS = 6 };
#define LEG_LENGTH 0.35
#define PLATFORM_STEP (1.0 / 120.0)
td_robot *till_platform(const double *const points[LEGS], int n, td_error *err);

// A robot compiled, at rest where the file or program begins. Takes the robot over, NULL too.
bool simulation_of(simulation *s, td_robot *robot, const td_options *options, td_error *err);

// Steps through n steps of dt, following the robot's signals; `see` looks at every one, and at the
// start. Returns the steps done; seconds: processor time of the steps alone.
typedef void see_function(const simulation *s, long k, void *to);
long simulation_run(simulation *s, double dt, long n, see_function *see, void *to, double *seconds);

// The methods of section 5: Euler's method or RK4, points along each rod, start at rest.
td_options shooting_options(td_integrator integrator, td_history history, int points, double alpha);
td_options collocation_options(int nodes, double alpha);
