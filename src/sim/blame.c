// sim/blame.c - where no equilibrium is found, or a path of them ends at a fold: which load is the largest.
#include <stdio.h>
#include <string.h>

#include "sim/system.h"

static double size_of(const td_number n[3], const double *inputs) {
    return vec3_norm(vec3_make(number_value(n[0], inputs), number_value(n[1], inputs),
                               number_value(n[2], inputs)));
}

static double longest_rod(const td_system *system) {
    double length = 0.0;
    for (int i = 0; i < system->rods.n; i++) length = fmax(length, system->rod_lengths[i]);
    return length;
}

// N m: its moment, and that of its force on the arm of its rod's length.
static double moment_of(const td_system *system, const td_load_def *load, const double *inputs) {
    const double arm = load->rod >= 0 ? system->rod_lengths[load->rod] : longest_rod(system);
    const double all = arm * size_of(load->force, inputs) + size_of(load->moment, inputs);
    return load->distributed ? all * (load->to - load->from) : all;
}

void name_largest_load(const td_system *system, td_state *state) {
    const td_load_def *largest = NULL;
    double most = 0.0;
    for (int i = 0; i < system->n_loads; i++) {
        const double moment = moment_of(system, &system->loads[i], state->inputs);
        if (moment > most) most = moment, largest = &system->loads[i];
    }
    const size_t used = strlen(state->message);
    if (largest && used > 0)
        snprintf(state->message + used, sizeof state->message - used,
                 "; of the loads '%.60s' is the largest", largest->name);
}
