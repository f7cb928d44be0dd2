// model/cosserat/fed_memory.c - what sections remember of material that is fed past the nodes: strains, and those of the springs of
// what relaxes (material/memory.h).
//
// It goes with the material, as in dynamics.c. Nothing solves for it again at each node, so that what enters must come in from the
// end where it does: between nodes, and between that end and the first of them, it is the cubic through two on either side. (Polynomials
// of elements, which hear of one another at their ends only, amplify what is fine from element to element, and so does a cubic
// through the four nearest points in short steps.)
//
// Inside its base a rod is straight, and has been for long; there its springs are slack. As it comes out it is bent at once. What
// grows at the tip is slack as well, at the strain of the tip.
#include <math.h>
#include <string.h>

#include "model/cosserat/scheme.h"

#define LONGEST 300.0  // times by which a spring may be late: beyond, nothing is left of it
enum { MOST_REMEMBERED = 6 * (1 + TD_MOST_RELAXATIONS), NEAREST = 4 };

static int numbers_of(const element *e) {
    return e->laws ? law_memory(&e->laws[0]) : 0;
}

// Nodes of the stretch that gets longer, by number, and the ends beyond: where nothing enters there is none.
typedef struct fed_line {
    const rod *r;
    const rod_memory *m;
    const element *begin, *end;  // its elements
    double length;               // of the rod, as it was
    int n;                       // numbers of each node
    int low, high;               // of points
} fed_line;

static fed_line line_of(const rod_memory *m) {
    const rod *r = m->r;
    fed_line l = {.r = r, .m = m, .begin = r->elements, .end = r->elements + r->n_elements};
    while (l.begin < l.end && !element_grows(r, l.begin)) l.begin++;
    while (l.end > l.begin && !element_grows(r, l.end - 1)) l.end--;
    if (l.begin == l.end) return l;
    const bool longer = r->length > m->lengths[0];
    l.length = m->lengths[0];
    l.n = numbers_of(l.begin);
    l.low = l.begin->node - (longer && !r->grows_at_tip);
    l.high = l.end[-1].node + l.end[-1].n_nodes - 1 + (longer && r->grows_at_tip);
    return l;
}

static const element *element_of(const fed_line *l, int node) {
    const element *e = l->begin;
    while (e + 1 < l->end && node >= e[1].node) e++;
    return e;
}

static bool is_node(const element *e, int point) {
    return point >= e->node && point < e->node + e->n_nodes;
}

static double place_of(const fed_line *l, int point) {
    const element *e = element_of(l, point);
    const double x = is_node(e, point) ? e->shares[point - e->node] : point < e->node ? 0.0 : 1.0;
    return element_place(l->r, e, x, l->length);
}

static const double *kept_at(const fed_line *l, int node) {
    const element *e = element_of(l, node);
    return l->m->inner + e->inner + l->n * (node - e->node);
}

// Of what rests straight inside the base.
static void put_inside(const station *st, int n, double *z) {
    memset(z, 0, sizeof *z * (size_t)n);
    vec3_store(z, vec3_neg(st->u_rest));
}

// Of what enters at the strain x, next to node i.
static void put_new(const rod *r, const element *e, int i, const double x[6], double *z) {
    const int n = numbers_of(e);
    if (r->grows_at_tip) memset(z, 0, sizeof *z * (size_t)n);
    else put_inside(&e->stations[i], n, z);
    for (int k = 6; k < n && !r->grows_at_tip; k++) z[k] = x[k % 6] - z[k % 6];
    memcpy(z, x, 6 * sizeof *z);
}

// z (n) at s by two points on either side of it, of those from low to high.
static void interpolate(const fed_line *l, double s, int low, int high, const double *end,
                        double *z) {
    int first = low;
    while (first + NEAREST - 1 < high && place_of(l, first + NEAREST / 2) < s) first++;
    const int last = first + NEAREST - 1 < high ? first + NEAREST - 1 : high;
    memset(z, 0, sizeof *z * (size_t)l->n);
    for (int i = first; i <= last; i++) {
        const double *from = is_node(element_of(l, i), i) ? kept_at(l, i) : end;
        double weight = 1.0;
        for (int j = first; j <= last; j++)
            if (j != i) weight *= (s - place_of(l, j)) / (place_of(l, i) - place_of(l, j));
        for (int k = 0; k < l->n; k++) z[k] += weight * from[k];
    }
}

// Of what enters.
static void entering(const fed_line *l, double *z) {
    const bool at_tip = l->r->grows_at_tip;
    const element *e = at_tip ? l->end - 1 : l->begin;
    const int low = l->begin->node, high = l->end[-1].node + l->end[-1].n_nodes - 1;
    double x[MOST_REMEMBERED];
    interpolate(l, place_of(l, at_tip ? high + 1 : low - 1), low, high, NULL, x);
    put_new(l->r, e, at_tip ? e->n_nodes - 1 : 0, x, z);
}

static void carry_node(const fed_line *l, const element *e, int i, const double *end, double *z) {
    past_place at[2];
    if (past_places(l->m, e, i, 0, at) == 1) {
        interpolate(l, element_place(l->r, at[0].of, at[0].x, l->length), l->low, l->high, end, z);
        return;
    }
    // it entered within the step: its springs have flowed for less than that
    const double earlier = l->m->elapsed * fmin(at[0].factor - 1.0, 1.0);
    const double *times = e->laws[i].relaxation.times;
    memcpy(z, end, sizeof *z * (size_t)l->n);
    for (int k = 6; k < l->n; k++) z[k] *= exp(fmin(earlier / times[k / 6 - 1], LONGEST));
}

void past_carry_inner(rod_memory *m) {
    const bool moves = m->elapsed > 0.0 && m->elapsed < HUGE_VAL;
    double end[MOST_REMEMBERED];
    m->then = m->inner;
    if (!m->came || !moves || m->r->length == m->lengths[0]) return;
    const fed_line l = line_of(m);
    if (l.n == 0) return;
    m->then = m->came;
    memcpy(m->came, m->inner, sizeof(double) * (size_t)m->r->n_inner);
    entering(&l, end);
    for (const element *e = l.begin; e < l.end; e++)
        for (int i = 0; i < e->n_nodes; i++)
            carry_node(&l, e, i, end, m->came + e->inner + l.n * i);
}

double end_elastic(const rod_memory *m, const rod *r, bool enters, const double x[6]) {
    const element *e = r->grows_at_tip ? &r->elements[r->n_elements - 1] : r->elements;
    const int i = r->grows_at_tip ? e->n_nodes - 1 : 0;
    double z[MOST_REMEMBERED];
    if (!m->came || numbers_of(e) == 0 || !enters) return element_elastic(e, i, m->inner, 0.0, x);
    put_new(r, e, i, x, z);
    return law_energy(&e->laws[i], &(law_past){z, 0.0}, x);
}
