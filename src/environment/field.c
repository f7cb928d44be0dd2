// environment/field.c - see field.h.
#include "environment/field.h"

#include <math.h>

#include "environment/numbers.h"
#include "math/block.h"
#include "math/quat.h"

#define MU_0_BY_4_PI 1e-7  // T m/A

typedef struct local_field {
    vec3 B;
    mat3 G;
} local_field;

// ---------------------------------------------------------------- sources
// xx, yy, xy, xz, yz; zz takes the trace back.
static mat3 gradient(const double g[5]) {
    return (mat3){{{g[0], g[2], g[3]}, {g[2], g[1], g[4]}, {g[3], g[4], -g[0] - g[1]}}};
}

static mat3 turned(const mat3 *R, const mat3 *G) {
    const mat3 RG = mat3_tmul(R, G);
    return mat3_mul(&RG, R);
}

// From the world to axes that stand there as `stand`; a rate is no place.
static field_source seen_from(const se3 *stand, bool rate, field_source s) {
    if (!stand) return s;
    s.p = mat3_tmul_vec(&stand->R, rate ? s.p : vec3_sub(s.p, stand->p));
    s.B = mat3_tmul_vec(&stand->R, s.B);
    s.G = turned(&stand->R, &s.G);
    return s;
}

static mat3 dipole_axes(const td_field_def *def, vec3 turn) {
    return quat_to_mat3(quat_mul(quat_load(def->orientation), quat_exp(turn)));
}

static field_source source_at(const td_field_def *def, const double *inputs, double share) {
    field_source s = {.dipole = def->kind == TD_FIELD_DIPOLE,
                      .p = numbers_at(def->position, inputs)};
    if (s.dipole) {
        const mat3 R = dipole_axes(def, numbers_at(def->rotation, inputs));
        s.B = vec3_scale(mat3_mul_vec(&R, numbers_at(def->moment, inputs)), share);
        return s;
    }
    double g[5];
    for (int i = 0; i < 5; i++) g[i] = share * number_value(def->gradient[i], inputs);
    s.B = vec3_scale(numbers_at(def->flux, inputs), share);
    s.G = gradient(g);
    return s;
}

// A dipole that turns with w in its own axes has d(R m) = R (m' + w x m).
static field_source source_rate(const td_field_def *def, const double *inputs, const double *rates,
                                double share) {
    field_source s = {.dipole = def->kind == TD_FIELD_DIPOLE,
                      .p = number_rates_at(def->position, rates)};
    if (s.dipole) {
        const vec3 turn = numbers_at(def->rotation, inputs), m = numbers_at(def->moment, inputs);
        const mat3 R = dipole_axes(def, turn), T = so3_dexp_right(turn);
        const vec3 w = mat3_mul_vec(&T, number_rates_at(def->rotation, rates));
        const vec3 change = vec3_add(number_rates_at(def->moment, rates), vec3_cross(w, m));
        s.B = vec3_scale(mat3_mul_vec(&R, change), share);
        return s;
    }
    double g[5];
    for (int i = 0; i < 5; i++) g[i] = share * number_rate(def->gradient[i], rates);
    s.B = vec3_scale(number_rates_at(def->flux, rates), share);
    s.G = gradient(g);
    return s;
}

field_list fields_at(const td_field_def *defs, int n, const double *inputs, double share,
                     const se3 *stand) {
    field_list out;
    out.n = n;
    for (int i = 0; i < n; i++)
        out.sources[i] = seen_from(stand, false, source_at(&defs[i], inputs, share));
    return out;
}

field_list fields_rate(const td_field_def *defs, int n, const double *inputs, const double *rates,
                       double share, const se3 *stand) {
    field_list out;
    out.n = n;
    for (int i = 0; i < n; i++)
        out.sources[i] = seen_from(stand, true, source_rate(&defs[i], inputs, rates, share));
    return out;
}

bool field_moves_by(const td_field_def *def, int input) {
    return any_driven_by(def->position, 3, input) || any_driven_by(def->rotation, 3, input);
}

bool fields_driven_by(const td_field_def *defs, int n, int input) {
    for (int i = 0; i < n; i++)
        if (any_driven_by(defs[i].flux, 3, input) || any_driven_by(defs[i].gradient, 5, input) ||
            any_driven_by(defs[i].moment, 3, input) || field_moves_by(&defs[i], input))
            return true;
    return false;
}

// ---------------------------------------------------------------- a dipole
typedef struct arm {
    double r;
    vec3 n;
} arm;

static arm arm_of(vec3 p, vec3 source) {
    const vec3 d = vec3_sub(p, source);
    const double r = vec3_norm(d);
    return (arm){r, vec3_scale(d, 1.0 / r)};
}

static vec3 dipole_flux(const arm *a, vec3 M) {
    const double k = MU_0_BY_4_PI / (a->r * a->r * a->r);
    return vec3_scale(vec3_sub(vec3_scale(a->n, 3.0 * vec3_dot(a->n, M)), M), k);
}

// G m = 3k/r^4 (M.n m + m.n M + m.M n - 5 m.n M.n n)
static vec3 dipole_pull(const arm *a, vec3 M, vec3 m) {
    const double k = 3.0 * MU_0_BY_4_PI / pow(a->r, 4.0);
    const double Mn = vec3_dot(M, a->n), mn = vec3_dot(m, a->n);
    vec3 f = vec3_madd(vec3_scale(m, Mn), mn, M);
    f = vec3_madd(f, vec3_dot(m, M) - 5.0 * mn * Mn, a->n);
    return vec3_scale(f, k);
}

