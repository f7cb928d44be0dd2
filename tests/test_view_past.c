// The last minute of a live robot, which it can be put back to; places that it is dragged to; and forces that pages draw as arrows.
#include "view/past.h"

#include "view_live.h"

// ---------------------------------------------------------------- the ring
static void moments_are_kept_evenly_and_the_oldest_go_first(void **state) {
    (void)state;
    past p;
    assert_true(past_create(&p));
    past_clear(&p, 8);
    assert_int_equal(p.room, PAST_MOMENTS);
    for (int k = 0; k <= 100000; k++) {  // 100 s in steps of 1 ms
        unsigned char *to = past_add(&p, 1e-3 * k);
        if (to) memcpy(to, &k, sizeof k);
    }
    assert_int_equal(p.n, PAST_MOMENTS);
    CHECK_NEAR(past_begin(&p, 0.0), 100.0 - PAST_SECONDS + p.every, 1e-9);
    int k;
    memcpy(&k, past_find(&p, 70.05), sizeof k);
    assert_int_equal(k, 70000);
    memcpy(&k, past_find(&p, 90.0), sizeof k);  // what was later is gone
    assert_int_equal(k, 70000);
    memcpy(&k, past_find(&p, 1.0), sizeof k);  // the first that there is
    assert_int_equal(k, 40100);
    past_free(&p);
}

// Each model has snapshots of its own size: the memory stays, and no moment lies beyond it.
static void one_block_serves_moments_of_every_size(void **state) {
    (void)state;
    const size_t sizes[] = {8, 4000, PAST_BYTES / 3, PAST_BYTES / 2 - 1, PAST_BYTES - 1};
    past p;
    assert_true(past_create(&p));
    const unsigned char *memory = p.memory;
    for (int i = 0; i < 5; i++) {
        past_clear(&p, sizes[i]);
        assert_ptr_equal(p.memory, memory);
        assert_null(past_find(&p, 0.0));
        for (int k = 0; k < 2 * p.room; k++) {
            unsigned char *to = past_add(&p, k * p.every);
            assert_non_null(to);
            assert_in_range(to - memory, 0, PAST_BYTES - sizes[i]);
        }
        CHECK_NEAR(past_begin(&p, 0.0), PAST_SECONDS, 1e-9);
    }
    past_clear(&p, PAST_BYTES);  // more than there is: nothing is kept
    assert_null(past_add(&p, 0.0));
    assert_null(past_find(&p, 0.0));
    CHECK_NEAR(past_begin(&p, 7.0), 7.0, 0.0);
    past_free(&p);
}

// ---------------------------------------------------------------- a robot
static void step_to(subject *s, double then, double tip[3]) {
    for (int k = 0; k < 1000 && look(s).time < then - 1e-9; k++) {
        send(s, "{\"do\":\"step\"}");
        wait(s, 0.02);
    }
    CHECK_NEAR(look(s).time, then, 1e-9);
    tip_of(s, tip);
}

static void a_rewound_robot_does_again_what_it_did(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    send(&s, "{\"do\":\"ghost\",\"name\":\"eba\"}");
    send(&s, "{\"do\":\"set\",\"input\":0,\"value\":2e-3}");
    wait(&s, 0.5);
    send(&s, "{\"do\":\"pause\"}");
    wait(&s, 0.05);
    live_facts f = facts_of(&s);
    CHECK_NEAR(f.past, 0.0, 0.0);
    const double then = f.main.time;
    live_facts_destroy(&f);
    double now[3], moved[3], first[3], second[3];
    tip_of(&s, now);
    for (int round = 0; round < 2; round++) {
        send(&s, "{\"do\":\"rewind\",\"value\":0.4}");
        wait(&s, 0.05);
        CHECK_BETWEEN(look(&s).time, 0.1, 0.4);
        tip_of(&s, moved);
        assert_true(moved[0] != now[0] || moved[1] != now[1]);
        assert_int_equal(look(&s).flags & FRAME_GHOST, FRAME_GHOST);
        step_to(&s, then, round ? second : first);
    }
    assert_memory_equal(first, second, sizeof first);  // the same steps, the same bits
    send(&s, "{\"do\":\"rewind\",\"value\":0}");
    wait(&s, 0.05);
    CHECK_NEAR(look(&s).time, 0.0, 0.0);
    close_subject(&s);
}

static void a_new_model_cannot_go_back_to_the_old(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    wait(&s, 0.4);
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");
    wait(&s, 0.02);
    live_facts f = facts_of(&s);
    CHECK_BETWEEN(f.past, 0.3, 0.45);
    live_facts_destroy(&f);
    send(&s, "{\"do\":\"rewind\",\"value\":0}");
    wait(&s, 0.05);
    CHECK_BETWEEN(look(&s).time, 0.3, 0.45);
    close_subject(&s);
}

