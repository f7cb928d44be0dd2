// study/sensitivity.c - Sobol's indices from the blocks A, B and A with one column of B: see tendril/study.h.
//
//     V_i  = mean f_B (f_ABi - f_A)          A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, table 2 (b)
//     V_Ti = mean (f_A - f_ABi)^2/2          M. J. W. Jansen, Comput. Phys. Commun. 117 (1999) 35-43
//
// with f less its mean, which leaves V_i as it is on average and makes it scatter less.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "study/samples.h"
#include "study/study.h"

#define RESAMPLES 400
#define TAIL 0.025  // on each side of an interval of 95 %

typedef struct blocks {
    const double *f;  // (n_cases)
    long long n;      // rows of each block
    int d;
    long long *rows;  // (n_rows) those without failures
    long long n_rows;
    double mean;
} blocks;

static double at(const blocks *b, int block, long long row) {
    return b->f[(long long)block * b->n + row] - b->mean;
}

static bool is_whole(const blocks *b, long long row) {
    for (int k = 0; k < b->d + 2; k++)
        if (!isfinite(b->f[(long long)k * b->n + row])) return false;
    return true;
}

typedef struct sums {
    double one, square, first[MOST_PARAMETERS], total[MOST_PARAMETERS];
} sums;

static void add_row(const blocks *b, long long row, sums *s) {
    const double fa = at(b, 0, row), fb = at(b, 1, row);
    s->one += fa + fb;
    s->square += fa * fa + fb * fb;
    for (int i = 0; i < b->d; i++) {
        const double fi = at(b, 2 + i, row);
        s->first[i] += fb * (fi - fa);
        s->total[i] += 0.5 * (fa - fi) * (fa - fi);
    }
}

static void indices(const sums *s, long long n, int d, double *first, double *total) {
    const double mean = s->one / (2.0 * (double)n);
    const double variance = s->square / (2.0 * (double)n) - mean * mean;
    for (int i = 0; i < d; i++) {
        first[i] = variance > 0.0 ? s->first[i] / (double)n / variance : 0.0;
        total[i] = variance > 0.0 ? s->total[i] / (double)n / variance : 0.0;
    }
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void interval(double *values, double *low, double *high) {
    qsort(values, RESAMPLES, sizeof *values, by_size);
    *low = values[(int)floor(TAIL * RESAMPLES)];
    *high = values[(int)ceil((1.0 - TAIL) * RESAMPLES) - 1];
}

// Rows drawn again and again, with repetition; the seed is fixed: the same data, the same interval.
static void resample(const blocks *b, double *work, td_sensitivity *out) {
    double first[MOST_PARAMETERS], total[MOST_PARAMETERS];
    for (int k = 0; k < RESAMPLES; k++) {
        sums s = {0};
        for (long long i = 0; i < b->n_rows; i++) {
            const double u = unit_random(1, (uint64_t)i, (uint64_t)k);
            add_row(b, b->rows[(long long)(u * (double)b->n_rows)], &s);
        }
        indices(&s, b->n_rows, b->d, first, total);
        for (int i = 0; i < b->d; i++) {
            work[(2 * i) * RESAMPLES + k] = first[i];
            work[(2 * i + 1) * RESAMPLES + k] = total[i];
        }
    }
    for (int i = 0; i < b->d; i++) {
        interval(work + (2 * i) * RESAMPLES, &out[i].first_low, &out[i].first_high);
        interval(work + (2 * i + 1) * RESAMPLES, &out[i].total_low, &out[i].total_high);
    }
}

static td_status find_rows(blocks *b, td_error *err) {
    double sum = 0.0, low = HUGE_VAL, high = -HUGE_VAL;
    for (long long i = 0; i < b->n; i++)
        if (is_whole(b, i)) b->rows[b->n_rows++] = i;
    for (long long i = 0; i < b->n_rows; i++)
        for (int k = 0; k < 2; k++) {
            const double f = b->f[(long long)k * b->n + b->rows[i]];
            sum += f, low = fmin(low, f), high = fmax(high, f);
        }
    if (b->n_rows < 2)
        return error_set(err, TD_ERR_VALUE, NULL, "only %lld rows of the blocks have no failures",
                         b->n_rows);
    if (!(high > low)) return error_set(err, TD_ERR_VALUE, NULL, "the result does not vary");
    b->mean = sum / (2.0 * (double)b->n_rows);
    return TD_OK;
}

static td_status estimate(blocks *b, double *work, td_sensitivity *out, td_error *err) {
    double first[MOST_PARAMETERS], total[MOST_PARAMETERS];
    sums s = {0};
    const td_status status = find_rows(b, err);
    if (status < 0) return status;
    for (long long i = 0; i < b->n_rows; i++) add_row(b, b->rows[i], &s);
    indices(&s, b->n_rows, b->d, first, total);
    for (int i = 0; i < b->d; i++) out[i] = (td_sensitivity){.first = first[i], .total = total[i]};
    resample(b, work, out);
    return TD_OK;
}

td_status td_study_get_sensitivity(const td_study *s, const double *results, td_sensitivity *out,
                                   long long *used, td_error *err) {
    if (s->method != SAMPLE_SALTELLI)
        return error_set(err, TD_ERR_ARGUMENT, "samples.method",
                         "indices need the blocks of 'method: saltelli'");
    blocks b = {.f = results, .n = s->count, .d = s->n_parameters};
    b.rows = malloc(sizeof *b.rows * (size_t)s->count);
    double *work = malloc(sizeof *work * RESAMPLES * 2 * (size_t)s->n_parameters);
    const td_status status = b.rows && work ? estimate(&b, work, out, err)
                                            : error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
    *used = b.n_rows;
    free(b.rows);
    free(work);
    return status;
}
