// papers/sadati2019/module.c - see module.h.
#include "module.h"
#include "math/pi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define YOUNG 205e3             // Pa
#define DENSITY (1.4 * 1300.0)  // kg/m^3
#define OUTER 12.5e-3           // m, radii of the tube
#define INNER 4.5e-3
#define CHAMBER 2.5e-3        // m, radius of a chamber
#define CENTRES 8.5e-3        // m, of chambers from the axis
#define HALF_PAIR 3e-3        // m, half of the way between the two of a pair
#define THREAD 0.2e-3         // m
#define SENSOR_MASS 13.47e-3  // kg
#define SENSOR_RADIUS 7.5e-3  // m
#define PRESSURE_FACTOR 1.25  // by which the pressures enter the published comparison
#define SAME 1e-11            // rad: the direction of the sensor has settled
enum { CHAMBERS = 2 * PAIRS, FORCE = PAIRS, MOMENT = FORCE + 3, INPUTS = MOMENT + 3, ROUNDS = 200 };

// ---------------------------------------------------------------- section
typedef struct section {
    double area, bending, torsion;  // m^2, m^4
    double chamber, centres;        // m^2, m
} section;

static double braid_angle(void) {
    return 0.5 * PI - acos(1.0 - THREAD * THREAD / (2.0 * HALF_PAIR * HALF_PAIR));
}

// The tube keeps its volume; threads hold the chambers.
static section section_at(double stretch, bool published) {
    const double angle = braid_angle(), cs = cos(angle), sn = sin(angle);
    const double out = OUTER * OUTER / stretch, in = INNER * INNER / stretch;
    const double hole = CHAMBER * CHAMBER * (1.0 - stretch * stretch * cs * cs) / (sn * sn);
    const double centres = CENTRES * CENTRES / stretch;
    section s = {
        .area = PI * (out - in - CHAMBERS * hole), .chamber = PI * hole, .centres = sqrt(centres)};
    s.bending = 0.25 * PI * (out * out - in * in - CHAMBERS * hole * hole) -
                0.5 * CHAMBERS * PI * hole * centres;
    s.torsion = 2.0 * s.bending;
    if (published) s.torsion += CHAMBERS * PI * hole * centres;  // no Steiner terms
    return s;
}

// ---------------------------------------------------------------- variants
// Quadratic, per element on the rates of displacement and angle: eta = mu l^2. ROM on strain rates;
// EBR linear, since its power was set where it is not read: errata.md.
damping_law published_damping(const char *model, int n) {
    const double l = LENGTH / n;
    if (!strcmp(model, "rom")) return (damping_law){1e-5, 0.1, 2.0, 0.0};
    if (!strcmp(model, "srl")) return (damping_law){1e-5 * l * l, 0.1 * l * l, 2.0, 0.0};
    if (!strcmp(model, "ebr")) return (damping_law){0.5 * l, 100.0 * l, 1.0, 0.0};
    return (damping_law){0.01 * l * l, 100.0 * l * l, 2.0, 0.0};
}

damping_law linear_damping(void) {
    return (damping_law){.power = 1.0, .time = 10e-3};
}

// ---------------------------------------------------------------- the tube
// Stiffness by the area there is, divided by the stretch; mass stays.
static td_piece_def piece_of(const variant *how, double stretch) {
    const section now = section_at(stretch, how->published), rest = section_at(1.0, how->published);
    const double modulus = YOUNG / stretch;
    td_piece_def p = td_default_piece_def();
    p.length = LENGTH;
    p.damping_time = how->damping.time;
    p.damping_power = how->damping.power;
    p.youngs_modulus = YOUNG, p.shear_modulus = YOUNG / 3.0, p.density = DENSITY;
    p.section = (td_section){.shape = TD_SECTION_GENERAL,
                             .area = rest.area,
                             .ixx = how->published ? 0.5 * rest.torsion : rest.bending,
                             .torsion = rest.torsion,
                             .polar = rest.torsion};
    p.section.iyy = p.section.ixx;
    p.section_end = p.section;
    for (int k = 0; k < 6; k++) {
        p.damping[k] = k < 3 ? how->damping.bending : how->damping.extension;
        p.stiffness[k] = modulus * (k < 2 ? now.bending : now.area);
    }
    p.stiffness[2] = modulus / 3.0 * now.torsion;
    p.stiffness[3] = p.stiffness[4] = modulus / 3.0 * now.area;
    return p;
}

// ---------------------------------------------------------------- parts
static bool add_inputs(td_robot *robot, td_error *err) {
    static const char *const names[INPUTS] = {"p0", "p1", "p2", "fx", "fy", "fz", "mx", "my", "mz"};
    bool fine = true;
    for (int i = 0; i < INPUTS && fine; i++)
        fine = td_robot_add_input(robot, &(td_input_def){.name = names[i]}, err) == i;
    return fine;
}

