// A live robot without sockets and without its thread: rounds at times that the test chooses.
#include "tendril/tendril.h"

#include "check.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "view/frame.h"
#include "view/live.h"
#include "view/scheme.h"
#include "view_frames.h"

// A soft cantilever without weight along z: EI = 1e9 pi/4 (2e-3)^4 = 0.012566 N m^2, L = 0.4 m. Its
// motion dies out within a few steps.
#define LENGTH 0.4
#define BENDING (1e9 * 3.14159265358979323846 / 4 * 16e-12)
// A rod with a push across its tip; how strong that is decides what its slider spans.
#define CANTILEVER(push, model)                                                                    \
    "tendril: 1\n"                                                                                 \
    "gravity: [0, 0, 0]\n"                                                                         \
    "rods:\n"                                                                                      \
    "  - name: rod\n"                                                                              \
    "    length: 0.4\n"                                                                            \
    "    material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}\n"                   \
    "    section: {radius: 2 mm}\n"                                                                \
    "    damping: {time: 20 ms}\n"                                                                 \
    "tendons: [{name: pull, offset: [8 mm, 0]}]\n"                                                 \
    "loads: [{name: push, at: tip, force: [0, " push ", side]}]\n"                                 \
    "simulation: {model: " model ", time: {step: 10 ms, scheme: bdf2}}\n"
static const char cantilever[] = CANTILEVER("1 mN", "cosserat");
static const char pushed[] = CANTILEVER("0.1 N", "cosserat");
static const char polynomials[] = CANTILEVER("0.1 N", "rom");

typedef struct subject {
    char path[64];
    stage *stage;
    live *live;
    uint8_t *bytes;
    unsigned long seen, texts;
    double now;
} subject;

