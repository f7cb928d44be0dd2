// model/rom/measured.c - the shape of a rod from measured points (Sadati 2019, after (4): "an inverse
// problem to find the initial value of the polynomial coefficients").
//
// Springs pull the rod to its points, a thousand million times stiffer than its bending: points
// decide what they can, and of all shapes through them the rod takes that of least energy, twist
// among it. The way there begins with polynomials through the points and frames that follow them
// without twist; where that leads nowhere, as with few points, with the rest shape and springs that
// grow stiffer.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "model/rom/fit.h"
#include "model/rom/rom.h"

#define STIFFER 1e9  // all springs, by bending EI/L^3
#define SOFT 30.0    // the first of growing springs, in the same unit
#define GROWTH 30.0
#define SMOOTH 1e-8  // weight of high orders where points do not decide
#define LONGEST 0.5  // that a correction may move a coordinate by
#define MOST 60      // corrections
#define HALVINGS 25  // of one
#define DONE 1e-11   // correction
#define CLOSE 1e-7   // a correction at which a failed search for less energy is the end

typedef struct measured {
    const rom_rod *r;
    rod_memory *m;
    const double *points, *s;  // world; s NULL: by distances
    int n;
    base_motion base;
    double whole;   // m, all distances between points
    double spring;  // N/m
    situation at;
} measured;

typedef struct cursor {  // over the points, from the base on
    double way;          // m, distance covered
    vec3 last;
} cursor;

// Point i, in the frame of the base, and its place on the rod.
static vec3 next_point(const measured *f, int i, cursor *c, double *s) {
    const vec3 x = vec3_sub(vec3_load(f->points + 3 * i), f->base.pose.p);
    const vec3 p = mat3_tmul_vec(&f->base.pose.R, x);
    c->way += vec3_norm(vec3_sub(p, c->last));
    c->last = p;
    *s = f->s ? f->s[i] : f->r->curve.length * fmin(1.0, c->way / f->whole);
    return p;
}

static void measure_way(measured *f) {
    cursor c = {0};
    double s;
    f->whole = 1.0;
    for (int i = 0; i < f->n; i++) next_point(f, i, &c, &s);
    f->whole = c.way;
}

// ---------------------------------------------------------------- the first shape
static void fit_positions(const measured *f, double *q) {
    const curve *c = &f->r->curve;
    fit x = {.n = c->n_p};
    cursor along = {0};
    for (int i = 0; i < f->n; i++) {
        double s, rows[4 * MOST_FUNCTIONS];
        place at;
        const vec3 p = next_point(f, i, &along, &s);
        curve_fill_place(c, s, rows, &at);
        fit_add(&x, at.phi, 1.0, vec3_sub(p, at.p));
    }
    for (int i = 0; i < c->n_p; i++) {
        double row[MOST_FUNCTIONS] = {0.0};
        row[i] = c->length;
        fit_add(&x, row, SMOOTH * f->n * pow(i % (c->n_p / c->n_parts) + 1.0, 4.0),
                vec3_scale(vec3_load(c->rest + 3 * i), c->length));
    }
    fit_solve(&x, q);
}

// Frames along the curve, each turned from the last by no more than the tangent asks for.
static void fit_turns(const measured *f, double *q) {
    const curve *c = &f->r->curve;
    fit x = {.n = c->n_a};
    quat frame = quat_identity();
    vec3 a = vec3_zero();
    for (int i = 0; i < c->n_rule; i++) {
        const place *at = &c->places[i];
        vec3 tangent = at->p_s;
        for (int k = 0; k < c->n_p; k++)
            tangent = vec3_madd(tangent, at->phi_s[k], vec3_load(q + 3 * k));
        const vec3 z = quat_rotate(frame, (vec3){0.0, 0.0, 1.0});
        frame = quat_normalise(quat_mul(quat_between(z, tangent), frame));
        const mat3 R = quat_to_mat3(frame);
        a = turn_parameters(c->kind, &R, a);
        fit_add(&x, at->psi, c->sections[i].weight, a);
    }
    fit_solve(&x, q + 3 * c->n_p);
}

// ---------------------------------------------------------------- energy and its slopes
// Of springs; with Q and K also their forces and stiffness. Sum of squares of distances in
// *squares.
static double add_springs(const measured *f, const double *q, double *Q, double *K,
                          double *squares) {
    const curve *c = &f->r->curve;
    cursor along = {0};
    *squares = 0.0;
    for (int i = 0; i < f->n; i++) {
        double s, rows[4 * MOST_FUNCTIONS];
        place at;
        const vec3 goal = next_point(f, i, &along, &s);
        curve_fill_place(c, s, rows, &at);
        vec3 p = at.p;
        for (int k = 0; k < c->n_p; k++) p = vec3_madd(p, at.phi[k], vec3_load(q + 3 * k));
        const vec3 gap = vec3_sub(goal, p);
        *squares += vec3_dot(gap, gap);
        if (Q) curve_spread(c, &at, &(pull){.p = vec3_scale(gap, f->spring)}, Q);
        for (int k = 0; k < c->n_p * c->n_p && K; k++) {
            const int row = k / c->n_p, column = k % c->n_p;
            for (int axis = 0; axis < 3; axis++)
                K[(3 * row + axis) * c->n_q + 3 * column + axis] +=
                    f->spring * at.phi[row] * at.phi[column];
        }
    }
    return 0.5 * f->spring * *squares;
}

