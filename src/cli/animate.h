// cli/animate.h - a result as a film, for verbs that make one.
#pragma once

#include "cli/args.h"
#include "io/result.h"

// Into the file that this option names, as --view, --speed, --fps, --size and --quiet say where the verb has
// them. Returns an exit code, after printing what went wrong.
int animate_result(const args *a, const char *option_name, result *r);
