// sim/system.h - what a td_system and a td_state are.
#pragma once

#include "actuation/actuator.h"
#include "environment/obstacle.h"
#include "solve/engines.h"
#include "model/model.h"
#include "robot/places.h"
#include "solve/inverse.h"

typedef struct name_list {
    char **names;
    int n;
} name_list;

typedef struct sensor sensor;                        // sim/sensor.h
typedef struct sensor_memory sensor_memory;          //
typedef struct controller controller;                // sim/controller.h
typedef struct controller_memory controller_memory;  //
typedef struct td_estimator td_estimator;            // sim/estimator.h

struct td_system {
    const td_model *model;
    void *compiled;  // the model's
    td_options options;
    name_list rods, bodies;
    name_list coordinates;
    const char **coordinate_units;  // (coordinates.n)
    name_list notes;                // what no model can say: the model's own come after
    double *rod_lengths;            // (rods.n)
    fed_stretch *growths;           // (rods.n) what feeding makes longer
    bool *tips_held;                // (rods.n)
    bool *fed;                      // (rods.n) by an input
    const char
        *fed_relaxing;      // the name of one that is, and relaxes where it gets longer; NULL: none
    td_number (*turns)[3];  // (rods.n) of bases, where turns count; NULL: nowhere
    bool follows;           // sections of a rod follow its mean stretch
    bool remembers;         // materials of it keep what they went through,
    bool remembers_ways;    // by other laws than relaxation
    name_list obstacles, contacts;
    obstacle *obstacle_shapes;  // (obstacles.n, once all names are there)
    int n_obstacle_shapes;
    bool *free_bodies;       // (bodies.n) does not ride on a rod
    td_number *attached;     // (bodies.n) 1: rides on its rod
    td_body_def *body_defs;  // (bodies.n) without their names
    name_list load_names;
    td_load_def *loads;  // (n_loads) named by load_names
    int n_loads;
    td_field_def *dipoles;  // (dipole_names.n) of the fields; only where something is magnetic
    name_list dipole_names;
    double *magnet_radii;  // (rods.n) m, the widest of a rod that is magnetic; 0: it is not
    td_number gravity[3];
    actuator *actuators;  // by kind, tendons first
    int n_actuators;
    int n_of_kind[N_ACTUATOR_KINDS];
    int *actuator_parts;  // (n_actuators) the part of the model that each acts on
    robot_input *inputs;  // names, units and signals, copied from the robot
    int n_inputs;
    bool *rate_matters;  // (n_inputs) the input moves a base or feeds a rod
    struct system_initial {
        int coordinate;
        bool rate;
        double value;
    } * initial;  // (n_initial) over what `start` gives
    int n_initial;
    robot_motion motion;  // that the whole robot starts with
    int n_moved;          // coordinates that it gives a rate
    sensor *sensors;      // (n_sensors)
    int n_sensors;
    controller *controllers;  // (n_controllers)
    int n_controllers;
    td_estimator_def *estimator;  // as the robot has it; NULL: none
    bool watches;                 // sensors or controllers read what it believes
    td_start start;               // how the file wants it to begin
    size_t keep_bytes;            // of the block that decides the future
    size_t total_bytes;           // of a whole state
    double fingerprint;           // tells snapshots of different systems apart
};

// What steps among obstacles are judged by: see step.c.
typedef struct step_guard {
    double touched;  // > 0: an obstacle, so many steps less than REMEMBERED ago
    double spare;    // J that steps among obstacles have lost and others may bring
} step_guard;

// The first entries of the kept block, all doubles so that the block is one array of numbers.
typedef struct kept_clock {
    double fingerprint;
    double checksum;   // of all that follows; only in snapshots
    double time;       // s
    double time_rest;  // s, what `time` rounds away: times are sums of steps, and do not drift
    double fresh;      // 1: the next step must not use the history
    double restarted;  // s, where the last step began that did not
    step_guard guard;
} kept_clock;

typedef struct solver_memory {
    kept_energy *energy;  // kept
    step_inputs within;   // a step
    chosen_steps time;
    inverse_memory inverse;
    double *scratch;   // (2 n_inputs) of calls
    double *chart;     // (6 x most_numbers) of coordinates as numbers
    int most_numbers;  // of a point of a part
    double *initial;   // (2 n_coordinates) where the robot says how it starts
} solver_memory;

// The estimator that sensors and controllers read: sim/watch.h.
typedef struct watch_kept {
    double begun;  // 1: it has
    double next;   // s, when it acts again
} watch_kept;

