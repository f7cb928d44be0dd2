// robot/formula_value.c - carries out the program of a formula, in Taylor arithmetic of second order along one direction:
//
//     (f o x)' = f'(x) x',     (f o x)'' = f''(x) x'^2 + f'(x) x''
#include <math.h>
#include <stddef.h>

#include "robot/formula_inner.h"

#define SAME 1e-12        // values on both sides of a jump that differ by less are one value
#define MOST_INSTANTS 64  // of floor and mod in a row at which nothing jumps

// What does not change has no slope, whatever the function does there: sqrt(0).
static jet chain(jet x, double f, double f1, double f2) {
    if (x.d == 0.0 && x.dd == 0.0) return (jet){f, 0.0, 0.0};
    return (jet){f, f1 * x.d, f2 * x.d * x.d + f1 * x.dd};
}

static jet scale(jet x, double by) {
    return (jet){by * x.v, by * x.d, by * x.dd};
}

static jet add(jet a, jet b) {
    return (jet){a.v + b.v, a.d + b.d, a.dd + b.dd};
}

static jet multiply(jet a, jet b) {
    return (jet){a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2.0 * a.d * b.d + a.v * b.dd};
}

static jet inverse(jet x) {
    const double i = 1.0 / x.v;
    return chain(x, i, -i * i, 2.0 * i * i * i);
}

static double times(double factor, double x) {
    return factor == 0.0 ? 0.0 : factor * x;  // also where x is not finite
}

static jet power(jet x, jet y) {
    const double c = y.v;
    if (y.d == 0.0 && y.dd == 0.0)
        return chain(x, pow(x.v, c), times(c, pow(x.v, c - 1.0)),
                     times(c * (c - 1.0), pow(x.v, c - 2.0)));
    const jet ln = chain(x, log(x.v), 1.0 / x.v, -1.0 / (x.v * x.v));
    const jet e = multiply(y, ln);
    return chain(e, pow(x.v, c), pow(x.v, c), pow(x.v, c));
}

static jet unary(int code, jet x) {
    const double v = x.v;
    switch (code) {
    case OP_NEGATE: return scale(x, -1.0);
    case OP_SIN: return chain(x, sin(v), cos(v), -sin(v));
    case OP_COS: return chain(x, cos(v), -sin(v), -cos(v));
    case OP_TAN: {
        const double f = tan(v), f1 = 1.0 + f * f;
        return chain(x, f, f1, 2.0 * f * f1);
    }
    case OP_ASIN: {
        const double i = 1.0 / sqrt(1.0 - v * v);
        return chain(x, asin(v), i, v * i * i * i);
    }
    case OP_ACOS: {
        const double i = 1.0 / sqrt(1.0 - v * v);
        return chain(x, acos(v), -i, -v * i * i * i);
    }
    case OP_ATAN: {
        const double i = 1.0 / (1.0 + v * v);
        return chain(x, atan(v), i, -2.0 * v * i * i);
    }
    case OP_SINH: return chain(x, sinh(v), cosh(v), sinh(v));
    case OP_COSH: return chain(x, cosh(v), sinh(v), cosh(v));
    case OP_TANH: {
        const double f = tanh(v), f1 = 1.0 - f * f;
        return chain(x, f, f1, -2.0 * f * f1);
    }
    case OP_EXP: return chain(x, exp(v), exp(v), exp(v));
    case OP_LOG: return chain(x, log(v), 1.0 / v, -1.0 / (v * v));
    case OP_LOG10: return scale(chain(x, log(v), 1.0 / v, -1.0 / (v * v)), 1.0 / log(10.0));
    case OP_SQRT: {
        const double f = sqrt(v);
        return chain(x, f, 0.5 / f, -0.25 / (f * v));
    }
    case OP_CBRT: {
        const double f = cbrt(v), f1 = 1.0 / (3.0 * f * f);
        return chain(x, f, f1, -2.0 * f1 / (3.0 * v));
    }
    }
    return x;
}

