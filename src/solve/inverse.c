// solve/inverse.c - which inputs bring a point to a pose, in equilibrium?
//
// Shape, multipliers and inputs in one Newton's method. With the residual r(z, a), the pose T(z, a) and
// the target T*:
//
//     dz = dz0 + sum_k Y_k da_k,     dz0 = - r_z^-1 r,     Y_k = - r_z^-1 r_a,k
//     P da = log(T* T^-1) - (what dz0 moves the point),    P_k = T_a,k + T_z Y_k
//
// Factors and columns serve while they contract, from call to call where the part keeps them. A step that
// does not come nearer is damped (Levenberg and Marquardt), which goes round where the inputs do not move
// the point in every direction, as on a straight arm. What must not be left (a tendon pulls) is a range of an
// input: it waits at its end until it is needed again.
#include "solve/inverse.h"

#include <math.h>

#include "math/dense.h"
#include "math/quat.h"

#define GOOD_CONTRACTION 0.35
#define WORTH_A_NEW_SET 20.0  // iterations lost to old factors, over all calls with them
#define STRIDE 0.1            // of the way to the target taken at once, rad or lengths
#define SINGULAR 1e-6  // of the largest pivot: what inputs hardly do is not asked of them at once
#define LARGEST 1.0    // correction made at once, rad
#define MOST_WALKING 100  // iterations, as far away targets are walked to
#define FIRST_DAMPING 1e-2
#define LEAST_DAMPING 1e-6
#define MOST_DAMPING 1e4
#define GOOD 0.75         // share of what slopes foretell that lets a step be bolder ...
#define POOR 0.25         // ... or makes it more careful
#define SHRINKS 0.7       // corrections that do are those of Newton's method near the answer
#define GROWS 2.0         // that those of a shape may, before they shrink
#define LITTLE 4096       // numbers of columns that are kept
#define NEAR_ENOUGH 1e-6  // what may be left

typedef struct inverse {
    solve_stage s;  // the shape, at the inputs task->values
    const model_call *call;
    const inverse_task *task;
    inverse_memory *m;
    model_point at;
    int first;        // row of the pose that counts: 0, or 3 for its position
    double damping;   // in units of the matrix
    bool bold;        // asks of the inputs even what they hardly do
    bool current;     // factors and columns are of this shape
    double gap[6];    // rotation (rad) and translation (lengths) that are missing
    double along[6];  // what the correction of the shape alone brings of it
    double far;       // the norm of the rest
} inverse;

void inverse_layout(int n_inputs, int n, bool keeps, arena *keep, arena *work,
                    inverse_memory *out) {
    const bool kept = keeps && n_inputs * n <= LITTLE;
    arena *columns = kept ? keep : work;
    *out = (inverse_memory){.kept = ARENA_TAKE(keep, kept_inverse, 1),
                            .columns = ARENA_TAKE(columns, double, n_inputs *n),
                            .known = ARENA_TAKE(columns, double, n_inputs),
                            .moves = ARENA_TAKE(work, double, 6 * n_inputs),
                            .start = ARENA_TAKE(work, double, n_inputs),
                            .before = ARENA_TAKE(work, double, n_inputs),
                            .change = ARENA_TAKE(work, double, n_inputs),
                            .frozen = ARENA_TAKE(work, double, n_inputs),
                            .chosen = ARENA_TAKE(work, input_range, n_inputs),
                            .forgets = !kept};
}

// ---------------------------------------------------------------- the point
static double norm(const double a[6]) {
    double sum = 0.0;
    for (int i = 0; i < 6; i++) sum += a[i] * a[i];
    return sqrt(sum);
}

// The rows that count, in rad and lengths.
static void count_rows(const inverse_task *t, double motion[6]) {
    for (int i = 0; i < 3; i++) motion[i] = t->target->position_only ? 0.0 : motion[i];
    for (int i = 3; i < 6; i++) motion[i] /= t->length;
}

static void gap_to(const td_pose *wanted, const td_pose *now, double gap[6]) {
    const quat turn = quat_mul(quat_load(wanted->q), quat_conj(quat_load(now->q)));
    vec3_store(gap, quat_log(turn));
    vec3_store(gap + 3, vec3_sub(vec3_load(wanted->p), vec3_load(now->p)));
}

