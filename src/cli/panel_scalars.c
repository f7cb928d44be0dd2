// Panels of named scalars: tendons, chambers and bodies over time, and any scalar over any other.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"
#include "cli/gnuplot.h"

// ---------------------------------------------------------------- sets of scalars
typedef struct curve {
    result_scalar s;
    int result;
    char title[256];
} curve;

typedef struct curve_list {
    curve *list;
    int n;
} curve_list;

// "tendon.east.tension" -> does it begin and end so? And the name between the two.
static bool matches(const char *name, const char *prefix, const char *suffix, char *middle,
                    size_t size) {
    size_t a = strlen(prefix), b = strlen(suffix), n = strlen(name);
    if (n <= a + b || strncmp(name, prefix, a) || strcmp(name + n - b, suffix)) return false;
    snprintf(middle, size, "%.*s", (int)(n - a - b), name + a);
    return true;
}

static const result_body *find_body(const result *r, const char *name) {
    for (int i = 0; i < r->n_bodies; i++)
        if (!strcmp(r->bodies[i].name, name)) return &r->bodies[i];
    return NULL;
}

static void add_curve(curve_list *l, const figure *f, int i, const result_scalar *s,
                      const char *name) {
    curve *list = realloc(l->list, sizeof *list * (size_t)(l->n + 1));
    if (!list) return;
    l->list = list;
    curve *c = &list[l->n++];
    *c = (curve){.s = *s, .result = i};
    snprintf(c->title, sizeof c->title, "%s%s%s", f->n_results > 1 ? f->results[i]->label : "",
             f->n_results > 1 && name[0] ? ", " : "", name);
}

// All scalars between prefix and suffix; of bodies only the free ones.
static curve_list collect(const figure *f, const char *prefix, const char *suffix) {
    curve_list l = {0};
    for (int i = 0; i < f->n_results; i++) {
        int n = 0;
        result_scalar *all = scalars_of(f->results[i], &n);
        for (int k = 0; all && k < n; k++) {
            char name[192];
            if (!matches(all[k].name, prefix, suffix, name, sizeof name)) continue;
            if (!strcmp(prefix, "body.")) {
                const result_body *body = find_body(f->results[i], name);
                if (!body || !body->free) continue;
            }
            add_curve(&l, f, i, &all[k], name);
        }
        free(all);
    }
    return l;
}

static void range_of(const figure *f, const curve_list *l, double *lo, double *hi) {
    *lo = HUGE_VAL, *hi = -HUGE_VAL;
    for (int i = 0; i < l->n; i++) {
        for (int t = 0; t < f->results[l->list[i].result]->n_times; t++) {
            *lo = fmin(*lo, scalar_at(&l->list[i].s, t));
            *hi = fmax(*hi, scalar_at(&l->list[i].s, t));
        }
    }
}

static double largest_of(double lo, double hi) {
    return isfinite(lo) && isfinite(hi) ? fmax(fabs(lo), fabs(hi)) : 0.0;
}

// ---------------------------------------------------------------- over time
typedef struct scalar_set {
    const char *prefix, *suffix, *title, *label, *unit;
} scalar_set;

enum { TENSION, DISPLACEMENT, PRESSURE, VOLUME, BODY_X, BODY_Y, BODY_Z };
static const scalar_set sets[] = {
    {"tendon.", ".tension", "Tendon tension", "tension", "N"},
    {"tendon.", ".displacement", "Tendon displacement", "displacement", "m"},
    {"chamber.", ".pressure", "Chamber pressure", "pressure", "Pa"},
    {"chamber.", ".volume", "Chamber volume", "volume", "m^3"},
    {"body.", ".x", "Body x", "x", "m"},
    {"body.", ".y", "Body y", "y", "m"},
    {"body.", ".z", "Body z", "z", "m"},
};

// What curve i of y is drawn over: the curve of x in the same place, or the only one of its result;
// NULL: time.
static const result_scalar *abscissa(const curve_list *x, const curve_list *y, int i) {
    if (x && x->n == y->n) return &x->list[i].s;
    for (int k = 0; x && k < x->n; k++)
        if (x->list[k].result == y->list[i].result) return &x->list[k].s;
    return NULL;
}

