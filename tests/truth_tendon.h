// tests/truth_tendon.h - a rod with tendons in the form of Till 2019, section 5.2: strains are
// states, and (17) gives their slopes through the matrix Phi. Shooting on the internal wrench at
// the base, RK4. The denominators of f_c and l_c are cubed, and n_s has inertia, drag and weight,
// which the print lost: papers/till2019/errata.md. The stretch is carried as e = v - (0, 0, 1), so
// that the force Kse e keeps its digits. Independent of the library: it carries the total wrench
// instead.
#pragma once

#include "truth_math.h"

enum { TRUTH_TENDONS = 6 };  // most of one rod

// offset(s) = start + (end - start) s/length + radius (cos, sin)(rate s + phase), to `ends` (m).
typedef struct truth_tendon {
    double start[2], end[2];
    double radius, rate, phase;
    double ends;              // arc length where it is fixed; 0: the tip
    double tension;           // N; the first guess where `pulled`
    bool pulled;              // its tension is unknown, its displacement is given
    double pull, compliance;  // m, m/N: length of the path = length - pull + compliance * tension
    double friction;          // statics: it slides towards its start everywhere; < 0: away from it
} truth_tendon;

typedef struct truth_arm {
    truth_rod rod;
    truth_tendon tendon[TRUTH_TENDONS];
    int n_tendons;
    double force[3], moment[3];       // at the tip, world
    double tip_mass, tip_inertia[3];  // a body at the tip, its centre on the axis
    int nodes;
    bool euler;                   // instead of RK4
    truth_history history;        // e u q w e_s u_s at the nodes
    double *y;                    // (nodes x state)
    int first;                    // node where the part being integrated begins
    double x[6 + TRUTH_TENDONS];  // scaled base wrench, tensions: the last solution
    double held[TRUTH_TENDONS];   // tensions that x was found for
} truth_arm;

// State: p h e u q w, then the lengths of the tendons and their tensions.
enum {
    TRUTH_P = 0,
    TRUTH_H = 3,
    TRUTH_E = 7,
    TRUTH_U = 10,
    TRUTH_Q = 13,
    TRUTH_W = 16,
    TRUTH_LENGTHS = 19
};

static inline int truth_arm_width(const truth_arm *a) {
    return TRUTH_LENGTHS + 2 * a->n_tendons;
}

static inline double truth_arm_ds(const truth_arm *a) {
    return a->rod.length / (a->nodes - 1);
}

static inline int truth_end_node(const truth_arm *a, const truth_tendon *t) {
    return t->ends > 0.0 ? (int)lround(t->ends / truth_arm_ds(a)) : a->nodes - 1;
}

typedef struct truth_route {
    double r[3], r_s[3], r_ss[3];
} truth_route;

static inline truth_route truth_route_at(const truth_tendon *t, double length, double s) {
    double a = t->rate * s + t->phase, k = t->rate, c = t->radius * cos(a), d = t->radius * sin(a);
    double x = (t->end[0] - t->start[0]) / length, y = (t->end[1] - t->start[1]) / length;
    return (truth_route){{t->start[0] + x * s + c, t->start[1] + y * s + d, 0.0},
                         {x - k * d, y + k * c, 0.0},
                         {-k * k * c, -k * k * d, 0.0}};
}

// g = v + u x r + r_s: the tangent of the tendon's path, body frame
static inline double truth_path(const truth_route *t, const double v[3], const double u[3],
                                double g[3]) {
    truth_cross(u, t->r, g);
    for (int i = 0; i < 3; i++) g[i] += v[i] + t->r_s[i];
    return sqrt(truth_dot(g, g));
}

typedef struct truth_phi {  // of (17)
    double matrix[36], a[3], b[3];
} truth_phi;

// r^ m (from the left) and m r^ (from the right) for 3 x 3 matrices
static inline void truth_hat_left(const double r[3], const double m[9], double out[9]) {
    for (int j = 0; j < 3; j++) {
        double column[3] = {m[j], m[3 + j], m[6 + j]};
        truth_cross(r, column, column);
        for (int i = 0; i < 3; i++) out[3 * i + j] = column[i];
    }
}

static inline void truth_hat_right(const double m[9], const double r[3], double out[9]) {
    for (int i = 0; i < 3; i++) {  // row (m r^) = -(r x row)
        double row[3];
        truth_cross(m + 3 * i, r, row);
        memcpy(out + 3 * i, row, sizeof row);
    }
}

