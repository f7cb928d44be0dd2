// model/cosserat/collocation/tangent.c - the linearised equations of one element.
//
// The derivative of iterate.c, line by line, for many columns at once: one for each unknown, and twelve
// for a motion of the near side, six at rest. World vectors: th turns a section, dp moves it, X = R dx is the
// increment of a strain. For the unknowns, rates by the time formula,
//
//     th_q  = sum_j A_qj X_u,j,        dp_q  = sum_j A_qj ((p_j - p_q) x X_u,j + X_v,j)
//     dp'_k = th_k x p'_k + X_v,k
//     dw_k  = th_k x w_k + c0 X_u,k,   dnu_k = th_k x nu_k + c0 X_v,k
//     dOm_q = sum_k A_qk dw_k
//     dV_q  = Om_b x dp_q + sum_k A_qk (dOm_k x p'_k + O_k x dp'_k + dnu_k)
//     df_q, dl_q from th_q, dOm_q, dV_q                          (load_tangent)
//     dF_k  = sum_q Q_kq df_q,         dN_i  = dN_L - dF_i
//     dM_i  = dM_L + d[(p_L - p_i) x N_L] - sum_k Q_ik (dl_k + dp'_k x F_k + p'_k x dF_k)
//     d(residual)_i = (K + c0 B) dx_i - R_i' (dM_i - th_i x M_i, dN_i - th_i x N_i)
//
// A motion of the near side, spatial (z_b, da_b), takes the element along as a rigid body.
//
// th and dp are the tangent of the exact kinematics by the same quadrature, not of the Magnus
// product: they differ by the quadrature error of a nodal perturbation, and on most rods Newton does
// not notice. A `sharp` tangent is that of the Magnus product itself: magnus.c.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/efforts.h"
#include "model/cosserat/columns.h"
#include "model/cosserat/collocation/tangent.h"
#include "model/cosserat/around.h"
#include "model/cosserat/contact.h"

// ---------------------------------------------------------------- small blocks
// A 3 x 3 block of a matrix with `width` columns.
static inline void put_block(double *a, int width, int row, int column, const mat3 *b) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) a[(row + i) * width + column + k] = b->m[i][k];
}

static mat3 hat_times(vec3 v, const mat3 *b) {
    mat3 h = mat3_hat(v);
    return mat3_mul(&h, b);
}

static mat3 times_hat(const mat3 *a, vec3 v) {
    mat3 h = mat3_hat(v);
    return mat3_mul(a, &h);
}

static mat3 sum(mat3 a, mat3 b) {
    return mat3_add(&a, &b);
}

static mat3 difference(mat3 a, mat3 b) {
    return mat3_sub(&a, &b);
}

// R diag(d) R'
static mat3 turned(const mat3 *R, vec3 d) {
    mat3 D = mat3_diag(d), RD = mat3_mul(R, &D), Rt = mat3_transpose(R);
    return mat3_mul(&RD, &Rt);
}

// The first `d` columns of s Ad(T), into columns of a (6 x m) matrix.
static void adjoint_columns(const se3 *T, double s, int d, int m, double *out) {
    mat3 R = mat3_scale(&T->R, s), pR = hat_times(T->p, &R), zero = mat3_zero();
    put_block(out, m, 0, 0, &R);
    put_block(out, m, 3, 0, &pR);
    if (d == 3) return;
    put_block(out, m, 0, 3, &zero);
    put_block(out, m, 3, 3, &R);
}

// ---------------------------------------------------------------- columns
// out_q = h sum_k A_qk in_k for n blocks of `size` numbers
static void weigh(int n, const double *A, double h, int size, const double *in, double *out) {
    dense_mul(n, n, size, h, A, in, out);
}

// Variations at the nodes of an element, (n) x 3 x width each.
typedef struct columns {
    int n, width;
    double *th, *dp;  // rotation, position
    double *slope;    // p'
    double *Om, *V;   // velocities
    double *f, *l;    // loads per length
    double *a, *b;    // scratch
} columns;

