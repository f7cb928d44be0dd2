// model/lumped/stretch.c - sections that follow the mean stretch of their rod: the hyperelastic
// correction of Sadati 2019.
//
// How, rubber.h says. The stretch is that of the shape at the start of a step, or of the last
// equilibrium: forces do not answer to its change, so what that change stores or frees in a shape
// that stays is work.
#include <string.h>

#include "model/lumped/net.h"
#include "model/rubber.h"

static double mean_stretch(const net *c, const net_memory *m, const net_rod *r) {
    double sum = 0.0;
    for (int i = r->first; i < r->first + r->n; i++) {
        const segment *s = &c->segments[i];
        end_motion a = end_at(&s->a, m->nodes), b = end_at(&s->b, m->nodes);
        sum += vec3_norm(vec3_sub(b.p, a.p));
    }
    return sum / r->length;
}

static section_holes holes_of(const net *c, const segment *s, double swell, double stretch) {
    section_holes h = {0};
    for (int i = s->first_port; i < s->first_port + s->n_ports; i++) {
        const port *p = &c->ports[i];
        const actuator *a = &c->actuators[p->actuator];
        if (a->kind == ACTUATOR_CHAMBER)
            holes_add(&h, swell * a->area, p->at.r.x, p->at.r.y, stretch);
    }
    return h;
}

static void stretch_segment(const net *c, const segment *from, double stretch, double swell,
                            segment *to) {
    const section_holes rest = holes_of(c, from, 1.0, 1.0), now = holes_of(c, from, swell, stretch);
    stretch_stiffness(from->stiffness, from->youngs_modulus, from->shear_modulus, &rest, &now,
                      stretch, to->stiffness);
}

static void stretch_ports(const net *c, const segment *s, double stretch, double swell, port *to) {
    const double closer = 1.0 / sqrt(stretch);
    for (int i = s->first_port; i < s->first_port + s->n_ports; i++) {
        to[i] = c->ports[i];
        if (c->actuators[to[i].actuator].kind != ACTUATOR_CHAMBER) continue;
        to[i].at.r = vec3_scale(to[i].at.r, closer);
        to[i].swell = swell;
    }
}

static void stretch_rod(const net *c, const net_memory *m, const net_rod *r, double stretch) {
    const double swell = chamber_swell(c->options.lumped.braid_angle, stretch);
    for (int k = r->first; k < r->first + r->n; k++) {
        m->own_segments[k] = c->segments[k];
        stretch_segment(c, &c->segments[k], stretch, swell, &m->own_segments[k]);
        stretch_ports(c, &c->segments[k], stretch, swell, m->own_ports);
    }
}

void use_sections(const net *c, const net_memory *m) {
    for (int i = 0; i < c->n_rods && m->own_segments; i++) {
        if (m->made_for[i] == m->stretches[i]) continue;
        stretch_rod(c, m, &c->rods[i], m->stretches[i]);
        m->made_for[i] = m->stretches[i];
    }
}

double stretch_sections(const net *c, net_memory *m) {
    double most = 0.0;
    for (int i = 0; i < c->n_rods && m->own_segments; i++) {
        double stretch = fmin(fmax(mean_stretch(c, m, &c->rods[i]), 0.2), 5.0);
        most = fmax(most, fabs(stretch - m->stretches[i]));
        m->stretches[i] = stretch;
    }
    use_sections(c, m);
    return most;
}

void follow_stretch(const net *c, net_memory *m) {
    if (!m->own_segments) return;
    const double before = net_elastic_energy(c, m);
    stretch_sections(c, m);
    m->sums->work += net_elastic_energy(c, m) - before;
}
