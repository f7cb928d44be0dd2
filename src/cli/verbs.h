// cli/verbs.h - the verbs of the program. A new one is a file that defines `verb_NAME` and one
// word here.
#pragma once

#include "cli/args.h"

#define VERBS(X)                                                                                   \
    X(run)                                                                                         \
    X(statics)                                                                                     \
    X(reach)                                                                                       \
    X(modes)                                                                                       \
    X(response)                                                                                    \
    X(linearise)                                                                                   \
    X(fit)                                                                                         \
    X(estimate)                                                                                    \
    X(sweep)                                                                                       \
    X(optimise)                                                                                    \
    X(compare)                                                                                     \
    X(check) X(models) X(plot) X(animate) X(convert) X(import) X(export) X(serve) X(view) X(paper)

#define DECLARE_VERB(name) extern const verb verb_##name;
VERBS(DECLARE_VERB)
#undef DECLARE_VERB
