// papers/rone2014/robot.c - see robot.h.
#include "robot.h"

#include <stdio.h>
#include <string.h>

#define STIFF 1e9    // N m^2: bends by 1e-8 of what matters
#define HOLE 0.0125  // m from the axis
#define HALF_ROOT3 0.86602540378443865
#define WEIGHT RODS       // input: share of gravity
#define BEND (RODS + 1)   // input: 1/m
#define TWIST (RODS + 2)  // input: N m

static const char *const rod_names[RODS] = {"r11", "r12", "r13", "r21", "r22", "r23"};
// Eq. 52 for two segments.
static const double holes[RODS][2] = {{1.0, 0.0},        {-0.5, HALF_ROOT3}, {-0.5, -HALF_ROOT3},
                                      {0.5, HALF_ROOT3}, {-1.0, 0.0},        {0.5, -HALF_ROOT3}};

// ---------------------------------------------------------------- parts
static bool add_inputs(td_robot *robot, td_error *err) {
    static const char *const names[] = {"r11", "r12",    "r13",  "r21",  "r22",
                                        "r23", "weight", "bend", "twist"};
    bool fine = true;
    for (int j = 0; j <= TWIST && fine; j++) {
        td_input_def def = {.name = names[j]};
        fine = td_robot_add_input(robot, &def, err) == j;
    }
    return fine;
}

static bool add_core(td_robot *robot, const design *d, td_error *err) {
    td_piece_def pieces[DISCS];
    const bool in_pieces = d->rigid || d->wires;
    for (int i = 0; i < DISCS; i++) {
        pieces[i] = td_default_piece_def();
        pieces[i].length = SPACING;
        pieces[i].youngs_modulus = 210e9, pieces[i].shear_modulus = 210e9 / 2.6;
        pieces[i].density = 7850.0;
        pieces[i].section.radius = pieces[i].section_end.radius = 0.52e-3;
        if (d->wires) pieces[i].stiffness[0] = pieces[i].stiffness[1] = d->wires[i] * BENDING;
        if (!d->rigid) continue;
        pieces[i].stiffness[0] = pieces[i].stiffness[1] = STIFF;
        pieces[i].rest_curvature[1] = d->rigid[i];
    }
    if (!in_pieces) pieces[0].length = LENGTH;
    td_rod_def core = td_default_rod_def();
    core.name = "core", core.pieces = pieces, core.n_pieces = in_pieces ? DISCS : 1;
    return td_robot_add_rod(robot, &core, err) >= 0;
}

static bool add_discs(td_robot *robot, inertias from, td_error *err) {
    static const double mass[2] = {2.869e-3, 2.269e-3}, axial[2] = {3.531e-7, 2.593e-7};
    static const double radial[2][2] = {{7.690e-6, 3.894e-6}, {2.820071e-7, 1.900667e-7}};
    for (int i = 0; i < DISCS; i++) {
        char name[16];
        snprintf(name, sizeof name, "disc%d", i + 1);
        td_body_def disc = td_default_body_def();
        const int part = i / 4;
        disc.name = name, disc.rod = 0, disc.at = SPACING * (i + 1);
        disc.radius = 0.015, disc.height = 0.002;
        disc.mass = mass[part];
        disc.inertia[0] = disc.inertia[1] = radial[from == FROM_SHAPE][part];
        disc.inertia[2] = axial[part];
        if (from == WHERE_IT_IS) {  // the disc alone: a cylinder
            disc.mass = 1.469e-3;
            disc.inertia[0] = disc.inertia[1] =
                disc.mass * (3.0 * disc.radius * disc.radius + disc.height * disc.height) / 12.0;
            disc.inertia[2] = 0.5 * disc.mass * disc.radius * disc.radius;
        }
        if (td_robot_add_body(robot, &disc, err) < 0) return false;
    }
    return true;
}

static bool add_rods(td_robot *robot, const design *d, td_error *err) {
    for (int j = 0; j < RODS; j++) {
        td_tendon_def rod = td_default_tendon_def();
        rod.name = rod_names[j], rod.to = j < R21 ? 0.5 * LENGTH : LENGTH;
        for (int k = 0; k < 2; k++) rod.offset[k] = rod.offset_end[k] = HOLE * holes[j][k];
        rod.pushes = true, rod.friction = d->friction;
        rod.bending = d->wires ? 0.0 : BENDING, rod.torsion = BENDING / 1.3;
        rod.mass_per_length = 7850.0 * 8.494866535306801e-7;  // kg/m
        rod.value = (td_number){.gain = 1.0, .input = j};
        if (td_robot_add_tendon(robot, &rod, err) < 0) return false;
    }
    return true;
}

// Moments that bend everything to one curvature: seven wires before disc 4, four beyond.
// One about the axis turns it.
static bool add_moments(td_robot *robot, td_error *err) {
    for (int i = 0; i < 2; i++) {
        td_load_def load = td_default_load_def();
        load.name = i == 0 ? "bend4" : "bend8", load.from = i == 0 ? 0.5 * LENGTH : LENGTH;
        load.moment[1] = (td_number){.gain = (i == 0 ? 3.0 : 4.0) * BENDING, .input = BEND};
        if (i == 1) load.moment[2] = (td_number){.gain = 1.0, .input = TWIST};
        if (td_robot_add_load(robot, &load, err) < 0) return false;
    }
    return true;
}

