// Of many experiments with noise, 95 of 100 intervals of 95 % hold the truth: modulus, density and how the base is tilted,
// of an arm that a tendon bends, seen at rest and in motion. `test_fit_coverage 1000` makes so many experiments
// (make experiments).
#include "tendril/fit.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "study/experiment.h"

static long wanted = 20;

#define ARM                                                                                        \
    "tendril: 1\n"                                                                                 \
    "materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1100}}\n"           \
    "rods: [{name: arm, length: 0.2, material: rubber, section: {radius: 8 mm}, "                  \
    "damping: {time: 10 ms}, base: {direction: [0.1, 0, -1]}}]\n"                                  \
    "tendons: [{name: pull, offset: [6 mm, 0]}]\n"                                                 \
    "inputs: {pull: {step: {to: 1 N}}}\n"                                                          \
    "simulation: {space: {nodes: 5}, time: {step: 10 ms, end: 1 s}}\n"

enum { ROWS = 8, INSTANTS = 16, N = 3 };
#define NOISE 1e-3  // m

static const td_fit_parameter wanted_numbers[N] = {
    {"materials.rubber.youngs_modulus", 2e5, 5e6, NAN},
    {"materials.rubber.density", 300.0, 4000.0, NAN},
    {"rods.arm.base.direction.x", -0.5, 0.5, NAN},
};
static const double truth[N] = {0.8e6, 1250.0, 0.05};

// Between 0 and 1, the same in every run: the upper bits of a linear congruence.
static double share_of(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(unsigned long long *seed) {  // Box and Muller
    const double size = sqrt(-2.0 * log(share_of(seed)));
    return size * cos(2.0 * acos(-1.0) * share_of(seed));
}

static void intervals_of_a_robot_hold_the_truth_as_often_as_they_say(void **state) {
    (void)state;
    static const char *const inputs[] = {"pull"}, *const outputs[] = {"tip.x", "tip.z"};
    double given[ROWS], times[INSTANTS], exact[2 * (ROWS + INSTANTS)];
    double seen[2 * (ROWS + INSTANTS)];
    for (int i = 0; i < ROWS; i++) given[i] = 0.5 * i;
    for (int i = 0; i < INSTANTS; i++) times[i] = 0.02 * (i + 1);
    const td_recording recordings[2] = {{.n_rows = ROWS,
                                         .inputs = inputs,
                                         .n_inputs = 1,
                                         .given = given,
                                         .outputs = outputs,
                                         .n_outputs = 2,
                                         .measured = seen},
                                        {.n_rows = INSTANTS,
                                         .times = times,
                                         .outputs = outputs,
                                         .n_outputs = 2,
                                         .measured = seen + 2 * ROWS}};
    td_error err = {0};
    td_robot *robot = td_robot_parse(ARM, strlen(ARM), "test", NULL, 0, &err);
    if (!robot) fail_msg("%s: %s", err.where, err.message);
    const td_options options = td_robot_options(robot);
    td_fit_options o = td_default_fit_options();
    o.parameters = wanted_numbers, o.n_parameters = N;
    o.recordings = recordings, o.n_recordings = 2;
    experiment e;
    assert_true(experiment_begin(&e, robot, &options, &o, &err));
    assert_true(experiment_compute(&e, truth, exact, &err) >= 0);
    experiment_end(&e);
    unsigned long long seed = 7;
    int held[N] = {0};
    for (long run = 0; run < wanted; run++) {
        for (int i = 0; i < 2 * (ROWS + INSTANTS); i++) seen[i] = exact[i] + NOISE * normal(&seed);
        td_fit *fit = td_fit_robot(robot, &options, &o, &err);
        if (!fit) fail_msg("%s: %s", err.where, err.message);
        assert_int_equal(td_fit_status(fit), TD_OK);
        for (int j = 0; j < N; j++) {
            const td_fit_value v = td_fit_get_value(fit, j);
            assert_true(isfinite(v.error) && !v.at_bound);
            held[j] += v.low <= truth[j] && truth[j] <= v.high;
        }
        td_fit_destroy(fit);
    }
    td_robot_destroy(robot);
    print_message("of %ld intervals %d, %d and %d hold the truth\n", wanted, held[0], held[1],
                  held[2]);
    // 1.5 of 100 on either side of 1000; of fewer, what chance leaves
    const double count = (double)wanted, room = fmax(0.015, 3.5 * sqrt(0.95 * 0.05 / count));
    for (int j = 0; j < N; j++) CHECK_BETWEEN(held[j] / count, 0.95 - room, fmin(0.95 + room, 1.0));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_a_robot_hold_the_truth_as_often_as_they_say),
    };
    if (argc > 1) wanted = atol(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
