// model/rom/rom.c - the reduced-order model of Sadati et al. 2019: memory and table.
#include "model/rom/rom.h"

#include <string.h>

static void layout_vectors(const curve *c, arena *work, rod_memory *m) {
    const size_t n = (size_t)c->n_q, drives = (size_t)c->n_drives;
    const struct {
        double **at;
        size_t n;
    } vectors[] = {
        {&m->measures, drives}, {&m->slopes, drives}, {&m->now, drives}, {&m->Q, n},
        {&m->step, n},          {&m->trial, n},       {&m->start, n},    {&m->by_measure, n},
        {&m->by_work, n},       {&m->K, n * n},       {&m->K2, n * n},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i].at = ARENA_TAKE(work, double, vectors[i].n);
}

static void layout_rod(const rom_rod *r, arena *keep, arena *work, rod_memory *out) {
    const curve *c = &r->curve;
    const size_t places = (size_t)c->n_places, sections = (size_t)(c->n_rule + c->n_thin);
    rod_memory m = {0};
    m.base = ARENA_TAKE(keep, kept_base, 1);
    m.q = ARENA_TAKE(keep, double, c->n_q);
    m.rates = ARENA_TAKE(keep, double, c->n_q);
    m.efforts = ARENA_TAKE(keep, double, c->n_drives);
    m.held = ARENA_TAKE(keep, double, c->n_drives);
    double *stretch = ARENA_TAKE(keep, double, 1);
    m.stretched = ARENA_TAKE(work, stretched, 1);
    section_law *states = ARENA_TAKE(work, section_law, sections);
    m.moved = ARENA_TAKE(work, place_motion, places);
    m.inside = ARENA_TAKE(work, vec6, sections);
    m.outside = ARENA_TAKE(work, vec6, places);
    m.lumps = ARENA_TAKE(work, lump, places);
    m.strains = ARENA_TAKE(work, vec3, c->n_thin);
    m.pivot = ARENA_TAKE(work, int, c->n_q);
    layout_vectors(c, work, &m);
    motion_layout_kept(c->n_q, keep, work, &m.work);
    if (!out) return;
    *out = m;
    *m.stretched = (stretched){.sections = states, .stretch = stretch};
    curve_unstretched(c, m.stretched);
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const rom *c = compiled;
    rom_memory *m = ARENA_TAKE(work, rom_memory, 1);
    rod_memory *rods = ARENA_TAKE(work, rod_memory, c->n_rods);
    rom_memory whole = {.energy = ARENA_TAKE(keep, kept_energy, 1), .rods = rods};
    step_inputs_layout(c->n_inputs, work, &whole.within);
    for (int i = 0; i < c->n_rods; i++) layout_rod(&c->rods[i], keep, work, rods ? &rods[i] : NULL);
    if (m) *m = whole;
    return m;
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    const rom *c = compiled;
    rom_memory *m = memory;
    for (int i = 0; i < c->n_rods; i++) {
        const curve *cu = &c->rods[i].curve;
        const size_t bytes = sizeof(double) * (size_t)cu->n_q;
        memcpy(m->rods[i].q, cu->rest, bytes);
        memset(m->rods[i].rates, 0, bytes);
        curve_unstretched(cu, m->rods[i].stretched);
        for (int k = 0; k < cu->n_drives; k++) m->rods[i].held[k] = 0.0;
    }
    rom_start_energy(c, m, call->inputs);
    *call->stats = (td_stats){0};
}

extern const td_model model_rom;
const td_model model_rom = {
    .name = "rom",
    .title = "truncated polynomials for position and rotation",
    .reference = "Sadati et al. 2019",
    .reads = (const char *const[]){"rotary_inertia", "integration", "rom", NULL},
    .features = 1u << TD_FEATURE_STATICS | 1u << TD_FEATURE_DYNAMICS |
                1u << TD_FEATURE_SHEAR_EXTENSION | 1u << TD_FEATURE_PRE_CURVATURE |
                1u << TD_FEATURE_PIECES | 1u << TD_FEATURE_POINT_LOADS |
                1u << TD_FEATURE_DISTRIBUTED_LOADS | 1u << TD_FEATURE_FOLLOWER_LOADS |
                1u << TD_FEATURE_DRAG | 1u << TD_FEATURE_BASE_MOTION | 1u << TD_FEATURE_MANY_RODS |
                ANY_ACTUATOR | 1u << TD_FEATURE_BODIES | 1u << TD_FEATURE_RUBBER |
                1u << TD_FEATURE_POWER_DAMPING | 1u << TD_FEATURE_MEAN_STRETCH,
    .compile = rom_compile,
    .release = rom_release,
    .layout = layout,
    .outside = rom_outside,
    .attach = rom_attach,
    .detach = rom_detach,
    .reset = reset,
    .statics = rom_statics,
    .step = rom_step,
    .jacobian = rom_jacobian,
    .compliance = rom_compliance,
    .stability = rom_stability,
    .n_coordinates = rom_n_coordinates,
    .get_coordinates = rom_get_coordinates,
    .set_coordinates = rom_set_coordinates,
    .inverse_dynamics = rom_inverse_dynamics,
    .fit = rom_fit,
    .sample = rom_sample,
    .pose = rom_pose,
    .energy = rom_energy,
    .actuator = rom_actuator,
    .body = rom_body,
    .reaction = rom_reaction,
    .acceleration = rom_acceleration,
};
