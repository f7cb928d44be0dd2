// view/live.c - see live.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "io/options.h"
#include "view/live_inner.h"

#define FRAME_SECONDS (1.0 / 60)
#define IDLE_SECONDS 0.2
#define STALL_SECONDS 1.0

double live_time(const live *l) {
    return td_get_time(l->main->system, l->main->state);
}

// ---------------------------------------------------------------- the loop
const live_loop *live_loop_of(const live *l) {
    return &l->loop;
}

static bool learn_loop(live *l) {
    const td_system *system = l->main->system;
    live_loop *loop = &l->loop;
    for (int i = 0; i < td_n_sensors(system); i++)
        loop->n_channels += td_sensor_channels(system, i);
    loop->n_controllers = td_n_controllers(system);
    loop->channels = calloc((size_t)loop->n_channels + 1, sizeof *loop->channels);
    loop->controllers = calloc((size_t)loop->n_controllers + 1, sizeof *loop->controllers);
    if (!loop->channels || !loop->controllers) return false;
    live_channel *to = loop->channels;
    for (int i = 0; i < td_n_sensors(system); i++)
        for (int c = 0; c < td_sensor_channels(system, i); c++, to++) {
            td_sensor_channel(system, i, c, to->name, sizeof to->name);
            snprintf(to->unit, sizeof to->unit, "%s", td_sensor_unit(system, i));
        }
    for (int i = 0; i < loop->n_controllers; i++)
        snprintf(loop->controllers[i].name, sizeof loop->controllers[i].name, "%s",
                 td_controller_name(system, i));
    return live_learn_numbers(l);
}

static size_t n_believed(const live *l) {
    return 2 * (size_t)(l->loop.n_numbers + l->loop.n_channels);
}

static void fill_loop(const live *l, live_facts *f) {
    const rig *r = l->main;
    double *to = f->readings;
    for (int i = 0; i < td_n_sensors(r->system); i++) {
        td_get_sensor(r->system, r->state, i, to, NULL);
        to += td_sensor_channels(r->system, i);
    }
    for (int i = 0; i < l->loop.n_controllers; i++)
        f->controls[i] = td_controller_is_on(r->system, r->state, i);
    memcpy(f->believed, l->believed, sizeof *f->believed * n_believed(l));
}

// ---------------------------------------------------------------- made and freed
bool live_facts_create(const live *l, live_facts *f) {
    size_t n = (size_t)l->stage->n_inputs + 1;
    *f = (live_facts){0};
    f->values = calloc(n, sizeof *f->values);
    f->follows = calloc(n, sizeof *f->follows);
    f->readings = calloc((size_t)l->loop.n_channels + 1, sizeof *f->readings);
    f->controls = calloc((size_t)l->loop.n_controllers + 1, sizeof *f->controls);
    f->believed = calloc(n_believed(l) + 1, sizeof *f->believed);
    if (f->values && f->follows && f->readings && f->controls && f->believed) return true;
    live_facts_destroy(f);
    return false;
}

void live_facts_destroy(live_facts *f) {
    free(f->values);
    free(f->follows);
    free(f->readings);
    free(f->controls);
    free(f->believed);
    f->values = f->readings = f->believed = NULL;
    f->follows = f->controls = NULL;
}

static void try_model(live *l, int i) {
    live_model *m = &l->models[i];
    m->name = td_model_name(i);
    m->title = td_model_title(i);
    td_options options = l->stage->options;
    snprintf(options.model, sizeof options.model, "%s", m->name);
    rig r = {0};
    td_error err = {0};
    m->can = rig_make(l, &r, &options, &err);
    if (!m->can)
        snprintf(m->why, sizeof m->why, "%s%s%s", err.where, err.where[0] ? ": " : "", err.message);
    rig_free(&r);
}

