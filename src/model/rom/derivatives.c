// model/rom/derivatives.c - how an equilibrium answers to its inputs and to a wrench, whether it is
// stable, and which forces a wanted motion asks for.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/dense.h"
#include "math/positive.h"
#include "math/symmetric.h"
#include "model/rom/rom.h"

// Rotation and translation in the world of a point under the change dq and a motion of the base.
static void motion_under(const rom_rod *r, const rod_memory *m, const base_motion *base, double s,
                         const double *dq, double *out, int stride) {
    place_motion p = curve_at(&r->curve, s, m->q, dq, NULL);
    double moved[6];
    base_carry(base, &p);
    const mat3 world = mat3_mul(&base->pose.R, &p.turn.R);
    vec3_store(moved, mat3_mul_vec(&world, p.w));
    vec3_store(moved + 3, mat3_mul_vec(&base->pose.R, p.p_t));
    for (int i = 0; i < 6; i++) out[i * stride] = moved[i];
}

#define TIGHT 1e4  // by which rigid drives are stiffer here than on the way to an equilibrium

static situation situation_of(const rom *c, const rom_rod *r, const double *inputs) {
    situation at = rom_situation(c, r, inputs);
    at.tight = TIGHT;
    return at;
}

// Forces with the efforts that there are, from which stiffer drives depart; and their stiffness.
static void linearise(const rom_rod *r, rod_memory *m, const situation *at) {
    situation loose = *at;
    loose.tight = 1.0;
    rod_forces(r, m, &loose, m->q, NULL);
    for (int k = 0; k < r->curve.n_drives; k++)
        m->held[k] = m->now[k] - TIGHT * (m->now[k] - m->held[k]);
    rod_forces(r, m, at, m->q, NULL);
    rod_tangent(r, m, at, m->K, NULL);
}

static bool factor(const rom_rod *r, rod_memory *m, const situation *at) {
    curve_move(&r->curve, m->q, NULL, NULL, m->moved);
    curve_stretch(&r->curve, m->moved, m->stretched);
    linearise(r, m, at);
    return lu_factor(r->curve.n_q, m->K, m->pivot);
}

// dQ/d input by differences to one side, as a tendon that is slack only answers to being pulled;
// exact for what is linear in it. In m->step.
static void force_by_input(const rom *c, const rom_rod *r, rom_memory *all, rod_memory *m,
                           int input) {
    static const double weights[3] = {-1.5, 2.0, -0.5};
    const int n = r->curve.n_q;
    const double keep = all->within.given[input], e = 1e-4 * fmax(1.0, fabs(keep));
    memset(m->step, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < 3; i++) {
        all->within.given[input] = keep + i * e;
        const situation at = situation_of(c, r, all->within.given);
        rod_forces(r, m, &at, m->q, NULL);
        for (int k = 0; k < n; k++) m->step[k] += weights[i] / e * m->Q[k];
    }
    all->within.given[input] = keep;
}

td_status rom_jacobian(const void *compiled, void *memory, const model_call *call,
                       const model_point *at, double *J) {
    const rom *c = compiled;
    rom_memory *all = memory;
    const rom_rod *r = &c->rods[at->rod];
    rod_memory *m = &all->rods[at->rod];
    const situation now = situation_of(c, r, call->inputs);
    if (!factor(r, m, &now)) return TD_ERR_SINGULAR;
    for (int i = 0; i < c->n_inputs; i++) {
        all->within.given[i] = call->inputs[i];
        all->within.rates[i] = 0.0;
    }
    for (int i = 0; i < c->n_inputs; i++) {
        all->within.rates[i] = 1.0;
        const base_motion base = base_moved(&r->base, all->within.given, all->within.rates, NULL);
        all->within.rates[i] = 0.0;
        force_by_input(c, r, all, m, i);
        lu_solve(r->curve.n_q, m->K, m->pivot, m->step);
        motion_under(r, m, &base, at->s, m->step, J + i, c->n_inputs);
    }
    return TD_OK;
}

