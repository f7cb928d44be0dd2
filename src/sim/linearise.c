// sim/linearise.c - a robot linearised about a state: parts side by side, and the outputs that are
// named. Whatever this does to the state is undone.
#include "sim/drive.h"
#include "sim/linearise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/dense.h"
#include "math/pencil.h"
#include "math/quat.h"
#include "solve/chart.h"

#define BALANCED 1e-5  // rad: what an equilibrium may miss
#define ROUNDED 1e-14  // of the largest stiffness: what moves freely has that of rounding
#define STILL 1e-6     // rad/s: a velocity that is none
#define AHEAD 1e-2     // rad: how far constraints are followed along a motion
#define GIVES_WAY                                                                                  \
    1e-9  // singular value of scaled equations from which a multiplier follows from them

// ---------------------------------------------------------------- memory
// Coordinates of all parts, those of motors and valves, then multipliers of all parts.
static void count(const td_system *system, int *n_q, int *n) {
    *n_q = *n = drives_n_numbers(system);
    for (int i = 0; i < solver_n_parts(system); i++) {
        const solve_part p = solver_moving(system, NULL, i);
        *n_q += part_n_coordinates(&p);
        *n += part_n(&p);
    }
}

void linear_resize(td_linearisation *l, bool flows) {
    const int more = flows ? l->n_flows : 0;
    l->of.n = l->n + more, l->of.n_q = l->n_q + more;
    int coordinate = 0, multiplier = l->of.n_q;
    for (int i = 0; i < l->n_parts; i++) {
        const solve_part *p = &l->parts[i].p;
        for (int k = 0; k < part_n(p); k++)
            l->place[i][k] = k < p->n_q && !part_holds(p, k) ? coordinate++ : multiplier++;
    }
}

static step_scheme scheme_of_steps(const td_system *system, double dt) {
    const td_model *model = system->model;
    return model->scheme ? model->scheme(system->compiled, dt) : step_scheme_sdirk2(dt);
}

static td_linearisation *layout(const td_system *system, const td_output *outputs, int n_named,
                                const step_parameter *parameters, int n_parameters, arena *a) {
    int n_q, n, n_y = 0, n_flows = 0;
    size_t strains = 0;
    count(system, &n_q, &n);
    for (int i = 0; i < n_named; i++) n_y += td_output_size(outputs[i].quantity);
    const int k = n - n_q, most_rows = n + system->n_actuators;
    const int widest = most_rows > n_y ? most_rows : n_y;
    td_linearisation *out = ARENA_TAKE(a, td_linearisation, 1);
    td_linearisation l = {.system = system,
                          .n_named = n_named,
                          .n_parts = solver_n_parts(system),
                          .n = n,
                          .n_q = n_q};
    for (int i = 0; i < l.n_parts; i++) {
        const solve_part p = solver_moving(system, NULL, i);
        const size_t own = 6 * (size_t)p.n_relaxing * (size_t)p.n_q;
        n_flows += p.n_flows;
        strains = own > strains ? own : strains;
    }
    l.n_flows = n_flows, n += n_flows, n_q += n_flows;
    l.outputs = ARENA_TAKE(a, td_output, n_named);
    l.poses = ARENA_TAKE(a, td_pose, n_named);
    l.parts = ARENA_TAKE(a, linear_point, l.n_parts);
    l.place = ARENA_TAKE(a, int *, l.n_parts);
    for (int i = 0; i < l.n_parts; i++) {
        const solve_part p = solver_moving(system, NULL, i);
        linear_layout(&p, system->n_inputs, widest, a, l.parts ? &l.parts[i] : NULL);
        int *place = ARENA_TAKE(a, int, part_n(&p));
        if (l.place) l.place[i] = place;
    }
    linear_drives_layout(system, a, &l);
    linear_matrices_layout(n, n_q, system->n_inputs, n_y, a, &l.of);
    size_t most = 0, slopes = 0, largest = 0;
    for (int i = 0; i < l.n_parts; i++) {
        const solve_part p = solver_moving(system, NULL, i);
        const size_t own = p.n_slopes ? 3 * (size_t)part_n(&p) * (size_t)part_n(&p) : 0;
        most = own > most ? own : most;
        slopes = p.n_slopes > slopes ? p.n_slopes : slopes;
        largest = p.n_slopes && (size_t)part_n(&p) > largest ? (size_t)part_n(&p) : largest;
    }
    l.exact = ARENA_TAKE(a, double, most);
    l.exact_scratch = ARENA_TAKE(a, double, slopes);
    l.exact_outputs =
        ARENA_TAKE(a, double, largest ? (size_t)n_y *(2 * largest + (size_t)system->n_inputs) : 0);
    l.r = ARENA_TAKE(a, double, n);
    l.column = ARENA_TAKE(a, double, widest);
    l.here = ARENA_TAKE(a, double, n_y);
    l.strains = ARENA_TAKE(a, double, strains);
    l.solve = ARENA_TAKE(a, double, n *n);
    l.rhs = ARENA_TAKE(a, double, n);
    l.singular = ARENA_TAKE(a, double, n);
    l.E = ARENA_TAKE(a, double, k *k);
    l.U = ARENA_TAKE(a, double, k *k);
    l.V = ARENA_TAKE(a, double, k *k);
    l.work = ARENA_TAKE(a, double, PENCIL_WORK(n));
    modes_layout(n, n_q, system->n_inputs, a, &l.modes);
    const step_scheme scheme = scheme_of_steps(system, 1.0);
    step_map_layout(n, n_q, system->n_inputs, n_y, step_map_states(&scheme, n_q), a, &l.steps);
    motion_layout_steps(system, n_y, parameters, n_parameters, a, &l);
    if (!out) return NULL;
    if (n_named) memcpy(l.outputs, outputs, sizeof *outputs * (size_t)n_named);
    linear_resize(&l, false);
    *out = l;
    return out;
}

