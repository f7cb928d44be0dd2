#include "view/scheme.h"

#include <stdio.h>
#include <string.h>

#include "io/option_names.h"

enum { N_METHODS = TD_STEPS_IMPLICIT + 1 };

static int count(const td_options *options) {
    return has_space_scheme(options) ? MOST_SCHEMES : N_METHODS;
}

static void choose(td_options *options, int k) {
    if (has_space_scheme(options)) options->scheme = (td_scheme)k;
    else options->integration.method = (td_steps)k;
}

int scheme_names(const char *model, const char *names[MOST_SCHEMES]) {
    td_options options = td_default_options();
    snprintf(options.model, sizeof options.model, "%s", model);
    int n = count(&options);
    for (int k = 0; k < n; k++) {
        choose(&options, k);
        names[k] = stepping_name(&options);
    }
    return n;
}

bool scheme_choose(td_options *options, const char *name) {
    td_options tried = *options;
    for (int k = 0; k < count(options); k++) {
        choose(&tried, k);
        if (strcmp(stepping_name(&tried), name) != 0) continue;
        *options = tried;
        return true;
    }
    return false;
}
