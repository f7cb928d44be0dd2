// Inverse statics of all models: what is found is an
// equilibrium at the target, of least change or best fit; what fails never happened.
#include <stdlib.h>
#include <string.h>

#include "math/se3.h"

#include "allocator.h"
#include "rods.h"

static const char *const models[] = {"eba",           "ebr", "srl",   "constant_curvature",
                                     "virtual_power", "rom", "tubes", "cosserat"};
#define N_MODELS 8
#define N_TENDONS 6
#define LENGTH 0.3

// Three tendons to the middle of the arm and three to its tip.
static td_robot *arm(void) {
    td_error err = {0};
    td_piece_def piece = td_default_piece_def();
    piece.length = LENGTH;
    piece.youngs_modulus = 60e9, piece.shear_modulus = 23e9, piece.density = 6500.0;
    piece.section.radius = piece.section_end.radius = 0.7e-3;
    td_robot *robot = rod_robot(&piece, 1);
    set_gravity(robot, 0.0, 0.0, 9.81);  // it hangs
    for (int i = 0; i < N_TENDONS; i++) {
        char name[8];
        snprintf(name, sizeof name, "t%d", i);
        const double angle = 2.0 * 3.14159265358979 * (i + (i < 3 ? 0.0 : 0.25)) / 3.0;
        td_tendon_def t = td_default_tendon_def();
        t.name = name, t.to = i < 3 ? 0.5 * LENGTH : LENGTH;
        t.offset[0] = t.offset_end[0] = 8e-3 * cos(angle);
        t.offset[1] = t.offset_end[1] = 8e-3 * sin(angle);
        t.value = (td_number){0.0, 1.0, add_input(robot, name)};
        CHECK_OK(td_robot_add_tendon(robot, &t, &err), err);
    }
    return robot;
}

static world arm_world(const char *model, int segments) {
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = segments;
    o.virtual_power.discs = 6;
    o.nodes = 10;
    return world_make(arm(), &o);
}

static void set_all(const world *w, const double *tensions) {
    for (int i = 0; i < N_TENDONS; i++) td_set_input(w->system, w->state, i, tensions[i]);
}

static const double start[N_TENDONS] = {3.0, 3.0, 3.0, 3.0, 3.0, 3.0};  // straight
static const double there[N_TENDONS] = {6.0, 3.0, 3.0, 2.5, 7.0, 3.0};

// Where the tip is under the tensions `there`; the world is left under those of the start.
static td_target target_of(const world *w) {
    set_all(w, there);
    assert_true(td_solve_statics(w->system, w->state) >= 0);
    td_target target = {.body = -1, .s = LENGTH, .position_only = true, .pose = tip_of(w)};
    set_all(w, start);
    assert_true(td_solve_statics(w->system, w->state) >= 0);
    CHECK_BETWEEN(vec3_norm(vec3_sub(vec3_load(target.pose.p), vec3_load(tip_of(w).p))), 0.02, 0.3);
    return target;
}

static double away(const world *w, const td_target *target) {
    return vec3_norm(vec3_sub(vec3_load(tip_of(w).p), vec3_load(target->pose.p)));
}

static void three_inputs_are_found_again(void **state) {
    (void)state;
    static const int chosen[] = {0, 3, 4};
    for (int k = 0; k < N_MODELS; k++) {
        world w = arm_world(models[k], 6);
        td_target target = target_of(&w);
        CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, chosen, 3));
        CHECK_NEAR(away(&w, &target), 0.0, 1e-9);
        for (int i = 0; i < N_TENDONS; i++)
            CHECK_NEAR(td_get_input(w.system, w.state, i), there[i], 1e-5);
        CHECK_CALL(&w, td_solve_statics(w.system, w.state));  // it is an equilibrium
        CHECK_NEAR(away(&w, &target), 0.0, 1e-9);
        world_free(&w);
    }
}

static double change(const world *w) {
    double sum = 0.0;
    for (int i = 0; i < N_TENDONS; i++)
        sum += pow(td_get_input(w->system, w->state, i) - start[i], 2.0);
    return sqrt(sum);
}

// On the way from here a tendon is asked to push: it waits at zero until it is needed again.
static void tendons_that_do_not_push_come_back(void **state) {
    (void)state;
    static const int chosen[] = {0, 3, 4};
    static const double loose[N_TENDONS] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    static const double tight[N_TENDONS] = {4.0, 0.5, 0.5, 0.2, 5.0, 0.5};
    for (int k = 0; k < N_MODELS; k++) {
        world w = arm_world(models[k], 6);
        set_all(&w, tight);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        td_target target = {.body = -1, .s = LENGTH, .position_only = true, .pose = tip_of(&w)};
        set_all(&w, loose);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, chosen, 3));
        for (int i = 0; i < N_TENDONS; i++)
            CHECK_NEAR(td_get_input(w.system, w.state, i), tight[i], 1e-3);
        world_free(&w);
    }
}

