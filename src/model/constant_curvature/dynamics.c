// model/constant_curvature/dynamics.c - virtual work of inertia and wrenches, and the mass matrix.
//
// Along a segment velocities are linear in (1, A, A', B, B') and accelerations in (1, A, 2A', A',
// A'', B, 2B', B', B''), so that inertia needs only their integrals (Eqs. 12 to 18, with dm = M
// dx). Inertia of the sections against rotation is summed by Gauss's rule.
#include "model/constant_curvature/chain.h"

static bool has_rotary(const segment *s) {
    return s->rotary[0] > 0.0 || s->rotary[1] > 0.0 || s->rotary[2] > 0.0;
}

// ---------------------------------------------------------------- a wrench at a point of a segment
typedef struct base_sum {  // on its way to the base: what a segment and all beyond carry
    vec3 moment, force;    // at the segment's base
    double Q[N_LOCAL];     // of the segment's own coordinates
} base_sum;

static void add_at_point(const arc_motion *m, const arc_point *p, vec3 moment, vec3 force,
                         base_sum *sum) {
    vec3 arm = vec3_sub(p->at.p, m->base.p);
    sum->moment = vec3_add(sum->moment, vec3_add(moment, vec3_cross(arm, force)));
    sum->force = vec3_add(sum->force, force);
    for (int k = 0; k < N_LOCAL; k++)
        sum->Q[k] += vec3_dot(p->turn_by_q[k], moment) + vec3_dot(p->by_q[k], force);
}

// Forces (1, A, A', B, B') conjugate to the five parts of the velocity.
static void add_spread(const arc_motion *m, const vec3 F[N_ROWS], base_sum *sum) {
    const mat3 *R = &m->base.R;
    vec3 along_u = mat3_mul_vec(R, vec3_make(m->u[0], m->u[1], 0.0));
    double by_t = vec3_dot(m->a, F[2]) + vec3_dot(m->b, F[4]);
    for (int k = 0; k < 2; k++)
        sum->Q[k] += m->l * vec3_dot(mat3_column(R, k), F[3]) + 2.0 * m->u[k] * by_t;
    sum->Q[2] += vec3_dot(mat3_column(R, 2), F[1]) + vec3_dot(along_u, F[3]);
    sum->force = vec3_add(sum->force, F[0]);
    vec3 moment = vec3_add(vec3_cross(m->a, F[1]), vec3_cross(m->b, F[3]));
    sum->moment = vec3_add(sum->moment, moment);
}

static vec3 diagonal_times(const mat3 *R, const double J[3], double share, vec3 v) {
    vec3 d = vec3_mul(vec3_scale(vec3_load(J), share), mat3_tmul_vec(R, v));
    return mat3_mul_vec(R, d);
}

// ---------------------------------------------------------------- inertia
static void add_segment(double mass, const arc_motion *m, base_sum *sum) {
    const vec3 h[N_COLUMNS] = {m->base.acceleration,
                               m->a_tt,
                               vec3_scale(m->a_t, m->t_t),
                               vec3_scale(m->a, m->t_tt),
                               vec3_scale(m->a, m->t_t * m->t_t),
                               m->b_tt,
                               vec3_scale(m->b_t, m->t_t),
                               vec3_scale(m->b, m->t_tt),
                               vec3_scale(m->b, m->t_t * m->t_t)};
    vec3 F[N_ROWS];
    for (int i = 0; i < N_ROWS; i++) {
        F[i] = vec3_zero();
        for (int j = 0; j < N_COLUMNS; j++) F[i] = vec3_madd(F[i], m->integrals.Q[i][j], h[j]);
        F[i] = vec3_scale(F[i], -mass);
    }
    add_spread(m, F, sum);
}

static void add_rotary(const chain *c, const segment *s, const arc_motion *m, base_sum *sum) {
    const section_rule *rule = arc_rule(c, m);
    for (int k = 0; k < rule->n; k++) {
        arc_point p = arc_point_at(m, rule->x[k]);
        const frame_motion *f = &p.at;
        vec3 momentum = diagonal_times(&f->R, s->rotary, rule->weight[k], f->turn);
        vec3 n = vec3_add(diagonal_times(&f->R, s->rotary, rule->weight[k], f->turn_rate),
                          vec3_cross(f->turn, momentum));
        add_at_point(m, &p, vec3_neg(n), vec3_zero(), sum);
    }
}

