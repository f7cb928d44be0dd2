// tendril compare: the same robot and scenario under several models.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "io/result.h"
#include "robot/suggest.h"

enum { MOST_TRIALS = 24 };

// ---------------------------------------------------------------- which models
static bool known_model(const char *name) {
    for (int i = 0; i < td_n_models(); i++) {
        if (!strcmp(name, td_model_name(i))) return true;
    }
    return false;
}

static bool refuse_model(const char *place, const char *name) {
    char hint[HINT_SIZE];
    suggestion near = suggest_for(name);
    for (int i = 0; i < td_n_models(); i++) suggest(&near, td_model_name(i));
    return print_error(place, "'%s' is not a model%s", name,
                       hint_text(&near, "; tendril models lists them", hint));
}

// Options of one trial change how the robot is computed; what all of them do is the file's.
static bool refuse_choice(const char *place, const trial *t) {
    static const char *const shared[] = {"model", "time.step", "time.end"};
    const char *choice = strchr(t->label, '/');
    if (!choice) return false;
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        size_t n = strlen(shared[i]);
        if (strncmp(choice + 1, shared[i], n) || choice[n + 1] != '=') continue;
        print_error(place, "%s: simulation.%s is the same for all models; %s", t->label, shared[i],
                    i ? "--set changes it for all" : "the model stands before the '/'");
        return true;
    }
    return false;
}

static int find_trial(const trials *all, const char *label) {
    for (int i = 0; i < all->n; i++) {
        if (!strcmp(all->list[i].label, label)) return i;
    }
    return -1;
}

// "eba" or "eba/lumped.segments=20"
static bool add_trial(trials *all, const char *place, const char *label) {
    const size_t length = strlen(label);
    trial *t = &all->list[all->n];
    if (all->n == MOST_TRIALS)
        return print_error(place, "there are more than %d models", MOST_TRIALS);
    if (length == 0 || length >= sizeof t->label)
        return print_error(place, "'%.*s': a name of 1 to %zu letters is expected",
                           (int)(length > 40 ? 40 : length), label, sizeof t->label - 1);
    *t = (trial){0};
    memcpy(t->label, label, length);
    size_t name = strcspn(t->label, "/");
    snprintf(t->model, sizeof t->model, "%.*s", (int)name, t->label);
    if (!known_model(t->model)) return refuse_model(place, t->model);
    if (refuse_choice(place, t)) return false;
    if (find_trial(all, t->label) >= 0) return print_error(place, "%s is given twice", t->label);
    all->n++;
    return true;
}

static bool add_listed(trials *all, const char *list) {
    char label[160];
    while (list_next(&list, label, sizeof label))
        if (!add_trial(all, "--models", label)) return false;
    return true;
}

static bool add_every(trials *all) {
    for (int i = 0; i < td_n_models(); i++) {
        const char *name = td_model_name(i);
        if (!add_trial(all, "--models", name)) return false;
    }
    return true;
}

static bool choose_models(trials *all) {
    const char *list = args_value(all->args, "models");
    const char *reference = args_value(all->args, "reference");
    if (list ? !add_listed(all, list) : !add_every(all)) return false;
    int at = find_trial(all, reference ? reference : "cosserat");
    if (at < 0 && reference) {
        if (!add_trial(all, "--reference", reference)) return false;
        at = all->n - 1;
    }
    all->reference = at < 0 ? 0 : at;
    return true;
}

// ---------------------------------------------------------------- the run
static bool choose_folder(trials *all, char *folder, size_t size) {
    const char *out = args_value(all->args, "out"), *slash = strrchr(all->file, '/');
    const char *name = slash ? slash + 1 : all->file;
    int length = (int)strcspn(name, ".");
    td_error err = {0};
    int n = out ? snprintf(folder, size, "%s", out)
                : snprintf(folder, size, "results/%.*s-compared", length, name);
    if (n < 0 || (size_t)n >= size)
        return print_error("--out", "the path is longer than %zu bytes", size - 1);
    all->folder = folder;
    if (make_folders(folder, &err) == TD_OK) return true;
    report_error(NULL, &err);
    return false;
}

typedef struct counted {
    progress *bar;
    int done, n;
} counted;

static bool show_share(void *context, double share) {
    counted *c = context;
    progress_update(c->bar, (c->done + share) / c->n);
    return !stop_asked();
}

