// tendril/batch.h - many robots at once: n states of one system, on several threads, in wide registers, or on a GPU.
//
// A batch is one of these kinds, behind the same calls:
//   states   an ordinary td_state for each robot, whatever the model
//   lanes    several robots side by side in registers, where the model has a kernel for this robot; a
//            robot that the kernel does not bring to the end of a step goes on alone, by td_step
//   gpu      the same kernel on a GPU, a thread for each node or robot, by the library libtendril_gpu.so
//            (`make gpu`), which is loaded when such a batch is made
// A robot's result does not depend on its neighbours, on the number of threads or on the width of
// registers, to the bit; on a GPU sums of products are fused, and results are the same to rounding. The kinds
// agree to the tolerance of the solver.
#pragma once

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_batch td_batch;

typedef enum td_batch_kind {
    TD_BATCH_ANY,  // lanes where there are any for this robot, otherwise states
    TD_BATCH_STATES,
    TD_BATCH_LANES,  // or an error that says why not
    TD_BATCH_GPU     // the same
} td_batch_kind;

typedef struct td_batch_options {
    td_batch_kind kind;
    int threads;          // at least 1: the caller's
    int width;            // of lanes: 1, 4 or 8 robots; 0: what this processor does best
    const char *library;  // of the GPU: its path; NULL: found as libraries are
    bool
        single;  // on the GPU: steps in single precision, faster and less exact; records are doubles all the same
} td_batch_options;

TD_API td_batch_options td_default_batch_options(void);  // any kind, one thread, best width

// All robots in the rest shape at time 0, with their first inputs. The system must outlive the batch. options
// may be NULL. NULL on failure.
TD_API td_batch *td_batch_create(const td_system *system, int n, const td_batch_options *options,
                                 td_error *err);
TD_API void td_batch_destroy(td_batch *batch);  // NULL is fine

TD_API int td_batch_n(const td_batch *batch);
TD_API td_batch_kind td_batch_kind_of(const td_batch *batch);  // states, lanes or gpu
TD_API int td_batch_width(const td_batch *batch);              // robots side by side; 1 for states
// Why it is not of the other kind: "a tendon has friction"; "" of lanes, and where states were asked for.
TD_API const char *td_batch_reason(const td_batch *batch);
TD_API size_t td_batch_bytes(const td_batch *batch);  // all that it holds, but for systems

// ------------------------------------------------- robots that differ
// From now on these robots (`which` (n); NULL: all) are built as `system` says, and start anew. It has the structure of
// the batch's own, which is that of one file with other numbers: moduli, masses, lengths, loads, routes, gains; not other
// parts, inputs or options, nor, in lanes, parts in other places along the rod that cut it. It must outlive the batch.
// On failure nothing changes.
TD_API td_status td_batch_set_system(td_batch *batch, const td_system *system, const bool *which,
                                     td_error *err);
// The same, by numbers of the robot's file (of one built in code: td_robot_write): values (n x n_paths) at paths such as "bodies.payload.mass", SI. Those
// that are not named are as the robot's file says, whatever was set before. It is read and compiled again for each robot
// (about half a millisecond, 25 kB). Only in builds with the file reader.
TD_API td_status td_batch_set_parameters(td_batch *batch, const td_robot *robot,
                                         const char *const *paths, int n_paths,
                                         const double *values, const bool *which, td_error *err);
// What a robot is built as: for td_get_* on a state that it was read to. NULL: there is no such robot.
TD_API const td_system *td_batch_system(const td_batch *batch, int robot);

// ------------------------------------------------- real-time section
// Nothing below allocates. Calls on one batch come one after the other. `which` (n): the robots that a call is
// for, NULL: all of them.

// (n x td_n_inputs) by rows, to be written by the caller: what td_set_input would set, given to the robots
// by the next step or equilibrium.
TD_API double *td_batch_inputs(td_batch *batch);

