// model/lumped/compile_cuts.c - where a rod is cut into segments: wherever something happens, and
// evenly between.
#include <math.h>
#include <stdlib.h>

#include "model/lumped/compile.h"

// Places where something happens; returns how many.
static int find_events(const td_robot *robot, int rod, double *s) {
    int n = 0;
    s[n++] = 0.0;
    n += piece_ends(&robot->rods[rod], s + n);
    for (int i = 0; i < robot->n_bodies; i++)
        if (robot->bodies[i].def.rod == rod) s[n++] = robot->bodies[i].def.at;
    for (int i = 0; i < robot->n_loads; i++)
        if (robot->loads[i].def.rod == rod && !robot->loads[i].def.distributed)
            s[n++] = robot->loads[i].def.from;
    return n + actuator_ends(robot, rod, s + n);
}

static int parts_of(double stretch, double length, int segments) {
    int n = (int)lround(segments * stretch / length);
    return n > 1 ? n : 1;
}

bool cut_rod(const td_robot *robot, int rod, int segments, cuts *out) {
    const double length = robot->rods[rod].length;
    size_t most = 1 + (size_t)robot->rods[rod].n_pieces + (size_t)robot->n_bodies +
                  (size_t)robot->n_loads + 2 * (size_t)robot->n_actuators;
    double *events = malloc(sizeof *events * most);
    *out = (cuts){0};
    if (!events) return false;
    int n = join_places(events, find_events(robot, rod, events), length);
    for (int i = 0; i + 1 < n; i++) out->n += parts_of(events[i + 1] - events[i], length, segments);
    out->s = malloc(sizeof(double) * (size_t)(out->n + 1));
    for (int i = 0, at = 0; out->s && i + 1 < n; i++) {
        double from = events[i], stretch = events[i + 1] - from;
        int parts = parts_of(stretch, length, segments);
        for (int k = 0; k < parts; k++) out->s[at++] = from + stretch * k / parts;
        out->s[at] = events[i + 1];
    }
    free(events);
    return out->s != NULL;
}

int cut_at(const cuts *at, double s, double length) {
    int low = 0, high = at->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (at->s[middle] < s - SAME_PLACE * length) low = middle + 1;
        else high = middle;
    }
    return fabs(at->s[low] - s) <= 2.0 * SAME_PLACE * length ? low : -1;
}