static bool reserve(live *l) {
    size_t n = (size_t)l->stage->n_inputs + 1;
    l->scene = scene_create(l->stage->robot, l->stage->n_inputs);
    l->n_models = td_n_models();
    l->models = calloc((size_t)l->n_models, sizeof *l->models);
    l->follows = calloc(n, sizeof *l->follows);
    l->target = calloc(n, sizeof *l->target);
    l->present = calloc(n, sizeof *l->present);
    if (!l->scene || !l->models || !l->follows || !l->target || !l->present) return false;
    scene_name_after(l->scene, l->stage->path);
    for (int i = 0; i < l->stage->n_grips; i++) {
        const grip *g = &l->stage->grips[i];
        if (g->rod < 0) l->scene->bodies[g->body].grip = true;
    }
    l->drawn = malloc(frame_most_bytes(l->scene));
    l->shown = malloc(frame_most_bytes(l->scene));
    return l->drawn && l->shown && past_create(&l->past);
}

static void publish(live *l);

static bool learn_all(live *l) {
    return learn_loop(l) && live_facts_create(l, &l->facts);
}

live *live_create(const stage *s, bool playing, td_error *err) {
    live *l = calloc(1, sizeof *l);
    if (!l) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
        return NULL;
    }
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    l->stage = s;
    l->options = s->options;
    l->main = &l->rigs[0];
    l->step = s->scenario.step;
    l->speed = l->ratio = 1.0;
    l->playing = playing;
    if (!reserve(l)) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
    } else if (rig_make(l, l->main, &l->options, err) && !learn_all(l)) {
        error_set(err, TD_ERR_MEMORY, s->path, "out of memory");
    } else if (l->main->system) {
        for (int i = 0; i < l->n_models; i++) try_model(l, i);
        live_begin(l);
        publish(l);
        return l;
    }
    live_destroy(l);
    return NULL;
}

