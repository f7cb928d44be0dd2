// The promises to a control loop, kept by closed chains: no allocation, the same bits after a
// snapshot.
#include "chains.h"

#include "allocator.h"

static const int legs[6] = {0, 1, 2, 3, 4, 5};

static world standing(td_joint joint) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION;
    o.nodes = 6;
    world w = world_make(platform_robot(joint, true, (double[]){0.2, 0.0, 0.0}), &o);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    return w;
}

// One of everything, the same each time.
static void do_it_all(const world *w, int i) {
    for (int k = 0; k < 6; k++) td_set_input(w->system, w->state, k, 4e-4 * sin(0.3 * i + k));
    CHECK_CALL(w, td_step(w->system, w->state, 2e-3));
    CHECK_CALL(w, td_step(w->system, w->state, 2e-3));
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
    td_target target = {.body = 0, .pose = td_get_body(w->system, w->state, 0).pose};
    target.pose.p[0] += 2e-3 * cos(i);
    CHECK_CALL(w, td_solve_inverse(w->system, w->state, &target, legs, 6));
    double J[36], C[36], smallest;
    CHECK_CALL(w, td_get_body_jacobian(w->system, w->state, 0, J));
    CHECK_CALL(w, td_get_body_compliance(w->system, w->state, 0, C));
    CHECK_CALL(w, td_get_stability(w->system, w->state, &smallest));
    CHECK_CALL(w, td_step(w->system, w->state, 2e-3));
}

static void nothing_allocates_after_the_state_is_made(void **unused) {
    (void)unused;
    if (!TRAPPING) skip();
    for (int kind = TD_CLAMP; kind <= TD_REVOLUTE; kind++) {
        world w = standing((td_joint)kind);
        long before = allocations;
        do_it_all(&w, 1);
        long after = allocations;
        assert_int_equal(after, before);
        world_free(&w);
    }
}

static void a_snapshot_of_a_chain_decides_its_future_to_the_bit(void **unused) {
    (void)unused;
    world w = standing(TD_CLAMP);
    size_t bytes = td_snapshot_bytes(w.system);
    void *saved = malloc(bytes), *first = malloc(bytes), *second = malloc(bytes);
    for (int i = 0; i < 3; i++) do_it_all(&w, i);
    assert_int_equal(td_state_save(w.system, w.state, saved, bytes), TD_OK);
    for (int i = 3; i < 6; i++) do_it_all(&w, i);
    assert_int_equal(td_state_save(w.system, w.state, first, bytes), TD_OK);
    assert_int_equal(td_state_restore(w.system, w.state, saved, bytes), TD_OK);
    for (int i = 3; i < 6; i++) do_it_all(&w, i);
    assert_int_equal(td_state_save(w.system, w.state, second, bytes), TD_OK);
    assert_memory_equal(first, second, bytes);
    td_state *other = td_state_create(w.system);  // and in a memory that has seen nothing of it
    assert_int_equal(td_state_restore(w.system, other, saved, bytes), TD_OK);
    world fresh = {w.robot, w.system, other};
    for (int i = 3; i < 6; i++) do_it_all(&fresh, i);
    assert_int_equal(td_state_save(w.system, other, second, bytes), TD_OK);
    assert_memory_equal(first, second, bytes);
    td_state_destroy(other);
    free(saved), free(first), free(second);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allocates_after_the_state_is_made),
        cmocka_unit_test(a_snapshot_of_a_chain_decides_its_future_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
