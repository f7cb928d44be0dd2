// study/knot_slopes.h - how results of a run answer to knots of its inputs, exactly.
#pragma once

#include "study/study.h"

// Has the study slopes of this kind? Parameters that may vary (free) are knots of inputs with a fixed value at time 0, results are
// of outputs, inputs and the time.
bool knot_slopes_exist(const td_study *s, const bool *free);
// J (n_results x n_parameters) by the parameters that are free, at these parameters; results (n_results) as the run has them, to
// compare. Negative: there are none, and err says why.
td_status knot_slopes(const td_study *s, const bool *free, const double *parameters,
                      double *results, double *J, td_error *err);
