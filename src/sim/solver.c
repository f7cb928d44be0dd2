// sim/solver.c - what is asked of a robot, answered part by part.
#include "sim/drive.h"
#include "sim/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/quat.h"
#include "solve/chart.h"

// ---------------------------------------------------------------- parts
static int n_parts(const td_system *system) {
    return system->model->n_parts(system->compiled);
}

static solve_part part(const td_system *system, const td_state *state, int i) {
    ASSERT(i >= 0 && i < n_parts(system));
    return system->model->part(system->compiled, state->memory, i);
}

// The part that a point belongs to: rods that stand by themselves are parts of their own.
static int part_at(const td_system *system, const model_point *at) {
    if (system->model->part_of) return system->model->part_of(system->compiled, at);
    return n_parts(system) > 1 ? at->rod : 0;
}

// Are motions of the parts found by src/solve? Else the model steps by itself, and keeps its energies.
static bool is_moved(const td_system *system) {
    return !system->model->step;
}

static bool is_chosen(const td_system *system) {
    return steps_are_chosen(&system->options.integration);
}

// ---------------------------------------------------------------- memory
void solver_layout(const td_system *system, arena *keep, arena *work, solver_memory *out) {
    solver_memory m = {0};
    m.scratch = ARENA_TAKE(work, double, 2 * system->n_inputs);
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_motion(system, NULL, i);
        const int n = p.n_x + p.n_l;
        m.most_numbers = n > m.most_numbers ? n : m.most_numbers;
    }
    m.chart = ARENA_TAKE(work, double, 6 * m.most_numbers);
    m.initial = ARENA_TAKE(work, double, td_n_initial(system) ? 2 * system->coordinates.n : 0);
    int n = 0;
    bool keeps = false;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = system->model->part(system->compiled, NULL, i);
        n = part_n(&p) > n ? part_n(&p) : n;
        keeps = keeps || part_linear(&p)->factored;
    }
    inverse_layout(system->n_inputs, n, keeps, keep, work, &m.inverse);
    if (is_moved(system)) {
        m.energy = ARENA_TAKE(keep, kept_energy, 1);
        step_inputs_layout(system->n_inputs, work, &m.within);
    }
    m.time = (chosen_steps){.part = system->model->part,
                            .compiled = system->compiled,
                            .n = is_moved(system) && is_chosen(system) ? n_parts(system) : 0};
    chosen_layout(&m.time, work);
    *out = m;
}

bool solver_needs_outside(const td_system *system) {
    const td_model *model = system->model;
    if (is_moved(system)) return is_chosen(system);
    return model->outside && model->outside(system->compiled);
}

bool solver_attach(const td_system *system, td_state *state) {
    const td_model *model = system->model;
    if (!is_moved(system)) {
        state->detach = model->detach;
        return model->attach(system->compiled, state->memory);
    }
    state->solver.time.memory = state->memory;
    return chosen_attach(&state->solver.time, &system->options.integration);
}

static double finish(const td_system *system, td_state *state, const model_call *call,
                     const solve_instant *at, shape_origin from, td_status *status) {
    const td_model *model = system->model;
    return model->finish ? model->finish(system->compiled, state->memory, call, at, from, status)
                         : 0.0;
}

// The shape in the kept memory is new: energies and what steps keep start anew.
static td_status start(const td_system *system, td_state *state, const model_call *call,
                       shape_origin from) {
    const solve_instant at = instant_at_rest(call);
    td_status status = TD_OK;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = part(system, state, i);
        solve_forget(&p);
    }
    const double stored = finish(system, state, call, &at, from, &status);
    *state->solver.energy = (kept_energy){.stored = stored};
    return status;
}

td_status solver_start(const td_system *system, td_state *state, const model_call *call) {
    return start(system, state, call, SHAPE_SET);
}

void solver_reset(const td_system *system, td_state *state, const model_call *call) {
    const td_model *model = system->model;
    if (model->reset) model->reset(system->compiled, state->memory, call);
    if (!is_moved(system)) return;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = part(system, state, i);
        const solve_instant at = instant_at_rest(call);
        if (p.how->rest) p.how->rest(p.of, &at, p.m->q);
        else memset(p.m->q, 0, sizeof(double) * (size_t)p.n_x);
        memset(p.m->v, 0, sizeof(double) * (size_t)p.n_q);
        memset(p.m->l, 0, sizeof(double) * (size_t)p.n_l);
    }
    solver_start(system, state, call);
    *call->stats = (td_stats){0};
}

