// `tendril view` over its sockets: who is let in, what is answered, and that nothing that comes
// through a socket disturbs it.
#include "tendril/tendril.h"

#include "check.h"

#include <errno.h>

#include "view_client.h"
#include "view_frames.h"

static view_server server;

static int start_arm(void **state) {
    (void)state;
    const char *arguments[] = {EXAMPLES "/two-segment-arm.yaml", "--paused", NULL};
    server = view_start(TEST_PROGRAM, arguments);
    return server.port > 0 ? 0 : -1;
}

// Under a sanitizer the exit code tells of leaks and races too.
static int stop_cleanly(void **state) {
    (void)state;
    int code = view_stop(&server);
    if (code != 0) fprintf(stderr, "tendril view ended with %d\n", code);
    return code;
}

static view_client open_page(void) {
    view_client c = view_open(server.port, VIEW_TOKEN, NULL, NULL);
    assert_int_equal(c.code, 101);
    assert_true(view_wait(&c, "hello", "\"protocol\": 1", VIEW_PATIENCE));
    return c;
}

#define CHECK_ANSWER(c, type, words) check_answer(c, type, words, __LINE__)
static void check_answer(view_client *c, const char *type, const char *words, int line) {
    if (view_wait(c, type, words, VIEW_PATIENCE)) return;
    fprintf(stderr, "line %d: no %s with '%s'\n", line, type, words);
    fail();
}

// ---------------------------------------------------------------- who is let in
static void a_wrong_token_is_refused(void **state) {
    (void)state;
    const char *tokens[] = {"",    "token",         "token-of-a-tesT", "token-of-a-test-",
                            "%20", "token-of-a-tes"};
    for (int i = 0; i < 6; i++) {
        view_client c = view_open(server.port, tokens[i], NULL, NULL);
        assert_int_equal(c.code, 403);
        view_close(&c);
        char path[64];
        snprintf(path, sizeof path, "/?token=%s", tokens[i]);
        assert_int_equal(view_get(server.port, path, NULL, NULL, 0, NULL), 403);
    }
    assert_int_equal(view_get(server.port, "/", NULL, NULL, 0, NULL), 403);
    assert_int_equal(view_get(server.port, "/index.html", NULL, NULL, 0, NULL), 403);
    assert_int_equal(view_get(server.port, "/replay", NULL, NULL, 0, NULL), 403);
    assert_int_equal(view_get(server.port, "/?token=" VIEW_TOKEN, NULL, NULL, 0, NULL), 200);
}

static void a_foreign_origin_is_refused(void **state) {
    (void)state;
    const char *origins[] = {"",     "http://example.org", "https://127.0.0.1",
                             "null", "http://127.0.0.1",   "http://127.0.0.1:1"};
    for (int i = 0; i < 6; i++) {
        view_client c = view_open(server.port, VIEW_TOKEN, origins[i], NULL);
        assert_int_equal(c.code, 403);
        view_close(&c);
    }
}

// A name that was made to lead to this machine after the page was loaded.
static void a_foreign_host_is_refused(void **state) {
    (void)state;
    char host[64];
    snprintf(host, sizeof host, "example.org:%d", server.port);
    view_client c = view_open(server.port, VIEW_TOKEN, NULL, host);
    assert_int_equal(c.code, 403);
    view_close(&c);
    assert_int_equal(view_get(server.port, "/?token=" VIEW_TOKEN, host, NULL, 0, NULL), 403);
    snprintf(host, sizeof host, "localhost:%d", server.port);
    c = view_open(server.port, VIEW_TOKEN, NULL, host);
    assert_int_equal(c.code, 101);
    view_close(&c);
}

static void only_files_of_the_page_are_served(void **state) {
    (void)state;
    const char *paths[] = {"/../CMakeLists.txt",
                           "/..%2f..%2fetc/passwd",
                           "//etc/passwd",
                           "/.git",
                           "/assets/../../x",
                           "/no-such-file",
                           ("/replay?token=" VIEW_TOKEN)};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        int code = view_get(server.port, paths[i], NULL, NULL, 0, NULL);
        if (code != 403 && code != 404) fprintf(stderr, "%s: %d\n", paths[i], code);
        assert_true(code == 403 || code == 404);
    }
}

