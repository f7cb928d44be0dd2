// model/cosserat/assembly.h - rods, free bodies and joints that hang together: one set of
// equations.
//
// The unknowns of an assembly are those of its rods, the poses of its bodies and the reactions of
// its joints. The rods are condensed to their ends by their scheme (scheme.h); what remains is a
// small system, the border, for the motions z of the bodies and the reactions:
//
//     body     base wrenches of the rods that stand on it - reactions of the joints that it carries
//              + loads = rate of momentum - weight                              (6 rows each)
//     joint    what is held sits in its frame                                   (6 or 3 rows)
//
// A `point` is one set of unknowns: (rods' | position and quaternion of each body | reactions). A
// `change` is a direction: (rods' | spatial motion of each body | reactions); a residual has the
// same rows.
#pragma once

#include "model/cosserat/scheme.h"
#include "math/pi.h"

// ---------------------------------------------------------------- compile_assembly.c
bool assemblies_make(cosserat *c, const td_robot *robot);  // false: out of memory
void assemblies_free(cosserat *c);

// ---------------------------------------------------------------- memory
typedef struct body_motion {  // a free body at a point
    se3 T;
    vec6 a;           // spatial velocity
    double by_z[36];  // how it answers to a motion: da = by_z z
} body_motion;

typedef struct joint_motion {
    se3 frame, held;     // in the world
    vec3 moment, force;  // on what is held
} joint_motion;

typedef struct rod_answer {  // to the reaction at its tip, then to the motion of its base
    int n;                   // columns
    double *X;               // kept (n_unknowns x n)
    double *base;         // kept (6 x n) the wrench at its base; none when that stands in the world
    double tip[12 * 12];  // (12 x n)
} rod_answer;

// A joint on a rod's tip whose reaction follows from the motions of its ends: C reaction + rows +
// E (motion of the holder, motion of the rod's base) = 0. Where C is too near to singular, as of
// a straight rod that does not stretch, the reaction stays in the border.
typedef struct joint_factor {
    double apart;  // 1: that is so
    double C[36];  // (n x n) factors, scaled
    double P[72];  // (n x 12) C^-1 E
    double H[36];  // (6 x n) what a unit reaction does to the holder
    int pivot[6];
} joint_factor;

// The same in the second variation: what a joint on a tip leaves once its own numbers are eliminated.
typedef struct joint_rest {
    bool apart;            // false: it stays in the border
    int positive;          // eigenvalues of its own block
    int bodies[2];         // that the rod stands on, that holds it; -1: none
    double rest[12 * 12];  // in the rows of these two
} joint_rest;

typedef struct rod_share {
    td_stats stats;
    int negative;
    bool ok;
} rod_share;

typedef struct kept_border {
    double valid, c0, fraction;  // of the factors
    double closed;               // 0: it has not been put together
    double number;               // of the factors: how many there have been
    double touching;             // of the rods they were made for: see assembly_touching
    double coupled;              // they are not all: see coupling.c
    double about[3];             // m, where motions of bodies are those of the border: see border.c
} kept_border;

// One assembly at one instant.
typedef struct assembly_problem {
    const cosserat *c;
    const assembly *a;
    cosserat_memory *m;
    struct assembly_memory *own;
    const double *inputs;                    // of loads and efforts
    const double *base_inputs, *base_rates;  // of what moves; rates: NULL in statics
    double c0, dt;
    double fraction;  // of the loads, and of the way from the rest shape to the closed chain
    double turn;      // share of the turns of what holds the chain
    double springs;   // on bodies, in the matrices alone: see body_hold
    bool sudden;      // see solve_instant
    bool following;   // sections take the mean stretch of each shape that is evaluated
    vec3 gravity;
    td_stats *stats;
} assembly_problem;

// What parts that touch do to a free body: a spatial wrench, and its answer to a motion of it.
typedef struct body_push {
    vec6 wrench;
    double by_z[36];
} body_push;

// See coupling.c. All in scratch: it belongs to the factors only as long as a call lasts.
typedef struct coupling {
    int n, most;    // places that touch, and at most
    int width;      // numbers of each: 3, shifts and forces; 6 where something rubs
    int *slot;      // (places) of each; -1: it does not touch
    int *points;    // (most) which they are
    double *G;      // (W x W)
    double *B, *T;  // (W x W) I + T G, factored; P Y
    double *P, *Y;  // (W x n_change) motions, (n_change x W) answers
    double *a, *b;  // (W)
    double *side;   // (6 x n_change)
    int *pivot;     // (W)
    bool there;     // it goes with the factors
} coupling;

