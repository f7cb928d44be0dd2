// The scheme of Orekhov & Simaan 2020: its parts and its equilibria against an independent program,
// closed forms and differences; and the same rod by collocation of the section law.
#include "rods.h"

#include <stdlib.h>
#include <string.h>

#include "data/orekhov2020_reference.h"
#include "model/cosserat/chebyshev/chebyshev.h"

#define PI 3.14159265358979323846
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
static const double L = 0.2;

// ---------------------------------------------------------------- the rod of the paper
static td_piece_def nitinol_piece(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = L;
    piece.youngs_modulus = 70e9;
    piece.shear_modulus = 70e9 / 2.6;
    piece.density = 6450.0;
    piece.section.radius = piece.section_end.radius = 1e-3;
    return piece;
}

static double EI(void) {
    return 70e9 * PI * 1e-12 / 4.0;
}

static td_robot *nitinol(const double rest[3], const double force[3], const double moment[3]) {
    td_piece_def piece = nitinol_piece();
    if (rest) memcpy(piece.rest_curvature, rest, sizeof piece.rest_curvature);
    td_robot *robot = rod_robot(&piece, 1);
    add_tip_force(robot, L, force[0], force[1], force[2]);
    add_tip_moment(robot, L, moment[0], moment[1], moment[2]);
    return robot;
}

static td_options scheme(td_space space, td_theory theory, int nodes, int magnus) {
    td_options o = td_default_options();
    o.space = space;
    o.theory = theory;
    o.nodes = nodes;
    o.magnus = magnus;
    o.tolerance = 1e-12;
    return o;
}

static world solve_rod(td_robot *robot, td_options o) {
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

static world chebyshev_rod(td_robot *robot, int n, int magnus) {
    return solve_rod(robot, scheme(TD_CHEBYSHEV, TD_KIRCHHOFF, n + 1, magnus));
}

static void check_pose(td_pose pose, const reference_tip *tip, double tolerance) {
    mat3 R = quat_to_mat3(quat_load(pose.q));
    for (int i = 0; i < 3; i++) CHECK_NEAR(pose.p[i], tip->p[i], tolerance * L);
    for (int i = 0; i < 9; i++) CHECK_NEAR(R.m[i / 3][i % 3], tip->R[i], tolerance);
}

// ---------------------------------------------------------------- parts
static void tables_are_those_of_the_reference(void **unused) {
    (void)unused;
    for (int k = 0; k < COUNT(matrices_of_reference); k++) {
        const reference_matrices *m = &matrices_of_reference[k];
        rod r = {.n_nodes = m->nodes};
        td_options o = td_default_options();
        assert_true(chebyshev_prepare(&r, &o));
        const chebyshev_table *t = chebyshev_of(&r);
        for (int i = 0; i < m->nodes; i++) {
            CHECK_NEAR(L * t->c[i], m->c[i], 1e-15);
            CHECK_NEAR(t->tip[i], m->tip[i], 1e-14);
            for (int j = 0; j < m->nodes; j++)
                CHECK_NEAR(t->D[i * m->nodes + j] / L, m->D[i * m->nodes + j], 1e-12);
        }
        chebyshev_discard(&r);
    }
}

// Formula (11), whose primes are derivatives against s: T' ~ (-1)^i/sin(theta) at the zeros of T.
static void the_matrix_is_that_of_formula_11(void **unused) {
    (void)unused;
    enum { N = 9 };
    rod r = {.n_nodes = N};
    td_options o = td_default_options();
    assert_true(chebyshev_prepare(&r, &o));
    const chebyshev_table *t = chebyshev_of(&r);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double xi = 2.0 * t->c[i] - 1.0, xj = 2.0 * t->c[j] - 1.0;
            double sign = (i + j) % 2 ? -1.0 : 1.0;
            double ratio = sign * sqrt((1.0 - xj * xj) / (1.0 - xi * xi));
            double d = i == j ? xi / (1.0 - xi * xi) : 2.0 * ratio / (xi - xj);
            CHECK_NEAR(t->D[i * N + j], d, 1e-12 * (1.0 + fabs(d)));
        }
    chebyshev_discard(&r);
}

