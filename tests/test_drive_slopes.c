// Motors and valves in all that differentiates: modes against closed forms, linear models and derivatives of steps against
// steps, in every model that has motors.
#include "tendril/estimate.h"
#include "tendril/gradient.h"
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "not_compiled.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- robots
typedef struct rig {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_linearisation *l;
} rig;

static rig rig_of(const char *text, const td_output *outputs, int n) {
    rig r = {0};
    td_error err = {0};
    r.robot = td_robot_parse(text, strlen(text), "drive.yaml", NULL, 0, &err);
    if (!r.robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(r.robot);
    const td_options options = td_robot_options(r.robot);
    r.system = td_system_create(r.robot, &options, &err);
    if (!r.system) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(r.system);
    r.state = td_state_create(r.system);
    assert_true(td_begin(r.system, r.state) >= 0);
    r.l = td_linearisation_create(r.system, outputs, n, &err);
    assert_non_null(r.l);
    return r;
}

static void rig_end(rig *r) {
    td_linearisation_destroy(r->l);
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    td_robot_destroy(r->robot);
}

static void linearise(rig *r) {
    const td_status status = td_linearise(r->system, r->state, r->l);
    if (status < 0) fprintf(stderr, "%s\n", td_message(r->state));
    assert_true(status >= 0);
}

static void solve_modes(rig *r) {
    linearise(r);
    const td_status status = td_solve_modes(r->l, 0);
    if (status < 0) fprintf(stderr, "%s\n", td_linearisation_message(r->l));
    assert_true(status >= 0);
}

// A rod with a tendon on its axis, which is a spring, of hardly any mass.
#define SPRING (1.0 / (1e-4 + 1e-8))  // N/m, with the compliance of the tendon
#define RATIO 5e-3                    // m/rad, of the rotor
static rig spring_rig(const char *model, const char *input, const char *motor) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: rod, length: 0.1, section: {radius: 3.0901936161855166 mm}, material: "
        "{youngs_modulus: 33333333.333333332, poisson_ratio: 0.3, density: 0.01}}]\n"
        "tendons: [{name: pull, offset: [0, 0], pushes: true, compliance: 1e-8, input: %s, "
        "motor: {spool: 10 mm, gear: 2, inertia: 2e-4%s}}]\n"
        "simulation: {model: %s, space: {nodes: 4}, time: {scheme: sdirk2}, solver: {tolerance: "
        "1e-13}}\n",
        input, motor, model);
    return rig_of(text, NULL, 0);
}

static const char *const on_a_spring[] = {"cosserat", "rom", "constant_curvature", "eba", "ebr"};
enum { N_ON_A_SPRING = sizeof on_a_spring / sizeof *on_a_spring };

// ---------------------------------------------------------------- modes
// J a'' + ratio^2 k a = 0
static void a_rotor_on_a_rod_has_its_frequency_in_every_model(void **state) {
    (void)state;
    const double frequency = sqrt(RATIO * RATIO * SPRING / 2e-4) / (2.0 * PI);
    for (int i = 0; i < N_ON_A_SPRING; i++) {
        rig r = spring_rig(on_a_spring[i], "torque", "");
        solve_modes(&r);
        const td_mode m = td_get_mode(r.l, 0);
        printf("%s: %.9g Hz, %.9g\n", on_a_spring[i], m.frequency, frequency);
        assert_int_equal(m.kind, TD_MODE_OSCILLATES);
        CHECK_NEAR(m.frequency, frequency, 1e-6 * frequency);
        rig_end(&r);
    }
}

// L J s^3 + (L B + R J) s^2 + (R B + k^2 + L c) s + R c = 0, c = ratio^2 k.
static void a_coil_makes_a_cubic_of_it(void **state) {
    (void)state;
    const double J = 2e-4, B = 1e-3, k = 0.05, R = 0.5, L = 0.02, c = RATIO * RATIO * SPRING;
    const double a[4] = {R * c, R * B + k * k + L * c, L * B + R * J, L * J};
    for (int i = 0; i < N_ON_A_SPRING; i++) {
        rig r = spring_rig(on_a_spring[i], "voltage",
                           ", viscous: 1e-3, torque_constant: 0.05, resistance: 0.5 ohm, "
                           "inductance: 20 mH");
        solve_modes(&r);
        int found = 0;
        for (int mode = 0; mode < td_n_modes(r.l) && found < 2; mode++, found++) {
            const td_mode m = td_get_mode(r.l, mode);
            const double s = hypot(m.re, m.im);
            const double size = a[0] + s * (a[1] + s * (a[2] + s * a[3]));
            double re = a[3], im = 0.0;  // of the polynomial, by Horner
            for (int power = 2; power >= 0; power--) {
                const double next = re * m.re - im * m.im + a[power];
                im = re * m.im + im * m.re, re = next;
            }
            CHECK_NEAR(hypot(re, im) / size, 0.0, 1e-6);
        }
        // a pair and one that is real
        assert_true((td_get_mode(r.l, 0).im != 0.0) != (td_get_mode(r.l, 1).im != 0.0));
        rig_end(&r);
    }
}

#define VOLUME (PI * 9e-6 * 0.1)  // m^3
// A line of compliance c behind a linear valve: p' = C (supply - p)/c.
static void a_valve_fills_a_line_by_its_time_constant(void **state) {
    (void)state;
    rig r = rig_of("tendril: 1\n"
                   "gravity: [0, 0, 0]\n"
                   "rods: [{name: rod, length: 0.1, section: {radius: 6 mm}, material: "
                   "{youngs_modulus: 1e12, poisson_ratio: 0.3, density: 1000}}]\n"
                   "chambers: [{name: room, radius: 3 mm, input: opening, valve: {liquid: true, "
                   "supply: 2 bar, conductance: 1e-11, line_compliance: 1e-12}}]\n"
                   "inputs: {room: 0.5}\n"
                   "simulation: {space: {nodes: 4}, time: {scheme: sdirk2}}\n",
                   NULL, 0);
    solve_modes(&r);
    const td_mode m = td_get_mode(r.l, 0);
    assert_int_equal(m.kind, TD_MODE_DECAYS);
    const double give = VOLUME * VOLUME / 0.1 / (1e12 * PI * 36e-6);  // m^3/Pa, of the rod
    CHECK_NEAR(m.re, -5.0 / (1.0 + give / 1e-12), 1e-8);
    assert_string_equal(td_coordinate_name(r.system, td_n_coordinates(r.system) - 1),
                        "chamber.room.fluid");
    td_set_input(r.system, r.state, 0, 0.0);  // closed, it holds what it holds
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    solve_modes(&r);
    assert_int_equal(td_get_mode(r.l, 0).kind, TD_MODE_NEUTRAL);
    rig_end(&r);
}