td_status rom_compliance(const void *compiled, void *memory, const model_call *call,
                         const model_point *at, const model_point *load, double *C) {
    const rom *c = compiled;
    const rom_rod *r = &c->rods[at->rod];
    rod_memory *m = &((rom_memory *)memory)->rods[at->rod];
    const int n = r->curve.n_q;
    memset(C, 0, sizeof(double) * 36);
    if (load->rod != at->rod) return TD_OK;
    const situation now = situation_of(c, r, call->inputs);
    if (!factor(r, m, &now)) return TD_ERR_SINGULAR;
    for (int i = 0; i < 6; i++) {
        double moved[6];
        memset(m->trial, 0, sizeof(double) * (size_t)n);
        for (int k = 0; k < n; k++) {  // virtual power of a unit wrench
            m->trial[k] = 1.0;
            motion_under(r, m, &now.base, load->s, m->trial, moved, 1);
            m->trial[k] = 0.0;
            m->step[k] = moved[i];
        }
        lu_solve(n, m->K, m->pivot, m->step);
        motion_under(r, m, &now.base, at->s, m->step, C + i, 6);
    }
    return TD_OK;
}

// ---------------------------------------------------------------- stability
static bool acts(const td_number n[3], const double *inputs) {
    return number_value(n[0], inputs) != 0.0 || number_value(n[1], inputs) != 0.0 ||
           number_value(n[2], inputs) != 0.0;
}

const char *rod_lacks_energy(const rom_rod *r, const double *inputs) {
    for (int i = 0; i < r->curve.n_loads; i++) {
        const curve_load *l = &r->curve.loads[i];
        if (acts(l->moment, inputs)) return "a load is a moment";
        if (l->follows && acts(l->force, inputs)) return "a load follows";
    }
    return NULL;
}

// a becomes L^-1 a L^-T.
static void reduce(int n, const double *L, double *a) {
    for (int side = 0; side < 2; side++)
        for (int line = 0; line < n; line++) {
            double *x = a + (side ? line * n : line);
            const int stride = side ? 1 : n;
            for (int i = 0; i < n; i++) {
                for (int k = 0; k < i; k++) x[i * stride] -= L[i * n + k] * x[k * stride];
                x[i * stride] /= L[i * n + i];
            }
        }
}

// The smallest eigenvalue of the stiffness in units of that of the material alone.
td_status rom_stability(const void *compiled, void *memory, const model_call *call,
                        double *smallest) {
    const rom *c = compiled;
    *smallest = HUGE_VAL;
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        const int n = r->curve.n_q;
        rod_memory *m = &((rom_memory *)memory)->rods[i];
        const char *lacks = rod_lacks_energy(r, call->inputs);
        if (r->curve.follows) lacks = "sections follow the mean stretch";
        if (lacks) {
            snprintf(call->message, MODEL_MESSAGE_SIZE,
                     "%s: there is no energy whose second variation could be judged", lacks);
            return TD_ERR_UNSUPPORTED;
        }
        const situation now = situation_of(c, r, call->inputs);
        linearise(r, m, &now);
        rod_material_tangent(r, m, m->K2);
        if (!positive_factor(n, m->K2)) return TD_ERR_SINGULAR;
        reduce(n, m->K2, m->K);
        tridiagonalise(n, m->K, m->step, m->trial);
        *smallest = fmin(*smallest, tridiagonal_eigenvalue(n, m->step, m->trial, 0));
    }
    return TD_OK;
}

// ---------------------------------------------------------------- inverse dynamics
td_status rom_inverse_dynamics(const void *compiled, void *memory, const model_call *call,
                               const double *q, const double *q_t, const double *q_tt,
                               double *forces, double *efforts) {
    const rom *c = compiled;
    rom_memory *all = memory;
    if (efforts) {
        snprintf(call->message, MODEL_MESSAGE_SIZE,
                 "a rod of polynomials has more coordinates than actuators; constant_curvature "
                 "finds efforts for a motion");
        return TD_ERR_UNSUPPORTED;
    }
    for (int i = 0; i < c->n_rods; i++) {
        const rom_rod *r = &c->rods[i];
        const int first = r->first;
        rod_memory *m = &all->rods[i];
        situation at = rom_situation(c, r, call->inputs);
        td_status status = rod_check(r, q + first, call->message);
        if (status < 0) return status;
        at.accelerations = q_tt + first;
        at.idle = true;
        rod_forces(r, m, &at, q + first, q_t + first);
        for (int k = 0; k < r->curve.n_q; k++) forces[first + k] = -m->Q[k];
    }
    return TD_OK;
}
