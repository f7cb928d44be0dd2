// model/cosserat/lanes/plan.h - what the kernel knows of a robot, and what it keeps of each trajectory.
//
// Plain numbers and offsets: a plan can be copied to a GPU as it is, but for the address of its numbers.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PLAN_ELEMENTS 8
#define PLAN_NODES 24     // of all elements
#define PLAN_UNKNOWNS 60  // strains of all nodes, and efforts
#define PLAN_ACTUATORS 16
#define PLAN_GIVEN 192
#define PLAN_OBSTACLES 8
#define PLAN_POINTS (PLAN_NODES + 1)  // that may touch them: nodes and the tip
// Of a record, whatever the theory: three times the fields of an instant, unknowns, what actuators were given, and what
// is kept of points that may touch something.
#define PLAN_RECORD                                                                                \
    (3 * (PLAN_UNKNOWNS + 6 * PLAN_NODES + 6 * PLAN_ELEMENTS) + PLAN_UNKNOWNS + PLAN_ACTUATORS +   \
     PLAN_POINTS * (3 + PLAN_OBSTACLES))

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

// Numbers of an actuator at a node: the slope (6) of a density that is linear in the strain, or r_x, r_y, r_s (5) and 0;
// then the weight of the node in its measure, and the density of the measure at rest.
enum { ROUTE_WEIGHT = 6, ROUTE_REST = 7, ROUTE_SIZE = 8 };
// Of an actuator as a whole: what is asked of its measure less that at rest by an input of 0, sign times what it yields
// per effort, slack_scale, effort_scale (rod.h), 1/EA times its measure at rest; what its input gives, max(low, offset + gain input), if that is not below `least`; J
// that it stores, per effort^2/2.
enum {
    LAW_REST = 0,
    LAW_YIELD = 1,
    LAW_SLACK = 2,
    LAW_SCALE = 3,
    LAW_STRETCH = 4,
    LAW_OFFSET = 5,
    LAW_GAIN = 6,
    LAW_LOW = 7,
    LAW_LEAST = 8,
    LAW_STORED = 9,
    LAW_SIZE = 10
};

typedef struct plan_actuator {
    int first, n;    // nodes that it runs through
    int at, law;     // numbers: of its nodes, and of it as a whole
    int linear;      // its slope does not depend on the strain
    int input;       // that drives it; -1: none
    int effort;      // its effort among those that are unknown; -1: it is given
    int from_rest;   // of these: the input counts how far the measure is shortened from rest
    int pulls_only;  // of these: it may be slack
    double sign;
} plan_actuator;

typedef struct lane_plan {
    int d;  // unknowns of a node: 3, Kirchhoff; 6
    int n_nodes, n_elements, n_actuators;
    int n_efforts;   // that are unknown: they stand behind the strains,
    int n_border;    // with some that stay 0, so that three rows go together
    int base_moves;  // an input moves it: its reaction does work
    int points;      // of a Magnus step
    int stations;
    int n_given;            // slots
    int shared;             // their numbers, where all robots have the same,
    int n_driven;           // how many are each robot's own,
    short own[PLAN_GIVEN];  // and which of these a slot is; -1: none
    plan_element elements[PLAN_ELEMENTS];
    plan_actuator actuators[PLAN_ACTUATORS];
    int n_fields;            // of one instant: strains (d), w (3), q (3) of all nodes, then
    int ends;                // w, q (6) of the elements' far ends where bodies ride; -1: none do
    int efforts;             // then unknown efforts, whose rate means nothing
    int y1, y2, rate, past;  // in a record: now, before, rates, strains and efforts two steps ago
    int given_past;          // what actuators were given
    int n_obstacles;         // then, where there are any,
    int places;              // where points that may touch were, (3)
    int deepest;   // and how deep each was in each of them (n_obstacles): see environment/contact.h
    int n_record;  // doubles
    int scales;    // numbers: its length, and an energy that is as good as none
    int tip;       // numbers: weights of the last element's nodes at its far end
    double tolerance;
    const double *numbers;
    int n_numbers;
} lane_plan;

// What the time formula says: c0, c1, c2, d1 of the rates, three weights of the guess; then whether the robot takes
// part (1), and whether efforts that are given have jumped (1).
enum {
    FORMULA_C = 0,
    FORMULA_D1 = 3,
    FORMULA_GUESS = 4,
    FORMULA_ON = 7,
    FORMULA_JUMPED = 8,
    FORMULA_SIZE = 9
};
// What came of it: whether the robot has arrived (1), and corrections; then powers at its end (W), of damping and drag,
// of loads, of what moves the base, and the work of actuators (J). Among obstacles also what they took and brought (J),
// and what there is: kinetic and elastic, of weight (J), and whether anything touches (1).
enum {
    RESULT_ARRIVED = 0,
    RESULT_CORRECTIONS = 1,
    RESULT_DISSIPATION = 2,
    RESULT_LOAD = 3,
    RESULT_BASE = 4,
    RESULT_WORK = 5,
    RESULT_LOST = 6,
    RESULT_BROUGHT = 7,
    RESULT_STORED = 8,
    RESULT_WEIGHT = 9,
    RESULT_TOUCHES = 10,
    RESULT_SIZE = 11
};
// What a record tells with what inputs give: the power of loads (W), and of the energy that depends on inputs (J), of
// weight and of bodies that ride along, all.
enum { LOOK_LOAD = 0, LOOK_ENERGY = 1, LOOK_SIZE = 2 };

// What robots side by side may touch: see touching.h. NULL: there is nothing.
typedef struct lane_obstacles lane_obstacles;

// What all obstacles do to the points of the robots `on` at these places (n_points x 3 x width): forces (n_points x 3 x
// width), per length at nodes, slopes (n_points x 9 x width) of them by shifts, which points touch as a number (width),
// and which points of any of them do (n_points). holding: what touched before answers as if it did.
void obstacles_press(const lane_obstacles *o, unsigned on, bool holding, const double *places,
                     double *forces, double *slopes, double *sets, bool *any);
// The same robots have arrived there: how deep each point was, in this contact (n_points n_obstacles x width), the energy
// of the pressure (width), and of `result` what obstacles took and brought, and whether anything touches. The bits of
// those that have passed through nothing.
unsigned obstacles_end(const lane_obstacles *o, unsigned on, const double *places, double *deepest,
                       double *energy, double *result);

// Some robots side by side: record (n_record x width), formula (FORMULA_SIZE x width), given (n_driven x width), result
// (RESULT_SIZE x width). The record of a robot that has not arrived is as it was. _own: after what is given stand
// numbers (n_numbers x width) of each robot, in place of the plan's.
typedef struct lane_kernel {
    void (*step)(const lane_plan *plan, double *record, const double *formula, const double *given,
                 const lane_obstacles *obstacles, double *result);
    void (*look)(const lane_plan *plan, double *record, const double *given, double *result);
} lane_kernel;

extern const lane_kernel kernel_plain, kernel_avx2, kernel_avx512;
extern const lane_kernel kernel_plain_own, kernel_avx2_own, kernel_avx512_own;
