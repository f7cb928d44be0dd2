// environment/touch.c - see touch.h.
#include "environment/touch.h"

#include <math.h>
#include <stdio.h>

#include "math/block.h"
#include "math/turn.h"

#define MOST_SUNK 0.1  // of its radius, that a rod goes in under its weight

touch_law touch_law_of(const td_obstacle_def *o, const touch_rod *r) {
    const double h2 = r->h * r->h, l2 = r->length * r->length;
    const double room = r->radius > 0.0 ? r->radius : r->h, soft = r->EI / (l2 * l2);
    contact_law law = {o->stiffness, o->friction, o->presliding, o->restitution};
    if (!(law.stiffness > 0.0))
        law.stiffness = fmax(TOUCH_HARDNESS * r->EI / (h2 * h2), r->weight / (MOST_SUNK * room));
    if (!(law.presliding > 0.0)) law.presliding = r->radius > 0.0 ? 0.01 * r->radius : 1e-4 * r->h;
    return (touch_law){law, fmin(1.0, soft / law.stiffness), false, o->hard};
}

// ---------------------------------------------------------------- obstacles
touch_memory touch_layout(const touch *t, arena *keep, arena *work) {
    const size_t n = (size_t)t->n;
    touch_memory m = {0};
    if (n == 0) return m;
    m.frames = ARENA_TAKE(keep, se3, n);
    m.grips = ARENA_TAKE(keep, double, CONTACT_KEPT *n *(size_t)t->n_points);
    m.before = ARENA_TAKE(keep, se3, t->n_points);
    m.there = ARENA_TAKE(keep, double, t->n_points);
    m.begun = ARENA_TAKE(keep, double, 1);
    m.now = ARENA_TAKE(work, se3, n);
    m.rates = ARENA_TAKE(work, vec6, n);
    m.hardness = ARENA_TAKE(work, double, 1);
    m.set = ARENA_TAKE(work, double, 2);
    m.left = ARENA_TAKE(work, se3, n);
    m.from = ARENA_TAKE(work, vec3, t->n_points);
    m.to = ARENA_TAKE(work, vec3, t->n_points);
    m.pressed = ARENA_TAKE(work, double, n *(size_t)t->n_points);
    m.last = ARENA_TAKE(work, double, n *(size_t)t->n_points);
    m.pace = ARENA_TAKE(work, double, t->n_points);
    return m;
}

// R = R0 exp(a^): its spin, in its own axes, is T(a) a'.
static vec6 motion_of(const obstacle *o, const se3 *frame, const double *inputs,
                      const double *rates) {
    if (!rates || !obstacle_is_driven(o)) return vec6_zero();
    const td_number *by = o->def.rotation;
    const vec3 a = vec3_make(number_value(by[0], inputs), number_value(by[1], inputs),
                             number_value(by[2], inputs));
    const turn t = turn_make(TURN_VECTOR, a);
    const vec3 spin = mat3_mul_vec(&t.T, number_rates_at(by, rates));
    return vec6_make(mat3_mul_vec(&frame->R, spin), number_rates_at(o->def.position, rates));
}

static double length_of(const touch_point *x, const double *inputs) {
    return x->length * number_value(x->there, inputs);
}

static void set_lengths(const touch *t, const touch_memory *m, const double *inputs,
                        double hardness) {
    if (t->n == 0) return;
    for (int i = 0; i < t->n_points; i++) m->there[i] = length_of(&t->points[i], inputs);
    *m->hardness = hardness;
    m->set[0] = m->set[1] = 0.0;
}

void touch_move(const touch *t, const touch_memory *m, const double *inputs, const double *rates,
                double hardness) {
    for (int i = 0; i < t->n; i++) {
        m->now[i] = obstacle_frame(&t->obstacles[i], inputs);
        m->rates[i] = motion_of(&t->obstacles[i], &m->now[i], inputs, rates);
    }
    set_lengths(t, m, inputs, hardness);
}

void touch_carry(const touch *t, const touch_memory *m, int which, const se3 *T, vec6 rate) {
    const se3 own = obstacle_frame(&t->obstacles[which], NULL);  // nothing drives it
    const vec3 arm = mat3_mul_vec(&T->R, own.p);
    m->now[which] = se3_mul(T, &own);
    m->rates[which] = vec6_make(rate.a, vec3_add(rate.l, vec3_cross(rate.a, arm)));
}

