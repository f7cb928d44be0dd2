// view/hello.c - see hello.h.
#include "view/hello.h"

#include <math.h>
#include <string.h>

#include "view/scheme.h"
#include "view/text.h"

static void put_index(json *j, const char *key, int index) {
    if (index < 0) json_put_string(j, key, NULL);
    else json_put_integer(j, key, index);
}

static void put_list(json *j, const char *key, const double *values, int n) {
    if (values) json_put_numbers(j, key, values, n);
    else json_put_string(j, key, NULL);
}

// ---------------------------------------------------------------- parts
static void put_grips(json *j, const stage *s, int rod, grips_kept kept) {
    json_open_array(j, "grips");
    for (int i = 0; s && i < s->n_grips; i++)
        if (s->grips[i].rod == rod && grip_acts(&s->grips[i], kept)) json_number(j, s->grips[i].at);
    json_end_array(j);
}

static void put_rod(json *j, const scene_rod *r, int index, const stage *st, grips_kept kept) {
    json_begin_object(j);
    json_put_string(j, "name", r->name);
    json_put_number(j, "length", r->length);
    json_put_integer(j, "points", r->n_points);
    json_put_numbers(j, "s", r->s, r->n_points);
    json_put_numbers(j, "radius", r->radius, r->n_points);
    put_list(j, "width", r->width, r->n_points);
    put_list(j, "height", r->height, r->n_points);
    json_put_number(j, "envelope", r->envelope);
    put_index(j, "on", r->on);
    json_put_bool(j, "free", r->free);
    json_put_bool(j, "tip_held", r->tip_held);
    put_grips(j, st, index, kept);
    json_end_object(j);
}

static void put_actuator(json *j, const void *of, int i) {
    const scene_actuator *a = &((const scene *)of)->actuators[i];
    json_put_string(j, "name", a->name);
    json_put_string(j, "kind", a->kind->word);
    json_put_string(j, "effort", a->kind->inputs[0].name);
    json_put_string(j, "unit", a->kind->inputs[0].unit);
    json_put_integer(j, "rod", a->rod);
    json_put_integer(j, "points", a->n_points);
    json_put_numbers(j, "offset", a->offset, 2);
    json_put_number(j, "radius", a->radius);
    put_index(j, "input", a->input);
    json_put_string(j, "given", a->given);
    json_put_number(j, "from", a->from);
    json_put_number(j, "to", a->to);
    json_put_number(j, "largest", a->largest);
}

static void put_body(json *j, const void *of, int i) {
    const scene_body *b = &((const scene *)of)->bodies[i];
    json_put_string(j, "name", b->name);
    put_index(j, "rod", b->rod);
    json_put_string(j, "shape", b->shape);
    json_put_number(j, "radius", b->radius);
    json_put_number(j, "height", b->height);
    put_list(j, "size", b->size[0] + b->size[1] + b->size[2] > 0.0 ? b->size : NULL, 3);
    json_put_numbers(j, "centre", b->centre, 3);
    json_put_bool(j, "grip", b->grip);
}

static void put_obstacle(json *j, const void *of, int i) {
    const scene_obstacle *o = &((const scene *)of)->obstacles[i];
    json_put_string(j, "name", o->name);
    put_index(j, "on", o->on);
    json_put_bool(j, "room", o->room);
    json_put_bool(j, "endless", o->endless);
    json_put_numbers(j, "points", o->points, 3 * o->n_points);
    json_put_numbers(j, "triangles", o->triangles, 3 * o->n_triangles);
}

static void put_arrow(json *j, const void *of, int i) {
    const arrow *a = &((const scene *)of)->arrows[i];
    json_put_string(j, "name", a->name);
    json_put_string(j, "kind", a->reaction ? "reaction" : "load");
    json_put_bool(j, "per_length", a->per_length);
}

// Each number as value, gain and input.
static void put_driven(json *j, const char *name, const td_number n[3]) {
    double all[9];
    for (int i = 0; i < 3; i++)
        all[3 * i] = n[i].value, all[3 * i + 1] = n[i].gain, all[3 * i + 2] = n[i].input;
    json_put_numbers(j, name, all, 9);
}

