// math/dense.c - LU with partial pivoting and products of small matrices.
//
// Matrices here have 6 to 50 rows and change often, so what counts is what a call costs beside its
// arithmetic (bench_dense compares with LAPACK). Factors are found four columns at a time: a panel of
// four is factored, and then takes its part from all that is to its right at once. Solutions go four rows at
// a time, so that sums of four rows run side by side and only the corner between them is in turn.
#include "base/assertion.h"
#include "math/dense.h"

#include <math.h>
#include <stddef.h>

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

// All four the same: a shuffle is one instruction in wide registers, where a list of four is two.
LANES_INLINE lanes spread(double a) {
    const lanes first = {a};
    return __builtin_shufflevector(first, first, 0, 0, 0, 0);
}

// The order of the sum is the same in every call.
LANES_INLINE double dot(int m, const double *x, const double *y) {
    lanes sum = {0.0};
    int j = 0;
    for (; j + LANES <= m; j += LANES) sum += lanes_load(x + j) * lanes_load(y + j);
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

// The pivot of column c, from row p to its place. A NaN never wins the search, but it spreads down until it is a pivot
// itself. The diagonal holds 1/pivot.
LANES_INLINE bool bring_pivot(int n, int c, int p, double *a, int *pivot) {
    double *top = a + c * n;
    pivot[c] = p;
    if (p != c) swap_rows(n, top, a + p * n);
    top[c] = 1.0 / top[c];
    return top[c] != 0.0 && isfinite(top[c]);
}

// Column c of a panel of four from column k: `at` of them, its pivot in row *p, which becomes that of the next. What is right of
// the panel waits.
LANES_INLINE bool factor_column(int n, int k, int at, int *p, double *a, int *pivot) {
    const int c = k + at;
    if (!bring_pivot(n, c, *p, a, pivot)) return false;
    lanes top = lanes_load(a + c * n + k);
    const double inverse = top[at];
    double most = -1.0, *row = a + (c + 1) * n + k;
    for (int j = 0; j <= at; j++) top[j] = 0.0;
    *p = c + 1;
    for (int i = c + 1; i < n; i++, row += n) {
        const double f = row[at] * inverse;
        const lanes rest = lanes_load(row) - spread(f) * top;
        *lanes_at(row) = rest;
        row[at] = f;
        if (at < LANES - 1 && fabs(rest[at + 1]) > most) most = fabs(rest[at + 1]), *p = i;
    }
    return true;
}

// The last columns, from k.
LANES_INLINE bool factor_rest(int n, int k, double *a, int *pivot) {
    for (int c = k; c < n; c++) {
        if (!bring_pivot(n, c, largest_in_column(n, a, c), a, pivot)) return false;
        const double *top = a + c * n;
        for (int i = c + 1; i < n; i++) {
            double *row = a + i * n;
            row[c] *= top[c];
            for (int j = c + 1; j < n; j++) row[j] -= row[c] * top[j];
        }
    }
    return true;
}

// Four columns of a row less f_0 .. f_3 times those of the four rows from `top`.
LANES_INLINE lanes less_four(int n, lanes f0, lanes f1, lanes f2, lanes f3, const double *top,
                             const double *row) {
    return lanes_load(row) - ((f0 * lanes_load(top) + f1 * lanes_load(top + n)) +
                              (f2 * lanes_load(top + 2 * n) + f3 * lanes_load(top + 3 * n)));
}

// Columns [end, n) of one row likewise. Beyond the first four, what four do not divide is done with the last four columns,
// some of them twice, from what the row was.
LANES_INLINE void subtract_four(int n, int end, const double *f, const double *top, double *row) {
    const lanes f0 = spread(f[0]), f1 = spread(f[1]), f2 = spread(f[2]), f3 = spread(f[3]);
    const int last = n - LANES;
    int j = end;
    if (last >= end) {
        const lanes tail = less_four(n, f0, f1, f2, f3, top + last, row + last);
        for (; j < last; j += LANES)
            *lanes_at(row + j) = less_four(n, f0, f1, f2, f3, top + j, row + j);
        *lanes_at(row + last) = tail;
        return;
    }
    for (; j < n; j++)
        row[j] -=
            (f[0] * top[j] + f[1] * top[n + j]) + (f[2] * top[2 * n + j] + f[3] * top[3 * n + j]);
}

// Four columns of a panel's four rows, `at` in the first of them, among themselves; l: the panel's corner.
LANES_INLINE void solve_corner(int n, const double *l, const double *at, lanes x[4]) {
    for (int i = 0; i < 4; i++) {
        x[i] = lanes_load(at + i * n);
        for (int j = 0; j < i; j++) x[i] -= spread(l[i * n + j]) * x[j];
    }
}

LANES_INLINE void put_four(int n, const lanes x[4], double *at) {
    for (int i = 0; i < 4; i++) *lanes_at(at + i * n) = x[i];
}

LANES_INLINE void close_panel(int n, int end, const double *l, double *top) {
    const int last = n - LANES;
    lanes x[4], tail[4];
    int j = end;
    if (last >= end) {
        solve_corner(n, l, top + last, tail);
        for (; j < last; j += LANES) {
            solve_corner(n, l, top + j, x);
            put_four(n, x, top + j);
        }
        put_four(n, tail, top + last);
        return;
    }
    for (; j < n; j++)
        for (int i = 1; i < 4; i++)
            for (int c = 0; c < i; c++) top[i * n + j] -= l[i * n + c] * top[c * n + j];
}

LANES_CLONED static bool lu_factor_cloned(int n, double *a, int *pivot) {
    int k = 0;
    for (; k + LANES < n; k += LANES) {
        const int end = k + LANES;
        int p = largest_in_column(n, a, k);
        if (!factor_column(n, k, 0, &p, a, pivot) || !factor_column(n, k, 1, &p, a, pivot) ||
            !factor_column(n, k, 2, &p, a, pivot) || !factor_column(n, k, 3, &p, a, pivot))
            return false;
        close_panel(n, end, a + k * n + k, a + k * n);
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
        const lanes x = lanes_load(b + j);
        for (int i = 0; i < 4; i++) s[i] += lanes_load(a + i * n + j) * x;
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
        const lanes x = lanes_load(b + i) - four_dots(n, i, a, b);
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
        const lanes x =
            lanes_load(b + i) - four_dots(n, n - i - LANES, a + i + LANES, b + i + LANES);
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

// ---------------------------------------------------------------- many columns
// Columns go in panels of up to six fours, which stay in registers. What four do not divide is done with the panel's last
// four columns, some of them twice, from what they were.
typedef enum summand { PLUS, MINUS, SCALED } summand;

#define MOST_FOURS 6

// row of a panel += or -= or += s times sum_j f_j b_j over `count` rows b_j, `stride` apart; numbers f_j are `apart`, the last
// four columns at `last`. `fresh`: the row was 0. Then times *scale, where there is one.
LANES_INLINE void add_rows(int fours, int last, int count, summand how, double s, const double *f,
                           int apart, const double *b, int stride, bool fresh, const double *scale,
                           double *row) {
    lanes x[MOST_FOURS];
    for (int i = 0; i < fours; i++)
        x[i] = fresh ? spread(0.0) : lanes_load(row + (i < fours - 1 ? LANES * i : last));
    for (int j = 0; j < count; j++, b += stride, f += apart) {
        const lanes by = spread(how == SCALED ? s * *f : *f);
        for (int i = 0; i < fours; i++) {
            const lanes term = by * lanes_load(b + (i < fours - 1 ? LANES * i : last));
            x[i] = how == MINUS ? x[i] - term : x[i] + term;
        }
    }
    for (int i = 0; i < fours && scale; i++) x[i] *= spread(*scale);
    for (int i = 0; i < fours; i++) *lanes_at(row + (i < fours - 1 ? LANES * i : last)) = x[i];
}

// How many fours the panel from column c takes of m; *last: where its last begins.
static int panel_at(int m, int c, int *last) {
    const int fours = (m - c + LANES - 1) / LANES, taken = fours > MOST_FOURS ? 4 : fours;
    *last = taken < fours ? (taken - 1) * LANES : m - c - LANES;
    return taken;
}

// ---------------------------------------------------------------- many right sides
// A = P' L U, or its transposed U' L' P: all of b (n x panel) but for the swaps.
LANES_INLINE void solve_panel(int fours, int last, int n, const double *lu, bool transposed,
                              double *b, int stride) {
    const int down = transposed ? 1 : n, apart = transposed ? n : 1;
    for (int i = 0; i < n; i++)
        add_rows(fours, last, i, MINUS, 1.0, lu + i * down, apart, b, stride, false,
                 transposed ? lu + i * n + i : NULL, b + i * stride);
    for (int i = n - 1; i >= 0; i--)
        add_rows(fours, last, n - i - 1, MINUS, 1.0, lu + i * n + i + apart, apart,
                 b + (i + 1) * stride, stride, false, transposed ? NULL : lu + i * n + i,
                 b + i * stride);
}

LANES_INLINE void solve_columns(int n, const double *lu, bool transposed, int m, double *b) {
    for (int c = 0, fours, last; c < m; c += LANES * fours) {
        fours = panel_at(m, c, &last);
        switch (fours) {
        case 1: solve_panel(1, last, n, lu, transposed, b + c, m); break;
        case 2: solve_panel(2, last, n, lu, transposed, b + c, m); break;
        case 3: solve_panel(3, last, n, lu, transposed, b + c, m); break;
        case 4: solve_panel(4, last, n, lu, transposed, b + c, m); break;
        case 5: solve_panel(5, last, n, lu, transposed, b + c, m); break;
        default: solve_panel(6, last, n, lu, transposed, b + c, m); break;
        }
    }
}

// One, two or three columns as they are.
static void solve_narrow(int n, const double *lu, bool transposed, int m, double *b) {
    const int down = transposed ? 1 : n, apart = transposed ? n : 1;
    for (int c = 0; c < m; c++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) b[i * m + c] -= lu[i * down + j * apart] * b[j * m + c];
            if (transposed) b[i * m + c] *= lu[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) b[i * m + c] -= lu[i * down + j * apart] * b[j * m + c];
            if (!transposed) b[i * m + c] *= lu[i * n + i];
        }
    }
}

// They are filled up to four where there is room for them.
#define MOST_WIDENED 96

LANES_INLINE void solve_few(int n, const double *lu, bool transposed, int m, double *b) {
    lanes wide[MOST_WIDENED];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < LANES; c++) wide[i][c] = c < m ? b[i * m + c] : 0.0;
    solve_columns(n, lu, transposed, LANES, (double *)wide);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < m; c++) b[i * m + c] = lane(&wide[i], c);
}
LANES_INLINE void solve_any(int n, const double *lu, bool transposed, int m, double *b) {
    if (m >= LANES) solve_columns(n, lu, transposed, m, b);
    else if (n <= MOST_WIDENED) solve_few(n, lu, transposed, m, b);
    else solve_narrow(n, lu, transposed, m, b);
}

