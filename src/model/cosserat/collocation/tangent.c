// model/cosserat/collocation/tangent.c - the linearised equations of one element.
//
// Variations are spatial: z of the pose, da of the velocity (6 each). With world increments of the
// strain X_j = R_j dx_j, i.e. Ad_j dx_j in the spatial frame:
//
//     z_q  = z_b + sum_j A_qj Ad_j dx_j
//     da_q = da_b - ad(a_q - a_b) z_b + sum_j (c0 A_qj - ad(g_qj)) Ad_j dx_j,
//            g_qj = sum_k A_qk A_kj e_k
//     dF_q = Mz_q z_q + Ma_q da_q
//     dS_i = dS_tip - sum_q Q_iq dF_q
//     d(residual)_i = (K + c0 B) dx_i - Ad_i' (dS_i + coad(z_i) S_i)
//
// z and da are the tangent of the exact kinematics by the same quadrature, not of the Magnus
// product: they differ by the quadrature error of a nodal perturbation, and on most rods Newton does
// not notice. A `sharp` tangent is that of the Magnus product itself, and costs a few times as much:
//
//     z_k = z_(k-1) + Ad(T_(k-1)) dexp(psi_k) dpsi_k,    da_q = c0 A_qj Ad_j dx_j - sum_k A_qk ad(e_k) z_k
#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/cosserat/collocation/efforts.h"

