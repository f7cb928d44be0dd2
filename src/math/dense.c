// math/dense.c - LU with partial pivoting and products of small matrices.
//
// Matrices here have 6 to 50 rows and change often, so what counts is what a call costs beside its
// arithmetic (bench_dense compares with LAPACK). Factors are found four columns at a time: a panel of
// four is factored, and then takes its part from all that is to its right at once. Solutions go four rows at
// a time, so that sums of four rows run side by side and only the corner between them is in turn.
#include "base/assertion.h"
#include "math/dense.h"

#include <math.h>

#include "math/lanes.h"

static void swap_rows(int m, double *restrict a, double *restrict b) {
    for (int j = 0; j < m; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

// y -= s x
static void subtract(int m, double s, const double *restrict x, double *restrict y) {
    for (int j = 0; j < m; j++) y[j] -= s * x[j];
}

LANES_INLINE lanes *lanes_at(double *a) {
    return (lanes *)a;
}

LANES_INLINE lanes lanes_of(const double *a) {
    return *(const lanes *)a;
}

// The order of the sum is the same in every call.
LANES_INLINE double dot(int m, const double *x, const double *y) {
    lanes sum = {0.0};
    int j = 0;
    for (; j + LANES <= m; j += LANES) sum += lanes_of(x + j) * lanes_of(y + j);
    double rest = 0.0;
    for (; j < m; j++) rest += x[j] * y[j];
    return lanes_sum(sum) + rest;
}

// ---------------------------------------------------------------- factors
LANES_INLINE int largest_in_column(int n, const double *a, int k) {
    int p = k;
    double most = fabs(a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
        const double size = fabs(a[i * n + k]);
        if (size > most) most = size, p = i;
    }
    return p;
}

// The pivot of column c, in place. A NaN never wins the search, but it spreads down until it is a pivot
// itself. The diagonal holds 1/pivot.
LANES_INLINE bool bring_pivot(int n, int c, double *a, int *pivot) {
    const int p = pivot[c] = largest_in_column(n, a, c);
    double *top = a + c * n;
    if (p != c) swap_rows(n, top, a + p * n);
    top[c] = 1.0 / top[c];
    return top[c] != 0.0 && isfinite(top[c]);
}

// Column c of a panel of four from column k: `at` of them. What is right of the panel waits.
LANES_INLINE bool factor_column(int n, int k, int at, double *a, int *pivot) {
    const int c = k + at;
    if (!bring_pivot(n, c, a, pivot)) return false;
    lanes top = lanes_of(a + c * n + k);
    const double inverse = top[at];
    for (int j = 0; j <= at; j++) top[j] = 0.0;
    for (int i = c + 1; i < n; i++) {
        double *row = a + i * n + k;
        const double f = row[at] * inverse;
        *lanes_at(row) -= f * top;
        row[at] = f;
    }
    return true;
}

// The last columns, from k.
LANES_INLINE bool factor_rest(int n, int k, double *a, int *pivot) {
    for (int c = k; c < n; c++) {
        if (!bring_pivot(n, c, a, pivot)) return false;
        const double *top = a + c * n;
        for (int i = c + 1; i < n; i++) {
            double *row = a + i * n;
            row[c] *= top[c];
            for (int j = c + 1; j < n; j++) row[j] -= row[c] * top[j];
        }
    }
    return true;
}

// Columns [end, n) of one row less f_0 .. f_3 times those of the four rows from `top`.
LANES_INLINE void subtract_four(int n, int end, const double *f, const double *top, double *row) {
    int j = end;
    for (; j + LANES <= n; j += LANES)
        *lanes_at(row + j) -= (f[0] * lanes_of(top + j) + f[1] * lanes_of(top + n + j)) +
                              (f[2] * lanes_of(top + 2 * n + j) + f[3] * lanes_of(top + 3 * n + j));
    for (; j < n; j++)
        row[j] -=
            (f[0] * top[j] + f[1] * top[n + j]) + (f[2] * top[2 * n + j] + f[3] * top[3 * n + j]);
}

LANES_CLONED static bool lu_factor_cloned(int n, double *a, int *pivot) {
    int k = 0;
    for (; k + LANES < n; k += LANES) {
        const int end = k + LANES;
        if (!factor_column(n, k, 0, a, pivot) || !factor_column(n, k, 1, a, pivot) ||
            !factor_column(n, k, 2, a, pivot) || !factor_column(n, k, 3, a, pivot))
            return false;
        for (int i = k + 1; i < end; i++)  // the four rows among themselves
            for (int j = k; j < i; j++)
                subtract(n - end, a[i * n + j], a + j * n + end, a + i * n + end);
        for (int i = end; i < n; i++) subtract_four(n, end, a + i * n + k, a + k * n, a + i * n);
    }
    return factor_rest(n, k, a, pivot);
}

bool lu_factor(int n, double *a, int *pivot) {
    ASSERT(n >= 0 && (n == 0 || (a && pivot)));
    return lu_factor_cloned(n, a, pivot);
}

// ---------------------------------------------------------------- one right side
// sums of a (4 rows, n apart) times b, over m columns: a multiple of four, then the rest
LANES_INLINE lanes four_dots(int n, int m, const double *a, const double *b) {
    lanes s[4] = {{0.0}, {0.0}, {0.0}, {0.0}}, t[4];
    int j = 0;
    for (; j + LANES <= m; j += LANES) {
        const lanes x = lanes_of(b + j);
        for (int i = 0; i < 4; i++) s[i] += lanes_of(a + i * n + j) * x;
    }
    lanes_transpose(s[0], s[1], s[2], s[3], t);
    lanes sum = (t[0] + t[1]) + (t[2] + t[3]);
    for (; j < m; j++) sum += (lanes){a[j], a[n + j], a[2 * n + j], a[3 * n + j]} * b[j];
    return sum;
}

static void permute(int n, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
}

LANES_INLINE void solve_lower(int n, const double *lu, double *b) {
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        const double *a = lu + i * n;
        const lanes x = lanes_of(b + i) - four_dots(n, i, a, b);
        const double *c = a + i;  // the corner
        b[i] = x[0];
        b[i + 1] = x[1] - c[n] * b[i];
        b[i + 2] = (x[2] - c[2 * n] * b[i]) - c[2 * n + 1] * b[i + 1];
        b[i + 3] = ((x[3] - c[3 * n] * b[i]) - c[3 * n + 1] * b[i + 1]) - c[3 * n + 2] * b[i + 2];
    }
    for (; i < n; i++) b[i] -= dot(i, lu + i * n, b);
}

LANES_INLINE void solve_upper(int n, const double *lu, double *b) {
    int i = n;
    for (; i % LANES; i--) {
        const double *a = lu + (i - 1) * n;
        b[i - 1] = (b[i - 1] - dot(n - i, a + i, b + i)) * a[i - 1];
    }
    for (i -= LANES; i >= 0; i -= LANES) {
        const double *a = lu + i * n, *c = a + i;
        const lanes x = lanes_of(b + i) - four_dots(n, n - i - LANES, a + i + LANES, b + i + LANES);
        b[i + 3] = x[3] * c[3 * n + 3];
        b[i + 2] = (x[2] - c[2 * n + 3] * b[i + 3]) * c[2 * n + 2];
        b[i + 1] = ((x[1] - c[n + 3] * b[i + 3]) - c[n + 2] * b[i + 2]) * c[n + 1];
        b[i] = (((x[0] - c[3] * b[i + 3]) - c[2] * b[i + 2]) - c[1] * b[i + 1]) * c[0];
    }
}

LANES_CLONED static void lu_solve_cloned(int n, const double *lu, const int *pivot, double *b) {
    permute(n, pivot, b);
    solve_lower(n, lu, b);
    solve_upper(n, lu, b);
}

void lu_solve(int n, const double *lu, const int *pivot, double *b) {
    ASSERT(n >= 0 &&
           (n == 0 || pivot[n - 1] == n - 1));  // the last row has nothing to be swapped with
    lu_solve_cloned(n, lu, pivot, b);
}

// ---------------------------------------------------------------- many right sides
// row += s sum_j f_j b_j over `count` rows b_j of m columns, `stride` apart, with the columns in registers;
// `fresh`: row = instead. What four do not divide, beyond the first four: the last four columns, some of them
// twice, from what the row was.
LANES_INLINE void add_rows(int m, int count, double s, const double *f, const double *b, int stride,
                           bool fresh, double *row) {
    const lanes zero = {0.0};
    const bool rest = m > LANES && m % LANES;
    const int last = m - LANES;
    lanes tail = fresh || !rest ? zero : lanes_of(row + last);
    int c = 0;
    if (rest && m < 2 * LANES) {
        lanes x = fresh ? zero : lanes_of(row);
        for (int j = 0; j < count; j++) {
            const lanes by = lanes_all(s * f[j]);
            x += by * lanes_of(b + j * stride), tail += by * lanes_of(b + last + j * stride);
        }
        *lanes_at(row) = x, *lanes_at(row + last) = tail;
        return;
    }
    for (int j = 0; j < count && rest; j++)
        tail += lanes_all(s * f[j]) * lanes_of(b + last + j * stride);
    for (; c + 3 * LANES <= m; c += 3 * LANES) {
        lanes x = fresh ? zero : lanes_of(row + c), y = fresh ? zero : lanes_of(row + c + 4);
        lanes z = fresh ? zero : lanes_of(row + c + 8);
        const double *at = b + c;
        for (int j = 0; j < count; j++, at += stride) {
            const lanes by = lanes_all(s * f[j]);
            x += by * lanes_of(at), y += by * lanes_of(at + 4), z += by * lanes_of(at + 8);
        }
        *lanes_at(row + c) = x, *lanes_at(row + c + 4) = y, *lanes_at(row + c + 8) = z;
    }
    for (; c + 2 * LANES <= m; c += 2 * LANES) {
        lanes x = fresh ? zero : lanes_of(row + c), y = fresh ? zero : lanes_of(row + c + 4);
        const double *at = b + c;
        for (int j = 0; j < count; j++, at += stride) {
            const lanes by = lanes_all(s * f[j]);
            x += by * lanes_of(at), y += by * lanes_of(at + 4);
        }
        *lanes_at(row + c) = x, *lanes_at(row + c + 4) = y;
    }
    for (; c + LANES <= m; c += LANES) {
        lanes x = fresh ? zero : lanes_of(row + c);
        for (int j = 0; j < count; j++) x += lanes_all(s * f[j]) * lanes_of(b + c + j * stride);
        *lanes_at(row + c) = x;
    }
    if (rest) *lanes_at(row + last) = tail;
    for (; c < m && !rest; c++) {
        double x = fresh ? 0.0 : row[c];
        for (int j = 0; j < count; j++) x += s * f[j] * b[c + j * stride];
        row[c] = x;
    }
}

// m right sides, `stride` apart from row to row
LANES_INLINE void solve_columns(int n, const double *lu, int m, double *b, int stride) {
    for (int i = 1; i < n; i++) add_rows(m, i, -1.0, lu + i * n, b, stride, false, b + i * stride);
    for (int i = n - 1; i >= 0; i--) {
        double *row = b + i * stride;
        add_rows(m, n - i - 1, -1.0, lu + i * n + i + 1, row + stride, stride, false, row);
        for (int c = 0; c < m; c++) row[c] *= lu[i * n + i];
    }
}

// One, two or three columns alone are filled up to four where there is room for them.
#define MOST_WIDENED 96

LANES_INLINE void solve_few(int n, const double *lu, int m, double *b, int stride) {
    lanes wide[MOST_WIDENED];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < LANES; c++) wide[i][c] = c < m ? b[i * stride + c] : 0.0;
    solve_columns(n, lu, LANES, (double *)wide, LANES);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < m; c++) b[i * stride + c] = lane(&wide[i], c);
}

