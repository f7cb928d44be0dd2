// model/cosserat/inverse.c - which inputs bring a point to a pose, in equilibrium?
//
// Shape, reactions and inputs in one Newton iteration. With residual r(x, a), pose T(x, a) and
// target T*:
//
//     dx = dx0 + sum_k Y_k da_k,     dx0 = - r_x^-1 r,     Y_k = - r_x^-1 r_a,k
//     P da = log(T* T^-1) - (what dx0 moves the point),    P_k = T_a,k + T_x Y_k
//
// The factors of r_x and the columns Y, P are kept while they contract.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "model/cosserat/assembly.h"

#define GOOD_CONTRACTION 0.2
#define WORTH_A_NEW_SET 12.0  // iterations lost to old factors, over all calls with them
#define STRIDE 0.1            // of the way to the target taken at once, rad or lengths of a rod
#define LARGEST 1.0           // correction taken at once, rad
#define MOST_WALKING 100      // iterations, as far away targets are walked to
#define PROBE 1e-5            // rad: reach of differences along a column
#define NEAR_ENOUGH 1e3       // tolerances: a remaining error above this is worth a word

typedef struct inverse {
    assembly_problem p;
    const td_target *target;
    model_point at;
    const int *chosen;
    int n, rows;     // inputs; rows of the pose that count
    double *values;  // (n_inputs)
    double *point;
    double gap[6];  // what was missing at the start, where a failure leaves everything
} inverse;

// ---------------------------------------------------------------- the point
// Rotation (rad) and translation (in lengths of a rod) that are missing; position alone: 3 rows.
static void missing(const inverse *v, double out[6]) {
    se3 now = assembly_pose(&v->p, &v->at), wanted;
    wanted.R = v->rows == 6 ? quat_to_mat3(quat_load(v->target->pose.q)) : now.R;
    wanted.p = vec3_load(v->target->pose.p);
    double motion[6];
    motion_between(&now, &wanted, 1.0, motion);
    for (int i = 3; i < 6; i++) motion[i] /= v->p.a->length;
    memcpy(out, motion + 6 - v->rows, sizeof(double) * (size_t)v->rows);
}

// The rows that count of a motion (rotation, translation).
static void add_rows(const inverse *v, double factor, const double motion[6], double *out) {
    for (int i = 6 - v->rows; i < 6; i++)
        out[i - 6 + v->rows] += factor * motion[i] / (i < 3 ? 1.0 : v->p.a->length);
}

// How the target's point moves with a change of the unknowns: known of a body.
static void body_motion_of(const inverse *v, const double *change, double out[6]) {
    const assembly *a = v->p.a;
    int k = 0;
    while (v->p.c->bodies[a->bodies[k]].body != v->at.body) k++;
    vec6 z = vec6_load(change + a->first[a->n_rods] + 6 * k);
    vec3_store(out, z.a);
    vec3_store(out + 3, vec3_add(z.l, vec3_cross(z.a, v->p.own->bodies[k].T.p)));
}

// Of a point on a rod by differences.
static bool rod_motion_of(const inverse *v, const double *change, double out[6]) {
    assembly_memory *own = v->p.own;
    double size = assembly_size(&v->p, change), reach = PROBE / size;
    memset(out, 0, 6 * sizeof(double));
    if (size == 0.0) return true;
    assembly_move(&v->p, v->point, reach, change, own->points[2]);
    if (!assembly_evaluate(&v->p, own->points[2], own->points[3])) return false;
    se3 after = assembly_pose(&v->p, &v->at);
    if (!assembly_evaluate(&v->p, v->point, own->residual)) return false;
    se3 before = assembly_pose(&v->p, &v->at);
    motion_between(&before, &after, reach, out);
    return true;
}

static bool motion_of(const inverse *v, const double *change, double out[6]) {
    if (v->at.body < 0) return rod_motion_of(v, change, out);
    body_motion_of(v, change, out);
    return true;
}

