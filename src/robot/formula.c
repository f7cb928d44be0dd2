// robot/formula.c - from the text of a formula to its program: see formula.h for the grammar.
//
// Of every part its dimension is followed, whether it is a constant (which is computed here), and whether it is
// c0 + c1 t, which tells when a step happens.
#include "robot/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"
#include "robot/formula_inner.h"
#include "robot/suggest.h"

#define DEEPEST_TEXT 40  // parentheses within parentheses
#define LONGEST_NAME 128

// What is known of a part of the formula before it is evaluated.
typedef struct part {
    enum {
        PLAIN,   // a number; in a sum it has the unit of the others
        KNOWN,   // a quantity of this dimension
        UNKNOWN  // the time, and what is made of it: fits anything
    } kind;
    dimension dim;
    bool constant, linear;  // a number; c0 + c1 t
    double c0, c1;
    int first, deep;  // operation that it begins with; values that wait while it is computed
} part;

typedef struct parser {
    const char *text, *at;
    const formula_names *names;
    formula *out;
    formula_error *err;
    int depth;
} parser;

static const struct function {
    const char *name;
    int code, n;
    bool plain;  // wants a plain number or an angle, and gives one
} functions[] = {
    {"sin", OP_SIN, 1, true},      {"cos", OP_COS, 1, true},      {"tan", OP_TAN, 1, true},
    {"asin", OP_ASIN, 1, true},    {"acos", OP_ACOS, 1, true},    {"atan", OP_ATAN, 1, true},
    {"sinh", OP_SINH, 1, true},    {"cosh", OP_COSH, 1, true},    {"tanh", OP_TANH, 1, true},
    {"exp", OP_EXP, 1, true},      {"log", OP_LOG, 1, true},      {"log10", OP_LOG10, 1, true},
    {"sqrt", OP_SQRT, 1, false},   {"abs", OP_ABS, 1, false},     {"sign", OP_SIGN, 1, false},
    {"step", OP_STEP, 1, false},   {"floor", OP_FLOOR, 1, false}, {"min", OP_MIN, 2, false},
    {"max", OP_MAX, 2, false},     {"mod", OP_MOD, 2, false},     {"atan2", OP_ATAN2, 2, false},
    {"hypot", OP_HYPOT, 2, false}, {"clamp", -1, 3, false},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

__attribute__((format(printf, 3, 4))) static bool fail(parser *p, const char *at,
                                                       const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->err->why, sizeof p->err->why, format, args);
    va_end(args);
    p->err->at = (int)(at - p->text);
    return false;
}

