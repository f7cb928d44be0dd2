// solve/engines.c - see engines.h.
#include "solve/engines.h"

#include <string.h>

int engines_count(const actuator *all, int n_actuators) {
    int n = 0;
    for (int i = 0; i < n_actuators; i++) n += actuator_is_driven(&all[i]);
    return n;
}

void engines_layout(const actuator *all, int n_actuators, arena *keep, arena *work, engines *out) {
    const int n = engines_count(all, n_actuators);
    engines e = {.n = n};
    e.kept = ARENA_TAKE(keep, engine_kept, n);
    e.of = ARENA_TAKE(work, const actuator *, n);
    e.stages = ARENA_TAKE(work, engine_stage, n);
    e.found = ARENA_TAKE(work, engine_answer, n);
    e.rates = arena_take(work, sizeof *e.rates * (size_t)n);
    for (int i = 0, k = 0; i < n_actuators && e.of; i++)
        if (actuator_is_driven(&all[i])) e.of[k++] = &all[i];
    *out = e;
}

// ---------------------------------------------------------------- at rest
void engines_rest(const engines *e) {
    for (int i = 0; i < e->n; i++) {
        engine_stage *s = &e->stages[i];
        *s = (engine_stage){.effort = e->kept[i].effort};
        memcpy(s->star, e->kept[i].y[0], sizeof s->star);
    }
}

static double held_angle(const actuator *a, const engine_hold *h, double effort, double measure,
                         double yield) {
    const double supplied =
        h->effort ? actuator_supplied(a, yield, effort, measure) : h->value + h->by_effort * effort;
    return (supplied - a->engine.rest) / (a->engine.kind == ENGINE_MOTOR ? a->engine.ratio : 1.0);
}

void engines_settle_at_rest(const engines *e, int i, double command, double effort, double measure,
                            double yield) {
    const actuator *a = e->of[i];
    const engine_hold h = engine_hold_of(&a->engine, command, 1.0, &e->stages[i]);
    engine_kept k = {.effort = effort};
    const double constant = a->engine.motor.torque_constant;
    k.y[0][Y_ANGLE] = held_angle(a, &h, effort, measure, yield);
    if (a->engine.kind == ENGINE_MOTOR) {
        k.torque = a->engine.ratio * (h.effort ? h.value : effort);
        if (constant > 0.0) k.y[0][Y_CURRENT] = k.torque / constant;
    }
    memcpy(k.y[1], k.y[0], sizeof k.y[0]);
    memcpy(k.y[2], k.y[0], sizeof k.y[0]);
    e->kept[i] = k;
}

// ---------------------------------------------------------------- stages
void engines_set_out(const engines *e, double cv, double from_first) {
    for (int i = 0; i < e->n; i++) {
        engine_stage *s = &e->stages[i];
        s->cv = cv;
        s->seen = false;
        for (int k = 0; k < N_ENGINE; k++)
            s->star[k] =
                e->kept[i].y[0][k] + (from_first > 0.0 ? from_first * e->rates[i][k] : 0.0);
    }
}

void engines_set_history(const engines *e, double c0, const double c[3], double d1) {
    for (int i = 0; i < e->n; i++) {
        const engine_kept *was = &e->kept[i];
        engine_stage *s = &e->stages[i];
        s->cv = c0;
        s->seen = false;
        for (int k = 0; k < N_ENGINE; k++)
            s->star[k] = -(c[0] * was->y[0][k] + c[1] * was->y[1][k] + c[2] * was->y[2][k] +
                           d1 * was->rate[k]) /
                         c0;
    }
}

void engines_found(const engines *e, const double *inputs) {
    for (int i = 0; i < e->n; i++) {
        const engine_stage *s = &e->stages[i];
        const double command = number_value(e->of[i]->value, inputs);
        if (!s->seen) continue;
        engine_answer *now = &e->found[i];
        *now = engine_at(&e->of[i]->engine, command, s, s->effort);
        const engine_powers p = engine_powers_of(&e->of[i]->engine, command, s, now);
        now->y[Y_GIVEN] = s->star[Y_GIVEN] + p.given / s->cv;
        now->y[Y_LOST] = s->star[Y_LOST] + p.lost / s->cv;
        now->y[Y_PASSED] = s->star[Y_PASSED] + p.passed / s->cv;
        for (int k = 0; k < N_ENGINE; k++) e->rates[i][k] = s->cv * (e->found[i].y[k] - s->star[k]);
    }
}

void engines_arrived(const engines *e) {
    for (int i = 0; i < e->n; i++) {
        const engine_answer *now = &e->found[i];
        engine_kept *k = &e->kept[i];
        if (!e->stages[i].seen) continue;
        memcpy(k->y[2], k->y[1], sizeof k->y[0]);
        memcpy(k->y[1], k->y[0], sizeof k->y[0]);
        memcpy(k->y[0], now->y, sizeof k->y[0]);
        memcpy(k->rate, e->rates[i], sizeof k->rate);
        k->effort = e->stages[i].effort;
        k->torque = now->torque;
    }
}

void engines_join(const engines *e) {
    for (int i = 0; i < e->n; i++) memcpy(e->kept[i].y[1], e->kept[i].y[2], sizeof e->kept[i].y[1]);
}

// ---------------------------------------------------------------- energy
void engines_account(const engines *e, double *stored, double *lost, double *work) {
    for (int i = 0; i < e->n; i++) {
        const engine *of = &e->of[i]->engine;
        const double *y = e->kept[i].y[0];
        if (of->kind == ENGINE_MOTOR)
            *stored +=
                0.5 * of->motor.inertia * y[Y_SPEED] * y[Y_SPEED] + engine_coil(of, y[Y_CURRENT]);
        *lost += y[Y_LOST];
        *work += y[Y_GIVEN] - y[Y_PASSED];
    }
}
