// The common solver on formulations so small that everything is known in closed form.
#include <string.h>

#include "solve/step.h"

#include "check.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------- a robot of one part
typedef struct rig {
    solve_part p;
    solve_memory m;
    double block[40000];
    double inputs[2], before[2], zero[2], scratch[4];
    td_options options;
    td_stats stats;
    char message[MODEL_MESSAGE_SIZE];
} rig;

static const double units[3] = {1.0, 1.0, 1.0};

static model_call call_of(rig *r) {
    return (model_call){.inputs = r->inputs,
                        .rates = r->zero,
                        .inputs_before = r->before,
                        .rates_before = r->zero,
                        .smooth = r->zero,
                        .scratch = r->scratch,
                        .n_inputs = 2,
                        .options = &r->options,
                        .stats = &r->stats,
                        .message = r->message};
}

static void rig_make(rig *r, const mechanics *how, void *of, int n_q, int n_l) {
    memset(r, 0, sizeof *r);
    r->options = td_default_options();
    r->p = (solve_part){.how = how,
                        .of = of,
                        .name = "rig",
                        .n_x = n_q,
                        .n_q = n_q,
                        .n_l = n_l,
                        .unit = units,
                        .m = &r->m};
    arena count = {0}, all = {(unsigned char *)r->block, 0};
    solve_layout(&r->p, &count, &count, NULL);
    assert_true(count.used <= sizeof r->block);
    solve_layout(&r->p, &all, &all, &r->m);
}

static td_status rest_of(rig *r) {
    const model_call call = call_of(r);
    const solve_instant at = instant_at_rest(&call);
    r->stats = (td_stats){0};
    r->message[0] = '\0';
    r->p.how->rest(r->p.of, &at, r->m.q);
    return solve_statics(&r->p, &call);
}

// ---------------------------------------------------------------- a truss that snaps through
//     r = q^3 - q + share P, from q = 1: a fold at q = 1/sqrt(3), P = 2/(3 sqrt(3))
static void truss_residual(void *of, const solve_instant *at, const configuration *c, double *r,
                           double *powers) {
    (void)of, (void)powers;
    *r = pow(*c->q, 3) - *c->q + at->shares[SHARE_LOADS] * at->inputs[0];
}

static void truss_rest(void *of, const solve_instant *at, double *q) {
    (void)of, (void)at;
    *q = 1.0;
}

static const mechanics truss = {.residual = truss_residual, .rest = truss_rest};

static void a_load_beyond_a_fold_leads_to_the_other_branch_and_says_so(void **unused) {
    (void)unused;
    static rig r;
    rig_make(&r, &truss, NULL, 1, 0);
    r.inputs[0] = 0.2;  // below the fold
    assert_int_equal(rest_of(&r), TD_OK);
    CHECK_BETWEEN(*r.m.q, 0.578, 1.0);
    CHECK_NEAR(pow(*r.m.q, 3) - *r.m.q + 0.2, 0.0, 1e-9);
    r.inputs[0] = 1.0;
    assert_int_equal(rest_of(&r), TD_BIFURCATION);
    CHECK_NEAR(*r.m.q, -1.3247179572447460, 1e-9);
    CHECK_NEAR(r.stats.bifurcation, 2.0 / (3.0 * sqrt(3.0)), 2e-3);
    assert_non_null(strstr(r.message, "turn back at 38"));
    assert_non_null(strstr(r.message, "stable"));
}

// ---------------------------------------------------------------- an upright bar on a spring
//     r = q - share (p sin q + e): upright is lost at p = 1
static void bar_residual(void *of, const solve_instant *at, const configuration *c, double *r,
                         double *powers) {
    (void)of, (void)powers;
    *r = *c->q - at->shares[SHARE_LOADS] * (at->inputs[0] * sin(*c->q) + at->inputs[1]);
}

static void bar_rest(void *of, const solve_instant *at, double *q) {
    (void)of, (void)at;
    *q = 0.0;
}

static const mechanics bar = {.residual = bar_residual, .rest = bar_rest};

