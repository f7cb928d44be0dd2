// The few modes nearest to 0 of robots with many coordinates are those that stand first among all of them.
#include "modes.h"

#include "chains.h"

enum { WANTED = 5, SOME = 20 };

static td_options many_elements(int elements) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = 4, o.elements = elements, o.tolerance = 1e-12;
    return o;
}

// Of shapes, that both obey (K + s D + s^2 M) z = 0: two of one frequency may be mixed.
static void check_shape(td_linearisation *l, int mode, double tolerance) {
    const td_linear *m = td_get_linear(l);
    const td_mode at = td_get_mode(l, mode);
    const int n = m->n_coordinates + m->n_multipliers;
    const double re2 = at.re * at.re - at.im * at.im, im2 = 2.0 * at.re * at.im;
    double *z = malloc(sizeof *z * 2 * (size_t)n), left = 0.0, size = 0.0;
    assert_int_equal(td_get_mode_shape(l, mode, z, NULL), TD_OK);
    for (int i = 0; i < n; i++) {
        double re = 0.0, im = 0.0, elastic = 0.0;
        for (int k = 0; k < n; k++) {
            const double K = m->K[i * n + k], D = m->D[i * n + k], M = m->M[i * n + k];
            const double a = K + at.re * D + re2 * M, b = at.im * D + im2 * M;
            re += a * z[2 * k] - b * z[2 * k + 1], im += a * z[2 * k + 1] + b * z[2 * k];
            elastic += fabs(K * z[2 * k]) + fabs(K * z[2 * k + 1]);
        }
        left += hypot(re, im), size += elastic;
    }
    CHECK_NEAR(left / size, 0.0, tolerance);
    free(z);
}

// Shapes of equal roots are not the same shape twice: |x'y| < |x| |y|.
static void check_differ(td_linearisation *l, int one, int two) {
    const td_linear *m = td_get_linear(l);
    const size_t n = 2 * (size_t)(m->n_coordinates + m->n_multipliers);
    double *x = malloc(sizeof *x * 2 * n), *y = x + n, re = 0.0, im = 0.0, xx = 0.0, yy = 0.0;
    assert_int_equal(td_get_mode_shape(l, one, x, NULL), TD_OK);
    assert_int_equal(td_get_mode_shape(l, two, y, NULL), TD_OK);
    for (size_t i = 0; i < n; i += 2) {
        re += x[i] * y[i] + x[i + 1] * y[i + 1], im += x[i] * y[i + 1] - x[i + 1] * y[i];
        xx += x[i] * x[i] + x[i + 1] * x[i + 1], yy += y[i] * y[i] + y[i + 1] * y[i + 1];
    }
    assert_true(hypot(re, im) < (1.0 - 1e-6) * sqrt(xx * yy));
    free(x);
}

// About the state as it is; how many of the part flutter.
static int check_some(world *w, int wanted, double tolerance) {
    td_mode all[SOME];
    found_modes f = modes_about(w, NULL, 0);
    assert_true(f.n > wanted);
    for (int i = 0; i < wanted; i++) all[i] = td_get_mode(f.l, i);
    assert_int_equal(td_solve_modes(f.l, wanted), TD_OK);
    assert_int_equal(td_n_modes(f.l), wanted);
    int flutters = 0;
    bool taken[SOME] = {false};  // of one size any may come first
    for (int i = 0; i < wanted; i++) {
        const td_mode m = td_get_mode(f.l, i), before = td_get_mode(f.l, i > 0 ? i - 1 : 0);
        int same = -1;
        if (i > 0 && hypot(m.re - before.re, m.im - before.im) < 1e-6 * hypot(m.re, m.im))
            check_differ(f.l, i - 1, i);
        for (int k = 0; k < wanted; k++)
            if (!taken[k] && all[k].kind == m.kind &&
                hypot(m.re - all[k].re, m.im - all[k].im) < tolerance * hypot(m.re, m.im))
                same = k;
        if (same < 0) show_modes(&f, wanted);
        assert_true(same >= 0);
        taken[same] = true;
        flutters += m.kind == TD_MODE_FLUTTERS;
        check_shape(f.l, i, wanted == WANTED ? 1e-8 : 1e-5);
    }
    td_linearisation_destroy(f.l);
    return flutters;
}

