// model/cosserat/border.c - the linearised equations of an assembly, with its rods condensed to
// their ends.
//
// Per rod  X = X0 + Xw (reaction at its tip) + Xz (motion of its base),  and the same for the
// motion of its tip and the wrench at its base. A reaction on a tip enters only the rows of its
// own joint, of the joint's holder and of the body that the rod stands on, so it is eliminated
// joint by joint: the cost is linear in the number of rods, and what is left are the bodies.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/lanes.h"
#include "model/cosserat/assembly.h"

#define MOST_SPREAD 1e7       // of the pivots of a joint's own block
#define SINGULAR_SPREAD 1e15  // of the border's: what is left is rounding
#define NEUTRAL_SPREAD 1e12   // in statics: something moves freely
#define HOLD 1e-6             // then it is held a little, in units of EI/L

// ---------------------------------------------------------------- small products
// a (rows) += factor b (rows x inner) x (inner)
static void add_times(int rows, int inner, double factor, const double *b, int b_stride,
                      const double *x, double *a) {
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int k = 0; k < inner; k++) sum += b[i * b_stride + k] * x[k];
        a[i] += factor * sum;
    }
}

// a (rows x columns, row stride a_stride) += factor b (rows x inner) c (inner x columns, stride
// c_stride)
LANES_CLONED static void add_product(int rows, int inner, int columns, double factor,
                                     const double *b, int b_stride, const double *c, int c_stride,
                                     double *a, int a_stride) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            const double f = factor * b[i * b_stride + k];
            for (int j = 0; j < columns; j++) a[i * a_stride + j] += f * c[k * c_stride + j];
        }
}

static void add_block(int rows, int columns, double factor, const double *b, int b_stride,
                      double *a, int a_stride) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) a[i * a_stride + k] += factor * b[i * b_stride + k];
}

// The wrench (6 x n) that unit reactions give at a point.
static void unit_wrenches(int n, vec3 point, double factor, double *out, int stride) {
    for (int k = 0; k < n; k++) {
        double unit[6] = {0.0}, column[6];
        unit[6 - n + k] = factor;
        vec6_store(column, wrench_at(point, vec3_load(unit), vec3_load(unit + 3)));
        for (int i = 0; i < 6; i++) out[i * stride + k] = column[i];
    }
}

// d(point x force) for a point that moves with z, row major: (F^ P^, - F^)
static void add_dead_force(vec3 point, vec3 force, double factor, double *a, int stride) {
    mat3 F = mat3_hat(force), P = mat3_hat(point), FP = mat3_mul(&F, &P);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            a[i * stride + k] += factor * FP.m[i][k];
            a[i * stride + 3 + k] -= factor * F.m[i][k];
        }
}

// ---------------------------------------------------------------- who stands where
int rod_of_joint(const assembly_problem *p, int k) {
    int i = 0;
    while (p->a->tips[i] != k) i++;
    return i;
}

static int n_tip_columns(const assembly_problem *p, int i) {
    return p->a->tips[i] < 0 ? 0 : joint_of(p, p->a->tips[i])->n_reactions;
}

static int body_row(const assembly_problem *p, int body) {
    return 6 * p->c->bodies[body].place;
}

// In a change: where the joint's reaction stands after the bodies.
static int reaction_row(const assembly_problem *p, int k) {
    return 6 * p->a->n_bodies + joint_of(p, k)->reaction - p->a->reaction;
}

// The rows of the joints in the border, those apart left out. Returns its size.
static int set_rows(const assembly_problem *p) {
    int n = 6 * p->a->n_bodies;
    for (int k = 0; k < p->a->n_joints; k++) {
        const bool apart = p->own->factors[k].apart != 0.0;
        p->own->rows[k] = apart ? -1 : n;
        if (!apart) n += joint_of(p, k)->n_reactions;
    }
    return n;
}

