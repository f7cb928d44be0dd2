// solve/modes.c - see modes.h.
#include "solve/modes.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/krylov.h"
#include "math/pencil.h"
#include "math/pi.h"

#define RIGID 1e-9             // singular value of scaled equations below which a multiplier holds
#define SYMMETRIC 1e-8         // of the scaled stiffness: an asymmetry that is rounding
#define NEARLY_SYMMETRIC 0.01  // the same where it is what nodes leave unresolved
#define UNDAMPED 1e-9          // of scaled damping, likewise
#define NOTHING 3e-5  // of the next frequency: what moves so slowly moves freely, but for rounding
#define MASSLESS 1e-13      // theta^2 of the slowest: there is no mass
#define FIRST_SHIFT 1e-3    // of the fastest: where the stiffness is singular
#define LEAST_SQUARE 1e-11  // omega^2, of the fastest: below it rounding may be all
#define REAL 1e-10          // of |s|: growth or decay that is rounding
#define FOUND 1e-10         // |x + K^-1 (s D + s^2 M) x|, of |x|
#define ROUNDING 1e-14      // of the largest theta^2
#define EQUAL 1e-6          // of theta: roots so near each other may have the same vector
#define ALIKE 1e-6          // what is left of such a vector, of its size
#define OFF_RESONANCE 1e-9  // of |s|, where shapes are asked for

enum {
    FEW = 60,         // free coordinates below which all modes cost no more than a part
    BLOCKS = 32,      // of n modes: with fewer coordinates all modes are found at once
    FIRST_ROUND = 4,  // of a basis that grows, in which modes are looked for
    LAST_ROUND = 24,
    TIME_ROUNDS = 4,  // of the power method
};

typedef struct complex_number {
    double re, im;
} complex_number;

static complex_number times(complex_number a, complex_number b) {
    return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// ---------------------------------------------------------------- memory
void linear_matrices_layout(int n, int n_q, int n_u, int n_y, arena *a, linear_matrices *out) {
    linear_matrices m = {.n = n, .n_q = n_q, .n_u = n_u, .n_y = n_y};
    double **const square[] = {&m.M, &m.D, &m.K};
    for (int i = 0; i < 3; i++) {
        *square[i] = ARENA_TAKE(a, double, n *n);
        m.B[i] = ARENA_TAKE(a, double, n *n_u);
        m.C[i] = ARENA_TAKE(a, double, n_y *n);
        m.F[i] = ARENA_TAKE(a, double, n_y *n_u);
    }
    m.z_tt = ARENA_TAKE(a, double, n);
    m.unit = ARENA_TAKE(a, double, n_q);
    if (out) *out = m;
}

void modes_layout(int n, int n_q, int n_u, arena *a, modes *out) {
    const int k = n - n_q, two = 2 * n_q > 4 ? 2 * n_q : 4, side = k > two ? k : two;
    modes m = {.found = ARENA_TAKE(a, mode_shape, two), .shapes = ARENA_TAKE(a, double, two *n_q)};
    double **const square[] = {&m.K, &m.M, &m.D, &m.N, &m.P};
    double **const border[] = {&m.E, &m.U, &m.V};
    for (int i = 0; i < 5; i++) *square[i] = ARENA_TAKE(a, double, n_q *n_q);
    m.T = ARENA_TAKE(a, double, n_q *(k > n_q ? k : n_q));
    for (int i = 0; i < 3; i++) *border[i] = ARENA_TAKE(a, double, k *k);
    m.scale = ARENA_TAKE(a, double, n);
    m.G = ARENA_TAKE(a, double, n_q *k);
    m.C = ARENA_TAKE(a, double, k *n_q);
    m.s = ARENA_TAKE(a, double, two + k);
    m.re = ARENA_TAKE(a, double, two + k);
    m.im = ARENA_TAKE(a, double, two + k);
    m.A = ARENA_TAKE(a, double, side *side);
    m.X = ARENA_TAKE(a, double, side *side);
    m.Z = ARENA_TAKE(a, double, larger(2 * n * n, PENCIL_PART_WORK(two)));
    m.rhs = ARENA_TAKE(a, double, 2 * n * (n_u > 1 ? n_u : 1));
    m.work = ARENA_TAKE(a, double, PENCIL_WORK(two + n));
    m.pivot = ARENA_TAKE(a, int, two + n);
    m.flags = ARENA_TAKE(a, int, 3 * two);
    if (out) *out = m;
}

// ---------------------------------------------------------------- scaling
// Rows and columns so that stiffness and mass together have a diagonal near 1, whatever the units.
static void set_scales(const linear_matrices *of, modes *m) {
    const int n = of->n, n_q = of->n_q;
    double stiff = 0.0, heavy = 0.0;
    for (int i = 0; i < n_q; i++) {
        stiff += fabs(of->K[i * n + i]) * of->unit[i] * of->unit[i];
        heavy += fabs(of->M[i * n + i]) * of->unit[i] * of->unit[i];
    }
    const double by = heavy > 0.0 ? stiff / heavy : 0.0;
    for (int i = 0; i < n_q; i++) {
        const double size = fabs(of->K[i * n + i]) + by * fabs(of->M[i * n + i]);
        m->scale[i] = size > 0.0 ? 1.0 / sqrt(size) : of->unit[i];
    }
    for (int k = n_q; k < n; k++) {  // a multiplier by its force
        double most = 0.0;
        for (int i = 0; i < n_q; i++) most = fmax(most, fabs(m->scale[i] * of->K[i * n + k]));
        m->scale[k] = most > 0.0 ? 1.0 / most : 1.0;
    }
}

static void scaled_block(const linear_matrices *of, const modes *m, const double *from, int row,
                         int rows, int column, int columns, double *to) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            to[i * columns + k] =
                m->scale[row + i] * m->scale[column + k] * from[(row + i) * of->n + column + k];
}