static mat3 dipole_gradient(const arm *a, vec3 M) {
    return mat3_from_columns(dipole_pull(a, M, vec3_make(1.0, 0.0, 0.0)),
                             dipole_pull(a, M, vec3_make(0.0, 1.0, 0.0)),
                             dipole_pull(a, M, vec3_make(0.0, 0.0, 1.0)));
}

// Of the pull by shifts: with g(n) the bracket above, k/r^5 (-4 g n' + dg/dn (1 - n n')).
static mat3 dipole_pull_slope(const arm *a, vec3 M, vec3 m) {
    const double k = 3.0 * MU_0_BY_4_PI / pow(a->r, 5.0);
    const vec3 n = a->n;
    const double Mn = vec3_dot(M, n), mn = vec3_dot(m, n), mM = vec3_dot(m, M);
    vec3 g = vec3_madd(vec3_scale(m, Mn), mn, M);
    g = vec3_madd(g, mM - 5.0 * mn * Mn, n);
    // dg/dn = m M' + M m' + (m.M - 5 m.n M.n) 1 - 5 n (M.n m + m.n M)'
    const vec3 both = vec3_madd(vec3_scale(m, Mn), mn, M);
    mat3 D = mat3_outer(m, M);
    const mat3 parts[3] = {
        mat3_outer(M, m), mat3_outer(vec3_scale(n, -5.0), both),
        mat3_diag(vec3_make(mM - 5.0 * mn * Mn, mM - 5.0 * mn * Mn, mM - 5.0 * mn * Mn))};
    for (int i = 0; i < 3; i++) D = mat3_add(&D, &parts[i]);
    const vec3 along = vec3_madd(mat3_mul_vec(&D, n), 4.0, g);
    const mat3 less = mat3_outer(along, n), slope = mat3_sub(&D, &less);
    return mat3_scale(&slope, k);
}

// ---------------------------------------------------------------- at a point
static local_field local_at(const field_source *s, vec3 p) {
    if (!s->dipole)
        return (local_field){vec3_add(s->B, mat3_mul_vec(&s->G, vec3_sub(p, s->p))), s->G};
    const arm a = arm_of(p, s->p);
    return (local_field){dipole_flux(&a, s->B), dipole_gradient(&a, s->B)};
}

// m x B and G m; a turn th of the magnet changes m by th x m.
static void add_slopes(const field_source *s, const local_field *at, vec3 m, vec3 p, double *by) {
    const mat3 hat = mat3_hat(m), B = mat3_hat(at->B);
    const mat3 l_th = mat3_mul(&B, &hat), l_p = mat3_mul(&hat, &at->G);
    const mat3 G_m = mat3_mul(&at->G, &hat), f_th = mat3_scale(&G_m, -1.0);
    block33_add(by, 0, 0, 1.0, &l_th);
    block33_add(by, 0, 3, 1.0, &l_p);
    block33_add(by, 3, 0, 1.0, &f_th);
    if (!s->dipole) return;
    const arm a = arm_of(p, s->p);
    const mat3 f_p = dipole_pull_slope(&a, s->B, m);
    block33_add(by, 3, 3, 1.0, &f_p);
}

// T, world
static vec3 fields_flux(const field_list *f, vec3 p) {
    vec3 sum = vec3_zero();
    for (int i = 0; i < f->n; i++) sum = vec3_add(sum, local_at(&f->sources[i], p).B);
    return sum;
}

vec6 fields_wrench(const field_list *f, vec3 m, vec3 p, double *by_motion) {
    vec6 sum = vec6_zero();
    for (int i = 0; i < f->n; i++) {
        const local_field at = local_at(&f->sources[i], p);
        sum = vec6_add(sum, (vec6){vec3_cross(m, at.B), mat3_mul_vec(&at.G, m)});
        if (by_motion) add_slopes(&f->sources[i], &at, m, p, by_motion);
    }
    return sum;
}

// Where a source shifts, fields change as they do where the point shifts the other way.
static local_field change_at(const field_source *s, const field_source *by, vec3 m, vec3 p,
                             vec3 *pull) {
    field_source other = *s;
    other.B = by->B, other.G = by->G;
    const local_field now = local_at(s, p);
    local_field out = local_at(&other, p);
    out.B = vec3_sub(out.B, mat3_mul_vec(&now.G, by->p));
    *pull = mat3_mul_vec(&out.G, m);
    if (!s->dipole) return out;
    const arm a = arm_of(p, s->p);
    const mat3 slope = dipole_pull_slope(&a, s->B, m);
    *pull = vec3_sub(*pull, mat3_mul_vec(&slope, by->p));
    return out;
}

vec6 fields_wrench_by(const field_list *f, const field_list *by, vec3 m, vec3 p) {
    vec6 sum = vec6_zero();
    for (int i = 0; i < f->n; i++) {
        vec3 pull;
        const local_field at = change_at(&f->sources[i], &by->sources[i], m, p, &pull);
        sum = vec6_add(sum, (vec6){vec3_cross(m, at.B), pull});
    }
    return sum;
}

double fields_energy(const field_list *f, vec3 m, vec3 p) {
    return -vec3_dot(m, fields_flux(f, p));
}

double fields_power(const field_list *f, const field_list *by, vec3 m, vec3 p) {
    double sum = 0.0;
    for (int i = 0; i < f->n; i++) {
        vec3 pull;
        sum -= vec3_dot(m, change_at(&f->sources[i], &by->sources[i], m, p, &pull).B);
    }
    return sum;
}
