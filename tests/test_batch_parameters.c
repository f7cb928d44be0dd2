// Robots of one batch with other numbers: each is the robot whose file has these numbers, to the bit.
#include "batches.h"

enum { N = 11, STEPS = 30, MOST = 8 };
static const int widths[] = {1, 4, 8};

// A robot, the paths of what differs, and values for each robot of the batch.
typedef struct variety {
    const char *text;
    const char *paths[MOST];
    double middle[MOST];
    int n;
} variety;

static const variety varieties[] = {
    {PLAIN_ARM "gravity: [0, 0, -9.81]\n",
     {"rods.backbone.material.youngs_modulus", "rods.backbone.material.density",
      "rods.backbone.length", "tendons.east.offset.x", "gravity.z"},
     {207e9, 38000.0, 0.25, 8e-3, -9.81},
     5},
    {rich_arm,
     {"bodies.object.mass", "bodies.object.centre.x", "loads.jet.force.x", "rods.backbone.drag",
      "rods.backbone.damping.torsion", "rods.backbone.base.position.z", "chambers.bag.offset.x",
      "rods.backbone.pieces.1.rest.curvature.x"},
     {1e-3, 1e-3, 0.01, 0.03, 2e-5, 0.1, 1e-4, 1.0},
     8}};

static double value_of(const variety *v, int robot, int path) {
    return v->middle[path] * (1.0 + 0.02 * ((robot * 7 + path * 3) % 13 - 6));
}

static void values_of(const variety *v, double *out) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < v->n; k++) out[i * v->n + k] = value_of(v, i, k);
}

// The robot whose file says so.
static subject subject_with(const variety *v, int robot) {
    char text[MOST][96];
    const char *sets[MOST];
    for (int k = 0; k < v->n; k++) {
        snprintf(text[k], sizeof text[k], "%s=%.17g", v->paths[k], value_of(v, robot, k));
        sets[k] = text[k];
    }
    return subject_of(v->text, sets, v->n);
}

static void set_all(const subject *s, const variety *v, td_batch *b, const bool *which) {
    double values[N * MOST];
    td_error err = {0};
    values_of(v, values);
    if (td_batch_set_parameters(b, s->robot, v->paths, v->n, values, which, &err) < 0)
        fail_msg("%s: %s", err.where, err.message);
}

// What a robot tells at its tip, in its energies and of its first actuator.
typedef struct told {
    td_sample tip;
    td_energy energy;
    td_actuator_state first;
} told;

static void tell(td_batch *b, double length, told *out) {
    td_energy energies[N];
    td_sample tips[N];
    td_actuator_state actuators[N * 8];
    const int n = td_batch_n(b), m = td_n_actuators(td_batch_system(b, 0));
    td_batch_get_energies(b, energies);
    td_batch_get_actuators(b, actuators);
    td_batch_get_samples(b, 0, &length, 1, tips);
    for (int i = 0; i < n; i++) out[i] = (told){tips[i], energies[i], actuators[i * m]};
}

static void move(const subject *s, td_batch *b, int first, int from, int to) {
    for (int k = from; k < to; k++) {
        set_inputs(s, b, first, k);
        if (td_batch_step(b, 4e-3, 1, NULL))
            fail_msg("step %d: %s %s", k, td_batch_message(b, 0), td_batch_message(b, 1));
    }
}

static void check_told(const told *a, const told *b) {
    assert_memory_equal(&a->tip, &b->tip, sizeof a->tip);
    assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
    assert_memory_equal(&a->first, &b->first, sizeof a->first);
}

static double spread(const told *all) {
    double far = 0.0;
    for (int i = 1; i < N; i++) far = fmax(far, distance(&all[0].tip, &all[i].tip));
    return far;
}

