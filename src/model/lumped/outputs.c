// model/lumped/outputs.c - what can be read off a net.
#include <math.h>

#include "model/lumped/net.h"

static end_motion end_now(const net_memory *m, const place *at) {
    return end_at(at, m->nodes);
}

static element element_now(const net *c, const net_memory *m, const segment *s) {
    end_motion a = end_now(m, &s->a), b = end_now(m, &s->b);
    return element_make(&a, &b, c->printed);
}

typedef struct strained {
    vec6 strain, rate;
} strained;

// From its coordinates where it has them, otherwise from its ends.
static strained strained_now(const net *c, const net_memory *m, const segment *s) {
    const double part = 1.0 / s->length;
    const size_t at = 6 * (size_t)(s - c->segments);
    if (m->coordinates)
        return (strained){vec6_scale(vec6_load(m->coordinates + at), part),
                          vec6_scale(vec6_load(m->coordinate_rates + at), part)};
    element e = element_now(c, m, s);
    return (strained){vec6_scale((vec6){e.phi, e.eps}, part),
                      vec6_scale((vec6){e.phi_t, e.eps_t}, part)};
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
    double rate[6], w[6];
    vec6_store(rate, now->rate);
    vec6_store(w, material_wrench(c, &m->segments[s - c->segments], strain));
    for (int i = 0; i < 6; i++) w[i] += damping_rate(c, s->damping[i], rate[i]);
    vec6 sum = vec6_load(w);
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
    const element e = element_now(c, m, s);
    const strained now = strained_now(c, m, s);
    return element_pull(&e, wrench_in(c, m, s, &now));
}

// N/m, world: what acts along the rod about the node beyond segment i, by which the force there and
// in the next one differ. False: not known.
static bool spread_beyond(const net *c, const net_memory *m, const net_rod *r, int i, vec3 *out) {
    if (i < r->first || i + 1 >= r->first + r->n) return false;
    const segment *a = &c->segments[i], *b = a + 1;
    if (c->breaks[a->b.node]) return false;
    const vec3 change = vec3_sub(pull_of(c, m, a).b.l, pull_of(c, m, b).b.l);
    *out = vec3_scale(change, 2.0 / (a->length + b->length));
    return true;
}

// A segment carries one force and has its load at its ends; within the rod the load is spread: with
// the mean q of both nodes, at x l from the near end and r before the far one,
//
//     n = n_l + q (l/2 - x l),   m = m_far + r x (n_l - q x l/2)
static vec6 wrench_along(const net *c, const net_memory *m, const segment *s, double x,
                         const se3 *T) {
    const vec6 far = pull_of(c, m, s).b;
    const vec3 arm = vec3_sub(end_now(m, &s->b).p, T->p);
    vec3 before, beyond, q = vec3_zero();
    const net_rod *r = &c->rods[s->rod];
    const int i = (int)(s - c->segments);
    const bool has_before = spread_beyond(c, m, r, i - 1, &before);
    const bool has_beyond = spread_beyond(c, m, r, i, &beyond);
    if (has_before) q = before;
    if (has_beyond) q = has_before ? vec3_scale(vec3_add(before, beyond), 0.5) : beyond;
    const vec3 force = vec3_madd(far.l, (0.5 - x) * s->length, q);
    const vec3 beyond_here = vec3_madd(far.l, -0.5 * x * s->length, q);
    const vec3 moment = vec3_add(far.a, vec3_cross(arm, beyond_here));
    return (vec6){mat3_tmul_vec(&T->R, moment), mat3_tmul_vec(&T->R, force)};
}

td_sample net_sample(const void *compiled, const void *memory, int rod, double s) {
    const net *c = compiled;
    const net_memory *m = memory;
    use_sections(c, m);
    const segment *at = segment_around(c, rod, s);
    end_motion a = end_now(m, &at->a), b = end_now(m, &at->b);
    element e = element_make(&a, &b, c->printed);
    double x = fmin(1.0, fmax(0.0, (s - at->s) / at->length));
    strained now = strained_now(c, m, at);
    se3 T = element_pose(&e, &a, x);
    td_sample out;
    vec3_store(out.pose.p, T.p);
    quat_store(out.pose.q, quat_from_mat3(&T.R));
    vec6_store(out.strain, now.strain);
    vec6_store(out.wrench, wrench_along(c, m, at, x, &T));
    vec3 w = vec3_madd(a.w, x, vec3_sub(b.w, a.w)), v = vec3_madd(a.v, x, vec3_sub(b.v, a.v));
    vec3_store(out.velocity, mat3_tmul_vec(&T.R, w));
    vec3_store(out.velocity + 3, mat3_tmul_vec(&T.R, v));
    return out;
}

