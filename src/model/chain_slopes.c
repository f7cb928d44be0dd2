// model/chain_slopes.c - see chain_slopes.h.
#include "model/chain_slopes.h"

#include <string.h>

#define REACH 1e-5  // rad, of differences within a link

// ---------------------------------------------------------------- one link
typedef struct nearby {
    chain_motion frame;
    chain_columns B;
} nearby;

static void put_column(chain_columns to, int k, vec6 x) {
    double y[6];
    vec6_store(y, x);
    for (int i = 0; i < 6; i++) to[i][k] = y[i];
}

static vec6 column_of(chain_columns from, int k) {
    return (vec6){{from[0][k], from[1][k], from[2][k]}, {from[3][k], from[4][k], from[5][k]}};
}

// Velocities are those of the frame before and B v, whose axes turn with w, that of the frame before. With b_k = dB/dq_k v,
//
//     d velocity/dq_k = b_k + (0, w x B_k)      d rate/dv_k = b_k + (dB/dt)_k + (w x B_k, 2 w x B_k)
static void fill_rates(int per, const double *v, vec3 w, chain_link *out) {
    for (int k = 0; k < per; k++) {
        const vec6 B = column_of(out->B, k);
        const vec6 turned = {vec3_cross(w, B.a), vec3_cross(w, B.l)};
        vec6 by = vec6_zero(), rate = vec6_zero();
        for (int j = 0; j < per; j++) {
            by = vec6_madd(by, v[j], column_of(out->B_by_q[k], j));
            rate = vec6_madd(rate, v[j], column_of(out->B_by_q[j], k));
        }
        put_column(out->velocity_by_q, k, (vec6){by.a, vec3_add(by.l, turned.l)});
        put_column(out->rate_by_v, k,
                   vec6_add(vec6_add(by, rate), (vec6){turned.a, vec3_scale(turned.l, 2.0)}));
    }
}

void chain_find(chain_frame *f, void *context, int i, int per, const double *q, const double *v,
                vec3 w, const double *unit, chain_link *out) {
    double x[CHAIN_PER];
    nearby a = {.B = {{0.0}}}, b = {.B = {{0.0}}};
    memset(out, 0, sizeof *out);
    out->at = i * per;
    memcpy(x, q, sizeof(double) * (size_t)per);
    f(context, i, x, v, &out->frame, out->B);
    for (int k = 0; k < per; k++) {
        const double e = REACH * unit[k], by = 0.5 / e;
        x[k] = q[k] - e, f(context, i, x, v, &a.frame, a.B);
        x[k] = q[k] + e, f(context, i, x, v, &b.frame, b.B);
        x[k] = q[k];
        const vec6 rate = {vec3_sub(b.frame.w_t, a.frame.w_t), vec3_sub(b.frame.v_t, a.frame.v_t)};
        put_column(out->rate_by_q, k, vec6_scale(rate, by));
        for (int r = 0; r < 6; r++)
            for (int j = 0; j < per; j++) out->B_by_q[k][r][j] = (b.B[r][j] - a.B[r][j]) * by;
    }
    fill_rates(per, v, w, out);
}

// As the frame turns by th, w and w' turn along; a rate z' of turns changes w by z' and w' by z'' - w x z'.
void chain_free(const chain_motion *frame, int at, chain_link *out) {
    *out = (chain_link){.first = true, .at = at, .frame = *frame};
    for (int i = 0; i < 6; i++) out->B[i][i] = 1.0;
    for (int k = 0; k < 3; k++) {
        const vec3 unit = {k == 0, k == 1, k == 2}, none = vec3_zero();
        const vec3 turned = vec3_cross(unit, frame->w);
        put_column(out->velocity_by_q, k, (vec6){turned, none});
        put_column(out->rate_by_q, k, (vec6){vec3_cross(unit, frame->w_t), none});
        put_column(out->rate_by_v, k, (vec6){turned, none});
    }
}

// ---------------------------------------------------------------- columns
typedef double three[3][CHAIN_PER];

// to -= m x
static void take(const mat3 *m, three x, three to) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < CHAIN_PER; k++)
            to[i][k] -= m->m[i][0] * x[0][k] + m->m[i][1] * x[1][k] + m->m[i][2] * x[2][k];
}

