// sim/motion.c - the derivative of a step in motion: the step is taken, and taken again with its slopes,
// so that it is that of td_step to the bit; a model that has slopes of its own takes it so at once.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quat.h"
#include "sim/drive.h"
#include "sim/linearise.h"
#include "solve/chart.h"

// ---------------------------------------------------------------- memory
enum {
    MOST_STATES = 10000
};  // 100 million numbers for each matrix of them: friction has some for each obstacle and point

void motion_layout_steps(const td_system *system, int n_y, const step_parameter *parameters,
                         int n_parameters, arena *a, td_linearisation *l) {
    step_slopes s = {.parameters = parameters, .n_parameters = n_parameters};
    td_stats unused;
    const model_call call = {
        .n_inputs = system->n_inputs, .options = &system->options, .stats = &unused};
    if (solver_n_coordinates(system) == 0) return;
    if (solver_step_slopes(system, NULL, &call, 1.0, true, &s) < 0) s = (step_slopes){0};
    const int n_u = system->n_inputs;
    int n = drives_n_numbers(system);
    for (int i = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, NULL, i);
        n += part_n(&p);
    }
    l->too_many = s.n > MOST_STATES ? s.n : 0;
    if (s.n == 0 || l->too_many) return;
    s.after = ARENA_TAKE(a, double, s.n *s.n_columns);
    s.beside = ARENA_TAKE(a, double, n *s.n_columns);
    s.scratch = ARENA_TAKE(a, double, s.n_scratch);
    l->step_before = arena_take(a, system->keep_bytes);
    l->step_after = arena_take(a, system->keep_bytes);
    l->A = ARENA_TAKE(a, double, s.n *s.n);
    l->B = ARENA_TAKE(a, double, s.n *n_u);
    l->B0 = ARENA_TAKE(a, double, s.n *n_u);
    l->rates = ARENA_TAKE(a, double, s.n *n_u);
    l->C_step = ARENA_TAKE(a, double, n_y *s.n_columns);
    l->D_step = ARENA_TAKE(a, double, n_y *n_u);
    l->D0 = ARENA_TAKE(a, double, n_y *n_u);
    l->output_rates = ARENA_TAKE(a, double, n_y *n_u);
    l->parameters = ARENA_TAKE(a, step_parameter, n_parameters);
    l->by_parameter = ARENA_TAKE(a, double, n_y *n_parameters);
    l->sides = ARENA_TAKE(a, double,
                          n_parameters ? 6 * td_n_coordinates(system) + 2 * n + 2 * l->n_flows : 0);
    for (int i = 0; i < n_parameters && l->parameters; i++) l->parameters[i] = parameters[i];
    s.parameters = l->parameters;
    l->slopes = s;
}

// ---------------------------------------------------------------- outputs
// Which of z, z', z'' an output answers to.
static bool answers(const td_output *o, linear_by by) {
    switch (o->quantity) {
    case TD_OUTPUT_POSE:
    case TD_OUTPUT_STRAIN:
    case TD_OUTPUT_MEASURE: return by == BY_Z;
    case TD_OUTPUT_VELOCITY:
    case TD_OUTPUT_EFFORT: return by == BY_Z || by == BY_Z_T;
    case TD_OUTPUT_REACTION: return true;
    case TD_OUTPUT_DRIVE: return false;  // linear_drives_tell
    }
    return true;
}

static bool any_answers(const td_linearisation *l, linear_by by) {
    for (int i = 0; i < l->n_named; i++)
        if (answers(&l->outputs[i], by)) return true;
    return false;
}

