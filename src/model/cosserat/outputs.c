// model/cosserat/outputs.c - what tendons, chambers and bodies do in the current shape.
#include <math.h>

#include "model/cosserat/scheme.h"

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
    int which;     // on its rod
    double ratio;  // of the rod's length as compiled to that of now: 1 unless it is fed
} running;

static bool find(const cosserat *c, const cosserat_memory *m, actuator_kind kind, int index,
                 running *out) {
    for (int i = 0; i < c->n_rods; i++)
        for (int k = 0; k < c->rods[i].n_actuators; k++) {
            const rod_actuator *ra = &c->rods[i].actuators[k];
            if (ra->a->kind != kind || ra->a->index != index) continue;
            const rod *now = rod_of_length(&c->rods[i], &m->rods[i], m->rods[i].lengths[0]);
            *out = (running){now, &m->rods[i], ra, k, c->rods[i].length / now->length};
            return true;
        }
    return false;
}

static vec3 strain_u(const station *st, const double *f) {
    return vec3_add(st->u_rest, vec3_load(f + F_U));
}

static vec3 strain_v(const station *st, const double *f) {
    return vec3_add(st->v_rest, vec3_load(f + F_V));
}

// The integral of the density along the actuator; with `stretch` that of the tendon's own stretch, in
// units of 1/EA, beside it.
static double measure(const running *on, bool counted, double *stretch) {
    double sum = 0.0, stretched = 0.0;
    const rod_actuator *ra = on->ra;
    for (int k = 0; k < ra->n_elements; k++) {
        const element *e = &on->r->elements[ra->first_element + k];
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i, at = node - ra->first_node;
            const station *st = &e->stations[i];
            const double *f = on->m->fields[0] + (size_t)node * F_SIZE;
            vec3 u = strain_u(st, f), v = strain_v(st, f);
            density d = counted ? actuator_counted(ra->a, &ra->at[at], u, v)
                                : actuator_density(ra->a, &ra->at[at], u, v);
            density rest = actuator_density(ra->a, &ra->at[at], st->u_rest, st->v_rest);
            sum += e->quadrature[i] * d.value;
            stretched += e->quadrature[i] * rest.value * on->m->tensions[ra->first_point + at];
        }
    }
    if (stretch) *stretch = stretched;
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

td_tendon_state cosserat_tendon(const void *compiled, const void *memory, int tendon) {
    running on;
    if (!find(compiled, memory, ACTUATOR_TENDON, tendon, &on)) return (td_tendon_state){0};
    const actuator *a = on.ra->a;
    double stretch, length = measure(&on, false, &stretch);
    td_tendon_state out = {.tension = start_effort(&on), .length = length};
    out.end_tension = tension_at(&on, a->to);
    out.slack = is_slack(on.ra, out.tension);
    if (out.slack) out.tension = 0.0;
    // what has come out at its start: path shortened, tendon stretched within and outside the rod
    out.displacement =
        a->rest - length + a->inverse_stiffness * stretch + a->compliance * out.tension;
    out.displacement -= (a->rest * a->inverse_stiffness + a->compliance) * a->pretension;
    if (a->control ==
        CONTROL_MEASURE)  // slack: the actuator's, which is more than the path asks for
        out.displacement = on.m->given_now[on.which] -
                           (a->rest * a->inverse_stiffness + a->compliance) * a->pretension;
    return out;
}

double cosserat_tension(const void *compiled, const void *memory, int tendon, double s) {
    running on;
    if (!find(compiled, memory, ACTUATOR_TENDON, tendon, &on)) return 0.0;
    s *= on.ratio;
    if (s < on.ra->a->from || s > on.ra->a->to) return 0.0;
    return tension_at(&on, s);
}

td_chamber_state cosserat_chamber(const void *compiled, const void *memory, int chamber) {
    running on;
    if (!find(compiled, memory, ACTUATOR_CHAMBER, chamber, &on)) return (td_chamber_state){0};
    td_chamber_state out = {.pressure = start_effort(&on), .volume = measure(&on, true, NULL)};
    if (on.ra->a->control == CONTROL_GAS) out.amount = on.m->given_now[on.which];
    return out;
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
