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

// dt = -mu (dP s + P ds) and dl = -r (dn x t + n x dt), with dP = -P' n.dp
static void add_friction_slopes(const contact_law *law, const contact_point *at, const press *by,
                                vec3 x, vec3 s, vec3 t, double length, contact_slopes *slopes) {
    const vec3 n = at->from.n;
    const mat3 I = mat3_identity(), across = sum(I, times(-1.0, mat3_outer(n, n)));
    const mat3 gives = times(-law->friction * by->P, grip_slope(s, length, law->presliding));
    const mat3 by_shift = slide_by_shift(at, x, &across);
    const mat3 by_turn = times(at->radius, mat3_hat(n));  // of y, by a turn: r n x th
    const mat3 t_p =
        sum(mat3_mul(&gives, &by_shift), mat3_outer(vec3_scale(s, law->friction * by->slope), n));
    const mat3 t_th = mat3_mul(&gives, &by_turn);
    const mat3 arm = mat3_hat(vec3_scale(n, -at->radius));
    const mat3 held = mat3_hat(vec3_scale(t, at->radius));
    slopes->f_p = sum(slopes->f_p, t_p);
    slopes->f_th = t_th;
    slopes->l_p = sum(mat3_mul(&arm, &t_p), mat3_mul(&held, &at->from.H));
    slopes->l_th = mat3_mul(&arm, &t_th);
}

press contact_press(const contact_law *law, double depth, double deepest) {
    const double e = law->restitution > 0.0 ? law->restitution : 1.0, back = e * e;
    const double P = law->stiffness * depth, work = 0.5 * P * depth;
    const double before = 0.5 * law->stiffness * deepest * deepest;
    if (!(depth < deepest) || back == 1.0 || !(depth > 0.0))
        return (press){P, law->stiffness, back * work,
                       depth > 0.0 && back < 1.0 ? (1.0 - back) * (work - before) : 0.0};
    const double n = 2.0 / back - 2.0, x = pow(depth / deepest, n);
    return (press){P * x, (n + 1.0) * law->stiffness * x, back * work * x, 0.0};
}

contact contact_at(const contact_law *law, const contact_point *at, contact_slopes *slopes) {
    const vec3 n = at->from.n;
    const double depth = at->radius - at->from.phi;
    const press by = contact_press(law, depth, at->deepest);
    const double pressure = by.P;
    contact out = {.energy = 0.0};
    const mat3 zero = mat3_zero();
    if (slopes) *slopes = (contact_slopes){zero, zero, zero, zero};
    if (!contact_touches(at)) return out;
    out.force = vec3_scale(n, pressure);
    out.energy = by.energy;
    out.deepest = fmax(at->deepest, fmax(depth, 0.0));
    out.lost = by.lost;
    if (depth >= at->deepest) out.dead = pressure - 2.0 * by.energy / fmax(depth, 1e-300);
    if (slopes) slopes->f_p = sum(times(-by.slope, mat3_outer(n, n)), times(pressure, at->from.H));
    if (!(law->friction > 0.0) || !(depth > 0.0)) return out;
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
