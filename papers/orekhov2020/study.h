// papers/orekhov2020/study.h - the 2187 load cases of section VII: all 729 combinations of forces
// of -1, 0 and 1 N and moments of -0.5, 0 and 0.5 N m, each in three steps 0, w/2, w, where every
// solution is the guess for the next.
#pragma once

#include "rod.h"

enum { N_WRENCHES = 729, N_STEPS = 3, N_CASES = N_WRENCHES * N_STEPS };

// Force and moment of wrench i at load step k.
void study_wrench(int i, int k, double wrench[6]);

typedef struct case_truth {
    td_pose tip;
    double u0[3];  // curvature at the base, 1/m
} case_truth;

typedef struct study_result {
    int asked, solved;                // cases; the rest has no solution
    double position[2], rotation[2];  // mean and largest error: % of the length, degrees
    double rate;                      // solutions per second of processor time
    double iterations;                // mean of those under load
    char message[160];                // of the first failure
} study_result;

// All cases (N_CASES) by one method. False: a solve failed, err says which and why.
bool study_truth(case_truth *cases, const method *m, td_error *err);
// A method against the truth; the rate is the best of `repeats` runs. False: it could not be set
// up.
bool study_run(study_result *out, const method *m, const case_truth *truth, int repeats,
               td_error *err);
// The same once, for every stride-th wrench.
bool study_sample(study_result *out, const method *m, const case_truth *truth, int stride,
                  td_error *err);

// How far the tips of another method are from the truth at most, m, for every stride-th wrench.
bool study_distance(double *out, const method *m, const case_truth *truth, int stride,
                    td_error *err);

// What becomes of the full loads when they are applied to the straight rod at once.
typedef struct at_once {
    int direct;         // of 729: found without following the load
    int same;           // of these, where the three load steps end
    double iterations;  // mean of `direct`
    int most_iterations;
} at_once;
bool study_at_once(at_once *out, const method *m, td_error *err);