// ---------------------------------------------------------------- small blocks
// Rows and columns of 3 x 3 blocks in a 6-row matrix with `width` columns.
static void put_block(double *a, int width, int row, int column, const mat3 *b) {
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

// ---------------------------------------------------------------- loads against motion
// Mz and Ma of one node (6 x 6 each): how its spatial load answers to pose and velocity. Poses from
// `m`, forces and rates from `s`.
static void load_tangent(const station *st, const element_loads *load, double c0,
                         const node_motion *m, const node_motion *s, double *Mz, double *Ma) {
    const mat3 *R = &m->T.R;
    const vec3 p = m->T.p;
    const mat3 Om = mat3_hat(s->Om), I = mat3_identity();
    mat3 c0_Om = sum(mat3_scale(&I, c0), Om);

    // df = AV dV + AO dOm + At th
    vec3 speed = vec3_make(fabs(s->q.x), fabs(s->q.y), fabs(s->q.z));
    mat3 D = turned(R, vec3_add(vec3_scale(vec3_mul(st->drag, speed), 2.0), st->linear));
    mat3 AV = sum(mat3_scale(&c0_Om, st->mass), D);
    mat3 AO = mat3_hat(vec3_scale(s->V, -st->mass));
    vec3 turning = vec3_sub(mat3_mul_vec(R, load->body.force), vec3_add(s->Rh_q, s->drag));
    mat3 At = sum(mat3_hat(turning), times_hat(&D, s->V));

    // dl = BO dOm + Bt th
    mat3 J = turned(R, st->J), j_hat = mat3_hat(s->j);
    mat3 BO = difference(mat3_mul(&c0_Om, &J), j_hat);
    mat3 j_turn = difference(mat3_mul(&J, &Om), j_hat);
    vec3 turning_l = vec3_sub(mat3_mul_vec(R, load->body.moment), s->Rh_w);
    mat3 Bt = sum(mat3_mul(&c0_Om, &j_turn), mat3_hat(turning_l));

    // in terms of z and da: th = z_a, dp = z_l - p x th, dOm = da_a, dV = da_l - p x dOm + Om x dp
    mat3 AV_Om = mat3_mul(&AV, &Om);
    mat3 f_za = difference(At, times_hat(&AV_Om, p));
    mat3 f_aa = difference(AO, times_hat(&AV, p));
    mat3 f_hat = mat3_hat(s->f);
    mat3 t_za = sum(sum(Bt, times_hat(&f_hat, p)), hat_times(p, &f_za));
    mat3 t_zl = difference(hat_times(p, &AV_Om), f_hat);
    mat3 t_aa = sum(BO, hat_times(p, &f_aa)), t_al = hat_times(p, &AV);
    put_block(Mz, 6, 0, 0, &t_za), put_block(Mz, 6, 0, 3, &t_zl);
    put_block(Mz, 6, 3, 0, &f_za), put_block(Mz, 6, 3, 3, &AV_Om);
    put_block(Ma, 6, 0, 0, &t_aa), put_block(Ma, 6, 0, 3, &t_al);
    put_block(Ma, 6, 3, 0, &f_aa), put_block(Ma, 6, 3, 3, &AV);
}

// The first `d` columns of Ad(T), into columns of a (6 x m) matrix.
static void adjoint_columns(const se3 *T, int d, int m, double *out) {
    mat3 pR = hat_times(T->p, &T->R);
    put_block(out, m, 0, 0, &T->R);
    put_block(out, m, 3, 0, &pR);
    if (d == 3) return;
    mat3 zero = mat3_zero();
    put_block(out, m, 0, 3, &zero);
    put_block(out, m, 3, 3, &T->R);
}

// out = ad(g) b column by column; all (6 x m)
static void bracket_columns(const double *restrict g, const double *restrict b, int m,
                            double *restrict out) {
#pragma omp simd
    for (int k = 0; k < m; k++) {
        double gx = g[k], gy = g[m + k], gz = g[2 * m + k];
        double hx = g[3 * m + k], hy = g[4 * m + k], hz = g[5 * m + k];
        double bx = b[k], by = b[m + k], bz = b[2 * m + k];
        double cx = b[3 * m + k], cy = b[4 * m + k], cz = b[5 * m + k];
        out[k] = gy * bz - gz * by;
        out[m + k] = gz * bx - gx * bz;
        out[2 * m + k] = gx * by - gy * bx;
        out[3 * m + k] = (hy * bz - hz * by) + (gy * cz - gz * cy);
        out[4 * m + k] = (hz * bx - hx * bz) + (gz * cx - gx * cz);
        out[5 * m + k] = (hx * by - hy * bx) + (gx * cy - gy * cx);
    }
}

// c (6 x m) = a (6 x 6) x (6 x m) + b (6 x 6) y (6 x m); b may be NULL
static void products(int m, const double *restrict a, const double *restrict x,
                     const double *restrict b, const double *restrict y, double *restrict c) {
    for (int i = 0; i < 6; i++, a += 6, c += m) {
#pragma omp simd
        for (int j = 0; j < m; j++)
            c[j] = ((a[0] * x[j] + a[1] * x[m + j]) + (a[2] * x[2 * m + j] + a[3] * x[3 * m + j])) +
                   (a[4] * x[4 * m + j] + a[5] * x[5 * m + j]);
        if (!b) continue;
#pragma omp simd
        for (int j = 0; j < m; j++)
            c[j] += ((b[0] * y[j] + b[1] * y[m + j]) + (b[2] * y[2 * m + j] + b[3] * y[3 * m + j])) +
                    (b[4] * y[4 * m + j] + b[5] * y[5 * m + j]);
        b += 6;
    }
}

// c (6 x w) += a (6 x 6) b (6 x w)
static void multiply_add(const double *a, const double *b, int w, double *c) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            const double s = a[6 * i + k];
            for (int j = 0; j < w; j++) c[i * w + j] += s * b[k * w + j];
        }
}

// out (d x w, with stride) = the first d rows of Ad(T)' g, g (6 x w)
static void coadjoint_rows(const se3 *T, const double *g, int w, int d, double *out, int stride) {
    for (int k = 0; k < w; k++) {
        vec6 column = {{g[k], g[w + k], g[2 * w + k]}, {g[3 * w + k], g[4 * w + k], g[5 * w + k]}};
        double r[6];
        vec6_store(r, se3_coadjoint_inv_vec(T, column));
        for (int i = 0; i < d; i++) out[i * stride + k] = r[i];
    }
}

// g -= s C z with C = [S_a^ S_l^; S_l^ 0], i.e. coad(z) S column by column; z (6 x w)
static void subtract_geometric(vec6 S, double s, const double *z, int w, double *g) {
    for (int k = 0; k < w; k++) {
        vec6 column = {{z[k], z[w + k], z[2 * w + k]}, {z[3 * w + k], z[4 * w + k], z[5 * w + k]}};
        double r[6];
        vec6_store(r, se3_coad(column, S));
        for (int i = 0; i < 6; i++) g[i * w + k] -= s * r[i];
    }
}