// Its load d/ds(tension t) on the rod, friction being the part along t.
static inline void truth_add_tendon(const truth_route *t, double tension, double tension_s,
                                    const double v[3], const double u[3], truth_phi *phi) {
    double g[3], A[9], G[9], H[9], x[3], y[3], l = truth_path(t, v, u, g);
    for (int i = 0; i < 3; i++)  // -g^ g^ = |g|^2 I - g g'
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = tension / (l * l * l) * ((i == j ? l * l : 0.0) - g[i] * g[j]);
    truth_hat_right(A, t->r, G);
    for (int i = 0; i < 9; i++) G[i] = -G[i];
    truth_hat_left(t->r, G, H);
    for (int i = 0; i < 3; i++) x[i] = g[i] + t->r_s[i];
    truth_cross(u, x, y);
    for (int i = 0; i < 3; i++) y[i] += t->r_ss[i];
    truth_mul(A, y, x);
    for (int i = 0; i < 3; i++) x[i] += tension_s * g[i] / l, phi->a[i] += x[i];
    truth_add_cross(t->r, x, phi->b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            phi->matrix[6 * i + j] += A[3 * i + j];
            phi->matrix[6 * i + 3 + j] += G[3 * i + j];
            phi->matrix[6 * (3 + i) + j] += G[3 * j + i];
            phi->matrix[6 * (3 + i) + 3 + j] += H[3 * i + j];
        }
}

// Capstan: tension_s = -mu tension |t_s + u x t|, with the slopes (v_s, u_s) of the strains.
static inline double truth_capstan(const truth_tendon *t, const truth_route *r, double tension,
                                   const double v[3], const double u[3], const double slope[6]) {
    double g[3], g_s[3], kappa[3], l = truth_path(r, v, u, g), along = 0.0;
    for (int i = 0; i < 3; i++) g_s[i] = slope[i] + r->r_ss[i];
    truth_add_cross(slope + 3, r->r, g_s);
    truth_add_cross(u, r->r_s, g_s);
    along = truth_dot(g, g_s) / (l * l);
    truth_cross(u, g, kappa);
    for (int i = 0; i < 3; i++) kappa[i] = (kappa[i] + g_s[i] - along * g[i]) / l;
    return -t->friction * tension * sqrt(truth_dot(kappa, kappa));
}

// (17): [v_s; u_s] = Phi^-1 [-Gamma_v + Lambda_n; -Gamma_u + Lambda_m], tension_s given.
static inline void truth_phi_solve(const truth_arm *arm, int at, const double *y, const double R[9],
                                   const double rate[12], const double *tension_s, double out[6]) {
    const truth_rod *rod = &arm->rod;
    const double *e = y + TRUTH_E, *u = y + TRUTH_U, *history = arm->history.sum + 18 * at + 12;
    double v[3] = {e[0], e[1], e[2] + 1.0}, c0 = arm->history.formula.c0, n[3], m[3];
    truth_phi phi = {{0.0}, {0.0}, {0.0}};
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        if (truth_end_node(arm, t) <= arm->first) continue;
        truth_route r = truth_route_at(t, rod->length, 0.5 * at * truth_arm_ds(arm));
        truth_add_tendon(&r, y[TRUTH_LENGTHS + arm->n_tendons + k], tension_s[k], v, u, &phi);
    }
    truth_inertia(rod, R, y + TRUTH_Q, y + TRUTH_W, rate + 6, rate + 9, out, out + 3);
    for (int i = 0; i < 3; i++) {
        n[i] = rod->Kse[i] * e[i] + rod->Bse[i] * rate[i];
        m[i] = rod->Kbt[i] * u[i] + rod->Bbt[i] * rate[3 + i];
        phi.matrix[7 * i] += rod->Kse[i] + c0 * rod->Bse[i];
        phi.matrix[7 * (3 + i)] += rod->Kbt[i] + c0 * rod->Bbt[i];
        out[i] -= phi.a[i] + rod->Bse[i] * history[i];
        out[3 + i] -= phi.b[i] + rod->Bbt[i] * history[3 + i];
    }
    double c[3];
    truth_cross(u, n, c);
    for (int i = 0; i < 3; i++) out[i] -= c[i];
    truth_cross(u, m, c);
    truth_add_cross(v, n, c);
    for (int i = 0; i < 3; i++) out[3 + i] -= c[i];
    truth_eliminate(6, phi.matrix, out);
}

