// Small motions of robots whose material relaxes, in every model that has it: against the complex modulus, the moduli of
// long times and the robot itself.
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

#include "relaxing.h"

typedef struct small {
    world w;
    td_linearisation *l;
    const td_linear *of;
} small;

static small small_motions(td_robot *robot, const td_options *o, double push,
                           const td_output *outputs, int n) {
    small s = {.w = world_make(robot, o)};
    td_error err = {0};
    s.l = td_linearisation_create(s.w.system, outputs, n, &err);
    CHECK_CALL(&s.w, td_begin(s.w.system, s.w.state));
    if (push != 0.0) {
        td_set_input(s.w.system, s.w.state, 0, push);
        CHECK_CALL(&s.w, td_solve_statics(s.w.system, s.w.state));
    }
    CHECK_CALL(&s.w, td_linearise(s.w.system, s.w.state, s.l));
    s.of = td_get_linear(s.l);
    return s;
}

static void small_free(small *s) {
    td_linearisation_destroy(s->l);
    world_free(&s->w);
}

// Of a straight rod that relaxes everywhere alike each frequency w without relaxation becomes the roots of
// s^2 + w^2 (1 + g s T/(1 + s T)), whatever the model.
static void modes_are_the_roots_of_the_complex_modulus(void **state) {
    (void)state;
    td_options o[8];
    const term one = {0.3, 0.2};
    lumped_rod r = unit_rod();
    r.stiffness[1] = 3.0;
    const td_piece_def piece = relaxing(r, &one, 1);
    const int n = claiming(4, o);
    for (int i = 0; i < n; i++) {
        td_piece_def plain = piece;
        plain.relaxation = (td_relaxation){{0.0}, {0.0}};
        small a = small_motions(rod_robot(&plain, 1), &o[i], 0.0, NULL, 0),
              b = small_motions(rod_robot(&piece, 1), &o[i], 0.0, NULL, 0);
        assert_int_equal(td_solve_modes(a.l, 0), TD_OK);
        assert_int_equal(td_solve_modes(b.l, 0), TD_OK);
        assert_int_equal(a.of->n_flows, 0);
        assert_int_equal(b.of->n_coordinates, a.of->n_coordinates + b.of->n_flows);
        int at = 0;
        for (int k = 0; k < 3; k++, at++) {
            double re, im;
            const double w0 = td_get_mode(a.l, k).im;
            complex_root(w0, one, &re, &im);
            while (td_get_mode(b.l, at).kind != TD_MODE_OSCILLATES) at++;
            CHECK_NEAR(td_get_mode(b.l, at).re, re, 1e-6 * w0);
            CHECK_NEAR(td_get_mode(b.l, at).im, im, 1e-6 * w0);
            assert_true(re < -1e-4 * w0);
        }
        // what is left of it are real roots, between those of no mass and of no motion
        for (int k = 0; k < td_n_modes(b.l); k++) {
            const td_mode m = td_get_mode(b.l, k);
            if (m.kind == TD_MODE_OSCILLATES) continue;
            assert_int_equal(m.kind, TD_MODE_DECAYS);
            CHECK_BETWEEN(-m.re * one.time, 1.0 / (1.0 + one.share) - 1e-6, 1.0 + 1e-6);
        }
        small_free(&a);
        small_free(&b);
    }
}

// Bent, under pushes that stay: nothing of it counts but the moduli of long times.
static void what_stays_is_answered_by_the_moduli_of_long_times(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(4, o);
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 1.0};
    for (int i = 0; i < n; i++) {
        double H[2][12];
        for (int k = 0; k < 2; k++) {
            td_robot *robot = pushed_robot();
            if (k) EACH_PIECE(robot, p) p->relaxation = (td_relaxation){{0.0}, {0.0}};
            small s = small_motions(robot, &o[i], 1.0, &tip, 1);
            assert_int_equal(td_get_frequency_response(s.l, 0.0, H[k]), TD_OK);
            small_free(&s);
        }
        assert_true(fabs(H[1][6]) > 0.05);
        for (int j = 0; j < 12; j++) CHECK_NEAR(H[0][j], H[1][j], 1e-8);
    }
}

#define UP 0.05  // s, in which a push grows

static double pushed(double t) {
    return fmin(t / UP, 1.0);
}

// M z'' + D z' + K z = B u from rest, in steps of BDF2: y of the outputs at its end.
static double answer_to_a_ramp(const td_linear *of, int row, double dt, int steps) {
    const int n = of->n_coordinates + of->n_multipliers;
    const size_t size = (size_t)n * (size_t)n;
    double *A = malloc(sizeof *A * size), *z = calloc(7 * (size_t)n, sizeof *z), y = 0.0;
    double *z1 = z + n, *z2 = z1 + n, *v = z2 + n, *v1 = v + n, *v2 = v1 + n, *b = v2 + n;
    int *pivots = malloc(sizeof *pivots * (size_t)n);
    const double c = 1.5 / dt;
    for (size_t k = 0; k < size; k++) A[k] = of->K[k] + c * (of->D[k] + c * of->M[k]);
    assert_true(lu_factor(n, A, pivots));
    for (int i = 0; i < steps; i++) {
        memcpy(z2, z1, sizeof *z * (size_t)n), memcpy(z1, z, sizeof *z * (size_t)n);
        memcpy(v2, v1, sizeof *z * (size_t)n), memcpy(v1, v, sizeof *z * (size_t)n);
        for (int k = 0; k < n; k++) {
            b[k] = of->B[k * of->n_inputs] * pushed((i + 1) * dt);
            for (int j = 0; j < n; j++) {
                const double h = (-2.0 * z1[j] + 0.5 * z2[j]) / dt,
                             g = (-2.0 * v1[j] + 0.5 * v2[j]) / dt;
                b[k] -= of->D[k * n + j] * h + of->M[k * n + j] * (c * h + g);
            }
        }
        lu_solve(n, A, pivots, b);
        memcpy(z, b, sizeof *z * (size_t)n);
        for (int j = 0; j < n; j++) v[j] = (1.5 * z[j] - 2.0 * z1[j] + 0.5 * z2[j]) / dt;
    }
    for (int j = 0; j < n; j++) y += of->C[row * n + j] * z[j];
    free(A), free(z), free(pivots);
    return y;
}

static void small_steps_of_a_push_are_answered_as_by_the_robot(void **state) {
    (void)state;
    td_options o[8];
    const int n = claiming(4, o);
    const td_output tip = {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 1.0};
    const double more = 1e-4, dt = 1e-3;
    const int steps = 250;
    for (int i = 0; i < n; i++) {
        small s = small_motions(pushed_robot(), &o[i], 1.0, &tip, 1);
        const double linear = more * answer_to_a_ramp(s.of, 3, dt, steps),
                     before = tip_of(&s.w).p[0];
        for (int k = 1; k <= steps; k++) {
            td_set_input(s.w.system, s.w.state, 0, 1.0 + more * pushed(k * dt));
            CHECK_CALL(&s.w, td_step(s.w.system, s.w.state, dt));
        }
        CHECK_NEAR((tip_of(&s.w).p[0] - before) / linear, 1.0, 1e-4);
        small_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_the_roots_of_the_complex_modulus),
        cmocka_unit_test(what_stays_is_answered_by_the_moduli_of_long_times),
        cmocka_unit_test(small_steps_of_a_push_are_answered_as_by_the_robot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