// ---------------------------------------------------------------- multipliers
static void identity(int n, double *a) {
    memset(a, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) a[i * (n + 1)] = 1.0;
}

// Equations of multipliers, each with 1 as its largest number.
static void scale_equations(int k, int n_q, modes *m) {
    for (int i = 0; i < k; i++) {
        const double most =
            fmax(dense_largest(n_q, m->C + i * n_q), dense_largest(k, m->E + i * k));
        for (int j = 0; j < n_q && most > 0.0; j++) m->C[i * n_q + j] /= most;
        for (int j = 0; j < k && most > 0.0; j++) m->E[i * k + j] /= most;
    }
}

// How many of the k singular values are not 0.
static int rank_of(int k, const double *s, double least) {
    int rank = 0;
    while (rank < k && s[rank] > least) rank++;
    return rank;
}

// Rows that span what A (k x n, used up) takes to 0, into `free` (n x n, its first rows); how many.
static int null_space(int k, int n, double *A, double *free, modes *m) {
    double *U = m->A, *V = m->X;
    if (!pencil_svd(k, n, A, m->re, U, V, m->work)) return -1;
    const int rank = rank_of(k < n ? k : n, m->re, 1e-10 * m->re[0]);
    memcpy(free, V + (size_t)rank * (size_t)n, sizeof(double) * (size_t)n * (size_t)(n - rank));
    return n - rank;
}

// Those that give way stiffen: K -= G V_j' (U_j'C)/s_j. The others are left in C and G: how many; -1: not known.
static int eliminate_soft(int k, int n_q, modes *m) {
    double *row = m->re, *column = m->im;
    memcpy(m->A, m->E, sizeof(double) * (size_t)(k * k));
    if (!pencil_svd(k, k, m->A, m->s, m->U, m->V, m->work)) return -1;
    const int rank = rank_of(k, m->s, RIGID);
    for (int j = 0; j < rank; j++) {
        for (int i = 0; i < n_q; i++) {
            row[i] = column[i] = 0.0;
            for (int l = 0; l < k; l++) row[i] += m->U[l * k + j] * m->C[l * n_q + i];
            for (int l = 0; l < k; l++) column[i] += m->G[i * k + l] * m->V[j * k + l];
        }
        for (int i = 0; i < n_q; i++)
            for (int l = 0; l < n_q; l++) m->K[i * n_q + l] -= column[i] * row[l] / m->s[j];
    }
    const int left = k - rank;
    double *C = m->A, *G = m->X;  // (left x n_q each): G by columns
    for (int j = 0; j < left; j++)
        for (int i = 0; i < n_q; i++) {
            C[j * n_q + i] = G[j * n_q + i] = 0.0;
            for (int l = 0; l < k; l++) {
                C[j * n_q + i] += m->U[l * k + rank + j] * m->C[l * n_q + i];
                G[j * n_q + i] += m->G[i * k + l] * m->V[(rank + j) * k + l];
            }
        }
    memcpy(m->C, C, sizeof(double) * (size_t)(left * n_q));
    memcpy(m->G, G, sizeof(double) * (size_t)(left * n_q));
    return left;
}

// a (n x n) becomes P a N' (f x f)
static void project(int n, int f, double *a, modes *m) {
    for (int i = 0; i < f; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int l = 0; l < n; l++) sum += m->P[i * n + l] * a[l * n + k];
            m->T[i * n + k] = sum;
        }
    for (int i = 0; i < f; i++)
        for (int k = 0; k < f; k++) {
            double sum = 0.0;
            for (int l = 0; l < n; l++) sum += m->T[i * n + l] * m->N[k * n + l];
            a[i * f + k] = sum;
        }
}