// ---------------------------------------------------------------- equilibria and steps
static td_status worse(td_status a, td_status b) {
    return a < 0 || b < 0 ? (a < b ? a : b) : a > b ? a : b;
}

td_status solver_statics(const td_system *system, td_state *state, const model_call *call) {
    td_status worst = TD_OK;
    call->stats->load_reached = 1.0;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = part(system, state, i);
        const td_status status = solve_statics(&p, call);
        if (status < 0) return status;
        worst = worse(worst, status);
    }
    if (is_moved(system)) return worse(worst, start(system, state, call, SHAPE_IN_EQUILIBRIUM));
    td_status said = TD_OK;
    const solve_instant at = instant_at_rest(call);
    finish(system, state, call, &at, SHAPE_IN_EQUILIBRIUM, &said);
    return worse(worst, said);
}

// J, of the motion and weight in the shape that is there, as a step begins with it.
static double moving_energy(const td_system *system, td_state *state, const step_run *s) {
    const td_energy e = system->model->energy(system->compiled, state->memory, s->within->given);
    return e.kinetic + e.gravity;
}

// What jumps in the shape that is there when a step begins, and what follows it: J, that it brings.
static double begin_step(const td_system *system, td_state *state, step_run *s) {
    double brought =
        step_inputs_bring(s->within, system->model->energy, system->compiled, state->memory);
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = part(system, state, i);
        const solve_instant at = instant_within(s, &p, 0.0, 1.0 / s->dt);
        const bool left = s->fresh && p.left_behind;
        if (left) brought -= moving_energy(system, state, s);
        if (p.how->begin) brought += p.how->begin(p.of, &at, s->fresh);
        if (!left) continue;
        solve_kick(s, &p);
        brought += moving_energy(system, state, s);
    }
    return brought;
}

// By an integrator that chooses its steps, and looks at no obstacle on the way: from end to end it is looked at here.
static td_status choose(const td_system *system, td_state *state, step_run *s) {
    solver_memory *m = &state->solver;
    char *message = s->call->message;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = part(system, state, i);
        if (!p.touch) continue;
        const solve_instant at = instant_within(s, &p, 0.0, 1.0 / s->dt);
        through_from(&p, &at, p.m->q, true);
    }
    const td_status status = chosen_advance(&m->time, s, m->energy);
    for (int i = 0; i < n_parts(system) && status >= 0; i++) {
        const solve_part p = part(system, state, i);
        const solve_instant at = instant_within(s, &p, s->dt, 1.0 / s->dt);
        if (!p.touch || !through_to(&p, &at, p.m->q, message)) continue;
        const size_t used = strlen(message);
        snprintf(message + used, MODEL_MESSAGE_SIZE - used,
                 ", in %.4g s of steps chosen by tolerance; try a smaller one, or fixed steps",
                 s->dt);
        return TD_ERR_NOT_CONVERGED;
    }
    return status;
}

// Do coordinates move with bases? Where those jump in velocity rates of coordinates do.
static bool takes_along(const td_system *system) {
    bool moves = false;
    for (int i = 0; i < system->n_inputs; i++) moves = moves || system->rate_matters[i];
    return moves && !system->model->absolute;
}

