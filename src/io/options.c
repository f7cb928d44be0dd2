// io/options.c - see options.h.
#include "io/options.h"

#include <string.h>

const sim_option *next_option(const plan *p, int *i, const char **name) {
    const sim_option *o;
    while ((o = sim_option_at((*i)++)) && !td_reads_option(&p->options, o->path)) continue;
    static const char group[] = "simulation.";
    const size_t n = strlen(group);
    if (o) *name = o->path + (strncmp(o->path, group, n) == 0 ? n : 0);
    return o;
}

void options_put(json *j, const plan *p) {
    const sim_option *o;
    const char *name;
    char text[OPTION_TEXT];
    for (int i = 0; (o = next_option(p, &i, &name));) {
        if (o->kind == OPTION_FLAG) json_put_bool(j, name, option_value(o, p) != 0.0);
        else if (o->kind == OPTION_COUNT || o->kind == OPTION_QUANTITY)
            json_put_number(j, name, option_value(o, p));
        else json_put_string(j, name, option_text(o, p, text));
    }
}

const sim_option *stepping_option(const td_options *options) {
    static const char scheme[] = "simulation.time.scheme";
    return sim_option_find(td_reads_option(options, scheme) ? scheme
                                                            : "simulation.integration.method");
}

const char *stepping_name(const td_options *options) {
    return option_word(stepping_option(options), &(plan){.options = *options});
}
