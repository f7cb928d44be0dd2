// model/constant_curvature/elastic.c - what segments store and lose when they bend and stretch.
//
// U = L (EI |k - k0|^2 + EA e^2)/2 with k = u/L and e = l/L - 1, as in a rod of Cosserat type. The
// paper has k = 1/r = u/l (present_length), which differs by the stretch. Printed: Eqs. 25 to 28
// and 30 leave L out.
//
// A segment of another law answers as its sections do, which have one strain (material/law.h).
#include "model/constant_curvature/chain.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- other laws
static const int modes[N_LOCAL] = {1, 0, 5};  // of (u_x, u_y, l) among strains, with these signs
static const double signs[N_LOCAL] = {1.0, -1.0, 1.0};

typedef struct answer {
    const section_law *law;
    law_past past;
    double strain[6], rate[6];
    double length;  // m
} answer;

static answer answer_of(const chain *c, const arc_past *past, int i, const double *q,
                        const double *rates) {
    const segment *s = &c->segments[i];
    answer a = {.law = &s->law, .length = s->length};
    if (past) a.past = (law_past){past->inner + s->inner, past->elapsed};
    for (int k = 0; k < c->per; k++) {
        const double off = q[i * c->per + k] - (k < 2 ? s->rest[k] : s->length);
        a.strain[modes[k]] = signs[k] * off / s->length;
        if (rates) a.rate[modes[k]] = signs[k] * rates[i * c->per + k] / s->length;
    }
    return a;
}

static const law_past *past_of(const answer *a) {
    return a->past.z ? &a->past : NULL;
}

static void wrench_of(const answer *a, double wrench[6]) {
    double damped[6];
    law_elastic(a->law, past_of(a), a->strain, wrench);
    law_viscous(a->law, a->rate, damped);
    for (int k = 0; k < 6; k++) wrench[k] += damped[k];
}

static void add_law_stiffness(const chain *c, const answer *a, int i, double *K) {
    double C[36];
    law_stiffness(a->law, past_of(a), a->strain, C);
    for (int r = 0; r < c->per; r++)
        for (int k = 0; k < c->per; k++)
            K[(i * c->per + r) * c->n_q + i * c->per + k] +=
                signs[r] * signs[k] * C[6 * modes[r] + modes[k]] / a->length;
}

void arcs_keep(const chain *c, arc_past *past, const double *q, bool anew) {
    if (anew) memset(past->inner, 0, sizeof(double) * (size_t)c->n_inner);
    for (int i = 0; i < c->n && c->n_inner; i++) {
        const answer a = answer_of(c, past, i, q, NULL);
        law_keep(a.law, &a.past, a.strain, past->inner + c->segments[i].inner);
    }
    past->elapsed = 0.0;
}

// ---------------------------------------------------------------- segments that relax
int arcs_n_relaxing(const chain *c, int *n_flows) {
    int n = 0;
    *n_flows = 0;
    for (int i = 0; i < c->n; i++) {
        n += law_flows(&c->segments[i].law);
        *n_flows += 6 * c->segments[i].law.n_terms;
    }
    return n;
}

relaxing_section arcs_relaxing(const chain *c, const arc_past *past, int which) {
    const segment *s = c->segments;
    for (;; s++) {
        which -= law_flows(&s->law);
        if (which < 0) break;
    }
    return (relaxing_section){&s->law, past->inner + s->inner, s->length, 6};
}

void arcs_strain_rows(const chain *c, double *X) {
    for (int i = 0; i < c->n; i++) {
        if (!law_flows(&c->segments[i].law)) continue;
        memset(X, 0, sizeof(double) * 6 * (size_t)c->n_q);
        for (int k = 0; k < c->per; k++)
            X[modes[k] * c->n_q + i * c->per + k] = signs[k] / c->segments[i].length;
        X += 6 * c->n_q;
    }
}

void arcs_strains(const chain *c, const double *q, double *out) {
    for (int i = 0; i < c->n; i++) {
        if (!law_flows(&c->segments[i].law)) continue;
        const answer a = answer_of(c, NULL, i, q, NULL);
        memcpy(out, a.strain, sizeof a.strain);
        out += 6;
    }
}

// ---------------------------------------------------------------- linear segments
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

// ---------------------------------------------------------------- all of them
static void add_law(const chain *c, const answer *a, int i, double *Q) {
    double w[6];
    wrench_of(a, w);
    for (int k = 0; k < c->per; k++) Q[i * c->per + k] -= signs[k] * w[modes[k]];
}

void arcs_add_elastic(const chain *c, const arc_past *past, const double *q, const double *rates,
                      double *Q) {
    for (int i = 0; i < c->n; i++) {
        double m[2], *own = Q + i * c->per;
        if (c->segments[i].other) {
            const answer a = answer_of(c, past, i, q, rates);
            add_law(c, &a, i, Q);
            continue;
        }
        bend b = bend_of(c, i, q, rates);
        moments_of(c, i, &b, m);
        for (int k = 0; k < 2; k++) own[k] -= b.weight * m[k] / b.over;
        if (c->per < N_LOCAL) continue;
        own[2] -= tension_of(&c->segments[i], &b);
        if (c->present_length) own[2] += b.weight * (m[0] * b.k[0] + m[1] * b.k[1]) / b.l;
    }
}

void arcs_add_elastic_stiffness(const chain *c, const arc_past *past, const double *q, double *K) {
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        if (s->other) {
            const answer a = answer_of(c, past, i, q, NULL);
            add_law_stiffness(c, &a, i, K);
            continue;
        }
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

double arcs_elastic_energy(const chain *c, const arc_past *past, const double *q) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        if (s->other) {
            const answer a = answer_of(c, past, i, q, NULL);
            sum += s->length * law_energy(a.law, past_of(&a), a.strain);
            continue;
        }
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

double arcs_damping_power(const chain *c, const arc_past *past, const double *q,
                          const double *rates) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const segment *s = &c->segments[i];
        if (s->other) {
            const answer a = answer_of(c, past, i, q, rates);
            sum += s->length * law_loss(a.law, past_of(&a), a.strain, a.rate);
            continue;
        }
        bend b = bend_of(c, i, q, rates);
        double m[2];
        damping_moments(c, s, &b, m);
        sum += b.weight * (m[0] * b.k_t[0] + m[1] * b.k_t[1]) +
               s->extension_damping * b.l_t * b.l_t / s->length;
    }
    return sum;
}

void arc_wrench(const chain *c, const arc_past *past, int i, const double *q, const double *rates,
                double out[3]) {
    double m[2], w[6];
    if (c->segments[i].other) {
        const answer a = answer_of(c, past, i, q, rates);
        wrench_of(&a, w);
        out[0] = w[0], out[1] = w[1], out[2] = w[5];
        return;
    }
    bend b = bend_of(c, i, q, rates);
    moments_of(c, i, &b, m);
    out[0] = -m[1];
    out[1] = m[0];
    out[2] = tension_of(&c->segments[i], &b);
}