static vec6 twist_at(double s) {
    vec6 g = vec6_zero();
    for (int k = 2; k >= 0; k--) g = vec6_madd(vec6_load(magnus_twist[k]), s, g);
    return g;
}

static void a_magnus_step_is_that_of_the_reference(void **unused) {
    (void)unused;
    for (int points = 2; points <= 3; points++) {
        const double *c = magnus_points(points), *known = points == 2 ? magnus_psi4 : magnus_psi6;
        vec6 g[3];
        vec3 u[3];
        mat3 derivatives[3];
        for (int i = 0; i < points; i++) {
            g[i] = twist_at(0.2 + 0.1 * c[i]);
            u[i] = g[i].a;
        }
        double psi[6], rotation[3];
        vec6_store(psi, magnus_exponent(points, 0.1, g));
        vec3_store(rotation, magnus_rotation(points, 0.1, u, derivatives));
        for (int i = 0; i < 6; i++) CHECK_NEAR(psi[i], known[i], 1e-14);
        for (int i = 0; i < 3; i++) CHECK_NEAR(rotation[i], known[i], 1e-14);
    }
}

static void weights_integrate_what_the_nodes_can_carry(void **unused) {
    (void)unused;
    const double zero[3] = {0.0, 0.0, 0.0}, moment[3] = {0.3, 0.0, 0.0};
    world w = chebyshev_rod(nitinol(NULL, zero, moment), 4, 6);
    // a circle: E = M^2 L/(2 EI)
    CHECK_NEAR(td_get_energy(w.system, w.state).elastic, 0.09 * L / (2.0 * EI()), 1e-12);
    world_free(&w);
}

// ---------------------------------------------------------------- the matrix of Newton's method
typedef struct bench {  // one rod with everything that its equations need
    td_robot *robot;
    cosserat *compiled;
    element_loads loads;
    rod_memory memory;
    rod_problem problem;
    void *block;
    chebyshev_memory *own;
} bench;

static void bench_open(bench *b, int nodes, int magnus) {
    const double rest[3] = {1.5, -2.0, 3.0}, none[3] = {0.0, 0.0, 0.0};
    td_error err = {0};
    td_options o = scheme(TD_CHEBYSHEV, TD_KIRCHHOFF, nodes, magnus);
    *b = (bench){.robot = nitinol(rest, none, none)};
    b->compiled = cosserat_compile(b->robot, NULL, &o, &err);
    assert_non_null(b->compiled);
    const rod *r = &b->compiled->rods[0];
    arena counting = {0}, keep = {0};
    b->compiled->scheme->layout(r, &keep, &counting);
    assert_int_equal(posix_memalign(&b->block, 64, counting.used), 0);
    arena placing = {.base = b->block};
    b->own = b->compiled->scheme->layout(r, &keep, &placing);
    b->memory.loads = &b->loads;
    b->loads.end_world = (wrench){vec3_make(0.7, -0.4, 0.9), vec3_make(-0.2, 0.35, 0.3)};
    b->problem =
        (rod_problem){.r = r, .m = &b->memory, .base = {.h = quat_exp(vec3_make(1, 2, 3))}};
    for (int i = 0; i < 3 * nodes; i++) b->own->x[i] = 6.0 * sin(1.3 * i + 0.4);
}

static void bench_close(bench *b) {
    free(b->block);
    cosserat_release(b->compiled);
    td_robot_destroy(b->robot);
}