static size_t block_doubles(int n, int width) {
    return 3 * (size_t)n * (size_t)width;
}

static int widest(int n, int d) {
    return n * d > 12 ? n * d : 12;
}

size_t tangent_doubles(int n, int d) {
    return 9 * block_doubles(n, widest(n, d));
}

static columns columns_at(int n, int width, double *at) {
    const size_t block = block_doubles(n, width);
    columns c = {.n = n, .width = width};
    double **const parts[] = {&c.th, &c.dp, &c.slope, &c.Om, &c.V, &c.f, &c.l, &c.a, &c.b};
    for (int i = 0; i < 9; i++) *parts[i] = at + (size_t)i * block;
    return c;
}

static inline double *column_of(const columns *c, double *block, int node) {
    return block + 3 * node * c->width;
}

// ---------------------------------------------------------------- one element
// What the routines below share.
typedef struct piece {
    const rod_problem *p;
    const element *e;
    const gauss_table *t;
    const double *x;            // strains less those at rest
    const node_motion *nodes;   // poses
    const node_motion *forces;  // loads, wrenches and rates
    const bound_motion *near;
    int d;
    bool loaded, moving;
    bool dead;  // its loads per length, if there are any, answer to nothing
    tangent_kind kind;
    bool far_moves;  // something beyond answers to the velocity of the far side
} piece;

// R_k into the columns that belong to node k and, Kirchhoff's rod aside, to u (from 0) or v (from 3).
static void add_own(const piece *e, int k, double s, int from, int width, double *block) {
    if (from >= e->d) return;
    const mat3 *R = &e->nodes[k].T.R;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) block[i * width + k * e->d + from + c] += s * R->m[i][c];
}

// th and dp by the quadrature, and z (6 x m) of the far side.
static void fill_poses(const piece *e, columns *c, double *far) {
    const int n = c->n, m = c->width;
    const double h = e->e->length;
    const mat3 zero = mat3_zero();
    for (int j = 0; j < n; j++) {
        const se3 *T = &e->nodes[j].T;
        for (int q = 0; q < n; q++) {
            mat3 R = mat3_scale(&T->R, h * e->t->A[q * n + j]);
            mat3 lever = hat_times(vec3_sub(T->p, e->nodes[q].T.p), &R);
            double *th = column_of(c, c->th, q), *dp = column_of(c, c->dp, q);
            put_block(th, m, 0, j * e->d, &R);
            put_block(dp, m, 0, j * e->d, &lever);
            if (e->d == 3) continue;
            put_block(th, m, 0, j * e->d + 3, &zero);
            put_block(dp, m, 0, j * e->d + 3, &R);
        }
        adjoint_columns(T, h * e->t->w[j], e->d, m, far + j * e->d);
    }
}

static void fill_slopes(const piece *e, columns *c) {
    memset(c->slope, 0, sizeof(double) * block_doubles(c->n, c->width));
    for (int k = 0; k < c->n; k++) {
        double *slope = column_of(c, c->slope, k);
        columns_add_cross(-1.0, e->nodes[k].slope, column_of(c, c->th, k), c->width, slope);
        add_own(e, k, 1.0, 3, c->width, slope);
    }
}

// out (3 x m) = th x rate + c0 X, a rate of the strain that turns with its node
static void rate_columns(const piece *e, const columns *c, int k, vec3 rate, int from,
                         double *out) {
    memset(out, 0, sizeof(double) * 3 * (size_t)c->width);
    columns_add_cross(-1.0, rate, column_of(c, c->th, k), c->width, out);
    add_own(e, k, e->p->c0, from, c->width, out);
}

