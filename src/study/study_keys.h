// study/study_keys.h - what the tables of keys fill: see study_keys.c.
#pragma once

#include "study/study.h"

typedef struct normal_draft {
    node *mean, *deviation, *low, *high;
} normal_draft;

typedef struct parameter_draft {
    node *path, *range, *normal, *lognormal, *tolerance, *values, *choices, *knots, *from, *start;
    const char *input;
    bool log;
    int count;
} parameter_draft;

typedef struct samples_draft {
    sample_method method;
    int count, seed;
} samples_draft;

typedef struct reach_draft {
    const char *body, *point;
    node *position, *rotation, *inputs;
} reach_draft;

typedef struct result_draft {
    const char *value, *unit;
} result_draft;

typedef struct aim_draft {
    const char *minimise, *maximise;
    node *subject_to;
    aim_method method;
    double tolerance;
    int most;
} aim_draft;

typedef struct study_draft {
    int version;
    const char *name, *description, *robot;
    node *set, *parameters, *reach, *results, *optimise;
    samples_draft samples;
    study_action action;
    double time;
} study_draft;

extern const mapping study_mapping, parameter_mapping, normal_mapping, lognormal_mapping,
    samples_mapping, reach_mapping, result_mapping, aim_mapping;
