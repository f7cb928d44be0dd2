// tendril response: what outputs do under an input that swings, over the frequency.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/drawing.h"
#include "cli/linear.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/json.h"
#include "math/pi.h"

enum { USUAL_POINTS = 200, MOST_POINTS = 100000, MOST_CURVES = 12 };

typedef struct response {
    linear x;
    int input;
    double from, to;  // Hz
    int points;
    int rows;
    double *frequency;  // (points) Hz
    double *gain;       // (points x rows) of output over input, SI
    double *phase;      // (points x rows) degrees, without jumps of 360
    double *H;          // scratch: (n_outputs x n_inputs), complex
} response;

// ---------------------------------------------------------------- what is asked for
static bool choose_input(response *r, const args *a) {
    const td_system *system = r->x.s.system;
    const char *name = args_value(a, "input");
    const int n = td_n_inputs(system);
    if (!name && n == 1) return r->input = 0, true;
    r->input = name ? td_find_input(system, name) : -1;
    if (r->input >= 0) return true;
    if (n == 0) return print_error(r->x.s.file, "the robot has no input");
    if (!name) return print_error("--input", "is missing: the robot has %d inputs", n);
    return session_has_no("--input", "input", name, &r->x.s, n, td_input_name);
}

static bool choose_frequencies(response *r, const args *a) {
    r->from = 0.1, r->to = 100.0, r->points = USUAL_POINTS;
    if (!args_quantities(a, "from", "Hz", 1, &r->from) ||
        !args_quantities(a, "to", "Hz", 1, &r->to) ||
        !args_integer(a, "points", 2, MOST_POINTS, &r->points))
        return false;
    if (r->from > 0.0 && r->from < r->to && isfinite(r->to)) return true;
    return print_error("--from", "%g Hz must be above 0 and below --to, which is %g Hz", r->from,
                       r->to);
}

// ---------------------------------------------------------------- computing
// Degrees next to those before.
static double unwrap(double degrees, double before) {
    return degrees - 360.0 * round((degrees - before) / 360.0);
}

static int compute_at(response *r, int i) {
    const double share = (double)i / (r->points - 1);
    const double f = r->from * pow(r->to / r->from, share);
    const td_status status = td_get_frequency_response(r->x.l, 2.0 * PI * f, r->H);
    r->frequency[i] = f;
    if (status < 0)
        return exit_error(EXIT_FAILED, r->x.s.file,
                          "no response at %g Hz: a mode is there that nothing damps", f);
    for (int k = 0; k < r->rows; k++) {
        const char *name, *unit;
        const int row = linear_row(&r->x, k, &name, &unit);
        const double *h = r->H + 2 * (row * r->x.of->n_inputs + r->input);
        const int at = i * r->rows + k;
        const double phase = atan2(h[1], h[0]) * DEGREES;
        r->gain[at] = hypot(h[0], h[1]);
        r->phase[at] = i ? unwrap(phase, r->phase[at - r->rows]) : phase;
    }
    return EXIT_FINE;
}

static int compute(response *r) {
    const td_linear *of = r->x.of;
    const size_t n = (size_t)r->points;
    r->rows = linear_n_rows(&r->x);
    r->frequency = calloc(n, sizeof(double));
    r->gain = calloc(n * (size_t)r->rows, sizeof(double));
    r->phase = calloc(n * (size_t)r->rows, sizeof(double));
    r->H = calloc(2 * (size_t)of->n_outputs * (size_t)of->n_inputs, sizeof(double));
    if (!r->frequency || !r->gain || !r->phase || !r->H)
        return exit_error(EXIT_FAILED, r->x.s.file, "out of memory");
    int code = EXIT_FINE;
    for (int i = 0; i < r->points && code == EXIT_FINE; i++) code = compute_at(r, i);
    return code;
}

// ---------------------------------------------------------------- output
// "m/N"; of numbers without a unit "1".
static void ratio_unit(const char *of, const char *by, char *text, size_t size) {
    const bool plain = !by[0] || !strcmp(by, "1");
    const char *braces[2] = {strpbrk(by, " /") ? "(" : "", strpbrk(by, " /") ? ")" : ""};
    if (plain) snprintf(text, size, "%s", of);
    else snprintf(text, size, "%s/%s%s%s", of[0] ? of : "1", braces[0], by, braces[1]);
}

static const char *row_name(const response *r, int k, char unit[64]) {
    const char *name, *of;
    linear_row(&r->x, k, &name, &of);
    ratio_unit(of, td_input_unit(r->x.s.system, r->input), unit, 64);
    return name;
}

static double decibels(double gain) {
    return 20.0 * log10(gain);
}

