// model/tubes/friction.c - tubes that rub on one another.
//
// Tubes press on one another where the moment that each carries for itself jumps: at cuts, at their ends and at the
// plate. With D the jump of the inner one's moment the torque on it is
//
//     mu |D| g/sqrt(g^2 + g0^2)        g: how much faster the outer one spins, g0: slip_rate
#include <math.h>

#include "model/tubes/bundle.h"

#define LEAST 0.03  // slope that the tangent has, by torque and rate: one of nothing overshoots

// The moment that tube j carries in an element where all carry M, in the frame; at the end that is meant.
static void share_of(const bundle *b, const bundle_memory *m, int e, bool far_end, const knot *at,
                     int j, const double M[2], double own[2]) {
    const int node = e * b->per + (far_end ? b->per - 1 : 0);
    double K = 0.0, rest[2] = {0.0, 0.0}, mine[2] = {0.0, 0.0}, stiff = 0.0;
    own[0] = own[1] = 0.0;
    if (e < 0 || !m->elements[e].there[j]) return;
    for (int i = 0; i < b->n; i++) {
        if (!m->elements[e].there[i]) continue;
        const tube_section *s = &m->sections[node * b->n + i];
        const double k = 0.5 * (s->K[0] + s->K[1]), c = cos(at->psi[i]), d = sin(at->psi[i]);
        const double x = c * s->rest[0] - d * s->rest[1], y = d * s->rest[0] + c * s->rest[1];
        K += k, rest[0] += k * x, rest[1] += k * y;
        if (i == j) stiff = k, mine[0] = x, mine[1] = y;
    }
    for (int i = 0; i < 2; i++) own[i] = stiff * ((M[i] + rest[i]) / K - mine[i]);
}

static int next_with_length(const bundle *b, const bundle_memory *m, int e) {
    for (e++; e < b->n_elements; e++)
        if (m->elements[e].h > 0.0) return e;
    return -1;
}

rub bundle_rub(const bundle *b, const bundle_memory *m, int element, int inner, vec3 moment) {
    const tube_def *t = &b->tubes[inner];
    const rub none = {0.0, 0.0};
    if (t->friction == 0.0 || inner + 1 >= b->n) return none;
    const knot *at = element < 0 ? &m->base : &m->ends[element];
    const int next = next_with_length(b, m, element), near = element < 0 ? next : element;
    if (near < 0 || m->elements[near].h <= 0.0) return none;
    if (!m->elements[near].there[inner] || !m->elements[near].there[inner + 1]) return none;
    const vec3 local = mat3_tmul_vec(&at->R, moment);
    const double M[2] = {local.x, local.y};
    double before[2] = {0.0, 0.0}, after[2];
    if (element >= 0) share_of(b, m, element, true, at, inner, M, before);
    share_of(b, m, next, false, at, inner, M, after);
    const double jump = hypot(after[0] - before[0], after[1] - before[1]);
    const double g = at->spin[inner + 1] - at->spin[inner], g0 = t->slip_rate;
    const double size = hypot(g, g0), most = t->friction * jump;
    return (rub){most * g / size, most / size * fmax(g0 * g0 / (size * size), LEAST)};
}
