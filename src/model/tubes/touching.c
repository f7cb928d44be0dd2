// model/tubes/touching.c - tubes that touch obstacles, at points of their own, which ride along as they are pushed. What is
// behind the plate touches nothing.
#include <math.h>

#include "math/interpolate.h"
#include "model/tubes/bundle.h"

static int tube_of_rod(const bundle *b, int rod) {
    for (int j = 0; j < b->n; j++)
        if (b->tubes[j].rod == rod) return j;
    return 0;
}

void bundle_obstacles(const bundle *b, bundle_memory *m, const double *inputs, const double *rates,
                      double hardness) {
    if (b->touch.n == 0) return;
    touch_move(&b->touch, &m->touch, inputs, rates, hardness);
    for (int i = 0; i < b->touch.n_points; i++) {
        const touch_point *p = &b->touch.points[i];
        if (p->s + m->beta[tube_of_rod(b, p->rod)] <= 0.0) m->touch.there[i] = 0.0;
    }
}

// Where points are, and how what happens there is part of what happens at the nodes of their element.
static void place_spot(const bundle *b, bundle_memory *m, int i, const double *q, const double *v) {
    const touch_point *p = &b->touch.points[i];
    spot *to = &m->spots[i];
    to->tube = tube_of_rod(b, p->rod);
    const tube_point at = bundle_place(b, m, to->tube, p->s, q, v, NULL);
    to->k = at.k;
    to->element = m->touch.there[i] > 0.0 ? at.element : -1;
    to->wrench = vec6_zero();
    if (to->element < 0 ||
        !integration_matrix(b->per, b->gauss.c, b->gauss.bary, 1, &at.x, to->row))
        to->element = -1;
}

touch_now bundle_touch_now(const spot *s, bool moves) {
    const mat3 axes = tube_axes(&s->k, s->tube);
    const vec3 spin = vec3_madd(s->k.w, s->k.spin[s->tube], mat3_column(&axes, 2));
    return (touch_now){.T = {axes, s->k.p}, .w = spin, .v = s->k.v, .moves = moves};
}

void bundle_spots(const bundle *b, bundle_memory *m, const double *q, const double *v) {
    for (int i = 0; i < b->touch.n_points && b->touch.n; i++) place_spot(b, m, i, q, v);
}

void bundle_touch(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                  const double *v) {
    bundle_spots(b, m, q, v);
    for (int i = 0; i < b->touch.n_points && b->touch.n; i++) {
        spot *s = &m->spots[i];
        if (s->element < 0) continue;
        const touch_now now = bundle_touch_now(s, at->moves);
        const touch_answer out = touch_at(&b->touch, &m->touch, i, &now, NULL);
        s->wrench = out.wrench;
        m->lost += out.lost;
        m->given += out.given;
    }
}