void touch_stay(const touch *t, const touch_memory *m, const double *inputs) {
    for (int i = 0; i < t->n; i++) {
        m->now[i] = m->frames[i];
        m->rates[i] = vec6_zero();
    }
    set_lengths(t, m, inputs, 1.0);
}

void touch_accept(const touch *t, const touch_memory *m) {
    for (int i = 0; i < t->n; i++) m->frames[i] = m->now[i];
    if (t->n) *m->begun = 1.0;
}

void touch_forget(const touch *t, const touch_memory *m) {
    touch_accept(t, m);
    for (int i = 0; i < CONTACT_KEPT * t->n * t->n_points; i++) m->grips[i] = 0.0;
    if (t->n) *m->begun = 0.0;
}

// ---------------------------------------------------------------- at a point
// How far the material of an obstacle has moved and turned since, at a point of now.
static vec6 carried(const obstacle *o, const se3 *before, const se3 *now, vec3 p) {
    if (!obstacle_is_driven(o) && !obstacle_is_carried(o)) return vec6_zero();
    const mat3 back = mat3_transpose(&before->R), turned = mat3_mul(&now->R, &back);
    const vec3 own = mat3_tmul_vec(&now->R, vec3_sub(p, now->p));
    const vec3 was = vec3_add(before->p, mat3_mul_vec(&before->R, own));
    return vec6_make(so3_log(&turned), vec3_sub(p, was));
}

static vec6 travelled(const se3 *before, const touch_now *at) {
    const mat3 back = mat3_transpose(&before->R), turned = mat3_mul(&at->T.R, &back);
    return vec6_make(so3_log(&turned), vec3_sub(at->T.p, before->p));
}

typedef struct meeting {  // of a point with an obstacle
    contact c;
    vec6 by;  // motion of the obstacle's material at the axis of the point
    vec3 n;
} meeting;

static double *grip_of(const touch *t, const touch_memory *m, int point, int which) {
    return m->grips + CONTACT_KEPT * (point * t->n + which);
}

// The law and the point of a contact; false: there is none.
static bool face(const touch *t, const touch_memory *m, int point, int which, const touch_now *at,
                 contact_law *out_law, contact_point *out) {
    const touch_point *x = &t->points[point];
    const obstacle *o = &t->obstacles[which];
    const touch_law *given = &t->laws[x->row * t->n + which];
    if (given->never) return false;
    const double *kept = grip_of(t, m, point, which);
    const double ahead = *m->hardness == 1.0 ? kept[CONTACT_AHEAD] : 0.0;
    if (obstacle_is_far(o, &m->now[which], at->T.p, x->radius + ahead, NULL)) return false;
    contact_point p = {.from = obstacle_distance_from(o, &m->now[which], at->T.p),
                       .radius = x->radius,
                       .ahead = ahead};
    if (!contact_touches(&p)) return false;
    contact_law law = given->law;
    if (at->moves) p.deepest = kept[3];
    if (*m->hardness != 1.0) law.stiffness *= pow(given->softest, 1.0 - *m->hardness);
    if (!at->moves && *m->begun == 0.0) law.friction = 0.0;  // there is no before yet
    if (law.friction > 0.0) {
        const vec6 way = travelled(&m->before[point], at);
        const vec6 own = vec6_sub(way, carried(o, &m->frames[which], &m->now[which], at->T.p));
        p.turned = own.a, p.moved = own.l, p.spun = way.a;
        p.slip = vec3_load(kept);
    }
    *out_law = law;
    *out = p;
    return true;
}

static bool meet(const touch *t, const touch_memory *m, int point, int which, const touch_now *at,
                 meeting *out, contact_slopes *slopes) {
    contact_law law;
    contact_point p;
    if (!face(t, m, point, which, at, &law, &p)) return false;
    const vec6 by = m->rates[which];
    const vec3 arm = vec3_sub(at->T.p, m->now[which].p);
    out->c = contact_at(&law, &p, slopes);
    out->n = p.from.n;
    out->by = vec6_make(by.a, vec3_add(by.l, vec3_cross(by.a, arm)));
    return true;
}

