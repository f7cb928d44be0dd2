// robot/places.c - see places.h.
#include "robot/places.h"

#include <math.h>
#include <stdlib.h>

#include "robot/actuators.h"

const td_piece_def *piece_at(const robot_rod *rod, double s, double *x) {
    double start = 0.0;
    int i = 0;
    while (i + 1 < rod->n_pieces && s > start + rod->pieces[i].length)
        start += rod->pieces[i++].length;
    *x = fmin(1.0, fmax(0.0, (s - start) / rod->pieces[i].length));
    return &rod->pieces[i];
}

int piece_ends(const robot_rod *rod, double *s) {
    double at = 0.0;
    for (int i = 0; i < rod->n_pieces; i++) s[i] = at += rod->pieces[i].length;
    s[rod->n_pieces - 1] = rod->length;
    return rod->n_pieces;
}

int actuator_ends(const td_robot *robot, int rod, double *s) {
    int n = 0;
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        if (h.rod == rod) s[n++] = h.from, s[n++] = h.to;
    }
    return n;
}

int path_points(const td_robot *robot, int rod, double *s) {
    int n = 0;
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *d = robot_tendon(robot, i);
        for (int k = 0; k < d->n_points && d->rod == rod; k++, n++)
            if (s) s[n] = d->points[3 * k];
    }
    return n;
}

static void narrow(fed_stretch *g, bool at_tip, double length, double s) {
    const double least = SAME_PLACE * length;
    if (!(s > least && length - s > least)) return;
    if (at_tip) g->from = fmax(g->from, s);
    else g->to = fmin(g->to, s);
}

static void narrow_by_actuators(const td_robot *robot, int rod, fed_stretch *g) {
    const robot_rod *r = &robot->rods[rod];
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        if (h.rod != rod) continue;
        narrow(g, r->feed_at_tip, r->length, h.from);
        narrow(g, r->feed_at_tip, r->length, h.to);
    }
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *d = robot_tendon(robot, i);
        for (int k = 0; k < d->n_points && d->rod == rod; k++)
            narrow(g, r->feed_at_tip, r->length, d->points[3 * k]);
    }
}

fed_stretch growing_stretch(const td_robot *robot, int rod) {
    const robot_rod *r = &robot->rods[rod];
    fed_stretch g = {0.0, r->length};
    double s = 0.0;
    for (int i = 0; i + 1 < r->n_pieces; i++)
        narrow(&g, r->feed_at_tip, r->length, s += r->pieces[i].length);
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        if (load->rod != rod) continue;
        narrow(&g, r->feed_at_tip, r->length, load->from);
        if (load->distributed) narrow(&g, r->feed_at_tip, r->length, load->to);
    }
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == rod)
            narrow(&g, r->feed_at_tip, r->length, robot->bodies[i].def.at);
    narrow_by_actuators(robot, rod, &g);
    return g;
}

fed_stretch fed_stretch_of(const td_robot *robot, int rod) {
    const robot_rod *r = &robot->rods[rod];
    return is_fed(r->feed) ? growing_stretch(robot, rod) : (fed_stretch){r->length, r->length};
}

int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int join_places(double *s, int n, double length) {
    qsort(s, (size_t)n, sizeof *s, ascending);
    int kept = 1;
    for (int i = 1; i < n; i++)
        if (s[i] - s[kept - 1] > SAME_PLACE * length) s[kept++] = s[i];
    s[kept - 1] = length;
    return kept;
}
