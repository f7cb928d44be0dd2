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

static void keep_first(double s, double least, double *first) {
    if (s > least && s < *first) *first = s;
}

double growing_end(const td_robot *robot, int rod) {
    const robot_rod *r = &robot->rods[rod];
    const double least = SAME_PLACE * r->length;
    double first = r->length;
    if (r->n_pieces > 1) keep_first(r->pieces[0].length, least, &first);
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *load = &robot->loads[i].def;
        if (load->rod != rod) continue;
        keep_first(load->from, least, &first);
        if (load->distributed) keep_first(load->to, least, &first);
    }
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == rod) keep_first(robot->bodies[i].def.at, least, &first);
    for (int i = 0; i < robot->n_actuators; i++) {
        const actuator_head h = actuator_head_of(&robot->actuators[i]);
        if (h.rod != rod) continue;
        keep_first(h.from, least, &first);
        keep_first(h.to, least, &first);
    }
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon); i++) {
        const td_tendon_def *d = robot_tendon(robot, i);
        for (int k = 0; k < d->n_points && d->rod == rod; k++)
            keep_first(d->points[3 * k], least, &first);
    }
    return r->length - first > least ? first : r->length;
}

fed_stretch fed_stretch_of(const td_robot *robot, int rod) {
    const robot_rod *r = &robot->rods[rod];
    if (!is_fed(r->feed)) return (fed_stretch){r->length, r->length};
    return (fed_stretch){0.0, growing_end(robot, rod)};
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