td_linearisation *linearisation_create(const td_system *system, const td_output *outputs,
                                       int n_outputs, const step_parameter *parameters,
                                       int n_parameters, td_error *err) {
    for (int i = 0; i < n_outputs; i++)
        if (check_output(system, &outputs[i], i, err) < 0) return NULL;
    arena counted = {0};
    layout(system, outputs, n_outputs, parameters, n_parameters, &counted);
    void *block = calloc(1, counted.used + 64);
    if (!block) {
        error_set(err, TD_ERR_MEMORY, "td_linearisation_create", "out of memory");
        return NULL;
    }
    arena placed = {(unsigned char *)(((uintptr_t)block + 63) & ~(uintptr_t)63), 0};
    td_linearisation *l = layout(system, outputs, n_outputs, parameters, n_parameters, &placed);
    l->block = block;
    l->bytes = counted.used;
    return l;
}

td_linearisation *td_linearisation_create(const td_system *system, const td_output *outputs,
                                          int n_outputs, td_error *err) {
    return linearisation_create(system, outputs, n_outputs, NULL, 0, err);
}

void td_linearisation_destroy(td_linearisation *l) {
    if (l) free(l->block);
}

// ---------------------------------------------------------------- the state itself
static void load_part(td_linearisation *l, const td_state *state, int i, bool *still) {
    const td_system *system = l->system;
    linear_point *x = &l->parts[i];
    x->p = solver_moving(system, state, i);
    const solve_memory *m = x->p.m;
    copy_doubles(x->p.n_x, x->q, m->q);
    copy_doubles(x->p.n_l, x->l, m->l);
    copy_doubles(x->p.n_q, x->v, m->v);
    memset(x->a, 0, sizeof(double) * (size_t)x->p.n_q);
    x->rests = true;
    for (int k = 0; k < x->p.n_q; k++)
        x->rests = x->rests && (part_holds(&x->p, k) || fabs(x->v[k]) <= STILL * x->p.unit[k]);
    if (x->rests) memset(x->v, 0, sizeof(double) * (size_t)x->p.n_q);
    *still = *still && x->rests;
    for (int k = 0; k < system->n_inputs; k++) {
        x->u[0][k] = x->places[k] = state->inputs_before[k];
        x->u[1][k] = system->rate_matters[k] ? state->rates_before[k] : 0.0;
        x->u[2][k] = 0.0;
        x->rests = x->rests && x->u[1][k] == 0.0;
    }
    linear_drives_load(l, state, i, still);
}

static void scatter(const td_linearisation *l, int i, int column, double *matrix, int columns,
                    double sign) {
    for (int k = 0; k < part_n(&l->parts[i].p); k++)
        matrix[(size_t)l->place[i][k] * (size_t)columns + column] = sign * l->column[k];
}

// The columns of one matrix of a part.
static void fill_part(td_linearisation *l, int i, linear_by by, double *matrix) {
    linear_point *x = &l->parts[i];
    const linear_observer o = linear_residual(x);
    for (int pass = 0; pass < 2;
         pass++)  // multipliers last: what bends like a radian is known then
        for (int k = 0; k < part_n(&x->p); k++) {
            const bool effort = k >= x->p.n_q || part_holds(&x->p, k);
            if (effort != (pass == 1)) continue;
            linear_slope(x, &o, by, k, l->column, 1);
            scatter(l, i, l->place[i][k], matrix, l->of.n, 1.0);
            if (by == BY_Z && !effort) x->force[k] = fabs(l->column[k]) * x->p.unit[k];
        }
}

