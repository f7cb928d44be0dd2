// model/cosserat/rod.h - a robot compiled for the Cosserat model: rods cut into elements.
//
// An element is a stretch of rod within which nothing jumps: section and rest shape are smooth,
// distributed loads constant. Its ends are the piece boundaries, the point loads and the ends of
// distributed loads. Each spatial scheme puts its own nodes on the elements.
#pragma once

#include "math/quat.h"
#include "robot/robot.h"

// Strain modes and twists in the order (angular, linear); see docs/conventions.md.
typedef struct station {  // the section at one arc length
    double K[6];          // stiffness, N m^2 and N
    double B[6];          // Kelvin-Voigt damping, N m^2 s and N s
    vec3 u_rest, v_rest;  // rest strain
    vec3 J;               // rotary inertia rho (Ixx, Iyy, Izz), kg m; 0 when neglected
    vec3 drag, linear;    // kg/m^2, kg/(m s)
    double mass;          // rho A, kg/m
} station;

typedef struct rod_load {
    td_frame frame;
    td_number force[3], moment[3];
} rod_load;

typedef struct element {
    double s0, length;     // m
    int n_nodes;
    int node;              // index of its first node in the rod
    station *stations;     // (n_nodes)
    station *between;      // (n_nodes - 1) half-way between the nodes; NULL when not wanted
    double *quadrature;    // (n_nodes) weights for integrals over the element
    rod_load *spread;      // distributed over the element
    int n_spread;
    rod_load *end_loads;   // point loads at its far end
    int n_end_loads;
} element;

typedef struct rod {
    char *name;
    double length;
    element *elements;
    int n_elements;
    int n_nodes;                        // over all elements
    bool kirchhoff;                     // no shear, no extension
    td_base_def base;
    double force_scale, moment_scale;   // EI/L^2, EI/L
    void *tables;                       // the scheme's
} rod;

typedef struct cosserat {
    td_options options;
    const struct space_scheme *scheme;
    td_number gravity[3];
    rod *rods;
    int n_rods;
    int n_inputs;
} cosserat;

// The loads of one rod at given inputs; everything in the rod equations that is not state.
typedef struct wrench {
    vec3 force, moment;
} wrench;

typedef struct element_loads {
    wrench world, body;          // distributed, N/m and N; `body` turns with the section
    wrench end_world, end_body;  // at the element's far end, N and N m
} element_loads;

typedef struct base_motion {
    vec3 p;      // world
    quat h;
    vec3 q, w;   // velocity and angular velocity, body frame
} base_motion;

void *cosserat_compile(const td_robot *robot, const td_options *options, td_error *err);
void cosserat_release(void *compiled);

// Loads of a rod, all multiplied by `scale` (load continuation); gravity too.
void rod_loads_at(const rod *r, const double *inputs, double scale, element_loads *out);
vec3 rod_gravity_at(const cosserat *c, const double *inputs, double scale);
base_motion rod_base_at(const rod *r, const double *inputs, const double *rates);

// The element that holds s; at a cut, the one that begins there.
static inline int rod_element_at(const rod *r, double s) {
    int i = 0;
    while (i + 1 < r->n_elements && s >= r->elements[i + 1].s0) i++;
    return i;
}
