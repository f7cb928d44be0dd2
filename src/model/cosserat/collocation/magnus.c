// model/cosserat/collocation/magnus.c - how the poses of an element answer to its strains: the tangent of
// the Magnus product, spatial,
//
//     z_k = z_(k-1) + Ad(T_(k-1)) dexp(psi_k) sum_i (d psi_k/d y_i) dy_i,   th = z_a, dp = z_l - p x th
//
// with y_i the moments of the strain over step k (se3.c), which are linear in the strains at the nodes.
// Four steps at once; and a part of one, for points between the nodes.
#include "model/cosserat/collocation/collocation.h"

#include "math/se3_lanes.h"

// [a 0; b a], 6 x 6, four of them: ad, Ad and dexp on SE(3) are of this form, and so are their products.
typedef struct twin {
    lanes33 a, b;
} twin;

LANES_INLINE lanes33 times(const lanes33 *x, const lanes33 *y) {
    lanes33 out;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.m[i][k] =
                x->m[i][0] * y->m[0][k] + x->m[i][1] * y->m[1][k] + x->m[i][2] * y->m[2][k];
    return out;
}

// out += s x
LANES_INLINE void add_times(lanes33 *out, lanes s, const lanes33 *x) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out->m[i][k] += s * x->m[i][k];
}

LANES_INLINE void twin_add(twin *out, lanes s, const twin *x) {
    add_times(&out->a, s, &x->a);
    add_times(&out->b, s, &x->b);
}

LANES_INLINE void twin_mul(const twin *x, const twin *y, twin *out) {
    const lanes33 ab = times(&x->a, &y->b);
    out->a = times(&x->a, &y->a);
    out->b = times(&x->b, &y->a);
    add_times(&out->b, lanes_all(1.0), &ab);
}

// u x columns of m
LANES_INLINE lanes33 cross_columns(lanes3 u, const lanes33 *m) {
    lanes33 out;
    for (int k = 0; k < 3; k++) {
        out.m[0][k] = u.y * m->m[2][k] - u.z * m->m[1][k];
        out.m[1][k] = u.z * m->m[0][k] - u.x * m->m[2][k];
        out.m[2][k] = u.x * m->m[1][k] - u.y * m->m[0][k];
    }
    return out;
}

// out += s ad(x) y
LANES_INLINE void add_bracket(twin *out, double s, const lanes6 *x, const twin *y) {
    const lanes33 a = cross_columns(x->a, &y->a), ba = cross_columns(x->l, &y->a),
                  ab = cross_columns(x->a, &y->b);
    add_times(&out->a, lanes_all(s), &a);
    add_times(&out->b, lanes_all(s), &ba);
    add_times(&out->b, lanes_all(s), &ab);
}

LANES_INLINE lanes33 hat_of(lanes3 u) {
    const lanes zero = {0.0};
    return (lanes33){{{zero, -u.z, u.y}, {u.z, zero, -u.x}, {-u.y, u.x, zero}}};
}

// s 1 + t ad(x)
LANES_INLINE twin one_and_ad(double s, double t, const lanes6 *x) {
    twin out = {hat_of(lanes3_scale(x->a, lanes_all(t))), hat_of(lanes3_scale(x->l, lanes_all(t)))};
    for (int i = 0; i < 3; i++) out.a.m[i][i] = lanes_all(s);
    return out;
}

// ---------------------------------------------------------------- one step
// The strain at a Magnus point of four steps.
LANES_INLINE lanes6 strain_at(const element *e, int n, const double *x, const lanes *row) {
    lanes6 g = {lanes3_all(e->stations[0].u_rest), lanes3_all(e->stations[0].v_rest)};
    for (int j = 0; j < n; j++, x += 6) {
        g.a.x += row[j] * x[0], g.a.y += row[j] * x[1], g.a.z += row[j] * x[2];
        g.l.x += row[j] * x[3], g.l.y += row[j] * x[4], g.l.z += row[j] * x[5];
    }
    return g;
}

