// model/cosserat/collocation/directions.c - see directions.h. Names as in tangent.c; changes of histories h
// enter where rates are c0 y + h:
//
//     dw_k  = th_k x w_k + R_k (c0 dx_u + dh_u),     dnu_k = th_k x nu_k + R_k (c0 dx_v + dh_v)
//     df_q += rhoA R_q dh_q,                         dl_q += R_q J dh_w
//
// Outwards with poses, velocities and loads, back with the wrenches, as an iterate.
#include "model/cosserat/collocation/directions.h"

#include <string.h>

#include "math/dense.h"
#include "math/interpolate.h"
#include "model/cosserat/around.h"
#include "model/cosserat/columns.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/collocation/tangent.h"

typedef struct direction_memory {
    double *th, *dp, *slope, *f, *l;  // (n_nodes 3 x m) of all nodes
    double *ends;                     // (n_elements + 1) x (12 x m) motions of the bounds
    double *Om, *V, *a, *b;           // (n 3 x m) of one element
    double *pose_th, *pose_dp, *far;  // (3 n x n d) each, (6 x n d) of one element
    double *S, *turned;               // (6 x m), (6 x m)
} direction_memory;

typedef struct direction_piece {
    const rod_problem *p;
    const rod_directions *d;
    const direction_memory *m;
    const iterate *it;
    const element *e;
    const gauss_table *t;
    const node_motion *nodes;
    const bound_motion *near;
    int k, per_node, w;   // element, unknowns of a node, columns
    bool moves, carried;  // poses change; so does the motion of the near side
} direction_piece;

static size_t place(const rod *r, int m, double *at, direction_memory *out) {
    const size_t all = 3 * (size_t)r->n_nodes * (size_t)m, w = (size_t)m;
    const size_t n = (size_t)most_nodes(r), one = 3 * n * w, u = n * (size_t)unknowns_per_node(r);
    direction_memory d;
    double **const parts[] = {&d.th,   &d.dp,     &d.slope,   &d.f,       &d.l,
                              &d.ends, &d.Om,     &d.V,       &d.a,       &d.b,
                              &d.S,    &d.turned, &d.pose_th, &d.pose_dp, &d.far};
    const size_t sizes[] = {
        all,       all,       all,  all, all,   12 * w * (size_t)(r->n_elements + 1),
        one,       one,       one,  one, 6 * w, 6 * w,
        3 * n * u, 3 * n * u, 6 * u};
    size_t sum = 0;
    for (int i = 0; i < 15; i++) {
        if (at) *parts[i] = at + sum;
        sum += sizes[i];
    }
    if (out && at) *out = d;
    return sum;
}

size_t directions_scratch(const rod *r, int m) {
    return place(r, m, NULL, NULL);
}

static inline double *at_node(const direction_piece *e, double *block, int q) {
    return block + 3 * (e->e->node + q) * e->w;
}

static inline double *within(const direction_piece *e, double *block, int q) {
    return block + 3 * q * e->w;
}

static inline const double *history_at(const direction_piece *e, int q, int field) {
    return e->d->history + (size_t)((e->e->node + q) * F_SIZE + field) * (size_t)e->w;
}

// (3 x m) of the unknowns u (from 0) or v (from 3) of a node; NULL: it has none
static inline const double *strain_at(const direction_piece *e, int q, int from) {
    if (!e->d->x || from >= e->per_node) return NULL;
    return e->d->x + (size_t)(e->per_node * (e->e->node + q) + from) * (size_t)e->w;
}

// ---------------------------------------------------------------- out
// (rows x n) into columns of a (rows x w) matrix whose others are 0
static void put_part(int rows, int n, const double *from, int w, int column, double *to) {
    if (n < w) memset(to, 0, sizeof(double) * (size_t)(rows * w));
    for (int i = 0; i < rows; i++)
        memcpy(to + (size_t)i * (size_t)w + column, from + i * n, sizeof(double) * (size_t)n);
}

