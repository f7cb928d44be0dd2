// study/rest_slopes.h - how results of an equilibrium answer to parameters, exactly.
#pragma once

#include "study/study.h"

// Has the study slopes of this kind? Its action is statics, results are of poses, inputs, the mass and the time.
bool rest_slopes_exist(const td_study *s);
// J (n_results x n_parameters) by the parameters that are free, at these parameters, with steps (n_parameters) by which numbers of the
// robot's file are changed to see forces change in a shape that stays. results (n_results) as it has them. Negative: there
// are none, and err says why.
td_status rest_slopes(const td_study *s, const bool *free_ones, const double *parameters,
                      const double *steps, double *results, double *J, td_error *err);
