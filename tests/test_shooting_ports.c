// A rod by shooting as an assembly sees it: its linearised equations with actuators, riding bodies
// and a held tip against differences; the finger of Till 2019, section 5.3, by a small Newton.
#include "rods.h"

#include <string.h>

#include "math/dense.h"
#include "model/cosserat/shooting/shooting.h"
#include "sim/system.h"
#include "spatial.h"

enum { MOST = 32 };  // unknowns

typedef struct instant {
    world w;
    const cosserat *c;
    rod_memory *m;
    rod_problem p;
    td_stats stats;
    int n;  // unknowns
} instant;

static void open_instant(instant *at, td_robot *robot, const td_options *o) {
    *at = (instant){.w = world_make(robot, o)};
    at->c = at->w.system->compiled;
    at->m = &((cosserat_memory *)at->w.state->memory)->rods[0];
    at->n = shooting_unknowns(&at->c->rods[0]);
    assert_true(at->n <= MOST);
}

// Loads, inputs and base at a share of the load.
static void set_scale(instant *at, const double *inputs, const double *rates, double c0,
                      double scale) {
    rod_prepare(&at->c->rods[0], at->m, inputs, scale);
    at->p.r = at->m->r, at->p.options = &at->c->options, at->p.m = at->m, at->p.c0 = c0;
    at->p.gravity = rod_gravity_at(at->c, inputs, scale);
    at->p.base = rod_base_at(at->m->r, 1.0, inputs, rates);
    at->p.stats = &at->stats;
}

// ---------------------------------------------------------------- a rod with everything on it
static const double tip_at = 0.4;

// EI/L^2 about 0.8 N, EA 1 kN, weight about 1 N.
static td_piece_def rubber_piece(void) {
    td_piece_def piece = td_default_piece_def();
    piece.youngs_modulus = 1e6, piece.shear_modulus = 4e5, piece.density = 200.0;
    piece.section.radius = piece.section_end.radius = 0.02;
    return piece;
}

static void add_body(td_robot *robot, const char *name, double at) {
    td_error err = {0};
    td_body_def body = td_default_body_def();
    body.name = name, body.rod = 0, body.at = at;
    body.mass = 0.03;
    body.inertia[0] = 2e-5, body.inertia[1] = 3e-5, body.inertia[2] = 4e-5;
    body.centre[0] = 0.01, body.centre[1] = -0.02, body.centre[2] = 0.015;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
}

static void add_tendon(td_robot *robot, const char *name, td_tendon_input input, double x,
                       double value, double to, double turns) {
    td_error err = {0};
    td_tendon_def t = td_default_tendon_def();
    t.name = name, t.to = to, t.input = input;
    t.routing = turns != 0.0 ? TD_ROUTING_HELIX : TD_ROUTING_STRAIGHT;
    t.radius = x, t.turns = turns, t.phase = 0.3;
    t.offset[0] = x, t.offset[1] = 0.004, t.offset_end[0] = 0.5 * x, t.offset_end[1] = -x;
    t.stiffness = 2e4, t.outside = 0.3, t.compliance = 1e-5;
    t.value = td_constant(value);
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
}

static void add_chamber(td_robot *robot, const char *name, td_chamber_input input, double value) {
    td_error err = {0};
    td_chamber_def chamber = td_default_chamber_def();
    chamber.name = name, chamber.from = 0.05, chamber.to = 0.35;
    chamber.offset[0] = -0.003, chamber.offset[1] = 0.005, chamber.radius = 0.003;
    chamber.input = input, chamber.value = td_constant(value);
    chamber.path_volume = input == TD_VOLUME;
    CHECK_OK(td_robot_add_chamber(robot, &chamber, &err), err);
}

