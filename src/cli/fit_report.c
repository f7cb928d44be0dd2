// cli/fit_report.c - what `tendril fit` says: values, what the data know of them, errors.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/figure.h"
#include "cli/fitting.h"
#include "cli/terminal.h"

#define RUNS_TOGETHER 0.5     // autocorrelation from which errors are the model's rather than noise
#define WORTH_A_WORD 0.02     // of the largest part of a change that leaves no trace
#define NEARLY_THE_SAME 0.98  // correlation of two numbers that is worth a word

static int longest_path(const fitting *f) {
    size_t most = 8;
    for (int i = 0; i < f->n_parameters; i++)
        if (strlen(f->paths[i]) > most) most = strlen(f->paths[i]);
    return (int)most;
}

// ---------------------------------------------------------------- values
static void print_value(const fitting *f, int i, int width) {
    const td_fit_value v = td_fit_get_value(f->fit, i);
    printf("  %-*s %12.6g %14.8g  ", width, v.path, v.start, v.value);
    if (v.at_bound) puts("at its bound");
    else if (!isfinite(v.error)) puts("not known");
    else printf("%.8g .. %.8g\n", v.low, v.high);
}

static void print_values(const fitting *f) {
    const int width = longest_path(f);
    printf("\n  %-*s %12s %14s  %s\n", width, "SI units", "start", "value", "interval of 95 %");
    for (int i = 0; i < f->n_parameters; i++) print_value(f, i, width);
}

static bool has_correlations(const fitting *f) {
    for (int i = 0; i < f->n_parameters; i++)
        for (int k = 0; k < i; k++)
            if (td_fit_correlation(f->fit, i, k) != 0.0) return true;
    return false;
}

static void print_correlations(const fitting *f) {
    const int width = longest_path(f);
    if (!has_correlations(f)) return;
    puts("\ncorrelations");
    for (int i = 0; i < f->n_parameters; i++) {
        printf("  %-*s", width, f->paths[i]);
        for (int k = 0; k <= i; k++) printf(" %7.3f", td_fit_correlation(f->fit, i, k));
        putchar('\n');
    }
}

// ---------------------------------------------------------------- what is not known
static bool spans_zero(const td_fit_parameter *p) {
    return p->low < 0.0 && p->high > 0.0;
}

// Exactly two numbers that grow together, or one against the other.
static bool print_pair(const fitting *f, const double *parts) {
    int found[2], n = 0;
    for (int i = 0; i < f->n_parameters; i++) {
        if (parts[i] == 0.0) continue;
        if (n == 2 || spans_zero(&f->parameters[i])) return false;
        found[n++] = i;
    }
    if (n != 2 || fabs(fabs(parts[found[0]] / parts[found[1]]) - 1.0) > 1e-2) return false;
    const bool together = parts[found[0]] * parts[found[1]] > 0.0;
    printf("  only %s %s %s is known, not each by itself\n", f->paths[found[0]],
           together ? "/" : "*", f->paths[found[1]]);
    return true;
}

static void print_parts(const fitting *f, const double *parts) {
    const char *between = "  ";
    for (int i = 0; i < f->n_parameters; i++) {
        if (fabs(parts[i]) < WORTH_A_WORD) continue;
        printf("%s%s %+.3g %%%s", between, f->paths[i], parts[i],
               spans_zero(&f->parameters[i]) ? " of half its range" : "");
        between = ", ";
    }
    puts(": nothing that was measured tells");
}

static void print_unknown(const fitting *f) {
    double parts[64];
    const int n = td_fit_n_unknown(f->fit);
    if (n > 0) puts("\nthe data cannot tell apart, or noise hides");
    for (int i = 0; i < n; i++) {
        td_fit_get_unknown(f->fit, i, parts);
        if (!print_pair(f, parts)) print_parts(f, parts);
    }
}

// ---------------------------------------------------------------- errors
static void print_misfit(const td_fit_misfit *m) {
    const axis_unit u = axis_unit_for(fmax(fmax(m->before, m->after), m->held_after), m->unit);
    char name[192];
    snprintf(name, sizeof name, "%.128s [%s]", m->output, u.text);
    printf("  %-32s %9d %12.5g %12.5g", name, m->n_fitted, u.factor * m->before,
           u.factor * m->after);
    if (m->n_held > 0)
        printf("  %8d %12.5g %12.5g", m->n_held, u.factor * m->held_before,
               u.factor * m->held_after);
    putchar('\n');
}

