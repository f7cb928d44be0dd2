// cli/derivatives.c - see derivatives.h.
#include "cli/derivatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parts.h"
#include "cli/terminal.h"
#include "robot/units.h"

// Relative change of a parameter on either side.
#define PARAMETER_STEP 1e-6

static const char *const rows[6] = {"turn x [rad]", "turn y [rad]", "turn z [rad]",
                                    "x [m]",        "y [m]",        "z [m]"};

// ---------------------------------------------------------------- parameters
typedef struct parameter {
    char path[256];
    double value;  // SI
} parameter;

// "rods.wire.length=0.4 m": the place, and the value that it has.
static bool parameter_parse(const char *text, parameter *p) {
    const char *sign = strchr(text, '=');
    size_t n = sign ? (size_t)(sign - text) : 0;
    char why[UNITS_TEXT] = "expected PATH=VALUE with the value the file has";
    quantity q = {0};
    bool ok = n > 0 && n < sizeof p->path && quantity_parse(sign + 1, &q, why);
    if (ok && q.value == 0.0) {
        ok = false;
        snprintf(why, sizeof why, "a sensitivity is taken about a value that is not zero");
    }
    if (!ok) return print_error("--vary", "%s: %s", text, why);
    memcpy(p->path, text, n);
    p->path[n] = '\0';
    p->value = q.value;
    return true;
}

// The system with the parameter at another value; every --set still holds.
static td_system *system_with(const session *s, const args *a, const parameter *p, double value) {
    int n = args_count(a, "set");
    const char **sets = malloc(sizeof *sets * (size_t)(n + 1));
    char last[320];
    td_error err = {0};
    if (!sets) return NULL;
    for (int i = 0; i < n; i++) sets[i] = args_nth(a, "set", i);
    snprintf(last, sizeof last, "%s=%.17g", p->path, value);
    sets[n] = last;
    td_robot *robot = td_robot_load(s->file, sets, n + 1, &err);
    free(sets);
    td_system *system = robot ? td_system_create(robot, &s->options, &err) : NULL;
    if (!system) report_error(s->file, &err);
    td_robot_destroy(robot);
    return system;
}

static int compute_sensitivity(derivatives *d, const session *s, const args *a, int index) {
    parameter p;
    if (!parameter_parse(args_nth(a, "vary", index), &p)) return EXIT_INPUT;
    double step = PARAMETER_STEP * fabs(p.value);
    td_system *plus = system_with(s, a, &p, p.value + step);
    td_system *minus = plus ? system_with(s, a, &p, p.value - step) : NULL;
    int code = minus ? EXIT_FINE : EXIT_INPUT;
    for (int rod = 0; code == EXIT_FINE && rod < td_n_rods(s->system); rod++) {
        double *out = d->sensitivities + 6 * (rod * d->n_parameters + index);
        if (td_get_sensitivity(s->system, s->state, plus, minus, step, rod,
                               td_get_length(s->system, s->state, rod), out) < 0) {
            print_error(s->file, "%s", td_message(s->state));
            code = EXIT_FAILED;
        }
    }
    td_system_destroy(plus);
    td_system_destroy(minus);
    return code;
}

// ---------------------------------------------------------------- all of them
static int compute_tip(derivatives *d, const session *s, int rod) {
    int inputs = td_n_inputs(s->system);
    double tip = td_get_length(s->system, s->state, rod);
    if (td_get_jacobian(s->system, s->state, rod, tip, d->jacobians + 6 * inputs * rod) < 0 ||
        td_get_compliance(s->system, s->state, rod, tip, rod, tip, d->compliances + 36 * rod) < 0)
        return exit_error(EXIT_FAILED, s->file, "%s", td_message(s->state));
    return EXIT_FINE;
}

static int compute_body(derivatives *d, const session *s, int body) {
    int inputs = td_n_inputs(s->system);
    if (!body_is_free(s, body)) return EXIT_FINE;
    if (td_get_body_jacobian(s->system, s->state, body, d->body_jacobians + 6 * inputs * body) <
            0 ||
        td_get_body_compliance(s->system, s->state, body, d->body_compliances + 36 * body) < 0)
        return exit_error(EXIT_FAILED, s->file, "%s", td_message(s->state));
    return EXIT_FINE;
}

static bool allocate(derivatives *d, const session *s, bool tips) {
    size_t rods = (size_t)td_n_rods(s->system), inputs = (size_t)td_n_inputs(s->system);
    size_t parameters = (size_t)d->n_parameters, bodies = (size_t)td_n_bodies(s->system);
    d->parameters = calloc(parameters + 1, sizeof *d->parameters);
    d->sensitivities = calloc(rods * parameters * 6 + 1, sizeof(double));
    if (!d->parameters || !d->sensitivities) return false;
    if (!tips) return true;
    d->jacobians = calloc(rods * inputs * 6 + 1, sizeof(double));
    d->compliances = calloc(rods * 36, sizeof(double));
    d->body_jacobians = calloc(bodies * inputs * 6 + 1, sizeof(double));
    d->body_compliances = calloc(bodies * 36 + 1, sizeof(double));
    return d->jacobians && d->compliances && d->body_jacobians && d->body_compliances;
}

