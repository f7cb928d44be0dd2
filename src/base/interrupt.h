// base/interrupt.h - what a long call asks now and then: is it to end?
#pragma once

#include <stdbool.h>

typedef struct interrupt {
    bool (*asked)(void *context);  // NULL: never
    void *context;
} interrupt;

static inline bool interrupted(interrupt i) {
    return i.asked && i.asked(i.context);
}