static void put_field(json *j, const void *of, int i) {
    const td_field_def *f = &((const scene *)of)->fields[i];
    const bool dipole = f->kind == TD_FIELD_DIPOLE;
    json_put_bool(j, "dipole", dipole);
    put_driven(j, "along", dipole ? f->moment : f->flux);
    put_driven(j, "position", f->position);
    put_driven(j, "rotation", f->rotation);
    json_put_numbers(j, "orientation", f->orientation, 4);
}

static void put_robot(json *j, const scene *s, const stage *st, grips_kept kept) {
    json_open_object(j, "robot");
    json_put_string(j, "name", s->name);
    json_put_number(j, "size", s->size);
    bool fixed = isfinite(s->gravity[0] + s->gravity[1] + s->gravity[2]);
    put_list(j, "gravity", fixed ? s->gravity : NULL, 3);
    json_open_array(j, "rods");
    for (int i = 0; i < s->n_rods; i++) put_rod(j, &s->rods[i], i, st, kept);
    json_end_array(j);
    json_put_list(j, "actuators", s->n_actuators, put_actuator, s);
    json_put_list(j, "bodies", s->n_bodies, put_body, s);
    json_put_list(j, "obstacles", s->n_obstacles, put_obstacle, s);
    if (s->n_fields) json_put_list(j, "fields", s->n_fields, put_field, s);
    json_put_bool(j, "touches", s->touches);
    json_put_list(j, "arrows", s->n_arrows, put_arrow, s);
    json_end_object(j);
}

// By their places, which they keep while others come and go.
static void put_ghosts(json *j, const live_facts *f) {
    json_open_array(j, "ghosts");
    for (int k = 0; k < MOST_GHOSTS; k++)
        json_string(j, f->ghosts[k].model[0] ? f->ghosts[k].model : NULL);
    json_end_array(j);
}

static void put_cost(json *j, const live_cost *c) {
    json_put_number(j, "time", c->time);
    json_put_number(j, "iterations", c->iterations);
    json_put_number(j, "step_seconds", c->step_seconds);
}

