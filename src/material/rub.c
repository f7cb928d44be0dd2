// material/rub.c - see rub.h.
#include "material/rub.h"

#include <math.h>

#define STEP 0.02     // of a way over which z turns round, by the exponent: of fourth order
#define LONGEST 40.0  // such ways: z then is what it becomes, to rounding

static double exponent_of(const td_hysteresis *h) {
    return h->exponent > 0.0 ? h->exponent : 1.0;
}

static double shape_of(const td_hysteresis *h) {
    return h->shape > 0.0 ? h->shape : 1.0;
}

// ---------------------------------------------------------------- Dahl's
static void dahl(double c, const double z0[2], const double du[2], double z[2], double slope[4]) {
    const double way = hypot(du[0], du[1]), e = exp(-way / c);
    // (1 - e)/way, which is 1/c where there is no way
    const double part = way > 0.0 ? -expm1(-way / c) / way : 1.0 / c;
    for (int i = 0; i < 2; i++) z[i] = part * du[i] + e * z0[i];
    for (int i = 0; i < 4 && slope; i++) {
        const int row = i / 2, column = i % 2;
        const double along = way > 0.0 ? du[column] / way : 0.0,
                     d = way > 0.0 ? du[row] / way : 0.0;
        slope[i] = part * ((row == column) - d * along) + (d - z0[row]) * e / c * along;
        if (way == 0.0 && row == column) slope[i] = 1.0 / c;
    }
}

// ---------------------------------------------------------------- Bouc and Wen's
typedef struct rubbing {  // along one straight way, by the way over c
    double n, b, d[2];
} rubbing;

// z (2), and its slope against the direction d (2 x 2).
enum { N_FOLLOWED = 6 };

// f = d - b |z|^(n-1) z - (1 - b) |z|^(n-2) (z . d) z
static void rates(const rubbing *r, const double y[N_FOLLOWED], double out[N_FOLLOWED]) {
    const double *z = y, *d = r->d, size = fmax(hypot(z[0], z[1]), 1e-150);
    const double p1 = pow(size, r->n - 1.0), e[2] = {z[0] / size, z[1] / size};
    const double ed = e[0] * d[0] + e[1] * d[1], b = r->b, a = 1.0 - r->b;
    for (int i = 0; i < 2; i++) out[i] = d[i] - p1 * (b * z[i] + a * ed * z[i]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            // by d_k itself, and by z
            double sum = (i == k) - a * p1 * z[i] * e[k];
            for (int j = 0; j < 2; j++) {
                const double by_size = (r->n - 1.0) * e[j] * (b + a * ed) * e[i],
                             by_turn = a * (d[j] - ed * e[j]) * e[i];
                const double by_z = -p1 * (by_size + (b + a * ed) * (i == j) + by_turn);
                sum += by_z * y[2 + 2 * j + k];
            }
            out[2 + 2 * i + k] = sum;
        }
}

static void runge_kutta(const rubbing *r, double step, double y[N_FOLLOWED]) {
    static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[N_FOLLOWED] = {0.0}, sum[N_FOLLOWED] = {0.0}, there[N_FOLLOWED];
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < N_FOLLOWED; i++) there[i] = y[i] + at[stage] * step * k[i];
        rates(r, there, k);
        for (int i = 0; i < N_FOLLOWED; i++) sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < N_FOLLOWED; i++) y[i] += step / 6.0 * sum[i];
}

// dz/du = f d'/c + S (1 - d d')/way,  S = dz/dd.
static void slope_of(const rubbing *r, double c, double way, const double y[N_FOLLOWED],
                     double slope[4]) {
    double f[N_FOLLOWED];
    rates(r, y, f);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const double across =
                y[2 + 2 * i + k] - (y[2 + 2 * i] * r->d[0] + y[3 + 2 * i] * r->d[1]) * r->d[k];
            slope[2 * i + k] = f[i] * r->d[k] / c + across / way;
        }
}

void rub_along(const td_hysteresis *h, const double z0[2], const double du[2], double z[2],
               double slope[4]) {
    const double n = exponent_of(h), b = shape_of(h), c = h->curvature, way = hypot(du[0], du[1]);
    if ((n == 1.0 && b == 1.0) || way == 0.0) {
        dahl(c, z0, du, z, slope);
        return;
    }
    const rubbing r = {n, b, {du[0] / way, du[1] / way}};
    const double length = fmin(way / c, LONGEST);
    const int steps = (int)ceil(length * fmax(n, 1.0) / STEP);
    double y[N_FOLLOWED] = {z0[0], z0[1]};
    for (int i = 0; i < steps; i++) runge_kutta(&r, length / steps, y);
    if (slope) slope_of(&r, c, way, y, slope);
    z[0] = y[0], z[1] = y[1];
}

void rub_rates(const td_hysteresis *h, const double z[2], const double u_t[2], double z_t[2]) {
    const double n = exponent_of(h), b = shape_of(h), size = fmax(hypot(z[0], z[1]), 1e-150);
    const double pace = hypot(u_t[0], u_t[1]), along = (z[0] * u_t[0] + z[1] * u_t[1]) / size;
    const double back = pow(size, n - 1.0) * (b * pace + (1.0 - b) * along);
    for (int i = 0; i < 2; i++) z_t[i] = (u_t[i] - back * z[i]) / h->curvature;
}

double rub_loss(const td_hysteresis *h, const double z[2], const double u_t[2]) {
    const double n = exponent_of(h), b = shape_of(h), size = hypot(z[0], z[1]);
    const double along = z[0] * u_t[0] + z[1] * u_t[1];
    return pow(size, n) * (b * size * hypot(u_t[0], u_t[1]) + (1.0 - b) * along);
}