static double energy_of(const measured *f, const double *q) {
    const curve *c = &f->r->curve;
    double squares, sum = add_springs(f, q, NULL, NULL, &squares);
    curve_move(c, q, NULL, NULL, f->m->moved);
    for (int i = c->station; i < c->station_end; i++)
        sum +=
            c->sections[i].weight * curve_material_energy(c, f->m->stretched, i, &f->m->moved[i]);
    return sum;
}

// solve.dz downhill from q: by the whole tangent, or where that does not lead down by the
// material's.
static bool find_step(const measured *f, const double *q) {
    rod_memory *m = f->m;
    const int n = f->r->curve.n_q;
    double squares;
    for (int material = 0; material < 2; material++) {
        rod_forces(f->r, m, &f->at, q, NULL);
        const tangent_weights w = {.q = !material, .own = material};
        rod_tangent(f->r, m, &f->at, &w, n, m->solve.matrix);
        add_springs(f, q, m->Q, m->solve.matrix, &squares);
        memcpy(m->solve.dz, m->Q, sizeof(double) * (size_t)n);
        if (!lu_factor(n, m->solve.matrix, m->solve.pivot)) continue;
        lu_solve(n, m->solve.matrix, m->solve.pivot, m->solve.dz);
        double down = 0.0;
        for (int k = 0; k < n; k++) down += m->Q[k] * m->solve.dz[k];
        if (down > 0.0 && isfinite(down)) return true;
    }
    return false;
}

// One correction, shortened until the energy falls; its size. 0: there is none.
static double correct(const measured *f, double *energy) {
    rod_memory *m = f->m;
    const int n = f->r->curve.n_q;
    if (!find_step(f, m->solve.q)) return 0.0;
    const double size = dense_largest(n, m->solve.dz);
    double share = size > LONGEST ? LONGEST / size : 1.0;
    for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
        rod_correct(f->r, m, m->solve.q, share, m->solve.dz, m->solve.next);
        const double next = energy_of(f, m->solve.next);
        if (!(next < *energy) && !(size < CLOSE && next <= *energy * (1.0 + 1e-12))) continue;
        memcpy(m->solve.q, m->solve.next, sizeof(double) * (size_t)n);
        *energy = next;
        return size;
    }
    return size < CLOSE ? 0.0 : size;
}

// The least energy from the present shape on; the last correction.
static double descend(const measured *f, int *iterations) {
    double energy = energy_of(f, f->m->solve.q), size = 1.0;
    for (int i = 0; i < MOST && size > DONE; i++, (*iterations)++) size = correct(f, &energy);
    return size;
}

// ---------------------------------------------------------------- all of it
static double bending_of(const curve *c) {
    double most = 0.0;
    for (int i = 0; i < c->n_rule; i++)
        most = fmax(most, fmax(c->sections[i].law.stiffness[0], c->sections[i].law.stiffness[1]));
    return most / (c->length * c->length * c->length);
}

static double find_shape(measured *f, int *iterations) {
    const curve *c = &f->r->curve;
    const double unit = bending_of(c) / f->n;
    f->spring = STIFFER * unit;
    fit_positions(f, f->m->solve.q);
    fit_turns(f, f->m->solve.q);
    double size = descend(f, iterations);
    if (size <= CLOSE) return size;
    memcpy(f->m->solve.q, c->rest, sizeof(double) * (size_t)c->n_q);
    for (double k = SOFT; k < STIFFER; k *= GROWTH) {
        f->spring = k * unit;
        descend(f, iterations);
    }
    f->spring = STIFFER * unit;
    return descend(f, iterations);
}

td_status rom_fit(const void *compiled, void *memory, const model_call *call, int rod,
                  const double *points, const double *s, int n) {
    const rom *c = compiled;
    rom_memory *all = memory;
    measured f = {.r = &c->rods[rod], .m = &all->rods[rod], .points = points, .s = s, .n = n};
    double squares;
    f.at = rom_situation(c, f.r, f.m, call->inputs);
    f.at.share = 0.0;
    f.at.idle = f.at.alone = true;
    f.base = f.at.base;
    measure_way(&f);
    if (!(f.whole > 0.0))
        return tell(call->message, TD_ERR_ARGUMENT, "rod '%s': all points lie at its base",
                    f.r->name);
    memset(f.m->solve.v, 0, sizeof(double) * (size_t)f.r->n_q);
    memset(f.m->solve.l, 0, sizeof(double) * (size_t)f.r->curve.n_unknown);
    curve_unstretched(&f.r->curve, f.m->stretched);
    const double size = find_shape(&f, &call->stats->iterations);
    add_springs(&f, f.m->solve.q, NULL, NULL, &squares);
    call->stats->residual = sqrt(squares / n);
    td_status status = rod_check(f.r, f.m->solve.q, call->message);
    if (status < 0) return status;
    if (size <= CLOSE) return TD_OK;
    return tell(
        call->message, TD_LOOSE,
        "rod '%s': the search ended with corrections of %.2g left; points come within %.3g m",
        f.r->name, size, call->stats->residual);
}
