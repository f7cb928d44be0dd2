// model/virtual_power/sundials.c - steps chosen by tolerance: ARKODE's Dormand-Prince 5(4),
// CVODE's BDF.
//
// y holds q and q' of all chains, then the energy dissipated and that given since the start of the
// step. Each step begins anew from what is kept, with the inner step that was good last: a
// trajectory that is saved and restored goes on to the bit. SUNDIALS allocates when a state is
// created.
#include "model/virtual_power/virtual_power.h"

bool outside_needed(const void *compiled) {
    const virtual_power *c = compiled;
    return c->options.virtual_power.integrator != TD_VP_FIXED;
}

#ifndef TENDRIL_SUNDIALS
bool has_sundials(void) {
    return false;
}

bool outside_attach(const void *compiled, void *memory) {
    (void)compiled, (void)memory;
    return false;
}

void outside_detach(void *memory) {
    (void)memory;
}

td_status outside_step(const virtual_power *c, power_memory *m, const model_call *call, double dt,
                       bool fresh) {
    (void)c, (void)m, (void)call, (void)dt, (void)fresh;
    return TD_ERR_UNSUPPORTED;
}
#else

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define MOST_STEPS_INSIDE 200000  // of one step: bounded work
#define N_SUMS 2                  // energies after the motion

bool has_sundials(void) {
    return true;
}

// ---------------------------------------------------------------- between y and the chains
static int size_of(const virtual_power *c) {
    int n = N_SUMS;
    for (int i = 0; i < c->n_arms; i++) n += 2 * c->arms[i].chain.n_q;
    return n;
}

static void to_vector(const virtual_power *c, const power_memory *m, double *y) {
    for (int i = 0; i < c->n_arms; i++) {
        const size_t n = (size_t)c->arms[i].chain.n_q;
        memcpy(y, m->arms[i].q, sizeof(double) * n);
        memcpy(y + n, m->arms[i].rates, sizeof(double) * n);
        y += 2 * n;
    }
    y[0] = y[1] = 0.0;
}

static const double *from_vector(const virtual_power *c, power_memory *m, const double *y) {
    for (int i = 0; i < c->n_arms; i++) {
        const size_t n = (size_t)c->arms[i].chain.n_q;
        memcpy(m->arms[i].q, y, sizeof(double) * n);
        memcpy(m->arms[i].rates, y + n, sizeof(double) * n);
        y += 2 * n;
    }
    return y;
}

// ---------------------------------------------------------------- the right side
// (q', q'') of one chain; adds its powers to sums. False: beyond what it can be computed for.
static bool arm_rates(const arm *a, arm_memory *m, const situation *at, const double *y,
                      double *y_t, double *sums) {
    const chain *c = &a->chain;
    const int n = c->n_q;
    const double *rates = y + n;
    find_forces(a, m, at, y, rates);
    sums[0] += lost_power(a, m, rates);
    sums[1] += given_power(a, m, at, rates);
    mass_matrix(c, m->discs, m->composites, m->M);
    if (!cholesky_factor(n, m->M)) return false;
    cholesky_solve(n, m->M, m->Q);
    memcpy(y_t, rates, sizeof(double) * (size_t)n);
    memcpy(y_t + n, m->Q, sizeof(double) * (size_t)n);
    return isfinite(m->Q[0]);
}

static int right_side(double t, N_Vector y_vector, N_Vector y_t_vector, void *user) {
    outside *o = user;
    const virtual_power *c = o->compiled;
    power_memory *m = o->memory;
    const double *y = N_VGetArrayPointer(y_vector), x = t / o->dt;
    double *y_t = N_VGetArrayPointer(y_t_vector), *sums = y_t + size_of(c) - N_SUMS;
    sums[0] = sums[1] = 0.0;
    for (int i = 0; i < c->n_inputs; i++)
        m->inputs[i] = (1.0 - x) * o->inputs_before[i] + x * o->inputs_after[i];
    o->stats->evaluations++;
    for (int i = 0; i < c->n_arms; i++) {
        const arm *a = &c->arms[i];
        situation at = situation_of(c, a, m->inputs, SLIP_SLIDING);
        if (!arm_rates(a, &m->arms[i], &at, y, y_t, sums)) return 1;  // a shorter step may do
        y += 2 * a->chain.n_q;
        y_t += 2 * a->chain.n_q;
    }
    return 0;
}

// ---------------------------------------------------------------- making and releasing
static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static bool make_explicit(const td_virtual_power_options *v, outside *o) {
    o->integrator = ERKStepCreate(right_side, 0.0, o->vector, o->context);
    return o->integrator && !ERKStepSetErrHandlerFn(o->integrator, say_nothing, NULL) &&
           !ERKStepSetTableNum(o->integrator, ARKODE_DORMAND_PRINCE_7_4_5) &&
           !ERKStepSStolerances(o->integrator, v->relative, v->absolute) &&
           !ERKStepSetMaxNumSteps(o->integrator, MOST_STEPS_INSIDE) &&
           !ERKStepSetUserData(o->integrator, o);
}

