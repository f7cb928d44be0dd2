// model/cosserat/memory.h - one trajectory of the Cosserat model.
#pragma once

#include "base/pool.h"
#include "model/cosserat/rod.h"
#include "model/cosserat/time_formula.h"
#include "model/model.h"

// The state at a node: p, h (quaternion), n, m in the world; q, w in the body.
enum { Y_P = 0, Y_H = 3, Y_N = 7, Y_M = 10, Y_Q = 13, Y_W = 16, Y_SIZE = 19 };
static inline se3 state_pose(const double *y) {
    return (se3){quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
}
// What has a rate: strain u, v (less the rest strain), then w and q.
enum { F_U = 0, F_V = 3, F_W = 6, F_Q = 9, F_SIZE = 12 };

typedef struct rod_memory {
    const rod *r;  // the rod as it is now: the compiled one, or `view`
    rod *view;     // a copy of it with the present length and sections; NULL unless it is fed, or
                   // follows its mean stretch
    element *view_elements;
    double *view_weights;
    double *view_row;  // (n_nodes) scratch
    double *stretch;   // kept (1) that its sections have; NULL unless they follow it
    double *made_for;  // (1) the stretch, and of which compiled rod, of
    const rod **made_of;
    section_law *view_laws;        // (n_nodes)
    rod_actuator *view_actuators;  // (n_actuators)
    actuator *view_drives;         // (n_actuators)
    route_point *view_routes;      // (n_points)
    double *inner;                 // kept (r->n_inner) what sections remember: material/law.h
    double *then;       // the same where the material now at a node was: `inner`, or of what is fed
    double *came;       // (r->n_inner) scratch of that; NULL: nothing that is fed remembers
    double elapsed;     // s since then, for the shape in progress; HUGE_VAL: it rests
    double *lengths;    // kept (3) m: now, and at the last two steps
    double *nodes;      // kept (n_nodes x Y_SIZE) the current shape
    double *bounds;     // kept (n_elements + 1 x Y_SIZE) at the base and at the elements' far ends,
                        // before the point loads there
    double *fields[3];  // kept (n_nodes x F_SIZE) what has a rate: now, and at the last two steps
    double *rate;       // kept (n_nodes x F_SIZE) d fields[0]/dt
    double *history;    // (n_nodes x F_SIZE) y_t - c0 y
    double *carried;    // (n_nodes x F_SIZE) scratch, of a rod that is fed
    double *ends[3];    // kept (n_elements x 6) w, q at the far ends, where bodies ride: as fields
    double *end_rate;   // kept (n_elements x 6)
    double *end_history;  // (n_elements x 6)
    double *efforts[3];   // kept (n_efforts) unknown efforts: now, and at the last two steps
    double *tensions;     // kept (n_points) effort at each node of each actuator
    double *grips;        // kept (n_points) friction: grip of the edge before each node ...
    double *passed[3];  // kept (n_points) ... and material that lies beyond it, negative: as fields
    double *passed_rate;     // kept (n_points)
    double *passed_history;  // (n_points)
    double *given_now;       // kept (n_actuators) what the inputs gave in the current shape
    double *given;       // (n_actuators) what they give the shape in progress; commands of engines
    double given_share;  // of that, on a path of equilibria
    engine_stage *engines;  // of the state; NULL: there are none
    double *trial;          // (n_nodes x Y_SIZE) the shape in progress ...
    double *trial_bounds;   // (n_elements + 1 x Y_SIZE)
    double *strains;        // (n_nodes x 6) ... and its strains,
    double *trial_efforts, *trial_tensions, *trial_grips, *trial_passed;
    element_loads *loads;  // (n_elements)
    surroundings *around;  // (1) NULL where r->around is
    se3 *obstacles;        // (n_obstacles) their frames for the shape in progress ...
    se3 *frames;           // kept (n_obstacles) ... and for the current one
    double *slips;  // kept (n_nodes + 1 x n_obstacles x CONTACT_KEPT) see environment/contact.h
    double *trial_slips;  // (n_nodes + 1 x n_obstacles x CONTACT_KEPT)
    double *last, *pace;  // (n_nodes + 1 x n_obstacles), (1) see touch_memory
    double touching;      // which nodes of the shape that was evaluated last touch, as a number
    double *touching_in;  // (n_elements) the same of each element
    double *held;         // (n_nodes x n_obstacles) m, depths of the current shape
    bool holding;         // see contact_hold
    int *pieces;          // (n_nodes x n_obstacles) see obstacle_is_far: no answer depends on them
    double *sticks;  // kept (1) 0: the current shape is no equilibrium that friction could hold
    vec6 *pushes;    // (places) what other parts do to it, where it meets any: moment, force
    mat3 *levers;    // (n_elements + 1) F^ a^ of forces at arms on the bounds
    vec6 *pushed;    // kept (places) the same in the current shape
    const touch_memory *touch;  // where r->touch is
    double *unknowns[4];        // (n_unknowns each) scratch for following a load
    void *own;                  // the scheme's
} rod_memory;

static inline supply rod_supply(const rod_memory *m, const rod_actuator *ra, int which) {
    return actuator_supply(ra->a, m->given[which], m->given_share, m->engines);
}

// A free body. Its pose (position, quaternion) and its velocity (w, q in the body) are fields with a
// rate, as strains and velocities are in a rod.
enum { B_P = 0, B_H = 3, B_W = 7, B_Q = 10, B_SIZE = 13 };

typedef struct body_memory {
    double *fields[3];  // kept (B_SIZE) now, and at the last two steps
    double *rate;       // kept (B_SIZE)
    double *history;    // (B_SIZE)
    double *trial;      // (B_SIZE) in progress
} body_memory;

// Kept once. All doubles: see model.h.
typedef struct cosserat_time {
    double past[2];           // the last two steps, newest first, s
    double levels;            // usable past states; 0: at rest, any past is the present
    double guesses;           // past states that a guess may extrapolate
    double dissipated, work;  // J, since the start
    double dissipation_power, load_power;  // W, at the end of the last step
} cosserat_time;

// Of a joint at the end of the last step: of its spring, and of the shaft of its motor.
enum { SPRING_PULL, SPRING_REST, SHAFT_TORQUE, SHAFT_TURN, SHAFT_SUPPLIED, N_SPRING };

typedef struct cosserat_memory {
    cosserat_time *time;
    rod_memory *rods;
    body_memory *bodies;                 // (n_bodies)
    touch_memory touch;                  // of free bodies
    pairs_memory pairs;                  // of parts with one another
    double *springs;                     // kept (n_joints x N_SPRING) see springs.c
    engine_stage *engines;               // of the state; NULL: there are none
    double *reactions[3];                // kept (of all joints) now, and at the last two steps
    struct assembly_memory *assemblies;  // (n_assemblies) see assembly.h
    pool *helpers;                       // threads that take rods of an assembly; NULL: none
    double *half_loads;                  // (n_inputs) within a step: loads,
    double *half_inputs, *half_rates;    // (n_inputs) what moves, and how fast
    struct step_columns *columns;  // while the derivative of a step is asked for: step_slopes.h
} cosserat_memory;

// Weights of a guess at dt from the last one, two or three states (Lagrange, uneven grid).
void extrapolation_weights(const cosserat_time *time, double dt, double w[3]);

// ---------------------------------------------------------------- energy.c
td_energy cosserat_energy(const void *compiled, const void *memory, const double *inputs);
// Powers of damping and drag, and of loads and base motion, in the current state. `loads` of each
// rod must be set.
void cosserat_power(const cosserat *c, const cosserat_memory *m, const double *inputs,
                    double *dissipation, double *load);
// What the material that was pushed out of the bases, or added at the tips, in the last step of dt holds.
double cosserat_fed_energy(const cosserat *c, cosserat_memory *m, const double *inputs, double dt);

// ---------------------------------------------------------------- touching.c
// The current state of all bodies is accepted.
void bodies_keep_touch(const cosserat *c, const cosserat_memory *m, shape_origin from);
double bodies_touch_energy(const cosserat *c, const cosserat_memory *m, const double *inputs);
// W, added.
void bodies_touch_power(const cosserat *c, const cosserat_memory *m, double *dissipation,
                        double *load);

// ---------------------------------------------------------------- pairs.c
// The shapes in progress become the current ones, of all rods and bodies; before they do.
void pairs_accept(const cosserat *c, cosserat_memory *m, shape_origin from);
double pairs_slid(const cosserat *c, cosserat_memory *m);  // J, taken by friction on the way there
double pairs_stored(const cosserat *c, cosserat_memory *m, bool trial);  // J
void pairs_tell(const cosserat *c, cosserat_memory *m, contact_visit *visit, void *context);
void pairs_along(const cosserat *c, cosserat_memory *m, int rod_index, double s, td_sample *out);

// ---------------------------------------------------------------- dynamics.c
// The compiled rod at a length: itself, or m->view.
const rod *rod_of_length(const rod *compiled, const rod_memory *m, double length);
void rod_layout(const cosserat *c, const rod *r, arena *keep, arena *work, rod_memory *out);
// Sets the loads, the actuators' inputs and the length of a rod for the shape in progress.
void rod_prepare(const rod *compiled, rod_memory *m, const double *inputs, double scale);
// Its obstacles, among what moves.
void rod_prepare_obstacles(const rod *compiled, rod_memory *m, const double *inputs);
// Refuses a shape in progress that no section law describes: stretched ten times, or turned inside out.
td_status memory_check(const rod *r, const rod_memory *m, char *message);
// Makes the shape in progress the current one: nodes, strains and velocities.
void memory_accept(const rod *r, rod_memory *m);
// What has slid since is of the past: tendons stand still.
void memory_rest_tendons(const rod *r, rod_memory *m);
void note_resolution(const cosserat *c, const cosserat_memory *m, td_stats *stats);
// Corrections that a way to an equilibrium may take where parts touch one another, each a millisecond or less: from far away
// it may lead nowhere, and be looked for in ever smaller steps.
#define COSSERAT_PATIENCE 4000
// Moves to rest under the present inputs in steps that pass through no obstacle.
td_status cosserat_relax(const cosserat *c, cosserat_memory *m, const model_call *call);
td_status cosserat_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh);

