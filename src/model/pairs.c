// model/pairs.c - see pairs.h.
//
// Candidates are found by sorting boxes along the axis in which capsules are spread most, and sweeping over them: the cost
// is that of sorting what is nearly sorted already, and of the boxes that overlap. All that follows, the order of sums
// too, depends on the shape alone.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"
#include "model/pairs.h"

pairs_memory pairs_layout(const part_contacts *c, arena *keep, arena *work) {
    const size_t n = (size_t)c->n, most = (size_t)c->most;
    pairs_memory m = {.n = 0};
    if (n == 0) return m;
    m.kept = ARENA_TAKE(keep, double, 1);
    m.keys = ARENA_TAKE(keep, double, most);
    m.slips = ARENA_TAKE(keep, double, 3 * most);
    m.begun = ARENA_TAKE(keep, double, 1);
    m.there = ARENA_TAKE(keep, double, n);
    m.hardness = ARENA_TAKE(work, double, 1);
    m.order = ARENA_TAKE(work, int, n);
    m.lo = ARENA_TAKE(work, vec3, n);
    m.hi = ARENA_TAKE(work, vec3, n);
    m.p = ARENA_TAKE(work, vec3, 2 * n);
    m.from = ARENA_TAKE(work, vec3, 2 * n);
    m.list = ARENA_TAKE(work, int, 2 * most);
    m.new_keys = ARENA_TAKE(work, double, most);
    m.new_slips = ARENA_TAKE(work, double, 3 * most);
    m.held = ARENA_TAKE(work, double, most);
    return m;
}

void pairs_move(const part_contacts *c, const pairs_memory *m, const double *inputs,
                double hardness) {
    for (int i = 0; i < c->n; i++) m->there[i] = number_value(c->capsules[i].there, inputs);
    if (c->n) *m->hardness = hardness;
}

// ---------------------------------------------------------------- who may touch whom
// m, the way along rods from one segment to another, through one joint at most.
static double way_between(const part_contacts *c, const capsule *a, const capsule *b) {
    const double a_ends[2] = {a->s, a->left}, b_ends[2] = {b->s, b->left};
    const int *a_by = c->joined + 2 * a->part, *b_by = c->joined + 2 * b->part;
    double way = HUGE_VAL;
    if (a->part == b->part) way = fmax(0.0, fmax(b->s - a->s - a->length, a->s - b->s - b->length));
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (a_by[i] != TD_WORLD && a_by[i] == b_by[k] && !(a->part == b->part && i == k))
                way = fmin(way, a_ends[i] + b_ends[k]);
    return way;
}

// A rod that bends as far as its thickness lets it touches itself after half a turn, pi r: what is nearer along it is
// neighbours.
static const part_law *law_between(const part_contacts *c, const pairs_memory *m, int i, int k) {
    const capsule *a = &c->capsules[i], *b = &c->capsules[k];
    const part_law *law = &c->laws[a->part * c->n_parts + b->part];
    if (law->contact < 0 || !(m->there[i] > 0.0) || !(m->there[k] > 0.0)) return NULL;
    if (a->part >= c->n_rods && a->part == b->part) return NULL;
    if (a->part >= c->n_rods || b->part >= c->n_rods) return law;
    return way_between(c, a, b) > 0.5 * PI * (a->radius + b->radius) ? law : NULL;
}

static pair_law law_of(const part_contacts *c, const part_law *given, int i, int k,
                       double hardness) {
    const capsule *a = &c->capsules[i], *b = &c->capsules[k];
    pair_law law = given->law;
    law.radii[0] = a->radius, law.radii[1] = b->radius;
    law.lean[0] = a->lean, law.lean[1] = b->lean;
    if (hardness != 1.0) law.stiffness *= pow(given->softest, 1.0 - hardness);
    return law;
}

// ---------------------------------------------------------------- boxes
static void find_ends(const part_contacts *c, const pair_shape *x, vec3 *p) {
    for (int i = 0; i < 2 * c->n; i++) p[i] = x->at(x->of, i / 2, i % 2).p;
}

