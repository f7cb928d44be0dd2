// Steps chosen by tolerance (SUNDIALS): numbers computed independently, energy, snapshots.
#include <stdlib.h>

#include "math/se3.h"

#include "integrate/sundials.h"
#include "lumped.h"

static td_options chosen(const char *model, td_steps method, double tolerance) {
    td_options o = lumped_options(model, 5, false);
    o.integration.method = method;
    o.integration.relative = tolerance;
    o.integration.absolute = 1e-2 * tolerance;
    return o;
}

static const char *const names[] = {"eba", "ebr", "srl"};

static void a_jump_of_pressure_matches_the_numbers(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    // after 0.1 s; Radau with tolerance 1e-7
    static const double truth[3][2] = {{-0.015375499106998548, 0.06491807772208079},
                                       {-0.015375499106656965, 0.06491807772815825},
                                       {-0.015279413555151881, 0.06490573423667077}};
    for (int k = 0; k < 6; k++) {
        td_options o = chosen(names[k % 3], k < 3 ? TD_STEPS_IMPLICIT : TD_STEPS_EXPLICIT, 1e-8);
        world w = world_make(jumping_module(), &o);
        for (int i = 0; i < 5; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.02));
        vec3 tip = module_tip(&w);
        CHECK_NEAR(tip.y, truth[k % 3][0], 2e-8);
        CHECK_NEAR(tip.z, truth[k % 3][1], 2e-8);
        td_energy e = td_get_energy(w.system, w.state);
        td_state_reset(w.system, w.state);
        td_energy start = td_get_energy(w.system, w.state);
        double gain = e.kinetic + e.gravity + e.elastic + e.dissipated - e.work;
        CHECK_NEAR(gain, start.kinetic + start.gravity + start.elastic, 1e-8);
        world_free(&w);
    }
}

static void both_ways_of_stepping_agree(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    td_options o[2] = {lumped_options("eba", 5, false), chosen("eba", TD_STEPS_IMPLICIT, 1e-8)};
    vec3 tip[2];
    for (int k = 0; k < 2; k++) {
        world w = world_make(jumping_module(), &o[k]);
        const int n = k ? 4 : 2000;
        for (int i = 0; i < n; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.05 / n));
        tip[k] = module_tip(&w);
        world_free(&w);
    }
    CHECK_NEAR(vec3_norm(vec3_sub(tip[0], tip[1])), 0.0, 2e-8);
}

// The matrix is filled by as many evaluations as its band is wide, not as there are states (314), and the
// motion is that of small fixed steps.
static void long_chains_are_cheap(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    td_options o[2] = {lumped_options("eba", 24, false), chosen("eba", TD_STEPS_IMPLICIT, 1e-6)};
    o[1].lumped.segments = 24;
    vec3 tip[2];
    for (int k = 0; k < 2; k++) {
        world w = world_make(jumping_module(), &o[k]);
        const int n = k ? 1 : 400;
        for (int i = 0; i < n; i++) CHECK_CALL(&w, td_step(w.system, w.state, 0.02 / n));
        tip[k] = module_tip(&w);
        const td_stats *stats = td_get_stats(w.state);
        if (k) CHECK_BETWEEN((double)stats->evaluations / stats->iterations, 1.0, 4.0);
        world_free(&w);
    }
    CHECK_NEAR(vec3_norm(vec3_sub(tip[0], tip[1])), 0.0, 2e-6);
}

// A difference of many columns at once must not reach the rows of dissipation and work.
static void accounts_of_long_chains_balance(void **state) {
    (void)state;
    if (!integrator_exists()) skip();
    double lost[2];
    for (int k = 0; k < 2; k++) {
        td_options o = chosen("eba", k ? TD_STEPS_IMPLICIT : TD_STEPS_EXPLICIT, 1e-7);
        o.lumped.segments = 12;
        world w = world_make(jumping_module(), &o);
        td_energy start = td_get_energy(w.system, w.state);
        for (int i = 0; i < 4; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
        td_energy e = td_get_energy(w.system, w.state);
        double gain = e.kinetic + e.gravity + e.elastic + e.dissipated - e.work;
        CHECK_NEAR(gain, start.kinetic + start.gravity + start.elastic, 1e-4 * e.work);
        lost[k] = e.dissipated;
        world_free(&w);
    }
    CHECK_NEAR(lost[1], lost[0], 1e-4 * lost[0]);
}

static void trajectories_go_on_to_the_bit(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        td_options o = chosen(names[k % 3], k < 3 ? TD_STEPS_FIXED : TD_STEPS_IMPLICIT, 1e-6);
        if (k >= 3 && !integrator_exists()) continue;
        world w = world_make(jumping_module(), &o);
        const size_t bytes = td_snapshot_bytes(w.system);
        void *middle = malloc(bytes), *end[2] = {malloc(bytes), malloc(bytes)};
        for (int i = 0; i < 3; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
        td_state_save(w.system, w.state, middle, bytes);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3; i++) CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
            td_state_save(w.system, w.state, end[round], bytes);
            if (round == 0) td_state_restore(w.system, w.state, middle, bytes);
        }
        assert_memory_equal(end[0], end[1], bytes);
        free(middle), free(end[0]), free(end[1]);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_of_pressure_matches_the_numbers),
        cmocka_unit_test(both_ways_of_stepping_agree),
        cmocka_unit_test(long_chains_are_cheap),
        cmocka_unit_test(accounts_of_long_chains_balance),
        cmocka_unit_test(trajectories_go_on_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
