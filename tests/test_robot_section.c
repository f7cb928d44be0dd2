// Section properties against closed forms, quadrature and published torsion constants.
#include "robot/robot.h"

#include "check.h"

#define PI 3.14159265358979323846

static td_piece_def unit_piece(td_section start, td_section end) {
    td_piece_def p = td_default_piece_def();
    p.length = 1.0;
    p.youngs_modulus = 1.0, p.shear_modulus = 1.0, p.density = 1.0;
    p.section = start, p.section_end = end;
    return p;
}

static td_section_properties of(td_section s) {
    td_piece_def p = unit_piece(s, s);
    return piece_properties(&p, 0.5);
}

static void circle_has_the_textbook_moments(void **state) {
    (void)state;
    double r = 3e-3;
    td_section_properties p = of((td_section){.shape = TD_SECTION_CIRCLE, .radius = r});
    CHECK_NEAR(p.stiffness[0], PI * pow(r, 4) / 4, 1e-25);
    CHECK_NEAR(p.stiffness[1], PI * pow(r, 4) / 4, 1e-25);
    CHECK_NEAR(p.stiffness[2], PI * pow(r, 4) / 2, 1e-25);
    CHECK_NEAR(p.stiffness[5], PI * r * r, 1e-19);
    CHECK_NEAR(p.mass, PI * r * r, 1e-19);
    CHECK_NEAR(p.inertia[2], p.inertia[0] + p.inertia[1], 1e-25);
}

// A tube is a disc less a disc; also where the wall is thin and the difference would cancel.
static void tube_is_a_disc_less_a_disc(void **state) {
    (void)state;
    td_section_properties outer = of((td_section){.shape = TD_SECTION_CIRCLE, .radius = 2.0});
    td_section_properties inner = of((td_section){.shape = TD_SECTION_CIRCLE, .radius = 1.5});
    td_section_properties tube =
        of((td_section){.shape = TD_SECTION_CIRCLE, .radius = 2.0, .inner_radius = 1.5});
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(tube.stiffness[i], outer.stiffness[i] - inner.stiffness[i], 1e-13);
    double r = 1.0, wall = 1e-9;  // thin: A -> 2 pi r t, J -> 2 pi r^3 t
    td_section_properties thin =
        of((td_section){.shape = TD_SECTION_CIRCLE, .radius = r, .inner_radius = r - wall});
    CHECK_NEAR(thin.stiffness[5] / (2 * PI * r * wall), 1.0, 1e-6);
    CHECK_NEAR(thin.stiffness[2] / (2 * PI * r * wall), 1.0, 1e-6);
}

// I_xx = integral of y^2: width along x, height along y.
static void rectangle_moments_agree_with_quadrature(void **state) {
    (void)state;
    double width = 0.7, height = 0.2, ixx = 0.0, iyy = 0.0;
    int n = 400;
    for (int i = 0; i < n; i++) {
        double x = (i + 0.5) / n - 0.5;
        ixx += width * pow(height * x, 2) * height / n;
        iyy += height * pow(width * x, 2) * width / n;
    }
    td_section_properties p =
        of((td_section){.shape = TD_SECTION_RECTANGLE, .width = width, .height = height});
    CHECK_NEAR(p.stiffness[0], ixx, 1e-5 * ixx);
    CHECK_NEAR(p.stiffness[1], iyy, 1e-5 * iyy);
}

// Timoshenko & Goodier, table of k1 in J = k1 (2a)^3 (2b), printed to three or four digits.
static void rectangle_torsion_agrees_with_the_table(void **state) {
    (void)state;
    static const double table[][2] = {{1.0, 0.1406}, {1.2, 0.166}, {1.5, 0.196},
                                      {2.0, 0.229},  {2.5, 0.249}, {3.0, 0.263},
                                      {4.0, 0.281},  {5.0, 0.291}, {10.0, 0.312}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double a = table[i][0];
        td_section_properties wide =
            of((td_section){.shape = TD_SECTION_RECTANGLE, .width = a, .height = 1.0});
        td_section_properties tall =
            of((td_section){.shape = TD_SECTION_RECTANGLE, .width = 1.0, .height = a});
        CHECK_NEAR(wide.stiffness[2] / a, table[i][1], i == 0 ? 5.1e-5 : 6e-4);
        CHECK_NEAR(wide.stiffness[2], tall.stiffness[2], 1e-14);
    }
}

