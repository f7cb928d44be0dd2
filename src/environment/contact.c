// environment/contact.c - see contact.h.
#include "environment/contact.h"

#include <math.h>

static mat3 sum(mat3 a, mat3 b) {
    return mat3_add(&a, &b);
}

static mat3 times(double s, mat3 a) {
    return mat3_scale(&a, s);
}

// Of y against a shift dp: with x = slip + moved + r n x turned and dn = H dp,
//
//     y = (I - n n') x,   dy = (I - n n')(dp + r dn x turned) - n (x.dn) - dn (n.x)
static mat3 slide_by_shift(const contact_point *at, vec3 x, const mat3 *across) {
    const vec3 n = at->from.n;
    const mat3 *H = &at->from.H, I = mat3_identity();
    const mat3 turn = mat3_hat(vec3_scale(at->turned, -at->radius)), rolled = mat3_mul(&turn, H);
    const mat3 moved = sum(I, rolled), along = mat3_mul(across, &moved);
    const mat3 tilt = mat3_outer(n, mat3_mul_vec(H, x));
    return sum(along, sum(times(-1.0, tilt), times(-vec3_dot(n, x), *H)));
}

// ds/dy: what slides answers only across its direction.
static mat3 grip_slope(vec3 s, double length, double presliding) {
    const mat3 I = mat3_identity();
    if (length <= presliding) return times(1.0 / presliding, I);
    return times(1.0 / length, sum(I, times(-1.0, mat3_outer(s, s))));
}

// Of x, by a turn th of the section: r n x dexp^-1 th, and what was fed turns with it.
static mat3 way_by_turn(const contact_point *at) {
    const mat3 arm = mat3_hat(vec3_scale(at->from.n, at->radius)), log = so3_dexp_inv(at->spun);
    return sum(mat3_mul(&arm, &log), times(-1.0, mat3_hat(at->fed)));
}

// dt = -mu (dP s + P ds) and dl = -r (dn x t + n x dt), with dP = -P' n.dp
static void add_friction_slopes(const contact_law *law, const contact_point *at, const press *by,
                                vec3 x, vec3 s, vec3 t, double length, contact_slopes *slopes) {
    const vec3 n = at->from.n;
    const mat3 I = mat3_identity(), across = sum(I, times(-1.0, mat3_outer(n, n)));
    const mat3 gives = times(-law->friction * by->P, grip_slope(s, length, law->presliding));
    const mat3 by_shift = slide_by_shift(at, x, &across);
    const mat3 by_turn = way_by_turn(at);  // of y
    const mat3 t_p =
        sum(mat3_mul(&gives, &by_shift), mat3_outer(vec3_scale(s, law->friction * by->slope), n));
    const mat3 turned = mat3_mul(&across, &by_turn), t_th = mat3_mul(&gives, &turned);
    const mat3 arm = mat3_hat(vec3_scale(n, -at->radius));
    const mat3 held = mat3_hat(vec3_scale(t, at->radius));
    slopes->f_p = sum(slopes->f_p, t_p);
    slopes->f_th = t_th;
    slopes->l_p = sum(mat3_mul(&arm, &t_p), mat3_mul(&held, &at->from.H));
    slopes->l_th = mat3_mul(&arm, &t_th);
}

// Of an obstacle that is hard.
static press rigid_press(double stiffness, double depth, double ahead) {
    const double x = depth + ahead;
    return (press){stiffness * x, stiffness,
                   x > 0.0 ? 0.5 * stiffness * (x * x - ahead * ahead) : 0.0, 0.0};
}

press contact_press(const contact_law *law, double depth, double deepest, double ahead) {
    if (ahead > 0.0) return rigid_press(law->stiffness, depth, ahead);
    const double e = law->restitution > 0.0 ? law->restitution : 1.0, back = e * e;
    const double P = law->stiffness * depth, work = 0.5 * P * depth;
    const double before = 0.5 * law->stiffness * deepest * deepest;
    if (!(depth < deepest) || back == 1.0 || !(depth > 0.0))
        return (press){P, law->stiffness, back * work,
                       depth > 0.0 && back < 1.0 ? (1.0 - back) * (work - before) : 0.0};
    const double n = 2.0 / back - 2.0, x = pow(depth / deepest, n);
    return (press){P * x, (n + 1.0) * law->stiffness * x, back * work * x, 0.0};
}

