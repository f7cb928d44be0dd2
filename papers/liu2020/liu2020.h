// papers/liu2020/liu2020.h - Liu & Ben-Tzvi 2020, as far as this program reproduces it.
#pragma once

#include "cli/paper.h"

extern const paper paper_liu2020;

// One item each, in the file of the same name.
void liu2020_settling(paper_report *r);     // section 5: the free fall, every reading of Table 1
void liu2020_cases(paper_report *r);        // figures 4 to 7
void liu2020_cosserat(paper_report *r);     // section 1: where arcs are good, and where not
void liu2020_angular(paper_report *r);      // section 2: 5 % of the energy
void liu2020_propagation(paper_report *r);  // section 4.1: Eq. 38
void liu2020_inverse(paper_report *r);      // section 4.2: Algorithm 1
void liu2020_appendix(paper_report *r);
