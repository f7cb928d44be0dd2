// robot/formula_inner.h - the operations of a formula's program: written by formula.c, carried out by formula_value.c.
#pragma once

#include "robot/formula.h"

typedef enum formula_code {
    OP_NUMBER,  // a
    OP_VARIABLE,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_LOG10,
    OP_SQRT,
    OP_CBRT,
    OP_ABS,
    OP_SIGN,
    OP_STEP,
    OP_FLOOR,
    OP_MIN,
    OP_MAX,
    OP_MOD,
    OP_ATAN2,
    OP_HYPOT,
    OP_IF,  // of three
    OP_CEIL,
    OP_CLAMP,  // written with others,
    OP_TABLE   // as is this
} formula_code;

enum { ANY_NUMBER = 99 };  // of arguments

typedef struct formula_function {
    const char *name;
    int code, least, most;  // numbers that it takes; most 0: none but one over time
    bool plain;             // wants a plain number or an angle, and gives one
    formula_over over;      // of one number; where there is a run
} formula_function;

extern const formula_function formula_functions[];
extern const int n_formula_functions;
const formula_function *formula_find(const char *name, bool run);  // run: those over time too

// Of operations on numbers alone.
double formula_ops_value(const formula_op *ops, int n_ops);

// What a kink or jump of an operation is decided by: c0 + c1 t crosses 0 (floor, mod: a whole number).
static inline bool op_is_decided(const formula_op *o) {
    return o->code >= OP_ABS && o->code <= OP_MOD && o->b != 0.0;
}