// ---------------------------------------------------------------- jumps and kinks
// Is c0 + c1 t, or x where there is no such, positive on this side?
static bool is_positive(const formula_op *o, double x, double t, td_side side) {
    if (!op_is_decided(o)) return x > 0.0 || (x == 0.0 && side == TD_AFTER);
    const double root = -o->a / o->b;
    const bool passed = t > root || (t == root && side == TD_AFTER);
    return passed == (o->b > 0.0);
}

// The same of the whole number below it; instants are those of (n - c0)/c1, to the bit.
static double whole_below(const formula_op *o, double x, double t, td_side side) {
    if (!op_is_decided(o)) return floor(x);
    const double n = round(o->a + o->b * t), root = (n - o->a) / o->b;
    const bool passed = t > root || (t == root && side == TD_AFTER);
    return passed == (o->b > 0.0) ? n : n - 1.0;
}

static jet decided(const formula_op *o, jet x, double t, td_side side) {
    switch (o->code) {
    case OP_ABS: return is_positive(o, x.v, t, side) ? x : scale(x, -1.0);
    case OP_SIGN: {
        if (!op_is_decided(o)) return (jet){(double)((x.v > 0.0) - (x.v < 0.0)), 0.0, 0.0};
        return (jet){is_positive(o, x.v, t, side) ? 1.0 : -1.0, 0.0, 0.0};
    }
    case OP_STEP:
        return (jet){isnan(x.v) ? x.v : is_positive(o, x.v, t, side) ? 1.0 : 0.0, 0.0, 0.0};
    default: return (jet){whole_below(o, x.v, t, side), 0.0, 0.0};
    }
}

static jet binary(const formula_op *o, jet a, jet b, double t, td_side side) {
    switch (o->code) {
    case OP_ADD: return add(a, b);
    case OP_SUBTRACT: return add(a, scale(b, -1.0));
    case OP_MULTIPLY: return multiply(a, b);
    case OP_DIVIDE: {
        const jet q = multiply(a, inverse(b));
        return (jet){a.v / b.v, q.d, q.dd};  // one rounding
    }
    case OP_POWER: return power(a, b);
    case OP_MIN: return is_positive(o, a.v - b.v, t, side) ? b : a;
    case OP_MAX: return is_positive(o, a.v - b.v, t, side) ? a : b;
    case OP_MOD: return add(a, scale(b, -whole_below(o, a.v / b.v, t, side)));
    case OP_ATAN2: {  // the angle of (b, a): d = (b da - a db)/r^2
        const double r2 = a.v * a.v + b.v * b.v;
        const double d = (b.v * a.d - a.v * b.d) / r2;
        const double dd = (b.v * a.dd - a.v * b.dd) / r2 - 2.0 * d * (a.v * a.d + b.v * b.d) / r2;
        const bool still = a.d == 0.0 && b.d == 0.0 && a.dd == 0.0 && b.dd == 0.0;
        return (jet){atan2(a.v, b.v), still ? 0.0 : d, still ? 0.0 : dd};
    }
    default: {  // OP_HYPOT
        const jet r = unary(OP_SQRT, add(multiply(a, a), multiply(b, b)));
        return (jet){hypot(a.v, b.v), r.d, r.dd};
    }
    }
}

static jet choice(const jet *x) {
    return isnan(x[0].v) ? x[0] : x[0].v != 0.0 ? x[1] : x[2];
}

// ---------------------------------------------------------------- public
typedef struct place {               // where a formula is evaluated
    const double *variables, *over;  // over: values of functions over time
    const double *direction;         // NULL: along one variable
    int along;
    td_side side;
} place;

static jet variable(const place *w, int k) {
    const double slope = w->direction ? w->direction[k] : k == w->along ? 1.0 : 0.0;
    return (jet){k < 0 ? w->over[-1 - k] : w->variables[k], slope, 0.0};
}

