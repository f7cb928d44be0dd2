// model/lumped/assemble.c - the balance of every node, and how it answers to small motions.
//
// Motions are turns and shifts (th, dp) in world axes. In a step twists follow them (screw.c): with
// the weights (q, v, a) of a matrix, S = own and Q = by_turn of node_follow, velocities in the world
// change by
//
//     dw = (v S - q w^) th,     dv = v S dp + (v Q - q v^) th        (hats of w, v in the world)
//
// and against the twists themselves by v R.
#include <string.h>

#include "math/block.h"
#include "model/lumped/net.h"

// ---------------------------------------------------------------- material
void less_rest(const segment *s, vec6 strain, double x[6]) {
    vec6_store(x, strain);
    for (int i = 0; i < 6; i++) x[i] -= s->rest[i];
}

// Of Sadati 2019 (7): k (chi - chi_0) and the damping of the rate, without its transpose (errata, Eq. 7).
vec6 material_wrench(const net_memory *m, const segment *s, vec6 strain, vec6 rate, double *lost) {
    const law_past past = segment_past(m, s);
    double x[6], r[6], w[6], damped[6];
    less_rest(s, strain, x);
    vec6_store(r, rate);
    law_elastic(&s->law, &past, x, w);
    law_viscous(&s->law, r, damped);
    for (int i = 0; i < 6; i++) w[i] += damped[i], *lost += damped[i] * r[i];
    if (law_remembers(&s->law)) *lost += law_flow(&s->law, &past, x, r);
    return vec6_load(w);
}

// ---------------------------------------------------------------- the world
vec3 gravity_at(const net *c, const double *inputs, double share) {
    return environment_gravity(&c->around, inputs, share);
}

void compose_lumps(const net *c, net_memory *m, const double *inputs) {
    memcpy(m->lumps, c->lumps, sizeof(lump) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_riders; i++) {
        const rider *from = &c->riders[i];
        lump *to = &m->lumps[from->node];
        double share = number_value(from->attached, inputs);
        mat3 inertia = mat3_scale(&from->lump.inertia, share);
        to->mass += share * from->lump.mass;
        to->moment = vec3_madd(to->moment, share, from->lump.moment);
        to->inertia = mat3_add(&to->inertia, &inertia);
    }
}

// ---------------------------------------------------------------- segments
typedef struct law {  // of one segment: wrench, and how it answers
    vec6 wrench;
    double stiffness[36], damping[36];
} law;

double effort_of(const net_job *j, int which) {
    return j->c->unknown[which] < 0 ? j->m->given[which] : j->efforts[which];
}

// Strains v count as `ease` times what they are: energy E(u, ease v).
static void ease_stiffness(double ease, double K[36]) {
    for (int i = 0; i < 6 && ease < 1.0; i++)
        for (int k = 0; k < 6; k++) K[6 * i + k] *= (i < 3 ? 1.0 : ease) * (k < 3 ? 1.0 : ease);
}

static void add_material(const net_job *j, const segment *s, vec6 strain, vec6 rate, law *out) {
    const double l = s->length, ease = sqrt(j->at->shares[SHARE_STRETCH]);
    const vec3 rest = vec3_load(s->rest + 3);
    double x[6], r[6], lost = 0.0;
    if (ease < 1.0) strain.l = vec3_madd(rest, ease, vec3_sub(strain.l, rest));
    out->wrench = material_wrench(j->m, s, strain, rate, &lost);
    if (ease < 1.0) out->wrench.l = vec3_scale(out->wrench.l, ease);
    j->m->lost += lost * l;
    if (!j->w) return;
    less_rest(s, strain, x);
    vec6_store(r, rate);
    const law_past past = segment_past(j->m, s);
    law_stiffness(&s->law, &past, x, out->stiffness);
    law_viscosity(&s->law, r, out->damping);
    const double part = 1.0 / l;
    for (int i = 0; i < 36; i++) out->stiffness[i] *= part, out->damping[i] *= part;
    ease_stiffness(ease, out->stiffness);
}

