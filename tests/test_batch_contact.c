// Many robots among obstacles: in lanes they touch as states do, with the same energies, whatever their neighbours do,
// and what would bring energy or pass through something is left to the ordinary step.
#include "batches.h"

static int robots = 120;  // test_batch_contact 100000 SEED takes as many

#define CONTACT_ARM                                                                                \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - name: backbone\n"                                                                         \
    "    length: 0.25\n"                                                                           \
    "    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 38000}\n"                \
    "    section: {radius: 0.5 mm}\n"                                                              \
    "    envelope: 9 mm\n"                                                                         \
    "    damping: {bending: 1e-5 N m^2 s, torsion: 1e-5 N m^2 s}\n"                                \
    "    base: {direction: [1, 0, 0]}\n" ARM_TENDONS                                               \
    "simulation: {theory: kirchhoff, time: {scheme: bdf2, step: 4 ms, end: 1 "                     \
    "s}, space: {elements: 3, nodes: 3}}\n"

// What robots do: four tendons pull them about, and obstacles that move do so.
static void set_all(const subject *s, td_batch *b, int step) {
    const int n = td_n_inputs(s->system);
    for (int i = 0; i < td_batch_n(b); i++)
        for (int k = 0; k < n; k++) {
            const double size = !strcmp(td_input_unit(s->system, k), "N") ? 1.0 : 4e-3;
            td_batch_inputs(b)[i * n + k] = size * some_input(i, k, step);
        }
}

typedef struct outcome {
    double tips, energy;  // how far apart at most, in lengths and of all that was done
    double alone;         // share of steps
    int touched;          // robots that do at the end
} outcome;

static int n_touching(const subject *s, td_batch *b, td_state *state) {
    int sum = 0;
    for (int i = 0; i < td_batch_n(b); i++) {
        assert_int_equal(td_batch_read(b, i, state), TD_OK);
        sum += td_get_contacts(s->system, state, NULL, 0) > 0;
    }
    return sum;
}

static outcome play_both(const subject *s, int n, int steps, double dt) {
    td_batch *a = batch_of(s, n, TD_BATCH_STATES, 0, 1), *b = batch_of(s, n, TD_BATCH_LANES, 0, 1);
    td_state *state = td_state_create(s->system);
    td_sample *one = calloc((size_t)n, sizeof *one), *two = calloc((size_t)n, sizeof *two);
    td_energy *e = calloc((size_t)n, sizeof *e), *f = calloc((size_t)n, sizeof *f);
    outcome out = {0};
    for (int k = 1; k <= steps; k++) {
        set_all(s, a, k), set_all(s, b, k);
        assert_int_equal(td_batch_step(a, dt, 1, NULL), 0);
        assert_int_equal(td_batch_step(b, dt, 1, NULL), 0);
        out.alone += (double)td_batch_alone(b) / n / steps;
    }
    td_batch_get_samples(a, 0, &s->length, 1, one), td_batch_get_samples(b, 0, &s->length, 1, two);
    td_batch_get_energies(a, e), td_batch_get_energies(b, f);
    for (int i = 0; i < n; i++) {
        const double size = fabs(e[i].work) + e[i].dissipated;
        out.tips = fmax(out.tips, distance(&one[i], &two[i]) / s->length);
        out.energy = fmax(out.energy, fabs(e[i].work - f[i].work) / size);
        out.energy = fmax(out.energy, fabs(e[i].dissipated - f[i].dissipated) / size);
        out.energy = fmax(out.energy, fabs(e[i].elastic - f[i].elastic) / size);
    }
    out.touched = n_touching(s, b, state);
    assert_int_equal(out.touched, n_touching(s, a, state));
    free(one), free(two), free(e), free(f);
    td_state_destroy(state);
    td_batch_destroy(a), td_batch_destroy(b);
    return out;
}

static subject arm_among(const char *obstacles, const char *const *sets, int n_sets) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", CONTACT_ARM, obstacles);
    return subject_of(text, sets, n_sets);
}

