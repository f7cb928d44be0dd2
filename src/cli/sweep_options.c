// cli/sweep_options.c - a study made of options: the text of a study file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweeping.h"
#include "cli/terminal.h"
#include "robot/units.h"

// In quotes that YAML takes literally.
static void put_quoted(FILE *out, const char *text, size_t length) {
    fputc('\'', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') fputc('\'', out);
        fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
    fputc('\'', out);
}

// "100..400 GPa": a unit after the second number is that of both.
static bool put_range(FILE *out, const char *text, const char *dots) {
    char first[128], why[UNITS_TEXT];
    const char *unit = "", *none = "";
    double number;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (!number_parse(first, &number, &none, why) || !number_parse(dots + 2, &number, &unit, why))
        return print_error("--vary", "%s: %s", text, why);
    char low[200];
    const bool bare = !none[strspn(none, " ")] && unit[0];
    snprintf(low, sizeof low, "%.120s%s%.60s", first, bare ? " " : "", bare ? unit : "");
    fputs("range: [", out);
    put_quoted(out, low, strlen(low));
    fputs(", ", out);
    put_quoted(out, dots + 2, strlen(dots + 2));
    fputs("]", out);
    return true;
}

// "4,5,6 mm": the same, of the last; words are choices.
static void put_list(FILE *out, const char *text) {
    char why[UNITS_TEXT], item[200];
    const char *last = strrchr(text, ','), *unit = "", *rest;
    double number;
    quantity q;
    snprintf(item, sizeof item, "%.*s", (int)strcspn(text, ","), text);
    const bool words = !quantity_parse(item, &q, why);
    if (!words && last && !number_parse(last + 1, &number, &unit, why)) unit = "";
    fputs(words ? "choices: [" : "values: [", out);
    for (const char *at = text;; at++) {
        const size_t n = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)n, at);
        const bool bare = !words && unit[0] && number_parse(item, &number, &rest, why) && !rest[0];
        snprintf(item, sizeof item, "%.*s%s%.60s", (int)n, at, bare ? " " : "", bare ? unit : "");
        put_quoted(out, item, strlen(item));
        at += n;
        if (!*at) break;
        fputs(", ", out);
    }
    fputs("]", out);
}

static bool put_parameter(FILE *out, const char *text, int count) {
    const char *sign = strchr(text, '='), *dots = sign ? strstr(sign, "..") : NULL;
    const bool input = !strncmp(text, "input.", 6);
    if (!sign || sign == text || !sign[1])
        return print_error("--vary", "'%s' is not PATH=LOW..HIGH or PATH=A,B,C", text);
    fputs("  ", out);
    put_quoted(out, text, (size_t)(sign - text));
    fprintf(out, ": {%s: ", input ? "input" : "path");
    put_quoted(out, text + (input ? 6 : 0), (size_t)(sign - text) - (input ? 6 : 0));
    fputs(", ", out);
    if (dots && !put_range(out, sign + 1, dots)) return false;
    if (!dots) put_list(out, sign + 1);
    if (count > 0 && dots) fprintf(out, ", count: %d", count);
    fputs("}\n", out);
    return true;
}

static bool put_all(FILE *out, const args *a) {
    const char *samples = args_value(a, "samples"), *action = args_value(a, "action");
    const char *colon = samples ? strchr(samples, ':') : NULL;
    const int count = colon ? atoi(colon + 1) : 0;
    const size_t method = samples ? strcspn(samples, ":") : 0;
    const bool grid = method == 4 && !strncmp(samples, "grid", 4);
    if (args_count(a, "vary") == 0)
        return print_error("--vary", "is missing: %s is a robot file; what varies?", a->files[0]);
    if (args_count(a, "result") == 0)
        return print_error("--result", "is missing: what is kept of each case?");
    if (colon && count < 1)
        return print_error("--samples", "'%s' must be METHOD or METHOD:N", samples);
    fputs("study: 1\nrobot: ", out);
    put_quoted(out, a->files[0], strlen(a->files[0]));
    if (action) fputs("\naction: ", out), put_quoted(out, action, strlen(action));
    if (samples) {
        fputs("\nsamples: {method: ", out);
        put_quoted(out, samples, method);
        if (count > 0 && !grid) fprintf(out, ", count: %d", count);
        fputs("}", out);
    }
    fputs("\nparameters:\n", out);
    for (int i = 0; i < args_count(a, "vary"); i++)
        if (!put_parameter(out, args_nth(a, "vary", i), grid ? count : 0)) return false;
    fputs("results:\n", out);
    for (int i = 0; i < args_count(a, "result"); i++) {
        const char *result = args_nth(a, "result", i);
        fputs("  ", out);
        put_quoted(out, result, strlen(result));
        fputs(": ", out);
        put_quoted(out, result, strlen(result));
        fputs("\n", out);
    }
    return true;
}

char *study_of_options(const args *a) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return print_error("tendril", "out of memory"), NULL;
    const bool ok = put_all(out, a);
    if (fclose(out) == 0 && ok) return text;
    free(text);
    return NULL;
}
