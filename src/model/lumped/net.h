// model/lumped/net.h - rods as nets of rigid nodes and elastic segments: Sadati et al. 2019, "EBA".
//
// Each rod is cut into segments (element.h) between nodes. A node is a rigid body in absolute
// coordinates: position and quaternion; what is solved for is its twist, in its own axes (model/screw.h). It
// carries half of each segment next to it and what rides there. Nodes lie wherever something
// happens: between pieces, at bodies, loads and ends of tendons. A rod that is clamped to a free
// body ends in that body's node, so that rods may branch and close rings. Frames of the world that
// hold rods are nodes too, with a prescribed motion; they come after the free ones.
//
// Equations are those of Sadati 2019, by number: (2) and (3) between frames, (6) for motion, (7) for
// what segments do. Where print is wrong, papers/sadati2019/errata.md has a row under that number.
#pragma once

#include "actuation/actuator.h"
#include "environment/load.h"
#include "material/law.h"
#include "material/stretch.h"
#include "model/lumped/blocks.h"
#include "model/lumped/element.h"
#include "model/base.h"
#include "model/model.h"
#include "model/pairs.h"
#include "model/screw.h"
#include "model/touch.h"

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
static inline bool place_is_on(const place *at, int node) {
    return at->node == node || at->turner == node + 1;
}

typedef struct pivot {  // an end that turns in what holds it
    int node, holder;   // node: the turner
    int n;              // rotations that the joint forbids
    vec3 u[2], v[2];    // u.v = 0, in the axes of the holder and of the end
} pivot;

// A joint between two nodes: what it holds has multipliers, what it lets free may have a spring. See bond.c.
typedef struct bond {
    td_joint kind;
    int held, holder;   // nodes
    int body, rod;      // what is held: a body, or an end of a rod; the other is -1
    td_end end;         // of the rod
    char *name;         // of either
    td_base_def frame;  // where it is held, in the axes of the holder;
    bool driven;        // inputs move that
    se3 place;          // otherwise
    vec3 axis, axis2;   // in that frame, and in what is held
    vec3 across[2];     // axis
    td_spring_def spring;
    bool springs;
    int motor;   // of all actuators; -1: none
    int row, n;  // its multipliers among all
} bond;

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
    int inner;                             // of the numbers that segments remember, its first
    double rest[6];                        // strain (u, v) of the rest shape
    point_body around;                     // what surroundings act on, of all of it,
    vec3 added;                            // kg, and what moves along
    double youngs_modulus, shear_modulus;  // Pa, for what stretching does to the section
    int first_port, n_ports;
    int block[4];  // of the matrix: (a, a), (a, b), (b, a), (b, b); -1: an end is held
} segment;

typedef struct rider {  // a body that rides on a rod and comes and goes
    int node;
    lump lump;
    td_number attached;
} rider;

typedef struct node_load {
    place at;
    int base_of;   // 1 + the rod at whose base it is given; 0: elsewhere
    double share;  // 1, or the length over which a distributed load acts on this node
    td_load_def of;
} node_load;

typedef struct net_rod {
    char *name;
    double length;
    int first, n;  // segments
    lump ends[2];  // td_end: what of its first and last segment lies there
    bool free_tip;
    bool open;     // from a held base to a free tip: its shape follows from its strains
    bool follows;  // its sections follow its mean stretch
    bool floats;   // nothing holds its base, which is a free node and begins here:
    se3 start;
    int root;  // its number among those rods; -1: it is none
} net_rod;