// ---------------------------------------------------------------- scales
// What motions and reactions, and the rows of bodies and joints, are counted in, so that the
// border is a matrix of plain numbers. Rows and columns belong together: symmetry is not lost.
// In short steps inertia outgrows stiffness by many orders.
static double force_unit(const assembly_problem *p) {
    return p->a->force + p->a->mass * p->c0 * p->c0 * p->a->length;
}

static double moment_unit(const assembly_problem *p) {
    return force_unit(p) * p->a->length;
}

static double body_unit(const assembly_problem *p, int i) {
    return i < 3 ? 1.0 : p->a->length;
}

static double reaction_unit(const assembly_problem *p, int n, int i) {
    return i < n - 3 ? moment_unit(p) : force_unit(p);
}

static double body_row_unit(const assembly_problem *p, int i) {
    return i < 3 ? moment_unit(p) : force_unit(p);
}

static double joint_row_unit(const assembly_problem *p, const joint *j, int i) {
    if (i == 5 && j->kind == TD_PRISMATIC) return force_unit(p);
    if (i >= j->n_reactions - 3) return p->a->length;
    const int angles = j->kind == TD_CLAMP || j->kind == TD_PRISMATIC ? 3
                       : j->kind == TD_REVOLUTE                       ? 2
                                                                      : 1;
    return i < angles ? 1.0 : moment_unit(p);
}

// Motions z of bodies are those at the origin of the world, and wrenches are about it. Far from there they are large and
// cancel, so the border has them about a point o of the robot: z = (th, d + o x th), and moments M - o x F.
static vec3 border_point(const assembly_problem *p) {
    return p->a->n_bodies ? p->own->bodies[0].T.p : vec3_zero();
}

static void shift_rows(int n_bodies, vec3 o, double *A, int columns, int stride) {
    for (int k = 0; k < n_bodies; k++, A += 6 * stride)
        for (int l = 0; l < columns; l++) {
            const vec3 F = {A[3 * stride + l], A[4 * stride + l], A[5 * stride + l]};
            const vec3 less = vec3_cross(o, F);
            A[l] -= less.x, A[stride + l] -= less.y, A[2 * stride + l] -= less.z;
        }
}

// to th from d: of rows of slopes by z
static void shift_columns(int n_bodies, vec3 o, double *A, int rows, int stride) {
    for (int i = 0; i < rows; i++, A += stride)
        for (int k = 0; k < n_bodies; k++) {
            double *by = A + 6 * k;
            vec3_store(by, vec3_add(vec3_load(by), vec3_cross(vec3_load(by + 3), o)));
        }
}

static void scale_border(const assembly_problem *p, double *A, int N, double *columns) {
    const assembly *a = p->a;
    const vec3 o = vec3_load(p->own->kept->about);
    shift_rows(a->n_bodies, o, A, N, N);
    shift_columns(a->n_bodies, o, A, N, N);
    for (int i = 0; i < 6 * a->n_bodies; i++) columns[i] = body_unit(p, i % 6);
    for (int k = 0; k < a->n_joints; k++)
        for (int i = 0; p->own->rows[k] >= 0 && i < joint_of(p, k)->n_reactions; i++)
            columns[p->own->rows[k] + i] = reaction_unit(p, joint_of(p, k)->n_reactions, i);
    for (int i = 0; i < 6 * a->n_bodies; i++)
        for (int l = 0; l < N; l++) A[i * N + l] *= columns[l] / body_row_unit(p, i % 6);
    for (int k = 0; k < a->n_joints; k++)
        for (int i = 0; p->own->rows[k] >= 0 && i < joint_of(p, k)->n_reactions; i++) {
            double *row = A + (p->own->rows[k] + i) * N;
            const double unit = joint_row_unit(p, joint_of(p, k), i);
            for (int l = 0; l < N; l++) row[l] *= columns[l] / unit;
        }
}

