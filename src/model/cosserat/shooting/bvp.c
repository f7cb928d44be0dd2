// model/cosserat/shooting/bvp.c - see bvp.h.
#include "model/cosserat/shooting/bvp.h"

#include <cminpack.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"

// A kept matrix serves while every correction shrinks the residual at least this much.
#define GOOD_CONTRACTION 0.3
// A Newton iteration that has not arrived after this many shots had better start elsewhere.
#define PATIENCE 15
// When nothing improves any more, a residual below this many tolerances counts as round-off.
#define LOOSE_FACTOR 1e4

// ---------------------------------------------------------------- units
// Unknowns and residuals are measured in EI/L^2 and EI/L.
static double scale_of(const shooting *s, int i) {
    return i < 3 ? s->r->force_scale : s->r->moment_scale;
}

// Scaled, and relative to the base wrench where that is large: a rod under 100 times EI/L^2 is not
// asked for more digits than there are.
static double size_of_residual(const shooting *s, const double G[6], const double r[6]) {
    double largest[2] = {0.0, 0.0}, wrench_size[2] = {1.0, 1.0};
    for (int i = 0; i < 6; i++) {
        largest[i / 3] = fmax(largest[i / 3], fabs(r[i]) / scale_of(s, i));
        wrench_size[i / 3] = fmax(wrench_size[i / 3], fabs(G[i]) / scale_of(s, i));
    }
    return fmax(largest[0] / wrench_size[0], largest[1] / wrench_size[1]);
}

// Shooting matrix at G in scaled units (6 x 6); false when the shot blows up.
static bool scaled_matrix(shooting *s, const double G[6], double residual[6], double *matrix) {
    if (!shoot(s, G, residual, matrix)) return false;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) matrix[6 * i + k] *= scale_of(s, k) / scale_of(s, i);
    return true;
}

// A shot with the variational equations; the inverse goes to m.
static td_status refresh(shooting *s, const double G[6], double residual[6], shooting_matrix *m) {
    double a[36];
    int pivot[6];
    m->valid = 0.0;
    if (!scaled_matrix(s, G, residual, a)) return TD_ERR_NOT_CONVERGED;  // blown up
    double norm = dense_norm1(6, a);
    if (!lu_factor(6, a, pivot)) return TD_ERR_SINGULAR;
    memset(m->inverse, 0, sizeof m->inverse);
    for (int i = 0; i < 6; i++) m->inverse[7 * i] = 1.0;
    lu_solve_many(6, a, pivot, 6, m->inverse);
    m->condition = norm * dense_norm1(6, m->inverse);
    m->c0 = s->c0;
    m->valid = isfinite(m->condition) ? 1.0 : 0.0;
    s->stats->condition = m->condition;
    return m->valid != 0.0 ? TD_OK : TD_ERR_SINGULAR;
}

// ---------------------------------------------------------------- Newton
static void add_step(const shooting *s, const double *step, double part, const double G[6],
                     double out[6]) {
    for (int i = 0; i < 6; i++) out[i] = G[i] + part * scale_of(s, i) * step[i];
}

typedef struct iterate {
    double G[6], r[6], size;
    bool current;  // the matrix belongs to this very point
} iterate;

static void newton_direction(const shooting *s, const shooting_matrix *m, const double r[6],
                             double step[6]) {
    double scaled[6];
    for (int i = 0; i < 6; i++) scaled[i] = -r[i] / scale_of(s, i);
    dense_mul_vec(6, 6, m->inverse, scaled, step);
}

// Broyden's update of the inverse from one correction dG and the change dr of the residual it made:
// B += (dG - B dr) (dG' B)/(dG' B dr). Shot by shot the kept matrix follows the problem.
static void learn(const shooting *s, shooting_matrix *m, const iterate *from, const iterate *to) {
    double dG[6], dr[6], gap[6], row[6], sum = 0.0, size = 0.0;
    for (int i = 0; i < 6; i++) {
        dG[i] = (to->G[i] - from->G[i]) / scale_of(s, i);
        dr[i] = (to->r[i] - from->r[i]) / scale_of(s, i);
        size += dG[i] * dG[i];
    }
    dense_mul_vec(6, 6, m->inverse, dr, gap);
    dense_tmul_vec(6, 6, m->inverse, dG, row);
    for (int i = 0; i < 6; i++) sum += dG[i] * gap[i];
    if (!(fabs(sum) > 0.1 * size)) return;  // an update that nearly loses rank teaches nothing
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) m->inverse[6 * i + k] += (dG[i] - gap[i]) * row[k] / sum;
}

