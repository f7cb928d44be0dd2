// Rods of one robot on several threads: the same bits as on one.
#include "chains.h"

// Statics, thirty steps of moving legs and an inverse solve; everything that decides the future.
static size_t play(int threads, double *out, size_t most) {
    const double push[3] = {0.3, -0.1, 0.0};
    td_options o = chain_options();
    o.nodes = 6;
    o.threads = threads;
    world w = world_make(platform_robot(TD_CLAMP, true, push), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    for (int k = 1; k <= 30; k++) {
        for (int i = 0; i < 6; i++) td_set_input(w.system, w.state, i, 1e-3 * sin(0.2 * k + i));
        CHECK_CALL(&w, td_step(w.system, w.state, 5e-3));
    }
    const int legs[6] = {0, 1, 2, 3, 4, 5};
    td_target target = {.body = 0, .rod = -1, .pose = td_get_body(w.system, w.state, 0).pose};
    target.pose.p[0] += 2e-3;
    CHECK_CALL(&w, td_solve_inverse(w.system, w.state, &target, legs, 6));
    size_t bytes = td_snapshot_bytes(w.system);
    assert_true(bytes <= most);
    CHECK_CALL(&w, td_state_save(w.system, w.state, out, bytes));
    world_free(&w);
    return bytes / sizeof(double);
}

static void threads_give_the_same_bits(void **unused) {
    (void)unused;
    const size_t most = 1u << 22;
    double *one = calloc(1, most), *several = calloc(1, most);
    size_t n = play(1, one, most);
    for (int threads = 2; threads <= 4; threads++) {
        assert_int_equal(play(threads, several, most), n);
        assert_memory_equal(one + 1, several + 1, (n - 1) * sizeof(double));  // [0]: fingerprint
    }
    free(one), free(several);
}

static void memory_of_the_caller_cannot_have_threads(void **unused) {
    (void)unused;
    const double push[3] = {0.0, 0.0, 0.0};
    td_options o = chain_options();
    o.threads = 2;
    world w = world_make(platform_robot(TD_CLAMP, true, push), &o);
    size_t bytes = td_state_bytes(w.system);
    void *memory = malloc(bytes);
    assert_null(td_state_init(w.system, memory, bytes));
    free(memory);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(memory_of_the_caller_cannot_have_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
