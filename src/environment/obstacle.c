// environment/obstacle.c - the distance from each shape, with gradient and Hessian.
#include "environment/obstacle.h"

#include <math.h>
#include <stdio.h>

#include "environment/numbers.h"
#include "math/quat.h"

#define SMALL 1e-9  // of an obstacle's size: nearer to where a direction is lost it is held

// ---------------------------------------------------------------- boxes in two and three dimensions
// Distance from |x_i| <= half_i in the first n coordinates; inside, that to the nearest side.
static double within_sides(int n, const double *x, const double *half, double g[3],
                           double H[3][3]) {
    double q[3], square = 0.0;
    int nearest = 0;
    for (int i = 0; i < n; i++) {
        q[i] = fabs(x[i]) - half[i];
        if (q[i] > q[nearest]) nearest = i;
        if (q[i] > 0.0) square += q[i] * q[i];
    }
    const double d = sqrt(square);
    for (int i = 0; i < n; i++) {
        const double out = d > 0.0 ? fmax(q[i], 0.0) / d : i == nearest;
        g[i] = copysign(out, x[i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            H[i][j] = d > 0.0 ? ((i == j && q[i] > 0.0) - g[i] * g[j]) / d : 0.0;
    return d > 0.0 ? d : q[nearest];
}

// ---------------------------------------------------------------- bodies of revolution
typedef struct profile {  // a function of rho, the distance from the z axis, and z
    double phi, rho, z;   // its value and first derivatives,
    double rr, rz, zz;    // and the second ones
} profile;

// H = phi_rr e e' + phi_rz (e z' + z e') + phi_zz z z' + phi_rho/rho t t',  e outwards, t around
static clearance revolved(const profile *f, vec3 p, double size) {
    const double rho = hypot(p.x, p.y);
    const vec3 z = {0.0, 0.0, 1.0};
    const vec3 e = rho > 0.0 ? vec3_make(p.x / rho, p.y / rho, 0.0) : vec3_make(1.0, 0.0, 0.0);
    const vec3 t = vec3_cross(z, e);
    const double around = f->rho / fmax(rho, SMALL * size);
    clearance d = {.phi = f->phi, .n = vec3_madd(vec3_scale(e, f->rho), f->z, z)};
    const mat3 parts[4] = {mat3_outer(e, vec3_madd(vec3_scale(e, f->rr), f->rz, z)),
                           mat3_outer(z, vec3_madd(vec3_scale(e, f->rz), f->zz, z)),
                           mat3_outer(t, vec3_scale(t, around)), mat3_zero()};
    d.H = mat3_add(&parts[0], &parts[1]);
    d.H = mat3_add(&d.H, &parts[2]);
    return d;
}

// From a circle of radius r, its centre at (a, b) from the point, backwards.
static profile from_circle(double a, double b, double r) {
    const double d = fmax(hypot(a, b), SMALL * r), x = a / d, y = b / d;
    return (profile){.phi = hypot(a, b) - r,
                     .rho = x,
                     .z = y,
                     .rr = y * y / d,
                     .rz = -x * y / d,
                     .zz = x * x / d};
}

typedef clearance shape_distance(const obstacle *o, vec3 p);

static clearance plane_distance(const obstacle *o, vec3 p) {
    (void)o;
    return (clearance){.phi = p.z, .n = {0.0, 0.0, 1.0}, .H = mat3_zero()};
}

static clearance sphere_distance(const obstacle *o, vec3 p) {
    const profile f = from_circle(hypot(p.x, p.y), p.z, o->def.radius);
    return revolved(&f, p, o->def.radius);
}

static clearance capsule_distance(const obstacle *o, vec3 p) {
    const double r = o->def.radius, half = 0.5 * o->def.length, rho = hypot(p.x, p.y);
    const double beyond = fabs(p.z) - half;
    const profile side = {.phi = rho - r, .rho = 1.0};
    const profile cap = from_circle(rho, copysign(beyond, p.z), r);
    return revolved(beyond > 0.0 ? &cap : &side, p, r);
}

static clearance cylinder_distance(const obstacle *o, vec3 p) {
    const double r = o->def.radius, rho = hypot(p.x, p.y), x[2] = {rho, p.z};
    const double half[2] = {r, 0.5 * o->def.length};
    profile f = {.phi = rho - r, .rho = 1.0};
    double g[3], H[3][3];
    if (o->def.length > 0.0) {
        f.phi = within_sides(2, x, half, g, H);
        f.rho = g[0], f.z = g[1];
        f.rr = H[0][0], f.rz = H[0][1], f.zz = H[1][1];
    }
    return revolved(&f, p, r);
}

static clearance box_distance(const obstacle *o, vec3 p) {
    const double *s = o->def.sides, half[3] = {0.5 * s[0], 0.5 * s[1], 0.5 * s[2]};
    const double x[3] = {p.x, p.y, p.z};
    double g[3];
    clearance d;
    d.phi = within_sides(3, x, half, g, d.H.m);
    d.n = vec3_load(g);
    return d;
}

static clearance torus_distance(const obstacle *o, vec3 p) {
    const profile f = from_circle(hypot(p.x, p.y) - o->def.radius, p.z, 0.5 * o->def.thickness);
    return revolved(&f, p, o->def.radius);
}

// ---------------------------------------------------------------- tubes
// The room that a ball of radius R(t) sweeps with its centre c(t) on a line:
//
//     phi(p) = max over t of  f = R(t) - |p - c(t)|
//
// A maximum of continuous functions is continuous, and where it is unique its gradient is that of f with
// t held, -e with e = (p - c)/|p - c|. With f_t = R' + e.c' = 0:
//
//     f_tt = R'' + e.c'' - (c'.c' - (e.c')^2)/d,    f_pt = (c' - e (e.c'))/d,    d = |p - c|
//     H = -(I - e e')/d - f_pt f_pt'/f_tt
tube_place tube_at(const tube_piece *s, double t) {
    double v[3][4];
    for (int k = 0; k < 4; k++) {
        const double *a = s->c[k];
        v[0][k] = a[0] + t * (a[1] + t * (a[2] + t * a[3]));
        v[1][k] = a[1] + t * (2.0 * a[2] + 3.0 * t * a[3]);
        v[2][k] = 2.0 * a[2] + 6.0 * t * a[3];
    }
    return (tube_place){vec3_load(v[0]), vec3_load(v[1]), vec3_load(v[2]),
                        v[0][3],         v[1][3],         v[2][3]};
}

static double room_at(const tube_piece *s, double t, vec3 p) {
    double v[4];
    for (int k = 0; k < 4; k++)
        v[k] = s->c[k][0] + t * (s->c[k][1] + t * (s->c[k][2] + t * s->c[k][3]));
    return v[3] - vec3_norm(vec3_sub(p, vec3_load(v)));
}

// d f_t = R' d + (p - c).c' and its derivative: smooth where f_t is not.
static double slope_at(const tube_piece *s, double t, vec3 p, double *rate) {
    const tube_place a = tube_at(s, t);
    const vec3 x = vec3_sub(p, a.c);
    const double d = vec3_norm(x), along = vec3_dot(x, a.c1);
    *rate = vec3_dot(x, a.c2) - vec3_dot(a.c1, a.c1) + a.R2 * d;
    if (d > 0.0) *rate -= a.R1 * along / d;
    return a.R1 * d + along;
}

// Where f is largest between lo and hi, from t: Newton on its slope, to the end that it leads beyond, and
// halving once that end is known to lie too far.
static double climb(const tube_piece *s, double lo, double t, double hi, vec3 p) {
    bool known[2] = {false, false};
    double rate;
    for (int i = 0; i < 60; i++) {
        const double slope = slope_at(s, t, p, &rate);
        if (slope > 0.0) lo = t, known[0] = true;
        else hi = t, known[1] = true;
        double next = rate < 0.0 ? t - slope / rate : slope > 0.0 ? HUGE_VAL : -HUGE_VAL;
        const bool beyond = next > hi || next < lo;
        if (next > hi) next = known[1] ? 0.5 * (lo + hi) : hi;
        if (next < lo) next = known[0] ? 0.5 * (lo + hi) : lo;
        const double by = fabs(next - t);
        t = next;
        // after a step of Newton's method its square is left
        if (by <= (beyond ? 1e-12 : 1e-8) * s->span) break;
    }
    return t;
}

#define LOOKS 4  // stretches of a piece that are looked at by themselves

typedef struct spot {  // the best place so far
    const tube_piece *piece;
    double t, phi;
} spot;

static void try_at(const tube_piece *s, double t, vec3 p, spot *best) {
    const double phi = room_at(s, t, p);
    if (phi > best->phi) *best = (spot){s, t, phi};
}

// Every look that is better than its neighbours is climbed from.
static void look_along(const tube_piece *s, vec3 p, spot *best) {
    double at[LOOKS + 1];
    const double step = s->span / LOOKS;
    for (int i = 0; i <= LOOKS; i++) at[i] = room_at(s, i * step, p);
    for (int i = 0; i <= LOOKS; i++) {
        if ((i > 0 && at[i - 1] > at[i]) || (i < LOOKS && at[i + 1] > at[i])) continue;
        const double lo = step * (i > 0 ? i - 1 : 0), hi = step * (i < LOOKS ? i + 1 : LOOKS);
        try_at(s, i * step, p, best);
        try_at(s, climb(s, lo, i * step, hi, p), p, best);
    }
}

// Straight beyond an end: backwards before the first piece, onwards behind the last.
static void look_beyond(const tube_piece *s, vec3 p, spot *best) {
    const vec3 c = {s->c[0][0], s->c[1][0], s->c[2][0]}, c1 = {s->c[0][1], s->c[1][1], s->c[2][1]};
    const double t = vec3_dot(vec3_sub(p, c), c1) / vec3_dot(c1, c1);
    if (t > 0.0) try_at(s, t, p, best);
}

// The least ball around two.
static bounding_ball around_both(const bounding_ball *a, const bounding_ball *b) {
    const vec3 way = vec3_sub(b->middle, a->middle);
    const double d = vec3_norm(way), biggest = fmax(a->biggest, b->biggest);
    if (d + b->around <= a->around) return (bounding_ball){a->middle, a->around, biggest};
    if (d + a->around <= b->around) return (bounding_ball){b->middle, b->around, biggest};
    const double around = 0.5 * (d + a->around + b->around);
    return (bounding_ball){vec3_madd(a->middle, (around - a->around) / d, way), around, biggest};
}

// f is at most so much in there.
static double most_room(const bounding_ball *b, vec3 p) {
    return b->biggest - fmax(0.0, vec3_norm(vec3_sub(p, b->middle)) - b->around);
}

// The place of its chord that is nearest; returns how far that is.
static double from_chord(const tube_piece *s, vec3 p, double *t) {
    const vec3 x = vec3_sub(p, vec3_make(s->c[0][0], s->c[1][0], s->c[2][0]));
    *t = fmax(0.0, fmin(vec3_dot(x, s->chord), s->span));
    return vec3_norm(vec3_madd(x, -*t / s->span, s->along));
}

static double most_along(const tube_piece *s, vec3 p) {
    double t;
    return s->most - fmax(0.0, from_chord(s, p, &t) - s->bulge);
}

// Pieces from lo up to, not including, hi are a tree: the middle one, those before it and those behind it; the middle
// one holds a ball around them all.
typedef struct stretch {
    const tube_piece *pieces;
    int lo, hi;
} stretch;

static const tube_piece *trunk_of(stretch b) {
    return &b.pieces[(b.lo + b.hi) / 2];
}

static double most_of(stretch b, vec3 p) {
    return b.lo < b.hi ? most_room(&trunk_of(b)->all, p) : -HUGE_VAL;
}

static void make_tree(tube_piece *pieces, int lo, int hi) {
    const int middle = (lo + hi) / 2, parts[2][2] = {{lo, middle}, {middle + 1, hi}};
    tube_piece *own = &pieces[middle];
    const vec3 c = {own->c[0][0], own->c[1][0], own->c[2][0]};
    own->all = (bounding_ball){vec3_madd(c, 0.5, own->along),
                               0.5 * vec3_norm(own->along) + own->bulge, own->most};
    for (int i = 0; i < 2; i++) {
        if (parts[i][0] >= parts[i][1]) continue;
        make_tree(pieces, parts[i][0], parts[i][1]);
        own->all =
            around_both(&own->all, &trunk_of((stretch){pieces, parts[i][0], parts[i][1]})->all);
    }
}

// The part that promises most goes first: others then need no look.
static void look_in(stretch b, vec3 p, spot *best) {
    const int middle = (b.lo + b.hi) / 2;
    const tube_piece *s = &b.pieces[middle];
    stretch parts[2] = {{b.pieces, b.lo, middle}, {b.pieces, middle + 1, b.hi}};
    double most[2] = {most_of(parts[0], p), most_of(parts[1], p)};
    const double here = most_along(s, p);
    const int first = most[1] > most[0];
    if (most[first] > here && most[first] > best->phi) look_in(parts[first], p, best);
    if (here > best->phi) look_along(s, p, best);
    if (most[first] <= here && most[first] > best->phi) look_in(parts[first], p, best);
    if (most[!first] > best->phi) look_in(parts[!first], p, best);
}

// Of the line that begins with this piece.
static stretch all_of(const tube_piece *line) {
    return (stretch){line, 1, line->line - 1};
}

static spot best_spot(const tube_piece *line, vec3 p) {
    spot best = {line + 1, 0.0, -HUGE_VAL};
    if (!line->closed) look_beyond(line, p, &best);
    look_beyond(line + line->line - 1, p, &best);
    look_in(all_of(line), p, &best);
    return best;
}

// Every place of the centre line bounds the distance from below. Beside each place of the chord there is one, no
// farther than the bulge; else one is taken that a step of Newton's method finds from there.
static bool is_wide_along(const tube_piece *s, vec3 p, double room) {
    double t, rate;
    const double d = from_chord(s, p, &t);
    if (s->most - fmax(0.0, d - s->bulge) <= room) return false;
    if (s->least - d - s->bulge > room) return true;
    const double slope = slope_at(s, t, p, &rate);
    if (rate < 0.0) t -= slope / rate;
    return room_at(s, fmax(0.0, fmin(t, s->span)), p) > room;
}

static bool is_wide_in(stretch b, vec3 p, double room, int *piece) {
    const int middle = (b.lo + b.hi) / 2;
    const tube_piece *s = &b.pieces[middle];
    const stretch parts[2] = {{b.pieces, b.lo, middle}, {b.pieces, middle + 1, b.hi}};
    *piece = middle;
    if (is_wide_along(s, p, room)) return true;
    for (int i = 0; i < 2; i++)
        if (most_of(parts[i], p) > room && is_wide_in(parts[i], p, room, piece)) return true;
    return false;
}

bool tube_is_wide(const obstacle *o, const se3 *frame, vec3 p, double room, int *piece) {
    const vec3 x = mat3_tmul_vec(&frame->R, vec3_sub(p, frame->p));
    int found;
    if (piece && *piece > 0 && *piece < o->n_pieces && o->pieces[*piece].span < HUGE_VAL &&
        is_wide_along(&o->pieces[*piece], x, room))
        return true;
    for (int i = 0; i < o->n_pieces; i += o->pieces[i].line) {
        if (!is_wide_in(all_of(&o->pieces[i]), x, room, &found)) continue;
        if (piece) *piece = i + found;
        return true;
    }
    return false;
}

static clearance line_distance(const tube_piece *line, vec3 p) {
    const spot best = best_spot(line, p);
    const tube_place a = tube_at(best.piece, best.t);
    const vec3 x = vec3_sub(p, a.c);
    const double d = vec3_norm(x), held = fmax(d, SMALL * a.R), c1 = vec3_norm(a.c1);
    const vec3 e =
        d > 0.0 ? vec3_scale(x, 1.0 / d) : vec3_perpendicular(vec3_scale(a.c1, 1.0 / c1));
    const double along = vec3_dot(e, a.c1);
    const vec3 f_pt = vec3_scale(vec3_madd(a.c1, -along, e), 1.0 / held);
    const double f_tt = a.R2 + vec3_dot(e, a.c2) - (c1 * c1 - along * along) / held;
    const double bent = fmin(f_tt, -1e-6 * c1 * c1 / held);  // beyond: the centre of a bend
    const mat3 I = mat3_identity(), ee = mat3_outer(e, e), P = mat3_sub(&I, &ee);
    const mat3 across = mat3_scale(&P, -1.0 / held);
    const bool ends = line->closed && best.piece == line + 1 && best.t <= 0.0;
    if (ends) return (clearance){best.phi, vec3_neg(e), across};  // a ball
    const mat3 line_turns = mat3_outer(f_pt, vec3_scale(f_pt, -1.0 / bent));
    return (clearance){best.phi, vec3_neg(e), mat3_add(&across, &line_turns)};
}

// Rods are inside of any of its lines: phi is the largest of theirs. The edge between two, a and b, is rounded where
// they differ by less than w,
//
//     phi = (a + b)/2 + w/4 + (a - b)^2/(4 w)
//
// so that n is continuous. Its gradient is shorter than 1 there, as befits the energy K (r - phi)^2/2.
#define ROUNDED 0.2  // of the radius at the mouth of a branch

static clearance wider(const clearance *a, const clearance *b, double w) {
    const double d = a->phi - b->phi;
    if (fabs(d) >= w) return d > 0.0 ? *a : *b;
    const double half = 0.5 + 0.5 * d / w;
    const vec3 between = vec3_sub(a->n, b->n);
    const mat3 parts[2] = {mat3_scale(&a->H, half), mat3_scale(&b->H, 1.0 - half)};
    const mat3 edge = mat3_outer(between, vec3_scale(between, 0.5 / w)),
               H = mat3_add(&parts[0], &parts[1]);
    return (clearance){0.5 * (a->phi + b->phi) + 0.25 * (w + d * d / w),
                       vec3_madd(b->n, half, between), mat3_add(&H, &edge)};
}

static clearance tube_distance(const obstacle *o, vec3 p) {
    clearance all = line_distance(o->pieces, p);
    for (int i = o->pieces->line; i < o->n_pieces; i += o->pieces[i].line) {
        const tube_piece *line = &o->pieces[i];
        const double w = ROUNDED * line[1].c[3][0];
        const tube_piece *end = line + line->line - 1;
        const vec3 x = vec3_sub(p, vec3_make(end->c[0][0], end->c[1][0], end->c[2][0]));
        const bool beyond = vec3_dot(x, vec3_make(end->c[0][1], end->c[1][1], end->c[2][1])) > 0.0;
        if (!beyond && most_of(all_of(line), p) <= all.phi - w) continue;  // surely narrower here
        const clearance own = line_distance(line, p);
        all = wider(&all, &own, w);
    }
    return all;
}

// ---------------------------------------------------------------- the centre line of a tube
// Second derivatives m (n) of the cubic spline with knots t: continuous slopes,
//
//     h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (y'_i - y'_(i-1)),  y' of the chords;
//
// at the ends m = 0 (natural: goes on straight), or level: the slope there is 0.
// Until `surround`, a piece holds in its last numbers the knot t, the second derivative m and, for the
// elimination, what m_i takes of m_(i+1).
static void spline(int n, const double *y, bool level, tube_piece *at) {
    for (int i = 0; i < n; i++) {
        const double h0 = i > 0 ? at[i].all.around - at[i - 1].all.around : 0.0;
        const double h1 = i + 1 < n ? at[i + 1].all.around - at[i].all.around : 0.0;
        const double s0 = i > 0 ? (y[4 * i] - y[4 * i - 4]) / h0 : 0.0;
        const double s1 = i + 1 < n ? (y[4 * i + 4] - y[4 * i]) / h1 : 0.0;
        const bool end = i == 0 || i + 1 == n, plain = end && !level;
        const double a = plain || i == 0 ? 0.0 : h0, c = plain ? 0.0 : h1;
        const double b = plain ? 1.0 : 2.0 * (h0 + h1), right = plain ? 0.0 : 6.0 * (s1 - s0);
        const double pivot = b - (i > 0 ? a * at[i - 1].all.middle.x : 0.0);
        at[i].all.middle.x = c / pivot;
        at[i].all.biggest = (right - (i > 0 ? a * at[i - 1].all.biggest : 0.0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--)
        at[i].all.biggest -= at[i].all.middle.x * at[i + 1].all.biggest;
}

// A cubic lies within any convex shape that has its Bezier points: here all that is near the chord.
static void surround(tube_piece *s) {
    double b[4][4], t;
    const double h = s->span;
    for (int k = 0; k < 4; k++) {
        const double *a = s->c[k];
        b[k][0] = a[0];
        b[k][1] = a[0] + h * a[1] / 3.0;
        b[k][2] = a[0] + h * (2.0 * a[1] + h * a[2]) / 3.0;
        b[k][3] = a[0] + h * (a[1] + h * (a[2] + h * a[3]));
    }
    s->along = vec3_make(b[0][3] - b[0][0], b[1][3] - b[1][0], b[2][3] - b[2][0]);
    s->chord = vec3_scale(s->along, h / vec3_dot(s->along, s->along));
    s->bulge = s->most = 0.0, s->least = HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        s->bulge = fmax(s->bulge, from_chord(s, vec3_make(b[0][i], b[1][i], b[2][i]), &t));
        s->most = fmax(s->most, b[3][i]);
        s->least = fmin(s->least, b[3][i]);
    }
}

// Straight on from the far end of a piece, or back from its near end.
static tube_piece straight_on(const tube_piece *from, bool back) {
    const tube_place a = tube_at(from, back ? 0.0 : from->span);
    const double c[4] = {a.c.x, a.c.y, a.c.z, a.R}, c1[3] = {a.c1.x, a.c1.y, a.c1.z};
    tube_piece out = {.span = HUGE_VAL};
    for (int k = 0; k < 4; k++) {
        out.c[k][0] = c[k];
        if (k < 3) out.c[k][1] = back ? -c1[k] : c1[k];
    }
    return out;
}

// Knots at the lengths of the chords.
static void set_knots(int n, const double *points, tube_piece *at) {
    at[0].all.around = 0.0;
    for (int i = 1; i < n; i++) {
        const vec3 from = vec3_load(points + 4 * i - 4), to = vec3_load(points + 4 * i);
        at[i].all.around = at[i - 1].all.around + vec3_norm(vec3_sub(to, from));
    }
}

static void make_line(const double *points, int n, tube_piece *at) {
    set_knots(n, points, at);
    for (int k = 0; k < 4; k++) {
        const double *y = points + k;
        spline(n, y, k == 3, at);
        for (int i = 0; i + 1 < n; i++) {
            const double h = at[i + 1].all.around - at[i].all.around;
            const double m0 = at[i].all.biggest, m1 = at[i + 1].all.biggest;
            double *c = at[i + 1].c[k];
            c[0] = y[4 * i];
            c[1] = (y[4 * i + 4] - y[4 * i]) / h - h * (2.0 * m0 + m1) / 6.0;
            c[2] = 0.5 * m0;
            c[3] = (m1 - m0) / (6.0 * h);
            at[i + 1].span = h;
        }
    }
    for (int i = 1; i < n; i++) surround(&at[i]);
    make_tree(at, 1, n);
    at[0] = straight_on(&at[1], true);
    at[n] = straight_on(&at[n - 1], false);
    at[0].line = n + 1;
}

// Its own line, then those of its branches, which do not go on backwards.
static void make_lines(const td_obstacle_def *def, tube_piece *at) {
    const double *points = def->points;
    for (int line = 0; line <= def->n_branches; line++) {
        const int n = line ? def->branches[line - 1] : tube_own_points(def);
        make_line(points, n, at);
        at->closed = line > 0;
        points += 4 * n, at += n + 1;
    }
}

// ---------------------------------------------------------------- meshes
#define RIM 3.0  // cells within the border of a grid, where its splines are bent

// Beyond the grid, p is as far from it as from the nearest point c of the grid, and c from the mesh: phi(c) + |p - c|.
static clearance mesh_distance(const obstacle *o, vec3 p) {
    const spline_grid *g = o->grid;
    const double at[3] = {p.x, p.y, p.z}, from[3] = {g->origin.x, g->origin.y, g->origin.z};
    double c[3], x[3];
    for (int k = 0; k < 3; k++) {
        const double lo = from[k] + RIM * g->h[k], hi = from[k] + (g->n[k] - 1 - RIM) * g->h[k];
        c[k] = fmax(lo, fmin(at[k], hi));
        x[k] = at[k] - c[k];
    }
    const spline_value v = spline_grid_at(g, vec3_load(c));
    const vec3 away = vec3_load(x);
    const double d = vec3_norm(away);
    if (d == 0.0) return (clearance){v.f, v.g, v.H};
    double n[3], slope[3] = {v.g.x, v.g.y, v.g.z};
    mat3 H = v.H;
    for (int k = 0; k < 3; k++) n[k] = x[k] != 0.0 ? x[k] / d : slope[k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const bool out = x[i] != 0.0 && x[k] != 0.0;
            if (x[i] != 0.0 || x[k] != 0.0) H.m[i][k] = out ? ((i == k) - n[i] * n[k]) / d : 0.0;
        }
    return (clearance){v.f + d, vec3_load(n), H};
}

// ---------------------------------------------------------------- heights
// The nearest point s = (u, v, h(u, v)) of the surface: with x = p - s, Newton on x.s_u = x.s_v = 0. With the metric
// G = (s_a.s_b), the curvature B = (n.s_ab) and S = (s_u, s_v)
//
//     p = s + phi n,   dn = -S G^-1 B du,   du = (G - phi B)^-1 S' dp
//
// The first guess is below p, and a step never leads farther away from p than it is.
typedef struct foot {
    vec3 s, su, sv, n;
    double huu, huv, hvv;
} foot;

static foot foot_at(const spline_grid *g, double u, double v) {
    const vec3 inside = spline_grid_nearest(g, vec3_make(u, v, 0.0));
    const spline_value h = spline_grid_at(g, inside);
    const bool beyond[2] = {inside.x != u, inside.y != v};
    const double hu = beyond[0] ? 0.0 : h.g.x, hv = beyond[1] ? 0.0 : h.g.y;
    foot f = {.s = {u, v, h.f}, .su = {1.0, 0.0, hu}, .sv = {0.0, 1.0, hv}};
    f.n = vec3_scale(vec3_make(-hu, -hv, 1.0), 1.0 / sqrt(1.0 + hu * hu + hv * hv));
    f.huu = beyond[0] ? 0.0 : h.H.m[0][0];
    f.hvv = beyond[1] ? 0.0 : h.H.m[1][1];
    f.huv = beyond[0] || beyond[1] ? 0.0 : h.H.m[0][1];
    return f;
}

static double square(vec3 x) {
    return vec3_dot(x, x);
}

static foot nearest_foot(const spline_grid *g, vec3 p) {
    foot f = foot_at(g, p.x, p.y);
    double away = square(vec3_sub(p, f.s));
    for (int i = 0; i < 30 && away > 0.0; i++) {
        const vec3 x = vec3_sub(p, f.s);
        const double a = vec3_dot(x, f.su), b = vec3_dot(x, f.sv);
        double A = vec3_dot(f.su, f.su) - x.z * f.huu, C = vec3_dot(f.sv, f.sv) - x.z * f.hvv;
        double B = vec3_dot(f.su, f.sv) - x.z * f.huv;
        if (!(A > 0.0 && A * C > B * B)) {  // no minimum near: the steepest way down
            A = vec3_dot(f.su, f.su), B = vec3_dot(f.su, f.sv), C = vec3_dot(f.sv, f.sv);
        }
        const double det = A * C - B * B, du = (C * a - B * b) / det, dv = (A * b - B * a) / det;
        double part = 1.0;
        foot next = foot_at(g, f.s.x + du, f.s.y + dv);
        const double most = away * (1.0 + 1e-12);  // for rounding
        for (; part > 1e-3 && square(vec3_sub(p, next.s)) > most; part *= 0.5)
            next = foot_at(g, f.s.x + 0.5 * part * du, f.s.y + 0.5 * part * dv);
        const double now = square(vec3_sub(p, next.s));
        if (!(now <= most)) break;
        f = next, away = now;
        if (hypot(du, dv) <= 1e-13 * (fabs(f.s.x) + fabs(f.s.y) + g->h[0])) break;
    }
    return f;
}

static clearance heightfield_distance(const obstacle *o, vec3 p) {
    const foot f = nearest_foot(o->grid, p);
    const vec3 x = vec3_sub(p, f.s);
    const double phi = copysign(vec3_norm(x), vec3_dot(x, f.n));
    const double B[2][2] = {{f.n.z * f.huu, f.n.z * f.huv}, {f.n.z * f.huv, f.n.z * f.hvv}};
    const double G[2][2] = {{vec3_dot(f.su, f.su), vec3_dot(f.su, f.sv)},
                            {vec3_dot(f.su, f.sv), vec3_dot(f.sv, f.sv)}};
    double M[2][2], W[2][2] = {{0.0}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) M[i][k] = G[i][k] - phi * B[i][k];
    const double g = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    double m = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    if (!(m > 1e-6 * g)) m = 1e-6 * g;  // beyond the centre of a bend
    const double Gi[2][2] = {{G[1][1] / g, -G[0][1] / g}, {-G[1][0] / g, G[0][0] / g}};
    const double Mi[2][2] = {{M[1][1] / m, -M[0][1] / m}, {-M[1][0] / m, M[0][0] / m}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) W[i][k] -= Gi[i][a] * B[a][b] * Mi[b][k];
    const vec3 S[2] = {f.su, f.sv};
    clearance d = {.phi = phi, .n = f.n, .H = mat3_zero()};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const mat3 part = mat3_outer(vec3_scale(S[i], W[i][k]), S[k]);
            d.H = mat3_add(&d.H, &part);
        }
    return d;
}

// ---------------------------------------------------------------- all shapes
#define DISTANCE(NAME, word, traits) [TD_OBSTACLE_##NAME] = word##_distance,
static shape_distance *const distances[N_OBSTACLE_SHAPES] = {OBSTACLE_SHAPES(DISTANCE)};

int obstacle_n_pieces(const td_obstacle_def *def) {
    return def->shape == TD_OBSTACLE_TUBE ? def->n_points + 1 + def->n_branches : 0;
}

static double farthest(const td_obstacle_def *d) {
    double most = 0.0;
    for (int i = 0; i < d->n_points; i++)
        most = fmax(most, vec3_norm(vec3_load(d->points + 4 * i)));
    return most;
}

// A little more than the farthest of its points, for rounding.
static double reach_of(const td_obstacle_def *d) {
    const double half = 0.5 * d->length, *s = d->sides;
    double far = HUGE_VAL;
    if (d->inside) return far;
    if (d->shape == TD_OBSTACLE_SPHERE) far = d->radius;
    if (d->shape == TD_OBSTACLE_CAPSULE) far = d->radius + half;
    if (d->shape == TD_OBSTACLE_CYLINDER && half > 0.0) far = hypot(d->radius, half);
    if (d->shape == TD_OBSTACLE_BOX) far = 0.5 * hypot(hypot(s[0], s[1]), s[2]);
    if (d->shape == TD_OBSTACLE_TORUS) far = d->radius + 0.5 * d->thickness;
    if (d->shape == TD_OBSTACLE_MESH) far = farthest(d);
    return 1.001 * far;
}

// Of a mesh, twice the radius of the largest ball within.
double obstacle_thickness(const td_obstacle_def *o, const spline_grid *grid) {
    if (o->inside) return HUGE_VAL;
    switch (o->shape) {
    case TD_OBSTACLE_SPHERE:
    case TD_OBSTACLE_CYLINDER:
    case TD_OBSTACLE_CAPSULE: return 2.0 * o->radius;
    case TD_OBSTACLE_TORUS: return o->thickness;
    case TD_OBSTACLE_BOX: return fmin(o->sides[0], fmin(o->sides[1], o->sides[2]));
    case TD_OBSTACLE_MESH: return grid && grid->least < 0.0 ? -2.0 * grid->least : HUGE_VAL;
    default: return HUGE_VAL;
    }
}

obstacle obstacle_make(const td_obstacle_def *def, tube_piece *pieces, spline_grid *grid) {
    obstacle o = {.def = *def, .pieces = pieces, .n_pieces = obstacle_n_pieces(def), .grid = grid};
    o.def.name = NULL;
    o.def.points = NULL;
    o.reach = reach_of(def);
    o.through = obstacle_thickness(def, grid);
    if (o.n_pieces) make_lines(def, pieces);
    o.narrowest = HUGE_VAL;
    for (int i = 0; i < o.n_pieces; i++)
        if (pieces[i].span < HUGE_VAL) o.narrowest = fmin(o.narrowest, pieces[i].least);
    return o;
}

clearance obstacle_distance(const obstacle *o, vec3 p) {
    clearance d = distances[o->def.shape](o, p);
    if (o->def.inside) d = (clearance){-d.phi, vec3_neg(d.n), mat3_scale(&d.H, -1.0)};
    return d;
}

// ---------------------------------------------------------------- through and out again
#define MOST_LOOKS 1000  // along a way

static bool is_out(const obstacle *o, vec3 p) {
    return obstacle_distance(o, p).phi < -o->narrowest;
}

bool obstacle_is_crossed(const obstacle *o, vec3 from, vec3 to) {
    if (o->n_pieces) return is_out(o, to) && !is_out(o, from);
    const double deep = 0.25 * o->through;
    const vec3 way = vec3_sub(to, from);
    const double length = vec3_norm(way);
    if (!(deep < HUGE_VAL) || !(length > 0.0)) return false;
    const clearance a = obstacle_distance(o, from), b = obstacle_distance(o, to);
    // the distance changes by no more than the way
    if (a.phi + b.phi >= length) return false;
    const bool other_side = vec3_dot(a.n, b.n) < 0.0;
    // what is deep within belongs to the nearer side
    if (!(a.phi > -deep) || !(b.phi > -deep)) return other_side;
    double phi = a.phi, at = 0.0;
    for (int i = 0; i < MOST_LOOKS && phi > -deep; i++) {
        at += fmax(phi + deep, fmax(0.1 * deep, length / MOST_LOOKS));
        if (at >= length) return false;
        phi = obstacle_distance(o, vec3_madd(from, at / length, way)).phi;
    }
    return true;
}

const char *obstacle_passage(const obstacle *o, const char *name, size_t size, char *text) {
    if (o->n_pieces) snprintf(text, size, "leaves tube '%.60s' through its wall", name);
    else
        snprintf(text, size, "passes through obstacle '%.60s', which is %.3g m thick", name,
                 o->through);
    return text;
}

// ---------------------------------------------------------------- in the world
se3 obstacle_frame(const obstacle *o, const double *inputs) {
    const quat turn = quat_exp(numbers_at(o->def.rotation, inputs));
    const quat q = quat_mul(quat_load(o->def.orientation), turn);
    return (se3){quat_to_mat3(q), numbers_at(o->def.position, inputs)};
}

clearance obstacle_distance_from(const obstacle *o, const se3 *frame, vec3 p) {
    const mat3 *R = &frame->R, Rt = mat3_transpose(R);
    const clearance own = obstacle_distance(o, mat3_mul_vec(&Rt, vec3_sub(p, frame->p)));
    const mat3 HR = mat3_mul(&own.H, &Rt);
    return (clearance){own.phi, mat3_mul_vec(R, own.n), mat3_mul(R, &HR)};
}

bool obstacle_is_driven(const obstacle *o) {
    for (int k = 0; k < 3; k++)
        if (o->def.position[k].gain != 0.0 || o->def.rotation[k].gain != 0.0) return true;
    return false;
}
