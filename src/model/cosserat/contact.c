// model/cosserat/contact.c - see contact.h.
#include "model/cosserat/contact.h"

#include <math.h>

// ---------------------------------------------------------------- a node
// How far the material of an obstacle has moved and turned since the current shape, at a point of now.
static vec6 carried(const obstacle *o, const se3 *before, const se3 *now, vec3 p) {
    if (!obstacle_is_driven(o)) return vec6_zero();
    const mat3 back = mat3_transpose(&before->R), turn = mat3_mul(&now->R, &back);
    const vec3 own = mat3_tmul_vec(&now->R, vec3_sub(p, now->p));
    const vec3 was = vec3_add(before->p, mat3_mul_vec(&before->R, own));
    return vec6_make(so3_log(&turn), vec3_sub(p, was));
}

// The same of the rod. Where it is fed, a node is another point of the material, which keeps its
// distance from the tip: the one that is there now was nearer to the base by (1 - x) of what was fed.
static vec6 travelled(const rod_problem *p, const element *e, int i, const se3 *T) {
    const double *y = p->m->nodes + (size_t)(e->node + i) * Y_SIZE;
    const mat3 before = quat_to_mat3(quat_load(y + Y_H)), back = mat3_transpose(&before);
    const mat3 turn = mat3_mul(&T->R, &back);
    const double x = (e->s0 + e->shares[i] * e->length) / p->r->length;
    const double fed = (1.0 - x) * (p->r->length - p->m->lengths[0]);
    const vec3 moved = vec3_sub(T->p, vec3_load(y + Y_P));
    return vec6_make(so3_log(&turn), vec3_madd(moved, fed, mat3_column(&T->R, 2)));
}

static contact contact_with(const rod_problem *p, const element *e, int i, int which, const se3 *T,
                            contact_slopes *slopes) {
    const rod *r = p->r;
    const int node = e->node + i;
    const obstacle *o = &r->obstacles[which];
    contact_law law = r->contacts[which];
    contact_point at = {.from = obstacle_distance_from(o, &p->m->obstacles[which], T->p),
                        .radius = r->radii[node]};
    if (p->softness > 1.0) law.stiffness /= p->softness;
    if (p->c0 == 0.0 && *p->m->sticks == 0.0) law.friction = 0.0;  // there is no before yet
    if (law.friction > 0.0 && contact_touches(&at)) {
        const vec6 by = carried(o, &p->m->frames[which], &p->m->obstacles[which], T->p);
        const vec6 own = vec6_sub(travelled(p, e, i, T), by);
        at.turned = own.a, at.moved = own.l;
        at.slip = vec3_load(p->m->slips + 3 * (node * r->n_obstacles + which));
    }
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
    if (slopes) *slopes = (contact_slopes){.f_p = mat3_zero()};
    for (int k = 0; k < p->r->n_obstacles; k++) {
        const contact c = contact_with(p, e, i, k, T, slopes ? &one : NULL);
        sum.force = vec3_add(sum.force, c.force);
        sum.moment = vec3_add(sum.moment, c.moment);
        sum.energy += c.energy;
        sum.lost += c.lost;
        if (slopes) add_slopes(&one, slopes);
        if (slips) vec3_store(slips + 3 * k, c.slip);
    }
    return sum;
}

// ---------------------------------------------------------------- along a rod
static se3 pose_of(const double *y) {
    return (se3){quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
}

double contact_energy(const rod *r, const se3 *frames, const double *nodes) {
    double sum = 0.0;
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++)
            for (int o = 0; o < r->n_obstacles; o++) {
                const vec3 p = vec3_load(nodes + (size_t)(e->node + i) * Y_SIZE + Y_P);
                const double phi = obstacle_distance_from(&r->obstacles[o], &frames[o], p).phi;
                const double depth = fmax(0.0, r->radii[e->node + i] - phi);
                sum += e->quadrature[i] * 0.5 * r->contacts[o].stiffness * depth * depth;
            }
    }
    return sum;
}

void contact_account(const rod_problem *p, cosserat_time *time) {
    const rod *r = p->r;
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const se3 T = pose_of(p->m->trial + (size_t)(e->node + i) * Y_SIZE);
            for (int o = 0; o < r->n_obstacles; o++) {
                const contact c = contact_with(p, e, i, o, &T, NULL);
                const vec6 by =
                    carried(&r->obstacles[o], &p->m->frames[o], &p->m->obstacles[o], T.p);
                time->dissipated += e->quadrature[i] * c.lost;
                time->work += e->quadrature[i] * vec3_dot(c.force, by.l);
            }
        }
    }
}

double contact_most_work(const rod_problem *p) {
    const rod *r = p->r;
    double sum = 0.0;
    for (int k = 0; k < r->n_elements && r->n_obstacles; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const se3 T = pose_of(p->m->trial + (size_t)(e->node + i) * Y_SIZE);
            for (int o = 0; o < r->n_obstacles; o++) {
                const vec6 by =
                    carried(&r->obstacles[o], &p->m->frames[o], &p->m->obstacles[o], T.p);
                const contact c = contact_with(p, e, i, o, &T, NULL);
                sum += e->quadrature[i] * vec3_norm(c.force) * vec3_norm(by.l);
            }
        }
    }
    return sum;
}