// Coordinates that are free, whose numbers are the rows of N: how many; -1: not known.
static int eliminate(const linear_matrices *of, modes *m) {
    const int n_q = of->n_q, k = of->n - n_q;
    identity(n_q, m->N);
    identity(n_q, m->P);
    if (k == 0) return n_q;
    scaled_block(of, m, of->K, 0, n_q, n_q, k, m->G);
    scaled_block(of, m, of->K, n_q, k, 0, n_q, m->C);
    scaled_block(of, m, of->K, n_q, k, n_q, k, m->E);
    scale_equations(k, n_q, m);
    const int left = eliminate_soft(k, n_q, m);
    if (left <= 0) return left < 0 ? -1 : n_q;
    // P first, which is N where forces of multipliers do no work: then all stays symmetric
    memcpy(m->T, m->C, sizeof(double) * (size_t)(left * n_q));
    const int free = null_space(left, n_q, m->T, m->N, m);
    const double size = dense_largest(left * n_q, m->G);
    double work = 0.0;
    for (int i = 0; i < left; i++)
        for (int j = 0; j < free; j++) {
            double sum = 0.0;
            for (int l = 0; l < n_q; l++) sum += m->G[i * n_q + l] * m->N[j * n_q + l];
            work = fmax(work, fabs(sum));
        }
    if (work < 1e-8 * size) memcpy(m->P, m->N, sizeof(double) * (size_t)(n_q * n_q));
    else if (null_space(left, n_q, m->G, m->P, m) != free) return -1;
    project(n_q, free, m->K, m);
    project(n_q, free, m->D, m);
    project(n_q, free, m->M, m);
    return free;
}

// ---------------------------------------------------------------- what is found
static double asymmetry(int n, const double *a) {
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) most = fmax(most, fabs(a[i * n + k] - a[k * n + i]));
    return most;
}

static td_mode mode_of(double re, double im) {
    const double size = hypot(re, im);
    td_mode m = {.re = re, .im = im};
    if (size == 0.0) return (td_mode){.kind = TD_MODE_NEUTRAL};
    if (im <= REAL * size) m.im = 0.0;
    if (fabs(re) <= REAL * size) m.re = 0.0;
    if (m.im > 0.0) m.kind = m.re > 0.0 ? TD_MODE_FLUTTERS : TD_MODE_OSCILLATES;
    else m.kind = m.re > 0.0 ? TD_MODE_DIVERGES : TD_MODE_DECAYS;
    m.frequency = size / (2.0 * PI);
    m.damping = m.re != 0.0 ? -m.re / size : 0.0;
    return m;
}

// A shape in free coordinates (f), into row `at` of shapes (n_q).
static void keep_shape(const linear_matrices *of, modes *m, int f, const double *x, int at) {
    double *to = m->shapes + (size_t)at * (size_t)of->n_q;
    if (of->n == of->n_q) {  // no multipliers: N = 1
        for (int i = 0; i < f; i++) to[i] = m->scale[i] * x[i];
        return;
    }
    dense_mul(1, f, of->n_q, 1.0, x, m->N, to);
    for (int i = 0; i < of->n_q; i++) to[i] *= m->scale[i];
}

static void add_mode(modes *m, td_mode mode, int re, int im) {
    int at = m->n++;
    for (; at > 0 && m->found[at - 1].mode.frequency > mode.frequency; at--)
        m->found[at] = m->found[at - 1];
    m->found[at] = (mode_shape){mode, re, im};
}

// Where the slowest are far slower than all others, rounding alone moves them. How many do so, and how
// slow the slowest of the others is, 1/s.
static int mark_neutral(modes *m, double *slowest) {
    int free = 0;
    for (int i = 1; i < m->n; i++)
        if (m->found[i - 1].mode.frequency < NOTHING * m->found[i].mode.frequency) free = i;
    *slowest = free < m->n ? 2.0 * PI * m->found[free].mode.frequency : 0.0;
    int kept = 0, decays = 0, left = m->creeping;
    for (int i = 0; i < free; i++) decays += m->found[i].mode.kind == TD_MODE_DECAYS;
    for (int i = 0; i < free; i++) left -= m->found[i].mode.kind == TD_MODE_DIVERGES;
    left = left < decays ? left : decays;
    for (int i = 0; i < m->n; i++) {
        mode_shape one = m->found[i];
        // two roots near 0 of one shape are one free motion, but what creeps has one alone
        if (i < free && one.mode.kind == TD_MODE_DECAYS && left-- <= 0) continue;
        if (i < free) one.mode = (td_mode){.kind = TD_MODE_NEUTRAL};
        m->found[kept++] = one;
    }
    m->n = kept;
    return free;
}

// ---------------------------------------------------------------- symmetric
// M x = theta^2 (K + s0^2 M) x, into m->s and the rows of A.
static bool solve_definite(modes *m, int f, double square) {
    memcpy(m->A, m->M, sizeof(double) * (size_t)f * (size_t)f);
    for (int k = 0; k < f * f; k++) m->X[k] = m->K[k] + square * m->M[k];
    return pencil_symmetric(f, m->A, m->X, m->s, m->work);
}