// da (6 x m) of the far side: sum_k b_k (dw_k, dp_k x w_k + p_k x dw_k + dnu_k)
static void fill_far_velocity(const piece *e, columns *c, double *far) {
    const int m = c->width;
    memset(far, 0, sizeof(double) * 6 * (size_t)m);
    for (int k = 0; k < c->n; k++) {
        const double b = e->e->quadrature[k];
        const double *dw = column_of(c, c->a, k), *dnu = column_of(c, c->b, k);
        for (int i = 0; i < 3 * m; i++) far[i] += b * dw[i];
        for (int i = 0; i < 3 * m; i++) far[3 * m + i] += b * dnu[i];
        columns_add_cross(-b, e->forces[k].bend, column_of(c, c->dp, k), m, far + 3 * m);
        columns_add_cross(b, e->nodes[k].T.p, dw, m, far + 3 * m);
    }
}

// Om and V of the nodes, and da of the far side where it is wanted.
static void fill_velocities(const piece *e, columns *c, double *far) {
    const int n = c->n, m = c->width;
    const vec3 Om_b = e->near->a.a;
    for (int k = 0; k < n; k++) {
        rate_columns(e, c, k, e->forces[k].bend, 0, column_of(c, c->a, k));
        rate_columns(e, c, k, e->forces[k].nu, 3, column_of(c, c->b, k));
    }
    if (far) fill_far_velocity(e, c, far);
    weigh(n, e->t->A, e->e->length, 3 * m, c->a, c->Om);
    for (int k = 0; k < n; k++) {
        double *g = column_of(c, c->b, k);
        columns_add_cross(-1.0, e->nodes[k].slope, column_of(c, c->Om, k), m, g);
        columns_add_cross(1.0, vec3_sub(e->forces[k].Om, Om_b), column_of(c, c->slope, k), m, g);
    }
    weigh(n, e->t->A, e->e->length, 3 * m, c->b, c->V);
    for (int q = 0; q < n; q++)
        columns_add_cross(1.0, Om_b, column_of(c, c->dp, q), m, column_of(c, c->V, q));
}

// What is pushed out of the base moves with the strain there, and all of the element with it:
// da_b = out Ad_b sum_j l_j(0) dx_j.
static void add_pushed(const piece *e, columns *c, double *far) {
    const int n = c->n, m = c->width;
    double row[GAUSS_MAX], *da = c->a;  // (6 x m)
    lagrange_row(n, e->t->c, e->t->bary, 0.0, row);
    for (int j = 0; j < n; j++)
        adjoint_columns(&e->near->T, e->p->base.out * row[j], e->d, m, da + j * e->d);
    for (int q = 0; q < n; q++) {
        double *Om = column_of(c, c->Om, q), *V = column_of(c, c->V, q);
        for (int i = 0; i < 3 * m; i++) Om[i] += da[i], V[i] += da[3 * m + i];
        columns_add_cross(-1.0, e->nodes[q].T.p, da, m, V);
    }
    for (int i = 0; i < 6 * m && far; i++) far[i] += da[i];
}

// ---------------------------------------------------------------- loads against motion
// Poses from `m`, forces and rates from `s`.
static load_tangent tangent_of_load(const station *st, const element_loads *load, double c0,
                                    const node_motion *m, const node_motion *s) {
    const mat3 *R = &m->T.R;
    const mat3 Om = mat3_hat(s->Om), I = mat3_identity();
    mat3 c0_Om = sum(mat3_scale(&I, c0), Om);
    load_tangent out;

    vec3 speed = vec3_make(fabs(s->q.x), fabs(s->q.y), fabs(s->q.z));
    out.touches = out.surrounded = false;
    mat3 D = turned(R, vec3_add(vec3_scale(vec3_mul(st->drag, speed), 2.0), st->linear));
    vec3 turning = vec3_sub(mat3_mul_vec(R, load->body.force), vec3_add(s->Rh_q, s->drag));
    out.f_V = sum(mat3_scale(&c0_Om, st->mass), D);
    out.f_Om = mat3_hat(vec3_scale(s->V, -st->mass));
    out.f_th = sum(mat3_hat(turning), times_hat(&D, s->V));

    mat3 J = turned(R, st->J), j_hat = mat3_hat(s->j);
    mat3 j_turn = difference(mat3_mul(&J, &Om), j_hat);
    vec3 turning_l = vec3_sub(mat3_mul_vec(R, load->body.moment), s->Rh_w);
    out.l_Om = difference(mat3_mul(&c0_Om, &J), j_hat);
    out.l_th = sum(mat3_mul(&c0_Om, &j_turn), mat3_hat(turning_l));
    return out;
}

