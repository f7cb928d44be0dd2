// model/lumped/outputs.c - what can be read off a net.
#include <math.h>

#include "model/lumped/net.h"

static end_motion end_now(const net_memory *m, const place *at) {
    return end_at(at, m->nodes);
}

static element element_now(const net *c, const node_state *x, const segment *s) {
    end_motion a = end_at(&s->a, x), b = end_at(&s->b, x);
    return element_make(&a, &b, c->printed);
}

typedef struct strained {
    vec6 strain, rate;
} strained;

// From its coordinates where it has them, otherwise from its ends.
static strained strained_at(const net *c, const net_memory *m, const node_state *x,
                            const segment *s) {
    const double part = 1.0 / s->length;
    const size_t at = 6 * (size_t)(s - c->segments);
    if (m->coordinates)
        return (strained){vec6_scale(vec6_load(m->coordinates + at), part),
                          vec6_scale(vec6_load(m->coordinate_rates + at), part)};
    element e = element_now(c, x, s);
    return (strained){vec6_scale((vec6){e.phi, e.eps}, part),
                      vec6_scale((vec6){e.phi_t, e.eps_t}, part)};
}

static strained strained_now(const net *c, const net_memory *m, const segment *s) {
    return strained_at(c, m, m->nodes, s);
}

static const segment *segment_around(const net *c, int rod, double s) {
    const net_rod *r = &c->rods[rod];
    int low = r->first, high = r->first + r->n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        const segment *at = &c->segments[middle];
        if (s > at->s + at->length) low = middle + 1;
        else high = middle;
    }
    return &c->segments[low];
}

// ---------------------------------------------------------------- points of a rod
// Material, damping and actuation: the total wrench.
static vec6 wrench_in(const net *c, const net_memory *m, const segment *s, const strained *now) {
    const vec6 strain = now->strain;
    double lost = 0.0;
    net_memory kept = *m;  // as it is, not as it was evaluated last
    kept.elapsed = 0.0;
    vec6 sum = material_wrench(&kept, &m->segments[s - c->segments], strain, now->rate, &lost);
    for (int i = s->first_port; i < s->first_port + s->n_ports; i++) {
        const port *p = &m->ports[i];
        const actuator *a = &c->actuators[p->actuator];
        density d = actuator_density(a, &p->at, strain.a, strain.l);
        sum = vec6_add(sum, vec6_scale(d.slope, a->sign * p->swell * m->efforts[p->actuator]));
    }
    return sum;
}

// As it pulls at its ends, world.
static element_ends pull_of(const net *c, const net_memory *m, const segment *s) {
    const element e = element_now(c, m->nodes, s);
    const strained now = strained_now(c, m, s);
    return element_pull(&e, wrench_in(c, m, s, &now));
}

// N/m, world: what is spread over a segment in which the force is n, by those in its neighbours: the
// mean of both nodes, where nothing else acts.
static vec3 spread_over(const net *c, const net_memory *m, const segment *s, vec3 n) {
    const net_rod *r = &c->rods[s->rod];
    const int i = (int)(s - c->segments);
    vec3 sum = vec3_zero();
    int nodes = 0;
    if (i > r->first && !c->breaks[s->a.node]) {
        const vec3 before = vec3_sub(pull_of(c, m, s - 1).b.l, n);
        sum = vec3_madd(sum, 2.0 / (s[-1].length + s->length), before);
        nodes++;
    }
    if (i + 1 < r->first + r->n && !c->breaks[s->b.node]) {
        const vec3 beyond = vec3_sub(n, pull_of(c, m, s + 1).b.l);
        sum = vec3_madd(sum, 2.0 / (s->length + s[1].length), beyond);
        nodes++;
    }
    return nodes > 1 ? vec3_scale(sum, 0.5) : sum;
}

