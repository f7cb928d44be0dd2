// model/cosserat/contact.c - see contact.h.
#include "model/cosserat/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- a node
// Node n_nodes of the last element is the tip, where no joint holds it: it stands for what lies beyond the last node.
static double share_of(const element *e, int i) {
    return i < e->n_nodes ? e->shares[i] : 1.0;
}

static double weight_of(const element *e, int i) {
    return i < e->n_nodes ? e->quadrature[i] : (1.0 - e->shares[e->n_nodes - 1]) * e->length;
}

static double place_of(const element *e, int i) {
    return e->s0 + share_of(e, i) * e->length;
}

bool contact_tip_touches(const rod *r) {
    return r->n_obstacles && !r->held;
}

double contact_weight(const rod *r, int point) {
    int k = 0;
    while (k < r->n_elements - 1 && point >= r->elements[k].node + r->elements[k].n_nodes) k++;
    return weight_of(&r->elements[k], point - r->elements[k].node);
}

static int n_touching(const rod *r, int k) {
    return r->elements[k].n_nodes + (k == r->n_elements - 1 && contact_tip_touches(r));
}

// Of nodes and bounds, in the current shape or in the one in progress.
static const double *state_of(const rod *r, const double *nodes, const double *bounds, int node) {
    return node < r->n_nodes ? nodes + (size_t)node * Y_SIZE
                             : bounds + (size_t)r->n_elements * Y_SIZE;
}

static const double *present(const rod *r, const rod_memory *m, int node) {
    return state_of(r, m->nodes, m->bounds, node);
}

static const double *in_progress(const rod *r, const rod_memory *m, int node) {
    return state_of(r, m->trial, m->trial_bounds, node);
}

// How far the material of an obstacle has moved and turned since the current shape, at a point of now.
static vec6 carried(const obstacle *o, const se3 *before, const se3 *now, vec3 p) {
    if (!obstacle_is_driven(o)) return vec6_zero();
    const mat3 back = mat3_transpose(&before->R), turn = mat3_mul(&now->R, &back);
    const vec3 own = mat3_tmul_vec(&now->R, vec3_sub(p, now->p));
    const vec3 was = vec3_add(before->p, mat3_mul_vec(&before->R, own));
    return vec6_make(so3_log(&turn), vec3_sub(p, was));
}

// The same of the rod. Where it is fed, a node is another point of the material, which keeps its
// distance from the tip: the one that is there now was nearer to the base by what passed it.
static vec6 travelled(const rod_problem *p, const element *e, int i, const se3 *T, vec3 *pushed) {
    const double *y = present(p->r, p->m, e->node + i);
    const mat3 before = quat_to_mat3(quat_load(y + Y_H)), back = mat3_transpose(&before);
    const mat3 turn = mat3_mul(&T->R, &back);
    const double fed = element_passed(p->r, e, share_of(e, i)) * (p->r->length - p->m->lengths[0]);
    const vec3 moved = vec3_sub(T->p, vec3_load(y + Y_P));
    *pushed = vec3_scale(mat3_column(&T->R, 2), fed);
    return vec6_make(so3_log(&turn), vec3_add(moved, *pushed));
}

static bool is_held(const rod_problem *p, int node, int which) {
    return p->m->holding && p->m->held[node * p->r->n_obstacles + which] != 0.0;
}

// A stiffness that is given is one per length, and the weights of the nodes are the whole length already: a tip
// beside them would make a bed stiffer than it is.
bool contact_spares(const rod *r, int node, int which) {
    const td_obstacle_def *o = &r->obstacles[which].def;
    return node == r->n_nodes && o->stiffness > 0.0 && !(o->hard > 0.0);
}

static double *grip_of(const rod_memory *m, const rod *r, int node, int which) {
    return m->slips + CONTACT_KEPT * (node * r->n_obstacles + which);
}

static double ahead_of(const rod *r, const rod_memory *m, int node, int which) {
    return grip_of(m, r, node, which)[CONTACT_AHEAD];
}

