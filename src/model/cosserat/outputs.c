// model/cosserat/outputs.c - what tendons, chambers and bodies do in the current shape.
#include <math.h>

#include "model/cosserat/assembly.h"

double cosserat_length(const void *compiled, const void *memory, int rod_index) {
    (void)compiled;
    const cosserat_memory *m = memory;
    return m->rods[rod_index].lengths[0];
}

// ---------------------------------------------------------------- actuators
typedef struct running {  // an actuator on its rod
    const rod *r;
    const rod_memory *m;
    const rod_actuator *ra;
    int which;  // on its rod
} running;

static running find(const cosserat *c, const cosserat_memory *m, int index) {
    const actuator *a = &c->actuators[index];
    const rod *r = &c->rods[a->rod];
    const rod_memory *own = &m->rods[a->rod];
    int k = 0;
    while (r->actuators[k].a != a) k++;
    const rod *now = rod_of_length(r, own, own->lengths[0]);
    return (running){now, own, &now->actuators[k], k};
}

static vec3 strain_u(const station *st, const double *f) {
    return vec3_add(st->u_rest, vec3_load(f + F_U));
}

static vec3 strain_v(const station *st, const double *f) {
    return vec3_add(st->v_rest, vec3_load(f + F_V));
}

// The integral of the density along the actuator; with `stretch` that of the tendon's own stretch, in
// units of 1/EA, beside it.
static double measure(const running *on, double *stretch) {
    double sum = 0.0, stretched = 0.0;
    const rod_actuator *ra = on->ra;
    for (int k = 0; k < ra->n_elements; k++) {
        const element *e = &on->r->elements[ra->first_element + k];
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i, at = node - ra->first_node;
            const station *st = &e->stations[i];
            const double *f = on->m->fields[0] + (size_t)node * F_SIZE;
            vec3 u = strain_u(st, f), v = strain_v(st, f);
            density d = actuator_counted(ra->a, &ra->at[at], u, v);
            density rest = actuator_density(ra->a, &ra->at[at], st->u_rest, st->v_rest);
            sum += e->quadrature[i] * d.value;
            stretched += e->quadrature[i] * rest.value * on->m->tensions[ra->first_point + at];
        }
    }
    *stretch = stretched;
    return sum;
}

static double start_effort(const running *on) {
    const rod_actuator *ra = on->ra;
    const double given = on->m->given_now[on->which];
    if (ra->a->control == CONTROL_EFFORT) return given;
    return on->m->efforts[0][ra->effort + ra->n_efforts - 1];
}

// At s of the rod as compiled. Straight between the nodes; behind the last one it falls on as it
// fell before it.
static double tension_at(const running *on, double s) {
    const rod_actuator *ra = on->ra;
    const double *tension = on->m->tensions + ra->first_point;
    double before = start_effort(on), s_before = ra->a->from, fall = 0.0;
    for (int i = 0; i < ra->n_nodes; i++) {
        double here = ra->places[i], now = tension[i], edge = here - s_before;
        if (s <= here && edge > 0.0) return before + (now - before) * (s - s_before) / edge;
        fall = edge > 0.0 && before > 0.0 && now > 0.0 ? log(now / before) / edge : 0.0;
        before = now, s_before = here;
    }
    return before * exp(fall * (s - s_before));
}

// What has come out at its start: the path shortened, itself stretched within and outside the rod. Of
// one that is slack that of its drive, which is more than the path asks for.
static double pulled_out(const running *on, double effort, double length, double stretch) {
    const actuator *a = on->ra->a;
    const double before = a->yield * a->pretension;
    if (a->control == CONTROL_MEASURE && !actuator_is_driven(a))
        return on->m->given_now[on->which] - before;
    return a->rest - length + a->inverse_stiffness * stretch + a->compliance * effort - before;
}

td_actuator_state cosserat_actuator(const void *compiled, const void *memory, int index) {
    const actuator *in = &((const cosserat *)compiled)->actuators[index];
    if (actuator_in_joint(in)) return shaft_state(compiled, memory, in);
    const running on = find(compiled, memory, index);
    const actuator *a = on.ra->a;
    double stretch;
    td_actuator_state out = {.effort = start_effort(&on), .measure = measure(&on, &stretch)};
    out.end_effort = tension_at(&on, a->to);
    out.slack = is_slack(on.ra, out.effort);
    if (out.slack != 0.0) out.effort = 0.0;
    if (a->from_rest) out.supplied = pulled_out(&on, out.effort, out.measure, stretch);
    if (a->control == CONTROL_GAS)
        out.supplied = actuator_is_driven(a) ? actuator_supplied(a, 0.0, out.effort, out.measure)
                                             : on.m->given_now[on.which];
    return out;
}