static void arrive_at(const net_memory *m, const place *at, double *out, vec6 w) {
    double *to = out + 6 * at->node;
    if (at->turner) {
        double *turner = out + 6 * (at->turner - 1);
        vec3_store(turner, vec3_add(vec3_load(turner), w.a));
        w.a = vec3_zero();
    }
    if (at->apart) {
        vec3 arm = mat3_mul_vec(&m->R[at->node], at->h.p);
        w.a = vec3_add(w.a, vec3_cross(arm, w.l));
    }
    vec3_store(to, vec3_add(vec3_load(to), w.a));
    vec3_store(to + 3, vec3_add(vec3_load(to + 3), w.l));
}

void add_ends(const net_memory *m, const segment *s, const element_ends *ends, double *out) {
    arrive_at(m, &s->a, out, ends->a);
    arrive_at(m, &s->b, out, ends->b);
}

// The slope of an unknown effort's measure against the motions of the nodes.
void add_slope(const net_job *j, const segment *s, const element_ends *ends, int unknown) {
    add_ends(j->m, s, ends, j->m->slopes + (size_t)unknown * 6 * (size_t)j->c->n_nodes);
}

// w_u of Sadati 2019 (7), which acts against elasticity: print has it with the same sign (errata, Eq. 7).
static void add_actuation(const net_job *j, const segment *s, const element *e, vec6 strain,
                          vec6 rate, law *out) {
    for (int i = s->first_port; i < s->first_port + s->n_ports; i++) {
        const port *p = &j->m->ports[i];
        const actuator *a = &j->c->actuators[p->actuator];
        density d = actuator_density(a, &p->at, strain.a, strain.l);
        double pull = a->sign * p->swell * effort_of(j, p->actuator);
        out->wrench = vec6_add(out->wrench, vec6_scale(d.slope, pull));
        if (!is_rigid_string(j->c, p->actuator))
            j->m->given_power -= pull * s->length * vec6_dot(d.slope, rate);
        if (j->w) density_add_curvature(a, &p->at, &d, pull / s->length, out->stiffness);
        density counted = actuator_counted(a, &p->at, strain.a, strain.l);
        j->m->measures[p->actuator] += p->swell * s->length * counted.value;
        int unknown = j->c->unknown[p->actuator];
        if (unknown < 0 || !j->w) continue;
        const element_ends ends = element_pull(e, vec6_scale(d.slope, p->swell));
        add_slope(j, s, &ends, unknown);
    }
}

static law law_of(const net_job *j, const segment *s, const element *e) {
    const double part = 1.0 / s->length;
    vec6 strain = {vec3_scale(e->phi, part), vec3_scale(e->eps, part)};
    vec6 rate = {vec3_scale(e->phi_t, part), vec3_scale(e->eps_t, part)};
    law out = {.wrench = vec6_zero()};
    add_material(j, s, strain, rate, &out);
    add_actuation(j, s, e, strain, rate, &out);
    return out;
}

// ---------------------------------------------------------------- the matrix
// What a motion of a node does to an end on it: motion P, velocity V (6 x 6 each).
typedef struct following {
    int node, end;              // end: 0 or 6, its rows among the twelve
    bool turns, shifts, apart;  // it gives the end its rotation, its place, at the end of an arm
    double P[36], V[36];
} following;

// c0, where velocities follow the motions as in a step; 0: each for itself, S = 1.
static double stage_of(const net_job *j) {
    return j->w->v != 0.0 ? j->at->cv : 0.0;
}

void find_follow(const net_job *j) {
    net_memory *m = j->m;
    if (!j->w || !j->moves) return;
    for (int i = 0; i < j->c->n_free; i++)
        m->follow[i] = j->by_velocity  ? (node_follow){m->R[i], mat3_zero(), m->R[i]}
                       : j->step > 0.0 ? middle_follow(&m->R[i], &j->x[i], j->at->cv)
                                       : screw_follow(&m->R[i], &j->x[i], stage_of(j));
}

// d(velocity in the world)/d(motion of the node), see above.
typedef struct velocity_slopes {
    mat3 turn, carried, shift;  // of w by th, of v by th, of v by dp
} velocity_slopes;

