// model/compile_touch.c - obstacles of a robot, and how hard they are for each rod.
#include <math.h>
#include <stdlib.h>

#include "model/touch.h"
#include "robot/facts.h"
#include "robot/places.h"

bool touch_make(const td_robot *robot, int n_points, int n_rows, touch *out) {
    size_t n_pieces = 0;
    *out = (touch){.n = robot->n_obstacles, .n_points = n_points};
    if (out->n == 0) return true;
    for (int i = 0; i < out->n; i++)
        n_pieces += (size_t)obstacle_n_pieces(&robot->obstacles[i].def);
    out->obstacles = calloc((size_t)out->n, sizeof *out->obstacles);
    out->pieces = calloc(n_pieces + 1, sizeof *out->pieces);
    out->laws = calloc((size_t)out->n * (size_t)n_rows + 1, sizeof *out->laws);
    out->points = calloc((size_t)n_points + 1, sizeof *out->points);
    if (!out->obstacles || !out->pieces || !out->laws || !out->points) return false;
    tube_piece *next = out->pieces;
    for (int i = 0; i < out->n; i++) {
        out->obstacles[i] = obstacle_make(&robot->obstacles[i].def, next);
        next += out->obstacles[i].n_pieces;
    }
    return true;
}

void touch_release(touch *t) {
    free(t->obstacles);
    free(t->pieces);
    free(t->laws);
    free(t->points);
}

double touch_radius(const td_robot *robot, int rod, double s) {
    const double envelope = robot->rods[rod].envelope;
    return envelope > 0.0 ? envelope : rod_radius_at(robot, rod, s);
}

void touch_set_rod(touch *t, const td_robot *robot, int rod, int row, double h) {
    double x;
    const robot_rod *r = &robot->rods[rod];
    const td_section_properties p = piece_properties(piece_at(r, 0.0, &x), 0.0);
    const double EI = fmax(p.stiffness[0], p.stiffness[1]);
    for (int i = 0; i < t->n; i++)
        t->laws[row * t->n + i] =
            touch_law_of(&t->obstacles[i].def, EI, h, touch_radius(robot, rod, 0.0), r->length);
}
