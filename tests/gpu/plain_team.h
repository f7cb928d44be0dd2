// tests/gpu/plain_team.h - a step of one robot by a team, a thread for each node as on a GPU.
#pragma once

#include "model/cosserat/lanes/plan.h"

void step_by_team(const lane_plan *plan, double *record, const double *formula, const double *given,
                  double *result);
