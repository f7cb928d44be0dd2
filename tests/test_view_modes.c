// What a live robot shows beside its motion: obstacles, and modes about its equilibrium.
#include "view_live.h"

// ---------------------------------------------------------------- obstacles
// A wire of 1 N/m lies on a table but for its last half, which its tip lifts by 1 mm.
static const char lifted[] =
    "tendril: 1\n"
    "gravity: [0, 0, -10]\n"
    "rods:\n"
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"
    "     stiffness: {bending: 2.6041666667, torsion: 2, shear: 1e6, extension: 1e6},\n"
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"
    "     base: {direction: [1, 0, 0]}}\n"
    "loads: [{at: tip, force: [0, 0, 0.25]}]\n"
    "obstacles: [{name: table, plane: {}, position: [0, 0, -1 mm]}]\n"
    "simulation: {theory: kirchhoff}\n";

static void frames_tell_where_obstacles_are_and_what_they_carry(void **state) {
    (void)state;
    subject s = open_text(lifted, false);
    const scene *sc = live_scene(s.live);
    seen_frame f = look(&s);
    const int n = sc->rods[0].n_points;
    assert_int_equal(f.n, sc->floats);
    assert_int_equal(sc->n_obstacles, 1);
    assert_true(sc->obstacles[0].endless && !sc->obstacles[0].room);
    assert_true(sc->obstacles[0].n_points > 3 && sc->obstacles[0].n_triangles > 1);
    CHECK_NEAR(frame_f32(&f, 7 * n + 2), -1e-3, 1e-9);
    CHECK_NEAR(frame_f32(&f, 7 * n + 3), 1, 0);
    // N/m, up: all of the weight where it lies, nothing where it does not; in all what the tip and the base do not carry
    double all = 0.0;
    for (int k = 0; k < n; k++) all += frame_f32(&f, 7 * n + 7 + 3 * k + 2) / (n - 1);
    CHECK_NEAR(frame_f32(&f, 7 * n + 7 + 3 * (n / 4) + 2), 1.0, 0.1);
    CHECK_NEAR(frame_f32(&f, 7 * n + 7 + 3 * (3 * n / 4) + 2), 0, 0);
    CHECK_BETWEEN(all, 0.72, 0.735);
    close_subject(&s);
}

// ---------------------------------------------------------------- modes
// The number that follows this key, of its n-th appearance in the text told next.
static double told_number(const char *text, const char *key, int n) {
    const char *at = text;
    for (int i = 0; at && i <= n; i++) {
        at = strstr(at, key);
        if (at) at += strlen(key);
    }
    assert_non_null(at);
    return strtod(at, NULL);
}

// How far points of the first rod, and of the first actuator, go from where they are in the mean of a
// swing of 1.5 s: at the middle of the rod, at its tip, at the end of the tendon.
static void swing_of(subject *s, double moved[3]) {
    enum { N = 90 };
    static double p[N][3][3];
    const scene *sc = live_scene(s->live);
    const int n = sc->rods[0].n_points,
              tendon = sc->rod_floats + 3 * (sc->actuators[0].n_points - 1);
    const int at[3] = {7 * (n / 2), 7 * (n - 1), tendon};
    double mean[3][3] = {{0.0}};
    for (int i = 0; i < N; i++, s->now += 1.5 / N) {
        live_tick(s->live, s->now);
        seen_frame f = look(s);
        for (int j = 0; j < 9; j++) {
            p[i][j / 3][j % 3] = frame_f32(&f, at[j / 3] + j % 3);
            mean[j / 3][j % 3] += p[i][j / 3][j % 3] / N;
        }
    }
    for (int j = 0; j < 3; j++) {
        moved[j] = 0.0;
        for (int i = 0; i < N; i++) {
            double squares = 0.0;
            for (int k = 0; k < 3; k++) squares += pow(p[i][j][k] - mean[j][k], 2);
            moved[j] = fmax(moved[j], sqrt(squares));
        }
    }
}

// A cantilever: omega = (1.8751/L)^2 sqrt(EI/rho A), with EI = rho A in SI here; its material
// damps by omega tau/2; at half its length it moves by 0.3395 of the tip.
static void modes_are_those_of_a_cantilever_and_swing_as_far_as_asked(void **state) {
    (void)state;
    const double PI2 = 6.283185307179586, omega = pow(1.875104069 / LENGTH, 2);
    char lively[sizeof cantilever];
    memcpy(lively, cantilever, sizeof cantilever);
    memcpy(strstr(lively, "20 ms"), " 2 ms", 5);
    subject s = open_text(lively, false);
    send(&s, "{\"do\":\"modes\"}");
    wait(&s, 0.02);
    char *text = live_text(s.live, &s.texts, 8);  // everybody is told
    assert_non_null(text);
    assert_non_null(strstr(text, "\"type\": \"modes\""));
    assert_non_null(strstr(text, "\"oscillates\""));
    CHECK_NEAR(told_number(text, "\"frequency\": ", 0), omega / PI2, 1e-3 * omega / PI2);
    CHECK_NEAR(told_number(text, "\"frequency\": ", 2) * PI2, omega * pow(4.694091 / 1.875104, 2),
               3e-3 * 138);
    CHECK_NEAR(told_number(text, "\"damping\": ", 0), 0.5 * omega * 0.002, 1e-4);
    assert_true(told_number(text, "\"total\": ", 0) >= 20);
    free(text);
    double moved[3];
    swing_of(&s, moved);
    CHECK_NEAR(moved[1], 0.1 * LENGTH, 1e-3 * LENGTH);
    CHECK_NEAR(moved[0] / moved[1], 0.3395, 2e-3);
    // The tendon ends 8 mm beside the tip and goes with its section, which turns by 1.3765/L of what it
    // moves: at least as far as the tip less what it is lifted.
    CHECK_BETWEEN(moved[2], moved[1] - 8e-3 * 1.3765 * 0.1, moved[1] + 8e-3 * 1.3765 * 0.1);
    send(&s, "{\"do\":\"modes\",\"mode\":2,\"value\":0.05}");
    swing_of(&s, moved);
    CHECK_NEAR(moved[1], 0.05 * LENGTH, 1e-3 * LENGTH);
    CHECK_NEAR(moved[0] / moved[1], 0.7137, 2e-3);
    live_facts f = facts_of(&s);
    assert_int_equal(f.mode, 2);
    live_facts_destroy(&f);
    close_subject(&s);
}

