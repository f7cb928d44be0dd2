// cli/figure.h - figures of results: panels, each a few gnuplot commands.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "io/result.h"

typedef struct figure {
    result *const *results;
    int n_results;
    int axis[2];      // horizontal and vertical axis of projections: the most extended ones
    bool planar;      // nothing leaves the plane of the two
    double lo[3], hi[3];  // box around all shapes, m
} figure;

figure figure_of(result *const *results, int n);

typedef struct panel panel;
struct panel {
    void (*draw)(FILE *script, const figure *f, const panel *p);
    int result;  // which one, for panels about one result
    int which;   // coordinate, component or input, as the panel needs
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

// ---------------------------------------------------------------- shared by the panels
void panel_add(panel_list *l, panel p);
// Every panel starts from the same settings.
void panel_begin(FILE *script, const char *title);

// A factor and a prefixed unit that bring numbers up to `largest` to a readable size.
typedef struct axis_unit {
    double factor;
    char text[32];  // "mm"
} axis_unit;
axis_unit axis_unit_for(double largest, const char *unit);
void set_label(FILE *script, const char *axis, const char *name, const char *unit);

// Both axes to the same scale, with a box that fills its panel.
void set_equal_ranges(FILE *script, const double lo[2], const double hi[2]);

const char *curve_colour(int i);
// Result and rod, as far as they tell curves apart.
void curve_title(const figure *f, int result, int rod, char *text, size_t size);
// Records drawn of a long curve: every stride-th.
int curve_stride(const result *r);

extern const char *const axis_names[3];