// Two pieces, taper, rest curvature, damping, drag, a base that moves, loads that follow, bodies
// off the axis at an inner point and at the tip, tendons and chambers of every kind of input.
static td_robot *rich_robot(int more_tendons) {
    td_error err = {0};
    td_piece_def pieces[2] = {rubber_piece(), rubber_piece()};
    pieces[0].length = 0.15, pieces[0].section_end.radius = 0.016;
    pieces[0].rest_curvature[1] = 1.3;
    pieces[1].length = 0.25, pieces[1].section.radius = pieces[1].section_end.radius = 0.016;
    pieces[1].rest_curvature[0] = -0.7, pieces[1].rest_curvature[2] = 0.9;
    pieces[1].damping_time = 1e-3;
    for (int i = 0; i < 3; i++) pieces[0].drag[i] = 0.02 * (i + 1), pieces[1].linear_drag[i] = 0.05;
    td_robot *robot = td_robot_create();
    const int turn = add_input(robot, "turn");
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = pieces, def.n_pieces = 2;
    def.base.rotation[1] = (td_number){0.2, 1.0, turn};
    def.base.position[0] = td_constant(0.3), def.base.position[2] = (td_number){-0.2, 0.3, turn};
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    set_gravity(robot, 1.0, -2.0, -9.81);
    td_load_def follow = point_load("follow", 0.22);
    follow.frame = TD_FRAME_BODY;
    set3(follow.force, 0.1, 0.2, -0.05), set3(follow.moment, 0.01, 0.0, 0.02);
    add_load(robot, &follow);
    add_body(robot, "inner", 0.22), add_body(robot, "end", tip_at);
    add_tendon(robot, "pulled", TD_DISPLACEMENT, 0.009, 0.01, tip_at, 0.0);
    add_tendon(robot, "helix", TD_TENSION, 0.008, 2.0, 0.3, 0.8);
    add_chamber(robot, "gas", TD_AMOUNT, 5e-4), add_chamber(robot, "water", TD_VOLUME, 8.6e-6);
    add_chamber(robot, "pressed", TD_PRESSURE, 2e4);
    for (int i = 0; i < more_tendons; i++) {
        char name[16];
        snprintf(name, sizeof name, "more%d", i);
        add_tendon(robot, name, TD_DISPLACEMENT, 0.006 + 0.0005 * i, 0.05, 0.3, 0.1 * (i + 1));
    }
    return robot;
}

static void open_rich(instant *at, td_theory theory, td_integrator integrator, double c0,
                      int more_tendons) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING, o.theory = theory, o.integrator = integrator, o.steps = 40;
    open_instant(at, rich_robot(more_tendons), &o);
    const double input = 0.1, rate = c0 > 0.0 ? 2.0 : 0.0;
    set_scale(at, &input, &rate, c0, 1.0);
    for (int i = 0; i < at->p.r->n_nodes * F_SIZE; i++) {
        const bool stretch = i % F_SIZE >= F_V && i % F_SIZE < F_W;
        const bool rigid_part = theory == TD_KIRCHHOFF && stretch;
        at->m->history[i] = c0 > 0.0 && !rigid_part ? 3.0 * sin(0.37 * i) : 0.0;
    }
    for (int i = 0; i < 6 * at->p.r->n_elements; i++)
        at->m->end_history[i] = c0 > 0.0 ? 4.0 * cos(0.61 * i) : 0.0;
    at->p.tip = (wrench){{0.05, -0.1, 0.02}, {0.004, 0.01, -0.006}};
}

// A base wrench, tensions and pressures of a size that bends the rod.
static void some_unknowns(const instant *at, double *x, double *scale) {
    static const double G[6] = {0.21, -0.12, 0.3, 0.06, -0.09, 0.03};
    for (int i = 0; i < 6; i++) x[i] = G[i], scale[i] = i < 3 ? 1.0 : 0.3;
    for (int k = 0; k < at->p.r->n_actuators; k++) {
        const rod_actuator *ra = &at->p.r->actuators[k];
        if (!ra->n_efforts) continue;
        const bool tendon = ra->a->kind == &tendon_kind;
        x[6 + ra->effort] = tendon ? 1.5 - 0.1 * k : 1e4;
        scale[6 + ra->effort] = tendon ? 3.0 : 1e5;
    }
}

// Pose and velocity of the tip of the shape last shot.
static se3 tip_pose(const instant *at, vec6 *spatial) {
    const double *y = at->m->trial_bounds + at->p.r->n_elements * Y_SIZE;
    se3 T = {quat_to_mat3(quat_load(y + Y_H)), vec3_load(y + Y_P)};
    *spatial = se3_adjoint_vec(&T, (vec6){vec3_load(y + Y_W), vec3_load(y + Y_Q)});
    return T;
}

