// model/cosserat/shooting/equations.h - the rod equations at one point, and their variation.
#pragma once

#include "model/cosserat/shooting/lanes.h"
#include "model/cosserat/shooting/section.h"

// Everything at one point that the tangent needs again.
typedef struct point {
    const station *st;
    mat3 R;
    quat h;
    vec3 n, m, q, w, u, v;
    vec3 Rv;      // p_s
    vec3 Cu, Cv;  // compliances: dx = C d(body wrench)
    vec3 Jw;
    vec3 turn_n, turn_m;  // R(...) parts of n_s and m_s, which turn with the section
    vec3 dF;              // d(body drag)/dq, diagonal
    double c0;
    bool full;  // C is in place of Cu and Cv
    double C[36];
} point;

// The strain x (6) of the state y; C too when the tangent is to follow.
void point_strain(shooting *s, const section *at, const double *y, bool varied, point *a,
                  double *x);
// d y/ds, Till 2019 (7), and the strain.
void point_derivative(shooting *s, const section *at, const double *y, bool varied, double *y_s,
                      double *x, point *a);

// Rows of the variation: quaternion, n, m, q, w. Nothing depends on the position: where its
// variation is wanted it is summed up, not integrated with the rest.
enum { T_H = 0, T_N = 4, T_M = 7, T_Q = 10, T_W = 13, T_SIZE = 16 };

typedef struct variation {  // of several columns, group by group
    int n_groups;
    lanes t[LANE_GROUPS][T_SIZE];
} variation;

// The world rotation th with dR = th^ R that a change of the (non-unit) quaternion makes:
// th = 2 vec(dh h*)/(h'h). A change along h turns nothing.
static inline lanes3 rotation_of(quat h, const lanes *dh) {
    double k = 2.0 / quat_norm2(h);
    vec3 e = vec3_scale(quat_vector(h), k);
    double w = k * h.w;
    lanes3 d = lanes3_load(dh + 1);
    lanes3 cross = lanes3_cross(e, &d);
    return (lanes3){w * d.x - e.x * dh[0] + cross.x, w * d.y - e.y * dh[0] + cross.y,
                    w * d.z - e.z * dh[0] + cross.z};
}

typedef struct strain_lanes {
    lanes3 u, v;
} strain_lanes;

// d t/ds of all columns.
void point_tangents(const point *a, const variation *t, variation *t_s);
// The same where something pushes the section directly, group by group: `push` is taken from its
// body wrench. dx: the change of the strain, dp_s that of p_s.
void point_tangents_pushed(const point *a, const variation *t, const strain_lanes *push,
                           variation *t_s, strain_lanes *dx, lanes3 *dp_s);
