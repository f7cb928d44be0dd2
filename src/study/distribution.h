// study/distribution.h - how a parameter of a study varies: a range, what manufacture makes of it, a list.
//
// Every kind is given by its quantiles, x(u) with P(X <= x(u)) = u, so that any way of placing points in the unit
// cube samples any of them.
#pragma once

#include <stdbool.h>

typedef enum distribution_kind {
    DISTRIBUTION_RANGE,      // even from low to high
    DISTRIBUTION_LOG_RANGE,  // its logarithm is
    DISTRIBUTION_NORMAL,     // cut off at low and high
    DISTRIBUTION_LOGNORMAL,  // its logarithm is normal, cut off the same way
    DISTRIBUTION_VALUES,     // each of a list as likely as any other
    DISTRIBUTION_CHOICES     // the same of words: the number is an index
} distribution_kind;

typedef struct distribution {
    distribution_kind kind;
    double low, high;        // -HUGE_VAL, HUGE_VAL: not cut off
    double mean, deviation;  // lognormal: the median, and the deviation of the logarithm
    const double *values;
    const char *const *choices;
    int n;  // of values or choices
} distribution;

double distribution_quantile(const distribution *d, double u);  // 0 < u < 1
// Number i of n points of a grid: ends and equal steps of a range, the middles of n equally likely parts of what is
// normal, the list itself.
double distribution_grid(const distribution *d, int i, int n);
// The middle: where a search begins, and what stands in the robot while a study is checked.
double distribution_middle(const distribution *d);
