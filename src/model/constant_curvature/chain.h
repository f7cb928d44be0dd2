// model/constant_curvature/chain.h - a chain of circular arcs: the kernels of this model.
//
// Formulation: Liu & Ben-Tzvi 2020, in coordinates without singularity: of each segment
//
//     u = theta (cos phi, sin phi)   rad, how far it bends, and towards which side of its base
//     l                              m, its length (inextensible: left out)
//
// so that straight is an ordinary configuration. Curvature and length are constant along a segment;
// it does not twist. Frame: that of the arm's base; turned section by section without torsion. In
// the words of the other models the strain is u = (-u_y, u_x, 0)/L, v = (0, 0, l/L).
//
// The integrals along a segment are closed forms (integrals.h); wrenches go from the tip to the
// base once: forces at given accelerations cost O(N), the mass matrix O(N^2).
#pragma once

#include "environment/load.h"
#include "math/mat3.h"
#include "model/constant_curvature/integrals.h"
#include "solve/efforts.h"
#include "material/law.h"
#include "model/composite.h"

#define N_LOCAL 3  // u_x, u_y, l
#define N_NODES                                                                                    \
    12  // of Gauss's rule for rotary inertia, at most: exact to rounding for most of a turn
#define N_RULES 4

typedef struct section_rule {  // for segments that bend by at most so much
    double angle;              // rad
    int n;
    double x[N_NODES], weight[N_NODES];
} section_rule;

typedef struct segment {
    double length;      // m, at rest
    double end;         // m, arc length at rest where it ends
    double mass;        // kg, spread evenly
    double rotary[3];   // kg m^2, of its sections about their x, y, z, summed; all 0: left out
    double bending[2];  // N m^2, against u_x and u_y
    double extension;   // N
    double bending_damping[2], extension_damping;  // N m^2 s, N s
    double rest[2];                                // rad, u at rest
    section_law law;                               // of its sections, which answer all alike
    bool other;                                    // that is not the numbers above
    int inner;                                     // where what it remembers begins
} segment;

typedef struct rider {  // a body that rides on a segment
    int segment;
    double x;      // 0 .. 1, where along it
    double mass;   // kg
    vec3 moment;   // kg m, mass times centre, in the section's axes
    mat3 inertia;  // kg m^2, about the section's centre
} rider;

typedef struct point_load {
    int segment;
    double x;
    bool follows;  // given in the axes of the section, else of the base
    int touch;     // it is what obstacles do to that point of theirs; -1: it is not
    int around;    // it is what surrounds that stretch or body (arm.around); -1: it is not
    int answers;   // its number among those that answer to the pose; -1: it is a load
} point_load;

typedef struct
    drive {  // a tendon, push-pull rod or chamber, parallel to the axis, or what changes sections
    const actuator *a;
    int first, end;  // it runs along segments first .. end - 1
    int unknown;     // its effort's number among the multipliers of equilibria; -1: it is known
} drive;

typedef struct arc_past {  // what segments remember, and how long ago that was: law_past
    double *inner;
    double elapsed;
} arc_past;

typedef struct chain {
    int n, per, n_q;    // segments; coordinates of each, and of all
    int n_inner;        // numbers that segments remember
    segment *segments;  // (n)
    rider *riders;      // (n_riders) along the arm
    int n_riders;
    point_load *loads;  // (n_loads) along the arm
    int n_loads;
    drive *drives;  // (n_drives)
    int n_drives, n_unknown;
    bool present_length;          // curvature is u/l, as in the paper; else u/L
    bool radial_damping;          // Eq. 30: only the size of the curvature is damped
    bool printed_scaling;         // Eqs. 5, 25, 30: mass M/l, bending and damping for a length of 1
    section_rule rules[N_RULES];  // arcs_make_rules
} chain;

// ---------------------------------------------------------------- kinematics.c
typedef struct frame_motion {
    mat3 R;
    vec3 p;
    vec3 turn, velocity;           // rad/s, m/s
    vec3 turn_rate, acceleration;  // rad/s^2, m/s^2
} frame_motion;

typedef struct arc_point {  // a point of a segment
    frame_motion at;
    vec3 turn_by_q[N_LOCAL], by_q[N_LOCAL];  // by the coordinates of its own segment
} arc_point;

typedef struct arc_motion {        // a segment
    double u[2], u_t[2], u_tt[2];  // rad
    double l, l_t, l_tt;           // m
    double t, t_t, t_tt;           // theta^2
    frame_motion base;
    vec3 a, a_t, a_tt, b, b_t, b_tt;  // p(x) = p + A a + B b
    arc_integrals integrals;
    arc_point end;
} arc_motion;

