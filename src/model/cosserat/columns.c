// model/cosserat/columns.c - see columns.h.
#include "model/cosserat/columns.h"

#include "math/lanes.h"

// out + a x b in four columns from k
LANES_INLINE void cross_four(lanes x, lanes y, lanes z, const double *b, int w, int k,
                             const double *out, lanes sum[3]) {
    const lanes bx = lanes_load(b + k), by = lanes_load(b + w + k), bz = lanes_load(b + 2 * w + k);
    sum[0] = lanes_load(out + k) + (y * bz - z * by);
    sum[1] = lanes_load(out + w + k) + (z * bx - x * bz);
    sum[2] = lanes_load(out + 2 * w + k) + (x * by - y * bx);
}

LANES_INLINE void put_four(const lanes a[3], int w, int k, double *out) {
    for (int i = 0; i < 3; i++) *(lanes *)(out + i * w + k) = a[i];
}

// What four do not divide is done with the last four columns, some of them twice, from what they were.
LANES_CLONED static void cross_columns(double ax, double ay, double az, const double *restrict b,
                                       int w, double *restrict out) {
    const lanes x = lanes_all(ax), y = lanes_all(ay), z = lanes_all(az);
    lanes sum[3], tail[3];
    cross_four(x, y, z, b, w, w - LANES, out, tail);
    for (int k = 0; k < w - LANES; k += LANES) {
        cross_four(x, y, z, b, w, k, out, sum);
        put_four(sum, w, k, out);
    }
    put_four(tail, w, w - LANES, out);
}

// Fewer than four columns.
static void cross_few(double x, double y, double z, const double *b, int w, double *out) {
    for (int k = 0; k < w; k++) {
        const double bx = b[k], by = b[w + k], bz = b[2 * w + k];
        out[k] += y * bz - z * by;
        out[w + k] += z * bx - x * bz;
        out[2 * w + k] += x * by - y * bx;
    }
}

void columns_add_cross(double s, vec3 a, const double *restrict b, int w, double *restrict out) {
    if (w < LANES) cross_few(s * a.x, s * a.y, s * a.z, b, w, out);
    else cross_columns(s * a.x, s * a.y, s * a.z, b, w, out);
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
