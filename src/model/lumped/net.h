// model/lumped/net.h - rods as nets of rigid nodes and elastic segments: Sadati et al. 2019, "EBA".
//
// Each rod is cut into segments (element.h) between nodes. A node is a rigid body in absolute
// coordinates: position, quaternion, velocity in the world, angular velocity in its own axes. It
// carries half of each segment next to it and what rides there. Nodes lie wherever something
// happens: between pieces, at bodies, loads and ends of tendons. A rod that is clamped to a free
// body ends in that body's node, so that rods may branch and close rings. Frames of the world that
// hold rods are nodes too, with a prescribed motion; they come after the free ones.
#pragma once

#include "actuation/actuator.h"
#include "integrate/sundials.h"
#include "material/law.h"
#include "material/stretch.h"
#include "model/lumped/blocks.h"
#include "model/lumped/element.h"
#include "model/base.h"
#include "model/model.h"

typedef struct lump {  // a rigid body about the origin of its node, in the node's axes
    double mass;       // kg
    vec3 moment;       // kg m, mass times centre of mass
    mat3 inertia;      // kg m^2
} lump;

typedef struct place {  // where an end of a segment is
    int node;
    bool apart;  // not in the node itself but at h, in its axes
    se3 h;
    int turner;  // 1 + the node whose rotation it has; 0: it turns with its node
} place;

typedef struct pivot {  // an end that turns in what holds it
    int node, holder;   // node: the turner
    int n;              // rotations that the joint forbids
    vec3 u[2], v[2];    // u.v = 0, in the axes of the holder and of the end
} pivot;

typedef struct port {  // an actuator that runs through a segment
    int actuator;
    route_point at;  // in the middle of the segment
    double swell;    // a chamber's area by that at rest
} port;

typedef struct segment {
    place a, b;
    int rod;
    double s, length;  // m, arc length where it begins
    section_law law;
    double rest[6];                        // strain (u, v) of the rest shape
    double drag[3], linear_drag[3];        // kg/m^2, kg/(m s), mean
    double youngs_modulus, shear_modulus;  // Pa, for what stretching does to the section
    int first_port, n_ports;
    int block[4];  // of the matrix: (a, a), (a, b), (b, a), (b, b); -1: an end is held
} segment;

typedef struct node_drag {  // of the rod around a node, in its axes
    vec3 square;            // kg/m
    vec3 linear;            // kg/s
} node_drag;

typedef struct rider {  // a body that rides on a rod and comes and goes
    int node;
    lump lump;
    td_number attached;
} rider;

typedef struct node_load {
    place at;
    int base_of;   // 1 + the rod at whose base it is given; 0: elsewhere
    double share;  // 1, or the length over which a distributed load acts on this node
    td_frame frame;
    td_number force[3], moment[3];
} node_load;

typedef struct net_rod {
    char *name;
    double length;
    int first, n;  // segments
    lump ends[2];  // td_end: what of its first and last segment lies there
    bool free_tip;
    bool open;     // from a held base to a free tip: its shape follows from its strains
    bool follows;  // its sections follow its mean stretch
} net_rod;

typedef struct net {
    td_options options;
    bool printed;  // as in the paper: first order
    int joints;    // relative coordinates: joint_kind of relative.h
    td_number gravity[3];
    int n_inputs;
    int n_free, n_nodes;  // nodes; those behind the free ones are held by the world
    int first_body;       // nodes from here to n_free are free bodies
    pivot *pivots;
    int n_pivots, n_multipliers;
    bool *breaks;       // (n_nodes) something acts there, or what is spread along the rod changes
    bool *only_turns;   // (n_nodes) turners, whose place is taken by multipliers, N m
    node_drag *drags;   // (n_nodes)
    lump *lumps;        // (n_nodes)
    td_base_def *held;  // (n_nodes - n_free) how
    se3 *start;         // (n_free - first_body) where free bodies are put together
    segment *segments;
    int n_segments;
    port *ports;
    net_rod *rods;
    int n_rods;
    rider *riders;
    int n_riders;
    node_load *loads;
    int n_loads;
    const actuator *actuators;
    int n_actuators;
    int *unknown;  // (n_actuators) its number among the unknown efforts; -1: given
    int n_unknown;
    place *bodies;        // (n_bodies)
    td_number *attached;  // (n_bodies)
    block_pattern pattern;
    double size;    // m, of the longest rod: the scale of displacements
    bool follows;   // some rod's sections follow its mean stretch
    bool by_power;  // some damping goes by a power of the rate
} net;

extern const char *const lumped_reads[];  // what td_model.reads says of eba, ebr and srl
void *net_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                  td_error *err);
// After the checks that only the caller's formulation asks for.
net *net_build(const td_robot *robot, const actuator *actuators, const td_options *options,
               td_error *err);