static void add_slopes(const contact_slopes *s, double length, point_slopes *sum) {
    block33_add(sum->by_motion, 0, 0, length, &s->l_th);
    block33_add(sum->by_motion, 0, 3, length, &s->l_p);
    block33_add(sum->by_motion, 3, 0, length, &s->f_th);
    block33_add(sum->by_motion, 3, 3, length, &s->f_p);
}

// The moment of a force at p - r n about p is that of its friction alone.
static void add_powers(const meeting *x, const touch_now *at, double length, touch_answer *sum) {
    const contact *c = &x->c;
    const vec6 own = vec6_sub(vec6_make(at->w, at->v), x->by);
    sum->lost -= length * (vec3_dot(c->friction, own.l) + vec3_dot(c->moment, own.a));
    sum->lost += length * c->dead * fmax(0.0, -vec3_dot(x->n, own.l));
    sum->given += length * (vec3_dot(c->force, x->by.l) + vec3_dot(c->moment, x->by.a));
}

// Others, nearly always, have another number, and all are exact as doubles. Who asks twice, for slopes, does so in the
// same order.
static void note_touch(const touch *t, const touch_memory *m, int point, int which) {
    const int last = obstacle_is_carried(&t->obstacles[which]) ? t->n : 0;
    const double pair = 2.0 * t->n * point + last + which + 1.0;
    if (pair <= m->set[1]) return;
    m->set[0] = fmod(31.0 * m->set[0] + pair, 1e12);
    m->set[1] = pair;
}

bool touch_with(const touch *t, const touch_memory *m, int point, int which, const touch_now *at,
                touch_answer *sum, point_slopes *slopes) {
    const double length = m->there[point];
    contact_slopes one;
    meeting x;
    if (!(length > 0.0) || !meet(t, m, point, which, at, &x, slopes ? &one : NULL)) return false;
    const vec6 w = vec6_make(x.c.moment, x.c.force);
    note_touch(t, m, point, which);
    sum->wrench = vec6_madd(sum->wrench, length, w);
    sum->energy += length * x.c.energy;
    if (at->moves) add_powers(&x, at, length, sum);
    if (obstacle_is_carried(&t->obstacles[which])) sum->given = 0.0;
    if (slopes) add_slopes(&one, length, slopes);
    return true;
}

touch_answer touch_at(const touch *t, const touch_memory *m, int point, const touch_now *at,
                      point_slopes *slopes) {
    touch_answer sum = {.energy = 0.0};
    for (int i = 0; i < t->n; i++)
        if (!obstacle_is_carried(&t->obstacles[i])) touch_with(t, m, point, i, at, &sum, slopes);
    return sum;
}

touch_now touch_on(const se3 *base, const mat3 *R, vec3 p, vec3 w, vec3 v, bool moves) {
    return (touch_now){{mat3_mul(&base->R, R), se3_mul_point(base, p)},
                       mat3_mul_vec(&base->R, w),
                       mat3_mul_vec(&base->R, v),
                       moves};
}

// Each block of S becomes B'S B.
static void turn_slopes(const mat3 *B, double S[36]) {
    for (int row = 0; row < 6; row += 3)
        for (int column = 0; column < 6; column += 3) {
            const mat3 x = block33_at(S, row, column), right = mat3_mul(&x, B),
                       own = mat3_tmul(B, &right);
            block33_put(S, row, column, &own);
        }
}

touch_answer touch_in(const touch *t, const touch_memory *m, int point, const mat3 *base,
                      const touch_now *at, point_slopes *slopes) {
    touch_answer out = touch_at(t, m, point, at, slopes);
    out.wrench = vec6_make(mat3_tmul_vec(base, out.wrench.a), mat3_tmul_vec(base, out.wrench.l));
    if (slopes) turn_slopes(base, slopes->by_motion);
    return out;
}

void touch_stick(const touch *t, const touch_memory *m, int point, const touch_now *at) {
    meeting x;
    for (int i = 0; i < t->n; i++) {
        if (!meet(t, m, point, i, at, &x, NULL)) x.c = (contact){.energy = 0.0};
        contact_keep(&x.c, grip_of(t, m, point, i));
    }
    m->before[point] = at->T;
}

