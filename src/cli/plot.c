// tendril plot: figures of results.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/drawing.h"
#include "cli/reading.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "robot/suggest.h"

enum { MOST_PIXELS = 20000, MOST_CURVES = 16 };

typedef struct kind {
    const char *name;
    void (*add)(panel_list *l, const figure *f);  // NULL: a kind of actuator, by its own name
    const char *needs;                            // what must have been recorded
    bool always;                                  // part of `all`
} kind;

static const kind kinds[] = {
    {"robot", add_robot, "record.fields to hold pose", false},
    {"shapes", add_shapes, "record.fields to hold pose", true},
    {"tip", add_tip, "a run, and record.fields to hold pose", true},
    {"energy", add_energy, "a run, and record.fields to hold energy", true},
    {"strain", add_strain, "record.fields to hold strain", true},
    {NULL, NULL, "a run with such actuators, and record.fields to hold them", true},
    {"bodies", add_bodies, "a run with free bodies that move, and record.fields to hold bodies",
     true},
    {"reactions", add_reactions, "a run, and record.fields to hold reactions", false},
    {"inputs", add_inputs, "a run, and record.fields to hold inputs", true}};
#define KIND_NAMES                                                                                 \
    "robot, shapes, tip, energy, strain, tendons, chambers, bodies, reactions, inputs"
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

// ---------------------------------------------------------------- options
// Its number; -1: none, and near misses are noted where they are wanted.
static int actuator_kind_named(const char *name, suggestion *near) {
    const td_actuator_kind *k;
    for (int i = 0; (k = td_actuator_kind_at(i)); i++) {
        if (!strcmp(name, k->plural)) return i;
        if (near) suggest(near, k->plural);
    }
    return -1;
}

static bool check_kind(const char *name) {
    char hint[HINT_SIZE];
    suggestion s = suggest_for(name);
    suggest(&s, "all");
    if (!strcmp(name, "all")) return true;
    for (int i = 0; i < N_KINDS; i++) {
        if (!kinds[i].name) continue;
        if (!strcmp(name, kinds[i].name)) return true;
        suggest(&s, kinds[i].name);
    }
    if (actuator_kind_named(name, &s) >= 0) return true;
    return print_error("--kind", "'%s' is not one of " KIND_NAMES " or all%s", name,
                       hint_text(&s, "", hint));
}

// Does this result hold the scalar? Its unit is copied.
static bool check_scalar(const result *r, const char *where, const char *name, char unit[64]) {
    int n = 0;
    bool found = false;
    char hint[HINT_SIZE];
    result_scalar *all = scalars_of(r, &n);
    suggestion s = suggest_for(name);
    for (int i = 0; all && i < n && !found; i++) {
        found = !strcmp(all[i].name, name);
        if (found) snprintf(unit, 64, "%s", all[i].unit);
        suggest(&s, all[i].name);
    }
    char names[HINT_SIZE] =
        "; there are names like time, tip.x, tendon.NAME.tension, input.NAME, energy.kinetic";
    if (r->n_rods > 1)
        snprintf(names, sizeof names, "; there are names like time, rod.%.24s.tip.x, input.NAME",
                 r->rods[r->n_rods - 1].name);
    if (!found)
        print_error(where, "'%s' is not in %s%s", name, r->path, hint_text(&s, names, hint));
    free(all);
    return found;
}

static bool check_axes(const args *a, const figure *f) {
    if (args_has(a, "kind")) return print_error("--kind", "does not go with --x and --y");
    if (!f->n_y) return print_error("--x", "needs --y NAME: what is drawn over it");
    char unit[64] = "", first[64] = "";
    for (int i = 0; i < f->n_results; i++) {
        if (!check_scalar(f->results[i], "--x", f->x, unit)) return false;
        for (int k = 0; k < f->n_y; k++) {
            if (!check_scalar(f->results[i], "--y", f->y[k], k ? unit : first)) return false;
            if (!k || !strcmp(unit, first)) continue;
            return print_error("--y", "%s [%s] and %s [%s] do not go on one axis", f->y[0], first,
                               f->y[k], unit);
        }
    }
    return true;
}

// ---------------------------------------------------------------- the sheet
#define PRINT_DPI 300.0
#define COLUMN_WIDTH 88e-3       // m, of a page with two columns
#define PAPER_ZOOM (8.0 / 11.0)  // text of 8 points

