// model/virtual_power/contact.c - what rods and tendons do to the discs.
//
// A rod without mass is in equilibrium under its tension at the base and at its end, the forces of
// the discs that it passes, and friction there. The forces are found by least squares; for arcs of
// almost constant curvature they are nearly undetermined, which a small damping settles. Signs:
// tension is positive where it pulls, a displacement where the rod is pulled out of the base.
#include <float.h>
#include <string.h>

#include "math/symmetric.h"
#include "math/positive.h"
#include "model/virtual_power/chain.h"

#define STRAIGHT 1e-12  // 1/m, Eq. 35 has no direction below
#define STEPS 60        // of Laguerre's iteration: 4 or 5 are enough where eigenvalues are apart
#define SPREAD 1e-6     // m, over which static friction grows to its full size

// ---------------------------------------------------------------- length of the path
// Any routing, with twist: the strain along the arc is u = Rz(-tau x)(-gamma, beta, 0) + tau/L e3.
#define NODES 4
static const double gauss_x[NODES] = {0.069431844202973712, 0.33000947820757187,
                                      0.66999052179242813, 0.93056815579702629};
static const double gauss_w[NODES] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                      0.17392742256872693};

static double curved_gain(const drive *d, const segment *s, int per, const double *q,
                          double *by_q) {
    double gain = 0.0;
    for (int k = 0; k < per; k++) by_q[k] = 0.0;
    for (int i = 0; i < NODES; i++) {
        double tau = per == 3 ? q[2] * gauss_x[i] : 0.0, ds = gauss_w[i] * s->length;
        double c = cos(tau), sn = sin(tau), b = q[0], g = q[1];
        vec3 u = {-c * g + sn * b, sn * g + c * b, per == 3 ? q[2] / s->length : 0.0};
        route_point at = actuator_route(d->a, s->s - (1.0 - gauss_x[i]) * s->length);
        density l = path_density(&at, u, vec3_make(0.0, 0.0, 1.0));
        double straight = sqrt(1.0 + vec3_dot(at.r_s, at.r_s));
        gain += ds * (straight - l.value);
        by_q[0] -= ds * (l.slope.a.x * sn + l.slope.a.y * c);
        by_q[1] -= ds * (-l.slope.a.x * c + l.slope.a.y * sn);
        if (per == 3)
            by_q[2] -= ds * (gauss_x[i] * (l.slope.a.x * u.y - l.slope.a.y * u.x) +
                             l.slope.a.z / s->length);
    }
    return gain;
}

double straight_path(const chain *c, const drive *d) {
    double sum = 0.0;
    for (int i = 0; i < d->end; i++) {
        const segment *s = &c->segments[i];
        for (int k = 0; k < NODES; k++) {
            vec3 slope = actuator_route(d->a, s->s - (1.0 - gauss_x[k]) * s->length).r_s;
            sum += gauss_w[k] * s->length * sqrt(1.0 + vec3_dot(slope, slope));
        }
    }
    return sum;
}

double path_gain(const chain *c, const drive *d, int i, const double *q, double *by_q) {
    const segment *s = &c->segments[i];
    q += i * c->per;
    if (!d->parallel || c->per == 3) return curved_gain(d, s, c->per, q, by_q);
    by_q[0] = s->length * d->hole.x;
    by_q[1] = s->length * d->hole.y;
    return by_q[0] * q[0] + by_q[1] * q[1];
}

static double limited(double x) {
    return fmax(-1.0, fmin(1.0, x));
}

// What was pulled through each disc since the straight shape, and how fast: Eqs. 44 and 46 with the
// sign that Eq. 46 has. Where a rod hardly moved, its friction may have any size up to the full
// one; the sign alone would leave no equilibrium, and a narrow ramp in its place does.
static void find_slip(const chain *c, const drive *d, const double *q, const double *rates,
                      slip_law law, disc_contact *k) {
    double gain = 0.0, rate = 0.0;
    for (int i = d->end - 1; i >= 0; i--) {
        k->gains[i] = gain;  // of the path beyond disc i
        k->rates[i] = rate;
        double by_q[N_LOCAL];
        gain += path_gain(c, d, i, q, by_q);
        for (int l = 0; rates && l < c->per; l++) rate += by_q[l] * rates[i * c->per + l];
        k->slip[i] = law == SLIP_SLIDING  ? limited(k->rates[i] / c->options.saturation)
                     : law == SLIP_STATIC ? limited(k->gains[i] / SPREAD)
                                          : 0.0;
    }
}

