// tendril/loop.h - the loop around a robot: what sensors read of its state.
//
// A robot's sensors (td_sensor_def) take readings after steps, at their own rates, and a reading is there after its delay. Readings,
// those on their way, drifts and counters are part of the state and of its snapshots. Noise is drawn by counting: the
// same seed gives the same bits, whatever other sensors there are.
#pragma once

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- sensors
TD_API int td_n_sensors(const td_system *system);
TD_API const char *td_sensor_name(const td_system *system, int sensor);  // NULL: there is no such
TD_API int td_find_sensor(const td_system *system, const char *name);    // -1: none
TD_API int td_sensor_channels(const td_system *system,
                              int sensor);  // numbers of a reading; 0: no such
TD_API const char *td_sensor_unit(const td_system *system,
                                  int sensor);  // of all of them; "1": none
// "camera.x", "gauges.3"; of a sensor with one channel its own name. "" where there is no such.
TD_API const char *td_sensor_channel(const td_system *system, int sensor, int channel, char *text,
                                     size_t size);

// The latest reading that is there (channels numbers), and when it was taken (may be NULL). Returns how many have arrived since the
// state began; 0: none yet, all 0. Instants are those of the sensor's rate, at the first step that ends there
// or later; at rest, after td_begin and td_solve_statics, every sensor reads at once, without delay.
TD_API int td_get_sensor(const td_system *system, const td_state *state, int sensor,
                         double *reading, double *taken);
// What a perfect sensor would read now. An accelerometer has the mean acceleration over the last step; a sensor of an estimate ("estimate.tip.x") has
// what the estimator of the robot believes, which then runs within td_step: tendril/estimate.h.
TD_API td_status td_get_sensor_truth(const td_system *system, const td_state *state, int sensor,
                                     double *reading);
// Every sensor reads now and at once, whatever its rate and delay.
TD_API td_status td_read_sensors(const td_system *system, td_state *state);
// Noise of another run: 0 .. 2^53. td_begin and td_state_reset start with options.seed (simulation.seed).
TD_API td_status td_set_seed(const td_system *system, td_state *state, double seed);

// Derivatives of the truth: the outputs that a sensor is made of, whose slopes td_linearise, td_solve_step_map and
// td_differentiate_step give, and the slopes of its channels from those. Returns how many outputs there are;
// outputs may be NULL. 0: it has none: forces on obstacles, estimates, and displacements of tendons that rub and stretch.
TD_API int td_sensor_outputs(const td_system *system, int sensor, td_output *outputs);
// slopes (channels x n), row major, from those of its outputs (their rows x n), at the present state.
TD_API td_status td_sensor_slopes(const td_system *system, const td_state *state, int sensor,
                                  const double *of_outputs, int n, double *slopes);
// What comes to that. Of an accelerometer, whose mean over the last step follows the velocity where that began, too: from slopes of
// its outputs there; of others 0.
TD_API td_status td_sensor_slopes_before(const td_system *system, const td_state *state, int sensor,
                                         const double *of_outputs, int n, double *slopes);
// And by inputs that it reads itself (channels x n_inputs): a displacement that is given, gravity that inputs turn; else 0.
TD_API td_status td_sensor_slopes_by_inputs(const td_system *system, const td_state *state,
                                            int sensor, double *slopes);

// ---------------------------------------------------------------- motors and valves
// What drives an actuator whose input is a command (td_motor_def, td_valve_def): it moves with the shape, in the same
// implicit step. At rest it holds what it is told to hold.
typedef struct td_drive_state {
    double angle, speed;  // rad, rad/s, of the spool or pump
    double current;       // A
    double torque;        // N m, at the rotor
    double flow;          // of a valve, into the chamber: mol/s of gas, m^3/s of liquid
    double kinetic;       // J, of the rotor
    double coil;          // J, in the field of its coil, of one whose voltage is given
    double work;  // J, since the last equilibrium: what its amplifier gave it, or what the supply
                  // of a valve did (of a gas, what it could do on its way to the atmosphere),
    double lost;  // and of it, what friction, gear, the coil's resistance or the valve took
} td_drive_state;
TD_API bool td_is_driven(const td_system *system, int actuator);
TD_API td_drive_state td_get_drive(const td_system *system, const td_state *state, int actuator);

// ---------------------------------------------------------------- controllers
// They act in td_advance, which follows the file; td_step takes the inputs that are set. What they keep is part of the state and
// of its snapshots; an equilibrium starts them anew.
TD_API int td_n_controllers(const td_system *system);
TD_API const char *td_controller_name(const td_system *system,
                                      int controller);                     // NULL: there is no such
TD_API int td_find_controller(const td_system *system, const char *name);  // -1: none
// The inputs that it adds to; returns their number. inputs may be NULL.
TD_API int td_controller_inputs(const td_system *system, int controller, int *inputs);
// What it says now: (its inputs) added to their signals. Returns their number; said may be NULL.
TD_API int td_get_controller(const td_system *system, const td_state *state, int controller,
                             double *said);
// For loops of td_step: those that are due act, and what controllers say is added to the inputs as they are set now. td_advance does it.
TD_API void td_apply_controllers(const td_system *system, td_state *state);
TD_API td_status td_set_controller_on(const td_system *system, td_state *state, int controller,
                                      bool on);  // off: it says 0
TD_API bool td_controller_is_on(const td_system *system, const td_state *state, int controller);
// The function of a TD_CONTROLLER_CALLBACK: fills said (n), from a state that it must not change. It is no part of snapshots.
typedef void td_controller_function(const td_system *system, const td_state *state, double t,
                                    double *said, int n, void *context);
TD_API td_status td_set_controller(const td_system *system, td_state *state, int controller,
                                   td_controller_function *function, void *context);

// The gain of u+ = -K (x, u) that makes the sum over all steps of x'Q x + u+'R u+ least, for small motions of steps of dt about the equilibrium
// of the last td_solve_step_map: x the coordinates and rates, u what was said last. Q (n_states x n_states), R (m x m), K (m x (n_states + m)),
// P may be NULL ((n_states + m) squared): the least sum from a start X is X'P X. This allocates. TD_ERR_UNSUPPORTED: schemes that
// remember more than coordinates and rates (take sdirk2). TD_ERR_SINGULAR: there is no such gain: what is
// unstable is not reached by these inputs.
TD_API td_status td_design_lqr(td_linearisation *l, const int *inputs, int m, const double *Q,
                               const double *R, double *K, double *P);

// For predictive control: x, where it begins, becomes the x that makes 1/2 x'H x + g'x least with low <= x <= high. H (n x n)
// symmetric and positive definite, row major; bounds may be infinite; scratch (td_box_qp_doubles). Nothing is allocated. Returns the
// iterations, a handful where it begins near; -1: H is not positive definite, or a number is none.
TD_API size_t td_box_qp_doubles(int n);
TD_API int td_box_qp(int n, const double *H, const double *g, const double *low, const double *high,
                     double *x, double *scratch);

#ifdef __cplusplus
}
#endif