static int check_part(world *w, double tolerance) {
    assert_true(td_n_coordinates(w->system) >= 200);
    return check_some(w, WANTED, tolerance);
}

static td_piece_def damped_piece(void) {
    td_piece_def piece = steel_piece();
    piece.damping_time = 1e-5;
    piece.linear_drag[0] = 0.3, piece.linear_drag[1] = 0.1;
    return piece;
}

static void a_damped_rod(void **unused) {
    (void)unused;
    td_piece_def piece = damped_piece();
    td_options o = many_elements(10);
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 9.81, 0.0, 0.0);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    check_part(&w, 1e-8);
    world_free(&w);
}

// Both planes bend alike, and all modes come twice.
static void a_column_that_flutters(void **unused) {
    (void)unused;
    td_piece_def piece = steel_piece();
    td_options o = many_elements(18);
    o.theory = TD_KIRCHHOFF, o.rotary_inertia = false;
    td_robot *robot = rod_robot(&piece, 1);
    const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;
    td_load_def push = point_load("push", piece.length);
    push.frame = TD_FRAME_BODY;
    set3(push.force, 0.0, 0.0, -22.0 * EI / (piece.length * piece.length));
    add_load(robot, &push);
    world w = world_make(robot, &o);
    double *q = calloc((size_t)td_n_coordinates(w.system), sizeof *q);
    CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
    assert_int_equal(check_part(&w, 1e-8), 2);
    free(q);
    world_free(&w);
}

static void a_closed_chain(void **unused) {
    (void)unused;
    td_piece_def piece = damped_piece();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    const double middle[3] = {0.05, 0.0, piece.length};
    const int bar = add_body(robot, "bar", 0.05, 1e-4, middle);
    for (int i = 0; i < 2; i++) {
        td_rod_def rod = chain_rod(i ? "right" : "left", &piece, 0.1 * i, 0.0, 0.0);
        hold_tip(&rod, bar, TD_CLAMP, i ? 0.05 : -0.05, 0.0, 0.0);
        add_chain_rod(robot, &rod);
    }
    td_options o = many_elements(5);
    world w = world_make(robot, &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    check_part(&w, 1e-8);
    world_free(&w);
}

// Of few coordinates: bent by its weight; straight, where all modes come twice, and damped so much that many roots
// lie beside each other; and pushed until it flutters.
static void some_of_few(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        td_piece_def piece = damped_piece();
        piece.damping_time = i == 1 ? 1e-3 : i == 2 ? 1e-6 : 1e-5;
        td_options o = many_elements(i == 2 ? 8 : 3);
        if (i == 2) o.theory = TD_KIRCHHOFF, o.rotary_inertia = false;
        td_robot *robot = rod_robot(&piece, 1);
        if (i == 0) set_gravity(robot, 9.81, 0.0, 0.0);
        const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;
        td_load_def push = point_load("push", piece.length);
        push.frame = TD_FRAME_BODY;
        set3(push.force, 0.0, 0.0, i == 2 ? -24.0 * EI / (piece.length * piece.length) : 0.0);
        add_load(robot, &push);
        world w = world_make(robot, &o);
        double *q = calloc((size_t)td_n_coordinates(w.system), sizeof *q);
        if (i < 2) CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        else CHECK_CALL(&w, td_set_coordinates(w.system, w.state, q, NULL));
        assert_true(td_n_coordinates(w.system) < 5 * SOME);
        const int flutters = check_some(&w, SOME, 1e-8);
        assert_true(i == 2 ? flutters >= 1 : flutters == 0);
        free(q);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_rod),
        cmocka_unit_test(a_column_that_flutters),
        cmocka_unit_test(a_closed_chain),
        cmocka_unit_test(some_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
