// sim/follow.c - inputs by which some of the coordinates get the accelerations that are wanted, where there are more
// coordinates than actuators: partial feedback linearisation (M. W. Spong, "Partial feedback linearization of underactuated
// mechanical systems", IROS 1994).
//
// What pulls or presses is linear in the equations of motion, M a = h(q, v) + G u. A period T of the controller is longer than
// what swings fast in a rod takes to come to rest, so that accelerations are those that hold on the mean of it, by the linearly
// implicit Euler formula,
//
//     (M + T D + T^2 K) a = h(q + T v, v) + G u,     a(u) = a(0) + A u
//
// a column of A for each input, and of their rows S that follow S A u = S (wanted - a(0)) is solved: least squares, where tendons
// do not push and inputs keep to their limits. Coordinates that nothing is said of go where they will.
#include "sim/controller.h"

#include <math.h>
#include <string.h>

#include "math/box_qp.h"
#include "sim/solver.h"
#include "solve/chart.h"

#define RIDGE 1e-12  // of the mean diagonal: inputs that do nothing are 0
#define PASSES 3     // that remove what the ridge does to the others

bool follow_is_there(const td_system *system) {
    return system->model->accelerates;
}

int follow_doubles(const td_system *system, int n_inputs) {
    const int n = td_n_coordinates(system);
    return 2 * system->n_inputs + n * (n_inputs + 2) + n_inputs * (n_inputs + 7) +
           (int)box_qp_doubles(n_inputs);
}

typedef struct instant {
    const model_call *call;
    const double *inputs, *still;
    const double *q, *v;
    double T;
} instant;

// Point and velocities of a part, and the instant.
static solve_instant part_at(td_state *state, const instant *x, const solve_part *p, int first,
                             configuration *c) {
    const size_t most = (size_t)state->solver.most_numbers;
    double *all = state->solver.chart, *point = all + most, *rates = point + most;
    solve_instant at = instant_at_rest(x->call);
    at.cv = at.ca = 1.0;  // of a motion
    at.t = x->T;          // in which what a material remembers flows
    at.soft = p->gives;
    at.inputs = x->inputs;
    at.place_rates = x->call->rates, at.place_accelerations = at.input_rates = x->still;
    for (int k = 0; k < p->n_q; k++) {
        rates[k] = x->v[first + k];
        all[k] = x->q[first + k] + x->T * rates[k];
    }
    part_write(p, all, point);
    *c = (configuration){.q = point, .l = p->m->l, .v = rates};
    return at;
}

// M + T D + T^2 K of all parts.
static bool factor(const td_system *system, td_state *state, const instant *x) {
    const tangent_weights w = {.q = x->T * x->T, .v = x->T, .a = 1.0};
    for (int i = 0, first = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, state, i);
        configuration c;
        const solve_instant at = part_at(state, x, &p, first, &c);
        if (!p.how->tangent(p.of, &at, &c, &w, p.m->matrix, NULL, NULL)) return false;
        if (!part_linear(&p)->factor(&p, p.m->matrix, p.m->pivot)) return false;
        first += p.n_q;
    }
    return true;
}

static void accelerations(const td_system *system, td_state *state, const instant *x, double *a) {
    for (int i = 0, first = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, state, i);
        configuration c;
        const solve_instant at = part_at(state, x, &p, first, &c);
        p.how->residual(p.of, &at, &c, p.m->r, NULL);
        for (int k = 0; k < p.n_q; k++) a[first + k] = -p.m->r[k];
        part_linear(&p)->solve(&p, p.m->matrix, p.m->pivot, a + first);
        first += p.n_q;
    }
}

// What an input is where its actuator does nothing, and how much more makes a force of 1 N of it.
static double idle(const actuator *a) {
    return 0.0 - a->value.value / a->value.gain;
}

static double newton(const actuator *a) {
    return 1.0 / (a->value.gain * a->per_length);
}