LANES_INLINE lanes6 scaled(lanes s, lanes6 x) {
    return (lanes6){lanes3_scale(x.a, s), lanes3_scale(x.l, s)};
}

// psi = y1 + [y1, y2]/12 and its slopes, y1 = d (g1 + g2)/2, y2 = sqrt 3 d (g2 - g1); share (2 x n): of
// the strain at each node in y1 and y2
LANES_INLINE lanes6 fourth_order(lanes d, const lanes6 g[2], int n, const lanes *row, twin by[2],
                                 lanes *share) {
    const double r = 1.7320508075688772935;
    const lanes6 y1 = scaled(0.5 * d, lanes6_madd(g[0], lanes_all(1.0), g[1]));
    const lanes6 y2 = scaled(r * d, lanes6_madd(g[1], lanes_all(-1.0), g[0]));
    for (int j = 0; j < n; j++) {
        share[j] = 0.5 * d * (row[j] + row[n + j]);
        share[n + j] = r * d * (row[n + j] - row[j]);
    }
    by[0] = one_and_ad(1.0, -1.0 / 12.0, &y2);
    by[1] = one_and_ad(0.0, 1.0 / 12.0, &y1);
    return lanes6_magnus4(d, g);
}

// The same of se3_magnus6: psi = y1 + y3/12 + [left, right]/240 with three moments,
// left = 20 y1 + y3 + b, right = y2 + [y1, 2 y3 - b]/60, b = [y1, y2].
LANES_INLINE lanes6 sixth_order(lanes d, const lanes6 g[3], int n, const lanes *row, twin by[3],
                                lanes *share) {
    const lanes r = 1.2909944487358056284 * d, s = (10.0 / 3.0) * d;  // sqrt(15)/3
    const lanes one = lanes_all(1.0), two = lanes_all(-2.0);
    for (int j = 0; j < n; j++) {
        const lanes *at = row + j;
        share[j] = d * at[n];
        share[n + j] = r * (at[2 * n] - at[0]);
        share[2 * n + j] = s * ((at[0] + at[2 * n]) - 2.0 * at[n]);
    }
    const lanes6 y1 = scaled(d, g[1]), y2 = scaled(r, lanes6_madd(g[2], lanes_all(-1.0), g[0]));
    const lanes6 y3 = scaled(s, lanes6_madd(lanes6_madd(g[0], one, g[2]), two, g[1]));
    const lanes6 b = lanes6_bracket(y1, y2, false);
    const lanes6 inner = lanes6_madd(lanes6_madd(y3, one, y3), lanes_all(-1.0), b);
    const lanes6 left = lanes6_madd(lanes6_madd(b, lanes_all(20.0), y1), one, y3);
    const lanes6 right = lanes6_madd(y2, lanes_all(1.0 / 60.0), lanes6_bracket(y1, inner, false));
    const twin A1 = one_and_ad(0.0, 1.0, &y1), A2 = one_and_ad(0.0, 1.0, &y2);
    const double t = 1.0 / 240.0;
    // slopes of `right`, in brackets with left, less those of `left`, in brackets with right
    twin slope = one_and_ad(0.0, -1.0 / 60.0, &inner), of_left = one_and_ad(20.0, -1.0, &y2);
    add_bracket(&slope, 1.0 / 60.0, &y1, &A2);
    by[0] = one_and_ad(1.0, 0.0, &y1);
    add_bracket(&by[0], t, &left, &slope);
    add_bracket(&by[0], -t, &right, &of_left);
    slope = one_and_ad(1.0, 0.0, &y1);
    add_bracket(&slope, -1.0 / 60.0, &y1, &A1);
    by[1] = one_and_ad(0.0, 0.0, &y1);
    add_bracket(&by[1], t, &left, &slope);
    add_bracket(&by[1], -t, &right, &A1);
    by[2] = one_and_ad(1.0 / 12.0, -t, &right);
    add_bracket(&by[2], t / 30.0, &left, &A1);
    return lanes6_magnus6(d, g, false);
}

