// A base that follows a table: along a smooth curve it moves as what was sampled; along straight
// lines its velocity jumps, and that is said.
#include "tendril/tendril.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 200 };
#define PI 3.14159265358979323846

static const char text[] =
    "tendril: 1\n"
    "gravity: [0, 0, 0]\n"
    "rods:\n"
    "  - name: arm\n"
    "    length: 0.4\n"
    "    section: {radius: 1 mm}\n"
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 8000}\n"
    "    damping: {bending: 1e-3}\n"
    "    base: {position: [shake, 0, 0]}\n"
    "inputs: {shake: {sine: {offset: 10 mm, amplitude: 10 mm, frequency: 2.5, phase: 90 deg, "
    "start: -1 s}}}\n"
    "simulation: {time: {step: 2 ms, end: 0.4}}\n";

typedef struct track {
    double velocity[STEPS];  // m/s, of the tip, across
    bool noted;
} track;

static td_robot *robot_with(const char *signal) {
    td_error err = {0};
    char set[8192];
    snprintf(set, sizeof set, "inputs.shake=%s", signal);
    const char *const sets[] = {set};
    td_robot *robot = td_robot_parse(text, strlen(text), "base.yaml", sets, signal ? 1 : 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    return robot;
}

static track follow(const char *model, const char *signal) {
    td_error err = {0};
    track out = {.noted = false};
    td_robot *robot = robot_with(signal);
    td_options options = td_robot_options(robot);
    snprintf(options.model, sizeof options.model, "%s", model);
    td_system *system = td_system_create(robot, &options, &err);
    assert_non_null(system);
    td_state *state = td_state_create(system);
    assert_int_equal(td_begin(system, state), TD_OK);
    for (int i = 0; i < STEPS; i++) {
        assert_true(td_advance(system, state, 2e-3) >= 0);
        out.velocity[i] = td_get_sample(system, state, 0, 0.4).velocity[3];
    }
    for (int i = 0; td_system_note(system, i); i++)
        out.noted |= strstr(td_system_note(system, i), "inputs.shake: the velocity") != NULL;
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    return out;
}

// The same motion, sampled every 4 ms: {points: [[0, 0], ...]}
static char *sampled(const char *kind) {
    char *list = malloc(8000);
    int n = snprintf(list, 8000, "{%s: [", kind);
    for (int i = 0; i <= 100; i++)
        n += snprintf(list + n, (size_t)(8000 - n), "%s[%.17g, %.17g]", i ? ", " : "", 4e-3 * i,
                      0.01 - 0.01 * cos(2.0 * PI * 2.5 * 4e-3 * i));
    snprintf(list + n, (size_t)(8000 - n), "]}");
    return list;
}

static double largest_difference(const track *a, const track *b) {
    double most = 0.0;
    for (int i = 0; i < STEPS; i++) most = fmax(most, fabs(a->velocity[i] - b->velocity[i]));
    return most;
}

static void a_sampled_motion_moves_as_the_motion_itself(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "ebr"};
    char *curve = sampled("curve"), *points = sampled("points");
    for (int k = 0; k < 2; k++) {
        const track truth = follow(models[k], NULL), smooth = follow(models[k], curve);
        const track lines = follow(models[k], points);
        const double along_curve = largest_difference(&truth, &smooth);
        const double along_lines = largest_difference(&truth, &lines);
        print_message("%s: %.2g m/s along a curve, %.2g along lines\n", models[k], along_curve,
                      along_lines);
        CHECK_BETWEEN(along_curve, 0.0, 5e-4);
        CHECK_BETWEEN(along_lines / along_curve, 5.0, 1e6);
        assert_true(lines.noted);
        assert_false(smooth.noted || truth.noted);
    }
    free(curve);
    free(points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampled_motion_moves_as_the_motion_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
