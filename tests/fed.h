// tests/fed.h - rods that are fed or grow, driven by three inputs: 0 feeds, 1 and 2 pull.
#pragma once

#include <string.h>

#include "rods.h"

#define MODULUS 60e9  // Pa

static inline td_number driven(int input) {
    return (td_number){.gain = 1.0, .input = input};
}

static inline td_piece_def fed_piece(double length, double radius, double radius_end,
                                     double modulus) {
    td_piece_def piece = td_default_piece_def();
    piece.length = length;
    piece.youngs_modulus = modulus, piece.shear_modulus = modulus / 2.6, piece.density = 6450.0;
    piece.section.radius = radius, piece.section_end.radius = radius_end;
    return piece;
}

static inline td_options fed_options(td_theory theory) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.theory = theory, o.nodes = 24;
    return o;
}

static inline void set_all(const world *w, double feed, double x, double y) {
    const double inputs[3] = {feed, x, y};
    for (int i = 0; i < 3; i++) td_set_input(w->system, w->state, i, inputs[i]);
}

static inline void solve_at(const world *w, double feed, double x, double y) {
    set_all(w, feed, x, y);
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
}

static inline td_pose fed_tip(const world *w) {
    return td_get_pose(w->system, w->state, 0, td_get_length(w->system, w->state, 0));
}

// Work less what is stored (J), half as long again while tendons pull; the world is freed.
static inline double fed_imbalance(world w, int steps, double *stored, double tip[3]) {
    solve_at(&w, 0.0, 0.5, 0.2);
    const td_energy a = td_get_energy(w.system, w.state);
    for (int i = 1; i <= steps; i++) {
        const double x = (double)i / steps, share = x * x * (3.0 - 2.0 * x);
        set_all(&w, 0.05 * share, 0.5 + 0.5 * share, 0.2 + 0.2 * share);
        td_set_input_rate(w.system, w.state, 0, 0.05 * 6.0 * x * (1.0 - x) / 0.8);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.8 / steps));
    }
    const td_energy b = td_get_energy(w.system, w.state);
    memcpy(tip, fed_tip(&w).p, 3 * sizeof *tip);
    *stored = b.elastic + b.kinetic + b.gravity - a.elastic - a.kinetic - a.gravity;
    world_free(&w);
    return b.work - b.dissipated - a.work + a.dissipated - *stored;
}