// ---------------------------------------------------------------- the rods
static void answer_rod(const assembly_problem *p, int i) {
    const rod_problem *one = &p->own->problems[i];
    rod_answer *answer = &p->own->answers[i];
    const int n = answer->n, n_tip = n_tip_columns(p, i);
    if (n == 0) return;
    double tip[6 * 12] = {0.0}, base[12 * 12] = {0.0};
    if (n_tip) unit_wrenches(n_tip, p->own->joints[p->a->tips[i]].held.p, 1.0, tip, n);
    if (n > n_tip) {
        const body_motion *b = &p->own->bodies[p->c->bodies[one->r->base_body].place];
        for (int k = 0; k < 6; k++) {
            base[k * n + n_tip + k] = 1.0;
            for (int l = 0; l < 6; l++) base[(6 + k) * n + n_tip + l] = b->by_z[6 * k + l];
        }
    }
    p->c->scheme->ports->respond(one, n, NULL, n_tip ? tip : NULL, n > n_tip ? base : NULL,
                                 answer->X, answer->tip, n > n_tip ? answer->base : NULL);
}

typedef struct factoring {
    bool sharp, count;
} factoring;

static bool factor_rod(const assembly_problem *p, int i, void *context) {
    const factoring *f = context;
    int *negative = f->count ? &p->own->shares[i].negative : NULL;
    if (!p->c->scheme->ports->factor(&p->own->problems[i], f->sharp, negative)) return false;
    answer_rod(p, i);
    return true;
}

static bool factor_rods(const assembly_problem *p, bool sharp, int *negative) {
    factoring f = {sharp, negative != NULL};
    if (!assembly_each_rod(p, factor_rod, &f)) return false;
    for (int i = 0, sum = 0; i < p->a->n_rods && negative; i++) {
        const int own = p->own->shares[i].negative;
        *negative = sum = sum < 0 || own < 0 ? -1 : sum + own;
    }
    return true;
}

// ---------------------------------------------------------------- joints on tips, apart
// The rows of a joint by its own reaction (n x n), through the rod.
static void own_block(const assembly_problem *p, int k, const double *by_held,
                      const double *by_reaction, double *C) {
    const int n = joint_of(p, k)->n_reactions;
    const rod_answer *answer = &p->own->answers[rod_of_joint(p, k)];
    memcpy(C, by_reaction, sizeof(double) * (size_t)(n * n));
    add_product(n, 6, n, 1.0, by_held, 6, answer->tip, answer->n, C, n);
}

// The largest pivot to the smallest.
static double spread_of_pivots(int n, const double *lu) {
    double least = HUGE_VAL, most = 0.0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(lu[i * n + i]));
        most = fmax(most, fabs(lu[i * n + i]));
    }
    return n ? most / least : 1.0;
}

// False: the joint must stay in the border.
static bool set_apart(const assembly_problem *p, int k) {
    const joint *j = joint_of(p, k);
    joint_factor *f = &p->own->factors[k];
    f->apart = 0.0;
    if (j->rod < 0) return false;
    const int n = j->n_reactions, i = rod_of_joint(p, k);
    const rod_answer *answer = &p->own->answers[i];
    double by_held[36], by_holder[36], by_reaction[36];
    joint_tangent(p, k, by_held, by_holder, by_reaction);
    own_block(p, k, by_held, by_reaction, f->C);
    memset(f->P, 0, sizeof f->P);
    if (j->holder >= 0) add_block(n, 6, 1.0, by_holder, 6, f->P, 12);
    if (answer->n > n)
        add_product(n, 6, 6, 1.0, by_held, 6, answer->tip + n, answer->n, f->P + 6, 12);
    for (int r = 0; r < n; r++) {
        const double unit = joint_row_unit(p, j, r);
        for (int l = 0; l < n; l++) f->C[r * n + l] *= reaction_unit(p, n, l) / unit;
        for (int l = 0; l < 12; l++) f->P[12 * r + l] /= unit;
    }
    if (!lu_factor(n, f->C, f->pivot) || spread_of_pivots(n, f->C) > MOST_SPREAD) {
        memset(f, 0, sizeof *f);
        return false;
    }
    lu_solve_many(n, f->C, f->pivot, 12, f->P);
    for (int r = 0; r < n; r++)
        for (int l = 0; l < 12; l++) f->P[12 * r + l] *= reaction_unit(p, n, r);
    unit_wrenches(n, p->own->joints[k].frame.p, -1.0, f->H, n);
    f->apart = 1.0;
    return true;
}

