// Orekhov & Simaan 2020: our numbers against an independent program's, and the verb that reproduces
// the paper.
#include "rods.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../papers/orekhov2020/elastica.h"
#include "../papers/orekhov2020/rotation_floor.h"
#include "data/orekhov2020_reference.h"
#include "program.h"

static const double degree = 3.14159265358979323846 / 180.0;
static case_truth truth[N_CASES];

static int find_truth(void **unused) {
    (void)unused;
    const method m = {.space = TD_COLLOCATION, .nodes = 20, .magnus = 6};
    td_error err = {0};
    bool fine = study_truth(truth, &m, &err);
    if (!fine) print_error("%s: %s\n", err.where, err.message);
    return fine ? 0 : -1;
}

// ---------------------------------------------------------------- parts
static void elliptic_integrals_are_those_of_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        const reference_elastica *known = &reference_elasticas[i];
        elastica e = elastica_of(known->degrees * degree, 0.1);
        double scale = bending_stiffness() / (ROD_LENGTH * ROD_LENGTH);
        CHECK_NEAR(e.force * scale / known->force[1], 1.0, 1e-12);
        CHECK_NEAR(e.y * ROD_LENGTH, known->y, 1e-13);
        CHECK_NEAR(e.z * ROD_LENGTH, known->z, 1e-13);
    }
}

static void angles_are_those_between_rotations(void **unused) {
    (void)unused;
    td_pose a = {.q = {0.5, -0.5, 0.5, 0.5}}, b = a;
    CHECK_NEAR(angle(&a, &b), 0.0, 1e-16);
    const double turns[] = {1e-9, 0.3, 3.0};
    for (int i = 0; i < 3; i++) {
        double c = cos(0.5 * turns[i]), s = sin(0.5 * turns[i]);
        // b = a (c, s e_y)
        b = (td_pose){.q = {a.q[0] * c - a.q[2] * s, a.q[1] * c - a.q[3] * s,
                            a.q[2] * c + a.q[0] * s, a.q[3] * c + a.q[1] * s}};
        CHECK_NEAR(angle(&a, &b) / turns[i], 1.0, 1e-7);
        for (int k = 0; k < 4; k++) b.q[k] = -b.q[k];
        CHECK_NEAR(angle(&a, &b) / turns[i], 1.0, 1e-7);
    }
}

static void the_cases_are_all_wrenches_in_three_steps(void **unused) {
    (void)unused;
    double sum[6] = {0.0}, squares[6] = {0.0};
    for (int i = 0; i < N_WRENCHES; i++) {
        double full[6], half[6], none[6];
        study_wrench(i, 2, full), study_wrench(i, 1, half), study_wrench(i, 0, none);
        for (int a = 0; a < 6; a++) {
            CHECK_NEAR(half[a], 0.5 * full[a], 0.0);
            CHECK_NEAR(none[a], 0.0, 0.0);
            sum[a] += full[a], squares[a] += full[a] * full[a];
        }
    }
    for (int a = 0; a < 6; a++) {
        CHECK_NEAR(sum[a], 0.0, 0.0);
        CHECK_NEAR(squares[a], 486.0 * (a < 3 ? 1.0 : 0.25), 1e-12);
    }
}

// ---------------------------------------------------------------- Tables III and IV
static void the_truth_is_that_of_the_reference(void **unused) {
    (void)unused;
    int found = 0;
    for (int c = 0; c < 6; c++) {
        const reference_wrench *known = &reference_wrenches[c];
        for (int i = 0; i < N_WRENCHES; i++) {
            double w[6];
            study_wrench(i, 2, w);
            if (memcmp(w, known->force, 24) != 0 || memcmp(w + 3, known->moment, 24) != 0) continue;
            const case_truth *ours = &truth[N_STEPS * i + 2];
            found++;
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(ours->tip.p[k], known->truth.p[k], 1e-8 * ROD_LENGTH);
                CHECK_NEAR(ours->u0[k], known->u0[k], 1e-6);
            }
        }
    }
    assert_int_equal(found, 6);
}

