// environment/environment.h - what acts on a point by its pose and its velocity, whoever computes it:
// weight and drag, with tangent, power and energy. Written once; models ask at their points.
//
//     weight    f = m g at the centre of mass
//     drag      f_k = -(linear_k + square_k |v_k|) v_k    in the axes of what moves, each for itself
//     in a fluid, with v relative to its current, also    -wet_k |v_x, v_y| v_k and -wet_z |v_z| v_z,
//     and f = -(displaced) g: buoyancy
//     magnets   see field.h
//
// A model that integrates weight in closed form, or as an acceleration of its base, takes the gravity
// alone (environment_gravity) and leaves it out at its points; where there is nothing but gravity
// (environment_is_uniform) it need not visit them.
#pragma once

#include "environment/field.h"
#include "environment/numbers.h"

typedef struct environment {
    td_number gravity[3];  // m/s^2, world
    bool drags;            // something moves through a medium
    td_field_def fields[TD_MOST_FIELDS];
    int n_fields;  // 0 too where nothing is magnetic
    td_fluid_def fluid;
} environment;

environment environment_of(const td_robot *robot);

static inline bool environment_is_uniform(const environment *e) {
    return !e->drags && e->n_fields == 0 && e->fluid.density == 0.0;
}

// m/s^2, of a path that has come so far: share 0 .. 1.
static inline vec3 environment_gravity(const environment *e, const double *inputs, double share) {
    return vec3_scale(numbers_at(e->gravity, inputs), share);
}

// m/s^3, as inputs change at these rates.
static inline vec3 environment_gravity_rate(const environment *e, const double *rates) {
    return number_rates_at(e->gravity, rates);
}

// ---------------------------------------------------------------- at a point
typedef struct point_body {  // what a point carries, in axes that move along with it
    double mass;             // kg
    vec3 moment;             // kg m, mass times centre of mass
    vec3 drag, linear_drag;  // kg/m, kg/s, of the stretch of rod around it
    vec3 wet_drag;           // kg/m, in a fluid: by the size of the velocity across z, and along it
    vec3 magnet;             // A m^2
    double displaced;        // kg, of a fluid,
    vec3 displaced_at;       // kg m, that times its centre
} point_body;
// += so much of the section of a piece there
void point_body_add(point_body *b, const section_surface *of, double length);
// The same with all drag: of so much of the piece around x in [0, 1] of its length.
void point_body_add_piece(point_body *b, const td_piece_def *piece, double x, double density,
                          double length);
void point_body_join(point_body *to, const point_body *from, double share);
// Of a body, in its frame: magnet and volume.
point_body point_body_of(const td_body_def *def, double density);
static inline bool point_body_is_plain(const point_body *b) {
    return b->displaced == 0.0 && vec3_dot(b->magnet, b->magnet) == 0.0;
}

// What acts beside weight, at one instant, in axes that stand still.
typedef struct surroundings {
    field_list magnetic;
    vec3 current;  // m/s, of the fluid
    vec3 lift;     // m/s^2, against what it displaces: minus gravity
} surroundings;

// Times `share`, but for the current. stand: see fields_at.
surroundings surroundings_at(const environment *e, const double *inputs, double share,
                             const se3 *stand);
// How they change with inputs, the axes at rest.
surroundings surroundings_rate(const environment *e, const double *inputs, const double *rates,
                               double share, const se3 *stand);

typedef struct point_now {  // in axes that stand still, those of the gravity
    const mat3 *R;          // from those of the point
    vec3 p, v;              // m, m/s
} point_now;

typedef struct point_answer {
    vec6 wrench;   // on the point, about it, in axes that stand still
    double lost;   // W
    double given;  // W, by a current
} point_answer;

typedef struct point_slopes {  // of the wrench, row major
    double by_motion[36];      // by (turn, shift)
    double by_velocity[36];    // by (spin, velocity)
} point_slopes;

// Both are added to; slopes NULL: they are not wanted. around NULL: weight and drag alone.
void environment_add(vec3 gravity, const surroundings *around, const point_body *b,
                     const point_now *at, point_answer *sum, point_slopes *slopes);
// How that changes at a point that stays, where surroundings change by `by`.
vec6 environment_by(const surroundings *around, const surroundings *by, const point_body *b,
                    const point_now *at);
// J, of the weight; of what surrounds it, and W as that changes by `by`.
double environment_energy(vec3 gravity, const point_body *b, const point_now *at);
double surrounding_energy(const surroundings *around, const point_body *b, const point_now *at);
double surrounding_power(const surroundings *around, const surroundings *by, const point_body *b,
                         const point_now *at);