// All three at once, where the part has them; false: it has none.
static bool fill_exactly(td_linearisation *l, int i) {
    linear_point *x = &l->parts[i];
    const int n = part_n(&x->p);
    if (!linear_slopes(x, l->exact, l->exact_scratch)) return false;
    double *const to[3] = {l->of.K, l->of.D, l->of.M};
    for (int which = 0; which < 3; which++)
        for (int k = 0; k < n; k++) {
            const double *row = l->exact + ((size_t)which * (size_t)n + (size_t)k) * (size_t)n;
            for (int j = 0; j < n; j++)
                to[which][(size_t)l->place[i][k] * (size_t)l->of.n + (size_t)l->place[i][j]] =
                    row[j];
        }
    for (int k = 0; k < x->p.n_q; k++)
        x->force[k] = part_holds(&x->p, k) ? 0.0 : fabs(l->exact[k * (n + 1)]) * x->p.unit[k];
    return true;
}

// Sections follow the shape: what they do is stiffness too.
static void add_stretches(td_linearisation *l, int i) {
    linear_point *x = &l->parts[i];
    const int n = part_n(&x->p);
    for (int which = 0; which < x->p.n_stretches; which++) {
        for (int k = 0; k < n; k++) l->rhs[k] = linear_stretch_slope(x, which, BY_Z, k);
        linear_by_stretch(x, which, l->column);
        for (int k = 0; k < n * n; k++)
            l->of.K[(size_t)l->place[i][k / n] * (size_t)l->of.n + (size_t)l->place[i][k % n]] +=
                l->column[k / n] * l->rhs[k % n];
    }
}

static void fill_inputs(td_linearisation *l, int i) {
    linear_point *x = &l->parts[i];
    const linear_observer o = linear_residual(x);
    for (int by = 0; by < 3; by++)
        for (int k = 0; k < x->n_inputs; k++) {
            linear_slope(x, &o, (linear_by)(BY_U + by), k, l->column, 1);
            scatter(l, i, k, l->of.B[by], l->of.n_u, -1.0);
        }
}

// Coordinates are those of places, and what rates are of is the material that is fed past them: with kappa u' beside z',
//
//     B1 -= D kappa,  B2 -= M kappa,  F1 += C1 kappa,  F2 += C2 kappa
static void add_fed(td_linearisation *l, int i) {
    linear_point *x = &l->parts[i];
    linear_matrices *of = &l->of;
    double *kappa = l->rhs;
    for (int k = 0; k < of->n_u; k++) {
        linear_fed(x, k, kappa);
        for (int j = 0; j < x->p.n_q; j++) {
            const int at = l->place[i][j];
            if (kappa[j] == 0.0) continue;
            for (int n = 0; n < of->n; n++) {
                of->B[1][n * of->n_u + k] -= of->D[n * of->n + at] * kappa[j];
                of->B[2][n * of->n_u + k] -= of->M[n * of->n + at] * kappa[j];
            }
            for (int n = 0; n < of->n_y; n++) {
                of->F[1][n * of->n_u + k] += of->C[1][n * of->n + at] * kappa[j];
                of->F[2][n * of->n_u + k] += of->C[2][n * of->n + at] * kappa[j];
            }
        }
    }
}

// By how much r misses, as an angle.
static double missed(const linear_point *x, const double *r) {
    double most = 0.0, stiffest = 0.0;
    for (int k = 0; k < x->p.n_q; k++)
        if (x->force[k] > 0.0) stiffest = fmax(stiffest, x->force[k] * x->p.unit[k]);
    for (int k = 0; k < x->p.n_q; k++)
        if (x->force[k] > 0.0 && x->force[k] * x->p.unit[k] > ROUNDED * stiffest)
            most = fmax(most, fabs(r[k]) / x->force[k]);
    return most;
}

// ---------------------------------------------------------------- accelerations
// Where it is no equilibrium: a and the multipliers l of
//
//     M a + G l = -r,     C a = -(d^2/dt^2 of the equations along the motion), where they do not give way
//     E l = -equations, where they do
//
// which tells the two kinds of equations apart by the singular values of E.
static double equations_curve(td_linearisation *l, int i, double *out) {
    static const double weights[5] = {-1.0 / 12.0, 16.0 / 12.0, -30.0 / 12.0, 16.0 / 12.0,
                                      -1.0 / 12.0};
    linear_point *x = &l->parts[i];
    const int n = part_n(&x->p);
    double speed = 0.0;
    for (int k = 0; k < x->p.n_q; k++)
        if (!part_holds(&x->p, k)) speed = fmax(speed, fabs(x->v[k]) / x->p.unit[k]);
    for (int k = 0; k < x->n_inputs; k++) speed = fmax(speed, fabs(x->u[1][k]));
    for (int k = 0; k < n; k++) out[l->place[i][k]] = 0.0;
    const double e = AHEAD / speed;
    for (int j = 0; j < 5 && speed > 0.0; j++) {
        linear_along(x, (j - 2) * e, l->column);
        for (int k = 0; k < n; k++) out[l->place[i][k]] += weights[j] / (e * e) * l->column[k];
    }
    return speed;
}