typedef struct net {
    td_options options;
    bool printed;  // as in the paper: first order
    int joints;    // relative coordinates: joint_kind of relative.h
    int n_roots;   // rods whose bases float
    environment around;
    int n_inputs;
    int n_free, n_nodes;  // nodes; those behind the free ones are held by the world
    int first_body;       // nodes from here to n_free are free bodies
    int n_held_bodies;    // so many from n_free on are bodies that the world holds
    pivot *pivots;
    int n_pivots, n_multipliers;
    bond *bonds;               // those of bodies first, in their order
    int n_bonds, n_held_ways;  // and what they hold, in all: multipliers beside the unknown efforts
    double hold_turning, hold_shifts;  // N m/rad, N/m: see bond.c
    bool *breaks;      // (n_nodes) something acts there, or what is spread along the rod changes
    bool *only_turns;  // (n_nodes) turners, whose place is taken by multipliers, N m
    int *
        carrier;  // (n_free) of the nodes that the world holds the one it hangs on, from 0; -1: none
    point_body *wet;  // (n_nodes) of the rod around a node, in its axes: what surroundings act on,
    vec3 *added;      // (n_nodes) kg, in its axes: fluid that moves along
    point_body *wet_bodies;  // (n_bodies) and of bodies
    lump *lumps;             // (n_nodes)
    td_base_def *held;       // (n_nodes - n_free) how
    se3 *start;              // (n_free - first_body) where free bodies are put together
    segment *segments;
    int n_segments;
    int n_inner;  // numbers that they remember: material/law.h
    port *ports;
    net_rod *rods;
    int n_rods;
    rider *riders;
    int n_riders;
    node_load *loads;
    int n_loads;
    touch touch;             // obstacles, at the points
    place *touched;          // (touch.n_points)
    int *carriers;           // (touch.n) nodes of the bodies that carry them; -1: none does
    bool loose;              // nothing joins some rod or body to the world
    part_contacts contacts;  // of parts with one another,
    place *capsules;         // (contacts.n x 2) where axes end
    model_notes notes;
    const actuator *actuators;
    int n_actuators;
    int *unknown;  // (n_actuators) its number among the unknown efforts; -1: given
    int n_unknown;
    int n_border;  // with what bonds hold
    int n_bodies;
    place *bodies;        // (n_bodies)
    td_number *attached;  // (n_bodies)
    block_pattern pattern;
    double size;      // m, of the longest rod: the scale of displacements
    double stiffest;  // N m^2, EI of the stiffest rod
    bool follows;     // some rod's sections follow its mean stretch
    double *unit;     // (6 n_free, or 6 n_segments) see solve_part
    int band;         // nodes answer to others that are at most so far away, by number; 0: to all
} net;

extern const char *const lumped_reads[];  // what td_model.reads says of eba, ebr and srl
void *net_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                  td_error *err);
// After the checks that only the caller's formulation asks for.
net *net_build(const td_robot *robot, const actuator *actuators, const td_options *options,
               td_error *err);

void net_release(void *compiled);
const char *net_note(const void *compiled, int index);

// ---------------------------------------------------------------- memory
typedef struct node_state {  // doubles only
    vec3 p;                  // m, world; of a turner its multipliers, N m
    quat q;                  // of any length within a step
    vec3 v;                  // m/s, world
    vec3 w;                  // rad/s, in its axes
} node_state;

typedef struct node_rates {  // doubles only
    vec3 w, v;               // of w and v of a node
} node_rates;

// How the twist (w, V) of a node, turned into the world, answers to its motion (th, dp), per cv:
// d(R w) = own th, d(R V) = shift dp + by_turn th. See screw.c, where shift is own, and middle.c.
typedef struct node_follow {
    mat3 own, by_turn, shift;
} node_follow;

typedef struct node_start {  // of a node, where a step began: see middle.c
    mat3 R;
    vec3 v, w;  // world; its axes
} node_start;

struct net_memory;
struct net_job;
// What of a net depends on its coordinates: absolute, or relative.
typedef struct net_states {
    // Nodes and their accelerations in m->trial, trial_rates.
    struct net_job (*load)(struct net_memory *m, const solve_instant *at, const configuration *x);
    void (*evaluate)(const struct net_job *j,
                     const configuration *x);  // all that is out of balance
    void (*to_nodes)(const struct net_memory *m, const double *dz,
                     double *z);               // motions of free nodes
    void (*from_nodes)(struct net_memory *m);  // m->balance, of m->r
} net_states;

