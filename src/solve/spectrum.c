// solve/spectrum.c - is an equilibrium stable? Eigenvalues l of K x = l B x, with the tangent K and
// that of the material alone, B.
//
// Where forces have an energy K is its second variation. Eigenvalues below l are then counted by
// Sylvester's law of inertia on K - l B; each multiplier brings one negative eigenvalue that is none
// of the shapes that it admits (Haynsworth). What the material does not see, the motion of a rod as a
// rigid body in its joint, has no l: it stands, falls, or is neutral, which springs S of the material's
// size tell apart, by the signatures of K + eps (B + S) and K - eps (B + S); if it falls, B + S is its
// measure.
//
// Where they have none (loads that follow, dead moments) the symmetric part is counted first: with
// no negative eigenvalue all l have positive real parts (Bendixson). Otherwise those of K^-1 B (B + S where
// something moves in joints) = 1/l are found by Arnoldi's method, whose largest are the l nearest to 0. This sees divergence;
// flutter, which needs inertia, it does not.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/hessenberg.h"
#include "solve/mechanics.h"

#define FARTHEST 1000.0  // eigenvalues beyond are not looked for
#define HALVINGS 60
#define CLOSE 1e-12
#define NEUTRAL 1e-7  // what turns freely has l = 0 but for rounding and differences,
#define UNEVEN 1e-5   // in joints also but for what the discretisation leaves of a symmetric matrix
#define RESIDUE                                                                                    \
    1e-9  // of a vector of Krylov: less is rounding, blown up where the material sees little
#define NOTHING 1e-7  // of the largest 1/l: what rounding makes of 0

const char *stage_lacks_potential(const solve_stage *s) {
    const mechanics *how = s->p->how;
    return how->lacks_potential ? how->lacks_potential(s->p->of, &s->at) : NULL;
}

int spectrum_negative(const solve_part *p) {
    const int n = part_linear(p)->negative(p, p->m->matrix, p->m->krylov);
    return n < 0 ? -1 : n < p->n_l ? 0 : n - p->n_l;
}

static bool make_own(solve_stage *s, bool symmetric, bool held) {
    const tangent_weights w = {.own = 1.0, .symmetric = symmetric, .held = held};
    return stage_matrix(s, &w, s->p->m->own);
}

// whole and own: K and B, with springs where signatures are to be told apart.
static bool make_both(solve_stage *s, bool symmetric) {
    const tangent_weights w = {.q = 1.0, .symmetric = symmetric};
    return stage_matrix(s, &w, s->p->m->whole) &&
           make_own(s, symmetric, (symmetric || s->p->floats) && !part_linear(s->p)->uneven);
}

static double neutral(const solve_part *p) {
    return part_linear(p)->uneven && p->floats ? UNEVEN : NEUTRAL;
}

static void combine(const solve_part *p, double l) {
    const size_t n = part_matrix(p);
    for (size_t i = 0; i < n; i++) p->m->matrix[i] = p->m->whole[i] - l * p->m->own[i];
}

// ---------------------------------------------------------------- with an energy: counting
// Where K - l B is singular l is one itself, and counts.
static int below(const solve_part *p, double l) {
    combine(p, l);
    const int n = spectrum_negative(p);
    return n < 0 ? 1 : n;
}

