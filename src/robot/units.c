// robot/units.c - a small grammar of units:
//     quantity = number [unit]
//     unit     = ["1"] ["/"] factor { (" " | "*" | "/") factor }
//     factor   = (symbol | "(" unit ")") [ ("^" | "**") integer ]
// and the middle dot and the raised 2 and 3 as people type them.
// After a "/" a product needs parentheses: what "kg/m s" means depends on whom you ask.
#include "robot/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "robot/suggest.h"
#include "math/pi.h"

#define LARGEST_EXPONENT 30
#define DEEPEST 8  // parentheses within parentheses

// A unit as scale * 10^ten. The power of ten is kept apart, so that 3 mm is 3/1000, which rounds to
// the same double as 0.003.
typedef struct unit {
    double scale;
    int ten;
    dimension dim;
    bool celsius;
} unit;

typedef struct symbol {
    const char *text;
    double scale;
    int ten;
    dimension dim;
    enum { PLAIN, PREFIXES, CELSIUS } kind;
} symbol;

static const symbol symbols[] = {
    {"m", 1.0, 0, {.m = 1}, PREFIXES},
    {"g", 1.0, -3, {.kg = 1}, PREFIXES},
    {"s", 1.0, 0, {.s = 1}, PREFIXES},
    {"T", 1.0, 0, {.kg = 1, .s = -2, .A = -1}, PREFIXES},
    {"K", 1.0, 0, {.K = 1}, PREFIXES},
    {"mol", 1.0, 0, {.mol = 1}, PREFIXES},
    {"N", 1.0, 0, {.m = 1, .kg = 1, .s = -2}, PREFIXES},
    {"Pa", 1.0, 0, {.m = -1, .kg = 1, .s = -2}, PREFIXES},
    {"J", 1.0, 0, {.m = 2, .kg = 1, .s = -2}, PREFIXES},
    {"W", 1.0, 0, {.m = 2, .kg = 1, .s = -3}, PREFIXES},
    {"Hz", 1.0, 0, {.s = -1}, PREFIXES},
    {"A", 1.0, 0, {.A = 1}, PREFIXES},
    {"V", 1.0, 0, {.m = 2, .kg = 1, .s = -3, .A = -1}, PREFIXES},
    {"ohm", 1.0, 0, {.m = 2, .kg = 1, .s = -3, .A = -2}, PREFIXES},
    {"H", 1.0, 0, {.m = 2, .kg = 1, .s = -2, .A = -2}, PREFIXES},
    {"bar", 1.0, 5, {.m = -1, .kg = 1, .s = -2}, PREFIXES},
    {"L", 1.0, -3, {.m = 3}, PREFIXES},
    {"l", 1.0, -3, {.m = 3}, PREFIXES},
    {"rad", 1.0, 0, {.rad = 1}, PREFIXES},
    {"deg", PI / 180.0, 0, {.rad = 1}, PLAIN},
    {"\xc2\xb0", PI / 180.0, 0, {.rad = 1}, PLAIN},
    {"rev", 2.0 * PI, 0, {.rad = 1}, PLAIN},
    {"rpm", 2.0 * PI / 60.0, 0, {.s = -1, .rad = 1}, PLAIN},
    {"min", 60.0, 0, {.s = 1}, PLAIN},
    {"h", 3600.0, 0, {.s = 1}, PLAIN},
    {"%", 1.0, -2, {0}, PLAIN},
    {"atm", 101325.0, 0, {.m = -1, .kg = 1, .s = -2}, PLAIN},
    {"psi", 6894.757293168361, 0, {.m = -1, .kg = 1, .s = -2}, PLAIN},
    {"ksi", 6894.757293168361, 3, {.m = -1, .kg = 1, .s = -2}, PLAIN},
    {"inch", 254.0, -4, {.m = 1}, PLAIN},
    {"in", 254.0, -4, {.m = 1}, PLAIN},
    {"ft", 3048.0, -4, {.m = 1}, PLAIN},
    {"lb", 0.45359237, 0, {.kg = 1}, PLAIN},
    {"lbf", 4.4482216152605, 0, {.m = 1, .kg = 1, .s = -2}, PLAIN},
    {"gf", 9.80665, -3, {.m = 1, .kg = 1, .s = -2}, PLAIN},
    {"kgf", 9.80665, 0, {.m = 1, .kg = 1, .s = -2}, PLAIN},
    {"degC", 1.0, 0, {.K = 1}, CELSIUS},
    {"\xc2\xb0"
     "C",
     1.0,
     0,
     {.K = 1},
     CELSIUS},
};
enum { N_SYMBOLS = sizeof symbols / sizeof *symbols };

