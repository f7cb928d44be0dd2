// model/cosserat/collocation/answer.c - how a section of a rod at rest answers, in two sweeps, whatever the number of
// questions.
//
// The factors of sweep.c answer to anything. Where the motion z of one section alone is asked for, few rows W do: z = W'r
// for any residual r. From the tip inwards, all beyond a cut answers to a motion z_L there with the wrench
// dS_L = A z_L + a and moves the section by z = T z_L + t. With J, rows, out, lean, tip and base of tangent.c, and H of the
// loads at a bound, an element takes this from its far side L to its near side b:
//
//     (J - rows A tip) X = - r + rows a + (rows A - lean) z_b,     z_L = z_b + tip X
//     [G; U] = [out + A tip; T tip] (J - rows A tip)^-1
//     A_b = A + base + H + G (rows A - lean),     a_b = a + G (rows a - r)
//     T_b = T + U (rows A - lean),                t_b = t + U (rows a - r)
//
// Within the element of the section T is that of the section itself and `tip` its own motion; beyond it there is none. At the
// base z_b = 0, so W is what t_b there owes to each r: outwards again, with l = dt_b/da at each cut,
//
//     W = - (U + l G)',    l_L = l + (U + l G) rows
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "model/cosserat/collocation/collocation.h"

#define WIDTH 12  // of G and U

static int most_unknowns(const rod *r) {
    int most = 0;
    for (int k = 0; k < r->n_elements; k++)
        if (r->elements[k].n_nodes > most) most = r->elements[k].n_nodes;
    return most * unknowns_per_node(r);
}

size_t answer_scratch(const rod *r) {
    const size_t m = (size_t)most_unknowns(r), all = (size_t)n_strains(r);
    return all * (WIDTH + 6) + m * m + m * (5 * 6 + WIDTH) + m;  // the last for pivots
}

typedef struct answer_memory {
    double *Y;       // (width x m) [G; U] of each element, one after another
    double *rows;    // (m x 6) of each
    double *RA;      // (m x 6) rows A, then less lean; of one element, as all below
    double *own;     // (6 x m) motion of the section
    double *turned;  // (m x width)
    element_factor f;
} answer_memory;

static answer_memory memory_in(const rod *r, double *at) {
    const int m = most_unknowns(r), all = n_strains(r);
    answer_memory s = {.Y = at};
    at += WIDTH * all, s.rows = at, at += 6 * all;
    double **const parts[] = {&s.f.out, &s.f.lean, &s.f.tip, &s.RA, &s.own};
    for (int i = 0; i < 5; i++, at += 6 * m) *parts[i] = at;
    s.turned = at, at += WIDTH * m;
    s.f.lu = at, at += m * m;
    s.f.pivot = (int *)(void *)at;
    return s;
}

typedef struct question {
    const rod_problem *p;
    const iterate *it;
    int element;    // in which the section lies, or at whose far end
    bool within;    // it lies within
    double T0[36];  // from its spatial motion to that in the world
} question;

// b (n x m) = a' of a (m x n)
static void transpose(int m, int n, const double *a, double *b) {
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++) b[k * m + i] = a[i * n + k];
}

static void turn_round(int n, double *a) {  // a = a'
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++) {
            const double keep = a[i * n + k];
            a[i * n + k] = a[k * n + i], a[k * n + i] = keep;
        }
}

// Y (width x m) = [out + A tip; T towards], with the motion of the section (6 x m); NULL: it lies before this element.
static void put_sides(int m, const double *A, const double *T, const double *towards,
                      const element_factor *f, bool first, double *Y) {
    const size_t bytes = sizeof(double) * (size_t)m;
    if (first) {
        memset(Y, 0, 6 * bytes);
    } else {
        memcpy(Y, f->out, 6 * bytes);
        dense_madd(6, 6, m, 1.0, A, f->tip, Y);
    }
    if (towards) dense_mul(6, 6, m, 1.0, T, towards, Y + 6 * m);
    else memset(Y + 6 * m, 0, 6 * bytes);
}