static double bisect(const solve_part *p, double low, double high) {
    for (int i = 0; i < HALVINGS && high - low > CLOSE * fmax(1.0, fabs(high)); i++) {
        const double middle = 0.5 * (low + high);
        if (below(p, middle) <= 0) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

static double smallest_by_count(solve_stage *s) {
    const solve_part *p = s->p;
    const bool falls = below(p, -neutral(p)) > 0;
    double low = 0.0, high = 1.0;
    if (!falls && below(p, neutral(p)) > 0) return 0.0;
    make_own(s, true, false);
    if (falls && below(p, -FARTHEST) > 0) make_own(s, true, true);
    if (falls)
        for (low = -1.0, high = 0.0; below(p, low) > 0 && low > -FARTHEST; low *= 2.0) high = low;
    else
        while (high < FARTHEST && below(p, high) <= 0) low = high, high *= 2.0;
    return bisect(p, low, high);
}

// ---------------------------------------------------------------- without: Arnoldi
static void first_vector(int n, double *v) {  // in no direction that a robot prefers
    for (int k = 0; k < n; k++) v[k] = 1.0 + 0.5 * sin(1.0 + 2.399963 * k);
}

static void times_own(const solve_part *p, const double *v, double *w) {
    part_linear(p)->multiply(p, p->m->own, v, w);
}

// Lengths are those of the material's energy, v'B v: units play no part, nor what the material does not see.
static double length(const solve_part *p, const double *v) {
    times_own(p, v, p->m->probe);
    return sqrt(fmax(0.0, dense_dot(part_n(p), v, p->m->probe)));
}

static void divide(int n, double *v, double by) {
    for (int k = 0; k < n && by > 0.0; k++) v[k] /= by;
}

// w = K^-1 B v
static void apply(const solve_part *p, const double *matrix, const double *v, double *w) {
    times_own(p, v, w);
    part_linear(p)->solve(p, matrix, p->m->spare, w);
}

// Of (matrix)^-1 own, with matrix factored. False: beyond what can be computed.
static bool arnoldi(const solve_part *p, const double *matrix, eigenvalues *out) {
    const int n = part_n(p), most = n < N_KRYLOV ? n : N_KRYLOV, ld = N_KRYLOV;
    double H[N_KRYLOV * N_KRYLOV] = {0.0}, *V = p->m->krylov;
    first_vector(n, p->m->next);
    apply(p, matrix, p->m->next, V);
    divide(n, V, length(p, V));
    int m = 0;
    while (m < most) {
        double *w = V + (size_t)(m + 1) * (size_t)n;
        apply(p, matrix, w - n, w);
        const double size = length(p, w);
        for (int pass = 0; pass < 2; pass++) {
            times_own(p, w, p->m->probe);
            for (int i = 0; i <= m; i++) {
                const double by = dense_dot(n, V + (size_t)i * (size_t)n, p->m->probe);
                H[i + m * ld] += by;
                for (int k = 0; k < n; k++) w[k] -= by * V[(size_t)i * (size_t)n + (size_t)k];
            }
        }
        const double left = length(p, w);
        divide(n, w, left);
        m++;
        if (!isfinite(left)) return false;
        if (left <= RESIDUE * size || m == most) break;  // nothing else is reached
        H[m + (m - 1) * ld] = left;
    }
    return hessenberg_eigenvalues(m, H, ld, out);
}

static bool factor_whole(const solve_part *p) {
    memcpy(p->m->matrix, p->m->whole, sizeof(double) * part_matrix(p));
    return part_linear(p)->factor(p, p->m->matrix, p->m->spare);
}

// The least 1/l that is none of rounding's, nor of l that are not looked for.
static double least_of(const eigenvalues *r) {
    return fmax(NOTHING * eigenvalues_largest(r), 1.0 / FARTHEST);
}

static int count_growing(const solve_part *p) {
    eigenvalues r;
    int count = 0;
    if (!factor_whole(p) || !arnoldi(p, p->m->matrix, &r)) return -1;
    const double least = least_of(&r);
    for (int i = 0; i < r.n; i++) {
        const double square = r.re[i] * r.re[i] + r.im[i] * r.im[i];
        count += r.re[i] < -least && r.re[i] < -neutral(p) * square;
    }
    return count;
}

// The smallest real part of l.
static bool smallest_by_arnoldi(const solve_part *p, double *smallest) {
    eigenvalues r;
    *smallest = 0.0;
    if (!factor_whole(p)) return true;  // singular
    if (!arnoldi(p, p->m->matrix, &r)) return false;
    *smallest = inverses_smallest(&r, least_of(&r), FARTHEST);
    return true;
}

// ---------------------------------------------------------------- questions
static int count_lost(solve_stage *s) {
    const solve_part *p = s->p;
    s->neutral = false;
    if (p->how->lost) return p->how->lost(p->of, &s->at, p->m->tq, &s->neutral);
    if (!stage_matrix(s, &(tangent_weights){.q = 1.0, .symmetric = true}, p->m->matrix)) return -1;
    return spectrum_negative(p);
}

// The count of a matrix that is symmetric but for the discretisation is that of its symmetric part: 0 is sure
// (Bendixson), more is a doubt, which its eigenvalues settle where they tell of every motion.
static bool by_growth(const solve_part *p) {
    return part_linear(p)->uneven && !p->floats;
}

int spectrum_unstable(solve_stage *s) {
    const solve_part *p = s->p;
    const int lost = count_lost(s);
    const bool floats = p->floats && !p->how->lost;
    if (lost < 0 || (lost == 0 && !floats)) return lost;
    if (!make_both(s, true)) return p->how->lost ? lost : -1;
    const int falls = below(p, -neutral(p));
    if (floats) s->neutral = falls == 0 && below(p, neutral(p)) > 0;
    if (falls == 0 || !(stage_lacks_potential(s) || by_growth(p))) return falls;
    return make_both(s, false) ? count_growing(p) : -1;
}

// Inverse iteration near l.
static bool find_mode(const solve_part *p, double l, double *mode) {
    const int n = part_n(p);
    combine(p, l - 1e-3 * fmax(1e-3, fabs(l)));
    if (!part_linear(p)->factor(p, p->m->matrix, p->m->spare)) return false;
    first_vector(n, mode);
    for (int i = 0; i < 4; i++) {
        times_own(p, mode, p->m->next);
        memcpy(mode, p->m->next, sizeof(double) * (size_t)n);
        part_linear(p)->solve(p, p->m->matrix, p->m->spare, mode);
        const double size = sqrt(dense_dot(n, mode, mode));
        divide(n, mode, size);
        if (!(size > 0.0)) return false;
    }
    return true;
}

// What the material does not see may move freely, or fall.
static void mind_rigid(solve_stage *s, double *smallest) {
    const int falls = spectrum_unstable(s);
    if (falls == 0 && (s->neutral || *smallest <= neutral(s->p))) *smallest = 0.0;  // 0 is sure
    if (falls > 0 && *smallest >= 0.0) *smallest = -1.0;
}

bool spectrum_smallest(solve_stage *s, double *smallest, double *mode) {
    const solve_part *p = s->p;
    const bool potential = !stage_lacks_potential(s);
    if (!make_both(s, potential)) return false;
    if (potential && !part_linear(p)->uneven) *smallest = smallest_by_count(s);
    else if (!smallest_by_arnoldi(p, smallest)) return false;
    else if (part_linear(p)->uneven && p->floats) mind_rigid(s, smallest);
    return !mode || find_mode(p, *smallest, mode);
}

td_status solve_stability(const solve_part *p, const model_call *call, double *smallest) {
    solve_stage s = {.p = p, .at = instant_at_rest(call), .stats = call->stats};
    memcpy(p->m->tq, p->m->q, sizeof(double) * (size_t)p->n_x);
    memcpy(p->m->tl, p->m->l, sizeof(double) * (size_t)p->n_l);
    const char *lacks = stage_lacks_potential(&s);
    if (!spectrum_smallest(&s, smallest, NULL)) return TD_ERR_UNSUPPORTED;
    if (lacks && !call->message[0])
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "%s: judged against divergence, not against flutter", lacks);
    return TD_OK;
}
