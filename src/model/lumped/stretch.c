// model/lumped/stretch.c - sections that follow the mean stretch of their rod: the hyperelastic
// correction of Sadati 2019.
//
// A rod of mean stretch l has its material, of constant volume, on the area A/l. Its chambers, held
// by threads at the braid angle g, keep about theirs: a b with b = (1 - l^2 cos^2 g)/sin^2 g, at
// the distance r/sqrt(l) from the axis. With the solid section (chambers filled in) as A_s, I_s:
//
//     E A -> E (A_s/l - sum a b)/l          E I -> E (I_s/l^2 - sum (a^2 b^2/(4 pi) + a b y^2/l))/l
//
// The stretch is that of the shape at the start of a step, or of the last equilibrium: forces do
// not answer to its change.
#include <string.h>

#include "model/lumped/net.h"

#define PI 3.14159265358979323846

static double mean_stretch(const net *c, const net_memory *m, const net_rod *r) {
    double sum = 0.0;
    for (int i = r->first; i < r->first + r->n; i++) {
        const segment *s = &c->segments[i];
        end_motion a = end_at(&s->a, m->nodes), b = end_at(&s->b, m->nodes);
        sum += vec3_norm(vec3_sub(b.p, a.p));
    }
    return sum / r->length;
}

typedef struct holes {  // of chambers through a section
    double area, xx, yy, polar;
} holes;

static holes holes_of(const net *c, const segment *s, double swell, double stretch) {
    holes h = {0};
    for (int i = s->first_port; i < s->first_port + s->n_ports; i++) {
        const port *p = &c->ports[i];
        const actuator *a = &c->actuators[p->actuator];
        if (a->kind != ACTUATOR_CHAMBER) continue;
        double area = swell * a->area, own = area * area / (4.0 * PI);
        double x = p->at.r.x, y = p->at.r.y;
        h.area += area;
        h.xx += own + area * y * y / stretch;
        h.yy += own + area * x * x / stretch;
        h.polar += 2.0 * own + area * (x * x + y * y) / stretch;
    }
    return h;
}

// modulus (solid/l^power - holes)/l over what it is at rest; a section is never less than a sliver.
static double share_left(double stiffness, double modulus, double rest, double now, double stretch,
                         double power) {
    double solid = stiffness / modulus + rest;
    double left = (solid / pow(stretch, power) - now) / stretch;
    return fmax(left * modulus / stiffness, 1e-3);
}

static void stretch_segment(const net *c, const segment *from, double stretch, double swell,
                            segment *to) {
    const double *K = from->stiffness, E = from->youngs_modulus, G = from->shear_modulus;
    holes rest = holes_of(c, from, 1.0, 1.0), now = holes_of(c, from, swell, stretch);
    double area = share_left(K[5], E, rest.area, now.area, stretch, 1.0);
    for (int k = 3; k < 6; k++) to->stiffness[k] = K[k] * area;
    to->stiffness[0] = K[0] * share_left(K[0], E, rest.xx, now.xx, stretch, 2.0);
    to->stiffness[1] = K[1] * share_left(K[1], E, rest.yy, now.yy, stretch, 2.0);
    to->stiffness[2] = K[2] * share_left(K[2], G, rest.polar, now.polar, stretch, 2.0);
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
    const double cs = cos(c->options.lumped.braid_angle), sn = sin(c->options.lumped.braid_angle);
    const double swell = fmax((1.0 - stretch * stretch * cs * cs) / (sn * sn), 1e-3);
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