// Surely without contact: most obstacles are, and need no distance.
static bool is_far(const rod_problem *p, int node, int which, vec3 x) {
    const rod *r = p->r;
    if (contact_spares(r, node, which)) return true;
    return obstacle_is_far(&r->obstacles[which], &p->m->obstacles[which], x,
                           r->radii[node] + ahead_of(r, p->m, node, which),
                           &p->m->pieces[node * r->n_obstacles + which]);
}

// The law and the point of a contact.
static contact_point point_with(const rod_problem *p, const element *e, int i, int which,
                                const se3 *T, contact_law *out) {
    const rod *r = p->r;
    const int node = e->node + i;
    const obstacle *o = &r->obstacles[which];
    contact_law law = *contact_law_at(r, node, which);
    contact_point at = {.from = obstacle_distance_from(o, &p->m->obstacles[which], T->p),
                        .radius = r->radii[node],
                        .held = is_held(p, node, which)};
    if (p->softness > 1.0) law.stiffness /= p->softness;
    else at.ahead = ahead_of(r, p->m, node, which);
    if (p->c0 == 0.0 && *p->m->sticks == 0.0) law.friction = 0.0;  // there is no before yet
    const double *kept = grip_of(p->m, r, node, which);
    if (p->c0 != 0.0 || p->recalled) at.deepest = kept[3];
    if (law.friction > 0.0 && contact_touches(&at)) {
        const vec6 by = carried(o, &p->m->frames[which], &p->m->obstacles[which], T->p);
        const vec6 way = travelled(p, e, i, T, &at.fed), own = vec6_sub(way, by);
        at.turned = own.a, at.moved = own.l, at.spun = way.a;
        at.slip = vec3_load(kept);
    }
    *out = law;
    return at;
}

static contact contact_with(const rod_problem *p, const element *e, int i, int which, const se3 *T,
                            contact_slopes *slopes) {
    contact_law law;
    const contact_point at = point_with(p, e, i, which, T, &law);
    return contact_at(&law, &at, slopes);
}

static void add_slopes(const contact_slopes *one, contact_slopes *sum) {
    sum->f_p = mat3_add(&sum->f_p, &one->f_p);
    sum->f_th = mat3_add(&sum->f_th, &one->f_th);
    sum->l_p = mat3_add(&sum->l_p, &one->l_p);
    sum->l_th = mat3_add(&sum->l_th, &one->l_th);
}

contact contact_of_node(const rod_problem *p, const element *e, int i, const se3 *T,
                        contact_slopes *slopes, double *slips) {
    contact sum = {.energy = 0.0};
    contact_slopes one;
    const near_list near = near_at(&p->r->near, T->p);
    if (slopes) *slopes = (contact_slopes){.f_p = mat3_zero()};
    if (slips) memset(slips, 0, sizeof(double) * CONTACT_KEPT * (size_t)p->r->n_obstacles);
    for (int j = 0; j < near.n; j++) {
        const int k = near_one(&near, j);
        if (!is_held(p, e->node + i, k) && is_far(p, e->node + i, k, T->p)) continue;
        const contact c = contact_with(p, e, i, k, T, slopes ? &one : NULL);
        sum.force = vec3_add(sum.force, c.force);
        sum.moment = vec3_add(sum.moment, c.moment);
        sum.energy += c.energy;
        sum.lost += c.lost;
        sum.touches = sum.touches || c.touches;
        if (slopes) add_slopes(&one, slopes);
        if (slips) contact_keep(&c, slips + CONTACT_KEPT * k);
    }
    return sum;
}