// ---------------------------------------------------------------- columns
// d residual/d input, into own->points[2], and the motion of the point with it at fixed unknowns.
// Only the rods that the input drives are evaluated.
static bool difference(inverse *v, int input, double motion[6]) {
    assembly_memory *own = v->p.own;
    const assembly *a = v->p.a;
    const double now = v->values[input], step = input_span_of(&v->p, input, now).high - now;
    double *change = own->points[2];
    se3 before = assembly_pose(&v->p, &v->at);
    memcpy(change, own->residual, sizeof(double) * (size_t)n_change(a));
    v->values[input] = now + step;
    v->p.gravity = rod_gravity_at(v->p.c, v->values, 1.0);
    assembly_place(&v->p, v->point);
    bool ok = true;
    for (int i = 0; i < a->n_rods && ok; i++) {
        if (!input_drives_rod(v->p.c, a->rods[i], input)) continue;
        assembly_prepare_rod(&v->p, i);
        ok = assembly_evaluate_rod(&v->p, i, v->point, change);
    }
    ok = ok && assembly_balance(&v->p, change);
    se3 after = assembly_pose(&v->p, &v->at);
    motion_between(&before, &after, step, motion);
    v->values[input] = now;
    v->p.gravity = rod_gravity_at(v->p.c, v->values, 1.0);
    assembly_place(&v->p, v->point);
    for (int i = 0; i < a->n_rods && ok; i++) {
        if (!input_drives_rod(v->p.c, a->rods[i], input)) continue;
        assembly_prepare_rod(&v->p, i);
        ok = assembly_evaluate_rod(&v->p, i, v->point, own->points[3]);
    }
    ok = ok && assembly_balance(&v->p, own->points[3]);
    for (int i = 0; i < n_change(a); i++) change[i] = (change[i] - own->residual[i]) / step;
    return ok;
}

static double *column_of(const inverse *v, int input) {
    return v->p.own->columns + (size_t)input * (size_t)n_change(v->p.a);
}

// Y and P of every chosen input, at the point last evaluated. moves (rows x n). Columns of the
// present factors still serve; a body's P is in them.
static bool set_columns(inverse *v) {
    assembly_memory *own = v->p.own;
    for (int k = 0; k < v->n; k++) {
        double *Y = column_of(v, v->chosen[k]), fixed[6] = {0.0}, with[6], column[6] = {0.0};
        if (own->known[v->chosen[k]] == 0.0 || v->at.body < 0) {
            if (!difference(v, v->chosen[k], fixed)) return false;
            assembly_solve(&v->p, own->points[2], Y);
            own->known[v->chosen[k]] = 1.0;
        }
        if (!motion_of(v, Y, with)) return false;
        add_rows(v, 1.0, fixed, column);
        add_rows(v, 1.0, with, column);
        for (int i = 0; i < v->rows; i++) own->moves[i * v->n + k] = column[i];
    }
    return true;
}

// ---------------------------------------------------------------- inputs
// The da of least squares, or when there are more inputs than rows the one that leaves the inputs
// nearest to where they began. False: the inputs do not move the point as asked.
static bool choose_inputs(const inverse *v, const double *wanted, double *da) {
    const int rows = v->rows, n = v->n, size = n < rows ? n : rows;
    const double *P = v->p.own->moves;
    double A[36], b[6] = {0.0};
    int pivot[6];
    for (int i = 0; i < size; i++)
        for (int k = 0; k < size; k++) {
            A[i * size + k] = 0.0;
            if (n < rows)
                for (int l = 0; l < rows; l++) A[i * size + k] += P[l * n + i] * P[l * n + k];
            else if (n > rows)
                for (int l = 0; l < n; l++) A[i * size + k] += P[i * n + l] * P[k * n + l];
            else A[i * size + k] = P[i * n + k];
        }
    for (int i = 0; i < size; i++) {
        b[i] = n < rows ? 0.0 : wanted[i];
        for (int l = 0; l < rows && n < rows; l++) b[i] += P[l * n + i] * wanted[l];
        for (int l = 0; l < n && n > rows; l++)
            b[i] += P[i * n + l] * (v->values[v->chosen[l]] - v->p.own->start[l]);
    }
    if (!lu_factor(size, A, pivot)) return false;
    lu_solve(size, A, pivot, b);
    for (int k = 0; k < n; k++) {
        da[k] = n <= rows ? b[k] : v->p.own->start[k] - v->values[v->chosen[k]];
        for (int i = 0; i < rows && n > rows; i++) da[k] += P[i * n + k] * b[i];
    }
    return true;
}

