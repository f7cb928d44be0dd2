// view/frame.c - see frame.h.
#include "view/frame.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "io/result.h"

size_t frame_bytes(const scene *s) {
    return FRAME_HEAD + 4 * (size_t)s->floats;
}

size_t frame_most_bytes(const scene *s) {
    const int beside = (MOST_GHOSTS + 1) * s->rod_floats + SPREAD_FLOATS * s->rod_points;
    return frame_bytes(s) + 4 * (size_t)beside;
}

// ---------------------------------------------------------------- bytes
static void put_u32(frame_writer *w, uint32_t value) {
    for (int i = 0; i < 4; i++) *w->at++ = (uint8_t)(value >> 8 * i);
}

static void put_f64(frame_writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(w, (uint32_t)bits);
    put_u32(w, (uint32_t)(bits >> 32));
}

frame_writer frame_begin(uint8_t *buffer, unsigned flags, double time) {
    frame_writer w = {buffer};
    put_u32(&w, FRAME_MAGIC);
    put_u32(&w, flags);
    put_f64(&w, time);
    return w;
}

void frame_put(frame_writer *w, double value) {
    // A double that no float can hold has no conversion; NaN is not one of them.
    const double most = (double)FLT_MAX;
    float narrow = (float)(value > most ? most : value < -most ? -most : value);
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_u32(w, bits);
}

static void frame_put_all(frame_writer *w, const double *values, int n) {
    for (int i = 0; i < n; i++) frame_put(w, values[i]);
}

// ---------------------------------------------------------------- a state
static void put_pose(frame_writer *w, const td_pose *pose) {
    frame_put_all(w, pose->p, 3);
    frame_put_all(w, pose->q, 4);
}

static void put_rods(frame_writer *w, const scene *s, const td_system *system,
                     const td_state *state, const frame_facts *f) {
    for (int i = 0; i < s->n_rods; i++) {
        for (int k = 0; k < s->rods[i].n_points; k++) {
            const double at = td_get_place(system, state, i, s->rods[i].s[k]);
            td_pose pose = f && f->swing
                               ? mode_shape_pose(f->swing, i * f->swing->n_points + k, f->by)
                               : td_get_pose(system, state, i, at);
            put_pose(w, &pose);
        }
    }
}

static void put_actuators(frame_writer *w, const scene *s, const td_system *system,
                          const td_state *state, const frame_facts *f) {
    for (int i = 0; i < s->n_actuators; i++) {
        const scene_actuator *to = &s->actuators[i];
        const int n = to->n_points;
        for (int k = 0; k < n; k++) {
            double p[3];
            const double x = point_at(1.0, k, n);
            td_get_actuator_point(system, state, i, x, p);
            const double at =
                td_get_place(system, state, to->rod, to->from + x * (to->to - to->from));
            if (f->swing) mode_shape_carry(f->swing, to->rod, at, f->by, p);
            frame_put_all(w, p, 3);
        }
        const td_actuator_state a = td_get_actuator(system, state, i);
        frame_put(w, a.effort);
        frame_put(w, a.measure);
    }
}

static void put_bodies(frame_writer *w, const scene *s, const td_system *system,
                       const td_state *state, const frame_facts *f) {
    for (int i = 0; i < s->n_bodies; i++) {
        td_body_state b = td_get_body(system, state, i);
        if (f->swing) b.pose = mode_shape_pose(f->swing, s->n_rods * f->swing->n_points + i, f->by);
        put_pose(w, &b.pose);
        frame_put(w, b.attached ? 1.0 : 0.0);
    }
}

#define MOST_CONTACTS 96  // that are told one by one; more lie close

// The share of what touches at c->s, and stands for a length of rod, that is on a stretch of it.
static double share_on(const td_contact_point *c, double lo, double hi) {
    const double from = c->s - 0.5 * c->length, to = c->s + 0.5 * c->length;
    if (!(c->length > 1e-3 * (hi - lo))) return c->s >= lo && c->s < hi;
    return fmax(0.0, fmin(to, hi) - fmax(from, lo)) / c->length;
}

