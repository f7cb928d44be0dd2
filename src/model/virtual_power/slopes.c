// model/virtual_power/slopes.c - mass, damping and stiffness of a chain of discs: as rigid bodies on a chain
// (chain_slopes.h), what subsegments answer to their own coordinates, and drives whose tension follows from their path.
#include <string.h>

#include "math/block.h"
#include "model/chain_slopes.h"
#include "model/virtual_power/virtual_power.h"

#define REACH 1e-5       // rad, of differences within a subsegment
#define RATE_REACH 1e-4  // rad/s

// ---------------------------------------------------------------- links
typedef struct disc_question {
    const arm *a;
    const disc_motion *discs;
    const double *accelerations;  // (n_q)
} disc_question;

static void frame_of(void *context, int i, const double *q, const double *v, chain_motion *out,
                     chain_columns B) {
    const disc_question *x = context;
    const chain *c = &x->a->chain;
    const disc_motion base = {.R = mat3_identity()};
    const local_motion m = move_locally(c->segments[i].length, c->per, q, v, false);
    const disc_motion d = move_disc(i ? &x->discs[i - 1] : &base, &m, c->per);
    *out = (chain_motion){d.R, d.p, d.turn, d.velocity, d.turn_rate, d.acceleration};
    for (int k = 0; k < c->per; k++) {
        const double by = x->accelerations[i * c->per + k];
        const vec3 turn = d.turn_by_q[k], shift = d.by_q[k];
        out->w_t = vec3_madd(out->w_t, by, turn);
        out->v_t = vec3_madd(out->v_t, by, shift);
        B[0][k] = turn.x, B[1][k] = turn.y, B[2][k] = turn.z;
        B[3][k] = shift.x, B[4][k] = shift.y, B[5][k] = shift.z;
    }
}

// ---------------------------------------------------------------- discs
// a^ b - b a^ + .., of R J R' under a turn: th x J x - J (th x x) = (J x^ - (J x)^) th
static mat3 turned_by(const mat3 *J, vec3 x) {
    const mat3 hat = mat3_hat(x), Jx = mat3_hat(mat3_mul_vec(J, x)), product = mat3_mul(J, &hat);
    return mat3_sub(&product, &Jx);
}

// What it takes to move a disc against its weight, see add_inertial, with lift = acceleration - gravity:
//
//     moment = J w' + w x J w + h x lift      force = w' x h + w x (w x h) + m lift
static void add_disc(const segment *s, vec3 gravity, chain_link *l) {
    const chain_motion *f = &l->frame;
    const vec3 h = mat3_mul_vec(&f->R, s->moment), lift = vec3_sub(f->v_t, gravity), w = f->w;
    const mat3 J = turned_inertia(&f->R, &s->inertia);
    const vec3 Jw = mat3_mul_vec(&J, w), wh = vec3_cross(w, h);
    vec3 moment = vec3_add(mat3_mul_vec(&J, f->w_t), vec3_cross(w, Jw));
    vec3 force = vec3_add(vec3_cross(f->w_t, h), vec3_cross(w, wh));
    moment = vec3_add(moment, vec3_cross(h, lift));
    l->wrench = (vec6){moment, vec3_madd(force, s->mass, lift)};
    const mat3 W = mat3_hat(w), W_t = mat3_hat(f->w_t), H = mat3_hat(h), lifted = mat3_hat(lift);
    const mat3 WH = mat3_mul(&W, &H), I = mat3_identity();
    // by turns
    const mat3 J_rate = turned_by(&J, f->w_t), J_spin = turned_by(&J, w);
    const mat3 gyro = mat3_mul(&W, &J_spin), weighed = mat3_mul(&lifted, &H);
    const mat3 swung = mat3_mul(&W_t, &H), spun = mat3_mul(&W, &WH);
    block33_add(l->by_motion, 0, 0, 1.0, &J_rate);
    block33_add(l->by_motion, 0, 0, 1.0, &gyro);
    block33_add(l->by_motion, 0, 0, 1.0, &weighed);
    block33_add(l->by_motion, 3, 0, -1.0, &swung);
    block33_add(l->by_motion, 3, 0, -1.0, &spun);
    // by angular velocities
    const mat3 WJ = mat3_mul(&W, &J), Jw_hat = mat3_hat(Jw), wh_hat = mat3_hat(wh);
    block33_add(l->by_velocity, 0, 0, 1.0, &WJ);
    block33_add(l->by_velocity, 0, 0, -1.0, &Jw_hat);
    block33_add(l->by_velocity, 3, 0, -1.0, &wh_hat);
    block33_add(l->by_velocity, 3, 0, -1.0, &WH);
    // by accelerations
    block33_add(l->by_rate, 0, 0, 1.0, &J);
    block33_add(l->by_rate, 0, 3, 1.0, &H);
    block33_add(l->by_rate, 3, 0, -1.0, &H);
    block33_add(l->by_rate, 3, 3, s->mass, &I);
}

