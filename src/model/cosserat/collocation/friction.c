// model/cosserat/collocation/friction.c - tension along a tendon that rubs on its path.
//
// Edge i lies before node i; the first begins where the tendon enters. With the turning phi_i of the
// edge and the material del_i that lies beyond it (negative; slip = its change since the last accepted
// shape) tau_i = tau_(i-1) factor(phi_i, slip_i), tau_0 the tension at the start:
//
//     phi_i = sum_j (A_ij - A_(i-1)j) th'_j,   del_i = - sum_(k >= i) b_k (l_k - l_rest,k tau_k/EA)
//
// A triangular sum and its transpose, so work in = work on the rod + stored + dissipated, exactly.
#include <math.h>
#include <string.h>

#include "actuation/friction.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/columns.h"

#define SMOOTH_TURNING 1e-6  // rad over the rod: rounds off |turning| where the path is straight

typedef struct spot {  // a node of the tendon
    const element *e;
    const gauss_table *t;
    int i;     // in its element
    int node;  // of the rod
} spot;

static spot spot_at(const rod *r, const rod_actuator *ra, int which) {
    const element *e = &r->elements[ra->element[which]];
    return (spot){e, gauss_of(r, e), ra->first_node + which - e->node, ra->first_node + which};
}

static vec3 mean3(const spot *s, const double *row, const double *x, int offset) {
    vec3 sum = vec3_zero();
    for (int j = 0; j < s->t->n; j++)
        sum = vec3_madd(sum, row[j], vec3_load(x + 6 * (s->e->node + j) + offset));
    return sum;
}

// th' at a node, and against the strain there and its derivative along s.
static double turning_at(const rod *r, const rod_actuator *ra, int which, const double *x,
                         vec6 *by_strain, vec6 *by_slope) {
    const spot s = spot_at(r, ra, which);
    const station *st = &s.e->stations[s.i];
    const double *row = s.t->D + s.i * s.t->n;
    vec3 u_s = vec3_scale(mean3(&s, row, x, 0), 1.0 / s.e->length);
    vec3 v_s = vec3_scale(mean3(&s, row, x, 3), 1.0 / s.e->length);
    const double *own = x + 6 * s.node;
    return path_turning(&ra->at[which], vec3_add(st->u_rest, vec3_load(own)),
                        vec3_add(st->v_rest, vec3_load(own + 3)), u_s, v_s,
                        SMOOTH_TURNING / r->length, by_strain, by_slope);
}

// Weights of th' at the nodes of its element in the turning of the edge before node `which` that lie in
// that element (w), and in the element before, where the edge began there (w_before, or NULL).
static void edge_weights(const spot *s, bool first, const spot *before, double *w,
                         double *w_before) {
    const int n = s->t->n;
    for (int j = 0; j < n; j++) {
        double from = s->i > 0 ? s->t->A[(s->i - 1) * n + j] : 0.0;
        w[j] = s->e->length * (s->t->A[s->i * n + j] - from);
    }
    if (first || s->i > 0) return;
    const int m = before->t->n;  // the end of the element before
    for (int j = 0; j < m; j++)
        w_before[j] = before->e->length * (before->t->w[j] - before->t->A[(m - 1) * m + j]);
}

// ---------------------------------------------------------------- the equations
typedef struct edges {  // of one tendon, all nodes
    double *turning;    // (n) th'
    double *phi;        // (n)
} edges;

static edges split(double *scratch, int n) {
    return (edges){scratch, scratch + n};
}

static void set_edges(const rod *r, const rod_actuator *ra, const double *x, const edges *g) {
    for (int i = 0; i < ra->n_nodes; i++) g->turning[i] = turning_at(r, ra, i, x, NULL, NULL);
    double upto = 0.0, left = 0.0;  // of its element, before the last node and beyond it
    for (int i = 0; i < ra->n_nodes; i++) {
        const spot s = spot_at(r, ra, i);
        const int n = s.t->n;
        const double *th = g->turning + i - s.i, *row = s.t->A + s.i * n;
        double sum = 0.0, all = 0.0;
        for (int j = 0; j < n; j++) sum += row[j] * th[j], all += s.t->w[j] * th[j];
        g->phi[i] = fmax(0.0, s.e->length * (sum - (s.i ? upto : 0.0)) + (s.i ? 0.0 : left));
        upto = sum, left = s.e->length * (all - sum);
    }
}

