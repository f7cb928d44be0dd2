// model/cosserat/pairs.c - parts of an assembly that touch one another: see model/pairs.h.
//
// A rod is a row of capsules from its base over its nodes to its tip. What a pair does is shared by the ends of its capsules: at
// a node as a density, F/b, with which the sums along the rod stay what they are.
#include "model/cosserat/assembly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cosserat/contact.h"

// ---------------------------------------------------------------- shapes
static part_end on_frame(mat3 R, vec3 p, vec3 w, vec3 v, vec3 at) {
    const vec3 arm = mat3_mul_vec(&R, at);
    return (part_end){R, vec3_add(p, arm), w, vec3_add(v, vec3_cross(w, arm))};
}

static const pair_place *place_at(const cosserat *c, int which, int end) {
    return &c->places[c->capsule_ends[2 * which + end]];
}

// Of the shape that is being evaluated.
static part_end end_in_progress(const void *of, int which, int end) {
    const assembly_problem *p = of;
    const pair_place *x = place_at(p->c, which, end);
    if (x->rod >= 0) {
        const rod_problem *one = &p->own->problems[rod_in(p->a, x->rod)];
        const part_end e = p->c->scheme->ports->place(one, x->place);
        return on_frame(e.R, e.p, e.w, e.v, x->at);
    }
    const body_motion *b = &p->own->bodies[p->c->bodies[x->body].place];
    const vec3 v = vec3_add(b->a.l, vec3_cross(b->a.a, b->T.p));
    return on_frame(b->T.R, b->T.p, b->a.a, v, x->at);
}

static pair_shape in_progress(const assembly_problem *p) {
    return (pair_shape){end_in_progress, p};
}

typedef struct kept_shape {
    const cosserat *c;
    const cosserat_memory *m;
    bool trial;
} kept_shape;

static part_end end_of_state(const double *p, const double *h, const double *w, const double *q,
                             vec3 at) {
    const mat3 R = quat_to_mat3(quat_load(h));
    return on_frame(R, vec3_load(p), mat3_mul_vec(&R, vec3_load(w)), mat3_mul_vec(&R, vec3_load(q)),
                    at);
}

// Of the current shape, or of the one that is to become it.
static part_end end_in_state(const void *of, int which, int end) {
    const kept_shape *s = of;
    const pair_place *x = place_at(s->c, which, end);
    if (x->rod < 0) {
        const double *f = s->trial ? s->m->bodies[x->body].trial : s->m->bodies[x->body].fields[0];
        return end_of_state(f + B_P, f + B_H, f + B_W, f + B_Q, x->at);
    }
    const rod_memory *m = &s->m->rods[x->rod];
    const int n = s->c->rods[x->rod].n_nodes;
    const double *nodes = s->trial ? m->trial : m->nodes;
    const double *bounds = s->trial ? m->trial_bounds : m->bounds;
    const double *y =
        x->place < n ? nodes + (size_t)x->place * Y_SIZE : bounds + (size_t)(x->place - n) * Y_SIZE;
    return end_of_state(y + Y_P, y + Y_H, y + Y_W, y + Y_Q, x->at);
}

#define SHAPE(name, memory, is_trial)                                                              \
    const kept_shape name##_state = {c, memory, is_trial};                                         \
    const pair_shape name = {end_in_state, &name##_state}

// ---------------------------------------------------------------- forces
static void clear_pushes(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod_problem *one = &p->own->problems[i];
        const size_t n = (size_t)(one->r->n_nodes + one->r->n_elements + 1);
        if (!one->r->meets) continue;
        memset(one->m->pushes, 0, sizeof *one->m->pushes * n);
        memset(one->m->levers, 0, sizeof *one->m->levers * ((size_t)one->r->n_elements + 1));
    }
    for (int k = 0; k < p->a->n_bodies; k++) p->own->body_pushes[k] = (body_push){.by_z = {0.0}};
}

// A wrench at a point of a body, and how that answers to its motion: d(p x F) = dp x F, dp = z_l + z_a x p.
static void push_body(body_push *to, vec3 p, vec6 w) {
    const mat3 F = mat3_hat(w.l), P = mat3_hat(p), FP = mat3_mul(&F, &P);
    to->wrench = vec6_add(to->wrench, wrench_at(p, w.a, w.l));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            to->by_z[6 * i + k] += FP.m[i][k];
            to->by_z[6 * i + 3 + k] -= F.m[i][k];
        }
}

