// A point of a live robot that is dragged to a place: the inputs of actuators that bring it there at rest become what
// the robot goes to. They are sought by a second state, from where they were found last.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot/facts.h"
#include "view/live_inner.h"

void live_stop_reaching(live *l) {
    td_state_destroy(l->aim);
    l->aim = NULL;
}

// At rest under the inputs that the robot goes to. Nobody pulls at it.
static bool begin_aim(live *l, char *why, size_t size) {
    if (l->aim) return true;
    const td_system *system = l->main->system;
    const size_t bytes = td_snapshot_bytes(system);
    l->aim = td_state_create(system);
    if (!l->aim) return snprintf(why, size, "out of memory"), false;
    td_set_stop(l->aim, live_is_stopping, l);
    td_state_save(system, l->main->state, l->main->saved, bytes);
    td_status status = td_state_restore(system, l->aim, l->main->saved, bytes);
    for (int i = 0; i < td_n_inputs(system); i++) {
        const bool seen = i < l->stage->n_inputs;
        if (!seen || !l->follows[i]) td_set_input(system, l->aim, i, seen ? l->target[i] : 0.0);
    }
    if (status >= 0) status = td_solve_statics(system, l->aim);
    if (status >= 0) return true;
    snprintf(why, size, "there is no equilibrium to begin from: %s", td_message(l->aim));
    live_stop_reaching(l);
    return false;
}

static td_target target_of(const live *l, const message *m) {
    td_target t = {.body = -1, .rod = m->rod, .position_only = true};
    if (m->given & GIVEN_BODY) {
        t.body = m->body;
    } else {
        const double share = m->s / l->scene->rods[m->rod].length;
        t.s = fmax(0.0, fmin(share, 1.0)) * td_get_length(l->main->system, l->aim, m->rod);
    }
    memcpy(t.pose.p, m->position, sizeof t.pose.p);
    t.pose.q[0] = 1.0;
    return t;
}

bool live_reach(live *l, const message *m, char *why, size_t size) {
    int inputs[MOST_REACHING], n = 0;
    const bool body = m->given & GIVEN_BODY;
    if (body ? m->body >= l->scene->n_bodies : m->rod >= l->scene->n_rods)
        return snprintf(why, size, "there is no such rod or body"), false;
    for (int i = 0; i < l->stage->n_inputs && n < MOST_REACHING; i++)
        if (input_actuates(l->stage->robot, i)) inputs[n++] = i;
    if (n == 0) return snprintf(why, size, "no input drives an actuator"), false;
    if (!begin_aim(l, why, size)) return false;
    const td_target target = target_of(l, m);
    const td_status status = td_solve_inverse(l->main->system, l->aim, &target, inputs, n);
    if (status < 0) return snprintf(why, size, "%s", td_message(l->aim)), false;
    for (int i = 0; i < n; i++) {
        l->follows[inputs[i]] = false;
        l->target[inputs[i]] = td_get_input(l->main->system, l->aim, inputs[i]);
        if (!l->playing) live_apply(l, inputs[i]);
    }
    l->dirty = true;
    return true;
}
