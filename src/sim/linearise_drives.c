// sim/linearise_drives.c - motors and valves in a linearisation: their numbers are coordinates behind those of all shapes.
// See solve/drive_slopes.h.
#include "sim/drive.h"
#include "sim/linearise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BALANCED 1e-5  // of a number: what an equilibrium may miss
#define STILL 1e-6     // rad/s: a speed that is none

// ---------------------------------------------------------------- memory
static void find_places(const td_system *system, const drive_slopes *d, int *place) {
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < engine_n_numbers(&d->of[i]->engine); j++)
            place[d->first[i] + j] = drives_place(system, d->of[i]) + j;
}

void linear_drives_layout(const td_system *system, arena *a, td_linearisation *l) {
    l->driven = ARENA_TAKE(a, drive_slopes, l->n_parts);
    l->number_place = ARENA_TAKE(a, int *, l->n_parts);
    for (int i = 0; i < l->n_parts; i++) {
        const solve_part p = solver_moving(system, NULL, i);
        drive_slopes d = {0};
        drive_slopes_layout(system->actuators, system->n_actuators, system->actuator_parts, i, &p,
                            system->n_inputs, a, l->driven ? &l->driven[i] : &d);
        const int n = l->driven ? l->driven[i].n_numbers : d.n_numbers;
        int *place = ARENA_TAKE(a, int, n);
        if (!place) continue;
        find_places(system, &l->driven[i], place);
        l->number_place[i] = place;
    }
}

// ---------------------------------------------------------------- where they are
// An effort that counts like a radian, too.
static double effort_unit_of(const actuator *a, double effort) {
    if (a->control == CONTROL_GAS) return a->atmosphere + fabs(effort);
    return engine_travel(&a->engine) * drives_unit(a) / (a->give + a->yield);
}

// What the model asks them it asks the stages of the state.
void linear_drives_load(td_linearisation *l, const td_state *state, int i, bool *still) {
    drive_slopes *d = &l->driven[i];
    linear_point *x = &l->parts[i];
    x->supplies = d->n ? &d->all : NULL;
    if (d->n == 0) return;
    d->all.stages = state->engines.stages;
    drive_slopes_load(d, &state->engines, state->inputs_before);
    for (int k = 0; k < d->n; k++) {
        const engine *e = &d->of[k]->engine;
        if (e->kind == ENGINE_MOTOR && fabs(d->points[k].y[Y_SPEED]) > STILL * e->motor.gear)
            *still = false;
        for (int j = 0; j < engine_n_numbers(e); j++)
            l->of.unit[l->number_place[i][d->first[k] + j]] = drives_unit(d->of[k]);
    }
}

// ---------------------------------------------------------------- matrices
static void fill_number(td_linearisation *l, int i, int e, int j) {
    const drive_slopes *d = &l->driven[i];
    const engine_rows *row = &d->rows[e];
    const int *number = l->number_place[i], n = l->of.n, at = number[d->first[e] + j] * n;
    for (int k = 0; k < d->n_r; k++) {
        l->of.K[at + l->place[i][k]] = row->by_effort[j] * d->by_z[e * d->n_r + k];
        l->of.D[at + l->place[i][k]] = row->by_effort[j] * d->by_rate[e * d->n_r + k];
    }
    for (int f = 0; f < d->n; f++)
        for (int k = 0; k < d->rows[f].n; k++)
            l->of.K[at + number[d->first[f] + k]] = drive_slopes_stiffness(d, e, j, f, k);
    for (int k = 0; k < row->n; k++) {
        l->of.M[at + number[d->first[e] + k]] = row->M[j][k];
        l->of.D[at + number[d->first[e] + k]] = row->D[j][k];
    }
    static const linear_by by[3] = {BY_U, BY_U_T, BY_U_TT};
    for (int w = 0; w < 3; w++)
        for (int k = 0; k < l->of.n_u; k++)
            l->of.B[w][number[d->first[e] + j] * l->of.n_u + k] =
                drive_slopes_by_input(d, e, j, by[w], k);
}

void linear_drives_fill(td_linearisation *l, int i) {
    drive_slopes *d = &l->driven[i];
    if (d->n == 0) return;
    drive_slopes_find(d, &l->parts[i], l->system->rate_matters, false);
    for (int e = 0; e < d->n; e++) {
        const int column = l->number_place[i][d->first[e]];
        for (int k = 0; k < d->n_r; k++)
            l->of.K[l->place[i][k] * l->of.n + column] = d->S[k * d->n + e];
        for (int j = 0; j < d->rows[e].n; j++) fill_number(l, i, e, j);
    }
}