static subject open_text(const char *text, bool playing) {
    subject s = {.path = "test_view_live_XXXXXX"};
    td_error err = {0};
    int fd = mkstemp(s.path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    s.stage = stage_create(s.path, NULL, 0, &err);
    if (s.stage) s.live = live_create(s.stage, playing, &err);
    if (!s.live) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(s.live);
    s.bytes = malloc(frame_bytes(live_scene(s.live), true));
    assert_non_null(s.bytes);
    live_tick(s.live, s.now);
    return s;
}

static void close_subject(subject *s) {
    live_destroy(s->live);
    stage_destroy(s->stage);
    unlink(s->path);
    free(s->bytes);
}

static void send(subject *s, const char *text) {
    message m;
    char why[200];
    assert_true(message_parse(text, strlen(text), &m, why, sizeof why));
    m.from = 7;
    assert_true(live_send(s->live, &m));
}

// Rounds for so many seconds, 60 in each.
static void wait(subject *s, double seconds) {
    for (double end = s->now + seconds; s->now < end; s->now += 1.0 / 60)
        live_tick(s->live, s->now);
}

static seen_frame look(subject *s) {
    s->seen = 0;
    size_t n = live_frame(s->live, &s->seen, s->bytes);
    assert_true(n > 16);
    return frame_open(s->bytes, n);
}

static void tip_of(subject *s, double p[3]) {
    seen_frame f = look(s);
    int last = live_scene(s->live)->rods[0].n_points - 1;
    for (int k = 0; k < 3; k++) p[k] = frame_f32(&f, 7 * last + k);
}

static live_facts facts_of(subject *s) {
    live_facts f;
    assert_true(live_facts_create(s->live, &f));
    live_get_facts(s->live, &f);
    return f;
}

static int input_named(subject *s, const char *name) {
    const scene *sc = live_scene(s->live);
    for (int i = 0; i < sc->n_inputs; i++)
        if (!strcmp(sc->inputs[i].name, name)) return i;
    fail_msg("there is no input %s", name);
    return -1;
}

// The next text must hold these words.
static void check_told(subject *s, const char *words) {
    char *text = live_text(s->live, &s->texts, 7);
    if (text && strstr(text, words)) {
        free(text);
        return;
    }
    fprintf(stderr, "told '%s', not '%s'\n", text ? text : "nothing", words);
    free(text);
    fail();
}

static void check_silent(subject *s) {
    char *text = live_text(s->live, &s->texts, 7);
    if (text) fprintf(stderr, "told '%s'\n", text);
    assert_null(text);
}

// ---------------------------------------------------------------- the file
static void plain_numbers_and_tendons_become_inputs(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    const scene *sc = live_scene(s.live);
    assert_int_equal(sc->n_inputs, 3);
    live_facts f = facts_of(&s);
    int found = 0;
    for (int i = 0; i < 3; i++) {
        const scene_input *in = &sc->inputs[i];
        if (!strcmp(in->name, "push.force.y")) {
            found++;
            assert_string_equal(in->kind, "force");
            CHECK_NEAR(f.values[i], 1e-3, 0);
            assert_true(in->min < 0 && in->max > 1e-3);
        }
        found += !strcmp(in->name, "side") && !strcmp(in->kind, "force");
        found += !strcmp(in->name, "pull") && !strcmp(in->kind, "tension") && in->min == 0;
        assert_true(f.follows[i]);
    }
    assert_int_equal(found, 3);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void the_first_frame_is_the_equilibrium(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    seen_frame f = look(&s);
    const scene *sc = live_scene(s.live);
    assert_int_equal(f.magic, 0x31464454);
    assert_int_equal(f.flags, 0);
    assert_int_equal(f.n, sc->floats);
    CHECK_NEAR(f.time, 0, 0);
    double p[3];
    tip_of(&s, p);
    CHECK_NEAR(p[1], 1e-3 * LENGTH * LENGTH * LENGTH / (3 * BENDING), 2e-5);  // F L^3/3EI
    CHECK_NEAR(p[0], 0, 1e-7);
    CHECK_NEAR(frame_f32(&f, 0), 0, 0);  // the base stands at the origin, upright
    CHECK_NEAR(frame_f32(&f, 3), 1, 1e-6);
    close_subject(&s);
}

// A wire of 1 N/m lies on a table but for its last half, which its tip lifts by 1 mm.
static const char lifted[] =
    "tendril: 1\n"
    "gravity: [0, 0, -10]\n"
    "rods:\n"
    "  - {name: a, length: 1, section: {radius: 1 mm}, mass_per_length: 0.1,\n"
    "     stiffness: {bending: 2.6041666667, torsion: 2, shear: 1e6, extension: 1e6},\n"
    "     material: {youngs_modulus: 1e9, poisson_ratio: 0.3, density: 1000},\n"
    "     base: {direction: [1, 0, 0]}}\n"
    "loads: [{at: tip, force: [0, 0, 0.25]}]\n"
    "obstacles: [{name: table, plane: {}, position: [0, 0, -1 mm]}]\n"
    "simulation: {theory: kirchhoff}\n";

static void frames_tell_where_obstacles_are_and_what_they_carry(void **state) {
    (void)state;
    subject s = open_text(lifted, false);
    const scene *sc = live_scene(s.live);
    seen_frame f = look(&s);
    const int n = sc->rods[0].n_points;
    assert_int_equal(f.n, sc->floats);
    assert_int_equal(sc->n_obstacles, 1);
    assert_true(sc->obstacles[0].endless && !sc->obstacles[0].room);
    assert_true(sc->obstacles[0].n_points > 3 && sc->obstacles[0].n_triangles > 1);
    CHECK_NEAR(frame_f32(&f, 7 * n + 2), -1e-3, 1e-9);
    CHECK_NEAR(frame_f32(&f, 7 * n + 3), 1, 0);
    // N/m, up: all of the weight where it lies, nothing where it does not
    CHECK_NEAR(frame_f32(&f, 7 * n + 7 + 3 * (n / 4) + 2), 1.0, 1e-2);
    CHECK_NEAR(frame_f32(&f, 7 * n + 7 + 3 * (3 * n / 4) + 2), 0, 0);
    close_subject(&s);
}

// ---------------------------------------------------------------- time
static void time_follows_the_clock_and_the_speed(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    wait(&s, 1.0);
    double first = look(&s).time;
    CHECK_BETWEEN(first, 0.95, 1.01);
    send(&s, "{\"do\":\"speed\",\"value\":0.5}");
    wait(&s, 1.0);
    CHECK_BETWEEN(look(&s).time - first, 0.45, 0.53);
    live_facts f = facts_of(&s);
    CHECK_NEAR(f.ratio, 1.0, 0.02);
    assert_true(f.held && f.playing);
    CHECK_NEAR(f.behind, 0, 0);
    live_facts_destroy(&f);
    assert_int_equal(look(&s).flags, FRAME_PLAYING);
    close_subject(&s);
}

static void time_that_cannot_be_held_is_counted(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    // At a hundred times real time and steps of a microsecond no machine keeps up.
    send(&s, "{\"do\":\"model\",\"step\":1e-6}");
    send(&s, "{\"do\":\"speed\",\"value\":100}");
    wait(&s, 0.7);
    live_facts f = facts_of(&s);
    assert_false(f.held);
    assert_true(f.ratio < 0.5 && f.behind > 1.0);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void pause_step_and_reset_do_what_they_say(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    wait(&s, 0.3);
    send(&s, "{\"do\":\"pause\"}");
    wait(&s, 0.1);
    double held = look(&s).time;
    wait(&s, 0.3);
    CHECK_NEAR(look(&s).time, held, 0);
    send(&s, "{\"do\":\"step\"}");
    wait(&s, 0.1);
    CHECK_NEAR(look(&s).time, held + 0.01, 1e-12);
    send(&s, "{\"do\":\"set\",\"input\":0,\"value\":3}");
    send(&s, "{\"do\":\"step\"}");
    send(&s, "{\"do\":\"reset\"}");
    wait(&s, 0.1);
    CHECK_NEAR(look(&s).time, 0, 0);
    double p[3];
    tip_of(&s, p);
    CHECK_NEAR(p[1], 1e-3 * LENGTH * LENGTH * LENGTH / (3 * BENDING), 2e-5);
    live_facts f = facts_of(&s);
    assert_true(f.follows[0] && !f.playing);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void inputs_follow_their_signals_until_a_hand_holds_them(void **state) {
    (void)state;
    static const char ramp[] =
        "tendril: 1\n"
        "rods: [{name: rod, length: 0.3, section: {radius: 1 mm}, damping: {time: 5 ms},\n"
        "  material: {youngs_modulus: 200 GPa, poisson_ratio: 0.3, density: 8000}}]\n"
        "tendons: [{name: pull, offset: [8 mm, 0]}]\n"
        "inputs: {pull: {ramp: {to: 5 N, duration: 1 s}}}\n"
        "simulation: {time: {step: 10 ms}}\n";
    subject s = open_text(ramp, true);
    wait(&s, 0.5);
    seen_frame f = look(&s);
    int at = f.n - 6 - 2 - 1;  // the only input
    CHECK_NEAR(frame_f32(&f, at), 5 * f.time, 1e-6);
    send(&s, "{\"do\":\"set\",\"input\":0,\"value\":1}");
    wait(&s, 0.5);
    f = look(&s);
    CHECK_NEAR(frame_f32(&f, at), 1, 1e-6);
    send(&s, "{\"do\":\"follow\",\"input\":0}");
    wait(&s, 0.5);
    f = look(&s);
    CHECK_NEAR(frame_f32(&f, at), 5, 1e-6);
    close_subject(&s);
}

// ---------------------------------------------------------------- hands
static void a_tendon_bends_the_rod_by_its_moment(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    int pull = input_named(&s, "pull"), push = input_named(&s, "push.force.y");
    char text[96];
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":0}", push);
    send(&s, text);
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":1}", pull);
    send(&s, text);
    wait(&s, 3.0);
    double p[3], angle = 1.0 * 8e-3 * LENGTH / BENDING;  // curvature T d/EI, an arc
    tip_of(&s, p);
    CHECK_NEAR(p[0], LENGTH / angle * (1 - cos(angle)), 1e-4);
    CHECK_NEAR(p[2], LENGTH / angle * sin(angle), 1e-4);
    CHECK_NEAR(p[1], 0, 1e-5);
    close_subject(&s);
}

static void a_pull_at_the_tip_deflects_it_like_a_cantilever(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    double before[3], after[3];
    tip_of(&s, before);
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.4}");
    send(&s, "{\"do\":\"pull\",\"force\":[0.002,0,0]}");
    wait(&s, 3.0);
    tip_of(&s, after);
    CHECK_NEAR(after[0] - before[0], 0.002 * pow(LENGTH, 3) / (3 * BENDING), 5e-5);
    seen_frame f = look(&s);
    assert_true(f.flags & FRAME_GRABBED);
    CHECK_NEAR(frame_f32(&f, f.n - 6), after[0], 1e-7);
    CHECK_NEAR(frame_f32(&f, f.n - 3), 0.002, 1e-9);
    send(&s, "{\"do\":\"release\"}");
    wait(&s, 3.0);
    tip_of(&s, after);
    CHECK_NEAR(after[0], before[0], 1e-6);
    assert_false(look(&s).flags & FRAME_GRABBED);
    check_silent(&s);
    close_subject(&s);
}

// A force at a moves the tip by F a^2 (3 L - a)/6EI; between grips at a < s < b it is shared.
static void a_pull_between_two_grips_is_shared(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.275}");
    send(&s, "{\"do\":\"pull\",\"force\":[0.002,0,0]}");
    wait(&s, 3.0);
    double p[3], sum = 0.0, places[2] = {0.2, 0.3}, shares[2] = {0.25, 0.75};
    for (int i = 0; i < 2; i++)
        sum += shares[i] * places[i] * places[i] * (3 * LENGTH - places[i]) / (6 * BENDING);
    tip_of(&s, p);
    CHECK_NEAR(p[0], 0.002 * sum, 2e-5);
    close_subject(&s);
}

