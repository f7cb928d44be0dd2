// robot/formula.h - "2 N + 0.5 N * sin(2*pi*t)": formulas over variables that have names.
//
//     formula = sum [ ("<" | "<=" | ">" | ">=") sum ]      a comparison is 1 or 0
//     sum     = product { ("+" | "-") product }
//     product = sign { ("*" | "/") sign }
//     sign    = { "+" | "-" } power
//     power   = atom [ ("^" | "**") sign ]
//     atom    = number [unit] | name | "`" any name "`" | function "(" formula { "," formula } ")" | "(" formula ")"
//
// Parsed once into a program of fixed size, which is plain data: copied by assignment, evaluated without memory of its
// own. A number may have a unit, and what has a unit adds up only with its like; plain numbers are SI, as
// everywhere in files. Along a direction in the variables the value has a slope and a curvature, exactly
// (Taylor arithmetic to second order).
//
// Where there is a run, max, min, mean, rms, integral and last of one number are over its time: of each the
// formula of its argument goes to the caller, who gathers what comes of it and gives that back as a value.
//
// One variable may be the time. What jumps (step, sign, floor, ceil, mod, comparisons) must then be asked of c0 + c1 t, so that the instants of
// all jumps are known, and a value exists on either side of each.
#pragma once

#include "robot/units.h"
#include "tendril/robot.h"

#define FORMULA_MOST_OPS 256
#define FORMULA_DEEPEST 16  // values that wait for an operation

#define FORMULA_WHY 256

typedef struct formula_op {
    short code, variable;  // variable -1 - k: the value of function k over time
    double a, b;           // its number; or c0 and c1 of what decides about a jump or a kink
} formula_op;

typedef struct formula {
    int n_ops;
    formula_op ops[FORMULA_MOST_OPS];
} formula;

typedef enum formula_over {  // time
    OVER_NONE,
    OVER_MAX,
    OVER_MIN,
    OVER_MEAN,
    OVER_RMS,
    OVER_INTEGRAL,
    OVER_LAST
} formula_over;

typedef struct formula_names {
    const char *const *names;  // (n) of letters, digits, "_" and "."
    const char *const
        *units;  // (n) SI, "": a plain number; NULL: not known, fits anything. NULL: of all of them
    int n;
    int time;                // 0: the first is the time; -1: none is
    const char *unit;        // that the whole must fit; NULL: any
    const quantity *values;  // (n) they are constants, with these values; NULL: variables
    // Or who knows them: the index of a variable, and its unit as above; -1: there is none, and why says so.
    int (*find)(void *context, const char *name, const char **unit, char why[FORMULA_WHY]);
    void *context;
    bool mixed;  // a force and a length may add up, unless one is written with its unit: "x + 3 N"
    // Takes the argument of a function over time: its number, from 0; -1: no more. NULL: there is no run.
    int (*over)(void *context, formula_over over, const formula *argument, char why[FORMULA_WHY]);
    void *over_context;
} formula_names;

typedef struct formula_error {
    int at;  // where in the text, from 0
    char why[FORMULA_WHY];
} formula_error;

bool formula_parse(const char *text, const formula_names *names, formula *out, formula_error *err);

// And the unit of its value: "" of a plain number, and where it is not known.
bool formula_parse_unit(const char *text, const formula_names *names, formula *out,
                        char unit[UNITS_TEXT], formula_error *err);

// The value of a formula whose names are constants.
bool formula_constant(const char *text, const formula_names *names, quantity *out,
                      formula_error *err);
bool formula_reserves(const char *name);  // pi, t, and those of functions

// Value, first and second derivative along a direction.
typedef struct jet {
    double v, d, dd;
} jet;

// May be not finite: log(0). direction NULL: 0.
jet formula_at(const formula *f, const double *variables, const double *direction, td_side side);
// The same along one variable.
jet formula_along(const formula *f, const double *variables, int variable, td_side side);
double formula_value(const formula *f, const double *variables);
// The same with values of functions over time; variable -1 - k: along function k, FORMULA_NONE: along none.
#define FORMULA_NONE (-1000)
jet formula_of_run(const formula *f, const double *variables, const double *over, int variable);
bool formula_uses(const formula *f, int variable);

// Of a formula of the time alone, which is its only variable.
jet formula_at_time(const formula *f, double t, td_side side);
// The first instant after t at which the value jumps (or its rate, `kink`); HUGE_VAL: none.
double formula_next_jump(const formula *f, double t, bool kink);
// Does it read as a formula of these names rather than as a quantity whose unit is wrong?
bool formula_is_meant(const char *text, const formula_names *names);
