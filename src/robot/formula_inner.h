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
    OP_ABS,
    OP_SIGN,
    OP_STEP,
    OP_FLOOR,
    OP_MIN,
    OP_MAX,
    OP_MOD,
    OP_ATAN2,
    OP_HYPOT
} formula_code;

// What a kink or jump of an operation is decided by: c0 + c1 t crosses 0 (floor, mod: a whole number).
static inline bool op_is_decided(const formula_op *o) {
    return o->code >= OP_ABS && o->code <= OP_MOD && o->b != 0.0;
}
