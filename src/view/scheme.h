// view/scheme.h - schemes in time by name, whatever the model.
#pragma once

#include "tendril/tendril.h"

enum { MOST_SCHEMES = 6 };

// Names of the schemes that this model has; returns how many.
int scheme_names(const char *model, const char *names[MOST_SCHEMES]);
// False: the model of these options has no such scheme.
bool scheme_choose(td_options *options, const char *name);
