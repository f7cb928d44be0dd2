// tendril paper: reproduce the tables and figures of a source paper.
#include "cli/paper.h"

#include <string.h>

#include "cli/terminal.h"
#include "cli/verbs.h"
#include "papers/liu2020/liu2020.h"
#include "papers/orekhov2020/orekhov2020.h"
#include "papers/rone2014/rone2014.h"
#include "papers/sadati2019/sadati2019.h"
#include "papers/till2019/till2019.h"
#include "robot/suggest.h"

// Every paper: one line here, one folder in papers/.
static const paper *const papers[] = {&paper_till2019, &paper_orekhov2020, &paper_rone2014,
                                      &paper_liu2020, &paper_sadati2019};
enum { N_PAPERS = sizeof papers / sizeof papers[0] };

// Options that pick items, and the words that begin the labels they pick.
static const char *const pickers[] = {"table", "figure", "section", "appendix"};
enum { N_PICKERS = sizeof pickers / sizeof pickers[0] };

// ---------------------------------------------------------------- the list
static void put_items(json *j, const paper *p) {
    json_open_array(j, "items");
    for (const paper_item *item = p->items; item->run; item++) {
        json_begin_object(j);
        json_open_array(j, "labels");
        for (int k = 0; k < MOST_LABELS && item->labels[k]; k++) json_string(j, item->labels[k]);
        json_end_array(j);
        json_put_string(j, "title", item->title);
        json_end_object(j);
    }
    json_end_array(j);
}

static void list_json(void) {
    json j = json_start(stdout);
    json_begin_array(&j);
    for (int i = 0; i < N_PAPERS; i++) {
        json_begin_object(&j);
        json_put_string(&j, "paper", papers[i]->name);
        json_put_string(&j, "authors", papers[i]->authors);
        json_put_string(&j, "title", papers[i]->title);
        json_put_string(&j, "source", papers[i]->source);
        json_put_string(&j, "doi", papers[i]->doi);
        put_items(&j, papers[i]);
        json_end_object(&j);
    }
    json_end_array(&j);
}

static void print_citation(const paper *p) {
    printf("%s: %s,\n  %s,\n  %s%s%s\n", p->name, p->authors, p->title, p->source,
           p->doi[0] ? ", doi:" : "", p->doi);
}

static void list(void) {
    for (int i = 0; i < N_PAPERS; i++) {
        print_citation(papers[i]);
        for (const paper_item *item = papers[i]->items; item->run; item++) {
            char labels[128];
            labels_of(item, false, labels, sizeof labels);
            printf("    %-48s %s\n", labels, item->title);
        }
    }
    puts("\ntendril paper NAME computes them all; tendril paper --help tells how to pick.");
}

// ---------------------------------------------------------------- what was asked for
static const paper *find_paper(const char *name) {
    suggestion s = suggest_for(name);
    for (int i = 0; i < N_PAPERS; i++) {
        if (!strcmp(papers[i]->name, name)) return papers[i];
        suggest(&s, papers[i]->name);
    }
    char hint[HINT_SIZE];
    print_error(name, "no such paper%s", hint_text(&s, "; tendril paper lists them", hint));
    return NULL;
}

static bool has_label(const paper_item *item, const char *label) {
    for (int k = 0; k < MOST_LABELS && item->labels[k]; k++) {
        if (!strcmp(item->labels[k], label)) return true;
    }
    return false;
}

// Does an item before this one have the label too?
static bool came_before(const paper *p, const paper_item *item, const char *label) {
    for (const paper_item *other = p->items; other < item; other++)
        if (has_label(other, label)) return true;
    return false;
}

// "2, 3, 5": what follows `word` in the labels of a paper.
static void known_labels(const paper *p, const char *word, char *text, size_t size) {
    size_t length = strlen(word);
    text[0] = '\0';
    for (const paper_item *item = p->items; item->run; item++) {
        for (int k = 0; k < MOST_LABELS && item->labels[k]; k++) {
            if (strncmp(item->labels[k], word, length) != 0) continue;
            if (came_before(p, item, item->labels[k])) continue;
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                     item->labels[k] + length + 1);
        }
    }
}

