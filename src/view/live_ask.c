// What a live robot does when it is asked.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/options.h"
#include "view/live_inner.h"
#include "view/scheme.h"
#include "view/text.h"

#define LEAST_STEP 1e-6  // s
#define LARGEST_STEP 1.0
#define LARGEST_PULL 20.0  // times what moves a tip by the length of its rod

static void refuse(live *l, const message *m, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void refuse(live *l, const message *m, const char *format, ...) {
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    live_tell(l, m->from, text_message("error", text));
}

// ---------------------------------------------------------------- time
static void set_playing(live *l, bool playing) {
    if (l->playing == playing) return;
    l->playing = playing;
    l->behind = 0.0;
    live_forget(l);
    l->dirty = true;
    l->version++;
    l->anchor_due = true;
}

static void set_speed(live *l, const message *m) {
    if (!(m->value >= 0.01 && m->value <= 100.0)) {
        refuse(l, m, "speed: value = %g must be from 0.01 to 100", m->value);
        return;
    }
    l->speed = m->value;
    l->behind = 0.0;
    l->version++;
    l->dirty = true;
    l->anchor_due = true;
}

// ---------------------------------------------------------------- inputs
static bool check_input(live *l, const message *m) {
    if (m->input < l->stage->n_inputs) return true;
    refuse(l, m, "input = %d: there are %d inputs", m->input, l->stage->n_inputs);
    return false;
}

static void set_input(live *l, const message *m) {
    if (!check_input(l, m)) return;
    const scene_input *in = &l->scene->inputs[m->input];
    double most = 1e6 * (in->max - in->min);
    if (!(fabs(m->value) <= most)) {
        refuse(l, m, "%s = %g %s is beyond %g, a million times what its slider spans", in->name,
               m->value, in->unit, most);
        return;
    }
    l->follows[m->input] = false;
    l->target[m->input] = m->value;
    if (!l->playing) live_apply(l, m->input);
    l->dirty = true;
}

static void follow(live *l, const message *m) {
    if (!check_input(l, m)) return;
    l->follows[m->input] = true;
    l->dirty = true;
}

static void switch_controller(live *l, const message *m) {
    if (m->controller >= td_n_controllers(l->main->system)) {
        refuse(l, m, "controller = %d: there are %d controllers", m->controller,
               td_n_controllers(l->main->system));
        return;
    }
    for (int k = 0; k < N_RIGS; k++)
        if (l->rigs[k].state)
            td_set_controller_on(l->rigs[k].system, l->rigs[k].state, m->controller,
                                 m->value != 0.0);
    l->dirty = true;
}

static void export_inputs(live *l, const message *m) {
    td_error err = {0};
    char *yaml = stage_export(l->stage, l->present, &l->options, l->step, &err);
    if (!yaml) {
        refuse(l, m, "export: %s: %s", err.where, err.message);
        return;
    }
    const char *slash = strrchr(l->stage->path, '/'), *file = slash ? slash + 1 : l->stage->path;
    char name[160];
    snprintf(name, sizeof name, "%.*s-inputs.yaml", (int)strcspn(file, "."), file);
    live_tell(l, m->from, text_inputs(name, yaml));
    free(yaml);
}

// ---------------------------------------------------------------- models
static const live_model *find_model(const live *l, const char *name) {
    for (int i = 0; i < l->n_models; i++)
        if (!strcmp(l->models[i].name, name)) return &l->models[i];
    return NULL;
}

static bool choose_options(live *l, const message *m, td_options *options) {
    *options = l->options;
    if (m->given & GIVEN_NAME) {
        if (!find_model(l, m->name)) {
            refuse(l, m, "model: name = \"%s\" is not a model", m->name);
            return false;
        }
        snprintf(options->model, sizeof options->model, "%.31s", m->name);
    }
    if (m->given & GIVEN_SCHEME && !scheme_choose(options, m->scheme)) {
        refuse(l, m, "model: scheme = \"%s\" is not a scheme of %s", m->scheme, options->model);
        return false;
    }
    if (m->given & GIVEN_STEP && !(m->step >= LEAST_STEP && m->step <= LARGEST_STEP)) {
        refuse(l, m, "model: step = %g s must be from %g to %g s", m->step, LEAST_STEP,
               LARGEST_STEP);
        return false;
    }
    return true;
}

static bool change_rig(live *l, const message *m, const td_options *options) {
    td_error err = {0};
    rig fresh;
    if (!rig_make(l, &fresh, options, &err)) {
        refuse(l, m, "%s: %s", err.where, err.message);
        return false;
    }
    l->hold.active = false;
    live_forget(l);
    rig_join(l, &fresh);
    live_stop_reaching(l);
    live_disbelieve(l);
    rig_free(l->main);
    *l->main = fresh;
    l->options = *options;
    live_believe(l);
    return true;
}

static void change_model(live *l, const message *m) {
    td_options options;
    if (!choose_options(l, m, &options)) return;
    bool same = !strcmp(options.model, l->options.model) &&
                !strcmp(stepping_name(&options), stepping_name(&l->options));
    if (!same && !change_rig(l, m, &options)) return;
    if (m->given & GIVEN_STEP) l->step = m->step;
    for (int k = 0; k < N_RIGS; k++) {
        rig *r = &l->rigs[k];
        if (r->state && (k > 0 || same)) td_restart(r->system, r->state);
        r->iterations = r->step_seconds = 0.0;
    }
    if (!same) live_forget_past(l);
    l->behind = 0.0;
    l->version++;
    l->dirty = true;
    l->anchor_due = true;
}

// The ghost of this model, or a free place; NULL: all are taken.
static rig *ghost_place(live *l, const char *model) {
    rig *free_one = NULL;
    for (int k = N_RIGS - 1; k > 0; k--) {
        rig *r = &l->rigs[k];
        if (r->state && !strcmp(r->model, model)) return r;
        if (!r->state) free_one = r;
    }
    return free_one;
}

static bool add_ghost(live *l, const message *m) {
    td_options options = l->options;
    td_error err = {0};
    rig fresh, *place = ghost_place(l, m->name);
    if (!place) {
        refuse(l, m, "ghost: there are %d already; take one away first", MOST_GHOSTS);
        return false;
    }
    snprintf(options.model, sizeof options.model, "%.31s", m->name);
    if (!rig_make(l, &fresh, &options, &err)) {
        refuse(l, m, "%s: %s", err.where, err.message);
        return false;
    }
    rig_free(place);
    *place = fresh;
    rig_join(l, place);
    return true;
}

// All of them, without a name.
static void remove_ghosts(live *l, const char *model) {
    for (int k = 1; k < N_RIGS; k++)
        if (!model[0] || !strcmp(l->rigs[k].model, model)) rig_free(&l->rigs[k]);
}

static void change_ghost(live *l, const message *m) {
    if (m->name[0] && !find_model(l, m->name)) {
        refuse(l, m, "ghost: name = \"%s\" is not a model", m->name);
        return;
    }
    const bool away = !m->name[0] || (m->given & GIVEN_VALUE && m->value == 0.0);
    if (away) remove_ghosts(l, m->name);
    else if (!add_ghost(l, m)) return;
    live_forget_past(l);
    l->version++;
    l->dirty = true;
    l->anchor_due = true;
}

// ---------------------------------------------------------------- pulling
static int find_body_grip(const live *l, int body) {
    for (int i = 0; i < l->stage->n_grips; i++) {
        const grip *g = &l->stage->grips[i];
        if (g->rod < 0 && g->body == body && grip_acts(g, l->main->kept)) return i;
    }
    return -1;
}

// Grips of a rod on both sides of s; their places are in order. The base bears its share itself.
static hold hold_of(const live *l, int rod, double s) {
    hold h = {.rod = rod, .body = -1, .s = s};
    int below = -1, above = -1;
    for (int i = 0; i < l->stage->n_grips && above < 0; i++) {
        const grip *g = &l->stage->grips[i];
        if (g->rod != rod || !grip_acts(g, l->main->kept)) continue;
        if (g->at < s) below = i;
        else above = i;
    }
    double low = below >= 0 ? l->stage->grips[below].at : 0.0, x = 1.0;
    if (above >= 0) x = (s - low) / (l->stage->grips[above].at - low);
    if (above >= 0) h.grips[h.n] = above, h.share[h.n++] = x;
    if (below >= 0) h.grips[h.n] = below, h.share[h.n++] = above >= 0 ? 1.0 - x : 1.0;
    h.active = h.n > 0;
    return h;
}

static void grab(live *l, const message *m) {
    hold h = {.rod = -1, .body = m->body};
    if (m->given & GIVEN_BODY) {
        h.grips[0] = m->body < l->scene->n_bodies ? find_body_grip(l, m->body) : -1;
        h.active = h.grips[0] >= 0;
        h.n = 1, h.share[0] = 1.0;
    } else if (m->rod < l->scene->n_rods) {
        h = hold_of(l, m->rod, fmax(0.0, fmin(m->s, l->scene->rods[m->rod].length)));
    }
    if (!h.active) {
        refuse(l, m, "grab: there is nothing to hold here with the model %s", l->options.model);
        return;
    }
    l->hold = h;
    l->dirty = true;
}

static void pull(live *l, const message *m) {
    if (!l->hold.active) {
        refuse(l, m, "pull: nothing is grabbed");
        return;
    }
    const double *f = m->force;
    double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    double most = LARGEST_PULL * l->scene->force_scale * l->scene->size;
    double scale = size > most ? most / size : 1.0;
    for (int k = 0; k < 3; k++) l->hold.wanted[k] = isfinite(size) ? scale * f[k] : 0.0;
    l->dirty = true;
}

// ---------------------------------------------------------------- modes
// Back to the simulation, and to time that passes where it did.
static void leave_modes(live *l) {
    if (l->show.state) set_playing(l, live_leave(l));
}

static void show_modes(live *l, const message *m) {
    char why[640];
    if (m->given & GIVEN_MODE && m->mode < 0) {
        leave_modes(l);
        return;
    }
    if (!live_show(l, m, why, sizeof why)) {
        refuse(l, m, "modes: %s", why);
        return;
    }
    set_playing(l, false);
}

static void reach(live *l, const message *m) {
    char why[640];
    if (!live_reach(l, m, why, sizeof why)) refuse(l, m, "reach: %s", why);
}

static void rewind_to(live *l, const message *m) {
    set_playing(l, false);
    live_rewind(l, m->value);
}

// ---------------------------------------------------------------- all of it
void live_answer(live *l, const message *m) {
    if (m->ask != ASK_REACH) live_stop_reaching(l);
    if (m->ask != ASK_MODES && m->ask != ASK_EXPORT) leave_modes(l);
    switch (m->ask) {
    case ASK_PLAY: set_playing(l, true); break;
    case ASK_PAUSE: set_playing(l, false); break;
    case ASK_STEP:
        set_playing(l, false);
        live_step(l);
        break;
    case ASK_RESET: live_begin(l); break;
    case ASK_REACH: reach(l, m); break;
    case ASK_REWIND: rewind_to(l, m); break;
    case ASK_SPEED: set_speed(l, m); break;
    case ASK_SET: set_input(l, m); break;
    case ASK_FOLLOW: follow(l, m); break;
    case ASK_MODEL: change_model(l, m); break;
    case ASK_GHOST: change_ghost(l, m); break;
    case ASK_GRAB: grab(l, m); break;
    case ASK_PULL: pull(l, m); break;
    case ASK_RELEASE:
        l->hold = (hold){0};
        l->dirty = true;
        break;
    case ASK_MODES: show_modes(l, m); break;
    case ASK_SWITCH: switch_controller(l, m); break;
    case ASK_EXPORT: export_inputs(l, m); break;
    case ASK_DRIVE: break;  // the server's
    }
}
