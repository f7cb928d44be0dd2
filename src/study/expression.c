// study/expression.c - see expression.h: a parser by recursive descent, and a tree of nodes that is walked.
#include "study/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/pi.h"
#include "robot/suggest.h"
#include "robot/units.h"

#define DEEPEST 64
#define MOST_ARGUMENTS 8
#define TOTALS_EACH 3  // numbers that one function over time keeps

typedef enum node_type { NUMBER, VARIABLE, CALL, OVER_TIME } node_type;

typedef enum over_time {
    OVER_MAX,
    OVER_MIN,
    OVER_MEAN,
    OVER_RMS,
    OVER_INTEGRAL,
    OVER_LAST
} over_time;

typedef double function(const double *x, int n);

typedef struct enode {
    node_type type;
    double number;
    int variable;
    function *call;
    over_time over;
    int first_total;
    int n;  // arguments
    const struct enode *arguments[MOST_ARGUMENTS];
    const char *unit;
    bool plain;  // a number without a unit, which goes with any
} enode;

struct expression {
    const enode *root;
    const enode *timed[MOST_ARGUMENTS];  // functions over time
    int n_timed;
};

// ---------------------------------------------------------------- functions
// clang-format off
#define OF_ONE(name, value) static double f_##name(const double *x, int n) { (void)n; return value; }
OF_ONE(negate, -x[0]) OF_ONE(sin, sin(x[0])) OF_ONE(cos, cos(x[0])) OF_ONE(tan, tan(x[0]))
OF_ONE(asin, asin(x[0])) OF_ONE(acos, acos(x[0])) OF_ONE(atan, atan(x[0])) OF_ONE(atan2, atan2(x[0], x[1]))
OF_ONE(sinh, sinh(x[0])) OF_ONE(cosh, cosh(x[0])) OF_ONE(tanh, tanh(x[0])) OF_ONE(exp, exp(x[0]))
OF_ONE(log, log(x[0])) OF_ONE(log10, log10(x[0])) OF_ONE(sqrt, sqrt(x[0])) OF_ONE(cbrt, cbrt(x[0]))
OF_ONE(abs, fabs(x[0])) OF_ONE(sign, x[0] > 0 ? 1.0 : x[0] < 0 ? -1.0 : 0.0)
OF_ONE(floor, floor(x[0])) OF_ONE(ceil, ceil(x[0])) OF_ONE(pow, pow(x[0], x[1])) OF_ONE(mod, x[0] - x[1]*floor(x[0]/x[1]))
OF_ONE(if, x[0] != 0.0 ? x[1] : x[2])
OF_ONE(add, x[0] + x[1]) OF_ONE(subtract, x[0] - x[1]) OF_ONE(multiply, x[0]*x[1]) OF_ONE(divide, x[0]/x[1])
OF_ONE(less, x[0] < x[1] ? 1.0 : 0.0) OF_ONE(more, x[0] > x[1] ? 1.0 : 0.0)
OF_ONE(at_most, x[0] <= x[1] ? 1.0 : 0.0) OF_ONE(at_least, x[0] >= x[1] ? 1.0 : 0.0)
    // clang-format on

    static double f_min(const double *x, int n) {
    double least = x[0];
    for (int i = 1; i < n; i++) least = x[i] < least ? x[i] : least;
    return least;
}