static bool add_chambers(td_robot *robot, const section *at, td_error *err) {
    static const double pairs[PAIRS] = {90.0, -30.0, 210.0};
    const double half = acos(1.0 - HALF_PAIR * HALF_PAIR / (2.0 * CENTRES * CENTRES));
    for (int i = 0; i < CHAMBERS; i++) {
        char name[16];
        double angle = pairs[i / 2] * PI / 180.0 + (i % 2 ? half : -half);
        td_chamber_def c = td_default_chamber_def();
        snprintf(name, sizeof name, "chamber%d%c", i / 2, "ab"[i % 2]);
        c.name = name, c.to = LENGTH, c.area = at->chamber, c.braid_angle = braid_angle();
        c.offset[0] = at->centres * cos(angle), c.offset[1] = at->centres * sin(angle);
        c.value = (td_number){.gain = PRESSURE_FACTOR, .input = i / 2};
        if (td_robot_add_chamber(robot, &c, err) < 0) return false;
    }
    return true;
}

// A cylinder; as published its parallel-axis term counts twice.
static bool add_sensor(td_robot *robot, bool published, td_error *err) {
    td_body_def b = td_default_body_def();
    b.name = "sensor", b.at = LENGTH, b.mass = SENSOR_MASS, b.centre[2] = 0.5 * SENSOR;
    b.inertia[0] = b.inertia[1] =
        SENSOR_MASS * (3.0 * SENSOR_RADIUS * SENSOR_RADIUS + SENSOR * SENSOR) / 12.0 +
        (published ? SENSOR_MASS * 0.25 * SENSOR * SENSOR : 0.0);
    b.inertia[2] = 0.5 * SENSOR_MASS * SENSOR_RADIUS * SENSOR_RADIUS;
    return td_robot_add_body(robot, &b, err) >= 0;
}

static bool add_load(td_robot *robot, td_error *err) {
    td_load_def load = td_default_load_def();
    load.name = "tip", load.from = LENGTH;
    for (int k = 0; k < 3; k++) {
        load.force[k] = (td_number){.gain = 1.0, .input = FORCE + k};
        load.moment[k] = (td_number){.gain = 1.0, .input = MOMENT + k};
    }
    return td_robot_add_load(robot, &load, err) >= 0;
}

static td_robot *make_robot(const variant *how, double stretch, td_error *err) {
    const td_number gravity[3] = {td_constant(0.0), td_constant(0.0), td_constant(9.81)};
    const section at = section_at(stretch, how->published);
    td_piece_def piece = piece_of(how, stretch);
    td_rod_def rod = td_default_rod_def();
    rod.name = "tube", rod.pieces = &piece, rod.n_pieces = 1;
    rod.mean_stretch = how->follows_stretch && !how->by_height;
    td_robot *robot = td_robot_create();
    if (robot && add_inputs(robot, err) && td_robot_add_rod(robot, &rod, err) >= 0 &&
        add_sensor(robot, how->published, err) && add_chambers(robot, &at, err) &&
        add_load(robot, err) && td_robot_set_gravity(robot, gravity, err) >= 0)
        return robot;
    if (!robot) *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
    td_robot_destroy(robot);
    return NULL;
}

// ---------------------------------------------------------------- holding it
static td_options options_of(const variant *how) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", how->model);
    if (!strcmp(how->model, "cosserat")) o.nodes = how->n;
    o.scheme = TD_SDIRK2;
    o.lumped.segments = how->n;
    o.lumped.as_printed = how->as_printed;
    if (!strcmp(how->model, "rom")) o.rom.order = how->n;
    o.rom.as_printed = how->as_printed;
    if (!how->as_printed) return o;
    o.rom.rotation = TD_ROM_QUATERNION;
    o.rom.quadrature = how->published ? TD_ROM_LEFT : TD_ROM_FULL;
    return o;
}

static bool open_at(module *m, const variant *how, double stretch, td_error *err) {
    const td_options o = options_of(how);
    *m = (module){.how = *how, .stretch = stretch};
    m->robot = make_robot(how, stretch, err);
    if (m->robot) m->system = td_system_create(m->robot, &o, err);
    if (m->system) m->state = td_state_create(m->system);
    if (m->state) return true;
    if (m->system) *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
    module_close(m);
    return false;
}

bool module_open(module *m, const variant *how, td_error *err) {
    return open_at(m, how, 1.0, err);
}

void module_close(module *m) {
    td_state_destroy(m->state);
    td_system_destroy(m->system);
    td_robot_destroy(m->robot);
    *m = (module){0};
}

