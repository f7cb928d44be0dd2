// An integrator that treats R as nine numbers leaves it slightly off a rotation. The trace is then
// off by some d, and formula (34), theta = arccos((trace - 1)/2), gives sqrt(theta^2 - d) for small
// angles: the error of the integrator's R, not of the collocation that it is compared with.
#include "rotation_floor.h"
#include "math/pi.h"

#include <math.h>
#include <string.h>

enum { P = 0, ROTATION = 3, U = 12, SIZE = 15 };  // p, R by rows, u

// ---------------------------------------------------------------- the rod's equations
static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Orekhov 2020 (2), (4)
static void slope(const double *y, const double *force, double *out) {
    const double K[3] = {bending_stiffness(), bending_stiffness(), torsion_stiffness()};
    const double *u = y + U, *R = y + ROTATION;
    double Ku[3], u_Ku[3], f[3] = {0.0};
    for (int i = 0; i < 3; i++) {
        Ku[i] = K[i] * u[i];
        for (int k = 0; k < 3; k++) f[i] += R[3 * k + i] * force[k];
    }
    cross(u, Ku, u_Ku);
    const double e3_f[3] = {-f[1], f[0], 0.0};
    for (int i = 0; i < 3; i++) {
        const double *row = R + 3 * i;
        out[P + i] = row[2];
        cross(row, u, out + ROTATION + 3 * i);  // row of R u^
        out[U + i] = -(u_Ku[i] + e3_f[i]) / K[i];
    }
}

// ---------------------------------------------------------------- Dormand & Prince
static void step(double *y, const double *force, double h) {
    static const double a[6][6] = {
        {0.0},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    };
    static const double b[6] = {35.0 / 384,     0.0,      500.0 / 1113, 125.0 / 192,
                                -2187.0 / 6784, 11.0 / 84};
    double k[6][SIZE];
    for (int stage = 0; stage < 6; stage++) {
        double at[SIZE];
        memcpy(at, y, sizeof at);
        for (int j = 0; j < stage; j++)
            for (int i = 0; i < SIZE; i++) at[i] += h * a[stage][j] * k[j][i];
        slope(at, force, k[stage]);
    }
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < SIZE; i++) y[i] += h * b[j] * k[j][i];
}

// ---------------------------------------------------------------- the two angles
static void matrix_of(const double q[4], double R[9]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

// Of Q = A B': by formula (34), and by sine and cosine.
static void angles(const double *A, const double *B, double *arccosine, double *arctangent) {
    double Q[9] = {0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) Q[3 * i + j] += A[3 * i + k] * B[3 * j + k];
    double cosine = 0.5 * (Q[0] + Q[4] + Q[8] - 1.0);
    double sine = 0.5 * hypot(hypot(Q[7] - Q[5], Q[2] - Q[6]), Q[3] - Q[1]);
    // MATLAB's acos of more than 1 is imaginary; what is reported then is taken as its magnitude
    *arccosine = cosine <= 1.0 ? acos(cosine) : acosh(cosine);
    *arctangent = atan2(sine, cosine);
}

static void add(double total[2], double x) {
    total[0] += x / N_CASES;
    total[1] = fmax(total[1], x);
}

rotation_floor rotation_floor_of(const case_truth *truth, int steps) {
    rotation_floor out = {{0.0}, {0.0}, {0.0}};
    for (int c = 0; c < N_CASES; c++) {
        double wrench[6], exact[9], arccosine, arctangent;
        double y[SIZE] = {[ROTATION] = 1.0, [ROTATION + 4] = 1.0, [ROTATION + 8] = 1.0};
        study_wrench(c / N_STEPS, c % N_STEPS, wrench);
        memcpy(y + U, truth[c].u0, sizeof truth[c].u0);
        for (int i = 0; i < steps; i++) step(y, wrench, ROD_LENGTH / steps);
        matrix_of(truth[c].tip.q, exact);
        angles(y + ROTATION, exact, &arccosine, &arctangent);
        const double *p = truth[c].tip.p;
        add(out.arccos, DEGREES * arccosine);
        add(out.atan2, DEGREES * arctangent);
        add(out.position, 100.0 / ROD_LENGTH * hypot(hypot(y[0] - p[0], y[1] - p[1]), y[2] - p[2]));
    }
    return out;
}
