// model/cosserat/collocation/efforts.c - see efforts.h.
#include "model/cosserat/collocation/efforts.h"

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
    double *own = it->residual + n_strains(r);
    for (int k = 0; k < r->n_actuators; k++) {
        const rod_actuator *ra = &r->actuators[k];
        set_tensions(p, ra, k, it);
        double measure = add_wrenches(r, ra, it);
        if (actuator_rubs(ra->a)) friction_evaluate(p, it, ra, k);
        else if (ra->n_efforts)
            own[ra->effort] =
                actuator_balance(ra->a, rod_supply(p->m, ra, k), it->efforts[ra->effort], measure)
                    .residual;
    }
}

void efforts_add_stiffness(const rod_problem *p, const iterate *it, int k, double *J) {
    const rod *r = p->r;
    const element *e = &r->elements[k];
    const int d = unknowns_per_node(r), m = d * e->n_nodes;
    for (int i = 0; i < e->n_nodes; i++) {
        double more[36] = {0.0}, *block = J + i * d * m + i * d;
        for (int a = 0; a < r->n_actuators; a++) {
            const rod_actuator *ra = &r->actuators[a];
            if (k < ra->first_element || k >= ra->first_element + ra->n_elements) continue;
            if (ra->a->kind->linear) continue;
            const int at = e->node + i - ra->first_node, point = ra->first_point + at;
            const double *x = it->x + 6 * (e->node + i), effort = ra->a->sign * it->tensions[point];
            if (ra->a->path_volume)  // what the point holds is another density
                actuator_add_curvature(ra->a, &ra->at[at], u_at(&e->stations[i], x),
                                       v_at(&e->stations[i], x), effort, more);
            else density_add_curvature(ra->a, &ra->at[at], &it->points[point], effort, more);
        }
        for (int row = 0; row < d; row++)
            for (int c = 0; c < d; c++) block[row * m + c] += more[6 * row + c];
    }
}

// ---------------------------------------------------------------- the border
border border_layout(const rod *r, arena *keep) {
    const size_t n = (size_t)n_strains(r), k = (size_t)r->n_efforts;
    border b;
    b.kept = ARENA_TAKE(keep, int, k ? k + 2 : 0);
    b.column = ARENA_TAKE(keep, int, k);
    b.share = ARENA_TAKE(keep, double, k);
    b.pass = ARENA_TAKE(keep, double, k);
    b.slopes = ARENA_TAKE(keep, double, 6 * k);
    b.weight = ARENA_TAKE(keep, double, k);
    b.give = ARENA_TAKE(keep, double, k);
    b.coefficient = ARENA_TAKE(keep, double, k);
    b.Y = ARENA_TAKE(keep, double, n *k);
    b.R = ARENA_TAKE(keep, double, k *n);
    b.D = ARENA_TAKE(keep, double, k *k);
    b.C = ARENA_TAKE(keep, double, k *k);
    b.pivot = ARENA_TAKE(keep, int, k);
    b.tip = ARENA_TAKE(keep, double, 12 * k);
    b.base = ARENA_TAKE(keep, double, 6 * k);
    return b;
}

// Where the equation counts another volume the stored density is that one's.
vec6 effort_slope(const rod *r, const rod_actuator *ra, int i, const iterate *it) {
    if (!ra->a->path_volume) return it->points[ra->first_point + i].slope;
    const int node = ra->first_node + i;
    int k = ra->first_element;
    while (r->elements[k].node + r->elements[k].n_nodes <= node) k++;
    const station *st = &r->elements[k].stations[node - r->elements[k].node];
    const double *x = it->x + 6 * node;
    return actuator_density(ra->a, &ra->at[i], u_at(st, x), v_at(st, x)).slope;
}

// ---------------------------------------------------------------- which equations are kept
// Of a tendon that rubs: the sharp matrix keeps all, and where there is one that of its start. Tensions
// follow from the last kept one before them.
static void choose_along(const rod_problem *p, collocation_memory *m, int which, bool sharp) {
    const rod *r = p->r;
    const rod_actuator *ra = &r->actuators[which];
    border *b = &m->edge;
    int *stays = m->own_row + ra->effort;
    const bool own_start = ra->n_efforts > ra->n_nodes;
    if (!sharp) friction_choose(p, &m->now, ra, which, b, stays, m->friction);
    int *n = &b->kept[r->n_efforts], last = r->n_efforts;
    if (own_start) {
        last = b->column[ra->effort + ra->n_nodes] = *n;
        b->share[ra->effort + ra->n_nodes] = 1.0;
        b->kept[(*n)++] = ra->effort + ra->n_nodes;
    }
    double share = 1.0;
    for (int i = 0; i < ra->n_nodes; i++) {
        const int at = ra->effort + i;
        if (sharp || stays[i]) last = *n, share = 1.0, b->kept[(*n)++] = at;
        else share *= b->pass[at];
        b->column[at] = last;
        b->share[at] = last == r->n_efforts ? 0.0 : share;
        double slope[6];
        vec6_store(slope, m->now.points[ra->first_point + i].slope);
        for (int c = 0; c < 6; c++) b->slopes[6 * at + c] = ra->a->sign * slope[c];
    }
}

