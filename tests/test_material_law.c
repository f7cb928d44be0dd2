// The law of a section: wrench, tangent and loss against differences of its energy, and what a robot file
// may say of it.
#include <string.h>

#include "material/law.h"

#include "refusals.h"

enum { N_KINDS = 10, MOST_MEMORY = 256 };

static const td_superelastic flag = {25.0, {4.0, 6.0}, {3.0, 1.5}, 0.12};

static section_law some_law(int kind) {
    td_piece_def p = td_default_piece_def();
    const double K[6] = {2.0, 3.0, 1.5, 40.0, 50.0, 60.0};
    if (kind == 2)
        for (int i = 0; i < 36; i++)
            p.stiffness_matrix[i] =
                i % 7 ? 0.1 * sqrt(K[i / 6] * K[i % 6]) * (1 + i / 6 + i % 6) / 12.0 : K[i / 6];
    else if (kind < 5 || kind >= 8) memcpy(p.stiffness, K, sizeof K);
    p.length = p.mass_per_length = 1.0;
    for (int i = 0; i < 6; i++) p.damping[i] = 0.1 + 0.05 * i;
    if (kind == 1) p.law = TD_NEO_HOOKEAN;
    if (kind == 2) p.damping_time = 0.02;
    if (kind == 3) p.damping_power = 2.5;
    if (kind == 4) p.law = TD_NEO_HOOKEAN, p.relaxation = (td_relaxation){{0.4, 1.5}, {0.1, 2.0}};
    if (kind >= 5 && kind < 8) {
        p.youngs_modulus = 60.0, p.shear_modulus = 20.0, p.density = 1.0;
        p.section = (td_section){.shape = TD_SECTION_CIRCLE, .radius = 0.8, .inner_radius = 0.3};
        p.section_end = p.section;
    }
    if (kind == 5) p.law = TD_RUBBER, p.mooney_share = 0.3;
    if (kind == 6) {
        p.law = TD_RUBBER, p.relaxation = (td_relaxation){{0.4}, {0.1}};
        p.section = (td_section){.shape = TD_SECTION_RECTANGLE, .width = 0.7, .height = 0.4};
        p.section_end = p.section;
    }
    if (kind == 7) p.law = TD_SUPERELASTIC, p.superelastic = flag;
    if (kind == 8) p.hysteresis = (td_hysteresis){0.7, 0.2, 0.0, 0.0};
    if (kind == 9) p.hysteresis = (td_hysteresis){0.7, 0.2, 2.5, 0.7};
    return law_of_piece(&p, 0.5);
}

static const double strain[6] = {0.3, -0.2, 0.5, 0.04, -0.03, 0.2},
                    rate[6] = {1.2, -0.7, 0.4, -0.3, 0.6, 0.9};

// After some way, 0.02 s ago; or now.
static law_past some_past(const section_law *l, double *z, double time) {
    const double before[6] = {0.1, 0.3, -0.2, 0.02, 0.05, 0.1};
    assert_true(law_memory(l) <= MOST_MEMORY);
    memset(z, 0, MOST_MEMORY * sizeof *z);
    law_keep(l, &(law_past){z, 0.03}, before, z);
    return (law_past){z, time};
}

static void the_wrench_is_the_slope_of_the_energy(void **state) {
    (void)state;
    const double e = 1e-5;  // of those that do not rub
    for (int kind = 0; kind < 7; kind++) {
        const section_law l = some_law(kind);
        double w[6], z[MOST_MEMORY];
        const law_past past = some_past(&l, z, 0.0);  // at once: nothing flows
        law_elastic(&l, &past, strain, w);
        assert_int_equal(law_is_plain(&l), kind == 0);
        for (int k = 0; k < 6; k++) {
            double x[6], up, down;
            memcpy(x, strain, sizeof x);
            x[k] = strain[k] + e, up = law_energy(&l, &past, x);
            x[k] = strain[k] - e, down = law_energy(&l, &past, x);
            CHECK_NEAR(w[k], (up - down) / (2.0 * e), 1e-7);
        }
    }
}

// Of the elastic wrench, or of the viscous one: past NULL.
static void wrench_of(const section_law *l, const law_past *past, const double x[6], double w[6]) {
    if (past) law_elastic(l, past, x, w);
    else law_viscous(l, x, w);
}

static void check_slope(const section_law *l, const law_past *past, const double at[6],
                        const double slope[36]) {
    const double e = 1e-6;
    for (int k = 0; k < 6; k++) {
        double x[6], up[6], down[6];
        memcpy(x, at, sizeof x);
        x[k] = at[k] + e, wrench_of(l, past, x, up);
        x[k] = at[k] - e, wrench_of(l, past, x, down);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(slope[6 * i + k], (up[i] - down[i]) / (2.0 * e), 1e-6);
    }
}

static void tangents_are_those_of_differences(void **state) {
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
        const section_law l = some_law(kind);
        double slope[36], z[MOST_MEMORY];
        const law_past past = some_past(&l, z, 0.02);
        law_stiffness(&l, &past, strain, slope);
        check_slope(&l, &past, strain, slope);
        law_viscosity(&l, rate, slope);
        check_slope(&l, NULL, rate, slope);
    }
}

