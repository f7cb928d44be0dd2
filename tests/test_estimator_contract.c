// Estimators in a control loop: no allocation, transactions, snapshots, in every model that has what they need; what is refused, and files.
#include "tendril/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "not_compiled.h"
#include "scene.h"

static const char *const arm =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.2, section: {radius: 2 mm}, material: {youngs_modulus: 0.1 GPa, "
    "poisson_ratio: 0.3, density: 1000}, damping: {time: 4 ms}}\n"
    "tendons: [{name: east, offset: [5 mm, 0]}, {name: north, offset: [0, 5 mm]}]\n"
    "loads: [{name: tip, at: tip, force: [load, 0, 0]}]\n"
    "sensors:\n"
    "  - {name: camera, measures: tip.position, rate: 100 Hz, noise: 0.2 mm}\n"
    "  - {name: late, measures: tip.position, rate: 100 Hz, delay: 7 ms, noise: 0.2 mm}\n"
    "  - {name: imu, measures: tip.accelerometer, density: 1e-2, rate: 500 Hz}\n"
    "  - {name: gyro, measures: tip.gyro, noise: 0.01}\n"
    "  - {name: pull, measures: tendon.north.tension, noise: 0.05}\n"
    "  - {name: exact, measures: tip.x}\n"
    "estimator:\n"
    "  unknowns: [{input: load, deviation: 20 mN, walk: 50 mN/sqrt(s)}, {input: north, mean: 0.4 "
    "N, "
    "deviation: 0.2 N, walk: 0.1}]\n"
    "  noise: {coordinates: 1e-3, rates: 0.1}\n"
    "inputs: {east: \"0.5 + 0.2*sin(9*t)\", north: 0.5 N, load: \"0.02*step(t - 0.05)\"}\n"
    "simulation: {time: {scheme: sdirk2}, space: {nodes: 3}, lumped: {segments: 4}}\n";

typedef struct rig {
    td_robot *robot;
    td_system *system;
    td_state *state;
    td_estimator *e;
    td_error err;
} rig;

static bool rig_open(rig *r, const char *set) {
    const scene s = scene_of(arm, &set, set != NULL);
    *r = (rig){.robot = s.robot, .system = s.system, .state = s.state};
    r->e = td_estimator_create(r->system, &r->err);
    return r->e;
}

static void rig_end(rig *r) {
    td_estimator_destroy(r->e);
    td_state_destroy(r->state);
    td_system_destroy(r->system);
    td_robot_destroy(r->robot);
}

static void follow(rig *r, int steps) {
    for (int k = 0; k < steps; k++) {
        assert_true(td_advance(r->system, r->state, 2e-3) >= 0);
        const td_status status = td_estimator_follow(r->e, r->state);
        if (status < 0) fprintf(stderr, "%s\n", td_estimator_message(r->e));
        assert_true(status >= 0);
    }
}

static void begin(rig *r) {
    assert_true(td_begin(r->system, r->state) >= 0);
    const td_status status = td_estimator_begin(r->e);
    if (status < 0) fprintf(stderr, "%s\n", td_estimator_message(r->e));
    assert_true(status >= 0);
}

static void nothing_allocates_after_creation(void **unused) {
    (void)unused;
    rig r;
    assert_true(rig_open(&r, NULL));
    const int camera = td_find_sensor(r.system, "camera"), late = td_find_sensor(r.system, "late");
    assert_true(td_estimator_uses(r.e, camera) && td_estimator_uses(r.e, late));
    const td_output seen[2] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
                               {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.2}};
    td_linearisation *l = td_linearisation_create(r.system, seen, 2, &r.err);
    double covariance[12 * 12];
    const long before = allocations;
    begin(&r);
    follow(&r, 60);
    assert_int_equal(td_estimator_get_outputs(r.e, l, covariance), TD_OK);
    double y[3], sure[3];
    assert_int_equal(td_estimator_get_sensor(r.e, late, y, sure), TD_OK);
    td_get_sensor(r.system, r.state, camera, y, NULL);
    assert_true(td_estimator_rest(r.e, &(td_reading){camera, y}, 1) >= 0);
    assert_int_equal(allocations, before);
    // a camera at the tip says the same of it
    assert_true(td_estimator_get_sensor(r.e, camera, NULL, sure) >= 0);
    assert_int_equal(td_estimator_get_outputs(r.e, l, covariance), TD_OK);
    for (int k = 0; k < 3; k++) CHECK_NEAR(sqrt(covariance[13 * (3 + k)]), sure[k], 1e-9 * sure[k]);
    td_linearisation_destroy(l);
    rig_end(&r);
}