// v m - q x^
static mat3 less_turned(double v, const mat3 *m, double q, vec3 x) {
    const mat3 scaled = mat3_scale(m, v), hat = mat3_hat(vec3_scale(x, q));
    return mat3_sub(&scaled, &hat);
}

static velocity_slopes slopes_of(const net_job *j, int node) {
    const node_follow *f = &j->m->follow[node];
    const node_state *x = &j->x[node];
    const double v = j->w->v, q = j->w->q;
    return (velocity_slopes){less_turned(v, &f->own, q, mat3_mul_vec(&j->m->R[node], x->w)),
                             less_turned(v, &f->by_turn, q, x->v), mat3_scale(&f->shift, v)};
}

void node_velocity_slopes(const net_job *j, int node, int column, vec3 *w, vec3 *v) {
    *w = *v = vec3_zero();
    if (node >= j->c->n_free) return;
    const velocity_slopes Y = slopes_of(j, node);
    if (column < 3) *w = mat3_column(&Y.turn, column);
    *v = column < 3 ? mat3_column(&Y.carried, column) : mat3_column(&Y.shift, column - 3);
}

static void follow_turn(following *f, const velocity_slopes *Y) {
    f->turns = true;
    for (int i = 0; i < 3; i++) f->P[7 * i] = 1.0;
    if (Y) block33_put(f->V, 0, 0, &Y->turn);
}

static void follow_shift(following *f, const net_job *j, const place *at, const node_state *x,
                         const mat3 *R, const velocity_slopes *Y) {
    f->shifts = true;
    f->apart = at->apart;
    for (int i = 3; i < 6; i++) f->P[7 * i] = 1.0;
    if (Y) block33_put(f->V, 3, 0, &Y->carried);
    if (Y) block33_put(f->V, 3, 3, &Y->shift);
    if (!at->apart) return;
    mat3 arm = mat3_hat(vec3_neg(mat3_mul_vec(R, at->h.p)));
    block33_put(f->P, 3, 0, &arm);
    if (!Y) return;
    mat3 spin = mat3_hat(vec3_scale(mat3_mul_vec(R, x->w), j->w->q));
    mat3 turned = mat3_mul(&arm, &Y->turn), carried = mat3_mul(&spin, &arm);
    mat3 both = mat3_add(&turned, &carried), all = mat3_add(&both, &Y->carried);
    block33_put(f->V, 3, 0, &all);
}

// The node of an end, and the one whose rotation it has where that is another; returns how many.
static int follow_end(const net_job *j, const place *at, int end, bool damped, following f[2]) {
    const int nodes[2] = {at->node, at->turner - 1}, n = at->turner ? 2 : 1;
    for (int i = 0; i < n; i++) {
        const node_state *x = &j->x[nodes[i]];
        const mat3 *R = &j->m->R[nodes[i]];
        velocity_slopes now;
        const velocity_slopes *Y = NULL;
        if (damped && nodes[i] < j->c->n_free) now = slopes_of(j, nodes[i]), Y = &now;
        memset(&f[i], 0, sizeof f[i]);
        f[i].node = nodes[i];
        f[i].end = end;
        if (i == n - 1) follow_turn(&f[i], Y);
        if (i == 0) follow_shift(&f[i], j, at, x, R, Y);
    }
    return n;
}

// The same for an end in a node itself: P = 1, and a shift turns nothing.
static void columns_in_node(const double *K, const double *D, const following *f, bool moving,
                            double *out) {
    const double *V = f->V, *shift = f->V + 18;
    for (int i = 0; i < 6; i++, K += 12, D += 12, out += 6) {
        for (int k = 0; k < 6; k++) out[k] = K[k];
        for (int k = 0; k < 3 && moving; k++)
            out[k] += D[0] * V[k] + D[1] * V[6 + k] + D[2] * V[12 + k];
        for (int k = 0; k < 6 && moving; k++)
            out[k] += D[3] * shift[k] + D[4] * shift[6 + k] + D[5] * shift[12 + k];
    }
}

