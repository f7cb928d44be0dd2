// Where points go: tips of rods and free bodies, their coordinates over time and their paths.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"

enum { TIPS, BODIES, MOST_TRACKS = 256 };

typedef struct track {
    const double *p;  // the first; the others follow at `stride`
    int stride;
    int result, order;  // which one of its result
    const char *name;
} track;

typedef struct track_list {
    track list[MOST_TRACKS];
    int n;
    bool several;  // of some result
} track_list;

static void add_track(track_list *l, track t) {
    if (l->n < MOST_TRACKS) l->list[l->n++] = t;
    l->several |= t.order > 0;
}

static track_list tracks_of(const figure *f, int kind) {
    track_list l = {.n = 0};
    for (int i = 0; i < f->n_results; i++) {
        const result *r = f->results[i];
        for (int j = 0; kind == TIPS && j < r->n_rods; j++) {
            const result_rod *rod = &r->rods[j];
            if (!rod->position) continue;
            add_track(&l, (track){rod->position + 3L * (rod->n_points - 1), 3 * rod->n_points, i, j,
                                  rod->name});
        }
        for (int j = 0, order = 0; kind == BODIES && j < r->n_bodies; j++) {
            if (r->bodies[j].free)
                add_track(&l, (track){r->bodies[j].position, 3, i, order++, r->bodies[j].name});
        }
    }
    return l;
}

static const double *point_of(const track *t, int record) {
    return t->p + (long)t->stride * record;
}

static void bounds_of(const figure *f, const track_list *l, double lo[3], double hi[3]) {
    for (int k = 0; k < 3; k++) lo[k] = HUGE_VAL, hi[k] = -HUGE_VAL;
    for (int i = 0; i < l->n; i++) {
        for (int t = 0; t < f->results[l->list[i].result]->n_times; t++) {
            const double *p = point_of(&l->list[i], t);
            for (int k = 0; k < 3; k++) lo[k] = fmin(lo[k], p[k]), hi[k] = fmax(hi[k], p[k]);
        }
    }
}

// ---------------------------------------------------------------- drawing
// Lines "time x y z" of each track.
static void put_tracks(FILE *script, const figure *f, const track_list *l, double factor) {
    for (int i = 0; i < l->n; i++) {
        const result *r = f->results[l->list[i].result];
        fprintf(script, "$track%d << EOD\n", i);
        for (int t = 0; t < r->n_times; t += curve_stride(r)) {
            const double *p = point_of(&l->list[i], t);
            fprintf(script, "%.9g %.9g %.9g %.9g\n", r->time[t], factor * p[0], factor * p[1],
                    factor * p[2]);
        }
        fputs("EOD\n", script);
    }
}

static pen track_pen(const figure *f, const track *t) {
    return pen_of(f, t->result, t->name, t->order);
}

static int put_track_curves(FILE *script, const figure *f, const track_list *l,
                            const char *columns) {
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        char data[32];
        snprintf(data, sizeof data, "$track%d", i);
        put_curve(script, &n, data, columns, track_pen(f, &l->list[i]));
    }
    return n;
}

static void draw_coordinate(FILE *script, const figure *f, const panel *p) {
    track_list l = tracks_of(f, p->which / 3);
    int axis = p->which % 3;
    double lo[3], hi[3];
    char columns[32];
    bounds_of(f, &l, lo, hi);
    axis_unit unit = axis_unit_for(fmax(fabs(lo[axis]), fabs(hi[axis])), "m");
    panel_begin(script, p);
    put_tracks(script, f, &l, unit.factor);
    set_time_axis(script, f, p);
    set_label(script, p, "y", coordinate_names[axis], unit.text);
    set_value_range(script, p, unit.factor * lo[axis], unit.factor * hi[axis]);
    snprintf(columns, sizeof columns, "1:%d", 2 + axis);
    put_track_curves(script, f, &l, columns);
    fputc('\n', script);
}

