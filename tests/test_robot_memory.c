// Memory that runs out while a robot is built: an error, nothing half added, nothing lost.
#include <stdlib.h>

#include "robots.h"

#include "allocator.h"

static const double path[] = {0.0, 8e-3, 0.0, 0.2, 6e-3, 2e-3, 0.4, 4e-3, 0.0};

// One part of each kind. Stops at the first that is refused; *added counts the parts.
static int add_parts(td_robot *robot, int *added, td_error *err) {
    td_piece_def piece = plain_piece(0.4, 10e-3);
    td_rod_def rod = plain_rod("arm", &piece);
    td_input_def input = {.name = "pull",
                          .signal = {.kind = TD_SIGNAL_POINTS, .points = path, .n_points = 2}};
    td_body_def hub = td_default_body_def(), disc = td_default_body_def();
    td_tendon_def tendon = td_default_tendon_def();
    td_chamber_def chamber = td_default_chamber_def();
    td_load_def load = td_default_load_def();
    hub.name = "hub", hub.rod = -1, disc.name = "disc", disc.at = 0.2, disc.mass = 1e-3;
    rod.tip.held = true, rod.tip.body = 0;
    tendon.name = "free", tendon.to = 0.4, tendon.routing = TD_ROUTING_POINTS;
    tendon.points = path, tendon.n_points = 3;
    chamber.name = "air", chamber.to = 0.4, chamber.radius = 1e-3;
    load.name = "push", load.rod = -1;
    int status = td_robot_add_input(robot, &input, err);
    if (status >= 0) *added += 1, status = td_robot_add_body(robot, &hub, err);
    if (status >= 0) *added += 1, status = td_robot_add_rod(robot, &rod, err);
    if (status >= 0) *added += 1, status = td_robot_add_body(robot, &disc, err);
    if (status >= 0) *added += 1, status = td_robot_add_tendon(robot, &tendon, err);
    if (status >= 0) *added += 1, status = td_robot_add_chamber(robot, &chamber, err);
    if (status >= 0) *added += 1, status = td_robot_add_load(robot, &load, err);
    if (status >= 0) *added += 1;
    return status;
}

static void every_failed_allocation_leaves_the_robot_as_it_was(void **state) {
    (void)state;
    if (!TRAPPING) skip();
    int status = -1;
    for (long k = 0; status < 0; k++) {
        assert_true(k < 100);
        td_error err = {0};
        int added = 0;
        long live_before = live;
        td_robot *robot = td_robot_create();
        assert_non_null(robot);
        fail_at = allocations + k;
        status = add_parts(robot, &added, &err);
        fail_at = -1;
        if (status < 0) assert_int_equal(status, TD_ERR_MEMORY);
        assert_int_equal(robot->n_inputs + robot->n_bodies + robot->n_rods + robot->n_actuators +
                             robot->n_loads,
                         added);
        td_robot_destroy(robot);
        assert_int_equal(live, live_before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_leaves_the_robot_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