static void add_squares(td_fit_misfit *sum, const td_fit_misfit *m, double by) {
    sum->before = sqrt(sum->before * sum->before + by * m->before * m->before);
    sum->after = sqrt(sum->after * sum->after + by * m->after * m->after);
    sum->held_before =
        sqrt(sum->held_before * sum->held_before + by * m->held_before * m->held_before);
    sum->held_after = sqrt(sum->held_after * sum->held_after + by * m->held_after * m->held_after);
}

// Where x, y and z of a point were measured: its distance. False: they were not, or one more often than another.
static bool distance_of(const fitting *f, int i, char name[160], td_fit_misfit *d) {
    const td_fit_misfit x = td_fit_get_misfit(f->fit, i);
    const size_t n = strlen(x.output);
    if (n < 2 || n > 150 || strcmp(x.output + n - 2, ".x") != 0) return false;
    *d = (td_fit_misfit){.unit = x.unit, .n_fitted = x.n_fitted, .n_held = x.n_held};
    snprintf(name, 160, "%.*s", (int)n - 2, x.output);
    d->output = name;
    int found = 0;
    for (int k = 0; k < td_fit_n_misfits(f->fit); k++) {
        const td_fit_misfit m = td_fit_get_misfit(f->fit, k);
        const bool same = strlen(m.output) == n && !strncmp(m.output, x.output, n - 1) &&
                          strchr("xyz", m.output[n - 1]);
        if (!same || m.n_fitted != x.n_fitted || m.n_held != x.n_held) continue;
        add_squares(d, &m, 1.0);
        found++;
    }
    return found == 3;
}

static void print_distances(const fitting *f) {
    char name[160];
    td_fit_misfit d, all = {.output = "all of these", .unit = "m"};
    int points = 0, fitted = 0, held = 0;
    for (int i = 0; i < td_fit_n_misfits(f->fit); i++) {
        if (!distance_of(f, i, name, &d)) continue;
        if (points++ == 0) puts("  as distances");
        print_misfit(&d);
        fitted += d.n_fitted, held += d.n_held;
    }
    for (int i = 0; i < td_fit_n_misfits(f->fit) && points > 1; i++) {
        if (!distance_of(f, i, name, &d)) continue;
        td_fit_misfit tested = d;
        d.held_before = d.held_after = tested.before = tested.after = 0.0;
        if (fitted > 0) add_squares(&all, &d, (double)d.n_fitted / fitted);
        if (held > 0) add_squares(&all, &tested, (double)d.n_held / held);
    }
    all.n_fitted = fitted, all.n_held = held;
    if (points > 1) print_misfit(&all);
}

static void print_misfits(const fitting *f) {
    bool held = false;
    for (int i = 0; i < td_fit_n_misfits(f->fit); i++)
        held = held || td_fit_get_misfit(f->fit, i).n_held > 0;
    printf("\nroot mean square error\n  %-32s %9s %12s %12s%s\n", "", "measured", "before", "after",
           held ? "  held out       before        after" : "");
    for (int i = 0; i < td_fit_n_misfits(f->fit); i++) {
        const td_fit_misfit m = td_fit_get_misfit(f->fit, i);
        print_misfit(&m);
    }
    print_distances(f);
}

// Is more left than rounding?
static bool has_errors(const fitting *f) {
    for (int i = 0; i < td_fit_n_misfits(f->fit); i++) {
        const td_fit_misfit m = td_fit_get_misfit(f->fit, i);
        if (m.after > 1e-6 * m.before) return true;
    }
    return false;
}

static void print_notes(const fitting *f) {
    const double follows = td_fit_autocorrelation(f->fit);
    if (td_fit_status(f->fit) > 0) print_note("note", "%s", td_fit_message(f->fit));
    if (follows > RUNS_TOGETHER && td_fit_n_measured(f->fit) > 10 && has_errors(f))
        print_note("note",
                   "errors follow one another (autocorrelation %.2f): they are the model's rather "
                   "than noise, and the intervals too narrow",
                   follows);
    for (int i = 0; i < f->n_parameters; i++)
        for (int k = 0; k < i; k++)
            if (fabs(td_fit_correlation(f->fit, i, k)) > NEARLY_THE_SAME)
                print_note("note", "%s and %s do nearly the same (correlation %.4f)", f->paths[k],
                           f->paths[i], td_fit_correlation(f->fit, i, k));
    session_print_notes(&f->s);
}