// A segment carries one force and has its load at its ends; within the rod the load is spread: with
// q over it, at x l from the near end and r before the far one,
//
//     n = n_l + q (l/2 - x l),   m = m_far + r x (n_l - q x l/2)
static vec6 wrench_along(const net *c, const net_memory *m, const segment *s, double x,
                         const se3 *T) {
    const vec6 far = pull_of(c, m, s).b;
    const vec3 arm = vec3_sub(end_now(m, &s->b).p, T->p), q = spread_over(c, m, s, far.l);
    const vec3 force = vec3_madd(far.l, (0.5 - x) * s->length, q);
    const vec3 mean = vec3_madd(far.l, -0.5 * x * s->length, q);
    const vec3 moment = vec3_add(far.a, vec3_cross(arm, mean));
    return (vec6){mat3_tmul_vec(&T->R, moment), mat3_tmul_vec(&T->R, force)};
}

typedef struct spot {  // a point of a rod
    const segment *s;
    double x;  // 0 .. 1 along it
    end_motion a, b;
    se3 T;
} spot;

static spot spot_at(const net *c, const net_memory *m, int rod, double s) {
    spot out = {.s = segment_around(c, rod, s)};
    out.a = end_now(m, &out.s->a);
    out.b = end_now(m, &out.s->b);
    out.x = fmin(1.0, fmax(0.0, (s - out.s->s) / out.s->length));
    const element e = element_make(&out.a, &out.b, c->printed);
    out.T = element_pose(&e, &out.a, out.x);
    return out;
}

td_pose net_pose(const void *compiled, const void *memory, int rod, double s) {
    const spot at = spot_at(compiled, memory, rod, s);
    return pose_from(&at.T.R, at.T.p);
}

td_sample net_sample(const void *compiled, const void *memory, int rod, double s) {
    const net *c = compiled;
    const net_memory *m = memory;
    use_sections(c, m);
    const spot at = spot_at(c, m, rod, s);
    const vec3 w = vec3_madd(at.a.w, at.x, vec3_sub(at.b.w, at.a.w));
    const vec3 v = vec3_madd(at.a.v, at.x, vec3_sub(at.b.v, at.a.v));
    td_sample out = {.pose = pose_from(&at.T.R, at.T.p)};
    vec6_store(out.strain, strained_now(c, m, at.s).strain);
    vec6_store(out.wrench, wrench_along(c, m, at.s, at.x, &at.T));
    vec3_store(out.velocity, mat3_tmul_vec(&at.T.R, w));
    vec3_store(out.velocity + 3, mat3_tmul_vec(&at.T.R, v));
    touch_sample(&c->touch, &m->touch, rod, s, &out);
    if (c->contacts.n) net_pairs_sample(c, (net_memory *)memory, rod, s, &out);
    return out;
}

void net_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context) {
    const net *c = compiled;
    net_memory *m = (net_memory *)memory;  // scratch
    touch_visit(&c->touch, &m->touch, visit, context);
    if (c->contacts.n) net_pairs_visit(c, m, visit, context);
}

td_body_state net_body(const void *compiled, const void *memory, int body) {
    const net *c = compiled;
    end_motion e = end_now(memory, &c->bodies[body]);
    td_body_state out = {.attached = true, .pose = pose_from(&e.R, e.p)};
    vec3_store(out.velocity, mat3_tmul_vec(&e.R, e.w));
    vec3_store(out.velocity + 3, mat3_tmul_vec(&e.R, e.v));
    return out;
}

// ---------------------------------------------------------------- actuators
static double measure_now(const net *c, const net_memory *m, int which) {
    double sum = 0.0;
    if (actuator_in_joint(&c->actuators[which])) return m->turns[which];
    use_sections(c, m);
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
            if (c->ports[k].actuator != which) continue;
            vec6 strain = strained_now(c, m, s).strain;
            const port *p = &m->ports[k];
            sum += p->swell * s->length *
                   actuator_counted(&c->actuators[which], &p->at, strain.a, strain.l).value;
        }
    }
    return sum;
}

td_actuator_state net_actuator(const void *compiled, const void *memory, int index) {
    const net *c = compiled;
    const net_memory *m = memory;
    return actuator_state_of(&c->actuators[index], m->efforts[index], measure_now(c, m, index));
}

