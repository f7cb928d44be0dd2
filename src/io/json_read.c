// io/json_read.c - see json_read.h.
#include "io/json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool json_refuse(const json_cursor *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, c->size, format, args);
    va_end(args);
    return false;
}

void json_skip_blanks(json_cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

bool json_take(json_cursor *c, char wanted) {
    json_skip_blanks(c);
    if (c->at >= c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

bool json_take_word(json_cursor *c, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
    c->at += n;
    return true;
}

static bool is_digit(const json_cursor *c) {
    return c->at < c->end && *c->at >= '0' && *c->at <= '9';
}

static bool skip_digits(json_cursor *c) {
    if (!is_digit(c)) return false;
    while (is_digit(c)) c->at++;
    return true;
}

bool json_is_at(const json_cursor *c, const char *set) {
    return c->at < c->end && *c->at && strchr(set, *c->at);
}

// JSON's grammar is narrower than strtod's: no blanks, no hexadecimals, no infinity.
static bool skip_number(json_cursor *c) {
    if (json_is_at(c, "-")) c->at++;
    if (!skip_digits(c)) return false;
    if (json_is_at(c, ".")) {
        c->at++;
        if (!skip_digits(c)) return false;
    }
    if (!json_is_at(c, "eE")) return true;
    c->at++;
    if (json_is_at(c, "+-")) c->at++;
    return skip_digits(c);
}

bool json_read_number(json_cursor *c, double *out) {
    char text[64];
    const char *start = c->at;
    if (!skip_number(c)) return json_refuse(c, "a number is expected");
    size_t n = (size_t)(c->at - start);
    if (n >= sizeof text) return json_refuse(c, "a number of %zu digits is too long", n);
    memcpy(text, start, n);
    text[n] = '\0';
    *out = strtod(text, NULL);
    return isfinite(*out) || json_refuse(c, "%s is too large", text);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The character behind a backslash, 0 when there is none that a name could hold.
static char parse_escape(json_cursor *c) {
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

bool json_read_text(json_cursor *c, char *out, size_t size) {
    if (!json_take(c, '"')) return json_refuse(c, "a text in quotes is expected");
    size_t n = 0;
    while (c->at < c->end && *c->at != '"') {
        char letter = *c->at++;
        if ((unsigned char)letter < 0x20) return json_refuse(c, "a text holds a control character");
        if (letter == '\\' && !(letter = parse_escape(c)))
            return json_refuse(c, "an escape that no name holds");
        if (n + 1 >= size) return json_refuse(c, "a text is longer than %zu bytes", size - 1);
        out[n++] = letter;
    }
    out[n] = '\0';
    return json_take(c, '"') || json_refuse(c, "a text has no end");
}