// Robots that all have the same inputs, in motion and at rest: each as if it were built alone.
static void check_variety(const variety *v, td_batch_kind kind, int width, int threads) {
    subject s = subject_of(v->text, NULL, 0);
    td_batch *b = batch_of(&s, N, kind, width, threads);
    told moved[N], still[N], one[2];
    set_all(&s, v, b, NULL);
    for (int k = 1; k < STEPS; k++) {
        for (int i = 0; i < N; i++)
            for (int j = 0, n = td_n_inputs(s.system); j < n; j++)
                td_batch_inputs(b)[i * n + j] = input_size(&s, j) * some_input(2, j, k);
        assert_int_equal(td_batch_step(b, 4e-3, 1, NULL), 0);
    }
    tell(b, s.length, moved);
    assert_int_equal(td_batch_statics(b, NULL), 0);
    tell(b, s.length, still);
    assert_true(spread(moved) > 1e-3 * s.length);
    for (int i = 0; i < N; i += 3) {
        subject own = subject_with(v, i);
        td_batch *alone = batch_of(&own, 1, kind, width, 1);
        move(&own, alone, 2, 1, STEPS);
        tell(alone, own.length, &one[0]);
        assert_int_equal(td_batch_statics(alone, NULL), 0);
        tell(alone, own.length, &one[1]);
        check_told(&one[0], &moved[i]);
        check_told(&one[1], &still[i]);
        td_batch_destroy(alone);
        subject_free(&own);
    }
    td_batch_destroy(b);
    subject_free(&s);
}

static bool has_width(int width) {
    td_error err = {0};
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    const td_batch_options o = {.kind = TD_BATCH_LANES, .width = width, .threads = 1};
    td_batch *b = td_batch_create(s.system, 1, &o, &err);
    td_batch_destroy(b);
    subject_free(&s);
    return b != NULL;
}

static void a_robot_with_parameters_is_one_whose_file_has_them(void **unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        check_variety(&varieties[i], TD_BATCH_STATES, 0, 2);
        for (int w = 0; w < 3; w++)
            if (has_width(widths[w]))
                check_variety(&varieties[i], TD_BATCH_LANES, widths[w], 1 + w);
    }
}

static void robots_that_are_left_out_notice_nothing(void **unused) {
    (void)unused;
    static const td_batch_kind kinds[] = {TD_BATCH_STATES, TD_BATCH_LANES};
    bool odd[N];
    for (int i = 0; i < N; i++) odd[i] = i % 2;
    for (int i = 0; i < 4; i++) {
        const variety *v = &varieties[i / 2];
        subject s = subject_of(v->text, NULL, 0);
        td_batch *a = batch_of(&s, N, kinds[i % 2], 0, 1), *b = batch_of(&s, N, kinds[i % 2], 0, 2);
        told all[N], other[N];
        double times[N];
        move(&s, a, 0, 1, STEPS), move(&s, b, 0, 1, STEPS);
        set_all(&s, v, b, odd);
        td_batch_get_times(b, times);
        assert_true(times[0] > 0.0 && times[1] == 0.0);  // the others start anew
        move(&s, a, 0, STEPS, 2 * STEPS), move(&s, b, 0, STEPS, 2 * STEPS);
        tell(a, s.length, all), tell(b, s.length, other);
        for (int k = 0; k < N; k += 2) check_told(&all[k], &other[k]);
        assert_true(distance(&all[1].tip, &other[1].tip) > 1e-4 * s.length);
        td_batch_destroy(a), td_batch_destroy(b);
        subject_free(&s);
    }
}

