// A live robot without sockets and without its thread: rounds at times that the test chooses.
#include "view_live.h"

#include <stdatomic.h>
#include <time.h>

#include "view/scheme.h"

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

// A thick shaft and a thin tip of 0.1 m each: what is thin moves on, whatever is fed.
static void what_is_fed_keeps_its_radii(void **state) {
    (void)state;
    subject s = open_text("tendril: 1\n"
                          "gravity: [0, 0, 0]\n"
                          "rods: [{name: rod, feed: out, damping: {time: 20 ms},\n"
                          "        material: {youngs_modulus: 1 GPa, poisson_ratio: 0.3,\n"
                          "                   density: 1000},\n"
                          "        pieces: [{length: 0.1, section: {radius: 2 mm}},\n"
                          "                 {length: 0.1, section: {radius: 1 mm}}]}]\n"
                          "inputs: {out: 0.2}\n"
                          "simulation: {time: {step: 10 ms}}\n",
                          false);
    const scene_rod *rod = &live_scene(s.live)->rods[0];
    seen_frame f = look(&s);
    int thick = 0;
    for (int i = 0; i < rod->n_points; i++) {
        const double z = frame_f32(&f, 7 * i + 2);
        CHECK_NEAR(rod->radius[i], z < 0.3 + 1e-6 ? 2e-3 : 1e-3, 1e-15);
        CHECK_NEAR(z, rod->s[i] <= 0.1 ? 3.0 * rod->s[i] : rod->s[i] + 0.2, 1e-6);
        thick += rod->radius[i] > 1.5e-3;
    }
    assert_int_equal(thick, rod->n_points / 2 + 1);
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
    assert_string_equal(f.main.model, "eba");
    CHECK_NEAR(f.step, 0.005, 0);
    CHECK_NEAR(f.main.time, 0.01, 1e-12);
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

// A ghost is what a robot of its model is that gets the same inputs, whatever stands beside it.
static void check_ghost_alone(const char *model, const float *tips, int n) {
    subject s = open_text(cantilever, false);
    char asked[80];
    double tip[3];
    snprintf(asked, sizeof asked, "{\"do\":\"model\",\"name\":\"%s\"}", model);
    send(&s, asked);
    send(&s, "{\"do\":\"set\",\"input\":2,\"value\":2e-3}");
    for (int i = 0; i < n; i++, tips += 3) {
        send(&s, "{\"do\":\"step\"}");
        wait(&s, 0.02);
        tip_of(&s, tip);
        for (int k = 0; k < 3; k++) CHECK_NEAR((double)tips[k], tip[k], 1e-7);
    }
    assert_true(fabs(tip[1]) > 1e-3);
    close_subject(&s);
}

// The tips of ghosts that are there, in the order of their places.
static int ghost_tips(subject *s, float tips[][3]) {
    const seen_frame f = look(s);
    const scene *sc = live_scene(s->live);
    int n = 0;
    for (int k = 0; k < MOST_GHOSTS; k++) {
        if (!(f.flags & (unsigned)FRAME_GHOST << k)) continue;
        for (int d = 0; d < 3; d++)
            tips[n][d] = (float)frame_f32(&f, sc->floats + (n + 1) * sc->rod_floats - 7 + d);
        n++;
    }
    assert_int_equal(f.n, sc->floats + n * sc->rod_floats);
    return n;
}

static void check_ghosts(subject *s, const char *const names[MOST_GHOSTS]) {
    live_facts f = facts_of(s);
    for (int k = 0; k < MOST_GHOSTS; k++) {
        assert_string_equal(f.ghosts[k].model, names[k]);
        if (!names[k][0]) continue;
        CHECK_NEAR(f.ghosts[k].time, f.main.time, 0.0);
        CHECK_BETWEEN(f.ghosts[k].step_seconds, 1e-9, 1.0);
    }
    live_facts_destroy(&f);
}

static void several_ghosts_go_on_together_each_as_if_alone(void **state) {
    (void)state;
    enum { STEPS = 12 };
    subject s = open_text(cantilever, false);
    float tips[MOST_GHOSTS][3], eba[STEPS][3], power[STEPS][3];
    send(&s, "{\"do\":\"ghost\",\"name\":\"eba\"}");
    send(&s, "{\"do\":\"ghost\",\"name\":\"rom\"}");
    send(&s, "{\"do\":\"ghost\",\"name\":\"virtual_power\",\"value\":1}");
    send(&s, "{\"do\":\"ghost\",\"name\":\"cosserat\"}");
    send(&s, "{\"do\":\"ghost\",\"name\":\"srl\"}");
    wait(&s, 0.02);
    check_told(&s, "there are 4 already");
    send(&s, "{\"do\":\"ghost\",\"name\":\"rom\",\"value\":0}");
    send(&s, "{\"do\":\"set\",\"input\":2,\"value\":2e-3}");
    for (int i = 0; i < STEPS; i++) {
        double tip[3];
        send(&s, "{\"do\":\"step\"}");
        wait(&s, 0.02);
        assert_int_equal(ghost_tips(&s, tips), 3);
        memcpy(eba[i], tips[0], sizeof *eba);
        memcpy(power[i], tips[1], sizeof *power);
        tip_of(&s, tip);
        for (int k = 0; k < 3; k++) CHECK_NEAR((double)tips[2][k], tip[k], 1e-7);  // the same model
    }
    check_ghosts(&s, (const char *[]){"eba", "", "virtual_power", "cosserat"});
    assert_true(fabsf(eba[STEPS - 1][1] - power[STEPS - 1][1]) > 1e-6f);
    check_ghost_alone("eba", eba[0], STEPS);
    check_ghost_alone("virtual_power", power[0], STEPS);

    send(&s, "{\"do\":\"rewind\",\"value\":0}");
    send(&s, "{\"do\":\"set\",\"input\":2,\"value\":2e-3}");
    wait(&s, 0.02);
    CHECK_NEAR(look(&s).time, 0.0, 0.0);
    check_ghosts(&s, (const char *[]){"eba", "", "virtual_power", "cosserat"});
    for (double then; (then = look(&s).time) < 0.01 * STEPS - 1e-9;) {
        send(&s, "{\"do\":\"step\"}");
        wait(&s, 0.02);
        assert_true(look(&s).time > then);
    }
    assert_int_equal(ghost_tips(&s, tips), 3);
    assert_memory_equal(tips[0], eba[STEPS - 1], sizeof *tips);
    assert_memory_equal(tips[1], power[STEPS - 1], sizeof *tips);
    send(&s, "{\"do\":\"ghost\",\"name\":null}");
    wait(&s, 0.02);
    check_ghosts(&s, (const char *[]){"", "", "", ""});
    assert_int_equal(ghost_tips(&s, tips), 0);
    check_silent(&s);
    close_subject(&s);
}

static void check_ghost_at(subject *s, double low, double high) {
    seen_frame f = look(s);
    const scene *sc = live_scene(s->live);
    const int last = 7 * (sc->rods[0].n_points - 1);
    CHECK_BETWEEN(frame_f32(&f, last), low, high);
    CHECK_NEAR(frame_f32(&f, sc->floats + last), frame_f32(&f, last), 1e-5);
}

// A bend of T d/EI by a tendon moves the tip by L^2/2 of that, here 15 mm.
static void controllers_of_a_ghost_follow_those_of_the_robot(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%scontrollers: [{inputs: pull, formula: \"0.3\"}]\n", cantilever);
    subject s = open_text(text, true);
    wait(&s, 1.5);
    send(&s, "{\"do\":\"ghost\",\"name\":\"cosserat\"}");
    wait(&s, 1.5);
    check_ghost_at(&s, 0.014, 0.016);
    send(&s, "{\"do\":\"switch\",\"controller\":0,\"value\":0}");
    wait(&s, 1.5);
    check_ghost_at(&s, -1e-4, 1e-4);
    send(&s, "{\"do\":\"ghost\",\"name\":null}");
    send(&s, "{\"do\":\"ghost\",\"name\":\"cosserat\"}");  // it comes while that is off
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");
    send(&s, "{\"do\":\"model\",\"name\":\"cosserat\"}");  // and so does another model
    wait(&s, 1.0);
    check_ghost_at(&s, -1e-4, 1e-4);
    send(&s, "{\"do\":\"switch\",\"controller\":1,\"value\":0}");
    wait(&s, 0.05);
    check_told(&s, "controller = 1: there are 1 controllers");
    close_subject(&s);
}

// One that says a course by the time goes on along it under another model, and so does a ghost's.
static void references_by_time_go_on_under_another_model(void **state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%scontrollers: [{inputs: pull, formula: \"0.1*t\"}]\n",
             cantilever);
    subject s = open_text(text, true);
    const int pull = input_named(&s, "pull");
    wait(&s, 1.5);
    send(&s, "{\"do\":\"model\",\"name\":\"eba\"}");
    send(&s, "{\"do\":\"ghost\",\"name\":\"eba\"}");
    wait(&s, 1.5);
    live_facts f = facts_of(&s);
    CHECK_BETWEEN(f.main.time, 2.9, 3.01);
    CHECK_NEAR(f.values[pull], 0.1 * (f.main.time - f.step),
               1e-9);  // said where the last step began
    live_facts_destroy(&f);
    check_ghost_at(&s, 0.012, 0.016);  // T d L^2/2EI = 14.7 mm, a little late
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
        cmocka_unit_test(time_follows_the_clock_and_the_speed),
        cmocka_unit_test(time_that_cannot_be_held_is_counted),
        cmocka_unit_test(pause_step_and_reset_do_what_they_say),
        cmocka_unit_test(inputs_follow_their_signals_until_a_hand_holds_them),
        cmocka_unit_test(a_tendon_bends_the_rod_by_its_moment),
        cmocka_unit_test(a_pull_at_the_tip_deflects_it_like_a_cantilever),
        cmocka_unit_test(a_pull_between_two_grips_is_shared),
        cmocka_unit_test(a_rod_that_is_fed_is_held_at_its_tip),
        cmocka_unit_test(what_is_fed_keeps_its_radii),
        cmocka_unit_test(another_model_stands_where_the_first_stood),
        cmocka_unit_test(a_ghost_gets_the_same_inputs),
        cmocka_unit_test(several_ghosts_go_on_together_each_as_if_alone),
        cmocka_unit_test(controllers_of_a_ghost_follow_those_of_the_robot),
        cmocka_unit_test(references_by_time_go_on_under_another_model),
        cmocka_unit_test(exported_inputs_make_a_file_that_says_the_same),
        cmocka_unit_test(every_scheme_of_a_model_is_a_word_of_the_file),
        cmocka_unit_test(the_thread_follows_the_wall_clock_and_ends_when_asked),
        cmocka_unit_test(a_solver_that_does_not_come_back_is_told_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