// Tries the step in full, then halved a few times (only from a current matrix is that worthwhile).
static bool advance(shooting *s, const shooting_matrix *m, const iterate *at, iterate *next) {
    double step[6];
    newton_direction(s, m, at->r, step);
    int tries = at->current ? 4 : 1;
    double part = 1.0;
    for (int k = 0; k < tries; k++, part *= 0.5) {
        add_step(s, step, part, at->G, next->G);
        if (!shoot(s, next->G, next->r, NULL)) continue;
        next->size = size_of_residual(s, next->G, next->r);
        if (next->size < at->size) return true;
    }
    return false;
}

static td_status newton_to(shooting *s, double tolerance, int most_shots, double G[6],
                           shooting_matrix *matrix) {
    const int first_shot = s->stats->evaluations;
    iterate at = {.current = false}, next;
    memcpy(at.G, G, sizeof at.G);
    bool usable = matrix->valid != 0.0 && matrix->c0 == s->c0;
    if (usable) {
        if (!shoot(s, at.G, at.r, NULL)) return TD_ERR_NOT_CONVERGED;
    } else {
        td_status fresh = refresh(s, at.G, at.r, matrix);
        if (fresh < 0) return fresh;
        at.current = true;
    }
    at.size = size_of_residual(s, at.G, at.r);
    td_status status = TD_OK;
    while (!(at.size <= tolerance)) {
        if (s->stats->evaluations - first_shot >= most_shots) {
            status = TD_ERR_NOT_CONVERGED;
            break;
        }
        s->stats->iterations++;
        bool better = advance(s, matrix, &at, &next);
        bool slow = !better || next.size > GOOD_CONTRACTION * at.size;
        if (better) {
            learn(s, matrix, &at, &next);
            at = next;
            at.current = false;
            if (!slow || at.size <= tolerance) continue;
        } else if (at.current) {
            status = at.size <= LOOSE_FACTOR * tolerance ? TD_LOOSE : TD_ERR_NOT_CONVERGED;
            break;
        }
        status = refresh(s, at.G, at.r, matrix);
        if (status < 0) break;
        at.current = true;
    }
    s->stats->residual = at.size;
    if (status < 0) return status;
    memcpy(G, at.G, sizeof at.G);
    if (status == TD_LOOSE) shoot(s, G, at.r, NULL);  // the nodes shall be those of the answer
    return status;
}

td_status bvp_newton(shooting *s, double G[6], shooting_matrix *matrix) {
    int most = s->options->max_iterations < PATIENCE ? s->options->max_iterations : PATIENCE;
    return newton_to(s, s->options->tolerance, most, G, matrix);
}

#define FOLLOW_ITERATIONS 12
#define FOLLOW_CONTRACTION 0.5
// m L/EI is about the angle by which the rod bends; a path is followed in smaller angles than this.
#define FOLLOW_ANGLE 2.0

static bool strayed(const double from[6], const double to[6], const shooting *s) {
    for (int i = 3; i < 6; i++)
        if (!(fabs(to[i] - from[i]) <= FOLLOW_ANGLE * scale_of(s, i))) return true;
    return false;
}

td_status bvp_follow(shooting *s, double G[6], shooting_matrix *matrix) {
    const double tolerance = s->options->tolerance;
    double at[6], r[6], step[6], last = HUGE_VAL;
    memcpy(at, G, sizeof at);
    for (int i = 0; i < FOLLOW_ITERATIONS; i++) {
        td_status status = refresh(s, at, r, matrix);
        if (status < 0) return status;
        s->stats->residual = size_of_residual(s, at, r);
        newton_direction(s, matrix, r, step);
        double size = 0.0;
        for (int k = 0; k < 6; k++) size = fmax(size, fabs(step[k]));
        bool stalled = i > 0 && size > FOLLOW_CONTRACTION * last;
        bool done = s->stats->residual <= tolerance;
        if (done || (stalled && s->stats->residual <= LOOSE_FACTOR * tolerance)) {
            memcpy(G, at, sizeof at);
            return done ? TD_OK : TD_LOOSE;
        }
        add_step(s, step, 1.0, at, at);
        if (stalled || strayed(G, at, s)) return TD_ERR_NOT_CONVERGED;
        last = size;
        s->stats->iterations++;
    }
    return TD_ERR_NOT_CONVERGED;
}

// ---------------------------------------------------------------- cminpack
// Stands in for the residual of a shot that blew up: large enough to be turned down.
#define BLOWN_UP 1e6

static bool scaled_shot(shooting *s, const double *x, double *f, double *jacobian) {
    double G[6], r[6], j[36];
    for (int i = 0; i < 6; i++) G[i] = scale_of(s, i) * x[i];
    bool ok = jacobian ? scaled_matrix(s, G, r, j) : shoot(s, G, r, NULL);
    for (int i = 0; f && i < 6; i++) f[i] = ok ? r[i] / scale_of(s, i) : BLOWN_UP;
    for (int i = 0; jacobian && i < 6; i++)  // cminpack is column major
        for (int k = 0; k < 6; k++) jacobian[i + 6 * k] = ok ? j[6 * i + k] : (i == k ? 1.0 : 0.0);
    return ok;
}