// to += m x
static void add_answer(const double *m, chain_columns x, chain_columns to) {
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < 6; l++)
            for (int k = 0; k < CHAIN_PER; k++) to[i][k] += m[6 * i + l] * x[l][k];
}

// to[j][k] += B_j' x_k
static void project(chain_columns B, chain_columns x, int per, int stride, double *to) {
    double y[CHAIN_PER][CHAIN_PER] = {{0.0}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < per; j++)
            for (int k = 0; k < CHAIN_PER; k++) y[j][k] += B[i][j] * x[i][k];
    for (int j = 0; j < per; j++)
        for (int k = 0; k < per; k++) to[j * stride + k] += y[j][k];
}

// ---------------------------------------------------------------- carried along
// Frame i as it is seen from frame m, in the words above: matrices of dp, dw, .. by th, dw.
typedef struct carrying {
    mat3 r, W;           // dp by th, dv by dw, dv' by dw'; dw by th, dw' by dw
    mat3 v_th, w_t_th;   // dv, dw' by th
    mat3 v_t_w, v_t_th;  // dv' by dw, th
} carrying;

// a^ b^ + c^
static mat3 hats(const mat3 *a, const mat3 *b, vec3 c) {
    const mat3 product = mat3_mul(a, b), hat = mat3_hat(c);
    return mat3_add(&product, &hat);
}

static carrying carry_to(const chain_motion *m, const chain_motion *i) {
    const vec3 r = vec3_sub(i->p, m->p), W = vec3_sub(i->w, m->w), swing = vec3_cross(m->w, r);
    const vec3 u = vec3_sub(vec3_sub(i->v, m->v), swing);
    const vec3 A = vec3_sub(vec3_sub(i->w_t, m->w_t), vec3_cross(m->w, W));
    vec3 g = vec3_sub(vec3_sub(i->v_t, m->v_t), vec3_cross(m->w_t, r));
    g = vec3_sub(g, vec3_cross(m->w, vec3_madd(swing, 2.0, u)));
    const mat3 w = mat3_hat(m->w), w_t = mat3_hat(m->w_t);
    carrying c = {.r = mat3_hat(r), .W = mat3_hat(W)};
    c.v_th = hats(&w, &c.r, u);
    c.w_t_th = hats(&w, &c.W, A);
    c.v_t_w = hats(&w, &c.r, vec3_madd(swing, 2.0, u));
    // w x (w x r x + 2 u x) + w' x r x + g x
    const mat3 inner = hats(&w, &c.r, vec3_scale(u, 2.0)), outer = hats(&w_t, &c.r, g);
    const mat3 both = mat3_mul(&w, &inner);
    c.v_t_th = mat3_add(&both, &outer);
    return c;
}

typedef struct
    changes {  // of one frame by the coordinates of one link: turns and shifts, of velocity, of its rate
    chain_columns z, z_t, z_tt;  // by coordinates; z by rates is that of velocity, ..
    chain_columns rate;          // by rates: of the rate
} changes;

static void carry(const carrying *c, changes *x) {
    take(&c->v_t_th, x->z, x->z_tt + 3);
    take(&c->v_t_w, x->z_t, x->z_tt + 3);
    take(&c->r, x->z_tt, x->z_tt + 3);
    take(&c->w_t_th, x->z, x->z_tt);
    take(&c->W, x->z_t, x->z_tt);
    take(&c->v_t_w, x->z, x->rate + 3);
    take(&c->r, x->rate, x->rate + 3);
    take(&c->W, x->z, x->rate);
    take(&c->v_th, x->z, x->z_t + 3);
    take(&c->r, x->z_t, x->z_t + 3);
    take(&c->W, x->z, x->z_t);
    take(&c->r, x->z, x->z + 3);
}

// ---------------------------------------------------------------- wrenches
typedef struct
    answers {  // of the sum of wrenches from a frame on: by coordinates, rates, accelerations
    chain_columns q, v, a;
} answers;

static void add_answers(const chain_link *l, changes *x, answers *to) {
    add_answer(l->by_motion, x->z, to->q);
    add_answer(l->by_velocity, x->z_t, to->q);
    add_answer(l->by_rate, x->z_tt, to->q);
    add_answer(l->by_velocity, x->z, to->v);
    add_answer(l->by_rate, x->rate, to->v);
    add_answer(l->by_rate, x->z, to->a);
}