// The spatial wrench on a tip that is at T, and (by_z, 6 x w, may be NULL) its answer to the spatial motion of the tip.
vec6 contact_of_tip(const rod_problem *p, const se3 *T, int w, double *by_z) {
    const rod *r = p->r;
    const element *e = &r->elements[r->n_elements - 1];
    contact_slopes by;
    const contact c = contact_of_node(p, e, e->n_nodes, T, by_z ? &by : NULL, NULL);
    const double length = weight_of(e, e->n_nodes);
    const vec3 F = vec3_scale(c.force, length), M = vec3_scale(c.moment, length);
    if (by_z) {
        const mat3 *parts[4] = {&by.l_th, &by.l_p, &by.f_th, &by.f_p};
        double S[36], Z[36] = {0.0};
        for (int i = 0; i < 36; i++)
            S[i] = length * parts[2 * (i / 18) + (i % 6) / 3]->m[(i / 6) % 3][i % 3];
        contact_add_spatial(T->p, F, S, Z);
        for (int i = 0; i < 36; i++) by_z[w * (i / 6) + i % 6] += Z[i];
    }
    return vec6_make(vec3_add(M, vec3_cross(T->p, F)), F);
}

// ---------------------------------------------------------------- along a rod
// Does a node press on an obstacle in this frame? *depth, m: less than 0 where what is hard is ahead.
static bool presses_at(const rod *r, int which, const se3 *frame, int node, vec3 p, double ahead,
                       double *depth) {
    const obstacle *o = &r->obstacles[which];
    *depth = 0.0;
    if (contact_spares(r, node, which)) return false;
    if (obstacle_is_far(o, frame, p, r->radii[node] + ahead, NULL)) return false;
    *depth = r->radii[node] - obstacle_distance_from(o, frame, p).phi;
    return *depth + ahead > 0.0;
}

static bool presses(const rod *r, const rod_memory *m, int which, const se3 *frame, int node,
                    vec3 p, double *depth) {
    return presses_at(r, which, frame, node, p, ahead_of(r, m, node, which), depth);
}

static press pressed_on(const rod *r, const rod_memory *m, int which, int node, double depth) {
    const double *kept = grip_of(m, r, node, which);
    return contact_press(contact_law_at(r, node, which), depth, kept[3], kept[CONTACT_AHEAD]);
}

double contact_energy(const rod *r, const rod_memory *m, const se3 *frames, const double *nodes,
                      const double *bounds) {
    double sum = 0.0;
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++) {
            const vec3 p = vec3_load(state_of(r, nodes, bounds, e->node + i) + Y_P);
            const near_list near = near_at(&r->near, p);
            for (int j = 0; j < near.n; j++) {
                const int o = near_one(&near, j);
                double depth;
                if (presses(r, m, o, &frames[o], e->node + i, p, &depth))
                    sum += weight_of(e, i) * pressed_on(r, m, o, e->node + i, depth).energy;
            }
        }
    }
    return sum;
}

void contact_hold(const rod_problem *p) {
    const rod *r = p->r;
    const rod_memory *m = p->m;
    const size_t touching = (size_t)(r->n_nodes + contact_tip_touches(r));
    memset(m->held, 0, sizeof(double) * touching * (size_t)r->n_obstacles);
    for (int i = 0; i < (int)touching; i++) {
        const vec3 x = vec3_load(present(r, m, i) + Y_P);
        const near_list near = near_at(&r->near, x);
        for (int j = 0; j < near.n; j++) {
            const int k = near_one(&near, j);
            double depth;
            m->held[i * r->n_obstacles + k] = presses(r, m, k, &m->frames[k], i, x, &depth);
        }
    }
}

// ---------------------------------------------------------------- what was before
// Columns of one contact: node i of an element with an obstacle. What was fed since came nearer along the axis.
static contact_past past_of(const rod_problem *p, const element *e, int i, int which, const se3 *T,
                            const contact_columns *x) {
    const rod *r = p->r;
    const size_t m = (size_t)x->m, node = (size_t)(e->node + i);
    const size_t row = CONTACT_KEPT * (node * (size_t)r->n_obstacles + (size_t)which);
    contact_past out = {x->m, x->kept + row * m, x->before + 6 * node * m, NULL};
    if (!x->length) return out;
    const vec3 axis = vec3_scale(mat3_column(&T->R, 2), -element_passed(r, e, share_of(e, i)));
    for (int j = 0; j < x->m; j++) {
        x->scratch[j] = axis.x * x->length[j];
        x->scratch[x->m + j] = axis.y * x->length[j];
        x->scratch[2 * x->m + j] = axis.z * x->length[j];
    }
    out.fed = x->scratch;
    return out;
}

