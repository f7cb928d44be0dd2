// The law of a section: wrench, tangent and loss against differences of its energy, and what a robot file
// may say of it.
#include <string.h>

#include "material/law.h"

#include "refusals.h"

static section_law some_law(int kind) {
    td_piece_def p = td_default_piece_def();
    const double K[6] = {2.0, 3.0, 1.5, 40.0, 50.0, 60.0};
    if (kind == 2)
        for (int i = 0; i < 36; i++)
            p.stiffness_matrix[i] =
                i % 7 ? 0.1 * sqrt(K[i / 6] * K[i % 6]) * (1 + i / 6 + i % 6) / 12.0 : K[i / 6];
    else memcpy(p.stiffness, K, sizeof K);
    p.length = p.mass_per_length = 1.0;
    for (int i = 0; i < 6; i++) p.damping[i] = 0.1 + 0.05 * i;
    if (kind == 1) p.law = TD_NEO_HOOKEAN;
    if (kind == 2) p.damping_time = 0.02;
    if (kind == 3) p.damping_power = 2.5;
    return law_of_piece(&p, 0.5);
}

static const double strain[6] = {0.3, -0.2, 0.5, 0.04, -0.03, 0.2},
                    rate[6] = {1.2, -0.7, 0.4, -0.3, 0.6, 0.9};

static void the_wrench_is_the_slope_of_the_energy(void **state) {
    (void)state;
    const double e = 1e-5;
    for (int kind = 0; kind < 4; kind++) {
        const section_law l = some_law(kind);
        double w[6];
        law_elastic(&l, strain, w);
        assert_int_equal(law_is_plain(&l), kind == 0);
        for (int k = 0; k < 6; k++) {
            double x[6], up, down;
            memcpy(x, strain, sizeof x);
            x[k] = strain[k] + e, up = law_energy(&l, x);
            x[k] = strain[k] - e, down = law_energy(&l, x);
            CHECK_NEAR(w[k], (up - down) / (2.0 * e), 1e-7);
        }
    }
}

typedef void wrench_of(const section_law *l, const double x[6], double w[6]);

static void check_slope(const section_law *l, wrench_of *f, const double at[6],
                        const double slope[36]) {
    const double e = 1e-6;
    for (int k = 0; k < 6; k++) {
        double x[6], up[6], down[6];
        memcpy(x, at, sizeof x);
        x[k] = at[k] + e, f(l, x, up);
        x[k] = at[k] - e, f(l, x, down);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(slope[6 * i + k], (up[i] - down[i]) / (2.0 * e), 1e-6);
    }
}

static void tangents_are_those_of_differences(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const section_law l = some_law(kind);
        double slope[36];
        law_stiffness(&l, strain, slope);
        check_slope(&l, law_elastic, strain, slope);
        law_viscosity(&l, rate, slope);
        check_slope(&l, law_viscous, rate, slope);
    }
}

// A rate has no slope to speak of where damping goes by a power, and nothing is lost at rest.
static void damping_takes_energy_and_never_gives_any(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const section_law l = some_law(kind);
        const double none[6] = {0.0};
        double w[6], lost = 0.0;
        law_viscous(&l, none, w);
        for (int k = 0; k < 6; k++) assert_true(w[k] == 0.0);
        law_viscous(&l, rate, w);
        for (int k = 0; k < 6; k++) lost += w[k] * rate[k];
        assert_true(lost > 0.0);
    }
}

// ---------------------------------------------------------------- what files may say
#define HEAD "tendril: 1\nrods:\n"
#define THIN "- {name: a, length: 1, mass_per_length: 1, "
#define ROWS(a, b)                                                                                 \
    "[[1, 0, " a ", 0, 0, 0], [0, 1, 0, 0, 0, 0], [" b ", 0, 1, 0, 0, 0], [0, 0, 0, 9, 0, 0], "    \
    "[0, 0, 0, 0, 9, 0], [0, 0, 0, 0, 0, 9]]"

static void bad_materials_are_refused_by_name(void **state) {
    (void)state;
    static const bad cases[] = {
        {HEAD THIN "stiffness: {matrix: [[1, 2], [2, 1]]}}\n",
         3,
         64,
         "rods.a.stiffness.matrix",
         {"6 rows"}},
        {HEAD THIN "stiffness: {matrix: " ROWS("0.5", "0.4") "}}\n",
         3,
         64,
         "rods.a.stiffness.matrix",
         {"symmetric", "0.5", "0.4"}},
        {HEAD THIN "stiffness: {matrix: " ROWS("2", "2") "}}\n",
         3,
         64,
         "rods.a.stiffness.matrix",
         {"positive definite"}},
        {HEAD THIN "stiffness: {torsion: 2, matrix: " ROWS("0", "0") "}}\n",
         3,
         76,
         "rods.a.stiffness.matrix",
         {"all of the stiffness", "torsion"}},
        {HEAD THIN "damping: {time: 1, power: 2}, stiffness: {matrix: " ROWS("0", "0") "}}\n",
         3,
         94,
         "rods.a.stiffness.matrix",
         {"power of 2", "each mode"}},
        {HEAD THIN "mean_stretch: true, stiffness: {matrix: " ROWS("0", "0") "}}\n",
         3,
         84,
         "rods.a.stiffness.matrix",
         {"mean stretch"}},
        {HEAD "- {name: a, length: 1, " M ", " S ", damping: {power: 0.5}}\n",
         3,
         133,
         "rods.a.damping.power",
         {"0.5", "between 1 and 4"}},
        {HEAD "- {name: a, length: 1, material: {youngs_modulus: 1, poisson_ratio: 0.3, density: "
              "1, law: rubber}, " S "}\n",
         3,
         91,
         "rods.a.material.law",
         {"'rubber'", "neo-hookean"}},
        {GOOD "chambers:\n- {name: c, radius: 1 mm, braid_angle: 20 deg}\n",
         5,
         40,
         "chambers.c.braid_angle",
         {"0.349", "0.5 and pi/2"}},
    };
    CHECK_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wrench_is_the_slope_of_the_energy),
        cmocka_unit_test(tangents_are_those_of_differences),
        cmocka_unit_test(damping_takes_energy_and_never_gives_any),
        cmocka_unit_test(bad_materials_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
