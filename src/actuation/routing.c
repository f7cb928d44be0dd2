// actuation/routing.c - the path of an actuator in the sections of its rod.
#include "actuation/actuator.h"

#define TWO_PI 6.28318530717958647693

static route_point straight(const td_tendon_def *d, double s) {
    double span = d->to - d->from, x = (s - d->from) / span;
    double dx = d->offset_end[0] - d->offset[0], dy = d->offset_end[1] - d->offset[1];
    return (route_point){.r = {d->offset[0] + x * dx, d->offset[1] + x * dy, 0.0},
                         .r_s = {dx / span, dy / span, 0.0}};
}

static route_point helix(const td_tendon_def *d, double s) {
    double rate = TWO_PI * d->turns / (d->to - d->from);
    double angle = d->phase + rate * (s - d->from);
    double x = d->radius * cos(angle), y = d->radius * sin(angle);
    return (route_point){.r = {x, y, 0.0},
                         .r_s = {-rate * y, rate * x, 0.0},
                         .r_ss = {-rate * rate * x, -rate * rate * y, 0.0}};
}

typedef struct curve {  // one coordinate of a spline
    double f, f_s, f_ss;
} curve;

// A cubic on [0, h] from the values and second derivatives at its ends.
static curve cubic(double h, double x, double f0, double f1, double m0, double m1) {
    double y = h - x;
    curve c = {.f_ss = (m0 * y + m1 * x) / h};
    c.f_s = (f1 - f0) / h + (m1 * (3.0 * x * x - h * h) - m0 * (3.0 * y * y - h * h)) / (6.0 * h);
    c.f = (f0 * y + f1 * x) / h - x * y * (m0 * (h + y) + m1 * (h + x)) / (6.0 * h);
    return c;
}

static int interval_at(int n, const double *points, double s) {
    int low = 0, high = n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (points[3 * middle] <= s) low = middle;
        else high = middle;
    }
    return low;
}

static route_point through_points(const actuator *a, double s) {
    int i = interval_at(a->tendon.n_points, a->tendon.points, s);
    const double *p = a->tendon.points + 3 * i, *m = a->spline + 2 * i;
    curve x = cubic(p[3] - p[0], s - p[0], p[1], p[4], m[0], m[2]);
    curve y = cubic(p[3] - p[0], s - p[0], p[2], p[5], m[1], m[3]);
    return (route_point){{x.f, y.f, 0.0}, {x.f_s, y.f_s, 0.0}, {x.f_ss, y.f_ss, 0.0}};
}

route_point actuator_route(const actuator *a, double s) {
    switch (a->tendon.routing) {
    case TD_ROUTING_STRAIGHT: return straight(&a->tendon, s);
    case TD_ROUTING_HELIX: return helix(&a->tendon, s);
    case TD_ROUTING_POINTS: return through_points(a, s);
    }
    return (route_point){.r = {0.0, 0.0, 0.0}};
}

// ---------------------------------------------------------------- the spline
typedef struct spline_row {  // lower M_(i-1) + middle M_i + upper M_(i+1) = right
    double lower, middle, upper, right;
} spline_row;

// Slope continuous at point i; `column` 1: x, 2: y.
static spline_row slope_row(const double *points, int i, int column) {
    const double *p = points + 3 * i;
    double h0 = p[0] - p[-3], h1 = p[3] - p[0];
    double bend = (p[3 + column] - p[column]) / h1 - (p[column] - p[column - 3]) / h0;
    return (spline_row){h0, 2.0 * (h0 + h1), h1, 6.0 * bend};
}

// No knot at the first inner point: M_0 = (1 + k) M_1 - k M_2, k = h0/h1; and so at the last.
static spline_row inner_row(const double *points, int n, int i, int column) {
    spline_row row = slope_row(points, i, column);
    double h0 = row.lower, h1 = row.upper;
    if (i == 1) {
        row.middle += h0 * (1.0 + h0 / h1);
        row.upper -= h0 * h0 / h1;
        row.lower = 0.0;
    }
    if (i == n - 2) {
        row.middle += h1 * (1.0 + h1 / h0);
        row.lower -= i == 1 ? 0.0 : h1 * h1 / h0;
        row.upper = 0.0;
    }
    return row;
}

// second, (n x 2): this column of it, from row 1 to row n - 2. The rows are diagonally dominant.
static void solve_inner(int n, const double *points, int column, double *second, double *work) {
    work[0] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        spline_row row = inner_row(points, n, i, column);
        double pivot = row.middle - row.lower * work[i - 1];
        double before = i > 1 ? second[2 * (i - 1)] : 0.0;
        work[i] = row.upper / pivot;
        second[2 * i] = (row.right - row.lower * before) / pivot;
    }
    for (int i = n - 3; i >= 1; i--) second[2 * i] -= work[i] * second[2 * (i + 1)];
}

void route_spline(int n, const double *points, double *second, double *work) {
    for (int i = 0; i < 2 * n; i++) second[i] = 0.0;
    for (int k = 0; k < 2; k++) {
        double *m = second + k;
        if (n == 3) {
            spline_row row = slope_row(points, 1, k + 1);
            m[0] = m[2] = m[4] = row.right / (row.lower + row.middle + row.upper);
        }
        if (n < 4) continue;
        solve_inner(n, points, k + 1, m, work);
        const double *last = points + 3 * (n - 1);
        double first_k = (points[3] - points[0]) / (points[6] - points[3]);
        double last_k = (last[0] - last[-3]) / (last[-3] - last[-6]);
        m[0] = m[2] + first_k * (m[2] - m[4]);
        m[2 * (n - 1)] = m[2 * (n - 2)] + last_k * (m[2 * (n - 2)] - m[2 * (n - 3)]);
    }
}
