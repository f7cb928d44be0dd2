// cli/drawing.h - panels on a sheet, as PNG, SVG or PDF.
#pragma once

#include "cli/args.h"
#include "cli/figure.h"

#define SCREEN_DPI 96.0

typedef enum picture_format { FORMAT_PNG, FORMAT_SVG, FORMAT_PDF } picture_format;

typedef struct drawing {
    char path[640];
    picture_format format;
    double zoom;     // from the sheet that the panels know to what is drawn
    double dpi;      // of a PNG
    double size[2];  // of the sheet, pixels; 0: as the panels need
    bool print;      // for a paper: no title
    const char *font;
} drawing;

// For the screen, in the format that the path's ending says. False: none that is known, and it was
// printed what the option must be.
bool drawing_is_possible(const args *a);  // as --picture asks for, before anything is computed
bool drawing_begin(drawing *d, const char *option_name, const char *path);
// Lays out and draws. Returns an exit code, after printing what went wrong.
int draw_panels(drawing *d, panel_list *l, const figure *f, const char *title);