static inline double arc_mass(const chain *c, int i, const arc_motion *m) {
    return c->printed_scaling ? c->segments[i].mass / m->l : c->segments[i].mass;
}

// The base is at rest but for `lift`, an acceleration: minus gravity, and weight comes by itself.
// rates and accelerations may be NULL: 0.
void arcs_move(const chain *c, const double *q, const double *rates, const double *accelerations,
               vec3 lift, arc_motion *arcs);
arc_point arc_point_at(const arc_motion *arc, double x);
void arcs_rest_shape(const chain *c, double *q);
void arcs_make_rules(chain *c);
const section_rule *arc_rule(const chain *c, const arc_motion *arc);  // off by 1e-11 at most

// ---------------------------------------------------------------- dynamics.c
// Q -= generalised forces of inertia, of segments and riders, and += those of the wrenches
// (n_loads) of its loads, by one recursion from the tip to the base. Wrenches: moment, force; in
// the axes of the section for loads that follow. NULL: none. Returns their sum at the base.
vec6 arcs_add_inertia(const chain *c, const arc_motion *arcs, const vec6 *wrenches, double *Q);

// M (n_q x n_q), symmetric and positive definite.
void arcs_mass_matrix(const chain *c, const arc_motion *arcs, double *M);

double arcs_kinetic_energy(const chain *c, const arc_motion *arcs);
double arcs_weight_energy(const chain *c, const arc_motion *arcs, vec3 gravity);

// ---------------------------------------------------------------- stiffness.c
// K (n_q x n_q) -= d/dq of the generalised forces of weight and wrenches at rest. slopes: of the wrenches of obstacles and
// surroundings, by their number. Uses arcs.
void arcs_add_geometric(const chain *c, const double *q, vec3 lift, const vec6 *wrenches,
                        const point_slopes *slopes, arc_motion *arcs, double *direction, double *K);

// ---------------------------------------------------------------- elastic.c
// Q += generalised forces of elasticity and damping; rates NULL: at rest. past NULL: nothing happened before.
void arcs_add_elastic(const chain *c, const arc_past *past, const double *q, const double *rates,
                      double *Q);
// K (n_q x n_q) += what elasticity does against a change of q.
void arcs_add_elastic_stiffness(const chain *c, const arc_past *past, const double *q, double *K);
double arcs_elastic_energy(const chain *c, const arc_past *past, const double *q);
// Segments that relax, in their order: mechanics.h.
int arcs_n_relaxing(const chain *c, int *n_flows);
relaxing_section arcs_relaxing(const chain *c, const arc_past *past, int which);
void arcs_strain_rows(const chain *c, double *X);
void arcs_strains(const chain *c, const double *q, double *out);
// Segments remember this shape. anew: and nothing of before.
void arcs_keep(const chain *c, arc_past *past, const double *q, bool anew);
double arcs_damping_power(const chain *c, const arc_past *past, const double *q,
                          const double *rates);  // W
// Moment about local x and y and tension of segment i, of elasticity and damping.
void arc_wrench(const chain *c, const arc_past *past, int i, const double *q, const double *rates,
                double out[3]);

// ---------------------------------------------------------------- stops.c
// The first segment that bends or is compressed beyond its limit by this share of the room that a
// motion has there: 0 at rest, 1 at the wall. -1: none.
int arcs_beyond(const chain *c, const double *q, double room);
// Q += what turns a motion round that goes beyond the limits.
void arcs_add_stops(const chain *c, const double *q, double *Q);
double arcs_stop_energy(const chain *c, const double *q);

// ---------------------------------------------------------------- drives.c
double drive_measure(const chain *c, const drive *d, const double *q);  // m or m^3, along the arm
// Of what changes sections, in a segment.
density arc_density(const chain *c, const drive *d, int segment, const double *q);
// Q += effort of a drive by virtual work.
void drive_add(const chain *c, const drive *d, double effort, const double *q, double *Q);
// `from`: see actuator_given. effort: of one that is unknown, or with soft what it holds where its
// measure is what it should be: it then gives way.
effort_state drive_now(const chain *c, const drive *d, supply from, double effort, bool soft,
                       const double *q);
// The equation of an unknown effort.
balance drive_balance(const chain *c, const drive *d, supply from, double effort, const double *q);
void drive_slope(const chain *c, const drive *d, const double *q,
                 double *by_q);  // (n_q) of measure
// K += what the drive does against a change of q.
void drive_add_stiffness(const chain *c, const drive *d, effort_state now, const double *q,
                         double *K);

static inline double local_length(const chain *c, int i, const double *q) {
    return c->per == N_LOCAL ? q[i * c->per + 2] : c->segments[i].length;
}
