// papers/till2019/till2019.h - Till, Aloi & Rucker 2019, as far as this program reproduces it.
#pragma once

#include "cli/paper.h"

extern const paper paper_till2019;

// The items, each in a file of its name.
void till2019_section3(paper_report *r);  // its text
void till2019_table3(paper_report *r);
void till2019_table4(paper_report *r);
void till2019_figure2(paper_report *r);
void till2019_figure3(paper_report *r);
void till2019_weight_release(paper_report *r);  // table 5, figure 5
void till2019_impulse(paper_report *r);         // figure 6
void till2019_real_time(paper_report *r);       // figure 7
void till2019_figure9(paper_report *r);
void till2019_poses(paper_report *r);            // figure 10
void till2019_platform(paper_report *r);         // section 5.1, figures 11 and 12
void till2019_wound_arm(paper_report *r);        // figure 13
void till2019_tendon_arm(paper_report *r);       // section 5.2, figure 14
void till2019_tendon_friction(paper_report *r);  // section 5.2.1, figure 15
void till2019_finger(paper_report *r);           // section 5.3, figures 18 and 19
void till2019_appendix_b(paper_report *r);
