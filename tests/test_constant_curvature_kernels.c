// The parts of the constant-curvature model against numbers computed independently
// (truth_liu2020.h), quadrature and differences.
#include <stdbool.h>
#include <string.h>
#include <tendril/tendril.h>

#include "check.h"
#include "math/quadrature.h"
#include "model/constant_curvature/chain.h"
#include "spatial.h"
#include "truth_liu2020.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))
#define MOST_SEGMENTS 5
#define MOST (3 * MOST_SEGMENTS)

static void check_all(const double *ours, const double *truth, int n, double tol) {
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(truth[i]));
    for (int i = 0; i < n; i++) CHECK_NEAR(ours[i], truth[i], tol * size);
}

static arc_integrals integrals_at(double t) {
    double c[N_STUMPFF], d[N_STUMPFF];
    arc_integrals out;
    arc_functions(t, c);
    arc_functions(4.0 * t, d);
    arc_integrate(c, d, &out);
    return out;
}

// ---------------------------------------------------------------- integrals
static void integrals_are_those_computed_with_thirty_digits(void **state) {
    (void)state;
    for (int k = 0; k < LIU_N_TABLES; k++) {
        arc_integrals ours = integrals_at(liu_t[k]);
        for (int i = 0; i < 45; i++)
            CHECK_NEAR(ours.Q[i / 9][i % 9], liu_Qs[k][i], 1e-13 * fabs(liu_Qs[k][i]) + 1e-17);
    }
}

// s = theta A, x c = A + 2 t A', and so on: the paper's functions in ours.
static void paper_rows(double theta, double rows[5][5], double columns[9][9]) {
    const double t = theta * theta;
    memset(rows, 0, 25 * sizeof(double));
    memset(columns, 0, 81 * sizeof(double));
    rows[0][0] = 1.0;
    rows[1][1] = theta;
    rows[2][1] = 1.0, rows[2][2] = 2.0 * t;
    rows[3][0] = -1.0, rows[3][3] = t;
    rows[4][3] = 2.0 * theta, rows[4][4] = 2.0 * t * theta;
    columns[0][0] = 1.0;
    columns[1][1] = theta;
    columns[3][1] = 1.0, columns[3][3] = 2.0 * t;
    columns[4][4] = 4.0 * t * theta, columns[4][3] = 6.0 * theta;
    columns[5][0] = -1.0, columns[5][5] = t;
    columns[7][5] = 2.0 * theta, columns[7][7] = 2.0 * t * theta;
    columns[8][5] = 2.0, columns[8][7] = 10.0 * t, columns[8][8] = 4.0 * t * t;
    for (int j = 0; j < 9; j++) columns[2][j] = 2.0 * columns[3][j];
    for (int j = 0; j < 9; j++) columns[6][j] = 2.0 * columns[7][j];
}

static void integrals_give_those_of_the_appendix_as_corrected(void **state) {
    (void)state;
    for (int k = 0; k < LIU_N_TABLES; k++) {
        double rows[5][5], columns[9][9];
        paper_rows(liu_theta[k], rows, columns);
        arc_integrals ours = integrals_at(liu_theta[k] * liu_theta[k]);
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 9; j++) {
                double sum = 0.0, size = 0.0;
                for (int a = 0; a < 5; a++)
                    for (int b = 0; b < 9; b++) {
                        double part = rows[i][a] * ours.Q[a][b] * columns[j][b];
                        sum += part;
                        size += fabs(part);
                    }
                CHECK_NEAR(sum, liu_Q[k][9 * i + j], (liu_theta[k] < 3.0 ? 3e-14 : 3e-13) * size);
            }
    }
}

// Each by its own power series, with terms added from the smallest: good to rounding up to theta =
// 1.5 and to 1e-13 at 6, in numbers of 64 bits.
static double by_series(int n, double y) {
    long double term[80], sum = 0.0L;
    term[0] = 1.0L;
    for (int k = 1; k <= n; k++) term[0] /= (long double)k;
    for (int k = 1; k < 80; k++)
        term[k] = term[k - 1] * -(long double)y /
                  ((long double)(2 * k + n) * (long double)(2 * k + n - 1));
    for (int k = 79; k >= 0; k--) sum += term[k];
    return (double)sum;
}