// The spatial motion from a to b, 12 numbers: z from the motion at the tip, and the change of a.
static void spatial_motion(const se3 *Ta, const se3 *Tb, vec6 a, vec6 b, double step, vec3 middle,
                           double out[12]) {
    double moved[6];
    motion_between(Ta, Tb, step, moved);
    vec3 th = vec3_load(moved);
    vec6_store(out, vec6_make(th, vec3_add(vec3_load(moved + 3), vec3_cross(middle, th))));
    vec6_store(out + 6, vec6_scale(vec6_sub(b, a), 1.0 / step));
}

static double largest_of(const double *a, int n) {
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

static void check_matrix(instant *at) {
    const int n = at->n;
    double x[MOST], scale[MOST], r[MOST], J[MOST * MOST], motion[12 * MOST];
    some_unknowns(at, x, scale);
    shooting s = shooting_of(&at->p);
    s.tip_motion = motion;
    assert_true(shoot(&s, x, r, J));
    vec6 a0;
    const vec3 middle = tip_pose(at, &a0).p;
    double again[MOST];
    assert_true(shoot(&s, x, again, NULL));
    assert_memory_equal(r, again, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        const double step = 1e-5 * scale[k];
        double plus[MOST], minus[MOST], moved[12], keep = x[k];
        vec6 a, b;
        x[k] = keep - step;
        assert_true(shoot(&s, x, minus, NULL));
        se3 Ta = tip_pose(at, &a);
        x[k] = keep + step;
        assert_true(shoot(&s, x, plus, NULL));
        se3 Tb = tip_pose(at, &b);
        x[k] = keep;
        spatial_motion(&Ta, &Tb, a, b, 2.0 * step, middle, moved);
        for (int i = 0; i < n; i++) {  // each row by its own size over unknowns of usual size
            double row = 0.0;
            for (int j = 0; j < n; j++) row = fmax(row, fabs(J[n * i + j]) * scale[j]);
            CHECK_NEAR(J[n * i + k] * scale[k], (plus[i] - minus[i]) / (2.0 * step) * scale[k],
                       1e-7 * row);
        }
        for (int i = 0; i < 12; i++)
            CHECK_NEAR(motion[n * i + k] * scale[k], moved[i] * scale[k],
                       1e-7 * largest_of(motion + n * (i / 6 * 6), 6 * n));
    }
}

static void the_matrix_and_the_motion_of_the_tip_match_central_differences(void **unused) {
    (void)unused;
    for (int i = 0; i < 8; i++) {
        instant at;
        open_rich(&at, (td_theory)(i & 1), (td_integrator)(i >> 1 & 1), i & 4 ? 100.0 : 0.0, 0);
        assert_int_equal(at.n, 9);
        check_matrix(&at);
        world_free(&at.w);
    }
}

// More columns than are carried in one shot.
static void many_unknown_efforts_take_several_shots(void **unused) {
    (void)unused;
    instant at;
    open_rich(&at, TD_COSSERAT, TD_RK4, 100.0, 8);
    assert_int_equal(at.n, 17);
    check_matrix(&at);
    world_free(&at.w);
}

// ---------------------------------------------------------------- answers
// Newton through the ports alone.
static int solve_by_ports(instant *at, double *x) {
    const scheme_ports *ports = at->c->scheme->ports;
    double r[MOST], step[MOST];
    for (int i = 0; i < 30; i++) {
        assert_true(ports->evaluate(&at->p, x, r));
        int negative = 0;
        assert_true(ports->factor(&at->p, true, &negative));
        assert_int_equal(negative, -1);
        ports->respond(&at->p, 1, r, NULL, NULL, step, NULL, NULL);
        for (int k = 0; k < at->n; k++) x[k] += step[k];
        if (ports->size(at->p.r, step) < 1e-12) return i + 1;
    }
    return -1;
}

// At an equilibrium, a small wrench more at the tip: the answer foretells the next equilibrium.
static void answers_foretell_what_a_wrench_at_the_tip_does(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        instant at;
        open_rich(&at, (td_theory)i, TD_RK4, 0.0, 0);
        const scheme_ports *ports = at.c->scheme->ports;
        const double input = 0.1;
        double x[MOST] = {0.0}, X[MOST], tip[12], base[6], size = 1e-3;
        const wrench held = at.p.tip;
        for (int k = 1; k <= 20; k++) {
            set_scale(&at, &input, NULL, 0.0, 0.05 * k);
            at.p.tip.force = vec3_scale(held.force, 0.05 * k);
            at.p.tip.moment = vec3_scale(held.moment, 0.05 * k);
            assert_true(solve_by_ports(&at, x) > 0);
        }
        vec6 rest;
        const se3 T = tip_pose(&at, &rest);
        const wrench more = {{0.3, -0.2, 0.5}, {0.02, 0.05, -0.03}};
        double spatial[6];
        const vec3 about_origin = vec3_add(more.moment, vec3_cross(T.p, more.force));
        vec6_store(spatial, vec6_make(about_origin, more.force));
        ports->respond(&at.p, 1, NULL, spatial, NULL, X, tip, base);
        double ends[2][MOST], moved[12];
        se3 poses[2];
        for (int k = 0; k < 2; k++) {
            const double part = k ? size : -size;
            memcpy(ends[k], x, sizeof x);
            at.p.tip = (wrench){vec3_madd(held.force, part, more.force),
                                vec3_madd(held.moment, part, more.moment)};
            assert_true(solve_by_ports(&at, ends[k]) > 0);
            poses[k] = tip_pose(&at, &rest);
        }
        spatial_motion(&poses[0], &poses[1], rest, rest, 2.0 * size, T.p, moved);
        for (int k = 0; k < 6; k++) CHECK_NEAR(tip[k], moved[k], 1e-6 * largest_of(moved, 6));
        for (int k = 6; k < 12; k++) assert_true(tip[k] == 0.0);
        vec3 dn = vec3_make(X[0], X[1], X[2]), dm = vec3_make(X[3], X[4], X[5]);
        double at_origin[6];
        vec6_store(at_origin, vec6_make(vec3_add(dm, vec3_cross(at.p.base.p, dn)), dn));
        for (int k = 0; k < 6; k++) CHECK_NEAR(base[k], at_origin[k], 1e-15 * largest_of(base, 6));
        for (int k = 0; k < at.n; k++)
            CHECK_NEAR(X[k], (ends[1][k] - ends[0][k]) / (2.0 * size),
                       1e-5 * (k < 6 ? largest_of(X, 6) : fabs(X[k])));
        world_free(&at.w);
    }
}