// The configuration that a part is in; its accelerations where the solver keeps them.
static void load_moving(td_linearisation *l, const td_state *state, int i) {
    linear_point *x = &l->parts[i];
    x->p = solver_moving(l->system, state, i);
    const solve_memory *m = x->p.m;
    copy_doubles(x->p.n_x, x->q, m->q);
    copy_doubles(x->p.n_l, x->l, m->l);
    copy_doubles(x->p.n_q, x->v, m->v);
    copy_doubles(x->p.n_q, x->a, m->a);
    memset(x->force, 0, sizeof(double) * (size_t)part_n(&x->p));
    linear_reach_anew(x);
    x->rests = false;
    for (int k = 0; k < x->n_inputs; k++) {
        x->u[0][k] = x->places[k] = state->inputs_before[k];
        x->u[1][k] = l->system->rate_matters[k] ? state->rates_before[k] : 0.0;
        x->u[2][k] = 0.0;
    }
    bool still = true;
    linear_drives_load(l, state, i, &still);
}

static void clear_outputs(linear_matrices *of) {
    for (int by = 0; by < 3; by++) {
        memset(of->C[by], 0, sizeof(double) * (size_t)of->n_y * (size_t)of->n);
        memset(of->F[by], 0, sizeof(double) * (size_t)of->n_y * (size_t)of->n_u);
    }
}

// What robots with other numbers tell of the same state, of which the first part is shown to them.
static void add_parameters(td_linearisation *l, td_state *state) {
    const int n = l->slopes.n_parameters;
    linear_point *x = &l->parts[0];
    for (int p = 0; p < n && l->n_named; p++) {
        const step_parameter *by = &l->parameters[p];
        observation context = {.l = l, .state = state, .system = by->plus};
        const linear_observer o = {observe, &context, l->of.n_y, false};
        linear_value(x, &o, l->column);
        context.system = by->minus;
        linear_value(x, &o, l->here);
        for (int j = 0; j < l->of.n_y; j++)
            l->by_parameter[j * n + p] = (l->column[j] - l->here[j]) / (2.0 * by->step);
    }
    for (int i = 0; i < l->n_parts && n > 0; i++) solver_moving(l->system, state, i);
}

static bool any_rate_matters(const td_system *system) {
    for (int k = 0; k < system->n_inputs; k++)
        if (system->rate_matters[k]) return true;
    return false;
}

void motion_outputs(td_linearisation *l, td_state *state) {
    linear_matrices *of = &l->of;
    linear_resize(l, false);
    memcpy(state->backup, state->keep, l->system->keep_bytes);
    remember_poses(l, state);
    clear_outputs(of);
    for (int i = 0; i < l->n_parts && l->n_named; i++) {
        observation context = {.l = l, .state = state, .part = i};
        const linear_observer o = {observe, &context, of->n_y, orders_of_outputs(l) < 3};
        linear_point *x = &l->parts[i];
        load_moving(l, state, i);
        const bool exact = outputs_exactly(l, i);
        if (!exact || any_rate_matters(l->system) || linear_drives_count(l, i))
            linear_value(x, &o, l->here);
        linear_drives_outputs(l, i, &o, true);
        for (int by = 0; by < 3 && !exact; by++)
            for (int k = 0; k < part_n(&x->p) && any_answers(l, (linear_by)(BY_Z + by)); k++)
                linear_quick_slope(x, &o, (linear_by)(BY_Z + by), k, l->here,
                                   of->C[by] + l->place[i][k], of->n);
        for (int by = 0; by < 2; by++)
            for (int k = 0; k < x->n_inputs; k++) {
                if ((exact || by == 1) && !l->system->rate_matters[k]) continue;
                linear_quick_slope(x, &o, (linear_by)(BY_U + by), k, l->here, l->column, 1);
                for (int j = 0; j < of->n_y; j++)
                    if (i == 0 || l->column[j] != 0.0) of->F[by][j * of->n_u + k] = l->column[j];
            }
        linear_drives_see(l, i);
    }
    outputs_without_efforts(l);
    linear_drives_tell(l);
    add_parameters(l, state);
    memcpy(state->keep, state->backup, l->system->keep_bytes);
    engines_rest(&state->engines);
}

static bool all_zero(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0.0) return false;
    return true;
}