// The reference has five digits; `slack` is for what the methods themselves differ in.
static void check_errors(const reference_errors *known, td_space space, int magnus, double slack) {
    const method m = {.space = space, .nodes = known->n + 1, .magnus = magnus};
    study_result ours;
    td_error err = {0};
    assert_true(study_run(&ours, &m, truth, 1, &err));
    assert_int_equal(ours.solved, N_CASES);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(ours.position[k] / known->position[k], 1.0, slack);
        CHECK_NEAR(ours.rotation[k] / known->rotation[k], 1.0, slack);
    }
}

static void tip_errors_of_the_papers_form_are_those_of_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        check_errors(&reference_order4[i], TD_CHEBYSHEV, 4, 5e-5);
        check_errors(&reference_order6[i], TD_CHEBYSHEV, 6, i < 3 ? 5e-5 : 2e-4);
    }
}

// Both forms of the sixth-order step are exact to that order, but not the same: see errata.md.
static void tip_errors_of_the_integral_form_are_those_of_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++)
        check_errors(&reference_integral_form[i], TD_COLLOCATION, 6, i == 0 ? 0.02 : 0.15);
}

static void the_integral_form_has_a_hundredth_of_the_error(void **unused) {
    (void)unused;
    study_result ours[2];
    td_error err = {0};
    for (int i = 0; i < 2; i++) {
        const method m = {.space = i ? TD_COLLOCATION : TD_CHEBYSHEV, .nodes = 5, .magnus = 6};
        assert_true(study_run(&ours[i], &m, truth, 1, &err));
    }
    for (int k = 0; k < 2; k++) {
        assert_true(ours[0].position[k] > 100.0 * ours[1].position[k]);
        assert_true(ours[0].rotation[k] > 100.0 * ours[1].rotation[k]);
    }
}

static void the_rotation_floor_is_that_of_the_reference(void **unused) {
    (void)unused;
    const struct {
        int steps;
        double mean, largest;  // deg
    } known[] = {{10, 0.0401, 0.2745}, {20, 0.007334, 0.05013}};
    for (int i = 0; i < 2; i++) {
        rotation_floor f = rotation_floor_of(truth, known[i].steps);
        CHECK_NEAR(f.arccos[0] / known[i].mean, 1.0, 1e-3);
        CHECK_NEAR(f.arccos[1] / known[i].largest, 1.0, 1e-3);
        assert_true(f.atan2[1] < 1e-2 * f.arccos[1]);
    }
}

// RK4 in 20 steps, which stands for the paper's shooting: of fourth order, and no worse than n = 10
// with order 6, whose errors in the reference are 7.7e-6 and 2.6e-4 %.
static void shooting_in_twenty_steps_is_as_good_as_ten_degrees(void **unused) {
    (void)unused;
    study_result by[2];
    td_error err = {0};
    for (int i = 0; i < 2; i++) {
        const method m = {.space = TD_SHOOTING, .steps = 20 << i};
        assert_true(study_sample(&by[i], &m, truth, 60, &err));
        assert_int_equal(by[i].asked, 13 * N_STEPS);
        assert_int_equal(by[i].solved, by[i].asked);
    }
    CHECK_BETWEEN(by[0].position[1], 0.0, 4e-4);
    CHECK_NEAR(by[0].position[1] / by[1].position[1], 16.0, 1.0);
}

