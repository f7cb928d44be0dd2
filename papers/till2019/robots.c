// papers/till2019/robots.c - see robots.h.
#include "robots.h"

#include <math.h>
#include <stdio.h>

#include "cli/terminal.h"
#include "math/pi.h"

static const double horizontal[4] = {0.70710678118654752, 0.0, 0.70710678118654752, 0.0};

// ---------------------------------------------------------------- pieces of all of them
static td_piece_def round_wire(double length, double radius, double youngs_modulus,
                               double density) {
    td_piece_def piece = td_default_piece_def();
    piece.length = length;
    piece.youngs_modulus = youngs_modulus;
    piece.shear_modulus = youngs_modulus / 2.6;
    piece.density = density;
    piece.section.radius = piece.section_end.radius = radius;
    return piece;
}

static int add_rod(td_robot *robot, const char *name, const td_piece_def *piece,
                   const double orientation[4], td_error *err) {
    td_rod_def rod = td_default_rod_def();
    rod.name = name;
    rod.pieces = piece;
    rod.n_pieces = 1;
    for (int i = 0; i < 4 && orientation; i++) rod.base.orientation[i] = orientation[i];
    return td_robot_add_rod(robot, &rod, err);
}

// points NULL: 0 until a program sets it.
static td_number driven(td_robot *robot, const char *name, const char *unit, const double *points,
                        int n, td_error *err) {
    td_input_def def = {.name = name, .unit = unit};
    if (points) def.signal = (td_signal){.kind = TD_SIGNAL_POINTS, .points = points, .n_points = n};
    return (td_number){.gain = 1.0, .input = td_robot_add_input(robot, &def, err)};
}

static bool set_gravity(td_robot *robot, double downwards, td_error *err) {
    const td_number g[3] = {td_constant(0.0), td_constant(0.0), td_constant(-downwards)};
    return td_robot_set_gravity(robot, g, err) >= 0;
}

static td_robot *robot_or_none(td_robot *robot, bool fine, td_error *err) {
    if (fine) return robot;
    if (!robot) *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory"};
    td_robot_destroy(robot);
    return NULL;
}

// ---------------------------------------------------------------- the tendon arm
typedef struct arm_tendon {
    const char *name;
    double x, y;  // m, local; x points down
    double points[4][2];
    int n;
} arm_tendon;

static const arm_tendon arm_tendons[ARM_TENDONS] = {
    {"up", -9.5e-3, 0.0, {{0.0, 0.0}, {1.2, 0.0}, {1.6, 1.5}}, 3},
    {"down", 9.5e-3, 0.0, {{0.0, 0.0}, {0.6, 1.0}, {1.2, 1.0}, {1.5, 0.0}}, 4},
    {"left", 0.0, 9.5e-3, {{0.0, 0.0}, {0.6, 2.0}, {1.6, 2.0}, {2.3, 0.0}}, 4},
    {"right", 0.0, -9.5e-3, {{0.0, 0.0}, {1.7, 0.0}, {2.5, 2.0}}, 3},
};
static const double grip[5][2] = {
    {0.0, 0.0}, {ARM_PICK, 0.0}, {ARM_PICK, 1.0}, {ARM_DROP, 1.0}, {ARM_DROP, 0.0}};

static bool add_arm_tendon(td_robot *robot, const arm_tendon *t, td_error *err) {
    td_tendon_def def = td_default_tendon_def();
    def.name = t->name;
    def.to = ARM_LENGTH;
    def.offset[0] = def.offset_end[0] = t->x;
    def.offset[1] = def.offset_end[1] = t->y;
    def.value = driven(robot, t->name, "N", t->points[0], t->n, err);
    return def.value.input >= 0 && td_robot_add_tendon(robot, &def, err) >= 0;
}

static bool add_object(td_robot *robot, td_error *err) {
    td_body_def def = td_default_body_def();
    def.name = "object";
    def.rod = 0;
    def.at = ARM_LENGTH;
    def.mass = 1e-3;
    def.attached = driven(robot, "grip", "", grip[0], 5, err);
    return def.attached.input >= 0 && td_robot_add_body(robot, &def, err) >= 0;
}

static bool add_backbone(td_robot *robot, double gravity, td_error *err) {
    td_piece_def wire = round_wire(ARM_LENGTH, 0.4e-3, 207e9, 16000.0);
    for (int i = 0; i < 3; i++) wire.damping[i] = 1e-6, wire.drag[i] = 0.03;
    return add_rod(robot, "backbone", &wire, horizontal, err) >= 0 &&
           set_gravity(robot, gravity, err);
}

