// tendril/optimise.h - the design, or the inputs, that do best: a search over the parameters of a study.
//
//     minimise  f(parameters, results)     where     what the study's key `optimise` demands holds
//
// by NLopt. Parameters with a range are numbers between its ends; those with values or choices are tried in all
// combinations. Slopes are exact at rest, where results are of poses, inputs and the mass, and in motion, where parameters are knots of
// inputs of a run whose steps have derivatives (tendril/gradient.h); otherwise central differences of cases, on as
// many threads as are given. Only in builds with NLopt and the file reader.
#pragma once

#include "tendril/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_optimise_options {  // start from td_default_optimise_options()
    int threads;                      // that compute at once; the result is the same to the bit
    bool differences;                 // slopes by differences even where there are exact ones
    bool (*asked)(void *context);     // true ends it with what there is; NULL: nobody is asked
    // Told after each step: cases so far, the best that meets all bounds (HUGE_VAL: none yet). NULL: nobody.
    void (*tell)(void *context, int cases, double best);
    void *context;
} td_optimise_options;
TD_API td_optimise_options td_default_optimise_options(void);

typedef struct td_optimum td_optimum;

// The study must outlive it. NULL: the study has no aim, a first case that fails, or no NLopt in this build.
TD_API td_optimum *td_optimise(const td_study *study, const td_optimise_options *options,
                               td_error *err);
TD_API void td_optimum_destroy(td_optimum *optimum);  // NULL is fine

// TD_OK; TD_LOOSE: it ended early, and td_optimum_message says why; TD_ERR_NOT_CONVERGED: nothing that meets all bounds was
// found; TD_ERR_STOPPED: it was asked to end. Whatever the status, the rest tells of the best point that was found.
TD_API td_status td_optimum_status(const td_optimum *optimum);
TD_API const char *td_optimum_message(const td_optimum *optimum);
TD_API int td_optimum_cases(const td_optimum *optimum);  // that were computed
TD_API int td_optimum_steps(const td_optimum *optimum);  // of the search
TD_API const char *
td_optimum_slopes(const td_optimum *optimum);  // "exact", "central differences", "none"
TD_API const char *td_optimum_aim(const td_optimum *optimum);  // the text of it
TD_API bool td_optimum_maximises(const td_optimum *optimum);
TD_API double td_optimum_value(const td_optimum *optimum);  // what was minimised, or maximised
TD_API double td_optimum_first_value(const td_optimum *optimum);  // the same where it began
// The slope of what is minimised that bounds which hold do not balance, in ranges of the parameters, over the largest at the
// start: 0 at an optimum. NAN: the search made no slopes.
TD_API double td_optimum_slope(const td_optimum *optimum);

typedef struct td_optimum_parameter {
    double start, value;
    double low, high;  // its range
    bool at_bound;     // at an end of it, and beyond what is minimised would be lower
    // Of one of n_knots parameters that follow one another: the input, its number among them, the times of all, and what the input
    // is at time 0 (NAN: what it is at the first). NULL, 0: it is none.
    const char *input;
    int knot, n_knots;
    const double *times;
    double from;
} td_optimum_parameter;
TD_API td_optimum_parameter td_optimum_get_parameter(const td_optimum *optimum, int parameter);
TD_API double td_optimum_get_result(const td_optimum *optimum, int result);

typedef struct td_optimum_bound {
    const char *text;    // "give <= 2 mm/N"
    double left, right;  // of the comparison
    bool met, active;    // it holds; it is just met
    double
        price;  // by how much the value would change for each unit by which the right side grows; 0: not active
} td_optimum_bound;
TD_API int td_optimum_n_bounds(const td_optimum *optimum);
TD_API td_optimum_bound td_optimum_get_bound(const td_optimum *optimum, int bound);

// Combinations of values and choices, each with its own search; 1 where there are none.
typedef struct td_optimum_combination {
    double value;  // of its best point; NAN: it has none
    bool met;      // all bounds
    const char *message;
} td_optimum_combination;
TD_API int td_optimum_n_combinations(const td_optimum *optimum);
// values (n_parameters) may be NULL: those of its best point.
TD_API td_optimum_combination td_optimum_get_combination(const td_optimum *optimum, int combination,
                                                         double *values);

// All points that the search asked for, in their order: what is minimised there, and by how much bounds are missed, as
// shares of their size.
TD_API int td_optimum_n_points(const td_optimum *optimum);
TD_API void td_optimum_get_point(const td_optimum *optimum, int point, double *value,
                                 double *missed);

// The robot as it is best, or where the search began; NULL on failure. And a state of it brought to where results were taken:
// at rest, or where a run begins.
TD_API td_robot *td_optimum_robot(const td_optimum *optimum, bool start, td_error *err);
TD_API td_status td_optimum_begin(const td_optimum *optimum, bool start, const td_system *system,
                                  td_state *state);
// The robot as it is best, as the text of a file. td_free_text frees it. NULL on failure.
TD_API char *td_optimum_write(const td_optimum *optimum, td_error *err);

#ifdef __cplusplus
}
#endif