// ---------------------------------------------------------------- the robot file
static void the_robot_file_is_the_rod_of_the_program(void **unused) {
    (void)unused;
    td_error err = {0};
    td_robot *robot = td_robot_load(PAPERS "/orekhov2020/rod.yaml", NULL, 0, &err);
    if (!robot) print_error("%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_options options = td_robot_options(robot);
    assert_int_equal(options.space, TD_CHEBYSHEV);
    world w = world_make(robot, &options);
    CHECK_CALL(&w, td_apply_signals(w.system, w.state, 0.0, TD_AFTER));
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_pose tip = tip_of(&w);
    for (int k = 0; k < 3; k++) CHECK_NEAR(tip.p[k], reference_wrenches[0].fine.p[k], 1e-11);
    world_free(&w);
}

// ---------------------------------------------------------------- the verb
static void a_quick_run_reports_and_draws_everything(void **unused) {
    (void)unused;
    static char text[1 << 17];
    int code = run_program("orekhov2020 --quick --json --out paper_orekhov2020", text, sizeof text);
    if (code != 0) print_error("%s\n", text);
    assert_int_equal(code, 0);
    assert_int_equal(text[0], '[');
    const char *const items[] = {"table 1", "table 2", "figure 4", "figure 5",
                                 "table 3", "table 4", "section 7"};
    for (int i = 0; i < 7; i++) {
        char words[64];
        snprintf(words, sizeof words, "\"item\": \"%s\"", items[i]);
        check_said(text, words);
    }
    const char *const files[] = {"quantities.csv", "figure4.csv", "figure4.png",    "figure5.csv",
                                 "figure5.png",    "errors.png",  "tables3and4.csv"};
    for (int i = 0; i < 7; i++) {
        char path[256];
        struct stat info;
        snprintf(path, sizeof path, "paper_orekhov2020/%s", files[i]);
        if (stat(path, &info) == 0 && info.st_size > 100) continue;
        print_error("%s is missing or empty\n", path);
        fail();
    }
    CHECK_BETWEEN(reported("paper_orekhov2020", "turned off the arc, the paper's form"), 0.0,
                  1e-13);
    // Figure 4(c): by the largest error of n = 10 and order 6 in the reference, 2.6e-4 % of 200 mm.
    CHECK_BETWEEN(reported("paper_orekhov2020", "off shooting (c), the paper's form"), 1e-9,
                  5.4e-4);
    CHECK_BETWEEN(reported("paper_orekhov2020", "off shooting (c), the integral form"), 0.0, 1e-4);
    assert_true(reported("paper_orekhov2020", "solutions per second, shooting") > 0.0);
    check_reported("paper_orekhov2020", "collocation is faster for every n", "yes");
}

static void one_table_can_be_asked_for(void **unused) {
    (void)unused;
    char text[8192];
    assert_int_equal(
        run_program("orekhov2020 --table 2 --out paper_orekhov2020", text, sizeof text), 0);
    check_said(text, "Table 2");
    check_said(text, "43.388 mm");
    assert_null(strstr(text, "Table 1"));
}

// What stands under a heading may belong to any of its labels: all of them are in it.
static void headings_carry_every_number(void **unused) {
    (void)unused;
    char text[1 << 14];
    assert_int_equal(
        run_program("orekhov2020 --table 4 --quick --out paper_orekhov2020", text, sizeof text), 0);
    check_said(text, "\nTable 3, Table 4, Section 7: ");
    check_said(text, "\nTable 3: fourth-order");
    check_said(text, "\nTable 4: sixth-order");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_integrals_are_those_of_the_reference),
        cmocka_unit_test(angles_are_those_between_rotations),
        cmocka_unit_test(the_cases_are_all_wrenches_in_three_steps),
        cmocka_unit_test(the_truth_is_that_of_the_reference),
        cmocka_unit_test(tip_errors_of_the_papers_form_are_those_of_the_reference),
        cmocka_unit_test(tip_errors_of_the_integral_form_are_those_of_the_reference),
        cmocka_unit_test(the_integral_form_has_a_hundredth_of_the_error),
        cmocka_unit_test(the_rotation_floor_is_that_of_the_reference),
        cmocka_unit_test(shooting_in_twenty_steps_is_as_good_as_ten_degrees),
        cmocka_unit_test(the_robot_file_is_the_rod_of_the_program),
        cmocka_unit_test(a_quick_run_reports_and_draws_everything),
        cmocka_unit_test(one_table_can_be_asked_for),
        cmocka_unit_test(headings_carry_every_number),
    };
    return cmocka_run_group_tests(tests, find_truth, NULL);
}
