// model/constant_curvature/constant_curvature.c - the model of Liu & Ben-Tzvi 2020: memory and
// table.
#include "math/box_qp.h"
#include "model/constant_curvature/constant_curvature.h"

static void layout_arm(const constant_curvature *c, int index, arena *keep, arena *work,
                       arm_memory *out) {
    const chain *ch = &c->arms[index].chain;
    const solve_part p = arcs_part(c, NULL, index);
    arm_memory m = {.efforts = ARENA_TAKE(keep, double, ch->n_drives),
                    .held = ARENA_TAKE(keep, double, ch->n_unknown),
                    .past = {ARENA_TAKE(keep, double, ch->n_inner), 0.0},
                    .arcs = ARENA_TAKE(work, arc_motion, ch->n),
                    .wrenches = ARENA_TAKE(work, vec6, ch->n_loads),
                    .Q = ARENA_TAKE(work, double, ch->n_q),
                    .actuation = ARENA_TAKE(work, double, ch->n_q)};
    const touch *t = &c->arms[index].touch;
    m.touch = touch_layout(t, keep, work);
    m.slopes = ARENA_TAKE(work, point_slopes, t->n_points + c->arms[index].n_around);
    m.copies = ARENA_TAKE(work, double, t->n ? 3 * ch->n_q : 0);
    solve_layout(&p, keep, work, &m.solve);
    if (out) *out = m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const constant_curvature *c = compiled;
    const size_t n = (size_t)c->n_actuators;
    arcs_memory *m = ARENA_TAKE(work, arcs_memory, 1);
    arm_memory *arms = ARENA_TAKE(work, arm_memory, c->n_arms);
    arcs_memory whole = {.arms = arms,
                         .at = ARENA_TAKE(work, arm_at, c->n_arms),
                         .unit = ARENA_TAKE(work, double, c->n_inputs),
                         .matrix = ARENA_TAKE(work, double, n *(size_t)c->n_q),
                         .normal = ARENA_TAKE(work, double, n *n),
                         .pulling = ARENA_TAKE(work, double, n *n + 3 * n + box_qp_doubles((int)n)),
                         .right = ARENA_TAKE(work, double, n),
                         .efforts = ARENA_TAKE(work, double, n),
                         .pivot = ARENA_TAKE(work, int, n)};
    for (int i = 0; i < c->n_arms; i++) layout_arm(c, i, keep, work, arms ? &arms[i] : NULL);
    if (m) *m = whole;
    return m;
}

static int n_arms(const void *compiled) {
    return ((const constant_curvature *)compiled)->n_arms;
}

extern const td_model model_constant_curvature;
const td_model model_constant_curvature = {
    .name = "constant_curvature",
    .title = "segments that bend in circular arcs, with closed-form dynamics",
    .reference = "Liu & Ben-Tzvi 2020",
    .reads = (const char *const[]){"theory", "rotary_inertia", "constant_curvature", NULL},
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_KIRCHHOFF | 1ull << TD_FEATURE_PRE_CURVATURE |
                1ull << TD_FEATURE_PIECES | 1ull << TD_FEATURE_POINT_LOADS |
                1ull << TD_FEATURE_FOLLOWER_LOADS | 1ull << TD_FEATURE_MANY_RODS | ANY_ACTUATOR |
                ANY_SECTION_DRIVE | 1ull << TD_FEATURE_RUBBER | 1ull << TD_FEATURE_FIBRES |
                1ull << TD_FEATURE_SUPERELASTIC | 1ull << TD_FEATURE_HYSTERESIS |
                1ull << TD_FEATURE_POWER_DAMPING | 1ull << TD_FEATURE_RELAXATION |
                1ull << TD_FEATURE_BODIES | 1ull << TD_FEATURE_OBSTACLES | 1ull << TD_FEATURE_DRAG |
                1ull << TD_FEATURE_MAGNETS | 1ull << TD_FEATURE_FLUID,
    .compile = arcs_compile,
    .release = arcs_release,
    .note = arcs_note,
    .layout = layout,
    .n_parts = n_arms,
    .part = arcs_part,
    .coordinate = arcs_coordinate,
    .finish = arcs_finish,
    .inverse_dynamics = arcs_inverse_dynamics,
    .finds_efforts = true,
    .sample = arcs_sample,
    .energy = arcs_energy,
    .actuator = arcs_actuator,
    .body = arcs_body,
    .reaction = arcs_reaction,
    .contacts = arcs_contacts,
    .acceleration = arcs_acceleration,
};
