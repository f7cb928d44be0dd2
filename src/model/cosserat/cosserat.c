// model/cosserat/cosserat.c - the Cosserat and Kirchhoff rod of Till, Aloi & Rucker 2019.
//
// Rods with bending, torsion, shear and extension (or, after Kirchhoff, without the last two),
// Kelvin-Voigt damping, drag, gravity, point and distributed loads, on bases that may move. Time is
// discretised first, by an implicit formula; what remains is a boundary value problem along each
// rod, solved by shooting. u is the curvature in the body frame, s the arc length of the undeformed
// rod. Rods are independent of each other: no joints, bodies or contact.
#include "model/cosserat/scheme.h"

#include <stdio.h>
#include <string.h>

extern const space_scheme scheme_shooting, scheme_collocation, scheme_chebyshev;

const space_scheme *scheme_of(td_space space) {
    static const space_scheme *const schemes[] = {[TD_SHOOTING] = &scheme_shooting,
                                                  [TD_COLLOCATION] = &scheme_collocation,
                                                  [TD_CHEBYSHEV] = &scheme_chebyshev};
    return schemes[space];
}

// ---------------------------------------------------------------- memory
static void layout_rod(const cosserat *c, const rod *r, arena *keep, arena *work,
                       rod_memory *out) {
    const size_t n = (size_t)r->n_nodes, n_bounds = (size_t)r->n_elements + 1;
    rod_memory m;
    m.nodes = ARENA_TAKE(keep, double, n *Y_SIZE);
    m.bounds = ARENA_TAKE(keep, double, n_bounds *Y_SIZE);
    for (int i = 0; i < 3; i++) m.fields[i] = ARENA_TAKE(keep, double, n *F_SIZE);
    m.rate = ARENA_TAKE(keep, double, n *F_SIZE);
    m.history = ARENA_TAKE(work, double, n *F_SIZE);
    m.trial = ARENA_TAKE(work, double, n *Y_SIZE);
    m.trial_bounds = ARENA_TAKE(work, double, n_bounds *Y_SIZE);
    m.strains = ARENA_TAKE(work, double, n * 6);
    m.loads = ARENA_TAKE(work, element_loads, r->n_elements);
    for (int i = 0; i < 4; i++)
        m.unknowns[i] = ARENA_TAKE(work, double, c->scheme->n_unknowns(r));
    m.own = c->scheme->layout(r, keep, work);
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
        layout_rod(c, &c->rods[i], keep, work, rods ? &rods[i] : NULL);
    return m;
}

#define MOST_STRAIN 9.0  // v may leave its rest value by this much: ten times the length

td_status memory_check(const rod *r, const rod_memory *m, char *message) {
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double *x = m->strains + (size_t)(e->node + i) * 6;
            vec3 v = vec3_add(e->stations[i].v_rest, vec3_load(x + 3));
            if (vec3_norm(vec3_load(x + 3)) <= MOST_STRAIN && v.z > 0.0) continue;
            snprintf(message, MODEL_MESSAGE_SIZE,
                     "rod '%s': its stretch would be %.3g (shear %.3g, %.3g) between s = %.4g and "
                     "%.4g m: the loads are far outside what a linear section law describes",
                     r->name, v.z, v.x, v.y, e->s0, e->s0 + e->length);
            return TD_ERR_VALUE;
        }
    }
    return TD_OK;
}

void memory_accept(const rod *r, rod_memory *m) {
    memcpy(m->nodes, m->trial, sizeof(double) * Y_SIZE * (size_t)r->n_nodes);
    memcpy(m->bounds, m->trial_bounds, sizeof(double) * Y_SIZE * (size_t)(r->n_elements + 1));
    for (int i = 0; i < r->n_nodes; i++) {
        double *to = m->fields[0] + (size_t)i * F_SIZE;
        const double *y = m->nodes + (size_t)i * Y_SIZE;
        memcpy(to + F_U, m->strains + (size_t)i * 6, sizeof(double) * 6);
        memcpy(to + F_W, y + Y_W, sizeof(double) * 3);
        memcpy(to + F_Q, y + Y_Q, sizeof(double) * 3);
    }
}

void note_resolution(const cosserat *c, const cosserat_memory *m, td_stats *stats) {
    for (int i = 0; c->scheme->resolution && i < c->n_rods; i++) {
        double now = c->scheme->resolution(&c->rods[i], &m->rods[i]);
        if (now > stats->resolution) stats->resolution = now;
    }
}

// The rest shape: no loads, no wrench, no strain.
static void reset(const void *compiled, void *memory, const model_call *call) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        rod_memory *mr = &m->rods[i];
        memset(mr->history, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
        memset(mr->unknowns[0], 0, sizeof(double) * (size_t)c->scheme->n_unknowns(r));
        rod_loads_at(r, call->inputs, 0.0, mr->loads);
        rod_problem p = {.r = r, .options = &c->options, .m = mr,
                         .base = rod_base_at(r, call->inputs, NULL), .stats = call->stats};
        c->scheme->evaluate(&p, mr->unknowns[0]);
        c->scheme->settle(r, mr, mr->unknowns[0]);
        memory_accept(r, mr);
    }
    *call->stats = (td_stats){0};
}

static td_sample sample(const void *compiled, const void *memory, int rod_index, double s) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    return c->scheme->sample(&c->rods[rod_index], &m->rods[rod_index], s);
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
    .jacobian = cosserat_jacobian,
    .compliance = cosserat_compliance,
    .sensitivity = cosserat_sensitivity,
    .sample = sample,
    .energy = cosserat_energy,
};
