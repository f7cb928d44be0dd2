// model/cosserat/compile_contact.c - obstacles, and how hard they are for each rod.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/cosserat/contact.h"
#include "robot/facts.h"
#include "model/obstacles.h"

#define STANDARD 9.81  // m/s^2
// The chosen stiffness spreads a point force over the distance of two nodes, twice what touch_law_of does: harder springs
// gain nothing, but wires that slide chatter from node to node. The tip pushes along the rod, and is harder.
#define SPREAD 2.0
#define LOOKS 1000         // at a signal that feeds a rod
#define MOST_RINGING -0.3  // alpha of bdf-alpha below which impacts bring much energy

bool contact_compile(cosserat *c, const td_robot *robot) {
    c->n_obstacles = robot->n_obstacles;
    if (!c->n_obstacles) return true;
    c->obstacles = obstacles_create(robot);
    c->obstacle_names = calloc((size_t)c->n_obstacles, sizeof *c->obstacle_names);
    if (!c->obstacles || !c->obstacle_names) return false;
    for (int i = 0; i < c->n_obstacles; i++)
        snprintf(c->obstacle_names[i], sizeof *c->obstacle_names, "%.63s",
                 robot->obstacles[i].name);
    return true;
}

void contact_release(cosserat *c) {
    touch_release(&c->touch);
    pairs_release(&c->contacts);
    free(c->places);
    free(c->capsule_ends);
    free(c->body_points);
    for (int i = 0; i < c->n_rods; i++) {
        free(c->rods[i].contacts);
        free(c->rods[i].radii);
        near_release(&c->rods[i].near);
    }
    obstacles_destroy(c->obstacles, c->n_obstacles);
    free(c->obstacle_names);
}

// The bound of a rod that carries a body.
static int bound_of(const rod *r, int body) {
    for (int k = 0; k < r->n_elements; k++)
        for (int i = 0; i < r->elements[k].n_riders; i++)
            if (r->elements[k].riders[i].body == body) return k + 1;
    return 0;
}

static int free_body_of(const cosserat *c, int body) {
    for (int k = 0; k < c->n_bodies; k++)
        if (c->bodies[k].body == body) return k;
    return -1;
}

static void add_body_points(cosserat *c, const td_robot *robot, int body) {
    const td_body_def *d = &robot->bodies[body].def;
    const touch_body x = touch_body_of(robot, d);
    const bool rides = d->rod >= 0;
    rod *r = rides ? &c->rods[d->rod] : NULL;
    for (int i = 0; i < x.n; i++) {
        c->body_points[c->touch.n_points] = (body_point){.body = free_body_of(c, body),
                                                         .at = x.at[i],
                                                         .rod = rides ? d->rod : -1,
                                                         .bound = rides ? bound_of(r, body) : -1};
        c->touch.points[c->touch.n_points++] = (touch_point){touch_row(&x, TOUCH_ROWS * body, i),
                                                             x.radius,
                                                             x.length,
                                                             rides ? d->attached : td_constant(1.0),
                                                             -1,
                                                             body,
                                                             0.0};
    }
    if (rides && x.n) r->touch = &c->touch, r->points = c->body_points;
    touch_set_body(&c->touch, robot, body, TOUCH_ROWS * body);
}

// After the free bodies are there.
bool contact_compile_bodies(cosserat *c, const td_robot *robot) {
    bool any = false;
    for (int i = 0; i < robot->n_bodies; i++) any = any || body_touches(robot, i);
    if (!any || !c->n_obstacles) return true;
    const int most = TOUCH_MOST * robot->n_bodies;
    c->body_points = calloc((size_t)most, sizeof *c->body_points);
    if (!c->body_points || !touch_make(robot, most, TOUCH_ROWS * robot->n_bodies, &c->touch))
        return false;
    c->touch.n_points = 0;
    for (int i = 0; i < robot->n_bodies; i++) add_body_points(c, robot, i);
    return true;
}

// ---------------------------------------------------------------- parts with one another
static int add_place(cosserat *c, pair_place x) {
    c->places[c->n_places] = x;
    return c->n_places++;
}

// From the base over all nodes to the tip.
static void add_rod_capsules(cosserat *c, const td_robot *robot, int index) {
    const rod *r = &c->rods[index];
    int last = add_place(c, (pair_place){.rod = index, .place = r->n_nodes});
    double from = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes + (k == r->n_elements - 1); i++) {
            const bool tip = i == e->n_nodes;
            const double s = tip ? r->length : e->s0 + e->shares[i] * e->length;
            const int place = tip ? r->n_nodes + r->n_elements : e->node + i;
            const int own = add_place(c, (pair_place){.rod = index, .place = place});
            int *ends = c->capsule_ends + 2 * c->contacts.n;
            ends[0] = last, ends[1] = own;
            pairs_add_stretch(&c->contacts, robot, index, from, s - from);
            last = own, from = s;
        }
    }
}