// ---------------------------------------------------------------- an element
// Ad of the poses where four steps begin; beyond the last it is repeated.
LANES_INLINE twin starts_of(const se3 *near, const node_motion *nodes, int n, int first) {
    const se3 *T[LANES];
    for (int i = 0; i < LANES; i++) {
        const int k = first + i < n ? first + i : n;
        T[i] = k ? &nodes[k - 1].T : near;
    }
    lanes33 R;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R.m[i][k] = (lanes){T[0]->R.m[i][k], T[1]->R.m[i][k], T[2]->R.m[i][k], T[3]->R.m[i][k]};
    const lanes3 p = {{T[0]->p.x, T[1]->p.x, T[2]->p.x, T[3]->p.x},
                      {T[0]->p.y, T[1]->p.y, T[2]->p.y, T[3]->p.y},
                      {T[0]->p.z, T[1]->p.z, T[2]->p.z, T[3]->p.z}};
    return (twin){R, cross_columns(p, &R)};
}

// sum (3 x 3 twice) += those of step i of four
LANES_INLINE void add_step(double sum[18], const twin *x, int i) {
    const double *from = (const double *)x + i;
    for (int k = 0; k < 18; k++) sum[k] += from[LANES * k];
}

// The columns of one node in th and dp (3 x m) of a section at p, z = [a 0; b a] in `sum`.
static void put_node(const double sum[18], vec3 p, int d, int m, double *th, double *dp) {
    const double *a = sum, *b = sum + 9;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) th[i * m + k] = a[3 * i + k];
        dp[k] = b[k] - (p.y * a[6 + k] - p.z * a[3 + k]);
        dp[m + k] = b[3 + k] - (p.z * a[k] - p.x * a[6 + k]);
        dp[2 * m + k] = b[6 + k] - (p.x * a[3 + k] - p.y * a[k]);
        for (int i = 0; i < 3 && d == 6; i++)
            th[i * m + 3 + k] = 0.0, dp[i * m + 3 + k] = a[3 * i + k];
    }
}

static void put_far(const double sum[18], int d, int m, double *far) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            far[i * m + k] = sum[3 * i + k];
            far[(3 + i) * m + k] = sum[9 + 3 * i + k];
            if (d == 6) far[i * m + 3 + k] = 0.0, far[(3 + i) * m + 3 + k] = sum[3 * i + k];
        }
}

LANES_INLINE void fill_poses(const element *e, const gauss_table *t, const double *x,
                             const se3 *near, const node_motion *nodes, int d, double *th,
                             double *dp, double *far) {
    const int n = t->n, m = n * d;
    double sums[18 * GAUSS_MAX];
    for (int i = 0; i < 18 * n; i++) sums[i] = 0.0;
    for (int block = 0; block < lane_blocks(n + 1); block++) {
        const lanes *row = t->rows4 + block * t->points * n, h = e->length * t->d4[block];
        lanes share[3 * GAUSS_MAX];
        lanes6 g[3], psi;
        twin by[3], dexp, whole, start = starts_of(near, nodes, n, LANES * block);
        for (int i = 0; i < t->points; i++) g[i] = strain_at(e, n, x, row + i * n);
        if (t->points == 2) psi = fourth_order(h, g, n, row, by, share);
        else psi = sixth_order(h, g, n, row, by, share);
        lanes_dexp(&psi, &dexp.a, &dexp.b);
        twin_mul(&start, &dexp, &whole);
        for (int j = 0; j < n; j++) {
            twin sum = {{{{{0.0}}}}, {{{{0.0}}}}}, spatial;
            for (int i = 0; i < t->points; i++) twin_add(&sum, share[i * n + j], &by[i]);
            twin_mul(&whole, &sum, &spatial);
            for (int i = 0; i < LANES && LANES * block + i <= n; i++) {
                const int k = LANES * block + i;
                add_step(sums + 18 * j, &spatial, i);
                if (k < n)
                    put_node(sums + 18 * j, nodes[k].T.p, d, m, th + 3 * k * m + j * d,
                             dp + 3 * k * m + j * d);
            }
        }
    }
    for (int j = 0; j < n; j++) put_far(sums + 18 * j, d, m, far + j * d);
}

