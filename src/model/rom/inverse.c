// model/rom/inverse.c - which forces a wanted motion asks for.

#include "model/rom/rom.h"

td_status rom_inverse_dynamics(const void *compiled, void *memory, const model_call *call,
                               const double *q, const double *q_t, const double *q_tt,
                               double *forces, double *efforts) {
    const rom *c = compiled;
    rom_memory *all = memory;
    if (efforts)
        return tell(call->message, TD_ERR_UNSUPPORTED,
                    "a rod of polynomials has more coordinates than actuators; constant_curvature "
                    "finds efforts for a motion");
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        const int first = r->first;
        rod_memory *m = &all->rods[i];
        situation at = rom_situation(c, r, m, call->inputs);
        if (r->floats)
            return tell(
                call->message, TD_ERR_UNSUPPORTED,
                "rod '%s' has a free base; inverse dynamics is of rods that the world holds",
                r->name);
        touch_stay(&r->touch, &m->touch, call->inputs);
        td_status status = rod_check(r, q + first, call->message);
        if (status < 0) return status;
        at.accelerations = q_tt + first;
        at.idle = true;
        rod_forces(r, m, &at, q + first, q_t + first);
        for (int k = 0; k < r->curve.n_q; k++) forces[first + k] = -m->Q[k];
    }
    return TD_OK;
}