// y after the step, by its columns: C z + C1 z' + C2 z''; multipliers are beside z''.
static void add_outputs(td_linearisation *l) {
    const linear_matrices *of = &l->of;
    const step_slopes *s = &l->slopes;
    const int n = of->n, n_q = of->n_q, N = s->n_columns;
    const double *const rows[3] = {s->after, s->after + (size_t)n_q * (size_t)N, s->beside};
    memset(l->C_step, 0, sizeof(double) * (size_t)of->n_y * (size_t)N);
    for (int by = 0; by < 3; by++) {
        if (all_zero(of->C[by], (size_t)of->n_y * (size_t)n)) continue;
        for (int j = 0; j < of->n_y; j++)
            dense_madd(1, n_q, N, 1.0, of->C[by] + j * n, rows[by], l->C_step + j * N);
    }
    for (int j = 0; j < of->n_y && n > n_q; j++)
        dense_madd(1, n - n_q, N, 1.0, of->C[0] + j * n + n_q, s->beside + (size_t)n_q * (size_t)N,
                   l->C_step + j * N);
}

// ---------------------------------------------------------------- the map
// Rates when it ends follow from the inputs, (u+ - u)/dt.
static void split(const td_linearisation *l, const double *row, double dt, double *A, double *B,
                  double *B0, double *rates) {
    const int n = l->slopes.n, n_u = l->of.n_u;
    if (A) copy_doubles(n, A, row);
    for (int k = 0; k < n_u; k++) {
        const double end = row[n + 3 * n_u + k] / dt;
        B0[k] = row[n + k] - end;
        B[k] = row[n + n_u + k] + end;
        rates[k] = row[n + 2 * n_u + k];
    }
}

static void publish_states(td_linearisation *l, double dt) {
    const step_slopes *s = &l->slopes;
    const int n = s->n, n_u = l->of.n_u, N = s->n_columns;
    for (int i = 0; i < n; i++)
        split(l, s->after + (size_t)i * (size_t)N, dt, l->A + (size_t)i * (size_t)n, l->B + i * n_u,
              l->B0 + i * n_u, l->rates + i * n_u);
    l->told_steps =
        (td_step_map){.n_states = n, .A = l->A, .B = l->B, .B0 = l->B0, .rates = l->rates};
}

static void publish(td_linearisation *l, double dt) {
    const step_slopes *s = &l->slopes;
    const linear_matrices *of = &l->of;
    const int n = s->n, n_u = of->n_u, N = s->n_columns;
    publish_states(l, dt);
    for (int j = 0; j < of->n_y; j++) {
        split(l, l->C_step + j * N, dt, NULL, l->D_step + j * n_u, l->D0 + j * n_u,
              l->output_rates + j * n_u);
        for (int k = 0; k < n_u; k++) {
            const double rate = of->F[1][j * n_u + k] / dt;
            l->D_step[j * n_u + k] += of->F[0][j * n_u + k] + rate;
            l->D0[j * n_u + k] -= rate;
        }
        memmove(l->C_step + j * n, l->C_step + j * N, sizeof(double) * (size_t)n);
    }
    l->told_steps.C = l->C_step;
    l->told_steps.D = l->D_step, l->told_steps.D0 = l->D0;
    l->told_steps.output_rates = l->output_rates;
}

td_status check_motion(const td_linearisation *l, const td_system *system, td_state *state) {
    if (l->system != system)
        return tell(state->message, TD_ERR_ARGUMENT, "the linearisation is of another system");
    const td_status possible = refuse_motion(system, state);
    if (possible < 0) return possible;
    for (int i = 0; i < l->n_named && l->n_flows > 0; i++)
        if (l->outputs[i].quantity == TD_OUTPUT_REACTION)
            return tell(state->message, TD_ERR_UNSUPPORTED,
                        "outputs[%d]: a material of the robot relaxes, and reactions have no "
                        "derivative in motion",
                        i);
    for (int i = 0; i < l->n_named && system->follows; i++)
        if (l->outputs[i].quantity == TD_OUTPUT_MEASURE)
            return tell(
                state->message, TD_ERR_UNSUPPORTED,
                "outputs[%d]: sections follow the mean stretch with which a step began, and "
                "lengths and volumes of actuators have no derivative in motion",
                i);
    for (int i = 0; i < l->n_named && system->model->step; i++)
        if (l->outputs[i].quantity == TD_OUTPUT_REACTION)
            return tell(state->message, TD_ERR_UNSUPPORTED,
                        "outputs[%d]: reactions of '%s' have no derivative in motion", i,
                        system->model->name);
    return TD_OK;
}