// A hundred loads and imperfections.
static void a_bar_leans_to_the_side_of_its_imperfection(void **unused) {
    (void)unused;
    static rig r;
    const double sizes[] = {1e-9, 1e-6, 1e-4, 1e-3, 1e-2};
    for (int i = 0; i < 100; i++) {
        rig_make(&r, &bar, NULL, 1, 0);
        r.inputs[0] = 0.5 + 0.05 * (i % 20 * 2);
        r.inputs[1] = sizes[i / 20] * (i % 2 ? 1.0 : -1.0);
        const td_status status = rest_of(&r);
        assert_true(status == TD_OK || status == TD_BIFURCATION);
        const double q = *r.m.q;
        CHECK_NEAR(q - r.inputs[0] * sin(q) - r.inputs[1], 0.0, 1e-9);
        assert_true(q * r.inputs[1] > 0.0);
        assert_true(1.0 - r.inputs[0] * cos(q) > 0.0);  // it holds
    }
}

static void a_perfect_bar_beyond_its_load_falls_and_that_is_said(void **unused) {
    (void)unused;
    static rig r;
    rig_make(&r, &bar, NULL, 1, 0);
    r.inputs[0] = 2.0;
    assert_int_equal(rest_of(&r), TD_BIFURCATION);
    CHECK_NEAR(fabs(*r.m.q), 1.8954942670339809, 1e-9);  // q = 2 sin q
    CHECK_NEAR(r.stats.bifurcation, 0.5, 1e-3);
}

// From an equilibrium the inputs are followed: it stays on its side when the imperfection turns round.
static void a_shape_follows_its_inputs(void **unused) {
    (void)unused;
    static rig r;
    rig_make(&r, &bar, NULL, 1, 0);
    r.inputs[0] = 2.0, r.inputs[1] = 1e-3;
    rest_of(&r);
    memcpy(r.before, r.inputs, sizeof r.before);
    r.inputs[1] = -1e-3;
    const model_call call = call_of(&r);
    assert_int_equal(solve_statics(&r.p, &call), TD_OK);
    assert_true(*r.m.q > 1.0);
}

// ---------------------------------------------------------------- spectra
typedef struct linear {  // r = K q, in units of B; energy: K is symmetric
    int n;
    double K[9], B[9];
    bool energy;
} linear;

static void linear_residual(void *of, const solve_instant *at, const configuration *c, double *r,
                            double *powers) {
    const linear *l = of;
    (void)at, (void)powers;
    for (int i = 0; i < l->n; i++) {
        r[i] = 0.0;
        for (int k = 0; k < l->n; k++) r[i] += l->K[i * l->n + k] * c->q[k];
    }
}

static bool linear_tangent(void *of, const solve_instant *at, const configuration *c,
                           const tangent_weights *w, double *matrix, double *r, double *powers) {
    const linear *l = of;
    for (int i = 0; i < l->n * l->n; i++) matrix[i] = w->q * l->K[i] + w->own * l->B[i];
    if (r) linear_residual(of, at, c, r, powers);
    return true;
}

static const char *linear_lacks(void *of, const solve_instant *at) {
    (void)at;
    return ((const linear *)of)->energy ? NULL : "it is a test";
}

static const mechanics linear_mechanics = {
    .residual = linear_residual, .tangent = linear_tangent, .lacks_potential = linear_lacks};

static int count_of(linear *l, double *smallest) {
    static rig r;
    rig_make(&r, &linear_mechanics, l, l->n, 0);
    const model_call call = call_of(&r);
    solve_stage s = {.p = &r.p, .at = instant_at_rest(&call), .stats = &r.stats};
    assert_int_equal(solve_stability(&r.p, &call, smallest), TD_OK);
    return spectrum_unstable(&s);
}

// Ziegler's column of two links: with a load that follows nothing is lost without inertia, K x = l B x
// has l = 1 twice; with a dead one a mode is lost at P L = (3 - sqrt(5))/2 k, another at (3 + sqrt(5))/2.
static void zieglers_column_is_judged_by_its_eigenvalues(void **unused) {
    (void)unused;
    for (int i = 1; i < 40; i++) {
        const double P = 0.1 * i;
        double smallest;
        linear follows = {2, {2 - P, P - 1, -1, 1}, {2, -1, -1, 1}, false};
        assert_int_equal(count_of(&follows, &smallest), 0);
        CHECK_NEAR(smallest, 1.0, 1e-5);  // a double root: half the digits
        linear dead = {2, {2 - P, -1, -1, 1 - P}, {2, -1, -1, 1}, true};
        const double first = 0.5 * (3 - sqrt(5)), second = 0.5 * (3 + sqrt(5));
        assert_int_equal(count_of(&dead, &smallest), (P > first) + (P > second));
        CHECK_NEAR(smallest, 1 - P / first, 1e-9);
    }
}