// What presses on the stretch of rod around a point at x, half-way to its neighbours, N/m: nodes may lie between two points.
static void press_around(const td_contact_point *all, int many, int rod, double before, double x,
                         double after, double out[3]) {
    const double lo = 0.5 * (before + x), hi = 0.5 * (x + after);
    for (int i = 0; i < many; i++) {
        if (all[i].rod != rod) continue;
        const double share = share_on(&all[i], lo, hi) / (hi - lo);
        for (int d = 0; d < 3; d++) out[d] += share * all[i].force[d];
    }
}

// What presses around each point of a rod.
static void put_pressed(frame_writer *w, const scene_rod *r, int rod, const td_system *system,
                        const td_state *state, const td_contact_point *all, int many) {
    const int n = r->n_points;
    for (int k = 0; k < n; k++) {
        const double x = td_get_place(system, state, rod, r->s[k]);
        const double last = k > 0 ? td_get_place(system, state, rod, r->s[k - 1]) : 0.0;
        const double next =
            k + 1 < n ? td_get_place(system, state, rod, r->s[k + 1]) : 2 * x - last;
        td_sample at = {.contact = {0.0}};
        if (many > MOST_CONTACTS) at = td_get_sample(system, state, rod, x);
        else press_around(all, many, rod, k > 0 ? last : 2 * x - next, x, next, at.contact);
        frame_put_all(w, at.contact, 3);
    }
}

// Where obstacles are, and what they and other parts do to the rods, N/m.
static void put_obstacles(frame_writer *w, const scene *s, const td_system *system,
                          const td_state *state) {
    for (int i = 0; i < s->n_obstacles; i++) {
        const td_pose pose = td_get_obstacle_pose(system, state, i);
        put_pose(w, &pose);
    }
    td_contact_point all[MOST_CONTACTS];
    const int many = s->touches ? td_get_contacts(system, state, all, MOST_CONTACTS) : 0;
    for (int i = 0; s->touches && i < s->n_rods; i++)
        put_pressed(w, &s->rods[i], i, system, state, all, many);
}

size_t frame_of_state(uint8_t *buffer, const scene *s, const td_system *system,
                      const td_state *state, const frame_facts *facts) {
    unsigned flags = facts->flags | (facts->estimate ? FRAME_ESTIMATE : 0u);
    for (int k = 0; k < MOST_GHOSTS; k++)
        if (facts->ghosts[k].state) flags |= (unsigned)FRAME_GHOST << k;
    frame_writer w = frame_begin(buffer, flags, facts->time);
    put_rods(&w, s, system, state, facts);
    put_actuators(&w, s, system, state, facts);
    put_bodies(&w, s, system, state, facts);
    put_obstacles(&w, s, system, state);
    for (int i = 0; i < s->n_arrows; i++) {
        double at[ARROW_FLOATS];
        arrow_at(&s->arrows[i], system, state, at);
        frame_put_all(&w, at, ARROW_FLOATS);
    }
    td_energy e = td_get_energy(system, state);
    frame_put_all(&w, (double[]){e.kinetic, e.elastic, e.gravity, e.dissipated, e.work}, N_ENERGY);
    for (int i = 0; i < s->n_inputs; i++) frame_put(&w, td_get_input(system, state, i));
    frame_put(&w, facts->iterations);
    frame_put(&w, facts->ratio);
    frame_put_all(&w, facts->held, 3);
    frame_put_all(&w, facts->force, 3);
    for (int k = 0; k < MOST_GHOSTS; k++)
        if (facts->ghosts[k].state)
            put_rods(&w, s, facts->ghosts[k].system, facts->ghosts[k].state, NULL);
    if (facts->estimate) {
        put_rods(&w, s, system, facts->estimate, NULL);
        frame_put_all(&w, facts->spread, SPREAD_FLOATS * s->rod_points);
    }
    return (size_t)(w.at - buffer);
}
