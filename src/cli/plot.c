// tendril plot: figures of results.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/figure.h"
#include "cli/gnuplot.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "robot/suggest.h"

enum { MOST_PIXELS = 20000, MOST_CURVES = 16 };

typedef struct kind {
    const char *name;
    void (*add)(panel_list *l, const figure *f);
    const char *needs;  // what must have been recorded
} kind;

static const kind kinds[] = {
    {"shapes", add_shapes, "record.fields to hold pose"},
    {"tip", add_tip, "a run, and record.fields to hold pose"},
    {"energy", add_energy, "a run, and record.fields to hold energy"},
    {"strain", add_strain, "record.fields to hold strain"},
    {"tendons", add_tendons, "a run with tendons, and record.fields to hold tendons"},
    {"chambers", add_chambers, "a run with chambers, and record.fields to hold chambers"},
    {"bodies", add_bodies, "a run with free bodies that move, and record.fields to hold bodies"},
    {"inputs", add_inputs, "a run, and record.fields to hold inputs"}};
#define KIND_NAMES "shapes, tip, energy, strain, tendons, chambers, bodies, inputs"
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

// ---------------------------------------------------------------- options
static bool check_kind(const char *name) {
    suggestion s = suggest_for(name);
    suggest(&s, "all");
    if (!strcmp(name, "all")) return true;
    for (int i = 0; i < N_KINDS; i++) {
        if (!strcmp(name, kinds[i].name)) return true;
        suggest(&s, kinds[i].name);
    }
    print_error("--kind", "'%s' is not one of " KIND_NAMES " or all%s%s%s", name,
                s.best ? "; did you mean " : "", s.best ? s.best : "", s.best ? "?" : "");
    return false;
}

// Does this result hold the scalar? Its unit is copied.
static bool check_scalar(const result *r, const char *where, const char *name, char unit[64]) {
    int n = 0;
    bool found = false;
    result_scalar *all = scalars_of(r, &n);
    suggestion s = suggest_for(name);
    for (int i = 0; all && i < n && !found; i++) {
        found = !strcmp(all[i].name, name);
        if (found) snprintf(unit, 64, "%s", all[i].unit);
        suggest(&s, all[i].name);
    }
    if (!found && s.best)
        print_error(where, "'%s' is not in %s; did you mean %s?", name, r->path, s.best);
    else if (!found)
        print_error(where,
                    "'%s' is not in %s; there are names like time, tip.x, tendon.NAME.tension, "
                    "input.NAME, energy.kinetic",
                    name, r->path);
    free(all);
    return found;
}

static bool check_axes(const args *a, const figure *f) {
    if (args_has(a, "kind")) {
        print_error("--kind", "does not go with --x and --y");
        return false;
    }
    if (!f->n_y) {
        print_error("--x", "needs --y NAME: what is drawn over it");
        return false;
    }
    char unit[64] = "", first[64] = "";
    for (int i = 0; i < f->n_results; i++) {
        if (!check_scalar(f->results[i], "--x", f->x, unit)) return false;
        for (int k = 0; k < f->n_y; k++) {
            if (!check_scalar(f->results[i], "--y", f->y[k], k ? unit : first)) return false;
            if (!k || !strcmp(unit, first)) continue;
            print_error("--y", "%s [%s] and %s [%s] do not go on one axis", f->y[0], first, f->y[k],
                        unit);
            return false;
        }
    }
    return true;
}

static bool parse_size(const char *text, int size[2]) {
    char *end;
    for (int i = 0; i < 2; i++) {
        long n = strtol(text, &end, 10);
        char after = i == 0 ? 'x' : '\0';
        if (end == text || *end != after || n < 100 || n > MOST_PIXELS) return false;
        size[i] = (int)n;
        text = end + 1;
    }
    return true;
}

typedef enum format { FORMAT_PNG, FORMAT_SVG, FORMAT_PDF, FORMAT_UNKNOWN } format;

