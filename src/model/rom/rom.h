// model/rom/rom.h - a robot compiled for this model, and one trajectory of it. Each rod of the
// robot stands by itself, clamped to a base in the world.
#pragma once

#include "model/chains.h"
#include "model/rom/curve.h"

typedef struct rom_rod {
    char *name;
    td_base_def base;
    bool moves;  // its base is driven
    bool calm;   // nothing but weight acts on it by its motion
    curve curve;
    int first;         // of its coordinates among all
    void *allocation;  // what holds basis rows and routes
} rom_rod;

typedef struct rom {
    td_options options;
    environment around;
    int n_inputs, n_q;
    rom_rod *rods;
    int n_rods;
    const actuator *actuators;  // (n_actuators)
    int n_actuators;
    int *drive_rod, *drive_index;  // (n_actuators)
    int *body_rod;                 // (n_bodies)
    double *body_s;                // (n_bodies) m
    td_number *attached;           // (n_bodies)
    int n_bodies;
} rom;

// ---------------------------------------------------------------- memory
typedef struct kept_base {
    double p[3], q[4];  // m, world; unit quaternion
    double w[3], v[3];  // rad/s, m/s, in its own axes
    double w_t[3], v_t[3];
} kept_base;

typedef struct rod_memory {
    kept_base *base;    // kept
    double *q, *rates;  // kept (n_q each)
    double *efforts;    // kept (n_drives) N or Pa
    double *held;       // kept (n_drives) efforts of rigid drives, see drives.c
    stretched *stretched;
    place_motion *moved;        // (n_places)
    vec6 *inside;               // (n_rule + n_thin) wrench of material and drives, section's axes
    vec6 *outside;              // (n_places) moment and force from outside, base frame
    lump *lumps;                // (n_places) with what rides now
    double *measures, *slopes;  // (n_drives) measure, d effort/d measure
    double *now;                // (n_drives) efforts of the last evaluation
    double *Q;                  // (n_q) generalised forces
    double *step, *trial, *start;  // (n_q each)
    double *by_work, *by_measure;  // (n_q each) of a drive, by q
    double *K, *K2;                // (n_q x n_q)
    int *pivot;                    // (n_q)
    vec3 *strains;                 // (n_thin) shear and stretch on the way of a correction
    motion_work work;
    double lost, given;  // W, of the last evaluation with rates
    int slack;
} rod_memory;

typedef struct rom_memory {
    kept_energy *energy;  // kept
    rod_memory *rods;
    step_inputs within;  // a step
    chain_integrator time;
} rom_memory;

// ---------------------------------------------------------------- base.c
void base_carry(const base_motion *b, place_motion *m);
// What holds the base against all that acts on the rod, inertia among it, after rod_forces.
vec6 base_reaction(const rom_rod *r, const rod_memory *m);  // in its axes
void base_keep(const base_motion *b, kept_base *to);
base_motion base_kept(const kept_base *from);

// ---------------------------------------------------------------- forces.c
typedef struct situation {
    const double *inputs;
    base_motion base;
    vec3 gravity;                 // base frame
    double share;                 // of gravity, loads and what drives are given, 0 .. 1
    const double *accelerations;  // (n_q) whose inertia counts among the forces; NULL: none
    bool idle;                    // without drives
    double tight;                 // drive_input.tight; 0: 1
} situation;

vec3 rom_gravity(const rom *c, const double *inputs);  // m/s^2, world
// At rest, or on a base that moves.
situation rom_situation(const rom *c, const rom_rod *r, const double *inputs);
situation rom_moving(const rom *c, const double *inputs, const base_motion *base);
// m->Q: all generalised forces, of motion too where there are rates. Leaves the motion of places,
// the wrenches inside and outside, efforts and powers in m.
void rod_forces(const rom_rod *r, rod_memory *m, const situation *at, const double *q,
                const double *rates);
// Keeps the efforts; returns the energy stored in drives.
double rod_keep_efforts(const rom_rod *r, rod_memory *m, const situation *at);
// Of a body at a place, by its height in the world, J.
double rod_weight_energy(const base_motion *base, const lump *b, const place_motion *m,
                         vec3 gravity);
td_status rod_check(const rom_rod *r, const double *q, char *message);

// ---------------------------------------------------------------- tangent.c
// After rod_forces there: K = -dQ/dq, D = -dQ/dq' (n_q x n_q each; D NULL: at rest). K is exact at
// rest; of a motion it leaves out what the change of its rates does.
void rod_tangent(const rom_rod *r, rod_memory *m, const situation *at, double *K, double *D);
// What the material alone resists.
void rod_material_tangent(const rom_rod *r, rod_memory *m, double *K);
void rod_mass(const rom_rod *r, const rod_memory *m, double *M);

// ---------------------------------------------------------------- statics.c
td_status rom_statics(const void *compiled, void *memory, const model_call *call);
// Corrections by m->step, so that a slender rod bends without being stretched on the way.
void rod_correct(const rom_rod *r, rod_memory *m, double share, double *q);

// ---------------------------------------------------------------- resolution.c
// rad: by how much moments inside and outside disagree, as bending; after rod_forces at rest.
double rod_resolution(const rom_rod *r, const rod_memory *m);

// ---------------------------------------------------------------- the table's entries
void *rom_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                  td_error *err);
void rom_release(void *compiled);
td_status rom_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh);
bool rom_outside(const void *compiled);
bool rom_attach(const void *compiled, void *memory);
void rom_detach(void *memory);
td_status rom_jacobian(const void *compiled, void *memory, const model_call *call,
                       const model_point *at, double *J);
td_status rom_compliance(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, const model_point *load, double *C);
td_status rom_stability(const void *compiled, void *memory, const model_call *call,
                        double *smallest);
// Why there is no energy whose second variation tells of stability; NULL: there is.
const char *rod_lacks_energy(const rom_rod *r, const double *inputs);
td_status rom_inverse_dynamics(const void *compiled, void *memory, const model_call *call,
                               const double *q, const double *q_t, const double *q_tt,
                               double *forces, double *efforts);
td_status rom_fit(const void *compiled, void *memory, const model_call *call, int rod,
                  const double *points, const double *s, int n);
td_sample rom_sample(const void *compiled, const void *memory, int rod, double s);
td_pose rom_pose(const void *compiled, const void *memory, int rod, double s);
td_energy rom_energy(const void *compiled, const void *memory, const double *inputs);
td_actuator_state rom_actuator(const void *compiled, const void *memory, int index);
td_body_state rom_body(const void *compiled, const void *memory, int body);
vec6 rom_reaction(const void *compiled, const void *memory, int rod, td_end end,
                  const double *inputs);
vec6 rom_acceleration(const void *compiled, const void *memory, int body);
double rod_elastic_energy(const rom_rod *r, const rod_memory *m);  // J, of m->moved
int rom_n_coordinates(const void *compiled);
void rom_get_coordinates(const void *compiled, const void *memory, double *q, double *q_t);
td_status rom_set_coordinates(const void *compiled, void *memory, const model_call *call,
                              const double *q, const double *q_t);
// Energies start anew; efforts of drives are kept.
void rom_start_energy(const rom *c, rom_memory *m, const double *inputs);