static void stumpff_functions_are_their_series(void **state) {
    (void)state;
    static const double thetas[] = {0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 1.41, 1.42, 2.4,
                                    2.5, 3.4,   4.4,  5.4,  6.0, 8.9, 9.4,  9.5,  12.0};
    for (int i = 0; i < COUNT(thetas); i++) {
        double y = thetas[i] * thetas[i], c[N_STUMPFF];
        arc_functions(y, c);
        double tol = thetas[i] < 6.1 ? 1e-14 : 1e-12;
        for (int n = 0; n < N_STUMPFF; n++) {
            double truth = by_series(n, y);
            CHECK_NEAR(c[n], truth, tol * fmax(fabs(truth), n < 3 ? 1.0 / (1.0 + y) : 0.0));
        }
    }
}

static arc_shape shape_at(double t, double x) {
    double c[N_STUMPFF];
    arc_functions(t * x * x, c);
    return arc_shape_at(x, c);
}

// Against Gauss's rule with 40 nodes; errors by the integral of the magnitudes. Beyond half a turn
// the terms cancel by up to a thousand.
static void integrals_hold_from_straight_to_almost_a_turn(void **state) {
    (void)state;
    double x[40], w[40];
    assert_true(gauss_legendre(40, x, w));
    for (double theta = 1e-12; theta < 6.3; theta = theta < 1e-2 ? 10.0 * theta : theta + 0.07) {
        double t = theta * theta, sum[45] = {0.0}, size[45] = {0.0};
        arc_integrals ours = integrals_at(t);
        for (int k = 0; k < 40; k++) {
            arc_shape s = shape_at(t, x[k]);
            double row[5] = {1.0, s.A, s.A1, s.B, s.B1};
            double column[9] = {1.0, s.A, 2 * s.A1, s.A1, s.A2, s.B, 2 * s.B1, s.B1, s.B2};
            for (int i = 0; i < 45; i++) {
                sum[i] += w[k] * row[i / 9] * column[i % 9];
                size[i] += w[k] * fabs(row[i / 9] * column[i % 9]);
            }
        }
        for (int i = 0; i < 45; i++)
            CHECK_NEAR(ours.Q[i / 9][i % 9], sum[i], (theta < 3.0 ? 3e-14 : 3e-13) * size[i]);
    }
}

// ---------------------------------------------------------------- the robot of Table 1
typedef struct rig {
    segment segments[MOST_SEGMENTS];
    arc_motion arcs[MOST_SEGMENTS];
    chain chain;
} rig;

static void make_rig(rig *r, int n, bool isotropic) {
    memset(r, 0, sizeof *r);
    for (int i = 0; i < n; i++)
        r->segments[i] =
            (segment){.length = LIU_LENGTH,
                      .end = LIU_LENGTH * (i + 1),
                      .mass = LIU_MASS,
                      .bending = {0.25, 0.25},
                      .extension = 15e6 * 3.14159265358979323846 * LIU_RADIUS * LIU_RADIUS,
                      .bending_damping = {0.012, 0.012}};
    r->chain = (chain){.n = n,
                       .per = 3,
                       .n_q = 3 * n,
                       .segments = r->segments,
                       .present_length = true,
                       .radial_damping = !isotropic};
    arcs_make_rules(&r->chain);
}

static void add_sections(rig *r) {
    for (int i = 0; i < r->chain.n; i++)
        for (int k = 0; k < 3; k++)
            r->segments[i].rotary[k] =
                0.25 * LIU_MASS * LIU_RADIUS * LIU_RADIUS * (k == 2 ? 2.0 : 1.0);
}

static const vec3 lift = {0.0, LIU_GRAVITY, 0.0};

// All loads: inertia, weight, elasticity, damping.
static void loads_of(rig *r, const double *q, const double *q_t, const double *q_tt, vec3 up,
                     double *tau) {
    memset(tau, 0, sizeof(double) * (size_t)r->chain.n_q);
    arcs_move(&r->chain, q, q_t, q_tt, up, r->arcs);
    arcs_add_inertia(&r->chain, r->arcs, NULL, tau);
    arcs_add_elastic(&r->chain, NULL, q, q_t, tau);
    for (int k = 0; k < r->chain.n_q; k++) tau[k] = -tau[k];
}

