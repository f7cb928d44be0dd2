// A study: its file, its expressions, and its cases against what the library finds when it is asked directly.
#include "tendril/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/expression.h"

#include "studies.h"

#define ARM(bend)                                                                                  \
    "tendril: 1\ngravity: [0, 0, 0]\n"                                                             \
    "materials: {rubber: {youngs_modulus: 1 MPa, poisson_ratio: 0.45, density: 1000}}\n"           \
    "rods: [{name: arm, length: 0.3, material: rubber, section: {radius: 5 mm}, "                  \
    "damping: {time: 5 ms}}]\n"                                                                    \
    "loads: [{name: bend, at: tip, moment: [0, bend, 0]}]\ninputs: {bend: " bend "}\n"             \
    "simulation: {time: {step: 10 ms, end: 95 ms}}\n"

#define ARM_FILE "test_study_arm.yaml"
#define STEP_FILE "test_study_step.yaml"

static void compute(const td_study *s, const double *x, double *y) {
    td_study_worker *w = td_study_worker_create(s);
    assert_non_null(w);
    const td_status status = td_study_compute(w, x, y);
    if (status) fprintf(stderr, "%s\n", td_study_message(w));
    assert_int_equal(status, TD_OK);
    td_study_worker_destroy(w);
}

// ---------------------------------------------------------------- expressions
static int a_and_b(void *context, const char *name, const char **unit, char *why) {
    (void)context;
    static const char *const names[] = {"a", "b.c", "rod.x.50 %"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i])) return *unit = i == 2 ? "m" : "", i;
    return snprintf(why, FORMULA_WHY, "no %s", name), -1;
}

static const formula_names names = {.find = a_and_b};

static void expressions_are_what_arithmetic_says(void **unused) {
    (void)unused;
    const double a = 3.0, b = -0.5, m = 0.25, pi = acos(-1.0), v[] = {a, b, m};
    const struct {
        const char *text;
        double value;
        const char *unit;
    } list[] = {
        {"1 + 2*a - 4/8", 6.5, ""},
        {"-a^2", -9.0, ""},
        {"2^3^2", 512.0, ""},
        {"2**-1 * 8", 4.0, ""},
        {"(a + b.c)*2e-1", 0.5, ""},
        {"sin(pi/6) + cos(0) + sqrt(16)", 5.5, ""},
        {"hypot(3, 4, 12)", 13.0, ""},
        {"min(a, b.c, 7) + max(1, 2)", 1.5, ""},
        {"if(a > 2, 10, 20) + (1 <= 1) + (2 < 1)", 11.0, ""},
        {"`rod.x.50 %` + 30 mm", 0.28, "m"},
        {"abs(-2*`rod.x.50 %`)", 0.5, "m"},
        {"`rod.x.50 %`/2", 0.125, "m"},
        {"2 kN/4", 500.0, "N"},
        {"2 mm/N", 2e-3, "m/N"},
        {"9.81 m/s^2*2", 19.62, "m/s^2"},
        {"6 N/a", 2.0, "N"},
        {"3 m^2", 3.0, "m^2"},
        {"`rod.x.50 %`*`rod.x.50 %`", 0.0625, "m^2"},
        {"sqrt(`rod.x.50 %`^2 + 0)", 0.25, "m"},
        {"cbrt(`rod.x.50 %`^6)", 0.0625, "m^2"},
        {"pow(a, 2) + ceil(b.c) + ceil(1.2)", 11.0, ""},
        {"if(a >= 3, `rod.x.50 %`, 1 m)", 0.25, "m"},
        {"if(a < 3, log(0*a), 2)", 2.0, ""},
        {"(a > 3) + 10*(a >= 3) + 100*(a < 3) + 1000*(a <= 3)", 1010.0, ""},
        {"mod(-1, 3)", 2.0, ""},
        {"atan2(1, -1)", 0.75 * acos(-1.0), ""},
        {"- - a", 3.0, ""},
        {"sin(a) + 7*sin(b.c)^2 + 0.1*pi^4*sin(a)",
         sin(a) + 7 * pow(sin(b), 2) + 0.1 * pow(pi, 4) * sin(a), ""},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        tree t = {0};
        formula_error wrong;
        const expression *e = expression_parse(&t, list[i].text, &names, &wrong);
        if (!e) fprintf(stderr, "%s: %s\n", list[i].text, wrong.why);
        assert_non_null(e);
        CHECK_NEAR(expression_value(e, v, NULL), list[i].value, 1e-14 * (1 + fabs(list[i].value)));
        assert_string_equal(expression_unit(e), list[i].unit);
        tree_free(&t);
    }
}