// Why a model has no slopes of these steps, or there is no room for them.
static td_status without_slopes(const td_linearisation *l, td_state *state, model_call *call) {
    step_slopes none = {0};
    if (l->too_many)
        return tell(state->message, TD_ERR_UNSUPPORTED,
                    "the state has %d numbers, of which a derivative may have %d: what may rub has "
                    "some for each place and obstacle",
                    l->too_many, MOST_STATES);
    return solver_step_slopes(l->system, NULL, call, 1.0, true, &none);
}

td_status refuse_step_slopes(const td_linearisation *l, td_state *state) {
    if (l->slopes.n > 0) return check_motion(l, l->system, state);
    model_call call = state_call(l->system, state);
    const td_status status = refuse_motion(l->system, state);
    return status < 0 ? status : without_slopes(l, state, &call);
}

static td_status step_slopes_of(td_linearisation *l, td_state *state, double dt) {
    const td_system *system = l->system;
    const size_t bytes = system->keep_bytes;
    if (l->slopes.n == 0) {
        model_call call = state_begin(system, state);
        return without_slopes(l, state, &call);
    }
    memcpy(l->step_before, state->keep, bytes);
    if (system->model->step_slopes) return step_with_slopes(system, state, dt, &l->slopes);
    const td_status status = td_step(system, state, dt);
    if (status < 0) return status;
    const td_stats stats = state->stats;
    memcpy(l->step_after, state->keep, bytes);
    memcpy(state->keep, l->step_before, bytes);
    const td_status again = step_with_slopes(system, state, dt, &l->slopes);
    memcpy(state->keep, again < 0 ? l->step_before : l->step_after, bytes);
    state->stats = stats;
    return again < 0 ? again : status;
}

// ---------------------------------------------------------------- numbers of the robot
// Inputs and the clock are those with which the step began.
static void set_sim(const td_system *system, td_state *state, const double *keep) {
    const struct {
        double *to;
        size_t n;
    } blocks[] = {{(double *)(void *)state->clock, sizeof *state->clock / sizeof(double)},
                  {state->inputs, (size_t)system->n_inputs},
                  {state->inputs_before, (size_t)system->n_inputs},
                  {state->rates, (size_t)system->n_inputs},
                  {state->rates_before, (size_t)system->n_inputs},
                  {state->rate_given, (size_t)system->n_inputs},
                  {state->given_before, (size_t)system->n_inputs}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memcpy(blocks[i].to, keep + (blocks[i].to - state->keep), sizeof(double) * blocks[i].n);
}

// What has flowed in sections where the step began, which setting coordinates makes new.
static void set_flows(const td_system *system, td_state *state, const double *keep) {
    for (int i = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, state, i);
        for (int k = 0; k < p.n_relaxing; k++) {
            const relaxing_section s = p.how->relaxing(p.of, k);
            memcpy(s.z + 6, keep + (s.z + 6 - state->keep),
                   6 * sizeof(double) * (size_t)s.law->n_terms);
        }
    }
}

void solver_add_flows(const td_system *system, td_state *state, const double *keep,
                      const double *dy) {
    set_flows(system, state, keep);
    for (int i = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, state, i);
        for (int k = 0; k < p.n_relaxing; k++) {
            const relaxing_section s = p.how->relaxing(p.of, k);
            for (int t = 0; t < s.law->n_terms; t++)
                for (int j = 0; j < s.n; j++) s.z[6 * (t + 1) + j] += *dy++;
        }
    }
}

