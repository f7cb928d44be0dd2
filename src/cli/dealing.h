// cli/dealing.h - who computes which cases of a study: the processes of this machine, and those of other ranks.
#pragma once

#include "cli/crew.h"
#include "io/sweep.h"

typedef struct dealing {
    const td_study *study;
    sweep_table *table;
    journal *journal;
    int part, parts;  // of all blocks, 1 .. parts
    int workers;      // processes of each rank
    double patience;  // s of silence after which a rank is given up
    bool quiet;
    // What came of it.
    bool stopped;                 // by a signal
    td_error err;                 // the journal cannot be written
    int rank, ranks, lost_ranks;  // what is found is told by rank 0
    long long computed;
    double seconds;
} dealing;

// Forks the processes, then speaks to the other ranks, if there are any; of a rank that deals, `before` runs between the two and
// says whether there is something to do. Returns an exit code.
int deal(dealing *d, int (*before)(void *context), void *context);
// When all is written: takes leave of the other ranks. Returns the exit code, or ends the process with it.
int deal_end(const dealing *d, int code);
