// model/constant_curvature/constant_curvature.h - a robot compiled for this model, and one
// trajectory of it.
//
// Each rod of the robot is a chain of arcs of its own on a fixed base. A segment ends where a
// tendon, a chamber or a piece of the rod begins or ends; options.segments divides each further.
#pragma once

#include "model/base.h"
#include "model/constant_curvature/chain.h"
#include "model/model.h"
#include "model/notes.h"
#include "model/touch.h"

typedef struct arm {  // a rod of the robot
    char *name;
    double length;  // m
    double mass;    // kg, of the rod and what rides on it beyond its base
    se3 base;
    chain chain;
    td_load_def *wrenches;  // (n_loads)
    touch touch;            // obstacles, at points that are among the loads
    point_body *around;     // (n_around) stretches and bodies in what surrounds them, likewise
    int n_around;
    double *unit;         // (n_q) see mechanics.h
    double *effort_unit;  // (n_unknown) the same
    double *own;          // (n_q) stiffness of the segments alone
    int first;            // of its coordinates among all
} arm;

typedef struct place_on_arm {
    int arm, segment;  // segment -1: at its base
    double x;
} place_on_arm;

typedef struct constant_curvature {
    td_options options;
    environment around;
    int n_inputs, n_q;  // coordinates of all arms
    arm *arms;          // (n_arms)
    int n_arms;
    const actuator *actuators;  // (n_actuators)
    int n_actuators;
    place_on_arm *bodies;  // (n_bodies)
    int n_bodies;
    int *drive_arm, *drive_index;  // (n_actuators)
    model_notes notes;
} constant_curvature;

// ---------------------------------------------------------------- memory
typedef struct arm_memory {
    solve_memory solve;  // coordinates, rates, efforts of rigid drives in equilibria
    double *efforts;     // kept (n_drives) N or Pa
    double *held;        // kept (n_unknown) efforts of rigid drives in the last equilibrium
    arc_past past;       // its numbers kept (n_inner)
    arc_motion *arcs;    // (n)
    vec6 *wrenches;      // (n_loads)
    touch_memory touch;
    point_slopes *slopes;  // (touch.n_points + n_around) of the wrenches of obstacles, surroundings
    double *copies;        // (3 n_q) of tangents of a motion among them
    double lost, given;    // W, by obstacles and surroundings, at the last evaluation
    double *Q;             // (n_q) generalised forces
    double *actuation;     // (n_q) of these, of drives
} arm_memory;

typedef struct arm_at {  // what the functions of mechanics.c are about
    const struct constant_curvature *c;
    const arm *a;
    arm_memory *m;
    double *unit;  // (n_inputs) scratch
} arm_at;

typedef struct arcs_memory {
    arm_memory *arms;
    arm_at *at;               // (n_arms)
    double *unit;             // (n_inputs)
    double *matrix, *normal;  // (n_actuators x n_q), (n_actuators^2): inverse dynamics
    double *pulling;          // scratch of the same, where tendons would have to push
    double *right, *efforts;  // (n_actuators each)
    int *pivot;               // (n_actuators)
} arcs_memory;

// ---------------------------------------------------------------- forces.c
typedef struct situation {  // under what forces are asked for
    const double *inputs;
    vec3 gravity;                 // in the frame of the base
    double share, given;          // of gravity and loads, and of what drives are given, 0 .. 1
    const double *unknown;        // (n_unknown) efforts of rigid drives
    bool soft;                    // these give way, by which they hold `unknown`
    const double *accelerations;  // (n_q) q'', whose inertia counts among the forces; NULL: none
    bool alone, touched;          // without obstacles; or with nothing else from outside
    engine_stage *engines;        // solve_instant
    const environment *around;    // NULL: weight alone
} situation;

situation arcs_situation(const constant_curvature *c, const arm *a, const double *inputs);
// m->Q and m->actuation: all generalised forces at q, with rates also those of inertia at no
// acceleration. Leaves the motion of the arcs in m->arcs.
void arm_forces(const arm *a, arm_memory *m, const situation *s, const double *q,
                const double *rates);
effort_state arm_effort(const arm *a, const situation *s, int drive, const double *q);
// m->wrenches, of loads and of obstacles, where arcs were moved last. slopes: m->slopes as well.
void arm_find_wrenches(const arm *a, arm_memory *m, const situation *s, bool moves, bool slopes);
// What touches with the load i as obstacles see it.
touch_now arm_touch(const arm *a, const arm_memory *m, int i, bool moves);
// Q += change of the forces of gravity and loads at rest while inputs change at these rates.
void arm_external_by(const constant_curvature *c, const arm *a, arm_memory *m, const double *rates,
                     const double *q, double *Q);
// J, of a gravity in the world; the motion of the arcs is known.
double arm_weight_energy(const arm *a, const arm_memory *m, vec3 gravity);
// J, of what surrounds it, in the world; with `by`, as that changes, W. The motion of the arcs is known.
double arm_surrounding_energy(const arm *a, const arm_memory *m, const surroundings *around,
                              const surroundings *by);
double arm_load_power(const arm *a, const arm_memory *m);  // W; forces and rates are known
// Does an arc bend too far, or shrink too much, to mean anything?
td_status arm_check(const arm *a, const double *q, double room, char *message);

// ---------------------------------------------------------------- mechanics.c
solve_part arcs_part(const void *compiled, void *memory, int index);
coordinate_words arcs_coordinate(const void *compiled, int part, int k);
double arcs_finish(const void *compiled, void *memory, const model_call *call,
                   const solve_instant *at, shape_origin from, td_status *status);

// ---------------------------------------------------------------- the table's entries
void *arcs_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                   td_error *err);
void arcs_release(void *compiled);
const char *arcs_note(const void *compiled, int index);
td_sample arcs_sample(const void *compiled, const void *memory, int rod, double s);
td_energy arcs_energy(const void *compiled, const void *memory, const double *inputs);
td_actuator_state arcs_actuator(const void *compiled, const void *memory, int index);
td_body_state arcs_body(const void *compiled, const void *memory, int body);
vec6 arcs_reaction(const void *compiled, const void *memory, int rod, td_end end,
                   const double *inputs);
void arcs_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context);
vec6 arcs_acceleration(const void *compiled, const void *memory, int body);
td_status arcs_inverse_dynamics(const void *compiled, void *memory, const model_call *call,
                                const double *q, const double *q_t, const double *q_tt,
                                double *forces, double *efforts);