// 1 - p +- i m: lost in a pair, so that no determinant changes its sign.
static void modes_that_are_lost_in_pairs_are_seen(void **unused) {
    (void)unused;
    double smallest;
    linear upright = {2, {-0.2, 0.3, -0.3, -0.2}, {1, 0, 0, 1}, false};
    assert_int_equal(count_of(&upright, &smallest), 2);
    CHECK_NEAR(smallest, -0.2, 1e-9);
    linear held = {2, {0.2, 0.9, -0.9, 0.2}, {1, 0, 0, 1}, false};
    assert_int_equal(count_of(&held, &smallest), 0);
    CHECK_NEAR(smallest, 0.2, 1e-9);
}

// ---------------------------------------------------------------- spectra with multipliers
//     K of two springs and a load without a potential, held by q1 = given through a force in any unit:
//     what is left is q2 alone, l = (1 - p)
static void held_residual(void *of, const solve_instant *at, const configuration *c, double *r,
                          double *powers) {
    const double *p = of;  // load, unit of the force
    (void)powers;
    r[0] = c->q[0] + p[0] * c->q[1] - p[1] * c->l[0];
    r[1] = (1.0 - p[0]) * c->q[1] - p[0] * c->q[0];
    r[2] = at->inputs[0] - c->q[0];
}

static bool held_tangent(void *of, const solve_instant *at, const configuration *c,
                         const tangent_weights *w, double *matrix, double *r, double *powers) {
    const double *p = of;
    const double turn = w->symmetric ? p[1] : 1.0,
                 K[9] = {1.0, p[0], -p[1], -p[0], 1.0 - p[0], 0.0, -turn, 0.0, 0.0};
    for (int i = 0; i < 9; i++) matrix[i] = w->q * K[i] + (i == 0 || i == 4 ? w->own : 0.0);
    if (r) held_residual(of, at, c, r, powers);
    return true;
}

static const char *held_lacks(void *of, const solve_instant *at) {
    (void)of, (void)at;
    return "it is a test";
}

static const mechanics held_mechanics = {
    .residual = held_residual, .tangent = held_tangent, .lacks_potential = held_lacks};

static void what_is_held_does_not_count_whatever_the_unit_of_its_force(void **unused) {
    (void)unused;
    static rig r;
    for (int i = 0; i < 12; i++) {
        double p[2] = {i % 2 ? 1.2 : 0.8, pow(10.0, 2 * (i / 2) - 6)}, smallest;
        rig_make(&r, &held_mechanics, p, 2, 1);
        const model_call call = call_of(&r);
        solve_stage s = {.p = &r.p, .at = instant_at_rest(&call), .stats = &r.stats};
        assert_int_equal(solve_stability(&r.p, &call, &smallest), TD_OK);
        CHECK_NEAR(smallest, 1.0 - p[0], 1e-6);
        assert_int_equal(spectrum_unstable(&s), i % 2);
    }
}

// ---------------------------------------------------------------- a multiplier
//     two springs in series, k1 and k2, whose sum of stretches is given; l: the force
static void series_residual(void *of, const solve_instant *at, const configuration *c, double *r,
                            double *powers) {
    const double *k = of;
    (void)powers;
    r[0] = k[0] * c->q[0] - c->l[0];
    r[1] = k[1] * c->q[1] - c->l[0];
    r[2] = at->shares[SHARE_DRIVES] * at->inputs[0] - c->q[0] - c->q[1];
}

static void series_rest(void *of, const solve_instant *at, double *q) {
    (void)of, (void)at;
    q[0] = q[1] = 0.0;
}

static td_pose series_move(void *of, const solve_instant *at, const configuration *c,
                           const double *dz, const model_point *p, double moved[6]) {
    (void)of, (void)at, (void)p;
    memset(moved, 0, 6 * sizeof *moved);
    moved[3] = dz[0];
    moved[4] = dz[1];
    return (td_pose){.p = {c->q[0], c->q[1]}, .q = {1.0}};
}