static const struct prefix {
    const char *text;
    int ten;
} prefixes[] = {
    {"p", -12}, {"n", -9}, {"u", -6}, {"\xc2\xb5", -6}, {"\xce\xbc", -6}, {"m", -3}, {"c", -2},
    {"d", -1},  {"h", 2},  {"k", 3},  {"M", 6},         {"G", 9},         {"T", 12},
};
enum { N_PREFIXES = sizeof prefixes / sizeof *prefixes };

// ---------------------------------------------------------------- dimensions
static bool add_exponent(signed char *to, int from, int power) {
    int sum = *to + from * power;
    if (sum < -LARGEST_EXPONENT || sum > LARGEST_EXPONENT) return false;
    *to = (signed char)sum;
    return true;
}

// a <- a * b^power; false when an exponent or the scale leaves its range.
static bool multiply(unit *a, const unit *b, int power) {
    if (power < -LARGEST_EXPONENT || power > LARGEST_EXPONENT) return false;
    a->scale *= pow(b->scale, power);
    a->ten += b->ten * power;
    dimension *d = &a->dim;
    return add_exponent(&d->m, b->dim.m, power) && add_exponent(&d->kg, b->dim.kg, power) &&
           add_exponent(&d->s, b->dim.s, power) && add_exponent(&d->K, b->dim.K, power) &&
           add_exponent(&d->mol, b->dim.mol, power) && add_exponent(&d->A, b->dim.A, power) &&
           add_exponent(&d->rad, b->dim.rad, power) && a->ten >= -300 && a->ten <= 300 &&
           a->scale > 1e-200 && a->scale < 1e200;
}

static bool same_but_angle(dimension a, dimension b) {
    return a.m == b.m && a.kg == b.kg && a.s == b.s && a.K == b.K && a.mol == b.mol && a.A == b.A;
}

bool dimension_fits(dimension found, dimension expected) {
    const dimension per_second = {.s = -1};
    if (!same_but_angle(found, expected)) return false;
    return !same_but_angle(found, per_second) || found.rad == expected.rad;
}

static bool add_exponents(signed char *to, int a, int b, int power) {
    const int sum = a + power * b;
    if (sum < -30 || sum > 30) return false;
    *to = (signed char)sum;
    return true;
}

bool dimension_product(dimension a, dimension b, int power, dimension *out) {
    return add_exponents(&out->m, a.m, b.m, power) && add_exponents(&out->kg, a.kg, b.kg, power) &&
           add_exponents(&out->s, a.s, b.s, power) && add_exponents(&out->K, a.K, b.K, power) &&
           add_exponents(&out->mol, a.mol, b.mol, power) &&
           add_exponents(&out->A, a.A, b.A, power) && add_exponents(&out->rad, a.rad, b.rad, power);
}

bool dimension_is_none(dimension d) {
    return same_but_angle(d, (dimension){0});
}

static void append_base(char *text, const char *base, int exponent) {
    if (exponent == 0) return;
    size_t used = strlen(text);
    char power[8] = "";
    if (exponent != 1) snprintf(power, sizeof power, "^%d", exponent);
    snprintf(text + used, UNITS_TEXT - used, " %s%s", base, power);
}

