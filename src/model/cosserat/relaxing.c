// model/cosserat/relaxing.c - nodes whose section relaxes, in the order of rods, elements and nodes. Their strains are the
// coordinates themselves.
#include <string.h>

#include "model/cosserat/motion.h"

int motion_n_relaxing(const cosserat *c, const assembly *a, int *n_flows) {
    int n = 0;
    *n_flows = 0;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        for (int k = 0; k < r->n_elements; k++)
            for (int j = 0; j < r->elements[k].n_nodes; j++) {
                const element *e = &r->elements[k];
                if (!node_relaxes(e, j)) continue;
                n++;
                *n_flows += unknowns_per_node(r) * e->laws[j].n_terms;
            }
    }
    return n;
}

relaxing_section motion_relaxing(void *of, int which) {
    const assembly_problem *p = of;
    relaxing_section out = {0};
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod_memory *m = &p->m->rods[p->a->rods[i]];
        const rod *r = m->r;
        for (int k = 0; k < r->n_elements; k++)
            for (int j = 0; j < r->elements[k].n_nodes; j++) {
                const element *e = &r->elements[k];
                if (!node_relaxes(e, j) || which-- != 0) continue;
                double *z = m->inner + e->inner + j * law_memory(&e->laws[j]);
                out = (relaxing_section){&e->laws[j], z, e->quadrature[j], unknowns_per_node(r)};
            }
    }
    return out;
}

void motion_strains(void *of, const solve_instant *at, const configuration *c, double *X) {
    const assembly_problem *p = of;
    int first = 0;
    (void)at, (void)c;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        const int d = unknowns_per_node(r), n_q = p->own->n_moving;
        for (int k = 0; k < r->n_elements; k++)
            for (int j = 0; j < r->elements[k].n_nodes; j++, first += d) {
                if (!node_relaxes(&r->elements[k], j)) continue;
                memset(X, 0, sizeof(double) * 6 * (size_t)n_q);
                for (int row = 0; row < d; row++) X[row * n_q + first + row] = 1.0;
                X += 6 * n_q;
            }
    }
}
