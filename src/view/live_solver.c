// The robot of a live view and its time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/facts.h"
#include "view/live_inner.h"
#include "view/text.h"

#define WINDOW_SECONDS 0.5  // over which the ratio to real time is taken
#define LATE_SECONDS 0.15   // wall time; what is later than this is given up
#define ROUND_SECONDS 0.04  // a round ends after this, so that pages are answered
#define SWEEP_SECONDS 0.15  // a held input crosses its slider in this time, not in one step

// ---------------------------------------------------------------- rigs
bool rig_make(const live *l, rig *r, const td_options *options, td_error *err) {
    *r = (rig){0};
    r->system = stage_compile(l->stage, options, &r->kept, err);
    if (!r->system) return false;
    r->state = td_state_create(r->system);
    if (r->state) return true;
    error_set(err, TD_ERR_MEMORY, l->stage->path, "out of memory for the state");
    rig_free(r);
    return false;
}

void rig_free(rig *r) {
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    *r = (rig){0};
}

static const char *words_of(const rig *r, td_status status) {
    const char *words = td_message(r->state);
    return words[0] ? words : td_status_name(status);
}

static void tell_start(live *l, const rig *r, const char *what, td_status status) {
    char text[640];
    snprintf(text, sizeof text, "%s: %s", what, words_of(r, status));
    live_tell(l, 0, text_message("note", text));
}

static void begin(live *l, rig *r) {
    td_status status = td_begin(r->system, r->state);
    if (status == TD_OK) return;
    tell_start(l, r, "statics at the start", status);
    if (status > 0) return;
    td_state_reset(r->system, r->state);
    td_apply_signals(r->system, r->state, 0.0, TD_BEFORE);
    l->playing = false;
}

void live_anchor(live *l, double now) {
    l->anchor_due = false;
    l->anchor_wall = l->window_wall = now;
    l->anchor_time = l->window_time = live_time(l);
    l->ratio = 1.0;
}

void live_begin(live *l) {
    l->hold = (hold){0};
    l->offset = 0.0;
    l->behind = 0.0;
    begin(l, &l->main);
    if (l->ghost.state) begin(l, &l->ghost);
    for (int i = 0; i < l->stage->n_inputs; i++) {
        l->follows[i] = true;
        l->present[i] = l->target[i] = td_get_input(l->main.system, l->main.state, i);
    }
    l->dirty = true;
    l->version++;
    l->anchor_due = true;
}

static void put_pull(const live *l, const rig *r) {
    for (int i = l->stage->n_inputs; i < td_n_inputs(r->system); i++)
        td_set_input(r->system, r->state, i, 0.0);
    for (int i = 0; l->hold.active && i < l->hold.n; i++) {
        const grip *g = &l->stage->grips[l->hold.grips[i]];
        for (int k = 0; k < 3; k++)
            td_set_input(r->system, r->state, g->input + k, l->hold.share[i] * l->hold.force[k]);
    }
}

void rig_join(live *l, rig *r) {
    for (int i = 0; i < l->stage->n_inputs; i++)
        td_set_input(r->system, r->state, i, td_get_input(l->main.system, l->main.state, i));
    put_pull(l, r);
    td_status status = td_solve_statics(r->system, r->state);
    if (status != TD_OK) tell_start(l, r, "equilibrium under the present inputs", status);
}

// ---------------------------------------------------------------- inputs
static bool any_jump(const live *l, double from, double to) {
    const double slack = 1e-6 * (to - from);
    for (int i = 0; i < l->stage->n_inputs; i++) {
        const td_signal *signal = &l->stage->robot->inputs[i].signal;
        if (l->follows[i] && td_signal_next_jump(signal, from - slack) < to - slack) return true;
    }
    return false;
}

// Where a held input is at the end of a step.
static double next_value(const live *l, int i) {
    const scene_input *in = &l->scene->inputs[i];
    double most = (in->max - in->min) * l->step / SWEEP_SECONDS, gap = l->target[i] - l->present[i];
    // A jump beyond the slider was typed, and is meant.
    return fabs(gap) > in->max - in->min ? l->target[i]
                                         : l->present[i] + fmax(-most, fmin(most, gap));
}

