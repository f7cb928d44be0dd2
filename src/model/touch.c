// model/touch.c - how equilibria among obstacles are sought, and what is told of contact, whatever the model.
#include "model/touch.h"

#include <math.h>

// From afar: loads on obstacles that are softer than the rods, which then harden.
static const path_leg legs[] = {
    {"its loads", 1u << SHARE_LOADS | 1u << SHARE_DRIVES | 1u << SHARE_FRICTION},
    {"the hardness of its obstacles", 1u << SHARE_HARDNESS},
};

void touch_kinks(solve_part *p) {
    p->kinks = true;
    p->legs = legs;
    p->n_legs = (int)(sizeof legs / sizeof *legs);
}

void touch_part(const touch *t, const touch_memory *m, solve_part *p) {
    if (t->n == 0) return;
    p->touch = t;
    p->touched = m;
    touch_kinks(p);
}

void touch_keep(const touch *t, const touch_memory *m, shape_origin from) {
    if (from == SHAPE_SET) touch_forget(t, m);
    else touch_accept(t, m);
}

// ---------------------------------------------------------------- what is told
static void visit_point(const touch *t, const touch_memory *m, int i, contact_visit *visit,
                        void *context) {
    const touch_point *x = &t->points[i];
    const vec3 p = m->before[i].p;
    for (int k = 0; k < t->n; k++) {
        const obstacle *o = &t->obstacles[k];
        if (t->laws[x->row * t->n + k].never) continue;
        const double reach = x->radius + touch_ahead(t, m, i, k);
        if (!(m->there[i] > 0.0) || obstacle_is_far(o, &m->frames[k], p, reach, NULL)) continue;
        const clearance d = obstacle_distance_from(o, &m->frames[k], p);
        if (!(d.phi < reach)) continue;
        td_contact_point at = {.rod = x->rod,
                               .body = x->body,
                               .s = x->s,
                               .obstacle = k,
                               .length = x->rod < 0 ? 0.0 : x->length,
                               .gap = d.phi - x->radius};
        const contact c = touch_kept(t, m, i, k, &d);
        vec3_store(at.point, vec3_madd(p, -x->radius, d.n));
        vec3_store(at.normal, d.n);
        vec3_store(at.force, vec3_scale(c.force, m->there[i]));
        visit(context, &at);
    }
}

void touch_visit(const touch *t, const touch_memory *m, contact_visit *visit, void *context) {
    for (int i = 0; i < t->n_points && t->n; i++) visit_point(t, m, i, visit, context);
}

static int nearest_point(const touch *t, int rod, double s) {
    int nearest = -1;
    for (int i = 0; i < t->n_points; i++)
        if (t->points[i].rod == rod &&
            (nearest < 0 || fabs(t->points[i].s - s) < fabs(t->points[nearest].s - s)))
            nearest = i;
    return nearest;
}

// Its distance at s, and what presses on the stretch of the point that touches there.
void touch_sample(const touch *t, const touch_memory *m, int rod, double s, td_sample *out) {
    const int point = t->n ? nearest_point(t, rod, s) : -1;
    const vec3 p = vec3_load(out->pose.p);
    double nearest = HUGE_VAL;
    vec3 force = vec3_zero();
    if (point < 0) return;
    const touch_point *x = &t->points[point];
    const vec3 touching = m->before[point].p;
    for (int k = 0; k < t->n; k++) {
        const obstacle *o = &t->obstacles[k];
        const double reach = x->radius + touch_ahead(t, m, point, k);
        if (t->laws[x->row * t->n + k].never) continue;
        if (!obstacle_is_far(o, &m->frames[k], p, nearest, NULL))
            nearest = fmin(nearest, obstacle_distance_from(o, &m->frames[k], p).phi);
        if (obstacle_is_far(o, &m->frames[k], touching, reach, NULL)) continue;
        const clearance d = obstacle_distance_from(o, &m->frames[k], touching);
        const contact c = touch_kept(t, m, point, k, &d);
        out->pressure += vec3_dot(c.force, d.n) - vec3_dot(c.friction, d.n);
        force = vec3_add(force, c.force);
    }
    out->gap = isfinite(nearest) ? nearest - x->radius : 0.0;
    vec3_store(out->contact, force);
}