static void more_pages_than_there_is_room_for_are_refused(void **state) {
    (void)state;
    view_client pages[80] = {open_page()};
    CHECK_ANSWER(&pages[0], "status", "\"watchers\": 1");  // those of other tests are gone
    int n = 1;
    for (int i = 1; i < 80; i++) {
        pages[i] = view_open(server.port, VIEW_TOKEN, NULL, NULL);
        n += pages[i].code == 101;
        assert_true(pages[i].code == 101 || pages[i].code == 503);
    }
    assert_int_equal(n, 64);
    for (int i = 0; i < 80; i++) view_close(&pages[i]);
}

// ---------------------------------------------------------------- what is answered
static void hello_describes_the_arm_and_frames_fit_it(void **state) {
    (void)state;
    view_client c = open_page();
    const char *hello = (const char *)c.message;
    const char *const parts[] = {
        "\"live\": true",    "\"two-segment arm\"", "\"backbone\"",    "\"a1\"",
        "\"disc10\"",        "\"cosserat\"",        "\"force_scale\"", "\"kind\": \"tension\"",
        "\"playing\": false"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(hello, parts[i])) fail_msg("%s is not in hello", parts[i]);
    int floats = 0;
    const char *at = strstr(hello, "\"floats\": ");
    assert_non_null(at);
    sscanf(at, "\"floats\": %d", &floats);
    assert_true(view_wait_frame(&c, VIEW_PATIENCE));
    assert_int_equal(c.length, 16 + 4 * floats);
    seen_frame f = frame_open(c.message, c.length);
    assert_int_equal(f.magic, 0x31464454);
    view_close(&c);
}

static void steps_move_time_and_play_lets_it_pass(void **state) {
    (void)state;
    view_client c = open_page();
    view_send(&c, "{\"do\":\"reset\"}");
    view_send(&c, "{\"do\":\"step\"}");
    view_send(&c, "{\"do\":\"step\"}");
    double t = -1.0;
    for (int i = 0; i < 50 && fabs(t - 0.02) > 1e-9 && view_wait_frame(&c, VIEW_PATIENCE); i++)
        t = frame_open(c.message, c.length).time;
    CHECK_NEAR(t, 0.02, 1e-9);
    view_send(&c, "{\"do\":\"play\"}");
    for (int i = 0; i < 500 && t < 0.5 && view_wait_frame(&c, VIEW_PATIENCE); i++) {
        seen_frame f = frame_open(c.message, c.length);
        assert_true(f.time >= t);
        t = f.time;
    }
    assert_true(t >= 0.5);
    CHECK_ANSWER(&c, "status", "\"playing\": true");
    view_send(&c, "{\"do\":\"reset\"}");
    view_send(&c, "{\"do\":\"pause\"}");
    CHECK_ANSWER(&c, "hello", "\"playing\": false");
    view_close(&c);
}

static void what_is_no_message_is_answered_with_an_error(void **state) {
    (void)state;
    view_client c = open_page();
    view_send(&c, "hello?");
    CHECK_ANSWER(&c, "error", "a JSON object");
    view_send(&c, "{\"do\":\"explode\"}");
    CHECK_ANSWER(&c, "error", "is not known");
    view_send(&c, "");
    CHECK_ANSWER(&c, "error", "a JSON object");
    view_send_bytes(&c, 2, "{\"do\":\"play\"}", 13);
    CHECK_ANSWER(&c, "error", "not binary");
    view_send(&c, "{\"do\":\"set\",\"input\":1000,\"value\":0}");
    CHECK_ANSWER(&c, "error", "there are 6 inputs");
    view_close(&c);
}

static void a_message_that_is_too_long_closes_its_own_socket_only(void **state) {
    (void)state;
    view_client other = open_page(), c = open_page();
    static char text[8192];
    memset(text, 'a', sizeof text);
    view_send_bytes(&c, 1, text, sizeof text);
    for (int i = 0; i < 1000 && c.kind != 8 && view_next(&c, VIEW_PATIENCE); i++) {
    }
    assert_int_equal(c.kind, 8);
    assert_int_equal(c.close_code, 1009);
    view_send(&other, "x");
    CHECK_ANSWER(&other, "error", "a JSON object");
    view_close(&c);
    view_close(&other);
}

