// cli/help.c - see help.h.
#include "cli/help.h"

void print_program_help(FILE *out, const verb *const *verbs, int n) {
    fputs("tendril: mechanics of continuum and soft robots\n\n"
          "usage: tendril VERB [arguments]\n\nverbs:\n",
          out);
    for (int i = 0; i < n; i++) fprintf(out, "  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\n"
          "tendril VERB --help describes one verb, with its options and examples.\n"
          "tendril --version prints the version.\n"
          "\n"
          "exit codes: 0 success, 1 the computation failed or was stopped, 2 the input is wrong\n",
          out);
}

static void print_option(FILE *out, const char *name, const char *value, const char *help) {
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", name, value ? " " : "", value ? value : "");
    fprintf(out, "  %-22s ", left);
    for (const char *c = help; *c; c++) {  // lines after the first are set under it
        fputc(*c, out);
        if (*c == '\n') fprintf(out, "%25s", "");
    }
    fputc('\n', out);
}

void print_verb_help(FILE *out, const verb *v) {
    fprintf(out, "tendril %s: %s\n\nusage: tendril %s%s%s [options]\n", v->name, v->summary,
            v->name, v->arguments ? " " : "", v->arguments ? v->arguments : "");
    if (v->about) fprintf(out, "\n%s\n", v->about);
    fputs("\noptions:\n", out);
    for (const option *o = v->options; o->name; o++) print_option(out, o->name, o->value, o->help);
    print_option(out, "help", NULL, "this text");
    fprintf(out, "\nexamples:\n%s", v->examples);
}