const char *dimension_name(dimension d, char text[UNITS_TEXT]) {
    static const struct named {
        dimension dim;
        const char *text;
    } names[] = {
        {{0}, "plain number"},
        {{.rad = 1}, "angle (rad)"},
        {{.m = 1}, "length (m)"},
        {{.m = 2}, "area (m^2)"},
        {{.m = 3}, "volume (m^3)"},
        {{.m = 4}, "second moment of area (m^4)"},
        {{.m = -1}, "curvature (1/m)"},
        {{.s = 1}, "time (s)"},
        {{.s = -1}, "frequency (Hz)"},
        {{.s = -1, .rad = 1}, "angular velocity (rad/s)"},
        {{.m = 1, .s = -1}, "velocity (m/s)"},
        {{.m = 1, .s = -2}, "acceleration (m/s^2)"},
        {{.m = -1, .s = 1}, "viscous friction (s/m)"},
        {{.kg = 1}, "mass (kg)"},
        {{.m = 2, .kg = 1}, "moment of inertia (kg m^2)"},
        {{.kg = -1, .s = 2}, "compliance (m/N)"},
        {{.m = -1, .kg = 1}, "mass per length (kg/m)"},
        {{.m = -2, .kg = 1}, "mass per area (kg/m^2)"},
        {{.m = -3, .kg = 1}, "density (kg/m^3)"},
        {{.m = -1, .kg = 1, .s = -1}, "linear drag (kg/(m s))"},
        {{.m = 1, .kg = 1, .s = -2}, "force (N)"},
        {{.kg = 1, .s = -2}, "force per length (N/m)"},
        {{.m = 2, .kg = 1, .s = -2, .rad = -1}, "moment per angle (N m/rad)"},
        {{.m = -1, .kg = 1, .s = -2}, "pressure (Pa)"},
        {{.m = 2, .kg = 1, .s = -2}, "moment (N m)"},
        {{.m = 3, .kg = 1, .s = -2}, "bending stiffness (N m^2)"},
        {{.m = 3, .kg = 1, .s = -1}, "bending damping (N m^2 s)"},
        {{.m = 1, .kg = 1, .s = -1}, "axial damping (N s)"},
        {{.m = 2, .kg = 1, .s = -3}, "power (W)"},
        {{.m = 1, .kg = 1, .s = -3}, "force per time (N/s)"},
        {{.m = -1, .kg = 1, .s = -3}, "pressure per time (Pa/s)"},
        {{.m = 3, .s = -1}, "flow (m^3/s)"},
        {{.kg = 1, .s = -2, .A = -1}, "magnetic flux density (T)"},
        {{.m = -1, .kg = 1, .s = -2, .A = -1}, "gradient of a magnetic field (T/m)"},
        {{.m = 2, .A = 1}, "magnetic moment (A m^2)"},
        {{.m = -1, .A = 1}, "magnetisation (A/m)"},
        {{.K = 1}, "temperature (K)"},
        {{.mol = 1}, "amount of substance (mol)"},
        {{.A = 1}, "current (A)"},
        {{.m = 2, .kg = 1, .s = -3, .A = -1}, "voltage (V)"},
        {{.m = 2, .kg = 1, .s = -3, .A = -2}, "resistance (ohm)"},
        {{.m = 2, .kg = 1, .s = -2, .A = -2}, "inductance (H)"},
        {{.m = 2, .kg = 1, .s = -2, .A = -1}, "torque per current (N m/A)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (same_but_angle(d, names[i].dim) && d.rad == names[i].dim.rad) {
            snprintf(text, UNITS_TEXT, "%s", names[i].text);
            return text;
        }
    snprintf(text, UNITS_TEXT, "quantity in");
    append_base(text, "kg", d.kg);
    append_base(text, "m", d.m);
    append_base(text, "s", d.s);
    append_base(text, "K", d.K);
    append_base(text, "mol", d.mol);
    append_base(text, "A", d.A);
    append_base(text, "rad", d.rad);
    return text;
}

const char *dimension_unit(dimension d, char text[UNITS_TEXT]) {
    if (d.rad == 0 && dimension_is_none(d)) return text[0] = '\0', text;
    dimension_name(d, text);
    const char *open = strchr(text, '(');
    const char *from = open ? open + 1 : text + strlen("quantity in ");
    const size_t length = strlen(from) - (open ? 1 : 0);
    memmove(text, from, length);
    text[length] = '\0';
    return text;
}

// ---------------------------------------------------------------- symbols
static bool find_symbol(const char *text, unit *out) {
    for (int i = 0; i < N_SYMBOLS; i++) {
        const symbol *s = &symbols[i];
        if (strcmp(text, s->text) != 0) continue;
        *out = (unit){s->scale, s->ten, s->dim, s->kind == CELSIUS};
        return true;
    }
    for (int i = 0; i < N_SYMBOLS * N_PREFIXES; i++) {
        const symbol *s = &symbols[i / N_PREFIXES];
        const struct prefix *p = &prefixes[i % N_PREFIXES];
        size_t length = strlen(p->text);
        if (s->kind != PREFIXES || strncmp(text, p->text, length) != 0) continue;
        if (strcmp(text + length, s->text) != 0) continue;
        *out = (unit){s->scale, s->ten + p->ten, s->dim, false};
        return true;
    }
    return false;
}

// The nearest unit to one that is not known: the same letters in another case, or one typo away.
static bool near_symbol(const char *text, char best[16]) {
    int distance = 2;
    for (int i = 0; i < N_SYMBOLS * (N_PREFIXES + 1); i++) {
        const symbol *s = &symbols[i / (N_PREFIXES + 1)];
        int k = i % (N_PREFIXES + 1);
        if (k > 0 && s->kind != PREFIXES) continue;
        char candidate[16];
        snprintf(candidate, sizeof candidate, "%s%s", k > 0 ? prefixes[k - 1].text : "", s->text);
        int d = edit_distance(text, candidate);
        if (d >= distance || (d > 0 && strlen(candidate) < 3)) continue;
        distance = d;
        memcpy(best, candidate, sizeof candidate);
    }
    return distance < 2;
}

// "m2" for m^2.
static bool lacks_caret(const char *text, char fixed[24]) {
    size_t letters = strcspn(text, "0123456789");
    unit ignored;
    if (letters == 0 || letters > 8 || strspn(text + letters, "0123456789") > 2 || !text[letters])
        return false;
    snprintf(fixed, 24, "%.*s", (int)letters, text);
    if (!find_symbol(fixed, &ignored)) return false;
    snprintf(fixed, 24, "%.*s^%.2s", (int)letters, text, text + letters);
    return true;
}

// "Nm" for N m.
static bool lacks_blank(const char *text, char fixed[24]) {
    unit ignored;
    const size_t length = strlen(text);
    for (size_t i = 1; i < length && length < 20; i++) {
        char first[24];
        snprintf(first, sizeof first, "%.*s", (int)i, text);
        if (!find_symbol(first, &ignored) || !find_symbol(text + i, &ignored)) continue;
        snprintf(fixed, 24, "%.*s %.10s", (int)i, text, text + i);
        return true;
    }
    return false;
}

// Units that are written out, or belong to what is not known here.
static const char *in_words(const char *text) {
    static const char *const words[][2] = {
        {"degree", "deg"},    {"radian", "rad"},    {"meter", "m"},       {"metre", "m"},
        {"millimeter", "mm"}, {"millimetre", "mm"}, {"centimeter", "cm"}, {"centimetre", "cm"},
        {"micron", "um"},     {"second", "s"},      {"sec", "s"},         {"minute", "min"},
        {"hour", "h"},        {"gram", "g"},        {"kilogram", "kg"},   {"newton", "N"},
        {"pascal", "Pa"},     {"celsius", "degC"},  {"kelvin", "K"},      {"hertz", "Hz"},
        {"percent", "%"},     {"C", "degC"},        {"degF", "degC"},     {"F", "degC"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i][0]);
        const bool plural = length > 1 && strlen(text) == length + 1 && text[length] == 's';
        if (strcasecmp(text, words[i][0]) == 0 ||
            (plural && strncasecmp(text, words[i][0], length) == 0))
            return words[i][1];
    }
    return NULL;
}

