// papers/till2019/stable_step.c - see stable_step.h.
#include "stable_step.h"

#include <math.h>

#define FROM 5e-3
#define SMALLEST 2e-5
#define LARGEST 0.2

static step_fate fate_of(const method *m, double dt, double horizon) {
    // the paper's solvers have nothing to fall back on; ours is taken with all it has
    const decay_limits limits = {.most_energy = 2.0, .plain_newton = m->solver != TD_NEWTON};
    decay d;
    bool ran = decay_run(&d, m, dt, horizon, &limits);
    bool grew = ran && d.energy[d.n] > limits.most_energy * d.energy[0];
    step_fate fate = STEP_FAILS;
    if (grew) fate = STEP_GROWS;
    if (ran && d.completed)
        fate = fitted_time_constant(d.energy, d.n, dt) > 0.0 ? STEP_STABLE : STEP_GROWS;
    decay_free(&d);
    return fate;
}

// Walks from a stable or an unstable step to the first of the other kind.
static bool bracket(const method *m, double horizon, double *stable, double *unstable,
                    step_fate *below) {
    *stable = *unstable = FROM;
    step_fate fate = fate_of(m, FROM, horizon);
    if (fate == STEP_STABLE) {
        do {
            *stable = *unstable;
            *unstable = 0.8 * *stable;
            *below = fate_of(m, *unstable, horizon);
        } while (*below == STEP_STABLE && *unstable > SMALLEST);
        return true;
    }
    do {
        *below = fate;
        *unstable = *stable;
        *stable = 1.25 * *unstable;
        fate = fate_of(m, *stable, horizon);
    } while (fate != STEP_STABLE && *stable < LARGEST);
    return fate == STEP_STABLE;
}

stable_step smallest_stable_step(const method *m, double horizon) {
    double stable, unstable;
    step_fate below;
    if (!bracket(m, horizon, &stable, &unstable, &below)) return (stable_step){(double)NAN, below};
    while (stable > 1.02 * unstable) {
        double middle = sqrt(stable * unstable);
        step_fate fate = fate_of(m, middle, horizon);
        if (fate == STEP_STABLE) {
            stable = middle;
        } else {
            unstable = middle;
            below = fate;
        }
    }
    return (stable_step){stable, below};
}

stable_step coarse_stable_step(const method *m, double horizon, double near) {
    double dt = FROM * pow(COARSE, round(log(near / FROM) / log(COARSE)));
    step_fate fate = fate_of(m, dt, horizon), below = fate;
    if (fate == STEP_STABLE) {
        while (dt > SMALLEST && (below = fate_of(m, dt / COARSE, horizon)) == STEP_STABLE)
            dt /= COARSE;
        return (stable_step){dt, below};
    }
    while (fate != STEP_STABLE && dt < LARGEST) {
        below = fate;
        dt *= COARSE;
        fate = fate_of(m, dt, horizon);
    }
    return (stable_step){fate == STEP_STABLE ? dt : (double)NAN, below};
}