// out (6 x 6) = K P + D V for the columns of one end, from rows of the 12 x 12.
static void columns_of(const double *K, const double *D, int row, int column, const following *f,
                       bool moving, double *out) {
    K += 12 * row + column;
    D += 12 * row + column;
    if (f->turns && f->shifts && !f->apart) {
        columns_in_node(K, D, f, moving, out);
        return;
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            double sum = 0.0;
            for (int l = 0; l < 6; l++) sum += K[12 * i + l] * f->P[6 * l + k];
            for (int l = 0; l < 6 && moving; l++) sum += D[12 * i + l] * f->V[6 * l + k];
            out[6 * i + k] = sum;
        }
}

// block += P' x
static void add_rows(const following *f, const double *x, double *block) {
    for (int i = 0; i < BLOCK / 2 && f->turns; i++) block[i] += x[i];
    for (int i = BLOCK / 2; i < BLOCK && f->shifts; i++) block[i] += x[i];
    for (int i = 0; i < 3 && f->apart; i++)
        for (int l = 3; l < 6; l++)
            for (int k = 0; k < 6; k++) block[6 * i + k] += f->P[6 * l + i] * x[6 * l + k];
}

// The arm of an end turns with its node: (th x arm) x force.
static void add_arm(const net_memory *m, const place *at, vec3 force, double *block) {
    if (!at->apart) return;
    mat3 arm = mat3_hat(mat3_mul_vec(&m->R[at->node], at->h.p)), f = mat3_hat(force);
    mat3 both = mat3_mul(&f, &arm);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) block[6 * i + k] += both.m[i][k];
}

// weight: of what the shape does.
static void add_segment_tangent(const net_job *j, const segment *s, const element *e, const law *l,
                                const element_ends *ends, double weight) {
    const bool damped = j->moves && law_is_viscous(&s->law);
    double K[144], D[144], x[36];
    element_tangent(e, l->wrench, l->stiffness, l->damping, K, damped ? D : NULL);
    for (int i = 0; i < 144 && weight != 1.0; i++) K[i] *= weight;
    following f[4];
    int n = follow_end(j, &s->a, 0, damped, f);
    n += follow_end(j, &s->b, 6, damped, f + n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (f[i].node >= j->c->n_free || f[k].node >= j->c->n_free) continue;
            int block =
                n == 2 ? s->block[2 * i + k] : block_at(&j->c->pattern, f[i].node, f[k].node);
            columns_of(K, D, f[i].end, f[k].end, &f[k], damped, x);
            add_rows(&f[i], x, j->to.a + (size_t)block * BLOCK);
        }
    if (s->a.node < j->c->n_free)
        add_arm(j->m, &s->a, vec3_scale(ends->a.l, weight), j->to.a + (size_t)s->a.node * BLOCK);
    if (s->b.node < j->c->n_free)
        add_arm(j->m, &s->b, vec3_scale(ends->b.l, weight), j->to.a + (size_t)s->b.node * BLOCK);
}

void add_segment(const net_job *j, const segment *s) {
    const net_memory *m = j->m;
    end_motion a = end_of(&s->a, j->x, m->R), b = end_of(&s->b, j->x, m->R);
    element e = element_make(&a, &b, j->c->printed);
    law l = law_of(j, s, &e);
    element_ends ends = element_pull(&e, l.wrench);
    add_ends(m, s, &ends, j->m->r);
    if (j->w && (j->w->q != 0.0 || j->w->v != 0.0))
        add_segment_tangent(j, s, &e, &l, &ends, j->w->q);
}

// Ends that turn in joints and free bodies are held by springs of EI/L, see tangent_weights.
static void add_springs(const net_job *j) {
    const net *c = j->c;
    const double turn = j->w->own * c->stiffest / c->size, shift = turn / (c->size * c->size);
    for (int i = 0; i < c->n_free; i++) {
        if (i < c->first_body && !c->only_turns[i]) continue;
        double *own = j->to.a + (size_t)i * BLOCK;
        for (int k = 0; k < 3; k++) own[7 * k] += turn;
        for (int k = 3; k < 6 && !c->only_turns[i]; k++) own[7 * k] += shift;
    }
}

