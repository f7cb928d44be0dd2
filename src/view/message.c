// view/message.c - see message.h.
#include "view/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_read.h"

typedef enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST } value_kind;

static const char *const kind_words[] = {"null", "true or false", "a number", "a text", "a list"};

typedef struct value {
    value_kind kind;
    double number;
    char text[64];
    double list[3];
    int n;
} value;

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
    [ASK_GHOST] = {"ghost", GIVEN_NAME, GIVEN_VALUE},
    [ASK_GRAB] = {"grab", 0, GIVEN_ROD | GIVEN_S | GIVEN_BODY},
    [ASK_PULL] = {"pull", GIVEN_FORCE, 0},
    [ASK_RELEASE] = {"release", 0, 0},
    [ASK_EXPORT] = {"export-inputs", 0, 0},
    [ASK_DRIVE] = {"drive", 0, 0},
    [ASK_MODES] = {"modes", 0, GIVEN_MODE | GIVEN_VALUE},
    [ASK_REACH] = {"reach", GIVEN_POSITION, GIVEN_ROD | GIVEN_S | GIVEN_BODY},
    [ASK_REWIND] = {"rewind", GIVEN_VALUE, 0},
    [ASK_SWITCH] = {"switch", GIVEN_CONTROLLER | GIVEN_VALUE, 0},
};
enum { N_REQUESTS = sizeof requests / sizeof requests[0] };

typedef struct key {
    const char *name;
    unsigned flag;
    value_kind kind;
} key;

static const key keys[] = {
    {"input", GIVEN_INPUT, VALUE_NUMBER},
    {"value", GIVEN_VALUE, VALUE_NUMBER},
    {"name", GIVEN_NAME, VALUE_TEXT},
    {"scheme", GIVEN_SCHEME, VALUE_TEXT},
    {"step", GIVEN_STEP, VALUE_NUMBER},
    {"rod", GIVEN_ROD, VALUE_NUMBER},
    {"s", GIVEN_S, VALUE_NUMBER},
    {"body", GIVEN_BODY, VALUE_NUMBER},
    {"force", GIVEN_FORCE, VALUE_LIST},
    {"mode", GIVEN_MODE, VALUE_NUMBER},
    {"position", GIVEN_POSITION, VALUE_LIST},
    {"controller", GIVEN_CONTROLLER, VALUE_NUMBER},
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

// ---------------------------------------------------------------- JSON
static bool parse_list(json_cursor *c, value *v) {
    v->n = 0;
    c->at++;
    if (json_take(c, ']')) return true;
    do {
        json_skip_blanks(c);
        if (v->n == 3) return json_refuse(c, "a list has more than 3 numbers");
        if (!json_read_number(c, &v->list[v->n++])) return false;
    } while (json_take(c, ','));
    return json_take(c, ']') || json_refuse(c, "a list has no end");
}

static bool parse_value(json_cursor *c, value *v) {
    json_skip_blanks(c);
    *v = (value){.kind = VALUE_NULL};
    if (json_take_word(c, "null")) return true;
    v->kind = VALUE_BOOL;
    if (json_take_word(c, "true") || json_take_word(c, "false")) return true;
    v->kind = VALUE_TEXT;
    if (json_is_at(c, "\"")) return json_read_text(c, v->text, sizeof v->text);
    v->kind = VALUE_LIST;
    if (json_is_at(c, "[")) return parse_list(c, v);
    v->kind = VALUE_NUMBER;
    return json_read_number(c, &v->number);
}

// ---------------------------------------------------------------- meaning
static bool take_index(const json_cursor *c, const char *name, double number, int *out) {
    if (!(number >= 0 && number <= 1e6) || number != floor(number))
        return json_refuse(c, "%s = %g must be a whole number from 0", name, number);
    *out = (int)number;
    return true;
}

static bool keep(const json_cursor *c, const key *k, const value *v, message *m) {
    const bool none = v->kind == VALUE_NULL && k->flag & (GIVEN_NAME | GIVEN_MODE);
    if (k->kind != v->kind && !none)
        return json_refuse(c, "%s is %s, but %s is expected", k->name, kind_words[v->kind],
                           kind_words[k->kind]);
    switch (k->flag) {
    case GIVEN_INPUT: return take_index(c, k->name, v->number, &m->input);
    case GIVEN_ROD: return take_index(c, k->name, v->number, &m->rod);
    case GIVEN_BODY: return take_index(c, k->name, v->number, &m->body);
    case GIVEN_CONTROLLER: return take_index(c, k->name, v->number, &m->controller);
    case GIVEN_MODE: m->mode = -1; return none || take_index(c, k->name, v->number, &m->mode);
    case GIVEN_VALUE: m->value = v->number; return true;
    case GIVEN_STEP: m->step = v->number; return true;
    case GIVEN_S: m->s = v->number; return true;
    case GIVEN_NAME: memcpy(m->name, v->text, sizeof m->name); return true;
    case GIVEN_SCHEME: memcpy(m->scheme, v->text, sizeof m->scheme); return true;
    case GIVEN_POSITION: memcpy(m->position, v->list, sizeof m->position); break;
    default: memcpy(m->force, v->list, sizeof m->force); break;
    }
    return v->n == 3 || json_refuse(c, "%s has %d numbers, but 3 are expected", k->name, v->n);
}

static bool keep_request(const json_cursor *c, const value *v, message *m, bool *found) {
    if (v->kind != VALUE_TEXT)
        return json_refuse(c, "do is %s, but a text is expected", kind_words[v->kind]);
    for (int i = 0; i < N_REQUESTS; i++) {
        if (strcmp(requests[i].name, v->text) != 0) continue;
        m->ask = (ask)i;
        *found = true;
        return true;
    }
    return json_refuse(c, "do = \"%s\" is not known", v->text);
}

static bool parse_pair(json_cursor *c, message *m, bool *found) {
    char name[64];
    value v;
    json_skip_blanks(c);
    if (!json_read_text(c, name, sizeof name)) return false;
    if (!json_take(c, ':')) return json_refuse(c, "%s: a colon is expected after a key", name);
    if (!parse_value(c, &v)) return false;
    if (!strcmp(name, "do"))
        return *found ? json_refuse(c, "do is given twice") : keep_request(c, &v, m, found);
    for (int i = 0; i < N_KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0) continue;
        if (m->given & keys[i].flag) return json_refuse(c, "%s is given twice", name);
        m->given |= keys[i].flag;
        return keep(c, &keys[i], &v, m);
    }
    return json_refuse(c, "%s is not a key of a message", name);
}