static void the_matrix_is_the_derivative_of_the_residual(void **unused) {
    (void)unused;
    enum { N = 5, M = 3 * N };
    for (int magnus = 4; magnus <= 6; magnus += 2) {
        bench b;
        bench_open(&b, N, magnus);
        assert_true(chebyshev_residual(&b.problem, b.own, true));
        double J[M * M], plus[M], largest = 0.0;
        memcpy(J, b.own->J, sizeof J);
        for (int i = 0; i < M * M; i++) largest = fmax(largest, fabs(J[i]));
        const double h = 1e-4;  // of L x
        for (int j = 0; j < M; j++) {
            double x = b.own->x[j];
            b.own->x[j] = x + h / L;
            assert_true(chebyshev_residual(&b.problem, b.own, false));
            memcpy(plus, b.own->residual, sizeof plus);
            b.own->x[j] = x - h / L;
            assert_true(chebyshev_residual(&b.problem, b.own, false));
            b.own->x[j] = x;
            for (int i = 0; i < M; i++)
                CHECK_NEAR((plus[i] - b.own->residual[i]) / (2.0 * h), J[i * M + j],
                           1e-7 * largest);
        }
        bench_close(&b);
    }
}

// ---------------------------------------------------------------- equilibria
static void wrenches_bend_the_rod_as_in_the_reference(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(reference_wrenches); i++) {
        const reference_wrench *c = &reference_wrenches[i];
        for (int magnus = 4; magnus <= 6; magnus += 2) {
            world w = chebyshev_rod(nitinol(NULL, c->force, c->moment), 4, magnus);
            check_pose(tip_of(&w), magnus == 4 ? &c->order4 : &c->order6, 1e-10);
            const double *U = magnus == 4 ? c->U4 : c->U6;
            for (int k = 0; k < 5; k++) {
                double s = matrices_of_reference[1].c[k];
                td_sample at = td_get_sample(w.system, w.state, 0, s);
                for (int a = 0; a < 3; a++) CHECK_NEAR(at.strain[a], U[3 * k + a], 1e-9);
            }
            world_free(&w);
        }
        world w = chebyshev_rod(nitinol(NULL, c->force, c->moment), 10, 6);
        check_pose(tip_of(&w), &c->fine, 1e-10);
        world_free(&w);
    }
}

static void many_nodes_converge_to_the_truth(void **unused) {
    (void)unused;
    for (int i = 0; i < COUNT(reference_wrenches); i++) {
        const reference_wrench *c = &reference_wrenches[i];
        world w = chebyshev_rod(nitinol(NULL, c->force, c->moment), 39, 6);
        check_pose(tip_of(&w), &c->truth, 2e-10);
        td_sample base = td_get_sample(w.system, w.state, 0, 0.0);
        for (int a = 0; a < 3; a++) CHECK_NEAR(base.strain[a], c->u0[a], 1e-7);
        world_free(&w);
    }
}

static void the_elastica_is_that_of_elliptic_integrals(void **unused) {
    (void)unused;
    const double none[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < COUNT(reference_elasticas); i++) {
        const reference_elastica *c = &reference_elasticas[i];
        world w = chebyshev_rod(nitinol(NULL, c->force, none), 10, 6);
        td_pose tip = tip_of(&w);
        for (int a = 0; a < 3; a++) CHECK_NEAR(tip.p[a], c->fine[a], 1e-11);
        CHECK_NEAR(hypot(tip.p[1] - c->y, tip.p[2] - c->z), 0.0, 6e-6);  // as printed
        world_free(&w);
        w = chebyshev_rod(nitinol(NULL, c->force, none), 29, 6);
        tip = tip_of(&w);
        CHECK_NEAR(tip.p[1], c->y, 1e-9);
        CHECK_NEAR(tip.p[2], c->z, 1e-9);
        world_free(&w);
    }
}

// A moment across the rod bends it to an arc, whatever the nodes and the order.
static void a_pure_moment_gives_an_exact_arc(void **unused) {
    (void)unused;
    const double none[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < COUNT(reference_moments); i++)
        for (int n = 1; n <= 10; n += 3) {
            const double M = reference_moments[i].moment, moment[3] = {M, 0.0, 0.0}, k = M / EI();
            world w = chebyshev_rod(nitinol(NULL, none, moment), n, i % 2 ? 4 : 6);
            td_pose tip = tip_of(&w);
            CHECK_NEAR(tip.p[0], 0.0, 1e-14);
            CHECK_NEAR(tip.p[1], (cos(k * L) - 1.0) / k, 1e-14);
            CHECK_NEAR(tip.p[2], sin(k * L) / k, 1e-14);
            CHECK_NEAR(tip.p[1], reference_moments[i].y, 1e-12);
            CHECK_NEAR(tip.p[2], reference_moments[i].z, 1e-12);
            world_free(&w);
        }
}