static format format_of(const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot && !strcasecmp(dot, ".png")) return FORMAT_PNG;
    if (dot && !strcasecmp(dot, ".svg")) return FORMAT_SVG;
    if (dot && !strcasecmp(dot, ".pdf")) return FORMAT_PDF;
    return FORMAT_UNKNOWN;
}

// Next to a single result; in the current folder when there are several.
static void default_path(const figure *f, const char *name, char *path, size_t size) {
    const char *file = !strcmp(name, "all") ? "plot" : name;
    snprintf(path, size, "%s.png", file);
    const char *slash = strrchr(f->results[0]->path, '/');
    if (f->n_results > 1 || !slash) return;
    snprintf(path, size, "%.*s/%s.png", (int)(slash - f->results[0]->path), f->results[0]->path,
             file);
}

// ---------------------------------------------------------------- drawing
// Text of the same size in all three: 11 points at 96 pixels to the inch.
static void set_terminal(FILE *script, format fmt, const int size[2]) {
    switch (fmt) {
    case FORMAT_PDF:
        fprintf(script,
                "set terminal pdfcairo noenhanced color size %.3fin,%.3fin font 'Sans,11' "
                "fontscale 0.75 linewidth 1.3\n",
                size[0] / 96.0, size[1] / 96.0);
        return;
    case FORMAT_SVG:
        fprintf(script,
                "set terminal svg noenhanced size %d,%d font 'Sans,11' fontscale 1.333 "
                "background rgb 'white'\n",
                size[0], size[1]);
        return;
    default:
        fprintf(script,
                "set terminal pngcairo noenhanced size %d,%d font 'Sans,11' background rgb "
                "'white'\n",
                size[0], size[1]);
    }
}

static void title_of(const figure *f, const char *given, char *title, size_t size) {
    const result *r = f->results[0];
    if (given) {
        snprintf(title, size, "%s", given);
    } else if (f->n_results > 1) {
        title[0] = '\0';
    } else {
        snprintf(title, size, "%s", r->robot[0] ? r->robot : r->label);
    }
}

static void draw(FILE *script, const figure *f, const panel_list *l, const char *title) {
    fputs("set encoding utf8\nset multiplot\n", script);
    if (title[0]) {
        fputs("set label 1 ", script);
        gnuplot_text(script, title);
        fputs(" at screen 0.5, screen 1 center offset 0,-1.3 font 'Sans,14'\n"
              "unset tics\nunset border\nset xrange [0:1]\nset yrange [0:1]\n"
              "plot -1 notitle\n",
              script);
    }
    for (int i = 0; i < l->n; i++) l->list[i].draw(script, f, &l->list[i]);
    fputs("unset multiplot\n", script);
}

static int make_figure(const args *a, const figure *f, panel_list *l, const char *name) {
    char path[640], title[256];
    int size[2];
    const char *out = args_value(a, "out"), *asked = args_value(a, "size");
    default_path(f, name, path, sizeof path);
    if (out) snprintf(path, sizeof path, "%s", out);
    if (format_of(path) == FORMAT_UNKNOWN) {
        print_error("--out", "'%s' must end in .png, .svg or .pdf", path);
        return EXIT_INPUT;
    }
    title_of(f, args_value(a, "title"), title, sizeof title);
    natural_size(l, title[0], size);
    if (asked && !parse_size(asked, size)) {
        print_error("--size", "'%s' must be WxH in pixels, e.g. 1200x900 (100 to %d each)", asked,
                    MOST_PIXELS);
        return EXIT_INPUT;
    }
    layout_panels(l, title[0], size);
    gnuplot g;
    if (!gnuplot_open(&g, path)) return EXIT_INPUT;
    set_terminal(g.script, format_of(path), size);
    draw(g.script, f, l, title);
    if (!gnuplot_close(&g)) return EXIT_FAILED;
    printf("%s\n", path);
    return EXIT_FINE;
}

