// cli/optimise_figure.c - how a search went, inputs that have knots, and the robot before and after.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/drawing.h"
#include "cli/optimising.h"
#include "cli/terminal.h"
#include "robot/facts.h"

enum { STATIONS = 61, MOST_PATH = 2000 };

// A robot at rest or at the end of its run, and the way of its tip.
typedef struct sight {
    int n_rods, n_path;
    double (*points)[3];  // (n_rods x STATIONS)
    double *radii;        // (n_rods x STATIONS)
    double (*path)[3];    // (n_path)
} sight;

typedef struct picture {
    const optimising *o;
    sight before, after;
    double lo[3], hi[3];
} picture;

static const pen pens[2] = {{"#999999", 0}, {"#0072b2", 0}};

// ---------------------------------------------------------------- what is seen
static void see_rods(sight *s, const td_robot *robot, const td_system *system,
                     const td_state *state) {
    for (int i = 0; i < s->n_rods; i++)
        for (int k = 0; k < STATIONS; k++) {
            const double at =
                point_along(fed_stretch_of(robot, i), td_rod_length(system, i), k, STATIONS);
            const td_pose pose = td_get_pose(system, state, i, td_get_place(system, state, i, at));
            memcpy(s->points[i * STATIONS + k], pose.p, sizeof pose.p);
            s->radii[i * STATIONS + k] = rod_radius_at(robot, i, at);
        }
}

static bool move(sight *s, const td_robot *robot, const td_system *system, td_state *state) {
    const td_scenario times = td_robot_scenario(robot);
    const int n = (int)fmin(ceil(times.end / times.step - 1e-6), MOST_PATH - 1);
    bool ok = true;
    for (int k = 0; k <= n && ok; k++) {
        const td_pose tip = td_get_pose(system, state, 0, td_get_length(system, state, 0));
        memcpy(s->path[s->n_path++], tip.p, sizeof tip.p);
        if (k < n) ok = td_advance(system, state, times.step) >= 0;
    }
    return ok;
}

// False: it cannot be computed; the panel is left out.
static bool look(sight *s, const optimising *o, bool start) {
    td_robot *robot = td_optimum_robot(o->found, start, NULL);
    const td_options options = robot ? td_robot_options(robot) : td_default_options();
    td_system *system = robot ? td_system_create(robot, &options, NULL) : NULL;
    td_state *state = system ? td_state_create(system) : NULL;
    bool ok = state != NULL;
    if (ok) {
        s->n_rods = td_n_rods(system);
        s->points = calloc((size_t)s->n_rods * STATIONS, sizeof *s->points);
        s->radii = calloc((size_t)s->n_rods * STATIONS, sizeof *s->radii);
        s->path = calloc(MOST_PATH, sizeof *s->path);
        ok = s->points && s->radii && s->path && s->n_rods > 0;
    }
    if (ok) ok = td_optimum_begin(o->found, start, system, state) >= 0;
    if (ok && !strcmp(td_study_action(o->study), "run")) ok = move(s, robot, system, state);
    if (ok) see_rods(s, robot, system, state);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return ok;
}

static void forget(sight *s) {
    free(s->points);
    free(s->radii);
    free(s->path);
}

static void widen(picture *p, const double (*points)[3], const double *radii, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            const double r = radii ? radii[i] : 0.0;
            p->lo[k] = fmin(p->lo[k], points[i][k] - r);
            p->hi[k] = fmax(p->hi[k], points[i][k] + r);
        }
}

// ---------------------------------------------------------------- the robot
static void put_outline(FILE *script, const panel *p, const sight *s, double factor) {
    for (int i = 0; i < s->n_rods; i++, fputs("\n", script))
        for (int k = 0; k < 2 * STATIONS + 1; k++) {
            const int j = k % (2 * STATIONS) < STATIONS ? k % (2 * STATIONS) : 2 * STATIONS - 1 - k;
            const int next = j < STATIONS - 1 ? j + 1 : j;
            const double(*points)[3] = (const double(*)[3])s->points + i * STATIONS;
            double at[2], a[2], b[2];
            view_project(&p->view, points[j], at);
            view_project(&p->view, points[next - 1 < 0 ? 0 : next - 1], a);
            view_project(&p->view, points[next], b);
            const double length = hypot(b[0] - a[0], b[1] - a[1]);
            const double aside = length > 0.0 ? (k % (2 * STATIONS) < STATIONS ? 1.0 : -1.0) *
                                                    s->radii[i * STATIONS + j] / length
                                              : 0.0;
            fprintf(script, "%.9g %.9g\n", factor * (at[0] - aside * (b[1] - a[1])),
                    factor * (at[1] + aside * (b[0] - a[0])));
        }
}

