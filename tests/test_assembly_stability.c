// Stability: columns against Euler, and the verdict about chains against a reduced Hessian made
// by brute force from differences of the residual.
#include "chains.h"

#include "math/symmetric.h"
#include "model/cosserat/assembly.h"
#include "sim/system.h"

static const double pi = 3.14159265358979323846;
static const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;  // of steel_piece()

static assembly_problem present_problem(const world *w) {
    static const double present[3] = {1.0, 0.0, 0.0};
    static model_call call;
    call = state_begin(w->system, w->state);
    assembly_problem p = assembly_at(w->system->compiled, 0, w->state->memory, &call);
    assembly_forget(&p);
    assembly_prepare(&p);
    assembly_recall(&p, present, p.own->now);
    assert_true(assembly_evaluate(&p, p.own->now, p.own->residual));
    return p;
}

// The equilibrium next to the shape that there is, whether it holds or not.
static assembly_problem nearest(const world *w) {
    path_test test;
    assembly_problem p = present_problem(w);
    assert_true(assembly_follow(&p, p.own->now, &test) >= 0);
    return p;
}

// That of the rest shape, as the current one.
static void keep_straight(const world *w, double input) {
    td_state_reset(w->system, w->state);
    td_set_input(w->system, w->state, 0, input);
    assembly_problem p = nearest(w);
    assembly_publish(&p);
    assembly_settle(&p);
}

// Statics leaves a shape that does not hold and says so. A round column may bend in any plane.
static void check_leaves(const world *w) {
    double smallest;
    assert_int_equal(td_solve_statics(w->system, w->state), TD_BIFURCATION);
    assert_non_null(strstr(td_message(w->state), "this is a stable shape beyond"));
    CHECK_CALL(w, td_get_stability(w->system, w->state, &smallest));
    CHECK_BETWEEN(smallest, -1e-7, 0.5);
}

// ---------------------------------------------------------------- columns
// Without shear and all but without stretch: Euler's column.
static td_piece_def column_piece(void) {
    td_piece_def piece = steel_piece();
    for (int i = 3; i < 6; i++) piece.stiffness[i] = 1e9 * EI;
    return piece;
}

static void a_cantilever_loses_stability_at_eulers_load(void **unused) {
    (void)unused;
    const double critical = pi * pi * EI / (4.0 * 0.16);
    td_options o = chain_options();
    o.nodes = 10;
    td_piece_def piece = column_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("weight", 0.4);
    load.force[2] = (td_number){0.0, -critical, add_input(robot, "weight")};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    const double loads[] = {0.0, 0.5, 0.95, 1.3, 2.5};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        double smallest;
        keep_straight(&w, loads[i]);
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_NEAR(smallest, 1.0 - loads[i], 1e-5);
        if (loads[i] > 1.0) check_leaves(&w);
        else assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    }
    world_free(&w);
}

// A column between two joints in the world, the lower of which is pushed up. Load and buckling
// are both in its own axial force.
static void check_column(td_joint kind, double critical) {
    td_options o = chain_options();
    o.nodes = 10;
    td_piece_def piece = column_piece();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def def = chain_rod("column", &piece, 0.0, 0.0, 0.0);
    hold_tip(&def, TD_WORLD, kind, 0.0, 0.0, 0.4);
    def.base.joint = kind;
    memcpy(def.tip.axis, (double[]){0.0, 1.0, 0.0}, sizeof def.tip.axis);
    memcpy(def.base.axis, (double[]){0.0, 1.0, 0.0}, sizeof def.base.axis);
    def.base.position[2] = (td_number){0.0, 0.4 * critical / (1e9 * EI), add_input(robot, "push")};
    add_chain_rod(robot, &def);
    world w = world_make(robot, &o);
    const double loads[] = {0.3, 0.9, 1.2};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        double smallest;
        keep_straight(&w, loads[i]);
        CHECK_NEAR(-td_get_sample(w.system, w.state, 0, 0.2).wrench[5] / critical, loads[i], 1e-6);
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_NEAR(smallest, 1.0 - loads[i], 1e-5);
        if (loads[i] > 1.0) check_leaves(&w);
        else assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
    }
    world_free(&w);
}

static void columns_held_at_both_ends_lose_stability_at_eulers_loads(void **unused) {
    (void)unused;
    check_column(TD_CLAMP, 4.0 * pi * pi * EI / 0.16);
    check_column(TD_REVOLUTE, pi * pi * EI / 0.16);
}

// ---------------------------------------------------------------- by brute force
enum { MOST = 200 };

typedef struct dense {
    int n, constraints;
    double H[MOST][MOST];  // second variation in the unknowns of rods and the motions of bodies
    double C[MOST][MOST];  // rows of the constraints
} dense;

