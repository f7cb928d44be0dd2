// io/clock.h - clocks (s) of the programs: the library reads none.
#pragma once

#include <time.h>

static inline double clock_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double wall_clock(void) {
    return clock_seconds(CLOCK_MONOTONIC);
}

static inline double processor_time(void) {  // of this process: what others do is left out
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}