static void choose(const rod_problem *p, collocation_memory *m, bool sharp) {
    const rod *r = p->r;
    border *b = &m->edge;
    int *n = &b->kept[r->n_efforts];
    *n = 0;
    b->kept[r->n_efforts + 1] = !sharp;
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts) continue;
        if (actuator_rubs(ra->a)) {
            choose_along(p, m, a, sharp);
        } else {
            b->column[ra->effort] = *n;
            b->share[ra->effort] = 1.0;
            b->kept[(*n)++] = ra->effort;
        }
    }
}

static bool is_kept(const rod *r, const border *b, int effort) {
    return b->column[effort] < r->n_efforts && b->kept[b->column[effort]] == effort;
}

void border_slide(const rod *r, const border *b, int n, const double *residual, double *e) {
    memset(e, 0, sizeof(double) * (size_t)(r->n_efforts * n));
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts || !actuator_rubs(ra->a)) continue;
        for (int i = 0; i < ra->n_nodes; i++) {
            const int at = ra->effort + i;
            if (is_kept(r, b, at)) continue;
            for (int c = 0; c < n; c++)
                e[at * n + c] =
                    (i ? b->pass[at] * e[(at - 1) * n + c] : 0.0) - residual[at * n + c];
        }
    }
}

void border_push(const rod *r, const border *b, int n, const double *e, double *to) {
    const int d = unknowns_per_node(r);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts || !actuator_rubs(ra->a)) continue;
        for (int i = 0; i < ra->n_nodes; i++) {
            const int at = ra->effort + i, node = ra->first_node + i;
            if (is_kept(r, b, at)) continue;
            for (int row = 0; row < d; row++)
                for (int c = 0; c < n; c++)
                    to[(d * node + row) * n + c] += b->slopes[6 * at + row] * e[at * n + c];
        }
    }
}

// From the end of each tendon on, the sum over what lies beyond an edge of weight slope . x - give e is
// how much less material is there: what a kept equation counts, less what arrives from before.
void border_apply(const rod *r, const border *b, int n, double sign, const double *x,
                  const double *e, double *sum, double *out) {
    const int d = unknowns_per_node(r);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts || !actuator_rubs(ra->a)) continue;
        const int start = ra->n_efforts > ra->n_nodes ? ra->effort + ra->n_nodes : -1;
        memset(sum, 0, sizeof(double) * (size_t)n);
        for (int i = ra->n_nodes - 1; i >= 0; i--) {
            const int at = ra->effort + i, before = i ? at - 1 : start;
            for (int row = 0; row < d; row++) {
                const double f = b->weight[at] * b->slopes[6 * at + row];
                const double *from = x + (d * (ra->first_node + i) + row) * n;
                for (int c = 0; c < n; c++) sum[c] += f * from[c];
            }
            for (int c = 0; c < n; c++) sum[c] -= b->give[at] * e[at * n + c];
            if (!is_kept(r, b, at)) continue;
            double *to = out + b->column[at] * n;
            for (int c = 0; c < n; c++) {
                const double arrives = before < 0 ? 0.0 : b->pass[at] * e[before * n + c];
                to[c] += sign * (e[at * n + c] - arrives + b->coefficient[at] * sum[c]);
            }
        }
        for (int c = 0; c < n && start >= 0; c++)
            out[b->column[start] * n + c] +=
                sign * (b->pass[start] * e[start * n + c] + b->coefficient[start] * sum[c]);
    }
}

// - E P (n x q): what the section laws answer to the kept efforts, turned around.
static void fill_columns(const rod *r, const iterate *it, const border *b, double *W) {
    const int d = unknowns_per_node(r), q = b->kept[r->n_efforts];
    memset(W, 0, sizeof(double) * (size_t)(d * r->n_nodes) * (size_t)q);
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts) continue;
        const bool varies = actuator_rubs(ra->a);
        for (int i = 0; i < ra->n_nodes; i++) {
            const int node = ra->first_node + i, at = ra->effort + (varies ? i : 0);
            const int column = b->column[at];
            if (column == r->n_efforts) continue;
            double slope[6];
            vec6_store(slope, effort_slope(r, ra, i, it));
            for (int c = 0; c < d; c++)
                W[(d * node + c) * q + column] -= ra->a->sign * b->share[at] * slope[c];
        }
    }
}

