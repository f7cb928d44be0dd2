// model/tubes/tubes.h - a robot compiled for this model, and one trajectory of it. Rods that run in one another are a
// bundle; a rod by itself is one, too.
#pragma once

#include "model/tubes/bundle.h"

typedef struct tubes {
    environment around;
    int n_inputs;
    bundle *bundles;
    int n_bundles;
    int *bundle_of, *tube_of;         // (n_rods)
    int *drive_bundle, *drive_index;  // (n_actuators)
    int *body_bundle, *body_rider;    // (n_bodies)
    int n_rods, n_bodies;
} tubes;

typedef struct bundle_state {
    solve_memory solve;
    double *inputs, *rates, *accelerations;  // kept (n_inputs each) of the last shape
    double *efforts, *measures;              // kept (n_drives)
    double *held;  // kept (n_unknown) efforts of rigid drives in the last equilibrium
    bundle_memory now;
    const bundle
        *shown;  // `now` is of that shape of this bundle, as these are (n_q, n_q, n_q, 3 n_inputs):
    double *shown_q, *shown_v, *shown_a, *shown_inputs;
    double *r;      // (n_q)
    double *probe;  // (n_inputs)
} bundle_state;

typedef struct bundle_at {  // what src/solve works on
    const tubes *c;
    const bundle *b;
    bundle_state *m;
} bundle_at;

typedef struct tubes_memory {
    bundle_state *bundles;
    bundle_at *at;  // (n_bundles)
} tubes_memory;

// ---------------------------------------------------------------- mechanics.c
bundle_situation tubes_situation(const tubes *c, const bundle *b, const double *inputs,
                                 const double *rates, const double *accelerations);
int tubes_n_bundles(const void *compiled);
solve_part tubes_part(const void *compiled, void *memory, int index);
int tubes_part_of(const void *compiled, const model_point *at);
coordinate_words tubes_coordinate(const void *compiled, int part, int k);
double tubes_finish(const void *compiled, void *memory, const model_call *call,
                    const solve_instant *at, shape_origin from, td_status *status);

// ---------------------------------------------------------------- outputs.c
double bundle_potential(const bundle *b, const bundle_memory *m, const bundle_situation *at,
                        const double *q);
// W, of fields that change with inputs at these rates.
double bundle_field_power(const bundle *b, const bundle_memory *m, const bundle_situation *at,
                          const double *rates);
td_pose tubes_pose(const void *compiled, const void *memory, int rod, double s);
td_sample tubes_sample(const void *compiled, const void *memory, int rod, double s);
td_energy tubes_energy(const void *compiled, const void *memory, const double *inputs);
td_body_state tubes_body(const void *compiled, const void *memory, int body);
vec6 tubes_acceleration(const void *compiled, const void *memory, int body);
void tubes_contacts(const void *compiled, const void *memory, contact_visit *to, void *context);
td_actuator_state tubes_actuator(const void *compiled, const void *memory, int index);
vec6 tubes_reaction(const void *compiled, const void *memory, int rod, td_end end,
                    const double *inputs);

// ---------------------------------------------------------------- compile.c
void *tubes_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                    td_error *err);
void tubes_release(void *compiled);
