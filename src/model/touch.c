// model/touch.c - how equilibria among obstacles are sought, whatever the model.
#include "model/touch.h"

// From afar: loads on obstacles that are softer than the rods, which then harden.
static const path_leg legs[] = {
    {"its loads", 1u << SHARE_LOADS | 1u << SHARE_DRIVES | 1u << SHARE_FRICTION},
    {"the hardness of its obstacles", 1u << SHARE_HARDNESS},
};

void touch_part(const touch *t, solve_part *p) {
    if (t->n == 0) return;
    p->kinks = true;
    p->legs = legs;
    p->n_legs = (int)(sizeof legs / sizeof *legs);
}
