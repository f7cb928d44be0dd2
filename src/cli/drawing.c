// cli/drawing.c - see drawing.h.
#include "cli/drawing.h"

#include <string.h>
#include <strings.h>

#include "cli/args.h"
#include "cli/gnuplot.h"
#include "cli/terminal.h"
#include "io/written.h"

bool drawing_begin(drawing *d, const char *option_name, const char *path) {
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    const char *dot = strrchr(path, '.');
    *d = (drawing){.zoom = 1.0, .dpi = SCREEN_DPI, .font = "Sans"};
    snprintf(d->path, sizeof d->path, "%s", path);
    for (int i = 0; i < 3; i++) {
        d->format = (picture_format)i;
        if (dot && !strcasecmp(dot, endings[i])) return true;
    }
    char where[32];
    snprintf(where, sizeof where, "--%s", option_name);
    return print_error(where, "'%s' must end in .png, .svg or .pdf", path);
}

bool drawing_is_possible(const args *a) {
    drawing d;
    const char *path = args_value(a, "picture");
    return !path || drawing_begin(&d, "picture", path);
}

// Text of the same size in all three: 11 points at 96 pixels to the inch, times the zoom.
static void set_terminal(FILE *script, const drawing *p) {
    const double z = p->zoom, d = z * p->dpi / SCREEN_DPI;
    char font[160];
    snprintf(font, sizeof font, "%.128s,11", p->font);
    switch (p->format) {
    case FORMAT_PDF:
        fprintf(script,
                "set terminal pdfcairo noenhanced color size %.3fin,%.3fin fontscale %.4f "
                "linewidth %.3f font ",
                z * p->size[0] / SCREEN_DPI, z * p->size[1] / SCREEN_DPI, 0.75 * z, 1.3 * z);
        break;
    case FORMAT_SVG:
        fprintf(script,
                "set terminal svg noenhanced size %.0f,%.0f fontscale %.4f linewidth %.3f "
                "background rgb 'white' font ",
                z * p->size[0], z * p->size[1], 1.333 * z, z);
        break;
    default:
        fprintf(script,
                "set terminal pngcairo noenhanced size %.0f,%.0f fontscale %.4f linewidth %.3f "
                "pointscale %.3f background rgb 'white' font ",
                d * p->size[0], d * p->size[1], d, d, d);
    }
    gnuplot_text(script, font);
    fputc('\n', script);
}

int draw_panels(drawing *d, panel_list *l, const figure *f, const char *title) {
    layout_panels(l, title[0], d->size);
    gnuplot g;
    if (!gnuplot_open(&g, d->path)) return EXIT_INPUT;
    set_terminal(g.script, d);
    fputs("set encoding utf8\nset multiplot\n", g.script);
    put_heading(g.script, l, title, d->size);
    for (int i = 0; i < l->n; i++) l->list[i].draw(g.script, f, &l->list[i]);
    fputs("unset multiplot\n", g.script);
    if (!gnuplot_close(&g)) return EXIT_FAILED;
    written_note(d->path);
    return EXIT_FINE;
}
