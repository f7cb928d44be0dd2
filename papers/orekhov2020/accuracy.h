// papers/orekhov2020/accuracy.h - the study of Tables III and IV, and its pictures.
#pragma once

#include "cli/paper.h"
#include "study.h"

enum { N_DEGREES = 5 };
#define DEGREE(i) (2 * ((i) + 1))  // n of the paper

typedef struct printed_errors {
    double position[2], rotation[2];  // mean and largest: % of the length, degrees
    double rate;                      // Hz
} printed_errors;

extern const printed_errors printed_order4[N_DEGREES], printed_order6[N_DEGREES];

typedef struct accuracy {
    paper_report *report;
    int n;              // degrees at work
    case_truth *truth;  // (N_CASES)
    study_result order4[N_DEGREES], order6[N_DEGREES], integral[N_DEGREES];
} accuracy;

void accuracy_write(const accuracy *a);
void accuracy_draw(const accuracy *a);
