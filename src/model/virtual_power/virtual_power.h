// model/virtual_power/virtual_power.h - a robot compiled for this model, and one trajectory of it.
//
// Each rod of the robot is a chain of its own on a fixed base. Its discs are the bodies that ride
// on it; a rod that carries fewer than two gets options.discs equal subsegments instead. Masses of
// core and rods go to the nearest disc.
#pragma once

#include "solve/efforts.h"
#include "model/base.h"
#include "model/model.h"
#include "model/notes.h"
#include "model/touch.h"
#include "model/virtual_power/chain.h"

typedef struct disc_load {  // a wrench at a disc
    int disc;
    td_load_def of;
} disc_load;

typedef struct arm {  // a rod of the robot
    char *name;
    double length;  // m
    se3 base;
    segment still;  // mass and moment of what does not move: half a subsegment
    chain chain;
    disc_load *loads;  // (n_loads)
    int n_loads;
    touch touch;   // obstacles, at the discs
    double *unit;  // (n_q) see mechanics.h
    double *own;   // (n_q) stiffness of core and rods
} arm;

typedef struct place_on_arm {
    int arm, index;  // of a disc (-1: the base), or of a drive
} place_on_arm;

typedef struct virtual_power {
    td_options options;
    environment around;
    int n_inputs, n_q;  // n_q: coordinates of all arms
    arm *arms;          // (n_arms)
    int n_arms;
    const actuator *actuators;  // (n_actuators)
    int n_actuators;
    place_on_arm *bodies;  // (n_bodies)
    int n_bodies;
    place_on_arm *tendons;  // (n_actuators)
    model_notes notes;
} virtual_power;

// ---------------------------------------------------------------- memory
typedef struct arm_memory {
    solve_memory solve;     // coordinates and rates
    double *tensions;       // kept (n_drives x n + 1) N: at the base, then beyond each disc
    disc_motion *discs;     // (n)
    vec6 *wrenches;         // (n)
    composite *composites;  // (n)
    disc_contact contact;
    double *Q;          // (n_q) generalised forces
    double *actuation;  // (n_q) of these, of drives
    double *matrices;   // (2 n_q^2 and slopes_size) of a tangent
    touch_memory touch;
    double lost;            // W, taken by friction at the last evaluation
    double rubbed, pushed;  // W, taken and given by obstacles and surroundings then
    double stored;          // J, in what drives stretch, then
    int slack;              // drives that are, then
} arm_memory;

typedef struct arm_at {  // what the functions of mechanics.c are about
    const virtual_power *c;
    const arm *a;
    arm_memory *m;
} arm_at;

typedef struct power_memory {
    arm_memory *arms;
    arm_at *at;  // (n_arms)
} power_memory;

// ---------------------------------------------------------------- forces.c
typedef struct situation {  // under what forces are asked for
    const double *inputs;
    vec3 gravity;     // in the frame of the base
    double loads;     // share of gravity and loads, 0 .. 1
    double tension;   // share of what drives are given
    double friction;  // share of friction coefficients
    slip_law law;
    const double *accelerations;  // (n_q) q'', whose inertia counts among the forces; NULL: none
    bool alone;                   // without obstacles
    engine_stage *engines;        // solve_instant
    const environment *around;    // NULL: weight alone
} situation;

situation situation_of(const virtual_power *c, const arm *a, const double *inputs, slip_law law);
// m->Q and m->actuation: all generalised forces at q, with rates also -h. Leaves the motion of the
// discs in m->discs.
void find_forces(const arm *a, arm_memory *m, const situation *s, const double *q,
                 const double *rates);
// The same, and keeps the tensions along the drives.
void keep_tensions(const arm *a, arm_memory *m, const situation *s, const double *q,
                   const double *rates);
effort_state drive_tension(const arm *a, const drive *d, const situation *s, const double *q);
double load_power(const arm *a, const arm_memory *m, const situation *s);  // W
// Disc i as obstacles see it.
touch_now disc_touch(const arm *a, const arm_memory *m, int i, bool moves);
// Does an arc bend too far to mean anything?
td_status check_arcs(const arm *a, const double *q, char *message);

// ---------------------------------------------------------------- slopes.c
// Not with contact forces by least squares, nor with angular velocities as printed, unless there are obstacles: then
// all but those, whose forces have kinks, is by differences.
bool arm_has_slopes(const arm *a);
size_t slopes_size(const chain *c);  // doubles of scratch
// See mechanics.h; in a motion, which may be none.
void arm_slopes(const arm *a, arm_memory *m, const situation *s, const configuration *x, double *K,
                double *D, double *M, double *scratch);

// ---------------------------------------------------------------- outputs.c
typedef struct point_motion {  // a point of the core, in the frame of the base
    mat3 R;
    vec3 p, turn, velocity;
    int segment;
    double x;  // 0 .. 1 along its subsegment
} point_motion;
point_motion move_point(const chain *c, const double *q, const double *rates, double s,
                        disc_motion *discs);
// J, of a gravity in the world; the motion of the discs is known.
double weight_of(const arm *a, const arm_memory *m, vec3 gravity);
// J, of what surrounds the discs and what does not move; with `by`, as that changes, W.
double surrounding_of(const arm *a, const arm_memory *m, const surroundings *around,
                      const surroundings *by);

// ---------------------------------------------------------------- mechanics.c
solve_part power_part(const void *compiled, void *memory, int index);
coordinate_words power_coordinate(const void *compiled, int part, int k);
double power_finish(const void *compiled, void *memory, const model_call *call,
                    const solve_instant *at, shape_origin from, td_status *status);

// ---------------------------------------------------------------- the table's entries
void *power_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                    td_error *err);
void power_release(void *compiled);
const char *power_note(const void *compiled, int index);
td_sample power_sample(const void *compiled, const void *memory, int rod, double s);
td_energy power_energy(const void *compiled, const void *memory, const double *inputs);
td_actuator_state power_actuator(const void *compiled, const void *memory, int index);
double power_effort(const void *compiled, const void *memory, int index, double s);
td_body_state power_body(const void *compiled, const void *memory, int body);
vec6 power_reaction(const void *compiled, const void *memory, int rod, td_end end,
                    const double *inputs);
void power_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context);
vec6 power_acceleration(const void *compiled, const void *memory, int body);
