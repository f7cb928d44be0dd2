// environment/near.c - see near.h.
#include "environment/near.h"

near_list near_at(const near_grid *g, vec3 p) {
    near_list out = {.rest = g->all, .n_rest = g->n_rest, .n = g->n_rest};
    if (!g->begins) return out;
    const double x = (p.x - g->origin.x) / g->size, y = (p.y - g->origin.y) / g->size,
                 z = (p.z - g->origin.z) / g->size;
    const bool within =
        x >= 0.0 && x < g->n[0] && y >= 0.0 && y < g->n[1] && z >= 0.0 && z < g->n[2];
    if (!within) return out;
    const int c = near_cell(g, (int)x, (int)y, (int)z);
    out.there = g->list + g->begins[c];
    out.n += g->begins[c + 1] - g->begins[c];
    return out;
}

near_list near_way(const near_grid *g, vec3 p, double way) {
    if (way <= g->margin) return near_at(g, p);
    return (near_list){.rest = g->all, .n_rest = g->n_all, .n = g->n_all};
}