// Where K is not definite: s0^2 near the slowest that rounding does not make, and beyond what falls.
static bool find_shift(modes *m, int f, double *square) {
    double slowest = HUGE_VAL, falls = 0.0;
    bool found = false;
    for (*square = 1.0; *square < 1e12 && !found; *square *= found ? 1.0 : 4.0)
        found = solve_definite(m, f, *square);
    for (int j = 0; j < f && found; j++) {
        const double lambda = 1.0 / m->s[j] - *square;
        if (!(m->s[j] > MASSLESS * m->s[f - 1])) continue;
        if (fabs(lambda) > LEAST_SQUARE) slowest = fmin(slowest, fabs(lambda));
        falls = fmax(falls, -lambda);
    }
    const double near = fmax(0.1 * slowest, 2.0 * falls);
    if (!found || !(near < *square)) return found;
    const double before = *square;
    *square = near;
    if (solve_definite(m, f, near)) return true;
    *square = before;
    return solve_definite(m, f, before);
}

// Is the slowest so slow, and so far from the next, that it moves freely but for rounding?
static bool slips(const modes *m, int f) {
    for (int j = f - 1; j > 0 && m->s[j] > 1.0 / LEAST_SQUARE; j--)
        if (m->s[j - 1] < NOTHING * NOTHING * m->s[j]) return true;
    return false;
}

// Times are in units of `time`.
static bool solve_symmetric(const linear_matrices *of, modes *m, int f, double time) {
    double square = 0.0, slowest;
    const bool definite = solve_definite(m, f, 0.0) && !slips(m, f);
    if (!definite && !find_shift(m, f, &square)) return false;
    for (int j = f - 1; j >= 0 && m->s[j] > MASSLESS * m->s[f - 1]; j--) {
        const double *x = m->A + (size_t)j * (size_t)f, lambda = 1.0 / m->s[j] - square;
        const double s = sqrt(fabs(lambda)) / time;
        keep_shape(of, m, f, x, j);
        if (lambda >= 0.0) {
            add_mode(m, mode_of(0.0, s), j, -1);
            continue;
        }
        add_mode(m, mode_of(s, 0.0), j, -1);
        add_mode(m, mode_of(-s, 0.0), j, -1);
    }
    mark_neutral(m, &slowest);
    return true;
}

// ---------------------------------------------------------------- general
// The matrix in A, and the factors of J in T. False: singular.
static bool make_shifted(modes *m, int f, double s0) {
    const int two = 2 * f;
    double *J = m->T;
    for (int i = 0; i < f * f; i++) J[i] = m->K[i] + s0 * (m->D[i] + s0 * m->M[i]);
    if (!lu_factor(f, J, m->pivot)) return false;
    memset(m->A, 0, sizeof(double) * (size_t)two * (size_t)two);
    for (int i = 0; i < f; i++)
        for (int k = 0; k < f; k++) {
            const double M = m->M[i * f + k];
            m->A[i * two + k] = -(m->D[i * f + k] + 2.0 * s0 * M);
            m->A[i * two + f + k] = -M;
        }
    lu_solve_many(f, J, m->pivot, two, m->A);  // the upper half: f rows
    for (int k = 0; k < f; k++) m->A[(f + k) * two + k] = 1.0;
    return true;
}

// theta and vectors in m->re, im and the rows of X. False: singular.
static bool solve_shifted(modes *m, int f, double s0) {
    return make_shifted(m, f, s0) && pencil_general(2 * f, m->A, m->re, m->im, m->X, m->work);
}

static double largest_theta(const modes *m, int n) {
    double most = 0.0;
    for (int j = 0; j < n; j++) most = fmax(most, hypot(m->re[j], m->im[j]));
    return most;
}

// Takes n roots of m->re and im, whose shapes are the first f numbers of rows of X, in units of `time`.
static void take_general(const linear_matrices *of, modes *m, int f, int n, const double *X,
                         int row_size, double s0, double time) {
    const double most = largest_theta(m, n);
    m->n = 0;
    for (int j = 0, row = 0; j < n; j++) {
        const double size = hypot(m->re[j], m->im[j]);
        const bool pair = m->im[j] != 0.0;
        const double *x = X + (size_t)j * (size_t)row_size, *y = x + row_size;
        const double s_re = s0 + m->re[j] / (size * size), s_im = -m->im[j] / (size * size);
        j += pair;
        if (size * size <= MASSLESS * most * most) continue;
        // the other of the pair has im > 0, and the conjugate shape
        keep_shape(of, m, f, x, row);
        if (pair) keep_shape(of, m, f, y, row + 1);
        for (int i = 0; pair && i < of->n_q; i++) m->shapes[(row + 1) * of->n_q + i] *= -1.0;
        add_mode(m, mode_of(s_re / time, fabs(s_im) / time), row, pair ? row + 1 : -1);
        row += 1 + pair;
    }
}

