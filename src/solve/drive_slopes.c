// solve/drive_slopes.c - see drive_slopes.h.
#include "solve/drive_slopes.h"

#include <string.h>

#define REACH_SUPPLY 1e-4  // of a measure: what is supplied counts as it is, but for slack

// ---------------------------------------------------------------- memory
static bool is_mine(const actuator *a, const int *parts, int i, int part) {
    return actuator_is_driven(a) && parts[i] == part;
}

// How far y[0] goes in differences.
static double reach_of(const actuator *a) {
    if (actuator_in_joint(a)) return REACH_SUPPLY / a->engine.ratio;
    if (a->engine.kind == ENGINE_MOTOR) return REACH_SUPPLY * a->rest / a->engine.ratio;
    if (a->control == CONTROL_GAS)
        return REACH_SUPPLY * a->atmosphere * (a->rest + a->line) / a->gas_energy;
    return REACH_SUPPLY * a->rest;
}

void drive_slopes_layout(const actuator *actuators, int n_actuators, const int *parts, int part,
                         const solve_part *p, int n_u, arena *a, drive_slopes *out) {
    drive_slopes d = {.n_r = part_n(p), .n_u = n_u};
    for (int i = 0; i < n_actuators; i++) {
        if (!is_mine(&actuators[i], parts, i, part)) continue;
        d.n++;
        d.n_numbers += engine_n_numbers(&actuators[i].engine);
    }
    d.all.n = d.n ? engines_count(actuators, n_actuators) : 0;
    d.all.stages = ARENA_TAKE(a, engine_stage, d.all.n);
    d.all.rates = ARENA_TAKE(a, double, d.all.n);
    d.all.reach = ARENA_TAKE(a, double, d.all.n);
    d.of = ARENA_TAKE(a, const actuator *, d.n);
    d.first = ARENA_TAKE(a, int, d.n);
    d.points = ARENA_TAKE(a, engine_point, d.n);
    d.rows = ARENA_TAKE(a, engine_rows, d.n);
    d.S = ARENA_TAKE(a, double, d.n_r *d.n);
    d.by_z = ARENA_TAKE(a, double, d.n *d.n_r);
    d.by_rate = ARENA_TAKE(a, double, d.n *d.n_r);
    d.by_supply = ARENA_TAKE(a, double, d.n *d.n);
    for (int i = 0; i < N_BY_INPUT; i++) d.by_input[i] = ARENA_TAKE(a, double, d.n *n_u);
    d.sides = ARENA_TAKE(a, double, d.n_r + d.n);
    d.here = ARENA_TAKE(a, double, d.n_r + d.n);
    d.column = ARENA_TAKE(a, double, d.n_r + d.n);
    for (int i = 0, k = 0, first = 0; i < n_actuators && d.of && d.n; i++) {
        if (actuator_is_driven(&actuators[i]))
            d.all.reach[actuators[i].engine.index] = reach_of(&actuators[i]);
        if (!is_mine(&actuators[i], parts, i, part)) continue;
        d.of[k] = &actuators[i], d.first[k++] = first;
        first += engine_n_numbers(&actuators[i].engine);
    }
    if (out) *out = d;
}

// ---------------------------------------------------------------- where they are
static void fix(linear_supplies *s, int k, const double y[N_ENGINE], double rate, double effort) {
    s->stages[k] = (engine_stage){.effort = effort, .fixed = true};
    memcpy(s->stages[k].star, y, sizeof s->stages[k].star);
    s->rates[k] = rate;
}

void drive_slopes_put(drive_slopes *d, int i, const engine_point *at) {
    d->points[i] = *at;
    fix(&d->all, d->of[i]->engine.index, at->y, at->rate[0], at->effort);
}

void drive_slopes_load(drive_slopes *d, const engines *kept, const double *inputs) {
    for (int k = 0; k < d->all.n; k++) {
        const engine_kept *now = &kept->kept[k];
        fix(&d->all, k, now->y[0],
            kept->of[k]->engine.kind == ENGINE_MOTOR ? now->y[0][Y_SPEED] : 0.0, now->effort);
    }
    for (int i = 0; i < d->n; i++) {
        const actuator *a = d->of[i];
        const engine_kept *now = &kept->kept[a->engine.index];
        engine_point at = {.command = number_value(a->value, inputs),
                           .effort = now->effort,
                           .torque = now->torque};
        memcpy(at.y, now->y[0], sizeof at.y);
        if (a->engine.kind == ENGINE_MOTOR) at.rate[Y_ANGLE] = at.y[Y_SPEED];
        d->points[i] = at;
    }
}

