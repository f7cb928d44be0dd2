// cli/projection.c - see projection.h.
#include "cli/projection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"
#include "cli/gnuplot.h"

#define DEGREE 0.017453292519943295

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

projection view_along(int horizontal, int vertical) {
    projection v = {.axis = {horizontal, vertical}};
    v.right[horizontal] = v.up[vertical] = 1.0;
    cross(v.right, v.up, v.toward);
    return v;
}

// rad: where the eye stands
static projection view_from(double azimuth, double elevation) {
    double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    return (projection){.corner = true,
                        .axis = {0, 2},
                        .right = {-sa, ca, 0},
                        .up = {-se * ca, -se * sa, ce},
                        .toward = {ce * ca, ce * sa, se}};
}

projection view_from_corner(void) {
    return view_from(-58 * DEGREE, 24 * DEGREE);
}

bool view_parse(const char *text, projection *v) {
    const char *names = "xyz";
    const char *a = text[0] ? strchr(names, text[0]) : NULL;
    const char *b = a && text[1] ? strchr(names, text[1]) : NULL;
    if (b && a != b && !text[2]) {
        *v = view_along((int)(a - names), (int)(b - names));
        return true;
    }
    *v = view_from_corner();
    if (!strcmp(text, "3d") || !strcmp(text, "3D")) return true;
    char *end;
    double azimuth = strtod(text, &end);
    if (end == text || *end != ',' || !isfinite(azimuth)) return false;
    const char *second = end + 1;
    double elevation = strtod(second, &end);
    if (end == second || *end || !(fabs(elevation) <= 90.0)) return false;
    *v = view_from(azimuth * DEGREE, elevation * DEGREE);
    return true;
}

void view_project(const projection *v, const double p[3], double out[2]) {
    out[0] = dot(v->right, p);
    out[1] = dot(v->up, p);
}

// ---------------------------------------------------------------- the box
#define THINNEST 0.3  // of its longest side

box box_around(const double lo[3], const double hi[3]) {
    box b;
    double longest = 0.0;
    for (int k = 0; k < 3; k++) longest = fmax(longest, hi[k] - lo[k]);
    if (!(longest > 0)) longest = 1.0;
    for (int k = 0; k < 3; k++) {
        double side = hi[k] - lo[k] + 0.08 * longest;
        double missing = fmax(0.0, THINNEST * longest - side) + 0.08 * longest;
        b.lo[k] = lo[k] - missing / 2;
        b.hi[k] = hi[k] + missing / 2;
    }
    return b;
}

// Corner i: bit k says which end of axis k.
static void corner_of(const box *b, int i, double p[3]) {
    for (int k = 0; k < 3; k++) p[k] = i >> k & 1 ? b->hi[k] : b->lo[k];
}

void view_bounds(const projection *v, const box *b, double lo[2], double hi[2]) {
    for (int k = 0; k < 2; k++) lo[k] = HUGE_VAL, hi[k] = -HUGE_VAL;
    for (int i = 0; i < 8; i++) {
        double p[3], q[2];
        corner_of(b, i, p);
        view_project(v, p, q);
        for (int k = 0; k < 2; k++) lo[k] = fmin(lo[k], q[k]), hi[k] = fmax(hi[k], q[k]);
    }
}

static void put_line(FILE *script, const projection *v, const double a[3], const double b[3],
                     const char *style) {
    double p[2], q[2];
    view_project(v, a, p);
    view_project(v, b, q);
    fprintf(script, "set arrow from %.9g,%.9g to %.9g,%.9g nohead back %s\n", p[0], p[1], q[0],
            q[1], style);
}

// Text beside a point, on the side that leads away from the box.
static void put_beside(FILE *script, const projection *v, const double p[3], const double away[2],
                       double distance, const char *text) {
    double q[2];
    view_project(v, p, q);
    const char *align = away[0] > 0.3 ? "left" : away[0] < -0.3 ? "right" : "center";
    fputs("set label ", script);
    gnuplot_text(script, text);
    fprintf(script, " at %.9g,%.9g %s offset %.3f,%.3f back textcolor rgb '#444444' font ',10'\n",
            q[0], q[1], align, distance * away[0], 0.55 * distance * away[1]);
}

