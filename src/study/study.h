// study/study.h - what a study file says, read and checked, and how its cases are computed.
//
// td_study_parse (study_file.c) reads the file by the tables in study_keys.c: parameters, each with a distribution
// (distribution.h), results, which are expressions (expression.h) of parameters, of earlier results and of quantities of the
// robot, found by name (quantity.h). case.c computes a case: the robot with the parameters in its file, the action (statics,
// run, modes, reach), and the results. A verb that needs keys of its own adds them to study_keys.c and reads them from the
// draft in study_file.c.
//
// All that belongs to a study lies in the memory of its tree, and is freed with it.
#pragma once

#include "robot/file_read.h"
#include "study/distribution.h"
#include "study/expression.h"
#include "study/quantity.h"
#include "study/samples.h"
#include "tendril/study.h"

enum { MOST_PARAMETERS = 64, MOST_SETTINGS = 256, MOST_RESULTS = 256 };

// Variables of expressions: one array for all of them.
enum {
    FIRST_QUANTITY = MOST_PARAMETERS,
    FIRST_RESULT = FIRST_QUANTITY + MOST_QUANTITIES,
    N_VARIABLES = FIRST_RESULT + MOST_RESULTS
};

typedef struct study_parameter {
    const char *name, *unit;
    const char *const *paths;  // in the robot's file
    int n_paths;
    const char *input;  // or an input; neither: it counts in expressions only
    distribution d;
    int count;  // of values in a grid
} study_parameter;

typedef struct study_setting {  // a number of the robot's file that follows from parameters
    const char *path;
    const expression *value;
} study_setting;

typedef struct study_result {
    const char *name, *unit, *text;
    const expression *value;
    int first_total;  // of what it gathers over time
} study_result;

typedef enum study_action {
    ACTION_NONE,  // expressions of parameters alone
    ACTION_STATICS,
    ACTION_RUN,
    ACTION_MODES,
    ACTION_REACH
} study_action;

typedef struct study_reach {
    td_target target;
    const expression *position[3], *rotation[3];  // rotation NULL: position only
    int *inputs;                                  // indices
    int n_inputs;
} study_reach;

struct td_study {
    tree t;
    const char *name, *text;
    td_robot *robot;  // as its file says, with overrides; NULL: none
    const char *robot_text, *robot_file;
    td_system *system;
    td_options options;
    study_parameter parameters[MOST_PARAMETERS];
    int n_parameters;
    study_setting settings[MOST_SETTINGS];
    int n_settings;
    study_quantity quantities[MOST_QUANTITIES];
    int n_quantities;
    study_result results[MOST_RESULTS];
    int n_results, n_totals;
    study_action action;
    double time;  // s, at which inputs are taken
    bool has_time;
    study_reach reach;
    sample_method method;
    long long count;  // of samples; of a study of sensitivity in each block
    int seed;
    long long n_cases;
    unsigned long long fingerprint;
};

extern const choice action_choices[], method_choices[];

// ---------------------------------------------------------------- the file (study_file.c)
// An expression of the study's names: parameters, results so far, quantities, which are added as they are named. NULL: the
// reader's error is filled, at n.
const expression *study_expression(reader *r, td_study *s, const node *n);

// ---------------------------------------------------------------- cases (case.c)
// The robot with these parameters in its file. NULL: err is filled.
td_robot *study_robot(const td_study *s, const double *parameters, td_error *err);