static vec3 least(vec3 a, vec3 b) {
    return vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static vec3 most(vec3 a, vec3 b) {
    return vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

// Around capsules, and their way from m->from where `swept`.
static void find_boxes(const part_contacts *c, pairs_memory *m, bool swept) {
    for (int i = 0; i < c->n; i++) {
        const double r = c->capsules[i].radius;
        const vec3 *p = m->p + 2 * i, *q = m->from + 2 * i, edge = vec3_make(r, r, r);
        vec3 lo = least(p[0], p[1]), hi = most(p[0], p[1]);
        if (swept) lo = least(lo, least(q[0], q[1])), hi = most(hi, most(q[0], q[1]));
        m->lo[i] = vec3_sub(lo, edge);
        m->hi[i] = vec3_add(hi, edge);
    }
}

static double along(vec3 p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// In which the middles of boxes are spread most.
static int widest_axis(const part_contacts *c, const pairs_memory *m) {
    const int n = c->n;
    double widest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < n; i++) {
            const double x = along(m->lo[i], k) + along(m->hi[i], k);
            sum += x, squares += x * x;
        }
        const double spread = squares - sum * sum / n;
        if (spread > widest) widest = spread, axis = k;
    }
    return axis;
}

// By their lower sides and, where these are equal, their numbers: there is one such order.
static bool comes_before(const pairs_memory *m, int axis, int a, int b) {
    const double x = along(m->lo[a], axis), y = along(m->lo[b], axis);
    return x < y || (x == y && a < b);
}

// Heap: the item at `root` sinks until none of those below it comes after it.
static void sink(const pairs_memory *m, int axis, int root, int n) {
    for (int child = 2 * root + 1; child < n; child = 2 * root + 1) {
        int *order = m->order;
        if (child + 1 < n && comes_before(m, axis, order[child], order[child + 1])) child++;
        if (!comes_before(m, axis, order[root], order[child])) return;
        const int kept = order[root];
        order[root] = order[child], order[child] = kept;
        root = child;
    }
}

static void sort_boxes(const pairs_memory *m, int axis, int n) {
    for (int i = 0; i < n; i++) m->order[i] = i;
    for (int i = n / 2 - 1; i >= 0; i--) sink(m, axis, i, n);
    for (int i = n - 1; i > 0; i--) {
        const int last = m->order[0];
        m->order[0] = m->order[i], m->order[i] = last;
        sink(m, axis, 0, i);
    }
}

static bool overlap(const pairs_memory *m, int i, int k) {
    const vec3 *lo = m->lo, *hi = m->hi;
    return lo[i].x <= hi[k].x && lo[k].x <= hi[i].x && lo[i].y <= hi[k].y && lo[k].y <= hi[i].y &&
           lo[i].z <= hi[k].z && lo[k].z <= hi[i].z;
}

// Asks of each pair of capsules, the first before the second, whose boxes overlap; ends where the answer is false.
typedef bool pair_visit(const part_contacts *c, pairs_memory *m, const part_law *law, int i, int k);

static bool sweep(const part_contacts *c, pairs_memory *m, bool swept, pair_visit *visit) {
    const int n = c->n;
    find_boxes(c, m, swept);
    const int axis = widest_axis(c, m);
    sort_boxes(m, axis, n);
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            const int x = m->order[a], y = m->order[b], i = x < y ? x : y, k = x < y ? y : x;
            if (along(m->lo[y], axis) > along(m->hi[x], axis)) break;
            if (!overlap(m, i, k)) continue;
            const part_law *law = law_between(c, m, i, k);
            if (law && !visit(c, m, law, i, k)) return false;
        }
    return true;
}

static void ends_of(const vec3 *p, int i, int k, vec3 out[PAIR_ENDS]) {
    out[END_A0] = p[2 * i], out[END_A1] = p[2 * i + 1];
    out[END_B0] = p[2 * k], out[END_B1] = p[2 * k + 1];
}

static bool list_pair(const part_contacts *c, pairs_memory *m, const part_law *given, int i,
                      int k) {
    const pair_law law = law_of(c, given, i, k, 1.0);
    vec3 p[PAIR_ENDS];
    ends_of(m->p, i, k, p);
    if (!(pair_nearest(&law, p).g < law.radii[0] + law.radii[1])) return true;
    m->over = m->n == c->most;
    if (m->over) return false;
    m->list[2 * m->n] = i;
    m->list[2 * m->n++ + 1] = k;
    return true;
}

