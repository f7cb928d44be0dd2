// papers/sadati2019/lineup.c - see lineup.h.
#include "lineup.h"

#include <string.h>

// rom: beyond order 2 quadratic damping is too much for its step (errata.md).
static const contender all[] = {
    {.model = "eba", .printed = true, .sizes = {1, 2, 3, 5, 10, 20}, .paper_size = 5, .states = 6},
    {.model = "ebr", .printed = true, .sizes = {1, 2, 3, 5}, .paper_size = 5, .states = 6},
    {.model = "srl", .printed = true, .sizes = {1, 2, 3, 5}, .paper_size = 3, .states = 6},
    {.model = "rom",
     .printed = true,
     .sizes = {1, 2, 3, 4},
     .paper_size = 2,
     .states = 6,
     .more = 3,
     .calm = 2},
    {.model = "cosserat", .sizes = {3, 4, 6, 8}, .paper_size = 8, .states = 6},
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
    const bool rom = !strcmp(c->model, "rom");
    return (variant){.model = c->model,
                     .n = n,
                     .as_printed = true,
                     .published = true,
                     .follows_stretch = !load || rom,
                     .by_height = rom,
                     .damping = published_damping(c->model, n)};
}

variant corrected_variant(const contender *c, int n, bool follows_stretch) {
    return (variant){
        .model = c->model, .n = n, .follows_stretch = follows_stretch, .damping = linear_damping()};
}
