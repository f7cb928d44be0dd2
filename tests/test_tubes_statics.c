// Concentric tubes at rest: two equal ones are a pendulum, theta'' = c sin(theta), whose motions are elliptic functions; three
// against integration of their equations in another frame; what the Kirchhoff rod of another model says; refusals.
#include "tubes.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- elliptic functions
// cn/dn of (x | m), by the arithmetic-geometric mean (Abramowitz & Stegun 16.4).
static double elliptic_cd(double x, double m) {
    double a[32] = {1.0}, c[32] = {sqrt(m)}, b = sqrt(1.0 - m);
    int n = 0;
    for (; fabs(c[n]) > 1e-16 && n < 30; n++) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
    }
    double phi = ldexp(a[n] * x, n);
    for (int i = n; i > 0; i--) phi = 0.5 * (phi + asin(c[i] * sin(phi) / a[i]));
    const double sn = sin(phi);
    return cos(phi) / sqrt(1.0 - m * sn * sn);
}

// theta(0) = alpha, theta'(L) = 0: theta(s) = pi - 2 asin(k cd(sqrt(c)(L - s) | k^2)).
static double pendulum_modulus(double lambda, double alpha) {
    double low = 0.0, high = 1.0 - 1e-14;
    for (int i = 0; i < 200; i++) {
        const double k = 0.5 * (low + high);
        if (k * elliptic_cd(lambda, k * k) < sin(0.5 * (PI - alpha))) low = k;
        else high = k;
    }
    return 0.5 * (low + high);
}

static double pendulum_angle(double k, double left) {  // left: sqrt(c)(L - s)
    return PI - 2.0 * asin(k * elliptic_cd(left, k * k));
}

// ---------------------------------------------------------------- two tubes
// Bent by w cos(theta/2) about the mean of their directions, which stays: a plane curve. Its points at s by Simpson's rule, in
// that plane.
typedef struct planar {
    double across, along, bend;
} planar;

static planar pendulum_curve(double k, double lambda, double L, double w, double s) {
    enum { STEPS = 400 };
    const double h = s / STEPS, root = lambda / L;
    planar x = {0.0, 0.0, 0.0};
    for (int i = 0; i < STEPS; i++) {
        double bend[3] = {x.bend}, u[5];
        for (int j = 0; j < 5; j++)
            u[j] = w * cos(0.5 * pendulum_angle(k, lambda - root * (i + 0.25 * j) * h));
        bend[1] = x.bend + h / 12.0 * (u[0] + 4.0 * u[1] + u[2]);
        bend[2] = bend[1] + h / 12.0 * (u[2] + 4.0 * u[3] + u[4]);
        x.across += h / 6.0 * (sin(bend[0]) + 4.0 * sin(bend[1]) + sin(bend[2]));
        x.along += h / 6.0 * (cos(bend[0]) + 4.0 * cos(bend[1]) + cos(bend[2]));
        x.bend = bend[2];
    }
    return x;
}

#define PAIR_EI 0.02
#define PAIR_GJ (PAIR_EI / 1.3)
#define PAIR_W 20.0
// c = w^2 k k/(k + k) (1/GJ + 1/GJ)
static double rate(void) {
    return PAIR_W * PAIR_W * 0.5 * PAIR_EI * 2.0 / PAIR_GJ;
}

static world two_tubes(double lambda, int nodes) {
    const double L = lambda / sqrt(rate());
    const test_tube t[2] = {{"outer", PAIR_EI, PAIR_GJ, L, 0.0, PAIR_W, 0.0},
                            {"inner", PAIR_EI, PAIR_GJ, L, 0.0, PAIR_W, 0.0}};
    const td_options o = tubes_options(nodes);
    return world_make(tubes_robot(t, 2), &o);
}

static void turn_to(world *w, double alpha) {
    td_set_input(w->system, w->state, 2, alpha);
}

// Numbers of an independent implementation of the same formula.
static void the_pendulum_is_computed_right(void **state) {
    (void)state;
    const double known[4][3] = {{1.0, 2.0, 1.5024636509},
                                {1.4, 3.0, 2.4693907957},
                                {2.0, 1.5, 0.4263115821},
                                {3.0, 2.5, 0.2908989478}};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(pendulum_angle(pendulum_modulus(known[i][0], known[i][1]), 0.0), known[i][2],
                   1e-9);
}