static bool parse_size(const char *text, double size[2]) {
    char *end;
    for (int i = 0; i < 2; i++) {
        long n = strtol(text, &end, 10);
        char after = i == 0 ? 'x' : '\0';
        if (end == text || *end != after || n < 100 || n > MOST_PIXELS) return false;
        size[i] = (double)n;
        text = end + 1;
    }
    return true;
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

static bool read_style(const args *a, drawing *p) {
    const char *style = args_value(a, "style");
    p->print = style && !strcmp(style, "paper");
    if (style && !p->print && strcmp(style, "screen") != 0)
        return print_error("--style", "'%s' is not one of screen, paper", style);
    p->zoom = p->print ? PAPER_ZOOM : 1.0;
    p->dpi = p->print ? PRINT_DPI : SCREEN_DPI;
    return true;
}

// Lengths on paper, as pixels of the sheet.
static bool read_lengths(const args *a, drawing *p) {
    static const char *const names[2] = {"width", "height"};
    for (int i = 0; i < 2; i++) {
        double length = i == 0 && p->print ? COLUMN_WIDTH : 0.0;
        if (!args_quantities(a, names[i], "m", 1, &length)) return false;
        if (args_has(a, names[i]) && !(length >= 0.02 && length <= 2.0)) {
            char where[16];
            snprintf(where, sizeof where, "--%s", names[i]);
            return print_error(where, "%g mm must be from 20 mm to 2 m", 1e3 * length);
        }
        p->size[i] = length / 0.0254 * SCREEN_DPI / p->zoom;
    }
    return true;
}

static bool read_paper(const args *a, const figure *f, const char *name, drawing *p) {
    const char *out = args_value(a, "out"), *size = args_value(a, "size");
    char path[640];
    default_path(f, name, path, sizeof path);
    if (!drawing_begin(p, "out", out ? out : path)) return false;
    if (args_has(a, "font")) p->font = args_value(a, "font");
    if (strpbrk(p->font, ",;:"))
        return print_error("--font", "'%s' must be the name of a typeface alone, e.g. Times",
                           p->font);
    if (!read_style(a, p) || !read_lengths(a, p)) return false;
    if (!size) return true;
    if (p->print || args_has(a, "width") || args_has(a, "height"))
        return print_error("--size", "is in pixels and does not go with --style paper, --width or "
                                     "--height, which are lengths");
    if (parse_size(size, p->size)) return true;
    return print_error("--size", "'%s' must be WxH in pixels, e.g. 1200x900 (100 to %d each)", size,
                       MOST_PIXELS);
}

// ---------------------------------------------------------------- drawing
static void title_of(const figure *f, const char *given, bool print, char *title, size_t size) {
    const result *r = f->results[0];
    if (given) {
        snprintf(title, size, "%s", given);
    } else if (f->n_results > 1 || print) {
        title[0] = '\0';
    } else {
        snprintf(title, size, "%s", r->robot[0] ? r->robot : r->label);
    }
}

static int make_figure(const args *a, const figure *f, panel_list *l, const char *name) {
    char title[256];
    drawing p;
    if (!read_paper(a, f, name, &p)) return EXIT_INPUT;
    title_of(f, args_value(a, "title"), p.print, title, sizeof title);
    for (int i = 0; i < f->n_results && f->n_results > 1; i++) {
        legend_add(&l->results, f, f->results[i]->label, (pen){0});
        l->results.entries[l->results.n - 1].pen = (pen){curve_colour(i), 0};
    }
    int code = draw_panels(&p, l, f, title);
    if (code == EXIT_FINE) printf("%s\n", p.path);
    return code;
}

static int plot_kind(const args *a, figure *f) {
    const char *name = args_has(a, "kind") ? args_value(a, "kind") : "all";
    panel_list l = {.n = 0};
    const char *needs = "something recorded";
    f->everything = !strcmp(name, "all");
    for (int i = 0; i < N_KINDS; i++) {
        const int of = f->everything ? -1 : actuator_kind_named(name, NULL);
        const bool named = kinds[i].name ? !strcmp(name, kinds[i].name) : of >= 0;
        if (f->everything ? !kinds[i].always : !named) continue;
        if (kinds[i].add) kinds[i].add(&l, f);
        for (int k = 0; !kinds[i].add && k < td_n_actuator_kinds(); k++)
            if (f->everything || k == of) add_actuators(&l, f, k);
        if (!f->everything) needs = kinds[i].needs;
    }
    if (l.n == 0)
        return exit_error(EXIT_INPUT, a->files[0], "nothing to plot: %s needs %s", name, needs);
    return make_figure(a, f, &l, name);
}

// Scalars over a scalar.
static int plot_against(const args *a, figure *f) {
    const char *y[MOST_CURVES];
    panel_list l = {.n = 0};
    f->x = args_has(a, "x") ? args_value(a, "x") : "time";
    f->y = y;
    if (args_count(a, "y") > MOST_CURVES)
        return exit_error(EXIT_INPUT, "--y", "given more than %d times", MOST_CURVES);
    for (; f->n_y < args_count(a, "y"); f->n_y++) y[f->n_y] = args_nth(a, "y", f->n_y);
    if (!check_axes(a, f)) return EXIT_INPUT;
    add_against(&l, f);
    return make_figure(a, f, &l, "against");
}

static bool read_views(const args *a, figure *f) {
    int n = args_count(a, "view");
    if (n > MOST_VIEWS) return print_error("--view", "given more than %d times", MOST_VIEWS);
    for (int i = 0; i < n; i++) {
        const char *text = args_nth(a, "view", i);
        if (view_parse(text, &f->views[i])) continue;
        return print_error("--view", VIEW_RULE, text);
    }
    f->chosen = n > 0;
    if (n > 0) f->n_views = n;
    return true;
}

// An instant is one of the robot, and of each result.
static bool read_time(const args *a, figure *f) {
    const char *drawn = args_value(a, "kind");
    if (!args_has(a, "time")) return true;
    if (!args_seconds(a, "time", &f->time)) return false;
    if (!drawn || strcmp(drawn, "robot"))
        return print_error("--time", "is the instant of --kind robot, which was not asked for");
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        const double from = r->time[0], to = r->time[r->n_times - 1], slack = 1e-9 * (to - from);
        if (!(f->time >= from - slack && f->time <= to + slack))
            return print_error("--time", "%g s is not within the records of %s, %g to %g s",
                               f->time, r->path, from, to);
    }
    return true;
}