static void print_csv(const response *r) {
    char unit[64], text[32];
    printf("frequency [Hz]");
    for (int k = 0; k < r->rows; k++) {
        const char *name = row_name(r, k, unit);
        printf(",%s gain [%s],%s phase [deg]", name, unit, name);
    }
    putchar('\n');
    for (int i = 0; i < r->points; i++) {
        format_exact(text, sizeof text, r->frequency[i]);
        printf("%s", text);
        for (int k = 0; k < r->rows; k++) {
            format_exact(text, sizeof text, r->gain[i * r->rows + k]);
            printf(",%s", text);
            format_exact(text, sizeof text, r->phase[i * r->rows + k]);
            printf(",%s", text);
        }
        putchar('\n');
    }
}

static void print_table(const response *r) {
    char unit[64];
    const char *input = td_input_name(r->x.s.system, r->input);
    printf("%s: response to %s about the equilibrium\n%14s", r->x.s.file, input, "frequency [Hz]");
    for (int k = 0; k < r->rows; k++) {
        char head[96];
        const char *name = row_name(r, k, unit);
        snprintf(head, sizeof head, "%.60s [%.24s]", name, unit);
        printf(" %24s %9s %11s", head, "dB", "phase [deg]");
    }
    putchar('\n');
    for (int i = 0; i < r->points; i++) {
        printf("%14.6g", r->frequency[i]);
        for (int k = 0; k < r->rows; k++) {
            const double gain = r->gain[i * r->rows + k];
            printf(" %24.6g %9.3f %11.3f", gain, decibels(gain), r->phase[i * r->rows + k]);
        }
        putchar('\n');
    }
}

static void put_column(json *j, const char *key, const response *r, const double *values, int k) {
    json_open_array(j, key);
    for (int i = 0; i < r->points; i++) json_number(j, values[i * r->rows + k]);
    json_end_array(j);
}

static void put_output(json *j, const void *of, int k) {
    const response *r = of;
    char unit[64];
    json_put_string(j, "name", row_name(r, k, unit));
    json_put_string(j, "unit", unit);
    put_column(j, "gain", r, r->gain, k);
    put_column(j, "phase", r, r->phase, k);
}

static void print_json(const response *r) {
    json j = linear_begin_json(&r->x);
    json_put_string(&j, "input", td_input_name(r->x.s.system, r->input));
    json_put_numbers(&j, "frequency", r->frequency, r->points);
    json_put_list(&j, "outputs", r->rows, put_output, r);
    json_end_object(&j);
}

// ---------------------------------------------------------------- the picture
static void put_data(FILE *script, const response *r, bool phase) {
    fputs("$response << EOD\n", script);
    for (int i = 0; i < r->points; i++) {
        fprintf(script, "%.9g", r->frequency[i]);
        for (int k = 0; k < r->rows; k++) {
            const int at = i * r->rows + k;
            const double value = phase ? r->phase[at] : decibels(r->gain[at]);
            if (isfinite(value) && r->gain[at] > 0.0) fprintf(script, " %.9g", value);
            else fputs(" ?", script);
        }
        fputc('\n', script);
    }
    fputs("EOD\n", script);
}

static void range_of(const response *r, bool phase, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < r->points * r->rows; i++) {
        if (!(r->gain[i] > 0.0)) continue;
        const double value = phase ? r->phase[i] : decibels(r->gain[i]);
        *lo = fmin(*lo, value), *hi = fmax(*hi, value);
    }
}

static void draw_panel(FILE *script, const figure *f, const panel *p) {
    const response *r = f->own;
    const bool phase = p->which == 1;
    char unit[64], told[80];
    double lo, hi;
    row_name(r, 0, unit);
    snprintf(told, sizeof told, "dB, 0 at 1 %.64s", unit);
    panel_begin(script, p);
    put_data(script, r, phase);
    range_of(r, phase, &lo, &hi);
    fprintf(script, "set logscale x\nset xrange [%.9g:%.9g]\nset mxtics 10\n", r->from, r->to);
    fputs("set grid xtics mxtics ytics lc rgb '#e3e3e3' lw 0.8 lt 1, lc rgb '#f0f0f0' lw 0.6 lt 1\n"
          "set format x '%g'\nset datafile missing '?'\n",
          script);
    if (!phase) fputs("set format x ''\n", script);
    set_value_range(script, p, lo, hi);
    if (phase)
        fprintf(script, "set ytics %g\nset format y '%%.0f'\n", hi - lo > 400.0 ? 180.0 : 90.0);
    set_label(script, p, "y", phase ? "phase" : "gain", phase ? "degrees" : told);
    if (p->names_time) set_label(script, p, "x", "frequency", "Hz");
    int n = 0;
    for (int k = 0; k < r->rows; k++) {
        char columns[32];
        snprintf(columns, sizeof columns, "1:%d", 2 + k);
        put_curve(script, &n, "$response", columns, (pen){curve_colour(k), k / 8});
    }
    fputc('\n', script);
}

