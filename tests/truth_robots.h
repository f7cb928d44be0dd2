// tests/truth_robots.h - the robots of the reference solvers as the library describes them.
#pragma once

#include "rods.h"

#include "truth_finger.h"
#include "truth_platform.h"
#include "truth_tendon.h"

static const td_space truth_spaces[2] = {TD_COLLOCATION, TD_SHOOTING};
static const char *const truth_space_names[2] = {"collocation", "shooting"};

// As fine as tests need: the errors along the rods are then below 1e-10 of their length.
static inline td_options truth_options(td_space space) {
    td_options o = td_default_options();
    o.space = space;
    o.nodes = 20;
    o.steps = 300;
    o.tolerance = 1e-13;
    return o;
}

static inline td_piece_def truth_piece(const truth_rod *rod) {
    td_piece_def piece = td_default_piece_def();
    piece.length = rod->length;
    // whatever the moduli say, stiffness and mass are given
    piece.youngs_modulus = piece.shear_modulus = 1.0, piece.density = 1.0;
    td_section *s = &piece.section;
    s->shape = TD_SECTION_GENERAL;
    s->area = rod->mass;
    s->ixx = rod->inertia[0], s->iyy = rod->inertia[1];
    s->torsion = s->polar = rod->inertia[2];
    piece.section_end = piece.section;
    for (int i = 0; i < 3; i++) {
        piece.stiffness[i] = rod->Kbt[i], piece.stiffness[3 + i] = rod->Kse[i];
        piece.damping[i] = rod->Bbt[i], piece.damping[3 + i] = rod->Bse[i];
        piece.drag[i] = rod->drag[i];
    }
    return piece;
}

// ---------------------------------------------------------------- tendons
static inline td_tendon_def truth_tendon_def(const truth_arm *arm, const truth_tendon *t) {
    td_tendon_def def = td_default_tendon_def();
    def.to = t->ends > 0.0 ? t->ends : arm->rod.length;
    if (t->radius > 0.0) {
        def.routing = TD_ROUTING_HELIX;
        def.radius = t->radius, def.phase = t->phase;
        def.turns = t->rate * def.to / (2.0 * acos(-1.0));
    } else {
        for (int i = 0; i < 2; i++) {
            double slope = (t->end[i] - t->start[i]) / arm->rod.length;
            def.offset[i] = t->start[i], def.offset_end[i] = t->start[i] + slope * def.to;
        }
    }
    if (t->pulled) def.input = TD_DISPLACEMENT;
    def.compliance = t->compliance;
    def.friction = fabs(t->friction);
    if (def.friction > 0.0) def.presliding = 1e-7;
    return def;
}

static inline td_robot *truth_arm_rod(const truth_arm *arm) {
    td_piece_def piece = truth_piece(&arm->rod);
    td_robot *robot = rod_robot(&piece, 1);
    const double *g = arm->rod.gravity;
    set_gravity(robot, g[0], g[1], g[2]);
    add_tip_force(robot, arm->rod.length, arm->force[0], arm->force[1], arm->force[2]);
    add_tip_moment(robot, arm->rod.length, arm->moment[0], arm->moment[1], arm->moment[2]);
    if (arm->tip_mass == 0.0) return robot;
    td_error err = {0};
    td_body_def body = td_default_body_def();
    body.name = "tip_body", body.rod = 0, body.at = arm->rod.length;
    body.mass = arm->tip_mass;
    memcpy(body.inertia, arm->tip_inertia, sizeof body.inertia);
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    return robot;
}

// Tension or displacement of tendon k is input k, at the value of `arm`.
static inline td_robot *truth_arm_robot(const truth_arm *arm) {
    static const char *const names[TRUTH_TENDONS] = {"a", "b", "c", "d", "e", "f"};
    td_robot *robot = truth_arm_rod(arm);
    td_error err = {0};
    for (int k = 0; k < arm->n_tendons; k++) {
        td_tendon_def def = truth_tendon_def(arm, &arm->tendon[k]);
        def.name = names[k];
        def.value = (td_number){0.0, 1.0, add_input(robot, names[k])};
        CHECK_OK(td_robot_add_tendon(robot, &def, &err), err);
    }
    return robot;
}

static inline void truth_arm_inputs(const world *w, const truth_arm *arm) {
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        td_set_input(w->system, w->state, k, t->pulled ? t->pull : t->tension);
    }
}