// reaction (n) = - C^-1 rows
static void own_reaction(const assembly_problem *p, int k, const double *rows, double *reaction) {
    const joint *j = joint_of(p, k);
    const joint_factor *f = &p->own->factors[k];
    const int n = j->n_reactions;
    for (int i = 0; i < n; i++) reaction[i] = -rows[i] / joint_row_unit(p, j, i);
    lu_solve(n, f->C, f->pivot, reaction);
    for (int i = 0; i < n; i++) reaction[i] *= reaction_unit(p, n, i);
}

// The bodies' rows by the motions of holder and base, through a reaction that is apart.
static void add_apart(const assembly_problem *p, int k, double *A, int N) {
    const joint *j = joint_of(p, k);
    const joint_factor *f = &p->own->factors[k];
    const rod_answer *answer = &p->own->answers[rod_of_joint(p, k)];
    const int n = j->n_reactions, base = p->own->problems[rod_of_joint(p, k)].r->base_body;
    for (int side = 0; side < 2; side++) {
        const int row = side ? base : j->holder;
        const double *by = side ? answer->base : f->H;
        const int stride = side ? answer->n : n;
        if (row < 0) continue;
        double *to = A + body_row(p, row) * N;
        if (j->holder >= 0)
            add_product(6, n, 6, -1.0, by, stride, f->P, 12, to + body_row(p, j->holder), N);
        if (base >= 0)
            add_product(6, n, 6, -1.0, by, stride, f->P + 6, 12, to + body_row(p, base), N);
    }
}

// ---------------------------------------------------------------- the border
static void add_spring(const assembly_problem *p, int k, double *A, int N) {
    const joint *j = joint_of(p, k);
    double by_held[36], by_holder[36];
    spring_between(p, k, by_held, by_holder, NULL);
    for (int side = 0; side < 2; side++) {
        double *row = A + body_row(p, side ? j->holder : j->held) * N;
        add_block(6, 6, side ? -1.0 : 1.0, by_held, 6, row + body_row(p, j->held), N);
        add_block(6, 6, side ? -1.0 : 1.0, by_holder, 6, row + body_row(p, j->holder), N);
    }
}

static void add_bodies(const assembly_problem *p, double *A, int N) {
    for (int k = 0; k < p->a->n_bodies; k++) {
        double by_z[36];
        body_balance(p, p->a->bodies[k], &p->own->bodies[k], by_z);
        add_block(6, 6, 1.0, by_z, 6, A + 6 * k * N + 6 * k, N);
    }
    for (int i = 0; i < p->a->n_rods; i++) {
        const int body = p->own->problems[i].r->base_body;
        const rod_answer *answer = &p->own->answers[i];
        if (body < 0) continue;
        double *row = A + body_row(p, body) * N;
        add_block(6, 6, 1.0, answer->base + n_tip_columns(p, i), answer->n, row + body_row(p, body),
                  N);
    }
    for (int k = 0; k < p->a->n_joints; k++) {
        const joint *j = joint_of(p, k);
        const joint_motion *at = &p->own->joints[k];
        if (j->holder >= 0)
            add_dead_force(
                joint_point(j, at), at->force, -1.0,
                A + body_row(p, j->holder) * N +
                    body_row(p, j->kind == TD_PRISMATIC && j->rod < 0 ? j->held : j->holder),
                N);
        if (springs_between(j)) add_spring(p, k, A, N);
        if (j->rod < 0)
            add_dead_force(at->held.p, at->force, 1.0,
                           A + body_row(p, j->held) * N + body_row(p, j->held), N);
    }
}