static void too_many_messages_are_dropped_with_an_error(void **state) {
    (void)state;
    view_client c = open_page();
    // More and more of them, until the server has been too slow to let a second pass between.
    bool dropped = false;
    for (int i = 0; i < 200 && !dropped; i++) {
        for (int k = 0; k < 1000; k++) assert_true(view_send(&c, "{\"do\":\"release\"}"));
        dropped = view_wait(&c, "error", "240 messages in a second", 1.0);
    }
    assert_true(dropped);
    // It hears again when it is through with them, and a while has passed.
    bool heard = false;
    for (int i = 0; i < 200 && !heard; i++) {
        view_send(&c, "{\"do\":\"explode\"}");
        heard = view_wait(&c, "error", "is not known", 1.0);
    }
    assert_true(heard);
    view_close(&c);
}

static void one_page_drives_and_the_others_watch(void **state) {
    (void)state;
    view_client a = open_page();
    CHECK_ANSWER(&a, "status", "\"driving\": true");
    view_client b = open_page();
    CHECK_ANSWER(&b, "status", "\"driving\": false");
    CHECK_ANSWER(&b, "status", "\"watchers\": 2");
    view_send(&b, "{\"do\":\"play\"}");
    CHECK_ANSWER(&b, "error", "another page drives");
    view_send(&b, "{\"do\":\"export-inputs\"}");
    CHECK_ANSWER(&b, "inputs", "two-segment-arm-inputs.yaml");
    view_send(&b, "{\"do\":\"drive\"}");
    CHECK_ANSWER(&b, "hello", "\"driving\": true");
    CHECK_ANSWER(&a, "hello", "\"driving\": false");
    view_send(&b, "{\"do\":\"speed\",\"value\":0.5}");
    CHECK_ANSWER(&a, "hello", "\"speed\": 0.5");  // who watches is told
    view_close(&b);
    CHECK_ANSWER(&a, "hello", "\"driving\": true");
    view_send(&a, "{\"do\":\"speed\",\"value\":1}");
    CHECK_ANSWER(&a, "hello", "\"speed\": 1,");
    view_close(&a);
}

static void a_failed_step_is_told_with_the_last_good_state(void **state) {
    (void)state;
    view_client c = open_page();
    view_send(&c, "{\"do\":\"reset\"}");
    view_send(&c, "{\"do\":\"step\"}");
    CHECK_ANSWER(&c, "status", "\"time\": 0.01,");
    view_send(&c, "{\"do\":\"set\",\"input\":0,\"value\":5000000}");
    view_send(&c, "{\"do\":\"play\"}");
    CHECK_ANSWER(&c, "failure", "\"time\": 0.01");
    assert_non_null(strstr((const char *)c.message, "rod 'backbone'"));
    CHECK_ANSWER(&c, "status", "\"playing\": false");
    CHECK_ANSWER(&c, "status", "\"time\": 0.01,");
    view_send(&c, "{\"do\":\"reset\"}");
    view_send(&c, "{\"do\":\"step\"}");
    view_send(&c, "{\"do\":\"step\"}");
    CHECK_ANSWER(&c, "status", "\"time\": 0.02,");
    view_close(&c);
}

// ---------------------------------------------------------------- noise
static const char *const seeds[] = {
    "{\"do\":\"set\",\"input\":1,\"value\":2.5}",
    "{\"do\":\"pull\",\"force\":[0.1,0.2,0.3]}",
    "{\"do\":\"model\",\"name\":\"eba\",\"step\":0.01}",
    "{\"do\":\"model\",\"scheme\":\"bdf2\"}",
    "{\"do\":\"ghost\",\"name\":null}",
    "{\"do\":\"grab\",\"rod\":0,\"s\":0.1}",
    "{\"do\":\"speed\",\"value\":1.5}",
    "{\"do\":\"play\"}",
    "{\"do\":\"step\"}",
    "{\"do\":\"reset\"}",
    "{\"do\":\"export-inputs\"}",
    "{\"do\":\"drive\"}",
};
enum { N_SEEDS = sizeof seeds / sizeof seeds[0] };