static void add_loads(const arm *a, const situation *s, chain_link *links) {
    for (int i = 0; i < a->n_loads; i++) {
        const disc_load *load = &a->loads[i];
        chain_link *l = &links[load->disc];
        const point_now at = {&l->frame.R, l->frame.p, l->frame.v};
        double S[36];
        const vec6 w = load_at(&load->of, s->inputs, s->loads, &a->base, &at, S);
        l->wrench = vec6_sub(l->wrench, w);
        for (int k = 0; k < 36; k++) l->by_motion[k] -= S[k];
    }
}

static void add_touches(const arm *a, const arm_memory *m, bool moves, chain_link *links) {
    for (int i = 0; i < a->touch.n_points; i++) {
        const touch_now now = disc_touch(a, m, i, moves);
        point_slopes S = {{0.0}, {0.0}};
        const vec6 w = touch_in(&a->touch, &m->touch, i, &a->base.R, &now, &S).wrench;
        links[i].wrench = vec6_sub(links[i].wrench, w);
        for (int k = 0; k < 36; k++) links[i].by_motion[k] -= S.by_motion[k];
    }
}

static void add_surroundings(const arm *a, const arm_memory *m, const situation *s,
                             chain_link *links) {
    const surroundings around = surroundings_at(s->around, s->inputs, s->loads, &a->base);
    for (int i = 0; i < a->chain.n; i++) {
        const disc_motion *d = &m->discs[i];
        point_answer out = {.lost = 0.0};
        point_slopes S = {{0.0}, {0.0}};
        environment_add(vec3_zero(), &around, &a->chain.segments[i].around,
                        &(point_now){&d->R, d->p, d->velocity}, &out, &S);
        links[i].wrench = vec6_sub(links[i].wrench, out.wrench);
        for (int k = 0; k < 36; k++) {
            links[i].by_motion[k] -= S.by_motion[k];
            links[i].by_velocity[k] -= S.by_velocity[k];
        }
    }
}

// ---------------------------------------------------------------- subsegments
// Of core, rods and tensions that stay: forces (per) of subsegment i.
static void local_forces(const chain *c, const double *tensions, int i, const double *q,
                         const double *rates, double *Q) {
    memset(Q, 0, sizeof(double) * N_LOCAL);
    add_elastic_of(c, i, q + i * c->per, rates + i * c->per, Q);
    for (int j = 0; j < c->n_drives; j++) {
        double by_q[N_LOCAL];
        if (i >= c->drives[j].end || tensions[j] == 0.0) continue;
        path_gain(c, &c->drives[j], i, q, by_q);
        for (int k = 0; k < c->per; k++) Q[k] += tensions[j] * by_q[k];
    }
}

// x (n_q): q or rates, of which one changes by e and back.
static void add_local(const arm *a, const double *tensions, int i, double *q, double *rates,
                      double *x, double reach, double *to) {
    const chain *c = &a->chain;
    for (int k = i * c->per; k < (i + 1) * c->per; k++) {
        const double here = x[k], e = reach * a->unit[k];
        double less[N_LOCAL], more[N_LOCAL];
        x[k] = here - e, local_forces(c, tensions, i, q, rates, less);
        x[k] = here + e, local_forces(c, tensions, i, q, rates, more);
        x[k] = here;
        for (int r = 0; r < c->per; r++)
            to[(i * c->per + r) * c->n_q + k] -= (more[r] - less[r]) / (2.0 * e);
    }
}

