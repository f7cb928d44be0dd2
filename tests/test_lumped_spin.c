// Fast rotation at long steps: what turns steadily is exact whatever the step, and what is spun up
// lags as it should. Truth: closed forms of steady rotation, other coordinates at fine steps.
#include "math/pi.h"
#include "math/se3.h"

#include "lumped.h"

// The spin-up manoeuvre of Simo and Vu-Quoc (1986): a beam of 10 m is turned up to 6 rad/s in 15 s.
#define LENGTH 10.0
#define MASS 1.2  // kg/m
#define AXIAL 2.8e7
#define RATE 6.0  // rad/s
#define UP 15.0   // s

static double angle_at(double t) {
    const double a = UP / (2.0 * PI);
    if (t >= UP) return RATE * (t - 0.5 * UP);
    return RATE / UP * (0.5 * t * t + a * a * (cos(t / a) - 1.0));
}

static double rate_at(double t) {
    const double a = UP / (2.0 * PI);
    return t >= UP ? RATE : RATE / UP * (t - a * sin(t / a));
}

static lumped_rod long_beam(void) {
    return (lumped_rod){.length = LENGTH,
                        .stiffness = {1.4e4, 1.4e4, 1e4, 1e7, 1e7, AXIAL},
                        .mass = MASS,
                        .inertia = {6e-4, 6e-4, 1.2e-3},
                        .stretch = {0.0, 0.0, 1.0}};
}

typedef enum tip_body { NO_BODY, RIDES, HOLDS_THE_TIP } tip_body;

static void add_body(td_robot *robot, tip_body kind, double at) {
    td_error err = {0};
    td_body_def body = td_default_body_def();
    body.name = "weight", body.mass = 3.0;
    for (int i = 0; i < 3; i++) body.inertia[i] = 0.1 + 0.1 * i;
    body.centre[0] = 0.05, body.centre[2] = 0.1;
    if (kind == RIDES) body.at = at;
    else body.rod = -1, body.position[2] = at;
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
}

// Input 0 turns the base about an axis of the world.
static td_robot *turned_beam(const lumped_rod *r, const double axis[3], tip_body kind) {
    td_error err = {0};
    td_piece_def piece = lumped_piece(r);
    td_robot *robot = td_robot_create();
    set_gravity(robot, 0.0, 0.0, 0.0);
    const int input = add_input(robot, "turn");
    if (kind == HOLDS_THE_TIP) add_body(robot, kind, r->length);
    td_rod_def rod = td_default_rod_def();
    rod.name = "beam", rod.pieces = &piece, rod.n_pieces = 1;
    rod.tip.held = kind == HOLDS_THE_TIP;
    if (rod.tip.held) rod.tip.body = 0;
    for (int i = 0; i < 3; i++) rod.base.rotation[i] = (td_number){0.0, axis[i], input};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    if (kind == RIDES) add_body(robot, kind, r->length);
    return robot;
}

static const double across[3] = {1.0, 0.0, 0.0}, own[3] = {0.0, 0.0, 1.0};

// To time t, where the base has turned by `angle` at the rate `rate`.
static void turn_to(world *w, double angle, double rate, double h) {
    td_set_input(w->system, w->state, 0, angle);
    td_set_input_rate(w->system, w->state, 0, rate);
    CHECK_CALL(w, td_step(w->system, w->state, h));
}

// Of the tip, in the frame that turns with the base.
static vec3 seen_from_base(const world *w, double angle) {
    return quat_rotate(quat_exp((vec3){-angle, 0.0, 0.0}), vec3_load(tip_of(w).p));
}

typedef struct spin_up {
    double lag;    // m, the most
    double drift;  // J, of the balance of energy, the most
    vec3 tip;      // at the end, seen from the base
    double kinetic;
} spin_up;