static void what_friction_holds_is_a_neutral_mode_in_words(void **state) {
    (void)state;
    rig r = spring_rig("cosserat", "torque", ", friction: 1e-3");
    solve_modes(&r);
    assert_int_equal(td_get_mode(r.l, 0).kind, TD_MODE_NEUTRAL);
    assert_string_equal(td_get_linear(r.l)->note,
                        "the motor of tendon 'pull' is held by friction or its gear: its angle "
                        "stays, a neutral mode");
    assert_true(td_n_modes(r.l) < 2 || td_get_mode(r.l, 1).kind != TD_MODE_NEUTRAL);
    rig_end(&r);
}

// ---------------------------------------------------------------- steps
static const struct {
    const char *name, *more;
} arms[] = {{"cosserat", "space: {nodes: 4}"},
            {"rom", "rom: {order: 3}"},
            {"constant_curvature", ""},
            {"eba", "lumped: {segments: 4}"},
            {"ebr", "lumped: {segments: 4}"},
            {"srl", "lumped: {segments: 4}"},
            {"virtual_power", ""}};
enum { N_ARMS = sizeof arms / sizeof *arms };

static const struct {
    const char *input, *motor;
    double command;
} told[] = {
    {"torque", "viscous: 2e-6, inertia: 4e-6", 8e-4},
    {"current", "viscous: 2e-6, inertia: 4e-6, torque_constant: 0.02", 0.04},
    {"voltage", "viscous: 2e-6, inertia: 4e-6, torque_constant: 0.02, resistance: 2 ohm", 0.08},
    {"voltage",
     "viscous: 2e-6, inertia: 4e-6, torque_constant: 0.02, resistance: 2 ohm, inductance: 5 mH",
     0.08},
    {"angle", "inertia: 4e-6, stiffness: 0.02, damping: 3e-4", 0.6},
    {"angle", "inertia: 4e-6", 0.6},
    {"speed", "inertia: 4e-6", 0.0},
    {"speed", "inertia: 4e-6, damping: 3e-4", 0.0},
    {"torque", "inertia: 4e-6, friction: 1e-4, efficiency: 0.8", 8e-4},
};
enum { N_TOLD = sizeof told / sizeof *told };

// The effort, and angle, speed, current, torque and flow.
static const td_output read_of_it[] = {{.quantity = TD_OUTPUT_EFFORT, .body = -1},
                                       {.quantity = TD_OUTPUT_DRIVE, .body = -1}};
enum { N_READ = 6 };

static rig arm_rig(int model, int command, const char *scheme) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "gravity: [0, 0, %g]\n"
        "rods: [{name: arm, length: 0.25, section: {radius: 1.5 mm}, material: "
        "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 2 ms}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, input: %s, motor: "
        "{spool: 6 mm, gear: 12, %s}}]\n"
        "inputs: {pull: %g}\n"
        "simulation: {model: %s, %s%stime: {scheme: %s}, solver: {tolerance: 1e-13}}\n",
        strcmp(told[command].input, "speed") ? -9.81 : 0.0,  // a damper alone would creep
        told[command].input, told[command].motor, told[command].command, arms[model].name,
        arms[model].more, *arms[model].more ? ", " : "", scheme);
    return rig_of(text, read_of_it, 2);
}

// A soft finger with a valve on a line.
static rig finger_rig(int model, bool liquid) {
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "rods: [{name: finger, length: 0.1, section: {radius: 8 mm}, material: "
             "{youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1100}, damping: {time: 10 "
             "ms}}]\n"
             "chambers: [{name: room, radius: 2 mm, offset: [4 mm, 0], input: opening, valve: "
             "{supply: 60 kPa, %s}}]\n"
             "inputs: {room: -1}\n"
             "simulation: {model: %s, %s%stime: {scheme: sdirk2}, solver: {tolerance: 1e-13}}\n",
             liquid ? "liquid: true, transition: 10 kPa, line_compliance: 1e-12, conductance: 4e-12"
                    : "conductance: 4e-10, critical_ratio: 0.35, line: 1 mL",
             arms[model].name, arms[model].more, *arms[model].more ? ", " : "");
    return rig_of(text, read_of_it, 2);
}

enum { MOST = 128 };

typedef struct place {  // where a step begins
    rig *r;
    void *snapshot;
    double q[MOST], v[MOST], u, dt;
    int n;
    bool sticks;
    double near;           // share of the units that differences reach
    double units[N_READ];  // of what is read
} place;

static place place_of(rig *r, double dt) {
    place p = {.r = r,
               .dt = dt,
               .n = td_n_coordinates(r->system),
               .near = 1.0,
               .units = {0.1, 1e-3, 1e-3 / dt, 1e-3, 1e-4, 1.0}};
    assert_true(p.n > 0 && p.n <= MOST);
    p.snapshot = malloc(td_snapshot_bytes(r->system));
    td_state_save(r->system, r->state, p.snapshot, td_snapshot_bytes(r->system));
    td_get_coordinates(r->system, r->state, p.q, p.v);
    p.u = td_get_input(r->system, r->state, 0);
    return p;
}

// Frames are changed in the world.
static int n_frames_of(const place *p) {
    int n = 0;
    for (int k = 0; k < p->n; k++)
        n += strstr(td_coordinate_name(p->r->system, k), "rotation_x") != NULL;
    return n;
}