// ---------------------------------------------------------------- Newton
static double largest(const double *x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// One correction of everything, from the residual and the pose of the point last evaluated, and
// its size. False: the inputs do not move the point as asked.
static bool correct(inverse *v, double *size) {
    assembly_memory *own = v->p.own;
    const int n = n_change(v->p.a);
    double wanted[6], along[6], *da = own->start + v->n, reach = 0.0;
    missing(v, wanted);
    assembly_solve(&v->p, own->residual, own->change);
    const double far = largest(wanted, v->rows);
    for (int i = 0; i < v->rows && far > STRIDE; i++) wanted[i] *= STRIDE / far;
    if (!motion_of(v, own->change, along)) return false;
    add_rows(v, -1.0, along, wanted);
    if (!choose_inputs(v, wanted, da)) return false;
    for (int k = 0; k < v->n; k++) {
        const double *Y = column_of(v, v->chosen[k]);
        for (int i = 0; i < n; i++) own->change[i] += da[k] * Y[i];
    }
    for (int i = 0; i < v->rows; i++) {
        double sum = 0.0;
        for (int k = 0; k < v->n; k++) sum += own->moves[i * v->n + k] * da[k];
        reach = fmax(reach, fabs(sum));
    }
    *size = fmax(assembly_size(&v->p, own->change), reach);
    const double share = *size > LARGEST ? LARGEST / *size : 1.0;
    for (int k = 0; k < v->n; k++) v->values[v->chosen[k]] += share * da[k];
    assembly_move(&v->p, v->point, share, own->change, v->point);
    return true;
}

static bool evaluate(inverse *v) {
    assembly_prepare(&v->p);
    return assembly_evaluate(&v->p, v->point, v->p.own->residual);
}

static bool refresh(inverse *v, bool factor) {
    if (factor || !assembly_is_factored(&v->p))
        if (!assembly_factor(&v->p, true, NULL)) return false;
    return set_columns(v);
}

static td_status iterate(inverse *v) {
    td_stats *stats = v->p.stats;
    const double tolerance = v->p.c->options.tolerance;
    if (!evaluate(v)) return TD_ERR_NOT_FINITE;
    missing(v, v->gap);
    if (!refresh(v, false)) return TD_ERR_SINGULAR;
    double size = 0.0, last = HUGE_VAL;
    for (int i = 0; i < MOST_WALKING; i++) {
        stats->iterations++;
        if (!correct(v, &size)) return TD_ERR_SINGULAR;
        if (!isfinite(size) || !evaluate(v)) return TD_ERR_NOT_FINITE;
        const bool known = last < HUGE_VAL;
        const double shrunk = size / last;
        double rest = known && shrunk < 1.0 ? size * shrunk / (1.0 - shrunk) : size;
        stats->residual = fmin(size, rest);
        if (size <= tolerance || rest <= tolerance / 3.0) return TD_OK;
        last = size;
        if ((known && shrunk > GOOD_CONTRACTION) || size > STRIDE) {
            if (!refresh(v, true)) return TD_ERR_SINGULAR;
            last = HUGE_VAL;
        }
    }
    return TD_ERR_NOT_CONVERGED;
}

// Old factors cost more iterations than new ones. When the sum of that is what a new set costs,
// the next call begins with one.
static void count_calls(kept_border *kept, int iterations) {
    if (kept->calls == 0.0) kept->best = iterations;
    kept->calls += 1.0;
    kept->excess += iterations - kept->best;
    if (kept->excess > WORTH_A_NEW_SET) kept->valid = 0.0;
}

// ---------------------------------------------------------------- the call
static void explain(const inverse *v, td_status status, char *message) {
    double gap[6];
    char away[64];
    memcpy(gap, v->gap, sizeof gap);
    if (status >= 0) missing(v, gap);
    double far = vec3_norm(vec3_load(gap + v->rows - 3)) * v->p.a->length;
    int used = snprintf(away, sizeof away, "%.4g m", far);
    if (v->rows == 6)
        snprintf(away + used, sizeof away - (size_t)used, " and %.3g deg",
                 vec3_norm(vec3_load(gap)) * DEGREES);
    if (status == TD_ERR_SINGULAR)
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "inverse: here the inputs do not move the point in every direction asked for, and "
                 "it is "
                 "still %s away",
                 away);
    else
        snprintf(message, MODEL_MESSAGE_SIZE, "inverse: %s: it stays %s away from the target%s",
                 status < 0 ? "no inputs were found that bring the point there" : "the best fit",
                 away, status < 0 ? "; try one that is nearer, or other inputs" : "");
}