bool linear_drives_balance(td_linearisation *l, int i) {
    drive_slopes *d = &l->driven[i];
    bool balanced = true;
    drive_slopes_rows(d, &l->parts[i]);
    for (int e = 0; e < d->n; e++)
        for (int j = 0; j < d->rows[e].n; j++) {
            const int at = l->number_place[i][d->first[e] + j];
            const double own = fabs(l->of.K[at * (l->of.n + 1)]) * l->of.unit[at];
            const double by_effort =
                fabs(d->rows[e].by_effort[j]) * effort_unit_of(d->of[e], d->points[e].effort);
            const double force = fmax(own, by_effort);
            balanced = balanced && fabs(d->rows[e].r[j]) <= BALANCED * force;
        }
    drive_slopes_settle_rates(d);
    for (int e = 0; e < d->n; e++)
        for (int j = 0; j < d->rows[e].n; j++)
            l->r[l->number_place[i][d->first[e] + j]] = d->rows[e].r[j];
    return balanced;
}

// ---------------------------------------------------------------- outputs
// Where what they supply counts beside the coordinates, and what they tell of themselves.
bool linear_drives_count(const td_linearisation *l, int i) {
    bool count = false;
    for (int k = 0; k < l->n_named; k++)
        count = count || l->outputs[k].quantity == TD_OUTPUT_EFFORT ||
                l->outputs[k].quantity == TD_OUTPUT_REACTION;
    return count && l->driven[i].n > 0;
}

void linear_drives_outputs(td_linearisation *l, int i, const linear_observer *o, bool quick) {
    const drive_slopes *d = &l->driven[i];
    const bool count = linear_drives_count(l, i);
    for (int e = 0; e < d->n; e++) {
        const engine *of = &d->of[e]->engine;
        double *to = l->of.C[0] + l->number_place[i][d->first[e]];
        for (int k = 0; k < o->n && !count; k++) to[k * l->of.n] = 0.0;
        if (!count) continue;
        if (quick) linear_quick_slope(&l->parts[i], o, BY_SUPPLY, of->index, l->here, to, l->of.n);
        else linear_slope(&l->parts[i], o, BY_SUPPLY, of->index, to, l->of.n);
        for (int k = 0; k < o->n; k++) to[k * l->of.n] *= engine_per_number(of, 0);
    }
}

static bool tells_of(const td_linearisation *l, int which) {
    for (int i = 0; i < l->n_named; i++)
        if (l->outputs[i].quantity == TD_OUTPUT_DRIVE && l->outputs[i].actuator == which)
            return true;
    return false;
}

// Angle, speed, current, torque, flow.
static void seen_of(const engine *e, const engine_point *at, engine_seen out[5]) {
    memset(out, 0, 5 * sizeof *out);
    if (e->kind == ENGINE_VALVE) {
        out[4] = valve_flow(e, at);
        return;
    }
    out[0].by_number[0] = 1.0, out[1].by_rate = 1.0;
    out[2] = motor_current(e, at), out[3] = motor_torque(e, at);
}

void linear_drives_see(td_linearisation *l, int i) {
    drive_slopes *d = &l->driven[i];
    bool asked = false;
    for (int e = 0; e < d->n; e++) {
        engine_seen seen[5];
        seen_of(&d->of[e]->engine, &d->points[e], seen);
        for (int k = 2; k < 5 && tells_of(l, (int)(d->of[e] - l->system->actuators)); k++)
            asked = asked || seen[k].by_effort != 0.0;
    }
    if (asked) drive_slopes_find(d, &l->parts[i], l->system->rate_matters, true);
}

// Engine e of part i, row y of outputs.
static void tell_row(td_linearisation *l, int i, int e, const engine_seen *s, int y) {
    static const int by_u[3] = {0, 2, 3};  // of drive_slopes.by_input
    const drive_slopes *d = &l->driven[i];
    const td_number *told = &d->of[e]->value;
    const int n = l->of.n, n_u = l->of.n_u, *number = l->number_place[i] + d->first[e];
    double *const row[3] = {l->of.C[0] + y * n, l->of.C[1] + y * n, l->of.C[2] + y * n};
    for (int by = 0; by < 3; by++) memset(row[by], 0, sizeof(double) * (size_t)n);
    for (int j = 0; j < engine_n_numbers(&d->of[e]->engine); j++)
        row[0][number[j]] = s->by_number[j];
    row[1][number[0]] = s->by_rate, row[2][number[0]] = s->by_acceleration;
    for (int by = 0; by < 3; by++) memset(l->of.F[by] + y * n_u, 0, sizeof(double) * (size_t)n_u);
    if (told->gain != 0.0) l->of.F[0][y * n_u + told->input] = s->by_command * told->gain;
    if (s->by_effort == 0.0) return;
    for (int k = 0; k < d->n_r; k++) {
        row[0][l->place[i][k]] += s->by_effort * d->by_z[e * d->n_r + k];
        row[1][l->place[i][k]] += s->by_effort * d->by_rate[e * d->n_r + k];
    }
    for (int f = 0; f < d->n; f++)
        row[0][l->number_place[i][d->first[f]]] += s->by_effort * d->by_supply[e * d->n + f];
    for (int by = 0; by < 3; by++)
        for (int k = 0; k < n_u; k++)
            l->of.F[by][y * n_u + k] += s->by_effort * d->by_input[by_u[by]][e * n_u + k];
}

