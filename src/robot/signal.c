// robot/signal.c - what drives an input over time: values, rates and jumps, with both limits where
// they differ.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot/formula.h"
#include "robot/robot.h"
#include "math/pi.h"

// A sine that starts or stops within this of its middle, relative to the amplitude, does not jump:
// `duration: 1.5 s` at 2 Hz ends at sin(6 pi), which is not exactly zero in doubles.
#define NO_JUMP 1e-9

// Has the signal passed the instant `at`, seen from this side of t?
static bool passed(double t, td_side side, double at) {
    return t > at || (t == at && side == TD_AFTER);
}

static double safe(double value, double otherwise) {
    return isfinite(value) ? value : otherwise;
}

static double sine_angle(const td_signal *s, double t) {
    return 2.0 * PI * s->frequency * (t - s->start) + s->phase;
}

static bool sine_is_on(const td_signal *s, double t, td_side side) {
    if (!passed(t, side, s->start)) return false;
    return s->duration <= 0.0 || !passed(t, side, s->start + s->duration);
}

// ---------------------------------------------------------------- points
static double time_of(const td_signal *s, int i) {
    return s->points[2 * i];
}
static double value_of(const td_signal *s, int i) {
    return s->points[2 * i + 1];
}

// Number of points that the signal has passed.
static int points_passed(const td_signal *s, double t, td_side side) {
    int low = 0, high = s->n_points;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (passed(t, side, time_of(s, middle))) low = middle + 1;
        else high = middle;
    }
    return low;
}

static double points_value(const td_signal *s, double t, td_side side) {
    int k = points_passed(s, t, side);
    if (k == 0) return value_of(s, 0);
    if (k == s->n_points) return value_of(s, k - 1);
    double t0 = time_of(s, k - 1), t1 = time_of(s, k);
    double x = (t - t0) / (t1 - t0);
    return (1.0 - x) * value_of(s, k - 1) + x * value_of(s, k);
}

static double points_rate(const td_signal *s, double t, td_side side) {
    int k = points_passed(s, t, side);
    if (k == 0 || k == s->n_points) return 0.0;
    return (value_of(s, k) - value_of(s, k - 1)) / (time_of(s, k) - time_of(s, k - 1));
}

// ---------------------------------------------------------------- curve
static double slope(const td_signal *s, int i) {
    return (value_of(s, i + 1) - value_of(s, i)) / (time_of(s, i + 1) - time_of(s, i));
}

// The rate at a point: of the parabola through it and its neighbours, an error of second order for
// samples of a smooth curve. At both ends, and on either side of a jump, it rests.
static double curve_rate_at(const td_signal *s, int i) {
    if (i == 0 || i == s->n_points - 1) return 0.0;
    double before = time_of(s, i) - time_of(s, i - 1), after = time_of(s, i + 1) - time_of(s, i);
    if (before <= 0.0 || after <= 0.0) return 0.0;
    return (after * slope(s, i - 1) + before * slope(s, i)) / (before + after);
}

// Hermite's cubic between point i and the next, at share x of the way.
static double curve_value(const td_signal *s, double t, td_side side) {
    int k = points_passed(s, t, side);
    if (k == 0 || k == s->n_points) return value_of(s, k ? k - 1 : 0);
    const int i = k - 1;
    const double h = time_of(s, k) - time_of(s, i), x = (t - time_of(s, i)) / h, y = 1.0 - x;
    return y * y * (1.0 + 2.0 * x) * value_of(s, i) + x * x * (1.0 + 2.0 * y) * value_of(s, k) +
           h * x * y * (y * curve_rate_at(s, i) - x * curve_rate_at(s, k));
}

static double curve_rate(const td_signal *s, double t, td_side side) {
    int k = points_passed(s, t, side);
    if (k == 0 || k == s->n_points) return 0.0;
    const int i = k - 1;
    const double x = (t - time_of(s, i)) / (time_of(s, k) - time_of(s, i)), y = 1.0 - x;
    return 6.0 * x * y * slope(s, i) + y * (1.0 - 3.0 * x) * curve_rate_at(s, i) +
           x * (1.0 - 3.0 * y) * curve_rate_at(s, k);
}

static double curve_acceleration(const td_signal *s, double t, td_side side) {
    int k = points_passed(s, t, side);
    if (k == 0 || k == s->n_points) return 0.0;
    const int i = k - 1;
    const double h = time_of(s, k) - time_of(s, i), x = (t - time_of(s, i)) / h;
    return (6.0 * (1.0 - 2.0 * x) * slope(s, i) + (6.0 * x - 4.0) * curve_rate_at(s, i) +
            (6.0 * x - 2.0) * curve_rate_at(s, k)) /
           h;
}