// slopes: (parts) of those that follow it through its stages; NULL: none do.
static td_status move(const td_system *system, td_state *state, const model_call *call, double dt,
                      bool fresh, part_slopes *slopes) {
    solver_memory *m = &state->solver;
    step_run s = {.call = call, .within = &m->within, .dt = dt, .fresh = fresh};
    step_inputs_begin(&m->within, call, dt, fresh, is_chosen(system));
    m->energy->work += begin_step(system, state, &s);
    td_status status = TD_OK;
    if (is_chosen(system)) status = choose(system, state, &s);
    for (int i = 0; i < n_parts(system) && !is_chosen(system) && status >= 0; i++) {
        const solve_part p = part(system, state, i);
        s.watch = slopes ? &slopes[i].watch : NULL;
        if (slopes) {
            slopes[i].watch.within = &m->within;
            const solve_instant start = instant_within(&s, &p, 0.0, 1.0 / dt);
            part_slopes_begin(&slopes[i], &p, &start);
            if (fresh && takes_along(system)) part_slopes_kick(&slopes[i], &p, &start);
        }
        status = solve_step(&s, &p);
        if (slopes && status >= 0) {
            const solve_instant end = instant_within(&s, &p, dt, 1.0 / dt);
            part_slopes_end(&slopes[i], &p, &end);
        }
    }
    if (status < 0) return status;
    const solve_part any = part(system, state, 0);
    solve_instant end = instant_within(&s, &any, dt, 1.0 / dt);
    end.sudden = is_chosen(system);  // what relaxes has flowed on the way
    td_status ending = TD_OK;
    const double stored = finish(system, state, call, &end, SHAPE_MOVED, &ending);
    m->energy->dissipated += s.energies[POWER_LOST];
    m->energy->work += s.energies[POWER_GIVEN] + stored - m->energy->stored;
    m->energy->stored = stored;
    return worse(status, ending);
}

td_status solver_step(const td_system *system, td_state *state, const model_call *call, double dt,
                      bool fresh) {
    const td_model *model = system->model;
    if (model->step) return model->step(system->compiled, state->memory, call, dt, fresh);
    return move(system, state, call, dt, fresh, NULL);
}

// ---------------------------------------------------------------- steps with their derivatives
solve_part solver_moving(const td_system *system, const td_state *state, int i) {
    solve_part p = solver_motion(system, state, i);
    if (p.gives) p.n_l = 0;
    return p;
}

static td_status refuse_slopes(const td_system *system, const model_call *call, const char *why) {
    if (call->message)
        snprintf(call->message, MODEL_MESSAGE_SIZE, "steps of '%s' have no derivative: %s",
                 system->model->name, why);
    return TD_ERR_UNSUPPORTED;
}

// What contact did before is remembered: by points that move with the shape alone, on obstacles that stand still.
static const char *refuse_past(const td_system *system, const solve_part *p) {
    if (p->rubs_itself) return "parts rub on one another";
    if (p->touch && touch_is_hard(p->touch)) return "an obstacle is hard";
    if (!p->touch || !touch_remembers(p->touch)) return NULL;
    if (p->n_kept == 0) return "something rubs on an obstacle, or leaves it slower than it came";
    for (int i = 0; i < p->touch->n; i++)
        if (obstacle_is_driven(&p->touch->obstacles[i]) ||
            obstacle_is_carried(&p->touch->obstacles[i]))
            return "something rubs on an obstacle that moves, or leaves it slower than it came";
    for (int i = 0; i < system->n_inputs; i++)
        if (system->rate_matters[i])
            return "something rubs on an obstacle, or leaves it slower than it came, and inputs "
                   "move bases";
    return NULL;
}

static td_status check_slopes(const td_system *system, const model_call *call) {
    if (is_chosen(system)) return refuse_slopes(system, call, "their size is chosen by tolerance");
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_moving(system, NULL, i);
        const char *why = p.middle ? "simulation.integration.method: fixed has them, midpoint not"
                                   : refuse_past(system, &p);
        if (why) return refuse_slopes(system, call, why);
    }
    return TD_OK;
}

static part_slopes *slopes_of_parts(const td_system *system, const step_slopes *out, arena *a) {
    const int n = n_parts(system);
    part_slopes *all = ARENA_TAKE(a, part_slopes, n);
    for (int i = 0; i < n; i++) {
        const solve_part p = solver_moving(system, NULL, i);
        const drive_source drives = {system->actuators, system->n_actuators, system->actuator_parts,
                                     i};
        part_slopes_layout(&p, &drives, system->n_inputs, out->n_parameters, a,
                           all ? &all[i] : NULL);
        if (all) all[i].moves = system->rate_matters;
    }
    return all;
}

typedef struct parameter_question {
    const td_system *system;
    const td_state *state;
    const step_parameter *all;
    int part;
    const drive_slopes *d;  // its motors and valves
    double *other;          // (n)
} parameter_question;