// At rest controls of an angle or speed hold the effort, without friction and what a gear loses.
static void at_rest(const engine *e, engine_seen seen[5]) {
    if (e->kind != ENGINE_MOTOR || e->command < TD_MOTOR_SPEED) return;
    const double k = e->motor.torque_constant;
    seen[3] = (engine_seen){.by_effort = e->ratio};
    seen[2] = (engine_seen){.by_effort = k > 0.0 ? e->ratio / k : 0.0};
}

static void tell_of_drives(td_linearisation *l, bool rest) {
    for (int o = 0, y = 0; o < l->n_named; y += td_output_size(l->outputs[o++].quantity)) {
        if (l->outputs[o].quantity != TD_OUTPUT_DRIVE) continue;
        for (int i = 0; i < l->n_parts; i++)
            for (int e = 0; e < l->driven[i].n; e++) {
                engine_seen seen[5];
                const drive_slopes *d = &l->driven[i];
                if (d->of[e] != &l->system->actuators[l->outputs[o].actuator]) continue;
                seen_of(&d->of[e]->engine, &d->points[e], seen);
                if (rest) at_rest(&d->of[e]->engine, seen);
                for (int k = 0; k < 5; k++) tell_row(l, i, e, &seen[k], y + k);
            }
    }
}

void linear_drives_tell(td_linearisation *l) {
    tell_of_drives(l, false);
}

bool linear_drives_note(const td_linearisation *l, char *note, size_t size) {
    for (int i = 0; i < l->n_parts; i++)
        for (int e = 0; e < l->driven[i].n; e++) {
            const actuator *a = l->driven[i].of[e];
            if (!l->driven[i].rows[e].sticks) continue;
            snprintf(note, size,
                     "the motor of %s '%.60s' is held by friction or its gear: its angle stays, a "
                     "neutral mode",
                     a->words->word, a->name);
            return true;
        }
    return false;
}

// ---------------------------------------------------------------- equilibria
// Equilibria hold a torque without friction, an angle as its control gives way, the pressure of what a valve is open to.
static void hold(td_linearisation *l, int i, int e) {
    const drive_slopes *d = &l->driven[i];
    const actuator *a = d->of[e];
    const engine_point *at = &d->points[e];
    engine_stage rests = {.star = {at->y[0], at->y[1], at->y[2]}};
    engine_hold h = engine_hold_of(&a->engine, at->command, 1.0, &rests);
    const int row = l->number_place[i][d->first[e]], n = l->of.n;
    const double by_effort = h.effort ? 1.0 : -h.by_effort;
    if (h.effort && a->pulls_only && h.value < 0.0) h.by_command = 0.0;
    double *K = l->of.K + row * n, *B = l->of.B[0] + row * l->of.n_u;
    memset(K, 0, sizeof *K * (size_t)n);
    memset(B, 0, sizeof *B * (size_t)l->of.n_u);
    for (int k = 0; k < d->n_r; k++) K[l->place[i][k]] = by_effort * d->by_z[e * d->n_r + k];
    for (int f = 0; f < d->n; f++)
        K[l->number_place[i][d->first[f]]] = by_effort * d->by_supply[e * d->n + f];
    if (!h.effort) K[row] += engine_travel(&a->engine);
    if (a->value.gain != 0.0) B[a->value.input] = h.by_command * a->value.gain;
    for (int k = 0; k < l->of.n_u; k++) B[k] -= by_effort * d->by_input[0][e * l->of.n_u + k];
}

void linear_drives_hold(td_linearisation *l) {
    for (int i = 0; i < l->n_parts; i++)
        for (int e = 0; e < l->driven[i].n; e++) hold(l, i, e);
    tell_of_drives(l, true);
}