void contact_past_loads(const rod_problem *p, const contact_columns *x, double *loads) {
    const rod *r = p->r;
    const size_t m = (size_t)x->m;
    memset(loads, 0, sizeof(double) * 6 * ((size_t)r->n_nodes + 1) * m);
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++) {
            const se3 T = state_pose(in_progress(r, p->m, e->node + i));
            const double factor = i < e->n_nodes ? 1.0 : weight_of(e, i);
            for (int o = 0; o < r->n_obstacles; o++) {
                if (is_far(p, e->node + i, o, T.p)) continue;
                contact_law law;
                const contact_point at = point_with(p, e, i, o, &T, &law);
                const contact_past past = past_of(p, e, i, o, &T, x);
                contact_add_past(&law, &at, &past, factor, loads + 6 * (size_t)(e->node + i) * m);
            }
        }
    }
}

void contact_add_kept(const rod_problem *p, const contact_columns *x, const double *now,
                      double *one, double *to) {
    const rod *r = p->r;
    const size_t m = (size_t)x->m;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++) {
            const size_t node = (size_t)(e->node + i);
            const se3 T = state_pose(in_progress(r, p->m, e->node + i));
            for (int o = 0; o < r->n_obstacles; o++) {
                if (is_far(p, e->node + i, o, T.p)) continue;
                contact_law law;
                const contact_point at = point_with(p, e, i, o, &T, &law);
                const contact_past past = past_of(p, e, i, o, &T, x);
                double *kept = to + CONTACT_KEPT * (node * (size_t)r->n_obstacles + (size_t)o) * m;
                contact_keep_along(&law, &at, &past, now + 6 * node * m, one);
                for (size_t j = 0; j < CONTACT_KEPT * m; j++) kept[j] += one[j];
            }
        }
    }
}

// ---------------------------------------------------------------- outputs
// What an accepted shape feels at a place of which this was kept, per length.
static contact pressed(const rod *r, int node, int which, const clearance *from,
                       const double *kept) {
    const contact_point at = {.from = *from,
                              .radius = r->radii[node],
                              .slip = vec3_load(kept),
                              .deepest = kept[3],
                              .ahead = kept[CONTACT_AHEAD]};
    return contact_at(contact_law_at(r, node, which), &at, NULL);
}

static void visit_node(const rod *r, const rod_memory *m, const element *e, int i,
                       contact_visit *visit, void *context) {
    const int node = e->node + i;
    const vec3 p = vec3_load(present(r, m, node) + Y_P);
    const near_list near = near_at(&r->near, p);
    for (int j = 0; j < near.n; j++) {
        const int k = near_one(&near, j);
        double depth;
        if (!presses(r, m, k, &m->frames[k], node, p, &depth)) continue;
        const clearance d = obstacle_distance_from(&r->obstacles[k], &m->frames[k], p);
        const double radius = r->radii[node];
        const contact c = pressed(r, node, k, &d, grip_of(m, r, node, k));
        td_contact_point at = {.rod = r->index,
                               .body = -1,
                               .s = place_of(e, i),
                               .obstacle = k,
                               .length = weight_of(e, i),
                               .gap = d.phi - radius};
        vec3_store(at.point, vec3_madd(p, -radius, d.n));
        vec3_store(at.normal, d.n);
        vec3_store(at.force, vec3_scale(c.force, weight_of(e, i)));
        visit(context, &at);
    }
}

static void visit_rod(const cosserat *c, const cosserat_memory *all, int rod_index,
                      contact_visit *visit, void *context) {
    const rod_memory *m = &all->rods[rod_index];
    const rod *r = rod_of_length(&c->rods[rod_index], m, m->lengths[0]);
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++)
        for (int j = 0; j < n_touching(r, k); j++)
            visit_node(r, m, &r->elements[k], j, visit, context);
}

