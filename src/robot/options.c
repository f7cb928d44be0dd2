// robot/options.c - what follows from the table of options for all of them alike: defaults, rules,
// values and words.
#include "robot/options.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/robot.h"
#include "robot/units.h"

// Changes with the layout of td_options, so that a program built against another one is noticed.
#define COOKIE (0x7e4d0000u + (unsigned)sizeof(td_options))

// ---------------------------------------------------------------- values
_Static_assert(sizeof(td_scheme) == sizeof(int), "enumerations are read and written as int");

static int whole(const void *at) {
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

double option_value(const sim_option *o, const plan *p) {
    const char *at = (const char *)p + o->place;
    switch (o->kind) {
    case OPTION_FLAG: return *(const bool *)at ? 1.0 : 0.0;
    case OPTION_QUANTITY: return *(const double *)at;
    case OPTION_COUNT:
    case OPTION_CHOICE:
    case OPTION_FIELDS: return whole(at);
    case OPTION_MODEL: break;
    }
    return 0.0;
}

bool option_differs(const sim_option *o, const plan *a, const plan *b) {
    if (o->kind == OPTION_MODEL) return strcmp(a->options.model, b->options.model) != 0;
    return option_value(o, a) != option_value(o, b);
}

static const char *word_of(const choice *choices, int value) {
    while (choices && choices->name && choices->value != value) choices++;
    return choices ? choices->name : NULL;
}

const char *option_word(const sim_option *o, const plan *p) {
    const int value = (int)option_value(o, p);
    if (o->kind == OPTION_FLAG) return value ? "true" : "false";
    return word_of(o->choices, value);
}

// Is the word one of a list?
static bool is_listed(const char *word, const char *list) {
    const size_t n = strlen(word);
    for (; *list; list += strcspn(list, " ")) {
        list += strspn(list, " ");
        if (strncmp(list, word, n) == 0 && (list[n] == ' ' || list[n] == '\0')) return true;
    }
    return false;
}

bool option_applies(const sim_option *o, const plan *p) {
    if (!o->when) return true;
    char path[96];
    const int group = (int)(strrchr(o->path, '.') + 1 - o->path);
    snprintf(path, sizeof path, "%.*s%.*s", group, o->path, (int)strcspn(o->when, " "), o->when);
    const sim_option *neighbour = sim_option_find(path);
    const char *word = neighbour ? option_word(neighbour, p) : NULL;
    return word && is_listed(word, strchr(o->when, ' '));
}

bool option_choose(const sim_option *o, const char *word, plan *p) {
    for (const choice *c = o->choices; c && c->name; c++) {
        if (strcmp(c->name, word) != 0) continue;
        memcpy((char *)p + o->place, &c->value, sizeof c->value);
        return true;
    }
    return false;
}

static void list_fields(const sim_option *o, unsigned bits, char text[OPTION_TEXT]) {
    size_t used = 0;
    for (const choice *c = o->choices; c->name; c++)
        if (bits & (unsigned)c->value)
            used += (size_t)snprintf(text + used, OPTION_TEXT - used, "%s%s", used ? ", " : "",
                                     c->name);
}

const char *option_text(const sim_option *o, const plan *p, char text[OPTION_TEXT]) {
    const double value = option_value(o, p);
    const char *word = option_word(o, p);
    text[0] = '\0';
    if (o->kind == OPTION_MODEL) snprintf(text, OPTION_TEXT, "%s", p->options.model);
    else if (o->kind == OPTION_FIELDS) list_fields(o, (unsigned)(int)value, text);
    else if (word) snprintf(text, OPTION_TEXT, "%s", word);
    else if (value == 0.0 && o->traits & MAY_BE_OFF) snprintf(text, OPTION_TEXT, "%s", o->fallback);
    else
        snprintf(text, OPTION_TEXT, "%.15g%s%s", value, o->unit && *o->unit ? " " : "",
                 o->unit ? o->unit : "");
    return text;
}

td_option td_option_at(int index) {
    const sim_option *o = sim_option_at(index);
    return o ? (td_option){o->path, o->unit ? o->unit : "", o->fallback, o->text} : (td_option){0};
}

const char *td_get_option(const td_options *options, const char *path, char *text, size_t size) {
    const sim_option *o = options && path ? sim_option_find(path) : NULL;
    char value[OPTION_TEXT];
    if (!o || option_is_of_run(o) || !text || size == 0) return NULL;
    snprintf(text, size, "%s", option_text(o, &(plan){.options = *options}, value));
    return text;
}

// ---------------------------------------------------------------- defaults
static double number_of(const char *text) {
    char why[UNITS_TEXT];
    quantity q = {0};
    quantity_parse(text, &q, why);
    return q.value;
}

// What the words of a text mean together: one of the choices, or a list of them.
static int bits_of(const choice *choices, const char *text) {
    int bits = 0;
    while (*(text += strspn(text, "[, ]"))) {
        const size_t length = strcspn(text, ", ]");
        for (const choice *c = choices; c->name; c++)
            if (strlen(c->name) == length && memcmp(c->name, text, length) == 0) bits |= c->value;
        text += length;
    }
    return bits;
}

static void set_default(const sim_option *o, plan *p) {
    char *at = (char *)p + o->place;
    if (o->traits & MAY_BE_OFF) return;
    int value = 0;
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)at = strcmp(o->fallback, "true") == 0; return;
    case OPTION_QUANTITY: *(double *)at = number_of(o->fallback); return;
    case OPTION_MODEL: snprintf(at, sizeof p->options.model, "%s", o->fallback); return;
    case OPTION_COUNT: value = (int)number_of(o->fallback); break;
    case OPTION_CHOICE:
    case OPTION_FIELDS: value = bits_of(o->choices, o->fallback); break;
    }
    memcpy(at, &value, sizeof value);
}

