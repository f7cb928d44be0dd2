// model/lumped/compile_blocks.c - where the factors of a sparse block matrix fill in.
//
// Eliminating row k couples all rows that it is coupled to; it is enough to hand them to the first
// of these, its parent (Schreiber's elimination tree).
#include <stdlib.h>
#include <string.h>

#include "model/lumped/blocks.h"

typedef struct list {
    int *items, n, room;
} list;

static bool list_add(list *l, int item) {
    for (int i = 0; i < l->n; i++)
        if (l->items[i] == item) return true;
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 4;
        int *items = realloc(l->items, sizeof(int) * (size_t)room);
        if (!items) return false;
        l->items = items;
        l->room = room;
    }
    l->items[l->n++] = item;
    return true;
}

static int ascending(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool add_pairs(const int *pairs, int n_pairs, list *rows) {
    for (int i = 0; i < n_pairs; i++) {
        int a = pairs[2 * i], b = pairs[2 * i + 1];
        if (a != b && !list_add(&rows[a < b ? a : b], a < b ? b : a)) return false;
    }
    return true;
}

static bool fill_in(int n, list *rows) {
    for (int k = 0; k < n; k++) {
        list *l = &rows[k];
        if (l->n == 0) continue;
        qsort(l->items, (size_t)l->n, sizeof(int), ascending);
        for (int i = 1; i < l->n; i++)
            if (!list_add(&rows[l->items[0]], l->items[i])) return false;
    }
    return true;
}

static bool place(block_pattern *p, const list *rows) {
    int pairs = 0;
    for (int k = 0; k < p->n; k++) {
        p->n_couplings += rows[k].n;
        pairs += rows[k].n * rows[k].n;
    }
    p->first = calloc((size_t)p->n + 1, sizeof(int));
    p->first_pair = calloc((size_t)p->n + 1, sizeof(int));
    p->other = calloc((size_t)p->n_couplings + 1, sizeof(int));
    p->target = calloc((size_t)pairs + 1, sizeof(int));
    if (!p->first || !p->first_pair || !p->other || !p->target) return false;
    for (int k = 0; k < p->n; k++) {
        const int m = rows[k].n;
        if (m > 0) memcpy(p->other + p->first[k], rows[k].items, sizeof(int) * (size_t)m);
        p->first[k + 1] = p->first[k] + m;
        p->first_pair[k + 1] = p->first_pair[k] + m * m;
    }
    return true;
}

static void find_targets(block_pattern *p) {
    for (int k = 0; k < p->n; k++) {
        const int *other = p->other + p->first[k], m = p->first[k + 1] - p->first[k];
        int *target = p->target + p->first_pair[k];
        for (int i = 0; i < m; i++)
            for (int l = 0; l < m; l++) *target++ = block_at(p, other[i], other[l]);
    }
}

bool block_pattern_make(int n, const int *pairs, int n_pairs, block_pattern *out) {
    *out = (block_pattern){.n = n};
    list *rows = calloc((size_t)n + 1, sizeof *rows);
    bool made = rows && add_pairs(pairs, n_pairs, rows) && fill_in(n, rows) && place(out, rows);
    if (made) find_targets(out);
    for (int k = 0; rows && k < n; k++) free(rows[k].items);
    free(rows);
    if (!made) block_pattern_free(out);
    return made;
}

void block_pattern_free(block_pattern *p) {
    free(p->first);
    free(p->other);
    free(p->first_pair);
    free(p->target);
    *p = (block_pattern){0};
}
