// Eigenvalues of symmetric matrices, against spectra that are known.
#include <string.h>

#include "check.h"
#include "math/symmetric.h"

enum { N = 12 };

static double chain(int k) {  // of the second difference: 2 - 2 cos(k pi/(N + 1))
    return 2.0 - 2.0 * cos((k + 1) * 3.14159265358979323846 / (N + 1));
}

static void a_chain_has_its_eigenvalues(void **unused) {
    (void)unused;
    double d[N], e[N];
    for (int i = 0; i < N; i++) d[i] = 2.0, e[i] = i ? -1.0 : 0.0;
    for (int k = 0; k < N; k++) CHECK_NEAR(tridiagonal_eigenvalue(N, d, e, k), chain(k), 1e-14);
    for (int k = 0; k < N; k++) {
        assert_int_equal(tridiagonal_below(N, d, e, chain(k) - 1e-9), k);
        assert_int_equal(tridiagonal_below(N, d, e, chain(k) + 1e-9), k + 1);
    }
}

// H D H with a reflection H: the spectrum of D, double and zero eigenvalues among it. Its
// antisymmetric part does not count.
static void a_full_matrix_keeps_its_spectrum(void **unused) {
    (void)unused;
    const double spectrum[N] = {-7.0, -1.0, -1.0, -1e-3, 0.0,  0.0,
                                1e-6, 0.5,  2.0,  2.0,   30.0, 400.0};
    double v[N], H[N][N], a[N * N], d[N], e[N], norm = 0.0;
    for (int i = 0; i < N; i++) v[i] = sin(1.0 + 2.3 * i), norm += v[i] * v[i];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) H[i][k] = (i == k) - 2.0 * v[i] * v[k] / norm;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            a[i * N + k] = i - k;
            for (int l = 0; l < N; l++) a[i * N + k] += H[i][l] * spectrum[l] * H[l][k];
        }
    tridiagonalise(N, a, d, e);
    for (int k = 0; k < N; k++) CHECK_NEAR(tridiagonal_eigenvalue(N, d, e, k), spectrum[k], 1e-12);
    assert_int_equal(tridiagonal_below(N, d, e, -1e-9), 4);
    assert_int_equal(tridiagonal_below(N, d, e, 1e-9), 6);
}

static void matrices_of_one_and_two_rows_work(void **unused) {
    (void)unused;
    double one[1] = {-3.0}, two[4] = {1.0, 2.0, 2.0, 1.0}, d[2], e[2];
    tridiagonalise(1, one, d, e);
    CHECK_NEAR(tridiagonal_eigenvalue(1, d, e, 0), -3.0, 0.0);
    tridiagonalise(2, two, d, e);
    CHECK_NEAR(tridiagonal_eigenvalue(2, d, e, 0), -1.0, 1e-15);
    CHECK_NEAR(tridiagonal_eigenvalue(2, d, e, 1), 3.0, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_its_eigenvalues),
        cmocka_unit_test(a_full_matrix_keeps_its_spectrum),
        cmocka_unit_test(matrices_of_one_and_two_rows_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