// ---------------------------------------------------------------- scratch
typedef struct scratch {
    double *Mz, *Ma;  // (n) x 6 x 6
    double *ad;       // 6 x m: Ad columns
    double *z, *da;   // (n + 1) x 6 x m: motion at the nodes and at the tip side against the unknowns
    double *dF;       // (n) x 6 x m: load at q against all unknowns
    double *g, *sum;  // 6 x m
} scratch;

size_t tangent_doubles(int n, int d) {
    size_t k = (size_t)n, m = k * (size_t)d, widest = m > 12 ? m : 12;
    return k * 72 + 6 * m + 2 * (k + 1) * 6 * m + k * 6 * widest + 2 * 6 * m;
}

static scratch split_scratch(int n, int d, double *at) {
    size_t k = (size_t)n, m = k * (size_t)d, widest = m > 12 ? m : 12;
    scratch s;
    s.Mz = at, s.Ma = s.Mz + k * 36;
    s.ad = s.Ma + k * 36, s.z = s.ad + 6 * m, s.da = s.z + (k + 1) * 6 * m;
    s.dF = s.da + (k + 1) * 6 * m;
    s.g = s.dF + k * 6 * widest, s.sum = s.g + 6 * m;
    return s;
}

// ---------------------------------------------------------------- one element
// g (6 x m): g_j = sum_k weight_k A_kj e_k, the velocity that strain j carries along
static void carried(const gauss_table *t, double h, const double *weight, int d,
                    const node_motion *forces, double *g) {
    const int n = t->n, m = n * d;
    for (int j = 0; j < n; j++) {
        vec6 sum_j = vec6_zero();
        for (int k = 0; k < n; k++)
            sum_j = vec6_madd(sum_j, weight[k] * t->A[k * n + j], forces[k].e);
        double v[6];
        vec6_store(v, vec6_scale(sum_j, h * h));
        for (int i = 0; i < 6; i++)
            for (int c = 0; c < d; c++) g[i * m + j * d + c] = v[i];
    }
}

// z = A_j Ad_j
static void weigh(const double *A, double h, int n, int d, const double *restrict ad,
                  double *restrict z) {
    const int m = n * d;
    double w[6 * 64];
    for (int j = 0; j < n; j++)
        for (int c = 0; c < d; c++) w[j * d + c] = h * A[j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < m; j++) z[i * m + j] = w[j] * ad[i * m + j];
}

// The weights of row q of A, or of the tip side (q = n).
static const double *weights_of(const gauss_table *t, int q) {
    return q < t->n ? t->A + q * t->n : t->w;
}

// z and da by the quadrature.
static void fill_motion(const element *e, const gauss_table *t, double c0, int d,
                        const node_motion *forces, const scratch *s) {
    const int n = t->n, m = n * d;
    for (int q = 0; q <= n; q++) {
        double *z = s->z + q * 6 * m, *da = s->da + q * 6 * m;
        weigh(weights_of(t, q), e->length, n, d, s->ad, z);
        if (c0 == 0.0) continue;
        carried(t, e->length, weights_of(t, q), d, forces, s->g);
        bracket_columns(s->g, s->ad, m, da);
        for (int i = 0; i < 6 * m; i++) da[i] = c0 * z[i] - da[i];
    }
}

// ---------------------------------------------------------------- the Magnus product
static mat6 combined(double a, const mat6 *x, double b, const mat6 *y) {
    mat6 out;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) out.m[i][k] = a * x->m[i][k] + b * y->m[i][k];
    return out;
}

