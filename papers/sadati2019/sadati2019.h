// papers/sadati2019/sadati2019.h - Sadati et al. 2019, as far as this program reproduces it.
#pragma once

#include "cli/paper.h"

extern const paper paper_sadati2019;

// The items, each in a file of its name.
void sadati2019_convergence(paper_report *r);  // section 2
void sadati2019_cost(paper_report *r);         // figures 5 and 6
void sadati2019_traces(paper_report *r);       // figure 4
void sadati2019_errors(paper_report *r);       // figure 7 and the numbers of section 3
