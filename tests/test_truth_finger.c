// The reference solver of rods with a chamber (truth_finger.h) against the numbers of another
// program and against what it does not know: a rod under pressure alone has a closed form.
#include "check.h"

#include "truth_finger.h"
#include "truth_till2019.h"

static const double full_volume = 2.65e-6, full_amount = 2e-4;

static void fill(truth_finger *f, double part) {
    truth_finger empty = truth_paper_finger(f->fluid);
    f->volume = empty.volume + part * (full_volume - empty.volume);
    f->amount = empty.amount + part * (full_amount - empty.amount);
}

static void the_section_is_the_one_of_the_reference(void **unused) {
    (void)unused;
    truth_finger f = truth_paper_finger(TRUTH_GAS);
    CHECK_NEAR(f.bar.rod.Kbt[0] / 20e3, 3.97301024062381e-08, 1e-21);
    CHECK_NEAR(f.bar.rod.Kbt[1] / 20e3, 3.7710507128930377e-08, 1e-21);
    CHECK_NEAR(f.bar.offset[0], -0.010285714285714285, 1e-16);
    CHECK_NEAR(f.amount, 8.162939613583861e-05, 1e-18);
}

static void its_equilibria_are_those_of_another_program(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_BENDS; i++) {
        const truth_bend *c = &truth_bends[i];
        truth_finger f = truth_paper_finger(c->gas ? TRUTH_GAS : TRUTH_INCOMPRESSIBLE);
        truth_bar_make(&f.bar, c->nodes, true);
        for (int k = 1; k <= 4; k++) {
            fill(&f, 0.25 * k);
            CHECK_BETWEEN(truth_finger_statics(&f), 0.0, 1e-12);
        }
        const double *tip = truth_bar_tip(&f.bar);
        CHECK_NEAR(f.bar.pressure, c->pressure, 1e-6);
        CHECK_NEAR(tip[TRUTH_BAR_V], c->volume, 1e-17);
        CHECK_NEAR(tip[0], c->x, 1e-12);
        CHECK_NEAR(tip[2], c->z, 1e-12);
        double fields[12] = {0.0}, mean = 0.0;
        for (int j = 0; j < c->nodes; j++) {
            truth_bar_fields(&f.bar, j, fields);
            mean += fields[2] * (j == 0 || j == c->nodes - 1 ? 0.5 : 1.0) / (c->nodes - 1);
        }
        CHECK_NEAR(mean, c->elongation, 1e-9);
        CHECK_NEAR(fields[4], c->curvature, 1e-4);  // at the tip; the reference's mean
        truth_bar_free(&f.bar);
    }
}

static void range(double value, double *lo, double *hi) {
    *lo = fmin(*lo, value);
    *hi = fmax(*hi, value);
}

static void check_filling(const truth_filling *c) {
    truth_finger f = truth_paper_finger(c->gas ? TRUTH_GAS : TRUTH_INCOMPRESSIBLE);
    truth_bar_make(&f.bar, c->nodes, c->cubic);
    truth_finger_statics(&f);
    double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int step = 1, k = 0; step <= 450; step++) {
        fill(&f, fmin(1.0, step / 200.0));
        CHECK_BETWEEN(truth_finger_step(&f, truth_bdf_alpha(-0.3, 0.01)), 0.0, 1e-11);
        const double *tip = truth_bar_tip(&f.bar);
        if (step >= 200) range(tip[0], &lo[0], &hi[0]), range(f.bar.pressure, &lo[1], &hi[1]);
        if (step != truth_samples[k]) continue;
        CHECK_NEAR(tip[0], c->x[k], 1e-9);
        CHECK_NEAR(tip[2], c->z[k], 1e-9);
        CHECK_NEAR(f.bar.pressure, c->pressure[k], 1e-3);
        k++;
    }
    CHECK_NEAR(hi[0] - lo[0], c->x_range, 1e-8);
    CHECK_NEAR(hi[1] - lo[1], c->pressure_range, 1e-2);
    truth_bar_free(&f.bar);
}

static void its_fillings_are_those_of_another_program(void **unused) {
    (void)unused;
    for (int i = 0; i < TRUTH_FILLINGS; i++)
        if (truth_fillings[i].nodes == 50) check_filling(&truth_fillings[i]);
}

// A rod under pressure alone: n = P A e3, m = P A r x e3 in every section.
static void a_given_pressure_bends_the_finger_to_an_arc(void **unused) {
    (void)unused;
    truth_finger f = truth_paper_finger(TRUTH_GIVEN_PRESSURE);
    f.bar.pressure = 3e4;
    truth_bar_make(&f.bar, 99, true);
    CHECK_BETWEEN(truth_finger_statics(&f), 0.0, 1e-12);
    double pa = 3e4 * f.bar.area, u = -pa * f.bar.offset[0] / f.bar.rod.Kbt[1];
    double stretch = 1.0 + pa / f.bar.rod.Kse[2], L = f.bar.rod.length;
    const double *tip = truth_bar_tip(&f.bar);
    CHECK_NEAR(tip[0], stretch * (1.0 - cos(u * L)) / u, 1e-10);
    CHECK_NEAR(tip[2], stretch * sin(u * L) / u, 1e-10);
    CHECK_NEAR(tip[TRUTH_BAR_V], f.bar.area * L * (stretch - u * f.bar.offset[0]), 1e-16);
    truth_bar_free(&f.bar);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_section_is_the_one_of_the_reference),
        cmocka_unit_test(its_equilibria_are_those_of_another_program),
        cmocka_unit_test(its_fillings_are_those_of_another_program),
        cmocka_unit_test(a_given_pressure_bends_the_finger_to_an_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