typedef struct assembly_memory {
    kept_border *kept;       // kept
    double *border;          // kept (n_border x n_border, or less) its factors
    int *pivot;              // kept (n_border)
    joint_factor *factors;   // kept (n_joints)
    int *rows;               // (n_joints) where each stands in the border; -1: apart
    double *whole;           // (n_border x n_border) scratch
    joint_rest *rests;       // (n_joints) scratch of border_negative
    rod_answer *answers;     // (n_rods)
    rod_problem *problems;   // (n_rods)
    rod_share *shares;       // (n_rods) what each rod says when several threads work
    body_motion *bodies;     // (n_bodies)
    joint_motion *joints;    // (n_joints)
    body_push *body_pushes;  // (n_bodies) where parts touch one another
    coupling coupling;
    double meeting;          // which pairs touch in the shape that was evaluated last, as a number
    bool crowded;            // there were more than there is room for
    int crowds;              // how often that was so while an equilibrium was sought
    double *gaps;            // (n_joints x 6) see joint_gap
    bool gapes;              // where its rods are at rest a joint is open
    bool gives;              // on the way the joints give a little
    double *now;             // (n_point) in progress
    double *residual;        // (n_change)
    double *change;          // (n_change)
    double *side;            // (n_border) scratch
    double *points[5];       // (n_point) scratch
    assembly_problem asked;  // of src/solve: see mechanics.c
    td_stats asked_stats;
    double *seen_inputs;  // (n_inputs) under which `now` was evaluated for it last
    bool seen;            // there is such a shape
    bool tested;          // and `test` is about it
    path_test test;
    double value_at_rest;  // of the test, where a scheme has no verdict
    double *unit;          // (n_change) of solve_part
    solve_memory solve;
    solve_memory moving;  // of motion.c: q, l, v, a alone
    int n_moving;         // coordinates of it
    double *moving_unit;  // and the units of coordinates and multipliers
} assembly_memory;

static inline const joint *joint_of(const assembly_problem *p, int k) {  // joint k of the assembly
    return &p->c->joints[p->a->joints[k]];
}
// A joint that slides acts on its holder where it holds what it holds.
static inline vec3 joint_point(const joint *j, const joint_motion *at) {
    return j->kind == TD_PRISMATIC ? at->held.p : at->frame.p;
}
static inline int rod_in(const assembly *a, int rod_index) {  // which of its rods
    int i = 0;
    while (a->rods[i] != rod_index) i++;
    return i;
}
static inline int n_border(const assembly *a) {
    return 6 * a->n_bodies + a->n_reactions;
}
static inline int n_change(const assembly *a) {
    return a->first[a->n_rods] + n_border(a);
}
static inline int n_point(const assembly *a) {
    return a->first[a->n_rods] + 7 * a->n_bodies + a->n_reactions;
}

// A wrench at a point, as a spatial one.
static inline vec6 wrench_at(vec3 point, vec3 moment, vec3 force) {
    return vec6_make(vec3_add(moment, vec3_cross(point, force)), force);
}

void assembly_layout(const cosserat *c, arena *keep, arena *work, cosserat_memory *m);
// Bodies where the robot is put together, and the rods that stand on them.
void assembly_reset(const cosserat *c, cosserat_memory *m, const model_call *call);

// work(context, i) for every rod of the assembly, by the state's helpers too. p->own->shares[i].ok is
// what it returns; false when one is false.
typedef bool rod_work(const assembly_problem *p, int i, void *context);
bool assembly_each_rod(const assembly_problem *p, rod_work *work, void *context);

// ---------------------------------------------------------------- bodies.c
void body_history(body_memory *m, const time_formula *f);
void body_accept(body_memory *m, double c0);  // shifts the past by one
void body_rest(body_memory *m);
// The motion that belongs to a pose (p, quaternion); also into the body's trial.
body_motion body_move(body_memory *m, const double pose[7], double c0);
// Where a rod that stands on it begins.
base_motion body_base(const rod *r, const body_motion *b, quat h, const double *rates);
// by_z (6 x 6) += what springs at its origin answer to a motion, of `stiffness` in units of EI/L and EI/L^3.
void body_hold(const assembly_problem *p, int k, double stiffness, double *by_z);
// Loads less what inertia and weight ask, as a spatial wrench; by_z (6 x 6, may be NULL): its
// answer to a motion of the body.
vec6 body_balance(const assembly_problem *p, int body, const body_motion *b, double *by_z);