static void add_contact(const rod_problem *p, const element *e, int i, const se3 *T,
                        load_tangent *to) {
    contact_slopes by;
    to->touches = contact_of_node(p, e, i, T, &by, NULL).touches;
    to->f_p = mat3_scale(&by.f_p, -1.0);
    to->l_p = mat3_scale(&by.l_p, -1.0);
    to->f_th = difference(to->f_th, by.f_th);
    to->l_th = difference(to->l_th, by.l_th);
}

// Poses from m, velocities from s; what touches has put its own there.
static void add_around(const rod_problem *p, const element *e, int i, const node_motion *m,
                       const node_motion *s, load_tangent *to) {
    around_slopes by;
    around_motion at = {.T = m->T, .Om = s->Om, .V = s->V, .c0 = p->c0};
    at.q_t = vec3_madd(vec3_load(p->m->history + F_SIZE * (e->node + i) + F_Q), p->c0,
                       mat3_tmul_vec(&m->T.R, s->V));
    around_of_node(p->m, e, i, &at, &by);
    if (!to->touches) to->f_p = to->l_p = mat3_zero();
    to->f_p = difference(to->f_p, by.f_p), to->l_p = difference(to->l_p, by.l_p);
    to->f_th = difference(to->f_th, by.f_th), to->l_th = difference(to->l_th, by.l_th);
    to->f_V = difference(to->f_V, by.f_V), to->l_V = mat3_scale(&by.l_V, -1.0);
    to->f_Om = difference(to->f_Om, by.f_Om), to->l_Om = difference(to->l_Om, by.l_Om);
    to->touches = to->surrounded = true;
}

static void loads_of(const piece *e, const element_loads *load, load_tangent *by) {
    for (int q = 0; q < e->t->n; q++)
        by[q] = tangent_of_load(&e->e->stations[q], load, e->p->c0, &e->nodes[q], &e->forces[q]);
    for (int q = 0; q < e->t->n && e->p->touches; q++)
        add_contact(e->p, e->e, q, &e->nodes[q].T, &by[q]);
    for (int q = 0; q < e->t->n && e->e->around; q++)
        add_around(e->p, e->e, q, &e->nodes[q], &e->forces[q], &by[q]);
}

static void fill_loads(const piece *e, const load_tangent *by, columns *c) {
    const int w = c->width;
    for (int q = 0; q < c->n; q++) {
        double *f = column_of(c, c->f, q), *l = column_of(c, c->l, q);
        columns_multiply(&by[q].f_th, column_of(c, c->th, q), w, f);
        columns_multiply(&by[q].l_th, column_of(c, c->th, q), w, l);
        if (by[q].touches) columns_add_product(&by[q].f_p, column_of(c, c->dp, q), w, f);
        if (by[q].touches) columns_add_product(&by[q].l_p, column_of(c, c->dp, q), w, l);
        if (!e->moving) continue;
        columns_add_product(&by[q].f_Om, column_of(c, c->Om, q), w, f);
        columns_add_product(&by[q].f_V, column_of(c, c->V, q), w, f);
        columns_add_product(&by[q].l_Om, column_of(c, c->Om, q), w, l);
        if (by[q].surrounded) columns_add_product(&by[q].l_V, column_of(c, c->V, q), w, l);
    }
}

