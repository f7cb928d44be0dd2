// study/expression.h - numbers made of other numbers: "sqrt(tip.x^2 + tip.y^2) - 30 mm".
//
//     expression = term { ("+" | "-") term }         comparison:  a < b is 1 or 0 (also >, <=, >=)
//     term       = factor { ("*" | "/") factor }     power binds stronger than a sign: -x^2 is -(x^2)
//     factor     = ["-"] power ;  power = atom ["^" factor]
//     atom       = number [unit, also 2 mm/N, 9.81 m/s^2] | name | `any name` | function "(" list ")" | "(" expression ")" | pi
//
// A name is letters, digits, underscores and dots; one with other signs stands in back quotes. Functions: sin cos tan asin
// acos atan atan2 sinh cosh tanh exp log log10 sqrt cbrt abs sign floor ceil hypot pow mod min max if. min, max, mean,
// rms, integral and last of one argument are over the time of a run. Values are SI.
//
// Everything lies in the memory of a tree. Nothing allocates after expression_parse.
#pragma once

#include "robot/file_tree.h"

typedef struct expression expression;

// Who knows the names. Returns the index of a variable and its unit (SI, "" for a plain number, NULL: not known); negative:
// there is no such name, and why (256) says so.
typedef struct expression_names {
    int (*find)(void *context, const char *name, const char **unit, char *why);
    void *context;
} expression_names;

#define EXPRESSION_WHY 256

// NULL: why holds the reason, with the part of the text that is at fault.
expression *expression_parse(tree *t, const char *text, const expression_names *names,
                             char why[EXPRESSION_WHY]);
// The unit of its value, where sums, extremes and multiples by plain numbers keep it; "": a plain number or not known.
const char *expression_unit(const expression *e);

// Of the variables now; what is over time is of the totals that were gathered.
double expression_value(const expression *e, const double *variables, const double *totals);

// Over time: so many totals (doubles); gathered at each instant, with the time since the last one.
int expression_n_totals(const expression *e);
void expression_gather(const expression *e, const double *variables, double t, bool first,
                       double *totals);

// How the value answers to one variable at each of n instants of a run: variables (n x stride) then, times (n) since the
// instant before, totals as they were gathered. slopes (n).
typedef struct expression_history {
    int n, stride;
    const double *variables, *times, *totals;
} expression_history;
void expression_slopes(const expression *e, const expression_history *h, int variable,
                       double *slopes);
// The same of a value that is not over time.
double expression_slope(const expression *e, const double *variables, const double *totals,
                        int variable);
bool expression_uses(const expression *e, int variable);
