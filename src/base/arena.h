// base/arena.h - one block of memory, carved in order.
//
// The same layout code runs twice: first with base == NULL, to count; then over the real block,
// to place. So the two can never drift apart.
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/assertion.h"

typedef struct arena {
    unsigned char *base;  // NULL: only count
    size_t used;          // bytes
} arena;

// Aligned to 64 bytes: a cache line, and any vector load.
static inline void *arena_take(arena *a, size_t bytes) {
    size_t start = (a->used + 63) & ~(size_t)63;
    ASSERT(start + bytes >= start);  // no size wraps around
    a->used = start + bytes;
    return a->base ? a->base + start : NULL;
}

#define ARENA_TAKE(arena_, type, count)                                                            \
    ((type *)arena_take((arena_), sizeof(type) * (size_t)(count)))

static inline void *arena_copy(arena *a, const void *from, size_t bytes) {
    void *to = arena_take(a, bytes);
    return to ? memcpy(to, from, bytes) : NULL;
}