// Differences of the residual: rods' rows times their weights, bodies' rows negative.
static void make_dense(assembly_problem *p, dense *d) {
    static double plus[MOST], minus[MOST], change[MOST], probe[MOST];
    const assembly *a = p->a;
    const int n_x = a->first[a->n_rods], n = n_x + 6 * a->n_bodies;
    d->n = n, d->constraints = a->n_reactions;
    for (int k = 0; k < n; k++) {
        memset(change, 0, sizeof change);
        change[k] = 1.0;
        const double h = 1e-6 / assembly_size(p, change);
        assembly_move(p, p->own->now, h, change, probe);
        assert_true(assembly_evaluate(p, probe, plus));
        assembly_move(p, p->own->now, -h, change, probe);
        assert_true(assembly_evaluate(p, probe, minus));
        for (int i = 0; i < n + d->constraints; i++) {
            double slope = (plus[i] - minus[i]) / (2.0 * h);
            if (i < n) d->H[i][k] = i < n_x ? slope : -slope;
            else d->C[i - n][k] = slope;
        }
    }
    for (int r = 0; r < a->n_rods; r++) {
        const rod *one = p->own->problems[r].r;
        const int per_node = one->kirchhoff ? 3 : 6;
        for (int e = 0; e < one->n_elements; e++)
            for (int i = 0; i < one->elements[e].n_nodes * per_node; i++) {
                const int row = a->first[r] + one->elements[e].node * per_node + i;
                for (int k = 0; k < n; k++)
                    d->H[row][k] *= one->elements[e].quadrature[i / per_node];
            }
    }
}

// Negative eigenvalues of the symmetric part of Z'H Z, Z a basis of what the constraints leave:
// unit vectors made orthogonal to the constraints' rows and to each other. Unknowns are scaled to
// numbers.
static int reduced_negative(dense *d, const double *units) {
    static double basis[MOST][MOST], reduced[MOST * MOST], HZ[MOST][MOST];
    static double diagonal[MOST], beside[MOST];
    int kept = 0, n_basis = 0;
    for (int i = 0; i < d->n; i++)
        for (int k = 0; k < d->n; k++) d->H[i][k] *= units[i] * units[k];
    for (int i = 0; i < d->constraints + d->n; i++) {
        double *v = basis[kept], before = 0.0, after = 0.0;
        for (int k = 0; k < d->n; k++) {
            v[k] = i < d->constraints ? d->C[i][k] * units[k] : i - d->constraints == k;
            before += v[k] * v[k];
        }
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < kept; j++) {
                double along = 0.0;
                for (int k = 0; k < d->n; k++) along += basis[j][k] * v[k];
                for (int k = 0; k < d->n; k++) v[k] -= along * basis[j][k];
            }
        for (int k = 0; k < d->n; k++) after += v[k] * v[k];
        if (after < 1e-16 * before) continue;
        for (int k = 0; k < d->n; k++) v[k] /= sqrt(after);
        if (i < d->constraints) n_basis++;
        kept++;
        if (kept == d->n) break;
    }
    const int n = kept - n_basis;
    for (int i = 0; i < d->n; i++)
        for (int k = 0; k < n; k++) {
            HZ[i][k] = 0.0;
            for (int j = 0; j < d->n; j++) HZ[i][k] += d->H[i][j] * basis[n_basis + k][j];
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            reduced[i * n + k] = 0.0;
            for (int j = 0; j < d->n; j++) reduced[i * n + k] += basis[n_basis + i][j] * HZ[j][k];
        }
    tridiagonalise(n, reduced, diagonal, beside);
    return tridiagonal_below(n, diagonal, beside, 0.0);
}

// Three legs under a plate that is pressed down, straight until they buckle.
static world pressed_stool(td_joint kind) {
    td_options o = chain_options();
    o.nodes = 6;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_piece_def piece = steel_piece();
    int plate = add_body(robot, "plate", 0.0, 0.0, (double[]){0.0, 0.0, 0.4});
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"a", "b", "c"};
        double x = 0.1 * cos(2.0 * pi / 3.0 * k), y = 0.1 * sin(2.0 * pi / 3.0 * k);
        td_rod_def def = chain_rod(names[k], &piece, x, y, 0.0);
        hold_tip(&def, plate, kind, x, y, 0.0);
        add_chain_rod(robot, &def);
    }
    td_load_def load = td_default_load_def();
    load.name = "press", load.rod = -1, load.body = plate;
    load.force[2] = (td_number){0.0, -1.0, add_input(robot, "press")};
    add_load(robot, &load);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static void the_verdict_agrees_with_the_reduced_hessian(void **unused) {
    (void)unused;
    static dense d;
    static double units[MOST];
    int seen[2] = {0, 0};
    for (int kind = TD_CLAMP; kind <= TD_BALL; kind++)
        for (int step = 0; step < 6; step++) {
            // sway of clamped columns at pi^2 EI/L^2 each, of those on balls at a quarter of it
            double critical = 3.0 * pi * pi * EI / 0.16 * (kind == TD_CLAMP ? 1.0 : 0.25);
            world w = pressed_stool((td_joint)kind);
            const double load = 0.35 + 0.35 * step;
            td_set_input(w.system, w.state, 0, critical * load);
            assembly_problem p = nearest(&w);
            int negative, neutral;
            assert_true(assembly_factor(&p, true, &negative));
            negative += border_negative(&p, &neutral);
            for (int i = 0; i < MOST; i++) units[i] = 1.0;
            for (int i = 0; i < p.a->first[p.a->n_rods]; i++)
                units[i] = i % 6 < 3 ? 1.0 / 0.4 : 1e-3;
            make_dense(&p, &d);
            int want = reduced_negative(&d, units);
            assert_int_equal(negative, want);
            assert_int_equal(want > 0, load > 1.0);
            seen[want > 0]++;
            const td_status status = td_solve_statics(w.system, w.state);
            assert_int_equal(status, load < 1.0 ? TD_OK : TD_BIFURCATION);
            if (load > 1.0) CHECK_NEAR(td_get_stats(w.state)->bifurcation * load, 1.0, 5e-4);
            world_free(&w);
        }
    assert_true(seen[0] >= 4 && seen[1] >= 4);
}

