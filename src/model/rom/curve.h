// model/rom/curve.h - a rod as truncated polynomials: the kernels of this model.
//
// Formulation: Sadati et al. 2019, "ROM", as papers/sadati2019 corrects it. In the frame of the
// base
//
//     p(s) = sum phi_i(s) c_i       i = 1 .. n + 1     m, of each part                     (4)
//     a(s) = sum psi_i(s) b_i       i = 1 .. n         parameters of the rotation R(a), turn.h
//     u = T(a) a_s,  v = R' p_s                        strain, as in every model           (5)
//
// so that shear and stretch are free, at the base too (as printed they are 0 there: errata, Eq. 4). Where the
// rod's properties change, or a tendon or chamber begins or ends, curvature jumps, and polynomials
// end: each part of the rod has its own; phi_i and psi_i are integrals of the Legendre polynomials
// there. Coordinates: first all c, in units of the length, then all b: all of the size of an angle.
//
// Forces come by virtual power at places along the rod, the sums of (6) and (7) as integrals:
// Q = - sum w B'(wrench) + ..., with
//
//     du = T da_s + U da,  dv = R' dp_s + v^ T da,  U = d(T a_s)/da
//
// Integrals are sums over Gauss points. The material answers at n + 1 of them, stations: as many as
// p_s has coefficients, so that any a(s) has its p(s) without shear and stretch there, and slender
// rods do not lock ("selective"). What acts along the rod takes a finer rule.
#pragma once

#include "environment/load.h"
#include "material/law.h"
#include "material/stretch.h"
#include "math/turn.h"
#include "model/rom/basis.h"
#include "solve/efforts.h"

typedef struct lump {  // a rigid body about the centre of its section, in the section's axes
    double mass;       // kg
    vec3 moment;       // kg m, mass times centre of mass
    mat3 inertia;      // kg m^2
} lump;

typedef struct place {          // along a rod
    double s;                   // m
    const double *phi, *phi_s;  // (n_p) m, 1
    const double *psi, *psi_s;  // (n_a) 1, 1/m
    vec3 p, p_s;                // as printed: what is given of position and slope; else 0
} place;

typedef struct section {  // at a place of a rule
    double weight;        // m
    section_law law;
    double rest[6];
    point_body around;                     // what surroundings act on, with the weight in it,
    vec3 added;                            // kg, and fluid that moves along
    double youngs_modulus, shear_modulus;  // Pa
    lump lump;                             // with the weight in it
} section;

typedef struct rider {
    int place;
    lump lump;
    td_number attached;
    point_body around;
} rider;

typedef struct curve_load {
    int place, end;  // places from .. end - 1; the weight of sections counts where distributed
    td_load_def of;
} curve_load;

typedef struct drive {  // a tendon, push-pull rod or chamber
    const actuator *a;
    int first,
        end;  // it acts at places first .. end - 1: what changes sections at stations, others at the rule's
    const route_point *routes;  // (end - first)
    int unknown;  // its effort's number among the multipliers of equilibria; -1: it is known
} drive;

typedef struct curve {
    turn_kind kind;
    bool held;      // as printed: no shear and stretch at the base
    double length;  // m
    double *cuts;   // (n_parts + 1) m, where polynomials begin and end; 0 first
    int n_parts;
    int n_p, n_a, n_q;
    place *places;  // (n_places) the rule's, the thin rule's, then those of riders and loads
    int n_places, n_rule, n_thin;
    int station,
        station_end;    // places of which the material answers: the thin rule's, or the rule's
    section *sections;  // (n_rule + n_thin)
    double *beyond;  // (stations x n_rule) share of what a place carries that lies beyond a station
    int n_inner;     // numbers that each station remembers
    rider *riders;
    int n_riders;
    curve_load *loads;
    int n_loads;
    drive *drives;
    int n_drives, n_unknown;
    bool follows;         // its sections follow its mean stretch ...
    const actuator *all;  // ... with the chambers among all actuators
    int n_all, rod;
    double *rest;         // (n_q) the rest shape
    double *unit;         // (n_q, and those of a free base) change that counts like a radian
    double *effort_unit;  // (n_unknown) the same
} curve;

