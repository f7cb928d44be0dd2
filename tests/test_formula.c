// Formulas against the C library, against differences, and against times of jumps worked out by hand; what is
// wrong is refused where it stands.
#include "robot/formula.h"

#include <string.h>

#include "tendril/tendril.h"

#include "check.h"

#define PI 3.14159265358979323846

static const formula_names of_time = {.names = (const char *const[]){"t"}, .n = 1};

static formula parsed(const char *text, const formula_names *names) {
    formula f;
    formula_error err;
    if (!formula_parse(text, names, &f, &err)) fprintf(stderr, "'%s': %s\n", text, err.why);
    assert_true(formula_parse(text, names, &f, &err));
    return f;
}

static void check_value(const char *text, double t, double value) {
    const formula f = parsed(text, &of_time);
    CHECK_NEAR(formula_at_time(&f, t, TD_AFTER).v, value, 4e-16 * (1.0 + fabs(value)));
}

static void formulas_have_the_values_of_c(void **state) {
    (void)state;
    const double t = 0.37;
    check_value("2 + sin(2*pi*t)", t, 2.0 + sin(2.0 * PI * t));
    check_value("1 - 2 - 3", t, -4.0);
    check_value("8 / 4 / 2", t, 1.0);
    check_value("2^3^2", t, 512.0);
    check_value("-2^2", t, -4.0);
    check_value("2**-1", t, 0.5);
    check_value("-(t - 1)*-3", t, 3.0 * (t - 1.0));
    check_value("1e-3*t + .5", t, 1e-3 * t + 0.5);
    check_value("exp(-t)*cosh(t)/tanh(2*t)", t, exp(-t) * cosh(t) / tanh(2.0 * t));
    check_value("asin(t) + acos(t) + atan(t) + tan(t) + sinh(t)", t,
                asin(t) + acos(t) + atan(t) + tan(t) + sinh(t));
    check_value("log(t) + log10(t) + sqrt(t)", t, log(t) + log10(t) + sqrt(t));
    check_value("min(t, 1) + max(t, 1) + clamp(5, 0, 2) + clamp(t, 1, 2)", t, t + 1.0 + 2.0 + 1.0);
    check_value("atan2(-t, -1) + hypot(3, 4*t)", t, atan2(-t, -1.0) + hypot(3.0, 4.0 * t));
    check_value("abs(t - 1) + sign(t - 1) + step(t) + floor(10*t) + mod(t, 0.25)", t,
                (1.0 - t) - 1.0 + 1.0 + 3.0 + (t - 0.25));
    check_value("mod(-1, 3) + floor(-0.5)", t, 1.0);
    check_value("cbrt(-t) + pow(t, 3) + ceil(10*t) + hypot(2, 3, 6)", t,
                cbrt(-t) + pow(t, 3.0) + 4.0 + 7.0);
    check_value("min(3, t, 2) + max(3, t, 5) + if(t < 0.4 s, 1, 2)*10", t, t + 5.0 + 10.0);
    check_value("table(t, 0, 1, 0.2, 2, 1, -2) + table(0.1 - t, 0, 5, 1, 7)", t,
                2.0 - 4.0 * (t - 0.2) / 0.8 + 5.0);
    check_value("table(2*t, -1, 3, 0.5, 4)*10", t, 40.0);
    check_value("(t < 1) + 10*(t > 1) + 100*(t <= 1) + 1000*(t >= 1)", 1.0, 1010.0);
}

static void units_are_those_of_files(void **state) {
    (void)state;
    check_value("2 kN + 300", 0.0, 2300.0);
    check_value("90 deg", 0.0, PI / 2.0);
    check_value("10 mm/s * t", 3.0, 0.03);
    check_value("3 N * cos(t/2 s)", 1.0, 3.0 * cos(0.5));
    check_value("2 kg/(m s) * t", 2.0, 4.0);
    check_value("5 kPa*(1 - exp(-t/100 ms))", 0.2, 5e3 * (1.0 - exp(-2.0)));
    check_value("2 m * min(1, t)", 0.5, 1.0);  // not minutes
    check_value("2 min", 0.5, 120.0);
    check_value("sqrt(4 m^2) + 1 m", 0.0, 3.0);
    check_value("1 m^2 / 1 m + 1 m", 0.0, 2.0);
    check_value("20 %", 0.0, 0.2);
    check_value("table(t, 100 ms, 1 N, 0.3 s, 3 kN) + 2 N", 0.2, 1502.5);
}

