// robot/loads.h - the kinds of loads as they are described: one line each, by the word of the key
// `frame`. What they do to a point is in environment/load.c.
//
// A new kind is its enumerator in tendril/robot.h (with numbers of its own, if force and moment do not say
// it all), its feature in tendril/tendril.h with a word in model/registry.c, a line here, and its function
// in environment/load.c.
#pragma once

#include "robot/robot.h"

// Its enumerator behind TD_FRAME_, its word, the features that it needs beyond those of its place, and
// its help.
// clang-format off
#define LOAD_KINDS(X)                                                                               \
    X(WORLD, world, 0u, "it keeps its direction")                                                   \
    X(BODY, body, 1ull << TD_FEATURE_FOLLOWER_LOADS, "it turns with the section or body")
// clang-format on

#define LOAD_ONE(NAME, word, features, help) +1
#define LOAD_WORD(NAME, word, features, help) [TD_FRAME_##NAME] = #word,
#define LOAD_FEATURES(NAME, word, features, help) [TD_FRAME_##NAME] = features,
#define LOAD_FEATURE(NAME, word, features, help) | features

enum { N_LOAD_KINDS = 0 LOAD_KINDS(LOAD_ONE) };

// The features of models that ask what loads do at their points.
#define ANY_LOAD_KIND (0u LOAD_KINDS(LOAD_FEATURE))

static inline const char *load_word(td_frame kind) {
    static const char *const words[N_LOAD_KINDS] = {LOAD_KINDS(LOAD_WORD)};
    return words[kind];
}

static inline feature_set load_features(const td_load_def *load) {
    static const feature_set features[N_LOAD_KINDS] = {LOAD_KINDS(LOAD_FEATURES)};
    return features[load->frame] | (load->distributed ? 1ull << TD_FEATURE_DISTRIBUTED_LOADS
                                                      : 1ull << TD_FEATURE_POINT_LOADS);
}
