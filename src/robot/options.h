// robot/options.h - the one table of options: everything that `simulation` and `record` of a robot file
// may say. The reader's keys, the reference, the defaults, the rules, what a snapshot depends on, the
// attributes of results and the words that are printed all come from its lines (options_table.c).
#pragma once

#include "tendril/tendril.h"

typedef struct choice {
    const char *name;
    int value;
} choice;  // a list of them ends with a NULL name

typedef struct plan {  // what the lines describe
    td_options options;
    td_scenario scenario;
} plan;

typedef enum option_kind {
    OPTION_FLAG,      // bool
    OPTION_COUNT,     // int
    OPTION_QUANTITY,  // double
    OPTION_CHOICE,    // int or an enumeration
    OPTION_FIELDS,    // unsigned: a bit for each choice
    OPTION_MODEL      // the model's name
} option_kind;

enum {
    OF_STATE = 1,  // states mean something else under another value: not how hard the solver tries
    MAY_BE_OFF = 2,  // 0, which is its default, breaks no rule: off
    REFUSED = 4      // a model that it asks too much of refuses it: td_feature
};

typedef struct sim_option {
    const char *path;  // in the file: "simulation.time.alpha"
    option_kind kind;
    size_t place;                 // in a plan
    const char *unit, *fallback;  // SI, of a quantity; its default as the file would write it
    double least, most;           // of a count or a quantity
    const choice *choices;
    unsigned traits;
    const char *
        when;  // "scheme shooting": read only where its neighbour has one of these words; NULL: always
    const char *text;  // what it means, one line
} sim_option;

static inline bool steps_are_chosen(const td_integration_options *o) {
    return o->method == TD_STEPS_EXPLICIT || o->method == TD_STEPS_IMPLICIT;
}

const sim_option *sim_option_at(int i);               // NULL past the last
const sim_option *sim_option_find(const char *path);  // NULL: none
bool option_is_of_run(const sim_option *o);           // in td_scenario: no model reads it

// Its value: of a flag 0 or 1, of a choice the enumerator, of fields the bits; 0 of the model.
double option_value(const sim_option *o, const plan *p);
bool option_applies(const sim_option *o, const plan *p);  // see `when`
bool option_differs(const sim_option *o, const plan *a, const plan *b);
plan default_plan(void);
const char *option_word(const sim_option *o, const plan *p);  // of a choice or a flag; NULL: none
// Its value as the file would write it: "bdf-alpha", "0.05 m/s".
#define OPTION_TEXT 160
const char *option_text(const sim_option *o, const plan *p, char text[OPTION_TEXT]);
bool option_choose(const sim_option *o, const char *word, plan *p);  // false: it is no word of it
