// model/lumped/reaction.c - what holds the ends of rods, and how bodies are accelerated.
//
// The balance of every node is made up once more, at the accelerations that are kept. Where the
// world holds an end in a node of its own, what is out of balance there is its reaction. An end on a
// body has the pull of its segment and the half of it that lies there. In relative coordinates the
// balance of a whole rod is what its base must hold.
#include "model/lumped/relative.h"

typedef struct end_course {  // of an end, as if it were a node of its own
    mat3 R;
    node_state x;
    node_rates rates;
} end_course;

static end_course course_of(const net_memory *m, const place *at) {
    const end_motion e = end_at(at, m->nodes);
    const node_rates t = m->rates[at->node], own = at->turner ? m->rates[at->turner - 1] : t;
    const vec3 w = m->nodes[at->node].w, h = at->h.p;
    end_course out = {
        .R = e.R, .x = {.p = e.p, .v = e.v, .w = mat3_tmul_vec(&e.R, e.w)}, .rates = {own.w, t.v}};
    if (!at->apart) return out;
    const vec3 swing = vec3_add(vec3_cross(t.w, h), vec3_cross(w, vec3_cross(w, h)));
    out.rates.v = vec3_add(t.v, quat_rotate(m->nodes[at->node].q, swing));
    if (!at->turner) out.rates.w = mat3_tmul_vec(&at->h.R, own.w);
    return out;
}

// ---------------------------------------------------------------- ends of rods
// m->r at the state that is kept.
static void balance_now(const net *c, net_memory *m, const double *inputs) {
    const solve_instant at = {.inputs = inputs, .shares = ALL_SHARES};
    const net_job j = {.c = c,
                       .m = m,
                       .at = &at,
                       .x = m->nodes,
                       .rates = m->rates,
                       .moves = true,
                       .pulled = true,
                       .efforts = m->efforts};
    use_sections(c, m);
    compose_lumps(c, m, inputs);
    touch_stay(&c->touch, &m->touch, inputs);
    for (int i = 0; i < c->n_actuators; i++) m->given[i] = m->efforts[i];
    if (!m->coordinates) {
        assemble(&j);
        return;
    }
    clear_forces(&j);
    find_frames(&j);
    add_nodes(&j);
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
        const end_motion end = end_at(&load->at, m->nodes);
        const point_now at = {&end.R, end.p, end.v};
        sum = vec6_add(sum, load_at(&load->of, inputs, 1.0, NULL, &at, NULL));
    }
    return sum;
}

static vec6 end_on_body(const net *c, net_memory *m, int rod, td_end end, vec3 gravity) {
    const net_rod *r = &c->rods[rod];
    const int at = end == TD_BASE ? r->first : r->first + r->n - 1;
    const segment *s = &m->segments[at];
    const end_course course = course_of(m, end == TD_BASE ? &s->a : &s->b);
    const element_ends pull = segment_pull(c, m, s);
    const vec6 half = inertial_wrench(&r->ends[end], &course.R, &course.x, &course.rates, gravity);
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
    if (end == TD_BASE && r->floats) return loads_at_base(c, m, rod, inputs);
    for (int i = 0; i < c->n_bonds; i++)
        if (c->bonds[i].rod == rod && c->bonds[i].end == end)
            return end == TD_BASE
                       ? vec6_add(vec6_load(m->pulls + 6 * i), loads_at_base(c, m, rod, inputs))
                       : vec6_load(m->pulls + 6 * i);
    balance_now(c, m, inputs);
    if (node < c->n_free + c->n_held_bodies)
        return end_on_body(c, m, rod, end, gravity_at(c, inputs, 1.0));
    vec6 held = m->coordinates ? sum_of_rod(c, m, r) : vec6_load(m->r + 6 * node);
    return end == TD_BASE ? vec6_add(held, loads_at_base(c, m, rod, inputs)) : held;
}

vec6 net_hold_reaction(const void *compiled, const void *memory, int body, const double *inputs) {
    const net *c = compiled;
    net_memory *m = (net_memory *)memory;  // scratch
    const place *at = &c->bodies[body];
    for (int i = 0; i < c->n_bonds; i++)
        if (c->bonds[i].body == body) return vec6_load(m->pulls + 6 * i);
    if (at->node < c->n_free || at->apart) return vec6_zero();
    balance_now(c, m, inputs);
    return vec6_load(m->r + 6 * at->node);
}

vec6 net_acceleration(const void *compiled, const void *memory, int body) {
    const net *c = compiled;
    const end_course e = course_of(memory, &c->bodies[body]);
    return (vec6){e.rates.w, mat3_tmul_vec(&e.R, e.rates.v)};
}
