// model/cosserat/shooting/ports.c - a rod condensed to its ends, for assemblies and unknown
// efforts.
//
// The unknowns are few and the variational equations say how the tip moves with them, so the
// condensed rod is two small matrices: the inverse of the shooting matrix and the motion of the
// tip. The base cannot move.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "model/cosserat/shooting/shooting.h"

// ---------------------------------------------------------------- units
// Forces and moments as in bvp.c; an effort by what bends the rod by a radian, and its measure by
// what that does the same work on.
static double scale_of(const rod *r, int i) {
    if (i < 6) return i < 3 ? r->force_scale : r->moment_scale;
    for (int k = 0; k < r->n_actuators; k++)
        if (r->actuators[k].n_efforts && r->actuators[k].effort == i - 6)
            return r->actuators[k].effort_scale;
    return 1.0;
}

static double residual_scale(const rod *r, int i) {
    return i < 6 ? scale_of(r, i) : r->moment_scale / scale_of(r, i);
}

static double size(const rod *r, const double *change) {
    double largest = 0.0;
    for (int i = 0; i < shooting_unknowns(r); i++) {
        double part = fabs(change[i]) / scale_of(r, i);
        if (!(part <= largest)) largest = part;  // NaN too
    }
    return largest;
}

// ---------------------------------------------------------------- the matrix
static bool invert(const rod *r, shooting_memory *own, double *condition) {
    const int n = shooting_unknowns(r);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) own->matrix[n * i + k] *= scale_of(r, k) / residual_scale(r, i);
    double norm = dense_norm1(n, own->matrix);
    if (!lu_factor(n, own->matrix, own->pivot)) return false;
    memset(own->inverse, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) own->inverse[(n + 1) * i] = 1.0;
    lu_solve_many(n, own->matrix, own->pivot, n, own->inverse);
    *condition = norm * dense_norm1(n, own->inverse);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            own->inverse[n * i + k] *= scale_of(r, i) / residual_scale(r, k);
    return isfinite(*condition);
}

static bool factor(const rod_problem *p, bool sharp, int *negative) {
    (void)sharp;
    shooting_memory *own = p->m->own;
    shooting s = shooting_of(p);
    s.tip_motion = own->tip_motion;
    if (negative) *negative = -1;
    if (!shoot(&s, own->last, own->right, own->matrix)) return false;
    memcpy(own->tip_at, s.bounds + p->r->n_elements * Y_SIZE + Y_P, 3 * sizeof(double));
    return invert(p->r, own, &p->stats->condition);
}

// ---------------------------------------------------------------- answers
// What a column asks of the shooting matrix: - residual, and the wrench at the tip as target.
static void right_side(const rod *r, const shooting_memory *own, int n, int column,
                       const double *residual, const double *tip, double *b) {
    for (int i = 0; i < shooting_unknowns(r); i++)
        b[i] = residual ? -residual[n * i + column] : 0.0;
    if (!tip) return;
    const double *t = tip + column;
    vec3 M = vec3_make(t[0], t[n], t[2 * n]), F = vec3_make(t[3 * n], t[4 * n], t[5 * n]);
    M = vec3_sub(M, vec3_cross(vec3_load(own->tip_at), F));
    vec3_store(b, vec3_add(vec3_load(b), F));
    vec3_store(b + 3, vec3_add(vec3_load(b + 3), M));
}

static void respond(const rod_problem *p, int n, const double *residual, const double *tip,
                    const double *base, double *X, double *tip_motion, double *base_wrench) {
    (void)base;
    shooting_memory *own = p->m->own;
    const int size_x = shooting_unknowns(p->r);
    for (int c = 0; c < n; c++) {
        right_side(p->r, own, n, c, residual, tip, own->right);
        for (int i = 0; i < size_x; i++) {
            double sum = 0.0;
            for (int k = 0; k < size_x; k++) sum += own->inverse[size_x * i + k] * own->right[k];
            X[n * i + c] = sum;
        }
        for (int i = 0; tip_motion && i < 12; i++) {
            double sum = 0.0;
            for (int k = 0; k < size_x; k++) sum += own->tip_motion[size_x * i + k] * X[n * k + c];
            tip_motion[n * i + c] = sum;
        }
        if (!base_wrench) continue;
        vec3 F = vec3_make(X[c], X[n + c], X[2 * n + c]);
        vec3 M = vec3_make(X[3 * n + c], X[4 * n + c], X[5 * n + c]);
        double w[6];
        vec6_store(w, vec6_make(vec3_add(M, vec3_cross(p->base.p, F)), F));
        for (int i = 0; i < 6; i++) base_wrench[n * i + c] = w[i];
    }
}

const scheme_ports shooting_ports = {
    .evaluate = shooting_publish,
    .factor = factor,
    .respond = respond,
    .moving_base = false,
    .size = size,
};