static double points_next_jump(const td_signal *s, double t) {
    for (int i = points_passed(s, t, TD_AFTER); i + 1 < s->n_points; i++)
        if (time_of(s, i) == time_of(s, i + 1) && value_of(s, i) != value_of(s, i + 1))
            return time_of(s, i);
    return HUGE_VAL;
}

// ---------------------------------------------------------------- ramp and hat
static double ramp_value(double from, double to, double start, double duration, double t) {
    double x = fmin(fmax((t - start) / duration, 0.0), 1.0);
    return (1.0 - x) * from + x * to;
}

static double ramp_rate(const td_signal *s, double t, td_side side) {
    if (!passed(t, side, s->start) || passed(t, side, s->start + s->duration)) return 0.0;
    return (s->to - s->from) / s->duration;
}

static double hat_value(const td_signal *s, double t) {
    double half = 0.5 * s->duration;
    double folded = fmin(t - s->start, s->start + s->duration - t);  // distance to the nearer foot
    return ramp_value(s->from, s->to, 0.0, half, folded);
}

static double hat_rate(const td_signal *s, double t, td_side side) {
    if (!passed(t, side, s->start) || passed(t, side, s->start + s->duration)) return 0.0;
    double slope = (s->to - s->from) / (0.5 * s->duration);
    return passed(t, side, s->start + 0.5 * s->duration) ? -slope : slope;
}

// ---------------------------------------------------------------- formula
const formula_names signal_names = {.names = (const char *const[]){"t"}, .n = 1};

static jet formula_jet(const td_signal *s, double t, td_side side) {
    formula made;
    formula_error ignored;
    if (s->made) return formula_at_time(s->made, t, side);
    if (!s->formula || !formula_parse(s->formula, &signal_names, &made, &ignored))
        return (jet){0.0, 0.0, 0.0};
    return formula_at_time(&made, t, side);
}

static double formula_jump(const td_signal *s, double t, bool kink) {
    formula made;
    formula_error ignored;
    if (s->made) return formula_next_jump(s->made, t, kink);
    if (!s->formula || !formula_parse(s->formula, &signal_names, &made, &ignored)) return HUGE_VAL;
    return formula_next_jump(&made, t, kink);
}

// ---------------------------------------------------------------- copies
static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes);
    if (to) memcpy(to, from, bytes);
    return to;
}

bool signal_copy(td_signal *to, const td_signal *from) {
    formula made;
    formula_error ignored;
    *to = *from;
    to->points = NULL, to->formula = NULL, to->made = NULL;
    to->n_points = signal_has_points(from) ? from->n_points : 0;
    if (to->n_points > 0)
        to->points = copy_of(from->points, 2 * sizeof(double) * (size_t)to->n_points);
    if (from->kind == TD_SIGNAL_FORMULA &&
        formula_parse(from->formula, &signal_names, &made, &ignored)) {
        to->formula = copy_of(from->formula, strlen(from->formula) + 1);
        to->made = copy_of(&made, sizeof made);
    }
    if ((to->n_points == 0 || to->points) &&
        (from->kind != TD_SIGNAL_FORMULA || (to->formula && to->made)))
        return true;
    signal_release(to);
    return false;
}

void signal_release(td_signal *s) {
    free((double *)s->points);
    free((char *)s->formula);
    free((struct formula *)s->made);
    s->points = NULL, s->formula = NULL, s->made = NULL;
}

// ---------------------------------------------------------------- public
double td_signal_value(const td_signal *s, double t, td_side side) {
    switch (s->kind) {
    case TD_SIGNAL_CONSTANT: return s->from;
    case TD_SIGNAL_STEP: return passed(t, side, s->start) ? s->to : s->from;
    case TD_SIGNAL_RAMP: return ramp_value(s->from, s->to, s->start, s->duration, t);
    case TD_SIGNAL_HAT: return hat_value(s, t);
    case TD_SIGNAL_SINE:
        if (!sine_is_on(s, t, side)) return s->from;
        return safe(s->from + s->to * sin(sine_angle(s, t)), s->from);
    case TD_SIGNAL_POINTS: return s->n_points > 0 ? points_value(s, t, side) : 0.0;
    case TD_SIGNAL_CURVE: return s->n_points > 0 ? safe(curve_value(s, t, side), 0.0) : 0.0;
    case TD_SIGNAL_FORMULA: return safe(formula_jet(s, t, side).v, 0.0);
    }
    return 0.0;
}