static void two_equal_tubes_turn_like_a_pendulum(void **state) {
    (void)state;
    const double cases[4][2] = {{1.0, 2.0}, {1.4, 3.0}, {2.0, 1.5}, {3.0, 2.5}};
    for (int i = 0; i < 4; i++) {
        const double lambda = cases[i][0], alpha = cases[i][1], L = lambda / sqrt(rate());
        world w = two_tubes(lambda, 14);
        turn_to(&w, alpha);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const double k = pendulum_modulus(lambda, alpha);
        for (int j = 0; j <= 20; j++) {
            const double s = L * j / 20.0, theta = pendulum_angle(k, lambda * (1.0 - j / 20.0));
            CHECK_NEAR(angle_between(&w, 0, s, 1, s), theta, 1e-8);
        }
        for (int j = 1; j <= 4; j++) {
            const planar x = pendulum_curve(k, lambda, L, PAIR_W, 0.25 * j * L);
            const td_pose at = td_get_pose(w.system, w.state, 0, 0.25 * j * L);
            CHECK_NEAR(at.p[0], x.across * sin(0.5 * alpha), 1e-8 * L);
            CHECK_NEAR(at.p[1], -x.across * cos(0.5 * alpha), 1e-8 * L);
            CHECK_NEAR(at.p[2], x.along, 1e-8 * L);
        }
        // The strain between nodes is interpolated.
        const td_sample mid = td_get_sample(w.system, w.state, 0, 0.37 * L);
        const double theta = pendulum_angle(k, 0.63 * lambda);
        CHECK_NEAR(hypot(mid.strain[0], mid.strain[1]), PAIR_W * cos(0.5 * theta), 5e-6);
        world_free(&w);
    }
}