// What lies beyond each edge, del_i (negative).
static void set_passed(const rod *r, const rod_actuator *ra, const iterate *it, double *passed) {
    double sum = 0.0;
    for (int i = ra->n_nodes - 1; i >= 0; i--) {
        const spot s = spot_at(r, ra, i);
        const int point = ra->first_point + i;
        sum -= s.e->quadrature[s.i] * (it->points[point].value - ra->rest[i] * it->tensions[point] *
                                                                     ra->a->inverse_stiffness);
        passed[i] = sum;
    }
}

static edge edge_at(const rod_problem *p, const rod_actuator *ra, const edges *g,
                    const double *passed, int i) {
    const int point = ra->first_point + i;
    const sliding s = {.slip = passed[i] - p->m->passed[0][point],
                       .speed = p->c0 * passed[i] + p->m->passed_history[point],
                       .c0 = p->c0};
    return friction_edge(ra->a, g->phi[i], s, p->m->grips[point], fmax(1.0, p->looseness));
}

static double start_of(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which) {
    if (ra->a->control == CONTROL_EFFORT) return p->m->given[which];
    return it->efforts[ra->effort + ra->n_efforts - 1];
}

void friction_evaluate(const rod_problem *p, iterate *it, const rod_actuator *ra, int which) {
    const rod *r = p->r;
    const int n = ra->n_nodes;
    const edges g = split(it->edges, n);
    double *passed = it->passed + ra->first_point, *grips = it->grips + ra->first_point;
    double *own = it->residual + n_strains(r) + ra->effort;
    const double *tension = it->tensions + ra->first_point;
    set_edges(r, ra, it->x, &g);
    set_passed(r, ra, it, passed);
    double before = start_of(p, it, ra, which);
    for (int i = 0; i < n; i++) {
        edge e = edge_at(p, ra, &g, passed, i);
        own[i] = tension[i] - before * e.factor;
        grips[i] = e.grip;
        before = tension[i];
    }
    if (ra->n_efforts > n)
        own[n] = tendon_balance(ra->a, rod_supply(p->m, ra, which), it->efforts[ra->effort + n],
                                -passed[0])
                     .residual;
}

// ---------------------------------------------------------------- their linearisation
size_t friction_scratch(const rod *r) {
    size_t most = 0;
    for (int a = 0; a < r->n_actuators; a++)
        if (actuator_rubs(r->actuators[a].a) && (size_t)r->actuators[a].n_nodes > most)
            most = (size_t)r->actuators[a].n_nodes;
    return 3 * most + most * (size_t)n_strains(r);
}

// dth (n x unknowns): d th'_i/d strains, into the whole rod's unknowns.
static void turning_rows(const rod *r, const rod_actuator *ra, const double *x, double *dth) {
    const int d = unknowns_per_node(r), n_x = d * r->n_nodes;
    memset(dth, 0, sizeof(double) * (size_t)(ra->n_nodes * n_x));
    for (int i = 0; i < ra->n_nodes; i++) {
        const spot s = spot_at(r, ra, i);
        vec6 by_strain, by_slope;
        turning_at(r, ra, i, x, &by_strain, &by_slope);
        double a[6], b[6], *row = dth + i * n_x;
        vec6_store(a, by_strain), vec6_store(b, by_slope);
        for (int c = 0; c < d; c++) row[d * s.node + c] += a[c];
        for (int j = 0; j < s.t->n; j++)
            for (int c = 0; c < d; c++)
                row[d * (s.e->node + j) + c] += s.t->D[s.i * s.t->n + j] / s.e->length * b[c];
    }
}

// row += factor * d phi_i
static void add_turning(const rod *r, const rod_actuator *ra, const double *dth, int i,
                        double factor, double *row) {
    const int n_x = n_strains(r);
    double w[GAUSS_MAX], w_before[GAUSS_MAX];
    spot s = spot_at(r, ra, i), before = i ? spot_at(r, ra, i - 1) : s;
    edge_weights(&s, i == 0, &before, w, w_before);
    for (int j = 0; j < s.t->n; j++)
        for (int c = 0; c < n_x; c++) row[c] += factor * w[j] * dth[(i - s.i + j) * n_x + c];
    if (i == 0 || s.i > 0) return;
    for (int j = 0; j < before.t->n; j++)
        for (int c = 0; c < n_x; c++)
            row[c] += factor * w_before[j] * dth[(i - 1 - before.i + j) * n_x + c];
}

