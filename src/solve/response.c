// solve/response.c - how an equilibrium answers to its inputs, to a wrench and to a parameter:
// K dz = -dr.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/mechanics.h"

// In a motion part of the stress is viscous. Without it a rod that is being compressed would seem to carry what its damping carries, and
// loads of a few times Euler's that nothing balances would make K another matrix: the rates count in it, and stay. What is
// at rest has none, so that friction there is that of an equilibrium.
static bool is_moving(const solve_part *p) {
    for (int k = 0; k < p->n_q; k++)
        if (p->m->v[k] != 0.0) return true;
    return false;
}

static bool factor_at_rest(const solve_part *p, const model_call *call, solve_stage *s) {
    *s = (solve_stage){
        .p = p, .at = instant_at_rest(call), .stats = call->stats, .rates_stay = is_moving(p)};
    memcpy(p->m->tq, p->m->q, sizeof(double) * (size_t)p->n_x);
    memcpy(p->m->tl, p->m->l, sizeof(double) * (size_t)p->n_l);
    memcpy(p->m->tv, p->m->v, sizeof(double) * (size_t)p->n_q);
    memset(p->m->ta, 0, sizeof(double) * (size_t)p->n_q);
    return stage_renew(s);
}

// dr/d input by differences over e on both sides; where the two disagree, false, and to the side of growing values.
static bool by_difference(solve_stage *s, const model_call *call, int input, double e, double *dr) {
    const solve_part *p = s->p;
    const double value = call->inputs[input];
    double *now = call->scratch, *minus = p->m->before, most = 0.0, apart = 0.0;
    memcpy(now, call->inputs, sizeof(double) * (size_t)call->n_inputs);
    s->at.inputs = s->at.places = now;
    now[input] = value + e;
    stage_residual(s, dr, NULL);
    now[input] = value - e;
    stage_residual(s, minus, NULL);
    now[input] = value;
    stage_residual(s, p->m->next, NULL);
    s->at.inputs = s->at.places = call->inputs;
    for (int k = 0; k < part_n(p); k++) {
        most = fmax(most, fabs(dr[k] - minus[k]));
        apart = fmax(apart, fabs(dr[k] + minus[k] - 2.0 * p->m->next[k]));
    }
    const bool one_sided = apart > 0.1 * most;
    for (int k = 0; k < part_n(p); k++)
        dr[k] = one_sided ? (dr[k] - p->m->next[k]) / e : (dr[k] - minus[k]) / (2.0 * e);
    return !one_sided;
}

#define REACH 1e-6  // of an input
#define NEAR 1e-9   // the same beside a tendon that is about to become taut or slack

static void by_differences(solve_stage *s, const model_call *call, int input, double *dr) {
    const double size = fmax(1.0, fabs(call->inputs[input]));
    if (!by_difference(s, call, input, REACH * size, dr))
        by_difference(s, call, input, NEAR * size, dr);
}

void stage_by_input(solve_stage *s, const model_call *call, int input, double *dr) {
    const solve_part *p = s->p;
    configuration c = stage_here(s);
    if (p->how->by_input) p->how->by_input(p->of, &s->at, &c, input, dr);
    else by_differences(s, call, input, dr);
}

// ---------------------------------------------------------------- what follows the shape
#define PROBE 1e-5  // rad: how far differences reach
#define CORRECTIONS 20
#define ENOUGH 1e-11  // relative size of the last correction

// r of the equilibrium moved by scale dz, where what follows a shape has followed it; false: nothing did.
static bool settled_residual(solve_stage *s, double scale, const double *dz, double *r) {
    const solve_part *p = s->p;
    memcpy(p->m->tq, p->m->q, sizeof(double) * (size_t)p->n_x);
    memcpy(p->m->tl, p->m->l, sizeof(double) * (size_t)p->n_l);
    stage_move(s, scale, dz);
    const configuration c = stage_here(s);
    const double change = p->how->settle(p->of, &s->at, &c);
    if (change == 0.0) return false;
    stage_residual(s, r, NULL);
    return true;
}

// The matrix does not know what follows the shape: what is left of dr by the slope of the residual along
// the answer dz, with all that follows, is taken back until nothing is.
static void refine(solve_stage *s, const double *dr, double *dz) {
    const solve_part *p = s->p;
    double *up = p->m->next, *down = p->m->mode;
    for (int i = 0; i < CORRECTIONS; i++) {
        const double size = part_size(p, dz), reach = PROBE / size;
        if (!(size > 0.0)) return;
        const bool follows =
            settled_residual(s, reach, dz, up) && settled_residual(s, -reach, dz, down);
        for (int k = 0; k < part_n(p) && follows; k++)
            down[k] = -dr[k] - (up[k] - down[k]) / (2.0 * reach);
        settled_residual(s, 0.0, dz, up);
        if (!follows) return;
        part_solve(p, down);
        for (int k = 0; k < part_n(p); k++) dz[k] += down[k];
        if (part_size(p, down) <= ENOUGH * size) return;
    }
}

