// cli/fit_figure.c - measured against computed, a panel for each output of each recording.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/drawing.h"
#include "cli/fitting.h"
#include "cli/terminal.h"

enum { FEW_POINTS = 40, MOST_FIT_PANELS = 12, MOST_POINTS = 2000 };

static double abscissa(const td_recording *r, int row) {
    return r->times ? r->times[row] : row + 1;
}

static size_t cell(const td_recording *r, int row, int output) {
    return (size_t)row * (size_t)r->n_outputs + (size_t)output;
}

static void range_of(const td_recording *r, const double *computed, int output, double *lo,
                     double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < r->n_rows; i++) {
        const double values[2] = {r->measured[cell(r, i, output)], computed[cell(r, i, output)]};
        for (int k = 0; k < 2; k++)
            if (isfinite(values[k])) *lo = fmin(*lo, values[k]), *hi = fmax(*hi, values[k]);
    }
}

static void put_data(FILE *script, const td_recording *r, const double *computed, int output,
                     double factor) {
    const int stride = 1 + r->n_rows / MOST_POINTS;
    fputs("$fit << EOD\n", script);
    for (int i = 0; i < r->n_rows; i += stride) {
        const double measured = r->measured[cell(r, i, output)];
        fprintf(script, "%.9g %.9g ", abscissa(r, i), factor * computed[cell(r, i, output)]);
        if (isfinite(measured)) fprintf(script, "%.9g\n", factor * measured);
        else fputs("?\n", script);
    }
    fputs("EOD\n", script);
}

static const char *unit_of(const fitting *f, const char *output) {
    for (int i = 0; i < td_fit_n_misfits(f->fit); i++)
        if (!strcmp(td_fit_get_misfit(f->fit, i).output, output))
            return td_fit_get_misfit(f->fit, i).unit;
    return "";
}

static void draw_panel(FILE *script, const figure *f, const panel *p) {
    const fitting *of = f->own;
    const td_recording *r = &of->recordings[p->result];
    const double *computed = td_fit_computed(of->fit, p->result);
    const char *name = r->outputs[p->which];
    double lo, hi;
    range_of(r, computed, p->which, &lo, &hi);
    const axis_unit unit = axis_unit_for(fmax(fabs(lo), fabs(hi)), unit_of(of, name));
    panel_begin(script, p);
    put_data(script, r, computed, p->which, unit.factor);
    fputs("set datafile missing '?'\n", script);
    if (p->names_time) set_label(script, p, "x", r->times ? "time" : "row", r->times ? "s" : "");
    const double margin = r->times ? 0.0 : 0.02 * r->n_rows;
    set_run_range(script, p, abscissa(r, 0) - margin, abscissa(r, r->n_rows - 1) + margin);
    set_label(script, p, "y", name, unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    int n = 0;
    put_curve(script, &n, "$fit", "1:2", (pen){curve_colour(0), 0});
    fprintf(script, ", \\\n$fit using 1:3 with points pt 7 ps %g lc rgb '%s' notitle\n",
            r->n_rows < FEW_POINTS ? 0.7 : 0.35, curve_colour(1));
}

static void add_panel(panel_list *l, const figure *f, int recording, int output) {
    const fitting *of = f->own;
    const td_recording *r = &of->recordings[recording];
    panel p = {.draw = draw_panel, .place = PLACE_TIME, .result = recording, .which = output};
    snprintf(p.title, sizeof p.title, "%.60s%s%.50s%s", r->outputs[output],
             of->n_data > 1 ? ", " : "", of->n_data > 1 ? r->name : "",
             r->held_out ? ", not fitted" : "");
    if (l->n == 0) {
        legend_add(&p.legend, f, "computed", (pen){curve_colour(0), 0});
        legend_add(&p.legend, f, "measured", (pen){curve_colour(1), 0});
    }
    panel_add(l, p);
}

int fitting_draw(const fitting *f, const char *path) {
    drawing d;
    panel_list l = {.n = 0};
    const figure of = {.own = f};
    const char *name = td_robot_name(f->s.robot);
    char title[192];
    if (!drawing_begin(&d, "picture", path)) return EXIT_INPUT;
    for (int i = 0; i < f->n_data; i++)
        for (int k = 0; k < f->recordings[i].n_outputs && l.n < MOST_FIT_PANELS; k++)
            if (f->recordings[i].n_rows > 1) add_panel(&l, &of, i, k);
    if (l.n == 0) return exit_error(EXIT_INPUT, "--picture", "there is one row: nothing to draw");
    snprintf(title, sizeof title, "%.90s%smeasured and computed", name ? name : "",
             name && name[0] ? ": " : "");
    d.size[0] = 780.0;
    return draw_panels(&d, &l, &of, title);
}