static bool solve_at(const linear_matrices *of, modes *m, int f, double s0, double time,
                     double *slowest, int *free) {
    if (!solve_shifted(m, f, s0)) return false;
    const double most = largest_theta(m, 2 * f);
    if (s0 == 0.0 && most * most * LEAST_SQUARE > 1.0) return false;  // as good as singular
    take_general(of, m, f, 2 * f, m->X + f, 2 * f, s0, time);
    *free = mark_neutral(m, slowest);
    return true;
}

// Once more, away from 0, where something moves freely.
static bool solve_general(const linear_matrices *of, modes *m, int f, double time) {
    double slowest = 0.0;
    int free = 0;
    if (!solve_at(of, m, f, 0.0, time, &slowest, &free) &&
        !solve_at(of, m, f, FIRST_SHIFT, time, &slowest, &free))
        return false;
    return free == 0 || solve_at(of, m, f, 0.3 * slowest * time, time, &slowest, &free);
}

// ---------------------------------------------------------------- a part
// The matrix of solve_shifted with s0 = 0 and times in units of `time`, in which the slowest is near 1: there
// neither half of a vector drowns the other.
typedef struct dynamics {
    const modes *m;
    int f;
    double time;
} dynamics;

static void apply_dynamics(void *context, const double *x, double *y) {
    const dynamics *d = context;
    const int f = d->f;
    const modes *m = d->m;
    dense_mul_vec(f, f, m->D, x, m->s);
    dense_mul_vec(f, f, m->M, x + f, y);
    for (int i = 0; i < f; i++) y[i] = -(m->s[i] + y[i] / d->time) / d->time;
    lu_solve(f, m->T, m->pivot, y);
    memcpy(y + f, x, sizeof(double) * (size_t)f);
}

// sqrt of the largest eigenvalue of K^-1 M, roughly: 1/s of the slowest, were it undamped
static double slowest_time(modes *m, int f) {
    double *x = m->re, *y = m->im, square = 0.0;
    for (int i = 0; i < f; i++) x[i] = 1.0 + (double)(i % 7);
    for (int round = 0; round < TIME_ROUNDS; round++) {
        dense_mul_vec(f, f, m->M, x, y);
        lu_solve(f, m->T, m->pivot, y);
        square = dense_largest(f, y) / dense_largest(f, x);
        memcpy(x, y, sizeof(double) * (size_t)f);
    }
    return isfinite(square) && square > 0.0 ? sqrt(square) : 1.0;
}

// The matrices as they are for motions within a basis Q (rows): Q K Q', Q D Q', Q M Q', and their modes.
static bool solve_within(const modes *m, int f, const krylov *Q, modes *small) {
    const int n = Q->n;
    const size_t size = (size_t)n * (size_t)n;
    const double *const from[] = {m->K, m->D, m->M};
    double **const to[] = {&small->K, &small->D, &small->M};
    *small = *m;
    for (int i = 0; i < 3; i++) {
        *to[i] = m->A + (size_t)i * size;
        for (int k = 0; k < n; k++) {
            dense_mul_vec(f, f, from[i], krylov_vector(Q, k), m->s);
            for (int l = 0; l < n; l++) {
                const double *q = krylov_vector(Q, l);
                double sum = 0.0;
                for (int j = 0; j < f; j++) sum += q[j] * m->s[j];
                (*to[i])[l * n + k] = sum;
            }
        }
    }
    small->T = m->A + 3 * size, small->A = m->A + 4 * size, small->X = m->A + 8 * size;
    small->re = m->re + f, small->im = m->im + f, small->pivot = m->pivot + f;
    return solve_shifted(small, n, 0.0);
}

// Root j of those within Q: its shape (f, and f of the imaginary part of a pair).
static void expand(const krylov *Q, const modes *small, int j, double *x) {
    const int f = Q->size, n = Q->n;
    for (int part = 0; part <= (small->im[j] != 0.0); part++) {
        const double *y = small->X + (size_t)(j + part) * (size_t)(2 * n) + n;
        memset(x + part * f, 0, sizeof(double) * (size_t)f);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < f; l++) x[part * f + l] += y[i] * krylov_vector(Q, i)[l];
    }
}