// out (6 x w) = - sum_q b_q d(l_q + p_q x f_q, f_q): what reaches the near side
static void fill_near_wrench(const piece *e, columns *c, double *out) {
    const int w = c->width;
    memset(out, 0, sizeof(double) * 6 * (size_t)w);
    for (int q = 0; q < c->n && e->loaded; q++) {
        const double b = e->e->quadrature[q];
        const double *f = column_of(c, c->f, q), *l = column_of(c, c->l, q);
        columns_add_cross(b, e->forces[q].f, column_of(c, c->dp, q), w, out);
        if (e->dead) continue;
        for (int i = 0; i < 3 * w; i++) out[i] -= b * l[i], out[3 * w + i] -= b * f[i];
        columns_add_cross(-b, e->nodes[q].T.p, f, w, out);
    }
}

// ---------------------------------------------------------------- rows
// F_i = sum_q Q_iq f_q
static void sum_forces(const piece *e, vec3 *F) {
    const int n = e->t->n;
    for (int i = 0; i < n; i++) {
        F[i] = vec3_make(0.0, 0.0, 0.0);
        for (int q = 0; q < n; q++)
            F[i] = vec3_madd(F[i], e->e->length * e->t->Q[i * n + q], e->forces[q].f);
    }
}

static vec3 lever_of(const piece *e, int k) {
    return vec3_sub(e->nodes[k].T.p, e->near->T.p);
}

// a = dF and b = sum_k Q_ik (dl_k + dp'_k x F_k + p'_k x dF_k); dl is overwritten. The last term stands for
// sum_q Q_iq (p_q - p_i) x df_q, which with b_i Q_iq = b_q A_qi is the adjoint of dp: what answers to shifts by a symmetric
// stiffness, however hard, then leaves b_i J_ij symmetric.
static void sum_loads(const piece *e, columns *c, const vec3 *F) {
    const int n = c->n, w = c->width;
    if (e->dead) memset(c->l, 0, sizeof(double) * block_doubles(n, w));
    if (e->dead) memset(c->a, 0, sizeof(double) * block_doubles(n, w));
    else weigh(n, e->t->Q, e->e->length, 3 * w, c->f, c->a);
    for (int k = 0; k < n; k++) {
        double *l = column_of(c, c->l, k);
        columns_add_cross(-1.0, F[k], column_of(c, c->slope, k), w, l);
        if (e->dead) continue;
        if (e->kind == TANGENT_EVEN)
            columns_add_cross(1.0, lever_of(e, k), column_of(c, c->f, k), w, l);
        else columns_add_cross(1.0, e->nodes[k].slope, column_of(c, c->a, k), w, l);
    }
    weigh(n, e->t->Q, e->e->length, 3 * w, c->l, c->b);
    for (int i = 0; i < n && !e->dead && e->kind == TANGENT_EVEN; i++)
        columns_add_cross(-1.0, lever_of(e, i), column_of(c, c->a, i), w, column_of(c, c->b, i));
}

// rows (3 x w) = R' (g + th x S), four columns at a time; what four do not divide: the last four, some of them twice
LANES_CLONED static void close_rows(const mat3 *R, vec3 S, const double *restrict th,
                                    const double *restrict g, int w, double *restrict rows) {
    const lanes Sx = lanes_all(S.x), Sy = lanes_all(S.y), Sz = lanes_all(S.z);
    lanes r[3][3];
    for (int i = 0; i < 9; i++) r[i / 3][i % 3] = lanes_all(R->m[i / 3][i % 3]);
    for (int at = 0; at < w; at += LANES) {
        const int k = at + LANES <= w ? at : w - LANES;
        const lanes tx = lanes_load(th + k), ty = lanes_load(th + w + k),
                    tz = lanes_load(th + 2 * w + k);
        const lanes x = lanes_load(g + k) + (ty * Sz - tz * Sy);
        const lanes y = lanes_load(g + w + k) + (tz * Sx - tx * Sz);
        const lanes z = lanes_load(g + 2 * w + k) + (tx * Sy - ty * Sx);
        for (int i = 0; i < 3; i++)
            *(lanes *)(rows + i * w + k) = r[0][i] * x + r[1][i] * y + r[2][i] * z;
    }
}

