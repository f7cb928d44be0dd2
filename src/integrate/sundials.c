// integrate/sundials.c - each call begins anew from y: a trajectory that is saved and restored goes
// on to the bit.
#include "integrate/sundials.h"

#ifndef TENDRIL_SUNDIALS
bool integrator_exists(void) {
    return false;
}

bool integrator_make(sun_integrator *i, int n, int sums, int band, bool is_explicit,
                     double relative, double absolute, integrator_rates *rates, void *context) {
    (void)i, (void)n, (void)sums, (void)band, (void)is_explicit, (void)relative, (void)absolute;
    (void)rates, (void)context;
    return false;
}

bool integrator_give_slopes(sun_integrator *i, integrator_slopes *slopes) {
    (void)i, (void)slopes;
    return false;
}

void integrator_free(sun_integrator *i) {
    (void)i;
}

double *integrator_vector(const sun_integrator *i) {
    (void)i;
    return (double *)0;
}

integrator_report integrator_advance(sun_integrator *i, double dt, double first, interrupt ask) {
    (void)i, (void)dt, (void)first, (void)ask;
    return (integrator_report){.flag = -1, .end = INTEGRATOR_GAVE_UP};
}
#else

#include <float.h>
#include <math.h>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#define MOST_WORK 5e9     // multiplications of one call, about: seconds
#define EACH_CALL 3000.0  // of them, however small an evaluation
#define NO_LIMIT (-1)

bool integrator_exists(void) {
    return true;
}

// For SUNDIALS below 0: no shorter step will do.
static int end_here(sun_integrator *i, integrator_end why) {
    i->end = why;
    return -1;
}

static int right_side(double t, N_Vector y, N_Vector y_t, void *user) {
    sun_integrator *i = user;
    i->work += EACH_CALL + i->solve_work;
    if (i->work > MOST_WORK) return end_here(i, INTEGRATOR_TOO_LONG);
    if (interrupted(i->interrupt)) return end_here(i, INTEGRATOR_INTERRUPTED);
    return i->rates(i->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(y_t)) ? 0 : 1;
}

static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static bool make_explicit(sun_integrator *i, double relative, double absolute) {
    i->solver = ERKStepCreate(right_side, 0.0, i->vector, i->sun);
    return i->solver && !ERKStepSetErrHandlerFn(i->solver, say_nothing, NULL) &&
           !ERKStepSetTableNum(i->solver, ARKODE_DORMAND_PRINCE_7_4_5) &&
           !ERKStepSStolerances(i->solver, relative, absolute) &&
           !ERKStepSetMaxNumSteps(i->solver, NO_LIMIT) && !ERKStepSetUserData(i->solver, i);
}

static void make_matrix(sun_integrator *i) {
    const int n = i->n, band = i->band;
    i->solve_work = band > 0 ? 12.0 * n * band : 2.0 * n * n;
    i->matrix = band > 0 ? SUNBandMatrix(n, band, band, i->sun) : SUNDenseMatrix(n, n, i->sun);
    if (!i->matrix) return;
    i->linear = band > 0 ? SUNLinSol_Band(i->vector, i->matrix, i->sun)
                         : SUNLinSol_Dense(i->vector, i->matrix, i->sun);
}

// The least change of y that rounding in y' lets one see, in units of its tolerance: CVODE's own.
static double least_change(const sun_integrator *i, N_Vector y_t, N_Vector weights) {
    double h = 0.0;
    CVodeGetCurrentStep(i->solver, &h);
    CVodeGetErrWeights(i->solver, weights);
    const double size = N_VWrmsNorm(y_t, weights);
    return size > 0.0 ? 1000.0 * fabs(h) * DBL_EPSILON * i->n * size : 1.0;
}

// Differences of many columns at once, as many evaluations as the band is wide. The rows of the
// sums, which such a difference mixes, stay 0: what they depend on is solved for without them.
static int fill_band(double t, N_Vector y, N_Vector y_t, SUNMatrix J, void *user, N_Vector moved,
                     N_Vector weights, N_Vector moved_t) {
    sun_integrator *i = user;
    const int n = i->n - i->sums, band = i->band, width = 2 * band + 1;
    const double least = least_change(i, y_t, weights), part = sqrt(DBL_EPSILON);
    const double *at = N_VGetArrayPointer(y), *rates = N_VGetArrayPointer(y_t);
    const double *weight = N_VGetArrayPointer(weights), *to = N_VGetArrayPointer(moved_t);
    double *x = N_VGetArrayPointer(moved);
    for (int group = 0; group < width && group < n; group++) {
        N_VScale(1.0, y, moved);
        for (int k = group; k < n; k += width) x[k] += fmax(part * fabs(at[k]), least / weight[k]);
        const int bad = right_side(t, moved, moved_t, user);
        if (bad) return bad;
        for (int k = group; k < n; k += width) {
            const int first = k > band ? k - band : 0, last = k + band < n ? k + band : n - 1;
            for (int row = first; row <= last; row++)
                SM_ELEMENT_B(J, row, k) = (to[row] - rates[row]) / (x[k] - at[k]);
        }
    }
    return 0;
}