// About the frame before, from which the arm leads here.
static void shift_sum(const mat3 *minus_arm, answers *x) {
    take(minus_arm, x->q + 3, x->q);
    take(minus_arm, x->v + 3, x->v);
    take(minus_arm, x->a + 3, x->a);
}

static bool is_last(const chain_link *links, int n, int i) {
    return i + 1 == n || links[i + 1].first;
}

static void find_sums(chain_link *links, int n) {
    for (int i = n - 1; i >= 0; i--) {
        chain_link *l = &links[i];
        l->sum = l->wrench;
        if (is_last(links, n, i)) continue;
        const vec6 beyond = links[i + 1].sum;
        const vec3 arm = vec3_sub(links[i + 1].frame.p, l->frame.p);
        l->sum = vec6_add(l->sum, (vec6){vec3_add(beyond.a, vec3_cross(arm, beyond.l)), beyond.l});
    }
}

// B of a link that is carried along turns by th: (th x B)'F = B'(F x th)
static void add_turned(chain_link *l, changes *x, int per, int stride, double *K) {
    chain_columns turned = {{0.0}};
    const mat3 a = mat3_hat(vec3_neg(l->sum.a)), f = mat3_hat(vec3_neg(l->sum.l));
    take(&a, x->z, turned);
    take(&f, x->z, turned + 3);
    project(l->B, turned, per, stride, K);
}

static void add_own(const chain_link *l, int per, int stride, double *K) {
    double F[6];
    vec6_store(F, l->sum);
    for (int k = 0; k < per; k++)
        for (int r = 0; r < 6; r++)
            for (int j = 0; j < per; j++) K[j * stride + k] += l->B_by_q[k][r][j] * F[r];
}

// ---------------------------------------------------------------- all of it
static void begin(const chain_link *l, changes *x) {
    memcpy(x->z, l->B, sizeof x->z);
    memcpy(x->z_t, l->velocity_by_q, sizeof x->z_t);
    memcpy(x->z_tt, l->rate_by_q, sizeof x->z_tt);
    memcpy(x->rate, l->rate_by_v, sizeof x->rate);
}

// Columns of link m: outwards from the tip's frame, where sums begin.
static void fill_columns(chain_link *links, int n, int m, int per, int stride,
                         double *const to[3]) {
    answers sum = {.q = {{0.0}}};
    int tip = m, base = m;
    while (!is_last(links, n, tip)) tip++;
    while (!links[base].first) base--;
    for (int i = tip; i >= base; i--) {
        chain_link *l = &links[i];
        const size_t at = (size_t)l->at * (size_t)stride + (size_t)links[m].at;
        changes x;
        if (i >= m) {
            begin(&links[m], &x);
            if (i > m) {
                const carrying c = carry_to(&links[m].frame, &l->frame);
                carry(&c, &x);
                add_turned(l, &x, per, stride, to[0] + at);
            } else {
                add_own(l, per, stride, to[0] + at);
            }
            add_answers(l, &x, &sum);
        }
        project(l->B, sum.q, per, stride, to[0] + at);
        project(l->B, sum.v, per, stride, to[1] + at);
        project(l->B, sum.a, per, stride, to[2] + at);
        if (i == base) break;
        const vec3 arm = vec3_sub(l->frame.p, links[i - 1].frame.p);
        const mat3 minus_arm = mat3_hat(vec3_neg(arm)), F = mat3_hat(l->sum.l);
        shift_sum(&minus_arm, &sum);
        if (i < m) continue;
        // the arm itself changes, by dp of link m and by -arm x th beyond: dp x F = -F x dp
        if (i == m) {
            take(&F, x.z + 3, sum.q);
        } else {
            const mat3 turned = mat3_mul(&F, &minus_arm);
            take(&turned, x.z, sum.q);
        }
    }
}

void chain_slopes(chain_link *links, int n, int per, int stride, double *K, double *D, double *M) {
    double *const to[3] = {K, D, M};
    find_sums(links, n);
    for (int m = 0; m < n; m++) fill_columns(links, n, m, per, stride, to);
}
