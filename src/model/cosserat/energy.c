// model/cosserat/energy.c - energies and powers, by Gregory's rule over the nodes.
#include <math.h>

#include "model/cosserat/around.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"

static double sum3(vec3 a) {
    return a.x + a.y + a.z;
}

static void add_node_energy(const element *e, int i, const double *inner, const double *y,
                            const double *f, vec3 g, double weight, td_energy *out) {
    const station *st = &e->stations[i];
    vec3 w = vec3_load(f + F_W), q = vec3_load(f + F_Q);
    out->elastic += weight * element_elastic(e, i, inner, 0.0, f + F_U);
    out->kinetic += weight * 0.5 * (st->mass * vec3_dot(q, q) + vec3_dot(w, vec3_mul(st->J, w)));
    out->gravity -= weight * st->mass * vec3_dot(g, vec3_load(y + Y_P));
}

// A rigid body: its frame's pose (p, quaternion) and velocity in the body.
static void add_body_energy(const rigid *b, double share, const double *p, const double *h, vec3 w,
                            vec3 q, vec3 g, td_energy *out) {
    vec3 first = vec3_madd(quat_rotate(quat_load(h), b->moment), b->mass, vec3_load(p));
    out->kinetic += share * rigid_kinetic(b, w, q);
    out->gravity -= share * vec3_dot(g, first);
}

static void add_rod_energy(const rod *r, const rod_memory *m, const double *inputs, vec3 g,
                           td_energy *out) {
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const double *end = m->bounds + (k + 1) * Y_SIZE;
        for (int j = 0; j < e->n_nodes; j++) {
            size_t node = (size_t)(e->node + j);
            add_node_energy(e, j, m->inner, m->nodes + node * Y_SIZE, m->fields[0] + node * F_SIZE,
                            g, e->quadrature[j], out);
        }
        for (int j = 0; j < e->n_riders; j++)
            add_body_energy(&e->riders[j].mass, number_value(e->riders[j].attached, inputs),
                            end + Y_P, end + Y_H, vec3_load(end + Y_W), vec3_load(end + Y_Q), g,
                            out);
    }
    out->elastic += actuators_energy(r, m) + contact_energy(r, m, m->frames, m->nodes, m->bounds);
}

// A fed rod as it is now.
static const rod *present_rod(const cosserat *c, const cosserat_memory *m, int i) {
    return rod_of_length(&c->rods[i], &m->rods[i], m->rods[i].lengths[0]);
}

// Of what surrounds rods and bodies.
static void add_around_energy(const cosserat *c, const cosserat_memory *m, const double *inputs,
                              td_energy *out) {
    const surroundings s = surroundings_at(&c->around, inputs, 1.0, NULL);
    for (int i = 0; i < c->n_rods; i++) {
        const around_energy one =
            around_energy_of(present_rod(c, m, i), &s, inputs, m->rods[i].nodes, m->rods[i].bounds);
        out->gravity += one.potential;
        out->kinetic += one.kinetic;
    }
    for (int k = 0; k < c->n_bodies; k++) {
        const double *f = m->bodies[k].fields[0];
        const mat3 R = quat_to_mat3(quat_load(f + B_H));
        out->gravity += surrounding_energy(&s, &c->bodies[k].around,
                                           &(point_now){&R, vec3_load(f + B_P), vec3_zero()});
    }
}

td_energy cosserat_energy(const void *compiled, const void *memory, const double *inputs) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    td_energy out = {.dissipated = m->time->dissipated, .work = m->time->work};
    vec3 g = rod_gravity_at(c, inputs, 1.0);
    for (int i = 0; i < c->n_rods; i++)
        add_rod_energy(present_rod(c, m, i), &m->rods[i], inputs, g, &out);
    out.elastic += springs_energy(c, m, inputs);
    if (c->n_rods && c->rods[0].around) add_around_energy(c, m, inputs, &out);
    for (int k = 0; k < c->n_bodies; k++) {
        const double *f = m->bodies[k].fields[0];
        add_body_energy(&c->bodies[k].mass, 1.0, f + B_P, f + B_H, vec3_load(f + B_W),
                        vec3_load(f + B_Q), g, &out);
    }
    out.elastic += bodies_touch_energy(c, m, inputs);
    if (c->contacts.n) out.elastic += pairs_stored(c, (cosserat_memory *)memory, false);  // scratch
    return out;
}

