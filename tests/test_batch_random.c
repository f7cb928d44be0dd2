// Random robots and inputs: what lanes do with them is what states do, failures are counted and have words, and nobody
// disturbs another. Short here; test_batch_random 100000 takes as many robots.
#include "batches.h"

static int robots = 160;

static unsigned long long seed = 1;
static double uniform(double low, double high) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

// A structure of its own for each batch: length, stiffness, density, tendons anywhere, a body, gravity.
static subject some_subject(void) {
    char text[2048];
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "gravity: [%.3f, %.3f, %.3f]\n"
             "rods:\n"
             "  - name: rod\n"
             "    length: %.4f\n"
             "    material: {youngs_modulus: %.4g, poisson_ratio: 0.4, density: %.1f}\n"
             "    section: {radius: %.5f}\n"
             "    damping: {time: %.2g}\n"
             "    drag: %.3g\n"
             "    base: {direction: [%.2f, %.2f, 1]}\n"
             "tendons:\n"
             "  - {name: a, offset: [%.4f, 0.002]}\n"
             "  - {name: b, offset: [-0.003, %.4f], end: %d %%}\n"
             "bodies: [{name: object, on: rod, at: tip, mass: %.4g}]\n"
             "simulation: {theory: %s, time: {scheme: bdf2, step: 5 ms, end: 1 s}, space: {nodes: "
             "%d}}\n",
             uniform(-10, 10), uniform(-10, 10), uniform(-10, 10), uniform(0.1, 0.5),
             pow(10.0, uniform(7, 11)), uniform(900, 9000), uniform(5e-4, 4e-3),
             pow(10.0, uniform(-4, -2)), uniform(0, 0.1), uniform(-1, 1), uniform(-1, 1),
             uniform(2e-3, 9e-3), uniform(2e-3, 9e-3), (int)uniform(30, 90),
             pow(10.0, uniform(-5, -2)), uniform(0, 1) < 0.7 ? "kirchhoff" : "cosserat",
             (int)uniform(4, 6));
    return subject_of(text, NULL, 0);
}

typedef struct tally {
    long long steps, alone;
    int failed, unlike;
} tally;

#define N 20
#define STEPS 30

// The same inputs to lanes and states; those that states or lanes give up are left alone from then on.
static void play_both(const subject *s, tally *t) {
    td_batch *a = batch_of(s, N, TD_BATCH_STATES, 0, 1), *b = batch_of(s, N, TD_BATCH_LANES, 0, 1);
    const double pull = pow(10.0, uniform(-2, 1)), dt = pow(10.0, uniform(-3, -2));
    bool on[N], same[N];
    for (int i = 0; i < N; i++) on[i] = same[i] = true;
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < 2 * N; i++)
            td_batch_inputs(a)[i] = td_batch_inputs(b)[i] =
                pull * fmin(1.0, 0.1 * k) * uniform(0.5, 1);
        td_batch_step(a, dt, 1, on);
        td_batch_step(b, dt, 1, on);
        t->alone += td_batch_alone(b);
        for (int i = 0; i < N; i++) {
            if (!on[i]) continue;
            t->steps++;
            const td_status there = td_batch_statuses(a)[i], here = td_batch_statuses(b)[i];
            if (here < 0) assert_true(strlen(td_batch_message(b, i)) > 10);
            else assert_string_equal(td_batch_message(b, i), "");
            if (here >= 0 && there >= 0) continue;
            t->failed++;
            t->unlike += (here < 0) != (there < 0);
            on[i] = false;
        }
    }
    td_sample one[N], two[N];
    td_batch_get_samples(a, 0, &s->length, 1, one);
    td_batch_get_samples(b, 0, &s->length, 1, two);
    for (int i = 0; i < N; i++) {
        if (!on[i]) continue;
        assert_true(isfinite(two[i].pose.p[0]));
        // violent motions part: a difference of rounding grows with the kinetic energy there is
        if (distance(&one[i], &two[i]) > 1e-5 * s->length) t->unlike++;
    }
    td_batch_destroy(a), td_batch_destroy(b);
}

static void random_robots_in_lanes_move_as_states_do(void **unused) {
    (void)unused;
    tally t = {0};
    for (int done = 0; done < robots; done += N) {
        subject s = some_subject();
        play_both(&s, &t);
        subject_free(&s);
    }
    fprintf(stderr, "%d robots, %lld steps: %lld alone, %d failed, %d unlike states\n", robots,
            t.steps, t.alone, t.failed, t.unlike);
    assert_true(t.unlike * 200 <= robots);
    assert_true(t.failed * 5 <= robots);  // soft rods under loads that whip them about
}

int main(int argc, char **argv) {
    if (argc > 1) robots = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_robots_in_lanes_move_as_states_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
