// model/lumped/relative.c - rods in relative coordinates: the motion of their nodes, and what their
// segments ask for.
#include "model/lumped/relative.h"

// ---------------------------------------------------------------- outwards
typedef struct frame {
    mat3 R;
    vec3 p, w, v;  // world, but w in the frame's axes
    vec3 w_t, v_t;
} frame;

// Given rates and accelerations (may be NULL) of the joint's coordinates.
static frame beyond(const frame *a, const joint *j, const double *accelerations) {
    vec3 w = mat3_tmul_vec(&j->R, a->w), turn_rate = j->turn_rate, p_tt = j->p_tt;
    if (accelerations) {
        turn_rate = vec3_add(turn_rate, mat3_mul_vec(&j->spin, vec3_load(accelerations)));
        for (int k = 0; k < PER; k++) p_tt = vec3_madd(p_tt, accelerations[k], j->p_by[k]);
    }
    frame b;
    b.R = mat3_mul(&a->R, &j->R);
    b.p = vec3_add(a->p, mat3_mul_vec(&a->R, j->p));
    b.w = vec3_add(w, j->turn);
    vec3 swing = vec3_cross(a->w, j->p);
    b.v = vec3_add(a->v, mat3_mul_vec(&a->R, vec3_add(swing, j->p_t)));
    vec3 w_t = mat3_tmul_vec(&j->R, a->w_t);
    b.w_t = vec3_add(vec3_add(w_t, vec3_cross(w, j->turn)), turn_rate);
    vec3 local = vec3_add(vec3_cross(a->w_t, j->p), vec3_cross(a->w, swing));
    local = vec3_add(vec3_madd(local, 2.0, vec3_cross(a->w, j->p_t)), p_tt);
    b.v_t = vec3_add(a->v_t, mat3_mul_vec(&a->R, local));
    return b;
}

void cross_joint(void *context, int i, const double *q, const double *v, chain_motion *far,
                 chain_columns B) {
    const joint_question *x = context;
    const net_memory *m = &x->m->net;
    const int node = m->of->segments[i].a.node;
    const node_state *n = &m->trial[node];
    const node_rates *t = &m->trial_rates[node];
    const frame near = {m->R[node], n->p, n->w, n->v, t->w, t->v};
    const joint j = joint_make((joint_kind)m->of->joints, q, v);
    const frame b = beyond(&near, &j, x->accelerations + PER * i);
    const mat3 spin = mat3_mul(&b.R, &j.spin);
    *far = (chain_motion){b.R, b.p, mat3_mul_vec(&b.R, b.w), b.v, mat3_mul_vec(&b.R, b.w_t), b.v_t};
    for (int k = 0; k < PER; k++) {
        const vec3 shift = mat3_mul_vec(&near.R, j.p_by[k]);
        for (int r = 0; r < 3; r++) B[r][k] = k < 3 ? spin.m[r][k] : 0.0;
        B[3][k] = shift.x, B[4][k] = shift.y, B[5][k] = shift.z;
    }
}

// A free base, whose coordinates are its own.
static void move_root(relative_memory *m, const net_rod *r, const configuration *x) {
    const net *c = m->net.of;
    const int at = root_place(c, r), node = root_node(c, r);
    const double *q = x->q + root_point(c, r);
    m->net.trial[node] = (node_state){.p = vec3_load(q), .q = quat_load(q + 3)};
    m->net.trial_rates[node] = (node_rates){vec3_zero(), vec3_zero()};
    if (x->v)
        put_twist(x->v + at, x->a ? x->a + at : NULL, &m->net.trial[node],
                  &m->net.trial_rates[node]);
}

// Sadati 2019 (2) from node to node.
static void move_rod(relative_memory *m, const net_rod *r, const configuration *x) {
    static const double still[PER] = {0.0};
    const net *c = m->net.of;
    const int base = c->segments[r->first].a.node;
    const node_state *n = &m->net.trial[base];
    const node_rates *t = &m->net.trial_rates[base];
    if (r->floats) move_root(m, r, x);
    frame f = {quat_to_mat3(n->q), n->p, n->w, n->v, t->w, t->v};
    for (int i = r->first; i < r->first + r->n; i++) {
        joint *j = &m->joints[i];
        const int node = c->segments[i].b.node;
        *j = joint_make((joint_kind)c->joints, x->q + PER * i, x->v ? x->v + PER * i : still);
        f = beyond(&f, j, x->v && x->a ? x->a + PER * i : NULL);
        m->net.trial[node] = (node_state){f.p, quat_from_mat3(&f.R), f.v, f.w};
        m->net.trial_rates[node] = (node_rates){f.w_t, f.v_t};
    }
}

