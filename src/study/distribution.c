// study/distribution.c - see distribution.h.
#include "study/distribution.h"

#include <math.h>

#include "math/normal.h"

// Of a normal variable between the bounds a and b, in deviations from its mean; each half is counted from its own
// end, since 1 - P loses all digits in the tail.
static double truncated(double a, double b, double u) {
    const double below = normal_below(a) + u * (normal_below(b) - normal_below(a));
    const double above = normal_below(-b) + (1.0 - u) * (normal_below(-a) - normal_below(-b));
    const double x = below <= above ? normal_quantile(below) : -normal_quantile(above);
    return fmin(fmax(x, a), b);
}

static int item(const distribution *d, double u) {
    const int i = (int)floor(u * d->n);
    return i < d->n ? i : d->n - 1;
}

double distribution_quantile(const distribution *d, double u) {
    switch (d->kind) {
    case DISTRIBUTION_RANGE: return d->low + u * (d->high - d->low);
    case DISTRIBUTION_LOG_RANGE: return d->low * exp(u * log(d->high / d->low));
    case DISTRIBUTION_NORMAL:
        return d->mean + d->deviation * truncated((d->low - d->mean) / d->deviation,
                                                  (d->high - d->mean) / d->deviation, u);
    case DISTRIBUTION_LOGNORMAL:
        return d->mean *
               exp(d->deviation *
                   truncated(d->low > 0.0 ? log(d->low / d->mean) / d->deviation : -HUGE_VAL,
                             log(d->high / d->mean) / d->deviation, u));
    case DISTRIBUTION_VALUES: return d->values[item(d, u)];
    case DISTRIBUTION_CHOICES: return item(d, u);
    }
    return 0.0;
}

double distribution_grid(const distribution *d, int i, int n) {
    switch (d->kind) {
    case DISTRIBUTION_RANGE:
    case DISTRIBUTION_LOG_RANGE:
        if (n < 2) return distribution_middle(d);
        return i == 0       ? d->low
               : i == n - 1 ? d->high
                            : distribution_quantile(d, (double)i / (n - 1));
    case DISTRIBUTION_VALUES: return d->values[i];
    case DISTRIBUTION_CHOICES: return i;
    case DISTRIBUTION_NORMAL:
    case DISTRIBUTION_LOGNORMAL: break;
    }
    return distribution_quantile(d, (i + 0.5) / n);
}

double distribution_middle(const distribution *d) {
    return distribution_quantile(d, 0.5);
}