// ---------------------------------------------------------------- reach
static void a_dragged_tip_is_reached_by_the_inputs(void **state) {
    (void)state;
    subject s =
        open_text("tendril: 1\ngravity: [0, 0, 0]\n"
                  "rods:\n"
                  "  - {name: a, length: 0.3, section: {radius: 1 mm}, damping: {time: 50 ms},\n"
                  "     material: {youngs_modulus: 10 GPa, poisson_ratio: 0.3, density: 1000}}\n"
                  "tendons: [{name: x, offset: [8 mm, 0]}, {name: y, offset: [0, 8 mm]}]\n"
                  "simulation: {time: {step: 5 ms}}\n",
                  true);
    // An arc of curvature k towards x: EI k = T d, tip at (1 - cos kL)/k, sin(kL)/k.
    const double EI = 1e10 * 3.14159265358979323846 / 4 * 1e-12, k = 2.0, L = 0.3;
    char text[200];
    snprintf(text, sizeof text,
             "{\"do\":\"reach\",\"rod\":0,\"s\":0.3,\"position\":[%.12g, 0, %.12g]}",
             (1 - cos(k * L)) / k, sin(k * L) / k);
    send(&s, text);
    wait(&s, 2.0);
    live_facts f = facts_of(&s);
    CHECK_NEAR(f.values[0], EI * k / 8e-3, 1e-3 * EI * k / 8e-3);
    CHECK_NEAR(f.values[1], 0.0, 1e-6);
    assert_false(f.follows[0]);
    live_facts_destroy(&f);
    double p[3];
    tip_of(&s, p);
    CHECK_NEAR(p[0], (1 - cos(k * L)) / k, 1e-4);
    send(&s, "{\"do\":\"reach\",\"rod\":7,\"s\":0.3,\"position\":[0, 0, 0]}");
    wait(&s, 0.05);
    char *said = live_text(s.live, &s.texts, 7);
    assert_non_null(strstr(said, "no such rod"));
    free(said);
    close_subject(&s);
}

// ---------------------------------------------------------------- arrows
static void what_holds_a_robot_balances_its_loads_and_weight(void **state) {
    (void)state;
    subject s =
        open_text("tendril: 1\n"
                  "rods:\n"
                  "  - {name: a, length: 0.2, section: {radius: 1 mm}, mass_per_length: 0.1,\n"
                  "     material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}\n"
                  "loads:\n"
                  "  - {name: tip, at: tip, force: [1 mN, 0, 0], moment: [0, 0, 1e-5]}\n"
                  "  - {name: along, from: 0, to: 0.1, force: [0, 2e-3, 0]}\n"
                  "  - {name: turning, at: 50 %, frame: body, force: [0, 0, 1 mN]}\n",
                  false);
    const scene *sc = live_scene(s.live);
    assert_int_equal(sc->n_arrows, 1 + 5 + 1 + 1);
    seen_frame f = look(&s);
    int at = sc->rod_floats;  // no actuators, bodies or obstacles
    double sum[3] = {0}, held[3];
    for (int i = 0; i < sc->n_arrows; i++, at += ARROW_FLOATS) {
        const arrow *a = &sc->arrows[i];
        const double share = a->per_length ? 0.1 / 5 : 1.0;
        for (int k = 0; k < 3; k++) {
            const double x = frame_f32(&f, at + 3 + k);
            if (a->reaction) held[k] = x;
            else sum[k] += share * x;
        }
        if (!strcmp(a->name, "turning")) {  // of unit length in the direction of the rod there
            CHECK_NEAR(
                hypot(frame_f32(&f, at + 3), hypot(frame_f32(&f, at + 4), frame_f32(&f, at + 5))),
                1e-3, 1e-9);
            assert_true(frame_f32(&f, at + 3) > 1e-6);
        }
        if (!strcmp(a->name, "tip")) CHECK_NEAR(frame_f32(&f, at + 8), 1e-5, 1e-12);
    }
    sum[2] -= 0.1 * 0.2 * 9.81;
    for (int k = 0; k < 3; k++) CHECK_NEAR(held[k], -sum[k], 1e-6);
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_kept_evenly_and_the_oldest_go_first),
        cmocka_unit_test(one_block_serves_moments_of_every_size),
        cmocka_unit_test(a_rewound_robot_does_again_what_it_did),
        cmocka_unit_test(a_new_model_cannot_go_back_to_the_old),
        cmocka_unit_test(a_dragged_tip_is_reached_by_the_inputs),
        cmocka_unit_test(what_holds_a_robot_balances_its_loads_and_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
