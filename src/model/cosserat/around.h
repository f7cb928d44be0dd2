// model/cosserat/around.h - what surrounds rods and bodies beside weight: magnetic fields and a fluid, by
// environment/environment.h and, what moves along with it, environment/drift.h.
#pragma once

#include "model/cosserat/scheme.h"

typedef struct around_node {  // per length
    point_body body;
    vec3 added;  // kg/m
} around_node;

typedef struct around_slopes {  // of force and moment on the rod, per length
    mat3 f_th, f_p, f_V, f_Om;
    mat3 l_th, l_p, l_V, l_Om;
} around_slopes;

typedef struct around_motion {
    se3 T;
    vec3 Om, V;  // world
    vec3 q_t;    // rate of the velocity in the section's axes; answers to it by c0
    double c0;
} around_motion;

// On node i of an element, whose rod has surroundings (m->around): moment and force per length. slopes NULL: not wanted.
point_answer around_of_node(const rod_memory *m, const element *e, int i, const around_motion *at,
                            around_slopes *slopes);
// On what rides at the far end of element k, spatial; by_z (6 x w, NULL: not wanted) += its slope by a spatial motion.
vec6 around_of_end(const rod_memory *m, int k, const se3 *T, int w, double *by_z);
// J, in these nodes and, with what rides there, bounds (NULL: without), and of what moves along with the nodes.
typedef struct around_energy {
    double potential, kinetic;
} around_energy;
// The same per length at a place with the velocity q in its own axes.
around_energy around_energy_at(const around_node *n, const surroundings *s, vec3 p, quat h, vec3 q);
around_energy around_energy_of(const rod *r, const surroundings *s, const double *inputs,
                               const double *nodes, const double *bounds);
// The same of a body that is free.
vec6 around_of_body(const point_body *b, const surroundings *s, const se3 *T, double *by_z);
// W, lost in the fluid and given by its current, in the current state.
void around_power(const rod *r, const rod_memory *m, const surroundings *s, double *lost,
                  double *given);