// rows (n d x w) = - d(R_i' (M_i, N_i)) but for what comes from the far side's wrench
static void fill_rows(const piece *e, columns *c, double *rows) {
    const int w = c->width;
    vec3 F[GAUSS_MAX] = {{0.0, 0.0, 0.0}};
    if (e->loaded) {
        sum_forces(e, F);
        sum_loads(e, c, F);
    } else {
        memset(c->a, 0, sizeof(double) * block_doubles(c->n, w));
        memset(c->b, 0, sizeof(double) * block_doubles(c->n, w));
    }
    for (int i = 0; i < c->n; i++, rows += e->d * w) {
        const node_motion *s = &e->forces[i];
        const mat3 *R = &e->nodes[i].T.R;
        const vec3 N_far = e->loaded ? vec3_add(s->N, F[i]) : s->N;
        double *th = column_of(c, c->th, i), *moment = column_of(c, c->b, i);
        columns_add_cross(-1.0, N_far, column_of(c, c->dp, i), w, moment);
        close_rows(R, s->M, th, moment, w, rows);
        if (e->d == 6) close_rows(R, s->N, th, column_of(c, c->a, i), w, rows + 3 * w);
    }
}

static void add_section_law(const piece *e, double *J) {
    const int d = e->d, m = d * e->t->n;
    for (int i = 0; i < e->t->n; i++) {
        const station *st = &e->e->stations[i];
        const section_law *law = e->e->laws ? &e->e->laws[i] : NULL;
        for (int k = 0; k < d; k++) {
            double *row = J + (i * d + k) * m + i * d;
            row[k] += (1.0 + e->p->hold) * st->K[k] + e->p->c0 * st->B[k];
            for (int l = 0; l < d && law && law->coupled && e->p->hold != 0.0; l++)
                row[l] += e->p->hold * law->coupling[6 * k + l];
        }
    }
}

// ---------------------------------------------------------------- the near side
// Columns of v x (what multiplies it), i.e. of v^, into a (3 x w) block.
static void put_hat(double *a, int w, int column, vec3 v) {
    mat3 h = mat3_hat(v);
    put_block(a, w, 0, column, &h);
}

// The element carried along by (z_b, da_b): th = z_a, dp = z_l - p x z_a, what was summed within
// turns with z_a.
static void fill_carried(const piece *e, columns *c) {
    const mat3 I = mat3_identity();
    const vec3 Om_b = e->near->a.a;
    const int w = c->width;
    memset(c->th, 0, sizeof(double) * (e->moving ? 5 : 3) * block_doubles(c->n, w));  // th .. V
    for (int q = 0; q < c->n; q++) {
        const vec3 p = e->nodes[q].T.p;
        double *dp = column_of(c, c->dp, q);
        put_block(column_of(c, c->th, q), w, 0, 0, &I);
        put_hat(dp, w, 0, vec3_neg(p));
        put_block(dp, w, 0, 3, &I);
        put_hat(column_of(c, c->slope, q), w, 0, vec3_neg(e->nodes[q].slope));
        if (!e->moving) continue;
        // Om = Om_b + O and V = a_b,l + Om_b x p + s
        double *Om = column_of(c, c->Om, q), *V = column_of(c, c->V, q);
        vec3 O = vec3_sub(e->forces[q].Om, Om_b);
        vec3 s = vec3_sub(e->forces[q].V, vec3_add(e->near->a.l, vec3_cross(Om_b, p)));
        put_hat(Om, w, 0, vec3_neg(O));
        put_block(Om, w, 0, 6, &I);
        put_hat(V, w, 0, vec3_neg(s));
        put_hat(V, w, 6, vec3_neg(p));
        put_block(V, w, 0, 9, &I);
        columns_add_cross(1.0, Om_b, dp, w, V);
    }
}

