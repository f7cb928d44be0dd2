// tendril fit: numbers of a robot from measurements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/fitting.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/result.h"
#include "io/written.h"
#include "robot/units.h"

enum { MOST_ITERATIONS = 10000, MOST_THREADS = 256 };

// ---------------------------------------------------------------- what is varied
// "100..400 GPa": a unit after the second number is that of both.
static bool parse_range(const char *text, double *low, double *high, char why[UNITS_TEXT]) {
    char first[128];
    const char *dots = strstr(text, ".."), *unit = "";
    quantity from = {0}, to = {0};
    double number;
    snprintf(why, UNITS_TEXT, "expected PATH=LOW..HIGH");
    if (!dots || !quantity_parse(dots + 2, &to, why)) return false;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (!quantity_parse(first, &from, why)) return false;
    if (!from.has_unit && to.has_unit && number_parse(dots + 2, &number, &unit, why)) {
        snprintf(first, sizeof first, "%.*s %.60s", (int)(dots - text), text, unit);
        if (!quantity_parse(first, &from, why)) return false;
    }
    *low = from.value, *high = to.value;
    return true;
}

// The file with one end of the range in it tells whether the path and its unit are right.
static bool try_value(const fitting *f, const args *a, const char *path, const char *range) {
    const char *high = strstr(range, "..") + 2;
    const int n = args_count(a, "set");
    const char **sets = malloc(sizeof *sets * (size_t)(n + 1));
    const size_t size = strlen(path) + strlen(high) + 2;
    char *last = malloc(size);
    td_error err = {.message = "out of memory"};
    td_robot *robot = NULL;
    if (sets && last) {
        for (int i = 0; i < n; i++) sets[i] = args_nth(a, "set", i);
        snprintf(last, size, "%s=%s", path, high);
        sets[n] = last;
        robot = td_robot_load(f->s.file, sets, n + 1, &err);
    }
    if (!robot) print_error("--vary", "%s: %s", path, err.message);
    td_robot_destroy(robot);
    free(sets);
    free(last);
    return robot != NULL;
}

static bool parse_vary(fitting *f, const args *a, int i) {
    const char *text = args_nth(a, "vary", i), *sign = strchr(text, '=');
    const size_t n = sign ? (size_t)(sign - text) : 0;
    char why[UNITS_TEXT] = "expected PATH=LOW..HIGH";
    td_fit_parameter *p = &f->parameters[i];
    *p = (td_fit_parameter){.path = f->paths[i], .start = (double)NAN};
    if (n == 0 || n >= sizeof f->paths[i] || !parse_range(sign + 1, &p->low, &p->high, why))
        return print_error("--vary", "%s: %s", text, why);
    memcpy(f->paths[i], text, n);
    return !strncmp(f->paths[i], "data.", 5) || try_value(f, a, f->paths[i], sign + 1);
}

static bool read_parameters(fitting *f, const args *a) {
    f->n_parameters = args_count(a, "vary");
    if (f->n_parameters == 0) return print_error("--vary", "is missing: --vary PATH=LOW..HIGH");
    f->parameters = calloc((size_t)f->n_parameters, sizeof *f->parameters);
    f->paths = calloc((size_t)f->n_parameters, sizeof *f->paths);
    if (!f->parameters || !f->paths) return print_error(f->s.file, "out of memory");
    for (int i = 0; i < f->n_parameters; i++)
        if (!parse_vary(f, a, i)) return false;
    return true;
}

// ---------------------------------------------------------------- data
static bool read_data(fitting *f, const args *a) {
    const int fitted = args_count(a, "data"), tested = args_count(a, "test");
    const char *map = args_value(a, "map");
    if (fitted == 0) return print_error("--data", "is missing: a table of what was measured");
    if (map && !fit_map_parse(map, &f->map, &f->n_map)) return false;
    f->data = calloc((size_t)(fitted + tested), sizeof *f->data);
    f->recordings = calloc((size_t)(fitted + tested), sizeof *f->recordings);
    if (!f->data || !f->recordings) return print_error(f->s.file, "out of memory");
    for (int i = 0; i < fitted + tested; i++) {
        const char *path = i < fitted ? args_nth(a, "data", i) : args_nth(a, "test", i - fitted);
        fit_data *d = &f->data[f->n_data++];
        if (!fit_data_read(d, path, f->map, f->n_map, &f->s, a)) return false;
        d->r.held_out = i >= fitted;
        f->recordings[i] = d->r;
    }
    return true;
}

