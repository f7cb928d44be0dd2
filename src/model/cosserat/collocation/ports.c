// model/cosserat/collocation/ports.c - the equations of a whole rod, as an assembly sees them.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/directions.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/collocation/newton.h"

// ---------------------------------------------------------------- strains and efforts together
static bool factor_rod(const rod_problem *p, collocation_memory *m, const node_motion *forces,
                       bool sharp, bool all, int *negative) {
    kept_matrix *kept = m->kept;
    p->stats->jacobians++;
    iterate_unpack(p->r, &m->now);
    kept->c0 = p->c0;
    kept->touching = p->m->touching;
    kept->valid = 0.0;
    if (!sweep_factor(p, &m->now, forces, sharp, all, m->factors, m->blocks, kept->H, negative) ||
        (p->r->n_efforts && !border_factor(p, m, sharp && !p->rough, negative)))
        return false;
    kept->valid = !(negative && problem_turns(p));
    return true;
}

bool rod_factor(const rod_problem *p, collocation_memory *m, const node_motion *forces, bool sharp,
                int *negative) {
    return factor_rod(p, m, forces, sharp, true, negative);
}

bool rod_factor_touched(const rod_problem *p, collocation_memory *m, const node_motion *forces,
                        bool sharp) {
    const bool all = m->kept->valid == 0.0 || m->kept->c0 != p->c0 || p->r->n_efforts;
    return factor_rod(p, m, forces, sharp, all, NULL);
}

// The kept efforts q = C^-1 (- r_q - D e_r - R x0), first of all in e (k x n), which holds e_r.
static void solve_kept(const rod *r, const border *b, int n, const double *residual,
                       const double *x0, const double *e, double *q) {
    const int k = r->n_efforts, n_q = b->kept[k], n_x = n_strains(r);
    for (int i = 0; i < n_q; i++)
        for (int c = 0; c < n; c++) q[i * n + c] = residual ? -residual[b->kept[i] * n + c] : 0.0;
    if (b->kept[k + 1]) border_apply(r, b, n, -1.0, x0, e, q + n_q * n, q);
    if (!b->kept[k + 1]) dense_madd(n_q, n_x, n, -1.0, b->R, x0, q);
    for (int a = 0; a < r->n_actuators && b->kept[k + 1]; a++) {
        const rod_actuator *ra = &r->actuators[a];
        const int row = ra->n_efforts ? b->column[ra->effort] : 0;
        if (ra->n_efforts && !actuator_rubs(ra->a))
            dense_madd(1, n_x, n, -1.0, b->R + row * n_x, x0, q + row * n);
    }
    if (n == 1 && n_q) lu_solve(n_q, b->C, b->pivot, q);
    else if (n_q) lu_solve_many(n_q, b->C, b->pivot, n, q);
}

// e = P q + e_r
static void add_kept(const rod *r, const border *b, int n, const double *q, double *e) {
    for (int i = 0; i < r->n_efforts; i++)
        for (int c = 0; c < n && b->column[i] < r->n_efforts; c++)
            e[i * n + c] += b->share[i] * q[b->column[i] * n + c];
}

// The residual of the strains with what the efforts' own residuals push; e (k x n) becomes e_r.
static const double *with_slides(const rod *r, const collocation_memory *m, int n,
                                 const double *residual, double *e) {
    const size_t n_x = (size_t)n_strains(r);
    const border *b = &m->edge;
    memset(e, 0, sizeof(double) * (size_t)(r->n_efforts * n));
    if (!residual || b->kept[r->n_efforts] == r->n_efforts) return residual;
    border_slide(r, b, n, residual + n_x * (size_t)n, e);
    memcpy(m->shifted, residual, sizeof(double) * n_x * (size_t)n);
    border_push(r, b, n, e, m->shifted);
    return m->shifted;
}

void rod_solve(const rod *r, const collocation_memory *m, const double *residual, double *step) {
    if (!r->n_efforts) {
        sweep_respond(r, m, 1, residual, NULL, NULL, step, NULL, NULL);
        return;
    }
    const int n_x = n_strains(r);
    double *e = step + n_x, *q = m->columns;
    sweep_respond(r, m, 1, with_slides(r, m, 1, residual, e), NULL, NULL, step, NULL, NULL);
    solve_kept(r, &m->edge, 1, residual + n_x, step, e, q);
    dense_madd(n_x, m->edge.kept[r->n_efforts], 1, -1.0, m->edge.Y, q, step);
    add_kept(r, &m->edge, 1, q, e);
}

// ---------------------------------------------------------------- ports
static bool evaluate(const rod_problem *p, const double *unknowns, double *residual) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    collocation_take_unknowns(r, unknowns, &own->now);
    p->stats->evaluations++;
    if (!iterate_evaluate(p, &own->now)) return false;
    iterate_publish_bounds(p, &own->now);
    memcpy(residual, own->now.residual, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    return true;
}

static void go_out(const rod_problem *p, const double *unknowns) {
    collocation_memory *own = p->m->own;
    collocation_take_unknowns(p->r, unknowns, &own->now);
    iterate_go_out(p, &own->now);
    iterate_unpack(p->r, &own->now);
}

