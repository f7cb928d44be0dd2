// robot/spline_grid.c - see spline_grid.h.
#include "robot/spline_grid.h"

#include <math.h>
#include <stdlib.h>

spline_grid *spline_grid_create(const int n[3], const double h[3], vec3 origin) {
    const size_t points = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    spline_grid *g = malloc(sizeof *g + sizeof(double) * points);
    if (!g) return NULL;
    atomic_init(&g->holders, 1);
    for (int k = 0; k < 3; k++) g->n[k] = n[k], g->h[k] = h[k];
    g->origin = origin;
    return g;
}

spline_grid *spline_grid_share(spline_grid *g) {
    if (g) atomic_fetch_add(&g->holders, 1);
    return g;
}

void spline_grid_release(spline_grid *g) {
    if (g && atomic_fetch_sub(&g->holders, 1) == 1) free(g);
}

// ---------------------------------------------------------------- from numbers to coefficients
#define SETTLED                                                                                    \
    40  // eliminations after which their pivots stay what they are, 2 + sqrt 3, to the last bit

// (c_(i-1) + 4 c_i + c_(i+1))/6 = f_i with c_(-1) = c_1 and c_n = c_(n-2), in place.
static void fit_line(int n, size_t stride, double *f) {
    if (n == 1) return;
    double share[SETTLED] = {0.5};  // of c_(i+1) in c_i
    f[0] *= 1.5;
    for (int i = 1; i < n; i++) {
        const double below = i + 1 < n ? 1.0 : 2.0;
        const double pivot = 4.0 - below * share[i - 1 < SETTLED ? i - 1 : SETTLED - 1];
        double *at = f + (size_t)i * stride;
        if (i < SETTLED) share[i] = 1.0 / pivot;
        *at = (6.0 * *at - below * *(at - stride)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--)
        f[(size_t)i * stride] -= share[i < SETTLED ? i : SETTLED - 1] * f[(size_t)(i + 1) * stride];
}

void spline_grid_fit(spline_grid *g) {
    const size_t nx = (size_t)g->n[0], ny = (size_t)g->n[1], nz = (size_t)g->n[2];
    g->least = HUGE_VAL;
    for (size_t i = 0; i < nx * ny * nz; i++) g->least = fmin(g->least, g->c[i]);
    for (size_t k = 0; k < nz; k++)
        for (size_t j = 0; j < ny; j++) fit_line(g->n[0], 1, g->c + (k * ny + j) * nx);
    for (size_t k = 0; k < nz; k++)
        for (size_t i = 0; i < nx; i++) fit_line(g->n[1], nx, g->c + k * ny * nx + i);
    for (size_t j = 0; j < ny; j++)
        for (size_t i = 0; i < nx; i++) fit_line(g->n[2], nx * ny, g->c + j * nx + i);
}

// ---------------------------------------------------------------- at a point
typedef struct stencil {  // along one direction: four coefficients, and what they weigh
    int at[4];
    double w[3][4];  // value, first and second derivative
} stencil;

static int mirrored(int i, int n) {
    if (n == 1) return 0;
    if (i < 0) i = -i;
    return i > n - 1 ? 2 * (n - 1) - i : i;
}

static stencil stencil_at(double x, int n, double h) {
    stencil s;
    const double last = n - 1.0, t = fmax(0.0, fmin(x / h, last));
    const int i = t < last ? (int)t : n > 1 ? n - 2 : 0;
    const double f = t - i, r = 1.0 - f;
    for (int k = 0; k < 4; k++) s.at[k] = mirrored(i - 1 + k, n);
    const double w[3][4] = {
        {r * r * r / 6.0, (4.0 + f * f * (3.0 * f - 6.0)) / 6.0,
         (4.0 + r * r * (3.0 * r - 6.0)) / 6.0, f * f * f / 6.0},
        {-0.5 * r * r, 0.5 * f * (3.0 * f - 4.0), -0.5 * r * (3.0 * r - 4.0), 0.5 * f * f},
        {r, 3.0 * f - 2.0, 3.0 * r - 2.0, f}};
    for (int k = 0; k < 4; k++) {
        s.w[0][k] = w[0][k];
        s.w[1][k] = n > 1 ? w[1][k] / h : 0.0;
        s.w[2][k] = n > 1 ? w[2][k] / (h * h) : 0.0;
    }
    return s;
}

// Sums along x, then y, then z, with the derivatives that are wanted of each.
spline_value spline_grid_at(const spline_grid *g, vec3 p) {
    const stencil x = stencil_at(p.x - g->origin.x, g->n[0], g->h[0]);
    const stencil y = stencil_at(p.y - g->origin.y, g->n[1], g->h[1]);
    const stencil z = stencil_at(p.z - g->origin.z, g->n[2], g->h[2]);
    double sum[3][3][3] = {{{0.0}}};  // derivatives by x, y, z
    for (int k = 0; k < 4; k++) {
        double plane[3][3] = {{0.0}};
        for (int j = 0; j < 4; j++) {
            const double *row =
                g->c + ((size_t)z.at[k] * (size_t)g->n[1] + (size_t)y.at[j]) * (size_t)g->n[0];
            double line[3] = {0.0};
            for (int i = 0; i < 4; i++)
                for (int d = 0; d < 3; d++) line[d] += x.w[d][i] * row[x.at[i]];
            for (int a = 0; a < 3; a++)
                for (int b = 0; a + b < 3; b++) plane[a][b] += line[a] * y.w[b][j];
        }
        for (int a = 0; a < 3; a++)
            for (int b = 0; a + b < 3; b++)
                for (int d = 0; a + b + d < 3; d++) sum[a][b][d] += plane[a][b] * z.w[d][k];
    }
    return (spline_value){sum[0][0][0],
                          {sum[1][0][0], sum[0][1][0], sum[0][0][1]},
                          {{{sum[2][0][0], sum[1][1][0], sum[1][0][1]},
                            {sum[1][1][0], sum[0][2][0], sum[0][1][1]},
                            {sum[1][0][1], sum[0][1][1], sum[0][0][2]}}}};
}

vec3 spline_grid_nearest(const spline_grid *g, vec3 p) {
    const double at[3] = {p.x, p.y, p.z}, from[3] = {g->origin.x, g->origin.y, g->origin.z};
    double out[3];
    for (int k = 0; k < 3; k++)
        out[k] = fmax(from[k], fmin(at[k], from[k] + (g->n[k] - 1) * g->h[k]));
    return vec3_load(out);
}
