// Where the panels go: those of space in a grid on the left, those of time in a stack on the right,
// under one another so that an instant is one vertical line.
#include "cli/figure.h"

enum {
    TITLE = 44,
    SPACE_WIDTH = 496,
    SPACE_HEIGHT = 450,
    TIME_WIDTH = 780,
    TIME_HEIGHT = 235,
    LONE_TIME_HEIGHT = 470,
    // Around the axes, in pixels.
    LEFT = 84,
    RIGHT = 24,
    COLOUR_BAR = 104,
    TOP = 38,
    BOTTOM = 56,
    BOTTOM_BARE = 24  // without the name of the time axis
};

typedef struct groups {
    int n_space, n_time;
    int columns, rows;  // of space panels
    int right;          // of their axes, pixels
} groups;

static groups count_groups(const panel_list *l) {
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
    g.rows = g.columns ? (g.n_space + g.columns - 1) / g.columns : 0;
    return g;
}

static int space_panel_width(const groups *g) {
    return SPACE_WIDTH + g->right;
}

void natural_size(const panel_list *l, bool title, int size[2]) {
    groups g = count_groups(l);
    int time_height =
        g.n_time == 1 ? LONE_TIME_HEIGHT : g.n_time * TIME_HEIGHT + BOTTOM - BOTTOM_BARE;
    int space_height = g.rows * SPACE_HEIGHT;
    size[0] = g.columns * space_panel_width(&g) + (g.n_time ? TIME_WIDTH : 0);
    size[1] =
        (time_height > space_height && g.n_time ? time_height : space_height) + (title ? TITLE : 0);
}

// Pixels counted from the top left.
static void place(panel *p, const int size[2], double left, double top, double right,
                  double bottom) {
    double least = 20.0;  // a figure too small for its margins still draws
    if (right < left + least) right = left + least;
    if (bottom < top + least) bottom = top + least;
    p->x0 = left / size[0];
    p->x1 = right / size[0];
    p->y0 = 1.0 - bottom / size[1];
    p->y1 = 1.0 - top / size[1];
    p->width = right - left;
    p->height = bottom - top;
}

void layout_panels(panel_list *l, bool title, const int size[2]) {
    groups g = count_groups(l);
    double head = title ? TITLE : 0, width = size[0], height = size[1] - head;
    double natural = g.columns * space_panel_width(&g) + (g.n_time ? TIME_WIDTH : 0);
    double space_width = width * g.columns * space_panel_width(&g) / natural;
    int space = 0, time = 0;
    for (int i = 0; i < l->n; i++) {
        panel *p = &l->list[i];
        if (p->place == PLACE_SPACE) {
            double w = space_width / g.columns, h = height / g.rows;
            double left = w * (space % g.columns), top = head + h * (space / g.columns);
            place(p, size, left + LEFT, top + TOP, left + w - g.right, top + h - BOTTOM);
            space++;
        } else {
            double h = (height - (BOTTOM - BOTTOM_BARE)) / g.n_time, top = head + h * time;
            place(p, size, space_width + LEFT, top + TOP, width - RIGHT, top + h - BOTTOM_BARE);
            p->names_time = ++time == g.n_time;
        }
    }
}