td_body_state net_body(const void *compiled, const void *memory, int body) {
    const net *c = compiled;
    end_motion e = end_now(memory, &c->bodies[body]);
    td_body_state out = {.attached = true};
    vec3_store(out.pose.p, e.p);
    quat_store(out.pose.q, quat_from_mat3(&e.R));
    vec3_store(out.velocity, mat3_tmul_vec(&e.R, e.w));
    vec3_store(out.velocity + 3, mat3_tmul_vec(&e.R, e.v));
    return out;
}

// ---------------------------------------------------------------- actuators
static double measure_now(const net *c, const net_memory *m, int which) {
    double sum = 0.0;
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

static int find_actuator(const net *c, actuator_kind kind, int index) {
    for (int i = 0; i < c->n_actuators; i++)
        if (c->actuators[i].kind == kind && c->actuators[i].index == index) return i;
    return -1;
}

td_tendon_state net_tendon(const void *compiled, const void *memory, int tendon) {
    const net *c = compiled;
    const net_memory *m = memory;
    int i = find_actuator(c, ACTUATOR_TENDON, tendon);
    if (i < 0) return (td_tendon_state){0};
    const actuator *a = &c->actuators[i];
    td_tendon_state out = {.tension = m->efforts[i], .length = measure_now(c, m, i)};
    const double yield = a->rest * a->inverse_stiffness + a->compliance;
    out.slack = out.tension <= 0.0 && !a->tendon.pushes;
    if (out.slack) out.tension = 0.0;
    out.end_tension = out.tension;
    out.displacement = a->rest - out.length + yield * (out.tension - a->pretension);
    return out;
}

double net_tension(const void *compiled, const void *memory, int tendon, double s) {
    const net *c = compiled;
    int i = find_actuator(c, ACTUATOR_TENDON, tendon);
    if (i < 0 || s < c->actuators[i].from || s > c->actuators[i].to) return 0.0;
    return net_tendon(compiled, memory, tendon).tension;
}

td_chamber_state net_chamber(const void *compiled, const void *memory, int chamber) {
    const net *c = compiled;
    const net_memory *m = memory;
    int i = find_actuator(c, ACTUATOR_CHAMBER, chamber);
    if (i < 0) return (td_chamber_state){0};
    const actuator *a = &c->actuators[i];
    td_chamber_state out = {.pressure = m->efforts[i], .volume = measure_now(c, m, i)};
    if (a->control == CONTROL_GAS)
        out.amount = (out.pressure + a->atmosphere) * out.volume / a->gas_energy;
    return out;
}

// ---------------------------------------------------------------- energy
// What tendons of unknown tension stretch; a gas above the atmosphere at constant temperature.
double stored_energy(const net *c, const net_memory *m, const double *given) {
    double sum = 0.0;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        const double effort = m->efforts[i];
        if (a->kind == ACTUATOR_TENDON && c->unknown[i] >= 0)
            sum += 0.5 * (a->compliance + a->rest * a->inverse_stiffness) * effort * effort;
        if (a->control != CONTROL_GAS || !(given[i] > 0.0)) continue;
        double nRT = given[i] * a->gas_energy, volume = nRT / (effort + a->atmosphere);
        if (!(volume > 0.0) || !(a->atmosphere > 0.0)) continue;
        sum += nRT * log(nRT / (a->atmosphere * volume)) + a->atmosphere * volume - nRT;
    }
    return sum;
}

// Of the nodes with what rides on them under these inputs.
static void add_node_energy(const net *c, net_memory *m, const double *riding, vec3 g,
                            td_energy *out) {
    compose_lumps(c, m, riding);
    for (int i = 0; i < c->n_nodes; i++) {
        mat3 R = quat_to_mat3(m->nodes[i].q);
        const lump *b = &m->lumps[i];
        out->kinetic += lump_kinetic(b, &R, &m->nodes[i]);
        out->gravity -= vec3_dot(g, vec3_madd(mat3_mul_vec(&R, b->moment), b->mass, m->nodes[i].p));
    }
}

double net_elastic_energy(const net *c, const net_memory *m) {
    double sum = 0.0;
    use_sections(c, m);
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        sum += s->length * material_energy(c, &m->segments[i], strained_now(c, m, s).strain);
    }
    return sum;
}

double net_own_energy(const net *c, net_memory *m, const double *inputs) {
    td_energy sum = {0};
    add_node_energy(c, m, inputs, gravity_at(c, inputs, 1.0), &sum);
    return sum.kinetic + sum.gravity + net_elastic_energy(c, m);
}

td_energy net_energy(const void *compiled, const void *memory, const double *inputs) {
    const net *c = compiled;
    const net_memory *m = memory;
    const vec3 g = gravity_at(c, inputs, 1.0);
    td_energy out = {
        .elastic = m->sums->stored, .dissipated = m->sums->dissipated, .work = m->sums->work};
    add_node_energy(c, (net_memory *)memory, inputs, g, &out);  // scratch
    out.elastic += net_elastic_energy(c, m);
    return out;
}