static const char *slopes_of(const fitting *f) {
    return td_fit_exact(f->fit) ? "exact" : "by central differences";
}

void fitting_print(const fitting *f) {
    printf("%s: %d number%s from %d measured in %d recording%s\n"
           "%s after %d iterations, %d computations in %.3g s; slopes %s\n",
           f->s.file, f->n_parameters, f->n_parameters == 1 ? "" : "s", td_fit_n_measured(f->fit),
           f->n_data, f->n_data == 1 ? "" : "s",
           td_fit_status(f->fit) == TD_OK ? "converged" : "ended", td_fit_iterations(f->fit),
           td_fit_computations(f->fit), f->seconds, slopes_of(f));
    print_values(f);
    print_unknown(f);
    print_correlations(f);
    print_misfits(f);
    print_notes(f);
}

// ---------------------------------------------------------------- JSON
static void put_value(json *j, const void *of, int i) {
    const td_fit_value v = td_fit_get_value(((const fitting *)of)->fit, i);
    const bool known = isfinite(v.error) && !v.at_bound;
    json_put_string(j, "path", v.path);
    json_put_number(j, "start", v.start);
    json_put_number(j, "value", v.value);
    json_put_number(j, "error", known ? v.error : HUGE_VAL);  // null
    json_put_number(j, "low", known ? v.low : HUGE_VAL);
    json_put_number(j, "high", known ? v.high : HUGE_VAL);
    json_put_bool(j, "known", known);
    json_put_bool(j, "at_bound", v.at_bound);
}

static void put_misfit(json *j, const void *of, int i) {
    const td_fit_misfit m = td_fit_get_misfit(((const fitting *)of)->fit, i);
    json_put_string(j, "name", m.output);
    json_put_string(j, "unit", m.unit);
    json_put_integer(j, "measured", m.n_fitted);
    json_put_number(j, "before", m.before);
    json_put_number(j, "after", m.after);
    json_put_integer(j, "held_out", m.n_held);
    json_put_number(j, "held_out_before", m.n_held ? m.held_before : HUGE_VAL);
    json_put_number(j, "held_out_after", m.n_held ? m.held_after : HUGE_VAL);
}

static void put_correlations(json *j, const fitting *f) {
    json_open_array(j, "correlations");
    for (int i = 0; i < f->n_parameters; i++) {
        double row[64];
        for (int k = 0; k < f->n_parameters; k++) row[k] = td_fit_correlation(f->fit, i, k);
        json_numbers(j, row, f->n_parameters);
    }
    json_end_array(j);
}

static void put_unknown(json *j, const void *of, int i) {
    const fitting *f = of;
    double parts[64];
    td_fit_get_unknown(f->fit, i, parts);
    for (int k = 0; k < f->n_parameters; k++)
        if (parts[k] != 0.0) json_put_number(j, f->paths[k], parts[k]);
}

void fitting_print_json(const fitting *f) {
    json j = session_begin_json(&f->s, td_fit_status(f->fit), td_fit_message(f->fit));
    session_put_notes(&f->s, &j);
    json_put_integer(&j, "iterations", td_fit_iterations(f->fit));
    json_put_integer(&j, "computations", td_fit_computations(f->fit));
    json_put_string(&j, "slopes", td_fit_exact(f->fit) ? "exact" : "central differences");
    json_put_integer(&j, "measured", td_fit_n_measured(f->fit));
    json_put_number(&j, "deviation", td_fit_deviation(f->fit));
    json_put_number(&j, "autocorrelation", td_fit_autocorrelation(f->fit));
    json_put_list(&j, "parameters", f->n_parameters, put_value, f);
    put_correlations(&j, f);
    json_put_list(&j, "unknown", td_fit_n_unknown(f->fit), put_unknown, f);
    json_put_list(&j, "outputs", td_fit_n_misfits(f->fit), put_misfit, f);
    json_end_object(&j);
}