static bool come_back(const rod_problem *p, double *residual) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    p->stats->evaluations++;
    if (!iterate_come_back(p, &own->now)) return false;
    iterate_publish_bounds(p, &own->now);
    memcpy(residual, own->now.residual, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    return true;
}

static void publish(const rod_problem *p) {
    iterate_publish(p, &((collocation_memory *)p->m->own)->now);
}

static void freeze(const rod_problem *p) {
    collocation_memory *own = p->m->own;
    iterate_of_present(p, &own->now, own->frozen);
}

static bool factor(const rod_problem *p, bool sharp, int *negative) {
    collocation_memory *own = p->m->own;
    return rod_factor(p, own, p->frozen ? own->frozen : own->now.nodes, sharp, negative);
}

static void respond(const rod_problem *p, int n, const double *residual, const double *tip,
                    const double *base, double *X, double *tip_motion, double *base_wrench) {
    const rod *r = p->r;
    const collocation_memory *own = p->m->own;
    const border *b = &own->edge;
    const int n_x = n_strains(r), k = r->n_efforts;
    if (!k) {
        sweep_respond(r, own, n, residual, tip, base, X, tip_motion, base_wrench);
        return;
    }
    double *e = X + n_x * n, *q = own->columns;
    const double *shifted = with_slides(r, own, n, residual, e);
    sweep_respond(r, own, n, shifted, tip, base, X, tip_motion, base_wrench);
    solve_kept(r, b, n, residual ? residual + n_x * n : NULL, X, e, q);
    dense_madd(n_x, b->kept[k], n, -1.0, b->Y, q, X);
    if (tip_motion) dense_madd(12, b->kept[k], n, -1.0, b->tip, q, tip_motion);
    if (base_wrench) dense_madd(6, b->kept[k], n, -1.0, b->base, q, base_wrench);
    add_kept(r, b, n, q, e);
}

// From the near side of element k along its Magnus steps to s.
static se3 pose_along(const rod *r, const iterate *it, int k, double s) {
    const element *e = &r->elements[k];
    const gauss_table *t = gauss_of(r, e);
    const double x = (s - e->s0) / e->length;
    se3 T = it->bounds[k].T;
    double from = 0.0;
    for (int j = 0; j <= t->n && from < x; j++) {
        const double to = j < t->n ? fmin(t->c[j], x) : x;
        const se3 step = collocation_step(e, t, it->x + 6 * e->node, 6, from, to);
        T = se3_mul(&T, &step);
        from = to;
    }
    return T;
}

static se3 pose(const rod_problem *p, double s) {
    iterate *it = &((collocation_memory *)p->m->own)->now;
    const int k = rod_element_at(p->r, s);
    const element *e = &p->r->elements[k];
    if (s >= e->s0 + e->length) return it->bounds[k + 1].T;
    return pose_along(p->r, it, k, s);
}

// Virtual work: the wrench at s moves with z(s) = sum_j a_j(s) Ad_j dx_j, a_j the integral of l_j up to
// s, so node j of an element before s takes it whole and one within takes a_j(s)/b_j of it.
static void push(const rod_problem *p, double s, const double wrench_world[6], double *out) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r);
    iterate *it = &((collocation_memory *)p->m->own)->now;
    iterate_unpack(r, it);
    vec3 at = pose(p, s).p;
    vec6 w = vec6_load(wrench_world);
    w.a = vec3_add(w.a, vec3_cross(at, w.l));
    memset(out, 0, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const gauss_table *t = gauss_of(r, e);
        double x = (s - e->s0) / e->length, share[GAUSS_MAX];
        if (x <= 0.0) break;
        if (x >= 1.0) memcpy(share, t->w, sizeof(double) * (size_t)t->n);
        else integration_matrix(t->n, t->c, t->bary, 1, &x, share);
        for (int j = 0; j < t->n; j++) {
            double body[6];
            vec6_store(body, se3_coadjoint_inv_vec(&it->nodes[e->node + j].T, w));
            for (int c = 0; c < d; c++) out[d * (e->node + j) + c] = -share[j] / t->w[j] * body[c];
        }
    }
}

#define PROBE 1e-5  // rad: how far differences reach within an element

// The motion of a point within an element against its near side, spatial, by differences.
static vec6 motion_within(const rod_problem *p, int k, double s, const double *change) {
    const element *e = &p->r->elements[k];
    const int d = unknowns_per_node(p->r), n = e->n_nodes;
    iterate *it = &((collocation_memory *)p->m->own)->now;
    double before[6 * GAUSS_MAX], most = 0.0, z[6], *x = it->x + 6 * e->node;
    memcpy(before, x, sizeof(double) * 6 * (size_t)n);
    for (int i = 0; i < d * n; i++)
        most = fmax(most, fabs(change[i]) * (i % d < 3 ? e->length : 1.0));
    if (most == 0.0) return vec6_zero();
    se3 side[2];
    for (int i = 0; i < 2; i++) {
        const double reach = (i ? PROBE : -PROBE) / most;
        for (int j = 0; j < n; j++)
            for (int c = 0; c < d; c++)
                x[6 * j + c] = before[6 * j + c] + reach * change[d * j + c];
        side[i] = pose_along(p->r, it, k, s);
    }
    memcpy(x, before, sizeof(double) * 6 * (size_t)n);
    motion_between(&side[0], &side[1], 2.0 * PROBE / most, z);
    const vec3 turn = vec3_load(z), at = vec3_scale(vec3_add(side[0].p, side[1].p), 0.5);
    return vec6_make(turn, vec3_sub(vec3_load(z + 3), vec3_cross(turn, at)));
}

