// Liu & Ben-Tzvi 2020: what the paper's items compute against numbers computed independently, and
// the verb that reproduces the paper.
#include "rods.h"

#include <string.h>
#include <sys/stat.h>

#include "../papers/liu2020/appendix.h"
#include "../papers/liu2020/robot.h"
#include "program.h"
#include "truth_liu2020_runs.h"

// The fixed step of the items, 1 ms: 2e-3 of curvature and tip at the times of the reference.
static void check_case(const reading *how, int which, const liu_run *run) {
    td_error err = {0};
    liu_arm a;
    assert_true(liu_open(&a, how, &liu_cases[which], &err));
    int next = 1;
    for (int k = 1; k <= 1500; k++) {
        assert_true(liu_move(&a, 1e-3, &err));
        if (fabs(k * 1e-3 - liu_times[next]) > 1e-6) continue;
        double tip[3];
        liu_tip(&a, tip);
        for (int i = 0; i < 3 && liu_times[next] >= 0.1; i++)
            CHECK_NEAR(tip[i], run->tip[next][i], 2e-3);
        for (int i = 0; i < SEGMENTS && liu_times[next] >= 0.2; i++) {
            const double *q = run->q[next] + 3 * i;
            CHECK_NEAR(liu_bend(&a, i).kappa, hypot(q[0], q[1]) / q[2], 2e-2);
        }
        next++;
    }
    assert_int_equal(next, LIU_N_TIMES);
    liu_close(&a);
}

static const liu_run *run_named(const char *name) {
    for (size_t i = 0; i < sizeof liu_runs / sizeof *liu_runs; i++)
        if (strcmp(liu_runs[i].name, name) == 0) return &liu_runs[i];
    fail_msg("no run %s", name);
    return NULL;
}

static void printed_cases_are_those_computed_independently(void **unused) {
    (void)unused;
    check_case(&as_printed, 0, run_named("printed free_fall"));
    check_case(&as_printed, 1, run_named("printed in_plane"));
    check_case(&as_printed, 2, run_named("printed out_of_plane"));
}

static void physical_cases_are_those_computed_independently(void **unused) {
    (void)unused;
    check_case(&as_physics, 0, run_named("physical_forces_x_L0 free_fall"));
    check_case(&as_physics, 1, run_named("physical_forces_x_L0 in_plane"));
    check_case(&as_physics, 2, run_named("physical_forces_x_L0 out_of_plane"));
}

// ---------------------------------------------------------------- the verb
static double quantity(const char *words) {
    return reported("paper_liu2020", words);
}

// Times of settling computed independently, to the digits they were noted with.
static void the_verb_reports_settling_and_cosserat(void **unused) {
    (void)unused;
    static char text[1 << 17];
    int code = run_program("liu2020 --out paper_liu2020", text, sizeof text);
    if (code != 0) print_error("%s\n", text);
    assert_int_equal(code, 0);
    CHECK_NEAR(quantity("settled, printed, c = 0.05"), 0.34, 0.006);
    CHECK_NEAR(quantity("settled, printed, c = 0.035"), 0.60, 0.006);
    CHECK_NEAR(quantity("settled, printed, c = 0.025"), 0.88, 0.006);
    CHECK_NEAR(quantity("settled, printed, c = 0.02"), 1.17, 0.006);
    CHECK_NEAR(quantity("settled, printed, c = 0.016"), 1.22, 0.006);
    CHECK_NEAR(quantity("settled, physics, c = 0.05 N m^2 s"), 0.34, 0.006);
    CHECK_NEAR(quantity("settled, physics, c = 0.05 for a segment"), 1.91, 0.006);
    CHECK_NEAR(quantity("settled, physics, c = 0.05 times length"), 1.87, 0.006);
    CHECK_BETWEEN(quantity("tendons alone, 2 arcs: farthest off"), 0.0, 1e-6);
    double four = quantity("and gravity, no twist, 4 arcs: farthest off");
    double eight = quantity("and gravity, no twist, 8 arcs: farthest off");
    CHECK_BETWEEN(four / eight, 3.6, 4.4);
    const char *const files[] = {"cases-printed.png", "cases-physics.png", "free-fall.png",
                                 "cosserat.png", "free-fall.csv"};
    for (int i = 0; i < 5; i++) {
        char path[256];
        struct stat info;
        snprintf(path, sizeof path, "paper_liu2020/%s", files[i]);
        if (stat(path, &info) == 0 && info.st_size > 100) continue;
        print_error("%s is missing or empty\n", path);
        fail();
    }
}

