// sim/contact.c - where the robot touches obstacles, and what it does to them.
#include "environment/obstacle.h"
#include "math/quat.h"
#include "sim/system.h"

static void visit_contacts(const td_system *system, const td_state *state, contact_visit *visit,
                           void *context) {
    if (!has_contact(system) || !system->model->contacts) return;
    system->model->contacts(system->compiled, state->memory, visit, context);
}

static se3 frame_of(const td_system *system, const td_state *state, int which) {
    const obstacle *o = &system->obstacle_shapes[which];
    if (obstacle_is_carried(o)) {
        const td_pose on = td_get_body(system, state, o->def.body).pose;
        const se3 body = {quat_to_mat3(quat_load(on.q)), vec3_load(on.p)};
        const se3 own = obstacle_frame(o, NULL);
        return se3_mul(&body, &own);
    }
    return obstacle_frame(&system->obstacle_shapes[which], state->inputs_before);
}

// ---------------------------------------------------------------- points
typedef struct list {
    td_contact_point *points;
    int most, n;
} list;

static void take(void *context, const td_contact_point *at) {
    list *l = context;
    if (l->n++ >= l->most) return;
    td_contact_point *to = &l->points[l->n - 1];
    *to = *at;
    if (to->obstacle >= 0) to->contact = to->other_rod = to->other_body = -1;
}

int td_get_contacts(const td_system *system, const td_state *state, td_contact_point *points,
                    int most) {
    list l = {points, points ? most : 0, 0};
    visit_contacts(system, state, take, &l);
    return l.n;
}

// ---------------------------------------------------------------- obstacles
typedef struct wrench_on {
    int obstacle;
    vec3 origin, force, moment;
} wrench_on;

static void add_wrench(void *context, const td_contact_point *at) {
    wrench_on *w = context;
    if (at->obstacle != w->obstacle) return;
    const vec3 f = vec3_load(at->force), arm = vec3_sub(vec3_load(at->point), w->origin);
    w->force = vec3_sub(w->force, f);
    w->moment = vec3_sub(w->moment, vec3_cross(arm, f));
}

td_reaction td_get_obstacle_wrench(const td_system *system, const td_state *state, int which) {
    td_reaction out = {{0.0}, {0.0}};
    if (!has(&system->obstacles, which)) return out;
    wrench_on w = {.obstacle = which, .origin = frame_of(system, state, which).p};
    visit_contacts(system, state, add_wrench, &w);
    vec3_store(out.moment, w.moment);
    vec3_store(out.force, w.force);
    return out;
}

td_pose td_get_obstacle_pose(const td_system *system, const td_state *state, int which) {
    if (!has(&system->obstacles, which)) return (td_pose){.q = {1.0}};
    const se3 T = frame_of(system, state, which);
    return pose_from(&T.R, T.p);
}

double td_get_distance(const td_system *system, const td_state *state, int which, const double p[3],
                       double normal[3]) {
    clearance d = {.phi = 0.0};
    if (has(&system->obstacles, which) && vec3_is_finite(vec3_load(p))) {
        const se3 frame = frame_of(system, state, which);
        d = obstacle_distance_from(&system->obstacle_shapes[which], &frame, vec3_load(p));
    }
    if (normal) vec3_store(normal, d.n);
    return d.phi;
}