static double f_max(const double *x, int n) {
    double most = x[0];
    for (int i = 1; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

static double f_hypot(const double *x, int n) {
    double length = x[0];
    for (int i = 1; i < n; i++) length = hypot(length, x[i]);
    return fabs(length);
}

// What becomes of units: kept where all arguments have the same, none, or unknown.
typedef enum unit_rule { KEEPS, NONE } unit_rule;

static const struct {
    const char *name;
    function *call;
    int least, most;
    unit_rule unit;
} functions[] = {
    {"sin", f_sin, 1, 1, NONE},
    {"cos", f_cos, 1, 1, NONE},
    {"tan", f_tan, 1, 1, NONE},
    {"asin", f_asin, 1, 1, NONE},
    {"acos", f_acos, 1, 1, NONE},
    {"atan", f_atan, 1, 1, NONE},
    {"atan2", f_atan2, 2, 2, NONE},
    {"sinh", f_sinh, 1, 1, NONE},
    {"cosh", f_cosh, 1, 1, NONE},
    {"tanh", f_tanh, 1, 1, NONE},
    {"exp", f_exp, 1, 1, NONE},
    {"log", f_log, 1, 1, NONE},
    {"log10", f_log10, 1, 1, NONE},
    {"sqrt", f_sqrt, 1, 1, NONE},
    {"cbrt", f_cbrt, 1, 1, NONE},
    {"abs", f_abs, 1, 1, KEEPS},
    {"sign", f_sign, 1, 1, NONE},
    {"floor", f_floor, 1, 1, KEEPS},
    {"ceil", f_ceil, 1, 1, KEEPS},
    {"pow", f_pow, 2, 2, NONE},
    {"mod", f_mod, 2, 2, KEEPS},
    {"hypot", f_hypot, 2, MOST_ARGUMENTS, KEEPS},
    {"if", f_if, 3, 3, NONE},
    {"min", f_min, 2, MOST_ARGUMENTS, KEEPS},
    {"max", f_max, 2, MOST_ARGUMENTS, KEEPS},
};
static const struct {
    const char *name;
    over_time over;
    unit_rule unit;
} timed[] = {{"max", OVER_MAX, KEEPS},          {"min", OVER_MIN, KEEPS},
             {"mean", OVER_MEAN, KEEPS},        {"rms", OVER_RMS, KEEPS},
             {"integral", OVER_INTEGRAL, NONE}, {"last", OVER_LAST, KEEPS}};

#define COUNT(list) ((int)(sizeof list / sizeof *list))

// ---------------------------------------------------------------- the parser
typedef struct parser {
    tree *t;
    const char *at;
    const expression_names *names;
    expression *e;
    char *why;
    int depth;
} parser;

static const enode *parse_sum(parser *p);
static const enode *parse_factor(parser *p);

static const enode *refuse(parser *p, const char *from, const char *words) {
    if (p->why[0]) return NULL;  // the first reason is the nearest
    snprintf(p->why, EXPRESSION_WHY, "%s at '%.40s'", words, *from ? from : "the end");
    return NULL;
}

static enode *make(parser *p, node_type type) {
    enode *n = tree_take(p->t, sizeof *n);
    if (!n) return snprintf(p->why, EXPRESSION_WHY, "out of memory"), NULL;
    n->type = type;
    n->unit = "";
    return n;
}

static void skip(parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

static bool accept(parser *p, const char *sign) {
    skip(p);
    const size_t n = strlen(sign);
    if (strncmp(p->at, sign, n) != 0) return false;
    p->at += n;
    return true;
}

// The unit that all arguments from `from` on share; plain numbers go with any.
static const char *common_unit(const enode *n, int from) {
    const char *unit = NULL;
    for (int i = from; i < n->n; i++) {
        if (n->arguments[i]->plain) continue;
        if (unit && strcmp(unit, n->arguments[i]->unit) != 0) return "";
        unit = n->arguments[i]->unit;
    }
    return unit ? unit : "";
}

static bool all_plain(const enode *n) {
    for (int i = 0; i < n->n; i++)
        if (!n->arguments[i]->plain) return false;
    return true;
}

static const enode *call(parser *p, function *f, unit_rule unit, int count, const enode *a,
                         const enode *b) {
    enode *n = a && (count == 1 || b) ? make(p, CALL) : NULL;
    if (!n) return NULL;
    n->call = f;
    n->n = count, n->arguments[0] = a, n->arguments[1] = b;
    n->plain = all_plain(n);
    if (unit == KEEPS) n->unit = common_unit(n, 0);
    return n;
}

// A product keeps the unit of one factor where the other is a plain number, a quotient that of its numerator.
static const enode *product(parser *p, bool divides, const enode *a, const enode *b) {
    if (!a || !b) return NULL;
    enode *n = make(p, CALL);
    if (!n) return NULL;
    n->call = divides ? f_divide : f_multiply;
    n->n = 2, n->arguments[0] = a, n->arguments[1] = b;
    n->plain = a->plain && b->plain;
    n->unit = b->plain ? a->unit : a->plain && !divides ? b->unit : "";
    return n;
}

static size_t word_length(const char *at) {
    size_t n = 0;
    while (isalpha((unsigned char)at[n])) n++;
    return n;
}

// A unit goes on, without a blank, as "m/s^2" does, unless what follows is a name.
static size_t longer_unit(const parser *p, const char *unit, size_t length) {
    const char *at = unit + length;
    char name[64], why[EXPRESSION_WHY];
    const char *ignored;
    if (*at == '^' && isdigit((unsigned char)at[1])) return length + 2;
    const size_t n = *at == '/' ? word_length(at + 1) : 0;
    if (n == 0 || n >= sizeof name || strchr("._(", at[1 + n] ? at[1 + n] : ' ') ||
        isdigit((unsigned char)at[1 + n]))
        return length;
    snprintf(name, sizeof name, "%.*s", (int)n, at + 1);
    return p->names->find(p->names->context, name, &ignored, why) >= 0 ? length : length + 1 + n;
}

static const enode *parse_number(parser *p) {
    const char *from = p->at, *rest;
    char text[96], why[UNITS_TEXT];
    double value;
    if (!number_parse(from, &value, &rest, why)) return refuse(p, from, "no number");
    enode *n = make(p, NUMBER);
    if (!n) return NULL;
    n->number = value, n->plain = true;
    const char *unit = rest + strspn(rest, " ");
    p->at = rest;
    if (!isalpha((unsigned char)*unit)) return n;
    size_t length = word_length(unit);
    quantity q = {0};
    snprintf(text, sizeof text, "%.*s", (int)(unit + length - from), from);
    if (!quantity_parse(text, &q, why))
        return refuse(p, unit, "no unit, and an operator is missing");
    for (size_t more = longer_unit(p, unit, length); more > length;
         more = longer_unit(p, unit, length)) {
        quantity r = {0};
        snprintf(text, sizeof text, "%.*s", (int)(unit + more - from), from);
        if (!quantity_parse(text, &r, why)) break;
        q = r, length = more;
    }
    dimension_unit(q.dim, why);
    n->unit = tree_text(p->t, why, strlen(why));
    n->number = q.value, n->plain = false;
    p->at = unit + length;
    return n->unit ? n : NULL;
}

static const enode *find_variable(parser *p, const char *name) {
    const char *unit = NULL;
    char why[EXPRESSION_WHY] = "";
    const int i = p->names->find(p->names->context, name, &unit, why);
    if (i < 0) {
        if (!p->why[0]) memcpy(p->why, why, sizeof why);
        return NULL;
    }
    enode *n = make(p, VARIABLE);
    if (n) n->variable = i, n->unit = unit ? unit : "";
    return n;
}

static bool parse_arguments(parser *p, enode *n) {
    do {
        if (n->n == MOST_ARGUMENTS) return refuse(p, p->at, "too many arguments"), false;
        if (!(n->arguments[n->n] = parse_sum(p))) return false;
        n->n++;
    } while (accept(p, ","));
    if (!accept(p, ")")) return refuse(p, p->at, "')' or ',' is expected"), false;
    return true;
}

static const enode *make_timed(parser *p, enode *n, int which, int before, const char *from) {
    expression *e = p->e;
    if (e->n_timed > before) return refuse(p, from, "one function over time stands inside another");
    if (e->n_timed == MOST_ARGUMENTS) return refuse(p, from, "too many functions over time");
    n->type = OVER_TIME;
    n->over = timed[which].over;
    n->first_total = TOTALS_EACH * e->n_timed;
    if (timed[which].unit == KEEPS) n->unit = n->arguments[0]->unit;
    e->timed[e->n_timed++] = n;
    return n;
}

static int timed_named(const char *name) {
    int i = COUNT(timed) - 1;
    while (i >= 0 && strcmp(timed[i].name, name) != 0) i--;
    return i;
}

static const enode *no_function(parser *p, const char *name) {
    char hint[HINT_SIZE];
    suggestion s = suggest_for(name);
    for (int i = 0; i < COUNT(functions); i++) suggest(&s, functions[i].name);
    for (int i = 0; i < COUNT(timed); i++) suggest(&s, timed[i].name);
    if (!p->why[0])
        snprintf(p->why, EXPRESSION_WHY, "there is no function '%.40s'%s", name,
                 hint_text(&s, "", hint));
    return NULL;
}

static const enode *parse_call(parser *p, const char *name, const char *from) {
    enode *n = make(p, CALL);
    const int over = timed_named(name);
    const int before = p->e->n_timed;
    int which = COUNT(functions) - 1;
    while (which >= 0 && strcmp(functions[which].name, name) != 0) which--;
    if (over < 0 && which < 0) return no_function(p, name);
    if (!n || !parse_arguments(p, n)) return NULL;
    if (over >= 0 && n->n == 1) return make_timed(p, n, over, before, from);
    if (which < 0 || n->n < functions[which].least || n->n > functions[which].most)
        return refuse(p, from, "a wrong number of arguments");
    n->call = functions[which].call;
    n->plain = all_plain(n);
    if (functions[which].unit == KEEPS) n->unit = common_unit(n, 0);
    if (functions[which].call == f_if) n->unit = common_unit(n, 1);
    return n;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static const enode *parse_name(parser *p) {
    char name[160];
    const char *from = p->at;
    const bool quoted = *from == '`';
    if (quoted) p->at++;
    const char *begin = p->at;
    while (*p->at && (quoted ? *p->at != '`' : is_name(*p->at))) p->at++;
    const size_t length = (size_t)(p->at - begin);
    if (quoted && *p->at++ != '`') return refuse(p, from, "a back quote has no end");
    if (length == 0 || length >= sizeof name) return refuse(p, from, "a name is expected");
    snprintf(name, sizeof name, "%.*s", (int)length, begin);
    if (!quoted && accept(p, "(")) return parse_call(p, name, from);
    if (quoted || strcmp(name, "pi") != 0) return find_variable(p, name);
    enode *n = make(p, NUMBER);
    if (n) n->number = PI, n->plain = true;
    return n;
}

static const enode *parse_atom(parser *p) {
    skip(p);
    if (accept(p, "(")) {
        const enode *inner = parse_sum(p);
        if (inner && !accept(p, ")")) return refuse(p, p->at, "')' is expected");
        return inner;
    }
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return parse_number(p);
    if (isalpha((unsigned char)*p->at) || *p->at == '_' || *p->at == '`') return parse_name(p);
    return refuse(p, p->at, "a number, a name or '(' is expected");
}

static const enode *parse_power(parser *p) {
    const enode *base = parse_atom(p);
    if (!base || !(accept(p, "^") || accept(p, "**"))) return base;
    return call(p, f_pow, NONE, 2, base, parse_factor(p));
}

static const enode *parse_factor(parser *p) {
    if (++p->depth > DEEPEST) return refuse(p, p->at, "too deep");
    const enode *n;
    if (accept(p, "-")) n = call(p, f_negate, KEEPS, 1, parse_factor(p), NULL);
    else n = accept(p, "+") ? parse_factor(p) : parse_power(p);
    p->depth--;
    return n;
}

static const enode *parse_term(parser *p) {
    const enode *n = parse_factor(p);
    while (n) {
        skip(p);
        const bool power = p->at[0] == '*' && p->at[1] == '*';
        if (!power && accept(p, "*")) n = product(p, false, n, parse_factor(p));
        else if (accept(p, "/")) n = product(p, true, n, parse_factor(p));
        else break;
    }
    return n;
}

static const enode *parse_plain_sum(parser *p) {
    const enode *n = parse_term(p);
    while (n) {
        if (accept(p, "+")) n = call(p, f_add, KEEPS, 2, n, parse_term(p));
        else if (accept(p, "-")) n = call(p, f_subtract, KEEPS, 2, n, parse_term(p));
        else break;
    }
    return n;
}

static const enode *parse_sum(parser *p) {
    if (++p->depth > DEEPEST) return refuse(p, p->at, "too deep");
    const enode *n = parse_plain_sum(p);
    if (n && accept(p, "<=")) n = call(p, f_at_most, NONE, 2, n, parse_plain_sum(p));
    else if (n && accept(p, ">=")) n = call(p, f_at_least, NONE, 2, n, parse_plain_sum(p));
    else if (n && accept(p, "<")) n = call(p, f_less, NONE, 2, n, parse_plain_sum(p));
    else if (n && accept(p, ">")) n = call(p, f_more, NONE, 2, n, parse_plain_sum(p));
    p->depth--;
    return n;
}

expression *expression_parse(tree *t, const char *text, const expression_names *names,
                             char why[EXPRESSION_WHY]) {
    expression *e = tree_take(t, sizeof *e);
    why[0] = '\0';
    if (!e) return snprintf(why, EXPRESSION_WHY, "out of memory"), NULL;
    parser p = {.t = t, .at = text, .names = names, .e = e, .why = why};
    e->root = parse_sum(&p);
    if (e->root && (skip(&p), *p.at)) refuse(&p, p.at, "an operator is expected");
    if (!e->root && !why[0]) snprintf(why, EXPRESSION_WHY, "out of memory");
    return why[0] ? NULL : e;
}

const char *expression_unit(const expression *e) {
    return e->root->unit;
}

// ---------------------------------------------------------------- values
// What a function over time keeps: extreme, integral or last value; the value and the time of the instant before.
static double total_value(const enode *n, const double *total) {
    const double span = total[2];
    switch (n->over) {
    case OVER_MEAN: return span > 0.0 ? total[0] / span : total[1];
    case OVER_RMS: return span > 0.0 ? sqrt(total[0] / span) : fabs(total[1]);
    default: return total[0];
    }
}

static double value_of(const enode *n, const double *v, const double *totals) {
    double x[MOST_ARGUMENTS];
    if (n->type == NUMBER) return n->number;
    if (n->type == VARIABLE) return v[n->variable];
    if (n->type == OVER_TIME) return total_value(n, totals + n->first_total);
    for (int i = 0; i < n->n; i++) x[i] = value_of(n->arguments[i], v, totals);
    return n->call(x, n->n);
}

double expression_value(const expression *e, const double *variables, const double *totals) {
    return value_of(e->root, variables, totals);
}

int expression_n_totals(const expression *e) {
    return TOTALS_EACH * e->n_timed;
}

// Integrals by the trapezoidal rule; squares are those of the line between two instants, whose mean is
// (a^2 + a b + b^2)/3.
static void gather(const enode *n, double x, double t, bool first, double *total) {
    const double before = total[1];
    total[2] = first ? 0.0 : total[2] + t;
    total[1] = x;
    switch (n->over) {
    case OVER_MAX: total[0] = first || x > total[0] ? x : total[0]; break;
    case OVER_MIN: total[0] = first || x < total[0] ? x : total[0]; break;
    case OVER_LAST: total[0] = x; break;
    case OVER_MEAN:
    case OVER_INTEGRAL: total[0] = first ? 0.0 : total[0] + 0.5 * t * (before + x); break;
    case OVER_RMS:
        total[0] = first ? 0.0 : total[0] + t * (before * before + before * x + x * x) / 3.0;
        break;
    }
}

void expression_gather(const expression *e, const double *variables, double t, bool first,
                       double *totals) {
    for (int i = 0; i < e->n_timed; i++) {
        const enode *n = e->timed[i];
        gather(n, value_of(n->arguments[0], variables, totals), t, first, totals + n->first_total);
    }
}

// ---------------------------------------------------------------- slopes
#define PROBE 6e-6  // relative: the cube root of rounding

// By its argument i: exactly of sums and products, by a central difference of this one call otherwise.
static double slope_of_call(const enode *n, const double *x, int i) {
    if (n->call == f_add) return 1.0;
    if (n->call == f_subtract) return i == 0 ? 1.0 : -1.0;
    if (n->call == f_negate) return -1.0;
    if (n->call == f_multiply) return x[1 - i];
    if (n->call == f_divide) return i == 0 ? 1.0 / x[1] : -x[0] / (x[1] * x[1]);
    double at[MOST_ARGUMENTS];
    memcpy(at, x, sizeof at);
    const double h = PROBE * fmax(fabs(x[i]), PROBE);
    at[i] = x[i] + h;
    const double above = n->call(at, n->n), up = at[i];
    at[i] = x[i] - h;
    const double below = n->call(at, n->n);
    if (isfinite(above) && isfinite(below)) return (above - below) / (up - at[i]);
    const double here = n->call(x, n->n);  // where it ends, to the side that there is
    return isfinite(above) ? (above - here) / (up - x[i]) : (here - below) / (x[i] - at[i]);
}

// Of the variable, with what is over time as it is; or of the total of one function over time.
static double slope_of(const enode *n, const double *v, const double *totals, int variable,
                       const enode *total, double *value) {
    double x[MOST_ARGUMENTS] = {0.0}, slope = 0.0, slopes[MOST_ARGUMENTS];
    if (n->type != CALL) {
        *value = value_of(n, v, totals);
        if (total) return n == total;
        return n->type == VARIABLE && n->variable == variable;
    }
    for (int i = 0; i < n->n; i++)
        slopes[i] = slope_of(n->arguments[i], v, totals, variable, total, &x[i]);
    for (int i = 0; i < n->n; i++)
        if (slopes[i] != 0.0) slope += slopes[i] * slope_of_call(n, x, i);
    *value = n->call(x, n->n);
    return slope;
}

double expression_slope(const expression *e, const double *variables, const double *totals,
                        int variable) {
    double value;
    return slope_of(e->root, variables, totals, variable, NULL, &value);
}

// Of the value of a function over time by its argument x at instant j; a, b: the argument before and after.
static double weight_at(const enode *n, const double *total, double x, double a, double before,
                        double b, double after, bool last) {
    const double span = total[2], trapezoid = 0.5 * (before + after);
    switch (n->over) {
    case OVER_MAX:
    case OVER_MIN: return x == total[0];
    case OVER_LAST: return last;
    case OVER_INTEGRAL: return trapezoid;
    case OVER_MEAN: return span > 0.0 ? trapezoid / span : last;
    case OVER_RMS: break;
    }
    const double square = (before * (a + 2.0 * x) + after * (2.0 * x + b)) / 3.0;
    const double rms = total_value(n, total);
    return span > 0.0 && rms > 0.0 ? square / (2.0 * span * rms) : 0.0;
}

static void add_over_time(const enode *n, const expression_history *h, double by, int variable,
                          double *slopes) {
    const double *total = h->totals + n->first_total;
    const bool extreme = n->over == OVER_MAX || n->over == OVER_MIN;
    double a = 0.0, x = value_of(n->arguments[0], h->variables, h->totals);
    bool found = false;
    for (int j = 0; j < h->n; j++) {
        const double *v = h->variables + (size_t)j * (size_t)h->stride;
        const bool last = j + 1 == h->n;
        const double b = last ? 0.0 : value_of(n->arguments[0], v + h->stride, h->totals);
        const double weight =
            weight_at(n, total, x, a, j ? h->times[j] : 0.0, b, last ? 0.0 : h->times[j + 1], last);
        double unused;
        if (weight != 0.0 && !(extreme && found))  // the first of several extremes
            slopes[j] +=
                by * weight * slope_of(n->arguments[0], v, h->totals, variable, NULL, &unused);
        found = found || weight != 0.0;
        a = x, x = b;
    }
}

void expression_slopes(const expression *e, const expression_history *h, int variable,
                       double *slopes) {
    const double *end = h->variables + (size_t)(h->n - 1) * (size_t)h->stride;
    memset(slopes, 0, sizeof *slopes * (size_t)h->n);
    slopes[h->n - 1] = expression_slope(e, end, h->totals, variable);
    for (int i = 0; i < e->n_timed; i++) {
        double value;
        const double by = slope_of(e->root, end, h->totals, -1, e->timed[i], &value);
        if (by != 0.0) add_over_time(e->timed[i], h, by, variable, slopes);
    }
}

static bool uses(const enode *n, int variable) {
    if (n->type == VARIABLE) return n->variable == variable;
    for (int i = 0; i < n->n; i++)
        if (uses(n->arguments[i], variable)) return true;
    return false;
}

bool expression_uses(const expression *e, int variable) {
    return uses(e->root, variable);
}