static void move_poses(const direction_piece *e, const double *near, double *far) {
    const int n = e->t->n, w = e->w, u = n * e->per_node;
    double *th = at_node(e, e->m->th, 0), *dp = at_node(e, e->m->dp, 0);
    memcpy(far, near, sizeof(double) * 6 * (size_t)w);
    if (!e->moves) return;
    if (e->d->x) tangent_poses(e->p, e->it, e->k, e->m->pose_th, e->m->pose_dp, e->m->far);
    if (e->d->x && e->d->unit >= 0) {
        const int column = e->d->unit + e->per_node * e->e->node;
        put_part(3 * n, u, e->m->pose_th, w, column, th);
        put_part(3 * n, u, e->m->pose_dp, w, column, dp);
        for (int i = 0; i < 6; i++)
            columns_add(u, 1.0, e->m->far + i * u, far + (size_t)i * (size_t)w + column);
    } else if (e->d->x) {
        const double *x = strain_at(e, 0, 0);
        dense_mul(3 * n, u, w, 1.0, e->m->pose_th, x, th);
        dense_mul(3 * n, u, w, 1.0, e->m->pose_dp, x, dp);
        dense_madd(6, u, w, 1.0, e->m->far, x, far);
    } else {
        memset(th, 0, sizeof(double) * 3 * (size_t)(n * w));
        memset(dp, 0, sizeof(double) * 3 * (size_t)(n * w));
    }
    for (int q = 0; q < n && e->carried; q++) {
        columns_add(3 * w, 1.0, near, within(e, th, q));
        columns_add(3 * w, 1.0, near + 3 * w, within(e, dp, q));
        columns_add_cross(-1.0, e->nodes[q].T.p, near, w, within(e, dp, q));
    }
}

// out (3 x m) = th x rate + R (c0 dx + dh)
static void turn_rate(const direction_piece *e, int q, vec3 rate, int from, double *out) {
    const int w = e->w;
    const mat3 *R = &e->nodes[q].T.R, c0_R = mat3_scale(R, e->p->c0);
    const double *x = strain_at(e, q, from);
    if (e->d->history && from < e->per_node) columns_multiply(R, history_at(e, q, from), w, out);
    else memset(out, 0, sizeof(double) * 3 * (size_t)w);
    if (e->moves) columns_add_cross(-1.0, rate, at_node(e, e->m->th, q), w, out);
    if (x && e->p->c0 != 0.0) columns_add_product(&c0_R, x, w, out);
}

// a: dw, b: dnu; the velocity of the far side
static void turn_rates(const direction_piece *e, double *far) {
    const int w = e->w;
    for (int q = 0; q < e->t->n; q++) {
        const double b = e->e->quadrature[q];
        double *dw = within(e, e->m->a, q), *dnu = within(e, e->m->b, q);
        double *slope = at_node(e, e->m->slope, q), *th = at_node(e, e->m->th, q);
        turn_rate(e, q, e->nodes[q].bend, 0, dw);
        turn_rate(e, q, e->nodes[q].nu, 3, dnu);
        if (e->moves) {
            memset(slope, 0, sizeof(double) * 3 * (size_t)w);
            columns_add_cross(-1.0, e->nodes[q].slope, th, w, slope);
            columns_add_cross(-b, e->nodes[q].bend, at_node(e, e->m->dp, q), w, far + 3 * w);
        }
        const double *x = strain_at(e, q, 3);
        if (x) columns_add_product(&e->nodes[q].T.R, x, w, slope);
        columns_add(3 * w, b, dw, far);
        columns_add(3 * w, b, dnu, far + 3 * w);
        columns_add_cross(b, e->nodes[q].T.p, dw, w, far + 3 * w);
    }
}