// `steps` steps of dt each, as td_step; a robot that fails stays as it was before the step that failed, and
// takes no more. Returns how many robots failed.
TD_API int td_batch_step(td_batch *batch, double dt, int steps, const bool *which);
// Equilibrium of each, as td_solve_statics. Returns how many failed.
TD_API int td_batch_statics(td_batch *batch, const bool *which);
// Coordinates and rates that the robot's `initial` names, from the shape that is there, as td_apply_initial. Returns
// how many failed.
TD_API int td_batch_apply_initial(td_batch *batch, const bool *which);
TD_API void td_batch_reset(td_batch *batch, const bool *which);    // td_state_reset; inputs too
TD_API void td_batch_restart(td_batch *batch, const bool *which);  // td_restart

// Of the last call that computed.
TD_API const td_status *td_batch_statuses(const td_batch *batch);  // (n); TD_OK of those left out
// Why a robot failed, in words; "" where it did not. Of many that fail, the words of the first hundred are kept.
TD_API const char *td_batch_message(const td_batch *batch, int robot);
// How many steps of robots the kernel did not bring to their end, and td_step took: violent motions.
TD_API long long td_batch_alone(const td_batch *batch);
TD_API long long td_batch_corrections(const td_batch *batch);  // of the others; 0 for states

TD_API void td_batch_get_times(td_batch *batch, double *out);  // (n) s
// Of a rod at `points` arc lengths s, as td_get_sample and td_get_pose: (n x points). A robot whose rod has another
// length is asked at the same share of it: the tip is the tip.
TD_API void td_batch_get_samples(td_batch *batch, int rod, const double *s, int points,
                                 td_sample *out);
TD_API void td_batch_get_poses(td_batch *batch, int rod, const double *s, int points, td_pose *out);
// (n). On a GPU what is dissipated and done is counted only of steps that the processor took.
TD_API void td_batch_get_energies(td_batch *batch, td_energy *out);
TD_API void td_batch_get_actuators(td_batch *batch,
                                   td_actuator_state *out);            // (n x td_n_actuators)
TD_API void td_batch_get_bodies(td_batch *batch, td_body_state *out);  // (n x td_n_bodies)
// How a point of each robot's rod answers to its inputs, as td_get_jacobian: (n x 6 x td_n_inputs). Returns how many
// failed, whose numbers are 0; td_batch_statuses and td_batch_message tell of this call.
TD_API int td_batch_get_jacobians(td_batch *batch, int rod, double s, double *out);

// One robot out of the batch and into it, with its time, inputs and past: of a state of its system
// (td_batch_system). TD_ERR_ARGUMENT: there is no such robot, or the state is of another system.
TD_API td_status td_batch_read(td_batch *batch, int robot, td_state *to);
TD_API td_status td_batch_write(td_batch *batch, int robot, const td_state *from);

// ------------------------------------------------- on a GPU, for programs that compute there
// Of a batch of the kind gpu; of others TD_ERR_UNSUPPORTED. Doubles by rows in memory of the batch on its device, which
// stays where it is as long as the batch.
typedef struct td_device_array {
    void *data;
    long long shape[2];
    int device_type, device;  // as DLPack counts: 2 is CUDA; 1 a processor that stands in for one
} td_device_array;
#define TD_TIP_NUMBERS 13

// (n x td_n_inputs) to be written there. After td_batch_use_device_inputs, by when that work is finished, the next step or
// equilibrium takes them in place of td_batch_inputs.
TD_API td_status td_batch_device_inputs(td_batch *batch, td_device_array *out);
TD_API td_status td_batch_use_device_inputs(td_batch *batch);
// (n x TD_TIP_NUMBERS) the tip of each robot's rod, found now: position (3), quaternion (4), angular and linear velocity
// in the body (6), as td_sample has them.
TD_API td_status td_batch_device_tips(td_batch *batch, td_device_array *out);

#ifdef __cplusplus
}
#endif
