// view/slider.c - see slider.h.
#include "view/slider.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/facts.h"
#include "math/pi.h"

double round_up(double x) {
    static const double steps[] = {1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0};
    if (!(x > 0.0) || !isfinite(x)) return 1.0;
    double unit = pow(10.0, floor(log10(x)));
    int i = 0;
    while (i < 6 && x > steps[i] * unit * (1 + 1e-9)) i++;
    char text[32];  // 0.3, not 0.30000000000000004
    snprintf(text, sizeof text, "%.2g", steps[i] * unit);
    return strtod(text, NULL);
}

// ---------------------------------------------------------------- what the signal says
#define SAMPLES 200  // of a formula

typedef struct range {
    double low, high;
} range;

static range formula_range(const td_signal *s, double end) {
    range r = {HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i <= SAMPLES; i++) {
        const double v = td_signal_value(s, end * i / SAMPLES, TD_AFTER);
        r = (range){fmin(r.low, v), fmax(r.high, v)};
    }
    return r;
}

static range signal_range(const td_signal *s, double end) {
    if (s->kind == TD_SIGNAL_FORMULA) return formula_range(s, end);
    range r = {s->from, s->from};
    if (s->kind == TD_SIGNAL_SINE) r = (range){s->from - fabs(s->to), s->from + fabs(s->to)};
    if (s->kind == TD_SIGNAL_STEP || s->kind == TD_SIGNAL_RAMP || s->kind == TD_SIGNAL_HAT)
        r = (range){fmin(s->from, s->to), fmax(s->from, s->to)};
    if (s->kind != TD_SIGNAL_POINTS && s->kind != TD_SIGNAL_CURVE) return r;
    r = (range){HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < s->n_points; i++) {
        r.low = fmin(r.low, s->points[2 * i + 1]);
        r.high = fmax(r.high, s->points[2 * i + 1]);
    }
    return r;
}

// ---------------------------------------------------------------- what the robot can feel
static double bending(const rod_facts *f) {
    return fmin(fmin(f->base.stiffness[0], f->base.stiffness[1]),
                fmin(f->tip.stiffness[0], f->tip.stiffness[1]));
}

static double load_scale(const td_robot *robot, const td_load_def *d, bool moment) {
    rod_facts f = rod_facts_of(robot, d->rod < 0 ? 0 : d->rod);
    double scale = bending(&f) / f.length;
    if (!moment) scale /= f.length;
    return d->distributed ? scale / f.length : scale;
}

// ---------------------------------------------------------------- what it drives
typedef struct use {
    const char *kind;
    double scale;   // used where the signal says nothing
    bool negative;  // makes sense too
    bool alike;     // sliders of this kind run alike; the others stand each for itself
} use;

static bool drives(const td_number *n, int input) {
    return n->gain != 0.0 && n->input == input;
}

static bool drives_any(const td_number n[3], int input) {
    return drives(&n[0], input) || drives(&n[1], input) || drives(&n[2], input);
}

static use use_in_rods(const td_robot *robot, int input) {
    for (int i = 0; i < robot->n_rods; i++) {
        const robot_rod *rod = &robot->rods[i];
        if (drives(&rod->feed, input)) return (use){"feed", 0.1 * rod->length, true, true};
        if (drives(&rod->tube.rotation, input)) return (use){"turn", PI, true, true};
        if (drives(&rod->tube.translation, input))
            return (use){"push", 0.2 * rod->length, true, true};
        if (drives_any(rod->base.position, input))
            return (use){"base", 0.2 * rod->length, true, false};
        if (drives_any(rod->base.rotation, input)) return (use){"base", PI / 2, true, false};
        if (drives_any(rod->tip.position, input))
            return (use){"tip", 0.2 * rod->length, true, false};
        if (drives_any(rod->tip.rotation, input)) return (use){"tip", PI / 2, true, false};
        if (drives(&rod->base.spring.rest, input) || drives(&rod->tip.spring.rest, input))
            return (use){"spring", 0.2 * rod->length, true, false};
    }
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        if (drives_any(hold->position, input) || drives(&hold->spring.rest, input))
            return (use){"body", 0.2 * robot_size(robot), true, false};
        if (drives_any(hold->rotation, input)) return (use){"body", PI / 2, true, false};
    }
    return (use){0};
}

static use use_in_actuators(const td_robot *robot, int input) {
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_facts f = actuator_facts_of(robot, i);
        if (drives(&f.number, input))
            return (use){f.given, f.scale, f.takes_negative, f.by_effort || f.kind->thin};
    }
    return (use){0};
}

static use use_in_loads(const td_robot *robot, int input) {
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *d = &robot->loads[i].def;
        if (drives_any(d->force, input))
            return (use){"force", load_scale(robot, d, false), true, false};
        if (drives_any(d->moment, input))
            return (use){"moment", load_scale(robot, d, true), true, false};
    }
    for (int i = 0; i < robot->n_bodies; i++)
        if (drives(&robot->bodies[i].def.attached, input))
            return (use){"attached", 1.0, false, false};
    if (drives_any(robot->gravity, input)) return (use){"gravity", 9.81, true, false};
    return (use){"other", 1.0, true, false};
}

static use use_of(const td_robot *robot, int input) {
    use u = use_in_rods(robot, input);
    if (!u.kind) u = use_in_actuators(robot, input);
    return u.kind ? u : use_in_loads(robot, input);
}

static bool are_alike(const use *a, const use *b) {
    return a->alike && b->alike && !strcmp(a->kind, b->kind);
}

// No farther than the file allows; all that it allows, where the signal does not say what is used of it.
static slider limited(slider s, const robot_input *in, bool used) {
    if (!(in->low < in->high) || !isfinite(in->high - in->low)) return s;
    const slider allowed = {s.kind, in->low, in->high};
    const slider both = {s.kind, fmax(s.min, in->low), fmin(s.max, in->high)};
    return used && both.min < both.max ? both : allowed;
}

slider slider_of(const td_robot *robot, int input) {
    use u = use_of(robot, input);
    const robot_input *in = &robot->inputs[input];
    if (!strcmp(u.kind, "attached")) return (slider){u.kind, 0.0, 1.0};
    if (in->low < in->high) return (slider){u.kind, in->low, in->high};
    double largest = 0.0, lowest = 0.0;
    for (int i = 0; i < robot->n_inputs; i++) {
        use other = use_of(robot, i);
        if (i != input && !are_alike(&u, &other)) continue;
        range r = signal_range(&robot->inputs[i].signal, robot->scenario.end);
        largest = fmax(largest, fmax(fabs(r.low), fabs(r.high)));
        lowest = fmin(lowest, r.low);
    }
    double max = round_up(largest > 0.0 ? 1.5 * largest : u.scale);
    const slider free = {u.kind, u.negative || lowest < 0.0 ? -max : 0.0, max};
    return limited(free, &robot->inputs[input], largest > 0.0);
}

double force_scale_of(const td_robot *robot) {
    double least = HUGE_VAL;
    for (int i = 0; i < robot->n_rods; i++) {
        rod_facts f = rod_facts_of(robot, i);
        least = fmin(least, 3.0 * bending(&f) / (f.length * f.length * f.length));
    }
    return isfinite(least) ? least * robot->n_rods : 1.0;
}
