// cli/lapse.h - which records of a run are drawn when several are drawn at once.
#pragma once

#include "cli/figure.h"

// One run is coloured by time; several results, or one equilibrium, have one colour each.
bool is_lapse(const figure *f);
int lapse_count(const figure *f, const result *r);
// Record of the k-th of n, evenly spread from the first to the last.
int lapse_record(const result *r, int k, int n);
void set_time_colours(FILE *script, const result *r);
