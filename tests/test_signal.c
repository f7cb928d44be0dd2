// Signals against values worked out by hand, with both limits where they jump.
#include "tendril/robot.h"

#include "check.h"

#define PI 3.14159265358979323846

static void check_value(const td_signal *s, double t, double before, double after) {
    CHECK_NEAR(td_signal_value(s, t, TD_BEFORE), before, 1e-12);
    CHECK_NEAR(td_signal_value(s, t, TD_AFTER), after, 1e-12);
}

static void check_rate(const td_signal *s, double t, double before, double after) {
    CHECK_NEAR(td_signal_rate(s, t, TD_BEFORE), before, 1e-9);
    CHECK_NEAR(td_signal_rate(s, t, TD_AFTER), after, 1e-9);
}

static void constant_stays(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_CONSTANT, .from = 3.0, .to = 9.0};
    check_value(&s, -1e9, 3.0, 3.0);
    check_value(&s, 1e9, 3.0, 3.0);
    check_rate(&s, 0.0, 0.0, 0.0);
    assert_true(td_signal_next_jump(&s, -1e9) == HUGE_VAL);
}

static void step_has_two_values_at_its_instant(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_STEP, .from = -2.0, .to = 5.0, .start = 0.3};
    check_value(&s, 0.3, -2.0, 5.0);
    check_value(&s, 0.3 - 1e-15, -2.0, -2.0);
    check_value(&s, 0.3 + 1e-15, 5.0, 5.0);
    check_rate(&s, 0.3, 0.0, 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == 0.3);
    assert_true(td_signal_next_jump(&s, 0.3) == HUGE_VAL);  // strictly after
    s.to = s.from;
    assert_true(td_signal_next_jump(&s, 0.0) == HUGE_VAL);
}

static void ramp_is_straight_between_its_ends(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_RAMP, .from = 1.0, .to = 5.0, .start = 0.1, .duration = 0.5};
    check_value(&s, 0.0, 1.0, 1.0);
    check_value(&s, 0.1, 1.0, 1.0);
    check_value(&s, 0.35, 3.0, 3.0);
    check_value(&s, 0.6, 5.0, 5.0);
    check_value(&s, 7.0, 5.0, 5.0);
    check_rate(&s, 0.05, 0.0, 0.0);
    check_rate(&s, 0.1, 0.0, 8.0);
    check_rate(&s, 0.3, 8.0, 8.0);
    check_rate(&s, 0.6, 8.0, 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == HUGE_VAL);
}

static void hat_peaks_in_the_middle(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_HAT, .from = 1.0, .to = 6.0, .start = 0.25, .duration = 0.5};
    check_value(&s, 0.0, 1.0, 1.0);
    check_value(&s, 0.25, 1.0, 1.0);
    check_value(&s, 0.375, 3.5, 3.5);
    check_value(&s, 0.5, 6.0, 6.0);
    check_value(&s, 0.625, 3.5, 3.5);
    check_value(&s, 0.75, 1.0, 1.0);
    check_value(&s, 2.0, 1.0, 1.0);
    check_rate(&s, 0.25, 0.0, 20.0);
    check_rate(&s, 0.5, 20.0, -20.0);
    check_rate(&s, 0.75, -20.0, 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == HUGE_VAL);
}

static void hat_has_half_the_area_of_its_box(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_HAT, .to = 5.0, .start = 0.002, .duration = 0.016};
    double area = 0.0, dt = 1e-5;
    for (int i = 0; i < 3000; i++) area += dt * td_signal_value(&s, (i + 0.5) * dt, TD_AFTER);
    CHECK_NEAR(area, 0.5 * 5.0 * 0.016, 1e-9);
}

static void sine_follows_its_formula_and_stops(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_SINE, .from = 1.0, .to = 2.0, .start = 0.5, .frequency = 2.0};
    check_value(&s, 0.4, 1.0, 1.0);
    check_value(&s, 0.5, 1.0, 1.0);
    check_value(&s, 0.625, 3.0, 3.0);             // a quarter period
    check_value(&s, 0.5 + 1.0 / 24.0, 2.0, 2.0);  // sin(30 deg) = 1/2
    check_rate(&s, 0.5, 0.0, 8.0 * PI);
    check_rate(&s, 0.625, 0.0, 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == HUGE_VAL);
    s.duration = 0.75;  // one and a half periods: ends at the middle, no jump
    check_value(&s, 1.25, 1.0, 1.0);
    check_value(&s, 1.3, 1.0, 1.0);
    check_rate(&s, 1.25, -8.0 * PI, 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == HUGE_VAL);
}