td_robot *rone_robot(const design *d, td_error *err) {
    const td_number gravity[3] = {
        {.gain = -9.81, .input = WEIGHT}, td_constant(0.0), td_constant(0.0)};
    td_robot *robot = td_robot_create();
    if (!robot) {
        *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
        return NULL;
    }
    if (add_inputs(robot, err) && add_core(robot, d, err) && add_discs(robot, d->inertias, err) &&
        add_rods(robot, d, err) && add_moments(robot, err) &&
        td_robot_set_gravity(robot, gravity, err) >= 0)
        return robot;
    td_robot_destroy(robot);
    return NULL;
}

td_options rone_options(void) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    o.virtual_power.contact = TD_CONTACT_LEAST_SQUARES;
    o.virtual_power.one_direction = true;
    o.virtual_power.printed_elasticity = true;
    return o;
}

// ---------------------------------------------------------------- holding it
bool arm_open_robot(arm *a, td_robot *robot, const td_options *o, td_error *err) {
    *a = (arm){.robot = robot, .inner = 1};
    if (robot) a->system = td_system_create(robot, o, err);
    if (a->system) a->state = td_state_create(a->system);
    if (a->state) return true;
    if (a->system) *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
    arm_close(a);
    return false;
}

bool arm_open(arm *a, const design *d, const td_options *o, td_error *err) {
    td_options options = *o;
    options.virtual_power.whole_discs = d->inertias != WHERE_IT_IS;
    return arm_open_robot(a, rone_robot(d, err), &options, err);
}

bool arm_open_moving(arm *a, const design *d, const td_options *o, td_error *err) {
    td_options options = *o;
    options.integration.method = TD_STEPS_EXPLICIT;
    if (arm_open(a, d, &options, err)) return true;
    options.integration.method = TD_STEPS_FIXED;
    if (!arm_open(a, d, &options, err)) return false;
    a->inner = 20;
    return true;
}

void arm_close(arm *a) {
    td_state_destroy(a->state);
    td_system_destroy(a->system);
    td_robot_destroy(a->robot);
    *a = (arm){0};
}

static bool did(const arm *a, td_status status, td_error *err) {
    if (status >= 0) return true;
    *err = (td_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", td_message(a->state));
    return false;
}

static bool set(arm *a, int input, double value, td_error *err) {
    return did(a, td_set_input(a->system, a->state, input, value), err);
}

bool arm_settle(arm *a, const double tension[RODS], td_error *err) {
    bool fine = set(a, WEIGHT, 1.0, err) && set(a, BEND, 0.0, err);
    for (int j = 0; j < RODS && fine; j++) fine = set(a, j, tension[j], err);
    return fine && did(a, td_solve_statics(a->system, a->state), err);
}

static bool release(arm *a, int input, double value, double weight, td_error *err) {
    bool fine = set(a, WEIGHT, 0.0, err) && set(a, input, value, err) &&
                did(a, td_solve_statics(a->system, a->state), err) && set(a, WEIGHT, weight, err) &&
                set(a, input, 0.0, err);
    if (fine) td_restart(a->system, a->state);
    return fine;
}

bool arm_let_go(arm *a, double curvature, td_error *err) {
    return release(a, BEND, curvature, 1.0, err);
}

bool arm_untwist(arm *a, double moment, td_error *err) {
    return release(a, TWIST, moment, 0.0, err);
}

bool arm_move(arm *a, double dt, td_error *err) {
    for (int i = 0; i < a->inner; i++)
        if (!did(a, td_step(a->system, a->state, dt / a->inner), err)) return false;
    return true;
}

// ---------------------------------------------------------------- looking at it
double arm_curvature(const arm *a, int disc) {
    return td_get_sample(a->system, a->state, 0, SPACING * (disc + 0.5)).strain[1];
}

double arm_twist(const arm *a) {
    double sum = 0.0;
    for (int i = 0; i < DISCS; i++)
        sum += SPACING * td_get_sample(a->system, a->state, 0, SPACING * (i + 0.5)).strain[2];
    return sum;
}

void arm_disc(const arm *a, int disc, double p[3]) {
    td_pose at = td_get_body(a->system, a->state, disc).pose;
    memcpy(p, at.p, sizeof at.p);
}

int arm_contact(const arm *a, int rod, double *forces) {
    const int n = (rod < R21 ? DISCS / 2 : DISCS) - 1;
    for (int i = 0; i < n; i++) {
        double before = td_get_tension(a->system, a->state, rod, SPACING * (i + 0.5));
        double beyond = td_get_tension(a->system, a->state, rod, SPACING * (i + 1.5));
        forces[i] = (before - beyond) / FRICTION;
    }
    return n;
}