// [I 0; -ad(a - a_b) I] (12 x 12): what a motion of the near side makes at the far side; at rest the same
static void fill_carry(vec6 relative, double *out) {
    memset(out, 0, sizeof(double) * 144);
    for (int i = 0; i < 12; i++) out[13 * i] = 1.0;
    mat6 ad = se3_ad_matrix(relative);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) out[12 * (6 + i) + k] = -ad.m[i][k];
}

// Ad_i' as rows (m x 6)
static void fill_far_rows(const piece *e, double *rows) {
    for (int j = 0; j < e->t->n; j++) {
        const se3 *T = &e->nodes[j].T;
        mat3 Rt = mat3_transpose(&T->R), lever = times_hat(&Rt, vec3_neg(T->p)), zero = mat3_zero();
        put_block(rows, 6, j * e->d, 0, &Rt);
        put_block(rows, 6, j * e->d, 3, &lever);
        if (e->d == 3) continue;
        put_block(rows, 6, j * e->d + 3, 0, &zero);
        put_block(rows, 6, j * e->d + 3, 3, &Rt);
    }
}

// ---------------------------------------------------------------- all of it
// Weight, and what has a fixed direction.
static bool loads_are_dead(const rod_problem *p, const element_loads *load) {
    return p->c0 == 0.0 && !p->touches && !p->r->around &&
           vec3_norm(load->body.force) + vec3_norm(load->body.moment) == 0.0;
}

// A rod at rest under loads at its ends only: no load along it answers to anything.
static bool is_loaded(const element_loads *load, double c0, const node_motion *forces, int n) {
    if (c0 != 0.0 || vec3_norm(load->body.force) + vec3_norm(load->body.moment) > 0.0) return true;
    for (int q = 0; q < n; q++)
        if (vec3_norm(forces[q].f) + vec3_norm(forces[q].l) > 0.0) return true;
    return false;
}

static piece piece_of(const rod_problem *p, const iterate *it, const node_motion *forces, int k,
                      tangent_kind kind) {
    const element *e = &p->r->elements[k];
    piece out = {
        .p = p, .e = e, .t = gauss_of(p->r, e), .d = unknowns_per_node(p->r), .kind = kind};
    out.x = it->x + 6 * e->node;
    out.nodes = it->nodes + e->node, out.forces = forces + e->node;
    out.near = &it->bounds[k];
    out.loaded = e->around || is_loaded(&p->m->loads[k], p->c0, out.forces, e->n_nodes);
    out.moving = p->c0 != 0.0;
    out.dead = loads_are_dead(p, &p->m->loads[k]);
    out.far_moves = k + 1 < p->r->n_elements || e->n_riders > 0;
    return out;
}

void tangent_loads(const rod_problem *p, const iterate *it, const node_motion *forces, int k,
                   load_tangent *by) {
    const piece e = piece_of(p, it, forces, k, TANGENT_BY_QUADRATURE);
    loads_of(&e, &p->m->loads[k], by);
}

void tangent_poses(const rod_problem *p, const iterate *it, int k, double *th, double *dp,
                   double *far) {
    const piece e = piece_of(p, it, it->nodes, k, TANGENT_SHARP);
    magnus_poses(e.e, e.t, e.x, &e.near->T, e.nodes, e.d, th, dp, far);
}

// The columns of the unknowns: J, `tip`, `rows` and, where it is wanted, `out`.
static void fill_unknowns(const piece *e, const load_tangent *by, bool pushed, bool ports,
                          element_factor *out, double *scratch) {
    const int n = e->t->n, m = n * e->d;
    columns c = columns_at(n, m, scratch);
    double *pose = out->tip, *velocity = out->tip + 6 * m;
    if (e->kind == TANGENT_SHARP)
        magnus_poses(e->e, e->t, e->x, &e->near->T, e->nodes, e->d, c.th, c.dp, pose);
    else fill_poses(e, &c, pose);
    if (e->loaded || e->moving) fill_slopes(e, &c);
    if (e->moving) fill_velocities(e, &c, e->far_moves ? velocity : NULL);
    if (e->moving && !e->far_moves) memset(velocity, 0, sizeof(double) * 6 * (size_t)m);
    if (e->moving && pushed) add_pushed(e, &c, e->far_moves ? velocity : NULL);
    if (e->loaded && !e->dead) fill_loads(e, by, &c);
    if (ports) fill_near_wrench(e, &c, out->out);
    fill_rows(e, &c, out->lu);
    add_section_law(e, out->lu);
    fill_far_rows(e, out->rows);
}