// ---------------------------------------------------------------- the unit parser
typedef struct parser {
    const char *at;
    char *why;
    int depth;
} parser;

__attribute__((format(printf, 2, 3))) static bool fail(parser *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, UNITS_TEXT, format, args);
    va_end(args);
    return false;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// Blanks that do not break a line, and narrow ones, too: they come with what is copied from pages.
static size_t blank_length(const char *c) {
    if (*c == ' ' || *c == '\t') return 1;
    if (begins(c, "\xc2\xa0")) return 2;
    return begins(c, "\xe2\x80\xaf") || begins(c, "\xe2\x80\x89") ? 3 : 0;
}

static void skip_space(parser *p) {
    while (blank_length(p->at)) p->at += blank_length(p->at);
}

#define MIDDLE_DOT "\xc2\xb7"
#define SQUARED "\xc2\xb2"
#define CUBED "\xc2\xb3"

static bool is_symbol_char(const char *c) {
    if (begins(c, MIDDLE_DOT) || begins(c, SQUARED) || begins(c, CUBED) || blank_length(c))
        return false;
    return isalnum((unsigned char)*c) || *c == '%' || *c == '_' || (unsigned char)*c >= 0x80;
}

static bool parse_symbol(parser *p, unit *out) {
    char text[24];
    size_t length = 0;
    while (is_symbol_char(p->at + length)) length++;
    snprintf(text, sizeof text, "%.*s", length < 20 ? (int)length : 20, p->at);
    if (length == 0) return fail(p, "a unit is expected at '%.20s'", p->at);
    p->at += length;
    if (length < 20 && find_symbol(text, out)) return true;
    char better[24], apart[24];
    if (in_words(text))
        return fail(p, "unknown unit '%s'; did you mean '%s'?", text, in_words(text));
    const bool near = near_symbol(text, better) || lacks_caret(text, better);
    if (lacks_blank(text, apart))
        return fail(p, "unknown unit '%s'; did you mean '%s'%s%s%s?", text, apart,
                    near ? " or '" : "", near ? better : "", near ? "'" : "");
    if (near) return fail(p, "unknown unit '%s'; did you mean '%s'?", text, better);
    return fail(p, "unknown unit '%s'", text);
}

