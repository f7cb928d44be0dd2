// solve/through.c - obstacles between two shapes. Points that touch feel an obstacle where they are; what is thinner
// than a stride of theirs is passed unseen. So ways are looked at, straight from point to point, and an equilibrium
// beyond an obstacle is sought again by moving there from standstill, in steps that do not pass:
//
//     M dv/h + r(q + h dv) = 0,   v = 0 before each
//
// backward Euler, whose long steps end in an equilibrium.
#include <math.h>
#include <string.h>

#include "solve/mechanics.h"

#define FIRST_STEP 1e-3   // s; what is too long is shortened, and what is too short grows
#define LEAST_STEP 1e-12  // s
#define MOST_STRIDES 400
#define LONG 1e3  // times the step that moved most: statics
#define CLOSE 1e-9
#define AGREE 1e-6
#define SHORTEST 0.05  // share of a correction
#define MOST_RENEWALS 12

void through_from(const solve_part *p, const solve_instant *at, const double *q, bool kept) {
    p->how->points(p->of, at, q, p->touched->from);
    touch_leave(p->touch, p->touched, kept);
}

bool through_to(const solve_part *p, const solve_instant *at, const double *q, char *message) {
    p->how->points(p->of, at, q, p->touched->to);
    return touch_passes(p->touch, p->touched, MODEL_MESSAGE_SIZE, message);
}

double part_depth(const solve_part *p, const solve_instant *at, const double *q, contact_push push,
                  char *message) {
    if (p->how->depth) return p->how->depth(p->of, at, q, push, message);
    if (!p->touch || !touch_is_hard(p->touch)) return 0.0;
    p->how->points(p->of, at, q, p->touched->to);
    const int n = p->touch->n_points;
    const touch_depth worst = touch_depth_of(p->touch, p->touched, 0, n);
    if (message && worst.times > 1.0)
        touch_tell_depth(p->touch, &worst, MODEL_MESSAGE_SIZE, message);
    if (push && worst.times > 1.0) touch_push(p->touch, p->touched, 0, n, push);
    return worst.times;
}

// From m->q, at standstill, into m->t*.
static bool stride(solve_stage *s, double h) {
    const solve_part *p = s->p;
    const solve_memory *m = p->m;
    const stage_rules rules = {.tolerance = CLOSE,
                               .longest = HUGE_VAL,
                               .shortest = SHORTEST,
                               .loose = AGREE,
                               .renewals = MOST_RENEWALS};
    const size_t bytes = sizeof(double) * (size_t)p->n_q;
    s->at.cv = 1.0 / h, s->at.ca = s->at.cv * s->at.cv;
    copy_doubles(p->n_x, m->star, m->q);
    copy_doubles(p->n_l, m->tl, m->l);
    memset(m->star_v, 0, bytes);
    memset(m->tv, 0, bytes);
    memset(m->ta, 0, bytes);
    *m->valid = 0.0;
    return stage_solve(s, &rules);
}

td_status through_relax(const solve_part *whole, const model_call *call) {
    solve_part p = *whole;
    if (p.gives) p.n_l = 0;
    solve_stage s = {.p = &p, .at = instant_at_rest(call), .stats = call->stats};
    double h = FIRST_STEP, most = 0.0, widest = FIRST_STEP;
    bool kept = true;
    s.at.soft = p.gives;
    for (int i = 0; i < MOST_STRIDES && h > LEAST_STEP; i++) {
        if (interrupted(call->interrupt)) return call_stopped(call);
        bool ok = stride(&s, h);
        if (ok) {
            through_from(&p, &s.at, p.m->q, kept);
            ok = !through_to(&p, &s.at, p.m->tq, call->message);
        }
        if (ok && p.how->fits) ok = p.how->fits(p.of, &s.at, p.m->tq, call->message) >= 0;
        if (!ok) {
            h *= 0.25;
            continue;
        }
        copy_doubles(p.n_x, p.m->q, p.m->tq);
        copy_doubles(p.n_l, p.m->l, p.m->tl);
        kept = false;
        if (h > LONG * widest) return TD_OK;
        const double moved = h * part_size(&p, p.m->tv);
        if (moved > most) most = moved, widest = h;
        h *= 2.0;
    }
    return TD_ERR_NOT_CONVERGED;
}
