// io/options.h - the options of a run for people and for results: those that its model reads.
#pragma once

#include "io/json.h"
#include "robot/options.h"

// The next option from *i on that the plan's model reads, and its name below `simulation`:
// "time.scheme". NULL past the last.
const sim_option *next_option(const plan *p, int *i, const char **name);
void options_put(json *j, const plan *p);  // as members of an object

// The option that says how the model steps in time, and its word.
const sim_option *stepping_option(const td_options *options);
const char *stepping_name(const td_options *options);
