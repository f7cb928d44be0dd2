// cli/sweep_report.c - what `tendril sweep` says of its table.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweeping.h"
#include "io/json.h"

enum { SHOWN_FAILURES = 3 };

// ---------------------------------------------------------------- one column
typedef struct spread {
    long long n;
    double mean, deviation, low, median, high;
} spread;

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static spread spread_of(const sweeping *s, int result) {
    const int column = td_study_n_parameters(s->study) + result;
    double *x = malloc(sizeof *x * (size_t)s->table.n_cases), sum = 0.0, squares = 0.0;
    spread out = {.n = 0};
    if (!x) return out;
    for (long long i = 0; i < s->table.n_cases; i++) {
        const double value = sweeping_value(s, i, column);
        if (isfinite(value)) x[out.n++] = value, sum += value;
    }
    if (out.n > 0) {
        out.mean = sum / (double)out.n;
        for (long long i = 0; i < out.n; i++) squares += (x[i] - out.mean) * (x[i] - out.mean);
        out.deviation = out.n > 1 ? sqrt(squares / (double)(out.n - 1)) : 0.0;
        qsort(x, (size_t)out.n, sizeof *x, by_size);
        out.low = x[0], out.high = x[out.n - 1];
        out.median = 0.5 * (x[(out.n - 1) / 2] + x[out.n / 2]);
    }
    free(x);
    return out;
}

// ---------------------------------------------------------------- sensitivity
static td_sensitivity *sensitivity_of(const sweeping *s, int result, long long *used,
                                      td_error *err) {
    const int d = td_study_n_parameters(s->study);
    double *x = malloc(sizeof *x * (size_t)s->table.n_cases);
    td_sensitivity *out = calloc((size_t)d, sizeof *out);
    for (long long i = 0; x && i < s->table.n_cases; i++) x[i] = sweeping_value(s, i, d + result);
    const bool ok = x && out && td_study_get_sensitivity(s->study, x, out, used, err) == TD_OK;
    free(x);
    if (ok) return out;
    free(out);
    return NULL;
}

static int longest_name(const sweeping *s, bool results) {
    size_t most = 9;
    const int p = td_study_n_parameters(s->study);
    for (int i = results ? p : 0; i < (results ? sweeping_n_columns(s) : p); i++) {
        const td_study_column c = sweeping_column(s, i);
        const size_t n = strlen(c.name) + (c.unit[0] ? strlen(c.unit) + 3 : 0);
        if (n > most) most = n;
    }
    return most > 60 ? 60 : (int)most;
}

static void print_sensitivity(const sweeping *s, int result) {
    td_error err = {0};
    long long used = 0;
    td_sensitivity *of = sensitivity_of(s, result, &used, &err);
    const int width = longest_name(s, false);
    printf("\nwhere the variance of %s comes from", td_study_result(s->study, result).name);
    if (!of) {
        printf(": %s\n", err.message);
        return;
    }
    if (used < td_study_n_base(s->study))
        printf(" (%lld of %lld rows, without failures)", used, td_study_n_base(s->study));
    printf("\n  %-*s %8s  %-18s %8s  %s\n", width, "", "alone", "95 %", "in all", "95 %");
    for (int i = 0; i < td_study_n_parameters(s->study); i++)
        printf("  %-*s %8.4f  %7.4f .. %7.4f %8.4f  %7.4f .. %7.4f\n", width,
               td_study_parameter(s->study, i).name, of[i].first, of[i].first_low, of[i].first_high,
               of[i].total, of[i].total_low, of[i].total_high);
    free(of);
}

// ---------------------------------------------------------------- failures
static bool seen_before(const sweeping *s, const long long *shown, int n, const char *text) {
    for (int k = 0; k < n; k++)
        if (!strcmp(s->table.messages[shown[k]], text)) return true;
    return false;
}

static void print_failures(const sweeping *s) {
    long long shown[SHOWN_FAILURES];
    int n = 0;
    for (long long i = 0; i < s->table.n_cases && n < SHOWN_FAILURES; i++) {
        const char *text = s->table.messages[i];
        if (s->table.status[i] >= 0 || !text || seen_before(s, shown, n, text)) continue;
        printf("  case %lld: %s\n", i, text);
        shown[n++] = i;
    }
}