// At the end it converges as the square of the degree: n nodes, one stretch.
static void angles_converge_spectrally(void **state) {
    (void)state;
    const double truth = pendulum_angle(pendulum_modulus(2.0, 1.5), 0.0);
    const double most[2] = {2e-10, 2e-12};
    for (int i = 0; i < 2; i++) {
        world w = two_tubes(2.0, i ? 10 : 8);
        const double L = td_rod_length(w.system, 0);
        turn_to(&w, 1.5);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_NEAR(angle_between(&w, 0, L, 1, L), truth, most[i]);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- stability
// Opposed, u = 0 and nothing twists: an equilibrium whatever the length.
static double opposed_eigenvalue(double lambda) {
    world w = two_tubes(lambda, 8);
    double q[80] = {0.0}, smallest;
    assert_in_range(td_n_coordinates(w.system), 1, 80);
    turn_to(&w, PI);
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
    world_free(&w);
    return smallest;
}

static void opposed_tubes_snap_where_L_sqrt_c_is_half_pi(void **state) {
    (void)state;
    assert_true(opposed_eigenvalue(0.5 * PI - 1e-6) > 0.0);
    assert_true(opposed_eigenvalue(0.5 * PI + 1e-6) < 0.0);
    // Within 1e-8 of 0 an eigenvalue is told to be 0: it is found from both sides.
    const double e = 1e-5, before = opposed_eigenvalue(0.5 * PI - e),
                 after = opposed_eigenvalue(0.5 * PI + e);
    CHECK_NEAR(e * (before + after) / (before - after), 0.0, 1e-9);
}

// alpha(k) = pi - 2 asin(k cd(lambda | k^2)) along the branch has its largest value at the fold.
static double fold_angle(double lambda) {
    double most = 0.0;
    for (int i = 0; i < 20000; i++) {
        const double k = i / 20000.0;
        most = fmax(most, PI - 2.0 * asin(k * elliptic_cd(lambda, k * k)));
    }
    return most;
}

static void a_path_of_turns_is_followed_through_its_fold(void **state) {
    (void)state;
    const double lambda = 2.0, fold = fold_angle(lambda);
    CHECK_BETWEEN(fold, PI + 0.05, PI + 1.0);
    world w = two_tubes(lambda, 8);
    const double L = td_rod_length(w.system, 0);
    turn_to(&w, fold - 0.01);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const double before = angle_between(&w, 0, L, 1, L);
    CHECK_BETWEEN(before, 0.0, PI);
    turn_to(&w, fold + 0.01);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
    // Beyond it the other end has snapped: seen from 2 pi the same pendulum, mirrored.
    const double alpha = fold + 0.01;
    const double mirrored = pendulum_angle(pendulum_modulus(lambda, 2.0 * PI - alpha), 0.0);
    CHECK_NEAR(angle_between(&w, 0, L, 1, L), -mirrored, 1e-7);
    double smallest;
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
    assert_true(smallest > 0.0);
    world_free(&w);
}

// ---------------------------------------------------------------- three tubes
// A set that is in public use, outermost first.
static const test_tube three[3] = {
    {"outer", 47.163091968e9 * 0.8432e-12, 29.788923392e9 * 0.1686e-11, 0.174, 0.040, 3.5, -0.0945},
    {"middle", 52.548578304e9 * 0.3267e-12, 21.467424256e9 * 0.0653e-11, 0.332, 0.219, 13.108,
     -0.2025},
    {"inner", 64.359738368e9 * 0.0601e-12, 25.091302912e9 * 0.0120e-11, 0.431, 0.328, 21.3,
     -0.2858},
};

static void add_tip_wrench(td_robot *robot, int rod, double s, const double f[3],
                           const double m[3]) {
    td_error err = {0};
    td_load_def load = point_load("tip", s);
    load.rod = rod;
    set3(load.force, f[0], f[1], f[2]);
    set3(load.moment, m[0], m[1], m[2]);
    CHECK_OK(td_robot_add_load(robot, &load, &err), err);
}

static world three_tubes(int nodes, const double alpha[3], const double f[3], const double m[3]) {
    const td_options o = tubes_options(nodes);
    td_robot *robot = tubes_robot(three, 3);
    add_tip_wrench(robot, 2, three[2].length, f, m);
    world w = world_make(robot, &o);
    for (int i = 0; i < 3; i++) td_set_input(w.system, w.state, 2 * i, alpha[i]);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// The same by shooting, in the frame of the innermost tube, with the moment as a state: from the plate, with RK4. States
// p (3), R (9), moment in the frame (3), then the angle in that frame and the twist of each tube.
enum { N_STATES = 15 + 6, N_UNKNOWNS = 5 };
typedef struct shot {
    double force[3], moment[3], alpha[3];
    double cuts[8];
    int n_cuts, steps;
} shot;

static void slopes(const shot *x, const bool there[3], const double w[3], const double *y,
                   double *dy) {
    const double *R = y + 3, *m = y + 12, *angle = y + 15, *twist = y + 18;
    double K = 0.0, u[3] = {m[0], m[1], twist[2]}, local[3];
    for (int i = 0; i < 3; i++) {
        if (!there[i]) continue;
        K += three[i].EI;
        u[0] += three[i].EI * cos(angle[i]) * w[i];
        u[1] += three[i].EI * sin(angle[i]) * w[i];
    }
    u[0] /= K, u[1] /= K;
    for (int c = 0; c < 3; c++) {
        dy[c] = R[3 * c + 2];
        dy[3 + 3 * c] = R[3 * c + 1] * u[2] - R[3 * c + 2] * u[1];
        dy[4 + 3 * c] = R[3 * c + 2] * u[0] - R[3 * c] * u[2];
        dy[5 + 3 * c] = R[3 * c] * u[1] - R[3 * c + 1] * u[0];
        local[c] = R[c] * x->force[0] + R[3 + c] * x->force[1] + R[6 + c] * x->force[2];
    }
    // m' = -u x m - e3 x R'F
    dy[12] = -(u[1] * m[2] - u[2] * m[1]) + local[1];
    dy[13] = -(u[2] * m[0] - u[0] * m[2]) - local[0];
    dy[14] = -(u[0] * m[1] - u[1] * m[0]);
    for (int i = 0; i < 3; i++) {
        // c t' = -k (u x w) . e3, u and w in one frame
        const double wx = cos(angle[i]) * w[i], wy = sin(angle[i]) * w[i];
        dy[15 + i] = there[i] ? twist[i] - twist[2] : 0.0;
        dy[18 + i] = there[i] ? three[i].EI / three[i].GJ * (u[0] * wy - u[1] * wx) : 0.0;
    }
}

// miss (5): torques at the tips of tubes, moments at the tip; p: the tip.
static void shoot(const shot *x, const double *unknown, double *miss, double p[3]) {
    double y[N_STATES] = {0}, k[4][N_STATES], at[N_STATES];
    const double psi = x->alpha[2] - three[2].beta * unknown[2];
    y[3] = y[7] = cos(psi), y[6] = sin(psi), y[4] = -y[6], y[11] = 1.0;
    for (int i = 0; i < 3; i++) {
        y[18 + i] = unknown[i];
        y[15 + i] = x->alpha[i] - three[i].beta * unknown[i] - psi;
        y[14] += three[i].GJ * unknown[i];
    }
    y[12] = unknown[3], y[13] = unknown[4];
    double from = 0.0;
    for (int c = 0; c < x->n_cuts; c++) {
        const double h = (x->cuts[c] - from) / x->steps, mid = 0.5 * (x->cuts[c] + from);
        bool there[3];
        double w[3];
        for (int i = 0; i < 3; i++) {
            there[i] = mid < three[i].length + three[i].beta;
            w[i] = mid > three[i].straight + three[i].beta ? three[i].curvature : 0.0;
        }
        for (int n = 0; n < x->steps; n++) {
            for (int stage = 0; stage < 4; stage++) {
                const double share = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
                for (int i = 0; i < N_STATES; i++)
                    at[i] = y[i] + (stage ? share * k[stage - 1][i] : 0.0);
                slopes(x, there, w, at, k[stage]);
            }
            for (int i = 0; i < N_STATES; i++)
                y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
        // a tube that ends here keeps its twist as what is missed
        from = x->cuts[c];
    }
    double tip[3];
    for (int c = 0; c < 3; c++)
        tip[c] = y[3 + c] * x->moment[0] + y[6 + c] * x->moment[1] + y[9 + c] * x->moment[2];
    miss[0] = y[18], miss[1] = y[19], miss[2] = y[20] - tip[2] / three[2].GJ;
    miss[3] = y[12] - tip[0], miss[4] = y[13] - tip[1];
    memcpy(p, y, 3 * sizeof *p);
}

static void solve5(double A[5][6]) {
    for (int c = 0; c < 5; c++) {
        int best = c;
        for (int r = c + 1; r < 5; r++)
            if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
        for (int k = 0; k < 6; k++) {
            const double t = A[c][k];
            A[c][k] = A[best][k], A[best][k] = t;
        }
        for (int r = 0; r < 5; r++) {
            const double f = A[r][c] / A[c][c];
            for (int k = c; k < 6 && r != c; k++) A[r][k] -= f * A[c][k];
        }
    }
    for (int r = 0; r < 5; r++) A[r][5] /= A[r][r];
}

static void shoot_three(const double alpha[3], const double f[3], const double m[3], double p[3],
                        double angles[3]) {
    shot x = {.steps = 60};
    double unknown[5] = {0.0}, miss[5], other[5], ignored[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const double s = three[i].beta + (k ? three[i].length : three[i].straight);
            if (s > 0.0) x.cuts[x.n_cuts++] = s;
        }
    for (int i = 1; i < x.n_cuts; i++)
        for (int k = i; k > 0 && x.cuts[k] < x.cuts[k - 1]; k--) {
            const double t = x.cuts[k];
            x.cuts[k] = x.cuts[k - 1], x.cuts[k - 1] = t;
        }
    for (int step = 1; step <= 8; step++) {
        for (int i = 0; i < 3; i++) {
            x.alpha[i] = alpha[i] * step / 8.0;
            x.force[i] = f[i] * step / 8.0;
            x.moment[i] = m[i] * step / 8.0;
        }
        for (int n = 0; n < 8; n++) {
            double A[5][6];
            shoot(&x, unknown, miss, p);
            for (int c = 0; c < 5; c++) {
                double moved[5];
                memcpy(moved, unknown, sizeof moved);
                moved[c] += 1e-6;
                shoot(&x, moved, other, ignored);
                for (int r = 0; r < 5; r++) A[r][c] = (other[r] - miss[r]) / 1e-6;
            }
            for (int r = 0; r < 5; r++) A[r][5] = -miss[r];
            solve5(A);
            for (int r = 0; r < 5; r++) unknown[r] += A[r][5];
        }
    }
    shoot(&x, unknown, miss, p);
    for (int r = 0; r < 5; r++) CHECK_NEAR(miss[r], 0.0, 1e-9);
    for (int i = 0; i < 3; i++) angles[i] = alpha[i] - three[i].beta * unknown[i];
}

static const struct three_case {
    double alpha[3], f[3], m[3];  // outermost first
    double tip[3], psi[3];        // as another program found them, to the digits given
} cases[3] = {
    {{-0.8, 1.0, 0.0},
     {0},
     {0},
     {0.00633678, -0.06072718, 0.11787031},
     {-0.73556199, 0.48323921, 0.14486486}},
    {{-1.0, 1.5, 0.3},
     {0.05, -0.08, 0.1},
     {0},
     {0.0220584, -0.04918364, 0.12284605},
     {-0.92533217, 0.90794967, 0.48944131}},
    {{-1.0, 1.5, 0.3},
     {0.05, -0.08, 0.1},
     {1e-3, -2e-3, 1e-3},
     {0.02265005, -0.04861379, 0.12302911},
     {-0.92548618, 0.91802129, 0.51875353}},
};

static void three_tubes_agree_with_shooting_in_another_frame(void **state) {
    (void)state;
    for (int i = check_briefly() ? 2 : 0; i < 3; i++) {
        const struct three_case *k = &cases[i];
        double p[3], angles[3];
        shoot_three(k->alpha, k->f, k->m, p, angles);
        world w = three_tubes(6, k->alpha, k->f, k->m);
        const td_pose tip = td_get_pose(w.system, w.state, 2, three[2].length);
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR(tip.p[c], p[c], 1e-9);
            CHECK_NEAR(tip.p[c], k->tip[c], 6e-9);
            const td_pose plate = td_get_pose(w.system, w.state, c, -three[c].beta);
            const double psi = 2.0 * atan2(plate.q[3], plate.q[0]);
            CHECK_NEAR(psi, angles[c], 1e-8);
            CHECK_NEAR(psi, k->psi[c], 6e-9);
        }
        world_free(&w);
    }
}

static void four_nodes_between_cuts_are_enough(void **state) {
    (void)state;
    const struct three_case *k = &cases[2];
    world fine = three_tubes(check_briefly() ? 6 : 8, k->alpha, k->f, k->m);
    const td_pose truth = td_get_pose(fine.system, fine.state, 2, three[2].length);
    const double most[3] = {3e-6, 3e-8, 3e-10};
    for (int n = check_briefly() ? 4 : 2; n <= 4; n++) {
        world w = three_tubes(n, k->alpha, k->f, k->m);
        const td_pose tip = td_get_pose(w.system, w.state, 2, three[2].length);
        for (int c = 0; c < 3; c++) CHECK_NEAR(tip.p[c], truth.p[c], most[n - 2]);
        world_free(&w);
    }
    world_free(&fine);
}

// ---------------------------------------------------------------- derivatives
// Of the second of the three, as another program found them (rows x, y, z; columns inner, middle, outer).
static void derivatives_by_turns_and_pushes_are_known(void **state) {
    (void)state;
    const double by_turn[3][3] = {{0.005528659, 0.031161371, 0.008508235},
                                  {0.004468528, 0.027113066, -0.012591721},
                                  {0.001087764, 0.007510157, -0.00927134}};
    const double by_push[3][3] = {{0.603092666, 0.02369349, -0.833686493},
                                  {-0.598231455, 0.596533181, -0.169626465},
                                  {0.330090008, 0.361155721, 0.277812304}};
    world w = three_tubes(6, cases[1].alpha, cases[1].f, cases[1].m);
    double J[36], C[36];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 2, three[2].length, J));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            CHECK_NEAR(J[(3 + r) * 6 + 2 * (2 - c)], by_turn[r][c], 2e-8);
            CHECK_NEAR(J[(3 + r) * 6 + 2 * (2 - c) + 1], by_push[r][c], 1e-6);
        }
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 2, three[2].length, 2, three[2].length, C));
    for (int r = 3; r < 6; r++)
        for (int c = 3; c < 6; c++)
            CHECK_NEAR(C[6 * r + c], C[6 * c + r], 1e-6 * fabs(C[6 * r + r]));
    world_free(&w);
}

