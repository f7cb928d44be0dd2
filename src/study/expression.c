// study/expression.c - see expression.h: formulas of functions over time, and what these keep.
#include "study/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOTALS_EACH 3  // numbers that one function over time keeps
enum { MOST_OVER_TIME = 8 };

typedef struct over_time {
    formula_over over;
    formula argument;
} over_time;

struct expression {
    formula whole;
    const char *unit;
    const over_time *timed[MOST_OVER_TIME];
    int n_timed;
};

// ---------------------------------------------------------------- from text
typedef struct maker {
    tree *t;
    expression *e;
} maker;

static int keep_over_time(void *context, formula_over over, const formula *argument, char *why) {
    maker *m = context;
    if (m->e->n_timed == MOST_OVER_TIME)
        return snprintf(why, FORMULA_WHY, "more than %d functions over time", MOST_OVER_TIME), -1;
    over_time *kept = tree_take(m->t, sizeof *kept);
    if (!kept) return snprintf(why, FORMULA_WHY, "out of memory"), -1;
    kept->over = over, kept->argument = *argument;
    m->e->timed[m->e->n_timed] = kept;
    return m->e->n_timed++;
}

expression *expression_parse(tree *t, const char *text, const formula_names *names,
                             formula_error *err) {
    char unit[UNITS_TEXT];
    maker m = {t, tree_take(t, sizeof *m.e)};
    formula_names known = *names;
    known.time = -1, known.mixed = true;
    known.over = keep_over_time, known.over_context = &m;
    *err = (formula_error){.why = "out of memory"};
    if (!m.e || !formula_parse_unit(text, &known, &m.e->whole, unit, err)) return NULL;
    m.e->unit = tree_text(t, unit, strlen(unit));
    return m.e->unit ? m.e : NULL;
}

const char *expression_unit(const expression *e) {
    return e->unit;
}

// ---------------------------------------------------------------- values
// What a function over time keeps: extreme, integral or last value; the value and the time of the instant before.
static double total_value(const over_time *n, const double *total) {
    const double span = total[2];
    switch (n->over) {
    case OVER_MEAN: return span > 0.0 ? total[0] / span : total[1];
    case OVER_RMS: return span > 0.0 ? sqrt(total[0] / span) : fabs(total[1]);
    default: return total[0];
    }
}

static jet value_along(const expression *e, const double *variables, const double *totals,
                       int variable) {
    double over[MOST_OVER_TIME];
    for (int i = 0; i < e->n_timed; i++)
        over[i] = total_value(e->timed[i], totals + TOTALS_EACH * i);
    return formula_of_run(&e->whole, variables, over, variable);
}

double expression_value(const expression *e, const double *variables, const double *totals) {
    return value_along(e, variables, totals, FORMULA_NONE).v;
}

int expression_n_totals(const expression *e) {
    return TOTALS_EACH * e->n_timed;
}

// Integrals by the trapezoidal rule; squares are those of the line between two instants, whose mean is
// (a^2 + a b + b^2)/3.
static void gather(const over_time *n, double x, double t, bool first, double *total) {
    const double before = total[1];
    total[2] = first ? 0.0 : total[2] + t;
    total[1] = x;
    switch (n->over) {
    case OVER_NONE: break;
    case OVER_MAX: total[0] = first || x > total[0] ? x : total[0]; break;
    case OVER_MIN: total[0] = first || x < total[0] ? x : total[0]; break;
    case OVER_LAST: total[0] = x; break;
    case OVER_MEAN:
    case OVER_INTEGRAL: total[0] = first ? 0.0 : total[0] + 0.5 * t * (before + x); break;
    case OVER_RMS:
        total[0] = first ? 0.0 : total[0] + t * (before * before + before * x + x * x) / 3.0;
        break;
    }
}

void expression_gather(const expression *e, const double *variables, double t, bool first,
                       double *totals) {
    for (int i = 0; i < e->n_timed; i++)
        gather(e->timed[i], formula_value(&e->timed[i]->argument, variables), t, first,
               totals + TOTALS_EACH * i);
}

// ---------------------------------------------------------------- slopes
double expression_slope(const expression *e, const double *variables, const double *totals,
                        int variable) {
    return value_along(e, variables, totals, variable).d;
}

// Of the value of a function over time by its argument x at instant j; a, b: the argument before and after.
static double weight_at(const over_time *n, const double *total, double x, double a, double before,
                        double b, double after, bool last) {
    const double span = total[2], trapezoid = 0.5 * (before + after);
    switch (n->over) {
    case OVER_MAX:
    case OVER_MIN: return x == total[0];
    case OVER_LAST: return last;
    case OVER_INTEGRAL: return trapezoid;
    case OVER_MEAN: return span > 0.0 ? trapezoid / span : last;
    case OVER_RMS:
    case OVER_NONE: break;
    }
    const double square = (before * (a + 2.0 * x) + after * (2.0 * x + b)) / 3.0;
    const double rms = total_value(n, total);
    return span > 0.0 && rms > 0.0 ? square / (2.0 * span * rms) : 0.0;
}

static void add_over_time(const expression *e, int k, const expression_history *h, double by,
                          int variable, double *slopes) {
    const over_time *n = e->timed[k];
    const double *total = h->totals + TOTALS_EACH * k;
    const bool extreme = n->over == OVER_MAX || n->over == OVER_MIN;
    double a = 0.0, x = formula_value(&n->argument, h->variables);
    bool found = false;
    for (int j = 0; j < h->n; j++) {
        const double *v = h->variables + (size_t)j * (size_t)h->stride;
        const bool last = j + 1 == h->n;
        const double b = last ? 0.0 : formula_value(&n->argument, v + h->stride);
        const double weight =
            weight_at(n, total, x, a, j ? h->times[j] : 0.0, b, last ? 0.0 : h->times[j + 1], last);
        if (weight != 0.0 && !(extreme && found))  // the first of several extremes
            slopes[j] += by * weight * formula_along(&n->argument, v, variable, TD_AFTER).d;
        found = found || weight != 0.0;
        a = x, x = b;
    }
}

void expression_slopes(const expression *e, const expression_history *h, int variable,
                       double *slopes) {
    const double *end = h->variables + (size_t)(h->n - 1) * (size_t)h->stride;
    memset(slopes, 0, sizeof *slopes * (size_t)h->n);
    slopes[h->n - 1] = expression_slope(e, end, h->totals, variable);
    for (int i = 0; i < e->n_timed; i++) {
        const double by = expression_slope(e, end, h->totals, -1 - i);
        if (by != 0.0) add_over_time(e, i, h, by, variable, slopes);
    }
}

bool expression_uses(const expression *e, int variable) {
    for (int i = 0; i < e->n_timed; i++)
        if (formula_uses(&e->timed[i]->argument, variable)) return true;
    return formula_uses(&e->whole, variable);
}