// |x + K^-1 (s D x + s^2 M x)| of |x|, with s = 1/theta. scratch (4 f)
static double residual(const modes *m, int f, double re, double im, const double *x,
                       double *scratch) {
    const double size = re * re + im * im;
    const complex_number s = {re / size, -im / size}, square = times(s, s);
    double *r = scratch, *Dx = scratch + 2 * f, *Mx = Dx + f, sum = 0.0, all = 0.0;
    memset(r, 0, sizeof(double) * 2 * (size_t)f);
    for (int part = 0; part <= (im != 0.0); part++) {
        dense_mul_vec(f, f, m->D, x + part * f, Dx);
        dense_mul_vec(f, f, m->M, x + part * f, Mx);
        for (int i = 0; i < f; i++) {
            const double a = s.re * Dx[i] + square.re * Mx[i], b = s.im * Dx[i] + square.im * Mx[i];
            r[i] += part ? -b : a, r[f + i] += part ? a : b;
        }
    }
    for (int part = 0; part <= (im != 0.0); part++) {
        lu_solve(f, m->T, m->pivot, r + part * f);
        for (int i = 0; i < f; i++) {
            const double xi = x[part * f + i], ri = xi + r[part * f + i];
            sum += ri * ri, all += xi * xi;
        }
    }
    return sqrt(sum / all);
}

// The largest theta that is left, and of a pair the first; -1: none
static int largest_left(const modes *small, int n) {
    int best = -1;
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        const double size = hypot(small->re[j], small->im[j]);
        if (size > most) best = j, most = size;
    }
    return best;
}

// Takes the `wanted` largest theta that a basis holds into m->re, im and the rows of X: how many numbers; 0: not yet.
static int take_found(modes *m, int f, const krylov *Q, int wanted, double *X, double *scratch) {
    modes small;
    int roots = 0;
    if (!solve_within(m, f, Q, &small)) return 0;
    for (int found = 0; found < wanted; found++) {
        const int j = largest_left(&small, 2 * Q->n);
        if (j < 0) return 0;
        const double re = small.re[j], im = small.im[j];
        double *x = X + (size_t)roots * (size_t)f;
        expand(Q, &small, j, x);
        if (!(residual(m, f, re, im, x, scratch) < FOUND)) return 0;
        for (int part = 0; part <= (im != 0.0); part++, roots++) {
            m->re[roots] = re, m->im[roots] = part ? -im : im;
            small.re[j + part] = small.im[j + part] = 0.0;
        }
    }
    return roots;
}

// The n modes nearest to 0: those of the motions within a basis that holds them. False: not found, or something moves
// freely, which is known only beside all modes.
static bool solve_part(const linear_matrices *of, modes *m, int f, double time, int n) {
    const int wanted = n + 1;  // one more shows whether the n are far slower than all others
    const size_t square = (size_t)f * (size_t)f;
    double *X = m->Z + square, *scratch = m->X + 3 * square;
    krylov V = {.size = 2 * f, .V = m->X}, Q = {.size = f, .V = m->Z};
    memcpy(m->T, m->K, sizeof(double) * square);
    if (!lu_factor(f, m->T, m->pivot)) return false;
    dynamics d = {m, f, slowest_time(m, f)};
    const int block = wanted / 2 + 1;  // halves of a vector are two starts
    krylov_start(&V, block);
    int roots = 0, from = 0;
    for (int round = 0; roots == 0 && round <= LAST_ROUND && V.n + block <= f / 2; round++) {
        for (; from < V.n; from++) {
            memcpy(krylov_vector(&Q, Q.n), krylov_vector(&V, from), sizeof(double) * (size_t)f);
            krylov_join(&Q);
        }
        if (round >= FIRST_ROUND && round % 2 == 0)
            roots = take_found(m, f, &Q, wanted, X, scratch);
        if (V.used == V.n) break;
        krylov_grow(&V, apply_dynamics, &d);
    }
    const double largest = largest_theta(m, roots);
    if (roots == 0 || largest * largest * LEAST_SQUARE > 1.0) return false;
    take_general(of, m, f, roots, X, f, 0.0, time);
    double slowest = 0.0;
    return mark_neutral(m, &slowest) == 0;
}

// Do rows of X (n numbers each) that belong to nearly equal roots differ? They are used up, from `X` on.
static bool differ(const modes *m, int n, int roots, double *X) {
    for (int j = 0; j < roots; j++) {
        double *x = X + (size_t)j * (size_t)n;
        const double before = sqrt(dense_dot(n, x, x)), size = hypot(m->re[j], m->im[j]);
        for (int i = 0; i < j; i++) {
            const double apart = hypot(m->re[i] - m->re[j], fabs(m->im[i]) - fabs(m->im[j]));
            if (apart > EQUAL * size) continue;
            const double *y = X + (size_t)i * (size_t)n, held = dense_dot(n, x, y);
            for (int l = 0; l < n; l++) x[l] -= held * y[l];
        }
        const double left = sqrt(dense_dot(n, x, x));
        if (!(left > ALIKE * before)) return false;
        for (int l = 0; l < n; l++) x[l] /= left;
    }
    return true;
}