// ---------------------------------------------------------------- stretch.c
void stretch_layout(const rod *r, arena *keep, arena *work, rod_memory *m);
// m->view, that of the length, with sections and actuators of the stretch that is kept.
void stretch_view(const rod *compiled, const rod_memory *m);
// Takes the stretch of strains x (less those at rest, at the given stride), and makes that the view's.
void rod_stretch(const rod *compiled, rod_memory *m, const double *x, size_t stride);
// How the stretch of these strains answers to changes: ds (m) += that along dx, rows of strains at the given stride.
void rod_stretch_along(const rod *compiled, const double *x, size_t stride, int m, const double *dx,
                       size_t rows, double *ds);
// Sections of all rods that follow theirs take that of the present shape; returns the largest change.
double cosserat_follow(const cosserat *c, cosserat_memory *m);
// The same when a step begins, with its energy accounted for.
void cosserat_follow_step(const cosserat *c, cosserat_memory *m, const double *inputs);

// ---------------------------------------------------------------- mechanics.c, motion.c, stability.c
int cosserat_n_parts(const void *compiled);
int cosserat_part_of(const void *compiled, const model_point *at);
solve_part cosserat_part(const void *compiled, void *memory, int index);
solve_part cosserat_motion(const void *compiled, void *memory, int index);
coordinate_words cosserat_coordinate(const void *compiled, int part, int k);
td_status cosserat_take(const void *compiled, void *memory, const model_call *call, int index,
                        const solve_instant *at, const configuration *x);
step_scheme cosserat_scheme(const void *compiled, double dt);
double cosserat_finish(const void *compiled, void *memory, const model_call *call,
                       const solve_instant *at, shape_origin from, td_status *status);

// ---------------------------------------------------------------- outputs.c
double cosserat_length(const void *compiled, const void *memory, int rod);
td_actuator_state cosserat_actuator(const void *compiled, const void *memory, int index);
double cosserat_effort(const void *compiled, const void *memory, int index, double s);
td_body_state cosserat_body(const void *compiled, const void *memory, int body);
vec6 cosserat_hold_reaction(const void *compiled, const void *memory, int body,
                            const double *inputs);
vec6 cosserat_reaction(const void *compiled, const void *memory, int rod, td_end end,
                       const double *inputs);
void cosserat_contacts(const void *compiled, const void *memory, contact_visit *visit,
                       void *context);
vec6 cosserat_acceleration(const void *compiled, const void *memory, int body);