static void sine_jumps_where_phase_or_end_cut_it(void **state) {
    (void)state;
    td_signal s = {.kind = TD_SIGNAL_SINE,
                   .to = 2.0,
                   .start = 0.5,
                   .frequency = 1.0,
                   .phase = PI / 2,
                   .duration = 0.5};
    check_value(&s, 0.5, 0.0, 2.0);
    check_value(&s, 1.0, -2.0, 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == 0.5);
    assert_true(td_signal_next_jump(&s, 0.5) == 1.0);
    assert_true(td_signal_next_jump(&s, 1.0) == HUGE_VAL);
    s.phase = 0.0, s.duration = 0.25;  // only its end cuts it
    assert_true(td_signal_next_jump(&s, 0.0) == 0.75);
    s.to = 0.0;
    assert_true(td_signal_next_jump(&s, 0.0) == HUGE_VAL);
}

static void points_are_joined_by_lines_and_held_outside(void **state) {
    (void)state;
    const double points[] = {0.0, 1.0, 1.0, 3.0, 1.0, -1.0, 3.0, 0.0};  // a jump at 1
    td_signal s = {.kind = TD_SIGNAL_POINTS, .points = points, .n_points = 4};
    check_value(&s, -5.0, 1.0, 1.0);
    check_value(&s, 0.0, 1.0, 1.0);
    check_value(&s, 0.5, 2.0, 2.0);
    check_value(&s, 1.0, 3.0, -1.0);
    check_value(&s, 2.0, -0.5, -0.5);
    check_value(&s, 3.0, 0.0, 0.0);
    check_value(&s, 9.0, 0.0, 0.0);
    check_rate(&s, 0.0, 0.0, 2.0);
    check_rate(&s, 1.0, 2.0, 0.5);
    check_rate(&s, 3.0, 0.5, 0.0);
    assert_true(td_signal_next_jump(&s, -1.0) == 1.0);
    assert_true(td_signal_next_jump(&s, 1.0) == HUGE_VAL);
}

static void several_jumps_come_one_after_another(void **state) {
    (void)state;
    const double points[] = {0, 0, 0, 1, 2, 1, 2, 1, 3, 1, 3, 5, 3, 2};
    td_signal s = {.kind = TD_SIGNAL_POINTS, .points = points, .n_points = 7};
    assert_true(td_signal_next_jump(&s, -1.0) == 0.0);
    assert_true(td_signal_next_jump(&s, 0.0) == 3.0);  // two equal values at 2 are no jump
    check_value(&s, 0.0, 0.0, 1.0);
    check_value(&s, 3.0, 1.0, 2.0);
    assert_true(td_signal_next_jump(&s, 3.0) == HUGE_VAL);
}

static void one_point_is_a_constant(void **state) {
    (void)state;
    const double points[] = {1.0, 7.0};
    td_signal s = {.kind = TD_SIGNAL_POINTS, .points = points, .n_points = 1};
    check_value(&s, 0.0, 7.0, 7.0);
    check_value(&s, 1.0, 7.0, 7.0);
    check_value(&s, 2.0, 7.0, 7.0);
    check_rate(&s, 1.0, 0.0, 0.0);
}

// Samples of (1 - cos)/2, which rests at both ends; the largest errors of value and rate.
static void sampled_errors(int n, double *value, double *rate) {
    double points[2 * 257];
    for (int i = 0; i <= n; i++) {
        points[2 * i] = (double)i / n;
        points[2 * i + 1] = 0.5 - 0.5 * cos(2.0 * 3.14159265358979323846 * i / n);
    }
    td_signal s = {.kind = TD_SIGNAL_CURVE, .points = points, .n_points = n + 1};
    *value = *rate = 0.0;
    for (int i = 0; i <= 1000; i++) {
        const double t = 1e-3 * i, w = 2.0 * 3.14159265358979323846;
        *value = fmax(*value, fabs(td_signal_value(&s, t, TD_AFTER) - 0.5 + 0.5 * cos(w * t)));
        *rate = fmax(*rate, fabs(td_signal_rate(&s, t, TD_BEFORE) - 0.5 * w * sin(w * t)));
    }
}

static void a_curve_has_the_velocity_of_what_was_sampled(void **state) {
    (void)state;
    double value[2], rate[2];
    sampled_errors(128, &value[0], &rate[0]);
    sampled_errors(256, &value[1], &rate[1]);
    CHECK_BETWEEN(log2(value[0] / value[1]), 2.8, 4.2);
    CHECK_BETWEEN(log2(rate[0] / rate[1]), 1.9, 2.2);
    CHECK_BETWEEN(rate[0], 0.0, 0.005);  // straight lines: 0.08
}

