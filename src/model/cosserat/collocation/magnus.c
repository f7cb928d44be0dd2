// model/cosserat/collocation/magnus.c - how the poses of an element answer to its strains: the tangent of
// the Magnus product, spatial,
//
//     z_k = z_(k-1) + Ad(T_(k-1)) dexp(psi_k) sum_i (d psi_k/d y_i) dy_i,   th = z_a, dp = z_l - p x th
//
// with y_i the moments of the strain over step k (se3.c), which are linear in the strains at the nodes.
// Four steps at once, the last of them cut short for a section between two nodes.
#include "model/cosserat/collocation/collocation.h"

#include <math.h>

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

// Where four steps end, of those that end at nodes; beyond the last it is repeated.
LANES_INLINE lanes3 ends_of(const node_motion *nodes, int n, int first) {
    lanes3 p;
    for (int i = 0; i < LANES; i++) {
        const vec3 at = nodes[first + i < n ? first + i : n - 1].T.p;
        p.x[i] = at.x, p.y[i] = at.y, p.z[i] = at.z;
    }
    return p;
}

// Each with all before it, which begin with `before`.
LANES_INLINE lanes running(lanes x, double before) {
    const lanes none = {0.0};
    x += __builtin_shufflevector(none, x, 0, 4, 5, 6);
    x += __builtin_shufflevector(none, x, 0, 1, 4, 5);
    return x + lanes_all(before);
}

// z = [a 0; b a] of four sections by one node: from one step to the next, sum (3 x 3 twice) that of the last of so many.
LANES_INLINE void add_steps(int steps, twin *z, double sum[18]) {
    lanes *x = (lanes *)z;
    for (int k = 0; k < 18; k++) {
        x[k] = running(x[k], sum[k]);
        sum[k] = lane(&x[k], steps - 1);
    }
}

LANES_INLINE void put_three(lanes from, double *to) {
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
}

// The columns of one node in th and dp (3 x m each) of so many of four sections at p: what is read is turned before it is
// stored, since a load across two stores waits for both.
LANES_INLINE void put_nodes(const twin *z, const lanes3 *p, int count, int d, int m, double *th,
                            double *dp) {
    const lanes33 lever = cross_columns(*p, &z->a);
    const lanes none = {0.0};
    for (int i = 0; i < 3; i++) {
        const lanes *a = z->a.m[i], *b = z->b.m[i], *c = lever.m[i];
        lanes turn[LANES], shift[LANES];
        lanes_transpose(a[0], a[1], a[2], none, turn);
        lanes_transpose(b[0] - c[0], b[1] - c[1], b[2] - c[2], none, shift);
        for (int k = 0; k < count; k++) {
            double *th_k = th + (3 * k + i) * m, *dp_k = dp + (3 * k + i) * m;
            put_three(turn[k], th_k);
            put_three(shift[k], dp_k);
            if (d == 3) continue;
            put_three(none, th_k + 3);
            put_three(turn[k], dp_k + 3);
        }
    }
}

LANES_INLINE void put_far(const double sum[18], int d, int m, double *far) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            far[i * m + k] = sum[3 * i + k];
            far[(3 + i) * m + k] = sum[9 + 3 * i + k];
            if (d == 6) far[i * m + 3 + k] = 0.0, far[(3 + i) * m + 3 + k] = sum[3 * i + k];
        }
}

// Four steps over lengths h from the poses `start`, row (points x n) the shares of nodes in the strain at their Magnus
// points: z_k - z_(k-1) for a unit strain at node j is whole sum_i share_ij by_i.
typedef struct four_steps {
    twin whole, by[3];
    lanes share[3 * GAUSS_MAX];
} four_steps;

LANES_INLINE void take_steps(const element *e, const gauss_table *t, const double *x, lanes h,
                             const lanes *row, const twin *start, four_steps *s) {
    const int n = t->n;
    lanes6 g[3], psi;
    twin dexp;
    for (int i = 0; i < t->points; i++) g[i] = strain_at(e, n, x, row + i * n);
    if (t->points == 2) psi = fourth_order(h, g, n, row, s->by, s->share);
    else psi = sixth_order(h, g, n, row, s->by, s->share);
    lanes_dexp(&psi, &dexp.a, &dexp.b);
    twin_mul(start, &dexp, &s->whole);
}

