// Least squares with bounds, and what they say of each number, against certified values and closed forms.
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/nist_strd.h"
#include "math/student.h"
#include "study/least_squares.h"

static const double below[8] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL,
                                -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
static const double above[8] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL,
                                HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};

// ---------------------------------------------------------------- certified problems
static double cubics(const double *b, double x) {
    return (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1.0 + x * (b[4] + x * (b[5] + x * b[6])));
}

static double model(const nist_problem *p, const double *b, double x) {
    switch (p->name[0]) {
    case 'M': return b[0] * (1.0 - exp(-b[1] * x));
    case 'R': return b[0] / pow(1.0 + exp(b[1] - b[2] * x), 1.0 / b[3]);
    case 'L': return b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x);
    case 'E': return b[0] / b[1] * exp(-0.5 * (x - b[2]) / b[1] * (x - b[2]) / b[1]);
    default: return cubics(b, x);  // Thurber, Hahn1
    }
}

static bool nist_residuals(void *context, const double *b, double *r) {
    const nist_problem *p = context;
    for (int i = 0; i < p->m; i++) r[i] = p->data[i][0] - model(p, b, p->data[i][1]);
    return true;
}

static double relative(double a, double b) {
    return fabs(a - b) / fabs(b);
}

static void check_certified(const nist_problem *c, const ls_solution *s, const ls_knowledge *k) {
    CHECK_NEAR(s->sum, c->sum, 1e-7 * c->sum);
    CHECK_NEAR(k->deviation, c->deviation, 1e-7 * c->deviation);
    for (int j = 0; j < c->n; j++) {
        CHECK_NEAR(relative(s->x[j], c->values[j]), 0.0, 5e-7);
        CHECK_NEAR(relative(k->errors[j], c->deviations[j]), 0.0, 5e-5);
    }
    // b4 of Rat43 is 1.28 -+ 1.56: noise hides it
    assert_int_equal(k->n_unknown, c->name[0] == 'R');
}

static void certified_values_follow_from_both_starts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof nist_problems / sizeof *nist_problems; i++)
        for (int start = 0; start < 2; start++) {
            const nist_problem *c = &nist_problems[i];
            const ls_problem p = {.n = c->n,
                                  .m = c->m,
                                  .low = below,
                                  .high = above,
                                  .residuals = nist_residuals,
                                  .context = (void *)c};
            ls_solution s = ls_solve(&p, c->starts[start]);
            double worst = 0.0, error = 0.0, sizes[8];
            ls_knowledge k;
            for (int j = 0; j < c->n; j++) {
                worst = fmax(worst, relative(s.x[j], c->values[j]));
                sizes[j] = fabs(s.x[j]);
            }
            assert_true(ls_know(&p, &s, sizes, &k));
            for (int j = 0; j < c->n; j++)
                error = fmax(error, relative(k.errors[j], c->deviations[j]));
            printf("%-9s start %d: %3d iterations, values to %.1e, errors to %.1e\n", c->name,
                   start + 1, s.iterations, worst, error);
            assert_int_equal(s.status, LS_CONVERGED);
            check_certified(c, &s, &k);
            ls_forget(&k);
            ls_free(&s);
        }
}

// ---------------------------------------------------------------- bounds
// (x - 3)^2 + (x + y - 1)^2: free (3, -2).
static bool two_lines(void *unused, const double *x, double *r) {
    (void)unused;
    r[0] = x[0] - 3.0, r[1] = x[0] + x[1] - 1.0;
    return true;
}

// With y >= 0: on y = 0 the best is x = 2. With x <= 2.5 as well as y >= -1: y = -1 is best with x = 2.5.
static void bounds_hold_what_they_stop_and_nothing_else(void **state) {
    (void)state;
    ls_problem p = {.n = 2, .m = 2, .residuals = two_lines, .high = above};
    const double start[2] = {-5.0, 9.0};
    p.low = (double[]){-10.0, 0.0};
    ls_solution s = ls_solve(&p, start);
    assert_int_equal(s.status, LS_CONVERGED);
    CHECK_NEAR(s.x[0], 2.0, 1e-9);
    CHECK_NEAR(s.x[1], 0.0, 0.0);
    assert_true(!s.held[0] && s.held[1]);
    ls_free(&s);
    p.low = (double[]){-10.0, -1.0}, p.high = (double[]){1.5, 10.0};
    s = ls_solve(&p, start);  // x = 1.5, then y = -0.5: only x is stopped
    CHECK_NEAR(s.x[0], 1.5, 0.0);
    CHECK_NEAR(s.x[1], -0.5, 1e-9);
    assert_true(s.held[0] && !s.held[1]);
    ls_free(&s);
}