void assemble_material(const net_job *j) {
    const net *c = j->c;
    net_memory *m = j->m;
    clear_matrix(j);
    find_frames(j);
    for (int i = 0; i < c->n_segments; i++) {
        const segment *s = &m->segments[i];
        end_motion a = end_of(&s->a, j->x, m->R), b = end_of(&s->b, j->x, m->R);
        element e = element_make(&a, &b, c->printed);
        law l = {.wrench = vec6_zero()};
        element_ends none = {vec6_zero(), vec6_zero()};
        law_stiffness(&s->law, NULL, (const double[6]){0.0}, l.stiffness);
        for (int k = 0; k < 36; k++) l.stiffness[k] /= s->length;
        ease_stiffness(sqrt(j->at->shares[SHARE_STRETCH]), l.stiffness);
        add_segment_tangent(j, s, &e, &l, &none, j->w->own);
    }
    if (j->w->held) add_springs(j);
}

// ---------------------------------------------------------------- nodes
static void add_node(const net_job *j, int i, vec3 gravity) {
    net_memory *m = j->m;
    const bool mean = j->step > 0.0 && i < j->c->n_free;
    const node_rates *t = j->rates && !mean ? &j->rates[i] : NULL;
    vec6 w = inertial_wrench(&m->lumps[i], &m->R[i], &j->x[i], t, gravity);
    if (mean) w = vec6_add(w, mean_wrench(&m->lumps[i], &m->starts[i], &j->x[i], j->step));
    arrive_at(m, &(place){.node = i}, m->r, w);
    if (!j->w || i >= j->c->n_free) return;
    double *block = j->to.a + (size_t)i * BLOCK;
    add_inertial_tangent(&m->lumps[i], &m->R[i], &j->x[i], t, j->w, mean ? NULL : &m->follow[i],
                         gravity, block);
    if (mean)
        add_mean_tangent(&m->lumps[i], &m->starts[i], &m->R[i], &j->x[i], j->step, &m->follow[i],
                         block);
}

// block -= q by_motion + by_velocity d(velocity)/d(motion)
static void add_surrounding_slopes(const net_job *j, int i, const point_slopes *s) {
    double *block = j->to.a + (size_t)i * BLOCK;
    for (int k = 0; k < 36; k++) block[k] -= j->w->q * s->by_motion[k];
    if (!j->moves) return;
    const velocity_slopes Y = slopes_of(j, i);
    for (int row = 0; row < 6; row++) {
        const vec3 by = vec3_load(s->by_velocity + 6 * row + 3);
        double *turn = block + 6 * row, *shift = turn + 3;
        vec3_store(turn, vec3_sub(vec3_load(turn), mat3_tmul_vec(&Y.carried, by)));
        vec3_store(shift, vec3_sub(vec3_load(shift), mat3_tmul_vec(&Y.shift, by)));
    }
}

// What acts on the rod around a node; weight comes with inertia.
static void add_surroundings(const net_job *j, const surroundings *around, int i) {
    net_memory *m = j->m;
    const point_now now = {&m->R[i], j->x[i].p, j->x[i].v};
    const bool tangent = j->w && i < j->c->n_free;
    point_answer out = {.lost = 0.0};
    point_slopes slopes;
    if (tangent) memset(&slopes, 0, sizeof slopes);
    environment_add(vec3_zero(), around, &j->c->wet[i], &now, &out, tangent ? &slopes : NULL);
    arrive_at(m, &(place){.node = i}, m->r, vec6_neg(out.wrench));
    m->lost += out.lost;
    m->given_power += out.given;
    if (tangent) add_surrounding_slopes(j, i, &slopes);
}