static void systems_can_be_shared_given_and_taken_back(void **unused) {
    (void)unused;
    static const td_batch_kind kinds[] = {TD_BATCH_STATES, TD_BATCH_LANES};
    const variety *v = &varieties[0];
    subject s = subject_of(v->text, NULL, 0), other = subject_with(v, 1);
    const bool some[N] = {[2] = true, [3] = true, [7] = true};
    for (int i = 0; i < 2; i++) {
        td_error err = {0};
        td_batch *a = batch_of(&s, N, kinds[i], 0, 1), *b = batch_of(&s, N, kinds[i], 0, 1);
        assert_int_equal(td_batch_set_system(b, other.system, some, &err), TD_OK);
        assert_ptr_equal(td_batch_system(b, 3), other.system);
        assert_ptr_equal(td_batch_system(b, 4), s.system);
        assert_null(td_batch_system(b, N));
        td_state *own = td_state_create(other.system), *first = td_state_create(s.system);
        move(&s, b, 0, 1, 5);
        assert_int_equal(td_batch_read(b, 3, first), TD_ERR_ARGUMENT);  // of another system
        assert_int_equal(td_batch_read(b, 3, own), TD_OK);
        assert_int_equal(td_batch_write(b, 4, own), TD_ERR_ARGUMENT);
        assert_int_equal(td_batch_write(b, 7, own), TD_OK);
        CHECK_NEAR(td_get_time(other.system, own), 4 * 4e-3, 1e-15);
        assert_int_equal(td_batch_set_system(b, s.system, NULL, &err), TD_OK);
        told x[N], y[N];
        move(&s, a, 0, 1, STEPS), move(&s, b, 0, 1, STEPS);
        tell(a, s.length, x), tell(b, s.length, y);
        for (int k = 0; k < N; k++) check_told(&x[k], &y[k]);
        td_state_destroy(own), td_state_destroy(first);
        td_batch_destroy(a), td_batch_destroy(b);
    }
    subject_free(&s), subject_free(&other);
}

// ---------------------------------------------------------------- refusals
static void refuse(const subject *s, td_batch *b, const char *path, double value,
                   const char *words) {
    double values[N];
    td_error err = {0};
    for (int i = 0; i < N; i++) values[i] = value;
    assert_true(td_batch_set_parameters(b, s->robot, &path, 1, values, NULL, &err) < 0);
    if (!strstr(err.message, words)) fail_msg("%s: %s", err.where, err.message);
}

static void what_cannot_differ_is_refused_in_words(void **unused) {
    (void)unused;
    subject s = subject_of(PLAIN_ARM, NULL, 0);
    td_batch *b = batch_of(&s, N, TD_BATCH_LANES, 0, 2),
             *same = batch_of(&s, N, TD_BATCH_LANES, 0, 1);
    told x[N], y[N];
    move(&s, b, 0, 1, 10), move(&s, same, 0, 1, 10);
    refuse(&s, b, "rods.backbone.lenght", 0.3, "did you mean");
    refuse(&s, b, "rods.backbone.length", -0.3, "robot 0: ");
    refuse(&s, b, "rods.backbone.length", NAN, "not a finite number");
    refuse(&s, b, "tendons.east.end", 0.1, "other places");
    refuse(&s, b, "simulation.space.nodes", 6.0, "no number of the robot");
    td_error err = {0};
    const char *const chain[] = {"simulation.space.nodes=6"};
    subject finer = subject_of(PLAIN_ARM, chain, 1);
    assert_int_equal(td_batch_set_system(b, finer.system, NULL, &err), TD_ERR_ARGUMENT);
    assert_string_equal(err.where, "simulation.space.nodes");
    subject rich = subject_of(rich_arm, NULL, 0);
    assert_int_equal(td_batch_set_system(b, rich.system, NULL, &err), TD_ERR_ARGUMENT);
    assert_string_equal(err.where, "inputs");
    move(&s, b, 0, 10, 20), move(&s, same, 0, 10, 20);  // nothing has changed
    tell(b, s.length, x), tell(same, s.length, y);
    for (int k = 0; k < N; k++) check_told(&x[k], &y[k]);
    td_batch_destroy(b), td_batch_destroy(same);
    subject_free(&finer), subject_free(&rich), subject_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_with_parameters_is_one_whose_file_has_them),
        cmocka_unit_test(robots_that_are_left_out_notice_nothing),
        cmocka_unit_test(systems_can_be_shared_given_and_taken_back),
        cmocka_unit_test(what_cannot_differ_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
