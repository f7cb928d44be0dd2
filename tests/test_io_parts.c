// Results of robots with tendons, chambers, bodies and fed rods: what is written is what is read,
// by name and in tables.
#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/result.h"

enum { STEPS = 8, POINTS = 5 };
#define STEP 5e-3

typedef struct files {
    world w;
    char folder[64], path[96];
    td_scenario scenario;
} files;

static int setup(void **state) {
    files *f = calloc(1, sizeof *f);
    variant v = plain;
    v.friction = 0.1;
    td_options o = td_default_options();
    snprintf(f->folder, sizeof f->folder, "/tmp/tendril_test_io_parts.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/result.h5", f->folder);
    f->w = world_make(robot_of(v), &o);
    f->scenario = td_robot_scenario(f->w.robot);
    f->scenario.record_points = POINTS;
    *state = f;
    return 0;
}

static int teardown(void **state) {
    files *f = *state;
    char command[128];
    world_free(&f->w);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

// The k-th step: the legs are fed unevenly, the cable is pulled, the ball let go.
static void move(files *f, int k) {
    const double values[N_INPUTS] = {1e-4 * k, 2e-4 * k, 0.5 * k, 1e3 * k, k < 5 ? 1.0 : 0.0};
    for (int i = 0; i < N_INPUTS; i++) td_set_input(f->w.system, f->w.state, i, values[i]);
    td_status status =
        k == 0 ? td_solve_statics(f->w.system, f->w.state) : td_step(f->w.system, f->w.state, STEP);
    if (status < 0) fprintf(stderr, "step %d: %s\n", k, td_message(f->w.state));
    assert_true(status >= 0);
}

static void write_run(files *f) {
    td_error err = {0};
    recorder r;
    CHECK_OK(recorder_create(&r, f->w.system, &f->scenario, &err), err);
    result_writer *w = result_create(f->path, &r.layout, STEPS + 1, &err);
    assert_non_null(w);
    result_info info = {"test", f->w.robot, f->w.system, &f->scenario};
    CHECK_OK(result_describe(w, &info, &err), err);
    for (int k = 0; k <= STEPS; k++) {
        move(f, k);
        CHECK_OK(result_add(w, recorder_take(&r, f->w.state), &err), err);
    }
    CHECK_OK(result_close(w, "finished", &err), err);
    recorder_destroy(&r);
}

static result *write_and_read(files *f) {
    td_error err = {0};
    write_run(f);
    result *r = result_read(f->path, &err);
    if (!r) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(r);
    assert_int_equal(r->n_times, STEPS + 1);
    td_state_reset(f->w.system, f->w.state);
    return r;
}

// ---------------------------------------------------------------- round trip
static void check_tendon(const files *f, const result_actuator *t, int k) {
    td_tendon_state now = td_get_tendon(f->w.system, f->w.state, 0);
    assert_true(t->values[VALUE_EFFORT][k] == now.tension &&
                t->values[VALUE_END_EFFORT][k] == now.end_tension);
    assert_true(t->values[VALUE_MEASURE][k] == now.length &&
                t->values[VALUE_SUPPLIED][k] == now.displacement);
    assert_true(t->values[VALUE_SLACK][k] == now.slack);
    for (int i = 0; i < POINTS; i++) {
        double p[3];
        td_get_tendon_point(f->w.system, f->w.state, 0, (double)i / (POINTS - 1), p);
        assert_memory_equal(t->path + 3 * (k * POINTS + i), p, sizeof p);
    }
}

static void check_body(const files *f, const result_body *b, int body, int k) {
    td_body_state now = td_get_body(f->w.system, f->w.state, body);
    assert_memory_equal(b->position + 3 * k, now.pose.p, sizeof now.pose.p);
    assert_memory_equal(b->orientation + 4 * k, now.pose.q, sizeof now.pose.q);
    assert_memory_equal(b->velocity + 6 * k, now.velocity, sizeof now.velocity);
    assert_true(b->attached[k] == now.attached);
    td_reaction held = td_get_body_reaction(f->w.system, f->w.state, body);
    assert_memory_equal(b->reaction + 6 * k, held.moment, sizeof held.moment);
    assert_memory_equal(b->reaction + 6 * k + 3, held.force, sizeof held.force);
}

static void check_reactions(const files *f, const result_rod *r, int rod, int k) {
    td_reaction base = td_get_reaction(f->w.system, f->w.state, rod, TD_BASE);
    td_reaction tip = td_get_reaction(f->w.system, f->w.state, rod, TD_TIP);
    assert_memory_equal(r->base_reaction + 6 * k, base.moment, sizeof base.moment);
    assert_memory_equal(r->base_reaction + 6 * k + 3, base.force, sizeof base.force);
    if (rod == ARM) assert_null(r->tip_reaction);
    else assert_memory_equal(r->tip_reaction + 6 * k + 3, tip.force, sizeof tip.force);
}

static void every_part_reads_back_to_the_bit(void **state) {
    files *f = *state;
    result *r = write_and_read(f);
    assert_int_equal(r->n_actuators, 2);
    assert_string_equal(r->actuators[0].kind->word, "tendon");
    assert_string_equal(r->actuators[1].kind->word, "chamber");
    assert_int_equal(r->n_bodies, 2);
    assert_string_equal(r->actuators[0].name, "cable");
    assert_string_equal(r->actuators[1].name, "air");
    assert_string_equal(r->bodies[PLATE].name, "plate");
    assert_true(r->bodies[PLATE].free && !r->bodies[BALL].free);
    assert_string_equal(r->rods[LEFT].tip_body, "plate");
    assert_string_equal(r->rods[LEFT].base_body, "");
    assert_string_equal(r->rods[ARM].tip_body, "");
    for (int k = 0; k <= STEPS; k++) {
        move(f, k);
        td_chamber_state c = td_get_chamber(f->w.system, f->w.state, 0);
        assert_true(r->actuators[1].values[VALUE_EFFORT][k] == c.pressure);
        assert_true(r->actuators[1].values[VALUE_MEASURE][k] == c.volume);
        assert_true(r->actuators[1].values[VALUE_SUPPLIED][k] == c.amount);
        check_tendon(f, &r->actuators[0], k);
        check_body(f, &r->bodies[PLATE], PLATE, k);
        check_body(f, &r->bodies[BALL], BALL, k);
        check_reactions(f, &r->rods[ARM], ARM, k);
        check_reactions(f, &r->rods[LEFT], LEFT, k);
    }
    assert_true(r->bodies[BALL].attached[4] == 1.0 && r->bodies[BALL].attached[5] == 0.0);
    result_destroy(r);
}

static void the_points_of_a_fed_rod_are_spread_over_its_length(void **state) {
    files *f = *state;
    result *r = write_and_read(f);
    const result_rod *rod = &r->rods[RIGHT];
    for (int k = 0; k <= STEPS; k++) {
        move(f, k);
        CHECK_NEAR(rod->length_now[k], L + 2e-4 * k, 1e-15);
        for (int i = 0; i < POINTS; i++) {
            CHECK_NEAR(rod_point(rod, k, i), (L + 2e-4 * k) * i / (POINTS - 1), 1e-15);
            td_pose at = td_get_pose(f->w.system, f->w.state, RIGHT, rod_point(rod, k, i));
            assert_memory_equal(rod->position + 3 * (k * POINTS + i), at.p, sizeof at.p);
        }
    }
    assert_true(r->rods[ARM].length_now[STEPS] == L);
    result_destroy(r);
}

static void parts_that_were_not_asked_for_are_absent(void **state) {
    files *f = *state;
    f->scenario.record_fields = TD_RECORD_TENDONS;
    result *r = write_and_read(f);
    assert_int_equal(r->n_actuators, 1);
    assert_null(r->actuators[0].path);  // goes with the pose
    assert_null(r->rods[0].length_now);
    assert_int_equal(r->n_bodies, 0);
    result_destroy(r);
}

// ---------------------------------------------------------------- by name
static double scalar(const result *r, const char *name, const char *unit, int record) {
    int n = 0;
    result_scalar *list = scalars_of(r, &n), *found = NULL;
    assert_non_null(list);
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i].name, name)) found = &list[i];
    if (!found) fprintf(stderr, "no scalar %s\n", name);
    assert_non_null(found);
    assert_string_equal(found->unit, unit);
    double value = scalar_at(found, record);
    free(list);
    return value;
}