// A slope of the wrench at an end, as one of the wrench at its node: with the arm A of the end, P' S P,
// P = (1, 0; -A, 1).
static void add_end_slope(const net_memory *m, const place *at, double S[36], double factor,
                          double *block) {
    if (at->apart) {
        const mat3 A = mat3_hat(mat3_mul_vec(&m->R[at->node], at->h.p));
        for (int i = 0; i < 6; i++)  // columns of turns: - S_shift A
            for (int k = 0; k < 3; k++)
                for (int n = 0; n < 3; n++) S[6 * i + k] -= S[6 * i + 3 + n] * A.m[n][k];
        for (int i = 0; i < 3; i++)  // rows of moments: + A S_force
            for (int k = 0; k < 6; k++)
                for (int n = 0; n < 3; n++) S[6 * i + k] += A.m[i][n] * S[6 * (3 + n) + k];
    }
    for (int i = 0; i < 36; i++) block[i] += factor * S[i];
}

void put_wrench(const net_job *j, const place *at, vec6 w, double *S) {
    double *block = j->to.a + (size_t)at->node * BLOCK;
    arrive_at(j->m, at, j->m->r, vec6_neg(w));
    if (!j->w || at->node >= j->c->n_free) return;
    add_arm(j->m, at, vec3_scale(w.l, -j->w->q), block);
    if (S) add_end_slope(j->m, at, S, -j->w->q, block);
}

static void add_load(const net_job *j, const node_load *load) {
    const double share = load->share * j->at->shares[SHARE_LOADS];
    net_memory *m = j->m;
    const int node = load->at.node;
    const bool answers = j->w && node < j->c->n_free && load_answers(&load->of);
    const end_motion end = end_of(&load->at, j->x, m->R);
    double S[36];
    const vec6 w = load_at(&load->of, j->at->inputs, share, NULL,
                           &(point_now){&end.R, end.p, end.v}, answers ? S : NULL);
    put_wrench(j, &load->at, w, answers ? S : NULL);
    m->given_power += vec3_dot(w.l, end.v) + vec3_dot(w.a, end.w);
}

// The fluid that moves along with a node.
static void add_wet(const net_job *j, vec3 current, int i) {
    net_memory *m = j->m;
    const vec3 added = j->c->added[i];
    const node_rates still = {vec3_zero(), vec3_zero()}, *t = j->rates ? &j->rates[i] : &still;
    if (vec3_dot(added, added) == 0.0) return;
    const vec6 w = wet_wrench(added, current, &m->R[i], &j->x[i], t);
    arrive_at(m, &(place){.node = i}, m->r, w);
    m->given_power -= vec3_dot(w.l, current);
    if (j->w && i < j->c->n_free)
        add_wet_tangent(added, current, &m->R[i], &j->x[i], t, j->w,
                        j->moves ? &m->follow[i] : NULL, j->to.a + (size_t)i * BLOCK);
}

// What acts on bodies by their pose.
static void add_around_bodies(const net_job *j, const surroundings *around) {
    for (int i = 0; i < j->c->n_bodies; i++) {
        const point_body *b = &j->c->wet_bodies[i];
        const double share = number_value(j->c->attached[i], j->at->inputs);
        if (point_body_is_plain(b) || share == 0.0) continue;
        const end_motion end = end_of(&j->c->bodies[i], j->x, j->m->R);
        point_answer out = {.lost = 0.0};
        point_slopes slopes = {{0.0}, {0.0}};
        environment_add(vec3_zero(), around, b, &(point_now){&end.R, end.p, end.v}, &out,
                        j->w ? &slopes : NULL);
        for (int k = 0; k < 36; k++) slopes.by_motion[k] *= share;
        put_wrench(j, &j->c->bodies[i], vec6_scale(out.wrench, share),
                   j->w ? slopes.by_motion : NULL);
    }
}

// J of what acts beside weight, or (by) W as it changes with inputs.
double net_surrounding_energy(const net *c, const node_state *x, const double *inputs,
                              const surroundings *around, const surroundings *by) {
    double sum = 0.0;
    for (int i = 0; i < c->n_nodes + c->n_bodies; i++) {
        const bool body = i >= c->n_nodes;
        const place at = body ? c->bodies[i - c->n_nodes] : (place){.node = i};
        const point_body *b = body ? &c->wet_bodies[i - c->n_nodes] : &c->wet[i];
        if (point_body_is_plain(b)) continue;
        const double share = body ? number_value(c->attached[i - c->n_nodes], inputs) : 1.0;
        const end_motion end = end_at(&at, x);
        const point_now now = {&end.R, end.p, end.v};
        sum += share *
               (by ? surrounding_power(around, by, b, &now) : surrounding_energy(around, b, &now));
    }
    return sum;
}