static int dogleg_callback(void *p, int n, const double *x, double *f, double *jacobian, int ld,
                           int flag) {
    (void)n, (void)ld;
    if (flag == 1) scaled_shot(p, x, f, NULL);
    else scaled_shot(p, x, NULL, jacobian);
    return 0;
}

static int marquardt_callback(void *p, int m, int n, const double *x, double *f, double *jacobian,
                              int ld, int flag) {
    (void)m;
    return dogleg_callback(p, n, x, f, jacobian, ld, flag);
}

// Brings G close to a solution; Newton finishes. Both methods work in the arrays given here and
// allocate nothing.
static void globalise(shooting *s, double G[6]) {
    double x[6], f[6], jacobian[36], diag[6], r[21], qtf[6], wa[4][6];
    int evaluations = 0, jacobians = 0, pivot[6];
    const int most = s->options->max_iterations;
    for (int i = 0; i < 6; i++) x[i] = G[i] / scale_of(s, i), diag[i] = 1.0;
    if (s->options->solver == TD_LEVENBERG_MARQUARDT)
        lmder(marquardt_callback, s, 6, 6, x, f, jacobian, 6, 1e-15, 1e-12, 0.0, most, diag, 1,
              100.0, 0, &evaluations, &jacobians, pivot, qtf, wa[0], wa[1], wa[2], wa[3]);
    else
        hybrj(dogleg_callback, s, 6, x, f, jacobian, 6, 1e-12, most, diag, 1, 100.0, 0,
              &evaluations, &jacobians, r, 21, qtf, wa[0], wa[1], wa[2], wa[3]);
    for (int i = 0; i < 6; i++) G[i] = scale_of(s, i) * x[i];
    s->stats->iterations += evaluations;
}

static td_status globalised(shooting *s, const double guess[6], double G[6],
                            shooting_matrix *matrix) {
    double near[6];
    memcpy(near, guess, sizeof near);
    globalise(s, near);
    matrix->valid = 0.0;
    td_status status =
        newton_to(s, s->options->tolerance, s->options->max_iterations, near, matrix);
    if (status >= 0) memcpy(G, near, sizeof near);
    return status;
}

// ---------------------------------------------------------------- modified shooting
#define FIRST_PARTS 4
#define PART_TOLERANCE 1e-3  // a stepping stone needs no more

// The next node to aim at: never an element's last one, whose wrench is ambiguous under point loads.
static int aim(const rod *r, int node) {
    for (int i = 0; i < r->n_elements; i++)
        if (node == r->elements[i].node + r->elements[i].n_nodes - 1) return node + 1;
    return node;
}

static td_status modified_shooting(shooting *s, double G[6], shooting_matrix *matrix,
                                   const double *reference) {
    const int last = s->r->n_nodes - 1;
    int at = 0, stride = last / FIRST_PARTS;
    double trial[6];
    memcpy(trial, reference + Y_N, sizeof trial);
    while (at < last && stride > 0) {
        int node = aim(s->r, at + stride);
        if (node >= last) break;
        double attempt[6];
        memcpy(attempt, trial, sizeof attempt);
        shoot_part(s, node, reference + (size_t)node * Y_SIZE + Y_N);
        matrix->valid = 0.0;
        if (newton_to(s, PART_TOLERANCE, PATIENCE, attempt, matrix) >= 0) {
            memcpy(trial, attempt, sizeof trial);
            at = node;
        } else {
            stride /= 2;
        }
    }
    shoot_whole(s);
    matrix->valid = 0.0;
    td_status status = bvp_newton(s, trial, matrix);
    if (status < 0) status = globalised(s, trial, trial, matrix);
    if (status >= 0) memcpy(G, trial, sizeof trial);
    return status;
}

td_status bvp_solve(shooting *s, double G[6], shooting_matrix *matrix, const double *reference) {
    shoot_whole(s);
    td_status status = TD_ERR_NOT_CONVERGED;
    double guess[6];
    memcpy(guess, G, sizeof guess);
    if (s->options->solver != TD_NEWTON) status = globalised(s, guess, G, matrix);
    if (status < 0) status = bvp_newton(s, G, matrix);
    if (status >= 0) return status;

    s->stats->fallbacks++;
    if (reference) status = modified_shooting(s, G, matrix, reference);
    return status >= 0 ? status : globalised(s, guess, G, matrix);
}
