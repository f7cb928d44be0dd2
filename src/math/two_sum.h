// math/two_sum.h - a sum in two doubles (Knuth's two-sum), so that k times x is k x.
#pragma once

// *sum + *rest += x; *rest is what *sum rounds away.
static inline void two_sum_add(double *sum, double *rest, double x) {
    const double s = *sum, to = s + x, part = to - s;
    const double lost = (s - (to - part)) + (x - part) + *rest;
    *sum = to + lost;
    *rest = lost - (*sum - to);
}
