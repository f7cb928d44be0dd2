// study/optimise.h - a search over the free parameters of a study, with the others as they are: shared by optimise.c and
// optimise_search.c.
#pragma once

#include "base/pool.h"
#include "study/study.h"
#include "tendril/optimise.h"

typedef struct outcome {  // of one point
    bool known;           // false: the case failed
    double f;             // what is minimised
    double
        c[MOST_BOUNDS];  // at most 0 where a bound is met, in shares of its size; of an equation 0
    double left[MOST_BOUNDS], right[MOST_BOUNDS];
    double missed;  // the largest of those that are not met
    double x[MOST_PARAMETERS], results[MOST_RESULTS];
} outcome;

typedef struct point {
    double f, missed;
} point;

typedef struct search {
    const td_study *s;
    const td_optimise_options *o;
    pool *pool;
    td_study_worker **workers;  // (n_workers) one for each case at once
    int n_workers;
    bool free[MOST_PARAMETERS];
    int index[MOST_PARAMETERS], n_free;  // of those that are free
    double x[MOST_PARAMETERS];  // all parameters; those that are free as the last case had them
    double f_size, c_size[MOST_BOUNDS];  // what counts as a change of order one
    bool sized;
    bool exact, at_rest;  // slopes are; they are of equilibria
    outcome here, best;
    bool has_best;
    double z[MOST_PARAMETERS];  // of `here`, in shares of the ranges
    bool slopes_known;
    double *g, *A;       // (n_free), (n_bounds x n_free) slopes of f and c by z, in their sizes
    double *J;           // (n_results x n_parameters)
    outcome *around;     // (2 n_free)
    double first_slope;  // the largest of g at the start
    double slope;        // see td_optimum_slope
    double prices[MOST_BOUNDS];
    bool at_bound[MOST_PARAMETERS];
    point *points;
    int n_points, room_for_points;
    int cases, steps;
    bool stopped, slopes_made;
    td_error failure;  // of the last case that failed
} search;

bool search_begin(search *q, const td_study *s, const td_optimise_options *o, td_error *err);
void search_end(search *q);
// From x (n_parameters), of which those that are free may change: the best is in q->best. Negative: the first case failed, or there is no
// memory; positive: it ended early, message (512) says why.
td_status search_run(search *q, const double *x, char *message);
