// Motors and valves in all that differentiates: modes against closed forms, linear models and derivatives of steps against
// steps, gradients of runs against runs, in every model that has motors.
#include "tendril/gradient.h"
#include "tendril/loop.h"

#include <stdlib.h>
#include <string.h>

#include "linear_rig.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- robots
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
            if (!strcmp(arms[model].name, "virtual_power")) continue;  // has no chambers
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
        cmocka_unit_test(a_rotor_on_a_rod_has_its_frequency_in_every_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
