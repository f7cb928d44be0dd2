// tendril sweep: many cases of a study, on all cores and machines.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ranks.h"
#include "cli/session.h"
#include "cli/sweeping.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/result.h"

enum { MOST_THREADS = 256, MOST_PARTS = 1000000 };
#define PATIENCE 30.0  // s

// ---------------------------------------------------------------- the table
int sweeping_n_columns(const sweeping *s) {
    return td_study_n_parameters(s->study) + td_study_n_results(s->study);
}

td_study_column sweeping_column(const sweeping *s, int i) {
    const int n = td_study_n_parameters(s->study);
    return i < n ? td_study_parameter(s->study, i) : td_study_result(s->study, i - n);
}

double sweeping_value(const sweeping *s, long long row, int column) {
    double values[256];
    const int n = td_study_n_parameters(s->study);
    if (column >= n)
        return s->table.results[(size_t)row * (size_t)s->table.n_results + (size_t)(column - n)];
    td_study_get_case(s->study, row, values);
    return values[column];
}

int sweeping_find(const sweeping *s, const char *name) {
    for (int i = 0; i < sweeping_n_columns(s); i++)
        if (!strcmp(sweeping_column(s, i).name, name)) return i;
    return -1;
}

long long sweeping_n_failed(const sweeping *s) {
    long long n = 0;
    for (long long i = 0; i < s->table.n_cases; i++)
        n += s->table.status[i] < 0 && s->table.status[i] != SWEEP_UNKNOWN;
    return n;
}

// ---------------------------------------------------------------- what is asked
// "3/16", or what Slurm says of this task of an array.
static bool read_part(const args *a, int *part, int *parts) {
    const char *text = args_value(a, "part");
    char end;
    *part = *parts = 1;
    if (!text) return true;
    if (!strcmp(text, "slurm")) {
        const char *id = getenv("SLURM_ARRAY_TASK_ID"), *first = getenv("SLURM_ARRAY_TASK_MIN");
        const char *count = getenv("SLURM_ARRAY_TASK_COUNT");
        if (!id || !count)
            return print_error("--part",
                               "slurm: this is no task of an array: SLURM_ARRAY_TASK_ID and "
                               "SLURM_ARRAY_TASK_COUNT are not set");
        *part = atoi(id) - (first ? atoi(first) : 1) + 1, *parts = atoi(count);
    } else if (sscanf(text, "%d/%d%c", part, parts, &end) != 2) {
        return print_error("--part", "'%s' must be like 3/16, or slurm", text);
    }
    if (*parts >= 1 && *parts <= MOST_PARTS && *part >= 1 && *part <= *parts) return true;
    return print_error("--part", "%d/%d: the part must be from 1 to the number of parts", *part,
                       *parts);
}

// Cores are shared among the ranks of a machine.
static int usual_workers(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN) / ranks_on_this_machine();
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
}

static bool read_options(sweeping *s) {
    const args *a = s->args;
    dealing *d = &s->d;
    d->workers = usual_workers();
    d->patience = PATIENCE;
    d->quiet = args_has(a, "quiet") || args_has(a, "json");
    return read_part(a, &d->part, &d->parts) &&
           args_integer(a, "threads", 1, MOST_THREADS, &d->workers) &&
           args_seconds(a, "patience", &d->patience);
}

// "studies/arm.yaml" -> "results/arm"
static int choose_folder(sweeping *s) {
    const char *out = args_value(s->args, "out"), *slash = strrchr(s->file, '/');
    const char *name = slash ? slash + 1 : s->file, *dot = strrchr(name, '.');
    const int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    int n = out ? snprintf(s->folder, sizeof s->folder, "%s", out)
                : snprintf(s->folder, sizeof s->folder, "results/%.*s", length, name);
    if (n < 1 || (size_t)n >= sizeof s->folder)
        return exit_error(EXIT_INPUT, "--out", "the path is empty or longer than %zu bytes",
                          sizeof s->folder - 1);
    while (n > 1 && s->folder[n - 1] == '/') s->folder[--n] = '\0';
    snprintf(s->table_path, sizeof s->table_path, "%s/" SWEEP_FILE, s->folder);
    return EXIT_FINE;
}

static bool is_robot_file(const char *path) {
    char line[256];
    bool robot = false;
    FILE *in = fopen(path, "r");
    while (in && !robot && fgets(line, sizeof line, in)) robot = !strncmp(line, "tendril:", 8);
    if (in) fclose(in);
    return robot;
}