void touch_add_past(const touch *t, const touch_memory *m, int point, const touch_now *at,
                    const contact_past *past, double *wrench) {
    const double length = m->there[point];
    for (int i = 0; i < t->n && length > 0.0; i++) {
        contact_past one = *past;
        contact_law law;
        contact_point p;
        one.kept += CONTACT_KEPT * i * past->m;
        if (face(t, m, point, i, at, &law, &p)) contact_add_past(&law, &p, &one, length, wrench);
    }
}

void touch_keep_along(const touch *t, const touch_memory *m, int point, const touch_now *at,
                      const contact_past *past, const double *now, double *kept) {
    for (int i = 0; i < t->n; i++) {
        contact_past one = *past;
        contact_law law;
        contact_point p;
        double *to = kept + CONTACT_KEPT * i * past->m;
        one.kept += CONTACT_KEPT * i * past->m;
        if (face(t, m, point, i, at, &law, &p)) contact_keep_along(&law, &p, &one, now, to);
        else
            for (int k = 0; k < CONTACT_KEPT * past->m; k++) to[k] = 0.0;
    }
}

double touch_energy(const touch *t, const touch_memory *m, const se3 *frames, const double *inputs,
                    int point, vec3 p) {
    const touch_point *x = &t->points[point];
    double sum = 0.0;
    for (int i = 0; i < t->n; i++) {
        const obstacle *o = &t->obstacles[i];
        const touch_law *given = &t->laws[x->row * t->n + i];
        const double *kept = grip_of(t, m, point, i), ahead = kept[CONTACT_AHEAD];
        if (given->never || obstacle_is_far(o, &frames[i], p, x->radius + ahead, NULL)) continue;
        const double depth = x->radius - obstacle_distance_from(o, &frames[i], p).phi;
        if (depth + ahead > 0.0) sum += contact_press(&given->law, depth, kept[3], ahead).energy;
    }
    return length_of(x, inputs) * sum;
}

double touch_ahead(const touch *t, const touch_memory *m, int point, int which) {
    return grip_of(t, m, point, which)[CONTACT_AHEAD];
}

contact touch_kept(const touch *t, const touch_memory *m, int point, int which,
                   const clearance *from) {
    const touch_point *x = &t->points[point];
    const double *kept = grip_of(t, m, point, which);
    const contact_point at = {.from = *from,
                              .radius = x->radius,
                              .slip = vec3_load(kept),
                              .deepest = kept[3],
                              .ahead = kept[CONTACT_AHEAD]};
    return contact_at(&t->laws[x->row * t->n + which].law, &at, NULL);
}

// ---------------------------------------------------------------- what is hard
bool touch_is_hard(const touch *t) {
    for (int i = 0; i < t->n; i++)
        if (t->obstacles[i].def.hard > 0.0) return true;
    return false;
}

// x + a of a point of now; 0 or less: nothing presses. *depth: x.
static double pressed_by(const touch *t, const touch_memory *m, int point, int which,
                         double *depth) {
    const touch_point *x = &t->points[point];
    const touch_law *law = &t->laws[x->row * t->n + which];
    const obstacle *o = &t->obstacles[which];
    const double ahead = grip_of(t, m, point, which)[CONTACT_AHEAD];
    if (law->never || !(law->hard > 0.0) || !(m->there[point] > 0.0)) return 0.0;
    if (obstacle_is_far(o, &m->now[which], m->to[point], x->radius + ahead, NULL)) return 0.0;
    *depth = x->radius - obstacle_distance_from(o, &m->now[which], m->to[point]).phi;
    return *depth + ahead;
}

touch_depth touch_depth_of(const touch *t, const touch_memory *m, int first, int n) {
    touch_depth worst = {.times = 0.0};
    for (int i = first; i < first + n; i++)
        for (int k = 0; k < t->n; k++) {
            double depth;
            if (!(pressed_by(t, m, i, k, &depth) > 0.0)) continue;
            const double times = fabs(depth) / t->laws[t->points[i].row * t->n + k].hard;
            if (!(times <= worst.times)) worst = (touch_depth){depth, times, i, k};
        }
    return worst;
}