// The curved valley of Rosenbrock (1960), free and with a bound across it: on x = 0.5 the best is y = 0.25.
static bool valley(void *unused, const double *x, double *r) {
    (void)unused;
    r[0] = 10.0 * (x[1] - x[0] * x[0]), r[1] = 1.0 - x[0];
    return isfinite(x[0]);
}

static void a_curved_valley_is_followed_to_its_end_or_a_bound(void **state) {
    (void)state;
    ls_problem p = {.n = 2, .m = 2, .residuals = valley, .low = below, .high = above};
    const double start[2] = {-1.2, 1.0};
    ls_solution s = ls_solve(&p, start);
    CHECK_NEAR(s.x[0], 1.0, 1e-9);
    CHECK_NEAR(s.x[1], 1.0, 1e-9);
    ls_free(&s);
    p.high = (double[]){0.5, 10.0};
    s = ls_solve(&p, start);
    assert_int_equal(s.status, LS_CONVERGED);
    CHECK_NEAR(s.x[0], 0.5, 0.0);
    CHECK_NEAR(s.x[1], 0.25, 1e-8);
    ls_free(&s);
}

// sqrt has no value below 0: steps that lead there are shortened.
static bool root_of(void *unused, const double *x, double *r) {
    (void)unused;
    r[0] = sqrt(x[0]) - 0.1;
    return x[0] >= 0.0;
}

static void steps_to_where_nothing_can_be_computed_are_shortened(void **state) {
    (void)state;
    const ls_problem p = {.n = 1, .m = 1, .residuals = root_of, .low = below, .high = above};
    ls_solution s = ls_solve(&p, (double[]){5.0});
    assert_int_equal(s.status, LS_CONVERGED);
    CHECK_NEAR(s.x[0], 0.01, 1e-9);
    ls_free(&s);
    s = ls_solve(&p, (double[]){-1.0});
    assert_int_equal(s.status, LS_NO_START);
    ls_free(&s);
}

// ---------------------------------------------------------------- robust losses
static bool place(void *unused, const double *x, double *r) {
    static const double seen[4] = {-1.0, 0.0, 1.0, 100.0};
    (void)unused;
    for (int i = 0; i < 4; i++) r[i] = x[0] - seen[i];
    return true;
}

// Huber, c = 2: (x + 1) + x + (x - 1) - 2 = 0. Soft l1: the sum of r/sqrt(1 + (r/c)^2) vanishes.
static void outliers_count_no_more_than_their_sign(void **state) {
    (void)state;
    ls_problem p = {.n = 1, .m = 4, .residuals = place, .low = below, .high = above};
    p.scale = 2.0;
    ls_solution s = ls_solve(&p, (double[]){50.0});
    CHECK_NEAR(s.x[0], 25.0, 1e-9);
    ls_free(&s);
    p.loss = LS_HUBER;
    s = ls_solve(&p, (double[]){50.0});
    assert_int_equal(s.status, LS_CONVERGED);
    CHECK_NEAR(s.x[0], 2.0 / 3.0, 1e-9);
    CHECK_NEAR(s.weights[3], 2.0 / (100.0 - s.x[0]), 1e-9);
    CHECK_NEAR(s.weights[0], 1.0, 0.0);
    ls_free(&s);
    p.loss = LS_SOFT_L1;
    s = ls_solve(&p, (double[]){50.0});
    double balance = 0.0;
    for (int i = 0; i < 4; i++) balance += s.r[i] / sqrt(1.0 + 0.25 * s.r[i] * s.r[i]);
    CHECK_NEAR(balance, 0.0, 1e-6);
    ls_free(&s);
}

// ---------------------------------------------------------------- what cannot be told apart
enum { DECAYS = 30 };
static bool decay(void *noise, const double *x, double *r) {
    for (int i = 0; i < DECAYS; i++) {
        const double t = 0.1 * i, seen = 6.0 * exp(-0.7 * t);
        r[i] = x[0] * x[1] * exp(-x[2] * t) - seen - *(double *)noise * sin(9.0 * i);
    }
    return true;
}

static bool decay_of_product(void *noise, const double *x, double *r) {
    return decay(noise, (double[]){x[0], 1.0, x[1]}, r);
}