// d psi/d y_k of se3_magnus6: psi = y1 + y3/12 + [left, right]/240.
static void magnus6_by_moments(vec6 y1, vec6 y2, vec6 y3, mat6 out[3]) {
    const mat6 I = mat6_identity(), A1 = se3_ad_matrix(y1), A2 = se3_ad_matrix(y2);
    vec6 b = se3_ad(y1, y2), inner = vec6_sub(vec6_scale(y3, 2.0), b), c = se3_ad(y1, inner);
    mat6 L = se3_ad_matrix(vec6_add(vec6_madd(y3, 20.0, y1), b));
    mat6 R = se3_ad_matrix(vec6_madd(y2, 1.0 / 60.0, c)), In = se3_ad_matrix(inner);
    mat6 A1A1 = mat6_mul(&A1, &A1), A1A2 = mat6_mul(&A1, &A2);
    const mat6 left[3] = {combined(20.0, &I, -1.0, &A2), A1, I};
    const mat6 right[3] = {combined(-1.0 / 60.0, &In, 1.0 / 60.0, &A1A2),
                           combined(1.0, &I, -1.0 / 60.0, &A1A1),
                           combined(1.0 / 30.0, &A1, 0.0, &I)};
    const double own[3] = {1.0, 0.0, 1.0 / 12.0};
    for (int k = 0; k < 3; k++) {
        mat6 a = mat6_mul(&L, &right[k]), r = mat6_mul(&R, &left[k]);
        a = combined(1.0 / 240.0, &a, -1.0 / 240.0, &r);
        out[k] = combined(own[k], &I, 1.0, &a);
    }
}

// dexp(psi) d psi/d(strain at each Magnus point) of one step, in the frame of its start.
static void magnus_tangent(const element *e, const gauss_table *t, const double *x, int step,
                           mat6 out[3]) {
    const double d = e->length * t->d[step], r = 1.2909944487358056284;  // sqrt(15)/3
    vec6 g[3], psi;
    for (int i = 0; i < t->points; i++) {
        const double *row = t->rows + (step * t->points + i) * t->n;
        g[i] = vec6_make(e->stations[0].u_rest, e->stations[0].v_rest);
        for (int j = 0; j < t->n; j++) g[i] = vec6_madd(g[i], row[j], vec6_load(x + 6 * j));
    }
    if (t->points == 2) {  // psi = y1 + [y1, y2]/12, y1 = d (g1 + g2)/2, y2 = sqrt 3 d (g2 - g1)
        const mat6 I = mat6_identity();
        mat6 A1 = se3_ad_matrix(vec6_scale(vec6_add(g[0], g[1]), 0.5 * d));
        mat6 A2 = se3_ad_matrix(vec6_scale(vec6_sub(g[1], g[0]), sqrt(3.0) * d));
        mat6 by1 = combined(1.0, &I, -1.0 / 12.0, &A2);
        out[0] = combined(0.5 * d, &by1, -sqrt(3.0) * d / 12.0, &A1);
        out[1] = combined(0.5 * d, &by1, sqrt(3.0) * d / 12.0, &A1);
        psi = se3_magnus4(d, g[0], g[1]);
    } else {
        mat6 by[3];
        magnus6_by_moments(vec6_scale(g[1], d), vec6_scale(vec6_sub(g[2], g[0]), r * d),
                           vec6_scale(vec6_madd(vec6_add(g[0], g[2]), -2.0, g[1]), 10.0 / 3.0 * d),
                           by);
        out[0] = combined(-r * d, &by[1], 10.0 / 3.0 * d, &by[2]);
        out[1] = combined(d, &by[0], -20.0 / 3.0 * d, &by[2]);
        out[2] = combined(r * d, &by[1], 10.0 / 3.0 * d, &by[2]);
        psi = se3_magnus6(d, g[0], g[1], g[2]);
    }
    mat6 dexp = se3_dexp(psi);
    for (int i = 0; i < t->points; i++) out[i] = mat6_mul(&dexp, &out[i]);
}

// z of the Magnus product, step by step.
static void sharp_poses(const element *e, const gauss_table *t, const iterate *it, int k, int d,
                        const scratch *s) {
    const int n = t->n, m = n * d;
    double *running = s->sum;
    memset(running, 0, sizeof(double) * 6 * (size_t)m);
    for (int step = 0; step <= n; step++) {
        const double *row = t->rows + step * t->points * n;
        mat6 part[3];
        magnus_tangent(e, t, it->x + 6 * e->node, step, part);
        const se3 *T = step ? &it->nodes[e->node + step - 1].T : &it->bounds[k].T;
        mat6 Ad = se3_adjoint(T);
        for (int g = 0; g < t->points; g++) {
            mat6 spatial = mat6_mul(&Ad, &part[g]);
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < n; j++)
                    for (int c = 0; c < d; c++)
                        running[i * m + j * d + c] += row[g * n + j] * spatial.m[i][c];
        }
        memcpy(s->z + step * 6 * m, running, sizeof(double) * 6 * (size_t)m);
    }
}

