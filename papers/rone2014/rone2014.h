// papers/rone2014/rone2014.h - Rone & Ben-Tzvi 2014, as far as this program reproduces it.
#pragma once

#include "cli/paper.h"

extern const paper paper_rone2014;

// The items, each in a file of its name.
void rone2014_properties(paper_report *r);   // table 1
void rone2014_iterations(paper_report *r);   // table 2
void rone2014_swing(paper_report *r);        // figures 8, 13 and 14
void rone2014_rod11(paper_report *r);        // figures 9 and 11, in steady.c
void rone2014_rod22(paper_report *r);        // table 3, figures 10 and 12, in steady.c
void rone2014_shapes(paper_report *r);       // figures 16, 18 and 19
void rone2014_loose(paper_report *r);        // figure 17, section 6.6
void rone2014_convergence(paper_report *r);  // section 2.2: number of discs
void rone2014_torsion(paper_report *r);      // section 7