// The slope and curvature against central differences of the value.
static void slopes_are_exact(void **state) {
    (void)state;
    static const char *const texts[] = {
        "2 + sin(2*pi*t)",
        "t^3 - 2*t^2 + t",
        "exp(-t)*cos(3*t)",
        "1/(1 + t^2)",
        "sqrt(1 + t)*log(2+t)",
        "t^t",
        "atan2(t, 1 - t)",
        "hypot(t, 1 + t)",
        "tan(t)*tanh(t)",
        "asin(t/2) + acos(t/3)*atan(t)",
        "sinh(t)/cosh(2*t)",
        "abs(t - 2)*log10(t)",
        "max(t^2, t^3)",
        "mod(t, 0.5)^2",
        "2^t",
        "cbrt(t - 2)*pow(t, 1.5)",
        "if(t < 1, t^3, 0)",
        "table(t^2, 0, 1, 0.3, 2, 1, -3)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const formula f = parsed(texts[i], &of_time);
        const double t = 0.7, h = 1e-4;
        const jet j = formula_at_time(&f, t, TD_AFTER);
        double v[5];
        for (int k = 0; k < 5; k++) v[k] = formula_at_time(&f, t + (k - 2) * h, TD_AFTER).v;
        CHECK_NEAR(j.d, (v[0] - 8.0 * v[1] + 8.0 * v[3] - v[4]) / (12.0 * h), 2e-10);
        CHECK_NEAR(j.dd, (-v[0] + 16.0 * v[1] - 30.0 * v[2] + 16.0 * v[3] - v[4]) / (12.0 * h * h),
                   5e-6);
    }
}

static void slopes_follow_any_direction(void **state) {
    (void)state;
    const formula_names names = {
        .names = (const char *const[]){"tip.x", "tip.z"}, .n = 2, .time = -1};
    const formula f = parsed("tip.x^2*tip.z + step(tip.x*tip.z)", &names);
    const double at[2] = {3.0, 5.0}, along[2] = {0.5, -2.0};
    const jet j = formula_at(&f, at, along, TD_AFTER);
    CHECK_NEAR(j.v, 46.0, 0.0);
    CHECK_NEAR(j.d, 2.0 * 3.0 * 5.0 * 0.5 - 9.0 * 2.0, 1e-14);
    CHECK_NEAR(j.dd, 2.0 * 5.0 * 0.25 + 2.0 * (2.0 * 3.0) * 0.5 * -2.0, 1e-14);
    assert_true(formula_uses(&f, 0) && formula_uses(&f, 1));
}

// ---------------------------------------------------------------- jumps
static void jumps_are_known_to_the_bit(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_FORMULA, .formula = "3*step(0.3 - t) + floor(10*t)*1e-3"};
    CHECK_NEAR(td_signal_value(&s, 0.3, TD_BEFORE), 3.002, 1e-15);
    CHECK_NEAR(td_signal_value(&s, 0.3, TD_AFTER), 0.003, 1e-15);
    double t = -0.05;
    for (int k = 0; k <= 20; k++) {
        t = td_signal_next_jump(&s, t);
        CHECK_NEAR(t, 0.1 * k, 1e-15);
        CHECK_NEAR(td_signal_value(&s, t, TD_BEFORE) - 3.0 * (k <= 3), 1e-3 * (k - 1), 1e-15);
        CHECK_NEAR(td_signal_value(&s, t, TD_AFTER) - 3.0 * (k < 3), 1e-3 * k, 1e-15);
    }
}

static void choices_jump_where_their_comparisons_do(void **state) {
    (void)state;
    const formula f = parsed("if(t >= 0.5, 2 N, 1 N) + if(2*t > 3, log(t), 0)", &of_time);
    assert_true(formula_next_jump(&f, 0.0, false) == 0.5);
    assert_true(formula_next_jump(&f, 0.5, false) == 1.5);
    assert_true(formula_next_jump(&f, 1.5, false) == HUGE_VAL);
    assert_true(formula_at_time(&f, 0.5, TD_BEFORE).v == 1.0);
    assert_true(formula_at_time(&f, 0.5, TD_AFTER).v == 2.0);
}