static void move_velocities(const direction_piece *e, const double *near) {
    const int n = e->t->n, w = e->w;
    const vec3 Om_b = e->near->a.a;
    dense_mul(n, n, 3 * w, e->e->length, e->t->A, e->m->a, e->m->Om);
    for (int q = 0; q < n; q++) {
        double *g = within(e, e->m->b, q);
        columns_add_cross(-1.0, e->nodes[q].slope, within(e, e->m->Om, q), w, g);
        if (e->moves)
            columns_add_cross(1.0, vec3_sub(e->nodes[q].Om, Om_b), at_node(e, e->m->slope, q), w,
                              g);
    }
    dense_mul(n, n, 3 * w, e->e->length, e->t->A, e->m->b, e->m->V);
    for (int q = 0; q < n; q++) {
        double *V = within(e, e->m->V, q);
        if (e->moves) columns_add_cross(1.0, Om_b, at_node(e, e->m->dp, q), w, V);
        if (!e->carried) continue;
        columns_add(3 * w, 1.0, near, within(e, e->m->Om, q));
        columns_add(3 * w, 1.0, near + 3 * w, V);
        columns_add_cross(-1.0, e->nodes[q].T.p, near, w, V);
    }
}

static void move_loads(const direction_piece *e) {
    const int w = e->w;
    load_tangent by[GAUSS_MAX];
    tangent_loads(e->p, e->it, e->it->nodes, e->k, by);
    for (int q = 0; q < e->t->n; q++) {
        const station *st = &e->e->stations[q];
        const mat3 *R = &e->nodes[q].T.R, RJ = mat3_diag(st->J), J = mat3_mul(R, &RJ);
        const vec3 rho = vec3_make(st->mass, st->mass, st->mass);
        const mat3 mass = mat3_diag(e->e->around ? vec3_add(rho, e->e->around[q].added) : rho);
        const mat3 rho_R = mat3_mul(R, &mass);
        double *f = at_node(e, e->m->f, q), *l = at_node(e, e->m->l, q);
        const double *th = at_node(e, e->m->th, q), *dp = at_node(e, e->m->dp, q);
        const double *Om = within(e, e->m->Om, q);
        columns_multiply(&by[q].f_Om, Om, w, f);
        columns_multiply(&by[q].l_Om, Om, w, l);
        columns_add_product(&by[q].f_V, within(e, e->m->V, q), w, f);
        if (e->moves) columns_add_product(&by[q].f_th, th, w, f);
        if (e->moves) columns_add_product(&by[q].l_th, th, w, l);
        const bool shifts = e->moves && (e->p->touches || by[q].surrounded);
        if (shifts) columns_add_product(&by[q].f_p, dp, w, f);
        if (shifts) columns_add_product(&by[q].l_p, dp, w, l);
        if (by[q].surrounded) columns_add_product(&by[q].l_V, within(e, e->m->V, q), w, l);
        if (e->d->loads) {
            const double *more = e->d->loads + (size_t)(6 * (e->e->node + q)) * (size_t)w;
            columns_add(3 * w, -1.0, more, l);
            columns_add(3 * w, -1.0, more + 3 * w, f);
        }
        if (!e->d->history) continue;
        columns_add_product(&J, history_at(e, q, F_W), w, l);
        columns_add_product(&rho_R, history_at(e, q, F_Q), w, f);
    }
}

// Strains, and velocities in the body: R' (dOm - th x Om).
static void put_fields(const direction_piece *e) {
    const int w = e->w;
    for (int q = 0; q < e->t->n; q++) {
        double *to = e->d->fields + (size_t)((e->e->node + q) * F_SIZE) * (size_t)w;
        const double *th = at_node(e, e->m->th, q);
        double *Om = within(e, e->m->Om, q), *V = within(e, e->m->V, q);
        const int d = e->d->x ? e->per_node : 0;
        if (d) memcpy(to, strain_at(e, q, 0), sizeof(double) * (size_t)(d * w));
        memset(to + d * w, 0, sizeof(double) * (size_t)((6 - d) * w));
        if (e->moves) columns_add_cross(1.0, e->nodes[q].Om, th, w, Om);
        if (e->moves) columns_add_cross(1.0, e->nodes[q].V, th, w, V);
        columns_turn_back(&e->nodes[q].T.R, Om, w, to + F_W * w);
        columns_turn_back(&e->nodes[q].T.R, V, w, to + F_Q * w);
    }
}

