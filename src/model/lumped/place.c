// model/lumped/place.c - where the world holds nodes, and a first shape for the others.
#include "model/lumped/net.h"
#include "math/pi.h"

#define FAR_OFF 0.05  // of a rod's length: how far from its goal its rest shape may end

// ---------------------------------------------------------------- ends of segments
static end_motion end_on(const place *at, const node_state *x, const mat3 *R,
                         const node_state *turner, const mat3 *R_turner) {
    end_motion e = {*R, x->p, mat3_mul_vec(R, x->w), x->v};
    if (!at->apart) return e;
    vec3 arm = mat3_mul_vec(R, at->h.p);
    e.p = vec3_add(x->p, arm);
    e.v = vec3_add(x->v, vec3_cross(e.w, arm));
    if (turner) e.R = *R_turner, e.w = mat3_mul_vec(R_turner, turner->w);
    else e.R = mat3_mul(R, &at->h.R);
    return e;
}

end_motion end_of(const place *at, const node_state *x, const mat3 *R) {
    const int k = at->turner - 1;
    return end_on(at, &x[at->node], &R[at->node], k < 0 ? NULL : &x[k], k < 0 ? NULL : &R[k]);
}

end_motion end_at(const place *at, const node_state *x) {
    const node_state *turner = at->turner ? &x[at->turner - 1] : NULL;
    mat3 R = quat_to_mat3(x[at->node].q);
    mat3 R_turner = turner ? quat_to_mat3(turner->q) : mat3_identity();
    return end_on(at, &x[at->node], &R, turner, &R_turner);
}

// ---------------------------------------------------------------- held nodes
static node_state hold_node(const net *c, const solve_instant *at, int i, node_rates *rates) {
    const base_motion m =
        base_moved(&c->held[i - c->n_free], at->places, at->place_rates, at->place_accelerations);
    const mat3 *R = &m.pose.R;
    if (rates) *rates = (node_rates){m.w_t, mat3_mul_vec(R, m.v_t)};
    return (node_state){m.pose.p, quat_from_mat3(R), mat3_mul_vec(R, m.v), m.w};
}

void net_base(void *of, const solve_instant *at, int base, base_course *out) {
    const net *c = ((const net_memory *)of)->of;
    const base_motion m =
        base_moved(&c->held[base], at->places, at->place_rates, at->place_accelerations);
    *out = (base_course){m.pose, {m.w, m.v}, {m.w_t, vec3_sub(m.v_t, vec3_cross(m.w, m.v))}};
}

int net_carrier(void *of, int node, bool *turns) {
    const net *c = ((const net_memory *)of)->of;
    *turns = c->only_turns[node];
    return c->carrier[node];
}

void hold_nodes(const net *c, net_memory *m, const solve_instant *at) {
    for (int i = c->n_free; i < c->n_nodes; i++)
        m->trial[i] = hold_node(c, at, i, &m->trial_rates[i]);
    for (int i = 0; i < c->n_actuators; i++)
        m->given[i] = actuator_given(&c->actuators[i], at->inputs, at->shares[SHARE_DRIVES]);
    compose_lumps(c, m, at->inputs);
}

double jump_nodes(const net *c, net_memory *m, const solve_instant *at) {
    double work = 0.0;
    compose_lumps(c, m, at->inputs);
    for (int i = c->n_free; i < c->n_nodes; i++) {
        const node_state now = hold_node(c, at, i, NULL);
        node_state *x = &m->nodes[i];
        const mat3 R = quat_to_mat3(x->q);
        work -= lump_kinetic(&m->lumps[i], &R, x);
        x->v = now.v;
        x->w = now.w;
        work += lump_kinetic(&m->lumps[i], &R, x);
    }
    return work;
}

// ---------------------------------------------------------------- a first shape
static se3 pose_of(const node_state *x, const place *at) {
    const node_state *node = &x[at->node];
    se3 pose = {quat_to_mat3(node->q), node->p};
    return at->apart ? se3_mul(&pose, &at->h) : pose;
}

