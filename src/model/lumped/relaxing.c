// model/lumped/relaxing.c - segments whose material relaxes, and how their strains answer to the coordinates: see
// mechanics.h.
#include <string.h>

#include "model/lumped/relative.h"

static bool relaxes(const segment *s) {
    return law_flows(&s->law);
}

int net_n_relaxing(const net *c, int *n_flows) {
    int n = 0;
    *n_flows = 0;
    for (int i = 0; i < c->n_segments; i++) {
        n += relaxes(&c->segments[i]);
        *n_flows += 6 * c->segments[i].law.n_terms;
    }
    return n;
}

relaxing_section net_relaxing(void *of, int i) {
    const net_memory *m = of;
    const segment *s = m->segments;
    for (;; s++) {
        i -= relaxes(s);
        if (i < 0) break;
    }
    return (relaxing_section){&s->law, m->inner + s->inner, s->length, 6};
}

// Six rows for each: of a unit wrench, what pulls at the ends is how the segment's strain answers to them.
static void put_segment(net_memory *m, const segment *s, double *X) {
    const net *c = m->of;
    const int n_q = 6 * c->n_free;
    const end_motion a = end_of(&s->a, m->trial, m->R), b = end_of(&s->b, m->trial, m->R);
    const element e = element_make(&a, &b, c->printed);
    for (int j = 0; j < 6; j++, X += n_q) {
        double unit[6] = {0.0};
        unit[j] = 1.0 / s->length;
        const element_ends ends = element_pull(&e, vec6_load(unit));
        memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
        add_ends(m, s, &ends, m->r);
        memcpy(X, m->r, sizeof(double) * (size_t)n_q);
    }
}

void net_strains(void *of, const solve_instant *at, const configuration *x, double *X) {
    net_memory *m = of;
    const net_job j = m->states->load(m, at, x);
    find_frames(&j);
    for (int i = 0; i < m->of->n_segments; i++) {
        const segment *s = &m->segments[i];
        if (!relaxes(s)) continue;
        put_segment(m, s, X);
        X += 36 * m->of->n_free;
    }
}

// Coordinates of segments are their strains times their lengths.
void relative_strains(void *of, const solve_instant *at, const configuration *x, double *X) {
    const net_memory *m = of;
    const net *c = m->of;
    const int n_q = 6 * c->n_free;
    (void)at, (void)x;
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &m->segments[i];
        if (!relaxes(s)) continue;
        memset(X, 0, sizeof(double) * 6 * (size_t)n_q);
        for (int j = 0; j < 6; j++, X += n_q) X[PER * i + j] = 1.0 / s->length;
    }
}
