// cli/figure.h - figures of results: panels, each a few gnuplot commands.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "io/result.h"

typedef struct figure {
    result *const *results;
    int n_results;
    int axis[2];          // horizontal and vertical axis of projections: the most extended ones
    bool planar;          // nothing leaves the plane of the two
    double lo[3], hi[3];  // box around all shapes, m
    bool everything;      // panels of all kinds share it: only what matters most
    const char *x;        // scalars against each other
    const char *const *y;
    int n_y;
} figure;

figure figure_of(result *const *results, int n);

typedef enum panel_place {
    PLACE_SPACE,  // room for a square or so
    PLACE_TIME    // one of a stack that shares the time axis
} panel_place;

typedef struct panel panel;
struct panel {
    void (*draw)(FILE *script, const figure *f, const panel *p);
    panel_place place;
    int result;  // which one, for panels about one result
    int which;   // coordinate, component, input or set of scalars, as the panel needs
    bool colour_bar;
    // From layout_panels:
    double x0, y0, x1, y1;  // the axes' rectangle, fractions of the figure
    double width, height;   // its size in pixels
    bool names_time;        // the lowest of its stack
};

enum { MOST_PANELS = 24 };
typedef struct panel_list {
    panel list[MOST_PANELS];
    int n;
} panel_list;

// Add what the results can show of one kind; nothing when it was not recorded.
void add_shapes(panel_list *l, const figure *f);
void add_tip(panel_list *l, const figure *f);
void add_energy(panel_list *l, const figure *f);
void add_strain(panel_list *l, const figure *f);
void add_inputs(panel_list *l, const figure *f);
void add_tendons(panel_list *l, const figure *f);
void add_chambers(panel_list *l, const figure *f);
void add_bodies(panel_list *l, const figure *f);
void add_against(panel_list *l, const figure *f);  // f->y over f->x, known to all results

// A size in pixels that suits these panels.
void natural_size(const panel_list *l, bool title, int size[2]);
void layout_panels(panel_list *l, bool title, const int size[2]);

// ---------------------------------------------------------------- shared by the panels
void panel_add(panel_list *l, panel p);
// Every panel starts from the same settings.
void panel_begin(FILE *script, const panel *p, const char *title);

// The colour bar at the right of the axes, from `bottom` (a fraction of the figure) to their top.
void set_colour_bar(FILE *script, const panel *p, double bottom);

// A factor and a prefixed unit that bring numbers up to `largest` to a readable size.
typedef struct axis_unit {
    double factor;
    char text[32];  // "mm"
} axis_unit;
axis_unit axis_unit_for(double largest, const char *unit);
axis_unit shape_unit(const figure *f);  // of lengths in space
void set_label(FILE *script, const char *axis, const char *name, const char *unit);

// Both axes to the same scale, in the panel's rectangle.
void set_equal_ranges(FILE *script, const panel *p, const double lo[2], const double hi[2]);

// The vertical axis of values from lo to hi: some air, and marks that have room.
void set_value_range(FILE *script, const panel *p, double lo, double hi);
// The horizontal axis, from end to end.
void set_run_range(FILE *script, const panel *p, double lo, double hi);
double round_step(double x);  // 1, 2 or 5 times a power of ten, near x
void set_marks(FILE *script, const char *axis, double step);
#define STILL 1e-5  // relative change that counts as none

// The common time axis, named in the lowest panel of the stack.
void set_time_axis(FILE *script, const figure *f, const panel *p);
bool has_time(const figure *f);  // does any result have more than one record?
// One more curve of a plot command; `title` empty: not in the key.
void put_curve(FILE *script, int *n, const char *data, const char *columns, const char *style,
               const char *title);

const char *curve_colour(int i);
// Result and rod, as far as they tell curves apart.
void curve_title(const figure *f, int result, int rod, char *text, size_t size);
// Records drawn of a long curve: every stride-th.
int curve_stride(const result *r);

extern const char *const coordinate_names[3];

// Lines "time x y z" of the free bodies of a result at a record: the origins of their frames; and a
// polygon through the joints that hold each of them, two blank lines after it.
void put_body_origins(FILE *script, const result *r, int record, double factor);
void put_body_outlines(FILE *script, const result *r, int record, double factor);
bool has_free_bodies(const figure *f);