// What the material at the base, or at a tip that grows, stored per unit length, `past` steps ago, with the place `at`.
static double stored_at_end(const space_scheme *scheme, const rod *r, rod_memory *m, int past,
                            const double *at, vec3 g, const surroundings *s) {
    const int k = r->grows_at_tip ? r->n_elements - 1 : 0;
    const element *e = &r->elements[k];
    double f[F_SIZE] = {0.0}, *row = m->history;  // scratch between steps
    scheme->weights(r, k, r->grows_at_tip ? 1.0 : 0.0, row);
    for (int j = 0; j < e->n_nodes; j++)
        for (int i = 0; i < F_SIZE; i++)
            f[i] += row[j] * m->fields[past][(size_t)(e->node + j) * F_SIZE + i];
    td_energy sum = {0};
    const int i = r->grows_at_tip ? e->n_nodes - 1 : 0;
    add_node_energy(e, i, m->inner, at, f, g, 1.0, &sum);
    sum.elastic = end_elastic(m, r, m->lengths[0] > m->lengths[1], f + F_U);
    if (!r->around) return sum.elastic + sum.kinetic + sum.gravity;
    const around_energy around = around_energy_at(&e->around[i], s, vec3_load(at + Y_P),
                                                  quat_load(at + Y_H), vec3_load(f + F_Q));
    return sum.elastic + sum.kinetic + sum.gravity + around.potential + around.kinetic;
}

// Half-way through the step: the tip moves with its material, and along itself by what grows.
static void place_of_end(const rod *r, const rod_memory *m, double fed, double dt,
                         double at[Y_SIZE]) {
    const double *end = m->bounds + (r->grows_at_tip ? r->n_elements : 0) * Y_SIZE;
    memcpy(at, end, sizeof(double) * Y_SIZE);
    if (!r->grows_at_tip) return;
    const vec3 ahead = quat_rotate(quat_load(at + Y_H), vec3_make(0.0, 0.0, fed));
    const vec3 moved = quat_rotate(quat_load(at + Y_H), vec3_scale(vec3_load(at + Y_Q), dt));
    vec3_store(at + Y_P, vec3_madd(vec3_load(at + Y_P), -0.5, vec3_add(ahead, moved)));
    const element *e = &r->elements[r->n_elements - 1];
    const double *f = m->fields[0] + (size_t)(e->node + e->n_nodes - 1) * F_SIZE;
    const vec3 u = vec3_add(e->stations[e->n_nodes - 1].u_rest, vec3_load(f + F_U));
    const vec3 turned = vec3_madd(vec3_scale(vec3_load(at + Y_W), dt), fed, u);
    quat_store(at + Y_H, quat_mul(quat_load(at + Y_H), quat_exp(vec3_scale(turned, -0.5))));
}

double cosserat_fed_energy(const cosserat *c, cosserat_memory *m, const double *inputs, double dt) {
    double sum = 0.0, at[Y_SIZE];
    vec3 g = rod_gravity_at(c, inputs, 1.0);
    const surroundings s = surroundings_at(&c->around, inputs, 1.0, NULL);
    for (int i = 0; i < c->n_rods; i++) {
        rod_memory *mr = &m->rods[i];
        const double fed = mr->lengths[0] - mr->lengths[1];
        if (fed == 0.0) continue;
        const rod *r = present_rod(c, m, i);
        place_of_end(r, mr, fed, dt, at);
        sum += 0.5 * fed *
               (stored_at_end(c->scheme, r, mr, 0, at, g, &s) +
                stored_at_end(c->scheme, r, mr, 1, at, g, &s));
    }
    return sum;
}

// Power of a wrench on the section: force and moment in the world, in the body.
static double wrench_power(const wrench *world, const wrench *body, const double *y) {
    quat h = quat_load(y + Y_H);
    vec3 q = vec3_load(y + Y_Q), w = vec3_load(y + Y_W);
    return vec3_dot(world->force, quat_rotate(h, q)) + vec3_dot(world->moment, quat_rotate(h, w)) +
           vec3_dot(body->force, q) + vec3_dot(body->moment, w);
}

static double node_dissipation(const element *e, int i, const double *inner, const double *f,
                               const double *rate) {
    const station *st = &e->stations[i];
    vec3 q = vec3_load(f + F_Q);
    vec3 speed = vec3_make(fabs(q.x), fabs(q.y), fabs(q.z));
    vec3 drag = vec3_add(vec3_mul(st->drag, speed), st->linear);
    return element_viscous(e, i, inner, f + F_U, rate) + sum3(vec3_mul(drag, vec3_mul(q, q)));
}

static void element_power(const element *e, const element_loads *load, const rod_memory *m,
                          const double *end, double *dissipation, double *power) {
    const double *y = m->nodes + (size_t)e->node * Y_SIZE;
    for (int j = 0; j < e->n_nodes; j++) {
        size_t node = (size_t)(e->node + j);
        *dissipation +=
            e->quadrature[j] *
            node_dissipation(e, j, m->inner, m->fields[0] + node * F_SIZE, m->rate + node * F_SIZE);
        if (e->n_spread)
            *power += e->quadrature[j] * wrench_power(&load->world, &load->body, y + j * Y_SIZE);
    }
    if (e->n_end_loads) *power += wrench_power(&load->end_world, &load->end_body, end);
}