static void a_snapshot_goes_on_to_the_bit(void **unused) {
    (void)unused;
    rig r, other;
    assert_true(rig_open(&r, NULL) && rig_open(&other, NULL));
    begin(&r);
    follow(&r, 20);
    const size_t bytes = td_estimator_bytes(r.e), whole = td_snapshot_bytes(r.system);
    char *a = malloc(bytes), *b = malloc(bytes), *c = malloc(whole);
    assert_int_equal(td_estimator_save(r.e, a, bytes - 1), TD_ERR_MEMORY);
    assert_int_equal(td_estimator_save(r.e, a, bytes), TD_OK);
    td_state_save(r.system, r.state, c, whole);
    follow(&r, 20);
    assert_int_equal(td_estimator_restore(other.e, a, bytes), TD_OK);
    assert_int_equal(td_state_restore(other.system, other.state, c, whole), TD_OK);
    follow(&other, 20);
    td_estimator_save(r.e, a, bytes);
    td_estimator_save(other.e, b, bytes);
    assert_memory_equal(a, b, bytes);
    a[bytes - 40] ^= 1;
    assert_int_equal(td_estimator_restore(other.e, a, bytes), TD_ERR_VALUE);
    td_estimator_save(other.e, a, bytes);
    assert_memory_equal(a, b, bytes);
    free(a), free(b), free(c);
    rig_end(&r), rig_end(&other);
}

// Whatever fails leaves the estimate to the bit.
static void what_fails_leaves_the_estimate(void **unused) {
    (void)unused;
    rig r;
    assert_true(rig_open(&r, NULL));
    begin(&r);
    follow(&r, 20);
    const size_t bytes = td_estimator_bytes(r.e);
    char *a = malloc(bytes), *b = malloc(bytes);
    const int camera = td_find_sensor(r.system, "camera");
    const double far[3] = {1e200, 0.0, -1e200}, endless[3] = {HUGE_VAL, 0.0, 0.0}, near[3] = {0};
    const td_reading twice[2] = {{camera, near}, {camera, near}};
    td_estimator_save(r.e, a, bytes);
    assert_true(td_estimator_step(r.e, -1.0) < 0);
    assert_true(td_estimator_step(r.e, (double)NAN) < 0);
    assert_true(td_estimator_update(r.e, &(td_reading){camera, far}, 1) < 0);
    assert_true(strlen(td_estimator_message(r.e)) > 10);
    assert_true(td_estimator_rest(r.e, &(td_reading){camera, far}, 1) < 0);
    assert_int_equal(td_estimator_update(r.e, &(td_reading){camera, endless}, 1),
                     TD_ERR_NOT_FINITE);
    assert_int_equal(td_estimator_update(r.e, twice, 2), TD_ERR_ARGUMENT);
    assert_int_equal(td_estimator_update(r.e, &(td_reading){5, near}, 1), TD_ERR_ARGUMENT);
    assert_int_equal(td_estimator_take(r.e, camera), TD_ERR_ARGUMENT);
    assert_int_equal(td_estimator_take(r.e, 99), TD_ERR_ARGUMENT);
    assert_int_equal(td_estimator_update(r.e, &(td_reading){99, near}, 1), TD_ERR_ARGUMENT);
    assert_int_equal(td_estimator_set_input(r.e, td_find_input(r.system, "load"), 1.0),
                     TD_ERR_ARGUMENT);
    const td_output held = {.quantity = TD_OUTPUT_REACTION, .body = -1, .end = TD_BASE};
    td_linearisation *l = td_linearisation_create(r.system, &held, 1, &r.err);
    double covariance[36];
    assert_int_equal(td_estimator_get_outputs(r.e, l, covariance), TD_ERR_UNSUPPORTED);
    td_linearisation_destroy(l);
    td_estimator_save(r.e, b, bytes);
    assert_memory_equal(a, b, bytes);
    // nothing was read: nothing changes
    const double none[3] = {(double)NAN, (double)NAN, (double)NAN};
    assert_int_equal(td_estimator_update(r.e, &(td_reading){camera, none}, 1), TD_OK);
    td_estimator_save(r.e, b, bytes);
    assert_memory_equal(a, b, bytes);
    free(a), free(b);
    rig_end(&r);
}

