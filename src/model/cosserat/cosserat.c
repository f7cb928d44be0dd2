// model/cosserat/cosserat.c - the Cosserat and Kirchhoff rod of Till, Aloi & Rucker 2019.
//
// Rods with bending, torsion, shear and extension (or, after Kirchhoff, without the last two),
// Kelvin-Voigt damping, drag, gravity, point and distributed loads, on bases that may move. Time is
// discretised first, by an implicit formula; what remains is a boundary value problem along each
// rod, solved by shooting. u is the curvature in the body frame, s the arc length of the undeformed
// rod. Rods are independent of each other: no joints, bodies or contact.
#include "model/cosserat/memory.h"

#include <string.h>

#include "math/interpolate.h"

static void layout_rod(const rod *r, arena *keep, arena *work, rod_memory *out) {
    const size_t n = (size_t)r->n_nodes, n_steps = n - (size_t)r->n_elements;
    rod_memory m;
    m.kept = ARENA_TAKE(keep, rod_kept, 1);
    m.nodes = ARENA_TAKE(keep, double, n *Y_SIZE);
    for (int i = 0; i < 3; i++) m.fields[i] = ARENA_TAKE(keep, double, n *F_SIZE);
    m.rate = ARENA_TAKE(keep, double, n *F_SIZE);
    m.history = ARENA_TAKE(work, double, n *F_SIZE);
    m.history_mid = ARENA_TAKE(work, double, n_steps *F_SIZE);
    m.trial = ARENA_TAKE(work, double, n *Y_SIZE);
    m.strains = ARENA_TAKE(work, double, n * 6);
    m.loads = ARENA_TAKE(work, element_loads, r->n_elements);
    if (out) *out = m;
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const cosserat *c = compiled;
    cosserat_memory *m = ARENA_TAKE(work, cosserat_memory, 1);
    rod_memory *rods = ARENA_TAKE(work, rod_memory, c->n_rods);
    cosserat_time *time = ARENA_TAKE(keep, cosserat_time, 1);
    double *half_inputs = ARENA_TAKE(work, double, c->n_inputs);
    double *half_rates = ARENA_TAKE(work, double, c->n_inputs);
    if (m) *m = (cosserat_memory){time, rods, half_inputs, half_rates};
    for (int i = 0; i < c->n_rods; i++)
        layout_rod(&c->rods[i], keep, work, rods ? &rods[i] : NULL);
    return m;
}

void memory_accept(const rod *r, rod_memory *m) {
    memcpy(m->nodes, m->trial, sizeof(double) * Y_SIZE * (size_t)r->n_nodes);
    for (int i = 0; i < r->n_nodes; i++) {
        double *to = m->fields[0] + (size_t)i * F_SIZE;
        const double *y = m->nodes + (size_t)i * Y_SIZE;
        memcpy(to + F_U, m->strains + (size_t)i * 6, sizeof(double) * 6);
        memcpy(to + F_W, y + Y_W, sizeof(double) * 3);
        memcpy(to + F_Q, y + Y_Q, sizeof(double) * 3);
    }
}

// The rest shape: a shot without loads from a base without wrench.
static void reset(const void *compiled, void *memory, const model_call *call) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        rod_memory *mr = &m->rods[i];
        memset(mr->history, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
        memset(mr->history_mid, 0,
               sizeof(double) * F_SIZE * (size_t)(r->n_nodes - r->n_elements));
        rod_loads_at(r, call->inputs, 0.0, mr->loads);
        shooting s = {.r = r, .options = &c->options, .history = mr->history,
                      .history_mid = mr->history_mid, .loads = mr->loads,
                      .base = rod_base_at(r, call->inputs, NULL), .nodes = mr->trial,
                      .strains = mr->strains, .stats = call->stats};
        double residual[6];
        shoot_whole(&s);
        shoot(&s, mr->kept->G[0], residual, NULL);
        memory_accept(r, mr);
    }
    *call->stats = (td_stats){0};
}

// ---------------------------------------------------------------- reading the shape
static const element *element_at(const rod *r, double s) {
    int i = 0;
    while (i + 1 < r->n_elements && s >= r->elements[i + 1].s0) i++;
    return &r->elements[i];
}

// Where between the nodes an arc length lies.
typedef struct spot {
    const element *e;
    int step;    // between nodes step and step + 1 of the element
    double ds, t;  // step length, distance from the left node
} spot;

static spot spot_at(const rod *r, double s) {
    spot p = {.e = element_at(r, s)};
    p.ds = p.e->length / p.e->steps;
    int j = (int)((s - p.e->s0) / p.ds);
    p.step = j < 0 ? 0 : j >= p.e->steps ? p.e->steps - 1 : j;
    p.t = (s - p.e->s0) - p.step * p.ds;
    return p;
}