// ---------------------------------------------------------------- models
// Fed out by half of its length, it is still held where the page shows its tip.
static void a_rod_that_is_fed_is_held_at_its_tip(void **state) {
    (void)state;
    subject s = open_text("tendril: 1\n"
                          "gravity: [0, 0, 0]\n"
                          "rods: [{name: rod, length: 0.4, feed: out, damping: {time: 20 ms},\n"
                          "        section: {radius: 2 mm},\n"
                          "        material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3,\n"
                          "                   density: 1000}}]\n"
                          "inputs: {out: 0.2}\n"
                          "simulation: {time: {step: 10 ms}}\n",
                          true);
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.4}");
    wait(&s, 0.1);
    double tip[3];
    tip_of(&s, tip);
    CHECK_NEAR(tip[2], 0.6, 1e-6);
    seen_frame f = look(&s);
    assert_true(f.flags & FRAME_GRABBED);
    for (int k = 0; k < 3; k++) CHECK_NEAR(frame_f32(&f, f.n - 6 + k), tip[k], 1e-6);
    close_subject(&s);
}

static void another_model_stands_where_the_first_stood(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    double before[3], after[3];
    tip_of(&s, before);
    send(&s, "{\"do\":\"step\"}");
    send(&s, "{\"do\":\"model\",\"name\":\"eba\",\"step\":0.005}");
    wait(&s, 0.1);
    live_facts f = facts_of(&s);
    assert_string_equal(f.model, "eba");
    CHECK_NEAR(f.step, 0.005, 0);
    CHECK_NEAR(f.time, 0.01, 1e-12);
    live_facts_destroy(&f);
    tip_of(&s, after);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-4);
    send(&s, "{\"do\":\"step\"}");
    wait(&s, 0.1);
    CHECK_NEAR(look(&s).time, 0.015, 1e-12);
    check_silent(&s);
    close_subject(&s);
}

