// view/hello.h - the long texts for the page: what there is to see, and how it goes. malloc'ed;
// NULL: out of memory.
#pragma once

#include "view/live.h"
#include "view/replay.h"

typedef struct audience {
    bool driving;  // the one who reads this
    int watchers;  // all who look
    int opened;    // robots that came in the place of the first
} audience;

char *hello_live(const live *l, const live_facts *f, audience a);
char *hello_replay(const replay *r, audience a);
char *status_live(const live *l, const live_facts *f, audience a, double cpu);