static void push_place(const assembly_problem *p, const pair_place *x, vec3 at, vec6 w) {
    const cosserat *c = p->c;
    if (x->rod < 0) {
        push_body(&p->own->body_pushes[c->bodies[x->body].place], at, w);
        return;
    }
    const rod *r = &c->rods[x->rod];
    rod_memory *m = &p->m->rods[x->rod];
    vec6 *push = &m->pushes[x->place];
    if (x->place > r->n_nodes) {  // about the bound, whose turns carry the point around it
        const int i = rod_in(p->a, x->rod);
        const part_end e = c->scheme->ports->place(&p->own->problems[i], x->place);
        const vec3 arm = vec3_sub(at, e.p);
        const mat3 F = mat3_hat(w.l), A = mat3_hat(arm), FA = mat3_mul(&F, &A);
        mat3 *lever = &m->levers[x->place - r->n_nodes];
        *lever = mat3_add(lever, &FA);
        w.a = vec3_add(w.a, vec3_cross(arm, w.l));
    }
    *push = vec6_add(*push, w);
    if (x->place == r->n_nodes &&
        r->base_body >= 0) {  // the base hands it down; so does its tangent
        body_push dead = {.by_z = {0.0}};
        push_body(&dead, at, w);
        double *by_z = p->own->body_pushes[c->bodies[r->base_body].place].by_z;
        for (int i = 0; i < 36; i++) by_z[i] += dead.by_z[i];
    }
}

#define DECADES 6.0  // of softness, from as soft as rods to as hard as parts are

static double hardness_of(const assembly_problem *p) {
    const double soft = p->a->n_rods ? p->own->problems[0].softness : 1.0;
    return soft > 1.0 ? fmax(0.0, 1.0 - log10(soft) / DECADES) : 1.0;
}

bool pairs_push(const assembly_problem *p) {
    const cosserat *c = p->c;
    pairs_memory *m = &p->m->pairs;
    const pair_shape now = in_progress(p);
    SHAPE(before, p->m, false);
    meeting x;
    vec6 w[PAIR_ENDS];
    clear_pushes(p);
    pairs_move(&c->contacts, m, p->base_inputs, hardness_of(p));
    pairs_find(&c->contacts, m, &now);
    p->own->meeting = 0.0;
    p->own->crowded = p->own->crowded || m->over;
    if (m->over) return false;
    for (int i = 0; i < m->n; i++) {
        if (!pairs_meet(&c->contacts, m, &now, &before, p->c0 != 0.0, i, &x)) continue;
        pair_wrenches(&x.c, w);
        for (int e = 0; e < PAIR_ENDS; e++)
            push_place(p, place_at(c, e < END_B0 ? x.i : x.k, e % 2), x.x.p[e], w[e]);
        p->own->meeting = touching_with(touching_with(p->own->meeting, x.i + 1.0), x.k + 1.0);
    }
    return true;
}

// ---------------------------------------------------------------- slopes
// The place of an end among those that touch, which it joins; -1: there is no room.
static int slot_of(const assembly_problem *p, int place) {
    coupling *u = &p->own->coupling;
    if (u->slot[place] >= 0) return u->slot[place];
    if (u->n == u->most) return -1;
    u->points[u->n] = place;
    return u->slot[place] = u->n++;
}

// G += how the wrenches of a pair answer to the motions of its ends.
static void add_slopes(const coupling *u, const meeting *x, const int slots[PAIR_ENDS]) {
    const int w = u->width, W = w * u->n;
    for (int e = 0; e < PAIR_ENDS; e++)
        for (int d = 0; d < w; d++) {
            double z[6] = {0.0}, out[6];
            vec6 change[PAIR_ENDS];
            z[6 - w + d] = 1.0;
            pair_slope(&x->law, &x->x, &x->c, (pair_end)e, vec6_load(z), change);
            for (int k = 0; k < PAIR_ENDS; k++) {
                vec6_store(out, change[k]);
                for (int r = 0; r < w; r++)
                    u->G[(w * slots[k] + r) * W + w * slots[e] + d] += out[6 - w + r];
            }
        }
}

// Of one pair after another: its places get theirs among those that touch, or its slopes are added.
static bool visit_slopes(const assembly_problem *p, bool add) {
    const cosserat *c = p->c;
    pairs_memory *m = &p->m->pairs;
    const pair_shape now = in_progress(p);
    SHAPE(before, p->m, false);
    meeting x;
    for (int i = 0; i < m->n; i++) {
        int slots[PAIR_ENDS];
        if (!pairs_meet(&c->contacts, m, &now, &before, p->c0 != 0.0, i, &x)) continue;
        for (int e = 0; e < PAIR_ENDS; e++) {
            slots[e] = slot_of(p, c->capsule_ends[2 * (e < END_B0 ? x.i : x.k) + e % 2]);
            if (slots[e] < 0) return !(p->own->crowded = true);
        }
        if (add) add_slopes(&p->own->coupling, &x, slots);
    }
    return true;
}

