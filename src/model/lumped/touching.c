// model/lumped/touching.c - obstacles at the nodes of a net.
#include <string.h>

#include "model/lumped/net.h"

static touch_now now_of(const end_motion *end, bool moves) {
    return (touch_now){{end->R, end->p}, end->w, end->v, moves};
}

void add_touches(const net_job *j) {
    const net *c = j->c;
    net_memory *m = j->m;
    point_slopes slopes;
    for (int i = 0; i < c->touch.n_points; i++) {
        const place *at = &c->touched[i];
        const bool tangent = j->w && at->node < c->n_free && j->w->q != 0.0;
        const end_motion end = end_of(at, j->x, m->R);
        const touch_now now = now_of(&end, j->moves);
        if (tangent) memset(&slopes, 0, sizeof slopes);
        const touch_answer out = touch_at(&c->touch, &m->touch, i, &now, tangent ? &slopes : NULL);
        put_wrench(j, at, out.wrench, tangent ? slopes.by_motion : NULL);
        m->lost += out.lost;
        m->given_power += out.given;
    }
}

void keep_touches(const net *c, net_memory *m, shape_origin from) {
    for (int i = 0; i < c->touch.n_points; i++) {
        const end_motion end = end_at(&c->touched[i], m->trial);
        const touch_now now = now_of(&end, from == SHAPE_MOVED);
        touch_stick(&c->touch, &m->touch, i, &now);
    }
    if (from == SHAPE_SET) touch_forget(&c->touch, &m->touch);
    else touch_accept(&c->touch, &m->touch);
}

double touched_energy(const net *c, const node_state *x, const se3 *frames, const double *inputs) {
    double sum = 0.0;
    for (int i = 0; i < c->touch.n_points; i++)
        sum += touch_energy(&c->touch, frames, inputs, i, end_at(&c->touched[i], x).p);
    return sum;
}
