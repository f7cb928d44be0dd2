// view/past.h - the last minute of a live robot, as snapshots that it can be put back to.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { PAST_MOMENTS = 600 };  // at most
#define PAST_SECONDS 60.0     // simulated
#define PAST_BYTES (32u << 20)

// A ring of moments of the same size. Where snapshots are large there are fewer, further apart.
typedef struct past {
    unsigned char *memory;  // (room x bytes)
    double *times;          // (room)
    size_t bytes;           // of a moment
    int room, first, n;
    double every;  // s
} past;

// Empties it, for moments of this size. Without memory it stays empty.
void past_clear(past *p, size_t bytes);
void past_free(past *p);
// Where the moment at this time is to be written; NULL: it is too near to the last.
unsigned char *past_add(past *p, double time);
// The last moment not after `time`, or the first; later ones are dropped. NULL: there is none.
const unsigned char *past_find(past *p, double time);
double past_begin(const past *p, double now);  // the time of the first; now: there is none