// Without moments about the rod and with equal bending stiffnesses u_z' = 0 in every solution.
static void the_twist_of_a_round_rod_is_uniform(void **unused) {
    (void)unused;
    const double force[3] = {0.6, -0.8, -0.4}, moment[3] = {0.3, 0.1, 0.4};
    world w = chebyshev_rod(nitinol(NULL, force, moment), 6, 6);
    double twist = td_get_sample(w.system, w.state, 0, 0.0).strain[2];
    for (int i = 1; i <= 10; i++)
        CHECK_NEAR(td_get_sample(w.system, w.state, 0, 0.1 * i * L).strain[2], twist, 1e-10);
    world_free(&w);
}

static void wrench_and_shape_are_read_consistently(void **unused) {
    (void)unused;
    const double force[3] = {0.3, -0.2, 0.1}, moment[3] = {0.1, 0.05, -0.1};
    world w = chebyshev_rod(nitinol(NULL, force, moment), 15, 6);
    td_pose tip = tip_of(&w);
    for (int i = 0; i <= 8; i++) {
        td_sample at = td_get_sample(w.system, w.state, 0, L * i / 8.0);
        quat q = quat_load(at.pose.q);
        vec3 lever = vec3_sub(vec3_load(tip.p), vec3_load(at.pose.p));
        double n[3], m[3];  // balance of the part beyond, world
        vec3_store(n, vec3_load(force));
        vec3_store(m, vec3_add(vec3_load(moment), vec3_cross(lever, vec3_load(force))));
        double found_m[3], found_n[3];
        vec3_store(found_m, quat_rotate(q, vec3_load(at.wrench)));
        vec3_store(found_n, quat_rotate(q, vec3_load(at.wrench + 3)));
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(found_n[a], n[a], 1e-14);
            CHECK_NEAR(found_m[a], m[a], 1e-9);
        }
    }
    world_free(&w);
}

static void buckling_is_found_at_eulers_load(void **unused) {
    (void)unused;
    const double none[3] = {0.0, 0.0, 0.0}, critical = PI * PI * EI() / (4.0 * L * L);
    const double force[3] = {0.0, 0.0, -1.6 * critical};
    td_options o = scheme(TD_CHEBYSHEV, TD_KIRCHHOFF, 11, 6);
    world w = world_make(nitinol(NULL, force, none), &o);
    assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
    CHECK_NEAR(td_get_stats(w.state)->bifurcation, 1.0 / 1.6, 1e-6);
    world_free(&w);
}

// ---------------------------------------------------------------- other frames and rest shapes
// Base, loads and all turned together.
static void a_turned_rod_has_a_turned_shape(void **unused) {
    (void)unused;
    const quat turn = quat_exp(vec3_make(0.3, -1.1, 2.0));
    const vec3 force = vec3_make(0.4, 0.9, -0.2), moment = vec3_make(-0.2, 0.1, 0.3);
    double f[3], m[3];
    vec3_store(f, force), vec3_store(m, moment);
    world plain = chebyshev_rod(nitinol(NULL, f, m), 6, 6);
    td_pose tip = tip_of(&plain);

    td_error err = {0};
    td_robot *robot = td_robot_create();
    td_piece_def piece = nitinol_piece();
    td_rod_def def = td_default_rod_def();
    def.name = "rod", def.pieces = &piece, def.n_pieces = 1;
    set3(def.base.position, 0.1, 0.2, 0.3);
    quat_store(def.base.orientation, turn);
    CHECK_OK(td_robot_add_rod(robot, &def, &err), err);
    set_gravity(robot, 0.0, 0.0, 0.0);
    vec3 tf = quat_rotate(turn, force), tm = quat_rotate(turn, moment);
    add_tip_force(robot, L, tf.x, tf.y, tf.z);
    add_tip_moment(robot, L, tm.x, tm.y, tm.z);
    world turned = chebyshev_rod(robot, 6, 6);
    td_pose other = tip_of(&turned);
    double p[3];
    vec3_store(p, vec3_add(vec3_make(0.1, 0.2, 0.3), quat_rotate(turn, vec3_load(tip.p))));
    for (int i = 0; i < 3; i++) CHECK_NEAR(other.p[i], p[i], 1e-12);
    world_free(&plain);
    world_free(&turned);
}

