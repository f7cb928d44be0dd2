// io/json.c - see json.h.
#include "io/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

json json_start(FILE *out) {
    return (json){.out = out};
}

static void new_line(const json *j) {
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

// What stands between the previous value of this level and the next one.
static void separate(json *j) {
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    if (j->depth == 0) return;
    if (j->filled[j->depth]) fputs(j->on_lines[j->depth] ? "," : ", ", j->out);
    if (j->on_lines[j->depth]) new_line(j);
    j->filled[j->depth] = true;
}

static void begin(json *j, char bracket, bool on_lines) {
    separate(j);
    fputc(bracket, j->out);
    assert(j->depth + 1 < JSON_DEPTH);
    j->depth++;
    j->filled[j->depth] = false;
    j->on_lines[j->depth] = on_lines;
}

static void end(json *j, char bracket) {
    bool lines = j->filled[j->depth] && j->on_lines[j->depth];
    j->depth--;
    if (lines) new_line(j);
    fputc(bracket, j->out);
    if (j->depth == 0) fputc('\n', j->out);
}

void json_begin_object(json *j) {
    begin(j, '{', true);
}

void json_end_object(json *j) {
    end(j, '}');
}

void json_begin_array(json *j) {
    begin(j, '[', true);
}

void json_end_array(json *j) {
    end(j, ']');
}

// Length of the well-formed UTF-8 sequence at text, 0 when there is none (Unicode, table 3-7).
static int utf8_length(const unsigned char *text) {
    unsigned char a = text[0];
    if (a < 0x80) return 1;
    int n = a >= 0xc2 && a <= 0xdf ? 2 : (a & 0xf0) == 0xe0 ? 3 : a >= 0xf0 && a <= 0xf4 ? 4 : 0;
    for (int i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    if (a == 0xe0 && text[1] < 0xa0) return 0;  // overlong
    if (a == 0xed && text[1] > 0x9f) return 0;  // surrogates
    if (a == 0xf0 && text[1] < 0x90) return 0;  // overlong
    if (a == 0xf4 && text[1] > 0x8f) return 0;  // above U+10FFFF
    return n;
}

static void escape_ascii(FILE *out, unsigned char c) {
    switch (c) {
    case '"': fputs("\\\"", out); return;
    case '\\': fputs("\\\\", out); return;
    case '\n': fputs("\\n", out); return;
    case '\r': fputs("\\r", out); return;
    case '\t': fputs("\\t", out); return;
    default: break;
    }
    if (c < 0x20 || c == 0x7f) {
        fprintf(out, "\\u%04x", (unsigned)c);
    } else {
        fputc(c, out);
    }
}

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    const unsigned char *c = (const unsigned char *)text;
    while (*c) {
        int n = utf8_length(c);
        if (n == 1) {
            escape_ascii(out, *c);
        } else if (n > 1) {
            fwrite(c, 1, (size_t)n, out);
        } else {
            fputs("\\ufffd", out);
            n = 1;
        }
        c += n;
    }
    fputc('"', out);
}

void json_key(json *j, const char *key) {
    separate(j);
    write_string(j->out, key);
    fputs(": ", j->out);
    j->after_key = true;
}

void json_string(json *j, const char *text) {
    separate(j);
    if (text) {
        write_string(j->out, text);
    } else {
        fputs("null", j->out);
    }
}

void format_exact(char *text, size_t size, double value) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

void json_number(json *j, double value) {
    separate(j);
    if (!isfinite(value)) {
        fputs("null", j->out);
        return;
    }
    char text[40];
    format_exact(text, sizeof text, value);
    fputs(text, j->out);
}

void json_integer(json *j, long value) {
    separate(j);
    fprintf(j->out, "%ld", value);
}

void json_bool(json *j, bool value) {
    separate(j);
    fputs(value ? "true" : "false", j->out);
}

void json_numbers(json *j, const double *values, int n) {
    begin(j, '[', false);
    for (int i = 0; i < n; i++) json_number(j, values[i]);
    end(j, ']');
}

void json_open_object(json *j, const char *key) {
    json_key(j, key);
    json_begin_object(j);
}

void json_open_array(json *j, const char *key) {
    json_key(j, key);
    json_begin_array(j);
}

void json_put_list(json *j, const char *key, int n, void (*put)(json *j, const void *of, int i),
                   const void *of) {
    json_open_array(j, key);
    for (int i = 0; i < n; i++) {
        json_begin_object(j);
        put(j, of, i);
        json_end_object(j);
    }
    json_end_array(j);
}

void json_put_string(json *j, const char *key, const char *text) {
    json_key(j, key);
    json_string(j, text);
}

void json_put_number(json *j, const char *key, double value) {
    json_key(j, key);
    json_number(j, value);
}

void json_put_integer(json *j, const char *key, long value) {
    json_key(j, key);
    json_integer(j, value);
}

void json_put_bool(json *j, const char *key, bool value) {
    json_key(j, key);
    json_bool(j, value);
}

void json_put_numbers(json *j, const char *key, const double *values, int n) {
    json_key(j, key);
    json_numbers(j, values, n);
}

void json_put_rows(json *j, const char *key, const double *values, int rows, int columns) {
    json_open_array(j, key);
    for (int i = 0; i < rows; i++) json_numbers(j, values + (size_t)i * (size_t)columns, columns);
    json_end_array(j);
}