#define MOST_PACE 1e6

void contact_pace_add(contact_pace *p, double x, double *last) {
    const double dx = x - *last;
    p->along += *last * dx;
    p->square += dx * dx;
    *last = x;
}

double contact_pace_end(const contact_pace *p, contact_push how) {
    if (how == PUSH_FIRST || !(p->square > 0.0)) return 1.0;
    return fmin(fmax(-p->w * p->along / p->square, 1.0), MOST_PACE);
}

contact contact_at(const contact_law *law, const contact_point *at, contact_slopes *slopes) {
    const vec3 n = at->from.n;
    const double depth = at->radius - at->from.phi;
    const press by = contact_press(law, depth, at->deepest, at->ahead);
    const double pressure = by.P;
    contact out = {.energy = 0.0};
    const mat3 zero = mat3_zero();
    if (slopes) *slopes = (contact_slopes){zero, zero, zero, zero};
    if (!contact_touches(at)) return out;
    out.force = vec3_scale(n, pressure);
    out.energy = by.energy;
    out.deepest = fmax(at->deepest, fmax(depth, 0.0));
    out.ahead = at->ahead;
    out.touches = depth + at->ahead > 0.0;
    out.lost = by.lost;
    if (depth >= at->deepest && at->ahead == 0.0)
        out.dead = pressure - 2.0 * by.energy / fmax(depth, 1e-300);
    if (slopes) slopes->f_p = sum(times(-by.slope, mat3_outer(n, n)), times(pressure, at->from.H));
    if (!(law->friction > 0.0) || !out.touches) return out;
    const vec3 since = vec3_madd(at->moved, at->radius, vec3_cross(n, at->turned));
    const vec3 x = vec3_add(at->slip, since), y = vec3_madd(x, -vec3_dot(n, x), n);
    const double length = vec3_norm(y);
    const vec3 s = vec3_scale(y, 1.0 / fmax(length, law->presliding));
    const vec3 t = vec3_scale(s, -law->friction * pressure);
    out.slip = vec3_scale(s, law->presliding);
    out.friction = t;
    out.force = vec3_add(out.force, t);
    out.moment = vec3_scale(vec3_cross(n, t), -at->radius);
    out.lost -= vec3_dot(t, since);
    if (slopes) add_friction_slopes(law, at, &by, x, s, t, length, slopes);
    return out;
}

// ---------------------------------------------------------------- what was before
typedef struct rubbing {  // of a contact that is there
    double pressed;       // dP by the greatest depth before
    bool rubs;
    vec3 s;
    mat3 grip;    // ds/dx
    mat3 before;  // dx by a turn of where it was: -r n x dexp^-1' th
} rubbing;

static rubbing rubbing_of(const contact_law *law, const contact_point *at) {
    const vec3 n = at->from.n;
    const double depth = at->radius - at->from.phi, e = law->restitution;
    const press by = contact_press(law, depth, at->deepest, at->ahead);
    const bool gives_back = e > 0.0 && e < 1.0 && depth < at->deepest && depth > 0.0;
    rubbing out = {.rubs = law->friction > 0.0 && depth > 0.0};
    if (gives_back) out.pressed = -(2.0 / (e * e) - 2.0) * by.P / at->deepest;
    if (!out.rubs) return out;
    const mat3 I = mat3_identity(), across = sum(I, times(-1.0, mat3_outer(n, n)));
    const vec3 since = vec3_madd(at->moved, at->radius, vec3_cross(n, at->turned));
    const vec3 x = vec3_add(at->slip, since), y = mat3_mul_vec(&across, x);
    const double length = vec3_norm(y);
    out.s = vec3_scale(y, 1.0 / fmax(length, law->presliding));
    const mat3 slope = grip_slope(out.s, length, law->presliding), log = so3_dexp_inv(at->spun);
    const mat3 back = mat3_transpose(&log), arm = mat3_hat(vec3_scale(n, -at->radius));
    out.grip = mat3_mul(&slope, &across);
    out.before = mat3_mul(&arm, &back);
    return out;
}