// The motor of the other robot at the same angle of its spool, and where its equations are then; with its effort in `at`.
static void rows_of_other(const parameter_question *q, const td_system *side,
                          const solve_instant *at, bool balanced, double *r) {
    const drive_slopes *d = q->d;
    for (int i = 0; i < d->n; i++) {
        const engine *own = &d->of[i]->engine;
        const engine *e = &side->actuators[d->of[i] - q->system->actuators].engine;
        engine_point there = d->points[i];
        const double by = engine_per_number(e, 0) / engine_per_number(own, 0);
        there.y[0] *= by, there.rate[0] *= by;
        if (own->kind == ENGINE_MOTOR) there.y[Y_SPEED] *= by, there.rate[Y_SPEED] *= by;
        at->engines[own->index].star[0] = there.y[0];
        if (!balanced) continue;
        there.effort = at->engines[own->index].effort;
        const engine_rows rows = engine_rows_at(e, &there);
        for (int j = 0; j < rows.n; j++) r[d->first[i] + j] = rows.r[j];
    }
}

static void residual_of_other(const parameter_question *q, const td_system *side,
                              const solve_instant *at, const configuration *c, double *r) {
    const solve_part p = solver_moving(side, q->state, q->part);
    rows_of_other(q, side, at, false, NULL);
    p.how->residual(p.of, at, c, r, NULL);
    rows_of_other(q, side, at, true, r + part_n(&p));
}

// By what the robots with other numbers leave where it is. They ask with the memory of the state, which is then its own
// again.
static void by_parameter(void *context, const solve_instant *at, const configuration *c,
                         int parameter, double *dr) {
    const parameter_question *q = context;
    const step_parameter *by = &q->all[parameter];
    residual_of_other(q, by->plus, at, c, dr);
    residual_of_other(q, by->minus, at, c, q->other);
    const solve_part own = solver_moving(q->system, q->state, q->part);
    rows_of_other(q, q->system, at, false, NULL);
    for (int k = 0; k < part_n(&own) + q->d->n_numbers; k++)
        dr[k] = (dr[k] - q->other[k]) / (2.0 * by->step);
}

static solve_part with_parameter(void *context, int parameter, int side, double *step) {
    const parameter_question *q = context;
    const step_parameter *by = &q->all[parameter];
    *step = by->step;
    return solver_moving(side > 0 ? by->plus : side < 0 ? by->minus : q->system, q->state, q->part);
}

static void ask_parameters(const td_system *system, const td_state *state, const step_slopes *out,
                           part_slopes *all, arena *a) {
    parameter_question *q = ARENA_TAKE(a, parameter_question, n_parts(system));
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_moving(system, NULL, i);
        double *other = ARENA_TAKE(a, double, part_n(&p) + drives_n_numbers(system));
        if (!q) continue;
        q[i] = (parameter_question){system, state, out->parameters, i, &all[i].d, other};
        all[i].by_parameter = by_parameter;
        all[i].with_parameter = with_parameter;
        all[i].context = &q[i];
    }
}

typedef struct
    part_place {  // of a part in the whole: its first coordinate and multiplier, its first number beside
    int first, first_l, first_k, n_c;
    const td_system *system;
} part_place;

// Coordinate c of a part in the whole: those of motors and valves come last, in the order of actuators.
static int whole_coordinate(const part_slopes *s, const part_place *at, int c) {
    const drive_slopes *d = &s->d;
    const int number = c - (s->n_c - d->n_numbers);
    if (number < 0) return at->first + c;
    int e = d->n - 1;
    while (d->first[e] > number) e--;
    return drives_place(at->system, d->of[e]) + number - d->first[e];
}

// Rows of a part go to those of the whole, and so do its columns: states of coordinates, which come part
// after part, what is remembered, and inputs.
static void gather(const step_slopes *out, const part_slopes *s, const part_place *at,
                   const double *row, double *to) {
    for (int k = 0; k < 2 * s->n_c; k++)
        to[whole_coordinate(s, at, k % s->n_c) + (k < s->n_c ? 0 : at->n_c)] = row[k];
    for (int k = 2 * s->n_c; k < s->n_x; k++) to[at->first_k + k - 2 * s->n_c] = row[k];
    for (int k = 0; k < 4 * s->n_u + s->n_p; k++) to[out->n + k] = row[s->n_x + k];
}

