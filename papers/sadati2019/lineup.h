// papers/sadati2019/lineup.h - the models that are compared, one line each.
#pragma once

#include "module.h"

enum { MOST_SIZES = 6 };

typedef struct contender {
    const char *model;
    bool printed;           // the paper has it, with a discretisation of its own
    int sizes[MOST_SIZES];  // segments, orders or nodes, growing; 0: no more
    int paper_size;         // the one that the paper quotes, or ours where it quotes none
    int states;             // coordinates for each
    int more;               // and of the corrected one besides
    int calm;               // the largest size that moves with the published damping; 0: all do
} contender;

// Only those that this build has.
int contenders(const contender **list);
int contender_states(const contender *c, int n, bool as_printed);
int contender_sizes(const contender *c);

// As the paper computed this model, and as it should be. `load`: with a load at the tip, for which
// the paper turns the mean stretch off, except in its ROM.
variant published_variant(const contender *c, int n, bool load);
variant corrected_variant(const contender *c, int n, bool follows_stretch);
