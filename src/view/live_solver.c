// The robot of a live view and its time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/facts.h"
#include "tendril/loop.h"
#include "view/live_inner.h"
#include "view/text.h"

#define WINDOW_SECONDS 0.5  // over which the ratio to real time is taken
#define LATE_SECONDS 0.15   // wall time; what is later than this is given up
#define ROUND_SECONDS 0.04  // a round ends after this, so that pages are answered
#define SWEEP_SECONDS 0.15  // a held input crosses its slider in this time, not in one step
#define GRASP_SECONDS 0.1   // a pull that moves a tip by the length of its rod takes this to arrive
#define MOST_HALVINGS 3     // of a step that fails, before it has failed

// ---------------------------------------------------------------- rigs
bool live_is_stopping(void *context) {
    return ((live *)context)->stopping;
}

bool rig_make(live *l, rig *r, const td_options *options, td_error *err) {
    *r = (rig){0};
    snprintf(r->model, sizeof r->model, "%s", options->model);
    r->system = stage_compile(l->stage, options, &r->kept, err);
    if (!r->system) return false;
    r->state = td_state_create(r->system);
    r->saved = malloc(td_snapshot_bytes(r->system));
    if (r->state) td_set_stop(r->state, live_is_stopping, l);
    if (r->state && r->saved) return true;
    error_set(err, TD_ERR_MEMORY, l->stage->path, "out of memory for the state");
    rig_free(r);
    return false;
}

void rig_free(rig *r) {
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    free(r->saved);
    *r = (rig){0};
}

static const char *words_of(const rig *r, td_status status) {
    const char *words = td_message(r->state);
    return words[0] ? words : status_words(status);
}

static bool is_ghost(const live *l, const rig *r) {
    for (int k = 1; k < N_RIGS; k++)
        if (r == &l->rigs[k]) return true;
    return false;
}

static void tell_start(live *l, const rig *r, const char *what, td_status status) {
    char text[768];
    const bool ghost = is_ghost(l, r), stops = status < 0 && r == l->main;
    snprintf(text, sizeof text, "%s%s%s%s: %s", ghost ? "the ghost (" : "", ghost ? r->model : "",
             ghost ? "): " : "", what, words_of(r, status));
    const double now = td_get_time(r->system, r->state);
    live_tell_lasting(l, stops ? text_failure(text, now) : text_message("note", text));
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
    live_forget(l);
    l->hold = (hold){0};
    l->behind = 0.0;
    for (int k = 0; k < N_RIGS; k++)
        if (l->rigs[k].state) begin(l, &l->rigs[k]);
    for (int i = 0; i < l->stage->n_inputs; i++) {
        l->follows[i] = true;
        l->present[i] = l->target[i] = td_get_input(l->main->system, l->main->state, i);
    }
    l->dirty = true;
    l->version++;
    l->anchor_due = true;
    live_believe(l);
    live_forget_past(l);
}

// ---------------------------------------------------------------- the last minute
static void keep_inputs(live *l) {
    for (int i = 0; i < l->stage->n_inputs; i++)
        l->present[i] = td_get_input(l->main->system, l->main->state, i);
}

static size_t bytes_of(const rig *r) {
    return r->state ? td_snapshot_bytes(r->system) : 0;
}

// A moment holds the states of all rigs, one after the other, then what is believed.
static void keep_past(live *l) {
    unsigned char *to = past_add(&l->past, live_time(l));
    if (!to) return;
    for (int k = 0; k < N_RIGS; k++) {
        const rig *r = &l->rigs[k];
        if (r->state) td_state_save(r->system, r->state, to, bytes_of(r));
        to += bytes_of(r);
    }
    belief_save(l, to);
}

void live_forget_past(live *l) {
    size_t bytes = belief_bytes(l);
    for (int k = 0; k < N_RIGS; k++) bytes += bytes_of(&l->rigs[k]);
    past_clear(&l->past, bytes);
    keep_past(l);
}