static bool make_implicit(const td_virtual_power_options *v, int n, outside *o) {
    o->integrator = CVodeCreate(CV_BDF, o->context);
    o->matrix = SUNDenseMatrix(n, n, o->context);
    o->solver = o->matrix ? SUNLinSol_Dense(o->vector, o->matrix, o->context) : NULL;
    return o->integrator && o->solver && !CVodeSetErrHandlerFn(o->integrator, say_nothing, NULL) &&
           !CVodeInit(o->integrator, right_side, 0.0, o->vector) &&
           !CVodeSStolerances(o->integrator, v->relative, v->absolute) &&
           !CVodeSetLinearSolver(o->integrator, o->solver, o->matrix) &&
           !CVodeSetMaxNumSteps(o->integrator, MOST_STEPS_INSIDE) &&
           !CVodeSetUserData(o->integrator, o);
}

static bool is_explicit(const virtual_power *c) {
    return c->options.virtual_power.integrator == TD_VP_EXPLICIT;
}

bool outside_attach(const void *compiled, void *memory) {
    const virtual_power *c = compiled;
    power_memory *m = memory;
    outside *o = &m->outside;
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context)) return false;
    o->context = context;
    o->compiled = c;
    o->memory = m;
    o->vector = N_VNew_Serial(size_of(c), context);
    if (!o->vector) return false;
    N_VConst(0.0, o->vector);
    const td_virtual_power_options *v = &c->options.virtual_power;
    return is_explicit(c) ? make_explicit(v, o) : make_implicit(v, size_of(c), o);
}

void outside_detach(void *memory) {
    power_memory *m = memory;
    outside *o = &m->outside;
    if (o->integrator && is_explicit(o->compiled)) ERKStepFree(&o->integrator);
    if (o->integrator) CVodeFree(&o->integrator);
    if (o->solver) SUNLinSolFree(o->solver);
    if (o->matrix) SUNMatDestroy(o->matrix);
    if (o->vector) N_VDestroy(o->vector);
    SUNContext context = o->context;
    if (context) SUNContext_Free(&context);
    *o = (outside){0};
}

// ---------------------------------------------------------------- a step
static int evolve_explicit(outside *o, double first, double *last) {
    double t = 0.0;
    int flag = ERKStepReInit(o->integrator, right_side, 0.0, o->vector);
    if (!flag) flag = ERKStepSetInitStep(o->integrator, first);
    if (!flag) flag = ERKStepSetStopTime(o->integrator, o->dt);
    if (!flag) flag = ERKStepEvolve(o->integrator, o->dt, o->vector, &t, ARK_NORMAL);
    ERKStepGetCurrentStep(o->integrator, last);
    return flag;
}

static int evolve_implicit(outside *o, double first, double *last) {
    double t = 0.0;
    int flag = CVodeReInit(o->integrator, 0.0, o->vector);
    // a start at order 1 must be shorter than the last step of a higher order: its own choice
    (void)first;
    if (!flag) flag = CVodeSetStopTime(o->integrator, o->dt);
    if (!flag) flag = CVode(o->integrator, o->dt, o->vector, &t, CV_NORMAL);
    *last = 0.0;
    return flag;
}

static void note_work(const virtual_power *c, const outside *o, td_stats *stats) {
    long n = 0;
    if (is_explicit(c)) ERKStepGetNumSteps(o->integrator, &n);
    else CVodeGetNumSteps(o->integrator, &n);
    stats->iterations += (int)n;
}

td_status outside_step(const virtual_power *c, power_memory *m, const model_call *call, double dt,
                       bool fresh) {
    outside *o = &m->outside;
    double first = fmin(fresh ? 0.0 : m->energy->inner_step, dt), last = 0.0;
    o->inputs_before = fresh ? call->inputs : call->inputs_before;
    o->inputs_after = call->inputs;
    o->dt = dt;
    o->stats = call->stats;
    to_vector(c, m, N_VGetArrayPointer(o->vector));
    int flag = is_explicit(c) ? evolve_explicit(o, first, &last) : evolve_implicit(o, first, &last);
    note_work(c, o, call->stats);
    if (flag < 0) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "SUNDIALS gave up within the step (flag %d after %d inner steps): tolerances may "
                 "be out of reach, or the motion too violent",
                 flag, call->stats->iterations);
        return TD_ERR_NOT_CONVERGED;
    }
    const double *sums = from_vector(c, m, N_VGetArrayPointer(o->vector));
    for (int i = 0; i < c->n_arms; i++) {
        td_status status = check_arcs(&c->arms[i], m->arms[i].q, call->message);
        if (status < 0) return status;
    }
    double dissipated = sums[0], given = sums[1];
    note_energy(c, m, call->inputs, dissipated, given);
    m->energy->inner_step = last;
    return TD_OK;
}
#endif