// Rows and columns with 1 as their largest number; columns become `by` times what they are.
static void equilibrate(int n, double *A, double *b, double *by) {
    for (int k = 0; k < n; k++) {
        double most = 0.0;
        for (int i = 0; i < n; i++) most = fmax(most, fabs(A[i * n + k]));
        by[k] = most > 0.0 ? 1.0 / most : 1.0;
        for (int i = 0; i < n; i++) A[i * n + k] *= by[k];
    }
    for (int i = 0; i < n; i++) {
        double most = 0.0;
        for (int k = 0; k < n; k++) most = fmax(most, fabs(A[i * n + k]));
        for (int k = 0; k < n && most > 0.0; k++) A[i * n + k] /= most;
        if (most > 0.0) b[i] /= most;
    }
}

// With the equations C and E of the multipliers turned by U', into the rows of l->solve.
static bool put_equations(td_linearisation *l, const double *curve) {
    const linear_matrices *of = &l->of;
    const int n = of->n, n_q = of->n_q, k = n - n_q;
    for (int i = 0; i < k; i++) {
        double most = 0.0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(of->K[(n_q + i) * n + j]));
        for (int j = 0; j < k; j++)
            l->E[i * k + j] = most > 0.0 ? of->K[(n_q + i) * n + n_q + j] / most : 0.0;
    }
    if (!pencil_svd(k, k, l->E, l->singular, l->U, l->V, l->work)) return false;
    for (int j = 0; j < k; j++) {
        double *row = l->solve + (size_t)(n_q + j) * (size_t)n;
        const bool gives = l->singular[j] > GIVES_WAY;
        memset(row, 0, sizeof(double) * (size_t)n);
        l->rhs[n_q + j] = 0.0;
        for (int i = 0; i < k; i++) {
            const double u = l->U[i * k + j];
            for (int c = gives ? n_q : 0; c < (gives ? n : n_q); c++)
                row[c] += u * of->K[(n_q + i) * n + c];
            l->rhs[n_q + j] -= u * (gives ? l->r[n_q + i] : curve[n_q + i]);
        }
    }
    return true;
}

// l->r: the residual without accelerations.
static bool find_accelerations(td_linearisation *l) {
    linear_matrices *of = &l->of;
    const int n = of->n, n_q = of->n_q;
    double *curve = of->z_tt;  // until they are found
    for (int i = 0; i < l->n_parts; i++) equations_curve(l, i, curve);
    for (int i = 0; i < n_q; i++) {
        l->rhs[i] = -l->r[i];
        for (int k = 0; k < n; k++)
            l->solve[i * n + k] = k < n_q ? of->M[i * n + k] : of->K[i * n + k];
    }
    if (n > n_q && !put_equations(l, curve)) return false;
    equilibrate(n, l->solve, l->rhs, of->z_tt);
    if (!pencil_least_squares(n, l->solve, l->rhs, 1e-12, l->singular, l->work)) return false;
    for (int k = 0; k < n; k++) of->z_tt[k] *= l->rhs[k];
    return true;
}

// Into the parts: accelerations, and multipliers by which the present ones change.
static void take_accelerations(td_linearisation *l) {
    for (int i = 0; i < l->n_parts; i++) {
        linear_point *x = &l->parts[i];
        memset(x->dz, 0, sizeof(double) * (size_t)x->p.n_q);
        memset(x->dz_t, 0, sizeof(double) * (size_t)x->p.n_q);
        memset(x->dz_tt, 0, sizeof(double) * (size_t)x->p.n_q);
        for (int k = 0; k < part_n(&x->p); k++) {
            const double value = l->of.z_tt[l->place[i][k]];
            if (k >= x->p.n_q) x->l[k - x->p.n_q] += value;
            else if (part_holds(&x->p, k)) x->dz[k] = value;
            else x->dz_tt[k] = value;
        }
        part_shift(&x->p, x->q, 1.0, x->dz, x->tq);
        copy_doubles(x->p.n_x, x->q, x->tq);
        part_carry(&x->p, x->q, x->v, x->dz_t, x->dz_tt, x->dv, x->a);
        part_read_accelerations(&x->p, x->q, x->v, x->a, x->dz_tt);
        for (int k = 0; k < part_n(&x->p); k++)
            l->of.z_tt[l->place[i][k]] = k < x->p.n_q && !part_holds(&x->p, k) ? x->dz_tt[k] : 0.0;
        x->rests = false;
    }
}