// The reference's rest curvature (5 cos 6s, 5 sin 6s, 1) is (5, 0, 7) in axes that turn with it, and a
// round rod does not mind; its section at the tip then lies 6 L ahead.
static void pre_curved_rods_are_those_of_the_reference(void **unused) {
    (void)unused;
    const double rest[3] = {5.0, 0.0, 7.0};
    const double force[3] = {0.5, 1.0, -0.3}, moment[3] = {0.1, -0.05, 0.15};
    const td_space spaces[] = {TD_CHEBYSHEV, TD_COLLOCATION, TD_SHOOTING};
    for (int i = 0; i < 3; i++) {
        td_options o = scheme(spaces[i], TD_KIRCHHOFF, 36, 6);
        o.steps = 400;
        world w = solve_rod(nitinol(rest, force, moment), o);
        td_pose tip = tip_of(&w);
        quat back = quat_exp(vec3_make(0.0, 0.0, -6.0 * L));
        quat_store(tip.q, quat_mul(quat_load(tip.q), back));
        check_pose(tip, &reference_pre_curved.tip, 5e-10);
        world_free(&w);
    }
}

// ---------------------------------------------------------------- beyond it: the integral form
static void check_extension(td_robot *robot, td_theory theory, const reference_extension *known) {
    world w = solve_rod(robot, scheme(TD_COLLOCATION, theory, 16, 6));
    check_pose(tip_of(&w), &known->tip, 1e-10);
    double C[36], largest[4] = {0.0};
    CHECK_CALL(&w, td_get_compliance(w.system, w.state, 0, L, 0, L, C));
    for (int i = 0; i < 36; i++) {
        int block = 2 * (i / 18) + (i % 6) / 3;
        largest[block] = fmax(largest[block], fabs(known->compliance[i]));
    }
    for (int i = 0; i < 36; i++)
        CHECK_NEAR(C[i], known->compliance[i], 1e-7 * largest[2 * (i / 18) + (i % 6) / 3]);
    world_free(&w);
}

static void collocation_of_the_section_law_extends_the_paper(void **unused) {
    (void)unused;
    const double force[3] = {0.5, 1.0, -0.3}, moment[3] = {0.1, -0.05, 0.15};
    check_extension(nitinol(NULL, force, moment), TD_KIRCHHOFF, &reference_kirchhoff);
    check_extension(nitinol(NULL, force, moment), TD_COSSERAT, &reference_cosserat);
    td_load_def spread = td_default_load_def();
    spread.name = "spread";
    spread.distributed = true;
    spread.to = L;
    set3(spread.force, 0.0, -2.0, 0.5);
    td_robot *robot = nitinol(NULL, force, moment);
    add_load(robot, &spread);
    check_extension(robot, TD_KIRCHHOFF, &reference_spread);
}