// Rows and columns of a joint whose reaction is in the border.
static void add_joint(const assembly_problem *p, int k, double *A, int N) {
    const joint *j = joint_of(p, k);
    const joint_motion *at = &p->own->joints[k];
    const int n = j->n_reactions, own = p->own->rows[k];
    double by_held[36], by_holder[36], by_reaction[36], units[36], *rows = A + own * N;
    joint_tangent(p, k, by_held, by_holder, by_reaction);
    if (j->rod >= 0) {
        const int i = rod_of_joint(p, k), base = p->own->problems[i].r->base_body;
        const rod_answer *answer = &p->own->answers[i];
        double C[36];
        own_block(p, k, by_held, by_reaction, C);
        add_block(n, n, 1.0, C, n, rows + own, N);
        if (base >= 0) {
            add_product(n, 6, 6, 1.0, by_held, 6, answer->tip + n, answer->n,
                        rows + body_row(p, base), N);
            add_block(6, n, 1.0, answer->base, answer->n, A + body_row(p, base) * N + own, N);
        }
    } else {
        add_block(n, n, 1.0, by_reaction, n, rows + own, N);
        add_block(n, 6, 1.0, by_held, 6, rows + body_row(p, j->held), N);
        unit_wrenches(n, at->held.p, 1.0, units, n);
        add_block(6, n, 1.0, units, n, A + body_row(p, j->held) * N + own, N);
    }
    if (j->holder < 0) return;
    add_block(n, 6, 1.0, by_holder, 6, rows + body_row(p, j->holder), N);
    unit_wrenches(n, joint_point(j, at), -1.0, units, n);
    add_block(6, n, 1.0, units, n, A + body_row(p, j->holder) * N + own, N);
}

// In the matrix alone, every motion of a body meets a small stiffness: what moves freely, as a rod that
// hangs from a ball joint turns about itself, stays where it is, and the answer is not changed.
static void hold_bodies(const assembly_problem *p, double *A, int N) {
    for (int k = 0; k < p->a->n_bodies; k++) {
        double by_z[36] = {0.0};
        body_hold(p, k, HOLD, by_z);
        shift_rows(1, vec3_load(p->own->kept->about), by_z, 6, 6);
        shift_columns(1, vec3_load(p->own->kept->about), by_z, 6, 6);
        for (int i = 0; i < 36; i++)
            A[(6 * k + i / 6) * N + 6 * k + i % 6] +=
                by_z[i] * body_unit(p, i % 6) / body_row_unit(p, i / 6);
    }
}

static bool factor_border(const assembly_problem *p, double *A, int N) {
    const size_t bytes = sizeof(double) * (size_t)(N * N);
    if (N == 0) return true;
    if (p->c0 != 0.0 || p->a->n_bodies == 0)
        return lu_factor(N, A, p->own->pivot) && spread_of_pivots(N, A) <= SINGULAR_SPREAD;
    memcpy(p->own->whole, A, bytes);
    if (lu_factor(N, A, p->own->pivot) && spread_of_pivots(N, A) <= NEUTRAL_SPREAD) return true;
    memcpy(A, p->own->whole, bytes);
    hold_bodies(p, A, N);
    return lu_factor(N, A, p->own->pivot) && spread_of_pivots(N, A) <= SINGULAR_SPREAD;
}

static bool turns(const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++)
        if (problem_turns(&p->own->problems[i])) return true;
    return false;
}