// Everything about one axis: marks along the edge from `start`, which runs over the box along axis
// k; `away` leads out of the box in the picture.
static void put_axis(FILE *script, const projection *v, const box *b, const double start[3], int k,
                     const double away[2], double step, const char *unit) {
    double from[3] = {start[0], start[1], start[2]}, to[3] = {start[0], start[1], start[2]};
    from[k] = b->lo[k], to[k] = b->hi[k];
    put_line(script, v, from, to, "lc rgb '#777777' lw 1");
    int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    // the corner belongs to the marks of the floor
    double least = k == 2 ? b->lo[2] + 0.12 * step : b->lo[k];
    for (double x = step * ceil(least / step); x <= b->hi[k]; x += step) {
        double p[3] = {start[0], start[1], start[2]};
        char text[40];
        p[k] = x;
        snprintf(text, sizeof text, "%.*f", decimals, fabs(x) < 1e-9 * step ? 0.0 : x);
        put_beside(script, v, p, away, 0.9, text);
    }
    double middle[3] = {start[0], start[1], start[2]};
    char name[64];
    middle[k] = (b->lo[k] + b->hi[k]) / 2;
    snprintf(name, sizeof name, "%s (%s)", coordinate_names[k], unit);
    if (k == 2) middle[2] = b->hi[2];
    const double above[2] = {0.0, 1.0};
    put_beside(script, v, middle, k == 2 ? above : away, k == 2 ? 1.6 : 4.4, name);
}

static void put_floor(FILE *script, const projection *v, const box *b, const double step[2]) {
    for (int k = 0; k < 2; k++) {
        for (double x = step[k] * ceil(b->lo[k] / step[k]); x <= b->hi[k]; x += step[k]) {
            double p[3] = {b->lo[0], b->lo[1], b->lo[2]}, q[3] = {b->hi[0], b->hi[1], b->lo[2]};
            p[k] = q[k] = x;
            put_line(script, v, p, q, "lc rgb '#dcdcdc' lw 0.8");
        }
    }
}

// Out of the box, seen in the picture, from the middle of an edge of the floor, along axis k.
static void away_from(const projection *v, const box *b, const double start[3], int k,
                      double away[2]) {
    double centre[3], edge[3] = {start[0], start[1], start[2]}, q[2], c[2];
    for (int i = 0; i < 3; i++) centre[i] = (b->lo[i] + b->hi[i]) / 2;
    centre[2] = start[2];
    edge[k] = centre[k];
    view_project(v, edge, q);
    view_project(v, centre, c);
    double size = hypot(q[0] - c[0], q[1] - c[1]);
    if (!(size > 0)) size = 1.0;
    away[0] = (q[0] - c[0]) / size;
    away[1] = (q[1] - c[1]) / size;
}

// Marks of axis k: of the longest side five or so, and none closer than its number needs.
static double step_of(const projection *v, const box *b, int k, double pixel) {
    double longest = 0.0, seen = hypot(v->right[k], v->up[k]);
    for (int i = 0; i < 3; i++) longest = fmax(longest, b->hi[i] - b->lo[i]);
    double step = round_step(longest / 5);
    while (seen > 0.05 && step * seen < 38 * pixel) step = round_step(2.3 * step);
    return step;
}

void put_box_frame(FILE *script, const projection *v, const box *b, const char *unit,
                   double pixel) {
    double away[2], start[3], step[3];
    for (int k = 0; k < 3; k++) step[k] = step_of(v, b, k, pixel);
    put_floor(script, v, b, step);
    for (int k = 0; k < 2; k++) {  // the two edges of the floor that face the eye
        int other = 1 - k;
        start[k] = b->lo[k], start[2] = v->toward[2] < 0 ? b->hi[2] : b->lo[2];
        start[other] = v->toward[other] > 0 ? b->hi[other] : b->lo[other];
        away_from(v, b, start, k, away);
        put_axis(script, v, b, start, k, away, step[k], unit);
    }
    // the upright that is furthest to the left
    double left = HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        double p[3], q[2];
        corner_of(b, i, p);
        view_project(v, p, q);
        if (q[0] < left) left = q[0], memcpy(start, p, sizeof start);
    }
    away[0] = -1.0, away[1] = 0.0;
    put_axis(script, v, b, start, 2, away, step[2], unit);
}
