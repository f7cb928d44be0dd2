// papers/orekhov2020/rod.c - see rod.h.
#include "rod.h"
#include "math/pi.h"

#include <math.h>
#include <stdio.h>

double bending_stiffness(void) {
    return YOUNGS_MODULUS * PI * pow(ROD_RADIUS, 4.0) / 4.0;
}

double torsion_stiffness(void) {
    return bending_stiffness() / (1.0 + POISSON_RATIO);
}

// ---------------------------------------------------------------- the robot
static bool add_rod(td_robot *robot, td_error *err) {
    td_piece_def piece = td_default_piece_def();
    piece.length = ROD_LENGTH;
    piece.youngs_modulus = YOUNGS_MODULUS;
    piece.shear_modulus = YOUNGS_MODULUS / (2.0 * (1.0 + POISSON_RATIO));
    piece.density = 6450.0;  // of Nitinol; nothing depends on it
    piece.section.radius = piece.section_end.radius = ROD_RADIUS;
    td_rod_def rod = td_default_rod_def();
    rod.name = "rod";
    rod.pieces = &piece;
    rod.n_pieces = 1;
    return td_robot_add_rod(robot, &rod, err) >= 0;
}

// Inputs 0 .. 5: force and moment.
static bool add_wrench(td_robot *robot, td_error *err) {
    static const char *const names[6] = {"fx", "fy", "fz", "mx", "my", "mz"};
    td_load_def load = td_default_load_def();
    load.name = "wrench";
    load.from = ROD_LENGTH;
    for (int i = 0; i < 6; i++) {
        td_input_def input = {.name = names[i], .unit = i < 3 ? "N" : "N m"};
        int index = td_robot_add_input(robot, &input, err);
        if (index < 0) return false;
        td_number *to = i < 3 ? load.force : load.moment;
        to[i % 3] = (td_number){.gain = 1.0, .input = index};
    }
    return td_robot_add_load(robot, &load, err) >= 0;
}

static bool build(td_robot *robot, td_error *err) {
    const td_number none[3] = {{0.0, 0.0, 0}, {0.0, 0.0, 0}, {0.0, 0.0, 0}};
    return add_rod(robot, err) && td_robot_set_gravity(robot, none, err) >= 0 &&
           add_wrench(robot, err);
}

static td_options options_of(const method *m) {
    td_options o = td_default_options();
    o.theory = TD_KIRCHHOFF;
    o.space = m->space;
    o.integrator = TD_RK4;
    if (m->nodes > 0) o.nodes = m->nodes;
    if (m->magnus > 0) o.magnus = m->magnus;
    if (m->steps > 0) o.steps = m->steps;
    return o;
}

// ---------------------------------------------------------------- its equilibria
bool rod_open(loaded_rod *rod, const method *m, td_error *err) {
    *rod = (loaded_rod){.robot = td_robot_create()};
    td_options options = options_of(m);
    bool fine = rod->robot && build(rod->robot, err);
    if (fine) rod->system = td_system_create(rod->robot, &options, err);
    if (rod->system) rod->state = td_state_create(rod->system);
    if (rod->state) return true;
    if (!rod->robot || rod->system)
        *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
    rod_close(rod);
    return false;
}

void rod_close(loaded_rod *rod) {
    td_state_destroy(rod->state);
    td_system_destroy(rod->system);
    td_robot_destroy(rod->robot);
    *rod = (loaded_rod){0};
}

void rod_straighten(loaded_rod *rod) {
    td_state_reset(rod->system, rod->state);
}

td_status rod_load(loaded_rod *rod, const double wrench[6]) {
    for (int i = 0; i < 6; i++) td_set_input(rod->system, rod->state, i, wrench[i]);
    return td_solve_statics(rod->system, rod->state);
}

td_pose rod_tip(const loaded_rod *rod) {
    return td_get_pose(rod->system, rod->state, 0, ROD_LENGTH);
}

// ---------------------------------------------------------------- measuring
double distance(const td_pose *a, const td_pose *b) {
    return hypot(hypot(a->p[0] - b->p[0], a->p[1] - b->p[1]), a->p[2] - b->p[2]);
}

// Of the rotation between them, q = conj(a) b.
double angle(const td_pose *a, const td_pose *b) {
    const double *p = a->q, *q = b->q;
    double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    double x = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
    double y = p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3];
    double z = p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1];
    return 2.0 * atan2(hypot(hypot(x, y), z), fabs(w));
}