// What the world does by moving the nodes that it holds.
static void add_held_power(const net_job *j) {
    net_memory *m = j->m;
    for (int i = j->c->n_free; i < j->c->n_nodes; i++) {
        vec6 w = vec6_load(m->r + 6 * i);
        m->given_power +=
            vec3_dot(w.a, mat3_mul_vec(&m->R[i], j->x[i].w)) + vec3_dot(w.l, j->x[i].v);
    }
}

bool is_rigid_string(const net *c, int i) {
    const actuator *a = &c->actuators[i];
    return c->unknown[i] >= 0 && a->pulls_only && a->yield == 0.0;
}

// m/s, that it is pulled out.
static double string_rate(const net_job *j, int i) {
    const actuator *a = &j->c->actuators[i];
    const double given = number_rate(a->value, j->at->input_rates);
    if (!actuator_is_driven(a) || !j->at->engines) return given;
    const engine_stage *s = &j->at->engines[a->engine.index];
    const double w = engine_at(&a->engine, j->m->given[i], s, j->efforts[i]).y[Y_SPEED];
    return a->engine.ratio * w;
}

// What does not stretch passes on what its drive does, also where it snaps taut.
static void add_string_power(const net_job *j, int i) {
    if (j->at->input_rates && is_rigid_string(j->c, i))
        j->m->given_power += j->efforts[i] * string_rate(j, i);
}

supply supply_of(const net_job *j, int i) {
    return actuator_supply(&j->c->actuators[i], j->m->given[i], j->at->shares[SHARE_DRIVES],
                           j->at->engines);
}

double effort_at(const net_job *j, int i) {
    const actuator *a = &j->c->actuators[i];
    const double given = j->m->given[i], measure = j->m->measures[i];
    if (actuator_is_driven(a))
        return actuator_driven(a, supply_of(j, i), a->yield, 0.0, measure).effort;
    if (a->control == CONTROL_GAS) return given * a->gas_energy / measure - a->atmosphere;
    const double effort = a->sign * (measure - actuator_asked(a, given)) / a->yield;
    return a->pulls_only ? fmax(0.0, effort) : effort;
}

// Row and column k of the border, see tangent_weights.
static void add_border(const net_job *j, const balance *b, double sign, int k) {
    const net *c = j->c;
    const int rows = 6 * c->n_free, n = c->n_border;
    const double *slopes = j->m->slopes + (size_t)k * 6 * (size_t)c->n_nodes, q = j->w->q;
    const bool idle = b->by_measure == 0.0;
    if (idle && j->w->symmetric) {
        j->to.W[k * n + k] = -q;
        return;
    }
    const double turn = j->w->symmetric ? sign / b->by_measure : 1.0;
    double *U = j->to.U + (size_t)k * (size_t)rows, *V = j->to.V + (size_t)k * (size_t)rows;
    for (int i = 0; i < rows; i++) {
        U[i] = q * sign * slopes[i];
        V[i] = q * turn * b->by_measure * slopes[i];
    }
    j->to.W[k * n + k] = q * turn * b->by_effort;
}

void balance_effort(const net_job *j, int i) {
    const int k = j->c->unknown[i];
    const actuator *a = &j->c->actuators[i];
    net_memory *m = j->m;
    if (k < 0) return;
    balance b = actuator_balance(a, supply_of(j, i), j->efforts[i], m->measures[i]);
    m->gap[k] = b.residual;
    m->slack += b.slack;
    add_string_power(j, i);
    if (j->w && !j->at->soft) add_border(j, &b, a->sign, k);
}

size_t net_matrix_size(const net *c) {
    const size_t n = (size_t)c->n_border, rows = 6 * (size_t)c->n_free;
    return BLOCK * (size_t)blocks_of(&c->pattern) + n * (2 * rows + n);
}

