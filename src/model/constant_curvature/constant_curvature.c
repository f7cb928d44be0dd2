// model/constant_curvature/constant_curvature.c - the model of Liu & Ben-Tzvi 2020: memory and
// table.
#include "model/constant_curvature/constant_curvature.h"

#include <string.h>

static void layout_arm(const arm *a, arena *keep, arena *work, arm_memory *out) {
    const chain *c = &a->chain;
    const size_t n_q = (size_t)c->n_q;
    arm_memory m = {0};
    m.q = ARENA_TAKE(keep, double, n_q);
    m.rates = ARENA_TAKE(keep, double, n_q);
    m.efforts = ARENA_TAKE(keep, double, c->n_drives);
    m.held = ARENA_TAKE(keep, double, c->n_drives);
    m.arcs = ARENA_TAKE(work, arc_motion, c->n);
    m.wrenches = ARENA_TAKE(work, vec6, c->n_loads);
    m.Q = ARENA_TAKE(work, double, n_q);
    m.actuation = ARENA_TAKE(work, double, n_q);
    equilibrium_layout(c->n_q, work, &m.rest);
    motion_layout_kept(c->n_q, keep, work, &m.work);
    if (out) *out = m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const constant_curvature *c = compiled;
    const size_t n = (size_t)c->n_actuators;
    arcs_memory *m = ARENA_TAKE(work, arcs_memory, 1);
    arm_memory *arms = ARENA_TAKE(work, arm_memory, c->n_arms);
    arcs_memory whole = {.arms = arms,
                         .energy = ARENA_TAKE(keep, kept_energy, 1),
                         .matrix = ARENA_TAKE(work, double, n *(size_t)c->n_q),
                         .normal = ARENA_TAKE(work, double, n *n),
                         .right = ARENA_TAKE(work, double, n),
                         .efforts = ARENA_TAKE(work, double, n),
                         .pivot = ARENA_TAKE(work, int, n)};
    step_inputs_layout(c->n_inputs, work, &whole.within);
    for (int i = 0; i < c->n_arms; i++) layout_arm(&c->arms[i], keep, work, arms ? &arms[i] : NULL);
    if (m) *m = whole;
    return m;
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    const constant_curvature *c = compiled;
    arcs_memory *m = memory;
    for (int i = 0; i < c->n_arms; i++) {
        const chain *ch = &c->arms[i].chain;
        arcs_rest_shape(ch, m->arms[i].q);
        memset(m->arms[i].rates, 0, sizeof(double) * (size_t)ch->n_q);
        memset(m->arms[i].held, 0, sizeof(double) * (size_t)ch->n_drives);
    }
    arcs_start(c, m, call->inputs);
    *call->stats = (td_stats){0};
}

extern const td_model model_constant_curvature;
const td_model model_constant_curvature = {
    .name = "constant_curvature",
    .title = "segments that bend in circular arcs, with closed-form dynamics",
    .reference = "Liu & Ben-Tzvi 2020",
    .features = 1u << TD_FEATURE_STATICS | 1u << TD_FEATURE_DYNAMICS | 1u << TD_FEATURE_KIRCHHOFF |
                1u << TD_FEATURE_PRE_CURVATURE | 1u << TD_FEATURE_PIECES |
                1u << TD_FEATURE_POINT_LOADS | 1u << TD_FEATURE_FOLLOWER_LOADS |
                1u << TD_FEATURE_MANY_RODS | 1u << TD_FEATURE_TENDONS | 1u << TD_FEATURE_CHAMBERS |
                1u << TD_FEATURE_BODIES,
    .compile = arcs_compile,
    .release = arcs_release,
    .note = arcs_note,
    .layout = layout,
    .outside = arcs_outside,
    .attach = arcs_attach,
    .detach = arcs_detach,
    .reset = reset,
    .statics = arcs_statics,
    .step = arcs_step,
    .jacobian = arcs_jacobian,
    .compliance = arcs_compliance,
    .stability = arcs_stability,
    .n_coordinates = arcs_n_coordinates,
    .get_coordinates = arcs_get_coordinates,
    .set_coordinates = arcs_set_coordinates,
    .inverse_dynamics = arcs_inverse_dynamics,
    .sample = arcs_sample,
    .energy = arcs_energy,
    .tendon = arcs_tendon,
    .tension = arcs_tension,
    .chamber = arcs_chamber,
    .body = arcs_body,
    .reaction = arcs_reaction,
    .acceleration = arcs_acceleration,
};