static bool is_listed(const pairs_memory *m, int i, int k) {
    for (int l = 0; l < m->n; l++)
        if (m->list[2 * l] == i && m->list[2 * l + 1] == k) return true;
    return false;
}

static void add_held(const part_contacts *c, pairs_memory *m, double key) {
    const int i = (int)(key / c->n), k = (int)(key - (double)i * c->n);
    if (is_listed(m, i, k)) return;
    m->over = m->n == c->most;
    if (m->over) return;
    m->list[2 * m->n] = i;
    m->list[2 * m->n++ + 1] = k;
}

// All pairs that touch, and those that are held.
void pairs_find(const part_contacts *c, pairs_memory *m, const pair_shape *x) {
    m->n = 0;
    m->over = false;
    find_ends(c, x, m->p);
    if (!m->only_held) sweep(c, m, false, list_pair);
    for (int i = 0; i < m->n_held && !m->over; i++) add_held(c, m, m->held[i]);
}

// ---------------------------------------------------------------- a pair
static double key_of(const part_contacts *c, int i, int k) {
    return (double)i * c->n + k;
}

// What stuck in the accepted shape.
static vec3 slip_of(const pairs_memory *m, double key) {
    int low = 0, high = (int)*m->kept;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (m->keys[middle] < key) low = middle + 1;
        else high = middle;
    }
    const bool found = low < (int)*m->kept && m->keys[low] == key;
    return found ? vec3_load(m->slips + 3 * low) : vec3_zero();
}

static bool is_held(const pairs_memory *m, double key) {
    for (int i = 0; i < m->n_held; i++)
        if (m->held[i] == key) return true;
    return false;
}

void pairs_hold(const part_contacts *c, pairs_memory *m, int i, int k) {
    if (m->n_held < c->most) m->held[m->n_held++] = key_of(c, i, k);
}

void pairs_let_go(pairs_memory *m) {
    m->n_held = 0;
    m->only_held = false;
}

void pairs_hold_list(const part_contacts *c, pairs_memory *m) {
    pairs_let_go(m);
    for (int i = 0; i < m->n; i++) pairs_hold(c, m, m->list[2 * i], m->list[2 * i + 1]);
    m->only_held = true;
}

bool pairs_meet(const part_contacts *c, const pairs_memory *m, const pair_shape *x,
                const pair_shape *before, bool moves, int which, meeting *out) {
    const int i = m->list[2 * which], k = m->list[2 * which + 1];
    *out = (meeting){.i = i, .k = k};
    out->law = law_of(c, law_between(c, m, i, k), i, k, *m->hardness);
    if (!moves && *m->begun == 0.0) out->law.friction = 0.0;  // there is no before yet
    const bool rubs = out->law.friction > 0.0;
    for (int e = 0; e < PAIR_ENDS; e++) {
        const int of = e < END_B0 ? i : k;
        out->ends[e] = x->at(x->of, of, e % 2);
        out->x.p[e] = out->ends[e].p;
        if (!rubs || !before) continue;
        const part_end was = before->at(before->of, of, e % 2);
        const mat3 back = mat3_transpose(&was.R), turned = mat3_mul(&out->ends[e].R, &back);
        out->x.moved[e] = vec3_sub(out->ends[e].p, was.p);
        out->x.turned[e] = so3_log(&turned);
    }
    if (rubs) out->x.slip = slip_of(m, key_of(c, i, k));
    out->x.held = is_held(m, key_of(c, i, k));
    return pair_meet(&out->law, &out->x, &out->c);
}

double pairs_lost(const meeting *x) {
    vec6 v[PAIR_ENDS];
    for (int e = 0; e < PAIR_ENDS; e++) v[e] = (vec6){x->ends[e].w, x->ends[e].v};
    return pair_lost(&x->law, &x->c, v);
}

double pairs_energy(const part_contacts *c, pairs_memory *m, const pair_shape *x,
                    const pair_shape *before) {
    double sum = 0.0;
    meeting at;
    if (c->n == 0) return sum;
    *m->hardness = 1.0;
    pairs_find(c, m, x);
    for (int i = 0; i < m->n; i++)
        if (pairs_meet(c, m, x, before, true, i, &at)) sum += at.c.energy;
    return sum;
}