LANES_CLONED static void magnus_poses_cloned(const element *e, const gauss_table *t,
                                             const double *x, const se3 *near,
                                             const node_motion *nodes, int d, double *th,
                                             double *dp, double *far) {
    fill_poses(e, t, x, near, nodes, d, th, dp, far);
}

void magnus_poses(const element *e, const gauss_table *t, const double *x, const se3 *near,
                  const node_motion *nodes, int d, double *th, double *dp, double *far) {
    magnus_poses_cloned(e, t, x, near, nodes, d, th, dp, far);
}

// ---------------------------------------------------------------- part of a step
// The exponent of a step over the length d, its strains g at the Magnus points, along changes dg of these: see
// fourth_order and sixth_order.
static vec6 exponent_slope(int points, double d, const vec6 g[3], const vec6 dg[3]) {
    if (points == 2) {
        const double r = 0.14433756729740644113 * d * d;  // sqrt(3)/12
        const vec6 b = vec6_add(se3_ad(dg[0], g[1]), se3_ad(g[0], dg[1]));
        return vec6_madd(vec6_scale(vec6_add(dg[0], dg[1]), 0.5 * d), r, b);
    }
    const double r = 1.2909944487358056284 * d, s = 10.0 / 3.0 * d;  // sqrt(15)/3
    vec6 y[3], dy[3];
    for (int i = 0; i < 2; i++) {
        const vec6 *x = i ? dg : g;
        vec6 *to = i ? dy : y;
        to[0] = vec6_scale(x[1], d);
        to[1] = vec6_scale(vec6_sub(x[2], x[0]), r);
        to[2] = vec6_scale(vec6_madd(vec6_add(x[0], x[2]), -2.0, x[1]), s);
    }
    const vec6 b = se3_ad(y[0], y[1]), inner = vec6_sub(vec6_scale(y[2], 2.0), b);
    const vec6 db = vec6_add(se3_ad(dy[0], y[1]), se3_ad(y[0], dy[1]));
    const vec6 d_inner = vec6_sub(vec6_scale(dy[2], 2.0), db);
    const vec6 left = vec6_add(vec6_madd(y[2], 20.0, y[0]), b);
    const vec6 d_left = vec6_add(vec6_madd(dy[2], 20.0, dy[0]), db);
    const vec6 right = vec6_madd(y[1], 1.0 / 60.0, se3_ad(y[0], inner));
    const vec6 d_right =
        vec6_madd(dy[1], 1.0 / 60.0, vec6_add(se3_ad(dy[0], inner), se3_ad(y[0], d_inner)));
    const vec6 brackets = vec6_add(se3_ad(d_left, right), se3_ad(left, d_right));
    return vec6_madd(vec6_madd(dy[0], 1.0 / 12.0, dy[2]), 1.0 / 240.0, brackets);
}

void magnus_add_step(const element *e, const gauss_table *t, const double *x, const se3 *near,
                     double from, double to, int d, double *z) {
    const int n = t->n, m = n * d, points = t->points;
    const double length = (to - from) * e->length;
    double rows[3][GAUSS_MAX];
    vec6 g[3];
    collocation_strains(e, t, x, 6, from, to, rows, g);
    const vec6 psi =
        points == 2 ? se3_magnus4(length, g[0], g[1]) : se3_magnus6(length, g[0], g[1], g[2]);
    const mat6 Ad = se3_adjoint(near), dexp = se3_dexp(psi), whole = mat6_mul(&Ad, &dexp);
    for (int i = 0; i < points; i++)
        for (int c = 0; c < d; c++) {
            vec6 dg[3] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
            double unit[6] = {0.0}, column[6];
            unit[c] = 1.0;
            dg[i] = vec6_load(unit);
            vec6_store(column, mat6_mul_vec(&whole, exponent_slope(points, length, g, dg)));
            for (int k = 0; k < 6; k++)
                for (int j = 0; j < n; j++) z[k * m + j * d + c] += rows[i][j] * column[k];
        }
}
