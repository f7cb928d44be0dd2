// actuation/actuator.h - actuators of every kind, once for all models.
//
// An actuator is a functional of the shape, its measure, and an effort:
//
//     tendon    length of its path    m = int l ds,  l = |g|           effort: tension
//     chamber   volume                m = int A l ds, l = e3 . g       effort: pressure
//     path      g = v + u x r + r_s   (body frame; r: offset of the path from the axis)
//
// By virtual work its effort adds sign * effort * d(density)/d(u, v) to the wrench of the section,
// the sign being + for a tendon, which pulls, and - for a chamber, which pushes. Rod equations in
// the total-wrench form need nothing else: material wrench + actuation wrench = total wrench.
// Strains and wrenches in the order (angular, linear).
//
// Models do not ask for a kind: they ask for what it is like, which its file (tendon.c, chamber.c) says
// when it is made.
#pragma once

#include "actuation/engine.h"
#include "base/arena.h"
#include "math/se3.h"
#include "robot/actuators.h"
#include "robot/route.h"

typedef struct density {
    double value;  // of the measure, per unit s
    vec6 slope;    // d value/d(u, v): (r x t, t) for a tendon
} density;

typedef struct actuator actuator;

typedef struct actuator_kind {
    // What the description says, but for name, place and value; copies of what it points to in the block.
    void (*make)(const void *def, arena *block, actuator *a);
    // Of a functional that is not the length of its path; NULL: it is.
    density (*density)(const actuator *a, const route_point *at, vec3 u, vec3 v);
    bool linear;    // in the strain: its slope does not change
    bool sections;  // it has no path: it changes what sections are made of
    // m (6 x 6) += factor * d slope/d(u, v). NULL: that of the length of a path.
    void (*curvature)(const actuator *a, double factor, double *m);
} actuator_kind;

#define KIND_OF(word, plural, flag, help) extern const actuator_kind word##_kind;
ACTUATOR_KINDS(KIND_OF)
#undef KIND_OF

typedef enum actuator_control { CONTROL_EFFORT, CONTROL_MEASURE, CONTROL_GAS } actuator_control;

struct actuator {
    const actuator_kind *kind;
    const td_actuator_kind *words;
    const char *name;
    int index;  // among its kind
    int rod;
    double from, to;           // m
    double sign;               // +1: pulls, -1: pushes
    td_number value;           // what the input gives: see `control`
    actuator_control control;  // the number of the input among those of its kind
    bool from_rest;            // the input counts how far the measure is shortened from rest
    bool pulls_only;           // it cannot push: slack where it would have to
    td_tendon_def path;        // where it runs; of a chamber, its centre line
    bool other;                // kind->density is to be asked
    double per_length;         // of its measure, by that of a path: 1, or its area
    double area;        // m^2 of room in the section, 0: none; it follows the stretch of its rod
    double least;       // the least effort that can be given: -HUGE_VAL, or a vacuum
    double rest;        // measure in the rest shape of its rod, m or m^3
    double offset;      // m, largest distance from the axis, not 0: sets scales
    double give;        // m/N or m^3/Pa: how far the rod gives way per effort in its rest shape if
                        // it is free to, int slope' K^-1 slope ds. An estimate, for scales
    double compliance;  // m/N: what it gives at its start per effort, all stretch outside
    double inverse_stiffness;  // 1/N, 1/EA inside the rod
    double yield;              // m/N: both: compliance + rest/EA
    double pretension;         // N
    double friction, viscous, presliding;
    double slack_scale;  // m/N, > 0: decides between taut and slack, see actuator_balance
    double
        braid_angle;    // rad, of threads that hold its room where its rod follows its mean stretch
    double gas_energy;  // J/mol, R T
    double atmosphere;  // Pa
    bool path_volume;   // its volume equation counts A |g|
    double line;        // m^3 of gas beside that in its room
    engine engine;      // between its input and what it is supplied with
    double active[6],
        active_rest[6];       // of what changes sections: its wrench, and the strain at rest
    const double *stiffness;  // (36) that a stiffener multiplies
    // From what the input gives to the effort, with its slope; NULL: they are the same.
    double (*map)(const actuator *a, double given, double *slope);
    double lead;            // m or rad of a joint by radian of its shaft: what this moves; 0: a rod
    td_end end;             // of that rod, in that joint
    int body;               // whose joint it is, if rod is -1
    double at_rest, below;  // K; of a temperature: what `value` is below that of its input
    const double *moduli;   // (n_moduli x 2) K, Pa
    int n_moduli;
};

// ---------------------------------------------------------------- what changes sections from inside
density actuator_strain_density(const actuator *a, const route_point *at, vec3 u, vec3 v);
void actuator_take_strains(actuator *a, const double wrench[6], const double rest[6]);
void actuator_take_moduli(actuator *a, const td_temperature_def *def, arena *block);
// E(T)/E(rest), and its slope.
double actuator_softening(const actuator *a, double kelvins, double *slope);

// All of a robot, by kind, tendons first; *n of them. They do not need the robot any more.
// NULL: out of memory (or none, with *n = 0).
actuator *actuators_make(const td_robot *robot, int *n);
// From what the description says of its input: after TD_DISPLACEMENT and TD_OPENING come the commands of a motor.
engine engine_with_motor(const td_motor_def *motor, int command);
void actuators_free(actuator *list, int n);

static inline route_point actuator_route(const actuator *a, double s) {
    return tendon_route(&a->path, s);
}

// Is friction a matter here? Then the effort varies along the path.
static inline bool actuator_rubs(const actuator *a) {
    return a->friction > 0.0 || a->viscous > 0.0;
}