typedef struct net_memory {
    const struct net *of;
    const net_states *states;
    solve_memory solve;  // points (p, q), twists (w, V) of each free node, unknown efforts
    node_state *nodes;   // kept (n_nodes)
    double *efforts;     // kept (n_actuators) N or Pa
    double *turns;       // kept (n_actuators) of what moves a joint: rad, of its shaft
    double *
        pulls;  // kept (6 n_bonds) what bonds do to what they hold, where it is: moment, force; world
    double *inner;      // kept (n_inner) what segments remember
    double elapsed;     // s since then, of the last evaluation; HUGE_VAL: at rest
    node_rates *rates;  // kept (n_nodes) accelerations at the end of a step
    const double *coordinates,
        *coordinate_rates;    // kept (6 n_segments) of relative states, or NULL
    const segment *segments;  // as they are now: those of the net, or stretched ones
    const port *ports;
    segment *own_segments;  // (n_segments) with mean_stretch; otherwise NULL
    port *own_ports;
    double *stretches;  // kept (n_rods) of the sections
    double *made_for;   // (n_rods) the stretches of own_segments
    int restless;       // the rod whose stretch changed most
    // of the last evaluation:
    node_state *trial;        // (n_nodes)
    node_rates *trial_rates;  // (n_nodes)
    mat3 *R;                  // (n_nodes)
    node_follow *follow;      // (n_nodes) where there is a matrix of a motion
    node_start *starts;       // (n_free) where the middle of a step is asked for
    lump *lumps;              // (n_nodes) with what rides now
    double *r;              // (6 n_nodes) what is out of balance: moment, force of each node, world
    double *balance;        // (6 n_free) the same of the coordinates
    double *y;              // (6 n_nodes) motions
    double *slopes;         // (n_unknown x 6 n_nodes) of the measures against motions of the nodes
    double *measures;       // (n_actuators)
    double *given;          // (n_actuators)
    double *gap;            // (n_border) equations of the unknown efforts, and of what bonds hold
    double *trial_efforts;  // (n_actuators)
    touch_memory touch;
    pairs_memory pairs;
    double lost, given_power;  // W
    int slack;
} net_memory;

net_memory net_layout(const net *c, arena *keep, arena *work);

// ---------------------------------------------------------------- assemble.c
typedef struct net_matrix {  // blocks, and the border of the unknown efforts: see linear.c
    double *a, *U, *V, *W;
} net_matrix;
size_t net_matrix_size(const net *c);
net_matrix net_matrix_at(const net *c, double *matrix);

typedef struct net_job {  // an evaluation
    const net *c;
    net_memory *m;
    const solve_instant *at;
    const node_state *x;       // (n_nodes)
    const node_rates *rates;   // (n_nodes) NULL: none
    bool moves;                // velocities count
    const double *efforts;     // (n_actuators) those that are unknown
    const double *holding;     // (n_held_ways) of bonds; NULL: 0
    bool pulled;               // bonds pull as they did when the shape was kept
    const tangent_weights *w;  // NULL: no matrix
    bool by_velocity;          // its columns are those of velocities, not of motions in the world
    double step;  // s: this is the middle of a step of so long (middle.c); 0: it is not
    net_matrix to;
} net_job;

// m->r and m->gap, powers; with weights also the matrix and its border.
void assemble(const net_job *j);
// The material alone, as it would answer without any wrench.
void assemble_material(const net_job *j);
// Step by step, for what is made up of other parts:
void clear_matrix(const net_job *j);
void clear_forces(const net_job *j);
void find_frames(const net_job *j);  // m->R
void find_follow(const net_job *j);  // m->follow, from m->R
void add_segment(const net_job *j, const segment *s);
// What a segment asks of its ends, into those of nodes (6 n_nodes).
void add_ends(const net_memory *m, const segment *s, const element_ends *ends, double *out);
void add_nodes(const net_job *j);  // weight, inertia, drag and loads
void add_slope(const net_job *j, const segment *s, const element_ends *ends, int unknown);
// A wrench at an end, off m->r; S (6 x 6), which is used up: how it answers to motions. NULL: no matrix.
void put_wrench(const net_job *j, const place *at, vec6 wrench, double *S);
void balance_effort(const net_job *j, int actuator);  // the equation of an unknown effort
double effort_of(const net_job *j, int actuator);
// The total wrench of a segment in the shape that is kept, as it pulls at its ends.
element_ends segment_pull(const net *c, net_memory *m, const segment *s);
void compose_lumps(const net *c, net_memory *m, const double *inputs);
vec3 gravity_at(const net *c, const double *inputs, double share);
double net_surrounding_energy(const net *c, const node_state *x, const double *inputs,
                              const surroundings *around, const surroundings *by);