static void put_costs(json *j, const live_facts *f) {
    json_open_array(j, "ghosts");
    for (int k = 0; k < MOST_GHOSTS; k++) {
        if (!f->ghosts[k].model[0]) {
            json_string(j, NULL);
            continue;
        }
        json_begin_object(j);
        put_cost(j, &f->ghosts[k]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_frame(json *j, const scene *s) {
    json_open_object(j, "frame");
    json_put_integer(j, "floats", s->floats);
    json_put_integer(j, "ghost_floats", s->rod_floats);
    json_end_object(j);
}

static void put_inputs(json *j, const scene *s, const live_facts *f) {
    json_open_array(j, "inputs");
    for (int i = 0; i < s->n_inputs; i++) {
        json_begin_object(j);
        json_put_string(j, "name", s->inputs[i].name);
        json_put_string(j, "unit", s->inputs[i].unit);
        json_put_string(j, "kind", s->inputs[i].kind);
        json_put_number(j, "value", f ? f->values[i] : (double)NAN);
        json_put_number(j, "min", s->inputs[i].min);
        json_put_number(j, "max", s->inputs[i].max);
        json_put_bool(j, "follows", f ? f->follows[i] : true);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_model(json *j, const void *models, int i) {
    const live_model *m = (const live_model *)models + i;
    const char *name;
    json_put_string(j, "name", m->name);
    json_put_string(j, "title", m->title);
    json_put_bool(j, "can", m->can);
    json_put_string(j, "why", m->why);
    json_open_array(j, "schemes");
    for (int k = 0; (name = scheme_at(m->name, k)); k++) json_string(j, name);
    json_end_array(j);
}

static void put_channel(json *j, const void *of, int i) {
    const live_channel *c = (const live_channel *)of + i;
    json_put_string(j, "name", c->name);
    json_put_string(j, "unit", c->unit);
}

static void put_loop(json *j, const live *l, const live_facts *f) {
    static const live_loop none = {0};
    const live_loop *loop = l ? live_loop_of(l) : &none;
    json_put_list(j, "sensors", loop->n_channels, put_channel, loop->channels);
    json_open_array(j, "controllers");
    for (int i = 0; i < loop->n_controllers; i++) {
        json_begin_object(j);
        json_put_string(j, "name", loop->controllers[i].name);
        json_put_bool(j, "on", f->controls[i]);
        json_end_object(j);
    }
    json_end_array(j);
    if (loop->estimates) json_put_list(j, "estimates", loop->n_numbers, put_channel, loop->numbers);
}

// Pairs of what is believed and its deviation.
static void put_belief(json *j, const live_loop *loop, const live_facts *f) {
    if (!loop->estimates) return;
    json_put_numbers(j, "estimates", f->believed, 2 * loop->n_numbers);
    json_put_numbers(j, "believed", f->believed + 2 * loop->n_numbers, 2 * loop->n_channels);
}

// ---------------------------------------------------------------- whole texts
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Of a live state, or, without one, of a replay.
static json *begin_hello(text_writer *w, const scene *s, const live *l, const live_facts *f,
                         audience a) {
    json *j = text_begin(w, "hello");
    int n_models = 0;
    const live_model *models = l ? live_models(l, &n_models) : NULL;
    if (!j) return NULL;
    json_put_integer(j, "protocol", 1);
    json_put_string(j, "version", td_version());
    json_put_bool(j, "live", l);
    json_put_bool(j, "driving", a.driving);
    json_put_integer(j, "watchers", a.watchers);
    json_put_integer(j, "opened", a.opened);
    json_put_string(j, "file", l ? file_name(live_stage(l)->path) : NULL);
    put_robot(j, s, l ? live_stage(l) : NULL, l ? f->kept : GRIPS_NONE);
    put_frame(j, s);
    put_inputs(j, s, l ? f : NULL);
    put_loop(j, l, f);
    json_put_list(j, "models", n_models, put_model, models);
    json_put_string(j, "model", f->main.model);
    json_put_string(j, "scheme", l ? f->scheme : NULL);
    json_put_number(j, "step", f->step);
    json_put_number(j, "speed", f->speed);
    json_put_bool(j, "playing", f->playing);
    put_ghosts(j, f);
    put_index(j, "mode", f->mode);
    json_put_number(j, "force_scale", s->force_scale);
    return j;
}

char *hello_live(const live *l, const live_facts *f, audience a) {
    text_writer w;
    json *j = begin_hello(&w, live_scene(l), l, f, a);
    if (!j) return NULL;
    json_put_string(j, "replay", NULL);
    return text_end(&w);
}

char *hello_replay(const replay *r, audience a) {
    live_facts still = {.step = (double)NAN, .speed = 1.0, .mode = -1};
    text_writer w;
    snprintf(still.main.model, sizeof still.main.model, "%s", r->model);
    json *j = begin_hello(&w, r->scene, NULL, &still, a);
    if (!j) return NULL;
    json_open_object(j, "replay");
    json_put_integer(j, "frames", r->n_frames);
    json_put_number(j, "begin", r->begin);
    json_put_number(j, "end", r->end);
    json_put_string(j, "ending", r->ending);
    json_end_object(j);
    return text_end(&w);
}

char *status_live(const live *l, const live_facts *f, audience a, double cpu) {
    text_writer w;
    json *j = text_begin(&w, "status");
    if (!j) return NULL;
    put_cost(j, &f->main);
    json_put_bool(j, "playing", f->playing);
    json_put_number(j, "ratio", f->ratio);
    json_put_bool(j, "held", f->held);
    json_put_number(j, "behind_s", f->behind);
    put_costs(j, f);
    json_put_number(j, "cpu", cpu);
    json_put_integer(j, "watchers", a.watchers);
    json_put_bool(j, "driving", a.driving);
    json_open_array(j, "follows");
    for (int i = 0; i < live_scene(l)->n_inputs; i++) json_bool(j, f->follows[i]);
    json_end_array(j);
    json_put_numbers(j, "readings", f->readings, live_loop_of(l)->n_channels);
    json_open_array(j, "controls");
    for (int i = 0; i < live_loop_of(l)->n_controllers; i++) json_bool(j, f->controls[i]);
    json_end_array(j);
    put_belief(j, live_loop_of(l), f);
    json_put_bool(j, "grabbed", f->grabbed);
    json_put_number(j, "past", f->past);
    return text_end(&w);
}
