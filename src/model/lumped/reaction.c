// model/lumped/reaction.c - what holds the ends of rods, and how bodies are accelerated.
//
// The balance of every node is made up once more, at the accelerations that are kept. Where the
// world holds an end in a node of its own, what is out of balance there is its reaction. An end on a
// body has the pull of its segment and the half of it that lies there. In relative coordinates the
// balance of a whole rod is what its base must hold.
#include "model/lumped/relative.h"

static node_state rates_of(const net_memory *m, int i) {
    return (node_state){.v = vec3_load(m->node_rates + 6 * i + 3),
                        .w = vec3_load(m->node_rates + 6 * i)};
}

void keep_rates(const net *c, net_memory *m, const node_state *x, const node_state *before,
                double c0) {
    for (int i = 0; i < c->n_nodes; i++) {
        vec3_store(m->node_rates + 6 * i, vec3_scale(vec3_sub(x[i].w, before[i].w), c0));
        vec3_store(m->node_rates + 6 * i + 3, vec3_scale(vec3_sub(x[i].v, before[i].v), c0));
    }
}

// An end as a node of its own, and one that c0 = 1 leads from to its accelerations.
typedef struct end_course {
    mat3 R;
    node_state x, before;
} end_course;

static end_course course_of(const net_memory *m, const place *at) {
    const end_motion e = end_at(at, m->nodes);
    const node_state t = rates_of(m, at->node), own = at->turner ? rates_of(m, at->turner - 1) : t;
    const vec3 w = m->nodes[at->node].w, h = at->h.p;
    end_course out = {.R = e.R, .x = {.p = e.p, .v = e.v, .w = mat3_tmul_vec(&e.R, e.w)}};
    vec3 v_t = t.v, w_t = own.w;
    if (at->apart) {
        vec3 swing = vec3_add(vec3_cross(t.w, h), vec3_cross(w, vec3_cross(w, h)));
        v_t = vec3_add(v_t, quat_rotate(m->nodes[at->node].q, swing));
        if (!at->turner) w_t = mat3_tmul_vec(&at->h.R, w_t);
    }
    out.before = out.x;
    out.before.v = vec3_sub(out.x.v, v_t);
    out.before.w = vec3_sub(out.x.w, w_t);
    return out;
}

// ---------------------------------------------------------------- ends of rods
// m->r at the state that is kept.
static void balance_now(const net *c, net_memory *m, const double *inputs) {
    const situation at = {.inputs = inputs, .share = 1.0, .c0 = 1.0, .before = m->before};
    use_sections(c, m);
    compose_lumps(c, m, inputs);
    for (int i = 0; i < c->n_actuators; i++) m->given[i] = m->efforts[i];
    for (int i = 0; i < c->n_nodes; i++) {
        const node_state t = rates_of(m, i);
        m->before[i] = m->nodes[i];
        m->before[i].v = vec3_sub(m->nodes[i].v, t.v);
        m->before[i].w = vec3_sub(m->nodes[i].w, t.w);
    }
    if (m->coordinates) assemble_nodes(c, m, &at, m->nodes);
    else assemble(c, m, &at, m->nodes, m->efforts, false);
}

// All that acts on the nodes of an open rod, about its base.
static vec6 sum_of_rod(const net *c, const net_memory *m, const net_rod *r) {
    const int base = c->segments[r->first].a.node;
    vec6 sum = vec6_load(m->r + 6 * base);
    for (int i = r->first; i < r->first + r->n; i++) {
        const int node = c->segments[i].b.node;
        const vec6 w = vec6_load(m->r + 6 * node);
        const vec3 arm = vec3_sub(m->nodes[node].p, m->nodes[base].p);
        sum = vec6_add(sum, (vec6){vec3_add(w.a, vec3_cross(arm, w.l)), w.l});
    }
    return sum;
}

// Point loads given at the very base, which the model's reaction leaves out.
static vec6 loads_at_base(const net *c, const net_memory *m, int rod, const double *inputs) {
    vec6 sum = vec6_zero();
    for (int i = 0; i < c->n_loads; i++) {
        const node_load *load = &c->loads[i];
        if (load->base_of != rod + 1) continue;
        vec6 w = {numbers_at(load->moment, inputs), numbers_at(load->force, inputs)};
        const mat3 R = end_at(&load->at, m->nodes).R;
        if (load->frame == TD_FRAME_BODY) w = (vec6){mat3_mul_vec(&R, w.a), mat3_mul_vec(&R, w.l)};
        sum = vec6_add(sum, w);
    }
    return sum;
}

static vec6 end_on_body(const net *c, net_memory *m, int rod, td_end end, vec3 gravity) {
    const net_rod *r = &c->rods[rod];
    const int at = end == TD_BASE ? r->first : r->first + r->n - 1;
    const segment *s = &m->segments[at];
    const end_course course = course_of(m, end == TD_BASE ? &s->a : &s->b);
    const element_ends pull = segment_pull(c, m, s);
    const vec6 half =
        inertial_wrench(&r->ends[end], &course.R, &course.x, &course.before, 1.0, gravity);
    return vec6_add(end == TD_BASE ? pull.a : pull.b, half);
}

vec6 net_reaction(const void *compiled, const void *memory, int rod, td_end end,
                  const double *inputs) {
    const net *c = compiled;
    net_memory *m = (net_memory *)memory;  // scratch
    const net_rod *r = &c->rods[rod];
    const segment *first = &c->segments[r->first], *last = first + r->n - 1;
    const int node = end == TD_BASE ? first->a.node : last->b.node;
    if (end == TD_TIP && r->free_tip) return vec6_zero();
    balance_now(c, m, inputs);
    if (node < c->n_free) return end_on_body(c, m, rod, end, gravity_at(c, inputs, 1.0));
    vec6 held = m->coordinates ? sum_of_rod(c, m, r) : vec6_load(m->r + 6 * node);
    return end == TD_BASE ? vec6_add(held, loads_at_base(c, m, rod, inputs)) : held;
}

vec6 net_acceleration(const void *compiled, const void *memory, int body) {
    const net *c = compiled;
    const end_course e = course_of(memory, &c->bodies[body]);
    return (vec6){vec3_sub(e.x.w, e.before.w), mat3_tmul_vec(&e.R, vec3_sub(e.x.v, e.before.v))};
}