// Inputs that are held stay so, at the values that they had.
void live_rewind(live *l, double time) {
    const unsigned char *from = past_find(&l->past, time);
    if (!from) return;
    for (int k = 0; k < N_RIGS; k++) {
        const rig *r = &l->rigs[k];
        if (r->state) td_state_restore(r->system, r->state, from, bytes_of(r));
        from += bytes_of(r);
    }
    belief_restore(l, from);
    keep_inputs(l);
    memcpy(l->target, l->present, sizeof *l->target * (size_t)l->stage->n_inputs);
    l->hold = (hold){0};
    live_forget(l);
    l->behind = 0.0;
    l->dirty = true;
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
    const rig *like = l->main;
    for (int i = 0; i < l->stage->n_inputs; i++)
        td_set_input(r->system, r->state, i, td_get_input(like->system, like->state, i));
    for (int i = 0; i < l->loop.n_controllers; i++)
        td_set_controller_on(r->system, r->state, i,
                             td_controller_is_on(like->system, like->state, i));
    put_pull(l, r);
    td_set_time(r->system, r->state, live_time(l));
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

// Inputs at the end of a part of a step: dt from t on, x of the whole step when it is done.
static void put_inputs(live *l, const rig *r, double t, double dt, double x) {
    td_apply_controllers(r->system, r->state);  // those that are due see what holds now
    td_apply_signals(r->system, r->state, t + dt, TD_BEFORE);
    td_apply_controllers(r->system, r->state);  // of inputs that follow; sliders hold the others
    if (any_jump(l, t, t + dt)) {
        td_restart(r->system, r->state);
        l->belief.jumped = true;
    }
    for (int i = 0; i < l->stage->n_inputs; i++) {
        if (l->follows[i]) continue;
        double change = next_value(l, i) - l->present[i];
        td_set_input(r->system, r->state, i, l->present[i] + x * change);
        td_set_input_rate(r->system, r->state, i, change / l->step);
    }
    put_pull(l, r);
}

static void move_pull(live *l) {
    hold *h = &l->hold;
    double gap[3], distance = 0.0;
    for (int k = 0; k < 3; k++) {
        gap[k] = h->wanted[k] - h->force[k];
        distance += gap[k] * gap[k];
    }
    distance = sqrt(distance);
    double most = l->scene->force_scale * l->scene->size * l->step / GRASP_SECONDS;
    double x = distance > most ? most / distance : 1.0;
    for (int k = 0; k < 3; k++) h->force[k] += x * gap[k];
}

void live_apply(live *l, int input) {
    l->present[input] = l->target[input];
    l->belief.jumped = true;
    for (int k = 0; k < N_RIGS; k++) {
        const rig *r = &l->rigs[k];
        if (!r->state) continue;
        td_set_input(r->system, r->state, input, l->target[input]);
        td_restart(r->system, r->state);
    }
}

// ---------------------------------------------------------------- time
static td_status step_part(live *l, const rig *r, double t, double dt, double x, int halvings) {
    put_inputs(l, r, t, dt, x);
    td_status status = td_step(r->system, r->state, dt);
    if (status >= 0 || status == TD_ERR_STOPPED || halvings == MOST_HALVINGS) return status;
    double half = 0.5 * dt;
    td_restart(r->system, r->state);
    status = step_part(l, r, t, half, x - half / l->step, halvings + 1);
    return status < 0 ? status : step_part(l, r, t + half, half, x, halvings + 1);
}

// One step, in smaller ones where it does not converge; all of it or nothing. False: `words` say
// why.
static bool step_rig(live *l, rig *r, double t, char *words, size_t size) {
    const double started = wall_clock();
    size_t bytes = td_snapshot_bytes(r->system);
    td_state_save(r->system, r->state, r->saved, bytes);
    td_status status = step_part(l, r, t, l->step, 1.0, 0);
    r->iterations += 0.05 * (td_get_stats(r->state)->iterations - r->iterations);
    r->step_seconds += 0.05 * (wall_clock() - started - r->step_seconds);
    if (status >= 0) return true;
    snprintf(words, size, "%s", words_of(r, status));
    td_state_restore(r->system, r->state, r->saved, bytes);
    return false;
}

// One that cannot go on is taken away; the others do.
static void step_ghost(live *l, rig *ghost, double t) {
    char words[640], text[768];
    if (step_rig(l, ghost, t, words, sizeof words)) return;
    snprintf(text, sizeof text, "the ghost (%s) stopped at t = %g s: %s", ghost->model, t, words);
    live_tell(l, 0, text_message("note", text));
    rig_free(ghost);
    l->version++;
    live_forget_past(l);
}

bool live_step(live *l) {
    const double t = live_time(l);
    char words[640];
    hold before = l->hold;
    move_pull(l);
    l->dirty = true;
    if (!step_rig(l, l->main, t, words, sizeof words)) {
        live_tell_lasting(l, text_failure(words, t));
        l->hold = before;
        l->playing = false;
        l->version++;
        return false;
    }
    live_believe_step(l);
    for (int k = 1; k < N_RIGS; k++)
        if (l->rigs[k].state) step_ghost(l, &l->rigs[k], t);
    keep_inputs(l);
    keep_past(l);
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
    double due = l->anchor_time + (now - l->anchor_wall) * l->speed, started = wall_clock();
    while (live_time(l) + l->step <= due + 1e-9 * l->step) {
        if (!live_step(l)) return;
        if (wall_clock() - started > ROUND_SECONDS) break;
    }
    double late = due - live_time(l) - l->step;
    measure(l, now, late > 0.0 ? due - late : due);
    if (late > LATE_SECONDS * l->speed) {
        l->behind += late;
        l->anchor_time -= late;
    }
}