static void gather_part(const step_slopes *out, const solve_part *p, const part_slopes *s,
                        const part_place *at) {
    const size_t N = (size_t)out->n_columns, columns = (size_t)s->columns;
    int first_l = at->first_l;
    for (int i = 0; i < s->n_c; i++) {
        const size_t k = (size_t)s->coordinate[i] * columns;
        const size_t row = (size_t)whole_coordinate(s, at, i);
        gather(out, s, at, s->z + k, out->after + row * N);
        gather(out, s, at, s->z_t + k, out->after + ((size_t)at->n_c + row) * N);
        gather(out, s, at, s->z_tt + k, out->beside + row * N);
    }
    for (int k = 0; k < p->n_kept; k++)
        gather(out, s, at, s->kept_next + (size_t)k * columns,
               out->after + (size_t)(at->first_k + k) * N);
    for (int k = 0; k < p->n_flows; k++)
        gather(out, s, at, s->flows.next + (size_t)k * columns,
               out->after + (size_t)(at->first_k + p->n_kept + k) * N);
    for (int k = 0; k < part_n(p); k++)
        if (k >= p->n_q || part_holds(p, k))
            gather(out, s, at, s->z + (size_t)k * columns, out->beside + (size_t)first_l++ * N);
}

static td_status move_and_gather(const td_system *system, td_state *state, const model_call *call,
                                 double dt, bool fresh, step_slopes *out) {
    arena placed = {(unsigned char *)out->scratch, 0};
    part_slopes *all = slopes_of_parts(system, out, &placed);
    ask_parameters(system, state, out, all, &placed);
    const td_status status = move(system, state, call, dt, fresh, all);
    if (status < 0) return status;
    const int n_c = solver_n_coordinates(system);
    int n = n_c;
    for (int i = 0; i < n_parts(system); i++) n += all[i].n - all[i].n_c;
    memset(out->after, 0, sizeof(double) * (size_t)out->n * (size_t)out->n_columns);
    memset(out->beside, 0, sizeof(double) * (size_t)n * (size_t)out->n_columns);
    part_place at = {.first_l = n_c, .first_k = 2 * n_c, .n_c = n_c, .system = system};
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_moving(system, state, i);
        if (all[i].singular)
            return refuse_slopes(system, call, "the matrix of a stage is singular");
        gather_part(out, &p, &all[i], &at);
        at.first += all[i].n_c - all[i].d.n_numbers;
        at.first_l += all[i].n - all[i].n_c;
        at.first_k += p.n_kept + p.n_flows;
    }
    return status;
}

static int n_kept(const td_system *system) {
    int n = 0;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_moving(system, NULL, i);
        n += p.n_kept + p.n_flows;
    }
    return n;
}

td_status solver_step_slopes(const td_system *system, td_state *state, const model_call *call,
                             double dt, bool fresh, step_slopes *out) {
    const td_model *model = system->model;
    if (model->step_slopes)
        return model->step_slopes(system->compiled, state ? state->memory : NULL, call, dt, fresh,
                                  out);
    if (model->step) return refuse_slopes(system, call, "the model has none yet");
    const td_status possible = check_slopes(system, call);
    if (possible < 0) return possible;
    if (out->scratch) return move_and_gather(system, state, call, dt, fresh, out);
    arena counted = {0};
    slopes_of_parts(system, out, &counted);
    ask_parameters(system, NULL, out, NULL, &counted);
    out->n = 2 * solver_n_coordinates(system) + n_kept(system);
    out->n_columns = out->n + 4 * system->n_inputs + out->n_parameters;
    out->n_scratch = counted.used / sizeof(double) + 1;
    return TD_OK;
}

td_energy solver_energy(const td_system *system, const td_state *state, const double *inputs) {
    td_energy sum = system->model->energy(system->compiled, state->memory, inputs);
    if (!is_moved(system)) return sum;
    sum.elastic += state->solver.energy->stored;
    sum.dissipated += state->solver.energy->dissipated;
    sum.work += state->solver.energy->work;
    return sum;
}

