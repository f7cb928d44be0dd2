// model/model.h - the interface that every formulation implements, and the registry of them.
//
// A model is one constant table of functions. It compiles a robot into its own immutable data,
// lays out the memory of a trajectory, and computes. It never allocates after `compile`, never
// reads a file and never prints. Transactions, finiteness, time, inputs and their history are kept
// by sim/ for all models alike, so a model may leave its memory half changed when it fails.
#pragma once

#include "actuation/actuator.h"
#include "math/se3.h"
#include "model/lanes.h"
#include "robot/options.h"
#include "solve/step.h"
#include "solve/step_map.h"

typedef enum shape_origin { SHAPE_SET, SHAPE_IN_EQUILIBRIUM, SHAPE_MOVED } shape_origin;

static inline td_pose pose_from(const mat3 *R, vec3 p) {
    td_pose out;
    vec3_store(out.p, p);
    quat_store(out.q, quat_from_mat3(R));
    return out;
}

// What a coordinate is, in words: "node3.curvature_x" of a rod, "rotation_x" of a body.
typedef struct coordinate_words {
    int rod, body;     // of which it is, in the robot; -1: none
    char what[64];     // without the name of its owner
    const char *unit;  // "1": none
} coordinate_words;
// Of a frame: rotation vector and position.
extern const char *const frame_words[6], *const frame_units[6];
coordinate_words base_words(int rod, int k);  // of a free base

typedef void contact_visit(void *context, const td_contact_point *at);

