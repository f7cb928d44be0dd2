// cli/estimate_figure.c - estimates with bands of two deviations, over what was measured and what is true.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/drawing.h"
#include "cli/estimating.h"
#include "cli/terminal.h"

enum { MOST_ESTIMATE_PANELS = 6, MOST_POINTS = 2000 };

typedef struct series {
    const char *name, *unit;
    int at;         // in a row: estimate, deviation, other
    bool measured;  // other is a reading, not the truth
} series;

// Unknown numbers first, then channels.
static series series_of(const estimating *g, int which) {
    if (which < g->n_numbers)
        return (series){td_estimator_name(g->e, which), td_estimator_unit(g->e, which),
                        1 + 3 * which, false};
    const channel *c = &g->channels[which - g->n_numbers];
    return (series){c->name, c->unit, 1 + 3 * which, true};
}

// estimate, deviation, other
static void cell(const estimating *g, const series *s, int row, double out[3]) {
    const double *x = g->rows + (size_t)row * (size_t)estimating_width(g) + s->at;
    out[0] = s->measured ? x[1] : x[0];
    out[1] = s->measured ? x[2] : x[1];
    out[2] = s->measured ? x[0] : x[2];
}

static void put_rows(FILE *script, const estimating *g, const series *s, double factor) {
    const int stride = 1 + g->n_rows / MOST_POINTS, width = estimating_width(g);
    fputs("$estimate << EOD\n", script);
    for (int i = 0; i < g->n_rows; i += stride) {
        double x[3];
        cell(g, s, i, x);
        fprintf(script, "%.9g %.9g %.9g %.9g ", g->rows[(size_t)i * (size_t)width], factor * x[0],
                factor * (x[0] - 2.0 * x[1]), factor * (x[0] + 2.0 * x[1]));
        if (isfinite(x[2])) fprintf(script, "%.9g\n", factor * x[2]);
        else fputs("?\n", script);
    }
    fputs("EOD\n", script);
}

// Bands of the start may be wide: what is drawn is the middle and what was seen, and of the band as much again.
static void range_of(const estimating *g, const series *s, double *lo, double *hi) {
    double late = 0.0;
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < g->n_rows; i++) {
        double x[3];
        cell(g, s, i, x);
        *lo = fmin(*lo, x[0]), *hi = fmax(*hi, x[0]);
        if (isfinite(x[2])) *lo = fmin(*lo, x[2]), *hi = fmax(*hi, x[2]);
        if (i >= g->n_rows / 4) late = fmax(late, 2.2 * x[1]);
    }
    *lo -= late, *hi += late;
}

static void draw_panel(FILE *script, const figure *f, const panel *p) {
    const estimating *g = f->own;
    const series s = series_of(g, p->which);
    const int width = estimating_width(g);
    double lo, hi;
    range_of(g, &s, &lo, &hi);
    const axis_unit unit =
        axis_unit_for(fmax(fabs(lo), fabs(hi)), strcmp(s.unit, "1") ? s.unit : "");
    panel_begin(script, p);
    put_rows(script, g, &s, unit.factor);
    fputs("set datafile missing '?'\n", script);
    if (p->names_time) set_label(script, p, "x", g->moves ? "time" : "row", g->moves ? "s" : "");
    set_run_range(script, p, g->rows[0], g->rows[(size_t)(g->n_rows - 1) * (size_t)width]);
    set_label(script, p, "y", s.name, unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    fprintf(script,
            "plot $estimate using 1:3:4 with filledcurves fc rgb '%s' fs transparent solid 0.25 "
            "noborder notitle, \\\n",
            curve_colour(0));
    if (s.measured)
        fprintf(script, "$estimate using 1:5 with points pt 7 ps 0.3 lc rgb '%s' notitle, \\\n",
                curve_colour(1));
    else
        fprintf(script, "$estimate using 1:5 with lines lw 1.5 dt 2 lc rgb '%s' notitle, \\\n",
                curve_colour(2));
    fprintf(script, "$estimate using 1:2 with lines lw 2 lc rgb '%s' notitle\n", curve_colour(0));
}

// Of many what tells most, first: inputs that were looked for, a channel of each sensor, biases, other channels.
static int rank_of(const estimating *g, int which) {
    const char *name = series_of(g, which).name;
    const size_t n = strlen(name);
    if (which < g->n_numbers) return n > 5 && !strcmp(name + n - 5, ".bias") ? 2 : 0;
    return g->channels[which - g->n_numbers].index == 0 ? 1 : 3;
}

// Those that are drawn, in their order; returns their number.
static int choose(const estimating *g, int chosen[MOST_ESTIMATE_PANELS]) {
    const int n = g->n_numbers + g->n_channels;
    int ranks[4] = {0}, last = 0, room = MOST_ESTIMATE_PANELS, found = 0;
    for (int k = 0; k < n; k++) ranks[rank_of(g, k)]++;
    while (last < 3 && room > ranks[last]) room -= ranks[last++];
    for (int k = 0; k < n && found < MOST_ESTIMATE_PANELS; k++) {
        const int rank = rank_of(g, k);
        if (rank > last || (rank == last && room-- <= 0)) continue;
        chosen[found++] = k;
    }
    return found;
}

int estimating_draw(const estimating *g, const char *path) {
    drawing d;
    panel_list l = {.n = 0};
    const figure of = {.own = g};
    const char *name = td_robot_name(g->s.robot);
    char title[192];
    if (!drawing_begin(&d, "picture", path)) return EXIT_INPUT;
    if (g->n_rows < 2)
        return exit_error(EXIT_INPUT, "--picture", "there is one row: nothing to draw");
    int chosen[MOST_ESTIMATE_PANELS];
    const int n = choose(g, chosen), all = g->n_numbers + g->n_channels;
    bool numbers = false, channels = false;
    for (int i = 0; i < n; i++) {
        const int k = chosen[i];
        const bool read = k >= g->n_numbers, first = read ? !channels : !numbers;
        panel p = {.draw = draw_panel, .place = PLACE_TIME, .which = k};
        const series s = series_of(g, k);
        snprintf(p.title, sizeof p.title, "%.100s", s.name);
        if (first) legend_add(&p.legend, &of, "estimated", (pen){curve_colour(0), 0});
        if (first && read) legend_add(&p.legend, &of, "measured", (pen){curve_colour(1), 0});
        double x[3];
        cell(g, &s, g->n_rows - 1, x);
        if (first && !read && isfinite(x[2]))
            legend_add(&p.legend, &of, "true", (pen){curve_colour(2), 1});
        *(read ? &channels : &numbers) = true;
        panel_add(&l, p);
    }
    if (n < all) print_note(path, "%d of %d are drawn; estimate.csv has all", n, all);
    snprintf(title, sizeof title, "%.90s%sestimated, with twice its deviation", name ? name : "",
             name && name[0] ? ": " : "");
    d.size[0] = 780.0;
    return draw_panels(&d, &l, &of, title);
}