// ---------------------------------------------------------------- all of it
static void clear(td_linearisation *l) {
    linear_matrices *m = &l->of;
    const size_t n = (size_t)m->n, n_u = (size_t)m->n_u, n_y = (size_t)m->n_y;
    double *const square[] = {m->M, m->D, m->K};
    for (int i = 0; i < 3; i++) {
        memset(square[i], 0, sizeof(double) * n * n);
        memset(m->B[i], 0, sizeof(double) * n * n_u);
        memset(m->C[i], 0, sizeof(double) * n_y * n);
        memset(m->F[i], 0, sizeof(double) * n_y * n_u);
    }
    memset(m->z_tt, 0, sizeof(double) * n);
}

// l->r: is it none?
static bool find_balance(td_linearisation *l) {
    bool balanced = true;
    for (int i = 0; i < l->n_parts; i++) {
        linear_point *x = &l->parts[i];
        linear_balance(x, l->column);
        balanced = balanced && missed(x, l->column) < BALANCED;
        for (int k = 0; k < part_n(&x->p); k++) l->r[l->place[i][k]] = l->column[k];
        const bool drives_too = linear_drives_balance(l, i), rested = linear_flows_balance(l, i);
        balanced = balanced && drives_too && rested;
    }
    return balanced;
}

// What rests where static friction would not let it may rest under the friction of motion, which is none there
// (virtual_power): an equilibrium of steps, about which their small motions are.
static bool rests_as_it_moves(td_linearisation *l, bool still) {
    for (int i = 0; i < l->n_parts; i++) l->parts[i].rests = false;
    return find_balance(l) && still;
}

static bool fill_matrices(td_linearisation *l, td_state *state) {
    bool still = true;
    for (int i = 0; i < l->n_parts; i++) {
        linear_point *x = &l->parts[i];
        load_part(l, state, i, &still);
        for (int k = 0; k < x->p.n_q; k++)
            if (!part_holds(&x->p, k)) l->of.unit[l->place[i][k]] = x->p.unit[k];
        if (!fill_exactly(l, i)) {
            fill_part(l, i, BY_Z, l->of.K);
            fill_part(l, i, BY_Z_TT, l->of.M);
        }
        add_stretches(l, i);
        linear_drives_fill(l, i);
        linear_flows_fill(l, i);
    }
    const bool balanced = find_balance(l) && still;
    l->rests = balanced || rests_as_it_moves(l, still);
    l->of.potential = drives_n_numbers(l->system) == 0;
    for (int i = 0; i < l->n_parts; i++)
        l->of.potential = l->of.potential && linear_has_potential(&l->parts[i]);
    if (!l->rests) {
        if (!find_accelerations(l)) return false;
        take_accelerations(l);
    }
    if (!balanced) {
        for (int i = 0; i < l->n_parts; i++) {
            if (!fill_exactly(l, i)) fill_part(l, i, BY_Z, l->of.K);
            add_stretches(l, i);
        }
    }
    for (int i = 0; i < l->n_parts; i++) {
        if (!linear_is_exact(&l->parts[i])) fill_part(l, i, BY_Z_T, l->of.D);
        fill_inputs(l, i);
        linear_drives_fill(l, i);
    }
    return true;
}

void remember_poses(td_linearisation *l, const td_state *state) {
    for (int i = 0; i < l->n_named; i++)
        if (l->outputs[i].quantity == TD_OUTPUT_POSE)
            l->poses[i] = sample_of_output(l->system, state, &l->outputs[i]).pose;
}

// What outputs may answer to: 1 z and u, 2 z' and u' too, 3 z'' and u'' too.
int orders_of_outputs(const td_linearisation *l) {
    int orders = 1;
    for (int i = 0; i < l->n_named; i++) {
        const td_quantity q = l->outputs[i].quantity;
        if (q == TD_OUTPUT_VELOCITY && orders < 2) orders = 2;
        if (q == TD_OUTPUT_EFFORT || q == TD_OUTPUT_REACTION) orders = 3;
    }
    return orders;
}

bool outputs_exactly(td_linearisation *l, int part) {
    linear_point *x = &l->parts[part];
    linear_matrices *of = &l->of;
    const int n = part_n(&x->p);
    const size_t size = (size_t)of->n_y * (size_t)n, inputs = (size_t)of->n_y * (size_t)of->n_u;
    output_slopes s = {l->outputs, l->n_named, n, of->n_u, l->exact_outputs, NULL, NULL};
    if (x->p.n_slopes == 0) return false;
    memset(s.by_z, 0, sizeof(double) * (2 * size + inputs));
    s.by_rate = s.by_z + size, s.by_input = s.by_rate + size;
    if (!linear_outputs(x, &s, l->exact_scratch)) return false;
    for (int j = 0; j < of->n_y; j++)
        for (int k = 0; k < n; k++) {
            of->C[0][j * of->n + l->place[part][k]] = s.by_z[j * n + k];
            of->C[1][j * of->n + l->place[part][k]] = s.by_rate[j * n + k];
        }
    for (size_t k = 0; k < inputs; k++) of->F[0][k] += s.by_input[k];
    return true;
}