// Pose by cubic Hermite: its derivative along s is known at the nodes.
static td_pose pose_at(const rod_memory *m, const spot *p) {
    double w[4], h[4] = {0.0};
    vec3 x = vec3_zero();
    hermite_weights(p->ds, p->t, w);
    for (int end = 0; end < 2; end++) {
        size_t node = (size_t)(p->e->node + p->step + end);
        const double *y = m->nodes + node * Y_SIZE, *f = m->fields[0] + node * F_SIZE;
        const station *st = &p->e->stations[2 * (p->step + end)];
        quat q = quat_load(y + Y_H);
        double h_s[4];
        quat_store(h_s, quat_rate(q, vec3_add(st->u_rest, vec3_load(f + F_U))));
        for (int k = 0; k < 4; k++) h[k] += w[2 * end] * y[Y_H + k] + w[2 * end + 1] * h_s[k];
        vec3 p_s = quat_rotate(q, vec3_add(st->v_rest, vec3_load(f + F_V)));
        x = vec3_madd(vec3_madd(x, w[2 * end], vec3_load(y + Y_P)), w[2 * end + 1], p_s);
    }
    td_pose pose;
    vec3_store(pose.p, x);
    quat_store(pose.q, quat_normalise(quat_load(h)));
    return pose;
}

// The cubic (or less, in a short element) through the nodes around the spot: first node, weights.
static int weights_around(const spot *p, int *count, double w[4]) {
    int n = p->e->steps + 1;
    *count = n < 4 ? n : 4;
    int first = p->step - (*count - 2) / 2;
    first = first < 0 ? 0 : first > n - *count ? n - *count : first;
    double x = p->step - first + p->t / p->ds;  // in steps from the first node
    for (int i = 0; i < *count; i++) {
        w[i] = 1.0;
        for (int k = 0; k < *count; k++)
            if (k != i) w[i] *= (x - k) / (i - k);
    }
    return first;
}

static td_sample sample(const void *compiled, const void *memory, int rod_index, double at) {
    const cosserat *c = compiled;
    const rod_memory *m = &((const cosserat_memory *)memory)->rods[rod_index];
    spot p = spot_at(&c->rods[rod_index], at);
    td_sample out = {.pose = pose_at(m, &p)};
    double w[4], world[6] = {0.0};
    int count, first = weights_around(&p, &count, w);
    for (int i = 0; i < count; i++) {
        size_t node = (size_t)(p.e->node + first + i);
        const double *y = m->nodes + node * Y_SIZE, *f = m->fields[0] + node * F_SIZE;
        const station *st = &p.e->stations[2 * (first + i)];
        double rest[6];
        vec3_store(rest, st->u_rest);
        vec3_store(rest + 3, st->v_rest);
        for (int k = 0; k < 6; k++) {
            out.strain[k] += w[i] * (rest[k] + f[F_U + k]);
            out.velocity[k] += w[i] * f[F_W + k];
            world[k] += w[i] * y[Y_N + k];
        }
    }
    quat back = quat_conj(quat_load(out.pose.q));
    vec3_store(out.wrench, quat_rotate(back, vec3_load(world + 3)));
    vec3_store(out.wrench + 3, quat_rotate(back, vec3_load(world)));
    return out;
}

extern const td_model model_cosserat;
const td_model model_cosserat = {
    .name = "cosserat",
    .title = "Cosserat and Kirchhoff rods, implicit in time",
    .reference = "Till, Aloi & Rucker 2019",
    .features = 1u << TD_FEATURE_STATICS | 1u << TD_FEATURE_DYNAMICS |
                1u << TD_FEATURE_SHEAR_EXTENSION | 1u << TD_FEATURE_KIRCHHOFF |
                1u << TD_FEATURE_PRE_CURVATURE | 1u << TD_FEATURE_PIECES |
                1u << TD_FEATURE_POINT_LOADS | 1u << TD_FEATURE_DISTRIBUTED_LOADS |
                1u << TD_FEATURE_FOLLOWER_LOADS | 1u << TD_FEATURE_DRAG |
                1u << TD_FEATURE_BASE_MOTION | 1u << TD_FEATURE_MANY_RODS,
    .compile = cosserat_compile,
    .release = cosserat_release,
    .layout = layout,
    .reset = reset,
    .statics = cosserat_statics,
    .step = cosserat_step,
    .sample = sample,
    .energy = cosserat_energy,
};
