// cli/figure.h - figures of results: panels, each a few gnuplot commands.
//
// All lengths on the sheet are in pixels of a figure with text of 11 points at 96 to the inch; a
// figure for print is that sheet made smaller as a whole, so that text, lines and margins stay in
// proportion.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/projection.h"
#include "io/result.h"

enum { MOST_VIEWS = 6 };

typedef struct figure {
    result *const *results;
    int n_results;
    double lo[3], hi[3];           // box around all shapes, m
    projection views[MOST_VIEWS];  // of shapes
    int n_views;
    bool chosen;      // the views were asked for, and count for paths too
    bool everything;  // panels of all kinds share it: only what matters most
    double time;      // of a picture of the robot, s
    const char *x;    // scalars against each other
    const char *const *y;
    int n_y;
    const void *own;  // of panels that draw something else than results
} figure;

// Views: the two most extended axes, and from a corner when something leaves their plane.
figure figure_of(result *const *results, int n);
// Along the axis in which this box is thinnest; is it flat?
projection widest_view(const double lo[3], const double hi[3], bool *planar);

// ---------------------------------------------------------------- pens and legends
// One thing, one colour, in all panels: a rod, a tendon, and the input that has its name. Of
// several results each has its colour, and dashes tell the things in it apart.
typedef struct pen {
    const char *colour;
    int dash;  // 0: a full line
} pen;
const char *dash_type(int dash);  // for gnuplot

pen pen_of(const figure *f, int result, const char *name, int order);
const char *curve_colour(int i);

typedef struct legend_entry {
    char text[96];
    pen pen;
} legend_entry;

enum { MOST_ENTRIES = 16, LEGEND_ROW = 19 };
typedef struct legend {
    legend_entry entries[MOST_ENTRIES];
    int n;
} legend;

// Once for each text. Among several results the thing's dash counts; their colours are explained
// at the head of the figure.
void legend_add(legend *l, const figure *f, const char *text, pen with);
double text_width(const char *text, double points);  // pixels, about
double legend_width(const legend *l);                // on one line
int legend_rows(const legend *l, double width);
// From (x, y), the top left corner in pixels of a sheet of this size, to the right and down.
void put_legend(FILE *script, const legend *l, double x, double y, double width,
                const double sheet[2]);

// ---------------------------------------------------------------- panels
typedef enum panel_place {
    PLACE_SPACE,  // room for a square or so
    PLACE_TIME    // one of a stack that shares the time axis
} panel_place;

typedef struct panel panel;
struct panel {
    void (*draw)(FILE *script, const figure *f, const panel *p);
    panel_place place;
    char title[128];
    legend legend;
    projection view;  // for panels of space
    int result;       // which one, for panels about one result
    int which;        // coordinate, component, input or set of scalars, as the panel needs
    bool colour_bar;
    // From layout_panels:
    double sheet[2];        // size of the figure, pixels
    double left;            // of the panel with its margins, pixels
    double head;            // where the title begins, a fraction of the figure
    double x0, y0, x1, y1;  // the axes' rectangle, fractions of the figure
    double width, height;   // its size in pixels
    bool beside;            // the legend stands on the line of the title
    bool names_time;        // the lowest of its stack
};

enum { MOST_PANELS = 24 };
typedef struct panel_list {
    panel list[MOST_PANELS];
    int n;
    legend results;  // whose colour is whose
} panel_list;

// Add what the results can show of one kind; nothing when it was not recorded.
void add_robot(panel_list *l, const figure *f);
void add_shapes(panel_list *l, const figure *f);
void add_tip(panel_list *l, const figure *f);
void add_energy(panel_list *l, const figure *f);
void add_strain(panel_list *l, const figure *f);
void add_inputs(panel_list *l, const figure *f);
void add_actuators(panel_list *l, const figure *f, int kind);
void add_reactions(panel_list *l, const figure *f);
void add_bodies(panel_list *l, const figure *f);
void add_against(panel_list *l, const figure *f);  // f->y over f->x, known to all results

// Where the panels go. A width of 0: as wide as they like; a height of 0: as high as they need.
void layout_panels(panel_list *l, bool title, double size[2]);
// The heading and the colours of several results, above all panels.
void put_heading(FILE *script, const panel_list *l, const char *title, const double sheet[2]);

// ---------------------------------------------------------------- shared by the panels
panel *panel_add(panel_list *l, panel p);
// Every panel starts from the same settings.
void panel_begin(FILE *script, const panel *p);

// A factor and a prefixed unit that bring numbers up to `largest` to a readable size.
typedef struct axis_unit {
    double factor;
    char text[32];  // "mm"
} axis_unit;
axis_unit axis_unit_for(double largest, const char *unit);
axis_unit shape_unit(const figure *f);  // of lengths in space
void set_label(FILE *script, const panel *p, const char *axis, const char *name, const char *unit);

// Axes of a panel of space around lo to hi, in m: flat ones to the same scale, or the frame of a
// box seen from a corner. Returns how many m a pixel is.
double set_space(FILE *script, const panel *p, const double lo[3], const double hi[3],
                 const axis_unit *unit);

// The vertical axis of values from lo to hi: some air, and marks that have room.
void set_value_range(FILE *script, const panel *p, double lo, double hi);
// The horizontal axis, from end to end.
void set_run_range(FILE *script, const panel *p, double lo, double hi);
double round_step(double x);  // 1, 2 or 5 times a power of ten, near x
#define STILL 1e-5            // relative change that counts as none

// The common time axis, named in the lowest panel of the stack.
void set_time_axis(FILE *script, const figure *f, const panel *p);
bool has_time(const figure *f);  // does any result have more than one record?
// One more curve of a plot command.
void put_curve(FILE *script, int *n, const char *data, const char *columns, pen with);
// Records drawn of a long curve: every stride-th.
int curve_stride(const result *r);

extern const char *const coordinate_names[3];

bool has_free_bodies(const figure *f);