// With friction the turning of the path depends on the slopes: a fixed point, weakly coupled
// because the tendon turns mostly with the section.
static inline void truth_strain_slope(const truth_arm *arm, int at, const double *y,
                                      const double R[9], const double rate[12], double out[6],
                                      double *tension_s) {
    double v[3] = {y[TRUTH_E], y[TRUTH_E + 1], y[TRUTH_E + 2] + 1.0};
    bool rubs = false;
    for (int k = 0; k < arm->n_tendons; k++) {
        tension_s[k] = 0.0;
        rubs = rubs || arm->tendon[k].friction != 0.0;
    }
    truth_phi_solve(arm, at, y, R, rate, tension_s, out);
    for (int pass = 0; rubs && pass < 12; pass++) {
        double change = 0.0;
        for (int k = 0; k < arm->n_tendons; k++) {
            const truth_tendon *t = &arm->tendon[k];
            if (truth_end_node(arm, t) <= arm->first) continue;
            truth_route r = truth_route_at(t, arm->rod.length, 0.5 * at * truth_arm_ds(arm));
            double fresh =
                truth_capstan(t, &r, y[TRUTH_LENGTHS + arm->n_tendons + k], v, y + TRUTH_U, out);
            change = fmax(change, fabs(fresh - tension_s[k]));
            tension_s[k] = fresh;
        }
        truth_phi_solve(arm, at, y, R, rate, tension_s, out);
        if (change < 1e-13) break;
    }
}

static inline void truth_arm_slope(void *problem, int at, const double *y, double *dy) {
    const truth_arm *arm = problem;
    double R[9], rate[12], v[3] = {y[TRUTH_E], y[TRUTH_E + 1], y[TRUTH_E + 2] + 1.0};
    const double *u = y + TRUTH_U;
    truth_rotation(y + TRUTH_H, R);
    truth_rate(&arm->history, at, 0, 12, y + TRUTH_E, rate);
    truth_mul(R, v, dy);
    truth_quaternion_rate(y + TRUTH_H, u, dy + TRUTH_H);
    truth_strain_slope(arm, at, y, R, rate, dy + TRUTH_E, dy + TRUTH_LENGTHS + arm->n_tendons);
    truth_velocity_slope(v, u, y + TRUTH_Q, y + TRUTH_W, rate, rate + 3, dy + TRUTH_Q,
                         dy + TRUTH_W);
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        double g[3];
        truth_route r = truth_route_at(t, arm->rod.length, 0.5 * at * truth_arm_ds(arm));
        dy[TRUTH_LENGTHS + k] = truth_end_node(arm, t) > arm->first ? truth_path(&r, v, u, g) : 0.0;
    }
}

// ---------------------------------------------------------------- ends of tendons
// The wrench (force, moment; body) with which the tendons fixed at `node` pull there.
static inline void truth_end_pull(const truth_arm *arm, int node, const double *y, double out[6]) {
    double v[3] = {y[TRUTH_E], y[TRUTH_E + 1], y[TRUTH_E + 2] + 1.0};
    memset(out, 0, 6 * sizeof(double));
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        if (truth_end_node(arm, t) != node) continue;
        truth_route r = truth_route_at(t, arm->rod.length, node * truth_arm_ds(arm));
        double g[3], f[3], l = truth_path(&r, v, y + TRUTH_U, g);
        double tension = y[TRUTH_LENGTHS + arm->n_tendons + k];
        for (int i = 0; i < 3; i++) f[i] = -tension * g[i] / l, out[i] += f[i];
        truth_add_cross(r.r, f, out + 3);
    }
}

// What the tendons that go on past `node` carry there: force and moment.
static inline void truth_going_on(const truth_arm *arm, int node, const double *y, double out[6]) {
    double v[3] = {y[TRUTH_E], y[TRUTH_E + 1], y[TRUTH_E + 2] + 1.0};
    memset(out, 0, 6 * sizeof(double));
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        if (truth_end_node(arm, t) <= node) continue;
        truth_route r = truth_route_at(t, arm->rod.length, node * truth_arm_ds(arm));
        double g[3], f[3], l = truth_path(&r, v, y + TRUTH_U, g);
        double tension = y[TRUTH_LENGTHS + arm->n_tendons + k];
        for (int i = 0; i < 3; i++) f[i] = tension * g[i] / l, out[i] += f[i];
        truth_add_cross(r.r, f, out + 3);
    }
}

