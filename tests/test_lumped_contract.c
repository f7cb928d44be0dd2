// Promises of the lumped models to a control loop: no allocation, all or nothing, to the bit; and that
// what actuators give is accounted for.
#include <stdlib.h>

#include "math/se3.h"

#include "allocator.h"
#include "lumped.h"
#include "materials.h"

static const char *const models[] = {"eba", "ebr", "srl"};
enum { PULL, GAS, PRESS, PUSH, GRIP, N_INPUTS };

// The module with a tendon on a spring, a gas, a chamber under pressure, a force and a body that comes
// and goes.
static td_robot *busy_module(void) {
    td_error err = {0};
    lumped_rod r = module_rod();
    for (int i = 0; i < 6; i++) r.damping[i] = 0.002 * r.stiffness[i];
    const double inside[3] = {0.01, -0.004, 1.5};
    td_robot *robot = module_robot(&r, inside);
    static const char *const names[N_INPUTS] = {"pull", "gas", "press", "push", "grip"};
    for (int i = 0; i < N_INPUTS; i++) add_input(robot, names[i]);
    td_tendon_def t = td_default_tendon_def();
    t.name = "tendon", t.to = 0.04, t.offset[0] = t.offset_end[0] = 0.01;
    t.input = TD_DISPLACEMENT, t.stiffness = 50.0, t.value = (td_number){1e-3, 1.0, PULL};
    CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    td_chamber_def gas = td_default_chamber_def();
    gas.name = "gas", gas.to = 0.05, gas.area = 2e-5, gas.offset[0] = -5e-3;
    gas.input = TD_AMOUNT, gas.value = (td_number){4.8e-5, 1.0, GAS};
    CHECK_OK(td_robot_add_chamber(robot, &gas, &err), err);
    td_chamber_def air = td_default_chamber_def();
    air.name = "air", air.to = 0.05, air.area = 2e-5, air.offset[1] = 5e-3;
    air.value = (td_number){0.0, 1.0, PRESS};
    CHECK_OK(td_robot_add_chamber(robot, &air, &err), err);
    td_load_def push = point_load("push", 0.03);
    push.force[0] = (td_number){0.0, 1.0, PUSH};
    add_load(robot, &push);
    td_body_def body = td_default_body_def();
    body.name = "load", body.at = 0.05, body.mass = 5e-3;
    for (int i = 0; i < 3; i++) body.inertia[i] = 1e-6;
    body.attached = (td_number){0.0, 1.0, GRIP};
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    return robot;
}

static td_robot *stretched_module(bool stretched) {
    return stretched ? following_stretch(busy_module(), 1.5) : busy_module();
}

static void drive(const td_system *system, td_state *state, int i) {
    td_set_input(system, state, PULL, 1e-4 * (i % 7));
    td_set_input(system, state, GAS, 1e-6 * (i % 3));
    td_set_input(system, state, PRESS, 1e3 * (i % 5));
    td_set_input(system, state, PUSH, 0.02 * (i % 4));
    td_set_input(system, state, GRIP, i / 5 % 2);
}

static void steps(const td_system *system, td_state *state, int n) {
    for (int i = 0; i < n; i++) {
        drive(system, state, i);
        if (i % 5 == 0) td_restart(system, state);
        assert_true(td_step(system, state, 2e-3) >= 0);
    }
}