static bool parse_power(parser *p, int *power) {
    *power = begins(p->at, SQUARED) ? 2 : begins(p->at, CUBED) ? 3 : 1;
    if (*power > 1) {
        p->at += 2;
        return true;
    }
    if (p->at[0] == '*' && p->at[1] == '*') p->at += 2;
    else if (p->at[0] == '^') p->at++;
    else return true;
    int sign = 1;
    if (*p->at == '-' || *p->at == '+') sign = *p->at++ == '-' ? -1 : 1;
    if (!isdigit((unsigned char)*p->at))
        return fail(p, "a whole number is expected after '^', at '%.20s'", p->at);
    int digits = 0;
    for (; isdigit((unsigned char)*p->at); p->at++)
        if (digits < 1000) digits = 10 * digits + (*p->at - '0');
    *power = sign * digits;
    return true;
}

static bool parse_unit(parser *p, unit *out);

static bool parse_factor(parser *p, unit *out) {
    skip_space(p);
    unit inner;
    if (*p->at == '(') {
        if (++p->depth > DEEPEST) return fail(p, "too many parentheses in the unit");
        p->at++;
        if (!parse_unit(p, &inner)) return false;
        if (*p->at != ')') return fail(p, "')' is missing at '%.20s'", p->at);
        p->at++, p->depth--;
    } else if (!parse_symbol(p, &inner)) {
        return false;
    }
    int power;
    if (!parse_power(p, &power)) return false;
    *out = (unit){.scale = 1.0, .celsius = inner.celsius};
    return multiply(out, &inner, power) || fail(p, "the exponents of the unit are too large");
}

// The next operator: '*' for a product, '/' for a quotient, 0 at the end.
static char parse_operator(parser *p) {
    bool space = *p->at == ' ' || *p->at == '\t';
    skip_space(p);
    if (*p->at == '/' || *p->at == '*') return *p->at++;
    bool dot = begins(p->at, MIDDLE_DOT);
    if (dot) p->at += 2;
    bool more = *p->at == '(' || is_symbol_char(p->at);
    return dot || (space && more) ? '*' : '\0';
}

static bool parse_unit(parser *p, unit *out) {
    bool divided = false;
    char op = '*';
    *out = (unit){.scale = 1.0};
    skip_space(p);
    if (p->at[0] == '1' && !isalnum((unsigned char)p->at[1])) {
        p->at++;
        op = parse_operator(p);
        if (op != '/') return fail(p, "'/' is expected after the 1 of a unit");
    } else if (*p->at == '/') {
        op = *p->at++;
    }
    for (int n = 1; op; n++) {
        unit factor;
        if (op == '*' && divided)
            return fail(p, "after '/' write a product in parentheses, as in kg/(m s)");
        divided = op == '/';
        if (!parse_factor(p, &factor)) return false;
        if (!multiply(out, &factor, divided ? -1 : 1))
            return fail(p, "the exponents of the unit are too large");
        op = parse_operator(p);
        out->celsius = out->celsius || factor.celsius;
        // 0 degC is not the zero of temperature, so that 20 degC/m has no single meaning.
        if (out->celsius && (n > 1 || op || divided || factor.dim.K != 1))
            return fail(p, "degC stands alone; use K in a product");
    }
    return true;
}

