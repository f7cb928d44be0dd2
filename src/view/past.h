// view/past.h - the last minute of a live robot, as snapshots that it can be put back to.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { PAST_MOMENTS = 600 };  // at most
#define PAST_SECONDS 60.0     // simulated
#define PAST_BYTES (32u << 20)

// A ring of moments of the same size, in one block for as long as there is a robot: a block that came and went with each model would be left to
// the heap of the thread, which does not give it back. Where snapshots are large there are fewer, further apart.
typedef struct past {
    unsigned char *memory;       // PAST_BYTES
    double times[PAST_MOMENTS];  // (room)
    size_t bytes;                // of a moment
    int room, first, n;          // room 0: a moment is larger than the memory
    double every;                // s
} past;

bool past_create(past *p);  // false: out of memory. It is ready after past_clear.
void past_free(past *p);
// Empties it, for moments of this size.
void past_clear(past *p, size_t bytes);
// Where the moment at this time is to be written; NULL: it is too near to the last.
unsigned char *past_add(past *p, double time);
// The last moment not after `time`, or the first; later ones are dropped. NULL: there is none.
const unsigned char *past_find(past *p, double time);
double past_begin(const past *p, double now);  // the time of the first; now: there is none
