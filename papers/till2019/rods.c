// papers/till2019/rods.c - see rods.h.
#include "rods.h"
#include "math/pi.h"

#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------- the rods
cantilever till_benchmark(void) {
    return (cantilever){
        .length = 0.4,
        .radius = 1e-3,
        .youngs_modulus = 207e9,
        .shear_modulus = 79e9,
        .density = 8000.0,
        .load_at = 0.4,
        .load = {.kind = TD_SIGNAL_STEP, .from = 0.5, .to = 0.0, .start = 0.0},
    };
}

cantilever till_appendix_b(void) {
    return (cantilever){
        .length = 0.4,
        .radius = 1.2e-3,
        .youngs_modulus = 207e9,
        .shear_modulus = 207e9 / 2.6,
        .density = 8000.0,
        .gravity = 98.1,
    };
}

// Section 4: spring steel of 1.42 mm. Table 5 gives EI; the shear modulus is not printed, and
// E/2.6 is assumed as in Appendix B. Nothing in the plane depends on it visibly.
static cantilever measured_rod(double bending, double density, double drag) {
    const double radius = 0.71e-3, inertia = PI * radius * radius * radius * radius / 4.0;
    return (cantilever){
        .radius = radius,
        .youngs_modulus = bending / inertia,
        .shear_modulus = bending / inertia / 2.6,
        .density = density,
        .drag = drag,
        .gravity = 9.81,
    };
}

cantilever till_weight_release(double bending, double density, double drag) {
    cantilever c = measured_rod(bending, density, drag);
    c.length = c.load_at = 0.408;
    c.load = (td_signal){.kind = TD_SIGNAL_STEP, .from = 0.02 * 9.81, .to = 0.0, .start = 0.0};
    return c;
}

// Where "near its base" is, and which way the hit goes, is not printed: see errata.md.
cantilever till_impulse(double bending, double density, double drag) {
    cantilever c = measured_rod(bending, density, drag);
    c.length = 0.517;
    c.load_at = 0.0458;
    c.load =
        (td_signal){.kind = TD_SIGNAL_HAT, .from = 0.0, .to = 5.0, .start = 0.0, .duration = 0.016};
    return c;
}

double first_frequency(const cantilever *c) {
    const double bL = 1.8751040687119612;  // cos bL cosh bL = -1
    double stiffness = c->youngs_modulus * PI * pow(c->radius, 4.0) / 4.0;
    double mass = c->density * PI * c->radius * c->radius;
    return pow(bL / c->length, 2.0) * sqrt(stiffness / mass);
}

// ---------------------------------------------------------------- the robot
static bool add_rod(td_robot *robot, const cantilever *c, td_error *err) {
    td_piece_def piece = td_default_piece_def();
    piece.length = c->length;
    piece.youngs_modulus = c->youngs_modulus;
    piece.shear_modulus = c->shear_modulus;
    piece.density = c->density;
    piece.section.radius = piece.section_end.radius = c->radius;
    for (int i = 0; i < 3; i++) piece.drag[i] = c->drag;
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod";
    rod.pieces = &piece;
    rod.n_pieces = 1;
    return td_robot_add_rod(robot, &rod, err) >= 0;
}

static bool add_load(td_robot *robot, const cantilever *c, td_error *err) {
    if (c->load.kind == TD_SIGNAL_CONSTANT) return true;
    td_input_def input = {.name = "load", .unit = "N", .signal = c->load};
    int index = td_robot_add_input(robot, &input, err);
    if (index < 0) return false;
    td_load_def load = td_default_load_def();
    load.name = "load";
    load.from = c->load_at;
    load.force[0] = (td_number){.gain = -1.0, .input = index};
    return td_robot_add_load(robot, &load, err) >= 0;
}

static bool build(td_robot *robot, const cantilever *c, td_error *err) {
    const td_number gravity[3] = {td_constant(-c->gravity), td_constant(0.0), td_constant(0.0)};
    return add_rod(robot, c, err) && td_robot_set_gravity(robot, gravity, err) >= 0 &&
           add_load(robot, c, err);
}

static td_options options_of(const method *m) {
    td_options o = td_default_options();
    o.theory = m->theory;
    o.space = TD_SHOOTING;
    o.integrator = m->integrator;
    o.history = m->history;
    o.scheme = m->scheme;
    o.alpha = m->alpha;
    o.steps = m->nodes - 1;
    o.startup = m->startup;
    o.solver = m->solver;
    return o;
}

// ---------------------------------------------------------------- the simulation
static bool begin(simulation *s, beginning from, td_error *err) {
    td_status status = td_apply_signals(s->system, s->state, 0.0, TD_BEFORE);
    if (status >= 0 && from == FROM_EQUILIBRIUM) status = td_solve_statics(s->system, s->state);
    if (status >= 0) return true;
    *err = (td_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", td_message(s->state));
    return false;
}

bool simulation_open(simulation *s, const cantilever *c, const method *m, beginning from,
                     td_error *err) {
    const td_options options = options_of(m);
    return simulation_open_with(s, c, &options, from, err);
}

bool simulation_open_with(simulation *s, const cantilever *c, const td_options *o, beginning from,
                          td_error *err) {
    *s = (simulation){.robot = td_robot_create(), .length = c->length};
    bool fine = s->robot && build(s->robot, c, err);
    if (fine) s->system = td_system_create(s->robot, o, err);
    if (s->system) s->state = td_state_create(s->system);
    if (fine && s->system && !s->state)
        *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory for the state"};
    if (s->state && begin(s, from, err)) return true;
    simulation_close(s);
    return false;
}

void simulation_close(simulation *s) {
    td_state_destroy(s->state);
    td_system_destroy(s->system);
    td_robot_destroy(s->robot);
    *s = (simulation){0};
}

td_pose simulation_tip(const simulation *s) {
    return td_get_pose(s->system, s->state, 0, s->length);
}

double simulation_energy(const simulation *s) {
    td_energy e = td_get_energy(s->system, s->state);
    return e.kinetic + e.elastic;
}
