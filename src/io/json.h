// io/json.h - writing JSON, one value after the other, always well formed.
//
//     json j = json_start(stdout);
//     json_begin_object(&j);
//     json_key(&j, "time"), json_number(&j, 0.5);
//     json_end_object(&j);
//
// A number that JSON cannot say (NaN, infinity) becomes null; bytes that are not UTF-8 become
// U+FFFD. Numbers read back to the same bits.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH = 32 };

typedef struct json {
    FILE *out;
    int depth;
    bool filled[JSON_DEPTH];  // this level already holds a value
    bool on_lines[JSON_DEPTH];
    bool after_key;
} json;

json json_start(FILE *out);
void json_begin_object(json *j);
void json_end_object(json *j);
void json_begin_array(json *j);
void json_end_array(json *j);
void json_key(json *j, const char *key);

void json_string(json *j, const char *text);  // NULL: null
void json_number(json *j, double value);
void json_integer(json *j, long value);
void json_bool(json *j, bool value);
void json_numbers(json *j, const double *values, int n);  // an array on one line

// Key and value, or the beginning of one, at once.
void json_open_object(json *j, const char *key);
void json_open_array(json *j, const char *key);
void json_put_string(json *j, const char *key, const char *text);
void json_put_number(json *j, const char *key, double value);
void json_put_integer(json *j, const char *key, long value);
void json_put_bool(json *j, const char *key, bool value);
void json_put_numbers(json *j, const char *key, const double *values, int n);
void json_put_rows(json *j, const char *key, const double *values, int rows, int columns);

// An array of n objects; `put` writes what is in the i-th.
void json_put_list(json *j, const char *key, int n, void (*put)(json *j, const void *of, int i),
                   const void *of);

// The shortest decimal that reads back to the same double.
void format_exact(char *text, size_t size, double value);