// Statics: n+ = n- - F in the paper. The strains jump, so the tendons that go on have a kink there and
// press on the rod too, which the paper leaves out; with them it is a fixed point, weakly coupled.
static inline void truth_jump(const truth_arm *arm, int node, double *y) {
    double pull[6], before[6], after[6], start[6];
    memcpy(start, y + TRUTH_E, sizeof start);
    truth_end_pull(arm, node, y, pull);
    truth_going_on(arm, node, y, before);
    for (int pass = 0; pass < 30; pass++) {
        truth_going_on(arm, node, y, after);
        for (int i = 0; i < 3; i++) {
            double force = pull[i] + after[i] - before[i];
            double moment = pull[3 + i] + after[3 + i] - before[3 + i];
            y[TRUTH_E + i] = start[i] - force / arm->rod.Kse[i];
            y[TRUTH_U + i] = start[3 + i] - moment / arm->rod.Kbt[i];
        }
    }
}

// The next node after `node` where a tendon ends; the tip at the latest.
static inline int truth_next_end(const truth_arm *arm, int node) {
    int next = arm->nodes - 1;
    for (int k = 0; k < arm->n_tendons; k++) {
        int end = truth_end_node(arm, &arm->tendon[k]);
        if (end > node && end < next) next = end;
    }
    return next;
}

// ---------------------------------------------------------------- shooting
static inline void truth_arm_base(truth_arm *arm, const double *x) {
    double EI = arm->rod.Kbt[0], L = arm->rod.length, c0 = arm->history.formula.c0, *y = arm->y;
    const double *sum = arm->history.sum;
    memset(y, 0, sizeof(double) * (size_t)truth_arm_width(arm));
    y[TRUTH_H] = 1.0;
    for (int k = 0; k < arm->n_tendons; k++)
        y[TRUTH_LENGTHS + arm->n_tendons + k] = arm->tendon[k].tension;
    for (int i = 0; i < 3; i++) {
        const truth_rod *rod = &arm->rod;
        y[TRUTH_E + i] =
            (x[i] * EI / (L * L) - rod->Bse[i] * sum[i]) / (rod->Kse[i] + c0 * rod->Bse[i]);
        y[TRUTH_U + i] =
            (x[3 + i] * EI / L - rod->Bbt[i] * sum[3 + i]) / (rod->Kbt[i] + c0 * rod->Bbt[i]);
    }
}

// What the tip asks for: F + m (g - a) and M - d(J w), body frame.
static inline void truth_tip_load(const truth_arm *arm, const double *y, double out[6]) {
    const double *q = y + TRUTH_Q, *w = y + TRUTH_W;
    double R[9], rate[12], c[3], g[3], J[3];
    truth_rotation(y + TRUTH_H, R);
    truth_rate(&arm->history, 2 * (arm->nodes - 1), 0, 12, y + TRUTH_E, rate);
    truth_mul_t(R, arm->force, out);
    truth_mul_t(R, arm->moment, out + 3);
    truth_mul_t(R, arm->rod.gravity, g);
    truth_cross(w, q, c);
    for (int i = 0; i < 3; i++) {
        out[i] += arm->tip_mass * (g[i] - c[i] - rate[6 + i]);
        out[3 + i] -= arm->tip_inertia[i] * rate[9 + i];
        J[i] = arm->tip_inertia[i] * w[i];
    }
    truth_cross(w, J, c);
    for (int i = 0; i < 3; i++) out[3 + i] -= c[i];
}

static inline void truth_arm_residual(void *problem, int n, const double *x, double *r) {
    truth_arm *arm = problem;
    const truth_rod *rod = &arm->rod;
    int width = truth_arm_width(arm), last = arm->nodes - 1, row = 6;
    (void)n;
    for (int k = 0, j = 6; k < arm->n_tendons; k++)
        if (arm->tendon[k].pulled) arm->tendon[k].tension = x[j++];
    truth_arm_base(arm, x);
    for (arm->first = 0; arm->first < last; arm->first = truth_next_end(arm, arm->first)) {
        if (arm->first > 0) truth_jump(arm, arm->first, arm->y + arm->first * width);
        (arm->euler ? truth_euler : truth_rk4)(truth_arm_slope, arm, width, arm->first,
                                               truth_next_end(arm, arm->first), truth_arm_ds(arm),
                                               arm->y);
    }
    arm->first = 0;
    const double *y = arm->y + last * width;
    double pull[6], load[6], rate[6], L = rod->length, EI = rod->Kbt[0];
    truth_end_pull(arm, last, y, pull);
    truth_tip_load(arm, y, load);
    truth_rate(&arm->history, 2 * last, 0, 6, y + TRUTH_E, rate);
    for (int i = 0; i < 3; i++) {
        double force = rod->Kse[i] * y[TRUTH_E + i] + rod->Bse[i] * rate[i];
        double moment = rod->Kbt[i] * y[TRUTH_U + i] + rod->Bbt[i] * rate[3 + i];
        r[i] = (load[i] + pull[i] - force) * L * L / EI;
        r[3 + i] = (load[3 + i] + pull[3 + i] - moment) * L / EI;
    }
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        if (!t->pulled) continue;
        double rest = t->ends > 0.0 ? t->ends : L;  // parallel routing
        r[row++] = (rest - t->pull + t->compliance * t->tension - y[TRUTH_LENGTHS + k]) / L * 100.0;
    }
}