// Of a b exp(-c t) only the product a b and c follow from data: c with the error that it has where a b is one number.
static void a_product_is_all_that_is_known_of_its_factors(void **state) {
    (void)state;
    double noise = 1e-3;
    ls_problem p = {.n = 3, .m = DECAYS, .residuals = decay, .context = &noise};
    p.low = below, p.high = above;
    ls_problem q = p;
    q.n = 2, q.residuals = decay_of_product;
    ls_solution s = ls_solve(&p, (double[]){1.0, 4.0, 1.0});
    ls_solution t = ls_solve(&q, (double[]){4.0, 1.0});
    ls_knowledge k, l;
    assert_true(ls_know(&p, &s, s.x, &k) && ls_know(&q, &t, t.x, &l));
    CHECK_NEAR(s.x[0] * s.x[1], t.x[0], 1e-8);
    assert_int_equal(k.n_unknown, 1);
    assert_int_equal(l.n_unknown, 0);
    CHECK_NEAR(k.unknown[0] * k.unknown[1], -1.0, 1e-5);  // one more, the other less
    CHECK_NEAR(k.unknown[2], 0.0, 0.0);
    assert_true(isinf(k.errors[0]) && isinf(k.errors[1]));
    CHECK_NEAR(k.errors[2] / l.errors[1], sqrt(28.0 / 27.0), 1e-6);  // a degree of freedom less
    CHECK_NEAR(l.correlations[1], l.correlations[2], 1e-12);
    CHECK_BETWEEN(l.correlations[1], 0.3, 0.9);
    ls_forget(&k), ls_forget(&l);
    ls_free(&s), ls_free(&t);
}

// ---------------------------------------------------------------- coverage
typedef struct noisy {
    double seen[DECAYS];
} noisy;

static bool noisy_decay(void *context, const double *x, double *r) {
    for (int i = 0; i < DECAYS; i++)
        r[i] = x[0] * exp(-0.1 * x[1] * i) - ((noisy *)context)->seen[i];
    return true;
}

// Between 0 and 1, the same in every run: the upper bits of a linear congruence.
static double share_of(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(unsigned long long *seed) {  // Box and Muller
    const double size = sqrt(-2.0 * log(share_of(seed)));
    return size * cos(2.0 * acos(-1.0) * share_of(seed));
}

// Of 1000 experiments 950 -+ 15 intervals of 95 % should hold the truth.
static void intervals_hold_the_truth_as_often_as_they_say(void **state) {
    (void)state;
    static const double truth[2] = {6.0, 0.7};
    unsigned long long seed = 20;
    int held[2] = {0, 0};
    noisy data;
    ls_problem p = {.n = 2, .m = DECAYS, .residuals = noisy_decay, .context = &data};
    p.low = below, p.high = above;
    for (int run = 0; run < 1000; run++) {
        for (int i = 0; i < DECAYS; i++)
            data.seen[i] = truth[0] * exp(-0.1 * truth[1] * i) + 0.2 * normal(&seed);
        ls_solution s = ls_solve(&p, (double[]){4.0, 1.0});
        ls_knowledge k;
        assert_int_equal(s.status, LS_CONVERGED);
        assert_true(ls_know(&p, &s, s.x, &k));
        for (int j = 0; j < 2; j++) held[j] += fabs(s.x[j] - truth[j]) <= k.quantile * k.errors[j];
        ls_forget(&k);
        ls_free(&s);
    }
    printf("of 1000 intervals %d and %d hold the truth\n", held[0], held[1]);
    for (int j = 0; j < 2; j++) CHECK_BETWEEN(held[j], 935, 965);
}

// ---------------------------------------------------------------- Student
static void quantiles_are_those_of_closed_forms(void **state) {
    (void)state;
    for (double p = 0.55; p < 1.0; p += 0.07) {
        CHECK_NEAR(student_quantile(p, 1.0), tan(acos(-1.0) * (p - 0.5)), 1e-11);
        CHECK_NEAR(student_quantile(p, 2.0), (2.0 * p - 1.0) / sqrt(2.0 * p * (1.0 - p)), 1e-12);
        const double a = 4.0 * p * (1.0 - p), c = cos(acos(sqrt(a)) / 3.0) / sqrt(a);
        CHECK_NEAR(student_quantile(p, 4.0), 2.0 * sqrt(c - 1.0), 1e-11);
        CHECK_NEAR(student_quantile(1.0 - p, 7.3), -student_quantile(p, 7.3), 1e-12);
    }
    CHECK_NEAR(student_quantile(0.975, 1e9), 1.959963984540054, 1e-8);  // normal
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certified_values_follow_from_both_starts),
        cmocka_unit_test(bounds_hold_what_they_stop_and_nothing_else),
        cmocka_unit_test(a_curved_valley_is_followed_to_its_end_or_a_bound),
        cmocka_unit_test(steps_to_where_nothing_can_be_computed_are_shortened),
        cmocka_unit_test(outliers_count_no_more_than_their_sign),
        cmocka_unit_test(a_product_is_all_that_is_known_of_its_factors),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(quantiles_are_those_of_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
