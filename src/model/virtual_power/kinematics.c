// model/virtual_power/kinematics.c - Eqs. 6 to 19, without the singularity of a straight robot.
#include "model/virtual_power/chain.h"

// The series of c6 and c7, and down from there by c_k = 1/k! - x c_{k+2}. A subsegment that bends
// by more than a radian and a half takes more terms: the series always converges.
void stumpff(double x, double c[8]) {
    static const double inverse_factorial[] = {1.0,        1.0,         1.0 / 2.0,   1.0 / 6.0,
                                               1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0};
    double even = inverse_factorial[6], odd = inverse_factorial[7];
    c[6] = even;
    c[7] = odd;
    for (int k = 8; k < 80; k += 2) {
        even *= -x / (double)(k * (k - 1));
        odd *= -x / (double)(k * (k + 1));
        c[6] += even;
        c[7] += odd;
        if (fabs(even) <= 1e-18 * fabs(c[6])) break;
    }
    for (int k = 5; k >= 0; k--) c[k] = inverse_factorial[k] - x * c[k + 2];
}

// Slopes and second derivatives by x: c_k' = (k c_{k+2} - c_{k+1})/2.
typedef struct stumpff_slopes {
    double c0, c1, c2, c3;  // values
    double s0, s1, s2, s3;  // slopes
    double b0, b1, b2;      // second derivatives
} stumpff_slopes;

static stumpff_slopes slopes_of(double x) {
    double c[8];
    stumpff(x, c);
    double s4 = 0.5 * (4.0 * c[6] - c[5]);
    stumpff_slopes s = {.c0 = c[0], .c1 = c[1], .c2 = c[2], .c3 = c[3]};
    s.s0 = -0.5 * c[1];
    s.s1 = 0.5 * (c[3] - c[2]);
    s.s2 = 0.5 * (2.0 * c[4] - c[3]);
    s.s3 = 0.5 * (3.0 * c[5] - c[4]);
    s.b0 = -0.5 * s.s1;
    s.b1 = 0.5 * (s.s3 - s.s2);
    s.b2 = 0.5 * (2.0 * s4 - s.s3);
    return s;
}

typedef struct bend {  // of one subsegment: curvatures, their rates, and x = theta^2 with its rates
    double L, b, g, b_t, g_t;
    double x_t, x_tt, x_b, x_g;
    stumpff_slopes s;
} bend;

static bend bend_of(double L, const double *q, const double *rates) {
    bend d = {.L = L, .b = q[0], .g = q[1], .b_t = rates[0], .g_t = rates[1]};
    double L2 = L * L;
    d.x_b = 2.0 * L2 * d.b;
    d.x_g = 2.0 * L2 * d.g;
    d.x_t = d.x_b * d.b_t + d.x_g * d.g_t;
    d.x_tt = 2.0 * L2 * (d.b_t * d.b_t + d.g_t * d.g_t);
    d.s = slopes_of(L2 * (d.b * d.b + d.g * d.g));
    return d;
}

// Eq. 10 with its third column corrected: I + L c1 W^ + L^2 c2 W^ W^, W = (-gamma, beta, 0).
static mat3 rotation(const bend *d) {
    double a = d->L * d->s.c1, e = d->L * d->L * d->s.c2;
    double b = d->b, g = d->g;
    return (mat3){{{1.0 - e * b * b, -e * b * g, a * b},
                   {-e * b * g, 1.0 - e * g * g, a * g},
                   {-a * b, -a * g, 1.0 - e * (b * b + g * g)}}};
}

// Eq. 9 and its derivatives.
static void position(const bend *d, local_motion *m) {
    const stumpff_slopes *s = &d->s;
    double L = d->L, L2 = L * L, b = d->b, g = d->g;
    m->p = vec3_make(L2 * b * s->c2, L2 * g * s->c2, L * s->c1);
    m->by_q[0] =
        vec3_make(L2 * (s->c2 + b * s->s2 * d->x_b), L2 * g * s->s2 * d->x_b, L * s->s1 * d->x_b);
    m->by_q[1] =
        vec3_make(L2 * b * s->s2 * d->x_g, L2 * (s->c2 + g * s->s2 * d->x_g), L * s->s1 * d->x_g);
    double c2_t = s->s2 * d->x_t, c2_tt = s->b2 * d->x_t * d->x_t + s->s2 * d->x_tt;
    double c1_tt = s->b1 * d->x_t * d->x_t + s->s1 * d->x_tt;
    m->acceleration = vec3_make(L2 * (2.0 * d->b_t * c2_t + b * c2_tt),
                                L2 * (2.0 * d->g_t * c2_t + g * c2_tt), L * c1_tt);
}

// In place of Eq. 12, which leaves out that a frame spins about its tangent while its bending plane
// turns: omega = L (-gamma', beta', 0) + w (L^3 c3 (beta, gamma, 0) + L^2 c2 e3) with
// w = beta gamma' - gamma beta', whose own rate is 0 when q'' is.
static void turning(const bend *d, local_motion *m) {
    const stumpff_slopes *s = &d->s;
    double L = d->L, L2 = L * L, L3 = L2 * L, b = d->b, g = d->g;
    vec3 a = vec3_make(L3 * s->c3 * b, L3 * s->c3 * g, L2 * s->c2);
    m->turn_by_q[0] = vec3_madd(vec3_make(0.0, L, 0.0), -g, a);
    m->turn_by_q[1] = vec3_madd(vec3_make(-L, 0.0, 0.0), b, a);
    double w = b * d->g_t - g * d->b_t, c3_t = s->s3 * d->x_t;
    m->turn_rate = vec3_make(w * L3 * (c3_t * b + s->c3 * d->b_t),
                             w * L3 * (c3_t * g + s->c3 * d->g_t), w * L2 * s->s2 * d->x_t);
}