static void wrong_expressions_are_refused_with_their_place(void **unused) {
    (void)unused;
    static const char *const list[][2] = {{"a +", "ends where"},
                                          {"(a", "')' is missing"},
                                          {"a b", "operator is expected at 'b'"},
                                          {"sen(a)", "did you mean 'sin'"},
                                          {"twirl(a)", "there is no function 'twirl'"},
                                          {"hypot(a)", "hypot takes 2 numbers or more, not 1"},
                                          {"if(a, 1)", "if takes 3 numbers, not 2"},
                                          {"mean(a, 1)", "mean takes 1 number, not more"},
                                          {"2 parsec", "unknown unit 'parsec'"},
                                          {"`rod.x.50 %` - 3 N", "do not add up"},
                                          {"`rod.x.50 %` < 3 N", "do not compare"},
                                          {"2 a", "'*' is missing before 'a'"},
                                          {"x", "no x"},
                                          {"max(min(a))", "inside another"},
                                          {"`a", "no end"},
                                          {"a $ 2", "operator is expected at '$"},
                                          {"", "ends where"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        tree t = {0};
        formula_error wrong;
        assert_null(expression_parse(&t, list[i][0], &names, &wrong));
        if (!strstr(wrong.why, list[i][1])) fprintf(stderr, "%s: %s\n", list[i][0], wrong.why);
        assert_non_null(strstr(wrong.why, list[i][1]));
        tree_free(&t);
    }
    char deep[400];
    memset(deep, '(', sizeof deep), deep[sizeof deep - 1] = '\0';
    tree t = {0};
    formula_error wrong;
    assert_null(expression_parse(&t, deep, &names, &wrong));
    tree_free(&t);
}

// Over t = 0, 1, 3 of x = 1, 3, 0: the line through these points.
static void functions_over_time_are_those_of_the_line_through_all_instants(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        double value;
    } list[] = {{"max(a)", 3.0},
                {"min(a)", 0.0},
                {"last(a) + 10", 10.0},
                {"integral(a)", 2.0 + 3.0},
                {"mean(a)", 5.0 / 3.0},
                {"rms(a)^2", ((1.0 + 3.0 + 9.0) / 3.0 + 2.0 * 9.0 / 3.0) / 3.0},
                {"max(a) - min(2*a - 1)", 4.0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        tree t = {0};
        formula_error wrong;
        double totals[16], v[3] = {1.0, 0.0, 0.0};
        const expression *e = expression_parse(&t, list[i].text, &names, &wrong);
        assert_non_null(e);
        assert_true(expression_n_totals(e) <= 16);
        expression_gather(e, v, 0.0, true, totals);
        v[0] = 3.0;
        expression_gather(e, v, 1.0, false, totals);
        v[0] = 0.0;
        expression_gather(e, v, 2.0, false, totals);
        CHECK_NEAR(expression_value(e, v, totals), list[i].value, 1e-14);
        tree_free(&t);
    }
}

// ---------------------------------------------------------------- cases
// A moment at the tip bends a rod into an arc of curvature M/EI.
static void a_case_is_the_robot_with_these_numbers(void **unused) {
    (void)unused;
    td_study *s = study_of("study: 1\nrobot: " ARM_FILE "\n"
                           "parameters:\n"
                           "  E: {path: materials.rubber.youngs_modulus, range: [0.5 MPa, 2 MPa]}\n"
                           "  M: {input: bend, range: [0, 3 N mm]}\n"
                           "  L: {path: rods.arm.length, normal: {deviation: 5 %}}\n"
                           "samples: {method: latin, count: 5}\n"
                           "results:\n"
                           "  x: tip.x\n  z: tip.z\n  middle: rod.arm.50 %.x\n"
                           "  chord: hypot(x, z)\n  given: input.bend\n  m: mass\n");
    assert_int_equal(td_study_n_parameters(s), 3);
    assert_int_equal(td_study_n_cases(s), 5);
    assert_string_equal(td_study_parameter(s, 0).unit, "Pa");
    assert_string_equal(td_study_parameter(s, 1).unit, "N m");
    assert_string_equal(td_study_result(s, 0).unit, "m");
    assert_string_equal(td_study_result(s, 3).unit, "m");
    assert_string_equal(td_study_result(s, 5).unit, "kg");
    for (int i = 0; i < 5; i++) {
        double p[3], y[6];
        td_study_get_case(s, i, p);
        CHECK_BETWEEN(p[0], 0.5e6, 2e6);
        CHECK_BETWEEN(p[1], 0.0, 3e-3);
        CHECK_BETWEEN(p[2], 0.2, 0.4);
        compute(s, p, y);
        const double pi = acos(-1.0), k = p[1] / (p[0] * pi / 4.0 * pow(5e-3, 4.0)), L = p[2];
        CHECK_NEAR(y[0], (1.0 - cos(k * L)) / k, 1e-9);
        CHECK_NEAR(y[1], sin(k * L) / k, 1e-9);
        CHECK_NEAR(y[2], (1.0 - cos(0.5 * k * L)) / k, 1e-9);
        CHECK_NEAR(y[3], 2.0 / k * sin(0.5 * k * L), 1e-9);
        CHECK_NEAR(y[4], p[1], 0.0);
        CHECK_NEAR(y[5], 1000.0 * pi * 25e-6 * L, 1e-12);
    }
    td_study_destroy(s);
}

// Cases one after the other, in another order and by another worker have the same bits.
static void results_depend_on_the_case_alone(void **unused) {
    (void)unused;
    td_study *s = study_of("study: 1\nrobot: " ARM_FILE "\n"
                           "parameters: {M: {input: bend, range: [0, 4 N mm]}}\n"
                           "samples: {method: grid}\n"
                           "results: {x: tip.x, n: solver.iterations}\n");
    td_study_worker *w = td_study_worker_create(s), *other = td_study_worker_create(s);
    double first[11][2], p[1], y[2];
    assert_int_equal(td_study_n_cases(s), 11);
    for (int i = 0; i < 11; i++) {
        td_study_get_case(s, i, p);
        assert_int_equal(td_study_compute(w, p, first[i]), TD_OK);
    }
    for (int i = 10; i >= 0; i--) {
        td_study_get_case(s, i, p);
        assert_int_equal(td_study_compute(i % 2 ? w : other, p, y), TD_OK);
        assert_memory_equal(y, first[i], sizeof y);
    }
    td_study_worker_destroy(w);
    td_study_worker_destroy(other);
    td_study_destroy(s);
}

// Bernoulli and Euler: first frequency 1.87510407^2/(2 pi L^2) sqrt(EI/rho A), slender; the second 6.2669 times that.
static void modes_of_a_case_are_those_of_the_beam(void **unused) {
    (void)unused;
    td_study *s = study_of(
        "study: 1\nrobot: " ARM_FILE "\naction: modes\n"
        "parameters: {E: {path: materials.rubber.youngs_modulus, values: [1 MPa, 4 MPa]}}\n"
        "samples: {method: grid}\nset: {inputs.bend: 0*E}\n"
        "results: {f: mode.1.frequency, second: mode.3.frequency/f}\n");
    for (int i = 0; i < 2; i++) {
        double p[1], y[2];
        td_study_get_case(s, i, p);
        compute(s, p, y);
        const double pi = acos(-1.0);
        const double f = pow(1.8751040687, 2) / (2 * pi * 0.09) * sqrt(p[0] * 25e-6 / 4.0 / 1000.0);
        CHECK_NEAR(y[0] / f, 1.0, 2e-3);  // shear and rotary inertia, of the order of (r/L)^2
        CHECK_NEAR(y[1], 6.2669, 0.03);
    }
    assert_string_equal(td_study_result(s, 0).unit, "Hz");
    td_study_destroy(s);
}

static void a_run_of_a_case_has_its_extremes(void **unused) {
    (void)unused;
    td_study *s =
        study_of("study: 1\nrobot: " STEP_FILE "\naction: run\n"
                 "parameters: {M: {path: inputs.bend.step.to, range: [1 N mm, 2 N mm]}}\n"
                 "samples: {count: 2}\n"
                 "results: {most: max(tip.x), last: tip.x, t: time, area: integral(tip.x), "
                 "mean: mean(tip.x)*t}\n");
    double p[1] = {1e-3}, y[5], z[5];
    compute(s, p, y);
    CHECK_NEAR(y[2], 0.095, 1e-12);
    assert_true(y[0] >= y[1] && y[1] > 0.0);
    CHECK_NEAR(y[3], y[4], 1e-12);
    p[0] = 2e-3;
    compute(s, p, z);
    CHECK_BETWEEN(z[0] / y[0], 1.5, 2.05);  // nearly linear
    td_study_destroy(s);
}

// The tip of an arc of curvature k is where the moment k EI brings it.
static void reach_finds_the_moment_of_an_arc(void **unused) {
    (void)unused;
    td_study *s =
        study_of("study: 1\nrobot: " ARM_FILE "\naction: reach\n"
                 "parameters: {k: {range: [0.5, 6]}}\n"
                 "samples: {method: grid}\n"
                 "reach: {position: [(1 - cos(0.3*k))/k, 0, sin(0.3*k)/k], inputs: [bend]}\n"
                 "results: {M: input.bend, off: reach.distance}\n");
    td_study_worker *w = td_study_worker_create(s);
    for (int i = 0; i < 11; i += 5) {
        double p[1], y[2];
        td_study_get_case(s, i, p);
        assert_true(td_study_compute(w, p, y) >= 0);
        CHECK_NEAR(y[0], p[0] * 1e6 * acos(-1.0) / 4.0 * pow(5e-3, 4.0), 1e-7);
        CHECK_NEAR(y[1], 0.0, 1e-6);
    }
    td_study_worker_destroy(w);
    td_study_destroy(s);
}

static void a_case_that_fails_says_why_and_leaves_the_results(void **unused) {
    (void)unused;
    td_study *s = study_of("study: 1\nrobot: " ARM_FILE "\n"
                           "parameters: {L: {path: rods.arm.length, range: [-1, 1]}}\n"
                           "results: {x: tip.x, r: sqrt(L - 0.5)}\n");
    td_study_worker *w = td_study_worker_create(s);
    double p[1] = {-0.5}, y[2] = {7.0, 8.0};
    assert_int_equal(td_study_compute(w, p, y), TD_ERR_VALUE);
    assert_non_null(strstr(td_study_message(w), "must be positive"));
    p[0] = 0.4;
    assert_int_equal(td_study_compute(w, p, y), TD_ERR_NOT_FINITE);
    assert_non_null(strstr(td_study_message(w), "sqrt(L - 0.5)"));
    CHECK_NEAR(y[0], 7.0, 0.0);
    p[0] = 0.6;
    assert_int_equal(td_study_compute(w, p, y), TD_OK);
    assert_string_equal(td_study_message(w), "");
    td_study_worker_destroy(w);
    td_study_destroy(s);
}

// ---------------------------------------------------------------- refusals
#define HEAD "study: 1\nrobot: " ARM_FILE "\n"
#define E_RANGE "parameters: {E: {path: materials.rubber.youngs_modulus, range: [1 MPa, 2 MPa]}}\n"

static void wrong_files_are_refused_with_line_and_reason(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *words;
        int line;
    } list[] = {
        {"parameters: {}\n", "begin the file with 'study: 1'", 1},
        {"tendril: 1\n", "this is a robot file", 1},
        {"study: 2\n", "reads version 1", 1},
        {"study: 1\nparameters: {a: {range: [0, 1]}}\nresult: {x: a}\n", "did you mean 'results'",
         3},
        {HEAD "parameters: {E: {path: materials.ruber.youngs_modulus, range: [1 MPa, 2 "
              "MPa]}}\nresults: {x: tip.x}\n",
         "refuses", 3},
        {HEAD "parameters: {E: {path: materials.rubber.youngs_modulus, range: [1 mm, 2 "
              "mm]}}\nresults: {x: tip.x}\n",
         "a pressure (Pa) is expected", 3},
        {HEAD "parameters: {E: {path: materials.rubber.youngs_modulus, range: [1 MPa, 2 "
              "mm]}}\nresults: {x: tip.x}\n",
         "a pressure (Pa) is expected", 3},
        {HEAD "parameters: {E: {path: materials.rubber.youngs_modulus, range: [2 MPa, 1 "
              "MPa]}}\nresults: {x: tip.x}\n",
         "must be below", 3},
        {HEAD "parameters: {E: {path: materials.rubber.youngs_modulus}}\nresults: {x: tip.x}\n",
         "how does it vary", 3},
        {HEAD "parameters: {E: {path: materials.rubber.youngs_modulus, range: [1, 2], values: "
              "[1]}}\nresults: {x: tip.x}\n",
         "cannot both", 3},
        {HEAD "parameters: {M: {input: bent, range: [1, 2]}}\nresults: {x: tip.x}\n",
         "did you mean 'bend'", 3},
        {HEAD E_RANGE "results: {x: tip.w}\n", "a point has", 4},
        {HEAD E_RANGE "results: {E: tip.x}\n", "name of a parameter", 4},
        {HEAD E_RANGE "results: {x: max(tip.x)}\n", "over time", 4},
        {HEAD E_RANGE "results: {x: tip.pose}\n", "name one of them", 4},
        {HEAD E_RANGE "samples: {method: sobbol}\nresults: {x: tip.x}\n", "did you mean 'sobol'",
         4},
        {HEAD E_RANGE "samples: {count: 0}\nresults: {x: tip.x}\n", "must be positive", 4},
        {HEAD E_RANGE "samples: {method: grid, count: 3}\nresults: {x: tip.x}\n",
         "count of its own", 4},
        {HEAD E_RANGE "action: reach\nresults: {x: tip.x}\n", "'reach' is missing", 1},
        {HEAD E_RANGE "set: {rods.arm.length: tip.x}\nresults: {x: tip.x}\n", "only parameters", 4},
        {HEAD E_RANGE "set: {rods.arm.lenght: E}\nresults: {x: tip.x}\n", "refuses", 4},
        {"study: 1\nparameters: {a: {range: [0, 1]}}\nresults: {x: a + c}\n",
         "no parameter or earlier result 'c'", 3},
        {"study: 1\nparameters: {a: {range: [0, 1]}}\naction: statics\nresults: {x: a}\n",
         "needs a robot", 3},
        {"study: 1\nparameters: {a: {path: x, range: [0, 1]}}\nresults: {x: a}\n", "names no robot",
         2},
        {"study: 1\nrobot: nowhere.yaml\nparameters: {a: {range: [0, 1]}}\nresults: {x: a}\n",
         "cannot be opened", 2},
        {"study: 1\nparameters: {a: {normal: {deviation: 1}}}\nresults: {x: a}\n", "give 'mean'",
         2},
        {"study: 1\nparameters: {a: {normal: {mean: 1, deviation: -1}}}\nresults: {x: a}\n",
         "must be positive", 2},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        td_error err = {0};
        td_study *s = td_study_parse(list[i].text, strlen(list[i].text), NULL, NULL, 0, &err);
        const bool said = !s && strstr(err.message, list[i].words) && err.line == list[i].line;
        if (!said)
            fprintf(stderr, "%s: line %d, '%s: %s', not line %d, '%s'\n", list[i].text, err.line,
                    err.where, err.message, list[i].line, list[i].words);
        assert_true(said);
    }
}