static void read_flows(const td_system *system, const td_state *state, double *to) {
    for (int i = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, state, i);
        for (int k = 0; k < p.n_relaxing; k++) {
            const relaxing_section s = p.how->relaxing(p.of, k);
            for (int t = 0; t < s.law->n_terms; t++)
                for (int j = 0; j < s.n; j++) *to++ = s.z[6 * (t + 1) + j];
        }
    }
}

// The step of a robot with another number, from the same coordinates q and v; where it ends.
static td_status step_aside(td_linearisation *l, td_state *state, double dt, const td_system *side,
                            const double *q, const double *v, double *end) {
    const int n = td_n_coordinates(side);
    memcpy(state->keep, l->step_before, side->keep_bytes);
    copy_doubles(side->n_inputs, state->inputs, state->inputs_before);
    drives_belong_to(side, state);
    td_status status = td_set_coordinates(side, state, q, v);
    if (status < 0) return status;
    set_sim(side, state, l->step_before);
    set_flows(side, state, l->step_before);
    status = td_step(side, state, dt);
    if (status >= 0) td_get_coordinates(side, state, end, end + n);
    return status;
}

// From one end to another, z and z' of a part: of frames rotations in the world.
static void ends_apart(const solve_part *p, int n_all, const double *from, const double *to,
                       double *dz) {
    const int n = part_n_coordinates(p), first = n - 6 * p->n_frames;
    for (int rate = 0; rate < 2; rate++)
        for (int k = 0; k < n; k++)
            dz[rate * n_all + k] = to[rate * n_all + k] - from[rate * n_all + k];
    for (int at = first; at < n; at += 6) {
        const quat h = quat_exp(vec3_load(to + at)), before = quat_exp(vec3_load(from + at));
        const vec3 turn = quat_log(quat_mul(h, quat_conj(before)));
        const quat middle = quat_mul(quat_exp(vec3_scale(turn, 0.5)), before);
        vec3_store(dz + at, turn);
        vec3_store(dz + n_all + at, quat_rotate(middle, vec3_load(dz + n_all + at)));
    }
}

// Multipliers as a step left them, where they are in z.
static void read_multipliers(const td_linearisation *l, const td_system *side,
                             const td_state *state, double *to) {
    for (int i = 0; i < l->n_parts; i++) {
        const solve_part p = solver_moving(side, state, i);
        for (int k = 0; k < p.n_l; k++) to[l->place[i][p.n_q + k]] = p.m->l[k];
    }
}

td_status motion_parameters(td_linearisation *l, td_state *state, double dt) {
    const td_system *system = l->system;
    const step_slopes *s = &l->slopes;
    const int n = td_n_coordinates(system), first = s->n + 4 * system->n_inputs;
    double *q = l->sides, *v = q + n, *plus = q + 2 * n, *minus = q + 4 * n;
    double *more = q + 6 * n, *less = more + l->of.n;
    double *flowed = less + l->of.n, *behind = flowed + l->n_flows;
    const td_stats stats = state->stats;
    td_status status = TD_OK;
    memcpy(l->step_after, state->keep, system->keep_bytes);
    memcpy(state->keep, l->step_before, system->keep_bytes);
    td_get_coordinates(system, state, q, v);
    for (int k = 0; k < s->n_parameters && status >= 0; k++) {
        const step_parameter *by = &l->parameters[k];
        status = step_aside(l, state, dt, by->plus, q, v, plus);
        if (status >= 0) read_multipliers(l, by->plus, state, more);
        if (status >= 0) read_flows(by->plus, state, flowed);
        if (status >= 0) status = step_aside(l, state, dt, by->minus, q, v, minus);
        if (status >= 0) read_multipliers(l, by->minus, state, less);
        if (status >= 0) read_flows(by->minus, state, behind);
        for (int i = 0, at = 0; i < l->n_parts && status >= 0; i++) {
            const solve_part p = solver_moving(system, state, i);
            ends_apart(&p, n, minus + at, plus + at, plus + at);
            at += part_n_coordinates(&p);
        }
        for (int i = solver_n_shape_coordinates(system); i < n; i++)
            plus[i] -= minus[i], plus[n + i] -= minus[n + i];
        for (int i = 0; i < 2 * n && status >= 0; i++)
            s->after[(size_t)i * (size_t)s->n_columns + (size_t)(first + k)] =
                plus[i] / (2.0 * by->step);
        for (int i = 0; i < l->n_flows && status >= 0; i++)
            s->after[(size_t)(s->n - l->n_flows + i) * (size_t)s->n_columns + (size_t)(first + k)] =
                (flowed[i] - behind[i]) / (2.0 * by->step);
        for (int i = l->of.n_q; i < l->of.n && status >= 0; i++)
            s->beside[(size_t)i * (size_t)s->n_columns + (size_t)(first + k)] =
                (more[i] - less[i]) / (2.0 * by->step);
    }
    drives_belong_to(system, state);
    memcpy(state->keep, status < 0 ? l->step_before : l->step_after, system->keep_bytes);
    state->stats = stats;
    return status < 0 ? status : TD_OK;
}