#define NO_ANSWER 1e-8  // of the largest answer to a coordinate: rounding of a difference

// Poses and velocities follow from coordinates and rates alone, and strains in models that have them so: what differences find
// beside is rounding, and no answer to an effort.
void outputs_without_efforts(td_linearisation *l) {
    const linear_matrices *of = &l->of;
    const int n_q = td_n_coordinates(l->system);
    for (int i = 0, y = 0; i < l->n_named; y += td_output_size(l->outputs[i++].quantity)) {
        const td_quantity q = l->outputs[i].quantity;
        const bool moves = q == TD_OUTPUT_POSE || q == TD_OUTPUT_VELOCITY;
        if (!moves && q != TD_OUTPUT_STRAIN) continue;
        for (int r = y; r < y + td_output_size(q); r++) {
            double *row = of->C[0] + (size_t)r * (size_t)of->n, most = 0.0;
            for (int k = 0; k < n_q; k++) most = fmax(most, fabs(row[k]));
            for (int k = n_q; k < of->n; k++)
                if (moves || fabs(row[k]) <= NO_ANSWER * most) row[k] = 0.0;
        }
    }
}

// The slopes of the outputs; those of inputs once, the same inputs go to all parts.
static void fill_outputs(td_linearisation *l, td_state *state) {
    linear_matrices *of = &l->of;
    const int orders = orders_of_outputs(l);
    remember_poses(l, state);
    for (int i = 0; i < l->n_parts && l->n_named; i++) {
        observation context = {.l = l, .state = state, .part = i};
        const linear_observer o = {observe, &context, of->n_y, orders < 3};
        linear_point *x = &l->parts[i];
        const bool exact = outputs_exactly(l, i);
        linear_drives_outputs(l, i, &o, false);
        if (orders == 3) linear_flows_outputs(l, i, &o);
        for (int by = 0; by < orders; by++) {
            for (int k = 0; k < part_n(&x->p) && !exact; k++)
                linear_slope(x, &o, (linear_by)(BY_Z + by), k, of->C[by] + l->place[i][k], of->n);
            for (int k = 0; k < x->n_inputs; k++) {
                if (exact && !l->system->rate_matters[k]) continue;
                linear_slope(x, &o, (linear_by)(BY_U + by), k, l->column, 1);
                for (int j = 0; j < of->n_y; j++)
                    if (i == 0 || l->column[j] != 0.0) of->F[by][j * of->n_u + k] = l->column[j];
            }
        }
    }
    outputs_without_efforts(l);
    linear_drives_tell(l);
}

static bool all_finite(const linear_matrices *m) {
    const size_t n = (size_t)m->n, n_u = (size_t)m->n_u, n_y = (size_t)m->n_y;
    const double *const all[] = {m->M,    m->D,    m->K,    m->B[0], m->B[1], m->B[2],
                                 m->C[0], m->C[1], m->C[2], m->F[0], m->F[1], m->F[2]};
    const size_t sizes[] = {n * n,   n * n,   n * n,   n * n_u,   n * n_u,   n * n_u,
                            n_y * n, n_y * n, n_y * n, n_y * n_u, n_y * n_u, n_y * n_u};
    for (int i = 0; i < 12; i++)
        if (!dense_is_finite(sizes[i], all[i])) return false;
    return true;
}

static void note_held(td_linearisation *l) {
    const td_system *system = l->system;
    l->note[0] = '\0';
    if (linear_drives_note(l, l->note, sizeof l->note)) return;
    if (system->obstacles.n > 0)
        snprintf(l->note, sizeof l->note,
                 "what touches an obstacle now stays on it, what does not stays free; what sticks "
                 "is a spring, what slides a force");
    for (int i = 0; i < system->n_actuators; i++) {
        if (!actuator_rubs(&system->actuators[i])) continue;
        snprintf(l->note, sizeof l->note,
                 "%s '%.60s' rubs: what sticks is a spring, what slides a force, as they are now",
                 system->actuators[i].words->word, system->actuators[i].name);
        return;
    }
}

// Are the slopes of all parts exact?
static bool has_slopes(const td_system *system) {
    for (int i = 0; i < solver_n_parts(system); i++)
        if (solver_moving(system, NULL, i).n_slopes == 0) return false;
    return true;
}