static int plot_kind(const args *a, figure *f) {
    const char *name = args_has(a, "kind") ? args_value(a, "kind") : "all";
    panel_list l = {.n = 0};
    const char *needs = "something recorded";
    f->everything = !strcmp(name, "all");
    for (int i = 0; i < N_KINDS; i++) {
        if (!f->everything && strcmp(name, kinds[i].name)) continue;
        kinds[i].add(&l, f);
        if (!f->everything) needs = kinds[i].needs;
    }
    if (l.n == 0) {
        print_error(a->files[0], "nothing to plot: %s needs %s", name, needs);
        return EXIT_INPUT;
    }
    return make_figure(a, f, &l, name);
}

// Scalars over a scalar.
static int plot_against(const args *a, figure *f) {
    const char *y[MOST_CURVES];
    panel_list l = {.n = 0};
    f->x = args_has(a, "x") ? args_value(a, "x") : "time";
    f->y = y;
    if (args_count(a, "y") > MOST_CURVES) {
        print_error("--y", "given more than %d times", MOST_CURVES);
        return EXIT_INPUT;
    }
    for (; f->n_y < args_count(a, "y"); f->n_y++) y[f->n_y] = args_nth(a, "y", f->n_y);
    if (!check_axes(a, f)) return EXIT_INPUT;
    add_against(&l, f);
    return make_figure(a, f, &l, "against");
}

static int plot_results(const args *a, result *const *results, int n) {
    figure f = figure_of(results, n);
    return args_has(a, "x") || args_has(a, "y") ? plot_against(a, &f) : plot_kind(a, &f);
}

static int run(const args *a) {
    if (args_has(a, "kind") && !check_kind(args_value(a, "kind"))) return EXIT_INPUT;
    result **results = calloc((size_t)a->n_files, sizeof *results);
    if (!results) {
        print_error("plot", "out of memory");
        return EXIT_FAILED;
    }
    int code = EXIT_FINE;
    for (int i = 0; i < a->n_files && code == EXIT_FINE; i++) {
        td_error err = {0};
        results[i] = result_read(a->files[i], &err);
        if (results[i]) continue;
        report_error(NULL, &err);
        code = EXIT_INPUT;
    }
    if (code == EXIT_FINE) code = plot_results(a, results, a->n_files);
    for (int i = 0; i < a->n_files; i++) result_destroy(results[i]);
    free(results);
    return code;
}

static const option options[] = {
    {"kind", "KIND",
     "shapes, tip, energy, strain, tendons, chambers, bodies,\ninputs or all (default)", false},
    {"x", "NAME", "instead: one recorded number over another, e.g. time,\n"
                  "tip.x, tendon.east.displacement, input.pull", false},
    {"y", "NAME", "what is drawn over --x (default: time); may be given\nseveral times", true},
    {"out", "FILE",
     "a .png, .svg or .pdf; default: plot.png beside the result,\n"
     "or in the current folder when there are several",
     false},
    {"size", "WxH", "size in pixels (96 to the inch in a PDF)", false},
    {"title", "TEXT", "title of the figure; default: the robot's name", false},
    {0},
};

const verb verb_plot = {
    .name = "plot",
    .summary = "draw figures of results: shapes, tip, energy, tendons, inputs, ...",
    .arguments = "RESULT...",
    .least = 1,
    .most = -1,
    .about = "RESULT is a folder that run or statics wrote, or its result.h5. Several results go\n"
             "into one figure, told apart by colour. Needs gnuplot.",
    .options = options,
    .examples = "  tendril plot results/arm\n"
                "  tendril plot results/arm --kind shapes --out shapes.pdf --size 500x400\n"
                "  tendril plot results/coarse results/fine --kind tip --out compare.svg\n"
                "  tendril plot results/arm --x tendon.east.displacement --y tendon.east.tension\n",
    .run = run,
};