void less_rest(const segment *s, vec6 strain, double x[6]);  // the strain that its law answers to
// Wrench of the material with damping, conjugate to (u, v); *lost (W/m) += what that takes.
vec6 material_wrench(const net_memory *m, const segment *s, vec6 strain, vec6 rate, double *lost);
static inline law_past segment_past(const net_memory *m, const segment *s) {
    return (law_past){m->inner + s->inner, m->elapsed};
}
// What segments remember of the shape in m->trial.
void keep_inner(const net *c, net_memory *m, shape_origin from);
// An effort that its equation gives at once: what stretches or is compressed decides it.
double effort_at(const net_job *j, int i);
supply supply_of(const net_job *j, int i);
// A tendon of given displacement that gives way nowhere: it is slack or holds, at once.
bool is_rigid_string(const net *c, int actuator);

// ---------------------------------------------------------------- touching.c
void add_touches(const net_job *j);
void keep_touches(const net *c, net_memory *m, shape_origin from);             // of m->trial
void net_points(void *of, const solve_instant *at, const double *q, vec3 *p);  // see mechanics
double touched_energy(const net *c, const net_memory *m, const node_state *x, const se3 *frames,
                      const double *inputs);  // J
// J, of nodes x among obstacles as they are now.
double touching_energy(const net *c, const net_memory *m, const node_state *x,
                       const double *inputs);

// ---------------------------------------------------------------- past.c, see mechanics
int net_n_kept(const net *c);
int net_n_shape(const net *c);
void net_past_begin(void *of, const solve_instant *at, const configuration *x, int columns,
                    const double *z, double *shape);
void net_past_take(void *of, const solve_instant *at, const configuration *x, int columns,
                   const double *kept, const double *shape, double *wrenches, double *rows);
void net_past_keep(void *of, const solve_instant *at, const configuration *x, int columns,
                   const double *z, const double *kept, const double *shape, double *moved,
                   double *to);

// ---------------------------------------------------------------- relaxing.c, see mechanics
int net_n_relaxing(const net *c, int *n_flows);
relaxing_section net_relaxing(void *of, int i);
void net_strains(void *of, const solve_instant *at, const configuration *x, double *X);
void relative_strains(void *of, const solve_instant *at, const configuration *x, double *X);
void net_strained(void *of, const solve_instant *at, const configuration *x, double *out);

// ---------------------------------------------------------------- pairs.c
void add_part_contacts(const net_job *j);
void keep_pairs(const net *c, net_memory *m, shape_origin from);            // of m->trial
double net_pairs_energy(const net *c, net_memory *m, const node_state *x);  // J
// See pairs_begin of m->nodes, pairs_fit of m->trial, and the others of m->nodes.
void net_pairs_begin(const net *c, net_memory *m);
td_status net_pairs_fit(const net *c, net_memory *m, bool moves, bool taken, char *message);
void net_pairs_visit(const net *c, net_memory *m, contact_visit *visit, void *context);
void net_pairs_sample(const net *c, net_memory *m, int rod, double s, td_sample *out);

// ---------------------------------------------------------------- linear.c
extern const linear_ops net_linear;
// Of blocks and border: b (6 n_free + n_border) is used up for the answer.
bool bordered_factor(const net *c, int n_border, double *matrix, int *pivots);
void bordered_solve(const net *c, int n_border, const double *matrix, const int *pivots, double *b);
void bordered_multiply(const net *c, int n_border, double *matrix, const double *b, double *out);
int bordered_negative(const net *c, int n_border, double *matrix, int *pivots, double *scratch);

// ---------------------------------------------------------------- pivot.c
pivot pivot_make(td_joint joint, const double axis[3], const double axis2[3], int node,
                 const place *at);
void add_pivots(const net_job *j);

// ---------------------------------------------------------------- assemble.c again
// How the velocities in the world of a free node, or of one that is held (0), answer to its motion `column` (turns, shifts).
void node_velocity_slopes(const net_job *j, int node, int column, vec3 *w, vec3 *v);

