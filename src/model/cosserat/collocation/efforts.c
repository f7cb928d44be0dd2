#include "model/cosserat/collocation/efforts.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

static vec3 u_at(const station *st, const double *x) {
    return vec3_add(st->u_rest, vec3_load(x));
}

static vec3 v_at(const station *st, const double *x) {
    return vec3_add(st->v_rest, vec3_load(x + 3));
}

// ---------------------------------------------------------------- an iterate
// The effort at each node: given, or its unknowns.
static void set_tensions(const rod_problem *p, const rod_actuator *ra, int which, iterate *it) {
    double *to = it->tensions + ra->first_point;
    const double *unknown = it->efforts + ra->effort;
    const bool varies = actuator_rubs(ra->a);
    const double all = ra->n_efforts ? unknown[0] : p->m->given[which];
    for (int i = 0; i < ra->n_nodes; i++) to[i] = varies ? unknown[i] : all;
}

static double add_wrenches(const rod *r, const rod_actuator *ra, iterate *it) {
    const int d = unknowns_per_node(r);
    double measure = 0.0;
    for (int k = 0; k < ra->n_elements; k++) {
        const element *e = &r->elements[ra->first_element + k];
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i, at = node - ra->first_node, point = ra->first_point + at;
            const double *x = it->x + 6 * node;
            const vec3 u = u_at(&e->stations[i], x), v = v_at(&e->stations[i], x);
            density *den = &it->points[point];
            *den = actuator_density(ra->a, &ra->at[at], u, v);
            double slope[6], effort = ra->a->sign * it->tensions[point];
            vec6_store(slope, den->slope);
            for (int c = 0; c < d; c++) it->residual[d * node + c] += effort * slope[c];
            if (ra->a->path_volume) *den = actuator_counted(ra->a, &ra->at[at], u, v);
            measure += e->quadrature[i] * den->value;
        }
    }
    return measure;
}

void efforts_evaluate(const rod_problem *p, iterate *it) {
    const rod *r = p->r;
    double *own = it->residual + unknowns_per_node(r) * r->n_nodes;
    for (int k = 0; k < r->n_actuators; k++) {
        const rod_actuator *ra = &r->actuators[k];
        set_tensions(p, ra, k, it);
        double measure = add_wrenches(r, ra, it);
        if (actuator_rubs(ra->a)) friction_evaluate(p, it, ra, k);
        else if (ra->n_efforts)
            own[ra->effort] =
                actuator_balance(ra->a, p->m->given[k], it->efforts[ra->effort], measure).residual;
    }
}

void efforts_add_stiffness(const rod_problem *p, const iterate *it, int k, double *J) {
    const rod *r = p->r;
    const element *e = &r->elements[k];
    const int d = unknowns_per_node(r), m = d * e->n_nodes;
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (k < ra->first_element || k >= ra->first_element + ra->n_elements) continue;
        if (ra->a->kind == ACTUATOR_CHAMBER) continue;  // linear in the strain
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i, at = node - ra->first_node;
            const double *x = it->x + 6 * node;
            double more[36] = {0.0};
            actuator_add_curvature(ra->a, &ra->at[at], u_at(&e->stations[i], x),
                                   v_at(&e->stations[i], x),
                                   ra->a->sign * it->tensions[ra->first_point + at], more);
            for (int row = 0; row < d; row++)
                for (int c = 0; c < d; c++)
                    J[(i * d + row) * m + i * d + c] += more[6 * row + c];
        }
    }
}

// ---------------------------------------------------------------- the border
border border_layout(const rod *r, arena *keep) {
    const size_t n = (size_t)(unknowns_per_node(r) * r->n_nodes), k = (size_t)r->n_efforts;
    border b;
    b.Y = ARENA_TAKE(keep, double, n *k);
    b.R = ARENA_TAKE(keep, double, k *n);
    b.C = ARENA_TAKE(keep, double, k *k);
    b.pivot = ARENA_TAKE(keep, int, k);
    b.tip = ARENA_TAKE(keep, double, 12 * k);
    b.base = ARENA_TAKE(keep, double, 6 * k);
    return b;
}

// What a unit of effort adds to the section law. Where the equation counts another volume the stored
// density is that one's.
static vec6 slope_at(const rod *r, const rod_actuator *ra, int i, const iterate *it) {
    if (!ra->a->path_volume) return it->points[ra->first_point + i].slope;
    const int node = ra->first_node + i;
    int k = ra->first_element;
    while (r->elements[k].node + r->elements[k].n_nodes <= node) k++;
    const station *st = &r->elements[k].stations[node - r->elements[k].node];
    const double *x = it->x + 6 * node;
    return actuator_density(ra->a, &ra->at[i], u_at(st, x), v_at(st, x)).slope;
}

