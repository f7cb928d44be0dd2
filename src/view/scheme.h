// view/scheme.h - schemes in time by name, whatever the model.
#pragma once

#include "tendril/tendril.h"

// Name number i of the schemes that this model has; NULL past the last.
const char *scheme_at(const char *model, int i);
// False: the model of these options has no such scheme.
bool scheme_choose(td_options *options, const char *name);