// An equilibrium of the library for the arm as it is now.
static inline world truth_arm_world(const truth_arm *arm, const td_options *o) {
    world w = world_make(truth_arm_robot(arm), o);
    truth_arm_inputs(&w, arm);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// ---------------------------------------------------------------- the finger
// Pressure, volume or amount is input 0.
static inline td_robot *truth_finger_robot(const truth_finger *f) {
    td_piece_def piece = truth_piece(&f->bar.rod);
    td_robot *robot = rod_robot(&piece, 1);
    td_error err = {0};
    const double *g = f->bar.rod.gravity, L = f->bar.rod.length;
    set_gravity(robot, g[0], g[1], g[2]);
    add_tip_force(robot, L, f->force[0], f->force[1], f->force[2]);
    add_tip_moment(robot, L, f->moment[0], f->moment[1], f->moment[2]);
    td_chamber_def def = td_default_chamber_def();
    def.name = "chamber", def.to = L;
    def.offset[0] = f->bar.offset[0], def.offset[1] = f->bar.offset[1];
    def.area = f->bar.area;
    def.input = f->fluid == TRUTH_GAS              ? TD_AMOUNT
                : f->fluid == TRUTH_INCOMPRESSIBLE ? TD_VOLUME
                                                   : TD_PRESSURE;
    def.temperature = f->gas_energy / 8.31446261815324;  // the same R T
    def.atmosphere = f->atmosphere;
    def.path_volume = !f->bar.work_volume;
    def.value = (td_number){0.0, 1.0, add_input(robot, "fill")};
    CHECK_OK(td_robot_add_chamber(robot, &def, &err), err);
    return robot;
}

static inline void truth_finger_input(const world *w, const truth_finger *f) {
    td_set_input(w->system, w->state, 0,
                 f->fluid == TRUTH_GAS              ? f->amount
                 : f->fluid == TRUTH_INCOMPRESSIBLE ? f->volume
                                                    : f->bar.pressure);
}

// ---------------------------------------------------------------- the platform
static inline void truth_rod_on_plate(const truth_leg *leg, int plate, td_rod_def *rod) {
    for (int i = 0; i < 3; i++) rod->base.position[i] = td_constant(leg->base[i]);
    truth_exponential(leg->base_turn, rod->base.orientation);
    rod->tip.held = true;
    rod->tip.body = plate;
    rod->tip.joint = leg->ball ? TD_BALL : TD_CLAMP;
    for (int i = 0; i < 3; i++) rod->tip.position[i] = td_constant(leg->plate[i]);
    truth_exponential(leg->plate_turn, rod->tip.orientation);
}

// The legs have the lengths that the platform has now; the plate begins where `start` says (z). The
// force on the plate follows inputs 0 to 2; what fed legs are pushed out, inputs 3 and on.
static inline td_robot *truth_fed_robot(const truth_platform *t, double start, bool fed) {
    static const char *const names[TRUTH_LEGS] = {"one", "two", "three", "four", "five", "six"};
    td_error err = {0};
    td_robot *robot = td_robot_create();
    set_gravity(robot, t->gravity[0], t->gravity[1], t->gravity[2]);
    td_body_def body = td_default_body_def();
    body.name = "plate", body.rod = -1, body.mass = t->mass;
    memcpy(body.inertia, t->inertia, sizeof body.inertia);
    body.position[2] = start;
    int plate = td_robot_add_body(robot, &body, &err);
    CHECK_OK(plate, err);
    td_load_def load = td_default_load_def();
    load.name = "push", load.rod = -1, load.body = plate;
    static const char *const axes[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        load.force[i] = (td_number){0.0, 1.0, add_input(robot, axes[i])};
        load.moment[i] = td_constant(t->moment[i]);
    }
    add_load(robot, &load);
    for (int k = 0; k < t->n_legs; k++) {
        td_piece_def piece = truth_piece(&t->leg[k].bar.rod);
        td_rod_def rod = td_default_rod_def();
        rod.name = names[k], rod.pieces = &piece, rod.n_pieces = 1;
        truth_rod_on_plate(&t->leg[k], plate, &rod);
        if (fed) rod.feed = (td_number){0.0, 1.0, add_input(robot, names[k])};
        CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    }
    return robot;
}

static inline td_robot *truth_platform_robot(const truth_platform *t, double start) {
    return truth_fed_robot(t, start, false);
}

static inline void truth_platform_inputs(const world *w, const truth_platform *t) {
    for (int i = 0; i < 3; i++) td_set_input(w->system, w->state, i, t->force[i]);
}