static jet evaluate(const formula_op *ops, int n_ops, const place *w) {
    jet stack[FORMULA_DEEPEST + 1] = {{0}};
    int n = 0;
    const double t =
        w->variables ? w->variables[0] : 0.0;  // where something is decided by the time
    for (int i = 0; i < n_ops; i++) {
        const formula_op *o = &ops[i];
        if (o->code == OP_NUMBER) stack[n++] = (jet){o->a, 0.0, 0.0};
        else if (o->code == OP_VARIABLE) stack[n++] = variable(w, o->variable);
        else if (o->code == OP_NEGATE || (o->code >= OP_SIN && o->code <= OP_CBRT))
            stack[n - 1] = unary(o->code, stack[n - 1]);
        else if (o->code >= OP_ABS && o->code <= OP_FLOOR)
            stack[n - 1] = decided(o, stack[n - 1], t, w->side);
        else if (o->code == OP_IF) n -= 2, stack[n - 1] = choice(stack + n - 1);
        else n--, stack[n - 1] = binary(o, stack[n - 1], stack[n], t, w->side);
    }
    return stack[0];
}

double formula_ops_value(const formula_op *ops, int n_ops) {
    return evaluate(ops, n_ops, &(place){.along = FORMULA_NONE, .side = TD_AFTER}).v;
}

jet formula_at(const formula *f, const double *variables, const double *direction, td_side side) {
    const place w = {variables, NULL, direction, FORMULA_NONE, side};
    return evaluate(f->ops, f->n_ops, &w);
}

jet formula_along(const formula *f, const double *variables, int variable, td_side side) {
    return evaluate(f->ops, f->n_ops, &(place){variables, NULL, NULL, variable, side});
}

jet formula_of_run(const formula *f, const double *variables, const double *over, int variable) {
    return evaluate(f->ops, f->n_ops, &(place){variables, over, NULL, variable, TD_AFTER});
}

double formula_value(const formula *f, const double *variables) {
    return formula_at(f, variables, NULL, TD_AFTER).v;
}

bool formula_uses(const formula *f, int variable) {
    for (int i = 0; i < f->n_ops; i++)
        if (f->ops[i].code == OP_VARIABLE && f->ops[i].variable == variable) return true;
    return false;
}

jet formula_at_time(const formula *f, double t, td_side side) {
    const double now[1] = {t}, along[1] = {1.0};
    return formula_at(f, now, along, side);
}

// The first instant after t at which this operation decides otherwise.
static double next_instant(const formula_op *o, double t) {
    if (!op_is_decided(o)) return HUGE_VAL;
    if (o->code != OP_FLOOR && o->code != OP_MOD) {
        const double root = -o->a / o->b;
        return root > t ? root : HUGE_VAL;
    }
    double n = round(o->a + o->b * t) - (o->b > 0.0 ? 1.0 : -1.0);
    for (int k = 0; k<4; k++, n += o->b> 0.0 ? 1.0 : -1.0)
        if ((n - o->a) / o->b > t) return (n - o->a) / o->b;
    return HUGE_VAL;  // whole numbers closer to one another than instants are
}

// Beyond what rounding of the instant makes: sin(pi t) step(t - 1) begins at 0.
static bool differ(double a, double b, double rate, double t) {
    return fabs(a - b) > SAME * (fmax(fabs(a), fabs(b)) + fabs(rate * t));
}

double formula_next_jump(const formula *f, double t, bool kink) {
    for (int k = 0; k < MOST_INSTANTS; k++) {
        double first = HUGE_VAL;
        for (int i = 0; i < f->n_ops; i++) first = fmin(first, next_instant(&f->ops[i], t));
        if (!(first < HUGE_VAL)) return HUGE_VAL;
        const jet before = formula_at_time(f, first, TD_BEFORE);
        const jet after = formula_at_time(f, first, TD_AFTER);
        const double d = fmax(fabs(before.d), fabs(after.d));
        const double dd = fmax(fabs(before.dd), fabs(after.dd));
        if (kink ? differ(before.d, after.d, dd, first) : differ(before.v, after.v, d, first))
            return first;
        t = first;
    }
    return t;
}