double cosserat_effort(const void *compiled, const void *memory, int index, double s) {
    const actuator *in = &((const cosserat *)compiled)->actuators[index];
    if (actuator_in_joint(in)) return shaft_state(compiled, memory, in).effort;
    const running on = find(compiled, memory, index);
    const element *e = &on.r->elements[rod_element_at(on.r, s)];
    return tension_at(&on, e->rest_s0 + (s - e->s0) / e->length * e->rest_length);
}

// ---------------------------------------------------------------- bodies
static td_body_state state_at(const double *y, bool attached) {
    td_body_state out = {.attached = attached};
    vec3_store(out.pose.p, vec3_load(y + Y_P));
    quat_store(out.pose.q, quat_load(y + Y_H));
    vec3_store(out.velocity, vec3_load(y + Y_W));
    vec3_store(out.velocity + 3, vec3_load(y + Y_Q));
    return out;
}

static td_body_state riding(const cosserat *c, const cosserat_memory *m, int body) {
    for (int i = 0; i < c->n_rods; i++)
        for (int k = 0; k < c->rods[i].n_elements; k++) {
            const element *e = &c->rods[i].elements[k];
            for (int j = 0; j < e->n_riders; j++)
                if (e->riders[j].body == body)
                    return state_at(m->rods[i].bounds + (size_t)(k + 1) * Y_SIZE, true);
        }
    return (td_body_state){.pose.q = {1.0}};
}

td_body_state cosserat_body(const void *compiled, const void *memory, int body) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    for (int i = 0; i < c->n_bodies; i++) {
        if (c->bodies[i].body != body) continue;
        const double *f = m->bodies[i].fields[0];
        td_body_state out = {.attached = true};
        vec3_store(out.pose.p, vec3_load(f + B_P));
        quat_store(out.pose.q, quat_normalise(quat_load(f + B_H)));
        vec3_store(out.velocity, vec3_load(f + B_W));
        vec3_store(out.velocity + 3, vec3_load(f + B_Q));
        return out;
    }
    return riding(c, m, body);
}

// ---------------------------------------------------------------- reactions
// A tip that is held has the reaction of its joint; the base that of what stands before it.
vec6 cosserat_reaction(const void *compiled, const void *memory, int rod_index, td_end end,
                       const double *inputs) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    const double *base = m->rods[rod_index].bounds;
    (void)inputs;
    if (end == TD_BASE) return vec6_neg(vec6_make(vec3_load(base + Y_M), vec3_load(base + Y_N)));
    for (int k = 0; k < c->n_joints; k++) {
        const joint *j = &c->joints[k];
        const double *x = m->reactions[0] + j->reaction;
        if (j->rod != rod_index) continue;
        return vec6_make(j->n_reactions == 6 ? vec3_load(x) : vec3_zero(),
                         vec3_load(x + j->n_reactions - 3));
    }
    return vec6_zero();
}

// That of its joint and of the spring in it, about the origin of what is held, where both act.
vec6 cosserat_hold_reaction(const void *compiled, const void *memory, int body,
                            const double *inputs) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    for (int k = 0; k < c->n_joints; k++) {
        const joint *j = &c->joints[k];
        const double *x = m->reactions[0] + j->reaction;
        if (j->rod >= 0 || c->bodies[j->held].body != body) continue;
        const vec6 w = vec6_make(j->n_reactions == 6 ? vec3_load(x) : vec3_zero(),
                                 vec3_load(x + j->n_reactions - 3));
        return j->springs ? vec6_add(w, spring_effort_now(c, m, k, inputs)) : w;
    }
    return vec6_zero();
}

// From w, q in the body and their rates: q' + w x q.
static vec6 acceleration_of(const double *velocity, const double *rate) {
    const vec3 w = vec3_load(velocity), q = vec3_load(velocity + 3);
    return vec6_make(vec3_load(rate), vec3_add(vec3_load(rate + 3), vec3_cross(w, q)));
}

vec6 cosserat_acceleration(const void *compiled, const void *memory, int body) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    for (int i = 0; i < c->n_bodies; i++)
        if (c->bodies[i].body == body)
            return acceleration_of(m->bodies[i].fields[0] + B_W, m->bodies[i].rate + B_W);
    for (int i = 0; i < c->n_rods; i++)
        for (int k = 0; k < c->rods[i].n_elements; k++) {
            const element *e = &c->rods[i].elements[k];
            for (int j = 0; j < e->n_riders; j++)
                if (e->riders[j].body == body)
                    return acceleration_of(m->rods[i].ends[0] + 6 * k, m->rods[i].end_rate + 6 * k);
        }
    return vec6_zero();
}
