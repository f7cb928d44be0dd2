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
    return all * (WIDTH + 6) + m * m + m * 5 * 6 + m;  // the last for pivots
}

typedef struct answer_memory {
    double *
        Y;  // (m x width) [G; U]' of each element, one after another: G alone beyond the section, U alone at the base
    double *rows;   // (m x 6) of each
    double *own;    // (6 x m) motion of the section; of one element, as all below
    double *sides;  // (6 x m)
    element_factor f;
} answer_memory;

static answer_memory memory_in(const rod *r, double *at) {
    const int m = most_unknowns(r), all = n_strains(r);
    answer_memory s = {.Y = at};
    at += WIDTH * all, s.rows = at, at += 6 * all;
    double **const parts[] = {&s.f.out, &s.f.lean, &s.f.tip, &s.own, &s.sides};
    for (int i = 0; i < 5; i++, at += 6 * m) *parts[i] = at;
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

// Columns [column, column + 6) of Y (m x width) = a', a (6 x m)
static void put_turned(int m, const double *a, int width, int column, double *Y) {
    for (int j = 0; j < m; j++)
        for (int i = 0; i < 6; i++) Y[j * width + column + i] = a[i * m + j];
}

static int width_of(const question *q, int k) {
    return k == 0 || k > q->element ? 6 : WIDTH;
}

// Element k, from its far side to its near side; AT (12 x 6) is [A; T]. False: singular.
static bool pass_element(const question *q, int k, double *AT, const answer_memory *s,
                         double *scratch) {
    const rod_problem *p = q->p;
    const rod *r = p->r;
    const int d = unknowns_per_node(r), m = d * r->elements[k].n_nodes, width = width_of(q, k),
              first = d * r->elements[k].node;
    double base[72], *A = AT, *T = AT + 36, *Y = s->Y + (size_t)first * WIDTH;
    element_factor f = s->f;
    f.rows = s->rows + (size_t)first * 6;
    tangent_element(p, q->it, q->it->nodes, k, k > 0, TANGENT_SHARP, &f, base, scratch);
    dense_mul(6, 6, m, 1.0, A, f.tip, s->sides);
    dense_madd(m, 6, m, -1.0, f.rows, s->sides, f.lu);
    for (int i = 0; i < 6 * m && k > 0; i++) s->sides[i] += f.out[i];
    if (k > 0) put_turned(m, s->sides, width, 0, Y);
    if (k <= q->element) {
        const bool here = k == q->element;
        if (here) memcpy(T, q->T0, sizeof q->T0);
        dense_mul(6, 6, m, 1.0, T, here && q->within ? s->own : f.tip, s->sides);
        put_turned(m, s->sides, width, width - 6, Y);
    }
    if (!lu_factor(m, f.lu, f.pivot)) return false;
    lu_solve_transposed_many(m, f.lu, f.pivot, width, Y);
    if (k == 0) return true;  // the base stands still
    for (int i = 0; i < 6 * m; i++) f.lean[i] = -f.lean[i];
    dense_madd(m, 6, 6, 1.0, f.rows, A, f.lean);
    for (int i = 0; i < 36; i++) A[i] += base[i];
    dense_tmadd(m, width, 6, 1.0, Y, f.lean, AT);
    return true;
}

// W (n_unknowns x 6) from what the sweep inwards has left, with [l, 1]' (12 x 6).
static void put_rows(const question *q, const answer_memory *s, double *W) {
    const rod *r = q->p->r;
    const int d = unknowns_per_node(r);
    double l[72] = {0.0}, *one = l + 36;
    for (int i = 0; i < 6; i++) one[7 * i] = 1.0;
    for (int k = 0; k < r->n_elements; k++) {
        const int m = d * r->elements[k].n_nodes, first = d * r->elements[k].node;
        const double *Y = s->Y + (size_t)first * WIDTH, *rows = s->rows + (size_t)first * 6;
        double *of = W + (size_t)first * 6;
        dense_mul(m, width_of(q, k), 6, -1.0, Y, k > 0 ? l : one, of);
        dense_tmadd(m, 6, 6, -1.0, rows, of, l);
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
    double AT[72] = {0.0}, weights[GAUSS_MAX];
    iterate_unpack(r, &own->now);
    q.element = rod_element_at(r, s);
    const element *e = &r->elements[q.element];
    q.within = s < e->s0 + e->length;
    if (q.within) collocation_ports.section(p, s, weights, m.own);
    put_world(collocation_ports.pose(p, s).p, q.T0);
    for (int k = r->n_elements - 1; k >= 0; k--) {
        tangent_end_load(p, q.it, k, 6, false, AT);
        if (!pass_element(&q, k, AT, &m, own->blocks)) return false;
    }
    put_rows(&q, &m, W);
    return true;
}