// ---------------------------------------------------------------- use
static inline void truth_arm_begin(truth_arm *arm, int nodes, bool cubic) {
    arm->nodes = nodes;
    truth_history_make(&arm->history, nodes, 18, cubic);
    arm->y = calloc((size_t)(nodes * truth_arm_width(arm)), sizeof(double));
    memset(arm->x, 0, sizeof arm->x);
    memset(arm->held, 0, sizeof arm->held);
}

static inline void truth_arm_free(truth_arm *arm) {
    truth_history_free(&arm->history);
    free(arm->y);
}

static inline const double *truth_arm_node(const truth_arm *arm, int node) {
    return arm->y + node * truth_arm_width(arm);
}

static inline const double *truth_arm_tip(const truth_arm *arm) {
    return truth_arm_node(arm, arm->nodes - 1);
}

// What more tension asks of the base of a straight rod, added to the last solution: a first guess.
static inline void truth_arm_guess(truth_arm *arm) {
    double L = arm->rod.length, EI = arm->rod.Kbt[0];
    for (int k = 0; k < arm->n_tendons; k++) {
        const truth_tendon *t = &arm->tendon[k];
        truth_route r = truth_route_at(t, L, 0.0);
        double f[3] = {0.0, 0.0, arm->held[k] - t->tension}, m[3];
        truth_cross(r.r, f, m);
        for (int i = 0; i < 3; i++) {
            arm->x[i] += f[i] * L * L / EI;
            arm->x[3 + i] += m[i] * L / EI;
        }
        arm->held[k] = t->tension;
    }
}

static inline double truth_arm_solve(truth_arm *arm, truth_formula formula) {
    int n = 6;
    truth_history_begin(&arm->history, formula);
    truth_arm_guess(arm);
    for (int k = 0; k < arm->n_tendons; k++)
        if (arm->tendon[k].pulled) arm->x[n++] = arm->tendon[k].tension;
    double residual = truth_solve(truth_arm_residual, arm, n, arm->x);
    for (int k = 0; k < arm->n_tendons; k++) arm->held[k] = arm->tendon[k].tension;
    return residual;
}

static inline void truth_arm_fields(const truth_arm *arm, int node, double out[18]) {
    const double *y = truth_arm_node(arm, node);
    double R[9], rate[12], tension_s[TRUTH_TENDONS];
    truth_rotation(y + TRUTH_H, R);
    truth_rate(&arm->history, 2 * node, 0, 12, y + TRUTH_E, rate);
    memcpy(out, y + TRUTH_E, 12 * sizeof(double));
    truth_strain_slope(arm, 2 * node, y, R, rate, out + 12, tension_s);
}

// Equilibrium from the last solution; returns the largest scaled residual.
static inline double truth_arm_statics(truth_arm *arm) {
    double residual = truth_arm_solve(arm, (truth_formula){0.0, 0.0, 0.0, 0.0});
    for (int j = 0; j < arm->nodes; j++) truth_arm_fields(arm, j, arm->history.now + 18 * j);
    truth_history_rest(&arm->history);
    return residual;
}

// One step; tendons that end before the tip are for statics only (the history would jump there).
static inline double truth_arm_step(truth_arm *arm, truth_formula formula) {
    double residual = truth_arm_solve(arm, formula), fresh[18];
    for (int j = 0; j < arm->nodes; j++) {
        truth_arm_fields(arm, j, fresh);
        truth_history_accept(&arm->history, j, fresh);
    }
    return residual;
}