// ---------------------------------------------------------------- equilibrium of the rod
// Laguerre's iteration on the characteristic polynomial of a tridiagonal matrix, from above: it
// stays above while all pivots of x - T are positive, and converges cubically. With the pivots q =
// x - d - e^2/q_before the sums of 1/(x - eigenvalue) and of its square are S = sum q'/q and sum
// (q'/q)^2 - q''/q.
static double largest_from_above(int n, const double *d, const double *e, double x) {
    for (int i = 0; i < STEPS; i++) {
        double q = 1.0, q1 = 0.0, q2 = 0.0, sum = 0.0, squares = 0.0;
        for (int k = 0; k < n; k++) {
            double r = k ? e[k] * e[k] / (q * q) : 0.0;
            double next2 = r * (q2 - 2.0 * q1 * q1 / q), next1 = 1.0 + r * q1;
            q = x - d[k] - r * q;
            if (!(q > 0.0)) return x;  // as near as rounding lets it
            q1 = next1, q2 = next2;
            sum += q1 / q;
            squares += (q1 / q) * (q1 / q) - q2 / q;
        }
        double step = n / (sum + sqrt(fmax(0.0, (n - 1) * (n * squares - sum * sum))));
        x -= step;
        if (!(step > 2.0 * DBL_EPSILON * fabs(x))) break;
    }
    return x;
}

double largest_eigenvalue(int n, double *a) {
    double d[6], e[6], above = -HUGE_VAL;
    tridiagonalise(n, a, d, e);
    for (int i = 0; i < n; i++)  // Gershgorin
        above = fmax(above, d[i] + fabs(e[i]) + (i + 1 < n ? fabs(e[i + 1]) : 0.0));
    return largest_from_above(n, d, e, above * (1.0 + 4.0 * DBL_EPSILON));
}

// Tangent of the rod in the frame of a disc: z, leaning where the subsegment is twisted.
static vec3 rod_tangent(const chain *c, const drive *d, int i, const double *q) {
    if (c->per < 3) return vec3_make(0.0, 0.0, 1.0);
    double twist = q[i * c->per + 2] / c->segments[i].length;
    vec3 t = vec3_make(-twist * d->hole.y, twist * d->hole.x, 1.0);
    return vec3_scale(t, 1.0 / vec3_norm(t));
}

// Directions of the forces on disc i: both axes of its plane, or after Eq. 35 that of the bending
// beyond it.
static int directions(const chain *c, int i, const double *q, const mat3 *R, vec3 out[2]) {
    out[0] = mat3_column(R, 0);
    out[1] = mat3_column(R, 1);
    if (!c->options.one_direction) return 2;
    const double *next = q + (i + 1) * c->per;
    double k = hypot(next[0], next[1]);
    if (k >= STRAIGHT) out[0] = vec3_madd(vec3_scale(out[0], next[0] / k), next[1] / k, out[1]);
    return 1;
}

static void lay_columns(const chain *c, const drive *d, const double *q, const disc_motion *discs,
                        disc_contact *k) {
    k->n = 0;
    for (int i = 0; i < d->end; i++) {
        vec3 r = mat3_mul_vec(&discs[i].R, d->hole), at[2];
        k->places[i] = vec3_sub(vec3_add(discs[i].p, r), d->hole);
        if (i + 1 == d->end) break;
        int n = directions(c, i, q, &discs[i].R, at);
        for (int j = 0; j < n; j++)
            k->columns[k->n++] = (vec6){at[j], vec3_cross(k->places[i], at[j])};
    }
}

// G = A A' + (damping sigma)^2, factored. The unit of length is 1 m, as in Eq. 34.
static bool factor(const disc_contact *k, double damping, double G[36]) {
    double a[6][6], copy[36];
    memset(a, 0, sizeof a);
    for (int j = 0; j < k->n; j++) {
        double x[6];
        vec6_store(x, k->columns[j]);
        for (int p = 0; p < 6; p++)
            for (int r = 0; r <= p; r++) a[p][r] += x[p] * x[r];
    }
    for (int p = 0; p < 6; p++)
        for (int r = p + 1; r < 6; r++) a[p][r] = a[r][p];
    memcpy(copy, a, sizeof a);
    double shift = damping * damping * largest_eigenvalue(6, copy);
    for (int p = 0; p < 6; p++) a[p][p] += shift;
    memcpy(G, a, sizeof a);
    return positive_factor(6, G);
}

typedef struct ends {  // directions of the tension at both ends
    vec3 base, tip;
} ends;

double contact_size(const drive *d, const disc_contact *k, int i) {
    const double *f = k->forces;
    return k->n == d->end - 1 ? fabs(f[i])
                              : sqrt(f[2 * i] * f[2 * i] + f[2 * i + 1] * f[2 * i + 1]);
}

