// model/virtual_power/virtual_power.c - the model of Rone & Ben-Tzvi 2014: memory and table.
#include "model/virtual_power/virtual_power.h"

#include <string.h>

static void layout_contact(const chain *c, arena *work, contact *k) {
    const size_t n = (size_t)c->n;
    k->columns = ARENA_TAKE(work, vec6, 2 * n);
    k->places = ARENA_TAKE(work, vec3, n);
    k->rubs = ARENA_TAKE(work, vec6, n);
    k->forces = ARENA_TAKE(work, double, 2 * n);
    k->slip = ARENA_TAKE(work, double, n);
    k->gains = ARENA_TAKE(work, double, n);
    k->rates = ARENA_TAKE(work, double, n);
}

static void layout_arm(const arm *a, arena *keep, arena *work, arm_memory *out) {
    const chain *c = &a->chain;
    const size_t n = (size_t)c->n, n_q = (size_t)c->n_q;
    arm_memory m = {0};
    m.q = ARENA_TAKE(keep, double, n_q);
    m.rates = ARENA_TAKE(keep, double, n_q);
    m.tensions = ARENA_TAKE(keep, double, (size_t)c->n_drives *(n + 1));
    m.discs = ARENA_TAKE(work, disc_motion, n);
    m.wrenches = ARENA_TAKE(work, vec6, n);
    m.composites = ARENA_TAKE(work, composite, n);
    m.Q = ARENA_TAKE(work, double, n_q);
    m.actuation = ARENA_TAKE(work, double, n_q);
    equilibrium_layout(c->n_q, work, &m.rest);
    motion_layout_kept(c->n_q, keep, work, &m.work);
    layout_contact(c, work, &m.contact);
    if (out) *out = m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const virtual_power *c = compiled;
    power_memory *m = ARENA_TAKE(work, power_memory, 1);
    arm_memory *arms = ARENA_TAKE(work, arm_memory, c->n_arms);
    power_memory whole = {.arms = arms, .energy = ARENA_TAKE(keep, kept_energy, 1)};
    step_inputs_layout(c->n_inputs, work, &whole.within);
    for (int i = 0; i < c->n_arms; i++) layout_arm(&c->arms[i], keep, work, arms ? &arms[i] : NULL);
    if (m) *m = whole;
    return m;
}

// The rest shape: each subsegment as its core wants to be.
static void rest_shape(const chain *c, double *q) {
    for (int i = 0; i < c->n; i++, q += c->per) {
        const segment *s = &c->segments[i];
        q[0] = s->rest_moment[1] / s->stiffness[1];
        q[1] = -s->rest_moment[0] / s->stiffness[0];
        if (c->per == 3) q[2] = s->length * s->rest_moment[2] / s->stiffness[2];
    }
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    for (int i = 0; i < c->n_arms; i++) {
        const chain *ch = &c->arms[i].chain;
        rest_shape(ch, m->arms[i].q);
        memset(m->arms[i].rates, 0, sizeof(double) * (size_t)ch->n_q);
        motion_reset(ch->n_q, &m->arms[i].work);
        memset(m->arms[i].tensions, 0, sizeof(double) * (size_t)ch->n_drives * (size_t)(ch->n + 1));
    }
    *m->energy = (kept_energy){0};
    *call->stats = (td_stats){0};
}

extern const td_model model_virtual_power;
const td_model model_virtual_power = {
    .name = "virtual_power",
    .title = "discs on an elastic core, driven by rods or tendons",
    .reference = "Rone & Ben-Tzvi 2014",
    .reads = (const char *const[]){"rotary_inertia", "integration", "virtual_power", NULL},
    .features = 1u << TD_FEATURE_STATICS | 1u << TD_FEATURE_DYNAMICS | 1u << TD_FEATURE_KIRCHHOFF |
                1u << TD_FEATURE_PRE_CURVATURE | 1u << TD_FEATURE_PIECES |
                1u << TD_FEATURE_POINT_LOADS | 1u << TD_FEATURE_FOLLOWER_LOADS |
                1u << TD_FEATURE_MANY_RODS | 1u << TD_FEATURE_TENDONS |
                1u << TD_FEATURE_TENDON_FRICTION | 1u << TD_FEATURE_BODIES,
    .compile = power_compile,
    .release = power_release,
    .layout = layout,
    .outside = power_outside,
    .attach = power_attach,
    .detach = power_detach,
    .reset = reset,
    .statics = power_statics,
    .step = power_step,
    .jacobian = power_jacobian,
    .compliance = power_compliance,
    .stability = power_stability,
    .sample = power_sample,
    .energy = power_energy,
    .tendon = power_tendon,
    .tension = power_tension,
    .body = power_body,
    .reaction = power_reaction,
    .acceleration = power_acceleration,
};