static model_point point_of(const td_target *t) {
    return (model_point){t->body, t->rod, t->s};
}

void inverse_gap(const solve_part *p, const model_call *call, const inverse_task *task,
                 double gap[6]) {
    const solve_instant at = instant_at_rest(call);
    const configuration c = {.q = p->m->q, .l = p->m->l};
    const model_point point = point_of(task->target);
    const td_pose now = p->how->move(p->of, &at, &c, NULL, &point, NULL);
    gap_to(&task->target->pose, &now, gap);
}

double inverse_distance(const inverse_task *task, const double gap[6]) {
    double rows[6];
    memcpy(rows, gap, sizeof rows);
    count_rows(task, rows);
    return norm(rows);
}

// dz (NULL: none): a correction of the shape.
static void look(inverse *v, const double *dz) {
    const solve_part *p = v->s.p;
    const configuration c = stage_here(&v->s);
    double rest[6];
    memset(v->along, 0, sizeof v->along);
    const td_pose now = p->how->move(p->of, &v->s.at, &c, dz, &v->at, v->along);
    gap_to(&v->task->target->pose, &now, v->gap);
    count_rows(v->task, v->gap);
    count_rows(v->task, v->along);
    for (int i = 0; i < 6; i++) rest[i] = v->gap[i] - v->along[i];
    v->far = norm(rest);
}

// ---------------------------------------------------------------- the shape
// r, with what follows the shape. False: there is none, as its first number tells.
static bool evaluate(inverse *v) {
    const solve_part *p = v->s.p;
    const configuration c = stage_here(&v->s);
    if (p->how->settle) p->how->settle(p->of, &v->s.at, &c);
    stage_residual(&v->s, p->m->r, NULL);
    return isfinite(p->m->r[0]);
}

// dz0, in m->dz, and what is missing beyond it.
static bool aim(inverse *v) {
    const solve_part *p = v->s.p;
    for (int k = 0; k < part_n(p); k++) p->m->dz[k] = -p->m->r[k];
    part_solve(p, p->m->dz);
    look(v, p->m->dz);
    return isfinite(v->far);
}

static double *column_of(const inverse *v, int input) {
    return v->m->columns + (size_t)input * (size_t)part_n(v->s.p);
}

static void find_column(inverse *v, int input) {
    const solve_part *p = v->s.p;
    double *Y = column_of(v, input);
    stage_by_input(&v->s, v->call, input, Y);
    for (int k = 0; k < part_n(p); k++) Y[k] = -Y[k];
    part_solve(p, Y);
    v->m->known[input] = 1.0;
}

// Y and P of every chosen input.
static void set_columns(inverse *v) {
    const solve_part *p = v->s.p;
    double *unit = v->call->scratch + v->call->n_inputs;
    memset(unit, 0, sizeof(double) * (size_t)v->call->n_inputs);
    for (int k = 0; k < v->task->n; k++) {
        const int input = v->task->chosen[k].input;
        double *moved = v->m->moves + 6 * (size_t)k;
        if (v->m->known[input] == 0.0) find_column(v, input);
        const configuration c = stage_here(&v->s);
        unit[input] = 1.0;
        v->s.at.place_rates = unit;  // bases that this input moves
        p->how->move(p->of, &v->s.at, &c, column_of(v, input), &v->at, moved);
        v->s.at.place_rates = NULL;
        unit[input] = 0.0;
        count_rows(v->task, moved);
    }
}

// Factors and columns: anew, or those that there are. False: singular.
static bool refresh(inverse *v, bool anew) {
    const solve_part *p = v->s.p;
    const linear_ops *linear = part_linear(p);
    kept_inverse *kept = v->m->kept;
    anew = anew || !linear->factored || linear->factored(p) == 0.0;
    if (anew && !stage_renew(&v->s)) return false;
    v->current = v->current || anew;
    const double factors = linear->factored ? linear->factored(p) : 0.0;
    if (anew || kept->factors != factors || kept->part != v->task->part || v->m->forgets) {
        *kept = (kept_inverse){.part = v->task->part, .factors = factors};
        memset(v->m->known, 0, sizeof(double) * (size_t)v->call->n_inputs);
    }
    set_columns(v);
    return true;
}