// Strains that follow from where bases are, not from coordinates alone.
static bool relaxes_on_moved_bases(const td_system *system) {
    bool moves = false;
    for (int k = 0; k < system->n_inputs; k++) moves = moves || system->rate_matters[k];
    for (int i = 0; i < solver_n_parts(system) && moves; i++) {
        const solve_part p = solver_moving(system, NULL, i);
        if (p.n_flows > 0 && p.n_bases > 0) return true;
    }
    return false;
}

// What has no derivative, of steps or of small motions.
td_status refuse_motion(const td_system *system, td_state *state) {
    char scheme[32];
    // differences reach across the edge of what is pressed
    if (has_contact(system) && !has_slopes(system))
        return tell(state->message, TD_ERR_UNSUPPORTED,
                    "the robot has obstacles or contacts, and here contact has no linearisation: "
                    "'cosserat', without friction of tendons, and 'virtual_power' have one with "
                    "obstacles; 'eba', 'ebr' and 'srl' one of parts that touch one another, too");
    if (system->remembers_ways)
        return tell(
            state->message, TD_ERR_UNSUPPORTED,
            "a material of the robot remembers which way it went (hysteresis, a superelastic "
            "alloy), and that is not among the coordinates: small motions and steps have no "
            "derivative; of materials that relax they have");
    if (system->fed_relaxing)
        return tell(
            state->message, TD_ERR_UNSUPPORTED,
            "rod '%s' is fed by an input and its material relaxes: what comes out of the base is "
            "bent at once, and small motions and steps of that have no derivative",
            system->fed_relaxing);
    if (relaxes_on_moved_bases(system))
        return tell(state->message, TD_ERR_UNSUPPORTED,
                    "a material of the robot relaxes and inputs move bases: in absolute states "
                    "('eba') small motions and steps then have no derivative; 'cosserat', 'ebr', "
                    "'srl' and 'rom' have one");
    if (td_n_coordinates(system) > 0) return TD_OK;
    td_get_option(&system->options, "simulation.space.scheme", scheme, sizeof scheme);
    return tell(state->message, TD_ERR_UNSUPPORTED,
                "the spatial scheme '%s' of '%s' has no linearisation; 'collocation' has", scheme,
                system->model->name);
}

// What passes is told about rest alone.
static td_status refuse_feeding(const td_linearisation *l, td_state *state) {
    const td_system *system = l->system;
    bool rests = l->rests;
    for (int k = 0; k < system->n_inputs; k++)
        rests = rests && !(system->rate_matters[k] && state->rates_before[k] != 0.0);
    for (int i = 0; i < system->rods.n && !rests; i++)
        if (system->fed[i])
            return tell(state->message, TD_ERR_UNSUPPORTED,
                        "rod '%s' is fed by an input: it is linearised about an equilibrium with "
                        "inputs that rest, and this state moves",
                        system->rods.names[i]);
    return TD_OK;
}

td_status td_linearise(const td_system *system, td_state *state, td_linearisation *l) {
    state_begin(system, state);
    l->known = false;
    l->modes.n = 0;
    l->told_steps = (td_step_map){0};
    if (l->system != system)
        return tell(state->message, TD_ERR_ARGUMENT, "the linearisation is of another system");
    td_status possible = refuse_motion(system, state);
    if (possible < 0) return possible;
    linear_resize(l, true);
    clear(l);
    const bool found = fill_matrices(l, state);
    memcpy(state->keep, state->backup, system->keep_bytes);
    if (found) fill_outputs(l, state);
    memcpy(state->keep, state->backup, system->keep_bytes);
    if (found) possible = refuse_feeding(l, state);
    if (possible < 0) return possible;
    for (int i = 0; i < l->n_parts && found; i++) add_fed(l, i);
    if (!found || !all_finite(&l->of)) {
        snprintf(state->message, sizeof state->message,
                 found ? "the state has no linearisation: a slope is not finite"
                       : "the accelerations of the state were not found");
        return found ? TD_ERR_NOT_FINITE : TD_ERR_SINGULAR;
    }
    note_held(l);
    const linear_matrices *m = &l->of;
    l->told = (td_linear){m->n_q,  m->n - m->n_q, m->n_u,  m->n_y,  m->M,      m->D,    m->K,
                          m->B[0], m->B[1],       m->B[2], m->C[0], m->C[1],   m->C[2], m->F[0],
                          m->F[1], m->F[2],       m->z_tt, l->note, l->n_flows};
    l->known = true;
    return TD_OK;
}

const td_linear *td_get_linear(const td_linearisation *l) {
    return l->known ? &l->told : NULL;
}

// ---------------------------------------------------------------- modes
const char *td_linearisation_message(const td_linearisation *l) {
    return l->message;
}