static const mechanics series = {
    .residual = series_residual, .rest = series_rest, .move = series_move};

static void what_is_given_is_held_by_an_unknown_force(void **unused) {
    (void)unused;
    static rig r;
    double k[2] = {3.0, 5.0}, J[12];
    rig_make(&r, &series, k, 2, 1);
    r.inputs[0] = 0.4;
    assert_int_equal(rest_of(&r), TD_OK);
    CHECK_NEAR(r.m.l[0], 0.4 * 15.0 / 8.0, 1e-9);
    CHECK_NEAR(r.m.q[0], 0.25, 1e-9);
    const model_call call = call_of(&r);
    assert_int_equal(solve_jacobian(&r.p, &call, &(jacobian_part){{-1, 0, 0.0}, 6, NULL, 2}, J),
                     TD_OK);
    CHECK_NEAR(J[3 * 2 + 0], 5.0 / 8.0, 1e-6);
    CHECK_NEAR(J[4 * 2 + 0], 3.0 / 8.0, 1e-6);
    CHECK_NEAR(J[3 * 2 + 1], 0.0, 1e-6);
}

// ---------------------------------------------------------------- steps
//     a + 2 z w v + w^2 sin q = 0 for small q: a damped oscillator
#define OMEGA 7.0
#define ZETA 0.1
static void swing_residual(void *of, const solve_instant *at, const configuration *c, double *r,
                           double *powers) {
    (void)of, (void)at;
    *r = OMEGA * OMEGA * *c->q;
    if (c->v) *r += 2 * ZETA * OMEGA * *c->v;
    if (c->a) *r += *c->a;
    if (powers) powers[POWER_LOST] = 2 * ZETA * OMEGA * *c->v * *c->v;
    if (powers) powers[POWER_GIVEN] = 0.0;
}

static const mechanics swing = {.residual = swing_residual, .rest = bar_rest};

// What is missed after 1 s in n steps, and what is missing in the energies.
static double error_after(int n, double *book) {
    static rig r;
    rig_make(&r, &swing, NULL, 1, 0);
    step_inputs within = {.n = 2};
    double given[10];
    within.given = given, within.given_rates = given + 2, within.places = given + 4;
    within.rates = given + 6, within.accelerations = given + 8;
    *r.m.q = 1.0;
    const model_call call = call_of(&r);
    double lost = 0.0;
    for (int i = 0; i < n; i++) {
        step_run run = {.call = &call, .within = &within, .dt = 1.0 / n, .fresh = i == 0};
        step_inputs_begin(&within, &call, run.dt, run.fresh, false);
        assert_int_equal(solve_step(&run, &r.p), TD_OK);
        lost += run.energies[POWER_LOST];
    }
    const double w = OMEGA * sqrt(1 - ZETA * ZETA),
                 exact = exp(-ZETA * OMEGA) * (cos(w) + ZETA * OMEGA / w * sin(w));
    *book = 0.5 * *r.m.v * *r.m.v + 0.5 * OMEGA * OMEGA * (*r.m.q * *r.m.q - 1.0) + lost;
    return fabs(*r.m.q - exact);
}

static void steps_are_of_order_two_and_their_energies_too(void **unused) {
    (void)unused;
    double book[2], errors[2];
    errors[0] = error_after(200, &book[0]);
    errors[1] = error_after(400, &book[1]);
    CHECK_BETWEEN(log2(errors[0] / errors[1]), 1.9, 2.1);
    CHECK_BETWEEN(log2(fabs(book[0] / book[1])), 1.8, 3.2);
    assert_true(errors[1] < 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_beyond_a_fold_leads_to_the_other_branch_and_says_so),
        cmocka_unit_test(a_bar_leans_to_the_side_of_its_imperfection),
        cmocka_unit_test(a_perfect_bar_beyond_its_load_falls_and_that_is_said),
        cmocka_unit_test(a_shape_follows_its_inputs),
        cmocka_unit_test(zieglers_column_is_judged_by_its_eigenvalues),
        cmocka_unit_test(modes_that_are_lost_in_pairs_are_seen),
        cmocka_unit_test(what_is_held_does_not_count_whatever_the_unit_of_its_force),
        cmocka_unit_test(what_is_given_is_held_by_an_unknown_force),
        cmocka_unit_test(steps_are_of_order_two_and_their_energies_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
