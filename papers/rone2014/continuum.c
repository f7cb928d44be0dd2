// papers/rone2014/continuum.c - see continuum.h.
#include "continuum.h"

#include <math.h>
#include <stdio.h>

#define DISC_MASS (1.469e-3 / SPACING)  // kg/m
#define WIRE_MASS 6.66847e-3            // kg/m

const int disc_numbers[N_NUMBERS] = {4, 8, 16, 32, 64};

static td_piece_def piece_of(const continuum *c, int part) {
    const double wires = part == 0 ? 7.0 : 4.0, bend = c->rods_bend ? 1.0 : wires;
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.5 * LENGTH;
    piece.youngs_modulus = 210e9, piece.shear_modulus = 210e9 / 2.6, piece.density = 7850.0;
    piece.section.radius = piece.section_end.radius = 0.52e-3;
    piece.mass_per_length = DISC_MASS + wires * WIRE_MASS;
    piece.stiffness[0] = piece.stiffness[1] = bend * BENDING;
    piece.stiffness[2] = wires * BENDING / 1.3;
    return piece;
}

static bool add_tendon(td_robot *robot, const continuum *c, int j, td_error *err) {
    const double angle = (j < R21 ? 0.0 : 1.0471975511965976) + 2.0943951023931953 * (j % 3);
    td_tendon_def t = td_default_tendon_def();
    char name[16];
    snprintf(name, sizeof name, "r%d%d", j / 3 + 1, j % 3 + 1);
    t.name = name, t.to = j < R21 ? 0.5 * LENGTH : LENGTH;
    t.offset[0] = t.offset_end[0] = 0.0125 * cos(angle);
    t.offset[1] = t.offset_end[1] = 0.0125 * sin(angle);
    t.value = td_constant(c->tension[j]);
    t.pushes = true;
    t.bending = c->rods_bend ? BENDING : 0.0;
    return td_robot_add_tendon(robot, &t, err) >= 0;
}

static bool add_side_load(td_robot *robot, double force, td_error *err) {
    td_load_def load = td_default_load_def();
    load.name = "side", load.from = LENGTH;
    load.force[1] = td_constant(force);
    return td_robot_add_load(robot, &load, err) >= 0;
}

td_robot *continuum_robot(const continuum *c, td_error *err) {
    const td_number gravity[3] = {td_constant(-9.81), td_constant(0.0), td_constant(0.0)};
    const td_piece_def pieces[2] = {piece_of(c, 0), piece_of(c, 1)};
    td_rod_def core = td_default_rod_def();
    core.name = "core", core.pieces = pieces, core.n_pieces = 2;
    td_robot *robot = td_robot_create();
    if (!robot) {
        *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
        return NULL;
    }
    bool fine = td_robot_add_rod(robot, &core, err) >= 0;
    for (int j = 0; j < RODS && fine; j++) fine = add_tendon(robot, c, j, err);
    if (fine && add_side_load(robot, c->side_load, err) &&
        td_robot_set_gravity(robot, gravity, err) >= 0)
        return robot;
    td_robot_destroy(robot);
    return NULL;
}

// ---------------------------------------------------------------- solving it
static double twist_of(const arm *a) {
    enum { STEPS = 960 };
    double sum = 0.0;
    for (int i = 0; i < STEPS; i++)
        sum += td_get_sample(a->system, a->state, 0, LENGTH * (i + 0.5) / STEPS).strain[2];
    return sum * LENGTH / STEPS;
}

bool solve_continuum(const continuum *c, const td_options *o, tip *out, td_error *err) {
    arm a;
    if (!arm_open_robot(&a, continuum_robot(c, err), o, err)) return false;
    td_status status = td_solve_statics(a.system, a.state);
    td_pose end = td_get_pose(a.system, a.state, 0, LENGTH);
    *out = (tip){{end.p[0], end.p[1], end.p[2]}, twist_of(&a)};
    if (status < 0) snprintf(err->message, sizeof err->message, "%s", td_message(a.state));
    arm_close(&a);
    return status >= 0;
}

td_options disc_options(int discs) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "virtual_power");
    o.virtual_power.discs = discs;
    o.virtual_power.contact = TD_CONTACT_IDEAL;
    return o;
}

bool solve_rod(const continuum *c, tip *out, td_error *err) {
    td_options o = td_default_options();
    o.theory = TD_KIRCHHOFF;
    o.nodes = 24;
    return solve_continuum(c, &o, out, err);
}

double tip_distance(const tip *a, const tip *b) {
    return hypot(hypot(a->p[0] - b->p[0], a->p[1] - b->p[1]), a->p[2] - b->p[2]);
}

double order_of(const double errors[N_NUMBERS], int n) {
    return log2(errors[n - 2] / errors[n - 1]);
}