// Element k, from its far side to its near side. False: singular.
static bool pass_element(const question *q, int k, double *A, double *T, const answer_memory *s,
                         double *scratch) {
    const rod_problem *p = q->p;
    const rod *r = p->r;
    const int d = unknowns_per_node(r), m = d * r->elements[k].n_nodes,
              first = d * r->elements[k].node;
    double base[72], *Y = s->Y + (size_t)first * WIDTH;
    element_factor f = s->f;
    f.rows = s->rows + (size_t)first * 6;
    tangent_element(p, q->it, q->it->nodes, k, k > 0, TANGENT_SHARP, &f, base, scratch);
    dense_mul(m, 6, 6, 1.0, f.rows, A, s->RA);
    dense_madd(m, 6, m, -1.0, s->RA, f.tip, f.lu);
    const bool here = k == q->element;
    if (here) memcpy(T, q->T0, sizeof q->T0);
    const double *towards = k > q->element ? NULL : here && q->within ? s->own : f.tip;
    put_sides(m, A, T, towards, &f, k == 0, Y);
    turn_round(m, f.lu);
    if (!lu_factor(m, f.lu, f.pivot)) return false;
    const int skip = k == 0 ? 6 : 0;  // the base itself stands still, and G is 0
    transpose(WIDTH - skip, m, Y + skip * m, s->turned);
    lu_solve_many(m, f.lu, f.pivot, WIDTH - skip, s->turned);
    transpose(m, WIDTH - skip, s->turned, Y + skip * m);
    if (k == 0) return true;
    for (int i = 0; i < 6 * m; i++) s->RA[i] -= f.lean[i];
    for (int i = 0; i < 36; i++) A[i] += base[i];
    dense_madd(6, m, 6, 1.0, Y, s->RA, A);
    dense_madd(6, m, 6, 1.0, Y + 6 * m, s->RA, T);
    return true;
}

// W (n_unknowns x 6) from what the sweep inwards has left.
static void put_rows(const question *q, const answer_memory *s, double *W) {
    const rod *r = q->p->r;
    const int d = unknowns_per_node(r);
    double l[36] = {0.0};
    for (int k = 0; k < r->n_elements; k++) {
        const int m = d * r->elements[k].n_nodes, first = d * r->elements[k].node;
        double *G = s->Y + (size_t)first * WIDTH, *U = G + 6 * m;
        dense_madd(6, 6, m, 1.0, l, G, U);
        dense_madd(6, m, 6, 1.0, U, s->rows + (size_t)first * 6, l);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < m; j++) W[(first + j) * 6 + i] = -U[i * m + j];
    }
}

// The rotation and the translation of a section at `at`, from its spatial motion: (phi, z_l + phi x p).
static void put_world(vec3 at, double *T0) {
    const mat3 lever = mat3_hat(vec3_neg(at));
    memset(T0, 0, sizeof(double) * 36);
    for (int i = 0; i < 6; i++) T0[7 * i] = 1.0;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) T0[6 * (3 + i) + c] = lever.m[i][c];
}

bool answer_rows(const rod_problem *p, double s, double *W) {
    const rod *r = p->r;
    collocation_memory *own = p->m->own;
    answer_memory m = memory_in(r, own->answer);
    question q = {.p = p, .it = &own->now};
    double A[36] = {0.0}, T[36] = {0.0}, weights[GAUSS_MAX];
    iterate_unpack(r, &own->now);
    q.element = rod_element_at(r, s);
    const element *e = &r->elements[q.element];
    q.within = s < e->s0 + e->length;
    if (q.within) collocation_ports.section(p, s, weights, m.own);
    put_world(collocation_ports.pose(p, s).p, q.T0);
    for (int k = r->n_elements - 1; k >= 0; k--) {
        tangent_end_load(p, q.it, k, 6, false, A);
        if (!pass_element(&q, k, A, T, &m, own->blocks)) return false;
    }
    put_rows(&q, &m, W);
    return true;
}