// row and d_row += factor * d del_i
static void add_passed(const rod *r, const rod_actuator *ra, const iterate *it, int i,
                       double factor, double *row, double *d_row) {
    const int d = unknowns_per_node(r);
    for (int k = i; k < ra->n_nodes; k++) {
        const spot s = spot_at(r, ra, k);
        double slope[6], b = factor * s.e->quadrature[s.i];
        vec6_store(slope, it->points[ra->first_point + k].slope);
        for (int c = 0; c < d; c++) row[d * s.node + c] -= b * slope[c];
        d_row[ra->effort + k] += b * ra->rest[k] * ra->a->inverse_stiffness;
    }
}

void friction_choose(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                     const border *b, int *kept, double *scratch) {
    const int n = ra->n_nodes, first = ra->effort;
    const edges g = split(scratch, n);
    const double *passed = it->passed + ra->first_point;
    set_edges(p->r, ra, it->x, &g);
    double before = start_of(p, it, ra, which);
    for (int i = 0; i < n; i++) {
        const spot s = spot_at(p->r, ra, i);
        edge e = edge_at(p, ra, &g, passed, i);
        kept[i] = e.by_slip != 0.0;
        b->pass[first + i] = e.factor;
        b->coefficient[first + i] = before * e.by_slip;
        b->weight[first + i] = s.e->quadrature[s.i];
        b->give[first + i] = s.e->quadrature[s.i] * ra->rest[i] * ra->a->inverse_stiffness;
        before = it->tensions[ra->first_point + i];
    }
    if (ra->n_efforts == n) return;
    balance own =
        tendon_balance(ra->a, rod_supply(p->m, ra, which), it->efforts[first + n], -passed[0]);
    b->coefficient[first + n] = own.by_measure;
    b->pass[first + n] = own.by_effort;
}

void friction_rows(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                   const int *row, double *R, double *D, double *scratch) {
    const rod *r = p->r;
    const int n = ra->n_nodes, n_x = n_strains(r), n_e = r->n_efforts;
    const edges g = split(scratch, n);
    const double *passed = it->passed + ra->first_point;
    const double *tension = it->tensions + ra->first_point;
    double *dth = scratch + 3 * n;
    set_edges(r, ra, it->x, &g);
    turning_rows(r, ra, it->x, dth);
    const bool own_start = ra->n_efforts > n;
    double before = start_of(p, it, ra, which);
    for (int i = 0; i < n; before = tension[i++]) {
        double *R_row = R + row[ra->effort + i] * n_x, *d_row = D + row[ra->effort + i] * n_e;
        edge e = edge_at(p, ra, &g, passed, i);
        d_row[ra->effort + i] += 1.0;
        if (i > 0) d_row[ra->effort + i - 1] -= e.factor;
        else if (own_start) d_row[ra->effort + n] -= e.factor;
        if (g.phi[i] > 0.0) add_turning(r, ra, dth, i, -before * e.by_turning, R_row);
        if (e.by_slip != 0.0) add_passed(r, ra, it, i, -before * e.by_slip, R_row, d_row);
    }
    if (!own_start) return;
    const int last = row[ra->effort + n];
    balance b =
        tendon_balance(ra->a, rod_supply(p->m, ra, which), it->efforts[ra->effort + n], -passed[0]);
    add_passed(r, ra, it, 0, -b.by_measure, R + last * n_x, D + last * n_e);
    D[last * n_e + ra->effort + n] += b.by_effort;
}

// ---------------------------------------------------------------- along directions
// dth (n x w): how th' answers along strains x.
static void turn_along(const rod *r, const rod_actuator *ra, const iterate *it, int w,
                       const double *x, double *dth) {
    const int d = unknowns_per_node(r);
    memset(dth, 0, sizeof(double) * (size_t)(ra->n_nodes * w));
    for (int i = 0; i < ra->n_nodes; i++) {
        const spot s = spot_at(r, ra, i);
        vec6 by_strain, by_slope;
        turning_at(r, ra, i, it->x, &by_strain, &by_slope);
        double a[6], b[6];
        vec6_store(a, by_strain), vec6_store(b, by_slope);
        for (int c = 0; c < d; c++) columns_add(w, a[c], x + (d * s.node + c) * w, dth + i * w);
        for (int j = 0; j < s.t->n; j++)
            for (int c = 0; c < d; c++)
                columns_add(w, s.t->D[s.i * s.t->n + j] / s.e->length * b[c],
                            x + (d * (s.e->node + j) + c) * w, dth + i * w);
    }
}

