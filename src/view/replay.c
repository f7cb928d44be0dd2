// view/replay.c - see replay.h.
#include "view/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/result.h"
#include "view/frame.h"

// ---------------------------------------------------------------- a record as a frame
// n numbers of a record; NaN where they were not recorded.
static void put(frame_writer *w, const double *values, long record, int n) {
    for (int i = 0; i < n; i++) frame_put(w, values ? values[record * n + i] : (double)NAN);
}

static void put_rod(frame_writer *w, const result_rod *rod, long record) {
    for (long i = record * rod->n_points; i < (record + 1) * rod->n_points; i++) {
        put(w, rod->position, i, 3);
        put(w, rod->orientation, i, 4);
    }
}

static void put_record(frame_writer *w, const scene *s, const result *r, long k) {
    for (int i = 0; i < s->n_rods; i++) put_rod(w, &r->rods[i], k);
    for (int i = 0; i < s->n_actuators; i++) {
        put(w, r->actuators[i].path, k, 3 * s->actuators[i].n_points);
        put(w, r->actuators[i].values[VALUE_EFFORT], k, 1);
        put(w, r->actuators[i].values[VALUE_MEASURE], k, 1);
    }
    for (int i = 0; i < s->n_bodies; i++) {
        put(w, r->bodies[i].position, k, 3);
        put(w, r->bodies[i].orientation, k, 4);
        put(w, r->bodies[i].attached, k, 1);
    }
    for (int i = 0; i < s->n_obstacles; i++) {
        put(w, r->obstacles[i].position, k, 3);
        put(w, r->obstacles[i].orientation, k, 4);
    }
    for (int i = 0; s->touches && i < s->n_rods; i++)
        put(w, r->rods[i].contact, k, 3 * s->rods[i].n_points);
    for (int i = 0; i < N_ENERGY; i++) put(w, r->energy[i], k, 1);
    for (int i = 0; i < s->n_inputs; i++) put(w, r->inputs[i].value, k, 1);
    put(w, r->iterations, k, 1);
    for (int i = 0; i < 7; i++) frame_put(w, i ? 0.0 : (double)NAN);  // ratio; nothing is grabbed
}

// ---------------------------------------------------------------- what was recorded
// Actuators of a kind that was not recorded are left out of the scene; false: there are others.
static bool fit_actuators(scene *s, const result *r) {
    int n = 0;
    for (int i = 0; i < s->n_actuators; i++) {
        if (n == r->n_actuators || s->actuators[i].kind != r->actuators[n].kind) continue;
        s->actuators[n] = s->actuators[i];
        s->actuators[n].n_points = r->actuators[n].n_points;
        n++;
    }
    s->n_actuators = n;
    return n == r->n_actuators;
}

// A part that was not recorded at all is left out of the scene.
static td_status fit_scene(scene *s, const td_robot *robot, const result *r, td_error *err) {
    bool same = r->n_rods == s->n_rods && fit_actuators(s, r) &&
                (r->n_bodies == 0 || r->n_bodies == s->n_bodies) &&
                (r->n_obstacles == 0 || r->n_obstacles == s->n_obstacles);
    if (!same)
        return error_set(err, TD_ERR_FILE, r->path, "the parts do not agree with its robot file");
    s->n_bodies = r->n_bodies;
    scene_keep_obstacles(s, r->n_obstacles);
    s->touches = r->n_rods > 0 && r->rods[0].contact;
    s->n_arrows = 0;
    if (r->n_inputs < s->n_inputs) s->n_inputs = r->n_inputs;
    for (int i = 0; i < s->n_rods; i++) {
        if (!r->rods[i].position || !r->rods[i].orientation)
            return error_set(err, TD_ERR_FILE, r->path,
                             "no shape was recorded; add pose to record.fields");
        if (!scene_set_rod_points(s, robot, i, r->rods[i].s, r->rods[i].n_points))
            return error_set(err, TD_ERR_MEMORY, r->path, "out of memory");
    }
    scene_count(s);
    return TD_OK;
}

static bool fill_frames(replay *p, const result *r, td_error *err) {
    size_t each = frame_bytes(p->scene), all = each * (size_t)r->n_times;
    int every = 1 + (int)(all / REPLAY_MOST);
    p->n_frames = (r->n_times + every - 1) / every;
    p->bytes = each * (size_t)p->n_frames;
    p->frames = malloc(p->bytes + 1);
    if (!p->frames) {
        error_set(err, TD_ERR_MEMORY, r->path, "out of memory for %zu bytes of frames", p->bytes);
        return false;
    }
    for (int i = 0; i < p->n_frames; i++) {
        long k = (long)i * every;
        frame_writer w = frame_begin(p->frames + each * (size_t)i, 0, r->time[k]);
        put_record(&w, p->scene, r, k);
    }
    p->begin = r->time[0];
    p->end = r->time[(long)(p->n_frames - 1) * every];
    snprintf(p->model, sizeof p->model, "%s", r->model);
    snprintf(p->ending, sizeof p->ending, "%s", r->ending);
    return true;
}

static bool fill(replay *p, const char *path, const result *r, td_error *err) {
    const char *text = r->robot_file ? r->robot_file : "";
    if (r->n_times < 1) {
        error_set(err, TD_ERR_FILE, r->path, "nothing was recorded");
        return false;
    }
    td_robot *robot = td_robot_parse(text, strlen(text), r->path, NULL, 0, err);
    if (!robot) return false;
    p->scene = scene_create(robot, td_robot_n_inputs(robot));
    if (p->scene) scene_name_after(p->scene, path);
    else error_set(err, TD_ERR_MEMORY, r->path, "out of memory");
    bool ok = p->scene && fit_scene(p->scene, robot, r, err) == TD_OK && fill_frames(p, r, err);
    td_robot_destroy(robot);
    return ok;
}

replay *replay_create(const char *path, td_error *err) {
    result *r = result_read(path, err);
    if (!r) return NULL;
    replay *p = calloc(1, sizeof *p);
    bool ok = false;
    if (p) ok = fill(p, path, r, err);
    else error_set(err, TD_ERR_MEMORY, path, "out of memory");
    result_destroy(r);
    if (ok) return p;
    replay_destroy(p);
    return NULL;
}

void replay_destroy(replay *r) {
    if (!r) return;
    scene_destroy(r->scene);
    free(r->frames);
    free(r);
}
