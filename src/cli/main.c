// The program `tendril`: picks the verb and hands over.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/drawing.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "robot/suggest.h"
#include "tendril/version.h"

#define VERB_ADDRESS(name) &verb_##name,
static const verb *const verbs[] = {VERBS(VERB_ADDRESS)};
enum { N_VERBS = sizeof verbs / sizeof verbs[0] };

static const verb *find_verb(const char *name) {
    for (int i = 0; i < N_VERBS; i++) {
        if (!strcmp(verbs[i]->name, name)) return verbs[i];
    }
    return NULL;
}

// What others call these things.
static const char *const synonyms[][2] = {
    {"simulate", "run"},        {"solve", "statics"},    {"equilibrium", "statics"},
    {"validate", "check"},      {"lint", "check"},       {"draw", "plot"},
    {"figure", "plot"},         {"show", "view"},        {"gui", "view"},
    {"movie", "animate"},       {"film", "animate"},     {"video", "animate"},
    {"fmu", "export"},          {"inverse", "reach"},    {"ik", "reach"},
    {"reproduce", "paper"},     {"list", "models"},      {"eigen", "modes"},
    {"frequencies", "modes"},   {"vibrations", "modes"}, {"bode", "response"},
    {"linearize", "linearise"},
};
enum { N_SYNONYMS = sizeof synonyms / sizeof synonyms[0] };

static const char *meant_verb(const char *name) {
    suggestion s = suggest_for(name), other = suggest_for(name);
    for (int i = 0; i < N_VERBS; i++) suggest(&s, verbs[i]->name);
    const char *best = s.best;
    for (int i = 0; i < N_SYNONYMS; i++) {
        suggest(&other, synonyms[i][0]);
        if (other.best == synonyms[i][0] && other.distance < s.distance) best = synonyms[i][1];
    }
    return best;
}

static int refuse_verb(const char *name) {
    const char *meant = meant_verb(name);
    if (meant) {
        print_error(name, "no such verb; did you mean %s?", meant);
    } else {
        print_error(name, "no such verb; tendril --help lists them");
    }
    return EXIT_INPUT;
}

static int run_verb(const verb *v, int argc, char **argv) {
    args a;
    int code = EXIT_INPUT;
    if (args_parse(&a, v, argc, argv)) {
        code = EXIT_FINE;
        if (a.help) {
            print_verb_help(stdout, v);
        } else {
            code = drawing_is_possible(&a) ? v->run(&a) : EXIT_INPUT;
        }
    }
    args_destroy(&a);
    return code;
}

// `tendril help`, `tendril help run`
static int help(int argc, char **argv) {
    if (argc == 0) {
        print_program_help(stdout, verbs, N_VERBS);
        return EXIT_FINE;
    }
    const verb *v = find_verb(argv[0]);
    if (!v) return refuse_verb(argv[0]);
    print_verb_help(stdout, v);
    return EXIT_FINE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_program_help(stderr, verbs, N_VERBS);
        return EXIT_INPUT;
    }
    const char *word = argv[1];
    if (!strcmp(word, "--version") || !strcmp(word, "version")) {
        printf("tendril %s\n", td_version());
        return EXIT_FINE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        return help(argc - 2, argv + 2);
    const verb *v = find_verb(word);
    return v ? run_verb(v, argc - 2, argv + 2) : refuse_verb(word);
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN);  // a file that grows too long is a write error, not the end
    int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        print_error("stdout", "cannot write");
        if (code == EXIT_FINE) code = EXIT_FAILED;
    }
    return code;
}
