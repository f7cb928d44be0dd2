// cli/sweep_figure.c - pictures of a table: where variance comes from, maps, histograms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/drawing.h"
#include "cli/gnuplot.h"
#include "cli/sweeping.h"
#include "cli/terminal.h"

enum { MOST_SWEEP_PANELS = 9, MOST_BINS = 60, MOST_DOTS = 20000, MOST_NAME = 24 };

typedef struct chart {
    const sweeping *s;
    int columns[MOST_SWEEP_PANELS][3];  // of maps: x, y, colour (-1: none)
} chart;

// ---------------------------------------------------------------- columns
static void range_of(const sweeping *s, int column, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (long long i = 0; i < s->table.n_cases; i++) {
        const double x = sweeping_value(s, i, column);
        if (isfinite(x)) *lo = fmin(*lo, x), *hi = fmax(*hi, x);
    }
    if (*lo > *hi) *lo = 0.0, *hi = 1.0;
    if (!(*hi - *lo > 1e-12 * fmax(fabs(*lo), fabs(*hi)))) {
        const double air = *lo != 0.0 ? 0.05 * fabs(*lo) : 1.0;
        *lo -= air, *hi += air;
    }
}

static axis_unit unit_of(const sweeping *s, int column) {
    double lo, hi;
    range_of(s, column, &lo, &hi);
    return axis_unit_for(fmax(fabs(lo), fabs(hi)), sweeping_column(s, column).unit);
}

static void label(FILE *script, const panel *p, const sweeping *s, const char *axis, int column,
                  const axis_unit *unit) {
    char name[64];
    snprintf(name, sizeof name, "%.60s", sweeping_column(s, column).name);
    set_label(script, p, axis, name, unit->text);
}

// ---------------------------------------------------------------- histograms
static int bins_for(long long n) {
    const int bins = (int)ceil(1.5 * cbrt((double)n));
    return bins < 5 ? 5 : bins > MOST_BINS ? MOST_BINS : bins;
}

static void draw_histogram(FILE *script, const figure *f, const panel *p) {
    const sweeping *s = ((const chart *)f->own)->s;
    const int column = p->which, bins = bins_for(s->table.n_cases);
    const axis_unit unit = unit_of(s, column);
    long long counts[MOST_BINS] = {0}, most = 0;
    double lo, hi;
    range_of(s, column, &lo, &hi);
    for (long long i = 0; i < s->table.n_cases; i++) {
        const double x = sweeping_value(s, i, column);
        if (!isfinite(x)) continue;
        const int bin = (int)((x - lo) / (hi - lo) * bins);
        const long long count = ++counts[bin < bins ? bin : bins - 1];
        if (count > most) most = count;
    }
    panel_begin(script, p);
    fputs("$bars << EOD\n", script);
    const double width = (hi - lo) / bins;
    for (int i = 0; i < bins; i++)
        fprintf(script, "%.9g %lld\n", unit.factor * (lo + (i + 0.5) * width), counts[i]);
    fputs("EOD\n", script);
    label(script, p, s, "x", column, &unit);
    set_label(script, p, "y", "cases", "");
    set_run_range(script, p, unit.factor * lo, unit.factor * hi);
    set_value_range(script, p, 0.0, (double)most);
    fprintf(script, "set yrange [0:*]\nset boxwidth %.9g\nset style fill solid 0.75 noborder\n",
            0.92 * unit.factor * width);
    fprintf(script, "plot $bars using 1:2 with boxes lc rgb '%s' notitle\n", curve_colour(0));
}

// ---------------------------------------------------------------- maps
static void put_dots(FILE *script, const sweeping *s, const int columns[3],
                     const axis_unit units[3]) {
    const long long stride = 1 + s->table.n_cases / MOST_DOTS;
    fputs("$dots << EOD\n", script);
    for (long long i = 0; i < s->table.n_cases; i += stride) {
        double v[3] = {0.0, 0.0, 0.0};
        bool finite = true;
        for (int k = 0; k < 3; k++)
            if (columns[k] >= 0) {
                v[k] = units[k].factor * sweeping_value(s, i, columns[k]);
                finite = finite && isfinite(v[k]);
            }
        if (finite) fprintf(script, "%.9g %.9g %.9g\n", v[0], v[1], v[2]);
    }
    fputs("EOD\n", script);
}

static void set_colours(FILE *script, const sweeping *s, int column, const axis_unit *unit) {
    char name[128];
    snprintf(name, sizeof name, "%.60s%s%.30s%s", sweeping_column(s, column).name,
             unit->text[0] ? " (" : "", unit->text, unit->text[0] ? ")" : "");
    fputs("set cblabel ", script);
    gnuplot_text(script, name);
    fputs(" offset 0.6\nset cbtics scale 0.4\n", script);
}

