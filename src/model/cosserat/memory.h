// model/cosserat/memory.h - one trajectory of the Cosserat model.
#pragma once

#include "model/cosserat/bvp.h"
#include "model/cosserat/time_formula.h"
#include "model/model.h"

// Kept for each rod. All doubles: see model.h.
typedef struct rod_kept {
    double G[3][6];  // base wrench (n, m): now, and at the last two steps
    shooting_matrix matrix;
} rod_kept;

typedef struct rod_memory {
    rod_kept *kept;
    double *nodes;        // kept (n_nodes x Y_SIZE) the current shape
    double *fields[3];    // kept (n_nodes x F_SIZE) what has a rate: now, and at the last two steps
    double *rate;         // kept (n_nodes x F_SIZE) d fields[0]/dt
    double *history;      // (n_nodes x F_SIZE) y_t - c0 y
    double *history_mid;  // (n_steps x F_SIZE)
    double *trial;        // (n_nodes x Y_SIZE) the shot in progress
    double *strains;      // (n_nodes x 6)
    element_loads *loads; // (n_elements)
} rod_memory;

// Kept once. All doubles.
typedef struct cosserat_time {
    double past[2];  // the last two steps, newest first, s
    double levels;   // usable past states; 0: at rest, any past is the present
    double guesses;  // usable base wrenches
    double dissipated, work;              // J, since the start
    double dissipation_power, load_power; // W, at the end of the last step
} cosserat_time;

typedef struct cosserat_memory {
    cosserat_time *time;
    rod_memory *rods;
    double *half_inputs, *half_rates;  // (n_inputs) in the middle of a first step
} cosserat_memory;

// Makes the shot in progress the current shape: nodes, strains and velocities.
void memory_accept(const rod *r, rod_memory *m);

// ---------------------------------------------------------------- energy.c
td_energy cosserat_energy(const void *compiled, const void *memory, const double *inputs);
// Powers of damping and drag, and of loads and base motion, in the current state. `loads` of each
// rod must be set.
void cosserat_power(const cosserat *c, const cosserat_memory *m, double *dissipation,
                    double *load);

// ---------------------------------------------------------------- statics.c, dynamics.c
td_status cosserat_statics(const void *compiled, void *memory, const model_call *call);
td_status cosserat_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh);