td_robot *till_tendon_arm(double gravity, td_error *err) {
    td_robot *robot = td_robot_create();
    bool fine = robot && add_backbone(robot, gravity, err);
    for (int i = 0; i < ARM_TENDONS && fine; i++)
        fine = add_arm_tendon(robot, &arm_tendons[i], err);
    return robot_or_none(robot, fine && add_object(robot, err), err);
}

td_robot *till_wound_arm(td_error *err) {
    td_robot *robot = td_robot_create();
    td_tendon_def def = td_default_tendon_def();
    def.name = "helix";
    def.to = ARM_LENGTH;
    def.routing = TD_ROUTING_HELIX;
    def.radius = 9.5e-3;
    def.turns = 1.0;
    def.phase = PI;  // begins on top
    bool fine = robot && add_backbone(robot, 9.81, err);
    if (fine) def.value = driven(robot, "helix", "N", NULL, 0, err);
    fine = fine && def.value.input >= 0 && td_robot_add_tendon(robot, &def, err) >= 0;
    return robot_or_none(robot, fine, err);
}

// ---------------------------------------------------------------- one tendon on a motor
// At first the tip points straight ahead: the path is then as long as at rest, and what is pulled
// in is the stretch of the tendon under the 2.5461 N that do it.
#define AHEAD (2.5461 * (PULLED_LENGTH + 0.0518) / 625.0)
#define STROKE 0.01619
static const double pulled[4][2] = {{0.0, AHEAD},
                                    {PULLED_RAMP, AHEAD + STROKE},
                                    {PULLED_DOWN, AHEAD + STROKE},
                                    {PULLED_DOWN + PULLED_RAMP, AHEAD}};

td_robot *till_pulled_arm(const tendon_friction *f, td_error *err) {
    td_robot *robot = td_robot_create();
    td_piece_def wire = round_wire(PULLED_LENGTH, 0.675e-3, 207e9, 8000.0);
    wire.mass_per_length = 0.034 / PULLED_LENGTH;
    for (int i = 0; i < 3; i++) wire.damping[i] = 5e-4, wire.drag[i] = 1e-4;
    td_tendon_def def = td_default_tendon_def();
    def.name = "cable";
    def.to = PULLED_LENGTH;
    def.offset[0] = def.offset_end[0] = -0.0151;
    def.input = TD_DISPLACEMENT;
    def.stiffness = 625.0;
    def.outside = 0.0518;
    def.viscous = f->viscous;
    def.friction = f->friction;
    bool fine = robot && add_rod(robot, "backbone", &wire, horizontal, err) >= 0 &&
                set_gravity(robot, 9.81, err);
    if (fine) def.value = driven(robot, "cable", "m", pulled[0], 4, err);
    fine = fine && def.value.input >= 0 && td_robot_add_tendon(robot, &def, err) >= 0;
    return robot_or_none(robot, fine, err);
}

// ---------------------------------------------------------------- the finger
// A disc without a hole, about its own centroid: the hole is r away from the disc's centre.
typedef struct holed_disc {
    double area, hole, ixx, iyy, offset;
} holed_disc;

static holed_disc holed(double radius, double hole_radius, double r) {
    double disc = PI * radius * radius, hole = PI * hole_radius * hole_radius;
    double shift = hole * r / (disc - hole);  // of the centroid, away from the hole
    double own = disc * radius * radius / 4.0 - hole * hole_radius * hole_radius / 4.0;
    return (holed_disc){.area = disc - hole,
                        .hole = hole,
                        .ixx = own,
                        .iyy = own - hole * r * r - (disc - hole) * shift * shift,
                        .offset = -(r + shift)};
}

static td_piece_def finger_piece(const holed_disc *d) {
    td_piece_def piece = td_default_piece_def();
    piece.length = FINGER_LENGTH;
    piece.youngs_modulus = 20e3;
    piece.shear_modulus = 20e3 / 3.0;
    piece.density = 300.0;
    piece.section = (td_section){.shape = TD_SECTION_GENERAL,
                                 .area = d->area,
                                 .ixx = d->ixx,
                                 .iyy = d->iyy,
                                 .torsion = d->ixx + d->iyy,
                                 .polar = d->ixx + d->iyy};
    piece.section_end = piece.section;
    return piece;
}

#define PAPER_GAS 8.314  // J/(mol K), in print
#define OUR_GAS 8.31446261815324