LANES_CLONED static void lu_solve_many_cloned(int n, const double *lu, const int *pivot, int m,
                                              double *b) {
    for (int k = 0; k < n; k++)
        if (pivot[k] != k) swap_rows(m, b + k * m, b + pivot[k] * m);
    solve_any(n, lu, false, m, b);
}

void lu_solve_many(int n, const double *lu, const int *pivot, int m, double *b) {
    lu_solve_many_cloned(n, lu, pivot, m, b);
}

// A' = U' L' P: forward with U', back with L', then the swaps in reverse.
LANES_CLONED static void lu_solve_transposed_many_cloned(int n, const double *lu, const int *pivot,
                                                         int m, double *b) {
    solve_any(n, lu, true, m, b);
    for (int k = n - 1; k >= 0; k--)
        if (pivot[k] != k) swap_rows(m, b + k * m, b + pivot[k] * m);
}

void lu_solve_transposed_many(int n, const double *lu, const int *pivot, int m, double *b) {
    lu_solve_transposed_many_cloned(n, lu, pivot, m, b);
}

// The same for one right side.
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

// 0, or NaN with the first bad entry; eight sums at once
LANES_INLINE bool sums_to_zero(const double *a, size_t n) {
    lanes one = {0.0}, two = {0.0};
    size_t i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        one += *(const lanes *)(a + i) * 0.0;
        two += *(const lanes *)(a + i + LANES) * 0.0;
    }
    double sum = lanes_sum(one + two);
    for (; i < n; i++) sum += a[i] * 0.0;
    return sum == 0.0;
}