static int load_study(sweeping *s) {
    const args *a = s->args;
    td_error err = {0};
    const int n = args_count(a, "set");
    const char **sets = malloc(sizeof *sets * (size_t)(n + 1));
    char model[96], *text = NULL;
    int count = n;
    if (!sets) return exit_error(EXIT_FAILED, s->file, "out of memory");
    for (int i = 0; i < n; i++) sets[i] = args_nth(a, "set", i);
    if (args_has(a, "model")) {
        snprintf(model, sizeof model, "simulation.model=%s", args_value(a, "model"));
        sets[count++] = model;
    }
    if (is_robot_file(s->file)) {
        text = study_of_options(a);
        if (text) s->study = td_study_parse(text, strlen(text), NULL, sets, count, &err);
        if (!text) return free(sets), EXIT_INPUT;
    } else if (args_has(a, "vary") || args_has(a, "result")) {
        print_error("--vary", "%s is a study, which says itself what varies", s->file);
        return free(sets), EXIT_INPUT;
    } else {
        s->study = td_study_load(s->file, sets, count, &err);
    }
    free(sets);
    free(text);
    if (s->study) return EXIT_FINE;
    return exit_reported(err.status == TD_ERR_MEMORY ? EXIT_FAILED : EXIT_INPUT, s->file, &err);
}

// ---------------------------------------------------------------- the folder
static int no_memory(const sweeping *s) {
    return exit_error(EXIT_FAILED, s->file, "out of memory for %lld cases",
                      td_study_n_cases(s->study));
}

// What is there already: the table, or rows in journals.
static int read_rows(sweeping *s) {
    td_error err = {0};
    if (!sweep_table_create(&s->table, s->study)) return no_memory(s);
    if (args_has(s->args, "anew")) return journals_remove(s->folder), EXIT_FINE;
    if (sweep_read(s->table_path, s->study, &s->table, &err) == TD_OK) {
        s->finished = true;
        journals_remove(s->folder);  // of one that was killed just then
        return EXIT_FINE;
    }
    if (s->table.n_done > 0) {  // a table that is damaged half way
        sweep_table_free(&s->table);
        if (!sweep_table_create(&s->table, s->study)) return no_memory(s);
    }
    if (journals_read(s->folder, s->study, &s->table, &err) < 0)
        return exit_reported(err.status == TD_ERR_VALUE ? EXIT_INPUT : EXIT_FAILED, NULL, &err);
    return EXIT_FINE;
}

static int open_journal(sweeping *s) {
    td_error err = {0};
    char name[64];
    snprintf(name, sizeof name, "part-%d-of-%d", s->d.part, s->d.parts);
    if (journal_open(&s->journal, s->folder, name, s->study, &err) == TD_OK) return EXIT_FINE;
    return exit_reported(err.status == TD_ERR_VALUE ? EXIT_INPUT : EXIT_FAILED, NULL, &err);
}

// A table of something else is replaced only where this program wrote it.
static int check_folder(const sweeping *s) {
    td_error err = {0};
    if (make_folders(s->folder, &err) < 0) return exit_reported(EXIT_INPUT, NULL, &err);
    if (access(s->table_path, F_OK) != 0 || is_own_file(s->table_path)) return EXIT_FINE;
    return exit_error(EXIT_INPUT, s->table_path,
                      "this program did not write the file, or it is damaged, so it is left alone; "
                      "move it away or give another --out");
}

// Of the rank that deals, before it does.
static int prepare(void *context) {
    sweeping *s = context;
    int code = check_folder(s);
    if (code == EXIT_FINE) code = read_rows(s);
    s->d.table = &s->table;
    s->d.journal = &s->journal;
    if (code == EXIT_FINE && !s->finished) code = open_journal(s);
    if (code == EXIT_FINE && s->table.n_done > 0 && !s->d.quiet)
        print_note(s->folder, "%lld of %lld cases are there%s", s->table.n_done, s->table.n_cases,
                   s->finished ? "; nothing is left to do" : ": it goes on");
    return code;
}

static int finish_table(sweeping *s) {
    td_error err = {0};
    if (sweep_write(s->table_path, s->study, &s->table, &err) < 0)
        return exit_reported(EXIT_FAILED, NULL, &err);
    journal_close(&s->journal);
    journals_remove(s->folder);
    return EXIT_FINE;
}

// ---------------------------------------------------------------- the verb
static int tell(sweeping *s) {
    const char *csv = args_value(s->args, "csv"), *picture = args_value(s->args, "picture");
    td_error err = {0};
    int code = EXIT_FINE;
    if (args_has(s->args, "json")) sweeping_print_json(s);
    else if (!args_has(s->args, "quiet")) sweeping_print(s);
    if (csv && sweep_write_csv(csv, s->study, &s->table, &err) < 0)
        return exit_reported(EXIT_FAILED, NULL, &err);
    if (picture) code = sweeping_draw(s, picture);
    return code;
}