LANES_INLINE twin motion_of_steps(const four_steps *s, const gauss_table *t, int j) {
    twin sum = {{{{{0.0}}}}, {{{{0.0}}}}}, spatial;
    for (int i = 0; i < t->points; i++) twin_add(&sum, s->share[i * t->n + j], &s->by[i]);
    twin_mul(&s->whole, &sum, &spatial);
    return spatial;
}

LANES_INLINE void fill_poses(const element *e, const gauss_table *t, const double *x,
                             const se3 *near, const node_motion *nodes, int d, double *th,
                             double *dp, double *far) {
    const int n = t->n, m = n * d;
    double sums[18 * GAUSS_MAX];
    for (int i = 0; i < 18 * n; i++) sums[i] = 0.0;
    for (int block = 0; block < lane_blocks(n + 1); block++) {
        const lanes *row = t->rows4 + block * t->points * n, h = e->length * t->d4[block];
        const twin start = starts_of(near, nodes, n, LANES * block);
        four_steps steps;
        take_steps(e, t, x, h, row, &start, &steps);
        const int first = LANES * block, left = n + 1 - first, count = left < LANES ? left : LANES;
        const lanes3 p = ends_of(nodes, n, first);
        for (int j = 0; j < n; j++) {
            twin spatial = motion_of_steps(&steps, t, j);
            add_steps(count, &spatial, sums + 18 * j);
            put_nodes(&spatial, &p, left < LANES + 1 ? left - 1 : LANES, d, m,
                      th + 3 * first * m + j * d, dp + 3 * first * m + j * d);
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

// ---------------------------------------------------------------- a section
// Shares of the nodes (points x n) along step k, which ends at its node or, before that, at `to`; its length.
static double cut_step(const gauss_table *t, int k, double to, double *rows) {
    const double from = k ? t->c[k - 1] : 0.0, end = k < t->n ? fmin(t->c[k], to) : to;
    if (end > from) collocation_shares(t, from, end, rows);
    return fmax(end - from, 0.0);
}

LANES_CLONED static void magnus_section_cloned(const element *e, const gauss_table *t,
                                               const double *x, const se3 *near,
                                               const node_motion *nodes, double to, int d,
                                               double *z) {
    const int n = t->n, m = n * d;
    double sums[18 * GAUSS_MAX];
    for (int i = 0; i < 18 * n; i++) sums[i] = 0.0;
    for (int block = 0; block < lane_blocks(n + 1); block++) {
        lanes row[3 * GAUSS_MAX], length = {0.0};
        const twin start = starts_of(near, nodes, n, LANES * block);
        four_steps steps;
        for (int j = 0; j < t->points * n; j++) row[j] = lanes_all(0.0);
        for (int i = 0; i < LANES && LANES * block + i <= n; i++) {
            double own[3 * GAUSS_MAX];
            length[i] = e->length * cut_step(t, LANES * block + i, to, own);
            for (int j = 0; j < t->points * n && length[i] > 0.0; j++) row[j][i] = own[j];
        }
        take_steps(e, t, x, length, row, &start, &steps);
        for (int j = 0; j < n; j++) {
            const twin spatial = motion_of_steps(&steps, t, j);
            const lanes *own = (const lanes *)&spatial;
            for (int k = 0; k < 18; k++) sums[18 * j + k] += lanes_sum(own[k]);
        }
    }
    for (int j = 0; j < n; j++) put_far(sums + 18 * j, d, m, z + j * d);
}

void magnus_section(const element *e, const gauss_table *t, const double *x, const se3 *near,
                    const node_motion *nodes, double to, int d, double *z) {
    magnus_section_cloned(e, t, x, near, nodes, to, d, z);
}