static void put_over(FILE *script, const figure *f, const curve_list *x, const curve_list *y,
                     double x_factor, double y_factor) {
    for (int i = 0; i < y->n; i++) {
        const curve *c = &y->list[i];
        const result *r = f->results[c->result];
        const result_scalar *over = abscissa(x, y, i);
        fprintf(script, "$curve%d << EOD\n", i);
        for (int t = 0; t < r->n_times; t += curve_stride(r))
            fprintf(script, "%.9g %.9g\n", x_factor * (over ? scalar_at(over, t) : r->time[t]),
                    y_factor * scalar_at(&c->s, t));
        fputs("EOD\n", script);
    }
}

static void put_curves(FILE *script, const curve_list *l) {
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        char data[32], style[64];
        snprintf(data, sizeof data, "$curve%d", i);
        snprintf(style, sizeof style, "lines lc rgb '%s' lw 1.8", curve_colour(i));
        put_curve(script, &n, data, "1:2", style, l->list[i].title);
    }
}

static void draw_set(FILE *script, const figure *f, const panel *p) {
    const scalar_set *set = &sets[p->which];
    curve_list l = collect(f, set->prefix, set->suffix);
    double lo, hi;
    range_of(f, &l, &lo, &hi);
    axis_unit unit = axis_unit_for(largest_of(lo, hi), set->unit);
    panel_begin(script, p, set->title);
    put_over(script, f, NULL, &l, 1.0, unit.factor);
    set_time_axis(script, f, p);
    set_label(script, "y", set->label, unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    put_curves(script, &l);
    fputc('\n', script);
    free(l.list);
}

// moving: only when something changes by more than this, in the set's unit.
static bool add_set(panel_list *list, const figure *f, int which, double moving) {
    curve_list l = collect(f, sets[which].prefix, sets[which].suffix);
    double lo, hi;
    range_of(f, &l, &lo, &hi);
    bool shown = l.n > 0 && has_time(f) && hi - lo >= moving;
    if (shown) panel_add(list, (panel){.draw = draw_set, .place = PLACE_TIME, .which = which});
    free(l.list);
    return shown;
}

void add_tendons(panel_list *l, const figure *f) {
    add_set(l, f, TENSION, 0.0);
    if (!f->everything) add_set(l, f, DISPLACEMENT, 0.0);
}

void add_chambers(panel_list *l, const figure *f) {
    add_set(l, f, PRESSURE, 0.0);
    if (!f->everything) add_set(l, f, VOLUME, 0.0);
}

// ---------------------------------------------------------------- bodies
bool has_free_bodies(const figure *f) {
    for (int i = 0; i < f->n_results; i++)
        for (int k = 0; k < f->results[i]->n_bodies; k++)
            if (f->results[i]->bodies[k].free) return true;
    return false;
}

static void draw_body_path(FILE *script, const figure *f, const panel *p) {
    axis_unit unit = shape_unit(f);
    double lo[2], hi[2];
    curve_list l[2];
    for (int k = 0; k < 2; k++) {
        l[k] = collect(f, "body.", sets[BODY_X + f->axis[k]].suffix);
        range_of(f, &l[k], &lo[k], &hi[k]);
        lo[k] *= unit.factor, hi[k] *= unit.factor;
    }
    panel_begin(script, p, "Body path");
    set_label(script, "x", coordinate_names[f->axis[0]], unit.text);
    set_label(script, "y", coordinate_names[f->axis[1]], unit.text);
    set_equal_ranges(script, p, lo, hi);
    put_over(script, f, &l[0], &l[1], unit.factor, unit.factor);
    put_curves(script, &l[1]);
    fputc('\n', script);
    free(l[0].list);
    free(l[1].list);
}

void add_bodies(panel_list *l, const figure *f) {
    double size = 0.0;
    int moving = 0;
    for (int k = 0; k < 3; k++) size = fmax(size, f->hi[k] - f->lo[k]);
    for (int k = 0; k < 3; k++) moving += add_set(l, f, BODY_X + k, STILL * size);
    if (moving > 1) panel_add(l, (panel){.draw = draw_body_path});
}

// A joint that holds a body, with its angle about the body's axis.
typedef struct corner {
    const double *p;
    double angle;
} corner;

enum { MOST_CORNERS = 64 };

static int by_angle(const void *a, const void *b) {
    double x = ((const corner *)a)->angle, y = ((const corner *)b)->angle;
    return (x > y) - (x < y);
}

// Angle of p about the body's z axis, seen from the body's frame.
static double angle_about(const double p[3], const double o[3], const double q[4]) {
    double d[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double a = (1 - 2 * (y * y + z * z)) * d[0] + 2 * (x * y + w * z) * d[1] +
               2 * (x * z - w * y) * d[2];
    double b = 2 * (x * y - w * z) * d[0] + (1 - 2 * (x * x + z * z)) * d[1] +
               2 * (y * z + w * x) * d[2];
    return atan2(b, a);
}

static int corners_of(const result *r, const result_body *body, int record,
                      corner out[MOST_CORNERS]) {
    const double *o = body->position + 3L * record, *q = body->orientation + 4L * record;
    int n = 0;
    for (int i = 0; i < r->n_rods; i++) {
        const result_rod *rod = &r->rods[i];
        const double *first = rod->position ? rod->position + 3L * record * rod->n_points : NULL;
        if (first && !strcmp(rod->base_body, body->name) && n < MOST_CORNERS)
            out[n++] = (corner){first, angle_about(first, o, q)};
        const double *last = first ? first + 3L * (rod->n_points - 1) : NULL;
        if (last && !strcmp(rod->tip_body, body->name) && n < MOST_CORNERS)
            out[n++] = (corner){last, angle_about(last, o, q)};
    }
    qsort(out, (size_t)n, sizeof *out, by_angle);
    return n;
}

static void put_point(FILE *script, double t, const double p[3], double factor) {
    fprintf(script, "%.9g %.9g %.9g %.9g\n", t, factor * p[0], factor * p[1], factor * p[2]);
}

void put_body_origins(FILE *script, const result *r, int record, double factor) {
    for (int i = 0; i < r->n_bodies; i++)
        if (r->bodies[i].free)
            put_point(script, r->time[record], r->bodies[i].position + 3L * record, factor);
}

// Closed with three joints or more; with fewer, lines from the origin to each.
void put_body_outlines(FILE *script, const result *r, int record, double factor) {
    const double t = r->time[record];
    for (int i = 0; i < r->n_bodies; i++) {
        const result_body *body = &r->bodies[i];
        if (!body->free) continue;
        corner corners[MOST_CORNERS];
        int n = corners_of(r, body, record, corners);
        for (int k = 0; k < n; k++) {
            put_point(script, t, corners[k].p, factor);
            if (n < 3 && k == 0) put_point(script, t, body->position + 3L * record, factor);
        }
        if (n > 2) put_point(script, t, corners[0].p, factor);
        fputs("\n\n", script);
    }
}

// ---------------------------------------------------------------- one over another
static void append_named(curve_list *l, const figure *f, const char *name, const char *title) {
    for (int i = 0; i < f->n_results; i++) {
        int n = 0;
        result_scalar *all = scalars_of(f->results[i], &n);
        for (int k = 0; all && k < n; k++)
            if (!strcmp(all[k].name, name)) add_curve(l, f, i, &all[k], title);
        free(all);
    }
}

static void label_axis(FILE *script, const char *axis, const char *name, const curve_list *l,
                       double largest, axis_unit *unit) {
    *unit = axis_unit_for(largest, l->n ? l->list[0].s.unit : "");
    set_label(script, axis, name, unit->text);
}

static void draw_against(FILE *script, const figure *f, const panel *p) {
    curve_list x = {0}, y = {0};
    append_named(&x, f, f->x, "");
    for (int i = 0; i < f->n_y; i++) append_named(&y, f, f->y[i], f->n_y > 1 ? f->y[i] : "");
    double lo[2], hi[2];
    axis_unit unit[2];
    range_of(f, &x, &lo[0], &hi[0]);
    range_of(f, &y, &lo[1], &hi[1]);
    panel_begin(script, p, "");
    label_axis(script, "x", f->x, &x, largest_of(lo[0], hi[0]), &unit[0]);
    label_axis(script, "y", f->y[0], &y, largest_of(lo[1], hi[1]), &unit[1]);
    if (f->n_y > 1) set_label(script, "y", unit[1].text, "");
    put_over(script, f, &x, &y, unit[0].factor, unit[1].factor);
    double air = strcmp(f->x, "time") ? 0.04 * (hi[0] - lo[0]) : 0.0;
    set_run_range(script, p, unit[0].factor * (lo[0] - air), unit[0].factor * (hi[0] + air));
    set_value_range(script, p, unit[1].factor * lo[1], unit[1].factor * hi[1]);
    put_curves(script, &y);
    fputc('\n', script);
    free(x.list);
    free(y.list);
}

void add_against(panel_list *l, const figure *f) {
    if (f->x && f->n_y > 0) panel_add(l, (panel){.draw = draw_against});
}