LANES_CLONED static bool is_finite_cloned(const double *a, size_t n) {
    return sums_to_zero(a, n);
}

bool dense_is_finite(size_t n, const double *a) {
    return is_finite_cloned(a, n);
}

bool dense_is_zero(int n, const double *a) {
    for (int i = 0; i < n; i++)
        if (a[i] != 0.0) return false;
    return true;
}

double dense_largest(int n, const double *a) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

void dense_transpose(int rows, int columns, const double *a, double *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) out[j * rows + i] = a[i * columns + j];
}

void dense_symmetrise(int n, double *a) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            a[i * n + k] = a[k * n + i] = 0.5 * (a[i * n + k] + a[k * n + i]);
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

// ---------------------------------------------------------------- products
// c (rows x k) = or += s a b over `count` rows of b (count x k): numbers of a are `apart` within a sum, `down` from row to row
typedef struct product {
    int rows, count, k;
    double s;
    const double *a;
    int down, apart;
    const double *b;
    bool fresh;
    double *c;
} product;

// Two rows at once, whose sums do not wait for one another.
LANES_INLINE void product_pair(const product *p, int fours, int last, summand how, int i,
                               int from) {
    const double *f = p->a + i * p->down, *g = f + p->down, *b = p->b + from;
    double *c = p->c + i * p->k + from, *d = c + p->k;
    lanes x[MOST_FOURS], y[MOST_FOURS];
    for (int l = 0; l < fours; l++) {
        const int at = l < fours - 1 ? LANES * l : last;
        x[l] = p->fresh ? spread(0.0) : lanes_load(c + at);
        y[l] = p->fresh ? spread(0.0) : lanes_load(d + at);
    }
    for (int j = 0; j < p->count; j++, b += p->k, f += p->apart, g += p->apart) {
        const lanes u = spread(how == SCALED ? p->s * *f : *f);
        const lanes v = spread(how == SCALED ? p->s * *g : *g);
        for (int l = 0; l < fours; l++) {
            const lanes row = lanes_load(b + (l < fours - 1 ? LANES * l : last));
            x[l] = how == MINUS ? x[l] - u * row : x[l] + u * row;
            y[l] = how == MINUS ? y[l] - v * row : y[l] + v * row;
        }
    }
    for (int l = 0; l < fours; l++) {
        const int at = l < fours - 1 ? LANES * l : last;
        *lanes_at(c + at) = x[l], *lanes_at(d + at) = y[l];
    }
}

