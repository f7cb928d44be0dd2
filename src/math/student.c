// math/student.c - see student.h. P follows from the incomplete beta function, by its continued fraction (Lentz).
#include "math/student.h"

#include <float.h>
#include <math.h>

#include "math/pi.h"

#define MOST_TERMS 1000

static double away_from_zero(double x) {
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

// The continued fraction of I_x(a, b), for x < (a + 1)/(a + b + 2).
static double beta_fraction(double a, double b, double x) {
    double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), f = d;
    for (int k = 1; k < MOST_TERMS; k++) {
        const double even = k * (b - k) * x / ((a + 2 * k - 1.0) * (a + 2 * k));
        const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1.0));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        f *= c * d;
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        f *= c * d;
        if (fabs(c * d - 1.0) < DBL_EPSILON) break;
    }
    return f;
}

// log Gamma(a + 1/2)/Gamma(a); for large a by its series, since both logarithms lose their digits.
static double log_half_step(double a) {
    if (a < 100.0) return lgamma(a + 0.5) - lgamma(a);
    const double b = 1.0 / (8.0 * a);
    return 0.5 * log(a) + log1p(b * (-1.0 + b * (0.5 + b * (2.5 + b * (-2.625 - 49.875 * b)))));
}

// log x, where 1 - x is known better near 1.
static double log_share(double x, double rest) {
    return x > 0.5 ? log1p(-rest) : log(x);
}

// I_x(a, 1/2); 1 - x is given so that none of it is lost near 1.
static double beta_share(double a, double x, double rest) {
    if (x <= 0.0) return 0.0;
    if (rest <= 0.0) return 1.0;
    const double front =
        exp(log_half_step(a) - 0.5 * log(PI) + a * log_share(x, rest) + 0.5 * log_share(rest, x));
    if (x < (a + 1.0) / (a + 2.5)) return front * beta_fraction(a, 0.5, x) / a;
    return 1.0 - front * beta_fraction(0.5, a, rest) / 0.5;
}

// P(T < t) with `freedom` > 0 degrees of freedom.
static double student_below(double t, double freedom) {
    const double sum = freedom + t * t;
    const double tail = 0.5 * beta_share(0.5 * freedom, freedom / sum, t * t / sum);
    return t > 0.0 ? 1.0 - tail : tail;
}

double student_quantile(double p, double freedom) {
    if (p == 0.5) return 0.0;
    if (p < 0.5) return -student_quantile(1.0 - p, freedom);
    double low = 0.0, high = 1.0;
    while (student_below(high, freedom) < p && high < 1e300) high *= 2.0;
    for (int i = 0; i < 200 && high - low > DBL_EPSILON * high; i++) {
        const double middle = 0.5 * (low + high);
        if (student_below(middle, freedom) < p) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}
