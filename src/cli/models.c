// tendril models: which model supports what.
#include <stdio.h>
#include <string.h>

#include "cli/verbs.h"
#include "io/json.h"
#include "tendril/tendril.h"

static void put_model(json *j, const void *unused, int i) {
    (void)unused;
    json_put_string(j, "name", td_model_name(i));
    json_put_string(j, "title", td_model_title(i));
    json_put_string(j, "reference", td_model_reference(i));
    json_open_object(j, "features");
    for (int f = 0; f < TD_N_FEATURES; f++)
        json_put_bool(j, td_feature_name((td_feature)f), td_model_supports(i, (td_feature)f));
    json_end_object(j);
}

static void print_json(void) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_list(&j, "models", td_n_models(), put_model, NULL);
    json_end_object(&j);
}

static int column_width(int model) {
    int n = (int)strlen(td_model_name(model));
    return n < 3 ? 3 : n;
}

static void print_matrix(void) {
    int first = 0;
    for (int f = 0; f < TD_N_FEATURES; f++) {
        int n = (int)strlen(td_feature_name((td_feature)f));
        first = n > first ? n : first;
    }
    printf("%-*s", first, "");
    for (int i = 0; i < td_n_models(); i++) printf("  %-*s", column_width(i), td_model_name(i));
    putchar('\n');
    for (int f = 0; f < TD_N_FEATURES; f++) {
        printf("%-*s", first, td_feature_name((td_feature)f));
        for (int i = 0; i < td_n_models(); i++)
            printf("  %-*s", column_width(i), td_model_supports(i, (td_feature)f) ? "yes" : "-");
        putchar('\n');
    }
    putchar('\n');
    for (int i = 0; i < td_n_models(); i++)
        printf("%s: %s (%s)\n", td_model_name(i), td_model_title(i), td_model_reference(i));
}

static int run(const args *a) {
    if (args_has(a, "json")) {
        print_json();
    } else {
        print_matrix();
    }
    return EXIT_FINE;
}

static const option options[] = {{"json", NULL, "print as JSON", false}, {0}};

const verb verb_models = {
    .name = "models",
    .summary = "list what each model supports",
    .options = options,
    .examples = "  tendril models\n  tendril models --json\n",
    .run = run,
};