static void words_are_chosen_and_tolerances_are_about_the_file(void **unused) {
    (void)unused;
    td_study *s = study_of("study: 1\nrobot: " ARM_FILE "\n"
                           "parameters:\n"
                           "  model: {path: simulation.model, choices: [cosserat, eba]}\n"
                           "  r: {path: rods.arm.section.radius, tolerance: 0.3 mm}\n"
                           "samples: {method: random, count: 200}\nresults: {x: tip.x}\n");
    assert_string_equal(td_study_parameter(s, 0).choices[1], "eba");
    int second = 0;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < 200; i++) {
        double p[2];
        td_study_get_case(s, i, p);
        assert_true(p[0] == 0.0 || p[0] == 1.0);
        second += p[0] == 1.0;
        CHECK_BETWEEN(p[1], 4.7e-3, 5.3e-3);
        sum += p[1] / 200, squares += p[1] * p[1] / 200;
    }
    CHECK_BETWEEN(second, 70, 130);
    CHECK_NEAR(sum, 5e-3, 4e-5);
    CHECK_NEAR(sqrt(squares - sum * sum), 0.1e-3, 2e-5);
    double p[2] = {1.0, 5e-3}, y[1];
    compute(s, p, y);
    td_study_destroy(s);
}

static int write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    fputs(text, f);
    return fclose(f);
}

static int write_arms(void **unused) {
    (void)unused;
    return write_text(ARM_FILE, ARM("1 N mm")) |
           write_text(STEP_FILE, ARM("{step: {from: 0, to: 1 N mm, at: 1 ms}}"));
}

static int remove_arms(void **unused) {
    (void)unused;
    return unlink(ARM_FILE) | unlink(STEP_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_what_arithmetic_says),
        cmocka_unit_test(wrong_expressions_are_refused_with_their_place),
        cmocka_unit_test(functions_over_time_are_those_of_the_line_through_all_instants),
        cmocka_unit_test(a_case_is_the_robot_with_these_numbers),
        cmocka_unit_test(results_depend_on_the_case_alone),
        cmocka_unit_test(modes_of_a_case_are_those_of_the_beam),
        cmocka_unit_test(a_run_of_a_case_has_its_extremes),
        cmocka_unit_test(reach_finds_the_moment_of_an_arc),
        cmocka_unit_test(a_case_that_fails_says_why_and_leaves_the_results),
        cmocka_unit_test(wrong_files_are_refused_with_line_and_reason),
        cmocka_unit_test(words_are_chosen_and_tolerances_are_about_the_file),
    };
    return cmocka_run_group_tests(tests, write_arms, remove_arms);
}