// ---------------------------------------------------------------- cuts that pass one another
static void the_tip_is_continuous_where_cuts_meet(void **state) {
    (void)state;
    const struct three_case *k = &cases[0];
    world w = three_tubes(4, k->alpha, k->f, k->m);
    // The curve of the inner tube begins at 42.2 mm, the outer tube ends at 79.5 mm.
    const double meet = 0.0795 - (three[2].straight + three[2].beta);
    td_pose before = {{0}, {0}};
    for (int i = -2; i <= 2; i++) {
        td_set_input(w.system, w.state, 5, meet + i * 1e-9);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        const td_pose tip = td_get_pose(w.system, w.state, 2, three[2].length);
        for (int c = 0; c < 3 && i > -2; c++) CHECK_NEAR(tip.p[c], before.p[c], 1.5e-9);
        before = tip;
    }
    world_free(&w);
}

// ---------------------------------------------------------------- one tube is a rod
static td_robot *one_rod(void) {
    td_piece_def pieces[2] = {steel_piece(), steel_piece()};
    pieces[0].length = 0.15, pieces[1].length = 0.25;
    pieces[1].rest_curvature[0] = 4.0, pieces[1].rest_curvature[1] = -2.0;
    td_robot *robot = rod_robot(pieces, 2);
    const double f[3] = {0.2, -0.1, -0.4}, m[3] = {0.0, 0.02, 0.05};
    set_gravity(robot, -3.0, 2.0, -9.81);
    add_tip_wrench(robot, 0, 0.4, f, m);
    return robot;
}

