// Liu & Ben-Tzvi 2020: what the paper's items compute against numbers computed independently, and
// the verb that reproduces the paper.
#include "rods.h"

#include <string.h>
#include <sys/stat.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_cases_are_those_computed_independently),
        cmocka_unit_test(physical_cases_are_those_computed_independently),
        cmocka_unit_test(the_verb_reports_settling_and_cosserat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
