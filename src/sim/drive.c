// sim/drive.c - motors and valves of a state: at rest, and what can be read of them.
#include "sim/drive.h"

#include <string.h>

#include "base/error.h"
#include "solve/efforts.h"
#include "tendril/loop.h"

// What gives way between an engine and the shape in motion: src/solve lets what is rigid give a little.
static double yield_in_motion(const td_system *system, const actuator *a) {
    const solve_part p = solver_moving(system, NULL, 0);
    return p.gives ? effort_yield(a) : a->yield;
}

// A tendon that rubs is stretched by more than one effort: what it is supplied with is known to the model.
void drives_at_rest(const td_system *system, td_state *state) {
    const engines *e = &state->engines;
    for (int i = 0; i < e->n; i++) {
        const actuator *a = e->of[i];
        const td_actuator_state now =
            system->model->actuator(system->compiled, state->memory, (int)(a - system->actuators));
        double measure = now.measure, yield = yield_in_motion(system, a);
        if (actuator_rubs(a)) {
            measure = a->rest - now.supplied - a->yield * a->pretension;
            yield = 0.0;
        }
        engines_settle_at_rest(e, i, number_value(a->value, state->inputs), now.effort, measure,
                               yield);
    }
    engines_rest(e);
}

td_status refuse_drives(const td_system *system, char *message, const char *what) {
    if (engines_count(system->actuators, system->n_actuators) == 0) return TD_OK;
    int i = 0;
    while (!actuator_is_driven(&system->actuators[i])) i++;
    const actuator *a = &system->actuators[i];
    return tell(message, TD_ERR_UNSUPPORTED, "%s '%s' has a %s, whose states %s", a->words->word,
                a->name, a->engine.kind == ENGINE_MOTOR ? "motor" : "valve", what);
}

// Integrators from outside know coordinates and velocities alone.
td_status drives_check(const td_system *system, td_error *err) {
    char why[256];
    if (system->options.integration.method == TD_STEPS_FIXED ||
        refuse_drives(system, why, "take fixed steps: simulation.integration.method: fixed") ==
            TD_OK)
        return TD_OK;
    return error_set(err, TD_ERR_UNSUPPORTED, "simulation.integration.method", "%s", why);
}

const actuator *drive_without_rest(const td_system *system, int input) {
    for (int i = 0; i < system->n_actuators; i++) {
        const actuator *a = &system->actuators[i];
        const bool rate = a->engine.kind == ENGINE_VALVE ||
                          (a->engine.kind == ENGINE_MOTOR && a->engine.command == TD_MOTOR_SPEED);
        if (rate && is_driven_by(&a->value, input)) return a;
    }
    return NULL;
}

static const actuator *driven_at(const td_system *system, int index) {
    if (index < 0 || index >= system->n_actuators) return NULL;
    const actuator *a = &system->actuators[index];
    return actuator_is_driven(a) ? a : NULL;
}

double drive_supplied(const td_state *state, const actuator *a, double supplied) {
    if (a->engine.kind != ENGINE_MOTOR || !(a->from_rest || actuator_in_joint(a))) return supplied;
    return a->engine.ratio * state->engines.kept[a->engine.index].y[0][Y_ANGLE];
}

bool td_is_driven(const td_system *system, int index) {
    return driven_at(system, index) != NULL;
}

td_drive_state td_get_drive(const td_system *system, const td_state *state, int index) {
    const actuator *a = driven_at(system, index);
    if (!a) return (td_drive_state){0};
    const engine *e = &a->engine;
    const engine_kept *k = &state->engines.kept[e->index];
    const double *y = k->y[0];
    if (e->kind == ENGINE_VALVE)
        return (td_drive_state){.flow = k->torque, .work = y[Y_GIVEN], .lost = y[Y_LOST]};
    return (td_drive_state){.angle = y[Y_ANGLE] / e->motor.gear,
                            .speed = y[Y_SPEED] / e->motor.gear,
                            .current = y[Y_CURRENT],
                            .torque = k->torque,
                            .kinetic = 0.5 * e->motor.inertia * y[Y_SPEED] * y[Y_SPEED],
                            .coil = engine_coil(e, y[Y_CURRENT]),
                            .work = y[Y_GIVEN],
                            .lost = y[Y_LOST]};
}

