// sim/outputs.c - outputs by name: "rod.arm.50 %.velocity_x" is a point, a quantity and a row of it.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "robot/suggest.h"
#include "robot/units.h"
#include "sim/system.h"

// ---------------------------------------------------------------- words
typedef struct rows {  // of a quantity of six
    td_quantity quantity;
    const char *names[6];
    const char *units[2];  // of the first three, of the others
} rows;

static const rows tables[] = {
    {TD_OUTPUT_POSE, {"turn_x", "turn_y", "turn_z", "x", "y", "z"}, {"rad", "m"}},
    {TD_OUTPUT_VELOCITY,
     {"omega_x", "omega_y", "omega_z", "velocity_x", "velocity_y", "velocity_z"},
     {"rad/s", "m/s"}},
    {TD_OUTPUT_STRAIN, {"u_x", "u_y", "u_z", "v_x", "v_y", "v_z"}, {"1/m", "1"}},
    {TD_OUTPUT_REACTION,
     {"moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z"},
     {"N m", "N"}},
};

// Several rows by one word.
static const struct group {
    const char *word;
    td_quantity quantity;
    int first, n;
} groups[] = {
    {"pose", TD_OUTPUT_POSE, 0, 6},       {"turn", TD_OUTPUT_POSE, 0, 3},
    {"position", TD_OUTPUT_POSE, 3, 3},   {"velocity", TD_OUTPUT_VELOCITY, 0, 6},
    {"strain", TD_OUTPUT_STRAIN, 0, 6},   {"reaction", TD_OUTPUT_REACTION, 0, 6},
    {"moment", TD_OUTPUT_REACTION, 0, 3}, {"force", TD_OUTPUT_REACTION, 3, 3},
};

static const rows *rows_of(td_quantity which) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].quantity == which) return &tables[i];
    return NULL;
}

// The names of its rows: "tip" and "x" make "tip.x".
static void name_rows(td_named_output *found, const char *owner, int owner_length) {
    const rows *table = rows_of(found->output.quantity);
    for (int i = 0; i < found->n; i++) {
        const int row = found->first + i;
        snprintf(found->names[i], sizeof found->names[i], "%.*s.%s", owner_length, owner,
                 table->names[row]);
        found->units[i] = table->units[row / 3];
    }
}

