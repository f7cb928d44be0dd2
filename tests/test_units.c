// Quantities with units: values, dimensions, and what is said about a bad one.
#include <string.h>

#include "check.h"
#include "robot/suggest.h"
#include "robot/units.h"

#define PI 3.14159265358979323846

static void quantities_have_their_si_value(void **state) {
    (void)state;
    // Values from the definitions of the units (SI brochure; the pound and the inch of 1959).
    static const struct {
        const char *text;
        double value;
        const char *same_as;  // a unit of the same dimension
    } cases[] = {
        {"0.4", 0.4, ""},
        {"-3", -3.0, ""},
        {"+.5e1", 5.0, ""},
        {"2.", 2.0, ""},
        {"207 GPa", 207e9, "Pa"},
        {"207GPa", 207e9, "Pa"},
        {"0.4 mm", 0.0004, "m"},
        {"3 mm", 0.003, "m"},
        {"7 um", 7e-6, "m"},
        {"7 \xc2\xb5m", 7e-6, "m"},
        {"16 ms", 0.016, "s"},
        {"90 deg", PI / 2, "rad"},
        {"20 degC", 293.15, "K"},
        {"-40 \xc2\xb0"
         "C",
         233.15, "K"},
        {"1e-6 N m^2 s", 1e-6, "kg m^3/s"},
        {"1e-6 N*m^2*s", 1e-6, "kg m^3/s"},
        {"1 N\xc2\xb7m", 1.0, "kg m^2/s^2"},
        {"2.12 g/m^2", 2.12e-3, "kg/m^2"},
        {"3 kg/(m s)", 3.0, "Pa s"},
        {"5 1/m", 5.0, "m^-1"},
        {"5 /m", 5.0, "1/m"},
        {"9.81 m/s/s", 9.81, "m/s^2"},
        {"9.81 m s^-2", 9.81, "m/s^2"},
        {"9.81 m s**-2", 9.81, "m/s^2"},
        {"2 cm^2", 2e-4, "m^2"},
        {"2 N mm\xc2\xb2", 2e-6, "N m^2"},
        {"2 (mm)^4", 2e-12, "m^4"},
        {"1 bar", 1e5, "Pa"},
        {"1 mbar", 100.0, "N/m^2"},
        {"1 atm", 101325.0, "Pa"},
        {"1 psi", 0.45359237 * 9.80665 / (0.0254 * 0.0254), "Pa"},
        {"1 ksi", 0.45359237 * 9806.65 / (0.0254 * 0.0254), "Pa"},
        {"1 inch", 0.0254, "m"},
        {"12 in", 0.3048, "m"},
        {"1 ft", 0.3048, "m"},
        {"1 lbf", 0.45359237 * 9.80665, "N"},
        {"20 gf", 0.020 * 9.80665, "N"},
        {"60 rpm", 2 * PI, "rad/s"},
        {"2 Hz", 2.0, "1/s"},
        {"50 %", 0.5, ""},
        {"50%", 0.5, ""},
        {"1 ml", 1e-6, "m^3"},
        {"2 min", 120.0, "s"},
        {"1 h", 3600.0, "s"},
        {"8.314 J/(mol K)", 8.314, "N m/(K mol)"},
        {"1 W", 1.0, "J/s"},
        {"  5   N ", 5.0, "N"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        quantity q;
        char why[UNITS_TEXT] = "";
        if (!quantity_parse(cases[i].text, &q, why)) fail_msg("%s: %s", cases[i].text, why);
        CHECK_NEAR(q.value, cases[i].value, 4e-16 * fabs(cases[i].value));
        if (!dimension_fits(q.dim, unit_dimension(cases[i].same_as)))
            fail_msg("%s is not like %s", cases[i].text, cases[i].same_as);
    }
}

static void decimal_prefixes_round_like_the_literal(void **state) {
    (void)state;
    for (int i = 1; i < 2000; i++) {
        char with_unit[32], plain[32], why[UNITS_TEXT];
        quantity a, b;
        snprintf(with_unit, sizeof with_unit, "%d um", i);
        snprintf(plain, sizeof plain, "%de-6", i);
        assert_true(quantity_parse(with_unit, &a, why) && quantity_parse(plain, &b, why));
        assert_true(a.value == b.value);
    }
}

static void bad_quantities_are_refused_with_the_bad_part(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "not a number"},
        {"abc", "'abc' is not a number"},
        {"nan", "not a number"},
        {"inf m", "not a number"},
        {"-inf", "not a number"},
        {"0x10", "unknown unit 'x10'"},
        {"1e999", "too large"},
        {"1e-999", "too small"},
        {"1e308 GPa", "out of range"},
        {"0,5 m", "decimal point"},
        {"5 xyz", "unknown unit 'xyz'"},
        {"5 Gpa", "did you mean 'GPa'"},
        {"5 gpa", "did you mean 'GPa'"},
        {"5 hz", "did you mean 'Hz'"},
        {"5 m2", "did you mean 'm^2'"},
        {"5 mm2", "did you mean 'mm^2'"},
        {"5 kg/m s", "parentheses"},
        {"5 kg/m*s", "parentheses"},
        {"5 kg/(m s", "')' is missing"},
        {"5 m^x", "whole number"},
        {"5 m^", "whole number"},
        {"5 m^99", "too large"},
        {"5 m^9999999999999", "too large"},
        {"5 m)", "')' does not belong"},
        {"5 m / ", "a unit is expected"},
        {"5 N * push", "unknown unit 'push'"},
        {"5 degC/m", "degC stands alone"},
        {"5 m degC", "degC stands alone"},
        {"5 degC^2", "degC stands alone"},
        {"5 1 m", "'/' is expected"},
        {"5 ((((((((((m))))))))))", "too many parentheses"},
        {"1.2.3", "a unit is expected at '.3'"},
        {"1e5e5", "unknown unit 'e5'"},
        {"--5", "not a number"},
        {"5 kdeg", "unknown unit 'kdeg'"},
        {"1111111111111111111111111111111111111111111111111111111111111111111", "too many digits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        quantity q;
        char why[UNITS_TEXT] = "";
        if (quantity_parse(cases[i].text, &q, why)) fail_msg("%s was accepted", cases[i].text);
        if (!strstr(why, cases[i].says))
            fail_msg("%s: '%s' does not say '%s'", cases[i].text, why, cases[i].says);
    }
}

