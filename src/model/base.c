// model/base.c - where a base is and how it moves.
//
//     R = R0 exp(a^),  w = T(a) a',  w' = T a'' + T' a'
#include "model/base.h"

#include <stdio.h>

#include "math/turn.h"
#include "model/model.h"

const char *const frame_words[6] = {"rotation_x", "rotation_y", "rotation_z", "x", "y", "z"};
const char *const frame_units[6] = {"rad", "rad", "rad", "m", "m", "m"};

coordinate_words base_words(int rod, int k) {
    coordinate_words out = {.rod = rod, .body = -1, .unit = frame_units[k]};
    snprintf(out.what, sizeof out.what, "base.%s", frame_words[k]);
    return out;
}

base_motion base_moved(const td_base_def *base, const double *inputs, const double *rates,
                       const double *accelerations) {
    const turn t = turn_make(TURN_VECTOR, numbers_at(base->rotation, inputs));
    const mat3 R = quat_to_mat3(quat_load(base->orientation));
    base_motion m = {.pose = {mat3_mul(&R, &t.R), numbers_at(base->position, inputs)}};
    if (!rates) return m;
    const vec3 turn_t = number_rates_at(base->rotation, rates);
    m.w = mat3_mul_vec(&t.T, turn_t);
    m.v = mat3_tmul_vec(&m.pose.R, number_rates_at(base->position, rates));
    if (!accelerations) return m;
    m.w_t = vec3_add(mat3_mul_vec(&t.T, number_rates_at(base->rotation, accelerations)),
                     turn_along_times(&t, turn_t, turn_t));
    m.v_t = mat3_tmul_vec(&m.pose.R, number_rates_at(base->position, accelerations));
    return m;
}

se3 chain_base(const td_base_def *base) {
    vec3 w = {base->rotation[0].value, base->rotation[1].value, base->rotation[2].value};
    quat q = quat_mul(quat_load(base->orientation), quat_exp(w));
    return (se3){quat_to_mat3(q),
                 {base->position[0].value, base->position[1].value, base->position[2].value}};
}

td_pose pose_in(const se3 *stand, const mat3 *R, vec3 p) {
    const mat3 world = mat3_mul(&stand->R, R);
    return pose_from(&world, se3_mul_point(stand, p));
}

void store_twist(const mat3 *R, vec3 w, vec3 v, double out[6]) {
    vec3_store(out, mat3_tmul_vec(R, w));
    vec3_store(out + 3, mat3_tmul_vec(R, v));
}
