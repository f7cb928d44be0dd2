// model/cosserat/collocation/directions.h - iterate.c differentiated line by line along m directions at once,
// exactly: see rod_directions in scheme.h.
#pragma once

#include "model/cosserat/scheme.h"

size_t directions_scratch(const rod *r, int m);  // doubles
// Of the shape last evaluated, without friction.
void directions_of_rod(const rod_problem *p, const rod_directions *d, double *scratch);