static void a_curve_meets_its_points_and_has_no_corners(void **state) {
    (void)state;
    const double points[] = {0.0, 1.0, 0.5, 2.0, 1.0, 3.0, 1.0, -1.0, 1.4, 4.0, 3.0, 0.0};
    td_signal s = {.kind = TD_SIGNAL_CURVE, .points = points, .n_points = 6};
    check_value(&s, -5.0, 1.0, 1.0);
    check_value(&s, 0.5, 2.0, 2.0);
    check_value(&s, 1.0, 3.0, -1.0);  // a jump
    check_value(&s, 1.4, 4.0, 4.0);
    check_value(&s, 9.0, 0.0, 0.0);
    for (int i = 0; i < 6; i++) {
        const double t = points[2 * i];
        CHECK_NEAR(td_signal_rate(&s, t, TD_BEFORE), td_signal_rate(&s, t, TD_AFTER), 1e-12);
    }
    check_rate(&s, 0.0, 0.0, 0.0);
    check_rate(&s, 0.5, 2.0, 2.0);
    check_rate(&s, 3.0, 0.0, 0.0);
    assert_true(td_signal_next_jump(&s, -1.0) == 1.0);
    assert_true(td_signal_next_jump(&s, 1.0) == HUGE_VAL);
}

// The rate is the derivative of the value, wherever there is one.
static void rates_agree_with_differences(void **state) {
    (void)state;
    const double points[] = {0.1, 1.0, 0.35, 3.0, 0.7, -1.0};
    const td_signal signals[] = {
        {.kind = TD_SIGNAL_RAMP, .from = 1.0, .to = -2.0, .start = 0.1, .duration = 0.6},
        {.kind = TD_SIGNAL_HAT, .from = 1.0, .to = -2.0, .start = 0.1, .duration = 0.6},
        {.kind = TD_SIGNAL_SINE,
         .from = 1.0,
         .to = -2.0,
         .start = 0.1,
         .frequency = 3.0,
         .phase = 0.4,
         .duration = 0.5},
        {.kind = TD_SIGNAL_POINTS, .points = points, .n_points = 3},
        {.kind = TD_SIGNAL_CURVE, .points = points, .n_points = 3},
    };
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 100; i++) {
            double t = 0.0105 + 0.009 * i, h = 1e-6;
            double difference = (td_signal_value(&signals[k], t + h, TD_AFTER) -
                                 td_signal_value(&signals[k], t - h, TD_AFTER)) /
                                (2.0 * h);
            CHECK_NEAR(td_signal_rate(&signals[k], t, TD_AFTER), difference, 1e-6);
        }
}

static void no_time_gives_a_nan(void **state) {
    (void)state;
    const double points[] = {0.0, 1.0, 1.0, 3.0};
    const double times[] = {-HUGE_VAL, HUGE_VAL, (double)NAN, 1e300, -1e300};
    for (int kind = TD_SIGNAL_CONSTANT; kind <= TD_SIGNAL_CURVE; kind++) {
        td_signal s = {.kind = (td_signal_kind)kind,
                       .to = 1.0,
                       .duration = 1.0,
                       .frequency = 1e100,
                       .points = points,
                       .n_points = 2};
        for (int i = 0; i < 5; i++) {
            assert_true(isfinite(td_signal_value(&s, times[i], TD_AFTER)));
            assert_true(isfinite(td_signal_rate(&s, times[i], TD_BEFORE)));
            assert_false(isnan(td_signal_next_jump(&s, times[i])));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_stays),
        cmocka_unit_test(step_has_two_values_at_its_instant),
        cmocka_unit_test(ramp_is_straight_between_its_ends),
        cmocka_unit_test(hat_peaks_in_the_middle),
        cmocka_unit_test(hat_has_half_the_area_of_its_box),
        cmocka_unit_test(sine_follows_its_formula_and_stops),
        cmocka_unit_test(sine_jumps_where_phase_or_end_cut_it),
        cmocka_unit_test(points_are_joined_by_lines_and_held_outside),
        cmocka_unit_test(several_jumps_come_one_after_another),
        cmocka_unit_test(one_point_is_a_constant),
        cmocka_unit_test(a_curve_has_the_velocity_of_what_was_sampled),
        cmocka_unit_test(a_curve_meets_its_points_and_has_no_corners),
        cmocka_unit_test(rates_agree_with_differences),
        cmocka_unit_test(no_time_gives_a_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