// passed (n x w): how del answers; tensions: does what they stretch count?
static void pass_along(const rod *r, const rod_actuator *ra, const iterate *it, int w,
                       const double *x, bool tensions, double *passed) {
    const int d = unknowns_per_node(r);
    for (int i = ra->n_nodes - 1; i >= 0; i--) {
        const spot s = spot_at(r, ra, i);
        const double b = s.e->quadrature[s.i];
        double slope[6], *to = passed + i * w;
        vec6_store(slope, it->points[ra->first_point + i].slope);
        if (i < ra->n_nodes - 1) memcpy(to, to + w, sizeof *to * (size_t)w);
        else memset(to, 0, sizeof *to * (size_t)w);
        for (int c = 0; c < d; c++) columns_add(w, -b * slope[c], x + (d * s.node + c) * w, to);
        if (tensions)
            columns_add(w, b * ra->rest[i] * ra->a->inverse_stiffness,
                        x + (n_strains(r) + ra->effort + i) * w, to);
    }
}

void friction_along(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                    int w, const double *x, double *rows, double *dth, double *passed) {
    const rod *r = p->r;
    const int n = ra->n_nodes;
    const edges g = split(it->edges, n);
    const double *tension = it->tensions + ra->first_point, *del = it->passed + ra->first_point;
    const double *e_own = x + (n_strains(r) + ra->effort) * w;
    set_edges(r, ra, it->x, &g);
    turn_along(r, ra, it, w, x, dth);
    pass_along(r, ra, it, w, x, true, passed);
    double before = start_of(p, it, ra, which), by[GAUSS_MAX], by_before[GAUSS_MAX];
    for (int i = 0; i < n; before = tension[i++]) {
        const spot s = spot_at(r, ra, i), last = i ? spot_at(r, ra, i - 1) : s;
        const edge e = edge_at(p, ra, &g, del, i);
        double *row = rows + i * w;
        columns_add(w, 1.0, e_own + i * w, row);
        if (i > 0) columns_add(w, -e.factor, e_own + (i - 1) * w, row);
        else if (ra->n_efforts > n) columns_add(w, -e.factor, e_own + n * w, row);
        columns_add(w, -before * e.by_slip, passed + i * w, row);
        if (!(g.phi[i] > 0.0)) continue;
        edge_weights(&s, i == 0, &last, by, by_before);
        for (int j = 0; j < s.t->n; j++)
            columns_add(w, -before * e.by_turning * by[j], dth + (i - s.i + j) * w, row);
        for (int j = 0; j < last.t->n && i > 0 && s.i == 0; j++)
            columns_add(w, -before * e.by_turning * by_before[j], dth + (i - 1 - last.i + j) * w,
                        row);
    }
    if (ra->n_efforts == n) return;
    const balance b =
        tendon_balance(ra->a, rod_supply(p->m, ra, which), it->efforts[ra->effort + n], -del[0]);
    columns_add(w, -b.by_measure, passed, rows + n * w);
    columns_add(w, b.by_effort, e_own + n * w, rows + n * w);
}

void friction_passed(const rod_problem *p, int w, const double *x, bool tensions, double *passed) {
    collocation_memory *own = p->m->own;
    iterate_unpack(p->r, &own->now);
    memset(passed, 0, sizeof *passed * (size_t)(p->r->n_points * w));
    for (int a = 0; a < p->r->n_actuators; a++) {
        const rod_actuator *ra = &p->r->actuators[a];
        if (actuator_rubs(ra->a))
            pass_along(p->r, ra, &own->now, w, x, tensions, passed + ra->first_point * w);
    }
}

// tau_i - tau_(i-1) factor, by the grip that edge i began with: presliding times what its slip does.
void friction_by_grips(const rod_problem *p, int w, const double *grips, double *residual) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    const iterate *it = &own->now;
    iterate_unpack(r, &own->now);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        const edges g = split(it->edges, ra->n_nodes);
        if (!actuator_rubs(ra->a)) continue;
        set_edges(r, ra, it->x, &g);
        double before = start_of(p, it, ra, a);
        for (int i = 0; i < ra->n_nodes; before = it->tensions[ra->first_point + i++]) {
            const edge e = edge_at(p, ra, &g, it->passed + ra->first_point, i);
            columns_add(w, -before * e.by_slip * ra->a->presliding,
                        grips + (ra->first_point + i) * w,
                        residual + (n_strains(r) + ra->effort + i) * w);
        }
    }
}