void tangent_element(const rod_problem *p, const iterate *it, const node_motion *all_forces, int k,
                     bool ports, tangent_kind kind, element_factor *out, double *base,
                     double *scratch) {
    const piece e = piece_of(p, it, all_forces, k, kind);
    load_tangent by[GAUSS_MAX];
    if (e.loaded && !e.dead) loads_of(&e, &p->m->loads[k], by);
    fill_unknowns(&e, by, k == 0 && p->base.out != 0.0, ports, out, scratch);
    if (p->r->n_actuators) efforts_add_stiffness(p, it, k, out->lu);
    if (e.e->laws) laws_add_tangent(p, it, k, out->lu);
    if (!ports) return;
    columns c = columns_at(e.t->n, motions_of(p->c0), scratch);
    fill_carried(&e, &c);
    if (e.loaded && !e.dead) fill_loads(&e, by, &c);
    fill_near_wrench(&e, &c, base);
    fill_rows(&e, &c, out->lean);
    if (e.moving) fill_carry(vec6_sub(it->bounds[k + 1].a, e.near->a), out->carry);
}

// A moment that is dead or follows has a matrix that is not symmetric; `even`, with M^/2 of each its symmetric part
// alone, beside the half that rotations about fixed axes bring.
void tangent_end_load(const rod_problem *p, const iterate *it, int k, int w, bool even, double *H) {
    const element_loads *load = &p->m->loads[k];
    const se3 *T = &it->bounds[k + 1].T;
    vec3 F_body = mat3_mul_vec(&T->R, load->end_body.force);
    vec3 M_body = mat3_mul_vec(&T->R, load->end_body.moment);
    const bool last = k == p->r->n_elements - 1;
    const wrench held = last ? p->tip : (wrench){vec3_zero(), vec3_zero()};
    vec3 forces = vec3_add(vec3_add(load->end_world.force, held.force), F_body);
    if (p->r->meets) forces = vec3_add(forces, p->m->pushes[p->r->n_nodes + k + 1].l);
    mat3 F = mat3_hat(forces);
    vec3 turning = M_body;
    if (even) {
        const vec3 dead = vec3_add(load->end_world.moment, held.moment);
        turning = vec3_scale(vec3_add(M_body, dead), 0.5);
    }
    mat3 F_turn = mat3_hat(vec3_neg(F_body)), M_turn = mat3_hat(vec3_neg(turning));
    // dS_l = th x RF;  dS_a = th x RM + dp x F + p x dS_l with dp = z_l - p x th
    mat3 a_z = sum(sum(M_turn, times_hat(&F, T->p)), hat_times(T->p, &F_turn));
    if (p->r->meets) a_z = sum(a_z, p->m->levers[k + 1]);
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 3; l++) {
            H[w * i + l] += a_z.m[i][l];
            H[w * i + 3 + l] -= F.m[i][l];
            H[w * (3 + i) + l] += F_turn.m[i][l];
        }
    if (last && p->touches && contact_tip_touches(p->r)) contact_of_tip(p, T, w, H);
    if (p->r->around && p->r->elements[k].n_riders) around_of_end(p->m, k, T, w, H);
    if (p->touches && p->r->touch) contact_of_riders(p, k, T, it->bounds[k + 1].a, w, H, NULL);
    if (!p->r->elements[k].n_riders) return;
    double asked[72];
    rigid_wrench(&load->end_mass, T, it->bounds[k + 1].a, p->c0, p->m->end_history + 6 * k,
                 p->gravity, asked);
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < w; l++) H[w * i + l] -= asked[12 * i + l];
}