static void inverse_dynamics_is_that_of_a_sum_over_slices(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(liu_configurations); i++) {
        const liu_inverse *at = &liu_configurations[i];
        rig r;
        double tau[MOST] = {0.0};
        make_rig(&r, at->n, at->isotropic);
        loads_of(&r, at->q, at->q_t, at->q_tt, lift, tau);
        // axial loads are a thousand times the others
        for (int k = 0; k < 3 * at->n; k++)
            CHECK_NEAR(tau[k], at->tau[k],
                       2e-13 * fmax(fabs(at->tau[k]), k % 3 == 2 ? 200.0 : 1.0));
        if (!at->inertia) continue;
        memset(tau, 0, sizeof tau);
        arcs_move(&r.chain, at->q, at->q_t, at->q_tt, vec3_zero(), r.arcs);
        arcs_add_inertia(&r.chain, r.arcs, NULL, tau);
        for (int k = 0; k < 3 * at->n; k++) tau[k] = -tau[k];
        check_all(tau, at->inertia, 3 * at->n, 1e-14);
    }
}

static void mass_matrices_are_those_of_unit_accelerations(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(liu_configurations); i++) {
        const liu_inverse *at = &liu_configurations[i];
        rig r;
        double M[MOST * MOST];
        make_rig(&r, at->n, at->isotropic);
        arcs_move(&r.chain, at->q, NULL, NULL, vec3_zero(), r.arcs);
        arcs_mass_matrix(&r.chain, r.arcs, M);
        const int n = 3 * at->n;
        for (int k = 0; k < n * n; k++) {
            double size = sqrt(at->H[(k / n) * (n + 1)] * at->H[(k % n) * (n + 1)]);
            CHECK_NEAR(M[k], at->H[k], 2e-14 * size);
        }
    }
}

// Actuators at angles 2 pi j/3 - pi/6, j = 1 .. 3, of each segment: l_j = l - r . u
static void add_forces(int n, const double *forces, double *Q) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++) {
            double angle =
                2.0 * 3.14159265358979323846 * (j + 1) / 3.0 - 3.14159265358979323846 / 6.0;
            Q[3 * i] -= forces[3 * i + j] * LIU_RADIUS * cos(angle);
            Q[3 * i + 1] -= forces[3 * i + j] * LIU_RADIUS * sin(angle);
            Q[3 * i + 2] += forces[3 * i + j];
        }
}

// H q_tt = forces - loads, checked without solving: at the q_tt of the reference.
static void check_balance(rig *r, const double *q, const double *q_t, const double *q_tt,
                          const double *forces, double tol) {
    double tau[MOST], Q[MOST] = {0.0}, M[MOST * MOST];
    const int n = r->chain.n_q;
    loads_of(r, q, q_t, q_tt, lift, tau);
    add_forces(r->chain.n, forces, Q);
    arcs_mass_matrix(&r->chain, r->arcs, M);
    for (int k = 0; k < n; k++) {
        double size = 1.0;
        for (int j = 0; j < n; j++) size += fabs(M[k * n + j] * q_tt[j]);
        CHECK_NEAR(tau[k], Q[k], tol * size);
    }
}

static void forward_dynamics_of_the_reference_balances(void **state) {
    (void)state;
    for (int i = 0; i < COUNT(liu_configurations); i++) {
        const liu_inverse *at = &liu_configurations[i];
        if (!at->forces) continue;
        rig r;
        double Q[MOST] = {0.0};
        make_rig(&r, at->n, at->isotropic);
        add_forces(at->n, at->forces, Q);
        check_all(Q, at->actuation, 3 * at->n, 1e-14);
        check_balance(&r, at->q, at->q_t, at->forward, at->forces, 1e-12);
    }
}

static void the_three_cases_start_as_computed_independently(void **state) {
    (void)state;
    static const double side[3] = {-1.0, 1.0, -1.0};
    static const double forces[3][6] = {
        {0, 0, 0, 0, 0, 0}, {-180, 0, 0, -60, 0, 0}, {0, -60, 60, 0, 60, -60}};
    for (int mode = 0; mode < 4; mode++)
        for (int i = 0; i < 3; i++) {
            const double(*start)[6] = mode == 0   ? liu_start_printed
                                      : mode == 1 ? liu_start_physical
                                      : mode == 2 ? liu_start_scaled
                                                  : liu_start_rotary;
            rig r;
            make_rig(&r, 2, false);
            r.chain.printed_scaling = mode == 0;
            if (mode == 3) add_sections(&r);
            const double l = 0.23999999999999996;  // theta r, as the reference has it
            double q[6] = {0, side[i] * 0.0312, l, 0, side[i] * 0.0312, l}, still[6] = {0}, f[6];
            for (int k = 0; k < 6; k++) f[k] = forces[i][k] * (mode > 1 ? 0.24 : 1.0);
            check_balance(&r, q, still, start[i], f, 1e-12);
        }
}