// ---------------------------------------------------------------- derivatives
td_status solver_jacobian(const td_system *system, td_state *state, const model_call *call,
                          const jacobian_part *asked, double *J) {
    const solve_part p = part(system, state, part_at(system, &asked->at));
    return solve_jacobian(&p, call, asked, J);
}

bool solver_quick_jacobian(const td_system *system, td_state *state, const model_call *call,
                           const jacobian_part *asked, double *J) {
    const solve_part p = part(system, state, part_at(system, &asked->at));
    return solve_quick_jacobian(&p, call, asked, J);
}

td_status solver_compliance(const td_system *system, td_state *state, const model_call *call,
                            const model_point *at, const model_point *load, double *C) {
    memset(C, 0, sizeof(double) * 36);
    if (part_at(system, at) != part_at(system, load)) return TD_OK;
    const solve_part p = part(system, state, part_at(system, at));
    return solve_compliance(&p, call, at, load, C);
}

bool solver_same_parts(const td_system *a, const td_system *b, const td_state *state) {
    bool same = n_parts(a) == n_parts(b) && a->keep_bytes == b->keep_bytes;
    for (int i = 0; same && i < n_parts(a); i++) {
        const solve_part q = part(b, state, i), p = part(a, state, i);
        same = p.n_x == q.n_x && p.n_q == q.n_q && p.n_l == q.n_l && p.n_matrix == q.n_matrix;
    }
    return same;
}

// The poses of points of one part answer to a parameter directly, and by the shape that it changes.
enum { POINTS_AT_ONCE = 16 };

// A point keeps its share of the rod's length; a model whose rods are fed sees to that by itself.
static model_point same_share(const td_system *system, const td_system *side, model_point at) {
    if (at.body < 0 && !(system->model->features & 1ull << TD_FEATURE_FEED))
        at.s *= side->rod_lengths[at.rod] / system->rod_lengths[at.rod];
    return at;
}

static td_status part_sensitivity(const td_system *system, td_state *state, const model_call *call,
                                  const step_parameter *by, const model_point *at, int n,
                                  double *out) {
    const int index = part_at(system, at);
    const td_system *const sides[2] = {by->minus, by->plus};
    td_pose poses[2][POINTS_AT_ONCE];
    double *r[2] = {NULL, NULL};
    const solve_instant rest = instant_at_rest(call);
    for (int i = 0; i < 2; i++) {
        const solve_part p = part(sides[i], state, index);
        r[i] = i ? p.m->tangent : p.m->mode;
        const configuration c = {.q = p.m->q, .l = p.m->l};
        if (!p.how->move) return TD_ERR_UNSUPPORTED;
        solve_residual(&p, call, r[i]);
        for (int k = 0; k < n; k++) {
            const model_point point = same_share(system, sides[i], at[k]);
            poses[i][k] = p.how->move(p.of, &rest, &c, NULL, &point, NULL);
        }
    }
    const solve_part p = part(system, state, index);
    for (int k = 0; k < part_n(&p); k++) r[1][k] = (r[1][k] - r[0][k]) / (2.0 * by->step);
    const td_status status = solve_answer(&p, call, at, n, r[1], out);
    for (int k = 0; k < n && status >= 0; k++, out += 6) {
        const td_pose *minus = &poses[0][k], *plus = &poses[1][k];
        const quat turn = quat_mul(quat_load(plus->q), quat_conj(quat_load(minus->q)));
        double direct[3];
        vec3_store(direct, vec3_scale(quat_log(turn), 0.5 / by->step));
        for (int i = 0; i < 3; i++) {
            out[i] += direct[i];
            out[3 + i] += 0.5 / by->step * (plus->p[i] - minus->p[i]);
        }
    }
    return status;
}

// Points of one part that follow one another are done together.
td_status solver_sensitivity(const td_system *system, td_state *state, const model_call *call,
                             const step_parameter *by, const model_point *at, int n, double *out) {
    if (!solver_same_parts(system, by->plus, state) || !solver_same_parts(system, by->minus, state))
        return TD_ERR_ARGUMENT;
    td_status status = TD_OK;
    for (int first = 0, end; first < n && status >= 0; first = end) {
        const int index = part_at(system, &at[first]);
        for (end = first + 1; end < n && end - first < POINTS_AT_ONCE;) {
            if (part_at(system, &at[end]) != index) break;
            end++;
        }
        status = part_sensitivity(system, state, call, by, at + first, end - first,
                                  out + 6 * (size_t)first);
    }
    return status;
}