// Lengths against lengths are drawn to the same scale: a place is where it is.
static void draw_map(FILE *script, const figure *f, const panel *p) {
    const chart *c = f->own;
    const sweeping *s = c->s;
    const int *columns = c->columns[p->which];
    axis_unit units[3];
    double lo[2], hi[2];
    for (int k = 0; k < 3; k++)
        units[k] = columns[k] >= 0 ? unit_of(s, columns[k]) : (axis_unit){1.0, ""};
    for (int k = 0; k < 2; k++) range_of(s, columns[k], &lo[k], &hi[k]);
    const bool lengths = !strcmp(sweeping_column(s, columns[0]).unit, "m") &&
                         !strcmp(sweeping_column(s, columns[1]).unit, "m");
    if (lengths) {
        const axis_unit both = axis_unit_for(
            fmax(fmax(fabs(lo[0]), fabs(hi[0])), fmax(fabs(lo[1]), fabs(hi[1]))), "m");
        units[0] = units[1] = both;
        const double pixel = 1.08 * fmax((hi[0] - lo[0]) / p->width, (hi[1] - lo[1]) / p->height);
        const double size[2] = {0.5 * pixel * p->width, 0.5 * pixel * p->height};
        for (int k = 0; k < 2; k++) {
            const double middle = 0.5 * (lo[k] + hi[k]);
            lo[k] = middle - size[k], hi[k] = middle + size[k];
        }
    }
    panel_begin(script, p);
    put_dots(script, s, columns, units);
    label(script, p, s, "x", columns[0], &units[0]);
    label(script, p, s, "y", columns[1], &units[1]);
    set_run_range(script, p, units[0].factor * lo[0], units[0].factor * hi[0]);
    set_value_range(script, p, units[1].factor * lo[1], units[1].factor * hi[1]);
    if (lengths)
        fprintf(script, "set yrange [%.9g:%.9g]\n", units[1].factor * lo[1],
                units[1].factor * hi[1]);
    if (columns[2] >= 0) set_colours(script, s, columns[2], &units[2]);
    fprintf(script, "plot $dots using 1:2%s with points pt 7 ps %g lc %s notitle\n",
            columns[2] >= 0 ? ":3" : "", s->table.n_cases > 2000 ? 0.25 : 0.5,
            columns[2] >= 0 ? "palette" : "rgb '#20739a'");
}

// ---------------------------------------------------------------- heat maps
// Values of a grid as coloured cells around them, which needs no equal steps.
static void draw_heat(FILE *script, const figure *f, const panel *p) {
    const chart *c = f->own;
    const sweeping *s = c->s;
    const int *columns = c->columns[p->which];
    const int across = sweeping_column(s, columns[0]).n_grid;
    const int up = sweeping_column(s, columns[1]).n_grid;
    axis_unit units[3];
    for (int k = 0; k < 3; k++) units[k] = unit_of(s, columns[k]);
    panel_begin(script, p);
    fputs("$cells << EOD\n", script);
    // Cases count with the last parameter fastest; other parameters have one value.
    for (long long i = 0; i < s->table.n_cases; i++) {
        const double z = units[2].factor * sweeping_value(s, i, columns[2]);
        fprintf(script, "%lld %lld ", i / up, i % up);
        if (isfinite(z)) fprintf(script, "%.9g\n", z);
        else fputs("?\n", script);
    }
    fputs("EOD\nset datafile missing '?'\nunset grid\n", script);
    const int n[2] = {across, up};
    const char axes[2] = {'x', 'y'};
    for (int k = 0; k < 2; k++) {
        const int stride = 1 + (n[k] - 1) / 6;
        label(script, p, s, k ? "y" : "x", columns[k], &units[k]);
        fprintf(script, "set %crange [-0.5:%g]\nset %ctics (", axes[k], n[k] - 0.5, axes[k]);
        for (int i = 0; i < n[k]; i += stride) {
            const long long row = k ? i : (long long)i * up;
            fprintf(script, "%s'%.4g' %d", i ? ", " : "",
                    units[k].factor * sweeping_value(s, row, columns[k]), i);
        }
        fputs(")\n", script);
    }
    set_colours(script, s, columns[2], &units[2]);
    fputs("plot $cells using 1:2:3 with image pixels notitle\n", script);
}

// The two parameters of a grid that have more than one value; false: there are not exactly two.
static bool find_grid(const sweeping *s, int axes[2]) {
    int n = 0;
    for (int i = 0; i < td_study_n_parameters(s->study); i++) {
        if (td_study_parameter(s->study, i).n_grid == 0) return false;
        if (td_study_parameter(s->study, i).n_grid < 2) continue;
        if (n < 2) axes[n] = i;
        n++;
    }
    return n == 2;
}

