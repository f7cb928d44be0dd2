// view/scheme.c - see scheme.h.
#include "view/scheme.h"

#include <stdio.h>

#include "io/options.h"

const char *scheme_at(const char *model, int i) {
    td_options options = td_default_options();
    snprintf(options.model, sizeof options.model, "%s", model);
    const choice *c = stepping_option(&options)->choices;
    while (i > 0 && c->name) c++, i--;
    return c->name;
}

bool scheme_choose(td_options *options, const char *name) {
    plan p = {.options = *options};
    const bool known = option_choose(stepping_option(options), name, &p);
    *options = p.options;
    return known;
}
