// model/cosserat/lanes/touching.c - see touching.h.
#include "model/cosserat/lanes/touching.h"

#include <string.h>

#include "model/cosserat/contact.h"

lane_obstacles obstacles_of(const cosserat_lanes *l, const double *records) {
    const lane_plan *p = &l->plan;
    return (lane_obstacles){.width = l->width,
                            .n_points = p->n_nodes + 1,
                            .n = p->n_obstacles,
                            .places = records + (size_t)p->places * (size_t)l->width,
                            .deepest = records + (size_t)p->deepest * (size_t)l->width};
}

static const rod *rod_of(const lane_obstacles *o, int lane) {
    return &o->robots[lane]->c->rods[0];
}

void obstacles_place(lane_obstacles *o, int lane, const cosserat_lanes *own, const double *inputs) {
    o->robots[lane] = own;
    for (int k = 0; k < o->n; k++) {
        const obstacle *one = &rod_of(o, lane)->obstacles[k];
        const bool moves = obstacle_is_driven(one);
        if (moves) o->moved[1][lane][k] = obstacle_frame(one, inputs);
        for (int i = 0; i < 2; i++)
            o->frames[i][lane][k] = moves ? &o->moved[i][lane][k] : &own->frames[k];
    }
}

void obstacles_shift(lane_obstacles *o, int lane) {
    memcpy(o->moved[0][lane], o->moved[1][lane], sizeof(se3) * (size_t)o->n);
}

static vec3 place_of(const lane_obstacles *o, const double *places, int lane, int point) {
    const double *at = places + (size_t)(3 * point * o->width + lane);
    return vec3_make(at[0], at[o->width], at[2 * o->width]);
}

static double deepest_of(const lane_obstacles *o, int lane, int point, int which) {
    return o->deepest[(size_t)((point * o->n + which) * o->width + lane)];
}

// Surely without contact: most are.
static bool is_away(const lane_obstacles *o, int lane, int point, int which, vec3 p, bool holding) {
    const rod *r = rod_of(o, lane);
    if (holding && deepest_of(o, lane, point, which) > 0.0) return false;
    return contact_spares(r, point, which) ||
           obstacle_is_far(&r->obstacles[which], o->frames[1][lane][which], p, r->radii[point],
                           NULL);
}

// One obstacle and one point: contact_with of ../contact.c without friction.
static contact press_at(const lane_obstacles *o, int lane, int point, int which, vec3 p,
                        bool holding, contact_slopes *slopes) {
    const rod *r = rod_of(o, lane);
    contact_point at = {
        .from = obstacle_distance_from(&r->obstacles[which], o->frames[1][lane][which], p),
        .radius = r->radii[point],
        .deepest = deepest_of(o, lane, point, which)};
    at.held = holding && at.deepest > 0.0;
    return contact_at(contact_law_at(r, point, which), &at, slopes);
}

// m that a force at a point counts: at nodes it is one per length.
static double length_of(const lane_obstacles *o, int lane, int point) {
    return point < o->n_points - 1 ? 1.0 : o->robots[lane]->weights[point];
}

// What all of them do to a point; true: it touches.
static bool press_point(const lane_obstacles *o, int lane, int point, vec3 p, bool holding,
                        vec3 *force, mat3 *slope) {
    double energy = 0.0;
    *force = vec3_zero();
    *slope = mat3_zero();
    for (int k = 0; k < o->n; k++) {
        contact_slopes by;
        if (is_away(o, lane, point, k, p, holding)) continue;
        const contact c = press_at(o, lane, point, k, p, holding, &by);
        if (c.energy == 0.0) continue;
        *slope = mat3_add(slope, &by.f_p);
        *force = vec3_add(*force, c.force);
        energy += c.energy;
    }
    const double length = length_of(o, lane, point);
    *force = vec3_scale(*force, length);
    *slope = mat3_scale(slope, length);
    return energy > 0.0;
}

static void press_robot(const lane_obstacles *o, int lane, bool holding, const double *places,
                        double *forces, double *slopes, double *sets, bool *any) {
    const int w = o->width;
    sets[lane] = 0.0;
    for (int i = 0; i < o->n_points; i++) {
        const vec3 p = place_of(o, places, lane, i);
        vec3 force = vec3_zero();
        mat3 slope = mat3_zero();
        const bool touches =
            vec3_is_finite(p) && press_point(o, lane, i, p, holding, &force, &slope);
        double *to = forces + (size_t)(3 * i * w + lane);
        to[0] = force.x, to[w] = force.y, to[2 * w] = force.z;
        if (!touches) continue;
        any[i] = true;
        sets[lane] = touching_with(sets[lane], i + 1.0);
        for (int k = 0; k < 9; k++)
            slopes[(size_t)((9 * i + k) * w + lane)] = slope.m[k / 3][k % 3];
    }
}

void obstacles_press(const lane_obstacles *o, unsigned on, bool holding, const double *places,
                     double *forces, double *slopes, double *sets, bool *any) {
    memset(any, 0, sizeof *any * (size_t)o->n_points);
    memset(slopes, 0, sizeof *slopes * 9 * (size_t)(o->n_points * o->width));
    for (int lane = 0; lane < o->width; lane++)
        if (on >> lane & 1u) press_robot(o, lane, holding, places, forces, slopes, sets, any);
}

// ---------------------------------------------------------------- at the end of a part
typedef struct point_end {
    double energy, lost, brought;  // J
    double deepest;                // m
    bool crosses;
} point_end;

static point_end end_of(const lane_obstacles *o, int lane, int point, int which, vec3 p) {
    const rod *r = rod_of(o, lane);
    const double weight = o->robots[lane]->weights[point];
    const contact_way way = {.point = point,
                             .which = which,
                             .before = o->frames[0][lane][which],
                             .now = o->frames[1][lane][which],
                             .from = place_of(o, o->places, lane, point),
                             .to = p,
                             .deepest = deepest_of(o, lane, point, which)};
    const bool away = is_away(o, lane, point, which, p, false);
    const contact c =
        away ? (contact){.energy = 0.0} : press_at(o, lane, point, which, p, false, NULL);
    point_end end = {.energy = weight * c.energy, .lost = weight * c.lost, .deepest = c.deepest};
    if (way.before != way.now) end.brought = weight * contact_pressed_work(r, &way, 1.0);
    end.crosses = contact_crosses(r, &way);
    return end;
}

unsigned obstacles_end(const lane_obstacles *o, unsigned on, const double *places, double *deepest,
                       double *energy, double *result) {
    const int w = o->width;
    unsigned passed = on;
    for (int lane = 0; lane < w; lane++) {
        point_end sum = {.energy = 0.0};
        for (int i = 0; i < o->n_points * o->n && (on >> lane & 1u); i++) {
            const int point = i / o->n, which = i % o->n;
            const point_end one = end_of(o, lane, point, which, place_of(o, places, lane, point));
            sum.energy += one.energy, sum.lost += one.lost, sum.brought += one.brought;
            sum.deepest = fmax(sum.deepest, one.deepest);
            if (one.crosses) passed &= ~(1u << lane);
            deepest[(size_t)(i * w + lane)] = one.deepest;
        }
        energy[lane] = sum.energy;
        result[RESULT_LOST * w + lane] = sum.lost;
        result[RESULT_BROUGHT * w + lane] = sum.brought;
        result[RESULT_TOUCHES * w + lane] = sum.deepest > 0.0;
    }
    return passed;
}