int derivatives_compute(derivatives *d, const session *s, const args *a) {
    *d = (derivatives){.n_parameters = args_count(a, "vary")};
    bool tips = args_has(a, "derivatives");
    if (!allocate(d, s, tips)) return exit_error(EXIT_FAILED, s->file, "out of memory");
    int code = EXIT_FINE;
    for (int rod = 0; tips && code == EXIT_FINE && rod < td_n_rods(s->system); rod++)
        code = compute_tip(d, s, rod);
    for (int body = 0; tips && code == EXIT_FINE && body < td_n_bodies(s->system); body++)
        code = compute_body(d, s, body);
    for (int i = 0; code == EXIT_FINE && i < d->n_parameters; i++) {
        d->parameters[i] = args_nth(a, "vary", i);
        code = compute_sensitivity(d, s, a, i);
    }
    return code;
}

void derivatives_free(derivatives *d) {
    free(d->jacobians);
    free(d->compliances);
    free(d->body_jacobians);
    free(d->body_compliances);
    free(d->sensitivities);
    free(d->parameters);
    *d = (derivatives){0};
}

// ---------------------------------------------------------------- output
static void print_matrix(const double *a, int columns, int stride) {
    for (int i = 0; i < 6; i++) {
        printf("  %-13s", rows[i]);
        for (int k = 0; k < columns; k++) printf(" %14.6g", a[i * stride + k]);
        putchar('\n');
    }
}

static void print_jacobian(const session *s, const char *what, const char *name, const double *J) {
    int inputs = td_n_inputs(s->system);
    if (inputs == 0) return;
    printf("\n%s%s against the inputs\n  %-13s", what, name, "");
    for (int i = 0; i < inputs; i++) {
        char head[80];
        const char *unit = td_input_unit(s->system, i);
        snprintf(head, sizeof head, "%s%s%s%s", td_input_name(s->system, i), unit[0] ? " [" : "",
                 unit, unit[0] ? "]" : "");
        printf(" %14s", head);
    }
    putchar('\n');
    print_matrix(J, inputs, inputs);
}

static void print_compliance(const char *what, const char *name, const char *where,
                             const double *C) {
    printf("\n%s%s against a wrench %s\n  %-13s %14s %14s %14s %14s %14s %14s\n", what, name, where,
           "", "mx [N m]", "my [N m]", "mz [N m]", "fx [N]", "fy [N]", "fz [N]");
    print_matrix(C, 6, 6);
}

void derivatives_print(const derivatives *d, const session *s, int rod) {
    const char *name = td_rod_name(s->system, rod);
    if (d->jacobians)
        print_jacobian(s, "tip of ", name, d->jacobians + 6 * td_n_inputs(s->system) * rod);
    if (d->compliances) print_compliance("tip of ", name, "at the tip", d->compliances + 36 * rod);
    for (int i = 0; i < d->n_parameters; i++) {
        printf("\ntip of %s against %s, per SI unit\n", name, d->parameters[i]);
        print_matrix(d->sensitivities + 6 * (rod * d->n_parameters + i), 1, 1);
    }
}

void derivatives_print_bodies(const derivatives *d, const session *s) {
    for (int i = 0; d->body_jacobians && i < td_n_bodies(s->system); i++) {
        const char *name = td_body_name(s->system, i);
        if (!body_is_free(s, i)) continue;
        print_jacobian(s, "", name, d->body_jacobians + 6 * td_n_inputs(s->system) * i);
        print_compliance("", name, "on it", d->body_compliances + 36 * i);
    }
}

void derivatives_put(const derivatives *d, const session *s, int rod, json *j) {
    int inputs = td_n_inputs(s->system);
    if (d->jacobians) json_put_rows(j, "tip_jacobian", d->jacobians + 6 * inputs * rod, 6, inputs);
    if (d->compliances) json_put_rows(j, "tip_compliance", d->compliances + 36 * rod, 6, 6);
    if (!d->n_parameters) return;
    json_open_object(j, "tip_sensitivity");
    for (int i = 0; i < d->n_parameters; i++)
        json_put_numbers(j, d->parameters[i], d->sensitivities + 6 * (rod * d->n_parameters + i),
                         6);
    json_end_object(j);
}

void derivatives_put_bodies(const derivatives *d, const session *s, json *j) {
    int inputs = td_n_inputs(s->system);
    bool any = false;
    for (int i = 0; i < td_n_bodies(s->system); i++) any = any || body_is_free(s, i);
    if (!d->body_jacobians || !any) return;
    json_open_object(j, "body_derivatives");
    for (int i = 0; i < td_n_bodies(s->system); i++) {
        if (!body_is_free(s, i)) continue;
        json_open_object(j, td_body_name(s->system, i));
        json_put_rows(j, "jacobian", d->body_jacobians + 6 * inputs * i, 6, inputs);
        json_put_rows(j, "compliance", d->body_compliances + 36 * i, 6, 6);
        json_end_object(j);
    }
    json_end_object(j);
}
