// robot/formula_functions.c - the functions that formulas know.
#include <string.h>

#include "robot/formula_inner.h"

const formula_function formula_functions[] = {
    {"sin", OP_SIN, 1, 1, true, 0},
    {"cos", OP_COS, 1, 1, true, 0},
    {"tan", OP_TAN, 1, 1, true, 0},
    {"asin", OP_ASIN, 1, 1, true, 0},
    {"acos", OP_ACOS, 1, 1, true, 0},
    {"atan", OP_ATAN, 1, 1, true, 0},
    {"sinh", OP_SINH, 1, 1, true, 0},
    {"cosh", OP_COSH, 1, 1, true, 0},
    {"tanh", OP_TANH, 1, 1, true, 0},
    {"exp", OP_EXP, 1, 1, true, 0},
    {"log", OP_LOG, 1, 1, true, 0},
    {"log10", OP_LOG10, 1, 1, true, 0},
    {"sqrt", OP_SQRT, 1, 1, false, 0},
    {"cbrt", OP_CBRT, 1, 1, false, 0},
    {"abs", OP_ABS, 1, 1, false, 0},
    {"sign", OP_SIGN, 1, 1, false, 0},
    {"step", OP_STEP, 1, 1, false, 0},
    {"floor", OP_FLOOR, 1, 1, false, 0},
    {"ceil", OP_CEIL, 1, 1, false, 0},
    {"pow", OP_POWER, 2, 2, false, 0},
    {"mod", OP_MOD, 2, 2, false, 0},
    {"atan2", OP_ATAN2, 2, 2, false, 0},
    {"hypot", OP_HYPOT, 2, ANY_NUMBER, false, 0},
    {"min", OP_MIN, 2, ANY_NUMBER, false, OVER_MIN},
    {"max", OP_MAX, 2, ANY_NUMBER, false, OVER_MAX},
    {"clamp", OP_CLAMP, 3, 3, false, 0},
    {"if", OP_IF, 3, 3, false, 0},
    {"table", OP_TABLE, 5, ANY_NUMBER, false, 0},
    {"mean", 0, 1, 0, false, OVER_MEAN},
    {"rms", 0, 1, 0, false, OVER_RMS},
    {"integral", 0, 1, 0, false, OVER_INTEGRAL},
    {"last", 0, 1, 0, false, OVER_LAST},
};
const int n_formula_functions = sizeof formula_functions / sizeof *formula_functions;

const formula_function *formula_find(const char *name, bool run) {
    for (int i = 0; i < n_formula_functions; i++)
        if (strcmp(formula_functions[i].name, name) == 0)
            return run || formula_functions[i].most ? &formula_functions[i] : NULL;
    return NULL;
}