// ---------------------------------------------------------------- bond.c
// `hold`: how it is held, with what holds it in place of the body; of the base of a rod, the same.
bond bond_make(const td_tip_def *hold, int holder, int held);
void bond_frame(const bond *b, const double *places, se3 *frame);  // in the axes of the holder
void add_bonds(const net_job *j);
void keep_bonds(const net_job *j);                                             // m->pulls
double bonds_energy(const net *c, const node_state *x, const double *inputs);  // J, of springs
td_status bonds_fit(const net *c, const net_memory *m, const double *places, char *message);

// ---------------------------------------------------------------- place.c
// The motion of an end, from those of all nodes and their frames.
end_motion end_of(const place *at, const node_state *x, const mat3 *R);
end_motion end_at(const place *at, const node_state *x);
// See mechanics.
void net_base(void *of, const solve_instant *at, int base, base_course *out);
int net_carrier(void *of, int node, bool *turns);
// Motion of the held nodes in m->trial, what actuators are given, and what rides.
void hold_nodes(const net *c, net_memory *m, const solve_instant *at);
// The same in the nodes that are kept; J, the work by which the velocities jump.
double jump_nodes(const net *c, net_memory *m, const solve_instant *at);
// The robot put together at rest, without loads: a first guess.
void place_nodes(const net *c, const double *inputs, node_state *x);
// How far what the world holds turns from one set of inputs to another, at most, rad.
double turn_between(const net *c, const double *from, const double *to);

// ---------------------------------------------------------------- bend.c
// Nodes x moved by share m->y: along an open rod as changes of its strains.
void bend_and_shift(const net *c, net_memory *m, double share, node_state *x);

// ---------------------------------------------------------------- stretch.c
// Sections of rods that have the mean stretch of nodes x; returns its largest change.
double stretch_sections(const net *c, net_memory *m, const node_state *x);
// The same when a step begins; J, the work that this is.
double follow_stretch(const net *c, net_memory *m);
void net_stretch(void *of, const solve_instant *at, const configuration *x,
                 double *out);  // see mechanics
// Sections that have the kept stretch, which a snapshot or a failed step may have put back.
void use_sections(const net *c, const net_memory *m);

// ---------------------------------------------------------------- turns.c
// Does a segment turn so far that its coordinates fail? Fills stats.resolution.
td_status check_turns(const net *c, const net_memory *m, const model_call *call);
td_status say_coarse(const net *c, const net_memory *m, char *message);  // which segment is

// ---------------------------------------------------------------- screw.c
// Of a node with this twist and its rate (NULL: the twist stays), into the world.
void put_twist(const double *v, const double *a, node_state *x, node_rates *t);
// cv 0: each for itself.
node_follow screw_follow(const mat3 *R, const node_state *x, double cv);

// ---------------------------------------------------------------- middle.c
// See inertial_wrench, without weight, and add_inertial_tangent: over a step of h through its middle x.
vec6 mean_wrench(const lump *b, const node_start *from, const node_state *x, double h);
void add_mean_tangent(const lump *b, const node_start *from, const mat3 *R, const node_state *x,
                      double h, const node_follow *f, double *block);
node_follow middle_follow(const mat3 *R, const node_state *x, double cv);
extern const middle_rule net_middle;

// ---------------------------------------------------------------- inertia.c
void put_column(double *block, int column, vec6 x);  // += x, of a block (6 x 6)
// What moving a node asks for, and weight: out (moment, force; world). t NULL: no acceleration.
vec6 inertial_wrench(const lump *b, const mat3 *R, const node_state *x, const node_rates *t,
                     vec3 gravity);
// Adds d of that to block (6 x 6); f NULL: at rest.
void add_inertial_tangent(const lump *b, const mat3 *R, const node_state *x, const node_rates *t,
                          const tangent_weights *w, const node_follow *f, vec3 gravity,
                          double *block);
// The same of fluid that moves along with what is around a node: added mass in its axes, in a current.
vec6 wet_wrench(vec3 added, vec3 current, const mat3 *R, const node_state *x, const node_rates *t);
void add_wet_tangent(vec3 added, vec3 current, const mat3 *R, const node_state *x,
                     const node_rates *t, const tangent_weights *w, const node_follow *f,
                     double *block);
double wet_kinetic(vec3 added, vec3 current, const mat3 *R, const node_state *x);
double lump_kinetic(const lump *b, const mat3 *R, const node_state *x);