// The n modes nearest to 0 of all: of the whole matrix, but only their vectors. False as for solve_part.
static bool solve_first(const linear_matrices *of, modes *m, int f, double time, int n) {
    const int two = 2 * f;
    if (!make_shifted(m, f, 0.0)) return false;
    const int roots = pencil_largest(two, n + 1, m->A, m->re, m->im, m->X, m->Z, m->flags);
    const double largest = largest_theta(m, roots);
    if (roots == 0 || largest * largest * LEAST_SQUARE > 1.0) return false;
    for (int j = 0; j < roots; j += 1 + (m->im[j] != 0.0)) {
        double *x = m->A;  // (2 f)
        for (int part = 0; part <= (m->im[j] != 0.0); part++)
            memcpy(x + part * f, m->X + (size_t)(j + part) * (size_t)two + f,
                   sizeof(double) * (size_t)f);
        // what rounding of a matrix of norm `largest` leaves at a root that is smaller
        const double by = largest / hypot(m->re[j], m->im[j]),
                     most = fmax(FOUND, ROUNDING * by * by);
        if (!(residual(m, f, m->re[j], m->im[j], x, m->A + two) < most)) return false;
    }
    memcpy(m->A, m->X, sizeof(double) * (size_t)roots * (size_t)two);
    if (!differ(m, two, roots, m->A)) return false;
    take_general(of, m, f, roots, m->X + f, two, 0.0, time);
    double slowest = 0.0;
    return mark_neutral(m, &slowest) == 0;
}

// Does something creep, without mass: a current, a fluid, a rotor that is held? However little that counts beside
// stiffness. How much of it stays wherever it is?
static int count_creeping(const linear_matrices *of) {
    int n = 0;
    for (int i = 0; i < of->n_q; i++) {
        const double *K = of->K + i * of->n, *M = of->M + i * of->n;
        n += dense_largest(of->n, K) == 0.0 && dense_largest(of->n, M) == 0.0;
    }
    return n;
}

static bool creeps(const linear_matrices *of) {
    for (int i = 0; i < of->n_q; i++)
        if (of->M[i * (of->n + 1)] == 0.0 && of->D[i * (of->n + 1)] != 0.0) return true;
    return false;
}

static bool solve_reduced(const linear_matrices *of, modes *m, int f, double stiff, double time,
                          int n) {
    const bool symmetric = asymmetry(f, m->K) <= SYMMETRIC * stiff &&
                           asymmetry(f, m->M) <= SYMMETRIC * stiff &&
                           dense_largest(f * f, m->D) <= UNDAMPED * stiff && !creeps(of);
    if (symmetric && solve_symmetric(of, m, f, time)) return true;
    const bool few = n > 0 && f >= FEW && BLOCKS * (n + 1) <= f;
    if (few && !symmetric && solve_part(of, m, f, time, n)) return true;
    if (n > 0 && n < f && !few && !symmetric && solve_first(of, m, f, time, n)) return true;
    m->n = 0;
    return solve_general(of, m, f, time);
}

bool modes_solve(const linear_matrices *of, modes *m, int n) {
    const int n_q = of->n_q;
    m->n = 0;
    set_scales(of, m);
    scaled_block(of, m, of->K, 0, n_q, 0, n_q, m->K);
    scaled_block(of, m, of->D, 0, n_q, 0, n_q, m->D);
    scaled_block(of, m, of->M, 0, n_q, 0, n_q, m->M);
    const double stiff = dense_largest(n_q * n_q, m->K), heavy = dense_largest(n_q * n_q, m->M);
    const double time = stiff > 0.0 && heavy > 0.0 ? sqrt(heavy / stiff) : 1.0;
    for (int i = 0; i < n_q * n_q; i++) m->D[i] /= time, m->M[i] /= time * time;
    m->creeping = count_creeping(of);
    const int f = eliminate(of, m);
    if (f < 0) return false;
    if (f == 0) return true;
    if (of->potential && asymmetry(f, m->K) <= NEARLY_SYMMETRIC * stiff) dense_symmetrise(f, m->K);
    if (!solve_reduced(of, m, f, stiff, time, n)) return false;
    if (n > 0 && m->n > n) m->n = n;
    return true;
}

// ---------------------------------------------------------------- at a complex frequency
// x[0] + s x[1] + s^2 x[2] at one place of three matrices
static complex_number at_s(complex_number s, double a, double b, double c) {
    const complex_number square = times(s, s);
    return (complex_number){a + s.re * b + square.re * c, s.im * b + square.im * c};
}

// The scaled matrix, and all of its rows.
static void fill_dynamic(const linear_matrices *of, modes *m, complex_number s) {
    const int n = of->n;
    for (int i = 0; i < n * n; i++) {
        const double by = m->scale[i / n] * m->scale[i % n];
        const complex_number x = at_s(s, of->K[i], of->D[i], of->M[i]);
        m->Z[2 * i] = by * x.re, m->Z[2 * i + 1] = by * x.im;
    }
}