void net_release(void *compiled);

// ---------------------------------------------------------------- memory
typedef struct node_state {  // doubles only
    vec3 p;                  // m, world
    quat q;                  // of any length within a step
    vec3 v;                  // m/s, world
    vec3 w;                  // rad/s, in its axes
} node_state;

typedef struct kept_sums {
    double dissipated, work;  // J, since the start
    double stored;            // J, in what actuators stretch and compress
    double inner_step;        // s, that a chosen step took last; 0: none
} kept_sums;

typedef struct net_memory {
    kept_sums *sums;     // kept
    node_state *nodes;   // kept (n_nodes)
    double *efforts;     // kept (n_actuators) N or Pa
    double *node_rates;  // kept (6 n_nodes) of w in the node's axes, of v in the world
    const double *coordinates,
        *coordinate_rates;    // kept (6 n_segments) of relative states, or NULL
    const segment *segments;  // as they are now: those of the net, or stretched ones
    const port *ports;
    segment *own_segments;  // (n_segments) with mean_stretch; otherwise NULL
    port *own_ports;
    double *stretches;                   // kept (n_rods) of the sections
    double *made_for;                    // (n_rods) the stretches of own_segments
    node_state *before, *first, *trial;  // (n_nodes)
    mat3 *R;                             // (n_nodes) of the nodes last assembled
    lump *lumps;                         // (n_nodes) with what rides now
    double *r;  // (6 n_free) what is out of balance: moment, force of each node, world
    double *y;  // (6 n_free)
    double *side, *side_gap;   // (6 n_free), (n_unknown)
    double *a;                 // blocks
    double *whole, *material;  // blocks of an equilibrium, and of the material alone; eba only
    int *pivot;                // (6 n_free)
    double *slopes;    // (n_unknown x 6 n_free) of the measures against motions of the nodes
    double *columns;   // (n_unknown x 6 n_free)
    double *measures;  // (n_actuators)
    double *given;     // (n_actuators)
    double *gap;       // (n_unknown) equations of the unknown efforts
    double *by_effort, *by_measure;   // (n_unknown)
    double *schur;                    // (n_unknown x n_unknown)
    int *schur_pivot;                 // (n_unknown)
    double *symmetric, *tridiagonal;  // (n_unknown x n_unknown), (n_unknown)
    double *trial_efforts;            // (n_actuators)
    step_inputs within;               // a step
    double lost, given_power;         // W, of the last assembly
    int slack;
    sun_integrator outside;  // of SUNDIALS, where steps are chosen
    const struct net *of;    // for it: the net, the call and its step
    const model_call *call;
} net_memory;

net_memory net_layout(const net *c, arena *keep, arena *work);
void net_reset(const void *compiled, void *memory, const model_call *call);

// ---------------------------------------------------------------- assemble.c
typedef struct situation {
    const double *inputs;
    const step_inputs *within;  // by which bases move; NULL: at rest under `inputs`
    double share;               // of loads, gravity and actuation, 0 .. 1
    double c0;                  // 1/s, d velocity/dt = c0 (velocity - before); 0: statics
    const node_state *before;   // (n_nodes)
} situation;

// m->r and m->gap at nodes x and efforts; with `tangent` also the matrix and its border.
void assemble(const net *c, net_memory *m, const situation *at, const node_state *x,
              const double *efforts, bool tangent);
// m->a of the material alone, as it would answer without any wrench.
void assemble_material(const net *c, net_memory *m, const node_state *x);
// The total wrench of a segment in the shape that is kept, as it pulls at its ends.
element_ends segment_pull(const net *c, net_memory *m, const segment *s);
// Without segments: what nodes ask for by weight, inertia and loads.
void assemble_nodes(const net *c, net_memory *m, const situation *at, const node_state *x);
void compose_lumps(const net *c, net_memory *m, const double *inputs);
vec3 gravity_at(const net *c, const double *inputs, double share);
void less_rest(const segment *s, vec6 strain, double x[6]);  // the strain that its law answers to
// Wrench of the material with damping, conjugate to (u, v); *lost (W/m) += what that takes.
vec6 material_wrench(const segment *s, vec6 strain, vec6 rate, double *lost);

// ---------------------------------------------------------------- pivot.c
pivot pivot_make(td_joint joint, const double axis[3], const double axis2[3], int node,
                 const place *at);
void add_pivots(const net *c, net_memory *m, const node_state *x, bool tangent);