bool assembly_factor(const assembly_problem *p, bool sharp, int *negative) {
    double *A = p->own->border;
    p->own->kept->valid = 0.0;
    if (!factor_rods(p, sharp, negative)) return false;
    for (int k = 0; k < p->a->n_joints; k++) set_apart(p, k);
    const int N = set_rows(p);
    memset(A, 0, sizeof(double) * (size_t)(N * N));
    add_bodies(p, A, N);
    for (int k = 0; k < p->a->n_joints; k++) {
        if (p->own->rows[k] < 0) add_apart(p, k, A, N);
        else add_joint(p, k, A, N);
    }
    vec3_store(p->own->kept->about, border_point(p));
    scale_border(p, A, N, p->own->side);
    if (!factor_border(p, A, N)) {
        memset(A, 0, sizeof(double) * (size_t)(N * N));  // kept: what may be infinite must not stay
        return false;
    }
    if (!coupling_factor(p)) return false;
    kept_border *kept = p->own->kept;
    kept->valid = !(negative && turns(p));
    kept->c0 = p->c0;
    kept->fraction = p->fraction;
    kept->number += 1.0;
    kept->touching = assembly_touching(p);
    kept->coupled = p->own->coupling.n;
    p->own->coupling.there = true;
    return true;
}

bool assembly_is_factored(const assembly_problem *p) {
    const kept_border *kept = p->own->kept;
    const bool all = kept->coupled == 0.0 || p->own->coupling.there;
    return kept->valid != 0.0 && kept->c0 == p->c0 && kept->fraction == p->fraction && all;
}

double border_condition(const assembly_problem *p) {
    double worst = spread_of_pivots(set_rows(p), p->own->border);
    for (int k = 0; k < p->a->n_joints; k++) {
        const int n = joint_of(p, k)->n_reactions;
        if (p->own->rows[k] < 0) worst = fmax(worst, spread_of_pivots(n, p->own->factors[k].C));
    }
    return worst;
}

// ---------------------------------------------------------------- solution
static bool is_zero(int n, const double *a) {
    for (int i = 0; i < n; i++)
        if (a[i] != 0.0) return false;
    return true;
}

// X0 of the rods, and what comes of it at their ends, into the rows of bodies and joints.
static void relax_rods(const assembly_problem *p, const double *residual, double *change,
                       double *rows) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const int body = p->own->problems[i].r->base_body, k = p->a->tips[i];
        const int at = p->a->first[i], n = p->a->first[i + 1] - at;
        if (is_zero(n, residual + at)) {  // as where an input drives another rod
            memset(change + at, 0, sizeof(double) * (size_t)n);
            continue;
        }
        double tip_motion[12], base_wrench[6];
        p->c->scheme->ports->respond(&p->own->problems[i], 1, residual + at, NULL, NULL,
                                     change + at, k >= 0 ? tip_motion : NULL,
                                     body >= 0 ? base_wrench : NULL);
        if (body >= 0) add_block(6, 1, 1.0, base_wrench, 1, rows + body_row(p, body), 1);
        if (k < 0) continue;
        double by_held[36], by_holder[36], by_reaction[36];
        joint_tangent(p, k, by_held, by_holder, by_reaction);
        add_times(joint_of(p, k)->n_reactions, 6, 1.0, by_held, 6, tip_motion,
                  rows + reaction_row(p, k));
    }
}

// The rows of the border, from those of all bodies and joints; reactions apart get what they have
// without any motion, which goes into the rows of the bodies.
static void gather(const assembly_problem *p, double *rows, double *side) {
    for (int k = 0; k < p->a->n_joints; k++) {
        const joint *j = joint_of(p, k);
        const int n = j->n_reactions;
        if (p->own->rows[k] >= 0) continue;
        const int i = rod_of_joint(p, k), base = p->own->problems[i].r->base_body;
        double *own = rows + reaction_row(p, k);
        own_reaction(p, k, own, own);
        if (j->holder >= 0)
            add_times(6, n, 1.0, p->own->factors[k].H, n, own, rows + body_row(p, j->holder));
        if (base >= 0)
            add_times(6, n, 1.0, p->own->answers[i].base, p->own->answers[i].n, own,
                      rows + body_row(p, base));
    }
    shift_rows(p->a->n_bodies, vec3_load(p->own->kept->about), rows, 1, 1);
    for (int i = 0; i < 6 * p->a->n_bodies; i++) side[i] = -rows[i] / body_row_unit(p, i % 6);
    for (int k = 0; k < p->a->n_joints; k++)
        for (int i = 0; p->own->rows[k] >= 0 && i < joint_of(p, k)->n_reactions; i++)
            side[p->own->rows[k] + i] =
                -rows[reaction_row(p, k) + i] / joint_row_unit(p, joint_of(p, k), i);
}

