// Quadratic programs between bounds: Kuhn and Tucker's conditions, all sets of bounds tried one by one, and what is refused.
#include "math/box_qp.h"

#include <stdbool.h>
#include <string.h>

#include "math/random.h"

#include "check.h"

enum { MOST = 60 };

static double normal(int stream, int k) {
    double n[2];
    random_normals(5, (uint64_t)stream, (uint64_t)k, n);
    return n[0];
}

typedef struct program {
    int n;
    double H[MOST * MOST], g[MOST], low[MOST], high[MOST], x[MOST];
} program;

static void make(program *p, int n, int number, double ridge) {
    double M[MOST * MOST];
    p->n = n;
    for (int i = 0; i < n * n; i++) M[i] = normal(number, i);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            p->H[i * n + k] = i == k ? ridge : 0.0;
            for (int j = 0; j < n; j++) p->H[i * n + k] += M[j * n + i] * M[j * n + k];
        }
    for (int i = 0; i < n; i++) {
        p->g[i] = 5.0 * normal(number, 10000 + i);
        p->low[i] = -fabs(normal(number, 20000 + i));
        p->high[i] = fabs(normal(number, 30000 + i));
        p->x[i] = normal(number, 40000 + i);
        if (i % 7 == 3) p->low[i] = -HUGE_VAL;
        if (i % 7 == 5) p->high[i] = HUGE_VAL;
    }
}

static double value(const program *p, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        sum += p->g[i] * x[i];
        for (int k = 0; k < p->n; k++) sum += 0.5 * x[i] * p->H[i * p->n + k] * x[k];
    }
    return sum;
}

static void conditions_hold(void **state) {
    (void)state;
    program p;
    double scratch[MOST * MOST + 5 * MOST];
    assert_true(sizeof scratch >= sizeof(double) * box_qp_doubles(MOST));
    int held = 0, total = 0;
    for (int number = 0; number < 200; number++) {
        make(&p, 1 + number % MOST, number, number % 3 ? 1.0 : 1e-6);
        const int iterations = box_qp(p.n, p.H, p.g, p.low, p.high, p.x, scratch);
        assert_true(iterations >= 0 && iterations < 60);
        for (int i = 0; i < p.n; i++) {
            double d = p.g[i], size = fabs(p.g[i]);
            for (int k = 0; k < p.n; k++) {
                d += p.H[i * p.n + k] * p.x[k];
                size += fabs(p.H[i * p.n + k] * p.x[k]);
            }
            assert_true(p.x[i] >= p.low[i] && p.x[i] <= p.high[i]);
            if (p.x[i] == p.low[i]) assert_true(d >= -1e-10 * size);
            else if (p.x[i] == p.high[i]) assert_true(d <= 1e-10 * size);
            else CHECK_NEAR(d, 0.0, 1e-10 * size);
            held += p.x[i] == p.low[i] || p.x[i] == p.high[i], total++;
        }
    }
    assert_true(held > total / 10 && held < total * 9 / 10);
}

// Every choice of low, high and free, solved by elimination: the least that is allowed is the answer.
static void no_choice_of_bounds_is_less(void **state) {
    (void)state;
    enum { N = 5, CHOICES = 243 };
    program p;
    double scratch[MOST * MOST + 5 * MOST];
    for (int number = 0; number < 40; number++) {
        make(&p, N, 900 + number, 0.5);
        for (int i = 0; i < N; i++)
            p.low[i] = fmax(p.low[i], -10.0), p.high[i] = fmin(p.high[i], 10.0);
        double least = HUGE_VAL, best[N] = {0};
        for (int choice = 0; choice < CHOICES; choice++) {
            double A[N * N], b[N];
            int rest = choice;
            for (int i = 0; i < N; i++, rest /= 3) {
                for (int k = 0; k < N; k++) A[i * N + k] = rest % 3 ? i == k : p.H[i * N + k];
                b[i] = rest % 3 == 1 ? p.low[i] : rest % 3 == 2 ? p.high[i] : -p.g[i];
            }
            for (int k = 0; k < N; k++)  // without pivots: positive definite but for rows of bounds
                for (int i = 0; i < N; i++) {
                    if (i == k) continue;
                    const double f = A[i * N + k] / A[k * N + k];
                    for (int j = 0; j < N; j++) A[i * N + j] -= f * A[k * N + j];
                    b[i] -= f * b[k];
                }
            bool allowed = true;
            for (int i = 0; i < N; i++) {
                b[i] /= A[i * N + i];
                allowed = allowed && b[i] >= p.low[i] - 1e-12 && b[i] <= p.high[i] + 1e-12;
            }
            if (allowed && value(&p, b) < least) least = value(&p, b), memcpy(best, b, sizeof best);
        }
        assert_true(box_qp(N, p.H, p.g, p.low, p.high, p.x, scratch) >= 0);
        for (int i = 0; i < N; i++) CHECK_NEAR(p.x[i], best[i], 1e-9);
    }
}

static void what_has_no_least_is_refused(void **state) {
    (void)state;
    const double H[4] = {1.0, 2.0, 2.0, 1.0}, g[2] = {1.0, -1.0}, nan[2] = {(double)NAN, 0.0};
    const double low[2] = {-HUGE_VAL, -HUGE_VAL}, high[2] = {HUGE_VAL, HUGE_VAL};
    double x[2] = {0.0, 0.0}, scratch[32];
    assert_int_equal(box_qp(2, H, g, low, high, x, scratch), -1);
    assert_int_equal(box_qp(2, H, nan, low, high, x, scratch), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_hold),
        cmocka_unit_test(no_choice_of_bounds_is_less),
        cmocka_unit_test(what_has_no_least_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