// The other assemblies that the inputs drive.
static td_status follow_others(const inverse *v, const model_call *call) {
    const cosserat *c = v->p.c;
    for (int i = 0; i < c->n_assemblies; i++) {
        bool driven = false;
        if (&c->assemblies[i] == v->p.a) continue;
        for (int k = 0; k < v->n; k++)
            driven = driven || input_drives_assembly(c, &c->assemblies[i], v->chosen[k]);
        td_status status = driven ? assembly_statics(c, i, v->p.m, call) : TD_OK;
        if (status < 0) return status;
    }
    return TD_OK;
}

td_status cosserat_inverse(const void *compiled, void *memory, const model_call *call,
                           const td_target *target, const int *chosen, int n, double *values) {
    static const double present[3] = {1.0, 0.0, 0.0};
    const cosserat *c = compiled;
    const scheme_ports *ports = c->scheme->ports;
    inverse v = {.target = target,
                 .at = {target->body, target->rod, target->s},
                 .chosen = chosen,
                 .n = n,
                 .rows = target->position_only ? 3 : 6,
                 .values = values};
    if (!ports || (target->body < 0 && !ports->pose)) return TD_ERR_UNSUPPORTED;
    v.p = assembly_at(c, assembly_of_point(c, &v.at), memory, call);
    v.p.following = true;
    v.p.inputs = v.p.base_inputs = values;
    v.point = v.p.own->now;
    td_status status = inputs_check(c, values, call->message);
    if (status < 0) return status;
    const double *length = v.at.body < 0 ? v.p.m->rods[v.at.rod].lengths : &v.p.a->length;
    const double length_asked = *length;
    if (v.p.a->n_joints > 0 && v.p.own->kept->closed == 0.0)
        status = assembly_statics(c, (int)(v.p.a - c->assemblies), memory, call);
    if (status < 0) return status;
    v.at.s *= *length / length_asked;
    for (int k = 0; k < n; k++) v.p.own->start[k] = values[chosen[k]];
    if (!columns_are_kept(c, v.p.a))  // of another past, perhaps
        memset(v.p.own->known, 0, sizeof(double) * (size_t)c->n_inputs);
    assembly_forget(&v.p);
    assembly_prepare(&v.p);
    if (assembly_rubs(&v.p)) v.p.own->kept->valid = 0.0;
    assembly_recall(&v.p, present, v.point);
    const int before = call->stats->iterations;
    const double calls = v.p.own->kept->calls;
    status = iterate(&v);
    if (v.p.own->kept->calls == calls) count_calls(v.p.own->kept, call->stats->iterations - before);
    double left[6] = {0.0};
    if (status >= 0) missing(&v, left);
    bool loose = largest(left, v.rows) > NEAR_ENOUGH * c->options.tolerance;
    if (status < 0 || loose) explain(&v, status, call->message);
    if (status >= 0) status = inputs_check(c, values, call->message);
    if (status < 0) return status;
    assembly_publish(&v.p);
    for (int i = 0; i < v.p.a->n_rods; i++) {
        td_status possible =
            memory_check(v.p.own->problems[i].r, v.p.own->problems[i].m, call->message);
        if (possible < 0) return possible;
    }
    assembly_settle(&v.p);
    status = follow_others(&v, call);
    *v.p.m->time = (cosserat_time){0};
    return status < 0 ? status : loose ? TD_LOOSE : TD_OK;
}