// The motions and reactions from the border's solution.
static void scatter(const assembly_problem *p, const double *side, double *rows) {
    const vec3 o = vec3_load(p->own->kept->about);
    for (int i = 0; i < 6 * p->a->n_bodies; i++) rows[i] = side[i] * body_unit(p, i % 6);
    for (int k = 0; k < p->a->n_bodies; k++)
        vec3_store(rows + 6 * k + 3,
                   vec3_add(vec3_load(rows + 6 * k + 3), vec3_cross(o, vec3_load(rows + 6 * k))));
    for (int k = 0; k < p->a->n_joints; k++) {
        const joint *j = joint_of(p, k);
        const int n = j->n_reactions;
        double *own = rows + reaction_row(p, k);
        if (p->own->rows[k] >= 0) {
            for (int i = 0; i < n; i++) own[i] = side[p->own->rows[k] + i] * reaction_unit(p, n, i);
            continue;
        }
        const int base = p->own->problems[rod_of_joint(p, k)].r->base_body;
        const double *P = p->own->factors[k].P;
        if (j->holder >= 0) add_times(n, 6, -1.0, P, 12, rows + body_row(p, j->holder), own);
        if (base >= 0) add_times(n, 6, -1.0, P + 6, 12, rows + body_row(p, base), own);
    }
}

void assembly_solve_apart(const assembly_problem *p, const double *residual, double *change) {
    const assembly *a = p->a;
    const int n = a->first[a->n_rods], N = set_rows(p);
    double *rows = change + n;
    memcpy(rows, residual + n, sizeof(double) * (size_t)n_border(a));
    relax_rods(p, residual, change, rows);
    if (n_border(a) == 0) return;
    gather(p, rows, p->own->side);
    if (N > 0) lu_solve(N, p->own->border, p->own->pivot, p->own->side);
    scatter(p, p->own->side, rows);
    for (int i = 0; i < a->n_rods; i++) {
        const rod_answer *answer = &p->own->answers[i];
        const int n_tip = n_tip_columns(p, i), body = p->own->problems[i].r->base_body;
        double by[12];
        if (answer->n == 0) continue;
        if (n_tip) memcpy(by, rows + reaction_row(p, a->tips[i]), sizeof(double) * (size_t)n_tip);
        if (body >= 0) memcpy(by + n_tip, rows + body_row(p, body), 6 * sizeof(double));
        dense_madd(a->first[i + 1] - a->first[i], answer->n, 1, 1.0, answer->X, by,
                   change + a->first[i]);
    }
}

void assembly_solve(const assembly_problem *p, const double *residual, double *change) {
    assembly_solve_apart(p, residual, change);
    if (p->a->meets) coupling_correct(p, change);
}

// A rod alone answers to all of them at once, side by side.
void assembly_solve_many(const assembly_problem *p, int n, double *columns) {
    const int rows = n_change(p->a);
    if (!p->a->alone) {
        for (int k = 0; k < n; k++) {
            memcpy(p->own->change, columns + k * rows, sizeof(double) * (size_t)rows);
            assembly_solve(p, p->own->change, columns + k * rows);
        }
        return;
    }
    double *residual = p->own->solve.krylov + SOLVE_COLUMNS * rows, *X = residual + rows * n;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rows; i++) residual[i * n + k] = columns[k * rows + i];
    p->c->scheme->ports->respond(&p->own->problems[0], n, residual, NULL, NULL, X, NULL, NULL);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rows; i++) columns[k * rows + i] = X[i * n + k];
}