void cosserat_contacts(const void *compiled, const void *memory, contact_visit *visit,
                       void *context) {
    const cosserat *c = compiled;
    for (int i = 0; i < c->n_rods; i++) visit_rod(c, memory, i, visit, context);
    touch_visit(&c->touch, &((const cosserat_memory *)memory)->touch, visit, context);
    pairs_tell(c, (cosserat_memory *)memory, visit, context);  // scratch
}

// The node of element k whose stretch of the rod, its weight in the quadrature, s is in.
static int node_around(const rod *r, int k, double s) {
    const element *e = &r->elements[k];
    double end = e->s0 + e->quadrature[0];
    int i = 0;
    while (s > end && i + 1 < e->n_nodes) end += e->quadrature[++i];
    return e->node + i;
}

static void add_pressure(const rod *r, const rod_memory *m, int node, td_sample *out) {
    const vec3 p = vec3_load(present(r, m, node) + Y_P);
    const near_list near = near_at(&r->near, p);
    vec3 force = vec3_load(out->contact);
    for (int j = 0; j < near.n; j++) {
        const int k = near_one(&near, j);
        double depth;
        if (!presses(r, m, k, &m->frames[k], node, p, &depth)) continue;
        const clearance d = obstacle_distance_from(&r->obstacles[k], &m->frames[k], p);
        const contact c = pressed(r, node, k, &d, grip_of(m, r, node, k));
        out->pressure += vec3_dot(c.force, d.n) - vec3_dot(c.friction, d.n);
        force = vec3_add(force, c.force);
    }
    vec3_store(out->contact, force);
}

// How far s is from obstacles, and what presses on its stretch of the rod: between two nodes it may be deeper than both, and
// feels nothing of that. The tip stands for what is beyond the last node.
void contact_sample(const rod *r, const rod_memory *m, double s, td_sample *out) {
    const int k = rod_element_at(r, s), node = node_around(r, k, s);
    const element *e = &r->elements[k];
    const vec3 p = vec3_load(out->pose.p);
    double nearest = HUGE_VAL;
    for (int i = 0; i < r->n_obstacles; i++)
        if (!obstacle_is_far(&r->obstacles[i], &m->frames[i], p, nearest, NULL))
            nearest = fmin(nearest, obstacle_distance_from(&r->obstacles[i], &m->frames[i], p).phi);
    out->gap = nearest - r->radii[node];
    add_pressure(r, m, node, out);
    if (n_touching(r, k) > e->n_nodes && s > place_of(e, e->n_nodes - 1))
        add_pressure(r, m, e->node + e->n_nodes, out);
}

// ---------------------------------------------------------------- work
// J per length that an obstacle brings through its pressure: the energy K (r - phi)^2/2 changes with phi at
// a point that is held, so that what turns about its own axis does nothing. By the trapezoidal rule,
//
//     W = 1/2 sum over the two ends of the step of  P (phi_before(p) - phi_now(p))
//
// with the length of the element before by that of now at the first, for a rod that is fed.
double contact_pressed_work(const rod *r, const contact_way *w, double fed) {
    const obstacle *o = &r->obstacles[w->which];
    const contact_law *law = contact_law_at(r, w->point, w->which);
    const vec3 at[2] = {w->from, w->to};
    const double part[2] = {fed, 1.0};
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        double depth;
        if (!presses_at(r, w->which, k == 0 ? w->before : w->now, w->point, at[k], w->ahead,
                        &depth))
            continue;
        const double was = obstacle_distance_from(o, w->before, at[k]).phi;
        const double is = obstacle_distance_from(o, w->now, at[k]).phi;
        const press by = contact_press(law, depth, w->deepest, w->ahead);
        sum += 0.5 * part[k] * by.P * (was - is);
    }
    return sum;
}

static contact_way way_of(const rod_problem *p, int node, int which) {
    const rod *r = p->r;
    const rod_memory *m = p->m;
    return (contact_way){.point = node,
                         .which = which,
                         .before = &m->frames[which],
                         .now = &m->obstacles[which],
                         .from = vec3_load(present(r, m, node) + Y_P),
                         .to = vec3_load(in_progress(r, m, node) + Y_P),
                         .deepest = grip_of(m, r, node, which)[3],
                         .ahead = ahead_of(r, m, node, which)};
}