// ---------------------------------------------------------------- all of it
void sweeping_print(const sweeping *s) {
    const long long failed = sweeping_n_failed(s);
    const int width = longest_name(s, true);
    printf("%s: %lld cases (%s, %s)", s->file, s->table.n_cases, td_study_method(s->study),
           td_study_action(s->study));
    if (failed > 0) printf(", %lld failed", failed);
    if (s->d.computed > 0)
        printf("; %lld computed in %.3g s by %d process%s%s", s->d.computed, s->d.seconds,
               s->d.workers * s->d.ranks, s->d.workers * s->d.ranks > 1 ? "es" : "",
               s->d.lost_ranks ? ", some of which were lost" : "");
    printf("\n");
    if (failed > 0) print_failures(s);
    printf("  %-*s %12s %12s %12s %12s %12s\n", width, "", "mean", "deviation", "least", "median",
           "most");
    for (int i = 0; i < td_study_n_results(s->study); i++) {
        const td_study_column c = td_study_result(s->study, i);
        const spread of = spread_of(s, i);
        char name[160];
        snprintf(name, sizeof name, "%.90s%s%.50s%s", c.name, c.unit[0] ? " [" : "", c.unit,
                 c.unit[0] ? "]" : "");
        if (of.n == 0) printf("  %-*s no case has it\n", width, name);
        else
            printf("  %-*s %12.6g %12.6g %12.6g %12.6g %12.6g\n", width, name, of.mean,
                   of.deviation, of.low, of.median, of.high);
    }
    for (int i = 0; td_study_n_base(s->study) > 0 && i < td_study_n_results(s->study); i++)
        print_sensitivity(s, i);
    printf("%s\n", s->table_path);
}

static void put_sensitivity(json *j, const sweeping *s, int result) {
    td_error err = {0};
    long long used = 0;
    td_sensitivity *of = sensitivity_of(s, result, &used, &err);
    json_open_object(j, "sensitivity");
    for (int i = 0; of && i < td_study_n_parameters(s->study); i++) {
        json_open_object(j, td_study_parameter(s->study, i).name);
        json_put_number(j, "first", of[i].first);
        json_put_numbers(j, "first_interval", (double[]){of[i].first_low, of[i].first_high}, 2);
        json_put_number(j, "total", of[i].total);
        json_put_numbers(j, "total_interval", (double[]){of[i].total_low, of[i].total_high}, 2);
        json_end_object(j);
    }
    json_end_object(j);
    free(of);
}

static void put_result(json *j, const void *of, int i) {
    const sweeping *s = of;
    const td_study_column c = td_study_result(s->study, i);
    const spread x = spread_of(s, i);
    json_put_string(j, "name", c.name);
    json_put_string(j, "unit", c.unit);
    json_put_string(j, "value", c.text);
    json_put_integer(j, "cases", (long)x.n);
    json_put_number(j, "mean", x.mean);
    json_put_number(j, "deviation", x.deviation);
    json_put_number(j, "least", x.low);
    json_put_number(j, "median", x.median);
    json_put_number(j, "most", x.high);
    if (td_study_n_base(s->study) > 0) put_sensitivity(j, s, i);
}

void sweeping_print_json(const sweeping *s) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", s->file);
    json_put_string(&j, "table", s->table_path);
    json_put_string(&j, "action", td_study_action(s->study));
    json_put_string(&j, "method", td_study_method(s->study));
    json_put_integer(&j, "cases", (long)s->table.n_cases);
    json_put_integer(&j, "failed", (long)sweeping_n_failed(s));
    json_put_integer(&j, "computed", (long)s->d.computed);
    json_put_number(&j, "seconds", s->d.seconds);
    json_put_integer(&j, "processes", s->d.workers * s->d.ranks);
    json_put_integer(&j, "lost_ranks", s->d.lost_ranks);
    json_put_list(&j, "results", td_study_n_results(s->study), put_result, s);
    json_end_object(&j);
}