// ---------------------------------------------------------------- numbers
// Length of the decimal literal at the start of text, 0 when there is none.
static size_t literal_length(const char *text) {
    const char *c = text;
    if (*c == '+' || *c == '-') c++;
    size_t whole = strspn(c, "0123456789");
    c += whole;
    size_t fraction = *c == '.' ? strspn(c + 1, "0123456789") : 0;
    if (whole + fraction == 0) return 0;
    if (*c == '.') c += 1 + fraction;
    if (*c != 'e' && *c != 'E') return (size_t)(c - text);
    const char *exponent = c + 1;
    if (*exponent == '+' || *exponent == '-') exponent++;
    size_t digits = strspn(exponent, "0123456789");
    return (size_t)((digits ? exponent + digits : c) - text);
}

static bool has_comma(const char *rest) {
    return rest[0] == ',' && isdigit((unsigned char)rest[1]);
}

// A minus sign or a dash of print.
bool has_other_minus(const char *text) {
    return begins(text, "\xe2\x88\x92") || begins(text, "\xe2\x80\x93");
}

bool number_parse(const char *text, double *value, const char **rest, char why[UNITS_TEXT]) {
    char literal[64];
    size_t length = literal_length(text);
    if (length == 0) {
        snprintf(why, UNITS_TEXT,
                 has_other_minus(text) ? "'%.40s': write '-' for minus" : "'%.40s' is not a number",
                 text);
        return false;
    }
    if (length >= sizeof literal) {
        snprintf(why, UNITS_TEXT, "the number '%.20s...' has too many digits", text);
        return false;
    }
    if (!rest && text[length]) {
        snprintf(why, UNITS_TEXT,
                 has_comma(text + length) ? "'%.40s': write a decimal point, not a comma"
                                          : "'%.40s' is not a plain number",
                 text);
        return false;
    }
    memcpy(literal, text, length);
    literal[length] = '\0';
    errno = 0;
    double number = strtod(literal, NULL);
    if (errno == ERANGE) {
        snprintf(why, UNITS_TEXT, "the number %s is too %s", literal,
                 fabs(number) > 1.0 ? "large" : "small");
        return false;
    }
    *value = number;
    if (rest) *rest = text + length;
    return true;
}

static double scaled(double value, const unit *u) {
    value *= u->scale;
    return u->ten < 0 ? value / pow(10.0, -u->ten) : value * pow(10.0, u->ten);
}

bool quantity_parse(const char *text, quantity *out, char why[UNITS_TEXT]) {
    double value;
    const char *rest;
    while (*text == ' ' || *text == '\t') text++;
    if (!number_parse(text, &value, &rest, why)) return false;
    if (has_comma(rest)) {
        snprintf(why, UNITS_TEXT, "'%.40s': write a decimal point, not a comma", text);
        return false;
    }
    parser p = {.at = rest, .why = why};
    skip_space(&p);
    if (!*p.at) {
        *out = (quantity){.value = value};
        return true;
    }
    unit u;
    if (!parse_unit(&p, &u)) return false;
    skip_space(&p);
    if (*p.at) return fail(&p, "'%.20s' does not belong to the unit", p.at);
    double si = scaled(value, &u) + (u.celsius ? 273.15 : 0.0);
    if (!isfinite(si) || (si == 0.0 && value != 0.0))
        return fail(&p, "'%.40s' is out of range", text);
    *out = (quantity){.value = si, .dim = u.dim, .has_unit = true};
    return true;
}

dimension unit_dimension(const char *text) {
    char why[UNITS_TEXT];
    unit u;
    parser p = {.at = text, .why = why};
    return *text && parse_unit(&p, &u) ? u.dim : (dimension){0};
}