// The series itself, summed far enough the slow way.
static void rectangle_torsion_agrees_with_the_plain_series(void **state) {
    (void)state;
    for (double a = 1.0; a < 20.0; a *= 1.37) {
        double sum = 0.0;
        for (int n = 4001; n >= 1; n -= 2) sum += tanh(n * PI * a / 2) / pow(n, 5);
        double J = a * (1.0 / 3.0 - 64.0 / pow(PI, 5) / a * sum);
        td_section_properties p =
            of((td_section){.shape = TD_SECTION_RECTANGLE, .width = a, .height = 1.0});
        CHECK_NEAR(p.stiffness[2], J, 1e-14 * a);
    }
    // A thin strip: J -> a b^3 / 3.
    td_section_properties strip =
        of((td_section){.shape = TD_SECTION_RECTANGLE, .width = 1e6, .height = 1.0});
    CHECK_NEAR(strip.stiffness[2] / (1e6 / 3.0), 1.0, 1e-6);
}

static void general_section_is_taken_as_given(void **state) {
    (void)state;
    td_section s = {
        .shape = TD_SECTION_GENERAL, .area = 2.0, .ixx = 3.0, .iyy = 5.0, .torsion = 7.0};
    td_section_properties p = of(s);
    const double expected[6] = {3.0, 5.0, 7.0, 2.0, 2.0, 2.0};
    for (int i = 0; i < 6; i++) CHECK_NEAR(p.stiffness[i], expected[i], 1e-15);
    CHECK_NEAR(p.inertia[2], 8.0, 1e-15);  // ixx + iyy
    s.polar = 11.0;
    CHECK_NEAR(of(s).inertia[2], 11.0, 1e-15);
}

// The volume of a truncated cone: mass integrated along the piece.
static void taper_is_linear_in_the_radius(void **state) {
    (void)state;
    td_piece_def p = unit_piece((td_section){.shape = TD_SECTION_CIRCLE, .radius = 2.0},
                                (td_section){.shape = TD_SECTION_CIRCLE, .radius = 1.0});
    double volume = 0.0;
    int n = 1000;  // midpoint rule is exact to h^2
    for (int i = 0; i < n; i++) volume += piece_properties(&p, (i + 0.5) / n).mass / n;
    CHECK_NEAR(volume, PI / 3.0 * (4.0 + 2.0 + 1.0), 1e-5);
    CHECK_NEAR(piece_properties(&p, 0.0).stiffness[0], PI * 16.0 / 4.0, 1e-12);
    CHECK_NEAR(piece_properties(&p, 1.0).stiffness[0], PI / 4.0, 1e-12);
    CHECK_NEAR(piece_properties(&p, 2.0).stiffness[0], PI / 4.0, 1e-12);  // held outside
}

static void overrides_replace_what_the_section_gives(void **state) {
    (void)state;
    td_section s = {.shape = TD_SECTION_CIRCLE, .radius = 1.0};
    td_piece_def p = unit_piece(s, s);
    p.shear_factor = 0.5;
    p.stiffness[0] = 42.0;
    p.mass_per_length = 3.0 * PI;
    p.damping[0] = 1.0, p.damping_time = 0.1;
    td_section_properties at = piece_properties(&p, 0.3);
    CHECK_NEAR(at.stiffness[0], 42.0, 0.0);
    CHECK_NEAR(at.stiffness[1], PI / 4.0, 1e-15);
    CHECK_NEAR(at.stiffness[3], 0.5 * PI, 1e-15);
    CHECK_NEAR(at.damping[0], 1.0 + 0.1 * 42.0, 1e-15);
    CHECK_NEAR(at.damping[5], 0.1 * PI, 1e-15);
    CHECK_NEAR(at.mass, 3.0 * PI, 0.0);
    CHECK_NEAR(at.inertia[0], 3.0 * PI / 4.0, 1e-14);  // scales along with the mass
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circle_has_the_textbook_moments),
        cmocka_unit_test(tube_is_a_disc_less_a_disc),
        cmocka_unit_test(rectangle_moments_agree_with_quadrature),
        cmocka_unit_test(rectangle_torsion_agrees_with_the_table),
        cmocka_unit_test(rectangle_torsion_agrees_with_the_plain_series),
        cmocka_unit_test(general_section_is_taken_as_given),
        cmocka_unit_test(taper_is_linear_in_the_radius),
        cmocka_unit_test(overrides_replace_what_the_section_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
