// papers/till2019/till2019.c - see till2019.h.
#include "till2019.h"

static const paper_item items[] = {
    {{"section 3"}, "the benchmark rod, in words", till2019_section3},
    {{"table 3"}, "numerical methods for the Cosserat rod", till2019_table3},
    {{"table 4"}, "numerical methods for the Kirchhoff rod", till2019_table4},
    {{"figure 2"}, "numerical damping against the time step", till2019_figure2},
    {{"figure 3"}, "cost of a step against the number of nodes", till2019_figure3},
    {{"table 5", "figure 5", "section 4.1"},
     "a rod released from a weight",
     till2019_weight_release},
    {{"figure 6", "section 4.2"}, "a rod hit near its base", till2019_impulse},
    {{"figure 7", "section 4.3"}, "real-time ratio against the time step", till2019_real_time},
    {{"figure 9"}, "error of the tip in both experiments", till2019_figure9},
    {{"figure 10"}, "a platform on six legs in two poses", till2019_poses},
    {{"figure 11", "figure 12", "section 5.1"},
     "a platform on six legs past its bifurcation",
     till2019_platform},
    {{"figure 13"}, "an arm with a tendon that winds around it", till2019_wound_arm},
    {{"figure 14", "section 5.2"}, "an arm with four tendons moves an object", till2019_tendon_arm},
    {{"figure 15", "section 5.2.1"}, "friction of a tendon", till2019_tendon_friction},
    {{"figure 18", "figure 19", "section 5.3"},
     "a soft finger with air and with water",
     till2019_finger},
    {{"appendix B"}, "a rod falling under ten times its weight", till2019_appendix_b},
    {{NULL}, NULL, NULL},
};

const paper paper_till2019 = {
    .name = "till2019",
    .authors = "J. Till, V. Aloi, C. Rucker",
    .title = "Real-time dynamics of soft and continuum robots based on Cosserat rod models",
    .source = "International Journal of Robotics Research 38(6), 2019",
    .doi = "10.1177/0278364919842269",
    .items = items,
};
