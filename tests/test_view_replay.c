// A recorded run as frames: what the page is sent is what the run recorded.
#include "tendril/tendril.h"

#include "check.h"

#include "io/result.h"
#include "view/frame.h"
#include "view/replay.h"
#include "view_client.h"
#include "view_frames.h"

static char folder[] = "/tmp/tendril_test_view_replay_XXXXXX";
static char recorded[64];

static int record(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(recorded, sizeof recorded, "%s/arm", folder);
    char command[1024];
    snprintf(command, sizeof command,
             "%s run %s/two-segment-arm.yaml --quiet --out %s --set simulation.time.end=0.4",
             TEST_PROGRAM, EXAMPLES, recorded);
    return system(command);
}

static int remove_all(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void frames_hold_what_was_recorded(void **state) {
    (void)state;
    td_error err = {0};
    replay *p = replay_create(recorded, &err);
    assert_non_null(p);
    result *r = result_read(recorded, &err);
    assert_non_null(r);
    assert_int_equal(p->n_frames, 21);  // 0.4 s, every 20 ms
    assert_int_equal(p->n_frames, r->n_times);
    assert_string_equal(p->model, "cosserat");
    CHECK_NEAR(p->end, 0.4, 1e-9);
    const scene *s = p->scene;
    assert_int_equal(s->rods[0].n_points, 61);
    assert_int_equal(p->bytes, 21 * (16 + 4 * (size_t)s->floats));
    for (int k = 0; k < p->n_frames; k++) {
        size_t each = frame_bytes(s);
        seen_frame f = frame_open(p->frames + each * (size_t)k, each);
        assert_int_equal(f.magic, 0x31464454);
        CHECK_NEAR(f.time, r->time[k], 0);
        for (int i = 0; i < 61; i++)
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(frame_f32(&f, 7 * i + c), r->rods[0].position[(61 * k + i) * 3 + c],
                           1e-7);
        // tendons follow the rod, each with its tension behind its points
        int at = 7 * 61;
        for (int i = 0; i < 6; i++) {
            at += 3 * s->actuators[i].n_points + 2;
            CHECK_NEAR(frame_f32(&f, at - 2), r->actuators[i].values[VALUE_EFFORT][k], 1e-6);
        }
        assert_true(isnan(frame_f32(&f, f.n - 7)));  // a recorded run has no ratio
    }
    result_destroy(r);
    replay_destroy(p);
}

static void obstacles_are_replayed_where_they_were_recorded(void **state) {
    (void)state;
    char command[1024], path[64];
    snprintf(path, sizeof path, "%s/drum", folder);
    snprintf(command, sizeof command,
             "%s run %s/rope-on-drum.yaml --quiet --out %s --set simulation.time.end=0.3",
             TEST_PROGRAM, EXAMPLES, path);
    assert_int_equal(system(command), 0);
    td_error err = {0};
    replay *p = replay_create(path, &err);
    result *r = result_read(path, &err);
    assert_true(p && r);
    const scene *s = p->scene;
    assert_int_equal(s->n_obstacles, 1);
    const int last = p->n_frames - 1, n = s->rods[0].n_points;
    const size_t each = frame_bytes(s);
    seen_frame f = frame_open(p->frames + each * (size_t)last, each);
    assert_int_equal(f.n, s->floats);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(frame_f32(&f, 7 * n + 3 + i), r->obstacles[0].orientation[4 * last + i], 1e-7);
    double most = 0.0;
    for (int i = 0; i < 3 * n; i++) {
        const double force = r->rods[0].contact[3 * n * last + i];
        CHECK_NEAR(frame_f32(&f, 7 * n + 7 + i), force, 1e-6 * (1.0 + fabs(force)));
        most = fmax(most, fabs(force));
    }
    assert_true(most > 1.0);
    result_destroy(r);
    replay_destroy(p);
}

static void a_result_without_shapes_says_what_to_record(void **state) {
    (void)state;
    char command[1024], path[64];
    snprintf(path, sizeof path, "%s/bare", folder);
    snprintf(command, sizeof command,
             "%s run %s/arm.yaml --quiet --out %s --set simulation.time.end=0.02 "
             "--set 'record.fields=[energy]'",
             TEST_PROGRAM, EXAMPLES, path);
    assert_int_equal(system(command), 0);
    td_error err = {0};
    assert_null(replay_create(path, &err));
    assert_non_null(strstr(err.message, "add pose to record.fields"));
}

static void what_is_no_result_is_refused(void **state) {
    (void)state;
    td_error err = {0};
    assert_null(replay_create(folder, &err));
    assert_non_null(strstr(err.message, "there is no result here"));
}

static void the_server_sends_all_frames_to_who_has_the_token(void **state) {
    (void)state;
    const char *arguments[] = {recorded, NULL};
    view_server server = view_start(TEST_PROGRAM, arguments);
    assert_true(server.port > 0);
    assert_int_equal(view_get(server.port, "/replay?token=other", NULL, NULL, 0, NULL), 403);
    td_error err = {0};
    replay *p = replay_create(recorded, &err);
    assert_non_null(p);
    uint8_t *body = malloc(p->bytes + 4096);
    size_t length = 0;
    assert_non_null(body);
    assert_int_equal(
        view_get(server.port, "/replay?token=" VIEW_TOKEN, NULL, body, p->bytes + 4096, &length),
        200);
    assert_int_equal(length, p->bytes);
    assert_memory_equal(body, p->frames, p->bytes);
    view_client c = view_open(server.port, VIEW_TOKEN, NULL, NULL);
    assert_int_equal(c.code, 101);
    assert_true(view_wait(&c, "hello", "\"live\": false", VIEW_PATIENCE));
    assert_non_null(strstr((const char *)c.message, "\"frames\": 21"));
    view_send(&c, "{\"do\":\"play\"}");
    assert_true(view_wait(&c, "error", "this is a replay", VIEW_PATIENCE));
    view_close(&c);
    free(body);
    replay_destroy(p);
    assert_int_equal(view_stop(&server), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_hold_what_was_recorded),
        cmocka_unit_test(obstacles_are_replayed_where_they_were_recorded),
        cmocka_unit_test(a_result_without_shapes_says_what_to_record),
        cmocka_unit_test(what_is_no_result_is_refused),
        cmocka_unit_test(the_server_sends_all_frames_to_who_has_the_token),
    };
    return cmocka_run_group_tests(tests, record, remove_all);
}
