// sim/blame.c - where no equilibrium is found, or a path of them ends at a fold: which load is the largest; and dipoles that no equilibrium
// has a meaning for.
#include <math.h>
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

// ---------------------------------------------------------------- dipoles
enum { SPOTS = 32 };
#define HARDLY_APART 1e-6  // lengths of the longest rod

static vec3 at_rod(const td_system *system, const td_state *state, int rod, int spot) {
    const double s = td_get_length(system, state, rod) * spot / SPOTS;
    return vec3_load(td_get_pose(system, state, rod, s).p);
}

// From a point to the chords between places along the rod.
static double distance_to_rod(const td_system *system, const td_state *state, int rod, vec3 p) {
    double nearest = HUGE_VAL;
    vec3 a = at_rod(system, state, rod, 0);
    for (int i = 1; i <= SPOTS; i++) {
        const vec3 b = at_rod(system, state, rod, i), chord = vec3_sub(b, a), to = vec3_sub(p, a);
        const double along = vec3_dot(to, chord) / vec3_dot(chord, chord);
        const vec3 foot = vec3_scale(chord, fmax(0.0, fmin(1.0, along)));
        nearest = fmin(nearest, vec3_norm(vec3_sub(to, foot)));
        a = b;
    }
    return nearest;
}

static vec3 centre_of(const td_system *system, const td_state *state, int body) {
    const td_body_def *d = &system->body_defs[body];
    return vec3_load(d->rod >= 0 ? td_get_pose(system, state, d->rod, d->at).p
                                 : td_get_body(system, state, body).pose.p);
}

// The name of the magnet that a dipole lies in; NULL: it lies outside of all.
static const char *magnet_around(const td_system *system, const td_state *state,
                                 const td_field_def *dipole, const char **kind) {
    const double *inputs = state->inputs;
    const vec3 p = vec3_make(number_value(dipole->position[0], inputs),
                             number_value(dipole->position[1], inputs),
                             number_value(dipole->position[2], inputs));
    for (int i = 0; i < system->rods.n; i++) {
        if (!(system->magnet_radii[i] > 0.0)) continue;
        if (distance_to_rod(system, state, i, p) >= system->magnet_radii[i]) continue;
        return *kind = "rod", system->rods.names[i];
    }
    for (int i = 0; i < system->bodies.n; i++) {
        const vec3 centre = centre_of(system, state, i);
        const double least = HARDLY_APART * longest_rod(system);
        if (!body_is_magnetic(&system->body_defs[i])) continue;
        if (vec3_norm(vec3_sub(centre, p)) > fmax(least, system->body_defs[i].radius)) continue;
        return *kind = "body", system->bodies.names[i];
    }
    return NULL;
}

td_status tell_dipole_within(const td_system *system, td_state *state, td_status status) {
    const bool failed =
        status == TD_ERR_NOT_CONVERGED || status == TD_ERR_SINGULAR || status == TD_ERR_NOT_FINITE;
    for (int i = 0; i < system->dipole_names.n && (failed || status >= 0); i++) {
        const char *kind, *magnet = magnet_around(system, state, &system->dipoles[i], &kind);
        if (!magnet) continue;
        snprintf(state->message, sizeof state->message,
                 "the dipole '%.60s' lies within the magnetic %s '%.60s', where its field has no "
                 "end: %s; put it outside",
                 system->dipole_names.names[i], kind, magnet,
                 failed ? "no equilibrium was found" : "what was found there has no meaning");
        return failed ? status : TD_LOOSE;
    }
    return status;
}