static void one_tube_is_a_kirchhoff_rod(void **state) {
    (void)state;
    td_options o = td_default_options(), t = tubes_options(8);
    o.theory = TD_KIRCHHOFF, o.nodes = 24;
    world a = world_make(one_rod(), &o), b = world_make(one_rod(), &t);
    CHECK_CALL(&a, td_solve_statics(a.system, a.state));
    CHECK_CALL(&b, td_solve_statics(b.system, b.state));
    for (int i = 1; i <= 8; i++) {
        const double s = 0.05 * i;
        const td_sample x = td_get_sample(a.system, a.state, 0, s),
                        y = td_get_sample(b.system, b.state, 0, s);
        for (int c = 0; c < 3; c++) CHECK_NEAR(x.pose.p[c], y.pose.p[c], 1e-8);
        for (int c = 0; c < 4; c++) CHECK_NEAR(fabs(x.pose.q[c]), fabs(y.pose.q[c]), 1e-6);
        for (int c = 0; c < 6; c++) CHECK_NEAR(x.wrench[c], y.wrench[c], 2e-5);
    }
    const td_reaction x = td_get_reaction(a.system, a.state, 0, TD_BASE),
                      y = td_get_reaction(b.system, b.state, 0, TD_BASE);
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(x.force[c], y.force[c], 1e-9);
        CHECK_NEAR(x.moment[c], y.moment[c], 1e-8);
    }
    world_free(&a), world_free(&b);
}