static bool did(const module *m, td_status status, td_error *err) {
    if (status >= 0) return true;
    *err = (td_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", td_message(m->state));
    return false;
}

// ---------------------------------------------------------------- the sensor
// The direction of a pose's z axis.
static void axis_of(const double q[4], double e[3]) {
    e[0] = 2.0 * (q[1] * q[3] + q[0] * q[2]);
    e[1] = 2.0 * (q[2] * q[3] - q[0] * q[1]);
    e[2] = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
}

void module_tip(const module *m, double p[3]) {
    double e[3];
    td_pose tip = td_get_pose(m->system, m->state, 0, LENGTH);
    axis_of(tip.q, e);
    for (int k = 0; k < 3; k++) p[k] = tip.p[k] + SENSOR * e[k];
}

// A load at the end of the sensor, on a tube whose tip points along e.
static bool set_inputs(module *m, const sample *s, const double e[3], td_error *err) {
    const double *f = s->force;
    bool fine = true;
    for (int k = 0; k < 3 && fine; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double moment = s->moment[k] + SENSOR * (e[a] * f[b] - e[b] * f[a]);
        fine = did(m, td_set_input(m->system, m->state, k, s->pressure[k]), err) &&
               did(m, td_set_input(m->system, m->state, FORCE + k, f[k]), err) &&
               did(m, td_set_input(m->system, m->state, MOMENT + k, moment), err);
    }
    return fine;
}

// Equilibrium with the arm of the load that belongs to it.
static bool settle_arm(module *m, const sample *s, td_error *err) {
    double e[3], before[3], change = 1.0;
    axis_of(td_get_pose(m->system, m->state, 0, LENGTH).q, e);
    for (int i = 0; i < ROUNDS && change > SAME; i++) {
        memcpy(before, e, sizeof before);
        if (!set_inputs(m, s, e, err) || !did(m, td_solve_statics(m->system, m->state), err))
            return false;
        axis_of(td_get_pose(m->system, m->state, 0, LENGTH).q, e);
        change = hypot(hypot(e[0] - before[0], e[1] - before[1]), e[2] - before[2]);
    }
    if (change <= SAME) return true;
    *err = (td_error){.status = TD_ERR_NOT_CONVERGED,
                      .message = "the arm of the tip load does not settle"};
    return false;
}

// As published of ROM, where the model would take the mean along the tube.
static double height_stretch(const module *m) {
    return td_get_pose(m->system, m->state, 0, LENGTH).p[2] / LENGTH;
}

bool module_settle(module *m, const sample *s, td_error *err) {
    if (!settle_arm(m, s, err)) return false;
    for (int i = 0; i < ROUNDS && m->how.follows_stretch && m->how.by_height; i++) {
        const variant how = m->how;
        const double stretch = height_stretch(m);
        if (fabs(stretch - m->stretch) < 1e-9) return true;
        module_close(m);
        if (!open_at(m, &how, stretch, err) || !settle_arm(m, s, err)) return false;
    }
    return true;
}

bool module_restretch(module *m, td_error *err) {
    enum { MOST_COORDINATES = 64 };
    double q[MOST_COORDINATES], rates[MOST_COORDINATES];
    module next;
    if (!m->how.by_height || td_n_coordinates(m->system) > MOST_COORDINATES) return true;
    if (!did(m, td_get_coordinates(m->system, m->state, q, rates), err) ||
        !open_at(&next, &m->how, height_stretch(m), err))
        return false;
    module_close(m);
    *m = next;
    return did(m, td_set_coordinates(m->system, m->state, q, rates), err);
}

// The arm as the tip will point at the end of the step.
bool module_move(module *m, const sample *s, double dt, td_error *err) {
    const td_sample tip = td_get_sample(m->system, m->state, 0, LENGTH);
    const double *w = tip.velocity;
    double x[3], y[3], e[3];
    double q[4] = {tip.pose.q[0], tip.pose.q[1], tip.pose.q[2], tip.pose.q[3]};
    axis_of(q, e);
    x[0] = 1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]);
    x[1] = 2.0 * (q[1] * q[2] + q[0] * q[3]);
    x[2] = 2.0 * (q[1] * q[3] - q[0] * q[2]);
    y[0] = 2.0 * (q[1] * q[2] - q[0] * q[3]);
    y[1] = 1.0 - 2.0 * (q[1] * q[1] + q[3] * q[3]);
    y[2] = 2.0 * (q[2] * q[3] + q[0] * q[1]);
    for (int k = 0; k < 3; k++) e[k] += dt * (w[1] * x[k] - w[0] * y[k]);  // w x z, in the world
    return set_inputs(m, s, e, err) && did(m, td_step(m->system, m->state, dt), err);
}
