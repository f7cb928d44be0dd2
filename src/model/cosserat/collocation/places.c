// model/cosserat/collocation/places.c - places of a rod at which other parts push: its nodes, and the bounds of its elements.
#include <string.h>

#include "model/cosserat/collocation/collocation.h"
#include "model/cosserat/collocation/tangent.h"

static iterate *iterate_of(const rod_problem *p) {
    return &((collocation_memory *)p->m->own)->now;
}

static int element_of_node(const rod *r, int node) {
    int k = 0;
    while (k + 1 < r->n_elements && node >= r->elements[k + 1].node) k++;
    return k;
}

part_end place_of_rod(const rod_problem *p, int place) {
    const iterate *it = iterate_of(p);
    if (place < p->r->n_nodes) {
        const node_motion *m = &it->nodes[place];
        return (part_end){m->T.R, m->T.p, m->Om, m->V};
    }
    const bound_motion *b = &it->bounds[place - p->r->n_nodes];
    return (part_end){b->T.R, b->T.p, b->a.a, vec3_add(b->a.l, vec3_cross(b->a.a, b->T.p))};
}

// ---------------------------------------------------------------- wrenches
// Rows of element k less Ad_i' h: a wrench h from beyond it.
static void add_from_beyond(const rod_problem *p, int k, vec6 h, double *residual) {
    const element *e = &p->r->elements[k];
    const iterate *it = iterate_of(p);
    const int d = unknowns_per_node(p->r);
    for (int i = 0; i < e->n_nodes; i++) {
        double body[6];
        vec6_store(body, se3_coadjoint_inv_vec(&it->nodes[e->node + i].T, h));
        for (int c = 0; c < d; c++) residual[d * (e->node + i) + c] -= body[c];
    }
}

// Within its own element, as a density at node q: N_i = Q_iq F/b_q and M_i = Q_iq M/b_q + sum_k Q_ik p'_k x N_k.
static void add_within(const rod_problem *p, int k, int q, vec6 w, double *residual) {
    const element *e = &p->r->elements[k];
    const gauss_table *t = gauss_of(p->r, e);
    const iterate *it = iterate_of(p);
    const int n = e->n_nodes, d = unknowns_per_node(p->r);
    const double share = e->length / e->quadrature[q];
    for (int i = 0; i < n; i++) {
        const mat3 *R = &it->nodes[e->node + i].T.R;
        vec3 M = vec3_scale(w.a, share * t->Q[i * n + q]);
        for (int l = 0; l < n; l++) {
            const vec3 N = vec3_scale(w.l, share * t->Q[l * n + q]);
            M = vec3_madd(M, e->length * t->Q[i * n + l],
                          vec3_cross(it->nodes[e->node + l].slope, N));
        }
        double body[6];
        vec3_store(body, mat3_tmul_vec(R, M));
        vec3_store(body + 3, mat3_tmul_vec(R, vec3_scale(w.l, share * t->Q[i * n + q])));
        for (int c = 0; c < d; c++) residual[d * (e->node + i) + c] -= body[c];
    }
}

void press_place(const rod_problem *p, int place, vec3 at, const double wrench_world[6],
                 double *residual) {
    const rod *r = p->r;
    const vec6 w = vec6_load(wrench_world);
    const vec6 h = {vec3_add(w.a, vec3_cross(at, w.l)), w.l};
    const bool node = place < r->n_nodes;
    const int last = node ? element_of_node(r, place) : place - r->n_nodes;
    memset(residual, 0, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    for (int k = 0; k < last; k++) add_from_beyond(p, k, h, residual);
    if (node) add_within(p, last, place - r->elements[last].node, w, residual);
}

// ---------------------------------------------------------------- motions
// Of element k's far side: turn, and shift of the point p that it carries.
static void add_carried(const element_factor *f, int m, vec3 p, int width, double *rows) {
    for (int c = 0; c < m; c++) {
        const vec3 turn = {f->tip[c], f->tip[m + c], f->tip[2 * m + c]};
        const vec3 l = {f->tip[3 * m + c], f->tip[4 * m + c], f->tip[5 * m + c]};
        const vec3 shift = vec3_sub(l, vec3_cross(p, turn));
        rows[c] = turn.x, rows[width + c] = turn.y, rows[2 * width + c] = turn.z;
        rows[3 * width + c] = shift.x;
        rows[4 * width + c] = shift.y;
        rows[5 * width + c] = shift.z;
    }
}

void place_moves(const rod_problem *p, int place, vec3 at, double *rows) {
    const rod *r = p->r;
    const collocation_memory *own = p->m->own;
    const int d = unknowns_per_node(r), width = n_strains(r) + r->n_efforts;
    const bool node = place < r->n_nodes;
    const int last = node ? element_of_node(r, place) : place - r->n_nodes;
    memset(rows, 0, sizeof(double) * 6 * (size_t)width);
    for (int k = 0; k < last; k++)
        add_carried(&own->factors[k], d * r->elements[k].n_nodes, at, width,
                    rows + d * r->elements[k].node);
    if (!node) return;
    const element *e = &r->elements[last];
    const int m = d * e->n_nodes, q = place - e->node;
    double *th = own->blocks, *dp = th + 3 * e->n_nodes * m, *far = dp + 3 * e->n_nodes * m;
    tangent_poses(p, &own->now, last, th, dp, far);
    for (int i = 0; i < 3; i++) {
        memcpy(rows + i * width + d * e->node, th + (3 * q + i) * m, sizeof(double) * (size_t)m);
        memcpy(rows + (3 + i) * width + d * e->node, dp + (3 * q + i) * m,
               sizeof(double) * (size_t)m);
    }
}