// da_q = c0 A_qj Ad_j - sum_k A_qk ad(e_k) z_k
static void fill_sharp_motion(const rod_problem *p, const element *e, const gauss_table *t,
                              const iterate *it, int k, const node_motion *forces,
                              const scratch *s, int d) {
    const int n = t->n, m = n * d;
    sharp_poses(e, t, it, k, d, s);
    if (p->c0 == 0.0) return;
    for (int q = 0; q <= n; q++) {
        weigh(weights_of(t, q), p->c0 * e->length, n, d, s->ad, s->da + q * 6 * m);
    }
    for (int node = 0; node < n; node++) {
        double v[6];
        vec6_store(v, forces[node].e);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < m; j++) s->g[i * m + j] = v[i];
        bracket_columns(s->g, s->z + node * 6 * m, m, s->sum);
        for (int q = 0; q <= n; q++) {
            const double w = e->length * weights_of(t, q)[node];
            double *da = s->da + q * 6 * m;
            for (int i = 0; i < 6 * m; i++) da[i] -= w * s->sum[i];
        }
    }
}

// What is pushed out of the base moves with the strain there: da = out Ad_b sum_j l_j(0) dx_j, at all
// nodes alike.
static void add_pushed(const rod_problem *p, const gauss_table *t, const iterate *it,
                       const scratch *s, int d) {
    const int n = t->n, m = n * d;
    double row[GAUSS_MAX], *ad = s->g;
    lagrange_row(n, t->c, t->bary, 0.0, row);
    for (int j = 0; j < n; j++) adjoint_columns(&it->bounds[0].T, d, m, ad + j * d);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < m; j++) ad[i * m + j] *= p->base.out * row[j / d];
    for (int q = 0; q <= n; q++)
        for (int i = 0; i < 6 * m; i++) s->da[q * 6 * m + i] += ad[i];
}

static void fill_dF(bool moving, int n, int m, const scratch *s) {
    for (int q = 0; q < n; q++)
        products(m, s->Mz + q * 36, s->z + q * 6 * m, moving ? s->Ma + q * 36 : NULL,
                 s->da + q * 6 * m, s->dF + q * 6 * m);
}

// g -= coad(z) S; J rows = first d rows of Ad(T)' g
static void close_rows(vec6 S, const se3 *T, const double *restrict z, int m, int d,
                       const double *restrict g, double *restrict J) {
    const double (*R)[3] = T->R.m;
    const vec3 p = T->p, a = S.a, l = S.l;
#pragma omp simd
    for (int k = 0; k < m; k++) {
        double tx = z[k], ty = z[m + k], tz = z[2 * m + k];
        double lx = z[3 * m + k], ly = z[4 * m + k], lz = z[5 * m + k];
        // coad(z) S = (S_a x z_a + S_l x z_l, S_l x z_a)
        double nx = g[3 * m + k] - (l.y * tz - l.z * ty);
        double ny = g[4 * m + k] - (l.z * tx - l.x * tz);
        double nz = g[5 * m + k] - (l.x * ty - l.y * tx);
        double mx = g[k] - (a.y * tz - a.z * ty) - (l.y * lz - l.z * ly);
        double my = g[m + k] - (a.z * tx - a.x * tz) - (l.z * lx - l.x * lz);
        double mz = g[2 * m + k] - (a.x * ty - a.y * tx) - (l.x * ly - l.y * lx);
        mx -= p.y * nz - p.z * ny;
        my -= p.z * nx - p.x * nz;
        mz -= p.x * ny - p.y * nx;
        J[k] = R[0][0] * mx + R[1][0] * my + R[2][0] * mz;
        J[m + k] = R[0][1] * mx + R[1][1] * my + R[2][1] * mz;
        J[2 * m + k] = R[0][2] * mx + R[1][2] * my + R[2][2] * mz;
        if (d == 6) {
            J[3 * m + k] = R[0][0] * nx + R[1][0] * ny + R[2][0] * nz;
            J[4 * m + k] = R[0][1] * nx + R[1][1] * ny + R[2][1] * nz;
            J[5 * m + k] = R[0][2] * nx + R[1][2] * ny + R[2][2] * nz;
        }
    }
}

