// tests/view_live.h - a live robot without sockets and without its thread: rounds at times that the test chooses.
#pragma once

#include "tendril/tendril.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/frame.h"
#include "view/live.h"
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

static inline subject open_text(const char *text, bool playing) {
    subject s = {.path = "/tmp/tendril_test_view_live_XXXXXX"};
    td_error err = {0};
    int fd = mkstemp(s.path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    s.stage = stage_create(s.path, NULL, 0, &err);
    if (s.stage) s.live = live_create(s.stage, playing, &err);
    unlink(s.path);  // a stage has read it, and a test that fails closes nothing
    if (!s.live) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(s.live);
    s.bytes = malloc(frame_most_bytes(live_scene(s.live)));
    assert_non_null(s.bytes);
    live_tick(s.live, s.now);
    return s;
}

static inline void close_subject(subject *s) {
    live_destroy(s->live);
    stage_destroy(s->stage);
    free(s->bytes);
}

static inline void send(subject *s, const char *text) {
    message m;
    char why[200];
    assert_true(message_parse(text, strlen(text), &m, why, sizeof why));
    m.from = 7;
    assert_true(live_send(s->live, &m));
}

// Rounds for so many seconds, 60 in each.
static inline void wait(subject *s, double seconds) {
    for (double end = s->now + seconds; s->now < end; s->now += 1.0 / 60)
        live_tick(s->live, s->now);
}

static inline seen_frame look(subject *s) {
    s->seen = 0;
    size_t n = live_frame(s->live, &s->seen, s->bytes);
    assert_true(n > 16);
    return frame_open(s->bytes, n);
}

static inline void tip_of(subject *s, double p[3]) {
    seen_frame f = look(s);
    int last = live_scene(s->live)->rods[0].n_points - 1;
    for (int k = 0; k < 3; k++) p[k] = frame_f32(&f, 7 * last + k);
}

static inline live_facts facts_of(subject *s) {
    live_facts f;
    assert_true(live_facts_create(s->live, &f));
    live_get_facts(s->live, &f);
    return f;
}

static inline int input_named(subject *s, const char *name) {
    const scene *sc = live_scene(s->live);
    for (int i = 0; i < sc->n_inputs; i++)
        if (!strcmp(sc->inputs[i].name, name)) return i;
    fail_msg("there is no input %s", name);
    return -1;
}

// The next text must hold these words.
static inline void check_told(subject *s, const char *words) {
    char *text = live_text(s->live, &s->texts, 7);
    if (text && strstr(text, words)) {
        free(text);
        return;
    }
    fprintf(stderr, "told '%s', not '%s'\n", text ? text : "nothing", words);
    free(text);
    fail();
}

static inline void check_silent(subject *s) {
    char *text = live_text(s->live, &s->texts, 7);
    if (text) fprintf(stderr, "told '%s'\n", text);
    assert_null(text);
}
