// model/cosserat/lanes/plan.h - what the kernel knows of a robot, and what it keeps of each trajectory.
//
// Plain numbers and offsets: a plan can be copied to a GPU as it is, but for the address of its numbers.
#pragma once

#include <stddef.h>

#define PLAN_ELEMENTS 8
#define PLAN_NODES 24     // of all elements
#define PLAN_UNKNOWNS 60  // of all nodes
#define PLAN_ACTUATORS 16
#define PLAN_GIVEN 192
// Of a record, whatever the theory: three times the fields of an instant, and strains.
#define PLAN_RECORD (3 * (PLAN_UNKNOWNS + 6 * PLAN_NODES + 6 * PLAN_ELEMENTS) + PLAN_UNKNOWNS)

// What inputs may give, the same for all robots or each its own, in this order; then efforts, then what
// each element carries.
enum {
    GIVEN_GRAVITY = 0,
    GIVEN_R = 3,   // the base: rotation by rows, position,
    GIVEN_P = 12,  // angular velocity and velocity, world
    GIVEN_OM = 15,
    GIVEN_V = 18,
    GIVEN_EFFORTS = 21
};
// Of an element: distributed load, world and body, then those at its far end, world and body (force,
// moment each), then the body that rides there: mass, moment, inertia by rows.
enum { LOAD_SPREAD = 0, LOAD_END = 12, LOAD_BODY = 24, LOAD_SIZE = 37 };

// Numbers of a node.
enum {
    STATION_K = 0,
    STATION_B = 6,
    STATION_MASS = 12,
    STATION_J = 13,
    STATION_DRAG = 16,
    STATION_LINEAR = 19,
    STATION_U = 22,  // rest strain
    STATION_V = 25,
    STATION_SIZE = 28
};

typedef struct plan_element {
    int node, n;                 // its first node, and how many
    int A, Q, b, d, rows, rest;  // among the numbers: see gauss.h; times its length, all but rows
    int given;                   // its first slot; -1: it carries nothing
    int spread, ends, riders;    // which of its loads there are
} plan_element;

typedef struct plan_actuator {
    int first, n;  // nodes that it runs through
    int at;        // numbers: of each node the slope (6), or r_x, r_y, r_s (5) and 0
    int linear;    // its slope does not depend on the strain
    double sign;
} plan_actuator;

typedef struct lane_plan {
    int d;  // unknowns of a node: 3, Kirchhoff; 6
    int n_nodes, n_elements, n_actuators;
    int points;  // of a Magnus step
    int stations;
    int n_given;            // slots
    int shared;             // their numbers, where all robots have the same,
    int n_driven;           // how many are each robot's own,
    short own[PLAN_GIVEN];  // and which of these a slot is; -1: none
    plan_element elements[PLAN_ELEMENTS];
    plan_actuator actuators[PLAN_ACTUATORS];
    int n_fields;            // of one instant: strains (d), w (3), q (3) of all nodes, then
    int ends;                // w, q (6) of the elements' far ends where bodies ride; -1: none do
    int y1, y2, rate, past;  // in a record: now, before, rates, strains two steps ago
    int n_record;            // doubles
    int scales;              // numbers: its length, and an energy that is as good as none
    double tolerance;
    const double *numbers;
    int n_numbers;
} lane_plan;

// What the time formula says: c0, c1, c2, d1 of the rates, three weights of the guess; then whether the robot takes
// part (1).
enum { FORMULA_C = 0, FORMULA_D1 = 3, FORMULA_GUESS = 4, FORMULA_ON = 7, FORMULA_SIZE = 8 };
// What came of it: whether the robot has arrived (1), and corrections.
enum { RESULT_ARRIVED = 0, RESULT_CORRECTIONS = 1, RESULT_SIZE = 2 };

// One step of some robots side by side: record (n_record x width), formula (FORMULA_SIZE x width), given
// (n_driven x width), result (RESULT_SIZE x width). The record of a robot that has not arrived is as it was. _own: after
// what is given stand numbers (n_numbers x width) of each robot, in place of the plan's.
typedef void kernel_step(const lane_plan *plan, double *record, const double *formula,
                         const double *given, double *result);
kernel_step kernel_step_plain, kernel_step_avx2, kernel_step_avx512;
kernel_step kernel_step_plain_own, kernel_step_avx2_own, kernel_step_avx512_own;
