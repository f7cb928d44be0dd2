// Random robots and inputs: what lanes do with them is what states do, failures are counted and have words, and nobody
// disturbs another: alone a robot leaves the same bits. Short here; test_batch_random 100000 SEED takes as many robots.
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

#define N 20
#define STEPS 30
#define REASONS 16

typedef struct tally {
    long long steps, alone;
    int failed, unlike, checked;
    char reasons[REASONS][96];  // how their words begin, # for numbers
    int times[REASONS];
} tally;

static double played[STEPS][2 * N];  // inputs

static void note_reason(tally *t, const char *words) {
    static const char numbers[] = "0123456789.e-+";
    char start[96];
    size_t n = 0;
    for (; *words && n + 1 < sizeof start; n++) {
        const bool number = *words >= '0' && *words <= '9';
        start[n] = number ? '#' : *words;
        words += number ? strspn(words, numbers) : 1;
    }
    start[n] = '\0';
    int i = 0;
    while (i < REASONS - 1 && t->times[i] && strcmp(t->reasons[i], start) != 0) i++;
    if (!t->times[i]) strcpy(t->reasons[i], start);
    t->times[i]++;
}

// Robot i by itself leaves the bits that it left among the others: its fate and its tip.
static void check_alone(const subject *s, int i, double dt, int stopped, const td_sample *tip) {
    td_batch *b = batch_of(s, 1, TD_BATCH_LANES, 1, 1);
    td_sample own;
    for (int k = 0; k < STEPS && k <= stopped; k++) {
        memcpy(td_batch_inputs(b), &played[k][2 * i], 2 * sizeof(double));
        td_batch_step(b, dt, 1, NULL);
        assert_true(td_batch_statuses(b)[0] >= 0 || k == stopped);
    }
    td_batch_get_samples(b, 0, &s->length, 1, &own);
    assert_memory_equal(&own, tip, sizeof own);
    td_batch_destroy(b);
}

// The same inputs to lanes and states; those that states or lanes give up are left alone from then on.
static void play_both(const subject *s, tally *t) {
    td_batch *a = batch_of(s, N, TD_BATCH_STATES, 0, 1), *b = batch_of(s, N, TD_BATCH_LANES, 0, 1);
    const double pull = pow(10.0, uniform(-2, 1)), dt = pow(10.0, uniform(-3, -2));
    bool on[N];
    int stopped[N];
    for (int i = 0; i < N; i++) on[i] = true, stopped[i] = STEPS;
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < 2 * N; i++)
            td_batch_inputs(a)[i] = td_batch_inputs(b)[i] = played[k][i] =
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
            note_reason(t, td_batch_message(here < 0 ? b : a, i));
            on[i] = false, stopped[i] = k;
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
    for (int i = (int)uniform(0, 4); i < N; i += 5, t->checked++)
        check_alone(s, i, dt, stopped[i], &two[i]);
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
    fprintf(stderr,
            "%d robots, %lld steps: %lld alone, %d failed, %d unlike states, %d the same by "
            "themselves\n",
            robots, t.steps, t.alone, t.failed, t.unlike, t.checked);
    for (int i = 0; i < REASONS && t.times[i]; i++)
        fprintf(stderr, "  %d: %s\n", t.times[i], t.reasons[i]);
    assert_true(t.unlike * 200 <= robots);
    assert_true(t.failed * 5 <= robots);  // soft rods under loads that whip them about
}

int main(int argc, char **argv) {
    if (argc > 1) robots = atoi(argv[1]);
    if (argc > 2) seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_robots_in_lanes_move_as_states_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
