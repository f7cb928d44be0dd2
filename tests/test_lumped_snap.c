// A tendon that does not stretch and snaps taut while its rod falls: nothing is done to the rod, and what
// is gone is dissipated, whatever the step.
#include "math/se3.h"

#include "lumped.h"

static td_robot *falling(double slack) {
    td_error err = {0};
    lumped_rod r = unit_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 2e-2 * r.stiffness[i];
    for (int i = 3; i < 6; i++) r.stiffness[i] = 1e3;
    r.inertia[0] = r.inertia[1] = 1e-3, r.inertia[2] = 2e-3;
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, -2.0, 0.0, 0.0);
    td_tendon_def t = td_default_tendon_def();
    t.name = "string", t.to = 1.0, t.input = TD_DISPLACEMENT;
    t.offset[0] = t.offset_end[0] = 0.1;
    t.value = (td_number){-slack, 1.0, add_input(robot, "pull")};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    return robot;
}

typedef struct ending {
    td_energy e;
    double drift, tip;
} ending;

// After 0.8 s of n steps; pulled at a constant rate, m/s.
static ending fall(const char *model, int n, double rate) {
    td_options o = lumped_options(model, 6, false);
    o.space = TD_COLLOCATION, o.nodes = 10;
    world w = world_make(falling(0.03), &o);
    const td_energy start = td_get_energy(w.system, w.state);
    int turns = 0;
    bool slack = true;
    for (int i = 1; i <= n; i++) {
        td_set_input(w.system, w.state, 0, rate * 0.8 * i / n);
        CHECK_CALL(&w, td_step(w.system, w.state, 0.8 / n));
        const td_tendon_state t = td_get_tendon(w.system, w.state, 0);
        turns += t.slack != slack;
        slack = t.slack;
    }
    assert_int_equal(turns, 1);  // it does not bounce
    const td_energy e = td_get_energy(w.system, w.state);
    const double before = start.kinetic + start.gravity + start.elastic;
    const double now = e.kinetic + e.gravity + e.elastic + e.dissipated - e.work;
    ending out = {e, fabs(now - before), tip_of(&w).p[0]};
    world_free(&w);
    return out;
}

static void a_string_that_holds_does_no_work(void **state) {
    (void)state;
    const ending truth = fall("cosserat", 800, 0.0);
    for (int n = 100; n <= 1600; n *= 4) {
        const ending end = fall("eba", n, 0.0);
        CHECK_NEAR(end.e.work, 0.0, 0.0);
        CHECK_BETWEEN(end.drift, 0.0, 1e-4);
        CHECK_NEAR(end.e.dissipated, truth.e.dissipated, 1.5e-3);  // of 0.032 J, by 6 segments
        CHECK_NEAR(end.tip, truth.tip, 5e-3);
    }
}

static void a_string_that_is_pulled_does_the_work_of_its_drive(void **state) {
    (void)state;
    const ending truth = fall("cosserat", 800, 0.02);
    CHECK_BETWEEN(truth.e.work, 5e-3, 1.0);
    for (int n = 200; n <= 1600; n *= 2) {
        const ending end = fall("eba", n, 0.02);
        CHECK_NEAR(end.e.work, truth.e.work, 0.05 * truth.e.work);  // 6 segments
        CHECK_BETWEEN(end.drift, 0.0, 2e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_that_holds_does_no_work),
        cmocka_unit_test(a_string_that_is_pulled_does_the_work_of_its_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
