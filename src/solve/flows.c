// solve/flows.c - see flows.h.
#include "solve/flows.h"

#include "material/memory.h"

void flow_stiffness(const relaxing_section *s, double F[36]) {
    flowing_stiffness(s->law, F);
}

void flows_layout(const solve_part *p, int m, arena *a, flow_columns *out) {
    const int n = 6 * p->n_relaxing;
    flow_columns s = {.m = m};
    s.h = ARENA_TAKE(a, double, p->n_flows *m);
    s.next = ARENA_TAKE(a, double, p->n_flows *m);
    s.begun = ARENA_TAKE(a, double, n *m);
    s.X = ARENA_TAKE(a, double, n * p->n_q);
    s.left = ARENA_TAKE(a, double, p->n_flows ? 6 * m : 0);
    s.x = ARENA_TAKE(a, double, n);
    *out = s;
}

// to (m) += x from
static void add(int m, double x, const double *from, double *to) {
    for (int j = 0; j < m && x != 0.0; j++) to[j] += x * from[j];
}

// to (m) += factor X z, of strain `row` of all.
static void add_strain(const flow_columns *s, const solve_part *p, int row, double factor,
                       const double *z, double *to) {
    const double *X = s->X + (size_t)row * (size_t)p->n_q;
    for (int c = 0; c < p->n_q; c++) add(s->m, factor * X[c], z + (size_t)c * (size_t)s->m, to);
}

void flows_begin(flow_columns *s, const solve_part *p, const solve_instant *at,
                 const configuration *c, const double *z) {
    const int n = 6 * p->n_relaxing;
    p->how->strains(p->of, at, c, s->X);
    memset(s->begun, 0, sizeof(double) * (size_t)(n * s->m));
    for (int i = 0; i < n; i++) add_strain(s, p, i, 1.0, z, s->begun + i * s->m);
}

// Of term k of a section, whose numbers begin at `first`: e dh0 - f dx0 (6 x m).
static void find_left(const flow_columns *s, const relaxing_section *of, const solve_instant *at,
                      int which, int first, int k) {
    double *left = s->left;
    double e, f;
    relaxing_factors(of->law, k, instant_elapsed(at), &e, &f);
    memset(left, 0, sizeof(double) * 6 * (size_t)s->m);
    for (int j = 0; j < of->n; j++) {
        add(s->m, e, s->h + (first + k * of->n + j) * s->m, left + j * s->m);
        add(s->m, -f, s->begun + (6 * which + j) * s->m, left + j * s->m);
    }
}

void flows_take(flow_columns *s, const solve_part *p, const solve_instant *at,
                const configuration *c, double *rows) {
    const int m = s->m;
    p->how->strains(p->of, at, c, s->X);
    for (int i = 0, first = 0; i < p->n_relaxing; i++) {
        const relaxing_section of = p->how->relaxing(p->of, i);
        double F[36];
        flow_stiffness(&of, F);
        for (int k = 0; k < of.law->n_terms; k++) {
            const double by = of.weight * of.law->relaxation.shares[k];
            find_left(s, &of, at, i, first, k);
            for (int row = 0; row < of.n; row++)
                for (int j = 0; j < of.n; j++) {
                    const double *X = s->X + (size_t)(6 * i + row) * (size_t)p->n_q;
                    const double G = by * F[6 * row + j];
                    for (int q = 0; q < p->n_q && G != 0.0; q++)
                        add(m, -G * X[q], s->left + j * m, rows + (size_t)q * (size_t)m);
                }
        }
        first += relaxing_numbers(&of);
    }
}

void flows_end(flow_columns *s, const solve_part *p, const solve_instant *at,
               const configuration *c, const double *z) {
    p->how->strains(p->of, at, c, s->X);
    for (int i = 0, first = 0; i < p->n_relaxing; i++) {
        const relaxing_section of = p->how->relaxing(p->of, i);
        for (int k = 0; k < of.law->n_terms; k++) {
            double e, f;
            relaxing_factors(of.law, k, instant_elapsed(at), &e, &f);
            for (int j = 0; j < of.n; j++, first++) {
                double *to = s->next + first * s->m;
                memset(to, 0, sizeof(double) * (size_t)s->m);
                add(s->m, e, s->h + first * s->m, to);
                add(s->m, -f, s->begun + (6 * i + j) * s->m, to);
                add_strain(s, p, 6 * i + j, f, z, to);
            }
        }
    }
}

// ---------------------------------------------------------------- other numbers of the robot
void flows_begin_by(flow_columns *s, const solve_part *p, int side, const solve_instant *at,
                    const configuration *c, double step, int j) {
    p->how->strained(p->of, at, c, s->x);
    for (int i = 0; i < 6 * p->n_relaxing; i++)
        s->begun[i * s->m + j] += side * s->x[i] / (2.0 * step);
}

void flows_end_by(flow_columns *s, const solve_part *p, int side, const solve_instant *at,
                  const configuration *c, double step, int j) {
    p->how->strained(p->of, at, c, s->x);
    for (int i = 0, first = 0; i < p->n_relaxing; i++) {
        const relaxing_section of = p->how->relaxing(p->of, i);
        const law_past past = {of.z, instant_elapsed(at)};
        for (int k = 0; k < of.law->n_terms; k++) {
            double h[6];
            relaxed_strain(of.law, &past, k, s->x + 6 * i, h);
            for (int l = 0; l < of.n; l++, first++)
                s->next[first * s->m + j] += side * h[l] / (2.0 * step);
        }
    }
}
