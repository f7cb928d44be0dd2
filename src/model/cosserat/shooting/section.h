// model/cosserat/shooting/section.h - the section law of a rod with tendons and chambers.
//
//     (K + c0 B) x + B h + sum sign effort slope(u, v) = body wrench,    x = (u - u*, v - v*)
//
// is solved for the strain by Newton's method. Its matrix, K + c0 B + sum sign effort curvature, is
// the Phi of Till 2019 (17) without the derivatives along s; while tendons pull and do not push it
// is symmetric and positive definite. Chambers are linear. For Kirchhoff's rod only u moves.
#pragma once

#include "model/cosserat/shooting/shoot.h"

typedef struct section {  // where along the rod the equations are asked for
    const station *st;
    const element_loads *load;
    const double *history;  // (F_SIZE)
    int element;
    int node;   // of the rod
    bool half;  // half-way to the next one
} section;

// x (6): the strain that carries the body wrench. C (6 x 6, may be NULL): dx = C d(body wrench). False,
// with x not finite, when there is none near that of the point before, s->warm.
bool section_solve(shooting *s, const section *at, const double carried[6], double *x, double *C);

// The path of an actuator there; NULL: it does not run through.
const route_point *section_route(const rod_actuator *a, const section *at);