static void every_number_has_a_name_and_a_unit(void **state) {
    files *f = *state;
    result *r = write_and_read(f);
    const int k = 3;
    for (int i = 0; i <= k; i++) move(f, i);
    const td_system *s = f->w.system;
    const td_state *now = f->w.state;
    td_pose tip = td_get_pose(s, now, ARM, L), plate = td_get_body(s, now, PLATE).pose;
    assert_true(scalar(r, "time", "s", k) == td_get_time(s, now));
    assert_true(scalar(r, "rod.arm.tip.x", "m", k) == tip.p[0]);
    assert_true(scalar(r, "rod.arm.tip.qz", "", k) == tip.q[3]);
    assert_true(scalar(r, "rod.left.length", "m", k) == td_get_length(s, now, LEFT));
    assert_true(scalar(r, "tendon.cable.end_tension", "N", k) ==
                td_get_tendon(s, now, 0).end_tension);
    assert_true(scalar(r, "chamber.air.volume", "m^3", k) == td_get_chamber(s, now, 0).volume);
    assert_true(scalar(r, "body.plate.z", "m", k) == plate.p[2]);
    assert_true(scalar(r, "body.plate.velocity_z", "m/s", k) ==
                td_get_body(s, now, PLATE).velocity[5]);
    assert_true(scalar(r, "input.leg2", "", k) == 2e-4 * k);
    assert_true(scalar(r, "energy.elastic", "J", k) == td_get_energy(s, now).elastic);
    result_destroy(r);
}

