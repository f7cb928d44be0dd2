// Muscles: a rod takes the shape that they ask for where nothing hinders it, and presses where something does.
#include "chains.h"
#include "math/pi.h"

#define L 0.5

static td_piece_def soft(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = L;
    piece.youngs_modulus = 1e6, piece.shear_modulus = 4e5, piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.damping_time = 0.05;
    return piece;
}

#define EI (1e6 * PI * 1e-8 / 4.0)

static int add_muscle(td_robot *robot, const char *name, int mode) {
    td_error err = {0};
    td_muscle_def m = td_default_muscle_def();
    m.name = name, m.to = L;
    (mode < 3 ? m.curvature : m.stretch)[mode % 3] = 1.0;
    m.value = (td_number){0.0, 1.0, add_input(robot, name)};
    const int index = td_robot_add_muscle(robot, &m, &err);
    CHECK_OK(index, err);
    return index;
}

static td_robot *arm(bool held) {
    td_piece_def piece = soft();
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    if (held) hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, L);
    add_chain_rod(robot, &rod);
    add_muscle(robot, "bend", 1);
    add_muscle(robot, "grow", 5);
    return robot;
}

static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};

static td_options model_options(int m) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", models[m]);
    o.lumped.segments = 40, o.rom.order = 8;
    return o;
}

// A circle of its curvature k: x = (1 - cos k L)/k, z = sin k L/k. Of the other models that is to their own order in space.
static void alone_it_bends_a_rod_to_a_circle(void **unused) {
    (void)unused;
    static const double within[] = {1e-11, 1e-3, 1e-3, 1e-3, 1e-6};
    for (int m = 0; m < 5; m++)
        for (int i = 1; i <= 2; i++) {
            const double k = 0.75 * i * PI / L;
            td_options o = model_options(m);
            world w = world_make(arm(false), &o);
            td_set_input(w.system, w.state, 0, k);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            const td_pose tip = td_get_pose(w.system, w.state, 0, L);
            CHECK_NEAR(tip.p[0], (1.0 - cos(k * L)) / k, within[m] * L);
            CHECK_NEAR(tip.p[2], sin(k * L) / k, within[m] * L);
            const td_sample s = td_get_sample(w.system, w.state, 0, 0.5 * L);
            CHECK_NEAR(s.strain[1] / k, 1.0, 1e-9);
            CHECK_NEAR(s.wrench[1], 0.0, 1e-9 * EI * k);
            world_free(&w);
        }
}

static void alone_it_lets_a_rod_grow(void **unused) {
    (void)unused;
    for (int m = 0; m < 5; m++) {
        td_options o = model_options(m);
        world w = world_make(arm(false), &o);
        td_set_input(w.system, w.state, 1, 0.6);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));
        CHECK_NEAR(td_get_pose(w.system, w.state, 0, L).p[2], 1.6 * L, 1e-9);
        world_free(&w);
    }
}

// Clamped at both ends a rod stays straight, and its ends hold EI k.
static void held_straight_it_presses(void **unused) {
    (void)unused;
    td_options o = chain_options();
    world w = world_make(arm(true), &o);
    td_set_input(w.system, w.state, 0, 2.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(td_get_pose(w.system, w.state, 0, 0.5 * L).p[0], 0.0, 1e-12);
    CHECK_NEAR(td_get_reaction(w.system, w.state, 0, TD_TIP).moment[1] / (2.0 * EI), -1.0, 1e-9);
    CHECK_NEAR(td_get_reaction(w.system, w.state, 0, TD_BASE).moment[1] / (2.0 * EI), 1.0, 1e-9);
    td_set_input(w.system, w.state, 0, 0.0);
    td_set_input(w.system, w.state, 1, 1e-3);  // below buckling
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    CHECK_NEAR(td_get_reaction(w.system, w.state, 0, TD_TIP).force[2] / (1e-3 * 1e6 * PI * 1e-4),
               -1.0, 1e-9);
    world_free(&w);
}

// d/dk of the circle
static void the_jacobian_is_that_of_the_circle(void **unused) {
    (void)unused;
    const double k = 3.0, a = k * L;
    td_options o = chain_options();
    world w = world_make(arm(false), &o);
    td_set_input(w.system, w.state, 0, k);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    double J[6 * 2];
    CHECK_CALL(&w, td_get_jacobian(w.system, w.state, 0, L, J));
    const double x = (L * k * sin(a) - (1.0 - cos(a))) / (k * k),
                 z = (a * cos(a) - sin(a)) / (k * k);
    CHECK_NEAR(J[2 * 1], L, 1e-9);  // its tip turns about y
    CHECK_NEAR(J[2 * 3], x, 1e-9);
    CHECK_NEAR(J[2 * 5], z, 1e-9);
    world_free(&w);
}

// Bent and grown and let go again under its weight: what muscles do is what there is and what is lost, to the order of the step.
static void work_is_what_is_stored_and_lost(void **unused) {
    (void)unused;
    for (int m = 0; m < 2; m++) {
        double off[2], work = 0.0;
        for (int n = 0; n < 2; n++) {
            td_robot *robot = arm(false);
            set_gravity(robot, 0.0, 0.0, 9.81);
            td_options o = model_options(m);
            o.scheme = TD_BDF2, o.lumped.segments = 16;
            world w = world_make(robot, &o);
            CHECK_CALL(&w, td_solve_statics(w.system, w.state));
            const int steps = 100 << n;
            double start = 0.0;
            for (int i = 0; i <= steps; i++) {
                const td_energy e = td_get_energy(w.system, w.state);
                const double sum = e.kinetic + e.elastic + e.gravity + e.dissipated - e.work;
                if (i == 0) start = sum;
                off[n] = fabs(sum - start), work = e.work;
                if (i == steps) break;
                const double s = sin(PI * (i + 1) / steps);
                td_set_input(w.system, w.state, 0, 4.0 * s * s);
                td_set_input(w.system, w.state, 1, 0.2 * s * s);
                CHECK_CALL(&w, td_step(w.system, w.state, 1.0 / steps));
            }
            world_free(&w);
        }
        CHECK_BETWEEN(work, 1.4, 1.5);
        CHECK_BETWEEN(off[1], 0.0, 5e-4 * work);
        CHECK_BETWEEN(off[0] / off[1], 3.5, 4.6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_bends_a_rod_to_a_circle),
        cmocka_unit_test(alone_it_lets_a_rod_grow),
        cmocka_unit_test(held_straight_it_presses),
        cmocka_unit_test(the_jacobian_is_that_of_the_circle),
        cmocka_unit_test(work_is_what_is_stored_and_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
