// model/constant_curvature/elastic.c - what segments store and lose when they bend and stretch.
//
// U = L (EI |k - k0|^2 + EA e^2)/2 with k = u/L and e = l/L - 1, as in a rod of Cosserat type. The
// paper has k = 1/r = u/l (present_length), which differs by the stretch. Printed: Eqs. 25 to 28
// and 30 leave L out.
#include "model/constant_curvature/chain.h"

typedef struct bend {
    double over;    // m, k = u/over
    double weight;  // m, of the energy of bending
    double k[2], k_t[2];
    double l, l_t;
} bend;

static bend bend_of(const chain *c, int i, const double *q, const double *rates) {
    const segment *s = &c->segments[i];
    const double *u = q + i * c->per, *u_t = rates ? rates + i * c->per : NULL;
    bend b = {.l = local_length(c, i, q), .weight = c->printed_scaling ? 1.0 : s->length};
    b.l_t = u_t && c->per == N_LOCAL ? u_t[2] : 0.0;
    b.over = c->present_length ? b.l : s->length;
    for (int k = 0; k < 2; k++) {
        b.k[k] = u[k] / b.over;
        b.k_t[k] = u_t ? u_t[k] / b.over : 0.0;
        if (c->present_length) b.k_t[k] -= b.k[k] * b.l_t / b.l;
    }
    return b;
}

// N m: what resists k_t. Radial: D = c (d|k|/dt)^2/2, without direction where there is no bending.
static void damping_moments(const chain *c, const segment *s, const bend *b, double m[2]) {
    const double *B = s->bending_damping;
    m[0] = B[0] * b->k_t[0];
    m[1] = B[1] * b->k_t[1];
    if (!c->radial_damping) return;
    double size = hypot(b->k[0], b->k[1]);
    double e[2] = {size > 0.0 ? b->k[0] / size : 0.0, size > 0.0 ? b->k[1] / size : 0.0};
    double rate = e[0] * b->k_t[0] + e[1] * b->k_t[1];
    m[0] = B[0] * rate * e[0];
    m[1] = B[0] * rate * e[1];
}

static void moments_of(const chain *c, int i, const bend *b, double m[2]) {
    const segment *s = &c->segments[i];
    damping_moments(c, s, b, m);
    for (int k = 0; k < 2; k++) m[k] += s->bending[k] * (b->k[k] - s->rest[k] / s->length);
}

static double tension_of(const segment *s, const bend *b) {
    return s->extension * (b->l / s->length - 1.0) + s->extension_damping * b->l_t / s->length;
}

void arcs_add_elastic(const chain *c, const double *q, const double *rates, double *Q) {
    for (int i = 0; i < c->n; i++) {
        double m[2], *own = Q + i * c->per;
        bend b = bend_of(c, i, q, rates);
        moments_of(c, i, &b, m);
        for (int k = 0; k < 2; k++) own[k] -= b.weight * m[k] / b.over;
        if (c->per < N_LOCAL) continue;
        own[2] -= tension_of(&c->segments[i], &b);
        if (c->present_length) own[2] += b.weight * (m[0] * b.k[0] + m[1] * b.k[1]) / b.l;
    }
}

void arcs_add_elastic_stiffness(const chain *c, const double *q, double *K) {
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        const int at = i * c->per, n = c->n_q;
        bend b = bend_of(c, i, q, NULL);
        double m[2], along = s->extension / s->length;
        moments_of(c, i, &b, m);
        for (int k = 0; k < 2; k++) {
            double w = b.weight / (b.over * b.over), cross = w * (m[k] + s->bending[k] * b.k[k]);
            K[(at + k) * n + at + k] += w * s->bending[k];
            if (!c->present_length || c->per < N_LOCAL) continue;  // k does not depend on l
            K[(at + k) * n + at + 2] -= cross;
            K[(at + 2) * n + at + k] -= cross;
            along += b.k[k] * (cross + w * m[k]);
        }
        if (c->per == N_LOCAL) K[(at + 2) * n + at + 2] += along;
    }
}

double arcs_elastic_energy(const chain *c, const double *q) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        bend b = bend_of(c, i, q, NULL);
        double e = b.l / s->length - 1.0;
        sum += 0.5 * s->extension * s->length * e * e;
        for (int k = 0; k < 2; k++) {
            double off = b.k[k] - s->rest[k] / s->length;
            sum += 0.5 * b.weight * s->bending[k] * off * off;
        }
    }
    return sum;
}

double arcs_damping_power(const chain *c, const double *q, const double *rates) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        bend b = bend_of(c, i, q, rates);
        double m[2];
        damping_moments(c, s, &b, m);
        sum += b.weight * (m[0] * b.k_t[0] + m[1] * b.k_t[1]) +
               s->extension_damping * b.l_t * b.l_t / s->length;
    }
    return sum;
}

void arc_wrench(const chain *c, int i, const double *q, const double *rates, double out[3]) {
    double m[2];
    bend b = bend_of(c, i, q, rates);
    moments_of(c, i, &b, m);
    out[0] = -m[1];
    out[1] = m[0];
    out[2] = tension_of(&c->segments[i], &b);
}