// Columns E (n x k): how the section laws answer to the efforts.
static void fill_columns(const rod *r, const iterate *it, double *E) {
    const int d = unknowns_per_node(r), n_e = r->n_efforts;
    memset(E, 0, sizeof(double) * (size_t)(d * r->n_nodes) * (size_t)n_e);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts) continue;
        const bool varies = actuator_rubs(ra->a);
        for (int i = 0; i < ra->n_nodes; i++) {
            const int node = ra->first_node + i, column = ra->effort + (varies ? i : 0);
            double slope[6];
            vec6_store(slope, slope_at(r, ra, i, it));
            for (int c = 0; c < d; c++)
                E[(d * node + c) * n_e + column] = ra->a->sign * slope[c];
        }
    }
}

// The row of a uniform effort: its measure against the strains.
static void measure_row(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                        double *R, double *D) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r), n = d * r->n_nodes, n_e = r->n_efforts;
    double *row = R + ra->effort * n, measure = 0.0;
    for (int k = 0; k < ra->n_elements; k++) {
        const element *e = &r->elements[ra->first_element + k];
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i;
            const density *den = &it->points[ra->first_point + node - ra->first_node];
            double slope[6];
            vec6_store(slope, den->slope);
            measure += e->quadrature[i] * den->value;
            for (int c = 0; c < d; c++) row[d * node + c] = e->quadrature[i] * slope[c];
        }
    }
    balance b = actuator_balance(ra->a, p->m->given[which], it->efforts[ra->effort], measure);
    for (int c = 0; c < n; c++) row[c] *= b.by_measure;
    D[ra->effort * n_e + ra->effort] = b.by_effort;
}

static void fill_rows(const rod_problem *p, collocation_memory *m, double *D) {
    const rod *r = p->r;
    memset(m->edge.R, 0, sizeof(double) * (size_t)(r->n_efforts * unknowns_per_node(r) * r->n_nodes));
    memset(D, 0, sizeof(double) * (size_t)(r->n_efforts * r->n_efforts));
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts) continue;
        if (actuator_rubs(ra->a)) friction_rows(p, &m->now, ra, a, m->edge.R, D, m->friction);
        else measure_row(p, &m->now, ra, a, m->edge.R, D);
    }
}

// Has it an energy, and a part in it now? A slack tendon has an empty row.
static bool counts(const rod *r, const rod_actuator *ra, const border *b) {
    const int n = unknowns_per_node(r) * r->n_nodes;
    if (!ra->n_efforts || actuator_rubs(ra->a)) return false;
    for (int c = 0; c < n; c++)
        if (b->R[ra->effort * n + c] != 0.0) return true;
    return false;
}

// With rows turned so that they are the columns' transposes (but for positive factors) the border is
// that of a saddle point: as many negative eigenvalues as unknowns when the shape is stable. Tendons
// that rub have no energy; theirs are left out. s (k x k): scratch.
static int border_negatives(const rod *r, const border *b, double *s) {
    const int n = r->n_efforts;
    int negative = 0, expected = 0;
    memset(s, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) s[i * n + i] = 1.0;
    for (int i = 0; i < r->n_actuators; i++) {
        const rod_actuator *a = &r->actuators[i];
        if (!counts(r, a, b)) continue;
        expected++;
        for (int k = 0; k < r->n_actuators; k++) {
            const rod_actuator *c = &r->actuators[k];
            if (counts(r, c, b))
                s[a->effort * n + c->effort] =
                    -0.5 * (a->a->sign * b->C[a->effort * n + c->effort] +
                            c->a->sign * b->C[c->effort * n + a->effort]);
        }
    }
    for (int k = 0; k < n; k++) {
        if (s[k * n + k] < 0.0) negative++;
        if (s[k * n + k] == 0.0) continue;
        for (int i = k + 1; i < n; i++) {
            double f = s[i * n + k] / s[k * n + k];
            for (int j = k + 1; j < n; j++) s[i * n + j] -= f * s[k * n + j];
        }
    }
    return negative - expected;
}

bool border_factor(const rod_problem *p, collocation_memory *m, int *negative) {
    const rod *r = p->r;
    const int n_e = r->n_efforts, n = unknowns_per_node(r) * r->n_nodes;
    border *b = &m->edge;
    fill_rows(p, m, b->C);
    fill_columns(r, &m->now, b->Y);
    for (int i = 0; i < n * n_e; i++) b->Y[i] = -b->Y[i];  // an answer takes back what it is given
    sweep_respond(r, m, n_e, b->Y, NULL, NULL, m->columns, b->tip,
                  r->base_body >= 0 ? b->base : NULL);
    memcpy(b->Y, m->columns, sizeof(double) * (size_t)(n * n_e));
    for (int i = 0; i < n_e; i++)
        for (int j = 0; j < n; j++) {
            const double f = b->R[i * n + j];
            if (f == 0.0) continue;
            for (int c = 0; c < n_e; c++) b->C[i * n_e + c] -= f * b->Y[j * n_e + c];
        }
    if (negative) *negative += border_negatives(r, b, m->columns);
    return lu_factor(n_e, b->C, b->pivot);
}
