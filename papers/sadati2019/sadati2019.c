// papers/sadati2019/sadati2019.c - see sadati2019.h.
#include "sadati2019.h"

static const paper_item items[] = {
    {{"section 2"},
     "more segments, higher orders: the way to a Cosserat rod",
     sadati2019_convergence},
    {{"figure 5", "figure 6"}, "what making and running a model costs", sadati2019_cost},
    {{"figure 4"}, "the recordings, and models that follow them", sadati2019_traces},
    {{"section 3", "figure 7"}, "how far from the measured tip", sadati2019_errors},
    {{NULL}, NULL, NULL},
};

const paper paper_sadati2019 = {
    .name = "sadati2019",
    .authors = "S. M. H. Sadati, A. Shiva, L. Renson, C. Rucker, K. Althoefer, T. Nanayakkara, "
               "C. Bergeles, H. Hauser, I. D. Walker",
    .title = "Reduced order vs. discretized lumped system models with absolute and relative states "
             "for continuum manipulators",
    .source = "Robotics: Science and Systems, 2019",
    .doi = "",
    .has_recordings = true,
    .items = items,
};