// ---------------------------------------------------------------- inverse statics
#define ENOUGH 1e-6  // rad or lengths, that an equilibrium may be off what was found

// The answer is kept, what else the inputs drive follows, and the equilibrium is judged where the part does not do
// that by itself.
static td_status keep_answer(const td_system *system, td_state *state, const model_call *call,
                             const solve_part *p, const inverse_task *task, double gap[6]) {
    const solve_instant rest = instant_at_rest(call);
    const double found = inverse_distance(task, gap);
    if (p->how->accept)
        p->how->accept(p->of, &rest, &(configuration){.q = p->m->tq, .l = p->m->tl});
    copy_doubles(p->n_x, p->m->q, p->m->tq);
    copy_doubles(p->n_l, p->m->l, p->m->tl);
    if (p->judged && n_parts(system) == 1) return TD_OK;
    const td_status status = solver_statics(system, state, call);
    if (status < 0) return status;
    const solve_part after = part(system, state, task->part);
    inverse_gap(&after, call, task, gap);
    return inverse_distance(task, gap) <= found + ENOUGH ? status : TD_ERR_NOT_CONVERGED;
}

td_status solver_inverse(const td_system *system, td_state *state, const model_call *call,
                         inverse_task *task, double gap[6]) {
    const model_point at = {task->target->body, task->target->rod, task->target->s};
    task->part = part_at(system, &at);
    const solve_part p = part(system, state, task->part);
    if (!p.how->move) return TD_ERR_UNSUPPORTED;
    inverse_gap(&p, call, task, gap);
    const td_status status = solve_inverse(&p, call, task, &state->solver.inverse, gap);
    return status < 0 ? status : keep_answer(system, state, call, &p, task, gap);
}

td_status solver_stability(const td_system *system, td_state *state, const model_call *call,
                           double *smallest) {
    *smallest = HUGE_VAL;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = part(system, state, i);
        double own;
        const td_status status = solve_stability(&p, call, &own);
        if (status < 0) return status;
        *smallest = fmin(*smallest, own);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- coordinates
solve_part solver_motion(const td_system *system, const td_state *state, int i) {
    const td_model *model = system->model;
    void *memory = state ? state->memory : NULL;
    return (model->motion ? model->motion : model->part)(system->compiled, memory, i);
}

int solver_n_parts(const td_system *system) {
    return n_parts(system);
}

int solver_part_of_actuator(const td_system *system, const actuator *a) {
    return part_at(system, &(model_point){.body = a->rod < 0 ? a->body : -1, .rod = a->rod});
}

int solver_n_coordinates(const td_system *system) {
    const int n = solver_n_shape_coordinates(system);
    return n > 0 ? n + drives_n_numbers(system) : 0;
}

int solver_n_shape_coordinates(const td_system *system) {
    int sum = 0;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_motion(system, NULL, i);
        const int n = part_n_coordinates(&p);
        if (n == 0) return 0;
        sum += n;
    }
    return sum;
}

// fits: it is asked whether its joints close.
static td_status take(const td_system *system, td_state *state, const model_call *call, int i,
                      const solve_instant *at, const configuration *c, bool fits) {
    const td_model *model = system->model;
    if (model->take) return model->take(system->compiled, state->memory, call, i, at, c);
    const solve_part p = part(system, state, i);
    const size_t bytes = sizeof(double) * (size_t)p.n_q;
    memmove(p.m->q, c->q, sizeof(double) * (size_t)p.n_x);
    if (!at->soft) memmove(p.m->l, c->l, sizeof(double) * (size_t)p.n_l);
    if (c->v) memmove(p.m->v, c->v, bytes);
    else memset(p.m->v, 0, bytes);
    return fits && p.how->fits ? p.how->fits(p.of, at, p.m->q, call->message) : TD_OK;
}

td_status solver_take(const td_system *system, td_state *state, const model_call *call, int i,
                      const solve_instant *at, const configuration *c) {
    return take(system, state, call, i, at, c, true);
}