static void look(const place *p, double *y) {
    const td_drive_state d = td_get_drive(p->r->system, p->r->state, 0);
    const double seen[] = {td_get_actuator(p->r->system, p->r->state, 0).effort,
                           d.angle,
                           d.speed,
                           d.current,
                           d.torque,
                           d.flow};
    td_get_coordinates(p->r->system, p->r->state, y, y + p->n);
    memcpy(y + 2 * p->n, seen, sizeof seen);
}

static void step_from(const place *p, int column, double e, double *y) {
    rig *r = p->r;
    double q[MOST], v[MOST];
    assert_int_equal(
        td_state_restore(r->system, r->state, p->snapshot, td_snapshot_bytes(r->system)), TD_OK);
    memcpy(q, p->q, sizeof q), memcpy(v, p->v, sizeof v);
    if (column < p->n) q[column] += e;
    else if (column < 2 * p->n) v[column - p->n] += e;
    assert_true(td_set_coordinates(r->system, r->state, q, v) >= 0);
    td_set_input(r->system, r->state, 0, p->u + (column == 2 * p->n ? e : 0.0));
    td_restart(r->system, r->state);
    assert_true(td_step(r->system, r->state, p->dt) >= 0);
    look(p, y);
}

static double unit_of(const place *p, int k) {
    const char *unit = td_coordinate_unit(p->r->system, k);
    if (!strcmp(unit, "1/m")) return 1e-2;
    if (!strcmp(unit, "1")) return 1e-4;
    if (!strcmp(unit, "m")) return 3e-6;
    if (!strcmp(unit, "mol")) return 1e-7;
    if (!strcmp(unit, "m^3")) return 1e-10;
    return 1e-3;
}

// A column of the state, of the command, of steps themselves.
static double reach_of(const place *p, int column) {
    if (column == 2 * p->n) return p->u == 0.0 ? 1e-3 : 1e-3 * fabs(p->u);
    if (column < p->n) return p->near * unit_of(p, column);
    // of a rotor that sticks so little that it does not get off
    const bool sticks = p->sticks && column == 2 * p->n - 1;
    return (sticks ? 1e-3 : p->near) * unit_of(p, column - p->n) / p->dt;
}

static void difference(const place *p, int column, double *seen) {
    double sides[4][2 * MOST + N_READ];
    const double e = reach_of(p, column);
    for (int i = 0; i < 4; i++) step_from(p, column, (i < 2 ? 1 : 2) * (i % 2 ? -e : e), sides[i]);
    for (int i = 0; i < 2 * p->n + N_READ; i++)
        seen[i] = (8.0 * (sides[0][i] - sides[1][i]) - (sides[2][i] - sides[3][i])) / (12.0 * e);
}

static double row_unit(const place *p, int i) {
    if (i >= 2 * p->n) return p->units[i - 2 * p->n];
    return i < p->n ? unit_of(p, i) : unit_of(p, i - p->n) / p->dt;
}

// What the map says against steps; columns of the state where these have no frames.
static void compare(const place *p, const td_step_map *m, bool fresh, const char *what) {
    double seen[2 * MOST + N_READ];
    const bool frames = n_frames_of(p) > 0;
    for (int column = frames ? 2 * p->n - 1 : 0; column <= 2 * p->n; column++) {
        double size = 0.0, most = 0.0;
        int at = 0;
        if (frames && column < 2 * p->n) column = 2 * p->n;
        difference(p, column, seen);
        for (int i = frames ? 2 * p->n : 0; i < 2 * p->n + N_READ; i++) {
            const int k = i - 2 * p->n;
            const double *row = (k < 0 ? m->A + i * m->n_states : m->C + k * m->n_states);
            const double by_u =
                k < 0 ? m->B[i] + (fresh ? 0.0 : m->B0[i]) : m->D[k] + (fresh ? 0.0 : m->D0[k]);
            const double is = column < 2 * p->n ? row[column] : by_u;
            const double unit = row_unit(p, i), miss = fabs(is - seen[i]) / unit;
            size = fmax(size, fabs(is) / unit);
            if (miss > most) most = miss, at = i;
        }
        // below 1e-7 of the units is what a step resolves
        if (most <= 1e-6 * fmax(size, 0.1 / reach_of(p, column))) continue;
        fprintf(stderr, "%s: column %d, row %d of %d: %.3g\n", what, column, at, p->n, most / size);
        fail();
    }
}

static void a_linear_model_answers_as_steps_do_in_every_model(void **state) {
    (void)state;
    for (int model = 0; model < N_ARMS; model++)
        for (int command = 0; command < N_TOLD; command++) {
            char what[64];
            rig r = arm_rig(model, command, "sdirk2");
            snprintf(what, sizeof what, "%s, %s %d", arms[model].name, told[command].input,
                     command);
            linearise(&r);
            const bool mapped = td_solve_step_map(r.l, 2e-3) >= 0;
            if (!mapped) fprintf(stderr, "%s: %s\n", what, td_linearisation_message(r.l));
            assert_true(mapped);
            place p = place_of(&r, 2e-3);
            p.sticks = td_get_linear(r.l)->note[0] != '\0';
            compare(&p, td_get_step_map(r.l), false, what);
            free(p.snapshot);
            rig_end(&r);
        }
}

// The derivative of a step in motion: the rotor turns, the arm swings, a stage of its own for each.
static void a_step_in_motion_has_its_derivative_in_every_model(void **state) {
    (void)state;
    for (int model = 0; model < N_ARMS; model++)
        for (int command = 0; command < N_TOLD; command++) {
            char what[64];
            rig r = arm_rig(model, command, "sdirk2");
            snprintf(what, sizeof what, "%s, %s %d moving", arms[model].name, told[command].input,
                     command);
            const double more = told[command].command != 0.0 ? 2.0 * told[command].command : 0.5;
            for (int k = 0; k < 6; k++) {
                td_set_input(r.system, r.state, 0,
                             told[command].command + more * sin(0.4 * (k + 1)));
                assert_true(td_step(r.system, r.state, 2e-3) >= 0);
            }
            place p = place_of(&r, 2e-3);
            p.near = 0.1;  // friction has kinks
            assert_int_equal(
                td_state_restore(r.system, r.state, p.snapshot, td_snapshot_bytes(r.system)),
                TD_OK);
            assert_true(td_set_coordinates(r.system, r.state, p.q, p.v) >= 0);
            td_set_input(r.system, r.state, 0, p.u);
            td_restart(r.system, r.state);
            const td_status status = td_differentiate_step(r.system, r.state, p.dt, r.l);
            if (status < 0) fprintf(stderr, "%s: %s\n", what, td_message(r.state));
            assert_true(status >= 0);
            compare(&p, td_get_step_map(r.l), true, what);
            free(p.snapshot);
            rig_end(&r);
        }
}