static int plot_results(const args *a, result *const *results, int n) {
    figure f = figure_of(results, n);
    if (!read_views(a, &f) || !read_time(a, &f)) return EXIT_INPUT;
    return args_has(a, "x") || args_has(a, "y") ? plot_against(a, &f) : plot_kind(a, &f);
}

static int run(const args *a) {
    if (args_has(a, "kind") && !check_kind(args_value(a, "kind"))) return EXIT_INPUT;
    result **results = calloc((size_t)a->n_files, sizeof *results);
    if (!results) return exit_error(EXIT_FAILED, "plot", "out of memory");
    int code = EXIT_FINE;
    for (int i = 0; i < a->n_files && code == EXIT_FINE; i++) {
        results[i] = open_result(a->files[i]);
        if (!results[i]) code = EXIT_INPUT;
    }
    if (code == EXIT_FINE) code = plot_results(a, results, a->n_files);
    for (int i = 0; i < a->n_files; i++) result_destroy(results[i]);
    free(results);
    return code;
}

static const option options[] = {
    {"kind", "KIND",
     "robot, shapes, tip, energy, strain, tendons, chambers,\nbodies, reactions, inputs or all "
     "(default)",
     false},
    {"x", "NAME",
     "draw one recorded value over another instead: time, tip.x,\n"
     "tendon.east.displacement, input.pull, ...",
     false},
    {"y", "NAME",
     "value drawn over --x (default: time); may be given several\n"
     "times",
     true},
    {"view", "VIEW",
     "view of shapes, paths and the robot: xz, xy, yz, 3d, or\n"
     "azimuth and elevation in degrees, --view=-60,25; may be\n"
     "given several times",
     true},
    {"time", "T", "time of --kind robot; default: the last", false},
    {"out", "FILE",
     "a .png, .svg or .pdf; default: plot.png beside the result,\n"
     "or in the current folder when there are several",
     false},
    {"style", "STYLE",
     "screen (default), or paper: 8-point text, no title, one\n"
     "column wide, PNG with 300 pixels per inch",
     false},
    {"width", "LENGTH", "width on paper, '180 mm'; default for --style paper: 88 mm", false},
    {"height", "LENGTH", "height on paper; default: as the panels need", false},
    {"size", "WxH", "size in pixels instead (96 per inch in a PDF)", false},
    {"font", "NAME", "typeface; default: Sans", false},
    {"title", "TEXT", "title of the figure; default: the robot's name", false},
    {0},
};

const verb verb_plot = {
    .name = "plot",
    .summary = "draw results: the robot, shapes, tip, energy, tendons, ...",
    .arguments = "RESULT...",
    .about = "RESULT is a folder written by run or statics, or its result.h5. Several results are\n"
             "drawn in one figure, in different colours. Needs gnuplot.",
    .options = options,
    .examples =
        "  tendril plot results/arm\n"
        "  tendril plot results/arm --kind shapes --view xz --style paper --out shapes.pdf\n"
        "  tendril plot results/arm results/fine --kind tip --out compare.svg\n"
        "  tendril plot results/arm --x tendon.pull.displacement --y tendon.pull.tension\n",
    .run = run,
};
