// sim/accuracy.c - choosing the nodes of collocation from an accuracy.
//
// Equilibria under the signals at several times of the run are solved with more and more nodes,
// until what they leave unresolved is small enough. Motion can bend a rod more than its equilibria do:
// the resolution that each step reports tells, and two nodes are added for it.
#include <math.h>

#include "base/error.h"
#include "sim/system.h"

enum { FEWEST = 4, MOST = 40, STRIDE = 2, MARGIN = 2, TIMES = 9 };

// The largest resolution over the run's equilibria, without bound where one cannot be solved;
// < 0: a state could not be made.
static double resolution_of(const td_system *system, double end) {
    td_state *state = td_state_create(system);
    if (!state) return -1.0;
    double worst = 0.0;
    for (int i = 0; i < TIMES && isfinite(worst); i++) {
        td_apply_signals(system, state, end * i / (TIMES - 1), TD_BEFORE);
        bool solved = td_solve_statics(system, state) >= 0;
        worst = solved ? fmax(worst, td_get_stats(state)->resolution) : HUGE_VAL;
    }
    td_state_destroy(state);
    return worst;
}

td_status choose_nodes(const td_robot *robot, td_options *options, td_error *err) {
    td_options trial = *options;
    trial.accuracy = 0.0;
    double reached = 0.0;
    for (trial.nodes = FEWEST; trial.nodes <= MOST; trial.nodes += STRIDE) {
        td_system *system = td_system_create(robot, &trial, err);
        if (!system) return err ? err->status : TD_ERR_VALUE;
        reached = resolution_of(system, robot->scenario.end);
        td_system_destroy(system);
        if (reached < 0.0) return error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        if (reached > options->accuracy) continue;
        options->nodes = trial.nodes + MARGIN;
        options->accuracy = 0.0;
        return TD_OK;
    }
    return error_set(
        err, TD_ERR_VALUE, "simulation.space.accuracy",
        "%g rad is not reached with %d nodes, only %.2g (inf: not every time of the run "
        "has an equilibrium); give nodes instead",
        options->accuracy, MOST, reached);
}
