// integrate/sundials.c - each call begins anew from y: a trajectory that is saved and restored goes
// on to the bit.
#include "integrate/sundials.h"

#ifndef TENDRIL_SUNDIALS
bool integrator_exists(void) {
    return false;
}

bool integrator_make(integrator *i, int n, int band, bool is_explicit, double relative,
                     double absolute, integrator_rates *rates, void *context) {
    (void)i, (void)n, (void)band, (void)is_explicit, (void)relative, (void)absolute;
    (void)rates, (void)context;
    return false;
}

bool integrator_give_slopes(integrator *i, integrator_slopes *slopes) {
    (void)i, (void)slopes;
    return false;
}

void integrator_free(integrator *i) {
    (void)i;
}

double *integrator_vector(const integrator *i) {
    (void)i;
    return (double *)0;
}

integrator_report integrator_advance(integrator *i, double dt, double first) {
    (void)i, (void)dt, (void)first;
    return (integrator_report){.flag = -1};
}
#else

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#define MOST_STEPS_INSIDE 200000  // of one call: bounded work

bool integrator_exists(void) {
    return true;
}

static int right_side(double t, N_Vector y, N_Vector y_t, void *user) {
    integrator *i = user;
    return i->rates(i->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(y_t)) ? 0 : 1;
}

static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static bool make_explicit(integrator *i, double relative, double absolute) {
    i->solver = ERKStepCreate(right_side, 0.0, i->vector, i->sun);
    return i->solver && !ERKStepSetErrHandlerFn(i->solver, say_nothing, NULL) &&
           !ERKStepSetTableNum(i->solver, ARKODE_DORMAND_PRINCE_7_4_5) &&
           !ERKStepSStolerances(i->solver, relative, absolute) &&
           !ERKStepSetMaxNumSteps(i->solver, MOST_STEPS_INSIDE) &&
           !ERKStepSetUserData(i->solver, i);
}

// A band is filled by differences of many columns at once, as many evaluations as it is wide.
static void make_matrix(integrator *i, int band) {
    i->matrix =
        band > 0 ? SUNBandMatrix(i->n, band, band, i->sun) : SUNDenseMatrix(i->n, i->n, i->sun);
    if (!i->matrix) return;
    i->linear = band > 0 ? SUNLinSol_Band(i->vector, i->matrix, i->sun)
                         : SUNLinSol_Dense(i->vector, i->matrix, i->sun);
}

static bool make_implicit(integrator *i, int band, double relative, double absolute) {
    i->solver = CVodeCreate(CV_BDF, i->sun);
    make_matrix(i, band);
    return i->solver && i->linear && !CVodeSetErrHandlerFn(i->solver, say_nothing, NULL) &&
           !CVodeInit(i->solver, right_side, 0.0, i->vector) &&
           !CVodeSStolerances(i->solver, relative, absolute) &&
           !CVodeSetLinearSolver(i->solver, i->linear, i->matrix) &&
           !CVodeSetMaxNumSteps(i->solver, MOST_STEPS_INSIDE) && !CVodeSetUserData(i->solver, i);
}

bool integrator_make(integrator *i, int n, int band, bool is_explicit, double relative,
                     double absolute, integrator_rates *rates, void *context) {
    SUNContext sun = NULL;
    *i = (integrator){.is_explicit = is_explicit, .n = n, .rates = rates, .context = context};
    if (SUNContext_Create(NULL, &sun)) return false;
    i->sun = sun;
    i->vector = N_VNew_Serial(n, sun);
    if (!i->vector) return false;
    N_VConst(0.0, i->vector);
    return is_explicit ? make_explicit(i, relative, absolute)
                       : make_implicit(i, band, relative, absolute);
}

static int fill_slopes(double t, N_Vector y, N_Vector y_t, SUNMatrix J, void *user, N_Vector a,
                       N_Vector b, N_Vector c) {
    integrator *i = user;
    (void)a, (void)b, (void)c;
    const double *at = N_VGetArrayPointer(y), *rates = N_VGetArrayPointer(y_t);
    return i->slopes(i->context, t, at, rates, SUNDenseMatrix_Data(J)) ? 0 : 1;
}

bool integrator_give_slopes(integrator *i, integrator_slopes *slopes) {
    if (i->is_explicit) return true;
    i->slopes = slopes;
    return !CVodeSetJacFn(i->solver, fill_slopes);
}

void integrator_free(integrator *i) {
    if (i->solver && i->is_explicit) ERKStepFree(&i->solver);
    if (i->solver) CVodeFree(&i->solver);
    if (i->linear) SUNLinSolFree(i->linear);
    if (i->matrix) SUNMatDestroy(i->matrix);
    if (i->vector) N_VDestroy(i->vector);
    SUNContext sun = i->sun;
    if (sun) SUNContext_Free(&sun);
    *i = (integrator){0};
}

double *integrator_vector(const integrator *i) {
    return N_VGetArrayPointer(i->vector);
}

static integrator_report advance_explicit(integrator *i, double dt, double first) {
    double t = 0.0;
    long steps = 0;
    integrator_report out = {0};
    out.flag = ERKStepReInit(i->solver, right_side, 0.0, i->vector);
    if (!out.flag) out.flag = ERKStepSetInitStep(i->solver, first);
    if (!out.flag) out.flag = ERKStepSetStopTime(i->solver, dt);
    if (!out.flag) out.flag = ERKStepEvolve(i->solver, dt, i->vector, &t, ARK_NORMAL);
    ERKStepGetCurrentStep(i->solver, &out.last);
    ERKStepGetNumSteps(i->solver, &steps);
    out.steps = (int)steps;
    return out;
}

// A start at order 1 must be shorter than the last step of a higher order: its own choice.
static integrator_report advance_implicit(integrator *i, double dt) {
    double t = 0.0;
    long steps = 0;
    integrator_report out = {.flag = CVodeReInit(i->solver, 0.0, i->vector)};
    if (!out.flag) out.flag = CVodeSetStopTime(i->solver, dt);
    if (!out.flag) out.flag = CVode(i->solver, dt, i->vector, &t, CV_NORMAL);
    CVodeGetNumSteps(i->solver, &steps);
    out.steps = (int)steps;
    return out;
}

integrator_report integrator_advance(integrator *i, double dt, double first) {
    return i->is_explicit ? advance_explicit(i, dt, first) : advance_implicit(i, dt);
}
#endif