// Of the far side: Ad^-1 (da + [a, z]), angular and linear as w, q.
static void put_end(const direction_piece *e, const double *far) {
    const bound_motion *b = &e->it->bounds[e->k + 1];
    const se3 back = se3_inverse(&b->T);
    const mat6 Ad = se3_adjoint(&back), ad = se3_ad_matrix(b->a), turn = mat6_mul(&Ad, &ad);
    double *to = e->d->end_fields + (size_t)(6 * e->k) * (size_t)e->w;
    dense_mul(6, 6, e->w, 1.0, &turn.m[0][0], far, to);
    dense_madd(6, 6, e->w, 1.0, &Ad.m[0][0], far + 6 * e->w, to);
}

// Turns and shifts of the nodes of an element, and behind its last that of the tip.
static void put_poses(const direction_piece *e, const double *far) {
    const int w = e->w;
    const size_t three = sizeof(double) * 3 * (size_t)w;
    double *to = e->d->poses + (size_t)(6 * e->e->node) * (size_t)w;
    if (!e->moves) memset(to, 0, 2 * three * (size_t)(e->t->n + 1));
    for (int q = 0; q < e->t->n && e->moves; q++, to += 6 * w) {
        memcpy(to, at_node(e, e->m->th, q), three);
        memcpy(to + 3 * w, at_node(e, e->m->dp, q), three);
    }
    if (!e->moves || e->k < e->p->r->n_elements - 1) return;
    memcpy(to, far, 2 * three);
    columns_add_cross(-1.0, e->it->bounds[e->k + 1].T.p, far, w, to + 3 * w);
}

// ---------------------------------------------------------------- back
// A wrench (moment, force) on the tip, as a spatial one.
static void add_tip_load(const direction_piece *e) {
    const int w = e->w;
    const double *more = e->d->loads + (size_t)(6 * e->p->r->n_nodes) * (size_t)w;
    columns_add(6 * w, 1.0, more, e->m->S);
    columns_add_cross(1.0, e->it->bounds[e->k + 1].T.p, more + 3 * w, w, e->m->S);
}

// S += what the loads at the far end of the element change
static void add_end(const direction_piece *e) {
    const int w = e->w;
    double H[72] = {0.0}, L[36];
    tangent_end_load(e->p, e->it, e->k, 12, false, H);
    dense_madd(6, 12, w, 1.0, H, e->m->ends + (size_t)(12 * (e->k + 1)) * (size_t)w, e->m->S);
    if (!e->e->n_riders || !e->d->ends) return;
    for (int i = 0; i < 6; i++) {
        double unit[6] = {0.0}, column[6];
        unit[i] = 1.0;
        vec6_store(column, rigid_wrench(&e->p->m->loads[e->k].end_mass, &e->it->bounds[e->k + 1].T,
                                        vec6_zero(), 0.0, unit, vec3_zero(), NULL));
        for (int j = 0; j < 6; j++) L[6 * j + i] = column[j];
    }
    dense_madd(6, 6, w, -1.0, L, e->d->ends + (size_t)(6 * e->k) * (size_t)w, e->m->S);
}

// a = dF, b = sum_k Q_ik (dl_k + dp'_k x F_k + p'_k x dF_k), F (n); dl is used up
static void sum_loads(const direction_piece *e, vec3 *F) {
    const int n = e->t->n, w = e->w;
    for (int i = 0; i < n; i++) {
        F[i] = vec3_zero();
        for (int q = 0; q < n; q++)
            F[i] = vec3_madd(F[i], e->e->length * e->t->Q[i * n + q], e->nodes[q].f);
    }
    dense_mul(n, n, 3 * w, e->e->length, e->t->Q, at_node(e, e->m->f, 0), e->m->a);
    for (int q = 0; q < n; q++) {
        double *l = at_node(e, e->m->l, q);
        if (e->moves) columns_add_cross(-1.0, F[q], at_node(e, e->m->slope, q), w, l);
        columns_add_cross(1.0, e->nodes[q].slope, within(e, e->m->a, q), w, l);
    }
    dense_mul(n, n, 3 * w, e->e->length, e->t->Q, at_node(e, e->m->l, 0), e->m->b);
}

