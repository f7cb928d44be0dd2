// Pens, and the legends that say which is whose. gnuplot's own key cannot be kept clear of titles,
// so legends are set by hand, line by line.
#include <string.h>

#include "cli/figure.h"
#include "cli/gnuplot.h"

// Told apart by most people with a colour vision deficiency, and in grey.
static const char *const colours[] = {"#0b6fb3", "#d1570c", "#13906b", "#b0569a",
                                      "#dd9c10", "#4fb0e0", "#5b5b5b", "#8c3b2a"};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

static const char *const dashes[] = {"solid", "(16,8)", "(4,5)", "(16,6,4,6)", "(8,4)"};
enum { N_DASHES = sizeof dashes / sizeof dashes[0] };

const char *dash_type(int dash) {
    return dashes[dash % N_DASHES];
}

const char *curve_colour(int i) {
    return colours[i % N_COLOURS];
}

// ---------------------------------------------------------------- whose colour
// The number of a thing among all that have a name: rods, actuators, free bodies, inputs; -1
// for none of them. *within: its number among those of its kind.
static int thing_number(const result *r, const char *name, int *within) {
    int n = 0;
    for (*within = 0; *within < r->n_rods; ++*within, n++)
        if (!strcmp(r->rods[*within].name, name)) return n;
    *within = 0;
    for (int i = 0; i < r->n_actuators; i++, n++, ++*within) {
        if (i > 0 && r->actuators[i].kind != r->actuators[i - 1].kind) *within = 0;
        if (!strcmp(r->actuators[i].name, name)) return n;
    }
    *within = 0;
    for (int i = 0; i < r->n_bodies; i++) {
        if (!r->bodies[i].free) continue;
        if (!strcmp(r->bodies[i].name, name)) return n;
        ++*within, n++;
    }
    for (*within = 0; *within < r->n_inputs; ++*within, n++)
        if (!strcmp(r->inputs[*within].name, name)) return n;
    return -1;
}

pen pen_of(const figure *f, int which, const char *name, int order) {
    int within, number = thing_number(f->results[which], name, &within);
    if (number < 0) number = within = order;
    if (f->n_results > 1) return (pen){curve_colour(which), within};
    return (pen){curve_colour(number), number / N_COLOURS};
}

// ---------------------------------------------------------------- size of text
// Widths of a common sans serif face, in units of the size: close enough to keep words apart.
static double character_width(unsigned char c) {
    if (c >= 0x80 && c < 0xc0) return 0.0;  // goes on with a character of several bytes
    if (strchr("ijlI.,:;'|!", c)) return 0.33;
    if (strchr("frt-() /", c)) return 0.42;
    if (strchr("mwMW@%", c)) return 0.95;
    if (c >= 'A' && c <= 'Z') return 0.7;
    return 0.62;
}

double text_width(const char *text, double points) {
    double width = 0.0;
    for (const char *c = text; *c; c++) width += character_width((unsigned char)*c);
    return width * points * 96 / 72;
}

// ---------------------------------------------------------------- legends
enum { SAMPLE = 28, SAMPLE_GAP = 6, ENTRY_GAP = 18, POINTS = 10 };

void legend_add(legend *l, const figure *f, const char *text, pen p) {
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->entries[i].text, text)) return;
    if (l->n == MOST_ENTRIES) {
        snprintf(l->entries[l->n - 1].text, sizeof l->entries[0].text, "and more");
        return;
    }
    if (f->n_results > 1) p.colour = "#555555";
    legend_entry *e = &l->entries[l->n++];
    e->pen = p;
    snprintf(e->text, sizeof e->text, "%s", text);
}

static double entry_width(const legend_entry *e) {
    return SAMPLE + SAMPLE_GAP + text_width(e->text, POINTS) + ENTRY_GAP;
}

double legend_width(const legend *l) {
    double width = 0.0;
    for (int i = 0; i < l->n; i++) width += entry_width(&l->entries[i]);
    return width > 0 ? width - ENTRY_GAP : 0.0;
}

// Does entry i begin a new line after `used` pixels?
static bool breaks(const legend *l, int i, double used, double width) {
    return used > 0 && used + entry_width(&l->entries[i]) - ENTRY_GAP > width;
}

int legend_rows(const legend *l, double width) {
    int rows = l->n > 0;
    double used = 0.0;
    for (int i = 0; i < l->n; i++) {
        if (breaks(l, i, used, width)) rows++, used = 0.0;
        used += entry_width(&l->entries[i]);
    }
    return rows;
}

static void put_entry(FILE *script, const legend_entry *e, double x, double y,
                      const double sheet[2]) {
    double height = 1.0 - y / sheet[1];
    fprintf(script,
            "set arrow from screen %.6f,%.6f to screen %.6f,%.6f nohead lc rgb '%s' dt %s lw 2\n",
            x / sheet[0], height, (x + SAMPLE) / sheet[0], height, e->pen.colour,
            dash_type(e->pen.dash));
    fputs("set label ", script);
    gnuplot_text(script, e->text);
    fprintf(script, " at screen %.6f,%.6f left font ',%d'\n", (x + SAMPLE + SAMPLE_GAP) / sheet[0],
            height, POINTS);
}

void put_legend(FILE *script, const legend *l, double x, double y, double width,
                const double sheet[2]) {
    double used = 0.0;
    y += LEGEND_ROW / 2.0;
    for (int i = 0; i < l->n; i++) {
        if (breaks(l, i, used, width)) y += LEGEND_ROW, used = 0.0;
        put_entry(script, &l->entries[i], x + used, y, sheet);
        used += entry_width(&l->entries[i]);
    }
}