// ---------------------------------------------------------------- markers
// "m1=rod.arm.50 %+25 mm,0,0": name, what it is fixed to, and where in its axes.
static bool parse_marker(fitting *f, const args *a, int i) {
    const char *text = args_nth(a, "marker", i), *sign = strchr(text, '=');
    const char *plus = sign ? strchr(sign, '+') : NULL, *at = plus;
    char *name = f->marker_texts[2 * i], *on = f->marker_texts[2 * i + 1];
    td_fit_marker *m = &f->markers[i];
    if (!plus || sign - text > 150 || plus - sign > 150)
        return print_error("--marker", "'%s' is not NAME=PLACE+X,Y,Z", text);
    snprintf(name, sizeof f->marker_texts[0], "%.*s", (int)(sign - text), text);
    snprintf(on, sizeof f->marker_texts[0], "%.*s", (int)(plus - sign - 1), sign + 1);
    *m = (td_fit_marker){.name = name, .on = on};
    for (int k = 0; k < 3; k++) {
        char part[96], why[UNITS_TEXT];
        quantity q = {0};
        const size_t n = at ? strcspn(at + 1, ",") : 0;
        snprintf(part, sizeof part, "%.*s", (int)n, at ? at + 1 : "");
        if (!quantity_parse(part, &q, why) ||
            (q.has_unit && !dimension_fits(q.dim, unit_dimension("m"))))
            return print_error("--marker", "%s: '%s' must be a length: NAME=PLACE+X,Y,Z", name,
                               part);
        m->offset[k] = q.value;
        at = at[1 + n] ? at + 1 + n : NULL;
    }
    return !at || print_error("--marker", "%s: three lengths are expected after '+'", name);
}

static bool read_markers(fitting *f, const args *a) {
    f->n_markers = args_count(a, "marker");
    f->markers = calloc((size_t)f->n_markers + 1, sizeof *f->markers);
    f->marker_texts = calloc(2 * (size_t)f->n_markers + 1, sizeof *f->marker_texts);
    if (!f->markers || !f->marker_texts) return print_error(f->s.file, "out of memory");
    for (int i = 0; i < f->n_markers; i++)
        if (!parse_marker(f, a, i)) return false;
    return true;
}

// Beyond this size errors count by their size: in units of the noise, or of the outputs.
static bool read_robust(const args *a, td_fit_options *o) {
    const char *text = args_value(a, "robust");
    char why[UNITS_TEXT];
    quantity q = {0};
    if (!text) return true;
    if (!quantity_parse(text, &q, why)) return print_error("--robust", "%s", why);
    if (args_has(a, "noise") && q.has_unit)
        return print_error("--robust", "'%s' must be a plain number: it counts in the noise given",
                           text);
    if (!(q.value > 0.0)) return print_error("--robust", "%g must be positive", q.value);
    o->loss = TD_FIT_HUBER, o->scale = q.value;
    return true;
}

static bool read_options(const args *a, td_fit_options *o) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    o->threads = processors > 1 ? (int)fmin((double)processors, MOST_THREADS) : 1;
    if (!read_robust(a, o) || !args_quantities(a, "hold-out", "%", 1, &o->held_out) ||
        !args_integer(a, "iterations", 1, MOST_ITERATIONS, &o->max_iterations) ||
        !args_integer(a, "threads", 1, MOST_THREADS, &o->threads))
        return false;
    if (o->held_out >= 0.0 && o->held_out < 1.0) return true;
    return print_error("--hold-out", "%g must be a share from 0 to 1", o->held_out);
}

// ---------------------------------------------------------------- the verb
static int compute(fitting *f, const td_fit_options *o) {
    td_error err = {0};
    const double begin = wall_clock();
    catch_stop(true);
    f->fit = td_fit_robot(f->s.robot, &f->s.options, o, &err);
    f->seconds = wall_clock() - begin;
    if (f->fit) return EXIT_FINE;
    const bool input = err.status == TD_ERR_VALUE || err.status == TD_ERR_ARGUMENT ||
                       err.status == TD_ERR_UNSUPPORTED;
    return exit_reported(input ? EXIT_INPUT : EXIT_FAILED, f->s.file, &err);
}

