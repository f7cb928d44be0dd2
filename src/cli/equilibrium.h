// cli/equilibrium.h - an equilibrium as a result of one record, which plot and run --start take like
// any other.
#pragma once

#include "cli/session.h"

typedef struct equilibrium {
    const char *program;  // "tendril statics"
    const session *s;
    const td_stats *stats;  // of the solve
    int points;             // along each rod; 0: as the file says
} equilibrium;

// Returns an exit code, after printing what went wrong.
int equilibrium_write(const equilibrium *e, const char *folder);