// Eq. 12 as printed: omega = t x t', with t the tangent at the far end.
static void turning_as_printed(const bend *d, local_motion *m) {
    const stumpff_slopes *s = &d->s;
    double L = d->L, b = d->b, g = d->g;
    vec3 t = vec3_make(L * s->c1 * b, L * s->c1 * g, s->c0);
    vec3 t_b = vec3_make(L * (s->c1 + b * s->s1 * d->x_b), L * g * s->s1 * d->x_b, s->s0 * d->x_b);
    vec3 t_g = vec3_make(L * b * s->s1 * d->x_g, L * (s->c1 + g * s->s1 * d->x_g), s->s0 * d->x_g);
    double c1_t = s->s1 * d->x_t, c1_tt = s->b1 * d->x_t * d->x_t + s->s1 * d->x_tt;
    vec3 t_tt =
        vec3_make(L * (2.0 * d->b_t * c1_t + b * c1_tt), L * (2.0 * d->g_t * c1_t + g * c1_tt),
                  s->b0 * d->x_t * d->x_t + s->s0 * d->x_tt);
    m->turn_by_q[0] = vec3_cross(t, t_b);
    m->turn_by_q[1] = vec3_cross(t, t_g);
    m->turn_rate = vec3_cross(t, t_tt);
}

// The twist turns the far end about its own tangent.
static void twist(double tau, double tau_t, local_motion *m) {
    vec3 x = mat3_column(&m->R, 0), y = mat3_column(&m->R, 1), t = mat3_column(&m->R, 2);
    double c = cos(tau), s = sin(tau);
    m->R =
        mat3_from_columns(vec3_madd(vec3_scale(x, c), s, y), vec3_madd(vec3_scale(y, c), -s, x), t);
    m->by_q[2] = vec3_zero();
    m->turn_by_q[2] = t;
    m->turn_rate = vec3_madd(m->turn_rate, tau_t, vec3_cross(m->turn, t));
    m->turn = vec3_madd(m->turn, tau_t, t);
}

local_motion move_locally(double length, int per, const double *q, const double *rates,
                          bool printed_omega) {
    bend d = bend_of(length, q, rates);
    local_motion m;
    m.R = rotation(&d);
    position(&d, &m);
    if (printed_omega) turning_as_printed(&d, &m);
    else turning(&d, &m);
    m.velocity = vec3_madd(vec3_scale(m.by_q[0], d.b_t), d.g_t, m.by_q[1]);
    m.turn = vec3_madd(vec3_scale(m.turn_by_q[0], d.b_t), d.g_t, m.turn_by_q[1]);
    if (per == 3) twist(q[2], rates[2], &m);
    return m;
}

// Eqs. 13 to 19, with q'' = 0.
disc_motion move_disc(const disc_motion *near, const local_motion *m, int per) {
    disc_motion d;
    const mat3 *R = &near->R;
    vec3 arm = mat3_mul_vec(R, m->p), v = mat3_mul_vec(R, m->velocity);
    vec3 w = mat3_mul_vec(R, m->turn);
    d.R = mat3_mul(R, &m->R);
    d.p = vec3_add(near->p, arm);
    d.turn = vec3_add(near->turn, w);
    d.velocity = vec3_add(near->velocity, vec3_add(vec3_cross(near->turn, arm), v));
    d.turn_rate = vec3_add(vec3_add(near->turn_rate, vec3_cross(near->turn, w)),
                           mat3_mul_vec(R, m->turn_rate));
    vec3 swung = vec3_cross(near->turn, vec3_cross(near->turn, arm));
    d.acceleration = vec3_add(near->acceleration, vec3_cross(near->turn_rate, arm));
    d.acceleration = vec3_madd(vec3_add(d.acceleration, swung), 2.0, vec3_cross(near->turn, v));
    d.acceleration = vec3_add(d.acceleration, mat3_mul_vec(R, m->acceleration));
    for (int k = 0; k < per; k++) {
        d.by_q[k] = mat3_mul_vec(R, m->by_q[k]);
        d.turn_by_q[k] = mat3_mul_vec(R, m->turn_by_q[k]);
    }
    return d;
}

void move_chain(const chain *c, const double *q, const double *rates, disc_motion *discs) {
    static const double still[N_LOCAL] = {0.0, 0.0, 0.0};
    const disc_motion base = {.R = mat3_identity()};
    for (int i = 0; i < c->n; i++) {
        const double *q_t = rates ? rates + i * c->per : still;
        local_motion m = move_locally(c->segments[i].length, c->per, q + i * c->per, q_t,
                                      c->options.printed_omega);
        discs[i] = move_disc(i ? &discs[i - 1] : &base, &m, c->per);
    }
}

void accelerate_chain(const chain *c, const double *accelerations, disc_motion *discs) {
    vec3 turn = vec3_zero(), linear = vec3_zero(), before = vec3_zero();
    for (int i = 0; i < c->n; i++) {
        disc_motion *d = &discs[i];
        linear = vec3_add(linear, vec3_cross(turn, vec3_sub(d->p, before)));
        for (int k = 0; k < c->per; k++) {
            double a = accelerations[i * c->per + k];
            turn = vec3_madd(turn, a, d->turn_by_q[k]);
            linear = vec3_madd(linear, a, d->by_q[k]);
        }
        d->turn_rate = vec3_add(d->turn_rate, turn);
        d->acceleration = vec3_add(d->acceleration, linear);
        before = d->p;
    }
}