// The same through friction, along the way of the obstacle's surface, which is at p - r n.
static double rubbed_work(const rod_problem *p, int which, const se3 *T, const contact *c) {
    const se3 *before = &p->m->frames[which], *now = &p->m->obstacles[which];
    const vec6 by = carried(&p->r->obstacles[which], before, now, T->p);
    return vec3_dot(c->friction, by.l) + vec3_dot(c->moment, by.a);
}

// J that feeding brings through pressure. Material passes a node, which takes up another length w of it: of its energy w e
// the pressure P along n does work on its material as that moves by dp + pushed. With de = - P n . dp, what is left is
//
//     dW = e dw + w P n . pushed
//
// as the mean of both ends of the step. Along the rod it sums up to the energy of what comes in where it is fed.
static double fed_work(const rod_problem *p, const element *e, int i, const contact_way *way,
                       const se3 *T) {
    const rod *r = p->r;
    const double after = weight_of(e, i), before = after * element_ratio(r, e, p->m->lengths[0]) /
                                                   element_ratio(r, e, r->length);
    const se3 *frames[2] = {way->before, way->now};
    const vec3 at[2] = {way->from, way->to};
    const double weight[2] = {before, after};
    vec3 pushed;
    double sum = 0.0;
    travelled(p, e, i, T, &pushed);
    for (int k = 0; k < 2; k++) {
        double depth;
        if (!presses_at(r, way->which, frames[k], way->point, at[k], way->ahead, &depth)) continue;
        const clearance d = obstacle_distance_from(&r->obstacles[way->which], frames[k], at[k]);
        const press by = contact_press(contact_law_at(r, way->point, way->which), depth,
                                       way->deepest, way->ahead);
        sum += 0.5 * ((after - before) * by.energy + weight[k] * by.P * vec3_dot(d.n, pushed));
    }
    return sum;
}

void contact_account(const rod_problem *p, cosserat_time *time) {
    const rod *r = p->r;
    const bool fed = rod_is_fed(r) && r->length != p->m->lengths[0];
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++) {
            const se3 T = state_pose(in_progress(r, p->m, e->node + i));
            const near_list near = near_at(&r->near, T.p);
            for (int j = 0; j < near.n; j++) {
                const int o = near_one(&near, j);
                const contact_way way = way_of(p, e->node + i, o);
                if (obstacle_is_driven(&r->obstacles[o]))
                    time->work += weight_of(e, i) *
                                  contact_pressed_work(r, &way,
                                                       element_ratio(r, e, p->m->lengths[0]) /
                                                           element_ratio(r, e, r->length));
                if (fed) time->work += fed_work(p, e, i, &way, &T);
                if (is_far(p, e->node + i, o, T.p)) continue;
                const contact c = contact_with(p, e, i, o, &T, NULL);
                time->dissipated += weight_of(e, i) * c.lost;
                time->work += weight_of(e, i) * rubbed_work(p, o, &T, &c);
            }
        }
    }
}

double contact_most_work(const rod_problem *p) {
    const rod *r = p->r;
    double sum = 0.0;
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++) {
            const se3 T = state_pose(in_progress(r, p->m, e->node + i));
            const near_list near = near_at(&r->near, T.p);
            for (int j = 0; j < near.n; j++) {
                const int o = near_one(&near, j);
                if (is_far(p, e->node + i, o, T.p)) continue;
                const vec6 by =
                    carried(&r->obstacles[o], &p->m->frames[o], &p->m->obstacles[o], T.p);
                const contact c = contact_with(p, e, i, o, &T, NULL);
                sum += weight_of(e, i) * vec3_norm(c.force) * vec3_norm(by.l);
            }
        }
    }
    return sum;
}

// ---------------------------------------------------------------- what is hard
// Does a node of the shape in progress press on what is hard?
static bool presses_now(const rod_problem *p, int node, int which, double *depth) {
    const vec3 x = vec3_load(in_progress(p->r, p->m, node) + Y_P);
    *depth = 0.0;
    return p->r->obstacles[which].def.hard > 0.0 &&
           presses(p->r, p->m, which, &p->m->obstacles[which], node, x, depth);
}

