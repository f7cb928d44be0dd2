// model/cosserat/contact.c - see contact.h.
#include "model/cosserat/contact.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "robot/facts.h"

// ---------------------------------------------------------------- compile
#define HARDNESS 16.0      // of the chosen stiffness, EI/h^4 with the distance h of nodes
#define LOOKS 1000         // at a signal that feeds a rod
#define MOST_RINGING -0.3  // alpha of bdf-alpha below which impacts bring much energy

bool contact_compile(cosserat *c, const td_robot *robot) {
    size_t n_pieces = 0;
    for (int i = 0; i < robot->n_obstacles; i++)
        n_pieces += (size_t)obstacle_n_pieces(&robot->obstacles[i].def);
    c->n_obstacles = robot->n_obstacles;
    if (!c->n_obstacles) return true;
    c->obstacles = calloc((size_t)c->n_obstacles, sizeof *c->obstacles);
    c->tube_pieces = calloc(n_pieces + 1, sizeof *c->tube_pieces);
    if (!c->obstacles || !c->tube_pieces) return false;
    tube_piece *next = c->tube_pieces;
    for (int i = 0; i < c->n_obstacles; i++) {
        c->obstacles[i] = obstacle_make(&robot->obstacles[i].def, next);
        next += c->obstacles[i].n_pieces;
    }
    return true;
}

void contact_release(cosserat *c) {
    for (int i = 0; i < c->n_rods; i++) {
        free(c->rods[i].contacts);
        free(c->rods[i].radii);
    }
    free(c->obstacles);
    free(c->tube_pieces);
}

// The length that the signals of the run feed it to, at most.
static double longest(const td_robot *robot, const rod *r) {
    const td_number feed = r->feed;
    double most = r->length + feed.value;
    for (int i = 0; i <= LOOKS && feed.gain != 0.0; i++) {
        const td_signal *s = &robot->inputs[feed.input].signal;
        const double t = robot->scenario.end * i / LOOKS;
        most = fmax(most, r->length + feed.value + feed.gain * td_signal_value(s, t, TD_AFTER));
    }
    return most;
}

// As hard as the nodes resolve: a point force spreads over (EI/K)^(1/4), half the distance of nodes.
static contact_law law_of(const td_obstacle_def *o, double EI, double h, double radius) {
    contact_law law = {o->stiffness, o->friction, o->presliding};
    if (!(law.stiffness > 0.0)) law.stiffness = HARDNESS * EI / (h * h * h * h);
    if (!(law.presliding > 0.0)) law.presliding = radius > 0.0 ? 0.01 * radius : 1e-4 * h;
    return law;
}

bool contact_compile_rod(const cosserat *c, const td_robot *robot, rod *r) {
    if (!c->n_obstacles) return true;
    const double envelope = robot->rods[r->index].envelope, EI = r->moment_scale * r->length;
    r->obstacles = c->obstacles;
    r->n_obstacles = c->n_obstacles;
    r->contacts = calloc((size_t)c->n_obstacles, sizeof *r->contacts);
    r->radii = calloc((size_t)r->n_nodes, sizeof *r->radii);
    if (!r->contacts || !r->radii) return false;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double s = e->s0 + e->shares[i] * e->length;
            r->radii[e->node + i] = envelope > 0.0 ? envelope : rod_radius_at(robot, r->index, s);
        }
    }
    const double h = longest(robot, r) / r->n_nodes;
    for (int i = 0; i < c->n_obstacles; i++)
        r->contacts[i] = law_of(&c->obstacles[i].def, EI, h, r->radii[0]);
    return true;
}

td_status contact_check(const td_robot *robot, const td_options *o, td_error *err) {
    if (robot->n_obstacles == 0) return TD_OK;
    if (o->space != TD_COLLOCATION)
        return error_set(err, TD_ERR_UNSUPPORTED, "simulation.space.scheme",
                         "only collocation has contact with obstacles");
    if (o->scheme == TD_TRAPEZOIDAL || (o->scheme == TD_BDF_ALPHA && o->alpha < MOST_RINGING))
        return error_set(err, TD_ERR_UNSUPPORTED,
                         o->scheme == TD_TRAPEZOIDAL ? "simulation.time.scheme"
                                                     : "simulation.time.alpha",
                         "what damps little rings at every impact, and contact would bring energy; "
                         "bdf-alpha with alpha from %g to 0, bdf2, backward-euler and sdirk2 suit",
                         MOST_RINGING);
    return TD_OK;
}

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
