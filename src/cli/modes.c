// tendril modes: how a robot swings about its equilibrium, and whether it stays there.
#include <math.h>
#include <stdio.h>

#include "cli/linear.h"
#include "cli/mode_shapes.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/json.h"
#include "io/mode_shape.h"

enum {
    USUAL_COUNT = 10,
    MOST_COUNT = 100000,
    FEW_COORDINATES =
        200  // of which all modes are found in a moment, and stability is judged by all
};
#define UNDAMPED 1e-9  // damping ratio that is none

// ---------------------------------------------------------------- words
// s, in which a motion falls to 1/e, or grows e-fold; infinite where it keeps its size.
static double time_constant(const td_mode *m) {
    const bool keeps = m->kind == TD_MODE_NEUTRAL || fabs(m->damping) <= UNDAMPED;
    return keeps ? HUGE_VAL : fabs(1.0 / m->re);
}

typedef struct judgement {
    const char *word;  // "stable"
    char why[200];
} judgement;

// How many modes to find; 0: all.
static int count_to_find(const linear *x, int count) {
    return x->of->n_coordinates > FEW_COORDINATES ? count : 0;
}

// All modes are known, whether they are shown or not?
static bool knows_all(const linear *x, int count) {
    const int n = count_to_find(x, count);
    return n == 0 || td_n_modes(x->l) < n;
}

// By the modes that were found. What grows is unstable whatever the others do.
static judgement judge(const linear *x, bool all) {
    td_linearisation *l = x->l;
    int grows = -1, neutral = -1, keeps = -1;
    double slowest = 0.0;
    for (int i = 0; i < td_n_modes(l); i++) {
        const td_mode m = td_get_mode(l, i);
        const double constant = time_constant(&m);
        const bool now = m.kind == TD_MODE_DIVERGES || m.kind == TD_MODE_FLUTTERS;
        if (now) {
            const td_mode worst = td_get_mode(l, grows < 0 ? i : grows);
            if (grows < 0 || m.re > worst.re) grows = i;
        } else if (m.kind == TD_MODE_NEUTRAL) {
            if (neutral < 0) neutral = i;
        } else if (isinf(constant)) {
            if (keeps < 0) keeps = i;
        } else {
            slowest = fmax(slowest, constant);
        }
    }
    judgement j = {"stable", ""};
    char among[64] = "";
    if (!all) snprintf(among, sizeof among, "among the %d modes nearest to 0 ", td_n_modes(l));
    if (grows >= 0) {
        const td_mode m = td_get_mode(l, grows);
        j.word = "unstable";
        snprintf(j.why, sizeof j.why, "mode %d %s, e-fold in %.3g s", grows + 1,
                 mode_kind_word(m.kind), time_constant(&m));
    } else if (neutral >= 0) {
        j.word = "neutral";
        snprintf(j.why, sizeof j.why, "%smode %d moves freely", among, neutral + 1);
    } else if (keeps >= 0) {
        snprintf(j.why, sizeof j.why, "%snothing damps mode %d, which swings on", among, keeps + 1);
    } else {
        snprintf(j.why, sizeof j.why, "%severy motion dies away, the slowest by 1/e in %.3g s",
                 among, slowest);
    }
    return j;
}

// ---------------------------------------------------------------- output
static void print_table(const linear *x, int count, bool all) {
    if (all) printf("%s: %d of %d modes about", x->s.file, count, td_n_modes(x->l));
    else printf("%s: the %d modes nearest to 0 about", x->s.file, count);
    printf(" the equilibrium\n");
    printf("%5s %15s %12s %18s  %s\n", "mode", "frequency [Hz]", "damping", "time constant [s]",
           "kind");
    for (int i = 0; i < count; i++) {
        const td_mode m = td_get_mode(x->l, i);
        const double constant = time_constant(&m);
        printf("%5d %15.6g", i + 1, m.frequency);
        if (isinf(constant)) printf(" %12s %18s", m.kind == TD_MODE_NEUTRAL ? "-" : "0", "-");
        else printf(" %12.4g %18.6g", m.damping, constant);
        printf("  %s\n", mode_kind_word(m.kind));
    }
    const judgement j = judge(x, all);
    printf("%s: %s\n", j.word, j.why);
}

static void print_csv(const linear *x, int count) {
    printf("mode,frequency [Hz],damping,time constant [s],re [1/s],im [rad/s],kind\n");
    for (int i = 0; i < count; i++) {
        const td_mode m = td_get_mode(x->l, i);
        const double constant = time_constant(&m);
        char texts[5][32];
        const double values[5] = {m.frequency, m.damping, constant, m.re, m.im};
        for (int k = 0; k < 5; k++) format_exact(texts[k], sizeof texts[k], values[k]);
        printf("%d,%s,%s,%s,%s,%s,%s\n", i + 1, texts[0], texts[1], isinf(constant) ? "" : texts[2],
               texts[3], texts[4], mode_kind_word(m.kind));
    }
}