// ---------------------------------------------------------------- the finger
// Free and without weight it takes constant strains, which any step integrates exactly:
//     EA (v - 1) = P A,   EI u = P A r,   volume = A L (v + u r) = V0 (1 + b P)
static const double E = 20e3, section = 0.0006872233929727672, I = 3.7710507128930377e-08;
static const double area = 1.9634954084936207e-05, arm = 0.010285714285714285, finger_length = 0.1;
static const double gas_energy = 8.31446261815324 * 293.15, atmosphere = 101325.0;

static td_robot *finger_robot(td_chamber_input input, double value) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = finger_length;
    piece.youngs_modulus = E, piece.shear_modulus = E / 3.0, piece.density = 100.0;
    piece.section.shape = TD_SECTION_GENERAL, piece.section.area = section;
    piece.section.ixx = 3.97301024062381e-08, piece.section.iyy = I;
    piece.section.torsion = piece.section.polar = 7.744060953516848e-08;
    piece.section_end = piece.section;
    td_robot *robot = rod_robot(&piece, 1);
    td_chamber_def chamber = td_default_chamber_def();
    chamber.name = "chamber", chamber.to = finger_length;
    chamber.offset[0] = -arm, chamber.area = area;
    chamber.input = input, chamber.value = td_constant(value);
    chamber.temperature = 293.15, chamber.atmosphere = atmosphere;
    chamber.path_volume = true;
    CHECK_OK(td_robot_add_chamber(robot, &chamber, &err), err);
    return robot;
}

