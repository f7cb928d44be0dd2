// model/cosserat/plausible.c - could a shape follow from another in one step?
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cosserat/around.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"

#define MOST_GAIN 10.0  // times the energy that could be there

static double node_energy(const element *e, int i, const double *inner, double time,
                          const double *strain, vec3 w, vec3 q) {
    const station *st = &e->stations[i];
    return element_elastic(e, i, inner, time, strain) +
           0.5 * (st->mass * vec3_dot(q, q) + vec3_dot(w, vec3_mul(st->J, w)));
}

// Kinetic and elastic energy of fields (n_nodes x F_SIZE).
static double stored_energy(const rod *r, const double *inner, const double *fields) {
    double sum = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int j = 0; j < e->n_nodes; j++) {
            const double *f = fields + (size_t)(e->node + j) * F_SIZE;
            sum += e->quadrature[j] *
                   node_energy(e, j, inner, 0.0, f + F_U, vec3_load(f + F_W), vec3_load(f + F_Q));
        }
    }
    return sum;
}

// The same of the shape in progress.
static double trial_energy(const rod *r, const rod_memory *m) {
    double sum = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int j = 0; j < e->n_nodes; j++) {
            const size_t node = (size_t)(e->node + j);
            const double *y = m->trial + node * Y_SIZE;
            sum += e->quadrature[j] * node_energy(e, j, m->then, m->elapsed, m->strains + node * 6,
                                                  vec3_load(y + Y_W), vec3_load(y + Y_Q));
        }
    }
    return sum;
}

// What the bodies that ride on the rod bring along.
static double riders_energy(const rod *r, const rod_memory *m) {
    double sum = 0.0;
    for (int k = 0; k < r->n_elements && r->ridden; k++) {
        const double *v = m->ends[0] + 6 * k;
        sum += rigid_kinetic(&m->loads[k].end_mass, vec3_load(v), vec3_load(v + 3));
    }
    return sum;
}

// ---------------------------------------------------------------- work at most
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

static double most_work_of_loads(const rod_problem *p) {
    const rod *r = p->r;
    const rod_memory *m = p->m;
    double work = 0.0, weight = vec3_norm(p->gravity);
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        const element_loads *load = &m->loads[k];
        for (int j = 0; j < e->n_nodes; j++) {
            size_t at = (size_t)(e->node + j) * Y_SIZE;
            const double *a = m->nodes + at, *b = m->trial + at;
            work +=
                e->quadrature[j] * (weight * e->stations[j].mass * moved(a, b) +
                                    most_work(&load->world, a, b) + most_work(&load->body, a, b));
        }
        const double *a = m->bounds + (k + 1) * Y_SIZE, *b = m->trial_bounds + (k + 1) * Y_SIZE;
        work += most_work(&load->end_world, a, b) + most_work(&load->end_body, a, b) +
                weight * load->end_mass.mass * moved(a, b);
    }
    return work;
}

// Of the reactions at an end, before and after.
static double most_work_at(const rod_memory *m, int bound) {
    const double *a = m->bounds + bound * Y_SIZE, *b = m->trial_bounds + bound * Y_SIZE;
    wrench before = {vec3_load(a + Y_N), vec3_load(a + Y_M)};
    wrench after = {vec3_load(b + Y_N), vec3_load(b + Y_M)};
    return most_work(&before, a, b) + most_work(&after, a, b);
}

// Of what pushes the rod out of its base, before and after.
static double most_work_of_feed(const rod *r, const rod_memory *m) {
    const double fed = fabs(r->length - m->lengths[0]);
    const double before = vec3_norm(vec3_load(m->bounds + Y_N));
    return fed * (before + vec3_norm(vec3_load(m->trial_bounds + Y_N)));
}

// Of fields and a fluid, which may take along what moves.
static double most_work_around(const rod_problem *p) {
    const rod *r = p->r;
    const rod_memory *m = p->m;
    double riders = 0.0;  // attached as the loads say
    for (int k = 0; k < r->n_elements; k++) {
        const double *a = m->bounds + (k + 1) * Y_SIZE, *b = m->trial_bounds + (k + 1) * Y_SIZE;
        const mat3 A = quat_to_mat3(quat_load(a + Y_H)), B = quat_to_mat3(quat_load(b + Y_H));
        const point_body *of = &m->loads[k].end_around;
        riders += fabs(
            surrounding_energy(m->around, of, &(point_now){&A, vec3_load(a + Y_P), vec3_zero()}) -
            surrounding_energy(m->around, of, &(point_now){&B, vec3_load(b + Y_P), vec3_zero()}));
    }
    const around_energy before = around_energy_of(r, m->around, NULL, m->nodes, NULL),
                        after = around_energy_of(r, m->around, NULL, m->trial, NULL);
    return riders + fabs(before.potential - after.potential) + before.kinetic + after.kinetic;
}