// The number in column `name` of the last row of a table.
static double last_in_table(const files *f, const char *file, const char *name) {
    char path[160], head[4096], row[4096];
    snprintf(path, sizeof path, "%s/%s", f->folder, file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(head, sizeof head, in));
    int rows = 0, column = 0;
    while (fgets(row, sizeof row, in)) rows++;
    fclose(in);
    assert_int_equal(rows, STEPS + 1);
    char *cell = strtok(head, ",\n");
    for (; cell && strcmp(cell, name); cell = strtok(NULL, ",\n")) column++;
    if (!cell) fprintf(stderr, "%s has no column %s\n", file, name);
    assert_non_null(cell);
    char *value = strtok(row, ",\n");
    while (column-- > 0) value = strtok(NULL, ",\n");
    return strtod(value, NULL);
}

static void tables_hold_the_same_numbers(void **state) {
    files *f = *state;
    td_error err = {0};
    result *r = write_and_read(f);
    CHECK_OK(csv_export(r, f->folder, &err), err);
    const result_actuator *t = &r->actuators[0];
    assert_true(last_in_table(f, "tendons.csv", "cable.tension [N]") ==
                t->values[VALUE_EFFORT][STEPS]);
    assert_true(last_in_table(f, "tendons.csv", "cable.slack") == 0.0);
    assert_true(last_in_table(f, "chambers.csv", "air.pressure [Pa]") ==
                r->actuators[1].values[VALUE_EFFORT][STEPS]);
    assert_true(last_in_table(f, "bodies.csv", "plate.x [m]") == r->bodies[0].position[3 * STEPS]);
    assert_true(last_in_table(f, "bodies.csv", "ball.attached") == 0.0);
    result_destroy(r);
    result_destroy(write_and_read(f));  // a new result may replace this one ...
    char path[160];
    snprintf(path, sizeof path, "%s/tendons.csv", f->folder);
    assert_int_not_equal(access(path, F_OK), 0);  // ... with its tables
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_part_reads_back_to_the_bit),
        TEST(the_points_of_a_fed_rod_are_spread_over_its_length),
        TEST(parts_that_were_not_asked_for_are_absent),
        TEST(every_number_has_a_name_and_a_unit),
        TEST(tables_hold_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
