// Robots whose material relaxes, under every model that claims it, and what their complex modulus says.
#pragma once

#include "math/se3.h"

#include "lumped.h"
#include "materials.h"

static inline int claiming(int n, td_options out[8]) {
    int found = 0;
    for (int i = 0; i < td_n_models(); i++) {
        if (!td_model_supports(i, TD_FEATURE_RELAXATION)) continue;
        td_options o = lumped_options(td_model_name(i), n, false);
        o.nodes = o.rom.order = n;
        o.scheme = TD_BDF2;
        out[found++] = o;
    }
    assert_true(found >= 5);
    return found;
}

typedef struct term {
    double share, time;
} term;

static inline td_piece_def relaxing(lumped_rod r, const term *terms, int n) {
    td_piece_def p = lumped_piece(&r);
    for (int k = 0; k < n; k++)
        p.relaxation.shares[k] = terms[k].share, p.relaxation.times[k] = terms[k].time;
    return p;
}

// Each mode of a rod that relaxes everywhere alike obeys x'' + w^2 (x + g h) = 0, h' + h/T = x', where w is its frequency
// without relaxation: s^2 + w^2 (1 + g s T/(1 + s T)) = 0. The complex pair of roots, by Newton's method from i w.
static inline void complex_root(double w, term one, double *re, double *im) {
    // s^3 T + s^2 + w^2 (1 + g) T s + w^2 = 0
    const double a = one.time, c = w * w * (1.0 + one.share) * one.time, d = w * w;
    double x = 0.0, y = w;
    for (int i = 0; i < 50; i++) {
        const double xx = x * x - y * y, xy = 2.0 * x * y;
        const double fx = a * (x * xx - y * xy) + xx + c * x + d,
                     fy = a * (x * xy + y * xx) + xy + c * y;
        const double gx = 3.0 * a * xx + 2.0 * x + c, gy = 3.0 * a * xy + 2.0 * y;
        const double size = gx * gx + gy * gy;
        x -= (fx * gx + fy * gy) / size;
        y -= (fy * gx - fx * gy) / size;
    }
    *re = x, *im = y;
}

static inline td_robot *pushed_robot(void) {
    const term two[2] = {{0.5, 0.05}, {0.3, 0.6}};
    const td_piece_def piece = relaxing(unit_rod(), two, 2);
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("push", 1.0);
    load.force[0] = (td_number){0.0, 0.5, add_input(robot, "push")};
    add_load(robot, &load);
    return robot;
}