// ---------------------------------------------------------------- where they snap
// All curvatures times f, the inner tube opposed: in one plane nothing twists.
static double opposed_three(double f) {
    test_tube t[3];
    double smallest;
    memcpy(t, three, sizeof t);
    for (int i = 0; i < 3; i++) t[i].curvature *= i == 2 ? -f : f;
    const td_options o = tubes_options(6);
    world w = world_make(tubes_robot(t, 3), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(td_get_sample(w.system, w.state, 2, 0.3).strain[2], 0.0, 1e-9);
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
    world_free(&w);
    return smallest;
}

// Value at 0 of the parabola through three points (x, y).
static double parabola_at_0(const double x[3], const double y[3]) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += y[i] * x[j] * x[k] / ((x[i] - x[j]) * (x[i] - x[k]));
    }
    return sum;
}

// The determinant of a shooting matrix vanished there in another program.
static void three_opposed_tubes_snap_where_it_is_known(void **state) {
    (void)state;
    double f[3] = {0.338, 0.340, 0.342}, eigenvalues[3];
    for (int i = 0; i < 3; i++) eigenvalues[i] = opposed_three(f[i]);
    CHECK_NEAR(parabola_at_0(eigenvalues, f), 0.342306794, 2e-8);
}

// The pair of Till et al. 2020 without weight and markers: backward integration has its fold at 3.57282409 rad.
static void a_published_pair_folds_where_it_is_known(void **state) {
    (void)state;
    const char *const sets[] = {"gravity=[0, 0, 0]", "bodies=[]", "rods.inner.tube.friction=0",
                                "simulation.tubes.nodes=6"};
    const double alpha[3] = {3.5722, 3.5725, 3.5728};
    double eigenvalues[3];
    td_error err = {0};
    td_robot *robot = td_robot_load(EXAMPLES "/tube-snap.yaml", sets, 4, &err);
    if (!robot) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(robot);
    const td_options o = td_robot_options(robot);
    world w = world_make(robot, &o);
    for (int i = 0; i < 3; i++) {
        td_set_input(w.system, w.state, 0, -alpha[i]);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &eigenvalues[i]));
    }
    CHECK_NEAR(parabola_at_0(eigenvalues, alpha), 3.57282409, 2e-6);
    world_free(&w);
}

// How far from losing its stability is the same in both models, by the same material.
static void a_bent_rod_is_as_stable_as_in_another_model(void **state) {
    (void)state;
    double smallest[2];
    for (int i = 0; i < 2; i++) {
        char text[512];
        td_error err = {0};
        snprintf(text, sizeof text,
                 "tendril: 1\n"
                 "rods: [{name: a, length: 0.3, section: {width: 4 mm, height: 8 mm}, material: "
                 "{youngs_modulus: 5 MPa, poisson_ratio: 0.4, density: 1000}, "
                 "base: {direction: [1, 0, 1]}}]\n"
                 "simulation: {model: %s, theory: kirchhoff, space: {nodes: 14}}\n",
                 i ? "tubes" : "cosserat");
        td_robot *robot = td_robot_parse(text, strlen(text), "flat.yaml", NULL, 0, &err);
        if (!robot) fail_msg("%s: %s", err.where, err.message);
        const td_options o = td_robot_options(robot);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest[i]));
        world_free(&w);
    }
    CHECK_BETWEEN(smallest[0], 0.2, 0.9);
    CHECK_NEAR(smallest[1], smallest[0], 1e-4);
}

