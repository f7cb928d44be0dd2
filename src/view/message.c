// view/message.c - see message.h.
#include "view/message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST } value_kind;

static const char *const kind_words[] = {"null", "true or false", "a number", "a text", "a list"};

typedef struct value {
    value_kind kind;
    double number;
    char text[64];
    double list[3];
    int n;
} value;

typedef struct cursor {
    const char *at, *end;
    char *why;
    size_t size;
} cursor;

// ---------------------------------------------------------------- what is asked
typedef struct request {
    const char *name;
    unsigned needs, may;
} request;

static const request requests[] = {
    [ASK_PLAY] = {"play", 0, 0},
    [ASK_PAUSE] = {"pause", 0, 0},
    [ASK_STEP] = {"step", 0, 0},
    [ASK_RESET] = {"reset", 0, 0},
    [ASK_SPEED] = {"speed", GIVEN_VALUE, 0},
    [ASK_SET] = {"set", GIVEN_INPUT | GIVEN_VALUE, 0},
    [ASK_FOLLOW] = {"follow", GIVEN_INPUT, 0},
    [ASK_MODEL] = {"model", 0, GIVEN_NAME | GIVEN_SCHEME | GIVEN_STEP},
    [ASK_GHOST] = {"ghost", GIVEN_NAME, 0},
    [ASK_GRAB] = {"grab", 0, GIVEN_ROD | GIVEN_S | GIVEN_BODY},
    [ASK_PULL] = {"pull", GIVEN_FORCE, 0},
    [ASK_RELEASE] = {"release", 0, 0},
    [ASK_EXPORT] = {"export-inputs", 0, 0},
    [ASK_DRIVE] = {"drive", 0, 0},
    [ASK_MODES] = {"modes", 0, GIVEN_MODE | GIVEN_VALUE},
};
enum { N_REQUESTS = sizeof requests / sizeof requests[0] };

typedef struct key {
    const char *name;
    unsigned flag;
    value_kind kind;
} key;

static const key keys[] = {
    {"input", GIVEN_INPUT, VALUE_NUMBER}, {"value", GIVEN_VALUE, VALUE_NUMBER},
    {"name", GIVEN_NAME, VALUE_TEXT},     {"scheme", GIVEN_SCHEME, VALUE_TEXT},
    {"step", GIVEN_STEP, VALUE_NUMBER},   {"rod", GIVEN_ROD, VALUE_NUMBER},
    {"s", GIVEN_S, VALUE_NUMBER},         {"body", GIVEN_BODY, VALUE_NUMBER},
    {"force", GIVEN_FORCE, VALUE_LIST},   {"mode", GIVEN_MODE, VALUE_NUMBER},
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

// ---------------------------------------------------------------- JSON
static bool refuse(const cursor *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, c->size, format, args);
    va_end(args);
    return false;
}