static void dimensions_fit_only_their_like(void **state) {
    (void)state;
    assert_true(dimension_fits(unit_dimension("J"), unit_dimension("N m")));
    assert_true(dimension_fits(unit_dimension("N m/rad"), unit_dimension("N m")));
    assert_true(dimension_fits(unit_dimension("deg/m"), unit_dimension("1/m")));
    assert_true(dimension_fits(unit_dimension(""), unit_dimension("rad")));
    assert_false(dimension_fits(unit_dimension("N"), unit_dimension("N m")));
    assert_false(dimension_fits(unit_dimension("Pa"), unit_dimension("N")));
    // One revolution a second is 1 Hz and 6.28 rad/s: neither may pass for the other.
    assert_false(dimension_fits(unit_dimension("rpm"), unit_dimension("Hz")));
    assert_false(dimension_fits(unit_dimension("rad/s"), unit_dimension("Hz")));
    assert_false(dimension_fits(unit_dimension("Hz"), unit_dimension("rad/s")));
}

static void dimensions_have_names(void **state) {
    (void)state;
    char text[UNITS_TEXT];
    assert_string_equal(dimension_name(unit_dimension("kN/cm^2"), text), "pressure (Pa)");
    assert_string_equal(dimension_name(unit_dimension("mm"), text), "length (m)");
    assert_string_equal(dimension_name(unit_dimension("deg"), text), "angle (rad)");
    assert_string_equal(dimension_name(unit_dimension("mm/kN"), text), "compliance (m/N)");
    assert_string_equal(dimension_name(unit_dimension("s/m"), text), "viscous friction (s/m)");
    assert_string_equal(dimension_name(unit_dimension("g mm^2"), text),
                        "moment of inertia (kg m^2)");
    assert_string_equal(dimension_name(unit_dimension("umol"), text), "amount of substance (mol)");
    assert_string_equal(dimension_name(unit_dimension(""), text), "plain number");
    assert_string_equal(dimension_name(unit_dimension("g^2 K/m"), text), "quantity in kg^2 m^-1 K");
}

static void distances_count_edits(void **state) {
    (void)state;
    assert_int_equal(edit_distance("kitten", "sitting"), 3);  // the textbook's
    assert_int_equal(edit_distance("psuh", "push"), 1);       // a swap
    assert_int_equal(edit_distance("", "abc"), 3);
    assert_int_equal(edit_distance("Radius", "radius"), 0);
    assert_int_equal(edit_distance("ca", "abc"), 3);  // what tells this variant from the true one
    assert_true(is_near("lenght", "length"));
    assert_false(is_near("width", "radius"));
    assert_true(is_near("output", "out"));  // one word is the beginning of the other
    assert_true(is_near("Stat", "statics"));
    assert_false(is_near("or", "order"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_have_their_si_value),
        cmocka_unit_test(decimal_prefixes_round_like_the_literal),
        cmocka_unit_test(bad_quantities_are_refused_with_the_bad_part),
        cmocka_unit_test(dimensions_fit_only_their_like),
        cmocka_unit_test(dimensions_have_names),
        cmocka_unit_test(distances_count_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
