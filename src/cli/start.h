// cli/start.h - where a trajectory begins.
#pragma once

#include "cli/session.h"

// `how` is "static", "straight", a state file, a result, or NULL for what the file says. Returns an
// exit code, after printing what went wrong.
int begin_state(session *s, const char *how);