// ---------------------------------------------------------------- springs.c
// What the spring of a joint does to a body, as a spatial wrench; its answer to a motion is added to by_z (NULL: not
// wanted), that to its velocity alone is by_a (6 x 6, may be NULL).
vec6 spring_wrench(const assembly_problem *p, int body, const body_motion *b, double *by_z,
                   double *by_a);
// The same of joint k, between bodies: on what is held, and the opposite on the holder; its answers to motions of both and to
// the velocity of what is held, from which that of the holder is taken away (6 x 6 each, may be NULL).
vec6 spring_between(const assembly_problem *p, int k, double *by_held, double *by_holder,
                    double *by_a);
static inline bool springs_between(const joint *j) {
    return j->springs && j->holder >= 0;
}
// Of joint k in the current state: moment about what is held, and force.
vec6 spring_effort_now(const cosserat *c, const cosserat_memory *m, int k, const double *inputs);
double springs_energy(const cosserat *c, const cosserat_memory *m, const double *inputs);  // J
double springs_loss(const cosserat *c, const cosserat_memory *m);                          // W
// The shaft of joint k of the assembly, where it has a motor, at the shape last evaluated.
typedef struct shaft {
    const actuator *of;
    double by_turn;  // its torque by its turn at the joint
    double wrench
        [6];  // spatial, on what is held, by that torque; the turn by its motion is the same row
} shaft;
bool shaft_at(const assembly_problem *p, int k, shaft *out);
// The engines of joints are asked in the shape that was found.
void springs_take_engines(const cosserat *c, const cosserat_memory *m, const double *inputs);
td_actuator_state shaft_state(const cosserat *c, const cosserat_memory *m, const actuator *a);
// J, by inputs and motors that move the rest of springs since the last call; since false: it begins here.
double springs_work(const cosserat *c, cosserat_memory *m, const double *inputs, bool since);

// ---------------------------------------------------------------- touching.c
// What obstacles do to a free body, as a spatial wrench; its answer is added to by_z (NULL: not wanted).
vec6 body_touch(const assembly_problem *p, int body, const body_motion *b, double *by_z);
// Does a point of a body pass through an obstacle on its way to the shape in progress? In words.
bool bodies_pass(const assembly_problem *p, char *message);
// Which nodes and points of bodies touch in the shape that was evaluated last, as a number.
double assembly_touching(const assembly_problem *p);

// ---------------------------------------------------------------- pairs.c
// What parts do to one another in the shape between going out and coming back. False: there are too many.
bool pairs_push(const assembly_problem *p);
// Which places touch, and G of the coupling. False: there are too many.
bool pairs_slopes(const assembly_problem *p);
// Pairs of the shape last evaluated that still press after the change last solved for, by their slopes, are held: where one is
// lost by a hair, because the way was curved, nothing would be left to carry the rods. None is: let_go.
void pairs_hold_on(const assembly_problem *p);
// Do parts pass through one another on the way from the current shape to the one in progress? Do they lie within one
// another there? In words.
bool pairs_pass(const assembly_problem *p, char *message);
td_status pairs_lie(const assembly_problem *p, char *message);
// Says that there was no room, where that is so.
bool pairs_blame(const assembly_problem *p, char *message);

// ---------------------------------------------------------------- coupling.c
coupling coupling_layout(const cosserat *c, const assembly *a, arena *work);
bool coupling_factor(const assembly_problem *p);
// What the second variation has of negative eigenvalues because parts touch, beyond those of rods and border. The factors are used up.
int coupling_negative(const assembly_problem *p);
void coupling_correct(const assembly_problem *p, double *change);  // of assembly_solve_apart

// ---------------------------------------------------------------- joints.c
// The frame of a joint at p->fraction of the way, given its holder (NULL: the world).
se3 joint_frame(const assembly_problem *p, int j, const body_motion *holder);
// The gap (6: rotation, translation, in the holder's axes) by which its frame must move to fit
// what is held. A chain is put together by closing it.
void joint_gap(const joint *j, const joint_motion *at, const se3 *holder, double gap[6]);
// The equations of a joint (n_reactions).
void joint_rows(const assembly_problem *p, int j, double *rows);
// How they answer to motions of what is held and of the holder (n x 6 each) and to the reaction
// (n x n).
void joint_tangent(const assembly_problem *p, int j, double *by_held, double *by_holder,
                   double *by_reaction);
