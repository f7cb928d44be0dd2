// The few modes nearest to 0 of robots with many coordinates are those that stand first among all of them.
#include "modes.h"

#include "chains.h"

enum { WANTED = 5 };

static td_options many_elements(int elements) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = 4, o.elements = elements, o.tolerance = 1e-12;
    return o;
}

// Of shapes, that both obey (K + s D + s^2 M) z = 0: two of one frequency may be mixed.
static void check_shape(td_linearisation *l, int mode) {
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
    CHECK_NEAR(left / size, 0.0, 1e-8);
    free(z);
}

// About the state as it is; how many of the part flutter.
static int check_part(world *w, double tolerance) {
    td_mode all[WANTED];
    found_modes f = modes_about(w, NULL, 0);
    assert_true(td_get_linear(f.l)->n_coordinates >= 200);
    assert_true(f.n > 100);
    for (int i = 0; i < WANTED; i++) all[i] = td_get_mode(f.l, i);
    assert_int_equal(td_solve_modes(f.l, WANTED), TD_OK);
    assert_int_equal(td_n_modes(f.l), WANTED);
    int flutters = 0;
    bool taken[WANTED] = {false};  // of one size any may come first
    for (int i = 0; i < WANTED; i++) {
        const td_mode m = td_get_mode(f.l, i);
        int same = -1;
        for (int k = 0; k < WANTED; k++)
            if (!taken[k] && all[k].kind == m.kind &&
                hypot(m.re - all[k].re, m.im - all[k].im) < tolerance * hypot(m.re, m.im))
                same = k;
        if (same < 0) show_modes(&f, WANTED);
        assert_true(same >= 0);
        taken[same] = true;
        flutters += m.kind == TD_MODE_FLUTTERS;
        check_shape(f.l, i);
    }
    td_linearisation_destroy(f.l);
    return flutters;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damped_rod),
        cmocka_unit_test(a_column_that_flutters),
        cmocka_unit_test(a_closed_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