// What is asked of the last td_linearise: there must be one.
static td_status begin_question(td_linearisation *l) {
    l->message[0] = '\0';
    if (l->known) return TD_OK;
    return tell(l->message, TD_ERR_ARGUMENT,
                "nothing has been linearised: td_linearise comes first");
}

static td_status refuse_unrest(td_linearisation *l, const char *what) {
    return tell(l->message, TD_ERR_VALUE,
                "the state was no equilibrium, about which alone there is %s", what);
}

td_status td_solve_modes(td_linearisation *l, int n) {
    l->modes.n = 0;
    const td_status asked = begin_question(l);
    if (asked < 0) return asked;
    if (n < 0)
        return tell(l->message, TD_ERR_ARGUMENT,
                    "n = %d modes: a number above 0 is expected, or 0 for all", n);
    if (!l->rests) return refuse_unrest(l, "a mode");
    if (modes_solve(&l->of, &l->modes, n)) return TD_OK;
    return tell(l->message, TD_ERR_SINGULAR, "the modes were not found");
}

int td_n_modes(const td_linearisation *l) {
    return l->modes.n;
}

td_mode td_get_mode(const td_linearisation *l, int mode) {
    if (mode < 0 || mode >= l->modes.n) return (td_mode){.kind = TD_MODE_NEUTRAL};
    return l->modes.found[mode].mode;
}

td_status td_get_mode_shape(td_linearisation *l, int mode, double *z, double *y) {
    const td_status asked = begin_question(l);
    if (asked < 0) return asked;
    if (mode < 0 || mode >= l->modes.n)
        return tell(l->message, TD_ERR_ARGUMENT, "mode %d: there are %d, from 0 on", mode,
                    l->modes.n);
    if (modes_shape(&l->of, &l->modes, mode, z ? z : l->modes.X, y)) return TD_OK;
    return tell(l->message, TD_ERR_SINGULAR, "mode %d has no shape", mode);
}

td_status td_get_frequency_response(td_linearisation *l, double omega, double *H) {
    const td_status asked = begin_question(l);
    if (asked < 0) return asked;
    if (!isfinite(omega))
        return tell(l->message, TD_ERR_ARGUMENT, "omega = %g rad/s: a finite number is expected",
                    omega);
    if (modes_response(&l->of, &l->modes, omega, H)) return TD_OK;
    return tell(l->message, TD_ERR_SINGULAR,
                "no response at %g rad/s: a mode is there that nothing damps", omega);
}

// ---------------------------------------------------------------- steps
// Rates of inputs are not among those of a step map.
static bool moves_bases(const linear_matrices *m) {
    for (int by = 1; by < 3; by++)
        for (int i = 0; i < m->n * m->n_u; i++)
            if (m->B[by][i] != 0.0) return true;
    return false;
}

static td_status refuse_step_map(td_linearisation *l, double dt) {
    if (!(dt > 0.0) || !isfinite(dt))
        return tell(l->message, TD_ERR_ARGUMENT, "dt = %g s: a finite number above 0 is expected",
                    dt);
    if (!l->rests)
        return refuse_unrest(l, "a map of steps; td_differentiate_step has those of motions");
    if (l->system->options.integration.method != TD_STEPS_FIXED && !l->system->model->step)
        return tell(l->message, TD_ERR_UNSUPPORTED,
                    "a step of %g s has no derivative: simulation.integration.method: fixed has",
                    dt);
    if (l->n_flows > 0)
        return tell(l->message, TD_ERR_UNSUPPORTED,
                    "a step of %g s has no derivative here: a material of the robot relaxes, by "
                    "what it does within a step; td_differentiate_step has it",
                    dt);
    if (moves_bases(&l->of))
        return tell(l->message, TD_ERR_UNSUPPORTED,
                    "a step of %g s has no derivative here: inputs move bases or feed rods, and "
                    "their rates are not among those of this map; td_differentiate_step has them",
                    dt);
    return TD_OK;
}

td_status td_solve_step_map(td_linearisation *l, double dt) {
    l->told_steps = (td_step_map){0};
    td_status status = begin_question(l);
    if (status >= 0) status = refuse_step_map(l, dt);
    if (status < 0) return status;
    const step_scheme s = scheme_of_steps(l->system, dt);
    step_map *m = &l->steps;
    if (!step_map_make(&l->of, &s, m))
        return tell(l->message, TD_ERR_SINGULAR,
                    "a step of %g s has no derivative: its matrix is singular", dt);
    l->told_steps =
        (td_step_map){m->n_states, m->A, m->B[1], m->B[0], m->C, m->D[1], m->D[0], .rates = NULL};
    return TD_OK;
}

const td_step_map *td_get_step_map(const td_linearisation *l) {
    return l->told_steps.n_states || l->told_steps.D ? &l->told_steps : NULL;
}