LANES_CLONED static void lu_solve_many_cloned(int n, const double *lu, const int *pivot, int m,
                                              double *b) {
    for (int k = 0; k < n; k++)
        if (pivot[k] != k) swap_rows(m, b + k * m, b + pivot[k] * m);
    if (m < LANES && n <= MOST_WIDENED) solve_few(n, lu, m, b, m);
    else solve_columns(n, lu, m, b, m);
}

void lu_solve_many(int n, const double *lu, const int *pivot, int m, double *b) {
    lu_solve_many_cloned(n, lu, pivot, m, b);
}

// A' = U' L' P: forward with U', back with L', then the swaps in reverse.
LANES_CLONED static void lu_solve_transposed_cloned(int n, const double *lu, const int *pivot,
                                                    double *b) {
    for (int i = 0; i < n; i++) {
        b[i] *= lu[i * n + i];
        subtract(n - i - 1, b[i], lu + i * n + i + 1, b + i + 1);
    }
    for (int i = n - 1; i > 0; i--) subtract(i, b[i], lu + i * n, b);
    for (int k = n - 1; k >= 0; k--) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
}

void lu_solve_transposed(int n, const double *lu, const int *pivot, double *b) {
    lu_solve_transposed_cloned(n, lu, pivot, b);
}

int lu_sign(int n, const double *lu, const int *pivot) {
    int sign = 1;
    for (int k = 0; k < n; k++) {
        if (pivot[k] != k) sign = -sign;
        if (lu[k * n + k] < 0.0) sign = -sign;
    }
    return sign;
}