static double pressure_of(td_chamber_input input, double value) {
    const double b = area / (E * section) + area * arm * arm / (E * I), V0 = area * finger_length;
    if (input == TD_VOLUME) return (value / V0 - 1.0) / b;
    // (P + atmosphere) V0 (1 + b P) = n R T
    const double half = 0.5 * (1.0 / b + atmosphere);
    return sqrt(half * half - (atmosphere - value * gas_energy / V0) / b) - half;
}

static void check_finger(td_chamber_input input, double value) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING, o.steps = 100;
    instant at;
    open_instant(&at, finger_robot(input, value), &o);
    double x[MOST] = {0.0}, tip[3];
    for (int k = 1; k <= 4; k++) {
        set_scale(&at, NULL, NULL, 0.0, 0.25 * k);
        CHECK_BETWEEN(solve_by_ports(&at, x), 1, 12);
    }
    const double P = pressure_of(input, value);
    const double u = P * area * arm / (E * I), v = 1.0 + P * area / (E * section);
    CHECK_NEAR(x[6], P, 1e-11 * P);
    assert_true(at.m->trial_efforts[0] == at.m->trial_tensions[3]);
    CHECK_NEAR(at.m->trial_efforts[0], P, 1e-11 * P);
    vec6 rest;
    vec3_store(tip, tip_pose(&at, &rest).p);
    CHECK_NEAR(tip[0], v * (1.0 - cos(u * finger_length)) / u, 1e-9);
    CHECK_NEAR(tip[1], 0.0, 1e-14);
    CHECK_NEAR(tip[2], v * sin(u * finger_length) / u, 1e-9);
    world_free(&at.w);
}

static void a_finger_finds_the_pressure_of_its_gas_or_water(void **unused) {
    (void)unused;
    check_finger(TD_AMOUNT, 2e-4);
    check_finger(TD_VOLUME, 2.65e-6);
}

// ---------------------------------------------------------------- what shooting cannot do
static void check_refused(td_robot *robot, const char *where) {
    td_options o = td_default_options();
    o.space = TD_SHOOTING;
    td_error err = {0};
    assert_null(td_system_create(robot, &o, &err));
    assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
    assert_string_equal(err.where, where);
    assert_non_null(strstr(err.message, "collocation"));
    o.space = TD_COLLOCATION;
    td_system *system = td_system_create(robot, &o, &err);
    assert_non_null(system);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void friction_and_bases_that_move_along_are_left_to_collocation(void **unused) {
    (void)unused;
    td_error err = {0};
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = "dry", tendon.to = 0.4, tendon.offset[0] = tendon.offset_end[0] = 0.01;
    tendon.friction = 0.1;
    CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
    check_refused(robot, "tendons.dry.friction");

    robot = td_robot_create();
    td_rod_def def = td_default_rod_def();
    def.name = "swing", def.pieces = &piece, def.n_pieces = 1;
    def.base.joint = TD_BALL;
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    check_refused(robot, "rods.swing.base.joint");

    robot = rod_robot(&piece, 1);
    td_body_def plate = td_default_body_def();
    plate.name = "plate", plate.rod = -1, plate.mass = 0.1, plate.position[2] = 0.4;
    const int body = td_robot_add_body(robot, &plate, &err);
    CHECK_OK(body, err);
    def.name = "holder", def.base.joint = TD_CLAMP, def.tip.held = true, def.tip.body = body;
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    def = td_default_rod_def();
    def.name = "upper", def.pieces = &piece, def.n_pieces = 1, def.base.body = body;
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    check_refused(robot, "rods.upper.base.body");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_and_the_motion_of_the_tip_match_central_differences),
        cmocka_unit_test(many_unknown_efforts_take_several_shots),
        cmocka_unit_test(answers_foretell_what_a_wrench_at_the_tip_does),
        cmocka_unit_test(a_finger_finds_the_pressure_of_its_gas_or_water),
        cmocka_unit_test(friction_and_bases_that_move_along_are_left_to_collocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
