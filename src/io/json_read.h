// io/json_read.h - reading JSON that strangers sent, from any bytes and no more than are there. Each reader says in `why` what
// it did not like.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct json_cursor {
    const char *at, *end;
    char *why;
    size_t size;  // of why
} json_cursor;

// Why it is refused, in words; false.
bool json_refuse(const json_cursor *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void json_skip_blanks(json_cursor *c);
bool json_take(json_cursor *c, char wanted);  // behind blanks; false: something else is there
bool json_take_word(json_cursor *c, const char *word);   // "null"
bool json_is_at(const json_cursor *c, const char *set);  // is one of these letters next?
bool json_read_number(json_cursor *c, double *out);      // finite
// A text in quotes: what does not fit is refused; of escapes only those of ASCII are read.
bool json_read_text(json_cursor *c, char *out, size_t size);
