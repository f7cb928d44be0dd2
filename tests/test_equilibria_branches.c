// Columns and frames beyond their bifurcation: a small side force decides where they go.
#include "chains.h"

static const double PI = 3.14159265358979323846;
static const double EI = 207e9 * 3.14159265358979323846 / 4.0 * 1e-12;  // of steel_piece()
#define LENGTH 0.4

// The complete elliptic integral K(k), by the arithmetic-geometric mean.
static double elliptic(double k) {
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int i = 0; i < 40; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return 0.5 * PI / a;
}

// Euler's elastica of a cantilever under `load` times its buckling load: K(k) = pi/2 sqrt(load), and the
// tip is aside by 2 k L/K.
static double aside(double load) {
    double low = 0.0, high = 1.0 - 1e-15, want = 0.5 * PI * sqrt(load);
    for (int i = 0; i < 100 && load > 1.0; i++) {
        const double middle = 0.5 * (low + high);
        if (elliptic(middle) < want) low = middle;
        else high = middle;
    }
    return 2.0 * low / want * LENGTH;
}

static void a_column_leans_to_where_it_is_pushed(void **unused) {
    (void)unused;
    const double loads[] = {0.9, 1.001, 1.01, 1.1, 1.3, 2.0, 3.0, 9.5},
                 sides[] = {1e-6, 1e-4, 1e-3};
    const double critical = 0.25 * PI * PI * EI / (LENGTH * LENGTH);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 6; k++) {
            const double P = loads[i] * critical,
                         side = (k % 2 ? 1.0 : -1.0) * sides[k / 2] * critical;
            td_piece_def piece = steel_piece();
            td_options o = chain_options();
            o.theory = TD_KIRCHHOFF, o.nodes = 24, o.tolerance = 1e-8;
            td_robot *robot = rod_robot(&piece, 1);
            add_tip_force(robot, LENGTH, 0.8 * side, 0.6 * side, -P);
            world w = world_make(robot, &o);
            assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
            const td_sample tip = td_get_sample(w.system, w.state, 0, LENGTH);
            const double along =
                (0.8 * tip.pose.p[0] + 0.6 * tip.pose.p[1]) * (side > 0.0 ? 1 : -1);
            assert_true(along > 0.0);
            // what a side force of 1e-3 adds is 0.11 L at the bifurcation, less beyond
            CHECK_NEAR(along, aside(loads[i]), (sides[k / 2] > 1e-5 ? 0.12 : 0.01) * LENGTH);
            world_free(&w);
        }
}

// Without a side force it leaves its straight shape all the same, and says so.
static void a_perfect_column_leaves_for_the_elastica(void **unused) {
    (void)unused;
    const double loads[] = {1.1, 2.0, 9.5}, critical = 0.25 * PI * PI * EI / (LENGTH * LENGTH);
    for (int i = 0; i < 3; i++) {
        td_piece_def piece = steel_piece();
        td_options o = chain_options();
        o.theory = TD_KIRCHHOFF, o.nodes = 24, o.tolerance = 1e-8;
        td_robot *robot = rod_robot(&piece, 1);
        add_tip_force(robot, LENGTH, 0.0, 0.0, -loads[i] * critical);
        world w = world_make(robot, &o);
        assert_int_equal(td_solve_statics(w.system, w.state), TD_BIFURCATION);
        assert_non_null(strstr(td_message(w.state), "this is a stable shape beyond"));
        CHECK_NEAR(td_get_stats(w.state)->bifurcation * loads[i], 1.0, 1e-6);
        const td_sample tip = td_get_sample(w.system, w.state, 0, LENGTH);
        CHECK_NEAR(hypot(tip.pose.p[0], tip.pose.p[1]), aside(loads[i]), 1e-6 * LENGTH);
        world_free(&w);
    }
}

static void a_frame_sways_to_where_it_is_pushed(void **unused) {
    (void)unused;
    const double loads[] = {0.9, 1.01, 1.3, 2.0}, sides[] = {1e-6, 1e-3, 1e-1};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            const double P = loads[i] * 0.5 * PI * PI * EI / (LENGTH * LENGTH);
            const double sign = k % 2 ? 1.0 : -1.0;
            const td_options o = chain_options();
            world w = world_make(frame_robot(10.0 * EI, sign * sides[k / 2] * P, P), &o);
            assert_int_equal(td_solve_statics(w.system, w.state), TD_OK);
            const double sway = (td_get_body(w.system, w.state, 0).pose.p[0] - 0.1) * sign;
            assert_true(sway > 0.0);
            if (k < 2) CHECK_NEAR(sway, aside(loads[i]), 0.01 * LENGTH);
            world_free(&w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_leans_to_where_it_is_pushed),
        cmocka_unit_test(a_perfect_column_leaves_for_the_elastica),
        cmocka_unit_test(a_frame_sways_to_where_it_is_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