// ---------------------------------------------------------------- inputs
static double value(const inverse *v, int k) {
    return v->task->values[v->task->chosen[k].input];
}

static double within(const input_range *r, double x) {
    return fmin(r->high, fmax(r->low, x));
}

static double slope(const inverse *v, int row, int k) {
    return v->m->frozen[k] != 0.0 ? 0.0 : v->m->moves[6 * k + row];
}

// False: singular, or nearly so where nothing was tried with damping yet.
static bool solve_damped(const inverse *v, int n, double *A, double *b) {
    int pivot[6];
    double trace = 0.0;
    for (int i = 0; i < n; i++) trace += A[i * n + i] / n;
    for (int i = 0; i < n; i++) {
        A[i * n + i] += v->damping * trace;
        if (A[i * n + i] == 0.0) A[i * n + i] = 1.0;  // what does nothing, and is not asked for
    }
    if (!lu_factor(n, A, pivot)) return false;
    double least = HUGE_VAL, most = 0.0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(A[i * n + i]));
        most = fmax(most, fabs(A[i * n + i]));
    }
    if (v->damping == 0.0 && !v->bold && !(least > SINGULAR * most)) return false;
    lu_solve(n, A, pivot, b);
    return true;
}

// Fewer inputs than rows: least squares, P'P x = P'wanted, in units that make each input alike.
static bool fit_inputs(const inverse *v, const double wanted[6]) {
    const int n = v->task->n;
    double A[36], b[6] = {0.0}, unit[6] = {0.0};
    for (int i = 0; i < n; i++) {
        for (int r = v->first; r < 6; r++) unit[i] += slope(v, r, i) * slope(v, r, i);
        unit[i] = unit[i] > 0.0 ? 1.0 / sqrt(unit[i]) : 1.0;
        for (int r = v->first; r < 6; r++) b[i] += unit[i] * slope(v, r, i) * wanted[r];
    }
    for (int i = 0; i < n * n; i++) {
        A[i] = 0.0;
        for (int r = v->first; r < 6; r++) A[i] += slope(v, r, i / n) * slope(v, r, i % n);
        A[i] *= unit[i / n] * unit[i % n];
    }
    if (!solve_damped(v, n, A, b)) return false;
    for (int i = 0; i < n; i++) v->m->change[i] = unit[i] * b[i];
    return true;
}

// As many or more: the smallest x with P x = wanted; undamped it leaves the inputs nearest to where they
// began.
static bool least_inputs(const inverse *v, const double wanted[6]) {
    const int rows = 6 - v->first, n = v->task->n;
    double A[36], y[6], *x = v->m->change;
    for (int k = 0; k < n; k++)
        x[k] = v->damping == 0.0 && v->m->frozen[k] == 0.0 ? v->m->start[k] - value(v, k) : 0.0;
    for (int i = 0; i < rows; i++) {
        y[i] = wanted[v->first + i];
        for (int k = 0; k < n; k++) y[i] -= slope(v, v->first + i, k) * x[k];
    }
    memset(A, 0, sizeof A);
    for (int k = 0; k < n; k++) {
        const double *P = v->m->moves + 6 * (size_t)k + v->first;
        for (int i = 0; i < rows && v->m->frozen[k] == 0.0; i++)
            for (int j = 0; j < rows; j++) A[i * rows + j] += P[i] * P[j];
    }
    if (!solve_damped(v, rows, A, y)) return false;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rows; i++) x[k] += slope(v, v->first + i, k) * y[i];
    return true;
}

// Inputs at the end of their range that should go beyond it stay. Were there any but those known?
static bool freeze(const inverse *v) {
    bool more = false;
    for (int k = 0; k < v->task->n; k++) {
        const double x = value(v, k), change = v->m->change[k];
        if (change == 0.0 || within(&v->task->chosen[k], x + change) != x) continue;
        more = more || v->m->frozen[k] == 0.0;
        v->m->frozen[k] = 1.0;
    }
    return more;
}

typedef struct forecast {  // of a change, as far as slopes tell
    double
        moved;    // how far it would move the point if no input ended; negative: there is no change
    double left;  // what will be missing then
} forecast;

