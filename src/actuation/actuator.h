// actuation/actuator.h - tendons and chambers, once for all models.
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
#pragma once

#include "math/se3.h"
#include "robot/route.h"

typedef enum actuator_kind { ACTUATOR_TENDON, ACTUATOR_CHAMBER } actuator_kind;

typedef struct actuator {
    const char *name;
    actuator_kind kind;
    int index;  // of the tendon or chamber in the robot
    int rod;
    double from, to;  // m
    double sign;      // +1: tendon, -1: chamber
    td_number value;  // what the input gives: see `control`
    enum { CONTROL_EFFORT, CONTROL_MEASURE, CONTROL_GAS } control;
    double rest;    // measure in the rest shape of its rod, m or m^3
    double offset;  // m, largest distance from the axis, not 0: sets scales
    double give;    // m/N or m^3/Pa: how far the rod gives way per effort in its rest shape if
                    // it is free to, int slope' K^-1 slope ds. An estimate, for scales
    // tendon
    td_tendon_def tendon;      // its routing, and that of a chamber's centre line
    double compliance;         // m/N: what it gives at its start per tension, all stretch outside
    double inverse_stiffness;  // 1/N, 1/EA inside the rod
    double pretension;         // N
    double friction, viscous, presliding;
    double slack_scale;  // m/N, > 0: decides between taut and slack, see actuator_balance
    // chamber
    double area;         // m^2
    double braid_angle;  // rad, of threads that hold it where its rod follows its mean stretch
    double gas_energy;   // J/mol, R T
    double atmosphere;   // Pa
    bool path_volume;    // its volume equation counts A |g|
} actuator;

// All of a robot, tendons first; *n of them. They do not need the robot any more.
// NULL: out of memory (or none, with *n = 0).
actuator *actuators_make(const td_robot *robot, int *n);
void actuators_free(actuator *list, int n);

static inline route_point actuator_route(const actuator *a, double s) {
    return tendon_route(&a->tendon, s);
}

// Is friction a matter here? Then the tension varies along the path.
static inline bool actuator_rubs(const actuator *a) {
    return a->friction > 0.0 || a->viscous > 0.0;
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
typedef struct density {
    double value;  // of the measure, per unit s
    vec6 slope;    // d value/d(u, v): (r x t, t) for a tendon
} density;

// Here for speed: models call these at every node in every iteration. A path shorter than 1e-8 per
// unit s has no direction; added in squares, that does not show in double precision on any other.
static inline density path_density(const route_point *at, vec3 u, vec3 v) {
    vec3 g = vec3_add(vec3_add(v, vec3_cross(u, at->r)), at->r_s);
    double l = sqrt(vec3_dot(g, g) + 1e-16);
    vec3 t = vec3_scale(g, 1.0 / l);
    return (density){l, {vec3_cross(at->r, t), t}};
}

// A chamber's is linear in the strain.
static inline density actuator_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    if (a->kind == ACTUATOR_TENDON) return path_density(at, u, v);
    double A = a->area, x = at->r.x, y = at->r.y;
    return (density){A * (v.z + u.x * y - u.y * x), {{A * y, -A * x, 0.0}, {0.0, 0.0, A}}};
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

typedef struct balance {
    double residual;    // m or m^3, 0 in equilibrium
    double by_effort;   // d residual/d effort
    double by_measure;  // d residual/d measure
    bool slack;
} balance;
// A tendon's displacement:  min(slack_scale T, gap) = 0 with
//                           gap = rest - given + (compliance + rest/EA) T - measure
// a volume:                 given - measure = 0
// an amount of gas:         (given R T - (P + atmosphere) measure)/(1 bar) = 0
//
// The solution does not depend on slack_scale, the way to it does: it is what the tendon and its
// rod give together, so that the branch taken is the one that a linear robot ends on. The gas law
// is not divided by the pressure: any pressure on the way is fine, and no gas at all is a vacuum.
balance actuator_balance(const actuator *a, double given, double effort, double measure);
// A tendon whose tension varies along it: effort at its start; `material`, the unstretched length
// that lies in the rod, int l - l_rest tension/EA ds; by_measure is d residual/d material.
balance tendon_balance(const actuator *a, double given, double effort, double material);
