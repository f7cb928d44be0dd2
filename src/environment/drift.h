// environment/drift.h - fluid that moves along with a section: Kirchhoff's equations. With the added mass A of the section, its
// velocity q against the fluid and its spin w, all in its own axes, moving that fluid takes
//
//     moment q x A q      force A q' + w x A q,    q' = e - w x q      and it has the energy q.A q/2
//
// e is the acceleration of the section in those axes; the current is steady.
#pragma once

#include "math/se3.h"

typedef struct drift {
    vec3 w, q, p;  // spin, velocity against the fluid, A q
    vec6 wrench;   // that takes the fluid along; what the section feels is minus that
} drift;

static inline drift drift_of(vec3 added, vec3 w, vec3 q, vec3 e) {
    drift d = {.w = w, .q = q, .p = vec3_mul(added, q)};
    const vec3 q_t = vec3_sub(e, vec3_cross(w, q));
    d.wrench = (vec6){vec3_cross(q, d.p), vec3_add(vec3_mul(added, q_t), vec3_cross(w, d.p))};
    return d;
}

// How the wrench changes with w, q and e.
static inline vec6 drift_by(vec3 added, const drift *d, vec3 dw, vec3 dq, vec3 de) {
    const vec3 dp = vec3_mul(added, dq);
    const vec3 turning = vec3_add(vec3_cross(dw, d->q), vec3_cross(d->w, dq));
    const vec3 swept = vec3_add(vec3_cross(dw, d->p), vec3_cross(d->w, dp));
    return (vec6){vec3_add(vec3_cross(dq, d->p), vec3_cross(d->q, dp)),
                  vec3_add(vec3_mul(added, vec3_sub(de, turning)), swept)};
}

static inline double drift_energy(vec3 added, vec3 q) {
    return 0.5 * vec3_dot(q, vec3_mul(added, q));
}