// ---------------------------------------------------------------- as coordinates
int drives_n_numbers(const td_system *system) {
    int n = 0;
    for (int i = 0; i < system->n_actuators; i++)
        if (actuator_is_driven(&system->actuators[i]))
            n += engine_n_numbers(&system->actuators[i].engine);
    return n;
}

int drives_place(const td_system *system, const actuator *a) {
    int at = solver_n_shape_coordinates(system);
    for (const actuator *b = system->actuators; b < a; b++)
        if (actuator_is_driven(b)) at += engine_n_numbers(&b->engine);
    return at;
}

double drives_unit(const actuator *a) {
    if (a->engine.kind == ENGINE_MOTOR) return 1.0;
    if (a->control == CONTROL_GAS) return a->atmosphere * (a->rest + a->line) / a->gas_energy;
    return a->rest;
}

void drives_read(const td_system *system, const td_state *state, double *q, double *q_t) {
    (void)system;
    const engines *all = &state->engines;
    for (int i = 0; i < all->n; i++) {
        const engine *e = &all->of[i]->engine;
        const engine_kept *k = &all->kept[i];
        for (int j = 0; j < engine_n_numbers(e); j++) {
            const double per = engine_per_number(e, j);
            const int at = engine_number(e, j);
            const bool angle = e->kind == ENGINE_MOTOR && j == 0;
            *q++ = k->y[0][at] / per;
            if (q_t) *q_t++ = (angle ? k->y[0][Y_SPEED] : k->rate[at]) / per;
        }
    }
}

void drives_write(const td_system *system, td_state *state, const double *q, const double *q_t) {
    (void)system;
    const engines *all = &state->engines;
    for (int i = 0; i < all->n; i++) {
        const engine *e = &all->of[i]->engine;
        engine_stage *s = &all->stages[i];
        *s = (engine_stage){.fixed = true};
        for (int j = 0; j < engine_n_numbers(e); j++, q++) {
            const double rate = q_t ? *q_t++ : 0.0;
            s->star[engine_number(e, j)] = engine_per_number(e, j) * *q;
            if (e->kind == ENGINE_MOTOR && j == 0) s->star[Y_SPEED] = e->motor.gear * rate;
        }
    }
}

// Currents and fluids have the rates that their equations give them.
void drives_go_on(const td_system *system, td_state *state) {
    const engines *all = &state->engines;
    for (int i = 0; i < all->n; i++) {
        const actuator *a = all->of[i];
        const td_actuator_state now =
            system->model->actuator(system->compiled, state->memory, (int)(a - system->actuators));
        engine_point at = {.command = number_value(a->value, state->inputs), .effort = now.effort};
        memcpy(at.y, all->stages[i].star, sizeof at.y);
        engine_kept k = {.effort = now.effort};
        const engine_rows rows = engine_rows_at(&a->engine, &at);
        for (int j = a->engine.kind == ENGINE_MOTOR; j < rows.n; j++)
            if (rows.D[j][j] != 0.0)
                k.rate[engine_number(&a->engine, j)] = -rows.r[j] / rows.D[j][j];
        if (a->engine.kind == ENGINE_MOTOR) {
            k.rate[Y_ANGLE] = at.y[Y_SPEED];
            k.torque = motor_torque(&a->engine, &at).value;
            at.y[Y_CURRENT] = motor_current(&a->engine, &at).value;
        } else {
            k.torque = valve_flow(&a->engine, &at).value;
        }
        for (int level = 0; level < 3; level++) memcpy(k.y[level], at.y, sizeof at.y);
        all->kept[i] = k;
    }
    engines_rest(all);
}

void drives_belong_to(const td_system *system, td_state *state) {
    for (int i = 0, k = 0; i < system->n_actuators; i++)
        if (actuator_is_driven(&system->actuators[i]))
            state->engines.of[k++] = &system->actuators[i];
}