// ---------------------------------------------------------------- obstacles
// What the wall bears, the back ends and the load hold: no force and no moment is left. And a tube by itself leans as the rod of
// another model does.
static void tubes_lean_on_a_wall_in_balance(void **state) {
    (void)state;
    const double load[3] = {0.0, -0.6, 0.0}, none[3] = {0.0, 0.0, 0.0};
    const td_options o = tubes_options(6);
    td_robot *robot = tubes_robot(three, 3);
    td_error err = {0};
    td_obstacle_def wall = td_default_obstacle_def();
    wall.name = "wall", wall.shape = TD_OBSTACLE_PLANE, wall.stiffness = 1e5;
    wall.position[1] = td_constant(-0.05);
    wall.orientation[0] = wall.orientation[1] = sqrt(0.5),
    wall.orientation[1] *= -1.0;  // its z is y
    CHECK_OK(td_robot_add_obstacle(robot, &wall, &err), err);
    add_tip_wrench(robot, 2, three[2].length, load, none);
    world w = world_make(robot, &o);
    for (int i = 0; i < 3; i++) td_set_input(w.system, w.state, 2 * i, cases[0].alpha[i]);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    const td_pose tip = td_get_pose(w.system, w.state, 2, three[2].length);
    assert_true(td_get_contacts(w.system, w.state, NULL, 0) > 0);
    CHECK_BETWEEN(tip.p[1], -0.052, -0.049);
    const td_reaction on = td_get_obstacle_wrench(w.system, w.state, 0);
    double force[3], moment[3];
    for (int c = 0; c < 3; c++) force[c] = load[c] - on.force[c], moment[c] = 0.0;
    // moments about the base: of the load, of the wall (about its origin, at y = -0.05 m), of back ends
    moment[0] += tip.p[1] * load[2] - tip.p[2] * load[1];
    moment[1] += tip.p[2] * load[0] - tip.p[0] * load[2];
    moment[2] += tip.p[0] * load[1] - tip.p[1] * load[0];
    moment[0] -= on.moment[0] - 0.05 * on.force[2];
    moment[1] -= on.moment[1];
    moment[2] -= on.moment[2] + 0.05 * on.force[0];
    for (int i = 0; i < 3; i++) {
        const td_reaction r = td_get_reaction(w.system, w.state, i, TD_BASE);
        for (int c = 0; c < 3; c++) force[c] += r.force[c], moment[c] += r.moment[c];
    }
    for (int c = 0; c < 3; c++) CHECK_NEAR(force[c], 0.0, 1e-9);
    for (int c = 0; c < 3; c++) CHECK_NEAR(moment[c], 0.0, 1e-9);
    assert_true(on.force[1] < -0.3);
    world_free(&w);
}

static void a_tube_leans_on_a_wall_like_a_rod(void **state) {
    (void)state;
    td_error err = {0};
    td_pose tips[2];
    for (int i = 0; i < 2; i++) {
        const char *const sets[] = {i ? "simulation.model=tubes" : "simulation.model=cosserat",
                                    "simulation.theory=kirchhoff"};
        td_robot *robot = td_robot_load(EXAMPLES "/leaning-arm.yaml", sets, 2, &err);
        assert_non_null(robot);
        const td_options o = td_robot_options(robot);
        world w = world_make(robot, &o);
        CHECK_CALL(&w, td_begin(w.system, w.state));
        for (int k = 0; k < 220; k++) CHECK_CALL(&w, td_advance(w.system, w.state, 5e-3));
        assert_true(td_get_contacts(w.system, w.state, NULL, 0) > 0);
        tips[i] = tip_of(&w);
        world_free(&w);
    }
    for (int c = 0; c < 3; c++) CHECK_NEAR(tips[0].p[c], tips[1].p[c], 1e-4);
}

