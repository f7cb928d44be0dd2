// model/lumped/relative.c - what a motion in relative coordinates asks for: outwards the motion of
// the nodes, inwards their wrenches, projected on the joints.
#include "model/lumped/relative.h"

#include <string.h>

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

static void store_node(relative_memory *m, int node, const frame *f) {
    m->net.trial[node] = (node_state){f->p, quat_from_mat3(&f->R), f->v, f->w};
    m->shadow[node] = (node_state){.v = vec3_sub(f->v, f->v_t), .w = vec3_sub(f->w, f->w_t)};
}

static void move_rod(const net *c, relative_memory *m, const situation *at, const net_rod *r,
                     const double *q, const double *rates, const double *accelerations) {
    static const double still[PER] = {0.0};
    const int base = c->segments[r->first].a.node;
    const node_state *x = &m->net.trial[base];
    frame f = {.R = quat_to_mat3(x->q), .p = x->p, .w = x->w, .v = x->v};
    if (at->c0 > 0.0) {
        f.v_t = vec3_scale(vec3_sub(x->v, at->before[base].v), at->c0);
        f.w_t = vec3_scale(vec3_sub(x->w, at->before[base].w), at->c0);
    }
    m->shadow[base] = (node_state){.v = vec3_sub(f.v, f.v_t), .w = vec3_sub(f.w, f.w_t)};
    for (int i = r->first; i < r->first + r->n; i++) {
        joint *j = &m->joints[i];
        *j = joint_make((joint_kind)c->joints, q + PER * i, rates ? rates + PER * i : still);
        f = beyond(&f, j, accelerations ? accelerations + PER * i : NULL);
        store_node(m, c->segments[i].b.node, &f);
    }
}

// ---------------------------------------------------------------- segments
static vec6 strain_at(const segment *s, const double *q) {
    return vec6_scale(vec6_load(q), 1.0 / s->length);
}

static void find_efforts(const net *c, relative_memory *m, const double *q) {
    net_memory *n = &m->net;
    for (int i = 0; i < c->n_actuators; i++) n->measures[i] = 0.0;
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        vec6 strain = strain_at(s, q + PER * i);
        for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
            const port *p = &n->ports[k];
            const actuator *a = &c->actuators[p->actuator];
            n->measures[p->actuator] +=
                p->swell * s->length * actuator_counted(a, &p->at, strain.a, strain.l).value;
        }
    }
    n->slack = 0;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        bool known = c->unknown[i] < 0;
        n->trial_efforts[i] = known ? n->given[i] : effort_at(a, n->given[i], n->measures[i]);
        n->slack += !known && actuator_is_slack(a, n->trial_efforts[i]);
    }
}

// The wrench conjugate to the coordinates of a segment, added to out.
static void add_segment(const net *c, net_memory *n, const segment *s, const double *q,
                        const double *rates, double *out) {
    vec6 strain = strain_at(s, q), rate = rates ? strain_at(s, rates) : vec6_zero();
    double w[6], lost = 0.0;
    vec6 sum = material_wrench(s, strain, rate, &lost);
    for (int k = s->first_port; k < s->first_port + s->n_ports; k++) {
        const port *p = &n->ports[k];
        const actuator *a = &c->actuators[p->actuator];
        density d = actuator_density(a, &p->at, strain.a, strain.l);
        double pull = a->sign * p->swell * n->trial_efforts[p->actuator];
        sum = vec6_add(sum, vec6_scale(d.slope, pull));
        n->given_power -= pull * s->length * vec6_dot(d.slope, rate);
    }
    vec6_store(w, sum);
    for (int i = 0; i < PER; i++) out[i] += w[i];
    n->lost += lost * s->length;
}

// ---------------------------------------------------------------- inwards
static void project_rod(const net *c, relative_memory *m, const net_rod *r) {
    net_memory *n = &m->net;
    vec6 sum = vec6_zero();
    for (int i = r->first + r->n - 1; i >= r->first; i--) {
        const segment *s = &c->segments[i];
        const joint *j = &m->joints[i];
        const mat3 *Ra = &n->R[s->a.node], *Rb = &n->R[s->b.node];
        sum = vec6_add(sum, vec6_load(n->r + 6 * s->b.node));
        vec3 moment = mat3_tmul_vec(Rb, sum.a), force = mat3_tmul_vec(Ra, sum.l);
        vec3 about = mat3_tmul_vec(&j->spin, moment);
        vec3_store(m->residual + PER * i, about);
        for (int k = 0; k < PER; k++)
            m->residual[PER * i + k] =
                (k < 3 ? m->residual[PER * i + k] : 0.0) + vec3_dot(force, j->p_by[k]);
        vec3 arm = vec3_sub(n->trial[s->b.node].p, n->trial[s->a.node].p);
        sum.a = vec3_add(sum.a, vec3_cross(arm, sum.l));
    }
    const int base = c->segments[r->first].a.node;
    sum = vec6_add(sum, vec6_load(n->r + 6 * base));
    n->given_power += vec3_dot(sum.l, n->trial[base].v) +
                      vec3_dot(sum.a, mat3_mul_vec(&n->R[base], n->trial[base].w));
}

void project_forces(const net *c, relative_memory *m) {
    for (int i = 0; i < c->n_rods; i++) project_rod(c, m, &c->rods[i]);
}

void move_nodes(const net *c, relative_memory *m, const situation *at, const double *q) {
    for (int i = 0; i < c->n_rods; i++) move_rod(c, m, at, &c->rods[i], q, NULL, NULL);
}

void ask_forces(const net *c, relative_memory *m, const situation *at, const double *q,
                const double *rates, const double *accelerations) {
    net_memory *n = &m->net;
    for (int i = 0; i < c->n_rods; i++) move_rod(c, m, at, &c->rods[i], q, rates, accelerations);
    situation now = *at;
    now.before = m->shadow;
    now.c0 = accelerations ? 1.0 : 0.0;
    assemble_nodes(c, n, &now, n->trial);
    find_efforts(c, m, q);
    project_forces(c, m);
    for (int i = 0; i < c->n_segments; i++)
        add_segment(c, n, &n->segments[i], q + PER * i, rates ? rates + PER * i : NULL,
                    m->residual + PER * i);
}

void keep_nodes(const net *c, relative_memory *m, const situation *at) {
    hold_nodes(c, &m->net, at, m->net.trial);
    ask_forces(c, m, at, m->q, m->rates, NULL);
    memcpy(m->net.nodes, m->net.trial, sizeof(node_state) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_actuators; i++) m->net.efforts[i] = m->net.trial_efforts[i];
}

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

void keep_velocities(const net *c, relative_memory *m, const situation *at) {
    static const double still[PER] = {0.0};
    hold_nodes(c, &m->net, at, m->net.trial);
    for (int i = 0; i < c->n_rods; i++) {
        const int first = c->rods[i].first;
        const segment *s = &c->segments[first];
        const node_state *now = &m->net.trial[s->a.node], *kept = &m->net.nodes[s->a.node];
        vec3 v = vec3_sub(now->v, kept->v), w = vec3_sub(now->w, kept->w);
        if (vec3_dot(v, v) + vec3_dot(w, w) == 0.0) continue;
        joint j = joint_make((joint_kind)c->joints, m->q + PER * first, still);
        find_rates(&j, now, &m->net.nodes[s->b.node], m->rates + PER * first);
    }
}