static int write_robot(const fitting *f, const char *path) {
    td_error err = {0};
    char *text = td_fit_write(f->fit, &err);
    const bool ok = text && text_write(path, text, &err) == TD_OK;
    td_free_text(text);
    return ok ? EXIT_FINE : exit_reported(EXIT_FAILED, NULL, &err);
}

static int solve(fitting *f, const args *a) {
    td_fit_options o = td_default_fit_options();
    const char *picture = args_value(a, "picture"), *target = args_value(a, "write");
    if (!read_options(a, &o)) return EXIT_INPUT;
    int code = session_open(&f->s, a);
    if (code != EXIT_FINE) return code;
    if (!read_parameters(f, a) || !read_markers(f, a) || !read_data(f, a)) return EXIT_INPUT;
    o.parameters = f->parameters, o.n_parameters = f->n_parameters;
    o.recordings = f->recordings, o.n_recordings = f->n_data;
    o.markers = f->markers, o.n_markers = f->n_markers;
    o.asked = stop_wanted;
    code = compute(f, &o);
    if (code != EXIT_FINE) return code;
    if (args_has(a, "json")) fitting_print_json(f);
    else fitting_print(f);
    if (target) code = write_robot(f, target);
    if (picture && code == EXIT_FINE) code = fitting_draw(f, picture);
    return code;
}

static int run(const args *a) {
    fitting f = {0};
    const int code = solve(&f, a);
    td_fit_destroy(f.fit);
    for (int i = 0; i < f.n_data; i++) fit_data_free(&f.data[i]);
    free(f.data);
    free(f.recordings);
    free(f.map);
    free(f.markers);
    free(f.marker_texts);
    free(f.parameters);
    free(f.paths);
    session_close(&f.s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"data", "FILE", "a table of measurements (CSV); may be given several times", true},
    {"test", "FILE", "a table that is not fitted but predicted, as a test", true},
    {"map", "LIST",
     "meaning of columns: 't=time, x=tip.x:mm, F=input.pull:N';\n"
     "default: columns are named like outputs and inputs",
     false},
    {"vary", "PATH=RANGE",
     "a value of the file to fit, LOW..HIGH, e.g.\n"
     "materials.rubber.youngs_modulus=0.1..2 MPa; or of the\n"
     "data: data.gain.INPUT, data.bias.OUTPUT, data.delay,\n"
     "data.marker.NAME.x",
     true},
    {"marker", "NAME=PLACE",
     "a point fixed to a rod or body, in its axes:\n"
     "m1='rod.arm.50 %+25 mm,0,0'; outputs marker.m1.x, y and z",
     true},
    {"noise", "NAME=SIZE",
     "standard deviation of an output, e.g. tip.x='0.5 mm';\n"
     "required for all outputs if their units differ",
     true},
    {"hold-out", "SHARE",
     "share of rows that is not fitted, e.g. 0.2: the end of a\n"
     "motion, or evenly spaced rows of equilibria",
     false},
    {"robust", "SIZE",
     "errors beyond this count less (Huber): in units of\n"
     "--noise, or of the outputs, e.g. '2 mm'",
     false},
    {"iterations", "N", "maximum number of iterations; default: 100", false},
    {"threads", "N", "number of threads; default: one for each processor", false},
    {"json", NULL, "print as JSON", false},
    {"picture", "FILE", "draw measured and computed values: .png, .svg or .pdf", false},
    {"write", "FILE", "write the robot with the fitted values", false},
    {0},
};

const verb verb_fit = {
    .name = "fit",
    .summary = "fit parameters of a robot to measurements, with uncertainties",
    .arguments = "FILE",
    .about =
        "Finds values of the robot file, within bounds, with which the robot best agrees with\n"
        "measurements. In a table with a time column the rows are a motion; otherwise each\n"
        "row is an equilibrium. Prints values with 95 % intervals, correlations, combinations\n"
        "that the data cannot determine, and errors before and after.",
    .options = options,
    .examples = "  tendril fit weight-release.yaml --data weight-release.csv --vary "
                "rods.wire.stiffness.bending=0.01..0.1 --vary rods.wire.drag=0..0.02\n"
                "  tendril fit weight-release.yaml --data weight-release.csv --vary "
                "rods.wire.stiffness.bending=0.01..0.1 --hold-out 0.5 --picture fit.png\n",
    .run = run,
};