// In the spatial frame transport is the identity: motions of elements add.
static void motion(const rod_problem *p, double s, const double *change, double z[6]) {
    const rod *r = p->r;
    const int d = unknowns_per_node(r), last = rod_element_at(r, s);
    const collocation_memory *own = p->m->own;
    const element *e = &r->elements[last];
    const bool ends = s >= e->s0 + e->length;
    memset(z, 0, 6 * sizeof *z);
    for (int k = 0; k < last + ends; k++)
        dense_madd(6, d * r->elements[k].n_nodes, 1, 1.0, own->factors[k].tip,
                   change + d * r->elements[k].node, z);
    if (!ends)
        vec6_store(z, vec6_add(vec6_load(z), motion_within(p, last, s, change + d * e->node)));
}

static int section(const rod_problem *p, double s, double *weights, double *motion) {
    const int k = rod_element_at(p->r, s), d = unknowns_per_node(p->r);
    const element *e = &p->r->elements[k];
    const gauss_table *t = gauss_of(p->r, e);
    const double x = fmin(fmax((s - e->s0) / e->length, 0.0), 1.0);
    iterate *it = &((collocation_memory *)p->m->own)->now;
    iterate_unpack(p->r, it);
    lagrange_row(t->n, t->c, t->bary, x, weights);
    magnus_section(e, t, it->x + 6 * e->node, &it->bounds[k].T, it->nodes + e->node, x, d, motion);
    return k;
}

static void by_strain(const rod_problem *p, int which, double *row) {
    const rod *r = p->r;
    const rod_actuator *ra = &r->actuators[which];
    const int d = unknowns_per_node(r);
    const iterate *it = &((const collocation_memory *)p->m->own)->now;
    memset(row, 0, sizeof(double) * (size_t)(n_strains(r) + r->n_efforts));
    for (int i = 0; i < ra->n_nodes; i++) {
        const element *e = &r->elements[ra->element[i]];
        const int node = ra->first_node + i;
        double slope[6];
        vec6_store(slope, it->points[ra->first_point + i].slope);
        for (int c = 0; c < d; c++) row[d * node + c] += e->quadrature[node - e->node] * slope[c];
    }
}

static void by_effort(const rod_problem *p, int which, double gain, double *column) {
    const rod *r = p->r;
    const rod_actuator *ra = &r->actuators[which];
    const int d = unknowns_per_node(r);
    const iterate *it = &((const collocation_memory *)p->m->own)->now;
    for (int i = 0; i < ra->n_nodes; i++) {
        double slope[6];
        vec6_store(slope, effort_slope(r, ra, i, it));
        for (int c = 0; c < d; c++)
            column[d * (ra->first_node + i) + c] += gain * ra->a->sign * slope[c];
    }
}

// b_i y_i K x_i over the nodes: the energy of the material is half of it with y = x.
static double stiffness(const rod *r, const double *x, const double *y, double *Kx) {
    const int d = unknowns_per_node(r);
    double sum = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++)
            for (int c = 0; c < d; c++) {
                const int at = d * (e->node + i) + c;
                double value = e->stations[i].K[c] * x[at];
                for (int l = 0; l < d && e->laws && e->laws[i].coupled; l++)
                    value += e->laws[i].coupling[6 * c + l] * x[d * (e->node + i) + l];
                sum += e->quadrature[i] * y[at] * value;
                if (Kx) Kx[at] = value;
            }
    }
    if (Kx) memset(Kx + n_strains(r), 0, sizeof(double) * (size_t)r->n_efforts);
    return sum;
}

const scheme_ports collocation_ports = {.evaluate = evaluate,
                                        .publish = publish,
                                        .freeze = freeze,
                                        .factor = factor,
                                        .respond = respond,
                                        .moving_base = true,
                                        .go_out = go_out,
                                        .place = place_of_rod,
                                        .come_back = come_back,
                                        .press = press_place,
                                        .moves = place_moves,
                                        .pose = pose,
                                        .push = push,
                                        .motion = motion,
                                        .directions = directions_of_rod,
                                        .directions_scratch = directions_scratch,
                                        .passed = friction_passed,
                                        .by_grips = friction_by_grips,
                                        .section = section,
                                        .by_strain = by_strain,
                                        .answer = answer_rows,
                                        .by_effort = by_effort,
                                        .size = size_of_step,
                                        .angle = angle_of_step,
                                        .stiffness = stiffness};