// An end that may turn begins as if it were clamped.
static void place_turner(const place *at, node_state *x) {
    se3 pose = pose_of(x, at);
    if (at->turner) x[at->turner - 1] = (node_state){.q = quat_from_mat3(&pose.R)};
}

static se3 across_rest(const net *c, const segment *s, const se3 *from) {
    return element_across(from, vec3_scale(vec3_load(s->rest), s->length),
                          vec3_scale(vec3_load(s->rest + 3), s->length), c->printed);
}

// How far the world has turned a node, in its own axes.
static vec3 turn_of_node(const net *c, int node, const double *inputs) {
    if (node < c->n_free) return vec3_zero();
    return numbers_at(c->held[node - c->n_free].rotation, inputs);
}

double turn_between(const net *c, const double *from, const double *to) {
    double most = 0.0;
    for (int i = c->n_free; i < c->n_nodes; i++)
        most = fmax(most, vec3_norm(vec3_sub(turn_of_node(c, i, to), turn_of_node(c, i, from))));
    for (int i = 0; i < c->n_bonds; i++) {
        const td_number *turn = c->bonds[i].frame.rotation;
        most = fmax(most, vec3_norm(vec3_sub(numbers_at(turn, to), numbers_at(turn, from))));
    }
    return most;
}

// Of the rotation vectors of `turn`, which differ by whole turns, the one nearest to `expected`.
static vec3 log_near(const mat3 *turn, vec3 expected) {
    const vec3 a = so3_log(turn);
    const double angle = vec3_norm(a), whole = 2.0 * PI;
    const vec3 axis = vec3_scale(angle > 0.0 ? a : expected,
                                 1.0 / fmax(1e-300, angle > 0.0 ? angle : vec3_norm(expected)));
    return vec3_madd(a, whole * round((vec3_dot(axis, expected) - angle) / whole), axis);
}

// A cubic between two ends, along their axes: pushed together a rod bows out, where a straight line would press it far
// beyond buckling.
#define CHORDS 256
#define LONGEST_REACH 8.0  // of a rod's length

typedef struct cubic {
    vec3 from, gap, a, b;  // a, b: its derivatives at its ends
} cubic;

static vec3 cubic_at(const cubic *c, double u) {
    vec3 p = vec3_madd(c->from, u * u * (3.0 - 2.0 * u), c->gap);
    p = vec3_madd(p, u * (1.0 - u) * (1.0 - u), c->a);
    return vec3_madd(p, u * u * (u - 1.0), c->b);
}

static vec3 cubic_slope(const cubic *c, double u) {
    vec3 t = vec3_scale(c->gap, 6.0 * u * (1.0 - u));
    t = vec3_madd(t, (1.0 - u) * (1.0 - 3.0 * u), c->a);
    return vec3_madd(t, u * (3.0 * u - 2.0), c->b);
}

// On from u, to where it is `length` away from there; 1: nowhere.
static double cubic_step(const cubic *c, double u, double length) {
    const vec3 p = cubic_at(c, u);
    double before = 0.0;
    while (u < 1.0) {
        const double next = fmin(1.0, u + 1.0 / CHORDS);
        const double away = vec3_norm(vec3_sub(cubic_at(c, next), p));
        if (away >= length) return u + (next - u) * (length - before) / (away - before);
        u = next, before = away;
    }
    return 1.0;
}

// The one along which the segments of a rod just fit, end to end: none is squeezed.
static cubic bow(const se3 *base, const se3 *goal, const net_rod *r, const segment *segments) {
    const vec3 a = mat3_column(&base->R, 2), b = mat3_column(&goal->R, 2);
    cubic c = {.from = base->p, .gap = vec3_sub(goal->p, base->p)};
    double low = 0.0, high = LONGEST_REACH * r->length;
    for (int i = 0; i < 30; i++) {
        const double reach = 0.5 * (low + high);
        double u = 0.0;
        c.a = vec3_scale(a, reach), c.b = vec3_scale(b, reach);
        for (int k = 0; k < r->n && u < 1.0; k++) u = cubic_step(&c, u, segments[k].length);
        if (u < 1.0) high = reach;
        else low = reach;
    }
    return c;
}