static void fill_J(const rod_problem *p, const element *e, const gauss_table *t,
                   const iterate *it, const node_motion *forces, const scratch *s, int d,
                   bool loaded, double *J) {
    const int n = t->n, m = n * d;
    for (int i = 0; i < n; i++) {
        const node_motion *node = &it->nodes[e->node + i];
        double *restrict g = s->sum;
        memset(g, 0, sizeof(double) * 6 * (size_t)m);
        for (int q = 0; q < n && loaded; q++) {
            const double Q = e->length * t->Q[i * n + q];
            const double *restrict dF = s->dF + q * 6 * m;
            for (int k = 0; k < 6 * m; k++) g[k] += Q * dF[k];
        }
        close_rows(forces[i].S, &node->T, s->z + i * 6 * m, m, d, g, J + i * d * m);
        const station *st = &e->stations[i];
        for (int k = 0; k < d; k++) J[(i * d + k) * (m + 1)] += st->K[k] + p->c0 * st->B[k];
    }
}

// [I 0; -ad(a - a_b) I] (12 x 12): what a motion of the base side makes at a point moving with a
static void carry_matrix(vec6 relative, double *out) {
    memset(out, 0, sizeof(double) * 144);
    for (int i = 0; i < 12; i++) out[13 * i] = 1.0;
    mat6 ad = se3_ad_matrix(relative);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) out[12 * (6 + i) + k] = -ad.m[i][k];
}

// Everything that couples the element to its neighbours.
static void fill_ports(const element *e, const gauss_table *t, const iterate *it,
                       const node_motion *forces, int k, const scratch *s, int d,
                       element_factor *out, double *base) {
    const int n = t->n;
    const vec6 a_base = it->bounds[k].a;
    // loads against the base side's motion, node by node: dFb_q = [Mz - Ma ad(a_q - a_b), Ma]
    double *dFb = s->dF;  // reused: (n) x 6 x 12; the caller has no more need of dF
    memset(base, 0, sizeof(double) * 72);
    for (int q = 0; q < n; q++) {
        double carry[144], *to = dFb + q * 72;
        carry_matrix(vec6_sub(forces[q].a, a_base), carry);
        memset(to, 0, sizeof(double) * 72);
        multiply_add(s->Mz + q * 36, carry, 12, to);
        multiply_add(s->Ma + q * 36, carry + 72, 12, to);
        for (int i = 0; i < 72; i++) base[i] -= e->quadrature[q] * to[i];
    }
    for (int i = 0; i < n; i++) {
        double g[72], z[72] = {0.0};
        memset(g, 0, sizeof g);
        for (int q = 0; q < n; q++)
            for (int c = 0; c < 72; c++) g[c] += e->length * t->Q[i * n + q] * dFb[q * 72 + c];
        for (int c = 0; c < 6; c++) z[13 * c] = 1.0;  // (6 x 12): z_b itself
        subtract_geometric(forces[i].S, 1.0, z, 12, g);
        coadjoint_rows(&it->nodes[e->node + i].T, g, 12, d, out->lean + i * d * 12, 12);
    }
    carry_matrix(vec6_sub(it->bounds[k + 1].a, a_base), out->carry);
}

