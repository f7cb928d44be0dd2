// math/normal.h - the normal distribution.
#pragma once

double normal_below(double x);     // P(X < x), mean 0, deviation 1
double normal_quantile(double p);  // the x with P(X < x) = p, 0 < p < 1, to rounding