plan default_plan(void) {
    plan p = {.options.cookie = COOKIE};
    const sim_option *o;
    for (int i = 0; (o = sim_option_at(i)); i++) set_default(o, &p);
    return p;
}

td_options td_default_options(void) {
    return default_plan().options;
}

td_scenario default_scenario(void) {
    return default_plan().scenario;
}

// ---------------------------------------------------------------- rules
static td_status check_choice(const sim_option *o, int value, td_error *err) {
    if (word_of(o->choices, value)) return TD_OK;
    char words[200] = "";
    for (const choice *c = o->choices; c->name; c++) {
        const size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%d (%s)", used ? ", " : "", c->value,
                 c->name);
    }
    return error_set(err, TD_ERR_VALUE, o->path, "%d is not one of its values: %s", value, words);
}

static td_status check_fields(const sim_option *o, unsigned bits, td_error *err) {
    unsigned all = 0;
    for (const choice *c = o->choices; c->name; c++) all |= (unsigned)c->value;
    if (!(bits & ~all)) return TD_OK;
    return error_set(err, TD_ERR_VALUE, o->path, "0x%x has bits that mean no field", bits);
}

static td_status check_range(const sim_option *o, double value, td_error *err) {
    if (value >= o->least && value <= o->most) return TD_OK;
    if (value == 0.0 && o->traits & MAY_BE_OFF) return TD_OK;
    const char *unit = o->unit ? o->unit : "", *blank = *unit ? " " : "";
    if (o->most == LARGEST_QUANTITY)
        return error_set(err, TD_ERR_VALUE, o->path, "%g%s%s must be positive and finite", value,
                         blank, unit);
    return error_set(err, TD_ERR_VALUE, o->path, "%g%s%s must be between %.14g and %.14g: %s",
                     value, blank, unit, o->least, o->most, o->text);
}

static td_status check_model(const sim_option *o, const td_options *options, td_error *err) {
    if (memchr(options->model, '\0', sizeof options->model) && options->model[0]) return TD_OK;
    return error_set(err, TD_ERR_VALUE, o->path, "the model's name is empty or not terminated");
}

static td_status check(const sim_option *o, const plan *p, td_error *err) {
    const double value = option_value(o, p);
    switch (o->kind) {
    case OPTION_FLAG: break;
    case OPTION_COUNT:
    case OPTION_QUANTITY: return check_range(o, value, err);
    case OPTION_CHOICE: return check_choice(o, (int)value, err);
    case OPTION_FIELDS: return check_fields(o, (unsigned)(int)value, err);
    case OPTION_MODEL: return check_model(o, &p->options, err);
    }
    return TD_OK;
}

static td_status check_all(const plan *p, bool of_run, td_error *err) {
    td_status status = TD_OK;
    const sim_option *o;
    for (int i = 0; (o = sim_option_at(i)) && !status; i++)
        if (option_is_of_run(o) == of_run) status = check(o, p, err);
    return status;
}

td_status options_validate(const td_options *options, td_error *err) {
    if (!options) return error_set(err, TD_ERR_ARGUMENT, "simulation", "options are NULL");
    if (options->cookie != COOKIE)
        return error_set(err, TD_ERR_ARGUMENT, "simulation",
                         "options were not initialised; start from td_default_options()");
    return check_all(&(plan){.options = *options}, false, err);
}

td_status scenario_validate(const td_scenario *s, td_error *err) {
    td_status status = check_all(&(plan){.scenario = *s}, true, err);
    if (status || s->end / s->step <= MOST_STEPS) return status;
    return error_set(err, TD_ERR_VALUE, "simulation.time.step",
                     "%g s makes %.3g steps until %g s; at most %g are allowed", s->step,
                     s->end / s->step, s->end, MOST_STEPS);
}
