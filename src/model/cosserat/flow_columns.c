// model/cosserat/flow_columns.c - what flows in sections that relax, in the derivative of a step: see solve/flows.h. Strains of
// nodes are coordinates, which are kept with h after each part of a step, so that from x0 and h0 where that begins
//
//     dh = e dh0 + f (dx - dx0),     R += sum_k g_k F (e dh0 - f dx0)
#include <string.h>

#include "material/memory.h"
#include "model/cosserat/columns.h"
#include "model/cosserat/motion.h"
#include "model/cosserat/stage_slopes.h"

int flow_columns_count(const cosserat *c, int n_assemblies) {
    int n = 0, own;
    for (int i = 0; i < n_assemblies; i++, n += own) motion_n_relaxing(c, &c->assemblies[i], &own);
    return n;
}

void flow_columns_begin(step_columns *s) {
    const size_t m = (size_t)s->m, first = (size_t)(s->out->n - s->n_flows);
    memset(s->flows, 0, sizeof(double) * (size_t)s->n_flows * m);
    for (size_t k = 0; k < (size_t)s->n_flows && !s->out->short_way; k++)
        s->flows[k * m + first + k] = 1.0;
}

typedef struct relaxing_node {
    const section_law *law;
    int d;         // free strains
    size_t row;    // of its strains among the unknowns of the assembly,
    size_t field;  // among the fields
    size_t flow;   // and of its first number among all that flows
} relaxing_node;

typedef void visit(const relaxing_node *x, const step_columns *s, double dt);

static void each_node(const assembly_problem *p, const step_columns *s, double dt, visit *at) {
    const int index = (int)(p->a - p->c->assemblies);
    size_t flow = (size_t)flow_columns_count(p->c, index);
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        const int d = unknowns_per_node(r);
        const size_t first = (size_t)(first_field(p->c, index) + rod_field(p->c, p->a, i));
        for (int k = 0; k < r->n_elements; k++)
            for (int j = 0; j < r->elements[k].n_nodes; j++) {
                const element *e = &r->elements[k];
                const size_t node = (size_t)(e->node + j);
                if (!node_relaxes(e, j)) continue;
                const relaxing_node x = {&e->laws[j], d, (size_t)p->a->first[i] + (size_t)d * node,
                                         first + F_SIZE * node + F_U, flow};
                at(&x, s, dt);
                flow += (size_t)(d * e->laws[j].n_terms);
            }
    }
}

static void load_node(const relaxing_node *x, const step_columns *s, double dt) {
    const size_t m = (size_t)s->m, d = (size_t)x->d;
    double F[36];
    flowing_stiffness(x->law, F);
    for (int k = 0; k < x->law->n_terms; k++) {
        double e, f;
        relaxing_factors(x->law, k, dt, &e, &f);
        for (size_t row = 0; row < d; row++)
            for (size_t j = 0; j < d; j++) {
                const double G = x->law->relaxation.shares[k] * F[6 * row + j];
                if (G == 0.0) continue;
                double *R = s->R + (x->row + row) * m;
                columns_add(s->m, G * e, s->flows + (x->flow + (size_t)k * d + j) * m, R);
                columns_add(s->m, -G * f, s->Y[0] + (x->field + j) * m, R);
            }
    }
}

static void take_node(const relaxing_node *x, const step_columns *s, double dt) {
    const size_t m = (size_t)s->m, d = (size_t)x->d;
    for (int k = 0; k < x->law->n_terms; k++) {
        double e, f;
        relaxing_factors(x->law, k, dt, &e, &f);
        for (size_t j = 0; j < d; j++) {
            double *h = s->flows + (x->flow + (size_t)k * d + j) * m;
            for (size_t i = 0; i < m; i++) h[i] *= e;
            columns_add(s->m, f, s->next + (x->field + j) * m, h);
            columns_add(s->m, -f, s->Y[0] + (x->field + j) * m, h);
        }
    }
}

void flow_columns_load(const assembly_problem *p, const step_columns *s, double dt) {
    each_node(p, s, dt, load_node);
}

void flow_columns_take(const assembly_problem *p, const step_columns *s, double dt) {
    each_node(p, s, dt, take_node);
}