static bool fits_only(const inverse *v) {
    return v->task->n < 6 - v->first;
}

// The change, in m->change, that brings the point nearer by at most a stride.
static forecast choose_inputs(const inverse *v) {
    const double share = fmin(1.0, STRIDE / norm(v->gap));
    double wanted[6], asked[6] = {0.0}, rest[6];
    bool found;
    for (int r = 0; r < 6; r++) wanted[r] = share * v->gap[r] - v->along[r];
    memset(v->m->frozen, 0, sizeof(double) * (size_t)v->task->n);
    do found = fits_only(v) ? fit_inputs(v, wanted) : least_inputs(v, wanted);
    while (found && freeze(v));
    for (int r = 0; r < 6; r++) rest[r] = v->gap[r] - v->along[r];
    for (int k = 0; k < v->task->n && found; k++) {
        const double x = value(v, k), change = v->m->change[k];
        v->m->change[k] = within(&v->task->chosen[k], x + change) - x;
        for (int r = v->first; r < 6; r++) {
            asked[r] += v->m->moves[6 * k + r] * change;
            rest[r] -= v->m->moves[6 * k + r] * v->m->change[k];
        }
    }
    return (forecast){found && isfinite(norm(asked)) ? norm(asked) : -1.0, norm(rest)};
}

// ---------------------------------------------------------------- steps
// Shape and inputs by the change, or a share of it; its size. What it began with is kept.
static double make_step(inverse *v, forecast *f) {
    const solve_part *p = v->s.p;
    solve_memory *m = p->m;
    copy_doubles(p->n_x, m->star, m->tq);
    copy_doubles(p->n_l, m->star_l, m->tl);
    copy_doubles(v->call->n_inputs, v->m->before, v->task->values);
    for (int k = 0; k < v->task->n; k++) {
        const double *Y = column_of(v, v->task->chosen[k].input);
        for (int i = 0; i < part_n(p); i++) m->dz[i] += v->m->change[k] * Y[i];
    }
    const double size = fmax(part_size(p, m->dz), f->moved);
    const double share = size > LARGEST ? LARGEST / size : 1.0;
    f->left = (1.0 - share) * v->far + share * f->left;
    for (int k = 0; k < v->task->n; k++)
        v->task->values[v->task->chosen[k].input] += share * v->m->change[k];
    stage_move(&v->s, share, m->dz);
    return size;
}

// From where the last step began more carefully. False: that is to no avail.
static bool step_back(inverse *v) {
    const solve_part *p = v->s.p;
    copy_doubles(p->n_x, p->m->tq, p->m->star);
    copy_doubles(p->n_l, p->m->tl, p->m->star_l);
    copy_doubles(v->call->n_inputs, v->task->values, v->m->before);
    if (!evaluate(v)) return false;
    v->bold = true;
    if (v->current) v->damping = fmax(10.0 * v->damping, FIRST_DAMPING);
    else if (!refresh(v, true)) return false;
    return aim(v) && v->damping <= MOST_DAMPING;
}

static void set_damping(inverse *v, double gain) {
    if (gain > GOOD) v->damping *= v->damping > LEAST_DAMPING ? 0.1 : 0.0;
    if (!(gain >= POOR)) v->damping = fmax(10.0 * v->damping, FIRST_DAMPING);
}

// Do none of the inputs move the point, or may they not?
static bool are_idle(const inverse *v) {
    for (int i = 0; i < 6 * v->task->n; i++)
        if (slope(v, i % 6, i / 6) != 0.0) return false;
    return true;
}

// Is one of them at an end of its range that was told?
static bool is_stopped(const inverse *v) {
    for (int k = 0; k < v->task->n; k++)
        if (v->m->frozen[k] != 0.0 && v->task->chosen[k].told) return true;
    return false;
}

// Nothing comes nearer any more.
static td_status stop(inverse *v, td_status otherwise) {
    look(v, NULL);
    const double enough = fmax(NEAR_ENOUGH, 1e3 * v->call->options->tolerance);
    return norm(v->gap) <= enough || (fits_only(v) && (!are_idle(v) || is_stopped(v))) ? TD_OK
                                                                                       : otherwise;
}