static void the_second_variation_is_symmetric_in_equilibrium(void **unused) {
    (void)unused;
    static double A[MOST * MOST];
    for (int kind = TD_CLAMP; kind <= TD_UNIVERSAL; kind++) {
        td_options o = chain_options();
        o.nodes = 12;
        world w = world_make(platform_robot((td_joint)kind, false, (double[]){1.5, -0.8, 0.5}), &o);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        assembly_problem p = present_problem(&w);
        int rods;
        assert_true(assembly_factor(&p, true, &rods));
        const int n = border_variation(&p, A, NULL);
        assert_true(n > 0);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < i; k++) CHECK_NEAR(A[i * n + k], A[k * n + i], 1e-7);
        world_free(&w);
    }
}

// A rod between supports nearer than it is long stands as an arch, though its straight shape is
// an equilibrium too. On revolute joints it is the pinned elastica: its force at a shortening of
// 2.5 % is (pi^2 EI/L^2)(1 + a^2/8), with the angle a at its ends, a^2 = 4 * 0.025 (1 + ...).
static void pressed_rods_stand_as_arches(void **unused) {
    (void)unused;
    for (int theory = TD_COSSERAT; theory <= TD_KIRCHHOFF; theory++) {
        td_options o = chain_options();
        o.nodes = 12;
        o.theory = (td_theory)theory;
        td_robot *robot = empty_robot(0.0, 0.0, 0.0);
        td_piece_def piece = column_piece();
        td_rod_def def = chain_rod("arch", &piece, 0.0, 0.0, 0.0);
        hold_tip(&def, TD_WORLD, TD_REVOLUTE, 0.0, 0.0, 0.39);
        def.base.joint = TD_REVOLUTE;
        memcpy(def.tip.axis, (double[]){0.0, 1.0, 0.0}, sizeof def.tip.axis);
        memcpy(def.base.axis, (double[]){0.0, 1.0, 0.0}, sizeof def.base.axis);
        add_chain_rod(robot, &def);
        world w = world_make(robot, &o);
        double smallest;
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        double force = -td_get_sample(w.system, w.state, 0, 0.2).wrench[5];
        double a2 = 4.0 * 0.025 * (1.0 + 0.025 / 4.0);  // two terms of the elliptic integrals
        CHECK_NEAR(force / (pi * pi * EI / 0.16), 1.0 + a2 / 8.0, 3e-4);
        CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
        CHECK_BETWEEN(smallest, 1e-3, 1.0);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- refusals
static void loads_that_follow_are_judged_by_real_parts(void **unused) {
    (void)unused;
    td_options o = chain_options();
    td_piece_def piece = steel_piece();
    td_robot *robot = rod_robot(&piece, 1);
    td_load_def load = point_load("jet", 0.4);
    load.frame = TD_FRAME_BODY;
    set3(load.force, 0.1, 0.0, 0.0);
    add_load(robot, &load);
    world w = world_make(robot, &o);
    double smallest;
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_CALL(&w, td_get_stability(w.system, w.state, &smallest));
    CHECK_BETWEEN(smallest, 0.5, 1.5);  // across, it hardly stiffens or softens the rod
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_loses_stability_at_eulers_load),
        cmocka_unit_test(columns_held_at_both_ends_lose_stability_at_eulers_loads),
        cmocka_unit_test(the_verdict_agrees_with_the_reduced_hessian),
        cmocka_unit_test(the_second_variation_is_symmetric_in_equilibrium),
        cmocka_unit_test(pressed_rods_stand_as_arches),
        cmocka_unit_test(loads_that_follow_are_judged_by_real_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