// More inputs than needed: a smaller change than the one that made the target, and than with fewer.
static void more_inputs_change_less(void **state) {
    (void)state;
    static const int all[] = {0, 3, 4, 1, 2, 5};
    for (int k = 0; k < N_MODELS; k++) {
        world w = arm_world(models[k], 6);
        td_target target = target_of(&w);
        double made = 0.0, least = HUGE_VAL;
        for (int i = 0; i < N_TENDONS; i++) made += pow(there[i] - start[i], 2.0);
        for (int n = 4; n <= 6; n++) {
            set_all(&w, start);
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, all, n));
            CHECK_NEAR(away(&w, &target), 0.0, 1e-9);
            if (n > 4) CHECK_BETWEEN(change(&w), 0.0, least);
            least = change(&w) + 1e-9;
        }
        CHECK_BETWEEN(least, 0.1, sqrt(made));
        world_free(&w);
    }
}

static void fewer_inputs_fit_best(void **state) {
    (void)state;
    static const int two[] = {0, 3};
    for (int k = 0; k < N_MODELS; k++) {
        world w = arm_world(models[k], 6);
        td_target target = target_of(&w);
        assert_int_equal(td_solve_inverse(w.system, w.state, &target, two, 2), TD_LOOSE);
        if (!strstr(td_message(w.state), "best fit")) fail_msg("%s", td_message(w.state));
        const double best = away(&w, &target);
        CHECK_BETWEEN(best, 1e-3, 0.1);
        for (int i = 0; i < 4; i++) {  // every way from there leads away
            const double value = td_get_input(w.system, w.state, two[i / 2]);
            td_set_input(w.system, w.state, two[i / 2], value + (i % 2 ? 0.01 : -0.01));
            assert_true(td_solve_statics(w.system, w.state) >= 0);
            CHECK_BETWEEN(away(&w, &target), best - 1e-12, 1.0);
            td_set_input(w.system, w.state, two[i / 2], value);
        }
        world_free(&w);
    }
}

static void inputs_are_those_of_the_cosserat_rod(void **state) {
    (void)state;
    static const int chosen[] = {0, 3, 4};
    world rod = arm_world("cosserat", 1), w = arm_world("eba", 36);
    td_target target = target_of(&rod);
    const double bent[N_TENDONS] = {4.0, 3.0, 3.0, 3.0, 4.0, 3.0};
    set_all(&w, bent);
    set_all(&rod, bent);
    CHECK_CALL(&rod, td_solve_statics(rod.system, rod.state));
    CHECK_CALL(&rod, td_solve_inverse(rod.system, rod.state, &target, chosen, 3));
    CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, chosen, 3));
    CHECK_NEAR(away(&w, &target), 0.0, 1e-9);
    for (int i = 0; i < N_TENDONS; i++)
        CHECK_NEAR(td_get_input(w.system, w.state, i), td_get_input(rod.system, rod.state, i),
                   0.01);
    world_free(&rod);
    world_free(&w);
}

static void what_cannot_be_reached_changes_nothing(void **state) {
    (void)state;
    static const int all[] = {0, 1, 2, 3, 4, 5};
    for (int k = 0; k < N_MODELS; k++) {
        world w = arm_world(models[k], 6);
        td_target target = target_of(&w);
        for (int i = 0; i < 3; i++) target.pose.p[i] *= 3.0;
        size_t bytes = td_snapshot_bytes(w.system);
        void *before = malloc(bytes), *after = malloc(bytes);
        td_state_save(w.system, w.state, before, bytes);
        long made = allocations;
        td_status status = td_solve_inverse(w.system, w.state, &target, all, 6);
        assert_int_equal(allocations, made);
        assert_true(status == TD_ERR_NOT_CONVERGED || status == TD_ERR_SINGULAR);
        if (!strstr(td_message(w.state), " away")) fail_msg("%s", td_message(w.state));
        td_state_save(w.system, w.state, after, bytes);
        assert_memory_equal(before, after, bytes);
        free(before), free(after);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_inputs_are_found_again),
        cmocka_unit_test(tendons_that_do_not_push_come_back),
        cmocka_unit_test(more_inputs_change_less),
        cmocka_unit_test(fewer_inputs_fit_best),
        cmocka_unit_test(inputs_are_those_of_the_cosserat_rod),
        cmocka_unit_test(what_cannot_be_reached_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
