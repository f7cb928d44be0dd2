// model/lumped/ebr.c - the models in relative states of Sadati et al. 2019: ebr and srl.
#include <string.h>

#include "model/lumped/compile.h"
#include "model/lumped/relative.h"

static void *layout(const void *compiled, arena *keep, arena *work) {
    const net *c = compiled;
    const size_t n = PER * (size_t)c->n_segments;
    size_t squares = 0, largest = 0;
    for (int i = 0; i < c->n_rods; i++) {
        size_t rows = PER * (size_t)c->rods[i].n;
        squares += rows * rows;
        largest = rows > largest ? rows : largest;
    }
    relative_memory *out = ARENA_TAKE(work, relative_memory, 1);
    relative_memory m = {.net = net_layout(c, keep, work)};
    m.q = ARENA_TAKE(keep, double, n);
    m.rates = ARENA_TAKE(keep, double, n);
    m.net.coordinates = m.q;
    m.net.coordinate_rates = m.rates;
    m.joints = ARENA_TAKE(work, joint, c->n_segments);
    double **const vectors[] = {&m.residual,   &m.side,  &m.trial,       &m.trial_rates,  &m.star,
                                &m.star_rates, &m.first, &m.first_rates, &m.accelerations};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_TAKE(work, double, n);
    m.jacobian = ARENA_TAKE(work, double, squares);
    m.definite = ARENA_TAKE(work, double, largest *largest);
    m.pivot = ARENA_TAKE(work, int, n);
    m.shadow = ARENA_TAKE(work, node_state, c->n_nodes);
    if (out) *out = m;
    return out;
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    const net *c = compiled;
    relative_memory *m = memory;
    net_reset(compiled, &m->net, call);
    for (int i = 0; i < c->n_segments; i++)
        for (int k = 0; k < PER; k++)
            m->q[PER * i + k] = c->segments[i].rest[k] * c->segments[i].length;
    memset(m->rates, 0, sizeof(double) * PER * (size_t)c->n_segments);
    situation at = {.inputs = call->inputs};
    keep_nodes(c, m, &at);
    for (int i = 0; i < c->n_actuators; i++) m->net.efforts[i] = 0.0;
}

static void *compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                     joint_kind corrected, joint_kind printed, td_error *err) {
    if (check_lumped(robot, options, false, err) < 0) return NULL;
    net *c = net_build(robot, actuators, options, err);
    if (c) c->joints = options->lumped.as_printed ? printed : corrected;
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
    .reference = "Sadati et al. 2019", .reads = lumped_reads,                                      \
    .features = 1u << TD_FEATURE_STATICS | 1u << TD_FEATURE_DYNAMICS |                             \
                1u << TD_FEATURE_SHEAR_EXTENSION | 1u << TD_FEATURE_PRE_CURVATURE |                \
                1u << TD_FEATURE_PIECES | 1u << TD_FEATURE_POINT_LOADS |                           \
                1u << TD_FEATURE_DISTRIBUTED_LOADS | 1u << TD_FEATURE_FOLLOWER_LOADS |             \
                1u << TD_FEATURE_BASE_MOTION | 1u << TD_FEATURE_MANY_RODS | ANY_ACTUATOR |         \
                1u << TD_FEATURE_BODIES | 1u << TD_FEATURE_DRAG | 1u << TD_FEATURE_RUBBER |        \
                1u << TD_FEATURE_POWER_DAMPING | 1u << TD_FEATURE_MEAN_STRETCH |                   \
                1u << TD_FEATURE_COUPLED_SECTIONS,                                                 \
    .release = net_release, .layout = layout, .outside = chosen_needed, .attach = relative_attach, \
    .detach = net_detach, .reset = reset, .statics = relative_statics, .step = relative_step,      \
    .jacobian = relative_jacobian, .compliance = relative_compliance,                              \
    .stability = relative_stability, .sample = net_sample, .pose = net_pose, .energy = net_energy, \
    .actuator = net_actuator, .body = net_body, .reaction = net_reaction,                          \
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