static void creation_survives_the_lack_of_memory(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    rig r;
    assert_true(rig_open(&r, NULL));
    td_estimator *e = NULL;
    int failures = 0;
    for (int k = 0; !e && k < 200; k++, failures++) {
        const long kept = live;
        fail_at = allocations + k;
        e = td_estimator_create(r.system, &r.err);
        fail_at = -1;
        if (e) break;
        assert_int_equal(live, kept);
        assert_int_equal(r.err.status, TD_ERR_MEMORY);
    }
    assert_non_null(e);
    assert_true(failures > 4);
    td_estimator_destroy(e);
    rig_end(&r);
}

// Beside a robot that nobody simulates, the loop says when late readings are taken, and when they come.
static void a_loop_says_when_late_readings_are_taken_and_come(void **unused) {
    (void)unused;
    const double dt = 0x1p-9;
    rig r;
    // nothing jumps: means of accelerations are those over whole steps
    assert_true(rig_open(&r, "inputs.load='0.02*sin(20*t)'"));
    const int late = td_find_sensor(r.system, "late"), east = td_find_input(r.system, "east");
    td_estimator *e = td_estimator_create(r.system, &r.err);
    begin(&r);
    assert_true(td_estimator_begin(e) >= 0);
    const double none[3] = {(double)NAN, (double)NAN, (double)NAN};
    assert_int_equal(td_estimator_update(e, &(td_reading){late, none}, 1), TD_ERR_ARGUMENT);
    assert_non_null(strstr(td_estimator_message(e), "td_estimator_take"));
    int seen[6] = {0}, n_taken = 0;
    for (int k = 0; k <= 60; k++) {
        double y[6][3], taken;
        td_reading readings[6];
        int n = 0;
        if (k > 0) assert_true(td_advance(r.system, r.state, dt) >= 0);
        assert_true(td_estimator_follow(r.e, r.state) >= 0);
        td_estimator_set_input(e, east, td_get_input(r.system, r.state, east));
        if (k > 0) assert_true(td_estimator_step(e, dt) >= 0);
        // at multiples of 10 ms, or where the step ends that passes one
        if (floor(k * dt / 0.01 + 1e-9) > floor((k - 1) * dt / 0.01 + 1e-9)) {
            assert_int_equal(td_estimator_take(e, late), TD_OK);
            n_taken++;
        }
        for (int s = 0; s < td_n_sensors(r.system); s++) {
            const int arrived = td_get_sensor(r.system, r.state, s, y[s], &taken);
            if (arrived != seen[s] && td_estimator_uses(e, s))
                readings[n++] = (td_reading){s, y[s]};
            seen[s] = arrived;
        }
        assert_true(td_estimator_update(e, readings, n) >= 0);
        const size_t size = sizeof(double) * (size_t)(td_estimator_n(e) * td_estimator_n(e));
        assert_memory_equal(td_estimator_covariance(e), td_estimator_covariance(r.e), size);
        assert_true(td_estimator_get(e, 0, NULL) == td_estimator_get(r.e, 0, NULL));
    }
    assert_true(n_taken > 10);
    // readings that never come are given up: there is always room for one more
    for (int k = 0; k < 20; k++) assert_int_equal(td_estimator_take(e, late), TD_OK);
    int waiting = 0;
    while (td_estimator_update(e, &(td_reading){late, none}, 1) == TD_OK) waiting++;
    assert_int_equal(waiting, 3);  // ceil(7 ms x 100 Hz) + 2
    td_estimator_destroy(e);
    rig_end(&r);
}

