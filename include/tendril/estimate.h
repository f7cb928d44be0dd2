// tendril/estimate.h - what a robot does that is watched by sensors: its shape, and efforts and forces that nobody measures.
//
// An estimator holds a state of its own, of the robot as it is believed to be, and how sure it is of it: a covariance of
//
//     x = (changes of coordinates, changes of their rates, numbers that are not known)
//
// with coordinates as td_linearise has them and the unknowns of td_estimator_def: inputs, or the size and the place of a force, or biases of
// sensors.
//
// At rest (td_estimator_rest) the unknown numbers are those that are most likely, given readings and what was thought before,
//
//     minimise  sum ((reading - computed)/noise)^2 + sum ((number - mean)/deviation)^2
//
// over equilibria, by Gauss and Newton's method; so do the first readings of what has begun at rest, where the numbers alone are not known. In
// motion it is an iterated extended Kalman filter: td_estimator_step is a td_step
// with its derivative, td_estimator_update takes readings in. Its deviations are those of the linear theory.
//
// Where sensors of the robot measure "estimate.WHAT", or controllers are `estimated`, an estimator of its own runs within td_step, and is
// part of the state; others may be created beside it.
//
// Noise of a reading is that of its sensor: noise, density times the root of the rate, quantum/root(12), added in squares. A sensor that drifts
// has biases, from 0 on, where the unknowns say nothing of it; of a constant bias that is not among these it knows nothing. The sensor is
// part of the robot (td_sensor_def).
#pragma once

#include "tendril/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_estimator td_estimator;

// As the robot of the system says (td_robot_set_estimator, `estimator` in its file). All memory is allocated here; the system must
// outlive it. NULL, with err filled: there is no such, a sensor that has no slopes (td_sensor_outputs) or no noise, an unknown input that moves a
// base, or a robot that has no small motions (td_linearise).
TD_API td_estimator *td_estimator_create(const td_system *system, td_error *err);
TD_API void td_estimator_destroy(td_estimator *e);  // NULL is fine

// ---------------------------------------------------------------- what it says
TD_API const td_state *td_estimator_state(const td_estimator *e);  // the robot as it is believed
// Numbers that are not known: of each unknown its size, then its place where that is unknown, too.
TD_API int td_estimator_n_numbers(const td_estimator *e);
TD_API const char *td_estimator_name(const td_estimator *e, int number);  // "load", "touch.place"
TD_API const char *td_estimator_unit(const td_estimator *e, int number);
TD_API double td_estimator_get(const td_estimator *e, int number,
                               double *deviation);  // deviation may be NULL
// What such a number is in a simulated state: of its inputs, where they act, or by how much its sensor is off. NAN: nothing acts.
TD_API double td_estimator_truth(const td_estimator *e, const td_state *state, int number);
// What a sensor should read now (its channels), and how sure that is; either may be NULL. TD_ERR_UNSUPPORTED: it has no slopes.
TD_API td_status td_estimator_get_sensor(td_estimator *e, int sensor, double *reading,
                                         double *deviation);
// The covariance of the outputs of l (td_linearisation_create, of the same system), in their order: (n x n), n the sum of their td_output_size;
// rotations are small ones in the world. What l said before is gone. TD_ERR_ARGUMENT: it is of another system; TD_ERR_UNSUPPORTED: reactions, and
// efforts that are not given.
TD_API td_status td_estimator_get_outputs(td_estimator *e, td_linearisation *l, double *covariance);
TD_API bool td_estimator_uses(const td_estimator *e, int sensor);  // in motion
// Why it does not use a sensor, in motion or at rest, in words; NULL: it does.
TD_API const char *td_estimator_refusal(const td_estimator *e, int sensor, bool at_rest);
// Of x: 2 n_coordinates, what has flowed in materials that relax, all numbers, velocities where the last step began (of accelerometers, 3 for each
// place), and what readings should be that may be on their way.
TD_API int td_estimator_n(const td_estimator *e);
TD_API const double *td_estimator_covariance(const td_estimator *e);  // (n x n)
// Of the last update: the square of how far readings were off, in units of what was expected, and how many there were. In the mean
// both are equal, where noises are what they are said to be.
TD_API double td_estimator_surprise(const td_estimator *e, int *n_readings);
TD_API const char *td_estimator_message(const td_estimator *e);  // of the last call; "" if fine

// ------------------------------------------------- real-time section
// Nothing below allocates. A call that fails leaves the estimate as it was, and says why in td_estimator_message.

typedef struct td_reading {
    int sensor;
    const double *values;  // (td_sensor_channels) NAN: this one is missing
} td_reading;

// Begins as the file says, with the means of what is not known; covariances are those of equilibria under them, and `start`.
TD_API td_status td_estimator_begin(td_estimator *e);
// Its clock reads t from now on, as of td_set_time: for readings of a run that has begun.
TD_API td_status td_estimator_set_time(td_estimator *e, double t);
// What is given to the robot: before td_estimator_rest, and before a step what holds at its end. An input that is not known: TD_ERR_ARGUMENT.
TD_API td_status td_estimator_set_input(td_estimator *e, int input, double value);
// An input jumps now, as of td_restart: the next step starts afresh. td_estimator_follow knows it of the state.
TD_API void td_estimator_restart(td_estimator *e);
// The equilibrium that readings, and what was thought before, make most likely; time stays. A place along a rod is looked for from each of its places.
// TD_ERR_SINGULAR: neither says anything of a number. TD_LOOSE: it came no nearer, but did not settle.
TD_API td_status td_estimator_rest(td_estimator *e, const td_reading *readings, int n);
// Time goes on by dt. TD_ERR_UNSUPPORTED: steps that have no derivative, or that remember more than coordinates and rates (in cosserat take sdirk2).
TD_API td_status td_estimator_step(td_estimator *e, double dt);
// A sensor that comes late (td_sensor_def.delay) takes a reading now: what it should be is kept until it comes, of as many as may be on
// their way. Where there is no room for one more the oldest is given up as lost. TD_ERR_ARGUMENT: one without a delay.
TD_API td_status td_estimator_take(td_estimator *e, int sensor);
// Readings that were taken now; of a sensor that comes late, the oldest that is on its way, which has come now (all channels NAN: it was lost).
TD_API td_status td_estimator_update(td_estimator *e, const td_reading *readings, int n);
// Both, for a state of the same system, like one that td_advance has moved: goes on to its time with its inputs, but for those that are not known, and takes in
// what its sensors have read since the last call.
TD_API td_status td_estimator_follow(td_estimator *e, const td_state *state);

// All that decides its future, to the bit, as of a state (td_state_save).
TD_API size_t td_estimator_bytes(const td_estimator *e);
TD_API td_status td_estimator_save(const td_estimator *e, void *buffer, size_t bytes);
TD_API td_status td_estimator_restore(td_estimator *e, const void *buffer, size_t bytes);

#ifdef __cplusplus
}
#endif