typedef struct td_model {
    const char *name, *title, *reference;
    feature_set features;
    // Which options it reads, or refuses, beside those of src/solve: names and groups below
    // `simulation`, ended by NULL. What is not among them is left out of snapshots and results, and a
    // note says that it does nothing.
    const char *const *reads;
    bool slopes;  // its parts have exact ones (mechanics.slopes): contact can be linearised
    bool
        absolute;  // its coordinates stand in the world: a base that jumps in velocity leaves their rates

    // NULL on failure, with err filled. The actuators of the robot, made once for all; they outlive
    // what is compiled.
    void *(*compile)(const td_robot *robot, const actuator *actuators, const td_options *options,
                     td_error *err);
    void (*release)(void *compiled);

    // What it only approximates in this robot, in words with its place first; NULL past the last.
    // NULL: nothing.
    const char *(*note)(const void *compiled, int index);

    // Places a trajectory's memory and returns the model's own struct of pointers into it.
    // `keep` takes doubles only: all that decides the future; it is saved, restored, and checked to
    // be finite as one block. `work` takes the rest. Runs twice: to count (then it returns NULL),
    // and to place.
    void *(*layout)(const void *compiled, arena *keep, arena *work);

    // What a model needs beyond that block, for instance an integrator from another library, which
    // allocates by itself: made once for a state that td_state_create makes, released with it. A
    // state in the caller's memory cannot have it. `outside`: is it needed? NULL: never.
    bool (*outside)(const void *compiled);
    bool (*attach)(const void *compiled, void *memory);  // false: out of memory
    void (*detach)(void *memory);

    // The parts that all questions are answered on, by src/solve: see mechanics.h. memory NULL: only
    // sizes are asked for. `statics` and `step` are there for a model that answers them by
    // itself; NULL, each: src/solve does.
    int (*n_parts)(const void *compiled);
    solve_part (*part)(const void *compiled, void *memory, int index);
    int (*part_of)(const void *compiled, const model_point *at);  // NULL: the one of its rod
    // The same parts at any instant of a motion, and what makes a configuration of one the current
    // shape: for a model that steps by itself. NULL: `part`, whose memory holds it. No coordinates
    // (n_q = 0): its motions cannot be asked.
    solve_part (*motion)(const void *compiled, void *memory, int index);
    step_scheme (*scheme)(const void *compiled, double dt);  // of its steps, even ones of dt
    td_status (*take)(const void *compiled, void *memory, const model_call *call, int index,
                      const solve_instant *at, const configuration *c);
    // Coordinate k of a part, of those that it moves in; NULL: they have numbers instead of names.
    coordinate_words (*coordinate)(const void *compiled, int part, int k);
    // There is a new shape: keeps what outputs tell of (efforts, bases), counts slack tendons in the
    // statistics, and may say in *status and, where there are none yet, in words what is wrong with
    // it. at: the end of the step, or rest. Returns the energy stored in actuators, J. NULL: nothing.
    double (*finish)(const void *compiled, void *memory, const model_call *call,
                     const solve_instant *at, shape_origin from, td_status *status);

    void (*reset)(const void *compiled, void *memory, const model_call *call);
    // fresh: the history before now must not be used (start, or a load has jumped).
    td_status (*step)(const void *compiled, void *memory, const model_call *call, double dt,
                      bool fresh);

    // As `step`, to the bit, and its derivative: see step_map.h. What has none is refused, in words. NULL: src/solve has it.
    td_status (*step_slopes)(const void *compiled, void *memory, const model_call *call, double dt,
                             bool fresh, step_slopes *out);

    // See td_inverse_dynamics; NULL where a model has none. forces or efforts may be NULL; the memory may
    // serve as scratch.
    td_status (*inverse_dynamics)(const void *compiled, void *memory, const model_call *call,
                                  const double *q, const double *q_t, const double *q_tt,
                                  double *forces, double *efforts);
    bool finds_efforts;  // and efforts, too
    bool
        accelerates;  // coordinates are plain numbers, and src/solve finds their accelerations anywhere
    // See td_fit_shape; NULL where a model cannot.
    td_status (*fit)(const void *compiled, void *memory, const model_call *call, int rod,
                     const double *points, const double *s, int n);

    td_sample (*sample)(const void *compiled, const void *memory, int rod, double s);
    td_pose (*pose)(const void *compiled, const void *memory, int rod,
                    double s);  // NULL: the sample's
    td_energy (*energy)(const void *compiled, const void *memory, const double *inputs);
    double (*length)(const void *compiled, const void *memory, int rod);
    // NULL where the model has no such parts.
    td_actuator_state (*actuator)(const void *compiled, const void *memory, int index);
    // At s of the rod, within its ends. NULL: the same all along.
    double (*effort)(const void *compiled, const void *memory, int index, double s);
    td_body_state (*body)(const void *compiled, const void *memory, int body);
    // See td_get_reaction; world axes, without point loads at the very base. NULL: none. inputs: as
    // the last equilibrium or step had them.
    vec6 (*reaction)(const void *compiled, const void *memory, int rod, td_end end,
                     const double *inputs);
    // See td_get_hold_reaction; of a body that is held. NULL: none.
    vec6 (*hold_reaction)(const void *compiled, const void *memory, int body, const double *inputs);
    // Visits all points that touch obstacles; NULL: nothing does.
    void (*contacts)(const void *compiled, const void *memory, contact_visit *visit, void *context);
    // Of the origin of a body at the end of the last step, in its axes: angular, linear.
    vec6 (*acceleration)(const void *compiled, const void *memory, int body);

    // Many trajectories side by side; NULL: it has no kernel for that.
    const model_lanes *lanes;
} td_model;

const td_model *model_find(const char *name);  // NULL: none of that name
bool model_reads(const td_model *model, const sim_option *option, const td_options *options);

// Which features a robot needs under these options.
feature_set features_needed(const td_robot *robot, const td_options *options);

// Of a model that takes any functional of the shape for an actuator.
#define ANY_ACTUATOR                                                                               \
    (1ull << TD_FEATURE_TENDONS | 1ull << TD_FEATURE_MOTORS | 1ull << TD_FEATURE_CHAMBERS |        \
     1ull << TD_FEATURE_VALVES)
// Of one that has the strains of sections, which these change at rest or in stiffness.
#define ANY_SECTION_DRIVE                                                                          \
    (1ull << TD_FEATURE_MUSCLES | 1ull << TD_FEATURE_TEMPERATURES | 1ull << TD_FEATURE_STIFFENERS)
// Of a model that asks src/environment at its points.
#define ANY_SURROUNDING                                                                            \
    (1ull << TD_FEATURE_DRAG | 1ull << TD_FEATURE_MAGNETS | 1ull << TD_FEATURE_FLUID)