static void lanes_touch_as_states_do(void **unused) {
    (void)unused;
    static const struct {
        const char *obstacles, *set;
    } cases[] = {
        {"obstacles: [{name: floor, plane: {}, position: [0, 0, -15 mm]}]\n",
         "simulation.theory=cosserat"},
        {"obstacles: [{name: floor, plane: {}, position: [0, 0, -15 mm], restitution: 0.5}]\n",
         "simulation.time.scheme=sdirk2"},
        {"obstacles: [{name: floor, plane: {}, position: [0, 0, -15 mm], stiffness: 1e4}]\n",
         "simulation.time.scheme=backward-euler"},
        {"obstacles: [{name: ball, sphere: {radius: 60 mm}, position: [0.2, 0, -75 mm]},\n"
         "  {name: pill, capsule: {radius: 10 mm, length: 0.1}, position: [0.15, 30 mm, 0]}]\n",
         "simulation.time.scheme=bdf-alpha"},
        {"obstacles: [{name: drum, cylinder: {radius: 40 mm, length: 0.3}, position: [0.2, 0, -60 "
         "mm], rotation: [90 deg, 0, 0]},\n"
         "  {name: step, box: [0.1, 0.2, 0.05], position: [0.25, 0, -45 mm]}]\n",
         "simulation.space.nodes=4"},
        {"obstacles: [{name: vessel, tube: {points: [[-0.1, 0, 0], [0.1, 0, 0], [0.3, 0, -10 mm]], "
         "radius: 14 mm}}]\n",
         "simulation.space.elements=4"},
        {"obstacles: [{name: lift, plane: {}, position: [0, 0, up]}]\ninputs: {up: 0}\n",
         "rods.backbone.base.position=[0, 0, 18 mm]"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        subject s = arm_among(cases[i].obstacles, &cases[i].set, 1);
        const outcome o = play_both(&s, 11, 60, 4e-3);
        fprintf(stderr, "%zu: tips %.2e energy %.2e alone %.3f touched %d\n", i, o.tips, o.energy,
                o.alone, o.touched);
        CHECK_BETWEEN(o.tips, 0.0, 1e-8);
        CHECK_BETWEEN(o.energy, 0.0, 1e-7);
        CHECK_BETWEEN(o.alone, 0.0, 0.2);
        CHECK_BETWEEN(o.touched, 3, 11);
        subject_free(&s);
    }
}

// ---------------------------------------------------------------- the same bits
static void set_own(const subject *s, td_batch *b, int i, int robot, int step) {
    const int n = td_n_inputs(s->system);
    for (int k = 0; k < n; k++) td_batch_inputs(b)[i * n + k] = some_input(robot, k, step);
}

static void who_touches_beside_a_robot_changes_no_bit_of_it(void **unused) {
    (void)unused;
    enum { N = 19, STEPS = 50 };
    static const int widths[] = {1, 4, 8};
    static td_sample all[N], other[N];
    subject s = arm_among("obstacles: [{name: floor, plane: {}, position: [0, 0, -15 mm]},\n"
                          "  {name: ball, sphere: {radius: 30 mm}, position: [0.2, 60 mm, 0]}]\n",
                          NULL, 0);
    for (int w = 0; w < 4; w++) {
        td_error err = {0};
        const td_batch_options o = {
            .kind = TD_BATCH_LANES, .width = w ? widths[w - 1] : 0, .threads = 1 + w % 2};
        td_batch *b = td_batch_create(s.system, N, &o, &err);
        if (!b) continue;  // there are no registers of this width
        for (int k = 1; k <= STEPS; k++) {
            for (int i = 0; i < N; i++) set_own(&s, b, i, i, k);
            assert_int_equal(td_batch_step(b, 4e-3, 1, NULL), 0);
        }
        td_batch_get_samples(b, 0, &s.length, 1, w ? other : all);
        if (w) assert_memory_equal(all, other, sizeof all);
        td_batch_destroy(b);
    }
    for (int i = 0; i < N; i += 3) {
        td_batch *b = batch_of(&s, 1, TD_BATCH_LANES, 0, 1);
        for (int k = 1; k <= STEPS; k++) set_own(&s, b, 0, i, k), td_batch_step(b, 4e-3, 1, NULL);
        td_batch_get_samples(b, 0, &s.length, 1, other);
        assert_memory_equal(&all[i], &other[0], sizeof all[0]);
        td_batch_destroy(b);
    }
    subject_free(&s);
}

// ---------------------------------------------------------------- guards
// A thin plate that arms are flung at: nobody is beyond it, in lanes as among states, and no impact brings energy.
static void nobody_passes_through_a_thin_plate(void **unused) {
    (void)unused;
    enum { N = 16 };
    static td_sample tips[N];
    static td_energy start[N], now[N];
    const char *const sets[] = {"simulation.solver.tolerance=1e-8"};
    subject s = arm_among("obstacles: [{name: plate, box: [0.4, 0.4, 0.5 mm], position: [0.25, 0, "
                          "-40 mm]}]\n",
                          sets, 1);
    td_batch *b = batch_of(&s, N, TD_BATCH_LANES, 0, 1);
    double lowest = 0.0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) td_batch_inputs(b)[4 * i + k] = k == 0 ? 6.0 + 0.3 * i : 0.0;
    td_batch_get_energies(b, start);
    for (int k = 0; k < 25; k++) {
        td_batch_step(b, 30e-3, 1, NULL);
        td_batch_get_samples(b, 0, &s.length, 1, tips);
        td_batch_get_energies(b, now);
        for (int i = 0; i < N; i++) {
            const double sum = now[i].kinetic + now[i].elastic + now[i].gravity;
            const double was = start[i].kinetic + start[i].elastic + start[i].gravity;
            const double size = now[i].kinetic + now[i].elastic;
            lowest = fmin(lowest, tips[i].pose.p[2]);
            assert_true(tips[i].pose.p[2] > -40e-3);
            assert_true(sum - was <=
                        now[i].work - start[i].work + 1e-3 * (size + fabs(now[i].work)));
        }
    }
    assert_true(lowest < -29e-3);  // they were there: 40 mm less the envelope
    td_batch_destroy(b);
    subject_free(&s);
}

