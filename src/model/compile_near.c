// model/compile_near.c - the grid of environment/near.h.
#include "model/obstacles.h"

#include <math.h>
#include <stdlib.h>

#define FEW 16         // obstacles with bounds: no grid
#define MOST_CELLS 64  // for each obstacle

typedef struct ball {
    vec3 at;
    double radius;
} ball;

static bool has_place(const obstacle *o) {
    const bool moves = obstacle_is_driven(o) || obstacle_is_carried(o);
    return o->reach < HUGE_VAL && !o->n_pieces && !moves && !(o->def.hard > 0.0);
}

static ball ball_of(const near_grid *g, const obstacle *o, double radius) {
    return (ball){obstacle_frame(o, NULL).p, o->reach + radius + g->margin};
}

// The cells from lo to hi that a ball may reach into.
static void cells_of(const near_grid *g, const ball *b, int lo[3], int hi[3]) {
    const vec3 x = vec3_sub(b->at, g->origin);
    const double at[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++) {
        lo[k] = (int)fmax(0.0, floor((at[k] - b->radius) / g->size));
        hi[k] = (int)fmin(g->n[k] - 1, floor((at[k] + b->radius) / g->size));
    }
}

// Cells as large as an obstacle, and fewer where that makes too many.
static void lay_out(const obstacle *all, int n, double radius, near_grid *g) {
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int bounded = 0;
    for (int i = 0; i < n; i++) {
        if (!has_place(&all[i])) continue;
        const ball b = ball_of(g, &all[i], radius);
        const double at[3] = {b.at.x, b.at.y, b.at.z};
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], at[k] - b.radius);
            hi[k] = fmax(hi[k], at[k] + b.radius);
        }
        g->size += b.radius;
        bounded++;
    }
    g->origin = vec3_load(lo);
    g->size /= bounded;
    for (double cells = HUGE_VAL; cells > (double)MOST_CELLS * bounded; g->size *= 1.3) {
        cells = 1.0;
        for (int k = 0; k < 3; k++) cells *= floor((hi[k] - lo[k]) / g->size) + 1.0;
    }
    for (int k = 0; k < 3; k++) g->n[k] = (int)floor((hi[k] - lo[k]) / g->size) + 1;
}

// Counts, or puts, the obstacles of each cell, from behind.
static void fill_cells(const obstacle *all, int n, double radius, near_grid *g, bool put) {
    for (int which = n - 1; which >= 0; which--) {
        if (!has_place(&all[which])) continue;
        const ball b = ball_of(g, &all[which], radius);
        int lo[3], hi[3];
        cells_of(g, &b, lo, hi);
        for (int k = lo[2]; k <= hi[2]; k++)
            for (int j = lo[1]; j <= hi[1]; j++)
                for (int i = lo[0]; i <= hi[0]; i++) {
                    int *begins = &g->begins[near_cell(g, i, j, k)];
                    if (put) g->list[--*begins] = which;
                    else ++*begins;
                }
    }
}

bool near_make(const obstacle *all, int n, double radius, near_grid *out) {
    int bounded = 0;
    for (int i = 0; i < n; i++) bounded += has_place(&all[i]);
    const bool few = bounded <= FEW;
    *out =
        (near_grid){.all = calloc((size_t)n + 1, sizeof *out->all), .n_all = n, .margin = radius};
    if (!out->all) return false;
    for (int i = 0, last = n; i < n; i++) {
        if (few || !has_place(&all[i])) out->all[out->n_rest++] = i;
        else out->all[--last] = i;
    }
    if (few) return true;
    lay_out(all, n, radius, out);
    const size_t cells = (size_t)out->n[0] * (size_t)out->n[1] * (size_t)out->n[2];
    out->begins = calloc(cells + 1, sizeof *out->begins);
    if (!out->begins) return false;
    fill_cells(all, n, radius, out, false);
    for (size_t c = 1; c <= cells; c++) out->begins[c] += out->begins[c - 1];
    out->list = calloc((size_t)out->begins[cells] + 1, sizeof *out->list);
    if (!out->list) return false;
    fill_cells(all, n, radius, out, true);
    return true;
}

void near_release(near_grid *g) {
    free(g->all);
    free(g->begins);
    free(g->list);
    *g = (near_grid){.n_rest = 0};
}
