// model/lumped/relative.h - rods in relative states: Sadati et al. 2019, "EBR" and "SRL".
//
// The coordinates of a rod are, for each segment, what turns and shifts its far node against the
// near one: three numbers a for the rotation, three, eps, for the extent. Nodes, masses, loads and
// actuators are those of net.h; so is a state, whose nodes follow from the coordinates:
//
//     rotation vector   R = exp(a^),               p = exp(a^/2) eps    as printed: p = eps with the
//                                                                       quaternion (1, a/2)/|..|
//     Euler joint       R = Rz(a3) Rx(a1) Ry(a2),  p = (1 + R) eps/2    as printed: p = eps
//
// The energy of a segment is that of its coordinates, (a, eps)/length against the rest strain. With
// rotation vectors this is the same system as eba's in other coordinates. Rods stand in the world
// and have free tips: open chains.
#pragma once

#include "model/lumped/net.h"

typedef enum joint_kind {
    JOINT_VECTOR,
    JOINT_VECTOR_PRINTED,
    JOINT_EULER,
    JOINT_EULER_PRINTED
} joint_kind;

#define PER 6  // coordinates of a segment: a, eps

typedef struct joint {  // across one segment, in the frame of its near node
    mat3 R;
    vec3 p;
    mat3 spin;       // angular velocity of the far frame, in its axes: spin a_t
    vec3 turn;       // that, with the rates given
    vec3 turn_rate;  // its derivative while the rates stay
    vec3 p_t, p_tt;  // likewise
    vec3 p_by[PER];  // dp/d coordinates
} joint;
joint joint_make(joint_kind kind, const double q[PER], const double rates[PER]);

typedef struct relative_memory {
    net_memory net;     // first: what reads off a net reads this
    double *q, *rates;  // kept (6 n_segments)
    joint *joints;      // (n_segments)
    double *residual;   // (6 n_segments)
    double *side;       // (6 n_segments)
    double *trial, *trial_rates, *star, *star_rates, *first, *first_rates, *accelerations;
    double *jacobian;    // (N x N) of each rod in turn, N = 6 times its segments
    double *definite;    // (N x N) of the longest rod
    int *pivot;          // (6 n_segments)
    node_state *shadow;  // (n_nodes) nodes before, such that c0 = 1 gives their accelerations
} relative_memory;

// ---------------------------------------------------------------- relative.c
// Generalised forces that the motion (q, rates, accelerations; NULL: statics) asks for, all rods,
// in m->residual: 0 where it is the motion under the situation. Leaves the nodes in m->net.trial.
void ask_forces(const net *c, relative_memory *m, const situation *at, const double *q,
                const double *rates, const double *accelerations);
// Only the nodes that coordinates at rest give, in m->net.trial where held ones are; and the
// joints.
void move_nodes(const net *c, relative_memory *m, const situation *at, const double *q);
// Nodes that the kept coordinates give, and efforts, into m->net.
void keep_nodes(const net *c, relative_memory *m, const situation *at);
// Rates with which nodes go on as they did although the world now moves their base differently.
void keep_velocities(const net *c, relative_memory *m, const situation *at);

// From wrenches in m->net.r at the nodes to generalised forces in m->residual, where ask_forces was
// last.
void project_forces(const net *c, relative_memory *m);

// ---------------------------------------------------------------- relative_solve.c
// Matrices of the equilibrium under these inputs, those of m->jacobian one after the other;
// ask_forces is left there.
void relative_linearise(const net *c, relative_memory *m, const model_call *call);
bool relative_factor(const net *c, const relative_memory *m);
// - matrix^-1 m->residual, in place; its size, rad or lengths of segments.
double relative_answer(const net *c, const relative_memory *m);

// ---------------------------------------------------------------- relative_derivatives.c
td_status relative_jacobian(const void *compiled, void *memory, const model_call *call,
                            const model_point *at, double *J);
td_status relative_compliance(const void *compiled, void *memory, const model_call *call,
                              const model_point *at, const model_point *load, double *C);
td_status relative_stability(const void *compiled, void *memory, const model_call *call,
                             double *smallest);

// ---------------------------------------------------------------- the table's entries
td_status relative_statics(const void *compiled, void *memory, const model_call *call);
td_status relative_step(const void *compiled, void *memory, const model_call *call, double dt,
                        bool fresh);
