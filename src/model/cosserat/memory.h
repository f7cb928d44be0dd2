// model/cosserat/memory.h - one trajectory of the Cosserat model.
#pragma once

#include "model/cosserat/rod.h"
#include "model/cosserat/time_formula.h"
#include "model/model.h"

// The state at a node: p, h (quaternion), n, m in the world; q, w in the body.
enum { Y_P = 0, Y_H = 3, Y_N = 7, Y_M = 10, Y_Q = 13, Y_W = 16, Y_SIZE = 19 };
// What has a rate: strain u, v (less the rest strain), then w and q.
enum { F_U = 0, F_V = 3, F_W = 6, F_Q = 9, F_SIZE = 12 };

typedef struct rod_memory {
    double *nodes;        // kept (n_nodes x Y_SIZE) the current shape
    double *bounds;       // kept (n_elements + 1 x Y_SIZE) at the base and at the elements' far ends,
                          // before the point loads there
    double *fields[3];    // kept (n_nodes x F_SIZE) what has a rate: now, and at the last two steps
    double *rate;         // kept (n_nodes x F_SIZE) d fields[0]/dt
    double *history;      // (n_nodes x F_SIZE) y_t - c0 y
    double *trial;        // (n_nodes x Y_SIZE) the shape in progress ...
    double *trial_bounds; // (n_elements + 1 x Y_SIZE)
    double *strains;      // (n_nodes x 6) ... and its strains
    element_loads *loads; // (n_elements)
    double *unknowns[4];  // (n_unknowns each) scratch for following a load
    void *own;            // the scheme's
} rod_memory;

// Kept once. All doubles: see model.h.
typedef struct cosserat_time {
    double past[2];  // the last two steps, newest first, s
    double levels;   // usable past states; 0: at rest, any past is the present
    double guesses;  // past states that a guess may extrapolate
    double dissipated, work;              // J, since the start
    double dissipation_power, load_power; // W, at the end of the last step
} cosserat_time;

typedef struct cosserat_memory {
    cosserat_time *time;
    rod_memory *rods;
    double *half_inputs, *half_rates;  // (n_inputs) within a first step
} cosserat_memory;

// Weights of a guess at dt from the last one, two or three states (Lagrange, uneven grid).
void extrapolation_weights(const cosserat_time *time, double dt, double w[3]);

// ---------------------------------------------------------------- energy.c
td_energy cosserat_energy(const void *compiled, const void *memory, const double *inputs);
// Powers of damping and drag, and of loads and base motion, in the current state. `loads` of each
// rod must be set.
void cosserat_power(const cosserat *c, const cosserat_memory *m, double *dissipation,
                    double *load);

// ---------------------------------------------------------------- statics.c, dynamics.c
// Refuses a shape in progress that no section law describes: stretched ten times, or turned inside out.
td_status memory_check(const rod *r, const rod_memory *m, char *message);
// Makes the shape in progress the current one: nodes, strains and velocities.
void memory_accept(const rod *r, rod_memory *m);
void note_resolution(const cosserat *c, const cosserat_memory *m, td_stats *stats);
td_status cosserat_statics(const void *compiled, void *memory, const model_call *call);
td_status cosserat_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh);

// ---------------------------------------------------------------- derivatives.c
td_status cosserat_jacobian(const void *compiled, void *memory, const model_call *call, int rod,
                            double s, double *J);
td_status cosserat_compliance(const void *compiled, void *memory, const model_call *call, int rod,
                              double s, int load_rod, double load_s, double *C);
td_status cosserat_sensitivity(const void *compiled, void *memory, const model_call *call,
                               const void *plus, const void *minus, double step, int rod, double s,
                               double *out);