// A word of one quantity, or of any but reactions.
static bool find_word(const char *word, bool reaction, td_named_output *found, suggestion *near) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if ((groups[i].quantity == TD_OUTPUT_REACTION) != reaction) continue;
        suggest(near, groups[i].word);
        if (strcmp(word, groups[i].word) != 0) continue;
        found->output.quantity = groups[i].quantity;
        found->first = groups[i].first, found->n = groups[i].n;
        return true;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if ((tables[i].quantity == TD_OUTPUT_REACTION) != reaction) continue;
        for (int k = 0; k < 6; k++) {
            suggest(near, tables[i].names[k]);
            if (strcmp(word, tables[i].names[k]) != 0) continue;
            found->output.quantity = tables[i].quantity;
            found->first = k, found->n = 1;
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------- parts
static td_status refuse(td_error *err, const char *name, const char *what, const suggestion *near) {
    char hint[HINT_SIZE];
    return error_set(err, TD_ERR_ARGUMENT, name, "%s%s", what, hint_text(near, "", hint));
}

typedef struct part_list {
    const char *word;  // "rod"
    int n;
    const char *(*name_of)(const td_system *, int);
} part_list;

// The part whose name `rest` begins with, followed by a dot. -1: none, and err says so.
static int part_named(const td_system *system, const part_list *l, const char *name,
                      const char **rest, td_error *err) {
    char word[128], what[192];
    const size_t length = strcspn(*rest, ".");
    snprintf(word, sizeof word, "%.*s", (int)length, *rest);
    suggestion near = suggest_for(word);
    for (int i = 0; i < l->n; i++) {
        const char *part = l->name_of(system, i);
        suggest(&near, part);
        if (strcmp(word, part) != 0 || (*rest)[length] != '.') continue;
        *rest += length + 1;
        return i;
    }
    snprintf(what, sizeof what, "there is no %s '%s'", l->word, word);
    if (near.best && !strcmp(near.best, word))
        snprintf(what, sizeof what, "what of %s '%s'", l->word, word), near.best = NULL;
    refuse(err, name, what, &near);
    return -1;
}

// "tip", "base", "0.2", "120 mm", "50 %"
static bool parse_place(const char *text, double length, double *s) {
    char number[64], why[UNITS_TEXT];
    quantity q = {0};
    size_t n = strlen(text);
    if (!strcmp(text, "tip")) return *s = length, true;
    if (!strcmp(text, "base")) return *s = 0.0, true;
    const bool share = n > 1 && n < sizeof number && text[n - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(share ? n - 1 : n), text);
    if (!quantity_parse(number, &q, why)) return false;
    if (q.has_unit && (share || !dimension_fits(q.dim, unit_dimension("m")))) return false;
    *s = share ? 0.01 * q.value * length : q.value;
    return *s >= 0.0 && *s <= length;
}

// What follows "rod.NAME." or, of a body, "body.NAME.".
static td_status read_point(const td_system *system, const char *name, const char *rest,
                            td_named_output *found, td_error *err) {
    const char *dot = strrchr(rest, '.'), *word = dot ? dot + 1 : rest;
    suggestion near = suggest_for(word);
    if (!find_word(word, false, found, &near) ||
        (found->output.body >= 0 && found->output.quantity == TD_OUTPUT_STRAIN))
        return refuse(
            err, name,
            found->output.body >= 0
                ? "a body has pose, turn, position, velocity or a component like x"
                : "a point has pose, turn, position, velocity, strain or a component like x",
            &near);
    name_rows(found, name, (int)(word - name) - 1);
    if (found->output.body >= 0) return TD_OK;
    char place[64];
    const double length = td_rod_length(system, found->output.rod);
    snprintf(place, sizeof place, "%.*s", dot ? (int)(dot - rest) : 0, rest);
    if (parse_place(place, length, &found->output.s)) return TD_OK;
    return error_set(err, TD_ERR_ARGUMENT, name,
                     "'%s' must be base, tip, a length up to %g m or a percentage", place, length);
}

static td_status read_reaction(const char *name, const char *rest, td_named_output *found,
                               td_error *err) {
    found->output.end = rest[0] == 'b' ? TD_BASE : TD_TIP;
    const char *dot = strchr(rest, '.'), *word = dot ? dot + 1 : "reaction";
    suggestion near = suggest_for(word);
    if (!find_word(word, true, found, &near))
        return refuse(err, name, "a reaction has moment, force or a component like force_x", &near);
    name_rows(found, name, dot ? (int)(dot - name) : (int)strlen(name));
    return TD_OK;
}

static bool begins(const char *text, const char *word, const char **rest) {
    const size_t n = strlen(word);
    if (strncmp(text, word, n) != 0 || (text[n] != '.' && text[n] != '\0')) return false;
    *rest = text + n + (text[n] == '.');
    return true;
}

static td_status read_rod(const td_system *system, const char *name, const char *rest,
                          td_named_output *found, td_error *err) {
    const part_list rods = {"rod", td_n_rods(system), td_rod_name};
    found->output.rod = part_named(system, &rods, name, &rest, err);
    if (found->output.rod < 0) return TD_ERR_ARGUMENT;
    const char *unused;
    if (begins(rest, "base_reaction", &unused) || begins(rest, "tip_reaction", &unused))
        return read_reaction(name, rest, found, err);
    return read_point(system, name, rest, found, err);
}

static bool is_output(const td_actuator_quantity *q) {
    return q->offset == offsetof(td_actuator_state, effort) ||
           q->offset == offsetof(td_actuator_state, measure);
}

// "of a tendon there are tension, length"
static const char *effort_and_measure(const td_actuator_kind *kind, char *text, size_t size) {
    int used = snprintf(text, size, "of a %s there are", kind->word);
    const char *before = " ";
    for (int k = 0; k < kind->n_recorded && used >= 0 && (size_t)used < size; k++) {
        if (!is_output(&kind->recorded[k])) continue;
        used += snprintf(text + used, size - (size_t)used, "%s%s", before, kind->recorded[k].name);
        before = ", ";
    }
    return text;
}

// Names are unique within a kind: the one of this kind that is called like number i, or i.
static int namesake(const td_system *system, int i, const td_actuator_kind *kind) {
    const char *name = td_actuator_name(system, i);
    for (int k = 0; k < td_n_actuators(system); k++)
        if (td_actuator_kind_of(system, k) == kind &&
            strcmp(td_actuator_name(system, k), name) == 0)
            return k;
    return i;
}

// Of an actuator: its effort or its measure, by the words of its kind.
static td_status read_actuator(const td_system *system, const char *name, const char *rest,
                               const td_actuator_kind *kind, td_named_output *found,
                               td_error *err) {
    const part_list actuators = {kind->word, td_n_actuators(system), td_actuator_name};
    int i = part_named(system, &actuators, name, &rest, err);
    if (i < 0) return TD_ERR_ARGUMENT;
    i = namesake(system, i, kind);
    suggestion near = suggest_for(rest);
    char words[128];
    if (td_actuator_kind_of(system, i) != kind)
        return error_set(err, TD_ERR_ARGUMENT, name, "%s is a %s", td_actuator_name(system, i),
                         td_actuator_kind_of(system, i)->word);
    found->output.actuator = i;
    for (int k = 0; k < kind->n_recorded; k++) {
        const td_actuator_quantity *q = &kind->recorded[k];
        const bool effort = q->offset == offsetof(td_actuator_state, effort);
        if (!is_output(q)) continue;
        suggest(&near, q->name);
        if (strcmp(rest, q->name) != 0) continue;
        found->output.quantity = effort ? TD_OUTPUT_EFFORT : TD_OUTPUT_MEASURE;
        found->n = 1, found->units[0] = q->unit;
        snprintf(found->names[0], sizeof found->names[0], "%s", name);
        return TD_OK;
    }
    return refuse(err, name, effort_and_measure(kind, words, sizeof words), &near);
}

// ---------------------------------------------------------------- any of them
td_status td_find_output(const td_system *system, const char *name, td_named_output *found,
                         td_error *err) {
    const char *rest;
    const td_actuator_kind *kind;
    *found = (td_named_output){.output = {.body = -1}};
    if (strlen(name) >= sizeof found->names[0] - 16)
        return error_set(err, TD_ERR_ARGUMENT, "outputs", "a name of %zu letters is too long",
                         strlen(name));
    if (begins(name, "tip", &rest) && td_n_rods(system) == 1)
        return read_point(system, name, name, found, err);
    if (begins(name, "rod", &rest)) return read_rod(system, name, rest, found, err);
    if (begins(name, "body", &rest)) {
        const part_list bodies = {"body", td_n_bodies(system), td_body_name};
        found->output.body = part_named(system, &bodies, name, &rest, err);
        if (found->output.body < 0) return TD_ERR_ARGUMENT;
        return read_point(system, name, rest, found, err);
    }
    for (int i = 0; (kind = td_actuator_kind_at(i)); i++)
        if (begins(name, kind->word, &rest))
            return read_actuator(system, name, rest, kind, found, err);
    return error_set(err, TD_ERR_ARGUMENT, name,
                     "there are outputs like %s, rod.NAME.tip.velocity, rod.NAME.base_reaction, "
                     "body.NAME.x, tendon.NAME.tension",
                     td_n_rods(system) == 1 ? "tip.pose" : "rod.NAME.tip.pose");
}