static int merge(sweeping *s) {
    int code = check_folder(s);
    if (code == EXIT_FINE) code = read_rows(s);
    if (code != EXIT_FINE) return code;
    const long long left = s->table.n_cases - s->table.n_done;
    if (left > 0)
        return exit_error(EXIT_FAILED, s->folder,
                          "%lld of %lld cases are missing: a part has not been run to its end",
                          left, s->table.n_cases);
    if (!s->finished) code = finish_table(s);
    return code == EXIT_FINE ? tell(s) : code;
}

static int conclude(sweeping *s) {
    if (s->d.stopped && s->table.n_done < s->table.n_cases) {
        print_note(s->folder, "stopped: %lld of %lld cases are kept, and the same command goes on",
                   s->table.n_done, s->table.n_cases);
        return EXIT_FAILED;
    }
    if (s->d.parts > 1) {
        if (!s->d.quiet)
            print_note(s->folder, "part %d of %d is done; when all are: tendril sweep %s --merge",
                       s->d.part, s->d.parts, s->file);
        return EXIT_FINE;
    }
    const int written = s->finished ? EXIT_FINE : finish_table(s);
    return written == EXIT_FINE ? tell(s) : written;
}

static int go(sweeping *s) {
    int code = EXIT_FINE;
    if (!read_options(s)) return EXIT_INPUT;
    code = choose_folder(s);
    if (code == EXIT_FINE) code = load_study(s);
    if (code != EXIT_FINE) return code;
    if (args_has(s->args, "merge")) return merge(s);
    s->d.study = s->study;
    code = deal(&s->d, prepare, s);
    if (code == EXIT_FINE && s->d.rank == 0) code = conclude(s);
    return deal_end(&s->d, code);
}

static int run(const args *a) {
    sweeping s = {.args = a, .file = a->files[0], .journal = {.file = -1}};
    const int code = go(&s);
    journal_close(&s.journal);
    sweep_table_free(&s.table);
    td_study_destroy(s.study);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"out", "DIR", "folder for the table; default: results/<name of FILE>", false},
    {"anew", NULL, "discard rows of another study in that folder", false},
    {"threads", "N", "number of processes; default: one for each core", false},
    {"part", "PART",
     "K/N, e.g. 3/16: only every N-th block, from the K-th on;\n"
     "slurm: as given by the Slurm array task",
     false},
    {"merge", NULL, "make the table from all parts", false},
    {"patience", "T",
     "under mpirun: give up a rank that is silent for this long;\n"
     "default: 30 s",
     false},
    {"csv", "FILE", "also write the table as CSV", false},
    {"picture", "FILE",
     "draw sensitivity indices, maps of a grid of two\n"
     "parameters, or histograms: .png, .svg or .pdf",
     false},
    {"map", "COLUMNS",
     "draw the cases over two columns instead, coloured by a\n"
     "third, e.g. a workspace",
     true},
    {"json", NULL, "print the summary as JSON", false},
    {"quiet", NULL, "no progress bar and no summary", false},
    {"vary", "PATH=RANGE",
     "with a robot file: a value to vary, LOW..HIGH or A,B,C,\n"
     "e.g. rods.arm.length=0.2..0.3; an input: input.pull='0..5\n"
     "N'",
     true},
    {"result", "EXPRESSION",
     "with a robot file: a result to keep of each case, e.g.\n"
     "tip.x",
     true},
    {"samples", "METHOD",
     "with a robot file: grid (11 values each; or grid:5),\n"
     "random, latin, sobol, saltelli; default: sobol:1000",
     false},
    {"action", "WORD", "with a robot file: statics (default), run or modes", false},
    {0},
};

const verb verb_sweep = {
    .name = "sweep",
    .summary = "compute many cases: grids, samples, tolerances; in parallel",
    .arguments = "FILE",
    .about =
        "Computes all cases of a study (docs/studies.md), or of a robot file with --vary and\n"
        "--result. Writes one table, sweep.h5, with a row for each case: parameters, results,\n"
        "status and, if it failed, the reason. Each row is written to disk when it is\n"
        "computed. After Ctrl-C, a crash or a power cut the same command continues. The table\n"
        "has the same bytes however it was computed: at once or interrupted, on one core or\n"
        "many, under mpirun, or in parts on several machines.",
    .options = options,
    .examples =
        "  tendril sweep studies/arm-workspace.yaml --picture workspace.png --map x,z,y\n"
        "  tendril sweep two-segment-arm.yaml --vary input.a1='0..9 N' --vary input.b2='0..4 "
        "N' --result rod.backbone.tip.x --samples grid:5 --out grid\n"
        "  mpirun -n 4 tendril sweep studies/arm-workspace.yaml\n"
        "  tendril sweep studies/arm-workspace.yaml --part 1/2 --out parts\n"
        "  tendril sweep studies/arm-workspace.yaml --part 2/2 --out parts\n"
        "  tendril sweep studies/arm-workspace.yaml --merge --out parts\n",
    .run = run,
};