static bool make_implicit(sun_integrator *i, double relative, double absolute) {
    i->solver = CVodeCreate(CV_BDF, i->sun);
    make_matrix(i);
    return i->solver && i->linear && !CVodeSetErrHandlerFn(i->solver, say_nothing, NULL) &&
           !CVodeInit(i->solver, right_side, 0.0, i->vector) &&
           !CVodeSStolerances(i->solver, relative, absolute) &&
           !CVodeSetLinearSolver(i->solver, i->linear, i->matrix) &&
           !(i->band > 0 && CVodeSetJacFn(i->solver, fill_band)) &&
           !CVodeSetMaxNumSteps(i->solver, NO_LIMIT) && !CVodeSetUserData(i->solver, i);
}

bool integrator_make(sun_integrator *i, int n, int sums, int band, bool is_explicit,
                     double relative, double absolute, integrator_rates *rates, void *context) {
    SUNContext sun = NULL;
    *i = (sun_integrator){.is_explicit = is_explicit,
                          .n = n,
                          .sums = sums,
                          .band = band,
                          .rates = rates,
                          .context = context};
    if (SUNContext_Create(NULL, &sun)) return false;
    i->sun = sun;
    i->vector = N_VNew_Serial(n, sun);
    if (!i->vector) return false;
    N_VConst(0.0, i->vector);
    return is_explicit ? make_explicit(i, relative, absolute)
                       : make_implicit(i, relative, absolute);
}

static int fill_slopes(double t, N_Vector y, N_Vector y_t, SUNMatrix J, void *user, N_Vector a,
                       N_Vector b, N_Vector c) {
    sun_integrator *i = user;
    (void)a, (void)b, (void)c;
    const double *at = N_VGetArrayPointer(y), *rates = N_VGetArrayPointer(y_t);
    return i->slopes(i->context, t, at, rates, SUNDenseMatrix_Data(J)) ? 0 : 1;
}

bool integrator_give_slopes(sun_integrator *i, integrator_slopes *slopes) {
    if (i->is_explicit) return true;
    i->slopes = slopes;
    return !CVodeSetJacFn(i->solver, fill_slopes);
}

void integrator_free(sun_integrator *i) {
    if (i->solver && i->is_explicit) ERKStepFree(&i->solver);
    if (i->solver) CVodeFree(&i->solver);
    if (i->linear) SUNLinSolFree(i->linear);
    if (i->matrix) SUNMatDestroy(i->matrix);
    if (i->vector) N_VDestroy(i->vector);
    SUNContext sun = i->sun;
    if (sun) SUNContext_Free(&sun);
    *i = (sun_integrator){0};
}

double *integrator_vector(const sun_integrator *i) {
    return N_VGetArrayPointer(i->vector);
}

static integrator_report advance_explicit(sun_integrator *i, double dt, double first) {
    long steps = 0;
    integrator_report out = {0};
    out.flag = ERKStepReInit(i->solver, right_side, 0.0, i->vector);
    if (!out.flag) out.flag = ERKStepSetInitStep(i->solver, first);
    if (!out.flag) out.flag = ERKStepSetStopTime(i->solver, dt);
    if (!out.flag) out.flag = ERKStepEvolve(i->solver, dt, i->vector, &out.reached, ARK_NORMAL);
    ERKStepGetCurrentStep(i->solver, &out.last);
    ERKStepGetNumSteps(i->solver, &steps);
    out.steps = (int)steps;
    return out;
}

// A start at order 1 must be shorter than the last step of a higher order: its own choice.
static integrator_report advance_implicit(sun_integrator *i, double dt) {
    long steps = 0;
    integrator_report out = {.flag = CVodeReInit(i->solver, 0.0, i->vector)};
    if (!out.flag) out.flag = CVodeSetStopTime(i->solver, dt);
    if (!out.flag) out.flag = CVode(i->solver, dt, i->vector, &out.reached, CV_NORMAL);
    CVodeGetNumSteps(i->solver, &steps);
    out.steps = (int)steps;
    return out;
}

integrator_report integrator_advance(sun_integrator *i, double dt, double first, interrupt ask) {
    i->work = 0.0;
    i->interrupt = ask;
    i->end = INTEGRATOR_GAVE_UP;
    integrator_report out =
        i->is_explicit ? advance_explicit(i, dt, first) : advance_implicit(i, dt);
    out.end = out.flag >= 0 ? INTEGRATOR_ARRIVED : i->end;
    return out;
}
#endif
