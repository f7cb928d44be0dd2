// sim/linearise_flows.c - materials that relax in a linearisation: the strain y that has flowed in each term of each section
// is a coordinate behind all others.
//
// A term is a spring g F in series with a dashpot of the time t (material/memory.h). With the strain X z of its section, of the
// weight w along the rod, its spring has the strain X z - y, and
//
//     r += X' w g F (X z - y),     w g F (t y' + y - X z) = 0
//
// so that all stays symmetric. K of the shape is that of a sudden change, with all springs beside the section's; an equilibrium
// has y = X z, and the stiffness of long times.
#include <math.h>
#include <string.h>

#include "sim/linearise.h"
#include "solve/chart.h"
#include "solve/flows.h"

#define RESTED 1e-5  // of a strain that counts like a radian: what an equilibrium may miss

// Where numbers of part i begin.
static int first_of(const td_linearisation *l, int i) {
    int first = l->n_q;
    for (int k = 0; k < i; k++) first += l->parts[k].p.n_flows;
    return first;
}

// Of one section: its row of strains, and where its first number is.
typedef struct one_section {
    relaxing_section s;
    const double *X;  // (6 x n_q)
    int first;
    double F[36];
} one_section;

// Sections of a part, one after another, from which = 0 on; false: there are no more.
static bool next_section(const td_linearisation *l, int i, int which, one_section *x) {
    const solve_part *p = &l->parts[i].p;
    if (which == 0) x->first = first_of(l, i);
    else x->first += relaxing_numbers(&x->s);
    if (which >= p->n_relaxing) return false;
    x->s = p->how->relaxing(p->of, which);
    x->X = l->strains + 6 * (size_t)which * (size_t)p->n_q;
    flow_stiffness(&x->s, x->F);
    return true;
}

// The number of strain j in term k.
static int number_at(const one_section *x, int k, int j) {
    return x->first + k * x->s.n + j;
}

// The column of strain j in term k, and the row, which is the same.
static void fill_number(td_linearisation *l, int i, const one_section *x, int k, int j) {
    const linear_point *at = &l->parts[i];
    const int n = l->of.n, column = number_at(x, k, j);
    const double by = x->s.weight * x->s.law->relaxation.shares[k];
    for (int row = 0; row < x->s.n; row++) {
        const double F = by * x->F[6 * row + j], *X = x->X + (size_t)row * (size_t)at->p.n_q;
        for (int c = 0; c < at->p.n_q && F != 0.0; c++) {
            const int place = l->place[i][c];
            l->of.K[place * n + column] -= X[c] * F;
            l->of.K[column * n + place] -= X[c] * F;
        }
        l->of.K[number_at(x, k, row) * n + column] = F;
        l->of.D[number_at(x, k, row) * n + column] = x->s.law->relaxation.times[k] * F;
    }
}

// As large as the strain is by coordinates that change like a radian.
static double unit_of(const td_linearisation *l, int i, const one_section *x, int j) {
    const solve_part *p = &l->parts[i].p;
    double most = 0.0;
    for (int c = 0; c < p->n_q; c++)
        if (!part_holds(p, c))
            most = fmax(most, fabs(x->X[(size_t)j * (size_t)p->n_q + (size_t)c]) * p->unit[c]);
    return most > 0.0 ? most : 1.0;
}

void linear_flows_fill(td_linearisation *l, int i) {
    one_section x;
    if (l->parts[i].p.n_flows == 0) return;
    linear_strains(&l->parts[i], l->strains);
    for (int which = 0; next_section(l, i, which, &x); which++)
        for (int k = 0; k < x.s.law->n_terms; k++)
            for (int j = 0; j < x.s.n; j++) {
                l->of.unit[number_at(&x, k, j)] = unit_of(l, i, &x, j);
                fill_number(l, i, &x, k, j);
            }
}

bool linear_flows_balance(td_linearisation *l, int i) {
    one_section x;
    bool rested = true;
    for (int which = 0; next_section(l, i, which, &x); which++)
        for (int k = 0; k < x.s.law->n_terms; k++)
            for (int j = 0; j < x.s.n; j++) {
                const int at = number_at(&x, k, j);
                rested = rested && fabs(x.s.z[6 * (k + 1) + j]) <= RESTED * l->of.unit[at];
                l->r[at] = 0.0;  // what flows does so at once
            }
    return rested;
}

void linear_flows_outputs(td_linearisation *l, int i, const linear_observer *o) {
    one_section x;
    for (int which = 0; next_section(l, i, which, &x); which++)
        for (int k = 0; k < x.s.law->n_terms; k++)
            for (int j = 0; j < x.s.n; j++) {
                const int at = number_at(&x, k, j);
                l->nudged = &x.s.z[6 * (k + 1) + j];  // what has flowed is missing in the spring
                l->nudge = -l->of.unit[at];
                linear_value(&l->parts[i], o, l->column);
                l->nudge = l->of.unit[at];
                linear_value(&l->parts[i], o, l->here);
                for (int row = 0; row < o->n; row++)
                    l->of.C[0][row * l->of.n + at] =
                        (l->column[row] - l->here[row]) / (2.0 * l->of.unit[at]);
                l->nudged = NULL;
            }
}
