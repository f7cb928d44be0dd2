// solve/flows.h - what flows in sections that relax (mechanics.relaxing): springs in series with dashpots, material/memory.h.
#pragma once

#include "solve/mechanics.h"

// F (6 x 6): the wrench that a strain of the springs asks for, by share.
void flow_stiffness(const relaxing_section *s, double F[36]);
