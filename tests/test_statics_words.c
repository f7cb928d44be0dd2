// Equilibria that end early, under every model: where they are asked to stop, and where loads are too much
// for the robot. The state stays as it was, and words name the load and how far the path came.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rods.h"

static const char *const models[] = {"cosserat",           "eba", "ebr", "srl", "virtual_power",
                                     "constant_curvature", "rom"};
enum { N_MODELS = sizeof models / sizeof models[0] };

// An upright column under an input's force, a little to a side, with a tendon that is not pulled.
static world column(const char *model, double share) {
    td_error err = {0};
    td_robot *robot = td_robot_create();
    const int in = add_input(robot, "force");
    td_piece_def piece = steel_piece();
    td_rod_def rod = td_default_rod_def();
    rod.name = "arm", rod.pieces = &piece, rod.n_pieces = 1;
    CHECK_OK(td_robot_add_rod(robot, &rod, &err), err);
    td_tendon_def wire = td_default_tendon_def();
    wire.name = "wire", wire.to = piece.length, wire.offset[0] = wire.offset_end[0] = 5e-3;
    wire.input = TD_DISPLACEMENT, wire.stiffness = 1e3, wire.value = td_constant(0.0);
    CHECK_OK(td_robot_add_tendon(robot, &wire, &err), err);
    td_load_def little = point_load("little", piece.length),
                push = point_load("push", piece.length);
    little.force[1] = td_constant(1e-3);
    push.force[0] = (td_number){0.0, share, in};
    push.force[2] = (td_number){0.0, -share, in};
    add_load(robot, &little);
    add_load(robot, &push);
    td_options o = td_default_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    return world_make(robot, &o);
}

static td_status solve(world *w, double force) {
    td_set_input(w->system, w->state, 0, force);
    return td_solve_statics(w->system, w->state);
}

static void *snapshot(const world *w) {
    void *bytes = malloc(td_snapshot_bytes(w->system));
    assert_non_null(bytes);
    assert_int_equal(td_state_save(w->system, w->state, bytes, td_snapshot_bytes(w->system)),
                     TD_OK);
    return bytes;
}

// ---------------------------------------------------------------- asked to stop
typedef struct asker {
    int times, after;
} asker;

static bool asked(void *context) {
    asker *a = context;
    return ++a->times > a->after;
}

static void statics_stops_when_asked_and_leaves_the_state(void **unused) {
    (void)unused;
    for (int k = 0; k < N_MODELS; k++) {
        for (int after = 0; after < 2; after++) {
            world w = column(models[k], 1.0);
            assert_true(solve(&w, 0.1) >= 0);
            asker who = {.after = after};
            td_set_input(w.system, w.state, 0, 40.0);  // far beyond buckling: a path is gone
            void *before = snapshot(&w);
            td_set_stop(w.state, asked, &who);
            const td_status status = td_solve_statics(w.system, w.state);
            if (who.times <= after) {  // it was found sooner
                assert_true(status >= 0);
            } else {
                assert_int_equal(status, TD_ERR_STOPPED);
                assert_non_null(strstr(td_message(w.state), "asked to stop"));
                void *now = snapshot(&w);
                assert_memory_equal(now, before, td_snapshot_bytes(w.system));
                free(now);
                td_set_stop(w.state, NULL, NULL);
                assert_true(td_solve_statics(w.system, w.state) >= 0);
            }
            if (after == 0) assert_true(who.times > 0);
            free(before);
            world_free(&w);
        }
    }
}

// ---------------------------------------------------------------- too much
// The share of the loads that a message tells of; < 0: it tells of none.
static double told(const char *message) {
    const char *percent = strstr(message, " % of its ");
    if (!percent) return -1.0;
    while (percent > message && percent[-1] != ' ') percent--;
    return 0.01 * atof(percent);
}

static void words_name_the_load_and_how_far_the_path_came(void **unused) {
    (void)unused;
    for (int k = 0; k < N_MODELS; k++) {
        for (double force = 1e3; force < 1e7; force *= 10.0) {
            world w = column(models[k], 1.0);
            const td_status status = solve(&w, force);
            const char *message = td_message(w.state);
            const double reached = td_get_stats(w.state)->load_reached;
            if (status < 0 || status == TD_BIFURCATION) {
                assert_non_null(strstr(message, "'push'"));
                assert_null(strstr(message, "'little'"));
                assert_null(strstr(message, "'wire'"));
                assert_null(strstr(message, "beyond 0 "));
            }
            // As far as the path is said to have come there are equilibria, though perhaps of shapes
            // that the model refuses by name.
            const double share = told(message);
            if (status == TD_ERR_NOT_CONVERGED && share > 0.0) {
                CHECK_NEAR(share, reached, 1e-3 * reached);
                world less = column(models[k], 1.0);
                const td_status before = solve(&less, 0.95 * share * force);
                assert_true(before >= 0 || before == TD_ERR_VALUE || before == TD_ERR_SINGULAR);
                world_free(&less);
            }
            world_free(&w);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statics_stops_when_asked_and_leaves_the_state),
        cmocka_unit_test(words_name_the_load_and_how_far_the_path_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