double td_signal_rate(const td_signal *s, double t, td_side side) {
    switch (s->kind) {
    case TD_SIGNAL_CONSTANT:
    case TD_SIGNAL_STEP: return 0.0;
    case TD_SIGNAL_RAMP: return ramp_rate(s, t, side);
    case TD_SIGNAL_HAT: return hat_rate(s, t, side);
    case TD_SIGNAL_SINE:
        if (!sine_is_on(s, t, side)) return 0.0;
        return safe(s->to * 2.0 * PI * s->frequency * cos(sine_angle(s, t)), 0.0);
    case TD_SIGNAL_POINTS: return s->n_points > 0 ? points_rate(s, t, side) : 0.0;
    case TD_SIGNAL_CURVE: return s->n_points > 0 ? safe(curve_rate(s, t, side), 0.0) : 0.0;
    case TD_SIGNAL_FORMULA: return safe(formula_jet(s, t, side).d, 0.0);
    }
    return 0.0;
}

static double sine_acceleration(const td_signal *s, double t, td_side side) {
    const double omega = 2.0 * PI * s->frequency;
    return sine_is_on(s, t, side) ? -s->to * omega * omega * sin(sine_angle(s, t)) : 0.0;
}

double signal_acceleration(const td_signal *s, double t, td_side side) {
    switch (s->kind) {
    case TD_SIGNAL_SINE: return safe(sine_acceleration(s, t, side), 0.0);
    case TD_SIGNAL_CURVE: return s->n_points > 0 ? safe(curve_acceleration(s, t, side), 0.0) : 0.0;
    case TD_SIGNAL_FORMULA: return safe(formula_jet(s, t, side).dd, 0.0);
    default: return 0.0;
    }
}

bool signal_is_finite(const td_signal *s, double t, td_side side) {
    return s->kind != TD_SIGNAL_FORMULA || isfinite(formula_jet(s, t, side).v);
}

static double sine_next_jump(const td_signal *s, double t) {
    if (s->to == 0.0) return HUGE_VAL;
    if (t < s->start && fabs(sin(s->phase)) > NO_JUMP) return s->start;
    double end = s->start + s->duration;
    if (s->duration > 0.0 && t < end && !(fabs(sin(sine_angle(s, end))) <= NO_JUMP)) return end;
    return HUGE_VAL;
}

double td_signal_next_jump(const td_signal *s, double t) {
    switch (s->kind) {
    case TD_SIGNAL_CONSTANT:
    case TD_SIGNAL_RAMP:
    case TD_SIGNAL_HAT: return HUGE_VAL;
    case TD_SIGNAL_STEP: return t < s->start && s->from != s->to ? s->start : HUGE_VAL;
    case TD_SIGNAL_SINE: return sine_next_jump(s, t);
    case TD_SIGNAL_POINTS:
    case TD_SIGNAL_CURVE: return points_next_jump(s, t);
    case TD_SIGNAL_FORMULA: return formula_jump(s, t, false);
    }
    return HUGE_VAL;
}

// ---------------------------------------------------------------- kinks
// A table with more points than people write by hand is a sampled smooth curve.
#define MOST_KINKS 64

static double first_after(double t, const double *times, int n) {
    double first = HUGE_VAL;
    for (int i = 0; i < n; i++)
        if (times[i] > t) first = fmin(first, times[i]);
    return first;
}

static double points_next_kink(const td_signal *s, double t) {
    if (s->n_points > MOST_KINKS) return HUGE_VAL;
    for (int i = 0; i < s->n_points; i++) {
        double at = time_of(s, i);
        if (at > t && td_signal_rate(s, at, TD_BEFORE) != td_signal_rate(s, at, TD_AFTER))
            return at;
    }
    return HUGE_VAL;
}

double signal_next_kink(const td_signal *s, double t) {
    const double times[3] = {s->start, s->start + s->duration, s->start + 0.5 * s->duration};
    switch (s->kind) {
    case TD_SIGNAL_CONSTANT:
    case TD_SIGNAL_STEP:
    case TD_SIGNAL_CURVE: return HUGE_VAL;
    case TD_SIGNAL_RAMP: return s->from != s->to ? first_after(t, times, 2) : HUGE_VAL;
    case TD_SIGNAL_HAT: return s->from != s->to ? first_after(t, times, 3) : HUGE_VAL;
    case TD_SIGNAL_SINE: return first_after(t, times, s->duration > 0.0 ? 2 : 1);
    case TD_SIGNAL_POINTS: return points_next_kink(s, t);
    case TD_SIGNAL_FORMULA: return formula_jump(s, t, true);
    }
    return HUGE_VAL;
}