// rows (d x m) += K dx + B dx_t of one node
static void add_law(const direction_piece *e, int i, double *rows) {
    const int d = e->per_node, w = e->w, node = e->e->node + i;
    double K[36] = {0.0}, B[36] = {0.0}, rate[6];
    for (int c = 0; c < 6; c++) {
        K[7 * c] = e->e->stations[i].K[c], B[7 * c] = e->e->stations[i].B[c];
        rate[c] = e->p->c0 * e->it->x[6 * node + c] +
                  e->p->m->history[(size_t)node * F_SIZE + F_U + (size_t)c];
    }
    if (e->e->laws) {
        const law_past past = element_past(e->e, i, e->p->m->then, e->p->m->elapsed);
        law_stiffness(&e->e->laws[i], &past, e->it->x + 6 * node, K);
        law_viscosity(&e->e->laws[i], rate, B);
    }
    for (int row = 0; row < d; row++)
        for (int c = 0; c < d; c++) {
            const double by = K[6 * row + c] + e->p->c0 * B[6 * row + c];
            if (e->d->x && by != 0.0)
                columns_add(w, by, strain_at(e, i, 0) + c * w, rows + row * w);
            if (e->d->history && B[6 * row + c] != 0.0)
                columns_add(w, B[6 * row + c], history_at(e, i, c), rows + row * w);
        }
}

// rows = - R' (change + S x th)
static void put_rows(const direction_piece *e, int i, vec3 S, double *change, double *rows) {
    const int w = e->w;
    const mat3 Rt = mat3_transpose(&e->nodes[i].T.R), back = mat3_scale(&Rt, -1.0);
    if (e->moves) columns_add_cross(1.0, S, at_node(e, e->m->th, i), w, change);
    columns_multiply(&back, change, w, rows);
}

static void put_residual(const direction_piece *e, const vec3 *F) {
    const int w = e->w;
    const double *S = e->m->S;
    for (int i = 0; i < e->t->n; i++) {
        const node_motion *s = &e->nodes[i];
        double *rows = e->d->residual + (size_t)(e->per_node * (e->e->node + i)) * (size_t)w;
        double *moment = e->m->turned, *force = moment + 3 * w;
        memcpy(moment, S, sizeof(double) * 6 * (size_t)w);
        columns_add(3 * w, -1.0, within(e, e->m->b, i), moment);
        columns_add(3 * w, -1.0, within(e, e->m->a, i), force);
        if (e->moves)
            columns_add_cross(1.0, vec3_add(s->N, F[i]), at_node(e, e->m->dp, i), w, moment);
        columns_add_cross(-1.0, s->T.p, S + 3 * w, w, moment);
        put_rows(e, i, s->M, moment, rows);
        if (e->per_node == 6) put_rows(e, i, s->N, force, rows + 3 * w);
        add_law(e, i, rows);
    }
}

// S -= sum_q b_q (dl_q + dp_q x f_q + p_q x df_q, df_q), into `near`
static void pass_loads(const direction_piece *e, double *near) {
    const int w = e->w;
    memcpy(near, e->m->S, sizeof(double) * 6 * (size_t)w);
    for (int q = 0; q < e->t->n; q++) {
        const double b = e->e->quadrature[q];
        const double *f = at_node(e, e->m->f, q);
        columns_add(3 * w, -b, at_node(e, e->m->l, q), near);
        columns_add(3 * w, -b, f, near + 3 * w);
        if (e->moves) columns_add_cross(b, e->nodes[q].f, at_node(e, e->m->dp, q), w, near);
        columns_add_cross(-b, e->nodes[q].T.p, f, w, near);
    }
}