// ---------------------------------------------------------------- refusals
static void check_refused(td_robot *robot, td_theory theory, const char *where, const char *words) {
    td_error err = {0};
    td_options o = scheme(TD_CHEBYSHEV, theory, 5, 6);
    assert_null(td_system_create(robot, &o, &err));
    assert_int_equal(err.status, TD_ERR_UNSUPPORTED);
    assert_string_equal(err.where, where);
    if (!strstr(err.message, words) || !strstr(err.message, "collocation and shooting can"))
        print_error("%s: %s\n", err.where, err.message);
    assert_non_null(strstr(err.message, words));
    assert_non_null(strstr(err.message, "the space scheme chebyshev cannot do"));
    assert_non_null(strstr(err.message, "collocation and shooting can"));
    td_robot_destroy(robot);
}

static td_robot *plain_rod(void) {
    td_piece_def piece = nitinol_piece();
    return rod_robot(&piece, 1);
}

static void what_it_cannot_do_is_refused_by_name(void **unused) {
    (void)unused;
    check_refused(plain_rod(), TD_COSSERAT, "simulation.theory", "shear and extension");

    td_robot *robot = plain_rod();
    set_gravity(robot, 0.0, -9.81, 0.0);
    check_refused(robot, TD_KIRCHHOFF, "gravity", "gravity");

    robot = plain_rod();
    td_load_def load = point_load("middle", 0.5 * L);
    add_load(robot, &load);
    check_refused(robot, TD_KIRCHHOFF, "loads.middle", "loads at 0.1 m, away from the tip");

    robot = plain_rod();
    load = point_load("follower", L);
    load.frame = TD_FRAME_BODY;
    add_load(robot, &load);
    check_refused(robot, TD_KIRCHHOFF, "loads.follower", "loads that follow the body");

    robot = plain_rod();
    load = point_load("wind", 0.0);
    load.distributed = true, load.to = L;
    add_load(robot, &load);
    check_refused(robot, TD_KIRCHHOFF, "loads.wind", "distributed loads");

    td_piece_def pieces[2] = {nitinol_piece(), nitinol_piece()};
    check_refused(rod_robot(pieces, 2), TD_KIRCHHOFF, "rods.rod", "several pieces");
    pieces[0].section_end.radius = 0.8e-3;
    check_refused(rod_robot(pieces, 1), TD_KIRCHHOFF, "rods.rod", "change along the rod");
}

static void time_steps_are_refused_and_change_nothing(void **unused) {
    (void)unused;
    const double force[3] = {0.0, 0.5, 0.0}, none[3] = {0.0, 0.0, 0.0};
    world w = chebyshev_rod(nitinol(NULL, force, none), 6, 6);
    td_pose before = tip_of(&w);
    assert_int_equal(td_step(w.system, w.state, 1e-3), TD_ERR_UNSUPPORTED);
    assert_non_null(strstr(td_message(w.state), "chebyshev cannot do dynamics"));
    assert_non_null(strstr(td_message(w.state), "collocation and shooting can"));
    td_pose after = tip_of(&w);
    assert_memory_equal(&before, &after, sizeof before);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_the_reference),
        cmocka_unit_test(the_matrix_is_that_of_formula_11),
        cmocka_unit_test(a_magnus_step_is_that_of_the_reference),
        cmocka_unit_test(weights_integrate_what_the_nodes_can_carry),
        cmocka_unit_test(the_matrix_is_the_derivative_of_the_residual),
        cmocka_unit_test(wrenches_bend_the_rod_as_in_the_reference),
        cmocka_unit_test(many_nodes_converge_to_the_truth),
        cmocka_unit_test(the_elastica_is_that_of_elliptic_integrals),
        cmocka_unit_test(a_pure_moment_gives_an_exact_arc),
        cmocka_unit_test(the_twist_of_a_round_rod_is_uniform),
        cmocka_unit_test(wrench_and_shape_are_read_consistently),
        cmocka_unit_test(buckling_is_found_at_eulers_load),
        cmocka_unit_test(a_turned_rod_has_a_turned_shape),
        cmocka_unit_test(pre_curved_rods_are_those_of_the_reference),
        cmocka_unit_test(collocation_of_the_section_law_extends_the_paper),
        cmocka_unit_test(what_it_cannot_do_is_refused_by_name),
        cmocka_unit_test(time_steps_are_refused_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
