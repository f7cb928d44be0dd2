// study/experiment.h - what recordings would show if the robot had certain numbers.
#pragma once

#include "tendril/fit.h"

// Of a number: the error of a central difference with such steps, about the square of this, and that of computations
// converged to 1e-12, over it, are both below 1e-8.
#define DIFFERENCE_SHARE 1e-4

typedef enum number_kind {
    NUMBER_OF_FILE,
    DATA_GAIN,
    DATA_BIAS,
    DATA_MARKER,
    DATA_DELAY
} number_kind;

typedef struct experiment_number {
    const char *path;
    number_kind kind;
    const char *name;  // of the input, of the output; of a marker "NAME.x"; of the others ""
} experiment_number;

typedef struct experiment_output {
    td_named_output of;           // one number; of a marker the pose that it is fixed to
    const td_fit_marker *marker;  // NULL: none
    int axis;                     // of a marker
    const char *unit;
} experiment_output;

typedef struct experiment {
    const char *text;  // of the robot
    const char *file;  // that it comes from
    char *written;     // the same where it was built in code
    td_options options;
    double step;  // s
    const td_fit_options *fit;
    experiment_number *numbers;  // (n_parameters)
    size_t *first;               // (n_recordings + 1) where those of a recording begin among all
} experiment;

// False: err is filled. experiment_end may follow either way.
bool experiment_begin(experiment *e, const td_robot *robot, const td_options *options,
                      const td_fit_options *fit, td_error *err);
void experiment_end(experiment *e);
// TD_ERR_ARGUMENT: there is no such output, or it is more than one number.
td_status experiment_find_output(const td_fit_options *fit, const td_system *system,
                                 const char *name, experiment_output *found, td_error *err);
// Which component of which marker "m1.x" is; NULL: none.
const td_fit_marker *experiment_marker(const td_fit_options *fit, const char *name, int *axis);
// What is computed of all recordings, (n_rows x n_outputs) of each, with these numbers x (n_parameters). May be called by several
// threads at once.
td_status experiment_compute(const experiment *e, const double *x, double *y, td_error *err);
// J (all of those x n_parameters) at x, where all recordings are of poses at rest: exactly, but for differences of
// forces in shapes that stay, by steps (n_parameters) of numbers of the file. TD_ERR_UNSUPPORTED: there are none.
td_status experiment_slopes(const experiment *e, const double *x, const double *steps, double *J,
                            td_error *err);
// The robot with these numbers; NULL on failure.
td_robot *experiment_robot(const experiment *e, const double *x, td_error *err);
