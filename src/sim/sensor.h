// sim/sensor.h - sensors of a system, and what a state keeps of them.
#pragma once

#include "base/hash.h"
#include "math/vec3.h"
#include "robot/sensor.h"
#include "sim/system.h"
#include "tendril/loop.h"

struct sensor {
    char *name;
    td_sensor_def def;  // without its names
    const sensor_word *word;
    td_output output;  // at the first place
    int obstacle;
    bool estimated;  // it reads what the estimator believes
    int number;      // that it finds, of SENSOR_NUMBER
    const char *unit;
    int first;              // row of the output, or component, that is its first channel
    int n_places, n_each;   // n_each channels at each place
    int n_channels, depth;  // depth: readings that may be on their way
    unsigned stream;        // of its noise: of its name alone
    double *at_rest;        // (n_places) of gauges: |w*|
};

// In the kept block, doubles only. Readings lie as time, then channels.
typedef struct sensor_kept {
    double taken, arrived;  // so many readings
    double next;            // s, when the next one is due
    double last;            // s, when the last one was taken
    double ended;           // s, when the last step ended
    double moving;          // 1: velocities before it are known
    double span;            // s, over which an accelerometer has its mean; 0: at rest
} sensor_kept;

struct sensor_memory {
    sensor_kept *kept;
    double *reading;   // (1 + n_channels) the latest that is there
    double *pending;   // (depth x (1 + n_channels)) number i in place i mod depth
    double *drift;     // (n_channels)
    double *velocity;  // (3 x n_places) m/s, world, when the last step ended: of accelerometers
    double *mean;      // (3 x n_places) m/s^2, world, over the last step
};

// The output that it is made of, or whose place it is at.
td_output sensor_output(const td_system *system, const sensor *s, int place);

typedef struct gauge_line {  // see sensor.c
    vec3 w, r;
    double cosine, at_rest;
} gauge_line;
gauge_line gauge_at(const sensor *s, int place, const double strain[6]);

td_status sensors_compile(td_system *system, const td_robot *robot, td_error *err);
// Which of the estimator's numbers they read: once all that it uses is there.
td_status sensors_find_numbers(td_system *system, const td_robot *robot, td_error *err);
void sensors_release(td_system *system);
void sensors_hash(hash *h, const td_system *system);
void sensors_layout(const td_system *system, arena *keep, arena *work, td_state *state);
void sensors_reset(const td_system *system, td_state *state);
// A step has ended: those of the robot, or those of the estimator, read.
void sensors_follow(const td_system *system, td_state *state, bool estimated);
// The robot was put into a motion: accelerometers begin from there.
void sensors_placed(const td_system *system, td_state *state);
// The clock, which is at `now`, will be at t.
void sensors_set_time(const td_system *system, td_state *state, double now, double t);
// What it would read of this state, whatever an estimator believes.
void sensor_truth(const td_system *system, const td_state *state, int index, double *reading);
// The kinds of outputs that it is made of, by which slopes follow; none: 0.
int sensor_quantities(const td_system *system, const sensor *s, td_quantity which[2]);
int sensor_rows_of(const td_system *system, int index);  // of these outputs, at all places
// td_sensor_outputs and td_sensor_slopes, of sensors of the estimator too.
int sensor_outputs(const td_system *system, int index, td_output *outputs);
td_status sensor_slopes(const td_system *system, const td_state *state, int index,
                        const double *of_outputs, int n, double *slopes);
// Does it feel inputs beside what its outputs do of them?
bool sensor_follows_inputs(const td_system *system, const sensor *s);
// Of an accelerometer: by the velocities (3 n_places, world) where the last step began; rows of `stride`.
void sensor_clone_slopes(const td_system *system, const td_state *state, int index, int stride,
                         double *slopes);
// Of an accelerometer: velocities of its places now (3 n_places), and its mean acceleration since they were `before`, a span (s) ago.
void sensor_velocities(const td_system *system, const td_state *state, int index, double *v);
void sensor_accelerate(const td_system *system, td_state *state, int index, const double *before,
                       double span);
// Every sensor of the robot, or of the estimator, reads now, and has no past.
void sensors_at_rest(const td_system *system, td_state *state, bool estimated);