static void what_begins_at_zero_is_a_kink_and_no_jump(void **state) {
    (void)state;
    const formula f = parsed("sin(pi*t)*step(t - 1) + abs(2*t - 5)", &of_time);
    assert_true(formula_next_jump(&f, 0.0, false) == HUGE_VAL);
    assert_true(formula_next_jump(&f, 0.0, true) == 1.0);
    assert_true(formula_next_jump(&f, 1.0, true) == 2.5);
    CHECK_NEAR(formula_at_time(&f, 2.5, TD_BEFORE).d, -2.0, 1e-12);
    CHECK_NEAR(formula_at_time(&f, 2.5, TD_AFTER).d, 2.0, 1e-12);
    assert_true(formula_next_jump(&f, 2.5, true) == HUGE_VAL);
    const formula g = parsed("table(2*t, 1, 0, 2, 3, 4, 3)", &of_time);
    assert_true(formula_next_jump(&g, 0.0, false) == HUGE_VAL);
    assert_true(formula_next_jump(&g, 0.0, true) == 0.5);
    assert_true(formula_next_jump(&g, 0.5, true) == 1.0);
    CHECK_NEAR(formula_at_time(&g, 1.0, TD_BEFORE).d, 6.0, 1e-12);
    CHECK_NEAR(formula_at_time(&g, 1.0, TD_AFTER).d, 0.0, 0.0);
}

// ---------------------------------------------------------------- refusals
static void mistakes_are_told_where_they_are(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int at;
        const char *why;
    } cases[] = {
        {"2 + ", 4, "ends where"},
        {"2 + *3", 4, "is expected at '*3'"},
        {"sin(2*pi*x)", 9, "'x' is not known here"},
        {"2*sni(t)", 2, "did you mean 'sin'?"},
        {"(1 + t", 6, "')' is missing"},
        {"2 t", 2, "'*' is missing before 't'"},
        {"2 + 3 Newton * t", 6, "unknown unit 'Newton'"},
        {"2 N + 3 mm", 4, "a force (N) and a length (m) do not add up"},
        {"sin(3 mm)", 0, "takes a plain number or an angle, not a length (m)"},
        {"2 mm", 0, "this is a length (m), but a force (N) is expected"},
        {"atan2(t)", 0, "atan2 takes 2 numbers, not 1"},
        {"sin(t, t)", 0, "sin takes 1 number, not more"},
        {"sin + 2", 0, "sin is a function"},
        {"step(sin(t))", 0, "a + b*t alone"},
        {"if(t, 1, 2)", 0, "so that it is known when it changes"},
        {"if(sin(t) > 0, 1, 2)", 10, "a + b*t alone"},
        {"mean(t)", 0, "mean is over the time of a run"},
        {"min(t)", 0, "min takes 2 numbers or more, not 1"},
        {"clamp(t, 1)", 0, "clamp takes 3 numbers, not 2"},
        {"table(t, 0, 1)", 0, "then two or more points"},
        {"table(t, 0, 1, 2)", 0, "then two or more points"},
        {"table(t, 0, t, 1, 2)", 12, "takes constants"},
        {"table(t, 0, 1, 0, 2)", 15, "places in a table ascend: 0 comes after 0"},
        {"table(t, 0, 1 N, 1, 2 m)", 0, "do not add up"},
        {"table(2 mm, 0 N, 1, 1 N, 2)", 0, "do not add up"},
        {"table(t, 0 s, 1 m, 1 s, 2 m)", 0, "a length (m), but a force (N)"},
        {"if(t > 1 s, 2 N, 2 mm)", 0, "do not both fit"},
        {"2 N > 3 mm", 4, "do not compare"},
        {"mod(t, t)", 0, "so that it is known when it jumps"},
        {"1/(2 - 2)", 1, "division by 0"},
        {"log(-1)", 0, "not finite"},
        {"t @ 2", 2, "an operator is expected at '@ 2'"},
        {"", 0, "ends where"},
    };
    formula_names names = of_time;
    names.unit = "N";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        formula f;
        formula_error err = {0};
        assert_false(formula_parse(cases[i].text, &names, &f, &err));
        if (!strstr(err.why, cases[i].why) || err.at != cases[i].at)
            fprintf(stderr, "'%s': at %d: %s\n", cases[i].text, err.at, err.why);
        assert_non_null(strstr(err.why, cases[i].why));
        assert_int_equal(err.at, cases[i].at);
    }
}

static void what_is_too_large_is_refused(void **state) {
    (void)state;
    char text[4096];
    formula f;
    formula_error err;
    memset(text, '(', 3000);
    text[3000] = '\0';
    assert_false(formula_parse(text, &of_time, &f, &err));
    assert_non_null(strstr(err.why, "too many parentheses"));
    for (int i = 0; i < 600; i++) memcpy(text + 2 * i, i % 2 ? "* " : "t ", 3);
    strcat(text, "t");
    assert_false(formula_parse(text, &of_time, &f, &err));
    assert_non_null(strstr(err.why, "too long"));
    text[0] = '\0';
    for (int i = 0; i < 20; i++) strcat(text, "t*(2+");
    strcat(text, "t");
    for (int i = 0; i < 20; i++) strcat(text, ")");
    assert_false(formula_parse(text, &of_time, &f, &err));
    assert_non_null(strstr(err.why, "wait for one another"));
}