static vec3 column_at(const double *rows, int m, int j) {
    return vec3_make(rows[j], rows[m + j], rows[2 * m + j]);
}

static void add_column(double *rows, int m, int j, double factor, vec3 x) {
    rows[j] += factor * x.x, rows[m + j] += factor * x.y, rows[2 * m + j] += factor * x.z;
}

// ds of what was before: dx = dslip - dp_b - r n x dexp^-1' th_b
static vec3 slid_along(const rubbing *r, const contact_past *past, int j) {
    const int m = past->m;
    vec3 x = vec3_sub(column_at(past->kept, m, j), column_at(past->before + 3 * m, m, j));
    x = vec3_add(x, mat3_mul_vec(&r->before, column_at(past->before, m, j)));
    if (past->fed) x = vec3_add(x, column_at(past->fed, m, j));
    return mat3_mul_vec(&r->grip, x);
}

void contact_add_past(const contact_law *law, const contact_point *at, const contact_past *past,
                      double factor, double *wrench) {
    if (!contact_touches(at)) return;
    const rubbing r = rubbing_of(law, at);
    const double P = contact_press(law, at->radius - at->from.phi, at->deepest, at->ahead).P;
    const int m = past->m;
    const vec3 n = at->from.n;
    for (int j = 0; j < m; j++) {
        const double dP = r.pressed * past->kept[3 * m + j];
        vec3 dt = vec3_zero();
        if (r.rubs) {
            const vec3 ds = slid_along(&r, past, j);
            dt = vec3_scale(vec3_madd(vec3_scale(r.s, dP), P, ds), -law->friction);
        }
        add_column(wrench, m, j, -factor * at->radius, vec3_cross(n, dt));
        add_column(wrench + 3 * m, m, j, factor, vec3_madd(dt, dP, n));
    }
}

void contact_keep_along(const contact_law *law, const contact_point *at, const contact_past *past,
                        const double *now, double *kept) {
    const int m = past->m;
    const rubbing r = rubbing_of(law, at);
    const bool touches = contact_touches(at);
    const double depth = at->radius - at->from.phi;
    const mat3 I = mat3_identity(),
               across = sum(I, times(-1.0, mat3_outer(at->from.n, at->from.n)));
    const vec3 since = vec3_madd(at->moved, at->radius, vec3_cross(at->from.n, at->turned));
    const mat3 shift = slide_by_shift(at, vec3_add(at->slip, since), &across);
    const double length = vec3_norm(mat3_mul_vec(&across, vec3_add(at->slip, since)));
    const mat3 slope = grip_slope(r.s, length, law->presliding), turn = way_by_turn(at);
    const mat3 by_shift = mat3_mul(&slope, &shift), by_turn = mat3_mul(&r.grip, &turn);
    for (int j = 0; j < m; j++) {
        vec3 ds = vec3_zero();
        double deepest = 0.0;
        if (touches && r.rubs) {
            ds = vec3_add(slid_along(&r, past, j), mat3_mul_vec(&by_turn, column_at(now, m, j)));
            ds = vec3_add(ds, mat3_mul_vec(&by_shift, column_at(now + 3 * m, m, j)));
        }
        if (touches && depth >= at->deepest)
            deepest = -vec3_dot(at->from.n, column_at(now + 3 * m, m, j));
        else if (touches) deepest = past->kept[3 * m + j];
        ds = vec3_scale(ds, law->presliding);
        kept[j] = ds.x, kept[m + j] = ds.y, kept[2 * m + j] = ds.z;
        kept[3 * m + j] = deepest;
        kept[CONTACT_AHEAD * m + j] = 0.0;  // steps among what is hard have no derivative
    }
}
