// sim/solver.h - what is asked of a robot, answered by src/solve on the parts that its model gives.
#pragma once

#include "sim/system.h"
#include "solve/part_slopes.h"
#include "solve/step_map.h"

void solver_layout(const td_system *system, arena *keep, arena *work, solver_memory *out);
bool solver_needs_outside(const td_system *system);  // what td_state_create alone can give
bool solver_attach(const td_system *system, td_state *state);
void solver_reset(const td_system *system, td_state *state, const model_call *call);
// The shape in the kept memory is new: energies and what steps keep start anew.
td_status solver_start(const td_system *system, td_state *state, const model_call *call);

td_status solver_statics(const td_system *system, td_state *state, const model_call *call);
td_status solver_step(const td_system *system, td_state *state, const model_call *call, double dt,
                      bool fresh);
// The same with its derivative; TD_ERR_UNSUPPORTED, in words: it has none. out->scratch begins where a cache line
// does. state NULL: sizes alone are asked for.
td_status solver_step_slopes(const td_system *system, td_state *state, const model_call *call,
                             double dt, bool fresh, step_slopes *out);
// td_step, and its derivative: sim/step.c.
td_status step_with_slopes(const td_system *system, td_state *state, double dt,
                           step_slopes *slopes);
td_status solver_jacobian(const td_system *system, td_state *state, const model_call *call,
                          const jacobian_part *asked, double *J);
// By a way that leaves the state alone; false: there is none.
bool solver_quick_jacobian(const td_system *system, td_state *state, const model_call *call,
                           const jacobian_part *asked, double *J);
td_status solver_compliance(const td_system *system, td_state *state, const model_call *call,
                            const model_point *at, const model_point *load, double *C);
// out (n x 6): how n points, of rods and of free bodies, answer to a parameter.
td_status solver_sensitivity(const td_system *system, td_state *state, const model_call *call,
                             const step_parameter *by, const model_point *at, int n, double *out);
// What rubs keeps its past: an equilibrium then is not that of its inputs alone.
bool rests_on_its_past(const td_robot *robot, const td_options *options);
// The same as a question to a state, which is checked and stays: td_get_sensitivity of several points at once.
td_status points_sensitivity(const td_system *system, td_state *state, const step_parameter *by,
                             const model_point *at, int n, double *out);
td_status solver_inverse(const td_system *system, td_state *state, const model_call *call,
                         inverse_task *task, double gap[6]);
td_status solver_stability(const td_system *system, td_state *state, const model_call *call,
                           double *smallest);
// Has the other robot the same parts, so that it may ask with a state of the one? The state is then the one's own.
bool solver_same_parts(const td_system *a, const td_system *b, const td_state *state);
td_energy solver_energy(const td_system *system, const td_state *state, const double *inputs);

int solver_n_parts(const td_system *system);
// A part at any instant of a motion; state NULL: only sizes.
solve_part solver_motion(const td_system *system, const td_state *state, int i);
// The same with the multipliers that a step solves for.
solve_part solver_moving(const td_system *system, const td_state *state, int i);
// Makes a configuration of a part the current one; outputs follow it after solver_start.
td_status solver_take(const td_system *system, td_state *state, const model_call *call, int i,
                      const solve_instant *at, const configuration *c);
// The same as if a step had ended there, so that outputs tell of it; r: (n) scratch.
td_status solver_show(const td_system *system, td_state *state, const model_call *call, int i,
                      const solve_instant *at, const configuration *c, double *r);
// The part that it acts on.
int solver_part_of_actuator(const td_system *system, const actuator *a);
// Those of motors and valves come last.
int solver_n_coordinates(const td_system *system);  // 0: they cannot be had
int solver_n_shape_coordinates(const td_system *system);
void solver_get_coordinates(const td_system *system, const td_state *state, double *q, double *q_t);
td_status solver_set_coordinates(const td_system *system, td_state *state, const model_call *call,
                                 const double *q, const double *q_t);
