// papers/rone2014/rone2014.c - see rone2014.h.
#include "rone2014.h"

static const paper_item items[] = {
    {{"table 1"}, "masses and moments of inertia", rone2014_properties},
    {{"section 2.2"}, "more discs: the way to a Cosserat rod", rone2014_convergence},
    {{"table 2", "figure 7", "section 6.2"},
     "contact forces from iteration to iteration",
     rone2014_iterations},
    {{"figure 8", "figure 13", "figure 14"}, "the swing without actuation", rone2014_swing},
    {{"figure 9", "figure 11", "section 6.4"},
     "rod 1-1: what is left of its motion, and statics",
     rone2014_rod11},
    {{"table 3", "figure 10", "figure 12", "section 6.4"},
     "rod 2-2: what is left of its motion, and statics",
     rone2014_rod22},
    {{"figure 16", "figure 18", "figure 19"}, "static shapes under tension", rone2014_shapes},
    {{"figure 17", "section 6.6"},
     "curvatures under 30 N, and how far the prototype is",
     rone2014_loose},
    {{"section 7"}, "torsion", rone2014_torsion},
    {{NULL}, NULL, NULL},
};

const paper paper_rone2014 = {
    .name = "rone2014",
    .authors = "W. S. Rone, P. Ben-Tzvi",
    .title = "Mechanics modeling of multisegment rod-driven continuum robots",
    .source = "ASME Journal of Mechanisms and Robotics 6(4), 2014",
    .doi = "10.1115/1.4027235",
    .items = items,
};
