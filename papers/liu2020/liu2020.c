// papers/liu2020/liu2020.c - see liu2020.h.
#include "liu2020.h"

static const paper_item items[] = {
    {{"figure 4", "figure 6", "figure 7"},
     "three cases: free fall, bending in plane and out of plane",
     liu2020_cases},
    {{"section 5", "figure 5"}, "how the free fall settles", liu2020_settling},
    {{"section 1"}, "arcs against a Cosserat rod", liu2020_cosserat},
    {{"section 2"}, "the energy of turning, which is neglected", liu2020_angular},
    {{"section 4.1"}, "Eq. 38: angular velocity from segment to segment", liu2020_propagation},
    {{"section 4.2"}, "Algorithm 1: the forces that a motion needs", liu2020_inverse},
    {{"appendix A"}, "the integrals of an arc in closed form", liu2020_appendix},
    {{NULL}, NULL, NULL},
};

const paper paper_liu2020 = {
    .name = "liu2020",
    .authors = "Y. Liu, P. Ben-Tzvi",
    .title = "A new approach to model constant curvature continuum robot dynamics",
    .source = "ASME Dynamic Systems and Control Conference, V003T20A001",
    .doi = "",
    .items = items,
};