// Outputs then tell of it, as after a step; without the checks of one.
td_status solver_show(const td_system *system, td_state *state, const model_call *call, int i,
                      const solve_instant *at, const configuration *c, double *r) {
    td_status status = take(system, state, call, i, at, c, false);
    if (status < 0 || !is_moved(system)) return status;
    const solve_part p = part(system, state, i);
    if (c->a) memmove(p.m->a, c->a, sizeof(double) * (size_t)p.n_q);
    p.how->residual(p.of, at, c, r, NULL);
    finish(system, state, call, at, SHAPE_MOVED, &status);
    return TD_OK;
}

void solver_get_coordinates(const td_system *system, const td_state *state, double *q,
                            double *q_t) {
    double *all = state->solver.chart, *rates = all + state->solver.most_numbers;
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_motion(system, state, i);
        part_read(&p, p.m->q, all);
        part_read_rates(&p, p.m->q, p.m->v, rates);
        for (int k = 0; k < p.n_q; k++) {
            if (part_holds(&p, k)) continue;
            *q++ = all[k];
            if (q_t) *q_t++ = rates[k];
        }
    }
    drives_read(system, state, q, q_t);
}

#define FOLLOWED 1e-9  // of what a row of r is without an effort

// Where something gives way an effort follows from the shape: a row of r answers to its own effort alone, and nearly
// in proportion. What does not give way, or rubs, is left at 0, as reactions are.
static void follow_efforts(const solve_part *p, const solve_instant *at, const double *q, double *l,
                           double *without, double *with) {
    enum { MOST_TIMES = 6 };
    const configuration c = {.q = q, .l = l};
    const double *before = without + p->n_q, *after = with + p->n_q;
    memset(l, 0, sizeof(double) * (size_t)p->n_l);
    p->how->residual(p->of, at, &c, without, NULL);
    for (int k = 0; k < p->n_l; k++) l[k] = p->effort_unit ? p->effort_unit[k] : 1.0;
    bool more = true;
    for (int times = 0; more; times++) {
        p->how->residual(p->of, at, &c, with, NULL);
        more = false;
        for (int k = 0; k < p->n_l; k++) {
            // so large an effort tells in a row that answers to it, or there is none to find
            if (times == 0 && p->effort_unit && fabs(after[k]) <= fabs(before[k])) l[k] = 0.0;
            const double next = l[k] * before[k] / (before[k] - after[k]);
            const bool found = l[k] == 0.0 || fabs(after[k]) <= FOLLOWED * fabs(before[k]);
            if (!found) l[k] = isfinite(next) && times < MOST_TIMES ? next : 0.0;
            more = more || (!found && l[k] != 0.0);
        }
    }
}

td_status solver_set_coordinates(const td_system *system, td_state *state, const model_call *call,
                                 const double *q, const double *q_t) {
    const solve_instant at = instant_at_rest(call);
    solve_instant set = at;
    if (q_t) set.cv = set.ca = 1.0;  // a motion may begin where no equilibrium is
    const size_t most = (size_t)state->solver.most_numbers;
    double *all = state->solver.chart, *x = all + most, *v = x + most, *l = v + most;
    const int n_shape = solver_n_shape_coordinates(system);
    drives_write(system, state, q + n_shape, q_t ? q_t + n_shape : NULL);
    set.engines = engines_stages(call->engines);
    for (int i = 0; i < n_parts(system); i++) {
        const solve_part p = solver_motion(system, state, i);
        for (int k = 0; k < p.n_q; k++) {
            const bool held = part_holds(&p, k);
            all[k] = held ? 0.0 : *q++;
            v[k] = held || !q_t ? 0.0 : *q_t++;
        }
        part_write(&p, all, x);
        part_write_rates(&p, x, v, v);
        const configuration c = {.q = x, .l = l, .v = q_t ? v : NULL};
        if (p.n_l > 0 && state->engines.n == 0)
            follow_efforts(&p, &at, x, l, l + most, l + 2 * most);
        else memset(l, 0, sizeof(double) * (size_t)p.n_l);
        const td_status status = solver_take(system, state, call, i, &set, &c);
        if (status < 0) return status;
    }
    if (is_moved(system)) return solver_start(system, state, call);
    td_status status = TD_OK;
    finish(system, state, call, &at, SHAPE_SET, &status);
    return status;
}