LANES_INLINE void product_rows(const product *p, int fours, int last, summand how, int from) {
    int i = 0;
    for (; i + 2 <= p->rows; i += 2) product_pair(p, fours, last, how, i, from);
    if (i < p->rows)
        add_rows(fours, last, p->count, how, p->s, p->a + i * p->down, p->apart, p->b + from, p->k,
                 p->fresh, NULL, p->c + i * p->k + from);
}

LANES_INLINE void product_panels(const product *p, summand how) {
    for (int c = 0, fours, last; c < p->k; c += LANES * fours) {
        fours = panel_at(p->k, c, &last);
        switch (fours) {
        case 1: product_rows(p, 1, last, how, c); break;
        case 2: product_rows(p, 2, last, how, c); break;
        case 3: product_rows(p, 3, last, how, c); break;
        case 4: product_rows(p, 4, last, how, c); break;
        case 5: product_rows(p, 5, last, how, c); break;
        default: product_rows(p, 6, last, how, c); break;
        }
    }
}

// Fewer than four columns.
static void product_narrow(const product *p) {
    for (int i = 0; i < p->rows; i++)
        for (int c = 0; c < p->k; c++) {
            double x = p->fresh ? 0.0 : p->c[i * p->k + c];
            for (int j = 0; j < p->count; j++)
                x += p->s * p->a[i * p->down + j * p->apart] * p->b[j * p->k + c];
            p->c[i * p->k + c] = x;
        }
}

LANES_CLONED static void product_cloned(const product *p) {
    if (p->k < LANES) product_narrow(p);
    else if (p->s == 1.0) product_panels(p, PLUS);
    else if (p->s == -1.0) product_panels(p, MINUS);
    else product_panels(p, SCALED);
}

LANES_CLONED static void add_dots_cloned(int m, int n, double s, const double *a, const double *b,
                                         double *c) {
    for (int i = 0; i < m; i++) c[i] += s * dot(n, a + i * n, b);
}

void dense_mul(int m, int n, int k, double s, const double *a, const double *b, double *c) {
    const product p = {m, n, k, s, a, n, 1, b, true, c};
    product_cloned(&p);
}

void dense_madd(int m, int n, int k, double s, const double *a, const double *b, double *c) {
    const product p = {m, n, k, s, a, n, 1, b, false, c};
    if (k == 1) add_dots_cloned(m, n, s, a, b, c);
    else product_cloned(&p);
}

void dense_tmadd(int m, int n, int k, double s, const double *a, const double *b, double *c) {
    const product p = {n, m, k, s, a, 1, n, b, false, c};
    product_cloned(&p);
}