static double magnitude_sum(int n, const double *a, int stride) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += fabs(a[i * stride]);
    return sum;
}

double dense_norm1(int n, const double *a) {
    double largest = 0.0;
    for (int j = 0; j < n; j++) largest = fmax(largest, magnitude_sum(n, a + j, n));
    return largest;
}

void dense_mul_vec(int m, int n, const double *a, const double *x, double *y) {
    for (int i = 0; i < m; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

void dense_tmul_vec(int m, int n, const double *a, const double *x, double *y) {
    for (int j = 0; j < n; j++) y[j] = 0.0;
    for (int i = 0; i < m; i++) subtract(n, -x[i], a + i * n, y);
}

LANES_CLONED static void dense_mul_cloned(int m, int n, int k, double s, const double *a,
                                          const double *b, double *c) {
    for (int i = 0; i < m; i++) add_rows(k, n, s, a + i * n, b, k, true, c + i * k);
}

void dense_mul(int m, int n, int k, double s, const double *a, const double *b, double *c) {
    dense_mul_cloned(m, n, k, s, a, b, c);
}

LANES_CLONED static void dense_madd_cloned(int m, int n, int k, double s, const double *a,
                                           const double *b, double *c) {
    if (k == 1)
        for (int i = 0; i < m; i++) c[i] += s * dot(n, a + i * n, b);
    else
        for (int i = 0; i < m; i++) add_rows(k, n, s, a + i * n, b, k, false, c + i * k);
}

void dense_madd(int m, int n, int k, double s, const double *a, const double *b, double *c) {
    dense_madd_cloned(m, n, k, s, a, b, c);
}