// ---------------------------------------------------------------- actuators
// Section laws by the strain at a node and by the effort; returns sum_i b_i slope_i . dx_i in `measure` (m).
static void add_actuator(const rod_problem *p, const rod_directions *d, const iterate *it,
                         const rod_actuator *ra, double *measure) {
    const rod *r = p->r;
    const int per_node = unknowns_per_node(r), w = d->m;
    const bool rubs = actuator_rubs(ra->a);  // a tension at each node
    const double *effort =
        ra->n_efforts ? d->x + (size_t)(n_strains(r) + ra->effort) * (size_t)w : NULL;
    memset(measure, 0, sizeof(double) * (size_t)w);
    for (int i = 0; i < ra->n_nodes; i++) {
        const int node = ra->first_node + i, point = ra->first_point + i;
        const element *e = &r->elements[ra->element[i]];
        const station *st = &e->stations[node - e->node];
        const double *x = it->x + 6 * node;
        const double *dx = d->x + (size_t)(per_node * node) * (size_t)w;
        double *rows = d->residual + (size_t)(per_node * node) * (size_t)w;
        double more[36] = {0.0}, slope[6], counted[6];
        if (!ra->a->kind->linear)
            actuator_add_curvature(ra->a, &ra->at[i], vec3_add(st->u_rest, vec3_load(x)),
                                   vec3_add(st->v_rest, vec3_load(x + 3)),
                                   ra->a->sign * it->tensions[point], more);
        vec6_store(slope, effort_slope(r, ra, i, it));
        vec6_store(counted, it->points[point].slope);
        for (int row = 0; row < per_node; row++) {
            for (int c = 0; c < per_node; c++)
                if (more[6 * row + c] != 0.0)
                    columns_add(w, more[6 * row + c], dx + c * w, rows + row * w);
            if (effort)
                columns_add(w, ra->a->sign * slope[row], effort + (rubs ? i * w : 0),
                            rows + row * w);
            columns_add(w, e->quadrature[node - e->node] * counted[row], dx + row * w, measure);
        }
    }
}

static void add_actuators(const rod_problem *p, const rod_directions *d, const iterate *it,
                          double *scratch, const direction_memory *m) {
    const rod *r = p->r;
    const int w = d->m;
    double *own = d->residual + (size_t)n_strains(r) * (size_t)w;
    memset(own, 0, sizeof(double) * (size_t)(r->n_efforts * w));
    for (int a = 0; a < r->n_actuators && d->x; a++) {
        const rod_actuator *ra = &r->actuators[a];
        add_actuator(p, d, it, ra, scratch);
        if (actuator_rubs(ra->a))
            friction_along(p, it, ra, a, w, d->x, own + ra->effort * w, m->th, m->dp);
        if (!ra->n_efforts || actuator_rubs(ra->a)) continue;
        double measure = 0.0;
        for (int i = 0; i < ra->n_nodes; i++) {
            const element *e = &r->elements[ra->element[i]];
            measure +=
                e->quadrature[ra->first_node + i - e->node] * it->points[ra->first_point + i].value;
        }
        const balance b =
            actuator_balance(ra->a, rod_supply(p->m, ra, a), it->efforts[ra->effort], measure);
        double *row = own + ra->effort * w;
        columns_add(w, b.by_measure, scratch, row);
        columns_add(w, b.by_effort, d->x + (size_t)(n_strains(r) + ra->effort) * (size_t)w, row);
    }
}

