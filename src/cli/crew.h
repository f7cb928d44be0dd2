// cli/crew.h - processes of this machine that compute cases of a study.
//
// Each is a child that takes a range of cases and sends records of rows back, at the end of the range and twice a second. It
// shares nothing with the others but a few words of memory, so that one that crashes, or is killed, takes nothing along: another
// one goes on where its last record ended. A case at which three of them ended is not tried again; its row says so.
#pragma once

#include "io/sweep.h"

typedef struct crew crew;

typedef struct case_range {
    long long first, end;
} case_range;

typedef void crew_sink(void *context, const record_head *head, const void *bytes);

// NULL: no memory or no processes; told.
crew *crew_create(const td_study *study, int n);
void crew_destroy(crew *c);    // ends them; NULL is fine
int crew_idle(const crew *c);  // so many have nothing to do
bool crew_give(crew *c,
               case_range range);  // to one that has nothing to do; false: it cannot be started
// Waits up to so many milliseconds for records, and hands them over. False: none of them can be started any more.
bool crew_poll(crew *c, int milliseconds, crew_sink *sink, void *context);
// Each sends what it has and ends; waits for that.
void crew_stop(crew *c, crew_sink *sink, void *context);