// A rate has no slope to speak of where damping goes by a power, and nothing is lost at rest.
static void damping_takes_energy_and_never_gives_any(void **state) {
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
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

// Along a way that bends, stops and comes back: the work of the elastic wrench is what is stored and what flow takes.
static void work_is_stored_or_lost(void **state) {
    (void)state;
    for (int kind = 0; kind < N_KINDS; kind++) {
        const section_law l = some_law(kind);
        const int n = 4000;
        const double dt = 1e-4;
        double z[MOST_MEMORY] = {0.0}, x0[6] = {0.0}, w0[6] = {0.0}, work = 0.0, lost = 0.0,
               before = 0.0;
        for (int i = 1; i <= n; i++) {
            const double t = 6.0 * i / n, up = t < 2.0 ? sin(t) : t < 3.0 ? sin(2.0) : sin(t - 1.0);
            double x[6], w[6], x_t[6];
            for (int k = 0; k < 6; k++) x[k] = strain[k] * up, x_t[k] = (x[k] - x0[k]) / dt;
            law_keep(&l, &(law_past){z, dt}, x, z);
            const law_past now = {z, 0.0};
            law_elastic(&l, &now, x, w);
            const double power = law_flow(&l, &now, x, x_t);
            for (int k = 0; k < 6; k++) work += 0.5 * (w[k] + w0[k]) * (x[k] - x0[k]);
            lost += 0.5 * dt * (power + before);
            before = power;
            memcpy(x0, x, sizeof x), memcpy(w0, w, sizeof w);
        }
        assert_int_equal(lost > 0.0, law_remembers(&l));
        // powers jump where a way ends, and where fibres begin to transform
        CHECK_NEAR(work, law_energy(&l, &(law_past){z, 0.0}, x0) + lost, kind >= 7 ? 5e-4 : 1e-5);
    }
}

// ---------------------------------------------------------------- what files may say
#define HEAD "tendril: 1\nrods:\n"
#define THIN "- {name: a, length: 1, mass_per_length: 1, "
#define MADE "- {name: a, length: 1, material: {youngs_modulus: 1, poisson_ratio: 0.3, density: 1, "
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
              "1, law: gum}, " S "}\n",
         3,
         91,
         "rods.a.material.law",
         {"'gum'", "neo-hookean", "superelastic"}},
        {HEAD MADE "relaxation: {shares: [0.5, 0.2], times: 1 s}}, " S "}\n",
         3,
         126,
         "rods.a.material.relaxation.times",
         {"1 time for 2 shares", "each share"}},
        {HEAD MADE "relaxation: {shares: -0.5, times: 1 s}}, " S "}\n",
         3,
         107,
         "rods.a.material.relaxation.shares",
         {"-0.5"}},
        {HEAD MADE "relaxation: {shares: [1, 1, 1, 1, 1, 1, 1], times: 1 s}}, " S "}\n",
         3,
         107,
         "rods.a.material.relaxation.shares",
         {"1 to 6", "7"}},
        {HEAD MADE "relaxation: {shares: 1}}, " S "}\n",
         3,
         98,
         "rods.a.material.relaxation",
         {"times"}},
        {HEAD MADE "law: superelastic}, " S "}\n",
         3,
         91,
         "rods.a.material.law",
         {"needs the key 'superelastic' beside it"}},
        {HEAD MADE "mooney_share: 0.2}, " S "}\n",
         3,
         100,
         "rods.a.material.mooney_share",
         {"0.2", "'rubber'"}},
        {HEAD MADE "law: rubber, mooney_share: 1.2}, " S "}\n",
         3,
         113,
         "rods.a.material.mooney_share",
         {"1.2", "at most 1"}},
        {HEAD MADE "law: superelastic, superelastic: {martensite_modulus: 1, forward: [2, 3], "
                   "backward: [4, 1], strain: 0.05}}, " S "}\n",
         3,
         170,
         "rods.a.material.superelastic.backward",
         {"4 Pa", "below"}},
        {HEAD MADE "law: rubber}, section: {area: 1, ixx: 1, iyy: 1, torsion: 1}}\n",
         3,
         109,
         "rods.a.section",
         {"circle", "rectangle"}},
        {HEAD MADE "law: rubber}, " S ", stiffness: {torsion: 2}}\n",
         3,
         136,
         "rods.a.stiffness",
         {"fibres", "torsion"}},
        {HEAD "- {name: a, length: 1, " M ", " S ", hysteresis: {moment: 2, curvature: 0}}\n",
         3,
         151,
         "rods.a.hysteresis.curvature",
         {"positive"}},
        {HEAD "- {name: a, length: 1, " M ", " S ", shear_centre: [1 mm, 0], mean_stretch: true}\n",
         3,
         130,
         "rods.a.shear_centre",
         {"couples modes", "mean stretch"}},
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
        cmocka_unit_test(work_is_stored_or_lost),
        cmocka_unit_test(bad_materials_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