// ---------------------------------------------------------------- against each other
static void random_shape(unsigned *seed, int n, double *q, double *q_t) {
    for (int k = 0; k < 3 * n; k++) {
        *seed = *seed * 1664525u + 1013904223u;
        double x = (double)(*seed >> 8) / 8388608.0 - 1.0;
        *seed = *seed * 1664525u + 1013904223u;
        double y = (double)(*seed >> 8) / 8388608.0 - 1.0;
        q[k] = k % 3 == 2 ? 0.24 + 0.02 * x : 2.0 * x;
        q_t[k] = k % 3 == 2 ? y : 5.0 * y;
    }
}

// A body half way along the second segment, one at the tip, sections with rotary inertia.
static const rider bodies[2] = {{.segment = 1,
                                 .x = 0.4,
                                 .mass = 0.1,
                                 .moment = {0.001, 0.002, 0.003},
                                 .inertia = {{{3e-4, 1e-5, 0}, {1e-5, 4e-4, 0}, {0, 0, 5e-4}}}},
                                {.segment = 2,
                                 .x = 1.0,
                                 .mass = 0.2,
                                 .moment = {0, 0, 0.01},
                                 .inertia = {{{8e-4, 0, 0}, {0, 8e-4, 0}, {0, 0, 3e-4}}}}};

static void make_full_rig(rig *r) {
    make_rig(r, 3, true);
    add_sections(r);
    r->chain.riders = (rider *)bodies;
    r->chain.n_riders = 2;
}

// T = q_t' M q_t/2, with kinetic energy from the velocities of points.
static void mass_matrix_and_kinetic_energy_agree(void **state) {
    (void)state;
    unsigned seed = 7;
    for (int run = 0; run < 20; run++) {
        rig r;
        double q[9], q_t[9], M[81], T = 0.0;
        make_full_rig(&r);
        random_shape(&seed, 3, q, q_t);
        arcs_move(&r.chain, q, q_t, NULL, vec3_zero(), r.arcs);
        arcs_mass_matrix(&r.chain, r.arcs, M);
        for (int i = 0; i < 81; i++) T += 0.5 * q_t[i / 9] * M[i] * q_t[i % 9];
        double truth = arcs_kinetic_energy(&r.chain, r.arcs);
        CHECK_NEAR(T, truth, 1e-13 * truth);
    }
}

static double lagrangian_momentum(rig *r, const double *q, const double *q_t, int k, double *T) {
    double M[81], sum = 0.0;
    arcs_move(&r->chain, q, q_t, NULL, vec3_zero(), r->arcs);
    arcs_mass_matrix(&r->chain, r->arcs, M);
    for (int i = 0; i < 9; i++) sum += M[9 * k + i] * q_t[i];
    *T = arcs_kinetic_energy(&r->chain, r->arcs);
    return sum;
}

// Lagrange's equations by differences: d(M q_t)/dt - dT/dq is what the recursion from accelerations
// of points gives.
static void recursion_is_lagranges_equations(void **state) {
    (void)state;
    unsigned seed = 11;
    const double e = 1e-5;
    for (int run = 0; run < 6; run++) {
        rig r;
        double q[9], q_t[9], q_tt[9], tau[9] = {0.0}, unused;
        make_full_rig(&r);
        random_shape(&seed, 3, q, q_t);
        for (int k = 0; k < 9; k++) q_tt[k] = 10.0 * sin(1.7 * k + run);
        arcs_move(&r.chain, q, q_t, q_tt, vec3_zero(), r.arcs);
        arcs_add_inertia(&r.chain, r.arcs, NULL, tau);
        for (int k = 0; k < 9; k++) {
            double p[2], T[2];
            for (int side = 0; side < 2; side++) {
                double h = side ? e : -e, moved[9], speed[9];
                for (int i = 0; i < 9; i++) {
                    moved[i] = q[i] + h * q_t[i] + 0.5 * h * h * q_tt[i];
                    speed[i] = q_t[i] + h * q_tt[i];
                }
                p[side] = lagrangian_momentum(&r, moved, speed, k, &unused);
                memcpy(moved, q, sizeof moved);
                moved[k] += h;
                lagrangian_momentum(&r, moved, q_t, k, &T[side]);
            }
            double truth = (p[1] - p[0] - T[1] + T[0]) / (2.0 * e);
            CHECK_NEAR(-tau[k], truth, 2e-8 * (1.0 + fabs(truth)));
        }
    }
}

