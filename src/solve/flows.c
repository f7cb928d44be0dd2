// solve/flows.c - see flows.h.
#include "solve/flows.h"

#include "material/memory.h"

void flow_stiffness(const relaxing_section *s, double F[36]) {
    flowing_stiffness(s->law, F);
}