td_robot *till_finger(finger_fluid fluid, td_error *err) {
    td_robot *robot = td_robot_create();
    const holed_disc disc = holed(0.015, 0.0025, 0.01);
    const double volume = disc.hole * FINGER_LENGTH;
    const double air[2][2] = {{0.0, 101325.0 * volume / (PAPER_GAS * 293.15)},
                              {FINGER_FILLED, 2e-4}};
    const double water[2][2] = {{0.0, volume}, {FINGER_FILLED, 2.65e-6}};
    td_piece_def piece = finger_piece(&disc);
    td_chamber_def def = td_default_chamber_def();
    def.name = "chamber";
    def.to = FINGER_LENGTH;
    def.offset[0] = disc.offset;
    def.radius = 0.0025;
    def.input = fluid == AIR ? TD_AMOUNT : TD_VOLUME;
    def.temperature = 293.15 * PAPER_GAS / OUR_GAS;  // the same R T
    def.path_volume = true;
    bool fine =
        robot && add_rod(robot, "finger", &piece, NULL, err) >= 0 && set_gravity(robot, 0.0, err);
    if (fine)
        def.value = driven(robot, "chamber", fluid == AIR ? "mol" : "m^3",
                           fluid == AIR ? air[0] : water[0], 2, err);
    fine = fine && def.value.input >= 0 && td_robot_add_chamber(robot, &def, err) >= 0;
    return robot_or_none(robot, fine, err);
}

// ---------------------------------------------------------------- the platform
static bool add_plate(td_robot *robot, td_error *err) {
    td_body_def plate = td_default_body_def();
    plate.name = "plate";
    plate.rod = -1;
    plate.mass = 0.0921;
    plate.inertia[0] = plate.inertia[1] = 1.91e-4;
    plate.inertia[2] = 3.81e-4;
    plate.position[2] = 0.344;
    return td_robot_add_body(robot, &plate, err) >= 0;
}

// Which holes a leg joins is not printed: errata.md. Base at +-10 degrees, plate at +-50.
static bool add_leg(td_robot *robot, int i, const double *points, int n, td_error *err) {
    const double radius = 0.087, middle = 2.0 * PI / 3.0 * (i / 2), side = i % 2 ? 1.0 : -1.0;
    const double base = middle + side * PI / 18.0, plate = middle + side * PI / 3.6;
    char name[16];
    snprintf(name, sizeof name, "leg%d", i + 1);
    td_piece_def wire = round_wire(LEG_LENGTH, 1e-3, 207e9, 8000.0);
    td_rod_def rod = td_default_rod_def();
    rod.name = name;
    rod.pieces = &wire;
    rod.n_pieces = 1;
    rod.base.position[0] = td_constant(radius * cos(base));
    rod.base.position[1] = td_constant(radius * sin(base));
    rod.tip.held = true;
    rod.tip.body = 0;
    rod.tip.position[0] = td_constant(radius * cos(plate));
    rod.tip.position[1] = td_constant(radius * sin(plate));
    rod.feed = driven(robot, name, "m", points, n, err);
    return rod.feed.input >= 0 && td_robot_add_rod(robot, &rod, err) >= 0;
}

td_robot *till_platform(const double *const points[LEGS], int n, td_error *err) {
    td_robot *robot = td_robot_create();
    bool fine = robot && add_plate(robot, err);
    for (int i = 0; i < LEGS && fine; i++)
        fine = add_leg(robot, i, points ? points[i] : NULL, n, err);
    return robot_or_none(robot, fine, err);
}

// ---------------------------------------------------------------- running them
bool simulation_of(simulation *s, td_robot *robot, const td_options *options, td_error *err) {
    *s = (simulation){.robot = robot};
    if (robot) s->system = td_system_create(robot, options, err);
    if (s->system) s->state = td_state_create(s->system);
    if (s->system && !s->state)
        *err = (td_error){.status = TD_ERR_MEMORY, .message = "out of memory for the state"};
    td_status status = s->state ? td_begin(s->system, s->state) : TD_ERR_MEMORY;
    if (s->state && status >= 0) {
        s->length = td_rod_length(s->system, 0);
        return true;
    }
    if (s->state) {
        *err = (td_error){.status = status};
        snprintf(err->message, sizeof err->message, "%s", td_message(s->state));
    }
    simulation_close(s);
    return false;
}

long simulation_run(simulation *s, double dt, long n, see_function *see, void *to,
                    double *seconds) {
    long k = 0;
    *seconds = 0.0;
    if (see) see(s, 0, to);
    while (k < n) {
        double started = processor_time();
        td_status status = td_advance(s->system, s->state, dt);
        *seconds += processor_time() - started;
        if (status < 0) break;
        k++;
        if (see) see(s, k, to);
    }
    return k;
}

td_options shooting_options(td_integrator integrator, td_history history, int points,
                            double alpha) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    o.integrator = integrator;
    o.history = history;
    o.steps = points - 1;
    o.scheme = TD_BDF_ALPHA;
    o.alpha = alpha;
    o.startup = TD_REST_HISTORY;
    return o;
}

td_options collocation_options(int nodes, double alpha) {
    td_options o = td_default_options();
    o.nodes = nodes;
    o.scheme = TD_BDF_ALPHA;
    o.alpha = alpha;
    return o;
}
