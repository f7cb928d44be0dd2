// model/constant_curvature/integrals.c - see integrals.h.
#include "model/constant_curvature/integrals.h"

#include <float.h>
#include <math.h>

#define LARGEST_SERIES 150.0  // y, up to where the series of c_10 and c_11 lose nothing

static const double inverse_factorial[N_STUMPFF] = {
    1.0,         1.0,          1.0 / 2.0,     1.0 / 6.0,      1.0 / 24.0,      1.0 / 120.0,
    1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0, 1.0 / 3628800.0, 1.0 / 39916800.0};

static double series(int n, double y) {
    double term = inverse_factorial[n], sum = term;
    for (int k = n + 1; fabs(term) > 0.25 * DBL_EPSILON * sum; k += 2) {
        term *= -y / (double)(k * (k + 1));
        sum += term;
    }
    return sum;
}

// c_n = 1/n! - y c_(n+2), from the two highest down where the difference keeps its digits, and
// from the two lowest up where it does not.
void arc_functions(double y, double c[N_STUMPFF]) {
    int up = 0;  // the first that is reached from above
    while (up < N_STUMPFF && (y >= LARGEST_SERIES || (up + 1) * (up + 2) <= y)) up++;
    if (y < LARGEST_SERIES) {
        c[N_STUMPFF - 1] = series(N_STUMPFF - 1, y);
        c[N_STUMPFF - 2] = series(N_STUMPFF - 2, y);
    }
    for (int n = N_STUMPFF - 3; n >= up; n--) c[n] = inverse_factorial[n] - y * c[n + 2];
    if (up == 0) return;
    double theta = sqrt(y), half = sin(0.5 * theta);
    c[0] = cos(theta);
    if (up > 1) c[1] = sin(theta) / theta;
    if (up > 2) c[2] = 2.0 * half * half / y;
    for (int n = 3; n < up; n++) c[n] = (inverse_factorial[n - 2] - c[n - 2]) / y;
}

// c_n' = (n c_(n+2) - c_(n+1))/2
arc_shape arc_shape_at(double x, const double c[N_STUMPFF]) {
    double x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
    return (arc_shape){.A = x * c[1],
                       .A1 = x3 * 0.5 * (c[3] - c[2]),
                       .A2 = x3 * x2 * 0.25 * (c[3] - 3.0 * c[4] + 3.0 * c[5]),
                       .B = x2 * c[2],
                       .B1 = x4 * 0.5 * (2.0 * c[4] - c[3]),
                       .B2 = x4 * x2 * 0.25 * (c[4] - 5.0 * c[5] + 8.0 * c[6]),
                       .D = x3 * c[3],
                       .D1 = x3 * x2 * 0.5 * (3.0 * c[5] - c[4])};
}

// The coefficients were found by comparing power series in t, with rational arithmetic.
void arc_integrate(const double c[N_STUMPFF], const double d[N_STUMPFF], arc_integrals *out) {
    enum { ONE, A, AA1, A1, A2, B, BB1, B1, B2 };
    double(*Q)[N_COLUMNS] = out->Q;
    Q[0][ONE] = 1.0;
    Q[0][A] = c[2];
    Q[0][A1] = c[4] - 0.5 * c[3];
    Q[0][A2] = 0.25 * c[4] - 1.25 * c[5] + 2.0 * c[6];
    Q[0][B] = c[3];
    Q[0][B1] = 1.5 * c[5] - 0.5 * c[4];
    Q[0][B2] = 0.25 * c[5] - 1.75 * c[6] + 3.75 * c[7];
    // with A
    Q[1][A] = 2.0 * d[3];
    Q[1][A1] = 6.0 * d[5] - 2.0 * d[4];
    Q[1][A2] = 2.0 * d[5] - 16.0 * d[6] + 40.0 * d[7];
    Q[1][B] = 4.0 * d[4] - c[4];
    Q[1][B1] = 20.0 * d[6] - 4.0 * d[5] - c[6];
    Q[1][B2] = 4.0 * d[6] - 48.0 * d[7] + 176.0 * d[8] - 2.0 * c[8];
    // with A'
    Q[2][A1] = 2.0 * d[5] - 12.0 * d[6] + 20.0 * d[7];
    Q[2][A2] = -2.0 * d[6] + 22.0 * d[7] - 92.0 * d[8] + 140.0 * d[9];
    Q[2][B] = 12.0 * d[6] - 4.0 * d[5] + 0.5 * c[5] - c[6];
    Q[2][B1] = 4.0 * d[6] - 32.0 * d[7] + 64.0 * d[8] + 0.5 * c[7] - c[8];
    Q[2][B2] = -4.0 * d[7] + 60.0 * d[8] - 328.0 * d[9] + 584.0 * d[10] + c[9] - 2.0 * c[10];
    // with B
    Q[3][A2] = 4.0 * d[6] - 32.0 * d[7] + 80.0 * d[8] - 0.25 * c[6] + 1.25 * c[7] - 2.0 * c[8];
    Q[3][B] = 8.0 * d[5] - 2.0 * c[5];
    Q[3][B1] = 40.0 * d[7] - 8.0 * d[6] + 0.5 * c[6] - 2.5 * c[7];
    Q[3][B2] = 8.0 * d[7] - 96.0 * d[8] + 352.0 * d[9] - 0.25 * c[7] + 1.75 * c[8] - 5.75 * c[9];
    // with B'
    Q[4][A2] = -4.0 * d[7] + 52.0 * d[8] - 248.0 * d[9] + 440.0 * d[10] - 0.25 * c[8] +
               1.25 * c[9] - 2.0 * c[10];
    Q[4][B1] = 8.0 * d[7] - 80.0 * d[8] + 208.0 * d[9] + c[8] - 3.0 * c[9];
    Q[4][B2] = -8.0 * d[8] + 136.0 * d[9] - 848.0 * d[10] + 1872.0 * d[11] - 0.25 * c[9] +
               2.75 * c[10] - 6.75 * c[11];
    // the order of the factors does not matter
    static const int column_of_row[N_ROWS] = {ONE, A, A1, B, B1};
    for (int i = 1; i < N_ROWS; i++)
        for (int j = 0; j < i; j++) Q[i][column_of_row[j]] = Q[j][column_of_row[i]];
    for (int i = 0; i < N_ROWS; i++) {
        Q[i][AA1] = 2.0 * Q[i][A1];
        Q[i][BB1] = 2.0 * Q[i][B1];
    }
}
