// model/lumped/stretch.c - sections that follow the mean stretch of their rod: the hyperelastic
// correction of Sadati 2019.
//
// How, material/stretch.h says. The stretch is that of the shape at the start of a step, or of the last
// equilibrium: forces do not answer to its change, so what that change stores or frees in a shape
// that stays is work.
#include "model/lumped/net.h"

static double mean_stretch(const net *c, const node_state *x, const net_rod *r) {
    double sum = 0.0;
    for (int i = r->first; i < r->first + r->n; i++) {
        const segment *s = &c->segments[i];
        end_motion a = end_at(&s->a, x), b = end_at(&s->b, x);
        sum += vec3_norm(vec3_sub(b.p, a.p));
    }
    return sum / r->length;
}

// A rod that does not follow has the stretch 1, and keeps what it is made of to the bit.
static void stretch_segment(const net *c, const net_rod *r, double stretch, const segment *from,
                            const net_memory *m) {
    segment *to = &m->own_segments[from - c->segments];
    *to = *from;
    for (int i = from->first_port; i < from->first_port + from->n_ports; i++) {
        m->own_ports[i] = c->ports[i];
        if (!r->follows) continue;
        const actuator *a = &c->actuators[c->ports[i].actuator];
        m->own_ports[i].at.r = vec3_scale(c->ports[i].at.r, actuator_closer(a, stretch));
        m->own_ports[i].swell = actuator_swell(a, stretch);
    }
    if (r->follows)
        actuators_stretch(c->actuators, c->n_actuators, from->rod, from->s + 0.5 * from->length,
                          stretch, from->law.stiffness, from->youngs_modulus, from->shear_modulus,
                          to->law.stiffness);
}

void use_sections(const net *c, const net_memory *m) {
    for (int i = 0; i < c->n_rods && m->own_segments; i++) {
        if (m->made_for[i] == m->stretches[i]) continue;
        const net_rod *r = &c->rods[i];
        for (int k = r->first; k < r->first + r->n; k++)
            stretch_segment(c, r, m->stretches[i], &c->segments[k], m);
        m->made_for[i] = m->stretches[i];
    }
}

static double stretch_of(const net *c, const node_state *x, const net_rod *r) {
    return r->follows ? mean_stretch_within(mean_stretch(c, x, r)) : 1.0;
}

void net_stretch(void *of, const solve_instant *at, const configuration *x, double *out) {
    net_memory *m = of;
    const net *c = m->of;
    m->states->load(m, at, x);
    for (int i = 0; i < c->n_rods; i++) out[i] = stretch_of(c, m->trial, &c->rods[i]);
}

double stretch_sections(const net *c, net_memory *m, const node_state *x) {
    double most = 0.0;
    for (int i = 0; i < c->n_rods && m->own_segments; i++) {
        const double stretch = stretch_of(c, x, &c->rods[i]);
        const double change = fabs(stretch - m->stretches[i]);
        if (change > most) m->restless = i;
        most = fmax(most, change);
        m->stretches[i] = stretch;
    }
    use_sections(c, m);
    return most;
}

double follow_stretch(const net *c, net_memory *m) {
    if (!m->own_segments) return 0.0;
    m->elapsed = 0.0;
    const double before = net_elastic_energy(c, m, m->nodes);
    stretch_sections(c, m, m->nodes);
    return net_elastic_energy(c, m, m->nodes) - before;
}
