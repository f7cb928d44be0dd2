// model/cosserat/columns.c - see columns.h.
#include "model/cosserat/columns.h"

#include "math/lanes.h"

LANES_CLONED static void cross_columns(double x, double y, double z, const double *restrict b,
                                       int w, double *restrict out) {
#pragma omp simd
    for (int k = 0; k < w; k++) {
        const double bx = b[k], by = b[w + k], bz = b[2 * w + k];
        out[k] += y * bz - z * by;
        out[w + k] += z * bx - x * bz;
        out[2 * w + k] += x * by - y * bx;
    }
}

void columns_add_cross(double s, vec3 a, const double *restrict b, int w, double *restrict out) {
    cross_columns(s * a.x, s * a.y, s * a.z, b, w, out);
}

// out (w) = or += a row of three times x (3 x w)
LANES_CLONED static void row_times_columns(double keep, double ax, double ay, double az,
                                           const double *restrict x, int w, double *restrict out) {
    if (keep == 0.0)
        for (int k = 0; k < w; k++) out[k] = ax * x[k] + ay * x[w + k] + az * x[2 * w + k];
    else
        for (int k = 0; k < w; k++) out[k] += ax * x[k] + ay * x[w + k] + az * x[2 * w + k];
}

void columns_multiply(const mat3 *a, const double *restrict x, int w, double *restrict out) {
    for (int i = 0; i < 3; i++)
        row_times_columns(0.0, a->m[i][0], a->m[i][1], a->m[i][2], x, w, out + i * w);
}

void columns_add_product(const mat3 *a, const double *restrict x, int w, double *restrict out) {
    for (int i = 0; i < 3; i++)
        row_times_columns(1.0, a->m[i][0], a->m[i][1], a->m[i][2], x, w, out + i * w);
}

void columns_turn_back(const mat3 *a, const double *restrict x, int w, double *restrict out) {
    for (int i = 0; i < 3; i++)
        row_times_columns(0.0, a->m[0][i], a->m[1][i], a->m[2][i], x, w, out + i * w);
}

LANES_CLONED static void add_scaled(int n, double s, const double *restrict x,
                                    double *restrict out) {
    for (int k = 0; k < n; k++) out[k] += s * x[k];
}

void columns_add(int n, double s, const double *restrict x, double *restrict out) {
    add_scaled(n, s, x, out);
}

LANES_CLONED static void scale_columns(int n, double s, const double *restrict x,
                                       double *restrict out) {
    for (int k = 0; k < n; k++) out[k] = s * x[k];
}

void columns_scale(int n, double s, const double *restrict x, double *restrict out) {
    scale_columns(n, s, x, out);
}
