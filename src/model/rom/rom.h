// model/rom/rom.h - a robot compiled for this model, and one trajectory of it. Each rod of the
// robot stands by itself, clamped to a base in the world, or free.
#pragma once

#include "model/base.h"
#include "model/model.h"
#include "model/touch.h"
#include "model/rom/curve.h"

typedef struct rom_rod {
    char *name;
    td_base_def base;
    bool moves;   // its base is driven
    bool floats;  // or free: a frame, whose coordinates are behind those of the curve
    int n_q;      // of all of it
    curve curve;
    touch touch;       // obstacles, at the places of its rule
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
    solve_memory solve;
    kept_base *base;  // kept
    double *efforts;  // kept (n_drives) N or Pa
    touch_memory touch;
    double *held;  // kept (n_unknown) efforts of rigid drives in the last equilibrium
    stretched *stretched;
    place_motion *moved;  // (n_places)
    vec6 *inside;         // (n_rule + n_thin) wrench of material and drives, section's axes
    vec6 *outside;        // (n_places) moment and force from outside, base frame
    lump *lumps;          // (n_places) with what rides now
    double *measures;     // (n_drives)
    effort_state *now;    // (n_drives) efforts of the last evaluation
    double *Q;            // (n_q) generalised forces
    double *by_work, *by_measure;  // (n_q each) of a drive, by q
    vec3 *strains;                 // (n_thin) shear and stretch on the way of a correction
    bool moves;                    // the last evaluation was of a motion,
    double lost, given;            // with these powers, W
    int slack;
} rod_memory;

typedef struct rod_at {  // what src/solve works on
    const struct rom *c;
    const rom_rod *r;
    rod_memory *m;
    double *unit;  // (n_inputs)
} rod_at;

typedef struct rom_memory {
    rod_memory *rods;
    rod_at *at;    // (n_rods)
    double *unit;  // (n_inputs)
} rom_memory;

// ---------------------------------------------------------------- what there is
typedef struct situation {
    const double *inputs;
    base_motion base;
    vec3 gravity;                 // base frame
    double share, given;          // of gravity and loads, and of what drives are given, 0 .. 1
    const double *unknown;        // (n_unknown) efforts of rigid drives; NULL: 0
    bool soft;                    // rigid drives give way about them
    const double *accelerations;  // (n_q) whose inertia counts among the forces; NULL: none
    bool idle;                    // without drives
    bool alone;                   // without obstacles
    engine_stage *engines;        // solve_instant
    const environment *around;    // what acts beside weight; NULL: nothing does
} situation;

// ---------------------------------------------------------------- one place
#define LOCAL 12  // numbers of a place: a, a_s, p, p_s
enum { AT_A = 0, AT_A_S = 3, AT_P = 6, AT_P_S = 9 };
typedef struct local_tangent {
    double m[LOCAL][LOCAL];
} local_tangent;

// ---------------------------------------------------------------- root.c
// Of a rod, from its coordinates and their rates (v, a: NULL: 0) where its base is free, else from inputs.
base_motion rod_base(const rom_rod *r, const double *inputs, const double *q, const double *v,
                     const double *a);
void root_rest(const rom_rod *r, double *q);
// Rows and columns of a free base, place by place; `local`: how generalised forces of the place answer to its numbers, of what
// acts from outside.
typedef struct root_tangent {
    const rom_rod *r;
    rod_memory *m;
    const situation *at;
    const surroundings *around;
    const tangent_weights *w;
    double *K;
    int n;
    mat3 rows, columns;  // from the axes of the base: into the world; to what columns stand for
    double rates[36];    // and twists of the base by motions, in its axes, where they follow
} root_tangent;
root_tangent root_begin(const rom_rod *r, rod_memory *m, const situation *at,
                        const surroundings *around, const tangent_weights *w, int n, double *K);
void root_add_place(const root_tangent *x, int i, const local_tangent *local);
// What the material does not see is held by springs of its size, see tangent_weights.
void root_add_springs(const root_tangent *x);
// What all that acts on the rod leaves unbalanced about a free base, in the world: six rows, after rod_forces.
void root_balance(const rom_rod *r, const rod_memory *m, const base_motion *base, double *rows);

// ---------------------------------------------------------------- base.c
void base_carry(const base_motion *b, place_motion *m);
// What holds the base against all that acts on the rod, inertia among it, after rod_forces.
vec6 base_reaction(const rom_rod *r, const rod_memory *m);  // in its axes
void base_keep(const base_motion *b, kept_base *to);
base_motion base_kept(const kept_base *from);

