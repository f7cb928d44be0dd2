// model/composite.h - rigid bodies summed about a moving point, for mass matrices of chains.
#pragma once

#include "math/mat3.h"

typedef struct composite {  // about a point, in the frame of the base
    double mass;
    vec3 moment;
    mat3 inertia;
} composite;

// Adds a composite about a point that lies `arm` from ours: J + 2 (a.h) - (a h' + h a') + m (a.a -
// a a')
static inline void add_composite(composite *sum, const composite *b, vec3 arm) {
    double diagonal = 2.0 * vec3_dot(arm, b->moment) + b->mass * vec3_dot(arm, arm);
    mat3 ah = mat3_outer(arm, b->moment), aa = mat3_outer(arm, arm);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum->inertia.m[i][j] += b->inertia.m[i][j] + (i == j ? diagonal : 0.0) - ah.m[i][j] -
                                    ah.m[j][i] - b->mass * aa.m[i][j];
    sum->mass += b->mass;
    sum->moment = vec3_add(sum->moment, vec3_madd(b->moment, b->mass, arm));
}

// R J R'
static inline mat3 turned_inertia(const mat3 *R, const mat3 *J) {
    mat3 turned = mat3_mul(R, J), back = mat3_transpose(R);
    return mat3_mul(&turned, &back);
}
