// study/least_squares.h - least squares with bounds, and what the data then say of each number.
//
//     minimise  sum_i c^2 rho((r_i(x)/c)^2)    where    low <= x <= high
//
// with rho(z) = z (plain), or one that counts large residuals less (robust). Nothing here knows a robot.
#pragma once

#include <stdbool.h>

typedef enum ls_loss {
    LS_SQUARES,  // rho = z
    LS_HUBER,    // z up to 1, then 2 sqrt(z) - 1
    LS_SOFT_L1   // 2 (sqrt(1 + z) - 1)
} ls_loss;

typedef struct ls_problem {
    int n, m;                  // numbers that are sought, residuals
    const double *low, *high;  // (n) may be infinite
    // r (m) at x. False: there is none here; a shorter step is then tried.
    bool (*residuals)(void *context, const double *x, double *r);
    // The same at `count` points x (count x n), r (count x m), perhaps at once. NULL: one after the other.
    bool (*many)(void *context, int count, const double *x, double *r);
    // J (m x n) at x, whose residuals are r. NULL: differences.
    bool (*slopes)(void *context, const double *x, const double *r, double *J);
    void *context;
    // Differences are of second order with steps of `share` of these sizes (n) of the numbers: central, or to one side
    // where a bound is near. NULL: 1e-5 of what the numbers are.
    const double *sizes;
    double share;
    ls_loss loss;
    double scale;        // c: from here on residuals count less
    int max_iterations;  // 0: 200
} ls_problem;

typedef enum ls_status {
    LS_CONVERGED,
    LS_LIMIT,     // of iterations
    LS_STALLED,   // no step lowers the sum, and yet the slopes say one should
    LS_NO_START,  // no residuals, or no slopes, where it began
    LS_NO_MEMORY
} ls_status;

typedef struct ls_solution {
    ls_status status;
    int iterations, evaluations;  // of residuals; those of slopes apart
    double first_sum, sum;        // what is minimised, where it began and where it ended
    double *x;                    // (n)
    double *r;                    // (m) at x
    double *J;                    // (m x n)
    double *weights;              // (m) rho': 1 without a robust loss
    bool *held;                   // (n) at a bound, and beyond it the sum would be lower
    void *memory;
} ls_solution;

// From x (n), which is put within the bounds. ls_free follows whatever the status.
ls_solution ls_solve(const ls_problem *p, const double *x);
void ls_free(ls_solution *s);

// J (m x n) at x, whose residuals are r. False: no residuals at one of the points, or no memory.
bool ls_differences(const ls_problem *p, const double *x, const double *r, double *J);

// ---------------------------------------------------------------- what is known
// A change of the numbers, in their sizes, of which the data say nothing: largest part 1.
typedef struct ls_knowledge {
    int n, n_unknown;
    double deviation;      // of one residual with weight 1: s^2 = sum w r^2/(m - n free)
    double freedom;        // m - n free
    double quantile;       // of Student's distribution: intervals of 95 % are x -+ quantile error
    double *errors;        // (n) standard errors; HUGE_VAL: not known; 0: held at a bound
    double *correlations;  // (n x n) 0 where a number is not known, or held
    double *singular;      // (n) of J with columns in sizes, largest first; those held have none, 0
    double *unknown;       // (n_unknown x n) changes that leave no trace: below 1e-6 of the largest
                           // singular value, or below the noise
    void *memory;
} ls_knowledge;

// sizes (n), positive: what counts as a change of order one of each number. False: out of memory.
bool ls_know(const ls_problem *p, const ls_solution *s, const double *sizes, ls_knowledge *k);
void ls_forget(ls_knowledge *k);
