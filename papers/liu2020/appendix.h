// papers/liu2020/appendix.h - the integrals of Eq. 18.
#pragma once

enum { ROWS = 5, COLUMNS = 9 };
typedef struct integrals {
    double Q[ROWS][COLUMNS];
} integrals;

integrals integrals_printed(double theta);  // with the slip in Q(4,2) and Q(2,6)
integrals integrals_by_quadrature(double theta);