static vec6 wrench_at(vec3 place, vec3 force) {
    return (vec6){force, vec3_cross(place, force)};
}

// What the discs must balance, as forces on robot and ground: tension at the ends, and by friction,
// for each unit of contact force, its own force and what it takes from the tension at the end.
static vec6 lay_loads(const drive *d, const disc_motion *discs, double tension, const ends *e,
                      disc_contact *k) {
    vec6 end = wrench_at(k->places[d->end - 1], e->tip);
    for (int i = 0; i + 1 < d->end && k->mu > 0.0; i++) {
        vec6 rub = wrench_at(k->places[i], mat3_column(&discs[i].R, 2));
        k->rubs[i] = vec6_scale(vec6_sub(end, rub), k->mu * k->slip[i]);
    }
    return vec6_scale((vec6){vec3_sub(e->base, end.a), vec3_neg(end.l)}, tension);
}

// With the friction that the present forces give.
static vec6 load_of(const drive *d, vec6 frictionless, const disc_contact *k) {
    for (int i = 0; i + 1 < d->end && k->mu > 0.0; i++)
        frictionless = vec6_madd(frictionless, contact_size(d, k, i), k->rubs[i]);
    return frictionless;
}

static void solve_forces(const double G[36], const vec6 *b, disc_contact *k) {
    double y[6];
    vec6_store(y, vec6_neg(*b));
    positive_solve(6, G, y);
    vec6 z = vec6_load(y);
    for (int j = 0; j < k->n; j++) k->forces[j] = vec6_dot(k->columns[j], z);
}

void solve_contact(const chain *c, const drive *d, const double *q, const double *rates,
                   const disc_motion *discs, double tension, slip_law law, double share,
                   disc_contact *k) {
    double G[36];
    k->mu = law == SLIP_NONE ? 0.0 : share * d->friction;
    find_slip(c, d, q, rates, law, k);
    lay_columns(c, d, q, discs, k);
    k->end_tension = tension;
    k->residual = 0.0;
    memset(k->forces, 0, sizeof(double) * 2 * (size_t)c->n);
    if (k->n == 0 || tension == 0.0 || !factor(k, c->options.damping, G)) return;
    vec3 tip = rod_tangent(c, d, d->end - 1, q);
    ends e = {rod_tangent(c, d, 0, q), mat3_mul_vec(&discs[d->end - 1].R, tip)};
    vec6 frictionless = lay_loads(d, discs, tension, &e, k), b = frictionless;
    for (int i = 0; i < (k->mu > 0.0 ? c->options.friction_iterations : 1); i++) {
        solve_forces(G, &b, k);
        b = load_of(d, frictionless, k);
    }
    for (int i = 0; i + 1 < d->end && k->mu > 0.0; i++)
        k->end_tension -= k->mu * contact_size(d, k, i) * k->slip[i];
    for (int j = 0; j < k->n; j++) b = vec6_madd(b, k->forces[j], k->columns[j]);
    k->residual = sqrt(vec6_dot(b, b));
}

// Eq. 50 as printed leaves out the moment of the contact force about the axis of its disc, which
// works as soon as the robot leaves a plane.
void add_contact(const chain *c, const drive *d, const disc_motion *discs, const double *q,
                 const disc_contact *k, vec6 *wrenches) {
    const int end = d->end - 1, per = end > 0 ? k->n / end : 1;
    for (int i = 0; i < end && k->n > 0; i++) {
        const double *f = k->forces + i * per;
        double size = contact_size(d, k, i);
        vec3 push = vec3_zero(), arm = mat3_mul_vec(&discs[i].R, d->hole);
        for (int j = 0; j < per; j++) push = vec3_madd(push, f[j], k->columns[i * per + j].a);
        vec3 rub = vec3_scale(mat3_column(&discs[i].R, 2), -k->mu * size * k->slip[i]);
        vec3 force = vec3_add(push, rub);
        wrenches[i].l = vec3_add(wrenches[i].l, force);
        wrenches[i].a =
            vec3_add(wrenches[i].a, vec3_cross(arm, c->options.printed_moment ? rub : force));
    }
    vec3 tip = mat3_mul_vec(&discs[end].R, rod_tangent(c, d, end, q));
    vec3 pull = vec3_scale(tip, -k->end_tension);
    wrenches[end].l = vec3_add(wrenches[end].l, pull);
    wrenches[end].a =
        vec3_add(wrenches[end].a, vec3_cross(mat3_mul_vec(&discs[end].R, d->hole), pull));
}