static td_status iterate(inverse *v) {
    const double tolerance = v->call->options->tolerance;
    double last = HUGE_VAL, least = HUGE_VAL;  // of undamped corrections
    bool nearest = false;
    v->damping = norm(v->gap) > STRIDE ? FIRST_DAMPING : 0.0;
    for (int i = 0; i < MOST_WALKING; i++) {
        forecast f = choose_inputs(v);
        v->call->stats->iterations++;
        if (interrupted(v->call->interrupt)) return TD_ERR_STOPPED;
        if (f.moved < 0.0) memset(v->m->change, 0, sizeof(double) * (size_t)v->task->n);
        const double far = v->far, size = make_step(v, &f), shrunk = size / last;
        const bool known = last<HUGE_VAL, careful = v->damping> FIRST_DAMPING;
        if (f.moved < 0.0 || !isfinite(size) || !evaluate(v)) {
            if (!step_back(v)) return stop(v, TD_ERR_SINGULAR);
            continue;
        }
        const double rest = known && shrunk < 1.0 ? size * shrunk / (1.0 - shrunk) : size;
        v->call->stats->residual = fmin(size, rest);
        if ((size <= tolerance || rest <= tolerance / 3.0) && !careful) {
            if (v->damping == 0.0 || v->task->n <= 6 - v->first || nearest)
                return stop(v, TD_ERR_SINGULAR);
            nearest = true;  // on to the least change
            v->damping = 0.0;
        }
        const bool renew = (known && shrunk > GOOD_CONTRACTION) || size > STRIDE;
        const bool trusted = v->damping == 0.0 && size <= STRIDE && size < SHRINKS * least;
        const bool fair = v->damping == 0.0 && size <= fmin(LARGEST, GROWS * least);
        if (!(trusted && renew) &&
            (!aim(v) || !(trusted || v->far < far || (fair && v->far <= STRIDE)))) {
            if (!step_back(v)) return stop(v, TD_ERR_NOT_CONVERGED);
            continue;
        }
        v->current = false;
        if (v->damping > 0.0 || !fair) set_damping(v, (far - v->far) / (far - f.left));
        if (v->damping == 0.0) least = fmin(least, size);
        last = renew || v->damping > 0.0 ? HUGE_VAL : size;
        if ((renew || v->damping > 0.0) && !(refresh(v, true) && aim(v)))
            return stop(v, TD_ERR_SINGULAR);
    }
    return stop(v, TD_ERR_NOT_CONVERGED);
}

// Old factors cost more iterations than new ones. When the sum of that is what a new set costs, the next
// call begins with one.
static void count_calls(kept_inverse *kept, int iterations) {
    if (kept->calls == 0.0) kept->best = iterations;
    kept->calls += 1.0;
    kept->excess += iterations - kept->best;
}

td_status solve_inverse(const solve_part *p, const model_call *call, const inverse_task *task,
                        inverse_memory *m, double gap[6]) {
    inverse v = {.s = {.p = p, .at = instant_at_rest(call), .stats = call->stats},
                 .call = call,
                 .task = task,
                 .m = m,
                 .at = point_of(task->target),
                 .first = task->target->position_only ? 3 : 0};
    const int before = call->stats->iterations;
    if (!p->how->move) return TD_ERR_UNSUPPORTED;
    copy_doubles(p->n_x, p->m->tq, p->m->q);
    copy_doubles(p->n_l, p->m->tl, p->m->l);
    for (int k = 0; k < task->n; k++) m->start[k] = task->values[task->chosen[k].input];
    if (!evaluate(&v) || !refresh(&v, m->kept->excess > WORTH_A_NEW_SET) || !aim(&v) ||
        !(part_size(p, p->m->dz) <= STRIDE))
        return TD_ERR_NOT_CONVERGED;
    memcpy(gap, v.gap, sizeof v.gap);
    const double calls = m->kept->calls;
    td_status status = iterate(&v);
    if (m->kept->calls == calls) count_calls(m->kept, call->stats->iterations - before);
    if (status >= 0) memcpy(gap, v.gap, sizeof v.gap);
    for (int i = 3; i < 6; i++) gap[i] *= task->length;
    if (status >= 0 && p->how->fits) status = p->how->fits(p->of, &v.s.at, p->m->tq, call->message);
    return status;
}