static bool same_units(const response *r) {
    char first[64], unit[64];
    row_name(r, 0, first);
    for (int k = 1; k < r->rows; k++) {
        const char *name = row_name(r, k, unit);
        if (!strcmp(unit, first)) continue;
        return print_error("--picture",
                           "%s [%s] does not go on one axis with [%s]; name outputs of one unit",
                           name, unit, first);
    }
    if (r->rows <= MOST_CURVES) return true;
    return print_error("--picture", "%d curves are more than %d", r->rows, MOST_CURVES);
}

static int draw(const response *r, const char *path) {
    drawing d;
    if (!drawing_begin(&d, "picture", path) || !same_units(r)) return EXIT_INPUT;
    figure f = {.own = r};
    panel_list l = {.n = 0};
    char title[192], unit[64];
    const char *name = td_robot_name(r->x.s.robot);
    for (int which = 0; which < 2; which++) {
        panel p = {.draw = draw_panel, .place = PLACE_TIME, .which = which};
        for (int k = 0; which == 0 && k < r->rows; k++)
            legend_add(&p.legend, &f, row_name(r, k, unit), (pen){curve_colour(k), k / 8});
        snprintf(p.title, sizeof p.title, "%s", which ? "Phase" : "Gain");
        panel_add(&l, p);
    }
    snprintf(title, sizeof title, "%.90s%sresponse to %.60s", name ? name : "",
             name && name[0] ? ": " : "", td_input_name(r->x.s.system, r->input));
    d.size[0] = 780.0, d.size[1] = 600.0;
    return draw_panels(&d, &l, &f, title);
}

// ---------------------------------------------------------------- the verb
static int solve(response *r, const args *a) {
    const char *outputs = args_value(a, "output"), *picture = args_value(a, "picture");
    if (!choose_frequencies(r, a)) return EXIT_INPUT;
    int code = linear_open(&r->x, a);
    if (code != EXIT_FINE) return code;
    if (!choose_input(r, a)) return EXIT_INPUT;
    if (!outputs && td_n_rods(r->x.s.system) > 1)
        return exit_error(EXIT_INPUT, "--output", "is missing, e.g. rod.%s.tip.x",
                          td_rod_name(r->x.s.system, 0));
    code = linear_name_outputs(&r->x, "output", outputs ? outputs : "tip.position");
    if (code == EXIT_FINE) code = linear_about(&r->x, NULL, 0);
    if (code == EXIT_FINE) code = compute(r);
    if (code != EXIT_FINE) return code;
    if (args_has(a, "json")) print_json(r);
    else if (args_has(a, "csv")) print_csv(r);
    else if (!picture) print_table(r);
    if (picture) code = draw(r, picture);
    if (!args_has(a, "json") && !args_has(a, "csv")) {
        if (picture && code == EXIT_FINE) printf("%s\n", picture);
        linear_print_notes(&r->x);
    }
    return code;
}

static int run(const args *a) {
    response r = {0};
    int code = solve(&r, a);
    free(r.frequency);
    free(r.gain);
    free(r.phase);
    free(r.H);
    linear_close(&r.x);
    return code;
}

static const option options[] = {
    LINEAR_OPTIONS,
    {"input", "NAME",
     "the input that oscillates; may be left out if there is\n"
     "only one",
     false},
    {"output", "NAMES",
     "outputs, separated by commas: tip.x, rod.arm.tip.position,\n"
     "body.plate.z, tendon.east.tension; default: tip.position",
     false},
    {"from", "F", "lowest frequency; default: 0.1 Hz", false},
    {"to", "F", "highest frequency; default: 100 Hz", false},
    {"points", "N",
     "number of frequencies, evenly spaced on a logarithmic\n"
     "axis; default: 200",
     false},
    {"json", NULL, "print as JSON", false},
    {"csv", NULL, "print as CSV", false},
    {"picture", "FILE", "draw gain and phase (Bode): .png, .svg or .pdf", false},
    {0},
};

const verb verb_response = {
    .name = "response",
    .summary = "compute the frequency response of outputs to an input",
    .arguments = "FILE",
    .about = "Finds the equilibrium, linearises the motion about it, and prints gain (in SI units\n"
             "and decibels) and phase of outputs when one input oscillates. Rotations and\n"
             "velocities are in the world frame.",
    .options = options,
    .examples =
        "  tendril response tendon-arm.yaml --input up --output tip.z --points 20\n"
        "  tendril response tendon-arm.yaml --input up --output tip.x,tip.z --from '0.5 Hz' "
        "--to '50 Hz' --picture response.png\n"
        "  tendril response finger-air.yaml --csv\n",
    .run = run,
};