static void rod_power(const rod *r, const rod_memory *m, double *dissipation, double *load) {
    for (int k = 0; k < r->n_elements; k++)
        element_power(&r->elements[k], &m->loads[k], m, m->bounds + (k + 1) * Y_SIZE, dissipation,
                      load);
    if (r->base_body >= 0) return;
    // the base pushes the rod with - n, - m
    wrench reaction = {vec3_neg(vec3_load(m->bounds + Y_N)), vec3_neg(vec3_load(m->bounds + Y_M))};
    wrench none = {vec3_zero(), vec3_zero()};
    *load += wrench_power(&reaction, &none, m->bounds);
}

// Power of a wrench (force and moment in the world) at the origin of a free body.
static double power_on_body(const body_memory *m, wrench on) {
    const double *f = m->fields[0];
    quat h = quat_load(f + B_H);
    return vec3_dot(on.force, quat_rotate(h, vec3_load(f + B_Q))) +
           vec3_dot(on.moment, quat_rotate(h, vec3_load(f + B_W)));
}

// The same wrench on a body that holds that one, where that is.
static double power_on_holder(const body_memory *holder, const body_memory *held, wrench on) {
    const vec3 arm = vec3_sub(vec3_load(held->fields[0] + B_P), vec3_load(holder->fields[0] + B_P));
    on.moment = vec3_add(on.moment, vec3_cross(arm, on.force));
    return power_on_body(holder, on);
}

// Power of the base that pushes a rod out, beyond that of the body which it stands on.
static double feed_power(const rod_memory *m, const body_memory *b) {
    const double *y = m->bounds, *f = b->fields[0];
    quat body = quat_load(f + B_H), base = quat_load(y + Y_H);
    vec3 w = quat_rotate(body, vec3_load(f + B_W));
    vec3 arm = vec3_sub(vec3_load(y + Y_P), vec3_load(f + B_P));
    vec3 v = vec3_add(quat_rotate(body, vec3_load(f + B_Q)), vec3_cross(w, arm));
    vec3 moves = vec3_sub(quat_rotate(base, vec3_load(y + Y_Q)), v);
    vec3 turns = vec3_sub(quat_rotate(base, vec3_load(y + Y_W)), w);
    return -vec3_dot(vec3_load(y + Y_N), moves) - vec3_dot(vec3_load(y + Y_M), turns);
}

void cosserat_power(const cosserat *c, const cosserat_memory *m, const double *inputs,
                    double *dissipation, double *load) {
    *dissipation = *load = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = present_rod(c, m, i);
        rod_power(r, &m->rods[i], dissipation, load);
        if (r->base_body >= 0 && rod_is_fed(r))
            *load += feed_power(&m->rods[i], &m->bodies[r->base_body]);
    }
    for (int k = 0; k < c->n_bodies; k++) {
        if (c->bodies[k].n_loads == 0) continue;
        mat3 R = quat_to_mat3(quat_load(m->bodies[k].fields[0] + B_H));
        *load += power_on_body(&m->bodies[k], body_loads_at(&c->bodies[k], inputs, 1.0, &R));
    }
    if (c->n_rods && c->rods[0].around) {
        const surroundings s = surroundings_at(&c->around, inputs, 1.0, NULL);
        for (int i = 0; i < c->n_rods; i++)
            around_power(present_rod(c, m, i), &m->rods[i], &s, dissipation, load);
    }
    bodies_touch_power(c, m, dissipation, load);
    *dissipation += springs_loss(c, m);
    for (int k = 0; k < c->n_joints; k++) {  // hinges, tips and bodies that the world moves
        const joint *j = &c->joints[k];
        const double *x = m->reactions[0] + j->reaction, *force = x + j->n_reactions - 3;
        if (!j->driven) continue;
        const wrench on = {vec3_load(force), j->n_reactions == 6 ? vec3_load(x) : vec3_zero()};
        const wrench none = {vec3_zero(), vec3_zero()};
        if (j->held >= 0) *load += power_on_body(&m->bodies[j->held], on);
        if (j->held >= 0 && j->holder >= 0)
            *load -= power_on_holder(&m->bodies[j->holder], &m->bodies[j->held], on);
        if (j->held >= 0) continue;
        *load +=
            wrench_power(&on, &none, m->rods[j->rod].bounds + c->rods[j->rod].n_elements * Y_SIZE);
    }
}
