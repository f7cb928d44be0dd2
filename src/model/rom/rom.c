// model/rom/rom.c - the reduced-order model of Sadati et al. 2019: memory and table.
#include "model/rom/rom.h"

static void layout_rod(const rom *all, int index, arena *keep, arena *work, rod_memory *out) {
    const curve *c = &all->rods[index].curve;
    const solve_part p = rom_part(all, NULL, index);
    const size_t places = (size_t)c->n_places, sections = (size_t)(c->n_rule + c->n_thin);
    double *stretch = ARENA_TAKE(keep, double, 1);
    double *inner = ARENA_TAKE(keep, double, (c->station_end - c->station) * c->n_inner);
    section_law *states = ARENA_TAKE(work, section_law, sections);
    rod_memory m = {.base = ARENA_TAKE(keep, kept_base, 1),
                    .efforts = ARENA_TAKE(keep, double, c->n_drives),
                    .held = ARENA_TAKE(keep, double, c->n_unknown),
                    .stretched = ARENA_TAKE(work, stretched, 1),
                    .moved = ARENA_TAKE(work, place_motion, places),
                    .inside = ARENA_TAKE(work, vec6, sections),
                    .outside = ARENA_TAKE(work, vec6, places),
                    .lumps = ARENA_TAKE(work, lump, places),
                    .measures = ARENA_TAKE(work, double, c->n_drives),
                    .now = ARENA_TAKE(work, effort_state, c->n_drives),
                    .Q = ARENA_TAKE(work, double, c->n_q),
                    .by_work = ARENA_TAKE(work, double, c->n_q),
                    .by_measure = ARENA_TAKE(work, double, c->n_q),
                    .strains = ARENA_TAKE(work, vec3, c->n_thin)};
    m.touch = touch_layout(&all->rods[index].touch, keep, work);
    solve_layout(&p, keep, work, &m.solve);
    if (!out) return;
    *out = m;
    *m.stretched = (stretched){.sections = states, .stretch = stretch, .inner = inner};
    curve_unstretched(c, m.stretched);
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const rom *c = compiled;
    rom_memory *m = ARENA_TAKE(work, rom_memory, 1);
    rod_memory *rods = ARENA_TAKE(work, rod_memory, c->n_rods);
    rom_memory whole = {.rods = rods,
                        .at = ARENA_TAKE(work, rod_at, c->n_rods),
                        .unit = ARENA_TAKE(work, double, c->n_inputs)};
    for (int i = 0; i < c->n_rods; i++) layout_rod(c, i, keep, work, rods ? &rods[i] : NULL);
    if (m) *m = whole;
    return m;
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    const rom *c = compiled;
    (void)call;
    for (int i = 0; i < c->n_rods; i++)
        curve_unstretched(&c->rods[i].curve, ((rom_memory *)memory)->rods[i].stretched);
}

extern const td_model model_rom;
const td_model model_rom = {
    .name = "rom",
    .title = "truncated polynomials for position and rotation",
    .reference = "Sadati et al. 2019",
    .reads = (const char *const[]){"rotary_inertia", "integration", "rom", NULL},
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_SHEAR_EXTENSION | 1ull << TD_FEATURE_PRE_CURVATURE |
                1ull << TD_FEATURE_PIECES | 1ull << TD_FEATURE_POINT_LOADS |
                1ull << TD_FEATURE_DISTRIBUTED_LOADS | ANY_LOAD_KIND | ANY_SURROUNDING |
                1ull << TD_FEATURE_BASE_MOTION | 1ull << TD_FEATURE_MANY_RODS | ANY_ACTUATOR |
                ANY_SECTION_DRIVE | 1ull << TD_FEATURE_BODIES | 1ull << TD_FEATURE_RUBBER |
                1ull << TD_FEATURE_POWER_DAMPING | 1ull << TD_FEATURE_RELAXATION |
                1ull << TD_FEATURE_MEAN_STRETCH | 1ull << TD_FEATURE_FIBRES |
                1ull << TD_FEATURE_SUPERELASTIC | 1ull << TD_FEATURE_HYSTERESIS |
                1ull << TD_FEATURE_COUPLED_SECTIONS | 1ull << TD_FEATURE_OBSTACLES |
                1ull << TD_FEATURE_ADDED_MASS | 1ull << TD_FEATURE_FREE_BASES,
    .compile = rom_compile,
    .release = rom_release,
    .layout = layout,
    .n_parts = rom_n_rods,
    .part = rom_part,
    .coordinate = rom_coordinate,
    .finish = rom_finish,
    .reset = reset,
    .inverse_dynamics = rom_inverse_dynamics,
    .accelerates = true,
    .fit = rom_fit,
    .sample = rom_sample,
    .pose = rom_pose,
    .energy = rom_energy,
    .actuator = rom_actuator,
    .body = rom_body,
    .reaction = rom_reaction,
    .contacts = rom_contacts,
    .acceleration = rom_acceleration,
};
