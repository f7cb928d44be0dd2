// environment/near.h - which of many obstacles may be near a point. Those that stand still and have bounds lie in the
// cells of a grid, made once (model/obstacles.h); the others are always asked.
#pragma once

#include "environment/obstacle.h"

typedef struct near_grid {
    int *
        all;  // (n_all) the first n_rest without bounds, or such as move or are hard; all where they are few
    int n_rest, n_all;
    int *begins,
        *list;  // of each cell, from begins[c] to begins[c + 1], those that may reach into it
    vec3 origin;
    double size;    // m, of a cell
    int n[3];       // cells along each axis
    double margin;  // m, beyond the radius, within which they are found
} near_grid;

typedef struct near_list {
    const int *rest, *there;
    int n_rest, n;  // of those always asked; of all
} near_list;

static inline int near_cell(const near_grid *g, int i, int j, int k) {
    return (k * g->n[1] + j) * g->n[0] + i;
}

// All obstacles that a point, or one within the margin of it, can touch, each once.
near_list near_at(const near_grid *g, vec3 p);
// The same of a point on its way there, which is so long.
near_list near_way(const near_grid *g, vec3 p, double way);
static inline int near_one(const near_list *l, int i) {
    return i < l->n_rest ? l->rest[i] : l->there[i - l->n_rest];
}
