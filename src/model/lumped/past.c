// model/lumped/past.c - what points of a net remember of obstacles, in the derivative of a step: see mechanics.h. Beside
// the numbers of the state, which touch.h keeps, it is where points were when the step began.
#include <string.h>

#include "model/lumped/point.h"

int net_n_kept(const net *c) {
    return touch_remembers(&c->touch) ? CONTACT_KEPT * c->touch.n * c->touch.n_points : 0;
}

int net_n_shape(const net *c) {
    return net_n_kept(c) ? 6 * c->touch.n_points : 0;
}

// shape (n_points 6 x m): turns and shifts of points, where coordinates move by z. Nodes are loaded.
static void move_points(net_memory *m, int columns, const double *z, double *shape) {
    const net *c = m->of;
    double *dz = m->r;  // scratch
    for (int j = 0; j < columns; j++) {
        for (int k = 0; k < 6 * c->n_free; k++) dz[k] = z[k * columns + j];
        memset(m->y, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
        m->states->to_nodes(m, dz, m->y);
        for (int i = 0; i < c->touch.n_points; i++) {
            double moved[6];
            vec6_store(moved, end_shift(m, &c->touched[i]));
            for (int k = 0; k < 6; k++) shape[(6 * i + k) * columns + j] = moved[k];
        }
    }
}

void net_past_begin(void *of, const solve_instant *at, const configuration *x, int columns,
                    const double *z, double *shape) {
    net_memory *m = of;
    m->states->load(m, at, x);
    move_points(m, columns, z, shape);
}

static contact_past past_of(const net *c, int point, int columns, const double *kept,
                            const double *shape) {
    const int own = CONTACT_KEPT * c->touch.n * point;
    return (contact_past){columns, kept + own * columns, shape + 6 * point * columns, NULL};
}

static touch_now now_at(const net *c, const net_memory *m, int point) {
    const end_motion end = end_at(&c->touched[point], m->trial);
    return (touch_now){{end.R, end.p}, end.w, end.v, true};
}

// Wrenches of all points, column by column.
void net_past_take(void *of, const solve_instant *at, const configuration *x, int columns,
                   const double *kept, const double *shape, double *wrenches, double *rows) {
    net_memory *m = of;
    const net *c = m->of;
    m->states->load(m, at, x);
    memset(wrenches, 0, sizeof(double) * 6 * (size_t)(c->touch.n_points * columns));
    for (int i = 0; i < c->touch.n_points; i++) {
        const contact_past past = past_of(c, i, columns, kept, shape);
        const touch_now now = now_at(c, m, i);
        touch_add_past(&c->touch, &m->touch, i, &now, &past, wrenches + 6 * i * columns);
    }
    for (int j = 0; j < columns; j++) {
        memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
        for (int i = 0; i < c->touch.n_points; i++) {
            double w[6];
            for (int k = 0; k < 6; k++) w[k] = wrenches[(6 * i + k) * columns + j];
            push_end(m, &c->touched[i], vec6_load(w));
        }
        m->states->from_nodes(m);
        for (int k = 0; k < 6 * c->n_free; k++) rows[k * columns + j] -= m->balance[k];
    }
}

void net_past_keep(void *of, const solve_instant *at, const configuration *x, int columns,
                   const double *z, const double *kept, const double *shape, double *moved,
                   double *to) {
    net_memory *m = of;
    const net *c = m->of;
    m->states->load(m, at, x);
    move_points(m, columns, z, moved);
    for (int i = 0; i < c->touch.n_points; i++) {
        const contact_past past = past_of(c, i, columns, kept, shape);
        const touch_now now = now_at(c, m, i);
        touch_keep_along(&c->touch, &m->touch, i, &now, &past, moved + 6 * i * columns,
                         to + CONTACT_KEPT * c->touch.n * i * columns);
    }
}
