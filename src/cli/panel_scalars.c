// Panels of named scalars: actuators over time, and any scalar over any other.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"

// ---------------------------------------------------------------- sets of scalars
typedef struct curve {
    result_scalar s;
    int result;
    int order;        // which one of its result
    char title[192];  // in the legend; the thing's name
    pen pen;
} curve;

typedef struct curve_list {
    curve *list;
    int n;
} curve_list;

// "tendon.east.tension" -> does it begin and end so? And the name between the two. Where the suffix
// ends in "_" a letter for the axis follows, which goes to the name: "rod.arm.base_reaction.force_x".
static bool matches(const char *name, const char *prefix, const char *suffix, char *middle,
                    size_t size) {
    size_t a = strlen(prefix), b = strlen(suffix), n = strlen(name);
    const bool axes = b > 0 && suffix[b - 1] == '_';
    const char axis = axes && n > 0 ? name[--n] : '\0';
    if (n <= a + b || strncmp(name, prefix, a) || strncmp(name + n - b, suffix, b)) return false;
    snprintf(middle, size, "%.*s%s%c", (int)(n - a - b), name + a, axes ? " " : "", axis);
    return true;
}

static void add_curve(curve_list *l, curve c) {
    curve *list = realloc(l->list, sizeof *list * (size_t)(l->n + 1));
    if (!list) return;
    l->list = list;
    list[l->n++] = c;
}

// All scalars between prefix and suffix.
static curve_list collect(const figure *f, const char *prefix, const char *suffix) {
    curve_list l = {0};
    for (int i = 0; i < f->n_results; i++) {
        int n = 0, order = 0;
        result_scalar *all = scalars_of(f->results[i], &n);
        for (int k = 0; all && k < n; k++) {
            curve c = {.s = all[k], .result = i};
            if (!matches(all[k].name, prefix, suffix, c.title, sizeof c.title)) continue;
            c.order = order++;
            c.pen = pen_of(f, i, c.title, c.order);
            add_curve(&l, c);
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
    char prefix[32], suffix[32], title[64];
    const char *label, *unit;
} scalar_set;

static const scalar_set reactions[] = {
    {"rod.", ".base_reaction.force_", "Force at the base", "force", "N"},
    {"rod.", ".base_reaction.moment_", "Moment at the base", "moment", "N m"},
};
enum { FORCE, MOMENT, N_REACTIONS };

// After the reactions come, for each kind of actuator, its effort and what may be given in its place.
static int set_of_kind(int kind, int input) {
    return N_REACTIONS + 2 * kind + input;
}

static scalar_set set_at(int which) {
    if (which < N_REACTIONS) return reactions[which];
    const td_actuator_kind *kind = td_actuator_kind_at((which - N_REACTIONS) / 2);
    const td_actuator_quantity *q = &kind->inputs[(which - N_REACTIONS) % 2];
    scalar_set s = {.label = q->name, .unit = q->unit};
    snprintf(s.prefix, sizeof s.prefix, "%s.", kind->word);
    snprintf(s.suffix, sizeof s.suffix, ".%s", q->name);
    snprintf(s.title, sizeof s.title, "%c%s %s", kind->word[0] - 'a' + 'A', kind->word + 1,
             q->name);
    return s;
}

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
        char data[32];
        snprintf(data, sizeof data, "$curve%d", i);
        put_curve(script, &n, data, "1:2", l->list[i].pen);
    }
    fputc('\n', script);
}

static void draw_set(FILE *script, const figure *f, const panel *p) {
    const scalar_set set = set_at(p->which);
    curve_list l = collect(f, set.prefix, set.suffix);
    double lo, hi;
    range_of(f, &l, &lo, &hi);
    axis_unit unit = axis_unit_for(largest_of(lo, hi), set.unit);
    panel_begin(script, p);
    put_over(script, f, NULL, &l, 1.0, unit.factor);
    set_time_axis(script, f, p);
    set_label(script, p, "y", set.label, unit.text);
    set_value_range(script, p, unit.factor * lo, unit.factor * hi);
    put_curves(script, &l);
    free(l.list);
}

