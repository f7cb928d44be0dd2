// environment/environment.h - what acts on a point by its pose and its velocity, whoever computes it:
// weight and drag, with tangent, power and energy. Written once; models ask at their points.
//
//     weight    f = m g at the centre of mass
//     drag      f_k = -(linear_k + square_k |v_k|) v_k    in the axes of what moves, each for itself
//
// A model that integrates weight in closed form, or as an acceleration of its base, takes the gravity
// alone (environment_gravity) and leaves it out at its points; where there is nothing but gravity
// (environment_is_uniform) it need not visit them.
#pragma once

#include "math/se3.h"
#include "robot/robot.h"

static inline vec3 numbers_at(const td_number n[3], const double *inputs) {
    return (vec3){number_value(n[0], inputs), number_value(n[1], inputs),
                  number_value(n[2], inputs)};
}
static inline vec3 number_rates_at(const td_number n[3], const double *rates) {
    return (vec3){number_rate(n[0], rates), number_rate(n[1], rates), number_rate(n[2], rates)};
}

typedef struct environment {
    td_number gravity[3];  // m/s^2, world
    bool drags;            // something moves through a medium
} environment;

environment environment_of(const td_robot *robot);

static inline bool environment_is_uniform(const environment *e) {
    return !e->drags;
}

// m/s^2, of a path that has come so far: share 0 .. 1.
static inline vec3 environment_gravity(const environment *e, const double *inputs, double share) {
    return vec3_make(share * number_value(e->gravity[0], inputs),
                     share * number_value(e->gravity[1], inputs),
                     share * number_value(e->gravity[2], inputs));
}

// m/s^3, as inputs change at these rates.
static inline vec3 environment_gravity_rate(const environment *e, const double *rates) {
    return vec3_make(number_rate(e->gravity[0], rates), number_rate(e->gravity[1], rates),
                     number_rate(e->gravity[2], rates));
}

// ---------------------------------------------------------------- at a point
typedef struct point_body {  // what a point carries, in axes that move along with it
    double mass;             // kg
    vec3 moment;             // kg m, mass times centre of mass
    vec3 drag, linear_drag;  // kg/m, kg/s, of the stretch of rod around it
} point_body;

typedef struct point_now {  // in axes that stand still, those of the gravity
    const mat3 *R;          // from those of the point
    vec3 p, v;              // m, m/s
} point_now;

typedef struct point_answer {
    vec6 wrench;  // on the point, about it, in axes that stand still
    double lost;  // W
} point_answer;

typedef struct point_slopes {  // of the wrench, row major
    double by_motion[36];      // by (turn, shift)
    double by_velocity[36];    // by (spin, velocity)
} point_slopes;

// Both are added to; slopes NULL: they are not wanted.
void environment_add(vec3 gravity, const point_body *b, const point_now *at, point_answer *sum,
                     point_slopes *slopes);
// J, of the weight.
double environment_energy(vec3 gravity, const point_body *b, const point_now *at);