// Where a path of given displacement grows, so does its tension.
static void add_answer(const arm *a, const drive *d, double by_length, const double *q, double *by,
                       double *K) {
    const chain *c = &a->chain;
    const int n = c->per * d->end;
    for (int i = 0; i < d->end; i++) path_gain(c, d, i, q, by + i * c->per);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) K[i * c->n_q + k] += by[i] * by[k] * by_length;
}

// ---------------------------------------------------------------- all of it
size_t slopes_size(const chain *c) {
    const size_t link = sizeof(chain_link) / sizeof(double) + 1;
    return link * (size_t)c->n + 4 * (size_t)c->n_q + N_LOCAL + (size_t)c->n_drives;
}

static bool chain_has_slopes(const chain *c) {
    const bool ideal = c->options.contact == TD_CONTACT_IDEAL || c->n_drives == 0;
    return ideal && !c->options.printed_omega;
}

bool arm_has_slopes(const arm *a) {
    return chain_has_slopes(&a->chain) || a->touch.n > 0;
}

// x (n_q): q or v, to which all forces but those of obstacles answer by -to.
static void add_differences(const arm *a, arm_memory *m, const situation *s, double *q, double *v,
                            double *x, double reach, double *less, double *to) {
    const int n = a->chain.n_q;
    situation alone = *s;
    const double *rates = s->law == SLIP_SLIDING ? v : NULL;
    alone.alone = true;
    for (int k = 0; k < n; k++) {
        const double here = x[k], e = reach * a->unit[k];
        x[k] = here - e, find_forces(a, m, &alone, q, rates);
        memcpy(less, m->Q, sizeof(double) * (size_t)n);
        x[k] = here + e, find_forces(a, m, &alone, q, rates);
        x[k] = here;
        for (int r = 0; r < n; r++) to[r * n + k] -= (m->Q[r] - less[r]) / (2.0 * e);
    }
}

void arm_slopes(const arm *a, arm_memory *m, const situation *s, const configuration *x, double *K,
                double *D, double *M, double *scratch) {
    const chain *c = &a->chain;
    const int n = c->n_q, per = c->per;
    chain_link *links = (chain_link *)(void *)scratch;
    double *q = scratch + (sizeof(chain_link) / sizeof(double) + 1) * (size_t)c->n;
    double *v = q + n, *by = v + n, *tensions = by + n + N_LOCAL;
    memcpy(q, x->q, sizeof(double) * (size_t)n);
    memcpy(v, x->v, sizeof(double) * (size_t)n);
    memset(K, 0, sizeof(double) * (size_t)(n * n));
    memset(D, 0, sizeof(double) * (size_t)(n * n));
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    const bool exact = chain_has_slopes(c);
    if (!exact) {
        add_differences(a, m, s, q, v, q, REACH, by, K);
        if (s->law == SLIP_SLIDING) add_differences(a, m, s, q, v, v, RATE_REACH, by, D);
        mass_matrix(c, m->discs, m->composites, M);
    }
    move_chain(c, q, v, m->discs);
    accelerate_chain(c, x->a, m->discs);
    disc_question question = {a, m->discs, x->a};
    for (int i = 0; i < c->n; i++) {
        const vec3 w = i ? m->discs[i - 1].turn : vec3_zero();
        chain_find(frame_of, &question, i, per, q + i * per, v + i * per, w, a->unit + i * per,
                   &links[i]);
        links[i].first = i == 0;
        if (exact) add_disc(&c->segments[i], vec3_scale(s->gravity, s->loads), &links[i]);
    }
    if (exact) add_loads(a, s, links);
    if (exact && s->around) add_surroundings(a, m, s, links);
    add_touches(a, m, s->law == SLIP_SLIDING, links);
    for (int j = 0; j < c->n_drives && exact; j++) {
        const drive *d = &c->drives[j];
        const effort_state now = drive_tension(a, d, s, q);
        tensions[j] = now.effort;
        if (now.by_measure != 0.0) add_answer(a, d, now.by_measure, q, by, K);
    }
    for (int i = 0; i < c->n && exact; i++) {
        add_local(a, tensions, i, q, v, q, REACH, K);
        add_local(a, tensions, i, q, v, v, 1.0, D);
    }
    chain_slopes(links, c->n, per, n, K, D, M);
}