// Sections by the rule that a bending allows against the longest one, at the end of its range.
static void few_nodes_do_for_small_bending(void **state) {
    (void)state;
    static const double angles[3] = {0.08, 0.32, 0.8};
    for (int i = 0; i < 3; i++) {
        rig r, longest;
        double q[6], q_t[6], q_tt[6], tau[2][6] = {{0.0}}, M[2][36];
        make_rig(&r, 2, true);
        add_sections(&r);
        for (int k = 0; k < 2; k++) r.segments[k].mass = 0.0;  // sections alone
        for (int k = 0; k < 6; k++) {
            q[k] = k % 3 == 2 ? 0.24 : 0.999 * angles[i] * (k % 3 ? 0.6 : 0.8);
            q_t[k] = 1.0 + k % 4;
            q_tt[k] = 3.0 - k;
        }
        longest = r;
        for (int k = 0; k < N_RULES; k++) longest.chain.rules[k] = r.chain.rules[N_RULES - 1];
        rig *both[2] = {&r, &longest};
        for (int side = 0; side < 2; side++) {
            both[side]->chain.segments = both[side]->segments;
            arcs_move(&both[side]->chain, q, q_t, q_tt, vec3_zero(), both[side]->arcs);
            assert_int_equal(arc_rule(&r.chain, &r.arcs[0])->n, 4 + 2 * i);
            arcs_add_inertia(&both[side]->chain, both[side]->arcs, NULL, tau[side]);
            arcs_mass_matrix(&both[side]->chain, both[side]->arcs, M[side]);
        }
        double most = 0.0, largest = 0.0;
        for (int k = 0; k < 6; k++) most = fmax(most, fabs(tau[1][k]));
        for (int k = 0; k < 36; k++) largest = fmax(largest, fabs(M[1][k]));
        for (int k = 0; k < 6; k++) CHECK_NEAR(tau[0][k], tau[1][k], 1e-11 * most);
        for (int k = 0; k < 36; k++) CHECK_NEAR(M[0][k], M[1][k], 1e-11 * largest);
    }
}

static void weight_and_elasticity_are_gradients_of_energies(void **state) {
    (void)state;
    unsigned seed = 3;
    const vec3 g = {1.0, -9.0, 2.0};
    for (int run = 0; run < 10; run++) {
        rig r;
        double q[9], q_t[9], Q[9] = {0.0};
        make_full_rig(&r);
        r.chain.present_length = run % 2;
        random_shape(&seed, 3, q, q_t);
        arcs_move(&r.chain, q, NULL, NULL, vec3_neg(g), r.arcs);
        arcs_add_inertia(&r.chain, r.arcs, NULL, Q);
        arcs_add_elastic(&r.chain, NULL, q, NULL, Q);
        for (int k = 0; k < 9; k++) {
            double U[2];
            for (int side = 0; side < 2; side++) {
                double moved[9];
                memcpy(moved, q, sizeof moved);
                moved[k] += side ? 1e-6 : -1e-6;
                arcs_move(&r.chain, moved, NULL, NULL, vec3_zero(), r.arcs);
                U[side] = arcs_weight_energy(&r.chain, r.arcs, g) +
                          arcs_elastic_energy(&r.chain, NULL, moved);
            }
            CHECK_NEAR(Q[k], -(U[1] - U[0]) / 2e-6, 1e-7 * (1.0 + fabs(Q[k])));
        }
    }
}