static void put_mode(json *j, const void *of, int i) {
    const td_mode m = td_get_mode(of, i);
    json_put_integer(j, "mode", i + 1);
    json_put_number(j, "frequency", m.frequency);
    json_put_number(j, "damping", m.damping);
    json_put_number(j, "time_constant", time_constant(&m));
    json_put_number(j, "re", m.re);
    json_put_number(j, "im", m.im);
    json_put_string(j, "kind", mode_kind_word(m.kind));
}

static void print_json(const linear *x, int count, bool all) {
    const judgement judged = judge(x, all);
    json j = linear_begin_json(x);
    json_put_string(&j, "stability", judged.word);
    json_put_string(&j, "reason", judged.why);
    json_put_integer(&j, "n_modes", td_n_modes(x->l));
    json_put_bool(&j, "all_modes", all);
    json_put_list(&j, "modes", count, put_mode, x->l);
    json_end_object(&j);
}

static void print_modes(const linear *x, const args *a, int count, bool all) {
    if (args_has(a, "json")) print_json(x, count, all);
    else if (args_has(a, "csv")) print_csv(x, count);
    else {
        print_table(x, count, all);
        linear_print_notes(x);
    }
}

// ---------------------------------------------------------------- the verb
static int draw(linear *x, const args *a, int count, int mode) {
    const bool words = !args_has(a, "json") && !args_has(a, "csv");
    int code = EXIT_FINE;
    if (args_has(a, "picture")) {
        code = mode_shapes_draw(x, a, count);
        if (code == EXIT_FINE && words) printf("%s\n", args_value(a, "picture"));
    }
    if (code == EXIT_FINE && args_has(a, "film")) code = mode_shapes_film(x, a, mode - 1);
    return code;
}

static int solve(linear *x, const args *a) {
    int count = USUAL_COUNT, mode = 1;
    if (!args_integer(a, "count", 1, MOST_COUNT, &count) ||
        !args_integer(a, "mode", 1, MOST_COUNT, &mode))
        return EXIT_INPUT;
    int code = linear_open(x, a);
    if (code == EXIT_FINE) code = linear_about(x, NULL, 0);
    if (code != EXIT_FINE) return code;
    const int most = count > mode ? count : mode;
    if (td_solve_modes(x->l, count_to_find(x, most)) < 0)
        return exit_error(EXIT_FAILED, x->s.file, "%s", td_linearisation_message(x->l));
    if (count > td_n_modes(x->l)) count = td_n_modes(x->l);
    if (mode > td_n_modes(x->l))
        return exit_error(EXIT_INPUT, "--mode", "%d: there are only %d", mode, td_n_modes(x->l));
    print_modes(x, a, count, knows_all(x, most));
    return draw(x, a, count, mode);
}

static int run(const args *a) {
    linear x = {0};
    int code = solve(&x, a);
    linear_close(&x);
    return code;
}

static const option options[] = {
    LINEAR_OPTIONS,
    {"count", "N",
     "number of modes, slowest first; default: 10. With more\n"
     "than 200 coordinates only these are computed, and\n"
     "stability is judged by them",
     false},
    {"json", NULL, "print as JSON", false},
    {"csv", NULL, "print as CSV", false},
    {"picture", "FILE", "draw the shapes of up to 12 modes: .png, .svg or .pdf", false},
    {"film", "FILE", "make a film of one mode: .mp4 or .gif", false},
    {"mode", "N", "the mode in the film; default: 1", false},
    {"view", "VIEW",
     "view of picture and film: xz, xy, yz, 3d, or azimuth and\n"
     "elevation in degrees, --view=-60,25",
     false},
    {0},
};

const verb verb_modes = {
    .name = "modes",
    .summary = "compute vibration modes: frequencies, damping, shapes, stability",
    .arguments = "FILE",
    .about = "Finds the equilibrium, linearises the motion about it, and prints for each mode the\n"
             "natural frequency, the damping ratio and the time constant (in which the motion\n"
             "falls to 1/e or grows e-fold). Also prints its kind: oscillates, decays\n"
             "(overdamped), neutral (moves freely), diverges (falls, buckles) or flutters.",
    .options = options,
    .examples = "  tendril modes cantilever.yaml\n"
                "  tendril modes tendon-arm.yaml --time 1 --count 6 --picture modes.png\n"
                "  tendril modes net.yaml --json\n"
                "  tendril modes cantilever.yaml --film second.gif --mode 3\n",
    .run = run,
};