typedef struct watch_memory {
    td_estimator *estimator;  // NULL: nothing reads it, or it is itself what steps here
    size_t state_doubles, numbers_doubles;
    // in keep
    watch_kept *kept;
    double *values;           // of sensors of it, all channels
    double *coordinates;      // (2 n_coordinates) and rates
    double *state, *numbers;  // what decides its future
} watch_memory;

struct td_state {
    void *allocation;        // what td_state_create got; NULL in the caller's memory
    double *keep;            // (keep_bytes) starts with the clock
    double *backup;          // (keep_bytes) as it was when the running call began
    double *outer_backup;    // (keep_bytes) the same for td_advance, which makes several calls
    kept_clock *clock;       // in keep
    double *inputs;          // in keep (n_inputs)
    double *inputs_before;   // in keep (n_inputs) at the end of the last step
    double *rates;           // in keep (n_inputs)
    double *rates_before;    // in keep (n_inputs) at the end of the last step
    double *rate_given;      // in keep (n_inputs) 1: set by the user for the next step
    double *given_before;    // in keep (n_inputs) 1: was set for the last one
    double *smooth;          // (n_inputs) 1: both
    double *at_restart;      // in keep (4 x n_inputs) inputs_before, rates_before and given_before
                             // where that step began, and 1: it jumped; of robots with an estimator
    sensor_memory *sensors;  // (n_sensors) of what is in keep
    double *seed;            // in keep, where there are sensors
    controller_memory *controllers;  // (n_controllers) of what is in keep
    double *beyond;     // (n_inputs) how far controllers ask beyond its limits, in keep
    double *variables;  // of formulas: the time, and readings of all channels
    double *control;    // scratch of controllers
    watch_memory watch;
    void *memory;  // the model's
    solver_memory solver;
    engines engines;               // motors and valves
    void (*detach)(void *memory);  // releases what the model owns outside; NULL: nothing
    interrupt interrupt;
    td_stats stats;
    char message[MODEL_MESSAGE_SIZE];
};

// A state without the estimator that others may read in it.
td_state *state_create_alone(const td_system *system);
// Lays a state out over a block (NULL: only count) and returns the bytes it takes.
size_t state_layout(const td_system *system, void *block, td_state **out, size_t *keep_bytes);

// Inside the list?
static inline bool has(const name_list *list, int index) {
    return index >= 0 && index < list->n;
}

// Is there anything to touch?
static inline bool has_contact(const td_system *system) {
    return system->obstacles.n + system->contacts.n > 0;
}

static inline bool has_actuator(const td_system *system, int index) {
    return index >= 0 && index < system->n_actuators;
}
// Number `index` of a kind among all; -1: there is none.
int actuator_of_kind(const td_system *system, int kind, int index);

// Is a step between these energies one that obstacles may have? Then what it brings or loses is noted. Far from them only
// what is too much for any motion is not.
bool step_is_passive(step_guard *guard, const td_energy *before, const td_energy *after,
                     bool touches);

model_call state_call(const td_system *system, td_state *state);
// What every computing call begins with: a backup, clean statistics, no message.
model_call state_begin(const td_system *system, td_state *state);

// An equilibrium was found: the next step starts afresh, and no input was on its way.
void state_at_rest(const td_system *system, td_state *state);
// The same but for motors and valves.
void state_afresh(const td_system *system, td_state *state);
// What every call that moves the state ends with: what failed, or is not finite, never happened.
td_status state_finish(const td_system *system, td_state *state, td_status status);
// Adds to the message of statics which load is the largest.
void name_largest_load(const td_system *system, td_state *state);
// Says it where a dipole lies within what is magnetic, where its field has no end: whatever was found, or not found,
// is worth nothing.
td_status tell_dipole_within(const td_system *system, td_state *state, td_status status);

// Refuses, in the state's message, a body that rides on a rod or does not exist.
td_status check_free_body(const td_system *system, td_state *state, int body);
// s is an arc length, m, of this rod as it is now; otherwise the state's message says what is wrong.
td_status check_arc_length(const td_system *system, td_state *state, int rod, double s);

// Does a name fit a pattern in which `*` stands for any letters, or none?
bool coordinate_matches(const char *pattern, const char *name);
// system->initial, from the names and patterns of the robot.
td_status resolve_initial(td_system *system, const td_robot *robot, td_error *err);

double fingerprint_of(const td_system *system, const td_robot *robot);

// Replaces options->accuracy by the nodes that reach it.
td_status choose_nodes(const td_robot *robot, td_options *options, td_error *err);