static td_status refuse_infinite(const td_linearisation *l, td_state *state) {
    memcpy(state->keep, l->step_before, l->system->keep_bytes);
    return tell(state->message, TD_ERR_NOT_FINITE,
                "the step has no derivative: a slope is not finite");
}

// The step has been taken, with all of its slopes: outputs follow.
static td_status tell_all(td_linearisation *l, td_state *state, double dt, td_status status) {
    const td_stats stats = state->stats;
    motion_outputs(l, state);
    state->stats = stats;
    add_outputs(l);
    if (!dense_is_finite((size_t)l->slopes.n * (size_t)l->slopes.n_columns, l->slopes.after) ||
        !dense_is_finite((size_t)l->of.n_y * (size_t)l->slopes.n_columns, l->C_step))
        return refuse_infinite(l, state);
    publish(l, dt);
    return status;
}

td_status motion_step_map(const td_system *system, td_state *state, double dt, td_linearisation *l,
                          const bool *asked) {
    state->message[0] = '\0';
    l->known = false;
    linear_resize(l, false);
    l->modes.n = 0;
    l->told_steps = (td_step_map){0};
    td_status status = check_motion(l, system, state);
    if (status < 0) return status;
    l->slopes.asked = asked;
    status = step_slopes_of(l, state, dt);
    l->slopes.asked = NULL;
    if (status < 0) return status;
    if (!dense_is_finite((size_t)l->slopes.n * (size_t)l->slopes.n_columns, l->slopes.after))
        return refuse_infinite(l, state);
    publish_states(l, dt);
    return status;
}

// by_end: the outputs against the inputs at its end are all that is asked for.
static td_status differentiate(const td_system *system, td_state *state, double dt,
                               td_linearisation *l, double *by_end) {
    state->message[0] = '\0';
    l->known = false;
    linear_resize(l, false);
    l->modes.n = 0;
    l->told_steps = (td_step_map){0};
    td_status status = check_motion(l, system, state);
    if (status < 0) return status;
    const size_t n = (size_t)l->of.n_y * (size_t)l->of.n_u;
    l->slopes.outputs = l->outputs, l->slopes.n_outputs = l->n_named;
    l->slopes.n_y = l->of.n_y, l->slopes.by_end = by_end, l->slopes.short_way = false;
    status = step_slopes_of(l, state, dt);
    l->slopes.by_end = NULL;
    if (status < 0) return status;
    if (!l->slopes.short_way) return tell_all(l, state, dt, status);
    return dense_is_finite(n, by_end) ? status : refuse_infinite(l, state);
}

td_status td_differentiate_step(const td_system *system, td_state *state, double dt,
                                td_linearisation *l) {
    return differentiate(system, state, dt, l, NULL);
}

td_status td_differentiate_step_by_inputs(const td_system *system, td_state *state, double dt,
                                          td_linearisation *l) {
    const td_status status = differentiate(system, state, dt, l, l->D_step);
    l->told_steps = (td_step_map){.D = status < 0 ? NULL : l->D_step};
    return status;
}
