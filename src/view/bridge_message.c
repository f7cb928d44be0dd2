// view/bridge_message.c - see bridge_message.h.
#include "view/bridge_message.h"

#include <math.h>
#include <string.h>

#include "io/json_read.h"

enum { KEY_TOKEN = 1, KEY_TYPE = 2, KEY_ID = 4, KEY_STEPS = 8, KEY_INPUTS = 16 };
static const char *const keys[] = {"token", "type", "id", "steps", "inputs"};
enum { N_KEYS = sizeof keys / sizeof keys[0], MOST_STEPS = 10000 };

// What each takes beside token, type and id.
static const struct {
    const char *name;
    unsigned may;
} requests[] = {
    [BRIDGE_HELLO] = {"hello", 0}, [BRIDGE_SET] = {"set", KEY_INPUTS},
    [BRIDGE_GET] = {"get", 0},     [BRIDGE_PLAY] = {"play", KEY_INPUTS},
    [BRIDGE_PAUSE] = {"pause", 0}, [BRIDGE_STEP] = {"step", KEY_INPUTS | KEY_STEPS},
    [BRIDGE_RESET] = {"reset", 0}, [BRIDGE_BYE] = {"bye", 0},
};
enum { N_REQUESTS = sizeof requests / sizeof requests[0] };

static bool read_type(json_cursor *c, bridge_message *m) {
    char text[32];
    if (!json_read_text(c, text, sizeof text)) return false;
    for (int i = 0; i < N_REQUESTS; i++) {
        if (strcmp(requests[i].name, text) != 0) continue;
        m->ask = (bridge_ask)i;
        return true;
    }
    return json_refuse(
        c, "type \"%s\" is not one of: hello, set, get, play, pause, step, reset, bye", text);
}

static bool read_steps(json_cursor *c, bridge_message *m) {
    double value;
    json_skip_blanks(c);
    if (!json_read_number(c, &value)) return false;
    if (!(value >= 1 && value <= MOST_STEPS) || value != floor(value))
        return json_refuse(c, "steps = %g must be a whole number from 1 to %d", value, MOST_STEPS);
    m->steps = (int)value;
    return true;
}

static bool read_input(json_cursor *c, bridge_message *m) {
    if (m->n_inputs == BRIDGE_INPUTS)
        return json_refuse(c, "more than %d inputs in one message", BRIDGE_INPUTS);
    bridge_input *one = &m->inputs[m->n_inputs++];
    json_skip_blanks(c);
    if (!json_read_text(c, one->name, sizeof one->name)) return false;
    if (!json_take(c, ':'))
        return json_refuse(c, "inputs: a colon is expected after '%s'", one->name);
    json_skip_blanks(c);
    one->follows = json_take_word(c, "null");
    return one->follows || json_read_number(c, &one->value);
}

static bool read_inputs(json_cursor *c, bridge_message *m) {
    if (!json_take(c, '{'))
        return json_refuse(c, "inputs is an object of names and numbers, {\"east\": 3.5}");
    if (json_take(c, '}')) return true;
    do {
        if (!read_input(c, m)) return false;
    } while (json_take(c, ','));
    return json_take(c, '}') || json_refuse(c, "inputs has no end");
}

static bool read_value(json_cursor *c, unsigned key, bridge_message *m) {
    json_skip_blanks(c);
    switch (key) {
    case KEY_TOKEN: return json_read_text(c, m->token, sizeof m->token);
    case KEY_TYPE: return read_type(c, m);
    case KEY_ID: m->has_id = true; return json_read_number(c, &m->id);
    case KEY_STEPS: return read_steps(c, m);
    default: return read_inputs(c, m);
    }
}

static bool read_pair(json_cursor *c, bridge_message *m, unsigned *given) {
    char name[32];
    json_skip_blanks(c);
    if (!json_read_text(c, name, sizeof name)) return false;
    if (!json_take(c, ':')) return json_refuse(c, "%s: a colon is expected after a key", name);
    for (unsigned i = 0; i < N_KEYS; i++) {
        if (strcmp(keys[i], name) != 0) continue;
        if (*given & 1u << i) return json_refuse(c, "%s is given twice", name);
        *given |= 1u << i;
        return read_value(c, 1u << i, m);
    }
    return json_refuse(c, "%s is not one of the keys: token, type, id, steps, inputs", name);
}

static bool check(const json_cursor *c, const bridge_message *m, unsigned given) {
    if (!(given & KEY_TYPE)) return json_refuse(c, "type is missing");
    const unsigned idle = given & ~(KEY_TOKEN | KEY_TYPE | KEY_ID | requests[m->ask].may);
    if (idle)
        return json_refuse(c, "%s does not take %s", requests[m->ask].name,
                           idle & KEY_STEPS ? "steps" : "inputs");
    if (m->ask == BRIDGE_SET && !(given & KEY_INPUTS)) return json_refuse(c, "set needs inputs");
    return true;
}

static bool parse(json_cursor c, size_t length, bridge_message *m) {
    unsigned given = 0;
    if (length > BRIDGE_MOST)
        return json_refuse(&c, "a packet of %zu bytes is longer than %d", length, BRIDGE_MOST);
    if (!json_take(&c, '{')) return json_refuse(&c, "a message is a JSON object");
    if (!json_take(&c, '}')) {
        do {
            if (!read_pair(&c, m, &given)) return false;
        } while (json_take(&c, ','));
        if (!json_take(&c, '}')) return json_refuse(&c, "the object has no end");
    }
    json_skip_blanks(&c);
    if (c.at < c.end) return json_refuse(&c, "something follows the object");
    return check(&c, m, given);
}

static void skip_text(json_cursor *c) {
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\' && c->at + 1 < c->end) c->at++;
    if (c->at < c->end) c->at++;
}

// The token behind a mistake, so that whoever has it is told: many programs write keys by the alphabet.
static void seek_token(json_cursor c, bridge_message *m) {
    char why[300], token[sizeof m->token] = "";
    c.why = why, c.size = sizeof why;
    for (int depth = 0; c.at < c.end;) {
        if (depth == 1 && json_take_word(&c, "\"token\"")) {
            if (!json_take(&c, ':') || !json_read_text(&c, token, sizeof token)) continue;
            memcpy(m->token, token, sizeof token);
            return;
        }
        if (*c.at == '"') {
            skip_text(&c);
            continue;
        }
        depth += json_is_at(&c, "{[") - json_is_at(&c, "}]");
        c.at++;
    }
}

bool bridge_parse(const char *text, size_t length, bridge_message *m, char *why, size_t size) {
    const json_cursor c = {text, text + length, why, size};
    *m = (bridge_message){.steps = 1};
    if (parse(c, length, m)) return true;
    if (!m->token[0]) seek_token(c, m);
    return false;
}