// Half as much again is fed: the same cantilever, 0.6 m long. Places between its points go along.
static void a_rod_that_is_fed_swings_as_one_of_its_present_length(void **state) {
    (void)state;
    const double PI2 = 6.283185307179586, omega = pow(1.875104069 / 0.6, 2);
    subject s =
        open_text("tendril: 1\n"
                  "gravity: [0, 0, 0]\n"
                  "rods: [{name: rod, length: 0.4, feed: out, section: {radius: 2 mm},\n"
                  "        material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}]\n"
                  "tendons: [{name: pull, offset: [8 mm, 0]}]\n"
                  "inputs: {out: 0.2, pull: 0}\n",
                  false);
    send(&s, "{\"do\":\"modes\"}");
    wait(&s, 0.02);
    char *text = live_text(s.live, &s.texts, 8);
    assert_non_null(text);
    printf("%.60s %g Hz, %g\n", text, told_number(text, "\"frequency\": ", 0), omega / PI2);
    CHECK_NEAR(told_number(text, "\"frequency\": ", 0), omega / PI2, 1e-3 * omega / PI2);
    CHECK_NEAR(told_number(text, "\"frequency\": ", 2) * PI2, omega * pow(4.694091 / 1.875104, 2),
               3e-3 * 138);
    free(text);
    double moved[3];
    swing_of(&s, moved);
    CHECK_NEAR(moved[1], 0.1 * LENGTH, 1e-3 * LENGTH);
    CHECK_BETWEEN(moved[2], moved[1] - 1e-3, moved[1] + 1e-3);
    close_subject(&s);
}

static void time_is_held_while_a_mode_is_shown_and_goes_on_after(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    wait(&s, 0.3);
    double before = look(&s).time, p[3], q[3];
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.4}");
    send(&s, "{\"do\":\"modes\",\"mode\":1}");
    wait(&s, 1.0);
    seen_frame shown = look(&s);
    CHECK_NEAR(shown.time, before, 0.02);
    assert_int_equal(shown.flags, 0);
    send(&s, "{\"do\":\"export-inputs\"}");  // it goes on
    wait(&s, 0.02);
    live_facts f = facts_of(&s);
    assert_int_equal(f.mode, 1);
    send(&s, "{\"do\":\"modes\",\"mode\":null}");
    wait(&s, 0.5);
    live_get_facts(s.live, &f);
    assert_int_equal(f.mode, -1);
    assert_true(f.playing);
    CHECK_BETWEEN(look(&s).time, before + 0.4, before + 0.55);
    tip_of(&s, p);
    CHECK_NEAR(p[1], 1e-3 * LENGTH * LENGTH * LENGTH / (3 * BENDING), 2e-5);  // as if nothing was
    send(&s, "{\"do\":\"pause\"}");
    send(&s, "{\"do\":\"modes\"}");
    wait(&s, 0.1);
    tip_of(&s, q);
    assert_true(fabs(q[1] - p[1]) + fabs(q[0] - p[0]) > 0.01);
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");  // whatever else is asked leaves it
    wait(&s, 0.1);
    live_get_facts(s.live, &f);
    assert_int_equal(f.mode, -1);
    assert_false(f.playing);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void modes_that_are_not_to_be_had_are_refused_with_words(void **state) {
    (void)state;
    char text[1024];
    subject s = open_text(cantilever, true);
    send(&s, "{\"do\":\"modes\",\"value\":1.5}");
    wait(&s, 0.02);
    check_told(&s, "modes: value = 1.5 must be from 0 to 1");
    send(&s, "{\"do\":\"modes\",\"mode\":5000}");
    wait(&s, 0.02);
    check_told(&s, "modes: mode = 5000: there are ");
    assert_true(look(&s).flags & FRAME_PLAYING);
    close_subject(&s);
    snprintf(text, sizeof text, "%sinputs: {pull: 1e6 N}\n", cantilever);
    s = open_text(text, false);
    send(&s, "{\"do\":\"modes\"}");
    s.texts = 1;  // behind the failure of the start
    wait(&s, 0.02);
    check_told(&s, "modes: there is no equilibrium under the present inputs: ");
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_tell_where_obstacles_are_and_what_they_carry),
        cmocka_unit_test(modes_are_those_of_a_cantilever_and_swing_as_far_as_asked),
        cmocka_unit_test(a_rod_that_is_fed_swings_as_one_of_its_present_length),
        cmocka_unit_test(time_is_held_while_a_mode_is_shown_and_goes_on_after),
        cmocka_unit_test(modes_that_are_not_to_be_had_are_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
