// view/scheme.c - see scheme.h.
#include "view/scheme.h"

#include <stdio.h>
#include <string.h>

#include "io/options.h"

static bool has_midpoint_steps(const char *model) {
    for (int i = 0; i < td_n_models(); i++)
        if (strcmp(td_model_name(i), model) == 0)
            return td_model_supports(i, TD_FEATURE_MIDPOINT_STEPS);
    return false;
}

const char *scheme_at(const char *model, int i) {
    td_options options = td_default_options();
    snprintf(options.model, sizeof options.model, "%s", model);
    const sim_option *of = stepping_option(&options);
    const choice *c = of->choices;
    while (i > 0 && c->name) c++, i--;
    const bool last = of == sim_option_find("simulation.integration.method") &&
                      c->value == TD_STEPS_MIDPOINT && !has_midpoint_steps(model);
    return last ? NULL : c->name;
}

bool scheme_choose(td_options *options, const char *name) {
    plan p = {.options = *options};
    const bool known = option_choose(stepping_option(options), name, &p);
    *options = p.options;
    return known;
}
