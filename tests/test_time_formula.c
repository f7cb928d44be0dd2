// Differentiation in time on uneven grids: exact for polynomials, and stable however steps grow.
#include "model/cosserat/time_formula.h"

#include "check.h"

static const td_scheme schemes[] = {TD_BACKWARD_EULER, TD_BDF2, TD_BDF_ALPHA, TD_TRAPEZOIDAL,
                                    TD_BDF3};
enum { N_SCHEMES = sizeof schemes / sizeof schemes[0] };

// y' = 0 from two states that differ by rounding: what is between them must not grow (zero
// stability). Variable-step BDF2 has the parasitic root r^2/(1 + 2r), above 1 from r = 1 + sqrt 2 on.
static double growth_of_a_disturbance(td_scheme scheme, double ratio) {
    const double tiny = 1e-10;
    double y[3] = {1.0 + tiny, 1.0, 1.0}, past[2] = {1e-6, 1e-6 / ratio}, most = 0.0;
    for (int i = 0; i < 40; i++) {
        const double dt = ratio * past[0];
        const time_formula f = time_formula_make(scheme, -0.2, dt, past, 3);
        const double next = -(f.c[0] * y[0] + f.c[1] * y[1] + f.c[2] * y[2]) / f.c0;
        y[2] = y[1], y[1] = y[0], y[0] = next;
        past[1] = past[0], past[0] = dt;
        most = fmax(most, fabs(next - 1.0) / tiny);
    }
    return most;
}

static void disturbances_stay_bounded_however_steps_grow(void **unused) {
    (void)unused;
    const double ratios[] = {0.3, 1.0, 1.3, 1.5, 2.0, 2.3, 2.5, 3.0, 5.0, 20.0, 100.0};
    for (int k = 0; k < N_SCHEMES; k++)
        for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
            const double most = growth_of_a_disturbance(schemes[k], ratios[i]);
            if (most > 100.0) print_error("scheme %d, ratio %g\n", (int)schemes[k], ratios[i]);
            CHECK_BETWEEN(most, 0.0, 100.0);
        }
}

// y = t^n, n up to the order: its derivative at the end of the step, whatever the grid.
static void polynomials_of_the_order_are_differentiated_exactly(void **unused) {
    (void)unused;
    const double grids[][3] = {{1.0, 1.0, 1.0}, {1.3, 1.0, 0.8}, {2.2, 1.0, 1.7}, {9.0, 1.0, 0.1}};
    for (int k = 0; k < N_SCHEMES; k++)
        for (int i = 0; i < 4; i++) {
            const double *g = grids[i], t[4] = {0.0, -g[0], -g[0] - g[1], -g[0] - g[1] - g[2]};
            const time_formula f = time_formula_make(schemes[k], -0.2, g[0], g + 1, 3);
            for (int n = 0; n <= (schemes[k] == TD_BACKWARD_EULER ? 1 : 2); n++) {
                double rate = f.c0 * pow(t[0] + 2.0, n);
                for (int j = 0; j < 3; j++) rate += f.c[j] * pow(t[j + 1] + 2.0, n);
                if (n > 0) rate += f.d1 * n * pow(t[1] + 2.0, n - 1);
                CHECK_NEAR(rate, n > 0 ? n * pow(2.0, n - 1) : 0.0, 1e-12);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disturbances_stay_bounded_however_steps_grow),
        cmocka_unit_test(polynomials_of_the_order_are_differentiated_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
