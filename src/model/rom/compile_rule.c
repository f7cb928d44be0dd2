// model/rom/compile_rule.c - where integrals along a rod take their values.
//
// A rod is cut wherever its properties, an actuator or a distributed load begins or ends, and at the
// points of paths; between cuts everything is smooth, and Gauss's rule is exact to rounding.
// Distributed loads and points make no part of their own: there curvature does not jump.
#include <stdlib.h>

#include "math/quadrature.h"
#include "model/rom/compile.h"

#define LEFT_POINTS 10  // of the rectangles that the paper's numbers were computed with

static int find_cuts(const td_robot *robot, int rod, bool bends, double *s) {
    int n = 0;
    s[n++] = 0.0;
    n += piece_ends(&robot->rods[rod], s + n);
    for (int i = 0; i < robot->n_loads && bends; i++)
        if (robot->loads[i].def.rod == rod && robot->loads[i].def.distributed)
            s[n++] = robot->loads[i].def.from, s[n++] = robot->loads[i].def.to;
    if (bends) n += path_points(robot, rod, s + n);
    return n + actuator_ends(robot, rod, s + n);
}

static bool allocate(rule *r, int n) {
    r->n = n;
    r->s = malloc(sizeof(double) * (size_t)n);
    r->weight = malloc(sizeof(double) * (size_t)n);
    return r->s && r->weight;
}

static bool fill_left(double length, rule *out) {
    if (!allocate(out, LEFT_POINTS)) return false;
    for (int i = 0; i < LEFT_POINTS; i++) {
        out->s[i] = length * i / LEFT_POINTS;
        out->weight[i] = length / LEFT_POINTS;
    }
    return true;
}

static bool fill_gauss(const double *cuts, int parts, int order, rule *out) {
    double x[GAUSS_MAX], weight[GAUSS_MAX];
    const int points = parts == 1 ? 2 * order + 4 : order + 4;
    if (!allocate(out, parts * points) || !gauss_legendre(points, x, weight)) return false;
    out->per = points;
    for (int i = 0; i < parts; i++)
        for (int k = 0; k < points; k++) {
            const double length = cuts[i + 1] - cuts[i];
            out->s[i * points + k] = cuts[i] + x[k] * length;
            out->weight[i * points + k] = weight[k] * length;
        }
    return true;
}

static bool make_cuts(const td_robot *robot, int rod, bool bends, rod_parts *out) {
    const size_t most = 1 + (size_t)robot->rods[rod].n_pieces +
                        (size_t)path_points(robot, rod, NULL) +
                        2 * (size_t)(robot->n_loads + robot->n_actuators);
    *out = (rod_parts){.cuts = malloc(sizeof(double) * most)};
    if (!out->cuts) return false;
    const int n = find_cuts(robot, rod, bends, out->cuts);
    out->n = join_places(out->cuts, n, robot->rods[rod].length) - 1;
    return true;
}

bool parts_make(const td_robot *robot, int rod, const td_rom_options *o, rod_parts *out) {
    if (!make_cuts(robot, rod, false, out)) return false;
    if (!o->as_printed) return true;
    out->n = 1;
    out->cuts[1] = robot->rods[rod].length;
    return true;
}

bool rule_make(const td_robot *robot, int rod, const td_rom_options *o, rule *out) {
    rod_parts all;
    *out = (rule){0};
    if (o->quadrature == TD_ROM_LEFT) return fill_left(robot->rods[rod].length, out);
    if (!make_cuts(robot, rod, true, &all)) return false;
    out->cuts = all.cuts;
    return fill_gauss(all.cuts, all.n, o->order, out);
}

void rule_free(rule *r) {
    free(r->s);
    free(r->weight);
    free(r->cuts);
}
