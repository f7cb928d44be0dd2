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
#define TABLE_MOST 64  // numbers

// What is known of a part of the formula before it is evaluated.
typedef struct part {
    enum {
        PLAIN,   // a number; in a sum it has the unit of the others
        KNOWN,   // a quantity of this dimension
        UNKNOWN  // the time, and what is made of it: fits anything
    } kind;
    dimension dim;
    const char *unit;              // as a variable has it; NULL: by the dimension
    bool constant, linear, stays;  // a number; c0 + c1 t; a number from jump to jump
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
// Does it matter here that x has this dimension? Where units may be mixed, only if it was written down.
static bool is_strict(const parser *p, const part *x) {
    return x->kind == KNOWN && (!p->names->mixed || x->constant);
}

static bool common_dimension(parser *p, const char *at, const char *what, const part *a,
                             const part *b, part *out) {
    char one[UNITS_TEXT], other[UNITS_TEXT];
    const bool differ = a->kind == KNOWN && b->kind == KNOWN && !dimension_fits(a->dim, b->dim);
    if (differ && (is_strict(p, a) || is_strict(p, b)))
        return fail(p, at, "a %.60s and a %.60s do not %s", dimension_name(a->dim, one),
                    dimension_name(b->dim, other), what);
    const part *from = a->kind == KNOWN || (a->kind == UNKNOWN && b->kind == PLAIN) ? a : b;
    out->kind = differ ? UNKNOWN : from->kind, out->dim = from->dim, out->unit = from->unit;
    return true;
}

static bool product_dimension(parser *p, const char *at, const part *a, const part *b, int power,
                              part *out) {
    out->kind = a->kind == UNKNOWN || b->kind == UNKNOWN ? UNKNOWN
                : a->kind == KNOWN || b->kind == KNOWN   ? KNOWN
                                                         : PLAIN;
    out->unit = b->kind == PLAIN ? a->unit : a->kind == PLAIN && power > 0 ? b->unit : NULL;
    out->dim = (dimension){0};
    if (dimension_product(a->dim, b->dim, power, &out->dim)) return true;
    return fail(p, at, "the exponents of the unit are too large");
}

// x^2, x^0.5: whole exponents in the end.
static bool power_dimension(parser *p, const char *at, const part *x, const part *y, part *out) {
    char name[UNITS_TEXT];
    if (is_strict(p, y) && !dimension_is_none(y->dim))
        return fail(p, at, "an exponent is a plain number, not a %.60s",
                    dimension_name(y->dim, name));
    out->kind = x->kind, out->dim = (dimension){0}, out->unit = NULL;
    const signed char *d = (const signed char *)&x->dim;
    signed char *to = (signed char *)&out->dim;
    for (size_t i = 0; out->kind == KNOWN && i < sizeof x->dim; i++) {
        const double e = d[i] * y->c0;
        if (!y->constant || fabs(e - round(e)) > 1e-9) out->kind = UNKNOWN;
        else if (fabs(e) > 30.0) return fail(p, at, "the exponents of the unit are too large");
        else to[i] = (signed char)lround(e);
    }
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
    const double value = formula_ops_value(p->out->ops + x->first, p->out->n_ops - x->first);
    if (!isfinite(value)) return fail(p, at, "this is not finite");
    p->out->n_ops = x->first;
    x->linear = x->stays = true, x->c0 = value, x->c1 = 0.0, x->deep = 1;
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
    x->linear = x->linear && code == OP_NEGATE, x->stays = x->stays || jumps;
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

// While b is computed, `waiting` values wait.
static bool wait_for(parser *p, const char *at, const part *a, const part *b, int waiting,
                     part *out) {
    out->first = a->first;
    out->deep = a->deep > b->deep + waiting ? a->deep : b->deep + waiting;
    return out->deep <= FORMULA_DEEPEST ||
           fail(p, at, "more than %d values wait for one another here", FORMULA_DEEPEST);
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
    out->constant = a->constant && b->constant, out->stays = a->stays && b->stays;
    return wait_for(p, at, a, b, 1, out) && emit(p, at, op) && fold(p, at, out);
}

// if(c, a, b): c = x[0]
static bool emit_choice(parser *p, const char *at, const part *x, part *out) {
    const part c = x[0], a = x[1], b = x[2];
    if (p->names->time >= 0 && !c.stays)
        return fail(p, at, "of a time if takes comparisons, so that it is known when it changes");
    if (!common_dimension(p, at, "both fit", &a, &b, out)) return false;
    out->constant = c.constant && a.constant && b.constant, out->linear = false;
    out->stays = c.stays && a.stays && b.stays;
    return wait_for(p, at, &c, &a, 1, out) && wait_for(p, at, out, &b, 2, out) &&
           emit(p, at, (formula_op){.code = OP_IF}) && fold(p, at, out);
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

static bool is_function(const parser *p, const char *name) {
    return formula_find(name, p->names->over != NULL);
}

// -1: there is none; then why tells, where names are not a list.
static int find_variable(const parser *p, const char *name, const char **unit,
                         char why[FORMULA_WHY]) {
    const formula_names *known = p->names;
    *unit = NULL, why[0] = '\0';
    if (known->find) return known->find(known->context, name, unit, why);
    for (int i = 0; i < known->n; i++)
        if (strcmp(known->names[i], name) == 0)
            return *unit = known->units ? known->units[i] : NULL, i;
    return -1;
}

static bool is_variable(const parser *p, const char *name) {
    char why[FORMULA_WHY];
    const char *unit;
    return find_variable(p, name, &unit, why) >= 0;
}

// A unit that goes on after an operator: no variable, constant or function of that name.
static bool is_unit(const parser *p, const char *at) {
    char name[16], quantity_text[24], why[UNITS_TEXT];
    quantity q;
    const size_t n = symbol_length(at);
    if (n == 0 || n >= sizeof name || at[n] == '_' || at[n] == '.' || isdigit((unsigned char)at[n]))
        return false;
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    snprintf(quantity_text, sizeof quantity_text, "1 %s", name);
    return quantity_parse(quantity_text, &q, why) && !is_variable(p, name) &&
           !(is_function(p, name) && at[n] == '(');
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
    return strcmp(name, "pi") == 0 || (is_function(p, name) && at[strlen(name)] == '(') ||
           is_variable(p, name);
}

static bool parse_constant(parser *p, const char *at, const quantity *q, part *out) {
    *out = (part){.kind = q->has_unit ? KNOWN : PLAIN,
                  .dim = q->dim,
                  .constant = true,
                  .linear = true,
                  .stays = true,
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
static bool parse_comparison(parser *p, part *out);

// why: of who knows the names
static bool unknown_name(parser *p, const char *at, const char *name, const char *why) {
    suggestion s = suggest_for(name);
    char hint[HINT_SIZE], those[96] = "";
    const bool called = *p->at == '(';
    if (*why && !called) return fail(p, at, "%s", why);
    if (called && formula_find(name, true))
        return fail(p, at, "%s is over the time of a run, which only results of studies know",
                    name);
    for (int i = 0; i < p->names->n; i++) suggest(&s, p->names->names[i]);
    for (int i = 0; i < n_formula_functions; i++) suggest(&s, formula_functions[i].name);
    if (s.best) return fail(p, at, "'%.40s' is not known here%s", name, hint_text(&s, "", hint));
    size_t used = 0;
    for (int i = 0; i < p->names->n && used + 24 < sizeof those; i++)
        used += (size_t)snprintf(those + used, sizeof those - used, "%.20s, ", p->names->names[i]);
    if (called) return fail(p, at, "there is no function '%.40s'", name);
    return fail(p, at, "'%.40s' is not known here; there are %.60spi and functions", name, those);
}

static bool parse_variable(parser *p, const char *at, int variable, const char *unit, part *out) {
    if (p->names->values) return parse_constant(p, at, &p->names->values[variable], out);
    const bool time = variable == p->names->time;
    *out = (part){.kind = !unit || time ? UNKNOWN
                          : *unit       ? KNOWN
                                        : PLAIN,
                  .unit = unit,
                  .linear = time,
                  .c1 = 1.0,
                  .first = p->out->n_ops,
                  .deep = 1};
    if (out->kind == KNOWN) out->dim = unit_dimension(unit);
    return emit(p, at, (formula_op){.code = OP_VARIABLE, .variable = (short)variable});
}

static bool wants_plain(parser *p, const char *at, const formula_function *f, const part *x) {
    char name[UNITS_TEXT];
    if (!f->plain || !is_strict(p, x) || dimension_is_none(x->dim)) return true;
    return fail(p, at, "%s takes a plain number or an angle, not a %.60s", f->name,
                dimension_name(x->dim, name));
}

static bool apply_unary(parser *p, const char *at, const formula_function *f, part *x) {
    const part root = {.constant = true, .c0 = f->code == OP_SQRT ? 0.5 : 1.0 / 3.0};
    const part of = *x;
    if (!wants_plain(p, at, f, x)) return false;
    if ((f->code == OP_SQRT || f->code == OP_CBRT) && !power_dimension(p, at, &of, &root, x))
        return false;
    if (f->plain || f->code == OP_SIGN || f->code == OP_STEP)
        x->kind = PLAIN, x->dim = (dimension){0}, x->unit = NULL;
    if (f->code != OP_CEIL) return emit_unary(p, at, f->code, x);
    return emit_unary(p, at, OP_NEGATE, x) && emit_unary(p, at, OP_FLOOR, x) &&
           emit_unary(p, at, OP_NEGATE, x);
}

static bool apply_binary(parser *p, const char *at, int code, part *a, const part *b) {
    const part left = *a;
    if (!(code == OP_POWER ? power_dimension(p, at, &left, b, a)
                           : common_dimension(p, at, "add up", &left, b, a)))
        return false;
    if (code == OP_ATAN2) a->kind = PLAIN, a->dim = (dimension){0}, a->unit = NULL;
    return emit_binary(p, at, code, &left, b, a);
}

// After the given number of arguments, in x[0] and x[1]: clamp(x, low, high) = min(max(x, low), high).
static bool apply(parser *p, const char *at, const formula_function *f, int given, part *x) {
    if (f->code == OP_IF) return given < 3 || emit_choice(p, at, x, &x[0]);
    if (given == 1) return f->least > 1 || f->most == 0 || apply_unary(p, at, f, x);
    const int code = f->code != OP_CLAMP ? f->code : given == 2 ? OP_MAX : OP_MIN;
    return apply_binary(p, at, code, &x[0], &x[1]);
}

// Its program goes where those of functions over time are; here stands what comes of it.
static bool apply_over(parser *p, const char *at, const formula_function *f, part *x) {
    formula inner = {.n_ops = p->out->n_ops - x->first};
    char why[FORMULA_WHY] = "";
    memcpy(inner.ops, p->out->ops + x->first, sizeof *inner.ops * (size_t)inner.n_ops);
    for (int i = 0; i < inner.n_ops; i++)
        if (inner.ops[i].code == OP_VARIABLE && inner.ops[i].variable < 0)
            return fail(p, at, "one function over time stands inside another");
    const int k = p->names->over(p->names->over_context, f->over, &inner, why);
    if (k < 0) return fail(p, at, "%s", why);
    x->constant = x->linear = x->stays = false, x->deep = 1;
    if (f->over == OVER_INTEGRAL) {
        const part s = {.kind = KNOWN, .dim = {.s = 1}}, of = *x;
        if (!product_dimension(p, at, &of, &s, 1, x)) return false;
    }
    p->out->n_ops = x->first;
    return emit(p, at, (formula_op){.code = OP_VARIABLE, .variable = (short)(-1 - k)});
}

static bool wrong_count(parser *p, const char *at, const formula_function *f, int given) {
    char wanted[32] = "1 number";
    if (f->least > 1)
        snprintf(wanted, sizeof wanted, "%d numbers%s", f->least,
                 f->most == ANY_NUMBER ? " or more" : "");
    return fail(p, at, "%s takes %s, not %s", f->name, wanted,
                given > f->least ? "more"
                : given == 1     ? "1"
                                 : "2");
}

// ---------------------------------------------------------------- tables
// table(x, x0, y0, x1, y1, ...) = y0 + sum of slope_i (clamp(x, x_i, x_i+1) - x_i), so that it is known when it has kinks.
typedef struct table {
    part x;
    int n_ops;  // of x
    formula_op ops[FORMULA_MOST_OPS];
    int n;  // numbers behind it
    part numbers[TABLE_MOST];
} table;

static bool put_number(parser *p, const char *at, const part *number, part *out) {
    const quantity q = {number->c0, number->dim, number->kind == KNOWN};
    return parse_constant(p, at, &q, out);
}

// x or what is made of it, with a number.
static bool with_number(parser *p, const char *at, int code, part *x, const part *number) {
    part to = {0};
    return put_number(p, at, number, &to) && apply_binary(p, at, code, x, &to);
}

static bool slope_of(parser *p, const char *at, const part *from, part *out) {
    part rise = {0}, width = {0};
    return put_number(p, at, &from[3], &rise) && with_number(p, at, OP_SUBTRACT, &rise, &from[1]) &&
           put_number(p, at, &from[2], &width) &&
           with_number(p, at, OP_SUBTRACT, &width, &from[0]) &&
           product_dimension(p, at, &rise, &width, -1, out) &&
           emit_binary(p, at, OP_DIVIDE, &rise, &width, out);
}

static bool emit_table(parser *p, const char *at, const table *t, part *out) {
    if (!put_number(p, at, &t->numbers[1], out)) return false;
    for (int i = 0; i + 3 < t->n; i += 2) {
        const part *from = t->numbers + i;
        part slope = {0}, rise = {0}, x = t->x;
        if (!slope_of(p, at, from, &slope)) return false;
        x.first = p->out->n_ops;
        for (int k = 0; k < t->n_ops; k++)
            if (!emit(p, at, t->ops[k])) return false;
        if (!with_number(p, at, OP_MAX, &x, &from[0]) ||
            !with_number(p, at, OP_MIN, &x, &from[2]) ||
            !with_number(p, at, OP_SUBTRACT, &x, &from[0]))
            return false;
        if (!product_dimension(p, at, &slope, &x, 1, &rise) ||
            !emit_binary(p, at, OP_MULTIPLY, &slope, &x, &rise) ||
            !apply_binary(p, at, OP_ADD, out, &rise))
            return false;
    }
    return true;
}

// Behind "table(".
static bool parse_table(parser *p, const char *at, part *out) {
    table t = {.n = 0};
    const int first = p->out->n_ops;
    if (!parse_comparison(p, &t.x)) return false;
    t.n_ops = p->out->n_ops - first;
    memcpy(t.ops, p->out->ops + first, sizeof *t.ops * (size_t)t.n_ops);
    for (skip_space(p); *p->at == ','; skip_space(p)) {
        p->at++;
        skip_space(p);
        const char *here = p->at;
        if (t.n == TABLE_MOST)
            return fail(p, here, "table takes at most %d points", TABLE_MOST / 2);
        part *to = &t.numbers[t.n++];
        if (!parse_comparison(p, to)) return false;
        if (!to->constant) return fail(p, here, "behind its first number table takes constants");
        if (t.n > 2 && t.n % 2 == 1 && to->c0 <= to[-2].c0)
            return fail(p, here, "places in a table ascend: %g comes after %g", to->c0, to[-2].c0);
        p->out->n_ops = first + t.n_ops;
    }
    if (t.n < 4 || t.n % 2 == 1)
        return fail(p, at,
                    "table takes a number, then two or more points: table(x, x0, y0, x1, y1)");
    p->out->n_ops = first;
    return emit_table(p, at, &t, out);
}

static bool closes(parser *p) {
    if (*p->at != ')') return fail(p, p->at, "')' is missing");
    p->at++;
    return true;
}

static bool parse_call(parser *p, const char *at, const formula_function *f, part *out) {
    part x[3] = {{0}};
    int given = 0;
    p->at++;
    if (f->code == OP_TABLE) return parse_table(p, at, out) && closes(p);
    do {
        part *to = &x[given < 2 || f->code == OP_IF ? given : 1];
        if (given > 0) p->at++;  // the comma
        if (!parse_comparison(p, to)) return false;
        if (++given > (f->most ? f->most : 1)) break;
        if (!apply(p, at, f, given, x)) return false;
        skip_space(p);
    } while (*p->at == ',');
    const bool over = f->over && p->names->over && given == 1;
    if (!over && (given < f->least || given > f->most)) return wrong_count(p, at, f, given);
    if (!closes(p)) return false;
    *out = x[0];
    return !over || apply_over(p, at, f, out);
}

// A name, or any in back quotes.
static bool parse_name(parser *p, part *out) {
    char name[LONGEST_NAME], why[FORMULA_WHY];
    const char *at = p->at, *unit;
    const bool quoted = *at == '`';
    const size_t n = quoted ? strcspn(at + 1, "`") : name_length(at);
    if (quoted && at[n + 1] != '`') return fail(p, at, "this back quote has no end");
    if (n >= sizeof name) return fail(p, at, "this name is too long");
    snprintf(name, sizeof name, "%.*s", (int)n, at + quoted);
    p->at += n + 2 * (size_t)quoted;
    skip_space(p);
    const formula_function *f = quoted ? NULL : formula_find(name, p->names->over != NULL);
    if (f && *p->at == '(') return parse_call(p, at, f, out);
    if (strcmp(name, "pi") == 0) return parse_constant(p, at, &(quantity){.value = PI}, out);
    const int variable = find_variable(p, name, &unit, why);
    if (variable >= 0) return parse_variable(p, at, variable, unit, out);
    if (f) return fail(p, at, "%s is a function: %s(...)", name, name);
    return unknown_name(p, at, name, why);
}

// ---------------------------------------------------------------- the grammar
static bool parse_atom(parser *p, part *out) {
    skip_space(p);
    const char *at = p->at;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return parse_number(p, out);
    if (isalpha((unsigned char)*at) || *at == '_' || *at == '`') return parse_name(p, out);
    if (*at != '(')
        return has_other_minus(at) ? fail(p, at, "write '-' for minus at '%.12s'", at)
               : *at ? fail(p, at, "a number, a name or '(' is expected at '%.12s'", at)
                     : fail(p, at, "the formula ends where a number or a name is expected");
    p->at++;
    if (!parse_comparison(p, out)) return false;
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
    part y = {0};
    return parse_sign(p, &y) && apply_binary(p, at, OP_POWER, out, &y);
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

// a >= b is step(a - b), and a > b is 1 - step(b - a); so that it is known when they change.
static bool parse_comparison(parser *p, part *out) {
    if (!parse_sum(p, out)) return false;
    skip_space(p);
    const char *at = p->at;
    if (*at != '<' && *at != '>') return true;
    const bool equal = at[1] == '=', less = *at == '<';
    part b = {0}, one = {0};
    const part a = *out;
    p->at += 1 + equal;
    if (!parse_sum(p, &b) || !common_dimension(p, at, "compare", &a, &b, out)) return false;
    if (!emit_binary(p, at, OP_SUBTRACT, &a, &b, out)) return false;
    out->kind = PLAIN, out->dim = (dimension){0}, out->unit = NULL;
    if (less == equal && !emit_unary(p, at, OP_NEGATE, out)) return false;
    if (!emit_unary(p, at, OP_STEP, out)) return false;
    return equal || (emit_unary(p, at, OP_NEGATE, out) &&
                     parse_constant(p, at, &(quantity){.value = 1.0}, &one) &&
                     apply_binary(p, at, OP_ADD, out, &one));
}

// ---------------------------------------------------------------- public
static const char *n_before(const char *word) {
    return strchr("aeiou", word[0]) ? "n" : "";
}

static bool parse_whole(const char *text, const formula_names *names, formula *out, part *whole,
                        formula_error *err) {
    parser p = {.text = text, .at = text, .names = names, .out = out, .err = err};
    char found[UNITS_TEXT], wanted[UNITS_TEXT];
    out->n_ops = 0;
    if (!parse_comparison(&p, whole)) return false;
    skip_space(&p);
    if (*p.at) return fail(&p, p.at, "an operator is expected at '%.12s'", p.at);
    if (!names->unit || whole->kind != KNOWN) return true;
    const dimension expected = unit_dimension(names->unit);
    if (dimension_fits(whole->dim, expected)) return true;
    dimension_name(whole->dim, found), dimension_name(expected, wanted);
    return fail(&p, text, "this is a%s %.60s, but a%s %.60s is expected", n_before(found), found,
                n_before(wanted), wanted);
}

bool formula_parse(const char *text, const formula_names *names, formula *out, formula_error *err) {
    part whole = {0};
    return parse_whole(text, names, out, &whole, err);
}

bool formula_parse_unit(const char *text, const formula_names *names, formula *out,
                        char unit[UNITS_TEXT], formula_error *err) {
    part whole = {0};
    unit[0] = '\0';
    if (!parse_whole(text, names, out, &whole, err)) return false;
    if (whole.kind == KNOWN && whole.unit) snprintf(unit, UNITS_TEXT, "%s", whole.unit);
    else if (whole.kind == KNOWN) dimension_unit(whole.dim, unit);
    return true;
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
    return strcmp(name, "pi") == 0 || strcmp(name, "t") == 0 || formula_find(name, false);
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
        if (is_variable(&p, name) || strcmp(name, "pi") == 0) return true;
        if (is_function(&p, name) && *blanks_after(c + n) == '(') return true;
        c += n;
    }
    return false;
}