// ---------------------------------------------------------------- all of it
// What is pushed out of the base moves with the strain x there, which turns with the base: a_b has Ad_b out x,
//
//     da_b += out Ad_b sum_j l_j(0) dx_j - [Ad_b out x, z_b]
static void add_pushed(const rod_problem *p, const rod_directions *d, const iterate *it,
                       double *strain, double *base) {
    const rod *r = p->r;
    const element *e = &r->elements[0];
    const gauss_table *t = gauss_of(r, e);
    const int w = d->m, per_node = unknowns_per_node(r);
    const mat6 Ad = se3_adjoint(&it->bounds[0].T);
    double row[GAUSS_MAX];
    vec6 x = {e->stations[0].u_rest, e->stations[0].v_rest};
    lagrange_row(t->n, t->c, t->bary, 0.0, row);
    memset(strain, 0, sizeof(double) * 6 * (size_t)w);
    for (int j = 0; j < t->n; j++) {
        x = vec6_madd(x, row[j], vec6_load(it->x + 6 * j));
        if (d->x)
            columns_add(per_node * w, row[j], d->x + (size_t)(per_node * j) * (size_t)w, strain);
    }
    dense_madd(6, 6, w, p->base.out, &Ad.m[0][0], strain, base + 6 * w);
    const mat6 turn = se3_ad_matrix(vec6_scale(mat6_mul_vec(&Ad, x), p->base.out));
    dense_madd(6, 6, w, -1.0, &turn.m[0][0], base, base + 6 * w);
}

void directions_of_rod(const rod_problem *p, const rod_directions *d, double *scratch) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    direction_memory m;
    const int w = d->m;
    const size_t bound = 12 * (size_t)w;
    place(r, w, scratch, &m);
    iterate_unpack(r, &own->now);
    direction_piece e = {.p = p, .d = d, .m = &m, .it = &own->now, .w = w};
    e.per_node = unknowns_per_node(r);
    e.moves = d->x || d->base;
    if (d->base) memcpy(m.ends, d->base, sizeof(double) * bound);
    else memset(m.ends, 0, sizeof(double) * bound);
    const bool pushed = p->base.out != 0.0 && e.moves;
    if (pushed) add_pushed(p, d, &own->now, m.S, m.ends);
    for (int k = 0; k < r->n_elements; k++) {
        e.k = k, e.e = &r->elements[k], e.t = gauss_of(r, e.e);
        e.nodes = own->now.nodes + e.e->node, e.near = &own->now.bounds[k];
        double *near = m.ends + (size_t)k * bound, *far = near + bound;
        e.carried = k > 0 || d->base || pushed;
        move_poses(&e, near, far);
        memcpy(far + 6 * w, near + 6 * w, sizeof(double) * 6 * (size_t)w);
        turn_rates(&e, far + 6 * w);
        move_velocities(&e, near + 6 * w);
        if (d->residual) move_loads(&e);
        put_fields(&e);
        if (d->end_fields) put_end(&e, far);
        if (d->poses) put_poses(&e, far);
    }
    memcpy(d->tip_motion, m.ends + (size_t)r->n_elements * bound, sizeof(double) * 6 * (size_t)w);
    if (d->bounds) memcpy(d->bounds, m.ends, sizeof(double) * bound * (size_t)(r->n_elements + 1));
    if (!d->residual) return;
    memset(m.S, 0, sizeof(double) * 6 * (size_t)w);
    if (d->tip) {
        memcpy(m.S, d->tip, sizeof(double) * 6 * (size_t)w);
        columns_add_cross(1.0, own->now.bounds[r->n_elements].T.p, d->tip + 3 * w, w, m.S);
    }
    for (int k = r->n_elements - 1; k >= 0; k--) {
        vec3 F[GAUSS_MAX];
        e.k = k, e.e = &r->elements[k], e.t = gauss_of(r, e.e);
        e.nodes = own->now.nodes + e.e->node, e.near = &own->now.bounds[k];
        add_end(&e);
        if (d->loads && k == r->n_elements - 1) add_tip_load(&e);
        pass_loads(&e, d->base_wrench);
        sum_loads(&e, F);
        put_residual(&e, F);
        memcpy(m.S, d->base_wrench, sizeof(double) * 6 * (size_t)w);
    }
    add_actuators(p, d, &own->now, m.turned, &m);
}
