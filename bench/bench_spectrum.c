// The bending frequencies of a straight cantilever (L = EI = rho A = 1) by strain collocation, with the velocity of
// a node summed in two ways, against the true ones. It shows how a discretisation can be accurate, conserve
// energy, and still have a vibration that does not exist: docs/models/cosserat.md.
//
// With the strain rates w_j at n Gauss nodes c_j (weights b_j, A the integration matrix), in one plane,
//
//     at once   V_q = sum_j A_qj (c_q - c_j) w_j        the integrand is of degree n, A integrates n - 1
//     in turn   V_q = sum_k A_qk sum_j A_kj w_j
//
// and in both M = V' B V, K = B.
#include <math.h>
#include <stdio.h>

#include "math/interpolate.h"
#include "math/quadrature.h"
#include "math/symmetric.h"

enum { MOST = 16, SHOWN = 6 };

static const double exact[SHOWN] = {3.5160, 22.0345, 61.6972, 120.9019, 199.8595, 298.5555};

static void velocities(int n, bool in_turn, const double *c, const double *A, double *V) {
    for (int q = 0; q < n; q++)
        for (int j = 0; j < n; j++) {
            V[q * n + j] = in_turn ? 0.0 : A[q * n + j] * (c[q] - c[j]);
            for (int k = 0; k < n && in_turn; k++) V[q * n + j] += A[q * n + k] * A[k * n + j];
        }
}

// Angular frequencies in rising order: 1/omega^2 are the eigenvalues of B^-1/2 M B^-1/2.
static int frequencies(int n, bool in_turn, double *out) {
    double c[MOST], b[MOST], bary[MOST], A[MOST * MOST], V[MOST * MOST], S[MOST * MOST];
    double d[MOST], e[MOST];
    gauss_legendre(n, c, b);
    barycentric_weights(n, c, bary);
    integration_matrix(n, c, bary, n, c, A);
    velocities(n, in_turn, c, A, V);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            S[i * n + j] = 0.0;
            for (int q = 0; q < n; q++) S[i * n + j] += b[q] * V[q * n + i] * V[q * n + j];
            S[i * n + j] /= sqrt(b[i] * b[j]);
        }
    tridiagonalise(n, S, d, e);
    const int shown = n < SHOWN ? n : SHOWN;
    for (int k = 0; k < shown; k++) out[k] = 1.0 / sqrt(tridiagonal_eigenvalue(n, d, e, n - 1 - k));
    return shown;
}

static void print_row(const char *form, int n, int count, const double *omega) {
    printf("%s,", form);
    if (n) printf("%d", n);
    for (int k = 0; k < SHOWN; k++) {
        if (k < count) printf(",%.4g", omega[k]);
        else printf(",");
    }
    printf("\n");
}

int main(void) {
    static const int nodes[] = {4, 5, 6, 8, 12};
    double omega[SHOWN];
    printf("form,nodes,first,second,third,fourth,fifth,sixth\n");
    print_row("true", 0, SHOWN, exact);
    for (int in_turn = 0; in_turn < 2; in_turn++)
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
            const int count = frequencies(nodes[i], in_turn, omega);
            print_row(in_turn ? "in turn" : "at once", nodes[i], count, omega);
        }
    printf("\npicture,nodes,omega\n");  // every number of nodes, for the picture
    for (int in_turn = 0; in_turn < 2; in_turn++)
        for (int n = 3; n <= MOST; n++) {
            const int count = frequencies(n, in_turn, omega);
            for (int k = 0; k < count; k++)
                printf("%s,%d,%.6g\n", in_turn ? "in turn" : "at once", n, omega[k]);
        }
    return 0;
}
