// tendril optimise: the design, or the inputs, that do best.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/optimising.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/result.h"
#include "io/written.h"

enum { MOST_THREADS = 256 };

// On a terminal, how far it is.
static void tell(void *quiet, int cases, double best) {
    if (*(bool *)quiet || cases % 10 != 0) return;
    if (isfinite(best)) fprintf(stderr, "\r%d cases, best so far %.6g   ", cases, best);
    else fprintf(stderr, "\r%d cases, none meets all bounds yet   ", cases);
}

static bool load(optimising *o, const args *a) {
    const int n = args_count(a, "set");
    const char **sets = malloc(sizeof *sets * (size_t)(n + 1));
    td_error err = {.message = "out of memory"};
    for (int i = 0; i < n && sets; i++) sets[i] = args_nth(a, "set", i);
    if (sets) o->study = td_study_load(o->file, sets, n, &err);
    free(sets);
    if (!o->study) report_error(NULL, &err);
    return o->study != NULL;
}

static int search(optimising *o, const args *a) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    td_optimise_options options = td_default_optimise_options();
    td_error err = {0};
    bool quiet = !isatty(STDERR_FILENO) || args_has(a, "quiet");
    options.threads = processors > 1 ? (int)fmin((double)processors, MOST_THREADS) : 1;
    options.differences = args_has(a, "differences");
    options.asked = stop_wanted, options.tell = tell, options.context = &quiet;
    if (!args_integer(a, "threads", 1, MOST_THREADS, &options.threads)) return EXIT_INPUT;
    catch_stop(true);
    const double begin = wall_clock();
    o->found = td_optimise(o->study, &options, &err);
    o->seconds = wall_clock() - begin;
    if (!quiet) fputs("\r\033[K", stderr);
    if (o->found) return EXIT_FINE;
    const bool input = err.status == TD_ERR_VALUE || err.status == TD_ERR_ARGUMENT;
    return exit_reported(input ? EXIT_INPUT : EXIT_FAILED, o->file, &err);
}

static int write_robot(const optimising *o, const char *path) {
    td_error err = {0};
    char *text = td_optimum_write(o->found, &err);
    const bool ok = text && text_write(path, text, &err) == TD_OK;
    td_free_text(text);
    return ok ? EXIT_FINE : exit_reported(EXIT_FAILED, NULL, &err);
}

static int solve(optimising *o, const args *a) {
    const char *picture = args_value(a, "picture"), *target = args_value(a, "write");
    if (!load(o, a)) return EXIT_INPUT;
    int code = search(o, a);
    if (code != EXIT_FINE) return code;
    if (args_has(a, "json")) optimising_print_json(o);
    else optimising_print(o);
    const td_status status = td_optimum_status(o->found);
    if (status < 0) code = exit_error(EXIT_FAILED, o->file, "%s", td_optimum_message(o->found));
    else if (status > 0) print_note("note", "%s", td_optimum_message(o->found));
    if (target && status >= 0) code = write_robot(o, target);
    if (picture && code == EXIT_FINE) code = optimising_draw(o, picture);
    return code;
}

static int run(const args *a) {
    optimising o = {.file = a->files[0]};
    const int code = solve(&o, a);
    td_optimum_destroy(o.found);
    td_study_destroy(o.study);
    return code;
}

static const option options[] = {
    {"set", "PATH=VALUE",
     "override a value of the study's robot; may be given\n"
     "several times",
     true},
    {"threads", "N", "number of threads; default: one for each processor", false},
    {"differences", NULL, "use finite differences even where exact derivatives exist", false},
    {"json", NULL, "print as JSON", false},
    {"picture", "FILE",
     "draw the progress, and the robot before and after: .png,\n"
     ".svg or .pdf",
     false},
    {"write", "FILE", "write the best robot", false},
    {"quiet", NULL, "no progress bar", false},
    {0},
};

const verb verb_optimise = {
    .name = "optimise",
    .summary = "find the best design or inputs",
    .arguments = "STUDY",
    .about =
        "Varies the parameters of a study within their ranges so as to minimise (or maximise)\n"
        "an expression of its results, while other expressions keep their bounds. Parameters\n"
        "are values of the robot file, inputs, or values of inputs at knots over time. Lists\n"
        "of values are tried in all combinations. Prints parameters, results, which bounds\n"
        "are active, and what each bound costs.",
    .options = options,
    .examples =
        "  tendril optimise studies/light-beam.yaml\n"
        "  tendril optimise studies/swing.yaml --picture swing.png --write swing-best.yaml\n",
    .run = run,
};