// ---------------------------------------------------------------- mechanics.c
// See mechanics.h.
void begin_load(net_memory *m, const solve_instant *at, const configuration *x);
net_job job_of(net_memory *m, const solve_instant *at, const configuration *x);
void net_give(const net_job *j, double *r, double *powers);
void net_residual(void *of, const solve_instant *at, const configuration *x, double *r,
                  double *powers);
double net_settle(void *of, const solve_instant *at, const configuration *x);
double net_begin(void *of, const solve_instant *at, bool fresh);
bool net_snapped(void *of, const double *before, const double *l);
double net_motion_energy(void *of, const solve_instant *at, const configuration *x);
bool net_anew(void *of, const double *before, const double *inputs);
const char *net_lacks_energy(void *of, const solve_instant *at);
td_status net_admit(void *of, const double *inputs, char *message);
td_status net_fits(void *of, const solve_instant *at, const double *q, char *message);
const char *net_mover(void *of, const double *dz);
td_pose net_move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                 const model_point *p, double moved[6]);
void net_push(void *of, const solve_instant *at, const configuration *x, const model_point *p,
              const double wrench[6], double *r);
#define NET_MECHANICS                                                                              \
    .residual = net_residual, .settle = net_settle, .snapped = net_snapped,                        \
    .energy = net_motion_energy, .lacks_potential = net_lacks_energy, .anew = net_anew,            \
    .admit = net_admit, .fits = net_fits, .points = net_points, .mover = net_mover,                \
    .move = net_move, .push = net_push, .stretch = net_stretch, .past_begin = net_past_begin,      \
    .past_take = net_past_take, .past_keep = net_past_keep, .relaxing = net_relaxing,              \
    .strained = net_strained
double net_finish(const void *compiled, void *memory, const model_call *call,
                  const solve_instant *at, shape_origin from, td_status *status);
int net_n_parts(const void *compiled);
// Are efforts that are not given those of what gives way, in motion? See solve_instant.soft.
static inline bool net_softens(const net *c) {
    return c->options.integration.method != TD_STEPS_FIXED;
}

static inline bool keeps_momenta(const net *c) {
    return c->options.integration.method == TD_STEPS_MIDPOINT;
}

// ---------------------------------------------------------------- slopes.c
size_t net_slopes_size(const net *c);  // doubles of scratch
bool net_slopes(void *of, const solve_instant *at, const configuration *x, double *K, double *D,
                double *M, double *scratch);
// The block of a node by itself, from slopes against its twist to those of motion, velocity and acceleration in the world.
void turn_own_block(const net *c, const net_memory *m, int node, double *K, double *D, double *M);

// ---------------------------------------------------------------- absolute_mechanics.c
bool net_tangent(void *of, const solve_instant *at, const configuration *x,
                 const tangent_weights *w, double *matrix, double *r, double *powers);
solve_part net_part(const void *compiled, void *memory, int index);
coordinate_words net_coordinate(const void *compiled, int part, int k);
// The memory serves this net from now on: one of the same parts with other numbers may ask (td_get_sensitivity).
void net_use(const net *c, net_memory *m);
void use_absolute_states(net_memory *m);

// ---------------------------------------------------------------- reaction.c
vec6 net_reaction(const void *compiled, const void *memory, int rod, td_end end,
                  const double *inputs);
vec6 net_hold_reaction(const void *compiled, const void *memory, int body, const double *inputs);
vec6 net_acceleration(const void *compiled, const void *memory, int body);

// ---------------------------------------------------------------- outputs.c
td_sample net_sample(const void *compiled, const void *memory, int rod, double s);
td_pose net_pose(const void *compiled, const void *memory, int rod, double s);
td_energy net_energy(const void *compiled, const void *memory, const double *inputs);
void net_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context);
td_actuator_state net_actuator(const void *compiled, const void *memory, int index);
td_body_state net_body(const void *compiled, const void *memory, int body);
double stored_energy(const net *c, const net_memory *m, const double *given);  // J
double net_elastic_energy(const net *c, const net_memory *m,
                          const node_state *x);  // J, of the rods
// J, of motion, height and strain, without what actuators store.
double net_own_energy(const net *c, net_memory *m, const node_state *x, const double *inputs);
