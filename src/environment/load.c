// environment/load.c - what loads of each kind do to the point that they act on.
#include "environment/load.h"

#include <string.h>

// The wrench that the given one, moment and force, makes there; affine in it. by_motion, zeros before, is
// filled in.
typedef vec6 load_act(const td_load_def *load, vec6 given, const se3 *stand, const point_now *at,
                      double *by_motion);

typedef struct load_kind {
    load_act *act;
    bool answers;       // to motions of its point
    const char *lacks;  // why no energy has its force; NULL: one has
} load_kind;

static vec6 turned(const mat3 *R, vec6 w) {
    return (vec6){mat3_mul_vec(R, w.a), mat3_mul_vec(R, w.l)};
}

// ---------------------------------------------------------------- kinds
static vec6 act_world(const td_load_def *load, vec6 given, const se3 *stand, const point_now *at,
                      double *by_motion) {
    (void)load, (void)at, (void)by_motion;
    if (!stand) return given;
    return (vec6){mat3_tmul_vec(&stand->R, given.a), mat3_tmul_vec(&stand->R, given.l)};
}

// R w answers to a turn th by th x R w.
static vec6 act_body(const td_load_def *load, vec6 given, const se3 *stand, const point_now *at,
                     double *by_motion) {
    (void)load, (void)stand;
    const vec6 w = turned(at->R, given);
    if (!by_motion) return w;
    const mat3 by_turn[2] = {mat3_hat(vec3_neg(w.a)), mat3_hat(vec3_neg(w.l))};
    for (int i = 0; i < 6; i++)
        memcpy(by_motion + 6 * i, by_turn[i / 3].m[i % 3], sizeof by_turn[0].m[0]);
    return w;
}

static const load_kind kinds[N_LOAD_KINDS] = {
    [TD_FRAME_WORLD] = {.act = act_world},
    [TD_FRAME_BODY] = {.act = act_body, .answers = true, .lacks = "a load follows it"},
};

// ---------------------------------------------------------------- what is asked of every kind
bool load_answers(const td_load_def *load) {
    return kinds[load->frame].answers;
}

vec6 load_at(const td_load_def *load, const double *inputs, double share, const se3 *stand,
             const point_now *at, double *by_motion) {
    const vec6 given = {numbers_at(load->moment, inputs), numbers_at(load->force, inputs)};
    if (by_motion) memset(by_motion, 0, 36 * sizeof *by_motion);
    const vec6 w = kinds[load->frame].act(load, given, stand, at, by_motion);
    for (int i = 0; i < 36 && by_motion; i++) by_motion[i] *= share;
    return vec6_scale(w, share);
}

// Axes that turn by w carry the point along, and see a vector W of theirs change by -w x W.
static vec6 rate_of_axes(const td_load_def *load, const double *inputs, const se3 *stand,
                         vec6 moving, const point_now *at) {
    double by_motion[36], along[6], sum[6] = {0.0};
    const vec6 w = load_at(load, inputs, 1.0, stand, at, by_motion);
    vec6_store(along, (vec6){moving.a, vec3_add(moving.l, vec3_cross(moving.a, at->p))});
    for (int i = 0; i < 36; i++) sum[i / 6] += by_motion[i] * along[i % 6];
    return vec6_sub(vec6_load(sum), (vec6){vec3_cross(moving.a, w.a), vec3_cross(moving.a, w.l)});
}

vec6 load_rate(const td_load_def *load, const double *inputs, const double *rates, double share,
               const se3 *stand, vec6 moving, const point_now *at) {
    load_act *const act = kinds[load->frame].act;
    const vec6 change = {number_rates_at(load->moment, rates), number_rates_at(load->force, rates)};
    const vec6 by_given =
        vec6_sub(act(load, change, stand, at, NULL), act(load, vec6_zero(), stand, at, NULL));
    return vec6_scale(vec6_add(by_given, rate_of_axes(load, inputs, stand, moving, at)), share);
}

const char *load_lacks_potential(const td_load_def *load, const double *inputs) {
    if (vec3_norm(numbers_at(load->moment, inputs)) > 0.0) return "a load is a moment";
    return vec3_norm(numbers_at(load->force, inputs)) > 0.0 ? kinds[load->frame].lacks : NULL;
}
