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

// Cubic Hermite between the nodes for pose (its s-derivative is known there); linear for the rest.
static td_sample sample(const void *compiled, const void *memory, int rod_index, double at) {
    const cosserat *c = compiled;
    const rod *r = &c->rods[rod_index];
    const rod_memory *m = &((const cosserat_memory *)memory)->rods[rod_index];
    const element *e = element_at(r, at);
    const double ds = e->length / e->steps;
    int j = (int)((at - e->s0) / ds);
    j = j < 0 ? 0 : j >= e->steps ? e->steps - 1 : j;
    double t = (at - e->s0) - j * ds, x = t / ds, w[4];
    hermite_weights(ds, t, w);

    td_sample out = {0};
    vec3 p = vec3_zero(), n = vec3_zero(), mo = vec3_zero();
    double h[4] = {0};
    for (int end = 0; end < 2; end++) {
        const double *y = m->nodes + (size_t)(e->node + j + end) * Y_SIZE;
        const double *f = m->fields[0] + (size_t)(e->node + j + end) * F_SIZE;
        const station *st = &e->stations[2 * (j + end)];
        vec3 u = vec3_add(st->u_rest, vec3_load(f + F_U));
        vec3 v = vec3_add(st->v_rest, vec3_load(f + F_V));
        quat q = quat_load(y + Y_H);
        double h_s[4], part = end ? x : 1.0 - x;
        quat_store(h_s, quat_rate(q, u));
        for (int k = 0; k < 4; k++) h[k] += w[2 * end] * y[Y_H + k] + w[2 * end + 1] * h_s[k];
        p = vec3_madd(p, w[2 * end], vec3_load(y + Y_P));
        p = vec3_madd(p, w[2 * end + 1], quat_rotate(q, v));
        n = vec3_madd(n, part, vec3_load(y + Y_N));
        mo = vec3_madd(mo, part, vec3_load(y + Y_M));
        double strain[6];
        vec3_store(strain, u);
        vec3_store(strain + 3, v);
        for (int k = 0; k < 6; k++) {
            out.strain[k] += part * strain[k];
            out.velocity[k] += part * f[F_W + k];
        }
    }
    quat q = quat_normalise(quat_load(h));
    vec3_store(out.pose.p, p);
    quat_store(out.pose.q, q);
    vec3_store(out.wrench, quat_rotate(quat_conj(q), mo));
    vec3_store(out.wrench + 3, quat_rotate(quat_conj(q), n));
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