static void put_inputs(live *l, const rig *r, double t) {
    td_apply_signals(r->system, r->state, t + l->step, TD_BEFORE);
    if (any_jump(l, t, t + l->step)) td_restart(r->system, r->state);
    for (int i = 0; i < l->stage->n_inputs; i++) {
        if (l->follows[i]) continue;
        double value = next_value(l, i);
        td_set_input(r->system, r->state, i, value);
        td_set_input_rate(r->system, r->state, i, (value - l->present[i]) / l->step);
    }
    put_pull(l, r);
}

static void keep_inputs(live *l) {
    for (int i = 0; i < l->stage->n_inputs; i++)
        l->present[i] = td_get_input(l->main.system, l->main.state, i);
}

// After a failure the robot shows the inputs that it was left with.
static void restore_inputs(live *l, const rig *r) {
    for (int i = 0; i < l->stage->n_inputs; i++)
        td_set_input(r->system, r->state, i, l->present[i]);
}

void live_apply(live *l, int input) {
    l->present[input] = l->target[input];
    const rig *rigs[] = {&l->main, &l->ghost};
    for (int k = 0; k < 2; k++) {
        if (!rigs[k]->state) continue;
        td_set_input(rigs[k]->system, rigs[k]->state, input, l->target[input]);
        td_restart(rigs[k]->system, rigs[k]->state);
    }
}

// ---------------------------------------------------------------- time
static bool fail(live *l, td_status status) {
    char words[640];
    snprintf(words, sizeof words, "%s", words_of(&l->main, status));
    restore_inputs(l, &l->main);
    live_tell(l, 0, text_failure(words, live_time(l)));
    l->playing = false;
    l->dirty = true;
    l->version++;
    return false;
}

static void step_ghost(live *l, double t) {
    put_inputs(l, &l->ghost, t);
    td_status status = td_step(l->ghost.system, l->ghost.state, l->step);
    if (status >= 0) return;
    char text[768];
    snprintf(text, sizeof text, "the ghost (%s) stopped at t = %g s: %s", l->ghost_name, t,
             words_of(&l->ghost, status));
    live_tell(l, 0, text_message("note", text));
    rig_free(&l->ghost);
    l->ghost_name[0] = '\0';
    l->version++;
}

bool live_step(live *l) {
    double t = live_time(l), started = wall_now();
    put_inputs(l, &l->main, t);
    td_status status = td_step(l->main.system, l->main.state, l->step);
    if (status < 0) return fail(l, status);
    if (l->ghost.state) step_ghost(l, t);
    keep_inputs(l);
    l->iterations += 0.05 * (td_get_stats(l->main.state)->iterations - l->iterations);
    l->step_seconds += 0.05 * (wall_now() - started - l->step_seconds);
    l->dirty = true;
    return true;
}

// A step that is not due yet is not late: `t` is the time that is due, while it can be held.
static void measure(live *l, double now, double t) {
    double wall = now - l->window_wall;
    if (wall < WINDOW_SECONDS) return;
    l->ratio = (t - l->window_time) / (wall * l->speed);
    l->window_wall = now;
    l->window_time = t;
}

// Steps until the time that is due. Where that is too much, time is lost rather than the page.
void live_advance(live *l, double now) {
    if (!l->playing || l->anchor_due) return;
    double due = l->anchor_time + (now - l->anchor_wall) * l->speed, started = wall_now();
    while (live_time(l) + l->step <= due + 1e-9 * l->step) {
        if (!live_step(l)) return;
        if (wall_now() - started > ROUND_SECONDS) break;
    }
    double late = due - live_time(l) - l->step;
    measure(l, now, late > 0.0 ? due - late : due);
    if (late > LATE_SECONDS * l->speed) {
        l->behind += late;
        l->anchor_time -= late;
    }
}