bool pairs_slopes(const assembly_problem *p) {
    const cosserat *c = p->c;
    coupling *u = &p->own->coupling;
    const pair_shape now = in_progress(p);
    for (int i = 0; i < c->n_places; i++) u->slot[i] = -1;
    u->n = 0;
    u->width = pairs_rub(&c->contacts) ? 6 : 3;
    pairs_find(&c->contacts, &p->m->pairs, &now);
    if (!visit_slopes(p, false)) return false;
    memset(u->G, 0, sizeof(double) * (size_t)(u->width * u->n * u->width * u->n));
    return visit_slopes(p, true);
}

void pairs_hold_on(const assembly_problem *p) {
    const cosserat *c = p->c;
    const coupling *u = &p->own->coupling;
    pairs_memory *m = &p->m->pairs;
    const pair_shape now = in_progress(p);
    SHAPE(before, p->m, false);
    const int w = u->width;
    int n = 0;
    meeting x;
    pairs_find(&c->contacts, m, &now);
    for (int i = 0; i < m->n; i++) {
        vec3 l[PAIR_ENDS];
        bool known = u->n > 0;
        if (!pairs_meet(&c->contacts, m, &now, &before, p->c0 != 0.0, i, &x)) continue;
        for (int e = 0; e < PAIR_ENDS && known; e++) {
            const int slot = u->slot[c->capsule_ends[2 * (e < END_B0 ? x.i : x.k) + e % 2]];
            known = slot >= 0;
            if (known) l[e] = vec3_load(u->a + w * slot + w - 3);
        }
        if (known && pair_pressure_after(&x.law, &x.c, l) > 0.0) {
            m->list[2 * n] = x.i;
            m->list[2 * n++ + 1] = x.k;
        }
    }
    pairs_let_go(m);
    for (int i = 0; i < n; i++) pairs_hold(&c->contacts, m, m->list[2 * i], m->list[2 * i + 1]);
}

// ---------------------------------------------------------------- the accepted shape
void pairs_accept(const cosserat *c, cosserat_memory *m, shape_origin from) {
    if (c->contacts.n == 0) return;
    SHAPE(now, m, true);
    SHAPE(before, m, false);
    if (*m->pairs.hardness != 1.0) *m->pairs.hardness = 1.0;
    pairs_keep(&c->contacts, &m->pairs, &now, &before, from);
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        const size_t n = (size_t)(r->n_nodes + r->n_elements + 1);
        if (r->meets) memcpy(m->rods[i].pushed, m->rods[i].pushes, sizeof(vec6) * n);
    }
}

// What friction takes on the way from the current shape to the one in progress: what slides, by what it is held with.
double pairs_slid(const cosserat *c, cosserat_memory *m) {
    double sum = 0.0;
    meeting x;
    if (c->contacts.n == 0) return sum;
    SHAPE(now, m, true);
    SHAPE(before, m, false);
    pairs_find(&c->contacts, &m->pairs, &now);
    for (int i = 0; i < m->pairs.n; i++)
        if (pairs_meet(&c->contacts, &m->pairs, &now, &before, true, i, &x)) sum += pair_slid(&x.c);
    return sum;
}

double pairs_stored(const cosserat *c, cosserat_memory *m, bool trial) {
    SHAPE(now, m, trial);
    SHAPE(before, m, false);
    return pairs_energy(&c->contacts, &m->pairs, &now, trial ? &before : NULL);
}

static bool said_crowded(const assembly_problem *p, char *message) {
    if (!p->own->crowded) return false;
    snprintf(message, MODEL_MESSAGE_SIZE,
             "contacts: parts touch at more than %d places at once, and there is room for no more: "
             "fewer nodes, or eba",
             p->own->coupling.most);
    return true;
}

bool pairs_pass(const assembly_problem *p, char *message) {
    const cosserat *c = p->c;
    if (!p->a->meets) return false;
    SHAPE(now, p->m, true);
    SHAPE(before, p->m, false);
    pairs_begin(&c->contacts, &p->m->pairs, &before);
    return pairs_fit(&c->contacts, &p->m->pairs, &now, true, false, message) < 0;
}

td_status pairs_lie(const assembly_problem *p, char *message) {
    const cosserat *c = p->c;
    if (!p->a->meets) return TD_OK;
    SHAPE(now, p->m, true);
    return pairs_fit(&c->contacts, &p->m->pairs, &now, false, false, message);
}

bool pairs_blame(const assembly_problem *p, char *message) {
    return p->a->meets && said_crowded(p, message);
}

void pairs_tell(const cosserat *c, cosserat_memory *m, contact_visit *visit, void *context) {
    if (c->contacts.n == 0) return;
    SHAPE(now, m, false);
    pairs_visit(&c->contacts, &m->pairs, &now, visit, context);
}

void pairs_along(const cosserat *c, cosserat_memory *m, int rod_index, double s, td_sample *out) {
    if (c->contacts.n == 0) return;
    SHAPE(now, m, false);
    pairs_sample(&c->contacts, &m->pairs, &now, rod_index, s, out);
}