static void skip_blanks(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static bool take(cursor *c, char wanted) {
    skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
    c->at += n;
    return true;
}

static bool is_digit(const cursor *c) {
    return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

static bool skip_digits(cursor *c) {
    if (!is_digit(c)) return false;
    while (is_digit(c)) c->at++;
    return true;
}

static bool is_at(const cursor *c, const char *set) {
    return c->at < c->end && *c->at && strchr(set, *c->at);
}

// JSON's grammar is narrower than strtod's: no blanks, no hexadecimals, no infinity.
static bool skip_number(cursor *c) {
    if (is_at(c, "-")) c->at++;
    if (!skip_digits(c)) return false;
    if (is_at(c, ".")) {
        c->at++;
        if (!skip_digits(c)) return false;
    }
    if (!is_at(c, "eE")) return true;
    c->at++;
    if (is_at(c, "+-")) c->at++;
    return skip_digits(c);
}

static bool parse_number(cursor *c, double *out) {
    char text[64];
    const char *start = c->at;
    if (!skip_number(c)) return refuse(c, "a number is expected");
    size_t n = (size_t)(c->at - start);
    if (n >= sizeof text) return refuse(c, "a number of %zu digits is too long", n);
    memcpy(text, start, n);
    text[n] = '\0';
    *out = strtod(text, NULL);
    return isfinite(*out) || refuse(c, "%s is too large", text);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The character behind a backslash, 0 when there is none that a name could hold.
static char parse_escape(cursor *c) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (c->at >= c->end) return '\0';
    char letter = *c->at++;
    const char *found = letter ? strchr(from, letter) : NULL;
    if (found) return to[found - from];
    if (letter != 'u' || c->end - c->at < 4) return '\0';
    int code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(*c->at++);
        if (digit < 0) return '\0';
        code = 16 * code + digit;
    }
    return code < 0x80 ? (char)code : '\0';
}

static bool parse_text(cursor *c, char *out, size_t size) {
    if (!take(c, '"')) return refuse(c, "a text in quotes is expected");
    size_t n = 0;
    while (c->at < c->end && *c->at != '"') {
        char letter = *c->at++;
        if ((unsigned char)letter < 0x20) return refuse(c, "a text holds a control character");
        if (letter == '\\' && !(letter = parse_escape(c)))
            return refuse(c, "an escape that no name holds");
        if (n + 1 >= size) return refuse(c, "a text is longer than %zu bytes", size - 1);
        out[n++] = letter;
    }
    out[n] = '\0';
    return take(c, '"') || refuse(c, "a text has no end");
}

static bool parse_list(cursor *c, value *v) {
    v->n = 0;
    c->at++;
    if (take(c, ']')) return true;
    do {
        skip_blanks(c);
        if (v->n == 3) return refuse(c, "a list has more than 3 numbers");
        if (!parse_number(c, &v->list[v->n++])) return false;
    } while (take(c, ','));
    return take(c, ']') || refuse(c, "a list has no end");
}

static bool parse_value(cursor *c, value *v) {
    skip_blanks(c);
    *v = (value){.kind = VALUE_NULL};
    if (take_word(c, "null")) return true;
    v->kind = VALUE_BOOL;
    if (take_word(c, "true") || take_word(c, "false")) return true;
    v->kind = VALUE_TEXT;
    if (is_at(c, "\"")) return parse_text(c, v->text, sizeof v->text);
    v->kind = VALUE_LIST;
    if (is_at(c, "[")) return parse_list(c, v);
    v->kind = VALUE_NUMBER;
    return parse_number(c, &v->number);
}

// ---------------------------------------------------------------- meaning
static bool take_index(const cursor *c, const char *name, double number, int *out) {
    if (!(number >= 0 && number <= 1e6) || number != floor(number))
        return refuse(c, "%s = %g must be a whole number from 0", name, number);
    *out = (int)number;
    return true;
}

static bool keep(const cursor *c, const key *k, const value *v, message *m) {
    const bool none = v->kind == VALUE_NULL && k->flag & (GIVEN_NAME | GIVEN_MODE);
    if (k->kind != v->kind && !none)
        return refuse(c, "%s is %s, but %s is expected", k->name, kind_words[v->kind],
                      kind_words[k->kind]);
    switch (k->flag) {
    case GIVEN_INPUT: return take_index(c, k->name, v->number, &m->input);
    case GIVEN_ROD: return take_index(c, k->name, v->number, &m->rod);
    case GIVEN_BODY: return take_index(c, k->name, v->number, &m->body);
    case GIVEN_MODE: m->mode = -1; return none || take_index(c, k->name, v->number, &m->mode);
    case GIVEN_VALUE: m->value = v->number; return true;
    case GIVEN_STEP: m->step = v->number; return true;
    case GIVEN_S: m->s = v->number; return true;
    case GIVEN_NAME: memcpy(m->name, v->text, sizeof m->name); return true;
    case GIVEN_SCHEME: memcpy(m->scheme, v->text, sizeof m->scheme); return true;
    default: memcpy(m->force, v->list, sizeof m->force); break;
    }
    return v->n == 3 || refuse(c, "force has %d numbers, but 3 are expected", v->n);
}

static bool keep_request(const cursor *c, const value *v, message *m, bool *found) {
    if (v->kind != VALUE_TEXT)
        return refuse(c, "do is %s, but a text is expected", kind_words[v->kind]);
    for (int i = 0; i < N_REQUESTS; i++) {
        if (strcmp(requests[i].name, v->text) != 0) continue;
        m->ask = (ask)i;
        *found = true;
        return true;
    }
    return refuse(c, "do = \"%s\" is not known", v->text);
}

static bool parse_pair(cursor *c, message *m, bool *found) {
    char name[64];
    value v;
    skip_blanks(c);
    if (!parse_text(c, name, sizeof name)) return false;
    if (!take(c, ':')) return refuse(c, "%s: a colon is expected after a key", name);
    if (!parse_value(c, &v)) return false;
    if (!strcmp(name, "do"))
        return *found ? refuse(c, "do is given twice") : keep_request(c, &v, m, found);
    for (int i = 0; i < N_KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0) continue;
        if (m->given & keys[i].flag) return refuse(c, "%s is given twice", name);
        m->given |= keys[i].flag;
        return keep(c, &keys[i], &v, m);
    }
    return refuse(c, "%s is not a key of a message", name);
}

static const char *name_of_flag(unsigned flags) {
    for (int i = 0; i < N_KEYS; i++)
        if (keys[i].flag & flags) return keys[i].name;
    return "";
}

static bool check_keys(const cursor *c, const message *m) {
    const request *r = &requests[m->ask];
    unsigned missing = r->needs & ~m->given, idle = m->given & ~(r->needs | r->may);
    if (missing) return refuse(c, "%s needs %s", r->name, name_of_flag(missing));
    if (idle) return refuse(c, "%s does not take %s", r->name, name_of_flag(idle));
    if (m->ask == ASK_MODEL && !m->given) return refuse(c, "model needs name, scheme or step");
    const unsigned on_rod = GIVEN_ROD | GIVEN_S;
    if (m->ask == ASK_GRAB && m->given != on_rod && m->given != GIVEN_BODY)
        return refuse(c, "grab needs rod and s, or body");
    return true;
}

bool message_parse(const char *text, size_t length, message *out, char *why, size_t size) {
    cursor c = {text, text + length, why, size};
    bool found = false;
    *out = (message){0};
    if (length > MESSAGE_MOST)
        return refuse(&c, "a message of %zu bytes is longer than %d", length, MESSAGE_MOST);
    if (!take(&c, '{')) return refuse(&c, "a message is a JSON object");
    if (!take(&c, '}')) {
        do {
            if (!parse_pair(&c, out, &found)) return false;
        } while (take(&c, ','));
        if (!take(&c, '}')) return refuse(&c, "the object has no end");
    }
    skip_blanks(&c);
    if (c.at < c.end) return refuse(&c, "something follows the object");
    if (!found) return refuse(&c, "do is missing");
    return check_keys(&c, out);
}