// Air and water through a valve that is opened and shut: the flow, too.
static void a_step_through_a_valve_has_its_derivative_in_every_model(void **state) {
    (void)state;
    for (int model = 0; model < N_ARMS; model++)
        for (int liquid = 0; liquid < 2; liquid++) {
            char what[64];
            const bool relative =
                !strcmp(arms[model].name, "ebr") || !strcmp(arms[model].name, "srl");
            // what they lack
            if (!strcmp(arms[model].name, "virtual_power") || (relative && liquid)) continue;
            rig r = finger_rig(model, liquid);
            snprintf(what, sizeof what, "%s, valve %d", arms[model].name, liquid);
            for (int k = 0; k < 6; k++) {
                td_set_input(r.system, r.state, 0, 0.5 + 0.3 * sin(0.4 * (k + 1)));
                assert_true(td_step(r.system, r.state, 2e-3) >= 0);
            }
            place p = place_of(&r, 2e-3);
            p.near = 0.3, p.units[0] = 1e3, p.units[5] = liquid ? 1e-8 : 1e-6;
            assert_true(td_set_coordinates(r.system, r.state, p.q, p.v) >= 0);
            td_set_input(r.system, r.state, 0, p.u);
            td_restart(r.system, r.state);
            assert_true(td_differentiate_step(r.system, r.state, p.dt, r.l) >= 0);
            compare(&p, td_get_step_map(r.l), true, what);
            free(p.snapshot);
            rig_end(&r);
        }
}

// ---------------------------------------------------------------- gradients of runs
enum { RUN = 10 };

typedef struct run_of {
    const char *name, *text;  // of a robot, with room for its inertia or conductance, and its model
    double number, command, more;
} run_of;

static const run_of arm_run = {
    "arm",
    "tendril: 1\n"
    "rods: [{name: arm, length: 0.25, section: {radius: 1.5 mm}, material: {youngs_modulus: 10 "
    "GPa, "
    "poisson_ratio: 0.3, density: 2000}, damping: {time: 2 ms}}]\n"
    "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, input: voltage, "
    "motor: "
    "{spool: 6 mm, gear: 12, viscous: 2e-6, torque_constant: 0.02, resistance: 2 ohm, inductance: "
    "5 mH, inertia: %.12g}}]\n"
    "inputs: {pull: 0.08}\n"
    "simulation: {model: %s, solver: {tolerance: 1e-14}}\n",
    4e-6, 0.08, 0.1};