// ---------------------------------------------------------------- shape.c
typedef struct place_motion {
    turn turn;
    vec3 p, p_s, a_s;
    vec3 u, v;             // strain
    vec3 p_t, a_t, w;      // m/s, 1/s, rad/s in the section's axes
    vec3 a_ts;             // slope of a_t
    vec3 u_t, v_t;         // rates of strain
    vec3 p_tt, a_tt, w_t;  // accelerations
} place_motion;

// All places; rates and accelerations may be NULL: 0.
void curve_move(const curve *c, const double *q, const double *rates, const double *accelerations,
                place_motion *out);
// The basis at s, rows (2 n_p + 2 n_a).
void curve_fill_place(const curve *c, double s, double *rows, place *out);
place_motion curve_place_motion(const curve *c, int i, const double *q, const double *rates);
// One, anywhere: s in m.
place_motion curve_at(const curve *c, double s, const double *q, const double *rates,
                      const double *accelerations);

typedef struct pull {  // generalised forces conjugate to what a place does
    vec3 a, a_s, p, p_s;
} pull;
void curve_spread(const curve *c, const place *at, const pull *f, double *Q);

// Position coefficients so that p_s at the places of the thin rule is `slopes` (n_thin): exact.
void curve_set_slopes(const curve *c, const vec3 *slopes, double *q);

// ---------------------------------------------------------------- strain.c
typedef struct stretched {  // of one rod
    double *stretch;        // mean, kept
    double made_for;        // the stretch that the rest belongs to
    section_law *sections;  // (n_rule + n_thin) those of stations are in use
    double *inner;          // kept (n_inner each) what stations remember: material/law.h
    double elapsed;         // s since then, of what is asked for; HUGE_VAL: at rest
} stretched;

double curve_mean_stretch(const curve *c, const place_motion *moved);
// Returns the change of the mean stretch.
double curve_stretch(const curve *c, const place_motion *moved, stretched *out);
void curve_unstretched(const curve *c, stretched *out);
// At station i: strain less that at rest.
void curve_strain(const curve *c, int i, const place_motion *m, double x[6]);
double *curve_remembered(const curve *c, const stretched *x, int i);  // of station i
// Sections remember the shape of these places. anew: and nothing of before.
void curve_keep(const curve *c, stretched *x, const place_motion *moved, bool anew);
void curve_use_stretch(const curve *c, stretched *x);    // of a state that was put back
void curve_make_sections(const curve *c, stretched *x);  // under the mean stretch that there is

// Wrench (m, n) of the material with damping of station i, and its slopes (6 x 6) by strain and rate.
vec6 curve_material_wrench(const curve *c, const stretched *x, int i, const place_motion *m);
void curve_material_slope(const curve *c, const stretched *x, int i, const place_motion *m,
                          double K[36]);
void curve_damping_slope(const curve *c, const stretched *x, int i, const place_motion *m,
                         double B[36]);
double curve_damping_power(const curve *c, const stretched *x, int i,
                           const place_motion *m);  // W/m
double curve_material_energy(const curve *c, const stretched *x, int i,
                             const place_motion *m);  // J/m

// ---------------------------------------------------------------- drives.c
density curve_drive_density(const drive *d, const stretched *x, int i, const place_motion *m);
// C (6 x 6) += factor * d slope/d(u, v)
void curve_drive_curvature(const drive *d, const stretched *x, int i, const place_motion *m,
                           double factor, double C[36]);
// What its measure counts, when that is not what its effort does work on (path_volume).
density curve_drive_counted(const drive *d, const stretched *x, int i, const place_motion *m);
double curve_drive_measure(const curve *c, const drive *d, const stretched *x,
                           const place_motion *moved);
// ---------------------------------------------------------------- inertia.c
// Moment and force that hold it in its motion, base frame, with weight.
vec6 curve_lump_wrench(const lump *b, const place_motion *m, vec3 gravity);
double curve_lump_kinetic(const lump *b, const place_motion *m);
double curve_lump_weight_energy(const lump *b, const place_motion *m, vec3 gravity);
lump curve_lump_make(double mass, const double inertia[3], const double centre[3]);
lump curve_lump_of_body(const td_body_def *def);
void curve_lump_add(lump *to, const lump *from, double share);
