// base/hash.h - a checksum of memory, for telling damaged or foreign data apart. Not for secrets.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t hash;

#define HASH_START 0xcbf29ce484222325u

// Eight bytes at a time: multiplied by 2^64 / golden ratio, then folded, so that every bit of a
// word reaches the low half too.
static inline hash hash_word(hash h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

static inline hash hash_bytes(hash h, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = hash_word(h, word);
    }
    uint64_t rest = bytes;
    for (size_t i = 0; i < bytes; i++) rest = rest << 8 | at[i];
    return bytes ? hash_word(h, rest) : h;
}

static inline void hash_doubles(hash *h, const double *values, int n) {
    *h = hash_bytes(*h, values, sizeof *values * (size_t)n);
}

static inline void hash_ints(hash *h, const int *values, int n) {
    for (int i = 0; i < n; i++) *h = hash_word(*h, (uint64_t)values[i]);
}

// With its end, so that "a", "bc" is not "ab", "c".
static inline void hash_text(hash *h, const char *text) {
    *h = hash_bytes(hash_word(*h, strlen(text)), text, strlen(text));
}

#define HASH_INTS(h, ...)                                                                          \
    hash_ints(h, (const int[]){__VA_ARGS__},                                                       \
              (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))
#define HASH_DOUBLES(h, ...)                                                                       \
    hash_doubles(h, (const double[]){__VA_ARGS__},                                                 \
                 (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))
