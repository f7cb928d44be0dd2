// Shapes: a run as a time lapse, equilibria and several results in one colour each.
#include <math.h>
#include <stdlib.h>

#include "cli/lapse.h"
#include "cli/obstacles.h"

enum { MOST_SHAPES = 25, MOST_WITH_BODIES = 9, SHAPES_PER_RESULT = 6 };

bool is_lapse(const figure *f) {
    return f->n_results == 1 && f->results[0]->n_times > 1;
}

static bool has_bodies(const result *r) {
    for (int i = 0; i < r->n_bodies; i++)
        if (r->bodies[i].free) return true;
    return false;
}

int lapse_count(const figure *f, const result *r) {
    int alone = has_bodies(r) ? MOST_WITH_BODIES : MOST_SHAPES;
    int most = f->n_results > 1 ? SHAPES_PER_RESULT : alone;
    return r->n_times < most ? r->n_times : most;
}

int lapse_record(const result *r, int k, int n) {
    return n < 2 ? r->n_times - 1 : (int)((long)k * (r->n_times - 1) / (n - 1));
}

static bool has_shapes(const figure *f) {
    for (int i = 0; i < f->n_results; i++) {
        for (int j = 0; j < f->results[i]->n_rods; j++) {
            if (f->results[i]->rods[j].position) return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------- data
// Lines "time x y" on the sheet, in the unit of the axes.
typedef struct sheet {
    FILE *script;
    const projection *view;
    double factor;
} sheet;

static void put_point(const sheet *s, double t, const double p[3]) {
    double q[2];
    view_project(s->view, p, q);
    fprintf(s->script, "%.9g %.9g %.9g\n", t, s->factor * q[0], s->factor * q[1]);
}

// A blank line after each ends its line.
static void put_shapes(const sheet *s, const figure *f, int i) {
    const result *r = f->results[i];
    int n = lapse_count(f, r);
    fprintf(s->script, "$shapes%d << EOD\n", i);
    for (int k = 0; k < n; k++) {
        int record = lapse_record(r, k, n);
        for (int j = 0; j < r->n_rods; j++) {
            const result_rod *rod = &r->rods[j];
            const double *p = rod->position ? rod->position + 3L * record * rod->n_points : NULL;
            for (int q = 0; p && q < rod->n_points; q++) put_point(s, r->time[record], p + 3 * q);
            fputs("\n", s->script);
        }
    }
    fputs("EOD\n", s->script);
}

// The outline of a rod: its radius to the left of the way along the sheet, then back on the right.
static void put_skin(const sheet *s, const result_rod *rod, int record) {
    const int n = rod->n_points;
    const double *p = rod->position + 3L * record * n;
    for (int k = 0; k < 2 * n; k++) {
        const int i = k < n ? k : 2 * n - 1 - k, next = i < n - 1 ? i + 1 : i;
        double at[2], a[2], b[2];
        view_project(s->view, p + 3 * i, at);
        view_project(s->view, p + 3 * (next - 1), a);
        view_project(s->view, p + 3 * next, b);
        const double along[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(along[0], along[1]);
        if (!(length > 0.0)) continue;  // seen from its end
        const double radius = rod->envelope > 0.0 ? rod->envelope : rod->radius[i];
        const double aside = (k < n ? 1.0 : -1.0) * radius / length;
        fprintf(s->script, "%.9g %.9g\n", s->factor * (at[0] - aside * along[1]),
                s->factor * (at[1] + aside * along[0]));
    }
    fputs("\n", s->script);
}

// Only a rod that may touch something: a contact that is drawn without the radius seems to have a gap.
static bool has_skin(const result *r, const result_rod *rod) {
    return (r->n_obstacles > 0 || rod->gap) && rod->position && rod->radius && rod->n_points > 1;
}

static bool has_skins(const result *r) {
    for (int i = 0; i < r->n_rods; i++)
        if (has_skin(r, &r->rods[i])) return true;
    return false;
}

static void put_skins(const sheet *s, const result *r, int i) {
    fprintf(s->script, "$skins%d << EOD\n", i);
    for (int j = 0; j < r->n_rods; j++)
        if (has_skin(r, &r->rods[j])) put_skin(s, &r->rods[j], r->n_times - 1);
    fputs("EOD\n", s->script);
}

// A polygon through the joints that hold a body; with fewer than three, lines from its origin.
static void put_body(const sheet *s, const result *r, const result_body *body, int record) {
    double corners[MOST_CORNERS][3];
    int n = body_corners(r, body, instant_of(record), corners);
    for (int k = 0; k < n; k++) {
        put_point(s, r->time[record], corners[k]);
        if (n < 3 && k == 0) put_point(s, r->time[record], body->position + 3L * record);
    }
    if (n > 2) put_point(s, r->time[record], corners[0]);
    fputs("\n", s->script);
}

static void put_bodies(const sheet *s, const figure *f, int i, bool outlines) {
    const result *r = f->results[i];
    int n = lapse_count(f, r);
    fprintf(s->script, "$%s%d << EOD\n", outlines ? "bodies" : "origins", i);
    for (int k = 0; k < n; k++) {
        int record = lapse_record(r, k, n);
        for (int j = 0; j < r->n_bodies; j++) {
            if (!r->bodies[j].free) continue;
            if (outlines) put_body(s, r, &r->bodies[j], record);
            else put_point(s, r->time[record], r->bodies[j].position + 3L * record);
        }
    }
    fputs("EOD\n", s->script);
}

// Tendons, and what else is a line, of the last shape alone, or they would hide each other.
static void put_paths(const sheet *s, const result *r, int i) {
    int record = r->n_times - 1;
    fprintf(s->script, "$paths%d << EOD\n", i);
    for (int k = 0; k < r->n_actuators; k++) {
        const result_actuator *t = &r->actuators[k];
        const double *p = t->path ? t->path + 3L * record * t->n_points : NULL;
        for (int q = 0; p && q < t->n_points; q++) put_point(s, r->time[record], p + 3 * q);
        fputs("\n", s->script);
    }
    fputs("EOD\n", s->script);
}

// At every record that is drawn, where they have moved.
static void put_surroundings(const sheet *s, const figure *f, int i) {
    const result *r = f->results[i];
    const surface_cut cut = cut_around(s->view, f->lo, f->hi);
    const int n = lapse_count(f, r);
    fprintf(s->script, "$obstacles%d << EOD\n", i);
    for (int k = 0; k < n; k++) {
        const instant at = instant_of(lapse_record(r, k, n));
        const instant before = instant_of(lapse_record(r, k > 0 ? k - 1 : 0, n));
        put_obstacles(s->script, r, at, k > 0 ? &before : NULL, s->view, &cut, s->factor);
    }
    fputs("EOD\n", s->script);
}

static bool has_paths(const result *r) {
    for (int i = 0; i < r->n_actuators; i++)
        if (r->actuators[i].path) return true;
    return false;
}

// ---------------------------------------------------------------- drawing
void set_time_colours(FILE *script, const result *r) {
    fputs("set cblabel 'time (s)'\nset cbtics scale 0.6\n", script);
    fprintf(script, "set cbrange [%.9g:%.9g]\n", r->time[0], r->time[r->n_times - 1]);
}

static void plot_result(FILE *script, const figure *f, int i) {
    char colour[32];
    const char *columns = is_lapse(f) ? "2:3:1" : "2:3";
    const result *r = f->results[i];
    snprintf(colour, sizeof colour, "rgb '%s'", curve_colour(i));
    if (is_lapse(f)) snprintf(colour, sizeof colour, "palette");
    fputs(i == 0 ? "plot" : ", \\\n", script);
    if (has_skins(r))
        fprintf(script,
                " $skins%d using 1:2 with filledcurves closed fc rgb '#e6e2da' notitle, \\\n", i);
    if (r->n_obstacles > 0)
        fprintf(script, " $obstacles%d using 1:2 with lines lc rgb '#b0a596' lw 1.2 notitle, \\\n",
                i);
    if (has_paths(r))
        fprintf(script, " $paths%d using 2:3 with lines lc rgb '#9a9a9a' lw 0.9 notitle, \\\n", i);
    fprintf(script, " $shapes%d using %s with lines lc %s lw 1.8 notitle", i, columns, colour);
    if (!has_bodies(r)) return;
    fprintf(script, ", $bodies%d using %s with lines lc %s lw 2.6 notitle", i, columns, colour);
    fprintf(script, ", $origins%d using %s with points pt 7 ps 0.7 lc %s notitle", i, columns,
            colour);
}

static void draw_shapes(FILE *script, const figure *f, const panel *p) {
    axis_unit unit = shape_unit(f);
    sheet s = {script, &p->view, unit.factor};
    panel_begin(script, p);
    for (int i = 0; i < f->n_results; i++) {
        if (f->results[i]->n_obstacles > 0) put_surroundings(&s, f, i);
        if (has_skins(f->results[i])) put_skins(&s, f->results[i], i);
        put_shapes(&s, f, i);
        put_paths(&s, f->results[i], i);
        put_bodies(&s, f, i, true);
        put_bodies(&s, f, i, false);
    }
    set_space(script, p, f->lo, f->hi, &unit);
    if (is_lapse(f)) set_time_colours(script, f->results[0]);
    for (int i = 0; i < f->n_results; i++) plot_result(script, f, i);
    fputc('\n', script);
}

void add_shapes(panel_list *l, const figure *f) {
    if (!has_shapes(f)) return;
    for (int i = 0; i < f->n_views; i++) {
        panel p = {.draw = draw_shapes, .view = f->views[i], .colour_bar = is_lapse(f)};
        const char *name = has_time(f) ? "Shapes" : "Shape";
        snprintf(p.title, sizeof p.title, "%s", i > 0 && p.view.corner ? "In space" : name);
        panel_add(l, p);
    }
}