contact_depth contact_depth_of(const rod_problem *p) {
    const rod *r = p->r;
    contact_depth worst = {.times = 0.0};
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++)
            for (int o = 0; o < r->n_obstacles; o++) {
                double depth;
                if (!presses_now(p, e->node + i, o, &depth)) continue;
                const double times = fabs(depth) / r->obstacles[o].def.hard;
                if (!(times <= worst.times))
                    worst = (contact_depth){times, depth, place_of(e, i), o};
            }
    }
    return worst;
}

void contact_push_ahead(const rod_problem *p, contact_push how) {
    const rod *r = p->r;
    rod_memory *m = p->m;
    const int n = r->n_obstacles * (r->n_nodes + contact_tip_touches(r));
    contact_pace pace = {.w = *m->pace};
    for (int i = 0; i < n; i++) {
        double x;
        const bool on = presses_now(p, i / r->n_obstacles, i % r->n_obstacles, &x);
        contact_pace_add(&pace, on ? x : 0.0, &m->last[i]);
    }
    *m->pace = contact_pace_end(&pace, how);
    for (int i = 0; i < n; i++) {
        double x, *ahead = &m->slips[CONTACT_KEPT * i + CONTACT_AHEAD];
        const bool on = presses_now(p, i / r->n_obstacles, i % r->n_obstacles, &x);
        *ahead = on ? contact_pushed(*ahead, *m->pace, x) : 0.0;
    }
}

// ---------------------------------------------------------------- in words
bool contact_crosses(const rod *r, const contact_way *w) {
    const obstacle *o = &r->obstacles[w->which];
    const vec3 own = se3_point_in(w->before, w->from), then = se3_point_in(w->now, w->to);
    const double way = vec3_norm(vec3_sub(then, own));
    if (obstacle_is_far(o, w->now, w->to, way, NULL)) return false;
    return obstacle_is_crossed(o, own, then);
}

static bool node_crosses(const rod_problem *p, int node, int which) {
    contact_way way = way_of(p, node, which);
    if (*p->m->sticks == 0.0) way.before = way.now;  // none, in a first equilibrium
    return contact_crosses(p->r, &way);
}

bool contact_is_crossed(const cosserat *c, const rod_problem *p, char *message) {
    const rod *r = p->r;
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < n_touching(r, k); i++) {
            const vec3 from = vec3_load(present(r, p->m, e->node + i) + Y_P),
                       to = vec3_load(in_progress(r, p->m, e->node + i) + Y_P);
            const near_list near = near_way(&r->near, to, vec3_norm(vec3_sub(to, from)));
            for (int j = 0; j < near.n; j++) {
                const int o = near_one(&near, j);
                char what[112];
                if (!node_crosses(p, e->node + i, o)) continue;
                snprintf(
                    message, MODEL_MESSAGE_SIZE, "rod '%.60s' %s, at s = %.4g m", r->name,
                    obstacle_passage(&r->obstacles[o], c->obstacle_names[o], sizeof what, what),
                    place_of(e, i));
                return true;
            }
        }
    }
    return false;
}

static void note_deepest(void *context, const td_contact_point *at) {
    td_contact_point *deepest = context;
    if (at->gap < deepest->gap) *deepest = *at;
}

void contact_add_blame(const cosserat *c, const assembly *a, const cosserat_memory *m,
                       char *message) {
    td_contact_point deepest = {.gap = 0.0};
    const size_t used = strlen(message);
    for (int i = 0; i < a->n_rods && c->n_obstacles; i++)
        visit_rod(c, m, a->rods[i], note_deepest, &deepest);
    if (!(deepest.gap < 0.0)) return;
    snprintf(message + used, MODEL_MESSAGE_SIZE - used,
             "; rod '%.60s' is pressed %.3g m deep into obstacle '%.60s' at s = %.4g m",
             c->rods[deepest.rod].name, -deepest.gap, c->obstacle_names[deepest.obstacle],
             deepest.s);
}
