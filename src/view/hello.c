// view/hello.c - see hello.h.
#include "view/hello.h"

#include <math.h>

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
    json_key(j, "grips");
    json_begin_array(j);
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
    put_grips(j, st, index, kept);
    json_end_object(j);
}

static void put_actuator(json *j, const scene_actuator *a) {
    json_begin_object(j);
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
    json_end_object(j);
}

static void put_body(json *j, const scene_body *b) {
    json_begin_object(j);
    json_put_string(j, "name", b->name);
    put_index(j, "rod", b->rod);
    json_put_string(j, "shape", b->shape);
    json_put_number(j, "radius", b->radius);
    json_put_number(j, "height", b->height);
    put_list(j, "size", b->size[0] + b->size[1] + b->size[2] > 0.0 ? b->size : NULL, 3);
    json_put_numbers(j, "centre", b->centre, 3);
    json_put_bool(j, "grip", b->grip);
    json_end_object(j);
}

static void put_obstacle(json *j, const scene_obstacle *o) {
    json_begin_object(j);
    json_put_string(j, "name", o->name);
    put_index(j, "on", o->on);
    json_put_bool(j, "room", o->room);
    json_put_bool(j, "endless", o->endless);
    json_put_numbers(j, "points", o->points, 3 * o->n_points);
    json_put_numbers(j, "triangles", o->triangles, 3 * o->n_triangles);
    json_end_object(j);
}

static void put_robot(json *j, const scene *s, const stage *st, grips_kept kept) {
    json_key(j, "robot");
    json_begin_object(j);
    json_put_string(j, "name", s->name);
    json_put_number(j, "size", s->size);
    bool fixed = isfinite(s->gravity[0] + s->gravity[1] + s->gravity[2]);
    put_list(j, "gravity", fixed ? s->gravity : NULL, 3);
    json_key(j, "rods");
    json_begin_array(j);
    for (int i = 0; i < s->n_rods; i++) put_rod(j, &s->rods[i], i, st, kept);
    json_end_array(j);
    json_key(j, "actuators");
    json_begin_array(j);
    for (int i = 0; i < s->n_actuators; i++) put_actuator(j, &s->actuators[i]);
    json_end_array(j);
    json_key(j, "bodies");
    json_begin_array(j);
    for (int i = 0; i < s->n_bodies; i++) put_body(j, &s->bodies[i]);
    json_end_array(j);
    json_key(j, "obstacles");
    json_begin_array(j);
    for (int i = 0; i < s->n_obstacles; i++) put_obstacle(j, &s->obstacles[i]);
    json_end_array(j);
    json_end_object(j);
}

static void put_frame(json *j, const scene *s) {
    json_key(j, "frame");
    json_begin_object(j);
    json_put_integer(j, "floats", s->floats);
    json_put_integer(j, "ghost_floats", s->rod_floats);
    json_end_object(j);
}

static void put_inputs(json *j, const scene *s, const live_facts *f) {
    json_key(j, "inputs");
    json_begin_array(j);
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

static void put_models(json *j, const live *l) {
    int n = 0;
    const live_model *models = l ? live_models(l, &n) : NULL;
    json_key(j, "models");
    json_begin_array(j);
    for (int i = 0; i < n; i++) {
        const char *name;
        json_begin_object(j);
        json_put_string(j, "name", models[i].name);
        json_put_string(j, "title", models[i].title);
        json_put_bool(j, "can", models[i].can);
        json_put_string(j, "why", models[i].why);
        json_key(j, "schemes");
        json_begin_array(j);
        for (int k = 0; (name = scheme_at(models[i].name, k)); k++) json_string(j, name);
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

// ---------------------------------------------------------------- whole texts
static json *begin_hello(text_writer *w, bool is_live, audience a) {
    json *j = text_begin(w, "hello");
    if (!j) return NULL;
    json_put_integer(j, "protocol", 1);
    json_put_string(j, "version", td_version());
    json_put_bool(j, "live", is_live);
    json_put_bool(j, "driving", a.driving);
    json_put_integer(j, "watchers", a.watchers);
    return j;
}

char *hello_live(const live *l, const live_facts *f, audience a) {
    const scene *s = live_scene(l);
    text_writer w;
    json *j = begin_hello(&w, true, a);
    if (!j) return NULL;
    put_robot(j, s, live_stage(l), f->kept);
    put_frame(j, s);
    put_inputs(j, s, f);
    put_models(j, l);
    json_put_string(j, "model", f->model);
    json_put_string(j, "scheme", f->scheme);
    json_put_number(j, "step", f->step);
    json_put_number(j, "speed", f->speed);
    json_put_bool(j, "playing", f->playing);
    json_put_string(j, "ghost", f->ghost[0] ? f->ghost : NULL);
    put_index(j, "mode", f->mode);
    json_put_number(j, "force_scale", s->force_scale);
    json_put_string(j, "replay", NULL);
    return text_end(&w);
}

char *hello_replay(const replay *r, audience a) {
    text_writer w;
    json *j = begin_hello(&w, false, a);
    if (!j) return NULL;
    put_robot(j, r->scene, NULL, GRIPS_NONE);
    put_frame(j, r->scene);
    put_inputs(j, r->scene, NULL);
    put_models(j, NULL);
    json_put_string(j, "model", r->model);
    json_put_string(j, "scheme", NULL);
    json_put_number(j, "step", (double)NAN);
    json_put_number(j, "speed", 1.0);
    json_put_bool(j, "playing", false);
    json_put_string(j, "ghost", NULL);
    put_index(j, "mode", -1);
    json_put_number(j, "force_scale", r->scene->force_scale);
    json_key(j, "replay");
    json_begin_object(j);
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
    json_put_number(j, "time", f->time);
    json_put_bool(j, "playing", f->playing);
    json_put_number(j, "ratio", f->ratio);
    json_put_bool(j, "held", f->held);
    json_put_number(j, "behind_s", f->behind);
    json_put_number(j, "iterations", f->iterations);
    json_put_number(j, "step_seconds", f->step_seconds);
    json_put_number(j, "cpu", cpu);
    json_put_integer(j, "watchers", a.watchers);
    json_put_bool(j, "driving", a.driving);
    json_key(j, "follows");
    json_begin_array(j);
    for (int i = 0; i < live_scene(l)->n_inputs; i++) json_bool(j, f->follows[i]);
    json_end_array(j);
    json_put_bool(j, "grabbed", f->grabbed);
    return text_end(&w);
}