// ---------------------------------------------------------------- formulas of the text
// Integrals in closed form that can be written down at once: s^2, s c, x s^2, x^2 s c.
static void the_quadrature_is_that_of_elementary_integrals(void **unused) {
    (void)unused;
    for (int n = 0; n < 4; n++) {
        const double t = (const double[]){1e-3, 0.5, 2.0, 6.0}[n];
        const double s2 = sin(2.0 * t), c2 = cos(2.0 * t);
        const integrals q = integrals_by_quadrature(t);
        CHECK_NEAR(q.Q[0][0], 1.0, 1e-14);
        CHECK_NEAR(q.Q[1][1], 0.5 - 0.25 * s2 / t, 1e-12);
        CHECK_NEAR(q.Q[3][1], -pow(sin(t), 2.0) / (2.0 * t), 1e-14);
        CHECK_NEAR(q.Q[1][5], q.Q[3][1], 1e-15);
        if (t < 0.1) continue;
        CHECK_NEAR(q.Q[4][1], 0.25 - 0.25 * s2 / t + (1.0 - c2) / (8.0 * t * t), 1e-14);
    }
}

// The reference, with 30 digits at ten angles: only (4,2) and (2,6) are wrong.
static void two_entries_of_the_appendix_are_wrong(void **unused) {
    (void)unused;
    for (int n = 1; n <= 10; n++) {
        const double t = 0.6 * n;
        const integrals printed = integrals_printed(t), ours = integrals_by_quadrature(t);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < COLUMNS; k++) {
                const double off = fabs(printed.Q[i][k] - ours.Q[i][k]);
                if ((i == 3 && k == 1) || (i == 1 && k == 5)) assert_true(off > 1e-3);
                else CHECK_NEAR(off, 0.0, 1e-14);
            }
    }
    CHECK_NEAR(quantity("entries that are the integral"), 43.0, 0.0);
    // What the reference found to be left of the digits.
    CHECK_BETWEEN(quantity("rounding of the others, theta = 0.001"), 1e-6, 1e-4);
    CHECK_BETWEEN(quantity("rounding of the others, theta = 0.0312"), 2e-13, 2e-11);
}

// In the axes of the base, which are y, z and x of the world: behind the first segment, 1 rad towards
// 0.5 rad, theta' = 1, phi' = 2.
static void eq_38_is_wrong_where_the_plane_turns(void **unused) {
    (void)unused;
    const double c = cos(0.5), s = sin(0.5);
    const double truth[3] = {-s - 2.0 * sin(1.0) * c, c - 2.0 * sin(1.0) * s,
                             2.0 * (1.0 - cos(1.0))};
    CHECK_NEAR(quantity("angular velocity behind segment 1, y"), truth[0], 1e-8);
    CHECK_NEAR(quantity("angular velocity behind segment 1, z"), truth[1], 1e-8);
    CHECK_NEAR(quantity("angular velocity behind segment 1, x"), truth[2], 1e-8);
    CHECK_NEAR(quantity("Eq. 38 corrected, off the model"), 0.0, 1e-12);
}

static void inverse_dynamics_gives_the_forces_back(void **unused) {
    (void)unused;
    for (int i = 0; i < ACTUATORS; i++) {
        char name[64];
        snprintf(name, sizeof name, "in plane, held: actuator %d", i + 1);
        CHECK_NEAR(quantity(name), SEGMENT_LENGTH * liu_cases[1].forces[i], 1e-6);
    }
    CHECK_BETWEEN(quantity("out of plane, moving: forces off at most by"), 0.0, 1e-4);
}

// The tip of the third case in the reference, with and without the inertia of turning, is
// (0.39002, -0.16299, -0.18240) and (0.38990, -0.16256, -0.18296) m.
static void turning_slices_have_little_energy(void **unused) {
    (void)unused;
    CHECK_NEAR(quantity("out of plane: tip moved by it at 1.5 s"),
               1e3 * hypot(hypot(1.2e-4, 4.3e-4), 5.6e-4), 0.02);
    for (int i = 0; i < CASES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s: share of turning", liu_cases[i].name);
        CHECK_BETWEEN(quantity(name), 0.3, 5.0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_cases_are_those_computed_independently),
        cmocka_unit_test(physical_cases_are_those_computed_independently),
        cmocka_unit_test(the_verb_reports_settling_and_cosserat),
        cmocka_unit_test(the_quadrature_is_that_of_elementary_integrals),
        cmocka_unit_test(two_entries_of_the_appendix_are_wrong),
        cmocka_unit_test(eq_38_is_wrong_where_the_plane_turns),
        cmocka_unit_test(inverse_dynamics_gives_the_forces_back),
        cmocka_unit_test(turning_slices_have_little_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