// Forces of weight, elasticity and loads, of which some follow, by differences.
static void stiffness_is_the_slope_of_forces(void **state) {
    (void)state;
    static const point_load loads[3] = {
        {0, 0.5, false, -1, -1, -1}, {1, 0.3, true, -1, -1, -1}, {2, 1.0, false, -1, -1, -1}};
    const vec6 wrenches[3] = {
        {{0.1, 0.2, -0.3}, {1, 2, 3}}, {{0.3, 0, 1}, {-2, 1, 0}}, {{0, 0.5, 0}, {3, -1, 2}}};
    unsigned seed = 11;
    for (int run = 0; run < 8; run++) {
        rig r;
        double q[9], q_t[9], K[81] = {0.0}, direction[9], e = 1e-5;
        make_full_rig(&r);
        r.chain.loads = (point_load *)loads;
        r.chain.n_loads = 3;
        r.chain.present_length = run % 2;
        r.chain.printed_scaling = run >= 6;
        random_shape(&seed, 3, q, q_t);
        for (int k = 0; k < 9 && run < 2; k++)
            if (k % 3 < 2) q[k] *= run ? 1e-9 : 0.0;
        arcs_add_geometric(&r.chain, q, lift, wrenches, NULL, r.arcs, direction, K);
        arcs_add_elastic_stiffness(&r.chain, NULL, q, K);
        for (int k = 0; k < 9; k++) {
            double Q[2][9] = {{0.0}};
            for (int side = 0; side < 2; side++) {
                double moved[9];
                memcpy(moved, q, sizeof moved);
                moved[k] += side ? e : -e;
                arcs_move(&r.chain, moved, NULL, NULL, lift, r.arcs);
                arcs_add_inertia(&r.chain, r.arcs, wrenches, Q[side]);
                arcs_add_elastic(&r.chain, NULL, moved, NULL, Q[side]);
            }
            for (int i = 0; i < 9; i++) {
                double truth = (Q[0][i] - Q[1][i]) / (2.0 * e);
                CHECK_NEAR(K[9 * i + k], truth, 2e-8 * (1.0 + fabs(truth)));
            }
        }
    }
}

// Columns of a point and its velocity against positions, also exactly straight.
static void points_move_as_their_columns_say(void **state) {
    (void)state;
    unsigned seed = 5;
    for (int run = 0; run < 8; run++) {
        rig r;
        double q[9], q_t[9], e = 1e-6;
        make_rig(&r, 3, true);
        random_shape(&seed, 3, q, q_t);
        for (int k = 0; k < 9 && run < 2; k++)
            if (k % 3 < 2) q[k] *= run ? 1e-9 : 0.0;
        arc_point p[2];
        arcs_move(&r.chain, q, q_t, NULL, vec3_zero(), r.arcs);
        arc_point at = arc_point_at(&r.arcs[2], 0.7);
        for (int side = 0; side < 2; side++) {
            double moved[9];
            for (int k = 0; k < 9; k++) moved[k] = q[k] + (side ? e : -e) * q_t[k];
            arcs_move(&r.chain, moved, NULL, NULL, vec3_zero(), r.arcs);
            p[side] = arc_point_at(&r.arcs[2], 0.7);
        }
        vec3 v = vec3_scale(vec3_sub(p[1].at.p, p[0].at.p), 0.5 / e);
        CHECK_NEAR(vec3_norm(vec3_sub(v, at.at.velocity)), 0.0, 1e-8);
        mat3 d = mat3_sub(&p[1].at.R, &p[0].at.R), R = mat3_transpose(&at.at.R);
        d = mat3_mul(&d, &R);
        vec3 w = vec3_scale(mat3_vee(&d), 0.5 / e);
        CHECK_NEAR(vec3_norm(vec3_sub(w, at.at.turn)), 0.0, 1e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stumpff_functions_are_their_series),
        cmocka_unit_test(integrals_are_those_computed_with_thirty_digits),
        cmocka_unit_test(integrals_give_those_of_the_appendix_as_corrected),
        cmocka_unit_test(integrals_hold_from_straight_to_almost_a_turn),
        cmocka_unit_test(inverse_dynamics_is_that_of_a_sum_over_slices),
        cmocka_unit_test(mass_matrices_are_those_of_unit_accelerations),
        cmocka_unit_test(forward_dynamics_of_the_reference_balances),
        cmocka_unit_test(the_three_cases_start_as_computed_independently),
        cmocka_unit_test(mass_matrix_and_kinetic_energy_agree),
        cmocka_unit_test(recursion_is_lagranges_equations),
        cmocka_unit_test(few_nodes_do_for_small_bending),
        cmocka_unit_test(weight_and_elasticity_are_gradients_of_energies),
        cmocka_unit_test(stiffness_is_the_slope_of_forces),
        cmocka_unit_test(points_move_as_their_columns_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