// The row of a uniform effort: its measure against the strains. Into its own row of R and of D.
static void measure_row(const rod_problem *p, const iterate *it, const rod_actuator *ra, int which,
                        double *R, double *D) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r), n = d * r->n_nodes;
    double *row = R, measure = 0.0;
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
    balance b =
        actuator_balance(ra->a, rod_supply(p->m, ra, which), it->efforts[ra->effort], measure);
    for (int c = 0; c < n; c++) row[c] *= b.by_measure;
    D[ra->effort] = b.by_effort;
}

static void fill_rows(const rod_problem *p, collocation_memory *m, bool sharp) {
    const rod *r = p->r;
    const border *b = &m->edge;
    const size_t n = (size_t)n_strains(r), k = (size_t)r->n_efforts, q = (size_t)b->kept[k];
    memset(b->R, 0, sizeof(double) * q * n);
    memset(b->D, 0, sizeof(double) * q * k);
    int *row = m->own_row;
    for (size_t i = 0; i < k; i++) row[i] = is_kept(r, b, (int)i) ? b->column[i] : -1;
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        if (!ra->n_efforts) continue;
        const size_t own = (size_t)b->column[ra->effort];
        if (actuator_rubs(ra->a)) {
            if (sharp) friction_rows(p, &m->now, ra, a, row, b->R, b->D, m->friction);
        } else measure_row(p, &m->now, ra, a, b->R + own * n, b->D + own * k);
    }
}

// Has it an energy, and a part in it now? A slack tendon has an empty row.
static bool counts(const rod *r, const rod_actuator *ra, const border *b) {
    const int n = n_strains(r);
    if (!ra->n_efforts || actuator_rubs(ra->a)) return false;
    const double *row = b->R + b->column[ra->effort] * n;
    for (int c = 0; c < n; c++)
        if (row[c] != 0.0) return true;
    return false;
}

// With rows turned so that they are the columns' transposes (but for positive factors) the border is
// that of a saddle point: as many negative eigenvalues as unknowns when the shape is stable. Tendons
// that rub have no energy; theirs are left out. s (q x q): scratch.
static int border_negatives(const rod *r, const border *b, double *s) {
    const int n = b->kept[r->n_efforts];
    int negative = 0, expected = 0;
    memset(s, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) s[i * n + i] = 1.0;
    for (int i = 0; i < r->n_actuators; i++) {
        const rod_actuator *a = &r->actuators[i];
        if (!counts(r, a, b)) continue;
        expected++;
        for (int k = 0; k < r->n_actuators; k++) {
            const rod_actuator *c = &r->actuators[k];
            if (!counts(r, c, b)) continue;
            const int at = b->column[a->effort] * n + b->column[c->effort];
            const int across = b->column[c->effort] * n + b->column[a->effort];
            s[at] = -0.5 * (a->a->sign * b->C[at] + c->a->sign * b->C[across]);
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

// C = D P - R Y. P (k x q) and a row of it: scratch.
static void fill_border(const rod *r, const border *b, double *scratch) {
    const int k = r->n_efforts, q = b->kept[k], n = n_strains(r);
    memset(b->C, 0, sizeof(double) * (size_t)(q * q));
    if (b->kept[k + 1]) {
        double *P = scratch + q;
        memset(P, 0, sizeof(double) * (size_t)(k * q));
        for (int i = 0; i < k; i++)  // x = - Y q
            if (b->column[i] < k) P[i * q + b->column[i]] = -b->share[i];
        border_apply(r, b, q, -1.0, b->Y, P, scratch, b->C);
    }
    for (int i = 0; i < q; i++) {
        double *row = b->C + i * q;
        for (int j = 0; j < k; j++)
            if (b->column[j] < k) row[b->column[j]] += b->D[i * k + j] * b->share[j];
        for (int j = 0; j < n; j++) {
            const double f = b->R[i * n + j];
            if (f == 0.0) continue;
            for (int c = 0; c < q; c++) row[c] -= f * b->Y[j * q + c];
        }
    }
}

bool border_factor(const rod_problem *p, collocation_memory *m, bool sharp, int *negative) {
    const rod *r = p->r;
    border *b = &m->edge;
    choose(p, m, sharp);
    const int q = b->kept[r->n_efforts];
    if (q == 0) return true;
    fill_rows(p, m, sharp);
    fill_columns(r, &m->now, b, m->columns);  // an answer takes back what it is given
    sweep_respond(r, m, q, m->columns, NULL, NULL, b->Y, b->tip,
                  r->base_body >= 0 ? b->base : NULL);
    fill_border(r, b, m->columns);
    if (negative) *negative += border_negatives(r, b, m->columns);
    return lu_factor(q, b->C, b->pivot);
}
