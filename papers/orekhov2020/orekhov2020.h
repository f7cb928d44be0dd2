// papers/orekhov2020/orekhov2020.h - Orekhov & Simaan 2020: the items that can be reproduced.
#pragma once

#include "cli/paper.h"

extern const paper paper_orekhov2020;

void orekhov2020_table1(paper_report *r);
void orekhov2020_table2(paper_report *r);
void orekhov2020_planar(paper_report *r);
void orekhov2020_shapes(paper_report *r);
void orekhov2020_accuracy(paper_report *r);