// ---------------------------------------------------------------- wet.c
// What fluid that moves along asks for in a current: moment and force, and its energy; base frame.
vec6 curve_wet_wrench(vec3 added, const place_motion *m, vec3 current);
double curve_wet_kinetic(vec3 added, const place_motion *m, vec3 current);
// How that changes with spin, velocity against the fluid and acceleration, all in the axes of the section.
vec6 curve_wet_by(vec3 added, const place_motion *m, vec3 current, vec3 dw, vec3 dq, vec3 de);
// And of the wrench itself, base frame, where the current changes.
vec6 curve_wet_by_current(vec3 added, const place_motion *m, vec3 current, vec3 change);
// In the axes of the section: its force by q, w and e = R'p_tt, its moment by q, and these by the coordinates a.
typedef struct wet_slopes {
    mat3 force_by_q, force_by_w, force_by_e, moment_by_q, q_by_a, e_by_a;
    mat3 turned;  // - of the force by a, as it turns with the section
    vec3 moment;
} wet_slopes;
wet_slopes curve_wet_slopes(vec3 added, const place_motion *m, vec3 current);

// ---------------------------------------------------------------- forces.c
vec3 rom_gravity(const rom *c, const double *inputs);  // m/s^2, world
// At rest, or on a base that moves; rigid drives give way.
situation rom_situation(const rom *c, const rom_rod *r, const rod_memory *m, const double *inputs);
situation rom_moving(const rom *c, const double *inputs, const base_motion *base);
// m->Q: all generalised forces, of motion too where there are rates. Leaves the motion of places,
// the wrenches inside and outside, efforts and powers in m.
void rod_forces(const rom_rod *r, rod_memory *m, const situation *at, const double *q,
                const double *rates);
// m->inside and m->outside: how they, and m->Q: how all forces, at rest, answer to an input; after
// rod_forces there. unit (n_inputs): 1 at that input, else 0.
void rod_forces_by(const rom *c, const rom_rod *r, rod_memory *m, const situation *at,
                   const double *unit);
// Of place i of the rule as obstacles see it, after curve_move.
touch_now rod_touch(const rod_memory *m, const base_motion *base, int i, bool moves);
// Keeps the efforts; returns the energy stored in drives.
double rod_keep_efforts(const rom_rod *r, rod_memory *m, const situation *at);
// Of a body at a place, by its height in the world, J.
double rod_weight_energy(const base_motion *base, const lump *b, const place_motion *m,
                         vec3 gravity);
// J of what acts beside weight, world, or (by) W as it changes with inputs.
double rod_surrounding_energy(const rom_rod *r, const rod_memory *m, const base_motion *base,
                              const double *inputs, const surroundings *around,
                              const surroundings *by);
td_status rod_check(const rom_rod *r, const double *q, char *message);

// ---------------------------------------------------------------- tangent.c
// After rod_forces there: K (n x n), in its first n_q rows and columns -(w.q dQ/dq + w.v dQ/dq' + w.a dQ/dq'') + w.own times
// what the material alone resists; n_q of the rod, with those of a free base.
void rod_tangent(const rom_rod *r, rod_memory *m, const situation *at, const tangent_weights *w,
                 int n, double *K);
// X (6 x n): how strain at place i, which moves so, answers to the coordinates.
void rod_strain_rows(const curve *c, int i, int n, const place_motion *p, double *X);
// m->by_work and m->by_measure: slopes of what a drive works on and of what its measure counts.
void rod_drive_slopes(const rom_rod *r, rod_memory *m, const drive *d);

// ---------------------------------------------------------------- correct.c
// to = from, corrected by share dz, so that a slender rod bends without being stretched on the way.
void rod_correct(const rom_rod *r, rod_memory *m, const double *from, double share,
                 const double *dz, double *to);

// ---------------------------------------------------------------- resolution.c
// rad: by how much moments inside and outside disagree, as bending; after rod_forces at rest, with its efforts kept.
double rod_resolution(const rom_rod *r, const rod_memory *m);

// ---------------------------------------------------------------- the table's entries
void *rom_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                  td_error *err);
void rom_release(void *compiled);
int rom_n_rods(const void *compiled);
solve_part rom_part(const void *compiled, void *memory, int index);
coordinate_words rom_coordinate(const void *compiled, int part, int k);
double rom_finish(const void *compiled, void *memory, const model_call *call,
                  const solve_instant *at, shape_origin from, td_status *status);
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
void rom_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context);
vec6 rom_acceleration(const void *compiled, const void *memory, int body);
td_pose rod_pose(const base_motion *base, const place_motion *m);  // world
// Material, damping and drives at s: the total wrench; i: a station made of what s is made of.
vec6 rod_wrench(const curve *c, const rod_memory *m, int i, const place_motion *p, double s);
double rod_elastic_energy(const rom_rod *r, const rod_memory *m);  // J, of m->moved