// At u, with the least turn into its direction.
static void put_on(const cubic *c, double u, node_state *x) {
    const vec3 t = cubic_slope(c, u);
    const vec3 z = quat_rotate(x->q, (vec3){0.0, 0.0, 1.0}), axis = vec3_cross(z, t);
    const double across = vec3_norm(axis), angle = atan2(across, vec3_dot(z, t));
    x->p = cubic_at(c, u);
    if (across > 0.0) x->q = quat_mul(quat_exp(vec3_scale(axis, angle / across)), x->q);
}

// What is missing at the far end of a rod that is held there is spread along; turns of its base too,
// which are counted from where the inputs do not turn it.
static void spread(const net *c, const net_rod *r, const double *inputs, const se3 *end,
                   node_state *x) {
    const segment *s = &c->segments[r->first], *last = s + r->n - 1;
    se3 goal = pose_of(x, &last->b), base = pose_of(x, &s->a);
    mat3 turn = mat3_tmul(&end->R, &goal.R), along = mat3_tmul(&end->R, &base.R);
    const vec3 back = vec3_scale(turn_of_node(c, s->a.node, inputs), -1.0);
    const vec3 turned = mat3_mul_vec(&along, back);  // in the axes of the far end
    mat3 undone = so3_exp(turned), before = mat3_tmul(&undone, &turn);
    vec3 missing = vec3_sub(goal.p, end->p);
    vec3 about = log_near(&turn, vec3_add(so3_log(&before), turned));
    const bool far = vec3_norm(missing) > FAR_OFF * r->length;
    const cubic bowed = far ? bow(&base, &goal, r, s) : (cubic){.from = base.p};
    double u = 0.0;
    for (; s < last; s++) {
        const double share = (s->s + s->length) / r->length;
        node_state *to = &x[s->b.node];
        to->p = vec3_madd(to->p, share, missing);
        to->q = quat_mul(to->q, quat_exp(vec3_scale(about, share)));
        if (!far) continue;
        u = cubic_step(&bowed, u, s->length);
        put_on(&bowed, u, to);
    }
}

// A rod in its rest shape from its base.
static void place_rod(const net *c, const net_rod *r, const double *inputs, node_state *x) {
    const segment *s = &c->segments[r->first], *last = s + r->n - 1;
    se3 at = pose_of(x, &s->a);
    place_turner(&s->a, x);
    if (!r->free_tip) place_turner(&last->b, x);
    for (; s <= last; s++) {
        at = across_rest(c, s, &at);
        if (s < last || r->free_tip)
            x[s->b.node] = (node_state){.p = at.p, .q = quat_from_mat3(&at.R)};
    }
    if (!r->free_tip) spread(c, r, inputs, &at, x);
}

// What a joint holds begins where that has it, before it turns or slides.
static void place_held(const bond *b, const double *inputs, node_state *x) {
    const se3 holder = {quat_to_mat3(x[b->holder].q), x[b->holder].p};
    se3 frame;
    bond_frame(b, inputs, &frame);
    const se3 at = se3_mul(&holder, &frame);
    x[b->held] = (node_state){.p = at.p, .q = quat_from_mat3(&at.R)};
}

void place_nodes(const net *c, const double *inputs, node_state *x) {
    for (int i = c->first_body; i < c->n_free; i++) {
        const se3 *start = &c->start[i - c->first_body];
        x[i] = (node_state){.p = start->p, .q = quat_from_mat3(&start->R)};
    }
    const solve_instant at = {.places = inputs};
    for (int i = c->n_free; i < c->n_nodes; i++) x[i] = hold_node(c, &at, i, NULL);
    for (int i = 0; i < c->n_bonds; i++) place_held(&c->bonds[i], inputs, x);
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        if (r->floats)
            x[c->segments[r->first].a.node] =
                (node_state){.p = r->start.p, .q = quat_from_mat3(&r->start.R)};
        place_rod(c, r, inputs, x);
    }
}