static unsigned next_random(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Messages as they are, with some bytes changed, or nothing but noise of any length.
static void send_noise(view_client *c, unsigned *seed) {
    static const char letters[] = "0123456789eE+-.,:[]{}\" \\u";
    unsigned char bytes[4096];
    unsigned kind = next_random(seed) % 4;
    const char *text = seeds[next_random(seed) % N_SEEDS];
    size_t n = strlen(text);
    memcpy(bytes, text, n);
    if (kind == 3) n = next_random(seed) % sizeof bytes;
    for (size_t i = 0; kind == 3 && i < n; i++) bytes[i] = (unsigned char)next_random(seed);
    for (unsigned i = 0; kind < 3 && i < kind; i++)
        bytes[next_random(seed) % n] =
            (unsigned char)letters[next_random(seed) % (sizeof letters - 1)];
    view_send_bytes(c, next_random(seed) % 16 ? 1 : 2, bytes, n);
}

// Brings the robot back, whatever was done to it.
static const char *const remedy[] = {
    "{\"do\":\"drive\"}",
    "{\"do\":\"pause\"}",
    "{\"do\":\"ghost\",\"name\":null}",
    "{\"do\":\"model\",\"name\":\"cosserat\",\"scheme\":\"bdf-alpha\",\"step\":0.01}",
    "{\"do\":\"reset\"}",
    "{\"do\":\"step\"}",
};
enum { N_REMEDY = sizeof remedy / sizeof remedy[0] };

// Each page may send 240 at once, so that every one of them is read rather than dropped.
static void ten_thousand_random_messages_do_not_disturb_it(void **state) {
    (void)state;
    unsigned seed = 2024;
    view_client watcher = open_page();
    for (int sent = 0; sent < 10000;) {
        view_client c = open_page();
        for (int i = 0; i < 230; i++, sent++) send_noise(&c, &seed);
        view_send(&c, "{\"do\":\"explode\"}");
        CHECK_ANSWER(&c, "error", "is not known");
        view_close(&c);
    }
    // The solver may still be busy with what waits for it.
    bool recovered = false;
    for (int i = 0; i < 200 && !recovered; i++) {
        for (int k = 0; k < N_REMEDY; k++) view_send(&watcher, remedy[k]);
        recovered = view_wait(&watcher, "status", "\"time\": 0.01,", 1);
    }
    assert_true(recovered);
    view_close(&watcher);
}

static bool is_closed(const view_client *c) {
    char byte;
    ssize_t n = recv(c->fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

// Connections that stay open and never ask for anything: the oldest make room for a page.
static void half_open_connections_do_not_keep_pages_out(void **state) {
    (void)state;
    enum { N = 400, NEWEST = 100 };
    view_client half[N];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server.port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < N; i++) {
        half[i] = (view_client){.fd = socket(AF_INET, SOCK_STREAM, 0)};
        assert_int_equal(connect(half[i].fd, (struct sockaddr *)&to, sizeof to), 0);
        if (i % 2) view_write(&half[i], "GET / HTTP/1.1\r\nHost: ", 22);
    }
    view_client page = open_page();
    int closed = 0;
    for (int i = 0; i < N - NEWEST; i++) closed += is_closed(&half[i]);
    assert_true(closed > 250);  // not one by one, as they would time out
    for (int i = N - NEWEST; i < N; i++) assert_false(is_closed(&half[i]));
    view_send(&page, "x");
    CHECK_ANSWER(&page, "error", "a JSON object");
    view_close(&page);
    for (int i = 0; i < N; i++) view_close(&half[i]);
}

// Bytes that are not even WebSocket frames, and connections that end in the middle of one.
static void broken_connections_do_not_disturb_it(void **state) {
    (void)state;
    unsigned seed = 77;
    for (int i = 0; i < 40; i++) {
        view_client c =
            i % 2 ? open_page() : view_request(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        unsigned char noise[600];
        for (size_t k = 0; k < sizeof noise; k++) noise[k] = (unsigned char)next_random(&seed);
        view_write(&c, noise, 1 + next_random(&seed) % sizeof noise);
        view_close(&c);
    }
    view_client c = open_page();
    view_close(&c);
}

// ---------------------------------------------------------------- the robot file
static size_t read_example(const char *name, char *text, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", EXAMPLES, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t n = fread(text, 1, size - 1, file);
    fclose(file);
    text[n] = '\0';
    return n;
}

// Sends a robot file; all of `says` bytes were promised, `n` come. The answer lies in `c` when it has come.
static view_client post_file(const char *text, size_t n, size_t says) {
    char head[512];
    snprintf(head, sizeof head,
             "POST /file?token=" VIEW_TOKEN "&name=mine.yaml HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
             "Origin: http://127.0.0.1:%d\r\nContent-Length: %zu\r\n\r\n",
             server.port, server.port, says);
    char *all = malloc(strlen(head) + n + 1);
    if (!all) abort();
    memcpy(stpcpy(all, head), text, n + 1);
    view_client c = {.fd = -1};
    if (n == says) {
        c = view_request(server.port, all);
        view_need(&c, c.body, view_clock() + VIEW_PATIENCE);
    } else {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server.port)};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        c.fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(c.fd, (struct sockaddr *)&to, sizeof to), 0);
        view_write(&c, all, strlen(all));
    }
    free(all);
    return c;
}