static void a_ghost_gets_the_same_inputs(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    send(&s, "{\"do\":\"ghost\",\"name\":\"eba\"}");
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.4}");
    send(&s, "{\"do\":\"pull\",\"force\":[0.01,0,0]}");
    wait(&s, 3.0);
    seen_frame f = look(&s);
    const scene *sc = live_scene(s.live);
    assert_int_equal(f.n, sc->floats + sc->rod_floats);
    assert_true(f.flags & FRAME_GHOST);
    int last = 7 * (sc->rods[0].n_points - 1);
    CHECK_BETWEEN(frame_f32(&f, last), 0.01, 0.02);
    CHECK_NEAR(frame_f32(&f, sc->floats + last), frame_f32(&f, last), 2e-4);
    send(&s, "{\"do\":\"ghost\",\"name\":null}");
    wait(&s, 0.1);
    assert_int_equal(look(&s).n, sc->floats);
    close_subject(&s);
}

// ---------------------------------------------------------------- what goes wrong
static void a_failed_step_leaves_the_last_good_state(void **state) {
    (void)state;
    subject s = open_text(pushed, true);
    wait(&s, 0.2);
    double before[3], after[3];
    send(&s, "{\"do\":\"pause\"}");
    wait(&s, 0.1);
    tip_of(&s, before);
    double held = look(&s).time;
    const scene *sc = live_scene(s.live);
    int push = input_named(&s, "push.force.y");
    char text[96];
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":%g}", push,
             9e5 * (sc->inputs[push].max - sc->inputs[push].min));
    send(&s, text);
    send(&s, "{\"do\":\"play\"}");
    wait(&s, 0.2);
    check_told(&s, "\"type\": \"failure\"");
    tip_of(&s, after);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 0);
    seen_frame f = look(&s);
    CHECK_NEAR(f.time, held, 0);
    assert_false(f.flags & FRAME_PLAYING);
    s.texts = live_text_now(s.live);  // a page that opens now
    check_told(&s, "\"type\": \"failure\"");
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":0}", push);
    send(&s, text);
    send(&s, "{\"do\":\"play\"}");
    wait(&s, 0.3);
    assert_true(look(&s).time > held);
    s.texts = live_text_now(s.live);
    check_silent(&s);
    close_subject(&s);
}

// A tendon that would roll the rod up a hundred times.
static void a_start_without_equilibrium_is_told_to_the_first_page_and_holds_time(void **state) {
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, "%sinputs: {pull: 1e6 N}\n", cantilever);
    subject s = open_text(text, true);
    wait(&s, 0.1);
    s.texts = live_text_now(s.live);
    check_told(&s, "\"type\": \"failure\",\n  \"message\": \"statics at the start: ");
    seen_frame f = look(&s);
    assert_false(f.flags & FRAME_PLAYING);
    CHECK_NEAR(f.time, 0.0, 0);
    close_subject(&s);
}