// dz of the change -dz of the residual: n of them, one after another.
static void answer(solve_stage *s, int n, double *dz) {
    const solve_part *p = s->p;
    const int N = part_n(p);
    double *given = p->m->before;
    if (!p->how->settle) {
        for (int k = 0; k < n * N; k++) dz[k] = -dz[k];
        part_solve_many(p, n, dz);
        return;
    }
    for (int i = 0; i < n; i++, dz += N) {
        for (int k = 0; k < N; k++) given[k] = dz[k], dz[k] = -dz[k];
        part_solve(p, dz);
        refine(s, given, dz);
    }
}

// How a point moves with dz, into a column of out (rows x n): the last rows of six.
static void show(solve_stage *s, const model_point *at, const double *dz, int rows, int n,
                 int column, double *out) {
    const solve_part *p = s->p;
    configuration c = stage_here(s);
    double moved[6];
    p->how->move(p->of, &s->at, &c, dz, at, moved);
    for (int i = 0; i < rows; i++) out[i * n + column] = moved[6 - rows + i];
}

td_status solve_jacobian(const solve_part *p, const model_call *call, const jacobian_part *asked,
                         double *J) {
    solve_stage s;
    if (!p->how->move) return TD_ERR_UNSUPPORTED;
    if (!factor_at_rest(p, call, &s)) return TD_ERR_SINGULAR;
    double *unit = call->scratch + call->n_inputs, *columns = p->m->krylov;
    memset(unit, 0, sizeof(double) * (size_t)call->n_inputs);
    for (int first = 0; first < asked->n; first += SOLVE_COLUMNS) {
        const int n = asked->n - first < SOLVE_COLUMNS ? asked->n - first : SOLVE_COLUMNS;
        for (int k = 0; k < n; k++)
            stage_by_input(&s, call, jacobian_input(asked, first + k), columns + k * part_n(p));
        answer(&s, n, columns);
        for (int k = 0; k < n; k++) {
            const int input = jacobian_input(asked, first + k);
            unit[input] = 1.0;
            s.at.place_rates = unit;  // bases that this input moves
            show(&s, &asked->at, columns + k * part_n(p), asked->rows, asked->n, first + k, J);
            unit[input] = 0.0;
            s.at.place_rates = NULL;
        }
    }
    return TD_OK;
}

bool solve_quick_jacobian(const solve_part *p, const model_call *call, const jacobian_part *asked,
                          double *J) {
    const solve_instant at = instant_at_rest(call);
    const configuration c = {.q = p->m->q, .l = p->m->l};
    const int n = part_n(p);
    double *column = p->m->krylov, *W = column + n, moved[6];
    if (!p->how->answer || !p->how->by_input) return false;
    p->how->residual(p->of, &at, &c, p->m->r, NULL);
    if (!isfinite(p->m->r[0])) return false;
    if (!p->how->answer(p->of, &at, &c, &asked->at, W)) return false;
    for (int k = 0; k < asked->n; k++) {
        p->how->by_input(p->of, &at, &c, jacobian_input(asked, k), column);
        dense_mul(1, n, 6, 1.0, column, W, moved);
        for (int i = 0; i < asked->rows; i++) J[i * asked->n + k] = moved[6 - asked->rows + i];
    }
    return true;
}

static void push(const solve_stage *s, const model_point *load, int axis, double *r) {
    const solve_part *p = s->p;
    configuration c = stage_here(s);
    double unit[6] = {0.0}, moved[6];
    memset(r, 0, sizeof(double) * (size_t)part_n(p));
    unit[axis] = 1.0;
    if (p->how->push) {
        p->how->push(p->of, &s->at, &c, load, unit, r);
        return;
    }
    memset(p->m->next, 0, sizeof(double) * (size_t)part_n(p));
    for (int k = 0; k < p->n_q; k++) {
        p->m->next[k] = 1.0;
        p->how->move(p->of, &s->at, &c, p->m->next, load, moved);
        p->m->next[k] = 0.0;
        r[k] = -moved[axis];
    }
}

td_status solve_compliance(const solve_part *p, const model_call *call, const model_point *at,
                           const model_point *load, double *C) {
    solve_stage s;
    if (!p->how->move) return TD_ERR_UNSUPPORTED;
    if (!factor_at_rest(p, call, &s)) return TD_ERR_SINGULAR;
    for (int i = 0; i < 6; i++) push(&s, load, i, p->m->krylov + i * part_n(p));
    answer(&s, 6, p->m->krylov);
    for (int i = 0; i < 6; i++) show(&s, at, p->m->krylov + i * part_n(p), 6, 6, i, C);
    return TD_OK;
}

void solve_residual(const solve_part *p, const model_call *call, double *r) {
    const solve_instant at = instant_at_rest(call);
    const configuration c = {.q = p->m->q, .l = p->m->l};
    p->how->residual(p->of, &at, &c, r, NULL);
}

td_status solve_answer(const solve_part *p, const model_call *call, const model_point *at, int n,
                       double *dr, double *out) {
    solve_stage s;
    if (!p->how->move) return TD_ERR_UNSUPPORTED;
    if (!factor_at_rest(p, call, &s)) return TD_ERR_SINGULAR;
    answer(&s, 1, dr);
    for (int i = 0; i < n; i++) show(&s, &at[i], dr, 6, 1, 0, out + 6 * i);
    return TD_OK;
}