static void check_post(const char *text, const char *type, const char *words) {
    char answer[2048];
    view_client c = post_file(text, strlen(text), strlen(text));
    assert_int_equal(c.code, 200);
    snprintf(answer, sizeof answer, "%.*s", (int)c.body, (const char *)c.bytes);
    if (!strstr(answer, type) || !strstr(answer, words)) fail_msg("%s", answer);
    view_close(&c);
}

static void another_robot_file_is_opened_for_all_pages_or_refused_in_words(void **state) {
    (void)state;
    static char text[16384], shown[16384];
    size_t n = 0;
    view_client pages[2] = {open_page(), open_page()};
    read_example("arm.yaml", text, sizeof text);
    memcpy(strstr(text, "length"), "lenght", 6);
    check_post(text, "refused", "mine.yaml:5:5: rods.arm.lenght: unknown key");
    check_post("a: [", "refused", "mine.yaml:2:1: not well-formed YAML");
    view_send(&pages[0], "{\"do\":\"reset\"}");
    assert_true(view_wait_frame(&pages[0], VIEW_PATIENCE));  // the robot is there as before
    for (int k = 1; k <= 2; k++) {
        read_example(k == 1 ? "three-chambers.yaml" : "arm.yaml", text, sizeof text);
        check_post(text, "opened", "");
        for (int i = 0; i < 2; i++) {
            char words[32];
            int floats = 0;
            snprintf(words, sizeof words, "\"opened\": %d", k);
            CHECK_ANSWER(&pages[i], "hello", words);
            assert_non_null(strstr((const char *)pages[i].message, "\"file\": \"mine.yaml\""));
            sscanf(strstr((const char *)pages[i].message, "\"floats\": "), "\"floats\": %d",
                   &floats);
            assert_true(view_wait_frame(&pages[i], VIEW_PATIENCE));
            assert_int_equal(pages[i].length, 16 + 4 * floats);
        }
        assert_int_equal(view_get(server.port, "/file?token=" VIEW_TOKEN, NULL, (uint8_t *)shown,
                                  sizeof shown, &n),
                         200);
        assert_int_equal(n, strlen(text));
        assert_memory_equal(shown, text, n);
    }
    view_close(&pages[0]);
    view_close(&pages[1]);
}

// One that ends in its middle, and one that is longer than a robot file may be.
static void files_that_do_not_come_whole_do_not_disturb_it(void **state) {
    (void)state;
    enum { LONG = 2 << 20 };
    view_client cut = post_file("tendril: 1\n", 11, 1000);
    char *comment = malloc(LONG + 1);
    if (!comment) abort();
    memset(comment, '#', LONG);
    comment[LONG] = '\0';
    view_client c = post_file(comment, LONG, LONG);
    assert_int_not_equal(c.code, 200);
    free(comment);
    view_close(&c);
    view_close(&cut);
    c = open_page();
    view_close(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_token_is_refused),
        cmocka_unit_test(a_foreign_origin_is_refused),
        cmocka_unit_test(a_foreign_host_is_refused),
        cmocka_unit_test(only_files_of_the_page_are_served),
        cmocka_unit_test(more_pages_than_there_is_room_for_are_refused),
        cmocka_unit_test(hello_describes_the_arm_and_frames_fit_it),
        cmocka_unit_test(steps_move_time_and_play_lets_it_pass),
        cmocka_unit_test(what_is_no_message_is_answered_with_an_error),
        cmocka_unit_test(a_message_that_is_too_long_closes_its_own_socket_only),
        cmocka_unit_test(too_many_messages_are_dropped_with_an_error),
        cmocka_unit_test(one_page_drives_and_the_others_watch),
        cmocka_unit_test(a_failed_step_is_told_with_the_last_good_state),
        cmocka_unit_test(ten_thousand_random_messages_do_not_disturb_it),
        cmocka_unit_test(broken_connections_do_not_disturb_it),
        cmocka_unit_test(half_open_connections_do_not_keep_pages_out),
        cmocka_unit_test(another_robot_file_is_opened_for_all_pages_or_refused_in_words),
        cmocka_unit_test(files_that_do_not_come_whole_do_not_disturb_it),
    };
    return cmocka_run_group_tests(tests, start_arm, stop_cleanly);
}
