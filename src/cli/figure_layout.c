// Where the panels go: those of space in a grid on the left, those of time in a stack on the right,
// under one another so that an instant is one vertical line. On a narrow sheet all are in one
// column.
#include "cli/figure.h"
#include "cli/gnuplot.h"

enum {
    HEADING = 44,
    SPACE_WIDTH = 496,
    SPACE_HEIGHT = 450,
    TIME_WIDTH = 780,
    TIME_HEIGHT = 235,
    LONE_TIME_HEIGHT = 470,
    NARROW_TIME_HEIGHT = 200,
    // Around the axes, in pixels.
    LEFT = 84,
    RIGHT = 24,
    COLOUR_BAR = 104,
    TOP = 38,
    TOP_BARE = 16,  // without a title
    BOTTOM = 56,
    BOTTOM_BARE = 24  // without the name of the time axis
};

typedef struct groups {
    int n_space, n_time;
    int columns, rows;   // of space panels
    double right;        // of their axes, pixels
    bool narrow;         // all in one column
    double head;         // height of heading and legend of the results
    double space_width;  // of all columns
    double time_left, time_top;
} groups;

static int space_panel_width(const groups *g) {
    return SPACE_WIDTH + (int)g->right;
}

static double natural_width(const groups *g) {
    return g->columns * space_panel_width(g) + (g->n_time ? TIME_WIDTH : 0);
}

static groups group_panels(const panel_list *l, double width) {
    groups g = {.right = RIGHT};
    for (int i = 0; i < l->n; i++) {
        if (l->list[i].colour_bar) g.right = COLOUR_BAR;
        if (l->list[i].place == PLACE_SPACE) {
            g.n_space++;
        } else {
            g.n_time++;
        }
    }
    int most = g.n_time == 0 ? 3 : g.n_space > 3 ? 2 : 1;
    g.columns = g.n_space < most ? g.n_space : most;
    g.narrow = width > 0 && width < 0.65 * natural_width(&g);
    if (g.narrow) g.columns = g.n_space > 0;
    g.rows = g.columns ? (g.n_space + g.columns - 1) / g.columns : 0;
    return g;
}

static double space_height(const groups *g, double width) {
    if (!g->narrow) return SPACE_HEIGHT;
    double axes = width - LEFT - g->right;  // a little lower than wide
    return 0.85 * axes + TOP + BOTTOM;
}

static double time_stack_height(const groups *g) {
    if (g->n_time == 0) return 0.0;
    if (g->n_time == 1 && !g->narrow) return LONE_TIME_HEIGHT;
    return g->n_time * (g->narrow ? NARROW_TIME_HEIGHT : TIME_HEIGHT) + BOTTOM - BOTTOM_BARE;
}

static double natural_height(const groups *g, double width) {
    double space = g->rows * space_height(g, width), time = time_stack_height(g);
    if (g->narrow) return g->head + space + time;
    return g->head + (time > space ? time : space);
}

// The panel with its margins, in pixels counted from the top left.
static void place(panel *p, const double sheet[2], const double cell[4], double right,
                  double bottom) {
    const double least = 20.0;  // a figure too small for its margins still draws
    // seen from a corner, numbers stand inside
    bool corner = p->place == PLACE_SPACE && p->view.corner;
    double left = cell[0] + (corner ? RIGHT : LEFT), end = cell[2] - right;
    if (end < left + least) end = left + least;
    double title = text_width(p->title, 12.0), wide = end - cell[0] - LEFT;
    double top = cell[1] + (p->title[0] || p->legend.n ? TOP : TOP_BARE);
    p->beside = title + 24 + legend_width(&p->legend) <= wide;
    int rows = legend_rows(&p->legend, wide);
    if (!p->beside) top += LEGEND_ROW * (p->title[0] ? rows : rows - 1);
    double low = cell[3] - (corner ? RIGHT : bottom);
    if (low < top + least) low = top + least;
    p->sheet[0] = sheet[0], p->sheet[1] = sheet[1];
    p->left = cell[0], p->head = (cell[0] + LEFT) / sheet[0];
    p->x0 = left / sheet[0], p->x1 = end / sheet[0];
    p->y0 = 1.0 - low / sheet[1], p->y1 = 1.0 - top / sheet[1];
    p->width = end - left, p->height = low - top;
}

static void place_space(panel *p, const groups *g, const double sheet[2], int i) {
    double w = g->space_width / g->columns;
    double h = g->narrow ? (g->time_top - g->head) / g->rows : (sheet[1] - g->head) / g->rows;
    double left = w * (i % g->columns), top = g->head + h * (i / g->columns);
    place(p, sheet, (double[]){left, top, left + w, top + h}, g->right, BOTTOM);
}

static void place_time(panel *p, const groups *g, const double sheet[2], int i) {
    double h = (sheet[1] - g->time_top - (BOTTOM - BOTTOM_BARE)) / g->n_time;
    double top = g->time_top + h * i;
    double right = g->narrow ? g->right : RIGHT;  // axes of one column end alike
    place(p, sheet, (double[]){g->time_left, top, sheet[0], top + h}, right, BOTTOM_BARE);
    p->names_time = i + 1 == g->n_time;
}

void layout_panels(panel_list *l, bool title, double size[2]) {
    groups g = group_panels(l, size[0]);
    if (!(size[0] > 0)) size[0] = natural_width(&g);
    int rows = legend_rows(&l->results, size[0] - 2 * RIGHT);
    g.head = (title ? HEADING : 0) + (rows ? rows * LEGEND_ROW + 10 : 0);
    double natural = natural_height(&g, size[0]);
    if (!(size[1] > 0)) size[1] = natural;
    g.space_width = g.columns * space_panel_width(&g) * size[0] / natural_width(&g);
    g.time_left = g.space_width, g.time_top = g.head;
    if (g.narrow) {
        double share = g.rows * space_height(&g, size[0]) / (natural - g.head);
        g.space_width = size[0], g.time_left = 0.0;
        g.time_top = g.head + share * (size[1] - g.head);
    }
    int space = 0, time = 0;
    for (int i = 0; i < l->n; i++) {
        panel *p = &l->list[i];
        if (p->place == PLACE_SPACE) {
            place_space(p, &g, size, space++);
        } else {
            place_time(p, &g, size, time++);
        }
    }
}

void put_heading(FILE *script, const panel_list *l, const char *title, const double sheet[2]) {
    if (!title[0] && !l->results.n) return;
    fputs("reset\nunset key\nunset tics\nunset border\nset xrange [0:1]\nset yrange [0:1]\n",
          script);
    if (title[0]) {
        fputs("set label ", script);
        gnuplot_text(script, title);
        fprintf(script, " at screen 0.5, screen %.6f center font ',14'\n",
                1.0 - 0.5 * HEADING / sheet[1]);
    }
    double width = legend_width(&l->results), most = sheet[0] - 2 * RIGHT;
    if (width > most) width = most;
    put_legend(script, &l->results, (sheet[0] - width) / 2, title[0] ? HEADING : 8, width + 1,
               sheet);
    fputs("plot -1 notitle\n", script);
}