static void add_set(panel_list *list, const figure *f, int which) {
    const scalar_set set = set_at(which);
    curve_list l = collect(f, set.prefix, set.suffix);
    panel p = {.draw = draw_set, .place = PLACE_TIME, .which = which};
    snprintf(p.title, sizeof p.title, "%s", set.title);
    for (int i = 0; i < l.n; i++) legend_add(&p.legend, f, l.list[i].title, l.list[i].pen);
    if (l.n > 0 && has_time(f)) panel_add(list, p);
    free(l.list);
}

void add_actuators(panel_list *l, const figure *f, int kind) {
    add_set(l, f, set_of_kind(kind, 0));
    if (!f->everything) add_set(l, f, set_of_kind(kind, 1));
}

void add_reactions(panel_list *l, const figure *f) {
    add_set(l, f, FORCE);
    add_set(l, f, MOMENT);
}

// ---------------------------------------------------------------- one over another
// "tendon.east.tension" -> "east", "input.push" -> "push"; false: it belongs to no thing.
static bool thing_of(const char *name, char *thing, size_t size) {
    const char *dot = strchr(name, '.'), *last = strrchr(name, '.');
    bool whole = !strncmp(name, "input.", 6);
    if (!dot || (dot == last && !whole)) return false;
    snprintf(thing, size, "%.*s", whole ? (int)strlen(dot + 1) : (int)(last - dot - 1), dot + 1);
    return true;
}

// Do the curves over --x all belong to different things, so that each can have its colour?
static bool one_each(const figure *f) {
    char a[192], b[192];
    for (int i = 0; i < f->n_y; i++) {
        if (!thing_of(f->y[i], a, sizeof a)) return false;
        for (int k = 0; k < i; k++)
            if (thing_of(f->y[k], b, sizeof b) && !strcmp(a, b)) return false;
    }
    return true;
}

static pen pen_for_name(const figure *f, int i, const char *name, int order) {
    char thing[192] = "";
    if (one_each(f)) thing_of(name, thing, sizeof thing);
    return pen_of(f, i, thing, order);
}

static void append_named(curve_list *l, const figure *f, const char *name, int order) {
    for (int i = 0; i < f->n_results; i++) {
        int n = 0;
        result_scalar *all = scalars_of(f->results[i], &n);
        for (int k = 0; all && k < n; k++) {
            if (strcmp(all[k].name, name) != 0) continue;
            curve c = {.s = all[k], .result = i, .order = order};
            c.pen = pen_for_name(f, i, name, order);
            add_curve(l, c);
        }
        free(all);
    }
}

static void label_axis(FILE *script, const panel *p, const char *axis, const char *name,
                       const curve_list *l, double largest, axis_unit *unit) {
    *unit = axis_unit_for(largest, l->n ? l->list[0].s.unit : "");
    set_label(script, p, axis, name[0] ? name : unit->text, name[0] ? unit->text : "");
}

static void draw_against(FILE *script, const figure *f, const panel *p) {
    curve_list x = {0}, y = {0};
    append_named(&x, f, f->x, 0);
    for (int i = 0; i < f->n_y; i++) append_named(&y, f, f->y[i], i);
    double lo[2], hi[2];
    axis_unit unit[2];
    range_of(f, &x, &lo[0], &hi[0]);
    range_of(f, &y, &lo[1], &hi[1]);
    panel_begin(script, p);
    label_axis(script, p, "x", f->x, &x, largest_of(lo[0], hi[0]), &unit[0]);
    label_axis(script, p, "y", f->n_y > 1 ? "" : f->y[0], &y, largest_of(lo[1], hi[1]), &unit[1]);
    put_over(script, f, &x, &y, unit[0].factor, unit[1].factor);
    double air = strcmp(f->x, "time") ? 0.04 * (hi[0] - lo[0]) : 0.0;
    set_run_range(script, p, unit[0].factor * (lo[0] - air), unit[0].factor * (hi[0] + air));
    set_value_range(script, p, unit[1].factor * lo[1], unit[1].factor * hi[1]);
    put_curves(script, &y);
    free(x.list);
    free(y.list);
}

void add_against(panel_list *l, const figure *f) {
    if (!f->x || f->n_y == 0) return;
    panel p = {.draw = draw_against};
    for (int i = 0; i < f->n_y && f->n_y > 1; i++)
        legend_add(&p.legend, f, f->y[i], pen_for_name(f, 0, f->y[i], i));
    panel_add(l, p);
}
