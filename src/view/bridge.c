// view/bridge.c - see bridge.h.
#include "view/bridge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/suggest.h"
#include "view/text.h"

#define LATE_SECONDS 0.15   // what is later than this is given up
#define ROUND_SECONDS 0.04  // of the robot's time in one round, so that packets are answered

// ---------------------------------------------------------------- texts
// Keeps a text that was written; what is longer than a packet can be is an error in words.
static bool keep(bridge *b, text_writer *w) {
    char *text = text_end(w);
    b->length = 0;
    if (!text) return false;
    const size_t n = strlen(text);
    if (n < BRIDGE_TEXT) {
        memcpy(b->text, text, n + 1);
        b->length = n;
    }
    free(text);
    return b->length > 0;
}

static bool answer(bridge *b, const bridge_message *m, const char *type, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool answer(bridge *b, const bridge_message *m, const char *type, const char *format, ...) {
    char words[700];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    text_writer w;
    json *j = text_begin(&w, type);
    if (!j) return false;
    if (m && m->has_id) json_put_number(j, "id", m->id);
    if (words[0]) json_put_string(j, "message", words);
    return keep(b, &w);
}

static double now_of(const bridge *b) {
    return td_get_time(b->d.system, b->d.state);
}

static void put_list(json *j, const bridge *b, const char *key, int first, int n) {
    json_open_array(j, key);
    for (int i = first; i < first + n; i++) {
        json_begin_array(j);
        json_string(j, b->variables.all[i].name);
        json_string(j, b->variables.all[i].unit);
        json_end_array(j);
    }
    json_end_array(j);
}

static bool say_hello(bridge *b, const bridge_message *m) {
    text_writer w;
    json *j = text_begin(&w, "hello");
    if (!j) return false;
    if (m->has_id) json_put_number(j, "id", m->id);
    json_put_integer(j, "version", 1);
    json_put_string(j, "robot", b->name);
    json_put_string(j, "model", td_system_options(b->d.system)->model);
    json_put_number(j, "step", b->step);
    json_put_number(j, "rate", b->rate);
    json_put_number(j, "lease", b->lease);
    put_list(j, b, "inputs", 1, b->variables.n_inputs);
    put_list(j, b, "outputs", b->variables.first_output, b->variables.n_outputs);
    if (keep(b, &w)) return true;
    return answer(b, m, "error", "the list of inputs and outputs does not fit into a packet");
}

static bool say_state(bridge *b, const bridge_message *m) {
    text_writer w;
    json *j = text_begin(&w, "state");
    if (!j) return false;
    if (m && m->has_id) json_put_number(j, "id", m->id);
    json_put_integer(j, "frame", (long)b->frame);
    json_put_number(j, "time", now_of(b));
    json_put_bool(j, "playing", b->playing);
    json_put_number(j, "behind", b->behind);
    for (int i = 0; i < b->d.n; i++) b->values[i] = td_get_input(b->d.system, b->d.state, i);
    json_put_numbers(j, "inputs", b->values, b->d.n);
    for (int i = 0; i < b->variables.n_outputs; i++)
        b->values[i] = variable_output(&b->variables.all[b->variables.first_output + i],
                                       &b->variables, b->d.system, b->d.state);
    json_put_numbers(j, "outputs", b->values, b->variables.n_outputs);
    if (keep(b, &w)) return true;
    return answer(b, m, "error", "the outputs do not fit into a packet: serve fewer");
}

// ---------------------------------------------------------------- made and freed
bool bridge_make(bridge *b, driven d, const char *token, double step, double rate, double lease,
                 const char *outputs, td_error *err) {
    *b = (bridge){.d = d, .token = token, .step = step, .rate = rate, .lease = lease};
    b->name = td_robot_name(d.robot);
    if (!b->name) b->name = "";
    if (!variables_make(&b->variables, d.robot, d.system, outputs, err)) return false;
    const size_t most = (size_t)b->variables.n + (size_t)td_n_inputs(d.system) + 1;
    b->saved = malloc(td_snapshot_bytes(d.system));
    b->text = malloc(BRIDGE_TEXT);
    b->values = calloc(most, sizeof *b->values);
    if (driven_reserve(&b->d, td_n_inputs(d.system)) && b->saved && b->text && b->values)
        return true;
    error_set(err, TD_ERR_MEMORY, "", "out of memory");
    return false;
}

void bridge_free(bridge *b) {
    variables_free(&b->variables);
    driven_free(&b->d);
    free(b->saved);
    free(b->text);
    free(b->values);
}

static void anchor(bridge *b, double now) {
    b->anchor = now;
    b->anchor_time = now_of(b);
}

bool bridge_begin(bridge *b, double now) {
    for (int i = 0; i < b->d.n; i++) b->d.held[i] = false;
    const td_status status = driven_begin(&b->d);
    anchor(b, now);
    b->failure[0] = '\0';
    if (status >= 0) return true;
    const char *words = td_message(b->d.state);
    snprintf(b->failure, sizeof b->failure, "the start was not found: %s",
             words[0] ? words : status_words(status));
    return false;
}

// ---------------------------------------------------------------- time
// Takes a step entirely or not at all.
static bool take_step(bridge *b) {
    const size_t bytes = td_snapshot_bytes(b->d.system);
    td_state_save(b->d.system, b->d.state, b->saved, bytes);
    driven_from_here(&b->d);
    const td_status status = driven_step(&b->d, b->step, 1.0);
    if (status >= 0) return true;
    const char *words = td_message(b->d.state);
    snprintf(b->failure, sizeof b->failure, "no step from t = %g s: %s", now_of(b),
             words[0] ? words : status_words(status));
    td_state_restore(b->d.system, b->d.state, b->saved, bytes);
    b->playing = false;
    return false;
}

bool bridge_advance(bridge *b, double now) {
    if (!b->playing) return true;
    const double due = b->anchor_time + now - b->anchor, begun = now_of(b);
    while (now_of(b) + b->step <= due + 1e-9 * b->step && now_of(b) - begun < ROUND_SECONDS) {
        if (!take_step(b)) {
            answer(b, NULL, "failure", "%s", b->failure);
            return false;
        }
    }
    const double late = due - now_of(b) - b->step;
    if (late > LATE_SECONDS) {
        b->behind += late;
        b->anchor_time -= late;
    }
    return true;
}

bool bridge_frame(bridge *b, double now) {
    if (now < b->next_frame) return false;
    b->next_frame += 1.0 / b->rate;
    if (b->next_frame < now) b->next_frame = now + 1.0 / b->rate;  // none is sent twice
    for (int i = 0; i < BRIDGE_CLIENTS; i++)
        if (b->clients[i].until < now) b->clients[i].size = 0;
    b->frame++;
    return say_state(b, NULL);
}

bool bridge_goodbye(bridge *b) {
    return answer(b, NULL, "bye", "the program ends");
}

double bridge_wait(const bridge *b, double now) {
    double next = b->next_frame;
    if (b->playing) next = fmin(next, b->anchor + now_of(b) + b->step - b->anchor_time);
    return fmin(fmax(next - now, 0.0), 0.2);
}

// ---------------------------------------------------------------- clients
static bool has_token(const bridge *b, const bridge_message *m) {
    const size_t n = strlen(b->token);
    unsigned char differs = strlen(m->token) != n;
    for (size_t i = 0; i < n && i < sizeof m->token; i++)  // as long for a wrong one
        differs |= (unsigned char)(m->token[i] ^ b->token[i]);
    return !differs;
}

static bridge_client *find_client(bridge *b, const void *address, uint32_t size) {
    for (int i = 0; i < BRIDGE_CLIENTS; i++)
        if (b->clients[i].size == size && !memcmp(b->clients[i].address, address, size))
            return &b->clients[i];
    return NULL;
}

static bool add_client(bridge *b, double now, const void *address, uint32_t size) {
    bridge_client *free_one = find_client(b, address, size);
    for (int i = 0; i < BRIDGE_CLIENTS && !free_one; i++)
        if (b->clients[i].size == 0 || b->clients[i].until < now) free_one = &b->clients[i];
    if (!free_one || size > BRIDGE_ADDRESS) return false;
    memcpy(free_one->address, address, size);
    free_one->size = size;
    free_one->until = now + b->lease;
    return true;
}

// ---------------------------------------------------------------- requests
// All of them, or none: the message names what is not there.
static bool set_inputs(bridge *b, const bridge_message *m) {
    int found[BRIDGE_INPUTS];
    for (int i = 0; i < m->n_inputs; i++) {
        found[i] = td_find_input(b->d.system, m->inputs[i].name);
        if (found[i] >= 0) continue;
        char hint[HINT_SIZE];
        suggestion near = suggest_for(m->inputs[i].name);
        for (int k = 0; k < b->d.n; k++) suggest(&near, td_input_name(b->d.system, k));
        answer(b, m, "error", "the robot has no input '%s'%s", m->inputs[i].name,
               hint_text(&near, "", hint));
        return false;
    }
    for (int i = 0; i < m->n_inputs; i++) {
        b->d.held[found[i]] = !m->inputs[i].follows;
        if (!m->inputs[i].follows) b->d.inputs[found[i]] = m->inputs[i].value;
    }
    return true;
}

static bool do_steps(bridge *b, const bridge_message *m) {
    if (b->playing)
        return answer(b, m, "error", "time passes by itself: steps are for a robot that is paused");
    for (int k = 0; k < m->steps && !(b->stop && *b->stop); k++)
        if (!take_step(b)) return answer(b, m, "failure", "%s", b->failure);
    return say_state(b, m);
}

static bool obey(bridge *b, double now, const bridge_message *m, const void *address,
                 uint32_t size) {
    bridge_client *client = find_client(b, address, size);
    if (client) client->until = now + b->lease;
    if (m->n_inputs && !set_inputs(b, m)) return true;
    switch (m->ask) {
    case BRIDGE_HELLO:
        if (add_client(b, now, address, size)) return say_hello(b, m);
        return answer(b, m, "error", "%d clients are served already", BRIDGE_CLIENTS);
    case BRIDGE_SET: return m->has_id && answer(b, m, "done", "%s", "");
    case BRIDGE_GET: return say_state(b, m);
    case BRIDGE_PLAY:
        if (!b->playing) anchor(b, now);
        b->playing = true;
        return answer(b, m, "done", "%s", "");
    case BRIDGE_PAUSE: b->playing = false; return answer(b, m, "done", "%s", "");
    case BRIDGE_STEP: return do_steps(b, m);
    case BRIDGE_RESET:
        if (bridge_begin(b, now)) return say_state(b, m);
        b->playing = false;
        return answer(b, m, "failure", "%s", b->failure);
    case BRIDGE_BYE:
        if (client) client->size = 0;
        return answer(b, m, "done", "%s", "");
    }
    return false;
}

bool bridge_receive(bridge *b, double now, const void *address, uint32_t size, const char *packet,
                    size_t n) {
    bridge_message m;
    char why[300];
    const bool fine = bridge_parse(packet, n, &m, why, sizeof why);
    if (!has_token(b, &m)) {
        b->strangers++;
        return false;
    }
    return fine ? obey(b, now, &m, address, size) : answer(b, &m, "error", "%s", why);
}