static void skip_space(parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

// ---------------------------------------------------------------- dimensions
static bool add_exponents(signed char *to, int a, int b, int power) {
    const int sum = a + power * b;
    if (sum < -30 || sum > 30) return false;
    *to = (signed char)sum;
    return true;
}

// a b^power
static bool dimension_product(dimension a, dimension b, int power, dimension *out) {
    return add_exponents(&out->m, a.m, b.m, power) && add_exponents(&out->kg, a.kg, b.kg, power) &&
           add_exponents(&out->s, a.s, b.s, power) && add_exponents(&out->K, a.K, b.K, power) &&
           add_exponents(&out->mol, a.mol, b.mol, power) &&
           add_exponents(&out->rad, a.rad, b.rad, power);
}

static bool sum_dimension(parser *p, const char *at, const part *a, const part *b, part *out) {
    char one[UNITS_TEXT], other[UNITS_TEXT];
    if (a->kind == KNOWN && b->kind == KNOWN && !dimension_fits(a->dim, b->dim))
        return fail(p, at, "a %.60s and a %.60s do not add up", dimension_name(a->dim, one),
                    dimension_name(b->dim, other));
    const part *from = a->kind == KNOWN || (a->kind == UNKNOWN && b->kind == PLAIN) ? a : b;
    out->kind = from->kind, out->dim = from->dim;
    return true;
}

static bool product_dimension(parser *p, const char *at, const part *a, const part *b, int power,
                              part *out) {
    out->kind = a->kind == UNKNOWN || b->kind == UNKNOWN ? UNKNOWN
                : a->kind == KNOWN || b->kind == KNOWN   ? KNOWN
                                                         : PLAIN;
    out->dim = (dimension){0};
    if (dimension_product(a->dim, b->dim, power, &out->dim)) return true;
    return fail(p, at, "the exponents of the unit are too large");
}

// x^2, x^0.5: whole exponents in the end.
static bool power_dimension(parser *p, const char *at, const part *x, const part *y, part *out) {
    char name[UNITS_TEXT];
    if (y->kind == KNOWN && !dimension_is_none(y->dim))
        return fail(p, at, "an exponent is a plain number, not a %.60s",
                    dimension_name(y->dim, name));
    out->kind = x->kind, out->dim = x->dim;
    if (x->kind != KNOWN) return true;
    const double twice = 2.0 * y->c0;
    const bool halves = y->constant && twice == floor(twice) && fabs(twice) <= 60.0;
    dimension doubled = {0};
    out->dim = (dimension){0};
    if (halves && !dimension_product(doubled, x->dim, (int)twice, &doubled))
        return fail(p, at, "the exponents of the unit are too large");
    const signed char *d = (const signed char *)&doubled;
    signed char *to = (signed char *)&out->dim;
    bool whole = halves;
    for (size_t i = 0; i < sizeof doubled; i++) whole = whole && d[i] % 2 == 0;
    if (!whole) out->kind = UNKNOWN;
    for (size_t i = 0; whole && i < sizeof doubled; i++) to[i] = (signed char)(d[i] / 2);
    return true;
}

// ---------------------------------------------------------------- the program
static bool emit(parser *p, const char *at, formula_op op) {
    if (p->out->n_ops == FORMULA_MOST_OPS)
        return fail(p, at, "the formula is too long: more than %d operations", FORMULA_MOST_OPS);
    p->out->ops[p->out->n_ops++] = op;
    return true;
}

// Replaces a part that does not change by its value.
static bool fold(parser *p, const char *at, part *x) {
    if (!x->constant) return true;
    formula f = {.n_ops = p->out->n_ops - x->first};
    memcpy(f.ops, p->out->ops + x->first, sizeof *f.ops * (size_t)f.n_ops);
    const double value = formula_at(&f, NULL, NULL, TD_AFTER).v;
    if (!isfinite(value)) return fail(p, at, "this is not finite");
    p->out->n_ops = x->first;
    x->linear = true, x->c0 = value, x->c1 = 0.0, x->deep = 1;
    return emit(p, at, (formula_op){.code = OP_NUMBER, .a = value});
}

static bool emit_unary(parser *p, const char *at, int code, part *x) {
    formula_op op = {.code = (short)code};
    const bool jumps = code == OP_SIGN || code == OP_STEP || code == OP_FLOOR;
    if (p->names->time >= 0 && jumps && !x->linear)
        return fail(p, at,
                    "of a time such a function takes a + b*t alone, so that it is known when it "
                    "jumps");
    const bool decided = code >= OP_ABS && code <= OP_FLOOR;
    if (decided && x->linear && !x->constant) op.a = x->c0, op.b = x->c1;
    x->c0 = -x->c0, x->c1 = -x->c1;
    x->linear = x->linear && code == OP_NEGATE;
    return emit(p, at, op) && fold(p, at, x);
}

// Of a op b: c0 + c1 t, where it is that.
static void combine(int code, const part *a, const part *b, part *out) {
    const bool both = a->linear && b->linear;
    out->linear = false;
    if (code == OP_ADD || code == OP_SUBTRACT) {
        const double sign = code == OP_ADD ? 1.0 : -1.0;
        out->linear = both, out->c0 = a->c0 + sign * b->c0, out->c1 = a->c1 + sign * b->c1;
    } else if (code == OP_MULTIPLY && both && (a->constant || b->constant)) {
        const part *c = a->constant ? a : b, *x = a->constant ? b : a;
        out->linear = true, out->c0 = c->c0 * x->c0, out->c1 = c->c0 * x->c1;
    } else if ((code == OP_DIVIDE || code == OP_MOD) && both && b->constant && b->c0 != 0.0) {
        out->linear = code == OP_DIVIDE, out->c0 = a->c0 / b->c0, out->c1 = a->c1 / b->c0;
    }
}

static bool emit_binary(parser *p, const char *at, int code, const part *a, const part *b,
                        part *out) {
    formula_op op = {.code = (short)code};
    part difference;
    combine(code == OP_MIN || code == OP_MAX ? OP_SUBTRACT : code, a, b, out);
    difference = *out;
    const bool known = a->linear && b->linear;
    if (code == OP_MOD && p->names->time >= 0 && !(known && b->constant && b->c0 != 0.0))
        return fail(p, at,
                    "of a time mod takes a + b*t and a number that is not 0, so that it is known "
                    "when it jumps");
    if (known && (code == OP_MIN || code == OP_MAX || code == OP_MOD))
        op.a = difference.c0, op.b = difference.c1, out->linear = false;
    out->constant = a->constant && b->constant;
    out->first = a->first;
    out->deep = a->deep > b->deep + 1 ? a->deep : b->deep + 1;
    if (out->deep > FORMULA_DEEPEST)
        return fail(p, at, "more than %d values wait for one another here", FORMULA_DEEPEST);
    return emit(p, at, op) && fold(p, at, out);
}

// ---------------------------------------------------------------- numbers and their units
static size_t symbol_length(const char *c) {
    size_t n = 0;
    while (isalpha((unsigned char)c[n]) || c[n] == '%' || (unsigned char)c[n] >= 0x80) n++;
    return n;
}

static size_t name_length(const char *c) {
    size_t n = 0;
    while (isalnum((unsigned char)c[n]) || c[n] == '_' || c[n] == '.') n++;
    return n;
}

static const struct function *find_function(const char *name) {
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

static int find_variable(const parser *p, const char *name) {
    for (int i = 0; i < p->names->n; i++)
        if (strcmp(p->names->names[i], name) == 0) return i;
    return -1;
}

// A unit that goes on after an operator: no variable, constant or function of that name.
static bool is_unit(const parser *p, const char *at) {
    char name[16], quantity_text[24], why[UNITS_TEXT];
    quantity q;
    const size_t n = symbol_length(at);
    if (n == 0 || n >= sizeof name || at[n] == '_' || at[n] == '.' || isdigit((unsigned char)at[n]))
        return false;
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    if (find_variable(p, name) >= 0 || (find_function(name) && at[n] == '(')) return false;
    snprintf(quantity_text, sizeof quantity_text, "1 %s", name);
    return strcmp(name, "pi") != 0 && quantity_parse(quantity_text, &q, why);
}

static const char *blanks_after(const char *at) {
    return at + strspn(at, " \t");
}

// "^2", "**-1"
static const char *exponent_end(const char *at) {
    const char *c = at[0] == '^' ? at + 1 : at[0] == '*' && at[1] == '*' ? at + 2 : NULL;
    if (!c) return at;
    if (*c == '-' || *c == '+') c++;
    return isdigit((unsigned char)*c) ? c + strspn(c, "0123456789") : at;
}

// After the first symbol of a unit: as long as what follows is one. "kg/(m s)", "mm/s", "N m^2".
static const char *unit_end(const parser *p, const char *at) {
    for (;;) {
        at = exponent_end(at);
        const char *next = blanks_after(at);
        const bool divided = *next == '/';
        if (*next == '/' || (*next == '*' && next[1] != '*')) next = blanks_after(next + 1);
        if (divided && *next == '(' && is_unit(p, blanks_after(next + 1))) {
            const char *inside = blanks_after(next + 1);
            const char *end = blanks_after(unit_end(p, inside + symbol_length(inside)));
            return *end == ')' ? end + 1 : at;
        }
        if (!is_unit(p, next)) return at;
        at = next + symbol_length(next);
    }
}

// "2 t", "3 sin(x)"
static bool names_something(const parser *p, const char *at) {
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%.*s", (int)name_length(at), at);
    return find_variable(p, name) >= 0 || strcmp(name, "pi") == 0 ||
           (find_function(name) && at[strlen(name)] == '(');
}

static bool parse_constant(parser *p, const char *at, const quantity *q, part *out) {
    *out = (part){.kind = q->has_unit ? KNOWN : PLAIN,
                  .dim = q->dim,
                  .constant = true,
                  .linear = true,
                  .c0 = q->value,
                  .first = p->out->n_ops,
                  .deep = 1};
    return emit(p, at, (formula_op){.code = OP_NUMBER, .a = q->value});
}

static bool parse_number(parser *p, part *out) {
    const char *from = p->at, *rest;
    char why[UNITS_TEXT], text[96];
    double value;
    quantity q;
    if (!number_parse(p->at, &value, &rest, why)) return fail(p, from, "%s", why);
    const char *unit = blanks_after(rest);
    const size_t n = symbol_length(unit);
    if (n && names_something(p, unit)) return fail(p, unit, "'*' is missing before '%.20s'", unit);
    const char *end = n ? unit_end(p, unit + n) : rest;
    if ((size_t)(end - from) >= sizeof text) return fail(p, unit, "this unit is too long");
    snprintf(text, sizeof text, "%.*s", (int)(end - from), from);
    if (!quantity_parse(text, &q, why)) return fail(p, n ? unit : from, "%s", why);
    p->at = end;
    return parse_constant(p, from, &q, out);
}

// ---------------------------------------------------------------- names and functions
static bool parse_sum(parser *p, part *out);

static bool unknown_name(parser *p, const char *at, const char *name) {
    suggestion s = suggest_for(name);
    char hint[HINT_SIZE], those[96] = "";
    for (int i = 0; i < p->names->n; i++) suggest(&s, p->names->names[i]);
    for (int i = 0; i < N_FUNCTIONS; i++) suggest(&s, functions[i].name);
    size_t used = 0;
    for (int i = 0; i < p->names->n && used + 24 < sizeof those; i++)
        used += (size_t)snprintf(those + used, sizeof those - used, "%.20s, ", p->names->names[i]);
    return fail(
        p, at, "'%.40s' is not known here%s", name,
        s.best ? hint_text(&s, "", hint)
               : (snprintf(hint, sizeof hint, "; there are %.60spi and functions", those), hint));
}

static bool parse_variable(parser *p, const char *at, int variable, part *out) {
    if (p->names->values) return parse_constant(p, at, &p->names->values[variable], out);
    const char *unit = p->names->units ? p->names->units[variable] : NULL;
    const bool time = variable == p->names->time;
    *out = (part){.kind = !unit || time ? UNKNOWN
                          : *unit       ? KNOWN
                                        : PLAIN,
                  .linear = time,
                  .c1 = 1.0,
                  .first = p->out->n_ops,
                  .deep = 1};
    if (out->kind == KNOWN) out->dim = unit_dimension(unit);
    return emit(p, at, (formula_op){.code = OP_VARIABLE, .variable = (short)variable});
}

static bool wants_plain(parser *p, const char *at, const struct function *f, const part *x) {
    char name[UNITS_TEXT];
    if (!f->plain || x->kind != KNOWN || dimension_is_none(x->dim)) return true;
    return fail(p, at, "%s takes a plain number or an angle, not a %.60s", f->name,
                dimension_name(x->dim, name));
}

static bool apply_unary(parser *p, const char *at, const struct function *f, part *x) {
    const part half = {.kind = PLAIN, .constant = true, .c0 = 0.5};
    part out = *x;
    if (!wants_plain(p, at, f, x)) return false;
    if (f->code == OP_SQRT && !power_dimension(p, at, x, &half, &out)) return false;
    if (f->plain || f->code == OP_SIGN || f->code == OP_STEP)
        out.kind = PLAIN, out.dim = (dimension){0};
    *x = out;
    return emit_unary(p, at, f->code, x);
}

static bool apply_binary(parser *p, const char *at, int code, part *a, const part *b) {
    part out = *a;
    if (!sum_dimension(p, at, a, b, &out)) return false;
    if (code == OP_ATAN2) out.kind = PLAIN, out.dim = (dimension){0};
    const part left = *a;
    *a = out;
    return emit_binary(p, at, code, &left, b, a);
}

// clamp(x, low, high) = min(max(x, low), high)
static bool apply(parser *p, const char *at, const struct function *f, int given, part *x,
                  const part *y) {
    if (f->n == 1) return apply_unary(p, at, f, x);
    if (f->n == 2) return given == 1 || apply_binary(p, at, f->code, x, y);
    return given == 1 || apply_binary(p, at, given == 2 ? OP_MAX : OP_MIN, x, y);
}

static bool parse_call(parser *p, const char *at, const struct function *f, part *out) {
    int given = 0;
    p->at++;
    do {
        part x = {0};
        if (given > 0) p->at++;  // the comma
        if (!parse_sum(p, given == 0 ? out : &x)) return false;
        if (++given > f->n) break;
        if (!apply(p, at, f, given, out, &x)) return false;
        skip_space(p);
    } while (*p->at == ',');
    if (given != f->n)
        return fail(p, at, "%s takes %d number%s, not %s", f->name, f->n, f->n > 1 ? "s" : "",
                    given > f->n ? "more"
                    : given == 1 ? "1"
                                 : "2");
    if (*p->at != ')') return fail(p, p->at, "')' is missing");
    p->at++;
    return true;
}

static bool parse_name(parser *p, part *out) {
    char name[LONGEST_NAME];
    const char *at = p->at;
    const size_t n = name_length(at);
    if (n >= sizeof name) return fail(p, at, "this name is too long");
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    p->at += n;
    skip_space(p);
    const struct function *f = find_function(name);
    if (f && *p->at == '(') return parse_call(p, at, f, out);
    const int variable = find_variable(p, name);
    if (variable >= 0) return parse_variable(p, at, variable, out);
    if (f) return fail(p, at, "%s is a function: %s(...)", name, name);
    if (strcmp(name, "pi") != 0) return unknown_name(p, at, name);
    *out = (part){.constant = true, .linear = true, .c0 = PI, .first = p->out->n_ops, .deep = 1};
    return emit(p, at, (formula_op){.code = OP_NUMBER, .a = PI});
}

// ---------------------------------------------------------------- the grammar
static bool parse_atom(parser *p, part *out) {
    skip_space(p);
    const char *at = p->at;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return parse_number(p, out);
    if (isalpha((unsigned char)*at) || *at == '_') return parse_name(p, out);
    if (*at != '(')
        return *at ? fail(p, at, "a number, a name or '(' is expected at '%.12s'", at)
                   : fail(p, at, "the formula ends where a number or a name is expected");
    p->at++;
    if (!parse_sum(p, out)) return false;
    skip_space(p);
    if (*p->at != ')')
        return fail(p, p->at, "')' is missing for the '(' at %d", (int)(at - p->text) + 1);
    p->at++;
    return true;
}

static bool parse_sign(parser *p, part *out);

static bool parse_power(parser *p, part *out) {
    if (!parse_atom(p, out)) return false;
    skip_space(p);
    const char *at = p->at;
    const int length = at[0] == '^' ? 1 : at[0] == '*' && at[1] == '*' ? 2 : 0;
    if (!length) return true;
    p->at += length;
    part y = {0}, x = *out;
    if (!parse_sign(p, &y) || !power_dimension(p, at, &x, &y, out)) return false;
    return emit_binary(p, at, OP_POWER, &x, &y, out);
}

static bool parse_sign(parser *p, part *out) {
    bool negative = false;
    const char *at;
    for (skip_space(p), at = p->at; *p->at == '-' || *p->at == '+'; p->at++, skip_space(p))
        negative = negative != (*p->at == '-');
    if (++p->depth > DEEPEST_TEXT) return fail(p, at, "too many parentheses");
    if (!parse_power(p, out)) return false;
    p->depth--;
    return !negative || emit_unary(p, at, OP_NEGATE, out);
}

static bool parse_product(parser *p, part *out) {
    if (!parse_sign(p, out)) return false;
    for (skip_space(p); *p->at == '*' || *p->at == '/'; skip_space(p)) {
        const char *at = p->at++;
        part b = {0}, a = *out;
        if (!parse_sign(p, &b)) return false;
        if (!product_dimension(p, at, &a, &b, *at == '*' ? 1 : -1, out)) return false;
        if (*at == '/' && b.constant && b.c0 == 0.0) return fail(p, at, "division by 0");
        if (!emit_binary(p, at, *at == '*' ? OP_MULTIPLY : OP_DIVIDE, &a, &b, out)) return false;
    }
    return true;
}

static bool parse_sum(parser *p, part *out) {
    if (!parse_product(p, out)) return false;
    for (skip_space(p); *p->at == '+' || *p->at == '-'; skip_space(p)) {
        const char *at = p->at++;
        part b = {0};
        if (!parse_product(p, &b)) return false;
        if (!apply_binary(p, at, *at == '+' ? OP_ADD : OP_SUBTRACT, out, &b)) return false;
    }
    return true;
}

// ---------------------------------------------------------------- public
static bool parse_whole(const char *text, const formula_names *names, formula *out, part *whole,
                        formula_error *err) {
    parser p = {.text = text, .at = text, .names = names, .out = out, .err = err};
    char found[UNITS_TEXT], wanted[UNITS_TEXT];
    *out = (formula){0};
    if (!parse_sum(&p, whole)) return false;
    skip_space(&p);
    if (*p.at) return fail(&p, p.at, "an operator is expected at '%.12s'", p.at);
    if (!names->unit || whole->kind != KNOWN) return true;
    const dimension expected = unit_dimension(names->unit);
    if (dimension_fits(whole->dim, expected)) return true;
    return fail(&p, text, "this is a %.60s, but a %.60s is expected",
                dimension_name(whole->dim, found), dimension_name(expected, wanted));
}

bool formula_parse(const char *text, const formula_names *names, formula *out, formula_error *err) {
    part whole = {0};
    return parse_whole(text, names, out, &whole, err);
}

bool formula_constant(const char *text, const formula_names *names, quantity *out,
                      formula_error *err) {
    formula made;
    part whole = {0};
    if (!parse_whole(text, names, &made, &whole, err)) return false;
    *out = (quantity){whole.c0, whole.dim, whole.kind == KNOWN};
    return true;
}

bool formula_reserves(const char *name) {
    return strcmp(name, "pi") == 0 || strcmp(name, "t") == 0 || find_function(name);
}

bool formula_is_meant(const char *text, const formula_names *names) {
    parser p = {.names = names};
    for (const char *c = text; *c;) {
        char name[LONGEST_NAME];
        const size_t n = name_length(c);
        if (*c == '+' && c > text && (c[-1] == ' ' || c[1] == ' ')) return true;
        if (n == 0 || n >= sizeof name || isdigit((unsigned char)*c)) {
            c += n ? n : 1;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, c);
        if (find_variable(&p, name) >= 0 || strcmp(name, "pi") == 0) return true;
        if (find_function(name) && *blanks_after(c + n) == '(') return true;
        c += n;
    }
    return false;
}