// Ad_i' as rows, and how the unknowns move the tip side.
static void fill_tip(double c0, const element *e, const iterate *it, const scratch *s, int d,
                     bool ports, element_factor *out) {
    const int n = e->n_nodes, m = n * d;
    static const double identity[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                        0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    for (int j = 0; j < n; j++)
        coadjoint_rows(&it->nodes[e->node + j].T, identity, 6, d, out->rows + j * d * 6, 6);
    memcpy(out->tip, s->z + n * 6 * m, sizeof(double) * 6 * (size_t)m);
    if (c0 != 0.0) memcpy(out->tip + 6 * m, s->da + n * 6 * m, sizeof(double) * 6 * (size_t)m);
    else memset(out->tip + 6 * m, 0, sizeof(double) * 6 * (size_t)m);
    if (!ports) return;
    memset(out->out, 0, sizeof(double) * 6 * (size_t)m);
    for (int q = 0; q < n; q++)
        for (int i = 0; i < 6 * m; i++)
            out->out[i] -= e->quadrature[q] * s->dF[q * 6 * m + i];
}

// A rod at rest under loads at its ends only: no load along it answers to anything.
static bool is_loaded(const element_loads *load, double c0, const node_motion *forces, int n) {
    if (c0 != 0.0 || vec3_norm(load->body.force) + vec3_norm(load->body.moment) > 0.0) return true;
    for (int q = 0; q < n; q++)
        if (vec3_norm(forces[q].f) + vec3_norm(forces[q].l) > 0.0) return true;
    return false;
}

void tangent_element(const rod_problem *p, const iterate *it, const node_motion *all_forces, int k,
                     bool ports, bool sharp, element_factor *out, double *base, double *memory) {
    const rod *r = p->r;
    const element *e = &r->elements[k];
    const gauss_table *t = gauss_of(r, e);
    const int n = t->n, d = unknowns_per_node(r);
    const node_motion *forces = all_forces + e->node;
    scratch s = split_scratch(n, d, memory);
    const bool loaded = ports || is_loaded(&p->m->loads[k], p->c0, forces, n);
    for (int q = 0; q < n; q++) {
        adjoint_columns(&it->nodes[e->node + q].T, d, n * d, s.ad + q * d);
        if (loaded)
            load_tangent(&e->stations[q], &p->m->loads[k], p->c0, &it->nodes[e->node + q],
                         &forces[q], s.Mz + q * 36, s.Ma + q * 36);
    }
    if (sharp) fill_sharp_motion(p, e, t, it, k, forces, &s, d);
    else fill_motion(e, t, p->c0, d, forces, &s);
    if (k == 0 && p->base.out != 0.0 && p->c0 != 0.0) add_pushed(p, t, it, &s, d);
    if (loaded) fill_dF(p->c0 != 0.0, n, n * d, &s);
    fill_J(p, e, t, it, forces, &s, d, loaded, out->lu);
    if (r->n_actuators) efforts_add_stiffness(p, it, k, out->lu);
    fill_tip(p->c0, e, it, &s, d, ports, out);
    if (ports) fill_ports(e, t, it, forces, k, &s, d, out, base);
}

void tangent_end_load(const rod_problem *p, const iterate *it, int k, double *H) {
    const element_loads *load = &p->m->loads[k];
    const se3 *T = &it->bounds[k + 1].T;
    memset(H, 0, sizeof(double) * 72);
    vec3 F_body = mat3_mul_vec(&T->R, load->end_body.force);
    vec3 M_body = mat3_mul_vec(&T->R, load->end_body.moment);
    vec3 dead = load->end_world.force;  // and that of a joint
    if (k == p->r->n_elements - 1) dead = vec3_add(dead, p->tip.force);
    mat3 F = mat3_hat(vec3_add(dead, F_body));
    mat3 F_turn = mat3_hat(vec3_neg(F_body)), M_turn = mat3_hat(vec3_neg(M_body));
    // dS_l = th x RF;  dS_a = th x RM + dp x F + p x dS_l with dp = z_l - p x th
    mat3 a_z = sum(sum(M_turn, times_hat(&F, T->p)), hat_times(T->p, &F_turn));
    mat3 a_l = mat3_scale(&F, -1.0);
    put_block(H, 12, 0, 0, &a_z);
    put_block(H, 12, 0, 3, &a_l);
    put_block(H, 12, 3, 0, &F_turn);
    if (!p->r->elements[k].n_riders) return;
    double asked[72];
    rigid_wrench(&load->end_mass, T, it->bounds[k + 1].a, p->c0, p->m->end_history + 6 * k,
                 p->gravity, asked);
    for (int i = 0; i < 72; i++) H[i] -= asked[i];
}