// Open circle: where a path begins. Full circle: where it ends.
static void put_path_ends(FILE *script, const figure *f, const track_list *l, const char *columns) {
    for (int i = 0; i < l->n; i++) {
        const result *r = f->results[l->list[i].result];
        const char *colour = track_pen(f, &l->list[i]).colour;
        fprintf(script,
                ", $track%d every ::0::0 using %s with points pt 6 ps 1.1 lw 1.6 lc rgb '%s' "
                "notitle",
                i, columns, colour);
        fprintf(script,
                ", $track%d every ::%d using %s with points pt 7 ps 1.1 lc rgb '%s' notitle", i,
                (r->n_times - 1) / curve_stride(r), columns, colour);
    }
}

// "right . p : up . p" as gnuplot columns.
static void columns_of(const projection *v, char *text, size_t size) {
    snprintf(text, size, "(%.9g*$2+%.9g*$3+%.9g*$4):(%.9g*$2+%.9g*$3+%.9g*$4)", v->right[0],
             v->right[1], v->right[2], v->up[0], v->up[1], v->up[2]);
}

static void draw_path(FILE *script, const figure *f, const panel *p) {
    track_list l = tracks_of(f, p->which);
    axis_unit unit = shape_unit(f);
    double lo[3], hi[3];
    char columns[256];
    bounds_of(f, &l, lo, hi);
    panel_begin(script, p);
    put_tracks(script, f, &l, unit.factor);
    set_space(script, p, lo, hi, &unit);
    columns_of(&p->view, columns, sizeof columns);
    put_track_curves(script, f, &l, columns);
    put_path_ends(script, f, &l, columns);
    fputc('\n', script);
}

// ---------------------------------------------------------------- panels
static void add_panel(panel_list *list, const figure *f, const track_list *l, panel p) {
    for (int i = 0; i < l->n && l->several; i++)
        legend_add(&p.legend, f, l->list[i].name, track_pen(f, &l->list[i]));
    panel_add(list, p);
}

static void add_paths(panel_list *list, const figure *f, const track_list *l, int kind,
                      const double lo[3], const double hi[3]) {
    bool planar;
    projection widest = widest_view(lo, hi, &planar);
    for (int i = 0; i < (f->chosen ? f->n_views : 1); i++) {
        panel p = {.draw = draw_path, .which = kind, .view = f->chosen ? f->views[i] : widest};
        snprintf(p.title, sizeof p.title, "%s path", kind == TIPS ? "Tip" : "Body");
        add_panel(list, f, l, p);
    }
}

// Coordinates that move (or the two of the widest view when nothing does), and the path when more
// than one does.
static void add_tracks(panel_list *list, const figure *f, int kind, bool even_still) {
    track_list l = tracks_of(f, kind);
    if (l.n == 0 || !has_time(f)) return;
    double size = 0.0, lo[3], hi[3];
    bool moves[3] = {false};
    int n = 0;
    for (int k = 0; k < 3; k++) size = fmax(size, f->hi[k] - f->lo[k]);
    bounds_of(f, &l, lo, hi);
    for (int k = 0; k < 3; k++) {
        moves[k] = hi[k] - lo[k] > STILL * size;
        n += moves[k];
    }
    if (n == 0 && even_still) moves[f->views[0].axis[0]] = moves[f->views[0].axis[1]] = true;
    for (int k = 0; k < 3; k++) {
        if (!moves[k]) continue;
        panel p = {.draw = draw_coordinate, .place = PLACE_TIME, .which = 3 * kind + k};
        snprintf(p.title, sizeof p.title, "%s %s", kind == TIPS ? "Tip" : "Body",
                 coordinate_names[k]);
        add_panel(list, f, &l, p);
    }
    if (n > 1) add_paths(list, f, &l, kind, lo, hi);
}

void add_tip(panel_list *l, const figure *f) {
    if (!f->everything || !has_free_bodies(f)) add_tracks(l, f, TIPS, true);
}

void add_bodies(panel_list *l, const figure *f) {
    add_tracks(l, f, BODIES, false);
}
