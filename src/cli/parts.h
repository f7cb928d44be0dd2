// cli/parts.h - actuators and bodies of a state, and its stability, in words and as JSON.
#pragma once

#include "cli/session.h"
#include "io/json.h"

void parts_print(const session *s);
void parts_put(
    json *j, const session *s);  // arrays "tendons" and other kinds of actuators, "bodies", if any

bool body_is_free(const session *s, int body);

typedef struct verdict {  // on the stability of an equilibrium
    bool judged;
    double smallest;  // eigenvalue: see td_get_stability
    char words[512];  // why it was not judged, or against what
} verdict;

verdict verdict_of(const session *s);  // has its own td_stats: read those of the solve before
void verdict_print(const verdict *v);
void verdict_put(json *j, const verdict *v);  // "stability"