// ---------------------------------------------------------------- random robots
static unsigned long long seed = 5;
static double uniform(double low, double high) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void describe(int shape, char *to, size_t size) {
    const double x = uniform(0.1, 0.3), y = uniform(-0.05, 0.05), r = uniform(0.01, 0.06);
    const double z = -r - uniform(0.012, 0.04);
    switch (shape) {
    case 0: snprintf(to, size, "plane: {}, position: [0, 0, %.4f]", -uniform(0.01, 0.04)); break;
    case 1:
        snprintf(to, size, "sphere: {radius: %.4f}, position: [%.4f, %.4f, %.4f]", r, x, y, z);
        break;
    case 2:
        snprintf(to, size,
                 "capsule: {radius: %.4f, length: 0.1}, position: [%.4f, %.4f, %.4f], "
                 "rotation: [%.2f, 0, 0]",
                 r, x, y, z - 0.05, uniform(0.0, 1.5));
        break;
    case 3:
        snprintf(to, size,
                 "cylinder: {radius: %.4f, length: 0.2}, position: [%.4f, %.4f, %.4f], "
                 "rotation: [90 deg, 0, 0]",
                 r, x, y, z);
        break;
    case 4:
        snprintf(to, size, "box: [%.4f, %.4f, %.4f], position: [%.4f, %.4f, %.4f]", 4 * r, 4 * r,
                 2 * r, x + 2 * r, y, z);
        break;
    default:
        snprintf(to, size,
                 "tube: {points: [[-0.1, 0, 0], [0.1, 0, 0], [0.5, %.4f, 0]], radius: "
                 "%.4f}",
                 y, uniform(0.012, 0.03));
    }
}

static subject some_subject(void) {
    char text[4096], one[512], two[512];
    const int shape = (int)uniform(0, 6);
    const bool kirchhoff = uniform(0, 1) < 0.7;
    describe(shape, one, sizeof one), describe((int)uniform(0, 5), two, sizeof two);
    snprintf(text, sizeof text,
             "tendril: 1\n"
             "rods:\n"
             "  - name: rod\n"
             "    length: %.4f\n"
             "    material: {youngs_modulus: %.4g, poisson_ratio: 0.4, density: %.1f}\n"
             "    section: {radius: %.5f}\n"
             "    envelope: 10 mm\n"
             "    damping: {time: %.2g}\n"
             "    base: {direction: [1, 0, %.2f]}\n"
             "tendons: [{name: a, offset: [%.4f, 0.002]}, {name: b, offset: [-0.003, %.4f], end: "
             "80 %%}]\n"
             "obstacles: [{name: one, restitution: %.2f, %s}, {name: two, %s}]\n"
             "simulation: {theory: %s, time: {scheme: bdf2, step: 5 ms, end: 1 s}, space: "
             "{elements: %d, nodes: %d}}\n",
             uniform(0.15, 0.4), pow(10.0, uniform(8, 11)), uniform(900, 9000), uniform(5e-4, 4e-3),
             pow(10.0, uniform(-4, -2)), uniform(-0.2, 0.1), uniform(2e-3, 9e-3),
             uniform(2e-3, 9e-3), uniform(0.3, 1.0), one, two, kirchhoff ? "kirchhoff" : "cosserat",
             (int)uniform(1, kirchhoff ? 5 : 3), (int)uniform(2, 4));
    return subject_of(text, NULL, 0);
}

typedef struct tally {
    long long steps, alone;
    int touching, failed, unlike;
} tally;

#define ROBOTS 20
#define STEPS 20