// A load that comes at 50 ms, and a tension of which nobody told: found in each model, within four deviations.
static void every_model_with_derivatives_finds_the_load(void **unused) {
    (void)unused;
    const char *const models[] = {"cosserat", "constant_curvature", "eba", "ebr", "srl",
                                  "rom",      "virtual_power"};
    const size_t n = check_briefly() ? 3 : sizeof models / sizeof *models;
    for (size_t m = 0; m < n; m++) {
        char set[64];
        rig r;
        double deviation;
        snprintf(set, sizeof set, "simulation.model=%s", models[m]);
        assert_true(rig_open(&r, set));
        begin(&r);
        follow(&r, 100);
        const double load = td_estimator_get(r.e, 0, &deviation);
        printf("%-20s load %.4f +- %.4f N, n = %d\n", models[m], load, deviation,
               td_estimator_n(r.e));
        assert_true(deviation < 0.01);
        CHECK_NEAR(load, 0.02, 4.0 * deviation);
        CHECK_NEAR(td_estimator_get(r.e, 1, &deviation), 0.5, 4.0 * deviation);
        rig_end(&r);
    }
}

static void what_cannot_be_is_told(void **unused) {
    (void)unused;
    rig r;
    const double y[3] = {0.0, 0.0, 0.2};
    assert_false(rig_open(&r, "estimator.sensors=[exact]"));
    assert_non_null(strstr(r.err.message, "no noise"));
    rig_end(&r);
    // memory of the scheme: it rests, and does not step
    assert_true(rig_open(&r, "simulation.time.scheme=bdf2"));
    begin(&r);
    assert_int_equal(td_estimator_step(r.e, 1e-3), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_estimator_message(r.e), "sdirk2"));
    assert_true(td_estimator_rest(r.e, &(td_reading){0, y}, 1) >= 0);
    rig_end(&r);
    assert_false(rig_open(&r, "simulation.space.scheme=shooting"));
    assert_non_null(strstr(r.err.message, "collocation"));
    rig_end(&r);
}

static void files_say_it_and_are_written_again(void **unused) {
    (void)unused;
    rig r;
    assert_true(rig_open(&r, NULL));
    char *text = td_robot_write(r.robot, NULL, NULL, &r.err);
    td_robot *again = td_robot_parse(text, strlen(text), "again.yaml", NULL, 0, &r.err);
    if (!again) fprintf(stderr, "%s\n%s: %s\n", text, r.err.where, r.err.message);
    assert_non_null(again);
    const td_estimator_def *a = td_robot_estimator(r.robot), *b = td_robot_estimator(again);
    assert_non_null(b);
    assert_int_equal(b->n_unknowns, 2);
    for (int i = 0; i < 2; i++)
        assert_memory_equal(&a->unknowns[i].mean, &b->unknowns[i].mean, 3 * sizeof(double));
    assert_int_equal(b->iterations, a->iterations);
    CHECK_NEAR(b->coordinate_noise, 1e-3, 0.0);
    CHECK_NEAR(b->rate_noise, 0.1, 0.0);
    td_free_text(text);
    td_robot_destroy(again);
    rig_end(&r);
    const struct {
        const char *estimator, *where, *word;
    } wrong[] = {
        {"{unknowns: [{input: lod}]}", "unknowns", "lod"},
        {"{unknowns: [{input: load, deviation: 1 Pa}]}", "deviation", "Pa"},
        {"{unknowns: [{input: load, deviation: -1 N}]}", "unknowns", "-1"},
        {"{unknowns: [{input: load}, {input: load}]}", "unknowns", "twice"},
        {"{unknowns: [{mean: 1 N}]}", "unknowns", "input"},
        {"{unknowns: [{inputs: [load, north]}]}", "unknowns", "places"},
        {"{unknowns: [{inputs: [load, north], places: [0.1, 0.1]}]}", "unknowns", "grow"},
        {"{sensors: [camra]}", "sensors", "camra"},
        {"{iterations: 0}", "estimator", "iterations"},
        {"{noise: {coordinates: 1 m/sqrt(s)}}", "coordinates", "m"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char file[4096], *at;
        snprintf(file, sizeof file, "%s", arm);
        at = strstr(file, "estimator:");
        snprintf(at, sizeof file - (size_t)(at - file), "estimator: %s\n%s", wrong[i].estimator,
                 strstr(arm, "inputs:"));
        check_not_compiled(file, "", wrong[i].word);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allocates_after_creation),
        cmocka_unit_test(a_snapshot_goes_on_to_the_bit),
        cmocka_unit_test(what_fails_leaves_the_estimate),
        cmocka_unit_test(creation_survives_the_lack_of_memory),
        cmocka_unit_test(a_loop_says_when_late_readings_are_taken_and_come),
        cmocka_unit_test(every_model_with_derivatives_finds_the_load),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(files_say_it_and_are_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
