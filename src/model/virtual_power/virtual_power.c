// model/virtual_power/virtual_power.c - the model of Rone & Ben-Tzvi 2014: memory and table.
#include "model/virtual_power/virtual_power.h"

static void layout_contact(const chain *c, arena *work, disc_contact *k) {
    const size_t n = (size_t)c->n;
    k->columns = ARENA_TAKE(work, vec6, 2 * n);
    k->places = ARENA_TAKE(work, vec3, n);
    k->rubs = ARENA_TAKE(work, vec6, n);
    k->forces = ARENA_TAKE(work, double, 2 * n);
    k->slip = ARENA_TAKE(work, double, n);
    k->gains = ARENA_TAKE(work, double, n);
    k->rates = ARENA_TAKE(work, double, n);
}

static void layout_arm(const virtual_power *c, int index, arena *keep, arena *work,
                       arm_memory *out) {
    const chain *ch = &c->arms[index].chain;
    const solve_part p = power_part(c, NULL, index);
    arm_memory m = {.tensions = ARENA_TAKE(keep, double, ch->n_drives *(ch->n + 1)),
                    .discs = ARENA_TAKE(work, disc_motion, ch->n),
                    .wrenches = ARENA_TAKE(work, vec6, ch->n),
                    .composites = ARENA_TAKE(work, composite, ch->n),
                    .Q = ARENA_TAKE(work, double, ch->n_q),
                    .actuation = ARENA_TAKE(work, double, ch->n_q)};
    layout_contact(ch, work, &m.contact);
    const size_t n = (size_t)ch->n_q;
    if (arm_has_slopes(&c->arms[index]))
        m.matrices = ARENA_TAKE(work, double, 2 * n * n + slopes_size(ch) + n);
    m.touch = touch_layout(&c->arms[index].touch, keep, work);
    solve_layout(&p, keep, work, &m.solve);
    if (out) *out = m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const virtual_power *c = compiled;
    power_memory *m = ARENA_TAKE(work, power_memory, 1);
    arm_memory *arms = ARENA_TAKE(work, arm_memory, c->n_arms);
    power_memory whole = {.arms = arms, .at = ARENA_TAKE(work, arm_at, c->n_arms)};
    for (int i = 0; i < c->n_arms; i++) layout_arm(c, i, keep, work, arms ? &arms[i] : NULL);
    if (m) *m = whole;
    return m;
}

static int n_arms(const void *compiled) {
    return ((const virtual_power *)compiled)->n_arms;
}

extern const td_model model_virtual_power;
const td_model model_virtual_power = {
    .name = "virtual_power",
    .title = "discs on an elastic core, driven by rods or tendons",
    .reference = "Rone & Ben-Tzvi 2014",
    .reads = (const char *const[]){"rotary_inertia", "virtual_power", NULL},
    .slopes = true,
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_KIRCHHOFF | 1ull << TD_FEATURE_PRE_CURVATURE |
                1ull << TD_FEATURE_PIECES | 1ull << TD_FEATURE_POINT_LOADS | ANY_LOAD_KIND |
                1ull << TD_FEATURE_MANY_RODS | 1ull << TD_FEATURE_TENDONS |
                1ull << TD_FEATURE_MOTORS | 1ull << TD_FEATURE_TENDON_FRICTION |
                1ull << TD_FEATURE_BODIES | 1ull << TD_FEATURE_OBSTACLES | 1ull << TD_FEATURE_DRAG |
                1ull << TD_FEATURE_MAGNETS | 1ull << TD_FEATURE_FLUID,
    .compile = power_compile,
    .release = power_release,
    .note = power_note,
    .layout = layout,
    .n_parts = n_arms,
    .part = power_part,
    .coordinate = power_coordinate,
    .finish = power_finish,
    .sample = power_sample,
    .energy = power_energy,
    .actuator = power_actuator,
    .effort = power_effort,
    .body = power_body,
    .reaction = power_reaction,
    .contacts = power_contacts,
    .acceleration = power_acceleration,
};
