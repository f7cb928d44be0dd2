// model/cosserat/collocation/law.c - sections whose law is more than the stations' twelve numbers.
//
// The residual and the tangent have K x + B x_t of the stations; what a law adds to that,
//
//     w(x, x_t) - K x - B x_t      and      dw/dx - K + c0 (dw/dx_t - B)
//
// comes on top, node by node, so that linear and diagonal sections cost nothing.
#include "model/cosserat/collocation/collocation.h"

static void rate_of(const rod_problem *p, const iterate *it, int node, double rate[6]) {
    const double *past = p->m->history + (size_t)node * F_SIZE + F_U;
    for (int k = 0; k < 6; k++) rate[k] = p->c0 * it->x[6 * node + k] + past[k];
}

void laws_evaluate(const rod_problem *p, iterate *it) {
    const int d = unknowns_per_node(p->r);
    for (int e = 0; e < p->r->n_elements; e++) {
        const element *on = &p->r->elements[e];
        for (int i = 0; on->laws && i < on->n_nodes; i++) {
            const int node = on->node + i;
            const double *x = it->x + 6 * node, *K = on->stations[i].K, *B = on->stations[i].B;
            double rate[6], w[6], damped[6];
            rate_of(p, it, node, rate);
            const law_past past = element_past(on, i, p->m->then, p->m->elapsed);
            law_elastic(&on->laws[i], &past, x, w);
            law_viscous(&on->laws[i], rate, damped);
            for (int k = 0; k < d; k++)
                it->residual[d * node + k] += (w[k] - K[k] * x[k]) + (damped[k] - B[k] * rate[k]);
        }
    }
}

void laws_add_tangent(const rod_problem *p, const iterate *it, int k, double *J) {
    const element *e = &p->r->elements[k];
    const int d = unknowns_per_node(p->r), m = d * e->n_nodes;
    for (int i = 0; i < e->n_nodes; i++) {
        double rate[6], K[36], B[36];
        rate_of(p, it, e->node + i, rate);
        const law_past past = element_past(e, i, p->m->then, p->m->elapsed);
        law_stiffness(&e->laws[i], &past, it->x + 6 * (e->node + i), K);
        law_viscosity(&e->laws[i], rate, B);
        for (int c = 0; c < 6; c++)
            K[7 * c] -= e->stations[i].K[c], B[7 * c] -= e->stations[i].B[c];
        for (int row = 0; row < d; row++)
            for (int c = 0; c < d; c++)
                J[(i * d + row) * m + i * d + c] += K[6 * row + c] + p->c0 * B[6 * row + c];
    }
}