// The reference first: the others are of no use without it. Where none is asked for, the next model that
// can takes its place.
static int run_reference(trials *all, counted *c) {
    bool asked = args_has(all->args, "reference");
    for (int next = 0;; next++) {
        const trial *t = &all->list[all->reference];
        int code = trial_run(all, all->reference, show_share, c);
        if (code != EXIT_FINE || t->n_records) return code;
        while (next < all->n && all->list[next].message[0]) next++;
        if (asked || next == all->n) {
            progress_end(c->bar);
            return exit_error(EXIT_FAILED, all->file, "the reference %s %s: %s%s", t->label,
                              t->possible ? "failed" : "cannot represent the robot", t->message,
                              asked ? "; give another --reference" : "");
        }
        all->reference = next;
    }
}

static int run_all(trials *all, progress *bar) {
    counted c = {bar, 0, all->n};
    int code = run_reference(all, &c);
    for (int i = 0; i < all->n && code == EXIT_FINE; i++) {
        c.done++;
        if (i != all->reference && !all->list[i].message[0])
            code = trial_run(all, i, show_share, &c);
    }
    return code;
}

static int exit_code(const trials *all) {
    for (int i = 0; i < all->n; i++) {
        if (all->list[i].possible && !all->list[i].finished) return EXIT_FAILED;
    }
    return EXIT_FINE;
}

static int report(const trials *all) {
    char figure[640];
    snprintf(figure, sizeof figure, "%s/compare.png", all->folder);
    bool written = trials_write_tables(all);
    bool tables_only = args_has(all->args, "no-figure");
    bool drawn = written && (tables_only || trials_draw(all, figure));
    if (args_has(all->args, "json")) {
        trials_put_json(all);
    } else {
        trials_print(all);
        if (written)
            printf("  tables%s in %s\n", tables_only || !drawn ? "" : " and figure", all->folder);
    }
    return written && drawn ? exit_code(all) : EXIT_FAILED;
}

static int compare_models(trials *all) {
    char folder[512];
    if (!args_seconds(all->args, "time", &all->at)) return EXIT_INPUT;
    all->statics = args_has(all->args, "statics") || args_has(all->args, "time");
    if (!choose_models(all) || !choose_folder(all, folder, sizeof folder)) return EXIT_INPUT;
    catch_stop(true);  // the first ends it after the record at hand
    progress bar = progress_begin_share(args_has(all->args, "json"));
    int code = run_all(all, &bar);
    progress_end(&bar);
    if (stop_asked() && code == EXIT_FAILED)
        print_error(all->file, "stopped; no tables were written");
    if (code != EXIT_FINE) return code;
    trials_judge(all);
    return report(all);
}

static int run(const args *a) {
    trials all = {.file = a->files[0], .args = a};
    all.list = calloc(MOST_TRIALS, sizeof *all.list);
    int code = EXIT_FAILED;
    if (all.list) {
        code = compare_models(&all);
    } else {
        print_error(all.file, "out of memory");
    }
    for (int i = 0; i < all.n; i++) {
        free(all.list[i].points);
        free(all.list[i].tip_error);
        free(all.list[i].shape_error);
    }
    free(all.time);
    free(all.list);
    return code;
}

static const option options[] = {
    {"models", "A,B,C",
     "models to compare; A/PATH=VALUE sets an option of\n"
     "`simulation`: eba/lumped.segments=20. Default: all",
     false},
    {"reference", "NAME",
     "model that the others are compared with; default:\n"
     "cosserat, or the first that can represent the robot",
     false},
    {"set", "PATH=VALUE", "override a value of the file; may be given several times", true},
    {"statics", NULL, "compare equilibria, with the inputs as a run starts", false},
    {"time", "T", "compare equilibria, with the inputs at this time", false},
    {"out", "DIR",
     "folder for tables and figure; default: results/<name of\n"
     "FILE>-compared",
     false},
    {"no-figure", NULL, "tables only", false},
    {"json", NULL, "print as JSON", false},
    {0},
};

const verb verb_compare = {
    .name = "compare",
    .summary = "compare models on one robot: errors, cost, picture",
    .arguments = "FILE",
    .about = "Runs the file under each model. Prints the distances of tips and shapes from the\n"
             "reference, the processor time of a simulated second, and the drift of the energy. A\n"
             "model that cannot represent the robot is left out, with the reason. Writes\n"
             "compare.csv, errors.csv (over time), shapes.csv and compare.png. A model that fails\n"
             "during the run is compared up to there, and the exit code is 1.",
    .options = options,
    .examples = "  tendril compare arm.yaml\n"
                "  tendril compare arm.yaml --models cosserat,eba,eba/lumped.segments=20\n"
                "  tendril compare arm.yaml --statics --reference cosserat/space.nodes=20\n",
    .run = run,
};