// ---------------------------------------------------------------- indices
static void draw_indices(FILE *script, const figure *f, const panel *p) {
    const sweeping *s = ((const chart *)f->own)->s;
    const int d = td_study_n_parameters(s->study);
    td_error err = {0};
    long long used;
    double *x = malloc(sizeof *x * (size_t)s->table.n_cases);
    td_sensitivity of[64];
    for (long long i = 0; x && i < s->table.n_cases; i++) x[i] = sweeping_value(s, i, d + p->which);
    const bool ok = x && td_study_get_sensitivity(s->study, x, of, &used, &err) == TD_OK;
    free(x);
    panel_begin(script, p);
    fputs("$bars << EOD\n", script);
    for (int i = 0; i < d; i++)
        if (ok)
            fprintf(script, "%d %.6g %.6g %.6g %.6g %.6g %.6g\n", i, of[i].first, of[i].first_low,
                    of[i].first_high, of[i].total, of[i].total_low, of[i].total_high);
        else fprintf(script, "%d 0 0 0 0 0 0\n", i);
    fputs("EOD\n", script);
    set_label(script, p, "y", "share of the variance", "");
    fprintf(script, "set xrange [-0.6:%g]\nset yrange [0:1.05]\nset ytics 0.2\nset xtics (",
            d - 0.4);
    for (int i = 0; i < d; i++) {
        char name[MOST_NAME + 1];
        snprintf(name, sizeof name, "%.*s", MOST_NAME, td_study_parameter(s->study, i).name);
        if (i) fputs(", ", script);
        gnuplot_text(script, name);
        fprintf(script, " %d", i);
    }
    fputs(")\nset boxwidth 0.34\nset style fill solid 0.75 noborder\n", script);
    fprintf(
        script,
        "plot $bars using ($1-0.18):2 with boxes lc rgb '%s' notitle, "
        "$bars using ($1+0.18):5 with boxes lc rgb '%s' notitle, "
        "$bars using ($1-0.18):3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb '#222222' notitle, "
        "$bars using ($1+0.18):6:(0):($7-$6) with vectors nohead lw 1.5 lc rgb '#222222' notitle\n",
        curve_colour(0), curve_colour(1));
}

// ---------------------------------------------------------------- which panels
static void title_of(panel *p, const char *before, const char *name) {
    snprintf(p->title, sizeof p->title, "%.40s%.80s", before, name);
}

static void add_results(const sweeping *s, chart *c, panel_list *l, const figure *f) {
    int axes[2], maps = l->n;
    const bool grid = find_grid(s, axes), indices = td_study_n_base(s->study) > 0;
    for (int i = 0; i < td_study_n_results(s->study) && l->n < MOST_SWEEP_PANELS; i++) {
        const char *name = td_study_result(s->study, i).name;
        panel p = {.place = PLACE_SPACE, .which = td_study_n_parameters(s->study) + i};
        if (grid) {
            memcpy(c->columns[maps], (int[]){axes[0], axes[1], p.which}, sizeof c->columns[0]);
            p.which = maps++, p.draw = draw_heat, p.colour_bar = true;
        } else if (indices) {
            p.draw = draw_indices, p.which = i;
            if (l->n == 0) {
                legend_add(&p.legend, f, "alone", (pen){curve_colour(0), 0});
                legend_add(&p.legend, f, "in all", (pen){curve_colour(1), 0});
            }
        } else {
            p.draw = draw_histogram;
        }
        title_of(&p, "", name);
        panel_add(l, p);
        if (!indices || l->n >= MOST_SWEEP_PANELS) continue;
        panel h = {.place = PLACE_SPACE,
                   .which = td_study_n_parameters(s->study) + i,
                   .draw = draw_histogram};
        title_of(&h, "", name);
        panel_add(l, h);
    }
}

static bool add_map(const sweeping *s, chart *c, panel_list *l, const char *text) {
    panel p = {.place = PLACE_SPACE, .draw = draw_map, .which = l->n};
    int *columns = c->columns[l->n], n = 0;
    columns[2] = -1;
    char name[160];
    for (const char *list = text; list_next(&list, name, sizeof name);) {
        if (n == 3) return print_error("--map", "'%s' must be X,Y or X,Y,COLOUR", text);
        if ((columns[n++] = sweeping_find(s, name)) < 0)
            return print_error("--map", "the table has no column '%s'", name);
    }
    if (n < 2) return print_error("--map", "'%s' must be X,Y or X,Y,COLOUR", text);
    p.colour_bar = columns[2] >= 0;
    snprintf(p.title, sizeof p.title, "%.50s and %.50s", sweeping_column(s, columns[0]).name,
             sweeping_column(s, columns[1]).name);
    panel_add(l, p);
    return true;
}

int sweeping_draw(const sweeping *s, const char *path) {
    drawing d;
    panel_list l = {.n = 0};
    chart c = {.s = s};
    const figure of = {.own = &c};
    if (!drawing_begin(&d, "picture", path)) return EXIT_INPUT;
    const int maps = args_count(s->args, "map");
    for (int i = 0; i < maps && i < MOST_SWEEP_PANELS; i++)
        if (!add_map(s, &c, &l, args_nth(s->args, "map", i))) return EXIT_INPUT;
    if (maps == 0) add_results(s, &c, &l, &of);
    return draw_panels(&d, &l, &of, td_study_name(s->study));
}
