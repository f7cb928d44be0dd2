// model/lumped/relative.h - rods in relative states: Sadati et al. 2019, "EBR" and "SRL".
//
// The coordinates of a rod are, for each segment, what turns and shifts its far node against the
// near one: three numbers a for the rotation, three, eps, for the extent. Nodes, masses, loads and
// actuators are those of net.h; so is a state, whose nodes follow from the coordinates, Sadati 2019 (2):
//
//     rotation vector   R = exp(a^),               p = exp(a^/2) eps    as printed: p = eps with the
//                                                                       quaternion (1, a/2)/|..|
//     Euler joint       R = Rz(a3) Rx(a1) Ry(a2),  p = (1 + R) eps/2    as printed: p = eps
//
// The energy of a segment is that of its coordinates, (a, eps)/length against the rest strain. With
// rotation vectors this is the same system as eba's in other coordinates. Rods have free tips: open
// chains. They stand in the world, or their base is free: its node then has coordinates of its own, a
// frame (solve/chart.h) that moves along screws, behind those of all segments.
#pragma once

#include "model/chain_slopes.h"
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

typedef struct crossing {  // motions across a segment, world: z_far = T z_near + B dq
    vec3 arm;              // from the near node to the far one, by which T carries along
    double B[36], E[36];   // E = B^-1, of where the matrix was made
} crossing;

// Of a rod whose base is free: the node, and its coordinates among all, or its numbers of a point.
static inline int root_node(const net *c, const net_rod *r) {
    return c->segments[r->first].a.node;
}
static inline int root_place(const net *c, const net_rod *r) {
    return PER * c->n_segments + 6 * r->root;
}
static inline int root_point(const net *c, const net_rod *r) {
    return PER * c->n_segments + 7 * r->root;
}

typedef struct relative_memory {
    net_memory net;       // first: what reads off a net reads this
    joint *joints;        // (n_segments) of the last evaluation
    crossing *crossings;  // (n_segments)
    double *residual;     // (n_q)
    double *side;         // (6 n_nodes + n_unknown)
} relative_memory;

// ---------------------------------------------------------------- relative.c
// Nodes and their accelerations in m->net.trial, trial_rates, from the coordinates.
void move_rods(relative_memory *m, const configuration *x);
// A segment as a link of a chain, in the motion that was loaded: see chain_slopes.h.
typedef struct joint_question {
    const relative_memory *m;
    const double *accelerations;  // (6 n_segments)
} joint_question;
void cross_joint(void *context, int segment, const double *q, const double *v, chain_motion *far,
                 chain_columns B);
// Lengths and volumes in m->net.measures.
void find_measures(relative_memory *m, const double *q);
// What the segments ask for, added to m->residual; powers.
void add_wrenches(const net_job *j, const configuration *x);
// The wrench that is conjugate to the coordinates of a segment.
typedef struct segment_wrench {
    vec6 wrench;
    double lost, given;  // W
} segment_wrench;
segment_wrench wrench_of(const net_job *j, int segment, const double *q, const double *rates);
// Rates with which nodes go on as they did although the world now moves their base differently.
void keep_velocities(relative_memory *m);

// ---------------------------------------------------------------- crossing.c
// Between coordinates (n_q = 6 n_free) and nodes (6 n_nodes): with the motions z = J dq of the nodes
void to_motions(const relative_memory *m, const double *dq, double *z);
void to_forces(const relative_memory *m, const double *r, double *Q);  // J'
void find_crossing(const net_job *j, int segment);                     // arm and B
bool invert_crossing(crossing *x);                                     // E
vec6 near_pull(const crossing *x,
               vec6 w);  // at its near node, with the wrench w of its coordinates
// The tangent of one segment, and of one that answers to its coordinates by C (6 x 6) alone.
void add_joint_tangent(const net_job *j, const configuration *x, int segment);
void add_joint_stiffness(const net_job *j, int segment, double weight, const double *C);
extern const linear_ops relative_linear;
// The last number of a matrix: do its columns of free bases stand for twists, or rates of them, in their own axes? Else for
// motions in the world.
static inline double *relative_by_twists(const net *c, double *matrix) {
    return matrix + net_matrix_size(c);
}

// ---------------------------------------------------------------- relative_slopes.c
size_t relative_slopes_size(const net *c);  // doubles of scratch
bool relative_slopes(void *of, const solve_instant *at, const configuration *x, double *K,
                     double *D, double *M, double *scratch);

// ---------------------------------------------------------------- relative_mechanics.c
solve_part relative_part(const void *compiled, void *memory, int index);
coordinate_words relative_coordinate(const void *compiled, int part, int k);
void use_relative_states(relative_memory *m);