static void bounds(const td_system *system, int input, const actuator *a, double *low,
                   double *high) {
    const robot_input *limits = &system->inputs[input];
    *low = a->pulls_only ? 0.0 : -HUGE_VAL;
    *high = HUGE_VAL;
    if (!(limits->low < limits->high)) return;
    const double ends[2] = {(limits->low - idle(a)) / newton(a),
                            (limits->high - idle(a)) / newton(a)};
    *low = fmax(*low, fmin(ends[0], ends[1]));
    *high = fmax(*low, fmax(ends[0], ends[1]));
}

typedef struct least {  // of |A x - b|^2, A (n x m)
    int n, m;
    const double *A;
    double *b, *x;
    double *H, *g, *low, *high, *change, *ends, *scratch;
} least;

static bool solve(const least *p) {
    const int n = p->n, m = p->m;
    double trace = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += p->A[k * m + i] * p->A[k * m + j];
            p->H[i * m + j] = sum;
            trace += i == j ? sum : 0.0;
        }
    for (int i = 0; i < m; i++) p->H[i * (m + 1)] += RIDGE * trace / m + 1e-300;
    memset(p->x, 0, sizeof(double) * (size_t)m);
    for (int pass = 0; pass < PASSES; pass++) {
        memset(p->g, 0, sizeof(double) * (size_t)m);
        for (int k = 0; k < n; k++) {
            double left = p->b[k];
            for (int i = 0; i < m; i++) left -= p->A[k * m + i] * p->x[i];
            for (int i = 0; i < m; i++) p->g[i] -= p->A[k * m + i] * left;
        }
        for (int i = 0; i < m; i++) {
            p->change[i] = 0.0;
            p->ends[i] = p->low[i] - p->x[i], p->ends[m + i] = p->high[i] - p->x[i];
        }
        if (box_qp(m, p->H, p->g, p->ends, p->ends + m, p->change, p->scratch) < 0) return false;
        for (int i = 0; i < m; i++) p->x[i] += p->change[i];
    }
    return true;
}

bool follow_find(const td_system *system, td_state *state, const controller *c, const double *q,
                 const double *v, double T, const double *wanted, double *work, double *u) {
    const td_controller_def *d = &c->def;
    const int n = td_n_coordinates(system), m = d->n_inputs;
    double *inputs = work, *still = inputs + system->n_inputs, *here = still + system->n_inputs;
    double *A = here + n, *b = A + n * m;
    least p = {.m = m, .A = A, .b = b, .H = b + n};
    p.g = p.H + m * m, p.low = p.g + m, p.high = p.low + m, p.change = p.high + m;
    p.ends = p.change + m, p.x = p.ends + 2 * m, p.scratch = p.x + m;
    const model_call call = state_begin(system, state);
    const instant x = {&call, inputs, still, q, v, T};
    memcpy(inputs, state->inputs, sizeof *inputs * (size_t)system->n_inputs);
    memset(still, 0, sizeof *still * (size_t)system->n_inputs);
    bool ok = factor(system, state, &x);
    for (int i = 0; i < m; i++) inputs[d->inputs[i]] = idle(&system->actuators[c->actuators[i]]);
    if (ok) accelerations(system, state, &x, here);
    for (int i = 0; i < m && ok; i++) {
        const actuator *by = &system->actuators[c->actuators[i]];
        inputs[d->inputs[i]] += newton(by);
        accelerations(system, state, &x, b);
        inputs[d->inputs[i]] = idle(by);
        bounds(system, d->inputs[i], by, &p.low[i], &p.high[i]);
        for (int k = 0, row = 0; k < n; k++)
            if (c->follows[k] >= 0) A[row++ * m + i] = b[k] - here[k];
    }
    for (int k = 0; k < n; k++)
        if (c->follows[k] >= 0) b[p.n++] = wanted[k] - here[k];
    ok = ok && solve(&p);
    memcpy(state->keep, state->backup, system->keep_bytes);  // u may lie in it
    for (int i = 0; i < m && ok; i++) {
        const actuator *by = &system->actuators[c->actuators[i]];
        u[i] = idle(by) + newton(by) * p.x[i];
    }
    return ok;
}
