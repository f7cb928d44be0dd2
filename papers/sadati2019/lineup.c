#include "lineup.h"

#include <string.h>

static const contender all[] = {
    {"eba", true, {1, 2, 3, 5, 10, 20}, 5, 6, 0}, {"ebr", true, {1, 2, 3, 5}, 5, 6, 0},
    {"srl", true, {1, 2, 3, 5}, 3, 6, 0},         {"rom", true, {1, 2, 3, 4}, 2, 6, 3},
    {"cosserat", false, {3, 4, 6, 8}, 8, 6, 0},
};
enum { N_ALL = sizeof all / sizeof *all };

static bool is_built(const char *name) {
    for (int i = 0; i < td_n_models(); i++)
        if (!strcmp(td_model_name(i), name)) return true;
    return false;
}

int contenders(const contender **list) {
    int n = 0;
    for (int i = 0; i < N_ALL; i++)
        if (is_built(all[i].model)) list[n++] = &all[i];
    return n;
}

int contender_states(const contender *c, int n, bool as_printed) {
    return c->states * n + (as_printed ? 0 : c->more);
}

int contender_sizes(const contender *c) {
    int n = 0;
    while (n < MOST_SIZES && c->sizes[n]) n++;
    return n;
}

variant published_variant(const contender *c, int n, bool load) {
    return (variant){.model = c->model,
                     .n = n,
                     .as_printed = true,
                     .published = true,
                     .follows_stretch = !load || !strcmp(c->model, "rom"),
                     .damping = published_damping(c->model, n)};
}

variant corrected_variant(const contender *c, int n, bool follows_stretch) {
    return (variant){
        .model = c->model, .n = n, .follows_stretch = follows_stretch, .damping = linear_damping()};
}