void move_rods(relative_memory *m, const configuration *x) {
    for (int i = 0; i < m->net.of->n_rods; i++) move_rod(m, &m->net.of->rods[i], x);
}

// ---------------------------------------------------------------- segments
static vec6 strain_at(const segment *s, const double *q) {
    return vec6_scale(vec6_load(q), 1.0 / s->length);
}

void find_measures(relative_memory *m, const double *q) {
    net_memory *n = &m->net;
    const net *c = n->of;
    for (int i = 0; i < c->n_actuators; i++) n->measures[i] = 0.0;
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        const vec6 strain = strain_at(s, q + PER * i);
        for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
            const port *p = &n->ports[k];
            const actuator *a = &c->actuators[p->actuator];
            n->measures[p->actuator] +=
                p->swell * s->length * actuator_counted(a, &p->at, strain.a, strain.l).value;
        }
    }
}

// Sadati 2019 (7) with chi_b the coordinates themselves, T_b = 1: section II-F.
segment_wrench wrench_of(const net_job *j, int segment_index, const double *q,
                         const double *rates) {
    const net *c = j->c;
    const segment *s = &j->m->segments[segment_index];
    const vec6 strain = strain_at(s, q), rate = rates ? strain_at(s, rates) : vec6_zero();
    segment_wrench out = {0};
    out.wrench = material_wrench(j->m, s, strain, rate, &out.lost);
    out.lost *= s->length;
    for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
        const port *p = &j->m->ports[k];
        const actuator *a = &c->actuators[p->actuator];
        const density d = actuator_density(a, &p->at, strain.a, strain.l);
        const double pull = a->sign * p->swell * effort_of(j, p->actuator);
        out.wrench = vec6_add(out.wrench, vec6_scale(d.slope, pull));
        if (!is_rigid_string(c, p->actuator))
            out.given -= pull * s->length * vec6_dot(d.slope, rate);
    }
    return out;
}

void add_wrenches(const net_job *j, const configuration *x) {
    double *out = ((relative_memory *)j->m)->residual;
    for (int i = 0; i < j->c->n_segments; i++, out += PER) {
        const segment_wrench w = wrench_of(j, i, x->q + PER * i, x->v ? x->v + PER * i : NULL);
        vec6_store(out, vec6_add(vec6_load(out), w.wrench));
        j->m->lost += w.lost;
        j->m->given_power += w.given;
    }
}

// ---------------------------------------------------------------- a base that jumps
// From the motion of the node at the near end of a joint; false: its coordinates are singular.
static bool find_rates(const joint *j, const node_state *a, const node_state *b, double *rates) {
    mat3 R = quat_to_mat3(a->q), by_turn, by_extent;
    mat3 extent = mat3_from_columns(j->p_by[3], j->p_by[4], j->p_by[5]);
    if (!mat3_inverse(&j->spin, &by_turn) || !mat3_inverse(&extent, &by_extent)) return false;
    vec3 turn = mat3_mul_vec(&by_turn, vec3_sub(b->w, mat3_tmul_vec(&j->R, a->w)));
    vec3 p_t = vec3_sub(mat3_tmul_vec(&R, vec3_sub(b->v, a->v)), vec3_cross(a->w, j->p));
    vec3_store(rates, turn);
    for (int k = 0; k < 3; k++) p_t = vec3_madd(p_t, -rates[k], j->p_by[k]);
    vec3_store(rates + 3, mat3_mul_vec(&by_extent, p_t));
    return true;
}

void keep_velocities(relative_memory *m) {
    static const double still[PER] = {0.0};
    const net *c = m->net.of;
    for (int i = 0; i < c->n_rods; i++) {
        const int first = c->rods[i].first;
        const segment *s = &c->segments[first];
        const node_state *now = &m->net.trial[s->a.node], *kept = &m->net.nodes[s->a.node];
        if (c->rods[i].floats) continue;
        vec3 v = vec3_sub(now->v, kept->v), w = vec3_sub(now->w, kept->w);
        if (vec3_dot(v, v) + vec3_dot(w, w) == 0.0) continue;
        joint j = joint_make((joint_kind)c->joints, m->net.solve.q + PER * first, still);
        find_rates(&j, now, &m->net.nodes[s->b.node], m->net.solve.v + PER * first);
    }
}