static void put_path(FILE *script, const panel *p, const sight *s, double factor) {
    for (int i = 0; i < s->n_path; i++) {
        double at[2];
        view_project(&p->view, s->path[i], at);
        fprintf(script, "%.9g %.9g\n", factor * at[0], factor * at[1]);
    }
    if (s->n_path == 0) fputs("0 NaN\n", script);
}

static void draw_robot(FILE *script, const figure *f, const panel *p) {
    const picture *of = f->own;
    double largest = 0.0;
    for (int k = 0; k < 3; k++) largest = fmax(largest, fmax(fabs(of->lo[k]), fabs(of->hi[k])));
    const axis_unit unit = axis_unit_for(largest, "m");
    const sight *const both[2] = {&of->before, &of->after};
    panel_begin(script, p);
    for (int i = 0; i < 2; i++) {
        fprintf(script, "$rods%d << EOD\n", i);
        put_outline(script, p, both[i], unit.factor);
        fprintf(script, "EOD\n$path%d << EOD\n", i);
        put_path(script, p, both[i], unit.factor);
        fputs("EOD\n", script);
    }
    set_space(script, p, of->lo, of->hi, &unit);
    fprintf(script,
            "plot $rods0 using 1:2 with filledcurves fc rgb '%s' fs transparent solid 0.5 notitle, "
            "$path0 using 1:2 with lines lw 1.5 lc rgb '%s' notitle, \\\n"
            "$rods1 using 1:2 with filledcurves fc rgb '%s' fs transparent solid 0.6 notitle, "
            "$path1 using 1:2 with lines lw 1.5 lc rgb '%s' notitle\n",
            pens[0].colour, pens[0].colour, pens[1].colour, pens[1].colour);
}

static void add_robots(panel_list *l, picture *of, const figure *f) {
    const optimising *o = of->o;
    if (!look(&of->before, o, true) || !look(&of->after, o, false)) return;
    for (int k = 0; k < 3; k++) of->lo[k] = HUGE_VAL, of->hi[k] = -HUGE_VAL;
    const sight *const both[2] = {&of->before, &of->after};
    for (int i = 0; i < 2; i++) {
        widen(of, (const double(*)[3])both[i]->points, both[i]->radii, both[i]->n_rods * STATIONS);
        widen(of, (const double(*)[3])both[i]->path, NULL, both[i]->n_path);
    }
    bool planar;
    panel p = {
        .draw = draw_robot, .place = PLACE_SPACE, .view = widest_view(of->lo, of->hi, &planar)};
    snprintf(p.title, sizeof p.title, "%s",
             of->before.n_path ? "the robot at the end, and the way of its tip" : "the robot");
    legend_add(&p.legend, f, "start", pens[0]);
    legend_add(&p.legend, f, "best", pens[1]);
    panel_add(l, p);
}