// ---------------------------------------------------------------- memory
static void steps_and_solves_allocate_nothing(void **unused) {
    (void)unused;
    for (int k = 0; k < 6; k++) {
        td_robot *robot = stretched_module(k >= 3);
        td_options o = lumped_options(models[k % 3], 4, false);
        td_system *system = td_system_create(robot, &o, NULL);
        size_t bytes = td_state_bytes(system);
        void *memory = malloc(bytes);
        memset(memory, 0xff, bytes);  // what was there before does not matter
        td_state *state = td_state_init(system, memory, bytes), *fresh = td_state_create(system);
        double J[6 * N_INPUTS], C[36], smallest;
        assert_non_null(state);
        long before = allocations;
        assert_true(td_solve_statics(system, state) >= 0);
        steps(system, state, 12);
        assert_true(td_get_jacobian(system, state, 0, 0.023, J) >= 0);
        assert_true(td_get_compliance(system, state, 0, 0.023, 0, 0.05, C) >= 0);
        assert_int_equal(td_get_stability(system, state, &smallest), TD_OK);
        td_energy energy = td_get_energy(system, state);
        td_get_tendon(system, state, 0);
        td_get_chamber(system, state, 1);
        assert_int_equal(allocations, before);
        assert_true(td_solve_statics(system, fresh) >= 0);
        steps(system, fresh, 12);
        td_pose a = td_get_pose(system, state, 0, 0.05), b = td_get_pose(system, fresh, 0, 0.05);
        td_energy again = td_get_energy(system, fresh);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&energy, &again, sizeof energy);
        td_state_destroy(fresh);
        free(memory);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

static void a_lack_of_memory_is_told_and_leaks_nothing(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    td_robot *robot = stretched_module(true);
    for (int model = 0; model < 3; model++) {
        td_options o = lumped_options(models[model], 4, false);
        for (int k = 0;; k++) {
            td_error err = {0};
            long before = live;
            fail_at = allocations + k;
            td_system *system = td_system_create(robot, &o, &err);
            fail_at = -1;
            bool made = system != NULL;
            td_system_destroy(system);
            assert_int_equal(live, before);
            if (made) break;
            assert_int_equal(err.status, TD_ERR_MEMORY);
            assert_true(k < 300);
        }
    }
    td_robot_destroy(robot);
}

// ---------------------------------------------------------------- to the bit
typedef struct outputs {
    td_sample middle, tip;
    td_tendon_state tendon;
    td_chamber_state gas;
    td_energy energy;
} outputs;

static outputs read_all(const td_system *system, const td_state *state) {
    outputs out;
    memset(&out, 0, sizeof out);  // the padding too
    out.middle = td_get_sample(system, state, 0, 0.02);
    out.tip = td_get_sample(system, state, 0, 0.05);
    td_tendon_state t = td_get_tendon(system, state, 0);
    out.tendon.tension = t.tension, out.tendon.end_tension = t.end_tension;
    out.tendon.length = t.length, out.tendon.displacement = t.displacement;
    out.gas = td_get_chamber(system, state, 1);
    out.energy = td_get_energy(system, state);
    return out;
}

static void what_is_restored_is_what_was_saved(void **unused) {
    (void)unused;
    for (int k = 0; k < 6; k++) {
        td_robot *robot = stretched_module(k >= 3);
        td_options o = lumped_options(models[k % 3], 4, false);
        td_system *system = td_system_create(robot, &o, NULL);
        td_state *state = td_state_create(system), *other = td_state_create(system);
        size_t bytes = td_snapshot_bytes(system);
        void *kept = malloc(bytes);
        steps(system, state, 3);
        assert_int_equal(td_state_save(system, state, kept, bytes), TD_OK);
        outputs then = read_all(system, state);
        steps(system, state, 6);
        outputs later = read_all(system, state);
        assert_int_equal(td_state_restore(system, state, kept, bytes), TD_OK);
        outputs now = read_all(system, state);
        assert_memory_equal(&now, &then, sizeof now);
        assert_int_equal(td_state_restore(system, other, kept, bytes), TD_OK);
        now = read_all(system, other);
        assert_memory_equal(&now, &then, sizeof now);
        steps(system, other, 6);
        now = read_all(system, other);
        assert_memory_equal(&now, &later, sizeof now);
        free(kept);
        td_state_destroy(other);
        td_state_destroy(state);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// A force that winds the module up until its segments turn too far, or nothing converges.
static void a_failed_call_never_happened(void **unused) {
    (void)unused;
    for (int k = 0; k < 6; k++) {
        td_robot *robot = stretched_module(k >= 3);
        td_options o = lumped_options(models[k % 3], 4, false);
        td_system *system = td_system_create(robot, &o, NULL);
        td_state *state = td_state_create(system);
        size_t bytes = td_snapshot_bytes(system);
        unsigned char *kept = malloc(bytes), *after = malloc(bytes);
        steps(system, state, 3);
        td_set_input(system, state, PUSH, 1e9);
        td_state_save(system, state, kept, bytes);
        outputs then = read_all(system, state);
        for (int call = 0; call < 2; call++) {
            td_status status =
                call ? td_solve_statics(system, state) : td_step(system, state, 0.05);
            assert_true(status < 0);
            assert_true(strlen(td_message(state)) > 20);
            td_state_save(system, state, after, bytes);
            assert_memory_equal(kept, after, bytes);
            outputs now = read_all(system, state);
            assert_memory_equal(&now, &then, sizeof now);
        }
        free(kept), free(after);
        td_state_destroy(state);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// ---------------------------------------------------------------- energy
// All actuators at work, the material damped: kinetic + stored + dissipated = given, to order 2.
static void what_actuators_give_is_accounted_for(void **unused) {
    (void)unused;
    for (int k = 0; k < 3; k++) {
        double drift[2], given = 0.0;
        for (int half = 0; half < 2; half++) {
            td_options o = lumped_options(models[k], 4, false);
            world w = world_make(busy_module(), &o);
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            const int n = half ? 1000 : 500;
            double start = world_balance(&w);
            drift[half] = 0.0;
            for (int i = 1; i <= n; i++) {
                const double x = (double)i / n, wave = sin(9.0 * x) * sin(9.0 * x);
                td_set_input(w.system, w.state, PULL, 1e-3 * wave);
                td_set_input(w.system, w.state, GAS, 1e-5 * x * x);
                td_set_input(w.system, w.state, PRESS, 2e4 * wave);
                td_set_input(w.system, w.state, PUSH, 0.1 * x * wave);
                CHECK_CALL(&w, td_step(w.system, w.state, 0.1 / n));
                drift[half] = fmax(drift[half], fabs(world_balance(&w) - start));
            }
            given = td_get_energy(w.system, w.state).dissipated;
            world_free(&w);
        }
        CHECK_BETWEEN(given, 1e-4, 1.0);
        CHECK_BETWEEN(drift[1], 0.0, 2e-3 * given);
        CHECK_BETWEEN(drift[0] / drift[1], 3.5, 4.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_solves_allocate_nothing),
        cmocka_unit_test(a_lack_of_memory_is_told_and_leaks_nothing),
        cmocka_unit_test(what_is_restored_is_what_was_saved),
        cmocka_unit_test(a_failed_call_never_happened),
        cmocka_unit_test(what_actuators_give_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