net_matrix net_matrix_at(const net *c, double *matrix) {
    const size_t n = (size_t)c->n_border, rows = 6 * (size_t)c->n_free;
    net_matrix x = {.a = matrix};
    if (!matrix) return x;
    x.U = matrix + BLOCK * (size_t)blocks_of(&c->pattern);
    x.V = x.U + n * rows;
    x.W = x.V + n * rows;
    return x;
}

void clear_matrix(const net_job *j) {
    const net *c = j->c;
    if (!j->w) return;
    memset(j->to.a, 0, sizeof(double) * net_matrix_size(c));
    if (c->n_unknown)
        memset(j->m->slopes, 0, sizeof(double) * 6 * (size_t)c->n_nodes * (size_t)c->n_unknown);
}

void clear_forces(const net_job *j) {
    const net *c = j->c;
    net_memory *m = j->m;
    memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
    if (c->n_actuators) memset(m->measures, 0, sizeof(double) * (size_t)c->n_actuators);
    m->lost = m->given_power = 0.0;
    m->slack = 0;
}

void find_frames(const net_job *j) {
    for (int i = 0; i < j->c->n_nodes; i++) j->m->R[i] = quat_to_mat3(j->x[i].q);
}

// W, of a gravity that changes while the nodes are where they are.
static void add_weight_power(const net_job *j, const surroundings *around) {
    net_memory *m = j->m;
    if (!j->at->input_rates) return;
    const vec3 change = environment_gravity_rate(&j->c->around, j->at->input_rates);
    for (int i = 0; i < j->c->n_nodes; i++) {
        const lump *b = &m->lumps[i];
        vec3 moment = vec3_madd(mat3_mul_vec(&m->R[i], b->moment), b->mass, j->x[i].p);
        m->given_power -= vec3_dot(change, moment);
    }
    if (!around) return;
    const surroundings by = surroundings_rate(&j->c->around, j->at->inputs, j->at->input_rates,
                                              j->at->shares[SHARE_LOADS], NULL);
    m->given_power += net_surrounding_energy(j->c, j->x, j->at->inputs, around, &by);
}

void add_nodes(const net_job *j) {
    const net *c = j->c;
    const double share = j->at->shares[SHARE_LOADS];
    const vec3 gravity = gravity_at(c, j->at->inputs, share);
    const bool calm = environment_is_uniform(&c->around);
    surroundings around;
    if (!calm) around = surroundings_at(&c->around, j->at->inputs, share, NULL);
    for (int i = 0; i < c->n_nodes; i++) {
        add_node(j, i, gravity);
        if (!calm) add_surroundings(j, &around, i);
        if (!calm) add_wet(j, around.current, i);
    }
    if (!calm) add_around_bodies(j, &around);
    for (int i = 0; i < c->n_loads; i++) add_load(j, &c->loads[i]);
    if (c->touch.n) add_touches(j);
    if (c->contacts.n) add_part_contacts(j);
    add_weight_power(j, calm ? NULL : &around);
}

element_ends segment_pull(const net *c, net_memory *m, const segment *s) {
    static const solve_instant whole = {.shares = ALL_SHARES};
    const net_job j = {.c = c, .m = m, .at = &whole, .x = m->nodes, .efforts = m->efforts};
    const end_motion a = end_at(&s->a, m->nodes), b = end_at(&s->b, m->nodes);
    const element e = element_make(&a, &b, c->printed);
    m->elapsed = 0.0;
    return element_pull(&e, law_of(&j, s, &e).wrench);
}

// Sadati 2019 (6), with all on one side: in absolute states T of the nodes is 1.
void assemble(const net_job *j) {
    clear_matrix(j);
    clear_forces(j);
    find_frames(j);
    find_follow(j);
    for (int i = 0; i < j->c->n_segments; i++) add_segment(j, &j->m->segments[i]);
    add_nodes(j);
    add_pivots(j);
    add_bonds(j);
    add_held_power(j);
    for (int i = 0; i < j->c->n_actuators; i++) balance_effort(j, i);
}
