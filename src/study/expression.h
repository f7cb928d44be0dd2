// study/expression.h - numbers made of other numbers: "sqrt(tip.x^2 + tip.y^2) - 30 mm"; "max(tip.x)" over the time of a run.
//
// A formula (robot/formula.h) whose names are looked up one by one. Units may be mixed, as in sums with weights, but not with
// what is written with a unit. Everything lies in the memory of a tree; nothing allocates after expression_parse.
#pragma once

#include "robot/file_tree.h"
#include "robot/formula.h"

typedef struct expression expression;

// Of `names` those that know the variables are taken. NULL: err tells.
expression *expression_parse(tree *t, const char *text, const formula_names *names,
                             formula_error *err);
// The unit of its value; "": a plain number or not known.
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