static void add_rider(const rider *r, const arc_motion *m, base_sum *sum) {
    arc_point p = arc_point_at(m, r->x);
    const frame_motion *f = &p.at;
    vec3 h = mat3_mul_vec(&f->R, r->moment);
    vec3 momentum = mat3_turned_mul_vec(&f->R, &r->inertia, f->turn);
    vec3 n = vec3_add(mat3_turned_mul_vec(&f->R, &r->inertia, f->turn_rate),
                      vec3_cross(f->turn, momentum));
    n = vec3_add(n, vec3_cross(h, f->acceleration));
    vec3 force = vec3_add(vec3_cross(f->turn_rate, h), vec3_cross(f->turn, vec3_cross(f->turn, h)));
    force = vec3_madd(force, r->mass, f->acceleration);
    add_at_point(m, &p, vec3_neg(n), vec3_neg(force), sum);
}

static void add_load(const point_load *load, vec6 w, const arc_motion *m, base_sum *sum) {
    arc_point p = arc_point_at(m, load->x);
    if (load->follows) {
        w.a = mat3_mul_vec(&p.at.R, w.a);
        w.l = mat3_mul_vec(&p.at.R, w.l);
    }
    add_at_point(m, &p, w.a, w.l, sum);
}

vec6 arcs_add_inertia(const chain *c, const arc_motion *arcs, const vec6 *wrenches, double *Q) {
    int r = c->n_riders - 1, w = wrenches ? c->n_loads - 1 : -1;
    base_sum sum = {0};
    for (int i = c->n - 1; i >= 0; i--) {
        const arc_motion *m = &arcs[i];
        base_sum beyond = sum;
        sum = (base_sum){0};
        add_at_point(m, &m->end, beyond.moment, beyond.force, &sum);
        add_segment(arc_mass(c, i, m), m, &sum);
        if (has_rotary(&c->segments[i])) add_rotary(c, &c->segments[i], m, &sum);
        for (; r >= 0 && c->riders[r].segment == i; r--) add_rider(&c->riders[r], m, &sum);
        for (; w >= 0 && c->loads[w].segment == i; w--)
            add_load(&c->loads[w], wrenches[w], m, &sum);
        for (int k = 0; k < c->per; k++) Q[i * c->per + k] += sum.Q[k];
    }
    return (vec6){sum.moment, sum.force};
}

// ---------------------------------------------------------------- energy
double arcs_kinetic_energy(const chain *c, const arc_motion *arcs) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const arc_motion *m = &arcs[i];
        const vec3 v[N_ROWS] = {m->base.velocity, m->a_t, vec3_scale(m->a, m->t_t), m->b_t,
                                vec3_scale(m->b, m->t_t)};
        static const int column[N_ROWS] = {0, 1, 3, 5, 7};
        for (int j = 0; j < N_ROWS; j++)
            for (int k = 0; k < N_ROWS; k++)
                sum +=
                    0.5 * arc_mass(c, i, m) * m->integrals.Q[j][column[k]] * vec3_dot(v[j], v[k]);
        if (!has_rotary(&c->segments[i])) continue;
        const section_rule *rule = arc_rule(c, m);
        for (int k = 0; k < rule->n; k++) {
            frame_motion f = arc_point_at(m, rule->x[k]).at;
            vec3 momentum = diagonal_times(&f.R, c->segments[i].rotary, rule->weight[k], f.turn);
            sum += 0.5 * vec3_dot(f.turn, momentum);
        }
    }
    for (int r = 0; r < c->n_riders; r++) {
        const rider *b = &c->riders[r];
        frame_motion f = arc_point_at(&arcs[b->segment], b->x).at;
        vec3 h = mat3_mul_vec(&f.R, b->moment);
        sum += 0.5 * b->mass * vec3_dot(f.velocity, f.velocity) +
               vec3_dot(f.velocity, vec3_cross(f.turn, h)) +
               0.5 * vec3_dot(f.turn, mat3_turned_mul_vec(&f.R, &b->inertia, f.turn));
    }
    return sum;
}

double arcs_weight_energy(const chain *c, const arc_motion *arcs, vec3 gravity) {
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        const arc_motion *m = &arcs[i];
        vec3 centre = vec3_madd(m->base.p, m->integrals.Q[0][1], m->a);
        centre = vec3_madd(centre, m->integrals.Q[0][5], m->b);
        sum -= arc_mass(c, i, m) * vec3_dot(gravity, centre);
    }
    for (int r = 0; r < c->n_riders; r++) {
        const rider *b = &c->riders[r];
        frame_motion f = arc_point_at(&arcs[b->segment], b->x).at;
        const point_body body = {.mass = b->mass, .moment = b->moment};
        sum += environment_energy(gravity, &body, &(point_now){.R = &f.R, .p = f.p});
    }
    return sum;
}