static const char *name_of_flag(unsigned flags) {
    for (int i = 0; i < N_KEYS; i++)
        if (keys[i].flag & flags) return keys[i].name;
    return "";
}

static bool check_keys(const json_cursor *c, const message *m) {
    const request *r = &requests[m->ask];
    unsigned missing = r->needs & ~m->given, idle = m->given & ~(r->needs | r->may);
    if (missing) return json_refuse(c, "%s needs %s", r->name, name_of_flag(missing));
    if (idle) return json_refuse(c, "%s does not take %s", r->name, name_of_flag(idle));
    if (m->ask == ASK_MODEL && !m->given) return json_refuse(c, "model needs name, scheme or step");
    const unsigned on_rod = GIVEN_ROD | GIVEN_S;
    const unsigned where = m->given & (on_rod | GIVEN_BODY);
    if ((m->ask == ASK_GRAB || m->ask == ASK_REACH) && where != on_rod && where != GIVEN_BODY)
        return json_refuse(c, "%s needs rod and s, or body", r->name);
    return true;
}

bool message_parse(const char *text, size_t length, message *out, char *why, size_t size) {
    json_cursor c = {text, text + length, why, size};
    bool found = false;
    *out = (message){0};
    if (length > MESSAGE_MOST)
        return json_refuse(&c, "a message of %zu bytes is longer than %d", length, MESSAGE_MOST);
    if (!json_take(&c, '{')) return json_refuse(&c, "a message is a JSON object");
    if (!json_take(&c, '}')) {
        do {
            if (!parse_pair(&c, out, &found)) return false;
        } while (json_take(&c, ','));
        if (!json_take(&c, '}')) return json_refuse(&c, "the object has no end");
    }
    json_skip_blanks(&c);
    if (c.at < c.end) return json_refuse(&c, "something follows the object");
    if (!found) return json_refuse(&c, "do is missing");
    return check_keys(&c, out);
}
