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
    // One of n_knots parameters that follow one another: the value of the input at times[knot], straight from knot to
    // knot, and from `from` at time 0 (NAN: none). n_knots 0: the input is constant.
    int knot, n_knots;
    const double *times;
    double from;
    distribution d;
    int count;     // of values in a grid
    double start;  // of a search
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

enum { MOST_BOUNDS = 64 };

typedef enum study_relation { AT_MOST, AT_LEAST, EQUAL } study_relation;

typedef struct study_bound {
    const char *text;
    const expression *left, *right;  // of parameters and results
    study_relation relation;
} study_bound;

typedef enum aim_method {
    AIM_AUTO,  // slsqp
    AIM_SLSQP,
    AIM_MMA,
    AIM_COBYLA,
    AIM_BOBYQA,
    AIM_SUBPLEX,
    AIM_DIRECT,
    AIM_ISRES
} aim_method;

typedef struct study_aim {  // of a search
    bool given, maximise;
    const char *text;
    const expression *value;  // of parameters and results
    study_bound bounds[MOST_BOUNDS];
    int n_bounds;
    aim_method method;
    double tolerance;  // of the search, a share of ranges and of what is minimised
    int most;          // steps
} study_aim;

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
    study_aim aim;
    double tightest;  // solver.tolerance is at most this; 0: as the robot's file says
    unsigned long long fingerprint;
};

extern const choice action_choices[], method_choices[];

// ---------------------------------------------------------------- the file (study_file.c)
// An expression of the study's names: parameters, results so far, quantities, which are added as they are named. NULL: the
// reader's error is filled, at n.
const expression *study_expression(reader *r, td_study *s, const node *n);
// The same of another text than that of n.
const expression *study_expression_of(reader *r, td_study *s, const node *n, const char *text);
td_status study_read_aim(reader *r, td_study *s, node *n);  // study_aim.c; n NULL: there is none

// ---------------------------------------------------------------- cases (case.c)
// The robot with these parameters in its file. NULL: err is filled.
td_robot *study_robot(const td_study *s, const double *parameters, td_error *err);
// Inputs as these parameters and the study's time say, and the equilibrium.
td_status study_rest(const td_study *s, const double *parameters, const td_system *system,
                     td_state *state);