// How much a joint gives on the way, m/N.
double joint_give(const assembly_problem *p);
// How far a joint gapes in the current state: distance (m) and angle (rad).
void joint_mismatch(const assembly_problem *p, int j, double *distance, double *angle);
// The rod whose base or tip a hinge is; -1: it is a body of the robot.
int hinge_rod(const cosserat *c, int body);
// "rod 'leg 1'" or the like, for messages.
void joint_name(const cosserat *c, const joint *j, char *out, size_t size);

// ---------------------------------------------------------------- assembly.c
// An assembly in equilibrium at the inputs of a call.
assembly_problem assembly_at(const cosserat *c, int index, cosserat_memory *m,
                             const model_call *call);
// Sets the rods' problems, loads, actuators and lengths.
void assembly_prepare(assembly_problem *p);
// No history: statics.
void assembly_forget(const assembly_problem *p);
// The unknowns of the present state, or of a mean of the last three.
void assembly_recall(const assembly_problem *p, const double w[3], double *point);
// The shape that belongs to a point, published in the rods' and bodies' trials, and its residual.
// False: there is none.
bool assembly_evaluate(const assembly_problem *p, const double *point, double *residual);
// Writes the shapes last evaluated to the rods' trial, where they are not yet.
void assembly_publish(const assembly_problem *p);
// The parts of that, for differences that concern few rods: bodies and frames; one rod; what
// bodies and joints say of the shapes there are.
void assembly_prepare_rod(const assembly_problem *p, int rod);
void assembly_place(const assembly_problem *p, const double *point);
bool assembly_evaluate_rod(const assembly_problem *p, int rod, const double *point,
                           double *residual);
bool assembly_balance(const assembly_problem *p, double *residual);

// ---------------------------------------------------------------- border.c
// Factors the equations at the point last evaluated. negative (may be NULL): see scheme_ports;
// -1: not known. Where it is asked for and moments act on rods the factors serve that count alone. False: singular.
bool assembly_factor(const assembly_problem *p, bool sharp, int *negative);
bool assembly_is_factored(const assembly_problem *p);  // for an instant of this kind
// change = - J^-1 residual
void assembly_solve(const assembly_problem *p, const double *residual, double *change);
void assembly_solve_apart(const assembly_problem *p, const double *residual,
                          double *change);  // as if nothing touched
// The same for n <= SOLVE_COLUMNS residuals one after another, in place.
void assembly_solve_many(const assembly_problem *p, int n, double *columns);
int rod_of_joint(const assembly_problem *p, int k);  // that joint k of the assembly holds
// A rough condition of the factored border: large where it is about to lose rank.
double border_condition(const assembly_problem *p);

// ---------------------------------------------------------------- assembly.c again
void assembly_move(const assembly_problem *p, const double *from, double scale,
                   const double *change, double *to);
// See ports.size and ports.angle; of bodies their turns, and shifts in lengths.
double assembly_size(const assembly_problem *p, const double *change);
double assembly_angle(const assembly_problem *p, const double *change);
// Bodies that others hold without a joint are put where those have them: where Newton's method begins. Their turns add
// up along a chain, which no linear step follows.
void assembly_carry(const assembly_problem *p, double *point);
// Rods in their rest shape, bodies where they begin, no reactions.
void assembly_rest_point(const assembly_problem *p, double *point);
// The same, with the gaps of the joints there: the beginning of the way that closes the chain. *p
// is left there.
bool assembly_open(assembly_problem *p, double *point);
// Makes own->now, last evaluated, the current state of bodies and reactions: at rest, or after a
// step.
void assembly_rest(const assembly_problem *p);
void assembly_accept(const assembly_problem *p);

// ---------------------------------------------------------------- stability.c
// The border as minus the second variation, from the answers of the rods: symmetric in
// equilibrium, without the numbers of joints that are apart (rests, n_joints; NULL: none is). A (n_border x
// n_border at most); returns its size. The rods have been counted: see assembly_factor.
int border_variation(const assembly_problem *p, double *A, const joint_rest *rests);
// Its negative eigenvalues as those of the second variation, to be added to those of the rods:
// together 0 is stable; and how many are zero. Uses own->change, side and whole.
int border_negative(const assembly_problem *p, int *neutral);
// Do all loads have a potential? Friction is not asked.
bool assembly_has_potential(const assembly_problem *p);
bool touches_anything(const assembly_problem *p);  // may it?
// Of the point last evaluated, which is factored on the way.
path_test assembly_test(const assembly_problem *p);
// Where something is neutral at own->now, last evaluated: does more than rods about themselves move?
bool assembly_floats(const assembly_problem *p);
bool assembly_rubs(const assembly_problem *p);  // has it tendons with friction?