static spin_up spin(const char *model, tip_body kind, double h, double end) {
    td_options o = lumped_options(model, 10, false);
    o.nodes = 12, o.scheme = TD_SDIRK2;
    const lumped_rod r = long_beam();
    world w = world_make(turned_beam(&r, across, kind), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    spin_up out = {.lag = 0.0};
    for (int i = 1; i <= (int)lround(end / h); i++) {
        turn_to(&w, angle_at(i * h), rate_at(i * h), h);
        out.tip = seen_from_base(&w, angle_at(i * h));
        out.lag = fmax(out.lag, fabs(out.tip.y));
        out.drift = fmax(out.drift, fabs(world_balance(&w)));
    }
    out.kinetic = td_get_energy(w.system, w.state).kinetic;
    world_free(&w);
    return out;
}

static void a_beam_that_is_spun_up_lags_as_it_should(void **state) {
    (void)state;
    const spin_up coarse = spin("eba", NO_BODY, 0.02, 20.0),
                  fine = spin("ebr", NO_BODY, 0.005, 20.0);
    const spin_up other = spin("cosserat", NO_BODY, 0.01, 20.0);
    CHECK_NEAR(coarse.lag, fine.lag, 1e-3 * fine.lag);
    CHECK_NEAR(coarse.lag, other.lag, 1e-2 * other.lag);
    CHECK_NEAR(other.lag, 0.574, 2e-3);
    CHECK_BETWEEN(coarse.drift, 0.0, 2e-5 * coarse.kinetic);
    // a bar that turns steadily is longer by m w^2 L^3/(3 EA); lumps at its nodes: 1 + 1/(2 n^2)
    const double longer =
        MASS * RATE * RATE * pow(LENGTH, 3.0) / (3.0 * AXIAL) * (1.0 + 0.5 / 100.0);
    CHECK_NEAR(coarse.tip.z - LENGTH, longer, 3e-3 * longer);
    CHECK_NEAR(fine.tip.z - LENGTH, longer, 3e-3 * longer);
}

static void a_body_at_the_tip_lags_the_same_in_other_coordinates(void **state) {
    (void)state;
    const spin_up fine = spin("ebr", RIDES, 0.005, 16.0);
    for (int k = 0; k < 2; k++) {
        const spin_up coarse = spin("eba", k ? HOLDS_THE_TIP : RIDES, 0.02, 16.0);
        CHECK_NEAR(coarse.lag, fine.lag, 5e-3 * fine.lag);
        CHECK_BETWEEN(coarse.drift, 0.0, 1e-4 * coarse.kinetic);
    }
}

static void a_spin_up_is_of_order_2(void **state) {
    (void)state;
    const double h[3] = {0.04, 0.02, 0.01};
    spin_up s[3];
    for (int k = 0; k < 3; k++) s[k] = spin("eba", NO_BODY, h[k], 8.0);
    const double coarse = vec3_norm(vec3_sub(s[0].tip, s[1].tip));
    CHECK_BETWEEN(coarse / vec3_norm(vec3_sub(s[1].tip, s[2].tip)), 3.5, 4.8);
    CHECK_BETWEEN(s[0].drift / s[1].drift, 3.5, 30.0);
}

// A short beam with damping, which comes to rest in the frame of its base, then steps of 3 rad.
static void steps_of_3_rad_do_not_change_a_steady_rotation(void **state) {
    (void)state;
    static const char *const models[] = {"eba", "ebr"};
    const double tilted[3] = {0.6, 0.0, 0.8}, *const axes[2] = {across, tilted};
    for (int k = 0; k < 4; k++) {
        lumped_rod r = unit_rod();
        for (int i = 0; i < 6; i++) r.damping[i] = 0.05 * r.stiffness[i];
        td_options o = lumped_options(models[k % 2], 5, false);
        world w = world_make(turned_beam(&r, axes[k / 2], NO_BODY), &o);
        const double rate = 2.0, h = 3.0 / rate;
        double angle = 0.0;
        for (int i = 1; i <= 600; i++) {  // smoothly from rest in 3 s, then on
            const double x = fmin(1.0, i / 300.0), now = rate * x * x * (3.0 - 2.0 * x);
            angle = i <= 300 ? rate * 3.0 * x * x * x * (1.0 - 0.5 * x) : angle + rate * 0.01;
            turn_to(&w, angle, now, 0.01);
        }
        for (int i = 0; i < 1000; i++) turn_to(&w, angle += 0.1 * rate, rate, 0.1);
        const td_energy before = td_get_energy(w.system, w.state);
        const td_pose start = tip_of(&w);
        for (int i = 0; i < 20; i++) turn_to(&w, angle += 3.0, rate, h);
        const td_energy after = td_get_energy(w.system, w.state);
        CHECK_NEAR(after.kinetic, before.kinetic, 1e-7 * before.kinetic);
        CHECK_NEAR(after.elastic, before.elastic, 1e-6 * before.elastic);
        vec3 axis = vec3_load(axes[k / 2]);
        vec3 there = quat_rotate(quat_exp(vec3_scale(axis, 60.0)), vec3_load(start.p));
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(tip_of(&w).p[i], ((double[3]){there.x, there.y, there.z})[i], 1e-7);
        world_free(&w);
    }
}

// A round shaft that sags keeps its shape when it turns about its own axis.
static void a_shaft_turns_in_its_own_sag(void **state) {
    (void)state;
    td_error err = {0};
    lumped_rod r = unit_rod();
    td_options o = lumped_options("eba", 8, false);
    td_robot *robot = turned_beam(&r, own, NO_BODY);
    td_number g[3] = {td_constant(0.0), td_constant(-1.0), td_constant(0.0)};
    CHECK_OK(td_robot_set_gravity(robot, g, &err), err);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_pose still = tip_of(&w);
    CHECK_BETWEEN(still.p[1], -0.2, -0.1);
    const double rate = 150.0, h = 0.02;  // 3 rad a step
    double angle = 0.0;
    for (int i = 1; i <= 4000; i++) {
        const double x = i / 4000.0;
        angle = rate * 4.0 * x * x * x * (1.0 - 0.5 * x);
        turn_to(&w, angle, rate * x * x * (3.0 - 2.0 * x), 0.001);
    }
    const double start = world_balance(&w), spun = td_get_energy(w.system, w.state).kinetic;
    CHECK_NEAR(spun, 0.5 * r.inertia[2] * rate * rate, 1e-3 * spun);
    for (int i = 1; i <= 100; i++) turn_to(&w, angle += 3.0, rate, h);
    CHECK_NEAR(td_get_energy(w.system, w.state).kinetic, spun, 1e-3 * spun);
    CHECK_NEAR(world_balance(&w), start, 1e-3 * spun);
    for (int i = 0; i < 3; i++) CHECK_NEAR(tip_of(&w).p[i], still.p[i], 1e-4);
    world_free(&w);
}

// A shaft that turns steadily about its own axis and falls when its weight comes at once; where its tip
// is after 1 s.
static vec3 fall_while_turning(double rate, double h) {
    td_error err = {0};
    const lumped_rod r = unit_rod();
    td_options o = lumped_options("eba", 5, false);
    td_robot *robot = turned_beam(&r, own, NO_BODY);
    const int weight = add_input(robot, "weight");
    td_number g[3] = {td_constant(0.0), {0.0, -1.0, weight}, td_constant(0.0)};
    CHECK_OK(td_robot_set_gravity(robot, g, &err), err);
    world w = world_make(robot, &o);
    double angle = 0.0;
    for (int i = 1; i <= 1000; i++) {
        const double x = i / 1000.0;
        angle = rate * x * x * x * (1.0 - 0.5 * x);
        turn_to(&w, angle, rate * x * x * (3.0 - 2.0 * x), 0.001);
    }
    td_set_input(w.system, w.state, weight, 1.0);
    td_restart(w.system, w.state);
    for (int i = 1; i <= (int)lround(1.0 / h); i++) turn_to(&w, angle + rate * h * i, rate, h);
    const vec3 tip = vec3_load(tip_of(&w).p);
    world_free(&w);
    return tip;
}

// What turns hardly matters to what falls, as its moment of inertia is small.
static void a_shaft_that_turns_falls_like_one_that_does_not(void **state) {
    (void)state;
    const double rate = 10.0;  // 0.1, 0.05 and 0.025 rad a step
    const vec3 still = fall_while_turning(0.0, 0.0025);
    vec3 tip[3];
    for (int k = 0; k < 3; k++) tip[k] = fall_while_turning(rate, 0.01 / (1 << k));
    const double coarse = vec3_norm(vec3_sub(tip[0], tip[1]));
    CHECK_BETWEEN(still.y, -0.25, -0.1);
    CHECK_NEAR(vec3_norm(vec3_sub(tip[0], still)), 0.0, 0.02 * fabs(still.y));
    CHECK_BETWEEN(coarse / vec3_norm(vec3_sub(tip[1], tip[2])), 3.5, 4.8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_that_is_spun_up_lags_as_it_should),
        cmocka_unit_test(a_body_at_the_tip_lags_the_same_in_other_coordinates),
        cmocka_unit_test(a_spin_up_is_of_order_2),
        cmocka_unit_test(steps_of_3_rad_do_not_change_a_steady_rotation),
        cmocka_unit_test(a_shaft_turns_in_its_own_sag),
        cmocka_unit_test(a_shaft_that_turns_falls_like_one_that_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