static void a_robot_without_a_name_is_called_after_its_file(void **state) {
    (void)state;
    const struct {
        const char *path, *name;
    } cases[] = {
        {"examples/arm.yaml", "arm"},        {"arm.yml", "arm"}, {"results/arm-0.3/", "arm-0.3"},
        {"results/arm/result.h5", "result"}, {"/", ""},          {".yaml", ".yaml"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s = {0};
        scene_name_after(&s, cases[i].path);
        assert_string_equal(s.name, cases[i].name);
    }
    scene named = {.name = "own"};
    scene_name_after(&named, "examples/arm.yaml");
    assert_string_equal(named.name, "own");
}

// 3 kN at once: more than a step of 10 ms takes with polynomials, less than two of 5 ms.
static void a_step_that_does_not_converge_is_taken_in_smaller_ones(void **state) {
    (void)state;
    td_error err = {0};
    subject s = open_text(polynomials, false);
    int push = input_named(&s, "push.force.y");
    grips_kept kept;
    td_system *system = stage_compile(s.stage, &s.stage->options, &kept, &err);
    td_state *alone = td_state_create(system);
    assert_non_null(alone);
    assert_int_equal(td_begin(system, alone), TD_OK);
    td_set_input(system, alone, push, 3000);
    assert_true(td_step(system, alone, 0.01) < 0);
    td_state_destroy(alone);
    td_system_destroy(system);

    char text[96];
    snprintf(text, sizeof text, "{\"do\":\"set\",\"input\":%d,\"value\":3000}", push);
    send(&s, text);
    send(&s, "{\"do\":\"step\"}");
    wait(&s, 0.02);
    check_silent(&s);
    CHECK_NEAR(look(&s).time, 0.01, 1e-12);
    double p[3];
    tip_of(&s, p);
    assert_true(p[1] > 0.05);
    close_subject(&s);
}

// What was read is what is shown: the same robot under every model, and in an export.
static void a_file_that_changes_on_disk_changes_nothing(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    FILE *file = fopen(s.path, "w");
    assert_non_null(file);
    fputs("tendril: 1\nrods: []\n", file);
    fclose(file);
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");
    wait(&s, 0.02);
    check_silent(&s);
    live_facts f = facts_of(&s);
    assert_string_equal(f.model, "eba");
    live_facts_destroy(&f);
    send(&s, "{\"do\":\"export-inputs\"}");
    wait(&s, 0.02);
    check_told(&s, "youngs_modulus");
    close_subject(&s);
}

static void what_cannot_be_done_is_said(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    const struct {
        const char *ask, *words;
    } cases[] = {
        {"{\"do\":\"set\",\"input\":3,\"value\":0}", "input = 3: there are 3 inputs"},
        {"{\"do\":\"set\",\"input\":0,\"value\":1e300}", "a million times"},
        {"{\"do\":\"follow\",\"input\":99}", "there are 3 inputs"},
        {"{\"do\":\"speed\",\"value\":0}", "from 0.01 to 100"},
        {"{\"do\":\"model\",\"name\":\"ebx\"}", "is not a model"},
        {"{\"do\":\"model\",\"scheme\":\"leapfrog\"}", "is not a scheme of cosserat"},
        {"{\"do\":\"model\",\"step\":-1}", "step = -1 s must be"},
        {"{\"do\":\"ghost\",\"name\":\"ebx\"}", "is not a model"},
        {"{\"do\":\"grab\",\"rod\":1,\"s\":0}", "nothing to hold"},
        {"{\"do\":\"grab\",\"body\":0}", "nothing to hold"},
        {"{\"do\":\"pull\",\"force\":[1,0,0]}", "nothing is grabbed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        send(&s, cases[i].ask);
        wait(&s, 0.02);
        check_told(&s, cases[i].words);
    }
    live_facts f = facts_of(&s);
    assert_string_equal(f.model, "cosserat");
    assert_true(f.playing);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void texts_for_one_reader_stay_with_that_reader(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    send(&s, "{\"do\":\"speed\",\"value\":0}");
    wait(&s, 0.02);
    unsigned long other = 0;
    assert_null(live_text(s.live, &other, 8));
    check_told(&s, "speed");
    close_subject(&s);
}

static void more_messages_than_wait_are_refused(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    message m = {.ask = ASK_RELEASE};
    int taken = 0;
    while (taken < 10000 && live_send(s.live, &m)) taken++;
    CHECK_BETWEEN(taken, 100, 1000);
    live_tick(s.live, s.now);
    assert_true(live_send(s.live, &m));
    close_subject(&s);
}

// ---------------------------------------------------------------- export
static void exported_inputs_make_a_file_that_says_the_same(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    send(&s, "{\"do\":\"set\",\"input\":0,\"value\":1.25}");
    send(&s, "{\"do\":\"model\",\"name\":\"eba\",\"step\":0.004}");
    send(&s, "{\"do\":\"export-inputs\"}");
    wait(&s, 0.02);
    td_error err = {0};
    live_facts f = facts_of(&s);
    td_options options = s.stage->options;
    snprintf(options.model, sizeof options.model, "eba");
    char *yaml = stage_export(s.stage, f.values, &options, f.step, &err);
    assert_non_null(yaml);
    check_told(&s, "\"type\": \"inputs\"");
    td_robot *robot = td_robot_parse(yaml, strlen(yaml), "exported", NULL, 0, &err);
    if (!robot) fprintf(stderr, "%s: %s\n%s", err.where, err.message, yaml);
    assert_non_null(robot);
    assert_int_equal(td_robot_n_inputs(robot), 3);
    options = td_robot_options(robot);
    assert_string_equal(options.model, "eba");
    CHECK_NEAR(td_robot_scenario(robot).step, 0.004, 0);
    td_system *system = td_system_create(robot, &options, &err);
    assert_non_null(system);
    td_state *fresh = td_state_create(system);
    assert_int_equal(td_begin(system, fresh), TD_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(td_get_input(system, fresh, i), f.values[i], 0);
    CHECK_NEAR(f.values[0], 1.25, 0);
    td_state_destroy(fresh);
    td_system_destroy(system);
    td_robot_destroy(robot);
    free(yaml);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void every_scheme_of_a_model_is_a_word_of_the_file(void **state) {
    (void)state;
    subject s = open_text(cantilever, false);
    live_facts f = facts_of(&s);
    td_error err = {0};
    int n = 0;
    const char *name;
    for (int m = 0; m < td_n_models(); m++)
        for (int k = 0; (name = scheme_at(td_model_name(m), k)); k++, n++) {
            td_options options = s.stage->options;
            snprintf(options.model, sizeof options.model, "%s", td_model_name(m));
            assert_true(scheme_choose(&options, name));
            char *yaml = stage_export(s.stage, f.values, &options, f.step, &err);
            td_robot *robot = td_robot_parse(yaml, strlen(yaml), "exported", NULL, 0, &err);
            assert_non_null(robot);
            const td_options read = td_robot_options(robot);
            assert_int_equal(read.scheme, options.scheme);
            assert_int_equal(read.integration.method, options.integration.method);
            td_robot_destroy(robot);
            free(yaml);
        }
    assert_true(n >= 6 + 3 * (td_n_models() - 1));
    live_facts_destroy(&f);
    close_subject(&s);
}

// ---------------------------------------------------------------- modes
// The number that follows this key, of its n-th appearance in the text told next.
static double told_number(const char *text, const char *key, int n) {
    const char *at = text;
    for (int i = 0; at && i <= n; i++) {
        at = strstr(at, key);
        if (at) at += strlen(key);
    }
    assert_non_null(at);
    return strtod(at, NULL);
}

// How far points of the first rod, and of the first actuator, go from where they are in the mean of a
// swing of 1.5 s: at the middle of the rod, at its tip, at the end of the tendon.
static void swing_of(subject *s, double moved[3]) {
    enum { N = 90 };
    static double p[N][3][3];
    const scene *sc = live_scene(s->live);
    const int n = sc->rods[0].n_points,
              tendon = sc->rod_floats + 3 * (sc->actuators[0].n_points - 1);
    const int at[3] = {7 * (n / 2), 7 * (n - 1), tendon};
    double mean[3][3] = {{0.0}};
    for (int i = 0; i < N; i++, s->now += 1.5 / N) {
        live_tick(s->live, s->now);
        seen_frame f = look(s);
        for (int j = 0; j < 9; j++) {
            p[i][j / 3][j % 3] = frame_f32(&f, at[j / 3] + j % 3);
            mean[j / 3][j % 3] += p[i][j / 3][j % 3] / N;
        }
    }
    for (int j = 0; j < 3; j++) {
        moved[j] = 0.0;
        for (int i = 0; i < N; i++) {
            double squares = 0.0;
            for (int k = 0; k < 3; k++) squares += pow(p[i][j][k] - mean[j][k], 2);
            moved[j] = fmax(moved[j], sqrt(squares));
        }
    }
}

// A cantilever: omega = (1.8751/L)^2 sqrt(EI/rho A), with EI = rho A in SI here; its material
// damps by omega tau/2; at half its length it moves by 0.3395 of the tip.
static void modes_are_those_of_a_cantilever_and_swing_as_far_as_asked(void **state) {
    (void)state;
    const double PI2 = 6.283185307179586, omega = pow(1.875104069 / LENGTH, 2);
    char lively[sizeof cantilever];
    memcpy(lively, cantilever, sizeof cantilever);
    memcpy(strstr(lively, "20 ms"), " 2 ms", 5);
    subject s = open_text(lively, false);
    send(&s, "{\"do\":\"modes\"}");
    wait(&s, 0.02);
    char *text = live_text(s.live, &s.texts, 8);  // everybody is told
    assert_non_null(text);
    assert_non_null(strstr(text, "\"type\": \"modes\""));
    assert_non_null(strstr(text, "\"oscillates\""));
    CHECK_NEAR(told_number(text, "\"frequency\": ", 0), omega / PI2, 1e-3 * omega / PI2);
    CHECK_NEAR(told_number(text, "\"frequency\": ", 2) * PI2, omega * pow(4.694091 / 1.875104, 2),
               3e-3 * 138);
    CHECK_NEAR(told_number(text, "\"damping\": ", 0), 0.5 * omega * 0.002, 1e-4);
    assert_true(told_number(text, "\"total\": ", 0) >= 20);
    free(text);
    double moved[3];
    swing_of(&s, moved);
    CHECK_NEAR(moved[1], 0.1 * LENGTH, 1e-3 * LENGTH);
    CHECK_NEAR(moved[0] / moved[1], 0.3395, 2e-3);
    // The tendon ends 8 mm beside the tip and goes with its section, which turns by 1.3765/L of what it
    // moves: at least as far as the tip less what it is lifted.
    CHECK_BETWEEN(moved[2], moved[1] - 8e-3 * 1.3765 * 0.1, moved[1] + 8e-3 * 1.3765 * 0.1);
    send(&s, "{\"do\":\"modes\",\"mode\":2,\"value\":0.05}");
    swing_of(&s, moved);
    CHECK_NEAR(moved[1], 0.05 * LENGTH, 1e-3 * LENGTH);
    CHECK_NEAR(moved[0] / moved[1], 0.7137, 2e-3);
    live_facts f = facts_of(&s);
    assert_int_equal(f.mode, 2);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void time_is_held_while_a_mode_is_shown_and_goes_on_after(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    wait(&s, 0.3);
    double before = look(&s).time, p[3], q[3];
    send(&s, "{\"do\":\"grab\",\"rod\":0,\"s\":0.4}");
    send(&s, "{\"do\":\"modes\",\"mode\":1}");
    wait(&s, 1.0);
    seen_frame shown = look(&s);
    CHECK_NEAR(shown.time, before, 0.02);
    assert_int_equal(shown.flags, 0);
    send(&s, "{\"do\":\"export-inputs\"}");  // it goes on
    wait(&s, 0.02);
    live_facts f = facts_of(&s);
    assert_int_equal(f.mode, 1);
    send(&s, "{\"do\":\"modes\",\"mode\":null}");
    wait(&s, 0.5);
    live_get_facts(s.live, &f);
    assert_int_equal(f.mode, -1);
    assert_true(f.playing);
    CHECK_BETWEEN(look(&s).time, before + 0.4, before + 0.55);
    tip_of(&s, p);
    CHECK_NEAR(p[1], 1e-3 * LENGTH * LENGTH * LENGTH / (3 * BENDING), 2e-5);  // as if nothing was
    send(&s, "{\"do\":\"pause\"}");
    send(&s, "{\"do\":\"modes\"}");
    wait(&s, 0.1);
    tip_of(&s, q);
    assert_true(fabs(q[1] - p[1]) + fabs(q[0] - p[0]) > 0.01);
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");  // whatever else is asked leaves it
    wait(&s, 0.1);
    live_get_facts(s.live, &f);
    assert_int_equal(f.mode, -1);
    assert_false(f.playing);
    live_facts_destroy(&f);
    close_subject(&s);
}

static void modes_that_are_not_to_be_had_are_refused_with_words(void **state) {
    (void)state;
    char text[1024];
    subject s = open_text(cantilever, true);
    send(&s, "{\"do\":\"modes\",\"value\":1.5}");
    wait(&s, 0.02);
    check_told(&s, "modes: value = 1.5 must be from 0 to 1");
    send(&s, "{\"do\":\"modes\",\"mode\":5000}");
    wait(&s, 0.02);
    check_told(&s, "modes: mode = 5000: there are ");
    assert_true(look(&s).flags & FRAME_PLAYING);
    close_subject(&s);
    snprintf(text, sizeof text, "%sinputs: {pull: 1e6 N}\n", cantilever);
    s = open_text(text, false);
    send(&s, "{\"do\":\"modes\"}");
    s.texts = 1;  // behind the failure of the start
    wait(&s, 0.02);
    check_told(&s, "modes: there is no equilibrium under the present inputs: ");
    close_subject(&s);
    s = open_text("tendril: 1\n"
                  "rods: [{name: rod, length: 0.4, feed: out, section: {radius: 2 mm},\n"
                  "        material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3, density: 1000}}]\n"
                  "inputs: {out: 0.2}\n",
                  false);
    send(&s, "{\"do\":\"modes\"}");
    wait(&s, 0.02);
    check_told(&s, "modes: ");
    live_facts f = facts_of(&s);
    assert_int_equal(f.mode, -1);
    live_facts_destroy(&f);
    close_subject(&s);
}

// ---------------------------------------------------------------- the thread
static void count(void *user) {
    ++*(int *)user;
}

static void the_thread_follows_the_wall_clock_and_ends_when_asked(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    int rounds = 0;
    assert_true(live_start(s.live, count, &rounds));
    unsigned long seen = 0;
    double last = 0.0;
    for (int i = 0; i < 6000 && last < 0.5; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (!live_frame(s.live, &seen, s.bytes)) continue;
        double t = frame_open(s.bytes, 16).time;
        assert_true(t >= last);
        last = t;
    }
    assert_true(last >= 0.5);
    send(&s, "{\"do\":\"pause\"}");
    live_stop(s.live);
    assert_true(rounds > 10);
    close_subject(&s);
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

// Keeps the thread of the solver until it is let go.
static void keep_thread(void *user) {
    atomic_bool *kept = user;
    while (atomic_load(kept)) nap();
}

static void a_solver_that_does_not_come_back_is_told_meanwhile(void **state) {
    (void)state;
    subject s = open_text(cantilever, true);
    atomic_bool kept = true;
    assert_true(live_start(s.live, keep_thread, &kept));
    live_facts f = facts_of(&s);
    assert_true(f.held);
    for (int i = 0; i < 3000 && f.held; i++) {
        nap();
        live_get_facts(s.live, &f);
    }
    assert_true(f.playing && !f.held);
    CHECK_NEAR(f.ratio, 0.0, 0);
    assert_true(f.behind >= 1.0);
    atomic_store(&kept, false);
    live_stop(s.live);
    live_facts_destroy(&f);
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers_and_tendons_become_inputs),
        cmocka_unit_test(the_first_frame_is_the_equilibrium),
        cmocka_unit_test(frames_tell_where_obstacles_are_and_what_they_carry),
        cmocka_unit_test(time_follows_the_clock_and_the_speed),
        cmocka_unit_test(time_that_cannot_be_held_is_counted),
        cmocka_unit_test(pause_step_and_reset_do_what_they_say),
        cmocka_unit_test(inputs_follow_their_signals_until_a_hand_holds_them),
        cmocka_unit_test(a_tendon_bends_the_rod_by_its_moment),
        cmocka_unit_test(a_pull_at_the_tip_deflects_it_like_a_cantilever),
        cmocka_unit_test(a_pull_between_two_grips_is_shared),
        cmocka_unit_test(a_rod_that_is_fed_is_held_at_its_tip),
        cmocka_unit_test(another_model_stands_where_the_first_stood),
        cmocka_unit_test(a_ghost_gets_the_same_inputs),
        cmocka_unit_test(a_failed_step_leaves_the_last_good_state),
        cmocka_unit_test(a_start_without_equilibrium_is_told_to_the_first_page_and_holds_time),
        cmocka_unit_test(a_robot_without_a_name_is_called_after_its_file),
        cmocka_unit_test(a_step_that_does_not_converge_is_taken_in_smaller_ones),
        cmocka_unit_test(a_file_that_changes_on_disk_changes_nothing),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(texts_for_one_reader_stay_with_that_reader),
        cmocka_unit_test(more_messages_than_wait_are_refused),
        cmocka_unit_test(exported_inputs_make_a_file_that_says_the_same),
        cmocka_unit_test(every_scheme_of_a_model_is_a_word_of_the_file),
        cmocka_unit_test(modes_are_those_of_a_cantilever_and_swing_as_far_as_asked),
        cmocka_unit_test(time_is_held_while_a_mode_is_shown_and_goes_on_after),
        cmocka_unit_test(modes_that_are_not_to_be_had_are_refused_with_words),
        cmocka_unit_test(the_thread_follows_the_wall_clock_and_ends_when_asked),
        cmocka_unit_test(a_solver_that_does_not_come_back_is_told_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