void live_destroy(live *l) {
    if (!l) return;
    live_stop(l);
    live_leave(l);
    live_stop_reaching(l);
    live_disbelieve(l);
    for (int k = 0; k < N_RIGS; k++) rig_free(&l->rigs[k]);
    past_free(&l->past);
    scene_destroy(l->scene);
    live_facts_destroy(&l->facts);
    for (int i = 0; i < TEXTS; i++) free(l->texts[i].text);
    free(l->loop.channels);
    free(l->loop.controllers);
    free(l->loop.numbers);
    free(l->believed);
    free(l->models);
    free(l->follows);
    free(l->target);
    free(l->present);
    free(l->drawn);
    free(l->shown);
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

const stage *live_stage(const live *l) {
    return l->stage;
}

const scene *live_scene(const live *l) {
    return l->scene;
}

const live_model *live_models(const live *l, int *n) {
    *n = l->n_models;
    return l->models;
}

// ---------------------------------------------------------------- to the pages
void live_tell(live *l, unsigned long reader, char *text) {
    if (!text) return;
    pthread_mutex_lock(&l->mutex);
    shared_text *t = &l->texts[l->n_texts % TEXTS];
    char *old = t->text;
    *t = (shared_text){++l->n_texts, reader, text};
    pthread_mutex_unlock(&l->mutex);
    free(old);
}

void live_tell_lasting(live *l, char *text) {
    live_tell(l, 0, text);
    pthread_mutex_lock(&l->mutex);
    if (text && !l->lasting) l->lasting = l->n_texts;
    pthread_mutex_unlock(&l->mutex);
}

void live_forget(live *l) {
    pthread_mutex_lock(&l->mutex);
    l->lasting = 0;
    pthread_mutex_unlock(&l->mutex);
}

unsigned long live_text_now(live *l) {
    pthread_mutex_lock(&l->mutex);
    unsigned long n = l->n_texts, lasting = l->lasting;
    pthread_mutex_unlock(&l->mutex);
    return lasting && n - lasting < TEXTS ? lasting - 1 : n;
}

char *live_text(live *l, unsigned long *seen, unsigned long reader) {
    char *copy = NULL;
    pthread_mutex_lock(&l->mutex);
    if (l->n_texts > TEXTS && *seen < l->n_texts - TEXTS) *seen = l->n_texts - TEXTS;
    while (!copy && *seen < l->n_texts) {
        const shared_text *t = &l->texts[(*seen)++ % TEXTS];
        if (t->reader == 0 || t->reader == reader) copy = strdup(t->text);
    }
    pthread_mutex_unlock(&l->mutex);
    return copy;
}

size_t live_frame(live *l, unsigned long *seen, uint8_t *buffer) {
    size_t bytes = 0;
    pthread_mutex_lock(&l->mutex);
    if (l->shown_number > *seen) {
        bytes = l->shown_bytes;
        memcpy(buffer, l->shown, bytes);
        *seen = l->shown_number;
    }
    pthread_mutex_unlock(&l->mutex);
    return bytes;
}

static void copy_facts(const live *l, live_facts *to, const live_facts *from) {
    size_t n = (size_t)l->stage->n_inputs;
    const size_t channels = (size_t)l->loop.n_channels;
    const size_t controllers = (size_t)l->loop.n_controllers;
    double *values = to->values, *readings = to->readings, *believed = to->believed;
    bool *follows = to->follows, *controls = to->controls;
    *to = *from;
    to->values = values, to->follows = follows;
    to->readings = readings, to->controls = controls, to->believed = believed;
    memcpy(believed, from->believed, sizeof *believed * n_believed(l));
    memcpy(readings, from->readings, sizeof *readings * channels);
    memcpy(controls, from->controls, sizeof *controls * controllers);
    memcpy(values, from->values, sizeof *values * n);
    memcpy(follows, from->follows, sizeof *follows * n);
}

// A step that has taken this long already is told while it lasts.
static void count_stall(const live *l, live_facts *f) {
    double stall = wall_clock() - l->shown_at;
    if (!l->has_thread || !f->playing || stall < STALL_SECONDS) return;
    f->ratio = 0.0;
    f->held = false;
    f->behind += stall * f->speed;
}

void live_get_facts(live *l, live_facts *f) {
    pthread_mutex_lock(&l->mutex);
    copy_facts(l, f, &l->facts);
    count_stall(l, f);
    pthread_mutex_unlock(&l->mutex);
}

static live_cost cost_of(const rig *r) {
    live_cost c = {.iterations = r->iterations, .step_seconds = r->step_seconds};
    if (!r->state) return c;
    c.time = td_get_time(r->system, r->state);
    snprintf(c.model, sizeof c.model, "%s", r->model);
    return c;
}

static void fill_facts(const live *l, live_facts *f) {
    f->version = l->version;
    f->main = cost_of(l->main);
    for (int k = 0; k < MOST_GHOSTS; k++) f->ghosts[k] = cost_of(&l->rigs[1 + k]);
    snprintf(f->scheme, sizeof f->scheme, "%s", stepping_name(&l->options));
    f->step = l->step, f->speed = l->speed;
    f->playing = l->playing, f->grabbed = l->hold.active;
    f->mode = l->show.state ? l->show.mode : -1;
    f->held = l->ratio > 0.97;
    f->kept = l->main->kept;
    f->past = past_begin(&l->past, f->main.time);
    f->ratio = l->ratio, f->behind = l->behind;
    fill_loop(l, f);
    for (int i = 0; i < l->stage->n_inputs; i++) {
        f->values[i] = td_get_input(l->main->system, l->main->state, i);
        f->follows[i] = l->follows[i];
    }
}

// Points of a rod that is fed lie along its present length.
static td_pose held_pose(const live *l) {
    const hold *h = &l->hold;
    if (h->rod < 0) return td_get_body(l->main->system, l->main->state, h->body).pose;
    double length = td_get_length(l->main->system, l->main->state, h->rod);
    return td_get_pose(l->main->system, l->main->state, h->rod,
                       h->s * length / l->scene->rods[h->rod].length);
}

static size_t draw(live *l) {
    frame_facts f = {.time = live_time(l),
                     .iterations = td_get_stats(l->main->state)->iterations,
                     .ratio = l->ratio};
    if (l->playing) f.flags |= FRAME_PLAYING;
    if (l->hold.active) {
        f.flags |= FRAME_GRABBED;
        td_pose pose = held_pose(l);
        memcpy(f.held, pose.p, sizeof f.held);
        memcpy(f.force, l->hold.force, sizeof f.force);
    }
    if (l->show.state) {
        show_put(l, &f);
        return frame_of_state(l->drawn, l->scene, l->main->system, l->show.state, &f);
    }
    for (int k = 0; k < MOST_GHOSTS; k++) {
        f.ghosts[k].system = l->rigs[1 + k].system;
        f.ghosts[k].state = l->rigs[1 + k].state;
    }
    if (l->belief.estimator) {
        f.estimate = td_estimator_state(l->belief.estimator);
        f.spread = live_spread(l);
    }
    return frame_of_state(l->drawn, l->scene, l->main->system, l->main->state, &f);
}

// The frame is drawn into a buffer that nobody else knows; the two change places in no time.
static void publish(live *l) {
    size_t bytes = draw(l);
    live_tell_belief(l);
    pthread_mutex_lock(&l->mutex);
    uint8_t *old = l->shown;
    l->shown = l->drawn;
    l->drawn = old;
    l->shown_bytes = bytes;
    l->shown_number++;
    l->shown_at = wall_clock();
    fill_facts(l, &l->facts);
    pthread_mutex_unlock(&l->mutex);
    l->dirty = false;
}

// ---------------------------------------------------------------- from the pages
bool live_send(live *l, const message *m) {
    pthread_mutex_lock(&l->mutex);
    bool room = l->waiting < QUEUE;
    if (room) l->queue[(l->first + l->waiting++) % QUEUE] = *m;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->mutex);
    return room;
}

