// model/tubes/tubes.c - concentric tubes: memory and table.
#include "model/tubes/tubes.h"

static int n_shafts(const bundle *b) {
    int n = 0;
    for (int j = 0; j < b->n; j++) n += b->tubes[j].n_shafts;
    return n;
}

static void layout_bundle(const tubes *c, int index, arena *keep, arena *work, bundle_state *out) {
    const bundle *b = &c->bundles[index];
    const solve_part p = tubes_part(c, NULL, index);
    const size_t n = (size_t)b->n_q, inputs = (size_t)c->n_inputs;
    bundle_state m = {.inputs = ARENA_TAKE(keep, double, inputs),
                      .rates = ARENA_TAKE(keep, double, inputs),
                      .accelerations = ARENA_TAKE(keep, double, inputs),
                      .shown_q = ARENA_TAKE(work, double, n),
                      .shown_v = ARENA_TAKE(work, double, n),
                      .shown_a = ARENA_TAKE(work, double, n),
                      .shown_inputs = ARENA_TAKE(work, double, 3 * inputs),
                      .efforts = ARENA_TAKE(keep, double, b->n_drives),
                      .measures = ARENA_TAKE(keep, double, b->n_drives),
                      .held = ARENA_TAKE(keep, double, b->n_unknown),
                      .r = ARENA_TAKE(work, double, n + (size_t)b->n_unknown),
                      .probe = ARENA_TAKE(work, double, inputs)};
    m.now.elements = ARENA_TAKE(work, element_now, b->n_elements);
    m.now.sections = ARENA_TAKE(work, tube_section, b->n_nodes * b->n);
    m.now.shafts = ARENA_TAKE(work, shaft_now, n_shafts(b));
    m.now.nodes = ARENA_TAKE(work, knot, b->n_nodes);
    m.now.ends = ARENA_TAKE(work, knot, b->n_elements);
    m.now.on_nodes = ARENA_TAKE(work, pushes, b->n_nodes);
    m.now.on_ends = ARENA_TAKE(work, pushes, b->n_elements);
    m.now.beyond = ARENA_TAKE(work, far_side, b->n_elements + 1);
    m.now.total = ARENA_TAKE(work, vec3, b->n_nodes);
    m.now.carried = ARENA_TAKE(work, vec3, b->n_nodes);
    m.now.columns = ARENA_TAKE(work, double, bundle_columns(b));
    m.now.routes = ARENA_TAKE(work, route_point, b->n_drives * b->n_nodes);
    m.now.runs = ARENA_TAKE(work, double, b->n_drives);
    m.now.efforts = ARENA_TAKE(work, effort_state, b->n_drives);
    m.now.measures = ARENA_TAKE(work, double, b->n_drives);
    m.now.torques = ARENA_TAKE(work, double, b->n_nodes);
    m.now.by_work = ARENA_TAKE(work, double, n);
    m.now.by_measure = ARENA_TAKE(work, double, n);
    m.now.touch = touch_layout(&b->touch, keep, work);
    m.now.spots = ARENA_TAKE(work, spot, b->touch.n_points);
    solve_layout(&p, keep, work, &m.solve);
    if (out) *out = m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const tubes *c = compiled;
    tubes_memory *m = ARENA_TAKE(work, tubes_memory, 1);
    bundle_state *bundles = ARENA_TAKE(work, bundle_state, c->n_bundles);
    bundle_at *at = ARENA_TAKE(work, bundle_at, c->n_bundles);
    for (int i = 0; i < c->n_bundles; i++)
        layout_bundle(c, i, keep, work, bundles ? &bundles[i] : NULL);
    if (m) *m = (tubes_memory){bundles, at};
    return m;
}

extern const td_model model_tubes;
const td_model model_tubes = {
    .name = "tubes",
    .title = "concentric tubes that bend together and twist each on its own",
    .reference = "Dupont et al. 2010, Rucker et al. 2010, Till et al. 2020",
    .reads = (const char *const[]){"rotary_inertia", "integration", "tubes", NULL},
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_KIRCHHOFF | 1ull << TD_FEATURE_PRE_CURVATURE |
                1ull << TD_FEATURE_PIECES | 1ull << TD_FEATURE_POINT_LOADS |
                1ull << TD_FEATURE_DISTRIBUTED_LOADS | ANY_LOAD_KIND | ANY_SURROUNDING |
                1ull << TD_FEATURE_ADDED_MASS | 1ull << TD_FEATURE_BASE_MOTION |
                1ull << TD_FEATURE_MANY_RODS | 1ull << TD_FEATURE_BODIES | ANY_ACTUATOR |
                ANY_SECTION_DRIVE | 1ull << TD_FEATURE_OBSTACLES | 1ull << TD_FEATURE_TUBES,
    .compile = tubes_compile,
    .release = tubes_release,
    .layout = layout,
    .n_parts = tubes_n_bundles,
    .part = tubes_part,
    .part_of = tubes_part_of,
    .coordinate = tubes_coordinate,
    .finish = tubes_finish,
    .sample = tubes_sample,
    .pose = tubes_pose,
    .energy = tubes_energy,
    .actuator = tubes_actuator,
    .body = tubes_body,
    .reaction = tubes_reaction,
    .contacts = tubes_contacts,
    .acceleration = tubes_acceleration,
};
