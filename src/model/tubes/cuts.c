// model/tubes/cuts.c - where elements begin and end, and what tubes are made of there.
#include <math.h>
#include <string.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "model/tubes/bundle.h"

#define SLIGHT 1e-13  // of the length: the weight of an element that has none

bool bundle_table_make(int n, bundle_table *g) {
    static const double points[3] = {MAGNUS6_C1, MAGNUS6_C2, MAGNUS6_C3};
    double A[MOST_NODES * MOST_NODES], row[MOST_NODES];
    if (!gauss_legendre(n, g->c, g->b) || !barycentric_weights(n, g->c, g->bary) ||
        !integration_matrix(n, g->c, g->bary, n, g->c, A))
        return false;
    for (int i = 0; i < n; i++) memcpy(g->A[i], A + i * n, sizeof(double) * (size_t)n);
    for (int i = 0; i <= n; i++) {
        const double from = i ? g->c[i - 1] : 0.0, to = i < n ? g->c[i] : 1.0;
        g->step[i] = to - from;
        for (int k = 0; k < 3; k++) {
            lagrange_row(n, g->c, g->bary, from + points[k] * (to - from), row);
            memcpy(g->at[i][k], row, sizeof(double) * (size_t)n);
        }
    }
    return true;
}

double tube_beta(const tube_def *t, const double *inputs) {
    return number_value(t->translation, inputs);
}

// ---------------------------------------------------------------- sections
tube_section piece_section(const tube_def *t, const td_piece_def *piece, double x) {
    const td_section_properties p = piece_properties(piece, x);
    tube_section out = {.mass = p.mass,
                        .added = vec3_load(piece_surface(piece, x, t->fluid).added)};
    point_body_add_piece(&out.around, piece, x, t->fluid, 1.0);
    for (int k = 0; k < 3; k++) {
        out.K[k] = p.stiffness[k];
        out.D[k] = p.damping[k];
        out.rest[k] = piece->rest_curvature[k];
        out.inertia[k] = k == 2 || t->rotary ? p.inertia[k] : 0.0;
    }
    return out;
}

tube_section tube_section_at(const tube_def *t, double s) {
    double x;
    const td_piece_def *piece = piece_at(&t->as, s, &x);
    tube_section out = t->uniform[piece - t->as.pieces];
    if (out.mass == 0.0) out = piece_section(t, piece, x);
    out.s = s;
    return out;
}

// A tube in another one is not in what is around that: magnets alone feel what is farther away.
static void cover(tube_section *s) {
    s->added = vec3_zero();
    s->around = (point_body){.magnet = s->around.magnet};
}

static void fill_sections(const bundle *b, bundle_memory *m, int e) {
    const element_now *el = &m->elements[e];
    int outermost = b->n - 1;
    while (outermost > 0 && !el->there[outermost]) outermost--;
    for (int k = 0; k < b->per; k++)
        for (int j = 0; j < b->n; j++) {
            const tube_def *t = &b->tubes[j];
            const double s = el->from + b->gauss.c[k] * el->h - m->beta[j];
            tube_section *to = &m->sections[(e * b->per + k) * b->n + j];
            *to = tube_section_at(t, fmin(fmax(s, 0.0), t->as.length));
            if (j < outermost) cover(to);
        }
}

static void fill_shafts(const bundle *b, bundle_memory *m) {
    shaft_now *to = m->shafts;
    for (int j = 0; j < b->n; j++) {
        const tube_def *t = &b->tubes[j];
        for (int i = 0; i < t->n_shafts; i++, to++) {
            const shaft_def *s = &t->shafts[i];
            const double end = fmin(s->to, -m->beta[j]), h = fmax(0.0, end - s->from);
            const tube_section at = tube_section_at(t, 0.5 * (s->from + s->to));
            *to = (shaft_now){.from = s->from,
                              .h = h,
                              .weight = fmax(h, SLIGHT * b->length),
                              .c = at.K[2],
                              .d = at.D[2],
                              .rest = at.rest[2],
                              .inertia = at.inertia[2]};
        }
    }
}

// ---------------------------------------------------------------- elements
static void sort_cuts(const bundle *b, bundle_memory *m) {
    int n = 0;
    for (int j = 0; j < b->n; j++)
        for (int k = 0; k < b->tubes[j].n_marks; k++) {
            const double at = m->beta[j] + b->tubes[j].marks[k];
            const element_now el = {
                .h = fmax(0.0, at), .tube = j, .mark = k, .behind = !(at > 0.0)};
            int i = n++;
            for (; i > 0 && m->elements[i - 1].h > el.h; i--) m->elements[i] = m->elements[i - 1];
            m->elements[i] = el;
        }
}

void bundle_cut(const bundle *b, bundle_memory *m, const double *inputs) {
    for (int j = 0; j < b->n; j++) m->beta[j] = tube_beta(&b->tubes[j], inputs);
    sort_cuts(b, m);
    double from = 0.0;
    for (int e = 0; e < b->n_elements; e++) {
        element_now *el = &m->elements[e];
        const double to = el->h;
        for (int j = 0; j < b->n; j++)
            el->there[j] = m->beta[j] + b->tubes[j].as.length >= to - 1e-12 * b->length;
        el->from = from;
        el->h = to - from;
        el->weight = fmax(el->h, SLIGHT * b->length);
        from = to;
        fill_sections(b, m, e);
    }
    fill_shafts(b, m);
    bundle_route(b, m);
}

int bundle_end_of(const bundle *b, const bundle_memory *m, int tube, int mark) {
    int e = 0;
    while (e + 1 < b->n_elements && (m->elements[e].tube != tube || m->elements[e].mark != mark))
        e++;
    return e;
}