// Kinetic and elastic energy, J: what there is, and what there could be.
typedef struct energies {
    double after, before, little;
} energies;

static energies energies_of(const rod_problem *p) {
    const rod *r = p->r;
    const rod_memory *m = p->m;
    energies out = {.before = stored_energy(r, m->inner, m->fields[0]),
                    .little = 1e-9 * r->moment_scale};
    out.after = trial_energy(r, m) + contact_energy(r, m, m->obstacles, m->trial, m->trial_bounds);
    if (out.after <= MOST_GAIN * out.before + out.little) return out;  // whatever the work
    // a formula over several steps may give back what any of its past states held
    const double past =
        fmax(stored_energy(r, m->inner, m->fields[1]), stored_energy(r, m->inner, m->fields[2]));
    out.before = fmax(out.before, past) + riders_energy(r, m) + contact_riders_energy(r, m);
    out.before += contact_energy(r, m, m->frames, m->nodes, m->bounds);
    double work = most_work_of_loads(p) + most_work_at(m, 0) + actuators_most_work(r, m);
    if (rod_is_fed(r)) work += most_work_of_feed(r, m);
    work += contact_most_work(p);
    if (r->around) work += most_work_around(p);
    if (r->held) work += most_work_at(m, r->n_elements);
    out.before += work;
    return out;
}

bool step_is_plausible(const rod_problem *p) {
    const energies e = energies_of(p);
    return e.after <= MOST_GAIN * e.before + e.little;
}

// Parts that touch give one another their energy: only all of them together can be judged.
bool assembly_is_plausible(const assembly_problem *p) {
    energies sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < p->a->n_rods; i++) {
        const energies e = energies_of(&p->own->problems[i]);
        if (!p->a->meets && !(e.after <= MOST_GAIN * e.before + e.little)) return false;
        sum.after += e.after, sum.before += e.before, sum.little += e.little;
    }
    if (!p->a->meets) return true;
    for (int k = 0; k < p->a->n_bodies; k++) {
        const double *f = p->m->bodies[p->a->bodies[k]].fields[0];
        sum.before += rigid_kinetic(&p->c->bodies[p->a->bodies[k]].mass, vec3_load(f + B_W),
                                    vec3_load(f + B_Q));
    }
    sum.before += pairs_stored(p->c, p->m, false);
    sum.after += pairs_stored(p->c, p->m, true);
    return sum.after <= MOST_GAIN * sum.before + sum.little;
}

void step_explain(const char *what, const td_options *options, const td_stats *stats, double dt,
                  char *message, size_t size) {
    if (stats->iterations == 0)
        snprintf(message, size,
                 "%s: a step of %.4g s could not begin: the equations are singular or not finite "
                 "at the present shape; check masses and joints",
                 what, dt);
    else if (stats->residual <= options->tolerance)
        snprintf(message, size,
                 "%s: a step of %.4g s was refused: the only motion found holds far more energy "
                 "than its loads and inputs can bring; try a smaller step",
                 what, dt);
    else
        snprintf(message, size,
                 "%s: a step of %.4g s did not converge: corrections of %.2e after %d iterations "
                 "(tolerance %.0e); try a smaller step or more nodes",
                 what, dt, stats->residual, stats->iterations, options->tolerance);
}

// ---------------------------------------------------------------- what nodes cannot follow
// Axes that twist with the rod see its bending come and go once in every turn, and so do the polynomials: with three
// nodes to a turn a twisted rod that buckles is lost, with 3.6 it is followed to its helix.
#define MOST_TURNED 1.6  // rad, from one node to the next

static double most_turned(const rod *r, const rod_memory *m) {
    double most = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int j = 0; j < e->n_nodes; j++) {
            const double *u = m->fields[0] + (size_t)(e->node + j) * F_SIZE + F_U;
            most = fmax(most, vec3_norm(vec3_load(u)) * e->length / e->n_nodes);
        }
    }
    return most;
}

void explain_turns(const rod *r, const rod_memory *m, char *message) {
    const double turned = most_turned(r, m);
    const size_t used = strlen(message);
    if (turned > MOST_TURNED)
        snprintf(message + used, MODEL_MESSAGE_SIZE - used,
                 "; rod '%.60s' turns by %.2g rad from one node to the next, and its bending is "
                 "followed up to about %.2g: more nodes (simulation.space.nodes or elements)",
                 r->name, turned, MOST_TURNED);
}
