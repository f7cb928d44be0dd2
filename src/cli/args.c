// cli/args.c - see args.h.
#include "cli/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "robot/suggest.h"
#include "robot/units.h"

// ---------------------------------------------------------------- parsing
static const option *find(const verb *v, const char *name, size_t length) {
    for (const option *o = v->options; o->name; o++) {
        if (strlen(o->name) == length && !strncmp(o->name, name, length)) return o;
    }
    return NULL;
}

static bool refuse_unknown(const verb *v, const char *given) {
    char name[64];
    const char *start = given + strspn(given, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    suggestion s = suggest_for(name);
    for (const option *o = v->options; o->name; o++) suggest(&s, o->name);
    suggest(&s, "help");
    char where[80];
    snprintf(where, sizeof where, "--%s", name);
    if (given[1] != '-') snprintf(where, sizeof where, "-%s", name);
    if (s.best) {
        print_error(where, "%s has no such option; did you mean --%s?", v->name, s.best);
    } else {
        print_error(where, "%s has no such option; see tendril %s --help", v->name, v->name);
    }
    return false;
}

static bool add(args *a, const option *o, const char *value) {
    if (!o->many && args_has(a, o->name)) {
        char where[64];
        snprintf(where, sizeof where, "--%s", o->name);
        return print_error(where, "given twice");
    }
    a->given[a->n_given] = o;
    a->values[a->n_given++] = value;
    return true;
}

// Reads the option at argv[*i]; *i ends on the last word it used.
static bool parse_option(args *a, int argc, char **argv, int *i) {
    const char *text = argv[*i];
    if (!strcmp(text, "-h") || !strcmp(text, "--help")) {
        a->help = true;
        return true;
    }
    if (text[1] != '-') return refuse_unknown(a->verb, text);
    size_t length = strcspn(text + 2, "=");
    const option *o = find(a->verb, text + 2, length);
    if (!o) return refuse_unknown(a->verb, text);
    const char *value = text[2 + length] == '=' ? text + 3 + length : NULL;
    char where[64];
    snprintf(where, sizeof where, "--%s", o->name);
    if (!o->value && value) return print_error(where, "takes no value, found '%s'", value);
    if (o->value && !value) {
        if (*i + 1 >= argc) return print_error(where, "needs a value: --%s %s", o->name, o->value);
        value = argv[++*i];
    }
    return add(a, o, value);
}

static bool check_count(const args *a) {
    const verb *v = a->verb;
    const int least = v->arguments && v->arguments[0] != '[', most = v->arguments ? 1 : 0;
    const bool several = v->arguments && strstr(v->arguments, "...");
    if (a->help) return true;
    if (a->n_files < least)
        return print_error(v->name, "%s is missing; usage: tendril %s %s", v->arguments, v->name,
                           v->arguments);
    if (!several && a->n_files > most)
        return print_error(v->name, "'%s' is one argument too many; usage: tendril %s%s%s",
                           a->files[most], v->name, v->arguments ? " " : "",
                           v->arguments ? v->arguments : "");
    return true;
}

bool args_parse(args *a, const verb *v, int argc, char **argv) {
    size_t room = (size_t)argc + 1;
    *a = (args){.verb = v};
    a->files = malloc(room * sizeof *a->files);
    a->given = malloc(room * sizeof *a->given);
    a->values = malloc(room * sizeof *a->values);
    if (!a->files || !a->given || !a->values)
        return print_error("tendril", "out of memory for the command line");
    bool only_files = false;
    for (int i = 0; i < argc; i++) {
        if (!only_files && !strcmp(argv[i], "--")) {
            only_files = true;
        } else if (!only_files && argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(a, argc, argv, &i)) return false;
        } else {
            a->files[a->n_files++] = argv[i];
        }
    }
    return check_count(a);
}

void args_destroy(args *a) {
    free(a->files);
    free(a->given);
    free(a->values);
    *a = (args){0};
}

// ---------------------------------------------------------------- looking
const char *args_nth(const args *a, const char *name, int n) {
    for (int i = 0; i < a->n_given; i++) {
        if (!strcmp(a->given[i]->name, name) && n-- == 0) return a->values[i];
    }
    return NULL;
}

int args_count(const args *a, const char *name) {
    int n = 0;
    for (int i = 0; i < a->n_given; i++) n += !strcmp(a->given[i]->name, name);
    return n;
}

bool args_has(const args *a, const char *name) {
    return args_count(a, name) > 0;
}

const char *args_value(const args *a, const char *name) {
    return args_nth(a, name, args_count(a, name) - 1);
}

bool args_integer(const args *a, const char *name, int least, int most, int *value) {
    const char *text = args_value(a, name);
    if (!text) return true;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end != text && !*end && !errno && n >= least && n <= most) {
        *value = (int)n;
        return true;
    }
    char where[64];
    snprintf(where, sizeof where, "--%s", name);
    return print_error(where, "'%s' must be a whole number from %d to %d", text, least, most);
}

static const char *article(const char *noun) {
    return strchr("aeiou", noun[0]) ? "an" : "a";
}

// A quantity of this unit, given as part of option `where`.
static bool parse_quantity(const char *where, const char *text, const char *unit, double *value) {
    char why[UNITS_TEXT] = "", room[2][UNITS_TEXT];
    quantity q;
    if (!quantity_parse(text, &q, why)) return print_error(where, "'%s': %s", text, why);
    if (q.has_unit && !dimension_fits(q.dim, unit_dimension(unit))) {
        const char *found = dimension_name(q.dim, room[0]);
        const char *wanted = dimension_name(unit_dimension(unit), room[1]);
        return print_error(where, "'%s' is %s %s; expected %s %s", text, article(found), found,
                           article(wanted), wanted);
    }
    *value = q.value;
    return true;
}

bool args_seconds(const args *a, const char *name, double *value) {
    const char *text = args_value(a, name);
    char where[64];
    snprintf(where, sizeof where, "--%s", name);
    return !text || parse_quantity(where, text, "s", value);
}

// ---------------------------------------------------------------- lists
bool list_next(const char **list, char *item, size_t size) {
    if (!*list) return false;
    const char *from = *list, *end = from + strcspn(from, ",");
    *list = *end ? end + 1 : NULL;
    while (from < end && *from == ' ') from++;
    while (from < end && end[-1] == ' ') end--;
    snprintf(item, size, "%.*s", (int)(end - from), from);
    return true;
}

int list_count(const char *list) {
    int n = 1;
    for (; *list; list++) n += *list == ',';
    return n;
}

bool args_lines(const args *a, const char *name, const char *word, char *lines, size_t size) {
    char where[64], item[256];
    snprintf(where, sizeof where, "--%s", name);
    for (int i = 0; i < args_count(a, name); i++) {
        const char *list = args_nth(a, name, i);
        while (list_next(&list, item, sizeof item)) {
            const size_t used = strlen(lines);
            const int wrote = snprintf(lines + used, size - used, "%s %s\n", word, item);
            if (!item[0] || (size_t)wrote >= size - used)
                return print_error(where, "'%s' has an empty name, or too many",
                                   args_nth(a, name, i));
        }
    }
    return true;
}

bool args_quantities(const args *a, const char *name, const char *unit, int n, double *values) {
    const char *text = args_value(a, name);
    if (!text) return true;
    char where[64], part[96];
    snprintf(where, sizeof where, "--%s", name);
    if (list_count(text) != n)
        return print_error(where, "'%s' must be %d values with commas between them", text, n);
    while (list_next(&text, part, sizeof part))
        if (!parse_quantity(where, part, unit, values++)) return false;
    return true;
}