// ---------------------------------------------------------------- refusals
static void refuse_rod(td_robot *robot, const td_rod_def *rod, const char *where,
                       const char *words) {
    td_error err = {0};
    assert_true(td_robot_add_rod(robot, rod, &err) < 0);
    if (!strstr(err.where, where) || !strstr(err.message, words))
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(strstr(err.where, where));
    assert_non_null(strstr(err.message, words));
}

static void what_is_no_tube_is_refused(void **state) {
    (void)state;
    td_piece_def piece = steel_piece();
    piece.section.inner_radius = piece.section_end.inner_radius = 0.8e-3;
    td_robot *robot = rod_robot(&piece, 1);
    td_rod_def rod = td_default_rod_def();
    td_piece_def thin = steel_piece();
    thin.section.radius = thin.section_end.radius = 0.9e-3;
    rod.name = "inner", rod.pieces = &thin, rod.n_pieces = 1, rod.tube.within = 0;
    refuse_rod(robot, &rod, "rods.inner.tube.within", "room for 0.0008 m");
    thin.section.radius = thin.section_end.radius = 0.7e-3;
    rod.tube.translation = td_constant(-0.5);
    refuse_rod(robot, &rod, "rods.inner.tube.translation", "nothing of the tube");
    rod.tube.translation = td_constant(0.01);
    refuse_rod(robot, &rod, "rods.inner.tube.translation", "before the base");
    rod.tube.translation = td_constant(0.0);
    rod.tube.within = 7;
    refuse_rod(robot, &rod, "rods.inner.tube.within", "not the index of a rod");
    rod.tube.within = 0;
    rod.base.position[0] = td_constant(0.1);
    refuse_rod(robot, &rod, "rods.inner.tube.within", "leave its own out");
    rod.base.position[0] = td_constant(0.0);
    rod.feed = td_constant(0.1);
    refuse_rod(robot, &rod, "rods.inner.tube.within", "tube.translation, not by feed");
    rod.feed = td_constant(0.0);
    rod.tube.friction = 0.1, rod.tube.slip_rate = 0.0;
    refuse_rod(robot, &rod, "rods.inner.tube.slip_rate", "positive");
    rod.tube.within = -1;
    refuse_rod(robot, &rod, "rods.inner.tube.friction", "runs in none");
    rod.tube.friction = 0.0, rod.tube.within = 0;
    td_error err = {0};
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    rod.name = "other";
    refuse_rod(robot, &rod, "rods.other.tube.within", "'inner' runs in 'rod' already");
    // Other models say that they cannot, and who can.
    const td_options o = td_default_options();
    assert_null(td_system_create(robot, &o, &err));
    assert_non_null(strstr(err.message, "concentric tubes"));
    assert_non_null(strstr(err.message, "tubes"));
    td_robot_destroy(robot);
}

static void a_tube_that_is_pulled_out_is_refused_with_its_numbers(void **state) {
    (void)state;
    world w = three_tubes(4, cases[0].alpha, cases[0].f, cases[0].m);
    const td_pose before = td_get_pose(w.system, w.state, 2, three[2].length);
    td_set_input(w.system, w.state, 1, -0.08);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_ERR_VALUE);
    assert_non_null(strstr(td_message(w.state), "rod 'outer': tube.translation is -0.1745 m"));
    const td_pose after = td_get_pose(w.system, w.state, 2, three[2].length);
    assert_memory_equal(&before, &after, sizeof before);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_is_computed_right),
        cmocka_unit_test(two_equal_tubes_turn_like_a_pendulum),
        cmocka_unit_test(angles_converge_spectrally),
        cmocka_unit_test(opposed_tubes_snap_where_L_sqrt_c_is_half_pi),
        cmocka_unit_test(a_path_of_turns_is_followed_through_its_fold),
        cmocka_unit_test(three_tubes_agree_with_shooting_in_another_frame),
        cmocka_unit_test(four_nodes_between_cuts_are_enough),
        cmocka_unit_test(derivatives_by_turns_and_pushes_are_known),
        cmocka_unit_test(the_tip_is_continuous_where_cuts_meet),
        cmocka_unit_test(one_tube_is_a_kirchhoff_rod),
        cmocka_unit_test(three_opposed_tubes_snap_where_it_is_known),
        cmocka_unit_test(a_published_pair_folds_where_it_is_known),
        cmocka_unit_test(a_bent_rod_is_as_stable_as_in_another_model),
        cmocka_unit_test(tubes_lean_on_a_wall_in_balance),
        cmocka_unit_test(a_tube_leans_on_a_wall_like_a_rod),
        cmocka_unit_test(what_is_no_tube_is_refused),
        cmocka_unit_test(a_tube_that_is_pulled_out_is_refused_with_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