static inline bool actuator_is_slack(const actuator *a, double effort) {
    return a->pulls_only && effort <= 0.0;
}

// ---------------------------------------------------------------- in a rod that follows its mean stretch
// A chamber's area there, by that at rest, and how much closer to the axis it lies.
double actuator_swell(const actuator *a, double stretch);
double actuator_closer(const actuator *a, double stretch);
// What the stretch leaves of the stiffness K of the section at s of a rod, with the chambers that
// run through it: material/stretch.h.
void actuators_stretch(const actuator *all, int n, int rod, double s, double stretch,
                       const double K[6], double youngs_modulus, double shear_modulus,
                       double out[6]);

// ---------------------------------------------------------------- the functional's density
// Here for speed: models call these at every node in every iteration. A path shorter than 1e-8 per
// unit s has no direction; added in squares, that does not show in double precision on any other.
static inline density path_density(const route_point *at, vec3 u, vec3 v) {
    vec3 g = vec3_add(vec3_add(v, vec3_cross(u, at->r)), at->r_s);
    double l = sqrt(vec3_dot(g, g) + 1e-16);
    vec3 t = vec3_scale(g, 1.0 / l);
    return (density){l, {vec3_cross(at->r, t), t}};
}

// Of a functional that is not the length of its path; apart, so that tendons do not pay for it.
__attribute__((cold)) density actuator_other_density(const actuator *a, const route_point *at,
                                                     vec3 u, vec3 v);

static inline density actuator_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    return a->other ? actuator_other_density(a, at, u, v) : path_density(at, u, v);
}

// m (6 x 6, row major) += factor * d slope/d(u, v), symmetric.
void actuator_add_curvature(const actuator *a, const route_point *at, vec3 u, vec3 v, double factor,
                            double *m);
// The same from the density at that place, without computing it again.
void density_add_curvature(const actuator *a, const route_point *at, const density *d,
                           double factor, double *m);
// What its volume or length equation counts, when that is not the functional itself (path_volume).
density actuator_counted(const actuator *a, const route_point *at, vec3 u, vec3 v);

// ---------------------------------------------------------------- an unknown effort's equation
// What the input gives, with everything scaled from the rest shape (scale 0: none, 1: all of it):
// an effort, or what actuator_balance takes: displacement with pretension, volume, amount of gas.
// A tension or an amount below 0 is none; the tension of a tendon that pushes may be.
double actuator_given(const actuator *a, const double *inputs, double scale);
// How that answers to the number that the input drives: 1, or the slope of its map.
double actuator_given_slope(const actuator *a, const double *inputs);

// What is given, as its equation sees it: a number, or what an engine makes of it and of the effort.
typedef struct supply {
    double given;
    double share;         // of it, in equilibria on a path
    engine_stage *stage;  // of its engine; NULL: it has none, or is at rest where it began
} supply;
static inline bool actuator_is_driven(const actuator *a) {
    return a->engine.kind != ENGINE_NONE;
}
static inline supply actuator_supply(const actuator *a, double given, double share,
                                     engine_stage *engines) {
    const bool driven = engines && actuator_is_driven(a);
    return (supply){given, share, driven ? &engines[a->engine.index] : NULL};
}
// Is it an effort that is given at rest, by its input or its engine?
bool actuator_holds_effort(const actuator *a);

// The measure that a given displacement or volume asks for, where nothing gives way.
static inline double actuator_asked(const actuator *a, double given) {
    return a->from_rest ? a->rest - given : given;
}

typedef struct balance {
    double residual;    // m or m^3, 0 in equilibrium
    double by_effort;   // d residual/d effort
    double by_measure;  // d residual/d measure
    double by_given;    // d residual/d what the input gives
    bool slack;
} balance;
// A displacement or volume:  gap = asked + yield effort - measure = 0,
//                            of what cannot push min(slack_scale effort, gap) = 0
// an amount of gas:          (given R T - (P + atmosphere) measure)/(1 bar) = 0
//
// The solution does not depend on slack_scale, the way to it does: it is what the tendon and its
// rod give together, so that the branch taken is the one that a linear robot ends on. The gas law
// is not divided by the pressure: any pressure on the way is fine, and no gas at all is a vacuum.
balance actuator_balance(const actuator *a, supply from, double effort, double measure);
// Where the effort varies along it: effort at its start; `material`, the unstretched length
// that lies in the rod, int l - l_rest tension/EA ds; by_measure is d residual/d material.
balance tendon_balance(const actuator *a, supply from, double effort, double material);

// The effort of one with an engine, where the measure is known: yield (m/N or m^3/Pa) is what gives way between them, by
// the effort beyond `held`.
typedef struct driven_effort {
    double effort, by_measure, by_given;
} driven_effort;
driven_effort actuator_driven(const actuator *a, supply from, double yield, double held,
                              double measure);
// What it is supplied with in a shape where its effort and measure are known.
double actuator_supplied(const actuator *a, double yield, double effort, double measure);

// What the motor of a joint does to it. turns: x is an angle, known within a turn.
typedef struct joint_push {
    double effort, by_x;            // along x: N or N m
    double torque, turn, supplied;  // of its shaft, at the joint, and behind the gear
} joint_push;
joint_push actuator_push(const actuator *a, supply from, bool turns, double x);
static inline bool actuator_in_joint(const actuator *a) {
    return a->lead > 0.0;
}

// J, stored in what an actuator of unknown effort stretches, or in its gas above the atmosphere at
// constant temperature: 0 where the pressures agree.
double actuator_energy(const actuator *a, double given, double effort, double measure);
double gas_potential(const actuator *a, double amount, double volume);

// What can be read of it, where the effort is the same all along.
td_actuator_state actuator_state_of(const actuator *a, double effort, double measure);