bool pairs_rub(const part_contacts *c) {
    for (int i = 0; i < c->n_parts * c->n_parts; i++)
        if (c->laws[i].contact >= 0 && c->laws[i].law.friction > 0.0) return true;
    return false;
}

// ---------------------------------------------------------------- what sticks
// Into the kept list, by ascending keys.
static void keep_sorted(const part_contacts *c, pairs_memory *m, int n) {
    *m->kept = n;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && m->keys[k - 1] > m->new_keys[i]; k--) {
            m->keys[k] = m->keys[k - 1];
            memcpy(m->slips + 3 * k, m->slips + 3 * (k - 1), 3 * sizeof(double));
        }
        m->keys[k] = m->new_keys[i];
        memcpy(m->slips + 3 * k, m->new_slips + 3 * i, 3 * sizeof(double));
    }
    for (int i = n; i < c->most; i++) m->keys[i] = 0.0;
    memset(m->slips + 3 * n, 0, 3 * sizeof(double) * (size_t)(c->most - n));
}

void pairs_keep(const part_contacts *c, pairs_memory *m, const pair_shape *x,
                const pair_shape *before, shape_origin from) {
    meeting at;
    int n = 0;
    pairs_find(c, m, x);
    for (int i = 0; i < m->n && from != SHAPE_SET; i++) {
        if (!pairs_meet(c, m, x, before, from == SHAPE_MOVED, i, &at)) continue;
        m->new_keys[n] = key_of(c, at.i, at.k);
        vec3_store(m->new_slips + 3 * n++, at.c.slip);
    }
    keep_sorted(c, m, n);
    *m->begun = from == SHAPE_SET ? 0.0 : 1.0;
}

// ---------------------------------------------------------------- what cannot be
static const char *name_of(const part_contacts *c, int i) {
    return c->names[c->capsules[i].part];
}

static double place_on(const part_contacts *c, int i, double s) {
    const capsule *of = &c->capsules[i];
    return of->part < c->n_rods ? of->s + s * of->length : 0.0;
}

static bool passes_not(const part_contacts *c, pairs_memory *m, const part_law *given, int i,
                       int k) {
    const pair_law law = law_of(c, given, i, k, 1.0);
    vec3 from[PAIR_ENDS], to[PAIR_ENDS];
    ends_of(m->from, i, k, from);
    ends_of(m->p, i, k, to);
    m->list[0] = i, m->list[1] = k;
    return !pair_crosses(&law, from, to);
}

static bool lies_beside(const part_contacts *c, pairs_memory *m, const part_law *given, int i,
                        int k) {
    const pair_law law = law_of(c, given, i, k, 1.0);
    vec3 p[PAIR_ENDS];
    ends_of(m->p, i, k, p);
    m->list[0] = i, m->list[1] = k;
    return (c->capsules[i].held && c->capsules[k].held) ||
           pair_nearest(&law, p).g > 0.5 * (law.radii[0] + law.radii[1]);
}

static void say_through(const part_contacts *c, const pairs_memory *m, bool moves, char *message) {
    const int i = m->list[0], k = m->list[1];
    snprintf(message, MODEL_MESSAGE_SIZE,
             moves
                 ? "'%.60s' at %.4g m would pass through '%.60s' at %.4g m within a step, also in "
                   "small parts of it: shorter steps or a harder contact may do"
                 : "'%.60s' at %.4g m lies within '%.60s' at %.4g m in this equilibrium, deeper "
                   "than half of both radii: the contact is too soft for it, or they passed "
                   "through one another on the way; let a run settle",
             name_of(c, i), place_on(c, i, 0.5), name_of(c, k), place_on(c, k, 0.5));
}

void pairs_begin(const part_contacts *c, pairs_memory *m, const pair_shape *x) {
    if (c->n) find_ends(c, x, m->from);
}

td_status pairs_fit(const part_contacts *c, pairs_memory *m, const pair_shape *x, bool moves,
                    bool taken, char *message) {
    pairs_find(c, m, x);
    if (m->over) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "contacts: more than %d pairs of segments and bodies touch at once, and there is "
                 "room for no more",
                 c->most);
        return TD_ERR_VALUE;
    }
    if (!sweep(c, m, moves, moves ? passes_not : lies_beside)) {
        say_through(c, m, moves, message);
        return TD_ERR_VALUE;
    }
    if (moves && taken) memcpy(m->from, m->p, 2 * sizeof(vec3) * (size_t)c->n);
    return TD_OK;
}

