// study/experiment.h - what recordings would show if the robot had certain numbers.
#pragma once

#include "tendril/fit.h"

typedef enum number_kind { NUMBER_OF_FILE, DATA_GAIN, DATA_BIAS, DATA_DELAY } number_kind;

typedef struct experiment_number {
    const char *path;
    number_kind kind;
    const char *name;  // of the input, of the output; of the others ""
} experiment_number;

typedef struct experiment {
    const char *text;  // of the robot
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
// What is computed of all recordings, (n_rows x n_outputs) of each, with these numbers x (n_parameters). May be called by several
// threads at once.
td_status experiment_compute(const experiment *e, const double *x, double *y, td_error *err);
// The robot with these numbers; NULL on failure.
td_robot *experiment_robot(const experiment *e, const double *x, td_error *err);