// ---------------------------------------------------------------- place.c
// The motion of an end, from those of all nodes and their frames.
end_motion end_of(const place *at, const node_state *x, const mat3 *R);
end_motion end_at(const place *at, const node_state *x);
// Motion of the held nodes in x, and what actuators are given.
void hold_nodes(const net *c, net_memory *m, const situation *at, node_state *x);
// Held nodes whose velocities jump when a step begins afresh: the world does the work.
void jump_nodes(const net *c, net_memory *m, const situation *at);
// The held nodes in `before` such that at->c0 gives their accelerations, those of x being held.
void hold_before(const net *c, const situation *at, const node_state *x, node_state *before);
// The robot put together at rest, without loads: a first guess.
void place_nodes(const net *c, const double *inputs, node_state *x);
// How far what the world holds turns from one set of inputs to another, at most, rad.
double turn_between(const net *c, const double *from, const double *to);

// ---------------------------------------------------------------- stretch.c
// Sections of rods that have the mean stretch of m->nodes; returns its largest change.
double stretch_sections(const net *c, net_memory *m);
// The same when a step begins, with its energy accounted for.
void follow_stretch(const net *c, net_memory *m);
// Sections that have the kept stretch, which a snapshot or a failed step may have put back.
void use_sections(const net *c, const net_memory *m);
#define MOST_ROUNDS 60  // of equilibria with sections of the last one's stretch

// ---------------------------------------------------------------- correct.c
bool factor_system(const net *c, net_memory *m);
// The same, and how many negative eigenvalues the second variation of an equilibrium has; -1:
// singular.
int factor_and_judge(const net *c, net_memory *m);
// From m->r and m->gap to the corrections: of the nodes in m->y (6 n_free), of efforts in m->gap.
void solve_system(const net *c, net_memory *m);
double correction_size(const net *c, const double *dz);
void turn_and_shift(node_state *x, const double *dz);

// ---------------------------------------------------------------- turns.c
// Does a segment turn so far that its coordinates fail? Fills stats.resolution.
td_status check_turns(const net *c, const net_memory *m, const model_call *call);
td_status say_coarse(const net *c, const net_memory *m, char *message);  // which segment is

// ---------------------------------------------------------------- inertia.c
// What moving a node asks for, and weight: out (moment, force; world).
vec6 inertial_wrench(const lump *b, const mat3 *R, const node_state *x, const node_state *before,
                     double c0, vec3 gravity);
// Adds d of that to block (6 x 6).
void add_inertial_tangent(const lump *b, const mat3 *R, const node_state *x,
                          const node_state *before, double c0, vec3 gravity, double *block);
double lump_kinetic(const lump *b, const mat3 *R, const node_state *x);

// ---------------------------------------------------------------- chosen.c
// An effort that its equation gives at once: what stretches or is compressed decides it.
double effort_at(const actuator *a, double given, double measure);
bool chosen_needed(const void *compiled);
bool net_attach(const void *compiled, void *memory);
bool relative_attach(const void *compiled, void *memory);
void net_detach(void *memory);
td_status chosen_step(const net *c, net_memory *m, const model_call *call, double dt, bool fresh);

// ---------------------------------------------------------------- reaction.c
// Accelerations of all nodes, c0 (x - before), at the end of a step.
void keep_rates(const net *c, net_memory *m, const node_state *x, const node_state *before,
                double c0);
vec6 net_reaction(const void *compiled, const void *memory, int rod, td_end end,
                  const double *inputs);
vec6 net_acceleration(const void *compiled, const void *memory, int body);

// ---------------------------------------------------------------- derivatives.c
// The matrix of the equilibrium under these inputs, not factored.
void net_linearise(const net *c, net_memory *m, const double *inputs);

// ---------------------------------------------------------------- stability.c
const char *lacks_energy(const net *c, const double *inputs);  // why loads have none; NULL: they do
td_status check_energy(const net *c, const model_call *call);
td_status net_stability(const void *compiled, void *memory, const model_call *call,
                        double *smallest);

// ---------------------------------------------------------------- the table's entries
td_status net_statics(const void *compiled, void *memory, const model_call *call);
td_status net_step(const void *compiled, void *memory, const model_call *call, double dt,
                   bool fresh);
td_status net_jacobian(const void *compiled, void *memory, const model_call *call,
                       const model_point *at, double *J);
td_status net_compliance(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, const model_point *load, double *C);
td_sample net_sample(const void *compiled, const void *memory, int rod, double s);
td_pose net_pose(const void *compiled, const void *memory, int rod, double s);
td_energy net_energy(const void *compiled, const void *memory, const double *inputs);
td_actuator_state net_actuator(const void *compiled, const void *memory, int index);
td_body_state net_body(const void *compiled, const void *memory, int body);
double stored_energy(const net *c, const net_memory *m, const double *given);  // J
double net_elastic_energy(const net *c, const net_memory *m);                  // J, of the rods
// J, of motion, height and strain, without what actuators store.
double net_own_energy(const net *c, net_memory *m, const double *inputs);
// A tendon of given displacement that gives way nowhere: it is slack or holds, at once.
bool is_rigid_string(const net *c, int actuator);
