// The modes of a live robot about its equilibrium, and one of them shown as it swings.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/pi.h"
#include "view/live_inner.h"
#include "view/text.h"

enum { MOST_TOLD = 20 };
#define PERIOD 1.5     // s on the wall, of one swing of any mode
#define AMPLITUDE 0.1  // of the longest rod
#define TWIST 5.0      // rad, of a mode that only turns, for an amplitude of 1

static void free_show(show *s) {
    td_linearisation_destroy(s->l);
    td_state_destroy(s->state);
    mode_shape_free(&s->shape);
    *s = (show){0};
}

// ---------------------------------------------------------------- finding them
// From the present shape, so that a robot with several equilibria stays in its own. Nobody pulls at it.
static bool find_equilibrium(live *l, show *s, td_status *status, char *why, size_t size) {
    const td_system *system = l->main->system;
    const size_t bytes = td_snapshot_bytes(system);
    s->state = td_state_create(system);
    if (!s->state) return snprintf(why, size, "out of memory"), false;
    td_state_save(system, l->main->state, l->main->saved, bytes);
    *status = td_state_restore(system, s->state, l->main->saved, bytes);
    for (int i = l->stage->n_inputs; i < td_n_inputs(system); i++)
        td_set_input(system, s->state, i, 0.0);
    td_set_stop(s->state, live_is_stopping, l);
    if (*status >= 0) *status = td_solve_statics(system, s->state);
    if (*status >= 0) return true;
    const char *words = td_message(s->state);
    snprintf(why, size, "there is no equilibrium under the present inputs: %s",
             words[0] ? words : status_words(*status));
    return false;
}

static bool find_modes(const live *l, show *s, char *why, size_t size) {
    const td_system *system = l->main->system;
    td_error err = {0};
    if (!mode_shape_make(&s->shape, system, s->state, l->scene->rods[0].n_points))
        return snprintf(why, size, "out of memory"), false;
    s->l = td_linearisation_create(system, s->shape.outputs, s->shape.n_places, &err);
    if (!s->l) return snprintf(why, size, "%s", err.message), false;
    if (td_linearise(system, s->state, s->l) < 0)
        return snprintf(why, size, "%s", td_message(s->state)), false;
    const td_status status = td_solve_modes(s->l, 0);
    if (status == TD_ERR_VALUE) return snprintf(why, size, "this is no equilibrium"), false;
    if (status < 0 || td_n_modes(s->l) == 0) return snprintf(why, size, "none were found"), false;
    return true;
}

// ---------------------------------------------------------------- telling
static void put_mode(json *j, const void *of, int i) {
    const td_mode m = td_get_mode(of, i);
    json_put_number(j, "frequency", m.frequency);
    json_put_number(j, "damping", m.damping);
    json_put_string(j, "kind", mode_kind_word(m.kind));
}

static void tell_modes(live *l, td_status status) {
    const show *s = &l->show;
    const int n = td_n_modes(s->l), told = n < MOST_TOLD ? n : MOST_TOLD;
    const char *note = td_get_linear(s->l)->note;
    text_writer w;
    json *j = text_begin(&w, "modes");
    if (!j) return;
    json_put_integer(j, "total", n);
    json_put_string(j, "note", note[0] ? note : status > 0 ? td_message(s->state) : "");
    json_put_number(j, "period", PERIOD);
    json_put_list(j, "modes", told, put_mode, s->l);
    live_tell(l, 0, text_end(&w));
}

// ---------------------------------------------------------------- showing
static bool choose(const live *l, show *s, const message *m, char *why, size_t size) {
    const int mode = m->given & GIVEN_MODE ? m->mode : s->mode;
    const double amplitude = m->given & GIVEN_VALUE ? m->value : s->amplitude;
    const int n = td_n_modes(s->l);
    if (mode >= n) return snprintf(why, size, "mode = %d: there are %d modes", mode, n), false;
    if (!(amplitude >= 0.0 && amplitude <= 1.0)) {
        snprintf(why, size, "value = %g must be from 0 to 1, a part of the length", amplitude);
        return false;
    }
    if (!mode_shape_load(&s->shape, s->l, mode, amplitude * l->scene->size, amplitude * TWIST))
        return snprintf(why, size, "mode = %d: no shape was found", mode), false;
    s->mode = mode;
    s->amplitude = amplitude;
    return true;
}

// Asked without a mode, they are found anew.
static bool begin_show(live *l, const message *m, char *why, size_t size) {
    show fresh = {.amplitude = AMPLITUDE, .now = l->show.now};
    td_status status = TD_OK;
    if (!find_equilibrium(l, &fresh, &status, why, size) || !find_modes(l, &fresh, why, size) ||
        !choose(l, &fresh, m, why, size)) {
        free_show(&fresh);
        return false;
    }
    fresh.was_playing = l->show.state ? l->show.was_playing : l->playing;
    free_show(&l->show);
    l->show = fresh;
    tell_modes(l, status);
    return true;
}

bool live_show(live *l, const message *m, char *why, size_t size) {
    const int before = l->show.mode;
    const bool anew = !l->show.state || !(m->given & (GIVEN_MODE | GIVEN_VALUE));
    if (!(anew ? begin_show(l, m, why, size) : choose(l, &l->show, m, why, size))) return false;
    if (anew || l->show.mode != before) l->version++;
    l->hold = (hold){0};
    l->dirty = true;
    return true;
}

bool live_leave(live *l) {
    const bool was_playing = l->show.was_playing;
    free_show(&l->show);
    l->version++;
    l->dirty = true;
    return was_playing;
}

void show_put(const live *l, frame_facts *f) {
    const double angle = 2.0 * PI * fmod(l->show.now / PERIOD, 1.0);
    f->swing = &l->show.shape;
    f->by[0] = cos(angle), f->by[1] = sin(angle);
}