static void play_random(const subject *s, tally *t) {
    td_batch *a = batch_of(s, ROBOTS, TD_BATCH_STATES, 0, 1);
    td_batch *b = batch_of(s, ROBOTS, TD_BATCH_LANES, 0, 1), *c;
    const double pull = pow(10.0, uniform(-2, 1)), dt = pow(10.0, uniform(-3, -2));
    const int chosen = (int)uniform(0, ROBOTS);
    bool on[ROBOTS];
    double played[STEPS][2];
    int stopped = STEPS;
    td_sample one[ROBOTS], two[ROBOTS], own;
    td_state *state = td_state_create(s->system);
    for (int i = 0; i < ROBOTS; i++) on[i] = true;
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < 2 * ROBOTS; i++)
            td_batch_inputs(a)[i] = td_batch_inputs(b)[i] =
                pull * fmin(1.0, 0.1 * k) * uniform(0.5, 1);
        memcpy(played[k], td_batch_inputs(b) + 2 * chosen, sizeof played[k]);
        td_batch_step(a, dt, 1, on), td_batch_step(b, dt, 1, on);
        t->alone += td_batch_alone(b);
        for (int i = 0; i < ROBOTS; i++) {
            if (!on[i]) continue;
            const bool there = td_batch_statuses(a)[i] >= 0, here = td_batch_statuses(b)[i] >= 0;
            t->steps++;
            if (here && there) continue;
            t->failed++, t->unlike += here != there;
            on[i] = false;
            if (i == chosen) stopped = k;
        }
    }
    td_batch_get_samples(a, 0, &s->length, 1, one), td_batch_get_samples(b, 0, &s->length, 1, two);
    for (int i = 0; i < ROBOTS; i++) {
        if (on[i]) t->unlike += !(distance(&one[i], &two[i]) <= 1e-5 * s->length);
        t->touching +=
            !td_batch_read(b, i, state) && td_get_contacts(s->system, state, NULL, 0) > 0;
    }
    c = batch_of(s, 1, TD_BATCH_LANES, 1, 1);
    for (int k = 0; k < STEPS && k <= stopped; k++) {
        memcpy(td_batch_inputs(c), played[k], sizeof played[k]);
        td_batch_step(c, dt, 1, NULL);
    }
    td_batch_get_samples(c, 0, &s->length, 1, &own);
    assert_memory_equal(&own, &two[chosen], sizeof own);
    td_state_destroy(state);
    td_batch_destroy(a), td_batch_destroy(b), td_batch_destroy(c);
}

static void random_robots_touch_as_states_do(void **unused) {
    (void)unused;
    tally t = {0};
    for (int done = 0; done < robots; done += ROBOTS) {
        subject s = some_subject();
        play_random(&s, &t);
        subject_free(&s);
    }
    fprintf(stderr,
            "%d robots, %lld steps: %lld alone, %d touch at the end, %d failed, %d unlike "
            "states\n",
            robots, t.steps, t.alone, t.touching, t.failed, t.unlike);
    assert_true(t.touching * 4 > robots);
    assert_true(t.unlike * 200 <= robots);
    assert_true(t.failed * 10 <= robots);
}

// ---------------------------------------------------------------- what they cannot do
static void what_lanes_do_not_know_of_obstacles_is_said(void **unused) {
    (void)unused;
    static const char *const cases[][3] = {
        {"obstacles: [{name: floor, plane: {}, friction: 0.3, position: [0, 0, -1]}]\n",
         "simulation.space.nodes=3", "an obstacle has friction"},
        {"obstacles: [{name: floor, plane: {}, position: [0, 0, -1]}]\n"
         "bodies: [{name: ball, on: backbone, at: tip, mass: 1 g, shape: {sphere: {radius: 5 "
         "mm}}}]\n",
         "simulation.space.nodes=3", "a body that rides on the rod touches obstacles"},
        {"obstacles: [{name: floor, plane: {}, position: [0, 0, -1]}]\n",
         "simulation.space.elements=0",
         "among obstacles a rod is cut into 16 elements: give a number below 9 as "
         "simulation.space.elements"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        subject s = arm_among(cases[i][0], &cases[i][1], 1);
        td_batch *b = batch_of(&s, 2, TD_BATCH_ANY, 0, 1);
        assert_int_equal(td_batch_kind_of(b), TD_BATCH_STATES);
        assert_string_equal(td_batch_reason(b), cases[i][2]);
        td_batch_destroy(b);
        subject_free(&s);
    }
}

int main(int argc, char **argv) {
    if (check_briefly()) robots = 40, seed = 11;
    if (argc > 1) robots = atoi(argv[1]);
    if (argc > 2) seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_touch_as_states_do),
        cmocka_unit_test(who_touches_beside_a_robot_changes_no_bit_of_it),
        cmocka_unit_test(nobody_passes_through_a_thin_plate),
        cmocka_unit_test(random_robots_touch_as_states_do),
        cmocka_unit_test(what_lanes_do_not_know_of_obstacles_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