// ---------------------------------------------------------------- inputs
static void draw_input(FILE *script, const figure *f, const panel *p) {
    const optimising *o = ((const picture *)f->own)->o;
    const td_optimum_parameter first = td_optimum_get_parameter(o->found, p->which);
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (int i = 0; i < first.n_knots; i++) {
        const td_optimum_parameter v = td_optimum_get_parameter(o->found, p->which + i);
        lo = fmin(lo, fmin(v.start, v.value)), hi = fmax(hi, fmax(v.start, v.value));
    }
    if (isfinite(first.from)) lo = fmin(lo, first.from), hi = fmax(hi, first.from);
    const char *si = td_study_parameter(o->study, p->which).unit;
    const axis_unit unit = axis_unit_for(fmax(fabs(lo), fabs(hi)), si);
    panel_begin(script, p);
    fputs("$input << EOD\n", script);
    if (isfinite(first.from))
        fprintf(script, "0 %.9g %.9g\n", unit.factor * first.from, unit.factor * first.from);
    for (int i = 0; i < first.n_knots; i++) {
        const td_optimum_parameter v = td_optimum_get_parameter(o->found, p->which + i);
        fprintf(script, "%.9g %.9g %.9g\n", first.times[i], unit.factor * v.start,
                unit.factor * v.value);
    }
    fputs("EOD\n", script);
    set_label(script, p, "x", "time", "s");
    set_run_range(script, p, 0.0, first.times[first.n_knots - 1]);
    set_label(script, p, "y", first.input, unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    int n = 0;
    put_curve(script, &n, "$input", "1:2", pens[0]);
    put_curve(script, &n, "$input", "1:3", pens[1]);
    fprintf(script, ", \\\n$input using 1:3 with points pt 7 ps 0.6 lc rgb '%s' notitle\n",
            pens[1].colour);
}

static void add_knots(panel_list *l, const optimising *o) {
    for (int i = 0; i < td_study_n_parameters(o->study) && l->n < MOST_PANELS - 2; i++) {
        const td_optimum_parameter s = td_optimum_get_parameter(o->found, i);
        if (!s.n_knots || s.knot > 0) continue;
        panel p = {.draw = draw_input, .place = PLACE_SPACE, .which = i};
        snprintf(p.title, sizeof p.title, "input %.100s", s.input);
        panel_add(l, p);
    }
}

// ---------------------------------------------------------------- how it went
static void draw_value(FILE *script, const figure *f, const panel *p) {
    const optimising *o = ((const picture *)f->own)->o;
    const int n = td_optimum_n_points(o->found);
    double lo = HUGE_VAL, hi = -HUGE_VAL, value, missed;
    panel_begin(script, p);
    fputs("$values << EOD\n", script);
    for (int i = 0; i < n; i++) {
        td_optimum_get_point(o->found, i, &value, &missed);
        lo = fmin(lo, value), hi = fmax(hi, value);
        fprintf(script, "%d %.9g\n", i + 1, value);
    }
    fputs("EOD\n", script);
    set_label(script, p, "x", "point of the search", "");
    set_run_range(script, p, 1.0, n > 1 ? n : 2);
    set_label(script, p, "y", td_optimum_aim(o->found), "");
    set_value_range(script, p, lo, hi);
    int curves = 0;
    put_curve(script, &curves, "$values", "1:2", pens[1]);
    fputc('\n', script);
}

static void draw_missed(FILE *script, const figure *f, const panel *p) {
    const optimising *o = ((const picture *)f->own)->o;
    const int n = td_optimum_n_points(o->found);
    double lo = -12.0, hi = -12.0, value, missed;
    panel_begin(script, p);
    fputs("$missed << EOD\n", script);
    for (int i = 0; i < n; i++) {
        td_optimum_get_point(o->found, i, &value, &missed);
        const double size = log10(fmax(missed, 1e-12));
        hi = fmax(hi, size);
        fprintf(script, "%d %.9g\n", i + 1, size);
    }
    fputs("EOD\n", script);
    set_label(script, p, "x", "point of the search", "");
    set_run_range(script, p, 1.0, n > 1 ? n : 2);
    set_label(script, p, "y", "log10 of what is missed", "");
    set_value_range(script, p, lo, hi);
    int curves = 0;
    put_curve(script, &curves, "$missed", "1:2", pens[1]);
    fputc('\n', script);
}

static void add_history(panel_list *l, const optimising *o) {
    panel value = {.draw = draw_value, .place = PLACE_SPACE};
    panel missed = {.draw = draw_missed, .place = PLACE_SPACE};
    snprintf(value.title, sizeof value.title, "%s",
             td_optimum_maximises(o->found) ? "what is maximised" : "what is minimised");
    snprintf(missed.title, sizeof missed.title,
             "how far bounds are missed, in shares of their size");
    panel_add(l, value);
    if (td_optimum_n_bounds(o->found) > 0) panel_add(l, missed);
}

int optimising_draw(const optimising *o, const char *path) {
    drawing d;
    panel_list l = {.n = 0};
    picture of = {.o = o};
    const figure f = {.own = &of};
    if (!drawing_begin(&d, "picture", path)) return EXIT_INPUT;
    add_robots(&l, &of, &f);
    add_knots(&l, o);
    add_history(&l, o);
    const char *name = td_study_name(o->study);
    const int code = draw_panels(&d, &l, &f, name[0] ? name : o->file);
    forget(&of.before);
    forget(&of.after);
    return code;
}