static const run_of finger_run = {
    "finger",
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods: [{name: finger, length: 0.1, section: {radius: 8 mm}, material: {youngs_modulus: 1 MPa, "
    "poisson_ratio: 0.45, density: 1100}, damping: {time: 10 ms}}]\n"
    "chambers: [{name: room, radius: 2 mm, offset: [4 mm, 0], input: opening, valve: {supply: 60 "
    "kPa, critical_ratio: 0.35, line: 1 mL, conductance: %.12g}}]\n"
    "inputs: {room: -1}\n"
    "simulation: {model: %s, solver: {tolerance: 1e-14}}\n",
    4e-10, 0.5, 0.2};

// A random cost of the effort and the velocity of the tip, all along the way.
static double weight(int k, int j) {
    return sin(1.0 + 3.7 * k + 1.9 * j) * (j == 0 ? 1e-1 : 1.0);
}

static double command_at(const run_of *of, int k) {
    return of->command + of->more * sin(0.5 * k);
}

static rig run_rig(const run_of *of, const char *model, double number) {
    char text[2048];
    const td_output seen[] = {
        {.quantity = TD_OUTPUT_EFFORT, .body = -1},
        {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = of == &arm_run ? 0.25 : 0.1}};
    snprintf(text, sizeof text, of->text, number, model);
    return rig_of(text, seen, 2);
}

static td_gradient *gradient_of(const rig *r, const td_gradient_options *more) {
    td_error err = {0};
    const double end = td_rod_length(r->system, 0);
    const td_output seen[] = {{.quantity = TD_OUTPUT_EFFORT, .body = -1},
                              {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = end}};
    td_gradient_options o = *more;
    o.outputs = seen, o.n_outputs = 2, o.n_steps = RUN;
    td_gradient *g = td_gradient_create(r->system, &o, &err);
    if (!g) fprintf(stderr, "%s\n", err.message);
    assert_non_null(g);
    return g;
}

static double cost_of(td_gradient *g, const td_state *start, const run_of *of, int input,
                      double e) {
    double u[RUN], y[RUN][7], sum = 0.0;
    for (int k = 0; k < RUN; k++) u[k] = command_at(of, k) + (k == input ? e : 0.0);
    const td_status status = td_gradient_run(g, start, 2e-3, u, NULL, &y[0][0]);
    if (status < 0) fprintf(stderr, "%s\n", td_gradient_message(g));
    assert_true(status >= 0);
    const double unit = of == &arm_run ? 1.0 : 1e-4;
    for (int k = 0; k < RUN; k++)
        for (int j = 0; j < 7; j++) sum += weight(k, j) * (j == 0 ? unit : 1.0) * y[k][j];
    return sum;
}

// The cost of another robot that begins at the same coordinates.
static double cost_beside(const run_of *of, const char *model, const char *scheme, double number,
                          const double *q) {
    rig r = run_rig(of, model, number);
    (void)scheme;
    const td_gradient_options none = td_default_gradient_options();
    td_gradient *g = gradient_of(&r, &none);
    assert_true(td_set_coordinates(r.system, r.state, q, NULL) >= 0);
    const double cost = cost_of(g, r.state, of, -1, 0.0);
    td_gradient_destroy(g);
    rig_end(&r);
    return cost;
}

static void check_run(const run_of *of, const char *model, const char *name, bool parameters) {
    rig r = run_rig(of, model, of->number);
    const double step = 1e-4 * of->number;
    rig plus = run_rig(of, model, of->number + step), minus = run_rig(of, model, of->number - step);
    const td_system *const more[] = {plus.system}, *const less[] = {minus.system};
    td_gradient_options o = td_default_gradient_options();
    if (parameters) o.plus = more, o.minus = less, o.steps = &step, o.n_parameters = 1;
    td_gradient *g = gradient_of(&r, &o);
    double q[MOST], by_inputs[RUN], by_parameter = 0.0, w[RUN][7], size = 0.0;
    td_get_coordinates(r.system, r.state, q, NULL);
    assert_true(td_set_coordinates(r.system, r.state, q, NULL) >= 0);
    td_state *start = td_state_create(r.system);
    void *kept = malloc(td_snapshot_bytes(r.system));
    td_state_save(r.system, r.state, kept, td_snapshot_bytes(r.system));
    td_state_restore(r.system, start, kept, td_snapshot_bytes(r.system));
    cost_of(g, start, of, -1, 0.0);
    for (int k = 0; k < RUN; k++)
        for (int j = 0; j < 7; j++)
            w[k][j] = weight(k, j) * (j == 0 && of != &arm_run ? 1e-4 : 1.0);
    const td_gradient_result result = {.by_inputs = by_inputs,
                                       .by_parameters = parameters ? &by_parameter : NULL};
    const td_status status = td_gradient_adjoint(g, &w[0][0], &result);
    if (status < 0) fprintf(stderr, "%s %s: %s\n", of->name, name, td_gradient_message(g));
    assert_true(status >= 0);
    for (int k = 0; k < RUN; k++) size = fmax(size, fabs(by_inputs[k]));
    for (int k = 0; k < RUN; k++) {
        const double e = 2e-2 * of->more;
        double c[4];
        for (int i = 0; i < 4; i++)
            c[i] = cost_of(g, start, of, k, (i < 2 ? 1 : 2) * (i % 2 ? -e : e));
        const double seen = (8.0 * (c[0] - c[1]) - (c[2] - c[3])) / (12.0 * e);
        if (fabs(by_inputs[k] - seen) > 1e-6 * size)
            fprintf(stderr, "%s %s: step %d %.9g, seen %.9g\n", of->name, name, k, by_inputs[k],
                    seen);
        CHECK_NEAR(by_inputs[k], seen, 1e-6 * size);
    }
    if (parameters) {
        const double seen = (cost_beside(of, model, name, of->number + step, q) -
                             cost_beside(of, model, name, of->number - step, q)) /
                            (2.0 * step);
        if (fabs(by_parameter / seen - 1.0) > 1e-5)
            fprintf(stderr, "%s %s: by its number %.9g, seen %.9g\n", of->name, name, by_parameter,
                    seen);
        CHECK_NEAR(by_parameter / seen, 1.0, 1e-5);
    }
    free(kept);
    td_state_destroy(start);
    td_gradient_destroy(g);
    rig_end(&r), rig_end(&plus), rig_end(&minus);
}

static void runs_of_motors_have_gradients_in_every_model(void **state) {
    (void)state;
    for (int model = 0; model < N_ARMS; model++) {
        char text[128];
        snprintf(text, sizeof text, "%s, %s%stime: {scheme: sdirk2}", arms[model].name,
                 arms[model].more, *arms[model].more ? ", " : "");
        check_run(&arm_run, text, arms[model].name, true);
        if (!strcmp(arms[model].name, "virtual_power")) continue;  // it has tendons alone
        check_run(&finger_run, text, arms[model].name, true);
    }
}

static void runs_of_every_scheme_have_gradients(void **state) {
    (void)state;
    static const char *const schemes[] = {"backward-euler", "bdf2", "bdf-alpha", "trapezoidal",
                                          "bdf3"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        char text[128];
        snprintf(text, sizeof text, "cosserat, space: {nodes: 4}, time: {scheme: %s}", schemes[i]);
        check_run(&arm_run, text, schemes[i], false);
        check_run(&finger_run, text, schemes[i], false);
    }
}

// ---------------------------------------------------------------- the best gain
// A motor with a coil, told a voltage, on an arm that swings.
enum { STEPS = 2000, N_U = 1, MOST_X = 32 };
#define STEP 2e-3
#define PRICE 1e3

typedef struct loop {
    rig r;
    int n, N;  // coordinates and rates; with the voltage
    double A[MOST_X * MOST_X], K[MOST_X], P[MOST_X * MOST_X], Q[MOST_X * MOST_X];
} loop;

static rig swinging_rig(void) {
    return rig_of(
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: arm, length: 0.25, section: {radius: 1.5 mm}, material: "
        "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 5 ms}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, input: "
        "voltage, motor: {spool: 6 mm, gear: 12, viscous: 2e-6, inertia: 4e-6, "
        "torque_constant: 0.02, resistance: 2 ohm, inductance: 5 mH}}]\n"
        "simulation: {model: constant_curvature, solver: {tolerance: 1e-14}}\n",
        NULL, 0);
}

static void design(loop *l) {
    const int pull = 0;
    const double R = PRICE;
    l->r = swinging_rig();
    linearise(&l->r);
    assert_true(td_solve_step_map(l->r.l, STEP) >= 0);
    const td_step_map *map = td_get_step_map(l->r.l);
    l->n = map->n_states, l->N = l->n + 1;
    assert_int_equal(l->n, 2 * td_n_coordinates(l->r.system));
    assert_true(l->N <= MOST_X);
    for (int i = 0; i < l->n; i++) l->Q[i * l->n + i] = i < l->n / 2 ? 1.0 : 1e-4;
    const td_status status = td_design_lqr(l->r.l, &pull, 1, l->Q, &R, l->K, l->P);
    if (status < 0) fprintf(stderr, "%s\n", td_linearisation_message(l->r.l));
    assert_true(status >= 0);
    for (int i = 0; i < l->N; i++)
        for (int j = 0; j < l->N; j++) {
            const double free = i == l->n ? 0.0 : j < l->n ? map->A[i * l->n + j] : map->B0[i];
            l->A[i * l->N + j] = free - (i < l->n ? map->B[i] : 1.0) * l->K[j];
        }
}

// (x, u) after each step from a start nearby, by the controller in the loop.
static void run_loop(loop *l, double *X) {
    const int pull = 0, n = l->n / 2;
    td_error err = {0};
    td_controller_def def = td_default_controller_def();
    def.name = "best", def.kind = TD_CONTROLLER_FEEDBACK;
    def.inputs = &pull, def.n_inputs = 1, def.gain = l->K, def.n_columns = l->N;
    assert_int_equal(td_robot_add_controller(l->r.robot, &def, &err), 0);
    const td_options options = td_robot_options(l->r.robot);
    td_system *system = td_system_create(l->r.robot, &options, &err);
    assert_non_null(system);
    td_state *state = td_state_create(system);
    assert_true(td_begin(system, state) >= 0);
    double q[MOST_X], v[MOST_X] = {0.0};
    td_get_coordinates(system, state, q, NULL);
    for (int i = 0; i < n; i++) q[i] += 1e-8 * (i + 1.0);  // what is not linear is of second order
    assert_true(td_set_coordinates(system, state, q, v) >= 0);
    td_get_coordinates(l->r.system, l->r.state, q, v);
    for (int k = 0; k < STEPS; k++) {
        double *x = X + k * l->N;
        assert_true(td_advance(system, state, STEP) >= 0);
        td_get_coordinates(system, state, x, x + n);
        for (int i = 0; i < n; i++) x[i] -= q[i];
        x[l->n] = td_get_input(system, state, 0);
    }
    td_state_destroy(state);
    td_system_destroy(system);
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void the_best_gain_closes_the_loop_of_a_motor_as_its_matrix_says(void **state) {
    (void)state;
    loop l = {0};
    static double X[STEPS * MOST_X];
    double x[MOST_X], y[MOST_X], predicted = 0.0, cost = 0.0;
    design(&l);
    run_loop(&l, X);
    memcpy(x, X, sizeof x);
    for (int k = 1; k < STEPS; k++) {
        for (int i = 0; i < l.N; i++) {
            y[i] = 0.0;
            for (int j = 0; j < l.N; j++) y[i] += l.A[i * l.N + j] * x[j];
        }
        memcpy(x, y, sizeof x);
        for (int i = 0; i < l.N; i++) y[i] -= X[k * l.N + i];
        CHECK_NEAR(norm(y, l.N) / norm(X, l.N), 0.0, 1e-6);
    }
    assert_true(norm(X + (STEPS - 1) * l.N, l.N) < 1e-4 * norm(X, l.N));
    for (int i = 0; i < l.N; i++)
        for (int j = 0; j < l.N; j++) predicted += X[i] * l.P[i * l.N + j] * X[j];
    for (int k = 0; k + 1 < STEPS; k++) {
        for (int i = 0; i < l.n; i++) cost += l.Q[i * l.n + i] * X[k * l.N + i] * X[k * l.N + i];
        cost += PRICE * X[(k + 1) * l.N + l.n] * X[(k + 1) * l.N + l.n];
    }
    printf("cost %.9g, x'Px %.9g\n", cost, predicted);
    CHECK_NEAR(cost / predicted, 1.0, 1e-6);
    rig_end(&l.r);
}

// ---------------------------------------------------------------- estimation
enum { WATCHED = 200, MOST_N = 24 };

// scale: of all noises.
static rig watched_rig(const char *motor, double scale) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "tendril: 1\n"
        "gravity: [0, 0, 0]\n"
        "rods: [{name: arm, length: 0.25, section: {radius: 1.5 mm}, material: "
        "{youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 2000}, damping: {time: 5 ms}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0], pushes: true, stiffness: 500, %s}]\n"
        "loads: [{name: pushed, at: tip, force: [push, 0, 0]}]\n"
        "sensors:\n"
        "  - {name: encoder, measures: tendon.pull.angle, rate: 500 Hz, noise: %g}\n"
        "  - {name: tacho, measures: tendon.pull.speed, rate: 500 Hz, noise: %g}\n"
        "  - {name: tip, measures: tip.x, rate: 500 Hz, noise: %g}\n"
        "  - {name: torque, measures: tendon.pull.torque, rate: 500 Hz, noise: %g}\n"
        "estimator:\n"
        "  unknowns: [{input: push, deviation: %g N, walk: 1e-4 N/sqrt(s)}]\n"
        "  noise: {rates: 1e-6 rad/s/sqrt(s)}\n"
        "simulation: {model: constant_curvature, solver: {tolerance: 1e-14}}\n",
        motor, 1e-6 * scale, 1e-4 * scale, 1e-7 * scale, 1e-6 * scale, 1e-4 * scale);
    return rig_of(text, (td_output[]){{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.25}}, 1);
}

static const char *const coil =
    "input: voltage, motor: {spool: 6 mm, gear: 12, viscous: 2e-6, inertia: 4e-6, torque_constant: "
    "0.02, resistance: 2 ohm, inductance: 5 mH}";

typedef struct filter {  // Kalman's, of x+ = F x + b u, with what is read
    int n;
    double F[MOST_N * MOST_N], b[MOST_N], Q[MOST_N], H[4 * MOST_N], R[4];
    double x[MOST_N], P[MOST_N * MOST_N];
} filter;

static void predict(filter *f, double u_before, double u, const double *b0) {
    double x[MOST_N] = {0.0}, T[MOST_N * MOST_N];
    const int n = f->n;
    for (int i = 0; i < n; i++) {
        x[i] = f->b[i] * u + b0[i] * u_before;
        for (int j = 0; j < n; j++) x[i] += f->F[i * n + j] * f->x[j];
    }
    memcpy(f->x, x, sizeof x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            T[i * n + j] = 0.0;
            for (int k = 0; k < n; k++) T[i * n + j] += f->F[i * n + k] * f->P[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? f->Q[i] : 0.0;
            for (int k = 0; k < n; k++) sum += T[i * n + k] * f->F[j * n + k];
            f->P[i * n + j] = sum;
        }
}

// Reading by reading, which are independent.
static void update(filter *f, int which, double y) {
    const int n = f->n;
    const double *H = f->H + which * n;
    double PH[MOST_N], s = f->R[which], off = y;
    for (int i = 0; i < n; i++) {
        PH[i] = 0.0;
        for (int j = 0; j < n; j++) PH[i] += f->P[i * n + j] * H[j];
    }
    for (int i = 0; i < n; i++) s += H[i] * PH[i], off -= H[i] * f->x[i];
    for (int i = 0; i < n; i++) {
        f->x[i] += PH[i] / s * off;
        for (int j = 0; j < n; j++) f->P[i * n + j] -= PH[i] * PH[j] / s;
    }
}

static void make_filter(rig *r, const td_estimator *e, filter *f, double *b0) {
    linearise(r);
    assert_true(td_solve_step_map(r->l, STEP) >= 0);
    const td_step_map *map = td_get_step_map(r->l);
    const int n_x = map->n_states, n = n_x + 1, n_u = td_n_inputs(r->system), n_q = n_x / 2;
    const int pull = td_find_input(r->system, "pull"), push = td_find_input(r->system, "push");
    const double noise[4] = {1e-7, 1e-5, 1e-8, 1e-7};
    assert_true(n <= MOST_N && n == td_estimator_n(e));
    *f = (filter){.n = n};
    for (int i = 0; i < n_x; i++) {
        memcpy(f->F + i * n, map->A + i * n_x, sizeof(double) * (size_t)n_x);
        f->F[i * n + n_x] = map->B[i * n_u + push] + map->B0[i * n_u + push];
        f->b[i] = map->B[i * n_u + pull], b0[i] = map->B0[i * n_u + pull];
        if (i >= n_q) f->Q[i] = 1e-12 * STEP;
    }
    f->F[n_x * n + n_x] = 1.0, f->Q[n_x] = 1e-8 * STEP;
    f->H[td_find_coordinate(r->system, "tendon.pull.angle")] = 1.0;
    f->H[n + n_q + td_find_coordinate(r->system, "tendon.pull.angle")] = 1.0;
    const td_linear *of = td_get_linear(r->l);
    const int wide = of->n_coordinates + of->n_multipliers;
    memcpy(f->H + 2 * n, of->C + 3 * wide, sizeof(double) * (size_t)n_q);
    f->H[3 * n + td_find_coordinate(r->system, "tendon.pull.current")] = 0.02;  // torque constant
    for (int i = 0; i < 4; i++) f->R[i] = noise[i] * noise[i];
    memcpy(f->P, td_estimator_covariance(e), sizeof(double) * (size_t)(n * n));
}

// A motor that is told a voltage, and a force that nobody measures: of a robot that hardly moves the estimator is Kalman's
// filter of its linear model.
static void the_estimator_of_a_motor_is_the_filter_of_kalman(void **state) {
    (void)state;
    static filter f;
    static double b0[MOST_N];
    td_error err = {0};
    rig r = watched_rig(coil, 0.1);
    td_estimator *e = td_estimator_create(r.system, &err);
    if (!e) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(e);
    assert_true(td_estimator_begin(e) >= 0);
    make_filter(&r, e, &f, b0);
    const int pull = td_find_input(r.system, "pull"), push = td_find_input(r.system, "push");
    double q0[MOST], q[MOST], v[MOST], before = 0.0, size = 0.0;
    td_get_coordinates(r.system, r.state, q0, NULL);
    const double tip0 = td_get_pose(r.system, r.state, 0, 0.25).p[0];
    for (int k = 1; k <= WATCHED; k++) {
        const double u = 1e-5 * sin(0.1 * k);
        td_set_input(r.system, r.state, pull, u);
        td_set_input(r.system, r.state, push, k > 50 ? 5e-6 : 0.0);
        assert_true(td_step(r.system, r.state, STEP) >= 0);
        const td_drive_state d = td_get_drive(r.system, r.state, 0);
        // readings with something beside the truth
        const double y[4] = {d.angle + 1e-7 * sin(7.0 * k), d.speed + 1e-5 * cos(5.0 * k),
                             td_get_pose(r.system, r.state, 0, 0.25).p[0] + 1e-8 * sin(3.0 * k),
                             d.torque + 1e-7 * sin(11.0 * k)};
        const td_reading readings[4] = {{0, y}, {1, y + 1}, {2, y + 2}, {3, y + 3}};
        assert_int_equal(td_estimator_set_input(e, pull, u), TD_OK);
        assert_true(td_estimator_step(e, STEP) >= 0);
        const td_status status = td_estimator_update(e, readings, 4);
        if (status < 0) fprintf(stderr, "%s\n", td_estimator_message(e));
        assert_true(status >= 0);
        predict(&f, k == 1 ? u : before, u, b0);  // the first begins afresh
        for (int i = 0; i < 4; i++) update(&f, i, i == 2 ? y[2] - tip0 : y[i]);
        before = u;
        size = fmax(size, fabs(td_estimator_get(e, 0, NULL)));
        CHECK_NEAR(td_estimator_get(e, 0, NULL), f.x[f.n - 1], 1e-5 * (size + 1e-7));
    }
    td_get_coordinates(r.system, td_estimator_state(e), q, v);
    const int angle = td_find_coordinate(r.system, "tendon.pull.angle");
    // of angle, current, speed and the force
    const int of[4] = {angle, angle + 1, angle + (f.n - 1) / 2, f.n - 1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int at = of[i] * f.n + of[j];
            const double scale = sqrt(f.P[of[i] * (f.n + 1)] * f.P[of[j] * (f.n + 1)]);
            CHECK_NEAR(td_estimator_covariance(e)[at], f.P[at], 1e-5 * scale);
        }
    CHECK_NEAR(q[angle] - q0[angle], f.x[angle], 1e-5 * fabs(f.x[angle]));
    CHECK_NEAR(f.x[f.n - 1], 5e-6, 2e-6);  // it is found
    td_estimator_destroy(e);
    rig_end(&r);
}

// What sensors of torque, speed and angle read after a step, by its inputs: against steps under others.
static void readings_of_motors_have_slopes(void **state) {
    (void)state;
    rig r = watched_rig("input: voltage, motor: {spool: 6 mm, gear: 12, viscous: 2e-6, inertia: "
                        "4e-6, torque_constant: 0.02, resistance: 2 ohm}",
                        0.1);
    const int n_u = td_n_inputs(r.system);
    void *here = malloc(td_snapshot_bytes(r.system));
    for (int k = 0; k < 5; k++) {
        td_set_input(r.system, r.state, td_find_input(r.system, "pull"), 0.05 * k);
        assert_true(td_step(r.system, r.state, STEP) >= 0);
    }
    td_state_save(r.system, r.state, here, td_snapshot_bytes(r.system));
    for (int s = 0; s < td_n_sensors(r.system); s++) {
        td_output output;
        td_error err = {0};
        double slopes[2], sides[2];
        assert_int_equal(td_sensor_outputs(r.system, s, &output), 1);
        td_linearisation *l = td_linearisation_create(r.system, &output, 1, &err);
        assert_non_null(l);
        td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
        assert_true(td_differentiate_step(r.system, r.state, STEP, l) >= 0);
        assert_int_equal(td_sensor_slopes(r.system, r.state, s, td_get_step_map(l)->D, n_u, slopes),
                         TD_OK);
        for (int k = 0; k < n_u; k++) {
            for (int side = 0; side < 2; side++) {
                td_state_restore(r.system, r.state, here, td_snapshot_bytes(r.system));
                td_set_input(r.system, r.state, k,
                             td_get_input(r.system, r.state, k) + (side ? 1e-3 : -1e-3));
                assert_true(td_step(r.system, r.state, STEP) >= 0);
                td_get_sensor_truth(r.system, r.state, s, &sides[side]);
            }
            assert_true(slopes[k] != 0.0);
            CHECK_NEAR(slopes[k], (sides[1] - sides[0]) / 2e-3, 1e-6 * fabs(slopes[k]) + 1e-12);
        }
        td_linearisation_destroy(l);
    }
    free(here);
    rig_end(&r);
}

static void a_torque_that_holds_at_will_is_no_reading_of_an_estimator(void **state) {
    (void)state;
    td_error err = {0};
    rig r = watched_rig("input: angle, motor: {spool: 6 mm, gear: 12, inertia: 4e-6}", 1.0);
    td_estimator_def def = td_default_estimator_def();
    const char *named[] = {"torque"};
    td_unknown_def unknown = td_default_unknown_def();
    const int push = td_find_input(r.system, "push");
    unknown.inputs[0] = push, unknown.n_inputs = 1, unknown.deviation = 1.0;
    def.unknowns = &unknown, def.n_unknowns = 1, def.sensors = named, def.n_sensors = 1;
    assert_true(td_robot_set_estimator(r.robot, &def, &err) >= 0);
    const td_options options = td_robot_options(r.robot);
    td_system *system = td_system_create(r.robot, &options, &err);
    td_estimator *e = system ? td_estimator_create(system, &err) : NULL;
    assert_null(e);
    assert_non_null(strstr(err.message, "follows accelerations"));
    td_system_destroy(system);
    rig_end(&r);
}

// With friction in its gear, which linear models see as a rotor that stays, equilibria are estimated all the same.
static void at_rest_an_unknown_force_is_found_by_the_encoder(void **state) {
    (void)state;
    td_error err = {0};
    rig r = watched_rig(
        "input: torque, motor: {spool: 6 mm, gear: 12, inertia: 4e-6, friction: 1e-3}", 1e3);
    td_estimator *e = td_estimator_create(r.system, &err);
    assert_non_null(e);
    assert_true(td_estimator_begin(e) >= 0);
    td_set_input(r.system, r.state, td_find_input(r.system, "push"), 0.07);
    assert_true(td_solve_statics(r.system, r.state) >= 0);
    const double y[2] = {td_get_drive(r.system, r.state, 0).angle,
                         td_get_pose(r.system, r.state, 0, 0.25).p[0]};
    assert_true(fabs(y[0]) > 1e-2);
    const td_reading readings[2] = {{0, y}, {2, y + 1}};
    const td_status status = td_estimator_rest(e, readings, 2);
    if (status != TD_OK) fprintf(stderr, "%s\n", td_estimator_message(e));
    assert_int_equal(status, TD_OK);
    double deviation;
    // what was thought before pulls a little towards 0
    const double found = td_estimator_get(e, 0, &deviation);
    CHECK_NEAR(found, 0.07 * (1.0 - deviation * deviation / 1e-2), 1e-6);
    assert_true(deviation < 2e-3);
    td_estimator_destroy(e);
    rig_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coil_makes_a_cubic_of_it),
        cmocka_unit_test(a_valve_fills_a_line_by_its_time_constant),
        cmocka_unit_test(what_friction_holds_is_a_neutral_mode_in_words),
        cmocka_unit_test(a_linear_model_answers_as_steps_do_in_every_model),
        cmocka_unit_test(a_step_in_motion_has_its_derivative_in_every_model),
        cmocka_unit_test(a_step_through_a_valve_has_its_derivative_in_every_model),
        cmocka_unit_test(runs_of_motors_have_gradients_in_every_model),
        cmocka_unit_test(runs_of_every_scheme_have_gradients),
        cmocka_unit_test(the_best_gain_closes_the_loop_of_a_motor_as_its_matrix_says),
        cmocka_unit_test(the_estimator_of_a_motor_is_the_filter_of_kalman),
        cmocka_unit_test(readings_of_motors_have_slopes),
        cmocka_unit_test(a_torque_that_holds_at_will_is_no_reading_of_an_estimator),
        cmocka_unit_test(at_rest_an_unknown_force_is_found_by_the_encoder),
        cmocka_unit_test(a_rotor_on_a_rod_has_its_frequency_in_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
