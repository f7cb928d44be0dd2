// model/lumped/eba.c - the model in absolute states of Sadati et al. 2019: memory and table.
#include "model/lumped/net.h"

static void layout_vectors(const net *c, arena *work, net_memory *m) {
    const size_t rows = 6 * (size_t)c->n_nodes, efforts = (size_t)c->n_actuators;
    const size_t unknown = (size_t)c->n_unknown, border = (size_t)c->n_border;
    const struct {
        double **at;
        size_t n;
    } vectors[] = {
        {&m->r, rows},           {&m->y, rows + border}, {&m->slopes, unknown * rows},
        {&m->measures, efforts}, {&m->given, efforts},   {&m->trial_efforts, efforts},
        {&m->gap, border},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i].at = ARENA_TAKE(work, double, vectors[i].n);
}

net_memory net_layout(const net *c, arena *keep, arena *work) {
    const size_t nodes = (size_t)c->n_nodes;
    net_memory m = {.of = c};
    m.nodes = ARENA_TAKE(keep, node_state, nodes);
    m.efforts = ARENA_TAKE(keep, double, c->n_actuators);
    m.turns = ARENA_TAKE(keep, double, c->n_actuators);
    m.pulls = ARENA_TAKE(keep, double, 6 * c->n_bonds);
    m.inner = ARENA_TAKE(keep, double, c->n_inner);
    m.rates = ARENA_TAKE(keep, node_rates, nodes);
    m.trial = ARENA_TAKE(work, node_state, nodes);
    m.trial_rates = ARENA_TAKE(work, node_rates, nodes);
    m.R = ARENA_TAKE(work, mat3, nodes);
    m.follow = ARENA_TAKE(work, node_follow, nodes);
    m.starts = ARENA_TAKE(work, node_start, keeps_momenta(c) ? c->n_free : 0);
    m.lumps = ARENA_TAKE(work, lump, nodes);
    layout_vectors(c, work, &m);
    m.touch = touch_layout(&c->touch, keep, work);
    m.pairs = pairs_layout(&c->contacts, keep, work);
    m.segments = c->segments;
    m.ports = c->ports;
    if (!c->follows) return m;
    int n_ports = 0;
    for (int i = 0; i < c->n_segments; i++) n_ports += c->segments[i].n_ports;
    m.segments = m.own_segments = ARENA_TAKE(work, segment, c->n_segments);
    m.ports = m.own_ports = ARENA_TAKE(work, port, n_ports);
    m.stretches = ARENA_TAKE(keep, double, c->n_rods);
    m.made_for = ARENA_TAKE(work, double, c->n_rods);
    return m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const solve_part p = net_part(compiled, NULL, 0);
    net_memory *out = ARENA_TAKE(work, net_memory, 1), m = net_layout(compiled, keep, work);
    solve_layout(&p, keep, work, &m.solve);
    use_absolute_states(&m);
    if (out) *out = m;
    return out;
}

const char *const lumped_reads[] = {"rotary_inertia", "integration", "lumped", NULL};

extern const td_model model_eba;
const td_model model_eba = {
    .name = "eba",
    .title = "elastic segments between rigid nodes, absolute states",
    .reference = "Sadati et al. 2019",
    .reads = lumped_reads,
    .slopes = true,
    .absolute = true,
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_SHEAR_EXTENSION | 1ull << TD_FEATURE_PRE_CURVATURE |
                1ull << TD_FEATURE_PIECES | 1ull << TD_FEATURE_POINT_LOADS |
                1ull << TD_FEATURE_DISTRIBUTED_LOADS | ANY_LOAD_KIND |
                1ull << TD_FEATURE_BASE_MOTION | 1ull << TD_FEATURE_MANY_RODS | ANY_ACTUATOR |
                ANY_SECTION_DRIVE | 1ull << TD_FEATURE_BODIES | 1ull << TD_FEATURE_JOINTS |
                ANY_SURROUNDING | 1ull << TD_FEATURE_ADDED_MASS | 1ull << TD_FEATURE_RUBBER |
                1ull << TD_FEATURE_POWER_DAMPING | 1ull << TD_FEATURE_RELAXATION |
                1ull << TD_FEATURE_FIBRES | 1ull << TD_FEATURE_SUPERELASTIC |
                1ull << TD_FEATURE_HYSTERESIS | 1ull << TD_FEATURE_MEAN_STRETCH |
                1ull << TD_FEATURE_COUPLED_SECTIONS | 1ull << TD_FEATURE_OBSTACLES |
                1ull << TD_FEATURE_BODY_CONTACT | 1ull << TD_FEATURE_CARRIED_OBSTACLES |
                1ull << TD_FEATURE_PART_CONTACT | 1ull << TD_FEATURE_FREE_BASES |
                1ull << TD_FEATURE_DRIVEN_ENDS | 1ull << TD_FEATURE_SPRING_JOINTS |
                1ull << TD_FEATURE_JOINT_MOTORS | 1ull << TD_FEATURE_BODY_JOINTS |
                1ull << TD_FEATURE_MIDPOINT_STEPS,
    .compile = net_compile,
    .release = net_release,
    .note = net_note,
    .layout = layout,
    .n_parts = net_n_parts,
    .part = net_part,
    .coordinate = net_coordinate,
    .finish = net_finish,
    .sample = net_sample,
    .pose = net_pose,
    .energy = net_energy,
    .actuator = net_actuator,
    .body = net_body,
    .reaction = net_reaction,
    .hold_reaction = net_hold_reaction,
    .contacts = net_contacts,
    .acceleration = net_acceleration,
};