// ---------------------------------------------------------------- in robots
static const char *const arm =
    "tendril: 1\n"
    "rods:\n"
    "  - {name: arm, length: 0.3, section: {radius: 1 mm}, material: {youngs_modulus: 60 GPa, "
    "poisson_ratio: 0.3, density: 8000}}\n"
    "loads: [{name: push, at: tip, force: [push, 0, 0]}]\n"
    "simulation: {time: {step: 10 ms, end: 1 s}}\n"
    "inputs:\n"
    "  push: \"0.1 N*(1 - cos(2*pi*t)) + 0.1*step(t - 0.505)\"\n";

static td_robot *robot_of(const char *text, td_error *err) {
    return td_robot_parse(text, strlen(text), "arm.yaml", NULL, 0, err);
}

static void a_robot_follows_a_formula(void **state) {
    (void)state;
    td_error err = {0};
    td_robot *robot = robot_of(arm, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *s = td_state_create(system);
    CHECK_OK(td_begin(system, s), err);
    for (int k = 1; k <= 60; k++) {
        CHECK_OK(td_advance(system, s, 0.01), err);
        const double t = 0.01 * k;
        CHECK_NEAR(td_get_input(system, s, 0),
                   0.1 * (1.0 - cos(2.0 * PI * t)) + (t > 0.505 ? 0.1 : 0.0), 1e-14);
    }
    // and so does what is written from it
    char *text = td_robot_write(robot, NULL, NULL, &err);
    assert_non_null(strstr(text, "formula:"));
    td_robot *again = robot_of(text, &err);
    assert_non_null(again);
    td_free_text(text);
    td_robot_destroy(again);
    td_state_destroy(s);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void files_say_line_and_column(void **state) {
    (void)state;
    char text[1024];
    td_error err = {0};
    snprintf(text, sizeof text, "%s", arm);
    memcpy(strstr(text, "cos(2*pi*t)"), "cos(2*pi*q)", 11);
    assert_null(robot_of(text, &err));
    assert_int_equal(err.line, 7);
    assert_int_equal(err.column, 10 + 20);
    assert_non_null(strstr(err.message, "'q' is not known here"));
    memcpy(strstr(text, "0.1 N*(1 - cos(2*pi*q))"), "log(t)                 ", 23);
    assert_null(robot_of(text, &err));
    assert_non_null(strstr(err.message, "not finite at t = 0"));
}

static void a_run_ends_where_a_formula_does(void **state) {
    (void)state;
    char text[1024];
    td_error err = {0};
    snprintf(text, sizeof text, "%s", arm);
    memcpy(strstr(text, "0.1 N*(1 - cos(2*pi*t)) + 0.1*step(t - 0.505)"),
           "0.1*sqrt(0.035 - t)                          ", 45);
    td_robot *robot = robot_of(text, &err);
    assert_non_null(robot);
    td_options options = td_robot_options(robot);
    td_system *system = td_system_create(robot, &options, &err);
    td_state *s = td_state_create(system);
    CHECK_OK(td_begin(system, s), err);
    for (int k = 1; k <= 3; k++) assert_true(td_advance(system, s, 0.01) >= 0);
    assert_int_equal(td_advance(system, s, 0.01), TD_ERR_NOT_FINITE);
    assert_non_null(strstr(td_message(s), "is not finite at t = 0.04 s"));
    CHECK_NEAR(td_get_time(system, s), 0.03, 1e-15);
    td_state_destroy(s);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_the_values_of_c),
        cmocka_unit_test(units_are_those_of_files),
        cmocka_unit_test(slopes_are_exact),
        cmocka_unit_test(slopes_follow_any_direction),
        cmocka_unit_test(jumps_are_known_to_the_bit),
        cmocka_unit_test(choices_jump_where_their_comparisons_do),
        cmocka_unit_test(what_begins_at_zero_is_a_kink_and_no_jump),
        cmocka_unit_test(mistakes_are_told_where_they_are),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(a_robot_follows_a_formula),
        cmocka_unit_test(files_say_line_and_column),
        cmocka_unit_test(a_run_ends_where_a_formula_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