// ---------------------------------------------------------------- energy
// What tendons of unknown tension stretch; a gas above the atmosphere at constant temperature.
double stored_energy(const net *c, const net_memory *m, const double *given) {
    double sum = 0.0;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        const double effort = m->efforts[i],
                     volume = actuator_is_driven(a)
                                  ? m->measures[i]
                                  : given[i] * a->gas_energy / (effort + a->atmosphere);
        if (a->control == CONTROL_GAS && !(volume > 0.0)) continue;
        sum += actuator_energy(a, given[i], effort, volume);
    }
    return sum;
}

// Of the nodes with what rides on them under these inputs.
static void add_node_energy(const net *c, net_memory *m, const node_state *x, const double *inputs,
                            td_energy *out) {
    const vec3 g = gravity_at(c, inputs, 1.0);
    compose_lumps(c, m, inputs);
    for (int i = 0; i < c->n_nodes; i++) {
        mat3 R = quat_to_mat3(x[i].q);
        const lump *b = &m->lumps[i];
        out->kinetic += lump_kinetic(b, &R, &x[i]);
        out->gravity -= vec3_dot(g, vec3_madd(mat3_mul_vec(&R, b->moment), b->mass, x[i].p));
    }
    if (environment_is_uniform(&c->around)) return;
    const surroundings around = surroundings_at(&c->around, inputs, 1.0, NULL);
    out->gravity += net_surrounding_energy(c, x, inputs, &around, NULL);
    for (int i = 0; i < c->n_nodes; i++) {
        const mat3 R = quat_to_mat3(x[i].q);
        out->kinetic += wet_kinetic(c->added[i], around.current, &R, &x[i]);
    }
}

double net_elastic_energy(const net *c, const net_memory *m, const node_state *x) {
    double sum = 0.0;
    use_sections(c, m);
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        double e[6];
        less_rest(s, strained_at(c, m, x, s).strain, e);
        const law_past past = segment_past(m, s);
        sum += s->length * law_energy(&m->segments[i].law, &past, e);
    }
    return sum;
}

void net_strained(void *of, const solve_instant *at, const configuration *x, double *out) {
    net_memory *m = of;
    const net *c = m->of;
    const double *kept = m->coordinates;
    m->states->load(m, at, x);
    if (kept) m->coordinates = x->q;
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        if (!law_flows(&s->law)) continue;
        less_rest(s, strained_at(c, m, m->trial, s).strain, out);
        out += 6;
    }
    m->coordinates = kept;
}

void keep_inner(const net *c, net_memory *m, shape_origin from) {
    if (from == SHAPE_SET && c->n_inner) memset(m->inner, 0, sizeof(double) * (size_t)c->n_inner);
    for (int i = 0; i < c->n_segments && c->n_inner; i++) {
        const segment *s = &c->segments[i];
        const law_past past = segment_past(m, s);
        double x[6];
        less_rest(s, strained_at(c, m, m->trial, s).strain, x);
        law_keep(&s->law, &past, x, m->inner + s->inner);
    }
    m->elapsed = 0.0;
}

double net_own_energy(const net *c, net_memory *m, const node_state *x, const double *inputs) {
    td_energy sum = {0};
    add_node_energy(c, m, x, inputs, &sum);
    return sum.kinetic + sum.gravity + net_elastic_energy(c, m, x) +
           touching_energy(c, m, x, inputs) + net_pairs_energy(c, m, x) +
           bonds_energy(c, x, inputs);
}

td_energy net_energy(const void *compiled, const void *memory, const double *inputs) {
    const net *c = compiled;
    net_memory *m = (net_memory *)memory;  // scratch
    m->elapsed = 0.0;
    td_energy out = {.elastic = net_elastic_energy(c, m, m->nodes)};
    out.elastic += touched_energy(c, m, m->nodes, m->touch.frames, inputs);
    out.elastic += net_pairs_energy(c, m, m->nodes);
    out.elastic += bonds_energy(c, m->nodes, inputs);
    add_node_energy(c, m, m->nodes, inputs, &out);
    return out;
}