static bool check_label(const paper *p, const char *word, const char *which) {
    char label[64], known[128], where[32];
    snprintf(label, sizeof label, "%s %s", word, which);
    for (const paper_item *item = p->items; item->run; item++) {
        if (has_label(item, label)) return true;
    }
    known_labels(p, word, known, sizeof known);
    snprintf(where, sizeof where, "--%s", word);
    return print_error(where, "'%s' is not one that %s reproduces%s%s", which, p->name,
                       known[0] ? "; there are: " : "; it has none", known);
}

static bool check_labels(const args *a, const paper *p) {
    for (int i = 0; i < N_PICKERS; i++) {
        for (int n = 0; n < args_count(a, pickers[i]); n++) {
            if (!check_label(p, pickers[i], args_nth(a, pickers[i], n))) return false;
        }
    }
    return true;
}

// Without a picking option everything is asked for.
static bool is_asked(const args *a, const paper_item *item) {
    bool any = false;
    for (int i = 0; i < N_PICKERS; i++) {
        for (int n = 0; n < args_count(a, pickers[i]); n++) {
            char label[64];
            snprintf(label, sizeof label, "%s %s", pickers[i], args_nth(a, pickers[i], n));
            if (has_label(item, label)) return true;
            any = true;
        }
    }
    return !any;
}

// ---------------------------------------------------------------- the verb
static int reproduce(const args *a, const paper *p) {
    char folder[256];
    snprintf(folder, sizeof folder, "results/papers/%s", p->name);
    const char *out = args_value(a, "out");
    paper_report r = {.paper = p->name,
                      .folder = out ? out : folder,
                      .data = args_value(a, "data"),
                      .as_json = args_has(a, "json"),
                      .effort = args_has(a, "quick")  ? PAPER_QUICK
                                : args_has(a, "full") ? PAPER_FULL
                                                      : PAPER_DEFAULT};
    if (!report_begin(&r)) return EXIT_INPUT;
    if (!r.as_json) print_citation(p);
    for (const paper_item *item = p->items; item->run; item++) {
        if (!is_asked(a, item)) continue;
        report_heading(&r, item);
        item->run(&r);
    }
    bool fine = report_end(&r);
    if (!r.as_json) printf("\ntables and figures: %s\n", r.folder);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

static int run(const args *a) {
    if (a->n_files == 0) {
        if (args_has(a, "json")) {
            list_json();
        } else {
            list();
        }
        return EXIT_FINE;
    }
    if (args_has(a, "quick") && args_has(a, "full"))
        return exit_error(EXIT_INPUT, "--quick", "cannot be combined with --full");
    const paper *p = find_paper(a->files[0]);
    if (!p || !check_labels(a, p)) return EXIT_INPUT;
    if (args_has(a, "data") && !p->has_recordings)
        return exit_error(EXIT_INPUT, "--data", "%s has no recordings to compare with", p->name);
    return reproduce(a, p);
}

static const option options[] = {
    {"table", "N",
     "only this table; may be given several times, like the next\n"
     "three options",
     true},
    {"figure", "N", "only this figure", true},
    {"section", "N", "only this section", true},
    {"appendix", "X", "only this appendix", true},
    {"quick", NULL, "a few rows and short runs: seconds", false},
    {"full", NULL,
     "finer sweeps, and the smallest stable step to 2 %: takes\n"
     "many minutes",
     false},
    {"data", "DIR", "folder with the paper's recordings, if any: sadati2019", false},
    {"out", "DIR", "folder for tables and figures; default: results/papers/NAME", false},
    {"json", NULL, "print every quantity as JSON", false},
    {0}};

const verb verb_paper = {
    .name = "paper",
    .summary = "reproduce the tables and figures of a source paper",
    .arguments = "[NAME]",
    .about =
        "Without NAME: lists the papers and their reproducible tables and figures.\n"
        "With NAME: computes them, and prints the published value, the computed value and the\n"
        "difference. papers/NAME/errata.md lists errors in print.",
    .options = options,
    .examples = "  tendril paper\n"
                "  tendril paper till2019 --quick\n"
                "  tendril paper till2019 --table 3 --figure 2\n"
                "  tendril paper till2019 --full --out till2019\n"
                "  tendril paper sadati2019 --data recordings\n",
    .run = run,
};
