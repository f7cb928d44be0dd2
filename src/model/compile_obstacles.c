// model/compile_obstacles.c - see obstacles.h.
#include "model/obstacles.h"

#include <stdlib.h>

bool obstacle_create(const td_obstacle_def *def, spline_grid *grid, obstacle *out) {
    const size_t n = (size_t)obstacle_n_pieces(def);
    tube_piece *pieces = n ? calloc(n, sizeof *pieces) : NULL;
    *out = (obstacle){.pieces = NULL};
    if (n && !pieces) return false;
    *out = obstacle_make(def, pieces, spline_grid_share(grid));
    return true;
}

void obstacle_release(obstacle *o) {
    free(o->pieces);
    spline_grid_release(o->grid);
}

obstacle *obstacles_create(const td_robot *robot) {
    obstacle *all = calloc((size_t)robot->n_obstacles + 1, sizeof *all);
    bool ok = all != NULL;
    for (int i = 0; i < robot->n_obstacles && ok; i++)
        ok = obstacle_create(&robot->obstacles[i].def, robot->obstacles[i].grid, &all[i]);
    if (ok || !all) return all;
    obstacles_destroy(all, robot->n_obstacles);
    return NULL;
}

void obstacles_destroy(obstacle *all, int n) {
    for (int i = 0; i < n && all; i++) obstacle_release(&all[i]);
    free(all);
}
