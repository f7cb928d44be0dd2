// model/cosserat/energy.c - energies and powers, by Gregory's rule over the nodes.
#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"

static double dot6(const double *a, const double *d, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < 6; i++) sum += a[i] * d[i] * b[i];
    return sum;
}

static double sum3(vec3 a) {
    return a.x + a.y + a.z;
}

static void add_node_energy(const station *st, const double *y, const double *f, vec3 g,
                            double weight, td_energy *out) {
    vec3 w = vec3_load(f + F_W), q = vec3_load(f + F_Q);
    out->elastic += weight * 0.5 * dot6(f, st->K, f);
    out->kinetic += weight * 0.5 *
                    (st->mass * vec3_dot(q, q) + vec3_dot(w, vec3_mul(st->J, w)));
    out->gravity -= weight * st->mass * vec3_dot(g, vec3_load(y + Y_P));
}

td_energy cosserat_energy(const void *compiled, const void *memory, const double *inputs) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    td_energy out = {.dissipated = m->time->dissipated, .work = m->time->work};
    vec3 g = rod_gravity_at(c, inputs, 1.0);
    for (int i = 0; i < c->n_rods; i++)
        for (int k = 0; k < c->rods[i].n_elements; k++) {
            const element *e = &c->rods[i].elements[k];
            for (int j = 0; j < e->n_nodes; j++) {
                size_t node = (size_t)(e->node + j);
                add_node_energy(&e->stations[j], m->rods[i].nodes + node * Y_SIZE,
                                m->rods[i].fields[0] + node * F_SIZE, g, e->quadrature[j], &out);
            }
        }
    return out;
}

// Power of a wrench on the section: force and moment in the world, in the body.
static double wrench_power(const wrench *world, const wrench *body, const double *y) {
    quat h = quat_load(y + Y_H);
    vec3 q = vec3_load(y + Y_Q), w = vec3_load(y + Y_W);
    return vec3_dot(world->force, quat_rotate(h, q)) + vec3_dot(world->moment, quat_rotate(h, w)) +
           vec3_dot(body->force, q) + vec3_dot(body->moment, w);
}

static double node_dissipation(const station *st, const double *f, const double *rate) {
    vec3 q = vec3_load(f + F_Q);
    vec3 speed = vec3_make(fabs(q.x), fabs(q.y), fabs(q.z));
    vec3 drag = vec3_add(vec3_mul(st->drag, speed), st->linear);
    return dot6(rate, st->B, rate) + sum3(vec3_mul(drag, vec3_mul(q, q)));
}

static void element_power(const element *e, const element_loads *load, const rod_memory *m,
                          const double *end, double *dissipation, double *power) {
    const double *y = m->nodes + (size_t)e->node * Y_SIZE;
    for (int j = 0; j < e->n_nodes; j++) {
        size_t node = (size_t)(e->node + j);
        *dissipation += e->quadrature[j] * node_dissipation(&e->stations[j],
                                                            m->fields[0] + node * F_SIZE,
                                                            m->rate + node * F_SIZE);
        if (e->n_spread)
            *power += e->quadrature[j] * wrench_power(&load->world, &load->body, y + j * Y_SIZE);
    }
    if (e->n_end_loads) *power += wrench_power(&load->end_world, &load->end_body, end);
}

void cosserat_power(const cosserat *c, const cosserat_memory *m, double *dissipation,
                    double *load) {
    *dissipation = *load = 0.0;
    for (int i = 0; i < c->n_rods; i++) {
        const rod *r = &c->rods[i];
        const rod_memory *mr = &m->rods[i];
        for (int k = 0; k < r->n_elements; k++)
            element_power(&r->elements[k], &mr->loads[k], mr, mr->bounds + (k + 1) * Y_SIZE,
                          dissipation, load);
        // the base pushes the rod with - n, - m
        wrench reaction = {vec3_neg(vec3_load(mr->bounds + Y_N)),
                           vec3_neg(vec3_load(mr->bounds + Y_M))};
        wrench none = {vec3_zero(), vec3_zero()};
        *load += wrench_power(&reaction, &none, mr->bounds);
    }
}

// ---------------------------------------------------------------- plausibility of a step
#define MOST_GAIN 10.0  // times the energy that could be there

// Kinetic and elastic energy of fields (n_nodes x F_SIZE).
static double stored_energy(const rod *r, const double *fields) {
    td_energy sum = {0};
    static const double nowhere[Y_SIZE] = {0.0};
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int j = 0; j < e->n_nodes; j++)
            add_node_energy(&e->stations[j], nowhere, fields + (size_t)(e->node + j) * F_SIZE,
                            vec3_zero(), e->quadrature[j], &sum);
    }
    return sum.kinetic + sum.elastic;
}

// The same of the shape in progress.
static double trial_energy(const rod *r, const rod_memory *m) {
    td_energy sum = {0};
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int j = 0; j < e->n_nodes; j++) {
            const size_t node = (size_t)(e->node + j);
            const double *y = m->trial + node * Y_SIZE;
            double f[F_SIZE];
            memcpy(f + F_U, m->strains + node * 6, 6 * sizeof(double));
            memcpy(f + F_W, y + Y_W, 3 * sizeof(double));
            memcpy(f + F_Q, y + Y_Q, 3 * sizeof(double));
            add_node_energy(&e->stations[j], y, f, vec3_zero(), e->quadrature[j], &sum);
        }
    }
    return sum.kinetic + sum.elastic;
}

static double moved(const double *a, const double *b) {
    return vec3_norm(vec3_sub(vec3_load(a + Y_P), vec3_load(b + Y_P)));
}

// At most this angle lies between the two sections.
static double turned(const double *a, const double *b) {
    quat d = quat_mul(quat_conj(quat_load(a + Y_H)), quat_load(b + Y_H));
    return 2.0 * atan2(vec3_norm(quat_vector(d)), fabs(d.w));
}

static double most_work(const wrench *w, const double *a, const double *b) {
    return vec3_norm(w->force) * moved(a, b) + vec3_norm(w->moment) * turned(a, b);
}

bool step_is_plausible(const rod_problem *p) {
    const rod *r = p->r;
    const rod_memory *m = p->m;
    double before = stored_energy(r, m->fields[0]), after = trial_energy(r, m);
    const double little = 1e-9 * r->moment_scale;
    if (after <= MOST_GAIN * before + little) return true;  // whatever the work
    // a formula over several steps may give back what any of its past states held
    before = fmax(before, fmax(stored_energy(r, m->fields[1]), stored_energy(r, m->fields[2])));
    double work = 0.0, weight = vec3_norm(p->gravity);
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const element_loads *load = &m->loads[k];
        for (int j = 0; j < e->n_nodes; j++) {
            size_t at = (size_t)(e->node + j) * Y_SIZE;
            const double *a = m->nodes + at, *b = m->trial + at;
            work += e->quadrature[j] * (weight * e->stations[j].mass * moved(a, b) +
                                        most_work(&load->world, a, b) +
                                        most_work(&load->body, a, b));
        }
        const double *a = m->bounds + (k + 1) * Y_SIZE, *b = m->trial_bounds + (k + 1) * Y_SIZE;
        work += most_work(&load->end_world, a, b) + most_work(&load->end_body, a, b);
    }
    for (int i = 0; i < 2; i++) {  // the base, with the reaction before and after
        const double *y = i ? m->trial_bounds : m->bounds;
        wrench reaction = {vec3_load(y + Y_N), vec3_load(y + Y_M)};
        work += most_work(&reaction, m->bounds, m->trial_bounds);
    }
    return after <= MOST_GAIN * (before + work) + little;
}