static bool take(live *l, message *m) {
    pthread_mutex_lock(&l->mutex);
    bool found = l->waiting > 0;
    if (found) {
        *m = l->queue[l->first];
        l->first = (l->first + 1) % QUEUE;
        l->waiting--;
    }
    pthread_mutex_unlock(&l->mutex);
    return found;
}

double live_tick(live *l, double now) {
    message m;
    if (l->anchor_due) live_anchor(l, now);
    for (int i = 0; i < QUEUE && take(l, &m); i++) live_answer(l, &m);
    live_advance(l, now);
    l->show.now = now;
    const bool moves = l->playing || l->show.state;
    if (l->dirty || moves) publish(l);
    return now + (moves ? FRAME_SECONDS : IDLE_SECONDS);
}

// ---------------------------------------------------------------- the thread
static struct timespec time_of(double t) {
    struct timespec out = {.tv_sec = (time_t)t};
    out.tv_nsec = (long)((t - (double)out.tv_sec) * 1e9);
    return out;
}

// Until the next round is due, or a message comes. True: it is time to end.
static bool rest(live *l, double until) {
    struct timespec t = time_of(until);
    pthread_mutex_lock(&l->mutex);
    int late = 0;
    while (!l->stopping && l->waiting == 0 && !late)
        late = pthread_cond_timedwait(&l->wake, &l->mutex, &t);
    bool stopping = l->stopping;
    pthread_mutex_unlock(&l->mutex);
    return stopping;
}

static void *work(void *argument) {
    live *l = argument;
    double next;
    do {
        next = live_tick(l, wall_clock());
        l->notify(l->user);
    } while (!rest(l, next));
    return NULL;
}

bool live_start(live *l, void (*notify)(void *), void *user) {
    l->notify = notify;
    l->user = user;
    l->anchor_due = true;
    l->has_thread = pthread_create(&l->thread, NULL, work, l) == 0;
    return l->has_thread;
}

void live_stop(live *l) {
    if (!l->has_thread) return;
    pthread_mutex_lock(&l->mutex);
    l->stopping = true;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->mutex);
    pthread_join(l->thread, NULL);
    l->has_thread = false;
}
