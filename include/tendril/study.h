// tendril/study.h - many cases of one robot: which numbers of it vary and how, what is computed of each case, and which
// results are wanted. Read from a study file: docs/studies.md.
//
// A case is found by its number alone, and its results depend on nothing but its numbers: any thread, process or machine may
// compute any case, in any order, and finds the same to the bit.
#pragma once

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_study td_study;                // immutable, shared by any number of threads
typedef struct td_study_worker td_study_worker;  // one thread's memory

// `sets` override values of the robot that the study names, as those of td_robot_load. Text that does not come from a
// file has no name (NULL) and finds its robot relative to where the program runs. NULL on failure.
TD_API td_study *td_study_load(const char *path, const char *const *sets, int n_sets,
                               td_error *err);
TD_API td_study *td_study_parse(const char *text, size_t length, const char *name,
                                const char *const *sets, int n_sets, td_error *err);
TD_API void td_study_destroy(td_study *study);  // NULL is fine

TD_API const char *td_study_name(const td_study *study);       // "" when there is none
TD_API const char *td_study_source(const td_study *study);     // the text of the study
TD_API const td_robot *td_study_robot(const td_study *study);  // with the overrides; NULL: none
TD_API const char *td_study_action(const td_study *study);     // "statics"
TD_API const char *td_study_method(const td_study *study);     // "sobol"
// Of study, robot and version of the library: results of another fingerprint are of something else.
TD_API unsigned long long td_study_fingerprint(const td_study *study);

typedef struct td_study_column {
    const char *name;
    const char *unit;  // SI; "": a plain number, or not known
    const char *text;  // of a parameter its path or input, of a result its expression
    // Of a parameter, else 0 and NULL: words that its values 0 .. n_choices - 1 stand for, and how many values it has in a grid.
    const char *const *choices;
    int n_choices, n_grid;
} td_study_column;
TD_API int td_study_n_parameters(const td_study *study);
TD_API td_study_column td_study_parameter(const td_study *study, int parameter);
TD_API int td_study_n_results(const td_study *study);
TD_API td_study_column td_study_result(const td_study *study, int result);

TD_API long long td_study_n_cases(const td_study *study);
// The parameters of a case (n_parameters).
TD_API void td_study_get_case(const td_study *study, long long index, double *values);
// How many points the blocks of a study of sensitivity have: cases are n_base rows of A, of B, then for each parameter of A
// with its column from B. 0: it is none.
TD_API long long td_study_n_base(const td_study *study);

// NULL: out of memory.
TD_API td_study_worker *td_study_worker_create(const td_study *study);
TD_API void td_study_worker_destroy(td_study_worker *worker);  // NULL is fine
// As td_set_stop: a case that is asked to end gives TD_ERR_STOPPED.
TD_API void td_study_set_stop(td_study_worker *worker, bool (*asked)(void *context), void *context);
// The results (n_results) of these parameters (n_parameters). Negative: the case has none, `results` is untouched, and
// td_study_message says why. Positive: results, of an equilibrium or step that is worth a word.
TD_API td_status td_study_compute(td_study_worker *worker, const double *parameters,
                                  double *results);
TD_API const char *td_study_message(const td_study_worker *worker);  // "" if fine

// ---------------------------------------------------------------- sensitivity
// How much of the variance of a result comes from a parameter: `first` from it alone, `total` with all that it does together
// with others; intervals of 95 % by resampling rows (bootstrap). Saltelli et al. 2010 (b), and Jansen 1999.
typedef struct td_sensitivity {
    double first, first_low, first_high;
    double total, total_low, total_high;
} td_sensitivity;
// Of one result of all cases (n_cases) of a study of sensitivity, NaN where a case failed, whose row of the blocks is then left
// out: out (n_parameters), and how many rows were used. TD_ERR_VALUE: fewer than two rows, or a result that does not vary.
TD_API td_status td_study_get_sensitivity(const td_study *study, const double *results,
                                          td_sensitivity *out, long long *used, td_error *err);

#ifdef __cplusplus
}
#endif