// y (n_y) of one z: += , complex
static void outputs_of(const linear_matrices *of, complex_number s, const double *z, double *y,
                       int stride) {
    for (int i = 0; i < of->n_y; i++)
        for (int k = 0; k < of->n; k++) {
            const int at = i * of->n + k;
            const complex_number c = at_s(s, of->C[0][at], of->C[1][at], of->C[2][at]);
            const complex_number sum = times(c, (complex_number){z[2 * k], z[2 * k + 1]});
            y[2 * i * stride] += sum.re, y[2 * i * stride + 1] += sum.im;
        }
}

bool modes_response(const linear_matrices *of, modes *m, double omega, double *H) {
    const complex_number s = {0.0, omega};
    const int n = of->n, n_u = of->n_u;
    set_scales(of, m);
    fill_dynamic(of, m, s);
    for (int j = 0; j < n_u; j++)
        for (int i = 0; i < n; i++) {
            const int at = i * n_u + j;
            const complex_number b = at_s(s, of->B[0][at], of->B[1][at], of->B[2][at]);
            double *to = m->rhs + 2 * (j * n + i);
            to[0] = m->scale[i] * b.re, to[1] = m->scale[i] * b.im;
        }
    if (!pencil_complex_solve(n, n_u, m->Z, m->rhs, m->pivot)) return false;
    for (int j = 0; j < n_u; j++) {
        double *z = m->rhs + 2 * j * n;
        for (int i = 0; i < 2 * n; i++) z[i] *= m->scale[i / 2];
        for (int i = 0; i < of->n_y; i++) {
            const int at = i * n_u + j;
            const complex_number f = at_s(s, of->F[0][at], of->F[1][at], of->F[2][at]);
            H[2 * at] = f.re, H[2 * at + 1] = f.im;
        }
        outputs_of(of, s, z, H + 2 * j, n_u);
    }
    return true;
}

// Largest change 1, and real.
static void normalise(const linear_matrices *of, double *z) {
    complex_number largest = {1.0, 0.0};
    double most = 0.0;
    for (int i = 0; i < of->n_q; i++) {
        const complex_number x = {z[2 * i] / of->unit[i], z[2 * i + 1] / of->unit[i]};
        if (hypot(x.re, x.im) <= most * (1.0 + 1e-9)) continue;
        most = hypot(x.re, x.im);
        largest = x;
    }
    const complex_number by = {largest.re / (most * most), -largest.im / (most * most)};
    for (int i = 0; i < of->n && most > 0.0; i++) {
        const complex_number x = times((complex_number){z[2 * i], z[2 * i + 1]}, by);
        z[2 * i] = x.re, z[2 * i + 1] = x.im;
    }
}

// Multipliers of a mode: one step of inverse iteration, (K + s D + s^2 M) z = (D + 2 s M) z0 a little
// beside its frequency, keeps what the coordinates are and brings the forces that hold them.
static bool add_multipliers(const linear_matrices *of, modes *m, complex_number s, double *z) {
    const int n = of->n;
    const double size = hypot(s.re, s.im), aside = OFF_RESONANCE * (size > 0.0 ? size : 1.0);
    set_scales(of, m);
    memset(m->rhs, 0, sizeof(double) * 2 * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < of->n_q; k++) {
            const complex_number h = {of->D[i * n + k] + 2.0 * s.re * of->M[i * n + k],
                                      2.0 * s.im * of->M[i * n + k]};
            const complex_number x = times(h, (complex_number){z[2 * k], z[2 * k + 1]});
            m->rhs[2 * i] += m->scale[i] * x.re, m->rhs[2 * i + 1] += m->scale[i] * x.im;
        }
    fill_dynamic(of, m, (complex_number){s.re + aside, s.im});
    if (!pencil_complex_solve(n, 1, m->Z, m->rhs, m->pivot)) return false;
    for (int i = 0; i < 2 * n; i++) z[i] = m->scale[i / 2] * m->rhs[i];
    return true;
}

bool modes_shape(const linear_matrices *of, modes *m, int mode, double *z, double *y) {
    const mode_shape *f = &m->found[mode];
    const complex_number s = {f->mode.re, f->mode.im};
    memset(z, 0, sizeof(double) * 2 * (size_t)of->n);
    for (int i = 0; i < of->n_q; i++) {
        z[2 * i] = m->shapes[(size_t)f->re * (size_t)of->n_q + i];
        if (f->im >= 0) z[2 * i + 1] = m->shapes[(size_t)f->im * (size_t)of->n_q + i];
    }
    normalise(of, z);
    if (of->n > of->n_q && !add_multipliers(of, m, s, z)) return false;
    normalise(of, z);
    if (!y) return true;
    memset(y, 0, sizeof(double) * 2 * (size_t)of->n_y);
    outputs_of(of, s, z, y, 1);
    return true;
}