void touch_push(const touch *t, const touch_memory *m, int first, int n, contact_push how) {
    contact_pace pace = {.w = m->pace[first]};
    for (int i = first * t->n; i < (first + n) * t->n; i++) {
        double x = 0.0;
        const bool on = pressed_by(t, m, i / t->n, i % t->n, &x) > 0.0;
        contact_pace_add(&pace, on ? x : 0.0, &m->last[i]);
    }
    const double w = m->pace[first] = contact_pace_end(&pace, how);
    for (int i = first * t->n; i < (first + n) * t->n; i++) {
        double x = 0.0, *ahead = &m->grips[CONTACT_KEPT * i + CONTACT_AHEAD];
        const bool on = pressed_by(t, m, i / t->n, i % t->n, &x) > 0.0;
        *ahead = on ? contact_pushed(*ahead, w, x) : 0.0;
    }
}

void touch_mark(const touch *t, const touch_memory *m) {
    for (int i = 0; i < t->n * t->n_points; i++)
        m->pressed[i] = m->grips[CONTACT_KEPT * i + CONTACT_AHEAD];
}

bool touch_struck(const touch *t, const touch_memory *m) {
    for (int i = 0; i < t->n * t->n_points; i++)
        if (m->pressed[i] == 0.0 && m->grips[CONTACT_KEPT * i + CONTACT_AHEAD] > 0.0) return true;
    return false;
}

// ---------------------------------------------------------------- ways
void touch_leave(const touch *t, const touch_memory *m, bool kept) {
    const se3 *frames = kept && t->n && *m->begun != 0.0 ? m->frames : m->now;
    for (int i = 0; i < t->n; i++) m->left[i] = frames[i];
}

static bool point_passes(const touch *t, const touch_memory *m, int i, int which) {
    const obstacle *o = &t->obstacles[which];
    if (t->laws[t->points[i].row * t->n + which].never || !(m->there[i] > 0.0)) return false;
    const vec3 from = se3_point_in(&m->left[which], m->from[i]);
    const vec3 to = se3_point_in(&m->now[which], m->to[i]);
    const double way = vec3_norm(vec3_sub(to, from));
    return !obstacle_is_far(o, &m->now[which], m->to[i], way, NULL) &&
           obstacle_is_crossed(o, from, to);
}

static const char *owner_of(const touch *t, const touch_point *x) {
    return t->names[t->n + (x->rod >= 0 ? x->rod : t->n_rods + x->body)].text;
}

void touch_tell_depth(const touch *t, const touch_depth *at, size_t size, char *message) {
    const touch_point *x = &t->points[at->point];
    const double hard = t->laws[x->row * t->n + at->which].hard;
    const int used = snprintf(
        message, size, "%s is %.3g m %s obstacle '%s', which is hard to %.3g m", owner_of(t, x),
        fabs(at->m), at->m > 0.0 ? "deep in" : "pressed away from", t->names[at->which].text, hard);
    if (x->rod >= 0 && used > 0 && (size_t)used < size)
        snprintf(message + used, size - (size_t)used, ", at s = %.4g m", x->s);
}

static void tell_passage(const touch *t, int point, int which, size_t size, char *message) {
    const touch_point *x = &t->points[point];
    char what[112];
    const int used =
        snprintf(message, size, "%s %s", owner_of(t, x),
                 obstacle_passage(&t->obstacles[which], t->names[which].text, sizeof what, what));
    if (x->rod >= 0 && used > 0 && (size_t)used < size)
        snprintf(message + used, size - (size_t)used, ", at s = %.4g m", x->s);
}

bool touch_passes(const touch *t, const touch_memory *m, size_t size, char *message) {
    for (int i = 0; i < t->n_points; i++)
        for (int k = 0; k < t->n; k++)
            if (point_passes(t, m, i, k)) {
                tell_passage(t, i, k, size, message);
                return true;
            }
    return false;
}

bool touch_remembers(const touch *t) {
    for (int i = 0; i < t->n_points; i++)
        for (int k = 0; k < t->n; k++) {
            const touch_law *law = &t->laws[t->points[i].row * t->n + k];
            if (!law->never && contact_remembers(&law->law)) return true;
        }
    return false;
}

bool touch_rubs(const touch *t) {
    for (int i = 0; i < t->n; i++)
        if (t->obstacles[i].def.friction > 0.0) return true;
    return false;
}
