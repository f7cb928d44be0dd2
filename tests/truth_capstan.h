// tests/truth_capstan.h - a tendon with Coulomb friction on a planar rod without weight and without
// shear or stretch, in closed form. The curvature is u = a tension with a = offset/EI, so that the
// capstan law reads tension_s = -+ mu a tension^2. Pulled to T it carries T/(1 + mu a T s),
// released to T at most T/(1 - mu a T s): each new value at the start takes over as far as it can.
#pragma once

#include <math.h>

typedef struct truth_cable {
    double length, offset, EI, friction;
} truth_cable;

// Nitinol, 60 GPa, radius 0.7 mm, 0.3 m; offset 8 mm, coefficient 0.3.
static inline truth_cable truth_nitinol(double friction) {
    double r = 0.7e-3;
    return (truth_cable){0.3, 8e-3, 60e9 * 0.25 * acos(-1.0) * r * r * r * r, friction};
}

// Tension at s after the values T[0..n-1] at the start, from slack.
static inline double truth_cable_tension(const truth_cable *c, const double *T, int n, double s) {
    double k = c->friction * c->offset / c->EI * s, tension = 0.0, before = 0.0;
    for (int i = 0; i < n; i++) {
        if (T[i] >= before) {
            tension = fmax(tension, T[i] / (1.0 + k * T[i]));
        } else if (k * T[i] < 1.0) {
            tension = fmin(tension, T[i] / (1.0 - k * T[i]));
        }
        before = T[i];
    }
    return tension;
}

typedef struct truth_cable_shape {
    double angle, x, z;  // of the tip; it bends towards the tendon, in x
    double stretch;      // integral of the tension, N m
} truth_cable_shape;

static inline truth_cable_shape truth_cable_bend(const truth_cable *c, const double *T, int n) {
    enum { PANELS = 4000 };
    const double h = c->length / PANELS, a = c->offset / c->EI;
    truth_cable_shape tip = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < PANELS; i++) {  // Simpson; the angle in the middle to third order
        double t0 = truth_cable_tension(c, T, n, i * h);
        double t1 = truth_cable_tension(c, T, n, (i + 0.5) * h);
        double t2 = truth_cable_tension(c, T, n, (i + 1.0) * h);
        double middle = tip.angle + a * h * (5.0 * t0 + 8.0 * t1 - t2) / 24.0;
        double next = tip.angle + a * h * (t0 + 4.0 * t1 + t2) / 6.0;
        tip.x += h / 6.0 * (sin(tip.angle) + 4.0 * sin(middle) + sin(next));
        tip.z += h / 6.0 * (cos(tip.angle) + 4.0 * cos(middle) + cos(next));
        tip.stretch += h * (t0 + 4.0 * t1 + t2) / 6.0;
        tip.angle = next;
    }
    return tip;
}

// Work lost in one cycle of the tension between lo and hi: the pulled length is offset * angle.
static inline double truth_cable_loop(const truth_cable *c, double lo, double hi) {
    enum { STEPS = 400 };
    double area = 0.0, before = 0.0;
    for (int i = 0; i <= STEPS; i++) {
        double T = lo + (hi - lo) * i / STEPS;
        double up[3] = {hi, lo, T}, down[2] = {hi, T};
        double gap = c->offset * (truth_cable_bend(c, down, 2).angle -
                                  truth_cable_bend(c, up, 3).angle);  // between the branches
        if (i > 0) area += 0.5 * (gap + before) * (hi - lo) / STEPS;
        before = gap;
    }
    return area;
}

// Two tendons at +-offset, pretensioned by `pretension`, stiffness EA, compliance co outside; the
// first is pulled by d and the second let go by as much, which leaves it slack.
typedef struct truth_antagonists {
    double tension, gap;  // of the first; of the second, m
    truth_cable_shape tip;
} truth_antagonists;

static inline truth_antagonists truth_cable_pair(const truth_cable *c, double pretension, double EA,
                                                 double co, double d) {
    double lo = 0.0, hi = 1e3, given = d + c->length * pretension / EA + co * pretension;
    truth_antagonists out = {0.0, 0.0, {0.0, 0.0, 0.0, 0.0}};
    for (int i = 0; i < 100; i++) {
        double T = 0.5 * (lo + hi);
        out.tip = truth_cable_bend(c, &T, 1);
        if (c->offset * out.tip.angle + out.tip.stretch / EA + co * T < given) lo = T;
        else hi = T;
    }
    out.tension = lo;
    out.gap = 2.0 * d - given - c->offset * out.tip.angle;
    return out;
}
