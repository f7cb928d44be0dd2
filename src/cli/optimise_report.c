// cli/optimise_report.c - what `tendril optimise` says.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/optimising.h"
#include "io/json.h"

enum { MOST_COMBINATIONS_TOLD = 20 };

static int widest_name(const td_study *s) {
    size_t most = 8;
    for (int i = 0; i < td_study_n_parameters(s); i++)
        most = strlen(td_study_parameter(s, i).name) > most ? strlen(td_study_parameter(s, i).name)
                                                            : most;
    for (int i = 0; i < td_study_n_results(s); i++)
        most =
            strlen(td_study_result(s, i).name) > most ? strlen(td_study_result(s, i).name) : most;
    return (int)most;
}

static void print_number(const td_study_column *c, double x) {
    if (c->n_choices) printf(" %14.14s", c->choices[(int)x]);
    else printf(" %14.8g", x);
}

static void print_parameters(const optimising *o) {
    const int width = widest_name(o->study);
    printf("\n  %-*s %-10s %14s %14s\n", width, "parameter", "", "start", "best");
    for (int i = 0; i < td_study_n_parameters(o->study); i++) {
        const td_study_column c = td_study_parameter(o->study, i);
        const td_optimum_parameter p = td_optimum_get_parameter(o->found, i);
        printf("  %-*s %-10s", width, c.name, c.unit);
        print_number(&c, p.start);
        print_number(&c, p.value);
        puts(p.at_bound ? "  at an end of its range" : "");
    }
}

static void print_results(const optimising *o) {
    const int width = widest_name(o->study);
    printf("\n  %-*s\n", width, "result");
    for (int i = 0; i < td_study_n_results(o->study); i++) {
        const td_study_column c = td_study_result(o->study, i);
        printf("  %-*s %-10s %14s %14.8g\n", width, c.name, c.unit, "",
               td_optimum_get_result(o->found, i));
    }
}

static void print_bounds(const optimising *o) {
    const int n = td_optimum_n_bounds(o->found);
    if (n > 0) puts("\nbounds");
    for (int i = 0; i < n; i++) {
        const td_optimum_bound b = td_optimum_get_bound(o->found, i);
        printf("  %-32s %.8g against %.8g: %s", b.text, b.left, b.right,
               !b.met     ? "missed"
               : b.active ? "just met"
                          : "met");
        if (b.active && b.price != 0.0)
            printf("; each unit more on the right changes the value by %.4g", b.price);
        putchar('\n');
    }
}

static void print_combinations(const optimising *o) {
    const int n = td_optimum_n_combinations(o->found), p = td_study_n_parameters(o->study);
    double values[64];
    if (n < 2) return;
    puts("\ncombinations");
    for (int i = 0; i < n && i < MOST_COMBINATIONS_TOLD; i++) {
        const td_optimum_combination c = td_optimum_get_combination(o->found, i, values);
        fputs("  ", stdout);
        for (int k = 0; k < p; k++) {
            const td_study_column column = td_study_parameter(o->study, k);
            if (column.n_choices) printf("%s %s, ", column.name, column.choices[(int)values[k]]);
            else printf("%s %.6g, ", column.name, values[k]);
        }
        if (isfinite(c.value)) printf("value %.8g%s\n", c.value, c.met ? "" : ", bounds missed");
        else printf("%s\n", c.message);
    }
    if (n > MOST_COMBINATIONS_TOLD) printf("  .. and %d more\n", n - MOST_COMBINATIONS_TOLD);
}

void optimising_print(const optimising *o) {
    const td_optimum *f = o->found;
    const double slope = td_optimum_slope(f);
    printf("%s: %d cases in %.3g s, %d steps; slopes: %s\n", o->file, td_optimum_cases(f),
           o->seconds, td_optimum_steps(f), td_optimum_slopes(f));
    printf("value %.10g, where it began %.10g", td_optimum_value(f), td_optimum_first_value(f));
    if (isfinite(slope)) printf("; slope that is left %.1e", slope);
    putchar('\n');
    print_parameters(o);
    print_results(o);
    print_bounds(o);
    print_combinations(o);
}

// ---------------------------------------------------------------- JSON
static void put_parameter(json *j, const void *of, int i) {
    const optimising *o = of;
    const td_study_column c = td_study_parameter(o->study, i);
    const td_optimum_parameter p = td_optimum_get_parameter(o->found, i);
    json_put_string(j, "name", c.name);
    json_put_string(j, "unit", c.unit);
    json_put_number(j, "start", p.start);
    json_put_number(j, "value", p.value);
    if (c.n_choices) json_put_string(j, "choice", c.choices[(int)p.value]);
    json_put_bool(j, "at_bound", p.at_bound);
}

static void put_result(json *j, const void *of, int i) {
    const optimising *o = of;
    json_put_string(j, "name", td_study_result(o->study, i).name);
    json_put_string(j, "unit", td_study_result(o->study, i).unit);
    json_put_number(j, "value", td_optimum_get_result(o->found, i));
}

static void put_bound(json *j, const void *of, int i) {
    const td_optimum_bound b = td_optimum_get_bound(((const optimising *)of)->found, i);
    json_put_string(j, "text", b.text);
    json_put_number(j, "left", b.left);
    json_put_number(j, "right", b.right);
    json_put_bool(j, "met", b.met);
    json_put_bool(j, "active", b.active);
    json_put_number(j, "price", b.price);
}

static void put_combination(json *j, const void *of, int i) {
    const optimising *o = of;
    double values[64];
    const td_optimum_combination c = td_optimum_get_combination(o->found, i, values);
    json_put_numbers(j, "parameters", values, td_study_n_parameters(o->study));
    json_put_number(j, "value", c.value);
    json_put_bool(j, "met", c.met);
    json_put_string(j, "message", c.message);
}

void optimising_print_json(const optimising *o) {
    const td_optimum *f = o->found;
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", o->file);
    json_put_string(&j, "status", td_status_name(td_optimum_status(f)));
    json_put_string(&j, "message", td_optimum_message(f));
    json_put_integer(&j, "cases", td_optimum_cases(f));
    json_put_integer(&j, "steps", td_optimum_steps(f));
    json_put_string(&j, "slopes", td_optimum_slopes(f));
    json_put_number(&j, "value", td_optimum_value(f));
    json_put_number(&j, "first_value", td_optimum_first_value(f));
    json_put_number(&j, "slope_left", td_optimum_slope(f));
    json_put_list(&j, "parameters", td_study_n_parameters(o->study), put_parameter, o);
    json_put_list(&j, "results", td_study_n_results(o->study), put_result, o);
    json_put_list(&j, "bounds", td_optimum_n_bounds(f), put_bound, o);
    json_put_list(&j, "combinations", td_optimum_n_combinations(f), put_combination, o);
    json_end_object(&j);
}
