// math/riccati.c - see riccati.h.
#include "math/riccati.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

#define MOST_DOUBLINGS 60  // 2^60 steps of the motion
#define CONVERGED 1e-14
#define DIED_OUT 1e-3
#define SOLVED 1e-8  // of the largest numbers of P and A'P A

size_t riccati_doubles(int n, int m) {
    const size_t a = (size_t)n * (size_t)n, b = (size_t)n * (size_t)m;
    return 7 * a + 2 * b + (size_t)m * (size_t)m;
}

size_t riccati_ints(int n, int m) {
    return (size_t)(n > m ? n : m);
}

// K = (R + B'P B)^-1 B'P A
static bool gain_of(int n, int m, const double *A, const double *B, const double *R,
                    const double *P, double *K, double *scratch, int *pivots) {
    double *PB = scratch, *S = PB + (size_t)n * (size_t)m;
    dense_mul(n, n, m, 1.0, P, B, PB);
    memcpy(S, R, sizeof *S * (size_t)m * (size_t)m);
    dense_tmadd(n, m, m, 1.0, B, PB, S);
    memset(K, 0, sizeof *K * (size_t)m * (size_t)n);
    dense_tmadd(n, m, n, 1.0, PB, A, K);
    if (!lu_factor(m, S, pivots)) return false;
    lu_solve_many(m, S, pivots, n, K);
    return true;
}

// G = B R^-1 B'
static bool start_of(int n, int m, const double *B, const double *R, double *G, double *scratch,
                     int *pivots) {
    double *S = scratch, *T = S + (size_t)m * (size_t)m;
    memcpy(S, R, sizeof *S * (size_t)m * (size_t)m);
    dense_transpose(n, m, B, T);
    if (!lu_factor(m, S, pivots)) return false;
    lu_solve_many(m, S, pivots, n, T);
    dense_mul(n, m, n, 1.0, B, T, G);
    dense_symmetrise(n, G);
    return true;
}

// W = I + G H:  A <- A W^-1 A,  G <- G + A W^-1 G A',  H <- H + A' H W^-1 A
static bool double_once(int n, double *A, double *G, double *H, double *scratch, int *pivots,
                        double *change) {
    const size_t a = (size_t)n * (size_t)n;
    double *W = scratch, *X = W + a, *Y = X + a, *T = Y + a;
    dense_mul(n, n, n, 1.0, G, H, W);
    for (int i = 0; i < n; i++) W[i * n + i] += 1.0;
    if (!lu_factor(n, W, pivots)) return false;
    memcpy(X, A, sizeof *X * a);
    lu_solve_many(n, W, pivots, n, X);  // W^-1 A
    memcpy(Y, G, sizeof *Y * a);
    lu_solve_many(n, W, pivots, n, Y);  // W^-1 G, which is symmetric
    dense_mul(n, n, n, 1.0, A, Y, T);   // A W^-1 G
    dense_transpose(n, n, A, Y);        // A'
    dense_madd(n, n, n, 1.0, T, Y, G);  // G
    dense_mul(n, n, n, 1.0, H, X, T);   // H W^-1 A
    memcpy(W, H, sizeof *W * a);
    dense_madd(n, n, n, 1.0, Y, T, H);
    for (size_t i = 0; i < a; i++) W[i] = H[i] - W[i];
    *change = dense_largest(n * n, W);
    dense_mul(n, n, n, 1.0, A, X, T);
    memcpy(A, T, sizeof *A * a);
    dense_symmetrise(n, G);
    dense_symmetrise(n, H);
    return dense_is_finite(a, H) && dense_is_finite(a, G) && dense_is_finite(a, A);
}

// Q + A'P (A - B K) - P is 0 to rounding: it is not where something unstable is reached by rounding alone.
static bool is_solved(int n, int m, const double *A, const double *B, const double *Q,
                      const double *P, const double *K, double *scratch) {
    const size_t a = (size_t)n * (size_t)n;
    double *closed = scratch, *T = closed + a, *left = T + a;
    memcpy(closed, A, sizeof *closed * a);
    dense_madd(n, m, n, -1.0, B, K, closed);
    dense_mul(n, n, n, 1.0, P, closed, T);
    for (size_t i = 0; i < a; i++) left[i] = Q[i] - P[i];
    dense_tmadd(n, n, n, 1.0, A, T, left);
    const double size = fmax(1.0, dense_largest(n * n, A));
    return dense_largest(n * n, left) <= SOLVED * size * size * dense_largest(n * n, P);
}

bool riccati_solve(int n, int m, const double *A0, const double *B, const double *Q,
                   const double *R, double *P, double *K, double *scratch, int *pivots) {
    const size_t a = (size_t)n * (size_t)n;
    double *A = scratch, *G = A + a, *rest = G + a;
    double change = HUGE_VAL;
    memcpy(A, A0, sizeof *A * a);
    memcpy(P, Q, sizeof *P * a);
    if (!start_of(n, m, B, R, G, rest, pivots)) return false;
    // A is what is left after 2^i steps of the closed loop: it dies out where that is stable, later than P settles
    // where Q does not see all of it
    for (int i = 0; i < MOST_DOUBLINGS; i++) {
        if (change <= CONVERGED * dense_largest(n * n, P) && dense_largest(n * n, A) < DIED_OUT)
            break;
        if (!double_once(n, A, G, P, rest, pivots, &change)) return false;
    }
    if (!(change <= SOLVED * dense_largest(n * n, P)) || !(dense_largest(n * n, A) < DIED_OUT))
        return false;
    return gain_of(n, m, A0, B, R, P, K, rest, pivots) && is_solved(n, m, A0, B, Q, P, K, scratch);
}
