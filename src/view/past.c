// view/past.c - see past.h.
#include "view/past.h"

#include <stdlib.h>

void past_free(past *p) {
    free(p->memory);
    free(p->times);
    *p = (past){0};
}

void past_clear(past *p, size_t bytes) {
    p->first = p->n = 0;
    if (p->memory && p->bytes == bytes) return;
    past_free(p);
    const size_t most = PAST_BYTES / (bytes + 1);
    p->room = most < PAST_MOMENTS ? (int)most : PAST_MOMENTS;
    if (p->room < 2) p->room = 2;
    p->bytes = bytes;
    p->every = PAST_SECONDS / p->room;
    p->memory = malloc((size_t)p->room * bytes + 1);
    p->times = malloc((size_t)p->room * sizeof *p->times);
    if (!p->memory || !p->times) past_free(p);
}

static int slot(const past *p, int i) {
    return (p->first + i) % p->room;
}

unsigned char *past_add(past *p, double time) {
    if (p->room == 0) return NULL;
    // a step that ends within rounding of the time that is due counts
    if (p->n > 0 && time < p->times[slot(p, p->n - 1)] + p->every * (1.0 - 1e-6)) return NULL;
    if (p->n == p->room) p->first = slot(p, 1);
    else p->n++;
    const int at = slot(p, p->n - 1);
    p->times[at] = time;
    return p->memory + (size_t)at * p->bytes;
}

const unsigned char *past_find(past *p, double time) {
    if (p->n == 0) return NULL;
    while (p->n > 1 && p->times[slot(p, p->n - 1)] > time) p->n--;
    return p->memory + (size_t)slot(p, p->n - 1) * p->bytes;
}

double past_begin(const past *p, double now) {
    return p->n > 0 ? p->times[p->first] : now;
}
