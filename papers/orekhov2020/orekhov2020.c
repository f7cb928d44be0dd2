// papers/orekhov2020/orekhov2020.c - see orekhov2020.h.
#include "orekhov2020.h"

static const paper_item items[] = {
    {{"table 1"}, "largest Magnus step that is sure to converge", orekhov2020_table1},
    {{"table 2"}, "largest step between the nodes", orekhov2020_table2},
    {{"figure 4"}, "rods under a force, a moment and both", orekhov2020_planar},
    {{"figure 5"}, "shapes under the 729 wrenches", orekhov2020_shapes},
    {{"table 3", "table 4", "section 7"},
     "tip errors and speed over 2187 load cases",
     orekhov2020_accuracy},
    {{NULL}, NULL, NULL},
};

const paper paper_orekhov2020 = {
    .name = "orekhov2020",
    .authors = "A. L. Orekhov, N. Simaan",
    .title = "Solving Cosserat rod models via collocation and the Magnus expansion",
    .source = "IEEE/RSJ International Conference on Intelligent Robots and Systems, 2020",
    .doi = "10.48550/arXiv.2008.01054",
    .items = items,
};