static void add_body_capsule(cosserat *c, const td_robot *robot, int body, int own) {
    int *ends = c->capsule_ends + 2 * c->contacts.n;
    const int on = robot->bodies[body].def.rod;
    vec3 at[2];
    pairs_add_body(&c->contacts, robot, body, at);
    for (int i = 0; i < 2; i++) {
        pair_place x = {-1, 0, own, at[i]};
        if (on >= 0) {
            rod *r = &c->rods[on];
            r->meets = true;
            x = (pair_place){on, r->n_nodes + bound_of(r, body), -1, at[i]};
        }
        ends[i] = add_place(c, x);
    }
}

bool contact_compile_pairs(cosserat *c, const td_robot *robot, const int *free_of) {
    size_t n = (size_t)robot->n_bodies;
    if (robot->n_contacts == 0) return true;
    double *h = calloc((size_t)c->n_rods + 1, sizeof *h);
    for (int i = 0; i < c->n_rods; i++) {
        n += (size_t)c->rods[i].n_nodes + 1;
        if (h) h[i] = c->rods[i].length / c->rods[i].n_nodes;
    }
    c->places = calloc(2 * n, sizeof *c->places);
    c->capsule_ends = calloc(2 * n, sizeof *c->capsule_ends);
    const bool ok = h && c->places && c->capsule_ends && pairs_make(&c->contacts, robot, h, (int)n);
    free(h);
    for (int i = 0; i < c->n_rods && ok; i++) {
        c->rods[i].meets = pairs_touch(&c->contacts, i);
        if (c->rods[i].meets) add_rod_capsules(c, robot, i);
    }
    for (int i = 0; i < robot->n_bodies && ok; i++)
        if (pairs_touch(&c->contacts, c->n_rods + i)) add_body_capsule(c, robot, i, free_of[i]);
    if (ok) pairs_limit(&c->contacts);
    return ok;
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

bool contact_compile_rod(const cosserat *c, const td_robot *robot, rod *r) {
    if (!c->n_obstacles) return true;
    const double envelope = robot->rods[r->index].envelope, EI = r->moment_scale * r->length;
    r->obstacles = c->obstacles;
    r->n_obstacles = c->n_obstacles;
    r->contacts = calloc(2 * (size_t)c->n_obstacles, sizeof *r->contacts);
    r->radii = calloc((size_t)r->n_nodes + 1, sizeof *r->radii);
    if (!r->contacts || !r->radii) return false;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double s = e->s0 + e->shares[i] * e->length;
            r->radii[e->node + i] = envelope > 0.0 ? envelope : rod_radius_at(robot, r->index, s);
        }
    }
    r->radii[r->n_nodes] = touch_radius(robot, r->index, robot->rods[r->index].length);
    touch_rod facts = {.EI = EI,
                       .weight = STANDARD * r->elements[0].stations[0].mass,
                       .h = longest(robot, r) / r->n_nodes,
                       .radius = r->radii[0],
                       .length = r->length};
    for (int i = 0; i < c->n_obstacles; i++)
        r->contacts[c->n_obstacles + i] = touch_law_of(&c->obstacles[i].def, &facts).law;
    facts.h *= SPREAD;
    for (int i = 0; i < c->n_obstacles; i++)
        r->contacts[i] = touch_law_of(&c->obstacles[i].def, &facts).law;
    double thickest = 0.0;
    for (int i = 0; i <= r->n_nodes; i++) thickest = fmax(thickest, r->radii[i]);
    return near_make(c->obstacles, c->n_obstacles, thickest, &r->near);
}

// ---------------------------------------------------------------- notes
static double widest_gap(const rod *r) {
    double widest = 0.0, last = 0.0;
    for (int k = 0; k < r->n_elements; k++) {
        const element *e = &r->elements[k];
        for (int i = 0; i < e->n_nodes; i++) {
            const double s = e->s0 + e->shares[i] * e->length;
            widest = fmax(widest, s - last);
            last = s;
        }
    }
    return widest;
}

bool contact_add_notes(cosserat *c, const td_robot *robot) {
    double *gaps = calloc((size_t)c->n_rods + 1, sizeof *gaps);
    if (!gaps) return false;
    for (int i = 0; i < c->n_rods && c->n_obstacles; i++) gaps[i] = widest_gap(&c->rods[i]);
    const bool ok = touch_notes(robot, gaps, "simulation.space.elements", &c->notes);
    free(gaps);
    return ok;
}

td_status contact_check(const td_robot *robot, const td_options *o, td_error *err) {
    if (robot->n_obstacles == 0 && robot->n_contacts == 0) return TD_OK;
    if (o->space != TD_COLLOCATION)
        return error_set(err, TD_ERR_UNSUPPORTED, "simulation.space.scheme",
                         "only collocation has contact");
    const bool rings = o->scheme == TD_BDF_ALPHA && o->alpha < MOST_RINGING;
    if (o->scheme == TD_TRAPEZOIDAL || o->scheme == TD_BDF3 || rings)
        return error_set(
            err, TD_ERR_UNSUPPORTED, rings ? "simulation.time.alpha" : "simulation.time.scheme",
            "what damps little rings after every impact, and motion would gain energy; "
            "bdf-alpha with alpha from %g to 0, bdf2, backward-euler and sdirk2 suit",
            MOST_RINGING);
    return TD_OK;
}
