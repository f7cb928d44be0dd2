// sim/reaction.c - what holds rods and bodies.
//
// A body has the rate of its momentum, less its weight and the loads on it, from the rods: in its
// axes, with centre c and inertia J about it, velocities w, and accelerations w', a of its origin,
//
//     F = m (a + w' x c + w x (w x c)) - m g - f      M = J w' + w x J w + c x (F + f) - t
#include "environment/load.h"
#include "math/quat.h"
#include "robot/inertia.h"
#include "sim/system.h"

// Nothing is 0, not -0.
static td_reaction in_world(vec3 moment, vec3 force) {
    td_reaction out;
    vec3_store(out.moment, vec3_add(moment, vec3_zero()));
    vec3_store(out.force, vec3_add(force, vec3_zero()));
    return out;
}

// Loads given on a free body, or at the base of a rod (the other is -1), where that is; world.
static vec6 loads_on(const td_system *system, int body, int rod, td_pose where,
                     const double *inputs) {
    const mat3 R = quat_to_mat3(quat_load(where.q));
    const point_now at = {.R = &R, .p = vec3_load(where.p)};
    vec6 sum = vec6_zero();
    for (int i = 0; i < system->n_loads; i++) {
        const td_load_def *load = &system->loads[i];
        const bool at_base = load->rod == rod && !load->distributed && !(load->from > 0.0);
        if (rod >= 0 ? !at_base : load->rod >= 0 || load->body != body) continue;
        sum = vec6_add(sum, load_at(load, inputs, 1.0, NULL, &at, NULL));
    }
    return sum;
}

td_reaction td_get_reaction(const td_system *system, const td_state *state, int rod, td_end end) {
    const td_model *model = system->model;
    const double *inputs = state->inputs_before;
    const bool known = end == TD_BASE || end == TD_TIP;
    if (!has(&system->rods, rod) || !known || !model->reaction) return (td_reaction){0};
    vec6 w = model->reaction(system->compiled, state->memory, rod, end, inputs);
    if (end == TD_TIP) return in_world(w.a, w.l);
    w = vec6_sub(w, loads_on(system, -1, rod, td_get_pose(system, state, rod, 0.0), inputs));
    return in_world(w.a, w.l);
}

td_reaction td_get_hold_reaction(const td_system *system, const td_state *state, int body) {
    const td_model *model = system->model;
    if (!has(&system->bodies, body) || !model->hold_reaction) return (td_reaction){0};
    if (!system->body_defs[body].hold.held) return (td_reaction){0};
    const vec6 w =
        model->hold_reaction(system->compiled, state->memory, body, state->inputs_before);
    return in_world(w.a, w.l);
}

td_reaction td_get_body_reaction(const td_system *system, const td_state *state, int body) {
    const td_model *model = system->model;
    const double *inputs = state->inputs_before;
    if (!has(&system->bodies, body) || !model->acceleration) return (td_reaction){0};
    const td_body_state now = td_get_body(system, state, body);
    if (!now.attached) return (td_reaction){0};
    const td_body_def *b = &system->body_defs[body];
    const quat h = quat_load(now.pose.q);
    const vec6 t = model->acceleration(system->compiled, state->memory, body);
    const vec6 given = loads_on(system, body, -1, now.pose, inputs);
    const vec3 w = vec3_load(now.velocity), c = vec3_load(b->centre);
    const mat3 J = body_inertia(b);
    const vec3 g = quat_rotate(quat_conj(h), numbers_at(system->gravity, inputs));
    vec3 a = vec3_add(vec3_cross(t.a, c), vec3_cross(w, vec3_cross(w, c)));
    a = vec3_sub(vec3_add(a, t.l), g);
    const vec3 asked = vec3_scale(a, b->mass);
    vec3 moment = vec3_add(mat3_mul_vec(&J, t.a), vec3_cross(w, mat3_mul_vec(&J, w)));
    moment = vec3_add(moment, vec3_cross(c, asked));
    return in_world(vec3_sub(quat_rotate(h, moment), given.a),
                    vec3_sub(quat_rotate(h, asked), given.l));
}