// ---------------------------------------------------------------- what is told
// From the side of a, or of b.
static td_contact_point point_of(const part_contacts *c, const meeting *x, bool from_a) {
    const int own = from_a ? x->i : x->k, other = from_a ? x->k : x->i;
    const capsule *a = &c->capsules[own], *b = &c->capsules[other];
    const pair_near *at = &x->c.at;
    const double *r = x->law.radii, sign = from_a ? 1.0 : -1.0;
    const vec3 on_a = vec3_madd(x->x.p[END_A0], at->s, at->u);
    const vec3 n = vec3_scale(at->w, 1.0 / fmax(1e-300, vec3_norm(at->w)));
    const bool rod = a->part < c->n_rods, other_rod = b->part < c->n_rods;
    td_contact_point out = {.rod = rod ? a->part : -1,
                            .body = rod ? -1 : a->part - c->n_rods,
                            .s = place_on(c, own, from_a ? at->s : at->t),
                            .obstacle = -1,
                            .contact = c->laws[a->part * c->n_parts + b->part].contact,
                            .other_rod = other_rod ? b->part : -1,
                            .other_body = other_rod ? -1 : b->part - c->n_rods,
                            .other_s = place_on(c, other, from_a ? at->t : at->s),
                            .gap = at->g - r[0] - r[1]};
    vec3_store(out.point, vec3_madd(on_a, -r[0] / (r[0] + r[1]), at->w));
    vec3_store(out.normal, vec3_scale(n, sign));
    vec3_store(out.force, vec3_scale(x->c.force, sign));
    return out;
}

void pairs_visit(const part_contacts *c, pairs_memory *m, const pair_shape *x, contact_visit *visit,
                 void *context) {
    meeting at;
    *m->hardness = 1.0;
    pairs_find(c, m, x);
    for (int i = 0; i < m->n; i++) {
        if (!pairs_meet(c, m, x, NULL, true, i, &at)) continue;
        for (int side = 0; side < 2; side++) {
            const td_contact_point point = point_of(c, &at, side == 0);
            visit(context, &point);
        }
    }
}

// The gap from a point of the axis.
static double gap_from(const part_contacts *c, const pairs_memory *m, int own, vec3 p) {
    double gap = HUGE_VAL;
    for (int i = 0; i < c->n; i++) {
        const part_law *given = i == own ? NULL : law_between(c, m, own, i);
        if (!given) continue;
        const pair_law law = law_of(c, given, own, i, 1.0);
        const vec3 ends[PAIR_ENDS] = {p, p, m->p[2 * i], m->p[2 * i + 1]};
        gap = fmin(gap, vec3_norm(pair_nearest(&law, ends).w) - law.radii[0] - law.radii[1]);
    }
    return gap;
}

static int capsule_at(const part_contacts *c, int rod, double s) {
    for (int i = 0; i < c->n; i++) {
        const capsule *k = &c->capsules[i];
        if (k->part == rod && s <= k->s + k->length * (1.0 + 1e-9)) return i;
    }
    return -1;
}

// What touches a segment is spread over its length.
void pairs_sample(const part_contacts *c, pairs_memory *m, const pair_shape *x, int rod, double s,
                  td_sample *out) {
    const int own = capsule_at(c, rod, s);
    meeting at;
    if (own < 0) return;
    *m->hardness = 1.0;
    pairs_find(c, m, x);
    const double gap = gap_from(c, m, own, vec3_load(out->pose.p));
    if (isfinite(gap) && (out->gap == 0.0 || gap < out->gap)) out->gap = gap;
    const double length = c->capsules[own].length;
    for (int i = 0; i < m->n; i++) {
        const bool first = m->list[2 * i] == own;
        if (!first && m->list[2 * i + 1] != own) continue;
        if (!pairs_meet(c, m, x, NULL, true, i, &at)) continue;
        const vec3 force = vec3_scale(at.c.force, (first ? 1.0 : -1.0) / length);
        vec3_store(out->contact, vec3_add(vec3_load(out->contact), force));
        out->pressure += at.c.normal / length;
    }
}