// ---------------------------------------------------------------- solve_assembly.c
// One time step, into own->now.
td_status assembly_step(const assembly_problem *p, const cosserat_time *time);
// Equilibrium near a point by Newton steps that stay on the branch or give up.
td_status assembly_follow(const assembly_problem *p, double *point, path_test *test);
// The joint that gapes most in the shape last evaluated, and how much (m, rad).
int assembly_widest(const assembly_problem *p, double *distance, double *angle);
// Refuses a chain that has not been put together.
td_status assembly_check_closed(assembly_problem *p, char *message);

// ---------------------------------------------------------------- equilibrium.c
// Of mechanics.h, for an assembly.
void assembly_begin(void *of, const solve_instant *at, double *q);
td_status assembly_correct(void *of, const solve_instant *at, double drag, double *q, double *size);
void assembly_between(void *of, const double *from, const double *to, double *dz);
bool assembly_anew(void *of, const double *before, const double *inputs);
double assembly_turn(void *of, const double *from, const double *to);
void assembly_lend(void *of, const double *from, double *to);
bool assembly_gapes(void *of);
bool assembly_crossed(void *of);
bool assembly_beyond(void *of, char *message);
// See mechanics.depth; and of the shape in progress, which the scheme has published.
double assembly_depth(void *of, const solve_instant *at, const double *q, contact_push push,
                      char *message);
double assembly_push(const assembly_problem *p, contact_push push, char *message);
touch_depth bodies_depth(const assembly_problem *p, contact_push push);
td_status assembly_relax(void *of, const model_call *call, double *q);
int assembly_lost(void *of, const solve_instant *at, const double *q, bool *neutral);
void assembly_blame(void *of, const solve_instant *at, const double *q, double reached,
                    const char *reach, char *message);
// Makes own->now, last evaluated, the current state: at rest.
void assembly_settle(const assembly_problem *p);
// All assemblies are at rest: what is to be said of that, in words where there are none yet.
td_status cosserat_rested(const cosserat *c, cosserat_memory *m, const model_call *call);

// ---------------------------------------------------------------- mechanics.c
void assembly_instant(assembly_problem *p, const solve_instant *at);
// The shape of a point under the inputs of an instant, in own->now, and its residual. False: there is none.
bool assembly_at_point(assembly_problem *p, const solve_instant *at, const double *point);
// In matrices alone: times the stiffness of the material, and springs on bodies.
void assembly_hold(assembly_problem *p, double hold, double springs);

// ---------------------------------------------------------------- motion.c
void motion_layout(const cosserat *c, const assembly *a, arena *work, assembly_memory *m);

// ---------------------------------------------------------------- inputs.c
// Refuses what cannot be: a rod drawn in altogether, a body that is there less than not at all.
td_status inputs_check(const cosserat *c, const double *inputs, char *message);
bool input_drives_rod(const cosserat *c, int rod, int input);
// Does it move bases or lengths of rods? Is all that it does to give actuators their efforts?
bool input_moves(const assembly_problem *p, int input);
bool input_gives_efforts(const assembly_problem *p, int input);
// It gives efforts and loads alone, and its rate does not count: nothing is moved, wound up or filled by it.
bool input_only_loads(const assembly_problem *p, int input);
// dr += dr/d input of the shape last evaluated: what is given to actuators enters the residual as it is.
void add_by_efforts(const assembly_problem *p, int input, double *dr);
// Between which values of an input differences of the residual are taken.
typedef struct input_span {
    double low, high;
} input_span;
input_span input_span_of(const assembly_problem *p, int input, double now);

// ---------------------------------------------------------------- work.c
// Of stretched tendons and of gas, in the current shape.
double actuators_energy(const rod *r, const rod_memory *m);
// Adds what the actuators do and what their friction takes between the current shape and the one in
// progress. jumped: efforts have just been given their values.
void actuators_account(const space_scheme *scheme, const rod *r, const rod_memory *m, bool jumped,
                       cosserat_time *time);
// Between the same two, at most.
double actuators_most_work(const rod *r, const rod_memory *m);
