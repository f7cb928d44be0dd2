// robot/inertia.h - the inertia of a body as a tensor.
#pragma once

#include "math/mat3.h"
#include "robot/robot.h"

// About its centre of mass, in its axes.
static inline mat3 body_inertia(const td_body_def *body) {
    mat3 J = mat3_diag(vec3_load(body->inertia));
    J.m[0][1] = J.m[1][0] = body->products[0];
    J.m[0][2] = J.m[2][0] = body->products[1];
    J.m[1][2] = J.m[2][1] = body->products[2];
    return J;
}

static inline bool has_products(const td_body_def *body) {
    return body->products[0] != 0.0 || body->products[1] != 0.0 || body->products[2] != 0.0;
}
