// view/past.c - see past.h.
#include "view/past.h"

#include <stdlib.h>

bool past_create(past *p) {
    *p = (past){.memory = malloc(PAST_BYTES)};
    return p->memory;
}

void past_free(past *p) {
    free(p->memory);
    *p = (past){0};
}

void past_clear(past *p, size_t bytes) {
    const size_t most = PAST_BYTES / (bytes + 1);
    p->first = p->n = 0;
    p->room = most < PAST_MOMENTS ? (int)most : PAST_MOMENTS;
    p->bytes = bytes;
    p->every = p->room > 0 ? PAST_SECONDS / p->room : 0.0;
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