// ---------------------------------------------------------------- slopes
static void efforts_of(void *context, const solve_instant *at, const configuration *c,
                       double *out) {
    drive_slopes *d = context;
    d->x->p.how->residual(d->x->p.of, at, c, d->sides, NULL);
    for (int i = 0; i < d->n; i++) out[i] = at->engines[d->of[i]->engine.index].effort;
}

static void equations_and_efforts(void *context, const solve_instant *at, const configuration *c,
                                  double *out) {
    drive_slopes *d = context;
    efforts_of(context, at, c, out + d->n_r);
    memcpy(out, d->sides, sizeof(double) * (size_t)d->n_r);
}

static void slope(drive_slopes *d, const linear_observer *o, linear_by by, int k, bool quick) {
    if (quick) linear_quick_slope(d->x, o, by, k, d->here, d->column, 1);
    else linear_slope(d->x, o, by, k, d->column, 1);
}

static void by_supplies(drive_slopes *d, bool quick) {
    const linear_observer o = {equations_and_efforts, d, d->n_r + d->n, false};
    linear_value(d->x, &o, d->here);
    for (int k = 0; k < d->n; k++) {
        const double per = engine_per_number(&d->of[k]->engine, 0);
        slope(d, &o, BY_SUPPLY, d->of[k]->engine.index, quick);
        for (int i = 0; i < d->n_r; i++) d->S[i * d->n + k] = per * d->column[i];
        for (int i = 0; i < d->n; i++) d->by_supply[i * d->n + k] = per * d->column[d->n_r + i];
    }
}

void drive_slopes_find(drive_slopes *d, linear_point *x, const bool *moves, bool quick) {
    static const linear_by by[N_BY_INPUT] = {BY_U, BY_PLACE, BY_U_T, BY_U_TT};
    const linear_observer o = {efforts_of, d, d->n, false};
    double *const to[2] = {d->by_z, d->by_rate};
    if (d->n == 0) return;
    d->x = x;
    by_supplies(d, quick);
    linear_value(x, &o, d->here);
    for (int rate = 0; rate < 2; rate++)
        for (int k = 0; k < d->n_r; k++) {
            slope(d, &o, rate ? BY_Z_T : BY_Z, k, quick);
            for (int i = 0; i < d->n; i++) to[rate][i * d->n_r + k] = d->column[i];
        }
    for (int w = 0; w < N_BY_INPUT; w++) {
        memset(d->by_input[w], 0, sizeof(double) * (size_t)(d->n * d->n_u));
        for (int k = 0; k < d->n_u; k++) {
            if (!moves[k]) continue;
            slope(d, &o, by[w], k, quick);
            for (int i = 0; i < d->n; i++) d->by_input[w][i * d->n_u + k] = d->column[i];
        }
    }
    drive_slopes_rows(d, x);
}

void drive_slopes_rows(drive_slopes *d, linear_point *x) {
    const linear_observer o = {efforts_of, d, d->n, false};
    if (d->n == 0) return;
    d->x = x;
    linear_value(x, &o, d->here);
    for (int i = 0; i < d->n; i++) {
        d->points[i].effort = d->here[i];
        d->rows[i] = engine_rows_at(&d->of[i]->engine, &d->points[i]);
    }
}

void drive_slopes_settle_rates(drive_slopes *d) {
    for (int i = 0; i < d->n; i++) {
        const engine *e = &d->of[i]->engine;
        engine_rows *row = &d->rows[i];
        for (int j = e->kind == ENGINE_MOTOR; j < row->n; j++) {
            if (row->D[j][j] == 0.0) continue;
            d->points[i].rate[engine_number(e, j)] -= row->r[j] / row->D[j][j];
            row->r[j] = 0.0;
        }
        d->all.rates[e->index] = d->points[i].rate[0];
    }
}

double drive_slopes_stiffness(const drive_slopes *d, int i, int j, int k, int l) {
    const engine_rows *row = &d->rows[i];
    double sum = i == k ? row->K[j][l] : 0.0;
    if (l == 0) sum += row->by_effort[j] * d->by_supply[i * d->n + k];
    return sum;
}

double drive_slopes_by_input(const drive_slopes *d, int i, int j, linear_by by, int input) {
    const engine_rows *row = &d->rows[i];
    const int which = by == BY_U ? 0 : by == BY_PLACE ? 1 : by == BY_U_T ? 2 : 3;
    const td_number *told = &d->of[i]->value;
    double sum = -row->by_effort[j] * d->by_input[which][i * d->n_u + input];
    if (by == BY_U && is_driven_by(told, input)) sum += row->by_command[j] * told->gain;
    return sum;
}
