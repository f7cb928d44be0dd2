// model/lumped/ebr.c - the models in relative states of Sadati et al. 2019: ebr and srl.
#include "model/lumped/compile.h"
#include "model/lumped/relative.h"

static void *layout(const void *compiled, arena *keep, arena *work) {
    const net *c = compiled;
    const solve_part p = relative_part(c, NULL, 0);
    relative_memory *out = ARENA_TAKE(work, relative_memory, 1);
    relative_memory m = {.net = net_layout(c, keep, work)};
    solve_layout(&p, keep, work, &m.net.solve);
    m.net.coordinates = m.net.solve.q;
    m.net.coordinate_rates = m.net.solve.v;
    m.joints = ARENA_TAKE(work, joint, c->n_segments);
    m.crossings = ARENA_TAKE(work, crossing, c->n_segments);
    m.residual = ARENA_TAKE(work, double, p.n_q);
    m.side = ARENA_TAKE(work, double, 6 * c->n_nodes + c->n_border);
    use_relative_states(&m);
    if (out) *out = m;
    return out;
}

static void *compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                     joint_kind corrected, joint_kind printed, td_error *err) {
    if (check_lumped(robot, options, false, err) < 0) return NULL;
    net *c = net_build(robot, actuators, options, err);
    if (!c) return NULL;
    c->joints = options->lumped.as_printed ? printed : corrected;
    for (int i = 0; i < 6 * c->n_free; i++)
        c->unit[i] = i % PER < 3               ? 1.0
                     : i < PER * c->n_segments ? c->segments[i / PER].length
                                               : c->size;
    return c;
}

static void *compile_vectors(const td_robot *robot, const actuator *actuators,
                             const td_options *options, td_error *err) {
    return compile(robot, actuators, options, JOINT_VECTOR, JOINT_VECTOR_PRINTED, err);
}

static void *compile_euler(const td_robot *robot, const actuator *actuators,
                           const td_options *options, td_error *err) {
    return compile(robot, actuators, options, JOINT_EULER, JOINT_EULER_PRINTED, err);
}

// All but the names and the coordinates.
#define SHARED                                                                                     \
    .reference = "Sadati et al. 2019", .reads = lumped_reads, .slopes = true,                      \
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |                         \
                1ull << TD_FEATURE_SHEAR_EXTENSION | 1ull << TD_FEATURE_PRE_CURVATURE |            \
                1ull << TD_FEATURE_PIECES | 1ull << TD_FEATURE_POINT_LOADS |                       \
                1ull << TD_FEATURE_DISTRIBUTED_LOADS | ANY_LOAD_KIND |                             \
                1ull << TD_FEATURE_BASE_MOTION | 1ull << TD_FEATURE_MANY_RODS | ANY_ACTUATOR |     \
                ANY_SECTION_DRIVE | 1ull << TD_FEATURE_BODIES | ANY_SURROUNDING |                  \
                1ull << TD_FEATURE_ADDED_MASS | 1ull << TD_FEATURE_RUBBER |                        \
                1ull << TD_FEATURE_POWER_DAMPING | 1ull << TD_FEATURE_RELAXATION |                 \
                1ull << TD_FEATURE_FIBRES | 1ull << TD_FEATURE_SUPERELASTIC |                      \
                1ull << TD_FEATURE_HYSTERESIS | 1ull << TD_FEATURE_MEAN_STRETCH |                  \
                1ull << TD_FEATURE_COUPLED_SECTIONS | 1ull << TD_FEATURE_OBSTACLES |               \
                1ull << TD_FEATURE_BODY_CONTACT | 1ull << TD_FEATURE_PART_CONTACT |                \
                1ull << TD_FEATURE_FREE_BASES,                                                     \
    .release = net_release, .note = net_note, .layout = layout, .n_parts = net_n_parts,            \
    .part = relative_part, .coordinate = relative_coordinate, .finish = net_finish,                \
    .sample = net_sample, .pose = net_pose, .energy = net_energy, .actuator = net_actuator,        \
    .body = net_body, .reaction = net_reaction, .contacts = net_contacts,                          \
    .acceleration = net_acceleration

extern const td_model model_ebr, model_srl;
const td_model model_ebr = {.name = "ebr",
                            .title = "elastic segments between rigid nodes, relative states",
                            .compile = compile_vectors,
                            SHARED};

const td_model model_srl = {.name = "srl",
                            .title = "series of rigid links with Euler joints",
                            .compile = compile_euler,
                            SHARED};
